package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

func newRelock(a *app) *cobra.Command {
	f, accepts, all, drop := &approveRequest{}, []string{}, false, ""
	cmd := &cobra.Command{
		Use:   "relock CAPTURE [LOCKFILE]",
		Short: "Approve drift after reading it, all of it or tool by tool",
		Long: `Relock shows what differs from the pins, as diff does, and asks step by step whether
to accept it. Elsewhere than on a terminal, flags say what is accepted. All that is
not accepted keeps its pin, and so does a server that the folder has no capture of. It
writes once, at the end. An entry with a new warning is refused unless --accept-warning
names it or, at the prompt, the whole word yes is typed. --tools-only drops the pins of
all but tools, --part none of what the capture lacks.
Exit codes: 0 no drift is left, 1 some is, or the capture is not the reviewed one,
2 no answer.`,
		Example: `  pinproof relock files.jsonl
  pinproof relock files.jsonl --accept read_file --accept prompt=review
  pinproof relock files.jsonl --accept 'browser_*'               a pattern, quoted: of what is pinned
  pinproof relock files.jsonl --accept added                     what is new
  pinproof relock files.jsonl --only wording                     asks about those only
  pinproof relock files.jsonl --accept sdk-churn                 what only an SDK changed
  pinproof relock files.jsonl --accept-all --expect sha256:HEX   exactly what diff showed
  pinproof relock files.jsonl --accept-warning a                 in spite of its warning
  pinproof relock --drop-server github                           retire a server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("drop-server") {
				return a.dropServer(cmd, args, &f.request, drop)
			}
			f.NeedsPins = true
			if err := f.read(a, cmd, args); err != nil {
				return err
			}
			sel, err := f.selection(accepts, all)
			if err != nil {
				return err
			}
			w, err := f.load(a)
			if err == nil {
				err = cmp.Or(approval.CheckSelectors("--only", f.only, w.Comparisons), approval.CheckSelectors("--accept", sel.Labels, w.Comparisons))
			}
			if err != nil {
				return err
			}
			if !w.Folder && !w.Comparisons[0].Known {
				return fail.New("%s has no server %s", text.Printable(w.LockPath), text.Name(w.Comparisons[0].Server)).
					Hint("to approve a new server: %s", f.To("lock"))
			}
			r := a.review(&f.request, w, false)
			return graver(r.NoAnswer, a.relock(&approver{a, f, w, r, a.style(f.full)}, sel))
		},
	}
	f.registerReview(cmd)
	f.registerOnly(cmd)
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&accepts, "accept", nil, "accept the drift of `SELECTOR`: NAME of a tool, prompt=NAME, instructions, each also with @sha256:HEX; sha256:HEX; a quoted pattern with * and ?, which accepts no added entry; added, changed, removed, hidden; a label (repeatable)")
	flags.BoolVar(&all, "accept-all", false, "accept all drift but what has a new warning")
	flags.StringVar(&drop, "drop-server", "", "retire the server `ID`: remove its pins; takes no capture")
	return cmd
}

// selection reads the flags that say what is accepted.
func (f *approveRequest) selection(accepts []string, all bool) (approval.Selection, error) {
	sel := approval.Selection{All: all, Part: len(f.only) > 0}
	if sel.Part && len(accepts) > 0 {
		return sel, fail.New("--only goes with --accept-all or with the prompt: --accept already says what is accepted")
	}
	if all && len(accepts) > 0 {
		return sel, fail.New("--accept-all and --accept don't go together")
	}
	for _, s := range f.only {
		if all && s.Word == "" { // --accept keeps a name or a pattern to one server, and a pattern to what is pinned
			return sel, fail.New("--only %s --accept-all: an entry is accepted by its name or a pattern: --accept", text.Name(s.Arg))
		}
	}
	flag := "--accept"
	if len(accepts) == 0 && !all {
		flag, accepts = "--accept-warning", f.acceptWarning // on its own, this flag accepts the entry, too
	}
	selectors, err := selectorsOf(flag, accepts)
	for _, s := range selectors {
		switch {
		case s.Word == approval.Warnings:
			return sel, fail.New("--accept warnings: a warning is accepted separately").Hint("read it, then name the entry: --accept-warning NAME")
		case slices.Contains(report.NoteIDs, s.Word) && s.Word != report.SelectMinor:
			return sel, fail.New("%s %s: a word that --only takes", flag, s.Arg).Hint("for a tool of that name: %s tool=NAME", flag)
		case s.Word != "" && approval.KindOf(s.Word) == "":
			sel.Labels = append(sel.Labels, s)
		default:
			sel.Accepts = append(sel.Accepts, s)
		}
	}
	return sel, err
}

// relock approves what the flags or the answers accept. Servers without a capture keep
// their pins, and are left to the caller.
func (a *app) relock(ap *approver, sel approval.Selection) error {
	if err := ap.applyWarningFlags(&sel); err != nil {
		return err
	}
	r, read := ap.r, ap.req.To("diff")
	byFlags := len(sel.Accepts)+len(sel.Labels) > 0 || sel.All
	policyChanged := r.AllOrNothing()
	asks := !byFlags && (len(r.Drifts) > 0 || policyChanged || len(r.Unrecorded) > 0 && a.terminal(&ap.req.request) != nil)
	settled := r.Matches || r.NoAnswer != nil && !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return r.Differs[p.Server] && !p.Missing })
	if settled && !asks && len(sel.Recorded) == 0 {
		if _, err := approval.Decide(r.Comparisons, r.Drifts, sel); err != nil {
			return err
		}
		return plain.WriteVerify(a.out, r.Model, ap.style, false)
	}
	if policyChanged && byFlags && !sel.All {
		return fail.New("a changed policy needs --accept-all: every pin is made anew").Hint("read it first: %s", read)
	}
	d, err := ap.accept(&sel, asks)
	if err != nil {
		return err
	}
	left := len(d.Accepted) < len(r.Drifts)+r.LeftOut
	if policyChanged && left {
		return fail.New("a changed policy takes effect only when all drift is accepted: nothing was written").Hint("read it: %s", read).Refusal()
	}
	refused := r.Refused(d.Refused)
	err = ap.approve(&d, func(whole []string) {
		if len(d.Refused) > 0 {
			plain.New(a.out, ap.style).Findings("", "", refused)
		}
		plain.WriteRelocked(a.out, r.Model, r.Closing(report.Relocked{Accepted: d.Accepted, Recorded: d.Recorded, Idle: idleTexts(d.Idle, sel), Whole: whole, Shown: asks}), ap.style)
	})
	switch {
	case err != nil:
		return err
	case len(d.Refused) > 0:
		return refusal(refused, "not accepted", "read it: "+read).Refusal()
	case left:
		plain.New(a.out, ap.style).Hint(r.Model.Review)
		return fail.ErrDrift
	case !d.All && slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.HasNoEntries() }):
		plain.New(a.out, ap.style).Hint(r.NextSteps()...)
		return fail.ErrDrift
	}
	return nil
}

// idleTexts says which flags had nothing to accept.
func idleTexts(idle []approval.Selector, sel approval.Selection) []string {
	var texts []string
	for _, a := range idle {
		texts = append(texts, text.Name(a.Arg)+" has not drifted: nothing to accept")
	}
	if len(sel.Labels) > 0 && len(sel.Chosen) == 0 {
		texts = append(texts, "nothing to accept: every changed entry has other changes than "+strings.Join(sel.LabelIDs(), ", ")+", or a new warning")
	}
	return texts
}

// dropServer retires a server: its pins leave the lockfile.
func (a *app) dropServer(cmd *cobra.Command, args []string, req *request, server string) error {
	given := cmd.Flags().NFlag()
	if cmd.Flags().Changed("color") {
		given--
	}
	if len(args) > 1 || given > 1 {
		return fail.New("--drop-server takes no capture and no other flag: pinproof relock --drop-server ID [LOCKFILE]")
	}
	if err := req.read(a, cmd, append([]string{"-"}, args...)); err != nil { // no capture
		return err
	}
	l, s, err := workspace.ReadLockfile(a.gate, req.LockPath)
	set := l.Find(server)
	switch {
	case err != nil:
		return err
	case s == nil:
		return fail.In(text.Printable(req.LockPath), "no such lockfile")
	case set == nil:
		return fail.New("%s has no server %s", text.Printable(req.LockPath), text.Name(server))
	}
	return a.write(&workspace.Workspace{Gate: a.gate, Lock: l, LockPath: req.LockPath}, req, nil, []string{server}, func() {
		fmt.Fprintf(a.out, "DROPPED server %s, %s -> %s\n", text.Name(server), text.Count(len(set.Pins), "pin"), text.Printable(req.LockPath))
	})
}
