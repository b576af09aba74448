package guard

import (
	"bytes"
	"errors"
	"regexp"

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
	var whole []byte
	if bad != nil {
		whole = withoutHalves(line)
		if found, err = capture.Messages(whole); err != nil {
			return m, bad
		}
	}
	if len(found) == 0 {
		return m, bad
	}
	if bytes.TrimLeft(line, " \t\r\n")[0] == '[' {
		return m, errors.New("a batch of messages")
	}
	if bad == nil {
		return found[0], nil
	}
	mended := bytes.Clone(line)
	params := found[0].Get("params")
	result := found[0].Get("result")
	for _, content := range []jsontree.Value{result, found[0].Get("error"), params.Get("messages"), // of a sampling
		params.Get("systemPrompt"), params.Get("message"), params.Get("data")} { // of a log line
		mend(mended, whole, content)
	}
	if !bytes.Equal(mended, whole) || capture.HoldsEntries(result) {
		return m, bad
	}
	return found[0], nil
}

// mend takes the strings of a value as they are without halves, but no name of a member.
func mend(line, whole []byte, v jsontree.Value) {
	if v.Kind == '"' {
		copy(line[v.At:v.End], whole[v.At:v.End])
	}
	for _, part := range v.Parts {
		mend(line, whole, part.Value)
	}
}

// An escape is a surrogate pair, half a pair, or any other.
var escape = regexp.MustCompile(`\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|\\u[dD][89a-fA-F][[:xdigit:]]{2}|\\.`)

// withoutHalves returns a JSON text with U+FFFD, which is as long, in the place of each escape
// that is half a surrogate pair.
func withoutHalves(line []byte) []byte {
	return escape.ReplaceAllFunc(line, func(e []byte) []byte {
		if len(e) == len(`\ufffd`) {
			return []byte(`\ufffd`)
		}
		return e
	})
}
