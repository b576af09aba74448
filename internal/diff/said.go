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
	if c.Label == label.TooMany || c.Hidden != [2]int{} {
		return true
	}
	steps, _ := jsontree.Tokens(c.Pointer)
	name := ""
	// Whether the last step to the change is a name, not an index, and there is something to read in that name.
	named := false
	if n := len(steps); n > 0 {
		name = steps[n-1]
		isMember := n > 1 && slices.Contains([]string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}, steps[n-2])
		named = isMember || (n == 1 || strings.Trim(name, "0123456789") != "") && !schema.IsWord(name)
	}
	// Nothing to read in a title that repeats the name, or in required names, which are shown with their parameters.
	if c.Label == label.OtherForm && !named && (name == "title" || name == "required") {
		return false
	}
	return named && (c.Old.Kind == 0) != (c.New.Kind == 0) || says(&c.Old, &c.New, name) || says(&c.New, &c.Old, name)
}

// says reports whether a value has a member name or a text to read, other than texts that are items of the other
// value.
func says(v, other *jsontree.Value, name string) (found bool) {
	var listed map[string]bool // the texts of the other value, once one has to be looked up there
	schema.Visit(v, schema.Keyword(name), func(part *jsontree.Value, of, _ schema.Position, path []jsontree.Step) {
		keyword := name
		for i := range path {
			if path[i].Index < 0 {
				keyword = path[i].Name
			}
		}
		if n := len(path); n > 0 && path[n-1].Index < 0 {
			found = found || of == schema.AtNamed || of == schema.AtProperties || !schema.IsWord(keyword)
		}
		if found || part.Kind != '"' || isSymbol(part.Text, keyword) {
			return
		}
		if listed == nil {
			listed, _ = stringSet(*other)
		}
		found = !listed[part.Text]
	})
	return found
}

func isSymbol(s, name string) bool {
	return s == "" || slices.Contains(symbols()[name], s) || name == "type" && schema.IsType(s) || name == "$schema" && schema.IsDialect(s)
}
