package approval_test

import (
	"errors"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
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
		{"", "", "", "not a selector"},
		{"sha256:85ef", "", "", "not a selector"},
		{hex + "0", "", "", "not a selector"},
		{"x@sha256:85ef", "", "", "not a selector"},
		// An empty name, as of an empty shell variable, is not the name of a tool.
		{"@" + hex, "", "", "not a selector"},
		{"x@" + strings.ToUpper(hex[:10]) + hex[10:], "x@" + strings.ToUpper(hex[:10]) + hex[10:], "", ""}, // SHA256:ABC… isn't a digest
	} {
		got, why := approval.ParseSelector("--accept", tt.arg, nil)
		if said := wrong(why); said != tt.wrong {
			t.Errorf("%q: %q, want %q", tt.arg, said, tt.wrong)
		}
		if got.Name != tt.name || got.Digest != tt.digest {
			t.Errorf("%q: %+v", tt.arg, got)
		}
	}
}

// relockCase returns a capture with drift of every kind, against its pins.
func relockCase(t *testing.T) ([]pin.Comparison, []pin.Drift) {
	p := pin.Comparison{
		Server: "s", State: pin.Paired,
		Locked:   pintest.PinsOf(t, `[{"name":"same"},{"name":"edited","x":1},{"name":"hid","description":"x"},{"name":"gone","y":1},{"name":"twice"}]`, pin.Policy{}),
		Captured: pintest.PinsOf(t, `[{"name":"same"},{"name":"edited","x":2},{"name":"hid","description":"x\u200b"},{"name":"new","z":1},{"name":"twice"},{"name":"twice","x":1}]`, pin.Policy{}),
	}
	drifts := pintest.Drifts([]pin.Comparison{p})
	if got := pintest.DriftLines(drifts); got != "CHANGED edited, REMOVED gone, HIDDEN hid, ADDED new, DUPLICATE twice 2 times" {
		t.Fatal(got)
	}
	return []pin.Comparison{p}, drifts
}

func TestDecideByName(t *testing.T) {
	pairs, drifts := relockCase(t)
	found := func(name string) string { return pairs[0].Captured.Find(pin.Key{Name: name}).Digest }
	pinned := func(name string) string { return pairs[0].Locked.Find(pin.Key{Name: name}).Digest }
	other := pin.DigestPrefix + strings.Repeat("0", 64)
	const stale = "stale digest"
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

		{"a stale digest", false, []string{"edited@" + other}, "", stale, 1},
		{"the pin's digest of a changed tool", false, []string{"edited@" + pinned("edited")}, "", stale, 1},
		{"another tool's digest", false, []string{"edited@" + found("new")}, "", stale, 1},
		{"a digest of nothing", false, []string{other}, "", stale, 1},
		{"stale beside good ones", false, []string{"new", "hid@" + other, "gone"}, "", stale, 1},
		{"stale beside all", true, []string{"same@" + other}, "", stale, 1},
		{"a repeated name", false, []string{"twice"}, "", "not acceptable", 1},
		{"a repeated name by the digest of one", false, []string{found("twice")}, "", "not acceptable", 1},

		{"an unknown name", false, []string{"nosuch"}, "", "unknown", 2},
		{"an unknown name and a digest", false, []string{"nosuch@" + found("new")}, "", "unknown", 2},
		{"unknown beside good ones", false, []string{"new", "New"}, "", "unknown", 2},
	} {
		t.Run(tt.what, func(t *testing.T) {
			said := &approval.Said{All: tt.all}
			for _, arg := range tt.accepts {
				said.Accepts = append(said.Accepts, selectorOf(t, arg))
			}
			out := approval.Decide(caseOf(pairs, drifts), said)
			if got := reasonText(out); got != tt.wrong {
				t.Errorf("the reason is %q, want %q", got, tt.wrong)
			}
			if failed(out) && codeOf(out.Err) != tt.code {
				t.Errorf("exit code %d", codeOf(out.Err))
			}
			if got := acceptedNames(drifts, out); got != tt.accepted {
				t.Errorf("accepted %q, want %q", got, tt.accepted)
			}
		})
	}
}

// caseOf returns a case in which no text has a warning.
func caseOf(pairs []pin.Comparison, drifts []pin.Drift) *approval.Case {
	return &approval.Case{Sides: pairs, Drifts: drifts, Facts: map[pin.Ref]approval.Fact{}}
}

// acceptedNames returns the names of what is accepted, in the order of the drift.
func acceptedNames(drifts []pin.Drift, out approval.Outcome) string {
	var names []string
	for i := range drifts {
		if out.Accepted[drifts[i].Ref()] {
			names = append(names, drifts[i].Name)
		}
	}
	return strings.Join(names, " ")
}

