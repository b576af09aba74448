package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/layout"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/signature"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// A change is a row about what changed in an entry: a line that differs, lines that were added or removed, or an edit
// that no line shows. Or it is a part of a new definition.
type change struct {
	of  *drifted
	row Row

	// The pointer of its line.
	at string

	// The highest-ranked label of its edits.
	label label.Label

	// breaks: an edit breaks callers. unseen: an edit is invisible to a reader. cameWhole: its line is new.
	breaks, unseen, cameWhole bool

	// key is equal for changes of different entries that are printed alike. part is such a key for the parts of new
	// definitions. Either is "" if there is nothing to share.
	key, part string

	// The change is a part of a new definition (isPart), and line is the index of its line there.
	isPart bool
	line   int

	// The shared changes that it belongs to; or nil.
	shared *SharedChanges
}

// isWhy reports whether a change contains the reason why its entry is read first.
func (c *change) isWhy() bool { return c.at == c.of.why }

// A describer describes the definitions of an entry, and how they differ.
type describer struct {
	*drifted
	*description
	budget *effort.Budget
	room   *int // of the run's descriptions

	// The edits that rows show.
	shown map[*diff.Change]bool
}

// A description has the lines of two definitions, pinned (0) and captured (1), also by their pointers. One of the two
// may be absent.
type description struct {
	lines []*line
	at    [2]map[string]*line

	// The pointers of edits.
	edited map[string]bool

	// The outermost lines inside a value, by the pointer of the value.
	within map[string][]*line
}

// A line is a line of either definition, or of both.
type line struct {
	// The pinned line and the captured one; nil: it isn't there.
	was, is *signature.Line

	// The line that this one is in, or nil, and the lines in this one.
	above *line
	below []*line

	// The edits in it, or in a part of it that has no line.
	edits []*diff.Change

	// What a line directly in it uses of it, and there may be thousands of these: a few of the edits (see borrowed),
	// whether an edit isn't minor, and whether its phrase describes another number of lists.
	fewEdits             []*diff.Change
	isMajor, isOtherList bool
}

func (l *line) now() *signature.Line { return cmp.Or(l.is, l.was) }

func (l *line) isPaired() bool { return l.was != nil && l.is != nil }

// describe describes two definitions, and takes the size of pointers and places from room. It pairs the lines that edits
// compare, but not those of a value that was replaced as a whole, or removed, because another value may have its pointer
// now. moved maps the pointers of moved values to their old pointers.
func describe(room *int, entryType pin.EntryType, old, new jsontree.Value, moved map[string]string, edits ...*diff.Change) *description {
	s := &description{at: [2]map[string]*line{{}, {}}, edited: map[string]bool{}, within: map[string][]*line{}}
	var pinned []*line
	before, now := signature.Describe(entryType, old, room), signature.Describe(entryType, new, room)
	for i := range before {
		l := &line{was: &before[i]}
		s.at[0][l.was.Pointer] = l
		pinned = append(pinned, l)
	}
	left := map[string]bool{} // the old pointers of values that are elsewhere, or gone
	for _, was := range moved {
		left[was] = true
	}
	for _, e := range edits {
		s.edited[e.Pointer] = true
		left[e.Pointer] = left[e.Pointer] || e.Old.Kind != 0 && (e.New.Kind == 0 || len(e.Old.Parts) > 0 && len(e.New.Parts) > 0)
	}
	for i := range now {
		is := &now[i]
		l := s.at[0][is.Pointer]
		for around := is.Pointer; ; around = above(around) {
			if was, found := moved[around]; found {
				l = s.at[0][was+is.Pointer[len(around):]]
				break
			} else if left[around] {
				l = nil
				break
			} else if around == "" {
				break
			}
		}
		isOther := l != nil && l.was.Name != is.Name && above(is.Pointer) == "/arguments"
		if l == nil || l.is != nil || isOther { // only its name identifies an argument
			l = &line{}
		}
		l.is = is
		s.at[1][is.Pointer] = l
		s.lines = append(s.lines, l)
	}
	s.lines = append(s.lines, slices.DeleteFunc(pinned, (*line).isPaired)...)
	for _, l := range s.lines {
		around := above(l.now().Pointer)
		side := lint.BoolToInt(l.is != nil)
		if around != "" {
			l.above = s.nearest(side, around)
		}
		if l.above == nil {
			continue
		}
		l.above.below = append(l.above.below, l)
		s.within[around] = append(s.within[around], l)
		for s.at[side][around] != l.above {
			around = above(around)
			s.within[around] = append(s.within[around], l)
		}
	}
	return s
}

