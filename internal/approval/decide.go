package approval

import (
	"slices"

	"pinproof/internal/pin"
)

// Check refuses what can be refused before any text is read: a capture that isn't the expected one,
// flags that name what isn't there, and what lock never approves. It returns nil if it refuses
// nothing. drifts are the drifts of sides.
func Check(sides []pin.Comparison, drifts []pin.Drift, said *Said) *Reason {
	var sets []string
	for i := range sides {
		p := &sides[i]
		if !p.Present {
			continue
		}
		sets = append(sets, p.Captured.Digest)
		if len(p.Captured.Of(pin.Tools)) == 0 && !said.AllowsEmpty && !p.Part {
			return &Reason{Why: EmptyList, Entry: pin.Ref{Server: p.Server}}
		}
	}
	slices.Sort(sets)
	if len(said.Expect) > 0 && !slices.Equal(sets, slices.Sorted(slices.Values(said.Expect))) {
		return &Reason{Why: OtherSet, Sets: sets}
	}
	if said.Approves {
		return checkLock(sides, drifts)
	}
	if why := checkSelectors("--only", said.Only, sides); why != nil {
		return why
	}
	if why := checkSelectors("--accept", labelsIn(said.Accepts), sides); why != nil {
		return why
	}
	if !said.Folder && !sides[0].Known && said.NeedsPins {
		return &Reason{Why: NoPins, Entry: pin.Ref{Server: sides[0].Server}}
	}
	return nil
}

// checkLock refuses what lock never approves: another policy, and a repeated name.
func checkLock(sides []pin.Comparison, drifts []pin.Drift) *Reason {
	for i := range sides {
		if sides[i].PolicyDiffers() {
			return &Reason{Why: OtherPolicy, Entry: pin.Ref{Server: sides[i].Server}}
		}
	}
	for i := range drifts {
		d := &drifts[i]
		if d.Kind == pin.Duplicate {
			return &Reason{Why: Repeated, Entry: d.Ref(), Copies: len(d.Copies)}
		}
	}
	return nil
}

// A decision holds what is worked out between a case and its outcome.
type decision struct {
	*Case
	said *Said

	// The drifts that are decided about. --only leaves out the others.
	drifts []pin.Drift

	warned map[pin.Ref]bool // the drifts that have a new warning
	marks  denial           // what flags say of denied entries
	out    Outcome
}

// Decide decides what is accepted of a case, or that a person has to be asked: then it is called
// again with the answers.
func Decide(c *Case, said *Said) Outcome {
	// The flags about warnings come first: warnings may be accepted although nothing drifted.
	if why := checkWarningFlags(c, said); why != nil {
		return refuse(why)
	}
	d := begin(c, said)
	d.drifts = d.selected()
	d.out = Outcome{
		LeftOut:  len(c.Drifts) - len(d.drifts),
		Accepted: map[pin.Ref]bool{},
		Refused:  map[pin.Ref]bool{},
		Recorded: d.recorded(),
		Renewed:  d.renewed(),
		Denied:   map[pin.Ref]bool{},
		Allowed:  map[pin.Ref]bool{},
	}
	marks, why := d.denials()
	if why != nil {
		return refuse(why)
	}
	d.marks = marks
	d.marksMatching()
	return d.decide()
}

// begin begins a decision.
func begin(c *Case, said *Said) *decision {
	d := &decision{Case: c, said: said, warned: map[pin.Ref]bool{}}
	for _, w := range c.Warnings {
		if w.Where == InDrift && !w.Approved {
			d.warned[w.Of] = true
		}
	}
	return d
}

// decide takes the steps of a decision, in their order.
func (d *decision) decide() Outcome {
	c := d.Case
	said := d.said
	out := &d.out
	policyChanged := slices.ContainsFunc(c.Sides, func(p pin.Comparison) bool { return p.PolicyDiffers() })

	// If there is nothing to write, the flags are still checked against what is there.
	open := len(d.drifts) > 0 || policyChanged || len(d.unrecorded()) > 0
	asks := said.Answers == nil && said.Asks() && open
	if said.isIdle() && !asks && isSettled(c) && out.writesNothing() {
		if why := d.accept(); why != nil {
			return refuse(why)
		}
		return Outcome{Settled: true}
	}
	if policyChanged && said.takesParts() {
		return refuse(&Reason{Why: NeedsAll})
	}
	if d.hasUncovered() {
		return refuse(&Reason{Why: NotCovered})
	}
	if asks || d.asksForLock() {
		return Outcome{Ask: true}
	}

	// What is accepted: all of it, what the selectors take, or what was answered with yes.
	if why := d.accept(); why != nil {
		return refuse(why)
	}
	if why := d.requireClean(); why != nil {
		return refuse(why)
	}
	allOrNone := policyChanged || said.Approves || len(out.Accepted) == 0
	if said.Answers == nil && d.isWholeWarned() || len(out.Refused) > 0 && allOrNone {
		return refuseWarned(out)
	}
	if policyChanged && len(out.Accepted) < len(c.Drifts) {
		return refuse(&Reason{Why: PolicyInParts})
	}

	// What is left, and the new pins.
	out.Left = d.left()
	d.markDrift()
	d.makePins()
	out.Code = codeOf(out)
	return *out
}

