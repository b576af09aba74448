package capture

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// Limits of a capture.
const (
	MaxBytes = 64 << 20 // all of it is in memory at once

	// The number of commas limits the number of values before any value is read. 64 MiB of real tools have 5 million
	// commas.
	maxCommas = 8_000_000

	maxMessages = 100_000 // JSON values one after another
	maxMembers  = 10_000  // of a message or its result
)

// CaptureHint is the hint on how to save a server's responses.
const CaptureHint = "save a server's answer first: pinproof-capture save OUT.jsonl -- COMMAND"

// notCapture returns the error of ErrorAt with CaptureHint added.
func (s *ScannedCapture) notCapture(at int, format string, args ...any) *fail.Error {
	return s.ErrorAt(at, format, args...).Hint(CaptureHint)
}

// readValues returns the JSON values of the file, each of them read strictly.
func (s *ScannedCapture) readValues() ([]jsontree.Value, error) {
	if len(s.Data) > MaxBytes {
		return nil, s.ErrorAt(-1, "more than 64 MiB: not one server's list of tools")
	}
	if bytes.Count(s.Data, []byte(",")) > maxCommas {
		return nil, s.ErrorAt(-1, "more than 8 million values: not one server's list of tools")
	}
	if err := s.notJSON(); err != nil {
		return nil, err
	}
	s.read(bytes.TrimPrefix(s.Data, []byte("\ufeff")))
	values, err := s.sequence()
	bad, refused := errors.AsType[*jsontree.Error](err)
	if !refused {
		return values, cmp.Or(err, s.refuseInside(values))
	}
	// A conflict marker isn't JSON, and would be skipped as noise between messages.
	if at := text.ConflictMarker(s.Data); at >= 0 {
		return nil, s.ErrorAt(at, "merge conflict markers were left in").Hint("take one side whole, or capture again: pinproof-capture save %s -- COMMAND", shell.QuotePath(s.Path))
	}
	if !bad.Grammar && jsontree.IsGrammatical(s.Data) {
		return nil, bad
	}
	events, err := s.eventStream(false)
	if err != nil {
		return nil, err
	}
	data := s.Data
	end := lineEnd
	if events != nil {
		data = events
		end = eventEnd
	} else {
		err = s.splitByCR()
	}
	if err == nil {
		s.read(data)
		values, err = s.pieces(end)
	}
	if err == nil && len(values) > 0 {
		return values, s.refuseInside(values)
	}
	isNamed := func(name string) bool { return bytes.Contains(s.Data, []byte(`{"`+name+`"`)) }
	if events == nil && !bad.Limit && !nearlyJSON(s.Data) && !slices.ContainsFunc(slices.Concat(pin.MessageMembers, pin.ResultMembers), isNamed) {
		return nil, s.notCapture(-1, "no JSON at all, so no answer to tools/list")
	}
	// If a value over several lines is incomplete, report where it ends rather than noise.
	if bytes.ContainsAny(s.Data[bad.From:bad.Offset], "\r\n") || err == nil && (s.noise < 2 || nearlyJSON(s.Data)) {
		return nil, s.refuse(bad).Hint(CaptureHint)
	}
	return nil, err
}

// nearlyJSON reports whether a file begins like JSON, perhaps with comments or as JSON5, rather than like a server's
// log.
func nearlyJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return slices.ContainsFunc([]string{"{", "[\n", "[\r", "[ ", "[{", "//", "/*"}, func(begin string) bool {
		return bytes.HasPrefix(data, []byte(begin))
	})
}

// located adds its place in the file to an error about a value. Other errors already have a place.
func (s *ScannedCapture) located(err error) error {
	if bad, ok := errors.AsType[*jsontree.Error](err); ok {
		return s.refuse(bad)
	}
	return err
}

// refuse turns an error of strict reading into one with its place in the file and the name of the entry.
func (s *ScannedCapture) refuse(bad *jsontree.Error) *fail.Error {
	in := bad.Inside
	if in == nil || in.Name == "" && !bad.Limit {
		return s.ErrorAt(bad.Offset, "%s", bad.Text)
	}
	name := in.Name
	if bad.Limit {
		name = ""
	}
	return s.ErrorAt(bad.Offset, "%s: %s", entryAt(in.Path, name), bad.Text)
}

