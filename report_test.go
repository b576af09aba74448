package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOrderByDanger: new warnings, then DUPLICATE, HIDDEN, ADDED, CHANGED by its gravest
// label, REMOVED. A hidden character in a CHANGED entry weighs like HIDDEN.
func TestOrderByDanger(t *testing.T) {
	pinned := pinsOf(t, `[{"name":"a_gone"},{"name":"b_worded","description":"One."},{"name":"c_safe","annotations":{}},
		{"name":"d_unseen","description":"Two."},{"name":"e_hidden","description":"caf\u00e9"},{"name":"g_twice"},{"name":"z_warned","description":"Three."},{"name":"same"}]`, policy{})
	found := pinsOf(t, `[{"name":"b_worded","description":"Eins."},{"name":"c_safe","annotations":{"readOnlyHint":true}},
		{"name":"d_unseen","description":"Zwei \u2764\ufe0f."},{"name":"e_hidden","description":"cafe\u0301"},{"name":"f_new"},{"name":"g_twice"},{"name":"g_twice","x":1},
		{"name":"z_warned","description":"Three.\udb40\udc68\udb40\udc69"},{"name":"same"}]`, policy{})
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
	list := func(insert string, poison string) pinset {
		var tools []string
		for _, name := range []string{"a", "b", "c", "d"} {
			extra := ""
			if name == "c" {
				extra = poison
			}
			tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"%sTool number %s.%s"}`, name, insert, name, extra))
		}
		return pinsOf(t, "["+strings.Join(tools, ",")+"]", policy{})
	}
	r := upgradeReport(list("", ""), list("Read only. ", `\udb40\udc68\udb40\udc69`))
	if len(r.groups) != 2 || r.groupTitle(r.groups[0], 0) != "CHANGED c" || r.groupTitle(r.groups[1], 2) != "CHANGED 3 tools alike: a, b and 1 more" {
		t.Fatalf("%d groups: %s", len(r.groups), r.groupTitle(r.groups[0], 0))
	}
	if r.acceptCommand(r.groups[0]) != "" {
		t.Error("a command accepts a warning")
	}
	want := "pinproof relock new.json --accept a --accept b --accept d --expect " + r.pairs[0].found.digest
	if got := r.acceptCommand(r.groups[1]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEntryCounts(t *testing.T) {
	for _, tt := range []struct {
		c             counts
		all, together string
	}{
		{counts{}, "0 tools", "0 tools"},
		{counts{1}, "1 tool", "1 tool"},
		{counts{14, 3, 0, 0, 1}, "14 tools, 3 prompts, instructions", "18 entries"},
		{counts{0, 1}, "1 prompt", "1 prompt"},
		{counts{0, 0, 2, 1200}, "2 templates, 1,200 resources", "1,202 entries"},
		{counts{0, 0, 0, 0, 1}, "instructions", "instructions"},
	} {
		if tt.c.String() != tt.all || tt.c.plural() != tt.together {
			t.Errorf("%v: %q, %q", tt.c, tt.c.String(), tt.c.plural())
		}
	}
}

// TestReportOfOtherLists: entries that are no tools have lines and selections of their own.
func TestReportOfOtherLists(t *testing.T) {
	entry := func(list listKind, name, definition string) pin {
		v := tree(t, definition)
		return pin{entryKey: entryKey{list, name}, form: secondForm(toolList, &v)}
	}
	tool := pinsOf(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, policy{}).pins[0]
	pinned := pinset{server: "s", pins: []pin{tool, entry(resourceList, "file:///a", `{"uri":"file:///a"}`), entry(instructionsList, "", `"Use x."`)}}
	found := pinset{server: "s", pins: []pin{tool, entry(promptList, "x", `{"name":"x"}`), entry(instructionsList, "", `"Use y."`)}}
	r := upgradeReport(pinned, found)
	var b bytes.Buffer
	if err := writeVerify(&b, r, textStyle{}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BLOCK [ADDED] prompt=x\n", "BLOCK [CHANGED] instructions\n", "BLOCK [REMOVED] resource=\"file:///a\"\n",
		"DRIFT: 1 added, 1 changed, 1 removed; 1 matches tools.lock\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	// Each command names its entry and nothing else.
	for i, want := range map[kind]string{added: "prompt=x", changed: "instructions", removed: "sha256:"} {
		g := r.groups[slices.IndexFunc(r.groups, func(g *group) bool { return r.first(g).kind == i })]
		if command := r.acceptCommand(g); !strings.Contains(command, " --accept "+want) || strings.Count(command, "--accept") != 1 {
			t.Errorf("%s: %s", i, command)
		}
	}
}

func TestParseEntry(t *testing.T) {
	for arg, want := range map[string]entryKey{
		"a": {toolList, "a"}, "prompt=a": {promptList, "a"}, "template=x://{y}": {templateList, "x://{y}"}, "resource=x://y": {resourceList, "x://y"},
		"instructions": {instructionsList, ""}, "tool=instructions": {toolList, "instructions"}, "tool=prompt=a": {toolList, "prompt=a"},
		"prompt=": {toolList, "prompt="}, "Prompt=a": {toolList, "Prompt=a"},
	} {
		if got := parseEntry(arg); got != want {
			t.Errorf("%s: %v", arg, got)
		}
	}
}
