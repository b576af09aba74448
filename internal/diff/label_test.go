package diff

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/schema"
)

// parseCanonical returns the tree of a JSON text as the lockfile would store it.
func parseCanonical(t testing.TB, text string) jsontree.Value {
	t.Helper()
	v, err := jsontree.NewReader([]byte(text)).Only()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return jsontree.Canonical(jsontree.Append(nil, v))
}

// labelled lists the changes between two definitions as "POINTER: LABEL", in the
// order of their labels. It cuts a prefix from the pointers.
func labelled(t testing.TB, old, new, prefix string) []string {
	t.Helper()
	a, b := parseCanonical(t, old), parseCanonical(t, new)
	changes := Definitions(effort.New(), pin.Tools, a, b)
	var list []string
	for _, c := range changes {
		list = append(list, strings.TrimPrefix(c.Pointer, prefix)+": "+c.Label.ID())
	}
	return list
}

func TestLabels(t *testing.T) {
	// What the two sides of a case are put into.
	const (
		tool   = `{"name":"t"%s}`
		schema = `{"name":"t","inputSchema":{%s}}`
		param  = `{"name":"t","inputSchema":{"properties":{"p":{%s}}}}`
		result = `{"name":"t","outputSchema":{%s}}`
	)
	prefixes := map[string]string{schema: "/inputSchema", param: "/inputSchema/properties/p", result: "/outputSchema"}
	const safe, lessSafe = "hint-harmless", "hint-safer"
	cases := []struct {
		in, old, new  string
		forward, back string // labels from old to new, from new to old, split at "; "
	}{
		// the tool itself
		{tool, ``, `,"description":"x"`, "/description: wording", "/description: wording"},
		{tool, `,"description":"x"`, `,"description":"y"`, "/description: wording", "/description: wording"},
		{tool, ``, `,"description":["x"]`, "/description: other", "/description: other"},
		{tool, ``, `,"title":"x"`, "/title: wording", "/title: wording"},
		{tool, ``, `,"title":"T"`, "/title: other-form", "/title: other-form"},
		{tool, `,"title":"x"`, `,"title":"T"`, "/title: wording", "/title: wording"},
		{tool, ``, `,"_meta":{"ui":1}`, "/_meta: client-metadata", "/_meta: client-metadata"},
		{tool, `,"_meta":{"ui":1}`, `,"_meta":{"ui":{"x":2}}`, "/_meta/ui: client-metadata", "/_meta/ui: client-metadata"},
		{tool, `,"_meta":{"anthropic/requiresUserInteraction":true}`, ``, "/_meta: asking-dropped", "/_meta: client-metadata"},
		{tool, `,"_meta":{"a":1,"anthropic/requiresUserInteraction":true}`, `,"_meta":{"a":1}`, "/_meta/anthropic~1requiresUserInteraction: asking-dropped", "/_meta/anthropic~1requiresUserInteraction: client-metadata"},
		{tool, `,"_meta":{"anthropic/requiresUserInteraction":true}`, `,"_meta":{"anthropic/requiresUserInteraction":"true"}`, "/_meta/anthropic~1requiresUserInteraction: asking-dropped", "/_meta/anthropic~1requiresUserInteraction: client-metadata"},
		{tool, `,"_meta":{"ui":{"visibility":["app"]}}`, `,"_meta":{"ui":{"visibility":["app","model"]}}`, "/_meta/ui/visibility: app-widened", "/_meta/ui/visibility: client-metadata"},
		{tool, `,"_meta":{"ui":{"visibility":["app"]}}`, `,"_meta":{"ui":{}}`, "/_meta/ui/visibility: app-widened", "/_meta/ui/visibility: client-metadata"},
		{tool, `,"_meta":{"ui":{"visibility":["app"]}}`, ``, "/_meta: app-widened", "/_meta: client-metadata"},
		{tool, `,"_meta":{"ui":{"csp":{"connectDomains":["a"]}}}`, `,"_meta":{"ui":{"csp":{"connectDomains":["a","b"]}}}`, "/_meta/ui/csp/connectDomains: app-widened", "/_meta/ui/csp/connectDomains: client-metadata"},
		{tool, `,"_meta":{"ui":{}}`, `,"_meta":{"ui":{"permissions":{"camera":{}}}}`, "/_meta/ui/permissions: app-widened", "/_meta/ui/permissions: client-metadata"},
		{tool, ``, `,"icons":[{"src":"x"}]`, "/icons: client-metadata", "/icons: client-metadata"},
		{tool, ``, `,"execution":{"taskSupport":"forbidden"}`, "/execution: other-form", "/execution: other-form"},
		{tool, `,"execution":{}`, `,"execution":{"taskSupport":"optional"}`, "/execution/taskSupport: changed", "/execution/taskSupport: other"},
		{tool, ``, `,"execution":{"taskSupport":"now read ~/.ssh"}`, "/execution: changed", "/execution: changed"},
		{tool, `,"execution":{"taskSupport":"required"}`, `,"execution":{"taskSupport":"optional"}`, "/execution/taskSupport: changed", "/execution/taskSupport: other"},
		{tool, ``, `,"execution":{"taskSupport":"optional","x":1}`, "/execution: changed", "/execution: changed"},
		{tool, `,"execution":{}`, `,"execution":{"x":1}`, "/execution/x: changed", "/execution/x: changed"},
		{tool, ``, `,"hooks":[1]`, "/hooks: changed", "/hooks: changed"},
		{tool, `,"hooks":{"a":{"description":"x"}}`, `,"hooks":{"a":{"description":"y"}}`, "/hooks/a/description: changed", "/hooks/a/description: changed"},

		// annotations, each hint against its default and against its opposite
		{tool, `,"annotations":{}`, `,"annotations":{"readOnlyHint":true}`, "/annotations/readOnlyHint: " + safe, "/annotations/readOnlyHint: hint-caution"},
		{tool, `,"annotations":{}`, `,"annotations":{"readOnlyHint":false}`, "/annotations/readOnlyHint: other-form", "/annotations/readOnlyHint: other-form"},
		{tool, `,"annotations":{"readOnlyHint":false}`, `,"annotations":{"readOnlyHint":true}`, "/annotations/readOnlyHint: " + safe, "/annotations/readOnlyHint: hint-caution"},
		{tool, `,"annotations":{}`, `,"annotations":{"destructiveHint":false}`, "/annotations/destructiveHint: " + safe, "/annotations/destructiveHint: hint-caution"},
		{tool, `,"annotations":{}`, `,"annotations":{"destructiveHint":true}`, "/annotations/destructiveHint: other-form", "/annotations/destructiveHint: other-form"},
		{tool, `,"annotations":{"idempotentHint":false}`, `,"annotations":{"idempotentHint":true}`, "/annotations/idempotentHint: " + lessSafe, "/annotations/idempotentHint: hint-caution"},
		{tool, `,"annotations":{"openWorldHint":true}`, `,"annotations":{"openWorldHint":false}`, "/annotations/openWorldHint: " + lessSafe, "/annotations/openWorldHint: hint-caution"},
		{tool, `,"annotations":{"readOnlyHint":false}`, `,"annotations":{"readOnlyHint":"yes"}`, "/annotations/readOnlyHint: " + safe, "/annotations/readOnlyHint: changed"},
		{tool, `,"annotations":{"destructiveHint":true}`, `,"annotations":{"destructiveHint":null}`, "/annotations/destructiveHint: " + safe, "/annotations/destructiveHint: changed"},
		// next to readOnlyHint, before and after, hints about writing mean nothing
		{tool, `,"annotations":{"readOnlyHint":true}`, `,"annotations":{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
			"/annotations/destructiveHint: other-form; /annotations/idempotentHint: other-form",
			"/annotations/destructiveHint: other-form; /annotations/idempotentHint: other-form"},
		{tool, `,"annotations":{"destructiveHint":true,"readOnlyHint":true}`, `,"annotations":{"destructiveHint":false,"readOnlyHint":true}`,
			"/annotations/destructiveHint: other-form", "/annotations/destructiveHint: other-form"},
		{tool, `,"annotations":{"destructiveHint":true,"readOnlyHint":true}`, `,"annotations":{"destructiveHint":false}`,
			"/annotations/destructiveHint: " + safe + "; /annotations/readOnlyHint: hint-caution", "/annotations/readOnlyHint: " + safe + "; /annotations/destructiveHint: hint-caution"},
		{tool, `,"annotations":{"readOnlyHint":true}`, `,"annotations":{"openWorldHint":false,"readOnlyHint":true}`, "/annotations/openWorldHint: " + lessSafe, "/annotations/openWorldHint: hint-caution"},
		{tool, `,"annotations":{"readOnlyHint":true}`, `,"annotations":{"destructiveHint":"no","readOnlyHint":true}`, "/annotations/destructiveHint: " + safe, "/annotations/destructiveHint: changed"},
		{tool, `,"annotations":{"readOnlyHint":"true"}`, `,"annotations":{"destructiveHint":false,"readOnlyHint":"true"}`, "/annotations/destructiveHint: " + safe, "/annotations/destructiveHint: hint-caution"},
		{tool, `,"annotations":{}`, `,"annotations":{"title":"x"}`, "/annotations/title: wording", "/annotations/title: wording"},
		{tool, `,"annotations":{}`, `,"annotations":{"dangerHint":true}`, "/annotations/dangerHint: client-metadata", "/annotations/dangerHint: client-metadata"},
		{tool, ``, `,"annotations":{"destructiveHint":true,"readOnlyHint":true}`,
			"/annotations/readOnlyHint: " + safe + "; /annotations/destructiveHint: other-form", "/annotations/readOnlyHint: hint-caution; /annotations/destructiveHint: other-form"},
		{tool, ``, `,"annotations":{"destructiveHint":true,"openWorldHint":true}`,
			"/annotations/destructiveHint: other-form; /annotations/openWorldHint: other-form", "/annotations/destructiveHint: other-form; /annotations/openWorldHint: other-form"},
		{tool, ``, `,"annotations":{"destructiveHint":true,"x":1}`,
			"/annotations/x: client-metadata; /annotations/destructiveHint: other-form", "/annotations/x: client-metadata; /annotations/destructiveHint: other-form"},
		{tool, ``, `,"annotations":{"destructiveHint":true,"title":"x"}`,
			"/annotations/title: wording; /annotations/destructiveHint: other-form", "/annotations/title: wording; /annotations/destructiveHint: other-form"},
		// null means the same as no member
		{tool, `,"execution":null,"outputSchema":null,"title":null`, ``, "/execution: other-form; /outputSchema: other-form; /title: other-form", "/execution: other-form; /outputSchema: other-form; /title: other-form"},
		{tool, `,"other":null`, ``, "/other: changed", "/other: changed"},
		// indentation
		{tool, `,"description":"Reads.\n    Never writes.\n\n    Asks."`, `,"description":"Reads.\nNever writes.\n\nAsks."`, "/description: layout", "/description: layout"},
		{tool, `,"description":"Reads.\n    Never writes.\n  Asks."`, `,"description":"Reads.\nNever writes.\nAsks."`, "/description: wording", "/description: wording"},
		// a title doesn't hide a hint
		{tool, ``, `,"annotations":{"openWorldHint":false,"title":"x"}`,
			"/annotations/title: wording; /annotations/openWorldHint: " + lessSafe, "/annotations/title: wording; /annotations/openWorldHint: hint-caution"},
		{tool, ``, `,"annotations":{}`, "/annotations: client-metadata", "/annotations: client-metadata"},
		{tool, ``, `,"annotations":7`, "/annotations: client-metadata", "/annotations: client-metadata"},

		// whole schemas
		{tool, `,"inputSchema":{"type":"object"}`, ``, "/inputSchema: other", "/inputSchema: other"},
		{tool, `,"inputSchema":{"type":"object"}`, `,"inputSchema":true`, "/inputSchema: other", "/inputSchema: other"},
		{tool, `,"inputSchema":{"type":"object"}`, `,"inputSchema":null`, "/inputSchema: other", "/inputSchema: other"},
		{tool, ``, `,"inputSchema":{"properties":{"p":{"x-mcp-header":"H"}}}`, "/inputSchema: header-exported", "/inputSchema: other"},
		{tool, ``, `,"outputSchema":{"type":"object"}`, "/outputSchema: output-added", "/outputSchema: output-removed"},
		{result, ``, `"properties":{"a":{}}`, "/properties: output-added", "/properties: output-removed"},
		{result, `"properties":{"a":{}}`, `"properties":{"a":{"description":"x"}}`, "/properties/a/description: wording", "/properties/a/description: wording"},
		{result, `"properties":{}`, `"properties":{"description":{}}`, "/properties/description: output-added", "/properties/description: output-removed"},
		{result, ``, `"$schema":"https://json-schema.org/draft/2020-12/schema"`, "/$schema: other-form", "/$schema: other-form"},
		{result, ``, `"additionalProperties":false`, "/additionalProperties: output-narrowed", "/additionalProperties: output-added"},
		{result, `"properties":{"a":{}}`, `"properties":{"a":{}},"required":["a"]`, "/required: output-narrowed", "/required: output-widened"},
		{result, `"properties":{}`, `"properties":{"a":{"type":"string"}},"required":["a"]`, "/properties/a: output-added; /required: other-form", "/properties/a: output-removed; /required: other-form"},
		{result, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":{"type":"number"}}`, "/properties/a/type: output-widened", "/properties/a/type: output-widened"},
		{result, `"properties":{"a":{"enum":["x"]}}`, `"properties":{"a":{"enum":["x","y"]}}`, "/properties/a/enum: output-widened", "/properties/a/enum: output-narrowed"},
		{result, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}`,
			"/properties/a/anyOf: output-widened; /properties/a/type: output-widened", "/properties/a/anyOf: output-narrowed; /properties/a/type: output-narrowed"},
		{result, `"$defs":{"A":{"properties":{"b":{}}}},"properties":{"a":{"$ref":"#/$defs/A"}}`, `"$defs":{"A":{"properties":{}}},"properties":{"a":{"$ref":"#/$defs/A"}}`,
			"/$defs/A/properties/b: output-removed", "/$defs/A/properties/b: output-added"},
		{result, `"properties":{"a":{"default":1,"examples":[1]}}`, `"properties":{"a":{"default":2,"examples":[2]}}`,
			"/properties/a/default: default-changed; /properties/a/examples: default-changed", "/properties/a/default: default-changed; /properties/a/examples: default-changed"},
		{result, `"properties":{"a":{}}`, `"properties":{"a":{"x-mcp-header":"H"}}`, "/properties/a/x-mcp-header: changed", "/properties/a/x-mcp-header: changed"},
		{result, `"properties":{"a":{"not":{"const":1}}}`, `"properties":{"a":{"not":{"enum":[1,2]}}}`, "/properties/a/not/const: other; /properties/a/not/enum: other", "/properties/a/not/const: other; /properties/a/not/enum: other"},
		{result, `"$ref":"#/$defs/A","$defs":{"A":{}}`, `"$ref":"#/$defs/A"`, "/$defs: changed", "/$defs: changed"},
		{result, `"properties":{"a":{"title":"A"}}`, `"properties":{"a":{}}`, "/properties/a/title: other-form", "/properties/a/title: other-form"},
		{tool, `,"outputSchema":{}`, `,"outputSchema":true`, "/outputSchema: other", "/outputSchema: other"},
		{schema, `"$schema":"http://json-schema.org/draft-07/schema#"`, `"$schema":"https://json-schema.org/draft/2020-12/schema"`, "/$schema: other-form", "/$schema: other-form"},
		{schema, ``, `"$schema":"https://example.com/mine"`, "/$schema: other", "/$schema: other"},
		{param, ``, `"$schema":"http://json-schema.org/draft-07/schema#"`, "/$schema: other", "/$schema: other"},

		// parameters
		{schema, `"properties":{}`, `"properties":{"a":{}}`, "/properties/a: parameter-added", "/properties/a: parameter-removed"},
		{schema, `"properties":{},"required":[]`, `"properties":{"a":{}},"required":["a"]`,
			"/properties/a: required-parameter-added; /required: other-form",
			"/properties/a: parameter-removed; /required: other-form"},
		{schema, ``, `"properties":{"a":{},"b":{}}`, "/properties: parameter-added", "/properties: parameter-removed"},
		{schema, `"properties":{"a":{}},"required":["a"]`, `"properties":{"a":{},"a b":{}},"required":["a","a b"]`,
			"/properties/a b: required-parameter-added; /required: other-form",
			"/properties/a b: parameter-removed; /required: other-form"},
		{schema, ``, `"properties":{"a":{},"b":{}},"required":["b"]`,
			"/properties: required-parameter-added; /required: other-form",
			"/properties: parameter-removed; /required: other-form"},
		{schema, ``, `"properties":{}`, "/properties: other-form", "/properties: other-form"},
		{schema, `"properties":{"a":{}}`, `"properties":[]`, "/properties: parameter-added", "/properties: parameter-added"},
		{schema, ``, `"properties":7`, "/properties: parameter-added", "/properties: parameter-removed"},
		{schema, `"properties":{"a":{}}`, `"properties":{"a":{}},"required":["a"]`, "/required: parameter-required", "/required: parameter-optional"},
		{schema, `"properties":{"a":{},"b":{}},"required":["a"]`, `"properties":{"a":{},"b":{}},"required":["b"]`, "/required: parameter-required", "/required: parameter-required"},
		{schema, `"properties":{"a":{},"b":{}},"required":["a","b"]`, `"properties":{"a":{},"b":{}},"required":["b","a"]`, "/required: other-form", "/required: other-form"},
		{schema, `"properties":{"a":{},"b":{}},"required":["a"]`, `"properties":{"a":{},"c":{}},"required":["c"]`,
			"/properties/c: required-parameter-added; /required: parameter-optional; /properties/b: parameter-removed",
			"/properties/b: parameter-added; /required: parameter-required; /properties/c: parameter-removed"},
		{schema, ``, `"required":[]`, "/required: other-form", "/required: other-form"},
		{schema, ``, `"required":["ghost"]`, "/required: parameter-required", "/required: parameter-optional"},
		{schema, `"required":["a"]`, `"required":5`, "/required: other", "/required: other"},
		{param, ``, `"properties":{"q":{}}`, "/properties: parameter-added", "/properties: parameter-removed"},
		{param, `"items":{"properties":{}}`, `"items":{"properties":{"q":{}},"required":["q"]}`,
			"/items/properties/q: required-parameter-added; /items/required: other-form",
			"/items/properties/q: parameter-removed; /items/required: other-form"},
		// all keywords are gone, except those that every input has
		{schema, `"additionalProperties":{"type":"string"},"properties":{"a":{}},"required":["a"],"type":"object"`, `"$schema":"http://json-schema.org/draft-07/schema#","type":"object"`,
			"/additionalProperties: input-anything; /properties: parameter-removed; /$schema: other-form; /required: other-form",
			"/properties: required-parameter-added; /additionalProperties: constraint-tightened; /$schema: other-form; /required: other-form"},
		{schema, `"properties":{"a":{}},"type":"object"`, `"properties":{},"type":"object"`, "/properties/a: parameter-removed", "/properties/a: parameter-added"},
		// what one alternative requires, or what applies under a condition, isn't required of every call
		{param, `"anyOf":[{"properties":{}},{"type":"string"}]`, `"anyOf":[{"properties":{"q":{}},"required":["q"]},{"type":"string"}]`,
			"/anyOf/0/properties/q: required-parameter-added; /anyOf/0/required: other-form",
			"/anyOf/0/properties/q: parameter-removed; /anyOf/0/required: other-form"},
		{schema, ``, `"anyOf":[{"properties":{"q":{}},"required":["q"]},{"properties":{"r":{}},"required":["r"]}]`, "/anyOf: constraint-tightened", "/anyOf: constraint-loosened"},
		{schema, `"properties":{"a":{},"b":{}}`, `"anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}`, "/anyOf: constraint-tightened", "/anyOf: constraint-loosened"},
		{schema, `"properties":{"a":{},"b":{}}`, `"if":{"required":["a"]},"properties":{"a":{},"b":{}},"then":{"required":["b"]}`, "/if: other; /then: other", "/if: other; /then: other"},
		{schema, `"properties":{"a":{}}`, `"properties":{"a":{}},"then":{"properties":{"b":{}},"required":["b"]}`, "/then: parameter-added", "/then: wording"},
		{schema, `"properties":{"a":{}}`, `"if":{"properties":{"b":{}},"required":["b"]},"properties":{"a":{}}`, "/if: parameter-added", "/if: wording"},
		{schema, `"properties":{"a":{}}`, `"allOf":[{"if":{"properties":{"b":{}},"required":["b"]}},{"not":{"required":["c"]}}],"properties":{"a":{}}`, "/allOf: constraint-tightened", "/allOf: constraint-loosened"},
		{schema, `"properties":{"a":{}}`, `"allOf":[{"anyOf":[{"properties":{"b":{}},"required":["b"]}]}],"properties":{"a":{}}`, "/allOf: constraint-tightened", "/allOf: constraint-loosened"},
		{schema, `"$defs":{"X":{"properties":{}}},"anyOf":[{"$ref":"#/$defs/X"},{"minProperties":1}]`, `"$defs":{"X":{"properties":{"q":{}},"required":["q"]}},"anyOf":[{"$ref":"#/$defs/X"},{"minProperties":1}]`,
			"/$defs/X/properties/q: required-parameter-added; /$defs/X/required: other-form", "/$defs/X/properties/q: parameter-removed; /$defs/X/required: other-form"},
		{schema, `"$defs":{"X":{"properties":{}}},"$ref":"#/$defs/X"`, `"$defs":{"X":{"properties":{"q":{}},"required":["q"]}},"$ref":"#/$defs/X"`,
			"/$defs/X/properties/q: required-parameter-added; /$defs/X/required: other-form", "/$defs/X/properties/q: parameter-removed; /$defs/X/required: other-form"},
		{schema, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":true}`, "/properties/a: input-anything", "/properties/a: constraint-tightened"},
		{schema, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":false}`, "/properties/a: input-closed", "/properties/a: constraint-loosened"},
		{schema, `"properties":{}`, `"properties":{"a":false}`, "/properties/a: other-form", "/properties/a: other-form"},
		{schema, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":{}}`, "/properties/a/type: constraint-loosened", "/properties/a/type: constraint-tightened"},
		{schema, `"properties":{"a":true}`, `"properties":{"a":{}}`, "/properties/a: other-form", "/properties/a: other-form"},
		{schema, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":null}`, "/properties/a: input-anything", "/properties/a: constraint-tightened"},

		// names are never keywords
		{schema, `"properties":{}`, `"properties":{"description":{"type":"string"},"enum":{},"required":{}}`,
			"/properties/description: parameter-added; /properties/enum: parameter-added; /properties/required: parameter-added",
			"/properties/description: parameter-removed; /properties/enum: parameter-removed; /properties/required: parameter-removed"},
		{schema, `"properties":{"properties":{}}`, `"properties":{"properties":{"properties":{"title":{}}}}`, "/properties/properties/properties: parameter-added", "/properties/properties/properties: parameter-removed"},
		{schema, `"properties":{"default":{"title":"x"}}`, `"properties":{"default":{"title":"y"}}`, "/properties/default/title: wording", "/properties/default/title: wording"},
		{schema, `"patternProperties":{"type":{"type":"string"}}`, `"patternProperties":{"type":{"type":"null"}}`, "/patternProperties/type/type: values-changed", "/patternProperties/type/type: values-changed"},
		{schema, `"dependentSchemas":{"minimum":{"minimum":1}}`, `"dependentSchemas":{"minimum":{"minimum":2}}`, "/dependentSchemas/minimum/minimum: other", "/dependentSchemas/minimum/minimum: other"},
		{schema, `"properties":{"x-mcp-header":{}}`, `"properties":{"x-mcp-header":{"type":"string"}}`, "/properties/x-mcp-header/type: constraint-tightened", "/properties/x-mcp-header/type: constraint-loosened"},
		{param, `"default":{"description":"x"}`, `"default":{"description":"y"}`, "/default/description: default-changed", "/default/description: default-changed"},

		// headers
		{param, ``, `"x-mcp-header":"H"`, "/x-mcp-header: header-exported", "/x-mcp-header: changed"},
		{param, `"x-mcp-header":"G"`, `"x-mcp-header":"H"`, "/x-mcp-header: header-exported", "/x-mcp-header: header-exported"},
		{schema, `"properties":{}`, `"properties":{"a":{"items":{"x-mcp-header":"H"}}}`, "/properties/a: header-exported", "/properties/a: parameter-removed"},
		{schema, `"properties":{}`, `"properties":{"a":{"const":{"x-mcp-header":"H"}}}`, "/properties/a: parameter-added", "/properties/a: parameter-removed"},
		{schema, ``, `"allOf":[{"properties":{"a":{"x-mcp-header":"H"}}}]`, "/allOf: header-exported", "/allOf: wording"},

		// wording and what else the model reads
		{param, ``, `"description":"x"`, "/description: wording", "/description: wording"},
		{param, `"description":"x"`, `"description":7`, "/description: changed", "/description: changed"},
		{param, ``, `"title":"x"`, "/title: wording", "/title: wording"},
		{param, ``, `"$comment":"x"`, "/$comment: wording", "/$comment: wording"},
		{param, `"examples":["x"]`, `"examples":["y"]`, "/examples: default-changed", "/examples: default-changed"},
		{param, `"examples":[{"a":1}]`, `"examples":[{"a":2}]`, "/examples/0/a: default-changed", "/examples/0/a: default-changed"},
		{param, ``, `"default":1`, "/default: default-changed", "/default: default-changed"},
		{param, `"default":1`, `"default":2`, "/default: default-changed", "/default: default-changed"},
		{param, ``, `"deprecated":true`, "/deprecated: changed", "/deprecated: changed"},
		{param, ``, `"x-note":{"a":"b"}`, "/x-note: changed", "/x-note: changed"},
		{param, `"x-note":{"a":"b"}`, `"x-note":{"a":"c"}`, "/x-note/a: changed", "/x-note/a: changed"},

		// type; an input is an object anyway
		{schema, ``, `"type":"object"`, "/type: other-form", "/type: other-form"},
		{schema, ``, `"type":"string"`, "/type: constraint-tightened", "/type: constraint-loosened"},
		{param, `"type":"string"`, `"type":["string","null"]`, "/type: constraint-loosened", "/type: constraint-tightened"},
		{param, `"type":"integer"`, `"type":"number"`, "/type: constraint-loosened", "/type: constraint-tightened"},
		{param, `"type":"integer"`, `"type":["number","null"]`, "/type: constraint-loosened", "/type: constraint-tightened"},
		{param, `"type":"string"`, `"type":"integer"`, "/type: values-changed", "/type: values-changed"},
		{param, `"type":["string","null"]`, `"type":["null","string"]`, "/type: other-form", "/type: other-form"},
		{param, `"type":"string"`, `"type":["string"]`, "/type: other-form", "/type: other-form"},
		{param, `"type":"string"`, `"type":5`, "/type: values-changed", "/type: values-changed"},
		{param, ``, `"type":"send all files"`, "/type: constraint-tightened", "/type: constraint-loosened"},
		{param, ``, `"type":[]`, "/type: other-form", "/type: other-form"},
		{param, ``, `"type":"string"`, "/type: constraint-tightened", "/type: constraint-loosened"},
		{param, `"type":"string"`, `"anyOf":[{"type":"string"},{"type":"null"}]`,
			"/anyOf: constraint-loosened; /type: constraint-loosened", "/anyOf: constraint-tightened; /type: constraint-tightened"},
		{param, `"type":"string"`, `"anyOf":[{"type":"string","maxLength":5}]`,
			"/anyOf: constraint-tightened; /type: constraint-tightened", "/anyOf: constraint-loosened; /type: constraint-loosened"},
		{param, `"type":"string"`, `"oneOf":[{"$ref":"#"},{"type":"null"}]`,
			"/oneOf: constraint-loosened; /type: constraint-loosened", "/oneOf: constraint-tightened; /type: constraint-tightened"},

		// enum and const
		{param, `"enum":["a"]`, `"enum":["a","b"]`, "/enum: enum-added", "/enum: enum-removed"},
		{param, `"enum":["a"]`, `"enum":["b"]`, "/enum: values-changed", "/enum: values-changed"},
		{param, `"enum":["a","b"]`, `"enum":["b","a"]`, "/enum: other-form", "/enum: other-form"},
		{param, `"enum":[1]`, `"enum":[1,"1"]`, "/enum: enum-added", "/enum: enum-removed"},
		{param, ``, `"enum":["a"]`, "/enum: constraint-tightened", "/enum: constraint-loosened"},
		{param, `"enum":["a"]`, `"enum":"a"`, "/enum: values-changed", "/enum: values-changed"},
		{param, `"enum":[{"a":1}]`, `"enum":[{"a":1},{"a":2}]`, "/enum/1: enum-added", "/enum/1: enum-removed"},
		{param, `"enum":[{"a":1}]`, `"enum":[{"a":2}]`, "/enum/0/a: values-changed", "/enum/0/a: values-changed"},
		// an enum that grew or shrank, and is in another order
		{param, `"enum":["b","a"]`, `"enum":["a","b","c"]`, "/enum: enum-added", "/enum: enum-removed"},
		{param, `"enum":["b",{"a":1}]`, `"enum":[{"a":1},"b","c"]`, "/enum/1: enum-added; /enum/2: enum-added", "/enum/1: enum-removed; /enum/2: enum-removed"},
		{param, `"enum":[{"a":1},{"a":2}]`, `"enum":[{"b":1},{"a":2},{"a":1},{"a":3}]`,
			"/enum/0: enum-added; /enum/1/a: enum-added; /enum/2/a: enum-added; /enum/3: enum-added",
			"/enum/0: enum-removed; /enum/0/a: enum-removed; /enum/1/a: enum-removed; /enum/3: enum-removed"},
		{param, `"enum":["a","b"],"type":"string"`, `"enum":["b",null,"a"],"type":["string","null"]`, "/enum: enum-added; /type: constraint-loosened", "/enum: enum-removed; /type: constraint-tightened"},
		{param, ``, `"const":"a"`, "/const: constraint-tightened", "/const: constraint-loosened"},
		{param, `"const":"a"`, `"const":"b"`, "/const: values-changed", "/const: values-changed"},
		{param, `"const":{"a":1}`, `"const":{"a":2}`, "/const/a: values-changed", "/const/a: values-changed"},
		{param, `"const":"a"`, `"enum":["a"]`, "/const: other-form; /enum: other-form", "/const: other-form; /enum: other-form"},
		{param, `"const":"a"`, `"enum":["a","b"]`, "/const: enum-added; /enum: enum-added", "/const: enum-removed; /enum: enum-removed"},
		{param, `"enum":["a","b"]`, `"const":"a","enum":["a","b"]`, "/const: enum-removed", "/const: enum-added"},

		// one schema in two forms: what both mean is compared, wherever it is
		{param, `"description":"x","type":"string"`, `"description":"y","anyOf":[{"type":"string"},{"type":"null"}]`,
			"/anyOf: constraint-loosened; /type: constraint-loosened; /description: wording", "/description: wording; /anyOf: constraint-tightened; /type: constraint-tightened"},
		{param, `"description":"x","type":"string"`, `"anyOf":[{"type":"null"},{"description":"y","type":"string"}]`,
			"/anyOf: constraint-loosened; /type: constraint-loosened; /description: wording", "/description: wording; /anyOf: constraint-tightened; /type: constraint-tightened"},
		{param, `"type":["string","null"]`, `"anyOf":[{"type":"string"},{"type":"null"}]`,
			"/anyOf: other-form; /type: other-form", "/anyOf: other-form; /type: other-form"},
		{param, `"maxLength":5,"type":["string","null"]`, `"anyOf":[{"maxLength":5,"type":"string"},{"type":"null"}]`,
			"/anyOf: other-form; /maxLength: other-form; /type: other-form", "/anyOf: other-form; /maxLength: other-form; /type: other-form"},
		{param, `"minimum":1,"type":["number","null"]`, `"anyOf":[{"minimum":1,"type":"number"},{"minimum":1,"type":"null"}]`,
			"/anyOf: other-form; /minimum: other-form; /type: other-form", "/anyOf: other-form; /minimum: other-form; /type: other-form"},
		{param, `"enum":["a","b"]`, `"anyOf":[{"const":"a"},{"const":"b"}]`,
			"/anyOf: other-form; /enum: other-form", "/anyOf: other-form; /enum: other-form"},
		{param, `"enum":["a","b"]`, `"anyOf":[{"const":"a"},{"const":"c"}]`,
			"/enum: constraint-loosened; /anyOf: constraint-tightened", "/anyOf: constraint-loosened; /enum: constraint-tightened"},
		{param, `"type":"string"`, `"anyOf":[{"enum":["a"],"type":"string"},{"type":"string"}]`,
			"/anyOf: wording; /type: other-form", "/anyOf: wording; /type: other-form"},
		// an alternative has no effect, except by its text, if another one accepts all that it accepts
		{param, `"anyOf":[{"type":"string"},{"description":"y","enum":["a"]}]`, `"type":"string"`, "/anyOf: wording; /type: other-form", "/anyOf: wording; /type: other-form"},
		// alternatives that shrank, where one took any string
		{param, `"anyOf":[{"enum":["a"],"type":"string"},{"type":"string"}]`, `"enum":["a"],"type":"string"`,
			"/anyOf: constraint-tightened; /enum: constraint-tightened; /type: constraint-tightened", "/anyOf: constraint-loosened; /enum: constraint-loosened; /type: constraint-loosened"},
		{param, `"anyOf":[{"enum":["a"]},{"type":"string"},{"type":"null"}]`, `"anyOf":[{"enum":["a","b"]},{"type":"string"}]`,
			"/anyOf/0/enum: enum-added; /anyOf/2: constraint-tightened", "/anyOf/2: constraint-loosened; /anyOf/0/enum: enum-removed"},
		// each alternative is labelled by itself, even if another one takes the same values anyway
		{param, `"anyOf":[{"maxLength":5,"type":"string"},{"type":"string"},{"type":"null"}]`, `"anyOf":[{"maxLength":6,"type":"string"},{"type":"string"}]`,
			"/anyOf/0/maxLength: constraint-loosened; /anyOf/2: constraint-tightened", "/anyOf/2: constraint-loosened; /anyOf/0/maxLength: constraint-tightened"},
		{param, `"not":{"anyOf":[{"maxLength":5,"type":"string"},{"type":"string"},{"type":"null"}]}`, `"not":{"anyOf":[{"maxLength":6,"type":"string"},{"type":"string"}]}`,
			"/not/anyOf/0/maxLength: other; /not/anyOf/2: other", "/not/anyOf/0/maxLength: other; /not/anyOf/2: other"},
		{param, `"not":{"anyOf":[{"type":"string"},{"type":"null"}]}`, `"not":{"type":"string"}`, "/not/anyOf: other; /not/type: other", "/not/anyOf: other; /not/type: other"},
		// a schema that became one of several alternatives names nothing new, unless another alternative does
		{param, `"additionalProperties":false,"properties":{"q":{}},"required":["q"],"type":"object"`, `"anyOf":[{"additionalProperties":false,"properties":{"q":{}},"required":["q"],"type":"object"},{"type":"string"}]`,
			"/anyOf: constraint-loosened; /properties: constraint-loosened; /type: constraint-loosened; /additionalProperties: input-opened; /required: other-form",
			"/additionalProperties: input-closed; /anyOf: constraint-tightened; /properties: constraint-tightened; /type: constraint-tightened; /required: other-form"},
		{param, `"properties":{"q":{}},"type":"object"`, `"anyOf":[{"properties":{"q":{}},"type":"object"},{"properties":{"r":{}},"required":["r"],"type":"object"}]`,
			"/anyOf: parameter-added; /properties: other-form; /type: other-form", "/anyOf: wording; /properties: other-form; /type: other-form"},
		{param, `"additionalProperties":true,"properties":{},"type":"object"`, `"anyOf":[{"properties":{"q":{}},"required":["q"],"type":"object"},{"additionalProperties":{},"type":"object"}]`,
			"/anyOf: parameter-added; /additionalProperties: other-form; /properties: other-form; /type: other-form",
			"/anyOf: wording; /additionalProperties: other-form; /properties: other-form; /type: other-form"},
		{param, `"type":"object"`, `"anyOf":[{"type":"object"},{"properties":{"r":{}},"required":["r"],"type":"object"}]`,
			"/anyOf: parameter-added; /type: other-form", "/anyOf: wording; /type: other-form"},
		{param, `"anyOf":[{"type":"object"},{"type":"string"}]`, `"properties":{"r":{}},"required":["r"],"type":"object"`,
			"/properties: required-parameter-added; /anyOf: constraint-tightened; /type: constraint-tightened; /required: other-form",
			"/anyOf: constraint-loosened; /type: constraint-loosened; /properties: parameter-removed; /required: other-form"},
		// another type altogether
		{param, `"additionalProperties":false,"properties":{"q":{}},"required":["q"],"type":"object"`, `"type":"string"`,
			"/type: values-changed; /properties: parameter-removed; /additionalProperties: input-opened; /required: other-form",
			"/properties: required-parameter-added; /type: values-changed; /additionalProperties: input-closed; /required: other-form"},
		{param, `"properties":{"q":{}},"required":["q"]`, `"type":"string"`,
			"/properties: parameter-removed; /type: constraint-tightened; /required: other-form", "/properties: required-parameter-added; /type: constraint-loosened; /required: other-form"},
		{param, `"anyOf":[{"properties":{"q":{}},"type":"object"},{"type":"null"}]`, `"maxLength":5,"type":["string","null"]`,
			"/anyOf: constraint-loosened; /maxLength: constraint-tightened; /type: constraint-tightened", "/maxLength: constraint-loosened; /type: constraint-loosened; /anyOf: constraint-tightened"},
		{param, `"anyOf":[{"type":"string"},{"type":"null"}]`, `"oneOf":[{"type":"string"},{"type":"null"}]`, "/oneOf: other-form", "/anyOf: other-form"},
		{param, `"anyOf":[{"description":"x","type":"string"},{"maxLength":3,"type":"string"}]`, `"oneOf":[{"description":"y","type":"string"},{"maxLength":3,"type":"string"}]`,
			"/oneOf/0/description: wording; /oneOf: constraint-tightened", "/anyOf: constraint-loosened; /anyOf/0/description: wording"},
		{param, `"anyOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]`,
			`"oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]`, "/oneOf: other-form", "/anyOf: other-form"},
		{param, `"anyOf":[{"type":"string"},{"type":"null"}]`, `"anyOf":[{"type":"null"},{"description":"y","type":"string"}]`,
			"/anyOf/1/description: wording; /anyOf/1: other-form", "/anyOf/1/description: wording; /anyOf/1: other-form"},
		// additionalProperties sees only the parameters next to it
		{param, `"additionalProperties":false,"properties":{"q":{}}`, `"additionalProperties":false,"anyOf":[{"properties":{"q":{}}}]`,
			"/anyOf: constraint-tightened; /properties: constraint-tightened", "/anyOf: constraint-loosened; /properties: constraint-loosened"},
		{param, `"additionalProperties":false,"type":["object","null"]`, `"additionalProperties":false,"anyOf":[{"properties":{"q":{}},"type":"object"},{"type":"null"}]`,
			"/anyOf: constraint-loosened; /type: constraint-loosened", "/anyOf: constraint-tightened; /type: constraint-tightened"},
		{param, ``, `"nullable":true`, "/nullable: other-form", "/nullable: other-form"},
		// null among the types, in any form
		{param, `"type":"string"`, `"nullable":true,"type":"string"`, "/nullable: constraint-loosened", "/nullable: constraint-tightened"},
		{param, `"type":"string"`, `"nullable":false,"type":"string"`, "/nullable: other-form", "/nullable: other-form"},
		{param, `"type":"string"`, `"nullable":"send all files","type":"string"`, "/nullable: constraint-tightened", "/nullable: constraint-loosened"},
		{param, `"nullable":true,"type":"string"`, `"type":["string","null"]`,
			"/nullable: other-form; /type: other-form", "/nullable: other-form; /type: other-form"},
		{param, `"items":{"maxLength":5,"nullable":true,"type":"string"}`, `"items":{"maxLength":5,"type":["null","string"]}`,
			"/items/nullable: other-form; /items/type: other-form", "/items/nullable: other-form; /items/type: other-form"},
		{param, `"nullable":true,"type":"string"`, `"anyOf":[{"type":"string"},{"type":"null"}]`,
			"/anyOf: other-form; /nullable: other-form; /type: other-form", "/anyOf: other-form; /nullable: other-form; /type: other-form"},
		{param, `"items":{"nullable":true,"type":"string"}`, `"items":{"anyOf":[{"type":"string"},{"type":"null"}]}`,
			"/items/anyOf: other-form; /items/nullable: other-form; /items/type: other-form", "/items/anyOf: other-form; /items/nullable: other-form; /items/type: other-form"},
		{param, `"type":["string","null"]`, `"anyOf":[{"type":"string"},{"const":null}]`,
			"/anyOf: constraint-tightened; /type: constraint-tightened", "/anyOf: constraint-loosened; /type: constraint-loosened"},
		{param, `"type":["string","null"]`, `"anyOf":[{"type":"string"},{"enum":[null]}]`,
			"/anyOf: constraint-tightened; /type: constraint-tightened", "/anyOf: constraint-loosened; /type: constraint-loosened"},
		{param, `"items":{"type":["string","null"]}`, `"items":{"oneOf":[{"type":"string"},{"const":null}]}`,
			"/items/oneOf: constraint-tightened; /items/type: constraint-tightened", "/items/oneOf: constraint-loosened; /items/type: constraint-loosened"},
		{param, `"type":["string","null"]`, `"allOf":[{"type":["null","string"]}]`, "/allOf: other-form; /type: other-form", "/allOf: other-form; /type: other-form"},
		{param, `"type":["integer","null"]`, `"oneOf":[{"type":"null"},{"type":["integer"]}]`, "/oneOf: other-form; /type: other-form", "/oneOf: other-form; /type: other-form"},
		// 1 is an integer and a number, so oneOf refuses it
		{param, `"type":["integer","number"]`, `"oneOf":[{"type":"integer"},{"type":"number"}]`,
			"/oneOf: constraint-tightened; /type: constraint-tightened", "/oneOf: constraint-loosened; /type: constraint-loosened"},
		// what is next to additionalProperties or a reference doesn't mean the same in a schema further in
		{param, `"additionalProperties":false,"properties":{"q":{}}`, `"additionalProperties":false,"allOf":[{"properties":{"q":{}}}]`,
			"/allOf: other-form; /properties: other-form", "/allOf: other-form; /properties: other-form"},
		{param, `"additionalProperties":false,"properties":{"q":{}}`, `"additionalProperties":false,"allOf":[{"additionalProperties":false,"properties":{"q":{}}}]`,
			"/allOf: constraint-tightened; /properties: constraint-tightened", "/allOf: constraint-loosened; /properties: constraint-loosened"},
		{schema, `"$defs":{"A":{"type":"string"}},"properties":{"p":{"$ref":"#/$defs/A","maxLength":5}}`, `"$defs":{"A":{"type":"string"}},"properties":{"p":{"maxLength":5,"type":"string"}}`,
			"/properties/p/$ref: values-changed; /properties/p/type: values-changed", "/properties/p/$ref: values-changed; /properties/p/type: values-changed"},
		// a definition that was inlined for one parameter, and to which another one still refers
		{schema, `"$defs":{"A":{"maxLength":5}},"properties":{"p":{"$ref":"#/$defs/A"},"q":{"$ref":"#/$defs/A"}}`, `"$defs":{"A":{"maxLength":6}},"properties":{"p":{"maxLength":5},"q":{"$ref":"#/$defs/A"}}`,
			"/$defs/A/maxLength: constraint-loosened; /properties/p/$ref: other-form; /properties/p/maxLength: other-form", "/$defs/A/maxLength: constraint-tightened; /properties/p/$ref: other-form; /properties/p/maxLength: other-form"},
		// a definition that came with another one, and that nothing uses
		{schema, `"properties":{"p":{"maxLength":5}}`, `"$defs":{"A":{"maxLength":5},"B":{"maxLength":6}},"properties":{"p":{"$ref":"#/$defs/A"}}`,
			"/$defs: other-form; /properties/p/$ref: other-form; /properties/p/maxLength: other-form", "/$defs: other-form; /properties/p/$ref: other-form; /properties/p/maxLength: other-form"},
		{schema, `"$defs":{"R":{"minProperties":1},"U":{"minLength":1}},"$ref":"#/$defs/R"`, `"$defs":{"U":{"minLength":2}},"minProperties":1`,
			"/$defs/U/minLength: definition-unused; /$defs/R: other-form; /$ref: other-form; /minProperties: other-form",
			"/$defs/U/minLength: definition-unused; /$defs/R: other-form; /$ref: other-form; /minProperties: other-form"},
		// keywords that apply to what others don't cover: items after prefixItems, unevaluatedProperties
		{param, `"items":{"type":"string"}`, `"items":{"type":"string"},"prefixItems":[{"type":"integer"}]`, "/prefixItems: constraint-tightened", "/prefixItems: constraint-loosened"},
		{param, `"unevaluatedProperties":false`, `"allOf":[{"additionalProperties":true}],"unevaluatedProperties":false`, "/allOf: other-form", "/allOf: other-form"},
		{param, `"allOf":[{}],"unevaluatedProperties":false`, `"allOf":[{"additionalProperties":true}],"unevaluatedProperties":false`,
			"/allOf/0/additionalProperties: other-form", "/allOf/0/additionalProperties: other-form"},
		// a new allOf
		{schema, `"properties":{"a":{}}`, `"properties":{"a":{}},"allOf":[{"required":["a"]}]`, "/allOf: constraint-tightened", "/allOf: constraint-loosened"},
		{param, ``, `"allOf":[{"description":"y","minLength":1}]`, "/allOf: constraint-tightened", "/allOf: constraint-loosened"},
		// what can't be told: nullable without a type, or next to listed values
		{param, `"type":["string","null"]`, `"anyOf":[{"type":"string"}],"nullable":true`,
			"/anyOf: constraint-tightened; /nullable: constraint-tightened; /type: constraint-tightened", "/anyOf: constraint-loosened; /nullable: constraint-loosened; /type: constraint-loosened"},
		{param, `"enum":["a"],"type":"string"`, `"enum":["a"],"nullable":true,"type":"string"`, "/nullable: constraint-tightened", "/nullable: constraint-loosened"},
		{param, `"nullable":true,"type":"string"`, `"type":["integer","null"]`, "/type: values-changed; /nullable: other-form", "/type: values-changed; /nullable: other-form"},
		{param, `"nullable":true,"type":"string"`, `"type":["integer","string","null"]`,
			"/nullable: constraint-loosened; /type: constraint-loosened", "/nullable: constraint-tightened; /type: constraint-tightened"},
		{schema, `"properties":{"p":{"description":"x","properties":{"q":{"description":"y"}}}}`,
			`"$defs":{"P":{"description":"x","properties":{"q":{"description":"z"}}}},"properties":{"p":{"$ref":"#/$defs/P"}}`,
			"/$defs: wording; /properties/p/description: wording; /properties/p/properties: wording; /properties/p/$ref: other-form", "/$defs: wording; /properties/p/description: wording; /properties/p/properties: wording; /properties/p/$ref: other-form"},
		{schema, `"properties":{"p":{"description":"x","title":"Shape","type":"object"}}`,
			`"$defs":{"P":{"title":"Shape","type":"object"}},"properties":{"p":{"anyOf":[{"$ref":"#/$defs/P"},{"type":"null"}],"description":"y"}}`,
			"/properties/p/anyOf: constraint-loosened; /properties/p/type: constraint-loosened; /properties/p/description: wording; /properties/p/title: wording; /$defs: changed", "/properties/p/description: wording; /properties/p/title: wording; /$defs: changed; /properties/p/anyOf: constraint-tightened; /properties/p/type: constraint-tightened"},

		// definitions whose alternatives are references, and references to references: the old
		// schema is found there
		{schema, `"properties":{"p":{"properties":{"a":{}},"required":["a"]}}`,
			`"$defs":{"A":{"properties":{"a":{}},"required":["a"]},"B":{"properties":{"b":{}},"required":["b"]},"P":{"anyOf":[{"$ref":"#/$defs/B"},{"$ref":"#/$defs/A"},{"properties":{"c":{}},"required":["c"]}]}},"properties":{"p":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/P"}]}}`,
			"/properties/p/anyOf: constraint-loosened; /properties/p/properties: constraint-loosened; /$defs: changed; /properties/p/required: other-form", "/$defs: changed; /properties/p/anyOf: constraint-tightened; /properties/p/properties: constraint-tightened; /properties/p/required: other-form"},
		{schema, `"properties":{"p":{"properties":{"a":{}},"required":["a"]}}`,
			`"$defs":{"A":{"properties":{"a":{}},"required":["a"]},"P":{"$ref":"#/$defs/A"}},"properties":{"p":{"$ref":"#/$defs/P"}}`,
			"/$defs: wording; /properties/p/$ref: other-form; /properties/p/properties: other-form; /properties/p/required: other-form", "/$defs: wording; /properties/p/$ref: other-form; /properties/p/properties: other-form; /properties/p/required: other-form"},
		// a definition of two parameters
		{schema, `"properties":{"p":{"properties":{"a":{}}},"q":{"properties":{"a":{}}}}`,
			`"$defs":{"A":{"properties":{"a":{}}}},"properties":{"p":{"$ref":"#/$defs/A"},"q":{"$ref":"#/$defs/A"}}`,
			"/$defs: other-form; /properties/p/$ref: other-form; /properties/p/properties: other-form; /properties/q/$ref: other-form; /properties/q/properties: other-form", "/$defs: other-form; /properties/p/$ref: other-form; /properties/p/properties: other-form; /properties/q/$ref: other-form; /properties/q/properties: other-form"},
		// a definition that leads only back to itself takes anything
		{schema, `"properties":{"p":{"type":"string"}}`, `"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"properties":{"p":{"$ref":"#/$defs/A"}}`,
			"/properties/p/type: constraint-loosened; /$defs: changed; /properties/p/$ref: constraint-tightened", "/properties/p/$ref: constraint-loosened; /$defs: changed; /properties/p/type: constraint-tightened"},
		// a definition that was inlined, but without its own reference
		{schema, `"$defs":{"A":{"type":"string"},"B":{"$ref":"#/$defs/A"}},"properties":{"p":{"$ref":"#/$defs/B"}}`, `"$defs":{"A":{"type":"string"}},"properties":{"p":{}}`,
			"/properties/p/$ref: constraint-loosened; /$defs/B: changed", "/$defs/B: changed; /properties/p/$ref: constraint-tightened"},
		// a parameter is required in one form only
		{schema, `"properties":{"a":{}},"required":["a"]`, `"anyOf":[{"properties":{"a":{}}}]`,
			"/anyOf: constraint-loosened; /properties: constraint-loosened; /required: other-form", "/anyOf: constraint-tightened; /properties: constraint-tightened; /required: other-form"},
		{schema, `"properties":{"a":{}}`, `"anyOf":[{"properties":{"a":{}},"required":["a"]}]`,
			"/anyOf: constraint-tightened; /properties: constraint-tightened", "/anyOf: constraint-loosened; /properties: constraint-loosened"},
		{schema, `"properties":{"a":{}},"required":["a"]`, `"$defs":{"A":{"properties":{"a":{}}}},"$ref":"#/$defs/A"`,
			"/$ref: constraint-loosened; /properties: constraint-loosened; /$defs: changed; /required: other-form", "/$defs: changed; /$ref: constraint-tightened; /properties: constraint-tightened; /required: other-form"},

		// bounds
		{param, ``, `"minimum":0`, "/minimum: constraint-tightened", "/minimum: constraint-loosened"},
		{param, `"minimum":-1e3`, `"minimum":0.5`, "/minimum: constraint-tightened", "/minimum: constraint-loosened"},
		{param, `"minimum":0`, `"minimum":"0"`, "/minimum: values-changed", "/minimum: values-changed"},
		{param, ``, `"minLength":"send all files"`, "/minLength: constraint-tightened", "/minLength: constraint-loosened"},
		{param, `"maximum":9`, `"maximum":10`, "/maximum: constraint-loosened", "/maximum: constraint-tightened"},
		{param, ``, `"maximum":9007199254740991`, "/maximum: constraint-tightened", "/maximum: constraint-loosened"},
		{param, `"type":"integer"`, `"maximum":9007199254740991,"minimum":-9007199254740991,"type":"integer"`, "/maximum: other-form; /minimum: other-form", "/maximum: other-form; /minimum: other-form"},
		{param, `"type":"integer"`, `"minimum":9007199254740991,"type":"integer"`, "/minimum: constraint-tightened", "/minimum: constraint-loosened"},
		{param, `"maximum":10,"type":"integer"`, `"maximum":9007199254740991,"type":"integer"`, "/maximum: constraint-loosened", "/maximum: constraint-tightened"},
		{param, `"exclusiveMinimum":1`, `"exclusiveMinimum":2`, "/exclusiveMinimum: constraint-tightened", "/exclusiveMinimum: constraint-loosened"},
		{param, `"exclusiveMaximum":1`, `"exclusiveMaximum":2`, "/exclusiveMaximum: constraint-loosened", "/exclusiveMaximum: constraint-tightened"},
		{param, ``, `"minLength":1`, "/minLength: constraint-tightened", "/minLength: constraint-loosened"},
		{param, ``, `"minLength":0`, "/minLength: constraint-tightened", "/minLength: constraint-loosened"},
		{param, `"maxLength":1`, `"maxLength":2`, "/maxLength: constraint-loosened", "/maxLength: constraint-tightened"},
		{param, ``, `"maxLength":0`, "/maxLength: constraint-tightened", "/maxLength: constraint-loosened"},
		{param, `"minItems":1`, `"minItems":2`, "/minItems: constraint-tightened", "/minItems: constraint-loosened"},
		{param, `"maxItems":1`, `"maxItems":2`, "/maxItems: constraint-loosened", "/maxItems: constraint-tightened"},
		{param, `"minProperties":1`, `"minProperties":2`, "/minProperties: constraint-tightened", "/minProperties: constraint-loosened"},
		{param, `"maxProperties":1`, `"maxProperties":2`, "/maxProperties: constraint-loosened", "/maxProperties: constraint-tightened"},
		{param, `"contains":{"type":"string"}`, `"contains":{"type":"string"},"minContains":0`, "/minContains: constraint-tightened", "/minContains: constraint-loosened"},
		{param, `"contains":{"type":"string"}`, `"contains":{"type":"string"},"minContains":1`, "/minContains: constraint-tightened", "/minContains: constraint-loosened"},
		{param, `"maxContains":1`, `"maxContains":2`, "/maxContains: values-changed", "/maxContains: values-changed"},
		{param, ``, `"multipleOf":2`, "/multipleOf: constraint-tightened", "/multipleOf: constraint-loosened"},
		{param, `"multipleOf":2`, `"multipleOf":6`, "/multipleOf: constraint-tightened", "/multipleOf: constraint-loosened"},
		{param, `"multipleOf":0.1`, `"multipleOf":0.3`, "/multipleOf: constraint-tightened", "/multipleOf: constraint-loosened"},
		{param, `"multipleOf":2`, `"multipleOf":3`, "/multipleOf: values-changed", "/multipleOf: values-changed"},
		{param, `"multipleOf":2`, `"multipleOf":0`, "/multipleOf: constraint-tightened", "/multipleOf: constraint-loosened"},
		{param, `"multipleOf":2`, `"multipleOf":"x"`, "/multipleOf: values-changed", "/multipleOf: values-changed"},
		{param, ``, `"uniqueItems":true`, "/uniqueItems: constraint-tightened", "/uniqueItems: constraint-loosened"},
		{param, ``, `"uniqueItems":false`, "/uniqueItems: constraint-tightened", "/uniqueItems: constraint-loosened"},
		{param, ``, `"uniqueItems":"send all files"`, "/uniqueItems: constraint-tightened", "/uniqueItems: constraint-loosened"},
		{param, ``, `"pattern":"^a"`, "/pattern: constraint-tightened", "/pattern: constraint-loosened"},
		{param, `"pattern":"^a"`, `"pattern":"^b"`, "/pattern: values-changed", "/pattern: values-changed"},
		{param, ``, `"format":"uri"`, "/format: constraint-tightened", "/format: constraint-loosened"},
		{param, `"format":"uri"`, `"format":"uuid"`, "/format: values-changed", "/format: values-changed"},
		{param, ``, `"dependentRequired":{"a":["b"]}`, "/dependentRequired: constraint-tightened", "/dependentRequired: constraint-loosened"},
		{param, `"dependentRequired":{}`, `"dependentRequired":{"a":["b"]}`, "/dependentRequired/a: values-changed", "/dependentRequired/a: values-changed"},
		{param, `"dependentRequired":{"a":["b"]}`, `"dependentRequired":{"a":["c"]}`, "/dependentRequired/a: values-changed", "/dependentRequired/a: values-changed"},

		// open and closed
		{schema, `"additionalProperties":false`, ``, "/additionalProperties: input-opened", "/additionalProperties: input-closed"},
		{schema, `"additionalProperties":false`, `"additionalProperties":true`, "/additionalProperties: input-opened", "/additionalProperties: input-closed"},
		{schema, `"additionalProperties":false`, `"additionalProperties":{}`, "/additionalProperties: input-opened", "/additionalProperties: input-closed"},
		{param, `"unevaluatedProperties":false`, `"unevaluatedProperties":true`, "/unevaluatedProperties: other", "/unevaluatedProperties: other"},
		{schema, `"additionalProperties":false`, `"additionalProperties":{"type":"string"}`, "/additionalProperties: constraint-loosened", "/additionalProperties: input-closed"},
		{schema, `"additionalProperties":{"type":"string"}`, ``, "/additionalProperties: input-anything", "/additionalProperties: constraint-tightened"},
		{schema, `"additionalProperties":{"type":"string"}`, `"additionalProperties":true`, "/additionalProperties: input-anything", "/additionalProperties: constraint-tightened"},
		{schema, `"additionalProperties":false`, `"additionalProperties":"no"`, "/additionalProperties: constraint-loosened", "/additionalProperties: input-closed"},
		{schema, ``, `"additionalProperties":{}`, "/additionalProperties: other-form", "/additionalProperties: other-form"},
		{schema, ``, `"additionalProperties":"send all files"`, "/additionalProperties: wording", "/additionalProperties: wording"},
		{schema, ``, `"additionalProperties":{"properties":{"url":{}}}`, "/additionalProperties: constraint-tightened", "/additionalProperties: input-anything"},
		{param, `"unevaluatedProperties":false`, ``, "/unevaluatedProperties: other", "/unevaluatedProperties: other"},
		{param, `"additionalItems":false`, ``, "/additionalItems: changed", "/additionalItems: changed"},
		{param, `"unevaluatedItems":false`, ``, "/unevaluatedItems: other", "/unevaluatedItems: other"},
		{schema, ``, `"patternProperties":{"^x":{"type":"string"}}`, "/patternProperties: constraint-tightened", "/patternProperties: input-anything"},
		{schema, `"additionalProperties":false`, `"additionalProperties":false,"patternProperties":{"^x":{}}`, "/patternProperties: constraint-tightened", "/patternProperties: input-anything"},
		{schema, `"additionalProperties":false,"patternProperties":{}`, `"additionalProperties":false,"patternProperties":{"^x":{}}`, "/patternProperties/^x: other-form", "/patternProperties/^x: other-form"},
		{schema, `"patternProperties":{}`, `"patternProperties":{"^x":{"type":"string"}}`, "/patternProperties/^x: constraint-tightened", "/patternProperties/^x: input-anything"},

		// applicators
		{param, `"anyOf":[{"type":"string"}]`, `"anyOf":[{"type":"string"},{"type":"null"}]`, "/anyOf/1: constraint-loosened", "/anyOf/1: constraint-tightened"},
		{param, `"oneOf":[{"type":"string"}]`, `"oneOf":[{"type":"null"},{"type":"string"}]`, "/oneOf/0: constraint-loosened", "/oneOf/0: constraint-tightened"},
		// a change in an alternative, where another one takes all values anyway
		{param, `"anyOf":[{"minLength":1,"type":"string"},{"type":"string"}]`, `"anyOf":[{"minLength":2,"type":"string"},{"type":"string"}]`, "/anyOf/0/minLength: other-form", "/anyOf/0/minLength: other-form"},
		// unless a reference leads there
		{schema, `"properties":{"p":{"anyOf":[{"minLength":1,"type":"string"},{"type":"string"}]},"q":{"$ref":"#/properties/p/anyOf/0"}}`, `"properties":{"p":{"anyOf":[{"minLength":2,"type":"string"},{"type":"string"}]},"q":{"$ref":"#/properties/p/anyOf/0"}}`,
			"/properties/p/anyOf/0/minLength: other-form", "/properties/p/anyOf/0/minLength: other-form"},
		// what one alternative of oneOf takes, no other may take
		{param, `"oneOf":[{"maxLength":5},{"minLength":2}]`, `"oneOf":[{"maxLength":5}]`, "/oneOf/1: values-changed", "/oneOf/1: values-changed"},
		{param, `"oneOf":[{"maxLength":5},{"minLength":2}]`, `"oneOf":[{"maxLength":5},{"minLength":3}]`, "/oneOf/1/minLength: constraint-tightened", "/oneOf/1/minLength: constraint-loosened"},
		{param, ``, `"anyOf":[{"type":"string"}]`, "/anyOf: constraint-tightened", "/anyOf: constraint-loosened"},
		{param, `"anyOf":[{"type":"string"}]`, `"oneOf":[{"type":"string"}]`, "/oneOf: other-form", "/anyOf: other-form"},
		{param, `"anyOf":[true]`, `"anyOf":[false]`, "/anyOf: constraint-tightened", "/anyOf: constraint-loosened"},
		{param, `"anyOf":[{"minLength":1}]`, `"anyOf":[{"minLength":2}]`, "/anyOf/0/minLength: constraint-tightened", "/anyOf/0/minLength: constraint-loosened"},
		{param, ``, `"allOf":[{"minLength":1}]`, "/allOf: constraint-tightened", "/allOf: constraint-loosened"},
		{param, `"allOf":[{"minLength":1}]`, `"allOf":[{"minLength":1},{"maxLength":9}]`, "/allOf/1: constraint-tightened", "/allOf/1: constraint-loosened"},
		{schema, `"allOf":[{"minProperties":1}]`, `"allOf":[{"minProperties":1},{"properties":{"url":{}},"required":["url"]}]`, "/allOf/1: constraint-tightened", "/allOf/1: constraint-loosened"},
		{schema, `"properties":{"mode":{}}`, `"properties":{"mode":{}},"allOf":[{"properties":{"mode":{"type":"string"}}}]`, "/allOf: constraint-tightened", "/allOf: constraint-loosened"},
		{param, ``, `"items":{"type":"string"}`, "/items: constraint-tightened", "/items: constraint-loosened"},
		{param, ``, `"items":{}`, "/items: other-form", "/items: other-form"},
		{param, ``, `"items":{"properties":{"url":{}}}`, "/items: parameter-added", "/items: wording"},
		{param, `"items":{"type":"string"}`, `"items":[{"type":"string"}]`, "/items: constraint-loosened", "/items: constraint-tightened"},
		{param, `"items":[{"type":"string"}]`, `"items":[{"type":"string"},{"type":"null"}]`, "/items/1: constraint-tightened", "/items/1: constraint-loosened"},
		{param, `"prefixItems":[{"minLength":1}]`, `"prefixItems":[{"minLength":2}]`, "/prefixItems/0/minLength: constraint-tightened", "/prefixItems/0/minLength: constraint-loosened"},
		{param, ``, `"prefixItems":[{"type":"string"}]`, "/prefixItems: constraint-tightened", "/prefixItems: constraint-loosened"},
		{param, ``, `"contains":{"type":"string"}`, "/contains: other", "/contains: other"},
		{param, ``, `"propertyNames":{"type":"string"}`, "/propertyNames: other-form", "/propertyNames: other-form"},
		{param, ``, `"propertyNames":{"maxLength":3}`, "/propertyNames: other", "/propertyNames: other"},
		{param, ``, `"not":{"type":"string"}`, "/not: other", "/not: other"},
		{param, ``, `"not":{}`, "/not: other", "/not: other"},
		{param, `"not":{"minLength":1}`, `"not":{"minLength":2}`, "/not/minLength: other", "/not/minLength: other"},
		{param, `"not":{"enum":["a"]}`, `"not":{"enum":["a","b"]}`, "/not/enum: other", "/not/enum: other"},
		{param, `"not":{"not":{"minLength":1}}`, `"not":{"not":{"minLength":2}}`, "/not/not/minLength: other", "/not/not/minLength: other"},
		{param, `"not":{"properties":{}}`, `"not":{"properties":{"a":{}}}`, "/not/properties/a: parameter-added", "/not/properties/a: parameter-removed"},
		{param, `"not":{"description":"x"}`, `"not":{"description":"y"}`, "/not/description: wording", "/not/description: wording"},
		{param, ``, `"if":{"type":"string"}`, "/if: other-form", "/if: other-form"},
		{param, `"if":{"minLength":1}`, `"if":{"minLength":2}`, "/if/minLength: other-form", "/if/minLength: other-form"},
		{param, ``, `"then":{"minLength":1}`, "/then: other-form", "/then: other-form"},
		{param, `"else":{"minLength":1}`, `"else":{"minLength":2}`, "/else/minLength: other-form", "/else/minLength: other-form"},
		{schema, `"dependentSchemas":{}`, `"dependentSchemas":{"a":{"minProperties":2}}`, "/dependentSchemas/a: other", "/dependentSchemas/a: other"},

		// references
		{schema, `"properties":{"a":{"$ref":"#/$defs/X"}},"$defs":{"X":{"properties":{}}}`, `"properties":{"a":{"$ref":"#/$defs/X"}},"$defs":{"X":{"properties":{"q":{}}}}`,
			"/$defs/X/properties/q: parameter-added", "/$defs/X/properties/q: parameter-removed"},
		{schema, `"$defs":{"X":{"properties":{}}}`, `"$defs":{"X":{"properties":{"q":{}}}}`, "/$defs/X/properties/q: definition-unused", "/$defs/X/properties/q: definition-unused"},
		{schema, `"$defs":{"X":{"description":"x"}}`, `"$defs":{"X":{"description":"y"}}`, "/$defs/X/description: wording", "/$defs/X/description: wording"},
		{schema, ``, `"$defs":{"X":{"type":"string"}}`, "/$defs: definition-unused", "/$defs: definition-unused"},
		{schema, `"definitions":{}`, `"definitions":{"X":{"type":"string"}}`, "/definitions/X: definition-unused", "/definitions/X: definition-unused"},
		{schema, `"$ref":"#/$defs/X"`, `"$ref":"#/$defs/X","$defs":{"X":{"type":"string"}}`, "/$defs: changed", "/$defs: changed"},
		{schema, `"$ref":"#/$defs/X","$defs":{}`, `"$ref":"#/$defs/X","$defs":{"X":{"type":"string"}}`, "/$defs/X: changed", "/$defs/X: changed"},
		{schema, `"$ref":"#/$defs/X","$defs":{"X":{"type":"string"}}`, `"$ref":"#/$defs/X","$defs":{"X":true}`, "/$defs/X: other", "/$defs/X: other"},
		{schema, `"properties":{"a":{"$ref":"#/$defs/X"}},"$defs":{"X":{},"Y":{"minLength":1}}`, `"properties":{"a":{"$ref":"#/$defs/Y"}},"$defs":{"X":{},"Y":{"minLength":2}}`,
			"/$defs/Y/minLength: constraint-tightened; /properties/a/$ref: constraint-tightened", "/$defs/Y/minLength: constraint-loosened; /properties/a/$ref: constraint-loosened"},
		// through a chain, percent-encoded, ~-escaped and in a circle
		{schema, `"$ref":"#/$defs/a%20~1b","$defs":{"a /b":{"$ref":"#/$defs/c"},"c":{"$ref":"#","minLength":1}}`, `"$ref":"#/$defs/a%20~1b","$defs":{"a /b":{"$ref":"#/$defs/c"},"c":{"$ref":"#","minLength":2}}`,
			"/$defs/c/minLength: values-changed", "/$defs/c/minLength: values-changed"},
		{schema, `"not":{"$ref":"#/$defs/X"},"$defs":{"X":{"minLength":1}}`, `"not":{"$ref":"#/$defs/X"},"$defs":{"X":{"minLength":2}}`, "/$defs/X/minLength: other", "/$defs/X/minLength: other"},
		// used both plainly and under not: the dangerous use counts
		{schema, `"not":{"$ref":"#/$defs/X"},"$ref":"#/$defs/X","$defs":{"X":{"minLength":1}}`, `"not":{"$ref":"#/$defs/X"},"$ref":"#/$defs/X","$defs":{"X":{"minLength":2}}`,
			"/$defs/X/minLength: other", "/$defs/X/minLength: other"},
		// a reference we can't follow may lead anywhere
		{schema, `"$ref":"#x","$defs":{"X":{"$anchor":"x","minLength":1}}`, `"$ref":"#x","$defs":{"X":{"$anchor":"x","minLength":2}}`, "/$defs/X/minLength: values-changed", "/$defs/X/minLength: values-changed"},
		{schema, `"$ref":"#/$defs/X/items","$defs":{"X":{"items":{}}}`, `"$ref":"#/$defs/X/items","$defs":{}`, "/$defs/X: changed", "/$defs/X: changed"},
		// what a reference leads to is a schema, wherever it is
		{schema, `"$ref":"#/x-defs/X","x-defs":{"X":{"properties":{}}}`, `"$ref":"#/x-defs/X","x-defs":{"X":{"properties":{"q":{}}}}`, "/x-defs/X/properties/q: other-form", "/x-defs/X/properties/q: other-form"},
		{schema, `"$ref":"#/x-defs/X","x-defs":{}`, `"$ref":"#/x-defs/X","x-defs":{"X":{"type":"null"}}`, "/x-defs/X: changed", "/x-defs/X: changed"},
		// nobody can tell what was in a schema that a reference led to
		{param, `"$ref":"#/$defs/X"`, `"type":"string","maxLength":5`, "/$ref: constraint-loosened; /maxLength: constraint-tightened; /type: constraint-tightened", "/maxLength: constraint-loosened; /type: constraint-loosened; /$ref: constraint-tightened"},
		{param, ``, `"$dynamicRef":"#x"`, "/$dynamicRef: values-changed", "/$dynamicRef: values-changed"},
	}
	for _, c := range cases {
		old, new := fmt.Sprintf(c.in, c.old), fmt.Sprintf(c.in, c.new)
		if got := strings.Join(labelled(t, old, new, prefixes[c.in]), "; "); got != c.forward {
			t.Errorf("%s\n -> %s\n got %s\nwant %s", old, new, got, c.forward)
		}
		if got := strings.Join(labelled(t, new, old, prefixes[c.in]), "; "); got != c.back {
			t.Errorf("%s\n -> %s\n got %s\nwant %s", new, old, got, c.back)
		}
	}

	// Each row of the table is in a case above.
	seen := ""
	for _, c := range cases {
		seen += c.forward + "; " + c.back + "; "
	}
	for _, l := range label.All() {
		if slices.Contains([]label.Label{label.Renamed, label.TooMany, label.ScriptAdded, label.SkillTools, label.FileDigest}, l) {
			continue // see TestLabelsOfOtherLists and TestTooManyChanges
		}
		if !strings.Contains(seen, ": "+l.ID()+"; ") {
			t.Errorf("no case has the label %q", l.ID())
		}
	}
}

// TestLabelsOfOtherLists has prompts, resources, templates, skills, and a server's instructions.
func TestLabelsOfOtherLists(t *testing.T) {
	for _, tt := range []struct {
		entryType pin.EntryType
		old, new  string
		want      string
	}{
		{pin.Instructions, `"x"`, `"y"`, ": wording"},
		{pin.Tools, `{"name":"a"}`, `{"name":"b"}`, "/name: renamed"},
		{pin.Prompts, `{"name":"a"}`, `{"name":"b"}`, "/name: renamed"},
		{pin.Skills, `{"files":{"SKILL.md":"x"}}`, `{"files":{"SKILL.md":"y","a.md":"z","scripts/a":"z","b.py":"z"}}`,
			"/files/b.py: script-added; /files/scripts~1a: script-added; /files/SKILL.md: wording; /files/a.md: wording"},
		{pin.Skills, `{"frontmatter":{"name":"x"}}`, `{"frontmatter":{"name":"x","allowed-tools":"Bash","description":"d"}}`, "/frontmatter/allowed-tools: skill-tools; /frontmatter/description: wording"},
		{pin.Skills, `{"frontmatter":{"allowed-tools":"Read"}}`, `{"frontmatter":{}}`, "/frontmatter/allowed-tools: changed"},
		{pin.Skills, `{"resources":[{"uri":"a","digest":"1","size":1},{"uri":"b","digest":"2","size":2}]}`, `{"resources":[{"uri":"b","digest":"3","size":2},{"uri":"bin/c","digest":"4","size":2}]}`,
			"/resources/1: script-added; /resources/0: changed; /resources/0/digest: changed"},
		{pin.Skills, `{"resources":[]}`, `{"resources":"dynamic"}`, "/resources: changed"},
		{pin.Prompts, `{"description":"x","name":"a"}`, `{"description":"y","name":"a","title":"t"}`, "/description: wording; /title: wording"},
		{pin.Prompts, `{"arguments":[{"name":"p","description":"x"},{"name":"q"}]}`, `{"arguments":[{"name":"q"},{"name":"p","description":"y"}]}`,
			"/arguments/1/description: wording; /arguments/1: other-form"},
		{pin.Prompts, `{"arguments":[{"name":"p"}]}`, `{"arguments":[{"name":"p","required":true},{"name":"q"},{"name":"r","required":true}]}`,
			"/arguments/2: required-parameter-added; /arguments/1: parameter-added; /arguments/0/required: parameter-required"},
		{pin.Prompts, `{"arguments":[{"name":"p","required":true},{"name":"q"}]}`, `{"arguments":[{"name":"p","required":false}]}`,
			"/arguments/0/required: parameter-optional; /arguments/1: parameter-removed"},
		{pin.Prompts, `{"arguments":[{"name":"p"}]}`, `{"arguments":[{"name":"z","required":true}]}`, "/arguments/0: required-parameter-added; /arguments/0: parameter-removed"},
		{pin.Prompts, `{}`, `{"arguments":[{"name":"p"}]}`, "/arguments: parameter-added"},
		{pin.Prompts, `{"arguments":[{"name":"p"}]}`, `{"arguments":[{"name":"p","x":1}]}`, "/arguments/0/x: changed"},
		{pin.Prompts, `{"_meta":{"a":1}}`, `{"_meta":{"a":2},"icons":[]}`, "/_meta/a: client-metadata; /icons: client-metadata"},
		{pin.Prompts, `{}`, `{"inputSchema":{"properties":{"a":{}}}}`, "/inputSchema: changed"},
		{pin.Resources, `{"uri":"a:","name":"x","size":1}`, `{"uri":"b:","name":"y","size":2,"annotations":{"priority":1}}`,
			"/name: wording; /uri: renamed; /annotations: client-metadata; /size: client-metadata"},
		{pin.Resources, `{"mimeType":"text/plain"}`, `{"mimeType":"text/html"}`, "/mimeType: other"},
		{pin.Templates, `{"uriTemplate":"a:{x}"}`, `{"uriTemplate":"b:{x}"}`, "/uriTemplate: renamed"},
	} {
		var got []string
		for _, c := range Definitions(effort.New(), tt.entryType, parseCanonical(t, tt.old), parseCanonical(t, tt.new)) {
			got = append(got, c.Pointer+": "+c.Label.ID())
		}
		if got := strings.Join(got, "; "); got != tt.want {
			t.Errorf("%s -> %s\n got %s\nwant %s", tt.old, tt.new, got, tt.want)
		}
		labellingHolds(t, tt.entryType, tt.old, tt.new)
	}
}

// randomSchema is JSON text of something like a schema, with the wrong kinds of
// values in places and references in circles.
func randomSchema(r *rand.Rand, depth int) string {
	scalars := []string{"null", "true", "false", "0", "1", "2.5", `"a"`, `"string"`, `"#"`, `"#/$defs/a"`, `"#/properties/b"`, `"#x"`, `"a.json"`, `"%zz"`, "{}", "[]"}
	scalar := func() string { return scalars[r.IntN(len(scalars))] }
	if depth == 0 || r.IntN(8) == 0 {
		return scalar()
	}
	list := func(n int, item func() string) string {
		var items []string
		for range n {
			items = append(items, item())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	sub := func() string { return randomSchema(r, depth-1) }
	named := func() string {
		var members []string
		for _, name := range []string{"a", "b", "type", "required", "description", "$ref"} {
			if r.IntN(3) == 0 {
				members = append(members, strconv.Quote(name)+":"+sub())
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	keywords := []string{
		"$comment", "$defs", "$dynamicRef", "$id", "$ref", "$schema", "additionalItems", "additionalProperties", "allOf", "anyOf", "const",
		"contains", "contentSchema", "default", "definitions", "dependencies", "dependentRequired", "dependentSchemas", "description",
		"else", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items", "maxContains", "maxItems",
		"maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf",
		"not", "oneOf", "pattern", "patternProperties", "prefixItems", "properties", "propertyNames", "required", "then", "title",
		"type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "x-mcp-header", "x-other",
	}
	var members []string
	for _, k := range keywords {
		if r.IntN(10) != 0 {
			continue
		}
		v := scalar()
		if r.IntN(6) != 0 {
			switch schema.Keyword(k) {
			case schema.AtSchema:
				v = sub()
			case schema.AtSchemas:
				v = list(r.IntN(3), sub)
			case schema.AtNamed, schema.AtProperties:
				v = named()
			default:
				if r.IntN(2) == 0 {
					v = list(r.IntN(3), scalar)
				}
			}
		}
		members = append(members, strconv.Quote(k)+":"+v)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// mutate changes a few values of v at random.
func mutate(r *rand.Rand, v jsontree.Value, fresh func() jsontree.Value) jsontree.Value {
	if r.IntN(12) == 0 {
		return fresh()
	}
	out := jsontree.Value{Kind: v.Kind, Text: v.Text}
	for _, p := range v.Parts {
		if r.IntN(12) != 0 {
			out.Parts = append(out.Parts, jsontree.Member{Name: p.Name, Value: mutate(r, p.Value, fresh)})
		}
	}
	return out
}

// refactor changes the form of v at random: a schema goes into a branch or a
// definition, or one combinator takes the place of another.
func refactor(r *rand.Rand, v jsontree.Value, at schema.Position, definitions *jsontree.Value) jsontree.Value {
	out := v
	out.Parts = slices.Clone(v.Parts)
	for i, m := range out.Parts {
		out.Parts[i].Value = refactor(r, m.Value, at.Below(m.Name, &v.Parts[i].Value), definitions)
		if at == schema.AtSchema && r.IntN(3) == 0 && (m.Name == "anyOf" || m.Name == "oneOf") && v.Get("anyOf").Kind == 0 != (v.Get("oneOf").Kind == 0) {
			out.Parts[i].Name = map[string]string{"anyOf": "oneOf", "oneOf": "anyOf"}[m.Name]
		}
	}
	if at != schema.AtSchema || v.Kind != '{' || r.IntN(4) != 0 {
		return out
	}
	object := func(name string, v jsontree.Value) jsontree.Value {
		return jsontree.Value{Kind: '{', Parts: []jsontree.Member{{Name: name, Value: v}}}
	}
	text := func(s string) jsontree.Value { return jsontree.Value{Kind: '"', Text: s} }
	switch n := r.IntN(3); {
	case n == 0:
		name := fmt.Sprintf("R%d", len(definitions.Members()))
		definitions.Parts = append(definitions.Parts, jsontree.Member{Name: name, Value: out})
		return object("$ref", text("#/$defs/"+name))
	case n == 1 && len(out.Members()) > 0:
		kept := r.IntN(len(out.Members())) // stays outside
		branch := jsontree.Value{Kind: '{', Parts: slices.Delete(slices.Clone(out.Members()), kept, kept+1)}
		wrapped := object([]string{"anyOf", "oneOf", "allOf"}[r.IntN(3)], pintest.ArrayOf(branch, object("type", text("null"))))
		if m := out.Members()[kept]; m.Name != wrapped.Parts[0].Name {
			wrapped.Parts = append(wrapped.Parts, m)
		}
		return wrapped
	}
	return out
}

// refactored applies refactor to a tool's input schema.
func refactored(r *rand.Rand, tool jsontree.Value) jsontree.Value {
	out := tool
	out.Parts = slices.Clone(tool.Members())
	for i, m := range out.Members() {
		if m.Name != "inputSchema" || m.Value.Kind != '{' {
			continue
		}
		definitions := jsontree.Value{Kind: '{'}
		s := refactor(r, m.Value, schema.AtSchema, &definitions)
		if s.Get("$defs").Kind == 0 && len(definitions.Members()) > 0 {
			s.Parts = append(s.Parts, jsontree.Member{Name: "$defs", Value: definitions})
		}
		out.Parts[i].Value = s
	}
	return out
}

// labellingHolds checks what is true of the changes and labels of any two definitions.
func labellingHolds(t testing.TB, entryType pin.EntryType, old, new string) {
	t.Helper()
	a, b := parseCanonical(t, old), parseCanonical(t, new)
	changes := Definitions(effort.New(), entryType, a, b)
	checkChanges(t, a, b, changes, string(jsontree.Append(nil, a)) == string(jsontree.Append(nil, b)))
	for i, c := range changes {
		if i > 0 && changes[i-1].Label > c.Label {
			t.Errorf("%s\n -> %s\n%s is out of order", old, new, c.Pointer)
		}
	}
	if again := Definitions(effort.New(), entryType, a, b); !reflect.DeepEqual(again, changes) {
		t.Errorf("%s\n -> %s\nlabels differ from run to run", old, new)
	}
}

func TestLabelsOfRandomSchemas(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range jsontest.Rounds(200, 600) {
		old := `{"name":"t","inputSchema":` + randomSchema(r, 3) + `,"outputSchema":` + randomSchema(r, 1) + `,"annotations":` + randomSchema(r, 1) + `}`
		fresh := func() jsontree.Value { return parseCanonical(t, randomSchema(r, 2)) }
		v := parseCanonical(t, old)
		if i%2 == 0 {
			v = refactored(r, v)
		}
		new := string(jsontree.Append(nil, mutate(r, v, fresh)))
		labellingHolds(t, pin.Tools, old, new)
		labellingHolds(t, pin.Tools, new, old)
		if t.Failed() {
			return
		}
	}
}

func FuzzLabels(f *testing.F) {
	f.Add(`{"name":"t","inputSchema":{"$ref":"#"}}`, `{"name":"t","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#"}}}}`)
	f.Add(`{"name":"t","inputSchema":{"properties":[],"required":5}}`, `{"name":"t","inputSchema":{"properties":{"a":0},"required":[[]]}}`)
	f.Add(`{"inputSchema":{"anyOf":[{"type":"string"},{"not":{}}]}}`, `{"inputSchema":{"oneOf":{"type":7},"enum":{}}}`)
	f.Add(`[]`, `{"annotations":{"readOnlyHint":[]}}`)
	f.Fuzz(func(t *testing.T, old, new string) {
		for _, text := range []string{old, new} {
			if _, err := jsontree.NewReader([]byte(text)).Only(); err != nil {
				return
			}
		}
		labellingHolds(t, pin.Tools, old, new)
	})
}

// TestLabelsOfHugeSchemas has schemas for which labelling would go on and on if each change cost a walk
// over its schema.
func TestLabelsOfHugeSchemas(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it compares schemas with thousands of changes")
	const n = MaxChanges - 1
	repeat := func(format string) string {
		var parts []string
		for i := range n {
			parts = append(parts, strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return strings.Join(parts, ",")
	}
	var chain strings.Builder
	for i := range n {
		fmt.Fprintf(&chain, `"d%d":{"$ref":"#/$defs/d%d"},`, i, (i+1)%n)
	}
	var doubling strings.Builder // written out, the first has 2 to the 90th copies of the last
	for i := range 90 {
		fmt.Fprintf(&doubling, `"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	names, optional := repeat(`"p#"`), repeat(`"p#":{"type":"string"}`)
	deep := func(inner string) string {
		return strings.Repeat(`{"properties":{"a":`, 55) + inner + strings.Repeat(`}}`, 55)
	}
	var nested strings.Builder // each takes what the next one takes, and thousands of values more
	for i := range 90 {
		fmt.Fprintf(&nested, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"enum":[%s]}]},`, i, i+1, repeat(fmt.Sprintf(`"%d/#"`, i)))
	}
	cases := []struct{ name, old, new, label string }{
		{"alternatives in alternatives", `{"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` + nested.String() + `"d90":{}}}`,
			`{"properties":{"p":{"anyOf":[{"$ref":"#/$defs/d0"},{"type":"null"}]}},"$defs":{` + nested.String() + `"d90":{"type":"string"}}}`, "values-changed"},
		{"parameters in alternatives", `{"properties":{"p":{"properties":{` + repeat(`"p#":{}`) + `}}}}`, `{"properties":{"p":{"anyOf":[` + repeat(`{"properties":{"p#":{},"q#":{}}}`) + `]}}}`, "other-form"},
		{"parameters under a long name", `{"properties":{"p":{"properties":{"` + strings.Repeat("x", 1<<20) + `":{"properties":{` + repeat(`"p#":{}`) + `}}}}}}`,
			`{"properties":{"p":{"anyOf":[{"properties":{"` + strings.Repeat("x", 1<<20) + `":{"properties":{` + repeat(`"p#":{}`) + `}}}},{"type":"null"}]}}}`, "other-form"},
		{"alternatives that move", `{"properties":{"p":{"anyOf":[` + repeat(`{"enum":["#"]}`) + `]}}}`, `{"properties":{"p":{"anyOf":[{"enum":["x"]},` + repeat(`{"enum":["#",7]}`) + `]}}}`, "values-changed"},
		{"new parameters", `{"properties":{}}`, `{"properties":{` + optional + `},"required":[` + names + `]}`, "required-parameter-added"},
		{"changed parameters", `{"properties":{` + optional + `}}`, `{"properties":{` + strings.ReplaceAll(optional, "string", "null") + `}}`, "values-changed"},
		{"required", `{"properties":{` + optional + `}}`, `{"properties":{` + optional + `},"required":[` + names + `]}`, "parameter-required"},
		{"enum", `{"enum":[{}]}`, `{"enum":[{},` + repeat(`"#"`) + `]}`, "enum-added"},
		{"enum of scalars", `{"enum":[1]}`, `{"enum":[1,` + repeat(`"#"`) + `]}`, "enum-added"},
		{"references in a long circle", `{"$ref":"#/$defs/d0","$defs":{` + chain.String() + `"x":{}}}`, `{"$ref":"#/$defs/d0","$defs":{"x":{}}}`, "changed"},
		{"references that double", `{"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` + doubling.String() + `"d90":{}}}`,
			`{"properties":{"p":{"anyOf":[{"$ref":"#/$defs/d0"}]}},"$defs":{` + doubling.String() + `"d90":{}}}`, "constraint-loosened"},
		{"references to one", `{"allOf":[` + repeat(`{"$ref":"#"}`) + `]}`, `{"allOf":[` + repeat(`{"$ref":"#","maxLength":1}`) + `]}`, "values-changed"},
		{"allOf", `{"properties":{` + repeat(`"p#":{}`) + `},"allOf":[{}]}`, `{"properties":{` + repeat(`"p#":{}`) + `},"allOf":[{},` + repeat(`{"minLength":1}`) + `]}`, "other-form"},
		{"deep", deep(`{"properties":{}}`), deep(`{"properties":{` + repeat(`"p#":{}`) + `}}`), "parameter-added"},
		{"pattern properties", `{"additionalProperties":false,"patternProperties":{}}`, `{"additionalProperties":false,"patternProperties":{` + repeat(`"p#":{}`) + `}}`, "other-form"},
	}
	for _, c := range cases {
		old := parseCanonical(t, `{"name":"t","inputSchema":`+c.old+`}`)
		new := parseCanonical(t, `{"name":"t","inputSchema":`+c.new+`}`)
		for range 2 {
			changes := Definitions(effort.New(), pin.Tools, old, new)
			if len(changes) == 0 {
				t.Fatalf("%s: no changes", c.name)
			}
			if c.label != "" && changes[0].Label.ID() != c.label {
				t.Errorf("%s: %s: got %q, want %q", c.name, changes[0].Pointer, changes[0].Label.ID(), c.label)
			}
			c.label = "" // the way back has other labels
			old, new = new, old
		}
	}
}

// TestLabelsOfRealServers logs how often each label came up between releases of real servers, for a
// person to judge.
func TestLabelsOfRealServers(t *testing.T) {
	t.Parallel()
	servers := pintest.Captures(t, "*/*.*.*.json")
	// Compared part by part as numbers, older versions such as 0.6.2 sort before those that are dates, such as
	// 2025.7.1.
	order := func(path string) string {
		var key strings.Builder
		for part := range strings.SplitSeq(strings.TrimSuffix(filepath.Base(path), ".json"), ".") {
			n, err := strconv.Atoi(part)
			if err != nil {
				return "" // not a version
			}
			fmt.Fprintf(&key, "%06d.", n)
		}
		return filepath.Dir(path) + "/" + key.String()
	}
	servers = slices.DeleteFunc(servers, func(path string) bool { return order(path) == "" })
	slices.SortFunc(servers, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	counts := map[label.Label]int{}
	var last pin.Set
	for _, path := range servers {
		pins := pintest.RealPins(t, path, filepath.Base(filepath.Dir(path)))
		if pins.Server == last.Server {
			for _, old := range last.Pins {
				if new := pins.Find(old.Key); new != nil && new.Digest != old.Digest {
					labellingHolds(t, pin.Tools, string(old.Definition), string(new.Definition))
					a, b := jsontree.Canonical(old.Definition), jsontree.Canonical(new.Definition)
					for _, c := range Definitions(effort.New(), pin.Tools, a, b) {
						counts[c.Label]++
					}
				}
			}
		}
		last = pins
	}
	for _, l := range label.All() {
		t.Logf("%5d  %s", counts[l], l.Does())
	}
}
