package approval

import "pinproof/internal/pin"

// A denied entry is pinned like any other: a person has read it, and it is compared by its digest. Its mark
// says that agents go without it. --deny sets the mark. Whatever accepts many entries at once keeps it. Only a
// yes to the entry itself removes it: --accept NAME, or its own question at the prompt.

// marks adds to yes what the flags say of the marks. It refuses what can't be denied.
func (d *decision) marks(yes *Answers) *Reason {
	const flag = "--deny"
	if why := checkNames(flag, d.said.Deny, d.Sides); why != nil {
		return why
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		named := map[pin.Key]bool{}
		for j := range d.said.Accepts {
			s := &d.said.Accepts[j]
			if !s.named() || s.pattern != nil {
				continue
			}
			named[s.Key] = true
			if ref := (pin.Ref{Server: p.Server, Key: s.Key}); p.Captured.Find(s.Key) != nil && d.wasDenied(ref) {
				yes.Allowed[ref] = true
			}
		}
		for j := range d.said.Deny {
			s := &d.said.Deny[j]
			if !s.Type.CanBeDenied() {
				return &Reason{Why: NotDeniable, Flag: flag, Arg: s.Arg}
			}
			if p.Locked.Find(s.Key) != nil && p.Captured.Find(s.Key) == nil && !p.Part {
				return &Reason{Why: NothingToDeny, Flag: flag, Arg: s.Arg}
			}
			if named[s.Key] {
				return &Reason{Why: TwoAnswers, Flag: flag, Arg: s.Arg}
			}
			yes.Denied[pin.Ref{Server: p.Server, Key: s.Key}] = true
		}
	}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		if drift.Kind == pin.Duplicate && yes.Denied[drift.Ref()] {
			return &Reason{Why: NotAcceptable, Entry: drift.Ref(), Copies: len(drift.Copies)}
		}
	}
	return nil
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

// mark says which entries are denied by the answers or stay so with an accepted drift, and which no longer are.
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
			} else if yes.Allowed[ref] {
				d.out.Allowed[ref] = true
			}
		}
	}
}
