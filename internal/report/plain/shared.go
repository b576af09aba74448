package plain

import (
	"fmt"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
)

// numbered formats a block's number for the start of a line, padded to the width of the largest number.
func numbered(m *report.Model, n int) string {
	return fmt.Sprintf("%*d  ", len(fmt.Sprint(len(m.Shared)+len(m.Blocks))), n)
}

// WriteSharedChanges prints the changes that several entries share.
func (t *Writer) WriteSharedChanges(m *report.Model) {
	for _, s := range m.Shared {
		t.Shown[s.Number] = true
	}
	t.several(m, false, "in several:")
}

// WriteLateSharedChanges prints the shared changes that come after all blocks.
func (t *Writer) WriteLateSharedChanges(m *report.Model) {
	t.several(m, true, "in several, and not used:")
}

func (t *Writer) several(m *report.Model, late bool, title string) {
	for _, s := range m.Shared {
		if s.IsLate != late || !t.Shown[s.Number] {
			continue
		}
		if title != "" {
			t.WriteBlankLine()
			t.WriteText("", run('*', title))
			title = ""
		}
		number := numbered(m, s.Number)
		of := ""
		if m.HasSeveralServers {
			of = " of server " + m.Servers[s.Server].Name
		}
		indent := strings.Repeat(" ", len(number))
		t.number = s.Number
		for _, row := range s.Rows {
			t.row(number, indent, row)
			number = indent
		}
		breaking := ""
		if s.Breaking {
			breaking = "breaking "
		}
		t.WriteText(indent, run('!', breaking), run('*', "in "+s.Count+s.NewCount+of), run('=', strings.TrimRight(": "+s.Names, ": ")))
	}
}

// nothingElse reports whether a block isn't printed, because its whole content was printed above.
func (t *Writer) nothingElse(b *report.ReviewBlock) bool {
	return !t.Full && b.HasNothingElse(t.Shown)
}

// WriteEntriesWithoutBlock names the entries without a block, with the numbers of their shared changes.
func (t *Writer) WriteEntriesWithoutBlock(m *report.Model) {
	// Entries of one server with the same shared changes are named together.
	type group struct{ server, numbers string }
	names := map[group][]string{}
	var order []group
	for _, b := range m.Blocks {
		if !t.nothingElse(b) {
			continue
		}
		t.brief = t.brief || b.MinorSummary != ""
		of := group{numbers: b.SharedNumbers(t.Shown)}
		if of.numbers == "" && b.Minor {
			of.numbers = "minor"
		}
		if m.HasSeveralServers {
			of.server = " of server " + m.Servers[b.Server].Name
		}
		if names[of] == nil {
			order = append(order, of)
		}
		names[of] = append(names[of], b.Names...)
	}
	runs := []layout.Run{run('*', "nothing else: ")}
	for i, of := range order {
		if i > 0 {
			runs = append(runs, run('=', "; "))
		}
		runs = append(runs, run('=', strings.Join(names[of], ", ")+of.server))
		if of.numbers != "" {
			runs = append(runs, run('~', " ("+of.numbers+")"))
		}
	}
	if order != nil {
		t.WriteBlankLine()
		t.WriteText("", runs...)
	}
}

// ForgetSharedChanges makes later blocks print the shared changes themselves.
func (t *Writer) ForgetSharedChanges(m *report.Model) {
	for _, s := range m.Shared {
		delete(t.Shown, s.Number)
	}
}
