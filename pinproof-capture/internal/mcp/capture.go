// Package mcp asks MCP servers what they tell a model, over stdio and HTTP, and saves the bytes
// that came. It also opens the sessions that a guard relays.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

// A Server is one to capture: a command to start, or an address to ask.
type Server struct {
	Argv []string
	Dir  string   // where it is started; "" is the working folder
	Env  []string // added to our own

	URL     string
	Headers http.Header

	// The transport of 2024-11-05 rather than Streamable HTTP.
	SSE bool

	// InputOf returns the input schema of a tool, which may name headers for a call; nil if nothing is called.
	InputOf func(tool string) jsontree.Value

	rec *record // of a capture; nil for a guard
}

// Options are how a server is asked.
type Options struct {
	// The only revision of the protocol to speak; "" is for initialize and, if that fails, server/discover.
	Protocol string

	Capabilities jsontree.Value // that we claim, an object

	// The name of the client that the server is asked for, NAME or NAME/VERSION.
	Client string

	Timeout time.Duration
	// How long to listen after the last answer; 0 for as long as the server may need.
	Settle time.Duration
}

// line counts what there is: "instructions, 14 tools, 2 prompts in 1.3 s".
func (g *greeting) line(elapsed time.Duration) string {
	var parts []string
	if g.instructions {
		parts = append(parts, "instructions")
	}
	for _, entryType := range pin.AskOrder {
		if n := g.counts[entryType]; n > 0 || entryType == pin.Tools && DeclaresList(g.capabilities, entryType) {
			parts = append(parts, text.Count(n, pin.EntryTypeInfo[entryType].Entry))
		}
	}
	return fmt.Sprintf("%s in %.1f s", cmp.Or(strings.Join(parts, ", "), "nothing"), elapsed.Seconds())
}

// A Connection is a session with a server: a process, or a server at an address. Write takes one
// message a line; Close means that no more follow.
type Connection interface {
	io.WriteCloser
	// Lines passes on what the server sends until its end.
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

// Save captures the server into a file and returns one line about the capture. If that fails, Stale
// moves an older capture out of the way.
func (s Server) Save(ctx context.Context, path string, o Options) (line string, err error) {
	if workspace.IsLockfile(path) {
		return "", fail.New("%s is a lockfile", text.Printable(path)).Hint("name a file for the capture, such as server.jsonl")
	}
	data, line, err := s.Capture(ctx, o)
	if err == nil {
		err = atomicfile.Write(path, data)
	}
	if err != nil {
		return "", SetAside(path, err)
	}
	return line, nil
}

// SetAside renames the capture of a server that can't be captured any more to FILE.old, so that
// nothing takes what the server said once for what it says now. It returns the error with a word
// about that. A file that isn't a capture stays, because it can't match any pins.
func SetAside(path string, err error) error {
	if !workspace.IsCapture(path) {
		return err
	}
	told := *fail.From(err)
	old := path + workspace.OldSuffix
	if renamed := os.Rename(path, old); renamed != nil {
		told.Text += fmt.Sprintf("; what it said before is still in %s: %s", text.Printable(path), fail.Path(old, renamed).Text)
	} else {
		told.Text += fmt.Sprintf("; what it said before is now in %s", text.Printable(old))
	}
	if of, ok := errors.AsType[*ServerError](err); ok {
		return &ServerError{&told, of.Said}
	}
	return &told
}

// A ServerError is an error about a server, with the end of what it said on standard
// error, printable.
type ServerError struct {
	err  *fail.Error
	Said []string
}

func (e *ServerError) Error() string { return e.err.Error() }
func (e *ServerError) Unwrap() error { return e.err }

// Capture asks the server for all that it tells a model. It returns the bytes as they came, and one line
// about them. The server has ended by then. If the session was opened, any error is a *ServerError.
func (s Server) Capture(ctx context.Context, o Options) (data []byte, line string, err error) {
	if ctx.Err() != nil {
		// An interrupt also stops the servers of a configuration that still wait for their turn.
		return nil, "", fail.New("interrupted")
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
	g, err := (&session{ctx: limited, came: make(chan *message), rec: s.rec, isQuoted: s.URL == "", Options: o}).run(server)
	late := limited.Err() != nil
	if p, ok := server.(*process); ok && err != nil && !late && !errors.As(err, new(*fail.Error)) {
		err = p.reason()
	}
	data, bad := s.rec.finish()
	if err == nil && bad == nil {
		return data, g.line(time.Since(begin)), nil
	}
	server.Stop() // now it has said all
	last := stderr.lines()
	f := fail.From(cmp.Or(bad, err))
	if s.URL == "" && slices.ContainsFunc(last, npxMissing.MatchString) && ReadNPM(s.Argv).Name != "" {
		name := ReadNPM(s.Argv).Name
		f = fail.New("npx has no program %s here: it is not installed", text.Name(name))
		if programs := s.programs(); programs != nil {
			f.Hint("a package may have renamed it; node_modules has %s", strings.Join(text.Names(programs), ", "))
		}
		f.Hint("install the package that it comes in: npm install --save-dev PACKAGE").
			Hint("mind that this package may have another name; npm's package %s may be a stranger's", text.Name(name))
	}
	if ctx.Err() != nil {
		f = fail.New("interrupted")
	} else if bad == nil && late {
		f = fail.New("no answer in %s", text.Count(int(o.Timeout.Seconds()), "second"))
		f.Hint("--timeout %d waits longer; a server that opens a port is asked by its URL", 4*int(o.Timeout.Seconds()))
	}
	return nil, "", &ServerError{f, last}
}

// programs returns the programs of MCP in the node_modules folders around a server.
func (s Server) programs() (programs []string) {
	for _, folder := range workspace.UpToRoot(cmp.Or(s.Dir, ".")) {
		files, _ := os.ReadDir(filepath.Join(folder, "node_modules", ".bin"))
		for _, f := range files {
			if strings.Contains(f.Name(), "mcp") && len(programs) < 20 {
				programs = append(programs, f.Name())
			}
		}
	}
	return programs
}

// npxMissing matches what npx and npm print about a program that isn't there.
var npxMissing = regexp.MustCompile(`npx canceled due to missing packages|npm (error|ERR!) code E404|could not determine executable to run`)

// Excerpt returns the beginning of a server's text, printable, for a sentence of ours.
func Excerpt(s string) string {
	const most = 300 // bytes: an error's message, not a page
	if len(s) <= most {
		return text.Printable(s)
	}
	return text.Printable(strings.ToValidUTF8(s[:most], "")) + fmt.Sprintf(" (and %s)", text.Count(len(s)-most, "more byte"))
}

// ResolveIn returns a path as it is meant inside a folder: an absolute path stays as it is.
func ResolveIn(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
