package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
)

// The revisions of the protocol that are offered: the last one with initialize, which
// a server may answer with an older one, and the one that replaced it.
const (
	LastInitialize = "2025-11-25"
	FirstDiscover  = "2026-07-28"
)

// MaxPages bounds one list: at a tool a page, more than any server has; a server
// that never stops is found out before the time is up.
const MaxPages = 1000

// A session asks one server, one question at a time. It decodes no definition: what a server
// lists is for pinproof to judge.
type session struct {
	to   io.Writer // a message a line
	ctx  context.Context
	came chan *message
	rec  *record

	protocol     string         // the revision to begin with
	capabilities map[string]any // what we claim: some servers list by it
	meta         map[string]any
}

var clientInfo = map[string]any{"name": "pinproof", "version": "1"}

// run asks the server for all that it tells a model.
func (s *session) run(server Connection, o Options) (*greeting, error) {
	// A server that never reads can't hold us up beyond the limit.
	defer context.AfterFunc(s.ctx, func() { server.Close() })()
	s.to = server
	go func() {
		for ended := cmp.Or(server.Lines(s.take), io.EOF); s.put(&message{err: ended}) == nil; {
		}
	}()
	g, err := s.begin(o.Timeout / 2)
	if err == nil {
		err = s.all(s.ctx, g)
	}
	if err == nil {
		s.rest(g)
		settling, cancel := context.WithTimeout(s.ctx, o.Settle)
		defer cancel()
		s.answer(settling) // no request is open, but what the server says unasked is recorded
	}
	return g, err
}

// take records what the server says, as it came, and hands on what is a message to every client.
// An error whose id is null answers nothing. What clients could read differently is for
// pinproof to refuse, with the place.
func (s *session) take(said Said) error {
	if said.Err != nil {
		return s.put(&message{answers: said.asked, err: said.Err})
	}
	if err := s.rec.add(said.Line); err != nil {
		return err
	}
	found, err := capture.Messages(said.Line)
	switch {
	case err != nil && !json.Valid(said.Line):
		return s.rec.refuse(notMessage+": "+err.Error(), said.Line)
	case err == nil && (len(found) == 0 || found[0].Get("id").Kind == 'n'):
		return nil
	}
	m, why := decode(said.Line, said.asked)
	if m == nil {
		return s.rec.refuse(cmp.Or(why, notMessage), said.Line)
	}
	return s.put(m)
}