// nearest returns the line of a pointer or, if there is none, of the closest value around it; or nil.
func (s *description) nearest(side int, pointer string) *line {
	for pointer != "" && s.at[side][pointer] == nil {
		pointer = above(pointer)
	}
	return s.at[side][pointer]
}

// place returns the place of a pointer in a definition, for people.
func (s *description) place(side int, pointer string) string {
	l := s.nearest(side, pointer)
	if l == nil {
		return text.QuoteWholePointer(pointer)
	}
	of := [...]*signature.Line{l.was, l.is}[side]
	return of.Place + text.QuoteWholePointer(pointer[len(of.Pointer):])
}

// above returns a pointer without its last step: the pointer to the value around it.
func above(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

// isIn reports whether a pointer equals around or leads into it.
func isIn(pointer, around string) bool { return strings.HasPrefix(pointer+"/", around+"/") }

// inside lists a line and all lines in it.
func (l *line) inside() (list []*line) {
	list = []*line{l}
	for _, part := range l.below {
		list = append(list, part.inside()...)
	}
	return list
}

// describe makes the rows of an entry. They don't depend on what else is shown.
func (r *Report) describe(e *drifted) {
	if e.ChangesUnknown() {
		if !r.Bounded {
			(&describer{drifted: e}).wholes()
		}
		return
	}
	var sides [2]jsontree.Value
	for i, p := range [...]*pin.Pin{e.Previous, e.Captured} {
		if p != nil {
			sides[i] = p.ReviewTree()
		}
	}
	if e.Kind != pin.DriftAdded {
		// Unchanged members have no rows. The new definition of a renamed entry is shown whole, so it keeps them.
		sides = differing(sides)
	}
	d := &describer{e, describe(&r.room, e.Type, sides[0], sides[1], e.OldPointers, e.Edits...), r.Budget, &r.room, map[*diff.Change]bool{}}
	if len(e.Edits) > 0 {
		d.compare()
	}
	d.wholes()
	if len(e.Name) > text.MaxName && e.Kind != pin.DriftAdded { // the heading shows only the beginning of the name
		shown := layout.ValueLines('=', jsontree.String(e.Name), true)
		d.whole = append(d.whole, Row{Op: '!', Word: "its whole name", DefinitionLine: DefinitionLine{Text: shown}})
	}
	if r.shares() {
		d.findKeys()
	}
}

// differing returns two definitions without the objects and arrays that they have in common.
func differing(sides [2]jsontree.Value) (parts [2]jsontree.Value) {
	for i, side := range sides {
		parts[i] = jsontree.FilterParts(side, func(m *jsontree.Member) bool {
			other := sides[1-i].Get(m.Name)
			return m.Kind != '{' && m.Kind != '[' || !jsontree.Equal(m.Value, other)
		})
	}
	return parts
}

// compare makes the rows for the changes: one for each signature line that differs, and one for each change that no
// line shows.
func (d *describer) compare() {
	for _, e := range d.Edits {
		isOfRequired := isOfRequired(e)
		l := d.at[sideOf(e)][e.Pointer]
		if isParameter := l != nil && l.above != nil; isParameter || !isUnsaid(e.Pointer) {
			d.attach(e, isOfRequired)
		}
		if e.Minor() || isOfRequired {
			row := d.unshown(e)
			row.Minor = true
			row.Op = '~'
			// No line shows the order of required names.
			if !e.Minor() {
				row.Word = label.EquivalentForm.Words()
			}
			d.minor = append(d.minor, row)
		}
	}
	for _, l := range d.lines {
		l.isMajor = slices.ContainsFunc(l.edits, func(e *diff.Change) bool { return !e.Minor() })
		l.isOtherList = l.isPaired() && strings.Count(l.was.Phrase, " of ") != strings.Count(l.is.Phrase, " of ")
	}
	for _, l := range d.lines {
		d.differs(l)
	}
	for _, e := range d.Edits {
		if !e.Minor() && !d.shown[e] {
			d.add(&line{was: &signature.Line{Pointer: e.Pointer}}, []*diff.Change{e}, d.unshown(e))
		}
	}
	slices.SortStableFunc(d.changes, func(a, b *change) int {
		return cmp.Or(lint.BoolToInt(b.isWhy())-lint.BoolToInt(a.isWhy()), cmp.Compare(a.label, b.label))
	})
}

// isOfRequired reports whether an edit is about a list of required names. A parameter may be called required, but no
// schema is a list.
func isOfRequired(e *diff.Change) bool {
	return strings.HasSuffix(e.Pointer, "/required") && (e.Old.Kind == '[' || e.New.Kind == '[')
}

// sideOf returns the side that the pointer of an edit leads into: the pinned (0) or the captured (1) definition.
func sideOf(e *diff.Change) int {
	return lint.BoolToInt(e.New.Kind != 0 || e.Old.Kind == 0)
}

// isUnsaid reports whether a pointer leads to a member that a line may leave out: a title that repeats a name, or a
// dialect.
func isUnsaid(pointer string) bool {
	return strings.HasSuffix(pointer, "/title") || strings.HasSuffix(pointer, "/$schema")
}

// attach adds an edit to the line that it concerns or, if it concerns several lines inside (all parameters, or those
// whose required changed), to each of these.
func (d *describer) attach(e *diff.Change, isOfRequired bool) {
	around := d.nearest(sideOf(e), e.Pointer)
	if around == nil {
		return
	}
	parts := d.within[e.Pointer]
	if isOfRequired && d.at[sideOf(e)][above(e.Pointer)] == around {
		isOther := func(l *line) bool { return !l.isPaired() || l.was.Required == l.is.Required }
		parts = slices.DeleteFunc(slices.Clone(around.below), isOther)
	}
	// A list of required names that aren't all parameters is among the keywords of the line around it.
	isKeyword := func(l *signature.Line) bool { return l != nil && l.UnshownKeywords.Has("required") }
	if len(parts) == 0 || isOfRequired && (isKeyword(around.was) || isKeyword(around.is)) {
		parts = append(parts, around)
	}
	for _, l := range parts {
		l.edits = append(l.edits, e)
	}
}

// labelOf returns the label of an edit that is about a line.
func (l *line) labelOf(e *diff.Change) label.Label {
	pointer := l.now().Pointer
	k := e.Label
	switch {
	case isIn(e.Pointer, pointer):
		return k
	case k == label.RequiredParameterAdded && !l.now().Required:
		return label.ParameterAdded
	case isOfRequired(e):
		k = label.ParameterOptional
		if l.now().Required {
			k = label.ParameterRequired
		}
		if strings.HasPrefix(pointer, "/outputSchema/") {
			k = k.InOutputSchema()
		}
	}
	return k
}

// differs adds the rows of a line that changed: one for its phrase, one for its values. A line that was added or
// removed has one row with all lines inside it.
func (d *describer) differs(l *line) {
	row := Row{Op: '!', DefinitionLine: DefinitionLine{Place: l.now().Place}, Pointer: text.QuoteWholePointer(l.now().Pointer)}
	if isUnsaid(l.now().Pointer) && d.edited[l.now().Pointer] && l.now().Text.Kind != 0 && l.now().Phrase == "" && l.above == nil {
		return
	}
	if l.isPaired() {
		if l.was.Phrase != l.is.Phrase {
			row.Phrase = d.reworded(l.was, l.is)
			if l.was.Place != l.is.Place && l.was.Pointer != l.is.Pointer {
				row.Phrase = joined("; ", row.Phrase, "was "+l.was.Place)
			}
		}
		if row = row.own(d.values(l, false)); row.Phrase != "" || row.Text != nil || row.Lines != nil {
			d.add(l, l.edits, row)
		}
		return
	}
	if l.above != nil && !l.above.isPaired() {
		return // the row of the enclosing line includes it
	}
	d.add(l, nil, d.part(row, "-+"[lint.BoolToInt(l.is != nil)], l))
}

// add adds a row about a line, with the labels of edits; without edits, with the labels of those of the lines inside,
// or else of the line around it. It marks the edits as shown. If all edits are minor, it adds a row only if the line
// shares words (see sharesWords).
func (d *describer) add(l *line, edits []*diff.Change, row Row) {
	at := l.now().Pointer
	c := &change{of: d.drifted, at: at, cameWhole: l.was == nil}
	if isIn(d.Reason.Pointer, at) && len(at) > len(d.why) {
		d.why = at
	}
	for _, part := range l.inside() {
		if len(edits) == 0 || !l.isPaired() {
			edits = append(edits, part.edits...)
		}
	}
	if len(edits) == 0 && l.above != nil {
		edits = d.borrowed(l.above)
	}
	var labels []label.Label
	for _, e := range edits {
		d.shown[e] = d.shown[e] || e.Old.Kind != 0 || e.New.Kind != 0
		if e.Minor() {
			continue
		}
		labels = append(labels, l.labelOf(e))
		c.breaks = c.breaks || e.Severity == label.Breaking
		if e.IsInvisible {
			c.unseen = true
			row.Phrase = joined("; ", unseen(e), row.Phrase)
		}
	}
	isMinor := len(edits) > 0 && labels == nil
	if isMinor && !l.sharesWords() || l.is != nil && d.RenamedFrom != "" {
		return // the whole definition of a renamed entry is shown
	}
	if isMinor {
		labels = append(labels, label.EquivalentForm)
	}
	slices.Sort(labels)
	c.label = append(labels, label.OtherMember)[0]
	row.Word = c.label.Words()
	for _, k := range slices.Compact(labels) {
		if k != c.label {
			row.Word += ", " + k.Words()
		}
	}
	c.row = row
	d.changes = append(d.changes, c)
}

// sharesWords reports whether words may have moved between a line and the lines directly around and in it, so that an
// edit shown there changed this line: the phrase of a list describes its items if these have no line of their own.
func (l *line) sharesWords() bool {
	if !l.isPaired() {
		return l.above != nil && l.above.isOtherList && l.above.isMajor
	}
	return l.isOtherList && slices.ContainsFunc(l.below, func(part *line) bool { return part.isMajor })
}

// borrowed marks the edits of a line as shown, and returns one of them for each way in which they are labelled.
func (d *describer) borrowed(l *line) []*diff.Change {
	if l.fewEdits != nil {
		return l.fewEdits
	}
	type way struct {
		label.Label
		severity                           label.Severity
		isMinor, isOfRequired, isInvisible bool
	}
	known := map[way]bool{}
	for _, e := range l.edits {
		w := way{e.Label, e.Severity, e.Minor(), isOfRequired(e), e.IsInvisible}
		if known[w] && e.IsInvisible {
			continue // a row of its own says what is invisible
		}
		d.shown[e] = d.shown[e] || e.Old.Kind != 0 || e.New.Kind != 0
		if !known[w] {
			known[w] = true
			l.fewEdits = append(l.fewEdits, e)
		}
	}
	return l.fewEdits
}

// unshown makes the row of an edit that no line shows, or that is minor.
func (d *describer) unshown(e *diff.Change) Row {
	row := Row{Op: '!', Word: e.Label.Words(), DefinitionLine: DefinitionLine{Place: d.place(sideOf(e), e.Pointer)}, Pointer: text.QuoteWholePointer(e.Pointer)}
	if e.Old.Kind == 0 && e.New.Kind == 0 {
		row.Phrase = "moved"
	}
	if e.OldPointer != "" {
		was := d.place(0, e.OldPointer)
		// A place that is named by a constant of the alternative is the same on both sides. In that case, show the old
		// pointer.
		if was == row.Place {
			was = text.QuotePointer(e.OldPointer)
		}
		row.Phrase = joined("; ", row.Phrase, "was "+was)
	}
	if lines := d.value([]*diff.Change{e}, layout.SummarizeIcons(e.Pointer, e.Old), layout.SummarizeIcons(e.Pointer, e.New), row.Place, false); lines != nil {
		row = row.own(lines)
	}
	return row
}

// rows lists the rows of a block: its findings, then its changes or its definitions, then what is minor.
func (b *ReviewBlock) rows() (rows []Row) {
	e := b.of[0]
	for _, f := range b.findings {
		row := Row{Op: '=', Word: f.Heading(), Pointer: f.Pointer, DefinitionLine: DefinitionLine{Place: f.Place, Phrase: f.Detail}, Finding: true}
		if f.Warning {
			row.Op = 'W'
		}
		rows = append(rows, row)
	}
	for _, c := range e.changes {
		rows = append(rows, c.row)
	}
	rows = append(rows, e.whole...)
	return append(rows, e.minor...)
}

// tell records in the row of a change, or in the line of a part, the number of the shared changes that include it.
func (c *change) tell() {
	l := &c.row.DefinitionLine
	if c.isPart {
		l = &c.of.whole[0].Lines[c.line]
		l.AlwaysPrinted = strings.Contains(c.at, "/properties/") // its name
	}
	l.SharedNumber = c.shared.Number
}

// notStored is printed in place of a definition.
const notStored = "its definition was not stored (hashOnly)"

// wholes adds the rows of definitions that are shown whole: the pinned one of a REMOVED entry, the captured one of any
// other. For an entry that isn't described, because of a limit, it adds both.
func (d *describer) wholes() {
	isDescribed := d.description != nil
	if isDescribed && (d.RenamedTo != "" || diff.IsComparable(&d.Drift)) {
		return
	}
	if d.Locked != nil && (!isDescribed || d.Kind == pin.DriftRemoved) {
		d.addWhole('-', d.Locked)
	}
	for _, p := range d.DistinctCopies() {
		d.addWhole('+', &p)
	}
}

// addWhole adds the row of one definition.
func (d *describer) addWhole(op byte, p *pin.Pin) {
	isDescribed := d.description != nil
	row := Row{Op: op, Minor: isDescribed && d.Kind == pin.DriftRemoved}
	if !isDescribed || d.Kind == pin.DriftDuplicate {
		row.Word = short(p.Digest)
	}
	switch {
	case p.Definition == nil:
		row.Phrase = notStored
	case !isDescribed: // in JSON, as one text, because there may be millions of values
		row.Text = []layout.Line{{Sign: op, Runs: []layout.Run{{Op: op, Text: layout.CompactJSON(p.ReviewTree())}}}}
	case d.Kind == pin.DriftDuplicate:
		row.Lines = d.laidOut(describe(d.room, d.Type, jsontree.Value{}, p.ReviewTree(), nil))
		for j := range row.Lines {
			row.Lines[j].Place = "" // so that nothing refers to one of several definitions
		}
	default:
		row.Lines = d.laidOut(d.description)
	}
	d.whole = append(d.whole, row)
}

// laidOut lays out a whole definition. For a renamed entry, it marks what differs. The hints of a tool share a line.
func (d *describer) laidOut(s *description) (lines []DefinitionLine) {
	for _, l := range s.lines {
		switch {
		case d.RenamedFrom == "":
			lines = append(lines, laidOut('=', l.now())...)
		case l.isPaired():
			both := d.values(l, true)
			if both[0].Phrase = l.is.Phrase; l.was.Phrase != l.is.Phrase {
				both[0].Phrase = d.phrase(l.was.Phrase, l.is.Phrase)
			}
			lines = append(lines, both...)
		case l.is != nil:
			came := laidOut('+', l.is)
			came[0].Phrase = strings.TrimRight("+ "+came[0].Phrase, " ")
			lines = append(lines, came...)
		}
		if n := len(lines); n > 1 && lines[n-2].isHint && lines[n-1].isHint {
			lines[n-2].Phrase += ", " + lines[n-1].Phrase
			lines = lines[:n-1]
		}
	}
	return lines
}

// untitled returns keywords without the title.
func untitled(keywords jsontree.Value) jsontree.Value {
	kept := jsontree.FilterParts(keywords, func(m *jsontree.Member) bool { return m.Name != "title" })
	if len(kept.Parts) == 0 {
		return jsontree.Value{}
	}
	return kept
}

// values lays out the values of a line that is in both definitions, without its phrase: with isWhole all values,
// otherwise only the differences.
func (d *describer) values(l *line, isWhole bool) []DefinitionLine {
	own := lineOf(l.is)
	own.Phrase = ""
	lines := []DefinitionLine{own}
	if said := d.value(l.edits, l.was.Text, l.is.Text, l.is.Place, isWhole); said != nil {
		lines[0].Text = said[0].Text
		lines[0].Phrase = said[0].Phrase
		lines = append(lines, said[1:]...)
	}
	was, is := l.was.UnshownKeywords, l.is.UnshownKeywords
	if !isWhole && (d.edited[l.is.Pointer+"/title"] || jsontree.Equal(was.Get("title"), is.Get("title"))) { // a title has a row of its own
		was, is = untitled(was), untitled(is)
	}
	for _, line := range d.value(l.edits, was, is, l.is.Place, isWhole) {
		lines = append(lines, keywords(line.Text, l.is))
	}
	return lines
}

// reworded describes which parts of a phrase were added, removed or changed.
func (d *describer) reworded(was, is *signature.Line) string {
	without := func(parts, others []string) string {
		left := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return slices.Contains(others, part) })
		return strings.Join(left, ", ")
	}
	went := without(was.Parts, is.Parts)
	came := without(is.Parts, was.Parts)
	switch {
	case went == "" && came == "":
		return d.phrase(was.Phrase, is.Phrase)
	case went == "":
		return "+ " + came
	case came == "":
		return "- " + went
	}
	return d.phrase(went, came)
}