// refuseWarned returns the outcome if a new warning wasn't accepted.
func refuseWarned(out *Outcome) Outcome {
	no := refuse(&Reason{Why: NewWarning})
	no.Refused = out.Refused
	return no
}

// isIdle reports whether nobody was asked yet, and the command isn't lock.
func (said *Said) isIdle() bool { return said.Answers == nil && !said.Approves }

// takesParts reports whether the flags accept or deny only a part of what there is.
func (said *Said) takesParts() bool {
	return len(said.Accepts)+len(said.Deny) > 0 && !said.All
}

// writesNothing reports whether an outcome changes nothing beside drift.
func (out *Outcome) writesNothing() bool {
	return len(out.Recorded)+len(out.Renewed)+len(out.Denied)+len(out.Allowed) == 0
}

// left lists the drift that isn't accepted.
func (d *decision) left() (list []pin.Ref) {
	for i := range d.drifts {
		ref := d.drifts[i].Ref()
		if !d.out.Accepted[ref] {
			list = append(list, ref)
		}
	}
	return list
}

// selected lists the drift that is decided about.
func (d *decision) selected() (list []pin.Drift) {
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		words := slices.Clone(d.Facts[drift.Ref()].Words)
		if d.warned[drift.Ref()] {
			words = append(words, wordWarnings)
		}
		if d.said.selects(drift, words) {
			list = append(list, *drift)
		}
	}
	return list
}

// selects reports whether --only selects an entry with these words. Without --only, everything is selected.
func (said *Said) selects(drift *pin.Drift, words []string) bool {
	fits := func(s Selector) bool { return s.Fits(drift, words) }
	return len(said.Only) == 0 || slices.ContainsFunc(said.Only, fits)
}

// wordWarnings is the word that selects what has a new warning.
const wordWarnings = "warnings"

// unrecorded lists the warnings of matching entries that nobody accepted, less those that --only
// leaves out.
func (d *decision) unrecorded() (list []Warning) {
	for _, w := range d.Warnings {
		matching := pin.Drift{Server: w.Of.Server, Key: w.Of.Key}
		if w.Where == InMatch && !w.Approved && !w.isWhole() && d.said.selects(&matching, []string{wordWarnings}) {
			list = append(list, w)
		}
	}
	return list
}

// checkWarningFlags refuses an --accept-warning that names no entry, or entries of several servers.
func checkWarningFlags(c *Case, said *Said) *Reason {
	return checkNames("--accept-warning", said.Warnings, c.Sides)
}

// checkNames refuses a value of a flag that names no entry, or entries of several servers.
func checkNames(flag string, list []Selector, sides []pin.Comparison) *Reason {
	for i := range list {
		s := &list[i]
		if !s.IsName() {
			return &Reason{Why: NotAName, Flag: flag, Arg: s.Arg}
		}
		if why := s.check(flag, sides); why != nil {
			return why
		}
		if pin.Holders(sides, s.Key) > 1 {
			return &Reason{Why: SeveralServers, Flag: flag, Arg: s.Arg}
		}
	}
	return nil
}

// acceptsWarnings reports whether flags accept the warnings of an entry.
func (said *Said) acceptsWarnings(key pin.Key) bool {
	return said.AnyWarning || slices.ContainsFunc(said.Warnings, func(s Selector) bool { return s.Key == key })
}

// recorded returns the warnings of matching entries that are accepted now.
func (d *decision) recorded() WarningRecord {
	record := WarningRecord{}
	// If a person was asked about each, only the answers count, whatever a flag says.
	if d.said.Answers != nil {
		for _, r := range d.said.Answers.Records {
			record.Add(r.Of, r.Record)
		}
		return record
	}
	for _, w := range d.unrecorded() {
		if d.said.acceptsWarnings(w.Of.Key) {
			record.Add(w.Of, w.Record)
		}
	}
	return record
}

