package normal

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// IsUnderstood reports whether the meaning of every keyword in a whole schema is known. It returns false if a keyword
// changes the meaning of another one, or if the dialect is unknown, lacks a keyword, or reads it differently. Dialects
// disagree about keywords next to a $ref. So only keywords that reject nothing are accepted there and, at the root, the
// type object, which every input has.
func IsUnderstood(root *jsontree.Value) bool {
	dialect, ok := dialectOf(root)
	if !ok {
		return false
	}
	isClear := true
	schema.EachSchema(root, schema.AtSchema, func(s *jsontree.Value) {
		isRestrictedRef := s.Has("$ref") && slices.ContainsFunc(s.Parts, func(m jsontree.Member) bool {
			isInput := s == root && m.Name == "type" && m.Text == "object" && !refersToRoot(root)
			return m.Name != "$ref" && !RejectsNothing(m.Name) && !isInput
		})
		isClear = isClear && !isRestrictedRef
		for i := range s.Members() {
			m := &s.Parts[i]
			since, until := dialectsWith(m)
			isClear = isClear && !isOdd(s == root, m) && !(s.Get("items").Kind == '[' && s.Has("prefixItems")) &&
				(dialect == 0 || since <= dialect && dialect <= until)
		}
	})
	return isClear
}

// isOdd reports whether a keyword changes the meaning of others, or can't be understood.
func isOdd(isRoot bool, m *jsontree.Member) bool {
	switch m.Name {
	case "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef":
		return true
	case "$schema":
		return !isRoot
	case "properties":
		return m.Kind != '{' && m.Kind != 'n'
	case "exclusiveMinimum", "exclusiveMaximum":
		return m.Kind == 't' || m.Kind == 'f' // a boolean, as in draft-04
	case "discriminator":
		return m.Has("mapping") // the mapping refers to schemas by name
	}
	return false
}

// The dialects of JSON Schema from the first one to the last one that we know.
const (
	draft6    = 6
	draft7    = 7
	draft2019 = 2019
	draft2020 = 2020
)

// dialectOf returns the dialect that a whole schema declares, or 0 if it declares none. It returns false for one that
// we don't know.
func dialectOf(root *jsontree.Value) (dialect int, ok bool) {
	v := root.Get("$schema")
	if v.Kind == 0 {
		return 0, true
	}
	dialect = map[string]int{
		"http://json-schema.org/draft-06/schema":       draft6,
		"http://json-schema.org/draft-07/schema":       draft7,
		"https://json-schema.org/draft/2019-09/schema": draft2019,
		"https://json-schema.org/draft/2020-12/schema": draft2020,
	}[strings.TrimSuffix(v.Text, "#")]
	return dialect, dialect != 0 && v.Kind == '"'
}

// dialectsWith returns the first and the last dialect that has a keyword of a schema (JSON Schema 2019-09 and 2020-12
// Core, release notes; draft-07 Validation, section 6.6).
func dialectsWith(m *jsontree.Member) (since, until int) {
	since, until = draft6, draft2020
	switch m.Name {
	case "if", "then", "else":
		since = draft7
	case "dependentRequired", "dependentSchemas", "minContains", "maxContains":
		since = draft2019
	case "prefixItems":
		since = draft2020
	case "dependencies":
		until = draft7
	case "additionalItems":
		until = draft2019
	case "items":
		if m.Kind == '[' {
			until = draft2019
		}
	}
	return since, until
}

// dialectMatters reports whether dialects read a whole schema in different ways. Tuples don't count, because they have
// the same form in all dialects.
func dialectMatters(root *jsontree.Value) bool {
	matters := false
	schema.EachSchema(root, schema.AtSchema, func(s *jsontree.Value) {
		for i := range s.Members() {
			since, until := dialectsWith(&s.Parts[i])
			isOfTuple := schema.AtSchema.Child(s.Parts[i].Name, &s.Parts[i].Value) == schema.AtSchemaArray || s.Parts[i].Name == "additionalItems"
			matters = matters || !isOfTuple && (since != draft6 || until != draft2020)
		}
	})
	return matters
}

// RejectsNothing reports whether a keyword by itself rejects no value.
func RejectsNothing(keyword string) bool {
	return schema.IsAnnotation(keyword) || schema.IsDefinitions(keyword) || keyword == "$schema" || keyword == schema.HeaderKeyword
}
