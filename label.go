package main

import (
	"cmp"
	"slices"
)

// A change is one difference between two definitions, at one JSON Pointer. The pointer
// leads into the new definition, or into the old one if the value is gone.
type change struct {
	pointer  string
	from     string // pointer to the old value, if that stood elsewhere
	old, new value  // kind 0: absent, as both are if the value only moved
	cutFrom  [2]int // size in bytes of an old and a new value of which only the beginning is kept
	hidden   [2]int // characters that no reader sees in the old and in the new value, all of it
	label    label
}

// diffDefinitions lists the changes between two values parsed from canonical forms,
// sorted by the ranks of their labels. The list is empty if and only if the two
// are the same JSON value.
func diffDefinitions(list listKind, old, new value) []change {
	e := diffTree(list, &old, &new)
	if e.unchanged() {
		return nil
	}
	l := labeller{list: list, uses: map[*value]schemaUse{}, sameMeaning: map[*value]bool{}, required: map[*value]map[string]bool{}}
	l.findSameMeaning(&e)
	for _, v := range [...]*value{&old, &new} {
		schema := lookup(v, "inputSchema")
		l.use(schema, schema, usePlain)
	}
	l.walk(&e, location{at: e.at, here: [2]*value{&old, &new}, keyword: -1})
	slices.SortStableFunc(l.changes, func(a, b change) int { return cmp.Compare(a.label, b.label) })
	return l.changes
}

// A labeller labels the changes in a tree of diffNodes. It works out once what all of
// them need, so that each change costs no more than its own size.
type labeller struct {
	list        listKind
	uses        map[*value]schemaUse       // how the schemas in both inputs bear on them
	lost        bool                       // a reference leads where we can't follow: any definition may be used
	sameMeaning map[*value]bool            // schemas, old and new, that differ only in their form
	unevaluated bool                       // unevaluatedProperties or unevaluatedItems stands in an input
	required    map[*value]map[string]bool // the names that a schema requires
	changes     []change
}

// A location is where in a definition a node is.
type location struct {
	steps       []string
	at          position
	here        [2]*value // what is there, old and new; nil where absent
	around      [2]*value // the innermost schema around it
	keyword     int       // index in steps of the keyword of that schema, or -1
	sameMeaning bool      // a schema around it differs only in its form
}

func (s *location) name() string     { return s.steps[s.keyword] }
func (s *location) inside() []string { return s.steps[s.keyword+1:] }

// root reports whether the schema around the node is the whole input or output schema.
func (s *location) root() bool { return s.keyword == 1 }

// held reports whether the node is a whole schema that a keyword holds.
func (s *location) held() bool { return s.at == atSchema && s.keyword >= 0 }

// holds is the position of the node's value, as its keyword gives it.
func (s *location) holds() position {
	switch {
	case s.held():
		return atSchema
	case s.keyword >= 0 && len(s.inside()) == 0:
		return schemaKeyword(s.name())
	}
	return atOther
}

// member is a member of the schema around the node, old (0) or new (1), or nil.
func (s *location) member(side int, name string) *value { return lookup(s.around[side], name) }

// change returns the change at a node that is a leaf or that moved.
func (e *diffNode) change() change {
	c, old := change{pointer: e.now.pointer()}, e.was.pointer()
	if e.new == nil {
		c.pointer = old
	}
	if old != c.pointer && (e.old != nil || e.moved) {
		c.from = old
	}
	if e.leaf() && e.old != nil {
		c.old = *e.old
	}
	if e.leaf() && e.new != nil {
		c.new = *e.new
	}
	return c
}

// walk labels the changes in e, which is at s.
func (l *labeller) walk(e *diffNode, s location) {
	if e.leaf() || e.moved {
		c := e.change()
		c.hidden = [2]int{countHidden(c.old), countHidden(c.new)}
		if e.tooMany {
			c.label = labelTooMany
			c.clip()
		} else {
			s.sameMeaning = s.sameMeaning || e.sameMeaning
			c.label = l.labelOf(c, s)
		}
		l.changes = append(l.changes, c)
	}
	for i := range e.inside {
		if part := &e.inside[i]; !part.unchanged() {
			l.walk(part, l.below(s, part))
		}
	}
}

// maxTooMany is about how many bytes are kept of a value with too many changes to tell
// apart.
const maxTooMany = 8 << 10

// clip keeps the beginnings of both values, so that their large trees can be freed.
func (c *change) clip() {
	for side, v := range [...]*value{&c.old, &c.new} {
		room := maxTooMany
		shown := clip(*v, &room)
		if room < 0 {
			c.cutFrom[side] = int(v.end - v.at)
		}
		*v = shown
	}
}