// renewed lists the entries that are approved anew: they match their pins, and their recorded
// approval holds for only a part of the definition. An approver must be given, and the flags must
// take them.
func (d *decision) renewed() (refs []pin.Ref) {
	if !d.said.Signs || d.said.Approves {
		return nil
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		for _, partly := range p.Locked.PartlyBound() {
			now := p.Captured.Find(partly.Key)
			if now == nil || now.Digest != partly.Digest {
				// It has drifted or isn't in the capture, so that nobody reads it now.
				continue
			}
			isNamed := func(s Selector) bool { return s.IsName() && s.Key == partly.Key }
			if d.said.All && len(d.said.Only) == 0 || slices.ContainsFunc(d.said.Accepts, isNamed) {
				refs = append(refs, pin.Ref{Server: p.Server, Key: partly.Key})
			}
		}
	}
	return refs
}

// isSettled reports whether every server that has a capture matches its pins.
func isSettled(c *Case) bool {
	if len(c.Verdict.Unanswered) == 0 {
		return c.Verdict.Matches
	}
	return !slices.ContainsFunc(c.Sides, func(p pin.Comparison) bool { return c.Verdict.Differs[p.Server] && !p.Missing })
}

// asksForLock reports whether a person has to be asked about a lock: always if there is a warning that no flag
// accepts, else unless --expect gives the digest of the set that was reviewed.
func (d *decision) asksForLock() bool {
	if !d.said.Approves || d.said.Silent || d.said.Answers != nil {
		return false
	}
	isWarned := func(drift pin.Drift) bool { return d.isRefused(drift.Ref()) }
	return len(d.said.Expect) == 0 || d.isWholeWarned() || slices.ContainsFunc(d.drifts, isWarned)
}

// isRefused reports whether an entry has a new warning that no flag accepts.
func (d *decision) isRefused(ref pin.Ref) bool {
	return d.warned[ref] && !d.said.acceptsWarnings(ref.Key)
}

// hasUncovered reports whether a text that isn't pinned has a warning.
func (d *decision) hasUncovered() bool {
	return slices.ContainsFunc(d.Warnings, func(w Warning) bool { return w.Where == Unpinned })
}

// isWholeWarned reports whether a list as a whole has a new warning that no flag accepts.
func (d *decision) isWholeWarned() bool {
	isNew := func(w Warning) bool { return w.isWhole() && !w.Approved }
	return !d.said.AnyWarning && slices.ContainsFunc(d.Warnings, isNew)
}

// accept finds what is accepted, what is refused for a new warning, and which selectors are idle.
func (d *decision) accept() *Reason {
	if d.said.Answers != nil {
		return d.acceptAnswers(d.said.Answers)
	}
	labels := labelsIn(d.said.Accepts)
	labelled := d.labelled(labels)
	for _, ref := range labelled {
		d.out.Accepted[ref] = true // it has no new warning
	}
	asked := map[pin.Ref]bool{}
	for i := range d.said.Accepts {
		s := &d.said.Accepts[i]
		if s.isLabel() {
			continue
		}
		fits, why := s.drifts(d.Sides, d.drifts)
		if why != nil {
			return why
		}
		for _, drift := range fits {
			asked[drift.Ref()] = true
		}
		if len(fits) == 0 && !d.out.Recorded.has(s) && !d.isAllowed(s) {
			d.out.Idle = append(d.out.Idle, *s)
		}
	}
	if len(labelled) == 0 {
		d.out.Idle = append(d.out.Idle, labels...)
	}
	asksAll := d.all()
	for i := range d.drifts {
		ref := d.drifts[i].Ref()
		if !asked[ref] && !asksAll[ref] && !d.marks.deny[ref] {
			continue
		}
		if d.isRefused(ref) {
			d.out.Refused[ref] = true
		} else if d.drifts[i].Kind != pin.Duplicate {
			d.out.Accepted[ref] = true
		}
	}
	return nil
}

// all returns the drift that lock or --accept-all asks for: all drift or, with --only, what that selects. If
// --only selects by a label, that is what --accept LABEL takes: an entry that has another change, too, isn't taken.
func (d *decision) all() map[pin.Ref]bool {
	asked := map[pin.Ref]bool{}
	if !d.said.All && !d.said.Approves {
		return asked
	}
	for _, ref := range d.labelled(labelsIn(d.said.Only)) {
		asked[ref] = true
	}
	for i := range d.drifts {
		drift := &d.drifts[i]
		ref := drift.Ref()
		if len(d.said.Only) == 0 || slices.ContainsFunc(d.said.Only, func(s Selector) bool { return d.takesWhole(&s, drift) }) {
			asked[ref] = true
		}
	}
	return asked
}

