package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// The protocol revisions offered: the last one with initialize, to which a server may respond with an older one, and
// the first one with server/discover.
const (
	LastInitialize = "2025-11-25"
	FirstDiscover  = "2026-07-28"
)

// A session captures one server, one request at a time. It doesn't parse definitions, because pinproof judges them.
type session struct {
	to io.Writer // one message per line
	inbox
	rec *record

	files   SkillFiles
	changes int // how often the server has reported that a list has changed

	// The _meta members that identify the client in each request, from revision 2026-07-28 on.
	meta []jsontree.Member

	isQuoted bool // errors may quote the server

	CaptureOptions
}

// run requests everything that a model reads, and starts again when a list changes meanwhile.
func (s *session) run(server Connection) (*greeting, error) {
	// Without this, Write to a server that never reads could block beyond the time limit.
	defer context.AfterFunc(s.ctx, func() { server.Close() })()
	s.to = server
	go func() {
		for ended := cmp.Or(server.Lines(s.put), io.EOF); s.put(Received{Err: ended}) == nil; {
		}
	}()
	g, err := s.begin()
	meta := s.meta
	for err == nil {
		recorded := s.rec.lines.Len()
		before := s.changes
		s.meta = meta
		s.files = SkillFiles{}
		if err = s.lists(g); err == nil && s.changes == before {
			return g, nil
		}
		if s.ctx.Err() != nil && s.changes > 0 {
			return g, s.rec.refuse(fail.New("its lists have no end of changes: it says list_changed again and again"))
		}
		s.rec.lines.Truncate(recorded) // drop the lists from before the change
	}
	return g, err
}

// ListChangedSettle is the default Settle for a server that declares listChanged, because some servers register tools
// after their start. Tests shorten it.
var ListChangedSettle = 2 * time.Second

// lists requests all lists and skill files, then listens for more messages until Settle is over.
func (s *session) lists(g *greeting) error {
	if err := s.all(s.ctx, g, true); err != nil {
		return err
	}
	courteous, cancel := context.WithTimeout(s.ctx, courtesy)
	s.rest(courteous, g)
	cancel()
	settle := s.Settle
	if settle == 0 && slices.ContainsFunc(g.capabilities.Members(), func(m jsontree.Member) bool { return m.Get("listChanged").Kind == 't' }) {
		settle = ListChangedSettle
	}
	settling, cancel := context.WithTimeout(s.ctx, cmp.Or(settle, DefaultSettle))
	defer cancel()
	// No request is open; this records what the server sends unasked.
	s.answer(settling, 0)
	return nil
}

// DefaultSettle is the default time to listen after the last response. It's long enough to catch servers that respond
// twice. Tests shorten it.
var DefaultSettle = 300 * time.Millisecond

// take records a line from the server, and returns its message if every client reads the line as the same message.
func (s *session) take(said Received) (*message, error) {
	if err := s.rec.add(said.Line); err != nil {
		return nil, err
	}
	m, why := readMessage(said.Line, said.asked)
	if why != "" {
		return nil, s.rec.refuse(fail.New("%s%s", why, s.quote(string(bytes.TrimSpace(said.Line)))))
	}
	return m, nil
}

// quote returns the end of an error message that quotes the server. Over HTTP, it returns "", because the server may
// repeat secrets that were sent to it.
func (s *session) quote(said string) string {
	if !s.isQuoted {
		return ""
	}
	return ": " + Excerpt(said)
}

// ask sends a request and waits for its response. It returns an error response as a *refusal.
func (s *session) ask(ctx context.Context, method string, params ...jsontree.Member) (*message, error) {
	id := s.rec.sent.Add(1)
	if _, err := s.to.Write(RequestLine(id, method, params)); err != nil {
		return nil, err
	}
	m, err := s.answer(ctx, id)
	if err != nil || !m.Has("error") {
		return m, err
	}
	e := m.Get("error")
	code := m.spelled(e.Get("code"))
	return nil, &refusal{fail.New("it answered %s with error %s%s", method, code, s.quote(e.Get("message").Text)), code}
}

