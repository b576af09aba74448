package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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
	twist     func(w http.ResponseWriter, req *http.Request, body []byte) bool // done by it

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
	said  chan string // what it says to one line
	alone chan string // for its standalone stream
	later string      // for whoever resumes
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

// end forgets all sessions.
func (p *playing) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.sessions)
}

func (p *playing) methods() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, body := range p.got {
		var m struct{ Method string }
		json.Unmarshal([]byte(body), &m)
		all = append(all, m.Method)
	}
	return all
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
	}
	switch {
	case s == nil:
		http.Error(w, "EVIL: no such session", http.StatusNotFound)
	case req.Method == http.MethodDelete:
		p.mu.Lock()
		delete(p.sessions, name)
		p.mu.Unlock()
	case req.Method == http.MethodGet && req.Header.Get("Last-Event-Id") == "cut":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, s.later)
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

// answer lets the part answer, and says it in this server's way.
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
	var said string
	go s.in.Write(append(body, `{"jsonrpc":"2.0","id":"flush","method":"prompts/list"}`+"\n"...))
	for !strings.Contains(said, `"id":"flush"`) {
		said += <-s.said
	}
	lines := strings.SplitAfter(said, "\n")
	lines = lines[:len(lines)-2] // the last line is the flush's, behind it is nothing
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
		if p.how == asAlone && m.Method == "initialize" { // its stream isn't open yet
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.Join(lines, ""))
			return
		}
		s.alone <- events
		w.WriteHeader(http.StatusAccepted)
	case asCut:
		s.later = events
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "id: cut\nretry: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",")
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, events)
	}
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

// flagsOf a server that speaks in that way.
func flagsOf(how string) []string {
	if how == asOld {
		return []string{"--sse"}
	}
	return nil
}

var ways = []string{asJSON, asEvents, asTwoLines, asCut, asAlone, asOld}

// TestWebPasses: a session with what was approved is the same at an address as over stdio without
// the guard.
func TestWebPasses(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	self, _ := os.Executable()
	for _, part := range []string{"good", "pages"} {
		bare := exec.Command(self, "play", part)
		bare.Env = g.env
		without := g.run(t, bare)
		without.session()
		_, want := without.end()
		for _, how := range ways {
			t.Run(part+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newPlaying(t, part, how)
				with := g.startWeb(t, s.URL, flagsOf(how)...)
				with.session()
				code, got := with.end()
				want := want
				if how == asTwoLines {
					got = strings.ReplaceAll(got, ": ", ":") // a line feed between tokens is a blank
					want = strings.ReplaceAll(want, ": ", ":")
				}
				if code != 0 || got != want || with.stderr.Len() > 0 {
					t.Errorf("code %d\n%s\nwant\n%s\n%s", code, got, want, &with.stderr)
				}
			})
		}
	}
}

// TestWebBlocks: whatever a server at an address does, the client gets no byte of what no pin
// approves.
func TestWebBlocks(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, part := range []string{
		"the first asking", "the second asking", "after list_changed", "pages, the third is changed", "pages, one comes again",
		"a batch", "an answer to another method", "instructions in another answer", "behind noise", "two lines at once",
		"before the question", "instructions at the second initialize", "an entry changed", "an entry twice", "a hidden change",
		"letter case", "an escaped name", "a member twice", "behind a carriage return", "behind a value", "over two lines",
		"RESULT", "a prompt", "another list's entry", "names with underscores", "an array for a result",
	} {
		for _, how := range ways {
			t.Run(part+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newPlaying(t, part, how)
				p := g.startWeb(t, s.URL, flagsOf(how)...)
				p.session()
				_, got := p.end()
				if strings.Contains(got, "EVIL") || strings.Contains(got, "\U000e0045") || p.stderr.Len() == 0 {
					t.Errorf("%s\n%s", got, &p.stderr)
				}
				for _, line := range p.got {
					if !json.Valid([]byte(line)) {
						t.Errorf("no message: %s", line)
					}
				}
			})
		}
	}
}

var _ = time.Second