// put hands on what was received, as long as the session goes on.
func (s *session) put(m *message) error {
	select {
	case s.came <- m:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// send sends a request and returns its id.
func (s *session) send(method string, params map[string]any) (id int64, err error) {
	if s.meta != nil {
		params["_meta"] = s.meta
	}
	id = s.rec.sent.Add(1)
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err == nil {
		_, err = s.to.Write(append(line, '\n'))
	}
	return id, err
}

// answer waits for the answer to one of ids. Meanwhile it answers what the server asks.
func (s *session) answer(ctx context.Context, ids ...int64) (*message, error) {
	for {
		select {
		case m := <-s.came:
			awaited := slices.Contains(ids, m.answers)
			switch {
			case m.err != nil && (awaited || m.answers == 0):
				return nil, m.err
			case m.err == nil && m.method == "" && awaited:
				return m, nil
			case m.method != "" && m.id != nil:
				if _, err := s.to.Write(m.reply()); err != nil {
					return nil, err
				}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// A greeting is what a server says of itself before it lists anything, and then how
// much it lists.
type greeting struct {
	capabilities map[string]json.RawMessage
	instructions bool
	counts       [pin.EntryTypes]int
	undeclared   []string // the lists that it gives without claiming them
}

// begin holds the handshake. It begins with initialize, as every server before
// 2026-07-28 needs it and some end at anything else. A server that refuses it, or is
// silent for patience, is asked server/discover as well. So which of the two a server
// that knows both is asked never depends on its speed.
func (s *session) begin(patience time.Duration) (*greeting, error) {
	if s.protocol >= FirstDiscover {
		return s.discover(s.ctx, 0)
	}
	id, err := s.send("initialize", map[string]any{
		"protocolVersion": s.protocol, "capabilities": s.capabilities, "clientInfo": clientInfo,
	})
	if err != nil {
		return nil, err
	}
	early, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	m, err := s.answer(early, id)
	switch {
	case err == nil && m.refusal == nil:
		return s.initialized(m)
	case errors.Is(err, context.DeadlineExceeded) && s.ctx.Err() == nil:
		return s.discover(s.ctx, id)
	case err == nil:
		err = m.refused("initialize")
	}
	g, other := s.discover(s.ctx, 0)
	if other == nil {
		return g, nil
	}
	// If it knows neither, what it said first is the reason to tell.
	_, spoke := errors.AsType[*fail.Error](other)
	if r, ok := errors.AsType[*refusal](err); ok && !spoke && r.wantsDiscover() {
		r.told.Hint("it may speak only revision %s: --protocol %[1]s", FirstDiscover)
	}
	return nil, err
}

// wantsDiscover reports whether a refusal of initialize is that of a server which knows only what
// came after it.
func (r *refusal) wantsDiscover() bool {
	return slices.Contains([]int64{codeNoMethod, codeBadParams, codeOtherRevision}, r.code) ||
		wantsVersion.MatchString(r.words+string(r.data))
}

var wantsVersion = regexp.MustCompile(`(?i)protocol|version|` + FirstDiscover)

// discover asks server/discover; from then on every request says who asks. If
// initialize is still open, its answer will do as well.
func (s *session) discover(ctx context.Context, initialize int64) (*greeting, error) {
	s.meta = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    max(s.protocol, FirstDiscover),
		"io.modelcontextprotocol/clientInfo":         clientInfo,
		"io.modelcontextprotocol/clientCapabilities": s.capabilities,
	}
	id, err := s.send("server/discover", map[string]any{})
	if err != nil {
		return nil, err
	}
	for open := initialize != 0; ; open = false {
		m, err := s.answer(ctx, initialize, id)
		switch {
		case err != nil:
			return nil, err
		case m.refusal == nil && m.answers == id:
			return greetingOf(m)
		case m.refusal == nil:
			return s.initialized(m)
		case !open:
			return nil, m.refused("server/discover")
		}
	}
}

func (s *session) initialized(m *message) (*greeting, error) {
	s.meta = nil
	if _, err := io.WriteString(s.to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return nil, err
	}
	return greetingOf(m)
}

// greetingOf reads through maps, whose keys keep their letter case.
func greetingOf(m *message) (*greeting, error) {
	var result map[string]json.RawMessage
	if err := json.Unmarshal(m.result, &result); err != nil {
		return nil, fail.New("its first answer is no object: %s", Excerpt(string(m.result)))
	}
	g := &greeting{instructions: len(result["instructions"]) > len(`""`)}
	if raw, ok := result["capabilities"]; ok {
		if err := json.Unmarshal(raw, &g.capabilities); err != nil {
			return nil, fail.New("its capabilities are no object: %s", Excerpt(string(raw)))
		}
	}
	return g, nil
}

// lists are what a server is asked for, in this order.
var lists = []pin.EntryType{pin.Tools, pin.Prompts, pin.Resources, pin.Templates}

// claims reports whether the server says that it has the list. One that tells no
// capabilities at all, as some old ones do, may have tools.
func (g *greeting) claims(list pin.EntryType) bool {
	if g.capabilities == nil {
		return list == pin.Tools
	}
	raw, ok := g.capabilities[pin.EntryTypeInfo[list].Capability]
	return ok && string(raw) != "null"
}

// all asks for every page of every list that the server claims.
func (s *session) all(ctx context.Context, g *greeting) error {
	for _, list := range lists {
		if !g.claims(list) {
			continue
		}
		n, err := s.pages(ctx, list)
		r, ok := errors.AsType[*refusal](err)
		if ok && r.code == codeNoMethod && list != pin.Tools {
			continue // many servers claim resources and have no templates
		}
		if err != nil {
			return err
		}
		g.counts[list] = n
	}
	return nil
}

// courtesy is how long a server has to answer what it needn't answer.
const courtesy = 2 * time.Second

// rest asks what other clients ask: the lists that the server doesn't claim, and
// server/discover with the lists that go with it. A server need not answer that. What it
// answers is recorded, and pinproof refuses a session with two different lists.
func (s *session) rest(g *greeting) {
	ctx, cancel := context.WithTimeout(s.ctx, courtesy)
	defer cancel()
	for _, list := range lists {
		if g.claims(list) {
			continue
		}
		if n, err := s.pages(ctx, list); err == nil && n > 0 {
			g.counts[list] = n
			g.undeclared = append(g.undeclared, pin.EntryTypeInfo[list].Entry+"s")
		}
	}
	if s.meta != nil {
		return
	}
	if other, err := s.discover(ctx, 0); err == nil {
		s.all(ctx, other) // an error is one of the server's own
	}
}

// pages asks for one list whole and returns the number of its entries.
func (s *session) pages(ctx context.Context, list pin.EntryType) (count int, err error) {
	method, member := pin.EntryTypeInfo[list].Method, pin.EntryTypeInfo[list].Member
	var last []byte
	seen := map[string]bool{}
	params := map[string]any{}
	for range MaxPages {
		// An empty cursor is one like any other since 2026-07-28, where requests carry _meta.
		// Before, many servers mean the end by it: then an error, nothing or the same follows.
		doubt := params["cursor"] == "" && s.meta == nil
		before := s.rec.length()
		m, err := s.page(ctx, method, params, doubt)
		if doubt && err != nil {
			return count, nil
		}
		if err != nil {
			return 0, err
		}
		var result map[string]json.RawMessage
		var entries []struct{} // which take no memory: a flood has millions
		if json.Unmarshal(m.result, &result) == nil {
			json.Unmarshal(result[member], &entries) // for the count; pinproof reads it strictly
		}
		if doubt && (len(entries) == 0 || bytes.Equal(last, result[member])) {
			s.rec.cut(before)
			return count, nil
		}
		last = result[member]
		count += len(entries)
		next := result["nextCursor"]
		if len(next) == 0 || string(next) == "null" {
			return count, nil
		}
		var cursor string
		if err := json.Unmarshal(next, &cursor); err != nil {
			return 0, fail.New("its answer to %s has a nextCursor that is no string: %s", method, Excerpt(string(next)))
		}
		if seen[cursor] {
			return 0, fail.New("its answers to %s never end: a nextCursor comes twice", method)
		}
		seen[cursor] = true
		params = map[string]any{"cursor": cursor}
	}
	return 0, fail.New("its answer to %s has more than %d pages", method, MaxPages)
}

// page asks for a page and waits for it, in doubt for a moment only.
func (s *session) page(ctx context.Context, method string, params map[string]any, doubt bool) (*message, error) {
	if doubt {
		limited, cancel := context.WithTimeout(ctx, courtesy)
		defer cancel()
		ctx = limited
	}
	id, err := s.send(method, params)
	if err != nil {
		return nil, err
	}
	m, err := s.answer(ctx, id)
	if err == nil && m.refusal != nil {
		err = m.refused(method)
	}
	return m, err
}
