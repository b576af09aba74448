package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/rank"
	"pinproof/internal/signature"
	"pinproof/internal/text"
)

const (
	leastShared = 3     // how many entries must have a change, for it to be told once, before all blocks
	mostShared  = 2_000 // how many entries a review with such changes can have: nobody reads a longer one whole
)

// A Shared is what the same entries of a server have in common: changes that are told once, before all blocks.
type Shared struct {
	Number int // in one sequence with those of the blocks
	Server int // index of Model.Servers
	Names  string
	Count  string // "21 tools"
	Also   string // " and 2 new", or ""
	Rows   []Row

	Breaking bool // that it breaks callers is printed
	Late     bool // it is told after all blocks: nothing uses it
	breaks   bool
}

// A sharedSet collects the changes of the same entries.
type sharedSet struct {
	entries []*drifted
	edits   []*edit          // of the first entry
	added   map[*drifted]int // new entries, and how many of the changes brought what they have, too
	parts   []string         // of new definitions
	inAll   bool             // every entry of their kind is among them
	rank    int
	told    Shared
}

// A sameChange is a change that reads the same in several entries.
type sameChange struct {
	entries []*drifted
	edits   []*edit    // nil: it is a part of new definitions
	part    string     // the pointer of that
	added   []*drifted // new entries that have the value that was added, too
	at      string     // where
}

// findParts finds the longer parts of a new definition: a parameter, or a member next to them.
func (r *Report) findParts(e *drifted, changes, parts map[string]*sameChange, order *[]string) {
	for _, ed := range e.edits {
		// What a renamed entry got, except its parameters.
		c := parts[partKey(e, ed.Pointer, ed.New, false)]
		if e.RenamedFrom != "" && strings.HasPrefix(ed.Pointer, "/inputSchema/$defs/") && ed.Old.Kind == 0 && c != nil && len(c.entries) > 0 {
			c.added = append(c.added, e)
		}
	}
	if e.Kind != pin.Added || e.RenamedFrom != "" || e.Captured == nil || e.Captured.Definition == nil {
		return
	}
	tree := e.tree(1)
	lines := signature.Of(e.Type, tree)
	for i := range lines {
		at := lines[i].Pointer
		end := i + 1
		for end < len(lines) && strings.HasPrefix(lines[end].Pointer+"/", at+"/") {
			end++
		}
		if !isPart(at) || lines[i].Rest {
			continue
		}
		if c := parts[partKey(e, at, valueAt(tree, at), lines[i].Required)]; c != nil && len(c.entries) > 0 {
			c.added = append(c.added, e)
			continue
		}
		if !hasText(lines[i:end]) && end-i <= leastInside && at != "/_meta" {
			continue
		}
		key := keyOf([]string{e.Server, strconv.Itoa(int(e.Type)), "part", at, string(jsontree.Append(nil, lines[i].Whole)), string(jsontree.Append(nil, lines[i].Text)), strconv.FormatBool(lines[i].Required)})
		if changes[key] == nil {
			changes[key] = &sameChange{part: at}
			*order = append(*order, key)
		}
		changes[key].entries = append(changes[key].entries, e)
		changes[key].edits = append(changes[key].edits, nil)
	}
}

// isPart reports whether a pointer leads to a parameter, to a definition of a schema or to _meta.
func isPart(pointer string) bool {
	isOfInput := strings.HasPrefix(pointer, "/inputSchema/properties/") || strings.HasPrefix(pointer, "/inputSchema/$defs/")
	return pointer == "/_meta" || isOfInput && strings.Count(pointer, "/") == 3
}

// partKey returns a key that is equal for equal values at the same place.
func partKey(e *drifted, pointer string, v jsontree.Value, required bool) string {
	return keyOf([]string{e.Server, strconv.Itoa(int(e.Type)), pointer, string(jsontree.Append(nil, v)), strconv.FormatBool(required)})
}

// partRow makes the row of a part of new definitions.
func (m *rowMaker) partRow(e *drifted, pointer string) Row {
	about := slices.Clone(e.about(1, pointer))
	for i := len(about) - 1; i >= 0; i-- {
		about[i].Depth -= about[0].Depth
	}
	row := Row{Op: '!', Word: "new", Place: e.place(1, pointer), Pointer: text.WholePointer(pointer)}
	row.Lines = m.lines(e.Type, e.tree(1), '=', about)
	row.Detail = row.Lines[0].Phrase
	row.Lines[0].Name, row.Lines[0].Phrase, row.Lines[0].Brief = "", "", ""
	if len(row.Lines[0].Text) == 0 && row.Lines[0].As == "" {
		row.Lines = row.Lines[1:]
	}
	for i := range row.Lines {
		row.Lines[i].Depth = max(0, row.Lines[i].Depth-1)
	}
	return row
}

