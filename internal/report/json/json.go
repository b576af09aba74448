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
	Drift         []drift             `json:"drift,omitzero"`
	Findings      []finding           `json:"findings,omitzero"`
	Unpinned      []finding           `json:"unpinned,omitzero"`
	Standing      []finding           `json:"standing,omitzero"`
	Entries       []report.Captured   `json:"entries,omitzero"`
}

type drift struct {
	Server         string       `json:"server"`
	List           string       `json:"list"`
	Name           string       `json:"name"`
	Kind           string       `json:"kind"`
	Blocked        bool         `json:"blocked"`
	Severity       string       `json:"severity"`
	RenamedFrom    string       `json:"renamedFrom,omitempty"`
	RenamedTo      string       `json:"renamedTo,omitempty"`
	Pinned         *definition  `json:"pinned,omitempty"`
	Now            *definition  `json:"now,omitempty"`
	Copies         []definition `json:"copies,omitempty"`
	Changes        []change     `json:"changes"`
	ChangesLeftOut int          `json:"changesLeftOut,omitempty"`
	Findings       []finding    `json:"findings"`
}

// A definition or a value of a change that is too long is replaced by its size.
type definition struct {
	report.Definition
	Whole json.RawMessage `json:"definition,omitempty"`
	Bytes int             `json:"definitionBytes,omitempty"`
}

type change struct {
	report.Change
	OldBytes int `json:"oldBytes,omitempty"`
	NewBytes int `json:"newBytes,omitempty"`
}

type finding struct {
	Server   *string `json:"server,omitempty"`
	List     string  `json:"list,omitempty"`
	Name     *string `json:"name,omitempty"`
	ID       string  `json:"id"`
	Level    string  `json:"level"`
	Approved bool    `json:"approved,omitempty"`
	Pointer  string  `json:"pointer"`
	Detail   string  `json:"detail"`
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
	j.Findings, j.Unpinned, j.Standing = findings(m.Findings, true), findings(m.Unpinned, true), findings(m.Standing, true)
	j.Drift, j.Servers, j.Entries = []drift{}, append([]report.ServerData{}, m.Sides...), append([]report.Captured{}, m.Captured...)
	left := room(maxReport)
	for i := range m.Entries {
		j.Drift = append(j.Drift, left.drift(&m.Entries[i]))
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

func (left *room) drift(e *report.Entry) drift {
	d := drift{
		Server: e.Server, List: e.List, Name: e.Name, Kind: e.Kind, Blocked: e.Blocked, Severity: e.Severity, RenamedFrom: e.RenamedFrom, RenamedTo: e.RenamedTo,
		Changes: []change{}, Findings: findings(e.Findings, false),
	}
	whole := len(e.Changes) == 0 // no changes to show the difference: give the definitions
	d.Pinned, d.Now = left.definition(e.Pinned, whole), left.definition(e.Now, whole)
	for i := range e.Copies {
		d.Copies = append(d.Copies, *left.definition(&e.Copies[i], true))
	}
	for i, c := range e.Changes {
		if *left -= room(len(c.Pointer)); *left < 0 {
			d.ChangesLeftOut = len(e.Changes) - i
			break
		}
		said := change{Change: c}
		said.OldBytes, said.NewBytes = left.quote(&said.Old), left.quote(&said.New)
		d.Changes = append(d.Changes, said)
	}
	return d
}

// quote takes a value away that there is no room for, and returns its size.
func (left *room) quote(v *jsontree.Value) int {
	if size := len(jsontree.Append(nil, *v)); v.Kind != 0 && !left.takes(size) {
		*v = jsontree.Value{}
		return size
	}
	return 0
}

func (left *room) definition(d *report.Definition, whole bool) *definition {
	if d == nil {
		return nil
	}
	said := &definition{Definition: *d}
	if whole && left.takes(len(d.Text)) {
		said.Whole = d.Text
	} else if whole {
		said.Bytes = len(d.Text)
	}
	return said
}

func findings(list []report.Finding, placed bool) []finding {
	all := make([]finding, len(list))
	for i := range list {
		f := &list[i]
		all[i] = finding{ID: f.ID, Level: f.Level, Approved: f.Approved, Pointer: f.At, Detail: f.Detail}
		if placed {
			all[i].Server = &f.Server
		}
		if placed && f.List != "" {
			all[i].List, all[i].Name = f.List, &f.Name
		}
	}
	return all
}

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
