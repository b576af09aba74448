// Package jsontree reads JSON strictly into trees, and writes trees in canonical form
// (RFC 8785). JSON from outside becomes a value here and nowhere else.
package jsontree

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"pinproof/internal/text"
)

// Limits on what is read. Each is far above every real server measured (tools
// to 13 kB, catalogs to 0.8 MB and 551 tools, schemas 21 levels deep) and low
// enough that a hostile file is answered in a second or two.
const (
	MaxCaptureBytes    = 64 << 20  // it is held in memory whole
	MaxLockfileBytes   = 256 << 20 // 64 MiB of definitions grow when indented; several servers share one
	MaxLabelBytes      = 1_024     // of a server's label, which stands beside each entry that drifted; names of files are shorter
	MaxEntries         = 50_000    // of one list
	maxDefinitions     = 200_000   // of all lists of a session
	MaxDefinitionBytes = 4 << 20   // as received
	maxDefinitionSize  = 200_000   // JSON values in one definition: about 100 bytes of memory each
	maxDefinitionDepth = 128       // nesting, the definition itself being 1
	MaxCommas          = 8_000_000 // in a capture: bounds its values before any is read; 64 MiB of real tools have 5 million
	MaxMessages        = 100_000   // JSON values one after another in one file
	MaxMembers         = 10_000    // members of a message or its result
	MaxKept            = 2_000_000 // values of one file that are kept outside definitions
	keptDepth          = 6         // containers this deep lose their parts there; the root is 0, a pin's approval 5
)

// A Value is a JSON value: a node of the tree that a text is read into.
type Value struct {
	Kind    byte     // 'n', 'f', 't', '0', '"', '[', '{'; 0: absent
	At, End int32    // offsets in the text: of its first byte, and of the byte after its last
	Text    string   // of a string, unescaped; of a number, as RFC 8785 writes it
	Parts   []Member // of an array or an object, in the order of the text; members are sorted in a canonical tree
}

// A Member is a member of an object or, without a name, an element of an array.
type Member struct {
	Name string
	Value
}

// Get returns the named member of an object, or the zero value (absent) if there is none.
// It takes time in proportion to the number of members.
func (v Value) Get(name string) Value {
	for i, m := 0, v.Members(); i < len(m); i++ {
		if m[i].Name == name {
			return m[i].Value
		}
	}
	return Value{}
}

// Members returns the members of an object, and none for any other kind.
func (v Value) Members() []Member {
	if v.Kind != '{' {
		return nil
	}
	return v.Parts
}

// Names yields the names of an object's members, with the offsets of their values.
func (v Value) Names() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, m := range v.Members() {
			if !yield(m.Name, int(m.At)) {
				return
			}
		}
	}
}

// Items returns the elements of an array, and none for any other kind.
func (v Value) Items() []Member {
	if v.Kind != '[' {
		return nil
	}
	return v.Parts
}

// Has reports whether v is an object with that member.
func (v Value) Has(name string) bool { return v.Get(name).Kind != 0 }

// A Step leads to a member or to an element of an array.
type Step struct {
	Name  string // of a member
	Index int    // of an element; -1 for a member
}

// A Reader reads a text strictly. JSON from outside becomes a value here and nowhere else.
//
// Beyond what RFC 8259 excludes, it refuses invalid UTF-8, unpaired surrogates, repeated
// member names at any depth (compared after unescaping), and numbers that overflow a double.
// Parsers disagree about each of these, so an attacker could show one value to us and another
// to an agent. They disagree about integers that a double can't hold exactly, too. It rounds
// those, as RFC 8785 does, and keeps the first one's place: the caller decides.
type Reader struct {
	again        bool                            // data was read strictly before: no name in it is repeated
	Bounded      bool                            // for a capture: limit size and number of definitions
	definitions  int                             // read so far
	IsDefinition func(path []Step) bool          // nil: none is
	Definition   func(path []Step, v Definition) // takes a definition, which is gone afterwards
	Rounded      *Error                          // the first integer that a double can't hold exactly, or nil

	d          *jsontext.Decoder
	base, to   int // d reads data[base:to]
	Start, end int // the token just read
	path       []Step
	depth      int     // how many containers are open
	tree       tree    // what was read and is kept
	open       []int32 // the nodes read so far in every open container
	kept       int     // values kept outside definitions

	inside *Place // the definition being read, or nil
}

