package plain

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// leastRepeated is the minimum size, in bytes, of a text or schema description that is printed only once.
const leastRepeated = 120

// A spot is where something was printed: a place in a block.
type spot struct {
	block int
	place string
}

// A toldLine is a line to print. A reference (as) to an earlier line may replace its text and the lines below it.
type toldLine struct {
	report.DefinitionLine
	as   string
	home int // the block that as leads to
}

// told returns the lines to print, with references to what was printed before. Adjacent lines that differ only in
// their names become one line.
func (t *Writer) told(list []report.DefinitionLine) (told []toldLine) {
	var names []string // of the last line told
	finish := func() {
		if len(names) > 1 {
			told[len(told)-1].Name = strings.Join(names, ", ")
		}
	}
	for len(list) > 0 {
		l := toldLine{DefinitionLine: list[0]}
		part := list[:1+below(list)]
		list = list[1:]
		isShared := l.SharedNumber > 0 && t.Shown[l.SharedNumber] && !t.Full
		if isShared {
			l.DefinitionLine = report.DefinitionLine{Name: l.Name, Depth: l.Depth}
			l.as = "as in " + text.FormatNumber(part[0].SharedNumber)
			l.home = part[0].SharedNumber
		}
		if isShared || t.refer(&l, part) {
			list = list[len(part)-1:]
			part = part[:1]
		}
		if isShared && !part[0].AlwaysPrinted {
			continue
		}
		if n := len(told); n > 0 && len(part) == 1 && isToldWith(&l, &told[n-1]) {
			names = append(names, l.Name)
			continue
		}
		finish()
		told = append(told, l)
		names = []string{l.Name}
	}
	finish()
	return told
}

// below returns the number of lines that are nested in the first one.
func below(list []report.DefinitionLine) int {
	n := slices.IndexFunc(list[1:], func(l report.DefinitionLine) bool { return l.Depth <= list[0].Depth })
	if n < 0 {
		n = len(list) - 1
	}
	return n
}

// isToldWith reports whether two lines next to each other differ in nothing but their names.
func isToldWith(l, last *toldLine) bool {
	isSame := l.Text == nil && last.Text == nil && l.Depth == last.Depth && l.Phrase == last.Phrase && l.as == last.as
	return isSame && l.Phrase+l.as != "" && l.Name != "" && last.Name != ""
}

// refer replaces a line's content by a reference if the content was printed before. Otherwise, it records where the
// content is printed now.
func (t *Writer) refer(l *toldLine, part []report.DefinitionLine) bool {
	key, sign, size := t.contentOf(part)
	if t.Full || l.Place == "" || size < leastRepeated {
		return false
	}
	at, seen := t.printed[key]
	here := spot{t.number, l.Place}
	if !seen || !t.Shown[at.block] || at == here {
		t.printed[key] = here
		return false
	}
	l.as = sign + "as"
	if at.place != l.Place {
		l.as += " " + at.place
	}
	if at.block == t.number {
		l.as += " above"
	} else {
		l.as += " in " + text.FormatNumber(at.block)
	}
	l.home = at.block
	l.Text = nil
	return true
}

// contentOf returns a key for the content of lines, without the name and the phrase of the first line, and the size
// of the content. If all texts were added, the key is the same as in a whole definition, because only the signs differ.
func (t *Writer) contentOf(part []report.DefinitionLine) (key [sha256.Size]byte, sign string, size int) {
	h := sha256.New()
	isAdded := !slices.ContainsFunc(part, func(l report.DefinitionLine) bool { return len(l.Text) > 0 && !t.textOf(l.Text).isAdded })
	for i, l := range part {
		if i > 0 {
			fmt.Fprintf(h, "%d\x00%s\x00%s\x00", l.Depth-part[0].Depth, l.Name, l.Phrase)
			size += len(l.Name) + len(l.Phrase)
		}
		text := t.textOf(l.Text)
		sign = cmp.Or(sign, text.sign)
		size += text.size
		fmt.Fprint(h, text.isAdded && !isAdded)
		h.Write(text.key[:])
	}
	h.Sum(key[:0])
	return key, sign, size
}

// A textContent is what contentOf uses of a text.
type textContent struct {
	key     [sha256.Size]byte // of an added text as if it had no signs
	isAdded bool              // all of it was added
	sign    string            // the first one
	size    int               // bytes
}

// textOf returns the content of a text. It computes the content once, because a text is also part of each schema
// around it.
func (t *Writer) textOf(lines []layout.Line) (c textContent) {
	if len(lines) == 0 {
		return c
	}
	if known, isKnown := t.contents[&lines[0]]; isKnown {
		return known
	}
	h := sha256.New()
	isOld := func(line layout.Line) bool {
		return line.Sign != '+' || slices.ContainsFunc(line.Runs, func(r layout.Run) bool { return r.Op != '+' })
	}
	c.isAdded = !slices.ContainsFunc(lines, isOld)
	for _, line := range lines {
		if c.sign == "" && line.Sign != '=' {
			c.sign = string(line.Sign) + " "
		}
		if c.isAdded {
			line.Sign = '='
		}
		fmt.Fprintf(h, "%c\x00", line.Sign)
		for _, r := range line.Runs {
			if c.isAdded {
				r.Op = '='
			}
			fmt.Fprintf(h, "%c%s\x00", r.Op, r.Text) // printable text doesn't contain \x00
			c.size += len(r.Text)
		}
		io.WriteString(h, "\n")
	}
	h.Sum(c.key[:0])
	t.contents[&lines[0]] = c
	return c
}
