package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"pinproof/internal/capture"
)

// A lineConn is the connection to a stdio server. It records every line as it came, and
// hands on those that are messages to every client.
type lineConn struct {
	p   *Process
	rec *record

	messages chan jsonrpc.Message
	err      error // once messages is closed
	done     chan struct{}
	once     sync.Once // Close
}

func newLineConn(p *Process, rec *record) *lineConn {
	c := &lineConn{p: p, rec: rec, messages: make(chan jsonrpc.Message), done: make(chan struct{})}
	go func() {
		c.err = c.receive(p)
		close(c.messages)
	}()
	return c
}

// receive reads until the end. An answer must not come before its request, so the requests
// count that were sent when a line began to come.
func (c *lineConn) receive(from io.Reader) error {
	counted := c.rec.counted(from)
	in := bufio.NewReaderSize(counted, 64<<10)
	for {
		in.Peek(1) // waits for what comes
		asked := counted.asked
		line, err := in.ReadBytes('\n')
		c.rec.add(line)
		m, bad := c.message(line, asked)
		if bad != nil {
			return bad
		}
		if m != nil {
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
func (c *lineConn) message(line []byte, asked int64) (jsonrpc.Message, error) {
	found, err := capture.Messages(line)
	switch {
	case err != nil && !json.Valid(line):
		return nil, c.rec.refuse("what it sent is no message of the protocol: "+err.Error(), line)
	case err == nil && (len(found) == 0 || found[0].Get("id").Kind == 'n'):
		return nil, nil
	}
	if why := noAnswer(line, asked); why != "" {
		return nil, c.rec.refuse(why, line)
	}
	m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(line))
	if err != nil {
		return nil, c.rec.refuse("what it sent is no message of the protocol", line)
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
	_, err = c.p.In.Write(append(text, '\n'))
	return err
}

// Close ends the session; the server is ended elsewhere.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c *lineConn) SessionID() string { return "" }
