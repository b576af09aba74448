package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// All text of these tests that isn't the user's own argument says EVIL, and what kind of text it is. A model may
// read none of it.
const (
	evilGreets = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"EVIL_SERVER","version":"EVIL_VERSION"},"instructions":"EVIL_TEXT"}`
	evilEntry  = `{"name":"EVIL_ENTRY","description":"EVIL_TEXT","inputSchema":{"type":"object"}}`
	evilPrompt = `{"name":"EVIL_ENTRY"}`
)

// TestModelWords has hooks answer with hostile text everywhere but in the user's own arguments. What the guard says is in
// internal/guard/testdata, what verify --hook says in testdata/script/verify_hook_words.txtar.
func TestModelWords(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	t.Run("hook", hookWords)
	t.Run("a broken hook", brokenHookWords)
}

// saysNothing fails the test if a text for a model has nothing in it, text that isn't ours, a flag
// that decides for a person, or a command that prints either.
func saysNothing(t *testing.T, what, said string) {
	t.Helper()
	if said == "" {
		t.Errorf("%s: nothing is said", what)
	}
	for _, bad := range []string{"EVIL", "--accept", "--yes", "--deny", "pinproof diff", "pinproof lock", "pinproof verify"} {
		if strings.Contains(said, bad) {
			t.Errorf("%s: a model reads %s:\n%s", what, bad, said)
		}
	}
}

func evilCapture(results ...string) (text string) {
	for i, result := range results {
		text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", i+1, result)
	}
	return text
}

// evilGuarded is a project whose lockfile has a hostile server ID beside the user's own.
func evilGuarded(t *testing.T) *guarded {
	t.Helper()
	g := newGuarded(t)
	write(t, filepath.Join(g.folder, "evil.jsonl"), evilCapture(evilGreets, `{"tools":[`+evilEntry+`]}`, `{"prompts":[`+evilPrompt+`]}`))
	g.pinproof(t, "lock", "evil.jsonl", "--server", "EVIL_LABEL", "--yes")
	g.pinproof(t, "lock", "evil.jsonl", "--server", "mine", "--yes")
	return g
}

// hookWords: what the hook says of servers over stdio, and of command lines.
func hookWords(t *testing.T) {
	t.Parallel()
	g := evilGuarded(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	says := filepath.Join(g.folder, "EVIL_PROGRAM")
	write(t, says, "#!/bin/sh\necho EVIL_STDERR >&2\nwhile read -r line; do echo '"+`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"EVIL_ERROR"}}`+"'; done\n")
	if err := os.Chmod(says, 0o755); err != nil {
		t.Fatal(err)
	}
	for what, args := range map[string][]string{
		"drift":         {"mine", "--", self, "play", "good"},
		"unknown":       {"yours", "--", self, "play", "good"},
		"an error":      {"mine", "--timeout", "2", "--", says},
		"no program":    {"mine", "--", says + "2"},
		"no lockfile":   {"mine", "--lock", "EVIL.lock", "--", says},
		"broken":        {"mine", "--lock", "evil.jsonl", "--", self, "play", "good"},
		"a wrong flag":  {"mine", "--frob=EVIL", "--", says},
		"nothing":       {"mine"},
		"a wrong value": {"mine", "--settle", "EVIL", "--", says},
	} {
		hook := exec.Command(self, append([]string{"hook"}, args...)...)
		hook.Dir = g.folder
		hook.Env = append(g.env, "CAPTURE_AS_MAIN=1")
		said, _ := hook.CombinedOutput()
		if hook.ProcessState.ExitCode() != 2 {
			t.Errorf("%s: code %d", what, hook.ProcessState.ExitCode())
		}
		saysNothing(t, what, string(said))
	}
}

// brokenHookWords: what the hook says if something of ours is missing or broken.
func brokenHookWords(t *testing.T) {
	t.Parallel()
	g := evilGuarded(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	programs := filepath.Join(g.folder, "EVIL_PROGRAMS")
	if err := os.Mkdir(programs, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(programs, "pinproof"), "#!/bin/sh\necho EVIL_TEXT >&2\nexit 2\n")
	if err := os.Chmod(filepath.Join(programs, "pinproof"), 0o755); err != nil {
		t.Fatal(err)
	}
	alone := t.TempDir() // where no pinproof is beside the program
	copied := filepath.Join(alone, "pinproof-capture")
	if data := read(t, self); writeProgram(copied, []byte(data)) != nil {
		t.Fatal("no room for the program")
	}
	file := filepath.Join(g.folder, "EVIL_CACHE")
	write(t, file, "a file where a folder should be")
	good := []string{"--", self, "play", "good"}
	for what, c := range map[string]struct {
		env  []string
		args []string
	}{
		"no pinproof":      {[]string{"PATH=" + alone}, good},
		"another pinproof": {[]string{"PATH=" + programs}, good},
		"no cache":         {[]string{"XDG_CACHE_HOME=" + file}, good},
		"headers":          {[]string{"EVIL_VARIABLE=EVIL_SECRET"}, []string{"http://127.0.0.1:1/EVIL_ADDRESS", "--header-env", "EVIL=EVIL_VARIABLE", "--sse"}},
	} {
		var hook *exec.Cmd
		var said []byte
		for tries := 0; tries == 0 || errors.Is(err, syscall.ETXTBSY); tries++ {
			// A test beside this one that starts a program just now may hold the copy open for writing: the system
			// runs no such file.
			time.Sleep(time.Duration(tries) * 10 * time.Millisecond)
			hook = exec.Command(copied, append([]string{"hook", "mine"}, c.args...)...)
			hook.Dir = g.folder
			hook.Env = append(slices.Clone(g.env), append([]string{"CAPTURE_AS_MAIN=1"}, c.env...)...)
			said, err = hook.CombinedOutput()
		}
		if hook.ProcessState.ExitCode() != 2 {
			t.Errorf("%s: code %d", what, hook.ProcessState.ExitCode())
		}
		saysNothing(t, what, string(said))
	}
}
