package plain

import (
	"cmp"
	"io"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// servers prints a line for each of several servers with drift.
func (t *Writer) servers(m *report.Model) {
	for i := range m.Servers {
		s := &m.Servers[i]
		if !s.Differs || m.LeftOut > 0 && s.Drift == "" && s.Notes == nil {
			continue
		}
		t.Say("", layout.Run{Op: '*', Text: s.Name}, layout.Run{Op: '=', Text: text.Spaced(s.Drift)})
		t.notes("  ", s.Notes...)
	}
	t.notes("", m.Others)
	t.notes("  ", m.Cost)
}

// WriteStat prints the shape of a review: its head, a line for each block under its server, and the verdict.
func WriteStat(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.Match(m.Word + ": " + m.Text)
		return t.Err
	}
	t.Head(m)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if i == 0 || m.Several && b.FirstOfServer {
			t.Blank()
		}
		if m.Several && b.FirstOfServer {
			t.Say("", layout.Run{Op: '*', Text: m.Servers[b.Server].Name})
		}
		op := byte('=')
		if b.Warned {
			op = 'W'
		} else if b.Minor {
			op = '~'
		}
		line := []layout.Run{{Op: '*', Text: b.Kind + " " + b.Title}}
		room := t.Width - layout.Columns(numbered(m, b.Number)+line[0].Text)
		for _, part := range []layout.Run{{Op: op, Text: text.Spaced(standsOut(b))}, {Op: '=', Text: text.Spaced(strings.Join(b.Risks, ", "), b.Bytes)}} {
			if room -= layout.Columns(part.Text); room < 0 {
				break // a block has one line
			}
			line = append(line, part)
		}
		t.Say(numbered(m, b.Number), line...)
	}
	t.Blank()
	t.verdict(m)
	t.Hint(m.Review)
	return t.Err
}

// standsOut is what a reader has to notice in a block: a label by its id, which --only takes.
func standsOut(b *report.Block) string {
	if b.Label != "" && b.Minor {
		return b.Label + " (minor)"
	}
	return cmp.Or(b.Label, b.Words)
}
