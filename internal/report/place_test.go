package report

import (
	"math/rand/v2"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		entryType     pin.EntryType
		pointer, want string
	}{
		{pin.Tools, "", ""},
		{pin.Tools, "/description", "/description"},
		{pin.Tools, "/inputSchema/required", "/inputSchema/required"},
		{pin.Tools, "/inputSchema/properties", "/inputSchema/properties"},
		{pin.Tools, "/inputSchema/properties/sort", "arguments.sort"},
		{pin.Tools, "/inputSchema/properties/sort/description", "arguments.sort/description"},
		{pin.Tools, "/inputSchema/properties/sort/additionalProperties", "arguments.sort.*"},
		{pin.Tools, "/inputSchema/properties/sort/additionalProperties/enum/0", "arguments.sort.*/enum/0"},
		{pin.Tools, "/inputSchema/properties/a/items/properties/by-x/type", "arguments.a[].by-x/type"},
		{pin.Tools, "/inputSchema/properties/a/items/2/type", "arguments.a[]/2/type"},
		{pin.Tools, "/inputSchema/properties/a/anyOf/0/items", "arguments.a/anyOf/0[]"},
		{pin.Tools, "/inputSchema/properties/properties/properties", "arguments.properties/properties"},
		{pin.Tools, "/inputSchema/properties/a.b/type", "/inputSchema/properties/a.b/type"},
		{pin.Tools, "/inputSchema/properties/*", `"/inputSchema/properties/*"`},
		{pin.Tools, "/inputSchema/properties/a/examples/x y", `"/inputSchema/properties/a/examples/x y"`},
		{pin.Tools, "/inputSchema/properties/pipeline/items/anyOf/0/properties/$vectorSearch/anyOf/0/properties/a_filter_of_documents_to_search/additionalProperties/description",
			"arguments.pipeline[]/anyOf/0.$vectorSearch/anyOf/0.a_filter_of_documents_to_search.*/description"}, // 157 characters: real schemas have some of 183
		{pin.Prompts, "/inputSchema/properties/a", "/inputSchema/properties/a"},
		{pin.Prompts, "/arguments/0/description", "/arguments/0/description"},
	} {
		if got := placeIn(tt.entryType, jsontree.Value{}, tt.pointer); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.pointer, got, tt.want)
		}
	}
}

// TestPlacesDiffer: no two places of a tool look the same.
func TestPlacesDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	steps := []string{"properties", "items", "additionalProperties", "a", "b", "a.b", "*", "[]", "0", "enum", "a/b", "", "arguments", "~", "a b", "\u200b", "anyOf", "oneOf", "1", "$a"}
	seen := map[string]string{}
	for range jsontest.Rounds(50_000, 200_000) {
		pointer := "/inputSchema/properties"
		for range 1 + r.IntN(5) {
			pointer = jsontree.Pointer(pointer, steps[r.IntN(len(steps))])
		}
		said := placeIn(pin.Tools, jsontree.Value{}, pointer)
		if other, ok := seen[said]; ok && other != pointer {
			t.Fatalf("%q and %q are both %s", other, pointer, said)
		}
		seen[said] = pointer
	}
}
