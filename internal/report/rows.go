package report

import (
	"cmp"
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
}

// A spot is where a text or a schema was shown.
type spot struct {
	block int
	name  string
}

// maxPlaces is how many places one row names.
const maxPlaces = 8

// minRepeat is from how many bytes of JSON on a text is shown only once.
const minRepeat = 40

// notStored stands in place of a definition that isn't in the lockfile.
const notStored = "its definition was not stored (hashOnly)"

// rows lists the rows of a group: its findings, then its edits or its definitions.
func (m *rowMaker) rows(g *group) (rows []Row, summed string) {
	m.block = g.number
	e := g.first()
	for _, f := range g.findings {
		rows = append(rows, findingRow(f, len(g.entries)))
	}
	findings := len(rows)
	var minor []*edit
	var homes []*group
	at := map[*group][]*edit{}
	for _, ed := range e.edits {
		switch {
		case ed.minor():
			minor = append(minor, ed)
		case ed.home == nil:
			rows = add(rows, m.edit(e, ed))
		default:
			if at[ed.home] == nil {
				homes = append(homes, ed.home)
			}
			at[ed.home] = append(at[ed.home], ed)
		}
	}
	for _, home := range homes {
		rows = append(rows, m.homeRow(e, home, at[home]))
	}
	rows = append(rows, m.wholes(e)...)
	own := m.alone() // what is summed up doesn't stand above
	for _, ed := range minor {
		row := own.edit(e, ed)
		row.Minor, row.Op = true, '~'
		rows = append(rows, row)
	}
	markQuotes(rows, findings)
	e.trees = [2]jsontree.Value{}
	return rows, labelCounts(minor)
}

// alone makes rows for which nothing stands above.
func (m *rowMaker) alone() *rowMaker { return &rowMaker{m.block, map[string]spot{}} }

// wholes shows the definitions that are shown whole: as they were pinned, or as they are now.
func (m *rowMaker) wholes(e *drifted) (rows []Row) {
	list := e.Definitions()
	switch {
	case e.unexplained:
		return nil
	case e.Kind == pin.Duplicate:
	case e.Kind == pin.Removed && e.RenamedTo == "":
		list = []pin.Pin{*e.Locked}
	case e.Kind != pin.Added && (e.Locked == nil || e.Captured == nil || e.TextsKnown()):
		return nil
	}
	for i := range list {
		row := Row{Op: '+'}
		if e.Kind == pin.Removed {
			row.Op = '-'
		}
		if e.Kind == pin.Duplicate {
			row.Word = short(list[i].Digest)
		}
		if list[i].Definition == nil {
			row.Detail = notStored
		} else {
			row.Lines = m.lines('=', eachOnOneLine(signature.Of(e.Type, list[i].Tree()), notReferred(list[i].Definition)))
		}
		rows = append(rows, row)
	}
	return rows
}

// add adds a row. Several places with the same to say are one row.
func add(rows []Row, row Row) []Row {
	if len(rows) > 0 {
		last := &rows[len(rows)-1]
		if last.Word == row.Word && last.Detail == row.Detail && len(row.Lines)+len(last.Lines) == 0 && row.Detail != "" && strings.Count(last.Place, ", ") < maxPlaces-1 {
			last.Place, last.Pointer = last.Place+", "+row.Place, last.Pointer+", "+row.Pointer
			return rows
		}
	}
	return append(rows, row)
}

// homeRow says which block above shows some edits. Their lines are for formats that leave that block out.
func (m *rowMaker) homeRow(e *drifted, home *group, edits []*edit) Row {
	row := Row{Op: '!', Word: "as in " + text.Number(home.number), Detail: labelCounts(edits), Home: home.number}
	row.Gate = "as in " + text.Name(home.first().Name)
	if n := len(home.entries) - 1; n > 0 {
		row.Gate += " and " + text.Number(n) + " more"
	}
	own := m.alone()
	for _, ed := range edits {
		one := own.edit(e, ed)
		row.Lines = append(row.Lines, Line{Name: one.Word, Phrase: text.Spaced(one.Place, one.Detail)})
		for _, l := range one.Lines {
			l.Depth++
			row.Lines = append(row.Lines, l)
		}
		row.Pointer = one.Pointer
	}
	return row
}

