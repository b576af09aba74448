package report_test

import (
	"strings"
	"testing"

	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// TestRename: an entry that was removed under one name and added under another is one block, with one question and one
// command that has both digests. The new definition is shown whole, with marks where it differs. These are still two
// drifts.
func TestRename(t *testing.T) {
	r := reporttest.ListsReport(t, `[{"name":"run_code","description":"Runs a snippet.","inputSchema":{"properties":{"code":{"type":"string"}}}},{"name":"stays"}]`,
		`[{"name":"run_code_now","description":"Runs a long snippet.","inputSchema":{"properties":{"code":{"type":"string"},"file":{"type":"string","description":"Where it is."}}}},{"name":"stays"}]`)
	if len(r.Drifts) != 2 || len(r.Model.Entries) != 2 || len(r.Model.Blocks) != 1 {
		t.Fatalf("%d drifts, %d entries, %d blocks", len(r.Drifts), len(r.Model.Entries), len(r.Model.Blocks))
	}
	b := r.Model.Blocks[0]
	if b.Kind+" "+b.Title != "RENAMED run_code -> run_code_now" || b.Question != "Accept that run_code is run_code_now now?" {
		t.Errorf("%s %s: %s", b.Kind, b.Title, b.Question)
	}
	for i := range r.Drifts {
		if digest := r.Drifts[i].DigestToAccept(); !strings.Contains(b.AcceptCommand, digest) {
			t.Errorf("no %s in %s", digest, b.AcceptCommand)
		}
	}
	review := written(t, plain.WriteDiff, r, plain.Style{})
	for _, want := range []string{
		"runs code that it is given: run_code_now (1)\n",
		"     | Runs a {+long +}snippet.\n",
		"     code   string\n",
		"     file   + string  + | Where it is.\n",
	} {
		if !strings.Contains(review, want) {
			t.Errorf("no %q in\n%s", want, review)
		}
	}
}
