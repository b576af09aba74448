package main

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newVerify(a *app) *cobra.Command {
	var quiet, warn, hook bool
	var allow []string
	var subset string
	out := &output{}
	cmd := &cobra.Command{
		Use:   "verify MANIFEST [LOCKFILE]",
		Short: "The gate: does the manifest match its pins?",
		Long: `Verify compares a saved answer of a server with its pins in LOCKFILE (tools.lock).
It prints one line when all is well; otherwise a BLOCK line for every entry that
is not what was approved. MANIFEST is a file, a folder of them, or - for standard
input. Exit codes: 0 match, 1 drift, 2 no answer.`,
		Example: `  pinproof verify files.jsonl
  pinproof verify live.jsonl --server files       under a label that isn't the file's name
  pinproof verify captures/                       every server of a folder
  pinproof verify files.jsonl --allow added       new tools don't fail the run
  pinproof verify files.jsonl --subset safe.json  what still matches, for a gateway
  pinproof verify files.jsonl --format github --report html=review.html`,
	}
	a.commonFlags(cmd)
	out.register(cmd)
	flags := cmd.Flags()
	flags.BoolVarP(&quiet, "quiet", "q", false, "don't print the OK line")
	flags.StringArrayVar(&allow, "allow", nil, "report drift of this `KIND`, added or removed, without failing (repeatable)")
	flags.BoolVar(&warn, "warn", false, "report drift of every kind without failing")
	flags.StringVar(&subset, "subset", "", "write the tools that match their pins to `FILE`, as a tools/list result")
	flags.BoolVar(&hook, "hook", false, "answer as an agent's hook: drift and errors exit 2, with words that are safe for a model")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.take(cmd, args); err != nil {
			return err
		}
		if hook {
			return a.hook(cmd)
		}
		allowed := map[kind]bool{}
		for _, k := range allow {
			if k != "added" && k != "removed" {
				return fail("--allow %s: only added or removed can be allowed", quotedName(k))
			}
			allowed[kind(strings.ToUpper(k))] = true
		}
		if warn {
			allowed = map[kind]bool{added: true, removed: true, changed: true, concealed: true, duplicate: true}
		}
		if cmd.Flags().Changed("subset") {
			if err := a.checkOutput("--subset", subset); err != nil {
				return err
			}
		}
		out.text = func(w io.Writer, r *report, style textStyle) error {
			return writeVerify(w, r, style, quiet && w == a.out) // a report in a file has the line all the same
		}
		if err := out.check(a, subset); err != nil {
			return err
		}
		w, err := a.load()
		if err == nil && w.folder && subset != "" {
			err = fail("--subset goes with one manifest, not with a folder")
		}
		if err != nil {
			return out.explain(a, err)
		}
		r := a.report(w, out.laidOut() || !quiet)
		r.allowed = allowed
		if subset != "" {
			err = writeSubset(subset, &r.pairs[0], r.drifts, a.substitutes)
		}
		return out.emit(a, r, err)
	}
	return cmd
}

// hook is verify for an agent. It exits with 0 or 2, prints nothing on standard output,
// and on standard error only what may reach a model.
func (a *app) hook(cmd *cobra.Command) error {
	for _, flag := range []string{"warn", "allow", "subset", "format", "report"} {
		if cmd.Flags().Changed(flag) {
			return fail("--hook and --%s don't go together: a hook blocks or it doesn't", flag)
		}
	}
	if a.manifest == "-" {
		return fail("--hook doesn't read standard input: that is the agent's")
	}
	w, err := a.load()
	if err != nil {
		writeHookError(a.stderr, err, a.command) // a failed write changes nothing: it is exit 2 as well
		return errTold
	}
	if r := a.report(w, false); r.failed() {
		writeHook(a.stderr, r)
		return errTold
	}
	return nil
}

// checkOutput refuses to write over an input or another output.
func (a *app) checkOutput(flag, path string, others ...string) error {
	if path == "" || path == "-" {
		return fail("%s needs a file", flag)
	}
	for _, other := range others {
		if other != "" && sameFile(path, other) {
			return fail("%s %s: two outputs, or an input, with one name", flag, printable(path))
		}
	}
	isInput := sameFile(path, a.manifest) || sameFile(path, a.lockPath)
	if isFolder(a.manifest) {
		entries, _ := os.ReadDir(a.manifest) // load reports the error
		isInput = isInput || sameFile(filepath.Dir(path), a.manifest) || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return sameFile(path, filepath.Join(a.manifest, e.Name()))
		})
	}
	if isInput {
		return fail("%s %s: that is an input; it is never written", flag, printable(path))
	}
	for _, stream := range []any{a.stdin, a.stdout, a.stderr} { // a redirected one
		if f, ok := stream.(*os.File); ok {
			x, _ := f.Stat()
			y, _ := os.Stat(path)
			if os.SameFile(x, y) {
				return fail("%s %s: two outputs, or an input, with one name", flag, printable(path))
			}
		}
	}
	return nil
}

// writeSubset writes the tools that match their pins, in the order of the manifest, as a
// list that a gateway can serve in place of the server's own.
func writeSubset(path string, p *pair, drifts []drift, substitutes []substitute) error {
	drifted := map[entryKey]bool{}
	for i := range drifts {
		drifted[drifts[i].entryKey] = true
	}
	pins := slices.DeleteFunc(slices.Clone(p.found.of(toolList)), func(f pin) bool { return drifted[f.entryKey] })
	slices.SortFunc(pins, func(x, y pin) int { return cmp.Or(x.line-y.line, x.column-y.column) })
	list := make([][]byte, len(pins))
	for i, found := range pins {
		if list[i] = found.received; p.found.policy.shapes() {
			list[i] = appendJSON(nil, fillPlaceholders(found.tree(), substitutes)) // nothing but what was pinned
		}
	}
	return writeFile(path, slices.Concat([]byte(`{"tools":[`), bytes.Join(list, []byte(",")), []byte("]}\n")))
}
