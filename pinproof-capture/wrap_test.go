package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestWrap: the guard goes in and out of a configuration, and everything else stays, comments included.
func TestWrap(t *testing.T) {
	t.Parallel()
	const before = `{ // a comment
  "other": [1,2 , 3],
  "mcpServers": {
    "files": {"args": [ "-y", "b" ], "env":{"A":"\u0042"}, "command": "npx"},
    "none": {"command":"run", "disabled": true},
    "lines": {
      "command": "node",
      "args": [
        // first
        "a.js", // second
      ],
    },
    "web": {"type": "http", "url" : "https://mcp.example.com/mcp?key=x", "headers": {"X-Key": "${KEY}"}},
    "old": {"url": "https://mcp.example.com/sse", "type":"sse"},
    "oauth": {"url": "https://mcp.example.com/mcp", "oauth": {"clientId": "x"}},
    "named": {"url": "https://mcp.example.com/mcp", "headers": {"X_Key": "x"}},
  }
}
`
	self, folder := program(t)
	pinning(t, folder, "files", "none", "lines", "web", "old")
	file := filepath.Join(folder, "mcp.json")
	write(t, file, before)
	want := "files\n- npx -y b\n+ " + string(self) + " guard files -- npx -y b\n"
	if code, stdout, stderr := self.run(t, "wrap", file); code != 2 || read(t, file) != before || !strings.Contains(stdout, want) || strings.Contains(stdout, "key=x") ||
		!strings.Contains(stdout, "mcp.json was not written: the same command with --yes writes it\n") {
		t.Errorf("not asked: code %d\n%s%s", code, stdout, stderr)
	}
	for n := range 2 { // the second time, nothing is left to do
		code, stdout, stderr := self.run(t, "wrap", file, "--yes")
		if code != 2 || !strings.Contains(stderr, "error: oauth: its oauth changes how") || !strings.Contains(stderr, "npx --no -- mcp-remote URL") ||
			!strings.Contains(stderr, "error: named: its header X_Key can't be") || !strings.Contains(stderr, "error: 2 servers of ") {
			t.Errorf("wrap: code %d\n%s\n%s", code, stderr, read(t, file))
		}
		if strings.HasSuffix(stdout, "\nrestart the client\n") != (n == 0) || strings.Contains(stdout, "the guard is started as "+string(self)+": its path on this machine") != (n == 0) {
			t.Errorf("how it starts:\n%s", stdout)
		}
		for _, part := range []string{"{ // a comment\n  \"other\": [1,2 , 3],", `"args": ["guard","files","--","npx", "-y", "b" ], "env":{"A":"\u0042"}, "command": "` + string(self) + `"`,
			"// first\n        \"a.js\", // second", `"web": {"type": "stdio","command":"` + string(self) + `","args":["guard","web","https://mcp.example.com/mcp?key=x","--header-env","X-Key=HEADER_X_Key"],"env":{"HEADER_X_Key":"${KEY}"}}`} {
			if !strings.Contains(read(t, file), part) {
				t.Errorf("%s is missing in\n%s", part, read(t, file))
			}
		}
	}
	if code, _, stderr := self.run(t, "unwrap", file, "--yes", "none", "lines"); code != 0 || strings.Count(read(t, file), string(self)) != 3 {
		t.Errorf("unwrap some: code %d\n%s\n%s", code, stderr, read(t, file))
	}
	if code, _, stderr := self.run(t, "unwrap", file, "--yes"); code != 0 || strings.Contains(read(t, file), "guard") || !strings.Contains(read(t, file), "// second") ||
		!strings.Contains(read(t, file), `"type": "http","url":"https://mcp.example.com/mcp?key=x","headers":{"X-Key":"${KEY}"}`) {
		t.Errorf("unwrap: code %d\n%s\n%s", code, stderr, read(t, file))
	}
}

// An installed program is the path of a copy of this program.
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

