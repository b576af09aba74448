package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A definition before and after, side by side on the page. The whole tree of differences
// is laid out, so that each change is shown once, in its place. Everything on a line is
// made of pieces: of a word diff, of one side alone, or the same on both.

// A pageRow is one line of both sides, or something between two lines.
type pageRow struct {
	Kind     string // same, diff, one (for both sides), change, fold, full
	Old, New pageCell
	Change   *pageChange // what the lines below are about
	Fold     []pageRow   // unchanged lines
}

// A pageCell is one side of a row. A cell without runs is absent, which is not the same
// as an empty line.
type pageCell struct {
	Class string
	Runs  []pageRun
}

// A pageRun is printable text of one kind: kept "", removed "del", added "ins".
type pageRun struct {
	Op, Text string
	Feed     bool // followed by a line feed that was removed or added, too
}

// A pageChange heads the lines of one change.
type pageChange struct {
	ID      string
	Label   string
	Minor   bool
	Pointer string
	SameAs  int // number of the group that shows it, or 0
	Also    int // other entries with the same change
	Names   string
}

const (
	contextRows = 3  // unchanged lines kept on each side of a change
	worthAFold  = 4  // fewer unchanged lines than this are not worth folding
	rowCost     = 96 // bytes that a row takes on the page besides its text

	maxIndent = 16 // steps of indentation that the style sheet has
)

// An aligner collects rows until there is no room left.
type aligner struct {
	group  int
	edits  []edit
	index  map[string]int // of an edit, by placeOf its change
	budget *wordBudget
	room   int // bytes left
	full   bool
	rows   []pageRow
}

func newAligner(group int, edits []edit, budget *wordBudget, room int) *aligner {
	a := &aligner{group: group, edits: edits, index: map[string]int{}, budget: budget, room: room}
	for i := range edits {
		a.index[placeOf(edits[i].change)] = i
	}
	return a
}

// placeOf tells the changes of a definition apart. The pointer alone doesn't: a value can
// be removed where another one is added.
func placeOf(c change) string {
	return fmt.Sprint(c.pointer, "\x00", c.from, "\x00", c.old.kind == 0, c.new.kind == 0)
}

// part returns the rows that lay makes, with unchanged stretches folded. lay gets half
// of the room: a long text must not push a changed schema after it off the page.
func (a *aligner) part(lay func()) []pageRow {
	all := a.room
	a.room = all / 2
	lay()
	rows := foldRows(a.rows)
	a.room, a.rows = all-all/2+a.room, nil
	a.full = a.room < rowCost*8
	return rows
}

func (a *aligner) emit(r pageRow) {
	if a.full {
		return
	}
	a.rows = append(a.rows, r)
	if a.room -= rowCost; a.room <= 0 {
		a.full = true
		a.rows = append(a.rows, pageRow{Kind: "full"})
	}
}

// header announces a change and reports whether its values are to be shown here.
func (a *aligner) header(i int) bool {
	e := &a.edits[i]
	c := &pageChange{
		ID:      fmt.Sprintf("g%dc%d", a.group, i+1),
		Label:   e.label.id(),
		Minor:   e.label.minor(),
		Pointer: quotedPointer(e.pointer),
		SameAs:  e.home,
		Also:    len(e.also),
		Names:   named(e.also, maxTitleNames),
	}
	if e.from != "" {
		c.Label += ", from " + quotedPointer(e.from)
	}
	c.Label = joined(", ", c.Label, e.unseen)
	a.room -= len(c.Names)
	a.emit(pageRow{Kind: "change", Change: c})
	return e.home == 0
}

// A slot is where a value stands. Prose is a text by itself, line by line. In JSON, key is
// the printable name before the value, with its colon, and comma is what follows it.
type slot struct {
	prose      bool
	once       bool // both sides are shown as one
	key, comma [2]string
	indent     int
}

// node lays out the old and the new value of a node.
func (a *aligner) node(e *diffNode, at slot) {
	if e.leaf() || e.moved {
		if i, known := a.index[placeOf(e.change())]; known && a.header(i) && e.leaf() {
			a.changed(&a.edits[i], at)
		}
	}
	switch {
	case e.leaf():
	case !e.same:
		a.inside(e, at)
	case e.old != nil && e.new != nil: // with one side only, it is compared elsewhere
		a.words([]piece{{'=', at.print(*e.new, false, false)}}, at)
	}
}

