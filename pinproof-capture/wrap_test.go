package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestWrap: the guard goes in and out of a configuration, and everything else stays byte
// for byte.
func TestWrap(t *testing.T) {
	t.Parallel()
	const before = `{ // a comment
  "other": [1,2 , 3],
	"mcpServers": {
    "files": {"args": [ "-y", "b" ], "env":{"A":"\u0042"}, "command": "npx"},
    "empty": {"command" : "uv\u0078", "args": []},
    "none":  {"command":"run", "disabled": true},
    "lines": {
      "command": "node",
      "args": [
        // first
        "a.js", // second
        "x"
      ],
    },
    "web": {"type": "http", "url" : "https://mcp.example.com/\u006dcp", "headers": {"X-Key": "${KEY}", "Authorization":"Bearer ${input:token}"}},
    "old": {
      "url": "https://mcp.example.com/sse", // the old one
      "type":"sse"
    },
    "oauth": {"url": "https://mcp.example.com/mcp", "oauth": {"clientId": "x"}},
    "named": {"url": "https://mcp.example.com/mcp", "headers": {"X_Key": "x"}},
  }
}
`
	const guarded = `{ // a comment
  "other": [1,2 , 3],
	"mcpServers": {
    "files": {"args": ["guard", "files", "--", "npx",  "-y", "b" ], "env":{"A":"\u0042"}, "command": "%[1]s"},
    "empty": {"command" : "%[1]s", "args": ["guard", "empty", "--", "uv\u0078" ]},
    "none":  {"command": "%[1]s", "args":["guard", "none", "--", "run"], "disabled": true},
    "lines": {
      "command": "%[1]s",
      "args": ["guard", "lines", "--", "node", 
        // first
        "a.js", // second
        "x"
      ],
    },
    "web": {"type": "stdio", "type-without-guard": "http", "command": "%[1]s", "args" : ["guard", "web", "https://mcp.example.com/\u006dcp", "--header-env", "Authorization=HEADER_Authorization", "--header-env", "X-Key=HEADER_X_Key"], "env": {"HEADER_X_Key": "${KEY}", "HEADER_Authorization":"Bearer ${input:token}"}},
    "old": {
      "command": "%[1]s", "args": ["guard", "old", "https://mcp.example.com/sse", "--sse"], // the old one
      "type": "stdio", "type-without-guard":"sse"
    },
    "oauth": {"url": "https://mcp.example.com/mcp", "oauth": {"clientId": "x"}},
    "named": {"url": "https://mcp.example.com/mcp", "headers": {"X_Key": "x"}},
  }
}
`
	self, folder := program(t)
	file := filepath.Join(folder, "mcp.json")
	after := fmt.Sprintf(guarded, self)
	write(t, file, before)
	if code, stdout, stderr := self.run(t, "wrap", file); code != 2 || read(t, file) != before || !strings.Contains(stderr, "hint: the same command with --yes writes it") ||
		!strings.Contains(stdout, "- |       \"command\": \"node\",\n+ |       \"command\": \""+string(self)+"\",\n") {
		t.Errorf("not asked: code %d\n%s%s", code, stdout, stderr)
	}
	for n := range 2 { // the second time, nothing is left to do
		code, stdout, stderr := self.run(t, "wrap", file, "--yes")
		if code != 2 || read(t, file) != after || !strings.Contains(stderr, "error: oauth: its oauth changes how") || !strings.Contains(stderr, "npx --no -- mcp-remote URL") || !strings.Contains(stderr, "error: named: its header X_Key can't be") || !strings.Contains(stderr, "error: 2 servers of ") {
			t.Errorf("wrap: code %d\n%s\n%s", code, stderr, read(t, file))
		}
		if strings.HasSuffix(stdout, "\nrestart the client\n") != (n == 0) || strings.Contains(stdout, "the guard is started as "+string(self)+": by its place on this machine") != (n == 0) {
			t.Errorf("how it starts:\n%s", stdout)
		}
	}
	if code, _, stderr := self.run(t, "unwrap", file, "--yes", "none", "lines"); code != 0 || strings.Count(read(t, file), string(self)) != 4 {
		t.Errorf("unwrap some: code %d\n%s\n%s", code, stderr, read(t, file))
	}
	for range 2 {
		if code, _, stderr := self.run(t, "unwrap", file, "--yes"); code != 0 || read(t, file) != before {
			t.Errorf("unwrap: code %d\n%s\n%s", code, stderr, read(t, file))
		}
	}
	byHand := strings.Replace(after, `"guard", "files"`, `"guard", "--log", "x", "files"`, 1)
	write(t, file, byHand)
	if code, _, stderr := self.run(t, "unwrap", file, "--yes", "files"); code != 2 || read(t, file) != byHand || !strings.Contains(stderr, "by hand") {
		t.Errorf("by hand: code %d\n%s", code, stderr)
	}
}

// An installed program is this one, by its path.
type installed string

// program puts this program into a folder of its own.
func program(t *testing.T) (path installed, folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return install(t, filepath.Join(folder, "bin")), folder
}

