package approval

import (
	"slices"

	"pinproof/internal/pin"
)

// A denied entry is pinned like any other: a person has read it, and it is compared by its digest. Its mark
// means that agents don't get it. --deny sets the mark. Accepting many entries at once keeps it. Only a
// yes to the entry itself removes it: --accept NAME, or its own question at the prompt.

// marks adds to yes the marks that the flags set. It refuses what can't be denied.
func (d *decision) marks(yes *Answers) *Reason {
	const flag = "--deny"
	if why := checkNames(flag, d.said.Deny, d.Sides); why != nil {
		return why
	}
	for i := range d.said.Deny {
		s := &d.said.Deny[i]
		if !s.Type.CanBeDenied() {
			return &Reason{Why: NotDeniable, Flag: flag, Arg: s.Arg}
		}
		p := holder(d.Sides, s.Key)
		if p.Locked.Find(s.Key) != nil && p.Captured.Find(s.Key) == nil && !p.Part {
			return &Reason{Why: NothingToDeny, Flag: flag, Arg: s.Arg}
		}
		isNamed := func(accepted Selector) bool {
			return accepted.named() && accepted.pattern == nil && accepted.Key == s.Key
		}
		if slices.ContainsFunc(d.said.Accepts, isNamed) {
			return &Reason{Why: TwoAnswers, Flag: flag, Arg: s.Arg}
		}
		yes.Denied[pin.Ref{Server: p.Server, Key: s.Key}] = true
	}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		if drift.Kind == pin.Duplicate && yes.Denied[drift.Ref()] {
			return &Reason{Why: NotAcceptable, Entry: drift.Ref(), Copies: len(drift.Copies)}
		}
	}
	return nil
}

// holder returns the first server that pins or lists an entry, or nil.
func holder(sides []pin.Comparison, key pin.Key) *pin.Comparison {
	for i := range sides {
		if p := &sides[i]; p.Locked.Find(key) != nil || p.Captured.Find(key) != nil {
			return p
		}
	}
	return nil
}

// awaited returns the lists in which a denied entry is gone, or isn't in the part of a list that was captured. It may come back: what was added may be the denied entry under
// another name, with or without other changes, and without its pin it would come back without its mark.
func (d *decision) awaited() map[pin.Ref]bool {
	gone := map[pin.Ref]bool{}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		if drift.Kind == pin.Removed && d.wasDenied(drift.Ref()) {
			gone[listOf(drift)] = true
		}
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		for j := range p.Locked.Pins {
			if pinned := &p.Locked.Pins[j]; p.Part && pinned.Denied && p.Captured.Find(pinned.Key) == nil {
				gone[pin.Ref{Server: p.Server, Key: pin.Key{Type: pinned.Type}}] = true
			}
		}
	}
	return gone
}

// listOf returns the list that an entry is in.
func listOf(drift *pin.Drift) pin.Ref {
	return pin.Ref{Server: drift.Server, Key: pin.Key{Type: drift.Type}}
}

// isHeld reports whether acceptance in bulk leaves out a drift, given the lists of awaited. The denied entry
// keeps its pin, too: without it, the next acceptance in bulk would accept what was added.
func (d *decision) isHeld(drift *pin.Drift, awaited map[pin.Ref]bool) bool {
	return awaited[listOf(drift)] && (drift.Kind == pin.Added || drift.Kind == pin.Removed && d.wasDenied(drift.Ref()))
}

// wasDenied reports whether the entry of a drift is pinned as denied, be it under its former name.
func (d *decision) wasDenied(ref pin.Ref) bool {
	locked := &pin.ComparisonOf(d.Sides, ref.Server).Locked
	if pinned := locked.Find(ref.Key); pinned != nil {
		return pinned.Denied
	}
	pinned := locked.Find(pin.Key{Type: ref.Type, Name: d.Facts[ref].RenamedFrom})
	return pinned != nil && pinned.Denied
}

// mark lists which entries are denied by the answers or stay so with an accepted drift, and which no longer are.
func (d *decision) mark(yes *Answers) {
	drifted := map[pin.Ref]bool{}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		ref := drift.Ref()
		drifted[ref] = true
		was := d.wasDenied(ref)
		if !d.out.Accepted[ref] || drift.Kind == pin.Removed {
			continue
		}
		if yes.Denied[ref] || was && !yes.Allowed[ref] {
			d.out.Denied[ref] = true
		} else if was {
			d.out.Allowed[ref] = true
		}
	}
	if d.said.Answers != nil {
		return // at the prompt, nobody is asked about entries that match
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		for j := range p.Locked.Pins {
			pinned := &p.Locked.Pins[j]
			ref := pin.Ref{Server: p.Server, Key: pinned.Key}
			if drifted[ref] {
				continue
			}
			if yes.Denied[ref] && !pinned.Denied {
				d.out.Denied[ref] = true
			} else if yes.Allowed[ref] && pinned.Denied {
				d.out.Allowed[ref] = true
			}
		}
	}
}
