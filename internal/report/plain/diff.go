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
	unrecordedTitle = "not on record, for the rules or the names around them are new:"
	approvedTitle   = "approved warnings in entries that match:"
)

// WriteDiff prints the review.
func WriteDiff(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.matches(m)
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
	t.length(m, bytes.Count(blocks.Bytes(), []byte("\n")))
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
	for _, list := range [][]report.Step{m.Next, m.Record} {
		t.Hints(list)
	}
	return t.Err
}

// Hints prints several steps.
func (t *Writer) Hints(list []report.Step) {
	for _, s := range list {
		t.Hint(s)
	}
}

// matches prints an answer without drift, and the warnings in what matches.
func (t *Writer) matches(m *report.Model) {
	t.printf("%s\n", t.paint('+', m.Word+": "+m.Text))
	t.approved(m)
	t.unrecorded(m)
}

// approved prints the approved warnings, by entry: how many of each, and the newest.
func (t *Writer) approved(m *report.Model) { t.Findings("  ", approvedTitle, m.Approved) }

// unrecorded prints the warnings that are not on record.
func (t *Writer) unrecorded(m *report.Model) {
	t.Findings("  ", unrecordedTitle, m.Unrecorded)
	t.Hints(m.Record)
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

// Above these limits a review says how long it is, and what shortens it: it is more than
// one sitting.
const (
	longReview = 60  // blocks
	longLayout = 300 // lines
)

// length says how long a long review is.
func (t *Writer) length(m *report.Model, lines int) {
	if len(m.Blocks) <= longReview && lines <= longLayout || len(m.Blocks) == 1 {
		return
	}
	t.Say("", layout.Run{Op: '!', Text: "a long review: " + text.Count(len(m.Blocks), "change") + " in " + text.Count(lines, "line")})
	t.Hint(m.Stat)
	t.Hint(m.Part)
}

// Head says what is compared, what drifted of each server, and what is worth reading first.
func (t *Writer) Head(m *report.Model) {
	t.otherServers(m)
	t.table(m)
	if m.Warned != "" {
		t.Say("  ", layout.Run{Op: 'W', Text: m.Warned})
	}
	for _, note := range m.Notes {
		t.Say("  ", layout.Run{Op: '=', Text: note})
	}
	if len(m.Worst) > 0 {
		t.Say("  ", layout.Run{Op: '=', Text: "first:"})
		for _, w := range m.Worst {
			var names []string
			for _, e := range w.Entries {
				names = append(names, fmt.Sprintf("%s (%d)", e.Name, e.Block))
			}
			t.Say("    ", layout.Run{Op: '=', Text: w.Said + ": "}, layout.Run{Op: '*', Text: strings.Join(names, ", ")}, layout.Run{Op: '=', Text: strings.TrimRight(" "+w.More, " ")})
		}
	}
	t.orders(m)
	t.Findings("  ", "", m.Whole)
	t.Findings("  ", unrecordedTitle, m.Unrecorded)
	t.approved(m)
}

// maxSaidOrders is how many sentences the top of a review quotes, without --full.
const maxSaidOrders = 40

// orders quotes the sentences that order in what is approved for the first time.
func (t *Writer) orders(m *report.Model) {
	if len(m.Orders) == 0 {
		return
	}
	t.Say("  ", layout.Run{Op: '=', Text: text.Count(len(m.Orders), "sentence") + " that may order the model:"})
	for i, order := range m.Orders {
		if i == maxSaidOrders && !t.Full {
			t.Say("    ", layout.Run{Op: '~', Text: "and " + text.Number(len(m.Orders)-i) + " more (--full)"})
			break
		}
		t.Say("    ", layout.Run{Op: '=', Text: order.Names + ": " + order.Text})
	}
}

// Findings prints findings with the names of their entries, under a title where there
// is one.
func (t *Writer) Findings(indent, title string, list []report.Finding) {
	if len(list) > 0 && title != "" {
		t.Say(indent, layout.Run{Op: '=', Text: title})
	}
	for _, f := range list {
		op := byte('=')
		if f.Warning {
			op = 'W'
		}
		t.Say(indent, layout.Run{Op: op, Text: f.Word()}, layout.Run{Op: '=', Text: strings.TrimPrefix(f.Said(), f.Word())})
	}
}

// Short reports whether a block takes one line.
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
	if !b.Blocked && m.Failed {
		title = append(title, layout.Run{Op: '!', Text: "  allowed"})
	}
	if t.short(b) {
		t.brief = true
		note := b.Note
		if b.Summed != "" {
			note = "minor: " + b.Summed
		}
		t.Say(number, append(title, layout.Run{Op: '=', Text: spaced(note)})...)
		return
	}
	t.Say(number, title...)
	indent := strings.Repeat(" ", len(number))
	t.rows(indent, b)
}

// Rows prints what is said of a block, without its title.
func (t *Writer) Rows(indent string, b *report.Block) {
	t.Shown[b.Number] = true
	t.rows(indent, b)
}

func (t *Writer) rows(indent string, b *report.Block) {
	noted := b.Note == ""
	for i := range b.Rows {
		row := &b.Rows[i]
		if !row.Finding && !noted {
			noted = true
			t.Say(indent, layout.Run{Op: '=', Text: b.Note})
		}
		if !row.Minor || t.Full {
			t.row(indent, row)
		}
	}
	if !noted {
		t.Say(indent, layout.Run{Op: '=', Text: b.Note})
	}
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
	switch {
	case row.Word == "" && row.Detail == "":
		below = indent // a definition
	default:
		t.Say(indent, layout.Run{Op: row.Op, Text: row.Word}, layout.Run{Op: '=', Text: spaced(place, in(row.Detail, row.Names))})
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
			t.Say(indent, head, layout.Run{Op: '~', Text: strings.TrimPrefix(spaced(l.As), map[bool]string{true: "  "}[strings.TrimSpace(heads[i]) == ""])})
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
	said, was, is := s.Label, "", ""
	if said != "" {
		said += "   "
	}
	if t.Full && s.OldSet != "" {
		was = ", set " + s.OldSet
	}
	if t.Full && s.Set != "" {
		is = ", set " + s.Set
	}
	return said + s.Old + was + "   ->   " + s.New + is
}
