package diff

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/effort"
	"pinproof/internal/inclusion"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/normal"
	"pinproof/internal/schema"
)

// This file labels changes inside the input and output schemas of tools. Package inclusion proves, in both
// directions, what a change does to the values that a schema accepts. A change without a proof counts as breaking.

// A side is the old (0) and the new (1) input or output schema of a tool, with data that is computed once for all
// changes in it.
type side struct {
	roots versions

	// The normal forms of both schemas and, at index 1, those without titles, descriptions and comments. They are
	// computed on first use.
	forms [2]func() [2]*normal.NormalForms

	// Results of relation, and of isApart.
	relations map[question]inclusion.Relation
	apart     map[*jsontree.Value]bool

	// Results of parametersIn: the parameters that a schema names, in any of its alternatives.
	parameters map[*jsontree.Value]set

	// Clients may reject the whole new schema although they accepted the old one, because it sets more keywords to null
	// or violates MCP.
	isRefused bool

	// The names of the old schema's parameters and definitions, and its titles.
	known set

	// All strings in the old schema.
	texts set

	// The new schema makes clients send a parameter as a header.
	hasHeader bool

	// The names that each schema requires; filled on first use.
	required map[*jsontree.Value]set

	// Results of level.namesOthers.
	namesOthers map[level]bool

	// The definitions that are referenced, by name; nil if a reference can't be followed, so that any definition may
	// be used.
	used set

	// A reference leads to a whole schema, which then applies to values inside it, too.
	refersToRoot bool

	// Pointers to values that a $ref leads to although they aren't schemas (true), and to the values that contain them
	// (false).
	opaque map[string]bool

	// A definition is referenced from a schema that only tests values, as under not.
	testsDefinitions bool

	// A schema has oneOf.
	hasOneOf bool
}

// newSide returns the side for two schemas of a tool, of which one may be nil.
func newSide(budget *effort.Budget, tool string, old, new *jsontree.Value) *side {
	s := &side{
		roots:       versions{old, new},
		relations:   map[question]inclusion.Relation{},
		apart:       map[*jsontree.Value]bool{},
		parameters:  map[*jsontree.Value]set{},
		namesOthers: map[level]bool{},
		known:       set{},
		texts:       set{},
		required:    map[*jsontree.Value]set{},
		used:        set{},
		opaque:      map[string]bool{},
	}
	for _, root := range s.roots {
		s.follow(root, root, false, map[*jsontree.Value]bool{})
	}
	schema.EachSchema(cmp.Or(new, old), schema.AtSchema, func(v *jsontree.Value) {
		s.hasHeader = s.hasHeader || v.Has(schema.HeaderKeyword)
		s.hasOneOf = s.hasOneOf || v.Has("oneOf")
	})
	if old == nil || new == nil {
		return s
	}
	s.isRefused = nulls(new) > nulls(old) || isSpecified(old) && !isSpecified(new)
	schema.Visit(old, schema.AtSchema, func(v *jsontree.Value, of, at schema.Position, path []jsontree.Step) {
		if of == schema.AtSchemaMap || of == schema.AtProperties {
			s.known[path[len(path)-1].Name] = true
		}
		if at == schema.AtSchema {
			s.known[v.Get("title").Text] = true
		}
		if v.Kind == '"' {
			s.texts[v.Text] = true
		}
	})
	for i := range s.forms {
		s.forms[i] = sync.OnceValue(func() [2]*normal.NormalForms {
			return [2]*normal.NormalForms{normal.NewForms(budget, old, tool, i == 1), normal.NewForms(budget, new, tool, i == 1)}
		})
	}
	return s
}

// isSpecified reports whether a whole schema conforms to MCP (2025-11-25, Tool): its type is "object", and the schema
// of each parameter is a JSON object. The SDKs' clients reject the whole list otherwise.
func isSpecified(root *jsontree.Value) bool {
	isOther := func(m jsontree.Member) bool { return m.Kind != '{' }
	return jsontree.StringOf(jsontree.Lookup(root, "type")) == "object" && !slices.ContainsFunc(root.Get("properties").Members(), isOther)
}

