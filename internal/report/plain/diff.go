package plain

import (
	"fmt"
	"io"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// Titles of findings that belong to no drift.
const (
	unrecordedTitle = "warnings that nobody accepted, in entries pinned before:"
	approvedTitle   = "accepted warnings, in entries that match:"
)

// WriteDiff prints the review.
func WriteDiff(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.WriteMatch(m.Word + ": " + m.Text)
		t.WriteNotes("  ", m.ServerInfoChanges...)
		t.WriteCaptureFindings(m)
		t.WriteNextSteps(m)
		return t.Err
	}
	if len(m.Blocks) > longReview {
		t.WriteNotes("hint: ", "a long review: --stat shows its shape, --only a part (a name, added, warnings, a label)")
	}
	t.WriteHead(m)
	t.countsBelow = true
	last := (*report.ReviewBlock)(nil)
	for i, b := range m.Blocks {
		if i == m.WarnedBlockCount {
			t.WriteSharedChanges(m)
		}
		if t.nothingElse(b) {
			continue
		}
		if last == nil || b.Server != last.Server || !t.short(b) || !t.short(last) {
			t.WriteBlankLine()
		}
		t.WriteBlock(m, b)
		last = b
	}
	t.WriteLateSharedChanges(m)
	t.WriteEntriesWithoutBlock(m)
	t.WriteBlankLine()
	if t.brief {
		t.WriteText("", run('~', "minor, see --full: "+m.Minor))
	}
	t.verdict(m)
	if m.DeselectedCount > 0 {
		t.WriteSteps(m.Review)
	}
	t.WriteNextSteps(m)
	return t.Err
}

// longReview is the number of blocks above which a review prints how to shorten it.
const longReview = 30

// problems prints the problems of a kind.
func (t *Writer) problems(indent, id string, list []report.Problem) {
	for _, p := range list {
		if p.ID == id {
			t.WriteText(indent, run('!', p.Text))
		}
	}
}

// verdict prints the verdict line, with new warnings in their own colour.
func (t *Writer) verdict(m *report.Model) {
	op := byte('!')
	if m.Failed {
		op = '-'
	}
	t.WriteText("", run(op, m.Word+": "), run('W', m.Warning), run(op, strings.TrimPrefix(m.Text, m.Warning)))
}

// WriteNotes prints lines of our own words.
func (t *Writer) WriteNotes(indent string, lines ...string) {
	for _, line := range lines {
		t.WriteText(indent, run('=', line))
	}
}

// WriteFindings prints findings with the names of their entries, equal ones once, under a title where there is one.
func (t *Writer) WriteFindings(indent, title string, list []report.Finding) {
	if len(list) > 0 {
		t.WriteNotes(indent, title)
	}
	names := map[string][]string{} // by the text printed after the names
	said := func(f report.Finding) string { return f.Heading() + text.JoinSpaced(f.Place, f.Detail) }
	for _, f := range list {
		names[said(f)] = append(names[said(f)], f.EntryName)
	}
	for _, f := range list {
		if in := names[said(f)]; in != nil {
			most := maxNames
			if t.Full {
				most = len(in)
			}
			t.finding(indent, &f, " in "+text.JoinNames(in, most)+text.JoinSpaced(f.Place, f.Detail))
			delete(names, said(f))
		}
	}
}

// maxNames is the maximum number of entries that a line about a finding names.
const maxNames = 3

// finding prints one finding: its word, then its description.
func (t *Writer) finding(indent string, f *report.Finding, said string) {
	op := byte('=')
	if f.Warning {
		op = 'W'
	}
	t.WriteText(indent, run(op, f.Heading()), run('=', said))
}

// short reports whether a block takes one line.
func (t *Writer) short(b *report.ReviewBlock) bool { return b.Brief && !t.Full }

// WriteBlock prints a block with its number and title.
func (t *Writer) WriteBlock(m *report.Model, b *report.ReviewBlock) {
	t.Shown[b.Number] = true
	if m.HasSeveralServers && b.Server != t.server {
		t.server = b.Server
		t.WriteText("", run('*', m.Servers[b.Server].Title))
		t.WriteBlankLine()
	}
	number := numbered(m, b.Number)
	title := []layout.Run{run('*', b.Kind+" "+b.Title)}
	if b.Severity == "breaking" {
		title = append(title, run('!', "  breaking"))
	}
	if !b.Blocked && m.Failed {
		title = append(title, run('!', "  allowed"))
	}
	if !t.short(b) {
		if and := b.SharedNumbers(t.Shown); and != "" {
			title = append(title, run('~', "  ("+and+")"))
		}
		t.WriteText(number, title...)
		t.rows(strings.Repeat(" ", len(number)), b)
		return
	}
	t.brief = t.brief || b.Minor
	note := b.Note
	if b.MinorSummary != "" {
		note = "minor: " + b.MinorSummary
	}
	t.WriteText(number, append(title, run('=', text.JoinSpaced(note, b.RemovedSummary)))...)
}

// WriteRows prints the content of a block, for a format that prints its title: the numbers of shared changes come first.
func (t *Writer) WriteRows(indent string, b *report.ReviewBlock) {
	if and := b.SharedNumbers(t.Shown); and != "" {
		t.WriteText(indent, run('~', "("+and+")"))
	}
	t.rows(indent, b)
}

