// Package client reads the configurations of MCP clients, starts their servers in the same way, and adds guards to
// them.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A Config is a client's configuration.
type Config struct {
	File    string
	Data    []byte           // as read
	entries map[string]entry // by server ID

	// The IDs of the servers to use, sorted.
	SelectedIDs []string

	// The folder that the client starts its servers in.
	Project string

	// The file is TOML, as Codex's configuration is.
	isTOML bool

	// The name of the member that contains the servers, such as mcpServers.
	place string

	// The client that reads the file.
	kind kind
}

// An entry is one server of a configuration, with the members of all supported clients.
type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	HTTPURL  string `json:"httpUrl"` // Gemini CLI
	Disabled bool   `json:"disabled"`

	Enabled           *bool             `json:"enabled"`
	HTTPHeaders       map[string]string `json:"http_headers"` // Codex, like the next two
	EnvHTTPHeaders    map[string]string `json:"env_http_headers"`
	BearerTokenEnvVar string            `json:"bearer_token_env_var"`

	// The words of our guard that precede the server's own command line or URL; nil without a guard.
	guard []string

	Rest map[string]jsontext.Value `json:",embed"`
}

// unsupportedKeys lists unsupported keys that change how a client reaches a server. Without them, the server may list
// something else than the agent gets.
var unsupportedKeys = []string{
	"headersHelper", "oauth", // Claude Code, VS Code
	"envFile", "sandboxEnabled", // VS Code
	"auth",                    // Cursor
	"authProviderType", "tcp", // Gemini CLI
	"experimental_environment", "oauth_resource", "scopes", // Codex
}

// argv returns the server's command line or, for a server at an address, its URL.
func (e entry) argv() []string {
	if e.Command == "" {
		return []string{cmp.Or(e.HTTPURL, e.URL)}
	}
	return slices.Concat([]string{e.Command}, e.Args)
}

// refuse returns an error for the first of unsupportedKeys that an entry sets.
func (e entry) refuse() error {
	for _, key := range unsupportedKeys {
		value := e.Rest[key]
		value.Compact()
		if slices.Contains([]string{"", "null", "false", `""`, "{}", "[]"}, string(value)) {
			continue
		}
		f := fail.New("its %s changes how the server is reached, and is not supported", key)
		if e.Command != "" {
			f.Hint("capture it by itself: pinproof-capture save ID.jsonl -- COMMAND")
		} else {
			f.Hint("capture it by itself: pinproof-capture save ID.jsonl URL --header-env NAME=VARIABLE").
				Hint("one that wants OAuth needs a bridge: pinproof-capture guard ID -- npx --no -- mcp-remote URL")
		}
		return f
	}
	return nil
}

// ReadConfig reads a client's configuration file and selects the servers with the given IDs or, if given is empty, all.
func ReadConfig(file string, given []string) (*Config, error) {
	c, err := load(file)
	if err != nil {
		return nil, err
	}
	if len(c.SelectedIDs) == 0 {
		return nil, namesIn(file, 0)
	}
	for _, id := range given {
		if !slices.Contains(c.SelectedIDs, id) {
			return nil, fail.New("%s has no server %s; it has %s", text.Printable(file), text.QuoteName(id), strings.Join(text.QuoteNames(c.SelectedIDs), ", "))
		}
	}
	if len(given) > 0 {
		c.SelectedIDs = slices.Compact(slices.Sorted(slices.Values(given)))
	}
	return c, nil
}

func namesIn(file string, places int) error {
	return fail.New("%s names servers in %s", text.Printable(file), text.FormatCount(places, "place")).
		Hint("a client's configuration has them under mcpServers, servers or mcp_servers")
}

// A project's configuration files: of Claude Code, Cursor, VS Code, Gemini CLI and Codex.
var projects = []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", ".codex/config.toml"}

