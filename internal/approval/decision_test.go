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

// warningsOf returns new warnings in drift of server s.
func warningsOf(names ...string) (list []approval.Warning) {
	for _, name := range names {
		list = append(list, approval.Warning{Of: pin.Ref{Server: "s", Key: pin.Key{Name: name}}, Record: rec("hidden-text")})
	}
	return list
}

// matching returns warnings of entries that match their pins. The warnings are not recorded.
func matching(names ...string) []approval.Warning {
	list := warningsOf(names...)
	for i := range list {
		list[i].Where = approval.InMatch
	}
	return list
}

// answered returns answers with a yes to some drifts, as they were shown.
func answered(drifts []pin.Drift, indexes ...int) *approval.Answers {
	a := &approval.Answers{Entries: map[pin.Ref]string{}}
	for _, i := range indexes {
		a.Entries[drifts[i].Ref()] = drifts[i].DefinitionDigest()
	}
	return a
}

// TestAnswers: a yes at the prompt accepts an entry, even one with a new warning, for which the
// prompt asks for the whole word. It never accepts a DUPLICATE. A yes to another definition than
// the captured one is refused.
func TestAnswers(t *testing.T) {
	pairs, drifts := relockCase(t)
	c := caseOf(pairs, drifts)
	c.Warnings = warningsOf("edited")
	out := approval.Decide(c, &approval.Said{Answers: answered(drifts, 0, 3, 4)})
	if got := acceptedNames(drifts, out); got != "edited new" || failed(out) || codeOf(out.Err) != 1 {
		t.Errorf("%q, %+v", got, out)
	}
	for i := range 4 {
		answers := answered(drifts, 0, 1, 2, 3)
		answers.Entries[drifts[i].Ref()] = pin.DigestPrefix + strings.Repeat("0", 64)
		out := approval.Decide(c, &approval.Said{Answers: answers})
		if reasonText(out) != "not what was shown" || out.Sets != nil || codeOf(out.Err) != 1 {
			t.Errorf("%s: %+v", drifts[i].Name, out)
		}
	}
	out = approval.Decide(c, &approval.Said{Answers: &approval.Answers{Records: []approval.Record{{Of: drifts[0].Ref(), Record: rec("hidden-text")}}}})
	if reasonText(out) != "not what was shown" {
		t.Errorf("the warning of a drift is recorded: %+v", out)
	}
}

