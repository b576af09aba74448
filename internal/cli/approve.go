package cli

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/prompt"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// An approveRequest is a request of lock or relock.
type approveRequest struct {
	request
	policy         pin.Policy // as the flags ask for it
	ignore         []string
	acceptWarning  []string
	acceptWarnings bool
	approvedBy     string
	expect         []string
	allowEmpty     bool
}

func (f *approveRequest) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy.Descriptions, "descriptions", "preserve", "pin tools' descriptions in this `MODE`: preserve, truncate=N or strip")
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

// read reads the positionals and checks the flags that both commands have.
func (f *approveRequest) read(a *app, cmd *cobra.Command, args []string) error {
	err := f.request.read(a, cmd, args)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed
	f.Policy = func(recorded pin.Policy) pin.Policy { return f.changed(recorded, given) }
	if f.policy.Descriptions, err = pin.ParseDescriptions(f.policy.Descriptions); err != nil {
		return fail.New("--descriptions %s", err)
	}
	if f.policy.Ignore, err = pin.ParseIgnore(listed(f.ignore)); err != nil {
		return fail.New("--ignore %s", err)
	}
	if f.policy.Resources && f.policy.ToolsOnly {
		return fail.New("--resources and --tools-only don't go together")
	}
	for _, e := range f.expect {
		if !pin.IsDigest(e) {
			return fail.New("--expect %s: a set digest is sha256: and 64 lower-case hex digits", text.Name(e))
		}
	}
	if given("approved-by") && (strings.TrimSpace(f.approvedBy) == "" || !utf8.ValidString(f.approvedBy)) {
		return fail.New("--approved-by needs a name")
	}
	f.policy.Substitute = pin.SubstituteNames(f.Substitutes)
	return nil
}

