package diff

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
)

// labelOf returns the label of a change.
func (l *labeller) labelOf(c Change, s location) label.Label {
	if len(s.steps) == 0 {
		return proseLabel(c, nil) // of a server's instructions
	}
	name := s.steps[0]
	inside := s.steps[1:]
	// What differs inside a moved value has changes of its own.
	moved := c.Old.Kind == 0 && c.New.Kind == 0
	if name == "title" || name == "description" {
		return proseLabel(c, inside)
	}
	if l.entryType == pin.Skills {
		return skillLabel(c, name, inside)
	}
	if name == "_meta" && !moved {
		return metaLabel(c, inside)
	}
	if name == "_meta" || name == "icons" {
		return label.ClientMetadata
	}
	if l.entryType == pin.Tools && (name == "inputSchema" || name == "outputSchema") {
		return l.sideLabel(c, s, moved)
	}
	if l.entryType == pin.Prompts && name == "arguments" && moved {
		return label.OtherOrder
	}
	if moved {
		return label.Changed
	}
	if name == pin.EntryTypeInfo[l.entryType].Identity {
		return label.Renamed
	}
	switch l.entryType {
	case pin.Tools:
		return l.toolLabel(c, name, inside)
	case pin.Prompts:
		if name == "arguments" {
			return promptArgumentLabel(c, inside)
		}
		return label.Changed
	}
	return resourceLabel(c, name, inside)
}

// toolLabel is for a member, other than a schema, that only tools have.
func (l *labeller) toolLabel(c Change, name string, inside []string) label.Label {
	switch name {
	case "annotations":
		return l.annotationsLabel(c, inside)
	case "execution":
		return executionLabel(c, inside)
	}
	return label.Changed
}

// resourceLabel is for a member of a resource or a template.
func resourceLabel(c Change, name string, inside []string) label.Label {
	switch name {
	case "name":
		return proseLabel(c, inside)
	case "annotations", "size":
		return label.ClientMetadata
	case "mimeType":
		// A reader may not know the new type.
		if c.Old.Kind != 0 {
			return label.Other
		}
	}
	return label.Changed
}

// sideLabel is for the input or the output schema, as a whole or something inside. The same rules compare
// both: they give the label for an input, and onSide turns that into what it means to the reader of a result.
func (l *labeller) sideLabel(c Change, s location, moved bool) (k label.Label) {
	switch {
	case moved:
		k = l.movedLabel(s)
	case s.keyword >= 0:
		if k = l.insideLabel(c, s); !s.output() && exportsArgument(&c.New, s.holds()) {
			l.atLeast(k, s)
			return label.Exported
		}
	case s.output():
		return c.choose(label.OutputAdded, label.OutputRemoved, label.Other)
	case exportsArgument(&c.New, schema.AtSchema):
		l.atLeast(label.InputChanged, s)
		return label.Exported
	default:
		return label.InputChanged
	}
	if k = s.onSide(k); k.Severity() == label.None || k == label.UnusedDefinition {
		l.least = label.None
	}
	return k
}

func (s *location) output() bool { return s.steps[0] == "outputSchema" }

// onSide returns k for a change in the input. For one in the output, it returns the label of the same
// change there.
func (s *location) onSide(k label.Label) label.Label {
	if s.output() {
		return k.OfOutput()
	}
	return k
}

// atLeast notes that the change is at least as severe as the label k, though it gets another label.
func (l *labeller) atLeast(k label.Label, s location) {
	l.least = max(l.least, s.onSide(k).Severity())
}

// movedLabel is for a value that is only in another place now.
func (l *labeller) movedLabel(s location) label.Label {
	if s.keyword < 0 {
		return label.Changed
	}
	if s.name() == "enum" {
		return label.OtherOrder
	}
	if isAnnotation(s.name()) {
		return keywordRules()[s.name()].other
	}
	if s.at == schema.AtSchemas {
		return forUse(exchangedLabel(s), l.useOf(s.around[:]...))
	}
	if s.held() && slices.Contains(combinators[:], s.name()) {
		return label.OtherOrder
	}
	return forUse(label.Other, l.useOf(s.around[:]...))
}

// exchangedLabel is for alternatives that were under anyOf and are under oneOf now, or
// the other way round. A value that fits several alternatives fits anyOf and doesn't fit oneOf.
func exchangedLabel(s location) label.Label {
	if s.name() == "oneOf" && !disjoint(s.member(1, "oneOf")) {
		return label.Tightened
	}
	if s.name() == "anyOf" && !disjoint(s.member(0, "oneOf")) {
		return label.Loosened
	}
	return label.OtherForm
}

// proseLabel is for a title or a description. Only a string is prose.
func proseLabel(c Change, inside []string) label.Label {
	isText := func(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == '"' }
	if len(inside) == 0 && isText(c.Old) && isText(c.New) {
		return label.Wording
	}
	return label.Other
}

