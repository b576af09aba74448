package normal

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// rewritten rewrites keywords that depend on each other. Last, it sorts the lists under allOf, anyOf and oneOf.
func (f *NormalForms) rewritten(s jsontree.Value) jsontree.Value {
	s = tupleAsPrefixItems(s)
	if s.Has("const") && !s.Has("enum") {
		s = withMember(WithoutMembers(s, "const"), "enum", jsontree.Value{Kind: '[', Parts: []jsontree.Member{{Value: s.Get("const")}}})
	}
	if isImplied(s) && !s.Has("nullable") {
		s = WithoutMembers(s, "type")
	}
	s = f.withoutAlternatives(s)
	s = f.merged(s)
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if list := s.Get(keyword); list.Kind == '[' {
			list.Parts = slices.SortedFunc(slices.Values(list.Parts), func(a, b jsontree.Member) int { return strings.Compare(a.Text, b.Text) })
			s = withMember(s, keyword, list)
		}
	}
	return s
}

// withMember returns a copy of an object in which the named member is added or replaced.
func withMember(s jsontree.Value, name string, v jsontree.Value) jsontree.Value {
	return jsontree.Object(append(WithoutMembers(s, name).Parts, jsontree.Member{Name: name, Value: v})...)
}

// WithoutMembers returns a copy of an object without the named members.
func WithoutMembers(s jsontree.Value, names ...string) jsontree.Value {
	return jsontree.FilterParts(s, func(m *jsontree.Member) bool { return !slices.Contains(names, m.Name) })
}

// isImplied reports whether the enum of a schema implies its type: each value has one of the types that it accepts.
func isImplied(s jsontree.Value) bool {
	values := s.Get("enum").Items()
	types := s.Get("type").Items()
	isOther := func(m jsontree.Member) bool {
		of := TypeOf(m.Value)
		return !lists(types, of) && !(of == "integer" && lists(types, "number"))
	}
	return len(values) > 0 && len(types) > 0 && !slices.ContainsFunc(values, isOther)
}

// lists reports whether an element of list is the string text.
func lists(list []jsontree.Member, text string) bool {
	return slices.ContainsFunc(list, func(m jsontree.Member) bool { return m.Text == text })
}

// TypeOf returns the narrowest type of a value.
func TypeOf(v jsontree.Value) string {
	if v.Kind == '0' && !strings.ContainsAny(v.Text, ".eE") {
		return "integer"
	}
	return map[byte]string{'n': "null", 't': "boolean", 'f': "boolean", '"': "string", '[': "array", '{': "object", '0': "number"}[v.Kind]
}

// withoutAlternatives merges alternatives that are all lists of values, or all of types, into one list. It merges a
// single alternative into the schema, and writes oneOf as anyOf if no value fits two alternatives.
func (f *NormalForms) withoutAlternatives(s jsontree.Value) jsontree.Value {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list := s.Get(keyword).Items()
		var forms []jsontree.Value
		for _, m := range list {
			forms = append(forms, f.byDigest[m.Text])
		}
		rest := WithoutMembers(s, keyword)
		values, isEnum := joined(forms, "enum")
		types, isType := joined(forms, "type")
		null, other := nullAnd(forms)
		switch {
		case len(list) == 0 || s.Has("allOf") && s.Get("allOf").Kind != '[':
		case len(list) == 1:
			return withMember(rest, "allOf", jsontree.Value{Kind: '[', Parts: append(slices.Clone(s.Get("allOf").Items()), list...)})
		case isEnum && !rest.Has("enum"):
			return withMember(rest, "enum", values)
		case isType && !rest.Has("type"):
			return withMember(rest, "type", sorted(types))
		case null && other.Kind == '{' && !s.Has("type"):
			if all, ok := intersect([]jsontree.Value{rest, other}); ok {
				types := other.Get("type")
				types.Parts = append(slices.Clone(types.Parts), jsontree.Member{Value: jsontree.String("null")})
				return withMember(all, "type", sorted(types))
			}
		case keyword == "oneOf" && !s.Has("anyOf") && areApart(forms):
			return withMember(rest, "anyOf", s.Get("oneOf"))
		}
	}
	return s
}

// joined joins the lists that several schemas have under keyword. It returns false if a schema has any other keyword,
// or if two lists have a value in common.
func joined(forms []jsontree.Value, keyword string) (list jsontree.Value, ok bool) {
	list.Kind = '['
	seen := map[string]bool{}
	for _, form := range forms {
		if form.Kind != '{' || len(form.Parts) != 1 || form.Get(keyword).Kind != '[' {
			return list, false
		}
		for _, m := range form.Get(keyword).Parts {
			text := string(jsontree.Append(nil, m.Value))
			isNumber := keyword == "type" && (text == `"integer"` && seen[`"number"`] || text == `"number"` && seen[`"integer"`])
			if seen[text] || isNumber {
				return list, false
			}
			seen[text] = true
			list.Parts = append(list.Parts, m)
		}
	}
	return list, true
}

