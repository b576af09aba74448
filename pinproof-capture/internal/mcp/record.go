package mcp

import (
	"bytes"
	"cmp"
	"strings"
	"sync"
	"sync/atomic"

	"pinproof/internal/fail"
)

// A record keeps the bytes that a server sent, as they came, for pinproof to read. A decoder wouldn't
// do: it folds letter case and keeps only the last of repeated members. A nil record keeps nothing.
type record struct {
	sent     atomic.Int64 // the id of the last request
	streamed atomic.Int64 // bytes that came on all event streams
	mu       sync.Mutex
	lines    bytes.Buffer
	err      error // the first reason to refuse what came
}

var errFlood error = fail.New("the server sent more than 64 MiB")

// asked returns the id of the last request.
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
	if rec.lines.Len()+len(line) > MaxBytes {
		rec.err = cmp.Or(rec.err, errFlood)
	}
	if rec.err == nil {
		rec.lines.Write(line)
	}
	return rec.err
}

// refuse takes a reason to save nothing of what came. It returns the first such reason.
func (rec *record) refuse(err error) error {
	if rec == nil || err == nil {
		return err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.err = cmp.Or(rec.err, err)
	return rec.err
}

// mark returns a function that removes all that is recorded from now on.
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
	return rec.lines.Bytes(), rec.err
}