// TestWrapStarts: the guard's command line works where a client starts it: through npx if the program is in
// the project's node_modules, and by its path if not. A project elsewhere doesn't have that node_modules.
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
		{inModules, "project", `"command":"npx","args":["--no","--","pinproof-capture","guard","a","--","run"]`},
		{inModules, filepath.Join("project", "below"), `"command":"npx","args":["--no","--","pinproof-capture","guard","a","--","run"]`},
		{inModules, "other", `"command":"` + string(inModules) + `","args":["guard","a","--","run"]`},
		{inVenv, "project", `"command":"` + string(inVenv) + `","args":["guard","a","--","run"]`},
	} {
		if runtime.GOOS == "windows" && c.want[11:14] != "npx" {
			continue // the path has backslashes
		}
		file := filepath.Join(folder, c.project, "mcp.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		const before = `{"mcpServers":{"a":{"command":"run"}}}`
		write(t, file, before)
		pinning(t, filepath.Dir(file), "a")
		if code, stdout, stderr := c.path.run(t, "wrap", "--yes", file); code != 0 || read(t, file) != `{"mcpServers":{"a":{`+c.want+`}}}` {
			t.Errorf("%s in %s: code %d\n%s%s%s", c.path, c.project, code, stdout, stderr, read(t, file))
		}
		if code, _, stderr := c.path.run(t, "unwrap", "--yes", file); code != 0 || !strings.Contains(read(t, file), `"command":"run"`) || strings.Contains(read(t, file), "guard") {
			t.Errorf("unwrap %s: code %d\n%s%s", c.path, code, stderr, read(t, file))
		}
	}
}

