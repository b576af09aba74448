package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// What several test files of the core use stands here, first.

// wantError holds an error's text against the whole expected one; "" is no error.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("error\n%s\nwant\n%s", got, want)
	}
}

// pinsOf reads a manifest and pins its tools as server "s".
func pinsOf(t testing.TB, manifest string, pol policy) pinset {
	t.Helper()
	m, err := parseManifest("m.json", []byte(manifest), secondForm, pol)
	if err != nil {
		t.Fatalf("%v in\n%.500s", err, manifest)
	}
	set, err := pinManifest(m, "s", pol, nil, secondForm)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// secondCanonical is the RFC 8785 form by another library than the one that
// makes digests.
func secondCanonical(t testing.TB, raw []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("the second implementation refuses %.200q: %v", raw, err)
	}
	return string(v)
}

// decoded is a JSON text as encoding/json reads it, for texts without repeated
// names: numbers as doubles.
func decoded(t testing.TB, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("encoding/json refuses %.200q: %v", raw, err)
	}
	return v
}

// tree parses a JSON text of a test, as it stands.
func tree(t testing.TB, text string) value {
	t.Helper()
	r := newJSONReader([]byte(text))
	v, err := r.next(0, len(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// quoted is a text as a JSON string.
func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A maker makes up JSON, the same for the same seed.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 1))} }

func (m maker) pick(list ...string) string { return list[m.IntN(len(list))] }

