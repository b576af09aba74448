package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A TextStyle is how text is laid out, and whether anything is summed up.
type TextStyle struct {
	Colored bool
	Width   int  // columns; 0: lineWidth
	Full    bool // show everything, with nothing summed up
}

// A textWriter prints reports for a person. It keeps the first write error.
type textWriter struct {
	w io.Writer
	TextStyle
	err   error
	brief bool             // something was summed up
	at    *group           // the group that is printed; nil: none
	shown map[string]place // where each longer text and value was shown, by its JSON

	lastShape place // the line that said how a schema changed
}

// NewText returns a writer of the text of a report.
func NewText(w io.Writer, style TextStyle) *textWriter {
	style.Width = max(leastWidth, cmp.Or(style.Width, lineWidth))
	return &textWriter{w: w, TextStyle: style, shown: map[string]place{}}
}

// paint colours one piece of a line, already printable, by its meaning. Nothing is
// said by colour alone.
func (t *textWriter) paint(op byte, text string) string {
	attributes := map[byte][]color.Attribute{
		'*': {color.Bold}, '+': {color.FgGreen}, '-': {color.FgRed}, '!': {color.FgYellow}, 'W': {color.Bold, color.FgRed}, '~': {color.Faint},
	}
	if !t.Colored || attributes[op] == nil || text == "" {
		return text
	}
	c := color.New(attributes[op]...)
	c.EnableColor() // the library looks at the process's own output, our caller at this writer
	return c.Sprint(text)
}

func (t *textWriter) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// say prints words of ours, wrapped. A continued line has a gutter of its own: the words
// may quote a server, and server text must not begin a line.
func (t *textWriter) say(indent string, runs ...segment) {
	t.sayAligned(indent, strings.Repeat(" ", utf8.RuneCountInString(indent))+"  : ", runs...)
}

// sayAligned is say with next before each continued line.
func (t *textWriter) sayAligned(indent, next string, runs ...segment) {
	room := t.Width - utf8.RuneCountInString(indent)
	width := max(leastWidth/2, t.Width-utf8.RuneCountInString(next))
	for _, l := range (line{runs: runs}).wrap(max(width/2, room), width) {
		for i, r := range l.runs {
			if i == len(l.runs)-1 {
				r.text = strings.TrimRight(r.text, " ")
			}
			indent += t.paint(r.op, r.text)
		}
		t.printf("%s\n", indent)
		indent = next
	}
}

// Hint prints a step. A command is never wrapped, so that it can be pasted.
func (t *textWriter) Hint(s step) {
	if s.Command == "" {
		t.say("hint: ", segment{'=', s.Text})
	} else {
		t.printf("hint: %s: %s\n", s.Text, s.Command)
	}
}

// lines prints server text after its gutter, laid out for the width that is left.
func (t *textWriter) lines(indent string, lay func(width int) []line) {
	for _, l := range lay(max(leastWidth/2, t.Width-len(indent)-len("  | "))) {
		t.printf("%s%s\n", indent, l.text(t.paint))
	}
}

// WriteVerify prints the gate's answer.
func WriteVerify(w io.Writer, r *Report, style TextStyle, quiet bool) error {
	t := NewText(w, style)
	if r.Matches {
		line := r.verdictLine()
		switch n := len(r.approvedBefore()); {
		case quiet:
			return nil
		case n == 1:
			line += ": " + r.ReviewStep().Command + " shows it"
		case n > 1:
			line += ": " + r.ReviewStep().Command + " shows them"
		}
		t.printf("%s\n", t.paint('+', line))
		t.unrecorded(r)
		return t.err
	}
	problems := t.otherServers(r)
	left := t.blocks(r, len(r.Comparisons) > 1 && !t.Full)
	if r.cost.before != r.cost.after && r.costText() != "" {
		t.say("", segment{'=', r.costText()})
	}
	t.verdict(r)
	for _, p := range problems {
		if p.id != "no-capture" { // a line has said it, and the error says what to do
			t.Hint(p.step)
		}
	}
	if left {
		t.Hint(step{"every entry", r.Next.To("verify", "--full")})
	}
	if r.verdictWord() == "DRIFT" || len(r.Drifts) > 0 {
		t.Hint(r.ReviewStep())
	}
	t.folder(r)
	if len(r.Drifts) == 0 {
		for _, s := range r.recordSteps() {
			t.Hint(s)
		}
	}
	return t.err
}

