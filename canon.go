package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gowebpki/jcs"
)

// The hashed bytes
//
// A digest is "sha256:" and the 64 lower-case hex digits of the SHA-256 of the
// canonical form of a definition: its JSON value, with every member, in the
// JSON Canonicalization Scheme (RFC 8785). That is UTF-8 without blanks between
// tokens, members sorted by the UTF-16 code units of their names, numbers as
// ECMAScript prints the double, strings with the fewest escapes. Nothing is
// filled in, folded, normalized or left out. Any RFC 8785 tool gives the same;
// for a tool with ASCII member names and integers of up to 15 digits, so does
//
//	jq -cjS '.tools[] | select(.name == "read_file")' list.json | sha256sum
//
// The digest of a server's instructions is the SHA-256 of the text itself, its
// UTF-8 bytes as received.
//
// A list's set digest is written the same way. It is the SHA-256 of the lines NAME:HEX,
// one for each entry, where HEX is the 64 digits of its digest. They are sorted by NAME
// in UTF-16 code units and joined by one line feed, with none at the end. In that of
// tools, a policy other than the default puts the line policy:HEX first: its HEX is the
// SHA-256 of the canonical form of the policy as the lockfile records it. A line feed or
// colon inside a name can't forge another set, because HEX covers the name.

const digestPrefix = "sha256:"

// digest returns the digest of canonical bytes, or of a text that is hashed as it is.
func digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// isDigest reports whether s is spelled like a digest.
func isDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, digestPrefix)
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// define makes p the pin of the definition v, and sorts the members of v.
func (p *pin) define(v *value) {
	p.definition = canonical(v)
	p.digest = digest(p.definition)
	p.sanitized = p.digest
	if !isClean(p.definition) {
		if clean, changed := sanitized(*v); changed {
			p.sanitized = digest(canonical(&clean))
		}
	}
}

// defineText is define for a server's instructions.
func (p *pin) defineText(text string) {
	p.definition = appendString(nil, text)
	p.digest, p.sanitized = digest([]byte(text)), digest([]byte(sanitizeText(text)))
}

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
