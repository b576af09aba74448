package jsontree

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// Equal reports whether two canonical trees are equal.
func Equal(a, b Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text &&
		slices.EqualFunc(a.Parts, b.Parts, func(x, y Member) bool {
			return x.Name == y.Name && Equal(x.Value, y.Value)
		})
}

// Append writes v as JSON text, members in their order.
func Append(dst []byte, v Value) []byte { return appendValue(dst, &v) }

// AppendIndented writes JSON text over several lines, indented by two spaces and by depth
// times as much after each line feed.
func AppendIndented(dst, text []byte, depth int) []byte {
	dst, _ = jsontext.AppendFormat(dst, text, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true),
		jsontext.WithIndent("  "), jsontext.WithIndentPrefix(strings.Repeat("  ", depth)))
	return dst
}

// CanonicalBytes returns the RFC 8785 bytes of v. It sorts the members of v itself.
func CanonicalBytes(v *Value) []byte {
	sortMembers(v)
	return appendValue(nil, v)
}

// MapStrings returns canonical JSON in which f has changed every string, but no member name.
func MapStrings(canonical []byte, f func(string) string) []byte {
	var out []byte
	d, copied := NewDecoder(canonical, jsontext.AllowDuplicateNames(true)), 0
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return append(out, canonical[copied:]...)
		}
		end := int(d.InputOffset())
		if tok.Kind() != '"' || end < len(canonical) && canonical[end] == ':' {
			continue
		}
		text := tok.String()
		if changed := f(text); changed != text {
			begin := end - len(AppendString(nil, text))
			out = AppendString(append(out, canonical[copied:begin]...), changed)
			copied = end
		}
	}
}

// sortMembers brings the members of v, and of all in it, into the order of RFC 8785,
// section 3.2.3.
func sortMembers(v *Value) {
	byName := func(a, b Member) int { return CompareUTF16(a.Name, b.Name) }
	if v.Kind == '{' && !slices.IsSortedFunc(v.Parts, byName) {
		slices.SortFunc(v.Parts, byName)
	}
	for i := range v.Parts {
		sortMembers(&v.Parts[i].Value)
	}
}

// appendValue writes v without blanks, members in their order, numbers as
// canonicalNumber wrote them.
func appendValue(dst []byte, v *Value) []byte {
	switch v.Kind {
	case 'n':
		return append(dst, "null"...)
	case 'f':
		return append(dst, "false"...)
	case 't':
		return append(dst, "true"...)
	case '0':
		return append(dst, v.Text...)
	case '"':
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
		dst = appendValue(dst, &v.Parts[i].Value)
	}
	return append(dst, closing(v.Kind))
}

// closing returns the bracket that closes a container of a kind.
func closing(kind byte) byte {
	if kind == '[' {
		return ']'
	}
	return '}'
}

// AppendString writes s, valid UTF-8, with the escapes of RFC 8785,
// section 3.2.2.2: quote, backslash and the characters below U+0020, no others.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// canonicalNumber writes a double as ECMAScript does (RFC 8785, section 3.2.2.3).
func canonicalNumber(f float64) ([]byte, error) {
	s, err := jcs.NumberToJSON(f)
	return []byte(s), err
}

// AppendUnicodeEscape writes r as \uXXXX, a surrogate pair beyond U+FFFF.
func AppendUnicodeEscape(dst []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// Text is a string value.
func Text(s string) Value { return Value{Kind: '"', Text: s} }

// Texts is an array of strings.
func Texts(list []string) Value {
	v := Value{Kind: '['}
	for _, s := range list {
		v.Parts = append(v.Parts, Member{Value: Text(s)})
	}
	return v
}

// Tokens splits a JSON Pointer (RFC 6901) and reports whether it is one.
func Tokens(pointer string) ([]string, bool) {
	p := jsontext.Pointer(pointer)
	return slices.Collect(p.Tokens()), p.IsValid()
}

// Pointer extends a JSON Pointer by one member name or index (RFC 6901).
func Pointer(pointer, token string) string {
	return string(jsontext.Pointer(pointer).AppendToken(token))
}

// MergeOrder says which of two sorted lists to take from next: the old one (negative), the
// new one (positive) or both (zero). old and new are the lengths left; order compares the
// first elements, and is called only if both lists have one.
func MergeOrder(old, new int, order func() int) int {
	switch {
	case old == 0:
		return 1
	case new == 0:
		return -1
	}
	return order()
}

// CompareUTF16 orders strings by UTF-16 code units, the order of RFC 8785
// (section 3.2.3): code points from U+10000 up sort before U+E000 to U+FFFF.
func CompareUTF16[S ~string | ~[]byte](a, b S) int {
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
