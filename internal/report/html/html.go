// Package html writes reports as a page for a reviewer: one file without scripts or anything from
// elsewhere. Server text is made printable first, which shows what can't be seen. The template
// then escapes it for its place, which keeps it from becoming markup. The page's
// Content-Security-Policy allows nothing but its one style sheet, by its digest.
package html

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

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

//go:embed html.tmpl
var pageTemplate string

//go:embed html.css
var pageStyle string

// Limits, so that a browser opens the page at once. The page says what it leaves out.
const (
	maxPage   = 4 << 20 // bytes
	maxBlocks = 1_000
	maxRows   = 200 // servers, notes or findings in a list
	lineCost  = 96  // bytes that a line takes besides its text, about
)

// The classes of lines and the elements of runs, by sign.
var (
	lineClasses = map[byte]string{'-': "old", '+': "new"}
	runElements = map[byte]string{'-': "del", '+': "ins"}
)

// A page is what the template shows. Its texts are printable.
type page struct {
	*report.Model
	Style    template.CSS
	Policy   string // its Content-Security-Policy
	Title    string // No answer, DRIFT, …
	Said     string // the verdict
	Error    []string
	Table    []tableRow
	Notes    []string
	More     []string // says of lists what they leave out
	Items    []*item
	NotShown []*report.Block
	Sections []section
	Steps    []report.Step
	Groups   []filterGroup
}

// A tableRow is a server in the head.
type tableRow struct {
	*report.Server
	Text string // by how many bytes its text grows
	Bar  int    // of 100
}

// A filterGroup is a group of buttons that each show only some blocks.
type filterGroup struct {
	Name    string
	Folded  bool
	Filters []filter
}

type filter struct {
	ID, Text string
	Count    int
}

// An item is a block on the page.
type item struct {
	*report.Block
	Filters string // ids of the filters that show it, as CSS classes
	Open    bool
	Shown   []row
	Minors  []row
}

// A row is a row with the lines that stand below it.
type row struct {
	*report.Row
	Class string
	Said  string // its detail
	Lines []line
}

// A line is a line with its sign. Its indent stands apart, so that what the browser
// wraps is indented, too.
type line struct {
	Sign, Class, Indent string
	Runs                []run
}

// A run is printable text that was kept "", removed "del" or added "ins", or is a name "strong".
type run struct{ Op, Text string }

type section struct {
	Title string
	List  []report.Finding
	More  string
}

// Write prints a report as a page.
func Write(w io.Writer, m *report.Model) error {
	p := &page{Model: m, Style: template.CSS(pageStyle), Title: m.Word, Said: m.Text}
	if m.NoAnswer != nil {
		p.Title, p.Said, p.Error = "No answer", "", m.NoAnswer.Lines
	}
	shown := map[int]bool{}
	if !m.Matches && !m.Nothing {
		p.head()
		p.blocks(shown)
		p.filters()
	}
	for _, s := range []section{
		{Title: "About the whole list", List: m.Whole},
		{Title: "Not on record: the rules or the names around them are new", List: m.Unrecorded},
		{Title: "Approved warnings, in what matches its pins", List: m.Approved},
	} {
		if s.List, s.More = bounded(s.List, "finding"); len(s.List) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	sum := sha256.Sum256([]byte(p.Style))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"lower": strings.ToLower,
		"split": splitEscapes,
		"words": splitWords,
		"shown": func(block int) bool { return shown[block] },
	}).Parse(pageTemplate))
	return t.ExecuteTemplate(w, "page", p)
}

// bounded returns the beginning of a list, and in words how much is left out.
func bounded[T any](list []T, noun string) (kept []T, more string) {
	if n := len(list) - maxRows; n > 0 {
		return list[:maxRows], text.Count(n, "more "+noun) + " left out here"
	}
	return list, ""
}

