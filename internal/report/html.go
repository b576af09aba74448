package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pinproof/internal/diff"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// The page for a reviewer is one file without scripts or anything from elsewhere.
// Server text is made printable first, which shows what can't be seen. The template
// then escapes it for its place, which keeps it from becoming markup. The page's
// Content-Security-Policy allows nothing but its one style sheet, by its digest.

//go:embed html.tmpl
var pageTemplate string

//go:embed html.css
var pageStyle string

// Limits besides maxReportText, so that a browser opens the page at once. The page says
// what it leaves out.
const (
	maxPageGroup  = 256 << 10 // bytes that one group takes on the page
	maxPageGroups = 1_000

	rowCost   = 96 // bytes that a row or a line takes besides its text, about
	runCost   = 16 // and each of its runs
	leastRoom = 8 * rowCost
)

// moreLeftOut ends what has no room for all of it.
const moreLeftOut = "More is left out here: see diff."

// The classes of lines and the elements of runs, by sign.
var (
	lineClasses = map[byte]string{'-': "old", '+': "new"}
	runElements = map[byte]string{'-': "del", '+': "ins"}
)

// A page is what the template shows. Its texts are printable.
type page struct {
	pageText
	Style  template.CSS
	Policy string // its Content-Security-Policy
	Word   string // OK, DRIFT, PASS WITH DRIFT, No answer
	Text   string // the verdict
	Error  []string
	Groups []*pageGroup
	Left   string // counts the entries that have no room

	Filters []pageFilter
}

// A pageFilter is a button that shows only groups of one kind or server, with one label or
// with a warning.
type pageFilter struct {
	ID    string
	Text  string
	Count int
}

// A pageGroup is a group as it is laid out.
type pageGroup struct {
	Number  int
	Filters string // ids of the filters that show it, as CSS classes
	Kind    string
	Title   string // what follows the kind
	Names   string // the names of its entries, if the title doesn't have them all
	Why     string // it is read early
	Warned  bool
	Allowed bool
	Open    bool // it needs more than a line
	Rows    []pageRow
	Minor   []pageRow
	Also    string // counts Minor by label
	Wholes  []pageWhole
	Left    string // says that something has no room
	Accept  string

	room  int   // bytes left
	shape shape // that was shown last
}

// A pageRow is a row with the lines that stand below it.
type pageRow struct {
	row
	Class  string
	Also   string     // names other entries with the same change
	Signed []pageLine // the change as in a signature, above the JSON of it; or none
	Lines  []pageLine
}

// A pageLine is a line with its sign. Its indent stands apart, so that what the browser
// wraps is indented, too.
type pageLine struct {
	Sign, Class, Indent string
	Runs                []pageRun
}

// A pageRun is printable text that was kept "", removed "del" or added "ins", or is a name "strong".
type pageRun struct{ Op, Text string }

type pageWhole struct {
	Class   string
	Digest  string
	Missing string     // says why there are no members
	Signed  []pageLine // its signature, above its members
	Members []pageMember
}

type pageMember struct {
	Head  string
	Brief bool // it matters little
	Lines []pageLine
}

// writeHTML prints a report as a page.
func writeHTML(w io.Writer, r *Report) error {
	p := &page{pageText: newPageText(r), Style: template.CSS(pageStyle), Word: r.verdictWord(), Text: r.verdictText()}
	if r.NoAnswer != nil {
		p.Word, p.Text, p.Error = "No answer", "", fail.Lines(r.NoAnswer)
	}
	p.groups(r)
	sum := sha256.Sum256([]byte(p.Style))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"lower": strings.ToLower,
		"split": splitEscapes,
		"words": splitWords,
		"shown": func(group int) bool { return 0 < group && group <= len(p.Groups) },
	}).Parse(pageTemplate))
	return t.ExecuteTemplate(w, "page", p)
}

// groups lays out the drift as far as there is room.
func (p *page) groups(r *Report) {
	left, room := pin.Counts{}, maxReportText
	for _, g := range r.groups {
		if len(p.Groups) == maxPageGroups || room <= 0 {
			left[r.first(g).Type] += len(g.drifts)
			continue
		}
		part := min(room, maxPageGroup)
		v := newPageGroup(r, g, part)
		room -= part - max(0, v.room)
		p.Groups = append(p.Groups, v)
	}
	if left.Total() > 0 {
		p.Left = left.Plural()
	}
	p.filters(r)
}