// inside lays out the parts of a node between their brackets.
func (a *aligner) inside(e *diffNode, at slot) {
	v, op := cmp.Or(e.new, e.old), byte('=')
	switch {
	case e.old == nil:
		op = '+'
	case e.new == nil:
		op = '-'
	}
	if e.moved && at.key[0] != "" {
		at.key[0] = printableString(e.was.step, false) + ": "
	}
	a.words([]piece{{op, string(v.kind)}}, slot{key: at.key, indent: at.indent})
	var last [2]int // index of the last part on each side
	for i := range e.inside {
		if e.inside[i].old != nil {
			last[0] = i
		}
		if e.inside[i].new != nil {
			last[1] = i
		}
	}
	for i := range e.inside {
		if a.full {
			return
		}
		part, below := &e.inside[i], slot{indent: at.indent + 1}
		for side := range last {
			if v.kind == '{' {
				below.key[side] = printableString(part.now.step, false) + ": "
			}
			if i < last[side] {
				below.comma[side] = ","
			}
		}
		a.node(part, below)
	}
	a.words([]piece{{op, closing(*v)}}, slot{comma: at.comma, indent: at.indent})
}

// changed lays out the two values of one change, and marks what differs in them.
func (a *aligner) changed(e *edit, at slot) {
	var pieces []piece
	switch {
	case e.pieces != nil:
		pieces = at.spell(e.pieces)
	case e.cutFrom == [2]int{} && e.old.kind == '[' && e.new.kind == '[' && scalars(&e.old) && scalars(&e.new):
		pieces = a.budget.diff("[", itemTokens(e.old.parts), itemTokens(e.new.parts), "]")
	}
	if pieces == nil {
		asciiOnly := lookAlike(e)
		old, new := at.print(e.old, asciiOnly, e.cutFrom[0] > 0), at.print(e.new, asciiOnly, e.cutFrom[1] > 0)
		head, tail := commonEnds(old, new)
		pieces = []piece{{'=', old[:head]}, {'-', old[head : len(old)-tail]}, {'+', new[head : len(new)-tail]}, {'=', old[len(old)-tail:]}}
	}
	a.words(slices.DeleteFunc(pieces, func(p piece) bool { return p.text == "" }), at)
}

// itemTokens are the items of an array of scalars and the commas between them.
func itemTokens(items []namedValue) (tokens []string) {
	for i, item := range items {
		if i > 0 {
			tokens = append(tokens, ", ")
		}
		tokens = append(tokens, jsonLines(item.value, false, inlineJSON)[0])
	}
	return tokens
}

// print is a value as printable text for its slot. If it was cut, or is too long, cutMark ends it.
func (at slot) print(v value, asciiOnly, cut bool) string {
	if v.kind == 0 {
		return ""
	}
	room := maxQuoted
	v = clip(v, &room)
	var lines []string
	if at.prose && v.kind == '"' {
		lines = printableLines(v.text, asciiOnly)
	} else {
		lines = jsonLines(v, asciiOnly, inlineJSON)
	}
	if cut || room < 0 {
		lines = append(lines, cutMark)
	}
	return strings.Join(lines, "\n")
}

// spell makes a word diff printable, in JSON between quotes. There each run of line feeds in
// the text begins one new line: a line for each could push what follows out of sight.
func (at slot) spell(pieces []piece) (spelled []piece) {
	for i, p := range pieces {
		asciiOnly, text := spelledOut(pieces, i), ""
		if at.prose {
			text = strings.Join(printableLines(p.text, asciiOnly), "\n")
		} else {
			var b strings.Builder
			for j, l := range strings.SplitAfter(p.text, "\n") {
				if j > 0 && l != "\n" && (l != "" || i < len(pieces)-1) {
					b.WriteByte('\n')
				}
				quoted := printableString(l, asciiOnly)
				b.WriteString(quoted[1 : len(quoted)-1])
			}
			text = b.String()
		}
		spelled = append(spelled, piece{p.op, text})
	}
	if at.prose {
		return spelled
	}
	return slices.Concat([]piece{{'=', `"`}}, spelled, []piece{{'=', `"`}})
}

