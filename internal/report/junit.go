package report

import (
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// The JUnit report, in the form that Jenkins and GitLab read: a suite for the verdict,
// then one for every server with a case for every entry, the most dangerous first. What
// changed stands in the element's body, which both show.

// maxCaseText bounds the text of a case, in bytes: it is read in a browser.
const maxCaseText = 32 << 10

// An element is an XML element. Printable text has no character that XML 1.0 can't hold
// (section 2.2), and the encoder splits what would end a CDATA section.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Inside  []element
	Text    string `xml:",cdata"`
}

// newElement makes an element. attrs are names and values by turns.
func newElement(tag, text string, inside []element, attrs ...string) element {
	e := element{XMLName: xml.Name{Local: tag}, Text: text, Inside: inside}
	for pair := range slices.Chunk(attrs, 2) {
		e.Attrs = append(e.Attrs, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: pair[1]})
	}
	return e
}

// newSuite makes an element that counts what is in it. Its time is 0, so that equal inputs
// give equal bytes.
func newSuite(tag, name string, inside []element) element {
	count := map[string]int{}
	tally(inside, count)
	return newElement(tag, "", inside, "name", name, "tests", strconv.Itoa(count["testcase"]),
		"failures", strconv.Itoa(count["failure"]), "errors", strconv.Itoa(count["error"]), "time", "0")
}

func tally(list []element, count map[string]int) {
	for _, e := range list {
		count[e.XMLName.Local]++
		tally(e.Inside, count)
	}
}

func newCase(suite, name string, inside ...element) element {
	return newElement("testcase", "", inside, "classname", suite, "name", name, "time", "0")
}

func newFailure(tag, kind, message, text string) element {
	return newElement(tag, text, nil, "type", kind, "message", message)
}

// writeJUnit writes a test report.
func writeJUnit(w io.Writer, r *Report) error {
	room, budget := maxReportText, diff.FullWordBudget
	text := func(lay func(*diffBlock)) string {
		b := &diffBlock{room: min(maxCaseText, room)}
		lay(b)
		room -= b.out.Len()
		return b.String()
	}
	suites := []element{newSuite("testsuite", "pinproof", []element{junitVerdict(r, text)})}
	var servers []string // the server of the most dangerous drift comes first
	cases := map[string][]element{}
	add := func(server, name string, inside ...element) {
		cases[server] = append(cases[server], newCase(junitName(server), name, inside...))
	}
	for _, p := range r.problems() {
		said := newFailure("failure", p.id, p.Text, p.Text)
		if !r.Failed || p.allowed {
			said = newElement("system-out", "allowed: "+p.Text, nil)
		}
		add(p.server, p.title, said)
	}
	drifted := map[pin.Ref]bool{}
	for _, g := range r.groups {
		for _, at := range g.drifts {
			d := &r.Drifts[at]
			drifted[d.Ref()] = true
			servers = append(servers, d.Server)
			add(d.Server, shortRef(d.Type, d.Name), junitDrift(r, at, g, &budget, text))
		}
	}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		servers = append(servers, p.Server)
		for _, one := range p.Captured.Pins {
			if !drifted[pin.Ref{Server: p.Server, Key: one.Key}] {
				add(p.Server, shortRef(one.Type, one.Name))
			}
		}
	}
	seen := map[string]bool{}
	for _, server := range servers {
		if !seen[server] {
			suites = append(suites, newSuite("testsuite", junitName(server), cases[server]))
		}
		seen[server] = true
	}
	page, err := xml.MarshalIndent(newSuite("testsuites", "pinproof", suites), "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(page)+"\n")
	}
	return err
}

// junitName is the name of a server, or "pinproof" if two captures are compared.
func junitName(server string) string {
	if server == "" {
		return "pinproof"
	}
	return text.Name(server)
}

// junitVerdict is the case of the whole run, with the findings that belong to no drift.
func junitVerdict(r *Report, text func(func(*diffBlock)) string) element {
	line, page := r.verdictLine(), newPageText(r)
	said := text(func(b *diffBlock) {
		for _, s := range append([]section{page.Whole}, page.Others...) {
			if len(s.List) > 0 {
				b.line(s.Title + ":")
				b.findings(s)
			}
		}
	})
	var inside []element
	switch review := r.ReviewStep(); {
	case r.NoAnswer != nil:
		lines := fail.Lines(r.NoAnswer)
		inside = append(inside, newFailure("error", "error", lines[0], strings.Join(lines, "\n")))
	case r.Failed:
		inside = append(inside, newFailure("failure", "DRIFT", line, line+"\n"+review.Text+": "+review.Command))
	default:
		said = line + "\n" + said
	}
	if said != "" {
		inside = append(inside, newElement("system-out", said, nil))
	}
	return newCase("pinproof", "verdict", inside...)
}

// junitDrift is what the case of a drifted entry says. Unlike diff it folds nothing and
// refers to no other drift, because a case is read alone.
func junitDrift(r *Report, at int, g *group, budget *diff.WordBudget, text func(func(*diffBlock)) string) element {
	d := &r.Drifts[at]
	message := string(d.Kind) + " " + r.ref(d.Ref()) + ": " + r.driftText(at)
	if list := lint.WarningsIn(r.fresh[at]); len(list) > 0 {
		message = findingWord(list[0]) + "; " + message
	}
	alone := group{edits: slices.Clone(g.edits)}
	for i := range alone.edits {
		e := &alone.edits[i]
		if e.example { // its texts may be those of another entry
			own := newEdit(r.changes[at][i], d.Kind, budget, map[string][]diff.Piece{})
			e.Change, e.pieces, e.blocks = own.Change, own.pieces, own.blocks
			if e.unseen != "" { // else a warning says it
				e.unseen = own.unseen
			}
		}
		e.home, e.also, e.example = 0, nil, false
	}
	said := text(func(b *diffBlock) {
		b.line(message)
		b.findings(newSection("", collapseFindings(r.fresh[at], r.subjectOf), 1))
		b.drift(r, d, &alone, true)
	})
	if !r.Blocked[d.Ref()] {
		return newElement("system-out", "allowed: "+said, nil)
	}
	return newFailure("failure", string(d.Kind), message, said)
}
