package layout

import (
	"strings"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/words"
)

// TestLineFeeds: of all short texts, no two are laid out equally as what came of a third one.
func TestLineFeeds(t *testing.T) {
	for _, pieces := range [][]string{{"a ", "b", "\n"}, {"a", " ", "\n"}, {"a ", "a", "\n"}} {
		var all []string
		list := []string{""}
		for range 6 {
			var longer []string
			for _, s := range list {
				for _, c := range pieces {
					longer = append(longer, s+c)
				}
			}
			all = append(all, longer...)
			list = longer
		}
		if len(all) != 1092 {
			t.Fatal(len(all), " texts")
		}
		olds := jsontest.RoundCount(15, 156) // each old text meets all others: a part of them is enough
		for i, old := range all {
			if i%(len(all)/olds) == 0 {
				areToldApart(t, old, all)
			}
		}
	}
}

// areToldApart checks that no two of these texts are laid out equally as what came of an old one.
func areToldApart(t *testing.T, old string, texts []string) {
	t.Helper()
	became := map[string]string{}
	for _, new := range texts {
		pieces := words.DiffWords(effort.NewBudget(), old, new)
		if pieces == nil || old == new {
			continue
		}
		printed := ""
		for _, l := range WordDiffLines(pieces) {
			for _, r := range l.MarkChanges().WithGutter() {
				printed += r.Text
			}
			printed = strings.TrimRight(printed, " ") + "\n" // nobody sees these
		}
		if other, known := became[printed]; known && other != new {
			t.Fatalf("%q: %q and %q are both\n%s", old, other, new, printed)
		}
		became[printed] = new
	}
}
