package main

import (
	"slices"
	"strings"
	"testing"
)

// manyDescriptions has one at every kind of place: those at a schema position, or
// of the tool itself, say "prose", the others "data".
const manyDescriptions = `{
	"name": "t",
	"title": "data",
	"description": "prose",
	"annotations": {"description": "data", "title": "data"},
	"_meta": {"description": "data", "inputSchema": {"description": "data"}},
	"inputSchema": {
		"description": "prose",
		"properties": {
			"description": {"type": "string", "description": "prose"},
			"properties": {"properties": {"x": {"description": "prose"}}},
			"enum": {"description": "prose", "enum": [{"description": "data"}]},
			"list": {"items": {"description": "prose"}},
			"tuple": {"items": [{"description": "prose"}, true], "additionalItems": {"description": "prose"}},
			"more": {"prefixItems": [{"description": "prose"}], "contains": {"description": "prose"}},
			"const": {"const": {"description": "data"}, "default": {"description": "data"}, "examples": [{"description": "data"}]},
			"anything": true
		},
		"patternProperties": {"description": {"description": "prose"}},
		"additionalProperties": {"description": "prose"},
		"propertyNames": {"description": "prose"},
		"unevaluatedProperties": {"description": "prose"},
		"unevaluatedItems": {"description": "prose"},
		"contentSchema": {"description": "prose"},
		"$defs": {"description": {"description": "prose"}, "enum": {"allOf": [{"description": "prose"}]}},
		"definitions": {"d": {"anyOf": [{"oneOf": [{"not": {"description": "prose"}}]}]}},
		"dependentSchemas": {"d": {"description": "prose"}},
		"dependencies": {"d": {"description": "prose"}, "e": ["description"]},
		"if": {"description": "prose"}, "then": {"description": "prose"}, "else": {"description": "prose"},
		"required": ["description"],
		"default": {"description": "data"},
		"examples": [{"description": "data"}],
		"x-other": {"description": "data"}
	},
	"outputSchema": {"description": "prose", "properties": {"a": {"description": "prose"}}},
	"execution": {"description": "data"},
	"x": {"inputSchema": {"description": "data"}, "properties": {"p": {"description": "data"}}}
}`

func TestDescriptions(t *testing.T) {
	tests := []struct{ descriptions, text, want string }{
		{"strip", manyDescriptions, strings.NewReplacer(`"description": "prose", `, "", `, "description": "prose"`, "",
			`"description": "prose",`, "", `"description": "prose"`, "").Replace(manyDescriptions)},
		{"truncate=2", manyDescriptions, strings.ReplaceAll(manyDescriptions, `"prose"`, `"pr"`)},
		{"truncate=5", manyDescriptions, manyDescriptions},
		{"truncate=99", manyDescriptions, manyDescriptions},
		{"", manyDescriptions, manyDescriptions},

		{"truncate=3", `{"description":"größe 😀"}`, `{"description":"grö"}`},
		{"truncate=7", `{"description":"größe 😀x"}`, `{"description":"größe 😀"}`},
		{"truncate=1", `{"description":"e\u0301"}`, `{"description":"e"}`}, // code points, not what a reader takes for one
		{"truncate=2", `{"description":""}`, `{"description":""}`},

		// Only strings are prose.
		{"strip", `{"description":5,"inputSchema":{"description":{"a":1}}}`, `{"description":5,"inputSchema":{"description":{"a":1}}}`},
		{"strip", `{"inputSchema":[{"description":"data"}],"outputSchema":"x"}`, `{"inputSchema":[{"description":"data"}],"outputSchema":"x"}`},
		{"strip", `{"inputSchema":{"properties":[{"description":"data"}],"$defs":"x"}}`, `{"inputSchema":{"properties":[{"description":"data"}],"$defs":"x"}}`},
		{"strip", `{"inputSchema":{"description":"\u200b"}}`, `{"inputSchema":{}}`},
	}
	for _, tt := range tests {
		got := policy{descriptions: tt.descriptions}.apply(toolList, tree(t, tt.text))
		if want := tree(t, tt.want); !equalValues(got, want) {
			t.Errorf("%s of %.80s…\ngot  %s\nwant %s", tt.descriptions, tt.text, appendJSON(nil, got), appendJSON(nil, want))
		}
	}
}

