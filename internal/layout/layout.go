// Package layout lays out a server's values and texts as lines: printable, after a gutter, and never wider than the
// terminal.
package layout

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// A Run is printable text of one colour: '=' kept, '-' removed, '+' added; for our own words also '*' bold, 'W' a
// warning, '!' a caution, '~' faint.
type Run struct {
	Op   byte
	Text string

	// The number of the block that our own words refer to, or 0.
	Block int
}

// A Line is a line of output after its gutter. It is Continued if the line before was too long, rather than ended by
// a line feed.
type Line struct {
	// '-' or '+': the line, or in a word diff its line feed, was removed or added; else '='.
	Sign byte

	Runs      []Run
	Continued bool
}

const (
	// The number of columns if there is no terminal.
	DefaultWidth = 100

	// The least number of columns. A narrower terminal has to wrap the lines itself.
	MinWidth = 40

	inlineJSON = 88 // columns of JSON that stay on one line

	// More columns than any line has, for output that isn't wrapped here.
	UnlimitedWidth = 1 << 30
)

// WithGutter returns the line with its gutter in front, which is "- |" for old text and "+ |" for new.
func (l Line) WithGutter() []Run {
	gutter := []byte("  |")
	if l.Sign != '=' {
		gutter[0] = l.Sign
	}
	if l.Continued {
		gutter[2] = ':'
	}
	printed := []Run{{Op: l.Sign, Text: string(gutter)}}
	if len(l.Runs) > 0 && l.Runs[0].Text != "" {
		printed = append(printed, Run{Op: '=', Text: " "})
	}
	return append(printed, l.Runs...)
}

// ValueLines lays out a text line by line, and any other value as JSON, on one line if it is short. asciiOnly escapes all
// non-ASCII characters, and shows a text as a JSON string.
func ValueLines(op byte, v jsontree.Value, asciiOnly bool) []Line {
	if v.Kind == 0 {
		return nil
	}
	if v.Kind == '"' && !asciiOnly && !readsAsJSON(v.Text) {
		return linesOf(op, text.PrintableLines(v.Text, false))
	}
	return jsonLines(op, v, asciiOnly)
}

// jsonLines lays out a value as JSON, an object or array on one line if that takes at most inlineJSON bytes.
func jsonLines(op byte, v jsontree.Value, asciiOnly bool) []Line {
	b, _ := appendJSON(nil, v, "\n", asciiOnly)
	return linesOf(op, strings.Split(string(b), "\n"))
}

// linesOf makes a line of each text.
func linesOf(op byte, texts []string) (lines []Line) {
	for _, text := range texts {
		lines = append(lines, Line{Sign: op, Runs: []Run{{Op: op, Text: text}}})
	}
	return lines
}

// CompactJSON writes a value as JSON on one line.
func CompactJSON(v jsontree.Value) string {
	b, _ := appendJSON(nil, v, "", false)
	return string(b)
}

// appendJSON appends a value. breaks is a line feed and the indentation of the value; or "": there is only one line.
// It reports whether the value is on one line.
func appendJSON(b []byte, v jsontree.Value, breaks string, asciiOnly bool) ([]byte, bool) {
	switch v.Kind {
	case '"':
		return append(b, printableString(v.Text, asciiOnly)...), true
	case '{', '[':
	default:
		return jsontree.Append(b, v), true
	}
	from := len(b)
	b = append(b, v.Kind)
	inner := breaks
	if breaks != "" {
		inner += "  "
	}
	isInline := true
	for i, p := range v.Parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, inner...)
		if v.Kind == '{' {
			b = append(b, printableString(p.Name, asciiOnly)+":"...)
		}
		var isShort bool
		b, isShort = appendJSON(b, p.Value, inner, asciiOnly)
		isInline = isInline && isShort
	}
	end := v.Kind + 2 // the bracket that closes it
	if breaks == "" {
		return append(b, end), true
	}
	if isInline && len(b)-from-len(v.Parts)*len(inner) < inlineJSON {
		b = append(b[:from], bytes.ReplaceAll(b[from:], []byte(inner), nil)...)
		return append(b, end), true
	}
	return append(append(b, breaks...), end), false
}

