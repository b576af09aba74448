package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
)

// A remote is a server at an address, by Streamable HTTP or, before that, by HTTP with one event
// stream for all that the server says. It is read and written like a process: a message a line.
type remote struct {
	Server
	client   http.Client
	endpoint *url.URL
	placed   chan struct{} // closed once it is known where the server wants to be asked

	ctx  context.Context
	stop context.CancelCauseFunc // ends the session
	exit int

	taking   sync.Mutex // one stream at a time says something, once somebody takes it
	take     func(Said) error
	renewing sync.Mutex // one begins the session anew, and the others wait for it
	renewed  time.Time  // when it began anew

	mu       sync.Mutex // what follows
	session  string     // the server's name for it
	revision string     // of the protocol, as initialize agreed on it
	waiting  map[string]*post
	greeting []byte            // the client's last initialize, under an id of ours
	inputs   map[string][]byte // the schemas of what tools take
	kept     int               // bytes of the answers that these are in
}

// A post is a message of the client's on its way to the server.
type post struct {
	body     []byte
	id       []byte // of a request, as it is spelled
	key      string // the same, however it is spelled
	method   string
	revision string
	headers  []string // that repeat it
	ctx      context.Context
	cancel   context.CancelFunc
	asked    int64         // what the record says was the last request
	done     chan struct{} // closed once it is taken or, of a request, answered
}

var errStreamEnded = fail.New("its event stream ended before the answer")

const (
	renewAfter   = 5 * time.Second // a session that was begun anew, or calls could meet one end after the other
	maxRedirects = 3               // more than a moved server needs; what goes on longer is a loop
	// A client's line waits for the one before it if that one is no request: the server is to
	// get them in their order. No server may hold the client up with it for longer.
	linePatience  = 10 * time.Second
	placePatience = 30 * time.Second
	resumeAfter   = time.Second            // as the official clients wait, which servers are tried with
	minWait       = 100 * time.Millisecond // before a stream is asked for, whatever the server says
	maxTries      = 100                    // to get it back
	codeNoAnswer  = -32091                 // within the range that JSON-RPC leaves to servers
)

// wordsNoAnswer may reach a model.
var wordsNoAnswer = modeltext.Say("pinproof: the server gave no answer that can be used. A person finds the reason in the log of this server.")

// connect prepares a session with a server at an address. The first line begins it.
func connect(s Server) (*remote, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fail.New("the URL is no address: https://HOST/PATH is one") // it may hold a secret
	}
	r := &remote{Server: s, endpoint: u, placed: make(chan struct{}), waiting: map[string]*post{}, inputs: map[string][]byte{}}
	r.client.CheckRedirect = checkRedirect
	r.taking.Lock()
	r.ctx, r.stop = context.WithCancelCause(context.Background())
	if !s.SSE {
		close(r.placed)
	}
	return r, nil
}

// checkRedirect follows within the same scheme, host and port only: the request
// carries the user's headers and the session's id, and what another host answers is
// not what the user named.
func checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case !sameOrigin(next.URL, via[0].URL):
		return fail.New("it redirects to another place, %s", Excerpt(next.URL.Scheme+"://"+next.URL.Host)).
			Hint("name that address yourself if you trust it")
	case len(via) > maxRedirects:
		return fail.New("it redirects more than %d times", maxRedirects)
	case next.Method != via[0].Method:
		return fail.New("it redirects so that the request is lost")
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// Lines hands on what the server says until the session ends, and says why it did.
func (r *remote) Lines(take func(Said) error) error {
	r.take = take
	r.taking.Unlock()
	if r.SSE {
		resp, err := r.stream(r.ctx, "")
		if err == nil {
			_, _, err = r.read(nil, resp)
		}
		r.stop(cmp.Or[error](err, errStreamEnded))
	}
	<-r.ctx.Done()
	if err := context.Cause(r.ctx); err != context.Canceled {
		return r.concealed(err)
	}
	return nil
}

// put hands on one thing. An error of whoever takes it ends the session.
func (r *remote) put(s Said) error {
	r.taking.Lock()
	defer r.taking.Unlock()
	if r.ctx.Err() == nil {
		if err := r.take(s); err != nil {
			r.stop(err)
		}
	}
	return context.Cause(r.ctx)
}

// Write sends lines of the client's. What becomes of them is read.
func (r *remote) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		r.send(bytes.Clone(line))
	}
	return len(b), nil
}

