package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
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
	Kind           pin.DriftKind `json:"kind"`
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

// writeJSON writes the report for a program.
func writeJSON(w io.Writer, r *Report) error {
	j := &jsonReport{room: maxReportText, SchemaVersion: reportVersion, Verdict: jsonVerdict(r), ExitCode: r.ExitCode}
	if r.NoAnswer != nil {
		told := fail.From(r.NoAnswer)
		j.Error = &jsonError{told.Text, append([]string{}, told.Hints...)}
	}
	if r.Empty() {
		return encodeJSON(w, j)
	}
	j.Lockfile, j.Summary, j.Counts = r.Lockfile, r.verdictLine(), jsonCounts(r)
	if j.Error != nil {
		j.Summary = "No answer: " + j.Error.Message
	}
	if r.Lockfile == "" {
		j.Against = r.Next.Against
	}
	if r.cost.known {
		j.TextBytes = map[string]int{"before": r.cost.before, "after": r.cost.after}
	}
	j.Findings = jsonFindings(slices.Concat(r.General(), r.inOtherServers()), true)
	j.Unpinned, j.Standing = jsonFindings(r.unpinned(), true), jsonFindings(r.approvedBefore(), true)
	approved := map[pin.Ref][]lint.Finding{}
	for _, f := range r.Findings {
		if f.Scope == lint.InDrift && f.Approved && !f.WholeServer {
			approved[f.Ref()] = append(approved[f.Ref()], f)
		}
	}
	j.Drift = []jsonDrift{}
	status := map[pin.Ref]pin.DriftKind{}
	for i := range r.Drifts {
		d := &r.Drifts[i]
		status[d.Ref()] = d.Kind
		j.Drift = append(j.Drift, j.drift(r, i, approved[d.Ref()]))
	}
	j.Servers, j.Entries = []jsonServer{}, []jsonEntry{}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		j.Servers = append(j.Servers, jsonServerOf(p))
		for at := range p.Captured.Pins {
			j.Entries = append(j.Entries, r.jsonEntry(p, &p.Captured.Pins[at], status))
		}
	}
	return encodeJSON(w, j)
}

func jsonVerdict(r *Report) string {
	switch {
	case r.NoAnswer != nil:
		return "error"
	case r.Matches:
		return "match"
	}
	return "drift"
}

func jsonCounts(r *Report) map[string]int {
	c := map[string]int{"entries": 0, "pins": 0, "matched": r.matchedCounts().Total(), "drift": len(r.Drifts), "blocked": 0,
		"duplicate": 0, "hidden": 0, "added": 0, "changed": 0, "removed": 0, "warnings": 0, "notes": 0, "standing": len(r.approvedBefore())}
	for i := range r.Comparisons {
		c["entries"] += len(r.Comparisons[i].Captured.Pins)
		c["pins"] += len(r.Comparisons[i].Locked.Pins)
	}
	for i := range r.Drifts {
		c[strings.ToLower(string(r.Drifts[i].Kind))]++
		if r.Blocked[r.Drifts[i].Ref()] {
			c["blocked"]++
		}
	}
	c["allowed"] = c["drift"] - c["blocked"]
	for _, list := range append([][]lint.Finding{r.General(), r.inOtherServers(), r.unpinned()}, r.fresh...) {
		for _, f := range list {
			c[level(f)+"s"]++
		}
	}
	return c
}

func jsonServerOf(p *pin.Comparison) jsonServer {
	side := func(s *pin.Set) *jsonSide {
		return &jsonSide{Entries: len(s.Pins), SetDigest: s.Digest, Policy: jsontree.Append(nil, s.Policy.Value())}
	}
	j := jsonServer{Server: p.Server}
	if p.Known {
		j.Pinned = side(&p.Locked)
	}
	if p.Present {
		j.Now = side(&p.Captured)
		j.Now.Capture, j.Now.About, j.Now.LinesPassedOver = p.Capture, p.About, &p.Noise
	}
	return j
}

