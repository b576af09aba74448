package main

import (
	"bytes"
	"cmp"
	"fmt"
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
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// approveFlags holds the flags that lock and relock share.
type approveFlags struct {
	sharedFlags
	policyFlags
	acceptWarning  []string
	acceptWarnings bool
	approvedBy     string
	expect         []string
	allowEmpty     bool
}

func (f *approveFlags) register(cmd *cobra.Command) {
	f.policyFlags.register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.acceptWarning, "accept-warning", nil, "accept the entry `NAME` in spite of its warnings: NAME of a tool, prompt=NAME, instructions (repeatable)")
	flags.BoolVar(&f.acceptWarnings, "accept-warnings", false, "refuse nothing for its warnings")
	flags.StringVar(&f.approvedBy, "approved-by", "", "record with each pin written that `NAME` approved it, and when")
	flags.StringArrayVar(&f.expect, "expect", nil, "write only if the set digest is `SETDIGEST` (repeatable for a folder)")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "accept a list without tools")
}

// load reads both sides and checks the captures against --allow-empty and --expect.
// Neither flag accepts anything by itself.
func (f *approveFlags) load(a *app, cmd *cobra.Command, args []string) (*request, *workspace, error) {
	req, err := f.request(a, cmd, args)
	if err == nil {
		err = f.check(req.substitutes)
	}
	if err != nil {
		return nil, nil, err
	}
	req.asked, req.needsPins = &f.policyFlags, cmd.Name() == "relock"
	for _, e := range f.expect {
		if !pin.IsDigest(e) {
			return nil, nil, fail.New("--expect %s: a set digest is sha256: and 64 lower-case hex digits", text.Name(e))
		}
	}
	if cmd.Flags().Changed("approved-by") && (strings.TrimSpace(f.approvedBy) == "" || !utf8.ValidString(f.approvedBy)) {
		return nil, nil, fail.New("--approved-by needs a name")
	}
	w, err := a.load(req)
	if err == nil {
		err = cmp.Or(req.otherServer(w), req.newLabel(w))
	}
	if err != nil {
		return nil, nil, err
	}
	return req, w, f.checkCaptures(req, w)
}

func (f *approveFlags) checkCaptures(req *request, w *workspace) error {
	var sets []string
	for i := range w.comparisons {
		p := &w.comparisons[i]
		if !p.Present {
			continue
		}
		if len(p.Captured.Of(pin.Tools)) == 0 && !f.allowEmpty {
			return fail.In(text.Printable(p.Capture), "no tools in the list").
				Hint("if that is right: %s --allow-empty", req.To(req.verb))
		}
		sets = append(sets, p.Captured.Digest)
	}
	want := slices.Sorted(slices.Values(f.expect))
	slices.Sort(sets)
	if len(want) == 0 || slices.Equal(sets, want) {
		return nil
	}
	return fail.New("not what was reviewed: nothing was written").
		Hint("expected set %s", strings.Join(want, ", ")).
		Hint("now      set %s", report.SetOrNone(strings.Join(sets, ", "))).
		Hint("review again: %s", req.To("diff")).Refusal()
}

// An approver turns what a person accepts into pins.
type approver struct {
	*app
	req   *request
	w     *workspace
	r     *report.Report
	flags *approveFlags
	style plain.Style
}

// warningKeys reads the entries that --accept-warning names.
func (f *approveFlags) warningKeys(pairs []pin.Comparison) (map[pin.Key]bool, error) {
	keys := map[pin.Key]bool{}
	for _, arg := range f.acceptWarning {
		key := pin.ParseEntry(arg)
		keys[key] = true
		switch n := pin.Holders(pairs, key); {
		case n == 0:
			return nil, fail.New("--accept-warning %s: %s", text.Name(arg), approval.Nowhere(key.Type))
		case n > 1:
			return nil, fail.New("--accept-warning %s: %s", text.Name(arg), approval.Ambiguous(key.Type)).
				Hint("say which: --server ID")
		}
	}
	return keys, nil
}

// withhold marks in a selection what has new warnings that no flag accepts, and what is to
// be put on record of the entries that match.
func (a *approver) withhold(sel *approval.Selection) error {
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
	sel.Whole = !a.flags.acceptWarnings && len(lint.WarningsIn(a.r.General())) > 0
	for _, f := range a.r.Unrecorded() {
		if accepts(f.Ref().Key) {
			sel.Record(f.Ref(), f.ID)
		}
	}
	return nil
}

