package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pinproof/internal/fail"
)

// A web is the connection to a server at an address, by Streamable HTTP or, before that, by
// HTTP with one event stream for all that the server says.
type web struct {
	Server
	inbox
	rec      *record
	client   http.Client
	origin   string // scheme, host and port: the only one that is ever asked
	endpoint *url.URL
	session  string // the server's name for it
	revision string // of the protocol, of the last request
}

var errStreamEnded = fail.New("its event stream ended before the answer")

const (
	maxRedirects = 3           // more than a moved server needs; what goes on longer is a loop
	maxResumes   = 3           // of one stream, each after a moment
	resumeAfter  = time.Second // as the official clients wait, which servers are tried with
)

// dial begins a connection. ctx is that of the whole connection. read reads the one stream of the
// old transport.
func dial(ctx context.Context, s Server, rec *record, read func(w *web, body io.Reader, endpoint func(string)) error) (*web, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fail.New("the URL is no address: https://HOST/PATH is one") // it may hold a secret
	}
	w := &web{Server: s, inbox: newInbox(ctx), rec: rec, origin: originOf(u), endpoint: u}
	w.client.CheckRedirect = w.checkRedirect
	if !s.SSE {
		return w, nil
	}
	resp, err := w.do(ctx, http.MethodGet, http.Header{"Accept": {"text/event-stream"}}, nil)
	if err == nil && !isStream(resp) {
		err = unusable(resp)
	}
	if err != nil {
		return nil, err
	}
	endpoint := make(chan string, 1)
	go func() {
		defer resp.Body.Close()
		err := read(w, resp.Body, func(at string) {
			select {
			case endpoint <- at:
			default: // it has said so before
			}
		})
		w.put(nil, cmp.Or[error](err, errStreamEnded))
	}()
	select {
	case at := <-endpoint:
		if w.endpoint, err = u.Parse(at); err != nil || originOf(w.endpoint) != w.origin {
			return nil, fail.New("it wants to be asked at another place")
		}
		return w, nil
	case r := <-w.came:
		return nil, cmp.Or(r.err, noMessage(nil))
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// checkRedirect follows within the same scheme, host and port only: the request
// carries the user's headers and the session's id, and what another host answers is
// not what the user named.
func (w *web) checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case originOf(next.URL) != w.origin:
		return fail.New("it redirects to another place, %s", Excerpt(next.URL.Scheme+"://"+next.URL.Host)).
			Hint("name that address yourself if you trust it")
	case len(via) > maxRedirects:
		return fail.New("it redirects more than %d times", maxRedirects)
	case next.Method != via[0].Method:
		return fail.New("it redirects so that the request is lost")
	}
	return nil
}

// do sends a request of HTTP. The address stays out of an error: it may hold a secret.
func (w *web) do(ctx context.Context, method string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fail.New("it can't be asked")
	}
	req.Header = header
	maps.Copy(req.Header, w.Headers)
	resp, err := w.client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		if _, ours := errors.AsType[*fail.Error](err); !ours && ctx.Err() == nil {
			err = fail.New("it can't be reached: %s", Excerpt(failed.Err.Error()))
		}
	}
	if err != nil {
		return nil, err
	}
	_, parameters, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if charset, named := parameters["charset"]; named && !strings.EqualFold(charset, "utf-8") {
		resp.Body.Close()
		return nil, w.rec.refuse("it answers in another charset than UTF-8, which some clients would read", []byte(charset))
	}
	return resp, nil
}

// header has what every request says of the session.
func (w *web) header(accept string) http.Header {
	header := http.Header{"Accept": {accept}}
	for name, value := range map[string]string{"Mcp-Session-Id": w.session, "Mcp-Protocol-Version": w.revision} {
		if value != "" {
			header.Set(name, value)
		}
	}
	return header
}

func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream"
}

func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind
}

