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

// reportVersion changes when a member changes its meaning or goes away. New members
// may be added at any time.
const reportVersion = 1

// A jsonReport quotes values while room lasts, in bytes: a huge capture must not make
// a report of hundreds of megabytes. A value that is too long is replaced by its size.
type jsonReport struct {
	room int

	SchemaVersion int            `json:"schemaVersion"`
	Verdict       string         `json:"verdict"`
	ExitCode      int            `json:"exitCode"`
	Summary       string         `json:"summary,omitempty"`
	Error         *jsonError     `json:"error,omitempty"`
	Lockfile      string         `json:"lockfile,omitempty"`
	Against       string         `json:"against,omitempty"`
	Counts        map[string]int `json:"counts,omitempty"`
	TextBytes     map[string]int `json:"textBytes,omitempty"`
	Servers       []jsonServer   `json:"servers,omitzero"`
	Drift         []jsonDrift    `json:"drift,omitzero"`
	Findings      []jsonFinding  `json:"findings,omitzero"`
	Unpinned      []jsonFinding  `json:"unpinned,omitzero"`
	Standing      []jsonFinding  `json:"standing,omitzero"`
	Entries       []jsonEntry    `json:"entries,omitzero"`
}

type jsonError struct {
	Message string   `json:"message"`
	Hints   []string `json:"hints"`
}

type jsonServer struct {
	Server string    `json:"server"`
	Pinned *jsonSide `json:"pinned,omitempty"`
	Now    *jsonSide `json:"now,omitempty"`
}

type jsonSide struct {
	Entries         int             `json:"entries"`
	SetDigest       string          `json:"setDigest,omitempty"`
	Policy          json.RawMessage `json:"policy"`
	Capture         string          `json:"capture,omitempty"`
	About           string          `json:"about,omitempty"`
	LinesPassedOver *int            `json:"linesPassedOver,omitempty"`
}

type jsonDrift struct {
	Server         string        `json:"server"`
	List           string        `json:"list"`
	Name           string        `json:"name"`
	Kind           string        `json:"kind"`
	Blocked        bool          `json:"blocked"`
	RenamedFrom    string        `json:"renamedFrom,omitempty"`
	RenamedTo      string        `json:"renamedTo,omitempty"`
	Pinned         *jsonPin      `json:"pinned,omitempty"`
	Now            *jsonPin      `json:"now,omitempty"`
	Copies         []jsonPin     `json:"copies,omitempty"`
	Changes        []jsonChange  `json:"changes"`
	ChangesLeftOut int           `json:"changesLeftOut,omitempty"`
	Findings       []jsonFinding `json:"findings"`
}

// A jsonPin is what an entry is pinned as, or what it is now.
type jsonPin struct {
	Digest          string          `json:"digest"`
	SanitizedDigest string          `json:"sanitizedDigest"`
	Line            int             `json:"line"`
	Definition      json.RawMessage `json:"definition,omitempty"`
	DefinitionBytes int             `json:"definitionBytes,omitempty"`
}

type jsonChange struct {
	Pointer   string          `json:"pointer"`
	From      string          `json:"from,omitempty"`
	Label     string          `json:"label"`
	LabelText string          `json:"labelText"`
	Old       json.RawMessage `json:"old,omitempty"`
	New       json.RawMessage `json:"new,omitempty"`
	OldBytes  int             `json:"oldBytes,omitempty"`
	NewBytes  int             `json:"newBytes,omitempty"`
}

type jsonFinding struct {
	Server   *string `json:"server,omitempty"`
	List     string  `json:"list,omitempty"`
	Name     *string `json:"name,omitempty"`
	ID       string  `json:"id"`
	Level    string  `json:"level"`
	Approved bool    `json:"approved,omitempty"`
	Pointer  string  `json:"pointer"`
	Detail   string  `json:"detail"`
}

// A jsonEntry is one entry of a capture, drifted or not.
type jsonEntry struct {
	Server          string `json:"server"`
	List            string `json:"list"`
	Name            string `json:"name"`
	Status          string `json:"status"`
	Digest          string `json:"digest"`
	SanitizedDigest string `json:"sanitizedDigest"`
	ApprovalHash    string `json:"approvalHash,omitempty"`
}