// send sends a message, which can be read in one way only, or what came as none.
func (r *remote) send(line []byte) {
	p := &post{body: line, asked: r.rec.asked(), done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(r.ctx)
	var m jsontree.Value
	if messages, _ := capture.Messages(line); len(messages) > 0 && messages[0].Has("method") {
		m = messages[0]
	}
	id, params := m.Get("id"), m.Get("params")
	p.method = m.Get("method").Text
	p.revision = params.Get("_meta").Get("io.modelcontextprotocol/protocolVersion").Text
	r.mu.Lock()
	of := params.Get("requestId")
	if c := r.waiting[string(of.Kind)+of.Text]; p.method == "notifications/cancelled" && c != nil {
		delete(r.waiting, c.key)
		if c.revision >= FirstDiscover { // where the end of the answer's stream says it
			c.cancel()
		}
	}
	if p.revision >= FirstDiscover {
		input, _ := jsontree.NewReader(r.inputs[params.Get("name").Text]).Only()
		p.headers = repeated(p.method, params, input)
	}
	if id.Kind != 0 {
		p.id, p.key = line[id.At:id.End], capture.MessageID(m)
		r.waiting[p.key] = p
		if p.method == "initialize" {
			r.greeting = slices.Concat(line[:id.At], []byte(`"`+OwnID+`"`), line[id.End:])
		}
	}
	r.mu.Unlock()
	go r.post(p)
	if p.id != nil && (p.method != "initialize" || r.rec != nil) { // whoever captures waits for the answer
		return
	}
	select {
	case <-p.done:
	case <-time.After(linePatience):
	case <-r.ctx.Done():
	}
}

// post sends a message and hands on what answers it. A session that is over is begun anew.
func (r *remote) post(p *post) {
	defer p.cancel()
	resp, err := r.ask(p)
	if err == nil && p.id != nil && isOver(resp) && r.renew(sessionOf(resp)) {
		resp.Body.Close()
		// In the new session the name may be another tool's: a call is judged by the new lists.
		if p.method == "tools/call" || p.method == "prompts/get" {
			r.put(Said{Line: p.body, Unsent: true})
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.waiting[p.key] == p { // or it was sent again
				delete(r.waiting, p.key)
			}
			return
		}
		resp, err = r.ask(p)
	}
	if err == nil {
		err = r.answer(p, resp)
	}
	if err != nil && p.ctx.Err() == nil {
		r.fail(p, err)
	} else if p.method == "notifications/initialized" && !r.SSE { // which has but one stream
		go func() { // clients take answers from the standalone stream, which a server need not have
			if resp, err := r.stream(r.ctx, ""); err == nil {
				r.follow(nil, resp)
			}
		}()
	}
	if p.id == nil {
		close(p.done)
	}
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

// ask sends a message. An initialize begins a session, and from 2026-07-28 on there is none.
func (r *remote) ask(p *post) (*http.Response, error) {
	select {
	case <-r.placed:
	case <-time.After(placePatience):
		return nil, fail.New("it doesn't say where it wants to be asked")
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
	headers := []string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json"}
	if p.method == "initialize" || p.revision >= FirstDiscover {
		headers = append(headers, "Mcp-Session-Id", "", "Mcp-Protocol-Version", p.revision)
	}
	resp, err := r.do(p.ctx, http.MethodPost, p.body, append(headers, p.headers...)...)
	if err == nil && p.method == "initialize" && resp.StatusCode < 300 {
		r.mu.Lock()
		r.session = resp.Header.Get("Mcp-Session-Id")
		r.mu.Unlock()
	}
	return resp, err
}

// do sends a request of HTTP with what each says of the session that holds, and with more headers, names
// and values: an empty one is left out. The address stays out of an error: it may hold a secret.
func (r *remote) do(ctx context.Context, method string, body []byte, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fail.New("it can't be asked")
	}
	r.mu.Lock()
	headers = append([]string{"Mcp-Session-Id", r.session, "Mcp-Protocol-Version", r.revision}, headers...)
	r.mu.Unlock()
	for header := range slices.Chunk(headers, 2) {
		if req.Header.Del(header[0]); header[1] != "" {
			req.Header.Set(header[0], header[1])
		}
	}
	maps.Copy(req.Header, r.Headers)
	resp, err := r.client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok && ctx.Err() == nil && !errors.As(err, new(*fail.Error)) {
		err = fail.New("it can't be reached: %s", Excerpt(failed.Err.Error()))
	}
	if err != nil {
		return nil, err
	}
	spelled := resp.Header.Get("Content-Type")
	kind, parameters, bad := mime.ParseMediaType(spelled)
	charset, named := parameters["charset"]
	if named && !strings.EqualFold(charset, "utf-8") || bad == mime.ErrInvalidMediaParameter {
		resp.Body.Close()
		return nil, r.rec.refuse(unlike("it answers in another charset than UTF-8, which some clients would read", []byte(spelled)))
	}
	resp.Header.Set("Content-Type", kind) // without its parameters
	return resp, nil
}

func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && resp.Header.Get("Content-Type") == "text/event-stream"
}

// unusable says why an answer of HTTP is none. What it says stays out where it has something of the address or of a header: that
// may be a secret.
func (r *remote) unusable(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode < 300 {
		return unlike(notMessage, []byte(resp.Header.Get("Content-Type")))
	}
	begin, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	said, why := string(oneLine(begin)), resp.Status
	sent := fmt.Sprint(strings.Replace(r.URL, r.endpoint.Host, "", 1), slices.Collect(maps.Values(r.Headers)))
	words := strings.FieldsFunc(sent, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	isPart := func(word string) bool { return len(word) >= 8 && strings.Contains(said, word) }
	if said != "" && resp.Header.Get("Content-Type") != "text/html" && !slices.ContainsFunc(words, isPart) {
		why += ": " + said
	}
	f := fail.New("it answered %s", Excerpt(why))
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		f.Hint("it wants to know who asks: --header-env Authorization=VARIABLE, the variable holding 'Bearer TOKEN'")
		if resp.Header.Get("WWW-Authenticate") != "" {
			f.Hint("if it wants OAuth, the bridge npx --no -- mcp-remote URL speaks stdio for it")
		}
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		if sessionOf(resp) == "" {
			f.Hint("look at the path; an older server, of HTTP+SSE, wants --sse, every other one goes without")
		}
	}
	return f
}

// answer hands on what a server answers a message with. Where that is no answer to a request, the
// error says why, unless it may come on another stream.
func (r *remote) answer(p *post, resp *http.Response) error {
	if isStream(resp) && !r.SSE {
		return r.follow(p, resp)
	}
	defer resp.Body.Close()
	isJSON := resp.Header.Get("Content-Type") == "application/json"
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBytes+1))
	resp.Body = io.NopCloser(bytes.NewReader(data))
	switch {
	case len(data) > MaxBytes:
		r.stop(ErrTooLarge)
		return ErrTooLarge
	case err != nil:
		return fail.New("its answer broke off: %s", Excerpt(err.Error()))
	case resp.StatusCode >= 300 && !(isJSON && p.refusedBy(data)):
		return r.unusable(resp)
	case resp.StatusCode < 300 && (r.SSE || len(bytes.TrimSpace(data)) == 0 || !isJSON && p.id == nil):
		return nil
	case !isJSON:
		return r.unusable(resp)
	}
	if err = r.hand(data, p.asked); err == nil && r.waits(p) {
		err = fail.New("it answered something else than the request")
	}
	return err
}

