package plain

import (
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// WriteHead calls WriteOverview and WriteCaptureFindings.
func (t *Writer) WriteHead(m *report.Model) {
	t.WriteOverview(m)
	t.WriteCaptureFindings(m)
}

// WriteOverview prints what is compared, what drifted of each server, and what is worth reading first.
func (t *Writer) WriteOverview(m *report.Model) {
	t.problems("", "other-server", m.Problems)
	if m.HasSeveralServers {
		t.servers(m)
	} else {
		s := m.Servers[0]
		t.WriteText("", run('*', s.Title))
		t.WriteNotes("  ", s.Notes...)
		t.WriteNotes("  ", strings.Trim(s.Drift+"; "+m.Cost, "; "))
	}
	// A changed policy is in the notes of its server.
	t.problems("  ", "no-capture", m.Problems)
	t.WriteText("  ", run('W', m.Warning))
	t.WriteNotes("  ", m.Release)
	t.WriteText("    ", run('!', m.Breaks))
	for _, worst := range m.Worst {
		t.WriteText("  ", worst...)
	}
	if m.MuchToRead {
		t.readFirst(m)
	}
}

// readFirst prints the new sentences that are worth reading first.
func (t *Writer) readFirst(m *report.Model) {
	title := "  read first: "
	for i, first := range m.ReadFirst {
		if i >= leastFirst && t.lines >= mostHead {
			break
		}
		where := fmt.Sprintf("%s%s (%d)", title, first.Entry, first.Block)
		title = "    "
		room := t.Width - layout.Columns(where) - len("  | ...")
		if room < leastBeside {
			t.WriteText("", run('=', where))
			where = "      "
			room = t.Width - len(where) - len("  | ...")
		}
		said := []rune(first.Text)
		if len(said) > room {
			said = append(said[:room], []rune("...")...)
		}
		t.gutter(layout.Line{Sign: '=', Runs: []layout.Run{run('=', string(said))}}, layout.Run{Op: '=', Text: where, Block: first.Block})
	}
}

// The head of a review lists at least leastFirst sentences to read first, if there are that many, and more while the
// head has fewer than mostHead lines.
const (
	leastFirst = 3
	mostHead   = 14
)

// WriteCaptureFindings prints the findings that belong to no drift.
func (t *Writer) WriteCaptureFindings(m *report.Model) {
	t.WriteFindings("  ", "", slices.Concat(m.CaptureFindings, m.Unpinned))
	t.records(m)
	t.WriteFindings("  ", unrecordedTitle, m.UnacceptedWarnings)
	t.WriteFindings("  ", approvedTitle, m.Approved)
}

// records prints what the lockfile records besides the definitions, if a reader has to review it.
func (t *Writer) records(m *report.Model) {
	title := "what the lockfile records besides the definitions:"
	for _, s := range m.Records {
		// The only other records are changes of a server's name and version, which are in the head.
		if s.FailsRun || m.Matches {
			t.WriteNotes("  ", title)
			title = ""
			t.WriteText("    ", run('!', s.What+" of "+s.EntryName), run('=', text.JoinSpaced(s.Detail)))
		}
	}
}