// otherServers prints which captures look like those of another server. It returns the
// problems that are still to be printed.
func (t *textWriter) otherServers(r *Report) (left []problem) {
	for _, p := range r.problems() {
		if p.id == "other-server" {
			t.say("", segment{'!', p.Text})
			if p.Text = "if it is one"; p.Command == "" {
				continue
			}
		}
		left = append(left, p)
	}
	return left
}

// unrecorded prints, below an answer without drift, the warnings that are not on record.
func (t *textWriter) unrecorded(r *Report) {
	t.Findings(r, "  ", inOthersTitle, r.inOtherServers())
	for _, s := range r.recordSteps() {
		t.Hint(s)
	}
}

// verdict prints the verdict line, with new warnings in their own colour.
func (t *textWriter) verdict(r *Report) {
	op := byte('!')
	if r.Failed {
		op = '-'
	}
	warning := r.warningText(maxSaidNames)
	t.say("", segment{op, r.verdictWord() + ": "}, segment{'W', warning}, segment{op, strings.TrimPrefix(r.verdictText(), warning)})
}

// Limits on the detail that the gate prints. BLOCK lines are never left out.
const (
	maxGateChanges = 20    // changes per group
	maxGateLines   = 1_000 // lines of detail in all
)

// Blocks prints a BLOCK or WARN line for every drift. What changed stands once, below
// all the entries that changed alike.
func (t *textWriter) Blocks(r *Report) { t.blocks(r, false) }

// blocks is Blocks. With brief it prints one line for each server, and below that the lines
// of what has a warning, HIDDEN or DUPLICATE. It reports whether it left others out.
func (t *textWriter) blocks(r *Report, brief bool) (left bool) {
	shown := func(g *group) bool { return !brief || g.class <= rankHidden }
	rows, width, room := make([][]row, len(r.groups)), 0, maxGateLines
	for i, g := range r.groups {
		if !shown(g) {
			left = true
			continue
		}
		all := r.groupRows(g, g.minor && len(g.edits) <= maxSaidChanges, maxGateChanges)
		rows[i] = all[:min(len(all), max(0, room))]
		room -= len(all)
		for _, row := range rows[i] {
			if row.rest() != "" {
				width = max(width, len(row.Word))
			}
		}
	}
	t.Findings(r, "", "", lint.WarningsIn(r.General()))
	blocking := r.blocking()
	for i, f := range blocking {
		if i == 0 || f.Ref() != blocking[i-1].Ref() {
			ref := "capture"
			if !f.WholeServer {
				ref = pin.EntryRef(f.List, f.Entry)
			}
			t.block(!r.WarnOnly, "[WARNING] "+ref+r.serverField(f.Server))
		}
		t.gateRow(collapsedFinding{Finding: f}.row(0, 0), width)
	}
	for i, g := range r.groups {
		if brief && r.opensServer(g) {
			server := r.first(g).Server
			fails := slices.ContainsFunc(r.Drifts, func(d pin.Drift) bool { return d.Server == server && r.Blocked[d.Ref()] })
			t.block(fails, "server="+text.Name(server)+"  "+r.serverText(server, false))
		}
		if !shown(g) {
			continue
		}
		for _, at := range g.drifts {
			d := &r.Drifts[at]
			t.block(r.Blocked[d.Ref()], "["+string(d.Kind)+"] "+pin.EntryRef(d.Type, d.Name)+r.serverField(d.Server))
		}
		for _, row := range rows[i] {
			t.gateRow(row, width)
		}
	}
	for i := range r.Comparisons {
		if p := &r.Comparisons[i]; p.Missing {
			t.block(r.NoAnswer != nil, "[MISSING] server="+text.Name(p.Server))
			t.say("  | ", segment{'=', pin.CountPins(p.Locked.Pins).String() + " pinned, and no capture to hold against them"})
		}
	}
	if room < 0 {
		t.printf("  | %s of detail left out: %s\n", text.Count(-room, "line"), r.ReviewStep().Command)
	}
	return left
}

