package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindRenames(t *testing.T) {
	const words = "Looks for pages on the web and gives back the ten that fit best"
	tool := func(name, description string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q}`, name, description)
	}
	for _, tt := range []struct {
		what, old, new, want string
		similar              bool
	}{
		{"the same body", `{"name":"a","x":1}`, `{"name":"b","x":1}`, "REMOVED a to b, ADDED b from a", false},
		{"other separators", `{"name":"web-search","x":1}`, `{"name":"web_search","x":2}`, "REMOVED web-search to web_search, ADDED web_search from web-search", true},
		{"other letter case", `{"name":"webSearch","x":1}`, `{"name":"web.search","x":2}`, "ADDED web.search from webSearch, REMOVED webSearch to web.search", true},
		{"the body counts before the name", `{"name":"a-b","x":1},{"name":"z","x":2}`, `{"name":"a_b","x":2}`, "REMOVED a-b, ADDED a_b from z, REMOVED z to a_b", false},
		{"the same description", tool("a", words) + `,` + tool("keep", ""), strings.Replace(tool("b", words), "{", `{"x":1,`, 1) + `,` + tool("keep", ""), "REMOVED a to b, ADDED b from a", true},
		{"nearly the same description", tool("a", words), tool("b", words+" now"), "REMOVED a to b, ADDED b from a", true},
		{"the likest of two", tool("a", words+" of all") + `,` + tool("b", words), tool("c", words+" now"), "REMOVED a, REMOVED b to c, ADDED c from b", true},
		{"another description", tool("a", words), tool("b", "Sends mail to anyone who asks for it, whatever it says in there"), "REMOVED a, ADDED b", false},
		{"too few words to tell", tool("a", "Looks for pages"), strings.Replace(tool("b", "Looks for pages"), "{", `{"x":1,`, 1), "REMOVED a, ADDED b", false},
		{"a name of separators alone", `{"name":"-","x":1}`, `{"name":"_","x":2}`, "REMOVED -, ADDED _", false},
		{"a look-alike letter is no separator", `{"name":"ab","x":1}`, `{"name":"a\u0432b","x":2}`, "REMOVED ab, ADDED a\u0432b", false},
	} {
		drifts := plainDrifts([]pair{{pinned: pinsOf(t, "["+tt.old+"]", policy{}), found: pinsOf(t, "["+tt.new+"]", policy{})}})
		findRenames(drifts)
		if got := driftLines(drifts); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.what, got, tt.want)
		}
		for _, d := range drifts {
			if (d.renamedFrom+d.renamedTo != "" && tt.similar) != d.renamedSimilar {
				t.Errorf("%s: %s similar: %v", tt.what, d.name, d.renamedSimilar)
			}
		}
	}
}

// Servers and lists are kept apart, and a URI is a name.
func TestRenamesStayInTheirList(t *testing.T) {
	entry := func(server string, list listKind, name, definition string) drift {
		p := &pin{entryKey: entryKey{list, name}, form: form{definition: []byte(definition)}}
		if strings.HasPrefix(name, "old") {
			return drift{server: server, entryKey: p.entryKey, kind: removed, pinned: p}
		}
		return drift{server: server, entryKey: p.entryKey, kind: added, found: p}
	}
	drifts := []drift{
		entry("s", toolList, "old", `{"name":"old","x":1}`),
		entry("s", promptList, "new", `{"name":"new","x":1}`),
		entry("t", toolList, "new", `{"name":"new","x":1}`),
		entry("s", resourceList, "old:", `{"name":"x","uri":"old:"}`),
		entry("s", resourceList, "new:", `{"name":"x","uri":"new:"}`),
		entry("s", templateList, "old:{x}", `{"name":"x","uriTemplate":"old:{x}"}`),
		entry("s", templateList, "new:{x}", `{"name":"x","uriTemplate":"new:{x}"}`),
	}
	findRenames(drifts)
	want := "REMOVED old, ADDED new, ADDED new, REMOVED old: to new:, ADDED new: from old:, REMOVED old:{x} to new:{x}, ADDED new:{x} from old:{x}"
	if got := driftLines(drifts); got != want {
		t.Errorf("got %s", got)
	}
}

// Many tools of long descriptions, all gone and all new.
func TestManyRenames(t *testing.T) {
	t.Parallel()
	var drifts []drift
	for i := range 20_000 {
		p := &pin{entryKey: entryKey{name: fmt.Sprint(i)}, form: form{definition: fmt.Appendf(nil, `{"description":"%sof %d","name":"%d"}`, strings.Repeat("some words ", 20), i, i)}}
		d := drift{entryKey: p.entryKey, kind: removed, pinned: p}
		if i%2 == 0 {
			d.kind, d.pinned, d.found = added, nil, p
		}
		drifts = append(drifts, d)
	}
	findRenames(drifts)
	for _, d := range drifts {
		if d.renamedFrom+d.renamedTo != "" {
			t.Fatalf("%s is a rename: too many to compare", d.name)
		}
	}
}
