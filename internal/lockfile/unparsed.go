package lockfile

import (
	"bufio"
	"bytes"
	"io"
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// Unparsed reads a lockfile without parsing it, because parsing takes most of the time of verify.
// It assumes the usual case: the lockfile is what Marshal writes for the pins of these captures
// under the default policy, with what the file records of their approval. It writes that text,
// piece by piece, and compares the file with it.
//
// That is safe, because only a file that is the same to the last byte passes. Read takes from
// such a text the pins that Marshal was given, so these pins are what the file says. In any other
// case (drift, a policy, a layout by hand, a record or a number of values beyond a limit) ok is
// false, and the caller parses the file. FuzzUnparsed compares both ways.
//
// servers are the server IDs of the captures, sorted, none twice. If there is only one capture, the
// ID of the lockfile's first server is taken instead. pinsOf makes the pins of a capture under its
// server ID.
func Unparsed(lockfile io.Reader, servers []string, pinsOf func(capture int, server string) (pin.Set, error)) (l Lockfile, ok bool) {
	file := bufio.NewReaderSize(lockfile, 64<<10)
	if len(servers) == 1 {
		head, _ := file.Peek(file.Size())
		head, _ = bytes.CutPrefix(head, []byte("{\n  \"lockfileVersion\": 1,\n  \"servers\": {\n    "))
		id := first(head)
		servers = []string{jsontree.TextOf(&id)}
	}
	for i, server := range servers {
		set, err := pinsOf(i, server)
		if err != nil || server == "" || len(server) > jsontree.MaxServerIDBytes || set.Repeated() {
			return Lockfile{}, false
		}
		set.About = pin.About{}
		for i := range set.Pins {
			set.Pins[i].Received = nil
			set.Pins[i].Column = 0
		}
		l.Servers = append(l.Servers, set)
	}
	if len(servers) == 0 || len(servers) > jsontree.MaxEntries || !l.isExactly(file) {
		return Lockfile{}, false
	}
	// This is at least what the parser counts outside definitions.
	values := 0
	for _, s := range l.Servers {
		values += 20 + len(s.Accepted)
		for _, p := range s.Pins {
			values += 10 + len(p.Accepted) + len(p.Files)
		}
	}
	return l, values <= jsontree.MaxKept
}

// isExactly reports whether a file has exactly the bytes that Marshal writes for l, given the
// accepted warnings, approvals and names that the file records. It sets those in l, and the lines of
// l's pins. Neither text is ever in memory whole.
func (l Lockfile) isExactly(file *bufio.Reader) bool {
	same := true
	read := []byte(nil)
	w := &lockWriter{file: file, emit: func(text []byte) bool {
		read = slices.Grow(read[:0], len(text))[:len(text)]
		_, err := io.ReadFull(file, read)
		same = same && err == nil && bytes.Equal(read, text)
		return same
	}}
	w.lockfile(l)
	_, err := file.ReadByte()
	return same && err == io.EOF
}

// recorded returns the value of a member, if the file that the text is held against has that
// member next. The caller writes what it makes of the value, so that is compared with the file, too.
func (w *lockWriter) recorded(name string) (value jsontree.Value, ok bool) {
	if w.file == nil || !w.flush() {
		return value, false
	}
	ahead := *w
	ahead.member(name, "")
	// If a record is longer than this, the lockfile is parsed.
	next, _ := w.file.Peek(4 << 10)
	if next, ok = bytes.CutPrefix(next, ahead.out); ok {
		value = first(next)
	}
	return value, ok
}
