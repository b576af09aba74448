// pinproof-capture saves what an MCP server tells a model: its instructions, tools,
// prompts, resources and templates, as the bytes that came. pinproof itself starts
// nothing and opens no connection; this is the program that does.
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

	"pinproof/internal/fail"
	"pinproof/internal/text"
)

const usage = `Save what an MCP server tells a model, as the bytes that came, for pinproof to pin.

Usage:
  pinproof-capture OUT.jsonl -- COMMAND [ARG]...       a server that is started
  pinproof-capture OUT.jsonl URL                       a server at an address
  pinproof-capture --config FILE DIR [LABEL]...        every server of a client's configuration, or those named
  pinproof-capture --guard LABEL -- COMMAND [ARG]...   stand between client and server: only what is approved passes
  pinproof-capture --hook LABEL -- COMMAND [ARG]...    check it for an agent's hook (a URL will do, too)
  pinproof-capture --config FILE --add-guard           put the guard before the servers of a client's configuration

Examples:
  pinproof-capture filesystem.jsonl -- npx --no mcp-server-filesystem .
  pinproof-capture docs.jsonl https://mcp.example.com/mcp --header-env Authorization=DOCS_TOKEN
  pinproof-capture --config .mcp.json captures && pinproof verify captures
  pinproof-capture --guard filesystem --log calls.jsonl -- npx --no mcp-server-filesystem .

It asks for the server's instructions and for all pages of its lists: tools, prompts, resources and resource
templates. It waits a moment for whatever else the server says, and records that, too. Then it ends the server
with its process group (on Windows, its job): a process that left the group stays. A file is written whole or
not at all.

--config reads .mcp.json, .cursor/mcp.json, .vscode/mcp.json and Codex's config.toml. The labels are the
keys there, the files DIR/LABEL.jsonl. A server that fails leaves its old file as it was. So does one with a
key that changes how it is reached and is not done here, such as headersHelper or oauth. A file in DIR that
belongs to no server there is named on standard error, and stays.

--guard starts the server once, as its child, and passes the lines of the session on. An answer with instructions
or lists passes only if "pinproof verify --part" says that all of it is approved; a call of what is not approved
doesn't reach the server. --on-drift says what becomes of the rest; with end, the session ends with exit code 2.

--guard and --hook hold the server against tools.lock, which they look for in the project's folder
(CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR, else the working folder) and, inside a repository, in those above
it, up to its root. They run pinproof, which has to lie beside pinproof-capture or on the path. --hook starts
COMMAND in the folder of tools.lock, --guard where it was started itself.

Flags:
%s
Exit code: 0 when it is done, 2 when anything failed. With --guard it is that of COMMAND, and 2 for a session
that was ended.
`

// Waiting times. Clients give a server about 30 s to start. A hook must be done well
// before the agent's own limit, for a hook that is cut off lets the call pass.
const (
	defaultTimeout = 30 * time.Second
	hookTimeout    = 20 * time.Second
)

func main() {
	// A write that nobody reads is an error then, and not our end: servers may still run.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit code, 0 or 2 but for COMMAND's own.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, set, err := parse(args)
	if o.is("hook") || err != nil && slices.Contains(args, "--hook") {
		defer drain(stdin)() // also where parsing stopped before it: a hook has promises to keep
	}
	switch {
	case err != nil:
	case o.help:
		_, err = fmt.Fprintf(stdout, usage, set.FlagUsagesWrapped(110))
	case o.version:
		_, err = fmt.Fprintf(stdout, "pinproof-capture %s\n", version())
	default:
		err = o.check()
	}
	if err != nil {
		tell(stderr, "", fail.From(err).Hint("pinproof-capture --help"))
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), endSignals...)
	defer stop()
	code := 0
	switch {
	case o.help || o.version:
	case o.addGuard || o.removeGuard:
		err = rewrap(o, stdin, stdout, stderr)
	case o.is("config"):
		err = captureAll(ctx, o, stdout, stderr)
	case o.is("guard"):
		if o.once {
			code, err = guardOnce(ctx, o, stderr)
		} else {
			code, err = guard(o, stdin, stdout, stderr)
		}
	case o.is("hook"):
		err = hook(ctx, o)
	default:
		err = captureOne(ctx, o, stdout)
	}
	if err == nil {
		return code
	}
	no, ok := errors.AsType[*blocked](err)
	if ok {
		fmt.Fprint(stderr, no.words)
	}
	switch {
	case !ok:
		tell(stderr, "", err)
	case no.cause != nil && !o.is("hook"): // a guard's log is read by a person
		tell(stderr, "", no.cause)
	}
	return 2
}

// tell prints an error, with what the server said under a gutter, so that no line of the
// server's can pass for one of ours or for a command of a CI log.
func tell(w io.Writer, about string, err error) {
	f := fail.From(err)
	fmt.Fprintf(w, "error: %s%s\n", about, f.Text)
	if e, ok := errors.AsType[*serverError](err); ok && len(e.said) > 0 {
		fmt.Fprintf(w, "its standard error ended:\n  | %s\n", strings.Join(e.said, "\n  | "))
	}
	for _, hint := range f.Hints {
		fmt.Fprintf(w, "hint: %s\n", hint)
	}
}

// release is set by the linker for a published binary (ci/release.sh).
var release string

func version() string { return cmp.Or(release, "devel") + " " + runtime.Version() }

func captureOne(ctx context.Context, o *options, stdout io.Writer) error {
	src, err := o.source()
	if err != nil {
		return err
	}
	line, err := src.save(ctx, o.args[0], o)
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s: %s\n", text.Printable(o.args[0]), line)
	}
	return err
}
