package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// A session asks one server, one question at a time. It stands on the SDK's
// connections and not on its client, which decodes definitions into structs and
// refuses what doesn't fit them: what a server lists is for pinproof to judge.
type session struct {
	conn   sdk.Connection
	rec    *record
	redial func() (sdk.Connection, error) // a fresh connection after a refusal; nil over stdio
	agreed func(revision string)          // told what initialize agreed on
	begun  func()                         // called once the server knows that the session has begun

	protocol     string         // the revision to begin with
	capabilities map[string]any // what we claim: some servers list by it
	meta         map[string]any
	met          bool // it took initialize, or answered server/discover in any way
	lastID       int
}

var clientInfo = map[string]any{"name": "pinproof", "version": "1"}

func (s *session) send(ctx context.Context, method string, params map[string]any) (jsonrpc.ID, error) {
	if s.meta != nil {
		params["_meta"] = s.meta
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return jsonrpc.ID{}, err
	}
	s.lastID++
	id, err := jsonrpc.MakeID(float64(s.lastID))
	if err != nil {
		return id, err
	}
	s.rec.asks(int64(s.lastID))
	return id, s.conn.Write(ctx, &jsonrpc.Request{ID: id, Method: method, Params: raw})
}

// ask sends a request and waits for its answer, in doubt for a moment only.
func (s *session) ask(ctx context.Context, method string, params map[string]any, doubt bool) (*jsonrpc.Response, error) {
	if doubt {
		limited, cancel := context.WithTimeout(ctx, courtesy)
		defer cancel()
		ctx = limited
	}
	id, err := s.send(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, id)
}

