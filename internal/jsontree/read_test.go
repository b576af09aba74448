package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"pinproof/internal/jsontest"
)

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
		{"2^53+1 with a fraction", `9007199254740993.0`, "9007199254740993.0" + inexact, 0},
		{"2^53+1 with an exponent", `9007199254740993e0`, "9007199254740993e0" + inexact, 0},
		{"minus zero", `-0`, "", 0},
		{"underflow", `1e-400`, "", 0},
		{"the largest double", `1.7976931348623157e308`, "", 0},
		{"the largest double as an integer", maxDoubleDigits, "", 0},
		{"a fraction of 5,000 digits", "0." + strings.Repeat("3", 5_000), "", 0},

		// JavaScript and Python read 1 here, and Go reads 0.
		{"zeros that an exponent makes up for", "[0." + strings.Repeat("0", 100_000) + "1e100001]", "a number with an exponent and more than 800 characters: parsers would read different numbers", 1},
		{"digits that an exponent takes back", "[1" + strings.Repeat("0", 100_000) + "e-100000]", "a number with an exponent and more than 800 characters: parsers would read different numbers", 1},
		{"half a step and digits that an exponent takes back", "9007199254740993" + strings.Repeat("0", 800) + "e-800", "a number with an exponent and more than 800 characters: parsers would read different numbers", 0},
		{"the smallest double written out", "0." + strings.Repeat("0", 323) + "5", "", 0},
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
			r := NewReader([]byte(tt.text))
			v, err := r.Next(0, len(tt.text))
			if err == nil && r.Rounded != nil {
				err = r.Rounded // a capture's reader refuses it
			}
			if tt.wrong == "" {
				trimmed := strings.Trim(tt.text, " \t\r\n")
				if err != nil || tt.text[v.At:v.End] != trimmed {
					t.Errorf("got %.80q, %v; want %.80q", tt.text[v.At:v.End], err, trimmed)
				}
				return
			}
			bad, ok := err.(*Error)
			if !ok || bad.Text != tt.wrong || bad.At != tt.at {
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
		data string
		from int
		want string // where the value begins and ends
	}{
		{`{"a":1} {"b":2}`, 0, "0 7"},
		{`{"a":1} {"b":2}`, 7, "8 15"},
		{`1 2`, 0, "0 1"},
		{"  \n", 0, "EOF"},
		{"", 0, "EOF"},
		{`{} `, 2, "EOF"},
		{`{},{}`, 2, `not JSON: unexpected ","`},
		{`:1`, 0, `not JSON: unexpected ":"`},
	} {
		v, err := NewReader([]byte(tt.data)).Next(tt.from, len(tt.data))
		got := fmt.Sprint(v.At, v.End)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q from %d: %s, want %s", tt.data, tt.from, got, tt.want)
		}
	}
}

// FuzzReader compares the reader with the library's strict decoder, and its tree with encoding/json.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\n\u00e9\ud83d\ude00",null,true,{}]}`, ` [ ] `, `"\u2028"`, `{"a":{"a":[[[]]]}}`, `1e5 x`, `{"a":1,"a":2}`, `[9007199254740993]`, "[01]", "[1.]", "[-]", "[1e+]", "{\"a\":1,}", "[1 2]", "\"\\ud800\"", "\"\x01\"", "truefalse", "nul", "\"\\",
		`{"b\u0000":{"\/":"\u0041\/\n"},"a":[-0,1e2,10],"\ud83d\ude00":null,"\ufb33":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := NewReader(data).Next(0, len(data))
		_, refused := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue()
		isOurs := err != nil && strings.HasPrefix(err.Error(), "a number") // a rule that the library doesn't have
		if (err == nil) != (refused == nil) && !isOurs {
			t.Fatalf("%q: %v, and the library: %v", data, err, refused)
		}
		if err != nil {
			if bad, ok := err.(*Error); ok && (bad.At < 0 || bad.At > len(data) || bad.From < 0 || bad.From > bad.At) {
				t.Fatalf("%q: an error at %d of a value from %d", data, bad.At, bad.From)
			}
			if v.Kind != 0 {
				t.Fatalf("%q: %v, and a value beside it", data, err)
			}
			return
		}
		checkTree(t, data, v)
		r := NewReader(data)
		r.IsDefinition = func(path []Step) bool { return len(path) == 0 }
		r.Definition = func(_ []Step, d Value, canonical []byte) {
			if !reflect.DeepEqual(d, v) || !reflect.DeepEqual(jsontest.Decoded(t, canonical), jsontest.Decoded(t, data[v.At:v.End])) {
				t.Fatalf("%q: as a definition %+v, want %+v", data, d, v)
			}
		}
		if left, err := r.Next(0, len(data)); err != nil || left.At != v.At || left.End != v.End || left.Parts != nil {
			t.Fatalf("%q: a definition leaves %v, %v", data, left, err)
		}
	})
}

// checkTree compares every node of a tree with what encoding/json reads at its place.
func checkTree(t *testing.T, data []byte, v Value) {
	raw := data[v.At:v.End]
	if !json.Valid(raw) {
		t.Fatalf("accepted, and no JSON for encoding/json: %q", raw)
	}
	if got, want := jsontest.Decoded(t, Append(nil, v)), jsontest.Decoded(t, raw); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: read as %v, want %v", raw, got, want)
	}
	for i, p := range v.Parts {
		if v.Kind == '{' && i > 0 && CompareUTF16(v.Parts[i-1].Name, p.Name) >= 0 {
			t.Fatalf("%q: %q stands behind %q", raw, p.Name, v.Parts[i-1].Name)
		}
		checkTree(t, data, p.Value)
	}
}

// FuzzCompareUTF16 compares the order of names with the order of their code units.
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
		if got := CompareUTF16(a, b); (got < 0) != (want < 0) || (got > 0) != (want > 0) {
			t.Errorf("compareUTF16(%q, %q) = %d, code units say %d", a, b, got, want)
		}
	})
}
