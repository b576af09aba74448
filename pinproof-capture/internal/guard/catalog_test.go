package guard

import (
	"strings"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// aTree reads JSON.
func aTree(t *testing.T, text string) jsontree.Value {
	t.Helper()
	v, err := jsontree.NewReader([]byte(text)).Only()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var toolA, toolB, toolX = pin.Key{Type: pin.Tools, Name: "a"}, pin.Key{Type: pin.Tools, Name: "b"}, pin.Key{Type: pin.Tools, Name: "x"}

func aCatalog() *catalog {
	return &catalog{shown: map[pin.Key]entry{}, approved: &approved{entries: map[pin.Key]pinned{toolA: {Digest: "of a"}, toolB: {Digest: "of b"}}}}
}

// TestCatalogCalls: what may be called, by what was shown.
func TestCatalogCalls(t *testing.T) {
	c := aCatalog()
	may := func(params, want string) {
		t.Helper()
		if _, _, why := c.called(pin.Tools, aTree(t, params)); why != want {
			t.Errorf("%s: %q, want %q", params, why, want)
		}
	}
	may(`{"name":"a"}`, "") // before it was listed
	may(`{"name":"x"}`, notApproved)
	may(`{"name":["a"]}`, notApproved)
	may(`{"name":"a","NAME":"x"}`, notApproved)
	may(`{"name":"a","\u017fome":1}`, "")
	c.show(map[pin.Key]pinned{toolA: {"of a", "approval"}}, map[pin.Key]string{toolB: "CHANGED", toolX: "ADDED"})
	may(`{"name":"a"}`, "")
	may(`{"name":"b"}`, notApproved)
	if _, under, _ := c.called(pin.Tools, aTree(t, `{"name":"a"}`)); under != (pinned{"of a", "approval"}) {
		t.Errorf("a is called under %v", under)
	}
	c.show(map[pin.Key]pinned{toolB: {"of b", ""}}, nil)
	may(`{"name":"b"}`, "")
	c.changed(pin.Prompts)
	may(`{"name":"a"}`, "")
	c.changed(pin.Tools)
	may(`{"name":"a"}`, notListed)
	c.show(map[pin.Key]pinned{toolA: {"of a", "approval"}}, nil)
	may(`{"name":"a"}`, "")
	may(`{"name":"b"}`, notListed)
	c.lists[pin.Tools].unseen = gone
	may(`{"name":"a"}`, "")
	may(`{"name":"b"}`, gone)
	c.changed(pin.Tools)
	may(`{"name":"b"}`, notListed)
	c.show(map[pin.Key]pinned{toolB: {"of b", ""}}, nil)
	may(`{"name":"b"}`, "")
	c.policy.ToolsOnly = true
	if _, _, why := c.called(pin.Prompts, aTree(t, `{"name":"p"}`)); why != "" {
		t.Errorf("a prompt, where prompts aren't pinned: %s", why)
	}
}

// TestTranscript: a listing is held against the pins as far as it goes, from its first page on.
func TestTranscript(t *testing.T) {
	var said transcript
	for _, tt := range []struct{ page, message, want string }{
		{"", "1", "1 "},
		{"2", "2", "1 2 "},
		{"3", "3", "1 2 3 "},
		{"2", "again", "1 again "},
		{"", "anew", "anew "},
		{"unknown", "x", "anew x "},
		{"3", strings.Repeat("y", mcp.MaxBytes-1), strings.Repeat("y", mcp.MaxBytes-1) + " "}, // more than pinproof reads
	} {
		if got := strings.ReplaceAll(string(said.add(pin.Tools, tt.page, []byte(tt.message))), "\n", " "); got != tt.want {
			t.Errorf("%.20s: %.40s, want %.40s", tt.message, got, tt.want)
		}
	}
	said.add(pin.Instructions, "", []byte("i"))
	if got := string(said.text(pin.LockOrder[:]...)); got != "i\n" {
		t.Errorf("all of it: %.20s", got)
	}
}
