package reporttest

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// A Scene holds the inputs of a report: two captures, the first of which is locked, and the conditions of the run.
type Scene struct {
	Server         string
	Old, New       string // tools/list results; "" where there is no list
	Policy         pin.Policy
	Path           string // of the lockfile; tools.lock if empty
	HasOtherServer bool   // the lockfile has another server, without a capture
	ComparesFiles  bool   // two files are compared, without a lockfile
	Allowed        []pin.DriftKind
	Findings       []lint.Finding // findings to add, as if lint had found them
	RunsLint       bool           // whether to add the findings of lint
}

// pins returns the pins of a capture of the scene, or false if the capture is refused.
func (s Scene) pins(captured string) (set pin.Set, taken bool) {
	m, err := capture.Read("live.json", []byte(captured), pintest.HashDefinition, s.Policy)
	if err != nil {
		return pin.Set{}, false
	}
	set, err = capture.PinCapture(m, s.Server, s.Policy, nil, pintest.HashDefinition)
	return set, err == nil
}

// Lockfile returns the scene's lockfile, written and read again, or false if the old capture is refused.
func (s Scene) Lockfile(t testing.TB) (lock lockfile.Lockfile, taken bool) {
	t.Helper()
	if s.Old != "" {
		set, taken := s.pins(s.Old)
		if !taken || set.HasRepeatedName() {
			return lock, false
		}
		lock.Put(set)
	}
	if s.HasOtherServer {
		lock.Put(pin.Set{Server: "other " + s.Server, Pins: []pin.Pin{}})
	}
	return pintest.MustParse(t, pintest.MustMarshal(t, lock)), true
}

// Report returns the scene's report, or nil if a capture is refused.
func (s Scene) Report(t testing.TB) *report.Report {
	t.Helper()
	lock, taken := s.Lockfile(t)
	if !taken {
		return nil
	}
	p := pin.Comparison{Server: s.Server, CapturePath: "live.json"}
	set := lock.Find(s.Server)
	if set != nil {
		p.Locked = *set
	}
	if s.New != "" {
		if p.Captured, taken = s.pins(s.New); !taken {
			return nil
		}
	}
	p.State = pin.StateOf(set != nil, s.New != "")
	if s.ComparesFiles {
		p.Server, p.Locked.Server, p.Captured.Server, s.Server = "", "", "", ""
	}
	pairs := []pin.Comparison{p}
	if s.HasOtherServer && !s.ComparesFiles {
		pairs = append(pairs, pin.Comparison{Server: "other " + s.Server, State: pin.ServerGone, Locked: *lock.Find("other " + s.Server)})
	}
	slices.SortFunc(pairs, func(x, y pin.Comparison) int { return jsontree.CompareUTF16(x.Server, y.Server) })
	in := InputOf(pairs)
	in.Lockfile = cmp.Or(s.Path, "tools.lock")
	if s.ComparesFiles {
		in.Lockfile, in.CommandLine.Against = "", in.Lockfile
	}
	if s.RunsLint {
		in.Findings = lint.Findings(pairs, in.Drifts, lock.Servers, true)
	}
	for _, f := range s.Findings {
		f.Server = s.Server
		if !f.IsWholeServer() && !slices.ContainsFunc(in.Drifts, func(d pin.Drift) bool { return d.Ref() == f.Ref }) {
			f.Scope, f.Approved = pin.FindingInMatch, true
		}
		in.Findings = append(in.Findings, f)
	}
	s.allow(&in)
	return NewReport(in)
}

