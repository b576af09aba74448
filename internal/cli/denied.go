package cli

import (
	"slices"

	"pinproof/internal/approval"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// sayMarks prints which entries are now kept from agents, and which agents get again.
func (a *approver) sayMarks(out *approval.Outcome) {
	plain.New(a.out, a.style).Marks(a.names(out.Denied), a.names(out.Allowed), text.Printable(a.w.LockPath))
}

// hintHeld prints what acceptance in bulk left out because a denied entry is gone.
func (a *approver) hintHeld(t *plain.Writer, held []pin.Ref) {
	var added, gone []string
	for _, ref := range held {
		name := pin.EntryRef(ref.Type, ref.Name)
		if pin.ComparisonOf(a.c.Sides, ref.Server).Locked.Find(ref.Key) == nil {
			added = append(added, name)
		} else {
			gone = append(gone, name)
		}
	}
	if len(added) > 0 {
		t.Hint(report.Step{Text: "left out, because a denied entry is gone, and any of these may be that entry: " + text.List(added, maxHeld)})
		t.Hint(report.Step{Text: "accept or deny each by its own name"})
	} else if len(gone) > 0 {
		t.Hint(report.Step{Text: "left out, because it is denied, and would come back without its mark: " + text.List(gone, maxHeld)})
		t.Hint(report.Step{Text: "accept its removal by its own name"})
	}
}

// maxHeld is how many entries that were left out are named.
const maxHeld = 20

// names returns what a line of output calls these entries, in the order of the sides.
func (a *approver) names(refs map[pin.Ref]bool) (names []string) {
	for _, ref := range a.sorted(refs) {
		name := pin.EntryRef(ref.Type, ref.Name)
		if len(a.c.Sides) > 1 {
			name += " server=" + text.Name(ref.Server)
		}
		names = append(names, name)
	}
	return names
}

func (a *approver) sorted(refs map[pin.Ref]bool) (list []pin.Ref) {
	for i := range a.c.Sides {
		var keys []pin.Key
		for ref := range refs {
			if ref.Server == a.c.Sides[i].Server {
				keys = append(keys, ref.Key)
			}
		}
		slices.SortFunc(keys, pin.CompareKeys)
		for _, key := range keys {
			list = append(list, pin.Ref{Server: a.c.Sides[i].Server, Key: key})
		}
	}
	return list
}

// hintDenied prints how clients keep denied tools from their agents where no guard runs before the server.
// In a rule, TOOL or SERVER replaces a name that isn't plain. The server ID usually is the client's name
// for the server; where it isn't, a person has to write the client's.
func (a *approver) hintDenied(out *approval.Outcome) {
	t := plain.New(a.out, a.style)
	for _, ref := range a.sorted(out.Denied) {
		before := pin.ComparisonOf(a.c.Sides, ref.Server).Locked.Find(ref.Key)
		if before != nil && before.Denied {
			continue // the hint was given when it was denied
		}
		if ref.Type != pin.Tools {
			t.Hint(report.Step{Text: "only pinproof-capture guard keeps " + pin.EntryRef(ref.Type, ref.Name) + " from agents: clients have no rule for it"})
			continue
		}
		server := "SERVER"
		if text.IsOf(ref.Server, "_-") && ref.Server != "" {
			server = ref.Server
		}
		name := "TOOL"
		if shell.Pasteable(ref.Name) {
			name = ref.Name
		}
		t.Hint(report.Step{Text: "pinproof-capture guard leaves " + pin.EntryRef(ref.Type, ref.Name) + " out. Without a guard, write a rule of the client, with the client's name for the server"})
		t.Hint(report.Step{Text: "Claude Code, .claude/settings.json", Command: `"permissions": {"deny": ["mcp__` + server + "__" + name + `"]}`})
		t.Hint(report.Step{Text: "Codex, .codex/config.toml, in [mcp_servers." + server + "]", Command: `disabled_tools = ["` + name + `"]`})
		t.Hint(report.Step{Text: "VS Code, in the chat's Configure Tools", Command: "clear the check mark of " + name + " of " + server})
	}
}