// TestWrapByHand: TOML isn't rewritten; wrap prints what to write, to the letter.
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
	pinning(t, folder, "files", "two words", "hidden", "web")
	file := filepath.Join(folder, "config.toml")
	write(t, file, bare)
	code, stdout, stderr := self.run(t, "wrap", file, "--yes")
	if code != 2 || !strings.HasPrefix(stdout, guarded+"the guard is started as ") || strings.Contains(stdout, "restart") || read(t, file) != bare || !strings.Contains(stderr, "config.toml is TOML, which isn't rewritten: write the lines above there by hand\n") ||
		!strings.Contains(stderr, "error: web: it has no command; ") || !strings.Contains(stderr, "error: hidden: ") {
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

// TestWrapAddress: if the configuration has a guard before an address, config captures the server
// behind the guard, with its headers.
func TestWrapAddress(t *testing.T) {
	t.Setenv("KEY", "secret")
	s := newStandInHTTP(t, "2025-11-25", "", false)
	self, folder := program(t)
	pinning(t, folder, "web")
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

// pinning writes a lockfile with these servers.
func pinning(t *testing.T, folder string, ids ...string) {
	t.Helper()
	var servers []string
	for _, id := range ids {
		servers = append(servers, strconv.Quote(id)+`:{"tools":{}}`)
	}
	write(t, filepath.Join(folder, "tools.lock"), `{"lockfileVersion":1,"servers":{`+strings.Join(servers, ",")+`}}`)
}

// TestWrapUnpinned: a server that would not start behind the guard isn't wrapped, and the commands
// that are printed help on. Only showing the lines isn't a failure.
func TestWrapUnpinned(t *testing.T) {
	t.Parallel()
	self, folder := program(t)
	file := filepath.Join(folder, "mcp.json")
	const before = `{"mcpServers":{"a":{"command":"run"},"b c":{"command":"run"},"d":{"command":"run"}}}`
	write(t, file, before)
	pins := filepath.Join(folder, "tools.lock")
	first := "error: a, \"b c\", d are not pinned in " + pins + ", and would not start behind the guard; nothing was written\n" +
		"hint: to pin: pinproof-capture config " + file + " captures a 'b c' d\nhint: then:   pinproof lock captures " + pins + "\n"
	second := "error: \"b c\" is not pinned in " + pins + ", and would not start behind the guard; nothing was written\n" +
		"hint: to pin: pinproof-capture config " + file + " captures 'b c'\nhint: then:   pinproof lock captures " + pins + "\n" +
		"hint: to wrap the others: pinproof-capture wrap " + file + " a d\n"
	for _, yes := range [][]string{nil, {"--yes"}} {
		os.Remove(pins)
		args := append([]string{"wrap", file}, yes...)
		if code, stdout, stderr := self.run(t, args...); code != 2 || stdout != "" || stderr != first || read(t, file) != before {
			t.Errorf("code %d\n%s%s", code, stdout, stderr)
		}
		pinning(t, folder, "a", "d")
		if code, stdout, stderr := self.run(t, args...); code != 2 || stdout != "" || stderr != second || read(t, file) != before {
			t.Errorf("code %d\n%s%s", code, stdout, stderr)
		}
	}
	code, stdout, stderr := self.run(t, "wrap", file, "a", "d")
	if code != 0 || stderr != "" || read(t, file) != before || !strings.HasSuffix(stdout, "mcp.json was not written: the same command with --yes writes it\n") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := self.run(t, "wrap", file, "a", "d", "--yes"); code != 0 || strings.Count(read(t, file), `"guard"`) != 2 {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestWrapFlags: the guards get the flags that wrap is given. Flags that are there already are
// named, and so are guards that wrap wouldn't write.
func TestWrapFlags(t *testing.T) {
	t.Parallel()
	self, folder := program(t)
	file := filepath.Join(folder, "mcp.json")
	pinning(t, folder, "a", "web", "x", "y")
	const before = `{"mcpServers":{"a":{"command":"run","args":["b"]},"web":{"url":"http://h/"}}}`
	write(t, file, before)
	if code, _, stderr := self.run(t, "wrap", file, "--yes", "--on-drift", "warn", "--log", "a log"); code != 0 {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	want := fmt.Sprintf(`{"mcpServers":{"a":{"command":%[1]q,"args":["guard","a","--on-drift","warn","--log","a log","--","run","b"]},`+
		`"web":{"command":%[1]q,"args":["guard","web","--on-drift","warn","--log","a log","http://h/"]}}}`, self)
	if got := read(t, file); got != want {
		t.Error(got)
	}
	code, stdout, stderr := self.run(t, "wrap", file, "--yes")
	if code != 0 || stdout != file+": nothing to change\n" || !strings.Contains(stderr, "WARNING: the guard of a has --on-drift warn --log a log: it lets everything pass, approved or not\n") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := self.run(t, "unwrap", file, "--yes"); code != 0 || read(t, file) != `{"mcpServers":{"a":{"command":"run","args":["b"]},"web":{"url":"http://h/"}}}` {
		t.Errorf("code %d\n%s", code, stderr)
	}
	if code, _, stderr := self.run(t, "wrap", file, "--on-drift", "never"); code != 2 || !strings.HasPrefix(stderr, "error: --on-drift never: one of end, subset, warn\n") {
		t.Errorf("code %d\n%s", code, stderr)
	}

	const foreign = `{"mcpServers":{"x":{"command":"./tools/pinproof-capture","args":["guard","x","--","run"]},"y":{"command":"pinproof-capture","args":["guard","a","--","run"]}}}`
	write(t, file, foreign)
	for _, verb := range []string{"wrap", "unwrap"} {
		code, _, stderr := self.run(t, verb, file, "--yes")
		if code != 2 || read(t, file) != foreign || !strings.Contains(stderr, "error: x: a guard is there that wrap would not write: ./tools/pinproof-capture\n") ||
			!strings.Contains(stderr, "error: y: its guard is for the server ID a\n") {
			t.Errorf("%s: code %d\n%s", verb, code, stderr)
		}
	}
}

// TestForeignGuardIsStarted: config starts a guard that isn't ours as it is, as the client does.
func TestForeignGuardIsStarted(t *testing.T) {
	unixOnly(t)
	t.Parallel()
	dir := t.TempDir()
	server := standIn(t, "2025-11-25", "one tool")
	tools := filepath.Join(dir, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$@\" >" + dir + "/said\nexec '" + strings.Join(server, "' '") + "'\n"
	if err := os.WriteFile(filepath.Join(tools, "pinproof-capture"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "mcp.json")
	configure(t, file, map[string]any{"a": map[string]any{"command": "tools/pinproof-capture", "cwd": dir, "args": []string{"guard", "a", "--", "no-such-program"}}})
	code, stdout, stderr := capturing(t, "config", file, filepath.Join(dir, "out"))
	if code != 0 || read(t, filepath.Join(dir, "said")) != "guard a -- no-such-program\n" {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestSecretsStayOut: no message has the value of a header or the query of an address, wherever the
// server sends them back. Neither do the lines that wrap shows.
func TestSecretsStayOut(t *testing.T) {
	const secret, query = "sEcr3tValue", "qu3ry-Val%2Fue"
	t.Setenv("CAPTURE_KEY", "Bearer "+secret)
	self, _ := program(t)
	for name, answer := range map[string]func(w http.ResponseWriter, req *http.Request, id string){
		"an error of HTTP": func(w http.ResponseWriter, req *http.Request, _ string) {
			http.Error(w, "no such key "+req.Header.Get("Authorization")+" at "+req.URL.String()+" "+req.URL.Query().Get("key"), http.StatusUnauthorized)
		},
		"an error of the protocol": func(w http.ResponseWriter, req *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"key %s (%s) %s %s"}}`, id, req.Header.Get("Authorization"), secret, req.URL.RawQuery, req.URL.Query().Get("key"))
		},
		"a type": func(w http.ResponseWriter, req *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/"+secret+"; charset="+secret)
			fmt.Fprint(w, req.URL.Query().Get("key"))
		},
		"another place": func(w http.ResponseWriter, req *http.Request, _ string) {
			http.Redirect(w, req, "http://"+secret+".example.com/?"+req.URL.RawQuery, http.StatusTemporaryRedirect)
		},
		"no message": func(w http.ResponseWriter, req *http.Request, _ string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"%s":"%s"} x`, secret, req.URL.Query().Get("key"))
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			id := "1"
			if m := regexp.MustCompile(`"id":(\d+)`).FindSubmatch(body); m != nil {
				id = string(m[1])
			}
			answer(w, req, id)
		}))
		dir := t.TempDir()
		address := server.URL + "/mcp?key=" + query
		file := filepath.Join(dir, "mcp.json")
		configure(t, file, map[string]any{"a": map[string]any{"url": address, "headers": map[string]string{"Authorization": "Bearer " + secret}}})
		for _, args := range [][]string{
			{"save", filepath.Join(dir, "a.jsonl"), address, "--header-env", "Authorization=CAPTURE_KEY", "--timeout", "3"},
			{"config", file, filepath.Join(dir, "out"), "--timeout", "3"},
		} {
			code, stdout, stderr := capturing(t, args...)
			said := strings.ToLower(stdout + stderr)
			for _, hidden := range []string{secret, query, "qu3ry-Val/ue"} {
				if code != 2 || !strings.HasPrefix(stderr, "error: ") || strings.Contains(said, strings.ToLower(hidden)) {
					t.Errorf("%s, %s: code %d\n%s%s", name, args[0], code, stdout, stderr)
				}
			}
		}
		pinning(t, dir, "a")
		code, stdout, stderr := self.run(t, "wrap", file)
		if code != 0 || !strings.Contains(stdout, "\n+ ") || strings.Contains(stdout+stderr, secret) || strings.Contains(stdout+stderr, query) {
			t.Errorf("wrap: code %d\n%s%s", code, stdout, stderr)
		}
		server.Close()
	}
}

// TestNPXWithoutThePackage: if a package isn't installed, the error says so in our words, and npx's follow.
func TestNPXWithoutThePackage(t *testing.T) {
	unixOnly(t)
	dir := t.TempDir()
	const script = "#!/bin/sh\necho 'npm error npx canceled due to missing packages and no YES option: [\"some-mcp@1.2.3\"]' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "npx"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"some-mcp-server", "some", "other-mcp", ""} {
		if err := os.MkdirAll(filepath.Join(dir, "node_modules", ".bin", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	code, _, stderr := capturing(t, "save", filepath.Join(dir, "a.jsonl"), "--", "npx", "--no", "--", "some-mcp", "--flag")
	want := "error: npx has no program some-mcp here: it is not installed\nits standard error ended:\n  | npm error npx canceled due to missing packages and no YES option: [\"some-mcp@1.2.3\"]\n" +
		"hint: a package may have renamed it; node_modules has some, some-mcp-server\nhint: install the package that it comes in: npm install --save-dev PACKAGE\nhint: mind that this package may have another name; npm's package some-mcp may be a stranger's\n"
	if code != 2 || stderr != want {
		t.Errorf("code %d\n%s", code, stderr)
	}
}
