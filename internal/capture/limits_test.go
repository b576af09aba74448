package capture_test

import (
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
)

// TestLimitsOfADefinition: at the limit is fine, one more is not.
func TestLimitsOfADefinition(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it reads captures of many MiB")
	tool := func(member string) string { return `{"tools":[{"name":"t","x":` + member + `}]}` }
	nested := func(n int) string { return tool(strings.Repeat("[", n-1) + strings.Repeat("]", n-1)) } // the definition itself is one level
	zeros := func(n int) string { return tool("[" + strings.TrimSuffix(strings.Repeat("0,", n-3), ",") + "]") }
	long := func(n int) string { return tool(`"` + strings.Repeat("y", n-len(`{"name":"t","x":""}`)) + `"`) }
	tools := func(n int) string {
		return `{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"name":"t"},`, n), ",") + `]}`
	}
	tiny := func(n int) string { return tool("[" + strings.TrimSuffix(strings.Repeat("-5e-324,", n), ",") + "]") }
	returns := func(n int) string { return "log" + strings.Repeat("\r", n) + "log\n" + `{"tools":[]}` }
	objects := tool(strings.TrimSuffix(`{"k":`+strings.Repeat(`{"k":`, 126)+"0"+strings.Repeat("}", 127), ""))
	for _, tt := range []struct{ what, capture, wrong string }{
		{"128 deep", nested(128), ""},
		{"129 deep", nested(129), "m.json:1:11: tool 1 of the list: a definition nested more than 128 deep"},
		{"128 deep, objects", objects, ""},
		{"200,000 values", zeros(200_000), ""}, // the definition, its name, the array, 199,997 zeros
		{"200,001 values", zeros(200_001), "m.json:1:11: tool 1 of the list: a definition of more than 200,000 values"},
		{"10,000 tiny numbers", tiny(10_000), ""},
		{"10,001 tiny numbers", tiny(10_001), `m.json:1:80028: tool t: more than 10,000 numbers below 2.3e-308: reading them would take too long`},
		{"100,000 carriage returns", returns(100_000), ""},
		{"100,001 carriage returns", returns(100_001), "m.json: more than 100,000 carriage returns without a line feed: not the lines of a session"},
		{"4 MiB", long(4 << 20), ""},
		{"4 MiB and a byte", long(4<<20 + 1), "m.json:1:11: tool 1 of the list: a definition of more than 4 MiB"},
		{"50,000 tools", tools(50_000), ""},
		{"50,001 tools", tools(50_001), "m.json:1:650011: tool 50001 of the list: more than 50,000 entries"},
		{"64 MiB of blanks", strings.Repeat(" ", 64<<20+1), "m.json: more than 64 MiB: not one server's list of tools"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, err := capture.Read("m.json", []byte(tt.capture), func(pin.EntryType, []byte) pin.HashedDefinition { return pin.HashedDefinition{} }, pin.Policy{})
			jsontest.WantError(t, err, tt.wrong)
		})
	}
}
