package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A stream is a file of JSON values, one after another, line by line or in an event
// stream.
type stream struct {
	textFile
	json    *jsonReader
	formOf  formFunc
	defined []*entry // the definitions, in the order of the file
	noise   int      // lines and values passed over
}

// A formFunc makes the hashed form of a definition. It may sort the members of v.
type formFunc func(list listKind, v *value) form

func newStream(path string, data []byte, formOf formFunc) stream {
	return stream{textFile: newTextFile(path, data), formOf: formOf}
}

const captureHint = "save a server's answer first: pinproof-capture OUT.jsonl -- COMMAND"

// read prepares reading data: its values are messages, and the entries of their lists
// are definitions.
func (s *stream) read(data []byte) {
	s.data, s.json, s.defined = data, newJSONReader(data), nil
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
	s.json.definition = func(path []pathStep, v *value) bool {
		list, _ := listOf(path)
		e := newEntry(list, v, s.formOf)
		if len(data) <= smallFile {
			e.parsed = v
		}
		s.defined = append(s.defined, e)
		return e.parsed != nil
	}
}

// entryAt returns the definition that begins at an offset, or nil.
func (s *stream) entryAt(at int32) *entry {
	i, ok := slices.BinarySearchFunc(s.defined, at, func(e *entry, at int32) int { return int(e.at - at) })
	if !ok {
		return nil
	}
	return s.defined[i]
}

// values returns the JSON values of the file, each of them read strictly.
func (s *stream) values() ([]value, error) {
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
	bad, refused := errors.AsType[*readError](err)
	switch {
	case !refused:
		return values, cmp.Or(err, s.refuseInside(values))
	case !bad.grammar && grammatical(s.data):
		return nil, s.refuse(bad)
	}
	events, err := s.eventStream()
	if err != nil {
		return nil, err
	}
	if events != nil {
		s.read(events)
		values, err = s.pieces(eventEnd)
	} else {
		values, err = s.lines()
	}
	if err == nil && len(values) > 0 {
		return values, s.refuseInside(values)
	}
	// If one value over several lines breaks off, the place where it does helps more than
	// to hear of lines of noise.
	if bytes.ContainsAny(s.data[bad.from:bad.at], "\r\n") || err == nil && (s.noise < 2 || nearlyJSON(s.data)) {
		return nil, s.refuse(bad).hint("%s", captureHint)
	}
	return nil, err
}

// nearlyJSON reports whether a file begins like JSON, with comments or as JSON5 perhaps,
// rather than like a server's log.
func nearlyJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return slices.ContainsFunc([]string{"{", "[\n", "[\r", "[ ", "[{", "//", "/*"}, func(begin string) bool {
		return bytes.HasPrefix(data, []byte(begin))
	})
}

// refuse says where strict reading stopped, and in which entry.
func (s *stream) refuse(bad *readError) *userError {
	in := bad.inside
	if in == nil || in.name == "" && !bad.limit {
		return s.failAt(bad.at, "%s", bad.text)
	}
	list, _ := listOf(in.path)
	name := entryNamed(list, in.name)
	if bad.limit {
		name = listInfo[list].entry + " " + strconv.Itoa(in.path[len(in.path)-1].index+1) + " of the list"
	}
	return s.failAt(bad.at, "%s: %s", name, bad.text)
}

// notJSON recognises what people hand over by mistake, or returns nil.
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
	return s.pieces(lineEnd)
}

// lineEnd returns the offset where the line that begins at data[at] ends.
func lineEnd(data []byte, at int) int {
	if end := bytes.IndexAny(data[at:], "\r\n"); end >= 0 {
		return at + end
	}
	return len(data)
}

// splitByCR returns the offset of a line that some clients could read as a message and
// others as noise, or -1. LF ends such a line, and there is a lone CR in it: some clients
// end lines there, too.
func (s *stream) splitByCR() int {
	at := 0
	for whole := range bytes.Lines(s.data) {
		line := bytes.Trim(whole, "\r\n")
		if bytes.IndexByte(line, '\r') >= 0 {
			noise := slices.DeleteFunc(bytes.Split(line, []byte("\r")), grammatical)
			rest := foldASCII(looselyUnescaped(bytes.Join(noise, nil)))
			if len(noise) > 0 && (grammatical(line) || strings.Contains(rest, `"result"`)) {
				return at
			}
		}
		at += len(whole)
	}
	return -1
}

