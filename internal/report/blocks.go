package report

import (
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/facts"
	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// An edit is one change of an entry, as it is shown.
type edit struct {
	*facts.Edit

	// Says what changed if no reader can see it, else "".
	unseen string

	// Equal for equal edits: the same sentences were there before and are there now.
	key string

	marked bool // the definition below shows it with marks

	// The changes that are told once, with this one, and the entry that has this edit; or nil.
	shared   *sharedSet
	sharedBy *drifted
}

// newEdit prepares an edit to be shown.
func newEdit(e *facts.Edit) *edit {
	shown := &edit{Edit: e}
	if e.Unseen {
		shown.unseen = unseen(e.Change)
	}
	key := []string{e.Label.ID(), e.Pointer, e.From, strconv.Itoa(int(e.Old.Kind)), strconv.Itoa(int(e.New.Kind))}
	for _, s := range e.Sentences {
		key = append(key, s.Old, s.New, s.Before, s.After, strconv.FormatBool(s.First), strconv.Itoa(s.Number))
	}
	if len(e.Sentences) == 0 {
		key = append(key, string(jsontree.Append(nil, e.Old)), string(jsontree.Append(nil, e.New)))
	}
	shown.key = keyOf(key)
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

// unseen says in words what a reader of the text can't see in a change.
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

// A group is drift that is read and accepted as one: entries of one server, type and kind that had the same sentences
// where they changed, and have the same ones now. Most groups have one entry.
type group struct {
	number  int
	entries []*drifted // the most dangerous first
	at      []int      // their indexes in Report.entries

	// The new findings in them: warnings first, equal ones once.
	findings []Finding
}

func (g *group) first() *drifted { return g.entries[0] }

// group puts drift that changed alike into one group, and sorts groups and entries.
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
	all = join(all, func(g *group) string { return g.first().key() })
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

// join joins groups with an equal key. A group without a key stays alone.
func join(groups []*group, key func(*group) string) (joined []*group) {
	of := map[string]*group{}
	for _, g := range groups {
		key := key(g)
		if same := of[key]; same != nil && key != "" {
			same.entries = append(same.entries, g.entries...)
			continue
		}
		of[key] = g
		joined = append(joined, g)
	}
	return joined
}

// key returns a key that is equal for entries that changed alike and have the same new warnings and
// addresses. It returns "" for an entry without changes, which stays alone.
func (e *drifted) key() string {
	if len(e.Changes) == 0 {
		return ""
	}
	key := []string{e.Server, pin.EntryTypeInfo[e.Type].Entry, string(e.Kind)}
	for _, f := range e.Fresh {
		if f.Warning || f.ID == "new-address" {
			key = append(key, f.ID, f.Pointer, f.Detail)
		}
	}
	for _, ed := range e.edits {
		key = append(key, ed.key)
	}
	return keyOf(key)
}
