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

// A frame is what the two sides of a case in testdata/labels.txt are put into. Its prefix is cut from the pointers.
var frames = map[string]struct {
	entryType    pin.EntryType
	text, prefix string
}{
	"tool":         {pin.Tools, `{"name":"t"%s}`, ""},
	"schema":       {pin.Tools, `{"name":"t","inputSchema":{%s}}`, "/inputSchema"},
	"param":        {pin.Tools, `{"name":"t","inputSchema":{"properties":{"p":{%s}}}}`, "/inputSchema/properties/p"},
	"result":       {pin.Tools, `{"name":"t","outputSchema":{%s}}`, "/outputSchema"},
	"input":        {pin.Tools, `{"name":"t","inputSchema":{"type":"object",%s}}`, ""},
	"output":       {pin.Tools, `{"name":"t","outputSchema":{"type":"object",%s}}`, ""},
	"prompt":       {pin.Prompts, `{"name":"p"%s}`, ""},
	"resource":     {pin.Resources, `{"uri":"log:"%s}`, ""},
	"tools":        {pin.Tools, "%s", ""},
	"prompts":      {pin.Prompts, "%s", ""},
	"resources":    {pin.Resources, "%s", ""},
	"templates":    {pin.Templates, "%s", ""},
	"skills":       {pin.Skills, "%s", ""},
	"instructions": {pin.Instructions, "%s", ""},
}

// TestLabels has the labels and severities of the changes in testdata/labels.txt, and whether they have something to
// read.
func TestLabels(t *testing.T) {
	seen := map[string]bool{label.TooManyChanges.ID(): true} // see TestTooManyChanges
	for _, lines := range jsontest.ReadParagraphs(t, "testdata/labels.txt") {
		c := map[byte]string{}
		for _, line := range lines {
			c[line[0]] = strings.TrimPrefix(line[1:], " ")
		}
		in := frames[c['=']]
		old, new := fmt.Sprintf(in.text, c['-']), fmt.Sprintf(in.text, c['+'])
		changes, _ := CompareDefinitions(effort.NewBudget(), in.entryType, pintest.CanonicalTree(t, old), pintest.CanonicalTree(t, new))
		back, _ := CompareDefinitions(effort.NewBudget(), in.entryType, pintest.CanonicalTree(t, new), pintest.CanonicalTree(t, old))
		severity := SeverityOf(&pin.Drift{Kind: pin.DriftChanged, Key: pin.Key{Type: in.entryType}}, changes)
		says := "nothing"
		if slices.ContainsFunc(changes, func(c Change) bool { return c.HasText() }) {
			says = "something"
		}
		got := map[byte]string{'>': labelled(changes, in.prefix), '<': labelled(back, in.prefix), '!': severity.String(), '?': says}
		if c['!'] == "not breaking" && severity != label.Breaking {
			got['!'] = c['!']
		}
		for mark, is := range got {
			if want, has := c[mark]; has && is != want {
				t.Errorf("%s\n -> %s\n got %c %s\nwant %s", old, new, mark, is, want)
			}
		}
		labellingHolds(t, in.entryType, old, new)
		for _, change := range slices.Concat(changes, back) {
			seen[change.Label.ID()] = true
		}
	}
	for _, l := range label.All() {
		if !seen[l.ID()] {
			t.Errorf("no case has the label %q", l.ID())
		}
	}
}

