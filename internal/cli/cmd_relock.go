package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

func newRelock(a *app) *cobra.Command {
	f := &approver{request: request{app: a}}
	drop := ""
	cmd := &cobra.Command{
		Use:        "relock CAPTURE [LOCKFILE]",
		SuggestFor: []string{"update"}, // names of this command in other tools
		Short:      "Approve drift after reading it, all of it or tool by tool",
		Long: `Relock shows what differs from the pins, as diff does, and asks step by step whether
to accept it. Without a terminal, flags decide. Whatever isn't accepted keeps its pin,
and so does a server without a capture in the folder. Relock writes once, at the end.
It refuses an entry with a new warning unless --accept-warning names it or you type the
whole word yes at the prompt. --deny pins an entry but keeps it from agents; --accept
NAME undoes that. --tools-only drops all pins but those of tools. With --part, entries
that the capture lacks keep their pins.
Exit codes: 0 no drift is left, 1 some drift is left or the capture isn't the reviewed
one, 2 no answer.`,
		Example: `  pinproof relock files.jsonl
  pinproof relock files.jsonl --accept read_file --accept prompt=review
  pinproof relock files.jsonl --accept added                     everything that is new
  pinproof relock files.jsonl --only wording                     ask only about these
  pinproof relock files.jsonl --accept other-form                 what only has another form
  pinproof relock files.jsonl --accept-all --expect sha256:HEX   exactly what diff showed
  pinproof relock files.jsonl --accept-warning a                 despite its warning
  pinproof relock files.jsonl --accept-all --deny run            everything, but keep run from agents
  pinproof relock --drop-server github                           retire a server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("drop-server") {
				return f.dropServer(cmd, args, drop)
			}
			f.NeedsPins = true
			f.AcceptsForbiddenPins = true
			if err := f.readArguments(cmd, args); err != nil {
				return err
			}
			if err := f.readSelection(cmd); err != nil {
				return err
			}
			return f.relock()
		},
	}
	f.registerReview(cmd)
	f.registerOnly(cmd)
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringArray("accept", nil, "accept the drift of `SELECTOR`: a tool's NAME, prompt=NAME or instructions, each with or without @sha256:HEX; sha256:HEX; added, changed, removed or hidden; a label (repeatable)")
	flags.BoolVar(&f.said.AcceptAll, "accept-all", false, "accept all drift except entries with a new warning")
	flags.StringVar(&drop, "drop-server", "", "retire the server `ID`: remove its pins; takes no capture")
	return cmd
}

func (a *approver) relock() error {
	a.findTerminal()
	if a.said.NonInteractive && a.said.NeedsPrompt() {
		// The error has no text of the server and no flag that accepts anything, because the caller may be a model.
		return fail.New("run this at a terminal: it shows each change there, and asks about it").Hint("type it there: %s", a.ForVerb(a.Verb))
	}
	if err := a.load(); err != nil {
		return err
	}
	if a.ForbiddenError != nil && len(a.Drifts) == 0 && !slices.ContainsFunc(a.Comparisons, func(p pin.Comparison) bool { return p.PolicyDiffers() }) {
		return a.ForbiddenError // without drift or a new policy, relock can't fix it
	}
	err := a.approve()
	return worse(a.r.NoVerdict, err)
}

// readSelection reads the flags that select what is accepted.
func (a *approver) readSelection(cmd *cobra.Command) (err error) {
	said := &a.said
	if said.Accept, err = selectorsOf(cmd, "accept"); err != nil {
		return err
	}
	if len(said.Accept) > 0 && said.AcceptAll {
		return fail.New("--accept already says what is accepted: it can't be combined with --accept-all")
	}
	if len(said.Only) > 0 && !said.NeedsPrompt() {
		return fail.New("--only narrows the questions: it can't be combined with a flag that accepts or denies").
			Hint("leave out --only, or the other flags")
	}
	if said.NeedsPrompt() {
		// Without another flag that accepts or denies, --accept-warning accepts the drift, too.
		said.Accept = said.WarningSelectors
		said.KeepsDenied = true
	}
	for _, s := range said.Accept {
		if slices.Contains(facts.NonLabelSelectors, s.Word) && s.Word != pin.MinorSelector {
			return fail.New("%s %s: only --only takes that word", s.Flag, s.Arg).Hint("for a tool of that name: tool=NAME")
		}
	}
	return nil
}

// dropServer removes a server and its pins from the lockfile.
func (a *approver) dropServer(cmd *cobra.Command, args []string, server string) error {
	if len(args) > 1 || cmd.Flags().NFlag() > 1 {
		return fail.New("--drop-server takes no capture and no other flag: pinproof relock --drop-server ID [LOCKFILE]")
	}
	if err := a.request.readArguments(cmd, append([]string{"-"}, args...)); err != nil { // no capture
		return err
	}
	locked, data, err := workspace.ReadLockfile(a.Gate, a.LockPath, nil)
	if err != nil {
		return err
	}
	if data == nil {
		return fail.NewAt(a.LockPath, "no such lockfile").Hint("say which: pinproof relock --drop-server ID LOCKFILE")
	}
	a.Lock = locked
	set := a.Lock.Find(server)
	if set == nil {
		return fail.New("%s has no server %s", text.Printable(a.LockPath), text.QuoteName(server))
	}
	var denied []string
	for _, p := range set.Pins {
		if p.Denied {
			denied = append(denied, p.EntryRef())
		}
	}
	return a.Write(a.lockPatience, map[string]*pin.Set{server: nil}, nil, func() error {
		fmt.Fprintf(a.out, "DROPPED server %s, %s -> %s\n", text.QuoteName(server), text.FormatCount(len(set.Pins), "pin"), text.Printable(a.LockPath))
		if denied != nil {
			fmt.Fprintf(a.out, "NO LONGER DENIED: %s\n", text.JoinNames(denied, maxNamed))
		}
		return a.flush()
	})
}
