package client

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestUnguarded(t *testing.T) {
	for line, want := range map[string]string{
		"pinproof-capture guard a -- npx -- guard":              "npx -- guard",
		"/bin/pinproof-capture.exe guard --lock x a -- npx -":   "npx -",
		"npx --no -- pinproof-capture guard a -- npx -y b":      "npx -y b",
		"C:/x/npx.cmd --no -- pinproof-capture guard a -- node": "node",
		"pinproof-capture save out -- npx":                      "pinproof-capture save out -- npx",
		"pinproof-capture guard a --":                           "pinproof-capture guard a --",
		"npx guard a -- npx":                                    "npx guard a -- npx",
		"npx --no -- other guard a -- npx":                      "npx --no -- other guard a -- npx",
	} {
		words := strings.Fields(line)
		if got := strings.Join((entry{Command: words[0], Args: words[1:]}).unguarded().argv(), " "); got != want {
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

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReadNPM: what npx 7 to 11 were seen to do. A star stands where "--" has to.
func TestReadNPM(t *testing.T) {
	for _, line := range []string{
		"npx --no *srv --read-only .", "npx --no *srv", "npx --no-yes *srv --x", "npx --no-offline *srv", "npx -y --no *srv --x", "npx --local *srv --x",
		"npx -yq *srv --x", "C:/node/npx.cmd --no *srv", "cmd /c npx --no *srv --x", "cmd.exe /C npx --no *srv", "npx --prefix . --no *srv --x",
		"npx --unknown *srv --x", "npm exec *srv -p x", "npm exec *srv --read-only .", "npm exec --no *srv --x", "npm x *srv --x", "npm --silent exec *srv -x", "npm exec *srv . --x -- y",
		"npx --no -- srv --read-only .", "npx srv --read-only .", "npx srv --no x", "npx -y srv --x", "npx --yes srv --x", "npx --no-install srv --read-only .",
		"npx --no=true srv --x", "npx --no --yes srv --x", "npx -p pkg srv --x", "npx --package pkg -- srv", "npx -q srv --x", "npx -c --no", "npx --no",
		"npm exec -- srv --x", "npm exec --no -- srv --x", "npm exec srv -- --x", "npm exec --package pkg --yes -- srv --x", "npm exec srv .", "npm run x --y",
		"uvx --no srv --x", "node --no srv", "npm", "npx", "cmd /c npx", "pnpm exec srv --x",
	} {
		want := -1
		words := strings.Fields(line)
		for i, word := range words {
			if strings.HasPrefix(word, "*") {
				want, words[i] = i, word[1:]
			}
		}
		if got, _ := readNPM(words); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
	for line, want := range map[string]bool{
		"npx -y a": true, "npx --yes a@1": true, "npm exec --yes -- a": true, "cmd /c npx -y a": true, "npx a -y": false, "npx --no -- a -y": false, "node -y": false, "npm exec -- a -y": false,
	} {
		if Floats(strings.Fields(line)) != want {
			t.Errorf("%s: floats %t", line, !want)
		}
	}
}

// TestServerBehindTheGuard: a wrapped entry is captured without its guard.
func TestServerBehindTheGuard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	write(t, file, `{"mcpServers":{"a":{"command":"npx","args":["--no","--","pinproof-capture","guard","a","--","uv\u0078","x"]}}}`)
	c, _, err := Read(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.server("a"); err != nil || strings.Join(s.Argv, " ") != "uvx x" {
		t.Errorf("%q, %v", s.Argv, err)
	}
}

// FuzzWrap: unwrap restores what wrap made of any configuration, to the byte.
func FuzzWrap(f *testing.F) {
	for _, entry := range []string{
		`{"command":"a"}`, `{"command":"a","args":[]}`, `{"args": [ "b" , "c",], "command" :"\u0061", "env":{"A":"b"}} // c`,
		`{"url":"http://a/"}`, `{"type":"sse","url":"http://a/","headers":{"X-A":"b", "c":"d"}}`, `{"headers":{},"url":"http://a/","type":"http"}`,
		`{"command":"pinproof-capture","args":["guard","a","--","b"]}`, `{"command":"pinproof-capture","args":["guard","a","http://b","--sse"],"env":{}}`,
		`{"command":"pinproof-capture","args":["guard","a","--","pinproof-capture","guard","a","http://b"]}`,
		`{"args":null,"command":"a"}`, `{"args":["guard","a","--","b"],"command":"pinproof-capture"}`,
	} {
		f.Add(`{"servers":{"a":` + entry + `}}`)
	}
	f.Fuzz(func(t *testing.T, data string) {
		before, err := parse("x.json", []byte(data))
		if err != nil {
			return
		}
		labels := slices.Sorted(maps.Keys(before.entries))
		before.Rewrite(labels, nil) // of guards that wrap didn't write
		labels = slices.DeleteFunc(labels, func(label string) bool { return before.entries[label].guard != nil })
		out, _, _ := before.Rewrite(labels, []string{"npx", "--no", "--", Self})
		after, err := parse("x.json", out)
		if err != nil {
			t.Fatalf("%s\n%v", out, err)
		}
		for _, label := range labels {
			if after.entries[label].guard == nil {
				continue
			}
			if got, want := after.entries[label], before.entries[label]; got.Command != want.Command || got.URL != want.URL || !slices.Equal(got.Args, want.Args) && want.Command != "" {
				t.Fatalf("%s\n%s: another server", out, label)
			}
		}
		if back, _, refused := after.Rewrite(labels, nil); string(back) != data || refused != nil {
			t.Fatalf("%s\n%s\n%s\n%v", data, out, back, refused)
		}
	})
}