// filters makes a button for all that some groups have and others don't: a warning, a kind, a
// label, a server. The buttons work by rules that it adds to the style sheet: the page has no
// script.
func (p *page) filters(r *Report) {
	add := func(text string, count func(g *group) int) {
		f, shown := pageFilter{ID: "f" + strconv.Itoa(len(p.Filters)), Text: text}, []*pageGroup(nil)
		for at, g := range r.groups {
			n := count(g)
			if f.Count += n; n > 0 && at < len(p.Groups) {
				shown = append(shown, p.Groups[at])
			}
		}
		if len(shown) == 0 || len(shown) == len(p.Groups) {
			return
		}
		for _, g := range shown {
			g.Filters += " " + f.ID
		}
		p.Filters = append(p.Filters, f)
		p.Style += template.CSS(fmt.Sprintf("@media screen{body:has(#%s:checked) .item:not(.%[1]s){display:none}}\n", f.ID))
	}
	for _, text := range append([]string{"WARNING", string(pin.Duplicate), string(pin.Hidden), string(pin.Added), string(pin.Changed), string(pin.Removed)}, diff.LabelIDs()...) {
		add(text, func(g *group) int { return r.countIn(g, text) })
	}
	servers, _ := bounded(r.differing(), "server")
	for _, pair := range servers {
		add("server "+text.Name(pair.Server), func(g *group) int {
			if r.first(g).Server != pair.Server {
				return 0
			}
			return len(g.drifts)
		})
	}
}

// countIn is how much a group adds to the number that the overview gives for a kind, a
// label or "WARNING".
func (r *Report) countIn(g *group, text string) int {
	if text == "WARNING" {
		seen := map[[2]string]bool{}
		for _, at := range g.drifts {
			for _, f := range lint.WarningsIn(r.fresh[at]) {
				seen[[2]string{f.ID, r.ref(f.Ref())}] = true
			}
		}
		return len(seen)
	}
	if text == string(r.first(g).Kind) || slices.ContainsFunc(r.changes[g.drifts[0]], func(c diff.Change) bool { return c.Label.ID() == text }) {
		return len(g.drifts)
	}
	return 0
}

// newPageGroup lays out a group in about room bytes.
func newPageGroup(r *Report, g *group, room int) *pageGroup {
	d := r.first(g)
	v := &pageGroup{
		Number: g.number, Kind: string(d.Kind),
		Title: strings.TrimPrefix(r.groupTitle(g, maxSaidNames), string(d.Kind)+" "),
		Why:   r.pointedAt(g), Warned: g.warned, Allowed: !r.Blocked[d.Ref()], Open: !g.minor,
		Accept: r.acceptCommand(g),
		room:   room,
	}
	if len(g.drifts) > maxSaidNames {
		v.Names = text.List(r.groupNames(g), maxTitleNames)
		v.room -= len(v.Names)
	}
	var minor []row
	var edits []*edit
	kept := room / 2 // findings, which come first, must not push the changes off the page
	v.room -= kept
	for _, row := range r.groupRows(g, true, 0) {
		if row.op == '!' {
			v.room, kept = v.room+kept, 0
		}
		if e := row.edit; e != nil && e.isMinor() && !g.minor {
			minor, edits = append(minor, row), append(edits, e)
		} else {
			v.row(d, &v.Rows, row)
		}
	}
	v.room += kept
	op, wholes := r.wholes(d, true)
	for i := range wholes {
		v.whole(op, &wholes[i])
	}
	for _, row := range minor {
		v.row(d, &v.Minor, row)
	}
	v.Also = labelCounts(edits)
	return v
}

// fits reports whether there is room for a row with these texts, and takes it.
func (v *pageGroup) fits(texts ...string) bool {
	if v.room < leastRoom {
		v.Left = moreLeftOut
		return false
	}
	v.room -= rowCost + len(strings.Join(texts, ""))
	return true
}

// row adds a row of an entry if there is room for it.
func (v *pageGroup) row(d *pin.Drift, list *[]pageRow, row row) {
	row.Detail = shortened(row.Detail, maxDetail)
	p := pageRow{row: row, Class: map[byte]string{'W': "warning", '!': "change"}[row.op]}
	e := row.edit
	if e != nil && e.home == 0 && len(e.also) > 0 {
		p.Also = e.alsoText(maxTitleNames)
	}
	if !v.fits(row.Word, row.Pointer, row.Detail, row.Names, p.Also) {
		return
	}
	if e != nil && e.home == 0 {
		p.Signed = v.changed(d, e)
		p.Lines = v.lines(e.lines(false, anyWidth))
	}
	*list = append(*list, p)
}

// changed says what joined, or how a schema changed, in the words of a signature. Other
// changes have none.
func (v *pageGroup) changed(d *pin.Drift, e *edit) []pageLine {
	if s, ok := signJoined(d, e); ok {
		return v.signature(&s)
	}
	shape, ok := shapeOf(d, e)
	switch {
	case !ok:
		return nil
	case shape == v.shape:
		return []pageLine{{Runs: []pageRun{{"", "as above"}}}} // another keyword of the same schema
	}
	v.shape = shape
	return []pageLine{
		{Sign: "-", Class: "old", Runs: []pageRun{{"strong", shape.name}, {"", "  " + shape.was}}},
		{Sign: "+", Class: "new", Runs: []pageRun{{"strong", shape.name}, {"", "  " + shape.is}}},
	}
}

