package client

import (
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

// TestReadEnvFile: what readers of such files agree on, and what they don't.
func TestReadEnvFile(t *testing.T) {
	project := t.TempDir()
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

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTakenByNPM: what npx 7 to 11 were seen to do. A star stands where "--" has to.
func TestTakenByNPM(t *testing.T) {
	for _, line := range []string{
		"npx --no *srv --read-only .", "npx --no *srv", "npx --no-yes *srv --x", "npx --no-offline *srv", "npx -y --no *srv --x", "npx --local *srv --x",
		"npx -yq *srv --x", "C:/node/npx.cmd --no *srv", "cmd /c npx --no *srv --x", "cmd.exe /C npx --no *srv", "npx --prefix . --no *srv --x",
		"npm exec *srv --read-only .", "npm exec --no *srv --x", "npm x *srv --x", "npm --silent exec *srv -x", "npm exec *srv . --x -- y",
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
		if got := takenByNPM(words); got != want {
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
	c, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.server("a"); err != nil || strings.Join(s.Argv, " ") != "uvx x" {
		t.Errorf("%q, %v", s.Argv, err)
	}
}
