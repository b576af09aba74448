package plain

import (
	"cmp"
	"io"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// servers prints a line for each of several servers with drift.
func (t *Writer) servers(m *report.Model) {
	for i := range m.Servers {
		s := &m.Servers[i]
		if !s.Differs || m.LeftOut > 0 && len(s.Counts.Kinds)+len(s.Notes) == 0 {
			continue
		}
		t.Say("", layout.Run{Op: '*', Text: s.Name}, layout.Run{Op: '=', Text: text.Spaced(countText(&s.Counts, true))})
		t.versions("  ", s)
		t.notes("  ", s.Notes...)
	}
	t.notes("", m.Others)
	t.notes("  ", m.Tokens.ChangeText())
}

// versions returns how a server calls itself.
func (t *Writer) versions(indent string, s *report.Server) {
	if s.Versions != "" {
		t.notes(indent, "the server calls itself "+s.Versions)
	}
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
	if tokens := c.Tokens.ChangeText(); tokens != "" {
		return "; " + tokens
	}
	if n := c.After - c.Before; c.BytesKnown && n != 0 {
		return "; text " + text.Signed(n) + " bytes"
	}
	return ""
}

// WriteStat prints the shape of a review: its head, a line for each block under its server, and the verdict.
func WriteStat(w io.Writer, m *report.Model, style Style) error {
	t := New(w, style)
	if m.Matches {
		t.Match(m.Word + ": " + m.Text)
		return t.Err
	}
	t.Head(m)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if i == 0 || m.Several && b.FirstOfServer {
			t.Blank()
		}
		if m.Several && b.FirstOfServer {
			t.Say("", layout.Run{Op: '*', Text: m.Servers[b.Server].Name})
		}
		op := byte('=')
		if b.Warned {
			op = 'W'
		} else if b.Minor {
			op = '~'
		}
		line := []layout.Run{{Op: '*', Text: b.Kind + " " + b.Title}}
		room := t.Width - layout.Columns(numbered(m, b.Number)+line[0].Text)
		for _, part := range []layout.Run{{Op: op, Text: text.Spaced(standsOut(b))}, {Op: '=', Text: text.Spaced(strings.Join(b.Risks, ", "), b.Bytes)}} {
			if room -= layout.Columns(part.Text); room < 0 {
				break // a block has one line
			}
			line = append(line, part)
		}
		t.Say(numbered(m, b.Number), line...)
	}
	t.Blank()
	t.verdict(m)
	t.Hint(m.Review)
	return t.Err
}

// standsOut is what a reader has to notice in a block: a label by its id, which --only takes.
func standsOut(b *report.Block) string {
	if b.Label != "" && b.Minor {
		return b.Label + " (minor)"
	}
	return cmp.Or(b.Label, b.Words)
}
