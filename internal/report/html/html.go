// Package html writes reports as a page for a reviewer: one file without scripts or anything from
// elsewhere. Server text was made printable, which shows what can't be seen, and is in elements
// of its own. The template then escapes it for its place, which keeps it from
// becoming markup. The page's Content-Security-Policy allows nothing but its one style sheet, by its digest.
package html

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
)

//go:embed html.tmpl
var pageTemplate string

//go:embed html.css
var pageStyle string

// Limits in bytes, so that a browser opens the page at once. The page says what it leaves out.
const (
	maxBlocks = 4 << 20   // all blocks, as they are on the page
	maxHead   = 256 << 10 // what is before them
)

// A page is what the template shows. Its texts are printable.
type page struct {
	*report.Model
	Style           template.CSS
	Policy          string // its Content-Security-Policy
	Title           string // No answer, DRIFT, …
	Said            string // the verdict
	Error           []string
	Head, General   []part
	Groups          []filterGroup
	Items, NotShown []*item
	shown           map[int]bool // numbers of the blocks in Items
}

// A part is printable text, with the class of the span that it is in, or "".
type part struct{ Class, Text string }

// A filterGroup is a group of buttons that each show only some blocks.
type filterGroup struct {
	Name    string
	Filters []filter
}

type filter struct {
	ID   string
	Text string

	// The id of a label or a risk, as it is typed; or "".
	Label string

	Count int
}

// An item is a block on the page.
type item struct {
	*report.Block

	// Ids of the filters that show it, as CSS classes.
	Filters string

	Told []told
	Rows []row
	HTML template.HTML // made by the template
}

// Aside is what stands out in a block. It is "" if an ADDED block has the same words among its risks, which
// are shown beside it.
func (i *item) Aside() string {
	if i.Kind == "ADDED" && slices.Contains(i.Risks, i.Words) {
		return ""
	}
	return i.Words
}

// Write prints a report as a page.
func Write(w io.Writer, m *report.Model) error {
	p := &page{Model: m, Style: template.CSS(pageStyle), Title: m.Word, Said: m.Text, shown: map[int]bool{}}
	if m.NoAnswer != nil {
		p.Title = "No answer"
		p.Said = ""
		p.Error = m.NoAnswer.Lines
	}
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"lower":  strings.ToLower,
		"dashed": dashed,
		"place":  func(said string) place { return placeOf(said, said) },
		"shown":  func(block int) bool { return p.shown[block] },
	}).Parse(pageTemplate))
	if !m.Matches && !m.Nothing {
		bare := *m
		// The page has links to these.
		bare.Worst = nil
		bare.MuchToRead = false
		p.Head = laidOut(func(t *plain.Writer) { t.Overview(&bare) })
		if err := p.blocks(t); err != nil {
			return err
		}
	}
	p.General = laidOut(func(t *plain.Writer) { t.General(m) })
	sum := sha256.Sum256([]byte(p.Style))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	return t.ExecuteTemplate(w, "page", p)
}

// dashed returns a risk as it is typed after --only, which is also its CSS class.
func dashed(risk string) string { return strings.ReplaceAll(risk, " ", "-") }

// painted matches text that package plain has coloured. Its first group is the code of the colour. Printable text has no
// escape character.
var painted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[([0-9;]+)m([^\x1b]*)\x1b\[[0-9;]+m`) })

var classes = map[string]string{"1": "strong", "2": "faint", "31": "old", "32": "new", "33": "change", "1;31": "warning"}

// parts splits lines by their colours.
func parts(lines string) (list []part) {
	from := 0
	for _, at := range painted().FindAllStringSubmatchIndex(lines, -1) {
		list = append(list, part{"", lines[from:at[0]]}, part{classes[lines[at[2]:at[3]]], lines[at[4]:at[5]]})
		from = at[1]
	}
	return append(list, part{"", lines[from:]})
}

// laidOut returns what write prints, as far as there is room for it before the blocks.
func laidOut(write func(t *plain.Writer)) []part {
	var out strings.Builder
	write(plain.New(&out, plain.Style{Colored: true, Width: layout.AnyWidth})) // a browser wraps lines by itself
	if out.Len() == 0 {
		return nil
	}
	return parts(plain.Shorten(out.String(), maxHead))
}

// blocks lays out the drift as far as there is room, the most dangerous of all servers first.
func (p *page) blocks(t *template.Template) error {
	var items []*item
	for _, b := range p.ByRank() {
		items = append(items, &item{Block: b})
	}
	p.filters(items)
	d := &drawer{shown: map[int]bool{}, told: map[string]bool{}}
	room := maxBlocks
	for _, b := range items {
		var out bytes.Buffer
		b.Told = d.letters(b.Block)
		b.Rows = d.rows(b.Block)
		if err := t.ExecuteTemplate(&out, "block", b); err != nil {
			return err
		}
		if out.Len() > room {
			delete(d.shown, b.Number)
			for _, l := range b.Told {
				delete(d.told, l.Name)
			}
			p.NotShown = append(p.NotShown, b)
			continue
		}
		room -= out.Len()
		b.HTML = template.HTML(out.String())
		b.Rows = nil
		b.Told = nil
		p.Items = append(p.Items, b)
		p.shown[b.Number] = true
	}
	for depth := 1; depth <= d.deepest; depth++ {
		p.Style += template.CSS(fmt.Sprintf(".said.d%d{margin-left:min(%drem,60%%)}\n", depth, 1+depth))
	}
	return nil
}

// filters makes buttons in groups for all that some blocks have and others don't: a kind, a risk,
// a server, a label. The buttons work by rules that it adds to the style sheet: the page has no
// script.
func (p *page) filters(items []*item) {
	labels := report.LabelWords()
	isLabel := func(word string) bool { return labels[word] != "" }
	risks := map[string]string{} // words for people, by what --only takes
	for _, b := range items {
		for _, said := range b.Risks {
			risks[dashed(said)] = said
		}
	}
	n := 0
	for _, group := range []struct {
		name string
		of   func(b *item) []string
	}{
		{"kind", func(b *item) []string {
			if b.Warned {
				return []string{b.Kind, "WARNING"}
			}
			return []string{b.Kind}
		}},
		{"risk", func(b *item) []string { return slices.DeleteFunc(slices.Clone(b.Is), isLabel) }},
		{"server", func(b *item) []string { return []string{p.Servers[b.Server].Name} }},
		{"label", func(b *item) []string {
			return slices.DeleteFunc(slices.Clone(b.Is), func(word string) bool { return !isLabel(word) })
		}},
	} {
		made := filterGroup{Name: group.name}
		has := map[string][]*item{}
		var texts []string
		for _, b := range items {
			for _, text := range group.of(b) {
				if has[text] == nil {
					texts = append(texts, text)
				}
				if last := len(has[text]) - 1; last < 0 || has[text][last] != b {
					has[text] = append(has[text], b)
				}
			}
		}
		for _, text := range texts {
			if len(has[text]) == len(items) {
				continue
			}
			f := filter{ID: fmt.Sprint("f", n), Text: text}
			if said := cmp.Or(labels[text], risks[text]); said != "" {
				f.Text = said
				f.Label = text
			}
			for _, b := range has[text] {
				f.Count += len(b.Entries)
				b.Filters += " " + f.ID
			}
			n++
			made.Filters = append(made.Filters, f)
			p.Style += template.CSS(fmt.Sprintf("@media screen{body:has(#%s:checked) .item:not(.%[1]s){display:none}}\n", f.ID))
		}
		if made.Filters != nil {
			p.Groups = append(p.Groups, made)
		}
	}
}
