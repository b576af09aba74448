package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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
