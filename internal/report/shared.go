package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/label"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/rank"
	"pinproof/internal/text"
)

const (
	leastShared = 3 // the minimum number of entries that share a change
	// Shared changes are found in a review of at most this many entries, because nobody reads a longer one whole.
	mostShared = 2_000
)

// A SharedChanges is a set of changes that several entries of a server have in common. They are printed once, before all
// blocks.
type SharedChanges struct {
	Number   int // numbered in one sequence with the blocks
	Server   int // index of Model.Servers
	Names    string
	Count    string // "21 tools"
	NewCount string // " and 2 new", or ""
	Rows     []Row

	Breaking bool // "breaking" is printed for it
	IsLate   bool // it is printed after all blocks, because nothing uses what changed

	entries []*drifted
	changes []*change // the changes of all entries
	rank    int
	breaks  []*change // the first entry's changes that break callers
}

// shares reports whether the review prints shared changes once.
func (r *Report) shares() bool { return !r.Bounded && len(r.entries) <= mostShared }

// isPart reports whether a pointer leads to a parameter, to a definition of a schema or to _meta.
func isPart(pointer string) bool {
	isOfInput := strings.HasPrefix(pointer, "/inputSchema/properties/") || strings.HasPrefix(pointer, "/inputSchema/$defs/")
	return pointer == "/_meta" || isOfInput && strings.Count(pointer, "/") == 3
}

// findKeys sets the keys by which equal changes in other entries are found. It also adds the parts of a new
// definition: its parameters, definitions and _meta.
func (d *describer) findKeys() {
	// Quoting keeps the keys of different rows different.
	key := func(row Row) string { return fmt.Sprintf("%q %d %#v", d.Server, d.Type, row) }
	partOf := func(at string) Row {
		return d.part(Row{Op: '!', Word: "new", DefinitionLine: DefinitionLine{Place: d.place(1, at)}, Pointer: text.QuoteWholePointer(at)}, '=', d.at[1][at])
	}
	for _, c := range d.changes {
		if c.unseen || d.RenamedFrom+d.RenamedTo != "" {
			continue
		}
		c.key = key(c.row)
		if c.cameWhole && isPart(c.at) {
			c.part = key(partOf(c.at))
		}
	}
	if d.Kind != pin.DriftAdded {
		return
	}
	for i, line := range d.whole[0].Lines {
		// In a renamed entry, the phrases of parameters contain marks.
		if isPart(line.pointer) && (d.RenamedFrom == "" || strings.HasPrefix(line.pointer, "/inputSchema/$defs/") && strings.HasPrefix(line.Phrase, "+")) {
			row := partOf(line.pointer)
			d.parts = append(d.parts, &change{of: d.drifted, at: line.pointer, isPart: true, line: i, row: row, part: key(row)})
		}
	}
}

// isLong reports whether a part of a definition is long enough to be printed once, before all blocks: it has a text, or
// several lines.
func (c *change) isLong() bool {
	const leastInside = 3
	return c.row.Text != nil || len(c.row.Lines) > leastInside || c.at == "/_meta"
}

// findShared finds the changes that at least leastShared entries of a server have, and sorts them.
func (r *Report) findShared() {
	same := map[string][]*change{}
	keys := map[string]string{} // change.key by change.part
	var order []string
	add := func(key string, c *change) {
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], c)
	}
	for _, e := range r.entries {
		for _, c := range e.changes {
			if c.key != "" {
				add(c.key, c)
			}
			if c.part != "" {
				keys[c.part] = c.key
			}
		}
	}
	for _, e := range r.entries {
		for _, c := range e.parts {
			if key := keys[c.part]; key != "" || c.isLong() {
				add(cmp.Or(key, c.part), c)
			}
		}
	}
	sets := map[string]*SharedChanges{} // by the entries
	for _, key := range order {
		all := same[key]
		if len(all) < leastShared {
			continue
		}
		var entries []*drifted
		for _, c := range all {
			entries = append(entries, c.of)
		}
		who := fmt.Sprint(entries) // their addresses
		set := sets[who]
		if set == nil {
			set = &SharedChanges{entries: entries, rank: rankLast}
			sets[who] = set
			r.shared = append(r.shared, set)
		}
		set.Rows = append(set.Rows, all[0].row)
		set.rank = min(set.rank, all[0].rank())
		if c := all[0]; c.breaks {
			set.breaks = append(set.breaks, c)
		}
		set.changes = append(set.changes, all...)
		for _, c := range all {
			c.shared = set
		}
	}
	kinds := map[entryKind][]*drifted{}
	for _, e := range r.entries {
		kinds[e.kind()] = append(kinds[e.kind()], e)
	}
	for _, s := range r.shared {
		s.Server = r.places[s.entries[0].Server]
		s.IsLate = s.rank == rankUnused
		s.Breaking = s.breaks != nil && r.release != ""
		s.Count, s.NewCount, s.Names = who(s.entries, kinds[s.entries[0].kind()])
	}
	slices.SortStableFunc(r.shared, func(a, b *SharedChanges) int {
		return cmp.Or(lint.BoolToInt(a.IsLate)-lint.BoolToInt(b.IsLate), a.Server-b.Server, a.rank-b.rank, len(b.entries)-len(a.entries))
	})
}