// refuseUnpinned refuses warnings in texts that the policy leaves out of the pins.
func (a *approver) refuseUnpinned() error {
	list := a.r.Unapprovable()
	if len(list) == 0 {
		return nil
	}
	return a.refuse(a.r.Said(list), fail.New("a text that isn't pinned has a warning, which no approval covers: nothing was written").
		Hint("read it: %s", a.req.To("diff")).Hint("pin it, then it can be approved: %s", a.req.PinProse(a.req.verb)))
}

// ask has a person choose what is accepted, step by step.
func (a *approver) ask(sel *approval.Selection) error {
	p, err := a.prompter(a.req, a.style, a.r)
	if err != nil {
		return err
	}
	stop := sayInterrupted(a.stderr, a.req.To(a.req.verb))
	chosen, err := p.Review()
	if stop(); err != nil {
		return err
	}
	sel.All, sel.Chosen, sel.Whole, sel.Refused = false, chosen.Drifts, false, nil // the prompt asked for a yes to each warning
	unrecorded := a.r.Unrecorded()
	for _, i := range chosen.Warnings {
		sel.Record(unrecorded[i].Ref(), unrecorded[i].ID)
	}
	return nil
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
	all := a.r.AllOrNothing() || a.req.verb == "lock"
	if sel.Whole || len(d.Refused) > 0 && (all || len(d.Accepted) == 0) {
		return d, a.refuse(a.r.RefusedWarnings(d.Refused), fail.New("%s: nothing was written", a.r.WarnedText(d.Refused)).
			Hint("read it: %s", a.req.To("diff")).Hint("%s", report.WarnedHint(d.Refused)))
	}
	return d, nil
}

// refuse shows the findings that prevent an approval, and returns why as a refusal.
func (a *approver) refuse(list []report.Finding, why *fail.Error) error {
	plain.New(a.out, a.style).Findings("", "", list)
	return why.Refusal()
}

