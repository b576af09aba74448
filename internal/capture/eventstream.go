package capture

import (
	"bytes"
	"strings"
	"unicode"
)

// eventStream returns a copy of the file in which spaces replace everything but the data of messages, so that
// offsets stay valid. It returns nil if the file isn't an event stream (WHATWG HTML, section 9.2).
//
// Clients differ in how they read a stream: some end lines at other characters, ignore or trim an event's type,
// accept an event that no empty line ends, or skip whitespace and byte order marks before a field. An event
// that clients could read differently is blanked out or, if it could contain a result, an error. A result
// outside of any event is an error, too.
func (s *ScannedCapture) eventStream(isStream bool) ([]byte, error) {
	// Some clients could find an event even in a file that isn't an event stream.
	for line := range bytes.Lines(s.Data) {
		isStream = isStream || bytes.HasPrefix(line, []byte("data:")) && bytes.IndexByte(line, '{') >= 0
	}
	out := bytes.Repeat([]byte(" "), len(s.Data))
	var event savedEvent
	dispatch := func(to int, ended bool) error {
		data := out[event.from:to]
		if !ended || event.doubtful() {
			if spellsResult(data) {
				what := "an event that only some clients read as a message"
				if !ended {
					what += ": no empty line ends it"
				}
				return s.notCapture(event.from+len(data)-len(bytes.TrimLeft(data, " \r\n")), "%s", what)
			}
			blank(data)
		}
		event = savedEvent{from: to}
		return nil
	}
	at := 0
	for whole := range bytes.Lines(s.Data) {
		line, ended := bytes.CutSuffix(whole, []byte("\n"))
		if ended {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		copy(out[at+len(line):], whole[len(line):])
		if cr := bytes.IndexByte(line, '\r'); isStream && cr >= 0 {
			return nil, s.notCapture(at+cr, "a lone carriage return in an event stream: some clients end a line there, others don't")
		}
		field, text, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0:
			if err := dispatch(at, true); err != nil {
				return nil, err
			}
		case string(field) == "data":
			event.lines++
			copy(out[at+len(line)-len(text):], text)
		case hidesData(line):
			event.hidden = true
			copy(out[at:], line)
		case isStream && spellsResult(line):
			return nil, s.notCapture(at, "a line that isn't a message but contains one: some clients could read the answer in it")
		case string(field) == "event":
			event.kind = string(bytes.TrimPrefix(text, []byte(" ")))
		}
		event.split = event.split || isStream && len(line) > 0 && (bytes.ContainsFunc(line, endsLine) || len(bytes.TrimLeftFunc(line, isMargin)) == 0)
		at += len(whole)
	}
	if err := dispatch(at, false); err != nil || !isStream {
		return nil, err
	}
	return out, nil
}

// A savedEvent is an event of a saved stream, as far as it was read.
type savedEvent struct {
	from  int    // where it begins
	kind  string // its type
	lines int    // the number of its data lines

	// It has a line that only some clients read as data.
	hidden bool

	// Some clients may see an empty line in it.
	split bool
}

// doubtful reports whether clients read the event in different ways, or some don't recognize it.
func (e *savedEvent) doubtful() bool {
	return e.kind != "" && e.kind != "message" || e.hidden || e.split && e.lines > 1
}

// hidesData reports whether a line contains "data:" where only some clients recognize it: after leading whitespace, or
// after a character that ends a line for these clients.
func hidesData(line []byte) bool {
	name := []byte("data:")
	for at := 0; ; at += len(name) {
		next := bytes.Index(line[at:], name)
		if next < 0 {
			return false
		}
		at += next
		margin := len(bytes.TrimRightFunc(line[:at], isMargin))
		if margin == 0 || bytes.ContainsFunc(line[margin:at], endsLine) {
			return true
		}
	}
}

// endsLine reports whether some clients end a line at r. Python's splitlines ends a line at each of these characters.
// CR and LF are handled elsewhere.
func endsLine(r rune) bool { return strings.ContainsRune("\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) }

// isMargin reports whether some clients skip r before a field.
func isMargin(r rune) bool { return r <= ' ' || unicode.IsSpace(r) || r == '\ufeff' }

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// eventEnd returns the offset where the event that begins at data[at] ends: at an empty
// line, ended by LF or CRLF. Lines that eventStream blanked are not empty.
func eventEnd(data []byte, at int) int {
	for i := at + 1; i < len(data); i++ {
		if data[i-1] == '\n' && (data[i] == '\n' || data[i] == '\r') {
			return i
		}
	}
	return len(data)
}