// nulls counts the keywords of a whole schema that are null, except const and default, for which null is a value.
func nulls(root *jsontree.Value) (count int) {
	schema.EachSchema(root, schema.AtSchema, func(v *jsontree.Value) {
		for _, m := range v.Members() {
			if m.Kind == 'n' && m.Name != "const" && m.Name != "default" && schema.IsKnownKeyword(m.Name) {
				count++
			}
		}
	})
	return count
}

// uses reports whether a definition is referenced, or may be.
func (s *side) uses(name string) bool { return s.used == nil || s.used[name] }

// follow records the definitions that a schema references, directly or through other definitions.
func (s *side) follow(root, v *jsontree.Value, isTested bool, seen map[*jsontree.Value]bool) {
	if v == nil || seen[v] {
		return
	}
	seen[v] = true
	if v.Has("$dynamicRef") || v.Has("$recursiveRef") || v != root && (v.Has("$id") || v.Has("id")) {
		s.used = nil
	}
	if reference := jsontree.Lookup(v, "$ref"); reference != nil {
		s.testsDefinitions = s.testsDefinitions || isTested
		to, steps, _ := schema.ResolveReference(root, jsontree.StringOf(reference))
		if s.used != nil && len(steps) > 1 && schema.IsDefinitions(steps[0]) {
			s.used[steps[1]] = true
		} else if len(steps) > 0 || to == nil {
			s.used = nil
		}
		s.refersToRoot = s.refersToRoot || to == root
		if schema, _ := schema.ResolveSchema(root, reference); schema == nil && to != nil {
			s.noteOpaque(steps)
		}
		s.follow(root, to, isTested, seen)
	}
	schema.EachSubschema(v, func(part *jsontree.Value, steps ...string) {
		if !schema.IsDefinitions(steps[0]) {
			s.follow(root, part, isTested || tests(steps[0]), seen)
		}
	})
}

// tests reports whether the schema in a keyword only tests values, so that the whole schema may accept values that this
// schema rejects.
func tests(keyword string) bool {
	switch keyword {
	case "not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems":
		return true
	}
	return false
}

// bearsOnValues reports whether a keyword of a schema restricts its values by itself. It returns false for the keywords
// of parameters, because their changes have labels of their own.
func bearsOnValues(keyword string) bool {
	switch keyword {
	case "properties", "required", "additionalProperties", "patternProperties", "items", schema.HeaderKeyword:
		return false
	}
	return !schema.IsAnnotation(keyword) && !schema.IsDefinitions(keyword)
}

// A question is a comparison of two schemas, old and new: as wholes, or only by their keywords that restrict values.
type question struct {
	schemas  versions
	ofValues bool
}

// relation returns how the schemas around a place compare: as wholes or, with ofValues, only by their keywords for
// values. It computes each result once.
func (p *place) relation(ofValues bool) inclusion.Relation {
	q := question{p.around, ofValues}
	known, asked := p.relations[q]
	if asked {
		return known
	}
	depth := 1
	if p.around == p.roots {
		depth = 0
	}
	old, new := p.around[0], p.around[1]
	if ofValues {
		old, new = only(old, bearsOnValues), only(new, bearsOnValues)
	}
	p.relations[q] = p.compare(old, new, depth)
	return p.relations[q]
}

// bestRelation compares the schemas around a place as wholes or, where that proves nothing, by their keywords for values.
func (p *place) bestRelation() inclusion.Relation {
	if whole := p.relation(false); whole != inclusion.Unknown {
		return whole
	}
	return p.relation(true)
}

// relationAlone compares the keyword of a place as if the schemas around it had no other keyword.
func (p *place) relationAlone() inclusion.Relation {
	alone := [2]jsontree.Value{jsontree.Object(), jsontree.Object()}
	keywords := [2]string{p.keyword, p.keyword}
	if p.isMove() && len(p.inside) == 0 {
		keywords[0] = exchangeable[p.keyword]
	}
	for i, schema := range p.around {
		if m := (jsontree.Member{Name: keywords[i], Value: schema.Get(keywords[i])}); m.Kind != 0 && hasEffect(&m) {
			alone[i] = jsontree.Object(m)
		}
	}
	return p.compare(&alone[0], &alone[1], 1)
}

