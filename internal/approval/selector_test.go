package approval_test

import (
	"errors"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

func TestParseAcceptance(t *testing.T) {
	hex := jsontree.DigestPrefix + strings.Repeat("0123456789abcdef", 4)
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
		Server: "s", State: pin.ServerPaired,
		Locked:   pintest.PinsOf(t, `[{"name":"same"},{"name":"edited","x":1},{"name":"hid","description":"x"},{"name":"gone","y":1},{"name":"twice"}]`, pin.Policy{}),
		Captured: pintest.PinsOf(t, `[{"name":"same"},{"name":"edited","x":2},{"name":"hid","description":"x\u200b"},{"name":"new","z":1},{"name":"twice"},{"name":"twice","x":1}]`, pin.Policy{}),
	}
	drifts := pintest.CompareByDigest([]pin.Comparison{p})
	if got := pintest.DriftLines(drifts); got != "CHANGED edited, REMOVED gone, HIDDEN hid, ADDED new, DUPLICATE twice 2 times" {
		t.Fatal(got)
	}
	return []pin.Comparison{p}, drifts
}

// caseOf returns a case in which no text has a warning.
func caseOf(pairs []pin.Comparison, drifts []pin.Drift) *approval.Input {
	return &approval.Input{Sides: pairs, Drifts: drifts}
}

// reasons has the errors of decisions in a few words, each with a part of its text.
var reasons = [][2]string{
	{"not a selector", "all 64 digits"}, {"empty list", "no tools in the list"}, {"other set", "not what was reviewed"}, {"other policy", "under another policy"},
	{"repeated", "an agent may get any"}, {"no pins", " has no server "}, {"unknown", "pinned or listed"}, {"two meanings", "a tool has that name, too"},
	{"several servers", "of several servers"}, {"several lists", "of several lists"}, {"stale digest", "no drifted entry has that digest"},
	{"not acceptable", "that can't be accepted"}, {"not a name", "give the name"}, {"nothing to deny", "there is nothing to deny"}, {"not deniable", "can't be denied"},
	{"two answers", "--accept names it, too"}, {"needs all", "accept it with all drift, or not at all"}, {"not covered", "no approval covers"},
	{"not clean", "(requireClean)"}, {"policy in parts", "only when all drift is accepted"}, {"policy declined", "the policy was not accepted"},
	{"warning declined", "the warning was not accepted"}, {"not what was shown", "is not what was shown"}, {"new warning", "new warning"},
}

// wrong returns an error in a few words, or "" if there is none.
func wrong(err error) string {
	if err == nil {
		return ""
	}
	for _, row := range reasons {
		if strings.Contains(err.Error(), row[1]) {
			return row[0]
		}
	}
	return err.Error()
}

// failed reports whether a decision writes nothing, because of an error.
func failed(out approval.Outcome) bool { return out.NewPins == nil && out.Err != nil }

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

// selectorOf reads the value of a flag, with two labels and other words.
func selectorOf(t *testing.T, arg string, words ...string) approval.Selector {
	t.Helper()
	s, why := approval.ParseSelector("--accept", arg, append(words, "prose", "looser"))
	if why != nil {
		t.Fatal(arg, wrong(why))
	}
	return s
}

// TestFits: which drifts are selected by a flag that only shows them.
func TestFits(t *testing.T) {
	pairs, drifts := relockCase(t)
	digest := func(name string) string { return pairs[0].Captured.Find(pin.Key{Name: name}).Digest }
	words := map[string][]string{"edited": {"looser", "prose"}, "hid": {"prose"}}
	for arg, want := range map[string]string{
		"prose":                   "edited hid",
		"looser":                  "edited",
		"added":                   "new",
		"duplicate":               "twice",
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
			if d := &drifts[i]; s.Matches(d, words[d.Name]) {
				got = append(got, d.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s fits %q, want %s", arg, got, want)
		}
	}
	bare := pin.Drift{Key: pin.Key{Name: "a"}, Kind: pin.DriftChanged} // a drift without either side
	if s := selectorOf(t, digest("new")); s.Matches(&bare, nil) {
		t.Error("a digest fits an entry without one")
	}
}

// TestNamesLikePatterns: after tool= or the like, or with a digest, * and ? are plain characters of a name. Alone, they
// are refused.
func TestNamesLikePatterns(t *testing.T) {
	digest := jsontree.DigestPrefix + strings.Repeat("1", 64)
	var drifts []*pin.Drift
	for _, key := range []pin.Key{{Name: "page"}, {Type: pin.Prompts, Name: "page"}, {Name: "pa*"}, {Name: "x\ny"}} {
		found := &pin.Pin{Key: key}
		found.Digest = digest
		drifts = append(drifts, &pin.Drift{Key: key, Kind: pin.DriftChanged, Locked: found, Captured: found})
	}
	for arg, want := range map[string]string{
		"prompt=pa*": "", "tool=pa*": "tool=\"pa*\"", "pa*@" + digest: "tool=\"pa*\"",
		digest: "tool=page prompt=page tool=\"pa*\" tool=\"x<U+000A>y\"",
	} {
		s := selectorOf(t, arg)
		var fits []string
		for _, d := range drifts {
			if s.Matches(d, nil) {
				fits = append(fits, d.EntryRef())
			}
		}
		if got := strings.Join(fits, " "); got != want {
			t.Errorf("%s selects %s, want %s", arg, got, want)
		}
	}
	for _, arg := range []string{"pa*", "p?ge", "*"} {
		if _, err := approval.ParseSelector("--accept", arg, nil); err == nil {
			t.Errorf("%s is a selector", arg)
		}
	}
}

// sideOf returns a server whose set digest repeats one digit. Without a locked list, nothing of it is pinned.
func sideOf(t *testing.T, server, digit, locked, captured string) pin.Comparison {
	t.Helper()
	p := pin.Comparison{Server: server, State: pin.StateOf(locked != "", captured != "")}
	if p.IsLocked() {
		p.Locked = pintest.PinsOf(t, locked, pin.Policy{})
	}
	if p.HasCapture() {
		p.Captured = pintest.PinsOf(t, captured, pin.Policy{})
		p.Captured.Digest = setDigest(digit)
	}
	p.Locked.Server = server
	p.Captured.Server = server
	return p
}

func setDigest(digit string) string { return jsontree.DigestPrefix + strings.Repeat(digit, 64) }

// TestToolNamedLikeAnAcceptance: a tool whose name ends in a digest can't take the
// place of the tool that is meant.
func TestToolNamedLikeAnAcceptance(t *testing.T) {
	good := pintest.PinsOf(t, `[{"name":"x","y":1}]`, pin.Policy{}).Pins[0].Digest
	evil := "x@" + good
	sides := []pin.Comparison{sideOf(t, "s", "1", `[]`, `[{"name":"x","y":1},{"name":"`+evil+`","z":1},{"name":"`+good+`"}]`)}
	c := caseOf(sides, pintest.CompareByDigest(sides))
	for _, arg := range []string{evil, good} {
		out := approval.Decide(c, &approval.Choices{Accept: []approval.Selector{selectorOf(t, arg)}})
		if len(out.Accepted) != 1 || !out.Accepted[pin.Ref{Server: "s", Key: pin.Key{Name: "x"}}] {
			t.Errorf("%s accepts %v", arg, out.Accepted)
		}
	}
	evilDigest := sides[0].Captured.Find(pin.Key{Name: evil}).Digest
	if a := selectorOf(t, evil+"@"+evilDigest); a.Name != evil || a.Digest != evilDigest {
		t.Errorf("%+v", a)
	}
}
