package approval_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// framed is a random case: servers that share names, pins with marks, and captures that match or differ.
func framed(t *testing.T, random *rand.Rand) *approval.Input {
	var sides []pin.Comparison
	for i := range 1 + random.IntN(3) {
		locked := ""
		captured := ""
		for _, name := range []string{"run", "read", "send", "list"} {
			here := fmt.Sprintf(`,{"name":%q,"description":"%d"}`, name, random.IntN(2))
			if random.IntN(4) > 0 {
				locked += here
			}
			switch random.IntN(4) {
			case 0:
				captured += fmt.Sprintf(`,{"name":%q,"description":"%d"}`, name, random.IntN(3))
			case 1, 2:
				captured += here
			}
		}
		side := sideOf(t, string(rune('a'+i)), fmt.Sprint(i), "["+trimComma(locked)+"]", "["+trimComma(captured)+"]")
		for j := range side.Locked.Pins {
			side.Locked.Pins[j].Denied = random.IntN(3) == 0
		}
		sides = append(sides, side)
	}
	c := caseOf(sides, pintest.CompareByDigest(sides))
	for i := range sides {
		for j := range sides[i].Captured.Pins {
			p := &sides[i].Captured.Pins[j]
			if random.IntN(4) > 0 {
				continue
			}
			w := approval.Warning{EntryWarning: pin.EntryWarning{Entry: pin.Ref{Server: sides[i].Server, Key: p.Key}, AcceptedWarning: pin.AcceptedWarning{ID: "padding", Place: "/description", Digest: p.Digest}}}
			if locked := sides[i].Locked.Find(p.Key); locked != nil && locked.Digest == p.Digest {
				w.Scope = pin.FindingInMatch
				w.NamedTool = []string{"", "run", "send"}[random.IntN(3)]
			}
			c.Warnings = append(c.Warnings, w)
		}
	}
	if other := elsewhere(t); random.IntN(2) == 0 {
		p := &other.Locked.Pins[random.IntN(len(other.Locked.Pins))]
		c.OtherServers = append(c.OtherServers, other)
		c.Warnings = append(c.Warnings, approval.Warning{EntryWarning: pin.EntryWarning{Entry: pin.Ref{Server: other.Server, Key: p.Key}, AcceptedWarning: pin.AcceptedWarning{ID: "names-other-tool", Place: "/description", Digest: p.Digest}}, Scope: pin.FindingInPinOnly, NamedTool: "run"})
	}
	return c
}

// elsewhere is a server without a capture, one of whose tools has a name that other servers have, too.
func elsewhere(t *testing.T) pin.Comparison {
	pinned := `[{"name":"help","description":"Then call run."},{"name":"read","description":"Then call run."}]`
	other := sideOf(t, "z", "9", pinned, pinned)
	for _, set := range []*pin.Set{&other.Locked, &other.Captured} {
		set.Policy = pin.Policy{RequireClean: true}
		set.ServerInfo = pin.ServerInfo{Name: "z", Version: "1"}
	}
	other.Locked.AcceptedWarnings = []pin.AcceptedWarning{{ID: "oversize", Digest: other.Locked.Pins[0].Digest}}
	return other
}

func trimComma(list string) string {
	if list == "" {
		return list
	}
	return list[1:]
}

// framedFlags are random flags, with the entries that each means, worked out from the arguments alone.
type framedFlags struct {
	said                      approval.Choices
	accepts, denies, warnings pin.RefSet
}

// mayRecord reports whether a flag is for the warnings of an entry.
func (f *framedFlags) mayRecord(ref pin.Ref) bool {
	isForAll := len(f.said.Accept)+len(f.said.Deny) == 0 || f.said.AcceptAll
	return f.warnings[ref] || f.said.AcceptsAllWarnings && (isForAll || f.accepts[ref] || f.denies[ref])
}

func flagsFor(t *testing.T, random *rand.Rand, c *approval.Input) (f framedFlags) {
	f = framedFlags{accepts: pin.RefSet{}, denies: pin.RefSet{}, warnings: pin.RefSet{}}
	pick := func(servers []pin.Comparison, withDigest bool) (arg string, means pin.RefSet) {
		means = pin.RefSet{}
		side := &servers[random.IntN(len(servers))]
		pins := slices.Concat(side.Captured.Pins, side.Locked.Pins)
		if len(pins) == 0 {
			return "run", means
		}
		p := &pins[random.IntN(len(pins))]
		arg = p.Name
		isBound := withDigest && random.IntN(2) == 0
		if isBound {
			arg += "@" + p.Digest
		}
		sides := c.Sides
		if len(pin.ServersWith(sides, p.Key)) == 0 {
			sides = c.OtherServers
		}
		for i := range sides {
			for _, set := range []*pin.Set{&sides[i].Locked, &sides[i].Captured} {
				if q := set.Find(p.Key); q != nil && (!isBound || q.Digest == p.Digest) {
					means[pin.Ref{Server: sides[i].Server, Key: p.Key}] = true
				}
			}
		}
		return arg, means
	}
	for range random.IntN(3) {
		arg, means := pick(c.Sides, true)
		f.said.Accept = append(f.said.Accept, selectorOf(t, arg))
		for ref := range means {
			f.accepts[ref] = true
		}
	}
	f.said.AcceptsAllWarnings = random.IntN(3) == 0
	if random.IntN(3) == 0 {
		arg, means := pick(c.Sides, false)
		f.said.Deny = append(f.said.Deny, selectorOf(t, arg))
		f.denies = means
	}
	if random.IntN(3) == 0 {
		arg, means := pick(slices.Concat(c.Sides, c.OtherServers), false)
		f.said.WarningSelectors = append(f.said.WarningSelectors, selectorOf(t, arg))
		f.warnings = means
		if len(f.said.Accept)+len(f.said.Deny) == 0 {
			f.said.Accept = f.said.WarningSelectors
			f.said.KeepsDenied = true
		}
	}
	f.said.AcceptAll = random.IntN(3) == 0
	return f
}

