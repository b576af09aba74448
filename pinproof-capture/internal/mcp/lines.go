package mcp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"

	"pinproof/internal/capture"
)

// A conn carries requests to a server, and hands on what it says.
type conn interface {
	send(ctx context.Context, r request) error
	receive(ctx context.Context) (*message, error)
	close()
}

// An inbox hands on what comes to a session, from one stream or several, until ctx ends.
type inbox struct {
	ctx  context.Context
	came chan received
}

type received struct {
	m   *message
	err error
}

func newInbox(ctx context.Context) inbox { return inbox{ctx, make(chan received)} }

// put hands on a message or an error, and reports whether the session still goes on.
func (b inbox) put(m *message, err error) bool {
	select {
	case b.came <- received{m, err}:
		return true
	case <-b.ctx.Done():
		return false
	}
}

func (b inbox) receive(ctx context.Context) (*message, error) {
	select {
	case r := <-b.came:
		return r.m, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// The lines of a stdio server are its connection. Every line is recorded as it came; those that
// are messages to every client are handed on.
type lines struct {
	inbox
	p   *Process
	rec *record
}

func newLines(ctx context.Context, p *Process, rec *record) *lines {
	l := &lines{newInbox(ctx), p, rec}
	go func() {
		for err := l.read(p); l.put(nil, err); {
		}
	}()
	return l
}

// read reads until the end. An answer must not come before its request, so the requests
// count that were sent when a line began to come.
func (l *lines) read(from io.Reader) error {
	counted := l.rec.counted(from)
	in := bufio.NewReaderSize(counted, 64<<10)
	for {
		in.Peek(1) // waits for what comes
		asked := counted.asked
		line, err := in.ReadBytes('\n')
		l.rec.add(line)
		m, bad := l.message(line, asked)
		if bad != nil {
			return bad
		}
		if err != nil || m != nil && !l.put(m, nil) {
			return err
		}
	}
}

// message returns the message of a line, or nil for noise. An error whose id is null
// answers nothing. What clients could read differently is for pinproof to refuse, with the
// place.
func (l *lines) message(line []byte, asked int64) (*message, error) {
	const noMessage = "what it sent is no message of the protocol"
	found, err := capture.Messages(line)
	switch {
	case err != nil && !json.Valid(line):
		return nil, l.rec.refuse(noMessage+": "+err.Error(), line)
	case err == nil && (len(found) == 0 || found[0].Get("id").Kind == 'n'):
		return nil, nil
	}
	m, why := decode(line, asked)
	if m == nil {
		return nil, l.rec.refuse(cmp.Or(why, noMessage), line)
	}
	return m, nil
}

func (l *lines) send(_ context.Context, r request) error {
	_, err := l.p.In.Write(append(r.body, '\n'))
	return err
}

// close does nothing: the server is ended elsewhere.
func (l *lines) close() {}
