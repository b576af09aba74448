package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/prompt"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// An approver is a run of lock or relock. Flags or a person decide which drift it accepts, and it writes the accepted
// drift to the lockfile.
type approver struct {
	request
	said       approval.Choices // what the flags accept
	policy     pin.Policy       // the policy that the flags request
	approvedBy string
	tty        io.Reader // where answers are read from; nil if nobody can be asked

	c *approval.Input

	// The drift that may be accepted, which determines the texts to read.
	choice lint.AcceptScope

	// A person may be asked.
	shows bool

	// The report on the drift. It has a model only if a person may be asked, or after a call of model.
	r *report.Report

	// Prints to standard output.
	t *plain.Writer
}

func (a *approver) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.policy.Descriptions, "descriptions", "preserve", "pin tools' descriptions in this `MODE`: preserve, truncate=N or strip")
	flags.StringArray("ignore", nil, "leave the member at this `POINTER` out of the pins, and of what a guard passes (/_meta takes an app's page away): /_meta, /icons, /execution (repeatable)")
	for _, s := range pin.PolicySwitches {
		flags.BoolVar(s.FieldOf(&a.policy), s.Flag, false, s.Usage)
	}
	flags.StringArray("accept-warning", nil, "accept the entry `NAME` despite its warnings: a tool's NAME, prompt=NAME or instructions (repeatable)")
	flags.StringArray("deny", nil, "pin the entry `NAME` but keep it from agents, with a guard: a tool's NAME, prompt=NAME, resource=URI or template=URI (repeatable)")
	flags.BoolVar(&a.said.AcceptsAllWarnings, "accept-warnings", false, "accept despite all warnings; with --accept or --deny, of what these select, and no others")
	flags.StringVar(&a.approvedBy, "approved-by", "", "record in each pin written that `NAME` approved it, and when")
	flags.StringArrayVar(&a.said.ExpectedDigests, "expect", nil, "write only if the set digest is `SETDIGEST` (repeatable for a folder, in the order of the servers); SETDIGEST@DIGEST, as diff prints it, binds the pins, too")
	flags.BoolVar(&a.said.AllowsEmpty, "allow-empty", false, "accept a list without tools")
}

// readArguments reads the arguments and checks the flags that lock and relock share.
func (a *approver) readArguments(cmd *cobra.Command, args []string) error {
	err := a.request.readArguments(cmd, args)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed
	a.PolicyFunc = func(p pin.Policy) pin.Policy { // returns p with the changes that the flags make
		if given("descriptions") {
			p.Descriptions = a.policy.Descriptions
		}
		if given("ignore") {
			p.Ignore = a.policy.Ignore
		}
		if given("substitute") {
			p.Substitute = pin.SubstitutionNames(a.Substitutes)
		}
		return p.WithFlags(a.policy, given)
	}
	if a.policy.Descriptions, err = pin.ParseDescriptions(a.policy.Descriptions); err != nil {
		return fail.New("--descriptions %s", err)
	}
	if a.policy.Ignore, err = pin.ParseIgnore(listed(valuesOf(cmd, "ignore"))); err != nil {
		return fail.New("--ignore %s", err)
	}
	if flags := a.policy.ConflictingFlags(); flags != "" {
		return fail.New("%s can't be combined", flags)
	}
	for _, e := range a.said.ExpectedDigests {
		set, state, isBound := strings.Cut(e, "@")
		if !jsontree.IsDigest(set) || isBound && !jsontree.IsDigest(state) {
			return fail.New("--expect %s: a set digest is sha256: and 64 lower-case hex digits", text.QuoteName(e))
		}
	}
	if given("approved-by") && !pin.IsApproverName(a.approvedBy) {
		return fail.New("--approved-by needs a name")
	}
	said := &a.said
	said.CommandLine, said.CommandName = a.Command, a.Verb
	said.NewServersOnly = a.PinsNewServers
	said.StateDigestFunc = workspace.StateDigest
	said.Only = a.only
	if said.WarningSelectors, err = selectorsOf(cmd, "accept-warning"); err != nil {
		return err
	}
	said.Deny, err = selectorsOf(cmd, "deny")
	return err
}

// findTerminal sets tty to the terminal from which answers are read. If standard input is the capture, it opens the
// terminal of the process. Without a terminal, nobody can be asked, so it sets NonInteractive.
func (a *approver) findTerminal() {
	in := a.stdin
	if a.Capture == "-" {
		in = nil
		for _, path := range []string{"/dev/tty", "CONIN$"} {
			if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
				in = f
				break
			}
		}
	}
	if isTerminal(in) && isTerminal(a.stderr) {
		a.tty = in
	} else {
		a.said.NonInteractive = true
	}
}

