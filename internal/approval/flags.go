package approval

import (
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
)

// flags sets the answers to what the flags accept, as if a person had answered. It also collects the drift that is
// refused because of a new warning, and the selectors that have nothing to accept.
func (d *decision) flags() *fail.Error {
	d.yes.AcceptsPolicies = true
	d.yes.AcceptsCaptureWarnings = d.AcceptsAllWarnings
	if err := d.records(); err != nil {
		return err
	}
	if err := d.marks(); err != nil {
		return err
	}
	asked := pin.RefSet{}
	isLabelled := false
	for _, drift := range d.drifts {
		hasLabel := d.hasOnlyAccepted(&drift) // then it has no new warning
		isLabelled = isLabelled || hasLabel
		asked[drift.Ref()] = hasLabel || d.AcceptAll || d.NewServersOnly
	}
	if !isLabelled {
		d.out.UnusedSelectors = labelsIn(d.Accept)
	}
	single := pin.RefSet{} // asked for by a name or a digest
	for _, s := range d.Accept {
		if s.isLabel() || d.KeepsDenied && len(pin.ServersWith(d.Sides, s.Key)) == 0 {
			continue // for the warning of a server without a capture, there is no drift to accept
		}
		entries, err := s.resolve(d.Sides, d.drifts)
		if err != nil {
			return err
		}
		removesMark := s.isOne() && !d.KeepsDenied
		isIdle := true
		for r := range d.yes.AcceptedWarnings {
			isIdle = isIdle && !s.means(r.Entry.Key)
		}
		for _, entry := range entries {
			ref := entry.Ref()
			hasDrifted := entry.Kind != ""
			if hasDrifted {
				asked[ref] = true
				single[ref] = single[ref] || d.isOwn(&s, entry)
			}
			if removesMark {
				d.yes.AcceptedIndividually[ref] = true
			}
			isIdle = isIdle && !hasDrifted && !(removesMark && entry.IsDenied())
		}
		if isIdle {
			d.out.UnusedSelectors = append(d.out.UnusedSelectors, s)
		}
	}
	d.answer(asked, single)
	return nil
}

// isOwn reports whether a selector is enough for a drift that bulk acceptance skips. The pin of a denied entry is
// removed only if the selector names the entry: another entry may have the same digest, and --accept-warning accepts
// only a text. An entry that may be a denied one is accepted only if the selector has its digest.
func (d *decision) isOwn(s *Selector, drift *pin.Drift) bool {
	if drift.Kind == pin.DriftRemoved {
		return s.isOne() && !d.KeepsDenied
	}
	return s.Digest != "" || s.isOne() && !d.mayBeDenied(drift)
}

// records adds to the answers the accepted warnings about text that is pinned already.
func (d *decision) records() *fail.Error {
	for _, s := range d.WarningSelectors {
		sides := d.Sides
		if len(pin.ServersWith(sides, s.Key)) == 0 && len(pin.ServersWith(d.OtherServers, s.Key)) > 0 {
			sides = d.OtherServers
		}
		if _, err := s.one(sides); err != nil {
			return err
		}
	}
	for _, w := range d.unrecorded() {
		if d.acceptsWarnings(w.Entry, false) {
			d.yes.AcceptedWarnings[w.EntryWarning] = true
		}
	}
	return nil
}

// acceptsWarnings reports whether flags accept the warnings of an entry. A name refers first to an entry of the
// compared servers. If flags name entries, --accept-warnings applies only to these and to drifted entries, because
// perhaps nobody has read the text of any other entry.
func (d *decision) acceptsWarnings(ref pin.Ref, hasDrifted bool) bool {
	named := d.WarningSelectors
	if d.AcceptsAllWarnings {
		named = slices.Concat(named, d.Accept, d.Deny)
	}
	isMeant := func(s Selector) bool { return s.isOne() && s.Key == ref.Key }
	isHere := pin.FindComparison(d.Sides, ref.Server) != nil || len(pin.ServersWith(d.Sides, ref.Key)) == 0
	isForAll := d.AcceptsAllWarnings && (hasDrifted || d.AcceptAll || len(d.Accept)+len(d.Deny) == 0)
	return isForAll || isHere && slices.ContainsFunc(named, isMeant)
}

// answer adds to the answers the drift that the flags request, unless a new warning or a denied entry prevents its
// acceptance.
func (d *decision) answer(asked, single pin.RefSet) {
	for _, drift := range d.drifts {
		ref := drift.Ref()
		isDenied := d.yes.Denied[ref]
		if !asked[ref] && !isDenied {
			continue
		}
		if d.isHeld(&drift) && !single[ref] && !isDenied && !d.NewServersOnly {
			d.out.HeldBack[ref] = true
		} else if d.isRefused(ref) {
			d.refused[ref] = true
		} else if drift.Kind != pin.DriftDuplicate { // which can't be accepted
			d.yes.AcceptedDigests[ref] = drift.DigestToAccept()
		}
	}
}

// isRefused reports whether an entry has a new warning that no flag accepts.
func (d *decision) isRefused(ref pin.Ref) bool {
	return d.warned[ref] && !d.acceptsWarnings(ref, true)
}

// hasOnlyAccepted reports whether a drift is CHANGED, has no new warning, and all its changes have labels that --accept
// names. The label minor matches a drift with nothing new to read.
func (d *decision) hasOnlyAccepted(drift *pin.Drift) bool {
	fact := d.Facts[drift.Ref()]
	if drift.Kind != pin.DriftChanged || len(fact.Labels) == 0 || d.warned[drift.Ref()] {
		return false
	}
	takes := func(word string) bool {
		return slices.ContainsFunc(d.Accept, func(s Selector) bool { return s.Word == word })
	}
	isOther := func(word string) bool { return !takes(word) }
	return takes(pin.MinorSelector) && fact.Minor || !slices.ContainsFunc(fact.Labels, isOther)
}

// marks adds the entries of --deny to the answers. It refuses entries that can't be denied.
func (d *decision) marks() *fail.Error {
	for _, s := range d.Deny {
		p, err := s.one(d.Sides)
		if err != nil {
			return err
		}
		if !s.Type.CanBeDenied() {
			return s.wrong("instructions can't be denied: only a tool, a prompt, a resource, a template or a skill can")
		}
		if p.Captured.Find(s.Key) == nil && !p.IsPartial {
			return s.wrong("the capture doesn't list it: there is nothing to deny")
		}
		if slices.ContainsFunc(d.Accept, func(accepted Selector) bool { return accepted.isOne() && accepted.Key == s.Key }) {
			return s.wrong("--accept names it, too, which would let agents have it")
		}
		ref := p.Ref(s.Key)
		d.yes.Denied[ref] = true
		for _, drift := range d.Drifts {
			if drift.Kind == pin.DriftDuplicate && drift.Ref() == ref {
				return notAcceptable(&drift)
			}
		}
	}
	return nil
}
