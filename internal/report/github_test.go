package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	. "pinproof/internal/report"
	"pinproof/internal/report/github"
	"pinproof/internal/report/sarif"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

func TestGitHubAnnotations(t *testing.T) {
	for name, want := range map[string]string{
		"match": "OK: 0 drift (5 tools match tools.lock)\n",
		"drift": `::error file=tools.lock,line=1,title=pinproof::DRIFT: 1 duplicate, 2 added, 2 changed, 2 removed; 1 matches tools.lock
::error file=tools.lock,line=4,title=DUPLICATE twice::2 tools of this name: an agent may get any of them; this can't be accepted
::error file=tools.lock,line=13,title=CHANGED list_dir::text at /description
::error file=tools.lock,line=4,title=ADDED "t<U+00F6><U+0000>ol%2C \"%3A%3Aerror%3A%3Ax\""::no pin names it
::error file=tools.lock,line=4,title=ADDED new_name::renamed from old_name: nothing else differs
::error file=tools.lock,line=20,title=REMOVED old_name::renamed to new_name: nothing else differs
::error file=tools.lock,line=27,title=CHANGED read_file::new parameter at /inputSchema/properties/post_to; takes more at /inputSchema/properties/limit/maximum
::error file=tools.lock,line=6,title=REMOVED gone::it is gone
DRIFT: 1 duplicate, 2 added, 2 changed, 2 removed; 1 matches tools.lock
hint: review: pinproof diff live.json
`,
		"allowed": `::warning file=tools.lock,line=1,title=pinproof::PASS WITH DRIFT: 1 added, 1 removed; 1 matches tools.lock
::warning file=tools.lock,line=4,title=ADDED c::renamed from a: nothing else differs
::warning file=tools.lock,line=6,title=REMOVED a::renamed to c: nothing else differs
PASS WITH DRIFT: 1 added, 1 removed; 1 matches tools.lock
hint: review: pinproof diff live.json
`,
		"hidden": `::error file=tools.lock,line=1,title=pinproof::DRIFT: 1 hidden; 4 match tools.lock
::error file=tools.lock,line=27,title=HIDDEN read_file::2 characters no reader sees at /description
DRIFT: 1 hidden; 4 match tools.lock
hint: review: pinproof diff live.json
`,
		"nothing": `::error file=tools.lock,line=1,title=pinproof::DRIFT: no pins of server files; 0 match tools.lock
::error file=tools.lock,line=1,title=no pins of server files::tools.lock has no server files
DRIFT: no pins of server files; 0 match tools.lock
hint: review: pinproof diff live.json
`,
	} {
		r, _ := scenes[name].report(t)
		var b bytes.Buffer
		if err := github.Write(&b, r.Model); err != nil || b.String() != want {
			t.Errorf("%s: error %v, got\n%swant\n%s", name, err, b.String(), want)
		}
	}
}

func TestGitHubScenes(t *testing.T) {
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			r, _ := s.report(t)
			checkGitHub(t, r)
		})
	}
}

// TestGitHubEntries has one change in many tools, and many changes in one.
func TestGitHubEntries(t *testing.T) {
	var old, new []string
	for i := range 9 {
		old = append(old, fmt.Sprintf(`{"name":"t%d"}`, i))
		new = append(new, fmt.Sprintf(`{"name":"t%d","execution":1}`, i))
	}
	old, new = append(old, `{"name":"z"}`), append(new, `{"name":"z","a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`)
	r, _ := scene{server: "s", old: "[" + strings.Join(old, ",") + "]", new: "[" + strings.Join(new, ",") + "]"}.report(t)
	var b bytes.Buffer
	if err := github.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"title=CHANGED t0::other member at /execution\n", "title=CHANGED t8::other member at /execution\n",
		"title=CHANGED z::other member at /a; other member at /b; other member at /c; other member at /d; 2 more changes\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	checkGitHub(t, r)
}

func TestGitHubError(t *testing.T) {
	var b bytes.Buffer
	want := "::error title=pinproof has no answer::100%25 of a.json:1:2: bad%0Ahint: do%0D%0A::error::this\n"
	if err := github.Write(&b, failed(fail.In("100% of a.json:1:2", "bad").Hint("do\r\n::error::this")).Model); err != nil || b.String() != want {
		t.Errorf("error %v, got %q", err, b.String())
	}
	if err := github.Write(&fullDisk{}, failed(errors.New("x")).Model); !errors.Is(err, errFullDisk) {
		t.Error(err)
	}
}

