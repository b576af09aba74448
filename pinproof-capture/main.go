// pinproof-capture saves what an MCP server tells a model, byte for byte: its instructions, tools, prompts, resources,
// templates and skills. As a guard, it also runs between a client and its server. Unlike pinproof, it starts processes
// and opens connections.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pinproof/internal/about"
	"pinproof/internal/fail"
	"pinproof/internal/modeltext"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/guard"
	"pinproof/pinproof-capture/internal/mcp"
)

func main() {
	// Catch SIGPIPE, so that a write to a closed pipe returns an error instead of ending this process while servers
	// run.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// app is one run of the program.
type app struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer

	// The exit code of the server behind a guard or, after a check, of pinproof.
	code int

	isHook bool // the command is hook: a model may read the errors
}

// run executes a command line and returns the exit code: 0 or 2, except that guard returns its server's code, and check
// pinproof's.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	a := &app{args: args, stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetErr(stderr)
	if c, _, err := root.Find(args); err == nil && c.Name() == "hook" {
		// Read the agent's event even if the flags are wrong: an agent may count an unread event as a failed hook,
		// and then let the call pass. Wait only briefly for the end of the event, because input from a terminal
		// doesn't end.
		a.isHook = true
		taken := make(chan struct{})
		go func() {
			io.Copy(io.Discard, stdin)
			close(taken)
		}()
		defer func() {
			select {
			case <-taken:
			case <-time.After(time.Second):
			}
		}()
	}
	ctx, stop := signal.NotifyContext(context.Background(), mcp.EndSignals...)
	defer stop()
	if err := root.ExecuteContext(ctx); err != nil {
		a.tell("", err)
		return 2
	}
	return a.code
}

// tell prints an error. It prefixes lines quoted from the server's standard error with "  | ", so that none looks
// like a line of ours or a command in a CI log. For a blocked session, and for a hook whose standard error isn't a
// terminal, it prints only text that is safe for a model.
func (a *app) tell(about string, err error) {
	no, isBlocked := errors.AsType[modeltext.Text](err)
	if isBlocked {
		fmt.Fprintln(a.stderr, no)
		return
	}
	if a.isHook && !isTerminal(a.stderr) {
		fmt.Fprintln(a.stderr, guard.UnusableHookText)
		return
	}
	lines := fail.ErrorLines(err)
	fmt.Fprintf(a.stderr, "error: %s%s\n", about, lines[0])
	if said := fail.AsError(err).Output; said != nil {
		fmt.Fprintf(a.stderr, "its standard error ended:\n  | %s\n", strings.Join(said, "\n  | "))
	}
	for _, hint := range lines[1:] {
		fmt.Fprintln(a.stderr, hint)
	}
}

// isTerminal reports whether w is a character device, which is most likely a terminal.
func isTerminal(w io.Writer) bool {
	f, _ := w.(*os.File)
	info, err := f.Stat() // for a nil file, Stat returns an error
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// release is set by the linker for a published binary (release/release.sh).
var release string

// newRoot builds the command line.
func newRoot(a *app) *cobra.Command {
	is := about.Build{Version: cmp.Or(release, "devel"), GoVersion: runtime.Version()}
	root := &cobra.Command{
		Use:   "pinproof-capture",
		Short: "Save what MCP servers tell a model, and guard an agent against the rest",
		Long: `pinproof-capture saves what an MCP server tells a model, byte for byte, for pinproof to pin.
Between an agent and its server it passes only what is pinned.`,
		Example: `  pinproof-capture check
  pinproof-capture save filesystem.jsonl -- npx --no -- mcp-server-filesystem .
  pinproof-capture save docs.jsonl https://mcp.example.com/mcp --header-env Authorization=DOCS_TOKEN
  pinproof-capture config .mcp.json captures && pinproof verify captures
  pinproof-capture guard filesystem --log calls.jsonl -- npx --no -- mcp-server-filesystem .
  pinproof-capture wrap .mcp.json

Write "npx --no -- NAME". Without the second "--", npx takes NAME as the value of --no, and
takes the server's flags as its own.

Exit codes: 0 done, 2 something failed. check exits with pinproof's code, which is 1 for
drift; guard exits with the server's code, or with 2 if it ended the session.`,
	}
	about.SetUpRoot(root, is, "save, config, check, guard, hook, wrap, unwrap")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 110"))
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(c, "%s", text.Printable(err.Error()))
	})
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, words []string) {
		if len(c.Flags().Args()) == 0 {
			help(c, words)
			return
		}
		// An agent lets the call pass if a hook exits with 0. So if the "--" before a server's -h was forgotten, hook
		// must not print help and exit with 0.
		a.code = 2
		a.tell("", usage(c, "help takes one command"))
	})
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Show the help of a command", Run: func(*cobra.Command, []string) {}})
	for _, c := range []*cobra.Command{newSave(a), newConfig(a), newCheck(a), newGuard(a), newHook(a), newWrap(a), newUnwrap(a), about.NewVersionCommand(root.Name(), is)} {
		c.DisableFlagsInUseLine = true
		c.Flags().SortFlags = false
		root.AddCommand(c)
	}
	root.SetOut(a.stdout) // AddCompletion keeps the writer set when it is called
	about.AddCompletion(root)
	return root
}

// usage returns an error about the command line with a hint to --help. The caller makes args printable.
func usage(c *cobra.Command, format string, args ...any) error {
	return fail.New(format, args...).Hint("%s --help", c.CommandPath())
}
