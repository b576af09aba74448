package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/effort"
	"pinproof/internal/facts"
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

// minText is how many bytes of JSON a text of a few words must have.
const minText = 40

// A change is one change of an entry, or a part of a new definition, as it is shown.
type change struct {
	*facts.Edit // nil: it is a part of a new definition

	of   *drifted
	at   string // its pointer
	line int    // of a part: where it is among the lines of the definition
	row  Row

	// Equal for what reads alike in another entry, and for what reads like a part of a new definition; or "".
	key, part string

	marked bool       // the definition below shows it with marks
	shared *sharedSet // the changes that are told once, with this one; or nil
}

// unseen describes what changed if no reader can see it, else it is "".
func (c *change) unseen() string {
	if c.Unseen {
		return unseen(c.Change)
	}
	return ""
}

// exact reports whether a change is to be shown character by character.
func (c *change) exact() bool {
	return c.Old.Kind == '"' && c.New.Kind == '"' && layout.Confusable(c.Old.Text, c.New.Text) || c.Unseen
}

// searchCost is what searching a line for a sentence to mark costs besides its bytes. A thousand sentences in a thousand
// copies of a tool are a million searches. A sentence that isn't searched for gets no mark.
const searchCost = 32

// A describer describes the definitions of an entry, and how they differ.
type describer struct {
	*drifted
	budget *effort.Budget

	// The pinned definition (0) and the captured one (1).
	sides [2]signed
}

// A signed is a definition with its signature, and the index of the first line about each pointer.
type signed struct {
	tree  jsontree.Value
	lines []signature.Line
	first map[string]int
}

// describe makes the rows of an entry, each once. They don't depend on what else is shown.
func (r *Report) describe(e *drifted) {
	if e.KindAlone() {
		return
	}
	d := &describer{drifted: e, budget: r.Budget}
	for _, one := range e.Edits {
		c := &change{Edit: withIcons(one), of: e, at: one.Pointer}
		c.row = d.edit(c)
		e.changes = append(e.changes, c)
		if row, is := d.follows(c); is || c.Minor() {
			if c.Minor() {
				row = c.row
			}
			row.Minor = true
			row.Op = '~'
			e.minor = append(e.minor, row)
		}
	}
	e.whole = d.wholes()
	d.markFirst()
	if !r.Bounded {
		d.findKeys()
	}
}

// withIcons returns an edit whose images are described. Their addresses are not compared as texts.
func withIcons(e *facts.Edit) *facts.Edit {
	of := *e
	of.Old = layout.Icons(e.Pointer, e.Old)
	of.New = layout.Icons(e.Pointer, e.New)
	if of.Old.Kind == jsontree.Raw || of.New.Kind == jsontree.Raw {
		of.Compared = false
		of.TextEdits = nil
	}
	return &of
}

// rows lists the rows of a group: its findings, then its changes or its definitions, then what is minor.
func (r *Report) rows(g *group) (rows []Row, summed string) {
	e := g.first()
	named := len(g.entries)
	if g.renamed() {
		named = 1
	}
	for _, f := range g.findings {
		rows = append(rows, findingRow(f, named))
	}
	var changed []Row
	var minor []*facts.Edit
	all := slices.Clone(e.changes)
	slices.SortStableFunc(all, func(a, b *change) int {
		return lint.RankOf(b.at == e.Why.Pointer) - lint.RankOf(a.at == e.Why.Pointer)
	})
	for _, c := range all {
		if c.Minor() || c.marked {
			continue
		}
		row := c.row
		if c.shared != nil {
			row.Shared = c.shared.told.Number
			row.InAll = c.shared.inAll
		}
		changed = append(changed, row)
	}
	rows = append(rows, together(changed)...)
	for _, c := range e.parts {
		if c.shared != nil {
			l := &e.whole[0].Lines[c.line]
			l.Shared = c.shared.told.Number
			l.InAll = c.shared.inAll && c.shared.entries[0].Kind == pin.Added
			l.Keeps = strings.Contains(c.at, "/properties/") // its name
		}
	}
	for i := range e.whole {
		if e.Kind == pin.Added && e.RenamedFrom == "" {
			e.whole[i].Lines = briefResults(e.whole[i].Lines)
		}
	}
	rows = append(rows, e.whole...)
	for _, e := range g.entries {
		rows = append(rows, e.minor...)
		minor = append(minor, e.minorEdits()...)
	}
	return rows, labelCounts(minor)
}