func TestIgnore(t *testing.T) {
	tests := []struct{ pointers, text, want string }{
		{"/_meta", `{"name":"t","_meta":{"a":1}}`, `{"name":"t"}`},
		{"/_meta", `{"name":"t","_meta":5}`, `{"name":"t"}`},
		{"/_meta", `{"name":"t"}`, `{"name":"t"}`},
		{"/_meta/a", `{"_meta":{"a":1,"b":2}}`, `{"_meta":{"b":2}}`},
		{"/_meta/a", `{"_meta":{"a":1}}`, `{"_meta":{}}`},
		{"/_meta/a/b", `{"_meta":{"a":{"b":1,"c":2},"b":3}}`, `{"_meta":{"a":{"c":2},"b":3}}`},
		{"/_meta/0", `{"_meta":["x"]}`, `{"_meta":["x"]}`}, // not through an array
		{"/_meta/a/0", `{"_meta":{"a":["x"]}}`, `{"_meta":{"a":["x"]}}`},
		{"/_meta/~1x~0y", `{"_meta":{"/x~y":1,"b":2}}`, `{"_meta":{"b":2}}`},
		{"/_meta/~01", `{"_meta":{"~1":1,"/":2}}`, `{"_meta":{"/":2}}`},
		{"/_meta/", `{"_meta":{"":1,"b":2}}`, `{"_meta":{"b":2}}`},
		{"/_meta/größe", `{"_meta":{"größe":1,"b":2}}`, `{"_meta":{"b":2}}`},
		{"/icons", `{"icons":[{"src":"x"}],"name":"t"}`, `{"name":"t"}`},
		{"/execution", `{"execution":{"taskSupport":"x"},"name":"t"}`, `{"name":"t"}`},
		{"/execution/taskSupport", `{"execution":{"taskSupport":"x"}}`, `{"execution":{}}`},
		{"/inputSchema/$schema /outputSchema/$schema", `{"inputSchema":{"$schema":"x","properties":{"p":{"$schema":"y"}}},"outputSchema":{"$schema":"z","type":"object"}}`,
			`{"inputSchema":{"properties":{"p":{"$schema":"y"}}},"outputSchema":{"type":"object"}}`},
		{"/_meta /icons", `{"x":{"_meta":1,"icons":2},"_meta":3,"icons":4}`, `{"x":{"_meta":1,"icons":2}}`},
	}
	for _, tt := range tests {
		ignore, err := parseIgnore(strings.Fields(tt.pointers))
		if err != nil {
			t.Errorf("%s: %v", tt.pointers, err)
			continue
		}
		got := policy{ignore: ignore}.apply(toolList, tree(t, tt.text))
		if want := tree(t, tt.want); !equalValues(got, want) {
			t.Errorf("%s less %s is %s, want %s", tt.text, tt.pointers, appendJSON(nil, got), tt.want)
		}
	}
}

func TestPointersOfIgnore(t *testing.T) {
	for _, pointer := range []string{
		"", "/", "_meta", "#/_meta", "/name", "/description", "/title", "/annotations", "/annotations/readOnlyHint", "/inputSchema", "/outputSchema",
		"/inputSchema/properties", "/inputSchema/$schema/x", "/inputSchema/properties/$schema", "/icons/0", "/icons/0/src", "/icons/src", "/_META", "/Execution", "/$schema",
		"/_meta/~", "/_meta/~2", "/_meta/a~", "/_meta/~~10", "/_meta/~~01", "/_meta/\xff", "/x/_meta", " /_meta", "/_metax",
	} {
		_, err := parseIgnore([]string{"/_meta", pointer})
		wantError(t, err, quotedName(pointer)+" can't be ignored: only /_meta, /icons, /execution, members below them but not through an array, and the $schema of a schema can")
	}
	most := slices.Repeat([]string{"/_meta/" + strings.Repeat("a", 249)}, 32)
	if _, err := parseIgnore(most); err != nil {
		t.Error(err)
	}
	for _, pointers := range [][]string{append(most, "/icons"), {most[0] + "a"}} {
		_, err := parseIgnore(pointers)
		wantError(t, err, "more than 32 pointers, or one of more than 256 bytes")
	}
	got, err := parseIgnore([]string{"/icons", "/_meta/b", "/icons", "/_meta"})
	if want := []string{"/_meta", "/_meta/b", "/icons"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want them sorted, without repeats: %q", got, err, want)
	}
}

// TestPointers: RFC 6901, sections 3 to 5.
func TestPointers(t *testing.T) {
	for _, tt := range []struct {
		tokens  []string
		pointer string
	}{
		{nil, ""}, {[]string{"foo"}, "/foo"}, {[]string{"foo", "0"}, "/foo/0"}, {[]string{""}, "/"}, {[]string{"a/b"}, "/a~1b"},
		{[]string{"m~n"}, "/m~0n"}, {[]string{"~1"}, "/~01"}, {[]string{"/~", "", " "}, "/~1~0// "}, {[]string{"c%d", `k"l`, `i\j`}, `/c%d/k"l/i\j`},
	} {
		pointer := ""
		for _, token := range tt.tokens {
			pointer = pointerTo(pointer, token)
		}
		if pointer != tt.pointer {
			t.Errorf("to %q leads %s, want %s", tt.tokens, pointer, tt.pointer)
		}
		if got, ok := pointerTokens(tt.pointer); !ok || !slices.Equal(got, tt.tokens) {
			t.Errorf("%s leads to %q, %v; want %q", tt.pointer, got, ok, tt.tokens)
		}
	}
}

