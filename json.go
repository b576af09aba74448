package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on what is read. Each is far above every real server measured (tools
// to 13 kB, catalogs to 0.8 MB and 551 tools, schemas 21 levels deep) and low
// enough that a hostile file is answered in a second or two.
const (
	maxManifestBytes = 64 << 20  // it is held in memory whole
	maxLockfileBytes = 256 << 20 // 64 MiB of definitions grow when indented; several servers share one
	maxTools         = 50_000    // entries of one list
	maxToolBytes     = 4 << 20   // one definition, as received
	maxToolValues    = 200_000   // JSON values in one definition: canonicalizing takes about 140 bytes for each
	maxToolDepth     = 128       // nesting, the definition itself being 1
	maxBatchValues   = 400_000   // JSON values canonicalized at once, in parallel
	maxCommas        = 8_000_000 // in a manifest, a bound on its values before any is read; 64 MiB of real tools have 5 million
	maxMessages      = 100_000   // JSON values one after another in one file
	maxMembers       = 10_000    // members of a message or its result, outside definitions
	maxParts         = 2_000_000 // entries of all lists, messages and pins of one file, definitions aside
)

// readError is the place in a file where strict reading stopped.
type readError struct {
	at      int // byte offset
	from    int // offset of the value that reading stopped in
	text    string
	grammar bool // outside the JSON grammar, not merely refused by us
}

func (e *readError) Error() string { return e.text }

// strictness says what else is refused in a value beside the grammar.
type strictness struct {
	inexactIntegers bool // allow integer literals that a double can't hold: JCS writes some (RFC 8785, appendix B)
}

func newDecoder(data []byte, opts ...jsontext.Options) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), opts...)
}

