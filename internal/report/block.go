package report

import (
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A diffBlock lays out one drift as the lines of a diff, for the formats that have no
// columns or colours of their own: "-" and "+" lines are old and new, "@@" lines say
// where, "!" lines are findings. Each line begins with one of these or with the gutter,
// so server text never begins one.
type diffBlock struct {
	out  strings.Builder
	room int  // bytes left
	full bool // a line was left out; so is all that follows, or the gap would not show

	shape shape // that was shown last
}

// Limits on what a report quotes, in bytes. Whatever is cut says so.
const (
	maxQuoted     = 64 << 10 // one text or value; the largest definition of real servers has 13 kB
	maxReportText = 4 << 20  // all of them together: a browser still opens that at once
	maxDetail     = 1_000    // on one line: the detail of a finding, a code span
	maxCommand    = 4_000    // nobody pastes a longer one
)

// blockFull is the last line of a block that leaves lines out.
const blockFull = "! the rest is left out here: see diff\n"

// String is the block. Its last line says if lines were left out.
func (b *diffBlock) String() string {
	if b.full {
		return b.out.String() + blockFull
	}
	return b.out.String()
}

func (b *diffBlock) line(s string) {
	if b.full = b.full || len(s)+1+len(blockFull) > b.room; !b.full {
		b.out.WriteString(s + "\n")
		b.room -= len(s) + 1
	}
}

// part gives lay half of the room that is left: a long text must not push a changed
// schema after it off the page.
func (b *diffBlock) part(lay func(*diffBlock)) {
	if b.full {
		return
	}
	half := diffBlock{room: b.room / 2}
	lay(&half)
	b.out.WriteString(half.out.String())
	b.room -= half.out.Len()
	if half.full {
		b.line("! the rest of this is left out here: see diff")
	}
}

// lines adds lines with their gutters.
func (b *diffBlock) lines(list []line) {
	for _, l := range list {
		b.line(l.text(func(_ byte, text string) string { return text }))
	}
}

// drift lays out one drift. With all, minor edits and a renamed entry are shown in full.
func (b *diffBlock) drift(r *Report, d *pin.Drift, g *group, all bool) {
	if note := driftNote(d); note != "" {
		b.line("@@ " + note + " @@")
	}
	op, wholes := r.wholes(d, all)
	for i := range wholes {
		b.whole(op, &wholes[i])
	}
	shown, shared, minor := g.parts(all)
	for _, e := range shown {
		b.edit(r, d, g, e)
	}
	for _, edits := range shared {
		b.line("@@ also changed as shown under " + text.Number(edits[0].home) + ": " + labelCounts(edits) + " @@")
	}
	if len(minor) > 0 {
		b.line("@@ minor, not shown: " + labelCounts(minor) + " @@")
	}
}

// wholes lists the definitions of a drift to show whole. op: '-' pinned, '+' found.
func (r *Report) wholes(d *pin.Drift, all bool) (op byte, list []pin.Pin) {
	switch {
	case d.Kind == pin.Duplicate:
		return '+', d.Definitions()
	case d.Kind == pin.Removed && d.RenamedTo == "":
		return '-', []pin.Pin{*d.Locked}
	case d.Kind == pin.Added && (d.RenamedFrom == "" || all), d.Locked != nil && d.Captured != nil && !d.TextsKnown():
		return '+', []pin.Pin{*d.Captured}
	}
	return 0, nil
}

func (b *diffBlock) edit(r *Report, d *pin.Drift, g *group, e *edit) {
	b.line("@@ " + e.Label.ID() + spaced(placeOf(d.Type, e.Pointer), r.editNote(g, e)) + " @@")
	if e.home > 0 {
		return
	}
	if len(e.also) > 0 {
		b.line("@@ " + e.alsoText(maxSaidNames) + " @@")
	}
	if shape, ok := shapeOf(d, e); ok {
		if shape == b.shape {
			b.line("@@ as above @@") // another keyword of the same schema
		} else {
			b.line("- | " + shape.name + "  " + shape.was)
			b.line("+ | " + shape.name + "  " + shape.is)
		}
		b.shape = shape
		return
	}
	if s, ok := signJoined(d, e); ok {
		b.signature('+', s)
		return
	}
	b.part(func(b *diffBlock) {
		if e.pieces != nil && !e.blocks {
			b.words(e.pieces)
			return
		}
		b.value('-', e.Old, lookAlike(e), e.blocks)
		b.value('+', e.New, lookAlike(e), e.blocks)
		if e.CutFrom != [2]int{} {
			b.line("! " + cutMark)
		}
	})
}

// words lays out a word diff. A line that both sides have stands once. A line that
// differs stands twice, old and new, with the words that differ marked.
func (b *diffBlock) words(pieces []diff.Piece) {
	lines := showWords(pieces, true, anyWidth)
	for len(lines) > 0 {
		n := 1 // the lines up to the next one that begins on both sides
		for n < len(lines) && lines[n].sign != '=' {
			n++
		}
		level := lines[:n]
		lines = lines[n:]
		if n == 1 && !slices.ContainsFunc(level[0].runs, func(r segment) bool { return r.op != '=' }) {
			b.lines(wrapLines(level, lineWidth))
			continue
		}
		for _, op := range []byte("-+") {
			var side []line
			for _, l := range level {
				if l.sign == '=' || l.sign == op {
					side = append(side, line{sign: op})
				}
				last := &side[len(side)-1]
				for _, r := range l.runs {
					if r.op == '=' || r.op == op {
						last.runs = append(last.runs, r)
					}
				}
			}
			b.lines(wrapLines(side, lineWidth))
		}
	}
}

// value lays out the value of one side, a text line by line if asLines is set. If it
// cuts the value it sets full, so that part says so.
func (b *diffBlock) value(op byte, v jsontree.Value, asciiOnly, asLines bool) {
	room := maxQuoted
	shown := jsontree.Clip(v, &room)
	b.lines(showValue(op, shown, asLines || strings.Contains(shown.Text, "\n"), asciiOnly, lineWidth))
	b.full = b.full || room < 0
}

// signature lays out a signature. Its description takes at most half of the room that is
// left: what follows matters as much.
func (b *diffBlock) signature(op byte, s signature) {
	add := func(b *diffBlock, s signature) {
		var out strings.Builder
		NewText(&out, TextStyle{Width: lineWidth - len("+ | ")}).signature("", &s)
		for line := range strings.Lines(out.String()) {
			b.line(string(op) + " | " + strings.TrimSuffix(line, "\n"))
		}
	}
	b.part(func(b *diffBlock) { add(b, signature{hints: s.hints, text: s.text}) })
	s.hints, s.text = nil, jsontree.Value{}
	add(b, s)
}

// whole shows a definition as its signature. Where it has none, it gives of members that
// matter little only the size.
func (b *diffBlock) whole(op byte, p *pin.Pin) {
	b.line(string(op) + " | " + short(p.Digest))
	if p.Definition == nil || b.full {
		return
	}
	if s, ok := signDefinition(p); ok {
		b.signature(op, s)
		return
	}
	for _, m := range inReadingOrder(p.Tree()) {
		head, summedUp := memberHead(p, m, false)
		b.line("@@ " + head + " @@")
		if !summedUp {
			b.part(func(b *diffBlock) { b.value(op, m.Value, false, true) })
		}
	}
}

// findings prints the findings of a section.
func (b *diffBlock) findings(s section) {
	for _, f := range s.List {
		b.line("! " + joined("  in ", f.Word, f.Names) + spaced(f.Place, f.Detail))
	}
	if s.More != "" {
		b.line("! " + s.More)
	}
}

// A section is a titled list of findings, for Markdown, HTML and JUnit.
type section struct {
	Title string
	List  []row
	More  string // what is left out
}

// newSection lists findings. entries is the number of entries named above them, 0 for none.
func newSection(title string, list []collapsedFinding, entries int) section {
	list, more := bounded(list, "finding")
	s := section{Title: title, More: more}
	for _, f := range list {
		row := f.row(entries, maxSaidNames)
		row.Detail = shortened(row.Detail, maxDetail)
		s.List = append(s.List, row)
	}
	return s
}

// A pageText is what Markdown, HTML and in part JUnit say around the drift.
type pageText struct {
	Overview []string    // what there is to read, without what the verdict says
	Sides    [][3]string // server, pinned, now
	Notes    []string    // on the sides, and what is wrong with whole servers
	Whole    section
	Others   []section
	Steps    []step
}

func newPageText(r *Report) pageText {
	t := pageText{
		Whole: newSection("About the whole list", collapseFindings(slices.Concat(r.General(), r.unpinned()), r.subjectOf), 0),
		Others: []section{
			newSection("Not on record: the rules or the names around them are new", collapseFindings(r.inOtherServers(), r.subjectOf), 0),
			newSection("Approved warnings, in what matches its pins", collapseFindings(r.approvedBefore(), r.subjectOf), 0),
		},
	}
	if r.Matches || r.Empty() {
		return t
	}
	t.Overview = slices.DeleteFunc(r.overview(), func(line string) bool { return strings.Contains(r.verdictText(), line) })
	servers, _ := bounded(r.byServer(), "server") // the sides below say what is left out
	for _, said := range servers {
		t.Overview = append(t.Overview, said[0]+": "+said[1])
	}
	sides, more := bounded(r.sides(), "server")
	notes := []string{more}
	for _, s := range sides {
		t.Sides = append(t.Sides, [3]string{s.server, s.old, s.new})
		notes = append(notes, s.notes...)
	}
	notes = append(notes, r.inSeveral()...)
	for _, p := range r.problems() {
		notes = append(notes, p.Text)
	}
	notes, more = bounded(notes, "line")
	t.Notes = slices.DeleteFunc(append(notes, more), func(note string) bool { return note == "" })
	if r.Lockfile != "" {
		t.Steps = []step{r.ReviewStep()}
	}
	t.Steps = slices.DeleteFunc(slices.Concat(t.Steps, r.NextSteps(), r.recordSteps()), func(s step) bool { return s.Command == "" || len(s.Command) > maxCommand })
	return t
}

// bounded returns the beginning of a list, and in words how much is left out.
func bounded[T any](list []T, noun string) (kept []T, more string) {
	const most = 100
	if n := len(list) - most; n > 0 {
		return list[:most], text.Count(n, "more "+noun) + " left out here"
	}
	return list, ""
}

// shortened cuts printable text after so many bytes and says how much it left out.
func shortened(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	kept := strings.ToValidUTF8(s[:bytes], "")
	return fmt.Sprintf("%s<and %s>", kept, text.Count(len(s)-len(kept), "more byte"))
}