// only returns a schema with the keywords that f selects and that have an effect.
func only(v *jsontree.Value, f func(keyword string) bool) *jsontree.Value {
	kept := jsontree.FilterParts(*v, func(m *jsontree.Member) bool { return f(m.Name) && hasEffect(m) })
	return &kept
}

// hasEffect reports whether a keyword may have an effect: null has none, except as a constant.
func hasEffect(m *jsontree.Member) bool { return m.Kind != 'n' || m.Name == "const" }

// compare proves the relation of two schemas at a nesting depth, if the budget allows. Its cost includes both roots,
// because a proof follows references into them.
func (p *place) compare(old, new *jsontree.Value, depth int) inclusion.Relation {
	if p.isRefused || !p.budget.Spend(sizeOf(p.roots[0])+sizeOf(p.roots[1])) {
		return inclusion.Unknown
	}
	return inclusion.Compare(p.budget, p.roots[0], p.roots[1], old, new, depth)
}

func sizeOf(v *jsontree.Value) int { return int(v.End - v.Start) }

// noteOpaque records the pointer to a value that a reference leads to although it isn't a schema, and the pointers to
// the values that contain it.
func (s *side) noteOpaque(steps []string) {
	pointer := ""
	for _, step := range steps {
		if !s.opaque[pointer] {
			s.opaque[pointer] = false
		}
		pointer = jsontree.ExtendPointer(pointer, step)
	}
	s.opaque[pointer] = true
}

// isOpaque reports whether a $ref leads to a value that isn't a schema, and this value changed, contains the change, or
// is part of it.
func (p *place) isOpaque() bool {
	for _, pointer := range []string{p.Pointer, cmp.Or(p.OldPointer, p.Pointer)} {
		pointer = strings.TrimPrefix(pointer, jsontree.ExtendPointer("", p.steps[0]))
		_, isAround := p.opaque[pointer]
		for pointer != "" && !p.opaque[pointer] {
			pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
		}
		if isAround || p.opaque[pointer] {
			return true
		}
	}
	return false
}

// isForm reports whether a change only rewrites a schema: the normal form of the changed keyword, or of an enclosing
// schema, is the same as before. kind is the index of the normal forms.
func (p *place) isForm(kind int) bool {
	if p.isRefused && p.keyword != "$schema" {
		return false
	}
	forms := p.forms[kind]()
	old, new := forms[0], forms[1]
	if !old.Uses(p.around[0]) || !new.Uses(p.around[1]) {
		return false // the change is in an unused definition
	}
	isOfDefinitions := schema.IsDefinitions(p.keyword)
	names := p.names()
	isOtherType := len(p.inside) == 0 && p.Old.Kind != 0 && p.New.Kind != 0
	isOdd := func(name string) bool { return !p.used[name] || kind == 0 && !p.known[name] }
	if isOfDefinitions && (names == nil || isOtherType || slices.ContainsFunc(names, isOdd)) {
		// The normal forms don't cover an unused definition, and its name may be new to the reader.
		return false
	}
	if normal.EqualKeyword(old, new, p.around[0], p.around[1], p.keyword) {
		return true
	}
	schemas := p.schemas
	if p.inDefinitions && !isOfDefinitions {
		// Skip the whole schema: its normal form ignores the names of definitions, but readers look definitions up by
		// name.
		schemas = schemas[1:]
	}
	return slices.ContainsFunc(schemas, func(pair versions) bool { return normal.Equal(old, new, pair[0], pair[1]) })
}