// labelled lists changes as "POINTER: LABEL", in their order. It cuts a prefix from the pointers.
func labelled(changes []Change, prefix string) string {
	var list []string
	for _, c := range changes {
		list = append(list, strings.TrimPrefix(c.Pointer, prefix)+": "+c.Label.ID())
	}
	return strings.Join(list, "; ")
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
		"", "$comment", "$defs", "$dynamicRef", "$id", "$ref", "$schema", "additionalItems", "additionalProperties", "allOf", "anyOf", "const",
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
			switch schema.KeywordPosition(k) {
			case schema.AtSchema:
				v = sub()
			case schema.AtSchemaArray:
				v = list(r.IntN(3), sub)
			case schema.AtSchemaMap, schema.AtProperties:
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

// labellingHolds checks what is true of the changes and labels of any two definitions.
func labellingHolds(t testing.TB, entryType pin.EntryType, old, new string) {
	t.Helper()
	a, b := pintest.CanonicalTree(t, old), pintest.CanonicalTree(t, new)
	changes, _ := CompareDefinitions(effort.NewBudget(), entryType, a, b)
	checkChanges(t, a, b, changes, string(jsontree.Append(nil, a)) == string(jsontree.Append(nil, b)))
	for i, c := range changes {
		if i > 0 && changes[i-1].Label > c.Label {
			t.Errorf("%s\n -> %s\n%s is out of order", old, new, c.Pointer)
		}
	}
	if again, _ := CompareDefinitions(effort.NewBudget(), entryType, a, b); !reflect.DeepEqual(again, changes) {
		t.Errorf("%s\n -> %s\nlabels differ from run to run", old, new)
	}
}

func TestLabelsOfRandomSchemas(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	m := &schemaMaker{Rand: r}
	for i := range jsontest.RoundCount(200, 600) {
		old := `{"name":"t","inputSchema":` + randomSchema(r, 3) + `,"outputSchema":` + randomSchema(r, 1) + `,"annotations":` + randomSchema(r, 1) + `}`
		fresh := func() jsontree.Value { return pintest.CanonicalTree(t, randomSchema(r, 2)) }
		v := pintest.CanonicalTree(t, old)
		if i%2 == 0 {
			v = jsontree.FilterParts(v, func(part *jsontree.Member) bool {
				if part.Name == "inputSchema" && part.Kind == '{' && !part.Has("$defs") {
					part.Value = m.restatedInput(part.Value)
				}
				return true
			})
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
			if _, err := jsontree.NewReader([]byte(text)).ReadSingle(); err != nil {
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
	n, budget := jsontest.RoundCount(MaxChanges/4, MaxChanges-1), jsontest.RoundCount(6_000_000, 48_000_000)
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
		{"parameters in alternatives", `{"properties":{"p":{"properties":{` + repeat(`"p#":{}`) + `}}}}`, `{"properties":{"p":{"anyOf":[` + repeat(`{"properties":{"p#":{},"q#":{}}}`) + `]}}}`, "parameter-added"},
		{"parameters under a long name", `{"properties":{"p":{"properties":{"` + strings.Repeat("x", budget/48) + `":{"properties":{` + repeat(`"p#":{}`) + `}}}}}}`,
			`{"properties":{"p":{"anyOf":[{"properties":{"` + strings.Repeat("x", budget/48) + `":{"properties":{` + repeat(`"p#":{}`) + `}}}},{"type":"null"}]}}}`, "other-member"},
		{"alternatives that move", `{"properties":{"p":{"anyOf":[` + repeat(`{"enum":["#"]}`) + `]}}}`, `{"properties":{"p":{"anyOf":[{"enum":["x"]},` + repeat(`{"enum":["#",7]}`) + `]}}}`, "values-changed"},
		{"new parameters", `{"properties":{}}`, `{"properties":{` + optional + `},"required":[` + names + `]}`, "required-parameter-added"},
		{"changed parameters", `{"properties":{` + optional + `}}`, `{"properties":{` + strings.ReplaceAll(optional, "string", "null") + `}}`, "values-changed"},
		{"required", `{"properties":{` + optional + `}}`, `{"properties":{` + optional + `},"required":[` + names + `]}`, "parameter-required"},
		{"enum", `{"enum":[{}]}`, `{"enum":[{},` + repeat(`"#"`) + `]}`, "enum-added"},
		{"enum of scalars", `{"enum":[1]}`, `{"enum":[1,` + repeat(`"#"`) + `]}`, "enum-added"},
		{"references in a long circle", `{"$ref":"#/$defs/d0","$defs":{` + chain.String() + `"x":{}}}`, `{"$ref":"#/$defs/d0","$defs":{"x":{}}}`, "other-member"},
		{"references that double", `{"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` + doubling.String() + `"d90":{}}}`,
			`{"properties":{"p":{"anyOf":[{"$ref":"#/$defs/d0"}]}},"$defs":{` + doubling.String() + `"d90":{}}}`, "other-form"},
		{"references to one", `{"allOf":[` + repeat(`{"$ref":"#"}`) + `]}`, `{"allOf":[` + repeat(`{"$ref":"#","maxLength":1}`) + `]}`, "values-changed"},
		{"allOf", `{"properties":{` + repeat(`"p#":{}`) + `},"allOf":[{}]}`, `{"properties":{` + repeat(`"p#":{}`) + `},"allOf":[{},` + repeat(`{"minLength":1}`) + `]}`, "values-changed"},
		{"deep", deep(`{"properties":{}}`), deep(`{"properties":{` + repeat(`"p#":{}`) + `}}`), "parameter-added"},
		{"pattern properties", `{"additionalProperties":false,"patternProperties":{}}`, `{"additionalProperties":false,"patternProperties":{` + repeat(`"p#":{}`) + `}}`, "constraint-loosened"},
	}
	for _, c := range cases {
		old := pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+c.old+`}`)
		new := pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+c.new+`}`)
		for range 2 {
			changes, _ := CompareDefinitions(effort.BudgetOf(budget), pin.Tools, old, new)
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
	jsontest.SkipShort(t, "it compares releases of real servers")
	servers := pintest.CapturePaths(t, "*/*.*.*.json")
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
		pins := pintest.ReadPins(t, path, filepath.Base(filepath.Dir(path)))
		if pins.Server == last.Server {
			for _, old := range last.Pins {
				if new := pins.Find(old.Key); new != nil && new.Digest != old.Digest {
					labellingHolds(t, pin.Tools, string(old.Definition), string(new.Definition))
					a, b := jsontree.ParseTrusted(old.Definition), jsontree.ParseTrusted(new.Definition)
					changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, a, b)
					for _, c := range changes {
						counts[c.Label]++
					}
				}
			}
		}
		last = pins
	}
	for _, l := range label.All() {
		t.Logf("%5d  %s", counts[l], l.EntryPhrase())
	}
}
