package diff

import (
	"slices"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// This file decides whether there is something to read in a change. A person who
// approves has to have seen every sentence, name and value of it, wherever in the definition it is: a
// client passes the whole definition on, and nobody knows what its model reads.

// symbols are the values that some keywords and members have by their specification, besides types:
// formats (JSON Schema 2020-12 Validation, 6.1.1 and 7.3), task support (MCP 2025-11-25).
var symbols = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"format": strings.Fields(`date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference
 iri iri-reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double binary byte password`),
		"taskSupport": {"forbidden", "optional", "required"},
	}
})

// HasText reports whether there is something to read in what a change added or removed: a text or the name
// of a member, except for the closed lists of names and values without a text of their own.
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
	// A title that is the name in words, or required names, which are shown with their parameters.
	if c.Label == label.OtherForm && !named && (name == "title" || name == "required") {
		return false
	}
	return named && (c.Old.Kind == 0) != (c.New.Kind == 0) || says(&c.Old, &c.New, name) || says(&c.New, &c.Old, name)
}

// says reports whether a value has a member name or a text to read. Texts that the other value has as items
// don't count.
func says(v, other *jsontree.Value, name string) (found bool) {
	// The texts of the other value, once one has to be looked up there.
	var listed map[string]bool
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
			listed = textsIn(other)
		}
		found = !listed[part.Text]
	})
	return found
}

// textsIn is the set of the texts that a list has as items.
func textsIn(list *jsontree.Value) map[string]bool {
	set := make(map[string]bool, len(list.Items()))
	for _, item := range list.Items() {
		if item.Value.Kind == '"' {
			set[item.Value.Text] = true
		}
	}
	return set
}

func isSymbol(s, name string) bool {
	return s == "" || slices.Contains(symbols()[name], s) || name == "type" && schema.IsType(s) || name == "$schema" && schema.IsDialect(s)
}
