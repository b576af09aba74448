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

// TestStrictReader reads the texts in testdata/strict.txt.
func TestStrictReader(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/strict.txt", 4) {
		t.Run(row[0], func(t *testing.T) {
			text, wrong := row[1], row[2]
			r := NewReader([]byte(text))
			v, err := r.Next(0, len(text))
			if err == nil && r.FirstRounded != nil {
				err = r.FirstRounded // a capture's reader refuses it
			}
			if wrong == "" {
				trimmed := strings.Trim(text, " \t\r\n")
				if err != nil || text[v.Start:v.End] != trimmed {
					t.Errorf("got %.80q, %v; want %.80q", text[v.Start:v.End], err, trimmed)
				}
				return
			}
			bad, ok := err.(*Error)
			if !ok || bad.Text != wrong || fmt.Sprint(bad.Offset) != row[3] {
				t.Errorf("got %#v, want %q at %s", err, wrong, row[3])
			}
		})
	}
}

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
		got := fmt.Sprint(v.Start, v.End)
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
			if bad, ok := err.(*Error); ok && (bad.Offset < 0 || bad.Offset > len(data) || bad.From < 0 || bad.From > bad.Offset) {
				t.Fatalf("%q: an error at %d of a value from %d", data, bad.Offset, bad.From)
			}
			if v.Kind != 0 {
				t.Fatalf("%q: %v, and a value beside it", data, err)
			}
			return
		}
		checkTree(t, data, v)
		r := NewReader(data)
		r.IsDefinition = func(path []Step) bool { return len(path) == 0 }
		r.OnDefinition = func(_ []Step, d Value, canonical []byte) {
			if !reflect.DeepEqual(d, v) || !reflect.DeepEqual(jsontest.DecodeJSON(t, canonical), jsontest.DecodeJSON(t, data[v.Start:v.End])) {
				t.Fatalf("%q: as a definition %+v, want %+v", data, d, v)
			}
		}
		if left, err := r.Next(0, len(data)); err != nil || left.Start != v.Start || left.End != v.End || left.Parts != nil {
			t.Fatalf("%q: a definition leaves %v, %v", data, left, err)
		}
	})
}

// checkTree compares every node of a tree with what encoding/json reads at its place.
func checkTree(t *testing.T, data []byte, v Value) {
	raw := data[v.Start:v.End]
	if !json.Valid(raw) {
		t.Fatalf("accepted, and no JSON for encoding/json: %q", raw)
	}
	if got, want := jsontest.DecodeJSON(t, Append(nil, v)), jsontest.DecodeJSON(t, raw); !reflect.DeepEqual(got, want) {
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