// FindConfig returns the path of a configuration with servers in a folder or, in a repository, in the nearest folder
// above it that has one. If that folder has several, FindConfig returns an error rather than guess.
func FindConfig(folder string) (file string, err error) {
	for _, folder := range workspace.FoldersUpToRoot(folder) {
		var found []string
		for _, name := range projects {
			path := filepath.Join(folder, name)
			c, err := load(path)
			if err != nil && !fail.AsError(err).IsMissing {
				return "", err
			}
			if err == nil && len(c.SelectedIDs) > 0 {
				found = append(found, path)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			several := fail.New("%s here: which one is meant?", text.FormatCount(len(found), "configuration"))
			for _, path := range found {
				several.Hint("%s check --config %s", SelfName, shell.QuotePath(path))
			}
			return "", several
		}
	}
	return "", fail.New("no configuration of a client is here or, inside a repository, above: %s", strings.Join(projects, ", ")).
		Hint("name one: %s check --config FILE", SelfName)
}

func load(file string) (*Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fail.PathError(file, err)
	}
	return parse(file, data)
}

func parse(file string, data []byte) (*Config, error) {
	c := &Config{File: file, Data: data, isTOML: filepath.Ext(file) == ".toml"}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	c.Project = filepath.Dir(path)
	c.kind = kindOf(path)
	if slices.Contains([]string{".cursor", ".vscode", ".codex", ".gemini", ".roo", ".kilocode", ".amazonq"}, filepath.Base(c.Project)) {
		c.Project = filepath.Dir(c.Project)
	}
	if c.isTOML {
		// Convert TOML to JSON first, because the TOML decoder ignores case for structs.
		var values map[string]any
		if err = toml.Unmarshal(data, &values); err == nil {
			data, err = json.Marshal(values)
		}
	} else {
		// VS Code's file may have comments. Standardize overwrites them in place, so pass a copy.
		data, err = hujson.Standardize(bytes.Clone(data))
	}
	// Decode strictly: with repeated members or wrong case, we could find a different command than the client.
	var config map[string]jsontext.Value
	if err == nil {
		err = jsonv2.Unmarshal(data, &config)
	}
	places := 0
	for _, place := range []string{"servers", "mcpServers", "mcp_servers"} {
		var servers map[string]entry
		if err == nil && config[place] != nil {
			err = jsonv2.Unmarshal(config[place], &servers)
		}
		if len(servers) > 0 {
			places++
			c.place = place
			c.entries = servers
		}
	}
	if err != nil {
		return nil, fail.NewAt(file, "%s", text.Printable(err.Error()))
	}
	if places > 1 {
		return nil, namesIn(file, places)
	}
	for id, e := range c.entries {
		c.entries[id] = e.unguarded(id)
	}
	c.SelectedIDs = slices.Sorted(maps.Keys(c.entries))
	return c, nil
}

// server returns the server with this ID, to be started or reached as its client does.
func (c *Config) server(id string) (mcp.Server, error) {
	e := c.entries[id]
	x := expander{project: c.Project, plain: c.isTOML}
	if err := e.refuse(); err != nil {
		return mcp.Server{}, err
	}
	url := cmp.Or(e.HTTPURL, e.URL)
	if (e.Command == "") == (url == "") {
		return mcp.Server{}, fail.New("it needs either a command or a url")
	}
	s := mcp.Server{Dir: mcp.ResolveIn(c.Project, x.expand(e.Cwd)), URL: x.expand(url), SSE: e.Type == "sse", Headers: http.Header{}}
	if e.Command != "" {
		for _, arg := range e.argv() {
			s.Argv = append(s.Argv, x.expand(arg))
		}
		err := CheckNPMFlags(s.Argv)
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			s.Env = append(s.Env, name+"="+x.expand(e.Env[name]))
		}
		return s, cmp.Or(x.err, err)
	}
	for _, headers := range []map[string]string{e.Headers, e.HTTPHeaders} {
		for name, value := range headers {
			s.Headers.Set(name, x.expand(value))
		}
	}
	for name, variable := range e.EnvHTTPHeaders {
		s.Headers.Set(name, x.variable(variable))
	}
	if e.BearerTokenEnvVar != "" {
		s.Headers.Set("Authorization", "Bearer "+x.variable(e.BearerTokenEnvVar))
	}
	return s, x.err
}