// phrase marks the differences of two phrases. It returns both phrases whole if they contain a text that could pass for
// the end of a mark.
func (d *describer) phrase(old, new string) (said string) {
	if layout.Confusable(old, new) {
		inASCII := func(s string) string { return string(text.AppendPrintable(nil, s, true)) }
		old = beyondASCII().ReplaceAllStringFunc(old, inASCII)
		new = beyondASCII().ReplaceAllStringFunc(new, inASCII)
	}
	pieces := words.DiffPhrases(d.budget, old, new)
	if pieces == nil || strings.Contains(old, "-]") || strings.Contains(new, "+}") {
		return old + " -> " + new
	}
	marks := map[byte][2]string{'-': {"[-", "-]"}, '+': {"{+", "+}"}}
	for _, piece := range pieces {
		said += marks[piece.Op][0] + piece.Text + marks[piece.Op][1]
	}
	return said
}

var beyondASCII = text.LazyRegexp(`[^\x00-\x7e]`)

// value lays out the differences of two values, using the edits about them; with isWhole, the whole new value.
func (d *describer) value(edits []*diff.Change, old, new jsontree.Value, place string, isWhole bool) []DefinitionLine {
	const short = 60 // up to this total length in bytes, words are marked even if most of them differ
	isText := old.Kind == '"' && new.Kind == '"'
	var shown []layout.Line
	if jsontree.Equal(old, new) {
		if !isWhole || new.Kind == 0 {
			return nil
		}
		shown = layout.ValueLines('=', new, false)
	} else if isText && isWhole {
		if pieces := words.DiffWords(d.budget, old.Text, new.Text); pieces != nil && !words.IsTooDifferent(pieces) {
			shown = layout.WordDiffLines(pieces)
		}
	} else if e := compared(edits, old, new); e != nil && e.Label == label.IndentationChanged {
		return []DefinitionLine{{Phrase: indentation(words.IndentChange(old.Text, new.Text)), Place: place}}
	} else if e != nil {
		return sentences(place, e)
	} else if old.Kind != 0 && new.Kind != 0 {
		was := layout.CompactJSON(old)
		is := layout.CompactJSON(new)
		if pieces := words.DiffPhrases(d.budget, was, is); pieces != nil && (len(was)+len(is) <= short || !words.IsTooDifferent(pieces)) {
			shown = []layout.Line{{Sign: '=', Runs: []layout.Run{{Op: '!', Text: d.phrase(was, is)}}}}
		}
	}
	if shown == nil {
		shown = twoSides(old, new, layout.Confusable(old.Text, new.Text))
	}
	return []DefinitionLine{{Text: shown, Place: place}}
}

