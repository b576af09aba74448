package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/layout"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/rank"
	"pinproof/internal/signature"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// A rowMaker makes the rows of all blocks, in order. It knows what the blocks above have shown.
type rowMaker struct {
	block int

	// Where each longer text and schema was shown.
	shown map[string]spot

	// For marks in the texts of definitions that are shown whole, and for sentences to mark.
	budget *effort.Budget

	quiet bool // nothing refers to what it shows
}

// searchCost is what searching a line for a sentence to mark costs besides its bytes. A thousand sentences in a thousand
// copies of a tool are a million searches. A sentence that isn't searched for gets no mark.
const searchCost = 32

// A spot is where a text or a schema was shown: a place in the entries of a block.
type spot struct {
	block int
	place string
}

// minRepeat is how many bytes of JSON a text must have to be shown only once, and minText how many to be told with others.
const (
	minRepeat = 200
	minText   = 40
)

// rows lists the rows of a group: its findings, then its edits or its definitions.
func (m *rowMaker) rows(g *group) (rows []Row, summed string) {
	m.block = g.number
	e := g.first()
	named := len(g.entries)
	if g.renamed() {
		named = 1
	}
	for _, f := range g.findings {
		rows = append(rows, findingRow(f, named))
	}
	findings := len(rows)
	wholes := m.wholes(e)
	edits := slices.Clone(e.edits)
	slices.SortStableFunc(edits, func(a, b *edit) int {
		return lint.RankOf(b.Pointer == e.Why.Pointer) - lint.RankOf(a.Pointer == e.Why.Pointer)
	})
	for _, ed := range edits {
		switch {
		case ed.Minor(), ed.marked:
		// Its whole definition is below: references lead there, and never to this row.
		case ed.shared != nil:
			row := m.alone().edit(e, ed)
			row.Shared = ed.shared.told.Number
			row.InAll = ed.shared.inAll
			rows = append(rows, row)
		case e.RenamedFrom != "":
			rows = append(rows, m.alone().edit(e, ed))
		default:
			rows = append(rows, m.edit(e, ed))
		}
	}
	rows = append(rows[:findings], together(listUnused(rows[findings:]))...)
	rows = append(rows, wholes...)
	minor, summed := m.minor(g)
	rows = append(rows, minor...)
	m.markFirst(e, rows[findings:])
	e.signed = [2]signed{}
	return rows, summed
}

// minor makes the rows of changes that are summed up.
func (m *rowMaker) minor(g *group) (rows []Row, summed string) {
	var list []*edit
	alone := m.alone() // nothing may refer to what is summed up
	for _, e := range g.entries {
		for _, ed := range e.edits {
			_, turned := e.turned(ed)
			if !ed.Minor() && turned == "" {
				continue
			}
			row := alone.edit(e, ed)
			if ed.Minor() {
				list = append(list, ed)
			} else {
				row = follows(e, ed)
			}
			row.Minor = true
			row.Op = '~'
			rows = append(rows, row)
		}
	}
	return rows, labelCounts(list)
}

// alone returns a rowMaker for which nothing is above.
func (m *rowMaker) alone() *rowMaker {
	return &rowMaker{block: m.block, shown: map[string]spot{}, budget: m.budget}
}

// notStored is printed in place of a definition.
const notStored = "its definition was not stored (hashOnly)"

