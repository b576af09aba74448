package guard

import (
	"bytes"
	"errors"
	"regexp"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
)

// message reads a line. It returns a value without a kind if the line is no message. Programs in JavaScript cut
// texts at a number of UTF-16 units, and so may cut a surrogate pair in half. Half a pair changes no structure, and
// passes in the content of a message. In lists, instructions and names, which are pinned or compared, it is refused.
// A batch is refused, too: one revision of the protocol had batches, and clients read them in several ways.
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

// mend copies the strings of a value from whole, which has no halves, into line, but no names of members.
func mend(line, whole []byte, v jsontree.Value) {
	if v.Kind == '"' {
		copy(line[v.At:v.End], whole[v.At:v.End])
	}
	for _, part := range v.Parts {
		mend(line, whole, part.Value)
	}
}

// escape matches a surrogate pair, half a pair, or any other escape.
var escape = regexp.MustCompile(`\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|\\u[dD][89a-fA-F][[:xdigit:]]{2}|\\.`)

// withoutHalves returns a JSON text in which the escape of U+FFFD, which is as long, replaces each
// escape that is half a surrogate pair.
func withoutHalves(line []byte) []byte {
	return escape.ReplaceAllFunc(line, func(e []byte) []byte {
		if len(e) == len(`\ufffd`) {
			return []byte(`\ufffd`)
		}
		return e
	})
}
