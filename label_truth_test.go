package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validator returns another implementation's reading of a schema, or nil if a reference in
// the schema leads nowhere.
func validator(t testing.TB, schema *value) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("made:schema", plainJSON(t, schema)); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("made:schema")
	if missing := (*jsonschema.JSONPointerNotFoundError)(nil); err != nil && !errors.As(err, &missing) {
		t.Fatalf("%s: %v", appendJSON(nil, *schema), err)
	}
	return compiled
}

// plainJSON is a value as that implementation takes it.
func plainJSON(t testing.TB, v *value) any {
	t.Helper()
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(appendJSON(nil, *v)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A schemaMaker makes schemas at random, and says them again in another form.
type schemaMaker struct {
	*rand.Rand
	definitions []namedValue
}

func (m *schemaMaker) object(depth int) string {
	var properties, required []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if m.IntN(5) < 2 {
			properties = append(properties, strconv.Quote(name)+":"+m.schema(depth-1))
			if m.IntN(2) == 0 {
				required = append(required, strconv.Quote(name))
			}
		}
	}
	end := []string{"", "", `,"additionalProperties":true`, `,"additionalProperties":false`, `,"unevaluatedProperties":false`}[m.IntN(5)]
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]` + end + `}`
}

func (m *schemaMaker) schema(depth int) string {
	simple := []string{`{"type":"string"}`, `{"type":"string","maxLength":1}`, `{"type":"string","maxLength":2}`, `{"type":"integer","minimum":1}`,
		`{"enum":["x","yy"],"type":"string"}`, `{"type":"boolean"}`, `{"type":"boolean","description":"D"}`, `{"type":["null","string"],"maxLength":1}`, `{"type":["boolean","integer","null"]}`}
	switch n := m.IntN(9); {
	case depth > 0 && n == 0:
		first := []string{"", `"prefixItems":[` + m.schema(depth-1) + `],`}[m.IntN(2)]
		return `{"type":"array",` + first + `"items":` + m.schema(depth-1) + `}`
	case depth > 0 && n < 5:
		return m.object(depth)
	}
	return simple[m.IntN(len(simple))]
}

func objectOf(members ...namedValue) value {
	slices.SortFunc(members, func(a, b namedValue) int { return compareUTF16(a.name, b.name) })
	return value{kind: '{', parts: members}
}

// restated says the same with references, in chains too, with combinators of one schema, and
// with types as alternatives.
func (m *schemaMaker) restated(v value, at position) value {
	out := v
	out.parts = slices.Clone(v.parts)
	for i, p := range out.parts {
		out.parts[i].value = m.restated(p.value, at.below(p.name, &v.parts[i].value))
	}
	if at != atSchema || v.kind != '{' || m.IntN(3) != 0 {
		return out
	}
	if types := lookup(&out, "type"); types != nil && types.kind == '[' && m.IntN(2) == 0 {
		var alternatives []value
		for _, name := range types.items() {
			alternatives = append(alternatives, objectOf(namedValue{"type", name.value}))
		}
		m.Shuffle(len(alternatives), func(i, j int) { alternatives[i], alternatives[j] = alternatives[j], alternatives[i] })
		out = mapParts(out, func(name string, part value) (value, bool) { return part, name != "type" })
		out = objectOf(append(out.parts, namedValue{combinators[m.IntN(2)], arrayOf(alternatives...)})...)
	}
	var outside []namedValue
	if d := lookup(&out, "description"); d != nil && m.IntN(2) == 0 {
		outside = []namedValue{{"description", *d}}
		out = mapParts(out, func(name string, part value) (value, bool) { return part, name != "description" })
	}
	if m.IntN(3) == 0 {
		return objectOf(append(outside, namedValue{combinators[m.IntN(3)], arrayOf(out)})...)
	}
	refer := func(i int) value { return objectOf(namedValue{"$ref", textValue("#/$defs/" + m.definitions[i].name)}) }
	define := func() {
		m.definitions = append(m.definitions, namedValue{fmt.Sprintf("R%d", len(m.definitions)), out})
		out = refer(len(m.definitions) - 1)
	}
	if i := slices.IndexFunc(m.definitions, func(d namedValue) bool { return equalValues(d.value, out) }); i >= 0 {
		out = refer(i)
	} else if define(); m.IntN(3) == 0 {
		define() // a chain
	}
	return objectOf(append(outside, out.parts...)...)
}

func (m *schemaMaker) restatedInput(v value) value {
	m.definitions = nil
	out := m.restated(v, atSchema)
	if len(m.definitions) > 0 {
		out = objectOf(append(slices.Clone(out.parts), namedValue{"$defs", objectOf(m.definitions...)})...)
	}
	return out
}

// varied changes something: a schema becomes another, one of several, or less.
func (m *schemaMaker) varied(t testing.TB, v value, at position) value {
	v.parts = slices.Clone(v.parts)
	if at == atSchema && lookup(&v, "$defs") == nil && m.IntN(4) == 0 {
		list := []value{v, parseCanonical(t, m.schema(1)), parseCanonical(t, m.object(1))}
		m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		switch n := m.IntN(4); {
		case n < 2:
			return objectOf(namedValue{combinators[m.IntN(3)], arrayOf(list[:2+m.IntN(2)]...)})
		case n == 2 && len(v.members()) > 0:
			i := m.IntN(len(v.parts))
			v.parts = slices.Delete(v.parts, i, i+1)
			return v
		}
		return list[0]
	}
	if len(v.parts) > 0 {
		part := &v.parts[m.IntN(len(v.parts))]
		if part.value = m.varied(t, part.value, at.below(part.name, &part.value)); part.name == "$ref" {
			part.value = textValue(fmt.Sprintf("#/$defs/R%d", m.IntN(3)))
		}
	}
	return v
}

// sample makes a value that a schema takes, or one near it.
func (m *schemaMaker) sample(root, schema *value, depth int) value {
	any := func() value {
		texts := []string{`"x"`, `"yy"`, `"zzz"`, `1`, `0`, `1.5`, `true`, `null`, `[]`, `{}`, `["x"]`, `{"a":"x"}`, `{"a":1,"b":"x"}`, `{"e":1}`}
		v, _ := newJSONReader([]byte(texts[m.IntN(len(texts))])).only()
		return v
	}
	if schema == nil || schema.kind != '{' || depth == 0 || m.IntN(12) == 0 {
		return any()
	}
	for _, p := range schema.members() {
		switch {
		case p.name == "$ref":
			def, _, _ := resolveReference(root, p.value.text)
			return m.sample(root, def, depth-1)
		case slices.Contains(combinators[:], p.name) && len(p.value.items()) > 0:
			return m.sample(root, &p.value.parts[m.IntN(len(p.value.parts))].value, depth-1)
		}
	}
	switch t := textOf(lookup(schema, "type")); t {
	case "object":
		var members []namedValue
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			if p := lookup(lookup(schema, "properties"), name); p != nil && m.IntN(4) != 0 || m.IntN(8) == 0 {
				members = append(members, namedValue{name, m.sample(root, p, depth-1)})
			}
		}
		return objectOf(members...)
	case "array":
		return arrayOf(m.sample(root, lookup(schema, "items"), depth-1))
	case "string", "integer", "":
		if t == "" && m.IntN(2) == 0 {
			return any()
		}
		return textValue([]string{"x", "yy", "zzz"}[m.IntN(3)])
	}
	return any()
}

// TestLabelsAreTrue holds labels against what old and new schemas accept. A schema that
// says the same in another form has no label that says it doesn't. Where a new schema
// accepts what the old one refused, some label says so, or that it can't be told.
func TestLabelsAreTrue(t *testing.T) {
	t.Parallel()
	m := &schemaMaker{Rand: rand.New(rand.NewPCG(5, 6))}
	widened := 0
	for i := range 1_500 {
		old := parseCanonical(t, m.object(1+m.IntN(3)))
		new := m.restatedInput(old)
		same := i%4 < 2
		switch i % 4 {
		case 2:
			new = m.varied(t, new, atSchema)
		case 3:
			old, new = m.restatedInput(old), m.varied(t, m.restatedInput(old), atSchema)
		}
		tool := func(schema value) value {
			text := appendJSON(nil, objectOf(namedValue{"name", textValue("t")}, namedValue{"inputSchema", schema}))
			return parseCanonical(t, string(text))
		}
		for range 2 {
			a, b := tool(old), tool(new)
			changes := diffDefinitions(toolList, a, b)
			checkChanges(t, a, b, changes, equalValues(a, b))
			wider, list := false, ""
			for _, c := range changes {
				row := labelTable[c.label]
				list += "\n" + c.pointer + ": " + row.id
				told := row.effect == breadthWider || row.effect == breadthUnknown && row.id != "required-follows"
				wider = wider || told
				if same && (told || row.effect == breadthNarrower) {
					t.Errorf("%s\n -> %s\nis the same, but %s is labelled %s", appendJSON(nil, a), appendJSON(nil, b), c.pointer, row.id)
				}
			}
			y := lookup(&b, "inputSchema")
			before, after := validator(t, lookup(&a, "inputSchema")), validator(t, y)
			for range 40 {
				if before == nil || after == nil {
					break
				}
				v := m.sample(y, y, 8)
				input := plainJSON(t, &v)
				if v.kind != '{' || before.Validate(input) == nil || after.Validate(input) != nil {
					continue
				}
				widened++
				if !wider {
					t.Errorf("%s\n -> %s\ntakes %s, but the labels are%s", appendJSON(nil, a), appendJSON(nil, b), appendJSON(nil, v), list)
					break
				}
			}
			if t.Failed() {
				return
			}
			old, new = new, old
		}
	}
	if widened < 500 {
		t.Errorf("%d values that only the new schema takes: a poor sample", widened)
	}
}
