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

// TestConfigKeysNotDone: if a key changes how a client reaches the server, and config doesn't
// support that key, the key is refused and the server isn't asked.
func TestConfigKeysNotDone(t *testing.T) {
	t.Parallel()
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

func configure(t *testing.T, file string, servers map[string]any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, file, string(text))
}
