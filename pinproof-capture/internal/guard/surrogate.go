package guard

import (
	"bytes"
	"errors"
	"regexp"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
)

// message reads a line. It returns the text to pass on, and a value without a kind if the line is no message. Programs in JavaScript cut
// texts at a number of UTF-16 units, and so may cut a surrogate pair in half. U+FFFD replaces each half, because clients read it in several
// ways. In lists and instructions, which are pinned, it is refused. A batch is refused, too: one revision of the protocol had batches, and
// clients read them in several ways.
func message(line []byte) (text []byte, m jsontree.Value, err error) {
	found, bad := capture.Messages(line)
	if bad != nil {
		line = withoutHalves(line)
		if found, err = capture.Messages(line); err != nil {
			return line, m, bad
		}
	}
	if len(found) == 0 || bad != nil && capture.HoldsEntries(found[0].Get("result")) {
		return line, m, bad
	}
	if bytes.TrimLeft(line, " \t\r\n")[0] == '[' {
		return line, m, errors.New("a batch of messages")
	}
	return line, found[0], nil
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