// workflowCommand reads a line as the runner does: "::NAME PROPERTIES::DATA" after
// leading blanks, each property up to a comma and cut at its first equals sign.
func workflowCommand(line string) (name string, properties map[string]string, data string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(line, "::") {
		return "", nil, "", false
	}
	head, data, ok := strings.Cut(line[2:], "::")
	if !ok {
		return "", nil, "", false
	}
	unescape := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	name, rest, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(part, "=")
		properties[key] = unescape.Replace(value)
	}
	return name, properties, strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n").Replace(data), true
}

// checkGitHub reads annotations as the runner does and holds them against what
// there is to say.
func checkGitHub(t testing.TB, r *Report) {
	t.Helper()
	var b bytes.Buffer
	if err := github.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	checkShown(t, out)
	want := map[string][]Annotation{}
	commands := map[string]string{"error": "error", "warning": "warning", "note": "notice"}
	list := r.Model.Annotations(false)
	if !r.Matches {
		first := Annotation{Level: "warning", Line: 1, Title: "pinproof", Text: verdictLine(r)}
		if r.Failed {
			first.Level = "error"
		}
		list = append([]Annotation{first}, list...)
	}
	for _, m := range list {
		want[commands[m.Level]] = append(want[commands[m.Level]], m)
	}
	got := map[string]int{}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for i, line := range lines {
		name, properties, data, ok := workflowCommand(line)
		if !ok {
			verdict := strings.HasPrefix(line, "OK: ") || strings.HasPrefix(line, "DRIFT: ") || strings.HasPrefix(line, "PASS WITH DRIFT: ")
			if hint := strings.HasPrefix(line, "hint: "); !hint && !verdict || i < len(lines)-2 {
				t.Fatalf("line %d is %q in\n%s", i, line, out)
			}
			continue
		}
		n := got[name]
		got[name]++
		list := want[name]
		if n >= len(list) {
			t.Fatalf("one %s too many: %q", name, line)
		}
		for key := range properties {
			if key != "title" && key != "line" && key != "file" {
				t.Fatalf("property %q in %q", key, line)
			}
		}
		if file := text.Printable(r.Model.Annotated); properties["file"] != file {
			t.Fatalf("file %q, not %q, in %q", properties["file"], file, line)
		}
		if m := list[n]; properties["title"] != m.Title || data != m.Text || r.Model.Annotated != "" && properties["line"] != fmt.Sprint(m.Line) {
			t.Fatalf("not %v: %q", m, line)
		}
	}
	for level, list := range want {
		if got[level] != len(list) {
			t.Fatalf("%d of %d %s annotations in\n%s", got[level], len(list), level, out)
		}
	}
	if r.Failed != (got["error"] > 0) {
		t.Fatalf("failed is %v, with %d errors", r.Failed, got["error"])
	}
}

// checkShown looks for what no output may show: characters no reader sees, and a
// command for CI logs.
func checkShown(t testing.TB, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("not UTF-8: %q", out)
	}
	for _, c := range out {
		if c != '\n' && (c < 0x20 || c == 0x7f || text.Hidden(c) || text.UnusualSpace(c)) {
			t.Fatalf("U+%04X stands raw in %q", c, out)
		}
	}
	if strings.Contains(out, "##[") {
		t.Fatalf("a command for CI logs is spelled: %q", out)
	}
}

func FuzzGitHub(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, name, s, key, path string, shape uint16) {
		r, _ := hostileScene(name, s, key, path, shape).report(t)
		if r == nil {
			t.Skip()
		}
		checkGitHub(t, r)
		var b bytes.Buffer
		if err := github.Write(&b, failed(errors.New(s)).Model); err != nil {
			t.Fatal(err)
		}
		if _, _, data, ok := workflowCommand(strings.TrimSuffix(b.String(), "\n")); !ok || data != text.Printable(s) {
			t.Fatalf("%q", b.String())
		}
	})
}

// sarifSchemaFile compiles the published schema, if the environment says where it
// is; it isn't ours to keep a copy of.
func sarifSchemaFile(t testing.TB) *jsonschema.Schema {
	path := os.Getenv("PINPROOF_SARIF_SCHEMA")
	if path == "" {
		return nil
	}
	return compiledSchema(t, path)
}

func TestSARIFScenes(t *testing.T) {
	schema := sarifSchemaFile(t)
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			r, _ := s.report(t)
			checkSARIF(t, schema, r)
		})
	}
	if schema == nil {
		t.Skip("not held against the published schema: PINPROOF_SARIF_SCHEMA is not set")
	}
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

