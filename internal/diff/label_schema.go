package diff

import (
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

	// Results of relation.
	relations map[versions]inclusion.Relation

	// Results of parametersIn: the parameters that a schema names, in any of its alternatives.
	parameters map[*jsontree.Value]set

	// Clients may reject the whole new schema although they accepted the old one, because it sets more keywords to null
	// or violates MCP.
	isRefused bool

	// A schema makes clients send a parameter as a header.
	hasHeader bool

	// The names that each schema requires; filled on first use.
	required map[*jsontree.Value]set

	// The definitions that are referenced, by name; nil if a reference can't be followed, so that any definition may
	// be used.
	used set

	// A $ref leads to a value that isn't a schema, so any change may change what it means.
	isOpaque bool

	// A definition is referenced from a schema that only tests values, as under not.
	testsDefinitions bool

	hasOneOf       bool // a schema has oneOf
	hasUnevaluated bool // a schema has a keyword whose effect depends on all others, such as unevaluatedProperties
}

// newSide returns the side for two schemas of a tool, of which one may be nil.
func newSide(budget *effort.Budget, tool string, old, new *jsontree.Value) *side {
	s := &side{
		roots:      versions{old, new},
		relations:  map[versions]inclusion.Relation{},
		parameters: map[*jsontree.Value]set{},
		required:   map[*jsontree.Value]set{},
		used:       set{},
	}
	var nulls [2]int
	for i, root := range s.roots {
		if root == nil {
			continue
		}
		s.follow(root, root, false, map[*jsontree.Value]bool{})
		schema.EachSchema(root, schema.AtSchema, func(v *jsontree.Value) {
			s.hasHeader = s.hasHeader || v.Has(schema.HeaderKeyword)
			s.hasOneOf = s.hasOneOf || v.Has("oneOf")
			s.hasUnevaluated = s.hasUnevaluated || v.Has("unevaluatedProperties") || v.Has("unevaluatedItems")
			for _, m := range v.Members() {
				// Null is a value for const and default.
				if m.Kind == 'n' && m.Name != "const" && m.Name != "default" && schema.IsKnownKeyword(m.Name) {
					nulls[i]++
				}
			}
		})
	}
	if old == nil || new == nil {
		return s
	}
	s.isRefused = nulls[1] > nulls[0] || isSpecified(old) && !isSpecified(new)
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
		target, _ := schema.ResolveSchema(root, reference)
		s.isOpaque = s.isOpaque || target == nil && to != nil
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

// relation returns how the values that the schemas around a place accept compare. It computes each result once. Its cost
// includes both roots, because a proof follows references into them.
func (p *place) relation() inclusion.Relation {
	known, asked := p.relations[p.around]
	if asked {
		return known
	}
	if !p.isRefused && !p.hasUnevaluated && p.budget.Spend(sizeOf(p.roots[0])+sizeOf(p.roots[1])) {
		known = inclusion.Compare(p.budget, p.roots[0], p.roots[1], p.around[0], p.around[1], min(1, len(p.schemas)-1))
	}
	p.relations[p.around] = known
	return known
}

func sizeOf(v *jsontree.Value) int { return int(v.End - v.Start) }

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
	isOtherType := len(p.inside) == 0 && p.Old.Kind != 0 && p.New.Kind != 0
	isOdd := func(name string) bool { return !p.used[name] || kind == 0 && p.Old.Kind == 0 }
	if isOfDefinitions && (isOtherType || slices.ContainsFunc(p.names(), isOdd)) {
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

// schemaLabel returns the label of a change that is in a schema, as it would be in an input.
func (p *place) schemaLabel() label.Label {
	if p.isOpaque {
		return label.Unclear
	}
	if p.isForm(0) {
		return label.EquivalentForm
	}
	k := p.keywordLabel()
	p.isClosed = k == label.InputClosed
	switch {
	case p.isMove() && p.at == schema.AtSchema && !isCombination(p.keyword):
		// The schema moved to another index of the array, so it applies to another element.
		return label.AcceptedValuesChanged
	case schema.IsAnnotation(p.keyword) || p.keyword == schema.HeaderKeyword || k == label.ArgumentSentAsHeader:
		return k
	case p.inDefinitions && len(p.steps) > 2 && !p.uses(p.steps[2]):
		return label.UnusedSchemaChanged
	case p.keyword != "required" && p.isForm(1):
		// The schema accepts the same values, so only texts, or what they describe, have changed.
		return label.TextChanged
	case k == label.OtherMember:
		return k
	case p.isTested || p.inDefinitions && p.testsDefinitions:
		return label.Unclear // the effect depends on the schema around it
	case k == label.ParameterAdded || k == label.RequiredParameterAdded || k == label.ParameterRemoved:
		return k
	case p.isInOneOf || p.inDefinitions && p.hasOneOf || p.hasUnevaluated:
		// The schemas around it may do the opposite: oneOf rejects a value that fits two of its alternatives, so it may
		// accept more if one of them accepts fewer.
		return label.AcceptedValuesChanged
	}
	return k
}

// keywordLabel returns the label of a change by the keyword that it is in.
func (p *place) keywordLabel() label.Label {
	isDefinition := schema.IsDefinitions(p.keyword) && len(p.inside) < 2
	isSchema := p.at == schema.AtSchema
	switch {
	case p.keyword == "$schema":
		return label.Unclear
	case p.keyword == "required":
		return p.requiredLabel()
	case schema.IsAnnotation(p.keyword) || p.keyword == schema.HeaderKeyword:
		return p.remarkLabel()
	case p.exports():
		return label.ArgumentSentAsHeader
	case isDefinition && p.Old.Kind != 0 && p.New.Kind != 0:
		return label.Unclear
	case isDefinition && slices.ContainsFunc(p.names(), p.uses):
		return label.OtherMember
	case isDefinition:
		return label.UnusedSchemaChanged
	case p.keyword == "properties" && len(p.inside) < 2 && !p.isMove():
		return p.parameterLabel()
	case isSchema && p.keyword == "additionalProperties":
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

// exports reports whether a new value in a schema may make clients send an argument as a header: the value contains the
// keyword for that, or a reference, which may lead to the keyword.
func (p *place) exports() bool {
	if !p.hasHeader || p.New.Kind == 0 {
		return false
	}
	is := string(jsontree.Append([]byte(p.keyword), p.New))
	return strings.Contains(is, schema.HeaderKeyword) || strings.Contains(is, "$ref")
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
		switch p.relation() {
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
		required, _ = textSet(p.around[1].Get("required"))
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

// othersLabel labels a change of additionalProperties, or of a parameter's schema, to or from true, false or absent.
func (p *place) othersLabel() label.Label {
	isOpen := func(v jsontree.Value) bool { return v.Kind == 't' || isEmpty(v) }
	switch {
	case p.New.Kind == 'f':
		return label.InputClosed
	case p.Old.Kind == 'f' && isOpen(p.New):
		return label.InputOpened
	case isOpen(p.New) && !isOpen(p.Old):
		return label.AnyInputAccepted
	}
	return p.valuesLabel()
}

// valuesLabel labels a change in a keyword that restricts values, by its effect together with the other keywords of
// the schema.
func (p *place) valuesLabel() label.Label {
	name := p.keyword
	if !schema.IsKeyword(name) || name == "nullable" {
		return label.OtherMember // JSON Schema doesn't say what it means
	}
	listed := (name == "enum" || name == "const") && isListed(p.around[0]) && isListed(p.around[1])
	switch p.relation() {
	case inclusion.Same:
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