// head lays out what is compared, what drifted of each server, and what to type next.
func (p *page) head() {
	most := 1
	for i := range p.Servers {
		if s := &p.Servers[i]; s.Differs || !p.Several {
			grown := s.Counts.After - s.Counts.Before
			r := tableRow{Server: s}
			if s.Counts.Known && grown != 0 {
				r.Text, r.Bar = strings.Replace("+"+text.Number(grown), "+-", "-", 1), max(0, grown)
			}
			most = max(most, r.Bar)
			p.Table = append(p.Table, r)
			p.Notes = append(p.Notes, s.Notes...)
		}
	}
	for i := range p.Table {
		p.Table[i].Bar = 100 * p.Table[i].Bar / most
	}
	p.Notes = append(p.Notes, p.Model.Notes...)
	for _, problem := range p.Problems {
		p.Notes = append(p.Notes, problem.Text)
	}
	if p.Others != "" {
		p.Notes = append(p.Notes, p.Others)
	}
	var more string
	if p.Table, more = bounded(p.Table, "server"); more != "" {
		p.More = append(p.More, more)
	}
	if p.Notes, more = bounded(p.Notes, "line"); more != "" {
		p.More = append(p.More, more)
	}
	if p.Lockfile != "" {
		p.Steps = append(p.Steps, p.Review)
	}
	for _, s := range slices.Concat(p.Next, p.Record) {
		if s.Command != "" {
			p.Steps = append(p.Steps, s)
		}
	}
}

// blocks lays out the drift as far as there is room, the most dangerous of all servers first.
func (p *page) blocks(shown map[int]bool) {
	order := make([]int, len(p.Model.Blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.Model.Blocks[a].Class - p.Model.Blocks[b].Class })
	room := maxPage
	for _, i := range order {
		b := &p.Model.Blocks[i]
		if room -= cost(b); (room >= 0 || len(shown) == 0) && len(shown) < maxBlocks && cost(b) <= maxPage {
			shown[b.Number] = true
		} else {
			room += cost(b)
		}
	}
	for i := range p.Model.Blocks {
		b := &p.Model.Blocks[i]
		if !shown[b.Number] {
			p.NotShown = append(p.NotShown, b)
			continue
		}
		v := &item{Block: b, Open: !b.Minor}
		for j := range b.Rows {
			r := newRow(&b.Rows[j], shown)
			if r.Minor {
				v.Minors = append(v.Minors, r)
			} else {
				v.Shown = append(v.Shown, r)
			}
		}
		p.Items = append(p.Items, v)
	}
}

// cost is about how many bytes a block takes on the page.
func cost(b *report.Block) (n int) {
	text := func(lines []layout.Line) {
		for _, l := range lines {
			n += lineCost
			for _, r := range l.Runs {
				n += len(r.Text)
			}
		}
	}
	for i := range b.Rows {
		row := &b.Rows[i]
		n += lineCost + len(row.Word) + len(row.Place) + len(row.Pointer) + len(row.Detail) + len(row.Names)
		for _, l := range row.Lines {
			n += lineCost + len(l.Name) + len(l.Phrase)
			text(l.Text)
		}
	}
	return n + len(b.Title)*2 + len(b.Accept)
}

func newRow(from *report.Row, shown map[int]bool) row {
	r := row{Row: from, Class: map[byte]string{'W': "warning", '!': "change", '~': "change"}[from.Op], Said: from.Detail}
	if from.Home == 0 || !shown[from.Home] {
		r.Lines = signed(from.Op, from.Lines, shown)
	}
	return r
}

// signed lays out lines. The server's texts stand below what they describe, in lines that look
// unlike ours.
func signed(op byte, list []report.Line, shown map[int]bool) (lines []line) {
	for i := 0; i < len(list); i++ {
		l := &list[i]
		indent := strings.Repeat("  ", l.Depth)
		as := l.As != "" && shown[l.Home]
		if l.Name != "" || l.Phrase != "" || as {
			head := line{Indent: indent, Runs: []run{{"strong", l.Name}, {"", spaced(l.Phrase)}}}
			if as {
				head.Runs = append(head.Runs, run{"", spaced(l.As)})
			}
			lines = append(lines, head)
			indent += "  "
		}
		if as {
			i += l.Skip
			continue
		}
		lines = append(lines, pageLines(indent, l.Text)...)
	}
	return lines
}

