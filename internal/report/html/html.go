// Package html writes reports as a page for a reviewer: one file without scripts and external resources. Server text
// was made printable, which shows hidden characters, and is in elements of its own. The template escapes it, so that
// it can't become markup. The page's Content-Security-Policy allows only the page's style sheet, by its digest.
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
	"slices"
	"strings"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
)

//go:embed html.tmpl
var pageTemplate string

//go:embed html.css
var pageStyle string

// Limits in bytes, so that a browser opens the page at once. The page lists what it leaves out.
const (
	maxBlocks = 4 << 20   // all blocks, as they are on the page
	maxHead   = 256 << 10 // everything before the blocks
)

// A page is what the template shows. Its texts are printable.
type page struct {
	*report.Model
	Style           template.CSS
	Policy          string // its Content-Security-Policy
	Head, General   []part
	Groups          []filterGroup
	Items, NotShown []*item
	shown           map[int]bool // numbers of the blocks in Items
	Common          []part       // what several entries have in common
}

// A part is printable text, with its element's class, or "", and the number of the block that it links to, or 0.
type part struct {
	Class, Text string
	Block       int
}

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

	Count int // the number of blocks that it shows
}

// An item is a block on the page.
type item struct {
	*report.ReviewBlock

	// Ids of the filters that show it, as CSS classes.
	Filters string

	Lines []part
	HTML  template.HTML // made by the template
}

// Aside returns what a reader has to notice in a block, or "" if the risks of an ADDED block, shown next to it,
// already have these words.
func (i *item) Aside() string {
	if i.Kind == "ADDED" && slices.Contains(i.Risks, i.Words) {
		return ""
	}
	return i.Words
}

// NextSteps lists the next steps. A page without some blocks has no command that approves them all.
func (p *page) NextSteps() []report.Step {
	if p.NotShown != nil {
		return p.Steps(nil)
	}
	return p.Steps(p.ApproveCommands)
}

// Write prints a report as a page.
func Write(w io.Writer, m *report.Model) error {
	p := &page{Model: m, Style: template.CSS(pageStyle)}
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"lower":  strings.ToLower,
		"dashed": dashed,
		"anchor": func(n int) string {
			if slices.ContainsFunc(m.Shared, func(s *report.SharedChanges) bool { return s.Number == n }) {
				return "shared"
			}
			return fmt.Sprint("g", n)
		},
		"shown": func(block int) bool { return p.shown[block] },
	}).Parse(pageTemplate))
	if !m.Matches && !m.NothingCompared {
		p.Head = laidOut(m, (*plain.Writer).WriteOverview)
		if err := p.blocks(t); err != nil {
			return err
		}
	}
	p.General = laidOut(m, (*plain.Writer).WriteCaptureFindings)
	sum := sha256.Sum256([]byte(p.Style))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	return t.ExecuteTemplate(w, "page", p)
}

// dashed returns a risk as it is typed after --only, which is also its CSS class.
func dashed(risk string) string { return strings.ReplaceAll(risk, " ", "-") }

var classes = map[byte]string{'*': "strong", '~': "faint", '-': "old", '+': "new", '!': "change", 'W': "warning"}

// A sheet collects what package plain lays out.
type sheet struct {
	list []part
	size int // bytes
}

// line adds a line. It adds nothing once the page has no room for what is collected.
func (s *sheet) line(_ byte, runs []layout.Run) {
	if s.size > maxBlocks {
		return
	}
	for _, r := range append(runs, layout.Run{Text: "\n"}) {
		if r.Text != "" {
			s.list = append(s.list, part{classes[r.Op], r.Text, r.Block})
			s.size += len(r.Text)
		}
	}
}

// writer returns a writer to the sheet. It wraps lines as in a text, because a browser would hide spaces at the end of a
// row, and begin the next row with server text.
func (s *sheet) writer() *plain.Writer { return plain.New(nil, plain.Style{Sink: s.line}) }

// laidOut returns what write prints, up to maxHead.
func laidOut(m *report.Model, write func(t *plain.Writer, m *report.Model)) []part {
	s := &sheet{}
	write(s.writer(), m)
	for i := len(s.list); s.size > maxHead; i-- {
		s.size -= len(s.list[i-1].Text)
		s.list = append(s.list[:i-1], part{Text: "the rest is left out here: see diff\n"})
	}
	return s.list
}

// blocks lays out the drift as far as there is room, the most dangerous of all servers first.
func (p *page) blocks(t *template.Template) error {
	var items []*item
	for _, b := range p.ByRank() {
		items = append(items, &item{ReviewBlock: b})
	}
	p.filters(items)
	s := &sheet{}
	rows := s.writer()
	p.shown = rows.Shown
	room := maxBlocks
	rows.WriteSharedChanges(p.Model)
	rows.WriteLateSharedChanges(p.Model)
	if s.size > maxHead {
		rows.ForgetSharedChanges(p.Model)
	} else {
		p.Common = s.list
	}
	for _, b := range items {
		var out bytes.Buffer
		*s = sheet{}
		rows.WriteRows("", b.ReviewBlock)
		b.Lines = s.list
		if s.size > room {
			b.Lines = nil // the block has no room in any case
		}
		if err := t.ExecuteTemplate(&out, "block", b); err != nil {
			return err
		}
		if max(s.size, out.Len()) > room {
			delete(p.shown, b.Number)
			p.NotShown = append(p.NotShown, b)
			continue
		}
		room -= out.Len()
		b.HTML = template.HTML(out.String())
		b.Lines = nil
		p.Items = append(p.Items, b)
	}
	return nil
}

// filters makes groups of buttons for the kinds, risks, servers and labels that some blocks have and others don't.
// Because the page has no script, filters adds rules to the style sheet that make the buttons work.
func (p *page) filters(items []*item) {
	labels := report.LabelWords()
	n := 0
	for _, name := range []string{"kind", "risk", "server", "label"} {
		group := filterGroup{Name: name}
		at := map[string]int{} // indexes in group.Filters, by the button's word
		for _, b := range items {
			for _, word := range b.words(name, p.Servers[b.Server].Name, labels) {
				i, known := at[word]
				if !known {
					i = len(group.Filters)
					at[word] = i
					f := filter{ID: fmt.Sprint("f", n), Text: word}
					if name == "risk" || name == "label" {
						f.Label = word
						f.Text = cmp.Or(labels[word], strings.ReplaceAll(word, "-", " "))
					}
					group.Filters = append(group.Filters, f)
					n++
				}
				f := &group.Filters[i]
				f.Count++
				b.Filters += " " + f.ID
			}
		}
		group.Filters = slices.DeleteFunc(group.Filters, func(f filter) bool { return f.Count == len(items) })
		var rules strings.Builder
		for _, f := range group.Filters {
			fmt.Fprintf(&rules, "@media screen{body:has(#%s:checked) .item:not(.%[1]s){display:none}}\n", f.ID)
		}
		p.Style += template.CSS(rules.String())
		if len(group.Filters) > 0 {
			p.Groups = append(p.Groups, group)
		}
	}
}

// words lists the words of a group's buttons that apply to a block.
func (i *item) words(group, server string, labels map[string]string) []string {
	switch {
	case group == "server":
		return []string{server}
	case group == "kind" && i.Warned:
		return []string{i.Kind, "WARNING"}
	case group == "kind":
		return []string{i.Kind}
	}
	return slices.DeleteFunc(slices.Clone(i.SelectorWords), func(word string) bool { return (labels[word] != "") != (group == "label") })
}