// words lays out printable pieces in a slot. What both sides have stands on the same row.
func (a *aligner) words(pieces []piece, at slot) {
	on := func(side int, op byte) bool { return op == '=' || op == "-+"[side] }
	var has [2]bool
	for side := range has {
		has[side] = slices.ContainsFunc(pieces, func(p piece) bool { return on(side, p.op) })
	}
	var rows [][2][]pageRun // since both sides were last on the same row
	var last [2]int         // the row that a side is in
	add := func(side int, run pageRun) {
		if last[side] == len(rows) {
			rows = append(rows, [2][]pageRun{})
		}
		row := &rows[last[side]][side]
		*row = append(*row, run)
	}
	around := func(texts [2]string) {
		for side, op := range []byte("-+") {
			if has[1-side] && at.key[0] == at.key[1] {
				op = '='
			}
			if has[side] && texts[side] != "" {
				add(side, a.run(op, texts[side]))
			}
		}
	}
	level := func() {
		for _, sides := range rows {
			a.row(sides, at)
		}
		rows, last = nil, [2]int{}
	}
	around(at.key)
	for _, p := range pieces {
		texts := strings.Split(p.text, "\n")
		for i, text := range texts {
			more := i < len(texts)-1
			run := a.run(p.op, text)
			run.Feed = at.prose && p.op != '=' && more
			for side := range has {
				if on(side, p.op) {
					add(side, run)
				}
				if on(side, p.op) && more {
					last[side]++
				}
			}
			if p.op == '=' && more {
				level()
			}
			if a.full || a.room < 0 {
				level()
				return
			}
		}
	}
	around(at.comma)
	level()
}

// run makes a run of printable text, cut to the room that is left.
func (a *aligner) run(op byte, printed string) pageRun {
	if a.room -= len(printed); a.room < 0 {
		printed = shortened(printed, max(0, len(printed)+a.room))
	}
	return pageRun{Op: map[byte]string{'-': "del", '+': "ins"}[op], Text: printed}
}

// row adds a line of both sides.
func (a *aligner) row(sides [2][]pageRun, at slot) {
	r := pageRow{Kind: "diff", Old: at.cell("old", sides[0]), New: at.cell("new", sides[1])}
	if at.once {
		r.Kind = "one"
	} else if sides[0] != nil && sides[1] != nil && !slices.ContainsFunc(slices.Concat(sides[0], sides[1]), differs) {
		r.Kind = "same"
	}
	a.emit(r)
}

func differs(r pageRun) bool { return r.Op != "" }

// cell is one side of a row. It is indented by its class, so that a line that the browser
// wraps stays indented.
func (at slot) cell(class string, runs []pageRun) pageCell {
	if runs == nil {
		return pageCell{Class: "none"}
	}
	kept := func(r pageRun) bool { return r.Op == "" && r.Text != "" }
	if slices.ContainsFunc(runs, differs) && !slices.ContainsFunc(runs, kept) {
		class += " all" // removed or added whole
	}
	indent := min(at.indent, maxIndent)
	if len(runs) == 1 && !at.prose { // a line of JSON, indented by jsonLines
		blanks := len(runs[0].Text) - len(strings.TrimLeft(runs[0].Text, " "))
		steps := min(blanks/2, maxIndent-indent)
		runs[0].Text = runs[0].Text[2*steps:]
		indent += steps
	}
	return pageCell{fmt.Sprintf("%s i%d", class, indent), runs}
}

// foldRows folds long stretches of unchanged rows, except some around each change.
func foldRows(rows []pageRow) (out []pageRow) {
	for from := 0; from < len(rows); {
		end := from
		for end < len(rows) && rows[end].Kind == "same" {
			end++
		}
		head, tail := from+contextRows, end-contextRows
		if from == 0 {
			head = 1
		}
		if end == len(rows) {
			tail = end - 1
		}
		if tail-head >= worthAFold {
			out = append(append(out, rows[from:head]...), pageRow{Kind: "fold", Fold: rows[head:tail]})
			from = tail
		}
		end = min(end+1, len(rows)) // and the row that follows
		out = append(out, rows[from:end]...)
		from = end
	}
	return out
}