// changed returns the policy on record as the flags change it.
func (f *approveRequest) changed(p pin.Policy, given func(flag string) bool) pin.Policy {
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
func (f *approveRequest) load(a *app) (*workspace.Workspace, error) {
	w, err := workspace.Load(a.gate, &f.Request, a.stdin)
	if err == nil {
		err = w.Doubt(&f.Request)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range w.Comparisons {
		if p.Present && len(p.Captured.Of(pin.Tools)) == 0 && !f.allowEmpty && !p.Part {
			return nil, fail.In(text.Printable(p.Capture), "no tools in the list").
				Hint("if that is right: %s --allow-empty", f.To(f.Verb))
		}
	}
	want, sets := slices.Sorted(slices.Values(f.expect)), slices.Sorted(slices.Values(setDigests(w.Comparisons)))
	if len(want) == 0 || slices.Equal(sets, want) {
		return w, nil
	}
	return nil, fail.New("not what was reviewed: nothing was written").
		Hint("expected set %s", strings.Join(want, ", ")).
		Hint("now      set %s", report.SetOrNone(strings.Join(sets, ", "))).
		Hint("review again: %s", f.To("diff")).Refusal()
}

// An approver turns what a person accepts into pins.
type approver struct {
	*app
	req   *approveRequest
	w     *workspace.Workspace
	r     *report.Report // of w; what is accepted are indexes of its drift
	style plain.Style
	renew map[pin.Ref]bool // entries that match their pins, and are approved anew all the same
}

// renewals are the entries that match their pins and whose recorded approval holds for a part of
// the definition. Where an approver is given and the selection takes them, they are approved anew.
func (a *approver) renewals(sel *approval.Selection) map[pin.Ref]bool {
	refs := map[pin.Ref]bool{}
	if a.req.approvedBy == "" {
		return refs
	}
	for i := range a.r.Comparisons {
		p := &a.r.Comparisons[i]
		for _, partly := range p.Locked.PartlyBound() {
			now := p.Captured.Find(partly.Key)
			if now == nil || now.Digest != partly.Digest {
				continue // it has drifted, or isn't there: nobody can read it here
			}
			named := func(s approval.Selector) bool { return s.IsName() && s.Key == partly.Key }
			if sel.All && !sel.Part || slices.ContainsFunc(sel.Accepts, named) {
				refs[pin.Ref{Server: p.Server, Key: partly.Key}] = true
			}
		}
	}
	return refs
}

// renewed reports whether an entry is approved anew.
func (a *approver) renewed(key pin.Key) bool {
	for ref := range a.renew {
		if ref.Key == key {
			return true
		}
	}
	return false
}

// applyWarningFlags marks in a selection what has new warnings that no flag accepts, and what
// is to be put on record of the entries that match.
func (a *approver) applyWarningFlags(sel *approval.Selection) error {
	const flag = "--accept-warning"
	selectors, err := selectorsOf(flag, a.req.acceptWarning)
	named := map[pin.Key]bool{}
	for i := range selectors {
		s := &selectors[i]
		if !s.IsName() {
			return fail.New("%s %s: give the name of an entry", flag, text.Name(s.Arg)).Hint("for a tool of that name: %s tool=NAME", flag)
		}
		if err := approval.CheckSelectors(flag, selectors[i:i+1], a.r.Comparisons); err != nil {
			return err
		}
		if pin.Holders(a.r.Comparisons, s.Key) > 1 {
			return s.Ambiguous(flag)
		}
		named[s.Key] = true
	}
	accepts := func(key pin.Key) bool { return a.req.acceptWarnings || named[key] }
	sel.Refused, sel.Recorded = map[int]bool{}, approval.WarningRecord{}
	for i := range a.r.Drifts {
		if a.r.Warned(i) && !accepts(a.r.Drifts[i].Key) {
			sel.Refused[i] = true
		}
	}
	sel.Whole = !a.req.acceptWarnings && len(lint.WarningsIn(a.r.General)) > 0
	for _, f := range a.r.Unrecorded {
		if accepts(f.Ref().Key) {
			sel.Recorded.Add(f.Ref(), f.Record())
		}
	}
	return err
}

// accept has the flags or, if it asks, a person say what is accepted. It refuses that for
// warnings or the policy.
func (a *approver) accept(sel *approval.Selection, asks bool) (d approval.Decision, err error) {
	if list := a.r.Unapprovable; len(list) > 0 {
		plain.New(a.out, a.style).Findings("", "", a.r.Said(list))
		f := fail.New("a text that isn't pinned has a warning, which no approval covers: nothing was written").Hint("read it: %s", a.req.To("diff"))
		if !a.req.Part { // which keeps the policy
			flags := a.req.Flags[a.req.Verb]
			a.req.Flags[a.req.Verb] = slices.DeleteFunc(flags, func(word string) bool { return strings.HasPrefix(word, "--descriptions ") })
			f.Hint("pin it, then it can be approved: %s", a.req.To(a.req.Verb, "--descriptions=preserve"))
		}
		return d, f.Refusal()
	}
	if asks {
		err = a.ask(sel)
	} else if len(sel.Labels) > 0 {
		sel.Chosen = a.r.Labelled(func(word string) bool {
			return slices.ContainsFunc(sel.Labels, func(s approval.Selector) bool { return s.Word == word })
		})
	}
	if err == nil {
		d, err = approval.Decide(a.r.Comparisons, a.r.Drifts, *sel)
	}
	if err == nil {
		err = a.requireClean(&d)
	}
	all := a.r.AllOrNothing() || a.req.Approves
	if err == nil && (sel.Whole || len(d.Refused) > 0 && (all || len(d.Accepted) == 0)) {
		err = a.refuse(d.Refused, "nothing was written")
	}
	return d, err
}

// refuse shows the new warnings that prevent an approval, and returns why as a refusal. It names no
// entry to accept: nobody should approve a warning by pasting.
func (a *approver) refuse(refused map[int]bool, result string) error {
	list := a.r.Refused(refused)
	plain.New(a.out, a.style).Findings("", "", list)
	return fail.New("%s: %s", text.Count(len(list), "new warning"), result).Hint("read it: %s", a.req.To("diff")).
		Hint("then accept warnings separately: --accept-warning NAME, or --accept-warnings for one of a whole capture").Refusal()
}

// ask has a person choose what is accepted, step by step.
func (a *approver) ask(sel *approval.Selection) error {
	r, again := a.r, a.req.To(a.req.Verb, a.r.OnlyFlags...)
	in := a.terminal(&a.req.request)
	if in == nil {
		f := fail.New("no terminal to ask on, and no flag says what to accept").Hint("read the changes: %s", a.req.To("diff", r.OnlyFlags...))
		if !r.AllOrNothing() {
			f.Hint("then accept some of it: %s", a.req.To("relock", "--accept NAME"))
		}
		if s := r.RestStep(); s.Command != "" {
			f.Hint("%s: %s", s.Text, s.Command)
		}
		return f
	}
	var shown io.Writer = a.out
	if !isTerminal(a.stdout) {
		shown = a.stderr // what is asked about must be seen where it is asked
	}
	p := prompt.New(in, a.stderr, plain.New(shown, a.style), r.Model, again, drain(in))
	return a.interruptible(a.req.To(a.req.Verb), func() error {
		chosen, err := p.Review()
		if err != nil {
			return err
		}
		// The prompt asked for a yes to each warning. For lock, who accepts all accepts also a server without entries.
		sel.All, sel.Chosen, sel.Whole, sel.Refused = a.req.Approves && len(chosen.Drifts) == len(r.Drifts), chosen.Drifts, false, nil
		for _, i := range chosen.Warnings {
			sel.Recorded.Add(r.Unrecorded[i].Ref(), r.Unrecorded[i].Record())
		}
		return nil
	})
}

// fillsScreen reports whether what is to be approved takes more than a screen to read, or 24 lines
// where a terminal doesn't tell its height.
func (a *approver) fillsScreen() bool {
	var shown bytes.Buffer
	plain.WriteDiff(&shown, a.r.Model, a.style)
	_, height := terminalSize(a.stderr)
	return bytes.Count(shown.Bytes(), []byte("\n")) >= cmp.Or(height, 24)
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
		if p == nil || !p.Captured.Policy.RequireClean || !selected[f.Ref()] && (f.Scope == lint.InDrift || p.Locked.Policy.RequireClean) {
			continue
		}
		if f.Warning && slices.Contains([]string{"hidden-text", "terminal-escape", "bidi-control"}, f.ID) {
			return fail.New("%s is refused by the policy (requireClean): %s %s: nothing was written", pin.EntryRef(f.List, f.Entry), f.ID, f.Detail).Refusal()
		}
	}
	return nil
}

// write writes what was accepted, and says so. idle are the selectors that had nothing to accept; if it
// was asked about, what is accepted was shown.
func (a *approver) write(d *approval.Decision, idle []approval.Selector, asked bool) error {
	did := report.Relocked{Accepted: d.Accepted, Recorded: d.Recorded, Shown: asked}
	for _, ref := range slices.SortedFunc(maps.Keys(a.renew), func(x, y pin.Ref) int {
		return cmp.Or(strings.Compare(x.Server, y.Server), pin.CompareKeys(x.Key, y.Key))
	}) {
		did.Idle = append(did.Idle, "approved anew by "+text.Name(a.req.approvedBy)+": "+pin.EntryRef(ref.Type, ref.Name))
	}
	for _, s := range idle {
		if s.IsName() && a.renewed(s.Key) {
			continue
		}
		why := " has not drifted: nothing to accept"
		if s.Word != "" {
			why = ": nothing to accept, or only with other changes or a new warning"
		}
		did.Idle = append(did.Idle, text.Name(s.Arg)+why)
	}
	next, err := a.pins(d, &did)
	if err != nil {
		return err
	}
	did = a.r.Closing(did)
	bare := func(p pin.Comparison) bool { return p.HasNoEntries() && next[p.Server] == nil }
	err = a.replace(a.w, &a.req.request, next, func() {
		if a.req.Approves && !asked {
			plain.WriteLocked(a.out, a.r.Model, a.style)
		} else {
			plain.WriteRelocked(a.out, a.r.Model, did, a.style)
		}
	})
	switch {
	case err != nil:
		return err
	case len(d.Refused) > 0:
		return a.refuse(d.Refused, "not accepted")
	case len(d.Accepted) < len(a.r.Drifts)+a.r.LeftOut, slices.ContainsFunc(a.r.Comparisons, bare):
		steps := []report.Step{a.r.Model.Review}
		if len(a.r.Drifts) == 0 { // a server without entries is left
			steps = a.r.Model.Next
		}
		plain.New(a.out, a.style).Hint(steps...)
		return fail.ErrDrift
	case a.req.Approves && asked:
		plain.New(a.out, a.style).Hint(a.r.Model.Locked...)
	}
	return nil
}

// pins are the new pins of every server in which something was accepted.
func (a *approver) pins(d *approval.Decision, did *report.Relocked) (map[string]*pin.Set, error) {
	of, touched, warnings, next := map[string][]*pin.Drift{}, map[string]bool{}, a.warnings(d), map[string]*pin.Set{}
	for i := range d.Accepted {
		x := &a.r.Drifts[i]
		of[x.Server], touched[x.Server] = append(of[x.Server], x), true
	}
	for ref := range warnings {
		touched[ref.Server] = true
	}
	for ref := range a.renew {
		touched[ref.Server] = true
	}
	for i := range a.r.Comparisons {
		p := &a.r.Comparisons[i]
		switch {
		case !touched[p.Server] && !p.PolicyDiffers() && !(d.All && p.HasNoEntries()):
			continue
		case p.HasNoEntries():
			did.Whole = append(did.Whole, p.Server)
		}
		set := approval.Pins(p, of[p.Server], warnings)
		for i := range set.Pins {
			if a.renew[pin.Ref{Server: p.Server, Key: set.Pins[i].Key}] {
				set.Pins[i].Approval = nil // so that it is signed anew
			}
		}
		if err := workspace.Sign(a.gate, &set, &p.Locked, a.req.approvedBy); err != nil {
			return nil, err
		}
		next[p.Server] = &set
	}
	return next, nil
}

// replace replaces the pins of servers; a server with none is dropped. announce says so, before the
// lockfile is replaced: if that can't be printed, nothing is written.
func (a *app) replace(w *workspace.Workspace, req *request, next map[string]*pin.Set, announce func()) error {
	return w.Write(&req.Request, a.lockPatience, next, func() error {
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
