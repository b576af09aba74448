package cli

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

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
	"pinproof/internal/shell"
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
	denies         []string
	warnings       []approval.Selector // acceptWarning, parsed
	deny           []approval.Selector // denies, parsed
	expect         []string
	allowEmpty     bool
}

func (f *approveRequest) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy.Descriptions, "descriptions", "preserve", "pin tools' descriptions in this `MODE`: preserve, truncate=N or strip")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "leave the member at this `POINTER` out of the pins, and of what a guard passes (/_meta takes an app's page away): /_meta, /icons, /execution (repeatable)")
	for _, s := range pin.Switches {
		flags.BoolVar(s.Of(&f.policy), s.Flag, false, s.Usage)
	}
	flags.StringArrayVar(&f.acceptWarning, "accept-warning", nil, "accept the entry `NAME` despite its warnings: a tool's NAME, prompt=NAME or instructions (repeatable)")
	flags.StringArrayVar(&f.denies, "deny", nil, "pin the entry `NAME` but keep it from agents, with a guard: a tool's NAME, prompt=NAME, resource=URI or template=URI (repeatable)")
	flags.BoolVar(&f.acceptWarnings, "accept-warnings", false, "accept despite all warnings")
	flags.StringVar(&f.approvedBy, "approved-by", "", "record in each pin written that `NAME` approved it, and when")
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
	if flags := f.policy.Conflict(); flags != "" {
		return fail.New("%s can't be combined", flags)
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
	if f.warnings, err = selectorsOf("--accept-warning", f.acceptWarning); err != nil {
		return err
	}
	f.deny, err = selectorsOf("--deny", f.denies)
	return err
}

// changed returns the recorded policy as the flags change it.
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
	return p.Switched(f.policy, given)
}

// said returns the choices of the flags, except for --accept and --accept-all, which only relock has.
func (f *approveRequest) said() approval.Said {
	return approval.Said{
		Next:        f.Command,
		Verb:        f.Verb,
		Approves:    f.Approves,
		Only:        f.only,
		Deny:        f.deny,
		Warnings:    f.warnings,
		AnyWarning:  f.acceptWarnings,
		Expect:      f.expect,
		AllowsEmpty: f.allowEmpty,
		NeedsPins:   f.NeedsPins,
	}
}

// load reads both sides, and refuses what can be refused without reading a text.
func (f *approveRequest) load(a *app, said *approval.Said) (*workspace.Workspace, error) {
	w, err := workspace.Load(a.gate, &f.Request, a.stdin)
	if err == nil {
		err = w.Doubt(&f.Request)
	}
	if err != nil {
		return nil, err
	}
	said.Folder = w.Folder
	if err := approval.Check(w.Comparisons, w.Drifts, said); err != nil {
		return nil, err
	}
	return w, nil
}

// An approver has a person decide about a case, and writes what was accepted.
type approver struct {
	*app
	req *approveRequest
	w   *workspace.Workspace
	c   *approval.Case

	// Of the same case. Unless a person may be asked, it has no model: nothing of it is shown.
	r *report.Report

	style plain.Style
}

// newApprover reads the texts that the decision is about, and works out as much as the flags ask for.
func (a *app) newApprover(f *approveRequest, w *workspace.Workspace, said *approval.Said) *approver {
	ap := &approver{app: a, req: f, w: w, style: a.style()}
	in := a.decideNamed(&f.request, w, said)
	shows := !said.Silent && (said.Approves || said.Asks())
	in.Terse = !shows && !said.TakesWords()
	if in.Terse && !said.Approves {
		in.Drifts = slices.Clone(w.Drifts)
		diff.Renames(effort.New(), in.Drifts) // a denied entry stays denied under another name
	}
	known := factsOf(&in)
	ap.c = caseOf(&in, known)
	if shows {
		ap.r = reportOf(&f.request, w, in, known)
		return ap
	}
	if said.Approves {
		in.Folder = folderHint(&f.request, w)
	}
	ap.r = report.Bare(in, narrowed(&f.request, known))
	return ap
}

