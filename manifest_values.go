package main

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
)

// A stream is a file of JSON values, one after another, line by line or in an
// event stream. It knows where it is, for messages.
type stream struct {
	path  string
	data  []byte
	json  *jsonReader
	noise int // lines and values passed over

	settling            *sync.WaitGroup // the entries read so far
	at, line, lineStart int             // where position has got to
}

func newStream(path string, data []byte) stream {
	return stream{path: path, data: data, line: 1, settling: &sync.WaitGroup{}}
}

const captureHint = "save a server's answer first: pinproof-capture OUT.jsonl -- COMMAND"

// read has the values of data read as messages, the entries of their lists as
// definitions.
func (s *stream) read(data []byte) {
	s.data, s.json = data, newJSONReader(data)
	s.json.bounded = true
	batch := false
	s.json.isDefinition = func(path []pathStep) bool {
		_, ok := listOf(path)
		if ok && len(path) == 1 {
			if path[0].index == 0 {
				batch = opensBatch(data, s.json.start)
			}
			return !batch
		}
		return ok
	}
	s.json.settle = func(path []pathStep, v *value) *settled {
		list, _ := listOf(path)
		entry := &settled{}
		if len(data) > smallFile {
			entry.settle(list, v)
		} else {
			entry.parsed = v
			s.settling.Go(func() { entry.settle(list, v) }) // the tree is kept: reading can go on
		}
		return entry
	}
}

// values finds the JSON values of the file. Each was read strictly.
func (s *stream) values() ([]value, error) {
	defer s.settling.Wait()
	if len(s.data) > maxManifestBytes {
		return nil, s.failAt(-1, "more than 64 MiB: not one server's list of tools")
	}
	if bytes.Count(s.data, []byte(",")) > maxCommas {
		return nil, s.failAt(-1, "more than 8 million values: not one server's list of tools")
	}
	if err := s.notJSON(); err != nil {
		return nil, err
	}
	s.read(bytes.TrimPrefix(s.data, []byte("\ufeff")))
	values, err := s.sequence()
	var bad *readError
	switch {
	case err == nil:
		return values, nil
	case !errors.As(err, &bad):
		return nil, err
	case !bad.grammar && grammatical(s.data):
		return nil, s.refuse(bad)
	}
	events, err := s.eventStream()
	if err != nil {
		return nil, err
	}
	if events != nil {
		s.read(events)
		values, err = s.events()
	} else {
		values, err = s.lines()
	}
	if err == nil && len(values) > 0 {
		return values, nil
	}
	// One value over several lines that breaks off inside is better told where
	// it breaks than as lines of noise.
	if bytes.ContainsAny(s.data[bad.from:bad.at], "\r\n") || err == nil && (s.noise < 2 || nearlyJSON(s.data)) {
		return nil, s.refuse(bad).hint("%s", captureHint)
	}
	return nil, err
}

// nearlyJSON reports whether a file begins as JSON with comments, JSON5 or the like
// do, rather than as a server's log.
func nearlyJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	for _, begin := range []string{"{", "[\n", "[\r", "[ ", "[{", "//", "/*"} {
		if bytes.HasPrefix(data, []byte(begin)) {
			return true
		}
	}
	return false
}

// failAt is an error at an offset, or of the file as a whole where at is -1.
func (s *stream) failAt(at int, format string, args ...any) *failure {
	where := printable(s.path)
	if at >= 0 {
		line, column := s.position(at)
		where += ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
	}
	return failIn(where, format, args...)
}

// refuse says where strict reading stopped, and in which entry.
func (s *stream) refuse(bad *readError) *failure {
	if bad.inside == nil {
		return s.failAt(bad.at, "%s", bad.text)
	}
	list, _ := listOf(bad.inside.path)
	name := entryNamed(list, bad.inside.name)
	if bad.inside.name == "" && !bad.limit {
		return s.failAt(bad.at, "%s", bad.text)
	}
	if bad.limit {
		name = listInfo[list].entry + " " + strconv.Itoa(bad.inside.path[len(bad.inside.path)-1].index+1) + " of the list"
	}
	return s.failAt(bad.at, "%s: %s", name, bad.text)
}

// position counts lines as editors do, ended by LF, CRLF or a lone CR.
func (s *stream) position(at int) (line, column int) {
	if at < s.at {
		s.at, s.line, s.lineStart = 0, 1, 0
	}
	passed := s.data[s.at:at]
	last := -1
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		s.line += n
		last = bytes.LastIndexByte(passed, '\n')
	}
	for i := 0; ; i++ {
		next := bytes.IndexByte(passed[i:], '\r')
		if next < 0 {
			break
		}
		i += next
		if behind := s.at + i + 1; behind == len(s.data) || s.data[behind] != '\n' {
			s.line++
			last = max(last, i)
		}
	}
	if last >= 0 {
		s.lineStart = s.at + last + 1
	}
	s.at = at
	return s.line, at - s.lineStart + 1
}

