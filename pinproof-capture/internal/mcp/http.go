package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
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

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
)

// A remote is a session over Streamable HTTP or the older HTTP+SSE, in which the server sends everything on one event
// stream. Like a process, it is read and written one message per line.
type remote struct {
	Server
	client  http.Client
	address *url.URL // the address that the user named

	inbox
	stop context.CancelCauseFunc // ends the session
	exit int

	mu      sync.Mutex // protects what follows
	session *webSession
	overAt  time.Time // when the last session ended

	// The User-Agent: NAME/VERSION from the client's clientInfo.
	agent string

	// The revision of the protocol that initialize agreed on.
	revision string

	standing context.CancelFunc // ends the standalone stream
	waiting  map[string]*post
}

// A post is a message that the client sends to the server.
type post struct {
	body     []byte
	id       []byte // of a request, as spelled by the client
	key      string // the ID as a key (capture.MessageKey)
	method   string
	revision string
	headers  []string // headers that repeat parts of the message
	ctx      context.Context
	cancel   context.CancelFunc

	// The ID of the last request of a capture when the message is sent; 0 in a guard.
	asked int64

	// For a notification or response: closed once the server has received it.
	done chan struct{}

	session *webSession // the session in which the client sent the message
	isSent  bool        // it may have reached the server
}

var (
	errStreamEnded = fail.New("its event stream ended before the answer")

	// The error for a message to a session that has ended: in the next session, the same name may mean a different
	// entry.
	errOver = fail.New("its session is over")
)

const (
	// The minimum time between two new sessions. Without it, one call could renew sessions forever.
	renewAfter = 5 * time.Second

	// More than a moved server needs; a longer chain is a loop.
	maxRedirects = 3

	// The maximum time that send waits for the server to receive a notification or response. The wait keeps messages in
	// order.
	linePatience = 10 * time.Second

	// How long to wait for the standalone stream to open. Some servers send the response headers only with the first
	// event.
	standPatience = time.Second

	// The default delay before a stream is reconnected: that of the official clients, which servers are tested with.
	resumeAfter = time.Second

	// The shortest delay before a reconnection, even if the server asks for less.
	minWait = 100 * time.Millisecond

	maxTries = 100 // attempts to reconnect a stream

	// The error code with wordsNoAnswer, in the range that JSON-RPC reserves for server errors.
	codeNoAnswer = -32091
)

// EndpointTimeout is how long a message waits for the endpoint event of an HTTP+SSE server. Tests shorten it.
var EndpointTimeout = 30 * time.Second

// wordsNoAnswer goes to the client, so a model may read it.
var wordsNoAnswer = modeltext.New("pinproof: the server gave no answer that can be used. A person finds the reason in the log of this server.")

// connect prepares a session over HTTP. It sends no request.
func connect(s Server) (*remote, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fail.New("the URL isn't an address such as https://HOST/PATH") // don't quote the URL, which may contain a secret
	}
	r := &remote{Server: s, address: u, waiting: map[string]*post{}}
	r.session = r.newSession()
	r.client.CheckRedirect = checkRedirect
	if r.client.Transport, err = transport(); err != nil {
		return nil, err
	}
	r.came = make(chan Received)
	r.ctx, r.stop = context.WithCancelCause(context.Background())
	return r, nil
}

// transport trusts the certificates that Node's clients trust: the system's (SSL_CERT_FILE replaces them on Unix) and
// those in the file NODE_EXTRA_CA_CERTS.
func transport() (http.RoundTripper, error) {
	const variable = "NODE_EXTRA_CA_CERTS"
	file := os.Getenv(variable)
	if file == "" {
		return http.DefaultTransport, nil
	}
	trusted, failed := x509.SystemCertPool()
	data, err := os.ReadFile(file)
	if err = cmp.Or(failed, err); err == nil && !trusted.AppendCertsFromPEM(data) {
		err = errors.New("no certificate is in it")
	}
	if err != nil {
		return nil, fail.PathError(variable+"="+file, err)
	}
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.TLSClientConfig = &tls.Config{RootCAs: trusted}
	return own, nil
}

