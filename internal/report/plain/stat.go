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
	columns := t.columns(m.Blocks)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if m.Several && b.Opens {
			t.Blank()
			t.Say("", layout.Run{Op: '*', Text: m.Servers[b.Server].Label})
		}
		t.statRow(b, columns)
	}
	t.verdict(m)
	t.Hint(m.All)
	t.Hint(m.Read)
	return t.Err
}

// A columns has the widths of the columns of a shape.
type columns struct {
	number, kind, name, word, bytes, danger int
	folded                                  bool // word and danger stand in a line of their own
}

// statName is what a block is called in its row.
func statName(b *report.Block) string {
	if len(b.Names) > 1 {
		return text.Number(len(b.Names)) + " alike: " + strings.Join(b.Names, ", ")
	}
	return b.Names[0]
}

// columns gives names their room first. Where the rest hasn't room, it stands in a second line.
func (t *Writer) columns(blocks []report.Block) (c columns) {
	const mostName, leastName, leastRest = 36, 24, 12 // nobody compares longer names in a table
	c.number = len(text.Number(len(blocks)))
	for i := range blocks {
		b := &blocks[i]
		name := len(statName(b))
		if len(b.Names) > 1 {
			name = min(name, leastName)
		}
		c.name = min(mostName, max(c.name, name))
		c.kind, c.word, c.bytes = max(c.kind, len(b.Kind)), max(c.word, len(b.Words)), max(c.bytes, len(b.Bytes))
		c.danger = max(c.danger, len(b.Danger))
	}
	room := t.Width - 6*len("  ") - c.number - c.kind - c.bytes - c.name
	need := min(c.word, leastRest) + min(c.danger, leastRest)
	if give := min(c.name-leastName, need-room); give > 0 {
		c.name, room = c.name-give, room+give
	}
	c.folded = room < need
	c.word = min(c.word, max(leastRest, room-min(c.danger, len("destructive, open world"))))
	c.danger = max(0, min(c.danger, room-c.word))
	return c
}

func (t *Writer) statRow(b *report.Block, c columns) {
	line := fmt.Sprintf("  %*s  %-*s  ", c.number, text.Number(b.Number), c.kind, b.Kind) + padded(statName(b), c.name)
	size := fmt.Sprintf("  %*s", c.bytes, b.Bytes)
	if !c.folded {
		danger := b.Danger
		if at := strings.LastIndex(danger[:min(len(danger), c.danger+1)], ", "); len(danger) > c.danger && at > 0 {
			danger = danger[:at] + "…" // whole words
		}
		t.printf("%s\n", strings.TrimRight(line+"  "+t.paint(b.Op, padded(b.Words, c.word))+size+"  "+danger, " "))
		return
	}
	t.printf("%s\n", strings.TrimRight(line+size, " "))
	if said := strings.TrimPrefix(spaced(b.Words, b.Danger), "  "); said != "" {
		t.Say(strings.Repeat(" ", len("    ")+c.number), layout.Run{Op: b.Op, Text: said})
	}
}

// padded fits an ASCII text into a column; what was cut ends in "…", which no name of ours
// has unescaped.
func padded(s string, width int) string {
	if len(s) > width {
		s = s[:max(0, width-1)] + "…"
	}
	return s + strings.Repeat(" ", width-utf8.RuneCountInString(s))
}
