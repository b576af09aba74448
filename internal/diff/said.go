package diff

import (
	"slices"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// This file determines whether a change contains something to read. A person who approves the change must have seen
// every sentence, name and value in it, anywhere in the definition: clients pass on the whole definition, and nobody
// knows which parts a model reads.

// symbols are the values that specifications define for some keywords, besides types: formats (JSON Schema 2020-12
// Validation, 6.1.1 and 7.3), task support (MCP 2025-11-25).
var symbols = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"format": strings.Fields(`date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference
 iri iri-reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double binary byte password`),
		"taskSupport": {"forbidden", "optional", "required"},
	}
})

// HasText reports whether a change added or removed something to read: a text or a member name, except for known
// names (keywords) and values (symbols).
func (c *Change) HasText() bool {
	if c.Label == label.TooManyChanges || c.HiddenCounts != [2]int{} {
		return true
	}
	steps, _ := jsontree.SplitPointer(c.Pointer)
	name := ""
	// Whether the last step to the change is a name, not an index, that a person has to read.
	named := false
	if n := len(steps); n > 0 {
		name = steps[n-1]
		isMember := n > 1 && slices.Contains([]string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}, steps[n-2])
		named = isMember || (n == 1 || strings.Trim(name, "0123456789") != "") && !schema.IsKnownKeyword(name)
	}
	// A title that repeats the name contains nothing new to read, nor do required names, which are shown with their
	// parameters.
	if c.Label == label.EquivalentForm && !named && (name == "title" || name == "required") {
		return false
	}
	at := schema.KeywordPosition(name)
	was, _ := textSet(c.Old)
	is, _ := textSet(c.New)
	return named && (c.Old.Kind == 0) != (c.New.Kind == 0) || says(&c.Old, at, name, is) || says(&c.New, at, name, was)
}

// says reports whether the value of a keyword contains a member name or a text for a person to read, other than the
// listed texts.
func says(v *jsontree.Value, at schema.Position, keyword string, listed set) bool {
	if v.Kind == '"' {
		return !isSymbol(v.Text, keyword) && !listed[v.Text]
	}
	return slices.ContainsFunc(v.Parts, func(part jsontree.Member) bool {
		within := keyword
		if v.Kind == '{' {
			within = part.Name
		}
		isName := v.Kind == '{' && (at == schema.AtSchemaMap || at == schema.AtProperties || !schema.IsKnownKeyword(part.Name))
		return isName || says(&part.Value, at.Child(part.Name, &part.Value), within, listed)
	})
}

func isSymbol(s, name string) bool {
	return s == "" || slices.Contains(symbols()[name], s) || name == "type" && schema.IsType(s) || name == "$schema" && schema.IsDialect(s)
}
