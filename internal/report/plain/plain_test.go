package plain

import (
	"slices"
	"strings"
	"testing"

	"pinproof/internal/layout"
	"pinproof/internal/report"
)

// What is wanted here was laid out by hand, on paper with squares.

func TestColumns(t *testing.T) {
	rows := [][]string{
		{"server", "versions", "added", "removed", "text"},
		{"files", "files-server 1.0.0 -> 1.1.0", "3", "", "+12 ##"},
		{"web", "web 2", "10", "", "-7"},
	}
	right := func(col int) bool { return col == 2 || col == 3 }
	for _, tt := range []struct {
		width int
		want  []string
	}{
		{80, []string{ // nothing was removed
			"  server  versions                     added  text",
			"  files   files-server 1.0.0 -> 1.1.0      3  +12 ##",
			"  web     web 2                           10  -7",
		}},
		{45, []string{
			"  server  versions              added  text",
			"  files   files-server 1.0.0 …      3  +12 ##",
			"  web     web 2                    10  -7",
		}},
		{20, []string{ // a cell keeps 10 columns
			"  server  versions    added  text",
			"  files   files-ser…      3  +12 ##",
			"  web     web 2          10  -7",
		}},
	} {
		copied := [][]string{slices.Clone(rows[0]), slices.Clone(rows[1]), slices.Clone(rows[2])}
		if got := columns(copied, 1, tt.width, right); !slices.Equal(got, tt.want) {
			t.Errorf("columns for %d:\n%s\nwant:\n%s", tt.width, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// No line but a command is wider than the terminal, and none that goes on begins with what a server says.
func TestWriter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(t *Writer)
		want  string
	}{
		{"words", func(t *Writer) {
			t.Say("  ", layout.Run{Op: '=', Text: "these first words fit, and the other ones follow"})
		}, "  these first words fit, and the other\n    : ones follow\n"},
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
				{Name: "sort", Phrase: "object", As: "as for order in 3", Home: 3, Skip: 1},
				{Depth: 1, Name: "by", Phrase: "string"},
				{Name: "path", Phrase: "string"},
			})
		}, "  sort  object  as for order in 3\n  path  string\n"},
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
	for most, want := range map[int]string{ // the last line has 36 bytes
		68: "one\ntwo\nthe rest is left out here: see diff\n",
		43: "one\nthe rest is left out here: see diff\n",
		36: "the rest is left out here: see diff\n",
	} {
		if got := Shorten(lines, most); got != want {
			t.Errorf("in %d bytes: %q, want %q", most, got, want)
		}
	}
}
