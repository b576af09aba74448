package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseAcceptance(t *testing.T) {
	hex := digestPrefix + strings.Repeat("0123456789abcdef", 4)
	for _, tt := range []struct {
		arg          string
		name, digest string
		wrong        string
	}{
		{"read_file", "read_file", "", ""},
		{"a,b", "a,b", "", ""}, // never split at commas
		{" a b ", " a b ", "", ""},
		{"a@b", "a@b", "", ""},
		{"a@", "a@", "", ""},
		{hex, "", hex, ""},
		{"read_file@" + hex, "read_file", hex, ""},
		{"a@b@" + hex, "a@b", hex, ""},
		{"x@" + hex + "@" + hex, "x@" + hex, hex, ""},
		{"", "", "", `--accept "": give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits`},
		{"sha256:85ef", "", "", `--accept "sha256:85ef": give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits`},
		{hex + "0", "", "", `--accept "` + hex + `0": give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits`},
		{"x@sha256:85ef", "", "", `--accept "x@sha256:85ef": before @ stands a name, behind it sha256: and 64 lower-case hex digits`},
		// An empty name, as of an empty shell variable, is not the name of a tool.
		{"@" + hex, "", "", `--accept "@` + hex + `": before @ stands a name, behind it sha256: and 64 lower-case hex digits`},
		{"x@" + strings.ToUpper(hex[:10]) + hex[10:], "x@" + strings.ToUpper(hex[:10]) + hex[10:], "", ""}, // SHA256:ABC… is no digest
	} {
		got, err := parseAcceptance(tt.arg)
		wantError(t, err, tt.wrong)
		if got.name != tt.name || got.digest != tt.digest {
			t.Errorf("%q: %+v", tt.arg, got)
		}
	}
}

// relockCase is a manifest with drift of every kind, against its pins.
func relockCase(t *testing.T) ([]pair, []drift) {
	p := pair{
		server: "s", known: true, present: true,
		pinned: canonPins(t, `[{"name":"same"},{"name":"changed","x":1},{"name":"hid","description":"x"},{"name":"gone","y":1},{"name":"twice"}]`, policy{}),
		found:  canonPins(t, `[{"name":"same"},{"name":"changed","x":2},{"name":"hid","description":"x\u200b"},{"name":"new","z":1},{"name":"twice"},{"name":"twice","x":1}]`, policy{}),
	}
	drifts := compareAll([]pair{p})
	if got := driftLines(drifts); got != "CHANGED changed, REMOVED gone, HIDDEN hid, ADDED new, DUPLICATE twice 2 times" {
		t.Fatal(got)
	}
	return []pair{p}, drifts
}

func TestSelectDrifts(t *testing.T) {
	pairs, drifts := relockCase(t)
	found := func(name string) string { return pairs[0].found.find(entryKey{name: name}).digest }
	pinned := func(name string) string { return pairs[0].pinned.find(entryKey{name: name}).digest }
	other := digestPrefix + strings.Repeat("0", 64)
	const stale = " no longer has the digest "
	for _, tt := range []struct {
		what     string
		all      bool
		accepts  []string
		accepted string // names
		wrong    string
		code     int
	}{
		{"nothing", false, nil, "", "", 0},
		{"all but what can't be", true, nil, "changed gone hid new", "", 0},
		{"a name", false, []string{"changed"}, "changed", "", 0},
		{"an added, a removed, a hidden one", false, []string{"new", "gone", "hid"}, "gone hid new", "", 0},
		{"a name twice", false, []string{"new", "new"}, "new", "", 0},
		{"a tool that matches", false, []string{"same"}, "", "", 0},
		{"a name and its digest", false, []string{"changed@" + found("changed")}, "changed", "", 0},
		{"a digest", false, []string{found("hid")}, "hid", "", 0},
		{"a digest of a removed tool: its pin's", false, []string{pinned("gone")}, "gone", "", 0},
		{"a removed tool and its pin's digest", false, []string{"gone@" + pinned("gone")}, "gone", "", 0},
		{"a digest of a tool that matches", false, []string{found("same"), "same@" + found("same")}, "", "", 0},

		{"a stale digest", false, []string{"changed@" + other}, "", "tool=changed" + stale + other + ": nothing was written", 1},
		{"the pin's digest of a changed tool", false, []string{"changed@" + pinned("changed")}, "", "tool=changed" + stale + pinned("changed") + ": nothing was written", 1},
		{"another tool's digest", false, []string{"changed@" + found("new")}, "", "tool=changed" + stale + found("new") + ": nothing was written", 1},
		{"a digest of nothing", false, []string{other}, "", "no drifted entry has the digest " + other + ": nothing was written", 1},
		{"stale beside good ones", false, []string{"new", "hid@" + other, "gone"}, "", "tool=hid" + stale + other + ": nothing was written", 1},
		{"stale beside all", true, []string{"same@" + other}, "", "tool=same" + stale + other + ": nothing was written", 1},
		{"a repeated name", false, []string{"twice"}, "", "tool=twice is listed 2 times: that can't be accepted", 1},
		{"a repeated name by the digest of one", false, []string{found("twice")}, "", "tool=twice is listed 2 times: that can't be accepted", 1},

		{"an unknown name", false, []string{"nosuch"}, "", "--accept nosuch: no tool of that name is pinned or listed", 2},
		{"an unknown name and a digest", false, []string{"nosuch@" + found("new")}, "", "--accept nosuch: no tool of that name is pinned or listed", 2},
		{"unknown beside good ones", false, []string{"new", "New"}, "", "--accept New: no tool of that name is pinned or listed", 2},
	} {
		t.Run(tt.what, func(t *testing.T) {
			sel := selection{all: tt.all}
			for _, arg := range tt.accepts {
				a, err := parseAcceptance(arg)
				if err != nil {
					t.Fatal(err)
				}
				sel.accepts = append(sel.accepts, a)
			}
			accepted, _, err := selectDrifts(pairs, drifts, sel)
			wantError(t, err, tt.wrong)
			if isDrift := errors.Is(err, errDrift); isDrift != (tt.code == 1) {
				t.Errorf("the error is one of drift: %v", isDrift)
			}
			var names []string
			for i := range drifts {
				if accepted[i] {
					names = append(names, drifts[i].name)
				}
			}
			if got := strings.Join(names, " "); got != tt.accepted {
				t.Errorf("accepted %q, want %q", got, tt.accepted)
			}
		})
	}
}

