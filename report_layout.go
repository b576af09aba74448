package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A stretch is printable text of one colour: kept '=', removed '-', added '+'; of
// our own words also '*' strong, 'W' a warning, '!' to be careful with, '~' faint.
type stretch struct {
	op   byte
	text string
}

// A line is what stands behind one gutter. A continued line goes on where the
// one before it was too long, not where the text has a line feed.
type line struct {
	sign      byte // '-' or '+': the line, or in a word diff its line feed, was removed or added; else '='
	runs      []stretch
	continued bool
}

const (
	lineWidth   = 100 // columns where no terminal says otherwise
	leastWidth  = 40  // columns: a narrower terminal wraps by itself
	inlineJSON  = 88  // columns of JSON that stay on one line
	keptContext = 160 // characters of unchanged text shown on each side of a change
	keptLongest = 480 // unchanged text longer than this is cut, saying so
)

// text is a line behind its gutter, "- |" and "+ |" for old and new.
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

// showValue lays out a value as JSON, on one line if it is short, or a text line by
// line. asciiOnly escapes every other character, and leaves a text JSON.
func showValue(op byte, v value, asLines, asciiOnly bool, width int) (lines []line) {
	var texts []string
	switch {
	case v.kind == 0:
	case v.kind == '"' && asLines && !asciiOnly:
		texts = printableLines(v.text, false)
	default:
		texts = jsonLines(v, asciiOnly, min(inlineJSON, width))
	}
	for _, text := range texts {
		lines = append(lines, line{op, []stretch{{op, text}}, false})
	}
	return wrap(lines, width)
}