// signature lays out a signature. The server's texts stand below what they describe, in
// lines that look unlike ours.
func (v *pageGroup) signature(s *signature) (lines []pageLine) {
	say := func(depth int, name, rest string) {
		if v.fits(name, rest) {
			lines = append(lines, pageLine{Indent: strings.Repeat("  ", depth), Runs: []pageRun{{"strong", name}, {"", rest}}})
		}
	}
	said := func(depth int, value jsontree.Value) {
		for _, l := range v.lines(showValue('=', value, true, false, anyWidth)) {
			l.Sign, l.Class, l.Indent = "", "said", strings.Repeat("  ", depth)+l.Indent
			lines = append(lines, l)
		}
	}
	if len(s.hints) > 0 {
		say(0, "", strings.Join(s.hints, ", "))
	}
	said(0, s.text)
	for _, f := range s.facts {
		say(0, f.name, "  "+jsonLines(f.value, false, anyWidth)[0])
	}
	also := slices.Clone(s.also)
	for i := range s.params {
		p := &s.params[i]
		also = append(also, p.also...)
		say(p.depth, p.name, "  "+p.phrase())
		if p.text != "" {
			said(p.depth+1, jsontree.Text(p.text))
		}
		said(p.depth+1, p.rest)
	}
	for _, other := range s.others {
		say(0, other.name, "")
		said(1, other.value)
	}
	if len(also) > 0 {
		say(0, "", "also: "+strings.Join(also, ", "))
	}
	return lines
}

// lines lays out lines in half of the room that is left: a long text must not push a
// changed schema after it off the page.
func (v *pageGroup) lines(list []line) (shown []pageLine) {
	room := v.room / 2
	v.room -= room
	for _, l := range list {
		if room <= 0 {
			shown = append(shown, pageLine{Class: "note", Runs: []pageRun{{"", moreLeftOut}}})
			break
		}
		p := pageLine{Sign: string(l.sign), Class: lineClasses[l.sign]}
		if l.sign == '=' {
			p.Sign = " "
		}
		whole := !slices.ContainsFunc(l.runs, func(s segment) bool { return s.op != l.sign })
		if whole && len(l.runs) > 0 {
			text := l.runs[0].text
			l.runs[0].text = strings.TrimLeft(text, " ")
			p.Indent = text[:len(text)-len(l.runs[0].text)]
			p.Class = strings.TrimSpace(p.Class + " whole")
		}
		room -= rowCost
		for _, s := range l.runs {
			if room -= runCost + len(s.text); room < 0 {
				s.text = shortened(s.text, max(0, len(s.text)+room))
			}
			p.Runs = append(p.Runs, pageRun{runElements[s.op], s.text})
		}
		shown = append(shown, p)
	}
	v.room += max(0, room)
	return shown
}

// whole adds a definition, in reading order.
func (v *pageGroup) whole(op byte, p *pin.Pin) {
	if !v.fits() {
		return
	}
	w := pageWhole{Class: lineClasses[op], Digest: short(p.Digest)}
	if p.Definition == nil {
		w.Missing = notStored
	} else {
		if s, ok := signDefinition(p); ok {
			w.Signed = v.signature(&s)
		}
		for _, m := range inReadingOrder(p.Tree()) {
			if head, brief := memberHead(p, m, false); v.fits(head) {
				w.Members = append(w.Members, pageMember{head, brief, v.lines(showValue(op, m.Value, true, false, anyWidth))})
			}
		}
	}
	v.Wholes = append(v.Wholes, w)
}

// escapes finds the marks that printable puts in place of what can't be seen. Only a mark
// that decodes a run can have ">" inside, and then between quotes.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(?:U\+|byte |and |[0-9]+ )(?:[^>]*?: "(?:[^"\\]|\\.)*">|[^>]*>)`)
})

// A pagePart is text, one of the escapes that stand for what can't be seen, or a word that
// is not to be broken at its hyphens.
type pagePart struct {
	Text   string
	Escape bool
	Word   bool
}

// splitEscapes splits printable text into text and escapes. printable has escaped
// every "<" of the text that would read as one of its own marks, so where one
// begins is never in doubt.
func splitEscapes(printed string) (list []pagePart) {
	from := 0
	for _, at := range escapes().FindAllStringIndex(printed, -1) {
		list = append(list, pagePart{Text: printed[from:at[0]]}, pagePart{Text: printed[at[0]:at[1]], Escape: true})
		from = at[1]
	}
	return append(list, pagePart{Text: printed[from:]})
}

// maxWord is the longest word that a narrow screen has room for, in bytes.
const maxWord = 40

// splitWords is splitEscapes for text that has names. A browser would break them at hyphens.
func splitWords(printed string) (list []pagePart) {
	for _, p := range splitEscapes(printed) {
		if p.Escape {
			list = append(list, p)
			continue
		}
		for word := range strings.SplitAfterSeq(p.Text, " ") {
			name := strings.TrimSuffix(word, " ")
			list = append(list, pagePart{Text: name, Word: strings.Contains(name, "-") && len(name) <= maxWord}, pagePart{Text: word[len(name):]})
		}
	}
	return list
}