// wholes makes the rows of definitions that are shown whole. That of an entry that is gone is shown as it was pinned,
// any other as it is now.
func (m *rowMaker) wholes(e *drifted) (rows []Row) {
	list := e.Definitions()
	op := byte('+')
	if e.KindAlone() || e.RenamedTo != "" || (e.Kind == pin.Changed || e.Kind == pin.Hidden) && e.TextsKnown() {
		return nil
	}
	if e.Kind == pin.Removed {
		list = []pin.Pin{*e.Locked}
		op = '-'
	}
	for i := range list {
		row := Row{Op: op, Minor: e.Kind == pin.Removed}
		if e.Kind == pin.Duplicate || e.Kind == pin.Removed {
			// A reference into one of several definitions, or to a definition that isn't shown, would mislead.
			m = m.alone()
		}
		if e.Kind == pin.Duplicate {
			row.Word = short(list[i].Digest)
		}
		if list[i].Definition == nil {
			row.Detail = notStored
		} else {
			tree := list[i].Shown()
			signed := signature.Of(e.Type, tree)
			row.Lines = m.lines(e.Type, tree, '=', signed)
			m.mark(e, signed, row.Lines)
			for j := range row.Lines {
				l := &row.Lines[j]
				set := e.parts[signed[j].Pointer]
				if set == nil || signed[j].Rest || e.Kind != pin.Added {
					continue
				}
				l.Home = set.told.Number
				l.As = "as in " + text.Number(l.Home)
				l.Brief = ""
				l.Skip = 0
				for k := j + 1; k < len(signed) && strings.HasPrefix(signed[k].Pointer+"/", signed[j].Pointer+"/"); k++ {
					l.Skip++
				}
				if !strings.Contains(signed[j].Pointer, "/properties/") {
					l.Shared = l.Home // a parameter keeps its name here
					l.InAll = set.inAll && set.entries[0].Kind == pin.Added
				}
			}
		}
		if e.Kind == pin.Added && e.RenamedFrom == "" {
			row.Lines = briefResults(row.Lines)
		}
		rows = append(rows, row)
	}
	return rows
}

// briefResults makes a line of all parts of a new result that follow each other and have no text and nothing below: what a
// reviewer looks for there is texts and listed values. A part that isn't required has a question mark.
func briefResults(lines []Line) (brief []Line) {
	from := slices.IndexFunc(lines, func(l Line) bool { return l.Result != "" })
	if from < 0 {
		return lines
	}
	brief = slices.Clone(lines[:from])
	var parts []string // "name, size: string"
	kind := ""
	depth := 0
	flush := func() {
		if parts != nil {
			brief = append(brief, Line{Depth: depth, Phrase: strings.Join(parts, "; ")})
		}
		parts = nil
		kind = ""
	}
	for i := from; i < len(lines); i++ {
		l := lines[i]
		isLeaf := i+1 == len(lines) || lines[i+1].Depth <= l.Depth
		if l.Result == "" || !isLeaf || l.Text != nil || l.As != "" || l.Depth == 0 || i == from {
			flush()
			brief = append(brief, l)
			continue
		}
		if l.Depth != depth {
			flush()
		}
		depth = l.Depth
		name := l.Name
		if l.IsOptional {
			name += "?"
		}
		if n := len(parts); kind == l.Result && n > 0 {
			parts[n-1] = strings.TrimSuffix(parts[n-1], ": "+kind) + ", " + name + ": " + kind
			continue
		}
		kind = l.Result
		parts = append(parts, name+": "+kind)
	}
	flush()
	return brief
}

// mark marks what differs in the texts of a renamed entry's definition. An edit that is marked needs no row.
func (m *rowMaker) mark(e *drifted, signed []signature.Line, lines []Line) {
	if e.RenamedFrom == "" {
		return
	}
	texts := map[string]*edit{}
	came := map[string]*edit{}
	for _, ed := range e.edits {
		if ed.Old.Kind == 0 && ed.New.Kind != 0 && ed.unseen == "" {
			came[ed.Pointer] = ed
		}
		if ed.Compared && len(ed.Sentences) > 0 && ed.unseen == "" {
			texts[ed.Pointer] = ed
		}
	}
	for i := 0; i < len(lines); i++ {
		ed := cmp.Or(texts[signed[i].Pointer+"/description"], texts[signed[i].Pointer])
		if ed != nil && !signed[i].Rest && signed[i].Text.Kind == '"' && signed[i].Text.Text == ed.New.Text {
			ed.marked = true
			lines[i].Text = m.marks(ed.Old.Text, ed.New.Text)
			lines[i].As = ""
		}
		if ed := cmp.Or(came[signed[i].Pointer], came[above(signed[i].Pointer)]); ed != nil && !signed[i].Rest {
			ed.marked = true
			lines[i].Phrase = strings.TrimRight("+ "+lines[i].Phrase, " ")
			lines[i].Brief = strings.TrimRight("+ "+lines[i].Brief, " ")
			for j := i; j < len(lines) && (j == i || strings.HasPrefix(signed[j].Pointer+"/", signed[i].Pointer+"/")); j++ {
				lines[j].Text = layout.Value('+', signed[j].Text, true, false)
			}
		}
		if lines[i].As != "" {
			i += lines[i].Skip
		}
	}
}

