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
)

// judgedInput judges the comparison. in has the findings and the options of the run; judgedInput adds the comparison
// and the verdict, and returns the complete input of a report. It doesn't make the report, because that takes the most
// time and isn't always needed.
func (req *request) judgedInput(in report.Input, also pin.Faults, allow pin.Leniency) report.Input {
	inPins := map[string]bool{} // the servers whose pinned text has a finding
	for _, f := range in.Findings {
		if f.FailsRun(in.FailsOnWarnings) {
			also.WarningCount++
		}
		if f.Scope == pin.FindingInPinOnly {
			inPins[f.Server] = true
		}
	}
	v := req.gate.Judge(req.Comparisons, req.Drifts, also, allow)
	in.Version, in.Home = req.build.Version, req.build.ProjectURL
	in.Verdict = v
	in.Lockfile = req.LockPath
	in.Comparisons, in.Drifts = req.Comparisons, req.Drifts
	in.CommandLine = req.Command
	in.IsPartial = req.IsPartial
	in.ServerGuessed = !req.HasFolder && req.Server == "" && req.LockPath != ""
	in.Uncompared = req.Uncompared
	in.RefusesDenied = also.FailsOnDenied
	if len(v.UnjudgedServers) > 0 {
		in.NoVerdict = req.NoVerdictError(v.UnjudgedServers)
	}
	for _, s := range req.Lock.Servers {
		if inPins[s.Server] && pin.FindComparison(req.Comparisons, s.Server) == nil {
			// This server isn't compared, so its pins take the place of both sides.
			in.Others = append(in.Others, pin.Comparison{Server: s.Server, LockfilePath: req.LockPath, Locked: s, Captured: s, State: pin.ServerPaired})
		}
	}
	return in
}

// review judges the comparison, and returns a report on the drift that --only selects.
func (req *request) review() *report.Report {
	in := req.judgedInput(report.Input{Findings: lint.Findings(req.Comparisons, req.Drifts, req.Lock.Servers, true)}, pin.Faults{}, pin.Leniency{})
	return req.reportOf(in, nil)
}

// reportOf makes the report of a verdict. all has the facts of all drift, or is nil if they aren't computed yet.
func (req *request) reportOf(in report.Input, all *facts.Explanation) *report.Report {
	if all == nil {
		all = factsOf(&in)
	}
	if !in.Matches {
		req.suggest(&in, all)
	}
	return report.New(in, req.narrowed(all))
}

// factsOf works out the facts of a comparison.
func factsOf(in *report.Input) *facts.Explanation {
	return facts.Explain(in.Comparisons, in.Drifts, in.Findings, in.ExplainOptions)
}

// narrowed returns the facts or, with --only, the facts of the selected drift.
func (req *request) narrowed(all *facts.Explanation) *facts.Explanation {
	if len(req.only) == 0 {
		return all
	}
	return all.Select(func(d *pin.Drift, words []string) bool { return approval.MatchesAny(req.only, d, words) })
}

// worse combines noAnswer, the error about servers that can't be judged, with err, the result for the other servers. If
// err is a refusal, its text becomes a hint.
func worse(noAnswer, err error) error {
	if noAnswer == nil || err != nil && !errors.Is(err, fail.ErrDrift) {
		return err
	}
	both := *fail.AsError(noAnswer)
	if refused, ok := errors.AsType[*fail.Error](err); ok {
		both.Hints = slices.Concat([]string{refused.Text}, refused.Hints, both.Hints)
	}
	return &both
}
