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

// maxNamed is how many entries or servers a hint names.
const maxNamed = 20

// sorted returns the entries sorted by server and key.
func sorted(refs pin.Refs) []pin.Ref {
	return slices.SortedFunc(maps.Keys(refs), func(a, b pin.Ref) int {
		return cmp.Or(jsontree.CompareUTF16(a.Server, b.Server), pin.CompareKeys(a.Key, b.Key))
	})
}

// names returns the entries as they are printed in a line of output.
func (a *approver) names(refs pin.Refs) (names []string) {
	for _, ref := range sorted(refs) {
		name := ref.EntryRef()
		if len(a.Comparisons) > 1 {
			name += " server=" + text.Name(ref.Server)
		}
		names = append(names, name)
	}
	return names
}

// hint prints a hint and, if there is one, the command to type.
func (a *approver) hint(words, command string) {
	a.t.Hint(report.Step{Text: words, Command: command})
}

// held tells what was left out because of a denied entry. What may be a denied entry under another name is accepted by its
// digest, because that shows that somebody has read it.
func (a *approver) held(out *approval.Outcome) {
	a.hint("left out because of a denied entry that is gone or looks like it: "+text.List(a.names(out.LeftOut), maxNamed), "")
	a.hint("accept or deny each by its own name", "")
	if alike := a.alike(out.LeftOut); len(alike) > 0 {
		a.hint(text.List(alike, maxNamed)+": accepted by its name, it is denied, too", "")
	}
	doubtful := pin.Refs{}
	lists := pin.Refs{} // that they are in
	for _, d := range a.c.Drifts {
		isNew := d.Kind == pin.Added || d.MayBeDenied
		if out.LeftOut[d.Ref()] && isNew && !d.LooksDenied() {
			doubtful[d.Ref()] = true
			lists[pin.Ref{Server: d.Server, Key: pin.Key{Type: d.Type}}] = true
		}
	}
	if len(doubtful) == 0 {
		return
	}
	var gone []string
	for list := range lists {
		gone = append(gone, text.Names(pin.ComparisonOf(a.Comparisons, list.Server).AbsentDenied(list.Type))...)
	}
	slices.Sort(gone)
	why := "a denied entry under another name: there is too much to compare, or nothing"
	if len(gone) > 0 {
		why = "what is denied and not listed now, under another name: " + text.List(slices.Compact(gone), maxNamed)
	}
	a.hint(text.List(a.names(doubtful), maxNamed)+" may be "+why, "")
	a.hint("the name alone doesn't accept such an entry: read it, then give its digest, too, or deny it", "")
}

// alike tells of entries which denied ones they look like.
func (a *approver) alike(refs pin.Refs) (said []string) {
	for _, d := range a.c.Drifts {
		if !refs[d.Ref()] || !d.LooksDenied() {
			continue
		}
		name := text.Name(d.LikeDenied.Name)
		if d.LikeDenied.Server != d.Server {
			name += " of server " + text.Name(d.LikeDenied.Server)
		}
		said = append(said, d.EntryRef()+" looks like the denied "+name)
	}
	return said
}

// denials prints the rules with which clients without a guard keep newly denied tools from their agents. A rule has
// <tool> or <server> in place of a name that isn't plain. It uses the server ID, which usually is the client's name
// for the server; if it isn't, a person has to write that name.
func (a *approver) denials(out *approval.Outcome) {
	if alike := a.alike(out.Denied); len(alike) > 0 {
		a.hint(text.List(alike, maxNamed)+", so it is denied, too, until its name is accepted once more", "")
	}
	for _, ref := range sorted(out.Denied) {
		before := pin.ComparisonOf(a.Comparisons, ref.Server).Locked.Find(ref.Key)
		if before != nil && before.Denied {
			continue // the hint was given when it was denied
		}
		if ref.Type != pin.Tools {
			a.hint("only pinproof-capture guard keeps "+ref.EntryRef()+" from agents: clients have no rule for it", "")
			continue
		}
		server := "<server>"
		if text.IsOf(ref.Server, "_-") && ref.Server != "" {
			server = ref.Server
		}
		name := "<tool>"
		if shell.IsPasteable(ref.Name) {
			name = ref.Name
		}
		a.hint("pinproof-capture guard leaves "+ref.EntryRef()+" out. Without a guard, write a rule of the client, with the client's name for the server", "")
		a.hint("Claude Code, .claude/settings.json", `"permissions": {"deny": ["mcp__`+server+"__"+name+`"]}`)
		a.hint("Codex, .codex/config.toml, in [mcp_servers."+server+"]", `disabled_tools = ["`+name+`"]`)
		a.hint("VS Code, in the chat's Configure Tools", "clear the check mark of "+name+" of "+server)
	}
}

// gaps prints hints about what was not read or isn't pinned: texts of other servers that could name an added
// tool, skills that a capture doesn't list, and the content of apps' pages.
func (a *approver) gaps(out *approval.Outcome) {
	added := map[string]bool{} // the servers that got a tool
	for _, d := range a.c.Drifts {
		if d.Kind == pin.Added && d.Type == pin.Tools && out.Accepted[d.Ref()] {
			added[d.Server] = true
		}
	}
	if len(added) > 0 && len(a.Lock.Servers) > 0 {
		isOwn := func(server string) bool { return added[server] && len(added) == 1 }
		if unread := slices.DeleteFunc(lint.UnreadServers(a.Comparisons, a.Lock.Servers), isOwn); len(unread) > 0 {
			a.hint("text that isn't stored whole, or too long, was not read for the new names: server "+text.List(text.Names(unread), maxNamed), "")
		}
	}
	for _, p := range a.Comparisons {
		whose := "the server"
		if len(a.Comparisons) > 1 {
			whose = "server " + text.Name(p.Server)
		}
		if p.SkillsUnlisted && !p.Part {
			a.hint(whose+" says that it has skills, and the capture has no answer to "+pin.EntryTypeInfo[pin.Skills].Method+": nothing pins them; capture it whole",
				"pinproof-capture save "+shell.Path(p.Capture)+" -- COMMAND")
		}
		if !p.Known() && p.Captured.Policy.Pages {
			a.hint(whose+" has pages of apps (ui://): their entries are pinned, not what a page does", "")
		}
	}
}
