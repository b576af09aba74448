package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pinproof/internal/jsontest"
)

// How a playing server at an address says what it says.
const (
	asJSON     = "JSON"
	asEvents   = "events"
	asTwoLines = "events of two lines"
	asCut      = "events that are cut off and resumed"
	asAlone    = "the standalone stream"
	asOld      = "the old transport"
)

// A playing server at an address plays the part of a stdio stand-in, one for each session.
type playing struct {
	*httptest.Server
	part, how string
	twist     func(w http.ResponseWriter, req *http.Request, body []byte) bool // reports whether it has answered

	mu       sync.Mutex
	sessions map[string]*stage
	began    int
	requests []*http.Request
	got      []string // the bodies of the client's messages
	listens  chan *stage
}

// A stage is one session.
type stage struct {
	in    io.Writer
	said  chan string // what it says in reply to one line
	alone chan string // for its standalone stream
	turn  sync.Mutex  // of one request: what is said in reply to it ends before the next one begins
	later sync.Map    // what a client that resumes a stream gets, by the id of its last event
}

func newPlaying(t testing.TB, part, how string) *playing {
	p := &playing{part: part, how: how, sessions: map[string]*stage{}, listens: make(chan *stage, 100)}
	p.Server = httptest.NewUnstartedServer(p)
	p.Start()
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (s *stage) Write(b []byte) (int, error) {
	s.said <- string(b)
	return len(b), nil
}

func (p *playing) begin() (name string, s *stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began++
	name = fmt.Sprintf("session-%d", p.began)
	out, in := io.Pipe()
	s = &stage{in: in, said: make(chan string), alone: make(chan string, 1000)}
	p.sessions[name] = s
	go playOn([]string{p.part}, out, s)
	return name, s
}

// only is the one stage of a server that keeps no sessions.
func (p *playing) only() *stage {
	p.mu.Lock()
	for _, s := range p.sessions {
		p.mu.Unlock()
		return s
	}
	p.mu.Unlock()
	_, s := p.begin()
	return s
}

func (p *playing) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began
}

// end forgets all sessions.
func (p *playing) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.sessions)
}

// bodies returns the bodies of the messages that the server has got so far.
func (p *playing) bodies() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

// asked lists the requests that the server got so far.
func (p *playing) asked() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// last is the last request that the server got.
func (p *playing) last() *http.Request {
	all := p.asked()
	return all[len(all)-1]
}

// methods lists the methods that the server got so far, except prompts/list: the guard requests it at the same time as
// tools/list.
func (p *playing) methods() (all []string) {
	for _, body := range p.bodies() {
		var m struct{ Method string }
		json.Unmarshal([]byte(body), &m)
		if m.Method != "prompts/list" {
			all = append(all, m.Method)
		}
	}
	return all
}

// since are the methods behind the first n, if there are that many.
func (p *playing) since(n int) []string {
	all := p.methods()
	return all[min(n, len(all)):]
}

