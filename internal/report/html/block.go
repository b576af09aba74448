package html

import (
	"cmp"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
)

// A row is one finding, note or change of a block, as it is on the page.
type row struct {
	Class string // "warning", "change", "note" or "faint"
	Word  string
	Label string // the id of the label, if Word is one
	place
	Detail string
	As     string // says where the same is above

	// The number of the block above that shows the same, if it is on the page; else 0.
	Home int

	// If the reference leads to rows that stand under a letter (see report.Letter), its name, "a"; or "".
	Letter string

	// Letters that stand for several rows. A row with letters has nothing else but a detail.
	Letters []string

	Lines []line
}

// A place is where something is, for people. The browser cuts the beginning of a long one where it has no room for
// it: the text is there whole, for those who copy it and for screen readers.
type place struct {
	// The beginning of a long one, up to a slash; or "".
	Above string

	Last string // the rest

	// A title: the JSON Pointer, or the place if that is long; or "".
	Whole string
}

// A place of more than longPlace bytes may be cut at its beginning, but not in its last part, which has at most
// lastPlace bytes.
const (
	longPlace = 48
	lastPlace = 32
)

// placeOf divides a place.
func placeOf(said, pointer string) place {
	p := place{Last: said}
	if pointer != said {
		p.Whole = pointer
	}
	if len(said) <= longPlace {
		return p
	}
	end := len(said) - lastPlace
	if at := strings.IndexByte(said[end:], '/'); at >= 0 {
		p.Above = said[:end+at+1]
		p.Last = said[end+at+1:]
		p.Whole = cmp.Or(p.Whole, said)
	}
	return p
}

// A told is a letter with its rows. It is before the first block that needs it.
type told struct {
	Name string
	Text string
	Rows []row
}

// A line says one thing of a definition.
type line struct {
	Depth  int
	Name   string
	Phrase string
	As     string
	Home   int
	Letter string
	Texts  []textLine
}

// A textLine is a line of a server's text. It is in an element of its own, which no text can leave.
type textLine struct {
	Class string // "came", "went" or "kept"

	// The same for those who see no colour: "+", "-" or "".
	Sign string

	Pieces []piece
}

// A piece is a part of a line that was kept, added or removed. The marks around it are those of the
// review on a terminal: they are hidden from the eye, which sees a line through or under the text.
type piece struct {
	Op               string // "ins", "del" or ""
	Open, Text, Mark string
}

// A drawer draws blocks one after another.
type drawer struct {
	shown   map[int]bool    // numbers of the blocks above
	told    map[string]bool // letters that were told above
	deepest int             // the greatest depth of a line so far
}

// rows draws a block without its title: its findings, its note, then what changed.
func (d *drawer) rows(b *report.Block) (rows []row) {
	d.shown[b.Number] = true
	say := func(text string) {
		if text != "" {
			rows = append(rows, row{Class: "note", Detail: text})
		}
	}
	if b.Reason != "" {
		rows = append(rows, row{Class: "change", Word: "first because", Detail: b.Reason})
	}
	note := b.Note
	above := "" // the names that are above
	for i := range b.Rows {
		r := &b.Rows[i]
		if !r.Finding {
			say(note)
			note = ""
		}
		if r.Minor || d.told[r.Letter] {
			continue
		}
		names, rest := b.Above(r)
		if names != "" && names != above {
			say("in " + names + ":")
		}
		above = names
		rows = append(rows, d.row(&rest))
	}
	say(note)
	for _, also := range b.Also(d.told) {
		drawn := row{Class: "note", Letters: also.Letters}
		if also.Names != "" {
			drawn.Detail = "in " + also.Names
		}
		rows = append(rows, drawn)
	}
	say(b.Gone)
	if b.Summed != "" {
		say("minor: " + b.Summed)
	}
	return rows
}

// classOf are the classes of a row's word, by its Op.
var classOf = map[byte]string{'W': "warning", '!': "change", '=': "note", '+': "note", '-': "note", '~': "faint"}

func (d *drawer) row(r *report.Row) row {
	drawn := row{Class: classOf[r.Op], Word: r.Word, Label: r.Label, place: placeOf(r.Place, r.Pointer), Detail: r.Behind()}
	lines := r.Lines
	if r.Home != 0 && d.shown[r.Home] {
		drawn.Home = r.Home
		return drawn
	}
	titled := r.Word != "" || r.Detail != ""
	if titled && r.Home == 0 && len(lines) > 0 && lines[0].Name+lines[0].Phrase == "" && d.refers(&lines[0]) {
		drawn.As = lines[0].As
		drawn.Home = lines[0].Home
		drawn.Letter = lines[0].Letter
		lines = lines[1+lines[0].Skip:]
	}
	for _, l := range report.Told(lines, d.refers) {
		one := line{Depth: l.Depth, Name: l.Name, Phrase: l.Phrase}
		d.deepest = max(d.deepest, l.Depth)
		if l.As != "" {
			one.As = l.As
			one.Home = l.Home
			one.Letter = l.Letter
		}
		for _, t := range l.Text {
			one.Texts = append(one.Texts, textOf(t))
		}
		drawn.Lines = append(drawn.Lines, one)
	}
	return drawn
}

// refers reports whether a line is told by a reference to what is above.
func (d *drawer) refers(l *report.Line) bool {
	return l.As != "" && d.shown[l.Home] && (l.Letter == "" || d.told[l.Letter])
}

// letters draws the letters that are told before a block.
func (d *drawer) letters(b *report.Block) (list []told) {
	for i := range b.Letters {
		l := &b.Letters[i]
		drawn := told{Name: l.Name, Text: l.Text}
		for j := range l.Rows {
			drawn.Rows = append(drawn.Rows, d.row(&l.Rows[j]))
		}
		list = append(list, drawn)
		d.told[l.Name] = true
	}
	return list
}

// textOf draws a line of a text. Its pieces are those that a word diff found.
func textOf(l layout.Line) textLine {
	drawn := textLine{Class: "kept"}
	switch l.Sign {
	case '+':
		drawn.Class = "came"
		drawn.Sign = "+"
	case '-':
		drawn.Class = "went"
		drawn.Sign = "-"
	}
	for _, r := range l.Marked().Runs {
		p := piece{Text: r.Text}
		// Marked has put a mark of two bytes on both sides.
		if r.Op != l.Sign && (r.Op == '+' || r.Op == '-') {
			p.Op = map[byte]string{'+': "ins", '-': "del"}[r.Op]
			p.Open = r.Text[:2]
			p.Text = r.Text[2 : len(r.Text)-2]
			p.Mark = r.Text[len(r.Text)-2:]
		}
		drawn.Pieces = append(drawn.Pieces, p)
	}
	return drawn
}