// TestChosenDrifts: what was chosen at the prompt, by index; a DUPLICATE never.
func TestChosenDrifts(t *testing.T) {
	pairs, drifts := relockCase(t)
	accepted, _, err := selectDrifts(pairs, drifts, selection{chosen: map[int]bool{0: true, 1: false, 3: true, 4: true}})
	if err != nil || len(accepted) != 2 || !accepted[0] || !accepted[3] {
		t.Errorf("%v, %v", accepted, err)
	}
}

func TestAcceptAcrossServers(t *testing.T) {
	side := func(text string) pinset { return canonPins(t, text, policy{}) }
	pairs := []pair{
		{server: "one", known: true, present: true, pinned: side(`[{"name":"a"}]`), found: side(`[{"name":"a","x":1},{"name":"only","y":1}]`)},
		{server: "two", known: true, present: true, pinned: side(`[{"name":"a"}]`), found: side(`[{"name":"a","x":2}]`)},
	}
	drifts := compareAll(pairs)
	_, _, err := selectDrifts(pairs, drifts, selection{accepts: []acceptance{{arg: "a", entryKey: entryKey{name: "a"}}}})
	wantError(t, err, "--accept a: several servers have a tool of that name")
	if errors.Is(err, errDrift) {
		t.Error("that is no drift")
	}
	accepted, _, err := selectDrifts(pairs, drifts, selection{accepts: []acceptance{{entryKey: entryKey{name: "only"}}, {digest: pairs[1].found.pins[0].digest}}})
	if err != nil || len(accepted) != 2 || drifts[0].server != "one" || accepted[0] {
		t.Errorf("%v, %v", accepted, err)
	}
}

