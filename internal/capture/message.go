package capture

import (
	"bytes"
	"cmp"
	"errors"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// ParseMessages parses a line of a stdio session: one JSON-RPC message, or a batch. For noise, such as a log line in
// JSON, it returns no messages. It returns an error if clients could read the line differently, or if the line
// only begins like a message. The offsets of the messages are offsets in the line.
func ParseMessages(line []byte) ([]jsontree.Value, error) {
	if piece := bytes.TrimLeft(line, " \t\r\n"); len(piece) == 0 || !couldBeMessage(piece) {
		return nil, nil
	}
	if bytes.IndexByte(bytes.TrimRight(line, "\r\n"), '\r') >= 0 {
		return nil, errors.New("a message with a carriage return inside: some clients end a line there, others don't")
	}
	v, err := jsontree.NewReader(line).ReadSingle()
	if err != nil {
		return nil, err
	}
	messages := []jsontree.Value{v}
	if v.Kind == '[' {
		messages = messages[:0]
		for _, item := range v.Items() {
			messages = append(messages, item.Value)
		}
	}
	versioned := 0
	for _, m := range messages {
		if m.StringIn("jsonrpc") == "2.0" {
			versioned++
		}
	}
	if versioned == 0 {
		return nil, nil
	}
	if versioned < len(messages) {
		return nil, errors.New("a batch in which not every element is a message")
	}
	for _, m := range messages {
		if err := checkMessage(m); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// checkMessage returns why clients could read a message differently, or nil.
func checkMessage(m jsontree.Value) error {
	if problem := cmp.Or(findFolded(m.Members(), pin.MessageMembers, ""), findInResult(m.Get("result"))); problem != nil {
		return problem
	}
	shapes := 0
	for _, name := range []string{"method", "result", "error"} {
		if m.Has(name) {
			shapes++
		}
	}
	method := m.Get("method").Kind
	id := m.Get("id").Kind
	switch {
	case shapes > 1:
		return errors.New(`a message that fits two shapes of "method", "result" and "error"`)
	case shapes == 0:
		return errors.New(`a message with none of "method", "result" and "error"`)
	case method != 0 && method != '"':
		return errors.New(`a message whose "method" isn't a string`)
	case id == '"', id == '0', method != 0 && id == 0, m.Has("error") && id == 'n':
		return nil
	}
	return errors.New(`a message whose "id" is neither a string nor a number`)
}

// MessageKey returns the id of a message as a key. The number 1 and the string "1" have different keys.
func MessageKey(m jsontree.Value) string {
	id := m.Get("id")
	return string(id.Kind) + id.Text
}

// HasEntries reports whether a result has something that can be pinned: a list, or a
// server's instructions.
func HasEntries(result jsontree.Value) bool {
	_, listed := pin.EntryTypeIn(result.Has)
	return listed || result.Has(pin.EntryTypeInfo[pin.Instructions].Member)
}

// CheckEvent returns why clients could read different messages from a server's event, or nil.
func CheckEvent(data []byte) error {
	s := ScannedCapture{File: fail.NewFile("an event", data)}
	_, err := s.eventStream(true)
	return err
}