// TestBoundAnswers: a yes to a policy, to a warning about a whole capture, and to a warning's record
// is valid only for what was shown.
func TestBoundAnswers(t *testing.T) {
	pairs, drifts := relockCase(t)
	pairs[0].Captured.Digest = pin.DigestPrefix + "1"
	pairs[0].Captured.Policy.RequireClean = true
	c := caseOf(pairs, drifts)
	c.Warnings = append(matching("same"), approval.Warning{Of: pin.Ref{Server: "s"}, Record: rec("oversize")})
	right := func() *approval.Answers {
		a := answered(drifts, 0, 1, 2, 3)
		a.Policies = map[string]pin.Policy{"s": {RequireClean: true}}
		a.Wholes = map[string]string{"s": pin.DigestPrefix + "1"}
		a.Records = []approval.Record{{Of: c.Warnings[0].Of, Record: rec("hidden-text")}}
		return a
	}
	for what, mangle := range map[string]func(*approval.Answers){
		"":                        func(*approval.Answers) {},
		"another policy":          func(a *approval.Answers) { a.Policies["s"] = pin.Policy{HashOnly: true} },
		"no to the policy":        func(a *approval.Answers) { a.Policies = nil },
		"another server's policy": func(a *approval.Answers) { a.Policies = map[string]pin.Policy{"t": {RequireClean: true}} },
		"another capture":         func(a *approval.Answers) { a.Wholes["s"] = pin.DigestPrefix + "2" },
		"no yes to the capture":   func(a *approval.Answers) { a.Wholes = nil },
		"another warning":         func(a *approval.Answers) { a.Records[0].ID = "bidi-control" },
		"another entry's":         func(a *approval.Answers) { a.Records[0].Of.Name = "edited" },
	} {
		answers := right()
		mangle(answers)
		out := approval.Decide(c, &approval.Said{Answers: answers})
		want := map[string]string{
			"":                 "policy in parts", // because the repeated name is left
			"no to the policy": "policy declined", "another server's policy": "policy declined", "no yes to the capture": "warning declined",
		}[what]
		if want == "" {
			want = "not what was shown"
		}
		if got := reasonText(out); got != want || out.Sets != nil {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestAnsweredNo: a no at the prompt to a warning of an entry that matches is respected even with
// --accept-warnings or --accept-warning.
func TestAnsweredNo(t *testing.T) {
	pairs, drifts := relockCase(t)
	c := caseOf(pairs, drifts)
	c.Warnings = matching("same")
	for _, said := range []approval.Said{{AnyWarning: true}, {Warnings: []approval.Selector{selectorOf(t, "same")}}} {
		if out := approval.Decide(c, &said); said.AnyWarning && !out.Ask {
			t.Errorf("nobody is asked: %+v", out)
		}
		said.Answers = answered(drifts, 0)
		if out := approval.Decide(c, &said); len(out.Recorded) > 0 || out.Sets["s"].Find(pin.Key{Name: "same"}).Accepted != nil {
			t.Errorf("%+v is recorded", out.Recorded)
		}
		said.Answers.Records = []approval.Record{{Of: c.Warnings[0].Of, Record: c.Warnings[0].Record}}
		if out := approval.Decide(c, &said); len(out.Sets["s"].Find(pin.Key{Name: "same"}).Accepted) != 1 {
			t.Errorf("%+v is recorded", out.Recorded)
		}
	}
}

// TestAllOfALabel: --only LABEL --accept-all takes what --accept LABEL takes: no entry that has
// another change, too, and nothing that is new or hidden. A kind or a risk takes entries whole.
func TestAllOfALabel(t *testing.T) {
	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	pairs := []pin.Comparison{{Server: "s", State: pin.Paired,
		Locked:   side(`[{"name":"both","x":1},{"name":"churn","x":1},{"name":"hid","description":"x"},{"name":"small","x":1}]`),
		Captured: side(`[{"name":"both","x":2},{"name":"churn","x":2},{"name":"hid","description":"x\u200b"},{"name":"small","x":2},{"name":"new"}]`)}}
	drifts := pintest.Drifts(pairs)
	c := caseOf(pairs, drifts)
	for name, fact := range map[string]approval.Fact{
		"both":  {Labels: []string{"looser", "prose"}, Words: []string{"looser", "prose", "risky"}},
		"churn": {Labels: []string{"prose", "prose"}, Words: []string{"prose"}},
		"hid":   {Labels: []string{"prose"}, Words: []string{"prose"}},
		"new":   {Words: []string{"risky"}},
		"small": {Labels: []string{"looser"}, Words: []string{"looser", "minor"}, Minor: true},
	} {
		c.Facts[pin.Ref{Server: "s", Key: pin.Key{Name: name}}] = fact
	}
	words := []string{"prose", "looser", "risky", "minor"}
	parse := func(arg string) []approval.Selector {
		s, why := approval.ParseSelector("--only", arg, words)
		if why != nil {
			t.Fatal(why)
		}
		return []approval.Selector{s}
	}
	for arg, want := range map[string]string{
		"prose": "churn", "looser": "small", "minor": "small", "added": "new", "hidden": "hid", "risky": "both new",
	} {
		out := approval.Decide(c, &approval.Said{All: true, Only: parse(arg)})
		if got := acceptedNames(drifts, out); got != want || codeOf(out.Err) != 1 {
			t.Errorf("--only %s --accept-all takes %q, want %q; exit code %d", arg, got, want, codeOf(out.Err))
		}
		if arg == "risky" {
			continue // --accept doesn't take that word
		}
		named := approval.Decide(c, &approval.Said{Accepts: parse(arg)})
		if got := acceptedNames(drifts, named); got != want {
			t.Errorf("--accept %s takes %q, want %q", arg, got, want)
		}
	}
}

// TestLabelsNeedTheirYes: a label takes nothing that has a new warning. With two words in --only, each takes entries by
// its own rule.
func TestLabelsNeedTheirYes(t *testing.T) {
	pairs, drifts := relockCase(t)
	c := caseOf(pairs, drifts)
	c.Facts[drifts[0].Ref()] = approval.Fact{Labels: []string{"prose"}, Words: []string{"prose"}}
	if out := approval.Decide(c, &approval.Said{Accepts: choosing(t, "prose")}); acceptedNames(drifts, out) != "edited" {
		t.Errorf("%+v", out)
	}
	c.Warnings = warningsOf("edited")
	if out := approval.Decide(c, &approval.Said{Accepts: choosing(t, "prose", "new")}); acceptedNames(drifts, out) != "new" || len(out.Idle) != 1 {
		t.Errorf("a label takes what has a warning: %+v", out)
	}
	c.Warnings = nil
	c.Facts[drifts[0].Ref()] = approval.Fact{Labels: []string{"looser", "prose"}, Words: []string{"looser", "prose"}}
	if out := approval.Decide(c, &approval.Said{All: true, Only: choosing(t, "prose", "added")}); acceptedNames(drifts, out) != "new" {
		t.Errorf("%+v", out)
	}
}

// TestAlone: what is suggested for one entry would be written. Alone returns for each drift what Would
// returns if that one entry is accepted.
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
			w := approval.Warning{Of: pin.Ref{Server: "s", Key: pin.Key{Name: name}}, Record: rec("hidden-text"), Unclean: random.IntN(2) == 0, Approved: random.IntN(4) > 0}
			if name == "same" {
				w.Where = approval.InMatch
			}
			if random.IntN(12) == 0 {
				w.Where = approval.Unpinned
			}
			if random.IntN(4) == 0 {
				c.Warnings = append(c.Warnings, w)
			}
		}
		alone := approval.Alone(c)
		for i := range drifts {
			d := &drifts[i]
			would := approval.Would(c, approval.Said{Accepts: []approval.Selector{{Key: d.Key}}})
			if alone[d.Ref()] != would {
				t.Fatalf("%s alone: %t, but flags: %t; of %+v", d.Name, alone[d.Ref()], would, c.Warnings)
			}
			seen[would]++
		}
	}
	if seen[true] < 200 || seen[false] < 200 {
		t.Errorf("%v", seen)
	}
}

