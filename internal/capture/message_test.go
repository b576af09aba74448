package capture_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
)

// TestMessages: what a relay passes on, drops and refuses.
func TestMessages(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{ // the number of messages; -1 is an error
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                           1,
		"\t {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{}} \r\n":                        1,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`:              1,
		`{"jsonrpc":"2.0","method":"notifications/x"}`:                                   1,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{"n":12345678901234567890}}`: 1,
		`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]`:          2,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"a\u2028b\u0085c\"}}\n":     1,
		"":      0,
		" \r\n": 0,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\r\n": 1,
		"listening on 80":                      0,
		`{"level":"info","tools":["a"]}`:       0,
		`["a","b"]`:                            0,
		`[]`:                                   0,
		`{}`:                                   0,
		`{"id":1,"result":{"tools":[]}}`:       0,
		`{"jsonrpc":"1.0","id":1,"result":{}}`: 0,
		`{"JSONRPC":"2.0","id":1,"result":{}}`: 0,
		"\ufeff" + `{"jsonrpc":"2.0","id":1,"result":{}}`:                               0,
		`log {"jsonrpc":"2.0","id":1,"result":{}}`:                                      0,
		`{"jsonrpc":"2.0","id":1,"result":{}`:                                           -1,
		`{"jsonrpc":"2.0","id":1,"result":{}} x`:                                        -1,
		`{"jsonrpc":"2.0","id":1,"result":{}}{}`:                                        -1,
		`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`:                              -1,
		`{"jsonrpc":"2.0","id":1,"result":{},"re\u0073ult":{}}`:                         -1,
		`{"jsonrpc":"2.0","id":1,"Result":{},"result":{}}`:                              -1,
		`{"jsonrpc":"2.0","id":1,"result":{"Tools":[]}}`:                                -1,
		`{"jsonrpc":"2.0","id":1,"result":{"tool\u017f":[]}}`:                           -1,
		`{"jsonrpc":"2.0","id":1,"result":{"resource_templates":[]}}`:                   -1, // Python takes it for resourceTemplates
		`{"jsonrpc":"2.0","id":1,"result":{"_meta":{},"meta":1}}`:                       1,
		`{"jsonrpc":"2.0","id":1,"result":["2025-11-25",{},{},"x"]}`:                    -1, // rmcp takes an array for the members in their order
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                        1,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`:                               -1,
		`{"jsonrpc":"2.0","id":1,"result":{},"method":"x"}`:                             -1,
		`{"jsonrpc":"2.0","id":1}`:                                                      -1,
		`{"jsonrpc":"2.0","result":{}}`:                                                 -1,
		`{"jsonrpc":"2.0","id":null,"result":{}}`:                                       -1,
		`{"jsonrpc":"2.0","id":[1],"result":{}}`:                                        -1,
		`{"jsonrpc":"2.0","id":1,"method":1}`:                                           -1,
		`{"jsonrpc":"2.0","id":1,"result":{"x":"\ud800"}}`:                              -1,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xff\"}}":                    -1,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\r\"result\":{}}":                                -1,
		`[{"jsonrpc":"2.0","id":1,"result":{}},{"tools":[]}]`:                           -1,
		`[[{"jsonrpc":"2.0","id":1,"result":{}}],{"jsonrpc":"2.0","id":1,"result":{}}]`: 0,
		`[{"jsonrpc":"2.0","id":1,"result":{}},[{"jsonrpc":"2.0","id":1,"result":{}}]]`: -1,
	} {
		messages, err := capture.Messages([]byte(line))
		if got := len(messages); err != nil && want != -1 || err == nil && got != want || err != nil && messages != nil {
			t.Errorf("%s: %d messages, %v", line, got, err)
		}
		if err != nil {
			jsontest.CheckVisible(t, err.Error())
		}
	}
}

// messagesIn returns the elements of a batch, or the one message.
func messagesIn(line string) (list []json.RawMessage) {
	if json.Unmarshal([]byte(line), &list) != nil {
		list = []json.RawMessage{json.RawMessage(line)}
	}
	return list
}

// FuzzMessages: if a line is taken for messages, no client finds a list or instructions in it
// that HoldsEntries doesn't see.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`,
		`[{"jsonrpc":"2.0","id":1,"result":{"instructions":"x"}},{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}]`,
		`{"jsonrpc":"2.0","id":1,"result":{"t\u006fols":[{"name":"a"}]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Result":{"tools":[]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"x":{"tools":[]}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"resource_templates":[{"name":"a"}]}}`,
		`{"jsonrpc":"2.0","id":1,"result":["1",{},{},"x"]}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}",
		`{"jsonrpc":"2.0","id":1,"result":{}} {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.ReplaceAll(line, "\n", "")
		messages, err := capture.Messages([]byte(line))
		if err != nil || messages == nil {
			return // no client gets such a line
		}
		seen := false
		for _, m := range messages {
			seen = seen || capture.HoldsEntries(m.Get("result"))
		}
		for _, raw := range messagesIn(line) {
			var loose struct{ Result json.RawMessage }
			_ = json.Unmarshal(raw, &loose)
			var members map[string]json.RawMessage
			if json.Unmarshal(loose.Result, &members) != nil && len(loose.Result) > 0 && loose.Result[0] == '[' {
				t.Errorf("%q: serde takes the elements for members", line)
			}
			for name := range members { // as Python's models may
				switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
				case "tools", "prompts", "resources", "resourcetemplates", "instructions":
					if !seen && members[name][0] != 'n' {
						t.Errorf("%q: a client finds %s", line, name)
					}
				}
			}
		}
		for _, r := range readings() {
			if a := answers(t, r.split(line)); r.stdio && len(a.lists) > 0 && !seen {
				t.Errorf("%q: a client finds %v", line, a.lists)
			}
		}
	})
}
