package sarif

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/text"
)

// sarifSchemaFile compiles the published schema, if the environment has the path where it
// is; it isn't ours to keep a copy of.
func sarifSchemaFile(t testing.TB) *jsonschema.Schema {
	path := os.Getenv("PINPROOF_SARIF_SCHEMA")
	if path == "" {
		return nil
	}
	return reporttest.CompileSchema(t, path)
}

func TestScenes(t *testing.T) {
	schema := sarifSchemaFile(t)
	for name, s := range reporttest.Scenes {
		t.Run(name, func(t *testing.T) {
			r := s.Report(t)
			checkSARIF(t, schema, r)
		})
	}
	if schema == nil {
		t.Skip("not held against the published schema: PINPROOF_SARIF_SCHEMA is not set")
	}
}

// TestUpgrades reports what real servers changed.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	schema := sarifSchemaFile(t)
	reporttest.EachUpgrade(t, func(t *testing.T, r *report.Report) { checkSARIF(t, schema, r) })
}

// readLog is what the tests read of a log.
type readLog struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful            bool
			ExitCode                       int
			ToolExecutionNotifications     []struct{ Message struct{ Text string } }
			ToolConfigurationNotifications []struct{ Message struct{ Text string } }
		}
		Results []struct {
			RuleID, Level string
			RuleIndex     int
			Message       struct{ Text string }
			Locations     []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
			PartialFingerprints map[string]string
		}
	}
}

func checkSARIF(t testing.TB, schema *jsonschema.Schema, r *report.Report) {
	t.Helper()
	out := reporttest.WriteToString(t, Write, r.Model)
	reporttest.ValidateJSON(t, schema, out)
	reporttest.CheckPrintable(t, out)
	checkFull(t, jsontree.ParseTrusted([]byte(out)))
	var log readLog
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	want := r.Model.Annotations(true)
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(run.Results) != len(want) || run.Invocations[0].ExitCode != r.ExitCode || !run.Invocations[0].ExecutionSuccessful {
		t.Fatalf("%d results, not %d", len(run.Results), len(want))
	}
	for i, result := range run.Results {
		m := want[i]
		if result.RuleID != m.Rule || run.Tool.Driver.Rules[result.RuleIndex].ID != m.Rule || result.Level != m.Level {
			t.Fatalf("result %d of rule %s, number %d, level %s is not %v", i, result.RuleID, result.RuleIndex, result.Level, m)
		}
		text := result.Message.Text
		if strings.Contains(text, "](") {
			t.Fatalf("a link in %q", text)
		}
		if rest := strings.NewReplacer("{{", "", "}}", "").Replace(text); strings.ContainsAny(rest, "{}") {
			t.Fatalf("a placeholder in %q", text)
		}
		if print := result.PartialFingerprints["pinproof/v1"]; len(print) != 64 || print != result.PartialFingerprints["primaryLocationLineHash"] {
			t.Fatalf("fingerprints %q", result.PartialFingerprints)
		}
		if r.Model.AnnotatedFile == "" {
			continue
		}
		at := result.Locations[0].PhysicalLocation
		plain := strings.Trim(at.ArtifactLocation.URI, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/%:")
		if at.Region.StartLine < 1 || at.ArtifactLocation.URI == "" || plain != "" {
			t.Fatalf("location %+v", at)
		}
	}
	if len(r.Drifts) > 0 && r.Model.Blocks[0].Warned && r.Model.Entries[0].Warned && (run.Results[0].Level == "note" || !strings.HasPrefix(run.Results[0].RuleID, "finding/")) {
		t.Fatalf("a new warning doesn't come first, but %v", run.Results[0])
	}
}

// checkFull finds empty strings, which code scanning refuses.
func checkFull(t testing.TB, v jsontree.Value) {
	t.Helper()
	if v.Kind == '"' && v.Text == "" {
		t.Fatal("an empty string")
	}
	for _, p := range v.Parts {
		checkFull(t, p.Value)
	}
}

func TestRules(t *testing.T) {
	r := reporttest.Scenes["findings"].Report(t)
	out := reporttest.WriteToString(t, Write, r.Model)
	var log readLog
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		ids = append(ids, rule.ID)
		if rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" {
			t.Errorf("rule %s says nothing", rule.ID)
		}
	}
	for _, k := range []pin.DriftKind{pin.DriftAdded, pin.DriftRemoved, pin.DriftChanged, pin.DriftHidden, pin.DriftDuplicate} {
		if !slices.Contains(ids, "drift/"+strings.ToLower(string(k))) {
			t.Errorf("no rule for %s", k)
		}
	}
	var texts []string
	for _, result := range log.Runs[0].Results {
		texts = append(texts, result.Level+" "+result.RuleID+" "+result.Message.Text)
	}
	for _, want := range []string{
		`error finding/hidden-text WARNING hidden-text in read_file: [x]<U+0028>https://example.invalid) {{1}} at "/inputSchema/properties/a{{0}}"`,
		"note finding/new-address note new-address in read_file: grew",
		"note finding/padding WARNING padding in stat: much at /description",
		"error finding/oversize WARNING oversize in the capture: a capture of 3,000,000 bytes",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
}