// answer waits for the response to a request, or only listens if id is 0. Meanwhile it records all that the server
// sends, and responds to the server's requests.
func (s *session) answer(ctx context.Context, id int64) (*message, error) {
	for {
		select {
		case said := <-s.came:
			if said.Err != nil && (said.asked == id || said.asked == 0) {
				return nil, said.Err
			}
			m, err := s.take(said)
			if err != nil {
				return nil, err
			}
			if id > 0 && m.answers == id {
				return m, nil
			} else if strings.HasSuffix(m.Get("method").Text, "/list_changed") {
				s.changes++
			} else if m.Has("method") && m.Has("id") {
				if _, err := s.to.Write(LocalResponse([]byte(m.spelled(m.Get("id"))), m.Get("method").Text)); err != nil {
					return nil, err
				}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// A greeting is the result of the handshake and, later, the number of entries in each list.
type greeting struct {
	capabilities jsontree.Value
	instructions bool
	counts       [pin.EntryTypeCount]int
}

// DefaultClient is the client name to send by default, that of the most common client.
const DefaultClient = "claude-code"

// clientInfo returns the clientInfo to send. Some servers return different lists to different clients.
func (s *session) clientInfo() jsontree.Value {
	name, version, _ := strings.Cut(cmp.Or(s.Client, DefaultClient), "/")
	return jsontree.Object(textMember("name", name), textMember("version", cmp.Or(version, "1.0.0")))
}

func member(name string, v jsontree.Value) jsontree.Member {
	return jsontree.Member{Name: name, Value: v}
}

func textMember(name, value string) jsontree.Member { return member(name, jsontree.String(value)) }

// begin performs the handshake. It tries initialize first, because every server before 2026-07-28 requires it and
// some exit on anything else, and then server/discover.
func (s *session) begin() (*greeting, error) {
	if s.Protocol >= FirstDiscover {
		return s.discover(s.ctx)
	}
	m, err := s.ask(s.ctx, "initialize", textMember("protocolVersion", cmp.Or(s.Protocol, LastInitialize)),
		member("capabilities", s.Capabilities), member("clientInfo", s.clientInfo()))
	if err == nil {
		_, err = io.WriteString(s.to, InitializedLine)
		return greetingOf(m), err
	}
	g, other := s.discover(s.ctx)
	if other == nil {
		return g, nil
	}
	// If the server supports neither, report its response to initialize.
	if errors.As(err, new(*refusal)) && !errors.As(other, new(*fail.Error)) && wantsDiscover.MatchString(err.Error()) {
		fail.AsError(err).Hint("it may speak only revision %s: --protocol %[1]s", FirstDiscover)
	}
	return nil, err
}

// discover sends server/discover. From then on, every request identifies the client in _meta.
func (s *session) discover(ctx context.Context) (*greeting, error) {
	s.meta = []jsontree.Member{
		textMember("io.modelcontextprotocol/protocolVersion", max(s.Protocol, FirstDiscover)),
		member("io.modelcontextprotocol/clientInfo", s.clientInfo()),
		member("io.modelcontextprotocol/clientCapabilities", s.Capabilities),
	}
	m, err := s.ask(ctx, "server/discover", member("_meta", jsontree.Object(s.meta...)))
	if err != nil {
		return nil, err
	}
	return greetingOf(m), nil
}

const InitializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func greetingOf(m *message) *greeting {
	result := m.Get("result")
	return &greeting{capabilities: result.Get("capabilities"), instructions: result.Get("instructions").Text != ""}
}

// MayDeclareList reports whether the capabilities declare a list. Some old servers send no capabilities; they may still
// have tools.
func MayDeclareList(capabilities jsontree.Value, entryType pin.EntryType) bool {
	if capabilities.Kind != '{' {
		return entryType == pin.Tools
	}
	return pin.DeclaresList(entryType, capabilities)
}

// all requests every page of every list that the server declares or, if claimed is false, of the lists that it
// doesn't declare.
func (s *session) all(ctx context.Context, g *greeting, claimed bool) error {
	for _, entryType := range pin.RequestOrder {
		// Clients ask for skills only where they are declared.
		if MayDeclareList(g.capabilities, entryType) != claimed || !claimed && entryType == pin.Skills {
			continue
		}
		n, err := s.pages(ctx, entryType)
		r, refused := errors.AsType[*refusal](err)
		switch {
		case err == nil:
			g.counts[entryType] = n
		// Many servers declare resources without implementing resource templates.
		case refused && r.code == codeNoMethod && entryType != pin.Tools:
		case claimed:
			return err
		}
	}
	return nil
}

// courtesy is the time limit for all requests that the server needn't answer.
const courtesy = 2 * time.Second

// rest sends what other clients send: requests for the lists that the server doesn't declare, and server/discover
// with its lists. The server needn't answer. Its responses are recorded, and pinproof rejects a session with two
// different versions of a list.
func (s *session) rest(ctx context.Context, g *greeting) {
	s.all(ctx, g, false)
	if s.meta != nil || s.Protocol != "" {
		return
	}
	if other, err := s.discover(ctx); err == nil {
		s.all(ctx, other, true) // errors are ignored, because the server needn't answer
	}
}

// pages requests all pages of one list and the files of its skills, and returns the number of entries. It skips a
// file that the server doesn't return.
func (s *session) pages(ctx context.Context, entryType pin.EntryType) (int, error) {
	l := Listing{EntryType: entryType, Meta: s.meta, Files: &s.files, WithFiles: true}
	for more := true; more; {
		answering := ctx
		if l.HasEmptyCursor {
			moment, cancel := context.WithTimeout(ctx, l.Timeout())
			defer cancel()
			answering = moment
		}
		known := len(l.Pages)
		isDoubted := l.HasEmptyCursor
		recorded := s.rec.lines.Len()
		method, params := l.NextRequest()
		m, err := s.ask(answering, method, params...)
		if isDoubted && err != nil {
			break
		}
		if l.RequestsFiles && errors.As(err, new(*refusal)) {
			m = &message{}
		} else if err != nil {
			return 0, err
		}
		if more, err = l.Add(m.line, m.Value); err != nil {
			return 0, err
		}
		if isDoubted && len(l.Pages) == known {
			s.rec.lines.Truncate(recorded)
		}
	}
	return l.Count, nil
}