// An expander fills in variables as clients do: ${NAME}, ${NAME:-default}, and VS
// Code's and Cursor's ${env:NAME}, ${workspaceFolder}, ${userHome} and the like.
type expander struct {
	project string
	plain   bool

	// The error about the first variable that isn't set.
	err error
}

var reference = regexp.MustCompile(`\$\{([^{}]*)\}`)

func (x *expander) expand(data string) string {
	if x.plain {
		return data
	}
	home, _ := os.UserHomeDir()
	known := map[string]string{"workspaceFolder": x.project, "workspaceFolderBasename": filepath.Base(x.project),
		"userHome": home, "pathSeparator": string(filepath.Separator), "/": string(filepath.Separator)}
	return reference.ReplaceAllStringFunc(data, func(ref string) string {
		name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(ref[2:len(ref)-1], "env:"), ":-")
		if value := cmp.Or(known[name], os.Getenv(name)); value != "" {
			return value
		} else if hasFallback {
			return fallback
		}
		return x.variable(name)
	})
}

func (x *expander) variable(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok && x.err == nil {
		unset := fail.New("the variable %s is not set", text.Printable(name))
		if strings.HasPrefix(name, "input:") {
			unset.Hint("VS Code asks for it; here, set it: env %s pinproof-capture config FILE DIR", shell.Quote(name+"=VALUE"))
		}
		x.err = unset
	}
	return value
}

// LaunchText returns what a client starts or calls for a server, as the configuration spells it, for a
// person to read. It doesn't fill in variables, which may contain a secret.
func (c *Config) LaunchText(id string) string { return c.entries[id].shown(nil) }

// A Result is the outcome of capturing or rewriting a server: a line for a person, or an error.
type Result struct {
	Server, Line string
	Err          error
}

// Capture captures the servers into DIR/ID.jsonl, several at a time, and returns a result for each. If one fails, the
// others are still saved.
func (c *Config) Capture(ctx context.Context, dir string, o mcp.CaptureOptions) ([]Result, error) {
	folded := map[string]bool{}
	for id := range c.entries {
		folded[strings.ToLower(id)] = true
	}
	if len(folded) < len(c.entries) {
		return nil, fail.NewAt(c.File, "two server IDs differ only by letter case: their captures are one file on many systems")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	results := make([]Result, len(c.SelectedIDs))
	// Capture at most four servers at once, because each may start a whole runtime or a browser.
	slots := make(chan struct{}, 4)
	var running sync.WaitGroup
	for i, id := range c.SelectedIDs {
		running.Go(func() {
			slots <- struct{}{}
			line, err := c.capture(ctx, id, dir, o)
			results[i] = Result{id, line, err}
			<-slots
		})
	}
	running.Wait()
	return results, nil
}

// IsDisabled reports whether the configuration switches a server off. The member for that, disabled or enabled, counts
// only if the client that reads the file supports it.
func (c *Config) IsDisabled(id string) bool {
	e := c.entries[id]
	return c.kind.switches == "disabled" && e.Disabled || c.kind.switches == "enabled" && e.Enabled != nil && !*e.Enabled
}

func (c *Config) capture(ctx context.Context, id, dir string, o mcp.CaptureOptions) (string, error) {
	name := workspace.CaptureFileName(id)
	path := filepath.Join(dir, name)
	if c.IsDisabled(id) {
		return mcp.SetAsideCapture(path, fail.New("switched off")).Error(), nil
	}
	if name == "" {
		return "", fail.New(workspace.FileNameRule).Hint("rename the server in the configuration")
	}
	server, err := c.server(id)
	if err != nil {
		return "", mcp.SetAsideCapture(path, err)
	}
	o.Client = cmp.Or(o.Client, c.kind.name)
	return server.Save(ctx, path, o)
}
