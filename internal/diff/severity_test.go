package diff

import (
	"testing"

	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// TestBump has the severity of each kind of drift, and the release that it takes.
func TestBump(t *testing.T) {
	wording := []Change{{Severity: label.Behaviour}, {Severity: label.None}}
	for _, c := range []struct {
		entryType pin.EntryType
		kind      pin.DriftKind
		changes   []Change
		want      label.Severity
		bump      string
	}{
		{pin.Tools, pin.Removed, nil, label.Breaking, "major"},
		{pin.Prompts, pin.Removed, nil, label.Breaking, "major"},
		{pin.Templates, pin.Removed, nil, label.Breaking, "major"},
		{pin.Instructions, pin.Removed, nil, label.Behaviour, "minor"},
		{pin.Tools, pin.Added, nil, label.Behaviour, "minor"},
		{pin.Tools, pin.Duplicate, wording, label.Breaking, "major"},
		{pin.Tools, pin.Changed, nil, label.Breaking, "major"}, // without its texts
		{pin.Tools, pin.Hidden, wording, label.Behaviour, "minor"},
		{pin.Tools, pin.Changed, wording[1:], label.None, "patch"},
	} {
		got := SeverityOf(&pin.Drift{Kind: c.kind, Key: pin.Key{Type: c.entryType}}, c.changes)
		if got != c.want || got.Bump() != c.bump {
			t.Errorf("%s of list %d: %s, %s", c.kind, c.entryType, got, got.Bump())
		}
	}
}
