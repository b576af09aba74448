package cli

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// approveFlags holds the flags of lock and relock.
type approveFlags struct {
	sharedFlags
	policy         pin.Policy // as it is asked for
	ignore         []string
	acceptWarning  []string
	acceptWarnings bool
	approvedBy     string
	expect         []string
	allowEmpty     bool

	accept    []string // these of relock alone
	acceptAll bool
	drop      string
}

func (f *approveFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy.Descriptions, "descriptions", "preserve", "how much of tools' descriptions to pin: preserve, truncate=N or strip")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "leave the member at this `POINTER` out of the pins: /_meta, /icons, /execution (repeatable)")
	for _, s := range pin.Switches {
		flags.BoolVar(s.Of(&f.policy), s.Flag, false, s.Usage)
	}
	flags.StringArrayVar(&f.acceptWarning, "accept-warning", nil, "accept the entry `NAME` in spite of its warnings: NAME of a tool, prompt=NAME, instructions (repeatable)")
	flags.BoolVar(&f.acceptWarnings, "accept-warnings", false, "refuse nothing for its warnings")
	flags.StringVar(&f.approvedBy, "approved-by", "", "record with each pin written that `NAME` approved it, and when")
	flags.StringArrayVar(&f.expect, "expect", nil, "write only if the set digest is `SETDIGEST` (repeatable for a folder)")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "accept a list without tools")
}

// request reads the positionals and checks the flags. approves is whether servers are pinned
// that are new.
func (f *approveFlags) request(a *app, cmd *cobra.Command, args []string, approves bool) (*request, error) {
	req, err := f.sharedFlags.request(a, cmd, args)
	if err != nil {
		return nil, err
	}
	req.Approves, req.NeedsPins = approves, !approves
	given := cmd.Flags().Changed
	req.Policy = func(recorded pin.Policy) pin.Policy { return f.changed(recorded, given) }
	if f.policy.Descriptions, err = pin.ParseDescriptions(f.policy.Descriptions); err != nil {
		return nil, fail.New("--descriptions %s", err)
	}
	if f.policy.Ignore, err = pin.ParseIgnore(listed(f.ignore)); err != nil {
		return nil, fail.New("--ignore %s", err)
	}
	if f.policy.Resources && f.policy.ToolsOnly {
		return nil, fail.New("--resources and --tools-only don't go together")
	}
	for _, e := range f.expect {
		if !pin.IsDigest(e) {
			return nil, fail.New("--expect %s: a set digest is sha256: and 64 lower-case hex digits", text.Name(e))
		}
	}
	if given("approved-by") && (strings.TrimSpace(f.approvedBy) == "" || !utf8.ValidString(f.approvedBy)) {
		return nil, fail.New("--approved-by needs a name")
	}
	f.policy.Substitute = pin.SubstituteNames(req.Substitutes)
	return req, nil
}

// changed returns the policy on record as the flags change it.
func (f *approveFlags) changed(p pin.Policy, given func(flag string) bool) pin.Policy {
	if given("descriptions") {
		p.Descriptions = f.policy.Descriptions
	}
	if given("ignore") {
		p.Ignore = f.policy.Ignore
	}
	if given("substitute") {
		p.Substitute = f.policy.Substitute
	}
	for _, s := range pin.Switches {
		if given(s.Flag) {
			*s.Of(&p) = *s.Of(&f.policy)
		}
	}
	p.Resources, p.ToolsOnly = p.Resources && !f.policy.ToolsOnly, p.ToolsOnly && !f.policy.Resources
	return p
}

// load reads both sides and checks the captures against --allow-empty and --expect.
// Neither flag accepts anything by itself.
func (f *approveFlags) load(a *app, req *request) (*workspace.Workspace, error) {
	w, err := workspace.Load(a.gate, &req.Request, a.stdin)
	if err == nil {
		err = w.Doubt(&req.Request)
	}
	if err != nil {
		return nil, err
	}
	var sets []string
	for i := range w.Comparisons {
		p := &w.Comparisons[i]
		if !p.Present {
			continue
		}
		if len(p.Captured.Of(pin.Tools)) == 0 && !f.allowEmpty && !p.Part {
			return nil, fail.In(text.Printable(p.Capture), "no tools in the list").
				Hint("if that is right: %s --allow-empty", req.To(req.Verb))
		}
		sets = append(sets, p.Captured.Digest)
	}
	want := slices.Sorted(slices.Values(f.expect))
	slices.Sort(sets)
	if len(want) == 0 || slices.Equal(sets, want) {
		return w, nil
	}
	return nil, fail.New("not what was reviewed: nothing was written").
		Hint("expected set %s", strings.Join(want, ", ")).
		Hint("now      set %s", report.SetOrNone(strings.Join(sets, ", "))).
		Hint("review again: %s", req.To("diff")).Refusal()
}