// TestToolNamedLikeAnAcceptance: a tool whose name ends in a digest can't stand in
// for the one that is meant.
func TestToolNamedLikeAnAcceptance(t *testing.T) {
	good := canonPins(t, `[{"name":"x","y":1}]`, policy{}).pins[0].digest
	evil := "x@" + good
	p := pair{server: "s", known: true, present: true,
		pinned: canonPins(t, `[]`, policy{}),
		found:  canonPins(t, `[{"name":"x","y":1},{"name":"`+evil+`","z":1},{"name":"`+good+`"}]`, policy{})}
	drifts := compareAll([]pair{p})
	for _, arg := range []string{evil, good} {
		a, err := parseAcceptance(arg)
		if err != nil {
			t.Fatal(err)
		}
		accepted, _, err := selectDrifts([]pair{p}, drifts, selection{accepts: []acceptance{a}})
		if err != nil || len(accepted) != 1 {
			t.Errorf("%s: %v, %v", arg, accepted, err)
		}
		for i := range accepted {
			if drifts[i].name != "x" {
				t.Errorf("%s accepts %s", arg, drifts[i].name)
			}
		}
	}
	evilDigest := p.found.find(entryKey{name: evil}).digest
	if a, err := parseAcceptance(evil + "@" + evilDigest); err != nil || a.name != evil || a.digest != evilDigest {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestRelockPins(t *testing.T) {
	pairs, drifts := relockCase(t)
	p := &pairs[0]
	for i := range p.pinned.pins {
		p.pinned.pins[i].approval = &approval{by: p.pinned.pins[i].name}
	}
	for mask := range 16 { // every choice of the four that can be accepted
		accepted, want := []*drift{}, map[string]string{}
		for _, pin := range p.pinned.pins {
			want[pin.name] = pin.digest + " " + pin.name
		}
		for i := range 4 {
			if mask&(1<<i) == 0 {
				continue
			}
			d := drifts[i]
			accepted = append(accepted, &d)
			if d.kind == removed {
				delete(want, d.name)
			} else {
				want[d.name] = d.found.digest + " <nil>"
			}
		}
		next := relockPins(p, accepted, nil)
		got := map[string]string{}
		for _, pin := range next.pins {
			by := "<nil>"
			if pin.approval != nil {
				by = pin.approval.by
			}
			got[pin.name] = pin.digest + " " + by
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || next.server != "s" || !slices.IsSortedFunc(next.pins, comparePins) {
			t.Errorf("choice %04b\ngot  %v\nwant %v", mask, got, want)
		}
	}
}

// TestKeptPinsStayByteForByte: what is not accepted stands in the lockfile as before.
func TestKeptPinsStayByteForByte(t *testing.T) {
	pairs, drifts := relockCase(t)
	before := slices.Collect(strings.Lines(mustMarshal(t, lockfile{[]pinset{pairs[0].pinned}})))
	after := mustMarshal(t, lockfile{[]pinset{relockPins(&pairs[0], []*drift{&drifts[3]}, nil)}}) // the added one
	i := 0
	for line := range strings.Lines(after) {
		if i < len(before) && line == before[i] {
			i++
		}
	}
	if i != len(before) {
		t.Errorf("line %d is not there any more: %s\n%s", i+1, before[i], after)
	}
}

// TestRelockKeepsThePolicy, also that of a server whose manifest is gone.
func TestRelockKeepsThePolicy(t *testing.T) {
	pol := policy{hashOnly: true, descriptions: "strip"}
	text := `[{"name":"a","description":"x"},{"name":"b"}]`
	l := mustParse(t, mustMarshal(t, lockfile{[]pinset{canonPins(t, text, pol)}}))
	for _, p := range []pair{
		{server: "s", known: true, pinned: l.servers[0]},
		{server: "s", known: true, present: true, pinned: l.servers[0], found: canonPins(t, `[{"name":"b"}]`, pol)},
	} {
		drifts := compareAll([]pair{p})
		next := relockPins(&p, []*drift{&drifts[0]}, nil)
		if !next.policy.equal(pol) || len(next.pins) != 1 || next.pins[0].name != "b" {
			t.Errorf("present %v: policy %+v, %d pins", p.present, next.policy, len(next.pins))
		}
		mustParse(t, mustMarshal(t, lockfile{[]pinset{next}}))
	}
}

// TestAcceptOfOtherLists: how --accept names an entry of each list, and a tool's name
// accepts nothing of another list.
func TestAcceptOfOtherLists(t *testing.T) {
	entry := func(list listKind, name, definition string) pin {
		v := tree(t, definition)
		return pin{entryKey: entryKey{list, name}, form: formOf(toolList, &v)}
	}
	tool := canonPins(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, policy{}).pins[0]
	pairs := []pair{{server: "s", known: true, present: true,
		pinned: pinset{server: "s", pins: []pin{tool, entry(resourceList, "file:///a", `{"uri":"file:///a"}`), entry(instructionsList, "", `"Use x."`)}},
		found:  pinset{server: "s", pins: []pin{tool, entry(promptList, "x", `{"name":"x"}`), entry(instructionsList, "", `"Use y."`)}}}}
	drifts := compareAll(pairs)
	for arg, want := range map[string]kind{"prompt=x": added, "instructions": changed, "resource=file:///a": removed, "x": ""} {
		a, err := parseAcceptance(arg)
		if err != nil {
			t.Fatal(err)
		}
		accepted, _, err := selectDrifts(pairs, drifts, selection{accepts: []acceptance{a}})
		if err != nil || len(accepted) != min(1, len(want)) {
			t.Errorf("%s accepts %v; %v", arg, accepted, err)
		}
		for i := range accepted {
			if drifts[i].kind != want {
				t.Errorf("%s accepts %s", arg, drifts[i].kind)
			}
		}
	}
}
