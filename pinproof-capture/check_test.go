package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

// TestStale: if a server fails, nothing takes what it said once for what it says now.
func TestStale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := standIn(t, "2025-11-25", "one tool")
	bad := standIn(t, "2025-11-25", "dies")
	file := filepath.Join(dir, "a.jsonl")
	captured := func(argv []string) (int, string) {
		code, _, stderr := capturing(t, append([]string{"save", file, "--"}, argv...)...)
		return code, stderr
	}
	if code, stderr := captured(good); code != 0 {
		t.Fatal(stderr)
	}
	first := read(t, file)
	for range 2 { // the second time, nothing is left to rename
		code, stderr := captured(bad)
		if code != 2 || read(t, file+".old") != first {
			t.Errorf("code %d\n%s", code, stderr)
		}
		if _, err := os.Lstat(file); err == nil {
			t.Error("the capture is still there")
		}
	}
	// A file that isn't a capture stays, and so does a lockfile.
	for _, text := range []string{"old", `{"tools":null}`, `{"lockfileVersion":1,"servers":{}}`} {
		write(t, file, text)
		if code, stderr := captured(bad); code != 2 || read(t, file) != text {
			t.Errorf("%s: code %d\n%s", text, code, stderr)
		}
	}

	// In a configuration: a server that fails, is disabled or isn't supported, and captures that belong to no server.
	out := filepath.Join(dir, "out")
	config := filepath.Join(dir, "mcp.json")
	servers := map[string]any{}
	for _, id := range []string{"stays", "fails", "off", "oauth"} {
		servers[id] = map[string]any{"command": good[0], "args": good[1:]}
	}
	configure(t, config, servers)
	if code, _, stderr := capturing(t, "config", config, out); code != 0 {
		t.Fatal(stderr)
	}
	write(t, filepath.Join(out, "left.jsonl"), first)
	write(t, filepath.Join(out, "left.jsonl.old"), first)
	write(t, filepath.Join(out, "notes.txt"), "of the user")
	servers["fails"] = map[string]any{"command": bad[0], "args": bad[1:]}
	servers["off"] = map[string]any{"command": good[0], "disabled": true}
	os.Rename(config, filepath.Join(dir, "cline_mcp_settings.json"))
	config = filepath.Join(dir, "cline_mcp_settings.json") // Cline reads that member
	servers["oauth"] = map[string]any{"url": "http://localhost:1/mcp", "oauth": map[string]any{"a": 1}}
	configure(t, config, servers)
	code, stdout, stderr := capturing(t, "config", config, out)
	if code != 2 || !strings.Contains(stdout, "off: switched off; what it said before is now in "+filepath.Join(out, "off.jsonl.old\n")) ||
		!strings.Contains(stderr, "; what it said before is now in "+filepath.Join(out, "oauth.jsonl.old\n")) ||
		!strings.Contains(stderr, "note: "+filepath.Join(out, "left.jsonl")+" belongs to no server of "+config+": --prune deletes it\n") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	if got := names(t, out); got != "fails.jsonl.old left.jsonl left.jsonl.old notes.txt oauth.jsonl.old off.jsonl.old stays.jsonl" {
		t.Error(got)
	}
	code, stdout, _ = capturing(t, "config", config, out, "stays", "--prune")
	if got := names(t, out); code != 0 || got != "fails.jsonl.old notes.txt oauth.jsonl.old off.jsonl.old stays.jsonl" || strings.Count(stdout, "deleted ") != 2 {
		t.Errorf("code %d, %s\n%s", code, got, stdout)
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

// names returns the names of a folder's files.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// checking runs check in a folder, with the pinproof of this checkout.
func checking(t *testing.T, g *guarded, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"check"}, args...)...)
	cmd.Dir = folder
	cmd.Env = append(g.env, "CAPTURE_AS_MAIN=1")
	var out, told strings.Builder
	cmd.Stdout = &out
	cmd.Stderr = &told
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), told.String()
}

