package report

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A group is drift that is read and accepted as one: entries of one server, list
// and kind with equal edits and equal new warnings. Most groups have one entry.
type group struct {
	number int   // its place in report.groups, from 1
	drifts []int // consecutive indexes into report.drifts
	edits  []edit
	warned bool // it has a new warning, which takes a yes of its own
	minor  bool // nothing in it needs more than a line

	class   int        // sorts groups: rankWarned, rankJoined or the kindRank
	weight  int        // sorts groups that are rankJoined: how much their sentences order
	danger  int        // sorts groups of new entries; else 0
	gravest diff.Label // sorts groups of a class
}

// An edit is one change of a group, as it is shown.
type edit struct {
	diff.Change
	key     string       // equal for equal edits
	pieces  []diff.Piece // the word diff of two texts; nil: show old and new
	blocks  bool         // show the old text, then the new one: rewritten, or too long for a word diff
	home    int          // number of the group that shows this edit, from 1; 0: this one
	also    []string     // printable names of entries in other groups that have this edit
	unseen  string       // says what changed if no reader can see it, else ""
	example bool         // the text around it is not the same in all entries of the group
}

// first is the drift that a group is named after.
func (r *Report) first(g *group) *pin.Drift { return &r.Drifts[g.drifts[0]] }

// What is most suspicious comes first for a reader.
const (
	rankWarned = iota
	rankDuplicate
	rankHidden
	rankJoined // an order or an address joined, which no rule knows as poison
	rankAdded
	rankChanged
	rankRemoved
)

var kindRank = map[pin.DriftKind]int{pin.Duplicate: rankDuplicate, pin.Hidden: rankHidden, pin.Added: rankAdded, pin.Changed: rankChanged, pin.Removed: rankRemoved}

// joinedNotes are the ids of the notes that rank as rankJoined.
var joinedNotes = []string{"order", "new-address"}

// OnlyWords are the words that select what a drift has: the ids of labels and of notes.
func OnlyWords() []string { return append(diff.LabelIDs(), NoteIDs...) }

// NoteIDs are the ids of the notes that stand for an entry in the shape of a review, and
// that --only selects.
var NoteIDs = append(joinedNotes[:len(joinedNotes):len(joinedNotes)], "takes-code")

// group puts drift that changed alike into one group, and sorts the groups.
func (r *Report) group() {
	budget, words := diff.FullWordBudget, map[string][]diff.Piece{}
	alike := map[string]*group{} // by their changes
	for i := range r.Drifts {
		d := &r.Drifts[i]
		warnings := lint.WarningsIn(r.fresh[i])
		g := &group{drifts: []int{i}, warned: len(warnings) > 0, class: kindRank[d.Kind]}
		key := []string{d.Server, pin.EntryTypeInfo[d.Type].Entry, string(d.Kind)}
		if d.Kind == pin.Added {
			g.danger = r.dangers[i].rank()
		}
		for _, f := range r.fresh[i] {
			joined := slices.Contains(joinedNotes, f.ID)
			if joined {
				g.class, g.weight = min(g.class, rankJoined), max(g.weight, f.Weight)
			}
			if joined || f.Warning {
				key = append(key, f.ID, f.Pointer, f.Detail)
			}
		}
		serious := g.class <= rankJoined || g.warned
		for _, c := range r.shownChanges(i) {
			e := newEdit(c, d.Kind, &budget, words)
			if e.CutFrom != [2]int{} {
				e.key += d.EntryRef() // what was cut off may differ
			}
			if slices.ContainsFunc(warnings, func(f lint.Finding) bool { return f.Pointer == c.Pointer }) {
				e.unseen = "" // the warning already says so
			}
			// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
			if e.unseen != "" || c.Hidden[1] > c.Hidden[0] {
				g.class = min(g.class, rankHidden)
			}
			if len(g.edits) == 0 || c.Label < g.gravest {
				g.gravest = c.Label
			}
			serious = serious || !e.isMinor()
			key = append(key, e.key)
			g.edits = append(g.edits, e)
		}
		if g.warned {
			g.class = rankWarned
		}
		g.minor = !serious && (d.Kind == pin.Removed || d.Kind == pin.Changed && len(g.edits) > 0 || d.RenamedFrom != "" && !d.RenamedSimilar)
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
		x, y := r.first(a), r.first(b)
		joined := 0
		if a.class == rankJoined { // an approved entry that orders now comes before a new one
			joined = cmp.Or(b.weight-a.weight, kindRank[y.Kind]-kindRank[x.Kind])
		}
		return cmp.Or(a.class-b.class, joined, kindRank[x.Kind]-kindRank[y.Kind], a.danger-b.danger, lint.RankOf(a.minor && x.Kind == pin.Changed)-lint.RankOf(b.minor && y.Kind == pin.Changed), cmp.Compare(a.gravest, b.gravest), behind(x)-behind(y), pin.CompareDrifts(*x, *y))
	})
	r.sortServers()
	r.follow()
	r.collapseShared()
}

