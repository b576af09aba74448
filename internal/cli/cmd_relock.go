package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

func newRelock(a *app) *cobra.Command {
	f, accepts, all, drop := &approveRequest{}, []string{}, false, ""
	cmd := &cobra.Command{
		Use:        "relock CAPTURE [LOCKFILE]",
		SuggestFor: []string{"update"}, // what other tools call it
		Short:      "Approve drift after reading it, all of it or tool by tool",
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
			room := 0
			if sel.All && len(f.only) == 0 || len(sel.Accepts) > 0 && len(sel.Labels) == 0 {
				room = facts.GateRoom // flags say what is accepted, whatever it is: nobody reads it here
			}
			r, style := a.review(&f.request, w, false, room), a.style()
			style.Full = f.full
			return graver(r.NoAnswer, (&approver{app: a, req: f, w: w, r: r, style: style}).relock(sel))
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
	if len(accepts) > 0 && (all || sel.Part) {
		return sel, fail.New("--accept already says what is accepted: it doesn't go with --accept-all or --only")
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
		case slices.Contains(facts.NoteIDs, s.Word) && s.Word != facts.SelectMinor:
			return sel, fail.New("%s %s: only --only takes that word", flag, s.Arg).Hint("for a tool of that name: %s tool=NAME", flag)
		case s.Word != "" && !slices.Contains(approval.Kinds, s.Word):
			sel.Labels = append(sel.Labels, s)
		default:
			sel.Accepts = append(sel.Accepts, s)
		}
	}
	return sel, err
}

// relock approves what the flags or the answers accept. Servers without a capture keep
// their pins, and are left to the caller.
func (a *approver) relock(sel approval.Selection) error {
	if err := a.applyWarningFlags(&sel); err != nil {
		return err
	}
	r := a.r
	byFlags := len(sel.Accepts)+len(sel.Labels) > 0 || sel.All
	policyChanged := r.AllOrNothing()
	asks := !byFlags && (len(r.Drifts) > 0 || policyChanged || len(r.Unrecorded) > 0 && a.terminal(&a.req.request) != nil)
	a.renew = a.renewals(&sel)
	settled := r.Matches || r.NoAnswer != nil && !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return r.Differs[p.Server] && !p.Missing })
	if settled && !asks && len(sel.Recorded) == 0 && len(a.renew) == 0 {
		if _, err := approval.Decide(r.Comparisons, r.Drifts, sel); err != nil {
			return err
		}
		return plain.WriteVerify(a.out, r.Model, a.style, false)
	}
	if policyChanged && byFlags && !sel.All {
		return fail.New("a changed policy needs --accept-all: every pin is made anew").Hint("read it first: %s", a.req.To("diff"))
	}
	d, err := a.accept(&sel, asks)
	if err != nil {
		return err
	}
	if policyChanged && len(d.Accepted) < len(r.Drifts)+r.LeftOut {
		return fail.New("a changed policy takes effect only when all drift is accepted: nothing was written").Hint("read it: %s", a.req.To("diff")).Refusal()
	}
	idle := d.Idle
	if len(sel.Chosen) == 0 {
		idle = append(idle, sel.Labels...)
	}
	return a.write(&d, idle, asks)
}

// dropServer retires a server: its pins leave the lockfile.
func (a *app) dropServer(cmd *cobra.Command, args []string, req *request, server string) error {
	if len(args) > 1 || cmd.Flags().NFlag() > 1 {
		return fail.New("--drop-server takes no capture and no other flag: pinproof relock --drop-server ID [LOCKFILE]")
	}
	if err := req.read(a, cmd, append([]string{"-"}, args...)); err != nil { // no capture
		return err
	}
	l, data, err := workspace.ReadLockfile(a.gate, req.LockPath)
	set := l.Find(server)
	switch {
	case err != nil:
		return err
	case data == nil:
		return fail.New("%s: no such lockfile", text.Printable(req.LockPath))
	case set == nil:
		return fail.New("%s has no server %s", text.Printable(req.LockPath), text.Name(server))
	}
	w := &workspace.Workspace{Gate: a.gate, Lock: l, LockPath: req.LockPath}
	return a.replace(w, req, map[string]*pin.Set{server: nil}, func() {
		fmt.Fprintf(a.out, "DROPPED server %s, %s -> %s\n", text.Name(server), text.Count(len(set.Pins), "pin"), text.Printable(req.LockPath))
	})
}
