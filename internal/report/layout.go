package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A segment is printable text of one colour: '=' kept, '-' removed, '+' added; for our
// own words also '*' strong, 'W' a warning, '!' to be careful with, '~' faint.
type segment struct {
	op   byte
	text string
}

// A line is what stands after one gutter. A continued line begins where the one
// before it was too long, not where the text has a line feed.
type line struct {
	sign      byte // '-' or '+': the line, or in a word diff its line feed, was removed or added; else '='
	runs      []segment
	continued bool
}

const (
	lineWidth   = 100 // columns where no terminal says otherwise
	leastWidth  = 40  // columns: a narrower terminal wraps by itself
	inlineJSON  = 88  // columns of JSON that stay on one line
	keptContext = 160 // characters of unchanged text shown on each side of a change
	keptLongest = 480 // longer unchanged text is cut, and says so

	anyWidth = 1 << 30 // columns, for what wraps lines by itself
)

// notStored stands in place of a definition that isn't in the lockfile.
const notStored = "its definition was not stored (hashOnly)"

// text is a line with its gutter, "- |" for old and "+ |" for new.
func (l line) text(paint func(op byte, text string) string) string {
	gutter := []byte("  |")
	if l.sign != '=' {
		gutter[0] = l.sign
	}
	if l.continued {
		gutter[2] = ':'
	}
	text := paint(l.sign, string(gutter))
	for i, r := range l.runs {
		if i == 0 && r.text != "" {
			text += " "
		}
		text += paint(r.op, r.text)
	}
	return text
}

// showValue lays out a value as JSON, on one line if it is short. With asLines a text is
// laid out line by line. asciiOnly escapes all non-ASCII characters, and keeps a text JSON.
func showValue(op byte, v jsontree.Value, asLines, asciiOnly bool, width int) (lines []line) {
	var texts []string
	switch {
	case v.Kind == 0:
	case v.Kind == '"' && asLines && !asciiOnly && !readsAsJSON(v.Text):
		texts = text.Lines(v.Text, false)
	default:
		texts = jsonLines(v, asciiOnly, min(inlineJSON, width))
	}
	for _, text := range texts {
		lines = append(lines, line{op, []segment{{op, text}}, false})
	}
	return wrapLines(lines, width)
}

// jsonLines writes a value as JSON, an object or array on one line if that takes at most
// width bytes.
func jsonLines(v jsontree.Value, asciiOnly bool, width int) []string {
	switch v.Kind {
	case '"':
		return []string{printableString(v.Text, asciiOnly)}
	case '{', '[':
	default:
		return []string{string(jsontree.Append(nil, v))}
	}
	open, end := string(v.Kind), closing(v)
	var inline []string
	lines, fits := []string{open}, true
	for _, p := range v.Parts {
		key, gap := "", ""
		if v.Kind == '{' {
			key, gap = printableString(p.Name, asciiOnly)+":", " "
		}
		inner := jsonLines(p.Value, asciiOnly, width)
		fits = fits && len(inner) == 1
		if len(inline) > 0 {
			lines[len(lines)-1] += ","
		}
		inline = append(inline, key+inner[0])
		inner[0] = key + gap + inner[0]
		for _, l := range inner {
			lines = append(lines, "  "+l)
		}
	}
	if text := open + strings.Join(inline, ",") + end; fits && len(text) <= width {
		return []string{text}
	}
	return append(lines, end)
}

// closing is the bracket that ends an object or an array.
func closing(v jsontree.Value) string {
	if v.Kind == '{' {
		return "}"
	}
	return "]"
}

// printableString is s as a printable JSON string. A line feed, a carriage return
// and a tab get their JSON escapes.
func printableString(s string, asciiOnly bool) string {
	return `"` + string(text.Append(nil, jsonEscapes.Replace(s), asciiOnly)) + `"`
}

var jsonEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// showWords lays out a word diff; with marks as [-removed-] and {+added+}. A line feed
// begins a line, whose sign says if it was removed or added. Texts that look alike are
// spelled by code points, and long unchanged stretches are cut.
func showWords(pieces []diff.Piece, marks bool, width int) []line {
	lines := []line{{sign: '='}}
	for i, p := range pieces {
		var texts []string
		if p.Op == diff.OpKept {
			texts = keptLines(p.Text, i == 0, i == len(pieces)-1)
		} else {
			texts = changedLines(p, marks, spelledOut(pieces, i))
		}
		for j, text := range texts {
			if j > 0 {
				lines = append(lines, line{sign: p.Op})
			}
			lines[len(lines)-1].add(p.Op, text)
		}
	}
	return wrapLines(lines, width)
}