// Write writes the report for a program.
func Write(w io.Writer, m *report.Model) error {
	j := &jsonReport{room: maxReport, SchemaVersion: reportVersion, Verdict: "drift", ExitCode: m.ExitCode}
	switch {
	case m.NoAnswer != nil:
		j.Verdict, j.Error = "error", &jsonError{m.NoAnswer.Text, m.NoAnswer.Hints}
	case m.Matches:
		j.Verdict = "match"
	}
	if m.Nothing {
		return Encode(w, j)
	}
	d := &m.Data
	j.Lockfile, j.Against, j.Summary, j.Counts, j.TextBytes = m.Lockfile, d.Against, m.Word+": "+m.Text, d.Counts, d.TextBytes
	if j.Error != nil {
		j.Summary = "No answer: " + j.Error.Message
	}
	j.Findings, j.Unpinned, j.Standing = findings(d.Findings, true), findings(d.Unpinned, true), findings(d.Standing, true)
	j.Drift, j.Servers, j.Entries = []jsonDrift{}, []jsonServer{}, []jsonEntry{}
	for i := range m.Entries {
		j.Drift = append(j.Drift, j.drift(&m.Entries[i]))
	}
	for _, s := range d.Servers {
		j.Servers = append(j.Servers, jsonServer{s.Server, side(s.Pinned, false), side(s.Now, true)})
	}
	for _, c := range d.Captured {
		j.Entries = append(j.Entries, jsonEntry{c.Server, c.List, c.Name, c.Status, c.Digest, c.Sanitized, c.ApprovalHash})
	}
	return Encode(w, j)
}

func side(s *report.Side, now bool) *jsonSide {
	if s == nil {
		return nil
	}
	j := &jsonSide{Entries: s.Entries, SetDigest: s.SetDigest, Policy: jsontree.Append(nil, s.Policy), Capture: s.Capture, About: s.About}
	if now {
		j.LinesPassedOver = &s.Noise
	}
	return j
}

// quote returns a value as JSON text, or its size in bytes if it is too long.
func (j *jsonReport) quote(v jsontree.Value) (json.RawMessage, int) {
	if v.Kind == 0 {
		return nil, 0
	}
	return j.quoted(jsontree.Append(nil, v))
}

// quoted is quote for canonical JSON.
func (j *jsonReport) quoted(text []byte) (json.RawMessage, int) {
	if len(text) > min(j.room, maxQuoted) {
		return nil, len(text)
	}
	j.room -= len(text)
	return text, 0
}

func (j *jsonReport) drift(e *report.Entry) jsonDrift {
	drift := jsonDrift{
		Server: e.Server, List: e.List, Name: e.Name, Kind: e.Kind, Blocked: e.Blocked, RenamedFrom: e.RenamedFrom, RenamedTo: e.RenamedTo,
		Changes: []jsonChange{}, Findings: findings(e.Findings, false),
	}
	whole := len(e.Changes) == 0 // no changes to show the difference: give the definitions
	drift.Pinned, drift.Now = j.pin(e.Pinned, whole), j.pin(e.Now, whole)
	for i := range e.Copies {
		drift.Copies = append(drift.Copies, *j.pin(&e.Copies[i], true))
	}
	for i, c := range e.Changes {
		if j.room -= len(c.Pointer); j.room < 0 {
			drift.ChangesLeftOut = len(e.Changes) - i
			break
		}
		change := jsonChange{Pointer: c.Pointer, From: c.From, Label: c.Label, LabelText: c.LabelText}
		change.Old, change.OldBytes = j.quote(c.Old)
		change.New, change.NewBytes = j.quote(c.New)
		drift.Changes = append(drift.Changes, change)
	}
	return drift
}

func (j *jsonReport) pin(d *report.Definition, whole bool) *jsonPin {
	if d == nil {
		return nil
	}
	said := &jsonPin{Digest: d.Digest, SanitizedDigest: d.Sanitized, Line: d.Line}
	if whole {
		said.Definition, said.DefinitionBytes = j.quoted(d.Text)
	}
	return said
}

func findings(list []report.Finding, placed bool) []jsonFinding {
	all := make([]jsonFinding, len(list))
	for i := range list {
		f := &list[i]
		j := jsonFinding{ID: f.ID, Level: f.Level, Approved: f.Approved, Pointer: f.At, Detail: f.Detail}
		if placed {
			j.Server = &f.Server
		}
		if placed && f.List != "" {
			j.List, j.Name = f.List, &f.Name
		}
		all[i] = j
	}
	return all
}

// Encode writes v on one line, in ASCII only, so that a terminal, a log or an editor
// hides nothing. A "#" after another "#" is escaped, because "##[" and "##vso[" are
// commands in CI logs, anywhere in a line.
func Encode(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the escapes would make it longer, not safer
	if err := e.Encode(v); err != nil {
		return err
	}
	ascii := make([]byte, 0, b.Len())
	before := rune(0)
	for _, r := range b.String() {
		if r < 0x7f && (r != '#' || before != '#') {
			ascii = append(ascii, byte(r))
		} else {
			ascii = jsontree.AppendUnicodeEscape(ascii, r)
		}
		before = r
	}
	_, err := w.Write(ascii)
	return err
}
