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
	"pinproof/internal/words"
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
	OldPointer string

	// Kind 0 means absent. If the value only moved, both are absent.
	Old, New jsontree.Value

	// The number of invisible characters in the whole old value and in the whole new one.
	HiddenCounts [2]int

	// The value is a skill's file that may be run, so every line and every space matters.
	IsCode bool

	Label label.Label

	// The label's severity, unless the changes of the whole schema together have a different effect.
	Severity label.Severity

	// Package facts sets the remaining fields.

	TextEdits          []words.Edit // what differs between two texts
	ComparedBySentence bool         // the texts were compared sentence by sentence
	ChangesText        bool         // something to read was added or removed

	// A reader of the texts can't see what changed, and no warning reports it.
	IsInvisible bool
}

// Minor reports whether a review may sum up a change.
func (c *Change) Minor() bool { return c.Label.Minor() && !c.ChangesText && !c.IsInvisible }

// IsComparable reports whether an entry had a definition before, and the texts of the old and the new
// definition are known.
func IsComparable(d *pin.Drift) bool {
	return (d.Kind == pin.DriftChanged || d.Kind == pin.DriftHidden) && d.TextsKnown()
}

// CompareDefinitions lists the changes between two values parsed from canonical forms, sorted by the ranks of their
// labels. The list is empty if and only if the two are the same JSON value. A change that the budget is too small to
// judge counts as breaking. was maps the pointers of moved values to their old pointers.
func CompareDefinitions(budget *effort.Budget, entryType pin.EntryType, old, new jsontree.Value) (changes []Change, was map[string]string) {
	l := &labeller{budget: budget, entryType: entryType, shown: [2]jsontree.Value{old, new}, name: new.Get("name").Text, sides: map[string]*side{}}
	root := &node{old: &old, new: &new}
	if entryType == pin.Tools {
		root.at = schema.AtDefinition
	}
	d := &differ{was: map[string]string{}, equal: map[versions]bool{}}
	d.compare(root)
	var places []*place
	for _, n := range d.changes {
		places = append(places, l.place(n))
	}
	for _, member := range slices.Sorted(maps.Keys(l.sides)) {
		l.judge(member, places)
	}
	for _, p := range places {
		changes = append(changes, p.Change)
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Label, b.Label) })
	return changes, d.was
}

// A labeller labels the changes in a tree of nodes. It computes shared data once, so that each change costs no more
// than its own size.
type labeller struct {
	budget    *effort.Budget
	entryType pin.EntryType
	shown     [2]jsontree.Value  // both definitions
	name      string             // of the tool, as it is now
	codeNames *skill.NamedByCode // of both definitions, once they are needed
	sides     map[string]*side   // the sides, by member: "inputSchema" or "outputSchema"
}

// A place is a change and its position in a definition.
type place struct {
	*labeller
	Change

	// The input or output schemas that contain the change, or that it adds or removes; or nil.
	*side

	at    schema.Position
	steps []string // from the definition to the change

	// The keyword of the innermost enclosing schema that contains the change; outside of schemas, the member of the
	// definition. inside has the steps from there.
	keyword string
	inside  []string

	around        versions   // the innermost schema around it, old and new
	schemas       []versions // all schemas around it, the whole one first
	keywords      []string   // for each of schemas, the keyword that leads to the change
	isTested      bool       // an enclosing schema only tests values, as under not
	inDefinitions bool
}

// place returns the labelled change at a node.
func (l *labeller) place(n *node) *place {
	p := &place{labeller: l, Change: n.change()}
	p.locate(n)
	p.Label = label.TooManyChanges
	if !n.tooMany {
		p.Label = p.labelOf()
	}
	p.Severity = p.Label.Severity()
	// Paths can be long, and only the label needs them.
	p.steps = nil
	p.inside = nil
	p.schemas = nil
	p.keywords = nil
	return p
}

// locate sets the fields that describe the position of a node.
func (p *place) locate(n *node) {
	p.at = n.at
	if n.above == nil {
		return
	}
	p.locate(n.above)
	isInSchema := p.at == schema.AtSchema
	if isInSchema {
		p.around = versions{n.above.old, n.above.new}
		p.schemas = append(p.schemas, p.around)
		p.keywords = append(p.keywords, n.now)
		p.isTested = p.isTested || tests(n.now)
		p.inDefinitions = p.inDefinitions || schema.IsDefinitions(n.now)
	} else if n.at == schema.AtSchema && p.steps == nil {
		p.side = p.sideOf(n)
	}
	if isInSchema || p.steps == nil {
		p.keyword = n.now
		p.inside = nil
	} else {
		p.inside = append(p.inside, n.now)
	}
	p.steps = append(p.steps, n.now)
	p.at = n.at
}

// names lists the members of the keyword's value that a change added or removed, or the member that contains the
// change.
func (p *place) names() (names []string) {
	if len(p.inside) > 0 {
		return p.inside[:1]
	}
	for _, m := range slices.Concat(p.Old.Members(), p.New.Members()) {
		names = append(names, m.Name)
	}
	return names
}

// isMove reports whether a value only moved. Differences inside the value are changes of their own.
func (c *Change) isMove() bool { return c.Old.Kind == 0 && c.New.Kind == 0 }

// change returns the change at a node, without a label.
func (n *node) change() (c Change) {
	was, now := n.pointers()
	c.Pointer = now
	if n.new == nil {
		c.Pointer = was
	} else if n.old != nil && was != now {
		c.OldPointer = was
	}
	if n.isWhole && n.old != nil {
		c.Old = *n.old
	}
	if n.isWhole && n.new != nil {
		c.New = *n.new
	}
	c.HiddenCounts = [2]int{countHidden(c.Old), countHidden(c.New)}
	return c
}

// sideOf returns the side for a node of inputSchema or outputSchema. It makes each side once.
func (l *labeller) sideOf(n *node) *side {
	if l.sides[n.now] == nil {
		l.sides[n.now] = newSide(l.budget, l.name, n.old, n.new)
	}
	return l.sides[n.now]
}
