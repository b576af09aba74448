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
	for _, s := range m.Servers {
		if !s.Differs || m.LeftOut > 0 && s.Drift == "" && s.Notes == nil {
			continue
		}
		t.Say("", run('*', s.Name), run('=', text.Spaced(s.Drift)))
		t.Notes("  ", s.Notes...)
	}
	t.Notes("", m.Others)
	t.Notes("  ", m.Cost)
}

// WriteStat prints a summary of a review: its head, a line for each block under its server, and the verdict.
func WriteStat(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.Match(m.Word + ": " + m.Text)
		return t.Err
	}
	t.Head(m)
	for i, b := range m.Blocks {
		if i == 0 || m.Several && b.FirstOfServer {
			t.Blank()
		}
		if m.Several && b.FirstOfServer {
			t.Say("", run('*', m.Servers[b.Server].Name))
		}
		op := byte('=')
		if b.Warned {
			op = 'W'
		} else if b.Minor {
			op = '~'
		}
		said := cmp.Or(b.Label, b.Words) // a label is given by its id, which --only accepts
		if b.Label != "" && b.Minor {
			said += " (minor)"
		}
		line := []layout.Run{
			run('*', b.Kind+" "+b.Title),
			run(op, text.Spaced(said)),
			run('=', text.Spaced(strings.Join(b.Risks, ", "), b.Bytes)),
		}
		for columnsOf(line)+len(numbered(m, b.Number)) > t.Width && len(line) > 1 {
			line = line[:len(line)-1] // a block has one line
		}
		t.Say(numbered(m, b.Number), line...)
	}
	t.Blank()
	t.verdict(m)
	t.Hint(m.Review)
	return t.Err
}
