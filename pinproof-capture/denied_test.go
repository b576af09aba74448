package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

// modes are the flags of the guard's modes.
var modes = map[string][]string{"end": nil, "subset": {"--on-drift=subset"}, "warn": {"--on-drift=warn"}}

// TestGuardDenied: what a person has denied is in no list, and no call of it reaches the server, in
// every mode. All else passes as it came.
func TestGuardDenied(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for mode, flags := range modes {
		g := newGuarded(t)
		g.pinproof(t, "relock", "files.jsonl", "--deny", "b", "--deny", "prompt=p")
		record := filepath.Join(t.TempDir(), "record")
		p := g.start(t, flags, "good", record)
		for id := range 2 { // the second answer is the same
			if got, want := p.ask(1+id, "tools/list", "{}"), `"result":{"tools":[`+toolA+`,`+toolC+`]} ,`; !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", mode, got, want)
			}
		}
		if got := p.ask(3, "prompts/list", "{}"); !strings.Contains(got, `"prompts":[]`) {
			t.Errorf("%s: %s", mode, got)
		}
		for id, call := range []string{`tools/call","params":{"name":"b"}`, `tools/call","params":{"name":"b","arguments":{}}`, `tools/call","params":{"name":"\u0062"}`, `prompts/get","params":{"name":"p"}`} {
			p.send(`{"jsonrpc":"2.0","id":%d,"method":"%s}`, 10+id, call)
			got := p.answer(10 + id)
			if !strings.Contains(got, blockedCode+"this was not called: a person has denied this ") || !strings.Contains(got, " of server files to agents. Go on without it.") {
				t.Errorf("%s: %s: %s", mode, call, got)
			}
		}
		if got := p.ask(20, "tools/call", `{"name":"a"}`); !strings.Contains(got, "called a") {
			t.Errorf("%s: a call of what isn't denied: %s", mode, got)
		}
		code, _ := p.end()
		if said := read(t, record); code != 0 || strings.Contains(said, `"b"`) || strings.Contains(said, "prompts/get") || strings.Contains(said, `0062`) {
			t.Errorf("%s: code %d\n%s\n%s", mode, code, said, &p.stderr)
		}
		// A denied entry isn't reported as drift.
		if strings.Contains(p.stderr.String(), "not the ones approved") {
			t.Errorf("%s: %s", mode, &p.stderr)
		}
	}
}

// TestGuardDeniedDrifts: a denied entry that has changed counts as drift. It passes in no mode: not
// in the one in which all other drift passes, and not if there is no verdict.
func TestGuardDeniedDrifts(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for mode, flags := range modes {
		g := newGuarded(t)
		g.pinproof(t, "relock", "files.jsonl", "--deny", "a")
		for _, part := range []string{"an entry changed", "no verdict"} {
			p := g.start(t, flags, part)
			got := p.ask(1, "tools/list", "{}")
			if strings.Contains(got, "EVIL") || strings.Contains(got, `"name":"a"`) {
				t.Errorf("%s, %s: %s", mode, part, got)
			}
			passes := mode == "warn" || mode == "subset" && part == "an entry changed"
			if passes == strings.Contains(got, blockedCode) {
				t.Errorf("%s, %s: %s\n%s", mode, part, got, &p.stderr)
			}
			if called := p.ask(2, "tools/call", `{"name":"a"}`); strings.Contains(called, "called a") {
				t.Errorf("%s, %s: %s", mode, part, called)
			}
			if _, all := p.end(); part == "an entry changed" && strings.Contains(all, "EVIL") || part == "an entry changed" && !strings.Contains(p.stderr.String(), "CHANGED a") {
				t.Errorf("%s, %s: %s\n%s", mode, part, all, &p.stderr)
			}
		}
	}
}