// isNewProse reports whether a change adds a description or a comment that the old schema doesn't contain. The normal
// forms include descriptions and comments, so they differ, too.
func (p *place) isNewProse() bool {
	isProse := (p.keyword == "description" || p.keyword == "$comment") && len(p.inside) == 0
	return isProse && p.New.Kind == '"' && !p.texts[p.New.Text]
}

// schemaLabel returns the label of a change that is in a schema, as it would be in an input.
func (p *place) schemaLabel() label.Label {
	if p.isOpaque() {
		return label.Unclear
	}
	if !p.isNewProse() && p.isForm(0) {
		return label.EquivalentForm
	}
	k := p.keywordLabel()
	isTested := p.isTested || p.inDefinitions && p.testsDefinitions
	switch {
	case p.isMove() && p.at == schema.AtSchema && !isCombination(p.keyword):
		// The schema moved to another index of the array, so it applies to another element.
		return label.AcceptedValuesChanged
	case p.inDefinitions && len(p.steps) > 2 && k != label.TextChanged && k != label.ArgumentSentAsHeader && !p.uses(p.steps[2]):
		return label.UnusedSchemaChanged
	case schema.IsAnnotation(p.keyword) || p.keyword == schema.HeaderKeyword || k == label.ArgumentSentAsHeader:
		return k
	case p.keyword != "required" && p.isForm(1):
		// The schema accepts the same values, so only texts, or what they describe, have changed.
		return label.TextChanged
	case k == label.OtherMember:
		return k
	case p.mayBeOpposite(k):
		return label.AcceptedValuesChanged
	case isTested && (k.AffectsValues() || !tests(p.keyword)):
		return label.Unclear // the effect depends on the schema around it
	}
	return k
}

// mayBeOpposite reports whether a label says that a schema accepts more values, or fewer, although the schemas around it
// may do the opposite.
func (p *place) mayBeOpposite(k label.Label) bool {
	return isOneSided(k) && (p.mayOverlap() || p.isDependent())
}

// isOneSided reports whether a label says that a schema accepts more values, or fewer, than before.
func isOneSided(k label.Label) bool {
	switch k {
	case label.ConstraintTightened, label.EnumValueRemoved, label.InputClosed, label.ConstraintLoosened, label.EnumValueAdded, label.AnyInputAccepted:
		return true
	}
	return false
}

// dependent are keywords whose effect depends on that of the others in their group.
var dependent = [...][]string{
	{"items", "prefixItems", "additionalItems"}, {"contains", "minContains", "maxContains"},
}

// isDependent reports whether the effect of a changed keyword depends on another keyword next to it, or on
// unevaluatedProperties or unevaluatedItems around it, and the effect of the whole schema isn't proven.
func (p *place) isDependent() bool {
	has := func(around versions, keyword string) bool { return around[0].Has(keyword) || around[1].Has(keyword) }
	isOther := func(keyword string) bool { return keyword != p.keyword && has(p.around, keyword) }
	isInGroup := func(group []string) bool {
		return slices.Contains(group, p.keyword) && slices.ContainsFunc(group, isOther)
	}
	leavesRest := func(around versions) bool {
		return has(around, "unevaluatedProperties") || has(around, "unevaluatedItems")
	}
	isRest := func(v *jsontree.Value) bool { return v.Get("additionalProperties").Kind == '{' }
	isPattern := p.keyword == "patternProperties" && slices.ContainsFunc(p.around[:], isRest)
	return (isPattern || slices.ContainsFunc(dependent[:], isInGroup) || slices.ContainsFunc(p.schemas, leavesRest)) && p.relation(false) == inclusion.Unknown
}

// mayOverlap reports whether a change is in an alternative of oneOf that may accept a value of another alternative, or
// in a definition that may be such an alternative. Because oneOf rejects such a value, the whole schema may accept more
// values if the alternative accepts fewer.
func (p *place) mayOverlap() bool {
	for i, around := range p.schemas[:len(p.schemas)-1] {
		for side, one := range p.schemas[i+1] {
			if p.keywords[i] == "oneOf" && !p.isApart(side, one, around[side].Get("oneOf")) {
				return true
			}
		}
	}
	return p.inDefinitions && p.hasOneOf
}

