package mcp

import (
	"bytes"
	"cmp"
	"strings"
	"sync"
	"sync/atomic"

	"pinproof/internal/fail"
)

// A record keeps the bytes that a server sent, for pinproof to read. Decoded JSON wouldn't do: Go's decoder ignores
// case and keeps only the last of repeated members. A nil record keeps nothing.
type record struct {
	sent     atomic.Int64 // the id of the last request
	streamed atomic.Int64 // bytes received on all event streams
	mu       sync.Mutex
	lines    bytes.Buffer
	err      error // the first reason to discard the record
}

var errFlood error = fail.New("the server sent more than 64 MiB")

// asked returns the id of the last request.
func (rec *record) asked() int64 {
	if rec == nil {
		return 0
	}
	return rec.sent.Load()
}

// add records a line from the server. It returns the first reason to discard the record.
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

// refuse marks the whole record as unusable. It returns the first reason for that.
func (rec *record) refuse(err error) error {
	if rec == nil || err == nil {
		return err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.err = cmp.Or(rec.err, err)
	return rec.err
}

// mark returns a function that truncates the record to its present length.
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