// edit makes the row of an edit.
func (m *rowMaker) edit(e *drifted, ed *edit) Row {
	row := Row{Op: '!', Word: ed.Label.ID(), Place: placeOf(e.Type, ed.Pointer), Pointer: text.WholePointer(ed.Pointer)}
	was, words := "", ""
	if place, cut := strings.CutSuffix(row.Place, "/description"); cut && place != "" && (row.Word == "wording" || row.Word == "output-wording") {
		row.Place = place
	}
	if ed.From != "" && !strings.HasPrefix(ed.moved, "moved from ") {
		was = "was " + placeOf(e.Type, ed.From)
	}
	if said := ed.Words(); strings.HasPrefix(ed.Pointer, "/annotations/") && strings.Contains(said, " claim") {
		words = said
	}
	row.Detail = joined("; ", ed.unseen, words, was, ed.moved, m.branch(e, ed))
	row.Gate = joined(", ", ed.shortSides(), ed.unseen)
	switch {
	case ed.Old.Kind == 0 && ed.New.Kind == 0: // it only moved
		row.Detail = joined("; ", "moved", row.Detail)
	case ed.compared && len(ed.sentences) > 0:
		row.Lines = m.once(row.Place, ed)
	case ed.compared && diff.Blank(ed.Old.Text, ed.New.Text) && ed.unseen == "":
		row.Detail = joined("; ", row.Detail, "line breaks and blanks only")
	case words != "": // they say from what to what
	case ed.exact():
		row.Lines = []Line{{Text: twoSides(ed.Old, ed.New, ed.exact())}}
	default:
		m.value(e, ed, &row)
	}
	return row
}

// branch says which of several alternatives a change is in, by the constant that it takes.
func (m *rowMaker) branch(e *drifted, ed *edit) string {
	steps, _ := jsontree.Tokens(ed.Pointer)
	for n := len(steps) - 1; n > 1 && e.Type == pin.Tools; n-- {
		if steps[n-1] != "anyOf" && steps[n-1] != "oneOf" {
			continue
		}
		if v := e.lookUp(1, steps[:n+1]); v != nil && v.Has("const") && n < len(steps)-1 || v != nil && v.Has("const") && ed.From != "" {
			return "(always " + layout.JSON(v.Get("const"), false, layout.AnyWidth)[0] + ")"
		}
	}
	return ""
}

// value says how something other than a text changed.
func (m *rowMaker) value(e *drifted, ed *edit, row *Row) {
	said := shapes(e, ed)
	if list := listLine(ed); said == "" && list != nil {
		row.Lines = []Line{{Text: list}}
		return
	}
	if said = cmp.Or(said, ed.shortSides()); said != "" {
		row.Detail = joined("; ", row.Detail, said)
		return
	}
	for i, v := range []jsontree.Value{ed.Old, ed.New} {
		if v.Kind == 0 {
			continue
		}
		made := m.lines("-+"[i], m.signed(e, ed, v, i))
		if alone := ed.Old.Kind == 0 || ed.New.Kind == 0; alone && made[0].Name != "" && made[0].As == "" && strings.HasSuffix(row.Place, made[0].Name) {
			row.Detail = joined("; ", row.Detail, made[0].Phrase) // the place has its name
			made[0].Name, made[0].Phrase = "", ""
			if len(made[0].Text) == 0 {
				made = made[1:]
			}
			for j := range made {
				made[j].Depth = max(0, made[j].Depth-1)
			}
		}
		row.Lines = append(row.Lines, made...)
	}
}

// signed makes the signature of a value that joined or went: of a member of the definition, of a schema or of schemas.
func (m *rowMaker) signed(e *drifted, ed *edit, v jsontree.Value, side int) (lines []signature.Line) {
	steps, _ := jsontree.Tokens(ed.Pointer)
	n := len(steps)
	required := func(up int) []string {
		if around := e.lookUp(side, steps[:n-up]); around != nil {
			return signature.RequiredIn(*around)
		}
		return nil
	}
	last, in := "", ""
	if n > 1 {
		last, in = steps[n-1], steps[n-2]
	}
	switch {
	case n == 0 || v.Kind != '{' && v.Kind != '[' || ed.Label == diff.TooMany:
	case n == 1:
		lines = signature.Member(e.Type, jsontree.Member{Name: steps[0], Value: v}, e.Name)
	case steps[0] == "arguments" && e.Type == pin.Prompts && n == 2 && v.Get("name").Kind == '"':
		lines = signature.Argument(jsontree.Pointer("/arguments", v.Get("name").Text), v)
	case !e.inSchema(steps) || len(last) > text.MaxName || last == "":
	case n > 2 && in == "properties":
		lines = signature.Schema(signature.Name(last), ed.Pointer, v, slices.Contains(required(2), last))
	case v.Kind == '{' && n > 2 && slices.Contains([]string{"$defs", "definitions", "anyOf", "oneOf", "allOf", "patternProperties"}, in):
		lines = signature.Schema(signature.Name(last), ed.Pointer, v, false)
	default:
		lines = signature.Inside(ed.Pointer, jsontree.Member{Name: last, Value: v}, required(1))
	}
	switch {
	case lines == nil:
		return []signature.Line{{Text: v}}
	case ed.Label.ID() == "definition-unused":
		return eachOnOneLine(lines, func(string) bool { return true })
	}
	return lines
}

