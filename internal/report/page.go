package report

import (
	"slices"

	"pinproof/internal/text"
)

// This is what stands on a page that is read in one piece, in whatever format.

// Columns are those of the table of servers.
var Columns = []string{"server", "pinned", "now", "versions", "added", "changed", "removed", "takes code", "destructive", "strong orders", "text"}

// A TableRow is a server in that table, with printable cells. One with nothing to say is empty.
type TableRow struct {
	Names, Numbers []string
	Text           string // by how many bytes its text grows
	Grown          int    // the same; 0: not known
}

// Table has a row for each server that differs.
func (m *Model) Table() (rows []TableRow) {
	for i := range m.Servers {
		s := &m.Servers[i]
		if !s.Differs && m.Several {
			continue
		}
		c, row := &s.Counts, TableRow{Names: []string{s.Label, s.Old, s.New, s.Versions}}
		for _, n := range []int{c.Kinds["added"], c.Altered(), c.Kinds["removed"], c.Code, c.Destructive, c.Strong} {
			cell := ""
			if n > 0 {
				cell = text.Number(n)
			}
			row.Numbers = append(row.Numbers, cell)
		}
		if grown := c.After - c.Before; c.Known && grown != 0 {
			row.Grown, row.Text = grown, text.Signed(grown)
		}
		rows = append(rows, row)
	}
	return rows
}

// Remarks are what is said below that table.
func (m *Model) Remarks() (list []string) {
	for i := range m.Servers {
		if s := &m.Servers[i]; s.Differs || !m.Several {
			list = append(list, s.Notes...)
		}
	}
	if m.Others != "" {
		list = append(list, m.Others)
	}
	if m.Release != "" {
		list = append(list, m.Release)
	}
	for _, p := range m.Problems {
		list = append(list, p.Text)
	}
	return list
}

// A Section is findings that belong to no drift.
type Section struct {
	Title string
	List  []Finding
}

// Sections are those of the whole list, of what isn't on record, and of what was approved.
func (m *Model) Sections() []Section {
	return []Section{
		{"About the whole list", m.Whole},
		{"Not on record, in entries pinned before", m.Unrecorded},
		{"Approved warnings, in what matches its pins", m.Approved},
	}
}

// Steps are the commands to type next.
func (m *Model) Steps() (list []Step) {
	if m.Matches || m.Nothing {
		return nil
	}
	if m.Lockfile != "" {
		list = append(list, m.Review)
	}
	return append(list, m.Next...)
}

// ByDanger lists the blocks of all servers in the order in which a page with little room shows them.
func (m *Model) ByDanger() (list []*Block) {
	for i := range m.Blocks {
		list = append(list, &m.Blocks[i])
	}
	slices.SortStableFunc(list, func(a, b *Block) int { return a.Class - b.Class })
	return list
}

// Heading is the title of a block on a page.
func (b *Block) Heading() string { return b.Kind + " " + b.Title + b.Within }
