package main

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// Drift is decided in this file, and so is what fails a run. Nothing here reads a text:
// what a warning says can fail a run only where verify was asked to judge by it.

// compareAll compares several servers, in the order of their labels.
func compareAll(pairs []pin.Comparison) (all []pin.Drift) {
	for _, p := range pairs {
		if p.Missing {
			continue // what nobody captured has neither stayed nor gone
		}
		drifts, _ := compare(p.Locked, p.Captured)
		for i := range drifts {
			drifts[i].Server = p.Server
		}
		all = append(all, drifts...)
	}
	return all
}

// comparePart compares with a part of a session: what is there must match, and a pin whose
// entry isn't there is no drift.
func comparePart(pairs []pin.Comparison) []pin.Drift {
	return slices.DeleteFunc(compareAll(pairs), func(d pin.Drift) bool { return d.Kind == pin.Removed })
}

// compare returns the drift between a capture's pins and the lockfile's, sorted,
// and the number of entries that match. Every command compares with this function alone.
func compare(pinned, found pin.Set) (drifts []pin.Drift, matched int) {
	old, new := pinned.Pins, found.Pins
	for len(old) > 0 || len(new) > 0 {
		order := jsontree.MergeOrder(len(old), len(new), func() int { return pin.CompareKeys(old[0].Key, new[0].Key) })
		d := pin.Drift{Server: found.Server}
		if order <= 0 {
			d.Key, d.Locked, old = old[0].Key, &old[0], old[1:]
		}
		if order >= 0 {
			d.Key, d.Captured = new[0].Key, &new[0]
			n := 1
			for n < len(new) && new[n].Key == d.Key {
				n++
			}
			d.Copies, new = new[:n], new[n:]
		}
		switch {
		case d.Captured == nil:
			d.Kind = pin.Removed
		case len(d.Copies) > 1:
			d.Kind = pin.Duplicate
		case d.Locked == nil:
			d.Kind = pin.Added
		case d.Locked.Digest == d.Captured.Digest:
			matched++
			continue
		case d.Locked.Sanitized == d.Captured.Sanitized:
			d.Kind = pin.Hidden
		default:
			d.Kind = pin.Changed
		}
		drifts = append(drifts, d)
	}
	slices.SortStableFunc(drifts, pin.CompareDrifts)
	return drifts, matched
}

// A leniency says which drift is reported without failing the run.
type leniency struct {
	kinds    map[pin.DriftKind]bool // --allow
	missing  bool                   // --allow missing: also pinned servers without a capture
	warnings bool                   // --warn: also the warnings that nobody approved
}

// lenient is --warn: drift of every kind is reported without failing the run.
var lenient = leniency{
	kinds:    map[pin.DriftKind]bool{pin.Added: true, pin.Removed: true, pin.Changed: true, pin.Hidden: true, pin.Duplicate: true},
	warnings: true,
}

// judge decides how a comparison ends: whether every entry matches its pin and nothing
// else is wrong, and whether the run fails. It marks the drifts that fail the run, and the
// servers that differ. warnings counts the warnings that nobody approved, in what matches
// its pins.
func judge(pairs []pin.Comparison, drifts []pin.Drift, warnings int, allow leniency) (matches, failed bool) {
	matches, failed = len(drifts) == 0 && warnings == 0, warnings > 0 && !allow.warnings
	for i := range pairs {
		p := &pairs[i]
		p.Differs = failsWhole(p)
		matches = matches && !p.Differs
		failed = failed || p.Differs && !(p.Missing && missingAllowed(pairs, allow))
	}
	for i := range drifts {
		d := &drifts[i]
		p := pin.ComparisonOf(pairs, d.Server)
		p.Differs = true
		d.Blocked = !allow.kinds[d.Kind] || neverAllowed(p)
		failed = failed || d.Blocked
	}
	return matches, failed
}

// failsWhole reports whether a server fails as a whole, whatever its entries are.
func failsWhole(p *pin.Comparison) bool { return p.PolicyDiffers() || !p.Known || !p.Present }

// neverAllowed reports whether no flag lets the drift of a server pass: it has no pins, or
// no capture, or an empty list where entries are pinned. Entries of other lists don't make
// up for an empty list of tools.
func neverAllowed(p *pin.Comparison) bool {
	emptied := func(pinned, found []pin.Pin) bool { return len(pinned) > 0 && len(found) == 0 }
	return !p.Known || !p.Present || emptied(p.Locked.Of(pin.Tools), p.Captured.Of(pin.Tools)) || emptied(p.Locked.Pins, p.Captured.Pins)
}

// unanswered lists the pinned servers that nothing can be said of, because there is no
// capture of them. That is never a consent to what they list, nor to their end.
func unanswered(pairs []pin.Comparison, allow leniency) (missing []pin.Comparison) {
	for _, p := range pairs {
		if p.Missing && !missingAllowed(pairs, allow) {
			missing = append(missing, p)
		}
	}
	return missing
}

// missingAllowed reports whether pinned servers without a capture may pass. They may not
// where nothing else is judged.
func missingAllowed(pairs []pin.Comparison, allow leniency) bool {
	return allow.missing && slices.ContainsFunc(pairs, func(p pin.Comparison) bool { return p.Present })
}

// expectations are the flags that tie a command to the captures. There are none if a
// name is repeated, because then there is no set digest.
func expectations(pairs []pin.Comparison) (flags []string) {
	for i := range pairs {
		if pairs[i].Captured.Repeated() {
			return nil
		}
		if pairs[i].Present {
			flags = append(flags, "--expect "+pairs[i].Captured.Digest)
		}
	}
	return flags
}

// falseSanitized finds a pin whose sanitizedDigest is not that of its definition, or
// returns nil. If the definition isn't stored, only the capture can show that.
func falseSanitized(pinned, found pin.Set) *pin.Pin {
	for i := range pinned.Pins {
		p := &pinned.Pins[i]
		if f := found.Find(p.Key); p.Definition == nil && f != nil && f.Digest == p.Digest && f.Sanitized != p.Sanitized {
			return p
		}
	}
	return nil
}
