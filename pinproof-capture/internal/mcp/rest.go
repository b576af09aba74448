package mcp

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
)

// A Rest asks a server, in a session that another client began, for all that a capture asks for.
type Rest struct {
	session
	greeting *greeting
	end      context.CancelFunc
}

// RestPatience is how long a server has to answer all of it.
const RestPatience = 10 * time.Second

// firstOfRest is what the ids of its requests follow: no client counts so far, and a double holds them.
const firstOfRest = 1 << 52

// NewRest begins to ask. What the server said of itself is its result of initialize, or, with the client's
// meta, of server/discover; the client may not have told it yet that it is initialized.
func NewRest(to io.Writer, result jsontree.Value, meta map[string]any, isInitialized bool) *Rest {
	ctx, end := context.WithTimeout(context.Background(), RestPatience)
	claims, _ := jsontree.NewReader([]byte("{}")).Only()
	r := &Rest{end: end, greeting: &greeting{capabilities: result.Get("capabilities")}}
	r.session = session{to: to, ctx: ctx, came: make(chan *message), rec: &record{}, first: firstOfRest, meta: meta,
		Options: Options{Capabilities: claims, Timeout: RestPatience}}
	if meta == nil && !isInitialized {
		io.WriteString(to, initialized)
	}
	return r
}

// Take takes what the server says from now on. Answers to the client's own requests are left out.
func (r *Rest) Take(said Said) {
	if said.Err == nil {
		messages, err := capture.Messages(said.Line)
		if err == nil && (len(messages) == 0 || !messages[0].Has("method") && !r.isOurs(messages[0])) {
			return
		}
	}
	said.asked = r.rec.asked()
	// Nothing that comes can be used any more.
	if r.take(said) != nil {
		r.end()
	}
}

// isOurs reports whether a message answers one of our requests.
func (r *Rest) isOurs(m jsontree.Value) bool {
	id := m.Get("id")
	n, err := strconv.ParseInt(id.Text, 10, 64)
	return id.Kind == '0' && err == nil && n > r.first && n <= r.rec.asked()
}

// restCourtesy is how long a server has for what it need not answer: a person waits for the rest.
const restCourtesy = 200 * time.Millisecond

// Ask asks, and returns what the server said and whether that is all.
func (r *Rest) Ask() (said []byte, isWhole bool) {
	defer r.end()
	err := r.all(r.ctx, r.greeting, true)
	if err == nil {
		err = r.readFiles(r.ctx)
	}
	said, refused := r.rec.finish()
	if err != nil || refused != nil {
		return said, false
	}
	said = bytes.Clone(said)
	limited, cancel := context.WithTimeout(r.ctx, restCourtesy)
	defer cancel()
	r.rest(limited, r.greeting)
	more, refused := r.rec.finish()
	if limited.Err() != nil || refused != nil {
		return said, true
	}
	return more, true
}

// SoFar returns what the server has said of it.
func (r *Rest) SoFar() []byte {
	said, _ := r.rec.finish()
	return bytes.Clone(said)
}

// End has Ask return with what there is.
func (r *Rest) End() { r.end() }
