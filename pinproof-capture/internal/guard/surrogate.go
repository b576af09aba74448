package guard

import (
	"bytes"
	"errors"
	"regexp"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
)

// message parses a line. It returns a value without a kind if the line isn't a message. JavaScript programs cut text
// by UTF-16 units, and so may leave lone surrogates. message accepts them in the content of a message, where they
// don't change the structure, and rejects them in lists, instructions and names, which are pinned or compared. It
// also rejects batches, which only one revision had and clients parse differently.
func message(line []byte) (m jsontree.Value, err error) {
	found, bad := capture.ParseMessages(line)
	var whole []byte
	if bad != nil {
		whole = withoutHalves(line)
		if found, err = capture.ParseMessages(whole); err != nil {
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
	for _, content := range []jsontree.Value{result, found[0].Get("error"), params.Get("messages"), // of sampling/createMessage
		params.Get("systemPrompt"), params.Get("message"), params.Get("data")} { // of notifications/message
		mend(mended, whole, content)
	}
	if !bytes.Equal(mended, whole) || capture.HasEntries(result) {
		return m, bad
	}
	return found[0], nil
}

// mend copies each string value in v, but no member name, from whole to line. whole has no lone surrogates.
func mend(line, whole []byte, v jsontree.Value) {
	if v.Kind == '"' {
		copy(line[v.Start:v.End], whole[v.Start:v.End])
	}
	for _, part := range v.Parts {
		mend(line, whole, part.Value)
	}
}

// escape matches a surrogate pair, a lone surrogate, or any other escape.
var escape = regexp.MustCompile(`\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|\\u[dD][89a-fA-F][[:xdigit:]]{2}|\\.`)

// withoutHalves replaces each escape of a lone surrogate by \ufffd, which has the same length.
func withoutHalves(line []byte) []byte {
	return escape.ReplaceAllFunc(line, func(e []byte) []byte {
		if len(e) == len(`\ufffd`) {
			return []byte(`\ufffd`)
		}
		return e
	})
}
