package cli

import (
	"io"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

func newDiff(a *app) *cobra.Command {
	var against string
	var stat bool
	f, out := &sharedFlags{}, &output{shows: true}
	cmd := &cobra.Command{
		Use:   "diff CAPTURE [LOCKFILE]",
		Short: "The review: what exactly changed, tool by tool, word by word",
		Long: `Diff shows everything in which a saved answer of a server differs from its pins,
word by word, the dangerous changes first. What changed alike is shown once, and
what is minor in one line. Where nothing is pinned yet it shows every entry whole.
With --against it compares two files without a lockfile, or takes the approved texts
for a lockfile that doesn't store them.
Exit codes: 0 no difference, 1 there are some, 2 no answer.`,
		Example: `  pinproof diff files.jsonl
  pinproof diff captures/ --stat                  the shape of it first
  pinproof diff captures/ --only added            then a part
  pinproof diff new.json --against old.json
  git show main:tools.lock | pinproof diff tools.lock --against -`,
	}
	f.registerReview(cmd)
	f.registerOnly(cmd)
	out.register(cmd)
	cmd.Flags().StringVar(&against, "against", "", "compare with this `FILE`, a capture or a lockfile, - for standard input")
	cmd.Flags().BoolVar(&stat, "stat", false, "show the shape of it: a line for each entry, the dangerous first")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := f.request(a, cmd, args)
		if err != nil {
			return err
		}
		req.Shows, req.Against, req.NeedsPins = true, against, f.part
		if against != "" {
			req.Flags["diff"] = append(req.Flags["diff"], "--against "+shell.Path(against))
		}
		switch {
		case !cmd.Flags().Changed("against"):
		case against == "":
			return fail.New("--against needs a file")
		case f.part && req.Lockfile == "":
			return fail.New("--part compares with pins: diff CAPTURE LOCKFILE --part")
		case against == "-" && req.Capture == "-":
			return fail.New("only one of CAPTURE and --against can be standard input")
		case workspace.IsFolder(against):
			return fail.In(text.Printable(against), "a folder: --against takes one capture or lockfile").
				Hint("pin the old folder: pinproof lock %s old.lock --yes", shell.Path(against)).Hint("then: pinproof diff %s old.lock", shell.Path(req.Capture))
		}
		out.text = func(w io.Writer, m *report.Model, style plain.Style) error {
			style.Full = f.full // also in a file
			if stat {
				return plain.WriteStat(w, m, style)
			}
			return plain.WriteDiff(w, m, style)
		}
		if err := out.check(a, req, against); err != nil {
			return err
		}
		w, err := workspace.Load(a.gate, &req.Request, a.stdin)
		if err == nil {
			err = approval.CheckSelectors("--only", req.only, w.Comparisons)
		}
		if err != nil {
			return out.explain(a, err)
		}
		return out.emit(a, a.review(req, w), a.style(f.full))
	}
	return cmd
}