// isApart reports whether an alternative provably accepts no value that another one in the list accepts. It computes
// each result once.
func (p *place) isApart(side int, one *jsontree.Value, list jsontree.Value) bool {
	if _, known := p.apart[one]; !known {
		p.apart[one] = inclusion.IsApart(p.budget, p.roots[side], one, list)
	}
	return p.apart[one]
}

// keywordLabel returns the label of a change by the keyword that it is in.
func (p *place) keywordLabel() label.Label {
	isDefinition := schema.IsDefinitions(p.keyword) && len(p.inside) < 2
	isSchema := p.at == schema.AtSchema
	at := p.at
	if !isSchema && len(p.inside) == 0 {
		// The position of the new value, even if the old value was at another kind of position.
		at = schema.KeywordPosition(p.keyword)
	}
	switch {
	case p.keyword == "$schema":
		return label.Unclear
	case p.keyword == "required":
		return p.requiredLabel()
	case schema.IsAnnotation(p.keyword) || p.keyword == schema.HeaderKeyword:
		return p.remarkLabel()
	case p.exports(&p.New, at):
		return label.ArgumentSentAsHeader
	case isDefinition && p.Old.Kind != 0 && p.New.Kind != 0:
		return label.Unclear
	case isDefinition && slices.ContainsFunc(p.names(), p.uses):
		return label.OtherMember
	case isDefinition:
		return label.UnusedSchemaChanged
	case p.keyword == "properties" && len(p.inside) < 2 && !p.isMove():
		return p.parameterLabel()
	case isSchema && (p.keyword == "additionalProperties" || p.keyword == "properties"), p.keyword == "patternProperties":
		return p.othersLabel()
	case p.isMove() && isSchema:
		return label.OtherMember // the order of schemas that are combined means nothing
	}
	return p.valuesLabel()
}

// remarkLabel labels a change of a keyword that restricts no value.
func (p *place) remarkLabel() label.Label {
	switch p.keyword {
	case "default", "examples", "example":
		return label.DefaultChanged
	case "title", "description", "$comment":
		if k := p.proseLabel(0); k != label.Unclear {
			return k
		}
	case schema.HeaderKeyword:
		if p.New.Kind != 0 {
			return label.ArgumentSentAsHeader
		}
	}
	return label.OtherMember
}

// isCombination reports whether a keyword combines the schemas in its list, in any order.
func isCombination(keyword string) bool {
	return keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf"
}

// exports reports whether a value at a position of the new schema may make clients send an argument as a header: the
// value contains the keyword for that, or a reference, which may lead to the keyword.
func (p *place) exports(v *jsontree.Value, at schema.Position) (found bool) {
	if p.hasHeader {
		found = p.keyword == "$ref" && v.Kind != 0
		schema.EachSchema(v, at, func(s *jsontree.Value) { found = found || s.Has(schema.HeaderKeyword) || s.Has("$ref") })
	}
	return found
}

// requiredLabel labels a change of required. It ignores a name that was added or removed together with its parameter,
// which has a label of its own.
func (p *place) requiredLabel() label.Label {
	before, wasPlain := textSet(p.Old)
	after, isPlain := textSet(p.New)
	if !wasPlain || !isPlain || len(p.inside) > 0 {
		return label.Unclear
	}
	was := p.around[0].Get("properties")
	is := p.around[1].Get("properties")
	k := label.EquivalentForm
	for name := range before {
		if !after[name] && (is.Has(name) || !was.Has(name)) {
			k = label.ParameterOptional
		}
	}
	for name := range after {
		if !before[name] && (was.Has(name) || !is.Has(name)) {
			if k == label.ParameterOptional {
				return label.AcceptedValuesChanged // some are required now, and others no longer
			}
			return label.ParameterRequired
		}
	}
	return k
}