// marks lays out a whole text, with marks at what differs.
func (m *rowMaker) marks(old, new string) []layout.Line {
	pieces := words.Words(m.budget, old, new)
	if pieces == nil || words.Rewritten(pieces) {
		return twoSides(jsontree.Text(old), jsontree.Text(new), layout.Confusable(old, new))
	}
	return layout.Words(pieces)
}

// edit makes the row of an edit.
func (m *rowMaker) edit(e *drifted, ed *edit) Row {
	row := Row{Op: '!', Word: ed.Label.Words(), Label: ed.Label.ID(), Place: e.place(ed.sideOf(), ed.Pointer), Pointer: text.WholePointer(ed.Pointer)}
	was := ""
	if ed.From != "" {
		was = "was " + e.wasAt(ed.From, row.Place)
	}
	row.Detail = joined("; ", ed.unseen, was)
	said := ed.shortSides()
	list := listLine(ed.Old, ed.New)
	places, turned := e.turned(ed)
	switch {
	case ed.Label == label.Layout:
		row.Detail = joined("; ", row.Detail, indentation(words.Indented(ed.Old.Text, ed.New.Text)))
	case turned != "":
		row.Place = places
		if strings.Contains(turned, ";") { // otherwise the label says it
			row.Detail = joined("; ", row.Detail, turned)
		}
	case ed.Old.Kind == 0 && ed.New.Kind == 0: // it only moved
		row.Detail = joined("; ", "moved", row.Detail)
	case ed.Compared && len(ed.Sentences) > 0:
		if ed.New.Text == "" {
			row.Detail = joined("; ", row.Detail, "now empty")
		}
		row.Lines = m.once(row.Place, ed)
	case list != nil && !ed.exact():
		row.Lines = []Line{{Text: list}}
	case said != "":
		row.Detail = joined("; ", row.Detail, said)
	case ed.exact() || ed.Old.Kind != 0 && ed.New.Kind != 0:
		row.Lines = []Line{{Text: twoSides(ed.Old, ed.New, ed.exact())}}
	default:
		m.oneSided(e, ed, &row)
	}
	return row
}

// indentation describes how the lines of a text were indented: a sign, then the blanks.
func indentation(by string) string {
	did := map[byte]string{'+': "gets", '-': "loses"}[by[0]]
	return "every line but the first " + did + " " + text.Blanks(by[1:]) + " at its start"
}

// together makes one row of all rows about a parameter, or about another part of a definition that has a description.
func together(rows []Row) (list []Row) {
	at := map[string]int{}
	for _, row := range rows {
		base, rest, _ := strings.Cut(row.Place, "/")
		if row.Names != "" || base == "" || strings.Contains(base, ", ") {
			list = append(list, row)
			continue
		}
		part := row
		part.Place = base
		part.Pointer = strings.TrimSuffix(row.Pointer, "/"+rest)
		if rest != "" && rest != "description" && len(row.Lines) > 0 {
			part.Lines = append([]Line{{Name: rest, Phrase: row.Detail}}, indented(row.Lines)...)
			part.Detail = ""
		} else if rest != "" && rest != "description" {
			part.Detail = strings.TrimRight(rest+" "+row.Detail, " ")
		}
		key := base + " " + strconv.Itoa(row.Shared)
		i, seen := at[key]
		if !seen {
			at[key] = len(list)
			list = append(list, part)
			continue
		}
		same := &list[i]
		if !slices.Contains(strings.Split(same.Word, ", "), row.Word) {
			same.Word += ", " + row.Word
		}
		same.Detail = joined("; ", same.Detail, part.Detail)
		same.Lines = append(same.Lines, part.Lines...)
	}
	return list
}

