package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/pintest"
)

// TestPoisonedRun: on the command line, an upgrade with hidden text in a tool is neither verified nor accepted.
func TestPoisonedRun(t *testing.T) {
	old, lock := pintest.MadeUpServers+"/files/2.1.0.json", filepath.Join(t.TempDir(), "tools.lock")
	poisoned := pintest.PoisonedCapture(t, pintest.MadeUpServers+"/files/2.10.0.json")
	if code, out := runHere("lock", old, lock, "--accept-warnings"); code != 0 {
		t.Fatalf("lock: exit %d\n%s", code, out)
	}
	code, out := runHere("verify", poisoned, lock)
	if code != 1 || !strings.HasPrefix(out, "BLOCK [CHANGED] tool=write_file\n  | WARNING hidden-text ") || !strings.Contains(out, "\nDRIFT: 1 WARNING hidden-text in write_file; ") {
		t.Errorf("verify: exit %d\n%s", code, out)
	}
	if code, out := runHere("relock", poisoned, lock, "--accept-all"); code != 1 || !strings.Contains(out, "DRIFT: 1 left: write_file\n") {
		t.Errorf("relock: exit %d\n%s", code, out)
	}
	if code, out := runHere("verify", poisoned, lock); code != 1 || strings.Count(out, "BLOCK ") != 1 {
		t.Errorf("verify of what is left: exit %d\n%s", code, out)
	}
}
