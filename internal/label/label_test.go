package label

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTable checks that no two labels share an ID or words, and that minor labels rank below those for
// what a model reads or a tool may do.
func TestTable(t *testing.T) {
	ids, words, does := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, row := range table {
		if strings.Trim(row.id, "abcdefghijklmnopqrstuvwxyz-") != "" || row.id == "" {
			t.Errorf("row %d has the id %q", i, row.id)
		}
		if row.words == "" || len(row.words) > 18 {
			t.Errorf("%s has the words %q", row.id, row.words)
		}
		if Label(i).Minor() && Label(i) < OtherMember {
			t.Errorf("%q is minor and dangerous", row.does)
		}
		if ids[row.id] || words[row.words] || does[row.does] {
			t.Errorf("another label is called like %s", row.id)
		}
		ids[row.id] = true
		words[row.words] = true
		does[row.does] = true
	}
}

// TestPage checks that docs/review.md has the table, for people who read or type a label.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/review.md")
	if err != nil {
		t.Fatal(err)
	}
	for l, row := range table {
		line := fmt.Sprintf("\n| %s | `%s` | %s | %s |\n", row.words, row.id, row.does, row.severity)
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/review.md lacks the row %s", line)
		}
		if Label(l).Minor() != (row.severity == NoEffect && Label(l) != IndentationChanged || Label(l) == InputOpened) {
			t.Errorf("docs/review.md says otherwise of what is minor: %s", row.id)
		}
	}
}
