package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/pinproof-capture/internal/mcp"
)

func TestUnguarded(t *testing.T) {
	const none = "/no/such/folder/pinproof-capture" // where an earlier version was
	self := filepath.Join(t.TempDir(), SelfName)
	write(t, self, "another program")
	for line, want := range map[string]string{
		"npx -y b":                             "npx -y b",
		"pinproof-capture guard a -- npx -y b": "npx -y b",
		none + " guard --lock x a -- npx -":    "npx -",
		none + " guard a --log x --on-drift=warn --log-digests -- node":  "node",
		"npx --no -- pinproof-capture guard a -- npx -y b":               "npx -y b",
		"cmd /c npx --no -- pinproof-capture guard a -- cmd /c npx -y b": "cmd /c npx -y b",
		"pinproof-capture guard a -- pinproof-capture guard b -- c":      "pinproof-capture guard b -- c",
		"pinproof-capture save out -- npx":                               "",
		"pinproof-capture guard a --":                                    "",
		"npx guard a -- npx":                                             "",
		"npx --no -- other guard a -- npx":                               "",
		"./tools/pinproof-capture guard a -- b":                          "",
		self + " guard a -- b":                                           "",
		"npx -y x -- pinproof-capture guard a -- b":                      "",
		"npx -y pinproof-capture guard a -- b":                           "",
		"C:/x/npx.cmd --no -- pinproof-capture guard a -- node":          "",
		"pinproof-capture guard other -- b":                              "",
		"pinproof-capture guard a --evil -- b":                           "",
		"pinproof-capture guard a b -- c":                                "",
		"pinproof-capture guard a --log-digests=x -- b":                  "",
		"sh -c pinproof-capture guard a -- b":                            "",
	} {
		words := strings.Fields(line)
		e := entry{Command: words[0], Args: words[1:]}.unguarded("a")
		if want == "" {
			want = line
		}
		if got := strings.Join(e.argv(), " "); got != want {
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

// TestReadNPM has what npx 7 to 11 were seen to do. A star marks the word that "--" has to precede.
func TestReadNPM(t *testing.T) {
	for _, line := range jsontest.ReadLines(t, "testdata/npm.txt") {
		want := -1
		words := strings.Fields(line)
		for i, word := range words {
			if strings.HasPrefix(word, "*") {
				want, words[i] = i, word[1:]
			}
		}
		if got, _ := mcp.ParseNPM(words); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

// TestServerBehindTheGuard: a wrapped entry is captured without its guard.
func TestServerBehindTheGuard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	write(t, file, `{"mcpServers":{"a":{"command":"npx","args":["--no","--","pinproof-capture","guard","a","--","uv\u0078","x"]}}}`)
	c, err := ReadConfig(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.server("a"); err != nil || strings.Join(s.Argv, " ") != "uvx x" {
		t.Errorf("%q, %v", s.Argv, err)
	}
}

// FuzzWrap: wrap and unwrap leave each server as it is.
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
		before.WithGuard(nil) // must not panic, whoever wrote the guards
		before.SelectedIDs = slices.DeleteFunc(before.SelectedIDs, func(id string) bool { return before.entries[id].guard != nil })
		out, _, refused := before.WithGuard(&GuardCommand{Argv: npxSelf, Flags: []string{"--on-drift", "subset"}})
		after, err := parse("x.json", out)
		if err != nil {
			t.Fatalf("%s\n%v", out, err)
		}
		after.SelectedIDs = before.SelectedIDs
		back, _, _ := after.WithGuard(nil)
		bare, err := parse("x.json", back)
		if err != nil {
			t.Fatalf("%s\n%v", back, err)
		}
		for _, id := range before.SelectedIDs {
			isRefused := slices.ContainsFunc(refused, func(r Result) bool { return r.Server == id })
			if after.entries[id].guard == nil != isRefused || !bare.entries[id].isSame(before.entries[id]) {
				t.Fatalf("%s\n%s\n%s", data, out, back)
			}
		}
	})
}
