package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
			"files":{"command":"pinproof-capture","args":["--guard=files","--",` + argv + `]},
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
		code, stdout, stderr := capturing(t, "--config", file, out)
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
	code, stdout, stderr := capturing(t, "--config", file, dir)
	if code != 2 || !strings.HasPrefix(stdout, "good: instructions, 1 tool") || read(t, filepath.Join(dir, "bad.jsonl")) != "old" {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"error: bad: the server ended with code 3 before it answered\n", "  | <U+001B>[31m::error::",
		"error: café: a label of 1 to 100 printable ASCII characters can name a file", "error: unset: the variable CAPTURE_NOT_SET is not set\n",
		"error: asks: the variable input:token is not set\n", "error: neither: it needs either a command or a url\n",
		"error: secret: the URL is no address: https://HOST/PATH is one\n",
		"error: 6 of 7 servers could not be captured, and what was in ",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
}

// TestConfigKeysNotDone: a key that changes how a client reaches the server is
// refused where it isn't done, and the server isn't asked.
func TestConfigKeysNotDone(t *testing.T) {
	server := newStandInHTTP(t, "2025-11-25", "one tool", false)
	program := standIn(t, "2025-11-25", "one tool")
	with := func(key string, value any) map[string]any {
		return map[string]any{
			"remote": map[string]any{"type": "http", "url": server.URL, key: value},
			"stdio":  map[string]any{"command": program[0], "args": program[1:], key: value},
			"off":    map[string]any{"url": server.URL, "disabled": true, key: value},
		}
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	capture := func(servers any) (code int, stdout, stderr string) {
		text, err := json.Marshal(map[string]any{"servers": servers})
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, string(text))
		server.forget()
		return capturing(t, "--config", file, filepath.Join(t.TempDir(), "out"))
	}
	for _, key := range []string{"headersHelper", "oauth", "sandboxEnabled", "auth", "authProviderType", "tcp", "experimental_environment", "oauth_resource", "scopes"} {
		code, stdout, stderr := capture(with(key, map[string]any{"a": 1}))
		want := "error: remote: its " + key + " changes how the server is reached, and is not done here\n" +
			"hint: capture it by itself: pinproof-capture LABEL.jsonl URL --header-env NAME=VARIABLE\n" +
			"error: stdio: its " + key + " changes how the server is reached, and is not done here\n" +
			"error: 2 of 3 servers could not be captured, and "
		if requests, _ := server.seen(); code != 2 || stdout != "off: disabled\n" || !strings.HasPrefix(stderr, want) || len(requests) > 0 {
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

func TestEnvFile(t *testing.T) {
	project := t.TempDir()
	program := standIn(t, "2025-11-25", "")
	capture := func(text string, more map[string]any) (code int, stdout, stderr string) {
		write(t, filepath.Join(project, "server.env"), text)
		entry := map[string]any{"command": program[0], "args": program[1:], "envFile": "${workspaceFolder}/server.env"}
		maps.Copy(entry, more)
		config, err := json.Marshal(map[string]any{"servers": map[string]any{"a": entry}})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(project, "mcp.json")
		write(t, file, string(config))
		return capturing(t, "--config", file, filepath.Join(project, "out"))
	}
	code, stdout, stderr := capture("STANDIN_TWIST='one tool'\n", nil)
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "a: instructions, 1 tool, ") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = capture("STANDIN_TWIST=dies\n", map[string]any{"env": map[string]string{"STANDIN_TWIST": "tools only"}})
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "a: instructions, 3 tools in ") {
		t.Errorf("env is not above envFile: code %d\n%s%s", code, stdout, stderr)
	}
	for what, more := range map[string]map[string]any{
		"no file":      {"envFile": "other.env"},
		"beside a url": {"command": "", "url": "http://127.0.0.1:1/"},
	} {
		if code, _, stderr := capture("", more); code != 2 || !strings.HasPrefix(stderr, "error: a: its envFile ") {
			t.Errorf("%s: code %d\n%s", what, code, stderr)
		}
	}

	path := filepath.Join(project, "x.env")
	write(t, path, "# comment\r\n\r\nA=1\r\n export B = two words \t# comment\nC='#$ \"'\nD=\"'#\" # c\nE=\nF= # c\nG=C:\\x=y")
	got, err := readEnvFile(path)
	if want := []string{"A=1", "B=two words", `C=#$ "`, "D='#", "E=", "F=", `G=C:\x=y`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, line := range []string{
		"A", "=1", "A B=1", "A: 1", "A='1", "A=\"1\nB=2\"", "A='1'2", `A="\n"`, `A='\''`, "A=a#b", "A=it's", "A=`1`", "\ufeffA=1", "A=1\x00", "export A",
	} {
		write(t, path, "# SECRET\n"+line)
		if got, err := readEnvFile(path); err == nil || got != nil || !strings.HasPrefix(err.Error(), "line 2 of its envFile is no plain NAME=VALUE") {
			t.Errorf("%q: %q, %v", line, got, err)
		}
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
	for label, c := range map[string][2]string{
		"a": {"a-server", "${workspaceFolder}/no:${workspaceFolder}/bin:${PATH}"}, "b": {"sh", "bin"}, "c": {"sh", project},
	} {
		servers[label] = map[string]any{"command": c[0], "args": program[1:], "env": map[string]string{"PATH": c[1]}}
	}
	config, err := json.Marshal(map[string]any{"servers": servers})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(project, "mcp.json")
	write(t, file, string(config))
	code, stdout, stderr := capturing(t, "--config", file, filepath.Join(project, "out"))
	if lines := strings.Split(stdout, "\n"); code != 2 || len(lines) != 3 || !strings.HasPrefix(lines[0], "a: instructions, 1 tool") ||
		!strings.HasPrefix(lines[1], "b: instructions, 1 tool") || !strings.HasPrefix(stderr, "error: c: sh does not start: there is no such program on the path\n") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestFilesOfNoServer: what lies in the folder and belongs to no server is named, for
// pinproof reads the whole folder.
func TestFilesOfNoServer(t *testing.T) {
	project := t.TempDir()
	t.Chdir(project)
	program := standIn(t, "2025-11-25", "one tool")
	for _, bad := range []bool{false, true} {
		servers := map[string]any{
			"a b": map[string]any{"command": program[0], "args": program[1:]},
			"off": map[string]any{"command": "x", "disabled": true},
		}
		if bad {
			servers["bad"] = map[string]any{}
		}
		config, err := json.Marshal(map[string]any{"mcpServers": servers})
		if err != nil {
			t.Fatal(err)
		}
		write(t, ".mcp.json", string(config))
		for _, dir := range []string{"out", filepath.Join("out", "folder.jsonl")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"gone.jsonl", "a b.jsonl", "package.json", "off.jsonl", "bad.jsonl", "notes.txt"} {
			write(t, filepath.Join("out", name), "old")
		}
		code, stdout, stderr := capturing(t, "--config", ".mcp.json", "out")
		line := func(name string) string {
			return filepath.Join("out", name) + ": of no server in .mcp.json: delete it if that server is gone\n"
		}
		want, wantCode := line("a b.jsonl")+line("bad.jsonl")+line("gone.jsonl"), 0
		if bad {
			want, wantCode = "error: bad: it needs either a command or a url\n"+line("a b.jsonl")+line("gone.jsonl")+
				"error: 1 of 3 servers could not be captured, and what was in out is as it was for them: bad\n", 2
		}
		if code != wantCode || stderr != want || !strings.HasPrefix(stdout, "a b: instructions, 1 tool, ") || read(t, filepath.Join("out", "gone.jsonl")) != "old" {
			t.Errorf("code %d\n%s%s\nwant\n%s", code, stdout, stderr, want)
		}
	}
}

// TestNobodyReads: no server is left running because nobody reads what is printed, and
// the code stays 2.
func TestNobodyReads(t *testing.T) {
	unixOnly(t)
	dir := t.TempDir()
	servers := map[string]any{}
	program := standIn(t, "2025-11-25", "one tool")
	for i := range maxParallel + 2 {
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
	for _, args := range [][]string{{"--config", file, out}, {"--hook", "x", "--", "no-such-program"}} {
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
		code, stdout, stderr := capturing(t, "--config", file, dir)
		if files, err := os.ReadDir(dir); code != 2 || stdout != "" || !strings.HasPrefix(stderr, "error: ") || err != nil || len(files) > 0 {
			t.Errorf("%s: code %d, %v\n%s%s", text, code, files, stdout, stderr)
		}
	}
}

func TestUnguarded(t *testing.T) {
	for line, want := range map[string]string{
		"pinproof-capture --guard a -- npx -- --guard":          "npx -- --guard",
		"/bin/pinproof-capture.exe --lock x --guard=a -- npx -": "npx -",
		"pinproof-capture out --guarded -- npx":                 "pinproof-capture out --guarded -- npx",
		"npx --guard a -- npx":                                  "npx --guard a -- npx",
	} {
		if got := strings.Join(unguarded(strings.Fields(line)), " "); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Setenv("CAPTURE_A", "a")
	t.Setenv("CAPTURE_EMPTY", "")
	for text, want := range map[string]string{
		"x":                           "x",
		"$CAPTURE_A ${CAPTURE_A}!":    "$CAPTURE_A a!",
		"${env:CAPTURE_A}":            "a",
		"${CAPTURE_NO:-b c}":          "b c",
		"${CAPTURE_A:-b}":             "a",
		"${CAPTURE_EMPTY:-b}":         "b",
		"${CAPTURE_EMPTY}":            "",
		"${workspaceFolder}/x":        "/project/x",
		"${workspaceFolderBasename}":  "project",
		"${CAPTURE_NO:-}${CAPTURE_A}": "a",
	} {
		x := expander{project: "/project"}
		if got := x.expand(text); got != want || x.err != nil {
			t.Errorf("%s: %q, %v; want %q", text, got, x.err, want)
		}
		if p := (expander{plain: true}); p.expand(text) != text {
			t.Errorf("%s was expanded for Codex", text)
		}
	}
	if x := (expander{}); x.expand("${CAPTURE_NO}") != "" || x.err == nil {
		t.Error("an unset variable passed")
	}
}

// TestFileName: pinproof reads the label back by decoding the name.
func TestFileName(t *testing.T) {
	for label, want := range map[string]string{
		"files": "files.jsonl", "a.b-c_1": "a.b-c_1.jsonl", "0": "0.jsonl", "@org/pkg": "@org%2Fpkg.jsonl", "a b": "a%20b.jsonl", "a:b": "a%3Ab.jsonl",
		".": "%2E.jsonl", "..": "%2E..jsonl", ".hidden": "%2Ehidden.jsonl", "-x": "%2Dx.jsonl", `a\b`: "a%5Cb.jsonl", "50%": "50%25.jsonl",
		"": "", "caf\u00e9": "", "a\x00": "", strings.Repeat("a", 101): "",
	} {
		got := fileName(label)
		if got != want {
			t.Errorf("%q: %q, want %q", label, got, want)
		}
		if back, err := url.PathUnescape(strings.TrimSuffix(got, ".jsonl")); want != "" && (err != nil || back != label) {
			t.Errorf("%q: read back as %q, %v", label, back, err)
		}
	}
}

func TestTail(t *testing.T) {
	var whole tail
	for i := range 2000 {
		fmt.Fprintf(&whole, "line %d\n", i)
	}
	lines := whole.lines()
	if last := lines[len(lines)-1]; last != "line 1999" || !strings.HasPrefix(lines[0], "line ") || len(strings.Join(lines, "\n")) > maxTail {
		t.Errorf("%d lines, %q to %q", len(lines), lines[0], last)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"out.jsonl"}, {"out.jsonl", "--"}, {"out.jsonl", "npx"}, {"--", "npx"}, {"a", "b", "--", "npx"}, {"out.jsonl", "http://x", "--", "npx"},
		{"--config"}, {"--config", "x"}, {"--config", "x", "a", "--", "b"}, {"--config", "x", "--guard", "y", "--", "z"}, {"--guard", "x"}, {"--guard", "x", "y", "--", "z"},
		{"--guard", "", "--", "z"}, {"--guard", "\u202e", "--", "z"}, {"--hook", "x"}, {"--hook", "\x1b", "--", "x"}, {"--substitute", "A=b", "o", "--", "x"}, {"--frob"}, {"--timeout", "x"},
		{"--timeout", "-1", "o", "--", "x"}, {"--timeout", "9999", "o", "--", "x"}, {"--protocol", "new", "o", "--", "x"}, {"--lock", "x", "o", "--", "x"},
		{"--header", "a: b", "o", "--", "x"},
	} {
		code, stdout, stderr := capturing(t, args...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "error: ") || !strings.HasSuffix(stderr, "hint: pinproof-capture --help\n") {
			t.Errorf("%q: code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	code, stdout, stderr := capturing(t, "--help")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "--header-env NAME=VARIABLE") || !strings.Contains(stdout, "process group") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	for _, line := range strings.Split(stdout, "\n") {
		if len(line) > 120 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	t.Setenv("PINPROOF_TIMEOUT", "soon")
	if code, _, stderr := capturing(t, "o.jsonl", "--", "x"); code != 2 || !strings.Contains(stderr, "PINPROOF_TIMEOUT") {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestConfigLabels: the servers that are named are captured alone, and one that fails keeps
// no other from being saved.
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
		labels, saved []string
		code          int
		told          string
	}{
		{[]string{"c"}, []string{"c.jsonl"}, 0, "c: instructions, 1 tool, "},
		{[]string{"b", "c"}, []string{"c.jsonl"}, 2, "1 of 2 servers could not be captured, and what was in " + out + " is as it was for them: b\n"},
		{nil, []string{"a.jsonl", "c.jsonl"}, 2, "error: b: the server ended with code 3 before it answered\n"},
		{[]string{"d"}, nil, 2, "has no server d; it has a, b, c\n"},
	} {
		os.RemoveAll(out)
		code, stdout, stderr := capturing(t, append([]string{"--config", file, out}, c.labels...)...)
		var saved []string
		entries, _ := os.ReadDir(out)
		for _, e := range entries {
			saved = append(saved, e.Name())
		}
		if code != c.code || !strings.Contains(stdout+stderr, c.told) || !slices.Equal(saved, c.saved) {
			t.Errorf("%s: code %d, saved %s\n%s%s", c.labels, code, saved, stdout, stderr)
		}
	}
}
