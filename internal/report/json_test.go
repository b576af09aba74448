package report_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	. "pinproof/internal/report"
	reportjson "pinproof/internal/report/json"
	"pinproof/internal/report/junit"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

// compiledSchema compiles one of our schemas, or a published one.
func compiledSchema(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate parses JSON text strictly and holds it against a schema.
func validate(t testing.TB, s *jsonschema.Schema, text []byte) {
	t.Helper()
	r := jsontree.NewReader(text)
	if _, err := r.Only(); err != nil {
		t.Fatalf("not one strict JSON value: %v\n%s", err, text)
	}
	if s == nil {
		return
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Fatalf("%v\n%.2000s", err, text)
	}
}

// A scene is what a report is made of: captures, the first locked, the second met.
type scene struct {
	server   string
	old, new string // tools/list results; "" where there is none
	policy   pin.Policy
	path     string // of the lockfile; tools.lock if empty
	other    bool   // the lockfile has another server, too, which no capture is given for
	files    bool   // two files side by side, without a lockfile
	allowed  []pin.DriftKind
	findings []lint.Finding // as if findings.go had found them
	found    bool           // keep those, too, that it did find
}

// report plays the scene; nil if a capture is refused.
func (s scene) report(t testing.TB) (*Report, lockfile.Lockfile) {
	t.Helper()
	pins := func(text string) (pin.Set, bool) {
		m, err := capture.Read("live.json", []byte(text), pintest.Form, s.policy)
		if err != nil {
			return pin.Set{}, false
		}
		set, err := capture.Pins(m, s.server, s.policy, nil, pintest.Form)
		return set, err == nil
	}
	lock := lockfile.Lockfile{}
	p := pin.Comparison{Server: s.server, Capture: "live.json"}
	if s.old != "" {
		set, ok := pins(s.old)
		if !ok || set.Repeated() {
			return nil, lock
		}
		lock.Put(set)
	}
	if s.other {
		lock.Put(pin.Set{Server: "other " + s.server, Pins: []pin.Pin{}})
	}
	text, err := lockfile.Marshal(lock)
	if err != nil {
		t.Fatal(err)
	}
	if lock, err = lockfile.Read("tools.lock", text, pintest.Form); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if set := lock.Find(s.server); set != nil {
		p.Locked, p.Known = *set, true
	}
	if s.new != "" {
		ok := false
		if p.Captured, ok = pins(s.new); !ok {
			return nil, lock
		}
		p.Present = true
	}
	if s.files {
		p.Server, p.Locked.Server, p.Captured.Server, s.server = "", "", "", ""
	}
	pairs := []pin.Comparison{p}
	if s.other && !s.files {
		pairs = append(pairs, pin.Comparison{Server: "other " + s.server, Known: true, Locked: *lock.Find("other " + s.server)})
	}
	slices.SortFunc(pairs, func(x, y pin.Comparison) int { return jsontree.CompareUTF16(x.Server, y.Server) })
	in := inputOf(pairs)
	in.Lockfile = cmp.Or(s.path, "tools.lock")
	if s.files {
		in.Lockfile, in.Next.Against = "", in.Lockfile
	}
	if s.found {
		in.Findings = lint.Read(pairs, in.Drifts, lock.Servers, true)
	}
	for _, f := range s.findings {
		f.Server = s.server
		if !f.WholeServer && !slices.ContainsFunc(in.Drifts, func(d pin.Drift) bool { return d.Ref() == f.Ref() }) {
			f.Scope, f.Approved = lint.InMatch, true
		}
		in.Findings = append(in.Findings, f)
	}
	s.allow(&in)
	return explained(in), lock
}

// failed is the report of a run that has no answer at all.
func failed(err error) *Report {
	return WithoutAnswer(pin.Verdict{ExitCode: 2}, err)
}

// allow lets the drift of the allowed kinds pass, where the server is pinned and lists tools.
func (s scene) allow(in *Input) {
	whole := slices.ContainsFunc(in.Comparisons, func(p pin.Comparison) bool { return !p.Known || !p.Present || p.PolicyDiffers() })
	in.Failed = whole
	for i := range in.Drifts {
		d := &in.Drifts[i]
		p := pin.ComparisonOf(in.Comparisons, d.Server)
		in.Blocked[d.Ref()] = !slices.Contains(s.allowed, d.Kind) || !p.Known || !p.Present || len(p.Captured.Pins) == 0
		in.Failed = in.Failed || in.Blocked[d.Ref()]
	}
	if in.ExitCode = 0; in.Failed {
		in.ExitCode = 1
	}
}

const (
	sceneOld = `{"tools":[
{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"limit":{"maximum":1e3}}}},
{"name":"list_dir","description":"Lists a folder."},
{"name":"stat","description":"Tells the size."},
{"name":"old_name","description":"Moves a file."},
{"name":"gone","description":"Goes."}]}`
	sceneNew = `{"tools":[
{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"limit":{"maximum":1e21},"post_to":{}}}},
{"name":"list_dir","description":"Lists a folder.\u200b##[error]"},
{"name":"stat","description":"Tells the size."},
{"name":"new_name","description":"Moves a file."},
{"name":"t\u00f6\u0000ol, \"::error::x\"","description":"]]><x>\u007f\ud83d\ude00"},
{"name":"twice","description":"1"},{"name":"twice","description":"2"}]}`
)

// scenes are one of each kind.
var scenes = map[string]scene{
	"match":      {server: "files", old: sceneOld, new: sceneOld},
	"drift":      {server: "files", old: sceneOld, new: sceneNew},
	"hidden":     {server: "files", old: sceneOld, new: strings.Replace(sceneOld, "Reads a", `Reads\u200b a\u2060`, 1)},
	"allowed":    {server: "files", old: `[{"name":"a"},{"name":"b"}]`, new: `[{"name":"b"},{"name":"c"}]`, allowed: []pin.DriftKind{pin.Added, pin.Removed}},
	"no pins":    {server: "files", new: sceneNew, other: true, allowed: []pin.DriftKind{pin.Added}},
	"no capture": {server: "files", old: sceneOld},
	"empty":      {server: "files", old: `{"tools":[]}`, new: `{"tools":[]}`},
	"emptied":    {server: "files", old: sceneOld, new: `{"tools":[]}`, allowed: []pin.DriftKind{pin.Removed}},
	"nothing":    {server: "files", new: `{"tools":[]}`},
	"files":      {server: "files", old: sceneOld, new: sceneNew, files: true, path: "-"},
	"policy": {server: "files", old: sceneOld, new: sceneNew, policy: pin.Policy{
		Descriptions: "truncate=7", Ignore: []string{"/_meta/a~1b", "/icons", "/inputSchema/$schema"}, EmptyCursorEnds: true, RequireClean: true}},
	"hash only": {server: "files", old: sceneOld, new: sceneNew, policy: pin.Policy{HashOnly: true}},
	"path":      {server: "a,b:c%\n", old: sceneOld, new: sceneNew, path: "dir, 1/ö:%\nx\x1b[31m\xff/##[x].lock"},
	"findings": {server: "files", old: sceneOld, new: sceneNew, findings: []lint.Finding{
		{Entry: "read_file", ID: "hidden-text", Warning: true, Pointer: "/inputSchema/properties/a{0}", Detail: "[x](https://example.invalid) {1}"},
		{Entry: "read_file", ID: "growth", Pointer: "", Detail: "grew"},
		{Entry: "stat", ID: "padding", Warning: true, Pointer: "/description", Detail: "much"},
		{WholeServer: true, ID: "oversize", Warning: true, Detail: "a capture of 3,000,000 bytes"}}},
}

func TestJSONReports(t *testing.T) {
	schema := compiledSchema(t, pintest.Path("docs/report.schema.json"))
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			r, _ := s.report(t)
			checkJSON(t, schema, r)
		})
	}
}