// TestDecide: an entry with a new warning that no flag accepts isn't accepted, however it is
// selected. If it was selected, the outcome lists it as refused. A selector is idle if its
// entry has neither drifted nor a warning that is accepted.
func TestDecide(t *testing.T) {
	pairs, drifts := relockCase(t) // edited, gone, hid, new, twice
	same := pairs[0].Captured.Find(pin.Key{Name: "same"}).Digest
	for what, tt := range map[string]struct {
		all               bool
		accepts, only     string
		warned, matching  string // entries with a warning
		accepting         string // --accept-warning
		accepted, refused string
		idle              string
	}{
		"all":                            {all: true, accepted: "edited gone hid new"},
		"all of a part":                  {all: true, only: "added removed", accepted: "gone new"},
		"all, two warned of":             {all: true, warned: "hid new", accepted: "edited gone", refused: "hid new"},
		"all, one of them accepted":      {all: true, warned: "hid new", accepting: "new", accepted: "edited gone new", refused: "hid"},
		"named, warned of":               {accepts: "hid gone", warned: "hid new", accepted: "gone", refused: "hid"},
		"a pattern, warned of":           {accepts: "*", warned: "hid new", accepted: "edited gone", refused: "hid"},
		"a kind, warned of":              {accepts: "added gone", warned: "hid new", accepted: "gone", refused: "new"},
		"another, warned of":             {accepts: "gone", warned: "hid", accepted: "gone"},
		"idle":                           {accepts: "same gone", accepted: "gone", idle: "same"},
		"not idle: its warning":          {accepts: "same gone", matching: "same", accepting: "same", accepted: "gone"},
		"a pattern of the same":          {accepts: "s*", matching: "same", accepting: "same"},
		"idle: the warning of another":   {accepts: "same", warned: "edited", accepting: "edited", idle: "same"},
		"a word names no warned entry":   {accepts: "prose", matching: "same", accepting: "same", idle: "prose"},
		"a digest is that of the warned": {accepts: same, matching: "same", accepting: "same"},
	} {
		c := caseOf(pairs, drifts)
		c.Warnings = append(warningsOf(strings.Fields(tt.warned)...), matching(strings.Fields(tt.matching)...)...)
		said := &approval.Said{All: tt.all}
		for _, arg := range strings.Fields(tt.accepts) {
			said.Accepts = append(said.Accepts, selectorOf(t, arg))
		}
		for _, arg := range strings.Fields(tt.only) {
			said.Only = append(said.Only, selectorOf(t, arg))
		}
		for _, arg := range strings.Fields(tt.accepting) {
			said.Warnings = append(said.Warnings, selectorOf(t, arg))
		}
		out := approval.Decide(c, said)
		var idle, refused []string
		for _, s := range out.Idle {
			idle = append(idle, s.Arg)
		}
		for _, w := range out.Warnings {
			refused = append(refused, w.Of.Name)
		}
		if failed(out) || acceptedNames(drifts, out) != tt.accepted || strings.Join(refused, " ") != tt.refused || strings.Join(idle, " ") != tt.idle {
			t.Errorf("%s: %s; accepted %v, refused %v, idle %q", what, reasonText(out), out.Accepted, refused, idle)
		}
		for _, w := range matching(strings.Fields(tt.matching)...) {
			if !slices.Equal(out.Recorded[w.Of], []pin.Record{w.Record}) {
				t.Errorf("%s: recorded %v", what, out.Recorded)
			}
		}
		if codeOf(out.Err) != 1 { // the repeated name is always left
			t.Errorf("%s: exit code %d", what, codeOf(out.Err))
		}
	}
	out := approval.Decide(caseOf(pairs, drifts), &approval.Said{All: true, Accepts: []approval.Selector{selectorOf(t, "nosuch")}})
	if !failed(out) || len(out.Accepted) != 0 {
		t.Errorf("an error decides: %v", out.Accepted)
	}
}

