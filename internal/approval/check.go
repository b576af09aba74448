package approval

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// Precheck returns the errors that are known before any text is read: a capture without tools, a capture other than the
// expected one, a flag that names an unknown entry, and what lock never approves. drifts is the drift of sides.
func Precheck(sides []pin.Comparison, drifts []pin.Drift, said *Choices) error {
	var sets []string
	for _, p := range sides {
		if !p.HasCapture() {
			continue
		}
		set := p.Captured.Digest
		if n := len(sets); n < len(said.ExpectedDigests) && strings.Contains(said.ExpectedDigests[n], "@") {
			set += "@" + said.StateDigestFunc(&p) // it was reviewed against these pins
		}
		sets = append(sets, set)
		if len(p.Captured.PinsOf(pin.Tools)) == 0 && !said.AllowsEmpty && !p.IsPartial {
			return fail.NewAt(p.CapturePath, "no tools in the list").Hint("if that is right: %s --allow-empty", said.CommandLine.ForVerb(said.CommandName))
		}
	}
	// The order matters, because two servers may have swapped their captures.
	if len(said.ExpectedDigests) > 0 && !slices.Equal(sets, said.ExpectedDigests) {
		return fail.New("not what was reviewed: nothing was written").
			Hint("expected set %s", strings.Join(said.ExpectedDigests, ", ")).
			Hint("now      set %s", cmp.Or(strings.Join(sets, ", "), "none: a name is repeated")).
			Hint("review again: %s", said.CommandLine.ForVerb("diff")).AsDrift()
	}
	if said.NewServersOnly {
		return checkLock(sides, drifts, said)
	}
	for _, s := range slices.Concat(said.Only, labelsIn(said.Accept)) {
		if err := s.check(sides); err != nil {
			return err
		}
	}
	if said.NeedsPins && !sides[0].IsLocked() {
		p := &sides[0]
		return fail.New("%s has no server %s", text.Printable(p.LockfilePath), text.QuoteName(p.Server)).Hint("to approve a new server: %s", said.CommandLine.ForVerb("lock"))
	}
	return nil
}

// checkLock refuses what lock never approves: a changed policy, a repeated name, and --deny for a server that
// is pinned already.
func checkLock(sides []pin.Comparison, drifts []pin.Drift, said *Choices) error {
	for _, p := range sides {
		if p.PolicyDiffers() {
			return fail.NewAt(p.LockfilePath, "server %s is pinned under another policy (%s): nothing was written", text.QuoteName(p.Server), pin.DescribePolicy(p.Locked.Policy)).
				Hint("to change the policy: %s", said.CommandLine.ForVerb("relock")).AsDrift()
		}
	}
	for _, d := range drifts {
		if d.Kind == pin.DriftDuplicate {
			return fail.NewAt(pin.FindComparison(sides, d.Server).CapturePath, "%s is listed %d times, and an agent may get any of them: nothing was written", d.EntryRef(), len(d.Copies)).
				Hint("the server has to be fixed; to see them: %s", said.CommandLine.ForVerb("diff")).AsDrift()
		}
	}
	for _, s := range said.Deny {
		for _, p := range pin.ServersWith(sides, s.Key) {
			if p.IsLocked() {
				return s.wrong("server "+text.QuoteName(p.Server)+" is pinned already").Hint("to deny an entry of it: %s", said.CommandLine.ForVerb("relock", "--deny "+shell.Placeholder("name")))
			}
		}
	}
	return nil
}
