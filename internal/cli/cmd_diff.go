package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/label"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

func newDiff(a *app) *cobra.Command {
	req := &diffRequest{}
	out := &output{app: a, req: &req.request, shows: true}
	stat := false
	cmd := &cobra.Command{
		Use:        "diff CAPTURE [LOCKFILE]",
		SuggestFor: []string{"status"}, // what other tools call it
		Short:      "The review: what exactly changed, tool by tool, word by word",
		Long: `Diff shows how a saved answer of a server differs from its pins, word by word, the
most dangerous changes first. It shows a change that several entries share once, and
counts minor changes in one line. If nothing is pinned yet, it shows every entry whole.
With --against it compares two files without a lockfile, or two folders of captures; if
the lockfile stores no definitions, --against names the approved ones. For a release,
--fail-on breaking fails only if a call that worked may fail now, or the reading of its
result.
Exit codes: 0 no difference, 1 a difference (with --fail-on, a severe one), 2 no answer.`,
		Example: `  pinproof diff files.jsonl
  pinproof diff captures/ --stat                  first a summary
  pinproof diff captures/ --only added            then one part
  pinproof diff new.json --against old.json
  pinproof diff new/ --against old/ --fail-on breaking
  git show main:tools.lock | pinproof diff tools.lock --against -`,
	}
	req.registerReview(cmd)
	req.registerOnly(cmd)
	out.register(cmd)
	cmd.Flags().StringVar(&req.Against, "against", "", "compare with this `FILE`: a capture or a lockfile (- for standard input), or a folder if CAPTURE is one")
	cmd.Flags().StringVar(&req.failOn, "fail-on", "", "exit 1 only for changes of this `SEVERITY` or worse: breaking (a call that worked may fail), behaviour (a model reads or does something else)")
	cmd.Flags().StringVar(&req.maxTokens, "max-tokens", "", "exit 1 if the tools of the capture take more than about `N` tokens of a model's context, even if nothing differs")
	cmd.Flags().BoolVar(&stat, "stat", false, "show the head, and a line for each block")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req.Shows = true
		req.Mends = true
		req.NeedsPins = req.Part
		if err := req.read(cmd, args); err != nil {
			return err
		}
		if err := req.check(cmd); err != nil {
			return err
		}
		out.text = plain.WriteDiff
		if stat {
			out.text = plain.WriteStat
		}
		if err := out.check(req.Against); err != nil {
			return err
		}
		return a.runDiff(req, out)
	}
	return cmd
}

// A diffRequest is what diff was asked for.
type diffRequest struct {
	request
	failOn    string
	least     label.Severity // that failOn names
	maxTokens string
	most      int // the number in maxTokens; 0: no budget
}

// check refuses flags that can't be combined, and reads the values of --fail-on and --max-tokens.
func (req *diffRequest) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("max-tokens") {
		most, err := strconv.Atoi(req.maxTokens)
		if err != nil || most < 1 {
			return fail.New("--max-tokens %s: a number, 1 or more", text.Name(req.maxTokens))
		}
		if req.Part {
			return fail.New("--max-tokens counts whole captures: it can't be combined with --part")
		}
		req.most = most
	}
	req.least = label.SeverityNamed(req.failOn)
	if cmd.Flags().Changed("fail-on") && req.least <= label.None {
		return fail.New("--fail-on %s: one of breaking, behaviour", text.Name(req.failOn))
	}
	if cmd.Flags().Changed("against") {
		return req.checkAgainst()
	}
	return nil
}

// checkAgainst refuses an --against that CAPTURE can't be compared with.
func (req *diffRequest) checkAgainst() error {
	if req.Against == "" {
		return fail.New("--against needs a file")
	}
	if req.Part && req.Lockfile == "" {
		return fail.New("--part compares with pins: diff CAPTURE LOCKFILE --part")
	}
	if req.Against == "-" && req.Capture == "-" {
		return fail.New("only one of CAPTURE and --against can be standard input")
	}
	isFolder := workspace.IsFolder(req.Against)
	if req.Lockfile == "" && isFolder != workspace.IsFolder(req.Capture) || req.Lockfile != "" && isFolder {
		return fail.In(req.Against, "--against compares two files, or two folders of captures").
			Hint("for a folder and a file, pin the old one: pinproof lock %s old.lock --yes", shell.Path(req.Against)).
			Hint("then: pinproof diff %s old.lock", shell.Path(req.Capture))
	}
	return nil
}

// runDiff compares, and prints the review.
func (a *app) runDiff(req *diffRequest, out *output) error {
	w, err := workspace.Load(a.gate, &req.Request, a.stdin)
	if err == nil {
		// --only may name an unknown entry.
		err = approval.Check(w.Comparisons, nil, &approval.Choices{Only: req.only, AllowsEmpty: true})
	}
	if err != nil {
		return out.explain(err)
	}
	allow := pin.Leniency{}
	also := pin.Faults{}
	in := report.Input{Findings: lint.Findings(w.Comparisons, w.Drifts, w.Lock.Servers, true)}
	var known *facts.Facts
	if req.failOn != "" {
		known = facts.Explain(w.Comparisons, w.Drifts, in.Findings, facts.Bounds{BySeverities: true})
		allow = pin.Leniency{Warnings: true, Spared: spared(known, req.least)}
	}
	if req.most > 0 {
		said, known := report.OverBudgetText(w.Comparisons, req.most)
		if !known {
			return out.explain(fail.In(req.Capture, "--max-tokens: it has digests and no definitions to count"))
		}
		in.OverBudget = said
		also.OverBudget = said != ""
	}
	return out.emit(w, a.judge(w, in, also, allow), known)
}

// spared lists the drifts that are known to be below a severity, as the review explains them.
func spared(known *facts.Facts, least label.Severity) pin.Refs {
	refs := pin.Refs{}
	for _, e := range known.Entries {
		refs[e.Ref()] = e.Severity < least
	}
	return refs
}
