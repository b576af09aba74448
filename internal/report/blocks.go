package report

import (
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/facts"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// An edit is one change of an entry, as it is shown.
type edit struct {
	*facts.Edit

	// What changed if no reader can see it, else "".
	unseen string

	marked bool // the definition below shows it with marks

	// The changes that are told once, with this one, and the entry that has this edit; or nil.
	shared   *sharedSet
	sharedBy *drifted
}

// newEdit prepares an edit to be shown.
func newEdit(e *facts.Edit) *edit {
	withIcons := *e
	withIcons.Old = layout.Icons(e.Pointer, e.Old)
	withIcons.New = layout.Icons(e.Pointer, e.New)
	shown := &edit{Edit: &withIcons}
	if e.Unseen {
		shown.unseen = unseen(e.Change)
	}
	return shown
}

// keyOf returns a key that is equal for equal lists only.
func keyOf(list []string) string {
	var key strings.Builder
	for _, s := range list {
		key.WriteString(strconv.Itoa(len(s)))
		key.WriteByte(':')
		key.WriteString(s)
	}
	return key.String()
}

// unseen describes in words what a reader of the text can't see in a change.
func unseen(c diff.Change) string {
	if n := c.Hidden[1]; n > 0 {
		return text.Count(n, "character") + " no reader sees"
	}
	if n := c.Hidden[0]; n > 0 {
		return text.Count(n, "character") + " no reader sees, gone"
	}
	return "same text to a reader, other code points"
}

// exact reports whether an edit is to be shown character by character.
func (e *edit) exact() bool {
	return e.Old.Kind == '"' && e.New.Kind == '"' && layout.Confusable(e.Old.Text, e.New.Text) || e.unseen != ""
}

// A group is drift that is read and accepted as one: an entry, or two that seem to be one under two names.
type group struct {
	number  int
	entries []*drifted // the most dangerous first
	at      []int      // their indexes in Report.entries

	// The new findings in them: warnings first, equal ones once.
	findings []Finding
}

func (g *group) first() *drifted { return g.entries[0] }

// group makes a group of each entry, and sorts groups and entries.
func (r *Report) group() {
	slices.SortStableFunc(r.entries, func(a, b *drifted) int { return a.Before(b.Entry) })
	// The server with the most dangerous entry comes first.
	place := map[string]int{}
	for _, e := range r.entries {
		if place[e.Server] == 0 {
			place[e.Server] = len(place) + 1
		}
	}
	slices.SortStableFunc(r.entries, func(a, b *drifted) int { return place[a.Server] - place[b.Server] })
	var all []*group
	for _, e := range r.entries {
		all = append(all, &group{entries: []*drifted{e}})
	}
	r.groups = joinRenames(all)
	if !r.Bounded && len(r.entries) <= mostShared {
		r.findShared()
	}
	for r.warned < len(r.groups) && r.groups[r.warned].first().Warned() {
		r.warned++
	}
	early := 0
	for i, set := range r.shared {
		set.told.Number = r.warned + i + 1
		if set.told.Late = set.rank == rankUnused; set.told.Late {
			set.told.Number += len(r.groups) - r.warned
		} else {
			early++
		}
	}
	r.entries = nil
	for i, g := range r.groups {
		g.number = i + 1
		if i >= r.warned {
			g.number += early
		}
		for _, e := range g.entries {
			g.at = append(g.at, len(r.entries))
			r.entries = append(r.entries, e)
		}
		g.findings = r.Said(freshIn(g.entries))
	}
}

// joinRenames puts the REMOVED entry of a rename into the group of the ADDED one.
func joinRenames(groups []*group) (joined []*group) {
	gone := map[pin.Ref]*drifted{}
	for _, g := range groups {
		if e := g.first(); e.RenamedTo != "" {
			gone[e.Ref()] = e
		}
	}
	taken := map[*drifted]bool{}
	for _, g := range groups {
		e := g.first()
		if e.RenamedFrom == "" {
			continue
		}
		old := gone[pin.Ref{Server: e.Server, Key: pin.Key{Type: e.Type, Name: e.RenamedFrom}}]
		if old != nil { // a selection may leave it out
			g.entries = append(g.entries, old)
			taken[old] = true
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return taken[g.first()] })
}

// renamed reports whether a group is one entry under two names: the new one first.
func (g *group) renamed() bool { return len(g.entries) == 2 && g.first().RenamedFrom != "" }
