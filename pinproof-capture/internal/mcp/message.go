package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pinproof/internal/fail"
)

// A message is one of the server's: a request, a notification or an answer.
type message struct {
	id      json.RawMessage // nil of a notification, and where it is null
	method  string          // "" of an answer
	answers int64           // the id of the request that it answers, or 0
	result  json.RawMessage
	refusal *refusal // in place of a result
}

// A refusal is an error that the server answers with.
type refusal struct {
	Code    int64
	Message string
	Data    json.RawMessage
}

// The codes of JSON-RPC 2.0, section 5.1, and that of MCP for a revision that isn't spoken.
const (
	codeNoMethod      = -32601
	codeBadParams     = -32602
	codeOtherRevision = -32022
)

// decode returns the message of a text that noAnswer has nothing against, or nil if it is none.
// It reads through maps, whose keys keep their letter case.
func decode(text []byte) *message {
	var m, e map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil || m["method"] == nil && m["id"] == nil {
		return nil
	}
	got := &message{id: m["id"], result: m["result"]}
	json.Unmarshal(m["method"], &got.method)
	if string(got.id) == "null" {
		got.id = nil
	} else if got.method == "" {
		json.Unmarshal(got.id, &got.answers)
	}
	if json.Unmarshal(m["error"], &e) == nil && e != nil {
		got.refusal = &refusal{Data: e["data"]}
		json.Unmarshal(e["code"], &got.refusal.Code)
		json.Unmarshal(e["message"], &got.refusal.Message)
	}
	return got
}

// A request is a message of ours. A notification has no id, an answer no method.
type request struct {
	id       int64
	method   string
	revision string // of the protocol, once it is agreed on
	body     []byte
}

func newRequest(id int64, method string, params map[string]any) (request, error) {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if id != 0 {
		m["id"] = id
	}
	if params != nil {
		m["params"] = params
	}
	body, err := json.Marshal(m)
	return request{id: id, method: method, body: body}, err
}

// reply answers a request of the server's: its pings, and nothing else that it wants, such as
// sampling, roots and elicitation.
func (m *message) reply() request {
	what := `"result":{}`
	if m.method != "ping" {
		what = fmt.Sprintf(`"error":{"code":%d,"message":"this client only lists"}`, codeNoMethod)
	}
	return request{body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, oneLine(m.id), what)}
}

// noMessage is an error about a text that no client can read.
func noMessage(text []byte) error {
	return fail.New("what it sent is no message of the protocol: %s", Excerpt(string(bytes.TrimSpace(text))))
}