// TestCheck: check goes from a configuration to pinproof's answer and code, also from a folder below
// it. If a server fails, the code is 2 in every format, and nothing of an earlier run is judged.
func TestCheck(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	programs, err := pinproofHere()
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	below := filepath.Join(project, "below")
	for _, dir := range []string{below, filepath.Join(project, ".git")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	good := standIn(t, "2025-11-25", "one tool")
	other := standIn(t, "2025-11-25", "")
	bad := standIn(t, "2025-11-25", "dies")
	server := func(argv []string) map[string]any { return map[string]any{"command": argv[0], "args": argv[1:]} }
	config := filepath.Join(project, ".mcp.json")
	two := map[string]any{"files": server(good), "docs": server(other)}
	configure(t, config, two)
	pinproof := func(want int, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(programs, "pinproof"), args...)
		cmd.Dir = project
		cmd.Env = g.env
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%s: %v\n%s", args, cmd.ProcessState, out)
		}
	}

	code, stdout, stderr := checking(t, g, project)
	if code != 2 || !strings.Contains(stderr, "no such lockfile") || strings.Count(stderr, " in 0.") < 2 {
		t.Errorf("without a lockfile: code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := capturing(t, "config", config, filepath.Join(project, "captures")); code != 0 {
		t.Fatal(stderr)
	}
	pinproof(0, "lock", "captures")
	write(t, filepath.Join(project, "captures", "gone.jsonl"), read(t, filepath.Join(project, "captures", "docs.jsonl")))

	for _, folder := range []string{project, below} {
		code, stdout, stderr = checking(t, g, folder)
		if code != 0 || !strings.HasPrefix(stdout, "OK: 0 drift (4 tools") || strings.Count(stderr, "  files  ") != 2 {
			t.Errorf("match: code %d\n%s%s", code, stdout, stderr)
		}
	}
	// One is left, of the run without a lockfile.
	if left := names(t, filepath.Join(g.cache, "pinproof", "checks")); strings.Count(left, "check-") != 1 {
		t.Errorf("captures are left: %s", left)
	}
	code, stdout, _ = checking(t, g, project, "files")
	if code != 0 || !strings.HasPrefix(stdout, "OK: 0 drift (1 tool, ") {
		t.Errorf("one of two: code %d\n%s", code, stdout)
	}

	// Those that are named are judged, and no others. One that fails is no drift, and one that its client doesn't start is named.
	dead := map[string]any{"files": server(good), "docs": server(bad), "gone": server(good)}
	configure(t, config, dead)
	code, stdout, stderr = checking(t, g, project, "files", "docs")
	if code != 2 || !strings.HasPrefix(stdout, "OK: 0 drift (1 tool, ") || strings.Contains(stdout+stderr, "MISSING") || strings.Contains(stdout+stderr, "checks") || !strings.HasSuffix(stderr, "error: 1 of 2 servers could not be captured: docs\n") {
		t.Errorf("one fails: code %d\n%s%s", code, stdout, stderr)
	}
	off := server(bad)
	off["disabled"] = true
	roo := filepath.Join(project, ".roo", "mcp.json")
	configure(t, roo, map[string]any{"files": server(good), "docs": off})
	code, stdout, stderr = checking(t, g, project, "--config", roo)
	if code != 0 || !strings.HasPrefix(stdout, "OK: 0 drift (1 tool, ") || !strings.Contains(stderr, "1 switched off: docs\n") {
		t.Errorf("one is off: code %d\n%s%s", code, stdout, stderr)
	}
	os.RemoveAll(filepath.Dir(roo))
	configure(t, config, two)

	two["more"] = server(good) // one that isn't pinned
	configure(t, config, two)
	for _, args := range [][]string{nil, {"more"}} {
		code, stdout, stderr = checking(t, g, project, args...)
		if code != 1 || !strings.Contains(stdout, "4 added") || !strings.HasSuffix(stderr, " --review\n") {
			t.Errorf("unpinned %s: code %d\n%s%s", args, code, stdout, stderr)
		}
	}

	// The hint at a review is missing if a machine reads the answer, or if a check lets something pass.
	for _, args := range [][]string{{"--format", "json"}, {"--report", "json=" + filepath.Join(project, "report.json")}, {"--allow", "missing"}} {
		code, _, stderr = checking(t, g, project, args...)
		if code != 1 || strings.Contains(stderr, "--review") {
			t.Errorf("%s: code %d\n%s", args, code, stderr)
		}
	}

	delete(two, "more")
	for id, dead := range map[string]any{"docs": server(bad), "new": server(bad), "caf\u00e9": server(good)} {
		three := map[string]any{"files": server(good), "docs": server(other), id: dead}
		configure(t, config, three)
		report := filepath.Join(project, "report.json")
		code, stdout, stderr = checking(t, g, project)
		if code != 2 || !strings.HasSuffix(stderr, "of "+map[bool]string{true: "2", false: "3"}[id == "docs"]+" servers could not be captured: "+map[string]string{"docs": "docs", "new": "new", "caf\u00e9": `"caf<U+00E9>"`}[id]+"\n") {
			t.Errorf("%s: code %d\n%s%s", id, code, stdout, stderr)
		}
		code, stdout, stderr = checking(t, g, project, "--format", "json", "--report", "json="+report)
		if code != 2 || !strings.Contains(stdout, `"exitCode":2`) || read(t, report) != stdout {
			t.Errorf("%s: code %d\n%s%s", id, code, stdout, stderr)
		}
	}

	// It has to be clear which configuration is meant, and none above a repository's root counts.
	configure(t, config, two)
	if err := os.Mkdir(filepath.Join(below, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := checking(t, g, below); code != 2 || !strings.HasPrefix(stderr, "error: no configuration of a client is here") {
		t.Errorf("code %d\n%s", code, stderr)
	}
	configure(t, filepath.Join(project, ".cursor", "mcp.json"), two)
	configure(t, filepath.Join(project, ".gemini", "settings.json"), map[string]any{})
	if code, _, stderr := checking(t, g, project); code != 2 || !strings.HasPrefix(stderr, "error: 2 configurations here: which one is meant?\nhint: pinproof-capture check --config .mcp.json\n") {
		t.Errorf("code %d\n%s", code, stderr)
	}
	if code, _, stderr := checking(t, g, project, "--config", ".cursor/mcp.json"); code != 0 {
		t.Errorf("code %d\n%s", code, stderr)
	}
	// Without a terminal, relock asks nothing and writes nothing.
	before := read(t, filepath.Join(project, "tools.lock"))
	two["more"] = server(good)
	configure(t, config, two)
	if code, _, stderr := checking(t, g, project, "--config", ".mcp.json", "--review"); code == 0 || read(t, filepath.Join(project, "tools.lock")) != before {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestCheckShowsTheOthers: if a server can't be captured, pinned or not, a machine reads the drift
// of the others, and that there is no answer.
func TestCheckShowsTheOthers(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	folder := t.TempDir()
	server := func(twist string) map[string]any {
		argv := standIn(t, "2025-11-25", twist)
		return map[string]any{"command": argv[0], "args": argv[1:]}
	}
	dead := map[string]any{"command": filepath.Join(folder, "none")}
	config := filepath.Join(folder, ".mcp.json")
	configure(t, config, map[string]any{"files": server(""), "docs": server("")})
	if code, _, stderr := capturing(t, "config", config, filepath.Join(folder, "captures")); code != 0 {
		t.Fatal(stderr)
	}
	programs, _ := pinproofHere()
	lock := exec.Command(filepath.Join(programs, "pinproof"), "lock", "captures", "--yes")
	lock.Dir = folder
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, failing := range []string{"docs", "new"} {
		servers := map[string]any{"files": server("one tool"), "docs": server("")}
		servers[failing] = dead
		configure(t, config, servers)
		for _, flags := range [][]string{nil, {"--allow", "missing"}} {
			code, stdout, stderr := checking(t, g, folder, append([]string{"--format", "json"}, flags...)...)
			if code != 2 || !strings.Contains(stdout, `"exitCode":2`) || !strings.Contains(stdout, `"name":"read_file"`) || !strings.Contains(stdout, "could not be captured: "+failing) {
				t.Errorf("%s, %q: code %d\n%s\n%s", failing, flags, code, stdout, stderr)
			}
		}
	}
}
