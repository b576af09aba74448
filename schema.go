package main

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A position is the role that a value has because of where it stands. One place tells
// schemas from data, and keywords from names (JSON Schema 2020-12 Core, 10 and 11, and
// draft-07).
type position int

const (
	atOther      position = iota // data, or a keyword that holds no schema
	atDefinition                 // the definition of a tool
	atSchema                     // a schema
	atSchemas                    // an array of schemas
	atNamed                      // an object that holds schemas under names
	atProperties                 // likewise, under the names of parameters
)

// schemaKeyword returns the position of a keyword's value.
func schemaKeyword(name string) position {
	switch name {
	case "additionalProperties", "additionalItems", "contains", "contentSchema", "else", "if", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties":
		return atSchema
	case "allOf", "anyOf", "oneOf", "prefixItems", "items":
		return atSchemas
	case "$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties":
		return atNamed
	case "properties":
		return atProperties
	}
	return atOther
}

// below returns the position of v, a part of a value at p: the member name, or an element.
func (p position) below(name string, v *value) position {
	switch p {
	case atDefinition:
		if name == "inputSchema" || name == "outputSchema" {
			return atSchema
		}
	case atSchemas, atNamed, atProperties:
		return atSchema
	case atSchema:
		switch at := schemaKeyword(name); {
		case at == atSchemas && v.kind != '[':
			return atSchema // draft-07 also allows one schema in items
		case (at == atNamed || at == atProperties) && v.kind != '{':
			return atOther
		default:
			return at
		}
	}
	return atOther
}

// eachPart calls f for each part of v, with the part's position and step. at is v's position.
func eachPart(v *value, at position, f func(part *value, at position, step pathStep)) {
	for i := range v.parts {
		p, step := &v.parts[i], pathStep{v.parts[i].name, -1}
		if v.kind == '[' {
			step.index = i
		}
		f(&p.value, at.below(p.name, &p.value), step)
	}
}

// visitSchema calls f for a value at a position and for everything in it, in order. f gets
// the position of what the value stands in (of), its own (at) and the path to it, which f
// must not keep.
func visitSchema(v *value, at position, f func(v *value, of, at position, path []pathStep)) {
	var visit func(v *value, of, at position, path []pathStep)
	visit = func(v *value, of, at position, path []pathStep) {
		f(v, of, at, path)
		eachPart(v, at, func(part *value, below position, step pathStep) { visit(part, at, below, append(path, step)) })
	}
	visit(v, atOther, at, make([]pathStep, 0, 32))
}

// eachBelow calls f for the schemas right below a schema, with the steps to them.
func eachBelow(schema *value, f func(v *value, steps ...string)) {
	eachPart(schema, atSchema, func(v *value, at position, keyword pathStep) {
		switch at {
		case atSchema:
			f(v, keyword.name)
		case atSchemas, atNamed, atProperties:
			eachPart(v, at, func(part *value, _ position, step pathStep) {
				f(part, keyword.name, tokenOf(step))
			})
		}
	})
}

// tokenOf returns a step as a token of a JSON Pointer, not escaped.
func tokenOf(step pathStep) string {
	if step.index >= 0 {
		return strconv.Itoa(step.index)
	}
	return step.name
}

// eachSchema calls f for every schema in a value at a position, and for the value if it is one.
func eachSchema(v *value, at position, f func(*value)) {
	visitSchema(v, at, func(v *value, _, at position, _ []pathStep) {
		if at == atSchema {
			f(v)
		}
	})
}

// mapParts returns a copy of a value in which f has changed or left out each part.
// The name is empty for an element.
func mapParts(v value, f func(name string, part value) (value, bool)) value {
	out := v
	out.parts = nil
	for _, p := range v.parts {
		if part, keep := f(p.name, p.value); keep {
			out.parts = append(out.parts, namedValue{p.name, part})
		}
	}
	return out
}

// mapTexts returns a copy of a value in which f has changed every string, but no member name.
func mapTexts(v value, f func(string) string) value {
	if v.kind == '"' {
		v.text = f(v.text)
		return v
	}
	return mapParts(v, func(_ string, part value) (value, bool) { return mapTexts(part, f), true })
}

// mapSchema returns a copy of a value at a position. In it f has changed or left out each
// member of the definition, if it is one, and of its schemas at any depth.
func mapSchema(v value, at position, f func(name string, v value) (value, bool)) value {
	if at == atOther {
		return v
	}
	return mapParts(v, func(name string, part value) (value, bool) {
		keep := true
		if at == atSchema || at == atDefinition {
			part, keep = f(name, part)
		}
		return mapSchema(part, at.below(name, &part), f), keep
	})
}

// lookup returns the member or element of v that one token of a JSON Pointer names, or
// nil. Members must be sorted, as in canonical forms.
func lookup(v *value, step string) *value {
	switch {
	case v == nil:
	case v.kind == '{':
		i, ok := slices.BinarySearchFunc(v.parts, step, func(m namedValue, name string) int { return compareUTF16(m.name, name) })
		if ok {
			return &v.parts[i].value
		}
	case v.kind == '[':
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v.parts) && strconv.Itoa(i) == step {
			return &v.parts[i].value
		}
	}
	return nil
}

// resolveReference returns the value that a reference inside the document names, nil if
// there is none, and the steps to it. The fragment is a percent-encoded JSON Pointer
// (RFC 6901, section 6). It returns false for anchors and other documents.
func resolveReference(root *value, reference string) (*value, []string, bool) {
	fragment, local := strings.CutPrefix(reference, "#")
	pointer, err := url.PathUnescape(fragment)
	steps, ok := pointerTokens(pointer)
	if !local || err != nil || !ok {
		return nil, nil, false
	}
	for _, step := range steps {
		root = lookup(root, step)
	}
	return root, steps, true
}

// textOf returns the text of a string, and "" for anything else.
func textOf(v *value) string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

func isDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// headerKeyword makes an HTTP client copy an argument into a request header
// (MCP 2026-07-28).
const headerKeyword = "x-mcp-header"
