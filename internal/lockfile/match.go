package lockfile

import (
	"bytes"
	"errors"
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
)

// Lines of a lockfile as Marshal writes it: no string contains a line end, so each line that begins
// like these is the first or the last line of a definition.
const (
	opening = "          \"definition\": "
	closing = "          }"
)

// matched has the text of a lockfile without the definitions, and finds these in the file.
type matched struct {
	data []byte
	rest []byte // the text with {} in place of each definition

	// Of each definition, in the order of the file: the offset of its {} in rest, and where it is in data.
	at    []int
	spans [][2]int

	buffer []byte
	listed EntriesFunc
	set    *pin.Set // of the server that is being read
}

// errDiffers ends the reading of a lockfile that isn't that of the captures. Nobody sees it: Read reads the file then.
var errDiffers = errors.New("a definition differs")

// An EntriesFunc returns the entries of a server's capture under a policy, without any if there is no such capture.
type EntriesFunc func(server string, pol pin.Policy) *pin.Set

// ReadMatch reads a lockfile like Read, if it is, byte for byte, what Marshal writes for the entries of the
// captures and what the file records of them. It doesn't parse the definitions: parsing and hashing them
// would take most of the time of verify. ok is false if the file is anything else: then Read has to read it.
func ReadMatch(path string, data []byte, formOf pin.FormFunc, listed EntriesFunc) (l Lockfile, ok bool) {
	m := &matched{data: data, listed: listed}
	if !m.split() {
		return Lockfile{}, false
	}
	r := &lockReader{File: fail.NewFile(path, data), formOf: formOf, matched: m}
	l, _, err := r.read(m.rest)
	if err != nil || !bytes.Equal(append(l.frame(len(m.rest)), '\n'), m.rest) {
		return Lockfile{}, false
	}
	return l, true
}

// split finds the definitions. It returns false if the last one has no end.
func (m *matched) split() bool {
	m.rest = make([]byte, 0, len(m.data)/8)
	inside := false
	at := 0
	for line := range bytes.Lines(m.data) {
		switch {
		case !inside && bytes.HasPrefix(line, []byte(opening)):
			inside = true
			m.rest = append(m.rest, opening...)
			m.at = append(m.at, len(m.rest))
			m.spans = append(m.spans, [2]int{at + len(opening)})
			m.rest = append(m.rest, placeholder...)
		case !inside:
			m.rest = append(m.rest, line...)
		case bytes.HasPrefix(line, []byte(closing)):
			inside = false
			m.spans[len(m.spans)-1][1] = at + len(closing)
			m.rest = append(m.rest, line[len(closing):]...)
		}
		at += len(line)
	}
	return !inside
}

// definition returns the n-th definition of the file if it is, as Marshal would write it, that of an entry.
func (m *matched) definition(key pin.Key, n int) (d definedPin, err error) {
	p := m.set.Find(key)
	if p == nil || n >= len(m.spans) {
		return d, errDiffers
	}
	m.buffer = appendDefinition(m.buffer[:0], p.Definition)
	if !bytes.Equal(m.buffer, m.data[m.spans[n][0]:m.spans[n][1]]) {
		return d, errDiffers
	}
	return definedPin{Form: p.Form, name: key.Name}, nil
}

// inData returns the offset in the file of an offset in the rest.
func (m *matched) inData(at int) int {
	n, _ := slices.BinarySearch(m.at, at)
	if n > 0 {
		at += m.spans[n-1][1] - m.at[n-1] - len(placeholder)
	}
	return at
}
