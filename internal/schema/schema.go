// Package schema determines the role of each value in a definition: schema or data, keyword or name.
package schema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
)

// MaxPointer is the approximate maximum length in bytes of the pointers whose values are compared and described part by
// part. Real pointers are at most a tenth as long. Hostile member names could fill the memory with pointers, because
// each pointer repeats the names above it.
const MaxPointer = 1 << 10

// A Position is the role that a value has because of where it is. Only this package distinguishes schemas from
// data, and keywords from names (JSON Schema 2020-12 Core, 10 and 11, and draft-07).
type Position int

const (
	// Data, or a keyword that contains no schema.
	AtOther Position = iota

	AtDefinition  // the definition of a tool
	AtSchema      // a schema
	AtSchemaArray // an array of schemas

	// An object that maps names to schemas.
	AtSchemaMap

	// An object that maps the names of parameters to schemas.
	AtProperties
)

// KeywordPosition returns the position of a keyword's value.
func KeywordPosition(name string) Position {
	switch name {
	case "additionalProperties", "additionalItems", "contains", "contentSchema", "else", "if", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties":
		return AtSchema
	case "allOf", "anyOf", "oneOf", "prefixItems", "items":
		return AtSchemaArray
	case "$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties":
		return AtSchemaMap
	case "properties":
		return AtProperties
	}
	return AtOther
}

// Child returns the position of v, which is a member or an element of a value at p. name is the member's name.
func (p Position) Child(name string, v *jsontree.Value) Position {
	switch p {
	case AtDefinition:
		if name == "inputSchema" || name == "outputSchema" {
			return AtSchema
		}
	case AtSchemaArray, AtSchemaMap, AtProperties:
		return AtSchema
	case AtSchema:
		switch at := KeywordPosition(name); {
		case at == AtSchemaArray && v.Kind != '[':
			// draft-07 also allows one schema in items.
			return AtSchema
		case (at == AtSchemaMap || at == AtProperties) && v.Kind != '{':
			return AtOther
		default:
			return at
		}
	}
	return AtOther
}

// stepTo returns the step to a part of v.
func stepTo(v *jsontree.Value, part int) jsontree.Step {
	if v.Kind == '[' {
		return jsontree.Step{Index: part}
	}
	return jsontree.Step{Name: v.Parts[part].Name, Index: -1}
}

// Visit calls f for a value at a position and for everything in it, in order. f gets the position of
// what the value is in (of), the value's own position (at) and the path to the value. f must not keep
// the path.
func Visit(v *jsontree.Value, at Position, f func(v *jsontree.Value, of, at Position, path []jsontree.Step)) {
	visit(v, AtOther, at, make([]jsontree.Step, 0, 32), f)
}

// visit does what Visit does, below a path. It is called for each value of a definition, so it creates
// no closure.
func visit(v *jsontree.Value, of, at Position, path []jsontree.Step, f func(v *jsontree.Value, of, at Position, path []jsontree.Step)) {
	f(v, of, at, path)
	for i := range v.Parts {
		part := &v.Parts[i]
		visit(&part.Value, at, at.Child(part.Name, &part.Value), append(path, stepTo(v, i)), f)
	}
}

// EachSubschema calls f for the schemas right below a schema, with the steps to them.
func EachSubschema(schema *jsontree.Value, f func(v *jsontree.Value, steps ...string)) {
	for i := range schema.Parts {
		keyword := &schema.Parts[i]
		switch AtSchema.Child(keyword.Name, &keyword.Value) {
		case AtSchema:
			f(&keyword.Value, keyword.Name)
		case AtSchemaArray, AtSchemaMap, AtProperties:
			for j := range keyword.Parts {
				f(&keyword.Parts[j].Value, keyword.Name, PointerToken(stepTo(&keyword.Value, j)))
			}
		}
	}
}

// PointerToken returns a step as a token of a JSON Pointer, not escaped.
func PointerToken(step jsontree.Step) string {
	if step.Index >= 0 {
		return strconv.Itoa(step.Index)
	}
	return step.Name
}