func (w *web) send(ctx context.Context, r request) error {
	w.revision = r.revision
	header := w.header("application/json, text/event-stream")
	header.Set("Content-Type", "application/json")
	if r.revision >= FirstDiscover && r.method != "" {
		header.Set("Mcp-Method", r.method)
	}
	asked := w.rec.asked()
	resp, err := w.do(ctx, http.MethodPost, header, r.body)
	if err != nil {
		return err
	}
	w.session = cmp.Or(w.session, resp.Header.Get("Mcp-Session-Id"))
	if isStream(resp) {
		go w.follow(ctx, r.id, w.header("text/event-stream"), resp, asked)
		return nil
	}
	defer resp.Body.Close()
	isJSON := mediaType(resp) == "application/json"
	data, err := io.ReadAll(w.rec.counted(resp.Body))
	m, why := decode(data, asked)
	switch {
	case err != nil:
		return err
	case resp.StatusCode >= 300:
		if why != "" || m == nil || m.refusal == nil || m.answers != r.id {
			return unusable(resp)
		}
	case w.SSE || !isJSON && (r.id == 0 || resp.StatusCode != http.StatusOK) || r.id == 0 && len(bytes.TrimSpace(data)) == 0:
		return nil // the answer, if one is awaited, comes on another stream
	case !isJSON:
		return noMessage(data)
	default:
		if m, err = w.rec.message(data, asked); err != nil {
			return err
		}
	}
	go w.put(m, nil)
	return nil
}

// unusable says why an answer of HTTP is none.
func unusable(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode < 300 {
		return noMessage([]byte(resp.Header.Get("Content-Type")))
	}
	f := fail.New("it answered %s", Excerpt(resp.Status))
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		f.Hint("it wants to know who asks: --header-env Authorization=VARIABLE, the variable holding 'Bearer TOKEN'")
		if resp.Header.Get("WWW-Authenticate") != "" {
			f.Hint("if it wants OAuth, the bridge npx --no -- mcp-remote URL speaks stdio for it")
		}
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		if resp.Request.Header.Get("Mcp-Session-Id") == "" {
			f.Hint("look at the path; an older server, of HTTP+SSE, wants --sse, every other one goes without")
		}
	}
	return f
}

// follow hands on what an event stream says in answer to the request of that id. Where it ends
// before the answer, the server is asked for the rest of it.
func (w *web) follow(ctx context.Context, id int64, header http.Header, resp *http.Response, asked int64) {
	for range maxResumes {
		last, answered, err := w.events(resp.Body, id, asked, nil)
		resp.Body.Close()
		if answered || id == 0 || ctx.Err() != nil {
			return
		}
		if err == nil && last == "" {
			err = errStreamEnded
		}
		if err == nil {
			time.Sleep(resumeAfter)
			header.Set("Last-Event-Id", last)
			resp, err = w.do(ctx, http.MethodGet, header.Clone(), nil)
		}
		if err == nil && !isStream(resp) {
			err = unusable(resp)
		}
		if err != nil {
			w.put(nil, err)
			return
		}
	}
	resp.Body.Close()
	w.put(nil, errStreamEnded)
}

// old records the one stream of the old transport.
func (w *web) old(body io.Reader, endpoint func(string)) error {
	_, _, err := w.events(body, 0, math.MaxInt64, endpoint)
	return err
}

// listen opens the standalone stream, which clients open after initialize, and take answers
// from. A server need not have one.
func (w *web) listen(ctx context.Context) {
	if w.SSE {
		return // it has but one
	}
	header := w.header("text/event-stream")
	go func() {
		resp, err := w.do(ctx, http.MethodGet, header, nil)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		if isStream(resp) {
			w.events(resp.Body, 0, math.MaxInt64, nil) // what is asked later may be answered there, too
		}
	}()
}

// events hands on the messages of an event stream, of which none answers a request behind that
// of the id asked, nor one that was sent after it came. It returns the id of the last event, and
// whether the request of that id was answered. endpoint is told where the server of the old
// transport wants to be asked.
func (w *web) events(body io.Reader, id, asked int64, endpoint func(string)) (last string, answered bool, err error) {
	counted := w.rec.counted(body)
	now := asked
	err = readEvents(io.TeeReader(counted, w.rec.stream()), func() { now = min(asked, counted.asked) }, func(e event) error {
		last = cmp.Or(e.id, last)
		switch {
		case e.kind == "endpoint" && endpoint != nil:
			endpoint(string(e.data))
			return nil
		case e.kind != "" && e.kind != "message" || len(e.data) == 0:
			return nil
		}
		m, err := w.rec.message(e.data, now)
		if err != nil {
			return err
		}
		answered = answered || m.answers != 0 && m.answers == id
		w.put(m, nil)
		return nil
	})
	return last, answered, err
}

// close says goodbye to the server.
func (w *web) close() {
	if w.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(w.ctx, Grace)
	defer cancel()
	if resp, err := w.do(ctx, http.MethodDelete, w.header("*/*"), nil); err == nil {
		resp.Body.Close()
	}
}
