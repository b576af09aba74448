package mcp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"pinproof/internal/fail"
)

// A webSession is one session with a server at an address. If the server ends it, the guard begins another one with an initialize, and
// what the client sends from then on belongs to that one.
type webSession struct {
	id string // the server's, "" for none

	// Where the server wants to be asked, once ready is closed.
	endpoint *url.URL
	ready    chan struct{}

	// The last session is over, and no initialize has been sent since.
	isUnbegun bool
}

// newSession returns a session that hasn't begun. A server of HTTP+SSE names the endpoint of each session.
func (r *remote) newSession() *webSession {
	s := &webSession{ready: make(chan struct{})}
	if !r.SSE {
		s.endpoint = r.address
		close(s.ready)
	}
	return s
}

// over notes that a session is over, and has the next one begin. It returns false if the last session was over only a moment ago: a call
// could meet the end of one session after another.
func (r *remote) over(s *webSession) bool {
	r.mu.Lock()
	isNew := r.session == s
	if isNew && !r.SSE && time.Since(r.overAt) < renewAfter {
		r.mu.Unlock()
		return false
	}
	if isNew {
		r.session = r.newSession()
		r.session.isUnbegun = true
		r.overAt = time.Now()
	}
	r.mu.Unlock()
	if isNew {
		r.put(Received{Err: fail.New("its session is over, and a new one begins"), Renews: true})
	}
	return true
}

// lose reports that the requests of a session whose only stream is cut have no answer.
func (r *remote) lose(s *webSession) {
	var lost []*post
	r.mu.Lock()
	for _, p := range r.waiting {
		if p.session == s && p.isSent {
			lost = append(lost, p)
		}
	}
	r.mu.Unlock()
	for _, p := range lost {
		r.fail(p, errStreamEnded)
	}
}

// await waits until a message may be sent. It refuses one that was meant for a session that is over.
func (r *remote) await(p *post) error {
	select {
	case <-p.session.ready:
	case <-time.After(PlacePatience):
		return fail.New("it doesn't say at which address it wants to be asked")
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// Since 2026-07-28, there are no sessions.
	if p.revision < FirstDiscover && (p.session != r.session || p.session.isUnbegun) {
		return errOver
	}
	p.isSent = true
	return nil
}

// stand opens the standalone stream, before the server is told that the client is initialized: the server may send something in reply to
// that. A server need not have such a stream, and clients take answers on it, too. stand waits a moment. Some servers refuse the stream
// until they have that message, so it is asked for once more.
func (r *remote) stand(initialized *post) {
	ctx, cancel := context.WithCancel(r.ctx)
	r.mu.Lock()
	if r.standing != nil { // of a session that is over
		r.standing()
	}
	r.standing = cancel
	r.mu.Unlock()
	opened, opens := context.WithTimeout(r.ctx, standPatience)
	go func() {
		resp, err := r.stream(ctx, "")
		opens()
		if err != nil {
			<-initialized.done
			resp, err = r.stream(ctx, "")
		}
		if err == nil {
			r.follow(nil, resp)
		}
	}()
	<-opened.Done()
}

// follow passes on the messages of an event stream. If the stream ends too early, follow asks the server
// for the rest, as often as the server answers: the rest may come in pieces. The standalone stream,
// which belongs to no message, always ends too early. With the one stream of HTTP+SSE a session ends, too; in a
// capture, or if no session ever began, that is an error.
func (r *remote) follow(p *post, resp *http.Response) error {
	last := ""
	ctx := resp.Request.Context() // for a message's stream, it ends when the message is cancelled
	for {
		at, wait, err := r.read(p, resp)
		wait = max(cmp.Or(wait, resumeAfter), minWait)
		last = cmp.Or(at, last)
		isOpen := p == nil || r.waits(p)
		if err != nil || !isOpen {
			return err
		}
		if r.SSE {
			r.mu.Lock()
			s := r.session
			before := r.overAt
			r.mu.Unlock()
			if r.rec != nil || s.endpoint == nil && before.IsZero() {
				return errStreamEnded
			}
			r.over(s)
			r.lose(s)
			wait = max(wait, time.Until(before.Add(renewAfter)))
			last = ""
		} else if p != nil && last == "" {
			return errStreamEnded
		}
		for try := 0; ; try++ {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil
			}
			if resp, err = r.stream(ctx, last); err == nil {
				break
			} else if try == maxTries || r.rec != nil {
				return err
			}
		}
	}
}

// stream asks for the standalone stream or, with the id of an event, for what came after that event.
func (r *remote) stream(ctx context.Context, last string) (*http.Response, error) {
	resp, err := r.do(ctx, http.MethodGet, nil, "Accept", "text/event-stream", "Last-Event-Id", last)
	if err == nil && !isStream(resp) {
		resp.Body.Close()
		err = unusable(resp)
	}
	return resp, err
}

// read passes on the messages of an event stream until it ends or is cut off. No answer among them
// can be to a request that was sent after the message that the stream belongs to or, on the
// standalone stream, after the answer came. read returns the id of the last event, how long the
// server wants to be left alone, and why what came is refused.
func (r *remote) read(p *post, resp *http.Response) (last string, wait time.Duration, err error) {
	defer resp.Body.Close()
	placed := !r.SSE // the first event of HTTP+SSE names the endpoint
	err = readEvents(resp.Body, r.rec, func(e event) error {
		last = cmp.Or(e.id, last)
		wait = cmp.Or(e.retry, wait)
		if !placed && e.kind == "endpoint" {
			at, err := r.address.Parse(string(e.data))
			if err != nil || !sameOrigin(at, r.address) {
				return fail.New("it wants to be asked at another address")
			}
			placed = true
			r.mu.Lock()
			defer r.mu.Unlock()
			r.session.endpoint = at
			close(r.session.ready)
			return nil
		}
		if !placed {
			return fail.New(notMessage)
		}
		if e.kind != "" && e.kind != "message" || len(e.data) == 0 {
			return nil
		}
		if p != nil {
			return r.hand(e.data, p.asked)
		}
		return r.hand(e.data, e.asked)
	})
	if !errors.As(err, new(*fail.Error)) {
		err = nil // it was cut off
	} else if p == nil || err == ErrTooLarge { // what can't be read may be the answer to anything
		r.stop(err)
	}
	return last, wait, err
}
