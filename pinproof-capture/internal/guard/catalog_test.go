package guard

import (
	"strconv"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
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
	return newCatalog(&approved{entries: map[pin.Key]pinned{toolA: {Digest: "of a"}, toolB: {Digest: "of b"}}})
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

// TestCatalogPages: an entry stands on one page of a listing, and what is pinned on one of them.
func TestCatalogPages(t *testing.T) {
	c := aCatalog()
	page := func(cursor, result string, twice, missing int) {
		t.Helper()
		asked, again := request{method: "tools/list"}, map[pin.Key]string{}
		if cursor != "" {
			asked.page = pageOf(jsontree.Text(cursor))
		}
		seen := c.page(pin.Tools, aTree(t, result), asked, again)
		if lacks := c.missing(pin.Tools, seen); len(again) != twice || lacks != missing {
			t.Errorf("%s: %d twice, %d missing", result, len(again), lacks)
		}
	}
	page("", `{"tools":[{"name":"a"}],"nextCursor":"2"}`, 0, 1) // so far
	page("2", `{"tools":[{"name":"b"}]}`, 0, 0)
	page("2", `{"tools":[{"name":"a"}],"nextCursor":"3"}`, 1, 1)
	page("3", `{"tools":[]}`, 0, 1)
	page("", `{"tools":[{"name":"a"}]}`, 0, 1)
	page("", `{"tools":[{"name":"x"},{"name":"x"}]}`, 0, 2) // what isn't approved drifts anyhow
	for n := range maxCursors + 10 {                        // a server makes up cursors
		page("", `{"tools":[],"nextCursor":"`+strconv.Itoa(n)+`"}`, 0, 2)
	}
	if n := len(c.lists[pin.Tools].before); n > maxCursors {
		t.Errorf("%d cursors are remembered", n)
	}
}
