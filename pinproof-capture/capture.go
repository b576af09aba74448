package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// A source is a server to capture: a command to start, or an address to ask.
type source struct {
	argv []string
	dir  string   // where it is started; "" is here
	env  []string // beside our own

	url     string
	headers http.Header
	sse     bool // the transport of 2024-11-05 rather than Streamable HTTP
}

// A transcript is what a server sent, to the byte, and what there is of it.
type transcript struct {
	data    []byte
	told    *greeting
	elapsed time.Duration
}

// String is one line: "instructions, 14 tools, 2 prompts in 1.3 s".
func (c *transcript) String() string {
	var parts []string
	if c.told.instructions {
		parts = append(parts, "instructions")
	}
	for i, l := range lists {
		if n := c.told.counts[i]; n > 0 || l.member == "tools" && c.told.claims(l) {
			parts = append(parts, text.Count(n, l.noun))
		}
	}
	if parts == nil {
		parts = []string{"nothing"}
	}
	line := fmt.Sprintf("%s in %.1f s", strings.Join(parts, ", "), c.elapsed.Seconds())
	if c.told.undeclared != nil {
		line += "; not declared: " + strings.Join(c.told.undeclared, ", ")
	}
	return line
}

// save captures the server into a file, and tells of it in one line.
func (s source) save(ctx context.Context, path string, o *options) (line string, err error) {
	if err := checkTarget(path); err != nil {
		return "", err
	}
	c, err := s.run(ctx, o)
	if err != nil {
		return "", err
	}
	return c.String(), atomicfile.Write(path, c.data)
}

// patience is how much of the timeout a server may be silent at initialize. Tests set it.
var patience = func(timeout time.Duration) time.Duration { return timeout / 2 }

// run captures the server, which has ended when it returns. The error is a *serverError.
func (s source) run(ctx context.Context, o *options) (*transcript, error) {
	if ctx.Err() != nil {
		return nil, fail.New("interrupted") // those of a configuration that wait for their turn
	}
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	rec := &record{}
	ses := &session{rec: rec, protocol: o.protocol, capabilities: claims(o.capabilities)}
	var connect func() (mcp.Connection, error)
	var reason func(error) *fail.Error
	said := func() []string { return nil }
	var err error
	if s.url != "" {
		r, transport, err := newRemote(s, rec)
		if err != nil {
			return nil, err
		}
		connect = func() (mcp.Connection, error) {
			conn, err := transport.Connect(limited)
			if err != nil || s.sse {
				return conn, err
			}
			l := newListener(limited, conn, r, s.url)
			ses.begun = l.listen
			return l, nil
		}
		reason, ses.agreed = r.reason, func(revision string) { r.revision.Store(revision) }
		ses.redial = func() (mcp.Connection, error) {
			ses.conn.Close()
			return connect()
		}
	} else {
		var p *process
		var stderr tail
		if p, err = launch(s, &stderr); err != nil {
			return nil, err
		}
		defer p.stop()
		ses.conn = newLineConn(p, rec)
		// A server that never reads can't hold us up beyond the limit.
		defer context.AfterFunc(limited, func() { p.in.Close() })()
		reason = p.reason
		said = func() []string { // after its end
			p.stop()
			return stderr.lines()
		}
	}
	var g *greeting
	if connect != nil {
		ses.conn, err = connect()
	}
	if err == nil {
		defer func() { ses.conn.Close() }()
		if g, err = ses.begin(limited, patience(o.timeout)); err == nil {
			err = ses.all(limited, g)
		}
		if err == nil {
			ses.rest(limited, g)
			ses.settle(limited, o.settle)
		}
	}
	data, bad := rec.finish()
	var f *fail.Error
	switch {
	case err == nil && bad == nil:
		return &transcript{data, g, time.Since(begin)}, nil
	case ctx.Err() != nil:
		f = fail.New("interrupted")
	case bad != nil:
		f = fail.New("%s", bad)
	case limited.Err() != nil:
		f = fail.New("no answer in %s", text.Count(int(o.timeout.Seconds()), "second")).
			Hint("--timeout %d waits longer", 4*int(o.timeout.Seconds()))
	default:
		if !errors.As(err, &f) {
			f = reason(err)
		}
		if f == nil {
			f = fail.New("what it sent is no message of the protocol: %s", cut(err.Error()))
		} else if s.url == "" && !ses.met && o.protocol < firstDiscover && wantsDiscover(err) {
			f.Hint("it may speak only revision %s: --protocol %[1]s", firstDiscover)
		}
	}
	last := said()
	isSet := func(name string) bool {
		return os.Getenv(name) != "" || slices.ContainsFunc(s.env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	if names := missingVariables(last, isSet); names != nil && bad == nil && ctx.Err() == nil {
		f.Hint("%s", missingHint(names, o.is("config")))
	}
	return nil, &serverError{f, last}
}

// wantsDiscover reports whether an error that initialize was answered with is that of a server
// which knows only what came after it.
func wantsDiscover(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (slices.Contains([]int64{jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, mcp.CodeUnsupportedProtocolVersion}, e.Code) ||
		wantsVersion.MatchString(e.Message+string(e.Data)))
}

var wantsVersion = regexp.MustCompile(`(?i)protocol|version|` + firstDiscover)

// claims are capabilities as a client claims them: an object for each part of a name. The
// protocol has but one member of another kind.
func claims(names []string) map[string]any {
	all := map[string]any{}
	for _, name := range names {
		at := all
		for part := range strings.SplitSeq(name, ".") {
			if part == "listChanged" {
				at[part] = true
				break
			}
			inner, ok := at[part].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[part] = inner
			}
			at = inner
		}
	}
	return all
}

// checkTarget refuses a file that couldn't be written before a server is started for
// it.
func checkTarget(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fail.New("%s is no file", text.Printable(path)).Hint("name one to write, such as server.jsonl")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail.Path(path, err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fail.New("there is no folder %s", text.Printable(filepath.Dir(path)))
	}
	return nil
}

// cut is printable for a text of the server's inside a sentence of ours.
func cut(s string) string {
	const most = 300 // bytes: an error's message, not a page
	if len(s) <= most {
		return text.Printable(s)
	}
	return text.Printable(strings.ToValidUTF8(s[:most], "")) + fmt.Sprintf(" (and %s)", text.Count(len(s)-most, "more byte"))
}
