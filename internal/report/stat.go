package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// WriteStat prints the shape of a review: a line for each group, numbered and in the order of
// WriteDiff, under its server, and the verdict.
func WriteStat(w io.Writer, r *Report, style TextStyle) error {
	t := NewText(w, style)
	if r.Matches {
		t.printf("%s\n", t.paint('+', r.verdictLine()))
		return t.err
	}
	for _, line := range r.inSeveral() {
		t.say("", segment{'=', line})
	}
	rows := make([]statRow, len(r.groups))
	for i, g := range r.groups {
		rows[i] = r.statRow(g)
	}
	columns := t.statLayout(rows)
	for i, g := range r.groups {
		if r.opensServer(g) {
			p := pin.ComparisonOf(r.Comparisons, r.first(g).Server)
			t.say("", segment{'*', cmp.Or(r.calledText(p), text.Printable(p.Capture))}, segment{'=', "   " + r.serverText(p.Server, false)})
		}
		t.statRow(g.number, rows[i], columns)
	}
	if n := len(r.Comparisons) - len(r.differing()); n > 0 {
		t.say("", segment{'=', text.Count(n, "other server") + ": no drift"})
	}
	t.verdict(r)
	t.leftOut(r)
	next := r.Next
	if len(r.Comparisons) > 1 && len(r.groups) > 0 && r.Only == nil && shell.PasteableLabel(r.first(r.groups[0]).Server) {
		next.Server = r.first(r.groups[0]).Server
	}
	t.Hint(step{"read it", next.To("diff", r.OnlyFlags...)})
	return t.err
}

// A statRow has the columns of a line: what drifted, what stands out in it, how many bytes
// the model reads more, and what the entries declare and take.
type statRow struct {
	kind, name, word, bytes, hints string
	several                        bool // the name is that of several entries
	op                             byte
}

func (r *Report) statRow(g *group) statRow {
	d := r.first(g)
	row := statRow{kind: string(d.Kind), name: shortRef(d.Type, d.Name), op: '='}
	if n := len(g.drifts); n > 1 {
		row.several = true
		row.name = text.Count(n, pin.EntryTypeInfo[d.Type].Entry) + " alike: " + strings.Join(r.groupNames(g), ", ")
	}
	row.word, row.op = r.gravestWord(g)
	if change, known := r.groupCost(g); known {
		row.bytes = "0"
		if change != 0 {
			row.bytes = strings.Replace("+"+text.Number(change), "+-", "-", 1)
		}
	}
	row.hints = r.dangerWords(g)
	return row
}

// dangerWords says what the tools of a group declare and take. What is alike is their change:
// they may declare different things.
func (r *Report) dangerWords(g *group) string {
	if d := r.first(g); d.Type != pin.Tools || d.Kind == pin.Removed {
		return ""
	}
	var all dangers
	for _, i := range g.drifts {
		all = append(all, dangerOf(r.Drifts[i].Captured, r.fresh[i]))
	}
	return strings.Join(all.words(), ", ")
}

// pointedAt is why a group is read early, besides its warnings and labels.
func (r *Report) pointedAt(g *group) string {
	var said []string
	for _, f := range r.groupFindings(g) {
		if slices.Contains(joinedNotes, f.ID) && !slices.Contains(said, f.ID) {
			said = append(said, f.ID)
		}
	}
	if r.first(g).Kind == pin.Added {
		said = append(said, r.dangerWords(g))
	}
	return joined(", ", said...)
}

// byServer says of each server that differs what drifted, the most dangerous first.
func (r *Report) byServer() (list [][2]string) {
	for _, g := range r.groups {
		if server := r.first(g).Server; len(r.Comparisons) > 1 && r.opensServer(g) {
			list = append(list, [2]string{text.Name(server), r.serverText(server, true)})
		}
	}
	return list
}

// gravestWord is what stands out in a group: a new warning, a note that ranks it, a rename,
// or the gravest label.
func (r *Report) gravestWord(g *group) (word string, op byte) {
	d := r.first(g)
	for _, f := range r.groupFindings(g) { // warnings first
		if f.Warning {
			return findingWord(f.Finding), 'W'
		}
		if slices.Contains(NoteIDs, f.ID) {
			return f.ID, '!'
		}
	}
	switch {
	case d.RenamedFrom != "":
		return "renamed from " + text.Name(d.RenamedFrom), '='
	case d.RenamedTo != "":
		return "renamed to " + text.Name(d.RenamedTo), '='
	case len(g.edits) == 0:
		return "", '='
	case g.minor:
		return g.gravest.ID() + " (minor)", '~'
	}
	return g.gravest.ID(), '='
}

// groupCost is by how many bytes the text grows that a model reads of a group's entries.
func (r *Report) groupCost(g *group) (bytes int, known bool) {
	for _, i := range g.drifts {
		d := &r.Drifts[i]
		if !d.TextsKnown() {
			return 0, false
		}
		if d.Locked != nil {
			bytes -= modelText(d.Locked)
		}
		for i := range d.Copies {
			bytes += modelText(&d.Copies[i])
		}
	}
	return bytes, true
}

// A statLayout has the widths of the columns.
type statLayout struct {
	number, kind, name, word, bytes, hints int
	folded                                 bool // word and hints stand in a line of their own
}