// TestFingerprints: an alert stays the same while its tool does, regardless of the
// lines; another definition is another alert.
func TestFingerprints(t *testing.T) {
	prints := func(s reporttest.Scene) map[string]string {
		r := s.Report(t)
		all := map[string]string{}
		for _, m := range r.Model.Annotations(true) {
			all[m.Title] = string(m.Identity)
		}
		return all
	}
	first := prints(reporttest.Scene{Server: "s", Old: `[{"name":"b"}]`, New: `[{"name":"b","x":1},{"name":"c"},{"name":"d"}]`})
	moved := prints(reporttest.Scene{Server: "s", Old: `[{"name":"a"},{"name":"b"}]`, New: `[{"name":"d"},{"name":"c"},{"name":"b","x":1},{"name":"a"}]`})
	again := prints(reporttest.Scene{Server: "s", Old: `[{"name":"b"}]`, New: `[{"name":"b","x":2},{"name":"c","y":1}]`})
	if first["CHANGED b"] != moved["CHANGED b"] || first["ADDED c"] != moved["ADDED c"] {
		t.Error("an alert doesn't outlive a move")
	}
	if first["CHANGED b"] == again["CHANGED b"] || first["ADDED c"] == again["ADDED c"] {
		t.Error("another definition, the same alert")
	}
	if first["ADDED c"] == first["ADDED d"] {
		t.Error("two tools, one alert")
	}
	twice := prints(reporttest.Scene{Server: "s", Old: `[]`, New: `[{"name":"a"},{"name":"a","x":1}]`})
	other := prints(reporttest.Scene{Server: "s", Old: `[]`, New: `[{"name":"a"},{"name":"a","x":2}]`})
	if twice["DUPLICATE a"] == other["DUPLICATE a"] {
		t.Error("another second definition, the same alert")
	}
}

// TestLimit has more results than code scanning takes.
func TestLimit(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it reports thousands of findings")
	var b strings.Builder
	b.WriteString(`[{"name":"a"}`)
	for i := range 5_000 + 1 {
		fmt.Fprintf(&b, `,{"name":"t%d"}`, i)
	}
	r := reporttest.Scene{Server: "s", Old: `[]`, New: b.String() + "]"}.Report(t)
	out := reporttest.WriteToString(t, Write, r.Model)
	var log readLog
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if n := run.Invocations[0].ToolExecutionNotifications; len(run.Results) != 5_000 || len(n) != 2 || n[1].Message.Text != "2 results left out: code scanning takes no more" {
		t.Errorf("%d results, %q", len(run.Results), n)
	}
	reporttest.ValidateJSON(t, sarifSchemaFile(t), out)
}

func TestError(t *testing.T) {
	out := reporttest.WriteToString(t, Write, reporttest.FailedReport(fail.New("no {0}").Hint("do")))
	reporttest.ValidateJSON(t, sarifSchemaFile(t), out)
	want := `"invocations":[{"executionSuccessful":false,"exitCode":2,"toolExecutionNotifications":[{"level":"error","message":{"text":"no {{0}}; hint: do"}}]}],"results":[],`
	if !strings.Contains(out, want) {
		t.Error(out)
	}
}

func FuzzSARIF(f *testing.F) {
	schema := sarifSchemaFile(f)
	reporttest.Fuzz(f, func(t *testing.T, r *report.Report, s string) {
		checkSARIF(t, schema, r)
		out := reporttest.WriteToString(t, Write, reporttest.FailedReport(fail.New("%s", text.Printable("x"+s))))
		reporttest.ValidateJSON(t, schema, out)
	})
}

// TestDriver: a published build names the program that made the log and where its rules are explained; no other build has
// an address. Code scanning sorts by security-severity.
func TestDriver(t *testing.T) {
	for _, home := range []string{"", "https://example.com/p"} {
		out := reporttest.WriteToString(t, Write, &report.Model{Version: "v1.2.3", Home: home})
		var log struct {
			Runs []struct {
				Tool struct{ Driver map[string]any }
			}
		}
		if err := json.Unmarshal([]byte(out), &log); err != nil {
			t.Fatal(err)
		}
		driver := log.Runs[0].Tool.Driver
		rule := driver["rules"].([]any)[0].(map[string]any)
		if _, isThere := driver["informationUri"]; isThere != (home != "") || driver["version"] != "v1.2.3" {
			t.Errorf("driver of version %v, address %v", driver["version"], driver["informationUri"])
		}
		if uri, _ := rule["helpUri"].(string); home != "" && uri != home+"/blob/HEAD/docs/review.md" || home == "" && uri != "" {
			t.Errorf("helpUri %q", uri)
		}
		if severity := rule["properties"].(map[string]any)["security-severity"]; severity != "8.0" {
			t.Errorf("security-severity %v", severity)
		}
	}
}
