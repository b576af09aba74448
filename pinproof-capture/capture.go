package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// A capture is what a server sent, to the byte, and what there is of it.
type capture struct {
	data    []byte
	told    *greeting
	elapsed time.Duration
}

// String is one line: "instructions, 14 tools, 2 prompts in 1.3 s".
func (c *capture) String() string {
	var parts []string
	if c.told.instructions {
		parts = append(parts, "instructions")
	}
	for i, l := range lists {
		if n := c.told.counts[i]; n > 0 || l.member == "tools" && c.told.claims(l) {
			parts = append(parts, plural(n, l.noun))
		}
	}
	if parts == nil {
		parts = []string{"nothing"}
	}
	return fmt.Sprintf("%s in %.1f s", strings.Join(parts, ", "), c.elapsed.Seconds())
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
	return c.String(), writeWhole(path, c.data)
}

// patience is how much of the timeout a server may be silent at initialize. Tests set it.
var patience = func(timeout time.Duration) time.Duration { return timeout / 2 }

// run captures the server, which has ended when it returns. The error is a *failure.
func (s source) run(ctx context.Context, o *options) (*capture, error) {
	if ctx.Err() != nil {
		return nil, fail("interrupted") // those of a configuration that wait for their turn
	}
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	rec := &record{}
	ses := &session{protocol: o.protocol}
	var transport mcp.Transport
	var reason func(error) *failure
	said := func() []string { return nil }
	var err error
	if s.url != "" {
		var r *remote
		if r, transport, err = newRemote(s, rec); err != nil {
			return nil, err
		}
		reason, ses.agreed = r.reason, func(revision string) { r.revision.Store(revision) }
		ses.redial = func() (mcp.Connection, error) {
			ses.conn.Close()
			return transport.Connect(limited)
		}
	} else {
		var p *process
		if p, transport, err = start(s, rec); err != nil {
			return nil, err
		}
		defer p.stop()
		// A server that never reads can't hold us up beyond the limit.
		defer context.AfterFunc(limited, func() { p.in.Close() })()
		reason, said = p.reason, p.said
	}
	var g *greeting
	if ses.conn, err = transport.Connect(limited); err == nil {
		defer func() { ses.conn.Close() }()
		if g, err = ses.begin(limited, patience(o.timeout)); err == nil {
			err = ses.all(limited, g)
		}
	}
	data, bad := rec.finish()
	var f *failure
	switch {
	case err == nil && bad == nil:
		return &capture{data, g, time.Since(begin)}, nil
	case ctx.Err() != nil:
		f = fail("interrupted")
	case bad != nil:
		f = fail("%s", bad)
	case limited.Err() != nil:
		f = fail("no answer in %s", plural(int(o.timeout.Seconds()), "second")).
			hint("--timeout %d waits longer", 4*int(o.timeout.Seconds()))
	default:
		if !errors.As(err, &f) {
			f = reason(err)
		}
		if f == nil {
			f = fail("what it sent is no message of the protocol: %s", cut(err.Error()))
		} else if s.url == "" && !ses.met && o.protocol < firstDiscover {
			f.hint("if it speaks only revision %s: --protocol %[1]s", firstDiscover)
		}
	}
	f.said = said()
	return nil, f
}
