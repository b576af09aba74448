package report

import (
	"io"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// The page for a job summary, a pull request comment or a changelog. Everything that is
// not our own words or a number stands in a code span or in a fenced block, where no
// dialect of Markdown knows links, mentions, issue numbers, emoji, formulas or HTML.
// Server text never begins a line, so it can't close its fence.

// Limits in bytes. A pull request comment holds 65,536 characters, a job summary 1 MiB:
// one page fits both, with room for what a workflow puts around it. Neither a list of a
// thousand tools nor one long definition pushes everything else off the page.
const (
	maxMarkdown     = 60_000
	maxMarkdownPart = 12_000 // a table, a list or a group
)

// A markdownPage is a page being written, never longer than maxMarkdown.
type markdownPage struct {
	out  strings.Builder
	room int // bytes left for what is optional
}

func (m *markdownPage) add(text string) {
	m.out.WriteString(text)
	m.room -= len(text)
}

// fit adds a part if there is room for it.
func (m *markdownPage) fit(part string) bool {
	if len(part) > m.room {
		return false
	}
	m.add(part)
	return true
}

// rows adds a head and n rows, or as many as fit into a part, and says how many it left
// out.
func (m *markdownPage) rows(head, noun string, n int, row func(int) string) {
	if n > 0 {
		m.add(head)
	}
	part := maxMarkdownPart
	for i := range n {
		s := row(i)
		if part -= len(s); part < 0 || !m.fit(s) {
			m.add("\n" + text.Count(n-i, "more "+noun) + " left out here.\n")
			return
		}
	}
}

// list adds lines of ours as a list.
func (m *markdownPage) list(lines []string) {
	m.rows("\n", "line", len(lines), func(i int) string { return "- " + markdownWords(lines[i]) + "\n" })
}

// table adds a table of n rows.
func (m *markdownPage) table(head, noun string, n int, cells func(int) []string) {
	m.rows("\n"+head+"\n", noun, n, func(i int) string { return "| " + strings.Join(cells(i), " | ") + " |\n" })
}

// markdownCode is a code span of printable text. A character that would end the span or
// the table cell around it is escaped the way printable does it.
func markdownCode(s string) string {
	if s == "" {
		return "" // two backticks would begin a longer span
	}
	return "`" + strings.NewReplacer("`", "<U+0060>", "|", "<U+007C>").Replace(shortened(s, maxDetail)) + "`"
}

// markdownWords is text of ours. It may name an entry, so it is a code span unless it is
// nothing but lower-case words.
func markdownWords(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz ") == "" {
		return s
	}
	return markdownCode(s)
}

// markdownFence is a fenced block of lines that can't close it.
func markdownFence(kind, text string) string {
	if text == "" {
		return ""
	}
	return "\n```" + kind + "\n" + strings.TrimSuffix(text, "\n") + "\n```\n"
}

// writeMarkdown prints a report as a page in Markdown.
func writeMarkdown(w io.Writer, r *Report) error {
	str := newPageText(r)
	next := &markdownPage{room: maxMarkdownPart} // the commands begin with our own name, so none closes its fence
	next.rows("\n### Next\n", "command", len(str.Steps), func(i int) string {
		return "\n" + markdownWords(str.Steps[i].Text) + ":\n" + markdownFence("sh", str.Steps[i].Command)
	})
	m := &markdownPage{room: maxMarkdown - next.out.Len() - 1_000} // 1,000 for words about what is left out
	if r.NoAnswer != nil {
		b := &diffBlock{room: maxMarkdownPart}
		for line := range strings.SplitSeq("error: "+strings.Join(fail.Lines(r.NoAnswer), "\n"), "\n") {
			b.line("| " + line)
		}
		m.add("## No answer\n" + markdownFence("text", b.String()))
	} else {
		m.add("## " + r.verdictWord() + ": " + markdownCode(r.verdictText()) + "\n")
	}
	m.list(str.Overview)
	m.table("| server | pinned | now |\n|---|---|---|", "server", len(str.Sides), func(i int) []string {
		s := str.Sides[i]
		return []string{markdownCode(s[0]), markdownCode(s[1]), markdownCode(s[2])}
	})
	m.list(str.Notes)
	m.table("| | drift | what |\n|--:|---|---|", "row", len(r.groups), func(i int) []string {
		g := r.groups[i]
		return []string{text.Number(g.number), markdownCode(r.groupTitle(g, maxSaidNames)), markdownSaid(r, g)}
	})
	m.groups(r, str.Whole)
	for _, s := range str.Others {
		m.section(s)
	}
	_, err := io.WriteString(w, m.out.String()+next.out.String())
	return err
}

// markdownSaid is what a row says of a group.
func markdownSaid(r *Report, g *group) string {
	var said []string
	for _, f := range r.groupFindings(g) {
		if f.Warning {
			said = append(said, "**"+findingWord(f.Finding)+"**")
		}
	}
	var edits []*edit
	for i := range g.edits {
		edits = append(edits, &g.edits[i])
	}
	said = append(said, markdownCode(r.pointedAt(g)), markdownCode(driftNote(r.first(g))), markdownCode(labelCounts(edits)))
	if !r.Blocked[r.first(g).Ref()] {
		said = append(said, "allowed")
	}
	return joined("; ", said...)
}

// groups shows the drift that needs more than its row in the table, while there is room. What
// is said of the whole list comes after the entries with a new warning.
func (m *markdownPage) groups(r *Report, whole section) {
	left, minor, ahead := pin.Counts{}, pin.Counts{}, 0
	for i, g := range r.groups {
		if g.warned {
			ahead = i + 1
		}
	}
	show := func(groups []*group) {
		for _, g := range groups {
			switch list := r.first(g).Type; {
			case g.minor:
				minor[list] += len(g.drifts)
			case left.Total() > 0 || !m.group(r, g):
				left[list] += len(g.drifts)
			}
		}
	}
	show(r.groups[:ahead])
	m.section(whole)
	show(r.groups[ahead:])
	if left.Total() > 0 {
		m.add("\nThe page is full: the changes of " + left.Plural() + " are left out; `diff` shows them.\n")
	}
	if minor.Total() > 0 {
		m.add("\nOnly in the table: " + minor.Plural() + "; `diff --full` shows more.\n")
	}
}

// group adds a group, or returns false if there is no room for it.
func (m *markdownPage) group(r *Report, g *group) bool {
	head := "\n### " + text.Number(g.number) + ". " + markdownCode(r.groupTitle(g, maxTitleNames)) + "\n"
	tail := ""
	if accept := r.acceptCommand(g); len(accept) <= maxCommand {
		tail = markdownFence("sh", accept)
	}
	b := m.block(len(head) + len(tail))
	b.findings(newSection("", r.groupFindings(g), len(g.drifts)))
	b.drift(r, r.first(g), g, false)
	if b.full && b.out.Len() == 0 {
		return false // nothing but a heading would fit
	}
	return m.fit(head + markdownFence("diff", b.String()) + tail)
}

// block is an empty block in a part whose other text takes others bytes.
func (m *markdownPage) block(others int) *diffBlock {
	return &diffBlock{room: min(maxMarkdownPart, m.room) - others - len(markdownFence("diff", " "))}
}

// section shows findings that are not about a drift.
func (m *markdownPage) section(s section) {
	head := "\n### " + s.Title + "\n"
	b := m.block(len(head))
	b.findings(s)
	if text := b.String(); text != "" && !m.fit(head+markdownFence("diff", text)) {
		m.add("\nThe page is full: findings are left out; `diff` shows them.\n")
	}
}
