package mcp

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"sync"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
)

// MaxBytes bounds one message, and all that is recorded of one server: pinproof reads no larger
// file.
const MaxBytes = 64 << 20

// ErrTooLarge is the end of a session: what can't be held can't be judged.
var ErrTooLarge = fail.New("a message of more than 64 MiB")

// Said is what a server said: a line with its end or, in place of an answer, why there is none.
type Said struct {
	Line  []byte // good until the next one comes
	Again bool   // it answers the client's greeting, which was answered before
	Err   error  // to whoever captures

	asked int64 // the last request that had been sent when it came; of Err, the one it is about, or 0
}

// ReadLines hands on the lines of a reader, each with its end, and what is left at the reader's end.
// begins is called when a line begins to come.
func ReadLines(from io.Reader, begins func(), take func(line []byte) error) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var line []byte
	for {
		in.Peek(1) // waits for what comes
		begins()
		err := bufio.ErrBufferFull
		for line = line[:0]; err == bufio.ErrBufferFull; {
			var piece []byte
			piece, err = in.ReadSlice('\n')
			if line = append(line, piece...); len(line) > MaxBytes {
				return ErrTooLarge
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if failed := take(line); failed != nil || err == io.EOF {
			return failed
		}
		if cap(line) > 1<<20 {
			line = nil // a large line is rare, and its memory is not kept
		}
	}
}

// A record keeps the bytes that a server sent, as they came, for pinproof to read: a decoder
// folds letter case and keeps the last of repeated members. A nil one keeps nothing.
type record struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	streams []*bytes.Buffer // event streams, as they came
	sent    int64           // the id of the last request
	done    bool
	err     error // the first reason to refuse what came
}

// marked reads what a server sends, and notes the id of the last request when bytes came.
type marked struct {
	io.Reader
	rec   *record
	asked int64
}

func (m *marked) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.asked = m.rec.asked()
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
	if rec == nil {
		return 0
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.sent
}

// add appends what a server sent, up to the limit.
func (rec *record) add(to *bytes.Buffer, b []byte) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if to.Len()+len(b) > MaxBytes && rec.err == nil {
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
	s := &bytes.Buffer{}
	rec.streams = append(rec.streams, s)
	return writer(func(b []byte) { rec.add(s, b) })
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}
