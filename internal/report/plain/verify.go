package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// WriteVerify prints the gate's answer.
func WriteVerify(w io.Writer, m *report.Model, style Style, quiet bool) error {
	t := New(w, style)
	if m.Matches {
		line := m.Word + ": " + m.Text
		switch {
		case quiet:
			return nil
		case m.Standing == 1:
			line += ": " + m.Review.Command + " shows it"
		case m.Standing > 1:
			line += ": " + m.Review.Command + " shows them"
		}
		t.printf("%s\n", t.paint('+', line))
		t.unrecorded(m)
		return t.Err
	}
	t.otherServers(m)
	left := t.blocks(m, m.Several && !t.Full)
	if !strings.HasSuffix(m.Cost, "as before") {
		t.notes("", m.Cost)
	}
	t.verdict(m)
	for _, p := range m.Problems {
		switch {
		case p.ID == "other-server" && p.Command != "":
			t.Hint(report.Step{Text: "if it is one", Command: p.Command})
		case p.ID != "no-capture" && p.ID != "other-server": // a line has said it, and the error says what to do
			t.Hint(report.Step{Text: p.Text, Command: p.Command})
		}
	}
	if left {
		t.Hint(m.Every)
	}
	if m.Word == "DRIFT" || len(m.Entries) > 0 {
		t.Hint(m.Review)
		t.Hint(m.Paths...)
	}
	if len(m.Entries) == 0 {
		t.Hint(m.Record...)
	}
	return t.Err
}

// Limits on the detail that the gate prints. BLOCK lines are never left out.
const (
	maxGateChanges = 20    // changes of a block
	maxGateLines   = 1_000 // lines of detail in all
)

// mostGrave is the class of HIDDEN: the lines of less are left out where servers are many.
const mostGrave = 2

// Blocks prints a BLOCK or WARN line for every drift. What changed stands once, below
// all the entries that changed alike.
func (t *Writer) Blocks(m *report.Model) { t.blocks(m, false) }

// blocks is Blocks. With brief it prints one line for each server, and below that the lines
// of what has a warning, HIDDEN or DUPLICATE. It reports whether it left others out.
func (t *Writer) blocks(m *report.Model, brief bool) (left bool) {
	for i := range m.Whole {
		if f := &m.Whole[i]; f.Warning && f.List == "" { // what isn't pinned of an entry has a line of its own
			t.Findings("", "", m.Whole[i:i+1])
		}
	}
	rows, width, room := make([][]gateRow, len(m.Blocks)), 0, maxGateLines
	for i := range m.Blocks {
		if b := &m.Blocks[i]; !brief || b.Class <= mostGrave {
			all := gateRows(b)
			rows[i] = all[:min(len(all), max(0, room))]
			room -= len(all)
		}
		for _, row := range rows[i] {
			if row.rest != "" {
				width = max(width, len(row.word))
			}
		}
	}
	before := ""
	for i := range m.Blocking {
		f := &m.Blocking[i]
		if f.Ref != before {
			before = f.Ref
			t.block(m.Failed, "[WARNING] "+f.Ref)
		}
		t.gateRow(gateRow{'W', f.Word(), text.Spaced(f.Place, f.Detail)}, width)
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if brief && b.Opens {
			s := &m.Servers[b.Server]
			t.block(s.Fails, "server="+s.Label+text.Spaced(countText(&s.Counts, false)))
		}
		if brief && b.Class > mostGrave {
			left = true
			continue
		}
		for _, at := range b.Entries {
			e := &m.Entries[at]
			t.block(e.Blocked, "["+e.Kind+"] "+e.Ref)
		}
		for _, row := range rows[i] {
			t.gateRow(row, width)
		}
	}
	for i := range m.Servers {
		if s := &m.Servers[i]; s.Missing {
			t.block(m.NoAnswer != nil, "[MISSING] server="+s.Label)
			t.Say("  | ", layout.Run{Op: '=', Text: s.Pinned + " pinned, and no capture to hold against them"})
		}
	}
	if room < 0 {
		t.printf("  | %s of detail left out: %s\n", text.Count(-room, "line"), m.Review.Command)
	}
	if m.Unexplained > 0 {
		t.Say("", layout.Run{Op: '!', Text: "too much drift to explain all of it here: of " + text.Count(m.Unexplained, "more entry") + " only the kind is said"})
	}
	return left
}

// A gateRow is a line of detail.
type gateRow struct {
	op         byte
	word, rest string
}