func TestParseDescriptions(t *testing.T) {
	for arg, want := range map[string]string{"preserve": "", "strip": "strip", "truncate=1": "truncate=1", "truncate=80": "truncate=80"} {
		if got, err := parseDescriptions(arg); err != nil || got != want {
			t.Errorf("%s: %q, %v", arg, got, err)
		}
	}
	for _, arg := range []string{"", "Strip", "none", "truncate", "truncate=", "truncate=0", "truncate=-1", "truncate=+5", "truncate=05", "truncate=1.5",
		"truncate=1e3", "truncate= 5", "truncate=99999999999999999999", "strip ", "\x1b[2J"} {
		_, err := parseDescriptions(arg)
		wantError(t, err, quotedName(arg)+" is none of preserve, truncate=N, strip")
	}
}

// TestPolicyIsRecorded: each part of a policy stands in its record, in verdict
// lines and in equality.
func TestPolicyIsRecorded(t *testing.T) {
	tests := []struct {
		pol          policy
		record, loud string
	}{
		{policy{}, `{}`, ""},
		{policy{descriptions: "strip"}, `{"descriptions":"strip"}`, "; descriptions not pinned"},
		{policy{descriptions: "truncate=80"}, `{"descriptions":"truncate=80"}`, "; descriptions pinned to 80 characters"},
		{policy{ignore: []string{"/_meta/a b", "/icons"}}, `{"ignore":["/_meta/a b","/icons"]}`, `; "/_meta/a b" not pinned, /icons not pinned`},
		{policy{emptyCursorEnds: true}, `{"emptyCursorEnds":true}`, "; an empty cursor ends the list"},
		{policy{hashOnly: true}, `{"hashOnly":true}`, "; definitions not stored"},
		{policy{requireClean: true}, `{"requireClean":true}`, "; hidden text refused"},
		{policy{resources: true}, `{"resources":true}`, "; resources pinned"},
		{policy{roundIntegers: true}, `{"roundIntegers":true}`, "; integers rounded to doubles"},
		{policy{substitute: []string{"HOME", "ROOT"}}, `{"substitute":["HOME","ROOT"]}`, "; HOME, ROOT substituted"},
		{policy{toolsOnly: true}, `{"toolsOnly":true}`, "; only tools pinned"},
		{policy{"strip", true, true, []string{"/_meta"}, true, true, true, []string{"ROOT"}, true},
			`{"descriptions":"strip","emptyCursorEnds":true,"hashOnly":true,"ignore":["/_meta"],"requireClean":true,"resources":true,"roundIntegers":true,"substitute":["ROOT"],"toolsOnly":true}`,
			"; descriptions not pinned, /_meta not pinned, an empty cursor ends the list, definitions not stored, hidden text refused, resources pinned, integers rounded to doubles, ROOT substituted, only tools pinned"},
	}
	for i, tt := range tests {
		if got := string(appendJSON(nil, tt.pol.value())); got != tt.record {
			t.Errorf("recorded as %s, want %s", got, tt.record)
		}
		if got := tt.pol.loud(); got != tt.loud {
			t.Errorf("%s said as %q, want %q", tt.record, got, tt.loud)
		}
		if got := tt.pol.isDefault(); got != (i == 0) {
			t.Errorf("%s default: %v", tt.record, got)
		}
		for j, other := range tests {
			if got := tt.pol.equal(other.pol); got != (i == j) {
				t.Errorf("%s equals %s: %v", tt.record, other.record, got)
			}
		}
	}
}

// TestPolicyIsIdempotent: what a policy pins of what it pins is the same.
func TestPolicyIsIdempotent(t *testing.T) {
	t.Parallel()
	random := newMaker(11)
	for range 2_000 {
		pol := policy{descriptions: random.pick("", "strip", "truncate=1", "truncate=3"), ignore: []string{random.pick("/_meta", "/execution/a", "/icons")}}
		text := random.pick(manyDescriptions, `{"_meta":`+random.json(2)+`,"execution":`+random.json(3)+`,"description":`+random.json(1)+
			`,"inputSchema":{"properties":`+random.json(3)+`,"items":`+random.json(3)+`,"description":`+random.json(0)+`}}`)
		once := pol.apply(toolList, tree(t, text))
		if twice := pol.apply(toolList, once); !equalValues(once, twice) {
			t.Fatalf("%+v of %s\nonce  %s\ntwice %s", pol, text, appendJSON(nil, once), appendJSON(nil, twice))
		}
	}
}
