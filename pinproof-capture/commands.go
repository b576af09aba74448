package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/client"
	"pinproof/pinproof-capture/internal/guard"
)

// defaultTimeout: clients give a server about 30 s to start. A hook must be done well before the
// agent's own limit, for a hook that is cut off lets the call pass.
const (
	defaultTimeout = 30 * time.Second
	hookTimeout    = 20 * time.Second
)

func newSave(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:        "save FILE -- COMMAND [ARG]...\n  pinproof-capture save FILE URL",
		Short:      "Save what a server says, one that is started or one at an address",
		SuggestFor: []string{"capture", "record"},
		Long: `save asks a server for its instructions and for all pages of its lists: tools, prompts,
resources and resource templates. It waits a moment for whatever else the server says,
and records that, too. Then it ends the server with its process group (on Windows, its
job): a process that left the group stays. FILE is written whole or not at all.

The file's name is the server's label for pinproof: filesystem.jsonl is filesystem.`,
	}
	asked, web := asking(c, defaultTimeout), addressed(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		server, err := a.server(c, args, web)
		if err != nil {
			return err
		}
		line, err := server.Save(c.Context(), args[0], asked.Options)
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s: %s\n", text.Printable(args[0]), line)
		}
		return err
	}
	return c
}

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "config FILE DIR [LABEL]...",
		Short: "Save what every server of a client's configuration says",
		Long: `config reads .mcp.json, .cursor/mcp.json, .vscode/mcp.json and Codex's config.toml. The
labels are the keys there, the files DIR/LABEL.jsonl. With labels, only these servers are
asked. A server behind pinproof's guard is asked without it.

A server that fails leaves its old file as it was. So does a server with a key that isn't
supported here and changes how it is reached, such as headersHelper or oauth. A file in DIR
that belongs to no server there is named on standard error, and stays.`,
	}
	asked := asking(c, defaultTimeout)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) < 2 || c.ArgsLenAtDash() > 0 {
			return usage(c, "it takes a configuration and a folder, and the labels of servers if not all are meant")
		}
		config, err := client.Read(args[0])
		if err != nil {
			return err
		}
		labels, err := config.Labels(args[2:])
		if err != nil {
			return err
		}
		a.noteFloating(config.Floating(labels))
		dir := args[1]
		results, err := config.Capture(c.Context(), dir, labels, asked.Options)
		if err != nil {
			return err
		}
		var failed []string
		for _, r := range results {
			if r.Err != nil {
				failed = append(failed, r.Label)
				a.tell(text.Printable(r.Label)+": ", r.Err)
			} else if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", text.Printable(r.Label), r.Line); err != nil {
				return err
			}
		}
		for _, file := range config.Strangers(dir) {
			fmt.Fprintf(a.stderr, "%s: of no server in %s: delete it if that server is gone\n", text.Printable(file), text.Printable(config.File))
		}
		if failed != nil {
			return fail.New("%d of %s could not be captured, and what was in %s is as it was for them: %s",
				len(failed), text.Count(len(labels), "server"), text.Printable(dir), strings.Join(text.Names(failed), ", "))
		}
		return nil
	}
	return c
}

