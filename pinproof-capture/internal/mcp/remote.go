package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
)

// A Remote is a server at an address, in the session of a client that speaks stdio. It is read
// and written like a Process: a message a line.
type Remote struct {
	web   *web
	say   func(format string, args ...any)
	again func(answer []byte) error

	ctx   context.Context
	stop  context.CancelFunc
	lines *io.PipeReader
	out   *io.PipeWriter // takes whole lines, from one stream at a time
	once  sync.Once      // Stop

	renewing sync.Mutex // one begins the session anew, and the others wait for it

	mu       sync.Mutex // what follows, and the session and the revision of web
	waiting  map[string]*post
	closed   bool               // the client says no more
	greeting []byte             // the client's last initialize
	unlisten context.CancelFunc // ends the standalone stream
	exit     int
}

// A post is a line of the client's on its way to the server.
type post struct {
	body           []byte
	ids            map[string][]byte // of the requests in it, as they are spelled
	method         string
	name, revision string        // what headers say of it since 2026-07-28
	ours           bool          // it begins a session anew: its answer is not for the client
	open           int           // how many of its requests wait
	done           chan struct{} // closed once it is taken or answered
}

const (
	dialPatience = 30 * time.Second
	// A client's line waits for the one before it if that one is no request: the server is to
	// get them in their order. No server may hold the client up with it for longer.
	linePatience = 10 * time.Second
	minWait      = 100 * time.Millisecond // before a stream is asked for, whatever the server says
	maxWait      = time.Minute            // between two askings for it
	maxTries     = 8                      // to get it back, after a second, two, four and so on
	codeNoAnswer = -32091                 // within the range that JSON-RPC leaves to servers

	// The words may reach a model, so they are ours alone.
	wordsNoAnswer = "pinproof: the server gave no answer that can be used. A person finds the reason in the log of this server."
)

// Connect begins a session with a server at an address. say tells a person something. again
// judges the answer to the client's initialize where the session is begun anew; its error ends
// the session.
func Connect(ctx context.Context, s Server, say func(string, ...any), again func(answer []byte) error) (*Remote, error) {
	r := &Remote{say: say, again: again, waiting: map[string]*post{}, unlisten: func() {}}
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.lines, r.out = io.Pipe()
	defer context.AfterFunc(ctx, r.stop)()
	defer time.AfterFunc(dialPatience, r.stop).Stop()
	var err error
	r.web, err = dial(r.ctx, s, &record{}, func(w *web, body io.Reader, endpoint func(string)) error {
		_, _, err := r.read(nil, body, endpoint)
		r.end(cmp.Or[error](err, errStreamEnded))
		return err
	})
	if err != nil {
		r.stop()
		return nil, err
	}
	r.web.ctx = context.Background() // it says goodbye when all else is over
	return r, nil
}

// Read reads what the server says.
func (r *Remote) Read(b []byte) (int, error) { return r.lines.Read(b) }

// end ends the session; its reader gets err.
func (r *Remote) end(err error) {
	r.out.CloseWithError(err)
	r.stop()
}

// Write sends lines of the client's. What becomes of them is read.
func (r *Remote) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		r.send(newPost(bytes.Clone(line)))
	}
	return len(b), nil
}

func (r *Remote) send(p *post) {
	r.mu.Lock()
	if p.method == "initialize" {
		r.greeting = p.body
	}
	for key := range p.ids {
		r.waiting[key] = p
	}
	r.mu.Unlock()
	go r.post(p)
	if len(p.ids) > 0 && p.method != "initialize" {
		return
	}
	select {
	case <-p.done:
	case <-time.After(linePatience):
	case <-r.ctx.Done():
	}
}

// newPost reads what is to be known of a line, which a guard lets through only if it can be read
// in one way.
func newPost(line []byte) *post {
	p := &post{body: line, ids: map[string][]byte{}, done: make(chan struct{})}
	messages, _ := capture.Messages(line)
	for _, m := range messages {
		method, id, params := m.Get("method"), m.Get("id"), m.Get("params")
		if method.Kind == 0 {
			continue
		}
		if id.Kind != 0 {
			p.ids[capture.MessageID(m)] = line[id.At:id.End]
		}
		p.open = len(p.ids)
		p.method = method.Text
		p.revision = params.Get("_meta").Get("io.modelcontextprotocol/protocolVersion").Text
		switch p.method {
		case "tools/call", "prompts/get":
			p.name = params.Get("name").Text
		case "resources/read":
			p.name = params.Get("uri").Text
		}
	}
	return p
}