// notJSON returns an error for files that people pass by mistake, such as gzip data or a web page, or nil.
func (s *ScannedCapture) notJSON() error {
	head := bytes.ToLower(bytes.TrimLeft(s.Data[:min(len(s.Data), 512)], " \t\r\n\ufeff"))
	if len(bytes.TrimSpace(bytes.TrimPrefix(s.Data, []byte("\ufeff")))) == 0 {
		return s.ErrorAt(-1, "empty: the server printed nothing").Hint("see what the server wrote to its standard error")
	}
	const (
		utf16    = "UTF-16 text; JSON is UTF-8"
		utf8Hint = "in PowerShell, save with: | Out-File -Encoding utf8NoBOM"
		page     = "a web page, not an answer to tools/list: the address or the login was wrong"
	)
	for _, other := range []struct{ begins, what, hint string }{
		{"\xff\xfe", utf16, utf8Hint},
		{"\xfe\xff", utf16, utf8Hint},
		{"\x1f\x8b", "gzip data", "unpack it first: gunzip -c " + shell.QuotePath(s.Path) + " > OUT.json"},
		{"PK\x03\x04", "a zip archive (an MCP bundle?), not an answer to tools/list", CaptureHint},
		{"<!doctype", page, CaptureHint},
		{"<html", page, CaptureHint},
		{"<?xml", page, CaptureHint},
	} {
		if bytes.HasPrefix(s.Data, []byte(other.begins)) || bytes.HasPrefix(head, []byte(other.begins)) {
			return s.ErrorAt(-1, "%s", other.what).Hint("%s", other.hint)
		}
	}
	if len(s.Data) > 1 && (s.Data[0] == 0 || s.Data[1] == 0) {
		return s.ErrorAt(-1, utf16).Hint(utf8Hint)
	}
	return nil
}

