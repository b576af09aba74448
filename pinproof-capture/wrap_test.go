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
			err = writeProgram(path, data)
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
	if err := writeProgram(filepath.Join(tools, "pinproof-capture"), []byte(script)); err != nil {
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
