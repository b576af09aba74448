package capture_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// aSkill returns the entry of a skill with one file, and what a server answers when that file is read.
func aSkill(name, body string) (entry, read string) {
	uri := "skill://acme/" + name + "/SKILL.md"
	main := "---\nname: " + name + "\n---\n" + body
	entry = fmt.Sprintf(`{"uri":%q,"frontmatter":{"name":%q},"resources":[{"uri":%[1]q,"digest":"sha256:%[3]x","size":%[4]d}]}`, uri, name, sha256.Sum256([]byte(main)), len(main))
	read = fmt.Sprintf(`{"contents":[{"uri":%q,"text":%q}]}`, uri, main)
	return entry, read
}

// TestSkillsInEveryShape: lists of skills, and what was read of them, are found in every shape that
// people save.
func TestSkillsInEveryShape(t *testing.T) {
	a, readA := aSkill("a", "One.\n")
	b, readB := aSkill("b", "Two.\n")
	const tools = `{"tools":[]}`
	message := func(id int, result string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
	}
	pages := []string{message(1, tools), message(2, `{"skills":[`+a+`],"nextCursor":"2","resultType":"complete","ttlMs":1}`), message(3, `{"skills":[`+b+`]}`), message(4, readA), message(5, readB)}
	whole := `{"skills":[` + a + `,` + b + `]}`
	for shape, text := range map[string]string{
		"a transcript":     strings.Join(pages, "\n") + "\n",
		"with noise":       "ready\n" + strings.Join(pages, "\nlog\n") + "\n",
		"a batch":          "[" + strings.Join(pages, ",") + "]",
		"an event stream":  "data: " + strings.Join(pages, "\n\ndata: ") + "\n\n",
		"bare results":     tools + whole + readA + readB,
		"no envelope":      `{"result":` + tools + `}{"result":` + whole + `}{"result":` + readB + `}{"result":` + readA + `}`,
		"listed twice":     strings.Join(append(pages, message(6, whole), message(7, readA)), "\n"),
		"reads come first": strings.Join([]string{pages[3], pages[4], pages[0], message(9, whole)}, "\n"),
	} {
		set, err := pinsOf(text)
		skills := set.PinsOf(pin.Skills)
		if err != nil || len(skills) != 2 || len(skills[0].Files.Parts) != 1 || skills[1].Files.Parts[0].Text != "---\nname: b\n---\nTwo.\n" {
			t.Errorf("%s: %v, %+v", shape, err, skills)
		}
		if none := pintest.PinsOf(t, text, pin.Policy{NoSkills: true}); len(none.Pins) != 0 {
			t.Errorf("%s, without skills: %+v", shape, none.Pins)
		}
	}
	for what, c := range map[string]struct{ text, want string }{
		"two lists":       {pages[0] + message(2, `{"skills":[`+a+`]}`) + message(3, `{"skills":[`+b+`]}`), "ambiguous: list 2 of the session is not the first one"},
		"unfinished":      {pages[0] + pages[1], `an unfinished list: "nextCursor" of its last page says that more skills follow`},
		"no array":        {pages[0] + message(2, `{"skills":{}}`), `"skills" is not an array`},
		"beside tools":    {message(1, `{"tools":[],"skills":[]}`), `fits two shapes: "tools" beside "skills" in one result`},
		"letter case":     {pages[0] + message(2, `{"Skills":[]}`), `member Skills differs from "skills" by letter case only`},
		"inside":          {pages[0] + message(2, `{"skills":[`+strings.Replace(a, `"digest"`, `"Digest":1,"digest"`, 1)+`]}`), `resources: member Digest differs from "digest" by letter case only`},
		"two texts":       {strings.Join(pages, "") + message(9, strings.Replace(readA, "One", "Won", 1)), "the server contradicts itself"},
		"text and blob":   {strings.Join(pages[:3], "") + message(9, strings.Replace(readA, `"text"`, `"blob":"","text"`, 1)), `needs either "text" or "blob", as a string`},
		"odd base64":      {strings.Join(pages[:3], "") + message(9, `{"contents":[{"uri":"skill://acme/a/SKILL.md","blob":"LS0t Cg=="}]}`), "isn't base64 as in RFC 4648"},
		"no SKILL.md":     {pages[0] + message(2, `{"skills":[{"uri":"skill://acme/a/README.md"}]}`), `skill "skill://acme/a/README.md": its "uri" is not that of a SKILL.md`},
		"a skill unnamed": {pages[0] + message(2, `{"skills":[{}]}`), `no "uri" that is a non-empty string`},
	} {
		_, err := pinsOf(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
	// Every edit of a byte of the body or of the entry is refused, gives another entry, or leaves the file unread.
	text := strings.Join([]string{pages[0], message(2, `{"skills":[`+a+`]}`), message(3, readA)}, "\n")
	good, err := pinsOf(text)
	if err != nil {
		t.Fatal(err)
	}
	jsontest.EachByteEdit(text, func(edited string) {
		set, err := pinsOf(edited)
		if err != nil || len(set.PinsOf(pin.Skills)) != 1 {
			return
		}
		was, is := good.PinsOf(pin.Skills)[0], set.PinsOf(pin.Skills)[0]
		if was.Digest == is.Digest && len(is.Files.Parts) > 0 && !jsontree.Equal(is.Files, was.Files) {
			t.Errorf("another body passes:\n%s", edited)
		}
	})
}

// TestFilesOfASkill: the files of a skill are found by their URIs, also where a placeholder changes their order.
func TestFilesOfASkill(t *testing.T) {
	const folder = "skill://acme/a/"
	names := []string{"SKILL.md", "b.txt", "c-secret-path.txt", "\U0001f600.txt", "\uff5e.txt"}
	var files, bodies []string
	for _, name := range names {
		body := name
		if name == "SKILL.md" {
			body = "---\nname: a\n---\n"
		}
		files = append(files, fmt.Sprintf(`{"uri":%q,"digest":"sha256:%x","size":%d}`, folder+name, sha256.Sum256([]byte(body)), len(body)))
		bodies = append(bodies, fmt.Sprintf(`{"uri":%q,"text":%q}`, folder+name, body))
	}
	text := `{"tools":[]}{"skills":[{"uri":"` + folder + `SKILL.md","frontmatter":{"name":"a"},"resources":[` + strings.Join(files, ",") + `]}]}{"contents":[` + strings.Join(bodies, ",") + `]}`
	values, err := pin.ParseSubstitutions([]string{"PART=c-secret-path"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, pol := range []pin.Policy{{}, {Substitute: []string{"PART"}}} {
		set, err := capture.PinCapture(m, "s", pol, values, pintest.HashDefinition)
		if err != nil {
			t.Fatal(err)
		}
		skills := set.PinsOf(pin.Skills)
		if len(skills) != 1 || len(skills[0].Files.Parts) != len(names) {
			t.Fatalf("%+v", skills)
		}
		files := skills[0].Files
		for _, name := range names {
			if len(pol.Substitute) > 0 {
				name = strings.Replace(name, "c-secret-path", "<PART>", 1)
			}
			if !files.Has(folder + name) {
				t.Errorf("no file %q", name)
			}
			if files.Has(folder + name + "x") {
				t.Errorf("a file %q", name+"x")
			}
		}
	}
}
