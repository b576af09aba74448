package diff

import (
	"cmp"
	"maps"
	"slices"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// countHidden counts the invisible characters in a value's strings, except in member names.
func countHidden(v jsontree.Value) (n int) {
	for _, r := range v.Text {
		if text.IsHidden(r) {
			n++
		}
	}
	for _, p := range v.Parts {
		n += countHidden(p.Value)
	}
	return n
}

// A Change is one difference between two definitions, at one JSON Pointer. The pointer
// leads into the new definition, or into the old one if the value is gone.
type Change struct {
	Pointer string

	// Pointer to the old value, if that was elsewhere.
	From string

	// Kind 0 means absent. If the value only moved, both are absent.
	Old, New jsontree.Value

	// The number of invisible characters in the whole old value and in the whole new one.
	Hidden [2]int

	// The value is a file of a skill that may be run: each line and each space of it counts.
	IsCode bool

	Label label.Label

	// The label's severity, unless the changes of the whole schema together have a different effect.
	Severity label.Severity
}

// CompareDrift lists the changes in the definition of an entry. It returns nil unless IsComparable is true.
func CompareDrift(budget *effort.Budget, d *pin.Drift) []Change {
	if !IsComparable(d) {
		return nil
	}
	changes, _ := CompareDefinitions(budget, d.Type, d.Locked.Shown(), d.Captured.Shown())
	return changes
}

// IsComparable reports whether an entry had a definition before, and the texts of the old and the new
// definition are known.
func IsComparable(d *pin.Drift) bool {
	return (d.Kind == pin.Changed || d.Kind == pin.Hidden) && d.TextsKnown()
}

// CompareDefinitions lists the changes between two values parsed from canonical forms, sorted by the ranks of their labels.
// The list is empty if and only if the two are the same JSON value. A change that the budget is too small to judge
// counts as breaking. was maps the pointers of moved values to their old pointers.
func CompareDefinitions(budget *effort.Budget, entryType pin.EntryType, old, new jsontree.Value) (changes []Change, was map[string]string) {
	l := labeller{budget: budget, entryType: entryType, shown: [2]jsontree.Value{old, new}, sides: map[string]*side{}}
	l.readOnly = readOnly(&old) && readOnly(&new)
	l.name = new.Get("name").Text
	d := differences(entryType, &old, &new)
	l.changes = slices.Grow(l.changes, len(d.changes))
	for _, n := range d.changes {
		l.add(n)
	}
	was = map[string]string{}
	for _, n := range d.moves {
		before, now := n.pointers()
		was[now] = before
	}
	for _, member := range slices.Sorted(maps.Keys(l.sides)) {
		l.side = l.sides[member]
		l.judge(member)
	}
	slices.SortStableFunc(l.changes, func(a, b Change) int { return cmp.Compare(a.Label, b.Label) })
	return l.changes, was
}

// A labeller labels the changes in a tree of nodes. It computes shared data once, so that each change costs no more
// than its own size.
type labeller struct {
	budget    *effort.Budget
	entryType pin.EntryType
	shown     [2]jsontree.Value // both definitions

	// Both definitions declare that the tool only reads.
	readOnly bool

	codeNames *skill.CodeNames // of both definitions, once they are needed

	name    string           // of the tool, as it is now
	sides   map[string]*side // the schemas that differ, by their members
	side    *side            // the one that is being labelled
	changes []Change
}

// A location is where in a definition a node is.
type location struct {
	steps []string
	at    schema.Position

	around [2]*jsontree.Value // the innermost schema around it

	// The index in steps of the member of around that leads to the node; -1 if no schema is around it.
	keyword int

	schemas       [][2]*jsontree.Value // the schemas around it, old and new, the whole one first
	isTested      bool                 // it is where values are tested, as under not
	inDefinitions bool
}

// location returns where a node is.
func (n *node) location() location {
	if n.above == nil {
		return location{at: n.at, keyword: -1}
	}
	s := n.above.location()
	if n.above.at == schema.AtSchema {
		s.around = [2]*jsontree.Value{n.above.old, n.above.new}
		s.schemas = append(s.schemas, s.around)
		s.keyword = len(s.steps)
		s.isTested = s.isTested || tests(n.now)
		s.inDefinitions = s.inDefinitions || schema.IsDefinitions(n.now)
	}
	s.steps = append(s.steps, n.now)
	s.at = n.at
	return s
}

func (s *location) name() string { return s.steps[s.keyword] }

func (s *location) inside() []string { return s.steps[s.keyword+1:] }

// names lists the members of the keyword's value that a change added or removed, or the member that contains the
// change.
func (s *location) names(c Change) (names []string) {
	if inside := s.inside(); len(inside) > 0 {
		return inside[:1]
	}
	for _, m := range slices.Concat(c.Old.Members(), c.New.Members()) {
		names = append(names, m.Name)
	}
	return names
}

// position returns the position of the node's value, which its keyword determines.
func (s *location) position() schema.Position {
	if s.at == schema.AtSchema || len(s.inside()) > 0 {
		return s.at
	}
	return schema.Keyword(s.name())
}

// change returns the change at a node.
func (n *node) change() Change {
	old, pointer := n.pointers()
	c := Change{Pointer: pointer}
	if n.new == nil {
		c.Pointer = old
	}
	if old != c.Pointer && (n.old != nil || n.moved) {
		c.From = old
	}
	if n.isWhole && n.old != nil {
		c.Old = *n.old
	}
	if n.isWhole && n.new != nil {
		c.New = *n.new
	}
	c.Hidden = [2]int{countHidden(c.Old), countHidden(c.New)}
	return c
}

// add labels the change at a node.
func (l *labeller) add(n *node) {
	c := n.change()
	s := n.location()
	if s.keyword >= 0 || n.at == schema.AtSchema {
		l.side = l.sideOf(n)
	}
	c.Label = label.TooMany
	if !n.tooMany {
		c.Label = l.labelOf(c, s)
	}
	c.IsCode = l.entryType == pin.Skills && len(s.steps) == 2 && s.steps[0] == pin.FilesMember && l.isCode(s.steps[1])
	c.Severity = c.Label.Severity()
	l.changes = append(l.changes, c)
}

// sideOf returns the whole schemas, old and new, that contain a node.
func (l *labeller) sideOf(n *node) *side {
	for n.above.above != nil {
		n = n.above
	}
	if l.sides[n.now] == nil {
		l.sides[n.now] = newSide(l.budget, l.name, n.old, n.new)
	}
	return l.sides[n.now]
}