// findShared finds the changes that at least leastShared entries of a server have, and sorts them.
func (r *Report) findShared() {
	alone := (&rowMaker{}).alone()
	changes := map[string]*sameChange{}
	parts := map[string]*sameChange{} // by what was added, and where
	var order []string
	for _, e := range r.entries {
		for _, ed := range e.edits {
			if ed.Minor() || ed.unseen != "" || e.RenamedFrom+e.RenamedTo != "" {
				continue
			}
			key := keyOf([]string{e.Server, strconv.Itoa(int(e.Type)), fmt.Sprint(alone.alone().edit(e, ed))})
			if changes[key] == nil {
				changes[key] = &sameChange{}
				order = append(order, key)
			}
			changes[key].entries = append(changes[key].entries, e)
			c := changes[key]
			c.edits = append(c.edits, ed)
			if ed.Old.Kind == 0 && ed.From == "" {
				c.at = ed.Pointer
				parts[partKey(e, ed.Pointer, ed.New, ed.Label == label.NewRequired)] = c
			}
		}
		e.signed = [2]signed{}
	}
	for _, e := range r.entries {
		r.findParts(e, changes, parts, &order)
		e.signed = [2]signed{}
	}
	sets := map[string]*sharedSet{} // by the entries
	for _, key := range order {
		c := changes[key]
		if len(c.entries)+len(c.added) < leastShared {
			continue
		}
		who := ""
		for _, e := range c.entries {
			who += fmt.Sprintf("%p ", e)
		}
		set := sets[who]
		if set == nil {
			set = &sharedSet{entries: c.entries, rank: 9}
			sets[who] = set
			r.shared = append(r.shared, set)
		}
		for _, e := range c.added {
			e.setPart(c.at, set)
			if set.added == nil {
				set.added = map[*drifted]int{}
			}
			set.added[e]++
		}
		if c.edits[0] == nil {
			set.parts = append(set.parts, c.part)
			for _, e := range c.entries {
				e.setPart(c.part, set)
			}
			continue
		}
		set.edits = append(set.edits, c.edits[0])
		set.rank = min(set.rank, c.rank())
		set.told.breaks = set.told.breaks || c.edits[0].Severity == label.Breaking
		for i, ed := range c.edits {
			ed.shared = set
			ed.sharedBy = c.entries[i]
		}
	}
	slices.SortStableFunc(r.shared, func(a, b *sharedSet) int {
		return cmp.Or(r.places[a.entries[0].Server]-r.places[b.entries[0].Server], a.rank-b.rank, len(b.entries)-len(a.entries))
	})
}

// rankUnused is the rank of what is told after all blocks.
const rankUnused = 5

// rank is smaller for what is worth reading first: what is why an entry is, what reads like poison, what breaks callers.
func (c *sameChange) rank() int {
	e, ed := c.entries[0], c.edits[0]
	if e.Class.First() && e.Why.Pointer == ed.Pointer {
		return 0
	}
	isRead := false
	for _, s := range e.NewSentences {
		if strings.HasPrefix(s.Pointer, ed.Pointer) {
			isRead = true
			if s.Score >= rank.Marked {
				return 1
			}
		}
	}
	if ed.Label == label.UnusedDefinition && !isRead {
		return rankUnused
	}
	if ed.Severity == label.Breaking {
		return 2
	}
	if ed.Label == label.Wording {
		return 3
	}
	return 4
}

// tell makes the rows of what is shared.
func (r *Report) tell(m *Model, rows *rowMaker) {
	for _, set := range r.shared {
		e := set.entries[0]
		s := &set.told
		s.Server = r.places[e.Server]
		rows.block = s.Number
		at := map[string]int{} // the row, by the content of a change without its place
		for _, ed := range set.edits {
			alone := rows.alone().edit(ed.sharedBy, ed)
			place, pointer := alone.Place, alone.Pointer
			alone.Place, alone.Pointer = "", ""
			if i, seen := at[fmt.Sprint(alone)]; seen {
				s.Rows[i].Place += ", " + place
				s.Rows[i].Pointer += ", " + pointer
				continue
			}
			at[fmt.Sprint(alone)] = len(s.Rows)
			s.Rows = append(s.Rows, rows.edit(ed.sharedBy, ed))
		}
		for _, part := range set.parts {
			s.Rows = append(s.Rows, rows.partRow(e, part))
		}
		e.signed = [2]signed{}
		s.Rows = together(listUnused(s.Rows))
		rows.markFirst(e, s.Rows)
		s.Count, s.Names = r.who(set.entries)
		set.inAll = strings.HasPrefix(s.Count, "all ")
		if s.breaks && r.release != "" {
			s.Breaking = true
		}
		n := 0
		for _, has := range set.added {
			n += lint.RankOf(has == len(set.edits))
		}
		if n > 0 {
			s.Also += " and " + text.Number(n) + " new"
		}
		m.Shared = append(m.Shared, *s)
	}
}

