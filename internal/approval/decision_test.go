package approval_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/jsontest"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestChosenDrifts: what was chosen at the prompt, by index; a DUPLICATE never.
func TestChosenDrifts(t *testing.T) {
	pairs, drifts := relockCase(t)
	d, err := approval.Decide(pairs, drifts, approval.Selection{Chosen: map[int]bool{0: true, 1: false, 3: true, 4: true}})
	accepted := d.Accepted
	if err != nil || len(accepted) != 2 || !accepted[0] || !accepted[3] {
		t.Errorf("%v, %v", accepted, err)
	}
}

// TestDecide: what has a new warning isn't accepted, however it is selected, and is named if
// it was; a selector is idle if its entry has neither drifted nor a warning that is accepted.
func TestDecide(t *testing.T) {
	pairs, drifts := relockCase(t) // 0 edited, 1 gone, 2 hid, 3 new, 4 twice
	const edited, gone, hid, added, twice = 0, 1, 2, 3, 4
	indexes := func(list ...int) map[int]bool {
		m := map[int]bool{}
		for _, i := range list {
			m[i] = true
		}
		return m
	}
	record := func(names ...string) approval.WarningRecord {
		r := approval.WarningRecord{}
		for _, name := range names {
			r.Add(pin.Ref{Server: "s", Key: pin.Key{Name: name}}, rec("hidden-text"))
		}
		return r
	}
	type selection = approval.Selection
	for what, tt := range map[string]struct {
		sel               selection
		accepts           string
		all               bool
		accepted, refused map[int]bool
		idle              string
	}{
		"nothing":                        {selection{}, "", false, indexes(), indexes(), ""},
		"all":                            {selection{All: true}, "", true, indexes(edited, gone, hid, added), indexes(), ""},
		"all of a part":                  {selection{All: true, Part: true}, "", false, indexes(edited, gone, hid, added), indexes(), ""},
		"all, two warned of":             {selection{All: true, Refused: indexes(hid, added)}, "", true, indexes(edited, gone), indexes(hid, added), ""},
		"chosen":                         {selection{Chosen: indexes(gone, twice)}, "", false, indexes(gone), indexes(), ""},
		"chosen, warned of":              {selection{Chosen: indexes(gone, hid), Refused: indexes(hid)}, "", false, indexes(gone), indexes(), ""},
		"named, warned of":               {selection{Refused: indexes(hid, added)}, "hid gone", false, indexes(gone), indexes(hid), ""},
		"a pattern, warned of":           {selection{Refused: indexes(hid, added)}, "*", false, indexes(edited, gone), indexes(hid), ""},
		"a kind, warned of":              {selection{Refused: indexes(hid, added)}, "added", false, indexes(), indexes(added), ""},
		"another, warned of":             {selection{Refused: indexes(hid)}, "gone", false, indexes(gone), indexes(), ""},
		"idle":                           {selection{}, "same gone", false, indexes(gone), indexes(), "same"},
		"not idle: its warning":          {selection{Recorded: record("same")}, "same gone", false, indexes(gone), indexes(), ""},
		"a pattern of the same":          {selection{Recorded: record("same")}, "s*", false, indexes(), indexes(), ""},
		"idle: the warning of another":   {selection{Recorded: record("edited")}, "same", false, indexes(), indexes(), "same"},
		"a word names no warned entry":   {selection{Recorded: record("same")}, "prose", false, indexes(), indexes(), "prose"},
		"a digest is that of the warned": {selection{Recorded: record("same")}, pairs[0].Captured.Find(pin.Key{Name: "same"}).Digest, false, indexes(), indexes(), ""},
	} {
		for _, arg := range strings.Fields(tt.accepts) {
			tt.sel.Accepts = append(tt.sel.Accepts, selectorOf(t, arg))
		}
		d, err := approval.Decide(pairs, drifts, tt.sel)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		var idle []string
		for _, s := range d.Idle {
			idle = append(idle, s.Arg)
		}
		if d.All != tt.all || !maps.Equal(d.Accepted, tt.accepted) || !maps.Equal(d.Refused, tt.refused) || strings.Join(idle, " ") != tt.idle {
			t.Errorf("%s: all %t, accepted %v, refused %v, idle %q", what, d.All, d.Accepted, d.Refused, idle)
		}
		if !reflect.DeepEqual(d.Recorded, tt.sel.Recorded) {
			t.Errorf("%s: on record %v", what, d.Recorded)
		}
	}
	d, err := approval.Decide(pairs, drifts, selection{All: true, Accepts: []approval.Selector{selectorOf(t, "nosuch")}})
	if err == nil || len(d.Accepted) != 0 {
		t.Errorf("an error decides: %v, %v", d.Accepted, err)
	}
}

