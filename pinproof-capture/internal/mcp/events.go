package mcp

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"time"
)

// An event is one of an event stream.
type event struct {
	kind string
	id   string
	data []byte

	retry time.Duration // how long the server wants to be left alone after the stream's end
}

// readEvents reads an event stream (WHATWG HTML, section 9.2) to its end, and hands on each event.
// begins is called when the data of one begins to come. An event that no blank line ends is none.
func readEvents(from io.Reader, begins func(), each func(event) error) error {
	in := bufio.NewReader(&lineFeeds{in: from})
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3) // it is there
	}
	for e := (event{}); ; {
		in.Peek(1) // waits for what comes
		if e.data == nil {
			begins()
		}
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if line = line[:len(line)-1]; len(line) == 0 {
			e.data = bytes.TrimSuffix(e.data, []byte("\n"))
			if err := each(e); err != nil {
				return err
			}
			e = event{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			e.data = append(append(e.data, value...), '\n')
		case "event":
			e.kind = string(value)
		case "id":
			e.id = string(value)
		case "retry":
			ms, _ := strconv.Atoi(string(value))
			e.retry = time.Duration(ms) * time.Millisecond
		}
	}
}

// lineFeeds reads LF for every end of a line: LF, CRLF or a lone CR.
type lineFeeds struct {
	in      io.Reader
	afterCR bool // a line feed now belongs to the line before
}

func (l *lineFeeds) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		switch {
		case c == '\r':
			kept = append(kept, '\n')
		case c != '\n' || !l.afterCR:
			kept = append(kept, c)
		}
		l.afterCR = c == '\r'
	}
	return len(kept), err
}