// load reads the lockfile and the captures, and refuses what it can without reading the texts of entries.
func (a *approver) load() error {
	err := a.Load()
	if err == nil {
		err = a.CheckServerIdentity()
	}
	if err != nil {
		return err
	}
	a.said.NeedsPins = a.NeedsPins && !a.HasFolder
	return approval.Precheck(a.Comparisons, a.Drifts, &a.said)
}

// describe makes the input of the decision (a.c) and the report (a.r) from both sides and the findings.
func (a *approver) describe(findings []lint.Finding) {
	said := &a.said
	in := a.judgedInput(report.Input{ExplainOptions: facts.ExplainOptions{NoExplanations: !a.shows && !said.SelectsByWord()}, Findings: findings}, pin.Faults{}, pin.Leniency{})
	if in.NoExplanations {
		in.Drifts = slices.Clone(a.Drifts)
		diff.FindRenames(effort.NewBudget(), in.Comparisons, in.Drifts) // a denied entry stays denied under another name
	}
	known := factsOf(&in)
	a.c = caseOf(&in, known)
	if a.shows {
		a.r = a.reportOf(in, known)
		return
	}
	if said.NewServersOnly {
		in.FolderStep = a.folderHint()
	}
	a.r = report.NewWithoutModel(in, a.narrowed(known))
}

// overlooked reads the texts again when the outcome is known. It returns the new warnings that matter for the outcome
// but are missing from a.c (see approval.Input.MissedWarningFunc).
func (a *approver) overlooked(out *approval.Outcome, locked []pin.Set) (found []lint.Finding) {
	of := lint.AcceptScope{Gone: maps.Clone(out.Denied), All: true}
	for _, d := range a.c.Drifts {
		if out.Accepted[d.Ref()] {
			of.Acceptable = append(of.Acceptable, d)
			if d.Kind == pin.DriftRemoved {
				of.Gone[d.Ref()] = true
			}
		}
	}
	overlooks := a.c.MissedWarningFunc(out, of.Acceptable, of.Gone)
	for _, f := range lint.FindingsFor(a.Comparisons, a.Drifts, locked, of) {
		if f.Warning && overlooks(warningOf(&f)) {
			found = append(found, f)
		}
	}
	return found
}

// model returns the model of the report. It makes the model if the report has none.
func (a *approver) model() *report.Model {
	if a.r.Model == nil {
		a.r = a.review()
	}
	return a.r.Model
}