// block prints a line that begins with BLOCK or WARN: "[KIND] tool=NAME".
func (t *textWriter) block(fails bool, what string) {
	op, verb := byte('!'), "WARN"
	if fails {
		op, verb = '-', "BLOCK"
	}
	kind, rest, _ := strings.Cut(what, " ")
	t.printf("%s %s\n", t.paint(op, verb+" "+kind), rest)
}

func (t *textWriter) row(indent string, row row) {
	t.say(indent, segment{row.op, row.Word}, segment{'=', row.rest()})
}

// gateRow prints a row after the gate's gutter, with its word padded to width.
func (t *textWriter) gateRow(row row, width int) {
	if row.rest() != "" {
		row.Word = fmt.Sprintf("%-*s", width, row.Word)
	}
	t.sayAligned("  | ", "  :"+strings.Repeat(" ", min(width+3, t.Width/3)), segment{row.op, row.Word}, segment{'=', row.rest()})
}

// spaced puts two spaces before each part that isn't empty.
func spaced(parts ...string) (text string) {
	for _, part := range parts {
		if part != "" {
			text += "  " + part
		}
	}
	return text
}

// WriteDiff prints the review.
func WriteDiff(w io.Writer, r *Report, style TextStyle) error {
	t := NewText(w, style)
	if r.Matches {
		t.printf("%s\n", t.paint('+', r.verdictLine()))
		t.approvedBefore(r)
		t.unrecorded(r)
		return t.err
	}
	var groups bytes.Buffer
	inner := *t
	inner.w = &groups
	var before *group
	for _, groups := range t.together(r) {
		g := groups[0]
		if before == nil || !t.short(before) || !t.short(g) || r.opensServer(g) {
			inner.printf("\n")
		}
		before = g
		inner.groups(r, groups)
	}
	t.brief = inner.brief
	t.length(r, bytes.Count(groups.Bytes(), []byte("\n")))
	problems := t.otherServers(r)
	t.top(r)
	t.printf("%s", groups.Bytes())
	t.printf("\n")
	if t.brief {
		t.say("", segment{'~', "some of this is summed up in a line: --full shows all of it"})
	}
	t.verdict(r)
	for _, p := range problems {
		if p.Command == "" && r.NoAnswer == nil {
			t.Hint(p.step)
		}
	}
	t.leftOut(r)
	t.folder(r)
	for _, s := range append(r.NextSteps(), r.recordSteps()...) {
		t.Hint(s)
	}
	return t.err
}

// leftOut says how to see what --only leaves out.
func (t *textWriter) leftOut(r *Report) {
	if r.LeftOut > 0 {
		t.Hint(step{"with the " + text.Number(r.LeftOut) + " left out", r.Next.To("diff")})
	}
}

// servers says of each server that differs what drifted, the most dangerous first, and shows
// the sides of those that have no group to stand above.
func (t *textWriter) servers(r *Report, differ []*pin.Comparison) {
	for _, said := range r.byServer() {
		t.say("  ", segment{'*', said[0]}, segment{'=', "  " + said[1]})
	}
	for _, p := range differ {
		if r.Only == nil && !slices.ContainsFunc(r.Drifts, func(d pin.Drift) bool { return d.Server == p.Server }) {
			t.side("  ", r.side(p, t.Full))
		}
	}
}

// side says for one server what is compared with what.
func (t *textWriter) side(indent string, s sideText) {
	t.say(indent, segment{'*', joined("   ", s.server, s.old, "->", s.new)})
	for _, note := range s.notes {
		t.say(indent+"  ", segment{'=', note})
	}
}

// Above these limits a review says how long it is, and what shortens it: it is more than
// one sitting.
const (
	longReview = 60  // groups
	longLayout = 300 // lines
)

// length says how long a long review is.
func (t *textWriter) length(r *Report, lines int) {
	if len(r.groups) <= longReview && lines <= longLayout || len(r.groups) == 1 {
		return
	}
	t.say("", segment{'!', "a long review: " + text.Count(len(r.groups), "change") + " in " + text.Count(lines, "line")})
	t.Hint(step{"its shape first", r.Next.To("diff", "--stat")})
	t.Hint(step{"then a part (a name, added, warnings, a label)", r.Next.To("diff", "--only SELECTOR")})
}

// short reports whether a group takes one line.
func (t *textWriter) short(g *group) bool { return g.minor && !t.Full }

