package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/report"
	"pinproof/internal/text"
)

// WriteVerify prints verify's verdict.
func WriteVerify(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		line := m.Word + ": " + m.Text
		switch {
		// Quiet output still mentions denied entries, because only a guard or a rule of the client keeps them from
		// the agent.
		case t.Quiet && m.DeniedCount == 0:
			return nil
		case len(m.Approved) > 0:
			line += ": " + m.Review.Command
		}
		t.WriteMatch(line)
		t.WriteNotes("  ", m.ServerInfoChanges...)
		t.WriteFindings("  ", unrecordedTitle, m.UnacceptedWarnings)
		t.WriteNextSteps(m)
		return t.Err
	}
	t.problems("", "other-server", m.Problems)
	t.blocks(m, m.HasSeveralServers && !t.Full)
	t.WriteNotes("", m.Cost)
	t.verdict(m)
	for _, p := range m.Problems {
		switch {
		case p.ID == "other-server" && p.Command != "":
			t.WriteSteps(report.Step{Text: "if it is another server", Command: p.Command})
		// Other problems were printed above, and the error text contains the remedy.
		case p.ID == "policy":
			t.WriteSteps(report.Step{Text: p.Text})
		}
	}
	if m.Word == "DRIFT" || len(m.Entries) > 0 {
		t.WriteSteps(m.Review, m.FolderStep)
	}
	if len(m.Entries) == 0 {
		t.WriteNextSteps(m)
	}
	return t.Err
}

// WriteMatch prints the verdict on a match.
func (t *Writer) WriteMatch(line string) { t.printf("%s\n", t.paint('+', line)) }

// Limits on the detail that the gate prints. BLOCK lines and warnings are never left out.
const (
	maxGateChanges = 20    // lines of a block
	maxGateLines   = 1_000 // lines of detail in all
)

// lastBriefClass is the class of HIDDEN. If there are several servers, entries of later classes get no lines.
const lastBriefClass = 2

// blocks prints a BLOCK or WARN line for every drift. What changed is printed once, below all the
// entries that changed alike. With brief it prints one line for each server, and below that only
// the lines of entries that have a warning, or are HIDDEN or DUPLICATE.
func (t *Writer) blocks(m *report.Model, brief bool) {
	t.warnings(m)
	for _, s := range m.Records {
		t.block(m.Failed, "["+strings.ToUpper(s.What)+"]", " "+s.Ref)
		t.WriteNotes("  | ", s.Detail)
	}
	left := 0
	printed := 0
	for i, b := range m.Blocks {
		if brief && b.FirstOfServer {
			s := m.Servers[b.Server]
			t.block(s.Fails, "server="+s.Name, text.JoinSpaced(s.DriftAndRisks))
		}
		if brief && b.Class > lastBriefClass {
			continue
		}
		for _, e := range b.Entries {
			t.block(e.Blocked, "["+e.Kind+"]", " "+e.Ref)
		}
		details := detailsOf(b)
		if i+1 < len(m.Blocks) && !m.Blocks[i+1].FirstOfServer && slices.Equal(details, detailsOf(m.Blocks[i+1])) {
			continue // printed below the next block, once for both
		}
		for i, d := range details {
			if d.op != 'W' && (i >= maxGateChanges || printed >= maxGateLines) {
				left++
				continue
			}
			t.detail(d)
			printed++
		}
	}
	for _, s := range m.Servers {
		if s.Missing {
			t.block(m.NoVerdict != nil, "[MISSING]", " server="+s.Name)
			t.WriteNotes("  | ", s.PinnedCounts+" pinned, and no capture to hold against them")
		}
	}
	if left > 0 {
		t.printf("%s of detail left out: %s\n", text.FormatCount(left, "line"), m.Review.Command)
	}
	if m.UnexplainedCount > 0 {
		t.WriteText("", run('!', "too much drift to explain all of it here: of "+text.FormatCount(m.UnexplainedCount, "more entry")+" only the kind is said"))
	}
}

// A detail is a line of detail: a word, and what it is about.
type detail struct {
	op         byte
	word, rest string
}

// detailsOf lists the findings and the changes of a block. Minor changes are only counted, unless all are minor.
func detailsOf(b *report.ReviewBlock) (list []detail) {
	if b.Kind == report.Renamed {
		list = append(list, detail{'=', b.Kind + " " + b.Title, ""})
	}
	if b.Note != "" {
		list = append(list, detail{'=', b.Note, ""})
	}
	for _, row := range b.Rows {
		if row.Op != '+' && row.Op != '-' && (b.Minor || !row.Minor) {
			list = append(list, detail{row.Op, row.Word, text.JoinSpaced(row.Place, row.Phrase)})
		}
	}
	if b.MinorSummary != "" && !b.Minor {
		list = append(list, detail{'~', "minor", text.JoinSpaced(b.MinorSummary)})
	}
	return list
}

// warnings prints the warnings about whole captures. It also prints those that fail the run in entries that match, or in
// text that isn't pinned.
func (t *Writer) warnings(m *report.Model) {
	t.WriteFindings("", "", slices.DeleteFunc(slices.Clone(m.CaptureFindings), func(f report.Finding) bool { return !f.Warning }))
	before := ""
	for _, f := range slices.Concat(m.Unpinned, m.CaptureFindings, m.UnacceptedWarnings) {
		if !f.FailsRun {
			continue
		}
		if f.Ref != before {
			before = f.Ref
			t.block(m.Failed, "[WARNING]", " "+f.Ref)
		}
		t.detail(detail{'W', f.Heading(), text.JoinSpaced(f.Place, f.Detail)})
	}
}

// block prints a line that begins with BLOCK or WARN, then what it is about: "[KIND]", then " tool=NAME".
func (t *Writer) block(fails bool, kind, rest string) {
	op := byte('!')
	verb := "WARN"
	if fails {
		op = '-'
		verb = "BLOCK"
	}
	t.printf("%s%s\n", t.paint(op, verb+" "+kind), rest)
}

// detail prints a line of detail after the gate's gutter.
func (t *Writer) detail(d detail) {
	if d.rest != "" {
		d.word = fmt.Sprintf("%-*s", len("WARNING instruction-like"), d.word)
	}
	t.WriteText("  | ", run(d.op, d.word), run('=', d.rest))
}

// maxMarked is the maximum number of entries that a line of WriteDenialChanges names.
const maxMarked = 20
