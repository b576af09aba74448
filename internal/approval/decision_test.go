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
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/skill"
)

// TestAlone: what is suggested for one entry would be written. Alone returns for each drift what Would
// returns if that one entry is accepted, but for what a report sees by itself.
func TestAlone(t *testing.T) {
	random := jsontest.NewMaker(30)
	seen := map[bool]int{}
	for range 400 {
		pairs, drifts := relockCase(t)
		p := &pairs[0]
		p.Locked.Policy.RequireClean = random.IntN(3) == 0
		p.Captured.Policy.RequireClean = p.Locked.Policy.RequireClean || random.IntN(8) == 0
		c := caseOf(pairs, drifts)
		for _, name := range []string{"edited", "gone", "hid", "new", "same", ""} {
			w := approval.Warning{EntryWarning: pin.EntryWarning{Entry: pin.Ref{Server: "s", Key: pin.Key{Name: name}}, AcceptedWarning: rec("hidden-text")}, FailsRequireClean: random.IntN(2) == 0, Approved: random.IntN(4) > 0}
			if name == "same" {
				w.Scope = pin.FindingInMatch
			}
			if random.IntN(12) == 0 {
				w.Scope = pin.FindingUnpinned
			}
			if random.IntN(4) == 0 {
				c.Warnings = append(c.Warnings, w)
			}
		}
		alone := approval.AcceptableByName(c)
		for i := range drifts {
			d := &drifts[i]
			isSeen := func(w approval.Warning) bool {
				return w.Scope.IsUnpinned() || !w.Approved && w.Scope == pin.FindingInDrift && (w.Entry.Name == "" || w.Entry == d.Ref())
			}
			if d.Kind == pin.DriftDuplicate || p.PolicyDiffers() || slices.ContainsFunc(c.Warnings, isSeen) {
				continue
			}
			would := approval.WouldWrite(c, approval.Choices{Accept: []approval.Selector{{Key: d.Key}}})
			if alone[d.Ref()] != would {
				t.Fatalf("%s alone: %t, but flags: %t; of %+v", d.Name, alone[d.Ref()], would, c.Warnings)
			}
			seen[would]++
		}
	}
	if seen[true] < 200 || seen[false] < 20 {
		t.Errorf("%v", seen)
	}
}

// rec returns a record of consent to a warning. The text doesn't matter.
func rec(id string) pin.AcceptedWarning {
	return pin.AcceptedWarning{ID: id, Digest: jsontree.DigestPrefix + "0"}
}

// ids returns the IDs of records.
func ids(records []pin.AcceptedWarning) string {
	var list []string
	for _, r := range records {
		list = append(list, r.ID)
	}
	return strings.Join(list, ",")
}

