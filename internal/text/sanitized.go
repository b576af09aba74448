package text

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Sanitize strips the characters that no reader sees (IsHidden) and brings the rest to NFC. Everything left is assigned
// in Unicode 15.0, and the NFC of assigned characters never changes (Unicode, Normalization Stability Policy), so
// neither does the result.
func Sanitize(s string) string {
	s = strings.Map(func(r rune) rune {
		if IsHidden(r) {
			return -1
		}
		return r
	}, s)
	if composed := norm.NFC.String(s); !strings.ContainsRune(composed, 0x34f) {
		return composed
	}
	// The library inserted U+034F into a run of more than 30 marks. NFC adds no such character, and s contains no other
	// U+034F, because that is hidden. No living text has such a run: it stays as it is, and everything else is
	// composed.
	var b strings.Builder
	for s != "" {
		end := 1
		for end < len(s) && !(utf8.RuneStart(s[end]) && norm.NFC.PropertiesString(s[end:]).BoundaryBefore()) {
			end++
		}
		if composed := norm.NFC.String(s[:end]); !strings.ContainsRune(composed, 0x34f) {
			b.WriteString(composed)
		} else {
			b.WriteString(s[:end])
		}
		s = s[end:]
	}
	return b.String()
}

// Composes reports whether a letter and a mark after it are one character in NFC.
func Composes(letter, mark rune) bool {
	return utf8.RuneCountInString(norm.NFC.String(string(letter)+string(mark))) == 1
}

// IsClean reports whether sanitizing would leave a canonical definition unchanged. It may return false for such a
// definition, because a combining mark after the escape \n seems to follow the letter n.
func IsClean(canonical []byte) bool {
	for rest := canonical; ; {
		at := bytes.IndexByte(rest, '\\')
		if at < 0 {
			break
		}
		if e := rest[at+1]; e == 'u' || e == 'b' || e == 'f' {
			return false // an escaped control character
		}
		rest = rest[at+2:]
	}
	if skipASCII(canonical, 0) == len(canonical) {
		return true
	}
	return IndexNonASCIIFunc(canonical, IsHidden) == len(canonical) && norm.NFC.IsNormal(canonical)
}

// IndexNonASCIIFunc returns the offset of the first character for which class returns true, or
// len(data). It looks only at DEL and characters beyond ASCII.
func IndexNonASCIIFunc(data []byte, class func(rune) bool) int {
	i := skipASCII(data, 0)
	for i < len(data) {
		r, size := utf8.DecodeRune(data[i:])
		if class(r) {
			break
		}
		i = skipASCII(data, i+size)
	}
	return i
}

// skipASCII returns the offset of the first byte at or after i that is DEL or beyond ASCII, or len(data). It tests
// eight bytes at a time, because every byte of the input passes through it.
func skipASCII(data []byte, i int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		if eight := binary.LittleEndian.Uint64(data[i:]); (eight|(eight+each))&high != 0 {
			break
		}
	}
	for i < len(data) && data[i] < 0x7f {
		i++
	}
	return i
}

// WithoutMarks returns a text in compatibility form without the marks on its letters: an é, in one character or in two,
// gives e.
func WithoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if IsCombiningMark(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
}
