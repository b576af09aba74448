package approval_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// deniedCase returns a capture with drift of every kind, whose pins "edited", "kept" and "gone" are denied.
func deniedCase(t *testing.T) *approval.Case {
	pairs, drifts := relockCase(t)
	side := &pairs[0]
	kept := *side.Locked.Find(pin.Key{Name: "same"})
	kept.Name = "kept"
	side.Locked.Put(append(slices.Clone(side.Locked.Pins), kept))
	side.Captured.Put(append(slices.Clone(side.Captured.Pins), kept))
	for _, name := range []string{"edited", "kept", "gone"} {
		side.Locked.Find(pin.Key{Name: name}).Denied = true
	}
	return caseOf(pairs, drifts)
}

// marked returns the names in a set of marks.
func marked(of map[pin.Ref]bool) string {
	var names []string
	for ref := range of {
		names = append(names, ref.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// deniedPins returns the names of the denied entries in the pins that the outcome leaves.
func deniedPins(c *approval.Case, out approval.Outcome) string {
	set := out.Sets["s"]
	if set == nil {
		set = &c.Sides[0].Locked
	}
	var names []string
	for _, p := range set.Pins {
		if p.Denied {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

// TestDenials: what the flags deny and no longer deny, and what is refused. If nothing is written, no mark changes.
func TestDenials(t *testing.T) {
	t.Parallel()
	found := func(name string) string {
		return deniedCase(t).Sides[0].Captured.Find(pin.Key{Name: name}).Digest
	}
	for _, test := range []struct {
		what    string
		all     bool
		accepts []string
		denies  []string
		pins    string // that are denied now
		lifted  string
		wrong   string
	}{
		{what: "all", all: true, pins: "edited gone kept"},
		{what: "all but one", all: true, denies: []string{"new"}, pins: "edited gone kept new"},
		{what: "all but one that is denied", all: true, denies: []string{"edited"}, pins: "edited gone kept"},
		{what: "its name", accepts: []string{"edited"}, pins: "gone kept", lifted: "edited"},
		{what: "its name and its digest", accepts: []string{"edited@" + found("edited")}, pins: "gone kept", lifted: "edited"},
		{what: "its digest alone", accepts: []string{found("edited")}, pins: "edited gone kept"},
		{what: "a pattern", accepts: []string{"edit*"}, pins: "edited gone kept"},
		{what: "a kind", accepts: []string{"changed"}, pins: "edited gone kept"},
		{what: "all, and its name", all: true, accepts: []string{"edited"}, pins: "gone kept", lifted: "edited"},
		{what: "the name of what matches", accepts: []string{"kept"}, pins: "edited gone", lifted: "kept"},
		{what: "what matches", denies: []string{"same"}, pins: "edited gone kept same"},
		{what: "what is denied, and matches", denies: []string{"kept"}, pins: "edited gone kept"},
		{what: "what is hidden", denies: []string{"hid"}, pins: "edited gone hid kept"},
		{what: "what is new, alone", denies: []string{"new"}, pins: "edited gone kept new"},
		{what: "with its list", denies: []string{"tool=new"}, pins: "edited gone kept new"},
		{what: "what went", accepts: []string{"gone"}, pins: "edited kept"},

		{what: "a repeated name", denies: []string{"twice"}, wrong: "not acceptable"},
		{what: "what went is denied", denies: []string{"gone"}, wrong: "nothing to deny"},
		{what: "what nobody knows", denies: []string{"unknown"}, wrong: "unknown"},
		{what: "a pattern is denied", denies: []string{"n*"}, wrong: "not a name"},
		{what: "a digest is denied", denies: []string{found("new")}, wrong: "not a name"},
		{what: "both", accepts: []string{"new"}, denies: []string{"new"}, wrong: "two answers"},
		{what: "both, with its list", accepts: []string{"new"}, denies: []string{"tool=new"}, wrong: "two answers"},
	} {
		said := &approval.Said{All: test.all}
		for _, arg := range test.accepts {
			said.Accepts = append(said.Accepts, selectorOf(t, arg))
		}
		for _, arg := range test.denies {
			said.Deny = append(said.Deny, selectorOf(t, arg))
		}
		c := deniedCase(t)
		before := c.Sides[0].Locked.Digest
		out := approval.Decide(c, said)
		if test.wrong != "" {
			if reasonText(out) != test.wrong || out.Sets != nil || len(out.Denied)+len(out.Allowed) > 0 {
				t.Errorf("%s: %+v", test.what, out.Err)
			}
			continue
		}
		if failed(out) || deniedPins(c, out) != test.pins || marked(out.Allowed) != test.lifted {
			t.Errorf("%s: denied %q, lifted %q, %+v", test.what, deniedPins(c, out), marked(out.Allowed), out.Err)
			continue
		}
		if set := out.Sets["s"]; set != nil && len(out.Accepted) == 0 && set.Digest != before {
			t.Errorf("%s: a mark is in the set digest", test.what)
		}
	}
}

// TestDenialsNeedTheirYes: a new warning, or a policy that refuses the entry, prevents a denial, too.
func TestDenialsNeedTheirYes(t *testing.T) {
	t.Parallel()
	said := func(warnings ...string) *approval.Said {
		s := &approval.Said{Deny: []approval.Selector{selectorOf(t, "new")}}
		for _, name := range warnings {
			s.Warnings = append(s.Warnings, selectorOf(t, name))
		}
		return s
	}
	c := deniedCase(t)
	c.Warnings = warningsOf("new")
	if out := approval.Decide(c, said()); out.Sets != nil && out.Sets["s"].Find(pin.Key{Name: "new"}) != nil || marked(out.Denied) != "" {
		t.Errorf("without the yes to its warning: %+v", out)
	}
	pinned := deniedCase(t)
	pinned.Warnings = warningsOf("hid")
	hid := &approval.Said{Deny: []approval.Selector{selectorOf(t, "hid")}}
	if out := approval.Decide(pinned, hid); deniedPins(pinned, out) != "edited gone kept" || marked(out.Denied) != "" {
		t.Errorf("the pin of what was not accepted: %+v", out)
	}
	out := approval.Decide(c, said("new"))
	if got := out.Sets["s"].Find(pin.Key{Name: "new"}); got == nil || !got.Denied || len(got.Accepted) != 1 {
		t.Errorf("with it: %+v", got)
	}
	c = deniedCase(t)
	c.Sides[0].Captured.Policy.RequireClean = true
	c.Sides[0].Locked.Policy.RequireClean = true
	c.Warnings = warningsOf("new")
	c.Warnings[0].Unclean = true
	if out := approval.Decide(c, said("new")); reasonText(out) != "not clean" {
		t.Errorf("what requireClean forbids: %+v", out.Err)
	}
}

// TestDeniedAnswers: an entry that was answered with x is denied, but only with the digest that was shown. A plain yes
// to the entry itself lifts a denial; a yes to many doesn't.
func TestDeniedAnswers(t *testing.T) {
	t.Parallel()
	c := deniedCase(t)
	ref := func(name string) pin.Ref { return pin.Ref{Server: "s", Key: pin.Key{Name: name}} }
	shown := answered(c.Drifts, 0, 3) // edited, new
	for what, test := range map[string]struct {
		denied, allowed []string
		pins            string
	}{
		"a yes to many":                 {nil, nil, "edited gone kept"},
		"x to what is new":              {[]string{"new"}, nil, "edited gone kept new"},
		"x to what is denied":           {[]string{"edited"}, nil, "edited gone kept"},
		"a yes to what is denied":       {nil, []string{"edited"}, "gone kept"},
		"a yes to what isn't":           {nil, []string{"new"}, "edited gone kept"},
		"x to what nobody accepted":     {[]string{"hid", "same", "twice"}, nil, "edited gone kept"},
		"a yes to what nobody accepted": {nil, []string{"kept", "gone"}, "edited gone kept"},
	} {
		answers := &approval.Answers{Entries: maps.Clone(shown.Entries), Denied: map[pin.Ref]bool{}, Allowed: map[pin.Ref]bool{}}
		for _, name := range test.denied {
			answers.Denied[ref(name)] = true
		}
		for _, name := range test.allowed {
			answers.Allowed[ref(name)] = true
		}
		out := approval.Decide(c, &approval.Said{Answers: answers})
		if failed(out) || deniedPins(c, out) != test.pins {
			t.Errorf("%s: %q, %+v", what, deniedPins(c, out), out.Err)
		}
	}
	stale := &approval.Answers{Entries: map[pin.Ref]string{ref("new"): pin.DigestPrefix + strings.Repeat("0", 64)}, Denied: map[pin.Ref]bool{ref("new"): true}}
	if out := approval.Decide(c, &approval.Said{Answers: stale}); reasonText(out) != "not what was shown" || out.Sets != nil {
		t.Errorf("x to another definition: %+v", out)
	}
}

// TestDeniedRename: while a denied entry is gone, only a yes to an added entry itself accepts it, and an
// answer in bulk leaves the mark where it is.
func TestDeniedRename(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		accepts   string
		wasDenied bool
		want      string
	}{{"", true, "run"}, {"run_now", true, "run"}, {"added", true, "run"}, {"removed", true, "run"}, {"run", true, ""}, {"", false, ""}} {
		side := pin.Comparison{Server: "s", State: pin.Paired,
			Locked:   pintest.PinsOf(t, `[{"name":"run","x":1}]`, pin.Policy{}),
			Captured: pintest.PinsOf(t, `[{"name":"run_now","x":1}]`, pin.Policy{}),
		}
		side.Locked.Pins[0].Denied = test.wasDenied
		sides := []pin.Comparison{side}
		drifts := pintest.Drifts(sides)
		c := caseOf(sides, drifts)
		for i := range drifts {
			if drifts[i].Kind == pin.Added {
				c.Facts[drifts[i].Ref()] = approval.Fact{RenamedFrom: "run"}
			}
		}
		said := &approval.Said{All: test.accepts == ""}
		if test.accepts != "" {
			said.Accepts = []approval.Selector{selectorOf(t, test.accepts)}
		}
		if out := approval.Decide(c, said); failed(out) || deniedPins(c, out) != test.want {
			t.Errorf("%q: %q, %+v", test.accepts, deniedPins(c, out), out.Err)
		}
	}
}

// TestDenialElsewhere: of several servers, only the one that has the entry denies it. An entry that a part of a session
// lacks can be denied, but not allowed again.
func TestDenialElsewhere(t *testing.T) {
	sides := []pin.Comparison{sideOf(t, "a", "1", `[{"name":"x"}]`, `[{"name":"x"}]`), sideOf(t, "b", "2", `[{"name":"y"}]`, `[{"name":"y"}]`)}
	out := approval.Decide(caseOf(sides, nil), &approval.Said{Deny: choosing(t, "y")})
	if failed(out) || marked(out.Denied) != "y" || out.Sets["a"] != nil || !out.Sets["b"].Pins[0].Denied {
		t.Errorf("%+v", out)
	}
	text := pin.Pin{Key: pin.Key{Type: pin.Instructions}}
	sides[1].Captured.Put(append(slices.Clone(sides[1].Captured.Pins), text))
	out = approval.Decide(caseOf(sides, nil), &approval.Said{Deny: choosing(t, "instructions")})
	if reasonText(out) != "not deniable" {
		t.Errorf("instructions are denied: %+v", out)
	}
	sides[0].Part = true
	sides[0].Captured.Pins = nil
	out = approval.Decide(caseOf(sides, nil), &approval.Said{Deny: choosing(t, "x")})
	if failed(out) || marked(out.Denied) != "x" {
		t.Errorf("what the part lacks isn't denied: %+v", out)
	}
	sides[0].Locked.Pins[0].Denied = true
	out = approval.Decide(caseOf(sides, nil), &approval.Said{Accepts: choosing(t, "x")})
	if failed(out) || len(out.Allowed) > 0 || len(out.Idle) != 1 {
		t.Errorf("what nobody has read is allowed: %+v", out)
	}
}

// TestDenialChangesNothing: to deny an entry that is denied already, or that is refused for a warning, changes nothing.
func TestDenialChangesNothing(t *testing.T) {
	c := deniedCase(t)
	c.Drifts = nil
	c.Verdict.Matches = true
	if out := approval.Decide(c, &approval.Said{Deny: choosing(t, "kept")}); !out.Settled {
		t.Errorf("denied already: %+v", out)
	}
	if out := approval.Decide(c, &approval.Said{Accepts: choosing(t, "kept")}); out.Settled || marked(out.Allowed) != "kept" || len(out.Idle) > 0 {
		t.Errorf("allowed by its name: %+v", out)
	}
	if out := approval.Decide(c, &approval.Said{Accepts: choosing(t, "kept", "same")}); marked(out.Allowed) != "kept" || len(out.Idle) != 1 || out.Idle[0].Arg != "same" {
		t.Errorf("allowed by its name, beside an idle one: %+v", out)
	}
	c = deniedCase(t)
	c.Warnings = warningsOf("hid")
	out := approval.Decide(c, &approval.Said{Accepts: choosing(t, "new"), Deny: choosing(t, "hid")})
	if marked(out.Denied) != "" || out.Warnings[0].Of.Name != "hid" || deniedPins(c, out) != "edited gone kept" {
		t.Errorf("refused, and denied: %+v", out)
	}
}
