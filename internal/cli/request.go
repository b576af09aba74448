package cli

import (
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/approval"
	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/workspace"
)

// A request is a run of a command: its arguments and flags, and what it works on.
type request struct {
	*app
	workspace.Workspace
	full bool // --full: show everything, including minor changes

	// The part of the drift that is shown or accepted; empty: all of it.
	only []approval.Selector
}

func (req *request) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&req.Server, "server", "", "the server `ID` that the capture belongs to")
	cmd.Flags().StringArray("substitute", nil, "replace this value with <NAME> in every text: `NAME=VALUE` (repeatable)")
}

// registerReview registers the flags that verify, diff and relock share.
func (req *request) registerReview(cmd *cobra.Command) {
	req.register(cmd)
	cmd.Flags().BoolVar(&req.full, "full", false, "show everything, including minor changes")
	cmd.Flags().BoolVar(&req.IsPartial, "part", false, "the capture is part of a session: entries it lacks keep their pins and aren't drift")
}

// registerOnly registers the flag that narrows a review.
func (req *request) registerOnly(cmd *cobra.Command) {
	cmd.Flags().StringArray("only", nil, "review only this `SELECTOR`: an entry as for relock --accept, a kind (added, changed, removed, hidden), a label, minor, or a risk: warnings, takes-code, destructive, writes, open-world, no-hints, new-address (repeatable)")
}

// readArguments reads the arguments and checks the flags that every command has.
func (req *request) readArguments(cmd *cobra.Command, args []string) (err error) {
	req.Gate, req.Stdin = req.gate, req.stdin
	req.Verb, req.Flags = cmd.Name(), carriedBy(cmd)
	if self, err := os.Executable(); err == nil {
		req.Program = shell.ProgramCommand(self)
	}
	switch len(args) {
	case 0:
		return fail.New("no capture: which saved tools/list?").Hint("pinproof %s --help", cmd.Name())
	case 1:
		req.Capture, req.LockPath = args[0], workspace.NearestLockfile(".")
	case 2:
		req.Capture = args[0]
		req.LockPath = args[1]
		req.Lockfile = args[1]
	default:
		return fail.New("too many arguments: one capture and one lockfile").
			Hint("several captures? put them in one folder: pinproof %s FOLDER", cmd.Name())
	}
	if req.IsPartial && workspace.IsFolder(req.Capture) {
		return fail.New("--part takes one capture, not a folder")
	}
	if req.Capture == "" || req.LockPath == "" {
		return fail.New("an empty path").Hint("pinproof %s --help", cmd.Name())
	}
	if req.LockPath == "-" {
		return fail.New("the lockfile can't be standard input")
	}
	if cmd.Flags().Changed("server") && req.Server == "" || !utf8.ValidString(req.Server) || len(req.Server) > pin.MaxServerIDBytes {
		return fail.New("--server needs a name of at most %d bytes in UTF-8", pin.MaxServerIDBytes)
	}
	if cmd.Flags().Changed("only") {
		if req.only, err = selectorsOf(cmd, "only"); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("substitute") {
		if req.Substitutes, err = pin.ParseSubstitutions(listed(valuesOf(cmd, "substitute"))); err != nil {
			return fail.New("--substitute %s", err)
		}
	}
	return nil
}

// selectorsOf reads the values of a flag that selects drift.
func selectorsOf(cmd *cobra.Command, flag string) (list []approval.Selector, err error) {
	for _, arg := range valuesOf(cmd, flag) {
		s, err := approval.ParseSelector("--"+flag, arg, facts.AllSelectorWords())
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// valuesOf returns the values of a repeatable flag of the command.
func valuesOf(cmd *cobra.Command, flag string) []string {
	return cmd.Flags().Lookup(flag).Value.(pflag.SliceValue).GetSlice()
}

// listed returns the values of a repeatable flag. For a single empty value, it returns an empty list, which clears the
// values recorded in the lockfile.
func listed(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return nil
	}
	return values
}

// notCarried lists the flags that suggested commands don't repeat, because they are about the output or about
// what is accepted. All other flags affect what is compared or pinned.
const notCarried = "accept accept-all accept-warning accept-warnings allow capture-as deny drop-server expect format full help-all hook json " +
	"leave-out only quiet report server review stat terse uncaptured warn yes"

// carriedBy returns the flags to repeat in suggested commands, by the name of the suggested command.
func carriedBy(cmd *cobra.Command) map[string][]string {
	words := map[string][]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(strings.Fields(notCarried), f.Name) {
			return
		}
		for _, v := range values {
			word := "--" + f.Name
			if f.Value.Type() != "bool" {
				word += " " + shell.Quote(v)
			} else if v != "true" {
				word += "=" + v
			}
			for _, next := range newRoot(&app{}).Commands() { // an app without a verb constructs all commands
				if next.Flags().Lookup(f.Name) != nil {
					words[next.Name()] = append(words[next.Name()], word)
				}
			}
		}
	})
	return words
}
