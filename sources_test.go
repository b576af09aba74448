package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// TestStaleWriter: a LOCKFILE.new that no one lets go of. After a while the message
// says which file to delete, and nothing is written.
func TestStaleWriter(t *testing.T) {
	t.Chdir(t.TempDir())
	const lockPath, stale = "my tools.lock", "my tools.lock.new"
	for path, text := range map[string]string{"weather.json": `{"tools":[{"name":"forecast"}]}`, lockPath: jsontest.LockfileText, stale: "half"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, lockPatience: 50 * time.Millisecond}
	if code := a.run([]string{"lock", "weather.json", lockPath, "--server", "weather"}); code != 2 {
		t.Errorf("exit code %d", code)
	}
	const want = "error: my tools.lock.new is there: another pinproof is writing, or one was killed\n" +
		"hint: look first: is another pinproof still running?\n" +
		"hint: only if none is, delete it: rm 'my tools.lock.new'\n"
	if stderr.String() != want || stdout.Len() > 0 {
		t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
	}
	for path, want := range map[string]string{lockPath: jsontest.LockfileText, stale: "half"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s was written: %q, %v", path, got, err)
		}
	}
}