// findSameMeaning notes the schemas that differ only in their form.
func (l *labeller) findSameMeaning(e *diffNode) {
	if e.sameMeaning {
		l.sameMeaning[e.old], l.sameMeaning[e.new] = true, true
	}
	for i := range e.inside {
		l.findSameMeaning(&e.inside[i])
	}
}

// below is the location of a part of the node at s.
func (l *labeller) below(s location, part *diffNode) location {
	to, step := s, part.now.step
	to.steps, to.here = append(s.steps, step), [2]*value{part.old, part.new}
	if s.at == atSchema {
		to.around, to.keyword = s.here, len(s.steps)
		judged := to.root() && isDefinitions(step) // definitions are judged by the references to them
		to.sameMeaning = (s.sameMeaning || l.sameMeaning[s.here[0]]) && !judged
	}
	v := cmp.Or(part.new, part.old)
	if part.old != nil && part.old.kind == '[' {
		v = part.old
	}
	to.at = s.at.below(step, v)
	if to.at == atOther && l.list == toolList && to.steps[0] == "inputSchema" && l.uses[part.old]|l.uses[part.new] != 0 {
		to.at = atSchema // a reference leads here
	}
	return to
}

// labelOf is the label of a change of a value.
func (l *labeller) labelOf(c change, s location) label {
	if len(s.steps) == 0 {
		if l.list == instructionsList {
			return proseLabel(c, nil)
		}
		return labelChanged
	}
	name, inside := s.steps[0], s.steps[1:]
	moved := c.old.kind == 0 && c.new.kind == 0 // what differs in it has changes of its own
	switch {
	case name == "title" || name == "description":
		return proseLabel(c, inside)
	case name == "_meta" || name == "icons":
		return labelClientMetadata
	case name == "outputSchema" && l.list == toolList:
		return l.outputLabel(c, s)
	case name == "arguments" && l.list == promptList && moved:
		return labelOtherOrder
	case moved:
		return l.movedLabel(s)
	case name == listInfo[l.list].identity:
		return labelRenamed
	case l.list == toolList && name == "annotations":
		return annotationsLabel(c, inside)
	case l.list == toolList && name == "execution":
		return executionLabel(c, inside)
	case l.list == toolList && name == "inputSchema":
		return l.inputLabel(c, s)
	case l.list == promptList && name == "arguments":
		return promptArgumentLabel(c, inside)
	case l.list == toolList || l.list == promptList:
	case name == "name":
		return proseLabel(c, inside)
	case name == "annotations" || name == "size":
		return labelClientMetadata
	}
	return labelChanged
}

// movedLabel is for a value that only stands in another place now.
func (l *labeller) movedLabel(s location) label {
	switch {
	case s.keyword < 0:
		return labelChanged
	case s.at == atSchemas:
		return exchangedLabel(s).forUse(l.useOf(s.around[:]...))
	case s.held() && slices.Contains(combinators[:], s.name()):
		return labelOtherOrder
	}
	return labelConstraintChanged.forUse(l.useOf(s.around[:]...))
}

// exchangedLabel is for alternatives that stood under anyOf and stand under oneOf now, or
// the other way round. What fits several alternatives fits anyOf and doesn't fit oneOf.
func exchangedLabel(s location) label {
	switch {
	case s.name() == "oneOf" && !disjoint(s.member(1, "oneOf")):
		return labelTightened
	case s.name() == "anyOf" && !disjoint(s.member(0, "oneOf")):
		return labelLoosened
	}
	return labelOtherForm
}

// proseLabel is for a title or a description. Only a string is prose.
func proseLabel(c change, inside []string) label {
	isText := func(v value) bool { return v.kind == 0 || v.kind == '"' }
	if len(inside) == 0 && isText(c.old) && isText(c.new) {
		return labelWording
	}
	return labelChanged
}

