package plain

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// table prints a row for each of several servers, with what drifted in it.
func (t *Writer) table(m *report.Model) {
	rows := [][]string{{"server", "added", "changed", "removed", "code", "destructive", "tokens", "text", "versions"}}
	most := 1
	var differ []*report.Server
	for i := range m.Servers {
		if s := &m.Servers[i]; s.Differs && (m.LeftOut == 0 || len(s.Counts.Kinds)+len(s.Notes) > 0) {
			differ = append(differ, s)
			most = max(most, s.Counts.After-s.Counts.Before)
		}
	}
	for _, s := range differ {
		c := &s.Counts
		bar := ""
		if grown := c.After - c.Before; c.Known && grown != 0 {
			bar = text.Signed(grown) + " " + strings.Repeat("#", max(0, (maxBar*grown+most-1)/most))
		}
		rows = append(rows, []string{s.Name, number(c.Kinds["added"]), number(c.Altered()), number(c.Kinds["removed"]),
			number(c.Code), number(c.Destructive), c.Tokens.Grown(), bar, s.Versions})
	}
	for i, line := range aligned(rows, func(col int) bool { return 1 <= col && col <= 6 }) {
		line = strings.TrimRight(line, " ")
		t.notes("", cut(line, t.Width))
		if i > 0 {
			if cut(line, t.Width) != line {
				t.versions("    ", differ[i-1])
			}
			t.notes("    ", differ[i-1].Notes...)
		}
	}
	t.notes("  ", m.Others)
	t.notes("  ", m.Tokens.Said())
}

// aligned lays rows out in columns. The first row has their headings. Columns without any text below that are left out.
func aligned(rows [][]string, right func(col int) bool) []string {
	lines := make([]string, len(rows))
	for col := range rows[0] {
		width := 0
		for _, row := range rows[1:] {
			if row[col] != "" {
				width = max(width, len(rows[0][col]), layout.Columns(row[col]))
			}
		}
		if width > 0 && !right(col) {
			width = -width
		}
		for i, row := range rows {
			if width != 0 {
				lines[i] += fmt.Sprintf("  %*s", width, row[col])
			}
		}
	}
	return lines
}

// cut cuts a text that has more characters. The mark for that may take two columns.
func cut(s string, most int) string {
	if all := []rune(s); len(all) > most {
		return string(all[:most-2]) + "…"
	}
	return s
}

// versions returns how a server calls itself.
func (t *Writer) versions(indent string, s *report.Server) {
	if s.Versions != "" {
		t.notes(indent, "the server calls itself "+s.Versions)
	}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return text.Number(n)
}

// countText returns in words the row of a single server, with the size of its text or, where no head follows, with what is
// dangerous.
func countText(c *report.Counts, size bool) string {
	var said []string
	for _, one := range []struct {
		n    int
		word string
	}{{c.Kinds["duplicate"], "duplicate"}, {c.Kinds["hidden"], "hidden"}, {c.Kinds["added"], "added"}, {c.Kinds["changed"], "changed"}, {c.Kinds["removed"], "removed"},
		{c.Code, "with code"}, {c.Destructive, "destructive"}} {
		isDanger := one.word == "with code" || one.word == "destructive"
		if one.n > 0 && !(isDanger && size) {
			said = append(said, text.Number(one.n)+" "+one.word)
		}
	}
	return strings.Join(said, ", ") + grownText(c, size && said != nil)
}

// grownText returns how much more there is to read: in tokens for the model or, if they are the same or not known, in bytes
// of text.
func grownText(c *report.Counts, said bool) string {
	if !said {
		return ""
	}
	if tokens := c.Tokens.Said(); tokens != "" {
		return "; " + tokens
	}
	if n := c.After - c.Before; c.Known && n != 0 {
		return "; text " + text.Signed(n) + " bytes"
	}
	return ""
}

// WriteStat prints the shape of a review: a line for each block, numbered and in the order of
// WriteDiff, under its server, and the verdict.
func WriteStat(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.printf("%s\n", t.paint('+', m.Word+": "+m.Text))
		return t.Err
	}
	t.Head(m)
	rows := [][]string{make([]string, 4)}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		rows = append(rows, []string{text.Number(b.Number), b.Kind, t.statName(b), b.Bytes})
	}
	for i, line := range aligned(rows, func(col int) bool { return col == 0 || col == 3 })[1:] {
		b := &m.Blocks[i]
		if m.Several && b.Opens {
			t.Blank()
			t.Say("", layout.Run{Op: '*', Text: m.Servers[b.Server].Name})
		}
		op := byte('=')
		if b.Warned {
			op = 'W'
		} else if b.Minor {
			op = '~'
		}
		said := cut(text.Spaced(standsOut(b), strings.Join(b.Risks, ", ")), max(leastSaid, t.Width-utf8.RuneCountInString(line)))
		t.Say("", layout.Run{Op: '=', Text: line}, layout.Run{Op: op, Text: said})
	}
	t.verdict(m)
	t.Hint(m.Review)
	return t.Err
}

const (
	// Columns of the bar of the text that a server adds.
	maxBar = 10

	// The fewest columns for the text of a block after its name.
	leastSaid = 10
)

// standsOut is what a reader has to notice in a block: a label by its id, which --only takes.
func standsOut(b *report.Block) string {
	if b.Label != "" && b.Minor {
		return b.Label + " (minor)"
	}
	return cmp.Or(b.Label, b.Words)
}

// statName is what a block is called in its row.
func (t *Writer) statName(b *report.Block) string {
	// Nobody compares longer names in a table.
	most := min(36, max(24, t.Width-52))
	name := b.Title
	if len(name) > most {
		name = name[:most-len("...")] + "..."
	}
	return name
}
