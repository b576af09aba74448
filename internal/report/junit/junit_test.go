package junit

import (
	"testing"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

func TestWrite(t *testing.T) {
	said := func(text string) []report.Row {
		return []report.Row{{Op: '!', Word: "wording", DefinitionLine: report.DefinitionLine{Text: []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: text}}}}}}}
	}
	entries := []*report.Entry{
		{Server: "web", ShortName: "a", DisplayName: "a", Kind: "CHANGED", Text: "wording", Blocked: true, Block: 1, Warned: true, Findings: []report.Finding{{ID: "order"}, {ID: "padding", Warning: true}}},
		{Server: "web", ShortName: "b", DisplayName: "b", Kind: "CHANGED", Text: "wording", Block: 2},
	}
	for _, test := range []struct {
		name  string
		model report.Model
		want  string
	}{
		{"no answer", report.Model{NothingCompared: true, NoVerdict: &report.NoVerdictReason{Lines: []string{"no such file", "hint: type this"}}}, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="pinproof" tests="1" failures="0" errors="1" time="0">
  <testsuite name="pinproof" tests="1" failures="0" errors="1" time="0">
    <testcase classname="pinproof" name="verdict" time="0">
      <error type="error" message="no such file"><![CDATA[no such file
hint: type this]]></error>
    </testcase>
  </testsuite>
</testsuites>
`},
		// A problem or an entry that is allowed isn't a failure.
		{"drift", report.Model{Failed: true, Word: "DRIFT", Text: "2 changed", Review: report.Step{Text: "review", Command: "pinproof diff live"},
			Problems: []report.Problem{{ID: "policy", Server: "calm", Title: "policy", Text: "another policy", Allowed: true}},
			Blocks:   []*report.ReviewBlock{{Number: 1, Entries: entries[:1], Rows: said("Of a ]]>.")}, {Number: 2, Entries: entries[1:], Rows: said("Of b.")}},
			Data: report.Data{Servers: []report.Server{{ID: "calm"}, {ID: "web"}}, Entries: entries,
				Captured: []report.CapturedEntry{{Server: "web", Short: "a", Status: "CHANGED"}, {Server: "web", Short: "same", Status: "MATCH"}}},
		}, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="pinproof" tests="5" failures="2" errors="0" time="0">
  <testsuite name="pinproof" tests="1" failures="1" errors="0" time="0">
    <testcase classname="pinproof" name="verdict" time="0">
      <failure type="DRIFT" message="DRIFT: 2 changed"><![CDATA[DRIFT: 2 changed
review: pinproof diff live]]></failure>
    </testcase>
  </testsuite>
  <testsuite name="web" tests="3" failures="1" errors="0" time="0">
    <testcase classname="web" name="a" time="0">
      <failure type="CHANGED" message="WARNING padding; CHANGED a: wording"><![CDATA[WARNING padding; CHANGED a: wording
  wording  + | Of a ]]]]><![CDATA[>.
]]></failure>
    </testcase>
    <testcase classname="web" name="b" time="0">
      <system-out><![CDATA[allowed: CHANGED b: wording
  wording  + | Of b.
]]></system-out>
    </testcase>
    <testcase classname="web" name="same" time="0"></testcase>
  </testsuite>
  <testsuite name="calm" tests="1" failures="0" errors="0" time="0">
    <testcase classname="calm" name="policy" time="0">
      <system-out><![CDATA[allowed: another policy]]></system-out>
    </testcase>
  </testsuite>
</testsuites>
`},
	} {
		out := reporttest.WriteToString(t, Write, &test.model)
		if out != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, out, test.want)
		}
	}
}
