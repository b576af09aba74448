package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/facts"
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
	said       approval.Choices // what the flags accept
	policy     pin.Policy       // as the flags ask for it
	approvedBy string
	tty        io.Reader // where answers are read from; nil if nobody can be asked
}

func (f *approveRequest) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy.Descriptions, "descriptions", "preserve", "pin tools' descriptions in this `MODE`: preserve, truncate=N or strip")
	flags.StringArray("ignore", nil, "leave the member at this `POINTER` out of the pins, and of what a guard passes (/_meta takes an app's page away): /_meta, /icons, /execution (repeatable)")
	for _, s := range pin.Switches {
		flags.BoolVar(s.Of(&f.policy), s.Flag, false, s.Usage)
	}
	flags.StringArray("accept-warning", nil, "accept the entry `NAME` despite its warnings: a tool's NAME, prompt=NAME or instructions (repeatable)")
	flags.StringArray("deny", nil, "pin the entry `NAME` but keep it from agents, with a guard: a tool's NAME, prompt=NAME, resource=URI or template=URI (repeatable)")
	flags.BoolVar(&f.said.AnyWarning, "accept-warnings", false, "accept despite all warnings; with --accept or --deny, of what these select, and no others")
	flags.StringVar(&f.approvedBy, "approved-by", "", "record in each pin written that `NAME` approved it, and when")
	flags.StringArrayVar(&f.said.Expect, "expect", nil, "write only if the set digest is `SETDIGEST` (repeatable for a folder, in the order of the servers); SETDIGEST@DIGEST, as diff prints it, binds the pins, too")
	flags.BoolVar(&f.said.AllowsEmpty, "allow-empty", false, "accept a list without tools")
}

// read reads the arguments and checks the flags that both commands have.
func (f *approveRequest) read(cmd *cobra.Command, args []string) error {
	err := f.request.read(cmd, args)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed
	f.Policy = func(p pin.Policy) pin.Policy { // as the flags change it
		if given("descriptions") {
			p.Descriptions = f.policy.Descriptions
		}
		if given("ignore") {
			p.Ignore = f.policy.Ignore
		}
		if given("substitute") {
			p.Substitute = pin.SubstituteNames(f.Substitutes)
		}
		return p.Switched(f.policy, given)
	}
	if f.policy.Descriptions, err = pin.ParseDescriptions(f.policy.Descriptions); err != nil {
		return fail.New("--descriptions %s", err)
	}
	if given("ignore") {
		if f.policy.Ignore, err = pin.ParseIgnore(listed(valuesOf(cmd, "ignore"))); err != nil {
			return fail.New("--ignore %s", err)
		}
	}
	if flags := f.policy.Conflict(); flags != "" {
		return fail.New("%s can't be combined", flags)
	}
	for _, e := range f.said.Expect {
		set, state, isBound := strings.Cut(e, "@")
		if !pin.IsDigest(set) || isBound && !pin.IsDigest(state) {
			return fail.New("--expect %s: a set digest is sha256: and 64 lower-case hex digits", text.Name(e))
		}
	}
	if given("approved-by") && !pin.IsApproverName(f.approvedBy) {
		return fail.New("--approved-by needs a name")
	}
	said := &f.said
	said.Next, said.Verb = f.Command, f.Verb
	said.Approves = f.Approves
	said.StateOf = workspace.StateOf
	said.Only = f.only
	if said.Warnings, err = selectorsOf(cmd, "accept-warning"); err != nil {
		return err
	}
	said.Deny, err = selectorsOf(cmd, "deny")
	return err
}

// load reads both sides, and refuses what can be refused without reading a text.
func (f *approveRequest) load(a *app) (*workspace.Workspace, error) {
	w, err := workspace.Load(a.gate, &f.Request, a.stdin)
	if err == nil {
		err = w.CheckServers()
	}
	if err != nil {
		return nil, err
	}
	f.said.NeedsPins = f.NeedsPins && !w.Folder
	return w, approval.Check(w.Comparisons, w.Drifts, &f.said)
}

// An approver has a person decide about a case, and writes what was accepted.
type approver struct {
	*app
	req *approveRequest
	w   *workspace.Workspace
	c   *approval.Case

	// What may be accepted.
	choice lint.Choice

	// A person may be asked.
	shows bool

	// The report on the case. It has a model only if a person may be asked.
	r *report.Report

	style plain.Style
}

// newApprover reads the texts that the decision needs, and makes the case and its report.
func (a *app) newApprover(f *approveRequest, w *workspace.Workspace) *approver {
	ap := &approver{app: a, req: f, w: w, style: a.style()}
	said := &f.said
	ap.shows = !said.Silent && (said.Approves || said.NeedsPrompt())
	ap.choice.Named, ap.choice.All = said.Reads(w.Drifts)
	ap.describe(lint.FindingsFor(w.Comparisons, w.Drifts, w.Lock.Servers, ap.choice))
	return ap
}

