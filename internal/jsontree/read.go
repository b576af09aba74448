// Package jsontree reads JSON strictly into trees, and writes trees in canonical form
// (RFC 8785). JSON from outside becomes a value here and nowhere else.
package jsontree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"pinproof/internal/text"
)

// Limits on what is read, here and where a file is recognized. Each is far above every real server
// measured (tools to 13 kB, catalogs to 0.8 MB and 551 tools, schemas 21 levels deep) and low enough
// that a hostile file is answered in a second or two.
const (
	MaxEntries         = 50_000  // of one list
	maxDefinitions     = 200_000 // of all lists of a session
	MaxDefinitionBytes = 4 << 20 // as received

	// JSON values in one definition: about 100 bytes of memory each.
	maxDefinitionSize = 200_000

	maxDefinitionDepth = 128 // nesting, the definition itself being 1

	// Numbers of a capture below minNormal: a schema needs none, and each takes some microseconds.
	maxTiny = 10_000

	// Values of one file that are kept outside definitions.
	maxKept = 2_000_000

	// Outside definitions, containers this deep lose their parts. The root is at depth 0, a pin's approval at 5.
	keptDepth = 6
)

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
// to an agent. Parsers also disagree about integers that a double can't represent. The reader
// rounds those, as RFC 8785 does, and keeps the place of the first one: the caller decides about it.
type Reader struct {
	// The data was read strictly before, so no name in it is repeated.
	again bool

	// For a capture: the number of definitions and the bytes of each are limited.
	Bounded bool

	definitions  int                    // read so far
	IsDefinition func(path []Step) bool // nil: nothing is a definition
	// Definition is called with each definition and its canonical form. A verify reads thousands of
	// definitions and keeps only their canonical forms. So the memory of v's parts is used again for the
	// next definition.
	Definition func(path []Step, v Value, canonical []byte)

	tiny int // numbers below minNormal read so far

	// The first integer that a double can't represent, or nil.
	Rounded *Error

	data       []byte
	d          *jsontext.Decoder
	base, to   int // d reads data[base:to]
	Start, end int // the token just read
	path       []Step
	depth      int // how many containers are open

	// The parts read so far of every open container.
	open []Member

	// Memory for the parts of the definition that is being read.
	room []Member

	form  []byte // its canonical form
	plain []byte // a string without its escapes
	kept  int    // values kept outside definitions

	// A copy of a stretch of data, of which the strings that were read are parts.
	text string

	textAt int // where that stretch begins in data

	inside *Place // the definition being read, or nil
}

// A Place is where a definition is in its file. It also counts what the definition's limits are checked against.
type Place struct {
	at     int    // offset of its first byte
	Path   []Step // from the root to it
	values int    // read so far

	// The definition's "name", once that has been read; for messages.
	Name string
}

// NewReader returns a reader of a text, which must not change while it reads.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Error is the place in a file where strict reading stopped.
type Error struct {
	At int // byte offset

	// Offset of the outermost value around it.
	From int

	Text string

	// The text breaks the grammar of JSON, and isn't merely refused by us.
	Grammar bool

	Inside *Place // the definition it is in, or nil

	// A definition is too large, or there are too many.
	Limit bool
}

// Error returns what is wrong, without the place.
func (e *Error) Error() string { return e.Text }

// Errorf returns what is wrong with a value. What it quotes must be printable.
func (v Value) Errorf(format string, args ...any) *Error {
	return &Error{At: int(v.At), Text: fmt.Sprintf(format, args...)}
}

// newDecoder returns a decoder of tokens that keeps to the grammar of RFC 8259.
func newDecoder(data []byte, opts ...jsontext.Options) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), opts...)
}

// Next reads the first JSON value in data[at:to], after any blanks. The error is io.EOF
// if only blanks are left, otherwise a *Error.
func (r *Reader) Next(at, to int) (Value, error) {
	if at = r.skipBlanks(at, to); at == to {
		return Value{}, io.EOF
	}
	r.d = newDecoder(r.data[at:to], jsontext.AllowDuplicateNames(r.again))
	r.base = at
	r.to = to
	r.end = at
	r.path = r.path[:0]
	r.depth = 0
	r.open = r.open[:0]
	r.room = r.room[:0]
	r.inside = nil
	tok, bad := r.token()
	if bad == nil {
		var v Value
		if v, bad = r.value(tok, true); bad == nil {
			return v, nil
		}
	}
	bad.From = at
	bad.Inside = r.inside
	return Value{}, bad
}

