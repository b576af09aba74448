// Package junit writes reports in the form that Jenkins and GitLab read: a suite for the verdict,
// then one for every server with a case for every entry, the most dangerous first. What
// changed stands in the element's body, which both show.
package junit

import (
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

// Limits in bytes: a report is read in a browser.
const (
	maxCaseText = 32 << 10
	maxReport   = 4 << 20
)

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

// Write writes a test report.
func Write(w io.Writer, m *report.Model) error {
	room := maxReport
	suites := []element{newSuite("testsuite", "pinproof", []element{verdict(m)})}
	var servers []string // the server of the most dangerous drift comes first
	cases := map[string][]element{}
	add := func(server, name string, inside ...element) {
		cases[server] = append(cases[server], newCase(suiteName(server), name, inside...))
	}
	for _, p := range m.Problems {
		said := newFailure("failure", p.ID, p.Text, p.Text)
		if !m.Failed || p.Allowed {
			said = newElement("system-out", "allowed: "+p.Text, nil)
		}
		add(p.Server, p.Title, said)
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		servers = append(servers, e.Server)
		add(e.Server, e.Short, drift(m, i, &room))
	}
	for _, s := range m.Servers {
		servers = append(servers, s.ID)
	}
	for _, c := range m.Data.Captured {
		if c.Status == "MATCH" {
			add(c.Server, c.Short)
		}
	}
	seen := map[string]bool{}
	for _, server := range servers {
		if !seen[server] {
			suites = append(suites, newSuite("testsuite", suiteName(server), cases[server]))
		}
		seen[server] = true
	}
	page, err := xml.MarshalIndent(newSuite("testsuites", "pinproof", suites), "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(page)+"\n")
	}
	return err
}

// suiteName is the name of a server, or "pinproof" if two captures are compared.
func suiteName(server string) string {
	if server == "" {
		return "pinproof"
	}
	return text.Name(server)
}

// verdict is the case of the whole run, with the findings that belong to no drift.
func verdict(m *report.Model) element {
	line := m.Word + ": " + m.Text
	var b strings.Builder
	t := plain.New(&b, plain.Style{})
	t.Findings("", "About the whole list:", m.Whole)
	t.Findings("", "Not on record: the rules or the names around them are new:", m.Unrecorded)
	t.Findings("", "Approved warnings, in what matches its pins:", m.Approved)
	said := b.String()
	var inside []element
	switch {
	case m.NoAnswer != nil:
		inside = append(inside, newFailure("error", "error", m.NoAnswer.Lines[0], strings.Join(m.NoAnswer.Lines, "\n")))
	case m.Failed:
		inside = append(inside, newFailure("failure", "DRIFT", line, line+"\n"+m.Review.Text+": "+m.Review.Command))
	default:
		said = line + "\n" + said
	}
	if said != "" {
		inside = append(inside, newElement("system-out", said, nil))
	}
	return newCase("pinproof", "verdict", inside...)
}

// drift is what the case of a drifted entry says. It refers to no other block, because a case is
// read alone.
func drift(m *report.Model, at int, room *int) element {
	e := &m.Entries[at]
	message := e.Kind + " " + e.Said + ": " + e.Text
	if e.Warned {
		message = e.Findings[0].Word() + "; " + message
	}
	var b strings.Builder
	b.WriteString(message + "\n")
	block := &m.Blocks[e.Block-1]
	for i := range block.Each {
		if one := &block.Each[i]; one.Entries[0] == at {
			block = one
			break
		}
	}
	plain.New(&b, plain.Style{}).Rows("  ", block)
	said := plain.Shorten(b.String(), min(maxCaseText, max(0, *room)))
	*room -= len(said)
	if !e.Blocked {
		return newElement("system-out", "allowed: "+said, nil)
	}
	return newFailure("failure", e.Kind, message, said)
}
