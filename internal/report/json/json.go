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
	maxReport = 4 << 20  // all values together
	maxQuoted = 64 << 10 // one value; the largest definition of real servers has 13 kB
)

// The JSON report is one object on one line, described by docs/report.schema.json.
// A member with nothing to say is absent. Names, pointers, definitions and paths are
// not made printable, so a program that reads them must treat them as hostile. The
// summary, details of findings and errors are printable text for a person.
type document struct {
	SchemaVersion int                 `json:"schemaVersion"` // changes when a member changes its meaning or goes away
	Verdict       string              `json:"verdict"`
	ExitCode      int                 `json:"exitCode"`
	Summary       string              `json:"summary,omitempty"`
	Error         *report.NoAnswer    `json:"error,omitempty"`
	Lockfile      string              `json:"lockfile,omitempty"`
	Against       string              `json:"against,omitempty"`
	Bump          string              `json:"bump,omitempty"`
	Counts        map[string]int      `json:"counts,omitempty"`
	TextBytes     map[string]int      `json:"textBytes,omitempty"`
	Servers       []report.ServerData `json:"servers,omitzero"`
	Drift         []report.Entry      `json:"drift,omitzero"`
	Findings      []report.Finding    `json:"findings,omitzero"`
	Unpinned      []report.Finding    `json:"unpinned,omitzero"`
	Standing      []report.Finding    `json:"standing,omitzero"`
	Records       []report.Record     `json:"records,omitempty"`
	Entries       []report.Captured   `json:"entries,omitzero"`
}

// Write writes the report for a program.
func Write(w io.Writer, m *report.Model) error {
	j := &document{SchemaVersion: 1, Verdict: "drift", ExitCode: m.ExitCode, Error: m.NoAnswer}
	switch {
	case m.NoAnswer != nil:
		j.Verdict = "error"
	case m.Matches:
		j.Verdict = "match"
	}
	if m.Nothing {
		return Encode(w, j)
	}
	j.Bump = m.Bump
	j.Lockfile, j.Against, j.Summary, j.Counts, j.TextBytes = m.Lockfile, m.Against, m.Word+": "+m.Text, m.Counts, m.TextBytes
	if m.NoAnswer != nil {
		j.Summary = "No answer: " + m.NoAnswer.Text
	}
	j.Findings, j.Unpinned, j.Standing = list(m.Findings), list(m.Unpinned), list(m.Standing)
	j.Records = m.Records
	j.Drift, j.Servers, j.Entries = list(m.Entries), list(m.Sides), list(m.Captured)
	left := room(maxReport)
	for i := range j.Drift {
		left.entry(&j.Drift[i])
	}
	return Encode(w, j)
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

// entry leaves out of an entry what there is no room for.
func (left *room) entry(e *report.Entry) {
	if len(e.Changes) == 0 { // no changes to show the difference: give the definitions
		e.Pinned, e.Now = left.whole(e.Pinned), left.whole(e.Now)
	}
	e.Copies, e.Changes, e.Findings = list(e.Copies), list(e.Changes), list(e.Findings)
	for i := range e.Copies {
		e.Copies[i] = *left.whole(&e.Copies[i])
	}
	for i := range e.Changes {
		c := &e.Changes[i]
		if *left -= room(len(c.Pointer)); *left < 0 {
			e.Changes, e.ChangesLeftOut = e.Changes[:i], len(e.Changes)-i
			break
		}
		c.OldBytes, c.NewBytes = left.quote(&c.Old), left.quote(&c.New)
	}
}

// quote takes a value away that there is no room for, and returns its size.
func (left *room) quote(v *jsontree.Value) int {
	if size := len(jsontree.Append(nil, *v)); v.Kind != 0 && !left.takes(size) {
		*v = jsontree.Value{}
		return size
	}
	return 0
}

// whole adds to a copy of what is said of a definition all of it, or its size.
func (left *room) whole(d *report.Definition) *report.Definition {
	if d == nil {
		return nil
	}
	said := *d
	if left.takes(len(d.Text)) && d.Text != nil {
		said.Whole = jsontree.Canonical(d.Text)
	} else {
		said.Bytes = len(d.Text)
	}
	return &said
}

// list is a copy that is never null.
func list[T any](of []T) []T { return append([]T{}, of...) }

// Encode writes v on one line, in ASCII only, so that a terminal, a log or an editor hides nothing.
func Encode(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the escapes would make it longer, not safer
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(jsontree.ASCII(b.Bytes()))
	return err
}
