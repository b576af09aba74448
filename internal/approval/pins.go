package approval

import (
	"slices"
	"strings"

	"pinproof/internal/pin"
)

// A WarningRecord has the accepted warnings of entries. Those about a server's list as
// a whole are under the empty entry.
type WarningRecord map[pin.Ref][]pin.Record

// Add adds a warning of an entry.
func (r WarningRecord) Add(of pin.Ref, record pin.Record) { r[of] = append(r[of], record) }

// of returns the records that the lockfile has for an entry: sorted, without repeats.
func (r WarningRecord) of(key pin.Ref) []pin.Record {
	return slices.Compact(slices.SortedFunc(slices.Values(r[key]), func(a, b pin.Record) int { return strings.Compare(a.String(), b.String()) }))
}

// makePins makes the pins of every server in which something was accepted.
func (d *decision) makePins(yes *Answers) {
	out := &d.out
	accepted := map[string][]*pin.Drift{}
	for i := range d.drifts {
		if drift := &d.drifts[i]; out.Accepted[drift.Ref()] {
			accepted[drift.Server] = append(accepted[drift.Server], drift)
		}
	}
	warnings := d.warnings()
	touched := map[string]bool{}
	for ref := range warnings {
		touched[ref.Server] = true
	}
	for ref := range out.Denied {
		touched[ref.Server] = true
	}
	for ref := range out.Allowed {
		touched[ref.Server] = true
	}
	takesAll := d.said.All && len(d.said.Only) == 0 || d.said.Approves && len(yes.Entries) == len(d.drifts)
	out.Sets = map[string]*pin.Set{}
	for i, p := range d.servers() {
		isTouched := touched[p.Server] || len(accepted[p.Server]) > 0 || p.PolicyDiffers()
		if p.HasNoEntries() && (isTouched || takesAll) {
			out.Whole = append(out.Whole, p.Server)
			isTouched = true
		} else if p.HasNoEntries() {
			out.Bare = append(out.Bare, p.Server)
		}
		if !isTouched {
			continue
		}
		set := recorded(p.Locked, warnings)
		if i < len(d.Sides) && p.Present() {
			set = Pins(p, accepted[p.Server], warnings)
		}
		for i := range set.Pins {
			ref := pin.Ref{Server: p.Server, Key: set.Pins[i].Key}
			set.Pins[i].Denied = (set.Pins[i].Denied || out.Denied[ref]) && !out.Allowed[ref]
		}
		out.Sets[p.Server] = &set
	}
}

// servers lists the servers whose pins may change. Of the others, a warning may be recorded.
func (d *decision) servers() (list []*pin.Comparison) {
	for i := range d.Sides {
		list = append(list, &d.Sides[i])
	}
	for i := range d.Others {
		list = append(list, &d.Others[i])
	}
	return list
}

// warnings returns what a decision records: every warning in an accepted
// definition, those about the lists as a whole, and the ones of matching entries that were
// accepted, with what was recorded before and is still found.
func (d *decision) warnings() WarningRecord {
	record := WarningRecord{}
	inPin := map[pin.Ref]bool{}
	for of, records := range d.out.Recorded {
		record[of] = slices.Clone(records)
	}
	for _, w := range d.Warnings {
		if w.Record.Digest == "" {
			continue // such a text can't be recorded
		}
		isStanding := w.Where == InMatch && w.Approved && len(d.out.Recorded[w.Of]) > 0
		if w.isWhole() || w.Where == InDrift && d.out.Accepted[w.Of] || isStanding {
			record.Add(w.Of, w.Record)
		}
		if w.Where == InPin && len(d.out.Recorded[w.Of]) > 0 {
			inPin[w.Of] = true
		}
	}
	// The other records of a pin whose text was only read for some names stay, too.
	for _, p := range d.servers() {
		for i := range p.Locked.Pins {
			if ref := (pin.Ref{Server: p.Server, Key: p.Locked.Pins[i].Key}); inPin[ref] {
				record[ref] = append(record[ref], p.Locked.Pins[i].Accepted...)
			}
		}
	}
	return record
}

// recorded returns a server's pins with the warnings that are accepted now, and nothing else changed.
func recorded(locked pin.Set, warnings WarningRecord) pin.Set {
	pins := slices.Clone(locked.Pins)
	for i := range pins {
		p := &pins[i]
		if ref := (pin.Ref{Server: locked.Server, Key: p.Key}); len(warnings[ref]) > 0 {
			p.Accepted = warnings.of(ref)
		}
	}
	locked.Put(pins)
	return locked
}

// Pins returns a server's pins after its accepted drifts, each with the warnings that
// were accepted with it. Every other entry keeps its pin, with the warnings that are accepted now.
func Pins(p *pin.Comparison, accepted []*pin.Drift, warnings WarningRecord) pin.Set {
	next := pin.Set{Server: p.Server, About: p.Captured.About, Policy: p.Captured.Policy, Accepted: warnings.of(pin.Ref{Server: p.Server})}
	// No finding about the whole list shows in a part of it.
	if p.Part {
		next.Accepted = p.Locked.Accepted
	}
	var pins []pin.Pin
	taken := make(map[pin.Key]bool, len(accepted))
	for _, d := range accepted {
		taken[d.Key] = true
		if d.Kind != pin.Removed {
			new := *d.Captured
			new.Accepted = warnings.of(pin.Ref{Server: p.Server, Key: d.Key})
			pins = append(pins, new)
		}
	}
	for _, old := range p.Locked.Pins {
		if taken[old.Key] {
			continue
		}
		// A hash-only pin takes the definition of the entry that matches it, in case the
		// policy stores definitions from now on.
		if f := p.Captured.Find(old.Key); f != nil && f.Form.Digest == old.Form.Digest {
			old.Definition = f.Definition
		}
		if ref := (pin.Ref{Server: p.Server, Key: old.Key}); len(warnings[ref]) > 0 {
			old.Accepted = warnings.of(ref)
		}
		pins = append(pins, old)
	}
	next.Put(pins)
	// The name and version stay the old ones as long as an entry of the capture doesn't match its new pin.
	left := func(c pin.Pin) bool { f := next.Find(c.Key); return f == nil || f.Digest != c.Digest }
	isLeft := slices.ContainsFunc(p.Captured.Pins, left)
	if p.Known() && (p.Part && next.About == (pin.About{}) || isLeft) {
		next.About = p.Locked.About
	}
	if p.Known() && (isLeft || len(next.Pins) > len(p.Captured.Pins)) {
		// So do the warnings that were accepted of the whole list: it may be the one that is listed next.
		warnings = WarningRecord{{}: append(next.Accepted, p.Locked.Accepted...)}
		next.Accepted = warnings.of(pin.Ref{})
	}
	return next
}
