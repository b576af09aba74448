// Package formats is the table of the formats that a report can be written in. The flags, the help,
// the completion and the tests that feed every format hostile text use it.
package formats

import (
	"io"

	"pinproof/internal/report"
	"pinproof/internal/report/github"
	"pinproof/internal/report/html"
	"pinproof/internal/report/json"
	"pinproof/internal/report/junit"
	"pinproof/internal/report/markdown"
	"pinproof/internal/report/sarif"
)

// A Format is one way to write a report.
type Format struct {
	Name string

	// NeedsEntries means that the format lists every entry of every capture, drifted or not.
	NeedsEntries bool

	// NeedsHashes means that the format also prints the approval hash of each tool. Computing these hashes takes as
	// long as a verdict.
	NeedsHashes bool

	// Write writes a report, or why there is no report. It is nil for text, which each command lays out in
	// its own way.
	Write func(io.Writer, *report.Model) error
}

// TextFormat is the name of the format for a person at a terminal.
const TextFormat = "text"

// Table has all formats, in the order in which they are listed.
var Table = [...]Format{
	{Name: TextFormat},
	{Name: "json", NeedsEntries: true, NeedsHashes: true, Write: json.Write},
	{Name: "github", Write: github.Write},
	{Name: "sarif", Write: sarif.Write},
	{Name: "junit", NeedsEntries: true, Write: junit.Write},
	{Name: "markdown", Write: markdown.Write},
	{Name: "summary", Write: markdown.WriteSummary},
	{Name: "html", Write: html.Write},
}

// Find returns the format of a name, or nil.
func Find(name string) *Format {
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i]
		}
	}
	return nil
}

// Names lists the names of all formats.
func Names() (names []string) {
	for _, f := range Table {
		names = append(names, f.Name)
	}
	return names
}
