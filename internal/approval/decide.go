package approval

import (
	"cmp"
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A decision is the working state of Decide.
type decision struct {
	*Input
	*Choices

	// The drift to decide about: what --only selects, or all drift.
	drifts []pin.Drift

	warned pin.RefSet // the drifts that have a new warning

	// The new warnings about text that stays pinned, by the tool that the text names.
	named map[string][]Warning

	// For each list, whether one of its denied entries is missing: the cached results of isAwaited.
	awaited pin.RefSet

	// The keys of the pins that drifted entries seem to be renamed from, and of the denied pins that drifted entries
	// look like.
	former pin.RefSet

	refused pin.RefSet // drift that was asked for, but has a new warning

	// The definitions of the entries that this run denies, each without its name member; built on first use.
	copies map[string]bool

	yes *Answers

	policyChanged bool
	isBare        bool // a new server without an entry stays without pins

	out Outcome
}

// Decide decides which drift is accepted, or returns that a person must be asked. In that case, the caller calls it
// again with the answers. Decide turns the flags into answers first, so that flags and answers follow the same rules.
func Decide(c *Input, said *Choices) Outcome {
	d := begin(c, said)
	read := d.flags
	if said.Answers != nil {
		d.yes = said.Answers
		read = d.marks // the answers replace all flags except --deny
	}
	err := read()
	if err == nil {
		err = d.decide()
	}
	if err != nil {
		return Outcome{Err: err, Warnings: d.out.Warnings}
	}
	return d.out
}

// begin prepares a decision: it selects the drift and indexes the warnings.
func begin(c *Input, said *Choices) *decision {
	d := &decision{Input: c, Choices: said, warned: pin.RefSet{}, named: map[string][]Warning{}, refused: pin.RefSet{}, former: pin.RefSet{}, awaited: pin.RefSet{}, yes: NewAnswers()}
	for _, w := range c.Warnings {
		if w.NamedTool != "" && !w.Approved && w.stays() {
			d.named[w.NamedTool] = append(d.named[w.NamedTool], w)
		}
		if w.Scope == pin.FindingInDrift && !w.Approved {
			d.warned[w.Entry] = true
		}
	}
	for _, drift := range d.Drifts {
		if said.selects(&drift, d.words(&drift)) {
			d.drifts = append(d.drifts, drift)
		}
		former := drift.Ref()
		former.Name = drift.RenamedFrom
		d.former[former] = true
		d.former[drift.LikeDenied] = true
	}
	d.policyChanged = slices.ContainsFunc(d.Sides, func(p pin.Comparison) bool { return p.PolicyDiffers() })
	d.out = Outcome{
		Accepted:         pin.RefSet{},
		HeldBack:         pin.RefSet{},
		RecordedWarnings: map[pin.EntryWarning]bool{},
		Denied:           pin.RefSet{},
		NoLongerDenied:   pin.RefSet{},
	}
	return d
}

// decide runs the steps of a decision in order. An error means that nothing is written.
func (d *decision) decide() *fail.Error {
	out := &d.out
	if err := d.beforeAnswers(); err != nil {
		return err
	}
	isOpen := len(d.drifts) > 0 || d.policyChanged || len(d.unrecorded()) > 0
	if d.Answers == nil && (d.NeedsPrompt() && isOpen || d.asksForLock()) {
		*out = Outcome{NeedsPrompt: true}
		return nil
	}
	if err := d.take(); err != nil {
		return err
	}
	isUnchanged := len(out.RecordedWarnings)+len(out.Denied)+len(out.NoLongerDenied)+len(d.refused) == 0
	if d.Answers == nil && !d.NewServersOnly && d.isSettled() && isUnchanged {
		*out = Outcome{NothingToWrite: true}
		return nil
	}
	if unclean := d.warningsThat(d.isUnclean); len(unclean) > 0 {
		out.Warnings = unclean[:1]
		return fail.New("%s is refused by the policy (requireClean): nothing was written", unclean[0].Entry.EntryRef()).AsDrift()
	}
	if err := d.declined(); err != nil {
		return err
	}
	allOrNone := d.policyChanged || d.NewServersOnly || len(out.Accepted) == 0
	if len(d.refused) > 0 && allOrNone {
		return d.newWarnings("nothing was written")
	}
	if d.policyChanged && len(out.Accepted) < len(d.Drifts) {
		err := fail.New("a changed policy takes effect only when all drift is accepted: nothing was written").Hint("read it: %s", d.CommandLine.ForVerb("diff"))
		if len(out.HeldBack) > 0 {
			err.Hint("a denied entry that goes takes a yes of its own, at a terminal: %s", d.CommandLine.ForVerb(d.CommandName))
		}
		return err.AsDrift()
	}
	d.makePins()
	if len(d.refused) > 0 {
		out.Err = d.newWarnings("not accepted")
	} else if len(out.Accepted) < len(d.Drifts) || d.isBare {
		out.Err = fail.ErrDrift
	}
	return nil
}

// beforeAnswers refuses what no answer at the prompt can allow.
func (d *decision) beforeAnswers() *fail.Error {
	if d.policyChanged && len(d.Accept)+len(d.Deny) > 0 && !d.AcceptAll {
		return fail.New("a changed policy changes every pin: accept it with all drift, or not at all").
			Hint("read it, and answer at a terminal: %s", d.CommandLine.ForVerb("relock"))
	}
	if uncovered := d.warningsThat(func(w *Warning) bool { return w.Scope.IsUnpinned() }); len(uncovered) > 0 {
		d.out.Warnings = uncovered
		err := fail.New("a text that isn't pinned has a warning, which no approval covers: nothing was written").
			Hint("read it: %s", d.CommandLine.ForVerb("diff")).AsDrift()
		// The policy of a partial capture can't be changed, so don't suggest it.
		if !d.Sides[0].IsPartial {
			err.Hint("pin it, then it can be approved: %s", d.CommandLine.WithoutFlag("descriptions").ForVerb(d.CommandName, "--descriptions=preserve"))
		}
		return err
	}
	return nil
}

// words returns the words by which --only selects a drift.
func (d *decision) words(drift *pin.Drift) []string {
	words := d.Facts[drift.Ref()].SelectorWords
	if d.warned[drift.Ref()] {
		words = append(slices.Clone(words), pin.WarningsSelector)
	}
	return words
}

// selects reports whether --only selects an entry with these words. Without --only, everything is selected.
func (said *Choices) selects(drift *pin.Drift, words []string) bool {
	return len(said.Only) == 0 || MatchesAny(said.Only, drift, words)
}

// warningsThat lists the warnings for which is(w) is true.
func (d *decision) warningsThat(is func(w *Warning) bool) (list []Warning) {
	for i := range d.Warnings {
		if is(&d.Warnings[i]) {
			list = append(list, d.Warnings[i])
		}
	}
	return list
}

// unrecorded returns the unaccepted warnings about text that is already pinned. With --only, it returns only the
// selected ones.
func (d *decision) unrecorded() []Warning {
	return d.warningsThat(func(w *Warning) bool {
		matching := pin.Drift{Server: w.Entry.Server, Key: w.Entry.Key}
		return w.stays() && !w.Approved && !w.Entry.IsWholeServer() && d.selects(&matching, []string{pin.WarningsSelector})
	})
}

// newWarnings returns the error for new warnings that prevent an approval. The error suggests no command that accepts
// them, so that nobody approves a warning by copy and paste.
func (d *decision) newWarnings(result string) *fail.Error {
	prevents := map[string]bool{} // tools, by name, whose drift was rejected because a warning names them
	for ref := range d.refused {
		if ref.Type == pin.Tools {
			prevents[ref.Name] = true
		}
	}
	d.out.Warnings = d.warningsThat(func(w *Warning) bool {
		return !w.Approved && (w.Entry.IsWholeServer() || w.Scope == pin.FindingInDrift && d.refused[w.Entry] || w.stays() && prevents[w.NamedTool])
	})
	return fail.New("%s: %s", text.FormatCount(len(d.out.Warnings), "new warning"), result).Hint("read it: %s", d.CommandLine.ForVerb("diff")).
		Hint("then answer at a terminal, where a warning takes the whole word yes: %s", d.CommandLine.ForVerb(d.CommandName)).AsDrift()
}

// NotConvergingError returns the error for decisions that don't converge: each decision causes warnings that the one
// before didn't have.
func (said *Choices) NotConvergingError() *fail.Error {
	return fail.New("accepted entries have more and more new warnings: nothing was written").
		Hint("accept a few at a time: %s", said.CommandLine.ForVerb("diff")).AsDrift()
}

// isSettled reports whether every server that has a capture matches its pins.
func (d *decision) isSettled() bool {
	if len(d.Verdict.UnjudgedServers) == 0 {
		return d.Verdict.Matches
	}
	return !slices.ContainsFunc(d.Sides, func(p pin.Comparison) bool { return d.Verdict.DifferingServers[p.Server] && !p.LacksCapture() })
}

// asksForLock reports whether lock must ask a person: --expect isn't given, or there is a new warning that no flag
// accepts.
func (d *decision) asksForLock() bool {
	if !d.NewServersOnly || d.NonInteractive {
		return false
	}
	isWarned := func(drift pin.Drift) bool { return d.isRefused(drift.Ref()) || d.isNamed(&drift) }
	return len(d.ExpectedDigests) == 0 || d.isWholeWarned() || slices.ContainsFunc(d.drifts, isWarned)
}

// isNamed reports whether a pinned text names this tool and has a new warning that the answers don't accept. Such a
// warning prevents the tool's change: either another server's text names a tool that is added here, or a text of this
// server names a tool that is removed or denied here, so that the text would mean another server's tool.
func (d *decision) isNamed(drift *pin.Drift) bool {
	return drift.Type == pin.Tools && slices.ContainsFunc(d.named[drift.Name], func(w Warning) bool { return d.prevents(&w, drift) })
}

// prevents reports whether a new warning about a tool's name prevents this drift of the tool from being accepted, or
// the tool from being denied.
func (d *decision) prevents(w *Warning, drift *pin.Drift) bool {
	isAdded := drift.Kind == pin.DriftAdded
	isAbout := isAdded
	if w.Entry.Server == drift.Server {
		isAbout = drift.Kind == pin.DriftRemoved || !isAdded && !drift.IsDenied() && (d.yes.Denied[drift.Ref()] || drift.LooksDenied())
	}
	return isAbout && !(d.out.Accepted[w.Entry] && w.Scope == pin.FindingInPinOnly) && !d.yes.AcceptedWarnings[w.EntryWarning]
}

// isWholeWarned reports whether there is a new warning about a whole list that the answers don't accept.
func (d *decision) isWholeWarned() bool {
	isNew := func(w Warning) bool { return w.Entry.IsWholeServer() && !w.Approved }
	return !d.yes.AcceptsCaptureWarnings && slices.ContainsFunc(d.Warnings, isNew)
}

// take accepts the entries in the answers. It returns an error if the digest of an entry isn't the one that was shown.
func (d *decision) take() *fail.Error {
	for _, drift := range d.drifts {
		ref := drift.Ref()
		shown, yes := d.yes.AcceptedDigests[ref]
		if !yes || drift.Kind == pin.DriftDuplicate {
			continue
		}
		if shown != drift.DigestToAccept() {
			return fail.New("%s is not what was shown: nothing was written", ref.EntryRef()).Hint("review again: %s", d.CommandLine.ForVerb("diff")).AsDrift()
		}
		isOwn := d.yes.AcceptedIndividually[ref] || d.yes.Denied[ref]
		isCopy := d.isCopy(&drift) && !isOwn
		isDoubtful := d.Answers != nil && !isOwn && (d.mayBeDenied(&drift) || drift.UnlikeDenied)
		if (isCopy || isDoubtful) && !d.NewServersOnly {
			d.out.HeldBack[ref] = true
		} else {
			d.out.Accepted[ref] = true
		}
	}
	d.keepDenied()
	if len(d.named) > 0 {
		d.refuseNamed()
	}
	for _, w := range d.Warnings {
		// Accepting the entry replaces the pinned text that the warning is about.
		isGone := w.Scope == pin.FindingInPinOnly && d.out.Accepted[w.Entry]
		if w.stays() && !isGone && d.yes.AcceptedWarnings[w.EntryWarning] {
			d.out.RecordedWarnings[w.EntryWarning] = true
		}
	}
	d.mark()
	return nil
}

// keepDenied leaves the drift of a denied entry unaccepted as long as an unaccepted entry resembles its pin: the pin is
// the only record that this definition is denied.
func (d *decision) keepDenied() {
	open := pin.RefSet{}
	for _, drift := range d.Drifts {
		if !d.out.Accepted[drift.Ref()] {
			former := drift.Ref()
			former.Name = drift.RenamedFrom
			open[former] = true
			open[drift.LikeDenied] = true
		}
	}
	for _, drift := range d.drifts {
		if ref := drift.Ref(); d.out.Accepted[ref] && drift.IsDenied() && open[ref] {
			delete(d.out.Accepted, ref)
			d.out.HeldBack[ref] = true
		}
	}
}

// refuseNamed rejects each accepted drift of a tool that an unaccepted new warning names. A rejected entry keeps its
// pinned text. If a warning about that text names another accepted tool, refuseNamed rejects that tool's drift, too.
func (d *decision) refuseNamed() {
	byName := map[string][]*pin.Drift{}
	for i := range d.drifts {
		drift := &d.drifts[i]
		if drift.Type == pin.Tools {
			byName[drift.Name] = append(byName[drift.Name], drift)
		}
	}
	inText := map[pin.Ref][]Warning{}
	for _, list := range d.named {
		for _, w := range list {
			inText[w.Entry] = append(inText[w.Entry], w)
		}
	}
	var refuse func(ref pin.Ref)
	refuse = func(ref pin.Ref) {
		delete(d.out.Accepted, ref)
		d.refused[ref] = true
		for _, w := range inText[ref] {
			for _, drift := range byName[w.NamedTool] {
				if d.out.Accepted[drift.Ref()] && d.prevents(&w, drift) {
					refuse(drift.Ref())
				}
			}
		}
	}
	for i := range d.drifts {
		drift := &d.drifts[i]
		if d.out.Accepted[drift.Ref()] && d.isNamed(drift) {
			refuse(drift.Ref())
		}
	}
}

// declined returns an error if the changed policies, or the warnings about whole lists, were not accepted.
func (d *decision) declined() *fail.Error {
	if d.policyChanged && !d.yes.AcceptsPolicies {
		return fail.New("the policy was not accepted: nothing was written").AsDrift()
	}
	if !d.isWholeWarned() {
		return nil
	}
	if d.Answers == nil {
		return d.newWarnings("nothing was written")
	}
	return fail.New("the warning was not accepted: nothing was written").AsDrift()
}

// isUnclean reports whether the policy requireClean forbids the text of a warning. It applies to requested entries and,
// if requireClean is new, also to entries that stay pinned.
func (d *decision) isUnclean(w *Warning) bool {
	if !d.forbids(w) {
		return false
	}
	isNew := !pin.FindComparison(d.Sides, w.Entry.Server).Locked.Policy.RequireClean
	return d.out.Accepted[w.Entry] || d.refused[w.Entry] || w.Scope != pin.FindingInDrift && isNew
}

// forbids reports whether requireClean refuses a text with a warning.
func (d *decision) forbids(w *Warning) bool {
	p := pin.FindComparison(d.Sides, w.Entry.Server)
	return w.FailsRequireClean && p != nil && p.Captured.Policy.RequireClean
}

// A denied entry is pinned and compared like any other, but its mark "denied" keeps it from agents. --deny sets
// the mark, and acceptance in bulk keeps it. Only --accept NAME, or a yes to the entry's own question, removes
// it.

// isAwaited reports whether the capture, or the captured part of the list, lacks a denied entry of the drift's list.
// That entry may come back.
func (d *decision) isAwaited(drift *pin.Drift) bool {
	list := pin.Ref{Server: drift.Server, Key: pin.Key{Type: drift.Type}}
	is, known := d.awaited[list]
	if !known {
		is = len(pin.FindComparison(d.Sides, drift.Server).AbsentDenied(drift.Type)) > 0
		d.awaited[list] = is
	}
	return is
}

// mayBeDenied reports whether an entry may be a denied entry under another name: it was added while a denied entry is
// missing, or it couldn't be compared with the denied entries. A person can accept it by its digest or by its own
// question at the prompt, but not by its name alone.
func (d *decision) mayBeDenied(drift *pin.Drift) bool {
	return (drift.Kind == pin.DriftAdded && d.isAwaited(drift) || drift.MayBeDenied) && !drift.IsDenied() && !drift.LooksDenied()
}

// isCopy reports whether an entry has the same definition, apart from the name, as an entry that this run denies.
func (d *decision) isCopy(drift *pin.Drift) bool {
	if d.copies == nil {
		d.copies = map[string]bool{}
		for ref := range d.yes.Denied {
			// Search both sides, because d.drifts lacks a denied entry that matches its pin.
			if side := pin.FindComparison(d.Sides, ref.Server); side != nil {
				if p := cmp.Or(side.Captured.Find(ref.Key), side.Locked.Find(ref.Key)); p != nil {
					d.copies[p.DefinitionWithoutName()] = true
				}
			}
		}
		delete(d.copies, "")
	}
	return len(d.copies) > 0 && drift.Captured != nil && !d.yes.Denied[drift.Ref()] && d.copies[drift.Captured.DefinitionWithoutName()]
}

// isHeld reports whether bulk acceptance skips a drift. It skips an entry that is, or may be, a denied entry under
// another name. It also skips the denied entry itself if the entry is removed, renamed or no longer resembles its pin:
// without the denied pin, a later bulk acceptance, perhaps of another capture, would accept the renamed entry. While a
// denied entry is missing, bulk acceptance also skips each removed entry that seems to be renamed.
func (d *decision) isHeld(drift *pin.Drift) bool {
	isGone := drift.Kind == pin.DriftRemoved
	isFormer := d.former[drift.Ref()]
	isKept := drift.IsDenied() && (isGone || isFormer || drift.UnlikeDenied) || isGone && isFormer && d.isAwaited(drift)
	return isKept || d.mayBeDenied(drift) || drift.LooksDenied()
}

// mark sets Denied and NoLongerDenied of the outcome: the entries that become denied, or stay denied while their drift
// is accepted, and the entries that are no longer denied.
func (d *decision) mark() {
	drifted := pin.RefSet{}
	set := func(drift *pin.Drift) {
		ref := drift.Ref()
		isNew := drift.Kind != ""
		// lock pins a new server as a whole. It pins the entries that bulk acceptance would skip as denied.
		was := drift.IsDenied() || drift.LooksDenied() || d.NewServersOnly && (d.mayBeDenied(drift) || d.isCopy(drift))
		// Accepting an entry removes only its own denied mark, not the mark of its former name.
		is := d.yes.Denied[ref] || was && !(drift.IsDenied() && d.yes.AcceptedIndividually[ref])
		if !isNew && d.isNamed(drift) {
			d.refused[ref] = true
		} else if is && (isNew || !was) {
			d.out.Denied[ref] = true
		} else if was && !is {
			d.out.NoLongerDenied[ref] = true
		}
	}
	for i := range d.Drifts {
		drift := &d.Drifts[i]
		ref := drift.Ref()
		drifted[ref] = true
		if !d.out.Accepted[ref] {
			continue
		}
		if drift.Kind != pin.DriftRemoved {
			set(drift)
		} else if drift.IsDenied() {
			d.out.NoLongerDenied[ref] = true // it may come back without the mark
		}
	}
	if d.Answers != nil {
		return // at the prompt, nobody is asked about entries that match
	}
	for _, p := range d.Sides {
		for j := range p.Locked.Pins {
			pinned := &p.Locked.Pins[j]
			matching := pin.Drift{Server: p.Server, Key: pinned.Key, Locked: pinned} // no Kind: the entry hasn't drifted
			if !drifted[matching.Ref()] {
				set(&matching)
			}
		}
	}
}

// WouldWrite reports whether these choices would write the lockfile without leaving out any drift. Reports suggest only
// commands for which that is true.
func WouldWrite(c *Input, said Choices) bool {
	said.NonInteractive = true
	out := Decide(c, &said)
	return len(out.NewPins) > 0 && len(out.HeldBack) == 0
}

// AcceptableByName reports for each drift whether --accept NAME could accept it, as far as that depends on warnings
// about pinned text and on requireClean. The caller checks everything else: a changed policy, warnings of the entry or
// its list, repeated names. WouldWrite gives the same result for one name; AcceptableByName is faster for all names.
func AcceptableByName(c *Input) pin.RefSet {
	d := begin(c, &Choices{})
	alone := pin.RefSet{}
	for _, drift := range c.Drifts {
		alone[drift.Ref()] = !d.isNamed(&drift)
	}
	for _, w := range c.Warnings {
		if d.forbids(&w) {
			alone[w.Entry] = false
		}
	}
	return alone
}
