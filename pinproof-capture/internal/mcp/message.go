package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
)

// A message is one of the server's: a request, a notification or an answer.
type message struct {
	jsontree.Value
	line []byte

	// The id of the request that it answers, or 0.
	answers int64

	// In place of a message: why it is missing.
	err error
}

const (
	codeNoMethod = "-32601" // JSON-RPC 2.0, section 5.1

	notMessage = "what it sent isn't a message of the protocol"
	notPlain   = "it sent an answer that only some clients take"
	notAsked   = "it sent an answer to a request that was not sent"
)

// readMessage returns the message of a line, nil if all clients pass over the line, or why some clients
// don't take it for a message. asked is the ID of the last request. Some clients pass over a batch, an
// extra member, or an id, a result or an error in another shape than the protocol's; all pass over an
// answer that comes before its request. The answer that they do take may come after the capture has ended.
func readMessage(line []byte, asked int64) (m *message, why string) {
	found, err := capture.Messages(line)
	if err != nil {
		return nil, notMessage
	}
	// an error whose id is null answers nothing
	if len(found) == 0 || found[0].Get("id").Kind == 'n' {
		return nil, ""
	}
	if bytes.TrimSpace(line)[0] == '[' {
		return nil, notPlain
	}
	m = &message{Value: found[0], line: line}
	if m.Has("method") {
		return m, ""
	}
	id := m.Get("id")
	told := m.Get("error")
	m.answers, err = strconv.ParseInt(m.spelled(id), 10, 64)
	_, noCode := strconv.ParseInt(m.spelled(told.Get("code")), 10, 64)
	if len(m.Members()) != 3 || id.Kind != '"' && err != nil || (m.Get("result").Kind != '{' && (noCode != nil || told.Get("message").Kind != '"')) {
		return nil, notPlain
	}
	if err != nil || m.answers < 1 || m.answers > asked {
		return nil, notAsked
	}
	return m, ""
}

// spelled returns a value byte for byte, as it came.
func (m *message) spelled(v jsontree.Value) string { return string(m.line[v.At:v.End]) }

// Answer returns an answer to a request as a line. outcome is its last member.
func Answer(id []byte, outcome string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, outcome)
}

// Reply returns the answer to a request of the server's that no client can answer, such as for sampling. It answers pings.
func Reply(id []byte, method string) []byte {
	if method == "ping" {
		return Answer(id, `"result":{}`)
	}
	return Answer(id, `"error":{"code":`+codeNoMethod+`,"message":"Method not found"}`)
}

// A refusal is an error that the server answers with.
type refusal struct {
	code string
	told *fail.Error
}

func (m *message) refusal(method string, isQuoted bool) *refusal {
	e := m.Get("error")
	code := m.spelled(e.Get("code"))
	told := fail.New("it answered %s with error %s", method, code)
	if isQuoted {
		told.Text += ": " + Excerpt(e.Get("message").Text)
	}
	return &refusal{code, told}
}

func (r *refusal) Error() string { return r.told.Error() }
func (r *refusal) Unwrap() error { return r.told }

// wantsDiscover matches the refusal of initialize by a server that knows only the newer
// server/discover: in words, or with a code for the method, its parameters or the revision.
var wantsDiscover = regexp.MustCompile(`(?i)protocol|version|` + FirstDiscover + `|-3260[12]\b|-32022\b`)

// ReadLeniently reads what may be a message, or a batch of them, as forgiving clients do.
func ReadLeniently(text []byte) (messages []map[string]json.RawMessage) {
	if json.Unmarshal(text, &messages) != nil {
		messages = make([]map[string]json.RawMessage, 1)
		json.Unmarshal(text, &messages[0])
	}
	return messages
}
