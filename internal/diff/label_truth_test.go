package diff

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/schema"
)

// combinators are the keywords with lists of schemas for one value.
var combinators = [...]string{"allOf", "anyOf", "oneOf"}

// validator compiles a schema with another implementation. It returns nil if a reference in
// the schema leads nowhere.
func validator(t testing.TB, schema *jsontree.Value) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("made:schema", plainJSON(t, schema)); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("made:schema")
	if missing := (*jsonschema.JSONPointerNotFoundError)(nil); err != nil && !errors.As(err, &missing) {
		t.Fatalf("%s: %v", jsontree.Append(nil, *schema), err)
	}
	return compiled
}

// plainJSON returns a value in the form that the validator takes.
func plainJSON(t testing.TB, v *jsontree.Value) any {
	t.Helper()
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsontree.Append(nil, *v)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A schemaMaker makes schemas at random, and restates them in other forms.
type schemaMaker struct {
	*rand.Rand
	definitions []jsontree.Member
	named       bool // values have only members that the schema names
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
		`{"enum":["x","yy"],"type":"string"}`, `{"type":"boolean"}`, `{"type":"boolean","description":"D"}`, `{"enum":["x",1,null]}`, `{"const":1}`, `{"type":"number","minimum":1}`, `{"type":"string"}`, `{"type":["null","string"],"maxLength":1}`, `{"type":["boolean","integer","null"]}`}
	switch n := m.IntN(9); {
	case depth > 0 && n == 0:
		first := []string{"", `"prefixItems":[` + m.schema(depth-1) + `],`}[m.IntN(2)]
		return `{"type":"array",` + first + `"items":` + m.schema(depth-1) + `}`
	case depth > 0 && n < 5:
		return m.object(depth)
	}
	return simple[m.IntN(len(simple))]
}

func objectOf(members ...jsontree.Member) jsontree.Value {
	slices.SortFunc(members, func(a, b jsontree.Member) int { return jsontree.CompareUTF16(a.Name, b.Name) })
	return jsontree.Value{Kind: '{', Parts: members}
}

// restated returns a schema that means the same as v, with references, some of them in chains, with combinators of one
// schema, and with types as alternatives.
func (m *schemaMaker) restated(v jsontree.Value, at schema.Position) jsontree.Value {
	out := v
	out.Parts = slices.Clone(v.Parts)
	for i, p := range out.Parts {
		out.Parts[i].Value = m.restated(p.Value, at.Child(p.Name, &v.Parts[i].Value))
	}
	if at != schema.AtSchema || v.Kind != '{' || m.IntN(3) != 0 {
		return out
	}
	if types := jsontree.Lookup(&out, "type"); types != nil && types.Kind == '[' && m.IntN(2) == 0 {
		var alternatives []jsontree.Value
		for _, name := range types.Items() {
			alternatives = append(alternatives, objectOf(jsontree.Member{Name: "type", Value: name.Value}))
		}
		m.Shuffle(len(alternatives), func(i, j int) { alternatives[i], alternatives[j] = alternatives[j], alternatives[i] })
		out = jsontree.FilterParts(out, func(part *jsontree.Member) bool { return part.Name != "type" })
		out = objectOf(append(out.Parts, jsontree.Member{Name: combinators[m.IntN(2)], Value: pintest.ArrayOf(alternatives...)})...)
	}
	var outside []jsontree.Member
	if d := jsontree.Lookup(&out, "description"); d != nil && m.IntN(2) == 0 {
		outside = []jsontree.Member{{Name: "description", Value: *d}}
		out = jsontree.FilterParts(out, func(part *jsontree.Member) bool { return part.Name != "description" })
	}
	if m.IntN(3) == 0 {
		return objectOf(append(outside, jsontree.Member{Name: combinators[m.IntN(3)], Value: pintest.ArrayOf(out)})...)
	}
	refer := func(i int) jsontree.Value {
		return objectOf(jsontree.Member{Name: "$ref", Value: jsontree.String("#/$defs/" + m.definitions[i].Name)})
	}
	define := func() {
		m.definitions = append(m.definitions, jsontree.Member{Name: fmt.Sprintf("R%d", len(m.definitions)), Value: out})
		out = refer(len(m.definitions) - 1)
	}
	if i := slices.IndexFunc(m.definitions, func(d jsontree.Member) bool { return jsontree.Equal(d.Value, out) }); i >= 0 {
		out = refer(i)
	} else if define(); m.IntN(3) == 0 {
		define() // a chain
	}
	return objectOf(append(outside, out.Parts...)...)
}

