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

// RestPatience is how long a server has to answer all that a Rest asks for.
const RestPatience = 10 * time.Second

// firstOfRest is the number after which the ids of a Rest's requests begin. No client counts that
// far, and a float64 holds such ids exactly.
const firstOfRest = 1 << 52

// NewRest returns a Rest, whose time starts now. result is what the server answered to initialize
// or, if the client sends meta, to server/discover. Without meta, NewRest also tells the server
// that the client is initialized, if the client hasn't yet.
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
	// After an error, nothing that comes can be used any more.
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

// restCourtesy is how long a server has for requests that it needn't answer. It is short, because a
// person is waiting.
const restCourtesy = 200 * time.Millisecond

// Ask asks the server, and returns what it said and whether that is all.
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

// SoFar returns what the server has said so far.
func (r *Rest) SoFar() []byte {
	said, _ := r.rec.finish()
	return bytes.Clone(said)
}

// End makes Ask return with what has come.
func (r *Rest) End() { r.end() }
