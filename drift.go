package main

import (
	"cmp"
	"slices"
	"strings"
)

// A kind of drift.
type kind string

const (
	added     kind = "ADDED"     // an entry that no pin names
	removed   kind = "REMOVED"   // a pin whose entry is gone
	changed   kind = "CHANGED"   // digest and sanitized digest differ
	concealed kind = "HIDDEN"    // the digest differs, the sanitized digest does not
	duplicate kind = "DUPLICATE" // several entries with the same identity, whatever they say
)

// kinds lists every kind of drift, the most suspicious first.
var kinds = [...]kind{duplicate, concealed, added, changed, removed}

// A drift is one entry that is not what its pin says.
type drift struct {
	server string
	entryKey
	kind    kind
	pinned  *pin  // nil if ADDED, or for a repeated name that no pin has
	found   *pin  // nil if REMOVED; the first of them if DUPLICATE
	copies  []pin // all entries found under its name; more than one if DUPLICATE
	blocked bool  // it fails the run

	renamedFrom    string // for an ADDED entry: the REMOVED one that it seems to be under a new name
	renamedTo      string // for a REMOVED entry: the ADDED one
	renamedSimilar bool   // apart from the name the two are nearly equal, not equal
}

// ref names the entry in a line that we print.
func (d *drift) ref() string { return entryRef(d.list, d.name) }

// A driftKey identifies an entry across servers.
type driftKey struct {
	server string
	entryKey
}

func (d *drift) key() driftKey { return driftKey{d.server, d.entryKey} }

// textsKnown reports whether the definitions of a drifted entry are known: pins made with
// hashOnly have none.
func (d *drift) textsKnown() bool {
	return (d.pinned == nil || d.pinned.definition != nil) && (d.found == nil || d.found.definition != nil)
}

// definitions lists the different definitions of a repeated name.
func (d *drift) definitions() []pin {
	return slices.CompactFunc(slices.Clone(d.copies), func(a, b pin) bool { return a.digest == b.digest })
}

// definitionDigest is the digest that a person accepts with a drift: that of the
// definition found or, for a REMOVED entry, of the pinned one.
func (d *drift) definitionDigest() string {
	if d.kind == removed {
		return d.pinned.digest
	}
	return d.found.digest
}

// compareDrifts orders by server, list, name and kind.
func compareDrifts(a, b drift) int {
	return cmp.Or(compareUTF16(a.server, b.server), compareKeys(a.entryKey, b.entryKey), strings.Compare(string(a.kind), string(b.kind)))
}

// A pair is one server's two sides: its pins in the lockfile and those of its manifest.
// Either side may be missing: the server is new, or it has vanished.
type pair struct {
	server   string
	manifest string // the path it was read from; "" if there is none
	about    string // the server's own name and version, printable
	noise    int    // lines of the manifest passed over
	pinned   pinset
	found    pinset
	known    bool // the lockfile has the server
	present  bool // there is a manifest

	unrelated bool   // the two sides have entries, and none in common
	fileLabel string // the label that the manifest's file name gives, "" if it gives none
	differs   bool   // an entry has drifted, or the server fails as a whole
}

// policyDiffers reports whether the two sides were pinned under different policies.
func (p *pair) policyDiffers() bool {
	return p.known && p.present && !p.pinned.policy.equal(p.found.policy)
}

// hasNoEntries reports whether a server is new or has vanished, and has no entry that
// could be accepted.
func (p *pair) hasNoEntries() bool {
	return (!p.known || !p.present) && len(p.pinned.pins)+len(p.found.pins) == 0
}

// holders counts the servers that pin or list an entry.
func holders(pairs []pair, key entryKey) int {
	n := 0
	for i := range pairs {
		if p := &pairs[i]; p.pinned.find(key) != nil || p.found.find(key) != nil {
			n++
		}
	}
	return n
}

// pairOf returns the pair of a server, or nil. Pairs are sorted by server.
func pairOf(pairs []pair, server string) *pair {
	i, ok := slices.BinarySearchFunc(pairs, server, func(p pair, server string) int { return compareUTF16(p.server, server) })
	if !ok {
		return nil
	}
	return &pairs[i]
}