// minorEdits lists the changes of an entry that are summed up.
func (e *drifted) minorEdits() (list []*facts.Edit) {
	for _, one := range e.Edits {
		if one.Minor() {
			list = append(list, one)
		}
	}
	return list
}

// notStored is printed in place of a definition.
const notStored = "its definition was not stored (hashOnly)"

// wholes makes the rows of definitions that are shown whole. That of an entry that is gone is shown as it was pinned,
// any other as it is now.
func (d *describer) wholes() (rows []Row) {
	list := d.Definitions()
	op := byte('+')
	if d.RenamedTo != "" || (d.Kind == pin.Changed || d.Kind == pin.Hidden) && d.TextsKnown() {
		return nil
	}
	if d.Kind == pin.Removed {
		list = []pin.Pin{*d.Locked}
		op = '-'
	}
	for i := range list {
		row := Row{Op: op, Minor: d.Kind == pin.Removed}
		if d.Kind == pin.Duplicate {
			row.Word = short(list[i].Digest)
		}
		if list[i].Definition == nil {
			row.Detail = notStored
		} else {
			tree := list[i].Shown()
			signed := signature.Of(d.Type, tree)
			row.Lines = d.lines('=', tree, signed)
			d.mark(signed, row.Lines)
		}
		for j := range row.Lines {
			if d.Kind == pin.Duplicate {
				row.Lines[j].Place = "" // a reference to one of several definitions would mislead
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// briefResults makes a line of all parts of a new result that follow each other and have no text and nothing below: what a
// reviewer looks for there is texts and listed values. A part that isn't required has a question mark.
func briefResults(lines []Line) (brief []Line) {
	from := slices.IndexFunc(lines, func(l Line) bool { return l.result != "" })
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
		if l.result == "" || !isLeaf || l.Text != nil || l.Depth == 0 || i == from {
			flush()
			brief = append(brief, l)
			continue
		}
		if l.Depth != depth {
			flush()
		}
		depth = l.Depth
		name := l.Name
		if l.isOptional {
			name += "?"
		}
		if n := len(parts); kind == l.result && n > 0 {
			parts[n-1] = strings.TrimSuffix(parts[n-1], ": "+kind) + ", " + name + ": " + kind
			continue
		}
		kind = l.result
		parts = append(parts, name+": "+kind)
	}
	flush()
	return brief
}

// mark marks what differs in the texts of a renamed entry's definition. An edit that is marked needs no row.
func (d *describer) mark(signed []signature.Line, lines []Line) {
	if d.RenamedFrom == "" {
		return
	}
	texts := map[string]*change{}
	came := map[string]*change{}
	for _, c := range d.changes {
		if c.Old.Kind == 0 && c.New.Kind != 0 && !c.Unseen {
			came[c.at] = c
		}
		if c.Compared && len(c.TextEdits) > 0 && !c.Unseen {
			texts[c.at] = c
		}
	}
	for i := range lines {
		at := signed[i].Pointer
		if signed[i].Rest {
			continue
		}
		if c := cmp.Or(texts[at+"/description"], texts[at]); c != nil && signed[i].Text.Kind == '"' && signed[i].Text.Text == c.New.Text {
			c.marked = true
			lines[i].Text = d.marks(c.Old.Text, c.New.Text)
		}
		if c := cmp.Or(came[at], came[above(at)]); c != nil {
			c.marked = true
			lines[i].Phrase = strings.TrimRight("+ "+lines[i].Phrase, " ")
			for j := i; j < len(lines) && (j == i || isIn(signed[j].Pointer, at)); j++ {
				lines[j].Text = layout.Value('+', signed[j].Text, true, false)
			}
		}
	}
}

// isIn reports whether a pointer leads to what another one leads to, or into that.
func isIn(pointer, around string) bool { return strings.HasPrefix(pointer+"/", around+"/") }

// marks lays out a whole text, with marks at what differs.
func (d *describer) marks(old, new string) []layout.Line {
	pieces := words.Words(d.budget, old, new)
	if pieces == nil || words.Rewritten(pieces) {
		return twoSides(jsontree.Text(old), jsontree.Text(new), layout.Confusable(old, new))
	}
	return layout.Words(pieces)
}

// edit makes the row of a change.
func (d *describer) edit(c *change) Row {
	row := Row{Op: '!', Word: c.Label.Words(), Label: c.Label.ID(), Place: d.place(c.side(), c.at), Pointer: text.WholePointer(c.at)}
	was := ""
	if c.From != "" {
		was = "was " + d.wasAt(c.From, row.Place)
	}
	row.Detail = joined("; ", c.unseen(), was)
	said := c.shortSides()
	list := listLine(c.Old, c.New)
	places, turned := d.turned(c)
	switch {
	case c.Label == label.Layout:
		row.Detail = joined("; ", row.Detail, indentation(words.Indented(c.Old.Text, c.New.Text)))
	case turned != "":
		row.Place = places
		if strings.Contains(turned, ";") { // otherwise the label says it
			row.Detail = joined("; ", row.Detail, turned)
		}
	case c.Old.Kind == 0 && c.New.Kind == 0: // it only moved
		row.Detail = joined("; ", "moved", row.Detail)
	case c.Compared && len(c.TextEdits) > 0:
		if c.New.Text == "" {
			row.Detail = joined("; ", row.Detail, "now empty")
		}
		row.Lines = sentences(row.Place, c)
	case list != nil && !c.exact():
		row.Lines = []Line{{Text: list}}
	case said != "":
		row.Detail = joined("; ", row.Detail, said)
	case c.exact() || c.Old.Kind != 0 && c.New.Kind != 0:
		row.Lines = []Line{{Text: twoSides(c.Old, c.New, c.exact())}}
	default:
		said, lines := d.oneSided(c)
		row.Detail = joined("; ", row.Detail, said)
		row.Lines = lines
	}
	return row
}

// indentation describes how the lines of a text were indented: a sign, then the blanks.
func indentation(by string) string {
	did := map[byte]string{'+': "gets", '-': "loses"}[by[0]]
	return "every line but the first " + did + " " + text.Blanks(by[1:]) + " at its start"
}

// together makes one row of all rows about a parameter, or about another part of a definition that has a description, and one
// of all about schemas that nothing refers to.
func together(rows []Row) (list []Row) {
	at := map[string]int{}
	details := map[int][]string{}
	for _, row := range rows {
		base, rest, _ := strings.Cut(row.Place, "/")
		if row.Label == label.UnusedDefinition.ID() {
			base = above(row.Place)
			rest = strings.TrimPrefix(row.Place, base+"/")
		}
		if base == "" || strings.Contains(base, ", ") || row.Place[0] == '"' {
			list = append(list, row)
			continue
		}
		row.Place = base
		row.Pointer = strings.TrimSuffix(row.Pointer, "/"+rest)
		if rest == "description" {
			rest = ""
		}
		if rest != "" && (len(row.Lines) > 0 || row.Label == label.UnusedDefinition.ID()) {
			row.Lines = Under(rest, row.Detail, row.Lines)
			row.Detail = ""
		} else if rest != "" {
			row.Detail = strings.TrimRight(rest+" "+row.Detail, " ")
		}
		key := base + " " + strconv.Itoa(row.Shared)
		i, seen := at[key]
		if !seen {
			i = len(list)
			at[key] = i
			list = append(list, row)
		}
		details[i] = append(details[i], row.Detail)
		if !seen {
			continue
		}
		same := &list[i]
		if !strings.Contains(", "+same.Word+", ", ", "+row.Word+", ") {
			same.Word += ", " + row.Word
		}
		same.Lines = append(same.Lines, row.Lines...)
	}
	for i, said := range details {
		list[i].Detail = joined("; ", said...)
	}
	return list
}

// Under returns lines below one with a name. A text at their beginning is in that line.
func Under(name, phrase string, lines []Line) []Line {
	lines = slices.Clone(lines)
	if len(lines) == 0 || lines[0].Name+lines[0].Phrase != "" {
		lines = append([]Line{{}}, lines...)
	}
	lines[0].Name = name
	lines[0].Phrase = phrase
	for i := range lines[1:] {
		lines[i+1].Depth++
	}
	return lines
}

// oneSided describes a value that was added or removed: in the lines of its definition's signature that are about it or, if
// there are no lines, as JSON.
func (d *describer) oneSided(c *change) (said string, lines []Line) {
	side := c.side()
	at := c.at
	v := c.New
	if side == 0 {
		at = cmp.Or(c.From, at)
		v = c.Old
	}
	sign := "-+"[side]
	if said := signature.Alternatives(at[strings.LastIndexByte(at, '/')+1:], v); d.about(side, at) == nil && said != "" {
		return string(sign) + " " + said, nil
	}
	return d.part(sign, side, at, v)
}

// part describes a part of a definition behind its place, and below that. sign is '=' for a part of a new definition.
func (d *describer) part(sign byte, side int, at string, v jsontree.Value) (said string, lines []Line) {
	about := d.about(side, at)
	if about == nil {
		about = []signature.Line{{Text: v, Pointer: at}}
	}
	lines = d.lines(sign, d.tree(side), about)
	came := strings.TrimLeft(string(sign), "=")
	said = came
	if slices.ContainsFunc(lines, func(l Line) bool { return l.Text != nil }) {
		said = "" // the gutter below says it
	}
	// The row's place shows what the first line is about, so it needs no name. In the place of a prompt's argument there
	// is only a number.
	if about[0].Pointer != at || strings.HasPrefix(at, "/arguments/") {
		return said, lines
	}
	if lines[0].Phrase != "" {
		said = strings.TrimLeft(came+" "+lines[0].Phrase, " ")
	}
	lines[0].Name = ""
	lines[0].Phrase = ""
	if len(lines[0].Text) == 0 {
		lines = lines[1:]
	}
	for i := range lines {
		lines[i].Depth = max(0, lines[i].Depth-1)
	}
	return said, lines
}

// tree returns the pinned (0) or the captured (1) definition.
func (d *describer) tree(side int) jsontree.Value {
	s := &d.sides[side]
	if p := [2]*pin.Pin{d.Previous, d.Captured}[side]; s.tree.Kind == 0 && p != nil {
		s.tree = p.Shown()
	}
	return s.tree
}

// place describes for people where in the pinned (0) or the captured (1) definition something is.
func (d *describer) place(side int, pointer string) string {
	if !strings.Contains(pointer, "Of/") {
		return placeIn(d.Type, jsontree.Value{}, pointer)
	}
	return placeIn(d.Type, d.tree(side), pointer)
}

// wasAt returns where in the pinned definition something was. now is its place today. If both places read alike, because a
// constant names the alternative on both sides, wasAt returns the steps of the pointer that name alternatives.
func (d *describer) wasAt(pointer, now string) string {
	was := d.place(0, pointer)
	if was != now {
		return was
	}
	return strings.Join(alternativePattern().FindAllString(pointer, -1), "")
}

// side returns the side that the pointer of a change leads into: the pinned (0) or the captured (1) definition.
func (c *change) side() int {
	if c.New.Kind == 0 && c.Old.Kind != 0 {
		return 0
	}
	return 1
}

// about returns the lines about what is at a pointer of the pinned (0) or the captured (1) definition: one after
// another, as signature.Of makes them.
func (d *describer) about(side int, pointer string) []signature.Line {
	s := &d.sides[side]
	if tree := d.tree(side); s.first == nil && tree.Kind != 0 {
		s.lines = signature.Of(d.Type, tree)
		s.first = map[string]int{}
		for i := len(s.lines) - 1; i >= 0; i-- {
			for at := s.lines[i].Pointer; at != ""; at = above(at) {
				s.first[at] = i
			}
		}
	}
	from, found := s.first[pointer]
	if !found {
		return nil
	}
	end := from
	for end < len(s.lines) && isIn(s.lines[end].Pointer, pointer) {
		end++
	}
	return s.lines[from:end]
}

// lines turns a signature of a definition, or of a part of it, into lines.
func (d *describer) lines(sign byte, definition jsontree.Value, signed []signature.Line) (lines []Line) {
	for _, l := range signed {
		line := Line{Depth: l.Depth - signed[0].Depth, Name: l.Name, Phrase: l.Phrase, Text: layout.Value(sign, l.Text, true, false),
			Place: placeIn(d.Type, definition, l.Pointer), pointer: l.Pointer}
		if l.Rest {
			line.Place += " (keywords)"
			line.pointer = ""
		}
		if strings.HasPrefix(l.Pointer, "/outputSchema") {
			line.result = cmp.Or(l.Brief, l.Phrase)
			line.isOptional = !l.Required
		}
		lines = append(lines, line)
	}
	return lines
}

// sentences makes lines of the edited sentences of a text.
func sentences(place string, c *change) (lines []Line) {
	for _, s := range c.TextEdits {
		line := Line{Text: editLines(s), Place: place, More: lines != nil}
		if s.Number > 0 {
			line.Phrase = "after " + s.Unit + " " + text.Number(s.Number)
		}
		if n := len(lines); n > 0 && line.Phrase == "" && lines[n-1].Phrase == "" {
			lines[n-1].Text = append(lines[n-1].Text, line.Text...)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// editLines lays out one edit of a text, with the ends of the sentences next to it if the edit has them.
func editLines(s words.Edit) (lines []layout.Line) {
	before := []layout.Run{{Op: '=', Text: "… " + text.Printable(s.Before)}}
	after := []layout.Run{{Op: '=', Text: text.Printable(s.After) + " …"}}
	switch {
	case s.Blanks:
		lines = slices.Concat(layout.WithBlanksSpelled('-', s.Old), layout.WithBlanksSpelled('+', s.New))
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
func (c *change) shortSides() string {
	// Bytes of each value as JSON, and of the source of a value that is written out to be measured.
	const widest, largest = 60, 4096
	if c.Old.End-c.Old.At > largest || c.New.End-c.New.At > largest {
		return ""
	}
	both := c.Old.Kind != 0 && c.New.Kind != 0
	if c.Compared || c.exact() || c.Old.Kind == c.New.Kind && !both || !both && len(c.Old.Parts)+len(c.New.Parts) > 0 { // oneSided shows what is in a value
		return ""
	}
	old := layout.JSON(c.Old, false, widest)
	new := layout.JSON(c.New, false, widest)
	if len(old)+len(new) > 2 || max(len(old[0]), len(new[0])) > widest {
		return ""
	}
	if both {
		return old[0] + " -> " + new[0]
	}
	if c.New.Kind == 0 {
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
func (d *describer) markFirst() {
	var lines []Line
	for _, c := range d.changes {
		lines = append(lines, c.row.Lines...)
	}
	for _, row := range d.whole {
		lines = append(lines, row.Lines...)
	}
	for _, s := range d.NewSentences {
		if s.Score >= rank.Marked {
			line, _, _ := strings.Cut(strings.TrimSpace(s.Text), "\n")
			d.markText(lines, text.Printable(line))
		}
	}
}

// markText puts the marks around the first place in lines that has this part of a line.
func (d *describer) markText(lines []Line, part string) {
	for i := range lines {
		for _, line := range lines[i].Text {
			now := ""
			for _, run := range line.Runs {
				if run.Op != '-' {
					now += run.Text
				}
			}
			if !d.budget.Spend(len(now) + searchCost) {
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
	var all []*facts.Edit
	for _, e := range r.entries {
		all = append(all, e.minorEdits()...)
	}
	slices.SortStableFunc(all, func(a, b *facts.Edit) int { return cmp.Compare(a.Label, b.Label) })
	return labelCounts(all)
}

// labelCounts counts edits by label: "other order (3); hint stated". Edits with equal labels must follow each other.
func labelCounts(edits []*facts.Edit) string {
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
