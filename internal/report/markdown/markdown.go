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
	if !m.Matches && !m.Nothing {
		var steps []report.Step
		if m.Lockfile != "" {
			steps = append(steps, m.Review)
		}
		for _, s := range slices.Concat(steps, m.Next, m.Record) {
			if s.Command != "" {
				next.fit("\n" + words(s.Text) + ":\n" + fence("sh", s.Command))
			}
		}
	}
	end := ""
	if next.out.Len() > 0 {
		end = "\n### Next\n" + next.out.String()
	}
	p := &page{room: room - len(end) - 1_000, shown: map[int]bool{}} // 1,000 for words about what is left out
	if m.NoAnswer != nil {
		p.fit("## No answer\n" + fence("text", gutter("error: "+strings.Join(m.NoAnswer.Lines, "\n"))))
	} else {
		p.fit("## " + m.Word + ": " + code(m.Text) + "\n")
	}
	if !m.Matches && !m.Nothing {
		p.head(m)
	}
	p.blocks(m)
	p.findings("Not on record: the rules or the names around them are new", m.Unrecorded)
	p.findings("Approved warnings, in what matches its pins", m.Approved)
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

// some adds a head and as many of the rows as a list may have, and says how many it left out.
func (p *page) some(head, noun string, rows []string) {
	if len(rows) > 0 {
		p.fit(head)
	}
	room := min(maxList, p.room)
	for i, row := range rows {
		if room -= len(row); room < 0 || !p.fit(row) {
			p.out.WriteString("\n" + text.Count(len(rows)-i, "more "+noun) + " left out here.\n")
			return
		}
	}
}

// head says what is compared, what drifted of each server, and what is worth reading first.
func (p *page) head(m *report.Model) {
	var rows, notes []string
	for i := range m.Servers {
		s := &m.Servers[i]
		if !s.Differs && m.Several {
			continue
		}
		c := &s.Counts
		grown := ""
		if c.Known {
			grown = fmt.Sprintf("%+d", c.After-c.Before)
		}
		cells := []string{code(s.Label), code(s.Old), code(s.New), code(s.Versions)}
		for _, n := range []int{c.Added, c.Altered(), c.Removed, c.Code, c.Destructive, c.Strong} {
			cell := ""
			if n > 0 {
				cell = text.Number(n)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, "| "+strings.Join(append(cells, grown), " | ")+" |\n")
		notes = append(notes, s.Notes...)
	}
	p.some("\n| server | pinned | now | versions | added | changed | removed | takes code | destructive | strong orders | text |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n", "server", rows)
	if m.Others != "" {
		notes = append(notes, m.Others)
	}
	notes = append(notes, m.Notes...)
	for _, problem := range m.Problems {
		notes = append(notes, problem.Text)
	}
	var lines []string
	for _, note := range notes {
		lines = append(lines, "- "+code(note)+"\n")
	}
	p.some("\n", "line", lines)
	lines = nil
	for _, worst := range m.Worst {
		var names []string
		for _, e := range worst.Entries {
			names = append(names, fmt.Sprintf("%s (%d)", code(e.Name), e.Block))
		}
		lines = append(lines, strings.TrimRight("- "+words(worst.Said)+": "+strings.Join(names, ", ")+" "+worst.More, " ")+"\n")
	}
	p.some("\nFirst:\n\n", "line", lines)
}

// blocks shows the drift, the most dangerous of all servers first, while there is room. What has no
// room is named. What is said of captures as a whole comes after the entries with a new warning.
func (p *page) blocks(m *report.Model) {
	order := make([]*report.Block, len(m.Blocks))
	for i := range m.Blocks {
		order[i] = &m.Blocks[i]
	}
	slices.SortStableFunc(order, func(a, b *report.Block) int { return a.Class - b.Class })
	const reserve = 4 // of this part of the page: the names of what has no room
	reserved := p.room / reserve
	p.room -= reserved
	var left []string
	general := false
	for _, b := range order {
		if !b.Warned && !general {
			general = true
			p.findings("About the whole list", m.Whole)
		}
		if !p.fit(p.block(b)) {
			delete(p.shown, b.Number)
			left = append(left, fmt.Sprintf("- %d. %s\n", b.Number, code(b.Kind+" "+b.Title+b.Within)))
		}
	}
	if !general {
		p.findings("About the whole list", m.Whole)
	}
	p.room += reserved
	p.some("\n### Not shown here\n\nThere is no room for these on this page; "+code(m.Review.Command)+" shows them:\n\n", "entry", left)
}

// indent stands before each line of a block. No fence that has it in front is one (CommonMark, 4.5).
const indent = "    "

// block is a block as it stands on the page.
func (p *page) block(b *report.Block) string {
	var out strings.Builder
	t := plain.New(&out, plain.Style{})
	t.Shown = p.shown
	t.Rows(indent, b)
	title := code(b.Kind + " " + b.Title + b.Within)
	if b.Severity != "" {
		title += " " + b.Severity
	}
	if !b.Blocked {
		title += " allowed"
	}
	part := fmt.Sprintf("\n### %d. %s\n", b.Number, title) + fence("text", out.String())
	if b.Accept != "" {
		part += fence("sh", b.Accept)
	}
	return part
}

// findings shows findings that are not about a drift.
func (p *page) findings(title string, list []report.Finding) {
	if len(list) == 0 {
		return
	}
	var out strings.Builder
	room, left := min(maxList, p.room-2_000), 0
	for i := range list {
		f := &list[i]
		said := indent + f.Said() + "\n"
		if room -= len(said); room < 0 {
			left++
			continue
		}
		out.WriteString(said)
	}
	p.fit("\n### " + title + "\n" + fence("text", out.String()))
	if left > 0 {
		p.out.WriteString("\n" + text.Count(left, "more finding") + " left out here.\n")
	}
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

// gutter puts one before each line.
func gutter(lines string) string { return "| " + strings.ReplaceAll(lines, "\n", "\n| ") }