// printableString returns s as a printable JSON string, with JSON escapes for line feeds, carriage returns and tabs.
func printableString(s string, asciiOnly bool) string {
	return `"` + escaped(s, asciiOnly) + `"`
}

func escaped(s string, asciiOnly bool) string {
	return string(text.AppendPrintable(nil, jsonEscapes.Replace(s), asciiOnly))
}

// jsonEscapes also escapes all but the first of several spaces, because a reader can't see how many there are where a
// line is wrapped.
var jsonEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "  ", ` \u0020`)

// WordDiffLines lays out a word diff. A kept line feed begins a new line; MarkChanges shows a removed or added one as an escape. Texts that
// look alike are spelled as code points.
func WordDiffLines(pieces []words.Piece) []Line {
	if len(pieces) == 1 { // the whole text
		return linesOf(pieces[0].Op, text.PrintableLines(pieces[0].Text, false))
	}
	lines := []Line{{Sign: '='}}
	alike := func(a, b words.Piece) bool { return a.Replaces(b) && Confusable(a.Text, b.Text) }
	for i, p := range pieces {
		exact := i > 0 && alike(pieces[i-1], p) || i+1 < len(pieces) && alike(p, pieces[i+1])
		end := 0
		var list []string
		if p.Op == words.OpKept {
			end = strings.LastIndexByte(p.Text, '\n') + 1
			list = text.PrintableLines(p.Text, false)
		}
		if p.Op != words.OpKept || i+1 < len(pieces) { // the line goes on
			list = append(list[:max(0, len(list)-1)], string(text.AppendPrintable(nil, p.Text[end:], exact)))
		}
		for j, line := range list {
			if j > 0 {
				lines = append(lines, Line{Sign: '='})
			}
			if line != "" {
				last := &lines[len(lines)-1]
				last.Runs = append(last.Runs, Run{Op: p.Op, Text: line})
			}
		}
	}
	return lines
}

// MarkChanges puts [- -] and {+ +} around removed and added runs, unless the sign of the line shows it
// already, and escapes text that would close such a mark early.
func (l Line) MarkChanges() Line {
	marked := Line{Sign: l.Sign, Continued: l.Continued}
	for _, r := range l.Runs {
		switch n := len(marked.Runs); {
		case r.Op == l.Sign || r.Op != '-' && r.Op != '+':
		case r.Op == '-':
			if n > 0 && text.BracketStartsCICommand(marked.Runs[n-1].Text) {
				// Some CI systems run a line with "##[" as a command, so escape the "#" before the bracket that is
				// added below.
				kept := &marked.Runs[n-1]
				at := strings.LastIndex(kept.Text, "##") + 1
				kept.Text = kept.Text[:at] + "<U+0023>" + kept.Text[at+1:]
			}
			r.Text = "[-" + strings.ReplaceAll(r.Text, "-]", "<U+002D>]") + "-]"
		default:
			r.Text = "{+" + strings.ReplaceAll(r.Text, "+}", "<U+002B>}") + "+}"
		}
		marked.Runs = append(marked.Runs, r)
	}
	return marked
}

// Confusable reports whether two texts could pass for each other: equal once sanitized,
// or different only where at least one of them has a non-ASCII character.
func Confusable(a, b string) bool {
	isAlike := func(x, y rune) bool { return x == y || max(x, y) >= 0x80 }
	return text.Sanitize(a) == text.Sanitize(b) || slices.EqualFunc([]rune(a), []rune(b), isAlike)
}