// compared returns the edit that compared these two texts sentence by sentence, or nil. If either text is empty or
// absent, it returns nil, so that the row shows whether the text is empty or absent.
func compared(edits []*diff.Change, old, new jsontree.Value) *diff.Change {
	isOfTexts := func(e *diff.Change) bool {
		return e.ComparedBySentence && len(e.TextEdits) > 0 && e.Old.Text == old.Text && e.New.Text == new.Text
	}
	if at := slices.IndexFunc(edits, isOfTexts); at >= 0 && old.Text != "" && new.Text != "" {
		return edits[at]
	}
	return nil
}

// indentation describes how the lines of a text were indented. by is a sign, then the whitespace.
func indentation(by string) string {
	did := map[byte]string{'+': "gets", '-': "loses"}[by[0]]
	return "every line but the first " + did + " " + text.SpellWhitespace(by[1:]) + " at its start"
}

// part returns a row with a part of a definition. sign is '=' for a part of a new definition.
func (d *describer) part(row Row, sign byte, l *line) Row {
	var lines []DefinitionLine
	for _, part := range l.inside() {
		lines = append(lines, laidOut(sign, part.now())...)
	}
	// The place of a prompt's argument has only a number, and that of an alternative with a constant lacks the keyword.
	isAlternative := strings.HasSuffix(row.Place, ")") && strings.HasSuffix(lines[0].Name, ")")
	if strings.HasPrefix(row.Place, "/arguments/") || isAlternative {
		lines[0].Phrase = joined("  ", lines[0].Name, lines[0].Phrase)
	}
	// If there is only a text, its gutter shows the sign.
	if lines[0].Phrase != "" || !slices.ContainsFunc(lines, func(l DefinitionLine) bool { return l.Text != nil }) {
		lines[0].Phrase = joined(" ", strings.TrimLeft(string(sign), "="), lines[0].Phrase)
	}
	return row.own(lines)
}

