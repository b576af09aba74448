package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report/plain"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

func newLock(a *app) *cobra.Command {
	f, yes := &approveRequest{}, false
	cmd := &cobra.Command{
		Use:        "lock CAPTURE [LOCKFILE]",
		SuggestFor: []string{"init", "add"}, // what other tools call it
		Short:      "Approve: write the pins of a server that has none yet",
		Long: `Lock pins a saved answer of a server in LOCKFILE, which it creates, or adds a server
to: its tools and, where the capture has them, instructions, prompts and resource
templates. LOCKFILE is tools.lock here or, in a repository, in the nearest folder
above; ./tools.lock always is the one here. The server's label is the file's name, or
--server. What is pinned already is never approved again by accident: where it differs,
lock shows the drift and refuses. It also refuses what has a warning that no flag
accepts. On a terminal, what has a warning or fills more than the screen is asked about
step by step; --yes asks nothing, nor does --expect where nothing has a warning.
Exit codes: 0 pinned, 1 refused because of what the capture says, 2 no answer.`,
		Example: `  pinproof diff files.jsonl                     read it first, whole
  pinproof lock files.jsonl
  pinproof lock live.jsonl --server files       under a label that isn't the file's name
  pinproof lock captures/                       every server of a folder`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Approves = true
			if err := f.read(a, cmd, args); err != nil {
				return err
			}
			return a.lock(f, yes)
		},
	}
	f.request.register(cmd)
	f.register(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask nothing on a terminal")
	return cmd
}

func (a *app) lock(f *approveRequest, yes bool) error {
	req := &f.request
	w, err := f.load(a)
	if err != nil {
		return err
	}
	for _, p := range w.Comparisons {
		if p.PolicyDiffers() {
			return fail.In(text.Printable(w.LockPath), "server %s is pinned under another policy (%s): nothing was written", text.Name(p.Server), pin.PolicyWords(p.Locked.Policy)).
				Hint("to change the policy: %s", req.To("relock")).Refusal()
		}
	}
	for _, d := range w.Drifts {
		if d.Kind == pin.Duplicate {
			capture := pin.ComparisonOf(w.Comparisons, d.Server).Capture
			return fail.In(text.Printable(capture), "%s is listed %d times, and an agent may get any of them: nothing was written", d.EntryRef(), len(d.Copies)).
				Hint("the server has to be fixed: see them: %s", req.To("diff")).Refusal()
		}
	}
	style := a.style()
	fresh := w.Of(func(p *pin.Comparison) bool { return !p.Known })
	old := a.review(req, w.Of(func(p *pin.Comparison) bool { return p.Known }), false, 0)
	differs := old.NoAnswer // what the run ends with if all that is new was pinned
	if !old.Matches && (old.NoAnswer == nil || len(old.Drifts) > 0) {
		no := fail.New("%s pins these entries otherwise: their pins were kept", text.Printable(w.LockPath)).
			Hint("read the changes, then approve them: %s", req.To("relock"))
		p := &w.Comparisons[0]
		if another := shell.Label(p.FileLabel, p.Server); !w.Folder && req.Server == "" && another != "ID" {
			no.Hint("if it is another server: %s --server %s", req.To("lock"), another)
		}
		differs = graver(old.NoAnswer, no.Refusal())
	}
	if len(fresh.Comparisons) == 0 || !old.Matches {
		if err := plain.WriteVerify(a.out, old.Model, style, false); err != nil || len(fresh.Comparisons) == 0 {
			return cmp.Or(err, differs)
		}
	}
	silent := yes || a.terminal(req) == nil
	ap := &approver{app: a, req: f, w: fresh, r: a.review(req, fresh, silent, 0), style: style}
	sel := approval.Selection{All: true}
	if err := ap.applyWarningFlags(&sel); err != nil {
		return err
	}
	asks := !silent && (len(sel.Refused) > 0 || sel.Whole || len(f.expect) == 0 && ap.fillsScreen())
	d, err := ap.accept(&sel, asks)
	if err == nil {
		err = ap.write(&d, nil, asks)
	}
	if err != nil {
		return graver(old.NoAnswer, err)
	}
	return differs
}