// notJSON names what people hand over by mistake.
func (s *stream) notJSON() error {
	head := bytes.ToLower(bytes.TrimLeft(s.data[:min(len(s.data), 512)], " \t\r\n\ufeff"))
	at := func(magic string) bool { return bytes.HasPrefix(s.data, []byte(magic)) }
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(s.data, []byte("\ufeff")))) == 0:
		return s.failAt(-1, "empty: the server printed nothing").hint("see what the server wrote to its standard error")
	case at("\xff\xfe"), at("\xfe\xff"), len(s.data) > 1 && (s.data[0] == 0 || s.data[1] == 0):
		return s.failAt(-1, "UTF-16 text; JSON is UTF-8").hint("in PowerShell, save with: | Out-File -Encoding utf8NoBOM")
	case at("\x1f\x8b"):
		return s.failAt(-1, "gzip data").hint("unpack it first: gunzip -c %s > OUT.json", shellPath(s.path))
	case at("PK\x03\x04"):
		return s.failAt(-1, "a zip archive (an MCP bundle?), not an answer to tools/list").hint("%s", captureHint)
	case bytes.HasPrefix(head, []byte("<!doctype")), bytes.HasPrefix(head, []byte("<html")), bytes.HasPrefix(head, []byte("<?xml")):
		return s.failAt(-1, "a web page, not an answer to tools/list: the address or the login was wrong").hint("%s", captureHint)
	}
	return nil
}