// add appends s, a part of a piece with its marks around it.
func (l *line) add(op byte, s string) {
	if s == "" {
		return
	}
	if n := len(l.runs); strings.HasPrefix(s, "[-") && n > 0 && text.AfterHashes(l.runs[n-1].text) {
		// The bracket of our mark must not turn this text into a command of a CI log.
		kept := &l.runs[n-1]
		at := strings.LastIndex(kept.text, "##") + 1
		kept.text = kept.text[:at] + "<U+0023>" + kept.text[at+1:]
	}
	l.runs = append(l.runs, segment{op, s})
}

// changedLines are the printable lines of a piece that was removed or added. marks puts
// our marks around each, and escapes what would close them early. A long run of line
// feeds is counted.
func changedLines(p diff.Piece, marks, asciiOnly bool) (lines []string) {
	open, end, escaped := "{+", "+}", "<U+002B>}"
	if p.Op == diff.OpRemoved {
		open, end, escaped = "[-", "-]", "<U+002D>]"
	}
	for rest, more := p.Text, true; more; {
		var s string
		s, rest, more = strings.Cut(rest, "\n")
		s = string(text.Append(nil, s, asciiOnly))
		if n := text.RunLength(rest, '\n'); more && n >= text.MaxLineFeeds {
			s += fmt.Sprintf("<%d line feeds>", n+1)
			rest = rest[n:]
		}
		if marks && s != "" {
			s = open + strings.ReplaceAll(s, end, escaped) + end
		}
		lines = append(lines, s)
	}
	return lines
}

// keptLines is the unchanged text between two changes, cut where it is long.
func keptLines(s string, first, last bool) []string {
	str := []rune(s)
	if len(str) <= keptLongest {
		return text.Lines(s, false)
	}
	from, to := keptContext, len(str)-keptContext // of what is left out
	switch {
	case first:
		from = 0
	case last:
		to = len(str)
	}
	lines, after := text.Lines(string(str[:from]), false), text.Lines(string(str[to:]), false)
	lines[len(lines)-1] += fmt.Sprintf("<and %s, unchanged>", text.Count(to-from, "more character")) + after[0]
	return append(lines, after[1:]...)
}