// together lists what is printed in one go.
func (t *textWriter) together(r *Report) [][]*group {
	if !t.Full {
		return r.together()
	}
	var list [][]*group
	for _, g := range r.groups {
		list = append(list, []*group{g})
	}
	return list
}

// groups prints what is read in one go.
func (t *textWriter) groups(r *Report, groups []*group) {
	if len(groups) == 1 {
		t.group(r, groups[0])
		return
	}
	t.brief = true
	g, last := joint(groups), groups[len(groups)-1]
	var edits []*edit
	for _, g := range groups {
		for i := range len(g.drifts) * len(g.edits) {
			edits = append(edits, &g.edits[i%len(g.edits)])
		}
	}
	t.opening(r, g)
	t.say(text.Number(g.number)+"-"+text.Number(last.number)+"  ", segment{'*', r.groupTitle(g, maxTitleNames)}, segment{'=', "  minor: " + labelCounts(edits)})
}

// opening prints, above the first group of a server, which server it is.
func (t *textWriter) opening(r *Report, g *group) {
	if len(r.Comparisons) > 1 && r.opensServer(g) {
		s := r.side(pin.ComparisonOf(r.Comparisons, r.first(g).Server), t.Full)
		s.notes = append(s.notes, r.serverText(r.first(g).Server, false))
		t.side("", s)
		t.printf("\n")
	}
}

// top says what is compared with what, what there is to read, and what concerns more
// than one entry.
func (t *textWriter) top(r *Report) {
	differ := r.differing()
	if len(r.Comparisons) == 1 {
		t.side("", r.side(&r.Comparisons[0], t.Full))
	} else {
		t.say("", segment{'*', text.Number(len(differ)) + " of " + text.Count(len(r.Comparisons), "server") + " differ"})
	}
	for _, line := range r.inSeveral() {
		t.say("  ", segment{'=', line})
	}
	for _, line := range r.overview() {
		op := byte('=')
		if line == r.warningText(maxTitleNames) {
			op = 'W'
		}
		t.say("  ", segment{op, line})
	}
	if len(r.Comparisons) > 1 {
		t.servers(r, differ)
	}
	if r.nothingPinned() {
		t.orders(r)
	}
	t.Findings(r, "  ", "", slices.Concat(r.General(), r.unpinned()))
	t.Findings(r, "  ", inOthersTitle, r.inOtherServers())
	t.approvedBefore(r)
}

// maxSaidOrders is how many sentences the top of a review quotes, without --full.
const maxSaidOrders = 40

// orders quotes the sentences that order in what is approved for the first time.
func (t *textWriter) orders(r *Report) {
	orders := lint.Orders(r.Comparisons)
	if len(orders) == 0 {
		return
	}
	t.say("  ", segment{'=', text.Count(len(orders), "sentence") + " that may order the model:"})
	for i, order := range orders {
		if i == maxSaidOrders && !t.Full {
			t.say("    ", segment{'~', "and " + text.Number(len(orders)-i) + " more (--full)"})
			t.brief = true
			break
		}
		var refs []string
		for _, ref := range order.Entries {
			refs = append(refs, r.ref(ref))
		}
		t.say("    ", segment{'=', text.List(refs, maxSaidNames) + ": " + order.Text})
	}
}

// Findings prints findings with the names of their entries, under a title where there
// is one.
func (t *textWriter) Findings(r *Report, indent, title string, list []lint.Finding) {
	if len(list) > 0 && title != "" {
		t.say(indent, segment{'=', title})
	}
	for _, f := range collapseFindings(list, r.subjectOf) {
		row := f.row(0, maxTitleNames)
		row.Word, row.Names = row.Word+" in "+row.Names, ""
		t.row(indent, row)
	}
}

// approvedBefore prints the approved warnings. Beside drift it only counts them, unless
// everything is to be shown.
func (t *textWriter) approvedBefore(r *Report) {
	if n := len(r.approvedBefore()); n > 0 && len(r.Drifts) > 0 && !t.Full {
		t.say("  ", segment{'~', text.Count(n, "approved warning") + " in entries that match (--full)"})
	} else {
		t.Findings(r, "  ", approvedTitle, r.approvedBefore())
	}
}