func newGuard(a *app) *cobra.Command {
	var o guard.Options
	c := &cobra.Command{
		Use:   "guard LABEL -- COMMAND [ARG]...\n  pinproof-capture guard LABEL URL",
		Short: "Stand between a client and its server: only what is approved passes",
		Long: `guard starts the server once, as its child, and passes the lines of the session on. An
answer with instructions or lists passes only if "pinproof verify --part" says that all of
it is approved under LABEL; a call of what is not approved doesn't reach the server.
--on-drift says what happens otherwise; with end, the session ends with exit code 2.

For a server at an address it speaks stdio with the client and HTTP with the server.

It runs pinproof, which must be beside pinproof-capture or on the path. tools.lock is
looked for in the project's folder (CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR, else the working
folder) and, inside a repository, in those above it, up to its root.`,
	}
	pinned(c, &o.Pins)
	set := c.Flags()
	set.StringVar(&o.OnDrift, "on-drift", guard.Ends, "what happens to what isn't approved: end the session, subset (the client gets the rest) or warn")
	set.StringVar(&o.Log, "log", "", "append calls, drifts and blocks to `FILE`, one JSON object a line")
	set.BoolVar(&o.LogDigests, "log-digests", false, "with --log: the digests of arguments in place of these")
	web := addressed(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		server, err := a.server(c, args, web)
		switch {
		case err != nil:
			return err
		case o.OnDrift != guard.Ends && o.OnDrift != guard.Subset && o.OnDrift != guard.Warns:
			return usage(c, "--on-drift %s: one of end, subset, warn", text.Name(o.OnDrift))
		case o.Log == "" && o.LogDigests:
			return usage(c, "--log-digests goes with --log FILE")
		}
		o.Label = args[0]
		a.code, err = guard.Run(c.Context(), o, server, a.stdin, a.stdout, a.stderr)
		return err
	}
	return c
}

func newHook(a *app) *cobra.Command {
	var h guard.Hooked
	c := &cobra.Command{
		Use:   "hook LABEL -- COMMAND [ARG]...\n  pinproof-capture hook LABEL URL",
		Short: "Compare a server with its pins for an agent's hook: exit 0 or 2",
		Long: `hook starts the server, captures it, and has "pinproof verify --hook" compare that with
the pins of LABEL. It takes the agent's event from standard input and prints nothing on
standard output; what it says on standard error is safe for a model. After exit code 2, the
agent may use nothing of the server.

The server is started in the folder of tools.lock, which is looked for as the guard does.`,
	}
	pinned(c, &h.Pins)
	set := c.Flags()
	set.StringVar(&h.Save, "save", "", "keep the capture in `DIR`, relative to the folder of tools.lock")
	set.DurationVar(&h.MaxAge, "max-age", 0, "don't start the server if it matched within this time, such as 60s")
	asked, web := asking(c, hookTimeout), addressed(c)
	help := c.HelpFunc()
	c.SetHelpFunc(func(c *cobra.Command, words []string) {
		// Its 0 is a yes: a server's -h before a forgotten "--" is none.
		if len(c.Flags().Args()) > 0 {
			a.noHelp = cmp.Or(a.missingDashes(c), usage(c, "--help goes without arguments"))
			return
		}
		help(c, words)
	})
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		h.Server, err = a.server(c, args, web)
		switch {
		case err != nil:
			return err
		case h.MaxAge < 0 || h.MaxAge > guard.MaxAge:
			return usage(c, "--max-age takes 0s to 1h")
		}
		h.Label, h.Remedy, h.Asked = args[0], web.remedy(h.Server), asked.Options
		return h.Hook(c.Context())
	}
	return c
}

// pinned gives a command the flags that say which pins a server is held against.
func pinned(c *cobra.Command, p *guard.Pins) {
	set := c.Flags()
	set.SortFlags = false
	set.StringVar(&p.Lockfile, "lock", "", "use the lockfile `FILE` instead of looking for one")
	set.StringArrayVar(&p.Substitutes, "substitute", nil, "the value of a name in the pins, as pinproof takes it: `NAME=VALUE`; repeatable")
}

func newWrap(a *app) *cobra.Command {
	return a.rewriting(&cobra.Command{
		Use:        "wrap FILE [LABEL]...",
		Short:      "Put guards before the servers of a client's configuration",
		SuggestFor: []string{"add-guard"},
		Long: `wrap puts the guard before all servers of a configuration, or before those named, and
changes nothing else in FILE. It shows the lines and asks. A server that isn't in tools.lock
yet doesn't start behind the guard.

A server at an address is guarded there: its headers become variables of the guard. One that wants
OAuth goes behind a bridge first: npx --no -- mcp-remote URL.

What can't be rewritten is named, and the exit code is 2. Codex's TOML isn't rewritten: it
prints what to write there.`,
	}, true)
}