// An approver turns what a person accepts into pins.
type approver struct {
	*app
	req   *request
	w     *workspace.Workspace
	r     *report.Report // of w; what is accepted are indexes of its drift
	flags *approveFlags
	style plain.Style
}

// warningKeys reads the entries that --accept-warning names.
func (f *approveFlags) warningKeys(sides []pin.Comparison) (map[pin.Key]bool, error) {
	keys := map[pin.Key]bool{}
	for _, arg := range f.acceptWarning {
		s, err := approval.ParseSelector("--accept-warning", arg, report.OnlyWords())
		if err == nil && !s.IsName() {
			err = fail.New("--accept-warning %s: give the name of an entry", text.Name(arg)).Hint("for a tool of that name: --accept-warning tool=NAME")
		}
		if err == nil {
			err = approval.CheckSelectors("--accept-warning", []approval.Selector{s}, sides)
		}
		if err == nil && pin.Holders(sides, s.Key) > 1 {
			err = fail.New("--accept-warning %s: %s", text.Name(arg), approval.Ambiguous(s.Type)).Hint("say which: --server ID")
		}
		if err != nil {
			return nil, err
		}
		keys[s.Key] = true
	}
	return keys, nil
}

// applyWarningFlags marks in a selection what has new warnings that no flag accepts, and what
// is to be put on record of the entries that match.
func (a *approver) applyWarningFlags(sel *approval.Selection) error {
	yes, err := a.flags.warningKeys(a.r.Comparisons)
	if err != nil {
		return err
	}
	accepts := func(key pin.Key) bool { return a.flags.acceptWarnings || yes[key] }
	sel.Refused = map[int]bool{}
	for i := range a.r.Drifts {
		if a.r.Warned(i) && !accepts(a.r.Drifts[i].Key) {
			sel.Refused[i] = true
		}
	}
	sel.Whole = !a.flags.acceptWarnings && len(lint.WarningsIn(a.r.General)) > 0
	for _, f := range a.r.Unrecorded {
		if accepts(f.Ref().Key) {
			sel.Record(f.Ref(), f.Record())
		}
	}
	return nil
}

// refuseUnpinned refuses warnings in texts that the policy leaves out of the pins.
func (a *approver) refuseUnpinned() error {
	list := a.r.Unapprovable
	if len(list) == 0 {
		return nil
	}
	f := fail.New("a text that isn't pinned has a warning, which no approval covers: nothing was written").
		Hint("read it: %s", a.req.To("diff"))
	if !a.req.Part { // which keeps the policy
		f.Hint("pin it, then it can be approved: %s", a.req.PinProse(a.req.Verb))
	}
	return a.refuse(a.r.Said(list), f)
}

// ask has a person choose what is accepted, step by step.
func (a *approver) ask(sel *approval.Selection) error {
	p, err := a.prompter(a.req, a.style, a.r)
	if err != nil {
		return err
	}
	return a.interruptible(a.req.To(a.req.Verb), func() error {
		chosen, err := p.Review()
		if err != nil {
			return err
		}
		sel.All, sel.Chosen, sel.Whole, sel.Refused = false, chosen.Drifts, false, nil // the prompt asked for a yes to each warning
		unrecorded := a.r.Unrecorded
		for _, i := range chosen.Warnings {
			sel.Record(unrecorded[i].Ref(), unrecorded[i].Record())
		}
		return nil
	})
}

// screenLines is the height of a terminal that doesn't tell its own.
const screenLines = 24

// fillsScreen reports whether what is to be approved takes more than a screen to read.
func (a *approver) fillsScreen() bool {
	var shown bytes.Buffer
	plain.WriteDiff(&shown, a.r.Model, a.style)
	_, height := terminalSize(a.stderr)
	return bytes.Count(shown.Bytes(), []byte("\n")) >= cmp.Or(height, screenLines)
}