// indented returns lines one step further in.
func indented(lines []Line) []Line {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Depth++
	}
	return lines
}

// oneSided shows a value that was added or removed: in the lines of its definition's signature that are about it or, if
// there are no lines, as JSON.
func (m *rowMaker) oneSided(e *drifted, ed *edit, row *Row) {
	side := ed.sideOf()
	v := ed.New
	pointer := ed.Pointer
	if side == 0 {
		v = ed.Old
		pointer = cmp.Or(ed.From, ed.Pointer)
	}
	about := slices.Clone(e.about(side, pointer))
	for i := len(about) - 1; i >= 0; i-- {
		about[i].Depth -= about[0].Depth
	}
	sign := "-+"[side]
	if said := signature.Alternatives(pointer[strings.LastIndexByte(pointer, '/')+1:], v); about == nil && said != "" {
		row.Detail = joined("; ", row.Detail, string(sign)+" "+said)
		return
	}
	if about == nil {
		about = []signature.Line{{Text: v, Pointer: pointer}}
	}
	lines := m.lines(e.Type, e.tree(side), sign, about)
	came := string(sign)
	if slices.ContainsFunc(lines, func(l Line) bool { return l.Text != nil }) {
		came = "" // the gutter below says it
	}
	// The row's place shows what the first line is about, so it needs no name. In the place of a prompt's argument there
	// is only a number.
	if about[0].Pointer != pointer || strings.HasPrefix(pointer, "/arguments/") {
		row.Detail = joined("; ", row.Detail, came)
	} else {
		if lines[0].Phrase != "" {
			came = string(sign) + " " + lines[0].Phrase
		}
		row.Detail = joined("; ", row.Detail, came)
		lines[0].Name = ""
		lines[0].Phrase = ""
		lines[0].Brief = ""
		if len(lines[0].Text) == 0 && lines[0].As == "" {
			lines = lines[1:]
		}
		for i := range lines {
			lines[i].Depth = max(0, lines[i].Depth-1)
		}
	}
	row.Lines = lines
}

// A signed is a definition with its signature, and the index of the first line about each pointer.
type signed struct {
	tree  jsontree.Value
	lines []signature.Line
	first map[string]int
}

// tree returns the pinned (0) or the captured (1) definition. It is kept while the entry is worked on.
func (e *drifted) tree(side int) jsontree.Value {
	s := &e.signed[side]
	p := [2]*pin.Pin{cmp.Or(e.Previous, e.Locked), e.Captured}[side]
	if s.tree.Kind == 0 && p != nil && p.Definition != nil {
		s.tree = p.Shown()
	}
	return s.tree
}

// place describes for people where in the pinned (0) or the captured (1) definition something is.
func (e *drifted) place(side int, pointer string) string {
	if !strings.Contains(pointer, "Of/") {
		return placeOf(e.Type, pointer)
	}
	return placeIn(e.Type, e.tree(side), pointer)
}

// wasAt returns where in the pinned definition something was. now is its place today. If both places read alike, because a
// constant names the alternative on both sides, wasAt returns the steps of the pointer that name alternatives.
func (e *drifted) wasAt(pointer, now string) string {
	was := e.place(0, pointer)
	if was != now {
		return was
	}
	return strings.Join(alternativePattern().FindAllString(pointer, -1), "")
}

// sideOf returns the side that the pointer of an edit leads into: the pinned (0) or the captured (1) definition.
func (ed *edit) sideOf() int {
	if ed.New.Kind == 0 && ed.Old.Kind != 0 {
		return 0
	}
	return 1
}

