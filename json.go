package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on what is read. Each is far above every real server measured (tools
// to 13 kB, catalogs to 0.8 MB and 551 tools, schemas 21 levels deep) and low
// enough that a hostile file is answered in a second or two.
const (
	maxManifestBytes   = 64 << 20  // it is held in memory whole
	maxLockfileBytes   = 256 << 20 // 64 MiB of definitions grow when indented; several servers share one
	maxLabelBytes      = 1_024     // of a server's label, which stands beside each entry that drifted; names of files are shorter
	maxEntries         = 50_000    // of one list
	maxDefinitions     = 200_000   // of all lists of a session
	maxDefinitionBytes = 4 << 20   // as received
	maxDefinitionSize  = 200_000   // JSON values in one definition: about 100 bytes of memory each
	maxDefinitionDepth = 128       // nesting, the definition itself being 1
	maxCommas          = 8_000_000 // in a manifest: bounds its values before any is read; 64 MiB of real tools have 5 million
	maxMessages        = 100_000   // JSON values one after another in one file
	maxMembers         = 10_000    // members of a message or its result
	maxKept            = 2_000_000 // values of one file that are kept outside definitions
	keptDepth          = 6         // containers this deep lose their parts there; the root is 0, a pin's approval 5
)

// A value is a JSON value: a node of the tree that a text is read into.
type value struct {
	kind    byte         // 'n', 'f', 't', '0', '"', '[', '{'; 0: absent
	at, end int32        // offsets in the text: of its first byte, and of the byte after its last
	text    string       // of a string, unescaped; of a number, as RFC 8785 writes it
	parts   []namedValue // of an array or an object, in the order of the text; members are sorted in a canonical tree
}

// A namedValue is a member of an object or, without a name, an element of an array.
type namedValue struct {
	name string
	value
}

// get returns the named member of an object, or the zero value (absent) if there is none.
// It takes time in proportion to the number of members.
func (v value) get(name string) value {
	for i, m := 0, v.members(); i < len(m); i++ {
		if m[i].name == name {
			return m[i].value
		}
	}
	return value{}
}

// members returns the members of an object, and none for any other kind.
func (v value) members() []namedValue {
	if v.kind != '{' {
		return nil
	}
	return v.parts
}

// items returns the elements of an array, and none for any other kind.
func (v value) items() []namedValue {
	if v.kind != '[' {
		return nil
	}
	return v.parts
}

// has reports whether v is an object with that member.
func (v value) has(name string) bool { return v.get(name).kind != 0 }

// A pathStep leads to a member or to an element of an array.
type pathStep struct {
	name  string // of a member
	index int    // of an element; -1 for a member
}

// A jsonReader reads a text into trees. JSON from outside becomes a value here and
// nowhere else.
//
// Beyond what RFC 8259 excludes, it refuses invalid UTF-8, unpaired surrogates, repeated
// member names at any depth (compared after unescaping), and numbers that overflow a double.
// Parsers disagree about each of these, so an attacker could show one value to us and another
// to an agent. They disagree about integers that a double can't hold exactly, too. It rounds
// those, as RFC 8785 does, and keeps the first one's place: the caller decides.
type jsonReader struct {
	data       []byte
	window     string // a copy of a piece of data; short strings are parts of it
	windowFrom int    // its offset in data

	again        bool                                        // data was read strictly before: no name in it is repeated
	bounded      bool                                        // for a manifest: limit size and number of definitions
	definitions  int                                         // read so far
	isDefinition func(path []pathStep) bool                  // nil: none is
	definition   func(path []pathStep, v *value) (keep bool) // takes a definition; unless it keeps the tree, that is gone
	rounded      *readError                                  // the first integer that a double can't hold exactly, or nil

	d          *jsontext.Decoder
	base, to   int // d reads data[base:to]
	start, end int // the token just read
	path       []pathStep
	stack      []namedValue // the parts read so far of every open container
	slab       slab
	kept       int // values kept outside definitions

	inside *definitionScope // the definition being read, or nil
}

// A definitionScope is the definition being read, with what its limits are checked on.
type definitionScope struct {
	at     int        // offset of its first byte
	path   []pathStep // from the root to it
	values int        // read so far
	name   string     // its "name", once that was read; for messages
}

func newJSONReader(data []byte) *jsonReader { return &jsonReader{data: data} }

// smallFile is a size in bytes. Up to it, a manifest's trees are kept for its review;
// they take some ten times as much memory.
const smallFile = 1 << 20

// A slab hands out memory for the trees of definitions, piece by piece. If a tree isn't
// kept, the next definition uses its memory again.
type slab struct {
	parts []namedValue
	used  int // how many of them this definition has taken
}

// take returns n elements, in memory of their own if !shared or slabSize/8 < n <= slabSize.
func (s *slab) take(n int, shared bool) []namedValue {
	if !shared || n > slabSize/8 && n <= slabSize {
		return make([]namedValue, n)
	}
	if s.used+n > len(s.parts) {
		*s = slab{parts: make([]namedValue, max(slabSize, n+n/4))} // room for another definition as large
	}
	s.used += n
	return s.parts[s.used-n : s.used : s.used]
}

// end ends a definition. Unless its tree is kept, the elements taken for it are free again.
func (s *slab) end(kept bool) {
	if kept {
		s.parts = s.parts[s.used:]
	}
	s.used = 0
}

// slabSize is the least number of elements in a slab.
const slabSize = 512

// windowSize is the size in bytes of a window. One copy serves many strings, and a string
// that is kept doesn't keep the whole file in memory.
const windowSize = 32 << 10

// readError is the place in a file where strict reading stopped.
type readError struct {
	at      int // byte offset
	from    int // offset of the outermost value around it
	text    string
	grammar bool             // outside the JSON grammar, not merely refused by us
	inside  *definitionScope // the definition it is in, or nil
	limit   bool             // a definition is too large, or there are too many
}

func (e *readError) Error() string { return e.text }

func newDecoder(data []byte, opts ...jsontext.Options) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), opts...)
}

