package plain

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// table says what drifted of each server: a row each, and of a single one a line.
func (t *Writer) table(m *report.Model) {
	if !m.Several {
		s := &m.Servers[0]
		t.Say("", layout.Run{Op: '*', Text: t.sideText(s)})
		t.notes("  ", s)
		if said := countText(&s.Counts, true); said != "" {
			t.Say("  ", layout.Run{Op: '=', Text: said})
		}
		return
	}
	rows := [][]string{{"server", "versions", "added", "changed", "removed", "code", "destructive", "orders", "text"}}
	most := 0
	var differ []*report.Server
	for i := range m.Servers {
		if s := &m.Servers[i]; s.Differs {
			differ = append(differ, s)
			most = max(most, s.Counts.After-s.Counts.Before)
		}
	}
	for _, s := range differ {
		c := &s.Counts
		bar := ""
		if grown := c.After - c.Before; c.Known && grown != 0 {
			bar = strings.Replace("+"+text.Number(grown), "+-", "-", 1)
			if grown > 0 {
				bar += " " + strings.Repeat("#", max(1, 20*grown/most))
			}
		}
		rows = append(rows, []string{s.Label, s.Versions, number(c.Added), number(c.Altered()), number(c.Removed), number(c.Code), number(c.Destructive), number(c.Strong), bar})
	}
	widths := make([]int, len(rows[0]))
	for col := range rows[0] {
		filled := false
		for _, row := range rows {
			widths[col] = max(widths[col], utf8.RuneCountInString(row[col]))
		}
		for _, row := range rows[1:] {
			filled = filled || row[col] != ""
		}
		if !filled {
			widths[col] = 0 // an empty column
		}
	}
	for i, row := range rows {
		line := ""
		for col, cell := range row {
			switch {
			case widths[col] == 0:
			case col > 1 && col < len(row)-1:
				line += fmt.Sprintf("  %*s", widths[col], cell)
			default:
				line += "  " + cell + strings.Repeat(" ", widths[col]-utf8.RuneCountInString(cell))
			}
		}
		op := byte('=')
		if i == 0 {
			op = '~'
		}
		t.Say("", layout.Run{Op: op, Text: strings.TrimRight(line, " ")})
		if i > 0 && differ[i-1].Policy != "" {
			t.Say("    ", layout.Run{Op: '=', Text: differ[i-1].Policy})
		}
		if i > 0 && (differ[i-1].Missing || strings.HasSuffix(differ[i-1].New, "no capture")) {
			t.Say("    ", layout.Run{Op: '=', Text: t.sideText(differ[i-1])})
		}
	}
	if m.Others != "" {
		t.Say("  ", layout.Run{Op: '=', Text: m.Others})
	}
}

// notes says how a server and its policy changed.
func (t *Writer) notes(indent string, s *report.Server) {
	if s.Versions != "" {
		t.Say(indent, layout.Run{Op: '=', Text: "the server calls itself " + s.Versions})
	}
	if s.Policy != "" {
		t.Say(indent, layout.Run{Op: '=', Text: s.Policy})
	}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return text.Number(n)
}

// countText is the row of a single server in words.
func countText(c *report.Counts, size bool) string {
	said := ""
	add := func(n int, word string) {
		if n > 0 {
			if said != "" {
				said += ", "
			}
			said += text.Number(n) + " " + word
		}
	}
	add(c.Duplicate, "duplicate")
	add(c.Hidden, "hidden")
	add(c.Added, "added")
	add(c.Changed, "changed")
	add(c.Removed, "removed")
	add(c.Code, "with code")
	add(c.Destructive, "destructive")
	add(c.Strong, "with a strong order")
	if grown := c.After - c.Before; size && said != "" && c.Known && grown != 0 {
		said += "; text " + strings.Replace("+"+text.Number(grown), "+-", "-", 1) + " bytes"
	}
	return said
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
	number, kind, name, bytes := len(text.Number(len(m.Blocks))), 0, 0, 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		kind, name, bytes = max(kind, len(b.Kind)), max(name, len(statName(b))), max(bytes, len(b.Bytes))
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if m.Several && b.Opens {
			t.Blank()
			t.Say("", layout.Run{Op: '*', Text: m.Servers[b.Server].Label})
		}
		line := fmt.Sprintf("  %*s  %-*s  %-*s  %*s", number, text.Number(b.Number), kind, b.Kind, name, statName(b), bytes, b.Bytes)
		line = strings.TrimRight(line, " ")
		if t.Width-len(line) < t.Width/2 && len(line+b.Words+b.Danger)+len("    ") > t.Width { // no room beside it
			t.printf("%s\n", line)
			line = "      "
		}
		t.sayAligned(line, "      : ", layout.Run{Op: b.Op, Text: spaced(b.Words)}, layout.Run{Op: '=', Text: spaced(b.Danger)})
	}
	t.verdict(m)
	t.Hint(m.All)
	t.Hint(m.Read)
	return t.Err
}

// statName is what a block is called in its row.
func statName(b *report.Block) string {
	const most = 36 // nobody compares longer names in a table
	name := b.Names[0]
	if len(b.Names) > 1 {
		name = text.Number(len(b.Names)) + " alike: " + strings.Join(b.Names, ", ")
	}
	if len(name) > most {
		name = name[:most-len("...")] + "..."
	}
	return name
}
