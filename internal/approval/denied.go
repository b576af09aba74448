package approval

import (
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
)

// A denied entry is pinned like any other: a person has read it, and it is compared by its digest. Its mark
// means that agents don't get it. --deny sets the mark. Accepting many entries at once keeps it. Only a
// yes to the entry itself removes it: --accept NAME, or its own question at the prompt.

// marks adds to the answers the marks that the flags set. It refuses what can't be denied.
func (d *decision) marks() *fail.Error {
	for i := range d.said.Deny {
		s := &d.said.Deny[i]
		p, err := s.one(d.Sides)
		if err != nil {
			return err
		}
		if !s.Type.CanBeDenied() {
			return s.wrong("instructions can't be denied: only a tool, a prompt, a resource, a template or a skill can")
		}
		if p.Captured.Find(s.Key) == nil && !p.Part {
			return s.wrong("the capture doesn't list it: there is nothing to deny")
		}
		if slices.ContainsFunc(d.said.Accepts, func(accepted Selector) bool { return accepted.isOne() && accepted.Key == s.Key }) {
			return s.wrong("--accept names it, too, which would let agents have it")
		}
		d.yes.Denied[pin.Ref{Server: p.Server, Key: s.Key}] = true
	}
	for i := range d.Drifts {
		if drift := &d.Drifts[i]; drift.Kind == pin.Duplicate && d.yes.Denied[drift.Ref()] {
			return notAcceptable(drift)
		}
	}
	return nil
}

// findAwaited returns the lists in which a denied entry is gone, or isn't in the part of a list that was captured. It may
// come back: what was added may be the denied entry under another name, with or without other changes, and without its pin it
// would come back without its mark.
func (d *decision) findAwaited() map[pin.Ref]bool {
	gone := map[pin.Ref]bool{}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		if drift.Kind == pin.Removed && d.wasDenied(drift.Ref()) {
			gone[pin.Ref{Server: drift.Server, Key: pin.Key{Type: drift.Type}}] = true
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

// isHeld reports whether acceptance in bulk leaves out a drift. The denied entry
// keeps its pin, too: without it, the next acceptance in bulk would accept what was added.
func (d *decision) isHeld(drift *pin.Drift) bool {
	isAwaited := d.awaited[pin.Ref{Server: drift.Server, Key: pin.Key{Type: drift.Type}}]
	return isAwaited && (drift.Kind == pin.Added || drift.Kind == pin.Removed && d.wasDenied(drift.Ref()))
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
func (d *decision) mark() {
	drifted := map[pin.Ref]bool{}
	set := func(ref pin.Ref, was, isNew bool) {
		is := d.yes.Denied[ref] || was && !d.yes.Allowed[ref]
		if is && (isNew || !was) {
			d.out.Denied[ref] = true
		} else if was && !is {
			d.out.Allowed[ref] = true
		}
	}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		ref := drift.Ref()
		drifted[ref] = true
		if d.out.Accepted[ref] && drift.Kind != pin.Removed {
			set(ref, d.wasDenied(ref), true)
		}
	}
	if d.said.Answers != nil {
		return // at the prompt, nobody is asked about entries that match
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		for j := range p.Locked.Pins {
			pinned := &p.Locked.Pins[j]
			if ref := (pin.Ref{Server: p.Server, Key: pinned.Key}); !drifted[ref] {
				set(ref, pinned.Denied, false)
			}
		}
	}
}
