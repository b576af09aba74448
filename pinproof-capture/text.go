package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// failure is an error for a person: what is wrong, what the server said, what to
// type next. Text of a server's is printable before it comes in here.
type failure struct {
	text  string
	said  []string // the server's last lines on standard error
	hints []string
	cause error // the JSON-RPC error that the server answered
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

func fail(format string, args ...any) *failure {
	return &failure{text: fmt.Sprintf(format, args...)}
}

func (f *failure) hint(format string, args ...any) *failure {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// asFailure makes any error one for a person.
func asFailure(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return fail("%s", cut(err.Error()))
}

// write prints the error with what the server said under a gutter, so that no line
// of the server's can pass for one of ours or for a command of a CI log.
func (f *failure) write(w io.Writer) {
	fmt.Fprintf(w, "error: %s\n", f.text)
	if len(f.said) > 0 {
		fmt.Fprintf(w, "its standard error ended:\n")
	}
	for _, line := range f.said {
		fmt.Fprintf(w, "  | %s\n", line)
	}
	for _, hint := range f.hints {
		fmt.Fprintf(w, "hint: %s\n", hint)
	}
}

// printable returns s on one line with everything as <U+XXXX> but letters, digits,
// punctuation, symbols and the plain space: no control, format, bidi or invisible
// character and no combining mark comes through. It is stricter than pinproof's own,
// which shows what is to be approved; this only shows why a capture failed.
func printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<byte %02X>", s[i])
		case !visible(r),
			r == '<' && (strings.HasPrefix(s[i+1:], "U+") || strings.HasPrefix(s[i+1:], "byte ")), // our own marks
			r == '[' && ciCommand.MatchString(s[:i]):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// ciCommand is what comes before the bracket of a command in the logs of GitHub and
// Azure Pipelines, such as ##[group] and ##vso[task.setvariable].
var ciCommand = regexp.MustCompile(`##[A-Za-z]*$`)

func visible(r rune) bool {
	switch {
	case r == ' ':
		return true
	case r == 0x2800, unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return false // letters and symbols by category that no reader sees
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
}

// cut is printable for a text of the server's inside a sentence of ours.
func cut(s string) string {
	const most = 300 // bytes: an error's message, not a page
	if len(s) <= most {
		return printable(s)
	}
	return printable(strings.ToValidUTF8(s[:most], "")) + fmt.Sprintf(" (and %d more bytes)", len(s)-most)
}

// plural writes a count with its noun: "1 tool", "14 tools".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// tail is a writer that keeps the end of what a server says on standard error.
type tail struct {
	buf []byte
	cut bool
}

// maxTail is what is kept: the end is where a program says why it stops, and a
// screenful is what a person reads.
const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - maxTail; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// lines returns the kept text, printable, without blank lines at its end.
func (t *tail) lines() []string {
	text := strings.TrimRight(string(t.buf), "\r\n \t")
	if text == "" {
		return nil
	}
	if t.cut {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest // the first line may have lost its begin
		}
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, printable(strings.TrimRight(line, "\r")))
	}
	return lines
}