// about returns the lines about what is at a pointer of the pinned (0) or the captured (1) definition: one after
// another, as signature.Of makes them.
func (e *drifted) about(side int, pointer string) []signature.Line {
	s := &e.signed[side]
	if definition := e.tree(side); s.first == nil && definition.Kind != 0 {
		s.lines = signature.Of(e.Type, definition)
		s.first = map[string]int{}
		for i := len(s.lines) - 1; i >= 0; i-- {
			for at := s.lines[i].Pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
				s.first[at] = i
			}
		}
	}
	from, found := s.first[pointer]
	if !found {
		return nil
	}
	end := from
	for end < len(s.lines) && strings.HasPrefix(s.lines[end].Pointer+"/", pointer+"/") {
		end++
	}
	return s.lines[from:end]
}

// lines turns a signature of a definition, or of a part of it, into lines. A line refers to where its text or schema has been
// shown above.
func (m *rowMaker) lines(entryType pin.EntryType, definition jsontree.Value, sign byte, signed []signature.Line) (lines []Line) {
	key := "+"
	// A text that was added and one in a whole definition are shown alike, so one may refer to the other.
	came := ""
	if sign != '=' {
		key = string(sign)
		came = key + " "
	}
	for i, l := range signed {
		line := Line{Depth: l.Depth, Name: l.Name, Phrase: l.Phrase, Brief: l.Phrase, Text: layout.Value(sign, l.Text, true, false)}
		place := placeIn(entryType, definition, l.Pointer)
		if l.Rest {
			place += " (keywords)"
		}
		if strings.HasPrefix(l.Pointer, "/outputSchema") {
			line.Result = cmp.Or(l.Brief, l.Phrase)
			line.IsOptional = !l.Required
		}
		for i+1+line.Skip < len(signed) && signed[i+1+line.Skip].Depth > l.Depth {
			line.Skip++
		}
		above := reference{}
		if line.Skip > leastInside {
			above = m.above(key+"schema", came+"as ", l.Whole, place)
		}
		if line.refer(above); above.said == "" {
			line.refer(m.above(key, came+"text as ", l.Text, place))
			line.Skip = 0
		} else if line.Brief = ""; l.Required {
			line.Brief = "required"
		}
		lines = append(lines, line)
	}
	return lines
}

// leastInside is how many lines a schema without a text must have below its first one, to be told once for several entries.
const leastInside = 3

// hasText reports whether a text of a few words is in lines.
func hasText(lines []signature.Line) bool {
	return slices.ContainsFunc(lines, func(l signature.Line) bool {
		return l.Text.Kind != 0 && (l.Text.Kind != '"' || len(l.Text.Text) >= minText)
	})
}

// above returns a reference to where a longer text, schema or edit was shown above. If it wasn't, the reference is
// empty, and above remembers this place for the blocks below.
func (m *rowMaker) above(kind, as string, v jsontree.Value, place string) reference {
	key := kind + string(jsontree.Append(nil, v))
	if v.Kind == 0 || len(key) < minRepeat {
		return reference{}
	}
	at, seen := m.shown[key]
	if !seen && !m.quiet {
		m.shown[key] = spot{m.block, place}
	}
	if !seen {
		return reference{}
	}
	said := as + cmp.Or(at.place, "the whole")
	if at.place == place {
		said = strings.TrimSuffix(as, " ")
	}
	if at.block == m.block {
		return reference{said + " above", at.block}
	}
	return reference{said + " in " + text.Number(at.block), at.block}
}

// A reference is where something was shown above. It is empty if it wasn't.
type reference struct {
	said  string
	block int
}

// refer gives a line a reference. A format that shows what it leads to prints the reference in place of the
// line's text.
func (l *Line) refer(above reference) {
	l.As = above.said
	l.Home = above.block
}

// once makes lines of the edited sentences of a text. The first one refers to the same edits, if they were shown above.
func (m *rowMaker) once(place string, ed *edit) (lines []Line) {
	var all []string
	for _, s := range ed.Sentences {
		all = append(all, s.Old, s.New, s.Before, s.After, strconv.FormatBool(s.First), strconv.Itoa(s.Number))
		line := Line{Text: editLines(s)}
		switch {
		case s.Number > 0 && s.Lines:
			line.Phrase = "after line " + text.Number(s.Number)
		case s.Number > 0:
			line.Phrase = "after sentence " + text.Number(s.Number)
		}
		if n := len(lines); n > 0 && line.Phrase == "" && lines[n-1].Phrase == "" {
			lines[n-1].Text = append(lines[n-1].Text, line.Text...)
			continue
		}
		lines = append(lines, line)
	}
	lines[0].refer(m.above("edit", "as ", jsontree.Texts(all), place))
	lines[0].Skip = len(lines) - 1
	return lines
}

