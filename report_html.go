package main

import (
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The page for a reviewer is one file without scripts or anything from elsewhere.
// Server text is made printable first, which shows what can't be seen. The template
// then escapes it for its place, which keeps it from becoming markup. The page's
// Content-Security-Policy allows nothing but its one style sheet, by its digest.

//go:embed report_html.tmpl
var pageTemplate string

//go:embed report_html.css
var pageStyle string

// Limits besides maxReportText, so that a browser opens the page at once. The page says
// what it leaves out.
const (
	maxPageGroup  = 256 << 10 // bytes that one group takes on the page
	maxPageGroups = 1_000
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

// A pageFilter is a button that shows only groups of one kind, with one label or with a warning.
type pageFilter struct {
	ID      string
	Text    string
	Entries int
}

type pageGroup struct {
	Number   int
	Filters  string // ids of the filters that show it, as CSS classes
	Kind     string
	Title    string // what follows the kind
	First    string // its first entry
	Names    string // the names of its entries, if the title doesn't have them all
	Warned   bool
	Allowed  bool
	Open     bool // it needs more than a line
	Findings section
	Notes    []string
	Alike    bool // it has several entries: Members are those of the first
	Members  []pageMember
	Same     []pageMember
	Wholes   []pageWhole
	Accept   string
}

type pageMember struct {
	Name string
	Rows []pageRow
}

type pageWhole struct {
	Word    string
	Class   string
	Digest  string
	Members []pageMember
}

// writeHTML prints a report as a page.
func writeHTML(w io.Writer, r *report) error {
	p := &page{pageText: newPageText(r), Style: template.CSS(pageStyle), Word: r.verdictWord(), Text: r.verdictText()}
	if r.noAnswer != nil {
		p.Word, p.Text, p.Error = "No answer", "", errorLines(r.noAnswer)
	}
	p.groups(r)
	sum, _ := hex.DecodeString(hexOf(digest([]byte(p.Style)))) // no error: it is hexadecimal
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum) + "'; base-uri 'none'; form-action 'none'"
	t := template.Must(template.New("").Funcs(template.FuncMap{"lower": strings.ToLower, "split": splitEscapes}).Parse(pageTemplate))
	return t.ExecuteTemplate(w, "page", p)
}

// groups lays out the drift as far as there is room.
func (p *page) groups(r *report) {
	left, budget, room := counts{}, fullWordBudget, maxReportText
	for _, g := range r.groups {
		if len(p.Groups) == maxPageGroups || room <= 0 {
			left[r.first(g).list] += len(g.drifts)
			continue
		}
		v := newPageGroup(r, g)
		room -= v.detail(r, g, &budget, min(room, maxPageGroup))
		p.Groups = append(p.Groups, v)
	}
	if left.total() > 0 {
		p.Left = left.plural()
	}
	p.filters(r)
}

// filters makes a button for all that some groups have and others don't. The buttons work
// by rules that it adds to the style sheet: the page has no script.
func (p *page) filters(r *report) {
	for i, text := range append([]string{"WARNING", string(duplicate), string(concealed), string(added), string(changed), string(removed)}, labelIDs()...) {
		f, shown := pageFilter{ID: "f" + strconv.Itoa(i), Text: text}, 0
		for at, v := range p.Groups {
			g := r.groups[at]
			if v.Kind == text || v.Warned && text == "WARNING" || slices.ContainsFunc(g.edits, func(e edit) bool { return e.label.id() == text }) {
				v.Filters += " " + f.ID
				f.Entries += len(g.drifts)
				shown++
			}
		}
		if shown > 0 && shown < len(p.Groups) {
			p.Filters = append(p.Filters, f)
			p.Style += template.CSS(fmt.Sprintf("@media screen{body:has(#%s:checked) .item:not(.%[1]s){display:none}}\n", f.ID))
		}
	}
}

func newPageGroup(r *report, g *group) *pageGroup {
	d := r.first(g)
	v := &pageGroup{
		Number: g.number, Kind: string(d.kind), First: shortRef(d.list, d.name),
		Title:  strings.TrimPrefix(r.groupTitle(g, maxSaidNames), string(d.kind)+" "),
		Warned: g.warned, Allowed: !r.blocked(d), Open: !g.minor, Alike: len(g.drifts) > 1,
		Findings: newSection("", r.groupFindings(g), len(g.drifts)),
		Accept:   r.acceptCommand(g),
	}
	if note := driftNote(d); note != "" {
		v.note(note)
	}
	if len(g.drifts) > maxSaidNames {
		v.Names = named(r.groupNames(g), maxTitleNames)
	}
	return v
}

// detail lays out the definitions and returns the room that the group took, in bytes.
func (v *pageGroup) detail(r *report, g *group, budget *wordBudget, room int) int {
	d := r.first(g)
	a := newAligner(v.Number, g.edits, budget, room-rowCost*(1+len(v.Findings.List))-len(v.Names))
	op, wholes := r.wholes(d, true)
	for i := range wholes {
		if a.full {
			v.note("more of this name left out here")
			break
		}
		v.whole(a, d.kind, op, &wholes[i])
	}
	if (d.kind == changed || d.kind == concealed) && d.textsKnown() {
		old, new := d.pinned.tree(), d.found.tree()
		tree := diffTree(d.list, &old, &new)
		v.compare(a, &tree)
	}
	return room - max(0, a.room)
}

func (v *pageGroup) note(text string) { v.Notes = append(v.Notes, text) }

// compare lays out the definition before and after, member by member: first those
// that changed, in reading order, then the rest, once.
func (v *pageGroup) compare(a *aligner, tree *diffNode) {
	if len(tree.inside) == 0 {
		v.Members = []pageMember{{"text", a.part(func() { a.node(tree, slot{prose: true}) })}}
		return
	}
	slices.SortStableFunc(tree.inside, func(x, y diffNode) int { return readingPlace(x.now.step) - readingPlace(y.now.step) })
	var same []namedValue
	left := 0 // changed members without room
	for i := range tree.inside {
		switch e := &tree.inside[i]; {
		case e.unchanged():
			same = append(same, namedValue{e.now.step, *e.new})
		case a.full:
			left++
		default:
			isText := func(v *value) bool { return v != nil && v.kind == '"' }
			at := slot{prose: isText(e.old) || isText(e.new)}
			v.Members = append(v.Members, pageMember{quotedName(e.now.step), a.part(func() { a.node(e, at) })})
		}
	}
	if left > 0 {
		v.note(plural(left, "more member") + " that changed left out here")
	}
	v.Same = v.members(a, same)
}

// members lays out members that are on one side only, or equal on both.
func (v *pageGroup) members(a *aligner, list []namedValue) (shown []pageMember) {
	for i, m := range list {
		if a.full {
			v.note(plural(len(list)-i, "more member") + " left out here")
			break
		}
		at := slot{prose: m.value.kind == '"', once: true}
		shown = append(shown, pageMember{quotedName(m.name), a.part(func() { a.words([]piece{{'=', at.print(m.value, false, false)}}, at) })})
	}
	return shown
}

// wholeWords are the headings of definitions shown whole, by kind of drift.
var wholeWords = map[kind]string{added: "added", removed: "pinned, now gone", duplicate: "listed", changed: "now", concealed: "now"}

func (v *pageGroup) whole(a *aligner, k kind, op byte, p *pin) {
	w := pageWhole{Word: wholeWords[k], Class: map[byte]string{'-': "old", '+': "new"}[op], Digest: short(p.digest)}
	if p.definition == nil {
		w.Word += ", its definition not stored"
	} else {
		w.Members = v.members(a, inReadingOrder(p.tree()))
	}
	v.Wholes = append(v.Wholes, w)
}

// escapes finds the marks that printable puts in place of what can't be seen. Only a mark
// that decodes a run can have ">" inside, and then between quotes.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(?:U\+|byte |and |[0-9]+ )(?:[^>]*?: "(?:[^"\\]|\\.)*">|[^>]*>)`)
})

// A pagePart is text, or one of the escapes that stand for what can't be seen.
type pagePart struct {
	Text   string
	Escape bool
}

// splitEscapes splits printable text into text and escapes. printable has escaped
// every "<" of the text that would read as one of its own marks, so where one
// begins is never in doubt.
func splitEscapes(printed string) (list []pagePart) {
	from := 0
	for _, at := range escapes().FindAllStringIndex(printed, -1) {
		list = append(list, pagePart{printed[from:at[0]], false}, pagePart{printed[at[0]:at[1]], true})
		from = at[1]
	}
	return append(list, pagePart{printed[from:], false})
}
