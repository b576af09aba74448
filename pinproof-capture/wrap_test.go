package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAddGuard: the guard goes in and out of a configuration, and everything else stays byte
// for byte.
func TestAddGuard(t *testing.T) {
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
    "web": {"url": "https://mcp.example.com/mcp"},
  }
}
`
	const after = `{ // a comment
  "other": [1,2 , 3],
	"mcpServers": {
    "files": {"args": ["--guard", "files", "--", "npx",  "-y", "b" ], "env":{"A":"\u0042"}, "command": "pinproof-capture"},
    "empty": {"command" : "pinproof-capture", "args": ["--guard", "empty", "--", "uv\u0078"]},
    "none":  {"command":"pinproof-capture", "args": ["--guard=none", "--", "run"], "disabled": true},
    "lines": {
      "command": "pinproof-capture",
      "args": ["--guard", "lines", "--", "node", 
        // first
        "a.js", // second
        "x"
      ],
    },
    "web": {"url": "https://mcp.example.com/mcp"},
  }
}
`
	file := filepath.Join(t.TempDir(), "mcp.json")
	write(t, file, before)
	if code, stdout, stderr := capturing(t, "--config", file, "--add-guard"); code != 2 || read(t, file) != before || !strings.Contains(stderr, "--yes writes it") ||
		!strings.Contains(stdout, "- |       \"command\": \"node\",\n+ |       \"command\": \"pinproof-capture\",\n") {
		t.Errorf("not asked: code %d\n%s%s", code, stdout, stderr)
	}
	for range 2 { // the second time, nothing is left to do
		code, _, stderr := capturing(t, "--config", file, "--add-guard", "--yes")
		if code != 2 || read(t, file) != after || !strings.Contains(stderr, "error: web: it has no command: ") || !strings.Contains(stderr, "error: 1 server of ") {
			t.Errorf("add: code %d\n%s\n%s", code, stderr, read(t, file))
		}
	}
	old, _, err := readConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{"files": "npx -y b", "empty": "uvx", "none": "run", "lines": "node a.js x"} {
		if src, err := old[label].source(".", false); err != nil || strings.Join(src.argv, " ") != want {
			t.Errorf("%s: behind the guard is %q, %v", label, src.argv, err)
		}
	}
	if code, _, stderr := capturing(t, "--config", file, "--remove-guard", "--yes", "none", "lines"); code != 0 || strings.Count(read(t, file), "pinproof-capture") != 2 {
		t.Errorf("remove some: code %d\n%s\n%s", code, stderr, read(t, file))
	}
	for range 2 {
		if code, _, stderr := capturing(t, "--config", file, "--remove-guard", "--yes"); code != 0 || read(t, file) != before {
			t.Errorf("remove: code %d\n%s\n%s", code, stderr, read(t, file))
		}
	}
	byHand := strings.Replace(after, `"--guard", "files"`, `"--log", "x", "--guard", "files"`, 1)
	write(t, file, byHand)
	if code, _, stderr := capturing(t, "--config", file, "--remove-guard", "--yes", "files"); code != 2 || read(t, file) != byHand || !strings.Contains(stderr, "by hand") {
		t.Errorf("by hand: code %d\n%s", code, stderr)
	}
}

// TestAddGuardByHand: TOML isn't rewritten; what to write is said to the letter.
func TestAddGuardByHand(t *testing.T) {
	t.Parallel()
	const bare = `[mcp_servers.files]
command = 'C:\npx'
args = ["--no", "a \"b\""]
[mcp_servers."two words"]
command = "run"
[mcp_servers.web]
url = "https://mcp.example.com/mcp"
[mcp_servers.hidden]
command = "a\u202Eb"
`
	const guarded = `[mcp_servers.files]
command = "pinproof-capture"
args = ["--guard", "files", "--", "C:\\npx", "--no", "a \"b\""]
[mcp_servers."two words"]
command = "pinproof-capture"
args = ["--guard", "two words", "--", "run"]
`
	file := filepath.Join(t.TempDir(), "config.toml")
	write(t, file, bare)
	code, stdout, stderr := capturing(t, "--config", file, "--add-guard", "--yes")
	if code != 2 || stdout != guarded || read(t, file) != bare || !strings.Contains(stderr, "config.toml is TOML, which isn't rewritten: write there by hand what stands above\n") ||
		!strings.Contains(stderr, "error: web: it has no command: ") || !strings.Contains(stderr, "error: hidden: ") {
		t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, stderr := capturing(t, "--config", file, "--add-guard", "web"); code != 2 || stdout != "" || !strings.HasSuffix(stderr, "error: 1 server of "+file+" as before\n") {
		t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, stderr := capturing(t, "--config", file, "--remove-guard", "web", "hidden"); code != 0 || stdout+stderr != "" {
		t.Errorf("nothing to remove: code %d\n%s\n%s", code, stdout, stderr)
	}
	write(t, file, guarded)
	for flag, want := range map[string]string{
		"--add-guard":    "",
		"--remove-guard": "[mcp_servers.files]\ncommand = \"C:\\\\npx\"\nargs = [\"--no\", \"a \\\"b\\\"\"]\n",
	} {
		code, stdout, stderr := capturing(t, "--config", file, flag, "files")
		if stdout != want || (code == 0) != (want == "") {
			t.Errorf("%s: code %d\n%s\n%s", flag, code, stdout, stderr)
		}
	}
}