// inSchema reports whether steps lead into a schema of a tool.
func (e *drifted) inSchema(steps []string) bool {
	return e.Type == pin.Tools && len(steps) > 1 && (steps[0] == "inputSchema" || steps[0] == "outputSchema")
}

// lines turns a signature into lines. What stands above in the same words is named.
func (m *rowMaker) lines(sign byte, list []signature.Line) (lines []Line) {
	head, names := -1, []string(nil) // the line for schemas of $defs that follow, and stand in one block above
	nameAll := func() {
		if head >= 0 {
			lines[head].As = "$defs " + strings.Join(names, ", ") + "  as in " + text.Number(lines[head].Home)
		}
	}
	for i := range list {
		l, inside := &list[i], list[i+1:i+block(list[i:])]
		line := Line{Depth: l.Depth, Name: l.Name, Phrase: l.Phrase, Text: layout.Value(sign, l.Text, true, false)}
		refer := func(at spot, in []signature.Line) { // unless that takes more words
			words := len(strings.Fields(l.Text.Text))
			for _, part := range in {
				words += len(strings.Fields(part.Name + " " + part.Phrase + " " + part.Text.Text))
			}
			if as := m.as(at); words > len(strings.Fields(as)) {
				line.As, line.Home, line.Skip = as, at.block, len(in)
			}
		}
		at, seen := m.place(sign, l.Whole, l.Name)
		switch name, shared := strings.CutPrefix(l.Name, "$defs."); {
		case seen && shared && at.block != m.block && name == strings.TrimPrefix(at.name, "$defs."):
			if head < 0 || head+1+lines[head].Skip < len(lines) || lines[head].Home != at.block {
				nameAll()
				head, names = len(lines), nil
				lines = append(lines, Line{Depth: l.Depth, Home: at.block})
			}
			names = append(names, name)
			lines[head].Skip += 1 + len(inside)
		case seen:
			refer(at, inside)
		}
		if at, seen := m.place(sign, l.Text, l.Name); seen && line.As == "" {
			refer(at, nil)
		}
		lines = append(lines, line)
	}
	nameAll()
	return lines
}

// block counts the first of some lines and those that stand in it.
func block(list []signature.Line) int {
	n := 1
	for n < len(list) && list[n].Depth > list[0].Depth {
		n++
	}
	return n
}

// onOneLine puts the shapes in a schema on its own line. What has a text keeps a line.
func onOneLine(list []signature.Line) (kept []signature.Line) {
	var shapes []string
	for i, l := range list {
		shape := joined(" ", l.Name, l.Phrase)
		switch {
		case i == 0:
			kept, shapes = append(kept, l), append(shapes, l.Phrase)
		case l.Text.Kind != 0:
			kept = append(kept, l)
		default:
			shapes = append(shapes, shape)
		}
	}
	kept[0].Phrase = joined("; ", shapes...)
	return kept
}

// eachOnOneLine does that with the schemas that are unused.
func eachOnOneLine(list []signature.Line, unused func(name string) bool) (kept []signature.Line) {
	for len(list) > 0 {
		n := 1
		if unused(list[0].Name) {
			n = block(list)
		}
		kept, list = append(kept, onOneLine(list[:n])...), list[n:]
	}
	return kept
}

// notReferred tells the schemas of $defs that a definition doesn't refer to.
func notReferred(definition []byte) func(name string) bool {
	refers := map[string]bool{}
	for _, rest := range strings.Split(string(definition), "/$defs/") {
		name, _, _ := strings.Cut(rest, `"`)
		refers["$defs."+name] = true
	}
	return func(name string) bool { return strings.HasPrefix(name, "$defs.") && !refers[name] }
}