// A Place is that of a definition in its file, with what its limits are checked on.
type Place struct {
	at     int    // offset of its first byte
	Path   []Step // from the root to it
	values int    // read so far
	Name   string // its "name", once that was read; for messages
}

// NewReader returns a reader of a text, which must not change while it reads.
func NewReader(data []byte) *Reader { return &Reader{tree: tree{data: data}} }

// Error is the place in a file where strict reading stopped.
type Error struct {
	At      int // byte offset
	From    int // offset of the outermost value around it
	Text    string
	Grammar bool   // outside the JSON grammar, not merely refused by us
	Inside  *Place // the definition it is in, or nil
	Limit   bool   // a definition is too large, or there are too many
}

// Error is what is wrong, without the place.
func (e *Error) Error() string { return e.Text }

// NewDecoder returns a decoder of tokens that keeps to the grammar of RFC 8259.
func NewDecoder(data []byte, opts ...jsontext.Options) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), opts...)
}

// Next reads the first JSON value in data[at:to], after any blanks. The error is io.EOF
// if only blanks are left, otherwise a *Error.
func (r *Reader) Next(at, to int) (Value, error) {
	t := &r.tree
	for at < to && isBlank(t.data[at]) {
		at++
	}
	if at == to {
		return Value{}, io.EOF
	}
	r.d, r.base, r.to, r.end = NewDecoder(t.data[at:to], jsontext.AllowDuplicateNames(r.again)), at, to, at
	r.path, r.depth, r.open, r.inside = r.path[:0], 0, r.open[:0], nil
	t.cut(size{})
	tok, bad := r.token()
	if bad == nil {
		bad = r.value(tok, node{})
	}
	if bad != nil {
		bad.From, bad.Inside = at, r.inside
		return Value{}, bad
	}
	if r.IsDefinition == nil {
		t.text = string(t.data[t.nodes[0].at:t.nodes[0].end])
	}
	return t.value(r.again), nil
}

// Only reads data as one JSON value, with nothing but blanks around it.
func (r *Reader) Only() (Value, error) {
	data := r.tree.data
	v, err := r.Next(0, len(data))
	if err != nil {
		return Value{}, err
	}
	for at := int(v.End); at < len(data); at++ {
		if !isBlank(data[at]) {
			return Value{}, &Error{At: at, Text: "trailing data after it"}
		}
	}
	return v, nil
}

// Canonical reads text that was read strictly before, a canonical form or a definition as
// received, into a canonical tree: its members are sorted. For any other text the result is
// absent, which equals no pinned value.
func Canonical(data []byte) Value {
	r := readers.Get().(*Reader)
	r.again, r.tree.data = true, data
	v, _ := r.Only()
	r.tree.data, r.tree.text = nil, ""
	readers.Put(r)
	return v
}

// readers holds readers with their nodes, because a definition is read again for each use.
var readers = sync.Pool{New: func() any { return new(Reader) }}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// token reads one token and finds where it stands.
func (r *Reader) token() (jsontext.Token, *Error) {
	tok, err := r.d.ReadToken()
	if err != nil {
		return tok, r.explain(err)
	}
	data := r.tree.data
	for r.Start = r.end; isBlank(data[r.Start]) || data[r.Start] == ',' || data[r.Start] == ':'; r.Start++ {
	}
	r.end = r.base + int(r.d.InputOffset())
	if r.Bounded && r.inside != nil && r.end-r.inside.at > MaxDefinitionBytes {
		return tok, r.tooLarge("a definition of more than 4 MiB")
	}
	return tok, nil
}