// rec returns a record of consent to a warning. The text doesn't matter.
func rec(id string) pin.Record { return pin.Record{ID: id, Digest: pin.DigestPrefix + "0"} }

// ids returns the IDs of records.
func ids(records []pin.Record) string {
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
		p := pin.Comparison{Server: "s", State: pin.Paired,
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

// TestRelockKeepsThePolicy: the policy stays when a relock drops a pin.
func TestRelockKeepsThePolicy(t *testing.T) {
	pol := pin.Policy{HashOnly: true, Descriptions: "strip"}
	text := `[{"name":"a","description":"x"},{"name":"b"}]`
	l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pintest.PinsOf(t, text, pol)}}))
	p := pin.Comparison{Server: "s", State: pin.Paired, Locked: l.Servers[0], Captured: pintest.PinsOf(t, `[{"name":"b"}]`, pol)}
	drifts := pintest.Drifts([]pin.Comparison{p})
	next := approval.Pins(&p, []*pin.Drift{&drifts[0]}, nil)
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
		p := pin.Comparison{State: pin.Paired, Part: true,
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

// TestRecordsOfPart: in a part of a session nobody can read the list as a whole, so the records about it stay.
func TestRecordsOfPart(t *testing.T) {
	pairs, drifts := relockCase(t)
	pairs[0].Part = true
	pairs[0].Locked.Accepted = []pin.Record{rec("oversize")}
	out := approval.Decide(caseOf(pairs, drifts), &approval.Said{Accepts: []approval.Selector{selectorOf(t, "edited")}})
	if got := out.Sets["s"]; got == nil || ids(got.Accepted) != "oversize" {
		t.Errorf("%+v", got)
	}
}

// TestCleanFromNowOn: if requireClean is a new policy, it also applies to an entry that matches its pin,
// because the policy is about every pin.
func TestCleanFromNowOn(t *testing.T) {
	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	for _, isNew := range []bool{true, false} {
		pairs := []pin.Comparison{{Server: "s", State: pin.Paired, Locked: side(`[{"name":"a"},{"name":"b"}]`), Captured: side(`[{"name":"a"},{"name":"b","x":1}]`)}}
		pairs[0].Captured.Policy.RequireClean = true
		pairs[0].Locked.Policy.RequireClean = !isNew
		c := caseOf(pairs, pintest.Drifts(pairs))
		c.Warnings = matching("a")
		c.Warnings[0].Unclean = true
		c.Warnings[0].Approved = true
		out := approval.Decide(c, &approval.Said{All: true})
		if isNew && (reasonText(out) != "not clean" || out.Warnings[0].Of.Name != "a" || codeOf(out.Err) != 1) || !isNew && failed(out) {
			t.Errorf("a new policy: %t; %+v", isNew, out)
		}
	}
}

// TestBareServers: a server without an entry is pinned only if everything is accepted: by lock, by
// --accept-all without --only, or by a yes to every question of lock.
func TestBareServers(t *testing.T) {
	bare := pin.Comparison{Server: "bare", State: pin.New, Captured: pin.Set{Server: "bare"}}
	some := pin.Comparison{Server: "s", State: pin.New, Captured: pintest.PinsOf(t, `[{"name":"a"},{"name":"b"}]`, pin.Policy{})}
	pairs := []pin.Comparison{bare, some}
	drifts := pintest.Drifts(pairs)
	if len(drifts) != 2 {
		t.Fatal(drifts)
	}
	for what, tt := range map[string]struct {
		said approval.Said
		want int // exit code; 0 with the pins of both servers
	}{
		"lock":                        {approval.Said{Approves: true, Silent: true}, 0},
		"relock --accept-all":         {approval.Said{All: true}, 0},
		"relock --only, --accept-all": {approval.Said{All: true, Only: []approval.Selector{selectorOf(t, "added")}}, 1},
		"relock --accept":             {approval.Said{Accepts: []approval.Selector{selectorOf(t, "added")}}, 1},
		"lock, every yes":             {approval.Said{Approves: true, Answers: answered(drifts, 0, 1)}, 0},
		"lock, one yes":               {approval.Said{Approves: true, Answers: answered(drifts, 0)}, 1},
		"relock, every yes":           {approval.Said{Answers: answered(drifts, 0, 1)}, 1},
	} {
		out := approval.Decide(caseOf(pairs, drifts), &tt.said)
		if failed(out) || codeOf(out.Err) != tt.want || (out.Sets["bare"] != nil) != (tt.want == 0) || (len(out.Whole) == 1) != (tt.want == 0) {
			t.Errorf("%s: %+v", what, out)
		}
	}
}

// TestRecords: the new record of a matching entry has the accepted warning in addition to those that were
// accepted before. A warning without a digest is never recorded.
func TestRecords(t *testing.T) {
	pairs, drifts := relockCase(t)
	c := caseOf(pairs, drifts)
	c.Warnings = append(matching("same", "same", "same"), warningsOf("edited", "edited")...)
	c.Warnings[0].Approved = true
	c.Warnings[0].Record = rec("standing")
	c.Warnings[1].Record = rec("fresh")
	c.Warnings[2].Approved = true
	c.Warnings[2].Record = pin.Record{ID: "unbound"}
	c.Warnings[4].Record = pin.Record{ID: "unbound"}
	set := func(said approval.Said) *pin.Set { return approval.Decide(c, &said).Sets["s"] }
	of := func(s *pin.Set, name string) string { return ids(s.Find(pin.Key{Name: name}).Accepted) }
	both := set(approval.Said{Accepts: []approval.Selector{selectorOf(t, "edited")}, AnyWarning: true})
	if of(both, "same") != "fresh,standing" || of(both, "edited") != "hidden-text" {
		t.Errorf("same %s, edited %s", of(both, "same"), of(both, "edited"))
	}
	one := set(approval.Said{Accepts: []approval.Selector{selectorOf(t, "edited")}, Warnings: []approval.Selector{selectorOf(t, "edited")}})
	if of(one, "same") != "" {
		t.Errorf("same %s", of(one, "same"))
	}
}

// TestRecordsOfOthers: an entry that isn't accepted keeps its record. An accepted warning about the whole list stays.
func TestRecordsOfOthers(t *testing.T) {
	pairs, drifts := relockCase(t)
	c := caseOf(pairs, drifts)
	whole := approval.Warning{Of: pin.Ref{Server: "s"}, Record: rec("oversize"), Approved: true}
	c.Warnings = append(warningsOf("edited", "hid"), whole)
	out := approval.Decide(c, &approval.Said{Accepts: choosing(t, "edited"), AnyWarning: true})
	set := out.Sets["s"]
	if set == nil || ids(set.Find(pin.Key{Name: "hid"}).Accepted) != "" || ids(set.Find(pin.Key{Name: "edited"}).Accepted) != "hidden-text" || ids(set.Accepted) != "oversize" {
		t.Errorf("%+v", set)
	}
	// If a matching entry has two warnings, a yes to one records only that one.
	c = caseOf(pairs, nil)
	c.Verdict.Matches = true
	c.Warnings = matching("same", "same")
	c.Warnings[1].Record = rec("bidi-control")
	answers := answered(nil)
	answers.Records = []approval.Record{{Of: c.Warnings[0].Of, Record: c.Warnings[0].Record}}
	out = approval.Decide(c, &approval.Said{Answers: answers})
	if set := out.Sets["s"]; set == nil || ids(set.Find(pin.Key{Name: "same"}).Accepted) != "hidden-text" {
		t.Errorf("%+v", out)
	}
}

// TestPolicyAlone: a changed policy is written although every entry matches.
func TestPolicyAlone(t *testing.T) {
	p := sideOf(t, "s", "1", `[{"name":"a"}]`, `[{"name":"a"}]`)
	p.Captured.Policy.HashOnly = true
	out := approval.Decide(caseOf([]pin.Comparison{p}, nil), &approval.Said{All: true})
	if set := out.Sets["s"]; set == nil || !set.Policy.HashOnly || codeOf(out.Err) != 0 {
		t.Errorf("%+v", out)
	}
}

// TestAboutStays: a server's name and version stay the old ones as long as an entry of the capture isn't accepted.
func TestAboutStays(t *testing.T) {
	old, new := pin.About{Name: "pond", Version: "1"}, pin.About{Name: "pond", Version: "2"}
	for what, tt := range map[string]struct {
		accepts []int // of two drifts
		mangle  func(*pin.Comparison)
		want    pin.About
	}{
		"nothing":                  {nil, func(*pin.Comparison) {}, old},
		"one of two":               {[]int{0}, func(*pin.Comparison) {}, old},
		"both":                     {[]int{0, 1}, func(*pin.Comparison) {}, new},
		"a new server, one of two": {[]int{0}, func(p *pin.Comparison) { p.State = pin.New }, new},
		"a part, both":             {[]int{0, 1}, func(p *pin.Comparison) { p.Part = true }, new},
		"a part that names none":   {[]int{0, 1}, func(p *pin.Comparison) { p.Part = true; p.Captured.About = pin.About{} }, old},
		"a capture without a name": {[]int{0, 1}, func(p *pin.Comparison) { p.Captured.About = pin.About{} }, pin.About{}},
	} {
		p := sideOf(t, "s", "1", `[{"name":"a"},{"name":"b"}]`, `[{"name":"a","x":1},{"name":"b","x":1}]`)
		p.Locked.About = old
		p.Captured.About = new
		tt.mangle(&p)
		drifts := pintest.Drifts([]pin.Comparison{p})
		var accepted []*pin.Drift
		for _, i := range tt.accepts {
			accepted = append(accepted, &drifts[i])
		}
		if next := approval.Pins(&p, accepted, nil); next.About != tt.want {
			t.Errorf("%s: %+v, want %+v", what, next.About, tt.want)
		}
	}
}