// nullAnd reports whether one of two alternatives accepts only null, and the keywords of the other apply only to other
// types. It returns the other alternative.
func nullAnd(forms []jsontree.Value) (found bool, other jsontree.Value) {
	if len(forms) != 2 {
		return false, other
	}
	for i, form := range forms {
		other := forms[1-i]
		isNull := len(form.Parts) == 1 && isType(form, "null")
		isOfNull := func(m jsontree.Member) bool { return m.Name != "type" && !ofOtherTypes(m.Name) }
		types := other.Get("type").Items()
		if isNull && len(types) > 0 && !lists(types, "null") && !slices.ContainsFunc(other.Members(), isOfNull) {
			return true, other
		}
	}
	return false, other
}

// ofOtherTypes reports whether a keyword restricts only values of types other than null.
func ofOtherTypes(keyword string) bool {
	return slices.Contains(besidesNull, keyword)
}

var besidesNull = []string{
	"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"items", "prefixItems", "minItems", "maxItems", "uniqueItems",
	"properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties",
}

// areApart reports whether no value fits two of the schemas: all list their values, or all their types, and nothing is
// in two of the lists.
func areApart(forms []jsontree.Value) bool {
	for _, keyword := range []string{"enum", "type"} {
		var lists []jsontree.Value
		for _, form := range forms {
			lists = append(lists, jsontree.FilterParts(form, func(m *jsontree.Member) bool { return m.Name == keyword }))
		}
		if _, ok := joined(lists, keyword); ok {
			return true
		}
	}
	return false
}

// merged merges the schemas under allOf, and the schema that a $ref leads to, into the schema around them, if that
// preserves the meaning.
func (f *NormalForms) merged(s jsontree.Value) jsontree.Value {
	if s.Has("allOf") && s.Get("allOf").Kind != '[' {
		return s
	}
	rest := WithoutMembers(s, "allOf")
	list := slices.Clone(s.Get("allOf").Items())
	if to := s.Get("$ref"); to.Kind == '"' && !restricts(WithoutMembers(s, "$ref")) {
		list = append(list, jsontree.Member{Value: to})
		rest = WithoutMembers(rest, "$ref")
	}
	if len(list) == 0 {
		return s
	}
	parts := []jsontree.Value{rest}
	for _, m := range list {
		parts = append(parts, f.byDigest[m.Text])
	}
	if all, ok := intersect(parts); ok {
		return all
	}
	return withMember(rest, "allOf", jsontree.Value{Kind: '[', Parts: list})
}

// restricts reports whether a schema has a keyword that isn't an annotation.
func restricts(s jsontree.Value) bool {
	return slices.ContainsFunc(s.Members(), func(m jsontree.Member) bool { return !schema.IsAnnotation(m.Name) })
}

// intersect returns one schema that accepts the values that all of the schemas accept. It returns false if two have a
// keyword with different values, or one has a keyword that depends on those of its own schema alone.
func intersect(parts []jsontree.Value) (all jsontree.Value, ok bool) {
	count := map[string]int{}
	for _, part := range parts {
		for _, m := range part.Parts {
			count[m.Name]++
		}
	}
	keywords := map[string]jsontree.Value{}
	properties := map[string]jsontree.Value{}
	var required []jsontree.Member
	isNamed := false
	ok = true
	for _, part := range parts {
		if part.Kind != '{' {
			return all, false
		}
		for _, m := range part.Parts {
			isElsewhere := func(other string) bool { return count[other] > 1 || count[other] > 0 && !part.Has(other) }
			if slices.ContainsFunc(Dependencies(m.Name), isElsewhere) {
				return all, false
			}
			switch {
			case m.Name == "properties" && m.Kind == '{':
				isNamed = true
				for _, p := range m.Parts {
					ok = put(properties, p) && ok
				}
			case m.Name == "required" && m.Kind == '[':
				required = append(required, m.Parts...)
			default:
				ok = put(keywords, m) && ok
			}
		}
	}
	if !ok || keywords["properties"].Kind != 0 || keywords["required"].Kind != 0 {
		return all, false // a keyword has two values, properties isn't an object, or required isn't an array
	}
	if isNamed {
		keywords["properties"] = jsontree.ObjectFromMap(properties)
	}
	if required != nil {
		keywords["required"] = sorted(jsontree.Value{Kind: '[', Parts: required})
	}
	return jsontree.ObjectFromMap(keywords), true
}

// put adds a member to a map, and returns false if the map has a different value under that name.
func put(members map[string]jsontree.Value, m jsontree.Member) bool {
	before, isKnown := members[m.Name]
	members[m.Name] = m.Value
	return !isKnown || jsontree.Equal(before, m.Value)
}

// Dependencies returns the keywords that must be in the same schema for a keyword to keep its meaning, including that
// keyword, or nil.
func Dependencies(keyword string) []string {
	for _, list := range [...][]string{
		{"items", "prefixItems", "additionalItems"}, {"contains", "minContains", "maxContains"}, {"if", "then", "else"},
		{"nullable", "type", "enum", "const"}, {"contentEncoding", "contentMediaType", "contentSchema"}, {"$ref"},
	} {
		if slices.Contains(list, keyword) && (keyword == "nullable" || list[0] != "nullable") {
			return list
		}
	}
	if keyword == "additionalProperties" || keyword == "patternProperties" {
		return []string{"properties", "additionalProperties", "patternProperties"}
	}
	return nil
}
