package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestReadLockfileThatComesAndGoes: while another program moves a lockfile away and back, it is
// found or isn't, but reading it is never an error.
func TestReadLockfileThatComesAndGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.lock")
	other := path + ".other"
	if err := os.WriteFile(path, []byte(jsontest.LockfileText), 0o600); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan bool), make(chan error)
	go func() {
		for {
			for _, move := range [][2]string{{path, other}, {other, path}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					stopped <- err
					return
				}
			}
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
		}
	}()
	there := 0
	for n := 0; n < 20_000 && (n < 2_000 || there == 0 || there == n); n++ {
		l, data, err := ReadLockfile(pin.Gate{HashDefinition: pintest.HashDefinition}, path, nil)
		if err != nil || (data == nil) != (len(l.Servers) == 0) {
			t.Errorf("run %d: %d servers, %v", n, len(l.Servers), err)
			break
		}
		if data != nil {
			there++
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestReadLockfile: there is no lockfile, no folder for it, or a folder in its place.
func TestReadLockfile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"tools.lock":    "",
		"no/tools.lock": "no/tools.lock: no such file or directory",
		"folder":        "folder: a folder, where the lockfile belongs",
	} {
		l, data, err := ReadLockfile(pin.Gate{HashDefinition: pintest.HashDefinition}, path, nil)
		jsontest.WantError(t, err, want)
		if data != nil || len(l.Servers) > 0 {
			t.Errorf("%s: %d bytes, %v", path, len(data), l)
		}
	}
}

// TestRecorded: all that another writer must not have changed meanwhile in the pins that were reviewed.
func TestRecorded(t *testing.T) {
	record := pin.AcceptedWarning{ID: "hidden-text", Digest: jsontree.DigestPrefix + strings.Repeat("0", 64)}
	set := func() pin.Set {
		s := pintest.PinsOf(t, `[{"name":"a"},{"name":"b"}]`, pin.Policy{})
		s.Pins[0].AcceptedWarnings = []pin.AcceptedWarning{record}
		s.Pins[1].Approval = &pin.Approval{By: "Ada"}
		s.AcceptedWarnings = []pin.AcceptedWarning{record}
		return s
	}
	for what, change := range map[string]func(*pin.Set){
		"nothing":                    func(*pin.Set) {},
		"a record of the whole list": func(s *pin.Set) { s.AcceptedWarnings = nil },
		"another of the whole list":  func(s *pin.Set) { s.AcceptedWarnings = []pin.AcceptedWarning{{ID: "oversize", Digest: record.Digest}} },
		"a record of an entry":       func(s *pin.Set) { s.Pins[0].AcceptedWarnings = nil },
		"one more of an entry":       func(s *pin.Set) { s.Pins[1].AcceptedWarnings = []pin.AcceptedWarning{record} },
		"an approval":                func(s *pin.Set) { s.Pins[1].Approval = nil },
		"an approver":                func(s *pin.Set) { s.Pins[1].Approval = &pin.Approval{By: "Eve"} },
		"a digest":                   func(s *pin.Set) { s.Pins[0].Digest = record.Digest },
		"a sanitized digest":         func(s *pin.Set) { s.Pins[0].SanitizedDigest = record.Digest },
		"a policy":                   func(s *pin.Set) { s.Policy.HashOnly = true },
		"a version":                  func(s *pin.Set) { s.ServerInfo.Version = "2" },
		"a mark":                     func(s *pin.Set) { s.Pins[0].Denied = true },
		"an entry":                   func(s *pin.Set) { s.SetPins(s.Pins[:1]) },
	} {
		before, now := set(), set()
		change(&now)
		if got := lockfile.StateText(&before) == lockfile.StateText(&now); got != (what == "nothing") {
			t.Errorf("%s is different: same %t", what, got)
		}
	}
}
