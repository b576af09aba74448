package skill_test

import (
	"math"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/skill"
)

const hex = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func tree(t testing.TB, text string) jsontree.Value {
	t.Helper()
	v, err := jsontree.NewReader([]byte(text)).ReadSingle()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

const whole = `{"uri":"skill://acme/pdf/SKILL.md","frontmatter":{"name":"pdf","description":"Reads."},"resources":[` +
	`{"uri":"skill://acme/pdf/SKILL.md","digest":"` + hex + `","size":0},{"uri":"skill://acme/pdf/scripts/a.py","digest":"` + hex + `","size":7}]}`

func TestRead(t *testing.T) {
	s, problem := skill.Parse(tree(t, whole))
	if problem != nil {
		t.Fatal(problem.Text)
	}
	if s.Folder != "skill://acme/pdf/" || len(s.Files) != 2 || s.FilePath(s.Files[1]) != "scripts/a.py" || s.Size() != 7 || s.Dynamic {
		t.Errorf("%+v", s)
	}
	for _, same := range []string{
		strings.Replace(whole, `"size":7`, `"size":7,"mimeType":"text/x-python"`, 1), // members that nobody knows are pinned with the others
		strings.ReplaceAll(strings.Replace(whole, `"name":"pdf"`, `"name":"a b"`, 1), "/pdf/", "/a%20b/"),
		strings.ReplaceAll(whole, "skill://acme/pdf/", "skill://pdf/"),
		strings.ReplaceAll(whole, "skill://acme/pdf/", "https://acme.example/skills/pdf/"),
		strings.Replace(whole, "}]}", `},{"uri":"skill://acme/pdf/inner/SKILL.md","digest":"`+hex+`","size":9}]}`, 1),
	} {
		if _, problem := skill.Parse(tree(t, same)); problem != nil {
			t.Errorf("%s: %s", same, problem.Text)
		}
	}
	huge, problem := skill.Parse(tree(t, strings.NewReplacer(`"size":0`, `"size":9007199254740991`).Replace(whole)))
	if problem == nil {
		for range 2_000 {
			huge.Files = append(huge.Files, huge.Files[0])
		}
		if huge.Size() != math.MaxInt64 {
			t.Errorf("%d bytes", huge.Size())
		}
	}
	dynamic, problem := skill.Parse(tree(t, `{"uri":"s:/x/SKILL.md","frontmatter":{"name":"x"},"resources":"dynamic"}`))
	if problem != nil || !dynamic.Dynamic || dynamic.Files != nil {
		t.Errorf("%+v, %+v", dynamic, problem)
	}
}

// TestReadRefuses makes each edit of testdata/refused.txt in a good entry.
func TestReadRefuses(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/refused.txt", 3) {
		mangled := strings.Replace(whole, row[0], row[1], 1)
		if mangled == whole {
			t.Fatalf("nothing is %s", row[0])
		}
		_, problem := skill.Parse(tree(t, mangled))
		if problem == nil || !strings.Contains(problem.Text, row[2]) {
			t.Errorf("%s\ngot  %v\nwant %s", mangled, problem, row[2])
		}
	}
	for _, resources := range []string{`"Dynamic"`, `"static"`, `null`, `{}`, `true`, `[]`} {
		text := `{"uri":"s:/x/SKILL.md","frontmatter":{"name":"x"},"resources":` + resources + `}`
		if _, problem := skill.Parse(tree(t, text)); problem == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestKey: all spellings that a server or a client may take for one file have the same key.
func TestKey(t *testing.T) {
	const file = "skill://acme/pdf/scripts/a.py"
	for _, odd := range []string{
		"SKILL://acme/pdf/scripts/a.py", "skill://ACME/pdf/scripts/a.py", "skill://acme/pdf/scripts/A.PY", "skill://acme/pdf/scripts/./a.py",
		"skill://acme/pdf/x/../scripts/a.py", "skill://acme/pdf/scripts/a.py?x=1", "skill://acme/pdf/scripts/a.py#x", "skill://acme/pdf/%73cripts/a.py",
		"skill://acme/pdf/scripts%2Fa.py", "skill://acme/pdf/scripts%252fa.py", "skill://acme//pdf/scripts/a.py", "skill:acme/pdf/scripts/a.py",
		`skill:\\acme\pdf\scripts\a.py`, " skill://acme/pdf/scripts/a.py ", "skill://acme/pdf/scripts/a.py%20", "skill://acme/pdf/scr\u200bipts/a.py",
		"skill://acme/pdf/scripts/a.py%00", "skill://acme/pdf/\u017fcripts/a.py", "skill://acme/x/%2e%2e/pdf/scripts/a.py", "s\tkill://acme/pdf/scripts/a.py",
	} {
		if skill.URIKey(odd) != skill.URIKey(file) {
			t.Errorf("%q: %q, want %q", odd, skill.URIKey(odd), skill.URIKey(file))
		}
		if odd != "skill://ACME/pdf/scripts/a.py" && odd != "skill://acme/pdf/scripts/A.PY" && skill.IsPlainURI(odd) && odd != "skill:acme/pdf/scripts/a.py" && odd != "skill://acme/pdf/\u017fcripts/a.py" {
			t.Errorf("%q is plain", odd)
		}
	}
	if !skill.IsMainFile("skill://acme/x/skill.MD?y") || skill.IsMainFile("skill://acme/xSKILL.md") || skill.FolderOf("skill://Acme/x/SKILL.md") != "skill:acme/x/" {
		t.Error("folders")
	}
}

func FuzzKey(f *testing.F) {
	f.Add("skill://a/b/../%2e/SKILL.md")
	f.Fuzz(func(t *testing.T, uri string) {
		key := skill.URIKey(uri)
		// A file of a folder is in it by its key, too.
		if folder := skill.URIKey(uri + "/"); skill.IsPlainURI(uri+"/a") && !strings.HasPrefix(skill.URIKey(uri+"/a"), strings.TrimSuffix(folder, "/")) {
			t.Errorf("%q isn't within itself: %q", uri, key)
		}
	})
}
