// Package house has tests of the repository as a whole: what its tables, its documentation and its files have to agree
// on.
package house

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"pinproof/internal/pintest"
)

// maxFileBytes is more than any file that a person reads or a program needs. The largest ones are captures and learned
// weights.
const maxFileBytes = 500_000

// TestCommittedFiles: no built program and no large file is committed.
func TestCommittedFiles(t *testing.T) {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = pintest.FromRoot(".")
	out, err := list.Output()
	if err != nil {
		t.Skipf("no repository here: %v", err)
	}
	names := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for _, name := range names {
		data, err := os.ReadFile(pintest.FromRoot(string(name)))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if why := refused(data); why != "" {
			t.Errorf("%s %s", name, why)
		}
	}
	if len(names) < 300 {
		t.Errorf("only %d files", len(names))
	}
}

// refused returns why a file may not be committed, or "".
func refused(data []byte) string {
	for _, magic := range []string{"\x7fELF", "MZ", "\xfe\xed\xfa", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "!<arch>", "PK\x03\x04", "\x1f\x8b"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return "is a built program or an archive"
		}
	}
	if len(data) > maxFileBytes {
		return "has more than 500 kB"
	}
	return ""
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "package main": false, "\x7fELF\x02": true, "MZ\x90": true, "PK\x03\x04": true, string(make([]byte, maxFileBytes)): false, string(make([]byte, maxFileBytes+1)): true,
	} {
		if got := refused([]byte(text)) != ""; got != want {
			t.Errorf("%.9q of %d bytes: refused %t", text, len(text), got)
		}
	}
}
