package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"pinproof/internal/manifest"
)

// A lineConn is the connection to a stdio server. It records every line as it came, and
// hands on those that are messages to every client.
type lineConn struct {
	p    *process
	rec  *record
	sent atomic.Int64 // the id of the last request

	messages chan jsonrpc.Message
	err      error // once messages is closed
	done     chan struct{}
	once     sync.Once // Close
}

func newLineConn(p *process, rec *record) *lineConn {
	c := &lineConn{p: p, rec: rec, messages: make(chan jsonrpc.Message), done: make(chan struct{})}
	go func() {
		c.err = c.receive(p)
		close(c.messages)
	}()
	return c
}

// receive reads until the end. All that came at once is looked at before any of it is
// answered: an answer must not come before its request.
func (c *lineConn) receive(from io.Reader) error {
	in := bufio.NewReaderSize(c.rec.counted(from), 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		var came []jsonrpc.Message
		for {
			c.rec.add(line)
			m, bad := c.message(line)
			if bad != nil {
				return bad
			}
			if m != nil {
				came = append(came, m)
			}
			waiting, _ := in.Peek(in.Buffered())
			if err != nil || bytes.IndexByte(waiting, '\n') < 0 {
				break
			}
			line, err = in.ReadBytes('\n')
		}
		for _, m := range came {
			select {
			case c.messages <- m:
			case <-c.done:
				return io.EOF
			}
		}
		if err != nil {
			return err
		}
	}
}

// message returns the message of a line, or nil for noise. An error whose id is null
// answers nothing. What clients could read differently is for pinproof to refuse, with the
// place.
func (c *lineConn) message(line []byte) (jsonrpc.Message, error) {
	found, err := manifest.Messages(line)
	switch {
	case err != nil && !json.Valid(line):
		return nil, c.rec.refuse("what it sent is no message of the protocol: "+err.Error(), line)
	case err == nil && (len(found) == 0 || found[0].Get("id").Kind == 'n'):
		return nil, nil
	case !plainAnswer(line):
		return nil, c.rec.refuse(notPlain, line)
	}
	m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(line))
	if err != nil {
		return nil, c.rec.refuse("what it sent is no message of the protocol", line)
	}
	if answer, ok := m.(*jsonrpc.Response); ok {
		if id, ok := answer.ID.Raw().(int64); !ok || id < 1 || id > c.sent.Load() {
			return nil, c.rec.refuse("it sent an answer to a request that was not sent", line)
		}
	}
	return m, nil
}

func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-c.messages:
		if !ok {
			return nil, c.err
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if request, ok := m.(*jsonrpc.Request); ok && request.IsCall() {
		if id, ok := request.ID.Raw().(int64); ok {
			c.sent.Store(id)
		}
	}
	_, err = c.p.in.Write(append(text, '\n'))
	return err
}

// Close ends the session; the server is ended elsewhere.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c *lineConn) SessionID() string { return "" }
