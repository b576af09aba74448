package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	"pinproof/internal/text"
)

// maxParallel is how many servers are started at once: each may be a whole runtime
// or a browser.
const maxParallel = 4

// fileName is the name of a server's file: its label, with %XX for what can't stand in
// a file's name on every system. pinproof reads the label back from it. It is ""
// for a label that can't be one: empty, too long, or not printable ASCII.
func fileName(label string) string {
	name := special.ReplaceAllStringFunc(label, func(c string) string { return fmt.Sprintf("%%%02X", c) }) + ".jsonl"
	if !possible.MatchString(label) || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

var (
	possible = regexp.MustCompile(`^[ -~]{1,100}$`)
	special  = regexp.MustCompile(`^[.-]|[^A-Za-z0-9_@.-]`)
)

// An entry is one server of a client's configuration, in any of their spellings.
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
			f.Hint("capture it by itself: pinproof-capture LABEL.jsonl URL --header-env NAME=VARIABLE")
		}
		return f
	}
	return nil
}

// readConfig returns the servers of a client's configuration by their keys. Its
// values are spelled in ${…}, but for Codex's, which are plain.
func readConfig(file string) (entries map[string]entry, plain bool, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, false, fail.From(err)
	}
	plain = filepath.Ext(file) == ".toml"
	if plain {
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
		return nil, false, fail.New("%s: %s", text.Printable(file), text.Printable(err.Error()))
	}
	for _, found := range []map[string]entry{config.Servers, config.MCPServers, config.Codex} {
		if len(found) > 0 && entries != nil {
			return nil, false, fail.New("%s names its servers in two places", text.Printable(file))
		} else if len(found) > 0 {
			entries = found
		}
	}
	if entries == nil {
		return nil, false, fail.New("%s names no servers", text.Printable(file)).
			Hint("a client's configuration has them under mcpServers, servers or mcp_servers")
	}
	return entries, plain, nil
}

