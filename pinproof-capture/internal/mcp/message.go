package mcp

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
)

// A message is a request, notification or response from the server.
type message struct {
	jsontree.Value
	line []byte

	// The id of the request that it answers, or 0.
	answers int64
}

const (
	codeNoMethod = "-32601" // JSON-RPC 2.0, section 5.1

	notMessage = "what it sent isn't a message of the protocol"
	notPlain   = "it sent an answer that only some clients take"
	notAsked   = "it sent an answer to a request that was not sent"
)

// readMessage parses a line. If every client ignores the line, the message is empty. If only some clients ignore it,
// readMessage returns the reason: the line is a batch, has an extra member, or has an id, result or error of the wrong
// type. It also returns a reason for a response to a request that wasn't sent yet, whose ID is above asked. Each reason
// makes the capture fail, because the response that clients accept may arrive after the capture.
func readMessage(line []byte, asked int64) (m *message, why string) {
	m = &message{line: line}
	found, err := capture.ParseMessages(line)
	if err != nil {
		return m, notMessage
	}
	// Every client ignores an error whose id is null, because it answers no request.
	if len(found) == 0 || found[0].Get("id").Kind == 'n' {
		return m, ""
	}
	if bytes.TrimSpace(line)[0] == '[' {
		return m, notPlain
	}
	m.Value = found[0]
	if m.Has("method") {
		return m, ""
	}
	id := m.Get("id")
	told := m.Get("error")
	m.answers, err = strconv.ParseInt(m.spelled(id), 10, 64)
	_, noCode := strconv.ParseInt(m.spelled(told.Get("code")), 10, 64)
	if len(m.Members()) != 3 || id.Kind != '"' && err != nil || (m.Get("result").Kind != '{' && (noCode != nil || told.Get("message").Kind != '"')) {
		return m, notPlain
	}
	if err != nil || m.answers < 1 || m.answers > asked {
		return m, notAsked
	}
	return m, ""
}

// spelled returns the bytes of a value as received.
func (m *message) spelled(v jsontree.Value) string { return string(m.line[v.Start:v.End]) }

// ResponseLine returns a response to a request as a line. outcome is its "result" or "error" member.
func ResponseLine(id []byte, outcome string) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(","), []byte(outcome), []byte("}\n"))
}

// LocalResponse returns our response to a server's request that isn't passed to a client: a result for ping, "Method not
// found" for any other, such as sampling.
func LocalResponse(id []byte, method string) []byte {
	if method == "ping" {
		return ResponseLine(id, `"result":{}`)
	}
	return ResponseLine(id, `"error":{"code":`+codeNoMethod+`,"message":"Method not found"}`)
}

// A refusal is an error response from the server.
type refusal struct {
	error
	code string
}

func (r *refusal) Unwrap() error { return r.error }

// wantsDiscover matches the error with which a server that supports only server/discover responds to initialize: its
// words, or its code for an unknown method, invalid parameters or an unsupported revision.
var wantsDiscover = regexp.MustCompile(`(?i)protocol|version|` + FirstDiscover + `|-3260[12]\b|-32022\b`)

// ParseLeniently parses a message, or the first 10,000 of a batch, as lenient clients do: the last of repeated members
// counts. It stops at the first that is no object.
func ParseLeniently(text []byte) (messages []map[string]json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(text))
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		d.Token()
	}
	for range 10_000 {
		var m map[string]json.RawMessage
		if d.Decode(&m) != nil {
			break
		}
		messages = append(messages, m)
	}
	return messages
}
