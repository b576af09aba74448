package report

import (
	"regexp"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/signature"
	"pinproof/internal/text"
)

// placePattern matches the steps that lead to a parameter or to a part of a result, if their names can't be mistaken for
// anything else, and then the rest of the pointer.
var placePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/(in|out)putSchema((?:/properties/[\w$-]+|/(?:anyOf|oneOf)/\d+)(?:/properties/[\w$-]+|/items|/additionalProperties|/(?:anyOf|oneOf)/\d+)*)(/.*|)$`)
})

// stepPattern matches one of these steps.
var stepPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/properties/([\w$-]+)|/(items|additionalProperties)|/(anyOf|oneOf)/(\d+)`)
})

// alternativePattern matches a step into one of several alternatives.
var alternativePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(?:anyOf|oneOf)/\d+`) })

// placeIn describes for people where in an entry something is. A parameter of a tool is the way to it,
// "arguments.sort[].by", and so is a part of its result, "returns.links[]". What is in such a schema
// follows that, "arguments.sort/enum/2".
// "[]" is every element and "*" every parameter without a name. Anything else is shown as its JSON Pointer.
//
// If the definition is known, one of several alternatives is named by a constant that no other one has,
// "arguments.target(name find).sort".
func placeIn(entryType pin.EntryType, definition jsontree.Value, pointer string) string {
	parts := placePattern().FindStringSubmatch(pointer)
	if parts == nil || entryType != pin.Tools || text.Pointer(pointer) != pointer {
		return text.Pointer(pointer)
	}
	said := "arguments"
	if parts[1] == "out" {
		said = "returns"
	}
	at := definition.Get(parts[1] + "putSchema")
	for _, step := range stepPattern().FindAllStringSubmatch(parts[2], -1) {
		switch {
		case step[1] != "":
			said += "." + step[1]
			at = at.Get("properties").Get(step[1])
		case step[2] == "items":
			said += "[]"
			at = at.Get("items")
		case step[2] != "":
			said += ".*"
			at = at.Get("additionalProperties")
		default:
			branch, of := alternative(at, step[3], step[4])
			said += branch
			at = of
		}
	}
	return said + parts[3]
}

// alternative names one of several alternatives of a schema, and returns it.
func alternative(around jsontree.Value, keyword, index string) (said string, of jsontree.Value) {
	list := around.Get(keyword)
	at := jsontree.Lookup(&list, index)
	if at == nil {
		return "/" + keyword + "/" + index, of
	}
	of = *at
	if constant := signature.Constant(around, keyword, of); constant != "" {
		return "(" + constant + ")", of
	}
	return "/" + keyword + "/" + index, of
}

// place describes for people where in a captured entry something is.
func (r *Report) place(of pin.Ref, pointer string) string {
	var definition jsontree.Value
	if p := pin.ComparisonOf(r.Comparisons, of.Server); p != nil && strings.Contains(pointer, "Of/") {
		if found := p.Captured.Find(of.Key); found != nil {
			definition = found.Shown()
		}
	}
	return placeIn(of.Type, definition, pointer)
}
