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

// table says what drifted of each of several servers, a row each.
func (t *Writer) table(m *report.Model) {
	rows := [][]string{{"server", "versions", "added", "changed", "removed", "code", "destructive", "orders", "text"}}
	most := 1
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
			bar = strings.TrimRight(text.Signed(grown)+" "+strings.Repeat("#", max(0, (maxBar*grown+most-1)/most)), " ")
		}
		rows = append(rows, []string{s.Label, s.Versions, number(c.Kinds["added"]), number(c.Altered()), number(c.Kinds["removed"]), number(c.Code), number(c.Destructive), number(c.Strong), bar})
	}
	lines := columns(rows, 1, t.Width, func(col int) bool { return col > 1 && col < len(rows[0])-1 })
	t.Say("", layout.Run{Op: '~', Text: lines[0]})
	for i, s := range differ {
		t.Say("", layout.Run{Op: '=', Text: lines[i+1]})
		if rows[i+1][1] != s.Versions {
			t.versions("    ", s)
		}
		t.notes("    ", s.Notes...)
		if s.Missing || strings.HasSuffix(s.New, "no capture") {
			t.notes("    ", t.sideText(s))
		}
	}
	t.notes("  ", m.Others)
}

// columns lays rows out in columns, an empty one left out. Cells of one of the columns are cut if
// a row has no room in width.
func columns(rows [][]string, cut, width int, right func(col int) bool) []string {
	lines := make([]string, len(rows))
	widths, all := make([]int, len(rows[0])), 0
	for col := range rows[0] {
		for i, row := range rows {
			if i > 0 && row[col] != "" {
				widths[col] = max(widths[col], len("  "+rows[0][col]), layout.Columns("  "+row[col]))
			}
		}
		all += widths[col]
	}
	if over := all - width; over > 0 {
		widths[cut] = max(min(widths[cut], leastCell), widths[cut]-over)
	}
	for i, row := range rows {
		for col := range row {
			if widths[col] == 0 {
				continue
			}
			if cell := []rune(row[col]); len(cell) > widths[col]-2 {
				row[col] = string(cell[:widths[col]-3]) + "…"
			}
			if right(col) {
				lines[i] += fmt.Sprintf("%*s", widths[col], row[col])
			} else {
				lines[i] += fmt.Sprintf("  %-*s", widths[col]-2, row[col])
			}
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// versions says how a server calls itself.
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

// countText is the row of a single server in words.
func countText(c *report.Counts, size bool) string {
	var said []string
	for _, one := range []struct {
		n    int
		word string
	}{{c.Kinds["duplicate"], "duplicate"}, {c.Kinds["hidden"], "hidden"}, {c.Kinds["added"], "added"}, {c.Kinds["changed"], "changed"}, {c.Kinds["removed"], "removed"},
		{c.Code, "with code"}, {c.Destructive, "destructive"}, {c.Strong, "with a strong order"}} {
		if one.n > 0 {
			said = append(said, text.Number(one.n)+" "+one.word)
		}
	}
	grown := ""
	if n := c.After - c.Before; size && said != nil && c.Known && n != 0 {
		grown = "; text " + text.Signed(n) + " bytes"
	}
	return strings.Join(said, ", ") + grown
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
		kind, name, bytes = max(kind, len(b.Kind)), max(name, len(t.statName(b))), max(bytes, len(b.Bytes))
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if m.Several && b.Opens {
			t.Blank()
			t.Say("", layout.Run{Op: '*', Text: m.Servers[b.Server].Label})
		}
		line := strings.TrimRight(fmt.Sprintf("  %*s  %-*s  %-*s  %*s", number, text.Number(b.Number), kind, b.Kind, name, t.statName(b), bytes, b.Bytes), " ")
		op := byte('=')
		if b.Warned {
			op = 'W'
		} else if b.Minor {
			op = '~'
		}
		said, room := text.Spaced(b.Words, b.Danger), t.Width-utf8.RuneCountInString(line)
		if room < leastSaid && said != "" {
			t.printf("%s\n", line)
			t.Say("      : ", layout.Run{Op: op, Text: strings.TrimPrefix(said, "  ")})
			continue
		}
		if cut := []rune(said); len(cut) > room {
			said = string(cut[:room-1]) + "…"
		}
		t.printf("%s%s\n", line, t.paint(op, said))
	}
	t.verdict(m)
	t.Hint(m.Review)
	return t.Err
}

const (
	maxBar    = 10 // columns of the bar of the text that a server adds
	leastCell = 12 // columns of a cell that is cut, with the gap before it
)

// leastSaid is the room that what is said of a block needs behind its name. With less, it has a
// line of its own.
const leastSaid = 16

// statName is what a block is called in its row.
func (t *Writer) statName(b *report.Block) string {
	most := min(36, max(24, t.Width-52)) // nobody compares longer names in a table
	name := b.Names[0]
	if len(b.Names) > 1 {
		name = text.Number(len(b.Names)) + " alike: " + strings.Join(b.Names, ", ")
	}
	if len(name) > most {
		name = name[:most-len("...")] + "..."
	}
	return name
}