func checkSARIF(t testing.TB, schema *jsonschema.Schema, r *Report) {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	validate(t, schema, b.Bytes())
	checkShown(t, b.String())
	checkFull(t, jsontree.Canonical(b.Bytes()))
	var log readLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
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
		if r.Model.Annotated == "" {
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

func TestSARIFRules(t *testing.T) {
	r, _ := scenes["findings"].report(t)
	var b bytes.Buffer
	if err := sarif.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	var log readLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		ids = append(ids, rule.ID)
		if rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" {
			t.Errorf("rule %s says nothing", rule.ID)
		}
	}
	for _, k := range []pin.DriftKind{pin.Added, pin.Removed, pin.Changed, pin.Hidden, pin.Duplicate} {
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
		"note finding/growth note growth in read_file: grew",
		"note finding/padding WARNING padding in stat: much at /description",
		"error finding/oversize WARNING oversize in the capture: a capture of 3,000,000 bytes",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
}

// TestSARIFFingerprints: an alert stays the same while its tool does, whatever the
// lines; another definition is another alert.
func TestSARIFFingerprints(t *testing.T) {
	prints := func(s scene) map[string]string {
		r, _ := s.report(t)
		all := map[string]string{}
		for _, m := range r.Model.Annotations(true) {
			all[m.Title] = string(m.Identity)
		}
		return all
	}
	first := prints(scene{server: "s", old: `[{"name":"b"}]`, new: `[{"name":"b","x":1},{"name":"c"},{"name":"d"}]`})
	moved := prints(scene{server: "s", old: `[{"name":"a"},{"name":"b"}]`, new: `[{"name":"d"},{"name":"c"},{"name":"b","x":1},{"name":"a"}]`})
	again := prints(scene{server: "s", old: `[{"name":"b"}]`, new: `[{"name":"b","x":2},{"name":"c","y":1}]`})
	if first["CHANGED b"] != moved["CHANGED b"] || first["ADDED c"] != moved["ADDED c"] {
		t.Error("an alert doesn't outlive a move")
	}
	if first["CHANGED b"] == again["CHANGED b"] || first["ADDED c"] == again["ADDED c"] {
		t.Error("another definition, the same alert")
	}
	if first["ADDED c"] == first["ADDED d"] {
		t.Error("two tools, one alert")
	}
	twice := prints(scene{server: "s", old: `[]`, new: `[{"name":"a"},{"name":"a","x":1}]`})
	other := prints(scene{server: "s", old: `[]`, new: `[{"name":"a"},{"name":"a","x":2}]`})
	if twice["DUPLICATE a"] == other["DUPLICATE a"] {
		t.Error("another second definition, the same alert")
	}
}

// TestSARIFLimit has more results than code scanning takes.
func TestSARIFLimit(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`[{"name":"a"}`)
	for i := range 5_000 + 1 {
		fmt.Fprintf(&b, `,{"name":"t%d"}`, i)
	}
	r, _ := scene{server: "s", old: `[]`, new: b.String() + "]"}.report(t)
	var out bytes.Buffer
	if err := sarif.Write(&out, r.Model); err != nil {
		t.Fatal(err)
	}
	var log readLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if n := run.Invocations[0].ToolExecutionNotifications; len(run.Results) != 5_000 || len(n) != 2 || n[1].Message.Text != "2 results left out: code scanning takes no more" {
		t.Errorf("%d results, %q", len(run.Results), n)
	}
	validate(t, sarifSchemaFile(t), out.Bytes())
}

func TestSARIFError(t *testing.T) {
	var b bytes.Buffer
	if err := sarif.Write(&b, failed(fail.New("no {0}").Hint("do")).Model); err != nil {
		t.Fatal(err)
	}
	validate(t, sarifSchemaFile(t), b.Bytes())
	want := `"invocations":[{"executionSuccessful":false,"exitCode":2,"toolExecutionNotifications":[{"level":"error","message":{"text":"no {{0}}; hint: do"}}]}],"results":[],`
	if !strings.Contains(b.String(), want) {
		t.Error(b.String())
	}
	if err := sarif.Write(&fullDisk{}, failed(errors.New("x")).Model); !errors.Is(err, errFullDisk) {
		t.Error(err)
	}
}

func FuzzSARIF(f *testing.F) {
	schema := sarifSchemaFile(f)
	addHostile(f)
	f.Fuzz(func(t *testing.T, name, s, key, path string, shape uint16) {
		r, _ := hostileScene(name, s, key, path, shape).report(t)
		if r == nil {
			t.Skip()
		}
		checkSARIF(t, schema, r)
		var b bytes.Buffer
		if err := sarif.Write(&b, failed(fail.New("%s", text.Printable("x"+s))).Model); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
	})
}
