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
	for r := range out.RecordedWarnings {
		touched[r.Entry.Server] = true
	}
	for _, refs := range []pin.RefSet{out.Accepted, out.Denied, out.NoLongerDenied} {
		for ref := range refs {
			touched[ref.Server] = true
		}
	}
	takesAll := d.AcceptAll || d.NewServersOnly && len(d.yes.AcceptedDigests) == len(d.drifts)
	out.NewPins = map[string]*pin.Set{}
	for i, p := range slices.Concat(d.Sides, d.OtherServers) {
		isTouched := touched[p.Server] || p.PolicyDiffers()
		if p.IsNewAndEmpty() && (isTouched || takesAll) {
			out.EmptyServers = append(out.EmptyServers, p.Server)
			isTouched = true
		} else if p.IsNewAndEmpty() {
			d.isBare = true
		}
		if !isTouched {
			continue
		}
		if i >= len(d.Sides) || !p.HasCapture() {
			// Without a capture, only accepted warnings and denied marks change.
			p.Captured = p.Locked
			p.IsPartial = true
		}
		set := UpdatedPins(&p, out.Accepted, warnings)
		for i := range set.Pins {
			ref := p.Ref(set.Pins[i].Key)
			set.Pins[i].Denied = (set.Pins[i].Denied || out.Denied[ref]) && !out.NoLongerDenied[ref]
		}
		out.NewPins[p.Server] = &set
	}
}

// warnings returns the warnings to record: those of accepted definitions, those about whole lists, and the
// accepted ones of matching entries, together with earlier records that still apply.
func (d *decision) warnings() map[pin.Ref][]pin.AcceptedWarning {
	record := map[pin.Ref][]pin.AcceptedWarning{}
	for r := range d.out.RecordedWarnings {
		record[r.Entry] = append(record[r.Entry], r.AcceptedWarning)
	}
	recorded := maps.Clone(record)
	isKept := pin.RefSet{}
	isDrifted := pin.RefSet{}
	for i := range d.Drifts {
		isDrifted[d.Drifts[i].Ref()] = true
	}
	for _, w := range d.Warnings {
		if w.AcceptedWarning.Digest == "" {
			continue // without a digest, the warning can't be recorded
		}
		isStanding := w.Scope == pin.FindingInMatch && w.Approved && recorded[w.Entry] != nil
		if w.Entry.IsWholeServer() || w.Scope == pin.FindingInDrift && d.out.Accepted[w.Entry] || isStanding {
			record[w.Entry] = append(record[w.Entry], w.AcceptedWarning)
		}
		// A copy of a drifted entry may match the pin.
		isLeft := w.Scope == pin.FindingInPinOnly || w.Scope == pin.FindingInMatch && isDrifted[w.Entry] && !d.out.Accepted[w.Entry]
		if isLeft && recorded[w.Entry] != nil && !isKept[w.Entry] {
			isKept[w.Entry] = true
			// This text was searched only for the names of some tools, so the pin's other accepted warnings stay, too.
			p := cmp.Or(pin.FindComparison(d.Sides, w.Entry.Server), pin.FindComparison(d.OtherServers, w.Entry.Server))
			record[w.Entry] = append(record[w.Entry], p.Locked.Find(w.Entry.Key).AcceptedWarnings...)
		}
	}
	return record
}

// UpdatedPins returns a server's pins once the accepted drift is applied, each with its accepted warnings. Every other
// entry keeps its pin, with the warnings that are accepted now.
func UpdatedPins(p *pin.Comparison, accepted pin.RefSet, warnings map[pin.Ref][]pin.AcceptedWarning) pin.Set {
	next := pin.Set{Server: p.Server, ServerInfo: p.Captured.ServerInfo, Policy: p.Captured.Policy, AcceptedWarnings: pin.SortAcceptedWarnings(warnings[pin.Ref{Server: p.Server}])}
	// A part of a list has no findings about the whole list.
	if p.IsPartial {
		next.AcceptedWarnings = p.Locked.AcceptedWarnings
	}
	var pins []pin.Pin
	for _, new := range p.Captured.Pins {
		if ref := p.Ref(new.Key); accepted[ref] {
			new.AcceptedWarnings = pin.SortAcceptedWarnings(warnings[ref])
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
			isRead := func(r pin.AcceptedWarning) bool { return r.ID != skill.UnreadFileID }
			unread := slices.DeleteFunc(slices.Clone(old.AcceptedWarnings), isRead)
			old.AcceptedWarnings = pin.SortAcceptedWarnings(append(unread, warnings[ref]...))
		}
		pins = append(pins, old)
	}
	next.SetPins(pins)
	// The server's name and version are updated only if every entry of the capture matches its new pin.
	left := func(c pin.Pin) bool { f := next.Find(c.Key); return f == nil || f.Digest != c.Digest }
	isLeft := slices.ContainsFunc(p.Captured.Pins, left)
	if p.IsLocked() && (p.IsPartial && next.ServerInfo == (pin.ServerInfo{}) || isLeft) {
		next.ServerInfo = p.Locked.ServerInfo
	}
	if p.IsLocked() && (isLeft || len(next.Pins) > len(p.Captured.Pins)) {
		// Keep the accepted warnings about the whole list, too, because the server may list it again.
		next.AcceptedWarnings = pin.SortAcceptedWarnings(slices.Concat(next.AcceptedWarnings, p.Locked.AcceptedWarnings))
	}
	return next
}
