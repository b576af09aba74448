package skill_test

import (
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/skill"
)

// TestFrontmatter compares the heads and frontmatters in testdata/frontmatter.txt.
func TestFrontmatter(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/frontmatter.txt", 3) {
		head, entry, want := row[0], row[1], row[2]
		err := skill.CheckFrontmatter("---\n"+head+"\n---\nBody.\n", tree(t, entry))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q and %s: %v, want %q", head, entry, err, want)
		}
	}
	for file, want := range map[string]string{
		"name: x\n":          "doesn't begin with a line ---",
		"\n---\na: x\n---\n": "doesn't begin with a line ---",
		"---\na: x\n":        "no line --- ends its head",
		"---\na: x\n----\n":  "no line --- ends its head",
		"---\n" + strings.Repeat("# remark\n", 9_000) + "a: x\n---\n": "its head has more than 65,536 bytes",
	} {
		if err := skill.CheckFrontmatter(file, tree(t, `{"a":"x"}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", file, err, want)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("a: [x, {y: 0o17}]\nb: |\n  text")
	f.Fuzz(func(t *testing.T, head string) {
		skill.CheckFrontmatter("---\n"+head+"\n---\n", tree(t, `{"a":"x"}`)) // no panic, no endless work
	})
}

// TestAnyHead has files whose first lines some library takes for a head.
func TestAnyHead(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/heads.txt", 2) {
		if got := skill.LenientFrontmatter(row[0]); got != row[1] {
			t.Errorf("%q: %q", row[0], got)
		}
	}
}
