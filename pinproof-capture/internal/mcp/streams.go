package mcp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"pinproof/internal/fail"
)

// stand opens the standalone stream, before the server is told that the client is initialized: the server may send something in reply to
// that. A server need not have such a stream, and clients take answers on it, too. stand waits a moment, and returns a channel for whether
// the server refuses the stream.
func (r *remote) stand() (refused <-chan bool) {
	ctx, cancel := context.WithCancel(r.ctx)
	r.mu.Lock()
	if r.standing != nil { // of a session that is over
		r.standing()
	}
	r.standing = cancel
	r.mu.Unlock()
	answer := make(chan bool, 1)
	opened, opens := context.WithTimeout(r.ctx, standPatience)
	go func() {
		resp, err := r.stream(ctx, "")
		answer <- err != nil
		opens()
		if err == nil {
			r.follow(nil, resp)
		}
	}()
	<-opened.Done()
	return answer
}

// follow passes on the messages of an event stream. If the stream ends too early, follow asks the server
// for the rest, as often as the server answers: the rest may come in pieces. The standalone stream,
// which belongs to no message, always ends too early.
func (r *remote) follow(p *post, resp *http.Response) error {
	last := ""
	ctx := resp.Request.Context() // for a message's stream, it ends when the message is cancelled
	for {
		at, wait, err := r.read(p, resp)
		switch last = cmp.Or(at, last); {
		case err != nil || p != nil && !r.waits(p):
			return err
		case p != nil && last == "":
			return errStreamEnded
		}
		for try := 0; ; try++ {
			select {
			case <-time.After(max(cmp.Or(wait, resumeAfter), minWait)):
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
		err = r.unusable(resp)
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
			r.place(at)
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
