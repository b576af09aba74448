package json

import (
	"pinproof/internal/report"
)

// A document is the JSON report: one object on one line, described by docs/report.schema.json.
// The summary, details of findings and errors are printable text for a person.
type document struct {
	SchemaVersion int              `json:"schemaVersion"` // incremented when a member changes its meaning or is removed
	Verdict       string           `json:"verdict"`
	ExitCode      int              `json:"exitCode"`
	Summary       string           `json:"summary,omitempty"`
	Error         *report.NoAnswer `json:"error,omitempty"`
	*report.Data
}
