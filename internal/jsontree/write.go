package jsontree

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Append writes v in its canonical form: without whitespace, with members in the order of v, which is that of
// RFC 8785 unless v is made by OrderedObject, and with numbers as the reader wrote them.
func Append(dst []byte, v Value) []byte { return appendValue(dst, &v, nil) }

// MarshalJSON returns what Append writes.
func (v Value) MarshalJSON() ([]byte, error) { return Append(nil, v), nil }

// AppendIndented writes JSON text in the form of Append over several lines, indented by two spaces for each
// level. All lines but the first are indented by depth levels more.
func AppendIndented(dst, text []byte, depth int) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := stringEnd(text, i)
			dst = append(dst, text[i:end]...)
			i = end - 1
		case '{', '[':
			if dst = append(dst, c); text[i+1] == c+2 { // the bracket that closes it
				i++
				dst = append(dst, c+2)
				continue
			}
			depth++
			dst = append(dst, lineEnd[:1+2*depth]...)
		case '}', ']':
			depth--
			dst = append(dst, lineEnd[:1+2*depth]...)
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			dst = append(dst, lineEnd[:1+2*depth]...)
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// stringEnd returns the offset just past the string that begins at text[at].
func stringEnd(text []byte, at int) int {
	for end := at + 1; ; end++ {
		end += bytes.IndexByte(text[end:], '"')
		slashes := 0
		for text[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
	}
}

// lineEnd is a line feed with more indentation than any line of a lockfile has; AppendIndented uses a part of it.
var lineEnd = "\n" + strings.Repeat("  ", 2*maxDefinitionDepth)

// appendValue is like Append. If data isn't nil, v was just read from data. Then, if a string's token in data is as
// long as the quoted string, it has no escapes, and appendValue copies the token.
func appendValue(dst []byte, v *Value, data []byte) []byte {
	switch v.Kind {
	case 'n':
		return append(dst, "null"...)
	case 'f':
		return append(dst, "false"...)
	case 't':
		return append(dst, "true"...)
	case '0', Raw:
		return append(dst, v.Text...)
	case '"':
		if data != nil && int(v.End-v.Start) == len(v.Text)+2 {
			return append(dst, data[v.Start:v.End]...)
		}
		return AppendString(dst, v.Text)
	}
	dst = append(dst, v.Kind)
	for i := range v.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Kind == '{' {
			dst = append(AppendString(dst, v.Parts[i].Name), ':')
		}
		dst = appendValue(dst, &v.Parts[i].Value, data)
	}
	return append(dst, v.Kind+2) // the bracket that closes it
}

// AppendString writes s, valid UTF-8, with the escapes of RFC 8785,
// section 3.2.2.2: quote, backslash and the characters below U+0020, no others.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			dst, _ = jsontext.AppendQuote(dst, s)
			return dst
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// EscapeCharacters replaces a character in JSON text by an escape if needs returns true. needs is given the character
// (r) and the one before it. Such characters must be in strings.
func EscapeCharacters(text []byte, needs func(r, before rune) bool) []byte {
	out := make([]byte, 0, len(text))
	before := rune(0)
	for _, r := range string(text) {
		if !needs(r, before) {
			out = utf8.AppendRune(out, r)
		} else {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		before = r
	}
	return out
}

// EscapeNonASCII returns JSON text with only ASCII characters, so that a terminal, a log or an editor hides nothing. It
// escapes a "#" after another "#", because "##[" and "##vso[" are commands in CI logs, anywhere in a line.
func EscapeNonASCII(text []byte) []byte {
	return EscapeCharacters(text, func(r, before rune) bool { return r >= 0x7f || r == '#' && before == '#' })
}