func pageLines(indent string, list []layout.Line) (lines []line) {
	for _, l := range list {
		p := line{Sign: string(l.Sign), Class: lineClasses[l.Sign], Indent: indent}
		if l.Sign == '=' {
			p.Sign, p.Class = "", "said"
		}
		if whole := !slices.ContainsFunc(l.Runs, func(s layout.Run) bool { return s.Op != l.Sign }); whole && len(l.Runs) > 0 {
			all := l.Runs[0].Text
			l.Runs = slices.Clone(l.Runs)
			l.Runs[0].Text = strings.TrimLeft(all, " ")
			p.Indent += all[:len(all)-len(l.Runs[0].Text)]
			p.Class = strings.TrimSpace(p.Class + " whole")
		}
		for _, s := range l.Runs {
			p.Runs = append(p.Runs, run{runElements[s.Op], s.Text})
		}
		lines = append(lines, p)
	}
	return lines
}

// filters makes buttons in groups for all that some blocks have and others don't: a kind, a risk,
// a server, a label. The buttons work by rules that it adds to the style sheet: the page has no
// script.
func (p *page) filters() {
	n := 0
	group := func(name string, folded bool, texts []string, has func(b *item, text string) bool) {
		g := filterGroup{Name: name, Folded: folded}
		for _, text := range texts {
			f, shown := filter{ID: "f" + strconv.Itoa(n), Text: text}, []*item(nil)
			for _, b := range p.Items {
				if has(b, text) {
					f.Count += len(b.Entries)
					shown = append(shown, b)
				}
			}
			if len(shown) == 0 || len(shown) == len(p.Items) {
				continue
			}
			n++
			for _, b := range shown {
				b.Filters += " " + f.ID
			}
			g.Filters = append(g.Filters, f)
			p.Style += template.CSS(fmt.Sprintf("@media screen{body:has(#%s:checked) .item:not(.%[1]s){display:none}}\n", f.ID))
		}
		if len(g.Filters) > 0 {
			p.Groups = append(p.Groups, g)
		}
	}
	group("kind", false, []string{"DUPLICATE", "HIDDEN", "ADDED", "CHANGED", "REMOVED"}, func(b *item, text string) bool { return b.Kind == text })
	group("risk", false, []string{"WARNING", "destructive", "takes code", "writes", "open world", "no hints", "order", "new-address"}, func(b *item, text string) bool {
		said := strings.Split(b.Danger+", "+b.Why, ", ")
		return text == "WARNING" && b.Warned || slices.Contains(said, text)
	})
	var servers []string
	for _, r := range p.Table {
		servers = append(servers, r.Label)
	}
	if p.Several {
		group("server", false, servers, func(b *item, text string) bool { return p.Servers[b.Server].Label == text })
	}
	group("label", true, report.Labels(), func(b *item, text string) bool { return slices.Contains(b.Labels, text) })
}

// spaced puts two spaces before a text that isn't empty.
func spaced(text string) string {
	if text == "" {
		return ""
	}
	return "  " + text
}

// escapes finds the marks that printable puts in place of what can't be seen. Only a mark
// that decodes a run can have ">" inside, and then between quotes.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(?:U\+|byte |and |[0-9]+ )(?:[^>]*?: "(?:[^"\\]|\\.)*">|[^>]*>)`)
})

// A part is text, one of the escapes that stand for what can't be seen, or a word that
// is not to be broken at its hyphens.
type part struct {
	Text   string
	Escape bool
	Word   bool
}

// splitEscapes splits printable text into text and escapes. printable has escaped
// every "<" of the text that would read as one of its own marks, so where one
// begins is never in doubt.
func splitEscapes(printed string) (list []part) {
	from := 0
	for _, at := range escapes().FindAllStringIndex(printed, -1) {
		list = append(list, part{Text: printed[from:at[0]]}, part{Text: printed[at[0]:at[1]], Escape: true})
		from = at[1]
	}
	return append(list, part{Text: printed[from:]})
}

// maxWord is the longest word that a narrow screen has room for, in bytes.
const maxWord = 40

// splitWords is splitEscapes for text that has names. A browser would break them at hyphens.
func splitWords(printed string) (list []part) {
	for _, p := range splitEscapes(printed) {
		if p.Escape {
			list = append(list, p)
			continue
		}
		for word := range strings.SplitAfterSeq(p.Text, " ") {
			name := strings.TrimSuffix(word, " ")
			list = append(list, part{Text: name, Word: strings.Contains(name, "-") && len(name) <= maxWord}, part{Text: word[len(name):]})
		}
	}
	return list
}