// Wrap breaks a line that is too wide, at a space if there is one near; room is the width left for its first row, in
// columns. If the terminal wrapped it instead, server text could begin a row.
func (l Line) Wrap(room, width int) (out []Line) {
	row := Line{Sign: l.Sign}
	for _, r := range l.Runs {
		for {
			size, columns := fit(r.Text, room, width)
			// A blank line that was added or removed keeps its sign.
			if size > 0 || r.Text == "" {
				row.Runs = append(row.Runs, Run{r.Op, r.Text[:size], r.Block})
			}
			room -= columns
			if r.Text = r.Text[size:]; r.Text == "" {
				break
			}
			out = append(out, row)
			row = Line{Sign: l.Sign, Continued: true}
			room = width
		}
	}
	return append(out, row)
}

// fit returns how many bytes of s fit into room columns and, if all do, how many columns they use. It cuts a text
// that is too wide after the last space, or before the last <U+...> mark of ours, in the second half of the room;
// else before a dot or a slash there, or where the room ends. A space at the end of a row isn't seen, so where the text
// without it would be cut at the same place, the space begins the next row.
func fit(s string, room, width int) (size, columns int) {
	blank, step := 0, 0
	blanks := 0
	mark := false
	for i, r := range s {
		if r == '<' && text.SpellsMark(s[i+1:]) {
			if mark = true; columns > room/2 {
				blank = len(strings.TrimRight(s[:i], " "))
			}
		}
		if r == '>' {
			mark = false
		}
		if r >= 0x1100 {
			// The first double-width character is U+1100. Count every later character as two columns: an overestimate
			// is harmless.
			columns += 2
		} else if !text.IsCombiningMark(r) {
			columns++
		}
		if (r == '.' || r == '/') && !mark && columns > room/2 {
			step = len(strings.TrimRight(s[:i], " "))
		}
		if columns > room {
			if blank == 0 && 0 < step && step < i {
				return step, columns
			}
			// If blank was set at a <U+...> mark, the byte before it isn't a space.
			isAtSpace := blanks == 1 && strings.HasSuffix(s[:blank], " ")
			if isAtSpace && isCutWithout(s[:min(len(s), i+longestMark)], blank-1, room, width) {
				return blank - 1, columns
			}
			if blank == 0 && room >= width/2 {
				blank = beforeGutter(s, i)
			}
			return blank, columns // 0: begin on the next line
		}
		if r == ' ' && !mark && columns > room/2 && !strings.HasSuffix(s[:i], " ") {
			blank = i + 1
			blanks++
		}
	}
	return len(s), columns
}

// longestMark is at least the length of a mark of ours, such as <U+200B>, in bytes.
const longestMark = 16

// isCutWithout reports whether fit would cut a text at the index of a space if it didn't have that space.
func isCutWithout(s string, at, room, width int) bool {
	size, _ := fit(s[:at]+s[at+1:], room, width)
	return size == at
}

// beforeGutter returns where to cut s, at or before an index: the next row must not begin with | or :, which would look
// like a second gutter.
func beforeGutter(s string, at int) int {
	kept := strings.TrimRight(s[:at], "|:")
	_, n := utf8.DecodeLastRuneInString(kept)
	if strings.ContainsRune("|:", rune(s[at])) && len(kept) > n {
		return len(kept) - n
	}
	return at
}

// readsAsJSON reports whether a text, laid out line by line, could pass for another kind of
// value. Such a text is shown as a JSON string.
func readsAsJSON(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (strings.Contains(`{}[]""`, s[:1]+s[len(s)-1:]) || strings.Contains(`{["-0123456789tfn`, s[:1]) && jsontree.IsGrammatical([]byte(s)))
}

// Columns returns how many columns a printable text takes at most.
func Columns(s string) int {
	_, n := fit(s, UnlimitedWidth, UnlimitedWidth)
	return n
}

// WhitespaceLines lays out a text line by line, with visible names for the whitespace at its beginning and end.
func WhitespaceLines(op byte, s string) []Line {
	if s == "" {
		return nil
	}
	kept := strings.Trim(s, " \t\r\n")
	at := strings.Index(s, kept)
	texts := text.PrintableLines(kept, false)
	texts[0] = text.SpellWhitespace(s[:at]) + texts[0]
	texts[len(texts)-1] += text.SpellWhitespace(s[at+len(kept):])
	return linesOf(op, texts)
}
