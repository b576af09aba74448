package report

import (
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// An edit is one change of an entry, as it is shown.
type edit struct {
	diff.Change
	sentences []diff.SentenceEdit // of two texts
	compared  bool                // the texts were compared sentence by sentence
	says      bool                // there is something new or gone to read in it
	unseen    string              // says what changed if no reader can see it, else ""
	key       string              // equal for equal edits: the same sentences stood there before and stand there now
	moved     string              // says where a sentence of it stood before, or ""
	home      *group              // the one above that shows this edit; nil: this one
}

// minor reports whether a review may sum up an edit.
func (e *edit) minor() bool { return e.Label.Minor() && !e.says && e.unseen == "" }

// newEdit prepares a change to be shown.
func newEdit(c diff.Change, of *drifted, budget *diff.WordBudget) *edit {
	e := &edit{Change: c, says: c.Says()}
	texts := c.Old.Kind == '"' && c.New.Kind == '"'
	if of.Kind == pin.Hidden || texts && text.Sanitize(c.Old.Text) == text.Sanitize(c.New.Text) {
		e.unseen = unseen(c)
	}
	key := []string{c.Label.ID(), c.Pointer, c.From, strconv.Itoa(int(c.Old.Kind)), strconv.Itoa(int(c.New.Kind))}
	if texts && isProse(c.Old.Text, c.New.Text) {
		e.sentences, e.compared = budget.Sentences(c.Old.Text, c.New.Text)
		for _, s := range e.sentences {
			key = append(key, s.Old, s.New)
		}
	}
	if len(e.sentences) == 0 {
		key = append(key, string(jsontree.Append(nil, c.Old)), string(jsontree.Append(nil, c.New)))
	}
	if slices.ContainsFunc(of.fresh, func(f lint.Finding) bool { return f.Warning && f.Pointer == c.Pointer }) {
		e.unseen = "" // the warning already says so
	}
	e.key = keyOf(key)
	return e
}

// keyOf is equal for equal lists.
func keyOf(list []string) string { return string(jsontree.Append(nil, jsontree.Texts(list))) }

// isProse tells texts worth a word diff from values that read better whole.
func isProse(old, new string) bool {
	return strings.ContainsAny(old+new, " \n") || len(old)+len(new) > 60 || text.Sanitize(old) == text.Sanitize(new)
}

// findMoves finds sentences that went in one place and joined in another.
func (e *drifted) findMoves() {
	gone := map[string]string{} // by sentence, the place
	for side := range 2 {
		for _, ed := range e.edits {
			for _, s := range ed.side(side) {
				if from, was := gone[s]; side == 0 {
					gone[s] = ed.Pointer
				} else if was && from != ed.Pointer {
					ed.moved = "moved from " + placeOf(e.Type, from)
				}
			}
		}
	}
}

// side lists the sentences that an edit took away (0) or added (1).
func (ed *edit) side(side int) (list []string) {
	whole := [2]string{ed.Old.Text, ed.New.Text}[side]
	if ed.sentences != nil {
		whole = ""
		for _, s := range ed.sentences {
			whole += [2]string{s.Old, s.New}[side] + "\n"
		}
	}
	for _, s := range diff.Sentences(whole) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// losesGuard reports whether a sentence that holds the tool back went, or no longer does.
func (e *edit) losesGuard() bool {
	return slices.ContainsFunc(e.sentences, func(s diff.SentenceEdit) bool { return diff.Guards(s.Old) > diff.Guards(s.New) })
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

// A group is drift that is read and accepted as one: entries of one server, type and kind in which
// the same sentences stood before and stand now. Most have one entry.
type group struct {
	number   int
	entries  []*drifted // the most dangerous first
	at       []int      // their indexes
	findings []Finding  // new ones, equal ones once, warnings first
}

func (g *group) first() *drifted { return g.entries[0] }

// group puts drift that changed alike into one group, and sorts groups and entries.
func (r *Report) group() {
	slices.SortStableFunc(r.entries, func(a, b *drifted) int { return a.before(b) })
	place := map[string]int{} // of servers: the one with the most dangerous entry comes first
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
	findHomes(all)
	r.groups = join(all, (*group).repeats)
	r.entries = nil
	for i, g := range r.groups {
		g.number = i + 1
		for _, e := range g.entries {
			g.at, r.entries = append(g.at, len(r.entries)), append(r.entries, e)
		}
		g.findings = r.Said(freshIn(g.entries))
	}
}

// join joins groups with an equal key. One without a key stands alone.
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

// key is equal for entries that changed alike, and have the same new warnings and orders. It is ""
// for an entry that stands alone.
func (e *drifted) key() string {
	if len(e.changes) == 0 {
		return ""
	}
	key := []string{e.Server, pin.EntryTypeInfo[e.Type].Entry, string(e.Kind)}
	for _, f := range e.fresh {
		if f.Warning || slices.Contains(joinedNotes, f.ID) {
			key = append(key, f.ID, f.Pointer, f.Detail)
		}
	}
	for _, ed := range e.edits {
		key = append(key, ed.key)
	}
	return keyOf(key)
}

// findHomes finds the edits that a group above shows already.
func findHomes(groups []*group) {
	home := map[[2]string]*group{} // by server and edit
	for _, g := range groups {
		for _, e := range g.entries {
			for _, ed := range e.edits {
				if ed.minor() || ed.shortSides() != "" { // that is shorter than a reference
					continue
				}
				switch key := [2]string{e.Server, ed.key}; home[key] {
				case nil:
					home[key] = g
				case g:
				default:
					ed.home = home[key]
				}
			}
		}
	}
}

// repeats is equal for groups that say nothing new, and the same: what they have stands in the same
// groups above, or is minor. It is "" for one that says something.
func (g *group) repeats() string {
	first := g.first()
	if first.Kind != pin.Changed || len(first.edits) == 0 || first.class <= rankStrong || first.noted(joinedNotes...) {
		return ""
	}
	key := []string{first.Server, pin.EntryTypeInfo[first.Type].Entry}
	for _, e := range first.edits {
		switch {
		case e.minor():
		case e.home == nil:
			return ""
		default:
			key = append(key, e.key)
		}
	}
	return keyOf(key)
}
