// Package fail provides errors for people: a printable text, a place in a file, and hints with the next command
// to type.
package fail

import (
	"errors"
	"fmt"
	"io/fs"

	"pinproof/internal/text"
)

// ErrDrift is the only error that exits with 1. A refusal matches it with errors.Is. All other errors exit with
// 2, except an interrupt.
var ErrDrift = errors.New("drift")

// ErrInterrupted is returned when an interrupt ends a prompt, a capture or a check. The program then exits with 130.
var ErrInterrupted = errors.New("interrupted")

// Error is an error for a person: what is wrong, then what to type next.
// Text from a capture or a lockfile must be made printable before it goes in.
type Error struct {
	Text string

	// The place that the error is about, if there is one: a path, perhaps with a line and a column.
	Where string

	Hints []string

	// The last lines that a failed program printed, made printable.
	Output []string

	refused   bool // a refusal, which exits with 1
	IsMissing bool // there is no file at the path
}

// Error returns what is wrong, with the place but without the hints.
func (f *Error) Error() string { return f.Text }

// Is reports whether target is ErrDrift and f is a refusal, because a refusal counts as drift.
func (f *Error) Is(target error) bool { return f.refused && target == ErrDrift }

// AsDrift makes f a refusal: an error with exit code 1.
func (f *Error) AsDrift() *Error {
	f.refused = true
	return f
}

// New makes an error for a person. Its arguments must be printable.
func New(format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...)}
}

// Hint adds a hint, such as the next command to type, and returns f.
func (f *Error) Hint(format string, args ...any) *Error {
	f.Hints = append(f.Hints, fmt.Sprintf(format, args...))
	return f
}

// NewAt makes an error about a file or a place in it. where is the path, perhaps with a line and a column; NewAt makes
// it printable, and puts it before the text.
func NewAt(where, format string, args ...any) *Error {
	where = text.Printable(where)
	return &Error{Where: where, Text: where + ": " + fmt.Sprintf(format, args...)}
}

// PathError returns an error about a path. It keeps only the innermost error, because the outer ones quote the raw
// path, which may contain terminal escapes.
func PathError(path string, err error) *Error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	f := NewAt(path, "%s", err)
	f.IsMissing = errors.Is(err, fs.ErrNotExist)
	return f
}

// AsError returns err as an Error, whose text is printable.
func AsError(err error) *Error {
	if told, ok := errors.AsType[*Error](err); ok {
		return told
	}
	return New("%s", text.Printable(err.Error()))
}

// ErrorLines returns the lines of an error for a person, its hints last.
func ErrorLines(err error) []string {
	told := AsError(err)
	lines := []string{told.Text}
	for _, hint := range told.Hints {
		lines = append(lines, "hint: "+hint)
	}
	return lines
}
