package mcp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"pinproof/internal/fail"
)

// listen hands on what the server says on the one stream of HTTP+SSE. Where that is cut, it is opened again, as long as
// the server once was there: with it begins a session anew.
func (r *remote) listen() error {
	resp, err := r.stream(r.ctx, "")
	for err == nil {
		var wait time.Duration
		_, wait, err = r.read(nil, resp)
		if err != nil {
			break
		}
		if r.rec != nil || !r.cut() {
			return errStreamEnded
		}
		resp, err = r.openAgain(wait)
	}
	return err
}

// cut takes note that the session is over: nothing is asked until the next one has begun, and what was asked has no
// answer. It reports false where the session never began.
func (r *remote) cut() bool {
	r.mu.Lock()
	if r.begun == 0 {
		r.mu.Unlock()
		return false
	}
	release(r.ready)
	r.ready = make(chan struct{})
	var lost []*post
	for _, p := range r.waiting {
		if p.isSent {
			lost = append(lost, p)
		}
	}
	r.mu.Unlock()
	for _, p := range lost {
		r.fail(p, errStreamEnded)
	}
	if r.ctx.Err() == nil {
		r.sayAnew()
	}
	return true
}

// release closes a channel that may be closed. Whoever calls it holds the lock.
func release(ready chan struct{}) {
	select {
	case <-ready:
	default:
		close(ready)
	}
}

// openAgain asks for the stream again, as often as it may.
func (r *remote) openAgain(wait time.Duration) (resp *http.Response, err error) {
	wait = max(cmp.Or(wait, resumeAfter), minWait, time.Until(r.renewed.Add(renewAfter)))
	for try := 0; try < maxTries; try++ {
		select {
		case <-time.After(wait):
		case <-r.ctx.Done():
			return nil, context.Cause(r.ctx)
		}
		r.renewed = time.Now()
		if resp, err = r.stream(r.ctx, ""); err == nil {
			return resp, nil
		}
		wait = resumeAfter
	}
	return nil, err
}

// place takes where the server wants to be asked. Where that begins a session anew, it has to know the client first.
func (r *remote) place(at *url.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoint = at
	r.begun++
	if r.begun == 1 || r.greeting == nil {
		release(r.ready)
		return
	}
	greeting := r.greeting
	ready := r.ready
	// Its answer comes on the stream, which is being read.
	go func() {
		r.send(greeting, true)
		r.send([]byte(initialized), true)
		r.mu.Lock()
		release(ready)
		r.mu.Unlock()
	}()
}

// isOver reports whether a server doesn't know the session any more. It has to say so with 404; many say
// 400, and in words that there is no such session.
func isOver(resp *http.Response) bool {
	if resp.StatusCode != http.StatusBadRequest {
		return resp.StatusCode == http.StatusNotFound
	}
	begin, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body}
	return bytes.Contains(bytes.ToLower(begin), []byte("session"))
}

// sessionOf is the session that a request was sent in, or "".
func sessionOf(resp *http.Response) string { return resp.Request.Header.Get("Mcp-Session-Id") }

// renew begins a session anew with the client's own initialize, if no other message has. The server
// may be another by now: its answer is judged, and its lists count as changed.
// It reports whether a message may be sent in a new one: not where calls meet one end after the other.
func (r *remote) renew(session string) bool {
	if session == "" || r.rec != nil {
		return false
	}
	r.renewing.Lock()
	defer r.renewing.Unlock()
	r.mu.Lock()
	now := r.session
	greeting := r.greeting
	r.mu.Unlock()
	if now != session || time.Since(r.renewed) < renewAfter {
		return now != session
	}
	r.renewed = time.Now()
	r.sayAnew()
	r.send(greeting, true)
	r.send([]byte(initialized), true)
	return true
}

// sayAnew tells a person, and the client that every list counts as changed.
func (r *remote) sayAnew() {
	r.put(Said{Err: fail.New("its session is over, and a new one begins")})
	// First, or a call could come before the new list.
	for _, list := range []string{"tools", "prompts", "resources"} {
		r.hand([]byte(`{"jsonrpc":"2.0","method":"notifications/`+list+`/list_changed"}`), 0)
	}
}

// await waits until a message may be sent. A call of a session that is over may not.
func (r *remote) await(p *post) error {
	late := time.After(PlacePatience)
	for {
		r.mu.Lock()
		ready := r.ready
		r.mu.Unlock()
		if !p.begins {
			select {
			case <-ready:
			case <-late:
				return fail.New("it doesn't say at which address it wants to be asked")
			case <-r.ctx.Done():
				return context.Cause(r.ctx)
			}
		}
		r.mu.Lock()
		isReady := ready == r.ready
		isOld := p.begun > 0 && p.begun != r.begun && p.calls()
		p.isSent = isReady && !isOld
		r.mu.Unlock()
		if isReady && isOld {
			return errAnew
		}
		if isReady {
			return nil
		}
	}
}
