package jsontree

import (
	"bytes"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseUnicodeEscape reads the \uXXXX that data begins with.
func ParseUnicodeEscape(data []byte) (r rune, ok bool) {
	if len(data) < 6 || !bytes.HasPrefix(data, []byte(`\u`)) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(v), err == nil
}

// newDecoder returns a decoder that checks the grammar of RFC 8259 alone.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// IsGrammatical reports whether data is a sequence of JSON values by the grammar alone,
// regardless of what strict reading would refuse in it.
func IsGrammatical(data []byte) bool {
	d := newDecoder(data)
	for {
		if err := d.SkipValue(); err != nil {
			return err == io.EOF
		}
	}
}

// ValueEnd returns the offset just past the JSON value that data begins with, by the grammar alone, or 0 if it can't be
// read.
func ValueEnd(data []byte) int {
	d := newDecoder(data)
	if d.SkipValue() != nil {
		return 0
	}
	return int(d.InputOffset())
}

// MemberNames returns the names of the members of the object that data begins with, as far as it can be read.
func MemberNames(data []byte) (names []string) {
	d := newDecoder(data)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	for {
		tok, err := d.ReadToken()
		if err != nil || tok.Kind() != '"' {
			return names
		}
		names = append(names, tok.String())
		if d.SkipValue() != nil {
			return names
		}
	}
}