// scanValue strictly reads the one JSON value that follows at data[at:], after
// blanks, and returns the offsets of its first byte and of the one behind it.
// It returns io.EOF where only blanks are left, else a *readError.
//
// Refused beside what is outside RFC 8259: invalid UTF-8, unpaired surrogates,
// repeated member names at any depth (compared after unescaping), numbers that
// overflow a double, and integer literals that a double can't hold exactly:
// parsers disagree about each of these, which is a way in.
func scanValue(data []byte, at int, strict strictness) (start, end int, err error) {
	start = at
	for start < len(data) && isBlank(data[start]) {
		start++
	}
	if start == len(data) {
		return start, start, io.EOF
	}
	v, err := newDecoder(data[start:]).ReadValue()
	if err != nil {
		return 0, 0, findError(data, start, strict)
	}
	end = start + len(v)
	if bad := checkNumbers(data, start, end, strict); bad != nil {
		return 0, 0, bad
	}
	return start, end, nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// checkNumbers looks at each number of an otherwise accepted value.
func checkNumbers(data []byte, start, end int, strict strictness) *readError {
	for i := start; i < end; i++ {
		switch c := data[i]; {
		case c == '"':
			i = stringEnd(data, i)
		case c >= '0' && c <= '9' || c == '-':
			from := i
			for i+1 < end && scalarByte(data[i+1]) {
				i++
			}
			if problem := checkNumber(data[from:i+1], strict); problem != "" {
				return &readError{at: from, from: start, text: problem}
			}
		}
	}
	return nil
}

// findError reads a value that was refused token by token, for the first thing
// that is wrong with it and its place.
func findError(data []byte, start int, strict strictness) error {
	d := newDecoder(data[start:])
	for {
		before := int(d.InputOffset())
		tok, err := d.ReadToken()
		if err != nil {
			bad := explain(data, start, d.StackDepth(), err)
			bad.from = start
			return bad
		}
		if tok.Kind() == '0' {
			after := start + int(d.InputOffset())
			from := after - tokenSize(data[start+before:after])
			if problem := checkNumber(data[from:after], strict); problem != "" {
				return &readError{at: from, from: start, text: problem}
			}
		}
		if d.StackDepth() == 0 {
			return &readError{at: start, from: start, text: "not JSON", grammar: true} // refused, so never 0
		}
	}
}

// tokenSize is the size of the token at the end of b, which may have blanks and
// one separator before it.
func tokenSize(b []byte) int { return len(bytes.TrimLeft(b, " \t\r\n,:")) }

func checkNumber(literal []byte, strict strictness) string {
	if len(literal) <= 15 && !bytes.ContainsAny(literal, "eE") {
		return "" // up to 15 digits are exact, and finite
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		return "a number that overflows a double"
	}
	if strict.inexactIntegers || bytes.ContainsAny(literal, ".eE") {
		return ""
	}
	// At most 310 characters are left here: more would have overflowed.
	exact, _ := new(big.Float).SetFloat64(f).Int(nil)
	if written, ok := new(big.Int).SetString(string(literal), 10); !ok || exact.Cmp(written) != 0 {
		return "an integer that a double can't hold exactly: parsers would read different numbers"
	}
	return ""
}

// explain turns a decoder's error into one of ours. The texts are our own: the
// library's quote the input and may change with it.
func explain(data []byte, at, depth int, err error) *readError {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return &readError{at: len(data), text: "unexpected end of the file: cut short?", grammar: true}
	}
	offset := min(at+int(syntactic.ByteOffset), len(data))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		member := string(syntactic.JSONPointer.LastToken())
		return &readError{at: offset, text: "member " + quotedName(member) + " is repeated: parsers would read different values"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || offset >= len(data) {
		return &readError{at: len(data), text: "unexpected end of the file: cut short?", grammar: true}
	}
	rest := data[offset:]
	if r, size := utf8.DecodeRune(rest); r == utf8.RuneError && size == 1 {
		return &readError{at: offset, text: "invalid UTF-8"}
	}
	if bytes.HasPrefix(rest, []byte(`\u`)) && len(rest) >= 6 {
		if v, err := strconv.ParseUint(string(rest[2:6]), 16, 16); err == nil && v >= 0xd800 && v < 0xe000 {
			return &readError{at: offset, text: "an unpaired surrogate: not Unicode text"}
		}
	}
	if depth >= 10_000 && (rest[0] == '[' || rest[0] == '{') {
		return &readError{at: offset, text: "nested more than 10,000 deep"}
	}
	if errors.Is(err, jsontext.ErrNonStringName) {
		return &readError{at: offset, text: "an object member without a quoted name", grammar: true}
	}
	r, _ := utf8.DecodeRune(rest)
	return &readError{at: offset, text: "not JSON: unexpected " + quotedName(string(r)), grammar: true}
}

// toolAround reads leniently, for a message, the name of the tool that offset at of
// a value that was refused is in; "" if it can't be told.
func toolAround(data []byte, at int) string {
	d := newDecoder(data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	name, depth, named := "", 0, false // of the current tool; depth 0: not in one
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return name
		}
		open, kind := d.StackDepth(), tok.Kind()
		switch {
		case depth == 0 && kind == '{' && isTool(d, open):
			name, depth, named = "", open, false
		case depth > 0 && open < depth:
			if int(d.InputOffset()) > at {
				return name
			}
			depth = 0
		case depth > 0 && open == depth && kind == '"':
			_, n := d.StackIndex(depth)
			if n%2 == 0 && named {
				name = tok.String()
			}
			named = n%2 == 1 && tok.String() == "name"
		}
		if depth == 0 && int(d.InputOffset()) > at {
			return ""
		}
	}
}

// isTool reports whether the object just opened is an element of a list of tools:
// of a root array, or of a member named tools of a result.
func isTool(d *jsontext.Decoder, open int) bool {
	if in, _ := d.StackIndex(open - 1); in != '[' || open > 5 {
		return false
	}
	return open == 2 || strings.Contains(string(d.StackPointer()), "/tools/")
}

// grammatical reports whether data is a sequence of JSON values by grammar
// alone, whatever else strict reading finds in it.
func grammatical(data []byte) bool {
	d := newDecoder(data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if err := d.SkipValue(); err != nil {
			return err == io.EOF
		}
	}
}

