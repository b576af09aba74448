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

// decide has the gate decide how a comparison ends. With all, it also reads entries that match; with
// review, a warning in one of them that nobody accepted fails the run. It returns the verdict with the
// input of a report, but no report: making one takes the most time.
func (a *app) decide(req *request, w *workspace.Workspace, all, review bool, also pin.Faults, allow pin.Leniency) report.Input {
	return a.decideOn(req, w, lint.Read(w.Comparisons, w.Drifts, w.Lock.Servers, all), review, also, allow)
}

// decideOnKinds decides for an agent or its guard, which waits and doesn't read what changed. For
// warnings, it reads the texts of the first drifts only, up to about GateRoom bytes of definitions, and
// counts the other drifts.
func (a *app) decideOnKinds(req *request, w *workspace.Workspace, also pin.Faults, allow pin.Leniency) report.Input {
	read := 0
	room := facts.GateRoom
	for read < len(w.Drifts) && room >= 0 {
		for i := range w.Drifts[read].Copies {
			room -= len(w.Drifts[read].Copies[i].Definition)
		}
		read++
	}
	in := a.decideOn(req, w, lint.Read(w.Comparisons, w.Drifts[:read], w.Lock.Servers, false), false, also, allow)
	in.Terse, in.Unread = true, len(w.Drifts)-read
	return in
}

// decideNamed decides for lock and relock. Where flags name the entries, it reads the texts of these alone.
func (a *app) decideNamed(req *request, w *workspace.Workspace, said *approval.Said) report.Input {
	named, all := said.Reads(w.Drifts)
	var findings []lint.Finding
	if all {
		findings = lint.Read(w.Comparisons, w.Drifts, w.Lock.Servers, true)
	} else {
		findings = lint.ReadNamed(w.Comparisons, w.Drifts, w.Lock.Servers, named)
	}
	return a.decideOn(req, w, findings, false, pin.Faults{}, pin.Leniency{})
}

// decideOn lets the gate decide, given the findings of the texts.
func (a *app) decideOn(req *request, w *workspace.Workspace, findings []lint.Finding, review bool, also pin.Faults, allow pin.Leniency) report.Input {
	for i := range findings {
		if findings[i].Blocks(review) {
			also.Warnings++
		}
	}
	v := a.gate.Judge(w.Comparisons, w.Drifts, also, allow)
	in := report.Input{
		Version: a.build.Version, Home: a.build.Home,
		Verdict: v, Review: review,
		Lockfile: w.LockPath, Comparisons: w.Comparisons, Drifts: w.Drifts, Findings: findings, Next: req.Command,
		Part: req.Part, Guessed: !w.Folder && req.Server == "" && w.LockPath != "", Uncompared: w.Uncompared, FailOn: allow.Spared != nil, RefusesDenied: also.Denied,
	}
	if len(v.Unanswered) > 0 {
		in.NoAnswer = w.NoAnswer(&req.Request, v.Unanswered)
	}
	if len(findings) > 0 {
		in.Others = others(w, findings)
	}
	return in
}

// others lists the servers without a capture that a finding is about, as if they were captured as they are pinned.
func others(w *workspace.Workspace, findings []lint.Finding) (list []pin.Comparison) {
	about := map[string]bool{}
	for i := range findings {
		if findings[i].Scope == lint.InPin {
			about[findings[i].Server] = true
		}
	}
	for i := range w.Lock.Servers {
		s := &w.Lock.Servers[i]
		if about[s.Server] && pin.ComparisonOf(w.Comparisons, s.Server) == nil {
			list = append(list, pin.Comparison{Server: s.Server, Lockfile: w.LockPath, Locked: *s, Captured: *s, State: pin.StateOf(true, true)})
		}
	}
	return list
}

// review judges a comparison for a command that shows all of the drift. The report has the drift that --only
// selects.
func (a *app) review(req *request, w *workspace.Workspace) *report.Report {
	in := a.decide(req, w, true, false, pin.Faults{}, pin.Leniency{})
	return reportOf(req, w, in, factsOf(&in))
}

// reportOf makes the report of what was decided, given the facts of all drift.
func reportOf(req *request, w *workspace.Workspace, in report.Input, all *facts.Facts) *report.Report {
	if !in.Matches {
		suggest(req, w, &in, all)
	}
	return report.New(in, narrowed(req, all))
}

// suggest adds to a report's input what its commands are made of.
func suggest(req *request, w *workspace.Workspace, in *report.Input, all *facts.Facts) {
	in.Folder = folderHint(req, w)
	if sets := setDigests(w.Comparisons); !slices.Contains(sets, "") {
		for _, set := range sets {
			in.Expect = append(in.Expect, "--expect "+set)
		}
	}
	for _, s := range req.only {
		in.OnlyFlags = append(in.OnlyFlags, "--only "+shell.Quote(s.Arg)) // to be typed again
	}
	dryRun(in, all)
}

// dryRun finds out which flags would write something if they were given now: a report suggests no others.
func dryRun(in *report.Input, all *facts.Facts) {
	if in.Matches || in.Lockfile == "" || in.Terse {
		return // nothing is suggested
	}
	c := caseOf(in, all)
	isNew := !slices.ContainsFunc(in.Comparisons, func(p pin.Comparison) bool { return p.Known() })
	in.Writes = approval.Would(c, approval.Said{All: !isNew, Approves: isNew})
	in.Alone = approval.Alone(c)
}

// factsOf works out the facts of a comparison.
func factsOf(in *report.Input) *facts.Facts {
	return facts.Of(in.Comparisons, in.Drifts, in.Findings, facts.Bounds{Room: in.Room, KindsAlone: in.Bounded, Terse: in.Terse, BySeverities: in.FailOn})
}

// narrowed returns the facts or, with --only, those of the selected drift.
func narrowed(req *request, all *facts.Facts) *facts.Facts {
	if len(req.only) == 0 {
		return all
	}
	return all.Narrow(func(d *pin.Drift, words []string) bool {
		return slices.ContainsFunc(req.only, func(s approval.Selector) bool { return s.Fits(d, words) })
	})
}

// setDigests returns the set digests of all captures, "" for one that repeats a name.
func setDigests(sides []pin.Comparison) (sets []string) {
	for _, p := range sides {
		if p.Present() {
			sets = append(sets, p.Captured.Digest)
		}
	}
	return sets
}

// worse returns the error of a run that has no answer about some servers, and ended with
// err about the others. A refusal isn't lost: it becomes a hint.
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