func (m *schemaMaker) restatedInput(v jsontree.Value) jsontree.Value {
	m.definitions = nil
	out := m.restated(v, schema.AtSchema)
	if len(m.definitions) > 0 {
		out = objectOf(append(slices.Clone(out.Parts), jsontree.Member{Name: "$defs", Value: objectOf(m.definitions...)})...)
	}
	if v.Get("type").Text == "object" && !out.Has("type") {
		out = objectOf(append(slices.Clone(out.Parts), jsontree.Member{Name: "type", Value: jsontree.String("object")})...) // MCP asks for it
	}
	return out
}

// varied changes something: it replaces a schema, makes it one of several, or leaves out a part of it.
func (m *schemaMaker) varied(t testing.TB, v jsontree.Value, at schema.Position) jsontree.Value {
	v.Parts = slices.Clone(v.Parts)
	if at == schema.AtSchema && jsontree.Lookup(&v, "$defs") == nil && m.IntN(4) == 0 {
		list := []jsontree.Value{v, pintest.CanonicalTree(t, m.schema(1)), pintest.CanonicalTree(t, m.object(1))}
		m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		switch n := m.IntN(4); {
		case n < 2:
			return objectOf(jsontree.Member{Name: combinators[m.IntN(3)], Value: pintest.ArrayOf(list[:2+m.IntN(2)]...)})
		case n == 2 && len(v.Members()) > 0:
			i := m.IntN(len(v.Parts))
			v.Parts = slices.Delete(v.Parts, i, i+1)
			return v
		}
		return list[0]
	}
	if at == schema.AtSchemaArray && len(v.Parts) > 1 && m.IntN(3) == 0 {
		i := m.IntN(len(v.Parts))
		v.Parts = slices.Delete(v.Parts, i, i+1)
		return v
	}
	if len(v.Parts) > 0 {
		part := &v.Parts[m.IntN(len(v.Parts))]
		if part.Value = m.varied(t, part.Value, at.Child(part.Name, &part.Value)); part.Name == "$ref" {
			part.Value = jsontree.String(fmt.Sprintf("#/$defs/R%d", m.IntN(3)))
		}
	}
	return v
}

// sample makes a value that a schema takes, or one near it.
func (m *schemaMaker) sample(root, s *jsontree.Value, depth int) jsontree.Value {
	any := func() jsontree.Value {
		if m.named {
			return jsontree.String([]string{"x", "yy"}[m.IntN(2)])
		}
		texts := []string{`"x"`, `"yy"`, `"zzz"`, `1`, `0`, `1.5`, `true`, `null`, `[]`, `{}`, `["x"]`, `{"a":"x"}`, `{"a":1,"b":"x"}`, `{"e":1}`}
		v, _ := jsontree.NewReader([]byte(texts[m.IntN(len(texts))])).ReadSingle()
		return v
	}
	if s == nil || s.Kind != '{' || depth == 0 || m.IntN(12) == 0 && !m.named {
		return any()
	}
	for _, p := range s.Members() {
		switch {
		case p.Name == "$ref":
			def, _, _ := schema.ResolveReference(root, p.Value.Text)
			return m.sample(root, def, depth-1)
		case slices.Contains(combinators[:], p.Name) && len(p.Value.Items()) > 0:
			return m.sample(root, &p.Value.Parts[m.IntN(len(p.Value.Parts))].Value, depth-1)
		}
	}
	switch t := jsontree.StringOf(jsontree.Lookup(s, "type")); t {
	case "object":
		var members []jsontree.Member
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			if p := jsontree.Lookup(jsontree.Lookup(s, "properties"), name); p != nil && m.IntN(4) != 0 || m.IntN(8) == 0 && !m.named {
				members = append(members, jsontree.Member{Name: name, Value: m.sample(root, p, depth-1)})
			}
		}
		return objectOf(members...)
	case "array":
		return pintest.ArrayOf(m.sample(root, jsontree.Lookup(s, "items"), depth-1))
	case "string", "integer", "":
		if t == "" && m.IntN(2) == 0 {
			return any()
		}
		return jsontree.String([]string{"x", "yy", "zzz"}[m.IntN(3)])
	}
	return any()
}

