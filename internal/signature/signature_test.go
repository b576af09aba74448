package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// signed lays out an entry in a simple way.
func signed(entryType pin.EntryType, definition jsontree.Value) string {
	var b strings.Builder
	for _, l := range Describe(entryType, definition, newRoom()) {
		indent := strings.Repeat("  ", l.Depth)
		if head := strings.TrimSpace(l.Name + "  " + l.Phrase); head != "" {
			b.WriteString(indent + head + "\n")
			indent += "  "
		}
		for _, line := range layout.ValueLines('=', l.Text, false) {
			b.WriteString(indent + "| " + line.Runs[0].Text + "\n")
		}
		for _, line := range layout.ValueLines('=', l.UnshownKeywords, false) {
			b.WriteString(strings.Repeat("  ", l.Depth+1) + "| " + line.Runs[0].Text + "\n")
		}
	}
	return b.String()
}

func TestSignature(t *testing.T) {
	const tool = `{"name":"run_code","title":"Run code","description":"Runs a snippet.\nIn the page.",
		"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true,"idempotentHint":false,"title":"Run!"},
		"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["code","level"],"additionalProperties":false,"properties":{
			"code":{"type":"string","description":"JavaScript to run.","minLength":1},
			"level":{"enum":["low","high"]},
			"timeout":{"type":"integer","minimum":1,"maximum":600,"default":30,"title":"Timeout"},
			"tags":{"type":"array","items":{"type":"string"},"maxItems":100},
			"where":{"type":["object","null"],"properties":{"url":{"type":"string","format":"uri"}},"x-odd":1},
			"either":{"anyOf":[{"type":"string"},{"type":"null"}]}}},
		"outputSchema":{"type":"object"},"_meta":{"a":1},"more":{"b":"c"}}`
	const want = `destructive
writes
open world
not idempotent
annotations.title
  | Run!
| Runs a snippet.
| In the page.
(input)  closed
  code  string, required, minLength 1
    | JavaScript to run.
  level  required, "low" | "high", no type
  either  any of string, null
  tags  array of string, maxItems 100
  timeout  integer 1..600 = 30
  where  object or null
    | {"x-odd":1}
    url  string, format "uri"
returns  object
_meta
  | {"a":1}
/more
  | {"b":"c"}
`
	if got := signed(pin.Tools, pintest.ParseTree(t, tool)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestEmptyDescription: an empty description is a part of the definition, too.
func TestEmptyDescription(t *testing.T) {
	const with, without = `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":""}}}}`,
		`{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`
	if got := signed(pin.Tools, pintest.ParseTree(t, with)); got == signed(pin.Tools, pintest.ParseTree(t, without)) {
		t.Errorf("nothing shows or names it:\n%s", got)
	}
}

// TestOddRequired: "required" that isn't a list of parameters means something else, and is shown.
func TestOddRequired(t *testing.T) {
	for definition, want := range map[string]string{
		`{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string","required":true}}}}`: "(input)  object\n  a  string\n    | {\"required\":true}\n",
		`{"name":"t","inputSchema":{"type":"object","required":null,"properties":{"a":{}}}}`:                "(input)  object\n  | {\"required\":null}\n  a  any value\n",
		`{"name":"t","inputSchema":{"type":"object","required":[],"properties":{"a":{}}}}`:                  "(input)  object\n  a  any value\n",
		`{"name":"t","inputSchema":{"properties":{"":{},"a":{}},"required":["a"]}}`:                         "(input)  no type\n  a  required\n  \"\"  any value\n", // one has no name
	} {
		if got := signed(pin.Tools, pintest.ParseTree(t, definition)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", definition, got, want)
		}
	}
	const argument = `{"name":"p","arguments":[{"name":"a","required":"yes"}]}`
	if got := signed(pin.Prompts, pintest.ParseTree(t, argument)); got != "a\n  | {\"required\":\"yes\"}\n" {
		t.Error(got)
	}
}

// newRoom returns the room of a run.
func newRoom() *int { room := MaxPointers; return &room }

// TestManyLongPointers: the pointers of all lines have a limit in total. Beyond it, a schema is shown as JSON, with what
// it requires.
func TestManyLongPointers(t *testing.T) {
	var properties strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&properties, `"p%d":true,`, i)
	}
	inside := `{"type":"object","properties":{` + properties.String() + `"last":{"type":"string"}},"required":["last"]}`
	lines := Describe(pin.Tools, pintest.CanonicalTree(t, `{"name":"t","inputSchema":{"type":"object","properties":{"`+strings.Repeat("n", 900)+`":`+inside+`}}}`), newRoom())
	last := lines[len(lines)-1]
	if len(lines) != 2 || last.UnshownKeywords.Get("required").Items()[0].Text != "last" || len(last.UnshownKeywords.Get("properties").Parts) != 20_001 {
		t.Errorf("%d lines, and the last one shows %s", len(lines), jsontree.Append(nil, last.UnshownKeywords)[:100])
	}
	if lines = Describe(pin.Tools, pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+inside+`}`), newRoom()); len(lines) != 20_002 {
		t.Errorf("%d lines with short pointers", len(lines))
	}
	// All definitions of a run share the room.
	room, counts := newRoom(), []int{}
	for range 3 {
		properties := `{"properties":{"` + strings.Repeat("n", 80) + `":` + inside + `}}`
		counts = append(counts, len(Describe(pin.Tools, pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+properties+`}`), room)))
	}
	if counts[0] < 20_000 || counts[2] > 10 {
		t.Errorf("descriptions of %d lines", counts)
	}
}

