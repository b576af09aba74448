package plain

import (
	"strings"
	"testing"

	"pinproof/internal/layout"
	"pinproof/internal/report"
)

// What is wanted here was laid out by hand, on paper with squares.

// TestWriter: no line but a command is wider than the terminal, and no continued line begins with server text.
func TestWriter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(t *Writer)
		want  string
	}{
		{"words", func(t *Writer) {
			t.Say("  ", layout.Run{Op: '=', Text: "these first words fit, and the other ones follow"})
		}, "  these first words fit, and the other\n    \\ ones follow\n"},
		{"nothing to say", func(t *Writer) { t.Say("  ", layout.Run{Op: 'W'}, layout.Run{Op: '='}) }, ""},
		{"a step without a command", func(t *Writer) { t.Hint(report.Step{Text: "read it"}, report.Step{}) }, "hint: read it\n"},
		{"a command", func(t *Writer) {
			t.Hint(report.Step{Text: "read it", Command: "pinproof diff a/long/path/files.jsonl"})
		},
			"hint: read it: pinproof diff a/long/path/files.jsonl\n"},
		{"parameters", func(t *Writer) {
			t.Lines("  ", []report.Line{
				{Name: "path", Phrase: "string, required"},
				{Name: "sort", Phrase: "object"},
				{Depth: 1, Name: "by", Phrase: "string", As: "as for path in 3", Home: 3},
			})
		}, "  path  string, required\n  sort  object\n    by  string\n"},
		{"what stands above", func(t *Writer) {
			t.Shown[3] = true
			t.Lines("  ", []report.Line{
				{Name: "sort", Phrase: "object, required", Brief: "required", As: "as for order in 3", Home: 3, Skip: 1},
				{Depth: 1, Name: "by", Phrase: "string"},
				{Name: "path", Phrase: "string"},
			})
		}, "  sort  required  as for order in 3\n  path  string\n"},
		{"what stands above alike", func(t *Writer) {
			t.Shown[3] = true
			t.Lines("  ", []report.Line{
				{Name: "sort", Phrase: "object", As: "all same in 3", Home: 3, Skip: 1},
				{Depth: 1, Name: "by", Phrase: "string"},
				{Name: "page", Phrase: "string", As: "all same in 3", Home: 3},
				{Name: "size", Phrase: "string, required", Brief: "required", As: "all same in 3", Home: 3},
				{Name: "path", Phrase: "string", As: "all same in 4", Home: 4},
			})
		}, "  sort, page  all same in 3\n  size        required  all same in 3\n  path        string\n"},
		{"a text", func(t *Writer) {
			t.Lines("  ", []report.Line{{Text: []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: "One line."}}}}}})
		}, "  + | One line.\n"},
	} {
		var b strings.Builder
		w := New(&b, Style{Width: layout.LeastWidth})
		tt.write(w)
		if w.Err != nil || b.String() != tt.want {
			t.Errorf("%s: %v\n%s\nwant:\n%s", tt.name, w.Err, b.String(), tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	lines := "one\ntwo\n" + strings.Repeat("x", 60) + "\n" // 69 bytes
	if got := Shorten(lines, 69); got != lines {
		t.Errorf("what has room was cut: %q", got)
	}
	for most, want := range map[int]string{ // the last line has 40 bytes
		68: "one\ntwo\n    the rest is left out here: see diff\n",
		47: "one\n    the rest is left out here: see diff\n",
		40: "    the rest is left out here: see diff\n",
	} {
		if got := Shorten(lines, most); got != want {
			t.Errorf("in %d bytes: %q, want %q", most, got, want)
		}
	}
}