// requireClean enforces that policy on what would be written.
func (a *approver) requireClean(d *approval.Decision) error {
	selected := map[pin.Ref]bool{}
	for i := range a.r.Drifts {
		if d.Accepted[i] || d.Refused[i] {
			selected[a.r.Drifts[i].Ref()] = true
		}
	}
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
		if err := sign(&set, &p.Locked, a.flags.approvedBy); err != nil {
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

// warnings returns what goes on record with a decision: every warning in an accepted
// definition, those about the lists as a whole, and the ones of matching entries that were
// accepted.
func (a *approver) warnings(d *approval.Decision) approval.WarningRecord {
	accepted := map[pin.Ref]bool{}
	for i := range a.r.Drifts {
		if d.Accepted[i] {
			accepted[a.r.Drifts[i].Ref()] = true
		}
	}
	record := approval.WarningRecord{}
	for of, ids := range d.Recorded {
		record[of] = slices.Clone(ids)
	}
	for _, f := range a.r.Findings {
		if f.Warning && (f.WholeServer || f.Scope == lint.InDrift && accepted[f.Ref()]) {
			record.Add(f.Ref(), f.ID)
		}
	}
	return record
}

func newLock(a *app) *cobra.Command {
	f, here, yes := &approveFlags{}, false, false
	cmd := &cobra.Command{
		Use:   "lock CAPTURE [LOCKFILE]",
		Short: "Approve: write the pins of a server that has none yet",
		Long: `Lock pins a saved answer of a server in LOCKFILE, which it creates, or adds a server
to: its tools and, where the capture has them, instructions, prompts and resource
templates. LOCKFILE is tools.lock here or, in a repository, in the nearest folder
above. The server's label is the file's name, or --server. What is pinned already is
never approved again by accident: where it differs, lock shows the drift and refuses.
It also refuses what has a warning that no flag accepts. On a terminal, what has a
warning or fills more than the screen is asked about step by step; --yes asks nothing,
nor does --expect where nothing has a warning.
Exit codes: 0 pinned, 1 refused because of what the capture says, 2 no answer.`,
		Example: `  pinproof diff files.jsonl                     read it first, whole
  pinproof lock files.jsonl
  pinproof lock live.jsonl --server files       under a label that isn't the file's name
  pinproof lock captures/                       every server of a folder`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case here && len(args) > 1:
				return fail.New("--here and a LOCKFILE don't go together")
			case here && len(args) == 1:
				args = append(args, shell.DefaultLockfile)
			}
			req, w, err := f.load(a, cmd, args)
			if err != nil {
				return err
			}
			return a.lock(req, w, f, yes)
		},
	}
	f.sharedFlags.register(cmd)
	f.register(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask nothing on a terminal")
	cmd.Flags().BoolVar(&here, "here", false, "take the tools.lock of this folder, also where there is one above it")
	return cmd
}

func (a *app) lock(req *request, w *workspace, f *approveFlags, yes bool) error {
	fresh, pinned := *w, *w // servers without and with pins
	fresh.comparisons, pinned.comparisons = nil, nil
	for _, p := range w.comparisons {
		switch {
		case p.PolicyDiffers():
			return fail.In(text.Printable(w.lockPath), "server %s is pinned under another policy (%s): nothing was written", text.Name(p.Server), pin.PolicyWords(p.Locked.Policy)).
				Hint("to change the policy: %s", req.To("relock")).Refusal()
		case p.Captured.Repeated():
			return a.refuseRepeated(req, w, p)
		case p.Known:
			pinned.comparisons = append(pinned.comparisons, p)
		default:
			fresh.comparisons = append(fresh.comparisons, p)
		}
	}
	fresh.drifts, pinned.drifts = compareAll(fresh.comparisons), compareAll(pinned.comparisons)
	old := pinned.report(req)
	style := a.style(f.full)
	differs := func(what string) error {
		if old.Matches || old.NoAnswer != nil && len(old.Drifts) == 0 {
			return outranks(old.NoAnswer, nil)
		}
		f := fail.New("%s pins %s", text.Printable(w.lockPath), what).
			Hint("read the changes, then approve them: %s", req.To("relock"))
		if p := &w.comparisons[0]; !w.folder && req.Server == "" && p.FileLabel != "" && p.FileLabel != p.Server {
			f.Hint("if it is another server: %s --server %s", req.To("lock"), shell.Label(p.FileLabel, p.Server))
		}
		return outranks(old.NoAnswer, f.Refusal())
	}
	if len(fresh.comparisons) == 0 {
		if err := plain.WriteVerify(a.out, old.Model, style, false); err != nil {
			return err
		}
		if p := &w.comparisons[0]; old.Matches && !w.folder && req.Server == "" && p.FileLabel != "" && p.FileLabel != p.Server {
			fmt.Fprintf(a.out, "hint: it is pinned as server %s; %s\n", text.Name(p.Server), renameHint(w.lockPath, p.Server, p.FileLabel))
		}
		return differs("these entries otherwise: nothing was written")
	}
	ap := &approver{a, req, w, fresh.report(req), f, style}
	sel, d := approval.Selection{All: true}, approval.Decision{}
	err := ap.refuseUnpinned()
	if err == nil {
		err = ap.withhold(&sel)
	}
	asks := err == nil && !yes && a.canAsk(req) && (len(sel.Refused) > 0 || sel.Whole || len(f.expect) == 0 && ap.fillsScreen())
	if asks {
		err = ap.ask(&sel)
		sel.All = len(sel.Chosen) == len(ap.r.Drifts) // then also a server without entries
	}
	if err == nil {
		d, err = ap.decide(sel)
	}
	if !old.Matches { // after what refuses a new server, which was shown above
		if err := plain.WriteVerify(a.out, old.Model, style, false); err != nil {
			return err
		}
	}
	if err == nil {
		err = ap.approve(&d, func(whole []string) {
			if asks {
				plain.WriteRelocked(a.out, ap.r.Model, ap.r.Closing(report.Relocked{Accepted: d.Accepted, Whole: whole, Shown: true}), style)
			} else {
				plain.WriteLocked(a.out, ap.r.Model, style)
			}
		})
	}
	switch {
	case err != nil || !asks:
	case len(d.Accepted) < len(ap.r.Drifts):
		plain.New(a.out, style).Hint(ap.r.ReviewStep())
		err = fail.ErrDrift
	default:
		plain.New(a.out, style).Hints(ap.r.Model.Locked)
	}
	if err != nil {
		return outranks(old.NoAnswer, err)
	}
	return differs("the other servers otherwise: their pins were kept")
}

// refuseRepeated refuses a capture in which a name is repeated, and shows the copies.
func (a *app) refuseRepeated(req *request, w *workspace, p pin.Comparison) error {
	of := *w
	of.comparisons = []pin.Comparison{p}
	of.drifts = slices.DeleteFunc(compareAll(of.comparisons), func(d pin.Drift) bool { return d.Kind != pin.Duplicate })
	in := of.input(req)
	in.Findings = slices.DeleteFunc(of.read(false), func(f lint.Finding) bool { return f.Scope != lint.InDrift })
	plain.New(a.out, a.style(false)).Blocks(of.judged(in, leniency{}).Model)
	is := pin.EntryTypeInfo[of.drifts[0].Type]
	return fail.In(text.Printable(p.Capture), "a %s %s is repeated, and an agent may get either %s: nothing was written", is.Entry, is.Identity, is.Entry).
		Hint("the server has to be fixed: see both: %s", req.To("diff")).Refusal()
}