// rec is a record of consent to a warning, of whatever text.
func rec(id string) pin.Record { return pin.Record{ID: id, Digest: pin.DigestPrefix + "0"} }

// ids are the ids of records.
func ids(records []pin.Record) string {
	var list []string
	for _, r := range records {
		list = append(list, r.ID)
	}
	return strings.Join(list, ",")
}

// TestPinsTakeWarnings: an accepted definition has the warnings accepted with it and none of
// the old one's; what stays keeps its own, until others are put on record for it.
func TestPinsTakeWarnings(t *testing.T) {
	pairs, drifts := relockCase(t)
	p := &pairs[0]
	p.Locked.Accepted = []pin.Record{rec("old-list")}
	for i := range p.Locked.Pins {
		p.Locked.Pins[i].Accepted = []pin.Record{rec("m-" + p.Locked.Pins[i].Name)}
	}
	drifts[0].Captured.Accepted = []pin.Record{rec("of-the-capture")}
	r := approval.WarningRecord{}
	for _, id := range []string{"z", "a", "z"} {
		for _, name := range []string{"edited", "same", "new"} {
			r.Add(pin.Ref{Server: "s", Key: pin.Key{Name: name}}, rec(id))
		}
		r.Add(pin.Ref{Server: "s"}, rec(id+"-list"))
		r.Add(pin.Ref{Server: "other", Key: pin.Key{Name: "hid"}}, rec(id))
		r.Add(pin.Ref{Server: "s", Key: pin.Key{Type: pin.Prompts, Name: "hid"}}, rec(id))
	}
	next := approval.Pins(p, []*pin.Drift{&drifts[0], &drifts[1], &drifts[3]}, r)
	got := map[string]string{"": ids(next.Accepted)}
	for _, pin := range next.Pins {
		got[pin.Name] = ids(pin.Accepted)
	}
	want := map[string]string{"": "a-list,z-list", "edited": "a,z", "hid": "m-hid", "new": "a,z", "same": "a,z", "twice": "m-twice"}
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if again := p.Locked.Find(pin.Key{Name: "same"}).Accepted; ids(again) != "m-same" {
		t.Errorf("the pinned side was changed: %q", again)
	}
}

// TestDefinitionsComeBack: where definitions are stored from now on, a pin without one takes
// it from the entry that matches, never from one that has drifted.
func TestDefinitionsComeBack(t *testing.T) {
	pairs, _ := relockCase(t)
	p := &pairs[0]
	p.Locked.Policy.HashOnly = true
	for i := range p.Locked.Pins {
		p.Locked.Pins[i].Definition = nil
	}
	got, next := map[string]string{}, approval.Pins(p, nil, nil)
	if next.Policy.HashOnly {
		t.Error("the old policy stays")
	}
	for _, pin := range next.Pins {
		got[pin.Name] = string(pin.Definition)
	}
	want := map[string]string{"same": `{"name":"same"}`, "edited": "", "hid": "", "gone": "", "twice": ""}
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
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

// TestKeptPinsStayByteForByte: of made-up lists, what is accepted stands in the lockfile as a
// lockfile of the capture alone has it, and all else as it stood before.
func TestKeptPinsStayByteForByte(t *testing.T) {
	entries := func(set pin.Set) map[string]string {
		var l struct {
			Servers map[string]struct{ Tools map[string]json.RawMessage }
		}
		if err := json.Unmarshal([]byte(pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{set}})), &l); err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for name, text := range l.Servers["s"].Tools {
			texts[name] = string(text)
		}
		return texts
	}
	m, seen := jsontest.NewMaker(20), map[pin.DriftKind]int{}
	for range 200 {
		var old, new []string
		for i := range 8 {
			name := "t" + strconv.Itoa(i)
			definition := m.Definition(name)
			in := m.IntN(5)
			if in != 0 {
				old = append(old, definition)
			}
			switch {
			case in == 1 || in == 2:
				definition = m.Definition(name)
			case in == 3:
				continue
			}
			new = append(new, definition)
		}
		policy := pin.Policy{RoundIntegers: true, HashOnly: m.IntN(4) == 0}
		p := pin.Comparison{Server: "s", Known: true, Present: true,
			Locked:   pintest.PinsOf(t, "["+strings.Join(old, ",")+"]", policy),
			Captured: pintest.PinsOf(t, "["+strings.Join(new, ",")+"]", policy)}
		for i := range p.Locked.Pins {
			if one := &p.Locked.Pins[i]; m.IntN(2) == 0 {
				one.Approval = &pin.Approval{By: m.Pick("Ada", "Grace"), At: "2026-01-02T03:04:05Z", Hash: one.Digest}
				one.Accepted = []pin.Record{{ID: "hidden-text", Place: "/description", Digest: one.Digest}}
			}
		}
		want, from := entries(p.Locked), entries(p.Captured)
		drifts := pintest.Drifts([]pin.Comparison{p})
		var accepted []*pin.Drift
		for i := range drifts {
			d := &drifts[i]
			if m.IntN(2) == 0 {
				continue
			}
			seen[d.Kind]++
			accepted = append(accepted, d)
			delete(want, d.Name)
			if d.Captured != nil {
				want[d.Name] = from[d.Name]
			}
		}
		m.Shuffle(len(accepted), func(i, j int) { accepted[i], accepted[j] = accepted[j], accepted[i] })
		if got := entries(approval.Pins(&p, accepted, nil)); !maps.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q\nof %q\nand %q", got, want, old, new)
		}
	}
	if seen[pin.Added] < 50 || seen[pin.Changed] < 50 || seen[pin.Removed] < 50 {
		t.Errorf("accepted: %v", seen)
	}
}

