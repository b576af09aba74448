// Pinproof is a lockfile for MCP tool definitions. It reads a saved tools/list
// result, pins every tool in a committed file, and answers with its exit code
// whether the tools an agent is about to use are the ones a person approved.
//
// CONTRIBUTING.md has the map of the files.
//
// Exit codes:
//
//	0  every tool asked about was read and matches its pin, or what was asked
//	   for is written and no drift is left
//	1  the answer is no: drift, or an approval refused because of what the
//	   capture says
//	2  no answer: bad usage, unreadable or ambiguous input, a missing lockfile or
//	   one that contradicts itself, a failed write
package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/text"
)

func main() {
	// If the reader of our output goes away, that must be a write error, not a silent
	// death between two steps.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// errReported is an error that was printed where it arose: exit code 2.
var errReported = errors.New("reported")

// app is one run of the program: its streams, and how its output looks.
type app struct {
	stdin  io.Reader
	stdout io.Writer     // the stream itself, which may be a terminal
	out    *bufio.Writer // the buffer in front of it
	stderr io.Writer
	color  string

	lockPatience time.Duration // how long a write waits for another writer
}

// run is the program: it takes its streams and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, lockPatience: atomicfile.Patience}
	return a.run(args)
}

func (a *app) run(args []string) int {
	a.out = bufio.NewWriterSize(a.stdout, 64<<10)
	root := newRoot(a)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeValues(root, a) // only then: that is an eighth of the instructions of a start
	}
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	err := root.Execute()
	if flushErr := a.out.Flush(); flushErr != nil && (err == nil || errors.Is(err, fail.ErrDrift)) {
		err = fail.Path("standard output", flushErr)
	}
	return exitCode(err, a.stderr)
}

// exitCode prints an error and returns its exit code.
func exitCode(err error, stderr io.Writer) int {
	var told *fail.Error
	var write *fs.PathError
	switch {
	case err == nil, err == errReported, err == fail.ErrDrift: // all is said
		return codeOf(err)
	case errors.As(err, &told):
	case errors.As(err, &write):
		told = fail.Path("standard output", err) // cobra printed a help text or a script
	default:
		// Not ours: from cobra or the flag parser, so it is usage.
		told = fail.From(err).Hint("pinproof --help")
	}
	fmt.Fprintf(stderr, "error: %s\n", strings.Join(fail.Lines(told), "\n"))
	return codeOf(err)
}

// answerOf is how a run ends, given why it has no answer and whether it fails.
func answerOf(noAnswer error, failed bool) error {
	if noAnswer == nil && failed {
		return fail.ErrDrift
	}
	return noAnswer
}

// codeOf is the exit code of a run that ends with an error: 2 also for one that no one thought of.
func codeOf(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fail.ErrDrift):
		return 1
	}
	return 2
}

// release is set by the linker for a published binary (ci/release.sh).
var release string

// version returns the version of the release or else of the module, and that of Go.
func version() string {
	v := release
	if info, ok := debug.ReadBuildInfo(); v == "" && ok && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	return cmp.Or(v, "devel") + " " + runtime.Version()
}

// knownElsewhere answers the words by which other tools call what our commands do.
var knownElsewhere = map[string]string{
	"init":   "to begin, pin a capture: pinproof lock CAPTURE",
	"add":    "to pin a server, give a capture of it: pinproof lock CAPTURE",
	"check":  "to hold a capture against its pins: pinproof verify CAPTURE",
	"status": "to see what differs from the pins: pinproof diff CAPTURE",
	"update": "to approve what changed, after reading it: pinproof relock CAPTURE",
}

// newRoot builds the command line.
func newRoot(a *app) *cobra.Command {
	names := []string{"lock", "verify", "diff", "relock"}
	root := &cobra.Command{
		Use:   "pinproof",
		Short: "A lockfile for MCP tool definitions",
		Long: `pinproof pins what an MCP server tells a model: it reads a saved answer of the
server, writes the digest and definition of every tool into tools.lock, and says by
its exit code whether what an agent is about to read is what you approved.`,
		Example: `  pinproof-capture save files.jsonl -- npx --no -- some-server    save what a server says
  pinproof lock files.jsonl                                       approve it
  pinproof verify files.jsonl                                     later: is it still that?
  pinproof diff files.jsonl                                       what changed, word by word
  pinproof relock files.jsonl                                     approve the change, tool by tool

Exit codes: 0 match, 1 drift, 2 no answer.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmp.Or[error](c.Help(), fail.New("no command: one of %s", strings.Join(names, ", ")))
			}
			f := fail.New("unknown command %s: one of %s", text.Name(args[0]), strings.Join(names, ", "))
			if does, ok := knownElsewhere[args[0]]; ok {
				return f.Hint("%s", does)
			}
			if near := nearest(args[0], append([]string{"help", "completion"}, names...)); near != "" {
				return f.Hint("did you mean: pinproof %s", near)
			}
			return f.Hint("pinproof --help")
		},
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100")) // of both kinds of flags
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colour the output: auto, always or never")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		f := fail.New("%s", text.Printable(err.Error()))
		if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
			var flags []string
			c.Flags().VisitAll(func(flag *pflag.Flag) { flags = append(flags, flag.Name) })
			if near := nearest(name, flags); near != "" {
				f.Hint("did you mean: --%s", near)
			}
		}
		return f.Hint("%s --help", c.CommandPath())
	})
	root.AddCommand(newLock(a), newVerify(a), newDiff(a), newRelock(a))
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			target, unknown, _ := root.Find(args) // no error: all of them take arguments
			if len(unknown) > 0 {
				return fail.New("no help on %s: it is no command", text.Name(unknown[0])).Hint("pinproof --help")
			}
			return target.Help()
		},
	})
	addCompletion(root)
	return root
}
