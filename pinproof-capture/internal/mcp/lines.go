package mcp

import (
	"bufio"
	"context"
	"io"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
)

// MaxBytes limits the size of one message, and of the record of one server, because pinproof rejects a larger file.
// Tests lower it.
var MaxBytes = capture.MaxBytes

// ErrTooLarge ends a session, because a message above MaxBytes can't be judged.
var ErrTooLarge = fail.New("a message of more than 64 MiB")

// Received is a line from the server, with its line ending, or the reason why a response is missing (Err).
type Received struct {
	Line []byte

	// Line is a message of the client that no server received.
	Undelivered bool

	Err error // printed for a person

	// The session has ended, and the server requires a new initialize.
	SessionExpired bool

	// asked is the ID of the last request sent before the line arrived. For an Err, it is the ID of the failed
	// request, or 0.
	asked int64
}

// An inbox passes on what a server sends, until ctx ends.
type inbox struct {
	ctx  context.Context
	came chan Received
}

// put waits until said is taken from the inbox. It returns why ctx has ended, or nil.
func (i inbox) put(said Received) error {
	select {
	case i.came <- said:
		return nil
	case <-i.ctx.Done():
		return context.Cause(i.ctx)
	}
}

// ReadLines calls take for each line, with its line ending, and for the rest at the end of the input, which may be
// empty. take may keep the slice.
func ReadLines(from io.Reader, take func(line []byte) error) error {
	return readLines(from, nil, func(said Received) error { return take(said.Line) })
}

// readLines is like ReadLines. It also passes the ID of the last request sent before a line began to arrive, because a
// response can't precede its request.
func readLines(from io.Reader, rec *record, take func(Received) error) error {
	came := &marked{Reader: from, rec: rec}
	in := bufio.NewReaderSize(came, 64<<10)
	for {
		in.Peek(1) // waits for the first byte of the line
		asked := came.asked
		err := bufio.ErrBufferFull
		var line []byte
		for err == bufio.ErrBufferFull {
			var piece []byte
			piece, err = in.ReadSlice('\n')
			if line = append(line, piece...); len(line) > MaxBytes {
				return ErrTooLarge
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if failed := take(Received{Line: line, asked: asked}); failed != nil || err == io.EOF {
			return failed
		}
	}
}

// marked reads from a server, and records at each read the ID of the last request sent.
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