func newUnwrap(a *app) *cobra.Command {
	return a.rewriting(&cobra.Command{
		Use:        "unwrap FILE [LABEL]...",
		Short:      "Remove the guards again",
		SuggestFor: []string{"remove-guard"},
		Long:       `unwrap removes the guards that wrap put in, and restores FILE byte for byte.`,
	}, false)
}

// rewriting makes a command that puts guards into a configuration or takes them out.
func (a *app) rewriting(c *cobra.Command, wrap bool) *cobra.Command {
	yes := c.Flags().Bool("yes", false, "write FILE without asking")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 || c.ArgsLenAtDash() > 0 {
			return usage(c, "it takes a configuration, and the labels of servers if not all are meant")
		}
		config, err := client.Read(args[0])
		if err != nil {
			return err
		}
		labels, err := config.Labels(args[1:])
		if err != nil {
			return err
		}
		var start []string
		var what string
		if wrap {
			a.noteFloating(config.Floating(labels))
			if start, what, err = config.Start(); err != nil {
				return err
			}
		}
		after, byHand, refused := config.Rewrite(labels, start)
		fmt.Fprint(a.stdout, byHand)
		isNew := !bytes.Equal(config.Data, after)
		if isNew {
			showLines(a.stdout, config.Data, after)
			if err = a.confirm(config.File, *yes); err == nil {
				err = atomicfile.Write(config.File, after)
			}
			if err != nil {
				return err
			}
		}
		if isNew || byHand != "" {
			if wrap {
				fmt.Fprintf(a.stdout, "the guard is started as %s: %s\n", text.Printable(strings.Join(start, " ")), what)
			}
			fmt.Fprintln(a.stdout, "restart the client")
		}
		for _, r := range refused {
			a.tell("", r)
		}
		switch {
		case byHand != "":
			return fail.New("%s is TOML, which isn't rewritten: write there by hand what stands above", text.Printable(config.File))
		case refused != nil:
			return fail.New("%s of %s as before", text.Count(len(refused), "server"), text.Printable(config.File))
		}
		return nil
	}
	return c
}

// noteFloating says that what is started isn't fixed.
func (a *app) noteFloating(floats bool) {
	if floats {
		fmt.Fprintln(a.stderr, "note: npx -y PACKAGE floats: it runs the versions of the day, of the package or of what it depends on; install it, then npx --no -- NAME")
	}
}

// showLines prints the lines that differ; both texts have as many.
func showLines(w io.Writer, before, after []byte) {
	old, new := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	for i := range min(len(old), len(new)) {
		if !bytes.Equal(old[i], new[i]) {
			fmt.Fprintf(w, "- | %s\n+ | %s\n", text.Printable(string(old[i])), text.Printable(string(new[i])))
		}
	}
}

// confirm asks on a terminal whether a file is to be written. Elsewhere it takes --yes.
func (a *app) confirm(file string, yes bool) error {
	if yes {
		return nil
	}
	noTerminal := fail.New("%s was not written: this is no terminal to ask on", text.Printable(file)).Hint("--yes writes it")
	stdin, _ := a.stdin.(*os.File)
	if info, err := stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return noTerminal
	}
	fmt.Fprintf(a.stderr, "write %s? [y/N] ", text.Printable(file))
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && answer == "" { // /dev/null looks like a terminal
		fmt.Fprintln(a.stderr)
		return noTerminal
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return fail.New("%s was not written", text.Printable(file))
	}
	return nil
}

// drain takes the agent's event from standard input: one that nobody reads can count
// as a failed hook, and that as yes. The function it returns waits until all
// is taken, for a second at most: a terminal has no end.
func drain(r io.Reader) func() {
	taken := make(chan struct{})
	go func() {
		io.Copy(io.Discard, r)
		close(taken)
	}()
	return func() {
		select {
		case <-taken:
		case <-time.After(time.Second):
		}
	}
}
