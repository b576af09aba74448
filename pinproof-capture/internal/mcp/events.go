package mcp

import (
	"bytes"
	"cmp"
	"io"
	"time"

	"pinproof/internal/capture"
)

// An event is one event of an event stream.
type event struct {
	kind string
	id   string
	data []byte

	// How long the server asks clients to wait before they reconnect.
	retry time.Duration

	// asked is the ID of the last request sent before the event's data began to arrive.
	asked int64
}

// readEvents reads an event stream (WHATWG HTML, section 9.2) to its end and calls each for every event. It drops an
// event that no empty line ends. As in the Go clients, a lone carriage return doesn't end a line: inside a message,
// it counts as a space or the message is rejected.
func readEvents(from io.Reader, rec *record, each func(event) error) error {
	var e event
	// The bytes of the event. In a capture, CheckEvent rejects an event in which clients would find different
	// messages.
	var came []byte
	mark := []byte("\ufeff") // a byte order mark, which may come first
	err := readLines(from, rec, func(said Received) error {
		line := bytes.TrimPrefix(said.Line, mark)
		mark = nil
		if rec != nil {
			if came = append(came, line...); rec.streamed.Add(int64(len(line))) > int64(MaxBytes) {
				return rec.refuse(errFlood)
			}
		}
		line, ended := bytes.CutSuffix(line, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		if e.data == nil {
			e.asked = said.asked
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
			e.retry, _ = time.ParseDuration(string(value) + "ms")
		}
		if len(e.data) > MaxBytes {
			return ErrTooLarge
		}
		if len(line) > 0 || !ended {
			return nil
		}
		if err := rec.refuse(capture.CheckEvent(came)); err != nil {
			return err
		}
		whole := e
		whole.data = bytes.TrimSuffix(e.data, []byte("\n"))
		e = event{}
		came = nil
		return each(whole)
	})
	return cmp.Or(err, rec.refuse(capture.CheckEvent(came)))
}