// reasons has the errors of decisions in a few words, each with a part of its text.
var reasons = [][2]string{
	{"not a selector", "all 64 digits"}, {"empty list", "no tools in the list"}, {"other set", "not what was reviewed"}, {"other policy", "under another policy"},
	{"repeated", "an agent may get any"}, {"no pins", " has no server "}, {"unknown", "pinned or listed"}, {"two meanings", "a tool has that name, too"},
	{"several servers", "of several servers"}, {"new by pattern", "a pattern accepts no new"}, {"stale digest", "no drifted entry has that digest"},
	{"not acceptable", "that can't be accepted"}, {"not a name", "give the name"}, {"nothing to deny", "there is nothing to deny"}, {"not deniable", "can't be denied"},
	{"two answers", "--accept names it, too"}, {"needs all", "accept it with all drift, or not at all"}, {"not covered", "no approval covers"},
	{"not clean", "(requireClean)"}, {"policy in parts", "only when all drift is accepted"}, {"policy declined", "the policy was not accepted"},
	{"warning declined", "the warning was not accepted"}, {"not what was shown", "is not what was shown"}, {"new warning", "new warning"},
}

// wrong returns an error in a few words, or "" if there is none.
func wrong(err *fail.Error) string {
	if err == nil {
		return ""
	}
	for _, row := range reasons {
		if strings.Contains(err.Text, row[1]) {
			return row[0]
		}
	}
	return err.Text
}

// failed reports whether a decision writes nothing, because of an error.
func failed(out approval.Outcome) bool { return out.Sets == nil && out.Err != nil }

// reasonText returns why nothing is written in a few words, or "".
func reasonText(out approval.Outcome) string {
	if !failed(out) {
		return ""
	}
	return wrong(fail.From(out.Err))
}

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, fail.ErrDrift) {
		return 1
	}
	return 2
}

// selectorOf reads the value of a flag, with two labels.
func selectorOf(t *testing.T, arg string) approval.Selector {
	t.Helper()
	s, why := approval.ParseSelector("--accept", arg, []string{"prose", "looser"})
	if why != nil {
		t.Fatal(arg, wrong(why))
	}
	return s
}

// selected returns which drifts the arguments accept, which arguments had nothing to accept, or the
// reason why nothing is written.
func selected(t *testing.T, pairs []pin.Comparison, drifts []pin.Drift, args ...string) string {
	t.Helper()
	said := &approval.Said{}
	for _, arg := range args {
		said.Accepts = append(said.Accepts, selectorOf(t, arg))
	}
	out := approval.Decide(caseOf(pairs, drifts), said)
	if failed(out) {
		if out.Accepted != nil || out.Idle != nil || out.Sets != nil {
			t.Errorf("%q: %v and %v beside a reason", args, out.Accepted, out.Idle)
		}
		return reasonText(out)
	}
	var words []string
	if names := acceptedNames(drifts, out); names != "" {
		words = append(words, names)
	}
	for _, s := range out.Idle {
		words = append(words, "idle:"+s.Arg)
	}
	return strings.Join(words, " ")
}

// TestPatternsAndWords: a pattern takes nothing that is new or repeated, and a word takes
// drift of one kind. Both are refused if a tool has them as its name.
func TestPatternsAndWords(t *testing.T) {
	pairs, drifts := relockCase(t)
	for arg, want := range map[string]string{
		"*":         "edited gone hid",
		"e*":        "edited",
		"edited*":   "edited",
		"*d":        "edited hid",
		"?id":       "hid",
		"????":      "gone", // same has not drifted
		"[a-z]*":    "unknown",
		"h.d*":      "unknown",
		"E*":        "unknown",
		"hid?":      "unknown",
		"*i":        "unknown", // a pattern is for the whole name
		"prompt=e*": "unknown",
		"s*":        "idle:s*",
		"tw*":       "idle:tw*",
		"n*":        "new by pattern",
		"added":     "new",
		"changed":   "edited",
		"removed":   "gone",
		"hidden":    "hid",
		"duplicate": "not acceptable",
		"ADDED":     "unknown",
		"warnings":  "unknown",
		"prose":     "idle:prose",
	} {
		if got := selected(t, pairs, drifts, arg); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arg, got, want)
		}
	}
	if got := selected(t, pairs, drifts, "s*", "removed", "h*"); got != "gone hid idle:s*" {
		t.Errorf("several: %s", got)
	}

	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	pairs = []pin.Comparison{{Server: "s", State: pin.Paired,
		Locked:   side(`[{"name":"a*"},{"name":"ab"},{"name":"x\ny"},{"name":"added"}]`),
		Captured: side(`[{"name":"a*","x":1},{"name":"ab","x":1},{"name":"x\ny","x":1},{"name":"added","x":1},{"name":"new"}]`)}}
	drifts = pintest.Drifts(pairs)
	for arg, want := range map[string]string{
		"a*":         "two meanings",
		"tool=a*":    "a*",
		"a?":         "a* ab",
		"x*y":        "x\ny",
		"x?y":        "x\ny",
		"tool=added": "added",
		"added":      "two meanings",
	} {
		if got := selected(t, pairs, drifts, arg); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arg, got, want)
		}
	}
}

