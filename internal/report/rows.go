package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/signature"
	"pinproof/internal/text"
)

// A rowMaker makes the rows of all blocks, in order. It knows what stands above.
type rowMaker struct {
	block int
	shown map[string]spot // where each longer text and schema was shown
	quest *int            // bytes of text that may still be searched for quotes, in all blocks
}

// maxSearched bounds the text that is searched for what notes quote, in bytes, of all blocks: a
// thousand notes on a thousand copies of a tool would be a million searches. A quote that isn't
// searched for stays in its note. A search costs as much as some bytes, however short the text is.
const (
	maxSearched = 64 << 20
	searchCost  = 32
)

// A spot is where a text or a schema was shown.
type spot struct {
	block int
	name  string
}

// minRepeat is from how many bytes of JSON on a text is shown only once.
const minRepeat = 40

// rows lists the rows of a group: its findings, then its edits or its definitions.
func (m *rowMaker) rows(g *group) (rows []Row, summed string) {
	m.block = g.number
	e := g.first()
	for _, f := range g.findings {
		rows = append(rows, findingRow(f, len(g.entries)))
	}
	findings := len(rows)
	var minor []*edit
	above := map[int][]*edit{} // by the number of the block that shows them
	for _, ed := range e.edits {
		switch {
		case ed.Minor():
			minor = append(minor, ed)
		case ed.home == nil:
			rows = append(rows, m.edit(e, ed))
		default:
			above[ed.home.number] = append(above[ed.home.number], ed)
		}
	}
	for _, home := range slices.Sorted(maps.Keys(above)) {
		row := Row{Op: '!', Word: "as in " + text.Number(home), Detail: labelCounts(above[home]), Home: home}
		alone := m.alone() // its lines are for formats that leave that block out
		for _, ed := range above[home] {
			one := alone.edit(e, ed)
			for i := range one.Lines {
				one.Lines[i].Depth++
			}
			row.Lines = append(append(row.Lines, Line{Name: one.Word, Phrase: text.Spaced(one.Place, one.Detail)}), one.Lines...)
			row.Pointer = one.Pointer
		}
		rows = append(rows, row)
	}
	rows = append(rows, m.wholes(e)...)
	alone := m.alone() // what is summed up doesn't stand above
	for _, ed := range minor {
		row := alone.edit(e, ed)
		row.Minor, row.Op = true, '~'
		rows = append(rows, row)
	}
	m.markQuotes(rows[:findings], rows[findings:])
	e.signed = [2]signed{}
	return rows, labelCounts(minor)
}

// alone makes rows for which nothing stands above.
func (m *rowMaker) alone() *rowMaker { return &rowMaker{m.block, map[string]spot{}, m.quest} }

// wholes shows the definitions that are shown whole: as they were pinned, or as they are now.
func (m *rowMaker) wholes(e *drifted) (rows []Row) {
	list, op := e.Definitions(), byte('+')
	switch {
	case e.Unexplained, e.RenamedTo != "", (e.Kind == pin.Changed || e.Kind == pin.Hidden) && e.TextsKnown():
		return nil
	case e.Kind == pin.Removed:
		list, op = []pin.Pin{*e.Locked}, '-'
	}
	for i := range list {
		row := Row{Op: op}
		if e.Kind == pin.Duplicate {
			row.Word = short(list[i].Digest)
		}
		if list[i].Definition == nil {
			row.Detail = "its definition was not stored (hashOnly)"
		} else {
			row.Lines = m.lines('=', folded(signature.Of(e.Type, list[i].Tree()), referred(list[i].Definition)))
		}
		rows = append(rows, row)
	}
	return rows
}

