package cli

import (
	"maps"
	"slices"
	"strings"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// flagError words why the value of a flag can't be read.
func flagError(why *approval.Reason) *fail.Error {
	if why.Why == approval.NotAPattern {
		return fail.New("%s %s: not a pattern of names", why.Flag, text.Name(why.Arg))
	}
	return fail.New("%s %s: give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits", why.Flag, text.Name(why.Arg))
}

// selectorError words why a selector that can be read selects nothing. For any other reason, it returns nil.
func selectorError(why *approval.Reason) *fail.Error {
	arg := text.Name(why.Arg)
	switch why.Why {
	case approval.NotThere:
		what := pin.EntryTypeInfo[why.Entry.Type].Entry + " of that name is"
		if why.Entry.Type == pin.Instructions {
			what = "instructions are"
		}
		return fail.New("%s %s: no %s pinned or listed", why.Flag, arg, what)
	case approval.TwoMeanings:
		return fail.New("%s %s: ambiguous: a tool has that name, too", why.Flag, arg).Hint("for the tool: tool=NAME")
	case approval.SeveralServers:
		return fail.New("%s %s: it matches entries of several servers", why.Flag, arg).Hint("say which: --server ID")
	case approval.NewByPattern:
		return fail.New("%s %s: a pattern accepts no new entry", why.Flag, arg).Hint("a new entry has to be named; for all that is new: added")
	case approval.StaleDigest:
		return fail.New("%s %s: no drifted entry has that digest: nothing was written", why.Flag, arg).
			Hint("the capture is not the one you reviewed: review it again")
	case approval.NotDeniable:
		return fail.New("%s %s: instructions can't be denied: only a tool, a prompt, a resource, a template or a skill can", why.Flag, arg)
	case approval.NothingToDeny:
		return fail.New("%s %s: the capture doesn't list it: there is nothing to deny", why.Flag, arg)
	case approval.TwoAnswers:
		return fail.New("%s %s: --accept names it, too, which would let agents have it", why.Flag, arg)
	case approval.NotAName:
		return fail.New("%s %s: give the name of an entry", why.Flag, arg).Hint("for a tool of that name: tool=NAME")
	}
	return nil
}

// reason words why nothing is written. w is what was read.
func (f *approveRequest) reason(why *approval.Reason, w *workspace.Workspace) *fail.Error {
	if said := selectorError(why); said != nil {
		return said
	}
	entry := pin.EntryRef(why.Entry.Type, why.Entry.Name)
	server := text.Name(why.Entry.Server)
	lockfile := text.Printable(w.LockPath)
	capture := ""
	if p := pin.ComparisonOf(w.Comparisons, why.Entry.Server); p != nil {
		capture = text.Printable(p.Capture)
	}
	review := f.To("diff")
	switch why.Why {
	case approval.EmptyList:
		return fail.In(capture, "no tools in the list").Hint("if that is right: %s --allow-empty", f.To(f.Verb))
	case approval.OtherSet:
		return fail.New("not what was reviewed: nothing was written").
			Hint("expected set %s", strings.Join(slices.Sorted(slices.Values(f.expect)), ", ")).
			Hint("now      set %s", report.SetOrNone(strings.Join(why.Sets, ", "))).
			Hint("review again: %s", review)
	case approval.OtherPolicy:
		pinned := pin.ComparisonOf(w.Comparisons, why.Entry.Server).Locked.Policy
		return fail.In(lockfile, "server %s is pinned under another policy (%s): nothing was written", server, pin.PolicyWords(pinned)).
			Hint("to change the policy: %s", f.To("relock"))
	case approval.Repeated:
		return fail.In(capture, "%s is listed %d times, and an agent may get any of them: nothing was written", entry, why.Copies).
			Hint("the server has to be fixed; to see them: %s", review)
	case approval.NoPins:
		return fail.New("%s has no server %s", lockfile, server).Hint("to approve a new server: %s", f.To("lock"))
	case approval.NotAcceptable:
		return fail.New("%s is listed %d times: that can't be accepted", entry, why.Copies)
	case approval.NeedsAll:
		return fail.New("a changed policy changes every pin: accept it with all drift, or not at all").Hint("read it, and answer at a terminal: %s", f.To("relock"))
	case approval.PolicyInParts:
		return fail.New("a changed policy takes effect only when all drift is accepted: nothing was written").Hint("read it: %s", review)
	case approval.NotCovered:
		said := fail.New("a text that isn't pinned has a warning, which no approval covers: nothing was written").Hint("read it: %s", review)
		if !f.Part { // a part of a session keeps its policy
			said.Hint("pin it, then it can be approved: %s", f.whole().To(f.Verb, "--descriptions=preserve"))
		}
		return said
	case approval.PolicyDeclined:
		return fail.New("the policy was not accepted: nothing was written")
	case approval.WarningDeclined:
		return fail.New("the warning was not accepted: nothing was written")
	case approval.NotWhatWasShown:
		return fail.New("%s is not what was shown: nothing was written", entry).Hint("review again: %s", review)
	}
	// A reason that has no words above is still a reason.
	return fail.New("nothing was written")
}

// whole returns the request without --descriptions, the flag that leaves out texts.
func (f *approveRequest) whole() *request {
	next := f.request
	next.Flags = maps.Clone(f.Flags)
	next.Flags[f.Verb] = slices.DeleteFunc(slices.Clone(f.Flags[f.Verb]), func(word string) bool { return strings.HasPrefix(word, "--descriptions ") })
	return &next
}
