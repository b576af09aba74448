package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pinproof/internal/fail"
)

// maxRedirects is more than a moved server needs; what goes on longer is a loop.
const maxRedirects = 3

// remote is the round tripper under the SDK's transport: it records what comes and
// bounds where the user's headers go.
type remote struct {
	rec     *record
	origin  string // scheme, host and port: the only one that is ever asked
	headers http.Header
	sse     bool

	revision atomic.Value // agreed on by initialize, for the header of later requests
	status   atomic.Value // of the last answer that was an error
}

func newRemote(src Server, rec *record) (*remote, sdk.Transport, error) {
	u, err := url.Parse(src.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, nil, fail.New("the URL is no address: https://HOST/PATH is one") // it may hold a secret
	}
	r := &remote{rec: rec, origin: originOf(u), headers: src.Headers, sse: src.SSE}
	client := &http.Client{Transport: r, CheckRedirect: r.checkRedirect}
	if src.SSE {
		return r, &sdk.SSEClientTransport{Endpoint: src.URL, HTTPClient: client, MaxEventSize: -1}, nil
	}
	return r, &sdk.StreamableClientTransport{
		Endpoint: src.URL, HTTPClient: client,
		MaxRetries: 1, MaxEventSize: -1, DisableStandaloneSSE: true,
	}, nil
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
func (r *remote) checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case originOf(next.URL) != r.origin:
		return fail.New("it redirects to another place, %s", Excerpt(next.URL.Scheme+"://"+next.URL.Host)).
			Hint("name that address yourself if you trust it")
	case len(via) > maxRedirects:
		return fail.New("it redirects more than %d times", maxRedirects)
	case next.Method != via[0].Method:
		return fail.New("it redirects so that the request is lost")
	}
	return nil
}

func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	if originOf(req.URL) != r.origin {
		return nil, fail.New("it wants to be asked at another place")
	}
	ctx := req.Context()
	if req.Method == http.MethodDelete { // the goodbye, after all is here
		limited, cancel := context.WithTimeout(ctx, Grace)
		defer cancel()
		ctx = limited
	}
	req = req.Clone(ctx)
	maps.Copy(req.Header, r.headers)
	if revision, _ := r.revision.Load().(string); revision != "" && req.Header.Get("Mcp-Protocol-Version") == "" {
		req.Header.Set("Mcp-Protocol-Version", revision)
	}
	asked := r.rec.asked()
	if req.Method == http.MethodGet {
		asked = math.MaxInt64 // what is asked later may be answered there, too
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	kind, parameters, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if charset, named := parameters["charset"]; named && !strings.EqualFold(charset, "utf-8") {
		resp.Body.Close()
		return nil, r.rec.refuse("it answers in another charset than UTF-8, which some clients would read", []byte(charset))
	}
	if resp.StatusCode == http.StatusAccepted && req.Method == http.MethodPost && !r.sse {
		// The answer, if one is awaited, comes on the standalone stream. The SDK doesn't know
		// that: it waits on a stream that says nothing.
		resp.Body.Close()
		resp.Header.Set("Content-Type", "text/event-stream")
		resp.Body, _ = io.Pipe()
		return resp, nil
	}
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300 && req.Method != http.MethodDelete
	switch {
	case ok && kind == "text/event-stream":
		resp.Body = eventTee(resp.Body, r.rec, asked)
	case ok && kind == "application/json":
		data, err := io.ReadAll(r.rec.counted(resp.Body))
		resp.Body.Close()
		if err == nil && len(bytes.TrimSpace(data)) > 0 {
			err = r.rec.message(data, asked)
		}
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(data))
	default:
		resp.Body = body{r.rec.counted(resp.Body), resp.Body}
	}
	if resp.StatusCode >= 400 && (req.Method == http.MethodPost || r.sse) { // no other request has to succeed
		r.status.Store(resp.Status)
	}
	return resp, nil
}

// reason says why asking failed. The address stays out of it: it may hold a secret.
func (r *remote) reason(err error) *fail.Error {
	if status, ok := r.status.Load().(string); ok {
		f := fail.New("it answered %s", Excerpt(status))
		if strings.HasPrefix(status, "401") || strings.HasPrefix(status, "403") {
			f.Hint("it wants to know who asks: --header-env Authorization=VARIABLE, the variable holding 'Bearer TOKEN'")
		}
		return f
	}
	if unreachable, ok := errors.AsType[*url.Error](err); ok {
		return fail.New("it can't be reached: %s", Excerpt(unreachable.Err.Error()))
	}
	return nil
}
