package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/client"
	"pinproof/pinproof-capture/internal/guard"
	"pinproof/pinproof-capture/internal/mcp"
)

func newSave(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "save FILE -- COMMAND [ARG]...\n  pinproof-capture save FILE URL",
		Short: "Save what a server says: one that save starts, or one at an address",
		Long: `save asks a server for its instructions, for all pages of its lists (tools, prompts,
resources, resource templates and skills), and for the skills' files. It waits a moment for
anything else the server says, and saves that, too. Then it ends the server and its process
group (on Windows, its job); a process that left the group stays. FILE is written whole or
not at all. If the server fails, an existing FILE is renamed to FILE.old.

The name of FILE is the server ID for pinproof: filesystem.jsonl is filesystem.`,
	}
	o := asking(c, patience)
	return a.serving(c, nil, func(file string, server mcp.Server) error {
		line, err := server.Save(c.Context(), file, *o)
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s: %s\n", text.Printable(file), line)
		}
		return err
	})
}

func newGuard(a *app) *cobra.Command {
	var o guard.Options
	c := &cobra.Command{
		Use:   "guard ID -- COMMAND [ARG]...\n  pinproof-capture guard ID URL",
		Short: "Run between a client and its server, and pass only what is approved",
		Long: `guard starts the server once, as its child. It lists what the server has, lets
"pinproof verify --part" compare the lists with the pins of the server ID, and gives the
client the entries that are pinned and listed now. A call of any other entry doesn't reach
the server. If anything drifted, the session ends with exit code 2, unless --on-drift says
otherwise.

guard runs pinproof, which must be beside pinproof-capture or on the path. It looks for
tools.lock in the project's folder (CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR, else the working
folder) and, inside a repository, in the folders above it, up to the repository's root.`,
	}
	set := c.Flags()
	set.StringVar(&o.OnDrift, "on-drift", guard.ModeEnd, "what happens to what isn't approved: `MODE` is end (the session ends), subset (the client gets the rest) or warn (the client gets everything)")
	set.DurationVar(&o.MaxListAge, "relist", time.Minute, "list again before a call if the last list is older than `DURATION`; 0 for never")
	set.StringVar(&o.Log, "log", "", "append calls, drifts and blocks to `FILE`, one JSON object a line")
	set.BoolVar(&o.LogDigests, "log-digests", false, "with --log: write digests in place of arguments")
	return a.serving(c, &o.PinSource, func(id string, server mcp.Server) (err error) {
		if err := checkMode(c, o.OnDrift); err != nil {
			return err
		}
		if o.MaxListAge < 0 {
			return usage(c, "--relist takes a duration such as 1m, or 0")
		}
		if o.Log == "" && o.LogDigests {
			return usage(c, "--log-digests needs --log FILE")
		}
		o.ServerID = id
		a.code, err = guard.Run(o, server, a.stdin, a.stdout, a.stderr)
		return err
	})
}

func checkMode(c *cobra.Command, mode string) error {
	if slices.Contains([]string{guard.ModeEnd, guard.ModeSubset, guard.ModeWarn}, mode) {
		return nil
	}
	return usage(c, "--on-drift %s: one of end, subset, warn", text.QuoteName(mode))
}

func newHook(a *app) *cobra.Command {
	var h guard.HookedServer
	c := &cobra.Command{
		Use:   "hook ID -- COMMAND [ARG]...\n  pinproof-capture hook ID URL",
		Short: "Compare a server with its pins for an agent's hook: exit 0 or 2",
		Long: `hook starts the server, captures it, and lets "pinproof verify --hook" compare the capture
with the pins of the server ID. It takes the agent's event from standard input and prints
nothing on standard output. What it prints on standard error is safe for a model. After exit
code 2, the agent must not use the server.

hook looks for tools.lock as guard does, and starts the server in the lockfile's folder.`,
	}
	allow := c.Flags().String("allow", "", "don't block for this `KIND`: denied entries, if a guard or the client leaves them out")
	// The timeout is shorter than the agent's own limit, because the agent lets the call pass if the hook times out.
	o := asking(c, 20)
	return a.serving(c, &h.PinSource, func(id string, server mcp.Server) error {
		if h.AllowsDenied = *allow == "denied"; !h.AllowsDenied && *allow != "" {
			return usage(c, "--allow takes denied")
		}
		h.ServerID = id
		h.Server = server
		h.CaptureOptions = *o
		return h.Check(c.Context())
	})
}

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "config FILE DIR [ID]...",
		Short: "Save what every server of a client's configuration says",
		Long: `config reads .mcp.json, .cursor/mcp.json, .vscode/mcp.json and Codex's config.toml. The keys
there are the server IDs, and config writes a file DIR/ID.jsonl for each. If you name server
IDs, it asks only those servers. It asks a server behind pinproof's guard without the guard.

A server may fail, be switched off, or have a key that config doesn't support and that changes
how the server is reached (headersHelper, oauth). Then an existing DIR/ID.jsonl is renamed to
DIR/ID.jsonl.old, so that "pinproof verify DIR" says that the capture is missing. "disabled"
and "enabled" count only in files of clients that read them.`,
	}
	o := asking(c, patience)
	return configured(c, 2, "a configuration and a folder", func(config *client.Config, args []string) error {
		_, err := a.capture(c.Context(), config, args[1], *o, a.stdout)
		return err
	})
}