// TestPinsTakeWarnings: an accepted definition has the warnings accepted with it and no warning of
// the old definition's. A pin that stays keeps its own, unless others are recorded for it.
func TestPinsTakeWarnings(t *testing.T) {
	pairs, drifts := relockCase(t)
	p := &pairs[0]
	p.Locked.AcceptedWarnings = []pin.AcceptedWarning{rec("old-list")}
	for i := range p.Locked.Pins {
		p.Locked.Pins[i].AcceptedWarnings = []pin.AcceptedWarning{rec("m-" + p.Locked.Pins[i].Name)}
	}
	drifts[0].Captured.AcceptedWarnings = []pin.AcceptedWarning{rec("of-the-capture")}
	r := map[pin.Ref][]pin.AcceptedWarning{}
	add := func(of pin.Ref, record pin.AcceptedWarning) { r[of] = append(r[of], record) }
	for _, id := range []string{"z", "a", "z"} {
		for _, name := range []string{"edited", "same", "new"} {
			add(pin.Ref{Server: "s", Key: pin.Key{Name: name}}, rec(id))
		}
		add(pin.Ref{Server: "s"}, rec(id+"-list"))
		add(pin.Ref{Server: "other", Key: pin.Key{Name: "hid"}}, rec(id))
		add(pin.Ref{Server: "s", Key: pin.Key{Type: pin.Prompts, Name: "hid"}}, rec(id))
	}
	next := approval.UpdatedPins(p, pin.RefSet{drifts[0].Ref(): true, drifts[1].Ref(): true, drifts[3].Ref(): true}, r)
	got := map[string]string{"": ids(next.AcceptedWarnings)}
	for _, pin := range next.Pins {
		got[pin.Name] = ids(pin.AcceptedWarnings)
	}
	want := map[string]string{"": "a-list,old-list,z-list", "edited": "a,z", "hid": "m-hid", "new": "a,z", "same": "a,z", "twice": "m-twice"}
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if again := p.Locked.Find(pin.Key{Name: "same"}).AcceptedWarnings; ids(again) != "m-same" {
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
	got, next := map[string]string{}, approval.UpdatedPins(p, nil, nil)
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
		accepted, want := pin.RefSet{}, map[string]string{}
		for _, pin := range p.Locked.Pins {
			want[pin.Name] = pin.Digest + " " + pin.Name
		}
		for i := range 4 {
			if mask&(1<<i) == 0 {
				continue
			}
			d := drifts[i]
			accepted[d.Ref()] = true
			if d.Kind == pin.DriftRemoved {
				delete(want, d.Name)
			} else {
				want[d.Name] = d.Captured.Digest + " <nil>"
			}
		}
		next := approval.UpdatedPins(p, accepted, nil)
		got := map[string]string{}
		for _, pin := range next.Pins {
			by := "<nil>"
			if pin.Approval != nil {
				by = pin.Approval.By
			}
			got[pin.Name] = pin.Digest + " " + by
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || next.Server != "s" || !slices.IsSortedFunc(next.Pins, func(a, b pin.Pin) int { return pin.ComparePins(&a, &b) }) {
			t.Errorf("choice %04b\ngot  %v\nwant %v", mask, got, want)
		}
	}
}

// TestUnreadFilesStayOnRecord: a warning that is recorded with a kept pin replaces its records, except those of files
// that were not read.
func TestUnreadFilesStayOnRecord(t *testing.T) {
	set := pintest.PinsOf(t, `[{"name":"a"}]`, pin.Policy{})
	record := func(id string) pin.AcceptedWarning { return pin.AcceptedWarning{ID: id, Digest: set.Digest} }
	p := pin.Comparison{Server: "s", State: pin.ServerPaired, Locked: set, Captured: set}
	p.Locked.Pins = []pin.Pin{set.Pins[0]}
	p.Locked.Pins[0].AcceptedWarnings = []pin.AcceptedWarning{record("oversize"), record(skill.UnreadFileID)}
	next := approval.UpdatedPins(&p, nil, map[pin.Ref][]pin.AcceptedWarning{p.Ref(set.Pins[0].Key): {record("hidden-text")}})
	if want := []pin.AcceptedWarning{record("hidden-text"), record(skill.UnreadFileID)}; !slices.Equal(next.Pins[0].AcceptedWarnings, want) {
		t.Errorf("%v, want %v", next.Pins[0].AcceptedWarnings, want)
	}
}

// TestKeptPinsStayByteForByte: for made-up lists, an accepted entry has the same bytes as in a
// lockfile of the capture alone, and any other entry the same as before.
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
		p := pin.Comparison{Server: "s", State: pin.ServerPaired,
			Locked:   pintest.PinsOf(t, "["+strings.Join(old, ",")+"]", policy),
			Captured: pintest.PinsOf(t, "["+strings.Join(new, ",")+"]", policy)}
		for i := range p.Locked.Pins {
			if one := &p.Locked.Pins[i]; m.IntN(2) == 0 {
				one.Approval = &pin.Approval{By: m.Pick("Ada", "Grace"), At: "2026-01-02T03:04:05Z", Hash: one.Digest}
				one.AcceptedWarnings = []pin.AcceptedWarning{{ID: "hidden-text", Place: "/description", Digest: one.Digest}}
			}
		}
		want, from := entries(p.Locked), entries(p.Captured)
		drifts := pintest.CompareByDigest([]pin.Comparison{p})
		accepted := pin.RefSet{}
		for i := range drifts {
			d := &drifts[i]
			if m.IntN(2) == 0 {
				continue
			}
			seen[d.Kind]++
			accepted[d.Ref()] = true
			delete(want, d.Name)
			if d.Captured != nil {
				want[d.Name] = from[d.Name]
			}
		}
		if got := entries(approval.UpdatedPins(&p, accepted, nil)); !maps.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q\nof %q\nand %q", got, want, old, new)
		}
	}
	if seen[pin.DriftAdded] < 50 || seen[pin.DriftChanged] < 50 || seen[pin.DriftRemoved] < 50 {
		t.Errorf("accepted: %v", seen)
	}
}

