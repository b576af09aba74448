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
			t.WriteText("  ", layout.Run{Op: '=', Text: "these first words fit, and the other ones follow"})
		}, "  these first words fit, and the other\n    \\ ones follow\n"},
		{"nothing to say", func(t *Writer) { t.WriteText("  ", layout.Run{Op: 'W'}, layout.Run{Op: '='}) }, ""},
		{"a step without a command", func(t *Writer) { t.WriteSteps(report.Step{Text: "read it"}, report.Step{}) }, "hint: read it\n"},
		{"a command", func(t *Writer) {
			t.WriteSteps(report.Step{Text: "read it", Command: "pinproof diff a/long/path/files.jsonl"})
		},
			"hint: read it: pinproof diff a/long/path/files.jsonl\n"},
		{"parameters", func(t *Writer) {
			t.WriteLines("  ", t.told([]report.DefinitionLine{
				{Name: "path", Phrase: "string, required"},
				{Name: "sort", Phrase: "object"},
				{Depth: 1, Name: "by", Phrase: "string"},
				{Depth: 1, Name: "on", Phrase: "string"},
			}))
		}, "  path      string, required\n  sort      object\n    by, on  string\n"},
		{"what is printed before all blocks", func(t *Writer) {
			t.Shown[3] = true
			t.WriteLines("  ", t.told([]report.DefinitionLine{
				{Name: "sort", Phrase: "object, required", SharedNumber: 3, AlwaysPrinted: true},
				{Depth: 1, Name: "by", Phrase: "string"},
				{Name: "path", Phrase: "string", SharedNumber: 3, AlwaysPrinted: true},
				{Name: "size", Phrase: "string", SharedNumber: 4, AlwaysPrinted: true},
				{Name: "_meta", Phrase: "object", SharedNumber: 3},
			}))
		}, "  sort, path  as in 3\n  size        string\n"},
		{"what is printed above", func(t *Writer) {
			text := []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: strings.Repeat("An order. ", 20)}}}}
			same := []report.DefinitionLine{{Name: "sort", Phrase: "object, required", Place: "arguments.sort", Text: text}, {Depth: 1, Name: "by", Place: "arguments.sort.by"}}
			for _, block := range []int{7, 1} { // the first one was left out
				t.Shown[block] = block == 1
				t.number = block
				t.told(same)
			}
			t.WriteLines("  ", t.told(same)) // again in the same block
			t.number = 3
			t.WriteLines("  ", t.told(same))
			same[0].Place = "arguments.order"
			t.WriteLines("  ", t.told(same))
		}, "  sort  object, required\n" + "    + | An order. An order. An order. \n" + strings.Repeat("    + : An order. An order. An order. \n", 5) + "    + : An order. An order. \n    by\n" +
			"  sort  object, required  + as in 1\n" +
			"  sort  object, required\n    \\ + as arguments.sort in 1\n"},
		{"a text", func(t *Writer) {
			t.WriteLines("  ", t.told([]report.DefinitionLine{{Text: []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: "One line."}}}}}}))
		}, "  + | One line.\n"},
	} {
		var b strings.Builder
		w := New(&b, Style{Width: layout.MinWidth})
		tt.write(w)
		if w.Err != nil || b.String() != tt.want {
			t.Errorf("%s: %v\n%s\nwant:\n%s", tt.name, w.Err, b.String(), tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	lines := "one\ntwo\n" + strings.Repeat("x", 60) + "\n" // 69 bytes
	if got := TruncateLines(lines, 69); got != lines {
		t.Errorf("what has room was cut: %q", got)
	}
	for most, want := range map[int]string{ // the last line has 40 bytes
		68: "one\ntwo\n    the rest is left out here: see diff\n",
		47: "one\n    the rest is left out here: see diff\n",
		40: "    the rest is left out here: see diff\n",
	} {
		if got := TruncateLines(lines, most); got != want {
			t.Errorf("in %d bytes: %q, want %q", most, got, want)
		}
	}
}