// promptArgumentLabel is for the arguments of a prompt: a list of name, description
// and required.
func promptArgumentLabel(c Change, inside []string) label.Label {
	on := func(v jsontree.Value) bool { return v.Kind != 0 && v.Kind != 'f' }
	if len(inside) < 2 {
		kind := c.choose(label.NewOptional, label.ParameterRemoved, label.Other)
		for _, item := range slices.Concat(c.New.Items(), []jsontree.Member{{Value: c.New}}) {
			if on(item.Value.Get("required")) {
				return label.NewRequired
			}
		}
		return kind
	}
	if inside[1] == "title" || inside[1] == "description" {
		return proseLabel(c, inside[2:])
	}
	if len(inside) > 2 || inside[1] != "name" && inside[1] != "required" {
		return label.Changed
	}
	if inside[1] == "name" {
		return label.Renamed
	}
	if on(c.New) {
		return label.NowRequired
	}
	if on(c.Old) {
		return label.NoLongerRequired
	}
	return label.OtherForm
}

// annotationsLabel is for a change inside the annotations, or for all of them if they were added or
// removed. In that case the member whose label ranks first counts.
func (l *labeller) annotationsLabel(c Change, inside []string) label.Label {
	if len(inside) > 0 {
		return l.annotationLabel(c, inside[0], inside[1:])
	}
	first := label.ClientMetadata
	for i, m := range slices.Concat(c.Old.Members(), c.New.Members()) {
		one := Change{New: m.Value}
		if i < len(c.Old.Members()) {
			one = Change{Old: m.Value}
		}
		if k := l.annotationLabel(one, m.Name, nil); i == 0 || k < first {
			first = k
		}
	}
	return first
}

// annotationLabel is for one annotation, or for something inside it.
func (l *labeller) annotationLabel(c Change, name string, inside []string) label.Label {
	if name == "title" {
		return proseLabel(c, inside)
	}
	hint, ok := toolHints[name]
	if !ok || len(inside) > 0 {
		return label.ClientMetadata
	}
	// Clients differ in how they read a hint that isn't a boolean. A new hint like that may make
	// a client ask less. Nobody can rely on an old one like that having made a client ask less.
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
	case l.readOnly && hint.writes && isFlag(c.Old) && isFlag(c.New):
	case after && !before:
		return hint.safer
	case before && !after:
		return label.TowardsCaution
	case !isFlag(c.Old) || !isFlag(c.New):
		return label.Changed
	}
	return c.choose(label.HintStated, label.HintLeftOut, label.HintStated)
}

// readOnly reports whether a definition's annotations say that the tool only reads.
func readOnly(definition *jsontree.Value) bool {
	hint := jsontree.Lookup(jsontree.Lookup(definition, "annotations"), "readOnlyHint")
	return hint != nil && hint.Kind == 't'
}

// isFlag reports whether a value is true, false or absent.
func isFlag(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == 't' || v.Kind == 'f' }

// executionLabel is for execution, which SDKs gave every tool and take away again (MCP
// 2025-11-25, 2026-07-28). A tool that says nothing takes no call as a task. If a tool takes fewer kinds
// of calls than before, nobody can tell whether a client made such calls.
func executionLabel(c Change, inside []string) label.Label {
	support := func(v jsontree.Value) string {
		if v.Kind == 0 {
			return "forbidden"
		}
		return taskSupport[string(jsontree.Append(nil, v))]
	}
	switch old, new := support(c.Old), support(c.New); {
	case old == "" || new == "" || len(inside) > 0 && inside[0] != "taskSupport":
		return label.Changed
	case old == new:
		return label.Churn
	case new == "optional":
		return label.Changed
	}
	return label.Other
}

// insideLabel is for something inside an input or output schema.
func (l *labeller) insideLabel(c Change, s location) label.Label {
	k := l.schemaLabel(c, s)
	if s.sameMeaning && !k.Minor() {
		return label.OtherForm
	}
	if c.New.Kind == 0 && !k.Minor() && !s.output() && s.leavesNothing() {
		return label.InputChanged
	}
	whole, proven := s.against.label(c, s, k)
	if proven {
		k = whole
		l.least = label.None
	}
	e := k.Effect()
	came := c.Old.Kind == 0 || c.New.Kind == 0
	if (e == label.Wider || e == label.Narrower) && came && !proven && s.refersOtherwise() {
		// The keyword may have moved to or from the schema that is referred to.
		k = label.Other
	}
	if (e == label.Narrower || k == label.OtherForm) && l.freesOthers(s) {
		k = min(k, label.Other)
	}
	u := l.useAt(s)
	if s.settled && (e == label.Narrower || e == label.Wider) {
		l.least = label.None
		// A schema further out takes the same values as before, whatever changed here.
		return label.Wording
	}
	if k == label.DefinitionRemoved && l.lost {
		l.atLeast(label.Other, s)
	}
	return forUse(k, u)
}

// leavesNothing reports whether a keyword, now removed, leaves behind an input schema that says nothing.
func (s *location) leavesNothing() bool {
	if !s.root() || len(s.inside()) > 0 || isAnnotation(s.name()) || schema.IsDefinitions(s.name()) {
		return false
	}
	return saysNothing(s.around[1])
}

// refersOtherwise reports whether the old and the new schema around the node have different references.
func (s *location) refersOtherwise() bool {
	return jsontree.TextOf(s.member(0, "$ref")) != jsontree.TextOf(s.member(1, "$ref"))
}

// saysNothing reports whether an input schema takes any arguments and describes none.
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
