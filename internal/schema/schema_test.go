package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pintest"
	"pinproof/internal/schema"
)

// words are the positions as the cases below write them.
var words = map[schema.Position]string{schema.AtOther: "other", schema.AtDefinition: "definition", schema.AtSchema: "schema",
	schema.AtSchemaArray: "schemas", schema.AtSchemaMap: "named", schema.AtProperties: "properties"}

// keywords are those of JSON Schema 2020-12 (Core 8, 10 and 11; Validation 6 to 9) and of draft-07, by
// the position of their values. The last names, from "name" on, aren't keywords of either.
var keywords = map[schema.Position]string{
	schema.AtSchema: "additionalItems additionalProperties contains contentSchema else if not propertyNames then " +
		"unevaluatedItems unevaluatedProperties",
	schema.AtSchemaArray: "allOf anyOf items oneOf prefixItems",
	schema.AtSchemaMap:   "$defs definitions dependencies dependentSchemas patternProperties",
	schema.AtProperties:  "properties",
	schema.AtOther: "$anchor $comment $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary const contentEncoding contentMediaType default " +
		"dependentRequired deprecated description enum examples exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength " +
		"maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern readOnly required title type " +
		"uniqueItems writeOnly name inputSchema outputSchema Properties property x-mcp-header",
}

func TestKeyword(t *testing.T) {
	for want, names := range keywords {
		for _, name := range strings.Fields(names) {
			if got := schema.KeywordPosition(name); got != want {
				t.Errorf("%s: %s, want %s", name, words[got], words[want])
			}
		}
	}
	if got := schema.KeywordPosition(""); got != schema.AtOther {
		t.Errorf("no name: %s", words[got])
	}
}

// visited lists the calls that Visit makes: the path of each value, the position of what it is in, and
// its own position.
func visited(v jsontree.Value, at schema.Position) (lines []string) {
	schema.Visit(&v, at, func(_ *jsontree.Value, of, at schema.Position, path []jsontree.Step) {
		line := ""
		for _, step := range path {
			line += "/" + schema.PointerToken(step)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s", line, words[of], words[at]))
	})
	return lines
}

// TestPositions has names that look like keywords, schemas that look like data, and values that aren't
// allowed in a schema. Each value's position was worked out by hand.
func TestPositions(t *testing.T) {
	for _, tt := range []struct {
		what, text string
		at         schema.Position
		want       string
	}{
		{"a definition", `{"name":"t","inputSchema":{"type":"object"},"outputSchema":true,"properties":{"a":{}},"items":{}}`, schema.AtDefinition, `
 other definition
/name definition other
/inputSchema definition schema
/inputSchema/type schema other
/outputSchema definition schema
/properties definition other
/properties/a other other
/items definition other`},
		{"parameters named like keywords", `{"properties":{"properties":{"properties":{"items":{"not":{}}}},"default":{"default":{"not":{}}},"allOf":[{}]}}`, schema.AtSchema, `
 other schema
/properties schema properties
/properties/properties properties schema
/properties/properties/properties schema properties
/properties/properties/properties/items properties schema
/properties/properties/properties/items/not schema schema
/properties/default properties schema
/properties/default/default schema other
/properties/default/default/not other other
/properties/allOf properties schema
/properties/allOf/0 schema other`},
		{"lists and single schemas", `{"items":{"not":{}},"prefixItems":[{"enum":[{"not":{}}]},true],"anyOf":{"if":{}},"allOf":5}`, schema.AtSchema, `
 other schema
/items schema schema
/items/not schema schema
/prefixItems schema schemas
/prefixItems/0 schemas schema
/prefixItems/0/enum schema other
/prefixItems/0/enum/0 other other
/prefixItems/0/enum/0/not other other
/prefixItems/1 schemas schema
/anyOf schema schema
/anyOf/if schema schema
/allOf schema schema`},
		{"schemas under names", `{"$defs":{"$defs":{"$defs":{"a":{}}}},"patternProperties":[{"not":{}}],"properties":["x"],"dependencies":{"a":["b"],"c":{"then":{}}}}`, schema.AtSchema, `
 other schema
/$defs schema named
/$defs/$defs named schema
/$defs/$defs/$defs schema named
/$defs/$defs/$defs/a named schema
/patternProperties schema other
/patternProperties/0 other other
/patternProperties/0/not other other
/properties schema other
/properties/0 other other
/dependencies schema named
/dependencies/a named schema
/dependencies/a/0 schema other
/dependencies/c named schema
/dependencies/c/then schema schema`},
		{"data", `{"inputSchema":{"properties":{"a":{}}},"not":[{}]}`, schema.AtOther, `
 other other
/inputSchema other other
/inputSchema/properties other other
/inputSchema/properties/a other other
/not other other
/not/0 other other`},
	} {
		got, want := visited(pintest.ParseTree(t, tt.text), tt.at), strings.Split(tt.want, "\n")[1:]
		slices.Sort(got) // Visit goes by the order of the tree
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", tt.what, got, want)
		}
	}
}

