package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pinproof/internal/jsontest"
)

func TestConfig(t *testing.T) {
	dir := t.TempDir()
	server := newStandInHTTP(t, "2025-11-25", "", true)
	command, err := json.Marshal(standIn(t, "2025-11-25", "one tool"))
	if err != nil {
		t.Fatal(err)
	}
	argv := strings.TrimSuffix(strings.TrimPrefix(string(command), "["), "]")
	program, args, _ := strings.Cut(argv, ",")
	t.Setenv("CAPTURE_TOKEN", "abc")
	for name, text := range map[string]string{
		".mcp.json": `{"mcpServers":{
			"files":{"command":` + program + `,"args":[` + args + `]},
			"docs":{"type":"http","url":"` + server.URL + `/${CAPTURE_NONE:-mcp}","headers":{"Authorization":"Bearer ${CAPTURE_TOKEN}"}}}}`,
		".cursor/mcp.json": `{"mcpServers":{
			"files":{"command":"pinproof-capture","args":["guard","files","--",` + argv + `]},
			"docs":{"url":"` + server.URL + `","headers":{"Authorization":"Bearer ${env:CAPTURE_TOKEN}"}}}}`,
		".vscode/mcp.json": `{
			// of this project
			"servers":{"files":{"type":"stdio","command":` + program + `,"args":[` + args + `],"cwd":"${workspaceFolder}"},
			"docs":{"type":"http","url":"` + server.URL + `","headers":{"Authorization":"Bearer ${env:CAPTURE_TOKEN}"}},}}`,
		".codex/config.toml": "model = 'x'\n[mcp_servers.files]\ncommand = " + program + "\nargs = [" + args + "]\n" +
			"[mcp_servers.docs]\nurl = '" + server.URL + "'\nbearer_token_env_var = 'CAPTURE_TOKEN'\n" +
			"[mcp_servers.off]\ncommand = 'x'\nenabled = false\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, text)
		out := filepath.Join(dir, "out", strings.Trim(name, "."))
		server.forget()
		code, stdout, stderr := capturing(t, "config", file, out)
		lines := strings.Split(stdout, "\n")
		if code != 0 || stderr != "" || len(lines) < 3 || !strings.HasPrefix(lines[0], "docs: instructions, 3 tools, 1 prompt, 2 resources, 1 template in ") || !strings.HasPrefix(lines[1], "files: instructions, 1 tool, ") {
			t.Errorf("%s: code %d\n%s%s", name, code, stdout, stderr)
			continue
		}
		if requests, _ := server.seen(); len(requests) == 0 || requests[0].Header.Get("Authorization") != "Bearer abc" {
			t.Errorf("%s: no token was sent", name)
		}
		if files, err := os.ReadDir(out); err != nil || len(files) != 2 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}

func TestConfigWithAFailingServer(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CAPTURE_SECRET", "SECRET")
	good, bad := standIn(t, "2025-11-25", "one tool"), standIn(t, "2025-11-25", "dies")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"bad":       map[string]any{"command": bad[0], "args": bad[1:]},
		"good":      map[string]any{"command": good[0], "args": good[1:]},
		"caf\u00e9": map[string]any{"command": good[0], "args": good[1:]},
		"unset":     map[string]any{"command": "${CAPTURE_NOT_SET}"},
		"asks":      map[string]any{"command": "x", "args": []string{"${input:token}"}},
		"neither":   map[string]any{},
		"secret":    map[string]any{"url": "mcp.example.com/?key=${CAPTURE_SECRET}"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, ".mcp.json")
	write(t, file, string(config))
	write(t, filepath.Join(dir, "bad.jsonl"), "old")
	code, stdout, stderr := capturing(t, "config", file, dir)
	if code != 2 || !strings.HasPrefix(stdout, "good: instructions, 1 tool") || read(t, filepath.Join(dir, "bad.jsonl")) != "old" {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"error: bad: the server ended with code 3 before it answered\n", "  | <U+001B>[31m::error::",
		"error: café: only a server ID of 1 to 100 printable ASCII characters can name a file", "error: unset: the variable CAPTURE_NOT_SET is not set\n",
		"error: asks: the variable input:token is not set\nhint: VS Code asks for it; here, set it: env input:token=VALUE pinproof-capture config FILE DIR\n", "error: neither: it needs either a command or a url\n",
		"error: secret: the URL isn't an address such as https://HOST/PATH\n",
		"error: 6 of 7 servers could not be captured: asks, bad, \"caf<U+00E9>\", neither, secret, unset\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
}

// TestConfigKeysNotDone: if a key changes how a client reaches the server, and config doesn't
// support that key, the key is refused and the server isn't asked.
func TestConfigKeysNotDone(t *testing.T) {
	jsontest.SkipShort(t, "it starts programs and waits for them")
	server := newStandInHTTP(t, "2025-11-25", "one tool", false)
	program := standIn(t, "2025-11-25", "one tool")
	with := func(key string, value any) map[string]any {
		return map[string]any{
			"remote": map[string]any{"type": "http", "url": server.URL, key: value},
			"stdio":  map[string]any{"command": program[0], "args": program[1:], key: value},
			"off":    map[string]any{"url": server.URL, "disabled": true, key: value},
		}
	}
	file := filepath.Join(t.TempDir(), "cline_mcp_settings.json") // Cline reads "disabled"
	capture := func(servers any) (code int, stdout, stderr string) {
		text, err := json.Marshal(map[string]any{"servers": servers})
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, string(text))
		server.forget()
		return capturing(t, "config", file, filepath.Join(t.TempDir(), "out"))
	}
	for _, key := range []string{"headersHelper", "oauth", "envFile", "sandboxEnabled", "auth", "authProviderType", "tcp", "experimental_environment", "oauth_resource", "scopes"} {
		code, stdout, stderr := capture(with(key, map[string]any{"a": 1}))
		want := "error: remote: its " + key + " changes how the server is reached, and is not supported\n" +
			"hint: capture it by itself: pinproof-capture save ID.jsonl URL --header-env NAME=VARIABLE\n" +
			"hint: one that wants OAuth needs a bridge: pinproof-capture guard ID -- npx --no -- mcp-remote URL\n" +
			"error: stdio: its " + key + " changes how the server is reached, and is not supported\n" +
			"hint: capture it by itself: pinproof-capture save ID.jsonl -- COMMAND\n" +
			"error: 2 of 3 servers could not be captured: remote, stdio\n"
		if requests, _ := server.seen(); code != 2 || stdout != "off: switched off\n" || !strings.HasPrefix(stderr, want) || len(requests) > 0 {
			t.Errorf("%s: code %d, %d requests\n%s%s", key, code, len(requests), stdout, stderr)
		}
		for _, off := range []any{nil, false, "", map[string]any{}} {
			if code, _, stderr := capture(with(key, off)); code != 0 || stderr != "" {
				t.Errorf("%s %v: code %d\n%s", key, off, code, stderr)
			}
		}
	}
	if code, _, stderr := capture(with("alwaysAllow", []string{"x"})); code != 0 || stderr != "" {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestPathOfTheServer: clients look for the program on the PATH that the configuration
// gives the server.
func TestPathOfTheServer(t *testing.T) {
	unixOnly(t)
	project := t.TempDir()
	program := standIn(t, "2025-11-25", "one tool")
	if err := os.Mkdir(filepath.Join(project, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a-server", "sh"} {
		if err := os.Symlink(program[0], filepath.Join(project, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	servers := map[string]any{}
	for id, c := range map[string][2]string{
		"a": {"a-server", "${workspaceFolder}/no:${workspaceFolder}/bin:${PATH}"}, "b": {"sh", "bin"}, "c": {"sh", project},
	} {
		servers[id] = map[string]any{"command": c[0], "args": program[1:], "env": map[string]string{"PATH": c[1]}}
	}
	config, err := json.Marshal(map[string]any{"servers": servers})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(project, "mcp.json")
	write(t, file, string(config))
	code, stdout, stderr := capturing(t, "config", file, filepath.Join(project, "out"))
	if lines := strings.Split(stdout, "\n"); code != 2 || len(lines) != 3 || !strings.HasPrefix(lines[0], "a: instructions, 1 tool") ||
		!strings.HasPrefix(lines[1], "b: instructions, 1 tool") || !strings.HasPrefix(stderr, "error: c: sh does not start: executable file not found in ") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestNobodyReads: if nobody reads what is printed, no server is left running, and the code stays 2.
func TestNobodyReads(t *testing.T) {
	unixOnly(t)
	jsontest.SkipShort(t, "it starts programs and waits for them")
	dir := t.TempDir()
	servers := map[string]any{}
	program := standIn(t, "2025-11-25", "one tool")
	for i := range 6 {
		servers[fmt.Sprint(i)] = map[string]any{"command": program[0], "args": program[1:]}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	file, out := filepath.Join(dir, "mcp.json"), filepath.Join(dir, "out")
	write(t, file, string(config))
	reader, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	for _, args := range [][]string{{"config", file, out}, {"hook", "x", "--", "no-such-program"}} {
		cmd := exec.Command(program[0], args...)
		cmd.Env = append(os.Environ(), "CAPTURE_AS_MAIN=1")
		cmd.Stdout, cmd.Stderr = closed, closed
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 2 {
			t.Errorf("%s: %v", args[0], cmd.ProcessState)
		}
	}
	if files, err := os.ReadDir(out); err != nil || len(files) != len(servers) {
		t.Errorf("%d of %d were captured, %v", len(files), len(servers), err)
	}
}

func TestConfigRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	for _, text := range []string{
		``, `{}`, `[]`, `{"mcpServers":{}}`, `{"mcpservers":{"a":{"command":"x"}}}`,
		`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`,
		`{"mcpServers":{"a":{"command":"x","command":"y"}}}`,
		`{"mcpServers":{"a":{"command":"x"},"A":{"command":"y"}}}`,
		`{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"x"}}}`,
	} {
		write(t, file, text)
		dir := t.TempDir()
		code, stdout, stderr := capturing(t, "config", file, dir)
		if files, err := os.ReadDir(dir); code != 2 || stdout != "" || !strings.HasPrefix(stderr, "error: ") || err != nil || len(files) > 0 {
			t.Errorf("%s: code %d, %v\n%s%s", text, code, files, stdout, stderr)
		}
	}
}

// unusable is what a hook says if its command line can't be used.
const unusable = "pinproof: blocked: the command line of this hook can't be used as it is\n" +
	"Do not use this server's tools. To see why, a person runs this at a terminal: pinproof-capture hook ID -- npx --no -- NAME [ARG]...\n"

// TestAbout: the program prints which version it is, and gives shells a script.
func TestAbout(t *testing.T) {
	for line, want := range map[string]string{
		"version":           `^pinproof-capture version .+ go1\.\S+\n$`,
		"version --json":    `^{"go":"go1\..+","version":".+"}\n$`,
		"completion bash":   `^# bash completion`,
		"completion nosuch": `^$`,
		"version x":         `^$`,
	} {
		code, stdout, stderr := capturing(t, strings.Fields(line)...)
		if wrong := want == "^$"; (code == 2) != wrong || (stderr != "") != wrong || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("%s: code %d\n%.200s%s", line, code, stdout, stderr)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, line := range []string{
		"", "out.jsonl -- npx", "gaurd a -- npx", "help nosuch", "--frob", "save", "save out.jsonl", "save out.jsonl --", "save -- npx",
		"save out.jsonl http://x -- npx", "save --header-env A=HOME o -- x", "save --timeout x", "save --timeout -1 o -- x", "save --timeout 9999 o -- x",
		"save --protocol new o -- x", "save o localhost:3000/mcp", "save --substitute A=b o -- x", "save --lock x o -- x", "config", "config x", "config x a -- b", "config x a --header-env b=c",
		"guard x", "guard --", "guard \u202e -- z", "guard x http://y -- z", "guard x --sse -- z", "guard x --on-drift y -- z", "guard x --log-digests -- z", "guard x --capability y -- z",
		"guard x --once -- z", "guard x --log-optional -- z", "wrap", "wrap x -- y", "unwrap", "unwrap x --frob",
	} {
		code, stdout, stderr := capturing(t, strings.Fields(line)...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "error: ") || !regexp.MustCompile(`\nhint: pinproof-capture( [a-z]+)? --help\n$`).MatchString(stderr) {
			t.Errorf("%q: code %d\n%s%s", line, code, stdout, stderr)
		}
	}
	// A model reads what a hook says: the reason is for a person, at a terminal.
	for _, line := range []string{"hook a 127.0.0.1:80", "hook x", "hook \x1b -- x", "hook x --max-age 2h -- y", "hook a npx --no -- SECRET", "hook a my-server -h 127.0.0.1"} {
		if code, stdout, stderr := capturing(t, strings.Fields(line)...); code != 2 || stdout != "" || stderr != unusable {
			t.Errorf("%q: code %d\n%s%s", line, code, stdout, stderr)
		}
	}
	if _, _, stderr := capturing(t, "gaurd", "a", "--", "npx"); !strings.Contains(stderr, "\nhint: did you mean: pinproof-capture guard\n") {
		t.Error(stderr)
	}
}

// TestHelp: each help fits a screen.
func TestHelp(t *testing.T) {
	for _, verb := range []string{"", "save", "config", "guard", "hook", "wrap", "unwrap"} {
		args := append(strings.Fields(verb), "--help")
		code, stdout, stderr := capturing(t, args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "Usage:\n  pinproof-capture "+verb) || strings.Count(stdout, "\n") > 40 {
			t.Errorf("%s: code %d, %d lines\n%s", verb, code, strings.Count(stdout, "\n"), stderr)
		}
		for _, line := range strings.Split(stdout, "\n") {
			if len(line) > 120 {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
		if code, again, _ := capturing(t, strings.Fields("help "+verb)...); code != 0 || again != stdout {
			t.Errorf("help %s: code %d\n%s", verb, code, again)
		}
	}
}

// TestLaunchLines: if npx would take a part of a command line for itself, nothing is started, and
// the error shows the line as it should be. Of npx -y, a note says that it floats.
func TestLaunchLines(t *testing.T) {
	t.Setenv("PATH", "") // nothing starts
	file := filepath.Join(t.TempDir(), "o.jsonl")
	for _, before := range []string{"save " + file, "guard a", "hook a"} {
		code, stdout, stderr := capturing(t, append(strings.Fields(before), strings.Fields("-- npx --no my-server --read-only")...)...)
		want := "error: npx would take flags of my-server for its own: -- has to come before the name\n" +
			"hint: pinproof-capture " + before + " -- npx --no -- my-server --read-only\n"
		if strings.HasPrefix(before, "hook") {
			want = unusable
		}
		if code != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: code %d\n%s%s", before, code, stdout, stderr)
		}
	}
	config := filepath.Join(filepath.Dir(file), ".mcp.json")
	write(t, config, `{"mcpServers":{"a":{"command":"npx","args":["--no","my-server","--read-only"]},"b":{"command":"npx","args":["-y","b"]},"c":{"command":"npx","args":["-y","c"]}}}`)
	pinning(t, filepath.Dir(file), "b", "c")
	for _, verb := range [][]string{{"config", config, filepath.Dir(file)}, {"wrap", config, "--yes"}} {
		code, _, stderr := capturing(t, verb...)
		if code != 2 || !strings.Contains(stderr, "error: a: npx would take flags of my-server for its own: -- has to come before the name\nhint: npx --no -- my-server --read-only\n") ||
			strings.Count(stderr, "note: npx -y PACKAGE floats: ") != 1 {
			t.Errorf("%s: code %d\n%s", verb[0], code, stderr)
		}
	}
	if _, _, stderr := capturing(t, "save", file, "--", "npx", "-y", "x"); strings.Count(stderr, "note: npx -y PACKAGE floats: ") != 1 {
		t.Error(stderr)
	}
}

// TestConfigLabels: only the servers that are named are captured, and one that fails doesn't keep
// others from being saved.
func TestConfigLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, dead := standIn(t, "2025-11-25", "one tool"), standIn(t, "2025-11-25", "dies")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"a": map[string]any{"command": good[0], "args": good[1:]},
		"b": map[string]any{"command": dead[0], "args": dead[1:]},
		"c": map[string]any{"command": good[0], "args": good[1:]},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file, out := filepath.Join(dir, "mcp.json"), filepath.Join(dir, "out")
	write(t, file, string(config))
	for _, c := range []struct {
		ids, saved []string
		code       int
		told       string
	}{
		{[]string{"c"}, []string{"c.jsonl"}, 0, "c: instructions, 1 tool, "},
		{[]string{"b", "c"}, []string{"c.jsonl"}, 2, "error: 1 of 2 servers could not be captured: b\n"},
		{nil, []string{"a.jsonl", "c.jsonl"}, 2, "error: b: the server ended with code 3 before it answered\n"},
		{[]string{"d"}, nil, 2, "has no server d; it has a, b, c\n"},
	} {
		os.RemoveAll(out)
		code, stdout, stderr := capturing(t, append([]string{"config", file, out}, c.ids...)...)
		var saved []string
		entries, _ := os.ReadDir(out)
		for _, e := range entries {
			saved = append(saved, e.Name())
		}
		if code != c.code || !strings.Contains(stdout+stderr, c.told) || !slices.Equal(saved, c.saved) {
			t.Errorf("%s: code %d, saved %s\n%s%s", c.ids, code, saved, stdout, stderr)
		}
	}
}

// TestAddressWithoutScheme: what looks like an address is told to begin with https://.
func TestAddressWithoutScheme(t *testing.T) {
	t.Parallel()
	want := "error: an address begins with https://\nhint: pinproof-capture save docs.jsonl https://mcp.example.com/mcp\n"
	if code, _, stderr := capturing(t, "save", "docs.jsonl", "mcp.example.com/mcp"); code != 2 || stderr != want {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestClientName: a server is asked by the name of the client whose file it is in, or by the one that is given.
func TestClientName(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		name, _, _ := strings.Cut(strings.Join(strings.SplitAfter(string(body), `"clientInfo":`)[1:], ""), "}")
		mu.Lock()
		defer mu.Unlock()
		if seen[req.UserAgent()+" "+name+"}"] = true; name == "" {
			delete(seen, req.UserAgent()+" }")
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	folder := t.TempDir()
	for want, args := range map[string][]string{
		`claude-code/1.0.0 {"name":"claude-code","version":"1.0.0"}`:                     {"save", filepath.Join(folder, "a.jsonl"), server.URL},
		`my-client/2 {"name":"my client","version":"2"}`:                                 {"save", filepath.Join(folder, "a.jsonl"), server.URL, "--client", "my client/2"},
		`cursor-vscode/1.0.0 {"name":"cursor-vscode","version":"1.0.0"}`:                 {"config", filepath.Join(folder, ".cursor", "mcp.json"), folder},
		`gemini-cli-mcp-client/1.0.0 {"name":"gemini-cli-mcp-client","version":"1.0.0"}`: {"config", filepath.Join(folder, ".gemini", "settings.json"), folder},
		`x/1.0.0 {"name":"x","version":"1.0.0"}`:                                         {"config", filepath.Join(folder, ".cursor", "mcp.json"), folder, "--client", "x"},
	} {
		for _, file := range []string{".cursor/mcp.json", ".gemini/settings.json"} {
			configure(t, filepath.Join(folder, file), map[string]any{"a": map[string]any{"url": server.URL}})
		}
		mu.Lock()
		clear(seen)
		mu.Unlock()
		capturing(t, args...)
		mu.Lock()
		if !seen[want] {
			t.Errorf("%q: %v, want %s", args, seen, want)
		}
		mu.Unlock()
	}
}
