package workspace

import (
	"os"
	"path/filepath"
	"slices"
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
	for _, c := range []struct {
		drift, name int
		want        string
	}{{37_500, 0, ""}, {37_501, 0, ": 37,501 entries drifted"}, {5_487, 700, ""}, {5_488, 700, ": 5,488 entries drifted"}} {
		drifts := slices.Repeat([]pin.Drift{{Key: pin.Key{Name: strings.Repeat("n", c.name)}}}, c.drift)
		w := Workspace{Verb: "diff", LockPath: filepath.Join(folder, "tools.lock"), ShowsWithoutPins: true}
		w.Capture = capture
		w.Gate = pin.Gate{HashDefinition: pintest.HashDefinition, SetDigest: func(*pin.Set) string { return "" },
			Compare: func([]pin.Comparison) ([]pin.Drift, error) { return drifts, nil }}
		err := w.Load()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), capture+c.want) {
			t.Errorf("%d entries with names of %d bytes: %v", c.drift, c.name, err)
		}
	}
}