// promptArgumentLabel is for the arguments of a prompt: a list of name, description
// and required.
func promptArgumentLabel(c change, inside []string) label {
	on := func(v *value) bool { return v != nil && v.kind != 0 && v.kind != 'f' }
	coming := func(v *value) label {
		if on(lookup(v, "required")) {
			return labelNewRequired
		}
		return labelNewOptional
	}
	switch len(inside) {
	case 0:
		kind := c.choose(labelNewOptional, labelParameterRemoved, labelChanged)
		for _, item := range c.new.items() {
			kind = min(kind, coming(&item.value))
		}
		return kind
	case 1:
		return c.choose(coming(&c.new), labelParameterRemoved, labelChanged)
	}
	switch name := inside[1]; {
	case name == "title" || name == "description":
		return proseLabel(c, inside[2:])
	case len(inside) > 2 || name != "name" && name != "required":
		return labelChanged
	case name == "name":
		return labelNewOptional
	case on(&c.new):
		return labelNowRequired
	case on(&c.old):
		return labelNoLongerRequired
	}
	return labelOtherForm
}

// annotationsLabel is for a change inside the annotations, or for all of them if they came
// or went. In that case the member with the first rank counts.
func annotationsLabel(c change, inside []string) label {
	if len(inside) > 0 {
		return annotationLabel(c, inside[0], inside[1:])
	}
	first := labelClientMetadata
	if len(c.old.members())+len(c.new.members()) > 0 {
		first = labelChurn
	}
	for _, m := range c.old.members() {
		first = min(first, annotationLabel(change{old: m.value}, m.name, nil))
	}
	for _, m := range c.new.members() {
		first = min(first, annotationLabel(change{new: m.value}, m.name, nil))
	}
	return first
}

// annotationLabel is for one annotation, or for something inside it.
func annotationLabel(c change, name string, inside []string) label {
	if name == "title" {
		return proseLabel(c, inside)
	}
	hint, ok := toolHints[name]
	if !ok || len(inside) > 0 {
		return labelClientMetadata
	}
	// Clients differ in how they read a hint that is no boolean. A new one may make a
	// client ask less. Nobody can rely on an old one having made it ask less before.
	asksLess := func(v value, odd bool) bool {
		switch v.kind {
		case 0:
			return hint.absent == hint.asksLess
		case 't', 'f':
			return (v.kind == 't') == hint.asksLess
		}
		return odd
	}
	switch before, after := asksLess(c.old, false), asksLess(c.new, true); {
	case after && !before:
		return hint.safer
	case before && !after:
		return labelTowardsCaution
	}
	return c.choose(labelHintStated, labelHintLeftOut, labelHintStated)
}

// executionLabel is for execution, which SDKs gave every tool and take away again (MCP
// 2025-11-25, 2026-07-28). Only the specified values are taken for such churn.
func executionLabel(c change, inside []string) label {
	var support *value
	switch {
	case len(inside) == 0 && len(c.new.members()) < 2:
		support = lookup(&c.new, "taskSupport")
	case len(inside) == 1 && inside[0] == "taskSupport":
		support = &c.new
	}
	if c.new.kind == 0 || slices.Contains([]string{"forbidden", "optional", "required"}, textOf(support)) {
		return labelChurn
	}
	return labelChanged
}

// outputLabel is for the output schema, which describes the data that comes back.
func (l *labeller) outputLabel(c change, s location) label {
	switch {
	case s.keyword < 0:
		return labelOutput
	case s.sameMeaning:
		return labelOtherForm
	}
	switch k := l.schemaLabel(c, s); k {
	case labelWording:
		return labelOutputWording
	case labelChurn:
		return k
	}
	return labelOutput
}

// inputLabel is for the whole input schema, or for something inside it.
func (l *labeller) inputLabel(c change, s location) label {
	if s.keyword < 0 {
		switch {
		case exportsArgument(&c.new, atSchema):
			return labelExported
		case openness(c.new, 2) > openness(c.old, 1):
			return labelInputOpened
		}
		return labelInputChanged
	}
	if exportsArgument(&c.new, s.holds()) {
		return labelExported
	}
	k := l.schemaLabel(c, s)
	if s.sameMeaning && !k.minor() {
		return labelOtherForm
	}
	e := labelTable[k].effect
	came := c.old.kind == 0 || c.new.kind == 0
	if (e == breadthWider || e == breadthNarrower) && came && textOf(s.member(0, "$ref")) != textOf(s.member(1, "$ref")) {
		k = labelConstraintChanged // it may have moved to or from the schema referred to
	}
	if e == breadthNarrower && s.name() != "not" {
		k = l.introduced(c, s, k)
	}
	if (e == breadthNarrower || k == labelOtherForm) && l.freesOthers(s) {
		k = min(k, labelConstraintChanged)
	}
	return k.forUse(l.useAt(s))
}

func exportsArgument(v *value, at position) bool {
	found := false
	eachSchema(v, at, func(s *value) { found = found || s.kind == '{' && lookup(s, headerKeyword) != nil })
	return found
}
