package diff

import (
	"testing"

	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// TestBump has the severity of each kind of drift, and the release that it takes.
func TestBump(t *testing.T) {
	wording := []Change{{Severity: label.Behaviour}, {Severity: label.NoEffect}}
	for _, c := range []struct {
		entryType pin.EntryType
		kind      pin.DriftKind
		changes   []Change
		want      label.Severity
		bump      string
	}{
		{pin.Tools, pin.DriftRemoved, nil, label.Breaking, "major"},
		{pin.Prompts, pin.DriftRemoved, nil, label.Breaking, "major"},
		{pin.Templates, pin.DriftRemoved, nil, label.Breaking, "major"},
		{pin.Instructions, pin.DriftRemoved, nil, label.Behaviour, "minor"},
		{pin.Tools, pin.DriftAdded, nil, label.Behaviour, "minor"},
		{pin.Tools, pin.DriftDuplicate, wording, label.Breaking, "major"},
		{pin.Tools, pin.DriftChanged, nil, label.Breaking, "major"}, // without its texts
		{pin.Tools, pin.DriftHidden, wording, label.Behaviour, "minor"},
		{pin.Tools, pin.DriftChanged, wording[1:], label.NoEffect, "patch"},
	} {
		got := SeverityOf(&pin.Drift{Kind: c.kind, Key: pin.Key{Type: c.entryType}}, c.changes)
		if got != c.want || got.SemverBump() != c.bump {
			t.Errorf("%s of list %d: %s, %s", c.kind, c.entryType, got, got.SemverBump())
		}
	}
}
