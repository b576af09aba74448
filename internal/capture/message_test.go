package capture_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
)

// TestMessages: what a relay passes on, drops and refuses.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, row := range jsontest.ReadRows(t, "testdata/messages.txt", 2) {
		messages, err := capture.ParseMessages([]byte(row[0]))
		got := strconv.Itoa(len(messages))
		if err != nil {
			got = "-1"
		}
		if got != row[1] || err != nil && messages != nil {
			t.Errorf("%s: %d messages, %v", row[0], len(messages), err)
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
// that HasEntries doesn't see.
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
		messages, err := capture.ParseMessages([]byte(line))
		if err != nil || messages == nil {
			return // no client gets such a line
		}
		seen := false
		for _, m := range messages {
			seen = seen || capture.HasEntries(m.Get("result"))
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
