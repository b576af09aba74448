package normal

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// rewritten rewrites keywords that depend on each other.
func (f *NormalForms) rewritten(s jsontree.Value) jsontree.Value {
	s = tupleAsPrefixItems(s)
	if s.Has("const") && !s.Has("enum") {
		s = withMember(WithoutMembers(s, "const"), "enum", jsontree.Value{Kind: '[', Parts: []jsontree.Member{{Value: s.Get("const")}}})
	}
	if isImplied(s) && !s.Has("nullable") {
		s = WithoutMembers(s, "type")
	}
	return f.merged(f.withoutAlternatives(s))
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

// withoutAlternatives merges alternatives that are all lists of values, or all of types, into one list.
func (f *NormalForms) withoutAlternatives(s jsontree.Value) jsontree.Value {
	for _, alternatives := range []string{"anyOf", "oneOf"} {
		var forms []jsontree.Value
		for _, m := range s.Get(alternatives).Items() {
			forms = append(forms, f.byDigest[m.Text])
		}
		for _, keyword := range []string{"enum", "type"} {
			if list, ok := joined(forms, keyword); ok && len(forms) > 0 && !s.Has(keyword) {
				if keyword == "type" {
					list = sorted(list)
				}
				return withMember(WithoutMembers(s, alternatives), keyword, list)
			}
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