// together divides the groups into what is read in one go: a group, or several of a server
// and list that each have nothing but minor changes.
func (r *Report) together() (list [][]*group) {
	for i, g := range r.groups {
		if i > 0 {
			before, d, last := r.groups[i-1], r.first(g), r.first(r.groups[i-1])
			if g.minor && before.minor && d.Kind == pin.Changed && last.Kind == pin.Changed && d.Server == last.Server && d.Type == last.Type {
				list[len(list)-1] = append(list[len(list)-1], g)
				continue
			}
		}
		list = append(list, []*group{g})
	}
	return list
}

// joint is a group of all the entries of some groups, to count and name them in a line.
func joint(groups []*group) *group {
	all := *groups[0]
	for _, g := range groups[1:] {
		all.drifts = append(slices.Clip(all.drifts), g.drifts...)
	}
	return &all
}

// sortServers puts the groups, which are sorted, server by server: the server with the most
// dangerous group comes first.
func (r *Report) sortServers() {
	place := map[string]int{}
	for _, g := range r.groups {
		if server := r.first(g).Server; place[server] == 0 {
			place[server] = len(place) + 1
		}
	}
	slices.SortStableFunc(r.groups, func(a, b *group) int { return place[r.first(a).Server] - place[r.first(b).Server] })
}

// behind sorts a server's instructions before other entries that weigh the same: every
// session reads them.
func behind(d *pin.Drift) int {
	if d.Type == pin.Instructions {
		return 0
	}
	return 1
}

// join adds a drift whose edits are the same, though the texts around them may differ.
func (g *group) join(drift int, edits []edit) {
	g.drifts = append(g.drifts, drift)
	for i := range g.edits {
		e := &g.edits[i]
		e.example = e.example || !jsontree.Equal(e.Old, edits[i].Old) || !jsontree.Equal(e.New, edits[i].New)
	}
}

// shownChanges are the changes of a drift. For an ADDED entry that seems to be a renamed
// one, they are what differs besides the name.
func (r *Report) shownChanges(i int) []diff.Change {
	d := &r.Drifts[i]
	if d.RenamedFrom == "" || !d.RenamedSimilar {
		return r.changes[i]
	}
	was := pin.ComparisonOf(r.Comparisons, d.Server).Locked.Find(pin.Key{Type: d.Type, Name: d.RenamedFrom}) // diff.Renames found it
	list := diff.Definitions(d.Type, was.Tree(), d.Captured.Tree())
	return slices.DeleteFunc(list, func(c diff.Change) bool { return c.Pointer == "/name" })
}

// follow puts the drifts into the order of their groups, and numbers the groups.
func (r *Report) follow() {
	var drifts []pin.Drift
	var changes [][]diff.Change
	var fresh [][]lint.Finding
	var dangers []danger
	for i, g := range r.groups {
		g.number = i + 1
		for j, at := range g.drifts {
			g.drifts[j] = len(drifts)
			drifts, changes = append(drifts, r.Drifts[at]), append(changes, r.changes[at])
			fresh, dangers = append(fresh, r.fresh[at]), append(dangers, r.dangers[at])
		}
	}
	r.Drifts, r.changes, r.fresh, r.dangers = drifts, changes, fresh, dangers
}

// newEdit prepares a change to be shown. words holds the word diffs made so far.
func newEdit(c diff.Change, k pin.DriftKind, budget *diff.WordBudget, words map[string][]diff.Piece) edit {
	e := edit{Change: c}
	if k == pin.Hidden || c.Old.Kind == '"' && c.New.Kind == '"' && text.Sanitize(c.Old.Text) == text.Sanitize(c.New.Text) {
		e.unseen = unseen(c)
	}
	if c.Old.Kind == '"' && c.New.Kind == '"' && isProse(c.Old.Text, c.New.Text) {
		key := c.Old.Text + "\x00" + c.New.Text
		pieces, ok := words[key]
		if !ok {
			pieces = budget.Words(c.Old.Text, c.New.Text)
			words[key] = pieces
		}
		e.pieces = pieces
		e.blocks = pieces == nil || diff.Rewritten(pieces)
	}
	e.key = diff.EditKey(c, e.pieces)
	return e
}

// collapseShared finds edits that several groups of a server share. The largest group shows
// such an edit and names the entries of the others.
func (r *Report) collapseShared() {
	type place struct {
		*group
		edit *edit
	}
	shared := map[[2]string][]place{} // by server and edit
	for _, g := range r.groups {
		for i := range g.edits {
			key := [2]string{r.first(g).Server, g.edits[i].key}
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
	return strings.ContainsAny(old+new, " \n") || len(old)+len(new) > 60 || text.Sanitize(old) == text.Sanitize(new)
}
