package jsontree

import (
	"strings"
	"testing"
)

// TestConfirm checks that both other implementations are asked, but jcs only about definitions that
// aren't large. The two disagree about a number that overflows a double, which the reader refuses.
func TestConfirm(t *testing.T) {
	for _, tt := range []struct {
		text, canonical string
		ok              bool
	}{
		{`{"b":1e2,"a":["\u00e9"]}`, `{"a":["é"],"b":100}`, true},
		{`"\u0041\/"`, `"A/"`, true},
		{`{"a":1e400}`, `{"a":1.7976931348623157e+308}`, false}, // jsontext alone confirms it
		{`[1e400` + strings.Repeat(",1", 19_998) + `]`, `[1.7976931348623157e+308` + strings.Repeat(",1", 19_998) + `]`, false}, // 20,000 values
		{`[1e400` + strings.Repeat(",1", 20_000) + `]`, `[1.7976931348623157e+308` + strings.Repeat(",1", 20_000) + `]`, true},  // too large for jcs
		{`[1e2` + strings.Repeat(",1", 20_000) + `]`, `[1e2` + strings.Repeat(",1", 20_000) + `]`, false},                       // jsontext is asked all the same
		{`{"b":1,"a":[]}`, `{"b":1,"a":[]}`, false}, // the order
		{`{"b":1,"a":[]}`, `{"b":1}`, false},        // a member left out
		{`[1.0]`, `[1.0]`, false},                   // a number
		{`[1]`, `[2]`, false},                       // another number
		{`["\u00e9"]`, `["\u00e9"]`, false},         // an escape
		{`["/"]`, `["\/"]`, false},                  // a slash
		{"[\"\u00e9\"]", "[\"e\u0301\"]", false},    // the normal form
		{`[1,2]`, `[1, 2]`, false},                  // a blank
		{`[1]`, `[1],`, false},                      // something behind
		{`[1]`, ``, false},                          // no bytes
		{`[1]`, `[1`, false},                        // a byte that is cut
		{`{"a":1,"a":1}`, `{"a":1,"a":1}`, false},
		{`1],[2`, `1],[2`, false},
		{`1,2`, `1,2`, false},
		{``, ``, false},
	} {
		if err := Confirm([]byte(tt.text), []byte(tt.canonical)); (err == nil) != tt.ok {
			t.Errorf("%.40s as %.40s: %v", tt.text, tt.canonical, err)
		}
	}
}
