package main

import (
	"errors"
	"slices"
	"strconv"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// This file decides what drift is and what fails a run. No decision depends on what a server's text means: judge gets
// only the number of warnings that fail the run. These are warnings about text that the policy leaves unpinned and, in
// a review, unaccepted warnings about matching entries.
//
// verify calls compareAll, which finds the drift, then judge, which makes a verdict of it, and then codeOf,
// which returns the exit code.

// compareAll returns the drift of several servers, in the order of sides. If a capture is only part of a session, a pin
// whose entry the capture lacks isn't drift.
func compareAll(sides []pin.Comparison) (all []pin.Drift, err error) {
	for _, p := range sides {
		if p.LacksCapture() {
			// Nobody captured this server, so nothing is known about it.
			continue
		}
		drifts, wrong := compare(p.Locked, p.Captured)
		if wrong != nil {
			return nil, fail.NewAt(p.LockfilePath+":"+strconv.Itoa(wrong.Line), "server %s: pin %s: its sanitizedDigest is not that of its definition",
				text.QuoteName(p.Server), text.QuoteName(wrong.Name))
		}
		for _, d := range drifts {
			if d.Server = p.Server; !p.IsPartial || d.Kind != pin.DriftRemoved {
				all = append(all, d)
			}
		}
	}
	noteDeniedHashes(sides, all)
	return all, nil
}

// maxRenamedBytes limits the bytes of definitions that are hashed under the names of denied entries. A real list has
// few denied entries and needs less than one percent of the limit.
const maxRenamedBytes = 64 << 20

// noteDeniedHashes marks the entries that have the same definition as a denied hash-only pin, apart from the name: with
// the name of that pin, and under its policy, they have its digest.
func noteDeniedHashes(sides []pin.Comparison, drifts []pin.Drift) {
	room := maxRenamedBytes
	for _, denied := range pin.DeniedPins(sides) {
		if denied.Definition != nil {
			continue // diff.FindRenames compares pins that have a definition
		}
		for i := range drifts {
			d := &drifts[i]
			room--
			if d.Type != denied.Type || d.Captured == nil || d.IsDenied() {
				continue
			}
			if d.Type == pin.Skills && d.Server == denied.Server && d.Kind == pin.DriftAdded {
				// The URIs of a skill's files contain its name, so a renamed copy has other digests.
				d.MayBeDenied = true
			}
			room -= len(d.Captured.Received) + len(d.Captured.Definition)
			if room < 0 {
				mayAllBeDenied(drifts)
				return
			}
			definition := pin.FindComparison(sides, d.Server).CapturedDefinition(denied.Policy, d.Captured)
			if jsontree.Digest(jsontree.Append(nil, pin.WithName(d.Type, definition, denied.Name))) != denied.Digest {
				continue
			}
			// Many entries without texts and parameters have the same definition, so an equal digest doesn't identify
			// the denied one.
			if texts, parameters := pin.TextsAndParameters(d.Type, definition); len(texts)+len(parameters) > 0 {
				d.LikeDenied = denied.Ref()
			} else if d.Server == denied.Server {
				d.MayBeDenied = true
			}
		}
	}
}

// mayAllBeDenied marks each captured entry that isn't known to be denied as possibly denied, because not all entries
// were compared with every denied pin.
func mayAllBeDenied(drifts []pin.Drift) {
	for i := range drifts {
		d := &drifts[i]
		d.MayBeDenied = d.Captured != nil && !d.IsDenied() && !d.LooksDenied()
	}
}

// compare returns the drift between the lockfile's pins and a capture's, sorted. All commands compare with this
// function. wrong is the first pin that has the right digest and a false sanitized digest: if no definition is
// stored, only a comparison with the capture finds such a pin.
func compare(locked, captured pin.Set) (drifts []pin.Drift, wrong *pin.Pin) {
	old := locked.Pins
	new := captured.Pins
	for len(old) > 0 || len(new) > 0 {
		order := jsontree.MergeOrder(len(old), len(new), func() int { return pin.CompareKeys(old[0].Key, new[0].Key) })
		var d pin.Drift
		if order <= 0 {
			d.Key = old[0].Key
			d.Locked = &old[0]
			old = old[1:]
		}
		if order >= 0 {
			d.Key = new[0].Key
			d.Captured = &new[0]
			n := 1
			for n < len(new) && new[n].Key == d.Key {
				n++
			}
			d.Copies = new[:n]
			new = new[n:]
		}
		isSame := d.Locked != nil && d.Captured != nil && d.Locked.Digest == d.Captured.Digest
		if isSame && wrong == nil && d.Locked.SanitizedDigest != d.Captured.SanitizedDigest {
			wrong = d.Locked
		}
		switch {
		case d.Captured == nil:
			d.Kind = pin.DriftRemoved
		case len(d.Copies) > 1:
			d.Kind = pin.DriftDuplicate
		case d.Locked == nil:
			d.Kind = pin.DriftAdded
		case isSame:
			continue
		case d.Locked.SanitizedDigest == d.Captured.SanitizedDigest:
			d.Kind = pin.DriftHidden
		default:
			d.Kind = pin.DriftChanged
		}
		drifts = append(drifts, d)
	}
	slices.SortStableFunc(drifts, pin.CompareDrifts)
	return drifts, wrong
}

// judge returns the verdict on a comparison: which drift and which servers fail the run, and the exit code.
func judge(sides []pin.Comparison, drifts []pin.Drift, also pin.Faults, allow pin.Leniency) pin.Verdict {
	v := pin.Verdict{
		Matches:          len(drifts) == 0 && also.WarningCount == 0 && !also.OverBudget,
		Failed:           also.WarningCount > 0 && !allow.Warnings || also.OverBudget,
		FailingDrift:     pin.RefSet{},
		DifferingServers: map[string]bool{},
	}
	// --allow missing lets pinned servers pass without a capture, but only if another server has one. It approves
	// neither what these servers list nor their removal.
	passMissing := allow.Missing && slices.ContainsFunc(sides, func(p pin.Comparison) bool { return p.HasCapture() })
	for i := range sides {
		judgeServer(&v, &sides[i], passMissing, allow)
		v.Denied = append(v.Denied, denied(&sides[i], sides[i].IsPartial && also.FailsOnDenied)...)
	}
	// The caller of --hook or --part doesn't know which entries are denied, and would let an agent use them. So a
	// denied entry fails the run.
	for _, ref := range v.Denied {
		if also.FailsOnDenied {
			v.Matches = false
			v.Failed = true
			v.DifferingServers[ref.Server] = true
		}
	}
	for _, d := range drifts {
		v.DifferingServers[d.Server] = true
		if !passes(&d, pin.FindComparison(sides, d.Server), allow) {
			v.Failed = true
			v.FailingDrift[d.Ref()] = true
		}
	}
	if v.Failed {
		v.ExitCode = 1
	}
	if len(v.UnjudgedServers) > 0 {
		v.ExitCode = 2
	}
	return v
}

// judgeServer adds to v the effects of a server as a whole: its state, its policy and its records.
func judgeServer(v *pin.Verdict, p *pin.Comparison, passMissing bool, allow pin.Leniency) {
	differs := true // the server as a whole, regardless of its entries
	fails := true
	unanswered := false
	switch p.State {
	case pin.ServerPaired:
		differs = p.PolicyDiffers()
		fails = differs
	case pin.ServerNew:
		// With --fail-on, the entries of an added server are judged one by one.
		fails = allow.BelowFailOn == nil
	case pin.ServerGone:
	case pin.ServerWithoutCapture:
		fails = !passMissing
		unanswered = fails
	default:
		unanswered = true
	}
	if unanswered {
		v.UnjudgedServers = append(v.UnjudgedServers, p.Server)
	}
	if p.MetadataDiffers() {
		differs = true
		// With --fail-on, changed metadata, such as an approval, doesn't fail the run, because it can't break a caller.
		fails = fails || allow.BelowFailOn == nil
	}
	if differs {
		v.Matches = false
		v.DifferingServers[p.Server] = true
	}
	v.Failed = v.Failed || fails
}

// denied returns the denied entries that match their pins. With orUnlisted, it also returns the denied entries that the
// capture lacks, because a caller that doesn't know them would let calls of them pass.
func denied(p *pin.Comparison, orUnlisted bool) (refs []pin.Ref) {
	for i := range p.Locked.Pins {
		locked := &p.Locked.Pins[i]
		if !locked.Denied {
			continue
		}
		listed := p.Captured.Find(locked.Key)
		matches := listed != nil && listed.Digest == locked.Digest
		if matches || listed == nil && orUnlisted {
			refs = append(refs, p.Ref(locked.Key))
		}
	}
	return refs
}

// passes reports whether a flag lets a drift pass. --allow and --warn don't apply to a server without pins or without a
// capture. They don't apply either if the lockfile pins tools and the capture has none, or if it pins entries and the
// capture has none.
func passes(d *pin.Drift, p *pin.Comparison, allow pin.Leniency) bool {
	if allow.BelowFailOn[d.Ref()] {
		return true
	}
	return allow.Kinds[d.Kind] && p.State == pin.ServerPaired &&
		!emptied(p.Locked.PinsOf(pin.Tools), p.Captured.PinsOf(pin.Tools)) && !emptied(p.Locked.Pins, p.Captured.Pins)
}

func emptied(locked, captured []pin.Pin) bool { return len(locked) > 0 && len(captured) == 0 }

// codeOf returns the exit code of a run: the higher one of the verdict's code and the error's. v is nil if
// nothing was judged.
func codeOf(v *pin.Verdict, err error) int {
	// Any other error exits with 2.
	code := 2
	switch {
	case err == nil:
		code = 0
	case errors.Is(err, fail.ErrDrift):
		code = 1
	case errors.Is(err, fail.ErrInterrupted):
		// What a shell reports for a program that SIGINT ended.
		code = 130
	}
	if v != nil {
		code = max(code, v.ExitCode)
	}
	return code
}
