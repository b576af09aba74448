// Package json writes reports for programs.
package json

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/report"
)

// Limits in bytes: a huge capture must not make a report of hundreds of megabytes.
const (
	maxReport = 4 << 20 // all values together

	// The maximum size of one quoted value. The largest definition of a real server has 13 kB.
	maxQuoted = 64 << 10
)

// A document is the JSON report: one object on one line, described by docs/report.schema.json.
// The summary, details of findings and errors are printable text for a person.
type document struct {
	SchemaVersion int                     `json:"schemaVersion"` // incremented when a member changes its meaning or is removed
	Verdict       string                  `json:"verdict"`
	ExitCode      int                     `json:"exitCode"`
	Summary       string                  `json:"summary,omitempty"`
	Error         *report.NoVerdictReason `json:"error,omitempty"`
	*report.Data
}

// Write writes the report for a program.
func Write(w io.Writer, m *report.Model) error {
	d := &document{SchemaVersion: 1, Verdict: "drift", ExitCode: m.ExitCode, Error: m.NoVerdict}
	if m.Matches {
		d.Verdict = "match"
	}
	if m.NoVerdict != nil {
		d.Verdict = "error"
	}
	if m.NothingCompared {
		return Encode(w, d)
	}
	d.Summary = m.Word + ": " + m.Text
	if m.NoVerdict != nil {
		d.Summary = "No answer: " + m.NoVerdict.Text
	}
	data := m.Data
	d.Data = &data
	data.Findings = append(m.CaptureFindings, m.UnacceptedWarnings...)
	data.Entries = []*report.Entry{}
	left := room(maxReport)
	for _, e := range m.Entries {
		data.Entries = append(data.Entries, left.entry(*e))
	}
	// List denied entries as drift, too: older guards leave out drifted entries, but don't know denied ones.
	for _, r := range m.Records {
		if m.RefusesDenied {
			data.Entries = append(data.Entries, &report.Entry{Server: r.Server, List: r.List, Name: r.Name, Kind: "DENIED", Blocked: true, Severity: "none",
				Changes: []report.Change{}, Findings: []report.Finding{}})
		}
	}
	return Encode(w, d)
}

// A room is the number of bytes of values that may still be written.
type room int

// entry returns an entry that drifted, with its values as far as there is room.
func (left *room) entry(e report.Entry) *report.Entry {
	// If no changes show the difference, add the whole definitions.
	whole := len(e.Changes) == 0 && !e.Unexplained
	e.Pinned = left.definition(e.Pinned, whole)
	e.Captured = left.definition(e.Captured, whole)
	e.Copies = slices.Clone(e.Copies)
	for i, d := range e.Copies {
		e.Copies[i] = left.definition(d, whole)
	}
	all := e.Changes
	e.Changes = []report.Change{}
	for i, c := range all {
		*left -= room(len(c.Pointer))
		if *left < 0 {
			e.ChangesLeftOut = len(all) - i
			break
		}
		c.Old, c.OldBytes = left.value(c.Old)
		c.New, c.NewBytes = left.value(c.New)
		e.Changes = append(e.Changes, c)
	}
	return &e
}

// value returns a value or, if there is no room for it, its size.
func (left *room) value(v jsontree.Value) (said jsontree.Value, bytes int) {
	if v.Kind == 0 {
		return v, 0
	}
	size := len(jsontree.Append(nil, v))
	if size > min(int(*left), maxQuoted) {
		return jsontree.Value{}, size
	}
	*left -= room(size)
	return v, 0
}

// definition returns a definition without its text. With whole, it adds the text or, if there is no room, its size.
func (left *room) definition(d *report.Definition, whole bool) *report.Definition {
	if d == nil || !whole || d.Text == nil {
		return d
	}
	said := *d
	said.Whole, said.Bytes = left.value(jsontree.ParseTrusted(d.Text))
	return &said
}

// Encode writes v on one line, in ASCII only, so that a terminal, a log or an editor hides nothing.
func Encode(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	// Escapes for HTML would make it longer, not safer.
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(jsontree.EscapeNonASCII(b.Bytes()))
	return err
}
