package cli

import (
	"cmp"
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
	d := &diffRun{output: output{request: request{app: a}}}
	stat := false
	cmd := &cobra.Command{
		Use:        "diff CAPTURE [LOCKFILE]",
		SuggestFor: []string{"status"}, // names of this command in other tools
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
	d.registerReview(cmd)
	d.registerOnly(cmd)
	d.register(cmd)
	cmd.Flags().StringVar(&d.Against, "against", "", "compare with this `FILE`: a capture or a lockfile (- for standard input), or a folder if CAPTURE is one")
	cmd.Flags().StringVar(&d.failOn, "fail-on", "", "exit 1 only for changes of this `SEVERITY` or worse: breaking (a call that worked may fail), behaviour (a model reads or does something else)")
	cmd.Flags().StringVar(&d.maxTokens, "max-tokens", "", "exit 1 if the tools of the capture take more than about `N` tokens of a model's context, even if nothing differs")
	cmd.Flags().BoolVar(&stat, "stat", false, "show the head, and a line for each block")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d.ShowsWithoutPins = true
		d.AcceptsForbiddenPins = true
		d.NeedsPins = d.IsPartial
		if err := d.readArguments(cmd, args); err != nil {
			return err
		}
		d.text = plain.WriteDiff
		if stat {
			d.text = plain.WriteStat
		}
		if err := cmp.Or(d.checkFlags(cmd), d.check(d.Against)); err != nil {
			return err
		}
		return d.compare()
	}
	return cmd
}

// A diffRun is a run of diff.
type diffRun struct {
	output
	failOn    string
	least     label.Severity // the severity that failOn names
	maxTokens string
	most      int // the number in maxTokens; 0: no budget
}

// checkFlags refuses flags that can't be combined, and reads the values of --fail-on and --max-tokens.
func (d *diffRun) checkFlags(cmd *cobra.Command) error {
	if cmd.Flags().Changed("max-tokens") {
		most, err := strconv.Atoi(d.maxTokens)
		if err != nil || most < 1 {
			return fail.New("--max-tokens %s: a number, 1 or more", text.QuoteName(d.maxTokens))
		}
		if d.IsPartial {
			return fail.New("--max-tokens counts whole captures: it can't be combined with --part")
		}
		d.most = most
	}
	d.least = label.ParseSeverity(d.failOn)
	if cmd.Flags().Changed("fail-on") && d.least <= label.NoEffect {
		return fail.New("--fail-on %s: one of breaking, behaviour", text.QuoteName(d.failOn))
	}
	if cmd.Flags().Changed("against") {
		return d.checkAgainst()
	}
	return nil
}

// checkAgainst refuses an --against that CAPTURE can't be compared with.
func (d *diffRun) checkAgainst() error {
	if d.Against == "" {
		return fail.New("--against needs a file")
	}
	if d.IsPartial && d.Lockfile == "" {
		return fail.New("--part compares with pins: diff CAPTURE LOCKFILE --part")
	}
	if d.Against == "-" && d.Capture == "-" {
		return fail.New("only one of CAPTURE and --against can be standard input")
	}
	isFolder := workspace.IsFolder(d.Against)
	if d.Lockfile == "" && isFolder != workspace.IsFolder(d.Capture) || d.Lockfile != "" && isFolder {
		return fail.NewAt(d.Against, "--against compares two files, or two folders of captures").
			Hint("for a folder and a file, pin the old one: pinproof lock %s old.lock --yes", shell.QuotePath(d.Against)).
			Hint("then: pinproof diff %s old.lock", shell.QuotePath(d.Capture))
	}
	return nil
}

// compare loads and compares both sides, and prints the review.
func (d *diffRun) compare() error {
	err := d.Load()
	if err == nil {
		// Precheck refuses an --only that names an unknown entry.
		err = approval.Precheck(d.Comparisons, nil, &approval.Choices{Only: d.only, AllowsEmpty: true})
	}
	if err != nil {
		return d.explain(err)
	}
	allow := pin.Leniency{}
	also := pin.Faults{}
	in := report.Input{Findings: lint.Findings(d.Comparisons, d.Drifts, d.Lock.Servers, true)}
	var known *facts.Explanation
	if d.failOn != "" {
		in.FailsBySeverity = true
		known = facts.Explain(d.Comparisons, d.Drifts, in.Findings, in.ExplainOptions)
		allow = pin.Leniency{Warnings: true, BelowFailOn: pin.RefSet{}}
		for _, e := range known.Entries {
			allow.BelowFailOn[e.Ref()] = e.Severity < d.least
		}
	}
	if d.most > 0 {
		said, known := report.TokenLimitMessage(d.Comparisons, d.most)
		if !known {
			return d.explain(fail.NewAt(d.Capture, "--max-tokens: it has digests and no definitions to count"))
		}
		in.OverBudget = said
		also.OverBudget = said != ""
	}
	return d.emit(d.judgedInput(in, also, allow), known)
}