// rows prints the rows of a block. Its note follows its findings.
func (t *Writer) rows(indent string, b *report.ReviewBlock) {
	t.Shown[b.Number] = true
	t.number = b.Number
	note := b.Note
	for _, row := range b.Rows {
		if !row.Finding {
			t.WriteNotes(indent, note)
			note = ""
		}
		if row.Minor && !t.Full {
			continue
		}
		if row.SharedNumber == 0 || !t.Shown[row.SharedNumber] {
			t.row(indent, indent, row)
		}
	}
	t.WriteNotes(indent, note)
	if !t.Full {
		t.WriteNotes(indent, b.RemovedSummary)
	}
	if b.MinorSummary != "" && !t.Full {
		t.brief = true
		if !t.countsBelow {
			t.WriteText(indent, run('~', "minor: "+b.MinorSummary))
		}
	}
}

// TruncateLines cuts lines so that they fit into a number of bytes, together with a note that the rest is left out.
func TruncateLines(lines string, most int) string {
	if len(lines) <= most {
		return lines
	}
	const rest = "    the rest is left out here: see diff\n"
	kept := lines[:max(0, most-len(rest))]
	return kept[:strings.LastIndexByte(kept, '\n')+1] + rest
}

// row prints a row after a number, and the lines below the row.
func (t *Writer) row(number, indent string, row report.Row) {
	if row.Word == "" && row.Phrase == "" {
		t.WriteLines(indent, t.told(row.Lines)) // a definition
		return
	}
	lines := t.told(append([]report.DefinitionLine{row.DefinitionLine}, row.Lines...))
	place := row.Place
	if t.Full {
		place = row.Pointer
	}
	t.put(number, indent+"  ", &lines[0], run(row.Op, row.Word), run('=', text.JoinSpaced(place, lines[0].Phrase)))
	t.WriteLines(indent, lines[1:])
}

// maxNameColumn is the maximum width of the column of names. A longer name shifts the rest of its line.
const maxNameColumn = 28

// WriteLines prints lines: each name in a column, then its phrase and its description, which begins on the same line if
// there is room.
func (t *Writer) WriteLines(indent string, list []toldLine) {
	names := 0 // the width of the column of names
	for _, l := range list {
		if n := 2*l.Depth + len(l.Name); n <= maxNameColumn && l.Name != "" {
			names = max(names, n)
		}
	}
	for _, l := range list {
		depth := strings.Repeat("  ", l.Depth)
		head := depth + l.Phrase
		if l.Name != "" {
			head = fmt.Sprintf("%-*s", names, depth+l.Name) + text.JoinSpaced(l.Phrase)
		}
		if head == depth {
			t.put(indent, indent+depth, &l)
		} else {
			t.put(indent, indent+depth+"  ", &l, run('=', head))
		}
	}
}

// leastBeside is the minimum number of columns that must be left for a text to begin next to its head.
const leastBeside = 20

// put prints the head of a line, and then its text or a reference to an earlier one. A text of one line begins next to
// the head if it fits there, or if there is room for its beginning. Any other text begins below.
func (t *Writer) put(indent, below string, l *toldLine, head ...layout.Run) {
	if l.as != "" {
		t.WriteText(indent, append(head, run('=', "  "), layout.Run{Op: '~', Text: l.as, Block: l.home})...)
		return
	}
	if len(l.Text) == 1 && head != nil {
		line := l.Text[0].MarkChanges()
		before := append([]layout.Run{run('=', indent)}, head...)
		if line.Sign != '=' { // a gutter without a sign begins with spaces
			before = append(before, run('=', "  "))
		}
		room := t.Width - columnsOf(before) - len("  | ")
		rows := line.Wrap(room, t.room(below))
		if room > 0 && len(rows) == 1 || room >= leastBeside && rows[0].Runs != nil {
			t.gutter(rows[0], before...)
			for _, row := range rows[1:] {
				t.gutter(row, run('=', below))
			}
			return
		}
	}
	t.WriteText(indent, head...)
	t.texts(below, l.Text)
}

// columnsOf returns an upper bound of the columns that pieces of a line take.
func columnsOf(runs []layout.Run) (n int) {
	for _, r := range runs {
		n += layout.Columns(r.Text)
	}
	return n
}

// WriteDefinition prints a whole definition: the captured one or, if the entry was removed, the pinned one.
func (t *Writer) WriteDefinition(e *report.Entry) {
	t.WriteText("  ", run('*', e.DisplayName))
	of := e.Captured
	op := byte('+')
	if of == nil {
		of = e.Pinned
		op = '-'
	}
	if of == nil || of.Text == nil {
		return
	}
	tree := jsontree.ParseTrusted(of.Text)
	show := func(title string, v jsontree.Value) {
		t.WriteNotes("  ", title)
		t.texts("  ", layout.ValueLines(op, v, false))
	}
	if tree.Kind == '"' {
		show("", tree)
	}
	for _, m := range tree.Members() {
		pointer := jsontree.ExtendPointer("", m.Name)
		show(text.QuoteWholePointer(pointer), layout.SummarizeIcons(pointer, m.Value))
	}
	for _, f := range of.Files.Parts {
		show(text.QuoteName(f.Name), f.Value)
	}
}
