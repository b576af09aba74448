package inclusion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
)

// read reads a schema as the program does.
func read(t testing.TB, text string) *jsontree.Value {
	t.Helper()
	v, err := jsontree.NewReader([]byte(text)).ReadSingle()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &v
}

// A generator makes schemas and values from a few names, texts and numbers, so that values often fit.
type generator struct{ *rand.Rand }

func pick[T any](g generator, list ...T) T { return list[g.IntN(len(list))] }

func (g generator) value(depth int) any {
	n := 7
	if depth <= 0 {
		n = 5
	}
	switch g.IntN(n) {
	case 0:
		return pick[any](g, 0, 1, 2, 3, 5, -1, 2.5)
	case 1:
		return pick[any](g, "", "x", "ab", "abc", "q1")
	case 2:
		return pick[any](g, true, false)
	case 3:
		return nil
	case 4:
		return pick[any](g, 1, 2, "x", "ab")
	case 5:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range g.IntN(4) {
		object[pick(g, "a", "b", "c", "kind")] = g.value(depth - 1)
	}
	return object
}

func (g generator) schema(depth int) any {
	switch g.IntN(12) {
	case 0:
		return true
	case 1:
		if g.IntN(3) == 0 {
			return false
		}
	}
	s := map[string]any{}
	for range 1 + g.IntN(3) {
		g.keyword(s, depth)
	}
	return s
}

// keyword sets a random keyword of a schema.
func (g generator) keyword(s map[string]any, depth int) {
	simple := []func(){
		func() { s["type"] = pick[any](g, "string", "integer", "number", "object", "array", "null", "boolean") },
		func() {
			s["type"] = pick[any](g, []any{"string", "null"}, []any{"integer", "string"}, []any{"object", "array"})
		},
		func() { s["enum"] = []any{g.value(0), g.value(0), "only"} },
		func() { s["const"] = g.value(1) },
		func() { s[pick(g, "minimum", "exclusiveMinimum")] = pick(g, 0, 1, 2, 3) },
		func() { s[pick(g, "maximum", "exclusiveMaximum")] = pick[any](g, 1, 2, 3, 2.5) },
		func() { s["multipleOf"] = pick[any](g, 1, 2, 0.5) },
		func() { s[pick(g, "minLength", "minItems", "minProperties")] = g.IntN(3) },
		func() { s[pick(g, "maxLength", "maxItems", "maxProperties")] = g.IntN(4) },
		func() { s["pattern"] = pick(g, "^a", "b", "^[a-z]+$", `\d`) },
		func() { s["required"] = pick[any](g, []any{"a"}, []any{"a", "b"}, []any{"kind"}) },
		func() { s["uniqueItems"] = pick(g, true, false) },
		func() { s["dependentRequired"] = map[string]any{"a": []any{"b"}} },
		func() { s["$ref"] = pick(g, "#/$defs/one", "#/$defs/two") },
		func() { s["description"] = "said" },
	}
	nested := []func(){
		func() {
			s["properties"] = map[string]any{pick(g, "a", "b"): g.schema(depth - 1), pick(g, "c", "kind"): g.schema(depth - 1)}
		},
		func() {
			s["properties"] = map[string]any{"kind": map[string]any{"const": pick(g, "x", "ab")}}
			s["required"] = []any{"kind"}
		},
		func() { s["patternProperties"] = map[string]any{pick(g, "^a", "b$", "[c-z]"): g.schema(depth - 1)} },
		func() { s["additionalProperties"] = g.schema(depth - 1) },
		func() { s["additionalProperties"] = false },
		func() { s["propertyNames"] = g.schema(0) },
		func() { s["items"] = g.schema(depth - 1) },
		func() { s["prefixItems"] = []any{g.schema(depth - 1), g.schema(depth - 1)} },
		func() { s["contains"] = g.schema(depth - 1) },
		func() { s["contains"] = g.schema(depth - 1); s[pick(g, "minContains", "maxContains")] = g.IntN(3) },
		func() { s["allOf"] = []any{g.schema(depth - 1), g.schema(depth - 1)} },
		func() { s["anyOf"] = []any{g.schema(depth - 1), g.schema(depth - 1)} },
		func() { s["oneOf"] = []any{g.schema(depth - 1), g.schema(depth - 1)} },
		func() { s["not"] = g.schema(depth - 1) },
		func() {
			s["if"] = g.schema(depth - 1)
			s["then"] = g.schema(depth - 1)
			s["else"] = g.schema(depth - 1)
		},
		func() { s["dependentSchemas"] = map[string]any{"a": g.schema(depth - 1)} },
		func() { s["unevaluatedProperties"] = pick[any](g, false, true) },
	}
	if depth > 0 && g.IntN(2) == 0 {
		pick(g, nested...)()
		return
	}
	pick(g, simple...)()
}

// besideAlternatives sets alternatives that name a property and an item, next to keywords that are about all other ones.
func (g generator) besideAlternatives(in map[string]any) {
	one := func(name string) any {
		is := map[string]any{"const": name}
		return pick[any](g, map[string]any{"properties": map[string]any{"kind": is}}, map[string]any{"prefixItems": []any{is}}, map[string]any{"patternProperties": map[string]any{"^k": is}})
	}
	in[pick(g, "anyOf", "oneOf")] = []any{one("x"), one("ab")}
	in["properties"] = map[string]any{"a": g.schema(1), "kind": true}
	in["prefixItems"] = []any{true, g.schema(1)}
	in[pick(g, "additionalProperties", "unevaluatedProperties", "items")] = pick[any](g, false, g.schema(0))
}

// pickBelow puts a schema below some keyword of another schema.
func (g generator) pickBelow(in map[string]any, s any) {
	switch keyword := pick(g, "anyOf", "oneOf", "prefixItems", "patternProperties", "properties", "dependentSchemas", "items", "not", "if", "contains"); keyword {
	case "anyOf", "oneOf", "prefixItems":
		in[keyword] = []any{s, map[string]any{"enum": []any{"only"}}}
	case "patternProperties", "properties", "dependentSchemas":
		in[keyword] = map[string]any{"a": s}
	case "if":
		in[keyword] = s
		in["then"] = map[string]any{"type": "string"}
	default:
		in[keyword] = s
	}
}

// mutated is a copy of a schema with a few changes.
func (g generator) mutated(schema any, depth int) any {
	switch s := schema.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range sortedKeys(s) {
			out[k] = s[k]
			if g.IntN(3) == 0 {
				out[k] = g.mutated(s[k], depth-1)
			}
			if g.IntN(8) == 0 {
				delete(out, k)
			}
		}
		if g.IntN(6) == 0 {
			g.keyword(out, max(0, depth))
		}
		return out
	case []any:
		out := []any{}
		for _, v := range s {
			if g.IntN(3) == 0 {
				v = g.mutated(v, depth-1)
			}
			out = append(out, v)
		}
		if len(s) > 1 && g.IntN(6) == 0 {
			out = out[1:]
		}
		return out
	case int:
		return s + g.IntN(3) - 1
	}
	return schema
}

