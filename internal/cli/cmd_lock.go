package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

func newLock(a *app) *cobra.Command {
	f := &approver{request: request{app: a}}
	cmd := &cobra.Command{
		Use:        "lock CAPTURE [LOCKFILE]",
		SuggestFor: []string{"init", "add"}, // names of this command in other tools
		Short:      "Approve: write the pins of a server that has none yet",
		Long: `Lock pins a saved answer of a server: its tools and, if the capture has them, its
instructions, prompts, skills and resource templates. It creates LOCKFILE, or adds the
server to it. LOCKFILE is tools.lock in this folder or, in a repository, in the nearest
folder above; ./tools.lock always means the one in this folder. The server ID is the
capture's file name without its ending, unless --server names another one. Lock never
changes a pin: if the capture differs from the pins, it shows the drift and refuses. It
also refuses an entry with a warning that no flag accepts. On a terminal it shows the
whole server and asks once, and once more for each entry with a warning. It doesn't ask
with --yes, nor with --expect if nothing has a warning.
Exit codes: 0 pinned, 1 refused because of what the capture says, 2 no answer.`,
		Example: `  pinproof diff files.jsonl                     read it first, whole
  pinproof lock files.jsonl
  pinproof lock live.jsonl --server files       a server ID other than the file's name
  pinproof lock captures/                       every server of a folder`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.PinsNewServers = true
			if err := f.readArguments(cmd, args); err != nil {
				return err
			}
			return f.lock()
		},
	}
	f.request.register(cmd)
	f.register(cmd)
	cmd.Flags().BoolVar(&f.said.NonInteractive, "yes", false, "don't ask, even on a terminal")
	return cmd
}

func (a *approver) lock() error {
	if err := a.load(); err != nil {
		return err
	}
	// Show the drift of servers that are already pinned, but never approve it.
	all := a.Workspace
	fresh := all.SelectLocked(false)
	var noAnswer, differs error // the errors that the run returns if all new servers were pinned
	if pinned := all.SelectLocked(true); len(pinned.Comparisons) > 0 {
		a.Workspace = pinned
		old := a.review()
		noAnswer = old.NoVerdict
		differs = a.pinnedOtherwise(&all.Comparisons[0], old)
		if len(fresh.Comparisons) == 0 || !old.Matches {
			if err := plain.WriteVerify(a.out, old.Model, a.style()); err != nil || len(fresh.Comparisons) == 0 {
				return cmp.Or(err, differs)
			}
		}
	}
	// Approve the new servers. Flags accept a server whole or not at all; at the prompt, a person accepts single
	// entries.
	a.findTerminal()
	a.Workspace = fresh
	if err := a.approve(); err != nil {
		return worse(noAnswer, err)
	}
	return differs
}

// pinnedOtherwise returns a refusal if servers are already pinned with different definitions, the error for servers
// that can't be judged, or nil.
func (a *approver) pinnedOtherwise(p *pin.Comparison, old *report.Report) error {
	if old.Matches || old.NoVerdict != nil && len(old.Drifts) == 0 {
		return old.NoVerdict
	}
	no := fail.New("%s pins other definitions of these entries: their pins were kept", text.Printable(a.LockPath)).
		Hint("read the changes, then approve them: %s", a.ForVerb("relock"))
	if another := shell.PasteableServerID(p.FileServer, p.Server); !a.HasFolder && a.Server == "" && another != shell.Placeholder("server ID") {
		no.Hint("if it is another server: %s --server %s", a.ForVerb("lock"), another)
	}
	return worse(old.NoVerdict, no.AsDrift())
}