// jsonLines writes a value as JSON, an object or array on one line if that takes at most
// width bytes.
func jsonLines(v value, asciiOnly bool, width int) []string {
	switch v.kind {
	case '"':
		return []string{printableString(v.text, asciiOnly)}
	case '{', '[':
	default:
		return []string{string(appendJSON(nil, v))}
	}
	open, end := string(v.kind), string(v.kind+2) // in ASCII "}" is two behind "{", "]" two behind "["
	var inline []string
	lines, fits := []string{open}, true
	for _, p := range v.parts {
		key, gap := "", ""
		if v.kind == '{' {
			key, gap = printableString(p.name, asciiOnly)+":", " "
		}
		inner := jsonLines(p.value, asciiOnly, width)
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

// printableString is a printable JSON string; what JSON itself has short escapes
// for keeps them.
func printableString(s string, asciiOnly bool) string {
	return `"` + string(appendPrintable(nil, jsonEscapes.Replace(s), asciiOnly)) + `"`
}

var jsonEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// showWords lays out a word diff: [-removed-] and {+added+}. A line feed begins a
// line, whose sign says if it was removed or added. Texts that look alike are
// spelled by code points, long unchanged stretches are cut.
func showWords(pieces []piece, width int) []line {
	lines := []line{{sign: '='}}
	for i, p := range pieces {
		var texts []string
		if p.op == '=' {
			texts = keptLines(p.text, i == 0, i == len(pieces)-1)
		} else {
			texts = markedLines(p, spelledOut(pieces, i))
		}
		for j, text := range texts {
			if j > 0 {
				lines = append(lines, line{sign: p.op})
			}
			lines[len(lines)-1].add(p.op, text)
		}
	}
	return wrap(lines, width)
}

// add appends a piece of a word diff, its marks around it.
func (l *line) add(op byte, s string) {
	if s == "" {
		return
	}
	if n := len(l.runs); op == '-' && n > 0 && afterHashes(l.runs[n-1].text) {
		// Our own bracket must not make it a command for a CI log.
		kept := &l.runs[n-1]
		at := strings.LastIndex(kept.text, "##") + 1
		kept.text = kept.text[:at] + "<U+0023>" + kept.text[at+1:]
	}
	l.runs = append(l.runs, stretch{op, s})
}

// markedLines puts our marks around each printable line of a piece, and escapes what
// would close them early. A long run of line feeds is counted.
func markedLines(p piece, asciiOnly bool) (lines []string) {
	open, end, escaped := "{+", "+}", "<U+002B>}"
	if p.op == '-' {
		open, end, escaped = "[-", "-]", "<U+002D>]"
	}
	for rest, more := p.text, true; more; {
		var text string
		text, rest, more = strings.Cut(rest, "\n")
		text = string(appendPrintable(nil, text, asciiOnly))
		if n := runLength(rest, '\n'); more && n >= maxLineFeeds {
			text += fmt.Sprintf("<%d line feeds>", n+1)
			rest = rest[n:]
		}
		if text != "" {
			text = open + strings.ReplaceAll(text, end, escaped) + end
		}
		lines = append(lines, text)
	}
	return lines
}

// keptLines is the unchanged text between two changes, cut where it is long.
func keptLines(s string, first, last bool) []string {
	text := []rune(s)
	if len(text) <= keptLongest {
		return printableLines(s, false)
	}
	from, to := keptContext, len(text)-keptContext // of what is left out
	switch {
	case first:
		from = 0
	case last:
		to = len(text)
	}
	lines, after := printableLines(string(text[:from]), false), printableLines(string(text[to:]), false)
	lines[len(lines)-1] += fmt.Sprintf("<and %s, unchanged>", plural(to-from, "more character")) + after[0]
	return append(lines, after[1:]...)
}

// alike reports whether two texts could pass for each other: equal once sanitized,
// or different only where at least one of them has a non-ASCII character.
func alike(a, b string) bool {
	if sanitizeText(a) == sanitizeText(b) {
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

// spelledOut reports whether a piece looks like the one it replaces, or that
// replaces it: then both are spelled by code points, as showWords does.
func spelledOut(pieces []piece, i int) bool {
	other := i - 1 // what was removed stands before what was added
	if pieces[i].op == '-' {
		other = i + 1
	}
	return pieces[i].op != '=' && other >= 0 && other < len(pieces) &&
		pieces[other].op == '+'+'-'-pieces[i].op && alike(pieces[i].text, pieces[other].text)
}

// lookAlike reports whether both values are texts that could pass for each other.
func lookAlike(e *edit) bool {
	return e.old.kind == '"' && e.new.kind == '"' && alike(e.old.text, e.new.text)
}

// lines lays out an edit: a word diff, or the old value, then the new one.
func (e *edit) lines(width int) (lines []line) {
	if e.pieces != nil && !e.blocks {
		return showWords(e.pieces, width)
	}
	asciiOnly := lookAlike(e)
	alone := e.old.kind == 0 || e.new.kind == 0
	for i, v := range []value{e.old, e.new} {
		asLines := e.blocks || strings.Contains(v.text, "\n") || alone && strings.Contains(v.text, " ")
		lines = append(lines, showValue("-+"[i], v, asLines, asciiOnly, width)...)
		if e.whole[i] > 0 {
			lines = append(lines, line{"-+"[i], []stretch{{"-+"[i], cutMark}}, false})
		}
	}
	return lines
}

// cutMark stands behind the beginning of a value.
const cutMark = "<and more, left out here>"

// shortSides is a change of short values in a line, "1000 -> 100000", or "".
func (e *edit) shortSides() string {
	const widest = 40
	if e.pieces != nil || e.unseen != "" || e.new.kind == 0 {
		return ""
	}
	var sides []string
	for _, v := range []value{e.old, e.new} {
		if len(v.parts) > widest {
			return ""
		}
		if v.kind != 0 {
			sides = append(sides, jsonLines(v, lookAlike(e), widest)...)
		}
	}
	text := strings.Join(sides, " -> ")
	if len(sides) > 2 || max(len(e.old.text), len(e.new.text)) > widest || len(text) > 2*widest {
		return ""
	}
	return text
}

// wrap breaks lines that are too wide, at a blank where there is one near. A
// terminal that wraps would let server text begin a row of its own.
func wrap(lines []line, width int) (out []line) {
	for _, l := range lines {
		out = append(out, l.wrap(width, width)...)
	}
	return out
}

// wrap breaks a line; room is what its first row has of the width.
func (l line) wrap(room, width int) (out []line) {
	row := line{sign: l.sign}
	for _, r := range l.runs {
		for {
			size, columns := fit(r.text, room, width)
			if size > 0 || r.text == "" { // a blank line that was added or removed keeps its sign
				row.runs = append(row.runs, stretch{r.op, r.text[:size]})
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

// fit returns how much of s goes into the room left of a line, in columns, and the
// columns it takes: all of it, or up to the last blank or mark of ours in the
// second half, or what fits.
func fit(s string, room, width int) (size, columns int) {
	blank, mark := 0, false
	for i, r := range s {
		if r == '<' && spellsMark(s[i+1:]) {
			if mark = true; columns > room/2 {
				blank = i
			}
		}
		if r == '>' {
			mark = false
		}
		w := 1
		switch {
		case inTable(markTable[:], r):
			w = 0
		case r >= 0x1100:
			w = 2 // most of what is wide; too many columns are no harm
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

// memberHead is the heading of a member of a definition, with the size of one that is
// summed up: unless all is asked for, what no model reads and no client decides by.
func (p *pin) memberHead(m namedValue, all bool) (head string, summedUp bool) {
	if p.list == instructionsList {
		return "text", false
	}
	head = quotedPointer(pointerTo("", m.name))
	summedUp = !all && slices.Contains([]string{"outputSchema", "_meta", "icons", "execution"}, m.name)
	if summedUp {
		head += "  " + grouped(len(appendJSON(nil, m.value))) + " bytes"
	}
	return head, summedUp
}

// inReadingOrder lists the members of a definition, what a reviewer reads first
// ahead of the rest. Instructions are a text alone.
func inReadingOrder(definition value) []namedValue {
	if definition.kind == '"' {
		return []namedValue{{"text", definition}}
	}
	list := slices.Clone(definition.members())
	slices.SortStableFunc(list, func(a, b namedValue) int { return readingPlace(a.name) - readingPlace(b.name) })
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
