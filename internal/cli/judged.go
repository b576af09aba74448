package cli

import (
	"errors"
	"slices"

	"pinproof/internal/approval"
	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/workspace"
)

// firstFindings reads the first drifts only, up to about GateRoom bytes of definitions, because an agent or its
// guard is waiting and doesn't read more. It returns how many drifts are unread.
func firstFindings(w *workspace.Workspace) (found []lint.Finding, unread int) {
	read := 0
	room := facts.GateRoom
	for read < len(w.Drifts) && room >= 0 {
		for _, p := range w.Drifts[read].Copies {
			room -= len(p.Definition)
		}
		read++
	}
	return lint.Findings(w.Comparisons, w.Drifts[:read], w.Lock.Servers, false), len(w.Drifts) - read
}

// judge lets the gate judge a comparison. in has the findings and the options of the run; judge adds the
// verdict and the comparison, and returns it as the input of a report. It doesn't make the report, because that
// takes the most time.
func (a *app) judge(w *workspace.Workspace, in report.Input, also pin.Faults, allow pin.Leniency) report.Input {
	inPins := map[string]bool{} // the servers whose pinned text has a finding
	for _, f := range in.Findings {
		if f.Blocks(in.Review) {
			also.Warnings++
		}
		if f.Scope == lint.InPin {
			inPins[f.Server] = true
		}
	}
	v := a.gate.Judge(w.Comparisons, w.Drifts, also, allow)
	in.Version, in.Home = a.build.Version, a.build.Home
	in.Verdict = v
	in.Lockfile = w.LockPath
	in.Comparisons, in.Drifts = w.Comparisons, w.Drifts
	in.Next = w.Command
	in.Part = w.Part
	in.Guessed = !w.Folder && w.Server == "" && w.LockPath != ""
	in.Uncompared = w.Uncompared
	in.FailOn = allow.Spared != nil
	in.RefusesDenied = also.Denied
	if len(v.Unanswered) > 0 {
		in.NoAnswer = w.NoAnswer(v.Unanswered)
	}
	for _, s := range w.Lock.Servers {
		if inPins[s.Server] && pin.ComparisonOf(w.Comparisons, s.Server) == nil {
			// It has no capture: both sides are the pins.
			in.Others = append(in.Others, pin.Comparison{Server: s.Server, LockfilePath: w.LockPath, Locked: s, Captured: s, State: pin.Paired})
		}
	}
	return in
}

// review judges a comparison for a command that shows all of the drift. The report has the drift that --only
// selects.
func (a *approver) review(w *workspace.Workspace) *report.Report {
	in := a.judge(w, report.Input{Findings: lint.Findings(w.Comparisons, w.Drifts, w.Lock.Servers, true)}, pin.Faults{}, pin.Leniency{})
	return a.reportOf(w, in, nil)
}

// reportOf makes the report of what was decided. all has the facts of all drift, or is nil if they aren't worked out yet.
func (req *request) reportOf(w *workspace.Workspace, in report.Input, all *facts.Facts) *report.Report {
	if all == nil {
		all = factsOf(&in)
	}
	if !in.Matches {
		req.suggest(w, &in, all)
	}
	return report.New(in, req.narrowed(all))
}

// suggest adds to a report's input the flags of the commands that it suggests.
func (req *request) suggest(w *workspace.Workspace, in *report.Input, all *facts.Facts) {
	in.Folder = folderHint(w)
	isWhole := true
	for _, p := range w.Comparisons {
		if p.Present() {
			expected := p.Captured.Digest
			if p.Known() || w.Folder { // anybody can name a file of a folder
				expected += "@" + workspace.StateOf(&p)
			}
			in.Expect = append(in.Expect, "--expect "+expected)
			isWhole = isWhole && p.Captured.Digest != "" // no name is repeated
		}
	}
	if !isWhole {
		in.Expect = nil
	}
	for _, s := range req.only {
		in.OnlyFlags = append(in.OnlyFlags, "--only "+shell.Quote(s.Arg)) // to be typed again
	}
	dryRun(in, all)
}

// dryRun finds out which flags would write something if they were given now: a report suggests no others.
func dryRun(in *report.Input, all *facts.Facts) {
	if in.Lockfile == "" || in.Terse {
		return // nothing is suggested
	}
	c := caseOf(in, all)
	isNew := !slices.ContainsFunc(in.Comparisons, func(p pin.Comparison) bool { return p.Known() })
	in.Writes = approval.WouldWrite(c, approval.Choices{All: !isNew, Approves: isNew})
	in.Alone = approval.AcceptableByName(c)
}

// factsOf works out the facts of a comparison.
func factsOf(in *report.Input) *facts.Facts {
	return facts.Explain(in.Comparisons, in.Drifts, in.Findings, facts.Bounds{Room: in.Room, KindsAlone: in.Bounded, Terse: in.Terse, BySeverities: in.FailOn})
}

// narrowed returns the facts or, with --only, those of the selected drift.
func (req *request) narrowed(all *facts.Facts) *facts.Facts {
	if len(req.only) == 0 {
		return all
	}
	return all.Selected(func(d *pin.Drift, words []string) bool { return approval.FitsAny(req.only, d, words) })
}

// worse combines noAnswer, the error about servers that can't be judged, with err, the result for the others.
// If err is a refusal, its text becomes a hint.
func worse(noAnswer, err error) error {
	if noAnswer == nil || err != nil && !errors.Is(err, fail.ErrDrift) {
		return err
	}
	both := *fail.From(noAnswer)
	if refused, ok := errors.AsType[*fail.Error](err); ok {
		both.Hints = slices.Concat([]string{refused.Text}, refused.Hints, both.Hints)
	}
	return &both
}
