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
		if !s.Differs || m.DeselectedCount > 0 && s.Drift == "" && s.Notes == nil {
			continue
		}
		t.WriteText("", run('*', s.Name), run('=', text.JoinSpaced(s.Drift)))
		t.WriteNotes("  ", s.Notes...)
	}
	t.WriteNotes("", m.OtherServersText)
	t.WriteNotes("  ", m.Cost)
}

// WriteStat prints a summary of a review: its head, a line for each block under its server, and the verdict.
func WriteStat(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.WriteMatch(m.Word + ": " + m.Text)
		return t.Err
	}
	t.WriteHead(m)
	for i, b := range m.Blocks {
		if i == 0 || m.HasSeveralServers && b.FirstOfServer {
			t.WriteBlankLine()
		}
		if m.HasSeveralServers && b.FirstOfServer {
			t.WriteText("", run('*', m.Servers[b.Server].Name))
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
			run(op, text.JoinSpaced(said)),
			run('=', text.JoinSpaced(strings.Join(b.Risks, ", "), b.Bytes)),
		}
		for columnsOf(line)+len(numbered(m, b.Number)) > t.Width && len(line) > 1 {
			line = line[:len(line)-1] // drop a column, so that the block has one line
		}
		t.WriteText(numbered(m, b.Number), line...)
	}
	t.WriteBlankLine()
	t.verdict(m)
	t.WriteSteps(m.Review)
	return t.Err
}