// describe makes the case and the report of what was read.
func (a *approver) describe(findings []lint.Finding) {
	said := &a.req.said
	in := a.judge(a.w, report.Input{Terse: !a.shows && !said.SelectsByWord(), Findings: findings}, pin.Faults{}, pin.Leniency{})
	if in.Terse {
		in.Drifts = slices.Clone(a.w.Drifts)
		diff.Renames(effort.New(), in.Comparisons, in.Drifts) // a denied entry stays denied under another name
	}
	known := factsOf(&in)
	a.c = caseOf(&in, known)
	if a.shows {
		a.r = reportOf(&a.req.request, a.w, in, known)
		return
	}
	if said.Approves {
		in.Folder = folderHint(a.w)
	}
	a.r = report.NewWithoutModel(in, narrowed(&a.req.request, known))
}

// overlooked reads the texts again, now that the outcome is known. It returns the new warnings that the case
// lacks (see approval.Case.Overlooks).
func (a *approver) overlooked(out *approval.Outcome, locked []pin.Set) (found []lint.Finding) {
	of := lint.Choice{Gone: maps.Clone(out.Denied), All: true}
	for _, d := range a.c.Drifts {
		if out.Accepted[d.Ref()] {
			of.Named = append(of.Named, d)
			if d.Kind == pin.Removed {
				of.Gone[d.Ref()] = true
			}
		}
	}
	overlooks := a.c.Overlooks(out)
	for _, f := range lint.FindingsFor(a.w.Comparisons, a.w.Drifts, locked, of) {
		if f.Warning && overlooks(warningOf(&f)) {
			found = append(found, f)
		}
	}
	return found
}

// model returns the model of the report. It makes the model if the report has none.
func (a *approver) model() *report.Model {
	if a.r.Model == nil {
		a.r = a.review(&a.req.request, a.w)
	}
	return a.r.Model
}

// caseOf makes the case to decide about, from a report's input and all that is known of its drift.
func caseOf(in *report.Input, known *facts.Facts) *approval.Case {
	c := &approval.Case{Sides: in.Comparisons, Others: in.Others, Drifts: in.Drifts, Verdict: in.Verdict, Facts: map[pin.Ref]approval.DriftFacts{}}
	for _, e := range known.Entries {
		fact := approval.DriftFacts{Words: e.Words(), Minor: e.Minor, RenamedFrom: e.RenamedFrom, LikeDenied: e.LikeDenied, MayBeDenied: e.MayBeDenied}
		if !e.Unexplained {
			for _, change := range e.Changes() {
				fact.Labels = append(fact.Labels, change.Label.ID())
			}
		}
		c.Facts[e.Ref()] = fact
	}
	for _, f := range in.Findings {
		if f.Warning {
			c.Warnings = append(c.Warnings, warningOf(&f))
		}
	}
	return c
}

// warningOf returns a finding as a warning of a case.
func warningOf(f *lint.Finding) approval.Warning {
	w := approval.Warning{EntryRecord: f.EntryRecord(), Names: f.Names(), Approved: f.Approved, Unclean: f.Unclean()}
	switch f.Scope {
	case lint.InMatch:
		w.Where = approval.InMatch
	case lint.NotPinned, lint.NotPinnedDrift:
		w.Where = approval.Unpinned
	case lint.InPin:
		w.Where = approval.InPin
	}
	return w
}

// approve decides by the flags and, where a person has to be asked, by the answers. Then it writes
// what is accepted.
func (a *approver) approve() error {
	out, asks, err := a.decide()
	if err != nil {
		return err
	}
	if out.Settled {
		return plain.WriteVerify(a.out, a.model(), a.style, false)
	}
	if out.Sets == nil {
		return a.because(&out)
	}
	return a.write(&out, asks)
}

// maxRounds is how often it is decided anew. A real release takes two rounds; a server can make each round refuse one entry, so that
// the next round finds one warning more.
const maxRounds = 8

// decide decides by the flags or by the answers. If what is accepted has warnings that were not known, it decides again with
// them: what was answered before isn't valid then. After maxRounds, nothing is accepted.
func (a *approver) decide() (out approval.Outcome, asks bool, err error) {
	said := &a.req.said
	for round := 1; ; round++ {
		out = approval.Decide(a.c, said)
		if out.Ask {
			asks = true
			if said.Answers, err = a.ask(); err != nil {
				return out, asks, err
			}
			out = approval.Decide(a.c, said)
		}
		// A text may name a tool of its own server without a warning. If such a tool is denied, removed or not
		// accepted, the texts have to be read again.
		isOther := func(s pin.Set) bool { return len(a.w.Comparisons) > 1 || s.Server != a.w.Comparisons[0].Server }
		isLeftOut := len(out.Denied) > 0 || slices.ContainsFunc(a.choice.Named, func(d pin.Drift) bool {
			if !out.Accepted[d.Ref()] {
				return !pin.ComparisonOf(a.c.Sides, d.Server).Known()
			}
			return d.Kind == pin.Removed && slices.ContainsFunc(a.w.Lock.Servers, isOther)
		})
		var found []lint.Finding
		if out.Sets != nil && isLeftOut {
			found = a.overlooked(&out, a.w.Lock.Servers)
		}
		if found == nil {
			return out, asks, nil
		}
		if round == maxRounds {
			return approval.Outcome{Err: said.Unsettled()}, asks, nil
		}
		if said.Answers != nil {
			fmt.Fprintf(a.stderr, "\n%s with these answers: all is asked again\n\n", text.Count(len(found), "new warning"))
		}
		said.Answers = nil
		a.describe(append(a.r.Findings, found...))
	}
}

