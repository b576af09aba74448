package report

import (
	"fmt"
	"slices"
	"testing"

	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/signature"
)

// newRoom returns the room of a run's descriptions.
func newRoom() *int { room := signature.MaxPointers; return &room }

// TestPlace: a place has the names of parameters and of alternatives, and what is in a schema follows as a pointer.
func TestPlace(t *testing.T) {
	tool := pintest.ParseTree(t, `{"name":"t","description":"x","inputSchema":{"required":["sort"],"properties":{
		"sort":{"additionalProperties":{"enum":["a"]}},
		"a":{"type":"object","items":{"properties":{"by-x":{"type":"string"}},"$defs":{"b.c":{"type":"object","properties":{"d":{}}}}}},
		"e":{"anyOf":[{"items":{"anyOf":[{"type":"string","description":"x"}]}},{"properties":{"is":{"const":"one"}}},{"properties":{"is":{"const":"two"}}}]},
		"*":{},"a.b":{"type":"string"},"f g":{"examples":[1]}}},
		"outputSchema":{"properties":{"links":{"items":{"properties":{"url":{"description":"x"}}}}}}}`)
	s := describe(newRoom(), pin.Tools, jsontree.Value{}, tool, nil)
	for pointer, want := range map[string]string{
		"":                             "",
		"/description":                 "/description",
		"/inputSchema/required":        "/inputSchema/required",
		"/inputSchema/properties/sort": "arguments.sort",
		"/inputSchema/properties/sort/description":                    "arguments.sort/description",
		"/inputSchema/properties/sort/additionalProperties/enum/0":    "arguments.sort.*/enum/0",
		"/inputSchema/properties/a/items/properties/by-x/type":        "arguments.a[].by-x/type",
		"/inputSchema/properties/a/items/$defs/b.c/properties/d":      `arguments.a[]/$defs/"b.c".d`,
		"/inputSchema/properties/e/anyOf/0/items/anyOf/0/description": "arguments.e/anyOf/0[]/anyOf/0/description",
		"/inputSchema/properties/e/anyOf/2/properties/is":             "arguments.e(is two).is",
		"/inputSchema/properties/*":                                   `arguments."*"`,
		"/inputSchema/properties/a.b/type":                            `arguments."a.b"/type`,
		"/inputSchema/properties/f g/examples/0":                      `arguments."f g"/examples/0`,
		"/outputSchema/properties/links/items/properties/url":         "returns.links[].url",
	} {
		if got := s.place(1, pointer); got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
	seen := map[string]string{}
	for _, l := range s.lines {
		if other := seen[l.is.Place]; other != "" {
			t.Errorf("%s is at %s, and so is %s", l.is.Pointer, l.is.Place, other)
		}
		seen[l.is.Place] = l.is.Pointer
	}
}

// TestPlacesDiffer: no two lines of a definition have one place, whatever the names are.
func TestPlacesDiffer(t *testing.T) {
	names := []string{"properties", "items", "additionalProperties", "a", "b", "a.b", "*", "[]", "0", "enum", "a/b", "", "arguments", "~", "a b", "\u200b", "anyOf", "oneOf", "$a", "(a b)", `"a"`}
	schema := `{"type":"string"}`
	for range 3 {
		below := ""
		for i, name := range names {
			if i > 0 {
				below += ","
			}
			of := `{"type":"string"}`
			if i%7 == 0 {
				of = schema
			}
			below += fmt.Sprintf("%q:%s", name, of)
		}
		schema = `{"properties":{` + below + `},"$defs":{` + below + `},"items":{"properties":{` + below + `}},"additionalProperties":{"type":"object","description":"x"},"anyOf":[{"description":"x"},{"not":{"type":"string","properties":{` + below + `}}}]}`
	}
	s := describe(newRoom(), pin.Tools, jsontree.Value{}, pintest.ParseTree(t, `{"name":"t","inputSchema":`+schema+`}`), nil)
	seen := map[string]string{}
	for _, l := range s.lines {
		if other, found := seen[l.is.Place]; found {
			t.Fatalf("%q and %q are both %s", other, l.is.Pointer, l.is.Place)
		}
		seen[l.is.Place] = l.is.Pointer
	}
	if len(seen) < 1_000 {
		t.Errorf("only %d places", len(seen))
	}
}

// TestMovedLines: a new alternative before others takes no line from them.
func TestMovedLines(t *testing.T) {
	tool := func(alternatives string) jsontree.Value {
		return pintest.CanonicalTree(t, `{"inputSchema":{"anyOf":[`+alternatives+`]},"name":"t"}`)
	}
	const one, two, other = `{"description":"one","properties":{"a":{}}}`, `{"description":"two","properties":{"b":{}}}`, `{"description":"other"}`
	old, new := tool(one+","+two), tool(other+","+one+","+two)
	_, moved := diff.CompareDefinitions(effort.NewBudget(), pin.Tools, old, new)
	var got []string
	for _, l := range describe(newRoom(), pin.Tools, old, new, moved).lines {
		was := ""
		if l.was != nil {
			was = l.was.Text.Text
		}
		if l.is.Text.Kind != 0 {
			got = append(got, was+" -> "+l.is.Text.Text)
		}
	}
	if want := []string{" -> other", "one -> one", "two -> two"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