func (t *textWriter) group(r *Report, g *group) {
	first := r.first(g)
	t.at = g
	number := fmt.Sprintf("%*s  ", len(text.Number(len(r.groups))), text.Number(g.number))
	names, also := maxTitleNames, 2*maxSaidNames // how many are named
	if t.Full {
		names, also = math.MaxInt, math.MaxInt
	}
	title := []segment{{'*', r.groupTitle(g, names)}}
	if first.Kind == pin.Added || first.Kind == pin.Removed {
		title = append(title, segment{'~', "  " + short(first.DefinitionDigest())})
	}
	t.opening(r, g)
	if t.short(g) {
		t.brief = true
		_, shared, minor := g.parts(false)
		note := labelCounts(slices.Concat(append(shared, minor)...))
		if first.Kind == pin.Changed && note != "" {
			note = "minor: " + note
		}
		t.say(number, append(title, segment{'=', spaced(joined("; ", driftNote(first), note))})...)
		return
	}
	t.say(number, title...)
	indent := strings.Repeat(" ", len(number))
	for _, row := range r.groupRows(g, t.Full || g.minor, 0) {
		if t.Full {
			row.Place = row.Pointer
			if row.edit != nil {
				row.Place = text.WholePointer(row.edit.Pointer)
			}
		}
		if row.op == '=' { // a note may quote at length, too
			row.Detail = cmp.Or(t.shownAt(row.Pointer, jsontree.Text(row.Word+row.Detail)), row.Detail)
		}
		t.row(indent, row)
		if e := row.edit; e != nil && e.home == 0 {
			if len(e.also) > 0 {
				t.say(indent+"  ", segment{'~', e.alsoText(also)})
			}
			t.edit(indent+"  ", r, first, e)
		}
		t.brief = t.brief || row.op == '~'
	}
	op, wholes := r.wholes(first, t.Full)
	for i := range wholes {
		if first.Kind == pin.Duplicate {
			t.say(indent, segment{'~', short(wholes[i].Digest)})
		}
		t.whole(indent, op, &wholes[i])
	}
}

// whole prints a definition: texts line by line and the rest as JSON.
func (t *textWriter) whole(indent string, op byte, p *pin.Pin) {
	if p.Definition == nil {
		t.say(indent, segment{'=', notStored})
		return
	}
	if s, ok := signDefinition(p); ok && !t.Full {
		t.signature(indent, &s)
		return
	}
	for _, m := range inReadingOrder(p.Tree()) {
		head, summedUp := memberHead(p, m, t.Full)
		if summedUp {
			t.say(indent, segment{'~', head})
			t.brief = true
			continue
		}
		t.printf("%s%s\n", indent, head)
		t.value(indent+"  ", op, head, m.Value)
	}
}

// value prints a value, or where it stands already.
func (t *textWriter) value(indent string, op byte, pointer string, v jsontree.Value) {
	if at := t.shownAt(pointer, v); at != "" {
		t.say(indent, segment{'~', at})
		return
	}
	t.lines(indent, func(width int) []line { return showValue(op, v, true, false, width) })
}

// signature prints an entry as a person describes it.
func (t *textWriter) signature(indent string, s *signature) {
	if len(s.hints) > 0 {
		t.say(indent, segment{'=', strings.Join(s.hints, ", ")})
	}
	if s.text.Kind != 0 {
		t.value(indent, '=', "/description", s.text)
	}
	width := 0
	for _, f := range s.facts {
		width = max(width, len(f.name))
	}
	for _, f := range s.facts {
		t.say(indent, segment{'=', fmt.Sprintf("%-*s  ", width, f.name) + jsonLines(f.value, false, anyWidth)[0]})
	}
	also := append(slices.Clone(s.also), t.params(indent, s.params)...)
	for _, other := range s.others {
		t.printf("%s%s\n", indent, other.name)
		t.value(indent+"  ", '=', other.name, other.value)
	}
	if len(also) > 0 {
		t.brief = true
		t.say(indent, segment{'~', "also: " + strings.Join(also, ", ")})
	}
}

// Widths of the columns of parameters.
const (
	maxNameColumn   = 28 // a longer name pushes the rest of its line
	leastTextColumn = 44 // of a description beside its parameter
)