// next reads the first JSON value in data[at:to], after any blanks. The error is io.EOF
// if only blanks are left, otherwise a *readError.
func (r *jsonReader) next(at, to int) (value, error) {
	for at < to && isBlank(r.data[at]) {
		at++
	}
	if at == to {
		return value{}, io.EOF
	}
	r.d, r.base, r.to, r.end = newDecoder(r.data[at:to], jsontext.AllowDuplicateNames(r.again)), at, to, at
	r.path, r.stack, r.inside = r.path[:0], r.stack[:0], nil
	v, bad := r.value()
	if bad != nil {
		bad.from, bad.inside = at, r.inside
		return value{}, bad
	}
	return v, nil
}

// only reads data as one JSON value, with nothing but blanks around it.
func (r *jsonReader) only() (value, error) {
	v, err := r.next(0, len(r.data))
	if err != nil {
		return value{}, err
	}
	for at := int(v.end); at < len(r.data); at++ {
		if !isBlank(r.data[at]) {
			return value{}, &readError{at: at, text: "trailing data after it"}
		}
	}
	return v, nil
}

// readCanonical reads text that was read strictly before: a canonical form, or a definition
// as received. For any other text the result is absent, which equals no pinned value.
func readCanonical(data []byte) value {
	r := newJSONReader(data)
	r.again = true
	stack := stacks.Get().(*[]namedValue)
	r.stack = *stack
	v, _ := r.only()
	*stack = r.stack[:0]
	stacks.Put(stack)
	return v
}

// stacks holds buffers in which the parts of containers are gathered. They are pooled
// because a definition is read again for each use.
var stacks = sync.Pool{New: func() any { return new([]namedValue) }}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// token reads one token and finds where it stands.
func (r *jsonReader) token() (jsontext.Token, *readError) {
	tok, err := r.d.ReadToken()
	if err != nil {
		return tok, r.explain(err)
	}
	for r.start = r.end; isBlank(r.data[r.start]) || r.data[r.start] == ',' || r.data[r.start] == ':'; r.start++ {
	}
	r.end = r.base + int(r.d.InputOffset())
	if r.bounded && r.inside != nil && r.end-r.inside.at > maxDefinitionBytes {
		return tok, r.tooLarge("a definition of more than 4 MiB")
	}
	return tok, nil
}