// checkRedirect allows redirects only within the same scheme, host and port, because the request carries the user's
// headers and the session ID.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if !sameOrigin(next.URL, via[0].URL) {
		return fail.New("it redirects to another address").Hint("find out which, and name that address yourself if you trust it")
	}
	if len(via) > maxRedirects {
		return fail.New("it redirects more than %d times", maxRedirects)
	}
	if next.Method != via[0].Method {
		return fail.New("it redirects so that the request is lost")
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// Lines calls take for everything that the server sends, until the session ends. It returns why the session ended.
func (r *remote) Lines(take func(Received) error) error {
	if r.SSE {
		go func() {
			resp, err := r.stream(r.ctx, "")
			if err == nil {
				err = r.follow(nil, resp)
			}
			r.stop(err)
		}()
	}
	for {
		select {
		case s := <-r.came:
			if err := take(s); err != nil {
				r.stop(err)
			}
		case <-r.ctx.Done():
			if err := context.Cause(r.ctx); err != context.Canceled {
				return err
			}
			return nil
		}
	}
}

// Write sends the client's lines. It never fails: responses and errors arrive through Lines.
func (r *remote) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		r.send(line)
	}
	return len(b), nil
}

// send sends one line. If the line isn't a request, send waits until the server has received it, so that lines stay
// in order. The caller has rejected messages that can be read in several ways.
func (r *remote) send(line []byte) {
	p := &post{body: line, asked: r.rec.asked(), done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(r.ctx)
	var m jsontree.Value
	if messages, _ := capture.ParseMessages(line); len(messages) > 0 && messages[0].Has("method") {
		m = messages[0]
	}
	params := m.Get("params")
	meta := params.Get("_meta")
	p.method = m.Get("method").Text
	p.revision = meta.Get("io.modelcontextprotocol/protocolVersion").Text
	if p.revision >= FirstDiscover {
		p.headers = repeated(p.method, params, r.InputOf)
	}
	r.mu.Lock()
	if p.method == "initialize" {
		if !r.SSE {
			r.session = r.newSession()
		}
		r.session.isUnbegun = false
	}
	p.session = r.session
	of := params.Get("requestId")
	if c := r.waiting[string(of.Kind)+of.Text]; p.method == "notifications/cancelled" && c != nil {
		delete(r.waiting, c.key)
		// From this revision on, closing the response stream cancels the request.
		if c.revision >= FirstDiscover {
			c.cancel()
		}
	}
	for _, info := range []jsontree.Value{params.Get("clientInfo"), meta.Get("io.modelcontextprotocol/clientInfo")} {
		if agent := info.Get("name").Text + "/" + info.Get("version").Text; info.Kind == '{' && plainValue.MatchString(agent) {
			r.agent = strings.ReplaceAll(agent, " ", "-")
		}
	}
	if id := m.Get("id"); id.Kind != 0 {
		p.id = line[id.Start:id.End]
		p.key = capture.MessageKey(m)
		r.waiting[p.key] = p
	}
	r.mu.Unlock()
	go r.post(p)
	if p.id != nil {
		return
	}
	select {
	case <-p.done:
	case <-time.After(linePatience):
	case <-r.ctx.Done():
	}
}

// post sends a message and delivers the response.
func (r *remote) post(p *post) {
	defer p.cancel()
	if p.method == "notifications/initialized" && !r.SSE { // HTTP+SSE has only one stream
		r.stand(p)
	}
	resp, data, err := r.ask(p)
	if p.id == nil {
		// The server has received the message. Let send return first: its caller may have to read the server's reply.
		close(p.done)
	} else if err == nil && r.rec == nil && !r.SSE && isForgotten(resp, data) && r.over(p.session) {
		err = errOver
	}
	if err == nil {
		err = r.answer(p, resp, data)
	}
	if err == errOver {
		r.put(Received{Line: p.body, Undelivered: true})
		r.answered(p)
	} else if err != nil && p.ctx.Err() == nil {
		r.fail(p, err)
	}
}

// isForgotten reports whether the server no longer knows the session. The protocol requires a 404 then, but many
// servers respond with a 400 that mentions the session.
func isForgotten(resp *http.Response, body []byte) bool {
	code := resp.StatusCode
	saysSo := code == http.StatusNotFound || code == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body), []byte("session"))
	return saysSo && resp.Request.Header.Get("Mcp-Session-Id") != ""
}

