// Package client reads the configurations of MCP clients, starts servers as they do, and puts
// guards into them.
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

	"github.com/BurntSushi/toml"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// maxParallel is how many servers are started at once: each may be a whole runtime
// or a browser.
const maxParallel = 4

// A Config is a client's configuration.
type Config struct {
	File    string
	Data    []byte           // as it was read
	entries map[string]entry // by label
	project string           // the folder that the client starts its servers in
	plain   bool             // values hold no ${…}: Codex's are plain
}

// An entry is one server of a configuration, in any of their spellings.
type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	HTTPURL  string `json:"httpUrl"`  // Gemini CLI
	EnvFile  string `json:"envFile"`  // VS Code
	Disabled bool   `json:"disabled"` // several

	Enabled           *bool             `json:"enabled"` // Codex, down to the end
	HTTPHeaders       map[string]string `json:"http_headers"`
	EnvHTTPHeaders    map[string]string `json:"env_http_headers"`
	BearerTokenEnvVar string            `json:"bearer_token_env_var"`

	Rest map[string]jsontext.Value `json:",embed"`
}

// notDone are the keys by which clients reach a server in a way that isn't done here:
// what it lists without them may not be what the agent gets.
var notDone = []string{
	"headersHelper", "oauth", // Claude Code, VS Code
	"sandboxEnabled",          // VS Code
	"auth",                    // Cursor
	"authProviderType", "tcp", // Gemini CLI
	"experimental_environment", "oauth_resource", "scopes", // Codex
}

func (e entry) argv() []string { return slices.Concat([]string{e.Command}, e.Args) }

// refuse returns an error for the first of these keys that an entry sets.
func (e entry) refuse() error {
	for _, key := range notDone {
		value := e.Rest[key]
		value.Compact()
		if slices.Contains([]string{"", "null", "false", `""`, "{}", "[]"}, string(value)) {
			continue
		}
		f := fail.New("its %s changes how the server is reached, and is not done here", key)
		if e.Command == "" {
			f.Hint("capture it by itself: pinproof-capture save LABEL.jsonl URL --header-env NAME=VARIABLE")
		}
		return f
	}
	return nil
}

// Read reads a client's configuration.
func Read(file string) (*Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fail.From(err)
	}
	return parse(file, data)
}

func parse(file string, data []byte) (c *Config, err error) {
	c = &Config{File: file, Data: bytes.Clone(data), plain: filepath.Ext(file) == ".toml"}
	if c.project, err = projectOf(file); err != nil {
		return nil, fail.From(err)
	}
	if c.plain {
		// By way of JSON: the decoder for structs would fold letter case.
		var values map[string]any
		if err = toml.Unmarshal(data, &values); err == nil {
			data, err = json.Marshal(values)
		}
	} else {
		data, err = hujson.Standardize(data) // VS Code's has comments
	}
	var config struct {
		Servers    map[string]entry `json:"servers"`
		MCPServers map[string]entry `json:"mcpServers"`
		Codex      map[string]entry `json:"mcp_servers"`
	}
	if err == nil {
		// Strict about repeated members and letter case: a client may read another
		// command there than a lenient reader.
		err = jsonv2.Unmarshal(data, &config)
	}
	if err != nil {
		return nil, fail.New("%s: %s", text.Printable(file), text.Printable(err.Error()))
	}
	for _, found := range []map[string]entry{config.Servers, config.MCPServers, config.Codex} {
		if len(found) > 0 && c.entries != nil {
			return nil, fail.New("%s names its servers in two places", text.Printable(file))
		} else if len(found) > 0 {
			c.entries = found
		}
	}
	if c.entries == nil {
		return nil, fail.New("%s names no servers", text.Printable(file)).
			Hint("a client's configuration has them under mcpServers, servers or mcp_servers")
	}
	return c, nil
}

// Labels returns the labels of the servers that are meant: those given or, if none is, all.
func (c *Config) Labels(given []string) ([]string, error) {
	all := slices.Sorted(maps.Keys(c.entries))
	for _, label := range given {
		if _, ok := c.entries[label]; !ok {
			return nil, fail.New("%s has no server %s; it has %s", text.Printable(c.File), text.Name(label), strings.Join(text.Names(all), ", "))
		}
	}
	if len(given) == 0 {
		return all, nil
	}
	return slices.Compact(slices.Sorted(slices.Values(given))), nil
}

// server is that of an entry, started as its client does.
func (c *Config) server(label string) (mcp.Server, error) {
	e, x := c.entries[label], expander{project: c.project, plain: c.plain}
	s := mcp.Server{Dir: c.project, Headers: http.Header{}}
	if e.Cwd != "" {
		s.Dir = mcp.Within(c.project, x.expand(e.Cwd))
	}
	url := cmp.Or(e.HTTPURL, e.URL)
	if err := e.refuse(); err != nil {
		return s, err
	}
	argv := e.argv()
	if at, isURL := behindGuard(argv); isURL {
		s.URL, s.SSE = x.expand(argv[at]), slices.Contains(argv[at:], "--sse")
		for i, word := range argv {
			name, variable, ok := strings.Cut(argv[min(i+1, len(argv)-1)], "=")
			if value, set := e.Env[variable]; word != "--header-env" || !ok {
				continue
			} else if set {
				s.Headers.Set(name, x.expand(value))
			} else {
				s.Headers.Set(name, x.variable(variable))
			}
		}
		return s, x.err
	}
	switch {
	case (e.Command == "") == (url == ""):
		return s, fail.New("it needs either a command or a url")
	case url != "" && e.EnvFile != "":
		return s, fail.New("its envFile goes with a command")
	case e.Command != "":
		for _, arg := range argv {
			s.Argv = append(s.Argv, x.expand(arg))
		}
		s.Argv = unguarded(s.Argv)
		if err := CheckLaunch(s.Argv); err != nil {
			return s, cmp.Or[error](x.err, err)
		}
		if e.EnvFile != "" {
			var err error
			if s.Env, err = readEnvFile(mcp.Within(c.project, x.expand(e.EnvFile))); err != nil {
				return s, cmp.Or(x.err, err)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			s.Env = append(s.Env, name+"="+x.expand(e.Env[name]))
		}
		return s, x.err
	}
	s.URL, s.SSE = x.expand(url), e.Type == "sse"
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

// readEnvFile reads VS Code's and Cursor's file of variables, NAME=VALUE a line, which
// stand below those of env. What readers of such files don't agree on is refused:
// escapes, a value over several lines, a # inside one. Nothing of the file is
// quoted: it holds secrets.
func readEnvFile(path string) (env []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fail.New("its envFile can't be read: %s", mcp.Excerpt(err.Error()))
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := variableLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fail.New("line %d of its envFile is no plain NAME=VALUE", number)
		}
		env = append(env, m[1]+"="+m[2]+m[3]+m[4])
	}
	return env, nil
}

