package approval_test

import (
	"errors"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
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
		{"x@sha256:85ef", "", "", `--accept "x@sha256:85ef": give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits`},
		// An empty name, as of an empty shell variable, is not the name of a tool.
		{"@" + hex, "", "", `--accept "@` + hex + `": give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits`},
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
	const stale = ": no drifted entry has that digest: nothing was written"
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

		{"a stale digest", false, []string{"edited@" + other}, "", `--accept "edited@` + other + `"` + stale, 1},
		{"the pin's digest of a changed tool", false, []string{"edited@" + pinned("edited")}, "", `--accept "edited@` + pinned("edited") + `"` + stale, 1},
		{"another tool's digest", false, []string{"edited@" + found("new")}, "", `--accept "edited@` + found("new") + `"` + stale, 1},
		{"a digest of nothing", false, []string{other}, "", `--accept "` + other + `"` + stale, 1},
		{"stale beside good ones", false, []string{"new", "hid@" + other, "gone"}, "", `--accept "hid@` + other + `"` + stale, 1},
		{"stale beside all", true, []string{"same@" + other}, "", `--accept "same@` + other + `"` + stale, 1},
		{"a repeated name", false, []string{"twice"}, "", "tool=twice is listed 2 times: that can't be accepted", 1},
		{"a repeated name by the digest of one", false, []string{found("twice")}, "", "tool=twice is listed 2 times: that can't be accepted", 1},

		{"an unknown name", false, []string{"nosuch"}, "", "--accept nosuch: no tool of that name is pinned or listed", 2},
		{"an unknown name and a digest", false, []string{"nosuch@" + found("new")}, "", `--accept "nosuch@` + found("new") + `": no tool of that name is pinned or listed`, 2},
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
			d, err := approval.Decide(pairs, drifts, sel)
			accepted := d.Accepted
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

// selectorOf reads the value of a flag, with two labels.
func selectorOf(t *testing.T, arg string) approval.Selector {
	t.Helper()
	s, err := approval.ParseSelector("--accept", arg, []string{"prose", "looser"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// selected says which drifts the arguments accept, which arguments had nothing to accept, and
// the error with its hints, in one line.
func selected(t *testing.T, pairs []pin.Comparison, drifts []pin.Drift, args ...string) string {
	t.Helper()
	var sel approval.Selection
	for _, arg := range args {
		sel.Accepts = append(sel.Accepts, selectorOf(t, arg))
	}
	d, err := approval.Decide(pairs, drifts, sel)
	accepted, idle := d.Accepted, d.Idle
	if err != nil {
		if accepted != nil || idle != nil {
			t.Errorf("%q: %v and %v beside an error", args, accepted, idle)
		}
		return strings.Join(fail.Lines(err), " / ")
	}
	var words []string
	for i, d := range drifts {
		if accepted[i] {
			words = append(words, d.Name)
		}
	}
	for _, s := range idle {
		words = append(words, "idle:"+s.Arg)
	}
	return strings.Join(words, " ")
}

// TestPatternsAndWords: a pattern takes nothing that is new or repeated, and means a name
// that reads like it; a word takes drift of one kind.
func TestPatternsAndWords(t *testing.T) {
	pairs, drifts := relockCase(t)
	const unknown = "no tool of that name is pinned or listed"
	for arg, want := range map[string]string{
		"*":         "edited gone hid",
		"e*":        "edited",
		"edited*":   "edited",
		"*d":        "edited hid",
		"?id":       "hid",
		"????":      "gone", // same has not drifted
		"[a-z]*":    `--accept "[a-z]*": ` + unknown,
		"h.d*":      `--accept "h.d*": ` + unknown,
		"E*":        `--accept "E*": ` + unknown,
		"hid?":      `--accept "hid?": ` + unknown,
		"*i":        `--accept "*i": ` + unknown, // all of a name
		"prompt=e*": `--accept "prompt=e*": no prompt of that name is pinned or listed`,
		"s*":        "idle:s*",
		"tw*":       "idle:tw*",
		"n*":        `--accept "n*": a pattern takes no new entry / hint: accept it by its name, or all that is new: --accept added`,
		"added":     "new",
		"changed":   "edited",
		"removed":   "gone",
		"hidden":    "hid",
		"duplicate": "tool=twice is listed 2 times: that can't be accepted",
		"ADDED":     "--accept ADDED: " + unknown,
		"warnings":  "--accept warnings: " + unknown,
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
	pairs = []pin.Comparison{{Server: "s", Known: true, Present: true,
		Locked:   side(`[{"name":"a*"},{"name":"ab"},{"name":"x\ny"},{"name":"added"}]`),
		Captured: side(`[{"name":"a*","x":1},{"name":"ab","x":1},{"name":"x\ny","x":1},{"name":"added","x":1},{"name":"new"}]`)}}
	drifts = pintest.Drifts(pairs)
	for arg, want := range map[string]string{
		"a*":         `--accept "a*": ambiguous, for a tool has that name, too / hint: for the tool: --accept tool=NAME`,
		"tool=a*":    "a*",
		"a?":         "a* ab",
		"x*y":        "x\ny",
		"x?y":        "x\ny",
		"tool=added": "added",
		"added":      "--accept added: ambiguous, for a tool has that name, too / hint: for the tool: --accept tool=NAME",
	} {
		if got := selected(t, pairs, drifts, arg); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arg, got, want)
		}
	}
}

// TestOneServer: what a selector accepts is of one server. Two of them have a, b and
// instructions; only of the first has b drifted, and both changed a alike.
func TestOneServer(t *testing.T) {
	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	said := func(s pin.Set, text string) pin.Set {
		s.Pins = append(s.Pins, pin.Pin{Key: pin.Key{Type: pin.Instructions}, Form: pintest.Form(pin.Instructions, []byte(text))})
		return s
	}
	pairs := []pin.Comparison{
		{Server: "one", Known: true, Present: true, Locked: said(side(`[{"name":"a"},{"name":"b"}]`), "Use a."),
			Captured: said(side(`[{"name":"a","x":1},{"name":"b","x":1},{"name":"only","x":1}]`), "Use b.")},
		{Server: "two", Known: true, Present: true, Locked: said(side(`[{"name":"a"},{"name":"b"}]`), "Use a."),
			Captured: said(side(`[{"name":"a","x":1},{"name":"b"}]`), "Use a.")},
	}
	drifts := pintest.Drifts(pairs)
	of := func(name string) string { return pairs[0].Captured.Find(pin.Key{Name: name}).Digest }
	const which = " / hint: say which: --server ID"
	for arg, want := range map[string]string{
		"a":            "--accept a: it fits entries of several servers" + which,
		"b":            "--accept b: it fits entries of several servers" + which,
		"instructions": "--accept instructions: it fits entries of several servers" + which,
		"b@" + of("b"): "b",
		"a@" + of("a"): "--accept a@" + of("a") + ": it fits entries of several servers" + which,
		of("a"):        "--accept " + of("a") + ": it fits entries of several servers" + which,
		"changed":      "--accept changed: it fits entries of several servers" + which,
		"a*":           `--accept "a*": it fits entries of several servers` + which,
		"b*":           "b",
		"added":        "only",
		"only":         "only",
	} {
		if got := strings.ReplaceAll(selected(t, pairs, drifts, arg), `"`+arg+`"`, arg); got != strings.ReplaceAll(want, `"`+arg+`"`, arg) {
			t.Errorf("%s\ngot  %s\nwant %s", arg, got, want)
		}
	}
}

// TestCheckSelectors: what a flag names has to be there, drifted or not.
func TestCheckSelectors(t *testing.T) {
	pairs, _ := relockCase(t)
	for arg, want := range map[string]string{
		"same": "", "gone": "", "new": "", "g*": "", "n?w": "", "added": "", "prose": "",
		pin.DigestPrefix + strings.Repeat("0", 64): "",
		"nosuch":       "--only nosuch: no tool of that name is pinned or listed",
		"x*":           `--only "x*": no tool of that name is pinned or listed`,
		"prompt=same":  `--only "prompt=same": no prompt of that name is pinned or listed`,
		"template=a:b": `--only "template=a:b": no template of that name is pinned or listed`,
		"instructions": "--only instructions: no instructions are pinned or listed",
	} {
		jsontest.WantError(t, approval.CheckSelectors("--only", []approval.Selector{selectorOf(t, "same"), selectorOf(t, arg)}, pairs), want)
	}
}

// TestFits: which drifts a flag that only shows selects. Unlike an acceptance, a pattern
// shows what is new, too.
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
	bare := pin.Drift{Key: pin.Key{Name: "a"}, Kind: pin.Changed} // what differs, without either side
	if s := selectorOf(t, digest("new")); s.Fits(&bare, nil) {
		t.Error("a digest fits an entry without one")
	}
}

func TestAcceptAcrossServers(t *testing.T) {
	side := func(text string) pin.Set { return pintest.PinsOf(t, text, pin.Policy{}) }
	pairs := []pin.Comparison{
		{Server: "one", Known: true, Present: true, Locked: side(`[{"name":"a"}]`), Captured: side(`[{"name":"a","x":1},{"name":"only","y":1}]`)},
		{Server: "two", Known: true, Present: true, Locked: side(`[{"name":"a"}]`), Captured: side(`[{"name":"a","x":2}]`)},
	}
	drifts := pintest.Drifts(pairs)
	_, err := approval.Decide(pairs, drifts, approval.Selection{Accepts: []approval.Selector{{Arg: "a", Key: pin.Key{Name: "a"}}}})
	jsontest.WantError(t, err, "--accept a: it fits entries of several servers")
	if errors.Is(err, fail.ErrDrift) {
		t.Error("that is no drift")
	}
	d, err := approval.Decide(pairs, drifts, approval.Selection{Accepts: []approval.Selector{{Key: pin.Key{Name: "only"}}, {Digest: pairs[1].Captured.Pins[0].Digest}}})
	accepted := d.Accepted
	if err != nil || len(accepted) != 2 || drifts[0].Server != "one" || accepted[0] {
		t.Errorf("%v, %v", accepted, err)
	}
}

// TestToolNamedLikeAnAcceptance: a tool whose name ends in a digest can't stand in
// for the one that is meant.
func TestToolNamedLikeAnAcceptance(t *testing.T) {
	good := pintest.PinsOf(t, `[{"name":"x","y":1}]`, pin.Policy{}).Pins[0].Digest
	evil := "x@" + good
	p := pin.Comparison{Server: "s", Known: true, Present: true,
		Locked:   pintest.PinsOf(t, `[]`, pin.Policy{}),
		Captured: pintest.PinsOf(t, `[{"name":"x","y":1},{"name":"`+evil+`","z":1},{"name":"`+good+`"}]`, pin.Policy{})}
	drifts := pintest.Drifts([]pin.Comparison{p})
	for _, arg := range []string{evil, good} {
		a, err := approval.ParseSelector("--accept", arg, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := approval.Decide([]pin.Comparison{p}, drifts, approval.Selection{Accepts: []approval.Selector{a}})
		accepted := d.Accepted
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

// TestAcceptOfOtherLists: how --accept names an entry of each list, and a tool's name
// accepts nothing of another list.
func TestAcceptOfOtherLists(t *testing.T) {
	entry := func(list pin.EntryType, name, definition string) pin.Pin {
		return pin.Pin{Key: pin.Key{Type: list, Name: name}, Form: pintest.Form(pin.Tools, []byte(definition))}
	}
	tool := pintest.PinsOf(t, `[{"name":"x","inputSchema":{"properties":{}}}]`, pin.Policy{}).Pins[0]
	pairs := []pin.Comparison{{Server: "s", Known: true, Present: true,
		Locked:   pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Resources, "file:///a", `{"uri":"file:///a"}`), entry(pin.Instructions, "", `"Use x."`)}},
		Captured: pin.Set{Server: "s", Pins: []pin.Pin{tool, entry(pin.Prompts, "x", `{"name":"x"}`), entry(pin.Instructions, "", `"Use y."`)}}}}
	drifts := pintest.Drifts(pairs)
	for arg, want := range map[string]pin.DriftKind{"prompt=x": pin.Added, "instructions": pin.Changed, "resource=file:///a": pin.Removed, "x": ""} {
		a, err := approval.ParseSelector("--accept", arg, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := approval.Decide(pairs, drifts, approval.Selection{Accepts: []approval.Selector{a}})
		accepted := d.Accepted
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