// lineOf lays out a line without its values.
func lineOf(l *signature.Line) DefinitionLine {
	return DefinitionLine{Depth: l.Depth, Name: l.Name, Phrase: l.Phrase, Place: l.Place, pointer: l.Pointer, isHint: l.IsHint}
}

// keywords returns the line below l for its keywords. Without a word of its own, it would read like the end of the text
// above it.
func keywords(shown []layout.Line, l *signature.Line) DefinitionLine {
	return DefinitionLine{Depth: l.Depth + 1, Phrase: "keywords", Text: shown, Place: l.Place + " (keywords)"}
}

// laidOut lays out a line of a definition, and below it the keywords that its phrase doesn't cover.
func laidOut(sign byte, l *signature.Line) []DefinitionLine {
	own := lineOf(l)
	own.Text = layout.ValueLines(sign, l.Text, false)
	if l.UnshownKeywords.Kind == 0 {
		return []DefinitionLine{own}
	}
	return []DefinitionLine{own, keywords(layout.ValueLines(sign, l.UnshownKeywords, false), l)}
}

// sentences makes lines of the edited sentences of a text.
func sentences(place string, e *diff.Change) (lines []DefinitionLine) {
	for _, s := range e.TextEdits {
		line := DefinitionLine{Text: editLines(s), Place: place}
		if s.UnitsBefore == 0 {
			line.Phrase = "before " + s.Unit + " 1"
		} else if s.UnitsBefore > 0 {
			line.Phrase = "after " + s.Unit + " " + text.FormatNumber(s.UnitsBefore)
		}
		if n := len(lines); n > 0 && line.Phrase == "" && lines[n-1].Phrase == "" {
			lines[n-1].Text = append(lines[n-1].Text, line.Text...)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// editLines lays out one edit of a text.
func editLines(s words.Edit) []layout.Line {
	if s.WhitespaceChanged {
		return slices.Concat(layout.WhitespaceLines('-', s.Old), layout.WhitespaceLines('+', s.New))
	}
	if s.Pieces != nil {
		return layout.WordDiffLines(s.Pieces)
	}
	var sides [2]jsontree.Value // what was added has no old text
	for i, text := range []string{s.Old, s.New} {
		if text != "" {
			sides[i] = jsontree.String(text)
		}
	}
	return twoSides(sides[0], sides[1], layout.Confusable(s.Old, s.New))
}

// twoSides lays out an old and a new value, each whole.
func twoSides(old, new jsontree.Value, exact bool) []layout.Line {
	return append(layout.ValueLines('-', old, exact), layout.ValueLines('+', new, exact)...)
}

// CountMinor counts the minor changes of blocks by label.
func CountMinor(blocks []*ReviewBlock) string {
	var entries []*drifted
	for _, b := range blocks {
		entries = append(entries, b.of...)
	}
	return minorText(entries)
}

// minorText counts the minor changes of entries by label: "other order (3); hint stated".
func minorText(entries []*drifted) string {
	count := map[label.Label]int{}
	for _, e := range entries {
		for _, one := range e.Edits {
			count[one.Label] += lint.BoolToInt(one.Minor())
		}
	}
	var said []string
	for _, k := range label.All() {
		if n := count[k]; n > 1 {
			said = append(said, k.Words()+" ("+strconv.Itoa(n)+")")
		} else if n == 1 {
			said = append(said, k.Words())
		}
	}
	return strings.Join(said, "; ")
}
