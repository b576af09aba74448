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
		if len(a.c.Sides) > 1 {
			name += " server=" + text.Name(ref.Server)
		}
		names = append(names, name)
	}
	return names
}

// held tells what was left out because of a denied entry. What may be a denied entry under another name is accepted by its
// digest, because that shows that somebody has read it.
func (a *approver) held(out *approval.Outcome) (steps []report.Step) {
	step := func(said string) { steps = append(steps, report.Step{Text: said}) }
	step("left out because of a denied entry that is gone or looks like it: " + text.List(a.names(out.LeftOut), maxNamed))
	step("accept or deny each by its own name")
	if alike := a.alike(out.LeftOut); len(alike) > 0 {
		step(text.List(alike, maxNamed) + ": accepted by its name, it is denied, too")
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
	var gone []string
	for list := range lists {
		gone = append(gone, text.Names(pin.ComparisonOf(a.c.Sides, list.Server).AbsentDenied(list.Type))...)
	}
	if len(doubtful) > 0 && len(gone) == 0 {
		step(text.List(a.names(doubtful), maxNamed) + " may be a denied entry under another name: there is too much to compare, or nothing")
	} else if len(doubtful) > 0 {
		slices.Sort(gone)
		step(text.List(a.names(doubtful), maxNamed) + " may be what is denied and not listed now, under another name: " + text.List(slices.Compact(gone), maxNamed))
	}
	if len(doubtful) > 0 {
		step("the name alone doesn't accept such an entry: read it, then give its digest, too, or deny it")
	}
	return steps
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

// denials returns the rules with which clients without a guard keep newly denied tools from their agents. A rule has
// <tool> or <server> in place of a name that isn't plain. It uses the server ID, which usually is the client's name
// for the server; if it isn't, a person has to write that name.
func (a *approver) denials(out *approval.Outcome) (steps []report.Step) {
	if alike := a.alike(out.Denied); len(alike) > 0 {
		steps = append(steps, report.Step{Text: text.List(alike, maxNamed) + ", so it is denied, too, until its name is accepted once more"})
	}
	for _, ref := range sorted(out.Denied) {
		before := pin.ComparisonOf(a.c.Sides, ref.Server).Locked.Find(ref.Key)
		if before != nil && before.Denied {
			continue // the hint was given when it was denied
		}
		if ref.Type != pin.Tools {
			steps = append(steps, report.Step{Text: "only pinproof-capture guard keeps " + ref.EntryRef() + " from agents: clients have no rule for it"})
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
		steps = append(steps, []report.Step{
			{Text: "pinproof-capture guard leaves " + ref.EntryRef() + " out. Without a guard, write a rule of the client, with the client's name for the server"},
			{Text: "Claude Code, .claude/settings.json", Command: `"permissions": {"deny": ["mcp__` + server + "__" + name + `"]}`},
			{Text: "Codex, .codex/config.toml, in [mcp_servers." + server + "]", Command: `disabled_tools = ["` + name + `"]`},
			{Text: "VS Code, in the chat's Configure Tools", Command: "clear the check mark of " + name + " of " + server},
		}...)
	}
	return steps
}

// gaps returns hints about what was not read or isn't pinned: texts of other servers that could name an added
// tool, skills that a capture doesn't list, and the content of apps' pages.
func (a *approver) gaps(out *approval.Outcome) (steps []report.Step) {
	added := map[string]bool{} // the servers that got a tool
	for _, d := range a.c.Drifts {
		if d.Kind == pin.Added && d.Type == pin.Tools && out.Accepted[d.Ref()] {
			added[d.Server] = true
		}
	}
	if len(added) > 0 && len(a.w.Lock.Servers) > 0 {
		isOwn := func(server string) bool { return added[server] && len(added) == 1 }
		if unread := slices.DeleteFunc(lint.UnreadServers(a.c.Sides, a.w.Lock.Servers), isOwn); len(unread) > 0 {
			steps = append(steps, report.Step{Text: "text that isn't stored whole, or too long, was not read for the new names: server " + text.List(text.Names(unread), maxNamed)})
		}
	}
	for _, p := range a.c.Sides {
		whose := "the server"
		if len(a.c.Sides) > 1 {
			whose = "server " + text.Name(p.Server)
		}
		if p.SkillsUnlisted && !p.Part {
			steps = append(steps, report.Step{
				Text:    whose + " says that it has skills, and the capture has no answer to " + pin.EntryTypeInfo[pin.Skills].Method + ": nothing pins them; capture it whole",
				Command: "pinproof-capture save " + shell.Path(p.Capture) + " -- COMMAND",
			})
		}
		if !p.Known() && p.Captured.Policy.Pages {
			steps = append(steps, report.Step{Text: whose + " has pages of apps (ui://): their entries are pinned, not what a page does"})
		}
	}
	return steps
}
