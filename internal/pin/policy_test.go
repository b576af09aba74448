package pin_test

import (
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

func TestDescriptions(t *testing.T) {
	tests := []struct{ descriptions, text, want string }{
		{"strip", jsontest.ManyDescriptions, strings.NewReplacer(`"description": "prose", `, "", `, "description": "prose"`, "",
			`"description": "prose",`, "", `"description": "prose"`, "").Replace(jsontest.ManyDescriptions)},
		{"truncate=2", jsontest.ManyDescriptions, strings.ReplaceAll(jsontest.ManyDescriptions, `"prose"`, `"pr"`)},
		{"truncate=5", jsontest.ManyDescriptions, jsontest.ManyDescriptions},
		{"truncate=99", jsontest.ManyDescriptions, jsontest.ManyDescriptions},
		{"", jsontest.ManyDescriptions, jsontest.ManyDescriptions},

		{"truncate=3", `{"description":"größe 😀"}`, `{"description":"grö"}`},
		{"truncate=7", `{"description":"größe 😀x"}`, `{"description":"größe 😀"}`},
		{"truncate=1", `{"description":"e\u0301"}`, `{"description":"e"}`}, // cut at code points, not at what a reader takes for a character
		{"truncate=2", `{"description":""}`, `{"description":""}`},

		// Only strings are prose.
		{"strip", `{"description":5,"inputSchema":{"description":{"a":1}}}`, `{"description":5,"inputSchema":{"description":{"a":1}}}`},
		{"strip", `{"inputSchema":[{"description":"data"}],"outputSchema":"x"}`, `{"inputSchema":[{"description":"data"}],"outputSchema":"x"}`},
		{"strip", `{"inputSchema":{"properties":[{"description":"data"}],"$defs":"x"}}`, `{"inputSchema":{"properties":[{"description":"data"}],"$defs":"x"}}`},
		{"strip", `{"inputSchema":{"description":"\u200b"}}`, `{"inputSchema":{}}`},
	}
	for _, tt := range tests {
		got := pin.Policy{Descriptions: tt.descriptions}.Apply(pin.Tools, pintest.ParseTree(t, tt.text))
		if want := pintest.ParseTree(t, tt.want); !jsontree.Equal(got, want) {
			t.Errorf("%s of %.80s…\ngot  %s\nwant %s", tt.descriptions, tt.text, jsontree.Append(nil, got), jsontree.Append(nil, want))
		}
	}
}

// TestIgnore ignores the members in testdata/ignored.txt.
func TestIgnore(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/ignored.txt", 3) {
		ignore, err := pin.ParseIgnore(strings.Fields(row[0]))
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		got := pin.Policy{Ignore: ignore}.Apply(pin.Tools, pintest.ParseTree(t, row[1]))
		if want := pintest.ParseTree(t, row[2]); !jsontree.Equal(got, want) {
			t.Errorf("%s less %s is %s, want %s", row[1], row[0], jsontree.Append(nil, got), row[2])
		}
	}
}

func TestPointersOfIgnore(t *testing.T) {
	for _, pointer := range []string{
		"", "/", "_meta", "#/_meta", "/name", "/description", "/title", "/annotations", "/annotations/readOnlyHint", "/inputSchema", "/outputSchema",
		"/inputSchema/properties", "/inputSchema/$schema/x", "/inputSchema/properties/$schema", "/icons/0", "/icons/0/src", "/icons/src", "/_META", "/Execution", "/$schema",
		"/_meta/~", "/_meta/~2", "/_meta/a~", "/_meta/~~10", "/_meta/~~01", "/_meta/\xff", "/x/_meta", " /_meta", "/_metax",
	} {
		_, err := pin.ParseIgnore([]string{"/_meta", pointer})
		jsontest.WantError(t, err, text.QuoteName(pointer)+" can't be ignored: only /_meta, /icons, /execution, members below them but not through an array, and the $schema of a schema can")
	}
	most := slices.Repeat([]string{"/_meta/" + strings.Repeat("a", 249)}, 32)
	if _, err := pin.ParseIgnore(most); err != nil {
		t.Error(err)
	}
	for _, pointers := range [][]string{append(most, "/icons"), {most[0] + "a"}} {
		_, err := pin.ParseIgnore(pointers)
		jsontest.WantError(t, err, "more than 32 pointers, or one of more than 256 bytes")
	}
	got, err := pin.ParseIgnore([]string{"/icons", "/_meta/b", "/icons", "/_meta"})
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
			pointer = jsontree.ExtendPointer(pointer, token)
		}
		if pointer != tt.pointer {
			t.Errorf("to %q leads %s, want %s", tt.tokens, pointer, tt.pointer)
		}
		if got, ok := jsontree.SplitPointer(tt.pointer); !ok || !slices.Equal(got, tt.tokens) {
			t.Errorf("%s leads to %q, %v; want %q", tt.pointer, got, ok, tt.tokens)
		}
	}
}