// decide turns a selection into a decision, or refuses it for warnings or the policy.
func (a *approver) decide(sel approval.Selection) (d approval.Decision, err error) {
	if d, err = approval.Decide(a.r.Comparisons, a.r.Drifts, sel); err != nil {
		return d, err
	}
	if err := a.requireClean(&d); err != nil {
		return d, err
	}
	all := a.r.AllOrNothing() || a.req.Approves
	if sel.Whole || len(d.Refused) > 0 && (all || len(d.Accepted) == 0) {
		refusal := a.r.Refusal(d.Refused)
		return d, a.refuse(refusal.Warnings, fail.New("%s: nothing was written", refusal.Text).Hint("read it: %s", a.req.To("diff")).Hint("%s", refusal.Hint))
	}
	return d, nil
}

// refuse shows the findings that prevent an approval, and returns why as a refusal.
func (a *approver) refuse(list []report.Finding, why *fail.Error) error {
	plain.New(a.out, a.style).Findings("", "", list)
	return why.Refusal()
}

// refs are the entries of some drifts, by their indexes.
func (a *approver) refs(lists ...map[int]bool) map[pin.Ref]bool {
	refs := map[pin.Ref]bool{}
	for _, list := range lists {
		for i := range list {
			refs[a.r.Drifts[i].Ref()] = true
		}
	}
	return refs
}

// requireClean enforces that policy on what would be written.
func (a *approver) requireClean(d *approval.Decision) error {
	selected := a.refs(d.Accepted, d.Refused)
	for _, f := range a.r.Findings {
		p := pin.ComparisonOf(a.r.Comparisons, f.Server)
		if p == nil || !p.Captured.Policy.RequireClean || f.Scope == lint.InDrift && !f.Approved && !selected[f.Ref()] ||
			p.Locked.Policy.RequireClean && !selected[f.Ref()] {
			continue
		}
		if f.Warning && slices.Contains([]string{"hidden-text", "terminal-escape", "bidi-control"}, f.ID) {
			return fail.New("%s is refused by the policy (requireClean): %s %s: nothing was written", pin.EntryRef(f.List, f.Entry), f.ID, f.Detail).Refusal()
		}
	}
	return nil
}

// approve writes the new pins of every server in which something was accepted. announce is
// given the servers that come as a whole.
func (a *approver) approve(d *approval.Decision, announce func(whole []string)) error {
	of := map[string][]*pin.Drift{}
	for i := range a.r.Drifts {
		if x := &a.r.Drifts[i]; d.Accepted[i] {
			of[x.Server] = append(of[x.Server], x)
		}
	}
	warnings := a.warnings(d)
	var next []pin.Set
	var whole []string
	for i := range a.r.Comparisons {
		p := &a.r.Comparisons[i]
		accepted := of[p.Server]
		switch {
		case len(accepted) == 0 && !p.PolicyDiffers() && !(d.All && p.HasNoEntries()) && !warnings.Of(p.Server):
			continue
		case p.HasNoEntries():
			whole = append(whole, p.Server)
		}
		set := approval.Pins(p, accepted, warnings)
		if err := workspace.Sign(a.gate, &set, &p.Locked, a.flags.approvedBy); err != nil {
			return err
		}
		next = append(next, set)
	}
	if len(next) == 0 {
		announce(whole)
		return nil
	}
	return a.write(a.w, a.req, next, nil, func() { announce(whole) })
}

// write replaces the pins of servers. announce says so, before the lockfile is replaced: if
// that can't be printed, nothing is written.
func (a *app) write(w *workspace.Workspace, req *request, next []pin.Set, drop []string, announce func()) error {
	return w.Write(&req.Request, a.lockPatience, next, drop, func() error {
		announce()
		if err := a.out.Flush(); err != nil {
			return fail.Path("standard output", err)
		}
		return nil
	})
}

// warnings returns what goes on record with a decision: every warning in an accepted
// definition, those about the lists as a whole, and the ones of matching entries that were
// accepted, with what was on record already and still holds.
func (a *approver) warnings(d *approval.Decision) approval.WarningRecord {
	accepted, record := a.refs(d.Accepted), approval.WarningRecord{}
	for of, records := range d.Recorded {
		record[of] = slices.Clone(records)
	}
	for _, f := range a.r.Findings {
		kept := f.Scope == lint.InMatch && f.Approved && len(d.Recorded[f.Ref()]) > 0
		if f.Warning && f.TextDigest != "" && (f.WholeServer || f.Scope == lint.InDrift && accepted[f.Ref()] || kept) {
			record.Add(f.Ref(), f.Record())
		}
	}
	return record
}