func (r *Reader) tooLarge(text string) *Error {
	return &Error{At: r.inside.at, Text: text, Limit: true}
}

// value reads the value that begins with tok, which was just read, and what is in it. Its
// node n has the name already.
func (r *Reader) value(tok jsontext.Token, n node) *Error {
	n.kind, n.at, n.end = byte(tok.Kind()), int32(r.Start), int32(r.end)
	outer := r.inside
	if outer == nil && r.IsDefinition != nil && r.IsDefinition(r.path) {
		r.inside = &Place{at: r.Start, Path: r.path}
		switch r.definitions++; {
		case r.Bounded && r.path[len(r.path)-1].Index >= MaxEntries:
			return r.tooLarge("more than 50,000 entries")
		case r.Bounded && r.definitions > maxDefinitions:
			return r.tooLarge("more than 200,000 entries in all lists of the file")
		}
	}
	if bad := r.count(n.kind); bad != nil {
		return bad
	}
	t := &r.tree
	switch literal := t.data[r.Start:r.end]; n.kind {
	case '"':
		n.spelled = isSpelled(literal)
	case '0':
		text, exact, ok := readNumber(literal)
		if !ok {
			return &Error{At: r.Start, Text: "a number that overflows a double"}
		}
		n.spelled = string(text) == string(literal)
		if !exact && r.Rounded == nil {
			r.Rounded = &Error{At: r.Start, Inside: r.inside,
				Text: string(literal) + ": an integer that a double can't hold exactly: parsers would read different numbers"}
			if r.inside != nil {
				r.inside.Path = slices.Clone(r.inside.Path)
			}
		}
	case 'n', 'f', 't':
		n.spelled = true
	}
	begin := t.size()
	t.nodes = append(t.nodes, n)
	if n.kind == '[' || n.kind == '{' {
		if bad := r.parts(begin.nodes); bad != nil {
			return bad
		}
	}
	if outer == nil && r.inside != nil {
		r.inside = nil
		r.Definition(r.path, Definition{t, begin.nodes})
		begin.nodes++
		t.cut(begin) // nothing is kept but its place: memory stays flat
		t.nodes[begin.nodes-1].parts, t.nodes[begin.nodes-1].n = 0, 0
	}
	return nil
}

// count counts the value that begins and checks the limits.
func (r *Reader) count(kind byte) *Error {
	s := r.inside
	if s == nil {
		if r.kept++; r.kept > MaxKept && r.IsDefinition != nil {
			return &Error{At: r.Start, Text: "more than 2,000,000 values outside definitions"}
		}
		return nil
	}
	s.values++
	switch {
	case s.values > maxDefinitionSize:
		return r.tooLarge("a definition of more than 200,000 values")
	case (kind == '[' || kind == '{') && r.depth-len(s.Path) >= maxDefinitionDepth:
		return r.tooLarge("a definition nested more than 128 deep")
	}
	return nil
}

// parts reads the elements of an array or the members of an object, which is node i. Outside
// definitions, values below keptDepth are read but not kept: nothing asks for them.
func (r *Reader) parts(i int32) *Error {
	t, here, isObject := &r.tree, r.depth, r.tree.nodes[i].kind == '{'
	follows := r.IsDefinition != nil && r.inside == nil // whether something asks for the path
	keep := r.inside != nil || r.IsDefinition == nil || here < keptDepth
	if follows {
		r.path = append(r.path, Step{Index: -1})
	}
	r.depth++
	base := len(r.open)
	for index := 0; ; index++ {
		tok, bad := r.token()
		if bad != nil {
			return bad
		}
		if k := tok.Kind(); k == ']' || k == '}' {
			break
		}
		part, begin := node{}, t.size()
		if isObject {
			t.setName(&part, r.Start, r.end)
			if follows {
				r.path[here].Name = string(t.name(&part))
			}
			if tok, bad = r.token(); bad != nil {
				return bad
			}
		} else if follows {
			r.path[here].Index = index
		}
		if bad := r.value(tok, part); bad != nil {
			return bad
		}
		if !keep {
			r.kept--
			t.cut(begin)
			continue
		}
		if s := r.inside; s != nil && here == len(s.Path) && string(t.name(&part)) == "name" {
			s.Name = t.string(begin.nodes)
		}
		r.open = append(r.open, begin.nodes)
	}
	n := &t.nodes[i]
	n.end, n.parts, n.n = int32(r.end), int32(len(t.parts)), int32(len(r.open)-base)
	t.parts = append(t.parts, r.open[base:]...)
	r.open, r.depth = r.open[:base], here
	if follows {
		r.path = r.path[:here]
	}
	return nil
}