// checkJSON holds a report's JSON against its schema and against the report.
func checkJSON(t testing.TB, schema *jsonschema.Schema, r *Report) {
	t.Helper()
	var b bytes.Buffer
	if err := reportjson.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	out := b.Bytes()
	validate(t, schema, out)
	if n := bytes.IndexFunc(out[:len(out)-1], func(r rune) bool { return r < 0x20 || r > 0x7e }); n >= 0 || out[len(out)-1] != '\n' {
		t.Fatalf("not one line of ASCII: byte %d\n%q", n, out)
	}
	if bytes.Contains(out, []byte("##")) {
		t.Fatalf("a command for CI logs is spelled:\n%s", out)
	}
	var got struct {
		Verdict, Summary string
		ExitCode         int
		Counts           map[string]int
		Drift            []struct {
			List, Name, Kind string
			Blocked          bool
			Changes          []struct {
				Pointer, Label     string
				Old, New           json.RawMessage
				OldBytes, NewBytes int
			}
			Findings []struct{ Approved bool }
		}
		Entries []struct{ List, Name, Status string }
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict != verdictOf(r) || got.Summary != strings.ToValidUTF8(verdictLine(r), "\ufffd") || (got.ExitCode == 1) != r.Failed || len(got.Drift) != len(r.Drifts) {
		t.Fatalf("verdict %s, exit code %d, %d drifts:\n%s", got.Verdict, got.ExitCode, len(got.Drift), out)
	}
	c := got.Counts
	if c["blocked"]+c["allowed"] != len(r.Drifts) || c["added"]+c["removed"]+c["changed"]+c["hidden"]+c["duplicate"] != c["drift"] || c["entries"] != len(got.Entries) {
		t.Fatalf("the counts don't add up: %v", c)
	}
	for i, d := range got.Drift {
		want := &r.Drifts[i]
		same := 0
		for j, f := range d.Findings {
			if f.Approved == r.Model.Entries[i].Findings[j].Approved {
				same++
			}
		}
		if d.List != pin.EntryTypeInfo[want.Type].Member || d.Name != want.Name || d.Kind != string(want.Kind) || len(d.Changes) != len(r.Model.Entries[i].Changes) || same != len(r.Model.Entries[i].Findings) || d.Blocked != r.Blocked[want.Ref()] {
			t.Fatalf("drift %d is not that of the report:\n%s", i, out)
		}
		for j, c := range d.Changes {
			was := r.Model.Entries[i].Changes[j]
			if c.Pointer != was.Pointer || c.Label != was.Label {
				t.Fatalf("%s at %q of %q", c.Label, c.Pointer, d.Name)
			}
			for k, raw := range []json.RawMessage{c.Old, c.New} {
				v, size := []jsontree.Value{was.Old, was.New}[k], []int{c.OldBytes, c.NewBytes}[k]
				if (raw == nil && size == 0) != (v.Kind == 0) || raw != nil && !jsontree.Equal(jsontree.Canonical(raw), v) || size > 0 && size != len(jsontree.Append(nil, v)) {
					t.Fatalf("%s of %q is %s, %d bytes", c.Pointer, d.Name, raw, size)
				}
			}
		}
	}
}

// TestJSONReport is the page that shows the form. Its digests were computed by
// other means.
func TestJSONReport(t *testing.T) {
	r, _ := scene{server: "s", old: `[{"name":"a","description":"x"}]`, new: `[{"name":"a","description":"x\u200b"},{"name":"é"}]`, allowed: []pin.DriftKind{pin.Added}}.report(t)
	want := strings.Join([]string{
		`{"schemaVersion":1,"verdict":"drift","exitCode":1,"summary":"DRIFT: 1 hidden, 1 added; 0 match tools.lock","lockfile":"tools.lock",`,
		`"counts":{"added":1,"allowed":1,"blocked":1,"changed":0,"denied":0,"drift":2,"duplicate":0,"entries":2,`,
		`"hidden":1,"matched":0,"notes":0,"pins":1,"removed":0,"standing":0,"warnings":0},`,
		`"textBytes":{"after":46,"before":30},"tokens":{"before":0,"after":2},`, // a and x, 2 bytes; a, x and U+200B, é, 7
		`"servers":[{"server":"s",`,
		`"pinned":{"entries":1,"setDigest":"sha256:33eb6f3acdf07dc2e05709f453cd1dc30c462d76cf0cfa0b8f21eac97d72f650","policy":{}},`,
		`"now":{"entries":2,"setDigest":"sha256:ae68c4822e9f7d41f906be5a0a06104c21d8f6164907011fb011e6574427ac9e","policy":{},"capture":"live.json","linesPassedOver":0}}],`,
		`"drift":[{"server":"s","list":"tools","name":"a","kind":"HIDDEN","blocked":true,"severity":"behaviour",`,
		`"pinned":{"digest":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de","sanitizedDigest":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de","line":6},`,
		`"now":{"digest":"sha256:67ed413ade80ce95c70006232b7d6446112a008c98a342bb71e29e312705d6ef","sanitizedDigest":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de","line":1},`,
		`"changes":[{"pointer":"/description","label":"wording","labelText":"reworded","severity":"behaviour","old":"x","new":"x\u200b"}],"findings":[]},`,
		`{"server":"s","list":"tools","name":"\u00e9","kind":"ADDED","blocked":false,"severity":"behaviour",`,
		`"now":{"digest":"sha256:2f16b8477146a1b2ba7d6bb7cf7c9979c191cc2838a107dbf5f0d920b4cb3ba1","sanitizedDigest":"sha256:2f16b8477146a1b2ba7d6bb7cf7c9979c191cc2838a107dbf5f0d920b4cb3ba1","line":1,"definition":{"name":"\u00e9"}},`,
		`"changes":[],"findings":[]}],`,
		`"findings":[],"unpinned":[],"standing":[],`,
		`"entries":[{"server":"s","list":"tools","name":"a","status":"HIDDEN",`,
		`"digest":"sha256:67ed413ade80ce95c70006232b7d6446112a008c98a342bb71e29e312705d6ef","sanitizedDigest":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de",`,
		`"approvalHash":"sha256:67ed413ade80ce95c70006232b7d6446112a008c98a342bb71e29e312705d6ef"},`,
		`{"server":"s","list":"tools","name":"\u00e9","status":"ADDED",`,
		`"digest":"sha256:2f16b8477146a1b2ba7d6bb7cf7c9979c191cc2838a107dbf5f0d920b4cb3ba1","sanitizedDigest":"sha256:2f16b8477146a1b2ba7d6bb7cf7c9979c191cc2838a107dbf5f0d920b4cb3ba1",`,
		`"approvalHash":"sha256:2f16b8477146a1b2ba7d6bb7cf7c9979c191cc2838a107dbf5f0d920b4cb3ba1"}]}`,
	}, "") + "\n"
	var b bytes.Buffer
	if err := reportjson.Write(&b, r.Model); err != nil || b.String() != want {
		t.Errorf("error %v\ngot  %swant %s", err, b.String(), want)
	}
}

func TestJSONStreams(t *testing.T) {
	r, _ := scenes["drift"].report(t)
	for room := range 40 {
		if err := reportjson.Write(&fullDisk{room: room * 100}, r.Model); room < 20 && !errors.Is(err, errFullDisk) {
			t.Fatalf("after %d bytes: %v", room*100, err)
		}
	}
	if err := reportjson.Write(&fullDisk{}, failed(fail.New("x")).Model); !errors.Is(err, errFullDisk) {
		t.Error(err)
	}
}

// fullDisk takes some bytes and then no more.
type fullDisk struct{ room int }

var errFullDisk = errors.New("no space left")

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.room -= len(b); d.room < 0 {
		return 0, errFullDisk
	}
	return len(b), nil
}