// gateRows says what changed in the entries of a block. Its note follows its findings.
func gateRows(b *report.Block) (rows []gateRow) {
	said, note := 0, b.Note
	takeNote := func() {
		if note != "" {
			rows = append(rows, gateRow{'=', note, ""})
		}
		note = ""
	}
	for i := range b.Rows {
		row := &b.Rows[i]
		if !row.Finding {
			takeNote()
		}
		if row.Op == '+' || row.Op == '-' || row.Minor && !b.Minor {
			continue
		}
		detail, word := row.Detail, row.Word
		if !row.Finding {
			said++
			if row.Home > 0 {
				word = row.Detail
			} else if len(b.Entries) > 1 {
				detail = strings.TrimPrefix(detail+", in all "+text.Number(len(b.Entries)), ", ")
			}
		}
		if row.Finding || said <= maxGateChanges {
			rows = append(rows, gateRow{row.Op, word, text.Spaced(row.Place, in(detail, row.Names))})
		}
	}
	if said > maxGateChanges {
		rows = append(rows, gateRow{'~', text.Count(said-maxGateChanges, "more change"), ""})
	}
	takeNote()
	if b.Summed != "" && !b.Minor {
		rows = append(rows, gateRow{'~', "minor", "  " + b.Summed})
	}
	return rows
}

// block prints a line that begins with BLOCK or WARN: "[KIND] tool=NAME".
func (t *Writer) block(fails bool, what string) {
	op, verb := byte('!'), "WARN"
	if fails {
		op, verb = '-', "BLOCK"
	}
	kind, rest, _ := strings.Cut(what, " ")
	t.printf("%s %s\n", t.paint(op, verb+" "+kind), rest)
}

// gateRow prints a row after the gate's gutter, with its word padded to width.
func (t *Writer) gateRow(row gateRow, width int) {
	if row.rest != "" {
		row.word = fmt.Sprintf("%-*s", width, row.word)
	}
	t.sayAligned("  | ", "  :"+strings.Repeat(" ", min(width+3, t.Width/3)), layout.Run{Op: row.op, Text: row.word}, layout.Run{Op: '=', Text: row.rest})
}

// WriteLocked says what was pinned: the warnings that were accepted, each entry with
// its digest, and the notes.
func WriteLocked(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	var accepted, notes []report.Finding
	for _, f := range slices.Concat(m.Whole, m.Fresh) {
		if f.Warning {
			accepted = append(accepted, f)
		} else {
			notes = append(notes, f)
		}
	}
	t.Findings("", "", accepted)
	t.Findings("", unrecordedTitle, m.Unrecorded)
	for i := range m.Servers {
		s := &m.Servers[i]
		t.Say("", layout.Run{Op: '+', Text: "PINNED " + s.Listed + " -> " + text.Printable(m.Lockfile)}, layout.Run{Op: '=', Text: "  server " + s.Label + s.Summary})
		width := len("set")
		for _, pin := range s.Pins {
			if n := utf8.RuneCountInString(pin.Name); n <= text.MaxName/2 {
				width = max(width, n)
			}
		}
		for _, pin := range s.Pins {
			t.printf("  %-*s  %s\n", width, pin.Name, pin.Digest)
		}
		t.printf("  %-*s  %s\n", width, "set", s.Set)
	}
	t.Findings("  ", "", notes)
	t.Hint(m.Locked...)
	return t.Err
}

// WriteRelocked says what was accepted and what drift is left. Each accepted entry gets
// a line, unless a prompt has already shown it.
func WriteRelocked(w io.Writer, m *report.Model, c report.Closing, style Style) error {
	t := New(w, style)
	t.notes("", c.Idle...)
	if !c.Shown {
		t.otherServers(m)
		for _, at := range c.Accepted {
			e := &m.Entries[at]
			t.printf("accepted [%s] %s  %s\n", e.Kind, e.Ref, e.Digest)
			for i := range e.Findings[:e.New] {
				f := &e.Findings[i]
				t.finding("  ", f, text.Spaced(f.Place, f.Detail))
			}
		}
		t.Findings("  ", "", m.Whole)
		t.Findings("  ", unrecordedTitle, c.Unrecorded)
	}
	if c.Written != "" {
		t.Say("", layout.Run{Op: '+', Text: c.Written}, layout.Run{Op: '=', Text: c.Policy})
	}
	t.Say("", layout.Run{Op: '-', Text: c.Left})
	return t.Err
}