// edit makes the row of an edit.
func (m *rowMaker) edit(e *drifted, ed *edit) Row {
	row := Row{Op: '!', Word: ed.Label.ID(), Place: placeOf(e.Type, ed.Pointer), Pointer: text.WholePointer(ed.Pointer)}
	was := ""
	if ed.From != "" && ed.moved == "" {
		was = "was " + placeOf(e.Type, ed.From)
	}
	row.Detail = joined("; ", ed.unseen, was, ed.moved, e.branch(ed.Pointer))
	said, list := ed.shortSides(), listLine(ed.Old, ed.New)
	switch {
	case ed.Old.Kind == 0 && ed.New.Kind == 0: // it only moved
		row.Detail = joined("; ", "moved", row.Detail)
	case ed.Compared && len(ed.Sentences) > 0:
		row.Lines = m.once(row.Place, ed)
	case ed.Compared && ed.unseen == "":
		row.Detail = joined("; ", row.Detail, "line breaks and blanks only")
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

// branch says which of several alternatives something is in, by the constant that it takes.
func (e *drifted) branch(pointer string) string {
	for strings.Contains(pointer, "Of/") {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		if about := e.about(1, pointer); about != nil && strings.Contains(about[0].Name, "Of[") && strings.Contains(about[0].Phrase, "always ") {
			return "(" + about[0].Phrase + ")"
		}
	}
	return ""
}

// oneSided shows a value that joined or went by those lines of its definition's signature that are about it, or as
// JSON where none is.
func (m *rowMaker) oneSided(e *drifted, ed *edit, row *Row) {
	side, v, pointer := 1, ed.New, ed.Pointer
	if v.Kind == 0 {
		side, v, pointer = 0, ed.Old, cmp.Or(ed.From, ed.Pointer)
	}
	about := slices.Clone(e.about(side, pointer))
	for i := len(about) - 1; i >= 0; i-- {
		about[i].Depth -= about[0].Depth
	}
	if about == nil {
		about = []signature.Line{{Text: v}}
	}
	if ed.Label.ID() == "definition-unused" {
		about = folded(about, nil)
	}
	lines := m.lines("-+"[side], about)
	// The place says what the first line is about, but for an argument of a prompt: there it has a number.
	if about[0].Pointer == pointer && lines[0].As == "" && !strings.HasPrefix(pointer, "/arguments/") {
		row.Detail = joined("; ", row.Detail, lines[0].Phrase)
		lines[0].Name, lines[0].Phrase = "", ""
		if len(lines[0].Text) == 0 {
			lines = lines[1:]
		}
		for i := range lines {
			lines[i].Depth = max(0, lines[i].Depth-1)
		}
	}
	row.Lines = lines
}

// A signed is a signature of a definition, with the first line about what stands at each pointer.
type signed struct {
	lines []signature.Line
	first map[string]int
}

// about returns the lines about what stands at a pointer of the pinned (0) or the captured (1) definition: one after
// another, as signature.Of makes them.
func (e *drifted) about(side int, pointer string) []signature.Line {
	s, p := &e.signed[side], [2]*pin.Pin{e.Locked, e.Captured}[side]
	if s.first == nil && p != nil && p.Definition != nil {
		*s = signed{signature.Of(e.Type, p.Tree()), map[string]int{}}
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

// referred are the names that references to $defs begin with.
func referred(definition []byte) map[string]bool {
	names := map[string]bool{}
	for _, rest := range strings.Split(string(definition), "/$defs/")[1:] {
		name, _, _ := strings.Cut(rest, `"`)
		names["$defs."+name] = true
	}
	return names
}

// folded puts what stands in a schema of $defs on one line, if nothing refers to it. What has a text keeps a line.
func folded(list []signature.Line, referred map[string]bool) (lines []signature.Line) {
	depth, into := -1, -1 // of the schema that the next lines may be in, and its one line
	for _, l := range list {
		switch {
		case depth >= 0 && l.Depth > depth && l.Text.Kind == 0:
			if l.Name, l.Phrase = "", joined(" ", l.Name, l.Phrase); into >= 0 {
				lines[into].Phrase += "; " + l.Phrase
				continue
			}
			into = len(lines)
		case l.Depth <= depth || depth < 0:
			if depth, into = -1, -1; strings.HasPrefix(l.Name, "$defs.") && !referred[l.Name] {
				depth = l.Depth
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// lines turns a signature into lines. What stands above in the same words is named.
func (m *rowMaker) lines(sign byte, list []signature.Line) (lines []Line) {
	for i, l := range list {
		line := Line{Depth: l.Depth, Name: l.Name, Phrase: l.Phrase, Text: layout.Value(sign, l.Text, true, false)}
		inside := 0
		for i+1+inside < len(list) && list[i+1+inside].Depth > l.Depth {
			inside++
		}
		key := strings.Replace(string(sign), "=", "+", 1) // what joined and what stands whole is alike
		line.As, line.Home = m.above(key, l.Text, l.Name)
		if inside > 0 {
			if as, home := m.above(key+"schema", l.Whole, l.Name); as != "" {
				line.As, line.Home, line.Skip = as, home, inside
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// above says where a longer text, schema or edit stands above, and gives that block. If it doesn't, it stands here.
func (m *rowMaker) above(kind string, v jsontree.Value, name string) (as string, home int) {
	key := kind + string(jsontree.Append(nil, v))
	if v.Kind == 0 || len(key) < minRepeat {
		return "", 0
	}
	at, seen := m.shown[key]
	if !seen {
		m.shown[key] = spot{m.block, name}
		return "", 0
	}
	as = "as"
	if at.name != "" && at.name != name {
		as += " for " + at.name
	}
	if at.block == m.block {
		return as + " above", at.block
	}
	return as + " in " + text.Number(at.block), at.block
}

// once shows the sentences around each edit of a text, or names where the same stand above.
func (m *rowMaker) once(name string, ed *edit) []Line {
	var line Line
	var all []string
	for _, s := range ed.Sentences {
		if all = append(all, s.Old, s.New); s.Pieces != nil {
			line.Text = append(line.Text, layout.Words(s.Pieces)...)
		} else {
			line.Text = append(line.Text, twoSides(jsontree.Text(s.Old), jsontree.Text(s.New), layout.Confusable(s.Old, s.New))...)
		}
	}
	line.As, line.Home = m.above("edit", jsontree.Texts(all), name)
	return []Line{line}
}

// twoSides are an old and a new value, whole.
func twoSides(old, new jsontree.Value, exact bool) (lines []layout.Line) {
	for i, v := range []jsontree.Value{old, new} {
		if v.Kind != '"' || v.Text != "" {
			lines = append(lines, layout.Value("-+"[i], v, true, exact)...)
		}
	}
	return lines
}

// listLine shows what joined and went in a list of single values. It is nil for anything else.
func listLine(old, new jsontree.Value) []layout.Line {
	if old.Kind != '[' || new.Kind != '[' {
		return nil
	}
	before, single := itemSet(old)
	after, alsoSingle := itemSet(new)
	if !single || !alsoSingle {
		return nil
	}
	runs := append(itemsBeyond(old, after, '-'), itemsBeyond(new, before, '+')...)
	if runs == nil {
		return nil
	}
	return []layout.Line{{Sign: '=', Runs: runs[1:]}}
}

// itemSet is the set of a list's items, in canonical form. single reports whether none of them is
// an object or a list. A list may have a hundred thousand: each is looked up, none searched for.
func itemSet(list jsontree.Value) (set map[string]bool, single bool) {
	set = make(map[string]bool, len(list.Items()))
	var form []byte
	for _, item := range list.Items() {
		if item.Value.Kind == '{' || item.Value.Kind == '[' {
			return nil, false
		}
		form = jsontree.Append(form[:0], item.Value)
		set[string(form)] = true
	}
	return set, true
}

// itemsBeyond are the items of a list that a set doesn't have, each behind a blank.
func itemsBeyond(list jsontree.Value, known map[string]bool, op byte) (runs []layout.Run) {
	var form []byte
	for _, item := range list.Items() {
		form = jsontree.Append(form[:0], item.Value)
		if known[string(form)] {
			continue
		}
		item := layout.JSON(item.Value, false, layout.AnyWidth)[0]
		runs = append(runs, layout.Run{Op: '=', Text: " "}, layout.Run{Op: op, Text: item})
	}
	return runs
}

// shortSides is a change on one line, "1000 -> 100000", or "" if the values aren't short.
func (ed *edit) shortSides() string {
	const widest = 60
	both := ed.Old.Kind != 0 && ed.New.Kind != 0
	if ed.Compared || ed.exact() || ed.Old.Kind == ed.New.Kind && !both || !both && len(ed.Old.Parts)+len(ed.New.Parts) > 0 { // what is in it is said better
		return ""
	}
	old, new := layout.JSON(ed.Old, false, widest), layout.JSON(ed.New, false, widest)
	switch {
	case len(old)+len(new) > 2, max(len(old[0]), len(new[0])) > widest:
		return ""
	case both:
		return old[0] + " -> " + new[0]
	case ed.New.Kind == 0:
		return "- " + old[0]
	}
	return "+ " + new[0]
}

// findingRow words a finding. above is the number of entries named above it. If the finding is in
// all of them, the row names none.
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

// markQuotes marks the sentences that a note quotes where they stand below, in » «, and takes the quotes out of the note.
func (m *rowMaker) markQuotes(findings, below []Row) {
	for i := range findings {
		what, quoted, found := strings.Cut(findings[i].Detail, `: "`)
		quoted, more, _ := strings.Cut(quoted+" ", `" `)
		for _, quote := range strings.Split(quoted, `", "`) {
			quote, _, cut := strings.Cut(quote, "<and ")
			quote, _, _ = strings.Cut(quote, "⏎")
			found = found && findings[i].Op != 'W' && m.markQuote(below, strings.TrimSpace(quote), cut)
		}
		if found {
			findings[i].Quoted = findings[i].Detail
			findings[i].Detail = joined(", ", what, map[bool]string{true: "the first marked"}[more != ""])
		}
	}
}

// markQuote marks a quote where it stands, to the end of its sentence if it was cut.
func (m *rowMaker) markQuote(rows []Row, quote string, cut bool) bool {
	for i := range rows {
		for j := range rows[i].Lines {
			for _, line := range rows[i].Lines[j].Text {
				for k := range line.Runs {
					run := &line.Runs[k]
					if *m.quest -= len(run.Text) + searchCost; *m.quest < 0 {
						return false
					}
					before, after, found := strings.Cut(run.Text, quote)
					if run.Op == '-' || quote == "" || !found {
						continue
					}
					if rest := diff.Sentences(after); cut && rest != nil {
						quote += strings.TrimRight(rest[0], " ")
					}
					run.Text = before + "»" + quote + "«" + run.Text[len(before)+len(quote):]
					return true
				}
			}
		}
	}
	return false
}

// labelCounts is "output-schema 3, sdk-churn". Edits with equal labels follow each other.
func labelCounts(edits []*edit) string {
	var said []string
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].Label == edits[0].Label {
			n++
		}
		count := ""
		if n > 1 {
			count = strconv.Itoa(n)
		}
		said, edits = append(said, joined(" ", edits[0].Label.ID(), count)), edits[n:]
	}
	return strings.Join(said, ", ")
}