// answer waits for the answer to one of ids. Meanwhile it answers the server's
// pings and refuses what else it wants: sampling, roots, elicitation.
func (s *session) answer(ctx context.Context, ids ...jsonrpc.ID) (*jsonrpc.Response, error) {
	for {
		msg, err := s.conn.Read(ctx)
		if err != nil {
			return nil, err
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			if slices.Contains(ids, msg.ID) {
				return msg, nil
			}
		case *jsonrpc.Request:
			if !msg.IsCall() {
				continue
			}
			reply := &jsonrpc.Response{ID: msg.ID, Result: json.RawMessage("{}")}
			if msg.Method != "ping" {
				reply.Result, reply.Error = nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client only lists"}
			}
			if err := s.conn.Write(ctx, reply); err != nil {
				return nil, err
			}
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
func (s *session) begin(ctx context.Context, patience time.Duration) (*greeting, error) {
	if s.protocol >= FirstDiscover {
		return s.discover(ctx, jsonrpc.ID{})
	}
	id, err := s.send(ctx, "initialize", map[string]any{
		"protocolVersion": s.protocol, "capabilities": s.capabilities, "clientInfo": clientInfo,
	})
	if err == nil {
		var r *jsonrpc.Response
		early, cancel := context.WithTimeout(ctx, patience)
		r, err = s.answer(early, id)
		cancel()
		switch {
		case err == nil && r.Error == nil:
			return s.initialized(ctx, r)
		case err == nil:
			err = refused("initialize", r.Error)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return s.discover(ctx, id)
		case s.redial == nil:
			return nil, err // it has ended
		}
	}
	if ctx.Err() == nil && s.redial != nil {
		conn, failed := s.redial()
		if failed != nil {
			return nil, err
		}
		s.conn = conn
	}
	// If it knows neither, what it said first is the reason to tell.
	if g, other := s.discover(ctx, jsonrpc.ID{}); other == nil {
		return g, nil
	}
	return nil, err
}

// discover asks server/discover; from then on every request says who asks. If
// initialize is still open, its answer will do as well.
func (s *session) discover(ctx context.Context, initialize jsonrpc.ID) (*greeting, error) {
	s.meta = map[string]any{
		sdk.MetaKeyProtocolVersion:    max(s.protocol, FirstDiscover),
		sdk.MetaKeyClientInfo:         clientInfo,
		sdk.MetaKeyClientCapabilities: s.capabilities,
	}
	id, err := s.send(ctx, "server/discover", map[string]any{})
	if err != nil {
		return nil, err
	}
	for open := initialize.IsValid(); ; open = false {
		r, err := s.answer(ctx, initialize, id)
		s.met = s.met || err == nil && r.ID == id
		switch {
		case err != nil:
			return nil, err
		case r.Error == nil && r.ID == id:
			return greetingOf(r)
		case r.Error == nil:
			return s.initialized(ctx, r)
		case !open:
			return nil, refused("server/discover", r.Error)
		}
	}
}

func (s *session) initialized(ctx context.Context, r *jsonrpc.Response) (*greeting, error) {
	s.meta, s.met = nil, true
	var result map[string]json.RawMessage
	var revision string
	if json.Unmarshal(r.Result, &result) == nil && json.Unmarshal(result["protocolVersion"], &revision) == nil && s.agreed != nil {
		s.agreed(revision)
	}
	if err := s.conn.Write(ctx, &jsonrpc.Request{Method: "notifications/initialized"}); err != nil {
		return nil, err
	}
	if s.begun != nil {
		s.begun()
	}
	return greetingOf(r)
}

// greetingOf reads through maps, whose keys keep their letter case.
func greetingOf(r *jsonrpc.Response) (*greeting, error) {
	var result map[string]json.RawMessage
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return nil, fail.New("its first answer is no object: %s", Excerpt(string(r.Result)))
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
		e, ok := errors.AsType[*jsonrpc.Error](err)
		if ok && e.Code == jsonrpc.CodeMethodNotFound && list != pin.Tools {
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
func (s *session) rest(ctx context.Context, g *greeting) {
	ctx, cancel := context.WithTimeout(ctx, courtesy)
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
	if s.agreed != nil {
		s.agreed(FirstDiscover)
	}
	if other, err := s.discover(ctx, jsonrpc.ID{}); err == nil {
		s.all(ctx, other) // an error is one of the server's own
	}
}

// settle waits for what the server says unasked, so that it is recorded.
func (s *session) settle(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	s.answer(ctx) // no request is open
}

// pages asks for one list whole and returns the number of its entries.
func (s *session) pages(ctx context.Context, list pin.EntryType) (int, error) {
	method, member := pin.EntryTypeInfo[list].Method, pin.EntryTypeInfo[list].Member
	count, last := 0, []byte(nil)
	seen := map[string]bool{}
	params := map[string]any{}
	for range MaxPages {
		// An empty cursor is one like any other since 2026-07-28, where requests carry _meta.
		// Before, many servers mean the end by it: then an error, nothing or the same follows.
		doubt := params["cursor"] == "" && s.meta == nil
		before := s.rec.length()
		r, err := s.ask(ctx, method, params, doubt)
		if doubt && (err != nil || r.Error != nil) {
			return count, nil
		}
		if err != nil {
			return 0, err
		}
		if r.Error != nil {
			return 0, refused(method, r.Error)
		}
		var result map[string]json.RawMessage
		var entries []struct{} // which take no memory: a flood has millions
		if json.Unmarshal(r.Result, &result) == nil {
			json.Unmarshal(result[member], &entries) // for the count; pinproof reads it strictly
		}
		if doubt && (len(entries) == 0 || bytes.Equal(last, result[member])) {
			s.rec.cut(before)
			return count, nil
		}
		last = result[member]
		count += len(entries)
		next := bytes.TrimSpace(result["nextCursor"])
		if len(next) == 0 || string(next) == "null" {
			return count, nil
		}
		var cursor string
		if err := json.Unmarshal(next, &cursor); err != nil {
			return 0, fail.New("its answer to %s has a nextCursor that is no string: %s", method, Excerpt(string(next)))
		}
		if seen[cursor] {
			return 0, fail.New("its answers to %s go in a circle: a nextCursor comes twice", method)
		}
		seen[cursor] = true
		params = map[string]any{"cursor": cursor}
	}
	return 0, fail.New("its answer to %s has more than %d pages", method, MaxPages)
}

// An answeredError is one that the server answered.
type answeredError struct {
	err   *fail.Error
	cause *jsonrpc.Error
}

func (r *answeredError) Error() string   { return r.err.Error() }
func (r *answeredError) Unwrap() []error { return []error{r.err, r.cause} }

func refused(method string, err error) error {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return fail.New("it answered %s with an error: %s", method, Excerpt(err.Error()))
	}
	return &answeredError{fail.New("it answered %s with error %d: %s", method, e.Code, Excerpt(e.Message)), e}
}
