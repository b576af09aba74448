// Package sarif writes reports as SARIF 2.1.0 (OASIS), as far as GitHub code scanning reads it. Section
// numbers are the standard's.
package sarif

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"pinproof/internal/report"
	"pinproof/internal/report/json"
	"pinproof/internal/text"
)

// maxResults is the number of results of a run that code scanning shows. Code scanning refuses a file with more than
// five times as many.
const maxResults = 5_000

// schema is the standard's own address of its schema (section 3.13.3).
const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

const help = "To see exactly what there is: pinproof diff CAPTURE LOCKFILE. To approve it after reading: pinproof relock CAPTURE LOCKFILE."

// securitySeverity is the number from 0.1 to 10.0 by which code scanning sorts security alerts, by the level of a
// rule.
var securitySeverity = map[string]string{"error": "8.0", "warning": "5.0", "note": "2.0"}

// An object is an object of the standard, with its properties by name.
type object map[string]any

// message returns plain text as an object of the standard, with doubled braces (3.11.5). "[text](target)" would be a
// link (3.11.6), which server text must not make.
func message(text string) object {
	return object{"text": strings.NewReplacer("{", "{{", "}", "}}", "](", "]<U+0028>").Replace(text)}
}

// Write writes one run with a result for every drift and finding.
func Write(w io.Writer, m *report.Model) error {
	rules := []object{}
	index := map[string]int{} // of a rule, by its id
	for i, r := range report.Rules() {
		index[r.ID] = i
		rule := object{"id": r.ID, "shortDescription": message(r.Text), "fullDescription": message(r.Text), "help": message(help),
			"defaultConfiguration": object{"level": r.Level},
			"properties":           object{"tags": []string{"security"}, "security-severity": securitySeverity[r.Level]}}
		if m.Home != "" {
			rule["helpUri"] = m.Home + "/blob/HEAD/docs/review.md"
		}
		rules = append(rules, rule)
	}
	notes := []object{}
	note := func(level, text string) {
		notes = append(notes, object{"level": level, "message": message(text)})
	}
	if m.NoVerdict != nil {
		note("error", strings.Join(m.NoVerdict.Lines, "; "))
	} else {
		note("note", m.Word+": "+m.Text)
	}
	list := m.Annotations(true)
	uri := fileURI(m.AnnotatedFile)
	if left := len(list) - maxResults; left > 0 {
		note("warning", text.FormatCount(left, "result")+" left out: code scanning takes no more")
		list = list[:maxResults]
	}
	results := []object{}
	for _, a := range list {
		// Code scanning identifies an alert by its primaryLocationLineHash, by default a hash of the line's text. All
		// added entries share the server's line, so they would be one alert, and once it's dismissed, later additions
		// would be hidden, too.
		print := fmt.Sprintf("%x", sha256.Sum256(a.Identity))
		result := object{"ruleId": a.Rule, "ruleIndex": index[a.Rule], "level": a.Level, "message": message(a.Title + ": " + a.Text),
			"fingerprints":        object{"pinproof/v1": print},
			"partialFingerprints": object{"pinproof/v1": print, "primaryLocationLineHash": print}}
		if uri != "" {
			at := object{"artifactLocation": object{"uri": uri}, "region": object{"startLine": a.Line}}
			result["locations"] = []object{{"physicalLocation": at}}
		}
		results = append(results, result)
	}
	driver := object{"name": "pinproof", "rules": rules}
	if m.Version != "" {
		driver["version"] = m.Version
	}
	if m.Home != "" {
		driver["informationUri"] = m.Home
	}
	return json.Encode(w, struct {
		Version string   `json:"version"` // first, so that a reader knows early (3.13.2)
		Schema  string   `json:"$schema"` // (3.13.3)
		Runs    []object `json:"runs"`
	}{"2.1.0", schema, []object{{
		"tool":        object{"driver": driver},
		"invocations": []object{{"executionSuccessful": m.NoVerdict == nil, "exitCode": m.ExitCode, "toolExecutionNotifications": notes}},
		"results":     results,
	}}})
}

// fileURI returns a path as a URI reference (RFC 3986): relative unless the path is absolute.
func fileURI(path string) string {
	uri := strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(path))
	switch {
	case strings.HasPrefix(path, "/"):
		return "file://" + uri
	case filepath.VolumeName(path) != "": // C:, on Windows
		return "file:///" + strings.Replace(uri, "%3A", ":", 1)
	}
	return uri
}
