package inclusion

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// form normalizes a schema: references are followed, null members are left out, nullable is a type, and allOf
// with one part is that part. It returns nil if a reference leads nowhere or back to the schema, or the budget is too small.
func (p *prover) form(root, s *jsontree.Value) *jsontree.Value {
	form, known := p.forms[s]
	if !known {
		p.forms[s] = nil // what a schema that is part of itself finds
		form = p.formOf(root, s)
		p.forms[s] = form
		p.forms[form] = form
	}
	return form
}

func (p *prover) formOf(root, s *jsontree.Value) *jsontree.Value {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth || !p.budget.Spend(lookup*(1+len(s.Parts))) {
		return nil
	}
	if reference := get(s, "$ref"); reference != nil {
		target, _, ok := schema.ResolveReference(root, jsontree.TextOf(reference))
		if !ok || target == nil {
			return nil
		}
		return p.form(root, target)
	}
	hasOtherForm := func(m jsontree.Member) bool {
		return m.Value.Kind == 'n' || m.Name == "nullable" || m.Name == "allOf" || m.Name == "unevaluatedProperties"
	}
	if s.Kind != '{' || !slices.ContainsFunc(s.Parts, hasOtherForm) {
		return s
	}
	form := jsontree.MapParts(*s, func(name string, v jsontree.Value) (jsontree.Value, bool) {
		return v, v.Kind != 'n' || name == "const" || name == "default"
	})
	form = withOthers(withNull(form))
	return p.flattened(root, &form)
}

// withNull writes nullable as a type. It counts only next to type (OpenAPI 3.0.3, Schema Object).
func withNull(s jsontree.Value) jsontree.Value {
	nullable := get(&s, "nullable")
	if nullable == nil || nullable.Kind != 't' && nullable.Kind != 'f' || s.Has("enum") || s.Has("const") {
		return s
	}
	return jsontree.MapParts(s, func(name string, v jsontree.Value) (jsontree.Value, bool) {
		if name != "type" || nullable.Kind == 'f' {
			return v, name != "nullable"
		}
		return jsontree.Texts(append(stringsOf(v), "null")), true
	})
}

// stringsOf lists a string, or the strings of a list.
func stringsOf(v jsontree.Value) (list []string) {
	if v.Kind == '"' {
		return []string{v.Text}
	}
	for _, m := range v.Items() {
		list = append(list, jsontree.TextOf(&m.Value))
	}
	return list
}

// withOthers writes unevaluatedProperties as additionalProperties, where no other keyword can have evaluated a property.
func withOthers(s jsontree.Value) jsontree.Value {
	others := get(&s, "unevaluatedProperties")
	if others == nil || s.Has("additionalProperties") || s.Has("not") || combines(&s) {
		return s
	}
	rest := jsontree.MapParts(s, func(name string, v jsontree.Value) (jsontree.Value, bool) { return v, name != "unevaluatedProperties" })
	return jsontree.Object(append(rest.Parts, jsontree.Member{Name: "additionalProperties", Value: *others})...)
}

// flattened replaces a schema that is nothing but allOf with one part, or of whose parts only one refuses anything, by that part.
func (p *prover) flattened(root, s *jsontree.Value) *jsontree.Value {
	list := get(s, "allOf")
	isOther := func(m jsontree.Member) bool { return m.Name != "allOf" && !saysNothing(m.Name) }
	if list == nil || list.Kind != '[' || slices.ContainsFunc(s.Parts, isOther) {
		return s
	}
	var only *jsontree.Value
	for _, one := range below(list) {
		one = p.form(root, one)
		switch {
		case one != nil && takesAll(one):
		case one == nil || only != nil:
			return s
		default:
			only = one
		}
	}
	if only == nil {
		return &jsontree.Value{Kind: 't'}
	}
	return only
}
