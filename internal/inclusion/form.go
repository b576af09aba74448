package inclusion

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/normal"
	"pinproof/internal/schema"
)

// form normalizes a schema: references are followed, null members are left out, a tuple is prefixItems, and
// allOf is part of the schema around it where that means the same. It returns nil if a reference leads nowhere or back to the schema, or the budget is too small.
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
		target, _ := schema.FindSchema(root, reference)
		if target == nil {
			return nil
		}
		return p.form(root, target)
	}
	hasOtherForm := func(m jsontree.Member) bool {
		return m.Value.Kind == 'n' || m.Name == "allOf" || m.Name == "items" && m.Value.Kind == '[' || m.Name == "unevaluatedProperties"
	}
	if s.Kind != '{' || !slices.ContainsFunc(s.Parts, hasOtherForm) {
		return s
	}
	form := jsontree.MapParts(*s, func(m *jsontree.Member) bool {
		return m.Kind != 'n' || m.Name == "const" || m.Name == "default"
	})
	form = withOthers(normal.TupleAsPrefixItems(form))
	return p.flattened(root, &form)
}

// stringsOf lists a string, or the strings of a list.
func stringsOf(v jsontree.Value) (list []string) {
	if v.Kind == '"' {
		return []string{v.Text}
	}
	for _, m := range v.Items() {
		list = append(list, jsontree.StringOf(&m.Value))
	}
	return list
}

// withOthers writes unevaluatedProperties as additionalProperties, where no other keyword can have evaluated a property.
func withOthers(s jsontree.Value) jsontree.Value {
	others := get(&s, "unevaluatedProperties")
	if others == nil || s.Has("additionalProperties") || s.Has("not") || combines(&s) {
		return s
	}
	return normal.WithMember(normal.WithoutMembers(s, "unevaluatedProperties"), "additionalProperties", *others)
}

// flattened merges the schemas under allOf into the schema around them, unless two of them have different
// values for one keyword, or a keyword would mean something else there.
func (p *prover) flattened(root, s *jsontree.Value) *jsontree.Value {
	list := get(s, "allOf")
	if list == nil || list.Kind != '[' {
		return s
	}
	values := func(s *jsontree.Value) jsontree.Value {
		return jsontree.MapParts(*s, func(m *jsontree.Member) bool {
			return m.Name != "allOf" && !normal.RejectsNothing(m.Name) && !(m.Name == "additionalProperties" && takesAll(&m.Value))
		})
	}
	parts := []jsontree.Value{values(s)}
	for _, one := range below(list) {
		one = p.form(root, one)
		if one == nil || one.Kind != '{' || one.Has("allOf") || !p.budget.Spend(sizeOf(one)) {
			return s
		}
		parts = append(parts, values(one))
	}
	form, ok := normal.Intersect(parts)
	if !ok {
		return s
	}
	return &form
}