// EachSchema calls f for every schema in a value at a position, and for the value itself if that is a schema.
func EachSchema(v *jsontree.Value, at Position, f func(*jsontree.Value)) {
	Visit(v, at, func(v *jsontree.Value, _, at Position, _ []jsontree.Step) {
		if at == AtSchema {
			f(v)
		}
	})
}

// MapMembers returns a copy of a value at a position, with the members for which f returns true. f is called for each
// member of a tool's definition and of each schema in v, at any depth. It may change the member's value.
func MapMembers(v jsontree.Value, at Position, f func(m *jsontree.Member) bool) jsontree.Value {
	if at == AtOther {
		return v
	}
	return jsontree.FilterParts(v, func(m *jsontree.Member) bool {
		isKept := at != AtSchema && at != AtDefinition || f(m)
		m.Value = MapMembers(m.Value, at.Child(m.Name, &m.Value), f)
		return isKept
	})
}

// ResolveReference returns the value that a reference inside the document names, nil if
// it doesn't exist, and the steps to it. The fragment is a percent-encoded JSON Pointer
// (RFC 6901, section 6). It returns false for anchors and other documents.
func ResolveReference(root *jsontree.Value, reference string) (*jsontree.Value, []string, bool) {
	fragment, local := strings.CutPrefix(reference, "#")
	pointer, err := url.PathUnescape(fragment)
	steps, ok := jsontree.SplitPointer(pointer)
	if !local || err != nil || !ok {
		return nil, nil, false
	}
	for _, step := range steps {
		root = jsontree.Lookup(root, step)
	}
	return root, steps, true
}

// ResolveSchema follows a reference in the whole schema root. It returns the schema there, or nil if the reference leads
// to no schema, and the steps to it.
func ResolveSchema(root, reference *jsontree.Value) (*jsontree.Value, []string) {
	to, steps, _ := ResolveReference(root, jsontree.StringOf(reference))
	if to == nil {
		return nil, steps
	}
	at := AtSchema
	for _, step := range steps {
		root = jsontree.Lookup(root, step)
		at = at.Child(step, root)
	}
	if at != AtSchema {
		return nil, steps
	}
	return to, steps
}

// IsDefinitions reports whether a keyword contains definitions: $defs or, up to draft-07, definitions.
func IsDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// HeaderKeyword makes an HTTP client copy an argument into a request header
// (MCP 2026-07-28).
const HeaderKeyword = "x-mcp-header"

// IsDialect reports whether a text is the address of a dialect of JSON Schema: one of those that SDKs write.
func IsDialect(s string) bool {
	switch strings.TrimSuffix(s, "#") {
	case "http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
		"http://json-schema.org/draft-07/schema", "http://json-schema.org/schema",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema":
		return true
	}
	return false
}

// IsAnnotation reports whether a keyword doesn't restrict the values that a schema accepts.
func IsAnnotation(keyword string) bool {
	return slices.Contains(annotations, keyword)
}

var annotations = []string{"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly"}

// IsType reports whether a word is the name of a type of JSON values.
func IsType(s string) bool {
	return slices.Contains(types, s)
}

var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// keywords lists the member names that have a meaning in JSON Schema or MCP.
var keywords = sync.OnceValue(func() []string {
	return strings.Fields(`name title description inputSchema outputSchema annotations readOnlyHint destructiveHint idempotentHint openWorldHint _meta icons execution
 taskSupport $schema $id $ref $defs $anchor $comment $dynamicRef $dynamicAnchor definitions type properties required items additionalProperties patternProperties
 propertyNames enum const default examples anyOf oneOf allOf not if then else format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength
 maxLength minItems maxItems uniqueItems minProperties maxProperties prefixItems contains minContains maxContains dependentRequired dependentSchemas
 unevaluatedProperties unevaluatedItems contentMediaType contentEncoding contentSchema deprecated readOnly writeOnly nullable`)
})

// IsKnownKeyword reports whether JSON Schema or MCP gives a name a meaning.
func IsKnownKeyword(name string) bool { return slices.Contains(keywords(), name) }

// IsKeyword reports whether JSON Schema or MCP gives a name a meaning, or may do so because the name begins with $.
func IsKeyword(name string) bool { return IsKnownKeyword(name) || strings.HasPrefix(name, "$") }