func (r *jsonReader) tooLarge(text string) *readError {
	return &readError{at: r.inside.at, text: text, limit: true}
}

// value reads one value and what is in it.
func (r *jsonReader) value() (v value, bad *readError) {
	tok, bad := r.token()
	if bad != nil {
		return v, bad
	}
	v.kind, v.at = byte(tok.Kind()), int32(r.start)
	outer := r.inside
	if outer == nil && r.isDefinition != nil && r.isDefinition(r.path) {
		r.inside = &definitionScope{at: r.start, path: r.path}
		switch r.definitions++; {
		case r.bounded && r.path[len(r.path)-1].index >= maxEntries:
			return v, r.tooLarge("more than 50,000 entries")
		case r.bounded && r.definitions > maxDefinitions:
			return v, r.tooLarge("more than 200,000 entries in all lists of the file")
		}
	}
	if bad := r.count(v.kind); bad != nil {
		return v, bad
	}
	switch v.kind {
	case '"':
		v.text = r.string(tok)
	case '0':
		literal, exact, ok := r.slice(r.start, r.end), true, true
		if v.text, exact, ok = readNumber(literal); !ok {
			return v, &readError{at: r.start, text: "a number that overflows a double"}
		}
		if !exact && r.rounded == nil {
			r.rounded = &readError{at: r.start, inside: r.inside,
				text: literal + ": an integer that a double can't hold exactly: parsers would read different numbers"}
			if r.inside != nil {
				r.inside.path = slices.Clone(r.inside.path)
			}
		}
	case '[', '{':
		if bad := r.parts(&v); bad != nil {
			return v, bad
		}
	}
	v.end = int32(r.end)
	if outer == nil && r.inside != nil {
		r.inside = nil
		tree := v
		v.parts = nil // the reader keeps no tree of its own: memory stays flat
		r.slab.end(r.definition(r.path, &tree))
	}
	return v, nil
}

// count counts the value that begins and checks the limits.
func (r *jsonReader) count(kind byte) *readError {
	s := r.inside
	if s == nil {
		if r.kept++; r.kept > maxKept && r.isDefinition != nil {
			return &readError{at: r.start, text: "more than 2,000,000 values outside definitions"}
		}
		return nil
	}
	s.values++
	switch {
	case s.values > maxDefinitionSize:
		return r.tooLarge("a definition of more than 200,000 values")
	case (kind == '[' || kind == '{') && len(r.path)-len(s.path) >= maxDefinitionDepth:
		return r.tooLarge("a definition nested more than 128 deep")
	}
	return nil
}

// parts reads the elements of an array or the members of an object. Outside definitions,
// values below keptDepth are read but not kept: nothing asks for them.
func (r *jsonReader) parts(v *value) *readError {
	r.path = append(r.path, pathStep{index: -1})
	here := len(r.path) - 1
	keep := r.inside != nil || r.isDefinition == nil || here < keptDepth
	base := len(r.stack)
	for i := 0; ; i++ {
		if k := r.d.PeekKind(); k == ']' || k == '}' {
			break
		}
		name := ""
		if v.kind == '{' {
			tok, bad := r.token()
			if bad != nil {
				return bad
			}
			name = r.string(tok)
			r.path[here].name = name
		} else {
			r.path[here].index = i
		}
		part, bad := r.value()
		switch {
		case bad != nil:
			return bad
		case !keep:
			r.kept--
			continue
		case r.inside != nil && name == "name" && here == len(r.inside.path):
			r.inside.name = part.text
		}
		r.stack = append(r.stack, namedValue{name, part})
	}
	v.parts = r.slab.take(len(r.stack)-base, r.inside != nil)
	copy(v.parts, r.stack[base:])
	r.stack = r.stack[:base]
	_, bad := r.token() // the closing bracket
	r.path = r.path[:here]
	return bad
}