func sortedKeys(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := range i {
			if keys[i] < keys[j] {
				keys[i], keys[j] = keys[j], keys[i]
			}
		}
	}
	return keys
}

// compiled compiles a schema with an independent validator. It returns nil if the validator refuses it.
func compiled(text []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	if c.AddResource("schema.json", doc) != nil {
		return nil
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		return nil
	}
	return s
}

// TestNoWitness looks for a value that one schema takes and another one refuses, although the first is
// proven to be included in the second. An independent validator judges.
func TestNoWitness(t *testing.T) {
	pairs := jsontest.RoundCount(500, 7_000)
	for _, seed := range []uint64{1, 2, 3} {
		proven, wrong, apart := 0, 0, 0
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		for range pairs {
			inner := map[string]any{"allOf": []any{g.schema(2)}}
			if one, ok := g.schema(2).(map[string]any); ok {
				inner = one
			}
			inner["$defs"] = map[string]any{"one": g.schema(1), "two": g.schema(1)}
			outer := g.mutated(inner, 2).(map[string]any)
			if g.IntN(3) == 0 {
				// Nothing changes but what the schema refers to, from the value of some keyword.
				one := map[string]any{"$ref": pick(g, "#/$defs/one", "#/properties/b")}
				inner["properties"] = map[string]any{"b": g.schema(1)}
				g.pickBelow(inner, one)
				outer = maps.Clone(inner)
				outer["$defs"] = map[string]any{"one": g.mutated(g.schema(1), 1), "two": g.schema(1)}
				if properties, ok := outer["properties"].(map[string]any); ok && g.IntN(2) == 0 {
					properties = maps.Clone(properties)
					properties["b"] = g.schema(1)
					outer["properties"] = properties
				}
			}
			if g.IntN(4) == 0 {
				// Nothing changes but what is next to alternatives.
				g.besideAlternatives(inner)
				outer = maps.Clone(inner)
				outer["properties"] = map[string]any{"a": g.schema(1), "kind": true}
				outer["prefixItems"] = []any{true, g.schema(1)}
			}
			if outer["$defs"] == nil {
				outer["$defs"] = inner["$defs"]
			}
			a, _ := json.Marshal(inner)
			b, _ := json.Marshal(outer)
			left := compiled(a)
			right := compiled(b)
			if left == nil || right == nil || bytes.Equal(a, b) {
				continue
			}
			x := read(t, string(a))
			y := read(t, string(b))
			p := newProver(effort.NewBudget(), x, y)
			p.literal = true
			is := p.proves(x, y)
			if is {
				proven++
			}
			for range 60 {
				v := g.value(3)
				if left.Validate(v) != nil || right.Validate(v) == nil {
					continue
				}
				if is {
					witness, _ := json.Marshal(v)
					t.Errorf("seed %d: %s\nis said to be included in\n%s\nbut not %s", seed, a, b, witness)
					wrong++
				} else {
					apart++
				}
				break
			}
			if wrong > 5 {
				t.FailNow()
			}
		}
		if proven < pairs/20 || apart < pairs/20 {
			t.Errorf("seed %d: %d proven, %d told apart of %d: nothing was tested", seed, proven, apart, pairs)
		}
		t.Logf("seed %d: %d proven, %d have a witness, of %d", seed, proven, apart, pairs)
	}
}