func TestJSONError(t *testing.T) {
	schema := compiledSchema(t, pintest.Path("docs/report.schema.json"))
	for _, test := range []struct {
		err  error
		want string
	}{
		{fail.In("a.json:1:2", "no é\u200b##[x").Hint("one").Hint("two"),
			`{"schemaVersion":1,"verdict":"error","exitCode":2,"error":{"message":"a.json:1:2: no \u00e9\u200b#\u0023[x","hints":["one","two"]}}`},
		{fmt.Errorf("wrapped: %w", fail.New("told")),
			`{"schemaVersion":1,"verdict":"error","exitCode":2,"error":{"message":"told","hints":[]}}`},
		{errors.New("not ours\x1b\n"),
			`{"schemaVersion":1,"verdict":"error","exitCode":2,"error":{"message":"not ours<U+001B><U+000A>","hints":[]}}`},
	} {
		var b bytes.Buffer
		if err := reportjson.Write(&b, failed(test.err).Model); err != nil || b.String() != test.want+"\n" {
			t.Errorf("got %swant %s", b.String(), test.want)
		}
		validate(t, schema, b.Bytes())
	}
}

// TestLockfileSchema holds every lockfile that is written against the schema, and
// the schema against mistakes that the reader refuses, too.
func TestLockfileSchema(t *testing.T) {
	schema := compiledSchema(t, pintest.Path("docs/lockfile.schema.json"))
	for name, s := range scenes {
		_, lock := s.report(t)
		for i := range lock.Servers {
			for j := range lock.Servers[i].Pins {
				lock.Servers[i].Pins[j].Accepted = []pin.Record{{ID: "a-1", Digest: lock.Servers[i].Pins[j].Digest}, {ID: "b", Place: jsontree.Pointer("/~0/", name+"\"%é\u200b ~/#"), Digest: lock.Servers[i].Pins[j].Digest}}
				if j%2 == 0 {
					lock.Servers[i].Pins[j].Approval = &pin.Approval{By: "someone", At: "2026-01-02T03:04:05Z", Hash: lock.Servers[i].Pins[j].Digest}
				}
			}
		}
		text, err := lockfile.Marshal(lock)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := lockfile.Read("tools.lock", text, pintest.Form); err != nil {
			t.Fatal(name, err)
		}
		validate(t, schema, text)
	}
	const d = `"digest":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de"`
	const def = `"definition":{"description":"x","name":"a"}`
	const text = `"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"` // of x
	zeros := pin.DigestPrefix + strings.Repeat("0", 64)
	tooMany := `"/_meta"`
	for i := range 32 {
		tooMany += fmt.Sprintf(`,"/_meta/%02d"`, i)
	}
	whole := func(server string) string { return `{"lockfileVersion":1,"servers":{"s":` + server + `}}` }
	tool := func(pin string) string { return whole(`{"tools":{"a":` + pin + `}}`) }
	for _, good := range []string{
		`{"lockfileVersion":1,"servers":{}}`,
		tool(`{` + d + `,` + def + `}`),
		whole(`{"policy":{"hashOnly":true},"tools":{"a":{` + d + `}}}`),
		whole(`{"instructions":{` + text + `,"text":"x"},"tools":{},"prompts":{"a":{` + d + `,` + def + `}}}`),
		whole(`{"policy":{"hashOnly":true,"resources":true,"substitute":["ROOT"],"toolsOnly":true},"instructions":{` + text + `},"tools":{},` +
			`"resourceTemplates":{"a":{` + d + `}},"resources":{"a":{` + d + `}}}`),
	} {
		if _, err := lockfile.Read("tools.lock", []byte(good), pintest.Form); err != nil {
			t.Errorf("%v: %s", err, good)
		}
		validate(t, schema, []byte(good))
	}
	for _, bad := range []string{
		`{}`, `[]`, `{"lockfileVersion":1}`, `{"lockfileVersion":2,"servers":{}}`, `{"lockfileVersion":"1","servers":{}}`,
		`{"lockfileVersion":1,"servers":{},"x":1}`, `{"lockfileVersion":1,"servers":[]}`,
		`{"lockfileVersion":1,"servers":{"":{"tools":{}}}}`, `{"lockfileVersion":1,"servers":{"` + strings.Repeat("s", 1025) + `":{"tools":{}}}}`,
		whole(`{}`), whole(`[]`), whole(`{"tools":[]}`), whole(`{"tools":{},"x":1}`), whole(`{"tools":{},"policy":{}}`),
		whole(`{"tools":{},"policy":{"hashOnly":false}}`), whole(`{"tools":{},"policy":{"descriptions":"preserve"}}`),
		whole(`{"tools":{},"policy":{"descriptions":"truncate=0"}}`), whole(`{"tools":{},"policy":{"descriptions":"truncate=01"}}`),
		whole(`{"tools":{},"policy":{"ignore":[]}}`), whole(`{"tools":{},"policy":{"ignore":"/icons"}}`),
		whole(`{"tools":{},"policy":{"ignore":["/name"]}}`), whole(`{"tools":{},"policy":{"ignore":["/icons/0"]}}`),
		whole(`{"tools":{},"policy":{"ignore":["/_meta~"]}}`), whole(`{"tools":{},"policy":{"ignore":["/_meta/a~2"]}}`),
		whole(`{"tools":{},"policy":{"ignore":["/_meta/` + strings.Repeat("a", 250) + `"]}}`), whole(`{"tools":{},"policy":{"ignore":[` + tooMany + `]}}`),
		whole(`{"tools":{},"policy":{"ignore":["/icons","/icons"]}}`), whole(`{"tools":{},"policy":{"x":true}}`),
		whole(`{"tools":{"":{` + d + `,` + def + `}}}`),
		tool(`[]`), tool(`{}`), tool(`{` + d + `}`), tool(`{` + def + `}`), tool(`{` + d + `,` + def + `,"x":1}`),
		tool(`{` + d + `,"definition":[]}`), tool(`{` + d + `,"definition":{}}`),
		tool(`{"digest":"sha256:00",` + def + `}`), tool(`{` + strings.ToUpper(d) + `,` + def + `}`),
		tool(`{` + d + `,"sanitizedDigest":1,` + def + `}`), tool(`{` + d + `,"approval":{},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"","at":"2026-01-02T03:04:05Z","hash":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de"},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"x","at":"yesterday","hash":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de"},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"x","at":"2026-01-02T03:04:05Z","hash":"x"},` + def + `}`),
		whole(`{"policy":{"hashOnly":true},"tools":{"a":{` + d + `,` + def + `}}}`),
		whole(`{"tools":{},"instructions":{` + text + `}}`), whole(`{"tools":{},"instructions":{` + text + `,"text":["x"]}}`),
		whole(`{"tools":{},"instructions":{` + text + `,"text":"x","definition":{}}}`), whole(`{"tools":{},"instructions":"x"}`),
		whole(`{"policy":{"hashOnly":true},"tools":{},"instructions":{` + text + `,"text":"x"}}`),
		whole(`{"tools":{},"prompts":[]}`), whole(`{"tools":{},"prompts":{"a":{` + d + `}}}`), whole(`{"tools":{},"prompts":{"":{` + d + `,` + def + `}}}`),
		whole(`{"tools":{},"resources":{"a":{` + d + `,` + def + `}}}`), whole(`{"tools":{},"resourceTemplates":{"a":{` + d + `,` + def + `}}}`),
		whole(`{"tools":{},"policy":{"resources":false}}`), whole(`{"tools":{},"policy":{"toolsOnly":"true"}}`),
		tool(`{` + d + `,"acceptedWarnings":[],` + def + `}`), tool(`{` + d + `,"acceptedWarnings":["hidden-text"],` + def + `}`),
		tool(`{` + d + `,"acceptedWarnings":["hidden-text a ` + zeros + `"],` + def + `}`), tool(`{` + d + `,"acceptedWarnings":["hidden-text /a  ` + zeros + `"],` + def + `}`),
		tool(`{` + d + `,"acceptedWarnings":["hidden-text /é ` + zeros + `"],` + def + `}`), tool(`{` + d + `,"acceptedWarnings":["hidden-text /a~2 ` + zeros + `"],` + def + `}`),
		whole(`{"tools":{},"acceptedWarnings":["oversize"]}`), whole(`{"tools":{},"acceptedWarnings":["oversize ` + zeros + `","oversize ` + zeros + `"]}`),
		whole(`{"tools":{},"policy":{"substitute":[]}}`), whole(`{"tools":{},"policy":{"substitute":["root"]}}`),
	} {
		if _, err := lockfile.Read("tools.lock", []byte(bad), pintest.Form); err == nil {
			t.Errorf("the reader takes %s", bad)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// A hostile scene: strings of the fuzzer's wherever a server or a folder has text.
func hostileScene(name, words, key, path string, shape uint16) scene {
	clean := func(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
	name, words, key = clean(name), clean(words), clean(key)
	str := func(s string) jsontree.Value { return jsontree.Value{Kind: '"', Text: s} }
	object := func(members ...jsontree.Member) jsontree.Value { return jsontree.Value{Kind: '{', Parts: members} }
	tool := func(name, text string, extra ...jsontree.Member) jsontree.Value {
		schema := object(jsontree.Member{Name: "properties", Value: object(append(extra, jsontree.Member{Name: key, Value: object(jsontree.Member{Name: "description", Value: str(text)})})...)})
		return object(jsontree.Member{Name: "name", Value: str(name)}, jsontree.Member{Name: "description", Value: str(text)}, jsontree.Member{Name: "inputSchema", Value: schema})
	}
	list := func(tools ...jsontree.Value) string {
		return string(jsontree.Append(nil, object(jsontree.Member{Name: "tools", Value: pintest.ArrayOf(tools...)})))
	}
	has := func(bit int) bool { return shape>>bit&1 == 1 }
	same, first := tool("same", words), tool(name, "first")
	s := scene{found: true, server: strings.ToValidUTF8(path[:min(len(path), 300)], "\ufffd") + "s", path: path, other: has(0), files: has(1), policy: pin.Policy{HashOnly: has(2)}}
	if s.path == "" {
		s.path = "x"
	}
	if !has(3) {
		s.old = list(same, first, tool("was "+name, words+"1"))
	}
	switch shape >> 4 & 7 {
	case 0:
		s.new = list(same, tool(name, words+"2"), tool("is "+name, words+"1"))
	case 1:
		s.new = list(same, first, first, tool(words+"x", words))
	case 2:
		s.new = list(first, tool("same", words+"\u200b"))
	case 3:
		s.new = list()
	case 4:
		if s.old == "" {
			s.old = list(same)
		}
	default:
		many := []jsontree.Value{same}
		for i := range int(shape >> 4 & 15) {
			many = append(many, tool(fmt.Sprint(name, i), words, jsontree.Member{Name: "+" + key, Value: str(words)}))
		}
		s.new = list(many...)
	}
	if has(8) {
		s.allowed = []pin.DriftKind{pin.Added, pin.Removed}
	}
	if has(9) {
		s.allowed = []pin.DriftKind{pin.Added, pin.Removed, pin.Changed, pin.Hidden, pin.Duplicate}
	}
	for i := range int(shape >> 10 & 15) {
		tool := []string{name, "same", ""}[i%3]
		f := lint.Finding{Entry: tool, WholeServer: tool == "", ID: lint.Table[i].ID, Warning: i%2 == 0, Pointer: jsontree.Pointer("", key), Detail: text.Printable(words)}
		s.findings = append(s.findings, f)
	}
	return s
}

// addHostile seeds a fuzz target with what has broken such formats before.
func addHostile(f *testing.F) {
	for i, text := range []string{
		"plain", "", "\n::error::x", "\r::stop-commands::x", "%0A::error file=x::y", "a::b,c=d%", "##[error]x", "###[group]x", "##vso[task.complete]x",
		"]]>", "</system-out></testcase><testcase/>", "&amp;<!--", "\"'><", "\x00\x01\x1b[31m\u007f\u0085", "\u2028\u2029\ufffe\uffff\U0001fffe",
		"\u202e\u2066\u200b\ufeff\ue000\u3164\u2800", "\U000e0041\U000e0042", "\ufe00\U000e0101", "\xff\xfe", "[x](javascript:1)", "{0}{{x}}",
		"\\u0022", "<U+200B>", strings.Repeat("é", 200), strings.Repeat("\n", 9) + strings.Repeat(" ", 40), "__proto__", "/a~1b~0",
	} {
		f.Add("n"+text, text, text, text, uint16(i*2657))
		f.Add("read_file", text, "k", "tools.lock", uint16(i*1009))
	}
}

func FuzzJSON(f *testing.F) {
	schema := compiledSchema(f, pintest.Path("docs/report.schema.json"))
	lockSchema := compiledSchema(f, pintest.Path("docs/lockfile.schema.json"))
	addHostile(f)
	f.Fuzz(func(t *testing.T, name, text, key, path string, shape uint16) {
		r, lock := hostileScene(name, text, key, path, shape).report(t)
		if r == nil {
			t.Skip()
		}
		checkJSON(t, schema, r)
		locked, err := lockfile.Marshal(lock)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, lockSchema, locked)
		var b bytes.Buffer
		if err := reportjson.Write(&b, failed(errors.New(text)).Model); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
	})
}

// textOf is the text of a file.
func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRealReports has every format report what real servers changed from one
// capture to the next.
func TestRealReports(t *testing.T) {
	t.Parallel()
	report, sarif, locked := compiledSchema(t, pintest.Path("docs/report.schema.json")), sarifSchemaFile(t), compiledSchema(t, pintest.Path("docs/lockfile.schema.json"))
	upgrades, drifted := 0, 0
	check := func(old, new string, other bool) {
		r, lock := scene{found: true, server: "s", old: old, new: new, other: other}.report(t)
		if r == nil {
			t.Fatalf("%.100s is refused", new)
		}
		upgrades++
		drifted += len(r.Drifts)
		text, err := lockfile.Marshal(lock)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, locked, text)
		checkJSON(t, report, r)
		checkGitHub(t, r)
		checkSARIF(t, sarif, r)
		checkJUnit(t, r)
		holdAgainstXSD(t, t.TempDir(), func(w io.Writer) error { return junit.Write(w, r.Model) })
	}
	pintest.SomeUpgrades(t, func(old, new string) {
		if upgrades == 0 {
			check("", textOf(t, old), true)
		}
		check(textOf(t, old), textOf(t, new), false)
	})
	t.Logf("%d upgrades, %d drifts", upgrades, drifted)
}

// verdictOf is the verdict for programs.
func verdictOf(r *Report) string {
	switch {
	case r.NoAnswer != nil:
		return "error"
	case r.Matches:
		return "match"
	}
	return "drift"
}

func verdictLine(r *Report) string { return r.Model.Word + ": " + r.Model.Text }
