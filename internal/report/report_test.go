package report_test

import (
	"bytes"
	"strings"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// TestOrderByRank: new warnings come first, then DUPLICATE, HIDDEN, approved entries that claim less risk now,
// ADDED and CHANGED by their content, and REMOVED. A hidden character in a CHANGED entry weighs like HIDDEN.
func TestOrderByRank(t *testing.T) {
	pinned := pintest.PinsOf(t, `[{"name":"a_gone"},{"name":"b_worded","description":"One."},{"name":"c_safe","annotations":{}},
		{"name":"d_unseen","description":"Two."},{"name":"e_hidden","description":"caf\u00e9"},{"name":"g_twice"},{"name":"z_warned","description":"Three."},{"name":"same"}]`, pin.Policy{})
	found := pintest.PinsOf(t, `[{"name":"b_worded","description":"Eins."},{"name":"c_safe","annotations":{"readOnlyHint":true}},
		{"name":"d_unseen","description":"Zwei \u2764\ufe0f."},{"name":"e_hidden","description":"cafe\u0301"},{"name":"f_new","x":1},{"name":"g_twice"},{"name":"g_twice","x":1},
		{"name":"z_warned","description":"Three.\udb40\udc68\udb40\udc69"},{"name":"same"}]`, pin.Policy{})
	r := reporttest.UpgradeReport(pinned, found)
	var got []string
	for _, b := range r.Model.Blocks {
		got = append(got, b.Kind+" "+b.Title)
	}
	const want = "HIDDEN z_warned, DUPLICATE g_twice, CHANGED d_unseen, HIDDEN e_hidden, CHANGED c_safe, ADDED f_new, CHANGED b_worded, REMOVED a_gone"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	for i, b := range r.Model.Blocks {
		if b.Entries[0] != r.Model.Entries[i] {
			t.Errorf("block %d begins with %s", i, b.Entries[0].DisplayName)
		}
	}
	if got := reporttest.Headline(r); got != "DRIFT: 1 WARNING hidden-text in z_warned; 1 duplicate, 2 hidden, 1 added, 3 changed, 1 removed; 1 matches tools.lock" {
		t.Error(got)
	}
}

func TestEntryCounts(t *testing.T) {
	for _, tt := range []struct {
		c             pin.Counts
		all, together string
	}{
		{pin.Counts{}, "0 tools", "0 tools"},
		{pin.Counts{1}, "1 tool", "1 tool"},
		{pin.Counts{14, 3, 0, 0, 0, 1}, "14 tools, 3 prompts, instructions", "18 entries"},
		{pin.Counts{0, 1}, "1 prompt", "1 prompt"},
		{pin.Counts{0, 0, 2, 1200}, "2 templates, 1,200 resources", "1,202 entries"},
		{pin.Counts{0, 0, 0, 0, 1}, "1 skill", "1 skill"},
		{pin.Counts{0, 0, 0, 0, 0, 1}, "instructions", "instructions"},
	} {
		if tt.c.String() != tt.all || tt.c.Summary() != tt.together {
			t.Errorf("%v: %q, %q", tt.c, tt.c.String(), tt.c.Summary())
		}
	}
}

// TestReportOfOtherLists: entries that aren't tools have lines and selections of their own.
func TestReportOfOtherLists(t *testing.T) {
	entry := func(entryType pin.EntryType, name, definition string) pin.Pin {
		return pin.Pin{Key: pin.Key{Type: entryType, Name: name}, HashedDefinition: pintest.HashDefinition(pin.Tools, []byte(definition))}
	}
	tool := pintest.PinsOf(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, pin.Policy{}).Pins[0]
	pinned := pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Resources, "file:///a", `{"uri":"file:///a"}`), entry(pin.Instructions, "", `"Use x."`)}}
	found := pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Prompts, "x", `{"name":"x"}`), entry(pin.Instructions, "", `"Use y."`)}}
	r := reporttest.UpgradeReport(pinned, found)
	var b bytes.Buffer
	if err := plain.WriteVerify(&b, r.Model, plain.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BLOCK [ADDED] prompt=x\n", "BLOCK [CHANGED] instructions\n", "BLOCK [REMOVED] resource=\"file:///a\"\n",
		"DRIFT: 1 added, 1 changed, 1 removed; 1 matches tools.lock\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	// Each command names its entry and nothing else.
	for i, b := range r.Model.Blocks {
		if want := "pinproof relock new.json --accept " + r.Drifts[i].DigestToAccept(); b.AcceptCommand != want {
			t.Errorf("%s: %s", b.Title, b.AcceptCommand)
		}
	}
}

// TestInstructionsFirst: every session reads a server's instructions, so they come before
// other entries with the same content, and after entries that rank higher.
func TestInstructionsFirst(t *testing.T) {
	entries := func(instructions, tools string) pin.Set {
		v := pintest.ParseTree(t, instructions)
		set := pintest.PinsOf(t, tools, pin.Policy{})
		set.Pins = append(set.Pins, pin.Pin{Key: pin.Key{Type: pin.Instructions}, HashedDefinition: pintest.HashDefinition(pin.Instructions, jsontree.Append(nil, v))})
		return set
	}
	r := reporttest.UpgradeReport(entries(`"One."`, `[{"name":"a","description":"One."},{"name":"b","annotations":{}}]`),
		entries(`"Two."`, `[{"name":"a","description":"Two."},{"name":"b","annotations":{"readOnlyHint":true}}]`))
	var got []string
	for _, b := range r.Model.Blocks {
		got = append(got, b.Kind+" "+b.Title)
	}
	if got := strings.Join(got, ", "); got != "CHANGED b, CHANGED instructions, CHANGED a" {
		t.Error(got)
	}
}

// TestParameterCalledRequired: a parameter may be called like the list of required names.
func TestParameterCalledRequired(t *testing.T) {
	list := func(parameter string) string {
		return `[{"name":"t","inputSchema":{"type":"object","properties":{"required":` + parameter + `}}}]`
	}
	const inside = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	for _, lists := range [][2]string{{"true", inside}, {inside, "true"}} {
		for _, row := range reporttest.ListsReport(t, list(lists[0]), list(lists[1])).Model.Blocks[0].Rows {
			if strings.Contains(row.Word, " now") {
				t.Errorf("%s -> %s: %s %s", lists[0], lists[1], row.Word, row.Place)
			}
		}
	}
}