// allow makes the drift of the allowed kinds pass, if the server is pinned and its capture has an entry.
func (s Scene) allow(in *report.Input) {
	whole := slices.ContainsFunc(in.Comparisons, func(p pin.Comparison) bool { return !p.IsLocked() || !p.HasCapture() || p.PolicyDiffers() })
	in.Failed = whole
	for i := range in.Drifts {
		d := &in.Drifts[i]
		p := pin.FindComparison(in.Comparisons, d.Server)
		in.FailingDrift[d.Ref()] = !slices.Contains(s.Allowed, d.Kind) || !p.IsLocked() || !p.HasCapture() || len(p.Captured.Pins) == 0
		in.Failed = in.Failed || in.FailingDrift[d.Ref()]
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

// Scenes has an example of each kind of report.
var Scenes = map[string]Scene{
	"match":      {Server: "files", Old: sceneOld, New: sceneOld},
	"drift":      {Server: "files", Old: sceneOld, New: sceneNew},
	"hidden":     {Server: "files", Old: sceneOld, New: strings.Replace(sceneOld, "Reads a", `Reads\u200b a\u2060`, 1)},
	"allowed":    {Server: "files", Old: `[{"name":"a"},{"name":"b"}]`, New: `[{"name":"b"},{"name":"c"}]`, Allowed: []pin.DriftKind{pin.DriftAdded, pin.DriftRemoved}},
	"no pins":    {Server: "files", New: sceneNew, HasOtherServer: true, Allowed: []pin.DriftKind{pin.DriftAdded}},
	"no capture": {Server: "files", Old: sceneOld},
	"empty":      {Server: "files", Old: `{"tools":[]}`, New: `{"tools":[]}`},
	"emptied":    {Server: "files", Old: sceneOld, New: `{"tools":[]}`, Allowed: []pin.DriftKind{pin.DriftRemoved}},
	"nothing":    {Server: "files", New: `{"tools":[]}`},
	"files":      {Server: "files", Old: sceneOld, New: sceneNew, ComparesFiles: true, Path: "-"},
	"policy": {Server: "files", Old: sceneOld, New: sceneNew, Policy: pin.Policy{
		Descriptions: "truncate=7", Ignore: []string{"/_meta/a~1b", "/icons", "/inputSchema/$schema"}, EmptyCursorEnds: true, RequireClean: true}},
	"hash only": {Server: "files", Old: sceneOld, New: sceneNew, Policy: pin.Policy{HashOnly: true}},
	"path":      {Server: "a,b:c%\n", Old: sceneOld, New: sceneNew, Path: "dir, 1/ö:%\nx\x1b[31m\xff/##[x].lock"},
	"findings": {Server: "files", Old: sceneOld, New: sceneNew, Findings: []lint.Finding{
		{Ref: pin.Ref{Key: pin.Key{Name: "read_file"}}, ID: "hidden-text", Warning: true, Pointer: "/inputSchema/properties/a{0}", Detail: "[x](https://example.invalid) {1}"},
		{Ref: pin.Ref{Key: pin.Key{Name: "read_file"}}, ID: "new-address", Pointer: "", Detail: "grew"},
		{Ref: pin.Ref{Key: pin.Key{Name: "stat"}}, ID: "padding", Warning: true, Pointer: "/description", Detail: "much"},
		{ID: "oversize", Warning: true, Detail: "a capture of 3,000,000 bytes"}}},
}

// HostileScene returns a scene with a fuzzer's strings wherever a server or a folder supplies text; shape selects the
// drift and the conditions.
func HostileScene(name, words, key, path string, shape uint16) Scene {
	clean := func(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
	name, words, key = clean(name), clean(words), clean(key)
	str := jsontree.String
	object := func(members ...jsontree.Member) jsontree.Value { return jsontree.OrderedObject(members) }
	tool := func(name, text string, extra ...jsontree.Member) jsontree.Value {
		schema := object(jsontree.Member{Name: "properties", Value: object(append(extra, jsontree.Member{Name: key, Value: object(jsontree.Member{Name: "description", Value: str(text)})})...)})
		return object(jsontree.Member{Name: "name", Value: str(name)}, jsontree.Member{Name: "description", Value: str(text)}, jsontree.Member{Name: "inputSchema", Value: schema})
	}
	list := func(tools ...jsontree.Value) string {
		return string(jsontree.Append(nil, object(jsontree.Member{Name: "tools", Value: pintest.ArrayOf(tools...)})))
	}
	has := func(bit int) bool { return shape>>bit&1 == 1 }
	same, first := tool("same", words), tool(name, "first")
	s := Scene{RunsLint: true, Server: strings.ToValidUTF8(path[:min(len(path), 300)], "\ufffd") + "s", Path: path, HasOtherServer: has(0), ComparesFiles: has(1), Policy: pin.Policy{HashOnly: has(2)}}
	if s.Path == "" {
		s.Path = "x"
	}
	if !has(3) {
		s.Old = list(same, first, tool("was "+name, words+"1"))
	}
	switch shape >> 4 & 7 {
	case 0:
		s.New = list(same, tool(name, words+"2"), tool("is "+name, words+"1"))
	case 1:
		s.New = list(same, first, first, tool(words+"x", words))
	case 2:
		s.New = list(first, tool("same", words+"\u200b"))
	case 3:
		s.New = list()
	case 4:
		if s.Old == "" {
			s.Old = list(same)
		}
	default:
		many := []jsontree.Value{same}
		for i := range int(shape >> 4 & 15) {
			many = append(many, tool(fmt.Sprint(name, i), words, jsontree.Member{Name: "+" + key, Value: str(words)}))
		}
		s.New = list(many...)
	}
	if has(8) {
		s.Allowed = []pin.DriftKind{pin.DriftAdded, pin.DriftRemoved}
	}
	if has(9) {
		s.Allowed = []pin.DriftKind{pin.DriftAdded, pin.DriftRemoved, pin.DriftChanged, pin.DriftHidden, pin.DriftDuplicate}
	}
	for i := range int(shape >> 10 & 15) {
		tool := []string{name, "same", ""}[i%3]
		f := lint.Finding{Ref: pin.Ref{Key: pin.Key{Name: tool}}, ID: lint.Rules[i].ID, Warning: i%2 == 0, Pointer: jsontree.ExtendPointer("", key), Detail: text.Printable(words)}
		s.Findings = append(s.Findings, f)
	}
	return s
}

// AddHostile seeds a fuzz target with texts that have broken such formats before.
func AddHostile(f *testing.F) {
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

// Fuzz runs a test for reports of scenes that a fuzzer makes up, with one of the fuzzer's texts.
func Fuzz(f *testing.F, test func(t *testing.T, r *report.Report, text string)) {
	AddHostile(f)
	f.Fuzz(func(t *testing.T, name, text, key, path string, shape uint16) {
		r := HostileScene(name, text, key, path, shape).Report(t)
		if r == nil {
			t.Skip()
		}
		test(t, r, text)
	})
}

// EachUpgrade runs a test for upgrades of real servers, from one capture to the next, and once for the very first
// capture, without pins of its server.
func EachUpgrade(t *testing.T, test func(t *testing.T, r *report.Report)) {
	t.Helper()
	upgrades := 0
	drifted := 0
	play := func(s Scene) {
		s.Server, s.RunsLint = "s", true
		r := s.Report(t)
		if r == nil {
			t.Fatalf("%.100s is refused", s.New)
		}
		upgrades++
		drifted += len(r.Drifts)
		test(t, r)
	}
	pintest.SomeUpgrades(t, func(old, new string) {
		if upgrades == 0 {
			play(Scene{New: textOf(t, old), HasOtherServer: true})
		}
		play(Scene{Old: textOf(t, old), New: textOf(t, new)})
	})
	t.Logf("%d upgrades, %d drifts", upgrades, drifted)
}

// textOf returns the text of a file.
func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