// pieces reads the file piece by piece. end returns the offset where the piece that
// begins at data[at] ends.
func (s *stream) pieces(end func(data []byte, at int) int) ([]value, error) {
	var values []value
	for at := 0; at < len(s.data); {
		to := end(s.data, at)
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

// whole reads data[at:end] as one value. The result is absent for blanks, and for noise.
func (s *stream) whole(at, end int) (value, error) {
	piece := bytes.TrimLeft(s.data[at:end], " \t\r\n")
	switch {
	case len(piece) == 0:
		return value{}, nil
	case !couldBeMessage(piece) && hidesAnswer(piece):
		return value{}, s.failAt(at, "a line that is no message, but holds one: some clients could read the answer in it").
			hint("%s", captureHint)
	case !couldBeMessage(piece):
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

// refuseInside refuses an answer that is a line of its own inside a value over several
// lines. Clients of a stdio session read line by line: they take it for a message, and
// pass over the rest of the value.
func (s *stream) refuseInside(values []value) error {
	for i := range values {
		v := &values[i]
		for _, ends := range []string{"\n", "\r\n"} { // some clients end lines at a lone CR, too
			if bytes.IndexByte(s.data[v.at:v.end], ends[0]) < 0 {
				continue // one line, or seen already
			}
			for at, end := int(v.at), int(v.end); at < end; {
				line := s.data[at:end]
				if n := bytes.IndexAny(line, ends); n >= 0 {
					line = line[:n]
				}
				at += len(line) + 1
				line = bytes.TrimLeft(line, " \t\r\n")
				if begin := at - 1 - len(line); isAnswer(line) && !s.isMessageAt(v, begin) {
					return s.failAt(begin, "a line inside a value that is an answer by itself: clients that read line by line would take it").
						hint("%s", captureHint)
				}
			}
		}
	}
	return nil
}

// isMessageAt reports whether a value of the file, or an element of it if it is a batch,
// begins at an offset.
func (s *stream) isMessageAt(v *value, at int) bool {
	items := v.items()
	if len(items) > 0 && s.entryAt(items[0].at) != nil {
		items = nil // a list of tools
	}
	_, found := slices.BinarySearchFunc(items, at, func(item namedValue, at int) int { return int(item.at) - at })
	return found || at == int(v.at)
}

// isAnswer reports whether a line begins like an answer to a request, or like a batch that
// holds one.
func isAnswer(line []byte) bool {
	if len(line) == 0 || !couldBeMessage(line) {
		return false
	}
	id, result := line[0] == '[', line[0] == '['
	eachMember(line, func(name string, _ int) { id, result = id || folds(name, "id"), result || folds(name, "result") })
	return id && result && hidesAnswer(line)
}

// hidesAnswer reports whether a client could find an answer, a result with a list, in a
// line that we take for noise. Clients may skip a prefix, or end lines where we don't:
// Python's splitlines does at U+0085, U+2028 and form feeds. Escapes and letter case
// don't hide an answer.
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

// couldBeMessage reports whether a piece begins like an object or like an array of
// objects. The piece begins with no blank.
func couldBeMessage(piece []byte) bool {
	next := bytes.TrimLeft(piece[1:], " \t\r\n")
	switch string(piece[:1]) + string(next[:min(1, len(next))]) {
	case `{"`, `{}`, `[{`:
		return true
	}
	return false
}

// eventStream returns the file with everything but the events' data blanked out, so
// that offsets stay true, or nil if it isn't a saved event stream (WHATWG HTML, section
// 9.2). Only events of the type "message" are messages. A type that is "message" only
// after trimming or case folding is refused: some clients take the event for a message.
func (s *stream) eventStream() ([]byte, error) {
	data := s.data
	out := bytes.Repeat([]byte(" "), len(data))
	found, odd := false, -1 // odd: offset of what only some clients read as a message
	event, from := "", 0    // the type of the current event, and where it begins
	dispatch := func(to int) {
		if event != "" && event != "message" {
			blank(out[from:to])
		}
	}
	for at := 0; at < len(data); {
		end := lineEnd(data, at)
		if end < len(data) {
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
		case "id", "retry", "":
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

// eventEnd returns the offset where the event that begins at data[at] ends: at an empty
// line. Lines that eventStream blanked are not empty. A line is empty if its end
// directly follows the end of another line and the two are not one CR LF.
func eventEnd(data []byte, at int) int {
	for i := at + 1; i < len(data); i++ {
		last, c := data[i-1], data[i]
		if (c == '\n' || c == '\r') && (last == '\n' || last == '\r' && c == '\r') {
			return i
		}
	}
	return len(data)
}
