// Package junit writes reports in the XML format that Jenkins and GitLab read: a suite for the verdict, then one per
// server with a case per entry, the most dangerous first. The body of an element, which both programs show, contains
// what changed.
package junit

import (
	"encoding/xml"
	"io"
	"slices"
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

// A suite counts what is in it. Printable text has no character that XML 1.0 forbids (section 2.2),
// and the encoder splits what would end a CDATA section. Times are 0, so that equal inputs give equal bytes.
type suite struct {
	XMLName  xml.Name
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     int        `xml:"time,attr"`
	Suites   []*suite   `xml:"testsuite"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Suite   string `xml:"classname,attr"`
	Name    string `xml:"name,attr"`
	Time    int    `xml:"time,attr"`
	Failure *said  `xml:"failure"`
	Error   *said  `xml:"error"`
	Out     *said  `xml:"system-out"`
}

type said struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// add adds a case, and counts it in its suite and in all.
func (all *suite) add(to *suite, c testcase) {
	c.Suite = to.Name
	to.Cases = append(to.Cases, c)
	for _, counts := range []*suite{to, all} {
		counts.Tests++
		if c.Failure != nil {
			counts.Failures++
		}
		if c.Error != nil {
			counts.Errors++
		}
	}
}

// caseOf returns a case that fails for a reason or, if fails is false, a case that passes and names the allowed reason.
func caseOf(name, kind, message, text string, fails bool) testcase {
	if fails {
		return testcase{Name: name, Failure: &said{kind, message, text}}
	}
	return testcase{Name: name, Out: &said{Text: "allowed: " + text}}
}

// Write writes a test report.
func Write(w io.Writer, m *report.Model) error {
	all := &suite{XMLName: xml.Name{Local: "testsuites"}, Name: "pinproof"}
	suites := map[string]*suite{}
	of := func(server string) *suite {
		if suites[server] == nil {
			name := "pinproof" // for the verdict, and if two captures are compared
			if server != "" {
				name = text.QuoteName(server)
			}
			suites[server] = &suite{XMLName: xml.Name{Local: "testsuite"}, Name: name}
			all.Suites = append(all.Suites, suites[server])
		}
		return suites[server]
	}
	all.add(of(""), verdict(m))
	delete(suites, "")
	// The server of the most dangerous drift comes first.
	for _, e := range m.Entries {
		of(e.Server)
	}
	for _, s := range m.Servers {
		of(s.ID)
	}
	for _, p := range m.Problems {
		all.add(of(p.Server), caseOf(p.Title, p.ID, p.Text, p.Text, m.Failed && !p.Allowed))
	}
	for _, s := range m.Records {
		if s.FailsRun {
			all.add(of(s.Server), caseOf(s.What+" of "+s.EntryName, s.What, s.Detail, s.Detail, m.Failed))
		}
	}
	room := maxReport
	for _, b := range m.Blocks {
		for _, e := range b.Entries {
			all.add(of(e.Server), drift(e, b, &room))
		}
	}
	for _, c := range m.Captured {
		if c.Status == "MATCH" {
			all.add(of(c.Server), testcase{Name: c.Short})
		}
	}
	page, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(page)+"\n")
	}
	return err
}

// verdict returns the case of the whole run, with the findings that belong to no drift.
func verdict(m *report.Model) testcase {
	c := testcase{Name: "verdict"}
	line := m.Word + ": " + m.Text
	var b strings.Builder
	switch {
	case m.NoVerdict != nil:
		c.Error = &said{"error", m.NoVerdict.Lines[0], strings.Join(m.NoVerdict.Lines, "\n")}
	case m.Failed:
		c.Failure = &said{"DRIFT", line, line + "\n" + m.Review.Text + ": " + m.Review.Command}
	default:
		b.WriteString(line + "\n")
	}
	plain.New(&b, plain.Style{}).WriteCaptureFindings(m)
	if b.Len() > 0 {
		c.Out = &said{Text: b.String()}
	}
	return c
}

// drift returns the case of a drifted entry. Its text refers to no other block, because a case is read alone.
func drift(e *report.Entry, of *report.ReviewBlock, room *int) testcase {
	message := e.Kind + " " + e.DisplayName + ": " + e.Text
	if e.Warned {
		at := slices.IndexFunc(e.Findings, func(f report.Finding) bool { return f.Warning }) // approved ones come last
		message = e.Findings[at].Heading() + "; " + message
	}
	var b strings.Builder
	b.WriteString(message + "\n")
	plain.New(&b, plain.Style{}).WriteRows("  ", of)
	text := plain.TruncateLines(b.String(), min(maxCaseText, max(0, *room)))
	*room -= len(text)
	return caseOf(e.ShortName, e.Kind, message, text, e.Blocked)
}