// readNumber returns a number as RFC 8785 writes it, and whether it fits into a double. It is
// not exact if it is an integer and another one than the double.
func readNumber(literal []byte) (text []byte, exact, ok bool) {
	if digits := bytes.TrimPrefix(literal, []byte("-")); len(digits) <= 15 && isDigits(digits) && string(literal) != "-0" {
		return literal, true, true // up to 15 digits are exact
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err == nil {
		text, err = canonicalNumber(f)
	}
	if err != nil || math.Abs(f) < 1<<53 || bytes.ContainsAny(literal, ".eE") {
		return text, true, err == nil
	}
	// At most 310 characters are left here: more would have overflowed.
	held, _ := new(big.Float).SetFloat64(f).Int(nil)
	written, isInteger := new(big.Int).SetString(string(literal), 10)
	return text, isInteger && held.Cmp(written) == 0, true
}

func isDigits(s []byte) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// explain turns a decoder's error into one of ours. The library's texts are not used:
// they quote the input and may change with the library's version.
func (r *Reader) explain(err error) *Error {
	bad := &Error{At: r.to}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		bad.At = min(r.base+int(syntactic.ByteOffset), r.to)
	}
	rest := r.tree.data[bad.At:r.to]
	next, size := utf8.DecodeRune(rest)
	escape, _ := UnicodeEscape(rest)
	switch {
	case !ok, errors.Is(err, io.ErrUnexpectedEOF), len(rest) == 0:
		bad.At, bad.Text, bad.Grammar = r.to, "unexpected end of the file: cut short?", true
	case errors.Is(err, jsontext.ErrDuplicateName):
		member := syntactic.JSONPointer.LastToken()
		bad.Text = "member " + text.Name(member) + " is repeated: parsers would read different values"
	case next == utf8.RuneError && size == 1:
		bad.Text = "invalid UTF-8"
	case utf16.IsSurrogate(escape):
		bad.Text = "an unpaired surrogate: not Unicode text"
	case r.depth >= 10_000 && (next == '[' || next == '{'):
		bad.Text = "nested more than 10,000 deep"
	case errors.Is(err, jsontext.ErrNonStringName):
		bad.Text, bad.Grammar = "an object member without a quoted name", true
	default:
		bad.Text, bad.Grammar = "not JSON: unexpected "+text.Name(string(next)), true
	}
	return bad
}

// UnicodeEscape reads the \uXXXX that data begins with.
func UnicodeEscape(data []byte) (r rune, ok bool) {
	if len(data) < 6 || !bytes.HasPrefix(data, []byte(`\u`)) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(v), err == nil
}

// IsGrammatical reports whether data is a sequence of JSON values by the grammar alone,
// whatever else strict reading would refuse in it.
func IsGrammatical(data []byte) bool {
	d := NewDecoder(data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if err := d.SkipValue(); err != nil {
			return err == io.EOF
		}
	}
}

// EachMember calls f for each member of the object that data begins with, as far as it
// can be read. bytes is how many bytes follow the name: the colon and the value.
func EachMember(data []byte, f func(name string, bytes int)) {
	d := NewDecoder(data, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
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
