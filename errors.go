package main

import (
	"errors"
	"fmt"
)

// errDrift is the one error that earns exit code 1. A refusal is errDrift, too, for
// errors.Is. Every other error earns 2.
var errDrift = errors.New("drift")

// failure is an error for a person: what is wrong, then what to type next.
// Text from a manifest or a lockfile must be made printable before it goes in.
type failure struct {
	text  string
	where string // the place in the user's own file, if there is one: path:line:column
	hints []string

	refused    bool // the answer is no: exit code 1
	isManifest bool // a manifest was given for the lockfile
}

func (f *failure) Error() string { return f.text }

func (f *failure) Is(target error) bool { return f.refused && target == errDrift }

// refusal makes f a refusal: an error with exit code 1.
func (f *failure) refusal() *failure {
	f.refused = true
	return f
}

func fail(format string, args ...any) *failure {
	return &failure{text: fmt.Sprintf(format, args...)}
}

func (f *failure) hint(format string, args ...any) *failure {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// failIn makes an error about a place in a file. The place is printed before the text.
func failIn(where, format string, args ...any) *failure {
	return &failure{where: where, text: where + ": " + fmt.Sprintf(format, args...)}
}
