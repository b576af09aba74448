package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// equalValues reports whether two canonical trees are equal.
func equalValues(a, b value) bool {
	return a.kind == b.kind && a.text == b.text &&
		slices.EqualFunc(a.parts, b.parts, func(x, y namedValue) bool {
			return x.name == y.name && equalValues(x.value, y.value)
		})
}

// appendJSON writes v as JSON text, members in their order.
func appendJSON(dst []byte, v value) []byte { return appendValue(dst, &v) }

// canonical returns the RFC 8785 bytes of v. It sorts the members of v itself.
func canonical(v *value) []byte {
	sortMembers(v)
	buffer := formBuffers.Get().(*[]byte)
	*buffer = appendValue((*buffer)[:0], v)
	form := slices.Clone(*buffer)
	formBuffers.Put(buffer)
	return form
}

// formBuffers holds buffers for writing canonical forms. Their sizes aren't known
// beforehand, and thousands are made.
var formBuffers = sync.Pool{New: func() any { return new([]byte) }}

// sortMembers brings the members of v, and of all in it, into the order of RFC 8785,
// section 3.2.3.
func sortMembers(v *value) {
	byName := func(a, b namedValue) int { return compareUTF16(a.name, b.name) }
	if v.kind == '{' && !slices.IsSortedFunc(v.parts, byName) {
		slices.SortFunc(v.parts, byName)
	}
	for i := range v.parts {
		sortMembers(&v.parts[i].value)
	}
}

// appendValue writes v without blanks, members in their order, numbers as
// canonicalNumber wrote them.
func appendValue(dst []byte, v *value) []byte {
	switch v.kind {
	case 'n':
		return append(dst, "null"...)
	case 'f':
		return append(dst, "false"...)
	case 't':
		return append(dst, "true"...)
	case '0':
		return append(dst, v.text...)
	case '"':
		return appendString(dst, v.text)
	}
	brackets := "{}"
	if v.kind == '[' {
		brackets = "[]"
	}
	dst = append(dst, brackets[0])
	for i := range v.parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.kind == '{' {
			dst = append(appendString(dst, v.parts[i].name), ':')
		}
		dst = appendValue(dst, &v.parts[i].value)
	}
	return append(dst, brackets[1])
}

// appendString writes s, valid UTF-8, with the escapes of RFC 8785,
// section 3.2.2.2: quote, backslash and the characters below U+0020, no others.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// canonicalNumber writes a double as ECMAScript does (RFC 8785, section 3.2.2.3).
func canonicalNumber(f float64) (string, error) { return jcs.NumberToJSON(f) }

// appendUnicodeEscape writes r as \uXXXX, a surrogate pair beyond U+FFFF.
func appendUnicodeEscape(dst []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// clip returns as much of v as fits into about *room bytes. Afterwards *room is negative
// if something was left out.
func clip(v value, room *int) value {
	*room -= 2
	if v.kind == '"' {
		if *room -= len(v.text); *room < 0 {
			v.text = strings.ToValidUTF8(v.text[:max(0, len(v.text)+*room)], "")
		}
	}
	parts := v.parts
	v.parts = nil
	for _, p := range parts {
		if *room -= len(p.name); *room >= 0 {
			v.parts = append(v.parts, namedValue{p.name, clip(p.value, room)})
		}
	}
	return v
}

// countHidden counts the characters that no reader sees in the strings of a value, names aside.
func countHidden(v value) (n int) {
	for _, r := range v.text {
		if hidden(r) {
			n++
		}
	}
	for _, p := range v.parts {
		n += countHidden(p.value)
	}
	return n
}

// textValue is a string value.
func textValue(s string) value { return value{kind: '"', text: s} }

// textList is an array of strings.
func textList(list []string) value {
	v := value{kind: '['}
	for _, s := range list {
		v.parts = append(v.parts, namedValue{value: textValue(s)})
	}
	return v
}

// pointerTokens splits a JSON Pointer (RFC 6901) and reports whether it is one.
func pointerTokens(pointer string) ([]string, bool) {
	p := jsontext.Pointer(pointer)
	return slices.Collect(p.Tokens()), p.IsValid()
}

// pointerTo extends a JSON Pointer by one member name or index (RFC 6901).
func pointerTo(pointer, token string) string {
	return pointer + "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// mergeOrder says which of two sorted lists to take from next: the old one (negative), the
// new one (positive) or both (zero). old and new are the lengths left; order compares the
// first elements, and is called only if both lists have one.
func mergeOrder(old, new int, order func() int) int {
	switch {
	case old == 0:
		return 1
	case new == 0:
		return -1
	}
	return order()
}

// compareUTF16 orders strings by UTF-16 code units, the order of RFC 8785
// (section 3.2.3): code points from U+10000 up sort before U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		// The first unequal byte decides, as in UTF-8, with one exception: F0 to F4 lead
		// what UTF-16 writes as surrogates, so they come before EE and EF (from U+E000).
		astral := a[i] >= 0xf0
		if astral != (b[i] >= 0xf0) && max(a[i], b[i]) >= 0xf0 && min(a[i], b[i]) >= 0xee {
			if astral {
				return -1
			}
			return 1
		}
		return int(a[i]) - int(b[i])
	}
	return len(a) - len(b)
}
