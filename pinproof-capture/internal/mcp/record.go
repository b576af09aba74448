package mcp

import (
	"bytes"
	"cmp"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
)

// A record keeps the bytes that a server sent, as they came, for pinproof to read: a decoder
// folds letter case and keeps the last of repeated members. A nil one keeps nothing.
type record struct {
	sent     atomic.Int64 // the id of the last request
	mu       sync.Mutex
	lines    bytes.Buffer
	streams  []*stream
	streamed int   // how much came on them all
	err      error // the first reason to refuse what came
}

// asked is the id of the last request.
func (rec *record) asked() int64 {
	if rec == nil {
		return 0
	}
	return rec.sent.Load()
}

// add takes a line that the server sent.
func (rec *record) add(line []byte) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.append(&rec.lines, line, rec.lines.Len()+len(line))
}

// append keeps what came, which makes so many bytes with what came before it.
func (rec *record) append(to *bytes.Buffer, b []byte, size int) error {
	if size > MaxBytes && rec.err == nil {
		rec.err = fail.New("the server sent more than 64 MiB")
	}
	if rec.err == nil {
		to.Write(b)
	}
	return rec.err
}

// refuse says why a text is refused, and nothing is saved of what came.
func (rec *record) refuse(why string, text []byte) error {
	err := unlike(why, text)
	if rec == nil {
		return err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.err = cmp.Or[error](rec.err, err)
	return rec.err
}

// length is how much was recorded so far; cut forgets what came after it.
func (rec *record) length() int {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.lines.Len()
}

func (rec *record) cut(length int) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.lines.Truncate(length)
}

func oneLine(value []byte) []byte {
	return []byte(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(bytes.TrimSpace(value))))
}

// finish returns what was recorded, or why it can't be used.
func (rec *record) finish() ([]byte, error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, s := range rec.streams {
		rec.err = cmp.Or(rec.err, capture.CheckStream(s.came.Bytes()))
	}
	return rec.lines.Bytes(), rec.err
}

// A stream keeps an event stream as it comes: clients find different messages in some, and
// pinproof's rules say in which.
type stream struct {
	rec  *record
	came bytes.Buffer
}

func (rec *record) stream() io.Writer {
	if rec == nil {
		return io.Discard
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	s := &stream{rec: rec}
	rec.streams = append(rec.streams, s)
	return s
}

func (s *stream) Write(b []byte) (int, error) {
	s.rec.mu.Lock()
	defer s.rec.mu.Unlock()
	s.rec.streamed += len(b)
	return len(b), s.rec.append(&s.came, b, s.rec.streamed)
}
