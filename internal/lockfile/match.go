package lockfile

import (
	"bytes"
	"errors"
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// Lines of a lockfile as Marshal writes it: no string contains a line end, so each line that begins
// like these is the first or the last line of a definition.
const (
	opening = "\n          \"definition\": "
	closing = "\n          }"
)

// matched holds the definitions of a lockfile that were taken out of its text, in the order of the file.
type matched struct {
	at      []int32  // offset of the {} that stands for each in the rest of the text
	texts   [][]byte // as in the file
	lines   []int    // line ends in the first n texts
	buffer  []byte
	pinsOf  func(server string, pol pin.Policy) *pin.Set
	set     *pin.Set // of the server that is being read
	differs bool     // a definition isn't that of the capture
}

// errDiffers ends the reading of a lockfile that isn't that of the captures. Nobody sees it: Read reads the file then.
var errDiffers = errors.New("a definition differs")

// ReadMatch reads a lockfile like Read, but doesn't parse definitions that are, byte for byte, what Marshal
// writes for an entry of the captures: parsing and hashing them would take most of the time of verify.
// pinsOf returns the entries of a server under a policy. Whatever else the file has is read as by
// Read. ok is false if a definition differs, or if the rest of the file is wrong: then Read has to read it.
func ReadMatch(path string, data []byte, formOf pin.FormFunc, pinsOf func(server string, pol pin.Policy) *pin.Set) (l Lockfile, ok bool) {
	m := &matched{pinsOf: pinsOf, lines: []int{0}}
	var rest []byte
	for {
		from := bytes.Index(data, []byte(opening))
		if from < 0 {
			break
		}
		from += len(opening)
		size := bytes.Index(data[from:], []byte(closing))
		if size < 0 {
			return Lockfile{}, false
		}
		text := data[from : from+size+len(closing)]
		rest = append(rest, data[:from]...)
		m.at = append(m.at, int32(len(rest)))
		m.texts = append(m.texts, text)
		m.lines = append(m.lines, m.lines[len(m.lines)-1]+bytes.Count(text, []byte("\n")))
		rest = append(rest, "{}"...)
		data = data[from+len(text):]
	}
	rest = append(rest, data...)
	r := &lockReader{File: fail.NewFile(path, rest), formOf: formOf, defined: map[int32]definedPin{}, matched: m}
	l, err := r.read()
	if err != nil {
		return Lockfile{}, false
	}
	return l, true
}

// definition returns the definition of an entry, if the file has the text that Marshal would write for it.
func (m *matched) definition(key pin.Key, stored jsontree.Value) (d definedPin) {
	n, isTaken := slices.BinarySearch(m.at, stored.At)
	p := m.set.Find(key)
	if p == nil || !isTaken || !m.isText(p.Definition, n) {
		m.differs = true
		return d
	}
	d = definedPin{Form: p.Form, name: key.Name}
	if key.Type == pin.Skills {
		d.skill, d.problem = skill.Read(p.Tree())
	}
	return d
}

// isText reports whether Marshal would write a definition as the nth text.
func (m *matched) isText(definition []byte, n int) bool {
	m.buffer = appendDefinition(m.buffer[:0], definition)
	return bytes.Equal(m.buffer, m.texts[n])
}

// linesBefore counts the lines taken out before an offset of the rest.
func (m *matched) linesBefore(at int32) int {
	n, _ := slices.BinarySearch(m.at, at)
	return m.lines[n]
}