// post sends a line and hands on what answers it. A session that is over is begun anew.
func (r *Remote) post(p *post) {
	resp, session, err := r.ask(p)
	if err == nil && resp.StatusCode == http.StatusNotFound && session != "" && !p.ours {
		resp.Body.Close()
		r.renew(session)
		resp, _, err = r.ask(p)
	}
	if err == nil {
		err = r.take(p, resp)
	}
	if err != nil {
		r.fail(p, err)
	} else if p.method == "notifications/initialized" {
		r.listen()
	}
	if len(p.ids) == 0 {
		close(p.done)
	}
}

// header is that of a request in the session that holds.
func (r *Remote) header(accept string) (header http.Header, session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.web.header(accept), r.web.session
}

// ask sends a line, and returns with the answer in which session that was. An initialize begins
// one.
func (r *Remote) ask(p *post) (resp *http.Response, session string, err error) {
	header, session := r.header("application/json, text/event-stream")
	if p.method == "initialize" {
		header.Del("Mcp-Session-Id")
		header.Del("Mcp-Protocol-Version")
		session = ""
	}
	header.Set("Content-Type", "application/json")
	if p.revision != "" {
		header.Set("Mcp-Protocol-Version", p.revision)
	}
	if p.revision >= FirstDiscover {
		header.Set("Mcp-Method", p.method)
		if p.name != "" {
			header.Set("Mcp-Name", p.name)
		}
	}
	resp, err = r.web.do(r.ctx, http.MethodPost, header, p.body)
	if err == nil && p.method == "initialize" && resp.StatusCode < 300 {
		r.mu.Lock()
		r.web.session = resp.Header.Get("Mcp-Session-Id")
		r.mu.Unlock()
	}
	return resp, session, err
}

// take hands on what a server answers a line with. Where that is no answer to a request in it,
// the error says why, unless it may come on another stream.
func (r *Remote) take(p *post, resp *http.Response) error {
	defer resp.Body.Close()
	if isStream(resp) {
		return r.follow(r.ctx, p, resp)
	}
	isJSON := mediaType(resp) == "application/json"
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBytes+1))
	switch {
	case len(data) > MaxBytes:
		r.end(errFlood)
		return errFlood
	case err != nil:
		return fail.New("its answer broke off: %s", Excerpt(err.Error()))
	case resp.StatusCode >= 300:
		if isJSON && refuses(p, data) {
			return r.hand(data)
		}
		return unusable(resp)
	case r.web.SSE, len(bytes.TrimSpace(data)) == 0:
		return nil
	case !isJSON && len(p.ids) > 0:
		return noMessage([]byte(resp.Header.Get("Content-Type")))
	case !isJSON:
		return nil
	}
	if err = r.hand(data); err == nil && r.waits(p) {
		err = fail.New("it answered something else than the request")
	}
	return err
}

// refuses reports whether what came with a code of HTTP's is an error in answer to a request.
func refuses(p *post, data []byte) bool {
	messages, err := capture.Messages(oneLine(data))
	return err == nil && len(messages) == 1 && messages[0].Has("error") && p.ids[capture.MessageID(messages[0])] != nil
}

// follow hands on what an event stream says. Where it ends too early, the server is asked for the
// rest: as often as it answers, for it may do so in pieces. The standalone stream, which belongs
// to no line, always ends too early.
func (r *Remote) follow(ctx context.Context, p *post, resp *http.Response) error {
	last := ""
	for {
		at, wait, err := r.read(p, resp.Body, nil)
		resp.Body.Close()
		switch last = cmp.Or(at, last); {
		case err != nil || p != nil && !r.waits(p):
			return err
		case p != nil && last == "":
			return errStreamEnded
		}
		wait = min(max(cmp.Or(wait, resumeAfter), minWait), maxWait)
		for try := 0; ; try++ {
			select {
			case <-time.After(min(wait<<try, maxWait)):
			case <-ctx.Done():
				return nil
			}
			if resp, err = r.stream(ctx, last); err == nil {
				break
			} else if try == maxTries {
				return err
			}
		}
	}
}

// stream asks for the standalone stream, or for what came behind the event of that id.
func (r *Remote) stream(ctx context.Context, last string) (*http.Response, error) {
	header, _ := r.header("text/event-stream")
	if last != "" {
		header.Set("Last-Event-Id", last)
	}
	resp, err := r.web.do(ctx, http.MethodGet, header, nil)
	if err == nil && !isStream(resp) {
		err = unusable(resp)
	}
	return resp, err
}

// listen opens the standalone stream, in place of one before, if the server has it.
func (r *Remote) listen() {
	if r.web.SSE {
		return // it has but one
	}
	ctx, unlisten := context.WithCancel(r.ctx)
	r.mu.Lock()
	r.unlisten()
	r.unlisten = unlisten
	r.mu.Unlock()
	go func() {
		if resp, err := r.stream(ctx, ""); err == nil {
			r.follow(ctx, nil, resp)
		}
	}()
}

