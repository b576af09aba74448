package report

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

// signed lays out a tool as a review does.
func signed(definition jsontree.Value, full bool, width int) string {
	var b bytes.Buffer
	t := NewText(&b, TextStyle{Full: full, Width: width})
	t.at = &group{number: 1}
	form := pintest.Form(pin.Tools, jsontree.CanonicalBytes(&definition))
	t.whole("  ", '+', &pin.Pin{Key: pin.Key{Name: definition.Get("name").Text}, Form: form})
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
	const want = `  destructive, writes, open world, not idempotent
    | Runs a snippet.
    | In the page.
  title of the annotations "Run!"
  code     string, required, at least 1 characters  | JavaScript to run.
  level    required, "low" | "high"
  either   any of string, null
  tags     array of string, at most 100 items
  timeout  integer 1..600 = 30
  where    object or null
      | {"x-odd":1}
    url    string, format "uri"
  /more
      | {"b":"c"}
  also: /title, /inputSchema/$schema 46 bytes, /inputSchema/additionalProperties false,
    : /outputSchema 17 bytes, /_meta 7 bytes, /inputSchema/properties/timeout/title
`
	if got := signed(pintest.Tree(t, tool), false, 100); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// madeTool makes a tool of the members that tools have, some of them with values that
// nobody expects there.
func madeTool(m jsontest.Maker) string {
	parts := []string{`"name":"t"`}
	for _, member := range [][2]string{
		{"title", m.Pick(`"T"`, `"Tee"`, `5`, `"5"`)},
		{"description", m.Pick(`"Runs."`, `"{\"a\": 1}"`, `{"a":1}`, `"null"`, `null`, `"a\nb"`, `"[1,\n2]"`, `[1,2]`)},
		{"annotations", m.Pick(`{}`, `{"readOnlyHint":true}`, `{"readOnlyHint":"true"}`, `{"destructiveHint":false,"title":"T"}`, `{"x":1}`, `true`)},
		{"inputSchema", madeSchema(m, 2)},
		{"outputSchema", madeSchema(m, 0)},
		{"_meta", m.JSON(1)},
		{"other", m.JSON(1)},
	} {
		if m.IntN(3) > 0 {
			parts = append(parts, strconv.Quote(member[0])+":"+member[1])
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func madeSchema(m jsontest.Maker, depth int) string {
	if m.IntN(12) == 0 || depth < 0 {
		return m.Pick(`{}`, `true`, `false`, `null`, `"string"`, `[]`)
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
	add(3, "description", pick(`"Text."`, `"Other text."`, `"5"`, `5`, `"`+strings.Repeat("long ", 40)+`"`))
	add(5, "title", pick(`"A"`, `"a"`, `"Other"`, `5`))
	add(2, "properties", named)
	add(3, "required", pick(`["a"]`, `["a","b c"]`, `["b c","a"]`, `["c"]`, `["a","a"]`, `[]`, `true`))
	add(4, "additionalProperties", func() string { return m.Pick(`true`, `false`, `{}`, below()) })
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

// edited changes one value somewhere in a tree of a tool: it replaces it, leaves it out, or
// puts one beside it.
func edited(t *testing.T, m jsontest.Maker, v jsontree.Value) jsontree.Value {
	v.Parts = append([]jsontree.Member(nil), v.Parts...)
	if len(v.Parts) == 0 {
		return pintest.Tree(t, m.Pick(`true`, `"x"`, `{"type":"string"}`, `["a"]`, `7`))
	}
	i := m.IntN(len(v.Parts))
	switch {
	case v.Parts[i].Name == "name" && v.Parts[i].Kind == '"':
	case m.IntN(4) > 0:
		v.Parts[i].Value = edited(t, m, v.Parts[i].Value)
	case m.IntN(3) == 0:
		v.Parts = append(v.Parts[:i:i], v.Parts[i+1:]...)
	case m.IntN(2) == 0:
		v.Parts[i].Value = pintest.Tree(t, madeSchema(m, 1))
	case v.Kind == '[':
		v.Parts = append(v.Parts, v.Parts[i])
	case !v.Has("new"):
		v.Parts = append(v.Parts, jsontree.Member{Name: "new", Value: pintest.Tree(t, madeSchema(m, 0))})
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
		list = append(list, differences(p.Value, other, jsontree.Pointer(pointer, step))...)
	}
	for _, p := range b.Members() {
		if !a.Has(p.Name) {
			list = append(list, jsontree.Pointer(pointer, p.Name))
		}
	}
	return list
}

// TestNothingIsHiddenBySignatures: with all of it shown, two definitions never look alike;
// as signatures they look alike only where the place that differs is named.
func TestNothingIsHiddenBySignatures(t *testing.T) {
	t.Parallel()
	m := jsontest.NewMaker(77)
	different, alike := 0, 0
	for range 2_000 {
		was := pintest.Tree(t, madeTool(m))
		is := edited(t, m, was)
		old, new := pintest.CanonicalTree(t, string(jsontree.Append(nil, was))), pintest.CanonicalTree(t, string(jsontree.Append(nil, is)))
		if jsontree.Equal(old, new) || is.Get("name").Text != "t" {
			continue
		}
		different++
		if a, b := signed(old, true, anyWidth), signed(new, true, anyWidth); a == b {
			t.Fatalf("both look like\n%s\n%s\n%s", a, jsontree.Append(nil, old), jsontree.Append(nil, new))
		}
		short := signed(old, false, anyWidth)
		if short != signed(new, false, anyWidth) {
			continue
		}
		alike++
		for _, pointer := range differences(old, new, "") {
			if !isNamed(short, pointer) {
				t.Fatalf("%s is neither shown nor named in\n%s\n%s\n%s", pointer, short, jsontree.Append(nil, old), jsontree.Append(nil, new))
			}
		}
	}
	if different < 1_000 || alike < 10 {
		t.Errorf("%d pairs, %d of them alike", different, alike)
	}
}

// isNamed reports whether what a signature leaves out has the pointer or one above it.
func isNamed(short, pointer string) bool {
	_, also, _ := strings.Cut(short, "  also: ")
	for pointer != "" {
		for item := range strings.SplitSeq(strings.TrimSuffix(also, "\n"), ", ") {
			if item == text.Pointer(pointer) || strings.HasPrefix(item, text.Pointer(pointer)+" ") {
				return true
			}
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return false
}
