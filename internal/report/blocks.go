package report

import (
	"slices"

	"pinproof/internal/diff"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

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

// A group is drift that is read and accepted as one: an entry, or two that seem to be one under two names.
type group struct {
	number  int
	entries []*drifted // the most dangerous first
	at      []int      // their indexes in Report.entries

	// The new findings in them: warnings first.
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
	for r.warned < len(r.groups) && r.groups[r.warned].first().HasNewWarning() {
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
		if old != nil && !taken[old] { // a selection may leave it out
			g.entries = append(g.entries, old)
			taken[old] = true
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return taken[g.first()] })
}

// renamed reports whether a group is one entry under two names: the new one first.
func (g *group) renamed() bool { return len(g.entries) == 2 && g.first().RenamedFrom != "" }
