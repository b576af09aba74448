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

// A page is what the template shows. Its texts are printable.
type page struct {
	*report.Model
	Style    template.CSS
	Policy   string // its Content-Security-Policy
	Title    string // No answer, DRIFT, …
	Said     string // the verdict
	Error    []string
	Columns  []string // of the table
	Table    []report.TableRow
	Most     int // by how many bytes the text of a server grows
	Remarks  []string
	Items    []*item
	NotShown []*report.Block
	Sections []section
	Groups   []filterGroup
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
}

// A line is a line with its sign. Its indent stands apart, so that what the browser
// wraps is indented, too.
type line struct {
	Sign, Class, Indent string
	Runs                []part
}

// A part is printable text, with the element that it stands in or the class of a span.
type part struct{ Class, Text string }

type section struct {
	report.Section
	More string
}

// Write prints a report as a page.
func Write(w io.Writer, m *report.Model) error {
	p := &page{Model: m, Style: template.CSS(pageStyle), Title: m.Word, Said: m.Text, Columns: report.Columns}
	if m.NoAnswer != nil {
		p.Title, p.Said, p.Error = "No answer", "", m.NoAnswer.Lines
	}
	shown := map[int]bool{}
	if !m.Matches && !m.Nothing {
		p.Table, p.Remarks = m.Table(), m.Remarks()
		for _, r := range p.Table {
			p.Most = max(p.Most, r.Grown)
		}
		p.blocks(shown)
		p.filters()
	}
	var more [2]string
	p.Table, more[0] = bounded(p.Table, "server")
	p.Remarks, more[1] = bounded(p.Remarks, "line")
	p.Remarks = append(p.Remarks, slices.DeleteFunc(more[:], func(s string) bool { return s == "" })...)
	for _, s := range m.Sections() {
		if len(s.List) > 0 {
			list, more := bounded(s.List, "finding")
			p.Sections = append(p.Sections, section{report.Section{Title: s.Title, List: list}, more})
		}
	}
	sum := sha256.Sum256([]byte(p.Style))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"lower": strings.ToLower,
		"split": splitEscapes,
		"words": splitWords,
		"shown": func(block int) bool { return shown[block] },
		"lines": func(r report.Row) []line { return below(&r, shown) },
		"rows": func(b *item, minor bool) []report.Row {
			return slices.DeleteFunc(slices.Clone(b.Rows), func(r report.Row) bool { return r.Minor != minor })
		},
		"class": func(r report.Row) string { return map[byte]string{'W': "warning", '!': "change", '~': "change"}[r.Op] },
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

// blocks lays out the drift as far as there is room, the most dangerous of all servers first.
func (p *page) blocks(shown map[int]bool) {
	room := maxPage
	for _, b := range p.ByDanger() {
		if size := cost(b); size <= maxPage && (size <= room || len(shown) == 0) && len(shown) < maxBlocks {
			shown[b.Number] = true
			room -= size
		}
	}
	for i := range p.Model.Blocks {
		b := &p.Model.Blocks[i]
		if !shown[b.Number] {
			p.NotShown = append(p.NotShown, b)
			continue
		}
		p.Items = append(p.Items, &item{Block: b})
	}
}

// cost is about how many bytes a block takes on the page.
func cost(b *report.Block) int {
	n := len(b.Title)*2 + len(b.Accept)
	for i := range b.Rows {
		row := &b.Rows[i]
		n += lineCost + len(row.Word) + len(row.Place) + len(row.Pointer) + len(row.Detail) + len(row.Names)
		for _, l := range row.Lines {
			n += lineCost + len(l.Name) + len(l.Phrase)
			for _, l := range l.Text {
				n += lineCost
				for _, r := range l.Runs {
					n += len(r.Text)
				}
			}
		}
	}
	return n
}

// below lays out what stands below a row, unless another block shows it. The server's texts stand below
// what they describe, in lines that look unlike ours.
func below(r *report.Row, shown map[int]bool) (lines []line) {
	for i := 0; i < len(r.Lines) && !shown[r.Home]; i++ {
		l := &r.Lines[i]
		indent := strings.Repeat("  ", l.Depth)
		as := ""
		if shown[l.Home] {
			as = l.As
		}
		if l.Name != "" || l.Phrase != "" || as != "" {
			lines = append(lines, line{Indent: indent, Runs: []part{{"strong", l.Name}, {"", text.Spaced(l.Phrase, as)}}})
			indent += "  "
		}
		if as != "" {
			i += l.Skip
			continue
		}
		for _, said := range l.Text {
			lines = append(lines, signed(indent, said))
		}
	}
	return lines
}

// signed lays out a line of a server's text. Blanks before it belong to the indent.
func signed(indent string, l layout.Line) line {
	p := line{Sign: string(l.Sign), Class: map[byte]string{'-': "old", '+': "new", '=': "said"}[l.Sign], Indent: indent}
	if l.Sign == '=' {
		p.Sign = ""
	}
	whole := len(l.Runs) > 0
	for _, r := range l.Runs {
		whole = whole && r.Op == l.Sign
		p.Runs = append(p.Runs, part{map[byte]string{'-': "del", '+': "ins"}[r.Op], r.Text})
	}
	if whole {
		first := &p.Runs[0]
		kept := strings.TrimLeft(first.Text, " ")
		p.Indent, first.Text = indent+first.Text[:len(first.Text)-len(kept)], kept
		p.Class += " whole"
	}
	return p
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
	group("risk", false, []string{"WARNING", "destructive", "takes-code", "writes", "open-world", "no-hints", "order", "new-address"}, func(b *item, text string) bool {
		return text == "WARNING" && b.Warned || slices.Contains(b.Is, text)
	})
	if p.Several {
		var servers []string
		for _, r := range p.Table {
			servers = append(servers, r.Names[0])
		}
		group("server", false, servers, func(b *item, text string) bool { return p.Servers[b.Server].Label == text })
	}
	group("label", true, report.Labels(), func(b *item, text string) bool { return slices.Contains(b.Is, text) })
}

// escapes finds the marks that printable puts in place of what can't be seen. Only a mark
// that decodes a run can have ">" inside, and then between quotes.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(?:U\+|byte |and |[0-9]+ )(?:[^>]*?: "(?:[^"\\]|\\.)*">|[^>]*>)`)
})

// splitEscapes splits printable text into text and escapes ("esc"). printable has escaped
// every "<" of the text that would read as one of its own marks, so where one
// begins is never in doubt.
func splitEscapes(printed string) (list []part) {
	from := 0
	for _, at := range escapes().FindAllStringIndex(printed, -1) {
		list = append(list, part{"", printed[from:at[0]]}, part{"esc", printed[at[0]:at[1]]})
		from = at[1]
	}
	return append(list, part{"", printed[from:]})
}

// maxWord is the longest word that a narrow screen has room for, in bytes.
const maxWord = 40

// splitWords is splitEscapes for text that has names: a browser would break a "word" at its hyphens.
func splitWords(printed string) (list []part) {
	for _, p := range splitEscapes(printed) {
		if p.Class != "" {
			list = append(list, p)
			continue
		}
		for word := range strings.SplitAfterSeq(p.Text, " ") {
			if name := strings.TrimSuffix(word, " "); strings.Contains(name, "-") && len(name) <= maxWord {
				list = append(list, part{"word", name}, part{"", word[len(name):]})
			} else {
				list = append(list, part{"", word})
			}
		}
	}
	return list
}
