package diff

import (
	"cmp"
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// countHidden counts the characters that no reader sees in the strings of a value, names aside.
func countHidden(v jsontree.Value) (n int) {
	for _, r := range v.Text {
		if text.Hidden(r) {
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
	Pointer  string
	From     string         // pointer to the old value, if that stood elsewhere
	Old, New jsontree.Value // kind 0: absent, as both are if the value only moved
	CutFrom  [2]int         // size in bytes of an old and a new value of which only the beginning is kept
	Hidden   [2]int         // characters that no reader sees in the old and in the new value, all of it
	Label    Label
}

// Definitions lists the changes between two values parsed from canonical forms,
// sorted by the ranks of their labels. The list is empty if and only if the two
// are the same JSON value.
func Definitions(list pin.List, old, new jsontree.Value) []Change {
	e := diffTree(list, &old, &new)
	if e.unchanged() {
		return nil
	}
	l := labeller{list: list, uses: map[*jsontree.Value]schemaUse{}, sameMeaning: map[*jsontree.Value]bool{},
		always: map[*jsontree.Value]bool{}, required: map[*jsontree.Value]map[string]bool{}, named: map[*jsontree.Value]map[string]bool{},
		listed: map[[2]*jsontree.Value]Label{}}
	l.readOnly = readOnly(&old) && readOnly(&new)
	l.name = new.Get("name").Text
	l.findSameMeaning(&e)
	for _, v := range [...]*jsontree.Value{&old, &new} {
		schema := jsontree.Lookup(v, "inputSchema")
		l.use(schema, schema, usePlain)
	}
	input := jsontree.Lookup(&new, "inputSchema")
	l.findAlways(input, input)
	l.walk(&e, location{at: e.at, here: [2]*jsontree.Value{&old, &new}, keyword: -1})
	slices.SortStableFunc(l.changes, func(a, b Change) int { return cmp.Compare(a.Label, b.Label) })
	return l.changes
}

// A labeller labels the changes in a tree of diffNodes. It works out once what all of
// them need, so that each change costs no more than its own size.
type labeller struct {
	list        pin.List
	readOnly    bool                                // both definitions say that the tool only reads
	uses        map[*jsontree.Value]schemaUse       // how the schemas in both inputs bear on them
	lost        bool                                // a reference leads where we can't follow: any definition may be used
	sameMeaning map[*jsontree.Value]bool            // schemas, old and new, that differ only in their form
	unevaluated bool                                // unevaluatedProperties or unevaluatedItems stands in an input
	always      map[*jsontree.Value]bool            // schemas of the new input that no alternative and no condition holds
	required    map[*jsontree.Value]map[string]bool // the names that a schema requires
	listed      map[[2]*jsontree.Value]Label        // how the values compare that an old and a new schema list
	named       map[*jsontree.Value]map[string]bool // the paths of the parameters that a schema names
	changes     []Change
	name        string // of the tool, as it is now
}

// A location is where in a definition a node is.
type location struct {
	steps       []string
	at          schema.Position
	here        [2]*jsontree.Value // what is there, old and new; nil where absent
	around      [2]*jsontree.Value // the innermost schema around it
	keyword     int                // index in steps of the keyword of that schema, or -1
	sameMeaning bool               // a schema around it differs only in its form
	within      comparison         // of what is there, if both are schemas
	against     comparison         // of the innermost schema around it
}

func (s *location) name() string { return s.steps[s.keyword] }

func (s *location) inside() []string { return s.steps[s.keyword+1:] }

// root reports whether the schema around the node is the whole input or output schema.
func (s *location) root() bool { return s.keyword == 1 }

// held reports whether the node is a whole schema that a keyword holds.
func (s *location) held() bool { return s.at == schema.AtSchema && s.keyword >= 0 }

// holds is the position of the node's value, as its keyword gives it.
func (s *location) holds() schema.Position {
	switch {
	case s.held():
		return schema.AtSchema
	case s.keyword >= 0 && len(s.inside()) == 0:
		return schema.Keyword(s.name())
	}
	return schema.AtOther
}

// member is a member of the schema around the node, old (0) or new (1), or nil.
func (s *location) member(side int, name string) *jsontree.Value {
	return jsontree.Lookup(s.around[side], name)
}

// change returns the change at a node that is a leaf or that moved.
func (e *diffNode) change() Change {
	c, old := Change{Pointer: e.now.pointer()}, e.was.pointer()
	if e.new == nil {
		c.Pointer = old
	}
	if old != c.Pointer && (e.old != nil || e.moved) {
		c.From = old
	}
	if e.leaf() && e.old != nil {
		c.Old = *e.old
	}
	if e.leaf() && e.new != nil {
		c.New = *e.new
	}
	return c
}

// walk labels the changes in e, which is at s.
func (l *labeller) walk(e *diffNode, s location) {
	if e.leaf() || e.moved {
		c := e.change()
		c.Hidden = [2]int{countHidden(c.Old), countHidden(c.New)}
		if e.tooMany {
			c.Label = labelTooMany
			c.clip()
		} else {
			s.sameMeaning = s.sameMeaning || e.sameMeaning
			c.Label = l.labelOf(c, s)
		}
		if l.titles(c, s) {
			c.Label = labelTitle
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
func (c *Change) clip() {
	for side, v := range [...]*jsontree.Value{&c.Old, &c.New} {
		room := maxTooMany
		shown := jsontree.Clip(*v, &room)
		if room < 0 {
			c.CutFrom[side] = int(v.End - v.At)
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
	to.steps, to.here = append(s.steps, step), [2]*jsontree.Value{part.old, part.new}
	if s.at == schema.AtSchema {
		to.around, to.keyword = s.here, len(s.steps)
		judged := to.root() && schema.IsDefinitions(step) // definitions are judged by the references to them
		to.sameMeaning = (s.sameMeaning || l.sameMeaning[s.here[0]]) && !judged
		if to.against = s.within; l.lost || l.unevaluated {
			to.against = comparison{}
		}
	}
	to.within = part.against
	v := cmp.Or(part.new, part.old)
	if part.old != nil && part.old.Kind == '[' {
		v = part.old
	}
	to.at = s.at.Below(step, v)
	if to.at == schema.AtOther && l.list == pin.Tools && to.steps[0] == "inputSchema" && l.uses[part.old]|l.uses[part.new] != 0 {
		to.at = schema.AtSchema // a reference leads here
	}
	return to
}

// labelOf is the label of a change of a value.
func (l *labeller) labelOf(c Change, s location) Label {
	if len(s.steps) == 0 {
		if l.list == pin.Instructions {
			return proseLabel(c, nil)
		}
		return labelChanged
	}
	name, inside := s.steps[0], s.steps[1:]
	moved := c.Old.Kind == 0 && c.New.Kind == 0 // what differs in it has changes of its own
	switch {
	case name == "title" || name == "description":
		return proseLabel(c, inside)
	case name == "_meta" || name == "icons":
		return labelClientMetadata
	case name == "outputSchema" && l.list == pin.Tools:
		return l.outputLabel(c, s)
	case name == "arguments" && l.list == pin.Prompts && moved:
		return labelOtherOrder
	case moved:
		return l.movedLabel(s)
	case name == pin.ListInfo[l.list].Identity:
		return labelRenamed
	case l.list == pin.Tools && name == "annotations":
		return l.annotationsLabel(c, inside)
	case l.list == pin.Tools && name == "execution":
		return executionLabel(c, inside)
	case l.list == pin.Tools && name == "inputSchema":
		return l.inputLabel(c, s)
	case l.list == pin.Prompts && name == "arguments":
		return promptArgumentLabel(c, inside)
	case l.list == pin.Tools || l.list == pin.Prompts:
	case name == "name":
		return proseLabel(c, inside)
	case name == "annotations" || name == "size":
		return labelClientMetadata
	}
	return labelChanged
}

// movedLabel is for a value that only stands in another place now.
func (l *labeller) movedLabel(s location) Label {
	switch {
	case s.keyword < 0:
		return labelChanged
	case s.name() == "enum":
		return labelOtherOrder
	case s.at == schema.AtSchemas:
		return exchangedLabel(s).forUse(l.useOf(s.around[:]...))
	case s.held() && slices.Contains(combinators[:], s.name()):
		return labelOtherOrder
	}
	return labelConstraintChanged.forUse(l.useOf(s.around[:]...))
}

// exchangedLabel is for alternatives that stood under anyOf and stand under oneOf now, or
// the other way round. What fits several alternatives fits anyOf and doesn't fit oneOf.
func exchangedLabel(s location) Label {
	switch {
	case s.name() == "oneOf" && !disjoint(s.member(1, "oneOf")):
		return labelTightened
	case s.name() == "anyOf" && !disjoint(s.member(0, "oneOf")):
		return labelLoosened
	}
	return labelOtherForm
}

// proseLabel is for a title or a description. Only a string is prose.
func proseLabel(c Change, inside []string) Label {
	isText := func(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == '"' }
	if len(inside) == 0 && isText(c.Old) && isText(c.New) {
		return labelWording
	}
	return labelChanged
}

// promptArgumentLabel is for the arguments of a prompt: a list of name, description
// and required.
func promptArgumentLabel(c Change, inside []string) Label {
	on := func(v *jsontree.Value) bool { return v != nil && v.Kind != 0 && v.Kind != 'f' }
	coming := func(v *jsontree.Value) Label {
		if on(jsontree.Lookup(v, "required")) {
			return labelNewRequired
		}
		return labelNewOptional
	}
	switch len(inside) {
	case 0:
		kind := c.choose(labelNewOptional, labelParameterRemoved, labelChanged)
		for _, item := range c.New.Items() {
			kind = min(kind, coming(&item.Value))
		}
		return kind
	case 1:
		return c.choose(coming(&c.New), labelParameterRemoved, labelChanged)
	}
	switch name := inside[1]; {
	case name == "title" || name == "description":
		return proseLabel(c, inside[2:])
	case len(inside) > 2 || name != "name" && name != "required":
		return labelChanged
	case name == "name":
		return labelNewOptional
	case on(&c.New):
		return labelNowRequired
	case on(&c.Old):
		return labelNoLongerRequired
	}
	return labelOtherForm
}

// annotationsLabel is for a change inside the annotations, or for all of them if they came
// or went. In that case the member with the first rank counts.
func (l *labeller) annotationsLabel(c Change, inside []string) Label {
	if len(inside) > 0 {
		return l.annotationLabel(c, inside[0], inside[1:])
	}
	first := labelClientMetadata
	if len(c.Old.Members())+len(c.New.Members()) > 0 {
		first = labelChurn
	}
	for _, m := range c.Old.Members() {
		first = min(first, l.annotationLabel(Change{Old: m.Value}, m.Name, nil))
	}
	for _, m := range c.New.Members() {
		first = min(first, l.annotationLabel(Change{New: m.Value}, m.Name, nil))
	}
	return first
}

// annotationLabel is for one annotation, or for something inside it.
func (l *labeller) annotationLabel(c Change, name string, inside []string) Label {
	if name == "title" {
		return proseLabel(c, inside)
	}
	hint, ok := toolHints[name]
	if !ok || len(inside) > 0 {
		return labelClientMetadata
	}
	// Clients differ in how they read a hint that is no boolean. A new one may make a
	// client ask less. Nobody can rely on an old one having made it ask less before.
	asksLess := func(v jsontree.Value, odd bool) bool {
		switch v.Kind {
		case 0:
			return hint.absent == hint.asksLess
		case 't', 'f':
			return (v.Kind == 't') == hint.asksLess
		}
		return odd
	}
	switch before, after := asksLess(c.Old, false), asksLess(c.New, true); {
	case l.readOnly && hint.writes && isFlag(c.New):
	case after && !before:
		return hint.safer
	case before && !after:
		return labelTowardsCaution
	}
	return c.choose(labelHintStated, labelHintLeftOut, labelHintStated)
}

// readOnly reports whether a definition's annotations say that the tool only reads.
func readOnly(definition *jsontree.Value) bool {
	hint := jsontree.Lookup(jsontree.Lookup(definition, "annotations"), "readOnlyHint")
	return hint != nil && hint.Kind == 't'
}

// isFlag reports whether a value is true, false or absent.
func isFlag(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == 't' || v.Kind == 'f' }

// executionLabel is for execution, which SDKs gave every tool and take away again (MCP
// 2025-11-25, 2026-07-28). Only the specified values are taken for such churn.
func executionLabel(c Change, inside []string) Label {
	var support *jsontree.Value
	switch {
	case len(inside) == 0 && len(c.New.Members()) < 2:
		support = jsontree.Lookup(&c.New, "taskSupport")
	case len(inside) == 1 && inside[0] == "taskSupport":
		support = &c.New
	}
	if c.New.Kind == 0 || slices.Contains([]string{"forbidden", "optional", "required"}, jsontree.TextOf(support)) {
		return labelChurn
	}
	return labelChanged
}

// outputLabel is for the output schema, which describes the data that comes back.
func (l *labeller) outputLabel(c Change, s location) Label {
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
func (l *labeller) inputLabel(c Change, s location) Label {
	if s.keyword < 0 {
		if exportsArgument(&c.New, schema.AtSchema) {
			return labelExported
		}
		return labelInputChanged
	}
	if exportsArgument(&c.New, s.holds()) {
		return labelExported
	}
	k := l.schemaLabel(c, s)
	if s.sameMeaning && !k.Minor() {
		return labelOtherForm
	}
	gone := s.root() && len(s.inside()) == 0 && c.New.Kind == 0 && !isAnnotation(s.name()) && !schema.IsDefinitions(s.name())
	if gone && !k.Minor() && saysNothing(s.around[1]) {
		return labelInputChanged
	}
	whole, proven := s.against.label(c, s, k)
	if proven {
		k = whole
	}
	e := labelTable[k].effect
	came := c.Old.Kind == 0 || c.New.Kind == 0
	if (e == breadthWider || e == breadthNarrower) && came && !proven && jsontree.TextOf(s.member(0, "$ref")) != jsontree.TextOf(s.member(1, "$ref")) {
		k = labelConstraintChanged // it may have moved to or from the schema referred to
	}
	if (e == breadthNarrower || proven) && s.name() != "not" && c.New.Kind != 0 && !(s.against.kept && s.against.breadth == breadthNarrower) {
		k = l.introduced(s, k)
	}
	if (e == breadthNarrower || k == labelOtherForm) && l.freesOthers(s) {
		k = min(k, labelConstraintChanged)
	}
	return k.forUse(l.useAt(s))
}

// saysNothing reports whether an input schema takes any arguments, without a word about them.
func saysNothing(input *jsontree.Value) bool {
	return !slices.ContainsFunc(input.Members(), func(p jsontree.Member) bool {
		return !isAnnotation(p.Name) && p.Name != "$schema" && p.Name != "$id" && !(p.Name == "type" && p.Value.Text == "object")
	})
}

func exportsArgument(v *jsontree.Value, at schema.Position) bool {
	found := false
	schema.Each(v, at, func(s *jsontree.Value) {
		found = found || s.Kind == '{' && jsontree.Lookup(s, schema.HeaderKeyword) != nil
	})
	return found
}
