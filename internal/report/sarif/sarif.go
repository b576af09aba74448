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

// maxResults is how many results of a run code scanning shows. It refuses a file
// with more than five times as many.
const maxResults = 5_000

// sarifSchema is the standard's own address of its schema (section 3.13.3).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

const sarifHelp = "To see exactly what there is: pinproof diff CAPTURE LOCKFILE. To approve it after reading: pinproof relock CAPTURE LOCKFILE."

type sarifLog struct {
	Version string     `json:"version"` // first, so that a reader knows early (3.13.2)
	Schema  string     `json:"$schema"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name  string      `json:"name"`
			Rules []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	ShortDescription sarifMessage `json:"shortDescription"`
	FullDescription  sarifMessage `json:"fullDescription"`
	Help             sarifMessage `json:"help"`
	Configuration    struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	ExitCode      int                 `json:"exitCode"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string       `json:"level"`
	Message sarifMessage `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// A sarifMessage is plain text in which braces are doubled (3.11.5) and
// "[text](target)" is a link (3.11.6), which server text must not make.
type sarifMessage struct {
	Text string `json:"text"`
}

func sarifText(text string) sarifMessage {
	return sarifMessage{strings.NewReplacer("{", "{{", "}", "}}", "](", "]<U+0028>").Replace(text)}
}

// Write writes one run with a result for every drift and finding.
func Write(w io.Writer, m *report.Model) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver.Name = "pinproof"
	index := map[string]int{} // of a rule, by its id
	for i, r := range report.Rules() {
		index[r.ID] = i
		rule := sarifRule{ID: r.ID, ShortDescription: sarifText(r.Text), FullDescription: sarifText(r.Text), Help: sarifText(sarifHelp)}
		rule.Configuration.Level = r.Level
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	call := sarifInvocation{Successful: m.NoAnswer == nil, ExitCode: m.ExitCode}
	note := func(level, text string) {
		call.Notifications = append(call.Notifications, sarifNotification{level, sarifText(text)})
	}
	if m.NoAnswer != nil {
		note("error", strings.Join(m.NoAnswer.Lines, "; "))
	} else {
		note("note", m.Word+": "+m.Text)
	}
	list, uri := m.Annotations, fileURI(m.Annotated)
	if left := len(list) - maxResults; left > 0 {
		note("warning", text.Count(left, "result")+" left out: code scanning takes no more")
		list = list[:maxResults]
	}
	for _, a := range list {
		// Code scanning goes by the second. If it is missing, code scanning makes it from the
		// text of the line. All added entries share the server's line, so they would be one
		// alert; once dismissed, it would stay so, whatever is added next.
		print := fmt.Sprintf("%x", sha256.Sum256(a.Identity))
		prints := map[string]string{"pinproof/v1": print, "primaryLocationLineHash": print}
		result := sarifResult{RuleID: a.Rule, RuleIndex: index[a.Rule], Level: a.Level, Message: sarifText(a.Title + ": " + a.Text), Fingerprints: prints}
		if uri != "" {
			var at sarifLocation
			at.Physical.Artifact.URI, at.Physical.Region.StartLine = uri, a.Line
			result.Locations = []sarifLocation{at}
		}
		run.Results = append(run.Results, result)
	}
	run.Invocations = []sarifInvocation{call}
	return json.Encode(w, sarifLog{"2.1.0", sarifSchema, []sarifRun{run}})
}

// fileURI is a path as a URI reference (RFC 3986): relative unless the path is
// absolute.
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