// editLines lays out one edit of a text, with the ends of the sentences next to it if the edit has them.
func editLines(s words.Edit) (lines []layout.Line) {
	before := []layout.Run{{Op: '=', Text: "… " + text.Printable(s.Before)}}
	after := []layout.Run{{Op: '=', Text: text.Printable(s.After) + " …"}}
	switch {
	case s.Blanks:
		lines = slices.Concat(layout.Spelled('-', s.Old), layout.Spelled('+', s.New))
	case s.Pieces != nil:
		return layout.Words(s.Pieces)
	default:
		lines = twoSides(jsontree.Text(s.Old), jsontree.Text(s.New), layout.Confusable(s.Old, s.New))
	}
	switch {
	case s.First:
		before = nil
		after[0].Text = "…"
	case s.Before+s.After == "":
		return lines
	case s.Before == "":
		before = nil
	case s.After == "":
		after = nil
	}
	// A single added line goes between the two, on the same line.
	if len(lines) == 1 && len(lines[0].Runs) == 1 {
		runs := lines[0].Runs
		if before != nil {
			before[0].Text += " "
		}
		if after != nil {
			after[0].Text = " " + after[0].Text
		}
		return []layout.Line{{Sign: '=', Runs: slices.Concat(before, runs, after)}}
	}
	if before != nil {
		lines = append([]layout.Line{{Sign: '=', Runs: before}}, lines...)
	}
	if after != nil {
		lines = append(lines, layout.Line{Sign: '=', Runs: after})
	}
	return lines
}

// twoSides lays out an old and a new value, each whole.
func twoSides(old, new jsontree.Value, exact bool) (lines []layout.Line) {
	for i, v := range []jsontree.Value{old, new} {
		if v.Kind != '"' || v.Text != "" {
			lines = append(lines, layout.Value("-+"[i], v, true, exact)...)
		}
	}
	return lines
}

// listLine shows what was added to and removed from a list of different single values, if the values that stay keep
// their order. The value that follows an added one is shown, too. For anything else it returns nil: both lists are
// shown then.
func listLine(old, new jsontree.Value) []layout.Line {
	if old.Kind != '[' || new.Kind != '[' {
		return nil
	}
	before := valuesOf(old)
	after := valuesOf(new)
	is := setOf(after)
	was := setOf(before)
	if before == nil || after == nil || len(is) < len(after) || len(was) < len(before) {
		return nil
	}
	var runs []layout.Run
	add := func(op byte, v jsontree.Value) {
		runs = append(runs, layout.Run{Op: '=', Text: " "}, layout.Run{Op: op, Text: layout.JSON(v, false, layout.AnyWidth)[0]})
	}
	// i is an index in the old list. joined means that the last value of the new one was added.
	i := 0
	joined := false
	gone := func() {
		for i < len(before) && !is[before[i]] {
			add('-', old.Items()[i].Value)
			i++
		}
	}
	for j, value := range after {
		gone()
		switch {
		case !was[value]:
			add('+', new.Items()[j].Value)
			joined = true
			continue
		case before[i] != value:
			return nil // another order
		case joined:
			add('=', new.Items()[j].Value)
		}
		joined = false
		i++
	}
	gone()
	if runs == nil {
		return nil
	}
	return []layout.Line{{Sign: '=', Runs: runs[1:]}}
}

// setOf returns the values of a list, each once.
func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, value := range list {
		set[value] = true
	}
	return set
}

