package main

import (
	"errors"
	"fmt"
)

// errDrift is the one error that earns exit code 1. A refusal is errDrift, too, for
// errors.Is. Every other error earns 2.
var errDrift = errors.New("drift")

// userError is an error for a person: what is wrong, then what to type next.
// Text from a manifest or a lockfile must be made printable before it goes in.
type userError struct {
	text  string
	where string // the place in the user's own file, if there is one: path:line:column
	hints []string

	refused    bool // the answer is no: exit code 1
	isManifest bool // a manifest was given for the lockfile
}

func (f *userError) Error() string { return f.text }

func (f *userError) Is(target error) bool { return f.refused && target == errDrift }

// refusal makes f a refusal: an error with exit code 1.
func (f *userError) refusal() *userError {
	f.refused = true
	return f
}

func fail(format string, args ...any) *userError {
	return &userError{text: fmt.Sprintf(format, args...)}
}

func (f *userError) hint(format string, args ...any) *userError {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// failIn makes an error about a place in a file. The place is printed before the text.
func failIn(where, format string, args ...any) *userError {
	return &userError{where: where, text: where + ": " + fmt.Sprintf(format, args...)}
}

// pathError says what went wrong with a path. It drops the library's text, which has the
// path raw: a path may come from an archive and be hostile to a terminal.
func pathError(path string, err error) *userError {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return failIn(printable(path), "%s", err)
}

// toldOf returns an error as a userError, whose text is printable.
func toldOf(err error) *userError {
	if told, ok := errors.AsType[*userError](err); ok {
		return told
	}
	return fail("%s", printable(err.Error()))
}

// errorLines are the lines of an error for a person, its hints last.
func errorLines(err error) []string {
	told := toldOf(err)
	lines := []string{told.text}
	for _, hint := range told.hints {
		lines = append(lines, "hint: "+hint)
	}
	return lines
}