// TestRelockKeepsThePolicy where it drops a pin.
func TestRelockKeepsThePolicy(t *testing.T) {
	pol := pin.Policy{HashOnly: true, Descriptions: "strip"}
	text := `[{"name":"a","description":"x"},{"name":"b"}]`
	l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pintest.PinsOf(t, text, pol)}}))
	p := pin.Comparison{Server: "s", Known: true, Present: true, Locked: l.Servers[0], Captured: pintest.PinsOf(t, `[{"name":"b"}]`, pol)}
	drifts := pintest.Drifts([]pin.Comparison{p})
	next := approval.Pins(&p, []*pin.Drift{&drifts[0]}, nil)
	if !next.Policy.Equal(pol) || len(next.Pins) != 1 || next.Pins[0].Name != "b" {
		t.Errorf("policy %+v, %d pins", next.Policy, len(next.Pins))
	}
	pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{next}}))
}

// TestPinsOfPart: whatever of a part of a session is accepted, every pin that the part lacks
// stays as it is, and so do the policy and what the server called itself.
func TestPinsOfPart(t *testing.T) {
	random := jsontest.NewMaker(5)
	for range 200 {
		var whole, part []string
		for i := range 2 + random.IntN(8) {
			name := fmt.Sprint("t", i)
			whole = append(whole, random.Definition(name))
			if random.IntN(2) == 0 {
				part = append(part, fmt.Sprintf(`{"name":%q,"description":%q}`, name, random.Pick("a", "b")))
			}
		}
		p := pin.Comparison{Known: true, Present: true, Part: true,
			Locked: pintest.PinsOf(t, "["+strings.Join(whole, ",")+"]", pin.Policy{}), Captured: pintest.PinsOf(t, "["+strings.Join(part, ",")+"]", pin.Policy{})}
		p.Locked.About = pin.About{Name: "example", Version: "1"}
		var accepted []*pin.Drift
		taken := map[pin.Key]*pin.Pin{}
		for i := range p.Captured.Pins {
			if c := &p.Captured.Pins[i]; random.IntN(2) == 0 {
				accepted = append(accepted, &pin.Drift{Key: c.Key, Kind: pin.Changed, Locked: p.Locked.Find(c.Key), Captured: c})
				taken[c.Key] = c
			}
		}
		next := approval.Pins(&p, accepted, nil)
		if len(next.Pins) != len(p.Locked.Pins) || next.About != p.Locked.About || !next.Policy.Equal(p.Locked.Policy) {
			t.Fatalf("%d pins of %+v, of %d", len(next.Pins), next.About, len(p.Locked.Pins))
		}
		for _, old := range p.Locked.Pins {
			want := old
			if c := taken[old.Key]; c != nil {
				want = *c
			}
			if got := next.Find(old.Key); got == nil || got.Digest != want.Digest || !reflect.DeepEqual(got.Definition, want.Definition) {
				t.Fatalf("%s: %+v, want %+v", old.Name, got, want)
			}
		}
	}
}
