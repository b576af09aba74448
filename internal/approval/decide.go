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
		if !p.Present() {
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
	if said.TakesWords() {
		if why := checkSelectors("--only", said.Only, sides); why != nil {
			return why
		}
		if why := checkSelectors("--accept", labelsIn(said.Accepts), sides); why != nil {
			return why
		}
	}
	if !said.Folder && !sides[0].Known() && said.NeedsPins {
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

// A decision is the state between a case and its outcome.
type decision struct {
	*Case
	said *Said

	// The drifts that are decided about. --only leaves out the others.
	drifts []pin.Drift

	warned map[pin.Ref]bool // the drifts that have a new warning

	// By the name of a tool, the new warnings of what stays pinned that are about that name.
	named map[string][]Warning

	out Outcome
}

// Decide decides what is accepted of a case, or that a person has to be asked: then it is called
// again with the answers. What flags accept becomes an answer first, so both are decided in one way.
func Decide(c *Case, said *Said) Outcome {
	d := begin(c, said)
	yes := said.Answers
	if yes == nil {
		flagged, why := d.flags()
		if why != nil {
			return d.refuse(why)
		}
		yes = flagged
	}
	return d.decide(yes)
}

// begin begins a decision.
func begin(c *Case, said *Said) *decision {
	d := &decision{Case: c, said: said, warned: map[pin.Ref]bool{}, named: map[string][]Warning{}}
	for _, w := range c.Warnings {
		if w.Names != "" && !w.Approved && w.stays() {
			d.named[w.Names] = append(d.named[w.Names], w)
		}
		if w.Where == InDrift && !w.Approved {
			d.warned[w.Of] = true
		}
	}
	d.drifts = d.selected()
	d.out = Outcome{
		LeftOut:  len(c.Drifts) - len(d.drifts),
		Accepted: map[pin.Ref]bool{},
		Refused:  map[pin.Ref]bool{},
		Recorded: WarningRecord{},
		Denied:   map[pin.Ref]bool{},
		Allowed:  map[pin.Ref]bool{},
	}
	return d
}

// decide takes the steps of a decision, in their order.
func (d *decision) decide(yes *Answers) Outcome {
	said := d.said
	out := &d.out
	policyChanged := slices.ContainsFunc(d.Sides, func(p pin.Comparison) bool { return p.PolicyDiffers() })
	if policyChanged && said.takesParts() {
		return d.refuse(&Reason{Why: NeedsAll})
	}
	if d.hasUncovered() {
		return d.refuse(&Reason{Why: NotCovered})
	}
	open := len(d.drifts) > 0 || policyChanged || len(d.unrecorded()) > 0
	if said.Answers == nil && (said.Asks() && open || d.asksForLock(yes)) {
		return Outcome{Ask: true}
	}
	if why := d.take(yes); why != nil {
		return d.refuse(why)
	}
	if said.Answers == nil && !said.Approves && isSettled(d.Case) && out.writesNothing() {
		return Outcome{Settled: true}
	}
	if why := d.requireClean(); why != nil {
		return d.refuse(why)
	}
	if why := d.declined(yes); why != nil {
		return d.refuse(why)
	}
	allOrNone := policyChanged || said.Approves || len(out.Accepted) == 0
	if len(out.Refused) > 0 && allOrNone {
		return d.refuse(&Reason{Why: NewWarning})
	}
	if policyChanged && len(out.Accepted) < len(d.Drifts) {
		return d.refuse(&Reason{Why: PolicyInParts})
	}
	out.Left = d.left()
	d.makePins(yes)
	out.Code = codeOf(out)
	return *out
}

// refuse returns the outcome of a decision that writes nothing.
func (d *decision) refuse(why *Reason) Outcome {
	no := Outcome{Reason: why, Code: why.ExitCode()}
	if why.Why == NewWarning {
		no.Refused = d.out.Refused
	}
	return no
}

// takesParts reports whether the flags accept or deny only a part of what there is.
func (said *Said) takesParts() bool {
	return len(said.Accepts)+len(said.Deny) > 0 && !said.All
}

// writesNothing reports whether an outcome changes nothing but drift.
func (out *Outcome) writesNothing() bool {
	return len(out.Recorded)+len(out.Denied)+len(out.Allowed) == 0
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

// unrecorded lists the warnings of matching entries and of pinned texts that nobody accepted, less those that --only
// leaves out.
func (d *decision) unrecorded() (list []Warning) {
	for _, w := range d.Warnings {
		matching := pin.Drift{Server: w.Of.Server, Key: w.Of.Key}
		if w.stays() && !w.Approved && !w.isWhole() && d.said.selects(&matching, []string{wordWarnings}) {
			list = append(list, w)
		}
	}
	return list
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

// acceptsWarnings reports whether flags accept the warnings of an entry. A name is first of all that of an entry of the
// servers at hand.
func (d *decision) acceptsWarnings(ref pin.Ref) bool {
	isMeant := func(s Selector) bool { return s.Key == ref.Key }
	isHere := pin.ComparisonOf(d.Sides, ref.Server) != nil || pin.Holders(d.Sides, ref.Key) == 0
	return d.said.AnyWarning || isHere && slices.ContainsFunc(d.said.Warnings, isMeant)
}

// isSettled reports whether every server that has a capture matches its pins.
func isSettled(c *Case) bool {
	if len(c.Verdict.Unanswered) == 0 {
		return c.Verdict.Matches
	}
	return !slices.ContainsFunc(c.Sides, func(p pin.Comparison) bool { return c.Verdict.Differs[p.Server] && !p.Missing() })
}

// asksForLock reports whether a person has to be asked about a lock: always if there is a warning that no flag
// accepts, else unless --expect gives the digest of the set that was reviewed.
func (d *decision) asksForLock(flags *Answers) bool {
	if !d.said.Approves || d.said.Silent {
		return false
	}
	yes := consentIn(flags)
	isWarned := func(drift pin.Drift) bool { return d.isRefused(drift.Ref()) || d.isNamed(&drift, yes) }
	return len(d.said.Expect) == 0 || d.isWholeWarned() || slices.ContainsFunc(d.drifts, isWarned)
}

// isRefused reports whether an entry has a new warning that no flag accepts.
func (d *decision) isRefused(ref pin.Ref) bool {
	return d.warned[ref] && !d.acceptsWarnings(ref)
}

// A consent is what answers accept: drift, and the warnings of what stays pinned.
type consent struct {
	entries map[pin.Ref]string
	records map[Record]bool
}

func consentIn(yes *Answers) consent {
	c := consent{yes.Entries, map[Record]bool{}}
	for _, r := range yes.Records {
		c.records[r] = true
	}
	return c
}

// isNamed reports whether an added tool is named by a new warning of what stays pinned on another server, and the answers
// don't accept that warning.
func (d *decision) isNamed(drift *pin.Drift, yes consent) bool {
	if drift.Kind != pin.Added || drift.Type != pin.Tools {
		return false
	}
	return slices.ContainsFunc(d.named[drift.Name], func(w Warning) bool {
		_, isReplaced := yes.entries[w.Of]
		return w.Of.Server != drift.Server && !(isReplaced && w.Where == InPin) && !yes.records[Record{w.Of, w.Record}]
	})
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

// wholes answers for policies, for captures as wholes and for warnings in entries that match.
func (d *decision) wholes(yes *Answers) {
	for i := range d.Sides {
		p := &d.Sides[i]
		yes.Policies[p.Server] = p.Captured.Policy
		if d.said.AnyWarning {
			yes.Wholes[p.Server] = p.Captured.Digest
		}
	}
	for _, w := range d.unrecorded() {
		if d.acceptsWarnings(w.Of) {
			yes.Records = append(yes.Records, Record{w.Of, w.Record})
		}
	}
}

// flags returns what the flags accept, as if a person had answered so. It finds what they ask for and a new
// warning prevents, and which selectors are idle.
func (d *decision) flags() (*Answers, *Reason) {
	said := d.said
	// Warnings may be accepted although nothing drifted.
	if len(said.Warnings) > 0 {
		if why := d.checkWarnings(); why != nil {
			return nil, why
		}
	}
	yes := &Answers{Entries: map[pin.Ref]string{}, Denied: map[pin.Ref]bool{}, Allowed: map[pin.Ref]bool{}, Policies: map[string]pin.Policy{}, Wholes: map[string]string{}}
	d.wholes(yes)
	if len(said.Deny) > 0 {
		if why := d.marks(yes); why != nil {
			return nil, why
		}
	}
	asked := d.all()
	if labels := labelsIn(said.Accepts); len(labels) > 0 {
		labelled := d.labelled(labels)
		if len(labelled) == 0 {
			d.out.Idle = labels
		}
		for _, ref := range labelled {
			asked[ref] = true // it has no new warning
		}
	}
	single := map[pin.Ref]bool{} // asked for by a name or a digest
	for i := range said.Accepts {
		s := &said.Accepts[i]
		if s.isLabel() || said.KeepsMarks && pin.Holders(d.Sides, s.Key) == 0 {
			continue // for the warning of a server without a capture, there is no drift to accept
		}
		fits, err := s.drifts(d.Sides, d.drifts)
		if err != nil {
			return nil, err
		}
		for _, drift := range fits {
			asked[drift.Ref()] = true
			single[drift.Ref()] = single[drift.Ref()] || s.Digest != "" || s.IsName()
		}
		hasMark, err := d.unmark(s, fits, yes)
		if err != nil {
			return nil, err
		}
		if len(fits) == 0 && !hasMark && !yes.has(s) {
			d.out.Idle = append(d.out.Idle, *s)
		}
	}
	d.answer(yes, asked, single)
	return yes, nil
}

// answer adds to yes the drift that the flags ask for, unless a new warning or a denied entry that is gone prevents that.
func (d *decision) answer(yes *Answers, asked, single map[pin.Ref]bool) {
	awaited := d.awaited()
	for i := range d.drifts {
		drift := &d.drifts[i]
		ref := drift.Ref()
		if !asked[ref] && !yes.Denied[ref] {
			continue
		}
		if d.isHeld(drift, awaited) && !single[ref] && !yes.Denied[ref] {
			d.out.Held = append(d.out.Held, ref)
		} else if d.isRefused(ref) {
			d.out.Refused[ref] = true
		} else if drift.Kind != pin.Duplicate { // which can't be accepted
			yes.Entries[ref] = drift.DefinitionDigest()
		}
	}
}

// checkWarnings refuses a value of --accept-warning that names no entry, or entries of several servers.
func (d *decision) checkWarnings() *Reason {
	for i := range d.said.Warnings {
		one := d.said.Warnings[i : i+1]
		sides := d.Sides
		if pin.Holders(sides, one[0].Key) == 0 && pin.Holders(d.Others, one[0].Key) > 0 {
			sides = d.Others
		}
		if why := checkNames("--accept-warning", one, sides); why != nil {
			return why
		}
	}
	return nil
}

// unmark adds to yes the entries whose mark a selector of --accept removes: the drift that it accepts or, if
// there is no such drift, an entry that matches. It reports whether an entry that matches has a mark.
func (d *decision) unmark(s *Selector, fits []*pin.Drift, yes *Answers) (hasMark bool, why *Reason) {
	if !s.named() || s.pattern != nil || d.said.KeepsMarks {
		return false, nil
	}
	for _, drift := range fits {
		yes.Allowed[drift.Ref()] = true
	}
	if len(fits) > 0 {
		return false, nil
	}
	matching := s.matching(d.Sides)
	if len(matching) > 1 {
		return false, &Reason{Why: SeveralServers, Flag: "--accept", Arg: s.Arg}
	}
	for _, ref := range matching {
		yes.Allowed[ref] = true
		hasMark = d.wasDenied(ref)
	}
	return hasMark, nil
}

// has reports whether a selector names an entry of which a warning is accepted.
func (yes *Answers) has(s *Selector) bool {
	return slices.ContainsFunc(yes.Records, func(r Record) bool { return s.means(r.Of.Key) })
}

// all returns the drift that lock or --accept-all asks for: all drift or, with --only, what that selects. If
// --only selects by a label, that is what --accept LABEL takes: an entry that has another change, too, isn't taken.
func (d *decision) all() map[pin.Ref]bool {
	asked := map[pin.Ref]bool{}
	if !d.said.All && !d.said.Approves {
		return asked
	}
	if len(d.said.Only) > 0 {
		for _, ref := range d.labelled(labelsIn(d.said.Only)) {
			asked[ref] = true
		}
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

// take accepts what was answered with yes. A yes is valid only for what was shown.
func (d *decision) take(answers *Answers) *Reason {
	consent := consentIn(answers)
	awaited := d.awaited()
	for i := range d.drifts {
		drift := &d.drifts[i]
		shown, yes := answers.Entries[drift.Ref()]
		if !yes || drift.Kind == pin.Duplicate {
			continue
		}
		if shown != drift.DefinitionDigest() {
			return &Reason{Why: NotWhatWasShown, Entry: drift.Ref()}
		}
		isOwn := answers.Allowed[drift.Ref()] || answers.Denied[drift.Ref()]
		// The question of a rename states that the mark stays.
		if d.said.Answers != nil && !isOwn && drift.Kind == pin.Added && d.isHeld(drift, awaited) && !d.wasDenied(drift.Ref()) {
			d.out.Held = append(d.out.Held, drift.Ref())
			continue
		}
		if d.isNamed(drift, consent) {
			d.out.Refused[drift.Ref()] = true
			continue
		}
		d.out.Accepted[drift.Ref()] = true
	}
	where := map[Record]Where{} // the warnings that can be recorded
	for _, w := range d.Warnings {
		if w.stays() {
			where[Record{w.Of, w.Record}] = w.Where
		}
	}
	for _, r := range answers.Records {
		at, isThere := where[r]
		if !isThere {
			return &Reason{Why: NotWhatWasShown, Entry: r.Of}
		}
		if at == InPin && d.out.Accepted[r.Of] {
			continue // the text that it is about goes
		}
		d.out.Recorded.Add(r.Of, r.Record)
	}
	d.mark(answers)
	return nil
}

// declined returns the first no to what is accepted or declined as a whole: a policy, a warning about a list.
func (d *decision) declined(answers *Answers) *Reason {
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
		if !yes && d.said.Answers == nil {
			return &Reason{Why: NewWarning}
		}
		if !yes {
			return &Reason{Why: WarningDeclined, Entry: w.Of}
		}
		if shown != pin.ComparisonOf(d.Sides, w.Of.Server).Captured.Digest {
			return &Reason{Why: NotWhatWasShown, Entry: w.Of}
		}
	}
	return nil
}

// requireClean enforces that policy on what would be written: on what was asked for and, if the
// policy is new, also on all that stays pinned.
func (d *decision) requireClean() *Reason {
	for _, w := range d.Warnings {
		isAsked := d.out.Accepted[w.Of] || d.out.Refused[w.Of]
		if asked, kept := d.forbids(&w); asked && isAsked || kept {
			return &Reason{Why: NotClean, Entry: w.Of, Warning: w}
		}
	}
	return nil
}

// forbids reports whether requireClean refuses a text with a warning: asked is true if it does when the
// entry is asked for, kept if it does even when the entry only stays pinned.
func (d *decision) forbids(w *Warning) (asked, kept bool) {
	p := pin.ComparisonOf(d.Sides, w.Of.Server)
	if !w.Unclean || p == nil || !p.Captured.Policy.RequireClean {
		return false, false
	}
	return true, w.Where != InDrift && !p.Locked.Policy.RequireClean
}
