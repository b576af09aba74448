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

// cut notes that the session is over. No message is sent until the server names an address again, and the requests that were sent get an
// error. It returns false if the server never named an address.
func (r *remote) cut() bool {
	r.mu.Lock()
	if r.endpoint == r.address {
		r.mu.Unlock()
		return false
	}
	r.isOver = true
	select {
	case <-r.ready:
		r.ready = make(chan struct{})
	default:
	}
	var lost []*post
	for _, p := range r.waiting {
		if p.isSent {
			lost = append(lost, p)
		}
	}
	r.mu.Unlock()
	if r.ctx.Err() == nil {
		r.renew()
	}
	for _, p := range lost {
		r.fail(p, errStreamEnded)
	}
	return true
}

// openAgain asks for the stream again, at most maxTries times.
func (r *remote) openAgain(wait time.Duration) (resp *http.Response, err error) {
	wait = max(cmp.Or(wait, resumeAfter), minWait, time.Until(r.overAt.Add(renewAfter)))
	for try := 0; try < maxTries; try++ {
		select {
		case <-time.After(wait):
		case <-r.ctx.Done():
			return nil, context.Cause(r.ctx)
		}
		r.overAt = time.Now()
		if resp, err = r.stream(r.ctx, ""); err == nil {
			return resp, nil
		}
		wait = resumeAfter
	}
	return nil, err
}

// place takes the address at which the server wants to be asked.
func (r *remote) place(at *url.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoint = at
	close(r.ready)
}

// isForgotten reports whether a server no longer knows the session. The protocol wants a 404 for that;
// many servers answer with 400, and with words about the session.
func isForgotten(resp *http.Response) bool {
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

// ends reports whether a request met the end of its session, so that it belongs into the next one. It begins the next session, unless the
// last one ended a moment ago: a call could meet the end of one session after another.
func (r *remote) ends(p *post, resp *http.Response) bool {
	session := sessionOf(resp)
	if p.id == nil || session == "" || r.rec != nil || !isForgotten(resp) {
		return false
	}
	r.mu.Lock()
	isOther := r.session != session
	isNew := !isOther && time.Since(r.overAt) >= renewAfter
	if isNew {
		r.isOver = true
		r.overAt = time.Now()
		r.session = ""
	}
	r.mu.Unlock()
	if isNew {
		r.renew()
	}
	return isOther || isNew
}

// renew has the next session begin, with an initialize from the guard. What the client sends from now on belongs to that session.
func (r *remote) renew() {
	r.put(Said{Err: fail.New("its session is over, and a new one begins"), Renews: true})
}

// await waits until a message may be sent. It refuses one that was meant for a session that is over.
func (r *remote) await(p *post) error {
	r.mu.Lock()
	ready := r.ready
	r.mu.Unlock()
	select {
	case <-ready:
	case <-time.After(PlacePatience):
		return fail.New("it doesn't say at which address it wants to be asked")
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// Since 2026-07-28, there are no sessions.
	if p.revision < FirstDiscover && r.rec == nil && (r.isOver || p.number != r.number) {
		return errOver
	}
	p.isSent = true
	return nil
}