// answered removes a message from those that wait for a response.
func (r *remote) answered(p *post) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting[p.key] == p { // otherwise, it was sent again
		delete(r.waiting, p.key)
	}
}

// ask sends a message and reads the response. If that is an event stream, ask leaves it to follow, and data is nil.
// initialize begins a session; from revision 2026-07-28 on, there are no sessions.
func (r *remote) ask(p *post) (resp *http.Response, data []byte, err error) {
	if err := r.await(p); err != nil {
		return nil, nil, err
	}
	headers := []string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json"}
	if p.method == "initialize" || p.revision >= FirstDiscover {
		headers = append(headers, "Mcp-Session-Id", "", "Mcp-Protocol-Version", p.revision)
	}
	if resp, err = r.do(p.ctx, http.MethodPost, p.body, append(headers, p.headers...)...); err != nil {
		return nil, nil, err
	}
	if p.method == "initialize" && resp.StatusCode < 300 {
		r.mu.Lock()
		p.session.id = resp.Header.Get("Mcp-Session-Id")
		r.mu.Unlock()
	}
	if isStream(resp) && !r.SSE {
		return resp, nil, nil
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(io.LimitReader(resp.Body, int64(MaxBytes)+1))
	if len(data) > MaxBytes {
		r.stop(ErrTooLarge)
		return nil, nil, ErrTooLarge
	}
	if err != nil {
		return nil, nil, fail.New("its answer broke off: %s", Excerpt(err.Error()))
	}
	return resp, data, nil
}

// do sends an HTTP request, with the headers of the current session and with more headers, given as names and
// values. A header with an empty value is left out. Errors don't quote the address, which may contain a secret.
func (r *remote) do(ctx context.Context, method string, body []byte, headers ...string) (*http.Response, error) {
	r.mu.Lock()
	at := cmp.Or(r.session.endpoint, r.address)
	if method == http.MethodGet {
		at = r.address
	}
	headers = append([]string{"Mcp-Session-Id", r.session.id, "Mcp-Protocol-Version", r.revision, "User-Agent", r.agent}, headers...)
	r.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fail.New("it can't be asked")
	}
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
	charset = strings.ToLower(charset)
	isJSON := kind == "application/json"
	// JSON is read by its bytes, even if the header says ISO-8859-1 (RFC 8259, sections 8.1 and 11).
	isPlain := !named || charset == "utf-8" || isJSON && charset == "iso-8859-1"
	isRead := isJSON || resp.StatusCode < 300
	if isRead && (!isPlain || bad == mime.ErrInvalidMediaParameter) {
		resp.Body.Close()
		return nil, r.rec.refuse(fail.New("it answers in another charset than UTF-8, which some clients would read"))
	}
	resp.Header.Set("Content-Type", kind) // without its parameters
	return resp, nil
}

func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && resp.Header.Get("Content-Type") == "text/event-stream"
}

// unusable returns an error for an HTTP response that isn't a JSON-RPC response. It never quotes the response, which
// may repeat a secret from the request.
func unusable(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return fail.New(notMessage)
	}
	f := fail.New("it answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		f.Hint("it wants to know who asks: --header-env Authorization=VARIABLE, the variable holding 'Bearer TOKEN'")
		if resp.Header.Get("WWW-Authenticate") != "" {
			f.Hint("if it wants OAuth, the bridge npx --no -- mcp-remote URL speaks stdio for it")
		}
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		asked := resp.Request.Header
		isProbe := asked.Get("Mcp-Protocol-Version") >= FirstDiscover // older servers reject a probe in different ways
		if asked.Get("Mcp-Session-Id") == "" && !isProbe {
			f.Hint("look at the path; an older server, of HTTP+SSE, wants --sse, every other one goes without")
		}
	}
	return f
}

