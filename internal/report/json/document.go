package json

import (
	"pinproof/internal/report"
)

// A document is the JSON report: one object on one line, described by docs/report.schema.json.
// A member without a value is absent. Names, pointers, definitions and paths are
// not made printable, so a program that reads them must treat them as hostile. The
// summary, details of findings and errors are printable text for a person.
type document struct {
	SchemaVersion int                 `json:"schemaVersion"` // incremented when a member changes its meaning or is removed
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
	Drift         []report.Entry      `json:"drift,omitzero"`
	Findings      []report.Finding    `json:"findings,omitzero"`
	Unpinned      []report.Finding    `json:"unpinned,omitzero"`
	Standing      []report.Finding    `json:"standing,omitzero"`
	Records       []report.Record     `json:"records,omitempty"`
	Entries       []report.Captured   `json:"entries,omitzero"`
	ReadFirst     []report.ReadFirst  `json:"readFirst,omitempty"`
}