// Changes of rankUnused are printed after all blocks. Among the others, parts of new definitions come last.
const (
	rankUnused = 5
	rankLast   = 9
)

// rank returns the rank of a change: the lowest is read first. It depends on whether the change is the reason why its
// entry is read first, then on sentences like prompt injection, then on whether the change breaks callers.
func (c *change) rank() int {
	if c.isPart {
		return rankLast
	}
	if c.of.Class.IsReadFirst() && c.isWhy() {
		return 0
	}
	score, isRead := c.of.scoreAt(c.at)
	if isRead && score >= rank.MarkThreshold {
		return 1
	}
	if c.label == label.UnusedSchemaChanged && !isRead {
		return rankUnused
	}
	if c.breaks {
		return 2
	}
	if c.label == label.TextChanged {
		return 3
	}
	return 4
}

// scoreAt returns the highest score of the new sentences at a place and below it. It returns false if there is none.
func (e *drifted) scoreAt(pointer string) (score int, isRead bool) {
	if e.scores == nil {
		e.scores = map[string]int{}
		for _, s := range e.NewSentences {
			for at := s.Pointer; ; at = above(at) {
				if before, known := e.scores[at]; !known || s.Score > before {
					e.scores[at] = s.Score
				}
				if at == "" {
					break
				}
			}
		}
	}
	score, isRead = e.scores[pointer]
	return score, isRead
}

// An entryKind is the server, type and kind of entries. Shared changes are counted among the entries of one entryKind.
type entryKind struct {
	server string
	of     pin.EntryType
	kind   pin.DriftKind
}

func (e *drifted) kind() entryKind { return entryKind{e.Server, e.Type, e.Kind} }

// who describes the entries in list. count is the number of those of the same kind as the first one, and also is the
// number of the others, which are new. names lists the former or, if there are far fewer of these, the other entries of
// the same kind in all: "all but a, b".
func who(list, all []*drifted) (count, also, names string) {
	first := list[0]
	kind := pin.EntryTypeInfo[first.Type].Entry
	if first.Kind == pin.DriftAdded {
		kind = "new " + kind
	}
	isListed := map[*drifted]bool{}
	for _, e := range list {
		isListed[e] = true
	}
	isFew := len(all) > 2*len(list)
	if isFew {
		// There are more other entries than listed ones, so the listed ones are named.
		all = list
	}
	var said, others []string
	for _, e := range all {
		switch {
		case e.kind() != first.kind():
		case isListed[e]:
			said = append(said, text.QuoteName(e.Name))
			delete(isListed, e) // named once
		default:
			others = append(others, text.QuoteName(e.Name))
		}
	}
	if n := len(list) - len(said); n > 0 {
		also = " and " + text.FormatNumber(n) + " new"
	}
	count = text.FormatCount(len(said), kind)
	if !isFew && others == nil && len(said) > 1 {
		if first.Kind == pin.DriftChanged {
			count = text.FormatCount(len(said), "changed "+kind)
		}
		return "all " + count, also, ""
	}
	if !isFew && len(others)*2 < len(said) {
		return count, also, "all but " + strings.Join(others, ", ")
	}
	return count, also, strings.Join(said, ", ")
}

// SharedNumbers lists the numbers of a block's shared changes that are in told, or of all if told is nil.
func (b *ReviewBlock) SharedNumbers(told map[int]bool) string {
	var has []int
	for i := range b.Rows {
		for _, l := range append(b.Rows[i].Lines, b.Rows[i].DefinitionLine) {
			if l.SharedNumber > 0 && !l.AlwaysPrinted && (told == nil || told[l.SharedNumber]) {
				has = append(has, l.SharedNumber)
			}
		}
	}
	slices.Sort(has)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(slices.Compact(has)), " ", ", "), "[]")
}

// HasNothingElse reports whether a block has only minor changes and shared changes that were printed (told; nil means
// all).
func (b *ReviewBlock) HasNothingElse(told map[int]bool) bool {
	if b.Kind != string(pin.DriftChanged) || b.Note != "" {
		return false
	}
	if b.Severity == label.Breaking.String() && b.SharedNumbers(told) == "" {
		return false // its title says that it is breaking, which no printed shared change says
	}
	return !slices.ContainsFunc(b.Rows, func(row Row) bool {
		return !row.Minor && !(told[row.SharedNumber] || told == nil && row.SharedNumber > 0)
	})
}
