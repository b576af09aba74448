// Package markdown writes reports as a page for a job summary, a pull request's comment or a changelog.
// Everything that is not our own words or a number stands in a code span or in a fenced block, where no
// dialect of Markdown knows links, mentions, issue numbers, emoji, formulas or HTML. Server text never
// begins a line, so it can't close its fence.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

// Limits in bytes. A comment on a pull request holds 65,536 characters, a job summary 1 MiB; both
// leave room for what a workflow puts around the page.
const (
	maxComment = 60_000
	maxSummary = 1_000_000
	maxList    = 8_000 // of a list or a table, which mustn't push the drift off the page
	maxSpan    = 1_000 // of a code span
)

// A page is being written, never longer than its room.
type page struct {
	out   strings.Builder
	room  int
	shown map[int]bool // numbers of the blocks that stand on it
}

// Write prints a report as a page that fits into a comment.
func Write(w io.Writer, m *report.Model) error { return write(w, m, maxComment) }

// WriteSummary prints a report as a page that fits into a job summary.
func WriteSummary(w io.Writer, m *report.Model) error { return write(w, m, maxSummary) }

func write(w io.Writer, m *report.Model, room int) error {
	next := &page{room: maxList} // the commands begin with our own name, so none closes its fence
	for _, s := range m.Steps() {
		next.fit("\n" + words(s.Text) + ":\n" + fence("sh", s.Command))
	}
	end := next.out.String()
	if end != "" {
		end = "\n### Next\n" + end
	}
	p := &page{room: room - len(end) - 1_000, shown: map[int]bool{}} // 1,000 for words about what is left out
	if m.NoAnswer != nil {
		said := "| error: " + strings.ReplaceAll(strings.Join(m.NoAnswer.Lines, "\n"), "\n", "\n| ")
		p.fit("## No answer\n" + fence("text", said))
	} else {
		p.fit("## " + m.Word + ": " + code(m.Text) + "\n")
	}
	if !m.Matches && !m.Nothing {
		p.head(m)
	}
	sections := m.Sections()
	p.blocks(m, sections[0])
	for _, s := range sections[1:] {
		p.findings(s)
	}
	_, err := io.WriteString(w, p.out.String()+end)
	return err
}

// fit adds a part if there is room for it.
func (p *page) fit(part string) bool {
	if len(part) > p.room {
		return false
	}
	p.out.WriteString(part)
	p.room -= len(part)
	return true
}

// some adds a head, as many of the rows as a list may have, and an end, and says how many rows it
// left out.
func (p *page) some(head, noun string, rows []string, end string) {
	if len(rows) == 0 {
		return
	}
	room, n := min(maxList, p.room), 0
	if !p.fit(head) {
		room, end = 0, "" // no row stands outside of the fence that the head begins
	}
	for n < len(rows) {
		if room -= len(rows[n]); room < 0 || !p.fit(rows[n]) {
			break
		}
		n++
	}
	if p.out.WriteString(end); n < len(rows) {
		p.out.WriteString("\n" + text.Count(len(rows)-n, "more "+noun) + " left out here.\n")
	}
}

// head says what is compared, what drifted of each server, and what is worth reading first.
func (p *page) head(m *report.Model) {
	var rows, remarks, first []string
	for _, r := range m.Table() {
		var cells []string
		for _, name := range r.Names {
			cells = append(cells, code(name))
		}
		rows = append(rows, "| "+strings.Join(append(append(cells, r.Numbers...), r.Text), " | ")+" |\n")
	}
	p.some("\n| "+strings.Join(report.Columns, " | ")+" |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n", "server", rows, "")
	for _, said := range m.Remarks() {
		remarks = append(remarks, "- "+code(said)+"\n")
	}
	p.some("\n", "line", remarks, "")
	for _, worst := range m.Worst {
		var names []string
		for _, e := range worst.Entries {
			names = append(names, fmt.Sprintf("%s (%d)", code(e.Name), e.Block))
		}
		first = append(first, strings.TrimRight("- "+words(worst.Said)+": "+strings.Join(names, ", ")+" "+worst.More, " ")+"\n")
	}
	p.some("\nFirst:\n\n", "line", first, "")
}

// blocks shows the drift, the most dangerous of all servers first, while there is room. What has no
// room is named. What is said of captures as a whole comes after the entries with a new warning.
func (p *page) blocks(m *report.Model, whole report.Section) {
	const reserve = 4 // of this part of the page: the names of what has no room
	reserved := p.room / reserve
	p.room -= reserved
	var left []string
	order := m.ByDanger()
	calm := slices.IndexFunc(order, func(b *report.Block) bool { return !b.Warned })
	for i, b := range order {
		if i == calm {
			p.findings(whole)
		}
		if !p.fit(p.block(b)) {
			delete(p.shown, b.Number)
			left = append(left, fmt.Sprintf("- %d. %s\n", b.Number, code(b.Heading())))
		}
	}
	if calm < 0 {
		p.findings(whole)
	}
	p.room += reserved
	p.some("\n### Not shown here\n\nThere is no room for these on this page; "+code(m.Review.Command)+" shows them:\n\n", "entry", left, "")
}

// indent stands before each line of a block. No fence that has it in front is one (CommonMark, 4.5).
const indent = "    "

// block is a block as it stands on the page.
func (p *page) block(b *report.Block) string {
	var out strings.Builder
	t := plain.New(&out, plain.Style{})
	t.Shown = p.shown
	t.Rows(indent, b)
	title := code(b.Heading())
	if b.Severity != "" {
		title += " " + b.Severity
	}
	if !b.Blocked {
		title += " allowed"
	}
	return fmt.Sprintf("\n### %d. %s\n", b.Number, title) + fence("text", out.String()) + fence("sh", b.Accept)
}

// findings shows findings that are not about a drift.
func (p *page) findings(s report.Section) {
	var rows []string
	for i := range s.List {
		rows = append(rows, indent+s.List[i].Said()+"\n")
	}
	p.some("\n### "+s.Title+"\n\n```text\n", "finding", rows, "```\n")
}

// code is a code span of printable text. A character that would end the span or
// the table cell around it is escaped the way text.Printable does it.
func code(s string) string {
	if s == "" {
		return "" // two backticks would begin a longer span
	}
	if len(s) > maxSpan {
		kept := strings.ToValidUTF8(s[:maxSpan], "")
		s = fmt.Sprintf("%s<and %s>", kept, text.Count(len(s)-len(kept), "more byte"))
	}
	return "`" + strings.NewReplacer("`", "<U+0060>", "|", "<U+007C>").Replace(s) + "`"
}

// words is text of ours. It may name an entry, so it is a code span unless it is
// nothing but lower-case words.
func words(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz, ") == "" {
		return s
	}
	return code(s)
}

// fence is a fenced block of lines that can't close it.
func fence(kind, text string) string {
	if text == "" {
		return ""
	}
	return "\n```" + kind + "\n" + strings.TrimSuffix(text, "\n") + "\n```\n"
}