// text is a string of mostly ordinary characters.
func (m maker) text() string {
	var b strings.Builder
	for range m.IntN(12) {
		switch m.IntN(8) {
		case 0:
			b.WriteString(m.pick("\u200b", "\ufe0f", "\U000e0061", "\u2028", "\u00a0", "\x00", "\x1b", "\x7f", "\u0085", "\u3164", "\ue000", "\ufffe"))
		case 1:
			b.WriteString(m.pick("é", "e\u0301", "ﬁ", "한", "\u1112\u1161\u11ab", "😀", "\ufb33", "\ufffd", "א", "क्ष"))
		case 2:
			b.WriteString(m.pick(`"`, `\`, "/", "\n", "\t", "<", "~1", "[-", "{+", "##["))
		default:
			b.WriteString(m.pick("a", "path", "The ", "file", " ", "x1", "-", "Z"))
		}
	}
	return b.String()
}

// number is the text of a number, in any of its spellings.
func (m maker) number() string {
	switch m.IntN(4) {
	case 0:
		return strconv.Itoa(m.IntN(2_000_001) - 1_000_000)
	case 1:
		f := math.Float64frombits(m.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 0.5
		}
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return m.pick("0", "-0", "1.0", "1e21", "1E+2", "100e-2", "0.1", "1e-7", "9007199254740991", "-9007199254740992", "1152921504606846976",
		"4.50", "5e-324", "1e-400", "1.7976931348623157e308", "0.000001", "123456789012345683968", "333333333.33333329")
}

// json is the text of any value.
func (m maker) json(depth int) string {
	kinds := 7
	if depth <= 0 {
		kinds = 5
	}
	switch m.IntN(kinds) {
	case 0:
		return m.pick("true", "false", "null")
	case 1:
		return m.number()
	case 2, 3, 4:
		return quoted(m.text())
	case 5:
		var items []string
		for range m.IntN(4) {
			items = append(items, m.json(depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return m.object(depth, "")
}

// object is the text of an object without repeated names, first after its begin.
func (m maker) object(depth int, first string) string {
	seen := map[string]bool{"name": true}
	members := []string{}
	if first != "" {
		members = append(members, first)
	}
	for range m.IntN(5) {
		name := m.pick("a", "b", "type", "properties", "description", "enum", m.text())
		if !seen[name] {
			seen[name] = true
			members = append(members, quoted(name)+m.pick(":", " : ")+m.json(depth-1))
		}
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, m.pick(",", ",\n")) + "}"
}

// definition is the text of a tool.
func (m maker) definition(name string) string {
	first := `"name":` + quoted(name)
	if m.IntN(2) == 0 {
		first += `,"inputSchema":` + m.object(3, "")
	}
	return m.object(3, first)
}

// The tests of json.go itself.

func TestStrictReader(t *testing.T) {
	const (
		repeated  = "member %s is repeated: parsers would read different values"
		inexact   = ": an integer that a double can't hold exactly: parsers would read different numbers"
		overflow  = "a number that overflows a double"
		surrogate = "an unpaired surrogate: not Unicode text"
		cutShort  = "unexpected end of the file: cut short?"
	)
	tests := []struct {
		what, text string
		wrong      string // "" if it is accepted
		at         int    // offset of what is wrong
	}{
		{"every kind of value", ` {"a":[null,true,false,1,"x"]} `, "", 0},
		{"blanks between all tokens", " \t\r\n{ \"a\" : [ 1 , 2 ] } ", "", 0},
		{"U+FFFD itself", `"` + "\ufffd" + `"`, "", 0},
		{"a surrogate pair, escaped", `"\ud83d\ude00"`, "", 0},
		{"2^53", `9007199254740992`, "", 0},
		{"2^53+2", `9007199254740994`, "", 0},
		{"2^60", `1152921504606846976`, "", 0},
		{"-2^63", `-9223372036854775808`, "", 0},
		{"10^22, exact", `10000000000000000000000`, "", 0},
		{"2^53+1 with a fraction", `9007199254740993.0`, "", 0},
		{"2^53+1 with an exponent", `9007199254740993e0`, "", 0},
		{"minus zero", `-0`, "", 0},
		{"underflow", `1e-400`, "", 0},
		{"the largest double", `1.7976931348623157e308`, "", 0},
		{"the largest double as an integer", maxDoubleDigits, "", 0},
		{"a fraction of 5,000 digits", "0." + strings.Repeat("3", 5_000), "", 0},

		{"2^53+1", `[9007199254740993]`, "9007199254740993" + inexact, 1},
		{"-(2^53+1)", `{"a": -9007199254740993}`, "-9007199254740993" + inexact, 6},
		{"2^60+1", `1152921504606846977`, "1152921504606846977" + inexact, 0},
		{"2^64-1", `[1,18446744073709551615]`, "18446744073709551615" + inexact, 3},
		{"10^23, inexact", `100000000000000000000000`, "100000000000000000000000" + inexact, 0},
		{"1e400", `[1e400]`, overflow, 1},
		{"-1e400", `[-1e400]`, overflow, 1},
		{"0.1e310", `0.1e310`, overflow, 0},
		{"an integer of 400 digits", strings.Repeat("9", 400), overflow, 0},
		{"an integer of 1 MB", "[" + strings.Repeat("1", 1<<20) + "]", overflow, 1},

		{"repeated", `{"a":1,"a":2}`, fmt.Sprintf(repeated, "a"), 7},
		{"repeated, deep", `[{"x":{"b":1,"c":{},"b":1}}]`, fmt.Sprintf(repeated, "b"), 20},
		{"repeated after unescaping", `{"name":1,"n\u0061me":2}`, fmt.Sprintf(repeated, "name"), 10},
		{"repeated, hostile", `{"\u001b[2J":1,"\u001b[2J":2}`, fmt.Sprintf(repeated, `"<U+001B>[2J"`), 15},
		{"equal only when folded", `{"a":1,"A":2}`, "", 0},

		{"a lone high surrogate", `"ab\ud800"`, surrogate, 3},
		{"a lone low surrogate", `["\udc00"]`, surrogate, 2},
		{"surrogates the wrong way round", `"\ude00\ud83d"`, surrogate, 1},
		{"a high surrogate and a letter", `"\ud83dx"`, surrogate, 1},
		{"a high surrogate and another escape", `"\ud83d\u0041"`, surrogate, 1},
		{"a lone surrogate in a name", `{"\ud800":1}`, surrogate, 2},
		{"invalid UTF-8 in a string", "[\"a\xff\"]", "invalid UTF-8", 3},
		{"overlong UTF-8", "\"\xc0\xaf\"", "invalid UTF-8", 1},
		{"a surrogate in UTF-8", "\"\xed\xa0\x80\"", "invalid UTF-8", 1},
		{"beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", "invalid UTF-8", 1},
		{"cut UTF-8", "[\"\xe2\x82\",1]", "invalid UTF-8", 2},
		{"invalid UTF-8 in a name", "{\"\xff\":1}", "invalid UTF-8", 2},
		{"invalid UTF-8 between tokens", "[1,\xff]", "invalid UTF-8", 3},

		{"a trailing comma in an array", `[1,]`, `not JSON: unexpected ","`, 2},
		{"a trailing comma in an object", `{"a":1,}`, `not JSON: unexpected ","`, 6},
		{"no comma", `[1 2]`, "not JSON: unexpected 2", 3},
		{"no colon", `{"a" 1}`, "not JSON: unexpected 1", 5},
		{"single quotes", `['a']`, `not JSON: unexpected "'"`, 1},
		{"a comment", `[1,/* */2]`, "not JSON: unexpected /", 3},
		{"a bare name", `{a:1}`, "not JSON: unexpected a", 1},
		{"a number as a name", `{1:1}`, "an object member without a quoted name", 1},
		{"NaN", `[NaN]`, "not JSON: unexpected N", 1},
		{"a leading zero", `[01]`, "not JSON: unexpected 1", 2},
		{"a leading plus", `[+1]`, `not JSON: unexpected "+"`, 1},
		{"a bad escape", `["\x41"]`, `not JSON: unexpected "\\"`, 2},
		{"a line feed in a string", "[\"a\nb\"]", `not JSON: unexpected "<U+000A>"`, 3},
		{"a NUL in a string", "[\"a\x00b\"]", `not JSON: unexpected "<U+0000>"`, 3},
		{"NBSP for a blank", "[1,\u00a02]", `not JSON: unexpected "<U+00A0>"`, 3},
		{"the wrong bracket", `[1}`, `not JSON: unexpected "}"`, 2},
		{"cut in an array", `[1,`, cutShort, 3},
		{"cut in a string", `["ab`, cutShort, 4},
		{"cut in a literal", `[tru`, cutShort, 4},
		{"cut in an escape", `["\u00`, cutShort, 6},
		{"nested bomb", strings.Repeat("[", 20_000), "nested more than 10,000 deep", 10_000},
		{"many arrays, then no comma", "[" + strings.Repeat("[],", 10_000) + "[] []]", `not JSON: unexpected "["`, 30_004},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			r := newJSONReader([]byte(tt.text))
			v, err := r.next(0, len(tt.text))
			if err == nil && r.rounded != nil {
				err = r.rounded // a manifest's reader refuses it
			}
			if tt.wrong == "" {
				trimmed := strings.Trim(tt.text, " \t\r\n")
				if err != nil || tt.text[v.at:v.end] != trimmed {
					t.Errorf("got %.80q, %v; want %.80q", tt.text[v.at:v.end], err, trimmed)
				}
				return
			}
			bad, ok := err.(*readError)
			if !ok || bad.text != tt.wrong || bad.at != tt.at {
				t.Errorf("got %#v, want %q at %d", err, tt.wrong, tt.at)
			}
		})
	}
}

// maxDoubleDigits is 2^1024 - 2^971, the largest double, written out.
const maxDoubleDigits = "17976931348623157081452742373170435679807056752584499659891747680315726078002853876058955863276687817154045895351438246423432132688946418276846754670353751" +
	"6986049910576551282076245490090389328944075868508455133942304583236903222948165808559332123348274797826204144723168738177180919299881250404026184124858368"

func TestReaderFindsTheEnd(t *testing.T) {
	for _, tt := range []struct {
		data             string
		at               int
		start, end       int
		nothing, refused bool
	}{
		{data: `{"a":1} {"b":2}`, at: 0, start: 0, end: 7},
		{data: `{"a":1} {"b":2}`, at: 7, start: 8, end: 15},
		{data: `1 2`, at: 0, start: 0, end: 1},
		{data: "  \n", at: 0, nothing: true},
		{data: "", at: 0, nothing: true},
		{data: `{} `, at: 2, nothing: true},
		{data: `{},{}`, at: 2, refused: true},
		{data: `:1`, at: 0, refused: true},
	} {
		v, err := newJSONReader([]byte(tt.data)).next(tt.at, len(tt.data))
		_, bad := err.(*readError)
		if (err == io.EOF) != tt.nothing || bad != tt.refused || err == nil && (int(v.at) != tt.start || int(v.end) != tt.end) {
			t.Errorf("%q from %d: %d, %d, %v", tt.data, tt.at, v.at, v.end, err)
		}
	}
}

// TestLimitsOfADefinition: at the limit is fine, one more is not.
func TestLimitsOfADefinition(t *testing.T) {
	t.Parallel()
	tool := func(member string) string { return `{"tools":[{"name":"t","x":` + member + `}]}` }
	nested := func(n int) string { return tool(strings.Repeat("[", n-1) + strings.Repeat("]", n-1)) } // the definition is 1
	zeros := func(n int) string { return tool("[" + strings.TrimSuffix(strings.Repeat("0,", n-3), ",") + "]") }
	long := func(n int) string { return tool(`"` + strings.Repeat("y", n-len(`{"name":"t","x":""}`)) + `"`) }
	tools := func(n int) string {
		return `{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"name":"t"},`, n), ",") + `]}`
	}
	objects := tool(strings.TrimSuffix(`{"k":`+strings.Repeat(`{"k":`, 126)+"0"+strings.Repeat("}", 127), ""))
	for _, tt := range []struct{ what, manifest, wrong string }{
		{"128 deep", nested(128), ""},
		{"129 deep", nested(129), "m.json:1:11: tool 1 of the list: a definition nested more than 128 deep"},
		{"128 deep, objects", objects, ""},
		{"200,000 values", zeros(200_000), ""}, // the definition, its name, the array, 199,997 zeros
		{"200,001 values", zeros(200_001), "m.json:1:11: tool 1 of the list: a definition of more than 200,000 values"},
		{"4 MiB", long(4 << 20), ""},
		{"4 MiB and a byte", long(4<<20 + 1), "m.json:1:11: tool 1 of the list: a definition of more than 4 MiB"},
		{"50,000 tools", tools(50_000), ""},
		{"50,001 tools", tools(50_001), "m.json:1:650011: tool 50001 of the list: more than 50,000 entries"},
		{"64 MiB of blanks", strings.Repeat(" ", 64<<20+1), "m.json: more than 64 MiB: not one server's list of tools"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, err := parseManifest("m.json", []byte(tt.manifest), secondForm, policy{})
			wantError(t, err, tt.wrong)
		})
	}
}

