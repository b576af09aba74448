package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

func TestParseAcceptance(t *testing.T) {
	hex := pin.DigestPrefix + strings.Repeat("0123456789abcdef", 4)
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
		got, err := approval.ParseSelector("--accept", tt.arg, nil)
		jsontest.WantError(t, err, tt.wrong)
		if got.Name != tt.name || got.Digest != tt.digest {
			t.Errorf("%q: %+v", tt.arg, got)
		}
	}
}

// relockCase is a capture with drift of every kind, against its pins.
func relockCase(t *testing.T) ([]pin.Comparison, []pin.Drift) {
	p := pin.Comparison{
		Server: "s", Known: true, Present: true,
		Locked:   canonPins(t, `[{"name":"same"},{"name":"edited","x":1},{"name":"hid","description":"x"},{"name":"gone","y":1},{"name":"twice"}]`, pin.Policy{}),
		Captured: canonPins(t, `[{"name":"same"},{"name":"edited","x":2},{"name":"hid","description":"x\u200b"},{"name":"new","z":1},{"name":"twice"},{"name":"twice","x":1}]`, pin.Policy{}),
	}
	drifts := driftOf(t, []pin.Comparison{p})
	if got := pintest.DriftLines(drifts); got != "CHANGED edited, REMOVED gone, HIDDEN hid, ADDED new, DUPLICATE twice 2 times" {
		t.Fatal(got)
	}
	return []pin.Comparison{p}, drifts
}

func TestSelectDrifts(t *testing.T) {
	pairs, drifts := relockCase(t)
	found := func(name string) string { return pairs[0].Captured.Find(pin.Key{Name: name}).Digest }
	pinned := func(name string) string { return pairs[0].Locked.Find(pin.Key{Name: name}).Digest }
	other := pin.DigestPrefix + strings.Repeat("0", 64)
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
		{"all but what can't be", true, nil, "edited gone hid new", "", 0},
		{"a name", false, []string{"edited"}, "edited", "", 0},
		{"an added, a removed, a hidden one", false, []string{"new", "gone", "hid"}, "gone hid new", "", 0},
		{"a name twice", false, []string{"new", "new"}, "new", "", 0},
		{"a tool that matches", false, []string{"same"}, "", "", 0},
		{"a name and its digest", false, []string{"edited@" + found("edited")}, "edited", "", 0},
		{"a digest", false, []string{found("hid")}, "hid", "", 0},
		{"a digest of a removed tool: its pin's", false, []string{pinned("gone")}, "gone", "", 0},
		{"a removed tool and its pin's digest", false, []string{"gone@" + pinned("gone")}, "gone", "", 0},
		{"a digest of a tool that matches", false, []string{found("same"), "same@" + found("same")}, "", "", 0},

		{"a stale digest", false, []string{"edited@" + other}, "", "tool=edited" + stale + other + ": nothing was written", 1},
		{"the pin's digest of a changed tool", false, []string{"edited@" + pinned("edited")}, "", "tool=edited" + stale + pinned("edited") + ": nothing was written", 1},
		{"another tool's digest", false, []string{"edited@" + found("new")}, "", "tool=edited" + stale + found("new") + ": nothing was written", 1},
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
			sel := approval.Selection{All: tt.all}
			for _, arg := range tt.accepts {
				a, err := approval.ParseSelector("--accept", arg, nil)
				if err != nil {
					t.Fatal(err)
				}
				sel.Accepts = append(sel.Accepts, a)
			}
			accepted, _, err := approval.SelectDrifts(pairs, drifts, sel)
			jsontest.WantError(t, err, tt.wrong)
			if isDrift := errors.Is(err, fail.ErrDrift); isDrift != (tt.code == 1) {
				t.Errorf("the error is one of drift: %v", isDrift)
			}
			var names []string
			for i := range drifts {
				if accepted[i] {
					names = append(names, drifts[i].Name)
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
	accepted, _, err := approval.SelectDrifts(pairs, drifts, approval.Selection{Chosen: map[int]bool{0: true, 1: false, 3: true, 4: true}})
	if err != nil || len(accepted) != 2 || !accepted[0] || !accepted[3] {
		t.Errorf("%v, %v", accepted, err)
	}
}

func TestAcceptAcrossServers(t *testing.T) {
	side := func(text string) pin.Set { return canonPins(t, text, pin.Policy{}) }
	pairs := []pin.Comparison{
		{Server: "one", Known: true, Present: true, Locked: side(`[{"name":"a"}]`), Captured: side(`[{"name":"a","x":1},{"name":"only","y":1}]`)},
		{Server: "two", Known: true, Present: true, Locked: side(`[{"name":"a"}]`), Captured: side(`[{"name":"a","x":2}]`)},
	}
	drifts := driftOf(t, pairs)
	_, _, err := approval.SelectDrifts(pairs, drifts, approval.Selection{Accepts: []approval.Selector{{Arg: "a", Key: pin.Key{Name: "a"}}}})
	jsontest.WantError(t, err, "--accept a: several servers have a tool of that name")
	if errors.Is(err, fail.ErrDrift) {
		t.Error("that is no drift")
	}
	accepted, _, err := approval.SelectDrifts(pairs, drifts, approval.Selection{Accepts: []approval.Selector{{Key: pin.Key{Name: "only"}}, {Digest: pairs[1].Captured.Pins[0].Digest}}})
	if err != nil || len(accepted) != 2 || drifts[0].Server != "one" || accepted[0] {
		t.Errorf("%v, %v", accepted, err)
	}
}

// TestToolNamedLikeAnAcceptance: a tool whose name ends in a digest can't stand in
// for the one that is meant.
func TestToolNamedLikeAnAcceptance(t *testing.T) {
	good := canonPins(t, `[{"name":"x","y":1}]`, pin.Policy{}).Pins[0].Digest
	evil := "x@" + good
	p := pin.Comparison{Server: "s", Known: true, Present: true,
		Locked:   canonPins(t, `[]`, pin.Policy{}),
		Captured: canonPins(t, `[{"name":"x","y":1},{"name":"`+evil+`","z":1},{"name":"`+good+`"}]`, pin.Policy{})}
	drifts := driftOf(t, []pin.Comparison{p})
	for _, arg := range []string{evil, good} {
		a, err := approval.ParseSelector("--accept", arg, nil)
		if err != nil {
			t.Fatal(err)
		}
		accepted, _, err := approval.SelectDrifts([]pin.Comparison{p}, drifts, approval.Selection{Accepts: []approval.Selector{a}})
		if err != nil || len(accepted) != 1 {
			t.Errorf("%s: %v, %v", arg, accepted, err)
		}
		for i := range accepted {
			if drifts[i].Name != "x" {
				t.Errorf("%s accepts %s", arg, drifts[i].Name)
			}
		}
	}
	evilDigest := p.Captured.Find(pin.Key{Name: evil}).Digest
	if a, err := approval.ParseSelector("--accept", evil+"@"+evilDigest, nil); err != nil || a.Name != evil || a.Digest != evilDigest {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestRelockPins(t *testing.T) {
	pairs, drifts := relockCase(t)
	p := &pairs[0]
	for i := range p.Locked.Pins {
		p.Locked.Pins[i].Approval = &pin.Approval{By: p.Locked.Pins[i].Name}
	}
	for mask := range 16 { // every choice of the four that can be accepted
		accepted, want := []*pin.Drift{}, map[string]string{}
		for _, pin := range p.Locked.Pins {
			want[pin.Name] = pin.Digest + " " + pin.Name
		}
		for i := range 4 {
			if mask&(1<<i) == 0 {
				continue
			}
			d := drifts[i]
			accepted = append(accepted, &d)
			if d.Kind == pin.Removed {
				delete(want, d.Name)
			} else {
				want[d.Name] = d.Captured.Digest + " <nil>"
			}
		}
		next := approval.Pins(p, accepted, nil)
		got := map[string]string{}
		for _, pin := range next.Pins {
			by := "<nil>"
			if pin.Approval != nil {
				by = pin.Approval.By
			}
			got[pin.Name] = pin.Digest + " " + by
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || next.Server != "s" || !slices.IsSortedFunc(next.Pins, pin.ComparePins) {
			t.Errorf("choice %04b\ngot  %v\nwant %v", mask, got, want)
		}
	}
}

// TestKeptPinsStayByteForByte: what is not accepted stands in the lockfile as before.
func TestKeptPinsStayByteForByte(t *testing.T) {
	pairs, drifts := relockCase(t)
	before := slices.Collect(strings.Lines(pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pairs[0].Locked}})))
	after := pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{approval.Pins(&pairs[0], []*pin.Drift{&drifts[3]}, nil)}}) // the added one
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

// TestRelockKeepsThePolicy where it drops a pin.
func TestRelockKeepsThePolicy(t *testing.T) {
	pol := pin.Policy{HashOnly: true, Descriptions: "strip"}
	text := `[{"name":"a","description":"x"},{"name":"b"}]`
	l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{canonPins(t, text, pol)}}))
	p := pin.Comparison{Server: "s", Known: true, Present: true, Locked: l.Servers[0], Captured: canonPins(t, `[{"name":"b"}]`, pol)}
	drifts := driftOf(t, []pin.Comparison{p})
	next := approval.Pins(&p, []*pin.Drift{&drifts[0]}, nil)
	if !next.Policy.Equal(pol) || len(next.Pins) != 1 || next.Pins[0].Name != "b" {
		t.Errorf("policy %+v, %d pins", next.Policy, len(next.Pins))
	}
	pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{next}}))
}