func (p *playing) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	p.mu.Lock()
	p.requests = append(p.requests, req)
	if req.Method == http.MethodPost {
		p.got = append(p.got, string(body))
	}
	twist := p.twist
	name := req.Header.Get("Mcp-Session-Id")
	if p.how == asOld {
		name = req.URL.RawQuery
	}
	s := p.sessions[name]
	p.mu.Unlock()
	if twist != nil && twist(w, req, body) {
		return
	}
	greets := bytes.Contains(body, []byte(`"method":"initialize"`))
	if p.how == asOld && req.Method == http.MethodGet {
		name, s = p.begin()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: /messages?%s\n\n", name)
	} else if p.how != asOld && greets && req.Method == http.MethodPost {
		name, s = p.begin()
		w.Header().Set("Mcp-Session-Id", name)
	} else if bytes.Contains(body, []byte("protocolVersion\":\"2026-07-28")) {
		s = p.only() // that revision knows no sessions
	}
	switch {
	case s == nil && p.how == asEvents: // as servers do that follow the TypeScript SDK's examples
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"EVIL: No valid session ID provided"},"id":null}`)
	case s == nil:
		http.Error(w, "EVIL: no such session", http.StatusNotFound)
	case req.Method == http.MethodDelete:
		p.mu.Lock()
		delete(p.sessions, name)
		p.mu.Unlock()
	case req.Method == http.MethodGet && strings.HasPrefix(req.Header.Get("Last-Event-Id"), "cut"):
		later, _ := s.later.Load(req.Header.Get("Last-Event-Id"))
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, later)
	case req.Method == http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		p.listens <- s
		for {
			select {
			case said := <-s.alone:
				fmt.Fprint(w, said)
				w.(http.Flusher).Flush()
			case <-req.Context().Done():
				return
			}
		}
	default:
		p.answer(w, s, body)
	}
}

// answer lets the part answer, and sends the answer in this server's way.
func (p *playing) answer(w http.ResponseWriter, s *stage, body []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	isOne := json.Unmarshal(body, &m) == nil
	body = append(bytes.TrimSpace(body), '\n')
	if isOne && (m.ID == nil || m.Method == "") {
		s.in.Write(body)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.turn.Lock()
	var said string
	go s.in.Write(append(body, `{"jsonrpc":"2.0","id":"flush","method":"prompts/list"}`+"\n"...))
	for !strings.Contains(said, `"id":"flush"`) {
		said += <-s.said
	}
	s.turn.Unlock()
	lines := strings.SplitAfter(said, "\n")
	lines = lines[:len(lines)-2] // without the answer to the flush, and the empty text after it
	if len(lines) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	events := ""
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\n")
		if p.how == asTwoLines {
			line = strings.Replace(line, `:`, ":\r\ndata: ", 1)
		}
		events += fmt.Sprintf("id: %d\ndata: %s\n\n", i, line)
	}
	switch p.how {
	case asJSON:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, strings.Join(lines, ""))
	case asAlone, asOld:
		if p.how == asAlone && (m.Method == "initialize" || p.count() > 1) { // its stream isn't open yet
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.Join(lines, ""))
			return
		}
		s.alone <- events
		w.WriteHeader(http.StatusAccepted)
	case asCut:
		s.later.Store("cut"+string(m.ID), events)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: cut%s\nretry: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",", m.ID)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, events)
	}
}

// calledIn reports whether a call of a tool reached a session. One that meets the end of another session reaches none.
func (p *playing) calledIn(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	posts := 0
	for _, req := range p.requests {
		if req.Method != http.MethodPost {
			continue
		}
		if req.Header.Get("Mcp-Session-Id") == session && strings.Contains(p.got[posts], `"tools/call"`) {
			return true
		}
		posts++
	}
	return false
}

// startWeb starts the guard before a server at an address.
func (g *guarded) startWeb(t testing.TB, url string, flags ...string) *peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, slices.Concat([]string{"guard", "files", url}, flags)...)
	cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1", "TOKEN=Bearer secret")
	return g.run(t, cmd)
}

// flagsOf returns the flags for a server that speaks in that way.
func flagsOf(how string) []string {
	if how == asOld {
		return []string{"--sse"}
	}
	return nil
}

var ways = []string{asJSON, asEvents, asTwoLines, asCut, asAlone, asOld}

// In revision 2026-07-28, no stream is resumed, and the only streams are those of answers.
var statelessWays = []string{asJSON, asEvents, asTwoLines}

// TestWebPasses: a session with what was approved is the same at an address as over stdio without
// the guard.
func TestWebPasses(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, part := range []string{"good", "pages"} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			want := g.bare(t, part, revision)
			hows := ways
			if revision == "2026-07-28" {
				hows = statelessWays
			}
			for _, how := range jsontest.SomeVariants(hows, part+revision) {
				t.Run(part+", "+revision+", "+how, func(t *testing.T) {
					t.Parallel()
					s := newPlaying(t, part, how)
					p := g.startWeb(t, s.URL, flagsOf(how)...)
					got := p.session(revision)
					if code, _ := p.end(); code != 0 || got != want || p.stderr.Len() > 0 {
						t.Errorf("code %d\n%s\nwant\n%s\n%s", code, got, want, &p.stderr)
					}
				})
			}
		}
	}
}

// web starts the guard before a playing server, and a session up to the first list.
func (g *guarded) web(t *testing.T, s *playing, flags ...string) *peer {
	t.Helper()
	p := g.startWeb(t, s.URL, append(flags, flagsOf(s.how)...)...)
	p.ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := p.ask(2, "tools/list", `{}`); !strings.Contains(got, `"name":"a"`) {
		t.Fatalf("the list: %s\n%s", got, &p.stderr)
	}
	isListed := func(body string) bool { return strings.Contains(body, `"prompts/list"`) }
	for range 100 { // the other request of the guard's: it must not be the one that meets the end of a session
		if slices.ContainsFunc(s.bodies(), isListed) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return p
}

func (p *playing) turn(twist func(w http.ResponseWriter, req *http.Request, body []byte) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.twist = twist
}

// TestWebSession: the headers of a session, and its end.
func TestWebSession(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	s := newPlaying(t, "good", asEvents)
	p := newGuarded(t).web(t, s, "--header-env", "Authorization=TOKEN")
	p.ask(3, "tools/call", `{"name":"a"}`)
	<-s.listens // the standalone stream is open
	if code, _ := p.end(); code != 0 {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
	for i, req := range s.asked() {
		wantSession, wantRevision := "session-1", "2025-11-25"
		if i == 0 {
			wantSession, wantRevision = "", ""
		}
		if h := req.Header; h.Get("Authorization") != "Bearer secret" || h.Get("Mcp-Session-Id") != wantSession || h.Get("Mcp-Protocol-Version") != wantRevision {
			t.Errorf("request %d: %v", i, h)
		}
	}
	if last := s.last(); last.Method != http.MethodDelete {
		t.Errorf("the last request: %s", last.Method)
	}
}

// TestWebServerAsks: the client gets what the server sends on its standalone stream, and a request
// of its own answers what the server asks there. A stream that is cut goes on after its last event.
func TestWebServerAsks(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for _, how := range []string{asEvents, asOld} {
		s := newPlaying(t, "good", how)
		p := newGuarded(t).web(t, s)
		stage := <-s.listens
		stage.alone <- "id: 7\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"s\",\ndata: \"method\":\"sampling/createMessage\",\"params\":{}}\n\n"
		if got := <-p.lines; got != `{"jsonrpc":"2.0","id":"s", "method":"sampling/createMessage","params":{}}`+"\n" {
			t.Errorf("%s: %s", how, got)
		}
		const reply = `{"jsonrpc":"2.0","id":"s","result":{"role":"assistant"}}` + "\n"
		p.send("%s", strings.TrimSpace(reply))
		p.ask(3, "ping", "{}") // the reply is sent before it
		if how == asEvents {
			s.CloseClientConnections()
			stage = <-s.listens
			stage.alone <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"
			if got := <-p.lines; !strings.Contains(got, "notifications/message") {
				t.Errorf("after the cut: %s", got)
			}
			if got := s.last().Header.Get("Last-Event-Id"); got != "7" {
				t.Errorf("resumed behind %q", got)
			}
		}
		p.end()
		if !slices.Contains(s.bodies(), reply) {
			t.Errorf("%s: the server got %q", how, s.bodies())
		}
	}
}

// TestWebRenewal: when a session is over, a new one begins with the client's own initialize. The
// answer to that doesn't reach the client, but is judged, and the lists count as changed: the call
// that met the end of the session waits for the new list, too.
func TestWebRenewal(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, how := range []string{asJSON, asEvents} {
		s := newPlaying(t, "good", how)
		p := g.web(t, s)
		s.end()
		if got := p.ask(3, "tools/call", `{"name":"a"}`); !strings.Contains(got, "called a") {
			t.Errorf("%s: the call: %s\n%s", how, got, &p.stderr)
		}
		if got := p.ask(4, "tools/call", `{"name":"a"}`); !strings.Contains(got, "called a") {
			t.Errorf("%s: the next call: %s\n%s", how, got, &p.stderr)
		}
		if got := p.ask(5, "tools/list", `{}`); !strings.Contains(got, `"name":"a"`) {
			t.Errorf("%s: the list: %s\n%s", how, got, &p.stderr)
		}
		code, got := p.end()
		want := []string{"initialize", "notifications/initialized", "tools/list", "tools/call", "initialize", "notifications/initialized", "tools/list", "tools/call", "tools/call"}
		if all := s.methods(); code != 0 || strings.Count(got, "serverInfo") != 1 || strings.Count(got, "list_changed") != 3 || !slices.Equal(all, want) {
			t.Errorf("%s: code %d, the server got %q\n%s\n%s", how, code, all, got, &p.stderr)
		}

		if how == asEvents {
			continue // what the core decides is the same
		}
		s = newPlaying(t, "good", how)
		p = g.web(t, s)
		s.mu.Lock()
		s.part = "the first asking"
		clear(s.sessions)
		s.mu.Unlock()
		if got := p.ask(3, "tools/call", `{"name":"a"}`); !strings.Contains(got, blockedCode) {
			t.Errorf("%s: a call of another server: %s\n%s", how, got, &p.stderr)
		}
		if code, got := p.end(); code != 2 || strings.Contains(got, "EVIL") || s.calledIn("session-2") {
			t.Errorf("%s: code %d, %q\n%s\n%s", how, code, s.methods(), got, &p.stderr)
		}

		s = newPlaying(t, "good", how)
		p = g.web(t, s)
		s.mu.Lock()
		s.part = "instructions at the second initialize"
		clear(s.sessions)
		s.mu.Unlock()
		s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
			if !bytes.Contains(body, []byte(`"initialize"`)) {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, regexp.MustCompile(`"id":("[^"]+")`).FindSubmatch(body)[1], strings.Replace(greets, "Use the", "EVIL", 1))
			return true
		})
		if got := p.ask(3, "tools/call", `{"name":"a"}`); !strings.Contains(got, blockedCode) {
			t.Errorf("%s: the call: %s\n%s", how, got, &p.stderr)
		}
		if code, got := p.end(); code != 2 || strings.Contains(got, "EVIL") || s.calledIn("session-2") {
			t.Errorf("%s: code %d, %q\n%s\n%s", how, code, s.methods(), got, &p.stderr)
		}

		s = newPlaying(t, "good", how) // it ends each session at the first call
		p = g.web(t, s)
		s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
			if bytes.Contains(body, []byte(`"tools/call"`)) {
				http.NotFound(w, req)
				return true
			}
			return false
		})
		got = p.ask(3, "tools/call", `{"name":"a"}`)
		begun := len(slices.DeleteFunc(s.methods(), func(m string) bool { return m != "initialize" }))
		if !strings.Contains(got, `"code":-32091`) || begun != 2 {
			t.Errorf("%s: %d sessions without a call: %s\n%s", how, begun, got, &p.stderr)
		}
		p.end()
	}
}