// TestParameterReturns: a parameter that is called like the result is described like any other.
func TestParameterReturns(t *testing.T) {
	const tool = `{"name":"t","inputSchema":{"type":"object","properties":{"returns":{"type":"object","additionalProperties":false},"code":{"type":"object","additionalProperties":false}}},
		"outputSchema":{"type":"object","additionalProperties":false}}`
	if got, want := signed(pin.Tools, pintest.ParseTree(t, tool)), "(input)  object\n  code  object, closed\n  \"returns\"  object, closed\nreturns  closed\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPhrases: a type that the values show isn't repeated, and a type that they don't show is.
func TestPhrases(t *testing.T) {
	seen := map[string]string{}
	for _, tt := range []struct{ schema, want string }{
		{`{"enum":["a","b"],"type":"string"}`, `"a" | "b"`},
		{`{"enum":["a","b"]}`, `"a" | "b", no type`},
		{`{"enum":["a",1],"type":"string"}`, `string, "a" | 1`},
		{`{"enum":["a","b"],"type":["string","null"]}`, `string or null, "a" | "b"`},
		{`{"enum":["a","b"],"type":["string"]}`, `"a" | "b"
    | {"type":["string"]}`},
		{`{"const":"a","type":"string"}`, `always "a"`},
		{`{"const":"a"}`, `always "a", no type`},
		{`{"const":1,"type":"number"}`, `always 1`},
		{`{"const":1,"type":"integer"}`, `integer, always 1`},
		{`{"const":true,"type":"boolean"}`, `always true`},
		{`{"const":null,"type":"null"}`, `always null`},
		{`{"anyOf":[{"const":1,"type":"number"},{"const":"up","type":"string"},{"type":"null"}]}`, `any of 1, "up", null`},
		{`{"anyOf":[{"const":1,"type":"integer"},{"enum":["up"],"type":"string"},{"const":null,"type":"null"}]}`, `any of (integer, always 1), ("up"), (always null)`},
		{`{"minLength":1,"maxLength":64,"type":"string"}`, `string, length 1..64`},
		{`{"minLength":24,"maxLength":24,"type":"string"}`, `string, length 24`},
		{`{"maxLength":24,"type":"string"}`, `string, maxLength 24`},
	} {
		definition := `{"name":"t","inputSchema":{"type":"object","properties":{"p":` + tt.schema + `}}}`
		got := signed(pin.Tools, pintest.ParseTree(t, definition))
		if got != "(input)  object\n  p  "+tt.want+"\n" {
			t.Errorf("%s: got %s, want %s", tt.schema, got, tt.want)
		}
		if other := seen[got]; other != "" {
			t.Errorf("%s reads as %s", tt.schema, other)
		}
		seen[got] = tt.schema
	}
}

// TestRoots: an input and an output are objects, which isn't repeated.
func TestRoots(t *testing.T) {
	for definition, want := range map[string]string{
		`{"inputSchema":{"type":"object","additionalProperties":false}}`:                         "(input)  closed\n",
		`{"inputSchema":{"additionalProperties":false}}`:                                         "(input)  no type, closed\n",
		`{"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`:                 "(input)  object\n  a  string\n",
		`{"inputSchema":{"properties":{"a":{"type":"string"}}}}`:                                 "(input)  no type\n  a  string\n",
		`{"outputSchema":{"type":"array","items":{"type":"string"}}}`:                            "returns  array of string\n",
		`{"outputSchema":{"type":["object","null"],"additionalProperties":false}}`:               "returns  object or null, closed\n",
		`{"outputSchema":{"type":"object","properties":{"a":{"type":"string"}},"title":"Tide"}}`: "returns  object\n  | {\"title\":\"Tide\"}\n  a  string\n",
	} {
		if got := signed(pin.Tools, pintest.ParseTree(t, definition)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", definition, got, want)
		}
	}
}

func TestSignatureOfOthers(t *testing.T) {
	for _, test := range []struct {
		entryType        pin.EntryType
		definition, want string
	}{
		{pin.Prompts, `{"name":"review_code","title":"Review code","description":"Reviews a change.","icons":[{"src":"a"}],"arguments":[
			{"name":"url","description":"Where it is.","required":true,"title":"URL"},
			{"name":"tone of it","description":"kind\nor strict","required":false},
			{"name":"more","schema":{"type":"string"}},
			{"name":"to","type":"number","required":true},
			{"name":"last","description":""}]}`,
			`| Reviews a change.
url  required
  | Where it is.
"tone of it"  optional
  | kind
  | or strict
more
  | {"schema":{"type":"string"}}
to  number, required
last
  | {"description":""}
icons
  | [{"src":"a"}]
`},
		{pin.Prompts, `{"name":"p","arguments":[{"description":"It has no name."}]}`,
			`arguments
  | [{"description":"It has no name."}]
`},
		{pin.Resources, `{"uri":"file:///log","name":"the log","description":"Of today.","mimeType":"text/plain","size":1234,
			"annotations":{"audience":["user","assistant"],"priority":0.5,"odd":true},"_meta":{},"text":"unusual"}`,
			`name
  | the log
annotations.audience
  | ["user","assistant"]
annotations.odd
  | true
annotations.priority
  | 0.5
| Of today.
_meta
  | {}
mimeType
  | text/plain
size
  | 1234
/text
  | unusual
`},
		{pin.Templates, `{"uriTemplate":"file:///{path}","name":"files","title":"Files","mimeType":["a"]}`,
			`name
  | files
title
  | Files
mimeType
  | ["a"]
`},
	} {
		if got := signed(test.entryType, pintest.ParseTree(t, test.definition)); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

// madeEntry makes an entry with the members that entries of its list have, some of them with
// values that nobody expects there.
func madeEntry(m jsontest.Maker, entryType pin.EntryType) string {
	parts := []string{strconv.Quote(pin.EntryTypeInfo[entryType].Identity) + `:"t"`}
	members := [][2]string{
		{"title", m.Pick(`"T"`, `"Tee"`, `5`, `"5"`)},
		{"description", m.Pick(`"Runs."`, `"{\"a\": 1}"`, `{"a":1}`, `"null"`, `null`, `"a\nb"`, `"[1,\n2]"`, `[1,2]`, `""`)},
		{"annotations", m.Pick(`{}`, `{"readOnlyHint":true}`, `{"readOnlyHint":"true"}`, `{"destructiveHint":false,"title":"T"}`, `{"x":1}`, `true`,
			`{"audience":["user"],"priority":0.5}`, `{"audience":"user","priority":"0.5"}`, `{"lastModified":"today"}`)},
		{"outputSchema", madeSchema(m, 0)},
		{"_meta", m.JSON(1)},
		{"other", m.JSON(1)},
		{"inputSchema", madeSchema(m, 2)},
	}
	if entryType != pin.Tools { // only tools have an input schema
		members[len(members)-1] = [2]string{"arguments", madeArguments(m)}
		members = append(members, [2]string{"size", m.Pick(`5`, `"5"`, `null`)}, [2]string{"mimeType", m.Pick(`"a/b"`, `["a/b"]`, `5`)})
	}
	if entryType > pin.Prompts {
		members = append(members, [2]string{"name", m.Pick(`"T"`, `"t"`, `5`, `["T"]`)})
	}
	for _, member := range members {
		if m.IntN(3) > 0 {
			parts = append(parts, strconv.Quote(member[0])+":"+member[1])
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func madeArguments(m jsontest.Maker) string {
	one := func() string {
		return `{"name":` + m.Pick(`"a"`, `"b"`, `"a"`, `"b c"`) + m.Pick(``, `,"required":true`, `,"required":false`, `,"required":"true"`, `,"required":null`) +
			m.Pick(``, `,"description":"Text."`, `,"description":""`, `,"description":5`, `,"description":"required"`) + m.Pick(``, `,"title":"A"`, `,"title":"Other"`, `,"title":5`, `,"x":1`) + `}`
	}
	return m.Pick(`[`+one()+`]`, `[`+one()+`,`+one()+`,`+one()+`]`, `[]`, `{}`, `[{}]`, `["a"]`, `[{"name":5}]`, `[{"name":""}]`)
}

func madeSchema(m jsontest.Maker, depth int) string {
	if m.IntN(12) == 0 || depth < 0 {
		return m.Pick(`{}`, `true`, `false`, `null`, `"string"`, `[]`)
	}
	if m.IntN(8) == 0 { // what fits on the line around it
		return m.Pick(`{"type":"integer","minimum":`+m.Pick(`1`, `2`)+`,"maximum":`+m.Pick(`5`, `7`)+`}`, `{"type":"string","maxLength":`+m.Pick(`5`, `7`)+`}`, `{"type":"`+m.Pick(`string`, `number`)+`"}`)
	}
	var parts []string
	add := func(often int, name string, value func() string) {
		if m.IntN(often) == 0 {
			parts = append(parts, strconv.Quote(name)+":"+value())
		}
	}
	pick := func(values ...string) func() string { return func() string { return m.Pick(values...) } }
	below := func() string { return madeSchema(m, depth-1) }
	named := func() string {
		a, b := below(), below()
		return m.Pick(`{"a":`+a+`}`, `{"a":`+a+`,"b c":`+b+`}`, `{"title":`+a+`,"a":`+b+`}`, `{}`, `[]`, `{"":`+a+`,"`+strings.Repeat("x", 130)+`":{}}`)
	}
	list := func() string {
		a := below()
		return m.Pick(`[`+a+`]`, `[`+a+`,`+madeSchema(m, 0)+`]`, `[]`, `{}`)
	}
	add(2, "type", pick(`"object"`, `"object"`, `"string"`, `"integer"`, `"array"`, `["string","null"]`, `["string"]`, `"odd"`, `[]`, `5`))
	add(3, "description", pick(`"Text."`, `"Other text."`, `"5"`, `5`, `""`, `"`+strings.Repeat("long ", 40)+`"`))
	add(5, "title", pick(`"A"`, `"a"`, `"Other"`, `5`))
	add(2, "properties", named)
	add(3, "required", pick(`["a"]`, `["a","b c"]`, `["b c","a"]`, `["c"]`, `["a","a"]`, `[]`, `true`))
	add(4, "additionalProperties", func() string { return m.Pick(`true`, `false`, `{}`, `"Text."`, `5`, `[]`, below()) })
	add(4, "items", func() string { return m.Pick(below(), list()) })
	add(5, "anyOf", list)
	add(5, "oneOf", list)
	add(6, "allOf", list)
	add(6, "$defs", named)
	add(4, "enum", pick(`["a","b"]`, `["a"]`, `[1,"1"]`, `[]`, `"a"`))
	add(6, "const", pick(`"a"`, `1`, `"1"`, `null`))
	add(4, "default", pick(`"a"`, `1`, `"1"`, `null`, `{}`, `"`+strings.Repeat("x", 200)+`"`))
	add(5, "format", pick(`"uri"`, `"date"`, `5`))
	add(5, "pattern", pick(`"^a$"`, `"b, format \"uri\""`, `5`))
	for _, keyword := range []string{"minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems", "multipleOf"} {
		add(6, keyword, pick(`0`, `1`, `5`, `-3`, `"1"`, `true`))
	}
	add(8, "uniqueItems", pick(`true`, `false`))
	add(8, "deprecated", pick(`true`, `false`))
	add(8, "$schema", pick(`"https://json-schema.org/draft/2020-12/schema"`, `"other"`))
	add(8, "$ref", pick(`"#/$defs/a"`, `5`))
	add(8, "not", below)
	return "{" + strings.Join(parts, ",") + "}"
}

// edited changes one value somewhere in a tree of an entry: it replaces it, leaves it out, or
// puts one next to it.
func edited(t *testing.T, m jsontest.Maker, v jsontree.Value) jsontree.Value {
	v.Parts = append([]jsontree.Member(nil), v.Parts...)
	if len(v.Parts) == 0 {
		return pintest.ParseTree(t, m.Pick(`true`, `"x"`, `""`, `{"type":"string"}`, `["a"]`, `7`))
	}
	i := m.IntN(len(v.Parts))
	switch {
	case v.Parts[i].Value.Text == "t": // its identity
	case m.IntN(4) > 0:
		v.Parts[i].Value = edited(t, m, v.Parts[i].Value)
	case m.IntN(3) == 0:
		v.Parts = append(v.Parts[:i:i], v.Parts[i+1:]...)
	case m.IntN(2) == 0:
		v.Parts[i].Value = pintest.ParseTree(t, madeSchema(m, 1))
	case v.Kind == '[':
		v.Parts = append(v.Parts, v.Parts[i])
	case !v.Has("new"):
		v.Parts = append(v.Parts, jsontree.Member{Name: "new", Value: pintest.ParseTree(t, madeSchema(m, 0))})
	}
	return v
}

// differences lists pointers to the innermost places where two values differ.
func differences(a, b jsontree.Value, pointer string) (list []string) {
	if a.Kind != b.Kind || a.Kind != '{' && a.Kind != '[' || a.Kind == '[' && len(a.Parts) != len(b.Parts) {
		if !jsontree.Equal(a, b) {
			list = append(list, pointer)
		}
		return list
	}
	for i, p := range a.Parts {
		step, other := p.Name, b.Get(p.Name)
		if a.Kind == '[' {
			step, other = strconv.Itoa(i), b.Parts[i].Value
		}
		list = append(list, differences(p.Value, other, jsontree.ExtendPointer(pointer, step))...)
	}
	for _, p := range b.Members() {
		if !a.Has(p.Name) {
			list = append(list, jsontree.ExtendPointer(pointer, p.Name))
		}
	}
	return list
}

// TestNothingIsHiddenBySignatures: two definitions look alike only if what differs has no meaning: a title
// that is the name in words, a dialect, an empty list.
func TestNothingIsHiddenBySignatures(t *testing.T) {
	t.Parallel()
	m := jsontest.NewMaker(1)
	rounds, allAlike := jsontest.RoundCount(500, 1_500), 0
	for entryType := range pin.Instructions {
		different, alike := 0, 0
		for range rounds {
			was := pintest.ParseTree(t, madeEntry(m, entryType))
			is := edited(t, m, was)
			old, new := pintest.CanonicalTree(t, string(jsontree.Append(nil, was))), pintest.CanonicalTree(t, string(jsontree.Append(nil, is)))
			if jsontree.Equal(old, new) || is.Get(pin.EntryTypeInfo[entryType].Identity).Text != "t" {
				continue
			}
			different++
			short := signed(entryType, old)
			if short != signed(entryType, new) {
				continue
			}
			alike++
			for _, pointer := range differences(old, new, "") {
				steps, _ := jsontree.SplitPointer(pointer)
				at := func(root jsontree.Value) jsontree.Value {
					for _, step := range steps {
						root = *cmp.Or(jsontree.Lookup(&root, step), &jsontree.Value{})
					}
					return root
				}
				open := func(v jsontree.Value) bool { return v.Kind == 't' || v.Kind == '{' && len(v.Parts) == 0 }
				empty := func(v jsontree.Value) bool { return len(v.Parts) == 0 && v.Text == "" }
				name := steps[len(steps)-1]
				isUnsaid := slices.Contains([]string{"title", "$schema"}, name) || // in words, a dialect
					slices.Contains([]string{"properties", "required", "annotations"}, name) && empty(at(old)) && empty(at(new))
				if !isUnsaid && !(name == "additionalProperties" && open(at(old)) && open(at(new))) {
					t.Fatalf("%s isn't shown in\n%s\n%s\n%s", pointer, short, jsontree.Append(nil, old), jsontree.Append(nil, new))
				}
			}
		}
		allAlike += alike
		if different < rounds*2/3 || alike < 1 && jsontest.IsLongRun() {
			t.Errorf("%s: %d pairs, %d of them alike", pin.EntryTypeInfo[entryType].Member, different, alike)
		}
	}
	if allAlike < rounds/250 {
		t.Error("no pair is alike")
	}
}

// TestPairsOfKeywordsShow: two keywords of a schema, each with one value, with another or missing, have nine
// signatures, wherever the schema is.
func TestPairsOfKeywordsShow(t *testing.T) {
	values := map[string][]string{"number": {`1`, `2`}, "string": {`"a"`, `"b"`}, "bool": {`true`, `false`}}
	kinds := map[string]string{"pattern": "string", "format": "string", "contentEncoding": "string", "uniqueItems": "bool", "nullable": "bool"}
	for of, keywords := range map[string][]string{
		"integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default", "const", "format", "nullable"},
		"string":  {"minLength", "maxLength", "pattern", "format", "default", "const", "contentEncoding"},
		"array":   {"minItems", "maxItems", "uniqueItems", "default"},
	} {
		for _, around := range []string{`%s`, `{"type":"array","items":%s}`, `{"anyOf":[%s,{"type":"null"}]}`, `{"oneOf":[%s,{"type":"boolean"}]}`, `{"prefixItems":[%s]}`, `{"additionalProperties":%s}`, `{"allOf":[%s]}`} {
			for i, one := range keywords {
				for _, other := range keywords[:i] {
					known := map[string]string{}
					for _, v := range append(values[cmp.Or(kinds[one], "number")], "") {
						for _, w := range append(values[cmp.Or(kinds[other], "number")], "") {
							schema := `{"type":"` + of + `"`
							for name, value := range map[string]string{one: v, other: w} {
								if value != "" {
									schema += `,"` + name + `":` + value
								}
							}
							tool := fmt.Sprintf(`{"name":"t","inputSchema":{"type":"object","properties":{"p":`+around+`}}}`, schema+"}")
							said := signed(pin.Tools, pintest.CanonicalTree(t, tool))
							if before, is := known[said]; is {
								t.Errorf("%s and %s read\n%s", before, tool, said)
							}
							known[said] = tool
						}
					}
				}
			}
		}
	}
}