// described makes a schema whose parts have descriptions, each of its own.
func (m *schemaMaker) described(v jsontree.Value, at schema.Position, n *int) jsontree.Value {
	out := v
	out.Parts = slices.Clone(v.Parts)
	for i, p := range out.Parts {
		out.Parts[i].Value = m.described(p.Value, at.Child(p.Name, &v.Parts[i].Value), n)
	}
	if at == schema.AtSchema && v.Kind == '{' && !v.Has("description") && m.IntN(2) == 0 {
		*n++
		out = objectOf(append(out.Parts, jsontree.Member{Name: "description", Value: jsontree.String(fmt.Sprintf("D%d.", *n))})...)
	}
	return out
}

// remarks collects the descriptions in a schema by the path of the values that they are about and by which of a few
// values fit: what a reader finds, found by another way than the program's.
func remarks(t testing.TB, root, v *jsontree.Value, path string, into map[string]bool) {
	if to, _ := schema.ResolveSchema(root, jsontree.Lookup(v, "$ref")); to != nil && len(path) < 60 {
		remarks(t, root, to, path, into)
	}
	if d := jsontree.Lookup(v, "description"); d != nil {
		whole := jsontree.FilterParts(*v, func(part *jsontree.Member) bool { return part.Name != "$defs" })
		whole = objectOf(append(whole.Parts, jsontree.Member{Name: "$defs", Value: root.Get("$defs")})...)
		if whole.Get("$defs").Kind == 0 {
			whole = *v
		}
		compiled, fits := validator(t, &whole), ""
		for _, text := range []string{`"x"`, `"yy"`, `"zzz"`, `1`, `0`, `1.5`, `true`, `null`, `[]`, `["x"]`, `{}`, `{"a":"x","b":"x","c":"x","d":"x"}`, `{"a":1,"b":1,"c":1,"d":1}`} {
			if path == "" && text[0] != '{' {
				continue // an input is an object
			}
			input, _ := jsonschema.UnmarshalJSON(strings.NewReader(text))
			fits += fmt.Sprint(compiled != nil && compiled.Validate(input) == nil, " ")
		}
		into[path+" "+d.Text+" "+fits] = true
	}
	schema.EachSubschema(v, func(part *jsontree.Value, steps ...string) {
		at := path
		switch {
		case steps[0] == "$defs":
			return
		case !slices.Contains(combinators[:], steps[0]):
			at += "/" + strings.Join(steps, "/")
		}
		remarks(t, root, part, at, into)
	})
}