// textSet returns the strings of a list, and whether the list contains only strings. An absent or null list is empty.
func textSet(v jsontree.Value) (texts set, isPlain bool) {
	texts = set{}
	isPlain = isNothing(v) || v.Kind == '['
	for _, item := range v.Items() {
		if item.Kind == '"' {
			texts[item.Text] = true
		} else {
			isPlain = false
		}
	}
	return texts, isPlain
}

// parameterLabel labels the addition or removal of one or all parameters of a schema. A parameter whose schema is false
// is never accepted, so another schema in place of false adds the parameter.
func (p *place) parameterLabel() label.Label {
	isTaken := p.Old.Kind == 'f' && p.New.Kind != 0
	if len(p.inside) > 0 && !isTaken && (p.Old.Kind != 0 && p.New.Kind != 0 || p.Old.Kind == 'f' || p.New.Kind == 'f') {
		return p.othersLabel()
	}
	other := 0 // the side without the parameter: the old one after an addition, the new one after a removal
	if p.New.Kind == 0 {
		other = 1
	}
	names := p.names()
	isOnlyHere := func(name string) bool { return !p.parametersIn(other, p.around[other])[name] }
	if len(names) > 0 && !slices.ContainsFunc(names, isOnlyHere) {
		switch p.bestRelation() {
		case inclusion.Wider:
			// Another keyword, such as anyOf, still names these parameters, so only the accepted values differ.
			return label.ConstraintLoosened
		case inclusion.Narrower:
			return label.ConstraintTightened
		case inclusion.Same:
			return label.OtherMember
		}
	}
	if p.New.Kind == 0 {
		return label.ParameterRemoved
	}
	required, known := p.required[p.around[1]]
	if !known {
		if list, isPlain := textSet(p.around[1].Get("required")); isPlain {
			required = list
		}
		p.required[p.around[1]] = required
	}
	if slices.ContainsFunc(names, func(name string) bool { return required[name] }) {
		return label.RequiredParameterAdded
	}
	return label.ParameterAdded
}

// namesMore reports whether a new schema names a parameter that the old one doesn't name.
func (p *place) namesMore() bool {
	old := p.parametersIn(0, p.around[0])
	new := p.parametersIn(1, p.around[1])
	return common(new, old) < len(new)
}

// combines reports whether a keyword applies further schemas, or required names, to the same value.
func combines(keyword string) bool {
	return isCombination(keyword) || slices.Contains([]string{"if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies", "$ref"}, keyword)
}

// parametersIn returns the parameters that a schema on one side names, also in the schemas that it combines or
// references. A name maps to false if its schema is false everywhere.
func (p *place) parametersIn(side int, v *jsontree.Value) set {
	if names, known := p.parameters[v]; known {
		return names
	}
	names := set{}
	p.parameters[v] = names
	seen := map[*jsontree.Value]bool{}
	var collect func(v *jsontree.Value)
	collect = func(v *jsontree.Value) {
		if v == nil || seen[v] || !p.budget.Spend(sizeOf(v)) {
			return
		}
		seen[v] = true
		for _, m := range v.Get("properties").Members() {
			names[m.Name] = names[m.Name] || m.Kind != 'f'
		}
		to, _ := schema.ResolveSchema(p.roots[side], jsontree.Lookup(v, "$ref"))
		collect(to)
		schema.EachSubschema(v, func(part *jsontree.Value, steps ...string) {
			if combines(steps[0]) {
				collect(part)
			}
		})
	}
	collect(v)
	return names
}

// othersLabel labels a change of additionalProperties, patternProperties or a parameter's schema from or to true,
// false or absent.
func (p *place) othersLabel() label.Label {
	isPattern := p.keyword == "patternProperties"
	// additionalProperties applies to names that match no pattern.
	closed := func(side int, v jsontree.Value) bool {
		return v.Kind == 'f' || v.Kind == 0 && isPattern && p.around[side].Get("additionalProperties").Kind == 'f'
	}
	wasClosed := closed(0, p.Old)
	isClosed := closed(1, p.New)
	wasOpen := p.Old.Kind == 't' || isEmpty(p.Old) && !wasClosed
	isOpen := p.New.Kind == 't' || isEmpty(p.New) && !isClosed
	switch {
	case wasClosed && isOpen && !isPattern && !p.mayNameOthers():
		return label.InputOpened
	case isClosed && !wasClosed:
		return label.InputClosed
	case isOpen && !wasOpen && !wasClosed:
		return label.AnyInputAccepted
	case wasClosed:
		return label.ConstraintLoosened
	case wasOpen && !isOpen:
		return label.ConstraintTightened
	}
	return label.Unclear
}

