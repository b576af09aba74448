package approval

import (
	"cmp"
	"maps"
	"slices"

	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// makePins makes the pins of every server in which something was accepted.
func (d *decision) makePins() {
	out := &d.out
	warnings := d.warnings()
	touched := map[string]bool{}
	for r := range out.Recorded {
		touched[r.Of.Server] = true
	}
	for _, refs := range []pin.Refs{out.Accepted, out.Denied, out.Allowed} {
		for ref := range refs {
			touched[ref.Server] = true
		}
	}
	takesAll := d.All && len(d.Only) == 0 || d.Approves && len(d.yes.Entries) == len(d.drifts)
	out.Sets = map[string]*pin.Set{}
	for i, p := range slices.Concat(d.Sides, d.Others) {
		isTouched := touched[p.Server] || p.PolicyDiffers()
		if p.HasNoEntries() && (isTouched || takesAll) {
			out.Whole = append(out.Whole, p.Server)
			isTouched = true
		} else if p.HasNoEntries() {
			d.isBare = true
		}
		if !isTouched {
			continue
		}
		if i >= len(d.Sides) || !p.Present() {
			// Without a capture, only the records change.
			p.Captured = p.Locked
			p.Part = true
		}
		set := Pins(&p, out.Accepted, warnings)
		for i := range set.Pins {
			ref := p.Ref(set.Pins[i].Key)
			set.Pins[i].Denied = (set.Pins[i].Denied || out.Denied[ref]) && !out.Allowed[ref]
		}
		out.Sets[p.Server] = &set
	}
}

// warnings returns the warnings to record: those of accepted definitions, those about whole lists, and the
// accepted ones of matching entries, together with earlier records that still apply.
func (d *decision) warnings() map[pin.Ref][]pin.Record {
	record := map[pin.Ref][]pin.Record{}
	for r := range d.out.Recorded {
		record[r.Of] = append(record[r.Of], r.Record)
	}
	recorded := maps.Clone(record)
	isKept := pin.Refs{}
	for _, w := range d.Warnings {
		if w.Record.Digest == "" {
			continue // such a text can't be recorded
		}
		isStanding := w.Where == InMatch && w.Approved && recorded[w.Of] != nil
		if w.isWhole() || w.Where == InDrift && d.out.Accepted[w.Of] || isStanding {
			record[w.Of] = append(record[w.Of], w.Record)
		}
		if w.Where == InPin && recorded[w.Of] != nil && !isKept[w.Of] {
			isKept[w.Of] = true
			// This text was searched only for the names of some tools, so the pin's other accepted warnings stay, too.
			p := cmp.Or(pin.ComparisonOf(d.Sides, w.Of.Server), pin.ComparisonOf(d.Others, w.Of.Server))
			record[w.Of] = append(record[w.Of], p.Locked.Find(w.Of.Key).Accepted...)
		}
	}
	return record
}

// Pins returns a server's pins once the accepted drift is applied, each with its accepted warnings. Every other
// entry keeps its pin, with the warnings that are accepted now.
func Pins(p *pin.Comparison, accepted pin.Refs, warnings map[pin.Ref][]pin.Record) pin.Set {
	next := pin.Set{Server: p.Server, About: p.Captured.About, Policy: p.Captured.Policy, Accepted: pin.SortRecords(warnings[pin.Ref{Server: p.Server}])}
	// A part of a list has no findings about the whole list.
	if p.Part {
		next.Accepted = p.Locked.Accepted
	}
	var pins []pin.Pin
	for _, new := range p.Captured.Pins {
		if ref := p.Ref(new.Key); accepted[ref] {
			new.Accepted = pin.SortRecords(warnings[ref])
			pins = append(pins, new)
		}
	}
	for _, old := range p.Locked.Pins {
		ref := p.Ref(old.Key)
		if accepted[ref] {
			continue
		}
		// A hash-only pin gets the definition of the matching entry, in case the new policy stores definitions.
		if f := p.Captured.Find(old.Key); f != nil && f.Digest == old.Digest {
			old.Definition = f.Definition
		}
		if len(warnings[ref]) > 0 {
			// The pin keeps its texts of a skill's files, so the accepted warnings about missing texts stay, too.
			isRead := func(r pin.Record) bool { return r.ID != skill.Unread }
			unread := slices.DeleteFunc(slices.Clone(old.Accepted), isRead)
			old.Accepted = pin.SortRecords(append(unread, warnings[ref]...))
		}
		pins = append(pins, old)
	}
	next.Put(pins)
	// The server's name and version are updated only if every entry of the capture matches its new pin.
	left := func(c pin.Pin) bool { f := next.Find(c.Key); return f == nil || f.Digest != c.Digest }
	isLeft := slices.ContainsFunc(p.Captured.Pins, left)
	if p.Known() && (p.Part && next.About == (pin.ServerInfo{}) || isLeft) {
		next.About = p.Locked.About
	}
	if p.Known() && (isLeft || len(next.Pins) > len(p.Captured.Pins)) {
		// Keep the accepted warnings about the whole list, too, because the server may list it again.
		next.Accepted = pin.SortRecords(slices.Concat(next.Accepted, p.Locked.Accepted))
	}
	return next
}