// model returns the model of the report, for what a match prints.
func (a *approver) model() *report.Model {
	if a.r.Model == nil {
		a.r = a.review(&a.req.request, a.w)
	}
	return a.r.Model
}

// caseOf makes the case to decide about, from a report's input and all that is known of its drift.
func caseOf(in *report.Input, known *facts.Facts) *approval.Case {
	c := &approval.Case{Sides: in.Comparisons, Others: in.Others, Drifts: in.Drifts, Verdict: in.Verdict, Facts: map[pin.Ref]approval.Fact{}}
	for _, e := range known.Entries {
		fact := approval.Fact{Words: e.Words(), Minor: e.Minor, RenamedFrom: e.RenamedFrom}
		for _, change := range e.Changes {
			fact.Labels = append(fact.Labels, change.Label.ID())
		}
		c.Facts[e.Ref()] = fact
	}
	for i := range in.Findings {
		if f := &in.Findings[i]; f.Warning {
			c.Warnings = append(c.Warnings, warningOf(f))
		}
	}
	return c
}

// warningOf returns a finding as a warning of a case.
func warningOf(f *lint.Finding) approval.Warning {
	w := approval.Warning{Of: f.Ref(), Record: f.Record(), Names: f.Names(), Approved: f.Approved, Unclean: f.Unclean()}
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
func (a *approver) approve(said *approval.Said) error {
	out := approval.Decide(a.c, said)
	asks := out.Ask
	if asks {
		answers, err := a.ask()
		if err != nil {
			return err
		}
		said.Answers = answers
		out = approval.Decide(a.c, said)
	}
	if out.Settled {
		return plain.WriteVerify(a.out, a.model(), a.style, false)
	}
	if out.Sets == nil {
		return a.because(&out)
	}
	return a.write(&out, asks)
}

// because shows the warnings that are the reason for the error of a decision, and returns the error.
func (a *approver) because(out *approval.Outcome) error {
	reasons := map[approval.Warning]bool{}
	for _, w := range out.Warnings {
		reasons[w] = true
	}
	isOther := func(f lint.Finding) bool { return !f.Warning || !reasons[warningOf(&f)] }
	plain.New(a.out, a.style).Findings("", "", a.r.Said(slices.DeleteFunc(slices.Clone(a.r.Findings), isOther)))
	return out.Err
}

// ask has a person choose what is accepted, step by step.
func (a *approver) ask() (*approval.Answers, error) {
	in := a.terminal(&a.req.request)
	if in == nil {
		return nil, a.req.atTerminal()
	}
	var shown io.Writer = a.out
	if !isTerminal(a.stdout) {
		// What is asked about must be seen where it is asked.
		shown = a.stderr
	}
	again := a.req.To(a.req.Verb, a.r.OnlyFlags...)
	p := prompt.New(in, a.stderr, plain.New(shown, a.style), a.r.Model, again, drain(in))
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

// atTerminal is the error if a person has to be asked and there is no terminal to ask at. It contains no text
// of the server and no flag that accepts anything: a model may have called us.
func (f *approveRequest) atTerminal() *fail.Error {
	return fail.New("run this at a terminal: it shows each change there, and asks about it").Hint("type it there: %s", f.To(f.Verb))
}

// write writes what was accepted, and prints it. asked is true if a person was asked, and so was shown it.
func (a *approver) write(out *approval.Outcome, asked bool) error {
	for server, set := range out.Sets {
		old := a.w.Lock.Find(server)
		if old == nil {
			old = &pin.Set{}
		}
		if err := workspace.Sign(a.gate, set, old, a.req.approvedBy); err != nil {
			return err
		}
	}
	did := a.r.Closing(report.Relocked{Accepted: out.Accepted, Recorded: out.Recorded, Bare: out.Whole, Idle: a.idle(out), Shown: asked || a.req.Approves})
	err := a.replace(a.w, &a.req.request, out.Sets, func() {
		if a.req.Approves && !asked {
			plain.WriteLocked(a.out, a.r, did, a.style)
		} else {
			plain.WriteRelocked(a.out, did, a.style)
		}
		if len(out.Denied)+len(out.Allowed) > 0 {
			a.sayMarks(out)
		}
	})
	if err != nil {
		return err
	}
	if len(out.Warnings) > 0 {
		return a.because(out)
	}
	if out.Err != nil {
		t := plain.New(a.out, a.style)
		a.hintHeld(t, out.Held)
		if len(a.r.Drifts) > 0 {
			t.Hint(report.Step{Text: "review", Command: a.req.To("diff")})
		} else { // what is left is a server without entries
			t.Next(a.model())
		}
	} else if asked { // who answered has read it
		plain.New(a.out, a.style).Hint(report.Step{Text: "commit " + text.Printable(a.w.LockPath)}, report.Step{Text: "in CI", Command: a.req.InCI()}, a.r.Folder)
	}
	if len(out.Denied) > 0 {
		a.hintDenied(out)
	}
	if len(a.w.Lock.Servers) > 0 {
		a.hintUnread(out)
	}
	a.hintSkills()
	a.hintPages()
	return out.Err
}

// hintUnread prints which servers have pins whose texts can't be read, and could name a tool that was added.
func (a *approver) hintUnread(out *approval.Outcome) {
	added := map[string]bool{} // the servers that got a tool
	for i := range a.c.Drifts {
		if d := &a.c.Drifts[i]; d.Kind == pin.Added && d.Type == pin.Tools && out.Accepted[d.Ref()] {
			added[d.Server] = true
		}
	}
	if len(added) == 0 {
		return
	}
	unread := slices.DeleteFunc(lint.Unread(a.c.Sides, a.w.Lock.Servers), func(server string) bool { return added[server] && len(added) == 1 })
	if len(unread) == 0 {
		return
	}
	plain.New(a.out, a.style).Hint(report.Step{Text: "text that isn't stored whole, or too long, was not read for the new names: server " + text.List(text.Names(unread), maxHeld)})
}

// hintSkills prints which servers have skills that their captures don't list.
func (a *approver) hintSkills() {
	for i := range a.r.Comparisons {
		p := &a.r.Comparisons[i]
		if !p.SkillsUnlisted || p.Part {
			continue
		}
		whose := a.whose(p)
		plain.New(a.out, a.style).Hint(report.Step{
			Text:    whose + " says that it has skills, and the capture has no answer to " + pin.EntryTypeInfo[pin.Skills].Method + ": nothing pins them; capture it whole",
			Command: "pinproof-capture save " + shell.Path(p.Capture) + " -- COMMAND",
		})
	}
}

// hintPages prints for new servers that the entries of apps' pages are pinned, and what a page does isn't.
func (a *approver) hintPages() {
	t := plain.New(a.out, a.style)
	for i := range a.r.Comparisons {
		p := &a.r.Comparisons[i]
		if !p.Known() && p.Captured.Policy.Pages {
			t.Hint(report.Step{Text: a.whose(p) + " has pages of apps (ui://): their entries are pinned, not what a page does"})
		}
	}
}

// whose names a server in a sentence.
func (a *approver) whose(p *pin.Comparison) string {
	if len(a.r.Comparisons) > 1 {
		return "server " + text.Name(p.Server)
	}
	return "the server"
}

// idle lists the selectors that had nothing to accept.
func (a *approver) idle(out *approval.Outcome) (said []string) {
	for _, s := range out.Idle {
		why := " has not drifted: nothing to accept"
		if s.Word != "" {
			why = ": nothing to accept, or only with other changes or a new warning"
		}
		said = append(said, text.Name(s.Arg)+why)
	}
	return said
}

// replace replaces the pins of servers; a nil set drops its server. announce prints what was done, before
// the lockfile is replaced: if that can't be printed, nothing is written.
func (a *app) replace(w *workspace.Workspace, req *request, next map[string]*pin.Set, announce func()) error {
	return w.Write(&req.Request, a.lockPatience, next, func() error {
		announce()
		if err := a.out.Flush(); err != nil {
			return fail.Path("standard output", err)
		}
		return nil
	})
}
