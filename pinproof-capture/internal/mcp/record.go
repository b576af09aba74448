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
	lines    bytes.Buffer // used only by the session

	mu  sync.Mutex // protects err
	err error      // the first reason to discard the record
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
	var err error
	if rec.lines.Len()+len(line) > MaxBytes {
		err = errFlood
	}
	if err = rec.refuse(err); err == nil {
		rec.lines.Write(line)
	}
	return err
}

// refuse marks the whole record as unusable if err isn't nil. It returns the first reason to discard the record, or nil.
func (rec *record) refuse(err error) error {
	if rec == nil {
		return err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.err = cmp.Or(rec.err, err)
	return rec.err
}

func oneLine(value []byte) []byte {
	return []byte(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(bytes.TrimSpace(value))))
}
