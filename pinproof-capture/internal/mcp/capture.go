// Package mcp captures MCP servers over stdio and HTTP: it requests everything that a model reads, and saves the
// bytes received. It also opens the sessions that the guard relays.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// A Server is an MCP server: a command to start, or a URL.
type Server struct {
	Argv []string
	Dir  string   // where it is started; "" is the working folder
	Env  []string // added to our own environment

	URL     string
	Headers http.Header

	// HTTP+SSE, the transport of revision 2024-11-05, instead of Streamable HTTP.
	SSE bool

	// InputOf returns the input schema of a tool, in which x-mcp-header names headers for a call. A capture doesn't
	// need it, because it calls no tool.
	InputOf func(tool string) jsontree.Value

	// Permit, if not nil, is called once the server's process is ready to become the server. If Permit returns an
	// error, the process doesn't become the server.
	Permit func() error

	rec *record // of a capture; nil for a guard
}

// CaptureOptions control how a server is captured.
type CaptureOptions struct {
	// The only protocol revision to use; "" for initialize and, if that fails, server/discover.
	Protocol string

	Capabilities jsontree.Value // the capabilities that we claim, an object

	// The client name to send in clientInfo: NAME or NAME/VERSION.
	Client string

	Timeout time.Duration
	// How long to listen after the last response; 0 for 300 ms, or 2 s if the server declares listChanged.
	Settle time.Duration
}

// line summarizes a capture: "instructions, 14 tools, 2 prompts in 1.3 s".
func (g *greeting) line(elapsed time.Duration) string {
	var parts []string
	if g.instructions {
		parts = append(parts, "instructions")
	}
	for _, entryType := range pin.RequestOrder {
		if n := g.counts[entryType]; n > 0 || entryType == pin.Tools && MayDeclareList(g.capabilities, entryType) {
			parts = append(parts, text.FormatCount(n, pin.EntryTypeInfo[entryType].Entry))
		}
	}
	return fmt.Sprintf("%s in %.1f s", cmp.Or(strings.Join(parts, ", "), "nothing"), elapsed.Seconds())
}

// A Connection is a session with a server, over stdio or HTTP. Write accepts one message per line. Close means that
// no more messages follow.
type Connection interface {
	io.WriteCloser
	// Lines calls take for everything that the server sends, until the session ends.
	Lines(take func(Received) error) error
	Signal(os.Signal)
	Stop()
	ExitCode() int
}

// Open begins a session. If it starts the server, what the server prints on standard error goes to stderr.
func (s Server) Open(stderr io.Writer) (Connection, error) {
	if s.URL != "" {
		return connect(s)
	}
	return launch(s, stderr)
}

// Save captures the server into a file and returns one line about the capture. If that fails, SetAsideCapture renames an
// older capture.
func (s Server) Save(ctx context.Context, path string, o CaptureOptions) (line string, err error) {
	if workspace.IsLockfile(path) {
		return "", fail.New("%s is a lockfile", text.Printable(path)).Hint("name a file for the capture, such as server.jsonl")
	}
	data, line, err := s.Capture(ctx, o)
	if err == nil {
		err = atomicfile.Write(path, data)
	}
	if err != nil {
		return "", SetAsideCapture(path, err)
	}
	return line, nil
}

// SetAsideCapture renames an old capture to FILE.old after a new one failed, so that nobody mistakes the old one for a
// new one. It returns err with a note about the rename. A file that isn't a capture stays, because it can't match any
// pins.
func SetAsideCapture(path string, err error) error {
	if !workspace.IsCapture(path) {
		return err
	}
	told := *fail.AsError(err)
	old := path + workspace.OldSuffix
	if failed := os.Rename(path, old); failed != nil {
		told.Text += "; what it said before is still in " + text.Printable(path) + ": " + fail.PathError(old, failed).Text
	} else {
		told.Text += "; what it said before is now in " + text.Printable(old)
	}
	return &told
}

// Capture requests everything that a model reads from the server. It returns the bytes received, and one line about
// them. It ends the server before it returns.
func (s Server) Capture(ctx context.Context, o CaptureOptions) (data []byte, line string, err error) {
	if ctx.Err() != nil {
		// After an interrupt, the servers of a configuration that still wait for their turn aren't started.
		return nil, "", fail.ErrInterrupted
	}
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	s.rec = &record{}
	var stderr tail
	server, err := s.Open(&stderr)
	if err != nil {
		return nil, "", err
	}
	defer server.Stop()
	g, err := (&session{inbox: inbox{limited, make(chan Received)}, rec: s.rec, isQuoted: s.URL == "", CaptureOptions: o}).run(server)
	late := limited.Err() != nil
	if p, ok := server.(*process); ok && err != nil && !late && !errors.As(err, new(*fail.Error)) {
		err = p.reason()
	}
	bad := s.rec.refuse(nil)
	if err == nil && bad == nil {
		return s.rec.lines.Bytes(), g.line(time.Since(begin)), nil
	}
	server.Stop() // its standard error is complete now
	last := stderr.lines()
	f := *fail.AsError(cmp.Or(bad, err))
	name := ""
	if slices.ContainsFunc(last, npxMissing.MatchString) {
		_, name = ParseNPM(s.Argv)
	}
	if name != "" {
		f = *fail.New("npx has no program %s here: it is not installed", text.QuoteName(name))
		if programs := s.programs(); programs != nil {
			f.Hint("a package may have renamed it; node_modules has %s", text.JoinNames(text.QuoteNames(programs), 20))
		}
		f.Hint("install the package that it comes in: npm install --save-dev PACKAGE").
			Hint("mind that this package may have another name; npm's package %s may be a stranger's", text.QuoteName(name))
	}
	if ctx.Err() != nil {
		f = *fail.AsError(fail.ErrInterrupted)
	} else if bad == nil && late {
		seconds := int(o.Timeout.Seconds())
		f = *fail.New("no answer in %s", text.FormatCount(seconds, "second")).
			Hint("--timeout %d waits longer; a server that opens a port is asked by its URL", 4*seconds)
	}
	f.Output = last
	return nil, "", &f
}

// programs lists the executables with "mcp" in their name in node_modules/.bin of the server's folder and of the
// folders above.
func (s Server) programs() (programs []string) {
	for _, folder := range workspace.FoldersUpToRoot(cmp.Or(s.Dir, ".")) {
		names, _ := fs.Glob(os.DirFS(filepath.Join(folder, "node_modules", ".bin")), "*mcp*")
		programs = append(programs, names...)
	}
	return programs
}

// npxMissing matches the messages of npx and npm about a program that isn't installed.
var npxMissing = regexp.MustCompile(`npx canceled due to missing packages|npm (error|ERR!) code E404|could not determine executable to run`)

// Excerpt returns the beginning of a server's text, made printable, to quote in our messages.
func Excerpt(s string) string {
	const most = 300 // bytes: enough for an error message, too few for a page
	if len(s) <= most {
		return text.Printable(s)
	}
	return text.Printable(strings.ToValidUTF8(s[:most], "")) + " (and " + text.FormatCount(len(s)-most, "more byte") + ")"
}

// ResolveIn joins a relative path to a folder. It returns an absolute path unchanged.
func ResolveIn(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