func TestParseDescriptions(t *testing.T) {
	for arg, want := range map[string]string{"preserve": "", "strip": "strip", "truncate=1": "truncate=1", "truncate=80": "truncate=80"} {
		if got, err := pin.ParseDescriptions(arg); err != nil || got != want {
			t.Errorf("%s: %q, %v", arg, got, err)
		}
	}
	for _, arg := range []string{"", "Strip", "none", "truncate", "truncate=", "truncate=0", "truncate=-1", "truncate=+5", "truncate=05", "truncate=1.5",
		"truncate=1e3", "truncate= 5", "truncate=99999999999999999999", "strip ", "\x1b[2J"} {
		_, err := pin.ParseDescriptions(arg)
		jsontest.WantError(t, err, text.QuoteName(arg)+": must be preserve, truncate=N or strip")
	}
}

// TestPolicyIsRecorded: each part of a policy is in its record, in verdict
// lines and in equality.
func TestPolicyIsRecorded(t *testing.T) {
	tests := []struct {
		pol          pin.Policy
		record, loud string
	}{
		{pin.Policy{}, `{}`, ""},
		{pin.Policy{Descriptions: "strip"}, `{"descriptions":"strip"}`, "; descriptions not pinned"},
		{pin.Policy{Descriptions: "truncate=80"}, `{"descriptions":"truncate=80"}`, "; descriptions pinned to 80 characters"},
		{pin.Policy{Ignore: []string{"/_meta/a b", "/icons"}}, `{"ignore":["/_meta/a b","/icons"]}`, `; "/_meta/a b" not pinned, /icons not pinned`},
		{pin.Policy{EmptyCursorEnds: true}, `{"emptyCursorEnds":true}`, "; an empty cursor ends the list"},
		{pin.Policy{HashOnly: true}, `{"hashOnly":true}`, "; definitions not stored"},
		{pin.Policy{NoSkills: true}, `{"noSkills":true}`, "; skills not pinned"},
		{pin.Policy{AppPages: true}, `{"pages":true}`, "; pages of apps pinned"},
		{pin.Policy{RequireClean: true}, `{"requireClean":true}`, "; hidden text refused"},
		{pin.Policy{Resources: true}, `{"resources":true}`, "; resources pinned"},
		{pin.Policy{RoundIntegers: true}, `{"roundIntegers":true}`, "; integers rounded to doubles"},
		{pin.Policy{Substitute: []string{"HOME", "ROOT"}}, `{"substitute":["HOME","ROOT"]}`, "; HOME, ROOT substituted"},
		{pin.Policy{ToolsOnly: true}, `{"toolsOnly":true}`, "; only tools pinned"},
		{pin.Policy{Descriptions: "strip", EmptyCursorEnds: true, HashOnly: true, Ignore: []string{"/_meta"}, NoSkills: true, AppPages: true, RequireClean: true, Resources: true, RoundIntegers: true, Substitute: []string{"ROOT"}, ToolsOnly: true},
			`{"descriptions":"strip","emptyCursorEnds":true,"hashOnly":true,"ignore":["/_meta"],"noSkills":true,"pages":true,"requireClean":true,"resources":true,"roundIntegers":true,"substitute":["ROOT"],"toolsOnly":true}`,
			"; descriptions not pinned, /_meta not pinned, ROOT substituted, an empty cursor ends the list, definitions not stored, skills not pinned, pages of apps pinned, hidden text refused by lock and relock only, resources pinned, integers rounded to doubles, only tools pinned"},
	}
	for i, tt := range tests {
		if got := string(jsontree.Append(nil, tt.pol.Tree())); got != tt.record {
			t.Errorf("recorded as %s, want %s", got, tt.record)
		}
		if got := tt.pol.Summary(); got != tt.loud {
			t.Errorf("%s said as %q, want %q", tt.record, got, tt.loud)
		}
		if got := tt.pol.Equal(pin.Policy{}); got != (i == 0) {
			t.Errorf("%s default: %v", tt.record, got)
		}
		for j, other := range tests {
			if got := tt.pol.Equal(other.pol); got != (i == j) {
				t.Errorf("%s equals %s: %v", tt.record, other.record, got)
			}
		}
	}
}

// TestPolicyIsIdempotent: applying a policy to what it has left of a definition changes nothing.
func TestPolicyIsIdempotent(t *testing.T) {
	t.Parallel()
	random := jsontest.NewMaker(11)
	for range 2_000 {
		pol := pin.Policy{Descriptions: random.Pick("", "strip", "truncate=1", "truncate=3"), Ignore: []string{random.Pick("/_meta", "/execution/a", "/icons")}}
		text := random.Pick(jsontest.ManyDescriptions, `{"_meta":`+random.JSON(2)+`,"execution":`+random.JSON(3)+`,"description":`+random.JSON(1)+
			`,"inputSchema":{"properties":`+random.JSON(3)+`,"items":`+random.JSON(3)+`,"description":`+random.JSON(0)+`}}`)
		once := pol.Apply(pin.Tools, pintest.ParseTree(t, text))
		if twice := pol.Apply(pin.Tools, once); !jsontree.Equal(once, twice) {
			t.Fatalf("%+v of %s\nonce  %s\ntwice %s", pol, text, jsontree.Append(nil, once), jsontree.Append(nil, twice))
		}
	}
}