// TestMinorChangesAreNothing: where all changes are another form, both schemas accept the same of some values, and a
// reader finds the same in both about the same values.
func TestMinorChangesAreNothing(t *testing.T) {
	t.Parallel()
	m := &schemaMaker{Rand: rand.New(rand.NewPCG(11, 12)), named: true}
	minor, found, rounds := 0, 0, jsontest.RoundCount(400, 3_000)
	for i := range rounds {
		n := 0
		old := m.described(pintest.CanonicalTree(t, m.object(1+m.IntN(3))), schema.AtSchema, &n)
		new := m.restatedInput(old)
		if i%4 == 0 {
			old = m.restatedInput(old)
		}
		if i%2 == 0 {
			// Each text stays in the schema, but at another place.
			other := func(s string) string {
				return strings.ReplaceAll(s, fmt.Sprintf("D%d.", 1+m.IntN(1+n)), fmt.Sprintf("D%d.", 1+m.IntN(1+n)))
			}
			new = [...]func() jsontree.Value{
				func() jsontree.Value { return m.varied(t, new, schema.AtSchema) },
				func() jsontree.Value { return jsontree.MapStrings(new, other) },
				func() jsontree.Value { return m.described(new, schema.AtSchema, &n) },
			}[m.IntN(3)]()
		}
		tool := func(v jsontree.Value) jsontree.Value {
			return pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+string(jsontree.Append(nil, v))+`}`)
		}
		a, b := tool(old), tool(new)
		changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, a, b)
		found++
		if len(changes) == 0 || slices.ContainsFunc(changes, func(c Change) bool { return c.Label != label.EquivalentForm }) {
			continue
		}
		minor++
		before, after := jsontree.Lookup(&a, "inputSchema"), jsontree.Lookup(&b, "inputSchema")
		read := [2]map[string]bool{{}, {}}
		remarks(t, before, before, "", read[0])
		remarks(t, after, after, "", read[1])
		if !maps.Equal(read[0], read[1]) {
			t.Fatalf("%s\n -> %s\nis another form, but is read as\n%v\n%v", jsontree.Append(nil, a), jsontree.Append(nil, b), read[0], read[1])
		}
		takes, is := validator(t, before), validator(t, after)
		for j := range 40 {
			from := [2]*jsontree.Value{before, after}[j%2]
			v := m.sample(from, from, 8)
			input := plainJSON(t, &v)
			if v.Kind == '{' && (takes.Validate(input) == nil) != (is.Validate(input) == nil) {
				t.Fatalf("%s\n -> %s\nis another form, but not for %s", jsontree.Append(nil, a), jsontree.Append(nil, b), jsontree.Append(nil, v))
			}
		}
	}
	if minor < rounds/20 {
		t.Errorf("only %d of %d pairs are another form: a poor sample", minor, found)
	}
	t.Logf("%d of %d pairs are another form", minor, found)
}

// TestLabelsAreTrue checks labels against what old and new schemas accept. If a schema means the same in
// another form, no label may deny that. If a new schema accepts what the old one refused, some label must
// report that, or that it can't be decided.
func TestLabelsAreTrue(t *testing.T) {
	t.Parallel()
	m := &schemaMaker{Rand: rand.New(rand.NewPCG(5, 6)), named: true}
	widened, unproven, rounds := 0, 0, jsontest.RoundCount(400, 1_500)
	for i := range rounds {
		old := pintest.CanonicalTree(t, m.object(1+m.IntN(3)))
		new := m.restatedInput(old)
		same := i%4 < 2
		switch i % 4 {
		case 2:
			new = m.varied(t, new, schema.AtSchema)
		case 3:
			old, new = m.restatedInput(old), m.varied(t, m.restatedInput(old), schema.AtSchema)
		}
		tool := func(schema jsontree.Value) jsontree.Value {
			text := jsontree.Append(nil, objectOf(jsontree.Member{Name: "name", Value: jsontree.String("t")}, jsontree.Member{Name: "inputSchema", Value: schema}))
			return pintest.CanonicalTree(t, string(text))
		}
		for range 2 {
			a, b := tool(old), tool(new)
			changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, a, b)
			checkChanges(t, a, b, changes, jsontree.Equal(a, b))
			wider, breaks, list := false, false, ""
			for _, c := range changes {
				list += "\n" + c.Pointer + ": " + c.Label.ID()
				// What an alternative leaves open, nobody sends: the proof takes it so, and the review shows the
				// alternative.
				wider = wider || strings.Contains(c.Pointer, "Of") || c.Label == label.OtherMember || c.Label == label.ParameterRemoved || c.Label.AffectsValues() && c.Label != label.ConstraintTightened && c.Label != label.EnumValueRemoved && c.Label != label.InputClosed
				breaks = breaks || c.Severity == label.Breaking
			}
			y := jsontree.Lookup(&b, "inputSchema")
			if same && breaks {
				unproven++
			}
			before, after := validator(t, jsontree.Lookup(&a, "inputSchema")), validator(t, y)
			for range 40 {
				if before == nil || after == nil {
					break
				}
				v := m.sample(y, y, 8)
				input := plainJSON(t, &v)
				if v.Kind != '{' || before.Validate(input) == nil || after.Validate(input) != nil {
					continue
				}
				widened++
				if !wider {
					t.Errorf("%s\n -> %s\ntakes %s, but the labels are%s", jsontree.Append(nil, a), jsontree.Append(nil, b), jsontree.Append(nil, v), list)
					break
				}
			}
			if t.Failed() {
				return
			}
			old, new = new, old
		}
	}
	if widened < rounds/5 {
		t.Errorf("%d values that only the new schema takes: a poor sample", widened)
	}
	if unproven > rounds/10 {
		t.Errorf("%d of %d changes of form are breaking: the proof finds too little", unproven, rounds)
	}
	t.Logf("%d of %d changes of form are breaking", unproven, rounds)
}