func install(t *testing.T, folder string) installed {
	t.Helper()
	self, err := os.Executable()
	name := "pinproof-capture"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(folder, name)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil && os.Link(self, path) != nil {
		var data []byte
		if data, err = os.ReadFile(self); err == nil {
			err = os.WriteFile(path, data, 0o755)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return installed(path)
}

func (path installed) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(string(path), args...)
	cmd.Env = append(os.Environ(), "CAPTURE_AS_MAIN=1")
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if failed := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(failed)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// TestWrapStarts: the guard's command line starts where a client starts it: through npx from the
// project's node_modules, else by its path. A project elsewhere doesn't have that node_modules.
func TestWrapStarts(t *testing.T) {
	t.Parallel()
	_, folder := program(t)
	inModules := install(t, filepath.Join(folder, "project", "node_modules", "@pinproof", "linux-x64", "bin"))
	inVenv := install(t, filepath.Join(folder, "project", ".venv", "bin"))
	for _, c := range []struct {
		path    installed
		project string
		want    string
	}{
		{inModules, "project", `"command": "npx", "args":["--no", "--", "pinproof-capture", "guard", "a", "--", "run"]`},
		{inModules, filepath.Join("project", "below"), `"command": "npx", "args":["--no", "--", "pinproof-capture", "guard", "a", "--", "run"]`},
		{inModules, "other", `"command": "` + string(inModules) + `", "args":["guard", "a", "--", "run"]`},
		{inVenv, "project", `"command": "` + string(inVenv) + `", "args":["guard", "a", "--", "run"]`},
	} {
		if runtime.GOOS == "windows" && c.want[12:15] != "npx" {
			continue // backslashes
		}
		file := filepath.Join(folder, c.project, "mcp.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		const before = `{"mcpServers":{"a":{"command":"run"}}}`
		write(t, file, before)
		if code, stdout, stderr := c.path.run(t, "wrap", "--yes", file); code != 0 || read(t, file) != `{"mcpServers":{"a":{`+c.want+`}}}` {
			t.Errorf("%s in %s: code %d\n%s%s%s", c.path, c.project, code, stdout, stderr, read(t, file))
		}
		if code, _, stderr := c.path.run(t, "unwrap", "--yes", file); code != 0 || read(t, file) != before {
			t.Errorf("unwrap %s: code %d\n%s%s", c.path, code, stderr, read(t, file))
		}
	}
}

// TestWrapByHand: TOML isn't rewritten; what to write is said to the letter.
func TestWrapByHand(t *testing.T) {
	t.Parallel()
	const bare = `[mcp_servers.files]
command = 'C:\npx'
args = ["--no", "--", "a \"b\""]
[mcp_servers."two words"]
command = "run"
[mcp_servers.web]
url = "https://mcp.example.com/mcp"
[mcp_servers.hidden]
command = "a\u202Eb"
`
	const wrapped = `[mcp_servers."files"]
command = %[1]q
args = ["guard", "files", "--", "C:\\npx", "--no", "--", "a \"b\""]
[mcp_servers."two words"]
command = %[1]q
args = ["guard", "two words", "--", "run"]
`
	self, folder := program(t)
	guarded := fmt.Sprintf(wrapped, self)
	file := filepath.Join(folder, "config.toml")
	write(t, file, bare)
	code, stdout, stderr := self.run(t, "wrap", file, "--yes")
	if code != 2 || !strings.HasPrefix(stdout, guarded+"the guard is started as ") || strings.Contains(stdout, "restart") || read(t, file) != bare || !strings.Contains(stderr, "config.toml is TOML, which isn't rewritten: write there by hand what stands above\n") ||
		!strings.Contains(stderr, "error: web: it has no command: ") || !strings.Contains(stderr, "error: hidden: ") {
		t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, stderr := self.run(t, "wrap", file, "web"); code != 2 || stdout != "" || !strings.HasSuffix(stderr, "error: 1 server of "+file+": left unchanged\n") {
		t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, stderr := self.run(t, "unwrap", file, "web", "hidden"); code != 0 || stdout+stderr != file+": nothing to change\n" {
		t.Errorf("nothing to remove: code %d\n%s\n%s", code, stdout, stderr)
	}
	write(t, file, guarded)
	for verb, want := range map[string]string{
		"wrap":   file + ": nothing to change\n",
		"unwrap": "[mcp_servers.\"files\"]\ncommand = \"C:\\\\npx\"\nargs = [\"--no\", \"--\", \"a \\\"b\\\"\"]\n",
	} {
		code, stdout, stderr := self.run(t, verb, file, "files")
		if stdout != want || (code == 0) != (verb == "wrap") {
			t.Errorf("%s: code %d\n%s\n%s", verb, code, stdout, stderr)
		}
	}
}

// TestWrapAddress: a configuration with a guard before an address captures the server behind it,
// with its headers.
func TestWrapAddress(t *testing.T) {
	t.Setenv("KEY", "secret")
	s := newStandInHTTP(t, "2025-11-25", "", false)
	self, folder := program(t)
	file := filepath.Join(folder, "mcp.json")
	write(t, file, `{"mcpServers":{"web":{"url":"`+s.URL+`","headers":{"X-Key":"key ${KEY}"}}}}`)
	if code, _, stderr := self.run(t, "wrap", file, "--yes"); code != 0 || !strings.Contains(read(t, file), `"X-Key=HEADER_X_Key"`) {
		t.Fatalf("code %d\n%s%s", code, stderr, read(t, file))
	}
	if code, _, stderr := self.run(t, "config", file, filepath.Join(folder, "captures")); code != 0 {
		t.Fatal(stderr)
	}
	for _, req := range first(s.seen()) {
		if got := req.Header.Get("X-Key"); got != "key secret" {
			t.Errorf("%s with X-Key %q", req.Method, got)
		}
	}
}

func first(requests []*http.Request, _ string) []*http.Request { return requests }
