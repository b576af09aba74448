package guard

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf16"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
)

// message reads a line, and returns a value without a kind if it holds none. Programs in JavaScript
// cut texts at a number of UTF-16 units, and so through a surrogate pair. Half a pair changes no
// structure, and passes in the content of a message. In lists, instructions and names, which are
// pinned or compared, it is refused; and so is a batch, which one revision of the protocol had, and
// which clients read in several ways.
func message(line []byte) (m jsontree.Value, err error) {
	found, bad := capture.Messages(line)
	whole, halves := line, 0
	if bad != nil {
		if whole, halves = withoutHalves(line); halves == 0 {
			return m, bad
		}
		if found, err = capture.Messages(whole); err != nil {
			return m, bad
		}
	}
	switch {
	case len(found) == 0:
		return m, bad
	case bytes.TrimLeft(line, " \t\r\n")[0] == '[':
		return m, errBatch
	case bad == nil:
		return found[0], nil
	}
	for _, content := range contentsOf(found[0]) {
		halves -= halvesIn(content, line, whole)
	}
	if halves != 0 || capture.HoldsEntries(found[0].Get("result")) {
		return m, bad
	}
	return found[0], nil
}

var errBatch = errors.New("a batch of messages")

// contentsOf are the parts of a message that are content.
func contentsOf(m jsontree.Value) []jsontree.Value {
	params := m.Get("params")
	switch m.Get("method").Text {
	case "":
		return []jsontree.Value{m.Get("result"), m.Get("error")}
	case "sampling/createMessage":
		return []jsontree.Value{params.Get("messages"), params.Get("systemPrompt")}
	case "elicitation/create":
		return []jsontree.Value{params.Get("message")}
	case "notifications/message":
		return []jsontree.Value{params.Get("data")}
	}
	return nil
}

// halvesIn counts the halves in the strings of a value, without the names of members.
func halvesIn(v jsontree.Value, line, whole []byte) (n int) {
	if v.Kind == '"' && !bytes.Equal(line[v.At:v.End], whole[v.At:v.End]) {
		_, n = withoutHalves(line[v.At:v.End])
	}
	for _, part := range v.Parts {
		n += halvesIn(part.Value, line, whole)
	}
	return n
}

// withoutHalves returns a JSON text with U+FFFD, which is as long, in the place of each escape
// that is half a surrogate pair, and how many there are.
func withoutHalves(line []byte) (whole []byte, halves int) {
	for at := 0; at < len(line); at++ {
		if line[at] != '\\' {
			continue
		}
		first, _ := jsontree.UnicodeEscape(line[at:])
		if !utf16.IsSurrogate(first) {
			at++
			continue
		}
		if second, _ := jsontree.UnicodeEscape(line[at+6:]); utf16.DecodeRune(first, second) != '\ufffd' {
			at += 11
			continue
		}
		if halves++; whole == nil {
			whole = slices.Clone(line)
		}
		copy(whole[at:], `\ufffd`)
		at += 5
	}
	return whole, halves
}
