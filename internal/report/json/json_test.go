package json

import (
	"strings"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

func TestWrite(t *testing.T) {
	noise, long := 2, jsontree.String(strings.Repeat("a", maxQuoted)) // two bytes more with its quotes
	change := report.Change{Pointer: "/description", Label: "wording", LabelText: "another wording", Severity: "behaviour", Old: jsontree.String("é<##["), New: long}
	none := []report.Finding{}
	for _, test := range []struct {
		name  string
		model report.Model
		want  string
	}{
		{"no answer", report.Model{NothingCompared: true, ExitCode: 2, NoVerdict: &report.NoVerdictReason{Text: "no such file", Hints: []string{"type this"}}},
			`{"schemaVersion":1,"verdict":"error","exitCode":2,"error":{"message":"no such file","hints":["type this"]}}`},
		{"match", report.Model{Matches: true, Word: "OK", Text: "0 drift", CaptureFindings: []report.Finding{{ID: "oversize", Level: "warning"}}, Data: report.Data{Lockfile: "tools.lock",
			Counts:   map[string]int{"pins": 1},
			Servers:  []report.Server{{ID: "s", PinnedSide: &report.Side{Entries: 1, Policy: jsontree.Object()}, CapturedSide: &report.Side{Policy: jsontree.Object(), Capture: "live.json", Noise: &noise}}},
			Captured: []report.CapturedEntry{{Server: "s", List: "tools", Name: "a", Short: "not printed", Status: "MATCH", Digest: "sha256:1", Sanitized: "sha256:2"}},
			Approved: []report.Finding{{Server: "s", List: "tools", Name: "a", ID: "padding", Level: "warning", Approved: true, RawPointer: "/title", Detail: "much"}},
			Unpinned: none,
		}},
			`{"schemaVersion":1,"verdict":"match","exitCode":0,"summary":"OK: 0 drift","lockfile":"tools.lock","counts":{"pins":1},
"servers":[{"server":"s","pinned":{"entries":1,"policy":{}},"now":{"entries":0,"policy":{},"capture":"live.json","linesPassedOver":2}}],"drift":[],
"findings":[{"server":"","id":"oversize","level":"warning","pointer":"","detail":""}],"unpinned":[],
"standing":[{"server":"s","list":"tools","name":"a","id":"padding","level":"warning","approved":true,"pointer":"/title","detail":"much"}],
"entries":[{"server":"s","list":"tools","name":"a","status":"MATCH","digest":"sha256:1","sanitizedDigest":"sha256:2"}]}`},
		{"drift", report.Model{ExitCode: 1, Word: "DRIFT", Text: "2", CaptureFindings: none, Data: report.Data{Unpinned: none, Approved: none, Servers: []report.Server{}, Captured: []report.CapturedEntry{}, Entries: []*report.Entry{
			{List: "tools", Name: "a\u200b", Kind: "CHANGED", Blocked: true, Severity: "behaviour", Changes: []report.Change{change},
				Pinned: &report.Definition{Digest: "x", Sanitized: "y", Line: 3, Text: []byte(`{"old":1}`)}, Findings: []report.Finding{{ID: "new-address", Level: "note", List: "tools", Name: "a"}}},
			{List: "tools", Name: "b", Kind: "ADDED", Severity: "behaviour", Captured: &report.Definition{Digest: "z", Sanitized: "z", Line: 4, Text: []byte(`{"name":"b"}`)}, Findings: none},
		}}},
			`{"schemaVersion":1,"verdict":"drift","exitCode":1,"summary":"DRIFT: 2","servers":[],"drift":[
{"server":"","list":"tools","name":"a\u200b","kind":"CHANGED","blocked":true,"severity":"behaviour","pinned":{"digest":"x","sanitizedDigest":"y","line":3},
"changes":[{"pointer":"/description","label":"wording","labelText":"another wording","severity":"behaviour","old":"\u00e9<#\u0023[","newBytes":65538}],
"findings":[{"server":"","list":"tools","name":"a","id":"new-address","level":"note","pointer":"","detail":""}]},
{"server":"","list":"tools","name":"b","kind":"ADDED","blocked":false,"severity":"behaviour","now":{"digest":"z","sanitizedDigest":"z","line":4,"definition":{"name":"b"}},"changes":[],"findings":[]}],
"findings":[],"unpinned":[],"standing":[],"entries":[]}`},
	} {
		out := reporttest.WriteToString(t, Write, &test.model)
		if want := strings.ReplaceAll(test.want, "\n", "") + "\n"; out != want {
			t.Errorf("%s: got\n%swant\n%s", test.name, out, want)
		}
	}
}

// TestRoom: all values together have a bound, and what has no room is counted.
func TestRoom(t *testing.T) {
	left := room(10)
	e := report.Entry{Changes: []report.Change{
		{Pointer: "/a", New: jsontree.String("12345")},  // 2 and 7 bytes: one is left
		{Pointer: "/b", New: jsontree.String("123456")}, // no room for the pointer
		{Pointer: "/c"},
	}}
	d := left.entry(e)
	if len(d.Changes) != 1 || d.Changes[0].NewBytes != 0 || d.ChangesLeftOut != 2 {
		t.Errorf("%+v", d)
	}
	left = room(6)
	d = left.entry(e)
	if len(d.Changes) != 3 || d.Changes[0].NewBytes != 7 || d.Changes[0].New.Kind != 0 || d.Changes[1].NewBytes != 8 {
		t.Errorf("%+v", d)
	}
}
