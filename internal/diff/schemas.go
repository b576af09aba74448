package diff

import (
	"slices"
	"strings"

	"pinproof/internal/effort"
	"pinproof/internal/inclusion"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// This file labels changes inside the input and output schemas of tools. What a change does to the values that
// a schema takes is what package inclusion proves, in both directions. What it doesn't prove may break callers.

// A side is an old (0) and a new (1) schema of a tool, whole, with what is worked out once for all changes in it.
type side struct {
	roots [2]*jsontree.Value

	// The questions that were answered.
	relations map[question]inclusion.Relation

	budget *effort.Budget

	// The changes that aren't minor.
	shown []located

	// The contents of schemas of the old and of the new one.
	contents [2]map[*jsontree.Value]contents

	// The names that schemas require.
	required map[*jsontree.Value]map[string]bool

	// The definitions of the roots that references lead to, by name; nil: a reference leads where we don't follow,
	// so every definition may be used.
	used map[string]bool

	// A reference leads to a definition from where a schema is tested rather than taken, as under not.
	isTested bool
}

// newSide works out what is used in two schemas.
func newSide(budget *effort.Budget, old, new *jsontree.Value) *side {
	s := &side{
		budget:    budget,
		contents:  [2]map[*jsontree.Value]contents{{}, {}},
		required:  map[*jsontree.Value]map[string]bool{},
		roots:     [2]*jsontree.Value{old, new},
		relations: map[question]inclusion.Relation{},
		used:      map[string]bool{},
	}
	for _, root := range s.roots {
		if root != nil {
			s.follow(root, root, false, map[*jsontree.Value]bool{})
		}
	}
	return s
}

// uses reports whether a reference leads to the definition of a name, or may.
func (s *side) uses(name string) bool { return s.used == nil || s.used[name] }

// follow notes which definitions the references in a schema lead to, and in those definitions.
func (s *side) follow(root, v *jsontree.Value, isTested bool, seen map[*jsontree.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	if v.Has("$dynamicRef") || v.Has("$recursiveRef") || v != root && (v.Has("$id") || v.Has("id")) {
		s.used = nil
	}
	if reference := jsontree.Lookup(v, "$ref"); reference != nil {
		s.isTested = s.isTested || isTested
		to, steps, _ := schema.ResolveReference(root, jsontree.TextOf(reference))
		whole := len(steps) == 0 && to != nil
		if s.used != nil && len(steps) > 1 && schema.IsDefinitions(steps[0]) {
			s.used[steps[1]] = true
		} else if !whole {
			s.used = nil
		}
		if to != nil {
			s.follow(root, to, isTested, seen)
		}
	}
	schema.EachBelow(v, func(part *jsontree.Value, steps ...string) {
		if !schema.IsDefinitions(steps[0]) {
			s.follow(root, part, isTested || tests(steps[0]), seen)
		}
	})
}

// tests reports whether a keyword tests values: what its schema accepts isn't what the whole schema accepts.
func tests(keyword string) bool {
	switch keyword {
	case "not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems":
		return true
	}
	return false
}

// bearsOnValues reports whether a keyword of a schema restricts its values by itself. Parameters have labels of their own.
func bearsOnValues(keyword string) bool {
	switch keyword {
	case "properties", "required", "additionalProperties", "patternProperties", "items", schema.HeaderKeyword:
		return false
	}
	return !schema.IsAnnotation(keyword) && !schema.IsDefinitions(keyword)
}

// A question is how two schemas compare, old and new: as wholes, or by their keywords for values alone.
type question struct {
	schemas  [2]*jsontree.Value
	ofValues bool
}

// proven answers a question, once.
func (s *side) proven(q question) inclusion.Relation {
	if q.schemas[0] == nil || q.schemas[1] == nil {
		return inclusion.Unknown
	}
	known, asked := s.relations[q]
	if asked {
		return known
	}
	depth := 1
	if q.schemas == s.roots {
		depth = 0
	}
	old, new := q.schemas[0], q.schemas[1]
	if q.ofValues {
		a, b := only(old, bearsOnValues), only(new, bearsOnValues)
		old, new = &a, &b
	}
	s.relations[q] = s.compare(old, new, depth)
	return s.relations[q]
}

// relation compares two schemas as wholes or, where that proves nothing, by their keywords for values.
func (s *side) relation(schemas [2]*jsontree.Value) inclusion.Relation {
	if whole := s.proven(question{schemas, false}); whole != inclusion.Unknown {
		return whole
	}
	return s.proven(question{schemas, true})
}

// compare proves how two schemas compare that are depth values deep in the whole ones, as far as the budget lets it. A
// proof reads both roots, for what they refer to.
func (s *side) compare(old, new *jsontree.Value, depth int) inclusion.Relation {
	if s.roots[0] == nil || s.roots[1] == nil || !s.budget.Spend(sizeOf(s.roots[0])+sizeOf(s.roots[1])) {
		return inclusion.Unknown
	}
	return inclusion.Compare(s.budget, s.roots[0], s.roots[1], old, new, depth)
}

func sizeOf(v *jsontree.Value) int { return int(v.End - v.At) }

// one compares a keyword of two schemas as if there were no other.
func (s *side) one(old, new *jsontree.Value, keyword string) inclusion.Relation {
	is := func(name string) bool { return name == keyword }
	a := only(old, is)
	b := only(new, is)
	return s.compare(&a, &b, 1)
}

// only returns a schema with those of its keywords that f selects. A null has no effect, except as a constant.
func only(v *jsontree.Value, f func(keyword string) bool) jsontree.Value {
	if v == nil {
		return jsontree.Value{Kind: '{'}
	}
	return jsontree.MapParts(*v, func(name string, v jsontree.Value) (jsontree.Value, bool) {
		return v, f(name) && (v.Kind != 'n' || name == "const")
	})
}

// isSettled reports whether one of the schemas around a change certainly takes the same values as before.
func (s *side) isSettled(schemas [][2]*jsontree.Value) bool {
	return slices.ContainsFunc(schemas, func(pair [2]*jsontree.Value) bool { return s.proven(question{pair, false}) == inclusion.Same })
}

// schemaLabel returns the label of a change that is in a schema, as it would be in an input.
func (l *labeller) schemaLabel(c Change, at location) label.Label {
	k := l.keywordLabel(c, at)
	if c.Old.Kind == 0 && c.New.Kind == 0 && at.at == schema.AtSchema && !isCombination(at.name()) {
		return label.ValuesChanged // another place of a tuple
	}
	if at.inDefinitions && len(at.steps) > 2 && k != label.Wording && k != label.Exported && !l.side.uses(at.steps[2]) {
		return label.UnusedDefinition
	}
	isRemark := k == label.Wording || k == label.Layout || k == label.DefaultChanged || k == label.Changed || k == label.Exported
	isTested := at.isTested || at.inDefinitions && l.side.isTested
	if isTested && !isRemark && !tests(at.name()) {
		return label.Other // the schema around it decides more than which values it takes
	}
	if l.isForm(k, at) {
		return l.formLabel(k, c, at)
	}
	if isTested && k.IsOfValues() {
		return label.Other
	}
	return k
}

// isForm reports whether a change with a label may be nothing but another form of the schema around it.
func (l *labeller) isForm(k label.Label, at location) bool {
	if at.name() == "$schema" || at.name() == "required" && k == label.OtherForm {
		return false
	}
	if k == label.OtherForm {
		return true
	}
	isParameter := k == label.NewRequired || k == label.NewOptional || k == label.ParameterRemoved
	if isParameter && l.side.relation(at.around) != inclusion.Unknown {
		return true
	}
	isOfValues := k.IsOfValues() || k == label.ParameterRemoved || k == label.Changed && schema.IsDefinitions(at.name())
	return isOfValues && l.side.isSettled(at.schemas)
}

// formLabel returns the label of a change in a schema that takes the same values as before: that of another form, unless
// something is read there that the other side lacks.
func (l *labeller) formLabel(k label.Label, c Change, at location) label.Label {
	var whole [2]contents
	for side := range whole {
		contents, ok := l.side.contentsOf(side, at.around[side])
		if !ok {
			return k
		}
		whole[side] = contents
	}
	gravest, isNamed, ok := l.readAnew(c, at, whole)
	isParameter := k == label.NewRequired || k == label.NewOptional || k == label.ParameterRemoved
	if !ok || isParameter && isNamed {
		return k
	}
	switch k {
	case label.NewRequired, label.NewOptional, label.ParameterRemoved:
		if r := l.side.relation(at.around); r == inclusion.Wider {
			return min(gravest, label.Loosened) // they are in one of several alternatives now
		} else if r != inclusion.Same {
			return min(gravest, label.Tightened)
		}
	case label.InputClosed, label.NamesOpened:
		// The proof takes it that nobody sends names that aren't named.
		if whole[0].isClosed != whole[1].isClosed {
			return k
		}
	case label.InputOpened, label.Tightened, label.Loosened:
		if isText := c.Old.Kind == '"' || c.New.Kind == '"'; at.name() == "additionalProperties" && !isText {
			return k
		}
	}
	return gravest
}

// keywordLabel returns the label of a change by the keyword that it is in.
func (l *labeller) keywordLabel(c Change, at location) label.Label {
	name := at.name()
	inside := at.inside()
	moved := c.Old.Kind == 0 && c.New.Kind == 0
	switch name {
	case "$schema":
		return l.dialectLabel(c, at)
	case "required":
		return l.requiredLabel(c, at)
	}
	if schema.IsAnnotation(name) || name == schema.HeaderKeyword {
		remark, _ := remarkOf(jsontree.Member{Name: name})
		return remarkLabel(c, inside, remark.label)
	}
	switch {
	case exports(&c.New, at.position()):
		return label.Exported
	case schema.IsDefinitions(name) && len(inside) < 2:
		return l.definitionLabel(c, at)
	case isEmpty(c.Old) && isEmpty(c.New) && !moved && at.at != schema.AtSchema && name != "const" && name != "enum":
		return label.OtherForm
	case name == "properties" && len(inside) < 2 && !moved:
		return l.parameterLabel(c, at)
	case at.at == schema.AtSchema && (name == "additionalProperties" || name == "properties"), name == "patternProperties":
		return l.othersLabel(c, at)
	case moved && at.at == schema.AtSchema:
		return label.OtherForm // the order of schemas that are combined means nothing
	}
	return l.valuesLabel(c, at)
}

// readAnew returns the gravest label of what is read in a change and isn't on the other side of the schema around it, and whether
// a parameter is. It returns false if the budget is too small.
func (l *labeller) readAnew(c Change, at location, whole [2]contents) (gravest label.Label, isNamed, ok bool) {
	gravest = label.OtherForm
	for side, v := range [...]jsontree.Value{c.Old, c.New} {
		changed, ok := l.side.changedContents(side, v, at)
		if !ok {
			return gravest, false, false
		}
		other := whole[1-side]
		for name := range changed.names {
			if _, known := other.names[name]; !known {
				isNamed = true
				gravest = min(gravest, [...]label.Label{label.Wording, label.NewOptional}[side])
			}
		}
		for key, remark := range changed.remarks {
			_, known := other.remarks[key]
			if !known && side == 0 && remark.label == label.Exported {
				gravest = min(gravest, label.Changed) // nothing is sent as a header any more
			} else if !known {
				gravest = min(gravest, remark.label)
			}
		}
		eachText(&v, func(text string) {
			if text != "" && !other.texts[text] && at.name() != "$ref" {
				gravest = min(gravest, label.Wording)
			}
		})
	}
	return gravest, isNamed, true
}

// remarkLabel is for a keyword that restricts no value. k is its label where it is added.
func remarkLabel(c Change, inside []string, k label.Label) label.Label {
	prose := proseLabel(c, inside)
	switch {
	case k == label.Exported && c.New.Kind == 0, k == label.Wording && prose == label.Other:
		return label.Changed
	case k == label.Wording:
		return prose
	}
	return k
}

// isCombination reports whether a keyword combines the schemas in its list, in any order.
func isCombination(keyword string) bool {
	return keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf"
}

// isEmpty reports whether a value has no content: it is absent, null, or without parts.
func isEmpty(v jsontree.Value) bool {
	return v.Kind == 0 || v.Kind == 'n' || (v.Kind == '{' || v.Kind == '[') && len(v.Parts) == 0
}

// exports reports whether a value, new at a position, makes clients send an argument as a header.
func exports(v *jsontree.Value, at schema.Position) bool {
	found := false
	schema.Each(v, at, func(s *jsontree.Value) {
		found = found || s.Kind == '{' && s.Has(schema.HeaderKeyword)
	})
	return found
}

// dialectLabel is for $schema. Any dialect that we read is as good as another for a schema without a keyword that dialects read
// in different ways.
func (l *labeller) dialectLabel(c Change, at location) label.Label {
	isOld := false
	for _, v := range []jsontree.Value{c.Old, c.New} {
		if v.Kind != 0 && !schema.IsDialect(v.Text) || !at.isRoot() {
			return label.Other
		}
		isNew := v.Kind == 0 || strings.Contains(v.Text, "draft-07") || strings.Contains(v.Text, "/draft/20")
		isOld = isOld || !isNew
	}
	differs := false
	for _, root := range l.side.roots {
		schema.Each(root, schema.AtSchema, func(part *jsontree.Value) {
			for _, m := range part.Members() {
				differs = differs || dialectsDiffer(part, m, isOld)
			}
		})
	}
	if differs {
		return label.Other
	}
	return label.OtherForm
}

// dialectsDiffer reports whether dialects of JSON Schema read a keyword of a schema in different ways: from draft-07 on or, with
// isOld, also those before it (JSON Schema 2020-12 Core, Appendix D; draft-07 and draft-06 release notes).
func dialectsDiffer(of *jsontree.Value, m jsontree.Member, isOld bool) bool {
	switch m.Name {
	case "prefixItems", "additionalItems", "unevaluatedItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas", "dependencies",
		"minContains", "maxContains", "$dynamicRef", "$recursiveRef", "$anchor", "$id", "id":
		return true
	case "items":
		return m.Value.Kind == '['
	case "$ref":
		return slices.ContainsFunc(of.Members(), func(m jsontree.Member) bool { return m.Name != "$ref" && bearsOnValues(m.Name) })
	case "const", "contains", "propertyNames", "if", "then", "else", "exclusiveMinimum", "exclusiveMaximum":
		return isOld
	}
	return isOld && (m.Value.Kind == 't' || m.Value.Kind == 'f') && schema.Keyword(m.Name) == schema.AtSchema
}

// definitionLabel is for schemas that others refer to, as they are added or removed.
func (l *labeller) definitionLabel(c Change, at location) label.Label {
	if c.Old.Kind != 0 && c.New.Kind != 0 {
		return label.Other
	}
	if slices.ContainsFunc(at.names(c), l.side.uses) {
		return label.Changed
	}
	return label.UnusedDefinition
}

// requiredLabel is for the list of required parameters. For a parameter that was added or removed, its own change shows it.
func (l *labeller) requiredLabel(c Change, at location) label.Label {
	before, plain := stringSet(c.Old)
	after, isPlain := stringSet(c.New)
	if !plain || !isPlain || len(at.inside()) > 0 {
		return label.Other
	}
	was := at.around[0]
	is := at.around[1]
	named := func(v *jsontree.Value, name string) bool {
		return jsontree.Lookup(jsontree.Lookup(v, "properties"), name) != nil
	}
	k := label.OtherForm
	for name := range before {
		if !after[name] && (named(is, name) || !named(was, name)) {
			k = label.NoLongerRequired
		}
	}
	for name := range after {
		if !before[name] && (named(was, name) || !named(is, name)) {
			return label.NowRequired
		}
	}
	return k
}

// stringSet returns the texts of a list. It returns false if there is anything else in it.
func stringSet(v jsontree.Value) (set map[string]bool, ok bool) {
	set = map[string]bool{}
	if v.Kind != 0 && v.Kind != 'n' && v.Kind != '[' {
		return nil, false
	}
	for _, item := range v.Items() {
		if item.Value.Kind != '"' {
			return nil, false
		}
		set[item.Value.Text] = true
	}
	return set, true
}

// parameterLabel is for a parameter of the schema around it, or for all of them, as they are added or removed. A schema that is
// false takes no such parameter.
func (l *labeller) parameterLabel(c Change, at location) label.Label {
	inside := at.inside()
	isTaken := c.Old.Kind == 'f' && c.New.Kind != 0
	if len(inside) > 0 && !isTaken && (c.Old.Kind != 0 && c.New.Kind != 0 || c.Old.Kind == 'f' || c.New.Kind == 'f') {
		return l.othersLabel(c, at)
	}
	if c.New.Kind == 0 {
		return label.ParameterRemoved
	}
	required, known := l.side.required[at.around[1]]
	if !known {
		required, _ = stringSet(at.around[1].Get("required"))
		l.side.required[at.around[1]] = required
	}
	if slices.ContainsFunc(at.names(c), func(name string) bool { return required[name] }) {
		return label.NewRequired
	}
	return label.NewOptional
}

// othersLabel is for a schema of parameters that was true, false or absent, or is now.
func (l *labeller) othersLabel(c Change, at location) label.Label {
	isPattern := at.name() == "patternProperties"
	// A name that has no pattern is what additionalProperties is about.
	closed := func(side int, v jsontree.Value) bool {
		return v.Kind == 'f' || v.Kind == 0 && isPattern && at.around[side].Get("additionalProperties").Kind == 'f'
	}
	wasClosed := closed(0, c.Old)
	isClosed := closed(1, c.New)
	wasOpen := c.Old.Kind == 't' || isEmpty(c.Old) && !wasClosed
	isOpen := c.New.Kind == 't' || isEmpty(c.New) && !isClosed
	switch {
	case wasClosed && isOpen && isPattern:
		return label.Loosened
	case wasClosed && isOpen:
		return label.NamesOpened
	case isClosed && !wasClosed:
		return label.InputClosed
	case isOpen && !wasOpen:
		return label.InputOpened
	case wasClosed:
		return label.Loosened
	case wasOpen && isOpen:
		return label.OtherForm
	case wasOpen:
		return label.Tightened
	}
	return label.Other
}

// valuesLabel is for a keyword that bears on what values a schema takes, judged with the others of the schema around it.
func (l *labeller) valuesLabel(c Change, at location) label.Label {
	name := at.name()
	if !isKeyword(name) {
		return label.Changed
	}
	r := l.side.relation(at.around)
	if alone := l.side.one(at.around[0], at.around[1], name); !bearsOnValues(name) || r == inclusion.Unknown || name == "propertyNames" && alone == inclusion.Same {
		r = alone
	}
	listed := (name == "enum" || name == "const") && isListed(at.around[0]) && isListed(at.around[1])
	switch r {
	case inclusion.Same:
		if name == "enum" && c.Old.Kind == '[' && c.New.Kind == '[' && isListed(at.around[0]) {
			return label.Changed // another list beside it, or a text, may go by the order
		}
		if isCombination(name) && l.side.proven(question{at.around, false}) != inclusion.Same {
			return label.ValuesChanged // what it means depends on the keywords next to it, such as properties
		}
		return label.OtherForm
	case inclusion.Wider:
		if listed {
			return label.EnumAdded
		}
		return label.Loosened
	case inclusion.Narrower:
		if listed {
			return label.EnumRemoved
		}
		return label.Tightened
	}
	return label.ValuesChanged
}

// isListed reports whether a schema lists its values.
func isListed(v *jsontree.Value) bool { return v != nil && (v.Has("enum") || v.Has("const")) }

// isKeyword reports whether JSON Schema gives a name a meaning.
func isKeyword(name string) bool {
	return slices.Contains(keywords(), name) || strings.HasPrefix(name, "$")
}

// judge gives the changes in a side of a tool the severity of what they do together. What isn't proven to be safe is breaking.
func (l *labeller) judge(member string) {
	narrow := l.side.roots[0]
	wide := l.side.roots[1]
	if narrow == nil || wide == nil {
		return
	}
	if member == "outputSchema" {
		narrow, wide = wide, narrow
	}
	isBreaking := false
	var values []*Change
	var others []*Change
	for i := range l.changes {
		c := &l.changes[i]
		if c.Pointer != "/"+member && !strings.HasPrefix(c.Pointer, "/"+member+"/") {
			continue
		}
		isBreaking = isBreaking || c.Severity == label.Breaking
		if c.Label.IsOfValues() || c.Severity == label.Breaking {
			values = append(values, c)
		} else if c.Label == label.Changed || c.Label == label.OtherForm || c.Label == label.Exported {
			others = append(others, c)
		}
	}
	if len(values)+len(others) == 0 {
		return // nothing bears on values
	}
	minor := slices.DeleteFunc(slices.Concat(values, others), func(c *Change) bool { return !c.Label.Minor() })
	if len(minor) > 0 && !l.side.readsAlike() {
		// One of the labels is wrong: whoever approves has to see what it is.
		for _, c := range minor {
			c.Label = label.Changed
			c.Severity = label.Breaking
		}
		return
	}
	if l.budget.Spend(sizeOf(narrow)+sizeOf(wide)) && inclusion.Proven(l.budget, narrow, wide) {
		for _, c := range values {
			if c.breaksByValues(member) {
				c.Severity = label.Behaviour
			}
		}
		return
	}
	if isBreaking {
		return
	}
	if values == nil {
		values = others
	}
	for _, c := range values {
		c.breaks()
	}
}

// breaksByValues reports whether a change breaks callers only if the schema refuses values that it took. The proof doesn't know
// what a dialect ignores.
func (c *Change) breaksByValues(member string) bool {
	return c.Severity == label.Breaking && c.Label.BreaksOnlyByValues() && c.Pointer != "/"+member+"/$schema"
}

// breaks notes that a change may break callers. It is shown then.
func (c *Change) breaks() {
	c.Severity = label.Breaking
	if c.Label.Minor() {
		c.Label = label.Other
	}
}
