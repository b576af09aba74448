package normal

import (
	"slices"
	"strconv"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// keywords returns a schema in which each keyword has its normal form, without keywords that have no effect.
func (f *NormalForms) keywords(v *jsontree.Value, name string) jsontree.Value {
	members := map[string]jsontree.Value{}
	for i := range v.Parts {
		m := &v.Parts[i]
		if v == f.root && (schema.IsDefinitions(m.Name) || m.Name == "$schema") {
			// Definitions matter only where references lead to them, and the dialect is compared for the whole schema.
			continue
		}
		form := f.keyword(m.Name, &m.Value)
		isTitle := m.Name == "title" && m.Kind == '"' && RepeatsName(m.Text, name)
		isInput := v == f.root && m.Name == "type" && m.Text == "object"
		if form.Kind != 0 && !isTitle && !isInput && !IsLibraryBound(v, m) && !(f.noProse && isProse(m.Name)) {
			members[m.Name] = form
		}
	}
	f.failed = f.failed || hasParallelList(v)
	return jsontree.ObjectFromMap(members)
}

// hasParallelList reports whether an unknown keyword of a schema has a list as long as a list that is sorted here, so
// that its items may correspond to those of the sorted list.
func hasParallelList(v *jsontree.Value) bool {
	isList := func(m jsontree.Member) bool {
		return m.Kind == '[' && !schema.IsKnownKeyword(m.Name) && slices.ContainsFunc([]string{"type", "required", "allOf", "anyOf", "oneOf"}, func(sorted string) bool {
			return len(m.Parts) > 1 && len(m.Parts) == len(v.Get(sorted).Items())
		})
	}
	return slices.ContainsFunc(v.Members(), isList)
}

// keyword returns the normal form of a keyword's value, or the zero value if the keyword has no effect.
func (f *NormalForms) keyword(name string, v *jsontree.Value) jsontree.Value {
	none := jsontree.Value{}
	if v.Kind == 'n' && name != "const" && name != "default" && schema.IsKnownKeyword(name) {
		return none
	}
	switch name {
	case "unevaluatedProperties", "unevaluatedItems":
		f.failed = true
	case "$ref":
		return f.reference(v)
	case "type":
		if v.Kind == '"' {
			return jsontree.Strings([]string{v.Text})
		}
		return sorted(*v)
	case "required":
		if list := sorted(*v); len(list.Parts) > 0 || list.Kind != '[' {
			return list
		}
		return none
	}
	return f.schemasIn(name, v)
}

// IsLibraryBound reports whether a keyword of a schema for integers sets the maximum or minimum to JavaScript's largest
// or smallest safe integer. JavaScript libraries write these bounds, and no caller sends an integer beyond them.
func IsLibraryBound(s *jsontree.Value, m *jsontree.Member) bool {
	bound := map[string]string{"maximum": "9007199254740991", "minimum": "-9007199254740991"}[m.Name]
	return bound != "" && m.Kind == '0' && m.Text == bound && s.Get("type").Text == "integer"
}

// isType reports whether a schema accepts one type alone.
func isType(form jsontree.Value, name string) bool {
	types := form.Get("type").Items()
	return len(types) == 1 && types[0].Text == name
}

func isProse(keyword string) bool {
	return keyword == "title" || keyword == "description" || keyword == "$comment"
}

// schemasIn replaces the schemas in a keyword by their digests.
func (f *NormalForms) schemasIn(keyword string, v *jsontree.Value) jsontree.Value {
	at := schema.AtSchema.Child(keyword, v)
	if at == schema.AtOther {
		return *v
	}
	if at == schema.AtSchema {
		digest := f.digest(v, keyword)
		form := f.byDigest[digest]
		isOpen := form.Kind == '{' && len(form.Parts) == 0 && slices.Contains([]string{"additionalProperties", "items", "propertyNames"}, keyword)
		isName := keyword == "propertyNames" && len(form.Parts) == 1 && isType(form, "string")
		if isOpen || isName {
			return jsontree.Value{}
		}
		return jsontree.String(digest)
	}
	form := jsontree.Value{Kind: v.Kind}
	for i := range v.Parts {
		part := &v.Parts[i]
		name := part.Name
		if v.Kind == '[' {
			name = strconv.Itoa(i)
		}
		form.Parts = append(form.Parts, jsontree.Member{Name: part.Name, Value: jsontree.String(f.digest(&part.Value, name))})
	}
	if len(form.Parts) == 0 && (keyword == "properties" || keyword == "patternProperties") {
		return jsontree.Value{}
	}
	return form
}

// reference replaces a $ref by the form of the schema that it leads to.
func (f *NormalForms) reference(v *jsontree.Value) jsontree.Value {
	to, steps := schema.ResolveSchema(f.root, v)
	if to == nil || to == f.root || f.open[to] {
		f.failed = true
		return *v
	}
	f.refersInside = f.refersInside || len(steps) != 2 || !schema.IsDefinitions(steps[0])
	return jsontree.String(f.digest(to, steps[len(steps)-1]))
}

// sorted sorts a list of strings and removes duplicates. Any other value stays as it is.
func sorted(v jsontree.Value) jsontree.Value {
	if v.Kind != '[' {
		return v
	}
	var list []string
	for _, item := range v.Parts {
		if item.Kind != '"' {
			return v
		}
		list = append(list, item.Text)
	}
	slices.Sort(list)
	return jsontree.Strings(slices.Compact(list))
}

// tupleAsPrefixItems writes a list of schemas under items as prefixItems, and additionalItems as items (JSON Schema
// 2020-12, Appendix G).
func tupleAsPrefixItems(s jsontree.Value) jsontree.Value {
	if s.Get("items").Kind != '[' || s.Has("prefixItems") {
		return s
	}
	tuple := withMember(WithoutMembers(s, "items", "additionalItems"), "prefixItems", s.Get("items"))
	if rest := s.Get("additionalItems"); rest.Kind != 0 {
		tuple = withMember(tuple, "items", rest)
	}
	return tuple
}