// params prints a line for each parameter: name, what it takes, and its description. It
// returns what it left out, to be named. A schema that was shown before is one line.
func (t *textWriter) params(indent string, list []param) (also []string) {
	names, phrases := 0, 0
	heads := make([]string, len(list)) // names, indented by their depth
	for i := range list {
		heads[i] = strings.Repeat("  ", list[i].depth) + list[i].name
		if n := len(heads[i]); n <= maxNameColumn {
			names = max(names, n)
		}
	}
	most := t.Width - len(indent) - names - len("    | ") - leastTextColumn
	for i := range list {
		heads[i] = strings.TrimRight(fmt.Sprintf("%-*s  %s", names, heads[i], list[i].phrase()), " ")
		if n := columns(list[i].phrase()); n <= most {
			phrases = max(phrases, n)
		}
	}
	at := names + len("  ") + phrases // where descriptions begin
	skipped := anyWidth               // the depth of a schema that was shown before
	for i := range list {
		if list[i].depth > skipped {
			continue
		}
		skipped = anyWidth
		if said := t.shownAt(list[i].pointer, list[i].value); said != "" {
			t.say(indent, segment{'=', heads[i]}, segment{'~', "  " + said})
			skipped = list[i].depth
			continue
		}
		also = append(also, list[i].also...)
		p, below := &list[i], indent+strings.Repeat("  ", list[i].depth+1)
		head, text := segment{'=', heads[i]}, jsontree.Text(p.text)
		pointer, room := jsontree.Pointer(p.pointer, "description"), t.Width-len(indent)-at-len("  | ")
		said := ""
		if p.text != "" {
			said = t.shownAt(pointer, text)
		}
		size := columns(heads[i])
		shown := showValue('=', text, true, false, max(leastTextColumn/2, room))
		apart := len(showValue('=', text, true, false, t.Width-len(below)-len("  | ")))
		switch {
		case p.text == "" || said != "":
			t.say(indent, head, segment{'~', spaced(said)})
		case size <= at && room >= leastWidth/2 && len(shown) <= 1+apart:
			lead := indent + heads[i] + strings.Repeat(" ", max(0, at-size))
			for _, l := range shown {
				t.printf("%s%s\n", lead, l.text(t.paint))
				lead = indent + strings.Repeat(" ", at)
			}
		default:
			t.say(indent, head)
			t.lines(below, func(width int) []line { return showValue('=', text, true, false, width) })
		}
		if p.rest.Kind != 0 {
			t.value(below, '=', p.pointer, p.rest)
		}
	}
	return also
}

// edit prints what an edit changed: a parameter that joined as a signature, a type or a
// constraint in a line, texts as a word diff, and other values as JSON, the old one first.
func (t *textWriter) edit(indent string, r *Report, d *pin.Drift, e *edit) {
	if t.Full || e.exact() {
		t.lines(indent, func(width int) []line { return e.lines(true, width) })
		return
	}
	if s, ok := signJoined(d, e); ok {
		t.signature(indent, &s)
		return
	}
	if shape, ok := shapeOf(d, e); ok {
		said, here := shape.line(), place{t.at.number, shape.line()}
		if t.lastShape == here {
			said = "as above" // another keyword of the same schema
		}
		t.lastShape = here
		t.say(indent, segment{'=', said})
		return
	}
	if e.pieces != nil && !e.blocks {
		if at := t.shownAt(e.Pointer, jsontree.Texts([]string{e.Old.Text, e.New.Text})); at != "" {
			t.say(indent, segment{'~', at})
			return
		}
		t.lines(indent, func(width int) []line { return e.lines(true, width) })
		return
	}
	for i, v := range []jsontree.Value{e.Old, e.New} {
		if v.Kind == 0 {
			continue
		}
		if at := t.shownAt(e.Pointer, v); at != "" {
			t.say(indent, segment{"-+"[i], "-+"[i:i+1] + " "}, segment{'~', at})
			continue
		}
		one := *e
		if i == 0 {
			one.New = jsontree.Value{}
		} else {
			one.Old = jsontree.Value{}
		}
		one.blocks = e.blocks
		t.lines(indent, func(width int) []line { return one.lines(true, width) })
	}
}

// A place is where a text or a value was shown.
type place struct {
	group   int
	pointer string
}

// minRepeat is from how many bytes on a text is shown only once.
const minRepeat = 100

