package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"pinproof/internal/capture"
)

// MaxBytes bounds what is read of one server, whatever it is: pinproof reads no
// larger file.
const MaxBytes = 64 << 20

var errFlood = errors.New("the server sent more than 64 MiB")

// record keeps the bytes that a server sent, as they came. It stands below the SDK,
// whose decoder folds letter case and keeps the last of repeated members: pinproof
// has to see both.
type record struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	read int64 // bytes taken from the server, recorded or not
	sent int64 // the id of the last request
	done bool

	streams []*stream // event streams, as they came

	err error // the first reason to refuse what came
}

// counted bounds what is read through all readers of the record together.
func (rec *record) counted(r io.Reader) *countedReader { return &countedReader{rec: rec, r: r} }

type countedReader struct {
	rec   *record
	r     io.Reader
	asked int64 // the id of the last request when the last bytes came
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	c.rec.read += int64(n)
	c.asked = c.rec.sent
	if c.rec.read > MaxBytes {
		c.rec.err = errFlood
		return 0, errFlood
	}
	return n, err
}

// asks takes note of a request that is about to be sent.
func (rec *record) asks(id int64) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.sent = id
}

// asked is the id of the last request.
func (rec *record) asked() int64 {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.sent
}

func (rec *record) add(b []byte) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !rec.done {
		rec.buf.Write(b)
	}
}

// message adds one JSON value, on one line, and returns the message in it; asked is the id of
// the last request that it may answer. In valid JSON a line feed stands only between tokens, so
// a blank in its place changes no value; what isn't valid is refused rather than mended.
func (rec *record) message(value []byte, asked int64) (*message, error) {
	if !json.Valid(value) {
		return nil, rec.refuse("it sent something that is not JSON", value)
	}
	m, why := decode(value, asked)
	if why != "" {
		return nil, rec.refuse(why, value)
	}
	if rec.add(append(oneLine(value), '\n')); m == nil {
		return nil, noMessage(value)
	}
	return m, nil
}

func (rec *record) refuse(why string, value []byte) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.err == nil {
		rec.err = fmt.Errorf("%s: %s", why, Excerpt(string(bytes.TrimSpace(value))))
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
			rec.err = err
		}
	}
	return rec.buf.Bytes(), rec.err
}

// stream keeps an event stream as it comes: clients find different messages in some, and
// pinproof's rules say in which.
func (rec *record) stream() io.Writer {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	s := &stream{rec: rec}
	rec.streams = append(rec.streams, s)
	return s
}

type stream struct {
	rec *record
	bytes.Buffer
}

func (s *stream) Write(p []byte) (int, error) {
	s.rec.mu.Lock()
	defer s.rec.mu.Unlock()
	if s.rec.done {
		return len(p), nil
	}
	return s.Buffer.Write(p)
}