// TestWebRefusals: if a server misbehaves in HTTP itself, the client gets an error in words of our
// own, and a person is told why.
func TestWebRefusals(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	elsewhere := newPlaying(t, "the first asking", asJSON)
	g := newGuarded(t)
	s := newPlaying(t, "good", asJSON)
	p := g.web(t, s, "--header-env", "Authorization=TOKEN")
	heard := 0
	id := 1
	for what, c := range map[string]struct {
		told  string
		twist http.HandlerFunc
	}{
		"401": {"401 Unauthorized\nhint: it wants to know who asks: --header-env", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "EVIL", http.StatusUnauthorized) }},
		"403": {"403 Forbidden\nhint: it wants to know who asks: --header-env", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "EVIL", http.StatusForbidden) }},
		"400": {"400 Bad Request", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "EVIL", http.StatusBadRequest) }},
		"500": {"500 Internal", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "EVIL", http.StatusInternalServerError) }},
		"a redirect": {"redirects to another address", func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, elsewhere.URL, http.StatusTemporaryRedirect)
		}},
		"HTML": {"isn't a message of the protocol", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":3,"result":`+withEvil+`}`)
		}},
		"another charset": {"another charset", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-7")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":3,"result":`+withEvil+`}`)
		}},
		"a stream without the answer": {"event stream ended", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"jsonrpc":"2.0","id":3,"result":`+withEvil+`}`)
		}},
		"text in a line": {"isn't a message of the protocol", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"EVIL`+"\n"+`"}]}}`)
		}},
	} {
		id += 3
		p.ask(id, "tools/list", `{}`) // what the last call listed
		s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
			c.twist(w, req)
			return true
		})
		got := p.ask(id+1, "tools/list", `{}`)
		s.turn(nil)
		if again := p.ask(id+2, "tools/call", `{"name":"a"}`); !strings.Contains(again, "called a") {
			t.Errorf("%s: it goes on: %s", what, again)
		}
		told := p.stderr.String()
		if !strings.Contains(got, `"error":{"code":-32091,"message":"pinproof: `) || !strings.Contains(told[heard:], c.told) {
			t.Errorf("%s: %s\n%s", what, got, told[heard:])
		}
		heard = len(told)
	}
	if code, all := p.end(); code != 0 || strings.Contains(all, "EVIL") {
		t.Errorf("code %d: %s", code, all)
	}
	if len(elsewhere.asked()) > 0 {
		t.Errorf("another host was asked: %v", elsewhere.asked()[0].Header)
	}
	for _, kind := range []string{"application/json", "text/event-stream"} { // more than 64 MiB, without an end
		s := newPlaying(t, "good", asJSON)
		p := g.web(t, s)
		s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, "data: ")
			for mib := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(w, mib); err != nil {
					return true
				}
			}
		})
		p.ask(3, "tools/list", `{}`)
		if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "more than 64 MiB") {
			t.Errorf("%s: code %d\n%s", kind, code, &p.stderr)
		}
	}
}