// place returns where a longer text or schema stands above. If it doesn't, it stands here.
func (m *rowMaker) place(sign byte, v jsontree.Value, name string) (at spot, seen bool) {
	key := strings.Replace(string(sign), "=", "+", 1) + string(jsontree.Append(nil, v)) // what joined, and what stands whole
	if v.Kind == 0 || len(key) < minRepeat {
		return at, false
	}
	if at, seen = m.shown[key]; !seen {
		m.shown[key] = spot{m.block, name}
	}
	return at, seen
}

// as names where something stands that stands there again.
func (m *rowMaker) as(at spot) string {
	said := "as"
	if at.name != "" {
		said += " for " + at.name
	}
	if at.block != m.block {
		return said + " in " + text.Number(at.block)
	}
	return said + " above"
}

// minEdit is from how many words on an edit of a text is shown only once.
const minEdit = 8

// once shows the sentences around each edit of a text, or names where the same stand above.
func (m *rowMaker) once(name string, ed *edit) []Line {
	var line Line
	var all []string
	for _, s := range ed.sentences {
		if all = append(all, s.Old, s.New); s.Pieces != nil {
			line.Text = append(line.Text, layout.Words(s.Pieces)...)
		} else {
			line.Text = append(line.Text, twoSides(jsontree.Text(s.Old), jsontree.Text(s.New), layout.Confusable(s.Old, s.New))...)
		}
	}
	v := jsontree.Texts(all)
	if alone := len(ed.sentences) == 1 && ed.sentences[0].Pieces == nil; alone && all[0] == "" {
		v = jsontree.Text(all[1]) // as in a definition that is shown whole
	}
	if len(strings.Fields(strings.Join(all, " "))) < minEdit {
		return []Line{line}
	}
	if at, seen := m.place('+', v, name); seen {
		line.As, line.Home = m.as(at), at.block
	}
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

// shapes says what a schema takes, before and now: "integer 1..1000 -> 1..100000". It returns
// "" for anything but a keyword of a schema that can be said in a few words.
func shapes(e *drifted, ed *edit) string {
	steps, _ := jsontree.Tokens(ed.Pointer)
	n := len(steps)
	if !e.inSchema(steps) || ed.From != "" || e.Locked == nil || e.Captured == nil || e.RenamedFrom != "" {
		return ""
	}
	var said, kinds [2]string
	for i := range said {
		v, required := e.lookUp(i, steps[:n-1]), false
		if v == nil {
			return ""
		}
		if around := e.lookUp(i, steps[:max(0, n-3)]); n > 3 && steps[n-3] == "properties" && around != nil {
			required = slices.Contains(signature.RequiredIn(*around), steps[n-2])
		}
		ok := false
		if said[i], kinds[i], ok = signature.Phrase(*v, steps[n-1], required); !ok {
			return ""
		}
	}
	const most = 300 // bytes
	if said[0] == said[1] || said[0] == "" || said[1] == "" || len(said[0])+len(said[1]) > most {
		return ""
	}
	if kinds[0] == kinds[1] && kinds[0] != "" {
		if rest := strings.TrimPrefix(strings.TrimPrefix(said[1], kinds[0]), " "); rest != "" && !strings.HasPrefix(rest, "= ") {
			said[1] = rest
		}
	}
	return said[0] + " -> " + strings.TrimPrefix(said[1], ", ")
}

// listLine shows what joined and went in a list of single values. It is nil for anything else.
func listLine(ed *edit) []layout.Line {
	single := ed.Old.Kind == '[' && ed.New.Kind == '['
	line := layout.Line{Sign: '='}
	for i, list := range [2]jsontree.Value{ed.Old, ed.New} {
		other := [2]jsontree.Value{ed.New, ed.Old}[i]
		for _, item := range list.Items() {
			single = single && item.Value.Kind != '{' && item.Value.Kind != '['
			if !slices.ContainsFunc(other.Items(), func(m jsontree.Member) bool { return jsontree.Equal(m.Value, item.Value) }) {
				if n := len(line.Runs); n > 0 {
					line.Runs[n-1].Text += " "
				}
				line.Runs = append(line.Runs, layout.Run{Op: "-+"[i], Text: layout.JSON(item.Value, false, layout.AnyWidth)[0]})
			}
		}
	}
	if !single || line.Runs == nil {
		return nil
	}
	return []layout.Line{line}
}

// shortSides is a change on one line, "1000 -> 100000", or "" if the values aren't short.
func (ed *edit) shortSides() string {
	const widest = 60
	came, went := ed.Old.Kind == 0, ed.New.Kind == 0
	if ed.compared || ed.unseen != "" || (came || went) && len(ed.Old.Parts)+len(ed.New.Parts) > 0 { // what is in it is said better
		return ""
	}
	var sides []string
	for _, v := range []jsontree.Value{ed.Old, ed.New} {
		if v.Kind != 0 {
			sides = append(sides, layout.JSON(v, ed.exact(), widest)...)
		}
	}
	if slices.ContainsFunc(sides, func(side string) bool { return len(side) > widest }) || came && went || !came && !went && len(sides) != 2 {
		return ""
	}
	switch {
	case came:
		return "+ " + sides[0]
	case went:
		return "- " + sides[0]
	}
	return sides[0] + " -> " + sides[1]
}

// lookUp returns what steps lead to in the old (0) or the new (1) definition, or nil.
func (e *drifted) lookUp(side int, steps []string) *jsontree.Value {
	v := &e.trees[side]
	if p := [2]*pin.Pin{e.Locked, e.Captured}[side]; p == nil || p.Definition == nil {
		return nil
	} else if v.Kind == 0 {
		*v = p.Tree()
	}
	for _, step := range steps {
		v = jsontree.Lookup(v, step)
	}
	return v
}

// findingRow words a finding. above is the number of entries named above it. If the finding is in
// all of them, the row names none.
func findingRow(f Finding, above int) Row {
	row := Row{Op: '=', Word: f.Word(), Pointer: f.Pointer, Place: f.Place, Detail: f.Detail, Gate: f.Detail, Finding: true}
	if f.Warning {
		row.Op = 'W'
	}
	if len(f.All) != above {
		row.Names = text.List(f.All, maxSaidNames)
	}
	return row
}

// markQuotes marks the sentences that findings quote where they stand below, in » «, and takes
// the quotes out of the findings.
func markQuotes(rows []Row, findings int) {
	for i := range rows[:findings] {
		what, quoted, found := strings.Cut(rows[i].Detail, `: "`)
		if !found || rows[i].Op == 'W' || strings.Contains(quoted, "<U+") {
			continue
		}
		quoted, more, _ := strings.Cut(quoted+" ", `" `)
		quotes, marked := strings.Split(quoted, `", "`), 0
		for _, quote := range quotes {
			if markQuote(rows[findings:], quote) {
				marked++
			}
		}
		if marked == len(quotes) {
			rows[i].Detail = what
			if strings.Contains(more, "more") {
				rows[i].Detail += ", the first marked"
			}
		}
	}
}

func markQuote(rows []Row, quote string) bool {
	quote, _, cut := strings.Cut(quote, "<and ")
	parts := strings.Split(quote, "⏎")
	begin := strings.TrimSpace(parts[0])
	for i := range rows {
		for j := range rows[i].Lines {
			lines := rows[i].Lines[j].Text
			for k := range lines {
				for l := range lines[k].Runs {
					run := &lines[k].Runs[l]
					at := strings.Index(run.Text, begin)
					if at < 0 || run.Op == '-' || begin == "" || at > 0 && strings.HasSuffix(run.Text[:at], "»") {
						continue
					}
					end := at + len(begin)
					if cut || len(parts) > 1 {
						end += len(strings.TrimRight(cmp.Or(slices.Concat(diff.Sentences(run.Text[end:]), []string{""})[0]), " "))
					}
					run.Text = run.Text[:at] + "»" + run.Text[at:end] + "«" + run.Text[end:]
					return true
				}
			}
		}
	}
	return false
}

// labelCounts is "output-schema 3, sdk-churn", in the order of the edits.
func labelCounts(edits []*edit) string {
	var said []string
	count := map[string]int{}
	for _, e := range edits {
		id := e.Label.ID()
		if count[id]++; count[id] == 1 {
			said = append(said, id)
		}
	}
	for i, id := range said {
		if count[id] > 1 {
			said[i] += " " + strconv.Itoa(count[id])
		}
	}
	return strings.Join(said, ", ")
}
