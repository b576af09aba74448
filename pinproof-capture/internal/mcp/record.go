package mcp

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
)

// A record keeps the bytes that a server sent, as they came, for pinproof to read: a decoder
// folds letter case and keeps the last of repeated members. A nil one keeps nothing.
type record struct {
	mu       sync.Mutex
	buf      bytes.Buffer
	streams  []*bytes.Buffer // event streams, as they came
	streamed int             // how much came on them all
	sent     int64           // the id of the last request
	done     bool
	err      error // the first reason to refuse what came
}

// asks takes note of a request that is about to be sent.
func (rec *record) asks(id int64) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.sent = id
}

// asked is the id of the last request.
func (rec *record) asked() int64 {
	if rec == nil {
		return 0
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.sent
}

// add takes a line that the server sent.
func (rec *record) add(line []byte) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.append(&rec.buf, line, rec.buf.Len())
}

// append appends what came behind so many bytes, up to the limit.
func (rec *record) append(to *bytes.Buffer, b []byte, before int) error {
	if before+len(b) > MaxBytes && rec.err == nil {
		rec.err = fail.New("the server sent more than 64 MiB")
	}
	if !rec.done && rec.err == nil {
		to.Write(b)
	}
	return rec.err
}

func (rec *record) refuse(why string, value []byte) error {
	err := fail.New("%s: %s", why, Excerpt(string(bytes.TrimSpace(value))))
	if rec == nil {
		return err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.err == nil {
		rec.err = err
	}
	return rec.err
}

// length is how much was recorded so far; cut forgets what came after it.
func (rec *record) length() int {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.buf.Len()
}

func (rec *record) cut(length int) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.buf.Truncate(length)
}

func oneLine(value []byte) []byte {
	return []byte(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(bytes.TrimSpace(value))))
}

// finish returns what was recorded, or why it can't be used, and records no more.
func (rec *record) finish() ([]byte, error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.done = true
	for _, s := range rec.streams {
		if err := capture.CheckStream(s.Bytes()); err != nil && rec.err == nil {
			rec.err = fail.New("%s", err)
		}
	}
	return rec.buf.Bytes(), rec.err
}

// stream keeps an event stream as it comes: clients find different messages in some, and
// pinproof's rules say in which.
func (rec *record) stream() io.Writer {
	if rec == nil {
		return io.Discard
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	s := &stream{rec: rec}
	rec.streams = append(rec.streams, &s.came)
	return s
}

type stream struct {
	rec  *record
	came bytes.Buffer
}

func (s *stream) Write(b []byte) (int, error) {
	s.rec.mu.Lock()
	defer s.rec.mu.Unlock()
	s.rec.streamed += len(b)
	return len(b), s.rec.append(&s.came, b, s.rec.streamed-len(b))
}