// TestFrame: a yes changes only what it names. No pin changes of an entry that no flag means. Of an entry that one
// means, only what that flag is for changes: --accept removes a mark, --deny sets one, --accept-warning records a
// warning, and no acceptance in bulk touches a mark, or accepts what was added where a denied entry is gone.
func TestFrame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	written := 0
	rounds := jsontest.RoundCount(2_000, 30_000)
	for run := range rounds {
		c := framed(t, random)
		f := flagsFor(t, random, c)
		out := approval.Decide(c, &f.said)
		if failed(out) || out.NeedsPrompt {
			continue
		}
		for ref := range out.Accepted {
			if name := namedBy(c, &out, ref); name != "" {
				t.Fatalf("run %d: %s of server %s is accepted, and %s, which stays pinned, names it\nflags %+v", run, ref.Name, ref.Server, name, f)
			}
		}
		sides := slices.Concat(c.Sides, c.OtherServers)
		for i := range sides {
			side := &sides[i]
			next := out.NewPins[side.Server]
			if next == nil {
				continue
			}
			written++
			isOther := i >= len(c.Sides)
			if isOther && (!next.Policy.Equal(side.Locked.Policy) || next.ServerInfo != side.Locked.ServerInfo || !slices.Equal(next.AcceptedWarnings, side.Locked.AcceptedWarnings)) {
				t.Fatalf("run %d: the policy, the name or the warnings of server %s changed", run, side.Server)
			}
			for _, p := range slices.Concat(side.Locked.Pins, side.Captured.Pins) {
				if wrong := brokenFrame(side, next, p.Key, &f); wrong != "" {
					t.Fatalf("run %d: %s of server %s: %s\nflags %+v", run, p.Name, side.Server, wrong, f)
				}
			}
		}
	}
	if written < rounds/10 {
		t.Errorf("only %d sets were written", written)
	}
}

// namedBy returns an entry of another server with a warning about an added tool that neither was accepted nor is gone
// with this run, or "".
func namedBy(c *approval.Input, out *approval.Outcome, ref pin.Ref) string {
	isAdded := func(d pin.Drift) bool { return d.Ref() == ref && d.Kind == pin.DriftAdded }
	if !slices.ContainsFunc(c.Drifts, isAdded) {
		return ""
	}
	for _, w := range c.Warnings {
		stays := w.Scope == pin.FindingInMatch || w.Scope == pin.FindingInPinOnly && !out.Accepted[w.Entry]
		if stays && w.NamedTool == ref.Name && w.Entry.Server != ref.Server && !out.RecordedWarnings[w.EntryWarning] {
			return w.Entry.Name
		}
	}
	return ""
}

// brokenFrame returns what changed of an entry without a flag that is for it, or returns "".
func brokenFrame(side *pin.Comparison, next *pin.Set, key pin.Key, f *framedFlags) string {
	ref := pin.Ref{Server: side.Server, Key: key}
	before := side.Locked.Find(key)
	after := next.Find(key)
	captured := side.Captured.Find(key)
	isNamed := f.accepts[ref] && !f.said.KeepsDenied
	if before == nil && after == nil {
		return ""
	}
	mayAccept := isNamed || f.denies[ref] || f.said.AcceptAll || f.said.KeepsDenied && f.warnings[ref]
	if before != nil && after != nil && before.Digest == after.Digest {
		if before.Denied && !after.Denied && !isNamed {
			return "its mark is gone"
		}
		if !before.Denied && after.Denied && !f.denies[ref] {
			return "it has a mark"
		}
		if !reflect.DeepEqual(before.AcceptedWarnings, after.AcceptedWarnings) && !f.mayRecord(ref) {
			return "a warning is recorded"
		}
		return ""
	}
	if !mayAccept {
		return "it changed, and no flag means it"
	}
	if after == nil {
		return ""
	}
	if captured == nil || after.Digest != captured.Digest {
		return "it is pinned as what it isn't"
	}
	if before != nil && before.Denied && !after.Denied && !isNamed {
		return "its mark is gone with its digest"
	}
	isGone := func(p pin.Pin) bool { return p.Denied && side.Captured.Find(p.Key) == nil && key.Type == p.Type }
	if before == nil && !isNamed && !f.denies[ref] && !f.said.KeepsDenied && slices.ContainsFunc(side.Locked.Pins, isGone) {
		return "it was added in bulk, while a denied entry is gone"
	}
	return ""
}