// mayNameOthers reports whether a parameter that the properties around a place lack may be named elsewhere: in the same
// schema, in a schema that is combined with it, at any level around the place, or where a definition is referenced.
func (p *place) mayNameOthers() bool {
	last := len(p.schemas) - 1
	isInAlternative := last > 0 && combines(p.keywords[last-1])
	if p.inDefinitions || p.used == nil || p.refersToRoot || isInAlternative {
		return true
	}
	for i, around := range p.schemas {
		at := level{around, p.keywords[i], i == last}
		may, known := p.namesOthers[at]
		if !known {
			may = at.namesOthers()
			p.namesOthers[at] = may
		}
		if may {
			return true
		}
	}
	return false
}

// A level is a schema around a place, old and new, with the keyword that leads from it to the place.
type level struct {
	versions
	keyword  string
	isDirect bool // it is the innermost one
}

// namesElsewhere are the keywords that may name a parameter of the same value, or of a value in it, besides those that
// combine schemas.
var namesElsewhere = [...]string{"propertyNames", "patternProperties", "enum", "const", "contains"}

// namesOthers reports whether the old schema may name parameters that the properties at the place lack, or either
// schema requires such a parameter. Any other parameter that the new schema names is labelled as an addition. If the
// place is in an alternative, the other alternatives don't apply to it.
func (l level) namesOthers() bool {
	old := l.versions[0]
	isAlternatives := l.keyword == "anyOf" || l.keyword == "oneOf"
	isCombined := func(m jsontree.Member) bool { return combines(m.Name) && !(isAlternatives && m.Name == l.keyword) }
	if slices.ContainsFunc(old.Members(), isCombined) {
		return true
	}
	isOther := func(m jsontree.Member) bool { return !old.Get("properties").Has(m.Text) }
	isRequired := func(v *jsontree.Value) bool { return slices.ContainsFunc(v.Get("required").Items(), isOther) }
	return slices.ContainsFunc(namesElsewhere[:], old.Has) || l.isDirect && slices.ContainsFunc(l.versions[:], isRequired)
}

// valuesLabel labels a change in a keyword that restricts values, by its effect together with the other keywords of
// the schema.
func (p *place) valuesLabel() label.Label {
	name := p.keyword
	if !schema.IsKeyword(name) || name == "nullable" {
		return label.OtherMember // JSON Schema doesn't say what it means
	}
	r := p.bestRelation()
	alone := p.relationAlone()
	if !bearsOnValues(name) || r == inclusion.Unknown || name == "propertyNames" && alone == inclusion.Same {
		r = alone
	}
	listed := (name == "enum" || name == "const") && isListed(p.around[0]) && isListed(p.around[1])
	switch r {
	case inclusion.Same:
		if isCombination(name) && p.relation(false) != inclusion.Same {
			return label.AcceptedValuesChanged // its meaning depends on the keywords next to it, such as properties
		}
		if (isCombination(name) || name == "$ref") && p.New.Kind != 0 && p.namesMore() {
			return label.ParameterAdded
		}
		return label.OtherMember
	case inclusion.Wider:
		if listed {
			return label.EnumValueAdded
		}
		return label.ConstraintLoosened
	case inclusion.Narrower:
		if listed {
			return label.EnumValueRemoved
		}
		return label.ConstraintTightened
	}
	return label.AcceptedValuesChanged
}

// isListed reports whether a schema lists its values.
func isListed(v *jsontree.Value) bool { return v.Has("enum") || v.Has("const") }