// TestWebSDK: the official Go client does the same with the official Go server through the guard
// as it does without, whichever way the server speaks.
func TestWebSDK(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Instructions: "Use the tools."})
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(ctx context.Context, req *mcp.CallToolRequest, in struct{ A int }) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(in.A + 1)}}}, nil, nil
	})
	// The server refuses a call whose headers don't repeat these arguments, from 2026-07-28 on.
	server.AddTool(&mcp.Tool{Name: "export", InputSchema: json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
		"level":{"type":"integer","x-mcp-header":"Level"},"dry":{"type":"boolean","x-mcp-header":"Dry-Run"},"note":{"type":"string","x-mcp-header":"Note"},
		"none":{"type":"string","x-mcp-header":"None"},"at":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}}}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "exported"}}}, nil
		})
	exported := map[string]any{"region": "west 1", "level": -7, "dry": false, "note": " =?base64?? ", "none": nil, "at": map[string]any{"city": "Köln\n"}}
	get := func(*http.Request) *mcp.Server { return server }
	g := newGuarded(t)
	self, _ := os.Executable()
	stream := mcp.NewStreamableHTTPHandler(get, nil)
	first := httptest.NewServer(stream)
	if code, _, stderr := capturing(t, "save", filepath.Join(g.folder, "sdk.jsonl"), first.URL); code != 0 {
		t.Fatal(stderr)
	}
	first.Close()
	programs, _ := pinproofHere()
	lock := exec.Command(filepath.Join(programs, "pinproof"), "lock", "sdk.jsonl")
	lock.Dir, lock.Env = g.folder, g.env
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for what, handler := range map[string]http.Handler{
		"stream":    stream,
		"JSON":      mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true}),
		"stateless": mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}),
		"sse":       mcp.NewSSEHandler(get, nil),
	} {
		web := httptest.NewServer(handler)
		args := []string{"guard", "sdk", web.URL}
		var direct mcp.Transport = &mcp.StreamableClientTransport{Endpoint: web.URL}
		if what == "sse" {
			args, direct = append(args, "--sse"), &mcp.SSEClientTransport{Endpoint: web.URL}
		}
		var stderr bytes.Buffer
		guard := exec.Command(self, args...)
		guard.Dir, guard.Env, guard.Stderr = g.folder, append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1"), &stderr
		var results []string
		for _, transport := range []mcp.Transport{direct, &mcp.CommandTransport{Command: guard}} {
			ctx, cancel := context.WithTimeout(context.Background(), generous)
			defer cancel()
			session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, transport, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, &stderr)
			}
			begun := session.InitializeResult()
			list, err := session.ListTools(ctx, &mcp.ListToolsParams{})
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, &stderr)
			}
			called, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"A": 41}})
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, &stderr)
			}
			export, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "export", Arguments: exported})
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, &stderr)
			}
			all, _ := json.Marshal([]any{begun, list, called, export})
			results = append(results, string(all))
			session.Close()
		}
		if results[0] != results[1] || !strings.Contains(results[0], `"42"`) || stderr.Len() > 0 {
			t.Errorf("%s:\n%s\n%s\n%s", what, results[0], results[1], &stderr)
		}
		web.CloseClientConnections()
		web.Close()
	}
}