// caseOf makes the input of the decision from a report's input and the facts of its drift.
func caseOf(in *report.Input, known *facts.Explanation) *approval.Input {
	c := &approval.Input{Sides: in.Comparisons, OtherServers: in.Others, Verdict: in.Verdict, Facts: map[pin.Ref]approval.DriftFacts{}}
	for _, e := range known.Entries {
		c.Drifts = append(c.Drifts, e.Drift)
		fact := approval.DriftFacts{SelectorWords: e.SelectorWords(), Minor: e.Minor}
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

// warningOf converts a finding to a warning for the input of the decision.
func warningOf(f *lint.Finding) approval.Warning {
	return approval.Warning{EntryWarning: f.EntryWarning(), Scope: f.Scope, NamedTool: f.NamedTool(), Approved: f.Approved, FailsRequireClean: f.FailsRequireClean()}
}

// approve reads the texts that the decision needs. It decides by the flags and, where a person has to be asked, by the
// answers. Then it writes what is accepted.
func (a *approver) approve() error {
	style := a.style()
	style.Full = a.full
	a.t = plain.New(a.out, style)
	a.shows = !a.said.NonInteractive && (a.PinsNewServers || a.said.NeedsPrompt())
	a.choice.Acceptable, a.choice.All = a.said.DriftToRead(a.Drifts)
	a.describe(lint.FindingsFor(a.Comparisons, a.Drifts, a.Lock.Servers, a.choice))
	out, err := a.decide()
	if err != nil {
		return err
	}
	if out.NothingToWrite {
		return plain.WriteVerify(a.out, a.model(), a.t.Style)
	}
	if out.NewPins == nil {
		return a.because(&out)
	}
	return a.write(&out)
}

// maxRounds limits how often a decision is repeated. A real release takes two rounds; a hostile server can make each
// round reject one entry, which causes another warning in the next round.
const maxRounds = 3

// decide decides by the flags or by the answers. If accepted entries have warnings that were not known before, it
// discards the answers and decides again with these warnings. After maxRounds, nothing is accepted.
func (a *approver) decide() (out approval.Outcome, err error) {
	said := &a.said
	for round := 1; ; round++ {
		out = approval.Decide(a.c, said)
		if out.NeedsPrompt {
			if said.Answers, err = a.ask(); err != nil {
				return out, err
			}
			out = approval.Decide(a.c, said)
		}
		// A text may name a tool of its own server without a warning. If such a tool is denied, removed or not
		// accepted, naming it may become a warning, so the texts have to be read again.
		isOther := func(s pin.Set) bool { return len(a.Comparisons) > 1 || s.Server != a.Comparisons[0].Server }
		isLeftOut := len(out.Denied) > 0 || slices.ContainsFunc(a.choice.Acceptable, func(d pin.Drift) bool {
			if !out.Accepted[d.Ref()] {
				return !pin.FindComparison(a.Comparisons, d.Server).IsLocked()
			}
			return d.Kind == pin.DriftRemoved && slices.ContainsFunc(a.Lock.Servers, isOther)
		})
		var found []lint.Finding
		if out.NewPins != nil && isLeftOut {
			found = a.overlooked(&out, a.Lock.Servers)
		}
		if found == nil {
			return out, nil
		}
		if round == maxRounds {
			return approval.Outcome{Err: said.NotConvergingError()}, nil
		}
		if said.Answers != nil {
			fmt.Fprintf(a.stderr, "\n%s with these answers: all is asked again\n\n", text.FormatCount(len(found), "new warning"))
		}
		said.Answers = nil
		a.describe(append(a.r.Findings, found...))
	}
}

// because prints the warnings that caused a decision's error, and returns the error.
func (a *approver) because(out *approval.Outcome) error {
	reasons := map[approval.Warning]bool{}
	for _, w := range out.Warnings {
		reasons[w] = true
	}
	place := map[pin.Ref]int{}
	for i := range a.r.Drifts { // a.r.Drifts has the most dangerous drift first
		place[a.r.Drifts[i].Ref()] = i
	}
	isOther := func(f lint.Finding) bool { return !f.Warning || !reasons[warningOf(&f)] }
	list := slices.DeleteFunc(slices.Clone(a.r.Findings), isOther)
	slices.SortStableFunc(list, func(x, y lint.Finding) int { return place[x.Ref] - place[y.Ref] })
	a.t.WriteFindings("", "", a.r.DescribeFindings(list))
	return out.Err
}

// ask has a person choose what is accepted, step by step.
func (a *approver) ask() (*approval.Answers, error) {
	var shown io.Writer = a.out
	if !isTerminal(a.stdout) {
		// The review must appear on the terminal that shows the questions.
		shown = a.stderr
	}
	again := a.ForVerb(a.Verb, a.r.OnlyFlags...)
	p := prompt.New(a.tty, a.stderr, plain.New(shown, a.t.Style), a.r.Model, again, drain(a.tty))
	p.NothingPinned = a.PinsNewServers
	return a.interruptible(p.Review)
}

// write writes the accepted drift to the lockfile, and prints what was accepted.
func (a *approver) write(out *approval.Outcome) error {
	asked := a.said.Answers != nil // a person who answered has already seen what was accepted
	for _, set := range out.NewPins {
		if err := a.RecordApprovals(set, a.approvedBy); err != nil {
			return err
		}
	}
	did := report.ApprovalResult{Accepted: out.Accepted, Recorded: out.RecordedWarnings, EmptyServers: out.EmptyServers, AlreadyShown: asked || a.PinsNewServers}
	for _, s := range out.UnusedSelectors {
		did.UnusedLines = append(did.UnusedLines, s.ReasonUnused())
	}
	did = a.r.DescribeApproval(did)
	isSound := func(locked []pin.Set) bool { return a.overlooked(out, locked) == nil }
	err := a.Write(a.lockPatience, out.NewPins, isSound, func() error {
		if a.PinsNewServers && !asked {
			plain.WriteLocked(a.out, a.r, did, a.t.Style)
		} else {
			plain.WriteRelocked(a.out, did, a.t.Style)
		}
		if len(out.Denied)+len(out.NoLongerDenied) > 0 {
			a.t.WriteDenialChanges(a.names(out.Denied), a.names(out.NoLongerDenied), text.Printable(a.LockPath))
		}
		return a.flush()
	})
	if err != nil {
		return err
	}
	if len(out.HeldBack) > 0 {
		a.hintHeldBack(out)
	}
	switch {
	case len(out.Warnings) > 0:
		a.because(out)
	case out.Err == nil && asked: // the person who answered has read the drift
		a.hint("commit "+text.Printable(a.LockPath), "")
		a.hint("in CI", a.CICommand())
		a.t.WriteSteps(a.r.FolderStep)
	case out.Err != nil && len(a.r.Drifts) > 0:
		a.hint("review", a.ForVerb("diff"))
	case out.Err != nil: // no drift: only a server without entries is left to approve
		a.t.WriteNextSteps(a.model())
	}
	if len(out.Denied) > 0 {
		a.hintDenied(out)
	}
	a.hintUnread(out)
	return out.Err
}