// span is a member of an object or an element of an array: JSON text inside a
// larger one that scanValue has accepted.
type span struct {
	name       string // of a member
	start, end int
	values     int // JSON values in it
	depth      int // how deep they nest
	parts      []span
}

func (s span) of(data []byte) []byte { return data[s.start:s.end] }

// walk steps over the JSON value at data[at], text that scanValue has accepted, and
// returns the offset behind it, the number of values in it (member names aside)
// and how deep they nest, a scalar being 0. It is the cheap second look at text
// whose grammar is known; anything else would run into a panic, not astray.
func walk(data []byte, at int) (end, values, depth int) {
	values = 1
	open := 0
	for i := at; ; i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '{', '[':
			open++
			depth = max(depth, open)
			if next := skipBlanks(data, i+1); data[next] != '}' && data[next] != ']' {
				values++
			}
			continue
		case '}', ']':
			open--
		case ',':
			values++
			continue
		case ' ', '\t', '\n', '\r', ':':
			continue
		default: // a number or a literal
			for i+1 < len(data) && scalarByte(data[i+1]) {
				i++
			}
		}
		if open == 0 {
			return i + 1, values, depth
		}
	}
}

// membersOf lists the members of a definition.
func membersOf(definition []byte) []span { return span{}.list(definition, maxToolValues) }

// sameTokens reports whether two JSON texts that scanValue has accepted consist of
// the same tokens, strings compared unescaped. Then they are the same value; if
// not, they may still be, with members in another order.
func sameTokens(a, b []byte) bool {
	i, j := 0, 0
	for {
		for i < len(a) && isBlank(a[i]) {
			i++
		}
		for j < len(b) && isBlank(b[j]) {
			j++
		}
		switch {
		case i == len(a) || j == len(b):
			return i == len(a) && j == len(b)
		case a[i] != b[j]:
			return false
		case a[i] != '"':
			i, j = i+1, j+1
			continue
		}
		endA, endB := stringEnd(a, i)+1, stringEnd(b, j)+1
		if !bytes.Equal(a[i:endA], b[j:endB]) {
			s, _ := unquote(a[i:endA])
			t, _ := unquote(b[j:endB])
			if s != t {
				return false
			}
		}
		i, j = endA, endB
	}
}

// stringEnd returns the offset of the quote that closes the string at data[at].
func stringEnd(data []byte, at int) int {
	for {
		next := bytes.IndexByte(data[at+1:], '"')
		if next < 0 {
			panic("stringEnd: text that was not scanned")
		}
		at += 1 + next
		first := at
		for data[first-1] == '\\' {
			first--
		}
		if (at-first)%2 == 0 {
			return at
		}
	}
}

func skipBlanks(data []byte, at int) int {
	for isBlank(data[at]) {
		at++
	}
	return at
}

func scalarByte(c byte) bool { return isAlnum(c) || c == '+' || c == '-' || c == '.' }

// outline returns the span of the value at data[at], text that scanValue has
// accepted, with its parts down to so many levels: one pass over the text, however
// deep a reader of it then looks. budget counts down the parts; when it falls below
// zero the rest is left out and the caller refuses.
func outline(data []byte, at, levels int, budget *int) span {
	s := span{start: at}
	if levels == 0 || data[at] != '{' && data[at] != '[' {
		s.end, s.values, s.depth = walk(data, at)
		return s
	}
	s.values, s.depth = 1, 1
	i := skipBlanks(data, at+1)
	for data[i] != '}' && data[i] != ']' && *budget >= 0 {
		name := ""
		if data[at] == '{' {
			end := stringEnd(data, i) + 1
			name, _ = unquote(data[i:end])
			i = skipBlanks(data, end) // at the colon
			i = skipBlanks(data, i+1)
		}
		part := outline(data, i, levels-1, budget)
		part.name = name
		s.parts = append(s.parts, part)
		s.values += part.values
		s.depth = max(s.depth, part.depth+1)
		*budget--
		if i = skipBlanks(data, part.end); data[i] == ',' {
			i = skipBlanks(data, i+1)
		}
	}
	s.end = i + 1
	return s
}