// TestEach checks that f gets all schemas in a value, and the value itself.
func TestEach(t *testing.T) {
	v := pintest.ParseTree(t, `{"title":"a","not":{"title":"b","enum":[{"title":"x"}]},"properties":{"title":{"title":"c"}},"oneOf":[{"title":"d","items":[{"title":"e"}]}]}`)
	for at, want := range map[schema.Position]string{schema.AtSchema: "a b d e c", schema.AtOther: "", schema.AtDefinition: ""} {
		var got []string
		schema.EachSchema(&v, at, func(s *jsontree.Value) { got = append(got, s.Get("title").Text) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", words[at], got, want)
		}
	}
}

// TestEachBelow checks that f gets the schemas right below a schema, with the steps to them.
func TestEachBelow(t *testing.T) {
	v := pintest.ParseTree(t, `{"type":"object","const":{"not":{}},"not":{"not":{}},"items":{},"anyOf":[{"if":{}},{}],"$defs":{"a":{"not":{}}},"properties":{"p/q":{},"items":{}},"patternProperties":[{}],"dependencies":{"d":["e"]}}`)
	var got []string
	schema.EachSubschema(&v, func(_ *jsontree.Value, steps ...string) { got = append(got, strings.Join(steps, " ")) })
	want := []string{"$defs a", "anyOf 0", "anyOf 1", "dependencies d", "items", "not", "properties items", "properties p/q"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestMap checks that f is asked about members of the definition and of schemas, and not about data or
// about the names of parameters; that what f leaves out is gone; and that the value itself stays as it was.
func TestMap(t *testing.T) {
	const text = `{"annotations":{"title":1},"inputSchema":{"allOf":[{"title":1}],"default":{"title":1},"properties":{"title":{"enum":[{"title":1}],"title":1}},"title":1},"title":1}`
	for _, tt := range []struct {
		at   schema.Position
		want string
	}{
		{schema.AtDefinition, `{"annotations":{"title":1},"inputSchema":{"allOf":[{}],"default":{"title":1},"properties":{"title":{"enum":[{"title":1}]}}}}`},
		{schema.AtSchema, `{"annotations":{"title":1},"inputSchema":{"allOf":[{"title":1}],"default":{"title":1},"properties":{"title":{"enum":[{"title":1}],"title":1}},"title":1}}`},
		{schema.AtSchemaMap, `{"annotations":{},"inputSchema":{"allOf":[{}],"default":{"title":1},"properties":{"title":{"enum":[{"title":1}]}}},"title":1}`},
		{schema.AtOther, text},
	} {
		v := pintest.ParseTree(t, text)
		got := schema.MapMembers(v, tt.at, func(part *jsontree.Member) bool { return part.Name != "title" })
		if s := string(jsontree.Append(nil, got)); s != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", words[tt.at], s, tt.want)
		}
		if s := string(jsontree.Append(nil, v)); s != text {
			t.Errorf("%s: the value became %s", words[tt.at], s)
		}
	}
	changed := schema.MapMembers(pintest.ParseTree(t, `{"allOf":1,"not":{"x":1}}`), schema.AtSchema, func(part *jsontree.Member) bool {
		if part.Name == "allOf" {
			part.Value = pintest.ParseTree(t, `[{"gone":1}]`)
		}
		return part.Name != "gone" && part.Name != "x"
	})
	if s := string(jsontree.Append(nil, changed)); s != `{"allOf":[{}],"not":{}}` { // Map goes on into what f puts in
		t.Errorf("changed: %s", s)
	}
}

// TestMapOfAnything checks that the copy equals the value if f changes nothing, for any value at any position.
func TestMapOfAnything(t *testing.T) {
	m := jsontest.NewMaker(20)
	for range 300 {
		v := pintest.ParseTree(t, m.Definition("t"))
		for at := range words {
			if got := schema.MapMembers(v, at, func(*jsontree.Member) bool { return true }); !jsontree.Equal(got, v) {
				t.Fatalf("%s: %s\nbecame %s", words[at], jsontree.Append(nil, v), jsontree.Append(nil, got))
			}
		}
	}
}

// TestResolveReference has JSON Pointers in fragments, among them the examples of RFC 6901, sections 5
// and 6.
func TestResolveReference(t *testing.T) {
	root := pintest.CanonicalTree(t, `{"":0,"a/b":1,"c%d":2,"e^f":3,"i\\j":5," ":7,"m~n":8,"foo":["bar","baz"],"$defs":{"x":{"type":"null"}}}`)
	const none = "none"
	for reference, want := range map[string]string{
		"#/foo": `["bar","baz"]`, "#/foo/0": `"bar"`, "#/": "0", "#/a~1b": "1", "#/c%25d": "2", "#/e%5Ef": "3", "#/i%5Cj": "5", "#/%20": "7", "#/m~0n": "8",
		"#/$defs/x": `{"type":"null"}`, "#/%24defs/x/type": `"null"`, "#/a%7E1b": "1",
		"#/foo/2": "nothing", "#/foo/00": "nothing", "#/foo/-": "nothing", "#/none/at/all": "nothing", "#/$defs/x/type/y": "nothing", "#/a/b": "nothing",
		"#anchor": none, "#/%zz": none, "other.json": none, "other.json#/foo": none, "": none, "/foo": none, "#/~2": none, "#/~": none, "https://example.org/s": none,
	} {
		v, steps, ok := schema.ResolveReference(&root, reference)
		got := none
		switch {
		case ok && v == nil:
			got = "nothing"
		case ok:
			got = string(jsontree.Append(nil, *v))
		case v != nil || steps != nil:
			t.Errorf("%s: %v, %q without an answer", reference, v, steps)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", reference, got, want)
		}
	}
	if v, steps, ok := schema.ResolveReference(&root, "#"); v != &root || len(steps) != 0 || !ok {
		t.Errorf("#: %q, %t", steps, ok)
	}
	if _, steps, _ := schema.ResolveReference(&root, "#/$defs/a~1b/c%20d"); !slices.Equal(steps, []string{"$defs", "a/b", "c d"}) {
		t.Errorf("steps %q", steps)
	}
}

func TestIsDefinitions(t *testing.T) {
	for keyword, want := range map[string]bool{"$defs": true, "definitions": true, "defs": false, "properties": false, "": false} {
		if schema.IsDefinitions(keyword) != want {
			t.Errorf("%q: want %t", keyword, want)
		}
	}
}
