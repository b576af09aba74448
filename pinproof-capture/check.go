package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/client"
	"pinproof/pinproof-capture/internal/guard"
	"pinproof/pinproof-capture/internal/mcp"
)

// A check is one run of the check command.
type check struct {
	*app
	*client.Config

	// The command line contains server IDs, so only those servers are judged.
	named bool

	// The IDs of the selected servers that the configuration disables.
	off []string

	lockfile string   // "" for the nearest one
	passed   []string // flags to pass on to pinproof
	review   bool

	// A program will read the output, because of --format or --report.
	isForPrograms bool

	dir string // the folder of the captures
}

func newCheck(a *app) *cobra.Command {
	var file string
	k := check{app: a}
	c := &cobra.Command{
		Use:   "check [ID]...",
		Short: "Capture a client's servers and let pinproof judge them: exit 0, 1 or 2",
		Long: `check asks every server of a client's configuration, or those with the IDs given, what it
lists now, and prints what "pinproof verify" says about it. The configuration is the one in
this folder or, in a repository, in the nearest folder above: .mcp.json, .cursor/mcp.json,
.vscode/mcp.json, .gemini/settings.json or .codex/config.toml. check says what it starts.

The exit code is pinproof's (0 match, 1 drift, 2 no answer), or 2 if a server can't be
captured. With --review, "pinproof relock" asks about what differs. If there is drift, the
captures stay in the user's cache for a day, for the commands that check suggests.`,
	}
	set := c.Flags()
	set.StringVar(&file, "config", "", "the configuration `FILE`, instead of looking for one")
	set.BoolVar(&k.review, "review", false, "review what differs on the terminal and approve it, with pinproof relock")
	set.StringVar(&k.lockfile, "lock", "", "use the lockfile `FILE` instead of looking for one")
	for _, flag := range [][2]string{
		{"format", "print this `FORMAT`, as pinproof verify has it"},
		{"report", "also write the answer to a file: `FORMAT=FILE` (repeatable)"},
		{"allow", "don't fail for this `KIND`: added, removed or missing (repeatable)"},
		{"substitute", "the value of a name in the pins: `NAME=VALUE` (repeatable)"},
	} {
		set.Func(flag[0], flag[1], func(value string) error {
			k.passed = append(k.passed, "--"+flag[0]+"="+value)
			return nil
		})
	}
	o := asking(c, patience)
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if c.ArgsLenAtDash() >= 0 {
			return usage(c, "it takes server IDs of a configuration, not a command")
		}
		k.isForPrograms = set.Changed("format") || set.Changed("report")
		if k.review && (k.isForPrograms || set.Changed("allow")) {
			return usage(c, "--review asks on the terminal: it can't be combined with --format, --report or --allow")
		}
		if file == "" {
			if file, err = client.FindConfig("."); err != nil {
				return err
			}
		}
		if k.Config, err = client.ReadConfig(file, args); err != nil {
			return err
		}
		k.named = len(args) > 0
		return k.run(c.Context(), *o)
	}
	return c
}

// run prints the command line or URL of each server, captures the servers, and lets pinproof judge the captures. It
// sets code to pinproof's exit code. It returns an error if a capture failed or pinproof didn't run.
func (k *check) run(ctx context.Context, o mcp.CaptureOptions) (err error) {
	if _, err := guard.FindPinproof(); err != nil {
		return err
	}
	if k.dir, err = os.MkdirTemp(guard.MakeCacheFolder("checks", keptFor), "check-"); err != nil {
		return err
	}
	isEmpty := true
	defer func() {
		if isEmpty || err == nil && k.code == 0 {
			os.RemoveAll(k.dir)
		}
	}()
	fmt.Fprintf(k.stderr, "%s: %s\n", text.Printable(k.File), text.FormatCount(len(k.SelectedIDs), "server"))
	for _, id := range k.SelectedIDs {
		fmt.Fprintf(k.stderr, "  %s: %s\n", text.Printable(id), k.LaunchText(id))
		if k.IsDisabled(id) {
			k.off = append(k.off, id)
		}
	}
	fmt.Fprintln(k.stderr, "asking them:")
	failed, noAnswer := k.capture(ctx, k.Config, k.dir, o, k.stderr)
	isEmpty = len(failed)+len(k.off) == len(k.SelectedIDs) || failed == nil && noAnswer != nil
	if ctx.Err() != nil || isEmpty && noAnswer != nil {
		return cmp.Or(noAnswer, fail.ErrInterrupted)
	}
	if len(k.off) > 0 {
		fmt.Fprintf(k.stderr, "%d switched off: %s\n", len(k.off), strings.Join(text.QuoteNames(k.off), ", "))
	}
	if isEmpty {
		return nil
	}
	argv, err := k.verb(failed)
	if err != nil {
		return err
	}
	if k.code, err = guard.RunPinproof(context.Background(), k.stdin, k.stdout, k.stderr, argv...); err != nil {
		return err
	}
	if k.code == 1 && !k.review && k.passed == nil { // a program may read the output if flags are passed on
		again := slices.Concat([]string{client.SelfName}, k.args, []string{"--review"})
		fmt.Fprintf(k.stderr, "hint: to capture again and approve step by step: %s\n", shell.QuoteAll(again))
	}
	return noAnswer
}

// verb returns pinproof's arguments to judge the captured servers. failed lists the servers without a capture.
func (k *check) verb(failed []string) (argv []string, err error) {
	lock := k.lockfile
	nearest := workspace.NearestLockfile(k.Project)
	if lock == "" && !workspace.SameFile(nearest, workspace.NearestLockfile(".")) {
		lock = nearest
	}
	argv = []string{"verify"}
	if k.review {
		argv[0] = "relock"
	}
	pinned, err := pinnedServers(cmp.Or(lock, nearest))
	if err != nil {
		return nil, err
	}
	leftOut := k.off
	for _, s := range pinned.Members() {
		// If the command line names servers, ignore all other pinned servers. Otherwise, pinproof reports a pinned
		// server as missing if the configuration lacks it.
		if k.named && !slices.Contains(k.SelectedIDs, s.Name) {
			leftOut = append(leftOut, s.Name)
		}
	}
	if k.review && len(k.SelectedIDs) == 1 && pinned.Has(k.SelectedIDs[0]) {
		argv = append(argv, "--server="+k.SelectedIDs[0])
	}
	for _, id := range failed {
		// Let pinproof fail because of a failed capture: a program that reads the output may rely on exit code 0.
		if k.isForPrograms {
			argv = append(argv, "--uncaptured="+id)
		} else {
			leftOut = append(leftOut, id)
		}
	}
	for _, id := range leftOut {
		if !k.review {
			argv = append(argv, "--leave-out="+id)
		}
	}
	argv = slices.Concat(argv, k.passed, []string{"--", k.dir})
	if lock != "" {
		argv = append(argv, lock)
	}
	return argv, nil
}

// pinnedServers returns the servers of a lockfile as an object with a member for each ID, or an absent value if there
// is no such file.
func pinnedServers(lock string) (jsontree.Value, error) {
	servers, err := guard.ReadServers(lock)
	if err != nil && fail.AsError(err).IsMissing {
		err = nil
	}
	return servers, err
}

// keptFor is how long the captures of a check are kept in the cache, for the commands that check suggests.
const keptFor = 24 * time.Hour
