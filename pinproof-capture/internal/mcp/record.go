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
	streams  []*bytes.Buffer
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

// mark returns what forgets all that is recorded from now on.
func (rec *record) mark() (cut func()) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	length := rec.lines.Len()
	return func() {
		rec.mu.Lock()
		defer rec.mu.Unlock()
		rec.lines.Truncate(length)
	}
}

func oneLine(value []byte) []byte {
	return []byte(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(bytes.TrimSpace(value))))
}

// finish returns what was recorded, or why it can't be used.
func (rec *record) finish() ([]byte, error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, s := range rec.streams {
		rec.err = cmp.Or(rec.err, capture.CheckStream(s.Bytes()))
	}
	return rec.lines.Bytes(), rec.err
}

// stream keeps an event stream as it comes: clients find different messages in some, and
// pinproof's rules say in which.
func (rec *record) stream(from io.Reader) io.Reader {
	if rec == nil {
		return from
	}
	came := &bytes.Buffer{}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.streams = append(rec.streams, came)
	return io.TeeReader(from, writer(func(b []byte) error {
		rec.mu.Lock()
		defer rec.mu.Unlock()
		rec.streamed += len(b)
		return rec.append(came, b, rec.streamed)
	}))
}

type writer func([]byte) error

func (w writer) Write(b []byte) (int, error) { return len(b), w(b) }
