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
func framed(t *testing.T, random *rand.Rand) *approval.Case {
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
	c := caseOf(sides, pintest.Drifts(sides))
	for i := range sides {
		for j := range sides[i].Captured.Pins {
			p := &sides[i].Captured.Pins[j]
			if random.IntN(4) > 0 {
				continue
			}
			w := approval.Warning{Of: pin.Ref{Server: sides[i].Server, Key: p.Key}, Record: pin.Record{ID: "padding", Place: "/description", Digest: p.Digest}}
			if locked := sides[i].Locked.Find(p.Key); locked != nil && locked.Digest == p.Digest {
				w.Where = approval.InMatch
			}
			c.Warnings = append(c.Warnings, w)
		}
	}
	return c
}

func trimComma(list string) string {
	if list == "" {
		return list
	}
	return list[1:]
}

// framedFlags are random flags, with the entries that each means, worked out from the arguments alone.
type framedFlags struct {
	said                      approval.Said
	accepts, denies, warnings map[pin.Ref]bool
}

func flagsFor(t *testing.T, random *rand.Rand, c *approval.Case) (f framedFlags) {
	f = framedFlags{accepts: map[pin.Ref]bool{}, denies: map[pin.Ref]bool{}, warnings: map[pin.Ref]bool{}}
	pick := func(withDigest bool) (arg string, means map[pin.Ref]bool) {
		means = map[pin.Ref]bool{}
		side := &c.Sides[random.IntN(len(c.Sides))]
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
		for i := range c.Sides {
			for _, set := range []*pin.Set{&c.Sides[i].Locked, &c.Sides[i].Captured} {
				if q := set.Find(p.Key); q != nil && (!isBound || q.Digest == p.Digest) {
					means[pin.Ref{Server: c.Sides[i].Server, Key: p.Key}] = true
				}
			}
		}
		return arg, means
	}
	for range random.IntN(3) {
		arg, means := pick(true)
		f.said.Accepts = append(f.said.Accepts, selectorOf(t, arg))
		for ref := range means {
			f.accepts[ref] = true
		}
	}
	if random.IntN(3) == 0 {
		arg, means := pick(false)
		f.said.Deny = append(f.said.Deny, selectorOf(t, arg))
		f.denies = means
	}
	if random.IntN(3) == 0 {
		arg, means := pick(false)
		f.said.Warnings = append(f.said.Warnings, selectorOf(t, arg))
		f.warnings = means
		if len(f.said.Accepts)+len(f.said.Deny) == 0 {
			f.said.Accepts = f.said.Warnings
			f.said.KeepsMarks = true
		}
	}
	f.said.All = random.IntN(3) == 0
	return f
}

// TestFrame: a yes changes only what it names. No pin changes of an entry that no flag means. Of an entry that one
// means, only what that flag is for changes: --accept removes a mark, --deny sets one, --accept-warning records a
// warning, and no acceptance in bulk touches a mark, or accepts what was added where a denied entry is gone.
func TestFrame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	written := 0
	for run := range jsontest.Rounds(5_000, 30_000) {
		c := framed(t, random)
		f := flagsFor(t, random, c)
		out := approval.Decide(c, &f.said)
		if out.Reason != nil || out.Ask {
			continue
		}
		for i := range c.Sides {
			side := &c.Sides[i]
			next := out.Sets[side.Server]
			if next == nil {
				continue
			}
			written++
			for _, p := range slices.Concat(side.Locked.Pins, side.Captured.Pins) {
				if wrong := brokenFrame(side, next, p.Key, &f); wrong != "" {
					t.Fatalf("run %d: %s of server %s: %s\nflags %+v", run, p.Name, side.Server, wrong, f)
				}
			}
		}
	}
	if written < 200 {
		t.Errorf("only %d sets were written", written)
	}
}

// brokenFrame says what changed of an entry without a flag that is for it, or returns "".
func brokenFrame(side *pin.Comparison, next *pin.Set, key pin.Key, f *framedFlags) string {
	ref := pin.Ref{Server: side.Server, Key: key}
	before := side.Locked.Find(key)
	after := next.Find(key)
	captured := side.Captured.Find(key)
	isNamed := f.accepts[ref] && !f.said.KeepsMarks
	if before == nil && after == nil {
		return ""
	}
	mayAccept := isNamed || f.denies[ref] || f.said.All || f.said.KeepsMarks && f.warnings[ref]
	if before != nil && after != nil && before.Digest == after.Digest {
		if before.Denied && !after.Denied && !isNamed {
			return "its mark is gone"
		}
		if !before.Denied && after.Denied && !f.denies[ref] {
			return "it has a mark"
		}
		if !reflect.DeepEqual(before.Accepted, after.Accepted) && !f.warnings[ref] {
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
	if before == nil && !isNamed && !f.denies[ref] && !f.said.KeepsMarks && slices.ContainsFunc(side.Locked.Pins, isGone) {
		return "it was added in bulk, while a denied entry is gone"
	}
	return ""
}
