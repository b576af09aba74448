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

// A drift is one entry that is not what its pin says.
type drift struct {
	server string
	entryKey
	kind   kind
	pinned *pin  // nil if ADDED, or for a repeated name that no pin has
	found  *pin  // nil if REMOVED; the first of them if DUPLICATE
	copies []pin // all entries found under its name; more than one if DUPLICATE

	renamedFrom    string // for an ADDED entry: the REMOVED one that it seems to be under a new name
	renamedTo      string // for a REMOVED entry: the ADDED one
	renamedSimilar bool   // apart from the name the two are nearly equal, not equal
}

// ref names the entry in a line that we print.
func (d *drift) ref() string { return entryRef(d.list, d.name) }

// textsKnown reports whether the definitions of a drifted entry are known: pins made with
// hashOnly have none.
func (d *drift) textsKnown() bool {
	return (d.pinned == nil || d.pinned.definition != nil) && (d.found == nil || d.found.definition != nil)
}

// A pair is one server's two sides: its pins in the lockfile and those of its manifest.
// Either side may be missing: the server is new, or it has vanished.
type pair struct {
	server   string
	from     string // the label whose pins are compared, if it is another one (--from)
	manifest string // the path it was read from; "" if there is none
	about    string // the server's own name and version, printable
	noise    int    // lines of the manifest passed over
	pinned   pinset
	found    pinset
	known    bool // the lockfile has the server
	present  bool // there is a manifest
}

// policyDiffers reports whether the two sides were pinned under different policies.
func (p *pair) policyDiffers() bool {
	return p.known && p.present && !p.pinned.policy.equal(p.found.policy)
}

// comparePairs compares several servers, in the order of their labels.
func comparePairs(pairs []pair) (all []drift) {
	for _, p := range pairs {
		drifts, _ := compare(p.pinned, p.found)
		for i := range drifts {
			drifts[i].server = p.server
		}
		all = append(all, drifts...)
	}
	return all
}

// compare returns the drift between a manifest's pins and the lockfile's, sorted,
// and the number of entries that match. Every command compares with this function alone.
func compare(pinned, found pinset) (drifts []drift, matched int) {
	old, new := pinned.pins, found.pins
	for len(old) > 0 || len(new) > 0 {
		order := mergeOrder(len(old), len(new), func() int { return compareKeys(old[0].entryKey, new[0].entryKey) })
		d := drift{server: found.server}
		if order <= 0 {
			d.entryKey, d.pinned, old = old[0].entryKey, &old[0], old[1:]
		}
		if order >= 0 {
			d.entryKey, d.found = new[0].entryKey, &new[0]
			n := 1
			for n < len(new) && new[n].entryKey == d.entryKey {
				n++
			}
			d.copies, new = new[:n], new[n:]
		}
		switch {
		case d.found == nil:
			d.kind = removed
		case len(d.copies) > 1:
			d.kind = duplicate
		case d.pinned == nil:
			d.kind = added
		case d.pinned.digest == d.found.digest:
			matched++
			continue
		case d.pinned.sanitized == d.found.sanitized:
			d.kind = concealed
		default:
			d.kind = changed
		}
		drifts = append(drifts, d)
	}
	slices.SortStableFunc(drifts, compareDrifts)
	return drifts, matched
}

// compareDrifts orders by server, list, name and kind.
func compareDrifts(a, b drift) int {
	return cmp.Or(compareUTF16(a.server, b.server), compareKeys(a.entryKey, b.entryKey), strings.Compare(string(a.kind), string(b.kind)))
}

// falseSanitized finds a pin whose sanitizedDigest is not that of its definition, or
// returns nil. If the definition isn't stored, only the manifest can show that.
func falseSanitized(pinned, found pinset) *pin {
	for i := range pinned.pins {
		p := &pinned.pins[i]
		if f := found.find(p.entryKey); p.definition == nil && f != nil && f.digest == p.digest && f.sanitized != p.sanitized {
			return p
		}
	}
	return nil
}
