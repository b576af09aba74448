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

// listen passes on what the server sends on the one stream of HTTP+SSE. If the stream is cut, listen opens it
// again, and with it begins a new session. In a capture, or if no session ever began, it returns an error instead.
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

// cut notes that the session is over. No message is sent until the next session has begun, and the
// requests that were sent get an error. It returns false if no session ever began.
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

// release closes a channel unless it is closed already. The caller holds r.mu.
func release(ready chan struct{}) {
	select {
	case <-ready:
	default:
		close(ready)
	}
}

// openAgain asks for the stream again, at most maxTries times.
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

// place takes the address at which the server wants to be asked. If a new session begins there, the
// server has to know the client first.
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
	// In a goroutine, because the answer comes on the stream that the caller is reading.
	go func() {
		r.send(greeting, true)
		r.send([]byte(Initialized), true)
		r.mu.Lock()
		release(ready)
		r.mu.Unlock()
	}()
}

// isOver reports whether a server no longer knows the session. The protocol wants a 404 for that;
// many servers answer with 400, and with words about the session.
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

// sessionOf returns the ID of the session that a request was sent in, or "".
func sessionOf(resp *http.Response) string { return resp.Request.Header.Get("Mcp-Session-Id") }

// renew begins a new session with the client's own initialize, unless another message already has.
// The server may be a different one by now, so its answer and its lists are judged again.
// renew reports whether the message may be sent again, in the new session. It may not if the last
// session began a moment ago, because a call could meet the end of one session after another.
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
	r.mu.Lock()
	r.ready = make(chan struct{}) // other messages wait
	r.mu.Unlock()
	r.send(greeting, true)
	r.send([]byte(Initialized), true)
	r.mu.Lock()
	release(r.ready)
	r.mu.Unlock()
	return true
}

// sayAnew tells a person that a new session begins. What the client sends from now on belongs to that session.
func (r *remote) sayAnew() {
	r.put(Said{Err: fail.New("its session is over, and a new one begins"), Renews: true})
}

// await waits until a message may be sent. It refuses a call that was meant for a session that is over.
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