// takesWhole reports whether a selector of --only selects a drift by what it is, not by one of its changes.
func (d *decision) takesWhole(s *Selector, drift *pin.Drift) bool {
	fact := d.Facts[drift.Ref()]
	isChange := s.Word == wordMinor || slices.Contains(fact.Labels, s.Word)
	words := fact.Words
	if d.warned[drift.Ref()] {
		words = append(slices.Clone(words), wordWarnings)
	}
	return !(isChange && s.isLabel()) && s.Fits(drift, words)
}

// labelled lists the CHANGED entries that the labels take: entries without a new warning whose changes
// all have one of the labels or, if the label minor is given, that have nothing new to read.
func (d *decision) labelled(labels []Selector) (refs []pin.Ref) {
	takes := func(word string) bool {
		return slices.ContainsFunc(labels, func(s Selector) bool { return s.Word == word })
	}
	isOther := func(word string) bool { return !takes(word) }
	for i := range d.drifts {
		drift := &d.drifts[i]
		ref := drift.Ref()
		fact := d.Facts[ref]
		if drift.Kind != pin.Changed || len(fact.Labels) == 0 || d.warned[ref] {
			continue
		}
		if takes(wordMinor) && fact.Minor || !slices.ContainsFunc(fact.Labels, isOther) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// wordMinor is the label that takes what has nothing new to read.
const wordMinor = "minor"

// acceptAnswers accepts what was answered with yes. A yes holds for what was shown, and for nothing else.
func (d *decision) acceptAnswers(answers *Answers) *Reason {
	for i := range d.drifts {
		drift := &d.drifts[i]
		shown, yes := answers.Entries[drift.Ref()]
		if !yes || drift.Kind == pin.Duplicate {
			continue
		}
		if shown != drift.DefinitionDigest() {
			return &Reason{Why: NotWhatWasShown, Entry: drift.Ref()}
		}
		d.out.Accepted[drift.Ref()] = true
	}
	for i := range d.Sides {
		p := &d.Sides[i]
		if !p.PolicyDiffers() {
			continue
		}
		shown, yes := answers.Policies[p.Server]
		if !yes {
			return &Reason{Why: PolicyDeclined, Entry: pin.Ref{Server: p.Server}}
		}
		if !shown.Equal(p.Captured.Policy) {
			return &Reason{Why: NotWhatWasShown, Entry: pin.Ref{Server: p.Server}}
		}
	}
	for _, w := range d.Warnings {
		if !w.isWhole() || w.Approved {
			continue
		}
		shown, yes := answers.Wholes[w.Of.Server]
		if !yes {
			return &Reason{Why: WarningDeclined, Entry: w.Of}
		}
		if shown != pin.ComparisonOf(d.Sides, w.Of.Server).Captured.Digest {
			return &Reason{Why: NotWhatWasShown, Entry: w.Of}
		}
	}
	for _, r := range answers.Records {
		isThere := func(w Warning) bool { return w.Where == InMatch && w.Of == r.Of && w.Record == r.Record }
		if !slices.ContainsFunc(d.Warnings, isThere) {
			return &Reason{Why: NotWhatWasShown, Entry: r.Of}
		}
	}
	return nil
}

// requireClean enforces that policy on what would be written: on what was asked for and, if the
// policy is new, also on all that stays pinned.
func (d *decision) requireClean() *Reason {
	for _, w := range d.Warnings {
		isAsked := d.out.Accepted[w.Of] || d.out.Refused[w.Of]
		if asked, standing := d.forbids(&w); asked && isAsked || standing {
			return &Reason{Why: NotClean, Entry: w.Of, Warning: w}
		}
	}
	return nil
}

// forbids reports whether requireClean refuses a text with a warning: asked says that it does if the
// entry is asked for, standing that it does even if the entry only stays pinned.
func (d *decision) forbids(w *Warning) (asked, standing bool) {
	p := pin.ComparisonOf(d.Sides, w.Of.Server)
	if !w.Unclean || p == nil || !p.Captured.Policy.RequireClean {
		return false, false
	}
	return true, w.Where != InDrift && !p.Locked.Policy.RequireClean
}
