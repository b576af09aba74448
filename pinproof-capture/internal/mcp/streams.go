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

// A webSession is one session over HTTP. If the server ends it, the guard begins another one with an initialize, and
// the client's later messages belong to the new session.
type webSession struct {
	id string // from the server; "" for none

	// The URL for requests, set before ready is closed.
	endpoint *url.URL
	ready    chan struct{}

	// The previous session has ended, and no initialize has been sent since.
	isUnbegun bool
}

// newSession returns a session that hasn't begun. An HTTP+SSE server sends the endpoint of each session later.
func (r *remote) newSession() *webSession {
	s := &webSession{ready: make(chan struct{})}
	if !r.SSE {
		s.endpoint = r.address
		close(s.ready)
	}
	return s
}

// over replaces a session that has ended by a new session. It returns false if the previous session ended less than
// renewAfter ago, because one call could otherwise renew sessions forever. With HTTP+SSE, it fails the requests that
// were sent in the session, because their responses could only arrive on the stream that has ended.
func (r *remote) over(s *webSession) bool {
	r.mu.Lock()
	isNew := r.session == s
	var lost []*post
	mayRenew := r.SSE || time.Since(r.overAt) >= renewAfter
	if isNew && mayRenew {
		r.session = r.newSession()
		r.session.isUnbegun = true
		r.overAt = time.Now()
		for _, p := range r.waiting {
			if r.SSE && p.session == s && p.isSent {
				lost = append(lost, p)
			}
		}
	}
	r.mu.Unlock()
	if isNew && mayRenew {
		r.put(Received{Err: fail.New("its session is over, and a new one begins"), SessionExpired: true})
	}
	for _, p := range lost {
		r.fail(p, errStreamEnded)
	}
	return mayRenew || !isNew
}

// await waits until a message may be sent. It returns errOver if the message was meant for a session that has ended.
func (r *remote) await(p *post) error {
	select {
	case <-p.session.ready:
	case <-time.After(EndpointTimeout):
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

// stand opens the standalone stream before the server gets notifications/initialized, because the server may send
// messages right after it. The stream is optional, and responses may arrive on it. stand waits at most standPatience.
// Some servers refuse the stream until they have received the notification, so a refused request is repeated once.
func (r *remote) stand(initialized *post) {
	ctx, cancel := context.WithCancel(r.ctx)
	r.mu.Lock()
	if r.standing != nil { // the stream of a session that has ended
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

// follow delivers the messages of an event stream. If the stream ends before the response, follow reconnects to get the
// rest, as long as the server responds. The standalone stream (p is nil) has no response, so follow always reconnects.
// HTTP+SSE has only this stream, so its session ends with the stream; in a capture, or if no session ever began, that
// is an error.
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

// stream requests the standalone stream or, with an event's ID (last), the events after it.
func (r *remote) stream(ctx context.Context, last string) (*http.Response, error) {
	resp, err := r.do(ctx, http.MethodGet, nil, "Accept", "text/event-stream", "Last-Event-Id", last)
	if err == nil && !isStream(resp) {
		resp.Body.Close()
		err = unusable(resp)
	}
	return resp, err
}

// read delivers the messages of an event stream until it ends. A response on it can only answer requests sent before
// the message that the stream belongs to or, on the standalone stream, before the event. read returns the ID of the
// last event, the server's reconnection delay, and why an event was rejected.
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
			e.asked = p.asked
		}
		return r.hand(e.data, e.asked)
	})
	if !errors.As(err, new(*fail.Error)) {
		err = nil // the connection broke off
	} else if p == nil || err == ErrTooLarge { // an unreadable message may be any request's response
		r.stop(err)
	}
	return last, wait, err
}