// Only reads data as one JSON value, with nothing but blanks around it.
func (r *Reader) Only() (Value, error) {
	v, err := r.Next(0, len(r.data))
	if err != nil {
		return Value{}, err
	}
	if at := r.skipBlanks(int(v.End), len(r.data)); at < len(r.data) {
		return Value{}, &Error{At: at, Text: "trailing data after it"}
	}
	return v, nil
}

// Canonical reads text that was read strictly before: a canonical form, or a definition as
// received. For text that can't be read it returns the absent value, which equals no pinned value.
func Canonical(data []byte) Value {
	r := readers.Get().(*Reader)
	r.again = true
	r.data = data
	r.text = ""
	v, _ := r.Only()
	r.data = nil
	r.text = ""
	readers.Put(r)
	return v
}

// readers keeps readers with their memory, because a definition is read again for each use.
var readers = sync.Pool{New: func() any { return new(Reader) }}

// skipBlanks returns the offset of the first byte in data[at:to] that isn't a blank, or to.
func (r *Reader) skipBlanks(at, to int) int {
	for at < to && isBlank(r.data[at]) {
		at++
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// token reads one token and finds where it is.
func (r *Reader) token() (jsontext.Token, *Error) {
	tok, err := r.d.ReadToken()
	if err != nil {
		return tok, r.explain(err)
	}
	data := r.data
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

// value reads the value that begins with tok, which was just read, and all that is in the value. Without
// keep, the value is only checked, and its strings and parts aren't stored.
func (r *Reader) value(tok jsontext.Token, keep bool) (v Value, bad *Error) {
	v = Value{Kind: byte(tok.Kind()), At: int32(r.Start), End: int32(r.end)}
	outer := r.inside
	if outer == nil && r.IsDefinition != nil && r.IsDefinition(r.path) {
		r.inside = &Place{at: r.Start, Path: r.path}
		switch r.definitions++; {
		case r.Bounded && r.path[len(r.path)-1].Index >= MaxEntries:
			return v, r.tooLarge("more than 50,000 entries")
		case r.Bounded && r.definitions > maxDefinitions:
			return v, r.tooLarge("more than 200,000 entries in all lists of the file")
		}
	}
	if bad := r.count(v.Kind); bad != nil {
		return v, bad
	}
	switch v.Kind {
	case '"':
		if keep {
			v.Text = r.unquoted()
		}
	case '0':
		literal := r.data[r.Start:r.end]
		if len(literal) > maxScientific && bytes.ContainsAny(literal, "eE") {
			return v, &Error{At: r.Start, Text: "a number with an exponent and more than 800 characters: parsers would read different numbers"}
		}
		number, exact, tiny := readNumber(literal)
		if number == nil {
			return v, &Error{At: r.Start, Text: "a number that overflows a double"}
		}
		if tiny {
			r.tiny++
		}
		if r.tiny > maxTiny && r.Bounded {
			return v, &Error{At: r.Start, Text: "more than 10,000 numbers below 2.3e-308: reading them would take too long"}
		}
		if v.Text = string(number); !exact && r.Rounded == nil {
			r.Rounded = &Error{At: r.Start, Inside: r.inside,
				Text: string(literal) + ": an integer that a double can't hold exactly: parsers would read different numbers"}
			if r.inside != nil {
				r.inside.Path = slices.Clone(r.inside.Path)
			}
		}
	case '[', '{':
		if bad := r.parts(&v, keep); bad != nil {
			return v, bad
		}
	}
	if outer == nil && r.inside != nil {
		r.inside = nil
		r.form = appendValue(r.form[:0], &v, r.data)
		r.Definition(r.path, v, slices.Clone(r.form))
		v.Definition = int32(r.definitions)
		v.Text = ""
		v.Parts = nil // memory stays flat
		clear(r.room)
		r.room = r.room[:0]
	}
	return v, nil
}

// count counts the value that begins and checks the limits.
func (r *Reader) count(kind byte) *Error {
	s := r.inside
	if s == nil {
		if r.kept++; r.kept > maxKept && r.IsDefinition != nil {
			return &Error{At: r.Start, Text: "more than 2,000,000 values outside definitions"}
		}
		return nil
	}
	s.values++
	if s.values > maxDefinitionSize {
		return r.tooLarge("a definition of more than 200,000 values")
	}
	if (kind == '[' || kind == '{') && r.depth-len(s.Path) >= maxDefinitionDepth {
		return r.tooLarge("a definition nested more than 128 deep")
	}
	return nil
}

// parts reads the elements of an array or the members of an object. Outside definitions,
// values below keptDepth are read but not kept: nothing asks for them.
func (r *Reader) parts(v *Value, keep bool) *Error {
	here := r.depth
	isObject := v.Kind == '{'
	follows := r.IsDefinition != nil && r.inside == nil // whether something asks for the path
	keep = keep && (!follows || here < keptDepth)
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
		var m Member
		if isObject {
			if m.Name = r.unquoted(); follows {
				r.path[here].Name = m.Name
			}
			if tok, bad = r.token(); bad != nil {
				return bad
			}
		} else if follows {
			r.path[here].Index = index
		}
		if m.Value, bad = r.value(tok, keep); bad != nil {
			return bad
		}
		if !keep {
			r.kept--
			continue
		}
		if s := r.inside; s != nil && here == len(s.Path) && m.Name == "name" && m.Kind == '"' {
			s.Name = m.Text
		}
		r.open = append(r.open, m)
	}
	v.End = int32(r.end)
	if len(r.open) > base {
		v.Parts = r.stored(r.open[base:], isObject)
	}
	r.open = r.open[:base]
	r.depth = here
	if follows {
		r.path = r.path[:here]
	}
	return nil
}

// stored returns a copy of parts, with members sorted. In a definition, the copy lasts until the
// definition has been read; elsewhere, it lasts for good.
func (r *Reader) stored(parts []Member, isObject bool) []Member {
	if r.inside == nil {
		parts = slices.Clone(parts)
	} else {
		// If append moves the room, earlier parts stay in the old memory.
		n := len(r.room)
		r.room = append(r.room, parts...)
		parts = r.room[n:len(r.room):len(r.room)]
	}
	if isObject {
		sortMembers(parts)
	}
	return parts
}

// unquoted returns the text of the string just read.
func (r *Reader) unquoted() string {
	token := r.data[r.Start:r.end]
	if bytes.IndexByte(token, '\\') >= 0 {
		r.plain, _ = jsontext.AppendUnquote(r.plain[:0], token)
		return string(r.plain)
	}
	from := r.Start + 1
	to := r.end - 1
	if r.IsDefinition != nil && r.inside == nil {
		// A string that is kept from a message must not keep the text around it in memory.
		return string(r.data[from:to])
	}
	if from < r.textAt || to > r.textAt+len(r.text) { // one copy for many strings
		r.textAt, r.text = from, string(r.data[from:min(max(to, from+stretch), r.to)])
	}
	return r.text[from-r.textAt : to-r.textAt]
}

// stretch is how many bytes are copied at once, for all strings in them. A few definitions are as long.
const stretch = 32 << 10

// explain turns a decoder's error into one of ours. The library's texts are not used:
// they quote the input and may change with the library's version.
func (r *Reader) explain(err error) *Error {
	bad := &Error{At: r.to}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		bad.At = min(r.base+int(syntactic.ByteOffset), r.to)
	}
	rest := r.data[bad.At:r.to]
	next, size := utf8.DecodeRune(rest)
	escape, _ := UnicodeEscape(rest)
	switch {
	case !ok, errors.Is(err, io.ErrUnexpectedEOF), len(rest) == 0:
		bad.At = r.to
		bad.Text = "unexpected end of the file: cut short?"
		bad.Grammar = true
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
		bad.Text = "an object member without a quoted name"
		bad.Grammar = true
	default:
		bad.Text = "not JSON: unexpected " + text.Name(string(next))
		bad.Grammar = true
	}
	return bad
}