// string returns the text of the string token just read.
func (r *jsonReader) string(tok jsontext.Token) string {
	if bytes.IndexByte(r.data[r.start:r.end], '\\') >= 0 {
		return tok.String()
	}
	return r.slice(r.start+1, r.end-1)
}

// slice returns data[from:to] as a string. Outside definitions it is a copy: such a
// string is kept, and would keep the whole window in memory.
func (r *jsonReader) slice(from, to int) string {
	if to-from > windowSize/4 || r.inside == nil && r.isDefinition != nil {
		return string(r.data[from:to])
	}
	if from < r.windowFrom || to > r.windowFrom+len(r.window) {
		r.windowFrom, r.window = from, string(r.data[from:min(from+windowSize, len(r.data))])
	}
	return r.window[from-r.windowFrom : to-r.windowFrom]
}

// readNumber returns a number as RFC 8785 writes it, and whether it fits into a double. It is
// not exact if it is an integer and another one than the double.
func readNumber(literal string) (text string, exact, ok bool) {
	if digits := strings.TrimPrefix(literal, "-"); len(digits) <= 15 && isDigits(digits) && literal != "-0" {
		return literal, true, true // up to 15 digits are exact
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err == nil {
		text, err = canonicalNumber(f)
	}
	if err != nil || math.Abs(f) < 1<<53 || strings.ContainsAny(literal, ".eE") {
		return text, true, err == nil
	}
	// At most 310 characters are left here: more would have overflowed.
	held, _ := new(big.Float).SetFloat64(f).Int(nil)
	written, isInteger := new(big.Int).SetString(literal, 10)
	return text, isInteger && held.Cmp(written) == 0, true
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// explain turns a decoder's error into one of ours. The library's texts are not used:
// they quote the input and may change with the library's version.
func (r *jsonReader) explain(err error) *readError {
	bad := &readError{at: r.to}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		bad.at = min(r.base+int(syntactic.ByteOffset), r.to)
	}
	rest := r.data[bad.at:r.to]
	next, size := utf8.DecodeRune(rest)
	escape, _ := unicodeEscape(rest)
	switch {
	case !ok, errors.Is(err, io.ErrUnexpectedEOF), len(rest) == 0:
		bad.at, bad.text, bad.grammar = r.to, "unexpected end of the file: cut short?", true
	case errors.Is(err, jsontext.ErrDuplicateName):
		member := syntactic.JSONPointer.LastToken()
		bad.text = "member " + quotedName(member) + " is repeated: parsers would read different values"
	case next == utf8.RuneError && size == 1:
		bad.text = "invalid UTF-8"
	case utf16.IsSurrogate(escape):
		bad.text = "an unpaired surrogate: not Unicode text"
	case len(r.path) >= 10_000 && (next == '[' || next == '{'):
		bad.text = "nested more than 10,000 deep"
	case errors.Is(err, jsontext.ErrNonStringName):
		bad.text, bad.grammar = "an object member without a quoted name", true
	default:
		bad.text, bad.grammar = "not JSON: unexpected "+quotedName(string(next)), true
	}
	return bad
}

// unicodeEscape reads the \uXXXX that data begins with.
func unicodeEscape(data []byte) (r rune, ok bool) {
	if len(data) < 6 || !bytes.HasPrefix(data, []byte(`\u`)) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(v), err == nil
}

// grammatical reports whether data is a sequence of JSON values by the grammar alone,
// whatever else strict reading would refuse in it.
func grammatical(data []byte) bool {
	d := newDecoder(data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if err := d.SkipValue(); err != nil {
			return err == io.EOF
		}
	}
}

// eachMember calls f for each member of the object that data begins with, as far as it
// can be read. bytes is how many bytes follow the name: the colon and the value.
func eachMember(data []byte, f func(name string, bytes int)) {
	d := newDecoder(data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return
	}
	for {
		tok, err := d.ReadToken()
		if err != nil || tok.Kind() != '"' {
			return
		}
		name, from := tok.String(), d.InputOffset()
		err = d.SkipValue()
		if f(name, int(d.InputOffset()-from)); err != nil {
			return
		}
	}
}
