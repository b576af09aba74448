package lockfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
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

// matched finds the definitions of a lockfile in its file, which is never in memory as a whole.
type matched struct {
	file io.ReaderAt

	// Of each definition, in the order of the file: the offset of the {} that replaces it in the rest
	// of the text, and where it begins and ends in the file.
	at    []int
	spans [][2]int64

	lines         []int // line ends in the first n definitions
	written, read []byte
	listed        EntriesFunc
	set           *pin.Set // of the server that is being read
}

// errDiffers ends the reading of a lockfile that isn't that of the captures. Nobody sees it: Read reads the file then.
var errDiffers = errors.New("a definition differs")

// An EntriesFunc returns the entries of a server's capture under a policy, without any if there is no such capture.
type EntriesFunc func(server string, pol pin.Policy) *pin.Set

// ReadMatch reads a lockfile like Read, if it is, byte for byte, what Marshal writes for the entries of the
// captures and what the file records of them. It doesn't parse the definitions: parsing and hashing them
// would take most of the time of verify. ok is false if the file is anything else: then Read has to read it.
func ReadMatch(path string, file io.ReaderAt, formOf pin.FormFunc, listed EntriesFunc) (l Lockfile, ok bool) {
	m := &matched{file: file, listed: listed, lines: []int{0}}
	rest, err := m.rest()
	if err != nil {
		return Lockfile{}, false
	}
	r := &lockReader{File: fail.NewFile(path, rest), formOf: formOf, matched: m}
	l, _, err = r.read(rest)
	if err != nil || !bytes.Equal(append(l.frame(len(rest)), '\n'), rest) {
		return Lockfile{}, false
	}
	return l, true
}

// rest returns the text of the file with {} in place of each definition.
func (m *matched) rest() (rest []byte, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(m.file, 0, math.MaxInt64), 64<<10)
	at := int64(0)
	lines := 0
	begins := true // a line begins
	inside := false
	for err == nil || err == bufio.ErrBufferFull {
		var piece []byte // a part of a line that is longer than the buffer
		piece, err = in.ReadSlice('\n')
		switch {
		case !inside && begins && bytes.HasPrefix(piece, []byte(opening)):
			inside = true
			m.at = append(m.at, len(rest)+len(opening))
			m.spans = append(m.spans, [2]int64{at + int64(len(opening))})
			rest = append(rest, opening+placeholder...)
		case !inside:
			rest = append(rest, piece...)
		case begins && bytes.HasPrefix(piece, []byte(closing)):
			inside = false
			m.spans[len(m.spans)-1][1] = at + int64(len(closing))
			m.lines = append(m.lines, lines)
			rest = append(rest, piece[len(closing):]...)
		}
		at += int64(len(piece))
		if begins = err == nil; begins && inside {
			lines++
		}
	}
	if err == io.EOF && !inside {
		return rest, nil
	}
	return nil, errDiffers
}

// definition returns the n-th definition of the file if it is, as Marshal would write it, that of an entry.
func (m *matched) definition(key pin.Key, n int) (d definedPin, err error) {
	p := m.set.Find(key)
	if p == nil || n >= len(m.spans) {
		return d, errDiffers
	}
	m.written = appendDefinition(m.written[:0], p.Definition)
	span := m.spans[n]
	if int64(len(m.written)) != span[1]-span[0] {
		return d, errDiffers
	}
	m.read = slices.Grow(m.read[:0], len(m.written))[:len(m.written)]
	if _, err := m.file.ReadAt(m.read, span[0]); err != nil || !bytes.Equal(m.written, m.read) {
		return d, errDiffers
	}
	return definedPin{Form: p.Form, name: key.Name}, nil
}

// linesBefore counts the lines taken out before an offset of the rest.
func (m *matched) linesBefore(at int) int {
	n, _ := slices.BinarySearch(m.at, at)
	return m.lines[n]
}
