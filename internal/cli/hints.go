package cli

import (
	"cmp"
	"maps"
	"slices"

	"pinproof/internal/approval"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// These are the hints after a write: how clients keep denied entries from agents, and what no
// pin covers.

// maxNamed is the maximum number of entries or servers that a hint names.
const maxNamed = 20

// sorted returns the entries sorted by server and key.
func sorted(refs pin.RefSet) []pin.Ref {
	return slices.SortedFunc(maps.Keys(refs), func(a, b pin.Ref) int {
		return cmp.Or(jsontree.CompareUTF16(a.Server, b.Server), pin.CompareKeys(a.Key, b.Key))
	})
}

// names returns the entries as they are printed in a line of output.
func (a *approver) names(refs pin.RefSet) (names []string) {
	for _, ref := range sorted(refs) {
		name := ref.EntryRef()
		if len(a.Comparisons) > 1 {
			name += " server=" + text.QuoteName(ref.Server)
		}
		names = append(names, name)
	}
	return names
}

// hint prints a hint and, if there is one, the command to type.
func (a *approver) hint(words, command string) {
	a.t.WriteSteps(report.Step{Text: words, Command: command})
}

// hintHeldBack prints hints about drift that was skipped because of a denied entry. A flag can accept an entry that may
// be a denied one under another name only by its digest, which shows that somebody has read the entry. The review has
// the reason and the digest of each.
func (a *approver) hintHeldBack(out *approval.Outcome) {
	a.hint("left out because of a denied entry that is gone, changed or looks like it: "+text.JoinNames(a.names(out.HeldBack), maxNamed), "")
	a.hint("accept or deny each by its own name; one that the review says may be a denied entry is accepted by its name and digest", "")
}

// alike returns, for each entry that looks like a denied one, a text that names the denied entry.
func (a *approver) alike(refs pin.RefSet) (said []string) {
	for _, d := range a.c.Drifts {
		if !refs[d.Ref()] || !d.LooksDenied() {
			continue
		}
		name := text.QuoteName(d.LikeDenied.Name)
		if d.LikeDenied.Server != d.Server {
			name += " of server " + text.QuoteName(d.LikeDenied.Server)
		}
		said = append(said, d.EntryRef()+" looks like the denied "+name)
	}
	return said
}

// hintDenied prints the rules with which clients without a guard keep newly denied tools from their agents. A rule has
// <tool> or <server> in place of a name that isn't plain. The rule uses the server ID, which usually is the client's
// name for the server. If the client uses another name, a person has to write that name into the rule.
func (a *approver) hintDenied(out *approval.Outcome) {
	if alike := a.alike(out.Denied); len(alike) > 0 {
		a.hint(text.JoinNames(alike, maxNamed)+", so it is denied, too, until its name is accepted once more", "")
	}
	for _, ref := range sorted(out.Denied) {
		before := pin.FindComparison(a.Comparisons, ref.Server).Locked.Find(ref.Key)
		if before != nil && before.Denied {
			continue // the hint was given when it was denied
		}
		if ref.Type != pin.Tools {
			a.hint("only pinproof-capture guard keeps "+ref.EntryRef()+" from agents: clients have no rule for it", "")
			continue
		}
		server := "<server>"
		if text.IsAlnumOr(ref.Server, "_-") && ref.Server != "" {
			server = ref.Server
		}
		name := "<tool>"
		if shell.IsPasteable(ref.Name) {
			name = ref.Name
		}
		a.hint("pinproof-capture guard leaves "+ref.EntryRef()+" out. Without a guard, write a rule of the client, with its name for the server (docs/hooks.md), such as in .claude/settings.json", `"permissions": {"deny": ["mcp__`+server+"__"+name+`"]}`)
	}
}

// hintUnread prints hints about what was not read or isn't pinned: texts of other servers that could name an added
// tool, and skills that a capture doesn't list.
func (a *approver) hintUnread(out *approval.Outcome) {
	added := map[string]bool{} // the servers with an accepted new tool
	for _, d := range a.c.Drifts {
		if d.Kind == pin.DriftAdded && d.Type == pin.Tools && out.Accepted[d.Ref()] {
			added[d.Server] = true
		}
	}
	if len(added) > 0 && len(a.Lock.Servers) > 0 {
		isOwn := func(server string) bool { return added[server] && len(added) == 1 }
		if unread := slices.DeleteFunc(lint.ServersWithUnreadPins(a.Comparisons, a.Lock.Servers), isOwn); len(unread) > 0 {
			a.hint("text that isn't stored whole, or too long, was not read for the new names: server "+text.JoinNames(text.QuoteNames(unread), maxNamed), "")
		}
	}
	for _, p := range a.Comparisons {
		if p.SkillsUnlisted && !p.IsPartial {
			a.hint("server "+text.QuoteName(p.Server)+" says that it has skills, and the capture has no answer to "+pin.EntryTypeInfo[pin.Skills].Method+": nothing pins them; capture it whole",
				"pinproof-capture save "+shell.QuotePath(p.CapturePath)+" -- COMMAND")
		}
	}
}