// TestAcceptOfOtherLists: how --accept names an entry of each list, and a tool's name
// accepts nothing of another list.
func TestAcceptOfOtherLists(t *testing.T) {
	entry := func(list pin.EntryType, name, definition string) pin.Pin {
		return pin.Pin{Key: pin.Key{Type: list, Name: name}, Form: formOf(pin.Tools, []byte(definition))}
	}
	tool := canonPins(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, pin.Policy{}).Pins[0]
	pairs := []pin.Comparison{{Server: "s", Known: true, Present: true,
		Locked:   pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Resources, "file:///a", `{"uri":"file:///a"}`), entry(pin.Instructions, "", `"Use x."`)}},
		Captured: pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Prompts, "x", `{"name":"x"}`), entry(pin.Instructions, "", `"Use y."`)}}}}
	drifts := driftOf(t, pairs)
	for arg, want := range map[string]pin.DriftKind{"prompt=x": pin.Added, "instructions": pin.Changed, "resource=file:///a": pin.Removed, "x": ""} {
		a, err := approval.ParseSelector("--accept", arg, nil)
		if err != nil {
			t.Fatal(err)
		}
		accepted, _, err := approval.SelectDrifts(pairs, drifts, approval.Selection{Accepts: []approval.Selector{a}})
		if err != nil || len(accepted) != min(1, len(want)) {
			t.Errorf("%s accepts %v; %v", arg, accepted, err)
		}
		for i := range accepted {
			if drifts[i].Kind != want {
				t.Errorf("%s accepts %s", arg, drifts[i].Kind)
			}
		}
	}
}
