package report_test

import (
	"strings"
	"testing"

	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// TestSharedTextsAreEqual: a text that spells how this program writes out a row of two lines isn't told with such rows.
func TestSharedTextsAreEqual(t *testing.T) {
	list := func(lines, spelled string) string {
		tool := func(name, text string) string {
			return `{"name":"` + name + `","description":"Lists all names of this folder by their size.` + text + `"}`
		}
		return "[" + tool("a", lines) + "," + tool("b", lines) + "," + tool("c", spelled) + "]"
	}
	r := reporttest.ListsReport(t, list("", ""), list(`\n\nOne.\nTwo.`, `\n\nOne. 0}] false} {43 [{43 Two.`))
	if len(r.Model.Shared) > 0 {
		t.Errorf("%+v", r.Model.Shared)
	}
	if review := written(t, plain.WriteDiff, r, plain.Style{}); !strings.Contains(review, "false}") {
		t.Errorf("not shown:\n%s", review)
	}
}