// quote returns a value as JSON text, or its size in bytes if it is too long. whole is the
// size of a value of which only the beginning was kept, else 0.
func (j *jsonReport) quote(v jsontree.Value, whole int) (json.RawMessage, int) {
	if v.Kind == 0 || whole > 0 {
		return nil, whole
	}
	text := jsontree.Append(nil, v)
	if len(text) > min(j.room, maxQuoted) {
		return nil, len(text)
	}
	j.room -= len(text)
	return text, 0
}

func (j *jsonReport) drift(r *Report, at int, approved []lint.Finding) jsonDrift {
	d, changes := &r.Drifts[at], r.changes[at]
	drift := jsonDrift{
		Server: d.Server, List: pin.EntryTypeInfo[d.Type].Member, Name: d.Name, Kind: d.Kind, Blocked: r.Blocked[d.Ref()],
		RenamedFrom: d.RenamedFrom, RenamedTo: d.RenamedTo,
		Changes:  []jsonChange{},
		Findings: jsonFindings(slices.Concat(r.fresh[at], approved), false),
	}
	whole := len(changes) == 0 // no changes to show the difference: give the definitions
	if d.Locked != nil {
		drift.Pinned = j.pin(d.Locked, whole)
	}
	switch {
	case d.Kind == pin.Duplicate:
		for _, p := range d.Definitions() {
			drift.Copies = append(drift.Copies, *j.pin(&p, true))
		}
	case d.Captured != nil:
		drift.Now = j.pin(d.Captured, whole)
	}
	for i, c := range changes {
		if j.room -= len(c.Pointer); j.room < 0 {
			drift.ChangesLeftOut = len(changes) - i
			break
		}
		change := jsonChange{Pointer: c.Pointer, From: c.From, Label: c.Label.ID(), LabelText: c.Label.Text()}
		change.Old, change.OldBytes = j.quote(c.Old, c.CutFrom[0])
		change.New, change.NewBytes = j.quote(c.New, c.CutFrom[1])
		drift.Changes = append(drift.Changes, change)
	}
	return drift
}

func (j *jsonReport) pin(p *pin.Pin, whole bool) *jsonPin {
	said := &jsonPin{Digest: p.Digest, SanitizedDigest: p.Sanitized, Line: max(1, p.Line)}
	if whole {
		said.Definition, said.DefinitionBytes = j.quote(p.Tree(), 0)
	}
	return said
}

func jsonFindings(list []lint.Finding, placed bool) []jsonFinding {
	all := make([]jsonFinding, len(list))
	for i, f := range list {
		j := jsonFinding{ID: f.ID, Level: level(f), Approved: f.Approved, Pointer: f.Pointer, Detail: f.Detail}
		if placed {
			j.Server = &f.Server
		}
		if placed && !f.WholeServer {
			j.List, j.Name = pin.EntryTypeInfo[f.List].Member, &f.Entry
		}
		all[i] = j
	}
	return all
}

func (r *Report) jsonEntry(p *pin.Comparison, entry *pin.Pin, status map[pin.Ref]pin.DriftKind) jsonEntry {
	k := cmp.Or(status[pin.Ref{Server: p.Server, Key: entry.Key}], "MATCH")
	e := jsonEntry{p.Server, pin.EntryTypeInfo[entry.Type].Member, entry.Name, string(k), entry.Digest, entry.Sanitized, ""}
	// The hash is of the tool as received. A lockfile in place of the capture may not have that.
	asReceived := entry.Received != nil || entry.Definition != nil && !p.Captured.Policy.Shapes()
	if entry.Type == pin.Tools && asReceived {
		e.ApprovalHash = r.ApprovalHash(p.Server, entry)
	}
	return e
}

// encodeJSON writes v on one line, in ASCII only.
func encodeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the escapes would make it longer, not safer
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(jsontree.ASCII(b.Bytes()))
	return err
}
