package inclusion

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// form normalizes a schema: references are followed, null members are left out, a tuple is
// prefixItems, nullable is a type, and allOf is part of the schema around it where that means the same. It returns
// nil if a reference leads nowhere.
func (p *prover) form(root, s *jsontree.Value) *jsontree.Value {
	form, known := p.forms[s]
	if !known {
		form = formOf(root, s, 0)
		p.forms[s] = form
		p.forms[form] = form
	}
	return form
}

func formOf(root, s *jsontree.Value, depth int) *jsontree.Value {
	if depth > maxDepth {
		return nil
	}
	if reference := get(s, "$ref"); reference != nil {
		target, _, ok := schema.ResolveReference(root, jsontree.TextOf(reference))
		if !ok || target == nil {
			return nil
		}
		return formOf(root, target, depth+1)
	}
	if s.Kind != '{' || !slices.ContainsFunc(s.Parts, hasOtherForm) {
		return s
	}
	form := jsontree.MapParts(*s, func(name string, v jsontree.Value) (jsontree.Value, bool) {
		return v, v.Kind != 'n' || name == "const" || name == "default"
	})
	form = withOthers(withTuple(withNull(form)))
	return flattened(root, &form, depth)
}

// hasOtherForm reports whether a keyword may be written in another way.
func hasOtherForm(m jsontree.Member) bool {
	return m.Value.Kind == 'n' || m.Name == "nullable" || m.Name == "allOf" || m.Name == "unevaluatedProperties" || m.Name == "items" && m.Value.Kind == '['
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

// withTuple writes a list of schemas under items as prefixItems (JSON Schema 2020-12, Appendix G).
func withTuple(s jsontree.Value) jsontree.Value {
	if items := get(&s, "items"); items == nil || items.Kind != '[' || s.Has("prefixItems") {
		return s
	}
	return renamed(renamed(s, "items", "prefixItems"), "additionalItems", "items")
}

// withOthers writes unevaluatedProperties as additionalProperties, where no other keyword can have evaluated a property.
func withOthers(s jsontree.Value) jsontree.Value {
	if !s.Has("unevaluatedProperties") || s.Has("not") || combines(&s) {
		return s
	}
	return renamed(s, "unevaluatedProperties", "additionalProperties")
}

// renamed gives a keyword of a schema another name, unless a keyword has that name.
func renamed(s jsontree.Value, from, to string) jsontree.Value {
	var members []jsontree.Member
	for _, m := range s.Parts {
		if m.Name == from && s.Has(to) {
			continue
		}
		if m.Name == from {
			m.Name = to
		}
		members = append(members, m)
	}
	return jsontree.Object(members...)
}

// flattened makes the schemas under allOf part of the schema around them, unless two of them have a keyword for
// the same keyword, or a keyword would mean something else there.
func flattened(root, s *jsontree.Value, depth int) *jsontree.Value {
	list := get(s, "allOf")
	if list == nil || list.Kind != '[' {
		return s
	}
	around := jsontree.MapParts(*s, func(name string, v jsontree.Value) (jsontree.Value, bool) {
		return v, name != "allOf" && !saysNothing(name)
	})
	parts := []*jsontree.Value{&around}
	for _, one := range below(list) {
		one = formOf(root, one, depth+1)
		if one == nil || one.Kind != '{' {
			return s
		}
		parts = append(parts, one)
	}
	parts = slices.DeleteFunc(parts, takesAll)
	if len(parts) == 1 {
		return parts[0]
	}
	var whole []jsontree.Member
	for _, part := range parts {
		for _, m := range part.Members() {
			both := true
			if !saysNothing(m.Name) {
				whole, both = merged(whole, m)
			}
			if !both {
				return s
			}
		}
	}
	form := jsontree.Object(whole...)
	return &form
}

// merged adds a keyword to those of a schema. It returns false if the schema then means something else than both.
func merged(whole []jsontree.Member, m jsontree.Member) ([]jsontree.Member, bool) {
	switch m.Name {
	case "items", "prefixItems", "patternProperties", "nullable":
		return nil, false
	case "additionalProperties":
		return whole, takesAll(&m.Value)
	}
	if dependsOnOthers(m.Name) {
		return nil, false
	}
	at := slices.IndexFunc(whole, func(p jsontree.Member) bool { return p.Name == m.Name })
	if at < 0 {
		return append(whole, m), true
	}
	own := &whole[at].Value
	switch {
	case m.Name == "required" && own.Kind == '[' && m.Value.Kind == '[':
		*own = jsontree.Texts(append(stringsOf(*own), stringsOf(m.Value)...))
		return whole, true
	case m.Name == "properties" && own.Kind == '{' && m.Value.Kind == '{':
		all := slices.Clone(own.Parts)
		for _, m := range m.Value.Parts {
			if before := get(own, m.Name); before == nil {
				all = append(all, m)
			} else if !jsontree.Equal(*before, m.Value) {
				return nil, false
			}
		}
		*own = jsontree.Object(all...)
		return whole, true
	}
	return whole, jsontree.Equal(*own, m.Value)
}
