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
		_, under, why := c.called(pin.Tools, aTree(t, params))
		if why != want || why != "" && under != (pinned{}) { // in the log, a refused call has no pin
			t.Errorf("%s: %q, want %q, under %v", params, why, want, under)
		}
	}
	may(`{"name":"a"}`, "") // before it was listed
	may(`{"name":"x"}`, notApproved)
	may(`{"name":["a"]}`, notApproved)
	may(`{"name":"a","NAME":"x"}`, notApproved)
	may(`{"name":"a","\u017fome":1}`, "")
	c.show(map[pin.Key]pinned{toolA: {Digest: "of a", Approval: "approval"}}, map[pin.Key]string{toolB: "CHANGED", toolX: "ADDED"})
	may(`{"name":"a"}`, "")
	may(`{"name":"b"}`, notApproved)
	if _, under, _ := c.called(pin.Tools, aTree(t, `{"name":"a"}`)); under != (pinned{Digest: "of a", Approval: "approval"}) {
		t.Errorf("a is called under %v", under)
	}
	c.show(map[pin.Key]pinned{toolB: {Digest: "of b"}}, nil)
	may(`{"name":"b"}`, "")
	c.changed(pin.Prompts)
	may(`{"name":"a"}`, "")
	c.changed(pin.Tools)
	may(`{"name":"a"}`, notListed)
	c.show(map[pin.Key]pinned{toolA: {Digest: "of a", Approval: "approval"}}, nil)
	may(`{"name":"a"}`, "")
	may(`{"name":"b"}`, notListed)
	c.lists[pin.Tools].unseen = gone
	may(`{"name":"a"}`, "")
	may(`{"name":"b"}`, gone)
	c.changed(pin.Tools)
	may(`{"name":"b"}`, notListed)
	c.show(map[pin.Key]pinned{toolB: {Digest: "of b"}}, nil)
	may(`{"name":"b"}`, "")
	c.policy.ToolsOnly = true
	if _, _, why := c.called(pin.Prompts, aTree(t, `{"name":"p"}`)); why != "" {
		t.Errorf("a prompt, where prompts aren't pinned: %s", why)
	}
}

// TestTranscript: a page belongs to the listing that its cursor came from, also where two listings are under way.
func TestTranscript(t *testing.T) {
	var said transcript
	huge := strings.Repeat("y", mcp.MaxBytes-20)
	for _, tt := range []struct{ page, next, message, want string }{
		{"", "2", "1", "1 "},
		{"2", "3", "2", "1 2 "},
		{"3", "", "3", "1 2 3 "},
		{"2", "3", "again", "1 again "},
		{"", "x2", "anew", "anew "},
		{"x2", "x3", "other", "anew other "},
		{"3", "", "3", "1 again 3 "},
		{"x3", "x3", "circle", "anew other circle "},
		{"x3", "x3", "circle", "anew other circle "},
		{"unknown", "", "x", "x "},
		{"3", "4", huge, huge + " "}, // more than pinproof reads
		{"x3", "", "x", "x "},
	} {
		said.add(pin.Tools, tt.page, tt.next, []byte(tt.message))
		if got := strings.ReplaceAll(string(said.text()), "\n", " "); got != tt.want {
			t.Errorf("%.20s: %.40s, want %.40s", tt.message, got, tt.want)
		}
	}
	said.add(pin.Instructions, "", "", []byte("i"))
	if got := string(said.text()); got != "i\nx\n" {
		t.Errorf("all of it: %.20s", got)
	}
}
