package cli

import (
	"os"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// A request is what the positionals and the shared flags of a command ask for.
type request struct {
	workspace.Request
	only []approval.Selector // the part of the drift that is shown or accepted; none: all of it
}

// sharedFlags holds the values of the flags that every command takes.
type sharedFlags struct {
	server     string
	substitute []string
	full       bool
	part       bool
	only       []string
}

func (f *sharedFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.server, "server", "", "the server `ID` that the capture belongs to")
	cmd.Flags().StringArrayVar(&f.substitute, "substitute", nil, "have <NAME> stand for this value in every text: `NAME=VALUE` (repeatable)")
}

// registerReview registers the flags of the commands that show changes whole.
func (f *sharedFlags) registerReview(cmd *cobra.Command) {
	f.register(cmd)
	cmd.Flags().BoolVar(&f.full, "full", false, "show all of it, also what a line sums up")
	cmd.Flags().BoolVar(&f.part, "part", false, "the capture is part of a session: what isn't there keeps its pin and is no drift")
}

// registerOnly registers the flag that narrows a review.
func (f *sharedFlags) registerOnly(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.only, "only", nil, "only this `SELECTOR`: an entry as for relock --accept, added, changed, removed, hidden, a label, order, new-address, takes-code, warnings (repeatable)")
}

// request reads the positionals and checks the flags that every command has.
func (f *sharedFlags) request(a *app, cmd *cobra.Command, args []string) (*request, error) {
	req := &request{}
	req.Verb, req.Server, req.Flags = cmd.Name(), f.server, carriedBy(cmd.Flags())
	if self, err := os.Executable(); err == nil {
		req.Program = shell.ProgramAt(self)
	}
	switch len(args) {
	case 0:
		return nil, fail.New("no capture: which saved tools/list?").Hint("pinproof %s --help", cmd.Name())
	case 1:
		req.Capture, req.LockPath = args[0], workspace.NearestLockfile(".")
	case 2:
		req.Capture, req.LockPath, req.Lockfile = args[0], args[1], args[1]
	default:
		return nil, fail.New("too many arguments: one capture and one lockfile").
			Hint("several captures? put them in one folder: pinproof %s FOLDER", cmd.Name())
	}
	req.Part = f.part
	switch {
	case f.part && workspace.IsFolder(req.Capture):
		return nil, fail.New("--part goes with one capture, not with a folder")
	case req.Capture == "" || req.LockPath == "":
		return nil, fail.New("an empty path").Hint("pinproof %s --help", cmd.Name())
	case req.LockPath == "-":
		return nil, fail.New("the lockfile can't be standard input")
	case !slices.Contains([]string{"auto", "always", "never"}, a.color):
		return nil, fail.New("--color %s: one of auto, always, never", text.Name(a.color))
	case cmd.Flags().Changed("server") && f.server == "":
		return nil, fail.New("--server needs a name")
	case !utf8.ValidString(f.server):
		return nil, fail.New("--server %s: not UTF-8", text.Name(f.server))
	case len(f.server) > jsontree.MaxLabelBytes:
		return nil, fail.New("--server: a name of more than %d bytes", jsontree.MaxLabelBytes)
	}
	for _, arg := range f.only {
		s, err := approval.ParseSelector("--only", arg, report.OnlyWords())
		if err != nil {
			return nil, err
		}
		req.only = append(req.only, s)
	}
	var err error
	if req.Substitutes, err = pin.ParseSubstitutes(listed(f.substitute)); err != nil {
		return nil, fail.New("--substitute %s", err)
	}
	return req, nil
}

// listed returns the values of a repeatable flag. A single empty value means none, which
// takes back the recorded ones.
func listed(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return nil
	}
	return values
}

// carried has the flags that shape what is compared or pinned, with the commands that
// take them. Flags about how a run answers, or what it accepts, are not carried over.
var carried = []struct{ flags, verbs []string }{
	{[]string{"substitute"}, []string{"lock", "verify", "diff", "relock"}},
	{[]string{"fail-on", "ignore-prose"}, []string{"diff"}},
	{[]string{"part"}, []string{"verify", "diff", "relock"}},
	{[]string{"allow-empty", "approved-by", "descriptions", "empty-cursor-ends", "hash-only", "ignore", "require-clean", "resources", "round-integers", "tools-only"},
		[]string{"lock", "relock"}},
}

// carriedBy returns the words to carry over into the next command to type: for each
// command, those of the flags that were set and that it takes.
func carriedBy(set *pflag.FlagSet) map[string][]string {
	words := map[string][]string{}
	set.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, to := range carried {
			if !slices.Contains(to.flags, f.Name) {
				continue
			}
			for _, v := range values {
				word := "--" + f.Name
				switch {
				case f.Value.Type() != "bool":
					word += " " + shell.Quote(v)
				case v != "true":
					word += "=" + v
				}
				for _, verb := range to.verbs {
					words[verb] = append(words[verb], word)
				}
			}
		}
	})
	return words
}
