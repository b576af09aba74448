package plain

import (
	"bytes"
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
	unrecordedTitle = "not on record, in entries pinned before:"
	approvedTitle   = "approved warnings in entries that match:"
)

// WriteDiff prints the review.
func WriteDiff(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.printf("%s\n", t.paint('+', m.Word+": "+m.Text))
		t.Findings("  ", approvedTitle, m.Approved)
		t.unrecorded(m)
		return t.Err
	}
	var blocks bytes.Buffer
	inner := *t
	inner.w = &blocks
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if i == 0 || b.Opens || !inner.short(b) || !inner.short(&m.Blocks[i-1]) {
			inner.Blank()
		}
		inner.Block(m, b)
	}
	lines := bytes.Count(blocks.Bytes(), []byte("\n"))
	if long := len(m.Blocks) > longReview || lines > longLayout; long && len(m.Blocks) > 1 {
		t.Say("", layout.Run{Op: '!', Text: "a long review: " + text.Count(len(m.Blocks), "change") + " in " + text.Count(lines, "line")})
		t.Hint(m.Stat, m.Part)
	}
	t.Head(m)
	t.printf("%s\n", blocks.Bytes())
	if inner.brief {
		t.Say("", layout.Run{Op: '~', Text: "minor changes are counted, not shown: --full shows them"})
	}
	t.verdict(m)
	for _, p := range m.Problems {
		if p.Command == "" && p.ID != "other-server" && m.NoAnswer == nil {
			t.Hint(report.Step{Text: p.Text})
		}
	}
	t.Hint(m.All)
	t.Hint(m.Next...)
	t.Hint(m.Record...)
	return t.Err
}

// Above these limits a review says how long it is, and what shortens it: it is more than
// one sitting.
const (
	longReview = 60  // blocks
	longLayout = 300 // lines
)

// unrecorded prints the warnings that are not on record.
func (t *Writer) unrecorded(m *report.Model) {
	t.Findings("  ", unrecordedTitle, m.Unrecorded)
	t.Hint(m.Record...)
}

// otherServers prints which captures look like those of another server.
func (t *Writer) otherServers(m *report.Model) {
	for _, p := range m.Problems {
		if p.ID == "other-server" {
			t.Say("", layout.Run{Op: '!', Text: p.Text})
		}
	}
}

// verdict prints the verdict line, with new warnings in their own colour.
func (t *Writer) verdict(m *report.Model) {
	op := byte('!')
	if m.Failed {
		op = '-'
	}
	t.Say("", layout.Run{Op: op, Text: m.Word + ": "}, layout.Run{Op: 'W', Text: m.Warning}, layout.Run{Op: op, Text: strings.TrimPrefix(m.Text, m.Warning)})
}

// Head says what is compared, what drifted of each server, and what is worth reading first.
func (t *Writer) Head(m *report.Model) {
	t.otherServers(m)
	if m.Several {
		t.table(m)
	} else {
		s := &m.Servers[0]
		t.Say("", layout.Run{Op: '*', Text: t.sideText(s)})
		t.versions("  ", s)
		t.notes("  ", s.Notes...)
		t.notes("  ", countText(&s.Counts, true))
	}
	t.Say("  ", layout.Run{Op: 'W', Text: m.Warned})
	t.notes("  ", m.Notes...)
	if len(m.Worst) > 0 {
		t.notes("  ", "first:")
	}
	for _, w := range m.Worst {
		var names []string
		for _, e := range w.Entries {
			names = append(names, fmt.Sprintf("%s (%d)", e.Name, e.Block))
		}
		t.Say("    ", layout.Run{Op: '=', Text: w.Said + ": "}, layout.Run{Op: '*', Text: strings.Join(names, ", ")}, layout.Run{Op: '=', Text: strings.TrimRight(" "+w.More, " ")})
	}
	t.Findings("  ", "", m.Whole)
	t.Findings("  ", unrecordedTitle, m.Unrecorded)
	t.Findings("  ", approvedTitle, m.Approved)
}

// notes prints lines of ours.
func (t *Writer) notes(indent string, lines ...string) {
	for _, line := range lines {
		t.Say(indent, layout.Run{Op: '=', Text: line})
	}
}

// Findings prints findings with the names of their entries, under a title where there
// is one.
func (t *Writer) Findings(indent, title string, list []report.Finding) {
	if len(list) > 0 {
		t.notes(indent, title)
	}
	for i := range list {
		t.finding(indent, &list[i], strings.TrimPrefix(list[i].Said(), list[i].Word()))
	}
}

// finding prints one finding, with what is said of it behind its word.
func (t *Writer) finding(indent string, f *report.Finding, said string) {
	op := byte('=')
	if f.Warning {
		op = 'W'
	}
	t.Say(indent, layout.Run{Op: op, Text: f.Word()}, layout.Run{Op: '=', Text: said})
}

// short reports whether a block takes one line.
func (t *Writer) short(b *report.Block) bool { return b.Minor && !t.Full }

// Block prints what is read in one go.
func (t *Writer) Block(m *report.Model, b *report.Block) {
	t.Shown[b.Number] = true
	if m.Several && b.Opens {
		t.Say("", layout.Run{Op: '*', Text: t.sideText(&m.Servers[b.Server])})
		t.Blank()
	}
	number := fmt.Sprintf("%*d  ", len(fmt.Sprint(len(m.Blocks))), b.Number)
	title := []layout.Run{{Op: '*', Text: b.Kind + " " + b.Title}}
	if b.Severity == "breaking" {
		title = append(title, layout.Run{Op: '!', Text: "  breaking"})
	}
	if !b.Blocked && m.Failed {
		title = append(title, layout.Run{Op: '!', Text: "  allowed"})
	}
	if !t.short(b) {
		t.Say(number, title...)
		t.Rows(strings.Repeat(" ", len(number)), b)
		return
	}
	t.brief = true
	note := b.Note
	if b.Summed != "" {
		note = "minor: " + b.Summed
	}
	t.Say(number, append(title, layout.Run{Op: '=', Text: text.Spaced(note)})...)
}

