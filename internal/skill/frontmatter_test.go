package skill_test

import (
	"strings"
	"testing"

	"pinproof/internal/skill"
)

func TestFrontmatter(t *testing.T) {
	for _, c := range []struct{ head, entry, want string }{
		{"name: pdf\ndescription: Reads.", `{"name":"pdf","description":"Reads."}`, ""},
		{"name: 'pdf'\r\ndescription: >-\r\n  Reads\r\n  files.\r", `{"name":"pdf","description":"Reads files."}`, ""},
		{"a: 2026-01-02", `{"a":"2026-01-02"}`, ""},
		{"a: 2026-01-02", `{"a":"2026-01-02T00:00:00Z"}`, ""},
		{"a: 2026-01-02", `{"a":"2026-01-02T00:00:00.000Z"}`, ""},
		{"a: 1.10", `{"a":1.1}`, ""}, {"a: 1.10", `{"a":"1.10"}`, ""},
		{"a: no", `{"a":false}`, ""}, {"a: no", `{"a":"no"}`, ""}, {"a: Yes", `{"a":true}`, ""},
		{"a: 0o17", `{"a":15}`, ""}, {"a: 0o17", `{"a":"0o17"}`, ""}, {"a: 017", `{"a":15}`, ""}, {"a: 017", `{"a":17}`, ""},
		{"a: 0x1F", `{"a":31}`, ""}, {"a: 1_000", `{"a":1000}`, ""}, {"a: -5", `{"a":-5}`, ""}, {"a: 1e3", `{"a":1000}`, ""},
		{"a:", `{"a":null}`, ""}, {"a: ~", `{"a":null}`, ""}, {"a:", `{"a":""}`, ""},
		{"a: [x, 'y']\nb:\n  c: d # a remark", `{"a":["x","y"],"b":{"c":"d"}}`, ""},
		{"a: {}\nb: []", `{"a":{},"b":[]}`, ""},

		{"a: 'no'", `{"a":false}`, "/a is not what"},
		{"a: \"15\"", `{"a":15}`, "/a is not what"},
		{"a: nope", `{"a":false}`, "/a is not what"},
		{"a: 1.10", `{"a":1.2}`, "/a is not what"},
		{"a: 2026-01-02", `{"a":"2026-01-03"}`, "/a is not what"},
		{"a: 2026-01-02", `{"a":"2026-01-02T10:00:00Z"}`, "/a is not what"},
		{"a: x\nallowed-tools: Bash", `{"a":"x"}`, "has allowed-tools, which the entry's frontmatter lacks"},
		{"a: x", `{"a":"x","b":"y"}`, "lacks b, which the entry's frontmatter has"},
		{"a: x\na: x", `{"a":"x"}`, "has the key a twice"},
		{"a: {b: 1, b: 1}", `{"a":{"b":1}}`, "has the key b twice"},
		{"a: &x y\nb: *x", `{"a":"y","b":"y"}`, "is an alias or an anchor"},
		{"a: !!str y", `{"a":"y"}`, "has a tag"},
		{"a: !foo y", `{"a":"y"}`, "has a tag"},
		{"<<: {a: x}", `{"a":"x"}`, "has a key that is no plain text"},
		{"? [a]\n: x", `{"a":"x"}`, "has a key that is no plain text"},
		{"a: x\n...\nb: y", `{"a":"x"}`, "more than one YAML document"},
		{"a: [", `{"a":[]}`, "no YAML that every library reads"},
		{"a: [x]", `{"a":["x","y"]}`, "/a is not what"},
		{"- a", `{"a":"x"}`, "its head is not what"},
		{"", `{}`, "its head is empty"},
		{"# nothing", `{}`, "its head is empty"},
	} {
		err := skill.CheckFrontmatter("---\n"+c.head+"\n---\nBody.\n", tree(t, c.entry))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q and %s: %v, want %q", c.head, c.entry, err, c.want)
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
	for _, c := range []struct{ file, head string }{
		{"---\na: b\n---\nText.", "---\na: b\n---\n"},
		{"--- \na: b\n--- \nText.", "--- \na: b\n--- \n"},
		{"\ufeff---\r\na: b\r\n---\r\nText.", "\ufeff---\r\na: b\r\n---\r\n"},
		{"\n \n---js\nrun()\n---\nText.", "\n \n---js\nrun()\n---\n"},
		{"+++\na = 1\n+++\nText.", "+++\na = 1\n+++\n"},
		{"-----\na: b\n----\nText.", "-----\na: b\n----\n"},
		{"---\na: b", "---\na: b"},
		{"---", "---"},
		{"Text.\n---\na: b\n---\n", ""},
		{"", ""},
	} {
		if got := skill.AnyHead(c.file); got != c.head {
			t.Errorf("%q: %q", c.file, got)
		}
	}
}
