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
	"pinproof/internal/signature"
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
	home      int                 // number of the block above that shows this edit; 0: this one
}

// minor reports whether a review may sum up an edit.
func (e *edit) minor() bool { return e.Label.Minor() && !e.says && e.unseen == "" }

// newEdit prepares a change to be shown.
func newEdit(c diff.Change, of *drifted, budget *diff.WordBudget) edit {
	e := edit{Change: c, says: c.Says() && !of.requires(&c)}
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
	e.key = string(jsontree.Append(nil, jsontree.Texts(key)))
	return e
}

// requires reports whether a change is one of the names that a schema requires, and all of them are parameters of it: what
// joined or went of these is shown where it stands.
func (e *drifted) requires(c *diff.Change) bool {
	steps, _ := jsontree.Tokens(c.Pointer)
	n := len(steps)
	if n == 0 || steps[n-1] != "required" || e.Type != pin.Tools || e.RenamedFrom != "" {
		return false
	}
	for i, list := range []jsontree.Value{c.Old, c.New} {
		around := e.lookUp(i, steps[:n-1])
		if around == nil || list.Kind != 0 && len(list.Items()) != len(signature.RequiredIn(*around)) {
			return false
		}
	}
	return true
}

// isProse tells texts worth a word diff from values that read better whole.
func isProse(old, new string) bool {
	return strings.ContainsAny(old+new, " \n") || len(old)+len(new) > 60 || text.Sanitize(old) == text.Sanitize(new)
}

// findMoves finds sentences that went in one place and joined in another.
func (e *drifted) findMoves() {
	gone := map[string]string{} // by sentence, the place
	each := func(v jsontree.Value, list []diff.SentenceEdit, old bool, f func(sentence string)) {
		whole := v.Text
		if list != nil {
			whole = ""
			for _, s := range list {
				if old {
					whole += s.Old + "\n"
				} else {
					whole += s.New + "\n"
				}
			}
		}
		for _, s := range diff.Sentences(whole) {
			f(strings.TrimSpace(s))
		}
	}
	for i := range e.edits {
		ed := &e.edits[i]
		each(ed.Old, ed.sentences, true, func(s string) { gone[s] = ed.Pointer })
	}
	for i := range e.edits {
		ed := &e.edits[i]
		each(ed.New, ed.sentences, false, func(s string) {
			from, was := gone[s]
			switch {
			case !was || s == "":
			case from == ed.Pointer && ed.sentences != nil:
				ed.moved = "in another order"
			case from != ed.Pointer:
				ed.moved = "moved from " + placeOf(e.Type, from)
			}
		})
	}
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
	number  int
	entries []*drifted // the most dangerous first
	at      []int      // their indexes
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
	alike := map[string]*group{}
	for _, e := range r.entries {
		if whole := e.key(); whole != "" {
			if same := alike[whole]; same != nil {
				same.entries = append(same.entries, e)
				continue
			}
			alike[whole] = &group{}
			alike[whole].entries = []*drifted{e}
			r.groups = append(r.groups, alike[whole])
			continue
		}
		r.groups = append(r.groups, &group{entries: []*drifted{e}})
	}
	r.findHomes()
	r.joinRepeats()
	r.entries = nil
	for i, g := range r.groups {
		g.number = i + 1
		for _, e := range g.entries {
			g.at, r.entries = append(g.at, len(r.entries)), append(r.entries, e)
		}
	}
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
	for i := range e.edits {
		key = append(key, e.edits[i].key)
	}
	return string(jsontree.Append(nil, jsontree.Texts(key)))
}

// findHomes finds the edits that a group above shows already.
func (r *Report) findHomes() {
	home := map[[2]string]int{} // by server and edit
	for i, g := range r.groups {
		for _, e := range g.entries {
			for j := range e.edits {
				ed := &e.edits[j]
				if ed.minor() || ed.shortSides() != "" { // that is shorter than a reference
					continue
				}
				key := [2]string{e.Server, ed.key}
				if home[key] == 0 {
					home[key] = i + 1
				}
				if home[key] != i+1 {
					ed.home = home[key]
				}
			}
		}
	}
}

// joinRepeats joins the groups that say nothing new: what they have stands in the same groups above, or is
// minor. The numbers of homes stay right, for all of these come before what is joined behind them.
func (r *Report) joinRepeats() {
	kept, moved := []*group(nil), map[int]int{}
	of := map[string]*group{}
	for i, g := range r.groups {
		if key := g.repeats(); key != "" {
			if same := of[key]; same != nil {
				same.entries = append(same.entries, g.entries...)
				continue
			}
			of[key] = g
		}
		kept = append(kept, g)
		moved[i+1] = len(kept)
	}
	r.groups = kept
	for _, g := range kept {
		for _, e := range g.entries {
			for j := range e.edits {
				e.edits[j].home = moved[e.edits[j].home]
			}
		}
	}
}

// repeats is equal for groups that say nothing new, and the same; "" for one that does.
func (g *group) repeats() string {
	first := g.first()
	if first.Kind != pin.Changed || len(first.edits) == 0 || first.warned() || first.class <= rankStrong || slices.ContainsFunc(first.fresh, func(f lint.Finding) bool { return slices.Contains(joinedNotes, f.ID) }) {
		return ""
	}
	key := []string{first.Server, pin.EntryTypeInfo[first.Type].Entry}
	for i := range first.edits {
		switch e := &first.edits[i]; {
		case e.minor():
		case e.home == 0:
			return ""
		default:
			key = append(key, e.key)
		}
	}
	return string(jsontree.Append(nil, jsontree.Texts(key)))
}