// refusedBy reports whether what came with a code of HTTP's is an error in answer to a request.
func (p *post) refusedBy(data []byte) bool {
	messages, err := capture.Messages(oneLine(data))
	return err == nil && p.id != nil && len(messages) == 1 && messages[0].Has("error") && capture.MessageID(messages[0]) == p.key
}

// follow hands on what an event stream says. Where it ends too early, the server is asked for the
// rest: as often as it answers, for it may do so in pieces. The standalone stream, which belongs
// to no message, always ends too early.
func (r *remote) follow(p *post, resp *http.Response) error {
	last, ctx := "", resp.Request.Context() // of a message, until it is cancelled
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

// stream asks for the standalone stream, or for what came behind the event of that id.
func (r *remote) stream(ctx context.Context, last string) (*http.Response, error) {
	resp, err := r.do(ctx, http.MethodGet, nil, "Accept", "text/event-stream", "Last-Event-Id", last)
	if err == nil && !isStream(resp) {
		err = r.unusable(resp)
	}
	return resp, err
}

// read hands on the messages of an event stream until it ends or is cut off. None of them answers a
// request that was sent after the message that the stream belongs to, or after it came. It returns
// the id of the last event, how long the server wants to be left alone, and why what came is refused.
func (r *remote) read(p *post, resp *http.Response) (last string, wait time.Duration, err error) {
	defer resp.Body.Close()
	placed := !r.SSE // it says where first
	err = readEvents(resp.Body, r.rec, func(e event) error {
		last, wait = cmp.Or(e.id, last), cmp.Or(e.retry, wait)
		switch {
		case !placed && e.kind == "endpoint":
			at, err := r.endpoint.Parse(string(e.data))
			if err != nil || !sameOrigin(at, r.endpoint) {
				return fail.New("it wants to be asked at another place")
			}
			r.endpoint, placed = at, true
			close(r.placed)
			return nil
		case !placed:
			return unlike(notMessage, e.data)
		case e.kind != "" && e.kind != "message" || len(e.data) == 0:
			return nil
		case p != nil:
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

// hand hands on a message, on one line. In valid JSON a line feed stands only between tokens; what
// isn't valid is refused rather than mended.
func (r *remote) hand(data []byte, asked int64) error {
	if !json.Valid(data) {
		return r.rec.refuse(unlike(notMessage, data))
	}
	s := Said{Line: append(oneLine(data), '\n'), asked: asked}
	var answered []*post
	r.mu.Lock()
	for _, m := range Loosely(s.Line) {
		id, _ := jsontree.NewReader(m["id"]).Only()
		p := r.waiting[string(id.Kind)+id.Text]
		if p == nil || m["method"] != nil {
			continue
		}
		answered = append(answered, p)
		if p.method == "initialize" || p.method == "tools/list" && p.revision >= FirstDiscover {
			result, _ := jsontree.NewReader(m["result"]).Only()
			r.revision = cmp.Or(result.Get("protocolVersion").Text, r.revision)
			if r.kept += len(m["result"]); r.kept > MaxBytes {
				clear(r.inputs)
				r.kept = len(m["result"])
			}
			for _, tool := range result.Get("tools").Items() {
				input := tool.Get("inputSchema")
				r.inputs[tool.Get("name").Text] = m["result"][input.At:input.End]
			}
		}
	}
	r.mu.Unlock()
	err := r.put(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range answered {
		if r.waiting[p.key] == p {
			delete(r.waiting, p.key)
			close(p.done)
		}
	}
	return err
}

// waits reports whether a message is a request that is not answered yet.
func (r *remote) waits(p *post) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return p.id != nil && r.waiting[p.key] == p
}

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
	now, greeting := r.session, r.greeting
	r.mu.Unlock()
	if now != session || time.Since(r.renewed) < renewAfter {
		return now != session
	}
	r.renewed = time.Now()
	r.put(Said{Err: fail.New("its session is over, and begins anew")})
	for _, list := range []string{"tools", "prompts", "resources"} { // first, or a call could come before the new list
		r.hand([]byte(`{"jsonrpc":"2.0","method":"notifications/`+list+`/list_changed"}`), 0)
	}
	r.send(greeting)
	r.send([]byte(initialized))
	return true
}

// fail says why a message has no answer: to a person and, where it isn't a capture, in text of our own
// to the client that waits for one.
func (r *remote) fail(p *post, err error) {
	said := Said{Err: r.concealed(err)}
	if p.id != nil {
		said.asked = p.asked
	}
	if r.put(said) == nil && r.rec == nil && r.waits(p) {
		r.hand(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}`, p.id, codeNoAnswer, wordsNoAnswer), 0)
	}
}

// Close says that the client says no more. That ends the session once all is answered: until then
// it is said again.
func (r *remote) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.waiting {
		if p.method != "subscriptions/listen" { // which has no answer
			return nil
		}
	}
	r.stop(nil)
	return nil
}

// Signal ends the session as it would end a server.
func (r *remote) Signal(s os.Signal) {
	r.exit = 128 + int(s.(syscall.Signal))
	r.stop(nil)
}

// Stop ends the session and says goodbye to the server.
func (r *remote) Stop() {
	r.stop(nil)
	r.mu.Lock()
	session := r.session
	r.session = ""
	r.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), Grace)
	defer cancel()
	if resp, err := r.do(ctx, http.MethodDelete, nil, "Mcp-Session-Id", session); err == nil {
		resp.Body.Close()
	}
}

// ExitCode is that of a process that ended the same way.
func (r *remote) ExitCode() int { return r.exit }