var variableLine = regexp.MustCompile(`^(?:export\s+)?(\w+)\s*=\s*(?:'([^'\\\x00]*)'|"([^"\\\x00]*)"|([^'"` + "`" + `#\x00]*?))(?:\s+#.*)?$`)

// An expander fills in variables as clients do: ${NAME}, ${NAME:-default}, and VS
// Code's and Cursor's ${env:NAME}, ${workspaceFolder}, ${userHome} and the like.
type expander struct {
	project string
	plain   bool
	err     error // the first thing that could not be filled in
}

var reference = regexp.MustCompile(`\$\{([^{}]*)\}`)

func (x *expander) expand(data string) string {
	if x.plain {
		return data
	}
	return reference.ReplaceAllStringFunc(data, func(ref string) string {
		name := ref[2 : len(ref)-1]
		switch name {
		case "workspaceFolder", "workspaceRoot":
			return x.project
		case "workspaceFolderBasename":
			return filepath.Base(x.project)
		case "pathSeparator", "/":
			return string(filepath.Separator)
		case "userHome":
			home, err := os.UserHomeDir()
			x.err = cmp.Or(x.err, err)
			return home
		}
		name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
		if value := os.Getenv(name); value != "" || !hasFallback {
			return x.variable(name)
		}
		return fallback
	})
}

func (x *expander) variable(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok && x.err == nil {
		unset := fail.New("the variable %s is not set", text.Printable(name))
		if strings.HasPrefix(name, "input:") {
			unset.Hint("VS Code asks for it; here, give it so: env %s pinproof-capture config FILE DIR", shell.Quote(name+"=VALUE"))
		}
		x.err = unset
	}
	return value
}

// projectOf is the folder that clients start the servers of a configuration in.
func projectOf(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(path)
	if slices.Contains([]string{".cursor", ".vscode", ".codex", ".gemini"}, filepath.Base(dir)) {
		dir = filepath.Dir(dir)
	}
	return dir, nil
}

// Floating reports whether a server runs what npm would fetch on the day.
func (c *Config) Floating(labels []string) bool {
	return slices.ContainsFunc(labels, func(label string) bool {
		return Floats(unguarded(c.entries[label].argv()))
	})
}

// Capture captures servers into DIR/LABEL.jsonl, several at once, and tells of them in the order
// of their labels. One that fails keeps no other from being saved.
func (c *Config) Capture(ctx context.Context, dir string, labels []string, o mcp.Options, tell func(label, line string, err error)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fail.From(err)
	}
	folded := map[string]string{}
	for _, label := range slices.Sorted(maps.Keys(c.entries)) {
		if other, ok := folded[strings.ToLower(label)]; ok {
			return fail.New("%s: the files of %s and %s are one where letter case doesn't count", text.Printable(c.File), text.Printable(other), text.Printable(label))
		}
		folded[strings.ToLower(label)] = label
	}
	type answer struct {
		line string
		err  error
	}
	answers := make([]chan answer, len(labels))
	slots := make(chan struct{}, maxParallel)
	for i, label := range labels {
		answers[i] = make(chan answer, 1)
		go func() {
			slots <- struct{}{}
			line, err := c.captureEntry(ctx, label, dir, o)
			answers[i] <- answer{line, err}
			<-slots
		}()
	}
	for i, label := range labels {
		a := <-answers[i]
		tell(label, a.line, a.err)
	}
	return nil
}

func (c *Config) captureEntry(ctx context.Context, label, dir string, o mcp.Options) (string, error) {
	e := c.entries[label]
	if e.Disabled || e.Enabled != nil && !*e.Enabled {
		return "disabled", nil
	}
	if mcp.FileName(label) == "" {
		return "", fail.New(mcp.NoFileName).Hint("rename the server in the configuration")
	}
	server, err := c.server(label)
	if err != nil {
		return "", err
	}
	return server.Save(ctx, filepath.Join(dir, mcp.FileName(label)), o)
}

// Strangers names the captures in dir that belong to no server: of one that is gone
// from the configuration, as a rule. pinproof would still read them.
func (c *Config) Strangers(dir string) (files []string, err error) {
	found, err := os.ReadDir(dir) // in the order of their names
	named := map[string]bool{}
	for label := range c.entries {
		named[mcp.FileName(label)] = true
	}
	for _, f := range found {
		if !f.IsDir() && filepath.Ext(f.Name()) == ".jsonl" && !named[f.Name()] {
			files = append(files, filepath.Join(dir, f.Name()))
		}
	}
	return files, err
}
