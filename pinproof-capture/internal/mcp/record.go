package mcp

import (
	"bufio"
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

	streams []*bytes.Buffer // event streams, as they came

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

// message adds one JSON value, on one line; asked is the id of the last request that it may
// answer. In valid JSON a line feed stands only between tokens, so a blank in its place
// changes no value; what isn't valid is refused rather than mended.
func (rec *record) message(value []byte, asked int64) error {
	if !json.Valid(value) {
		return rec.refuse("it sent something that is not JSON", value)
	}
	if why := noAnswer(value, asked); why != "" {
		return rec.refuse(why, value)
	}
	rec.add(append(oneLine(value), '\n'))
	return nil
}

func (rec *record) refuse(why string, value []byte) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.err == nil {
		rec.err = fmt.Errorf("%s: %s", why, Excerpt(string(bytes.TrimSpace(value))))
	}
	return rec.err
}

const (
	notPlain = "it sent an answer that only some clients take"
	notAsked = "it sent an answer to a request that was not sent"
)

// noAnswer returns why a message that is an answer isn't one to every client, or "". Some
// pass over a batch, one more member, or an id, a result or an error of another shape than
// the protocol's; all pass over an answer that comes before its request. The answer that
// they take may come when the capture has ended.
func noAnswer(text []byte, asked int64) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil {
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
			return notPlain
		}
		return ""
	}
	id, result := m["id"], m["result"]
	if id == nil || m["method"] != nil {
		return ""
	}
	var number int64
	var e map[string]json.RawMessage // whose keys keep their letter case
	var code *int64
	var message *string
	refuses := func() bool {
		return json.Unmarshal(m["error"], &e) == nil && json.Unmarshal(e["code"], &code) == nil && code != nil &&
			json.Unmarshal(e["message"], &message) == nil && message != nil
	}
	switch plainID := json.Unmarshal(id, &number) == nil; {
	case len(m) != 3 || m["jsonrpc"] == nil || !plainID && id[0] != '"' || (result == nil || result[0] != '{') && !refuses():
		return notPlain
	case string(id) != "null" && (!plainID || number < 1 || number > asked):
		return notAsked
	}
	return ""
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

// eventTee reads an event stream (WHATWG HTML, section 9.2), records the data of its
// messages, and hands the events on in the plainest spelling there is, so that the
// SDK can't read another message out of them than the recorded one. An event answers no
// request behind that of the id last, and none that was sent after it came.
func eventTee(in io.ReadCloser, rec *record, last int64) io.ReadCloser {
	out, pipe := io.Pipe()
	rec.mu.Lock()
	rec.streams = append(rec.streams, &bytes.Buffer{})
	counted := rec.counted(in)
	raw := &rawReader{rec, rec.streams[len(rec.streams)-1], counted}
	rec.mu.Unlock()
	asked := func() int64 { return min(last, counted.asked) }
	go func() { pipe.CloseWithError(copyEvents(pipe, bufio.NewReader(&lineFeeds{in: raw}), rec, asked)) }()
	return body{out, closers{in, out}}
}

// A rawReader keeps what is read of an event stream: clients find different messages in
// some, and pinproof's rules say in which.
type rawReader struct {
	rec    *record
	stream *bytes.Buffer
	r      io.Reader
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	if !r.rec.done {
		r.stream.Write(p[:n])
	}
	return n, err
}

// A body is that of an answer, read through something else.
type body struct {
	io.Reader
	io.Closer
}

type closers [2]io.Closer

func (c closers) Close() error { return errors.Join(c[0].Close(), c[1].Close()) }

func copyEvents(w io.Writer, in *bufio.Reader, rec *record, asked func() int64) error {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3) // it is there
	}
	var name string
	var data [][]byte
	var last int64 // the id of the last request when data began
	var event bytes.Buffer
	for {
		in.Peek(1) // waits for what comes
		if data == nil {
			last = asked()
		}
		line, err := in.ReadBytes('\n')
		if err != nil {
			return err // an event that no blank line ends is none
		}
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "data":
				data = append(data, value)
			case "event", "id", "retry":
				fmt.Fprintf(&event, "%s: %s\n", field, value)
				if string(field) == "event" {
					name = string(value)
				}
			}
			continue
		}
		text, old := bytes.Join(data, []byte("\n")), name == "endpoint" // of the old transport
		if !old && name != "" && name != "message" {
			text = nil // the SDK would take some of these for messages
			event.Reset()
		}
		if len(text) > 0 {
			if !old {
				if err := rec.message(text, last); err != nil {
					return err
				}
			}
			fmt.Fprintf(&event, "data: %s\n", oneLine(text))
		}
		if event.Len() > 0 {
			event.WriteByte('\n')
			if _, err := w.Write(event.Bytes()); err != nil {
				return err
			}
		}
		name, data = "", nil
		event.Reset()
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