// sequence reads the file as JSON values one after another.
func (s *ScannedCapture) sequence() ([]jsontree.Value, error) {
	var values []jsontree.Value
	for at := 0; ; {
		v, err := s.json.Next(at, len(s.Data))
		if err == io.EOF {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		if values = append(values, v); len(values) > maxMessages {
			return nil, s.ErrorAt(int(v.Start), "more than 100,000 messages")
		}
		at = int(v.End)
	}
}

// lineEnd returns the offset where the line that begins at data[at] ends.
func lineEnd(data []byte, at int) int {
	if end := bytes.IndexAny(data[at:], "\r\n"); end >= 0 {
		return at + end
	}
	return len(data)
}

// splitByCR refuses a line with a lone CR that some clients could read as a message and others as noise. Some
// clients end lines at a CR, others only at an LF.
func (s *ScannedCapture) splitByCR() error {
	if bytes.Count(s.Data, []byte("\r"))-bytes.Count(s.Data, []byte("\r\n")) > maxMessages {
		return s.notCapture(-1, "more than 100,000 carriage returns without a line feed: not the lines of a session")
	}
	at := 0
	for whole := range bytes.Lines(s.Data) {
		line := bytes.Trim(whole, "\r\n")
		if bytes.IndexByte(line, '\r') >= 0 {
			noise := slices.DeleteFunc(bytes.Split(line, []byte("\r")), jsontree.IsGrammatical)
			if len(noise) > 0 && (jsontree.IsGrammatical(line) || spellsResult(bytes.Join(noise, nil))) {
				return s.notCapture(at, "a message with a carriage return inside: some clients end a line there, others don't")
			}
		}
		at += len(whole)
	}
	return nil
}

// pieces reads the file piece by piece: the lines of a transcript, or the events of a
// stream. A piece is noise only if it can't be a message; every other piece is read
// strictly. end returns the offset where the piece that begins at data[at] ends.
func (s *ScannedCapture) pieces(end func(data []byte, at int) int) ([]jsontree.Value, error) {
	var values []jsontree.Value
	for at, to := 0, 0; at < len(s.Data); at = to + 1 {
		to = end(s.Data, at)
		piece := bytes.TrimLeft(s.Data[at:to], " \t\r\n")
		switch {
		case len(piece) == 0:
			continue
		case couldBeMessage(piece):
		case MayHideResponse(piece):
			return nil, s.notCapture(at, "a line that isn't a message but contains one: some clients could read the answer in it")
		default:
			s.noise++
			continue
		}
		v, err := s.json.Next(at, to)
		if err != nil {
			return nil, err
		}
		if rest := bytes.TrimLeft(s.Data[v.End:to], " \t\r\n"); len(rest) > 0 {
			return nil, s.ErrorAt(to-len(rest), "trailing data after a message")
		}
		if values = append(values, v); len(values) > maxMessages {
			return nil, s.ErrorAt(at, "more than 100,000 messages")
		}
	}
	return values, nil
}

// refuseInside refuses a line inside a multi-line value that is a response by itself. Stdio clients read line
// by line: they would accept that line as a message and skip the rest of the value.
func (s *ScannedCapture) refuseInside(values []jsontree.Value) error {
	for i := range values {
		v := &values[i]
		// Some clients end lines at a lone CR, too.
		for _, ends := range []string{"\n", "\r\n"} {
			if bytes.IndexByte(s.Data[v.Start:v.End], ends[0]) < 0 {
				continue // a single line, or the same lines as in the first pass
			}
			for at, end := int(v.Start), int(v.End); at < end; {
				line := s.Data[at:end]
				if n := bytes.IndexAny(line, ends); n >= 0 {
					line = line[:n]
				}
				at += len(line) + 1
				line = bytes.TrimLeft(line, " \t\r\n")
				begin := at - 1 - len(line)
				if len(line) > 0 && couldBeMessage(line) && MayHideResponse(line) && !s.isMessageAt(v, begin) {
					return s.notCapture(begin, "a line inside a value that is an answer by itself: clients that read line by line would take it")
				}
			}
		}
	}
	return nil
}

// isMessageAt reports whether a value of the file, or an element of it if it is a batch,
// begins at an offset.
func (s *ScannedCapture) isMessageAt(v *jsontree.Value, at int) bool {
	items := v.Items()
	if len(items) > 0 && items[0].DefinitionNumber > 0 {
		items = nil // a list of tools
	}
	_, found := slices.BinarySearchFunc(items, at, func(item jsontree.Member, at int) int { return int(item.Start) - at })
	return found || at == int(v.Start)
}

// MayHideResponse reports whether a client could find a result with a list in a line that we treat as noise.
// Clients may skip a prefix, or end lines at other characters: Python's splitlines does at U+0085, U+2028 and
// form feeds. Escapes and letter case are ignored.
func MayHideResponse(line []byte) bool {
	if len(line) < len(`"result":"tools"`) || bytes.IndexByte(line, '{') < 0 {
		return false
	}
	s := text.FoldASCII(looselyUnescaped(line))
	isListed := func(member string) bool { return strings.Contains(s, `"`+strings.ToLower(member)+`"`) }
	return strings.Contains(s, `"result"`) && slices.ContainsFunc(pin.ListMemberNames(), isListed)
}

// spellsResult reports whether a text contains the member name "result", in any letter case and with any
// escapes.
func spellsResult(s []byte) bool {
	return strings.Contains(text.FoldASCII(looselyUnescaped(s)), `"result"`)
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
		if r, ok := jsontree.ParseUnicodeEscape(line); ok {
			b.WriteRune(r)
			line = line[6:]
		} else {
			b.Write(line[:2])
			line = line[2:]
		}
	}
}

// couldBeMessage reports whether a piece begins like an object or an array of objects. The piece must not begin
// with whitespace.
func couldBeMessage(piece []byte) bool {
	next := bytes.TrimLeft(piece[1:], " \t\r\n")
	switch string(piece[:1]) + string(next[:min(1, len(next))]) {
	case `{"`, `{}`, `[{`:
		return true
	}
	return false
}
