// Package jsontree reads JSON strictly into trees, and writes trees in canonical form
// (RFC 8785). JSON from outside becomes a value here and nowhere else.
package jsontree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"pinproof/internal/text"
)

// Limits on what this package reads, and on what other packages read with it. Each is far above every real server
// measured (tools to 13 kB, catalogs to 0.8 MB and 551 tools, schemas 21 levels deep) and low enough that a hostile
// file is read or refused in a second or two.
const (
	MaxEntries         = 50_000  // of one list
	maxDefinitions     = 200_000 // of all lists of a session
	MaxDefinitionBytes = 4 << 20 // as received

	// JSON values in one definition: about 100 bytes of memory each.
	maxDefinitionSize = 200_000

	maxDepth = 10_000 // the deepest nesting of any value, the same as the JSON library's

	maxDefinitionDepth = 128 // levels of nesting; the definition itself is the first

	// Numbers below minNormal in a capture. A schema needs none, and reading one takes some microseconds.
	maxTiny = 10_000

	// Values of one file that are kept outside definitions.
	maxKept = 2_000_000

	// Outside definitions, the parts of containers at this depth or deeper aren't kept. The root is at depth 0, a
	// pin's approval at 5.
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
	// For a capture: the number of definitions and the bytes of each are limited.
	LimitsDefinitions bool

	definitions  int                    // read so far
	IsDefinition func(path []Step) bool // nil: nothing is a definition
	// OnDefinition is called with each definition and its canonical form. It must not keep the parts of v, because
	// their memory is reused for the next definition.
	OnDefinition func(path []Step, v Value, canonical []byte)

	// SkipKnown, if not nil, is called with each definition's path and the text from its start. If the caller knows the
	// definition, SkipKnown returns its length, and the reader skips it. Otherwise SkipKnown returns 0.
	SkipKnown func(path []Step, text []byte) int

	tiny int // numbers below minNormal read so far

	// The first integer that a double can't represent, or nil.
	FirstRounded *Error

	data         []byte
	from, at, to int // from is where the outermost value begins, data[at:to] is still to be read
	ValueStart   int // where the value that is being read begins
	// The path to the value that is being read, with one step for each open container.
	path []Step

	// The parts read so far of every open container.
	open []Member

	// Memory for the parts of the definition that is being read.
	room []Member

	form  []byte // its canonical form
	plain []byte // a string without its escapes
	kept  int    // values kept outside definitions

	inside *Place // the definition being read, or nil
}

// A Place describes where a definition is in its file. It also counts the values in the definition, to limit them.
type Place struct {
	at     int    // offset of its first byte
	Path   []Step // from the root to it
	values int    // read so far

	// The definition's "name", once that has been read; for messages.
	Name string
}

// NewReader returns a reader of a text, which must not change while it reads.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Error describes why and where strict reading stopped.
type Error struct {
	Offset int // byte offset

	// The offset of the outermost value that contains the error.
	From int

	Text string

	// The text violates the grammar of JSON; if false, only this package rejects the text.
	Grammar bool

	Inside *Place // the definition it is in, or nil

	// A definition is too large, or there are too many.
	Limit bool
}

// Error returns what is wrong, without the place.
func (e *Error) Error() string { return e.Text }

// Errorf returns an error about a value. Its arguments must be printable.
func (v Value) Errorf(format string, args ...any) *Error {
	return &Error{Offset: int(v.Start), Text: fmt.Sprintf(format, args...)}
}

// ErrorIn is Errorf for a member or, if v has no such member, for v itself.
func (v Value) ErrorIn(member, format string, args ...any) *Error {
	if v.Has(member) {
		v = v.Get(member)
	}
	return v.Errorf(format, args...)
}

// Next reads the first JSON value in data[at:to], after any whitespace. The error is io.EOF if only whitespace
// is left, otherwise a *Error, and then nothing more can be read.
func (r *Reader) Next(at, to int) (Value, error) {
	r.at = at
	r.to = to
	if r.peek() == 0 && r.at == to {
		return Value{}, io.EOF
	}
	r.from = r.at
	v, bad := r.value(true)
	if bad != nil {
		bad.From = r.from
		bad.Inside = r.inside
		return Value{}, bad
	}
	return v, nil
}

// ReadSingle reads data as one JSON value, with nothing but whitespace around it.
func (r *Reader) ReadSingle() (Value, error) {
	v, err := r.Next(0, len(r.data))
	if err != nil {
		return Value{}, err
	}
	if r.peek(); r.at < r.to {
		return Value{}, &Error{Offset: r.at, Text: "trailing data after it"}
	}
	return v, nil
}

// ParseTrusted parses text that a Reader has accepted before: a canonical form, or a definition as received. If
// the text can't be read, it returns the absent value, which equals no pinned value.
func ParseTrusted(data []byte) Value {
	v, _ := NewReader(data).ReadSingle()
	return v
}

