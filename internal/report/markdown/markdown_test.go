package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

func said(text string) []report.Row {
	return []report.Row{{Op: '!', Word: "wording", DefinitionLine: report.DefinitionLine{Text: []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: text}}}}}}}
}

func TestWrite(t *testing.T) {
	for _, test := range []struct {
		name  string
		model report.Model
		want  string
	}{
		{"match", report.Model{Matches: true, Word: "OK", Text: "0 drift (1 tool)"}, "## OK: `0 drift (1 tool)`\n"},
		{"no answer", report.Model{NothingCompared: true, NoVerdict: &report.NoVerdictReason{Lines: []string{"no `x`", "```"}}}, "## No answer\n\n```text\n    error: no `x`\n    ```\n```\n"},
		// The summary of the whole list comes first, then the block of the first class.
		{"drift", report.Model{Failed: true, Word: "DRIFT", Text: "2 changed", OtherServersText: "1 other server", Data: report.Data{Lockfile: "tools.lock",
			Servers: []report.Server{{Name: "web", Differs: true, Title: "web   old   ->   new|`", Notes: []string{"a note"}, Drift: "2 changed"}}}, Cost: "text 10 -> 1,244 bytes",
			Worst: [][]layout.Run{{{Text: "takes code: "}, {Text: "b (2)", Block: 2}}},
			Blocks: []*report.ReviewBlock{
				{Number: 1, Class: 2, Kind: "CHANGED", Title: "a", Rows: said("```")},
				{Number: 2, Class: 1, Kind: "CHANGED", Title: "b", Blocked: true, Warned: true, Rows: said("Of b."),
					Entries: []*report.Entry{{ShortName: "b", ApprovalDigest: "sha256:b"}}, AcceptCommand: "pinproof relock --accept b"}},
			ApproveCommands: []report.Step{{Text: "approve", Command: "pinproof relock --accept-all"}}, ManualSteps: []report.Step{{Text: "set digest", Digest: "sha256:all"}},
			CaptureFindings: []report.Finding{{ID: "oversize", Warning: true, EntryName: "the capture"}},
			Review:          report.Step{Text: "review", Command: "pinproof diff live"}, Next: []report.Step{{Text: "Accept b", Command: "pinproof relock"}}},
			"## DRIFT: `2 changed`\n" +
				"\n```text\n    web   old   ->   new|`\n      a note\n      2 changed; text 10 -> 1,244 bytes\n      takes code: b (2)\n```\n" +
				"\n```text\n      WARNING oversize in the capture\n```\n" +
				"\n### 2. `CHANGED b`\n\n```diff\n+   wording    | Of b.\n```\n\ndigest: `sha256:b`\n" +
				"\n### 1. `CHANGED a  allowed`\n\n```diff\n+   wording    | ```\n```\n" +
				"\n### Next\n\n`review`:\n\n```sh\npinproof diff live\n```\n\n`Accept b`:\n\n```sh\npinproof relock\n```\n\n`set digest` `sha256:all`\n"},
	} {
		out := reporttest.WriteToString(t, Write, &test.model)
		if out != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, out, test.want)
		}
	}
}

// TestRoom: a comment takes what there is room for, in the order of rank. The rest is named and gets no
// digest, and wherever it is cut, every fence is closed.
func TestRoom(t *testing.T) {
	m := &report.Model{Word: "DRIFT", Data: report.Data{Servers: []report.Server{{}}}, Review: report.Step{Command: "pinproof diff live"}}
	for i := 10; i < 50; i++ { // numbers of two digits: all blocks have one size
		m.Blocks = append(m.Blocks, &report.ReviewBlock{Number: i + 1, Class: 50 - i, Kind: "ADDED", Title: fmt.Sprint("tool", i+1), Warned: i >= 30,
			Rows: said(strings.Repeat("word ", 500)), Entries: []*report.Entry{{ApprovalDigest: fmt.Sprint("sha256:", i+1, ";")}}, AcceptCommand: "accept"})
		m.CaptureFindings = append(m.CaptureFindings, report.Finding{ID: "padding", EntryName: strings.Repeat("n", 400)})
	}
	for room := 500; room < 70_000; room += 70_000 / jsontest.RoundCount(25, 70) {
		var b bytes.Buffer
		if err := write(&b, m, room); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if strings.Count(page, "\n```")%2 != 0 || len(page) > max(room, 2_000) {
			t.Fatalf("with room for %d a page of %d:\n%s", room, len(page), page)
		}
		open := false
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, "```") {
				open = !open
			} else if strings.HasPrefix(line, "    ") && !open {
				t.Fatalf("with room for %d this stands outside of a fence: %s", room, line)
			}
		}
		_, left, _ := strings.Cut(page, "### Not shown here")
		for i := 10; i < 50; i++ {
			shown := strings.Contains(page, fmt.Sprintf("### %d. ", i+1))
			if strings.Contains(page, fmt.Sprint("sha256:", i+1, ";")) != shown || shown && strings.Contains(left, fmt.Sprintf("\n    %d  ", i+1)) {
				t.Fatalf("with room for %d, block %d isn't what it has to be:\n%s", room, i+1, page)
			}
			if shown && i < 49 && !strings.Contains(page, fmt.Sprintf("### %d. ", i+2)) {
				t.Fatalf("with room for %d, block %d is there without the one before it", room, i+1)
			}
		}
	}
}
