package pin

import (
	"slices"

	"pinproof/internal/jsontree"
)

// A Comparison is one server's two sides: its pins in the lockfile and those of its capture.
// A server that is new has no pins.
type Comparison struct {
	Server      string
	Capture     string // the path it was read from; "" if there is none
	Lockfile    string // the path that the pins were read from; "" if there are none
	About       string // the server's own name and version, printable
	LockedAbout string // likewise, of when the pins were made; "" also where the capture doesn't say
	Noise       int    // lines of the capture passed over
	Locked      Set
	Captured    Set
	Known       bool // the lockfile has the server
	Present     bool // there is a capture
	SameVersion bool // definitions differ, and the server's own name and version don't
	Part        bool // it is part of a session: what isn't in it says nothing
	Missing     bool // it is pinned, and the folder has no capture of it: nothing is compared
	IgnoreProse bool // diff --ignore-prose: texts are left out of this comparison, never of a pin
	NoPins      bool // what was asked for is not pinned: it is shown, and there is no answer

	Unrelated bool   // the two sides have entries, and none in common
	FileLabel string // the label that the capture's file name gives, "" if it gives none
}

// PolicyDiffers reports whether the two sides were pinned under different policies.
func (p *Comparison) PolicyDiffers() bool {
	return p.Known && p.Present && !p.Locked.Policy.Equal(p.Captured.Policy)
}

// HasNoEntries reports whether a server is new, and has no entry that could be accepted.
func (p *Comparison) HasNoEntries() bool { return !p.Known && len(p.Captured.Pins) == 0 }

// Holders counts the servers that pin or list an entry.
func Holders(sides []Comparison, key Key) int {
	n := 0
	for i := range sides {
		if p := &sides[i]; p.Locked.Find(key) != nil || p.Captured.Find(key) != nil {
			n++
		}
	}
	return n
}

// ComparisonOf returns the comparison of a server, or nil. They are sorted by server.
func ComparisonOf(sides []Comparison, server string) *Comparison {
	i, ok := slices.BinarySearchFunc(sides, server, func(p Comparison, server string) int { return jsontree.CompareUTF16(p.Server, server) })
	if !ok {
		return nil
	}
	return &sides[i]
}