// statLayout gives names their room first, then what entries declare. Where not even half of
// the rest has room, it stands in a second line.
func (t *textWriter) statLayout(rows []statRow) (l statLayout) {
	const mostName, leastName, leastRest = 36, 24, 12 // nobody compares longer names in a table
	const someHints = len("destructive, open world")
	alike := 0 // the longest name of several entries: it may be cut
	l.number = len(text.Number(len(rows)))
	for _, row := range rows {
		if row.several {
			alike = max(alike, len(row.name))
		} else {
			l.name = max(l.name, len(row.name))
		}
		for _, column := range []struct {
			width *int
			text  string
		}{{&l.kind, row.kind}, {&l.word, row.word}, {&l.bytes, row.bytes}, {&l.hints, row.hints}} {
			*column.width = max(*column.width, len(column.text)) // ASCII
		}
	}
	l.name = min(mostName, max(l.name, min(alike, leastName)))
	room := t.Width - 6*len("  ") - l.number - l.kind - l.bytes
	if l.name+l.word+l.hints <= room {
		l.name = min(mostName, max(l.name, alike), room-l.word-l.hints)
		return l
	}
	rest := min(l.word, leastRest) + min(l.hints, leastRest)
	l.name = min(l.name, max(leastName, room-rest))
	if room -= l.name; room < rest {
		l.folded, l.name = true, min(mostName, l.name+room+2*len("  "))
		return l
	}
	l.word = min(l.word, max(leastRest, room-min(l.hints, someHints)))
	l.hints = min(l.hints, room-l.word)
	return l
}

func (t *textWriter) statRow(number int, row statRow, l statLayout) {
	line := fmt.Sprintf("  %*s  %-*s  ", l.number, text.Number(number), l.kind, row.kind) + padded(row.name, l.name)
	size := fmt.Sprintf("  %*s", l.bytes, row.bytes)
	if !l.folded {
		hints := padded(row.hints, l.hints)
		if at := strings.LastIndex(row.hints[:min(len(row.hints), l.hints+1)], ", "); len(row.hints) > l.hints && at > 0 {
			hints = row.hints[:at] + "…" // whole words
		}
		t.printf("%s\n", strings.TrimRight(line+"  "+t.paint(row.op, padded(row.word, l.word))+size+"  "+hints, " "))
		return
	}
	t.printf("%s\n", strings.TrimRight(line+size, " "))
	hints := row.hints
	if row.word != "" {
		hints = spaced(hints)
	}
	if row.word+hints != "" {
		t.say(strings.Repeat(" ", len("    ")+l.number), segment{row.op, row.word}, segment{'=', hints})
	}
}

// padded fits an ASCII text into a column; what was cut ends in "…", which no name of ours
// has unescaped.
func padded(s string, width int) string {
	if len(s) > width {
		s = s[:max(0, width-1)] + "…"
	}
	return s + strings.Repeat(" ", width-utf8.RuneCountInString(s))
}

// differing lists the servers that differ.
func (r *Report) differing() (list []*pin.Comparison) {
	for i := range r.Comparisons {
		if r.Differs[r.Comparisons[i].Server] {
			list = append(list, &r.Comparisons[i])
		}
	}
	return list
}

// opensServer reports whether a group is the first of its server.
func (r *Report) opensServer(g *group) bool {
	return g.number == 1 || r.first(r.groups[g.number-2]).Server != r.first(g).Server
}

// serverText counts the drift of one server: "5 added, 18 changed; 1 destructive". With names
// it names what is new and dangerous.
func (r *Report) serverText(server string, names bool) string {
	groups := slices.DeleteFunc(slices.Clone(r.groups), func(g *group) bool { return r.first(g).Server != server })
	var list []lint.Finding
	for _, g := range groups {
		for _, i := range g.drifts {
			list = append(list, r.fresh[i]...)
		}
	}
	warnings := ""
	if n := len(lint.WarningsIn(list)); n > 0 {
		warnings = text.Count(n, "WARNING")
	}
	return joined("; ", warnings, kindText(r, groups), r.dangerText(groups, names))
}

// inSeveral says which of the names given to --only several servers have.
func (r *Report) inSeveral() (lines []string) {
	for _, key := range r.OnlyNames {
		drifted := 0
		for i := range r.Drifts {
			if r.Drifts[i].Key == key {
				drifted++
			}
		}
		if n := pin.Holders(r.Comparisons, key); n > 1 {
			lines = append(lines, fmt.Sprintf("%s servers have %s, it drifted in %s; one of them alone: --server ID",
				text.Number(n), shortRef(key.Type, key.Name), text.Number(drifted)))
		}
	}
	return lines
}

// calledText is a server's label with what the server calls itself, before and now where
// both are known.
func (r *Report) calledText(p *pin.Comparison) string {
	label, about := "", p.About
	if p.Server != "" {
		label = text.Name(p.Server)
	}
	if p.LockedAbout != "" && p.LockedAbout != p.About {
		about = joined(" -> ", p.LockedAbout, p.About)
	}
	if about != "" {
		about = "(" + about + ")"
	}
	return joined(" ", label, about)
}