// who counts entries of one server, type and kind, and names them, or those that aren't among them if these are fewer.
func (r *Report) who(list []*drifted) (count, names string) {
	first := list[0]
	kind := pin.EntryTypeInfo[first.Type].Entry
	if first.Kind == pin.Added {
		kind = "new " + kind
	}
	var others []string
	all := 0
	for _, e := range r.entries {
		if e.Server == first.Server && e.Type == first.Type && e.Kind == first.Kind {
			all++
			if !slices.Contains(list, e) {
				others = append(others, text.Name(e.Name))
			}
		}
	}
	count = text.Count(len(list), kind)
	if others == nil && all > 1 {
		if first.Kind == pin.Changed {
			count = text.Count(len(list), "changed "+kind)
		}
		return "all " + count, ""
	}
	if len(others)*2 < len(list) {
		return count, "all but " + strings.Join(others, ", ")
	}
	var said []string
	for _, e := range list {
		said = append(said, text.Name(e.Name))
	}
	return count, strings.Join(said, ", ")
}

// setPart notes that shared changes tell a part of a new definition.
func (e *drifted) setPart(pointer string, set *sharedSet) {
	if e.parts == nil {
		e.parts = map[string]*sharedSet{}
	}
	e.parts[pointer] = set
}

// maxOwn is how many entries that break callers by themselves the head of a review names.
const maxOwn = 3

// Breaks describes in a few words what breaks callers: in several entries, "new, required connectionId in 21 tools", and
// which other entries do.
func (m *Model) Breaks() (list []string) {
	shared := map[string]bool{}
	for i := range m.Shared {
		if s := &m.Shared[i]; s.breaks {
			shared[strconv.Itoa(s.Number)] = true
			var said []string
			for _, row := range s.Rows {
				said = append(said, row.Word+": "+strings.TrimPrefix(row.Place, "arguments."))
			}
			list = append(list, strings.Join(said, "; ")+" in "+s.Count+" ("+strconv.Itoa(s.Number)+")")
		}
	}
	var others []string
	for i := range m.Blocks {
		b := &m.Blocks[i]
		breaks := func(entry int) bool { return m.Entries[entry].Severity == label.Breaking.String() }
		if slices.ContainsFunc(b.Entries, breaks) && !slices.ContainsFunc(b.And(nil, true), func(n string) bool { return shared[n] }) {
			others = append(others, b.Names[0]+" ("+strconv.Itoa(b.Number)+")")
		}
	}
	if others != nil && m.Release != "" {
		in := "in "
		if list != nil {
			in = "otherwise in "
		}
		list = append(list, in+text.List(others, maxOwn))
	}
	return list
}

// placed returns the number under which a reader finds the content of a block: of shared changes if there is nothing else.
func (m *Model) placed(number int) int {
	all := map[int]bool{}
	for i := range m.Shared {
		all[m.Shared[i].Number] = true
	}
	b := m.Block(number)
	if and := b.And(all, true); and != nil && b.HasNothingElse(all) {
		number, _ = strconv.Atoi(and[0])
	}
	return number
}

// Block returns the block with a number.
func (m *Model) Block(number int) *Block {
	if number > m.Warned {
		for i := range m.Shared {
			if !m.Shared[i].Late {
				number--
			}
		}
	}
	return &m.Blocks[number-1]
}

// And lists the shared changes that a block has, of those that were told; nil: of all. Without all, it leaves out what
// every entry of its kind has.
func (b *Block) And(told map[int]bool, all bool) (list []string) {
	var has []int
	for i := range b.Rows {
		if all || !b.Rows[i].InAll {
			has = append(has, b.Rows[i].Shared)
		}
		for j := range b.Rows[i].Lines {
			if l := &b.Rows[i].Lines[j]; all || !l.InAll {
				has = append(has, l.Shared)
			}
		}
	}
	slices.Sort(has)
	for _, n := range slices.Compact(has) {
		if n > 0 && (told == nil || told[n]) {
			list = append(list, strconv.Itoa(n))
		}
	}
	return list
}

// HasNothingElse reports whether a block has nothing but what is minor and the shared changes that were told; nil: all of them.
func (b *Block) HasNothingElse(told map[int]bool) bool {
	if b.Kind != string(pin.Changed) || b.Note != "" {
		return false
	}
	if b.Severity == label.Breaking.String() && b.And(told, true) == nil {
		return false // its title shows that
	}
	return !slices.ContainsFunc(b.Rows, func(row Row) bool { return !row.Minor && !(told[row.Shared] || told == nil && row.Shared > 0) })
}
