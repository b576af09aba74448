package diff

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
)

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
	case name == pin.EntryTypeInfo[l.list].Identity:
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

// Words say what the change means for a person, such as "now claims not to be destructive:
// clients ask less". They are "" where the old and the new text say it.
func (c Change) Words() string {
	name, found := strings.CutPrefix(c.Pointer, "/annotations/")
	hint, known := toolHints[name]
	switch {
	case !found || !known:
	case c.Label == hint.safer && isFlag(c.New):
		return "now claims " + hint.claim + ": clients ask less"
	case c.Label == labelTowardsCaution:
		return "no longer claims " + hint.claim + ": clients ask more"
	}
	switch c.Label {
	case labelWording, labelOutputWording, labelRenamed, labelChanged, labelExamples, labelComment, labelTitle:
		return ""
	}
	return c.Label.Text()
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
