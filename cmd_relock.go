package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// relockFlags holds the flags of relock alone.
type relockFlags struct {
	approveFlags
	accept      []string
	acceptAll   bool
	acceptLabel []string
	drop        string
}

func newRelock(a *app) *cobra.Command {
	f := &relockFlags{}
	cmd := &cobra.Command{
		Use:   "relock MANIFEST [LOCKFILE]",
		Short: "Approve drift after reading it, all of it or tool by tool",
		Long: `Relock shows what differs from the pins, as diff does, and asks step by step
whether to accept it. Elsewhere than on a terminal, flags say what is accepted. All
that is not accepted keeps its pin. It writes once, at the end.
An entry with a new warning is refused unless --accept-warning names it; at
the prompt it takes the word yes. --tools-only drops the pins of all but tools.
Exit codes: 0 no drift is left, 1 some is, or the manifest is not the reviewed one,
2 no answer.`,
		Example: `  pinproof relock files.jsonl
  pinproof relock files.jsonl --accept read_file --accept prompt=review
  pinproof relock files.jsonl --accept 'browser_*'               a pattern, quoted
  pinproof relock files.jsonl --accept-label sdk-churn           what changed in no other way
  pinproof relock files.jsonl --accept-all --expect sha256:HEX   exactly what diff showed
  pinproof relock files.jsonl --accept-warning a                 in spite of its warning
  pinproof relock --drop-server github                           retire a server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("drop-server") {
				return a.dropServer(cmd, args, f)
			}
			sel, err := f.selection()
			if err != nil {
				return err
			}
			req, w, err := f.load(a, cmd, args)
			if err != nil {
				return err
			}
			if !w.folder && !w.pairs[0].known {
				return fail("%s has no server %s", printable(w.lockPath), quotedName(w.pairs[0].server)).
					hint("to approve a new server: %s", req.to("lock"))
			}
			return a.relock(req, w, f, sel)
		},
	}
	f.registerReview(cmd)
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.accept, "accept", nil, "accept the drift of `ENTRY`: NAME of a tool, prompt=NAME, instructions, each also with @sha256:HEX; sha256:HEX; or a quoted pattern with * and ? (repeatable)")
	flags.BoolVar(&f.acceptAll, "accept-all", false, "accept all drift but what has a new warning")
	flags.StringArrayVar(&f.acceptLabel, "accept-label", nil, "accept the entries that changed in nothing but this `LABEL`, as diff prints it (repeatable)")
	flags.StringVar(&f.drop, "drop-server", "", "retire the server `ID`: remove its pins; takes no manifest")
	return cmd
}

// selection reads the flags that say what is accepted, without the labels.
func (f *relockFlags) selection() (selection, error) {
	sel := selection{all: f.acceptAll}
	if f.acceptAll && len(f.accept)+len(f.acceptLabel) > 0 {
		return sel, fail("--accept-all takes no --accept and no --accept-label: all is more than some")
	}
	for _, id := range f.acceptLabel {
		if _, ok := labelNamed(id); !ok {
			return sel, noSuchLabel(id)
		}
	}
	names := f.accept
	if len(f.accept)+len(f.acceptLabel) == 0 && !f.acceptAll {
		names = f.acceptWarning // on its own, this flag accepts the entry, too
	}
	for _, arg := range names {
		one, err := parseAcceptance(arg)
		if err != nil {
			return sel, err
		}
		sel.accepts = append(sel.accepts, one)
	}
	return sel, nil
}

func (a *app) relock(req *request, w *workspace, f *relockFlags, sel selection) (err error) {
	r := w.report(req)
	ap := &approver{a, req, w, r, &f.approveFlags, a.style(f.full)}
	if err := ap.withhold(&sel); err != nil {
		return err
	}
	byFlags := len(sel.accepts)+len(f.acceptLabel) > 0 || sel.all
	policyChanged := slices.ContainsFunc(w.pairs, func(p pair) bool { return p.policyDiffers() })
	asks := !byFlags && (len(r.drifts) > 0 || policyChanged || len(r.unrecorded()) > 0 && a.canAsk(req))
	if r.matches && !asks && len(sel.recorded) == 0 {
		if _, _, err := selectDrifts(w.pairs, r.drifts, sel); err != nil {
			return err
		}
		return writeVerify(a.out, r, ap.style, false)
	}
	if policyChanged && byFlags && !sel.all {
		return fail("a changed policy needs --accept-all: every pin is made anew").
			hint("read it first: %s", req.to("diff"))
	}
	if err := ap.refuseUnpinned(); err != nil {
		return err
	}
	if asks {
		p, err := a.prompter(req, ap.style, r)
		if err != nil {
			return err
		}
		stop := sayInterrupted(a.stderr)
		chosen, err := p.review()
		if stop(); err != nil {
			return err
		}
		sel.chosen, sel.whole, sel.refused = chosen.drifts, false, nil // the prompt asked for a yes to each warning
		for _, f := range chosen.warnings {
			sel.record(f)
		}
	} else if len(f.acceptLabel) > 0 {
		sel.chosen = r.labelled(f.acceptLabel)
	}
	d, err := ap.decide(sel)
	if err != nil {
		return err
	}
	left := len(d.accepted) < len(r.drifts)
	if r.allOrNothing() && left {
		return fail("a changed policy takes effect only when all drift is accepted: nothing was written").hint("read it: %s", req.to("diff")).refusal()
	}
	err = ap.approve(&d, func(whole []string) {
		if len(d.refused) > 0 {
			newText(a.out, ap.style).findings(r, "", "", r.refusedWarnings(d.refused))
		}
		writeRelocked(a.out, r, relocked{d.accepted, d.recorded, f.idleTexts(d.idle, sel), whole, asks}, ap.style)
	})
	switch {
	case err != nil:
		return err
	case len(d.refused) > 0:
		return fail("%s: not accepted", r.warnedText(d.refused)).hint("read it: %s", req.to("diff")).hint("%s", warnedHint(d.refused)).refusal()
	case left:
		newText(a.out, ap.style).hint(r.reviewStep())
		return errDrift
	case !f.acceptAll && slices.ContainsFunc(r.pairs, func(p pair) bool { return p.hasNoEntries() }):
		for _, s := range r.nextSteps() {
			newText(a.out, ap.style).hint(s)
		}
		return errDrift
	}
	return nil
}

// idleTexts says which flags had nothing to accept.
func (f *relockFlags) idleTexts(idle []acceptance, sel selection) []string {
	var texts []string
	for _, a := range idle {
		texts = append(texts, quotedName(a.arg)+" has not drifted: nothing to accept")
	}
	if len(f.acceptLabel) > 0 && len(sel.chosen) == 0 {
		texts = append(texts, "no entry has only changes of "+strings.Join(f.acceptLabel, ", ")+" and no new warning")
	}
	return texts
}

// answersFrom is the stream that chosen are read from.
func (a *app) answersFrom(req *request) io.Reader {
	if req.manifest == "-" {
		return openTerminal()
	}
	return a.stdin
}

// canAsk reports whether there is a terminal to ask on.
func (a *app) canAsk(req *request) bool {
	return isTerminal(a.answersFrom(req)) && isTerminal(a.stderr)
}

// prompter finds the terminal to ask on.
func (a *app) prompter(req *request, style textStyle, r *report) (*prompter, error) {
	in := a.answersFrom(req)
	if !isTerminal(in) || !isTerminal(a.stderr) {
		f, how := fail("no terminal to ask on, and no flag says what to accept").hint("read the changes: %s", req.to("diff")), "then"
		if !r.allOrNothing() {
			f.hint("then accept some of it: %s", req.to("relock", "--accept NAME"))
			how = "or"
		}
		if s := r.restStep(); s.Command != "" {
			f.hint("%s %s: %s", how, s.Text, s.Command)
		}
		return nil, f
	}
	var shown io.Writer = a.out
	if !isTerminal(a.stdout) {
		shown = a.stderr // what is asked about must be seen where it is asked
	}
	return newPrompter(in, a.stderr, newText(shown, style), r), nil
}

// dropServer retires a server: its pins leave the lockfile.
func (a *app) dropServer(cmd *cobra.Command, args []string, f *relockFlags) error {
	server := f.drop
	given := cmd.Flags().NFlag()
	if cmd.Flags().Changed("color") {
		given--
	}
	if len(args) > 1 || given > 1 {
		return fail("--drop-server goes alone: pinproof relock --drop-server ID [LOCKFILE]")
	}
	req, err := f.request(a, cmd, append([]string{"-"}, args...)) // no manifest
	if err != nil {
		return err
	}
	l, text, err := readLockfile(req.lockPath)
	set := l.find(server)
	switch {
	case err != nil:
		return err
	case text == nil:
		return failIn(printable(req.lockPath), "no such lockfile")
	case set == nil:
		return fail("%s has no server %s", printable(req.lockPath), quotedName(server))
	}
	return a.write(&workspace{lock: l, lockPath: req.lockPath}, req, nil, []string{server}, func() {
		fmt.Fprintf(a.out, "DROPPED server %s, %s -> %s\n", quotedName(server), plural(len(set.pins), "pin"), printable(req.lockPath))
	})
}

func noSuchLabel(id string) error {
	f := fail("--accept-label %s: no such label", quotedName(id))
	if near := nearest(id, labelIDs()); near != "" {
		return f.hint("did you mean: --accept-label %s", near)
	}
	for ids := range slices.Chunk(labelIDs(), 6) {
		f.hint("the labels: %s", strings.Join(ids, ", "))
	}
	return f
}