// valuesOf returns the canonical forms of the values in a list. It returns nil if one is a list or an object.
func valuesOf(list jsontree.Value) []string {
	values := []string{}
	for _, item := range list.Items() {
		if item.Value.Kind == '{' || item.Value.Kind == '[' {
			return nil
		}
		values = append(values, string(jsontree.Append(nil, item.Value)))
	}
	return values
}

// shortSides returns a change on one line, "1000 -> 100000", or "" if a value isn't short.
func (ed *edit) shortSides() string {
	// Bytes of each value as JSON, and of the source of a value that is written out to be measured.
	const widest, largest = 60, 4096
	if ed.Old.End-ed.Old.At > largest || ed.New.End-ed.New.At > largest {
		return ""
	}
	both := ed.Old.Kind != 0 && ed.New.Kind != 0
	if ed.Compared || ed.exact() || ed.Old.Kind == ed.New.Kind && !both || !both && len(ed.Old.Parts)+len(ed.New.Parts) > 0 { // oneSided shows what is in a value
		return ""
	}
	old := layout.JSON(ed.Old, false, widest)
	new := layout.JSON(ed.New, false, widest)
	if len(old)+len(new) > 2 || max(len(old[0]), len(new[0])) > widest {
		return ""
	}
	if both {
		return old[0] + " -> " + new[0]
	}
	if ed.New.Kind == 0 {
		return "- " + old[0]
	}
	return "+ " + new[0]
}

// findingRow words a finding. above is the number of entries named above it. If the finding is in
// all of them, the row has no names.
func findingRow(f Finding, above int) Row {
	row := Row{Op: '=', Word: f.Word(), Pointer: f.Pointer, Place: f.Place, Detail: f.Detail, Finding: true}
	if f.Warning {
		row.Op = 'W'
	}
	if len(f.All) != above {
		row.Names = text.List(f.All, maxSaidNames)
	}
	return row
}

// markFirst puts » « around those new sentences of an entry that read most like poison.
func (m *rowMaker) markFirst(e *drifted, rows []Row) {
	for _, s := range e.NewSentences {
		if s.Score >= rank.Marked {
			line, _, _ := strings.Cut(strings.TrimSpace(s.Text), "\n")
			m.markText(rows, text.Printable(line))
		}
	}
}

// markText puts the marks around the first place in the rows that has this part of a line.
func (m *rowMaker) markText(rows []Row, part string) {
	for i := range rows {
		for j := range rows[i].Lines {
			for k := range rows[i].Lines[j].Text {
				line := &rows[i].Lines[j].Text[k]
				now := ""
				for _, run := range line.Runs {
					if run.Op != '-' {
						now += run.Text
					}
				}
				if !m.budget.Spend(len(now) + searchCost) {
					return
				}
				if at := strings.Index(now, part); at >= 0 {
					insert(line.Runs, at+len(part), "«")
					insert(line.Runs, at, "»")
					return
				}
			}
		}
	}
}

// insert puts a mark into a line: before the byte at of its new side, or at the end of that side.
func insert(runs []layout.Run, at int, mark string) {
	for i := range runs {
		run := &runs[i]
		if run.Op == '-' {
			continue
		}
		if at <= len(run.Text) && (at < len(run.Text) || mark == "«") {
			run.Text = run.Text[:at] + mark + run.Text[at:]
			return
		}
		at -= len(run.Text)
	}
}

// minor counts what is minor in all entries, by label.
func (r *Report) minor() string {
	var all []*edit
	for _, e := range r.entries {
		for _, ed := range e.edits {
			if ed.Minor() {
				all = append(all, ed)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *edit) int { return cmp.Compare(a.Label, b.Label) })
	return labelCounts(all)
}

// labelCounts counts edits by label: "other order (3); hint stated". Edits with equal labels must follow each other.
func labelCounts(edits []*edit) string {
	var said []string
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].Label == edits[0].Label {
			n++
		}
		count := ""
		if n > 1 {
			count = "(" + strconv.Itoa(n) + ")"
		}
		said = append(said, joined(" ", edits[0].Label.Words(), count))
		edits = edits[n:]
	}
	return strings.Join(said, "; ")
}