// peek moves to the next byte that isn't whitespace, and returns it. It returns 0 at the end.
func (r *Reader) peek() byte {
	for ; r.at < r.to; r.at++ {
		if c := r.data[r.at]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// accepts moves past the next byte that isn't whitespace, if that byte is c.
func (r *Reader) accepts(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *Reader) tooLarge(text string) *Error {
	return &Error{Offset: r.inside.at, Text: text, Limit: true}
}

// words maps the first byte of each literal to the literal.
var words = map[byte]string{'n': "null", 't': "true", 'f': "false"}

// value reads the next value, and all that is in it. Without keep, the value is only checked, and its
// strings and parts aren't stored.
func (r *Reader) value(keep bool) (v Value, bad *Error) {
	v.Kind = r.peek()
	v.Start = int32(r.at)
	r.ValueStart = r.at
	outer := r.inside
	if outer == nil && r.IsDefinition != nil && r.IsDefinition(r.path) {
		r.definitions++
		if r.isKnown(&v) {
			return v, nil
		}
		r.inside = &Place{at: r.at, Path: r.path}
		switch {
		case r.LimitsDefinitions && r.path[len(r.path)-1].Index >= MaxEntries:
			return v, r.tooLarge("more than 50,000 entries")
		case r.LimitsDefinitions && r.definitions > maxDefinitions:
			return v, r.tooLarge("more than 200,000 entries in all lists of the file")
		}
	}
	if bad := r.count(v.Kind); bad != nil {
		return v, bad
	}
	switch v.Kind {
	case '"':
		v.Text, bad = r.quoted(keep)
	case '[', '{':
		bad = r.parts(&v, keep)
	case 'n', 't', 'f':
		word := words[v.Kind]
		if !bytes.HasPrefix(r.data[r.at:r.to], []byte(word)) {
			return v, r.explain()
		}
		r.at += len(word)
	default:
		v.Kind = '0'
		v.Text, bad = r.number()
	}
	if bad != nil {
		return v, bad
	}
	v.End = int32(r.at)
	if r.LimitsDefinitions && r.inside != nil && r.at-r.inside.at > MaxDefinitionBytes {
		return v, r.tooLarge("a definition of more than 4 MiB")
	}
	if outer == nil && r.inside != nil {
		r.inside = nil
		r.form = appendValue(r.form[:0], &v, r.data)
		r.OnDefinition(r.path, v, slices.Clone(r.form))
		v.DefinitionNumber = int32(r.definitions)
		v.Text = ""
		// OnDefinition has used the parts. Drop them to save memory.
		v.Parts = nil
		clear(r.room)
		r.room = r.room[:0]
	}
	return v, nil
}

// isKnown skips a definition that the caller knows, and reports whether it did.
func (r *Reader) isKnown(v *Value) bool {
	if r.SkipKnown == nil {
		return false
	}
	n := r.SkipKnown(r.path, r.data[r.at:r.to])
	r.at += n
	v.End = int32(r.at)
	v.DefinitionNumber = int32(r.definitions)
	return n > 0
}

// count counts the value that begins and checks the limits.
func (r *Reader) count(kind byte) *Error {
	s := r.inside
	if s == nil {
		if r.kept++; r.kept > maxKept && r.IsDefinition != nil {
			return &Error{Offset: r.ValueStart, Text: "more than 2,000,000 values outside definitions"}
		}
		return nil
	}
	s.values++
	if s.values > maxDefinitionSize {
		return r.tooLarge("a definition of more than 200,000 values")
	}
	if (kind == '[' || kind == '{') && len(r.path)-len(s.Path) >= maxDefinitionDepth {
		return r.tooLarge("a definition nested more than 128 deep")
	}
	return nil
}

// parts reads the elements of an array or the members of an object. Outside definitions, values deeper than
// keptDepth are read but not kept, because nothing uses them.
func (r *Reader) parts(v *Value, keep bool) *Error {
	here := len(r.path)
	if here == maxDepth {
		return &Error{Offset: r.at, Text: "nested more than 10,000 deep"}
	}
	isObject := v.Kind == '{'
	isOutside := r.IsDefinition != nil && r.inside == nil
	keep = keep && (!isOutside || here < keptDepth)
	r.path = append(r.path, Step{})
	r.at++
	base := len(r.open)
	for index := 0; r.peek() != v.Kind+2; index++ { // the bracket that closes it
		if index > 0 && !r.accepts(',') {
			return r.explain()
		}
		var m Member
		var bad *Error
		step := Step{Index: index}
		if isObject {
			if m.Name, bad = r.name(); bad != nil {
				return bad
			}
			step = Step{Name: m.Name, Index: -1}
		}
		r.path[here] = step
		if m.Value, bad = r.value(keep); bad != nil {
			return bad
		}
		if s := r.inside; s != nil && here == len(s.Path) && m.Name == "name" && m.Kind == '"' {
			s.Name = m.Text
		}
		if keep || isObject { // all names of an object are needed to find one that is repeated
			r.open = append(r.open, m)
		} else {
			r.kept--
		}
	}
	r.at++
	if parts := r.open[base:]; isObject && !sortMembers(parts) {
		return r.explain()
	} else if keep && len(parts) > 0 {
		if r.inside == nil {
			v.Parts = slices.Clone(parts) // a copy, because r.open is reused
		} else {
			// This memory is used until the definition has been read. If append reallocates r.room, earlier parts keep
			// the old array.
			n := len(r.room)
			r.room = append(r.room, parts...)
			v.Parts = r.room[n:len(r.room):len(r.room)]
		}
	}
	r.open = r.open[:base]
	r.path = r.path[:here]
	return nil
}

// name reads the name of a member, and the colon after it.
func (r *Reader) name() (name string, bad *Error) {
	if r.peek() != '"' {
		return "", r.explain()
	}
	name, bad = r.quoted(true)
	if bad == nil && !r.accepts(':') {
		bad = r.explain()
	}
	return name, bad
}

// quoted reads a string. Without keep, the string is only checked.
func (r *Reader) quoted(keep bool) (string, *Error) {
	data := r.data[:r.to]
	from := r.at + 1
	to := from
	for to < len(data) && data[to] >= ' ' && data[to] < utf8.RuneSelf && data[to] != '"' && data[to] != '\\' {
		to++
	}
	isPlain := to < len(data) && data[to] == '"'
	for ; to < len(data) && data[to] != '"'; to++ {
		if data[to] == '\\' {
			to++ // the escaped character may be a quote
		}
	}
	if to >= len(data) {
		return "", r.explain()
	}
	token := data[r.at : to+1]
	r.at = to + 1
	if !isPlain {
		var err error
		if r.plain, err = jsontext.AppendUnquote(r.plain[:0], token); err != nil {
			return "", r.explain()
		}
		return string(r.plain), nil
	}
	if !keep {
		return "", nil
	}
	return string(data[from:to]), nil
}

// number reads a number.
func (r *Reader) number() (string, *Error) {
	from := r.at
	accepts := func(chars string) bool {
		isNext := r.at < r.to && strings.IndexByte(chars, r.data[r.at]) >= 0
		if isNext {
			r.at++
		}
		return isNext
	}
	digits := func() bool {
		begin := r.at
		for accepts("0123456789") {
		}
		return r.at > begin
	}
	accepts("-")
	ok := accepts("0") || digits()
	if accepts(".") {
		ok = ok && digits()
	}
	hasExponent := accepts("eE")
	if hasExponent {
		accepts("+-")
		ok = ok && digits()
	}
	if !ok {
		return "", r.explain()
	}
	literal := r.data[from:r.at]
	if len(literal) > maxScientific && hasExponent {
		return "", &Error{Offset: from, Text: "a number with an exponent and more than 800 characters: parsers would read different numbers"}
	}
	number, exact, tiny := readNumber(literal)
	if number == nil {
		return "", &Error{Offset: from, Text: "a number that overflows a double"}
	}
	if tiny {
		r.tiny++
	}
	if r.tiny > maxTiny && r.LimitsDefinitions {
		return "", &Error{Offset: from, Text: "more than 10,000 numbers below 2.3e-308: reading them would take too long"}
	}
	if !exact && r.FirstRounded == nil {
		r.FirstRounded = &Error{Offset: from, Inside: r.inside,
			Text: string(literal) + ": an integer that a double can't hold exactly: parsers would read different numbers"}
		if r.inside != nil {
			r.inside.Path = slices.Clone(r.inside.Path)
		}
	}
	return string(number), nil
}

// explain finds the error in text that can't be read, with the library's decoder. It doesn't use the library's
// messages, because they quote the input and may change with the library's version.
func (r *Reader) explain() *Error {
	d := jsontext.NewDecoder(bytes.NewBuffer(r.data[r.from:r.to]))
	var err error
	for err == nil {
		_, err = d.ReadToken()
	}
	bad := &Error{Offset: r.to}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		bad.Offset = min(r.from+int(syntactic.ByteOffset), r.to)
	}
	rest := r.data[bad.Offset:r.to]
	next, size := utf8.DecodeRune(rest)
	escape, _ := ParseUnicodeEscape(rest)
	switch {
	case !ok, errors.Is(err, io.ErrUnexpectedEOF), len(rest) == 0:
		bad.Offset = r.to
		bad.Text = "unexpected end of the file: cut short?"
		bad.Grammar = true
	case errors.Is(err, jsontext.ErrDuplicateName):
		member := syntactic.JSONPointer.LastToken()
		bad.Text = "member " + text.QuoteName(member) + " is repeated: parsers would read different values"
	case next == utf8.RuneError && size == 1:
		bad.Text = "invalid UTF-8"
	case utf16.IsSurrogate(escape):
		bad.Text = "an unpaired surrogate: not Unicode text"
	case errors.Is(err, jsontext.ErrNonStringName):
		bad.Text = "an object member without a quoted name"
		bad.Grammar = true
	default:
		bad.Text = "not JSON: unexpected " + text.QuoteName(string(next))
		bad.Grammar = true
	}
	return bad
}