// list gives the members of an object or the elements of an array, at most limit+1
// of them: the caller checks.
func (s span) list(data []byte, limit int) []span {
	if s.parts == nil {
		budget := limit
		s = outline(data, s.start, 1, &budget)
	}
	return s.parts
}

// member finds a member by its exact name.
func member(list []span, name string) (span, bool) {
	for _, s := range list {
		if s.name == name {
			return s, true
		}
	}
	return span{}, false
}

// unquote returns the string that the JSON text spells, or false if it isn't one.
func unquote(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return string(b), err == nil
}

// tooLarge says which limit on values and nesting a definition passes, or "".
func (s span) tooLarge() string {
	switch {
	case s.depth > maxToolDepth:
		return "a definition nested more than 128 deep"
	case s.values > maxToolValues:
		return "a definition of more than 200,000 values"
	}
	return ""
}

// value is a parsed JSON value.
type value struct {
	kind    jsontext.Kind // 'n', 'f', 't', '0', '"', '[', '{'; 0: absent
	text    string        // of a string; the literal of a number
	items   []value
	members []namedValue // in the order of the text
}

type namedValue struct {
	name  string
	value value
}

// parseValue builds the tree of a JSON text that scanValue has accepted and
// span.tooLarge has bounded. Strings without escapes share one copy of the text.
func parseValue(raw []byte) value {
	p := treeParser{raw: raw, text: string(raw)}
	return p.value()
}

// A treeParser steps over accepted text; like walk, it would panic on any other.
type treeParser struct {
	raw  []byte
	text string // the same
	at   int
}

func (p *treeParser) value() value {
	p.at = skipBlanks(p.raw, p.at)
	switch c := p.raw[p.at]; c {
	case '"':
		return value{kind: '"', text: p.string()}
	case '[':
		v := value{kind: '['}
		for p.next(len(v.items) == 0) {
			v.items = append(v.items, p.value())
		}
		return v
	case '{':
		v := value{kind: '{'}
		for p.next(len(v.members) == 0) {
			name := p.string()
			p.at = skipBlanks(p.raw, p.at) + 1 // behind the colon
			v.members = append(v.members, namedValue{name, p.value()})
		}
		return v
	default:
		start := p.at
		for p.at < len(p.raw) && scalarByte(p.raw[p.at]) {
			p.at++
		}
		if c == '-' || c >= '0' && c <= '9' {
			return value{kind: '0', text: p.text[start:p.at]}
		}
		return value{kind: jsontext.Kind(c)}
	}
}

// next goes on to the next entry of the open container, or behind its end.
func (p *treeParser) next(first bool) bool {
	if first {
		p.at++ // the bracket
	}
	p.at = skipBlanks(p.raw, p.at)
	switch c := p.raw[p.at]; {
	case c == ']' || c == '}':
		p.at++
		return false
	case !first:
		p.at = skipBlanks(p.raw, p.at+1) // behind the comma
	}
	return true
}

func (p *treeParser) string() string {
	start := p.at
	p.at = stringEnd(p.raw, start) + 1
	if inner := p.text[start+1 : p.at-1]; strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	s, _ := unquote(p.raw[start:p.at])
	return s
}

// get returns the member of an object, or the zero value: absent.
func (v value) get(name string) value {
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return value{}
}

// equalValues compares values parsed from canonical forms.
func equalValues(a, b value) bool {
	return a.kind == b.kind && a.text == b.text &&
		slices.EqualFunc(a.items, b.items, equalValues) &&
		slices.EqualFunc(a.members, b.members, func(x, y namedValue) bool {
			return x.name == y.name && equalValues(x.value, y.value)
		})
}

// appendJSON writes v as JSON text, members in their order.
func appendJSON(dst []byte, v value) []byte {
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
	case '[':
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, m := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, m.name)
		dst = append(dst, ':')
		dst = appendJSON(dst, m.value)
	}
	return append(dst, '}')
}

// appendString writes s, valid UTF-8, as a JSON string.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// appendUnicodeEscape writes r as \uXXXX, a surrogate pair beyond U+FFFF.
func appendUnicodeEscape(dst []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