// TestWebCancelled: a cancelled request doesn't hold up the end of the session. From 2026-07-28 on, the server
// sees a cancellation as the end of the answer's stream, and a request for notifications has no other end.
func TestWebCancelled(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		s := newPlaying(t, "good", asEvents)
		p := newGuarded(t).web(t, s)
		begun, ended := make(chan string, 2), make(chan string, 2)
		s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
			if !bytes.Contains(body, []byte("protocolVersion")) {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			begun <- req.Header.Get("Mcp-Method")
			<-req.Context().Done()
			ended <- req.Header.Get("Mcp-Method")
			return true
		})
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision + `"}`
		if revision == "2026-07-28" {
			p.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + meta + `,"notifications":{}}}`)
			<-begun
		}
		p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{` + meta + `,"name":"a"}}`)
		<-begun
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		if revision == "2026-07-28" {
			if which := <-ended; which != "tools/call" {
				t.Errorf("%s ended", which)
			}
		}
		p.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
		p.answer(8)
		if len(ended) > 0 {
			t.Errorf("%s: %s ended", revision, <-ended)
		}
		if code, all := p.end(); code != 0 || strings.Contains(all, `"id":7`) || p.stderr.Len() > 0 {
			t.Errorf("%s: code %d\n%s\n%s", revision, code, all, &p.stderr)
		}
	}
}

// TestWebCancelledMeanwhile: a stream that was cut off isn't asked for again once its request is cancelled.
func TestWebCancelledMeanwhile(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	s := newPlaying(t, "good", asEvents)
	p := newGuarded(t).web(t, s)
	cut, again := make(chan bool, 1), make(chan bool, 1)
	s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
		if req.Header.Get("Last-Event-Id") != "" {
			again <- true
			return true
		}
		if bytes.Contains(body, []byte("2026-07-28")) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "retry: 500\nid: 1\ndata: \n\n")
			cut <- true
			return true
		}
		return false
	})
	p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"a"}}`)
	<-cut
	time.Sleep(100 * time.Millisecond) // the end of the stream has come
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	select {
	case <-again:
		t.Error("it was asked for again")
	case <-time.After(time.Second):
	}
	if code, all := p.end(); code != 0 || strings.Contains(all, `"id":7`) || p.stderr.Len() > 0 {
		t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
	}
}

// TestWebSignal: a signal ends the session as it would end a server, even while an answer is
// awaited, and the server is told.
func TestWebSignal(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t)
	s := newPlaying(t, "good", asEvents)
	p := newGuarded(t).web(t, s)
	waits := make(chan bool)
	s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
		if req.Method != http.MethodPost {
			return false
		}
		close(waits)
		<-req.Context().Done()
		return true
	})
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}}`)
	<-waits
	p.cmd.Process.Signal(os.Interrupt)
	for range p.lines { // until the guard has ended, with its input still open
	}
	if code, _ := p.end(); code != 130 || s.last().Method != http.MethodDelete {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
}
