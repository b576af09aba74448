package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/pin"
)

const (
	// How many entries must have a change, for it to be told once under a letter.
	leastLettered = 3

	// How many, if the change fits into a few words and no other change has the same entries.
	leastShort = 5

	// How many entries a review with letters can have: nobody reads a longer one whole.
	mostLettered = 2_000
)

// A letter stands for changes that several entries have, each the same in all of them.
type letter struct {
	name    string // "a", once it is told
	entries pin.Counts
	rows    []Row
	made    map[string]bool // by key of an edit, once it has its row
}

// A repeated change is one that several entries have.
type repeatedChange struct {
	entries []*drifted
	edits   []*edit
	groups  map[*group]bool
}

// findLetters gives letters to the changes that are in three entries or more, of several groups. Changes that
// the very same entries have share a letter.
func findLetters(groups []*group, alone *rowMaker) {
	changes := map[string]*repeatedChange{}
	var order []string
	entries := 0
	for _, g := range groups {
		entries += len(g.entries)
		for _, e := range g.entries {
			for _, ed := range e.edits {
				if !ed.canBeLettered(e) {
					continue
				}
				key := keyOf([]string{e.Server, ed.key})
				c := changes[key]
				if c == nil {
					c = &repeatedChange{groups: map[*group]bool{}}
					changes[key] = c
					order = append(order, key)
				}
				c.entries = append(c.entries, e)
				c.edits = append(c.edits, ed)
				c.groups[g] = true
			}
		}
	}
	if entries > mostLettered {
		return
	}
	letters := map[string]*letter{} // by the entries
	for _, short := range []bool{false, true} {
		for _, key := range order {
			c := changes[key]
			if c.isShort() == short && len(c.entries) >= leastLettered && len(c.groups) > 1 && c.readsAlike(alone) {
				c.give(letters)
			}
		}
	}
}

// isShort reports whether a change fits into a few words.
func (c *repeatedChange) isShort() bool { return c.edits[0].shortSides() != "" }

// give gives a change the letter of its entries. If they have none, give makes it.
func (c *repeatedChange) give(letters map[string]*letter) {
	var refs []string
	for _, e := range c.entries {
		refs = append(refs, fmt.Sprint(e.Ref()))
	}
	who := keyOf(refs)
	if letters[who] == nil && c.isShort() && len(c.entries) < leastShort {
		return
	}
	if letters[who] == nil {
		letters[who] = &letter{made: map[string]bool{}}
		for _, e := range c.entries {
			letters[who].entries[e.Type]++
		}
	}
	for _, ed := range c.edits {
		ed.letter = letters[who]
	}
}

// canBeLettered reports whether a change of an entry is shown, and may be told outside of its block.
func (ed *edit) canBeLettered(e *drifted) bool {
	return !ed.Minor() && ed.moved == "" && ed.unseen == "" && e.RenamedFrom == ""
}

// readsAlike reports whether a change reads the same in all its entries. Its rows differ if what they show around it
// does.
func (c *repeatedChange) readsAlike(alone *rowMaker) bool {
	first := ""
	for i, e := range c.entries {
		made := alone.alone().edit(e, c.edits[i])
		made.limit = nil // a pointer, which says no more than the row
		row := fmt.Sprint(made)
		e.signed = [2]signed{}
		if i > 0 && row != first {
			return false
		}
		first = row
	}
	return true
}

// letterName returns a, b, … z, aa, ab, ….
func letterName(n int) string {
	name := string(rune('a' + n%26))
	if n < 26 {
		return name
	}
	return letterName(n/26-1) + name
}

// lettered makes the row of a change that has a letter. The row of the first entry with the change is also the
// letter's.
func (m *rowMaker) lettered(e *drifted, ed *edit) Row {
	l := ed.letter
	if l.made[ed.key] || m.isAlone {
		row := m.unlettered(e, ed)
		row.Letter = l.name
		return row
	}
	if len(l.rows) == 0 {
		l.name = letterName(*m.named)
		*m.named++
		m.letters = append(m.letters, l)
	}
	maker := *m
	maker.quiet = false
	maker.letter = l.name
	row := maker.edit(e, ed)
	row.Letter = l.name
	l.made[ed.key] = true
	l.rows = append(l.rows, row)
	return row
}

// takeLetters lists the letters that have got their first row since it was last called.
func (m *rowMaker) takeLetters() (list []Letter) {
	for _, l := range m.letters {
		list = append(list, Letter{Name: l.name, Text: "the same in " + l.entries.Plural(), Rows: together(l.rows)})
	}
	m.letters = nil
	return list
}

// Also lists the letters of a block's rows that were told above, with the entries that have them unless all do. shown
// has the letters that were told.
func (b *Block) Also(shown map[string]bool) (list []Also) {
	for i := range b.Rows {
		row := &b.Rows[i]
		if row.Letter == "" || !shown[row.Letter] {
			continue
		}
		at := slices.IndexFunc(list, func(a Also) bool { return a.Names == row.Names })
		if at < 0 {
			at = len(list)
			list = append(list, Also{Names: row.Names})
		}
		if !slices.Contains(list[at].Letters, row.Letter) {
			list[at].Letters = append(list[at].Letters, row.Letter)
		}
	}
	for i := range list {
		slices.SortFunc(list[i].Letters, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	}
	return list
}

// Said returns "also a, b in read_file".
func (a *Also) Said() string {
	said := "also " + strings.Join(a.Letters, ", ")
	if a.Names != "" {
		said += " in " + a.Names
	}
	return said
}