// confusable reports whether two texts could pass for each other: equal once sanitized,
// or different only where at least one of them has a non-ASCII character.
func confusable(a, b string) bool {
	if text.Sanitize(a) == text.Sanitize(b) {
		return true
	}
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y && x < 0x80 && y < 0x80 {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

// spelledOut reports whether a piece looks like the one that it replaces, or that
// replaces it. Then both are spelled by code points.
func spelledOut(pieces []diff.Piece, i int) bool {
	other := i - 1 // a removed piece comes before the added one
	if pieces[i].Op == diff.OpRemoved {
		other = i + 1
	}
	return other >= 0 && other < len(pieces) && pieces[i].Replaces(pieces[other]) && confusable(pieces[i].Text, pieces[other].Text)
}

// lookAlike reports whether both values are texts that could pass for each other.
func lookAlike(e *edit) bool {
	return e.Old.Kind == '"' && e.New.Kind == '"' && confusable(e.Old.Text, e.New.Text)
}

// lines lays out an edit: a word diff, with or without marks, or the old value, then the
// new one.
func (e *edit) lines(marks bool, width int) (lines []line) {
	if e.pieces != nil && !e.blocks {
		return showWords(e.pieces, marks, width)
	}
	asciiOnly := lookAlike(e)
	alone := e.Old.Kind == 0 || e.New.Kind == 0
	for i, v := range []jsontree.Value{e.Old, e.New} {
		asLines := e.blocks || strings.Contains(v.Text, "\n") || alone && strings.Contains(v.Text, " ")
		lines = append(lines, showValue("-+"[i], v, asLines, asciiOnly, width)...)
		if e.CutFrom[i] > 0 {
			lines = append(lines, line{"-+"[i], []segment{{"-+"[i], cutMark}}, false})
		}
	}
	return lines
}

// cutMark follows the beginning of a value that was cut.
const cutMark = "<and more, left out here>"

// shortSides is a change on one line, "1000 -> 100000", or "" if the values aren't short.
func (e *edit) shortSides() string {
	const widest = 40
	if e.pieces != nil || e.unseen != "" || e.New.Kind == 0 {
		return ""
	}
	var sides []string
	for _, v := range []jsontree.Value{e.Old, e.New} {
		if len(v.Parts) > widest {
			return ""
		}
		if v.Kind != 0 {
			sides = append(sides, jsonLines(v, lookAlike(e), widest)...)
		}
	}
	text := strings.Join(sides, " -> ")
	if len(sides) > 2 || max(len(e.Old.Text), len(e.New.Text)) > widest || len(text) > 2*widest {
		return ""
	}
	return text
}

// wrap breaks lines that are too wide, at a space if there is one near. If the terminal
// wrapped them instead, server text could begin a row.
func wrapLines(lines []line, width int) (out []line) {
	for _, l := range lines {
		out = append(out, l.wrap(width, width)...)
	}
	return out
}

// wrap breaks a line; room is the width left for its first row, in columns.
func (l line) wrap(room, width int) (out []line) {
	row := line{sign: l.sign}
	for _, r := range l.runs {
		for {
			size, columns := fit(r.text, room, width)
			if size > 0 || r.text == "" { // a blank line that was added or removed keeps its sign
				row.runs = append(row.runs, segment{r.op, r.text[:size]})
			}
			room -= columns
			if r.text = r.text[size:]; r.text == "" {
				break
			}
			out = append(out, row)
			row, room = line{sign: l.sign, continued: true}, width
		}
	}
	return append(out, row)
}

// fit returns how many bytes of s fit into room columns and, if all do, how many columns
// they take. A text that is too wide is cut after the last space, or before the last mark
// of ours, in the second half of the room; without one, where the room ends.
func fit(s string, room, width int) (size, columns int) {
	blank, mark := 0, false
	for i, r := range s {
		if r == '<' && text.SpellsMark(s[i+1:]) {
			if mark = true; columns > room/2 {
				blank = i
			}
		}
		if r == '>' {
			mark = false
		}
		w := 1
		switch {
		case unicode.Is(text.MarkTable, r):
			w = 0
		case r >= 0x1100:
			w = 2 // wide characters begin here; counting too much does no harm
		}
		if columns += w; columns > room {
			if blank == 0 && room >= width/2 {
				blank = i
			}
			return blank, columns // 0: begin on the next line
		}
		if r == ' ' && !mark && columns > room/2 {
			blank = i + 1
		}
	}
	return len(s), columns
}

// memberHead is the heading of a member of a definition. Unless all is set, a member that
// no model reads and no client decides by is summed up: the heading has its size.
func memberHead(p *pin.Pin, m jsontree.Member, all bool) (head string, summedUp bool) {
	if p.Type == pin.Instructions {
		return "text", false
	}
	head = text.Pointer(jsontree.Pointer("", m.Name))
	summedUp = !all && slices.Contains(unread, m.Name)
	if summedUp {
		head += "  " + text.Number(len(jsontree.Append(nil, m.Value))) + " bytes"
	}
	return head, summedUp
}

// inReadingOrder lists the members of a definition in the order a reviewer reads
// them. Instructions are just one text.
func inReadingOrder(definition jsontree.Value) []jsontree.Member {
	if definition.Kind == '"' {
		return []jsontree.Member{{Name: "text", Value: definition}}
	}
	list := slices.Clone(definition.Members())
	slices.SortStableFunc(list, func(a, b jsontree.Member) int { return readingPlace(a.Name) - readingPlace(b.Name) })
	return list
}

// readingPlace is where a member of a definition comes in reading order.
func readingPlace(member string) int {
	first := []string{"name", "title", "description", "annotations", "inputSchema", "outputSchema"}
	if at := slices.Index(first, member); at >= 0 {
		return at
	}
	return len(first)
}

// readsAsJSON reports whether a text could pass for another kind of value if it stood line by
// line as it is. Then it is shown as a JSON string.
func readsAsJSON(s string) bool {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return 'x' // an escape inside a string
		}
		return r
	}, s)
	return strings.TrimSpace(s) != "" && jsontree.IsGrammatical([]byte(plain))
}

// columns is how many columns a printable text takes at most.
func columns(s string) int {
	_, n := fit(s, anyWidth, anyWidth)
	return n
}
