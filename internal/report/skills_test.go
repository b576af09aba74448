package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
)

// skillFolder is the folder of a made skill.
const skillFolder = "skill://acme/"

// A madeSkill is a skill with the texts of its files by name. The text of SKILL.md is without its head.
type madeSkill struct {
	name        string
	frontmatter made
	files       map[string]string
	extra       made // unknown members of its entry
}

// main returns the file SKILL.md. Its head is the frontmatter as JSON, which is YAML, too.
func (s madeSkill) main() string {
	text, _ := json.Marshal(s.frontmatter)
	return "---\n" + string(text) + "\n---\n" + s.files["SKILL.md"]
}

// skillSession returns a capture of a server that has nothing but these skills, and their files as they were read.
func skillSession(t *testing.T, skills []madeSkill) string {
	t.Helper()
	var entries, bodies []any
	for _, s := range skills {
		folder := skillFolder + s.name + "/"
		var resources []any
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			text := s.files[name]
			if name == "SKILL.md" {
				text = s.main()
			}
			resources = append(resources, made{"uri": folder + name, "size": len(text), "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text)))})
			bodies = append(bodies, made{"jsonrpc": "2.0", "id": 9, "result": made{"contents": []any{made{"uri": folder + name, "text": text}}}})
		}
		entry := made{"uri": folder + "SKILL.md", "frontmatter": s.frontmatter, "resources": resources}
		maps.Copy(entry, s.extra)
		entries = append(entries, entry)
	}
	lines := []any{made{"jsonrpc": "2.0", "id": 1, "result": made{"tools": []any{}}}, made{"jsonrpc": "2.0", "id": 2, "result": made{"skills": entries}}}
	var out bytes.Buffer
	for _, v := range append(lines, bodies...) {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", line)
	}
	return out.String()
}

func (u *upgrader) skill() madeSkill {
	s := madeSkill{name: u.word(), files: map[string]string{"SKILL.md": u.text() + "\n"}}
	s.frontmatter = made{"name": s.name, "description": u.text()}
	if u.IntN(2) == 0 {
		s.frontmatter["allowed-tools"] = u.word()
	}
	for range u.IntN(3) {
		s.files[u.Pick("scripts/", "", "deep/er/")+u.word()+u.Pick(".md", ".py", "")] = u.text()
	}
	return s
}

// upgrade changes something of a skill.
func (u *upgrader) upgrade(s madeSkill) madeSkill {
	now := madeSkill{name: s.name, frontmatter: maps.Clone(s.frontmatter), files: maps.Clone(s.files), extra: maps.Clone(s.extra)}
	names := slices.Sorted(maps.Keys(now.files))
	one := names[u.IntN(len(names))]
	switch u.IntN(6) {
	case 0:
		now.frontmatter["description"] = u.edit(now.frontmatter["description"])
	case 1:
		now.frontmatter[u.word()] = u.text()
	case 2:
		now.files[u.Pick("scripts/", "")+u.word()+".sh"] = u.text()
	case 3:
		if one != "SKILL.md" {
			delete(now.files, one)
		}
	case 4:
		now.extra = made{u.word(): made{u.word(): u.text()}}
	default:
		now.files[one] = u.edit(now.files[one]).(string)
	}
	return now
}

// shown returns what a person has to see of a skill.
func (s madeSkill) shown() any {
	v := maps.Clone(s.frontmatter)
	delete(v, "name")
	all := made{"frontmatter": v}
	for name, text := range s.files {
		all[name] = text
	}
	for name, value := range s.extra {
		all[name] = value
	}
	return all
}

// TestSkillsAreShown: what was added or removed in a skill or in one of its files has been shown, and skills
// that differ print different reviews.
func TestSkillsAreShown(t *testing.T) {
	t.Parallel()
	counted := 0
	rounds := jsontest.RoundCount(15, 60)
	for seed := range uint64(rounds) {
		u := &upgrader{Maker: jsontest.NewMaker(seed)}
		stays, changes, goes, joins := u.skill(), u.skill(), u.skill(), u.skill()
		old := map[string]madeSkill{stays.name: stays, changes.name: changes, goes.name: goes}
		changed := changes
		for range 1 + u.IntN(3) {
			changed = u.upgrade(changed)
		}
		new := map[string]madeSkill{stays.name: stays, changes.name: changed, joins.name: joins}
		before := skillSession(t, []madeSkill{stays, changes, goes})
		r := sessionReport(t, before, skillSession(t, []madeSkill{stays, changed, joins}))
		counted += shownEverywhere(t, r, func(key pin.Key) (was, is any) {
			name := strings.TrimSuffix(strings.TrimPrefix(key.Name, skillFolder), "/SKILL.md")
			if s, ok := old[name]; ok {
				was = s.shown()
			}
			if s, ok := new[name]; ok {
				is = s.shown()
			}
			return was, is
		})
		one := reviews(t, r)
		for _, pair := range [][2]madeSkill{{joins, u.upgrade(joins)}, {changed, u.upgrade(changed)}} {
			first := fmt.Sprint(pair[0].shown())
			second := fmt.Sprint(pair[1].shown())
			if first == second {
				continue
			}
			now := []madeSkill{stays, changed, joins}
			now[slices.IndexFunc(now, func(s madeSkill) bool { return s.name == pair[0].name })] = pair[1]
			for format, review := range reviews(t, sessionReport(t, before, skillSession(t, now))) {
				if one[format] == review {
					t.Errorf("%s: %s\nand %s\nprint the same:\n%s", format, first, second, review)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if counted < 8*rounds {
		t.Errorf("only %d sentences, names and values", counted)
	}
}

// program is a made-up file in which blanks mean something: a script, or prose with a block of code.
func (u *upgrader) program() (name, text string) {
	lines := []string{"if ready:", "    send(x)", "else:", "    keep(x)", "\tgo run", "echo a \\", "rm b", "- one", "  - two", "Words of prose.", "x = 'a  b'"}
	var body []string
	for range 3 + u.IntN(6) {
		body = append(body, lines[u.IntN(len(lines))])
	}
	text = strings.Join(body, "\n") + "\n"
	name = u.Pick("run.py", "scripts/go.sh", "Makefile", "SKILL.md", "notes.md", "notes.txt")
	if u.IntN(2) == 0 && strings.HasSuffix(name, ".md") {
		text = "Words of prose.\n\n```sh\n" + text + "```\n"
	}
	return name, text
}

// mutate changes white space somewhere in a text, and nothing else.
func (u *upgrader) mutate(text string) string {
	at := u.IntN(len(text) + 1)
	lines := strings.SplitAfter(text, "\n")
	line := u.IntN(len(lines))
	switch u.IntN(6) {
	case 0: // anywhere
		return text[:at] + u.Pick(" ", "\t", "\n", "  ", "\r\n", "\u00a0") + text[at:]
	case 1: // a blank less
		if i := strings.IndexAny(text[at:], " \t\n"); i >= 0 {
			return text[:at+i] + text[at+i+1:]
		}
	case 2: // at the end of a line
		lines[line] = strings.TrimSuffix(lines[line], "\n") + u.Pick(" ", "\t", "   ") + "\n"
	case 3: // the indentation of one line
		lines[line] = u.Pick(" ", "\t", "    ") + lines[line]
	case 4: // that of all lines, or of all but the first
		for i := u.IntN(2); i < len(lines); i++ {
			lines[i] = "  " + lines[i]
		}
	case 5:
		lines[line] = strings.TrimLeft(lines[line], " \t")
	}
	return strings.Join(lines, "")
}

// TestMutatedFilesAreTold: of three versions of a file that differ in white space alone, no two changes have the same
// review.
func TestMutatedFilesAreTold(t *testing.T) {
	t.Parallel()
	told, rounds := 0, jsontest.RoundCount(100, 400)
	for seed := range uint64(rounds) {
		u := &upgrader{Maker: jsontest.NewMaker(seed)}
		name, text := u.program()
		session := func(text string) string {
			s := madeSkill{name: "s", frontmatter: made{"name": "s", "description": "A skill."}, files: map[string]string{"SKILL.md": "Hello.\n"}}
			s.files[name] = text
			return skillSession(t, []madeSkill{s})
		}
		one := u.mutate(text)
		other := u.mutate(u.Pick(text, one))
		if one == other || one == text || other == text {
			continue
		}
		first := reviews(t, sessionReport(t, session(text), session(one)))
		second := reviews(t, sessionReport(t, session(text), session(other)))
		told++
		for format, review := range first {
			if review == second[format] {
				t.Errorf("seed %d, %s, %s: %q as\n%q and\n%q print the same:\n%s", seed, name, format, text, one, other, review)
			}
		}
	}
	if told < rounds/2 {
		t.Errorf("only %d pairs of changes", told)
	}
}