// answer delivers the HTTP response to a message. If the message was a request that the response doesn't answer,
// answer returns an error, unless the answer may still arrive on another stream.
func (r *remote) answer(p *post, resp *http.Response, data []byte) (err error) {
	isJSON := resp.Header.Get("Content-Type") == "application/json"
	isFailed := resp.StatusCode >= 300
	switch {
	case data == nil: // the response is an event stream
		return r.follow(p, resp)
	case !isFailed && (r.SSE || len(bytes.TrimSpace(data)) == 0 || !isJSON && p.id == nil):
		return nil
	case !isJSON || isFailed && !p.refusedBy(data):
		return unusable(resp)
	}
	if err = r.hand(data, p.asked); err == nil && r.waits(p) {
		err = fail.New("its answer isn't one to the request")
	}
	return err
}

// refusedBy reports whether the body of an HTTP error is a JSON-RPC error in answer to the request.
func (p *post) refusedBy(data []byte) bool {
	messages, _ := capture.ParseMessages(oneLine(data))
	return len(messages) == 1 && messages[0].Has("error") && capture.MessageKey(messages[0]) == p.key
}

// hand delivers a message as one line. It replaces line breaks, which valid JSON has only between tokens, and rejects
// invalid JSON.
func (r *remote) hand(data []byte, asked int64) error {
	if !json.Valid(data) {
		return r.rec.refuse(fail.New(notMessage))
	}
	s := Received{Line: append(oneLine(data), '\n'), asked: asked}
	var answered []*post
	r.mu.Lock()
	for _, m := range ParseLeniently(s.Line) {
		id, _ := jsontree.NewReader(m["id"]).ReadSingle()
		p := r.waiting[string(id.Kind)+id.Text]
		if p == nil || m["method"] != nil {
			continue
		}
		answered = append(answered, p)
		if p.method == "initialize" {
			result, _ := jsontree.NewReader(m["result"]).ReadSingle()
			r.revision = cmp.Or(result.Get("protocolVersion").Text, r.revision)
		}
	}
	r.mu.Unlock()
	err := r.put(s)
	for _, p := range answered {
		r.answered(p)
	}
	return err
}

// waits reports whether a message is a request that is not answered yet.
func (r *remote) waits(p *post) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[p.key] == p
}

// fail reports the error of a message to the user. In a guard, it also sends the waiting client an error with a fixed
// text.
func (r *remote) fail(p *post, err error) {
	if r.rec == nil && p.id != nil && !r.waits(p) {
		return // it was cancelled, or already has a response
	}
	said := Received{Err: err}
	if p.id != nil {
		said.asked = p.asked
	}
	if r.put(said) == nil && r.rec == nil && r.waits(p) {
		r.hand(ResponseLine(p.id, fmt.Sprintf(`"error":{"code":%d,"message":"%s"}`, codeNoAnswer, wordsNoAnswer)), 0)
	}
}

// Close means that the client sends nothing more. It ends the session if no request waits for a response; otherwise
// it does nothing, and the caller must call it again later.
func (r *remote) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.waiting {
		if p.method != "subscriptions/listen" { // it has no response
			return nil
		}
	}
	r.stop(nil)
	return nil
}

// Signal ends the session. The exit code is then that of a process killed by the signal.
func (r *remote) Signal(s os.Signal) {
	r.exit = 128 + int(s.(syscall.Signal))
	r.stop(nil)
}

// Stop ends the session and tells the server so (HTTP DELETE).
func (r *remote) Stop() {
	r.stop(nil)
	r.mu.Lock()
	session := r.session.id
	r.session.id = ""
	r.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ExitGrace)
	defer cancel()
	if resp, err := r.do(ctx, http.MethodDelete, nil, "Mcp-Session-Id", session); err == nil {
		resp.Body.Close()
	}
}

// ExitCode returns 128 plus the number of the signal that ended the session, or 0.
func (r *remote) ExitCode() int { return r.exit }