// TestRelockKeepsThePolicy: the policy stays when a relock drops a pin.
func TestRelockKeepsThePolicy(t *testing.T) {
	pol := pin.Policy{HashOnly: true, Descriptions: "strip"}
	text := `[{"name":"a","description":"x"},{"name":"b"}]`
	l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pintest.PinsOf(t, text, pol)}}))
	p := pin.Comparison{Server: "s", State: pin.ServerPaired, Locked: l.Servers[0], Captured: pintest.PinsOf(t, `[{"name":"b"}]`, pol)}
	drifts := pintest.CompareByDigest([]pin.Comparison{p})
	next := approval.UpdatedPins(&p, pin.RefSet{drifts[0].Ref(): true}, nil)
	if !next.Policy.Equal(pol) || len(next.Pins) != 1 || next.Pins[0].Name != "b" {
		t.Errorf("policy %+v, %d pins", next.Policy, len(next.Pins))
	}
	pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{next}}))
}

// TestPinsOfPart: regardless of what is accepted from a part of a session, every pin that the part lacks
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
		p := pin.Comparison{State: pin.ServerPaired, IsPartial: true,
			Locked: pintest.PinsOf(t, "["+strings.Join(whole, ",")+"]", pin.Policy{}), Captured: pintest.PinsOf(t, "["+strings.Join(part, ",")+"]", pin.Policy{})}
		p.Locked.ServerInfo = pin.ServerInfo{Name: "example", Version: "1"}
		accepted := pin.RefSet{}
		taken := map[pin.Key]*pin.Pin{}
		for i := range p.Captured.Pins {
			if c := &p.Captured.Pins[i]; random.IntN(2) == 0 {
				accepted[pin.Ref{Key: c.Key}] = true
				taken[c.Key] = c
			}
		}
		next := approval.UpdatedPins(&p, accepted, nil)
		if len(next.Pins) != len(p.Locked.Pins) || next.ServerInfo != p.Locked.ServerInfo || !next.Policy.Equal(p.Locked.Policy) {
			t.Fatalf("%d pins of %+v, of %d", len(next.Pins), next.ServerInfo, len(p.Locked.Pins))
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

// TestAboutStays: a server's name and version stay the old ones as long as an entry of the capture isn't accepted.
func TestAboutStays(t *testing.T) {
	old, new := pin.ServerInfo{Name: "pond", Version: "1"}, pin.ServerInfo{Name: "pond", Version: "2"}
	for what, tt := range map[string]struct {
		accepts []int // of two drifts
		mangle  func(*pin.Comparison)
		want    pin.ServerInfo
	}{
		"nothing":                  {nil, func(*pin.Comparison) {}, old},
		"one of two":               {[]int{0}, func(*pin.Comparison) {}, old},
		"both":                     {[]int{0, 1}, func(*pin.Comparison) {}, new},
		"a new server, one of two": {[]int{0}, func(p *pin.Comparison) { p.State = pin.ServerNew }, new},
		"a part, both":             {[]int{0, 1}, func(p *pin.Comparison) { p.IsPartial = true }, new},
		"a part that names none":   {[]int{0, 1}, func(p *pin.Comparison) { p.IsPartial = true; p.Captured.ServerInfo = pin.ServerInfo{} }, old},
		"a capture without a name": {[]int{0, 1}, func(p *pin.Comparison) { p.Captured.ServerInfo = pin.ServerInfo{} }, pin.ServerInfo{}},
	} {
		p := sideOf(t, "s", "1", `[{"name":"a"},{"name":"b"}]`, `[{"name":"a","x":1},{"name":"b","x":1}]`)
		p.Locked.ServerInfo = old
		p.Captured.ServerInfo = new
		tt.mangle(&p)
		drifts := pintest.CompareByDigest([]pin.Comparison{p})
		accepted := pin.RefSet{}
		for _, i := range tt.accepts {
			accepted[drifts[i].Ref()] = true
		}
		if next := approval.UpdatedPins(&p, accepted, nil); next.ServerInfo != tt.want {
			t.Errorf("%s: %+v, want %+v", what, next.ServerInfo, tt.want)
		}
	}
}
