package skill

import (
	"slices"
	"strings"
)

// FromFirstCode returns a Markdown text from the first line on that may be code, or "": a fence, an indented line, an
// HTML element that contains code, or a command that a client runs before a model reads the text, such as !`date`. The
// lines after it may be code, too, because readers disagree where a block ends.
func FromFirstCode(s string) string {
	from := 0
	for line := range strings.Lines(s) {
		_, isFence := ParseFence(line)
		lower := strings.ToLower(line)
		isMark := func(mark string) bool { return strings.Contains(lower, mark) }
		if isFence || slices.ContainsFunc([]string{"\t", "    ", "!`", "<pre", "<code", "<script", "<style"}, isMark) {
			return s[from:]
		}
		from += len(line)
	}
	return ""
}

// ParseFence returns the text after the fence (``` or ~~~) that begins a line, even in a list, a quote or a definition.
// It returns false if the line doesn't begin with a fence.
func ParseFence(line string) (info string, ok bool) {
	inner := strings.TrimLeft(strings.TrimPrefix(line, "\ufeff"), " \t>-*+:#0123456789.)")
	info = strings.TrimLeft(inner, "`~")
	return info, len(inner)-len(info) >= 3
}
