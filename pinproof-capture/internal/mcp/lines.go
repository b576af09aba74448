package mcp

import (
	"bufio"
	"io"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
)

// MaxBytes bounds one message, and all that is recorded of one server: pinproof reads no larger
// file. Tests set less.
var MaxBytes = capture.MaxBytes

// ErrTooLarge ends a session: a message that doesn't fit can't be judged.
var ErrTooLarge = fail.New("a message of more than 64 MiB")

// Received is what a server said: a line with its line ending or, in place of an answer, why it is missing.
type Received struct {
	Line []byte

	// Line is one of the client's that no server got.
	Unsent bool

	Err error // for a person

	// The session is over, and the server wants another initialize.
	Renews bool

	// The ID of the last request that had been sent when the line came. For an Err, the ID of the
	// request that it is about, or 0.
	asked int64
}

// ReadLines passes on the lines of a reader, each with its line ending and in memory of its own, and what is left at the reader's end.
func ReadLines(from io.Reader, take func(line []byte) error) error {
	return readLines(from, nil, func(line []byte, _ int64) error { return take(line) })
}

// readLines does the same, and passes on the ID of the last request that had been sent when a line
// began to come: no answer comes before its request.
func readLines(from io.Reader, rec *record, take func(line []byte, asked int64) error) error {
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
		if failed := take(line, asked); failed != nil || err == io.EOF {
			return failed
		}
	}
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
