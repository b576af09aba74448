package approval

import "pinproof/internal/pin"

// A denied entry is pinned like any other: a person has read it, and it is compared by its digest. Its mark
// says that agents go without it. --deny sets the mark. Whatever accepts many entries at once keeps it. Only a
// yes to the entry itself removes it: --accept NAME, or its own question at the prompt.

// A denial is what the flags say of the marks.
type denial struct {
	deny  map[pin.Ref]bool // --deny names it
	allow map[pin.Ref]bool // --accept names it
}

// denials finds out what the flags say of the marks. It refuses what can't be denied.
func (d *decision) denials() (denial, *Reason) {
	const flag = "--deny"
	said := denial{deny: map[pin.Ref]bool{}, allow: map[pin.Ref]bool{}}
	for i := range d.Sides {
		p := &d.Sides[i]
		for j := range d.said.Accepts {
			s := &d.said.Accepts[j]
			if s.named() && s.pattern == nil {
				said.allow[pin.Ref{Server: p.Server, Key: s.Key}] = true
			}
		}
	}
	if why := checkNames(flag, d.said.Deny, d.Sides); why != nil {
		return said, why
	}
	for i := range d.said.Deny {
		s := &d.said.Deny[i]
		if !s.Type.CanBeDenied() {
			return said, &Reason{Why: NotDeniable, Flag: flag, Arg: s.Arg}
		}
		for j := range d.Sides {
			p := &d.Sides[j]
			ref := pin.Ref{Server: p.Server, Key: s.Key}
			pinned := p.Locked.Find(s.Key) != nil
			listed := p.Captured.Find(s.Key) != nil
			if pinned && !listed && !p.Part {
				return said, &Reason{Why: NothingToDeny, Flag: flag, Arg: s.Arg}
			}
			if said.allow[ref] {
				return said, &Reason{Why: TwoAnswers, Flag: flag, Arg: s.Arg}
			}
			said.deny[ref] = true
		}
	}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		if drift.Kind == pin.Duplicate && said.deny[drift.Ref()] {
			return said, &Reason{Why: NotAcceptable, Entry: drift.Ref(), Copies: len(drift.Copies)}
		}
	}
	return said, nil
}

// marksMatching finds the entries without drift whose marks change.
func (d *decision) marksMatching() {
	drifted := map[pin.Ref]bool{}
	for i := range d.Drifts {
		drifted[d.Drifts[i].Ref()] = true
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		for j := range p.Locked.Pins {
			pinned := &p.Locked.Pins[j]
			ref := pin.Ref{Server: p.Server, Key: pinned.Key}
			if drifted[ref] {
				continue
			}
			if d.marks.deny[ref] && !pinned.Denied {
				d.out.Denied[ref] = true
			}
			if d.marks.allow[ref] && pinned.Denied && p.Captured.Find(ref.Key) != nil {
				d.out.Allowed[ref] = true
			}
		}
	}
}

// isAllowed reports whether a selector names an entry that loses its mark.
func (d *decision) isAllowed(s *Selector) bool {
	for ref := range d.out.Allowed {
		if s.means(ref.Key) {
			return true
		}
	}
	return false
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

// isDenied reports whether the entry of an accepted drift is to be pinned as denied.
func (d *decision) isDenied(ref pin.Ref) bool {
	if answers := d.said.Answers; answers != nil {
		return answers.Denied[ref] || d.wasDenied(ref) && !answers.Allowed[ref]
	}
	return d.marks.deny[ref] || d.wasDenied(ref) && !d.marks.allow[ref]
}

// markDrift says which of the accepted drifts are denied, and which no longer are.
func (d *decision) markDrift() {
	for i := range d.drifts {
		drift := &d.drifts[i]
		ref := drift.Ref()
		if !d.out.Accepted[ref] || drift.Kind == pin.Removed {
			continue
		}
		if d.isDenied(ref) {
			d.out.Denied[ref] = true
		} else if d.wasDenied(ref) {
			d.out.Allowed[ref] = true
		}
	}
}

// mark sets the marks of a set of new pins.
func (d *decision) mark(set *pin.Set) {
	for i := range set.Pins {
		p := &set.Pins[i]
		ref := pin.Ref{Server: set.Server, Key: p.Key}
		if d.out.Denied[ref] {
			p.Denied = true
		} else if d.out.Allowed[ref] {
			p.Denied = false
		}
	}
}