// sequence reads the file as JSON values one after another.
func (s *stream) sequence() ([]value, error) {
	var values []value
	for at := 0; ; {
		v, err := s.json.next(at, len(s.data))
		if err == io.EOF {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		if values = append(values, v); len(values) > maxMessages {
			return nil, s.failAt(int(v.at), "more than 100,000 messages")
		}
		at = int(v.end)
	}
}

// lines reads the file line by line: a stdio transcript. A line is noise only if
// it can't be a message; every other line is read strictly.
func (s *stream) lines() ([]value, error) {
	if at := s.splitByCR(); at >= 0 {
		return nil, s.failAt(at, "a message with a carriage return inside: clients end lines there, or they don't").hint("%s", captureHint)
	}
	return s.pieces(func(at int) int {
		if end := bytes.IndexAny(s.data[at:], "\r\n"); end >= 0 {
			return at + end
		}
		return len(s.data)
	})
}

// splitByCR finds a line, ended by LF, in which a client that doesn't end lines at a
// lone CR could read a message that one which does so doesn't see. It returns -1 if
// there is none.
func (s *stream) splitByCR() int {
	for at := 0; at < len(s.data); {
		end := bytes.IndexByte(s.data[at:], '\n')
		if end < 0 {
			end = len(s.data)
		} else {
			end += at
		}
		line := bytes.Trim(s.data[at:end], "\r")
		if bytes.IndexByte(line, '\r') >= 0 {
			noise := [][]byte{}
			for _, piece := range bytes.Split(line, []byte("\r")) {
				if !grammatical(piece) {
					noise = append(noise, piece)
				}
			}
			if rest := bytes.Join(noise, nil); len(noise) > 0 && (grammatical(line) || bytes.Contains([]byte(foldASCII(looselyUnescaped(rest))), []byte(`"result"`))) {
				return at
			}
		}
		at = end + 1
	}
	return -1
}

// pieces reads the file piece by piece; end gives the offset where the one that
// begins at an offset ends.
func (s *stream) pieces(end func(at int) int) ([]value, error) {
	var values []value
	for at := 0; at < len(s.data); {
		to := end(at)
		v, err := s.whole(at, to)
		if err != nil {
			return nil, err
		}
		if v.kind != 0 {
			values = append(values, v)
		}
		if len(values) > maxMessages {
			return nil, s.failAt(at, "more than 100,000 messages")
		}
		at = to + 1
	}
	return values, nil
}

// whole reads data[at:end] as one value, or passes it over as noise.
func (s *stream) whole(at, end int) (value, error) {
	if len(bytes.TrimLeft(s.data[at:end], " \t\r\n")) == 0 {
		return value{}, nil
	}
	if !couldBeMessage(s.data[at:end]) {
		if hidesAnswer(s.data[at:end]) {
			return value{}, s.failAt(at, "a line that is no message, but holds one: some clients could read the answer in it").
				hint("%s", captureHint)
		}
		s.noise++
		return value{}, nil
	}
	v, err := s.json.next(at, end)
	if err != nil {
		return value{}, s.refuse(err.(*readError))
	}
	if rest := bytes.TrimLeft(s.data[v.end:end], " \t\r\n"); len(rest) > 0 {
		return value{}, s.failAt(end-len(rest), "trailing data after a message")
	}
	return v, nil
}

// hidesAnswer reports whether a message with a result and a list in it could be read
// in a line of noise: a client may skip a prefix, or end lines where we don't (at
// U+0085, U+2028, a form feed, as Python's splitlines does). Escapes and letter
// case don't hide it.
func hidesAnswer(line []byte) bool {
	if bytes.IndexByte(line, '{') < 0 {
		return false
	}
	text := foldASCII(looselyUnescaped(line))
	if !strings.Contains(text, `"result"`) {
		return false
	}
	for list := range listKinds {
		if strings.Contains(text, `"`+strings.ToLower(listInfo[list].member)+`"`) {
			return true
		}
	}
	return false
}

// looselyUnescaped replaces \uXXXX escapes in text that may not be JSON.
func looselyUnescaped(line []byte) string {
	var b strings.Builder
	for {
		at := bytes.Index(line, []byte(`\u`))
		if at < 0 {
			b.Write(line)
			return b.String()
		}
		b.Write(line[:at])
		line = line[at:]
		if r, ok := unicodeEscape(line); ok {
			b.WriteRune(r)
			line = line[6:]
		} else {
			b.Write(line[:2])
			line = line[2:]
		}
	}
}

func couldBeMessage(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r\n")
	if len(line) == 0 {
		return false
	}
	next := bytes.TrimLeft(line[1:], " \t\r\n")
	switch line[0] {
	case '{':
		return len(next) > 0 && (next[0] == '"' || next[0] == '}')
	case '[':
		return len(next) > 0 && next[0] == '{'
	}
	return false
}

// eventStream returns the file with everything but the events' data blanked out,
// so that offsets stay true, or nil if it isn't a saved event stream (WHATWG HTML,
// section 9.2). Events of another type than "message" are no messages; a type that
// is "message" only once it is trimmed or folded is one to some clients, and refused.
func (s *stream) eventStream() ([]byte, error) {
	data := s.data
	out := bytes.Repeat([]byte(" "), len(data))
	found, odd := false, -1 // odd: where a type is ambiguous
	event, from := "", 0    // the type and the begin of the current event
	dispatch := func(to int) {
		if event != "" && event != "message" {
			blank(out[from:to])
		}
	}
	for at := 0; at < len(data); {
		end := bytes.IndexAny(data[at:], "\r\n")
		if end < 0 {
			end = len(data)
		} else {
			end += at
			out[end] = data[end]
		}
		field, value, _ := bytes.Cut(data[at:end], []byte(":"))
		switch string(field) {
		case "data":
			found = true
			copy(out[end-len(value):end], value)
		case "event":
			event = strings.TrimPrefix(string(value), " ")
			if trimmed := strings.TrimSpace(event); event != "message" && (folds(trimmed, "message") || trimmed == "" && event != "") {
				odd = at
			}
		case "id", "retry":
			if hidesAnswer(data[at:end]) {
				odd = at
			}
		case "":
			if hidesAnswer(data[at:end]) {
				odd = at
			}
			if at == end && (at == 0 || data[at-1] != '\r' || data[at] != '\n') {
				dispatch(at)
				event, from = "", end
			}
		default:
			return nil, nil
		}
		at = end + 1
	}
	dispatch(len(data))
	switch {
	case !found:
		return nil, nil
	case odd >= 0:
		return nil, s.failAt(odd, "an event that only some clients read as a message").hint("%s", captureHint)
	}
	return out, nil
}

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// events reads what eventStream left: events end at an empty line, and blanked
// lines are not empty.
func (s *stream) events() ([]value, error) {
	return s.pieces(func(at int) int { return eventEnd(s.data, at) })
}

func eventEnd(data []byte, at int) int {
	for i := at; i < len(data); i++ {
		if data[i] != '\n' && data[i] != '\r' {
			continue
		}
		next := i + 1
		if data[i] == '\r' && next < len(data) && data[next] == '\n' {
			next++
		}
		if next < len(data) && (data[next] == '\n' || data[next] == '\r') {
			return next
		}
		i = next - 1
	}
	return len(data)
}
