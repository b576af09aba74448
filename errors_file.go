package main

import (
	"bytes"
	"strconv"
)

// A textFile is a file by its path and its bytes. It turns offsets into lines and columns,
// for errors. Asked for places in the order of the file, it counts each line once.
type textFile struct {
	path string
	data []byte

	at, line, lineStart int // where the last call of position ended
}

func newTextFile(path string, data []byte) textFile { return textFile{path: path, data: data, line: 1} }

// failAt makes an error about an offset in the file or, if at is -1, about the whole file.
func (s *textFile) failAt(at int, format string, args ...any) *userError {
	where := printable(s.path)
	if at >= 0 {
		line, column := s.position(at)
		where += ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
	}
	return failIn(where, format, args...)
}

// position returns an offset's line and its column in bytes, from 1. LF, CRLF or CR ends a line.
func (s *textFile) position(at int) (line, column int) {
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
