package skill_test

import (
	"strings"
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/skill"
)

const hex = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func tree(t testing.TB, text string) jsontree.Value {
	t.Helper()
	v, err := jsontree.NewReader([]byte(text)).Only()
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
	if s.Folder != "skill://acme/pdf/" || len(s.Files) != 2 || s.Name(s.Files[1]) != "scripts/a.py" || s.Size() != 7 || s.Dynamic {
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
	dynamic, problem := skill.Parse(tree(t, `{"uri":"s:/x/SKILL.md","frontmatter":{"name":"x"},"resources":"dynamic"}`))
	if problem != nil || !dynamic.Dynamic || dynamic.Files != nil {
		t.Errorf("%+v, %+v", dynamic, problem)
	}
}

func TestReadRefuses(t *testing.T) {
	const file = `,{"uri":"skill://acme/pdf/scripts/a.py","digest":"` + hex + `","size":7}`
	for _, c := range []struct{ old, new, want string }{
		{`"resources":[`, `"files":{},"resources":[`, `it has a member "files"`},
		{`"resources":[`, `"resources":[[],`, "file 1 of its resources: not an object"},
		{file, file + file, "is listed twice"},
		{file, file + strings.Replace(file, "a.py", "A.py", 1), "is listed twice"}, // one file to a system that ignores the case
		{file, `,{"uri":"skill://acme/pdf2/a.py","digest":"` + hex + `","size":7}`, "is outside of its folder"},
		{file, `,{"uri":"skill://acme/pdf/../x","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf/%2e%2e/x","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf/x%2Fy","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf/x?y","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf/x\\y","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf//x","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf/x\u200b","digest":"` + hex + `","size":7}`, "is spelled in an unusual way"},
		{file, `,{"uri":"skill://acme/pdf/","digest":"` + hex + `","size":7}`, "is outside of its folder"},
		{`{"uri":"skill://acme/pdf/SKILL.md","digest"`, `{"uri":"skill://acme/pdf/skill.md","digest"`, "no entry for its own SKILL.md"},
		{`"name":"pdf"`, `"name":"doc"`, `the "name" in its frontmatter is not that of its folder, pdf`},
		{`"name":"pdf",`, ``, `the "name" in its frontmatter is not that of its folder, pdf`},
		{`"name":"pdf"`, `"name":["pdf"]`, `the "name" in its frontmatter is not that of its folder, pdf`},
		{`"frontmatter":{"name":"pdf","description":"Reads."}`, `"frontmatter":"name: pdf"`, `its "frontmatter" is not an object`},
		{`"uri":"skill://acme/pdf/SKILL.md","frontmatter"`, `"uri":"skill://acme/pdf/README.md","frontmatter"`, `its "uri" is not that of a SKILL.md`},
		{`"uri":"skill://acme/pdf/SKILL.md","frontmatter"`, `"uri":"Skill://acme/pdf/SKILL.md","frontmatter"`, `its "uri" is spelled in an unusual way`},
		{`"size":7`, `"size":7.5`, `no "size" that is a number of bytes`},
		{`"size":7`, `"size":-1`, `no "size" that is a number of bytes`},
		{`"size":7`, `"size":"7"`, `no "size" that is a number of bytes`},
		{`,"size":7`, ``, `no "size" that is a number of bytes`},
		{`855","size":7`, `85","size":7`, `no "digest" of the form`},
		{`855","size":7`, `85F","size":7`, `no "digest" of the form`},
		{`"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":7`, `null,"size":7`, `no "digest" of the form`},
	} {
		mangled := strings.Replace(whole, c.old, c.new, 1)
		if mangled == whole {
			t.Fatalf("nothing is %s", c.old)
		}
		_, problem := skill.Parse(tree(t, mangled))
		if problem == nil || !strings.Contains(problem.Text, c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", mangled, problem, c.want)
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
		if odd != "skill://ACME/pdf/scripts/a.py" && odd != "skill://acme/pdf/scripts/A.PY" && skill.IsPlain(odd) && odd != "skill:acme/pdf/scripts/a.py" && odd != "skill://acme/pdf/\u017fcripts/a.py" {
			t.Errorf("%q is plain", odd)
		}
	}
	if !skill.IsMain("skill://acme/x/skill.MD?y") || skill.IsMain("skill://acme/xSKILL.md") || skill.FolderOf("skill://Acme/x/SKILL.md") != "skill:acme/x/" {
		t.Error("folders")
	}
}

func FuzzKey(f *testing.F) {
	f.Add("skill://a/b/../%2e/SKILL.md")
	f.Fuzz(func(t *testing.T, uri string) {
		key := skill.URIKey(uri)
		// A file of a folder is in it by its key, too.
		if folder := skill.URIKey(uri + "/"); skill.IsPlain(uri+"/a") && !strings.HasPrefix(skill.URIKey(uri+"/a"), strings.TrimSuffix(folder, "/")) {
			t.Errorf("%q isn't within itself: %q", uri, key)
		}
	})
}
