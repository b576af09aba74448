package mcp

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A listener is a connection to a server at an address that hears its standalone stream,
// too: clients open one with GET after initialize, and take answers from it.
type listener struct {
	sdk.Connection
	ctx    context.Context
	remote *remote
	url    string

	heard chan heard // from either stream
}

type heard struct {
	m   jsonrpc.Message
	err error
}

// newListener reads from a connection until it ends.
func newListener(ctx context.Context, conn sdk.Connection, r *remote, url string) *listener {
	l := &listener{conn, ctx, r, url, make(chan heard)}
	go func() {
		for {
			m, err := conn.Read(ctx)
			if !l.tell(m, err) || err != nil {
				return
			}
		}
	}()
	return l
}

// tell hands on what was heard, and reports whether the capture still runs.
func (l *listener) tell(m jsonrpc.Message, err error) bool {
	select {
	case l.heard <- heard{m, err}:
		return true
	case <-l.ctx.Done():
		return false
	}
}

func (l *listener) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case h := <-l.heard:
		return h.m, h.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listen opens the standalone stream. A server need not have one.
func (l *listener) listen() {
	req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, l.url, nil)
	if err != nil {
		return
	}
	req.Header.Set("Accept", "text/event-stream")
	if id := l.SessionID(); id != "" {
		req.Header.Set("Mcp-Session-Id", id)
	}
	go func() {
		resp, err := (&http.Client{Transport: l.remote, CheckRedirect: l.remote.checkRedirect}).Do(req)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") || resp.StatusCode != http.StatusOK {
			return
		}
		in := bufio.NewReader(resp.Body) // in the plainest spelling there is; see eventTee
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(data)); err == nil && !l.tell(m, nil) {
					return
				}
			}
		}
	}()
}
