package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestOrderByDanger: new warnings, then DUPLICATE, HIDDEN, ADDED, CHANGED by its gravest
// label, REMOVED. A hidden character in a CHANGED entry weighs like HIDDEN.
func TestOrderByDanger(t *testing.T) {
	pinned := pintest.PinsOf(t, `[{"name":"a_gone"},{"name":"b_worded","description":"One."},{"name":"c_safe","annotations":{}},
		{"name":"d_unseen","description":"Two."},{"name":"e_hidden","description":"caf\u00e9"},{"name":"g_twice"},{"name":"z_warned","description":"Three."},{"name":"same"}]`, pin.Policy{})
	found := pintest.PinsOf(t, `[{"name":"b_worded","description":"Eins."},{"name":"c_safe","annotations":{"readOnlyHint":true}},
		{"name":"d_unseen","description":"Zwei \u2764\ufe0f."},{"name":"e_hidden","description":"cafe\u0301"},{"name":"f_new"},{"name":"g_twice"},{"name":"g_twice","x":1},
		{"name":"z_warned","description":"Three.\udb40\udc68\udb40\udc69"},{"name":"same"}]`, pin.Policy{})
	r := upgradeReport(pinned, found)
	var got []string
	for i := range r.groups {
		got = append(got, r.groupTitle(r.groups[i], 0))
	}
	const want = "HIDDEN z_warned, DUPLICATE g_twice, HIDDEN e_hidden, CHANGED d_unseen, ADDED f_new, CHANGED c_safe, CHANGED b_worded, REMOVED a_gone"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	for i, g := range r.groups {
		if g.drifts[0] != i {
			t.Errorf("group %d begins with drift %d", i, g.drifts[0])
		}
	}
	if got := r.verdictLine(); got != "DRIFT: 1 WARNING hidden-text in z_warned; 1 duplicate, 2 hidden, 1 added, 3 changed, 1 removed; 1 matches tools.lock" {
		t.Error(got)
	}
}

// TestEqualEditsFold: the same words in other surroundings are one entry, shown where
// most have it; a warning keeps an entry apart.
func TestEqualEditsFold(t *testing.T) {
	list := func(insert string, poison string) pin.Set {
		var tools []string
		for _, name := range []string{"a", "b", "c", "d"} {
			extra := ""
			if name == "c" {
				extra = poison
			}
			tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"%sTool number %s.%s"}`, name, insert, name, extra))
		}
		return pintest.PinsOf(t, "["+strings.Join(tools, ",")+"]", pin.Policy{})
	}
	r := upgradeReport(list("", ""), list("Read only. ", `\udb40\udc68\udb40\udc69`))
	if len(r.groups) != 2 || r.groupTitle(r.groups[0], 0) != "CHANGED c" || r.groupTitle(r.groups[1], 2) != "CHANGED 3 tools alike: a, b and 1 more" {
		t.Fatalf("%d groups: %s", len(r.groups), r.groupTitle(r.groups[0], 0))
	}
	if r.acceptCommand(r.groups[0]) != "" {
		t.Error("a command accepts a warning")
	}
	want := "pinproof relock new.json --accept a --accept b --accept d --expect " + r.Comparisons[0].Captured.Digest
	if got := r.acceptCommand(r.groups[1]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEntryCounts(t *testing.T) {
	for _, tt := range []struct {
		c             pin.Counts
		all, together string
	}{
		{pin.Counts{}, "0 tools", "0 tools"},
		{pin.Counts{1}, "1 tool", "1 tool"},
		{pin.Counts{14, 3, 0, 0, 1}, "14 tools, 3 prompts, instructions", "18 entries"},
		{pin.Counts{0, 1}, "1 prompt", "1 prompt"},
		{pin.Counts{0, 0, 2, 1200}, "2 templates, 1,200 resources", "1,202 entries"},
		{pin.Counts{0, 0, 0, 0, 1}, "instructions", "instructions"},
	} {
		if tt.c.String() != tt.all || tt.c.Plural() != tt.together {
			t.Errorf("%v: %q, %q", tt.c, tt.c.String(), tt.c.Plural())
		}
	}
}

// TestReportOfOtherLists: entries that are no tools have lines and selections of their own.
func TestReportOfOtherLists(t *testing.T) {
	entry := func(list pin.EntryType, name, definition string) pin.Pin {
		return pin.Pin{Key: pin.Key{Type: list, Name: name}, Form: pintest.Form(pin.Tools, []byte(definition))}
	}
	tool := pintest.PinsOf(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, pin.Policy{}).Pins[0]
	pinned := pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Resources, "file:///a", `{"uri":"file:///a"}`), entry(pin.Instructions, "", `"Use x."`)}}
	found := pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Prompts, "x", `{"name":"x"}`), entry(pin.Instructions, "", `"Use y."`)}}
	r := upgradeReport(pinned, found)
	var b bytes.Buffer
	if err := WriteVerify(&b, r, TextStyle{}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BLOCK [ADDED] prompt=x\n", "BLOCK [CHANGED] instructions\n", "BLOCK [REMOVED] resource=\"file:///a\"\n",
		"DRIFT: 1 added, 1 changed, 1 removed; 1 matches tools.lock\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	// Each command names its entry and nothing else.
	for i, want := range map[pin.DriftKind]string{pin.Added: "prompt=x", pin.Changed: "instructions", pin.Removed: "sha256:"} {
		g := r.groups[slices.IndexFunc(r.groups, func(g *group) bool { return r.first(g).Kind == i })]
		if command := r.acceptCommand(g); !strings.Contains(command, " --accept "+want) || strings.Count(command, "--accept") != 1 {
			t.Errorf("%s: %s", i, command)
		}
	}
}

// TestInstructionsFirst: every session reads a server's instructions, so they stand before
// what else has the same gravest label, and behind what is graver.
func TestInstructionsFirst(t *testing.T) {
	entries := func(instructions, tools string) pin.Set {
		v := pintest.Tree(t, instructions)
		set := pintest.PinsOf(t, tools, pin.Policy{})
		set.Pins = append(set.Pins, pin.Pin{Key: pin.Key{Type: pin.Instructions}, Form: pintest.Form(pin.Instructions, jsontree.Append(nil, v))})
		return set
	}
	r := upgradeReport(entries(`"Use x."`, `[{"name":"a","description":"One."},{"name":"b","annotations":{}}]`),
		entries(`"Use y."`, `[{"name":"a","description":"Two."},{"name":"b","annotations":{"readOnlyHint":true}}]`))
	var got []string
	for i := range r.groups {
		got = append(got, r.groupTitle(r.groups[i], 0))
	}
	if got := strings.Join(got, ", "); got != "CHANGED b, CHANGED instructions, CHANGED a" {
		t.Error(got)
	}
}
