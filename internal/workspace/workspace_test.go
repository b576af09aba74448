package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestTooMuchDrift: more drift than a report can hold is no answer.
func TestTooMuchDrift(t *testing.T) {
	folder := t.TempDir()
	capture := filepath.Join(folder, "s.json")
	if err := os.WriteFile(capture, []byte(`{"tools":[{"name":"a"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for drift, want := range map[int]string{maxDrift: "", maxDrift + 1: capture + ": more than 50,000 entries drifted"} {
		w := Workspace{Verb: "diff", LockPath: filepath.Join(folder, "tools.lock"), ShowsWithoutPins: true}
		w.Capture = capture
		w.Gate = pin.Gate{HashDefinition: pintest.HashDefinition, SetDigest: func(*pin.Set) string { return "" },
			Compare: func([]pin.Comparison) ([]pin.Drift, error) { return make([]pin.Drift, drift), nil }}
		err := w.Load()
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d entries: %v", drift, err)
		}
	}
}
