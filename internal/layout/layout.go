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

// A Run is printable text in one style, which Op selects: '=' kept, '-' removed, '+' added; pinproof's own words may
// also have '*' bold, 'W' a warning, '!' a caution, '~' faint.
type Run struct {
	Op   byte
	Text string

	// The number of the block that the text refers to; 0 if it refers to none, as any server text.
	Block int
}

// A Line is a line of output without its gutter. Continued means that it continues the previous line, which was too
// long.
type Line struct {
	// '-' or '+' if the whole line was removed or added; else '='.
	Sign byte

	Runs      []Run
	Continued bool
}

const (
	// The number of columns if there is no terminal.
	DefaultWidth = 100

	// The minimum number of columns. On a narrower terminal, the terminal wraps the lines.
	MinWidth = 40

	inlineJSON = 88 // the maximum size of JSON on one line, in bytes

	// More columns than any line has, for output that isn't wrapped here.
	UnlimitedWidth = 1 << 30
)

// WithGutter returns the line after its gutter, which is "- |" for removed and "+ |" for added text. In a continued
// line, ":" replaces "|".
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

// ValueLines lays out a text line by line, and any other value as JSON, on one line if it is short. A text that could
// pass for another value is shown as a JSON string. With asciiOnly, every text is, and non-ASCII characters are
// escaped.
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

// maxIndent is the maximum indentation of a value, in bytes, with its line feed. The brackets of a value at any depth show
// what is in it, and a list of short numbers at depth 128 would take 130 times its size.
const maxIndent = 33

// appendJSON appends a value as JSON, and reports whether the value is on one line. breaks is a line feed and the
// indentation of the value, or "" to force one line.
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
	if breaks != "" && len(breaks) < maxIndent {
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

// jsonEscapes also escapes every second one of adjacent spaces, because a reader can't see how many there are where a
// line is wrapped.
var jsonEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "  ", ` \u0020`)

// WordDiffLines lays out a word diff. A kept line feed begins a new line; a removed or added one is shown as an escape.
// If a removed text and its replacement look alike, their non-ASCII characters are spelled as code points.
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

// MarkChanges puts [- -] and {+ +} around removed and added runs, unless the sign of the line already shows the change,
// and escapes text that would close such a mark early.
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

// Wrap breaks a line into rows of at most width columns, at a space if there is one near; room is the width left for
// the first row. If the terminal wrapped the line instead, server text could begin a row.
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

// fit returns how many bytes of s fit into room columns and, if all do, how many columns they use. It cuts a longer
// text after the last space, or before the last <U+...> escape, in the second half of the room; else before a dot or a
// slash there, or where the room ends. A space at the end of a row is invisible, so if the text without that space
// would be cut at the same place, the space begins the next row.
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
			return blank, columns // 0 if the run has to begin on the next row
		}
		if r == ' ' && !mark && columns > room/2 && !strings.HasSuffix(s[:i], " ") {
			blank = i + 1
			blanks++
		}
	}
	return len(s), columns
}

// longestMark is an upper limit for the size, in bytes, of an escape such as <U+200B>.
const longestMark = 16

// isCutWithout reports whether fit would also cut s at an index if the space at that index were removed.
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

// Columns returns the maximum number of columns that a printable text occupies.
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
