package pin

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// A DriftKind says how an entry has drifted. compare in verify.go, at the root, decides which.
type DriftKind string

const (
	Added     DriftKind = "ADDED"     // an entry that no pin names
	Removed   DriftKind = "REMOVED"   // a pin whose entry is gone
	Changed   DriftKind = "CHANGED"   // digest and sanitized digest differ
	Hidden    DriftKind = "HIDDEN"    // the digest differs, the sanitized digest does not
	Duplicate DriftKind = "DUPLICATE" // several entries with the same identity, whatever they say
)

// A Drift is one entry that is not what its pin says.
type Drift struct {
	Server string
	Key
	Kind     DriftKind
	Locked   *Pin  // nil if ADDED, or for a repeated name that no pin has
	Captured *Pin  // nil if REMOVED; the first of them if DUPLICATE
	Copies   []Pin // all entries captured under its name; more than one if DUPLICATE

	RenamedFrom    string // for an ADDED entry: the REMOVED one that it seems to be under a new name
	RenamedTo      string // for a REMOVED entry: the ADDED one
	RenamedSimilar bool   // apart from the name the two are nearly equal, not equal
}

// EntryRef names the entry in a line that we print.
func (d *Drift) EntryRef() string { return EntryRef(d.Type, d.Name) }

// A Ref identifies an entry across servers.
type Ref struct {
	Server string
	Key
}

// Ref identifies the entry.
func (d *Drift) Ref() Ref { return Ref{d.Server, d.Key} }

// TextsKnown reports whether the definitions of a drifted entry are known: pins made with
// hashOnly have none.
func (d *Drift) TextsKnown() bool {
	return (d.Locked == nil || d.Locked.Definition != nil) && (d.Captured == nil || d.Captured.Definition != nil)
}

// Definitions lists the different definitions of a repeated name.
func (d *Drift) Definitions() []Pin {
	return slices.CompactFunc(slices.Clone(d.Copies), func(a, b Pin) bool { return a.Digest == b.Digest })
}

// DefinitionDigest is the digest that a person accepts with a drift: that of the
// definition found or, for a REMOVED entry, of the pinned one.
func (d *Drift) DefinitionDigest() string {
	if d.Kind == Removed {
		return d.Locked.Digest
	}
	return d.Captured.Digest
}

// CompareDrifts orders by server, list, name and kind.
func CompareDrifts(a, b Drift) int {
	return cmp.Or(jsontree.CompareUTF16(a.Server, b.Server), CompareKeys(a.Key, b.Key), strings.Compare(string(a.Kind), string(b.Kind)))
}