// FuzzReader holds the reader and its tree against encoding/json.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\n\u00e9\ud83d\ude00",null,true,{}]}`, ` [ ] `, `"\u2028"`, `{"a":{"a":[[[]]]}}`, `1e5 x`, `{"a":1,"a":2}`, `[9007199254740993]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := newJSONReader(data).next(0, len(data))
		if err != nil {
			if bad, ok := err.(*readError); ok && (bad.at < 0 || bad.at > len(data) || bad.from < 0 || bad.from > bad.at) {
				t.Fatalf("%q: an error at %d of a value from %d", data, bad.at, bad.from)
			}
			if v.kind != 0 {
				t.Fatalf("%q: %v, and a value beside it", data, err)
			}
			return
		}
		checkTree(t, data, v)
	})
}

// checkTree holds every node of a tree against encoding/json at its place.
func checkTree(t *testing.T, data []byte, v value) {
	raw := data[v.at:v.end]
	if !json.Valid(raw) {
		t.Fatalf("accepted, and no JSON for encoding/json: %q", raw)
	}
	if got, want := decoded(t, appendJSON(nil, v)), decoded(t, raw); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: read as %v, want %v", raw, got, want)
	}
	for _, p := range v.parts {
		checkTree(t, data, p.value)
	}
}

// FuzzCompareUTF16 holds the order of names against a comparison of code units.
func FuzzCompareUTF16(f *testing.F) {
	f.Add("\U0001f600", "\ufb33")
	f.Add("a", "ab")
	f.Add("\ue000", "\U00010000")
	f.Add("\ud7ff", "\U0010ffff")
	f.Add("é", "e\u0301")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		want := 0
		x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		for i := 0; want == 0 && i < len(x) && i < len(y); i++ {
			want = int(x[i]) - int(y[i])
		}
		if want == 0 {
			want = len(x) - len(y)
		}
		if got := compareUTF16(a, b); (got < 0) != (want < 0) || (got > 0) != (want > 0) {
			t.Errorf("compareUTF16(%q, %q) = %d, code units say %d", a, b, got, want)
		}
	})
}
