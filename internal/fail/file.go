package fail

import (
	"bytes"
	"strconv"
)

// A File turns offsets in a file into lines and columns, for errors. It counts each line only once if the
// offsets are requested in ascending order.
type File struct {
	Path string
	Data []byte

	at, line, lineStart int // where the last call of Position ended
}

// NewFile returns a File with the path and the bytes of a file.
func NewFile(path string, data []byte) File { return File{Path: path, Data: data, line: 1} }

// ErrorAt makes an error about an offset in the file or, if at is -1, about the whole file.
func (s *File) ErrorAt(at int, format string, args ...any) *Error {
	where := s.Path
	if at >= 0 {
		line, column := s.Position(at)
		where += ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
	}
	return NewAt(where, format, args...)
}

// Position returns an offset's line and its column in bytes, from 1. LF, CRLF or CR ends a line.
func (s *File) Position(at int) (line, column int) {
	if at < s.at {
		s.at = 0
		s.line = 1
		s.lineStart = 0
	}
	passed := s.Data[s.at:at]
	if at < len(s.Data) && s.Data[at] == '\n' {
		passed = bytes.TrimSuffix(passed, []byte("\r")) // the LF of a CRLF is still in the line that it ends
	}
	count := func(end string) int { return bytes.Count(passed, []byte(end)) }
	if n := count("\n") + count("\r") - count("\r\n"); n > 0 {
		s.line, s.lineStart = s.line+n, s.at+bytes.LastIndexAny(passed, "\n\r")+1
	}
	s.at = at
	return s.line, at - s.lineStart + 1
}