// TestSeveritiesOfRandomSchemas checks severities against what old and new schemas accept. If the new
// input refuses a call that the old one accepted, or the new output accepts a result that the old one
// refused, some change must be breaking. A schema promises nothing about names that it doesn't have: a
// new parameter, and a new member of a result, break nothing.
func TestSeveritiesOfRandomSchemas(t *testing.T) {
	t.Parallel()
	m := &schemaMaker{Rand: rand.New(rand.NewPCG(9, 10)), named: true}
	var refused [2]int
	rounds := jsontest.RoundCount(300, 3_000)
	for i := range rounds {
		old := pintest.CanonicalTree(t, m.object(1+m.IntN(3)))
		new := m.restatedInput(old)
		if i%3 > 0 {
			new = m.varied(t, new, schema.AtSchema)
		}
		if i%3 > 1 {
			old = m.restatedInput(old)
		}
		old, new = pintest.CanonicalTree(t, string(jsontree.Append(nil, old))), pintest.CanonicalTree(t, string(jsontree.Append(nil, new)))
		for turn := range 2 {
			before, after := validator(t, &old), validator(t, &new)
			for side, member := range []string{"inputSchema", "outputSchema"} {
				tool := func(v jsontree.Value) jsontree.Value {
					return objectOf(jsontree.Member{Name: "name", Value: jsontree.String("t")}, jsontree.Member{Name: member, Value: v})
				}
				changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, tool(old), tool(new))
				worst, list, added := label.NoEffect, "", false
				for _, c := range changes {
					worst, added = max(worst, c.Severity), added || c.Label == label.OutputExtended || c.Label == label.ParameterAdded
					list += fmt.Sprintf("\n%s: %s, %s", c.Pointer, c.Label.ID(), c.Severity)
				}
				from, takes, refuses := &old, before, after
				if side == 1 {
					from, takes, refuses = &new, after, before
				}
				for range 30 {
					v := m.sample(from, from, 8)
					input := plainJSON(t, &v)
					if takes == nil || refuses == nil || v.Kind != '{' || takes.Validate(input) != nil || refuses.Validate(input) == nil {
						continue
					}
					refused[side]++
					if worst != label.Breaking && !(added && side == 1) {
						t.Fatalf("turn %d: %s\n -> %s\n%s breaks %s, but is%s", turn, jsontree.Append(nil, old), jsontree.Append(nil, new), member, jsontree.Append(nil, v), list)
					}
				}
			}
			old, new = new, old
		}
	}
	if min(refused[0], refused[1]) < rounds*2/3 {
		t.Errorf("%d values that break: a poor sample", refused)
	}
}

// TestJudgedBySchema: a change outside of the schemas isn't judged with them, though its name begins like theirs.
func TestJudgedBySchema(t *testing.T) {
	old := pintest.ParseTree(t, `{"inputSchema":{"$schema":"x:a","x-odd":1},"inputSchemaExtra":1}`)
	new := pintest.ParseTree(t, `{"inputSchema":{"$schema":"x:a","x-odd":2},"inputSchemaExtra":2}`)
	want := map[string]label.Severity{"/inputSchema/x-odd": label.Breaking, "/inputSchemaExtra": label.Behaviour}
	changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, old, new)
	for _, c := range changes {
		if c.Severity != want[c.Pointer] {
			t.Errorf("%s is %s", c.Pointer, c.Severity)
		}
		delete(want, c.Pointer)
	}
	if len(want) > 0 {
		t.Errorf("no change at %v", want)
	}
}
