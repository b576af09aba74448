package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// gated makes a project with a lockfile, a pinproof on the path, and a temporary
// folder of its own. It runs in the project's folder src.
func gated(t *testing.T) (project string) {
	t.Helper()
	project = t.TempDir()
	bin, temp := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := "pinproof"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	text, err := os.ReadFile(self)
	if err == nil {
		err = writeProgram(filepath.Join(bin, name), text)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	t.Setenv("XDG_CACHE_HOME", temp)
	t.Setenv("LocalAppData", temp)
	t.Setenv("HOME", temp)
	for _, variable := range []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"} {
		t.Setenv(variable, "")
	}
	for _, dir := range []string{"src", ".git"} {
		if err := os.Mkdir(filepath.Join(project, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(project, "tools.lock"), "{}")
	t.Chdir(filepath.Join(project, "src"))
	return project
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// hooked runs the hook with an event larger than a pipe holds.
func hooked(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return hookedAs(t, "files", args...)
}

func hookedAs(t *testing.T, id string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	event := strings.NewReader(strings.Repeat("x", 300_000))
	var out, err bytes.Buffer
	code = run(append([]string{"hook", id}, args...), event, &out, &err)
	if rest, _ := io.ReadAll(event); len(rest) > 0 {
		t.Errorf("%d bytes of the event were not taken", len(rest))
	}
	if out.Len() > 0 {
		t.Errorf("standard output: %s", &out)
	}
	if code == 2 && err.Len() == 0 {
		t.Error("a no without words")
	}
	if err.Len() > 2<<10 || strings.Contains(err.String(), "IGNORE") || strings.Contains(err.String(), "order") {
		t.Errorf("standard error, %d bytes: %s", err.Len(), &err)
	}
	return code, out.String(), err.String()
}

// cached is the folder of what is kept.
func cached(t *testing.T) string {
	t.Helper()
	folder, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "pinproof")
}

func temporary(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cached(t), "refused", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestHook(t *testing.T) {
	project := gated(t)
	lock := filepath.Join(project, "tools.lock") // the full path, because a person may be in another folder
	code, _, stderr := hooked(t, append([]string{"--"}, standIn(t, "2025-11-25", "one tool")...)...)
	if code != 0 || stderr != "" || len(temporary(t)) != 0 {
		t.Errorf("match: code %d, left %v\n%s", code, temporary(t), stderr)
	}
	code, _, stderr = hooked(t, append([]string{"--"}, standIn(t, "2025-11-25", "")...)...)
	if kept := temporary(t); code != 2 || len(kept) != 1 || stderr != "pinproof: blocked: verify --hook --server=files -- "+kept[0]+" "+lock+"\n" {
		t.Errorf("drift: code %d, kept %v\n%s", code, kept, stderr)
	}
	server := newStandInHTTP(t, "2025-11-25", "one tool", false)
	if code, _, stderr := hooked(t, server.URL); code != 0 {
		t.Errorf("remote: code %d\n%s", code, stderr)
	}
}

// TestHookUnknownLabel: if the lockfile doesn't have the server ID, the hook names the ID, because
// it is the user's, and says how many servers there are. No server is started.
func TestHookUnknownLabel(t *testing.T) {
	project := gated(t)
	write(t, filepath.Join(project, "tools.lock"), `{"lockfileVersion":1,"servers":{"files":{"tools":{}},"web \u202e":{"tools":{}}}}`)
	log := filepath.Join(t.TempDir(), "log")
	code, _, stderr := hookedAs(t, "flies", append([]string{"--"}, standIn(t, "2025-11-25", "one tool", log)...)...)
	want := "pinproof: blocked: the lockfile has no server flies\n" +
		"Do not use this server's tools. A person goes on with: pinproof-capture save flies.jsonl -- COMMAND (or its URL)\n"
	if _, err := os.Stat(log); code != 2 || stderr != want || err == nil {
		t.Errorf("code %d, %v\n%s", code, err, stderr)
	}
}

func TestHookBlocks(t *testing.T) {
	project := gated(t)
	good := append([]string{"--"}, standIn(t, "2025-11-25", "one tool")...)
	for what, args := range map[string][]string{
		"no command":   {},
		"an empty one": {"--"},
		"a wrong flag": append([]string{"--frob"}, good...),
		"dead":         append([]string{"--"}, standIn(t, "2025-11-25", "dies")...),
		"an error":     append([]string{"--"}, standIn(t, "2025-11-25", "no tools answered")...),
		"hangs":        append([]string{"--timeout", "1", "--"}, standIn(t, "2025-11-25", "hangs")...),
		"no program":   {"--", "no-such-program"},
		"no such lock": append([]string{"--lock", "other.lock"}, good...),
		"unreachable":  {"http://127.0.0.1:1/"},
		"no dashes":    {"my-server", "-h", "127.0.0.1"},
		"a version":    {"--version"},
	} {
		if code, _, stderr := hooked(t, args...); code != 2 {
			t.Errorf("%s: code %d\n%s", what, code, stderr)
		}
	}
	// No file can have a name of that length.
	if code, _, stderr := hookedAs(t, strings.Repeat(" ", 100), good...); code != 2 || !strings.Contains(stderr, "the capture can't be written") {
		t.Errorf("no room: code %d\n%s", code, stderr)
	}
	if left := temporary(t); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	t.Setenv("STANDIN_PINPROOF", "silent")
	if code, _, stderr := hooked(t, good...); code != 2 || !strings.Contains(stderr, "pinproof gave no answer") {
		t.Errorf("a silent pinproof: code %d\n%s", code, stderr)
	}
	t.Setenv("STANDIN_PINPROOF", "")
	t.Setenv("PATH", "")
	if code, _, stderr := hooked(t, good...); code != 2 || !strings.Contains(stderr, "neither beside pinproof-capture nor on the path") {
		t.Errorf("no pinproof: code %d\n%s", code, stderr)
	}
	if err := os.Remove(filepath.Join(project, "tools.lock")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := hooked(t, good...); code != 2 || !strings.Contains(stderr, "there is no lockfile for this project") {
		t.Errorf("no lockfile: code %d\n%s", code, stderr)
	}
}

// TestRemedy: the command that shows a person the reason leaves out the command and the address, in which something may
// be secret or mean something to a shell.
func TestRemedy(t *testing.T) {
	project := gated(t)
	for _, reason := range []string{"the tools of server files could not be listed", "there is no lockfile for this project"} {
		for _, args := range [][]string{
			append([]string{"--"}, standIn(t, "2025-11-25", "dies")...),
			{"http://user:SECRET@127.0.0.1:1/mcp/v1.0/~?key=SECRET&x=1#SECRET"}, // nothing listens on port 1
			{"HTTP://127.0.0.1:1/$(SECRET)", "--header-env", "X-Key=STANDIN_SECRET", "--sse"},
		} {
			want := "pinproof: blocked: " + reason + "\nDo not use this server's tools. A person goes on with: pinproof-capture save files.jsonl -- COMMAND (or its URL)\n"
			if code, _, stderr := hooked(t, args...); code != 2 || stderr != want {
				t.Errorf("%v: code %d\n%s", args, code, stderr)
			}
		}
		os.Remove(filepath.Join(project, "tools.lock"))
	}
}

// TestInterrupted: an interrupt ends the server with the capture, and no file is written.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, pid := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "pid")
	cmd := exec.Command(self, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", "leaves a child, hangs", filepath.Join(dir, "log"), pid)...)...)
	cmd.Env = append(os.Environ(), "CAPTURE_AS_MAIN=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if text, err := os.ReadFile(pid); err == nil && len(text) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.HasPrefix(stderr.String(), "error: interrupted\n") {
		t.Errorf("code %d\n%s", code, &stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
	hasEnded(t, read(t, pid))
}

// TestHookDenied: a hook can't leave an entry out. So it blocks, unless a flag says that something
// else leaves it out.
func TestHookDenied(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	g.pinproof(t, "relock", "files.jsonl", "--deny", "b")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags []string
		want  string // "" for a pass
	}{
		{nil, "a person has denied 1 MCP entry of server files"},
		{[]string{"--allow", "denied"}, ""},
		{[]string{"--allow", "added"}, "the command line of this hook can't be used"},
	} {
		cmd := exec.Command(self, slices.Concat([]string{"hook", "files"}, test.flags, []string{"--", self, "play", "good"})...)
		cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
		cmd.Dir = g.folder
		out, _ := cmd.CombinedOutput()
		code := cmd.ProcessState.ExitCode()
		said := string(out)
		if (code == 0) != (test.want == "") || !strings.Contains(said, test.want) || strings.Contains(said, `"b"`) {
			t.Errorf("%v: code %d: %s", test.flags, code, said)
		}
	}
}
