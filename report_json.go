package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// The JSON report is one object on one line, described by docs/report.schema.json.
// A member with nothing to say is absent. Names, pointers, definitions and paths are
// not made printable, so a program that reads them must treat them as hostile. The
// summary, details of findings and errors are printable text for a person.

// reportVersion changes when a member changes its meaning or goes away. New members
// may be added at any time.
const reportVersion = 1

// A jsonReport quotes values while room lasts, in bytes: a huge manifest must not make
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
	Manifest        string          `json:"manifest,omitempty"`
	About           string          `json:"about,omitempty"`
	LinesPassedOver *int            `json:"linesPassedOver,omitempty"`
}

type jsonDrift struct {
	Server         string        `json:"server"`
	List           string        `json:"list"`
	Name           string        `json:"name"`
	Kind           kind          `json:"kind"`
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

// A jsonEntry is one entry of a manifest, drifted or not.
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
func writeJSON(w io.Writer, r *report) error {
	j := &jsonReport{room: maxReportText, SchemaVersion: reportVersion, Verdict: jsonVerdict(r), ExitCode: r.exitCode}
	if r.noAnswer != nil {
		told := toldOf(r.noAnswer)
		j.Error = &jsonError{told.text, append([]string{}, told.hints...)}
	}
	if r.empty() {
		return encodeJSON(w, j)
	}
	j.Lockfile, j.Summary, j.Counts = r.lockfile, r.verdictLine(), jsonCounts(r)
	if j.Error != nil {
		j.Summary = "No answer: " + j.Error.Message
	}
	if r.lockfile == "" {
		j.Against = r.next.against
	}
	if r.cost.known {
		j.TextBytes = map[string]int{"before": r.cost.before, "after": r.cost.after}
	}
	j.Findings = jsonFindings(slices.Concat(r.general(), r.elsewhere()), true)
	j.Unpinned, j.Standing = jsonFindings(r.unpinned(), true), jsonFindings(r.standing(), true)
	approved := map[driftKey][]finding{}
	for _, f := range r.findings {
		if f.scope == inDrift && f.approved && !f.wholeServer {
			approved[f.key()] = append(approved[f.key()], f)
		}
	}
	j.Drift = []jsonDrift{}
	status := map[driftKey]kind{}
	for i := range r.drifts {
		d := &r.drifts[i]
		status[d.key()] = d.kind
		j.Drift = append(j.Drift, j.drift(r, i, approved[d.key()]))
	}
	j.Servers, j.Entries = []jsonServer{}, []jsonEntry{}
	for i := range r.pairs {
		p := &r.pairs[i]
		j.Servers = append(j.Servers, jsonServerOf(p))
		for at := range p.found.pins {
			j.Entries = append(j.Entries, r.jsonEntry(p, &p.found.pins[at], status))
		}
	}
	return encodeJSON(w, j)
}

func jsonVerdict(r *report) string {
	switch {
	case r.noAnswer != nil:
		return "error"
	case r.matches:
		return "match"
	}
	return "drift"
}

func jsonCounts(r *report) map[string]int {
	c := map[string]int{"entries": 0, "pins": 0, "matched": r.matchedCounts().total(), "drift": len(r.drifts), "blocked": 0,
		"duplicate": 0, "hidden": 0, "added": 0, "changed": 0, "removed": 0, "warnings": 0, "notes": 0, "standing": len(r.standing())}
	for i := range r.pairs {
		c["entries"] += len(r.pairs[i].found.pins)
		c["pins"] += len(r.pairs[i].pinned.pins)
	}
	for i := range r.drifts {
		c[strings.ToLower(string(r.drifts[i].kind))]++
		if r.drifts[i].blocked {
			c["blocked"]++
		}
	}
	c["allowed"] = c["drift"] - c["blocked"]
	for _, list := range append([][]finding{r.general(), r.elsewhere(), r.unpinned()}, r.fresh...) {
		for _, f := range list {
			c[level(f)+"s"]++
		}
	}
	return c
}

func jsonServerOf(p *pair) jsonServer {
	side := func(s *pinset) *jsonSide {
		return &jsonSide{Entries: len(s.pins), SetDigest: s.digest, Policy: appendJSON(nil, s.policy.value())}
	}
	j := jsonServer{Server: p.server}
	if p.known {
		j.Pinned = side(&p.pinned)
	}
	if p.present {
		j.Now = side(&p.found)
		j.Now.Manifest, j.Now.About, j.Now.LinesPassedOver = p.manifest, p.about, &p.noise
	}
	return j
}

// quote returns a value as JSON text, or its size in bytes if it is too long. whole is the
// size of a value of which only the beginning was kept, else 0.
func (j *jsonReport) quote(v value, whole int) (json.RawMessage, int) {
	if v.kind == 0 || whole > 0 {
		return nil, whole
	}
	text := appendJSON(nil, v)
	if len(text) > min(j.room, maxQuoted) {
		return nil, len(text)
	}
	j.room -= len(text)
	return text, 0
}

func (j *jsonReport) drift(r *report, at int, approved []finding) jsonDrift {
	d, changes := &r.drifts[at], r.changes[at]
	drift := jsonDrift{
		Server: d.server, List: listInfo[d.list].member, Name: d.name, Kind: d.kind, Blocked: d.blocked,
		RenamedFrom: d.renamedFrom, RenamedTo: d.renamedTo,
		Changes:  []jsonChange{},
		Findings: jsonFindings(slices.Concat(r.fresh[at], approved), false),
	}
	whole := len(changes) == 0 // no changes to show the difference: give the definitions
	if d.pinned != nil {
		drift.Pinned = j.pin(d.pinned, whole)
	}
	switch {
	case d.kind == duplicate:
		for _, p := range d.definitions() {
			drift.Copies = append(drift.Copies, *j.pin(&p, true))
		}
	case d.found != nil:
		drift.Now = j.pin(d.found, whole)
	}
	for i, c := range changes {
		if j.room -= len(c.pointer); j.room < 0 {
			drift.ChangesLeftOut = len(changes) - i
			break
		}
		change := jsonChange{Pointer: c.pointer, From: c.from, Label: c.label.id(), LabelText: c.label.text()}
		change.Old, change.OldBytes = j.quote(c.old, c.cutFrom[0])
		change.New, change.NewBytes = j.quote(c.new, c.cutFrom[1])
		drift.Changes = append(drift.Changes, change)
	}
	return drift
}

func (j *jsonReport) pin(p *pin, whole bool) *jsonPin {
	said := &jsonPin{Digest: p.digest, SanitizedDigest: p.sanitized, Line: max(1, p.line)}
	if whole {
		said.Definition, said.DefinitionBytes = j.quote(p.tree(), 0)
	}
	return said
}

func jsonFindings(list []finding, placed bool) []jsonFinding {
	all := make([]jsonFinding, len(list))
	for i, f := range list {
		j := jsonFinding{ID: f.id, Level: level(f), Approved: f.approved, Pointer: f.pointer, Detail: f.detail}
		if placed {
			j.Server = &f.server
		}
		if placed && !f.wholeServer {
			j.List, j.Name = listInfo[f.list].member, &f.entry
		}
		all[i] = j
	}
	return all
}

func (r *report) jsonEntry(p *pair, entry *pin, status map[driftKey]kind) jsonEntry {
	k := cmp.Or(status[driftKey{p.server, entry.entryKey}], "MATCH")
	e := jsonEntry{p.server, listInfo[entry.list].member, entry.name, string(k), entry.digest, entry.sanitized, ""}
	// The hash is of the tool as received. A lockfile in place of the manifest may not have that.
	asReceived := entry.received != nil || entry.definition != nil && !p.found.policy.shapes()
	if entry.list == toolList && asReceived {
		e.ApprovalHash = r.approvalHash(p.server, entry)
	}
	return e
}

// encodeJSON writes v on one line, in ASCII only, so that a terminal, a log or an editor
// hides nothing. A "#" after another "#" is escaped, because "##[" and "##vso[" are
// commands in CI logs, anywhere in a line.
func encodeJSON(w io.Writer, v any) error {
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
			ascii = appendUnicodeEscape(ascii, r)
		}
		before = r
	}
	_, err := w.Write(ascii)
	return err
}