// capture captures the servers of a configuration into a folder, and prints a line or an error for each. If some failed,
// it returns their IDs and an error that names them. With any other error, it returns no IDs.
func (a *app) capture(ctx context.Context, config *client.Config, dir string, o mcp.CaptureOptions, to io.Writer) (failed []string, err error) {
	results, err := config.Capture(ctx, dir, o)
	for _, r := range results {
		if r.Err != nil {
			failed = append(failed, r.Server)
			a.tell(text.Printable(r.Server)+": ", r.Err)
		} else if _, err := fmt.Fprintf(to, "%s: %s\n", text.Printable(r.Server), r.Line); err != nil {
			return nil, err
		}
	}
	if failed != nil {
		err = fail.New("%d of %s could not be captured: %s", len(failed), text.FormatCount(len(results), "server"), strings.Join(text.QuoteNames(failed), ", "))
	}
	return failed, err
}

// configured makes c a command that reads a client's configuration. The command requires at least the given number of
// arguments; what describes them in an error. Server IDs may follow; without any, the command applies to all servers.
func configured(c *cobra.Command, least int, what string, run func(config *client.Config, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) < least || c.ArgsLenAtDash() > 0 {
			return usage(c, "it takes %s, and server IDs if you don't mean all servers", what)
		}
		config, err := client.ReadConfig(args[0], args[least:])
		if err != nil {
			return err
		}
		return run(config, args)
	}
	return c
}

func newWrap(a *app) *cobra.Command {
	var guarding client.GuardCommand
	c := &cobra.Command{
		Use:   "wrap FILE [ID]...",
		Short: "Put guards in front of the servers of a client's configuration",
		Long: `wrap puts the guard in front of all servers of a configuration, or of those named, and
changes nothing else in FILE. It shows the lines, and writes them with --yes. If a server
isn't in tools.lock, wrap writes nothing, because the guard would not start that server.

The guard also takes a server at an address: the headers become variables of the guard. A
server that wants OAuth needs a bridge first: npx --no -- mcp-remote URL.

wrap names what it can't rewrite, and exits with 2. It doesn't rewrite Codex's TOML, but
prints the command lines to write there.`,
	}
	onDrift := c.Flags().String("on-drift", guard.ModeEnd, "the guards' `MODE`, as for guard: end, subset or warn")
	log := c.Flags().String("log", "", "have the guards append calls, drifts and blocks to `FILE`")
	return a.rewriting(c, func(config *client.Config) (_ *client.GuardCommand, err error) {
		if err := checkMode(c, *onDrift); err != nil {
			return nil, err
		}
		if *onDrift != guard.ModeEnd {
			guarding.Flags = append(guarding.Flags, "--on-drift", *onDrift)
		}
		if *log != "" {
			guarding.Flags = append(guarding.Flags, "--log", *log)
		}
		if err := unpinned(config); err != nil {
			return nil, err
		}
		guarding.Argv, guarding.Description, err = config.SelfCommand()
		return &guarding, err
	})
}

// unpinned returns an error if servers would not start behind the guard because they aren't in the lockfile. Its
// hints are the commands that pin them.
func unpinned(config *client.Config) error {
	lock := workspace.NearestLockfile(config.Project)
	pinned, err := pinnedServers(lock)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(config.Unguarded(), pinned.Has)
	if len(missing) == 0 {
		return nil
	}
	path, _ := guard.FindPinproof() // if it isn't found, the hint is just "pinproof"
	pin := shell.ProgramCommand(path) + " lock captures"
	if !workspace.SameFile(lock, workspace.NearestLockfile(".")) {
		pin += " " + shell.QuotePath(lock)
	}
	return fail.New("not pinned in %s: %s; a server would not start behind the guard, and nothing was written", text.Printable(lock), strings.Join(text.QuoteNames(missing), ", ")).
		Hint("to pin: %s", shell.QuoteAll(slices.Concat([]string{client.SelfName, "config", config.File, "captures"}, missing))).
		Hint("then:   %s", pin)
}

func newUnwrap(a *app) *cobra.Command {
	return a.rewriting(&cobra.Command{
		Use:   "unwrap FILE [ID]...",
		Short: "Remove the guards again",
		Long:  `unwrap removes the guards that wrap added. Comments in FILE stay.`,
	}, nil)
}

// rewriting makes c a command that adds the guard that guarding returns to the servers of a configuration. If guarding
// is nil, the command removes guards.
func (a *app) rewriting(c *cobra.Command, guarding func(*client.Config) (*client.GuardCommand, error)) *cobra.Command {
	yes := c.Flags().Bool("yes", false, "write FILE instead of only showing what changes")
	return configured(c, 1, "a configuration", func(config *client.Config, _ []string) (err error) {
		var g *client.GuardCommand
		how := ""
		file := text.Printable(config.File)
		if guarding != nil {
			if g, err = guarding(config); err != nil {
				return err
			}
			how = "the guard is started as " + text.Printable(strings.Join(g.Argv, " ")) + ": " + g.Description + "\n"
		}
		after, told, refused := config.WithGuard(g)
		fmt.Fprint(a.stdout, told)
		for _, r := range refused {
			a.tell(text.Printable(r.Server)+": ", r.Err)
		}
		isNew := !bytes.Equal(config.Data, after)
		if isNew && *yes {
			if err := atomicfile.Write(config.File, after); err != nil {
				return err
			}
			how += "restart the client\n"
		} else if isNew {
			how += file + " was not written: the same command with --yes writes it\n"
		} else if told == "" {
			how = file + ": nothing to change\n"
		}
		if told != "" || refused == nil {
			fmt.Fprint(a.stdout, how)
		}
		if told != "" && !isNew {
			return fail.New("%s is TOML, which isn't rewritten: change these command lines there by hand", file)
		}
		if refused != nil {
			return fail.New("%s of %s: left unchanged", text.FormatCount(len(refused), "server"), file)
		}
		return nil
	})
}
