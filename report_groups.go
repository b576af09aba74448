package main

import (
	"cmp"
	"slices"
	"strings"
)

// A group is drift that is read and accepted as one: entries of one server, list
// and kind with equal edits and equal new warnings. Most groups have one entry.
type group struct {
	number int   // its place in report.groups, from 1
	drifts []int // consecutive indexes into report.drifts
	edits  []edit
	warned bool // it has a new warning, which takes a yes of its own
	minor  bool // nothing in it needs more than a line

	class   int   // sorts groups: 0 with a new warning, else a kindWeight
	gravest label // sorts groups of a class
}

// An edit is one change of a group, as it is shown.
type edit struct {
	change
	key     string   // equal for equal edits
	pieces  []piece  // the word diff of two texts; nil: show old and new
	blocks  bool     // show the old text, then the new one: rewritten, or too long for a word diff
	home    int      // number of the group that shows this edit, from 1; 0: this one
	also    []string // printable names of entries in other groups that have this edit
	unseen  string   // says what changed if no reader can see it, else ""
	example bool     // the text around it is not the same in all entries of the group
}

// first is the drift that a group is named after.
func (r *report) first(g *group) *drift { return &r.drifts[g.drifts[0]] }

// kindWeight orders kinds of drift for a reader: what is most suspicious comes first.
var kindWeight = map[kind]int{duplicate: 1, concealed: 2, added: 3, changed: 4, removed: 5}

// group puts drift that changed alike into one group, and sorts the groups.
func (r *report) group() {
	budget, words := fullWordBudget, map[string][]piece{}
	alike := map[string]*group{} // by their changes
	for i := range r.drifts {
		d := &r.drifts[i]
		warnings := warningsIn(r.fresh[i])
		g := &group{drifts: []int{i}, warned: len(warnings) > 0, class: kindWeight[d.kind]}
		key := []string{d.server, listInfo[d.list].entry, string(d.kind)}
		for _, f := range warnings {
			key = append(key, f.id, f.pointer, f.detail)
		}
		serious := g.warned
		for _, c := range r.shownChanges(i) {
			e := newEdit(c, d.kind, &budget, words)
			if e.cutFrom != [2]int{} {
				e.key += d.ref() // what was cut off may differ
			}
			if slices.ContainsFunc(warnings, func(f finding) bool { return f.pointer == c.pointer }) {
				e.unseen = "" // the warning already says so
			}
			// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
			if e.unseen != "" || c.hidden[1] > c.hidden[0] {
				g.class = min(g.class, kindWeight[concealed])
			}
			if len(g.edits) == 0 || c.label < g.gravest {
				g.gravest = c.label
			}
			serious = serious || !e.isMinor()
			key = append(key, e.key)
			g.edits = append(g.edits, e)
		}
		if g.warned {
			g.class = 0
		}
		g.minor = !serious && (d.kind == removed || d.kind == changed && len(g.edits) > 0 || d.renamedFrom != "" && !d.renamedSimilar)
		if len(r.changes[i]) > 0 {
			whole := strings.Join(key, "\x00")
			if same := alike[whole]; same != nil {
				same.join(i, g.edits)
				continue
			}
			alike[whole] = g
		}
		r.groups = append(r.groups, g)
	}
	slices.SortStableFunc(r.groups, func(a, b *group) int {
		x, y := r.drifts[a.drifts[0]], r.drifts[b.drifts[0]]
		return cmp.Or(a.class-b.class, kindWeight[x.kind]-kindWeight[y.kind], cmp.Compare(a.gravest, b.gravest), compareDrifts(x, y))
	})
	r.follow()
	r.foldShared()
}

// join adds a drift whose edits are the same, though the texts around them may differ.
func (g *group) join(drift int, edits []edit) {
	g.drifts = append(g.drifts, drift)
	for i := range g.edits {
		e := &g.edits[i]
		e.example = e.example || !equalValues(e.old, edits[i].old) || !equalValues(e.new, edits[i].new)
	}
}

// shownChanges are the changes of a drift. For an ADDED entry that seems to be a renamed
// one, they are what differs besides the name.
func (r *report) shownChanges(i int) []change {
	d := &r.drifts[i]
	if d.renamedFrom == "" || !d.renamedSimilar {
		return r.changes[i]
	}
	was := pairOf(r.pairs, d.server).pinned.find(entryKey{d.list, d.renamedFrom}) // findRenames found it
	list := diffDefinitions(d.list, was.tree(), d.found.tree())
	return slices.DeleteFunc(list, func(c change) bool { return c.pointer == "/name" })
}

// follow puts the drifts into the order of their groups, and numbers the groups.
func (r *report) follow() {
	var drifts []drift
	var changes [][]change
	var fresh [][]finding
	for i, g := range r.groups {
		g.number = i + 1
		for j, at := range g.drifts {
			g.drifts[j] = len(drifts)
			drifts, changes, fresh = append(drifts, r.drifts[at]), append(changes, r.changes[at]), append(fresh, r.fresh[at])
		}
	}
	r.drifts, r.changes, r.fresh = drifts, changes, fresh
}

// newEdit prepares a change to be shown. words holds the word diffs made so far.
func newEdit(c change, k kind, budget *wordBudget, words map[string][]piece) edit {
	e := edit{change: c}
	if k == concealed || c.old.kind == '"' && c.new.kind == '"' && sanitizeText(c.old.text) == sanitizeText(c.new.text) {
		e.unseen = unseen(c)
	}
	if c.old.kind == '"' && c.new.kind == '"' && isProse(c.old.text, c.new.text) {
		key := c.old.text + "\x00" + c.new.text
		pieces, ok := words[key]
		if !ok {
			pieces = budget.words(c.old.text, c.new.text)
			words[key] = pieces
		}
		e.pieces = pieces
		e.blocks = pieces == nil || rewritten(pieces)
	}
	e.key = editKey(c, e.pieces)
	return e
}

// foldShared finds edits that several groups of a server share. The largest group shows
// such an edit and names the entries of the others.
func (r *report) foldShared() {
	type place struct {
		*group
		edit *edit
	}
	shared := map[[2]string][]place{} // by server and edit
	for _, g := range r.groups {
		for i := range g.edits {
			key := [2]string{r.first(g).server, g.edits[i].key}
			shared[key] = append(shared[key], place{g, &g.edits[i]})
		}
	}
	for _, places := range shared {
		home := slices.MaxFunc(places, func(a, b place) int { return len(a.drifts) - len(b.drifts) })
		for _, at := range places {
			if at.group != home.group {
				at.edit.home = home.number
				home.edit.also = append(home.edit.also, r.groupNames(at.group)...)
			}
		}
	}
}

// isProse tells texts worth a word diff from values that read better whole.
func isProse(old, new string) bool {
	return strings.ContainsAny(old+new, " \n") || len(old)+len(new) > 60 || sanitizeText(old) == sanitizeText(new)
}