// Rows prints what is said of a block, without its title. Its note follows its findings.
func (t *Writer) Rows(indent string, b *report.Block) {
	t.Shown[b.Number] = true
	note := b.Note
	for i := range b.Rows {
		row := &b.Rows[i]
		if !row.Finding {
			t.notes(indent, note)
			note = ""
		}
		if !row.Minor || t.Full {
			t.row(indent, row)
		}
	}
	t.notes(indent, note)
	if b.Summed != "" && !t.Full {
		t.brief = true
		t.Say(indent, layout.Run{Op: '~', Text: "minor: " + b.Summed})
	}
}

// Shorten cuts lines after so many bytes, and says so.
func Shorten(lines string, most int) string {
	if len(lines) <= most {
		return lines
	}
	const rest = "the rest is left out here: see diff\n"
	kept := lines[:max(0, most-len(rest))]
	return kept[:strings.LastIndexByte(kept, '\n')+1] + rest
}

// row prints a row and what stands below it.
func (t *Writer) row(indent string, row *report.Row) {
	below := indent + "  "
	place := row.Place
	if t.Full {
		place = row.Pointer
	}
	if row.Word == "" && row.Detail == "" {
		below = indent // a definition
	} else {
		t.Say(indent, layout.Run{Op: row.Op, Text: row.Word}, layout.Run{Op: '=', Text: text.Spaced(place, in(row.Detail, row.Names))})
	}
	if row.Home == 0 || !t.Shown[row.Home] {
		t.Lines(below, row.Lines)
	}
}

func in(detail, names string) string {
	if detail == "" || names == "" {
		return detail + names
	}
	return detail + ", in " + names
}

// Widths of the columns of parameters.
const (
	maxNameColumn   = 28 // a longer name pushes the rest of its line
	leastTextColumn = 44 // of a description beside its parameter
)

// Lines prints lines in columns: a name, what it takes, and its description.
func (t *Writer) Lines(indent string, list []report.Line) {
	names, phrases := 0, 0
	heads := make([]string, len(list)) // names, indented by their depth
	for i, l := range list {
		heads[i] = strings.Repeat("  ", l.Depth) + l.Name
		if n := len(heads[i]); n <= maxNameColumn && l.Name != "" {
			names = max(names, n)
		}
	}
	most := t.Width - len(indent) - names - len("    | ") - leastTextColumn
	for i, l := range list {
		if l.Name != "" {
			heads[i] = fmt.Sprintf("%-*s  ", names, heads[i])
		}
		heads[i] = strings.TrimRight(heads[i]+l.Phrase, " ")
		if n := layout.Columns(l.Phrase); n <= most && l.Name != "" {
			phrases = max(phrases, n)
		}
	}
	at := names + len("  ") + phrases // where descriptions begin
	for i := 0; i < len(list); i++ {
		l, head := &list[i], layout.Run{Op: '=', Text: heads[i]}
		if l.As != "" && !t.Full && (t.Shown[l.Home]) {
			t.Say(indent, head, layout.Run{Op: '~', Text: strings.TrimPrefix(text.Spaced(l.As), map[bool]string{true: "  "}[strings.TrimSpace(heads[i]) == ""])})
			i += l.Skip
			continue
		}
		below := indent + strings.Repeat("  ", l.Depth)
		if strings.TrimSpace(heads[i]) == "" {
			t.lines(below, t.wrapped(len(below), l.Text))
			continue
		}
		below += "  "
		at, size := at, layout.Columns(heads[i])
		if l.Phrase == "" {
			at = names
		}
		room := t.Width - len(indent) - at - len("  | ")
		shown := t.wrapped(len(indent)+at+2, l.Text)
		apart := t.wrapped(len(below), l.Text)
		switch {
		case len(l.Text) == 0:
			t.Say(indent, head)
		case size <= at && room >= layout.LeastWidth/2 && len(shown) <= 1+len(apart):
			lead, gap := indent+heads[i]+strings.Repeat(" ", max(0, at-size)), ""
			for _, row := range shown {
				if row.Sign != '=' {
					gap = "  "
				}
				t.printf("%s%s%s\n", lead, gap, row.Text(t.paint))
				lead = indent + strings.Repeat(" ", at)
			}
		default:
			t.Say(indent, head)
			t.lines(below, apart)
		}
	}
}

// Whole prints a definition whole, as it was received.
func (t *Writer) Whole(e *report.Entry) {
	t.Say("  ", layout.Run{Op: '*', Text: e.Said})
	of, op := e.Now, byte('+')
	if of == nil {
		of, op = e.Pinned, '-'
	}
	if of == nil || of.Text == nil {
		return
	}
	tree := jsontree.Canonical(of.Text)
	if tree.Kind == '"' {
		t.lines("  ", t.wrapped(2, layout.Value(op, tree, true, false)))
	}
	for _, m := range tree.Members() {
		t.Say("  ", layout.Run{Op: '=', Text: text.Pointer(jsontree.Pointer("", m.Name))})
		t.lines("  ", t.wrapped(2, layout.Value(op, m.Value, true, false)))
	}
}

// sideText says for one server what is compared with what.
func (t *Writer) sideText(s *report.Server) string {
	set := func(digest string) string {
		if !t.Full || digest == "" {
			return ""
		}
		return ", set " + digest
	}
	return strings.TrimLeft(s.Label+"   "+s.Old, " ") + set(s.OldSet) + "   ->   " + s.New + set(s.Set)
}