// TestOneServer: what a selector accepts is of one server. Both servers have a, b and
// instructions. Only the first one's b has drifted, and both changed a in the same way.
func TestOneServer(t *testing.T) {
	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	said := func(s pin.Set, text string) pin.Set {
		s.Pins = append(s.Pins, pin.Pin{Key: pin.Key{Type: pin.Instructions}, Form: pintest.Form(pin.Instructions, []byte(text))})
		return s
	}
	pairs := []pin.Comparison{
		{Server: "one", State: pin.Paired, Locked: said(side(`[{"name":"a"},{"name":"b"}]`), "Use a."),
			Captured: said(side(`[{"name":"a","x":1},{"name":"b","x":1},{"name":"only","x":1}]`), "Use b.")},
		{Server: "two", State: pin.Paired, Locked: said(side(`[{"name":"a"},{"name":"b"}]`), "Use a."),
			Captured: said(side(`[{"name":"a","x":1},{"name":"b"}]`), "Use a.")},
	}
	drifts := pintest.Drifts(pairs)
	of := func(name string) string { return pairs[0].Captured.Find(pin.Key{Name: name}).Digest }
	for arg, want := range map[string]string{
		"a":            "several servers",
		"b":            "several servers",
		"instructions": "several servers",
		"b@" + of("b"): "b",
		"a@" + of("a"): "several servers",
		of("a"):        "several servers",
		"changed":      "several servers",
		"a*":           "several servers",
		"b*":           "b",
		"added":        "only",
		"only":         "only",
	} {
		if got := selected(t, pairs, drifts, arg); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arg, got, want)
		}
	}
}

// TestCheckSelectors: what a flag names has to be there, drifted or not.
func TestCheckSelectors(t *testing.T) {
	pairs, drifts := relockCase(t)
	for arg, want := range map[string]string{
		"same": "", "gone": "", "new": "", "g*": "", "n?w": "", "added": "", "prose": "",
		pin.DigestPrefix + strings.Repeat("0", 64): "",
		"nosuch": "unknown", "x*": "unknown", "prompt=same": "unknown", "template=a:b": "unknown", "instructions": "unknown",
	} {
		said := &approval.Said{Only: []approval.Selector{selectorOf(t, "same"), selectorOf(t, arg)}}
		why := approval.Check(pairs, drifts, said)
		if got := wrong(why); got != want || why != nil && (!strings.HasPrefix(why.Text, "--accept ") || codeOf(why) != 2) {
			t.Errorf("%s: %q, want %q; %+v", arg, got, want, why)
		}
	}
}