// TestProven proves both directions of the parameters in testdata/proven.txt.
func TestProven(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/proven.txt", 4) {
		whole := func(parameter string) *jsontree.Value {
			return read(t, `{"$defs":{"E":{"enum":["x","y"],"type":"string"}},"properties":{"p":`+parameter+`},"type":"object"}`)
		}
		there, again := ProvesSubset(effort.NewBudget(), whole(row[0]), whole(row[1])), ProvesSubset(effort.NewBudget(), whole(row[1]), whole(row[0]))
		if fmt.Sprint(there) != row[2] || fmt.Sprint(again) != row[3] {
			t.Errorf("%s in %s: %v, and the other way round %v", row[0], row[1], there, again)
		}
	}
}

// TestProvenWhole has whole schemas that a reference or a dialect gives another meaning.
func TestProvenWhole(t *testing.T) {
	for _, c := range []struct{ inner, outer string }{
		{`{"anyOf":[{"type":"object"},{"type":"null"}],"properties":{"a":{"$ref":"#"}}}`, `{"properties":{"a":{"$ref":"#"}},"type":"object"}`},
		{`{"allOf":[{"properties":{"a":{"$ref":"#/allOf/0"}}}]}`, `{"allOf":[{"properties":{"a":{"$ref":"#/allOf/0"}},"type":"object"}]}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"a":{"$ref":"#"}}}}}`, `{"$ref":"#/$defs/a","type":"object","$defs":{"a":{"properties":{"a":{"$ref":"#"}}}}}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"const":1}}}`, `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"enum":[1,2]}}}`},
		{`{"properties":{"a":{"exclusiveMaximum":true}}}`, `{"properties":{"a":{"exclusiveMaximum":true,"minLength":0}}}`},
	} {
		if ProvesSubset(effort.NewBudget(), read(t, c.inner), read(t, c.outer)) {
			t.Errorf("%s in %s", c.inner, c.outer)
		}
	}
}
