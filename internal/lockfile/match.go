package lockfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// Lines of a lockfile as Marshal writes it: no string contains a line end, so each line that begins
// like these is the first or the last line of a definition.
const (
	opening = "          \"definition\": "
	closing = "          }"
)

// matched finds the definitions of a lockfile in its file.
type matched struct {
	file io.ReaderAt

	// Of each definition, in the order of the file: the offset of the {} that replaces it in the rest
	// of the text, and where it begins and ends in the file.
	at    []int32
	spans [][2]int64

	lines  []int // line ends in the first n definitions
	buffer []byte
	read   []byte
	pinsOf func(server string, pol pin.Policy) *pin.Set
	set    *pin.Set // of the server that is being read
}

// errDiffers ends the reading of a lockfile that isn't that of the captures. Nobody sees it: Read reads the file then.
var errDiffers = errors.New("a definition differs")

// ReadMatch reads a lockfile like Read, if it is, byte for byte, what Marshal writes for the entries of the
// captures and what the file records of them. It doesn't parse the definitions: parsing and hashing them
// would take most of the time of verify. pinsOf returns the entries of a server under a policy. ok is
// false if the file is anything else: then Read has to read it.
func ReadMatch(path string, file io.ReaderAt, formOf pin.FormFunc, pinsOf func(server string, pol pin.Policy) *pin.Set) (l Lockfile, ok bool) {
	m := &matched{file: file, pinsOf: pinsOf, lines: []int{0}}
	rest, err := m.rest()
	if err != nil {
		return Lockfile{}, false
	}
	r := &lockReader{File: fail.NewFile(path, rest), formOf: formOf, matched: m}
	l, _, err = r.read()
	if err != nil || !bytes.Equal(append(l.frame(len(rest)), '\n'), rest) {
		return Lockfile{}, false
	}
	return l, true
}

// rest returns the text of the file with {} in place of each definition.
func (m *matched) rest() (rest []byte, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(m.file, 0, math.MaxInt64), 64<<10)
	offset := int64(0)
	lines := 0
	begins := true // a line begins
	inside := false
	for {
		piece, err := in.ReadSlice('\n') // a part of a line that is longer than the buffer
		if len(rest)+len(piece) > cap(rest) {
			rest = slices.Grow(rest, len(rest)+len(piece)) // twice as much
		}
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return nil, err
		}
		switch {
		case !inside && begins && bytes.HasPrefix(piece, []byte(opening)):
			inside = true
			rest = append(rest, opening...)
			m.at = append(m.at, int32(len(rest)))
			m.spans = append(m.spans, [2]int64{offset + int64(len(opening))})
			rest = append(rest, placeholder...)
		case !inside:
			rest = append(rest, piece...)
		case begins && bytes.HasPrefix(piece, []byte(closing)):
			inside = false
			m.spans[len(m.spans)-1][1] = offset + int64(len(closing))
			m.lines = append(m.lines, lines)
			rest = append(rest, piece[len(closing):]...)
		}
		if begins = err == nil; begins && inside {
			lines++
		}
		if offset += int64(len(piece)); err == io.EOF {
			if inside {
				return nil, errDiffers
			}
			return rest, nil
		}
	}
}

// definition returns the definition of an entry, if the file has the text that Marshal would write for it.
func (m *matched) definition(key pin.Key, stored jsontree.Value) (d definedPin, err error) {
	p := m.set.Find(key)
	n := int(stored.Definition) - 1
	if p == nil || n < 0 || n >= len(m.spans) || !m.isText(p.Definition, m.spans[n]) {
		return d, errDiffers
	}
	d = definedPin{Form: p.Form, name: key.Name}
	if key.Type == pin.Skills {
		d.skill, d.problem = skill.Read(p.Tree())
	}
	return d, nil
}

// isText reports whether a part of the file is what Marshal would write for a definition.
func (m *matched) isText(definition []byte, span [2]int64) bool {
	m.buffer = appendDefinition(m.buffer[:0], definition)
	if int64(len(m.buffer)) != span[1]-span[0] {
		return false
	}
	m.read = slices.Grow(m.read[:0], len(m.buffer))[:len(m.buffer)]
	_, err := m.file.ReadAt(m.read, span[0])
	return err == nil && bytes.Equal(m.buffer, m.read)
}

// linesBefore counts the lines taken out before an offset of the rest.
func (m *matched) linesBefore(at int32) int {
	n, _ := slices.BinarySearch(m.at, at)
	return m.lines[n]
}
