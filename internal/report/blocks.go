package report

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pinproof/internal/diff"
	"pinproof/internal/facts"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
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

	// Says where a sentence of it was before, or "".
	moved string

	// For an added parameter: where an equal one was removed, a JSON Pointer; or "".
	renamedFrom string

	// For added alternatives: 1 + the index of the one that equals the whole old schema; 0 if none does.
	asBefore int

	marked bool    // the definition below shows it with marks
	letter *letter // the letter under which it is told once; or nil

	// The group above that shows this edit; nil if its own group does.
	home *group
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

// findMoves finds sentences that were removed in one place and added in another.
func (e *drifted) findMoves() {
	gone := map[string]string{} // by sentence, the pointer to its text
	for side := range 2 {
		for _, ed := range e.edits {
			for _, s := range ed.side(side) {
				if from, was := gone[s]; side == 0 {
					gone[s] = ed.Pointer
				} else if was && from != ed.Pointer {
					ed.moved = "moved from " + e.place(0, from)
				}
			}
		}
	}
}

// side lists the sentences that an edit took away (0) or added (1).
func (ed *edit) side(side int) (list []string) {
	whole := [2]string{ed.Old.Text, ed.New.Text}[side]
	if ed.Sentences != nil {
		whole = ""
		for _, s := range ed.Sentences {
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
	// If its entries changed in different ways, without a new text and without a new risk: a group for
	// each way. Each of these is accepted by itself.
	parts []*group

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
	wordless := findWordless(all)
	findHomes(all, wordless)
	r.groups = share(join(joinRenames(all), (*group).repeats), wordless)
	r.entries = nil
	for i, g := range r.groups {
		g.number = i + 1
		for _, e := range g.entries {
			g.at = append(g.at, len(r.entries))
			r.entries = append(r.entries, e)
		}
		from := 0
		for _, part := range g.parts {
			part.number = g.number
			part.at = g.at[from : from+len(part.entries)]
			from += len(part.entries)
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

// findWordless finds the entries that changed without a risk, and without a sentence that was added or removed, except
// sentences that groups above show.
func findWordless(groups []*group) map[*drifted]bool {
	wordless := map[*drifted]bool{}
	shown := map[[2]string]bool{} // by server and by new sentence or key of an edit
	for _, g := range groups {
		first := g.first()
		if first.isWordless(shown) {
			for _, e := range g.entries {
				wordless[e] = true
			}
			continue
		}
		for _, s := range first.NewSentences {
			shown[[2]string{first.Server, s.Text}] = true
		}
		for _, ed := range first.edits {
			shown[[2]string{first.Server, ed.key}] = true
		}
	}
	return wordless
}

// isWordless reports whether an entry is one that findWordless finds, if shown is what the groups above show.
func (e *drifted) isWordless(shown map[[2]string]bool) bool {
	if e.Kind != pin.Changed || e.Class.First() || e.Minor || e.Unexplained || len(e.edits) == 0 || len(e.Fresh) > 0 {
		return false
	}
	for _, s := range e.NewSentences {
		if !shown[[2]string{e.Server, s.Text}] {
			return false
		}
	}
	for _, ed := range e.edits {
		says := ed.Label == label.Wording || ed.Compared || ed.unseen != "" || hasSentence(ed.Old)
		if says && !ed.Minor() && !shown[[2]string{e.Server, ed.key}] {
			return false
		}
	}
	return true
}

// hasSentence reports whether a text in a value may be more than a word: it has a blank, or isn't ASCII.
func hasSentence(v jsontree.Value) bool {
	if v.Kind == '"' && strings.IndexFunc(v.Text, func(c rune) bool { return c <= ' ' || c >= utf8.RuneSelf }) >= 0 {
		return true
	}
	return slices.ContainsFunc(v.Parts, func(part jsontree.Member) bool { return hasSentence(part.Value) })
}

// share makes one group of the wordless groups of a server and type. It is where the last of them was, so that all
// they refer to is above.
func share(groups []*group, wordless map[*drifted]bool) (shared []*group) {
	of := map[string][]*group{}
	kindOf := func(g *group) string {
		return keyOf([]string{g.first().Server, pin.EntryTypeInfo[g.first().Type].Entry})
	}
	for _, g := range groups {
		if wordless[g.first()] {
			of[kindOf(g)] = append(of[kindOf(g)], g)
		}
	}
	for _, g := range groups {
		parts := of[kindOf(g)]
		if !wordless[g.first()] || len(parts) < 2 {
			shared = append(shared, g)
			continue
		}
		if g != parts[len(parts)-1] {
			continue
		}
		one := &group{parts: parts}
		for _, part := range parts {
			one.entries = append(one.entries, part.entries...)
		}
		shared = append(shared, one)
	}
	return shared
}

// findHomes finds the edits that a group above shows already. Nothing refers to wordless entries: a group shows several
// of them that differ.
func findHomes(groups []*group, wordless map[*drifted]bool) {
	home := map[[2]string]*group{} // by server and edit
	for _, g := range groups {
		for _, e := range g.entries {
			for _, ed := range e.edits {
				if ed.Minor() || ed.shortSides() != "" { // a short change is shorter than a reference
					continue
				}
				key := [2]string{e.Server, ed.key}
				if home[key] == nil && !wordless[e] {
					home[key] = g
				}
				if home[key] != g {
					ed.home = home[key]
				}
			}
		}
	}
}

// repeats returns a key that is equal for groups that say nothing new, and the same: all their
// edits are minor or shown in groups above. It returns "" for a group that says something new.
func (g *group) repeats() string {
	first := g.first()
	if first.Kind != pin.Changed || len(first.edits) == 0 || first.Class.First() || first.Noted("new-address") {
		return ""
	}
	key := []string{first.Server, pin.EntryTypeInfo[first.Type].Entry}
	for _, e := range first.edits {
		switch {
		case e.Minor():
		case e.home == nil:
			return ""
		default:
			key = append(key, e.key)
		}
	}
	return keyOf(key)
}
