package main

import "slices"

// Drift is decided in this file, and so is what fails a run. Nothing here reads a text:
// what a warning says can fail a run only where verify was asked to judge by it.

// compareAll compares several servers, in the order of their labels.
func compareAll(pairs []pair) (all []drift) {
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

// A leniency says which drift is reported without failing the run.
type leniency struct {
	kinds    map[kind]bool // --allow
	warnings bool          // --warn: also the warnings that nobody approved
}

// lenient is --warn: drift of every kind is reported without failing the run.
var lenient = leniency{map[kind]bool{added: true, removed: true, changed: true, concealed: true, duplicate: true}, true}

// judge decides how a comparison ends: whether every entry matches its pin and nothing
// else is wrong, and whether the run fails. It marks the drifts that fail the run, and the
// servers that differ. warnings counts the warnings that nobody approved, in what matches
// its pins.
func judge(pairs []pair, drifts []drift, warnings int, allow leniency) (matches, failed bool) {
	matches, failed = len(drifts) == 0 && warnings == 0, warnings > 0 && !allow.warnings
	for i := range pairs {
		p := &pairs[i]
		if p.differs = failsWhole(p); p.differs {
			matches, failed = false, true
		}
	}
	for i := range drifts {
		d := &drifts[i]
		p := pairOf(pairs, d.server)
		p.differs = true
		d.blocked = !allow.kinds[d.kind] || neverAllowed(p)
		failed = failed || d.blocked
	}
	return matches, failed
}

// failsWhole reports whether a server fails as a whole, whatever its entries are.
func failsWhole(p *pair) bool { return p.policyDiffers() || !p.known || !p.present }

// neverAllowed reports whether no flag lets the drift of a server pass: it has no pins, or
// no manifest, or an empty list where entries are pinned. Entries of other lists don't make
// up for an empty list of tools.
func neverAllowed(p *pair) bool {
	emptied := func(pinned, found []pin) bool { return len(pinned) > 0 && len(found) == 0 }
	return !p.known || !p.present || emptied(p.pinned.of(toolList), p.found.of(toolList)) || emptied(p.pinned.pins, p.found.pins)
}

// exitCodeOf is the exit code of a run, given why it has no answer and whether it fails.
func exitCodeOf(noAnswer error, failed bool) int {
	switch {
	case noAnswer != nil:
		return 2
	case failed:
		return 1
	}
	return 0
}

// expectations are the flags that tie a command to the manifests. There are none if a
// name is repeated, because then there is no set digest.
func expectations(pairs []pair) (flags []string) {
	for i := range pairs {
		if pairs[i].found.repeated() {
			return nil
		}
		if pairs[i].present {
			flags = append(flags, "--expect "+pairs[i].found.digest)
		}
	}
	return flags
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
