package approval_test

import (
	"slices"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// These tests go through a decision branch by branch: what is refused before a text is read, when a person is asked,
// when nothing has to be written, and what the exit code is.

// sideOf returns a server whose set digest repeats one digit. Without a locked list, nothing of it is pinned.
func sideOf(t *testing.T, server, digit, locked, captured string) pin.Comparison {
	t.Helper()
	p := pin.Comparison{Server: server, Lockfile: "tools.lock", State: pin.StateOf(locked != "", captured != ""), Capture: server + ".json"}
	if p.Known() {
		p.Locked = pintest.PinsOf(t, locked, pin.Policy{})
	}
	if p.Present() {
		p.Captured = pintest.PinsOf(t, captured, pin.Policy{})
		p.Captured.Digest = setDigest(digit)
	}
	p.Locked.Server = server
	p.Captured.Server = server
	return p
}

func setDigest(digit string) string { return pin.DigestPrefix + strings.Repeat(digit, 64) }

// choosing reads the values of a flag.
func choosing(t *testing.T, args ...string) (list []approval.Selector) {
	t.Helper()
	for _, arg := range args {
		list = append(list, selectorOf(t, arg))
	}
	return list
}

// TestCheck has the refusals for which no text has to be read.
func TestCheck(t *testing.T) {
	two := []pin.Comparison{sideOf(t, "a", "2", `[{"name":"x"}]`, `[{"name":"x"}]`), sideOf(t, "b", "1", `[{"name":"y"}]`, `[{"name":"y"}]`)}
	absent := []pin.Comparison{two[0], sideOf(t, "b", "", `[{"name":"y"}]`, "")}
	empty := []pin.Comparison{two[0], sideOf(t, "b", "1", `[{"name":"y"}]`, `[]`)}
	part := slices.Clone(empty)
	part[1].Part = true
	policy := slices.Clone(two)
	policy[1].Captured.Policy.HashOnly = true
	repeated := []pin.Comparison{two[0], sideOf(t, "b", "1", `[{"name":"y"}]`, `[{"name":"y"},{"name":"y"},{"name":"y"}]`)}
	unpinned := []pin.Comparison{sideOf(t, "a", "2", "", `[{"name":"x"}]`)}
	word := []pin.Comparison{sideOf(t, "a", "2", `[{"name":"prose"}]`, `[{"name":"prose"}]`)}
	both := []string{setDigest("1"), setDigest("2")}
	turned := []string{setDigest("2"), setDigest("1")}

	for what, tt := range map[string]struct {
		sides []pin.Comparison
		said  approval.Said
		want  string
		about string // the server
	}{
		"nothing said":                        {two, approval.Said{}, "", ""},
		"the expected sets":                   {two, approval.Said{Expect: both}, "", ""},
		"the expected sets, turned round":     {two, approval.Said{Expect: turned}, "", ""},
		"one set of two":                      {two, approval.Said{Expect: both[:1]}, "other set", setDigest("1") + ", " + setDigest("2")},
		"another set":                         {two, approval.Said{Expect: []string{setDigest("1"), setDigest("3")}}, "other set", ""},
		"a set too many":                      {two, approval.Said{Expect: append(both, setDigest("3"))}, "other set", ""},
		"what isn't there has no set":         {absent, approval.Said{Expect: both[1:]}, "", ""},
		"what isn't there isn't empty":        {absent, approval.Said{}, "", ""},
		"an empty list":                       {empty, approval.Said{}, "empty list", "b.json"},
		"an empty list of another set":        {empty, approval.Said{Expect: both[:1]}, "empty list", "b.json"},
		"an empty list, allowed":              {empty, approval.Said{AllowsEmpty: true}, "", ""},
		"an empty list of a part":             {part, approval.Said{}, "", ""},
		"lock":                                {two, approval.Said{Approves: true}, "", ""},
		"lock, another set":                   {two, approval.Said{Approves: true, Expect: both[:1]}, "other set", ""},
		"lock under another policy":           {policy, approval.Said{Approves: true}, "other policy", "server b"},
		"relock under another policy":         {policy, approval.Said{}, "", ""},
		"lock of a repeated name":             {repeated, approval.Said{Approves: true}, "repeated", "b.json: tool=y is listed 3 times"},
		"relock of a repeated name":           {repeated, approval.Said{}, "", ""},
		"--only what nobody has":              {two, approval.Said{Only: choosing(t, "x", "z")}, "unknown", ""},
		"--only what is there":                {two, approval.Said{Only: choosing(t, "x", "y")}, "", ""},
		"lock has no --only":                  {two, approval.Said{Approves: true, Only: choosing(t, "z")}, "", ""},
		"--accept a word":                     {two, approval.Said{Accepts: choosing(t, "prose")}, "", ""},
		"--accept a word that is a tool, too": {word, approval.Said{Accepts: choosing(t, "prose")}, "two meanings", ""},
		"--accept of a name comes later":      {two, approval.Said{Accepts: choosing(t, "z")}, "", ""},
		"a server without pins":               {unpinned, approval.Said{NeedsPins: true}, "no pins", "server a"},
		"a server without pins, in a folder":  {unpinned, approval.Said{NeedsPins: true, Folder: true}, "", ""},
		"a server without pins, lock":         {unpinned, approval.Said{}, "", ""},
		"a server with pins":                  {two, approval.Said{NeedsPins: true}, "", ""},
	} {
		err := approval.Check(tt.sides, pintest.Drifts(tt.sides), &tt.said)
		if wrong(err) != tt.want || err != nil && !strings.Contains(strings.Join(fail.Lines(err), "\n"), tt.about) {
			t.Errorf("%s: %v, want %q", what, err, tt.want)
		}
	}
}

// A way is a case, what a person chooses, and the expected outcome.
type way struct {
	c    *approval.Case
	said approval.Said

	// "asks", "settled", a reason; or "writes", then what is accepted and the exit code.
	want string
}

// wentBy returns a line about what was decided.
func wentBy(c *approval.Case, out approval.Outcome) string {
	if failed(out) {
		text := reasonText(out)
		if out.Sets != nil {
			text += ", and writes"
		}
		return strings.TrimSpace(text + refusedNames(out))
	}
	if out.Ask {
		return "asks"
	}
	if out.Settled {
		return "settled"
	}
	return strings.Join(strings.Fields("writes "+acceptedNames(c.Drifts, out)+refusedNames(out)+" "+[]string{"0", "1", "2"}[codeOf(out.Err)]), " ")
}

// refusedNames returns the names of what was refused for a warning: "; not a b".
func refusedNames(out approval.Outcome) string {
	if len(out.Warnings) == 0 || failed(out) && wrong(fail.From(out.Err)) != "new warning" {
		return ""
	}
	var names []string
	for _, w := range out.Warnings {
		if w.Of.Name != "" {
			names = append(names, w.Of.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; not " + strings.Join(names, " ")
}

// TestWay goes through each branch of a decision.
func TestWay(t *testing.T) {
	side := func(locked, captured string) []pin.Comparison {
		return []pin.Comparison{sideOf(t, "s", "1", locked, captured)}
	}
	with := func(sides []pin.Comparison, warnings ...approval.Warning) *approval.Case {
		c := caseOf(sides, pintest.Drifts(sides))
		c.Verdict.Matches = len(c.Drifts) == 0
		c.Warnings = warnings
		return c
	}
	const one, other = `[{"name":"a"},{"name":"b"}]`, `[{"name":"a","x":1},{"name":"b","x":1}]`
	same := func(warnings ...approval.Warning) *approval.Case { return with(side(one, one), warnings...) }
	changed := func(warnings ...approval.Warning) *approval.Case { return with(side(one, other), warnings...) }
	fresh := func(warnings ...approval.Warning) *approval.Case { return with(side("", other), warnings...) }
	policy := func(captured string, warnings ...approval.Warning) *approval.Case {
		sides := side(one, captured)
		sides[0].Captured.Policy.HashOnly = true
		c := with(sides, warnings...)
		c.Verdict.Matches = false
		return c
	}
	approved := func(list []approval.Warning) approval.Warning {
		list[0].Approved = true
		return list[0]
	}
	warned := warningsOf("a")[0]
	inMatch := matching("a")[0]
	unpinned := warned
	unpinned.Where = approval.Unpinned
	whole := approval.Warning{Of: pin.Ref{Server: "s"}, Record: rec("oversize")}
	wholeApproved := whole
	wholeApproved.Approved = true
	wholeInMatch := whole
	wholeInMatch.Where = approval.InMatch
	unclean := warned
	unclean.Unclean = true
	clean := func(c *approval.Case) *approval.Case {
		c.Sides[0].Locked.Policy.RequireClean = true
		c.Sides[0].Captured.Policy.RequireClean = true
		return c
	}
	all := approval.Said{All: true}
	lock := approval.Said{Approves: true, Silent: true}
	every := func(c *approval.Case) *approval.Answers {
		a := answered(c.Drifts, 0, 1)
		a.Policies = map[string]pin.Policy{"s": c.Sides[0].Captured.Policy}
		return a
	}
	someone := func(c *approval.Case, indexes ...int) *approval.Answers {
		a := answered(c.Drifts, indexes...)
		a.Policies = map[string]pin.Policy{"s": c.Sides[0].Captured.Policy}
		return a
	}

	// Nobody captured one of the two servers. The other one matches.
	missing := func(isMissing, differs bool) *approval.Case {
		sides := []pin.Comparison{sideOf(t, "a", "1", one, one), sideOf(t, "b", "", one, "")}
		if isMissing {
			sides[1].State = pin.Missing
		}
		c := caseOf(sides, nil)
		c.Verdict = pin.Verdict{Unanswered: []string{"b"}, Differs: map[string]bool{"b": differs}}
		return c
	}
	unanswered := missing(true, true)
	unanswered.Verdict.Unanswered = nil

	for what, w := range map[string]way{
		"nothing drifted":                         {same(), approval.Said{}, "settled"},
		"nothing drifted, all":                    {same(), all, "settled"},
		"nothing drifted, a name":                 {same(), approval.Said{Accepts: choosing(t, "a")}, "settled"},
		"nothing drifted, an unknown name":        {same(), approval.Said{Accepts: choosing(t, "z")}, "unknown"},
		"nothing drifted, an answer":              {same(), approval.Said{Answers: answered(nil)}, "writes 0"},
		"nothing drifted, lock":                   {same(), lock, "writes 0"},
		"nothing drifted, a warning":              {same(inMatch), approval.Said{}, "asks"},
		"nothing drifted, a recorded warning":     {same(approved(matching("a"))), approval.Said{}, "settled"},
		"nothing drifted, a warning of the whole": {same(whole), approval.Said{}, "settled"},
		"nothing drifted, the warning accepted":   {same(inMatch), approval.Said{All: true, AnyWarning: true}, "writes 0"},
		"nothing drifted, an unknown warning":     {same(), approval.Said{Warnings: choosing(t, "z")}, "unknown"},
		"nothing drifted, a warning of a list":    {same(wholeInMatch), approval.Said{}, "settled"},
		"drift, unclean":                          {clean(changed(unclean)), all, "not clean"},
		"drift, unclean, and it isn't asked for":  {clean(changed(unclean)), approval.Said{Accepts: choosing(t, "b")}, "writes b 1"},
		"drift, unclean, no such policy":          {changed(unclean), approval.Said{All: true, AnyWarning: true}, "writes a b 0"},
		"an answer, a warning of the whole":       {changed(whole), approval.Said{Answers: answered(changed().Drifts, 0, 1)}, "warning declined"},
		"an answer, a warning recorded":           {changed(wholeApproved), approval.Said{Answers: answered(changed().Drifts, 0, 1)}, "writes a b 0"},
		"another policy":                          {policy(one), approval.Said{}, "asks"},
		"another policy, all":                     {policy(one), all, "writes 0"},
		"another policy, a name":                  {policy(other), approval.Said{Accepts: choosing(t, "a")}, "needs all"},
		"another policy, a denial":                {policy(other), approval.Said{Deny: choosing(t, "a")}, "needs all"},
		"another policy, all and a name":          {policy(other), approval.Said{All: true, Accepts: choosing(t, "a")}, "writes a b 0"},
		"another policy, all, one warned":         {policy(other, warned), all, "new warning; not a"},
		"another policy, every yes":               {policy(other), approval.Said{Answers: every(policy(other))}, "writes a b 0"},
		"another policy, one yes":                 {policy(other), approval.Said{Answers: someone(policy(other), 0)}, "policy in parts"},
		"drift":                                   {changed(), approval.Said{}, "asks"},
		"drift, all":                              {changed(), all, "writes a b 0"},
		"drift, a name":                           {changed(), approval.Said{Accepts: choosing(t, "b")}, "writes b 1"},
		"drift, a name that isn't selected":       {changed(), approval.Said{Accepts: choosing(t, "b"), Only: choosing(t, "a")}, "writes 1"},
		"drift, --only":                           {changed(), approval.Said{All: true, Only: choosing(t, "a")}, "writes a 1"},
		"drift, --only, all of it":                {changed(), approval.Said{All: true, Only: choosing(t, "a", "b")}, "writes a b 0"},
		"drift, not covered":                      {changed(unpinned), all, "not covered"},
		"drift, not covered, nobody was asked":    {changed(unpinned), approval.Said{}, "not covered"},
		"drift, warned":                           {changed(warned), all, "writes b; not a 1"},
		"drift, warned and recorded":              {changed(approved(warningsOf("a"))), all, "writes a b 0"},
		"drift, warned elsewhere":                 {changed(inMatch), all, "writes a b 0"},
		"drift, nothing but a warning":            {changed(warned), approval.Said{Accepts: choosing(t, "a")}, "new warning; not a"},
		"drift, the warning accepted":             {changed(warned), approval.Said{All: true, Warnings: choosing(t, "a")}, "writes a b 0"},
		"drift, another warning accepted":         {changed(warned), approval.Said{All: true, Warnings: choosing(t, "b")}, "writes b; not a 1"},
		"drift, a warning of the whole":           {changed(whole), all, "new warning"},
		"drift, a warning of the whole, accepted": {changed(whole), approval.Said{All: true, AnyWarning: true}, "writes a b 0"},
		"drift, a warning of the whole, before":   {changed(wholeApproved), all, "writes a b 0"},
		"lock":                                    {fresh(), lock, "writes a b 0"},
		"lock at a terminal":                      {fresh(), approval.Said{Approves: true}, "asks"},
		"lock of an expected set":                 {fresh(), approval.Said{Approves: true, Expect: []string{setDigest("1")}}, "writes a b 0"},
		"lock of an expected set, warned":         {fresh(warned), approval.Said{Approves: true, Expect: []string{setDigest("1")}}, "asks"},
		"lock of an expected set, whole warned":   {fresh(whole), approval.Said{Approves: true, Expect: []string{setDigest("1")}}, "asks"},
		"lock of an expected set, yes to it":      {fresh(warned), approval.Said{Approves: true, AnyWarning: true, Expect: []string{setDigest("1")}}, "writes a b 0"},
		"lock, warned":                            {fresh(warned), lock, "new warning; not a"},
		"lock, every yes":                         {fresh(), approval.Said{Approves: true, Answers: answered(fresh().Drifts, 0, 1)}, "writes a b 0"},
		"lock and a denial":                       {fresh(), approval.Said{Approves: true, Silent: true, Deny: choosing(t, "a")}, "writes a b 0"},
		"a server is missing":                     {missing(true, true), approval.Said{}, "settled"},
		"a server is missing, all":                {missing(true, true), all, "settled"},
		"a server has no answer":                  {missing(false, true), all, "writes 0"},
		"a server has no answer, nothing differs": {missing(false, false), all, "settled"},
		"a server is missing and isn't named":     {unanswered, all, "writes 0"},
	} {
		out := approval.Decide(w.c, &w.said)
		if got := wentBy(w.c, out); got != w.want {
			t.Errorf("%s: %s, want %s; %+v", what, got, w.want, out)
		}
	}
}

// TestWarningOfSeveralServers: --accept-warning refuses the name of an entry that several servers have.
func TestWarningOfSeveralServers(t *testing.T) {
	sides := []pin.Comparison{sideOf(t, "a", "1", `[{"name":"x"}]`, `[{"name":"x","y":1}]`), sideOf(t, "b", "2", `[{"name":"x"}]`, `[{"name":"x"}]`)}
	out := approval.Decide(caseOf(sides, pintest.Drifts(sides)), &approval.Said{All: true, Warnings: choosing(t, "x")})
	if reasonText(out) != "several servers" {
		t.Errorf("%+v", out)
	}
}

// TestOnly: --only narrows what is asked about, recorded and accepted. What it leaves out stays drift.
func TestOnly(t *testing.T) {
	words := []string{"minor", "warnings", "risky"}
	only := func(word string) []approval.Selector {
		s, why := approval.ParseSelector("--only", word, words)
		if why != nil {
			t.Fatal(word, why)
		}
		return []approval.Selector{s}
	}
	pairs, drifts := relockCase(t)
	c := caseOf(pairs, drifts)
	c.Warnings = append(warningsOf("edited"), matching("same")...)
	c.Facts[drifts[2].Ref()] = approval.Fact{Words: []string{"minor", "risky"}, Minor: true} // hid
	for what, tt := range map[string]struct {
		said               approval.Said
		accepted, recorded string
	}{
		"warnings":             {approval.Said{All: true, AnyWarning: true, Only: only("warnings")}, "edited", "same"},
		"warnings, of a name":  {approval.Said{All: true, AnyWarning: true, Only: only("gone")}, "gone", ""},
		"minor, and hidden":    {approval.Said{All: true, Only: only("minor")}, "", ""},
		"a risk":               {approval.Said{All: true, Only: only("risky")}, "hid", ""},
		"two":                  {approval.Said{All: true, Only: append(only("risky"), only("gone")...)}, "gone hid", ""},
		"nothing is left out":  {approval.Said{All: true, AnyWarning: true}, "edited gone hid new", "same"},
		"named, but left out":  {approval.Said{Accepts: choosing(t, "gone", "new"), Only: only("new")}, "new", ""},
		"a word, but left out": {approval.Said{Accepts: choosing(t, "added", "removed"), Only: only("new")}, "new", ""},
	} {
		out := approval.Decide(c, &tt.said)
		if failed(out) || acceptedNames(drifts, out) != tt.accepted || codeOf(out.Err) != 1 {
			t.Errorf("%s: accepted %q, exit code %d, %s", what, acceptedNames(drifts, out), codeOf(out.Err), reasonText(out))
		}
		var recorded []string
		for ref := range out.Recorded {
			recorded = append(recorded, ref.Name)
		}
		if strings.Join(recorded, " ") != tt.recorded {
			t.Errorf("%s: recorded %q, want %q", what, recorded, tt.recorded)
		}
	}
}