// TestFits: which drifts are selected by a flag that only shows them. There, unlike in
// --accept, a pattern selects new entries, too.
func TestFits(t *testing.T) {
	pairs, drifts := relockCase(t)
	digest := func(name string) string { return pairs[0].Captured.Find(pin.Key{Name: name}).Digest }
	words := map[string][]string{"edited": {"looser", "prose"}, "hid": {"prose"}}
	for arg, want := range map[string]string{
		"prose":                   "edited hid",
		"looser":                  "edited",
		"added":                   "new",
		"duplicate":               "twice",
		"n*":                      "new",
		"*":                       "edited gone hid new twice",
		"hid":                     "hid",
		digest("new"):             "new",
		"new@" + digest("new"):    "new",
		"edited@" + digest("new"): "",
		digest("same"):            "",
		"prompt=hid":              "",
	} {
		var got []string
		s := selectorOf(t, arg)
		for i := range drifts {
			if d := &drifts[i]; s.Fits(d, words[d.Name]) {
				got = append(got, d.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s fits %q, want %s", arg, got, want)
		}
	}
	bare := pin.Drift{Key: pin.Key{Name: "a"}, Kind: pin.Changed} // a drift without either side
	if s := selectorOf(t, digest("new")); s.Fits(&bare, nil) {
		t.Error("a digest fits an entry without one")
	}
}

func TestAcceptAcrossServers(t *testing.T) {
	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	pairs := []pin.Comparison{
		{Server: "one", State: pin.Paired, Locked: side(`[{"name":"a"}]`), Captured: side(`[{"name":"a","x":1},{"name":"only","y":1}]`)},
		{Server: "two", State: pin.Paired, Locked: side(`[{"name":"a"}]`), Captured: side(`[{"name":"a","x":2}]`)},
	}
	drifts := pintest.Drifts(pairs)
	if got := selected(t, pairs, drifts, "a"); got != "several servers" {
		t.Error(got)
	}
	out := approval.Decide(caseOf(pairs, drifts), &approval.Said{Accepts: []approval.Selector{{Key: pin.Key{Name: "only"}}, {Digest: pairs[1].Captured.Pins[0].Digest}}})
	if len(out.Accepted) != 2 || drifts[0].Server != "one" || out.Accepted[drifts[0].Ref()] {
		t.Errorf("%v, %v", out.Accepted, out.Err)
	}
}

// TestToolNamedLikeAnAcceptance: a tool whose name ends in a digest can't take the
// place of the tool that is meant.
func TestToolNamedLikeAnAcceptance(t *testing.T) {
	good := pintest.PinsOf(t, `[{"name":"x","y":1}]`, pin.Policy{}).Pins[0].Digest
	evil := "x@" + good
	p := pin.Comparison{Server: "s", State: pin.Paired,
		Locked:   pintest.PinsOf(t, `[]`, pin.Policy{}),
		Captured: pintest.PinsOf(t, `[{"name":"x","y":1},{"name":"`+evil+`","z":1},{"name":"`+good+`"}]`, pin.Policy{})}
	drifts := pintest.Drifts([]pin.Comparison{p})
	for _, arg := range []string{evil, good} {
		if got := selected(t, []pin.Comparison{p}, drifts, arg); got != "x" {
			t.Errorf("%s accepts %q", arg, got)
		}
	}
	evilDigest := p.Captured.Find(pin.Key{Name: evil}).Digest
	if a := selectorOf(t, evil+"@"+evilDigest); a.Name != evil || a.Digest != evilDigest {
		t.Errorf("%+v", a)
	}
}

// TestAcceptOfOtherLists: how --accept names an entry of each list, and a tool's name
// accepts nothing of another list.
func TestAcceptOfOtherLists(t *testing.T) {
	entry := func(entryType pin.EntryType, name, definition string) pin.Pin {
		return pin.Pin{Key: pin.Key{Type: entryType, Name: name}, Form: pintest.Form(pin.Tools, []byte(definition))}
	}
	tool := pintest.PinsOf(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, pin.Policy{}).Pins[0]
	pairs := []pin.Comparison{{Server: "s", State: pin.Paired,
		Locked:   pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Resources, "file:///a", `{"uri":"file:///a"}`), entry(pin.Instructions, "", `"Use x."`)}},
		Captured: pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Prompts, "x", `{"name":"x"}`), entry(pin.Instructions, "", `"Use y."`)}}}}
	drifts := pintest.Drifts(pairs)
	for arg, want := range map[string]pin.DriftKind{"prompt=x": pin.Added, "instructions": pin.Changed, "resource=file:///a": pin.Removed, "x": ""} {
		out := approval.Decide(caseOf(pairs, drifts), &approval.Said{Accepts: []approval.Selector{selectorOf(t, arg)}})
		if failed(out) || len(out.Accepted) != min(1, len(want)) {
			t.Errorf("%s accepts %v; %v", arg, out.Accepted, out.Err)
		}
		for i := range drifts {
			if d := &drifts[i]; out.Accepted[d.Ref()] && d.Kind != want {
				t.Errorf("%s accepts %s", arg, d.Kind)
			}
		}
	}
}

// TestPatternsKeepToTheirList: a pattern selects only tools. After prompt= or the like, or with a digest, * and ? are
// plain characters of a name.
func TestPatternsKeepToTheirList(t *testing.T) {
	digest := pin.DigestPrefix + strings.Repeat("1", 64)
	var drifts []*pin.Drift
	for _, key := range []pin.Key{{Name: "page"}, {Type: pin.Prompts, Name: "page"}, {Name: "pa*"}} {
		found := &pin.Pin{Key: key}
		found.Digest = digest
		drifts = append(drifts, &pin.Drift{Key: key, Kind: pin.Changed, Locked: found, Captured: found})
	}
	for arg, want := range map[string]string{
		"pa*": "tool=page tool=\"pa*\"", "p?ge": "tool=page", "prompt=pa*": "", "tool=pa*": "tool=\"pa*\"", "pa*@" + digest: "tool=\"pa*\"",
		digest: "tool=page prompt=page tool=\"pa*\"",
	} {
		s := selectorOf(t, arg)
		var fits []string
		for _, d := range drifts {
			if s.Fits(d, nil) {
				fits = append(fits, d.EntryRef())
			}
		}
		if got := strings.Join(fits, " "); got != want {
			t.Errorf("%s selects %s, want %s", arg, got, want)
		}
	}
}
