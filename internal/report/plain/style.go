// Package plain writes reports as plain text: verify's verdict, the review, its summary (--stat), and the last lines
// of lock and relock.
package plain

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"pinproof/internal/layout"
	"pinproof/internal/report"
)

// A Style determines how text is laid out, and what is summed up.
type Style struct {
	Colored bool
	Width   int // columns; 0: layout.DefaultWidth

	// Show everything, with nothing summed up.
	Full bool

	// Don't print the verdict on a match.
	Quiet bool

	// Print commands that approve without asking, because the reader is at a terminal.
	ShowsApproveCommands bool

	// The sign of each line is in its first column, as in a diff.
	Diff bool

	// If not nil, Sink is called with each line, and the writer gets none. sign is the sign of the server text in the
	// line, else '='.
	Sink func(sign byte, runs []layout.Run)
}

// A Writer prints reports for a person. It keeps the first write error.
type Writer struct {
	w io.Writer
	Style
	Err    error
	brief  bool         // something was summed up
	server int          // the index of the server whose title was printed last, or -1
	lines  int          // the number of lines printed
	Shown  map[int]bool // numbers of the blocks and shared changes printed

	number  int                        // the number of the block that is being printed
	printed map[[sha256.Size]byte]spot // where each longer text and schema was printed

	// Results of textOf, by the first line of the text.
	contents map[*layout.Line]textContent

	// Minor changes are counted once, below all blocks.
	countsBelow bool
}

// New returns a Writer that prints text to w.
func New(w io.Writer, style Style) *Writer {
	style.Width = max(layout.MinWidth, cmp.Or(style.Width, layout.DefaultWidth))
	return &Writer{w: w, Style: style, server: -1, Shown: map[int]bool{}, printed: map[[sha256.Size]byte]spot{}, contents: map[*layout.Line]textContent{}}
}

// Flush writes out what was printed, if the underlying writer buffers it.
func (t *Writer) Flush() error {
	if f, ok := t.w.(interface{ Flush() error }); ok && t.Err == nil {
		t.Err = f.Flush()
	}
	return t.Err
}

// paint colours one piece of a line, already printable, by its meaning. Nothing is
// shown by colour alone.
func (t *Writer) paint(op byte, text string) string {
	if !t.Colored || text == "" {
		return text
	}
	attributes := map[byte][]color.Attribute{
		'*': {color.Bold}, '+': {color.FgGreen}, '-': {color.FgRed}, '!': {color.FgYellow}, 'W': {color.Bold, color.FgRed}, '~': {color.Faint},
	}[op]
	if attributes == nil {
		return text
	}
	c := color.New(attributes...)
	// The library decides about colour by os.Stdout, but our caller has decided for this writer.
	c.EnableColor()
	return c.Sprint(text)
}

// run returns a run of printable text in one colour.
func run(op byte, text string) layout.Run { return layout.Run{Op: op, Text: text} }

func (t *Writer) printf(format string, args ...any) {
	if t.Err == nil {
		_, t.Err = fmt.Fprintf(t.w, format, args...)
	}
}

// WriteBlankLine prints an empty line.
func (t *Writer) WriteBlankLine() { t.line('=', nil) }

// WriteText prints text of our own, wrapped, if there is any. A continued line begins with a backslash: the words may
// quote a server, and server text must not begin a line.
func (t *Writer) WriteText(indent string, runs ...layout.Run) {
	next := strings.Repeat(" ", utf8.RuneCountInString(indent)) + `  \ `
	if !slices.ContainsFunc(runs, func(r layout.Run) bool { return r.Text != "" }) {
		return
	}
	room := t.Width - utf8.RuneCountInString(indent)
	width := max(layout.MinWidth/2, t.Width-utf8.RuneCountInString(next))
	for _, l := range (layout.Line{Runs: runs}).Wrap(max(width/2, room), width) {
		if n := len(l.Runs); n > 0 {
			l.Runs[n-1].Text = strings.TrimRight(l.Runs[n-1].Text, " ")
		}
		t.line('=', append([]layout.Run{run('=', indent)}, l.Runs...))
		indent = next
	}
}

// line prints a line. In a diff, its sign or a space comes first, then three spaces. So a line without a sign begins
// with four spaces, and can't end the fence around it (CommonMark, 4.5).
func (t *Writer) line(sign byte, runs []layout.Run) {
	t.lines++
	if t.Sink != nil {
		t.Sink(sign, runs)
		return
	}
	line := ""
	for _, r := range runs {
		line += t.paint(r.Op, r.Text)
	}
	if !t.Diff {
		t.printf("%s\n", line)
		return
	}
	if sign == '=' {
		sign = ' '
	}
	t.printf("%c   %s\n", sign, line)
}

// gutter prints a line of a server's text after its gutter. before is printed in front of both.
func (t *Writer) gutter(l layout.Line, before ...layout.Run) {
	sign := l.Sign
	if t.Diff {
		if sign == '=' && slices.ContainsFunc(l.Runs, func(r layout.Run) bool { return r.Op != '=' }) {
			sign = '!' // a part of it was added or removed
		}
		l.Sign = '='
	}
	t.line(sign, slices.Concat(before, l.WithGutter()))
}

// WriteSteps prints steps. A command or a digest is never wrapped, so that it can be pasted.
func (t *Writer) WriteSteps(steps ...report.Step) {
	for _, s := range steps {
		if typed := cmp.Or(s.Command, s.Digest); typed != "" {
			t.printf("hint: %s: %s\n", s.Text, typed)
		} else if s.Text != "" {
			t.WriteNotes("hint: ", s.Text)
		}
	}
}

// WriteNextSteps prints the next steps.
func (t *Writer) WriteNextSteps(m *report.Model) {
	t.WriteSteps(m.Next...)
	if t.ShowsApproveCommands {
		t.WriteSteps(m.ApproveCommands...)
	} else {
		t.WriteSteps(m.ManualSteps...)
	}
}

// room returns how many columns an indent and a gutter leave.
func (t *Writer) room(indent string) int {
	return max(layout.MinWidth/2, t.Width-len(indent)-len("  | "))
}

// texts prints server text after its gutter, wrapped.
func (t *Writer) texts(indent string, list []layout.Line) {
	for _, l := range list {
		for _, row := range l.MarkChanges().Wrap(t.room(indent), t.room(indent)) {
			t.gutter(row, run('=', indent))
		}
	}
}
