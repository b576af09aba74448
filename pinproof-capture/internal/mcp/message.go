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
	err     error    // in place of a message: why there is none
}

// A refusal is an error that the server answers with.
type refusal struct {
	code  int64
	words string
	data  json.RawMessage
	told  *fail.Error
}

func (r *refusal) Error() string { return r.told.Error() }
func (r *refusal) Unwrap() error { return r.told }

// refused is the refusal of a request.
func (m *message) refused(method string) error {
	m.refusal.told = fail.New("it answered %s with error %d: %s", method, m.refusal.code, Excerpt(m.refusal.words))
	return m.refusal
}

// The codes of JSON-RPC 2.0, section 5.1, and that of MCP for a revision that isn't spoken.
const (
	codeNoMethod      = -32601
	codeBadParams     = -32602
	codeOtherRevision = -32022
)

const (
	notMessage = "what it sent is no message of the protocol"
	notPlain   = "it sent an answer that only some clients take"
	notAsked   = "it sent an answer to a request that was not sent"
)

// decode returns the message of a JSON text, nil if it is none, or why an answer isn't one to every
// client; asked is the id of the last request. Some clients pass over a batch, one more member, or
// an id, a result or an error of another shape than the protocol's; all pass over an answer that
// comes before its request. The answer that they take may come when the capture has ended.
func decode(text []byte, asked int64) (got *message, why string) {
	var m, e map[string]json.RawMessage // whose keys keep their letter case
	if json.Unmarshal(text, &m) != nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return nil, notPlain
	}
	id, result := m["id"], m["result"]
	if id == nil && m["method"] == nil {
		return nil, ""
	}
	got = &message{id: id, result: result}
	isNull := string(id) == "null"
	if isNull {
		got.id = nil
	}
	if json.Unmarshal(m["method"], &got.method); m["method"] != nil {
		return got, ""
	}
	var code *int64
	var words *string
	if json.Unmarshal(m["error"], &e) == nil && json.Unmarshal(e["code"], &code) == nil && code != nil &&
		json.Unmarshal(e["message"], &words) == nil && words != nil {
		got.refusal = &refusal{code: *code, words: *words, data: e["data"]}
	}
	plainID := json.Unmarshal(id, &got.answers) == nil
	switch {
	case len(m) != 3 || m["jsonrpc"] == nil || !plainID && id[0] != '"' || (result == nil || result[0] != '{') && got.refusal == nil:
		return nil, notPlain
	case !isNull && (!plainID || got.answers < 1 || got.answers > asked):
		return nil, notAsked
	}
	return got, ""
}

// reply answers a request of the server's: its pings, and nothing else that it wants, such as
// sampling, roots and elicitation.
func (m *message) reply() []byte {
	what := `"result":{}`
	if m.method != "ping" {
		what = fmt.Sprintf(`"error":{"code":%d,"message":"this client only lists"}`, codeNoMethod)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", oneLine(m.id), what)
}

// unlike is an error about a text of the server's.
func unlike(why string, text []byte) error {
	return fail.New("%s: %s", why, Excerpt(string(bytes.TrimSpace(text))))
}

// loosely reads what may be a message, or a batch of them, as forgiving clients do.
func loosely(text []byte) (messages []map[string]json.RawMessage) {
	if json.Unmarshal(text, &messages) != nil {
		messages = make([]map[string]json.RawMessage, 1)
		json.Unmarshal(text, &messages[0])
	}
	return messages
}
