// Package cli implements the command line: commands, flags, output and prompts. The functions that hash,
// compare and judge come from the pin.Gate that it is given.
package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/about"
	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/report/hook"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// errReported is returned in place of an error that was already printed. It exits with 2.
var errReported = errors.New("reported")

// app is the state of one run of the program: its streams, its verdict and its options.
type app struct {
	gate  pin.Gate
	build about.Build
	stdin io.Reader

	// The stream itself, which may be a terminal.
	stdout io.Writer

	out    *bufio.Writer // buffers what is written to stdout
	stderr io.Writer

	helpAll bool // the help lists all flags

	verdict *pin.Verdict // set by verify and diff before they print a report

	// The only command to construct, or "" for all: constructing all takes longer than a small comparison.
	verb string

	// How long a write waits for another writer.
	lockPatience time.Duration
}

// Run runs a command line and prints the error that ends it, if there is one. It returns that error and the verdict,
// which is nil if nothing was judged.
func Run(gate pin.Gate, build about.Build, args []string, stdin io.Reader, stdout, stderr io.Writer) (*pin.Verdict, error) {
	a := &app{gate: gate, build: build, stdin: stdin, stdout: stdout, stderr: stderr, lockPatience: atomicfile.LockTimeout}
	return a.run(args)
}

func (a *app) run(args []string) (*pin.Verdict, error) {
	a.out = bufio.NewWriterSize(a.stdout, 64<<10)
	if len(args) > 0 && slices.Contains([]string{"--version", "lock", "verify", "diff", "relock"}, args[0]) {
		a.verb = args[0]
	}
	root := newRoot(a)
	root.SetArgs(args)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return cmp.Or(filledIn(args), givenOnce(cmd, args)) }
	root.SetErr(a.stderr)
	err := root.Execute()
	if err == fail.ErrInterrupted {
		// The goroutine of the prompt may still be printing, so don't print or flush anything here.
		return nil, err
	}
	if flushErr := a.flush(); flushErr != nil && (err == nil || errors.Is(err, fail.ErrDrift)) {
		err = flushErr
	}
	if err != nil && err != errReported && err != fail.ErrDrift { // those two have been reported
		// A model may read the errors of a command line with --hook, even of one that can't be parsed. So print a fixed
		// text instead of the error.
		isHook := func(arg string) bool { return strings.HasPrefix(arg, "--hook") }
		if !errors.As(err, new(modeltext.Text)) && slices.ContainsFunc(args, isHook) && !isTerminal(a.stderr) {
			hook.WriteNoVerdict(a.stderr, shell.Command{}, "")
			return a.verdict, err
		}
		fmt.Fprintf(a.stderr, "error: %s\n", strings.Join(fail.ErrorLines(err), "\n"))
	}
	return a.verdict, err
}

// flush prints what is buffered.
func (a *app) flush() error {
	if err := a.out.Flush(); err != nil {
		return fail.PathError("standard output", err)
	}
	return nil
}

// filledIn rejects a command line that still has a placeholder from a command that we printed.
func filledIn(args []string) error {
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		if shell.IsPlaceholder(arg) || strings.HasPrefix(arg, "--") && shell.IsPlaceholder(value) {
			return fail.New("%s is to be filled in", text.QuoteName(arg))
		}
	}
	return nil
}

// givenOnce refuses a flag that takes one value but is given twice, because the first value would be ignored.
func givenOnce(cmd *cobra.Command, args []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		isGiven := func(arg string) bool { return arg == "--"+f.Name || strings.HasPrefix(arg, "--"+f.Name+"=") }
		first := slices.IndexFunc(args, isGiven)
		if f.Value.Type() == "string" && slices.ContainsFunc(args[first+1:], isGiven) {
			err = fail.New("--%s is given twice, and takes one value", f.Name)
		}
	})
	return err
}

// newRoot builds the root command with its subcommands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "pinproof",
		Short: "A lockfile for MCP tool definitions",
		Long: `pinproof pins what an MCP server tells a model. It reads a saved answer of the server,
writes the digest and the definition of every tool into tools.lock, and its exit code
says whether what an agent is about to read is what you approved.`,
		Example: `  pinproof-capture save files.jsonl -- npx --no -- some-server    save what a server says
  pinproof lock files.jsonl                                       approve it
  pinproof verify files.jsonl                                     later: is it still the same?
  pinproof diff files.jsonl                                       what changed, word by word
  pinproof relock files.jsonl                                     approve the change, tool by tool

Exit codes: 0 match, 1 drift, 2 no answer.`,
	}
	about.SetUpRoot(root, a.build, "lock, verify, diff, relock")
	root.SetUsageFunc(a.printUsage)
	root.PersistentFlags().BoolFunc("help-all", "show this help with all flags", func(string) error {
		a.helpAll = true
		return pflag.ErrHelp
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if errors.Is(err, pflag.ErrHelp) {
			return pflag.ErrHelp // --help-all returned it
		}
		return fail.New("%s", text.Printable(err.Error())).Hint("%s --help", c.CommandPath())
	})
	commands := map[string]func(*app) *cobra.Command{"lock": newLock, "verify": newVerify, "diff": newDiff, "relock": newRelock}
	for verb, command := range commands {
		if a.verb == "" || a.verb == verb {
			root.AddCommand(command(a)) // cobra sorts the commands by name
		}
	}
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			target, unknown, _ := root.Find(args) // Find can't fail: every command accepts arguments
			if len(unknown) > 0 {
				return fail.New("unknown command %s", text.QuoteName(unknown[0])).Hint("pinproof --help")
			}
			return target.Help()
		},
	})
	root.SetOut(a.out) // AddCompletion keeps the writer of this moment
	root.CompletionOptions.DisableDefaultCmd = a.verb != ""
	if a.verb == "" {
		root.AddCommand(about.NewVersionCommand(root.Name(), a.build))
		about.AddCompletion(root)
	}
	return root
}