// source is the server of an entry, started as its client does.
func (e entry) source(project string, plain bool) (source, error) {
	x := expander{project: project, plain: plain}
	s := source{dir: project, headers: http.Header{}}
	if e.Cwd != "" {
		s.dir = within(project, x.expand(e.Cwd))
	}
	url := cmp.Or(e.HTTPURL, e.URL)
	if err := e.refuse(); err != nil {
		return s, err
	}
	switch {
	case (e.Command == "") == (url == ""):
		return s, fail.New("it needs either a command or a url")
	case url != "" && e.EnvFile != "":
		return s, fail.New("its envFile goes with a command")
	case e.Command != "":
		for _, arg := range slices.Concat([]string{e.Command}, e.Args) {
			s.argv = append(s.argv, x.expand(arg))
		}
		s.argv = unguarded(s.argv)
		if e.EnvFile != "" {
			var err error
			if s.env, err = readEnvFile(within(project, x.expand(e.EnvFile))); err != nil {
				return s, cmp.Or(x.err, err)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			s.env = append(s.env, name+"="+x.expand(e.Env[name]))
		}
		return s, x.err
	}
	s.url, s.sse = x.expand(url), e.Type == "sse"
	for _, headers := range []map[string]string{e.Headers, e.HTTPHeaders} {
		for name, value := range headers {
			s.headers.Set(name, x.expand(value))
		}
	}
	for name, variable := range e.EnvHTTPHeaders {
		s.headers.Set(name, x.variable(variable))
	}
	if e.BearerTokenEnvVar != "" {
		s.headers.Set("Authorization", "Bearer "+x.variable(e.BearerTokenEnvVar))
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
		return nil, fail.New("its envFile can't be read: %s", cut(err.Error()))
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

// unguarded is the server behind our own guard: the guard would ask for pins that
// the capture is there to make.
func unguarded(argv []string) []string {
	name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	at := slices.Index(argv, "--")
	isGuard := func(arg string) bool { return arg == "--guard" || strings.HasPrefix(arg, "--guard=") }
	if name == "pinproof-capture" && at > 0 && at+1 < len(argv) && slices.ContainsFunc(argv[:at], isGuard) {
		return argv[at+1:]
	}
	return argv
}

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
		x.err = fail.New("the variable %s is not set", text.Printable(name))
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

// captureAll captures every server of a configuration, or those named, into
// DIR/LABEL.jsonl, several at once, and tells of them in the order of their labels. One that
// fails keeps no other from being saved.
func captureAll(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	file, dir := o.config, o.args[0]
	entries, plain, err := readConfig(file)
	if err != nil {
		return err
	}
	project, err := projectOf(file)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return fail.From(err)
	}
	labels := slices.Sorted(maps.Keys(entries))
	for _, label := range o.args[1:] {
		if _, ok := entries[label]; !ok {
			return fail.New("%s has no server %s; it has %s", text.Printable(file), text.Name(label), strings.Join(text.Names(labels), ", "))
		}
	}
	folded := map[string]string{}
	for _, label := range labels {
		if other, ok := folded[strings.ToLower(label)]; ok {
			return fail.New("%s: the files of %s and %s are one where letter case doesn't count", text.Printable(file), text.Printable(other), text.Printable(label))
		}
		folded[strings.ToLower(label)] = label
	}
	if len(o.args) > 1 {
		labels = slices.Compact(slices.Sorted(slices.Values(o.args[1:])))
	}
	type answer struct {
		line string
		err  error
	}
	answers := map[string]chan answer{}
	slots := make(chan struct{}, maxParallel)
	for _, label := range labels {
		answers[label] = make(chan answer, 1)
	}
	go func() {
		for _, label := range labels {
			slots <- struct{}{}
			go func() {
				line, err := captureEntry(ctx, entries[label], label, project, plain, o)
				answers[label] <- answer{line, err}
				<-slots
			}()
		}
	}()
	var failed []string
	for _, label := range labels {
		wait := showWait(stderr, label)
		a := <-answers[label]
		wait()
		if a.err != nil {
			failed = append(failed, label)
			tell(stderr, text.Printable(label)+": ", a.err)
			continue
		}
		_, unwritten := fmt.Fprintf(stdout, "%s: %s\n", text.Printable(label), a.line)
		err = cmp.Or(err, unwritten) // told once no server runs any more
	}
	if err = cmp.Or(err, tellStrangers(stderr, entries, file, dir)); err != nil {
		return fail.From(err)
	}
	if failed != nil {
		return fail.New("%d of %s could not be captured, and what was in %s is as it was for them: %s",
			len(failed), text.Count(len(labels), "server"), text.Printable(dir), strings.Join(text.Names(failed), ", "))
	}
	return nil
}

// tellStrangers names the captures in dir that belong to no server: of one that is gone
// from the configuration, as a rule. pinproof would still read them.
func tellStrangers(w io.Writer, entries map[string]entry, file, dir string) error {
	found, err := os.ReadDir(dir) // in the order of their names
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for label := range entries {
		named[fileName(label)] = true
	}
	for _, f := range found {
		if f.IsDir() || filepath.Ext(f.Name()) != ".jsonl" || named[f.Name()] {
			continue
		}
		fmt.Fprintf(w, "%s: of no server in %s: delete it if that server is gone\n", text.Printable(filepath.Join(dir, f.Name())), text.Printable(file))
	}
	return nil
}

func captureEntry(ctx context.Context, e entry, label, project string, plain bool, o *options) (string, error) {
	if e.Disabled || e.Enabled != nil && !*e.Enabled {
		return "disabled", nil
	}
	if fileName(label) == "" {
		return "", fail.New("a label of 1 to 100 printable ASCII characters can name a file, and this is none").Hint("rename the server in the configuration")
	}
	src, err := e.source(project, plain)
	if err != nil {
		return "", err
	}
	return src.save(ctx, filepath.Join(o.args[0], fileName(label)), o)
}

// showWait says on a terminal whose answer is awaited; the function it returns takes
// that away again.
func showWait(w io.Writer, label string) func() {
	file, _ := w.(*os.File)
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func() {}
	}
	data := text.Printable(label) + " ..."
	fmt.Fprint(w, data)
	return func() { fmt.Fprint(w, "\r"+strings.Repeat(" ", len(data))+"\r") }
}
