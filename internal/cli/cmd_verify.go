package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

func newVerify(a *app) *cobra.Command {
	var warn, review, terse bool
	var allow []string
	out := &output{request: request{app: a}}
	cmd := &cobra.Command{
		Use:        "verify CAPTURE [LOCKFILE]",
		SuggestFor: []string{"check"}, // names of this command in other tools
		Short:      "The gate: does the capture match its pins?",
		Long: `Verify compares a saved answer of a server with its pins in LOCKFILE: tools.lock in
this folder or, in a repository, in the nearest folder above. CAPTURE is a file, a
folder of files, or - for standard input. If every entry is what was approved, verify
prints one line; otherwise it prints a BLOCK line for each entry that isn't. --review
is for a change of tools.lock itself: verify then also reads the entries that match,
and fails on a warning that nobody accepted.
Exit codes: 0 match, 1 drift, 2 no answer.`,
		Example: `  pinproof verify files.jsonl
  pinproof verify live.jsonl --server files       a server ID other than the file's name
  pinproof verify captures/                       every server of a folder
  pinproof verify captures/ --review              for a pull request that touches tools.lock
  pinproof verify files.jsonl --allow added       new tools don't fail the run
  pinproof verify captures/ --allow missing       in a job that captures only some servers
  pinproof verify files.jsonl --format github --report html=review.html`,
	}
	out.registerReview(cmd)
	out.register(cmd)
	flags := cmd.Flags()
	flags.BoolVarP(&out.quiet, "quiet", "q", false, "don't print the OK line")
	flags.StringArrayVar(&allow, "allow", nil, "don't fail for this `KIND`: added; removed; missing (pinned servers without a capture in the folder); with --hook or --part also denied (entries that then reach the agent unless a guard or the client leaves them out) (repeatable)")
	flags.StringArrayVar(&out.ExcludedServers, "leave-out", nil, "of a folder, don't judge the server with this `ID` (repeatable)")
	flags.StringArrayVar(&out.Uncaptured, "uncaptured", nil, "the `ID` of a server that couldn't be captured into the folder: exit 2 (repeatable)")
	flags.BoolVar(&warn, "warn", false, "report drift of every kind without failing")
	flags.BoolVar(&review, "review", false, "also read entries that match, and fail on a warning that nobody accepted")
	flags.BoolVar(&terse, "terse", false, "with --format json: list only the kind and the digest of what drifted")
	flags.BoolVar(&out.hook, "hook", false, "answer as an agent's hook: drift and errors exit 2, with text that is safe for a model")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		out.NeedsPins = true
		if err := out.readArguments(cmd, args); err != nil {
			return err
		}
		if out.hook {
			if err := out.checkHook(cmd, allow); err != nil {
				return err
			}
		}
		if terse && (out.format != "json" || len(out.files) > 0 || review || out.hook) {
			return fail.New("--terse needs --format json")
		}
		allowed, err := leniencyOf(allow, warn)
		also := pin.Faults{FailsOnDenied: (out.hook || out.IsPartial) && !slices.Contains(allow, "denied")}
		out.text = plain.WriteVerify
		if err = cmp.Or(err, out.check()); err != nil {
			return err
		}
		if err := out.Load(); err != nil {
			return out.explain(err)
		}
		in := report.Input{FailsOnWarnings: review, ExplainOptions: facts.ExplainOptions{NoExplanations: terse || out.hook}, Findings: lint.Findings(out.Comparisons, out.Drifts, out.Lock.Servers, review)}
		// Limit only verify's text output. Every other format is read as a review, and shows more.
		if !in.NoExplanations && out.format == "text" && len(out.files) == 0 {
			in.Bounded = true
			in.MaxBytes = facts.VerifyByteLimit
		}
		return out.emit(out.judgedInput(in, also, allowed), nil)
	}
	return cmd
}

// leniencyOf reads --allow and --warn.
func leniencyOf(allow []string, warn bool) (pin.Leniency, error) {
	l := pin.Leniency{Kinds: map[pin.DriftKind]bool{}, Warnings: warn}
	for _, k := range pin.DriftKinds {
		l.Kinds[k] = warn
	}
	for _, k := range allow {
		switch k {
		case "added", "removed":
			l.Kinds[pin.DriftKind(strings.ToUpper(k))] = true
		case "missing":
			l.Missing = true
		case "denied": // the caller sets Faults.FailsOnDenied
		default:
			return l, fail.New("--allow %s: only added, removed, missing or denied can be allowed", text.QuoteName(k))
		}
	}
	return l, nil
}

// checkHook refuses flags that can't be combined with --hook. A hook exits with 0 or 2 and prints nothing to standard
// output. To standard error, it prints only text that a model may read.
func (o *output) checkHook(cmd *cobra.Command, allow []string) error {
	isOther := func(kind string) bool { return kind != "denied" }
	for _, flag := range []string{"warn", "allow", "review", "format", "report", "terse"} {
		if cmd.Flags().Changed(flag) && (flag != "allow" || slices.ContainsFunc(allow, isOther)) {
			return modeltext.New("--hook and --").AddArgument(flag).AddWords(" don't go together: a hook blocks or it doesn't")
		}
	}
	if o.Capture == "-" {
		return modeltext.New("--hook can't take the capture from standard input, where the agent's event arrives")
	}
	return nil
}