// because shows the warnings that are the reason for the error of a decision, and returns the error.
func (a *approver) because(out *approval.Outcome) error {
	reasons := map[approval.Warning]bool{}
	for _, w := range out.Warnings {
		reasons[w] = true
	}
	place := map[pin.Ref]int{}
	for i := range a.r.Drifts { // the most dangerous first
		place[a.r.Drifts[i].Ref()] = i
	}
	isOther := func(f lint.Finding) bool { return !f.Warning || !reasons[warningOf(&f)] }
	list := slices.DeleteFunc(slices.Clone(a.r.Findings), isOther)
	slices.SortStableFunc(list, func(x, y lint.Finding) int { return place[x.Ref()] - place[y.Ref()] })
	plain.New(a.out, a.style).Findings("", "", a.r.Said(list))
	return out.Err
}

// ask has a person choose what is accepted, step by step.
func (a *approver) ask() (*approval.Answers, error) {
	var shown io.Writer = a.out
	if !isTerminal(a.stdout) {
		// The review must appear on the terminal that shows the questions.
		shown = a.stderr
	}
	again := a.req.To(a.req.Verb, a.r.OnlyFlags...)
	p := prompt.New(a.req.tty, a.stderr, plain.New(shown, a.style), a.r.Model, again, drain(a.req.tty))
	if a.req.Approves {
		p.First()
	}
	var answers *approval.Answers
	err := a.interruptible(a.req.To(a.req.Verb), func() (err error) {
		answers, err = p.Review()
		return err
	})
	return answers, err
}

// atTerminal returns the error if a person must be asked and there is no terminal. It contains no text of the
// server and no flag that accepts anything, because the caller may be a model.
func (f *approveRequest) atTerminal() *fail.Error {
	return fail.New("run this at a terminal: it shows each change there, and asks about it").Hint("type it there: %s", f.To(f.Verb))
}

// write writes what was accepted, and prints it. asked is true if a person was asked, and so was shown it.
func (a *approver) write(out *approval.Outcome, asked bool) error {
	for server, set := range out.Sets {
		old := cmp.Or(a.w.Lock.Find(server), &pin.Set{})
		if err := workspace.Sign(a.gate, set, old, a.req.approvedBy); err != nil {
			return err
		}
	}
	did := report.Relocked{Accepted: out.Accepted, Recorded: out.Recorded, Bare: out.Whole, Shown: asked || a.req.Approves}
	for _, s := range out.Idle {
		did.Idle = append(did.Idle, s.ReasonUnused())
	}
	did = a.r.Closing(did)
	t := plain.New(a.out, a.style)
	isSound := func(locked []pin.Set) bool { return a.overlooked(out, locked) == nil }
	err := a.replace(a.w, out.Sets, isSound, func() {
		if a.req.Approves && !asked {
			plain.WriteLocked(a.out, a.r, did, a.style)
		} else {
			plain.WriteRelocked(a.out, did, a.style)
		}
		if len(out.Denied)+len(out.Allowed) > 0 {
			t.Marks(a.names(out.Denied), a.names(out.Allowed), text.Printable(a.w.LockPath))
		}
	})
	if err != nil {
		return err
	}
	if len(out.LeftOut) > 0 {
		t.Hint(a.held(out)...)
	}
	switch {
	case len(out.Warnings) > 0:
		a.because(out)
	case out.Err == nil && asked: // who answered has read it
		t.Hint(report.Step{Text: "commit " + text.Printable(a.w.LockPath)}, report.Step{Text: "in CI", Command: a.req.InCI()}, a.r.Folder)
	case out.Err != nil && len(a.r.Drifts) > 0:
		t.Hint(report.Step{Text: "review", Command: a.req.To("diff")})
	case out.Err != nil: // what is left is a server without entries
		t.Next(a.model())
	}
	if len(out.Denied) > 0 {
		t.Hint(a.denials(out)...)
	}
	t.Hint(a.gaps(out)...)
	return out.Err
}

// replace replaces the pins of servers; a nil set drops its server. isSound is asked if other servers' pins changed since they
// were read. announce prints what was done, before the lockfile is replaced: if that can't be printed, nothing is written.
func (a *app) replace(w *workspace.Workspace, next map[string]*pin.Set, isSound func(locked []pin.Set) bool, announce func()) error {
	return w.Write(a.lockPatience, next, isSound, func() error {
		announce()
		if err := a.out.Flush(); err != nil {
			return fail.Path("standard output", err)
		}
		return nil
	})
}
