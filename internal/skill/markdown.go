package skill

import (
	"slices"
	"strings"
)

// FromCode returns a text in Markdown from the first line on that may be code, "" if there is none: a fence or an indented
// line, an element of HTML that holds code, or what a client runs before a model reads the text, as !`date`. What is behind
// that line may be code, too, depending on where readers take a block to end.
func FromCode(s string) string {
	from := 0
	for line := range strings.Lines(s) {
		_, isFence := Fence(line)
		lower := strings.ToLower(line)
		isMark := func(mark string) bool { return strings.Contains(lower, mark) }
		if isFence || slices.ContainsFunc([]string{"\t", "    ", "!`", "<pre", "<code", "<script", "<style"}, isMark) {
			return s[from:]
		}
		from += len(line)
	}
	return ""
}

// Fence returns what a line has after the fence of a block of code (``` or ~~~), also in a list or a quote. It returns false
// if the line doesn't begin with a fence.
func Fence(line string) (info string, ok bool) {
	inner := strings.TrimLeft(line, " \t>-*+0123456789.)")
	info = strings.TrimLeft(inner, "`~")
	return info, len(inner)-len(info) >= 3
}
