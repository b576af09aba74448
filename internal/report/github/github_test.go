package github

import (
	"testing"

	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

// TestWrite: no text begins a line, ends a title or ends a file's name.
func TestWrite(t *testing.T) {
	entries := []*report.Entry{{Kind: "CHANGED", DisplayName: "a:b, c", Text: "100%\n::error::forged", Line: 7, Blocked: true,
		Findings: []report.Finding{{ID: "new-address", EntryName: "it", Detail: "more", Line: 7}}}}
	for _, test := range []struct {
		name  string
		model report.Model
		want  string
	}{
		{"match", report.Model{Matches: true, Word: "OK", Text: "0 drift"}, "OK: 0 drift\n"},
		{"nothing read", report.Model{NothingCompared: true, NoVerdict: &report.NoVerdictReason{Lines: []string{"no such file", "hint: x"}}},
			"::error title=pinproof has no answer::no such file%0Ahint: x\n"},
		{"drift", report.Model{Failed: true, Word: "DRIFT", Text: "1 changed", AnnotatedFile: "a,b:c\n.lock", Data: report.Data{Entries: entries}, Review: report.Step{Text: "review", Command: "pinproof diff live"}},
			"::error file=a%2Cb%3Ac<U+000A>.lock,line=1,title=pinproof::DRIFT: 1 changed\n" +
				"::error file=a%2Cb%3Ac<U+000A>.lock,line=7,title=CHANGED a%3Ab%2C c::100%25%0A::error::forged\n" +
				"::notice file=a%2Cb%3Ac<U+000A>.lock,line=7,title=note new-address in it::more\nDRIFT: 1 changed\nhint: review: pinproof diff live\n"},
		{"allowed", report.Model{Word: "PASS WITH DRIFT", Text: "1 added", Review: report.Step{Text: "review", Command: "pinproof diff live"}},
			"::warning title=pinproof::PASS WITH DRIFT: 1 added\nPASS WITH DRIFT: 1 added\nhint: review: pinproof diff live\n"},
	} {
		out := reporttest.WriteToString(t, Write, &test.model)
		if out != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, out, test.want)
		}
	}
}