// read hands on the messages of an event stream until it ends or is cut off. It returns the id of
// the last event, how long the server wants to be left alone, and why what came is refused.
func (r *Remote) read(p *post, body io.Reader, endpoint func(string)) (last string, wait time.Duration, err error) {
	limited := &io.LimitedReader{R: body, N: MaxBytes}
	readEvents(limited, func() {}, func(e event) error {
		limited.N = MaxBytes // of each
		last, wait = cmp.Or(e.id, last), cmp.Or(e.retry, wait)
		switch {
		case e.kind == "endpoint" && endpoint != nil:
			endpoint(string(e.data))
			return nil
		case e.kind != "" && e.kind != "message" || len(e.data) == 0:
			return nil
		}
		if err = r.hand(e.data); err != nil && p == nil { // what comes behind it may answer others
			r.fail(nil, err)
			err = nil
		}
		return err
	})
	if limited.N <= 0 {
		err = errFlood
		r.end(err)
	}
	return last, wait, err
}

var revisionName = regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)

// hand hands on a message or a batch, on one line. In valid JSON a line feed stands only between
// tokens; what isn't valid is refused rather than mended.
func (r *Remote) hand(data []byte) error {
	if !json.Valid(data) {
		return noMessage(data)
	}
	line := append(oneLine(data), '\n')
	messages, bad := capture.Messages(line)
	if bad != nil && !capture.HidesAnswer(line) { // or the session ends, which is the reader's to do
		return fail.New("its message is refused: %s: %s", bad, Excerpt(string(data)))
	}
	var keys []string
	ours := false
	r.mu.Lock()
	for _, m := range messages {
		p := r.waiting[capture.MessageID(m)]
		if p == nil || m.Has("method") {
			continue
		}
		keys = append(keys, capture.MessageID(m))
		ours = ours || p.ours
		if name := m.Get("result").Get("protocolVersion").Text; p.method == "initialize" && revisionName.MatchString(name) {
			r.web.revision = name
		}
	}
	r.mu.Unlock()
	var err error
	if ours {
		if err = r.again(line); err != nil {
			r.end(err)
		}
	} else {
		_, err = r.out.Write(line)
	}
	r.answered(keys...)
	return err
}

// answered takes note that requests wait no longer.
func (r *Remote) answered(keys ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		if p := r.waiting[key]; p != nil {
			delete(r.waiting, key)
			if p.open--; p.open == 0 {
				close(p.done)
			}
		}
	}
	if r.closed && len(r.waiting) == 0 {
		r.out.Close()
	}
}

// waits reports whether a request of a line is not answered yet.
func (r *Remote) waits(p *post) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return p.open > 0
}

// renew begins a session anew with the client's own initialize, if no other line has. The server
// may be another by now: its answer is judged, and its lists count as changed.
func (r *Remote) renew(session string) {
	r.renewing.Lock()
	defer r.renewing.Unlock()
	r.mu.Lock()
	now, greeting := r.web.session, newPost(r.greeting)
	r.mu.Unlock()
	if now != session {
		return
	}
	r.say("the session of the server is over, and begins anew")
	begun := newPost([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	greeting.ours, begun.ours = true, true
	r.send(greeting)
	r.send(begun)
	for _, list := range []string{"tools", "prompts", "resources"} {
		r.hand([]byte(`{"jsonrpc":"2.0","method":"notifications/` + list + `/list_changed"}`))
	}
}

// fail answers what still waits of a line, or of all lines, with words of ours, and tells a
// person why.
func (r *Remote) fail(p *post, err error) {
	if r.ctx.Err() != nil {
		return
	}
	f := fail.From(err)
	r.say("the server: %s", strings.Join(append([]string{f.Text}, f.Hints...), "\nhint: "))
	r.mu.Lock()
	var ids [][]byte
	for key, waiting := range r.waiting {
		if p == nil || waiting == p {
			ids = append(ids, waiting.ids[key])
		}
	}
	r.mu.Unlock()
	for _, id := range ids {
		r.hand(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}`, id, codeNoAnswer, wordsNoAnswer))
	}
}

// Close says that the client says no more. The reader's end comes once all is answered.
func (r *Remote) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.answered()
	return nil
}

// Signal ends the session as it would end a server.
func (r *Remote) Signal(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		r.exit = 128 + int(number)
	}
	r.end(io.EOF)
}

// Stop ends the session and says goodbye to the server.
func (r *Remote) Stop() {
	r.once.Do(func() {
		r.stop()
		r.lines.Close()
		r.web.close()
	})
}

// ExitCode is that of a process that ended the same way.
func (r *Remote) ExitCode() int { return r.exit }
