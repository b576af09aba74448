package main

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

func newVerify(a *app) *cobra.Command {
	var quiet, warn, hook, part, review bool
	var allow []string
	var subset string
	shared, out := &sharedFlags{}, &output{}
	cmd := &cobra.Command{
		Use:   "verify CAPTURE [LOCKFILE]",
		Short: "The gate: does the capture match its pins?",
		Long: `Verify compares a saved answer of a server with its pins in LOCKFILE: tools.lock here
or, in a repository, in the nearest folder above. It prints one line when all is well;
otherwise a BLOCK line for every entry that is not what was approved. CAPTURE is a
file, a folder of them, or - for standard input. With --review, for a change of
tools.lock itself, it also reads what matches, and a warning that is not on record
fails it.
Exit codes: 0 match, 1 drift, 2 no answer.`,
		Example: `  pinproof verify files.jsonl
  pinproof verify live.jsonl --server files       under a label that isn't the file's name
  pinproof verify captures/                       every server of a folder
  pinproof verify captures/ --review              for a pull request that touches tools.lock
  pinproof verify files.jsonl --allow added       new tools don't fail the run
  pinproof verify captures/ --allow missing       in a job that captures a part of the servers
  pinproof verify files.jsonl --subset safe.json  what still matches, for a gateway
  pinproof verify files.jsonl --format github --report html=review.html`,
	}
	shared.registerReview(cmd)
	out.register(cmd)
	flags := cmd.Flags()
	flags.BoolVarP(&quiet, "quiet", "q", false, "don't print the OK line")
	flags.StringArrayVar(&allow, "allow", nil, "don't fail for this `KIND`: added or removed entries; missing, pinned servers that a folder has no capture of (repeatable)")
	flags.BoolVar(&warn, "warn", false, "report drift of every kind without failing")
	flags.BoolVar(&part, "part", false, "the capture is part of a session: lists may be missing or unfinished, what is there must match")
	flags.BoolVar(&review, "review", false, "read what matches, too: a warning that is not on record fails the run")
	flags.StringVar(&subset, "subset", "", "write the tools that match their pins to `FILE`, as a tools/list result")
	flags.BoolVar(&hook, "hook", false, "answer as an agent's hook: drift and errors exit 2, with words that are safe for a model")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := shared.request(a, cmd, args)
		if err != nil {
			return err
		}
		req.needsPins, req.part = true, part
		if part && isFolder(req.Capture) {
			return fail.New("--part goes with one capture, not with a folder")
		}
		if hook {
			return a.hook(cmd, req)
		}
		allowed, err := leniencyOf(allow, warn)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("subset") {
			if err := a.checkOutput(req, "--subset", subset); err != nil {
				return err
			}
		}
		out.text = func(w io.Writer, m *report.Model, style plain.Style) error {
			style.Full = shared.full                                   // also in a file
			return plain.WriteVerify(w, m, style, quiet && w == a.out) // a report in a file has the line all the same
		}
		if err := out.check(a, req, subset); err != nil {
			return err
		}
		w, err := a.load(req)
		if err == nil && w.folder && subset != "" {
			err = fail.New("--subset goes with one capture, not with a folder")
		}
		if err != nil {
			return out.explain(a, err)
		}
		in := w.input(req)
		in.Findings = w.read(review)
		in.Review, in.WarnOnly = review, warn
		in.Bounded = out.format == "text" && len(out.files) == 0 // a report is for a review
		if subset != "" {
			err = writeSubset(subset, &w.comparisons[0], w.drifts, req.substitutes)
		}
		return out.emit(a, w.judged(in, allowed), a.style(shared.full), err)
	}
	return cmd
}

// leniencyOf reads --allow and --warn.
func leniencyOf(allow []string, warn bool) (leniency, error) {
	l := leniency{kinds: map[pin.DriftKind]bool{}}
	if warn {
		l = lenient
		l.kinds = maps.Clone(l.kinds)
	}
	for _, k := range allow {
		switch k {
		case "added", "removed":
			l.kinds[pin.DriftKind(strings.ToUpper(k))] = true
		case "missing":
			l.missing = true
		default:
			return l, fail.New("--allow %s: only added, removed or missing can be allowed", text.Name(k))
		}
	}
	return l, nil
}

// hook is verify for an agent. It exits with 0 or 2, prints nothing on standard output,
// and on standard error only what may reach a model.
func (a *app) hook(cmd *cobra.Command, req *request) error {
	for _, flag := range []string{"warn", "allow", "review", "subset", "format", "report"} {
		if cmd.Flags().Changed(flag) {
			return fail.New("--hook and --%s don't go together: a hook blocks or it doesn't", flag)
		}
	}
	if req.Capture == "-" {
		return fail.New("--hook doesn't read standard input: that is the agent's")
	}
	w, err := a.load(req)
	if err != nil {
		report.WriteHookError(a.stderr, err, req.Command) // a failed write changes nothing: it is exit 2 as well
		return errReported
	}
	in := w.input(req)
	in.Findings = w.read(false)
	if in = w.decided(in, leniency{}); in.Failed {
		report.WriteHook(a.stderr, in)
		return errReported
	}
	return nil
}

// checkOutput refuses to write over an input or another output.
func (a *app) checkOutput(req *request, flag, path string, others ...string) error {
	if path == "" || path == "-" {
		return fail.New("%s needs a file", flag)
	}
	for _, other := range others {
		if other != "" && sameFile(path, other) {
			return fail.New("%s %s: two outputs, or an input, with one name", flag, text.Printable(path))
		}
	}
	isInput := sameFile(path, req.Capture) || sameFile(path, req.lockPath)
	if isFolder(req.Capture) {
		entries, _ := os.ReadDir(req.Capture) // load reports the error
		isInput = isInput || sameFile(filepath.Dir(path), req.Capture) || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return sameFile(path, filepath.Join(req.Capture, e.Name()))
		})
	}
	if isInput {
		return fail.New("%s %s: that is an input; it is never written", flag, text.Printable(path))
	}
	for _, stream := range []any{a.stdin, a.stdout, a.stderr} { // a redirected one
		if f, ok := stream.(*os.File); ok {
			x, _ := f.Stat()
			y, _ := os.Stat(path)
			if os.SameFile(x, y) {
				return fail.New("%s %s: two outputs, or an input, with one name", flag, text.Printable(path))
			}
		}
	}
	return nil
}

// writeSubset writes the tools that match their pins, in the order of the capture, as a
// list that a gateway can serve in place of the server's own.
func writeSubset(path string, p *pin.Comparison, drifts []pin.Drift, substitutes []pin.Substitute) error {
	drifted := map[pin.Key]bool{}
	for i := range drifts {
		drifted[drifts[i].Key] = true
	}
	pins := slices.DeleteFunc(slices.Clone(p.Captured.Of(pin.Tools)), func(f pin.Pin) bool { return drifted[f.Key] })
	slices.SortFunc(pins, func(x, y pin.Pin) int { return cmp.Or(x.Line-y.Line, x.Column-y.Column) })
	list := make([][]byte, len(pins))
	for i, found := range pins {
		if list[i] = found.Received; p.Captured.Policy.Shapes() {
			list[i] = jsontree.Append(nil, pin.FillPlaceholders(found.Tree(), substitutes)) // nothing but what was pinned
		}
	}
	return atomicfile.Write(path, slices.Concat([]byte(`{"tools":[`), bytes.Join(list, []byte(",")), []byte("]}\n")))
}