// TestGuardDeniedMeanwhile: an entry that is denied during a session is missing from the next list,
// and may no longer be called.
func TestGuardDeniedMeanwhile(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	p := g.start(t, nil, "good")
	p.ask(1, "tools/list", "{}")
	if got := p.ask(2, "tools/call", `{"name":"b"}`); !strings.Contains(got, "called b") {
		t.Errorf("before: %s", got)
	}
	g.pinproof(t, "relock", "files.jsonl", "--deny", "b")
	if got := p.ask(3, "tools/list", "{}"); strings.Contains(got, `"b"`) || !strings.Contains(got, toolA) {
		t.Errorf("the list: %s", got)
	}
	if got := p.ask(4, "tools/call", `{"name":"b"}`); !strings.Contains(got, blockedCode) {
		t.Errorf("after: %s", got)
	}
	g.pinproof(t, "relock", "files.jsonl", "--accept", "b")
	if got := p.ask(5, "tools/list", "{}"); !strings.Contains(got, allTools) {
		t.Errorf("and back: %s", got)
	}
	if code, _ := p.end(); code != 0 {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
}

// TestHookDenied: a hook can't leave an entry out. So it blocks, unless a flag says that something
// else leaves it out.
func TestHookDenied(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	g.pinproof(t, "relock", "files.jsonl", "--deny", "b")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags []string
		want  string // "" for a pass
	}{
		{nil, "1 denied entry, which only a guard keeps from agents"},
		{[]string{"--allow", "denied"}, ""},
		{[]string{"--allow", "added"}, "the command line of this hook can't be used"},
	} {
		cmd := exec.Command(self, slices.Concat([]string{"hook", "files"}, test.flags, []string{"--", self, "play", "good"})...)
		cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
		cmd.Dir = g.folder
		out, _ := cmd.CombinedOutput()
		code := cmd.ProcessState.ExitCode()
		said := string(out)
		if (code == 0) != (test.want == "") || !strings.Contains(said, test.want) || strings.Contains(said, `"b"`) {
			t.Errorf("%v: code %d: %s", test.flags, code, said)
		}
	}
}

// TestGuardDeniedSkill: a denied skill is in no list, and neither its entry nor a file of it can be
// read, in every mode, whatever is asked and answered.
func TestGuardDeniedSkill(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	main := pdf + "SKILL.md"
	contents := `{"contents":[` + textItem(main, pdfMain) + `]}`
	for mode, flags := range modes {
		g := newSkilled(t)
		g.pinproof(t, "relock", "files.jsonl", "--deny", "skill="+main)
		p, s := g.puppetAs(t, "files", flags...)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{}}`)
		s.hears()
		s.answers(1, `{"skills":[`+pdfEntry+`]}`)
		if got := p.answer(1); !strings.Contains(got, `"skills":[]`) {
			t.Errorf("%s: the list: %s", mode, got)
		}
		for i, read := range []struct{ method, uri, result string }{
			{readIt, main, contents},
			{readIt, pdf + "scripts/a.py", `{"contents":[` + textItem(pdf+"scripts/a.py", pdfScript) + `]}`},
			{readIt, pdf + "other.md", `{"contents":[` + textItem(pdf+"other.md", "x") + `]}`},
			{readIt, "SKILL://acme/pdf/SKILL.md", contents},
			{readIt, "file:///elsewhere", contents},
			{readDir, pdf, `{"resources":[{"uri":"` + main + `","name":"SKILL.md"}]}`},
			{readDir, "skill://acme/", `{"resources":[{"uri":"` + main + `","name":"SKILL.md"}]}`},
			{getIt, main, `{"skill":` + pdfEntry + `}`},
			{getIt, "skill://acme/b/SKILL.md", `{"skill":` + pdfEntry + `}`},
		} {
			if passesRead(t, p, s, 10+i, read.method, read1(read.uri), read.result) {
				t.Errorf("%s: %s of %s passes", mode, read.method, read.uri)
			}
		}
		p.end()
		if said := p.stderr.String(); strings.Contains(said, "not the ones approved") {
			t.Errorf("%s: %s", mode, said)
		}
	}
}