// shownAt says where a value has been shown before, and notes the place if it has not been.
// It is "" where the value is to be shown.
func (t *textWriter) shownAt(pointer string, v jsontree.Value) string {
	key := string(jsontree.Append(nil, v))
	if t.Full || len(key) < minRepeat || t.at == nil {
		return ""
	}
	here := place{t.at.number, pointer}
	first, ok := t.shown[key]
	if !ok || first == here {
		t.shown[key] = here
		return ""
	}
	steps, _ := jsontree.Tokens(first.pointer)
	if len(steps) > 1 && steps[len(steps)-1] == "description" {
		steps = steps[:len(steps)-1]
	}
	said := "as"
	if len(steps) > 0 {
		said += " for " + text.Name(steps[len(steps)-1])
	}
	if first.group != here.group {
		return said + " in " + text.Number(first.group)
	}
	return said + " above"
}

// WriteLocked says what was pinned: the warnings that were accepted, each entry with
// its digest, and the notes.
func WriteLocked(w io.Writer, r *Report, style TextStyle) error {
	t := NewText(w, style)
	all := slices.Concat(r.General(), slices.Concat(r.fresh...))
	t.Findings(r, "", "", lint.WarningsIn(all))
	t.Findings(r, "", inOthersTitle, r.inOtherServers())
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		t.say("", segment{'+', "PINNED " + pin.CountPins(p.Captured.Pins).String() + " -> " + text.Printable(r.Lockfile)},
			segment{'=', "  server " + text.Name(p.Server) + p.Captured.Policy.Summary()})
		width := len("set")
		for _, pin := range p.Captured.Pins {
			if n := utf8.RuneCountInString(shortRef(pin.Type, pin.Name)); n <= text.MaxName/2 {
				width = max(width, n)
			}
		}
		for _, pin := range p.Captured.Pins {
			t.printf("  %-*s  %s\n", width, shortRef(pin.Type, pin.Name), short(pin.Digest))
		}
		t.printf("  %-*s  %s\n", width, "set", short(p.Captured.Digest))
	}
	t.Findings(r, "  ", "", slices.DeleteFunc(all, func(f lint.Finding) bool { return f.Warning }))
	t.LockedHints(r)
	return t.err
}

// LockedHints says what to do with a lockfile that was written.
func (t *textWriter) LockedHints(r *Report) {
	t.Hint(step{Text: "read " + text.Printable(r.Lockfile) + " as you would code, then commit it"})
	t.Hint(step{"in CI", r.Next.To("verify")})
	t.folder(r)
}

func (t *textWriter) folder(r *Report) {
	if r.Folder[0] != "" {
		t.Hint(step{r.Folder[0], r.Folder[1]})
	}
}

// A Relocked is what relock has written.
type Relocked struct {
	Accepted map[int]bool         // indexes of drifts
	Recorded map[pin.Ref][]string // ids of warnings of matching entries that were put on record
	Idle     []string             // what the flags had nothing to accept for
	Whole    []string             // servers that came as a whole
	Shown    bool                 // a prompt has shown what was accepted
}

// WriteRelocked says what was accepted and what drift is left. Each accepted entry gets
// a line, unless a prompt has already shown it.
func WriteRelocked(w io.Writer, r *Report, did Relocked, style TextStyle) error {
	t := NewText(w, style)
	for _, text := range did.Idle {
		t.say("", segment{'=', text})
	}
	left := slices.DeleteFunc(r.inOtherServers(), func(f lint.Finding) bool { return slices.Contains(did.Recorded[f.Ref()], f.ID) })
	if !did.Shown {
		t.otherServers(r)
		for i := range r.Drifts {
			if !did.Accepted[i] {
				continue
			}
			d := &r.Drifts[i]
			t.printf("accepted [%s] %s%s  %s\n", d.Kind, pin.EntryRef(d.Type, d.Name), r.serverField(d.Server), short(d.DefinitionDigest()))
			for _, f := range r.fresh[i] {
				t.row("  ", collapsedFinding{Finding: f}.row(0, 0))
			}
		}
		t.Findings(r, "  ", "", r.General())
		t.Findings(r, "  ", inOthersTitle, left)
	}
	if said := r.relockedText(did); said != "" {
		t.say("", segment{'+', said}, segment{'=', r.policyText()})
	}
	if left := r.leftText(did.Accepted, did.Whole); left != "" {
		t.say("", segment{'-', left})
	}
	return t.err
}
