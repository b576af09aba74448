package json

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/report"
)

// A document is the JSON report: one object on one line, described by docs/report.schema.json.
// A member without a value is absent. Names, pointers, definitions and paths are
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
	TextBytes     *report.Size        `json:"textBytes,omitempty"`
	Tokens        *report.Size        `json:"tokens,omitempty"`
	Servers       []report.ServerData `json:"servers,omitzero"`
	Drift         []entry             `json:"drift,omitzero"`
	Findings      []report.Finding    `json:"findings,omitzero"`
	Unpinned      []report.Finding    `json:"unpinned,omitzero"`
	Standing      []report.Finding    `json:"standing,omitzero"`
	Records       []report.Record     `json:"records,omitempty"`
	Entries       []report.Captured   `json:"entries,omitzero"`
	ReadFirst     []report.ReadFirst  `json:"readFirst,omitempty"`
}

// An entry is one that drifted.
type entry struct {
	report.Entry
	Pinned         *definition      `json:"pinned,omitempty"`
	Now            *definition      `json:"now,omitempty"`
	Copies         []*definition    `json:"copies,omitempty"`
	Changes        []change         `json:"changes"`
	ChangesLeftOut int              `json:"changesLeftOut,omitempty"`
	Unexplained    bool             `json:"unexplained,omitempty"`
	Findings       []report.Finding `json:"findings"`
}

// A change is one difference inside an entry. If there is no room for a value, its size is in its place.
type change struct {
	report.Change
	OldBytes int `json:"oldBytes,omitempty"`
	NewBytes int `json:"newBytes,omitempty"`
}

// A definition is what an entry is pinned as, or what it is now. Whole is there only if no list of changes
// describes what differs.
type definition struct {
	report.Definition
	Whole jsontree.Value `json:"definition,omitzero"`
	Bytes int            `json:"definitionBytes,omitempty"`
}
