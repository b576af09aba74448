// Package json writes reports for programs.
package json

import (
	"bytes"
	"encoding/json"
	"io"

	"pinproof/internal/jsontree"
	"pinproof/internal/report"
)

// Limits in bytes: a huge capture must not make a report of hundreds of megabytes.
const (
	maxReport = 4 << 20 // all values together

	// One value; the largest definition of real servers has 13 kB.
	maxQuoted = 64 << 10
)

// Write writes the report for a program.
func Write(w io.Writer, m *report.Model) error {
	d := &document{SchemaVersion: 1, Verdict: "drift", ExitCode: m.ExitCode}
	if m.Matches {
		d.Verdict = "match"
	}
	if m.NoAnswer != nil {
		d.Verdict = "error"
		d.Error = &noAnswer{m.NoAnswer.Text, m.NoAnswer.Hints}
	}
	if m.Nothing {
		return Encode(w, d)
	}
	d.Bump = m.Bump
	d.Lockfile = m.Lockfile
	d.Against = m.Against
	d.Counts = m.Counts
	d.TextBytes = m.TextBytes
	if m.Tokens != nil {
		d.Tokens = &tokens{m.Tokens.Before, m.Tokens.After}
	}
	d.Summary = m.Word + ": " + m.Text
	if m.NoAnswer != nil {
		d.Summary = "No answer: " + m.NoAnswer.Text
	}
	d.Findings = findingsOf(m.Findings)
	d.Unpinned = findingsOf(m.Unpinned)
	d.Standing = findingsOf(m.Standing)
	for _, r := range m.Records {
		d.Records = append(d.Records, record{r.Server, r.List, r.Name, r.What, r.Detail})
	}
	d.Servers = []server{}
	for _, s := range m.Sides {
		d.Servers = append(d.Servers, server{s.Server, sideOf(s.Pinned), sideOf(s.Now)})
	}
	d.Entries = []captured{}
	for _, c := range m.Captured {
		d.Entries = append(d.Entries, captured{c.Server, c.List, c.Name, c.Status, c.Digest, c.Sanitized, c.ApprovalHash, c.Denied})
	}
	for _, f := range m.ReadFirst {
		d.ReadFirst = append(d.ReadFirst, readFirst{f.Server, f.List, f.Name, f.At, f.Block, f.Text, f.Marked, f.Words})
	}
	d.Drift = []entry{}
	left := room(maxReport)
	for i := range m.Entries {
		d.Drift = append(d.Drift, left.entry(&m.Entries[i]))
	}
	// An older guard leaves out entries that drifted, and doesn't know denied ones.
	for _, r := range m.Records {
		if m.RefusesDenied && r.What == "denied" {
			d.Drift = append(d.Drift, entry{Server: r.Server, List: r.List, Name: r.Name, Kind: "DENIED", Blocked: true, Severity: "none", Changes: []change{}, Findings: []finding{}})
		}
	}
	return Encode(w, d)
}

// findingsOf lists findings. The list is never null.
func findingsOf(list []report.Finding) []finding {
	said := []finding{}
	for _, f := range list {
		said = append(said, finding{f.Server, f.List, f.Name, f.ID, f.Level, f.Approved, f.At, f.Detail})
	}
	return said
}

func sideOf(s *report.Side) *side {
	if s == nil {
		return nil
	}
	return &side{s.Entries, s.SetDigest, s.Policy, s.Capture, s.About, s.Noise}
}

// A room is how many bytes of values may still be quoted.
type room int

// takes reports whether there is room for a value of that size, and takes it.
func (left *room) takes(size int) bool {
	if size > min(int(*left), maxQuoted) {
		return false
	}
	*left -= room(size)
	return true
}

// entry returns what is known of an entry that drifted, as far as there is room.
func (left *room) entry(e *report.Entry) entry {
	said := entry{
		Server: e.Server, List: e.List, Name: e.Name, Kind: e.Kind, Blocked: e.Blocked, Severity: e.Severity,
		RenamedFrom: e.RenamedFrom, RenamedTo: e.RenamedTo,
		Unexplained: e.Unexplained, Changes: []change{}, Findings: findingsOf(e.Findings),
	}
	// Where no changes show the difference, the definitions do.
	whole := len(e.Changes) == 0 && !e.Unexplained
	said.Pinned = left.definition(e.Pinned, whole)
	said.Now = left.definition(e.Now, whole)
	for i := range e.Copies {
		said.Copies = append(said.Copies, left.definition(&e.Copies[i], !e.Unexplained))
	}
	for i := range e.Changes {
		c := &e.Changes[i]
		*left -= room(len(c.Pointer))
		if *left < 0 {
			said.ChangesLeftOut = len(e.Changes) - i
			break
		}
		one := change{Pointer: c.Pointer, From: c.From, Label: c.Label, LabelText: c.LabelText, Severity: c.Severity}
		one.Old, one.OldBytes = left.value(c.Old)
		one.New, one.NewBytes = left.value(c.New)
		said.Changes = append(said.Changes, one)
	}
	return said
}

// value returns a value or, if there is no room for it, its size.
func (left *room) value(v jsontree.Value) (said jsontree.Value, bytes int) {
	if v.Kind == 0 {
		return v, 0
	}
	if size := len(jsontree.Append(nil, v)); !left.takes(size) {
		return jsontree.Value{}, size
	}
	return v, 0
}

// definition returns what is known of a definition. If whole is set, that is all of it, or its size if there is no room.
func (left *room) definition(d *report.Definition, whole bool) *definition {
	if d == nil {
		return nil
	}
	said := &definition{Digest: d.Digest, Sanitized: d.Sanitized, Line: d.Line}
	if !whole || d.Text == nil {
		return said
	}
	if left.takes(len(d.Text)) {
		said.Whole = jsontree.Canonical(d.Text)
	} else {
		said.Bytes = len(d.Text)
	}
	return said
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
	_, err := w.Write(jsontree.ASCII(b.Bytes()))
	return err
}
