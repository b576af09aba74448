package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

const called, wentGone, notGiven = "called ", "no longer lists this tool", "did not give the new one"

// changedLists says what becomes of calls of b and c after the first call has changed the list.
var changedLists = map[string]struct{ b, c string }{
	"the same after list_changed":   {called, called},
	"pages after list_changed":      {called, called},
	"less after list_changed":       {called, wentGone},
	"twice after list_changed":      {called, called},
	"an error after list_changed":   {notGiven, notGiven},
	"no list after list_changed":    {notGiven, notGiven},
	"a circle after list_changed":   {notGiven, notGiven},
	"asks back after list_changed":  {called, called},
	"in a batch after list_changed": {blockedCode, ""},
	"after list_changed":            {blockedCode, ""},
}

// TestGuardListChanged: if a list has changed, the guard itself asks for it before the next call.
// The client sees nothing of that, and the server gets no call of what is no longer listed.
func TestGuardListChanged(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for part, want := range changedLists {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "record")
			p := g.start(t, nil, part, record)
			p.ask(1, "tools/list", "{}")
			p.ask(2, "tools/call", `{"name":"a"}`)
			p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}`)
			if strings.HasPrefix(part, "asks back") {
				for line := range p.lines {
					if strings.Contains(line, "roots/list") {
						break
					}
				}
				p.send(`{"jsonrpc":"2.0","id":"x","result":{"roots":[]}}`)
			}
			b := p.answer(3)
			c := p.ask(4, "tools/call", `{"name":"c"}`)
			code, all := p.end()
			if !strings.Contains(b, want.b) || !strings.Contains(c, want.c) || strings.Contains(all, "EVIL") {
				t.Errorf("b: %sc: %s%s", b, c, &p.stderr)
			}
			if strings.Contains(all, `"id":"pinproof-`) || strings.Count(all, `"tools":`) > strings.Count(all, `"id":1,`) {
				t.Errorf("the client got what the guard asked for:\n%s", all)
			}
			if wantCode := map[bool]int{true: 2}[want.c == ""]; code != wantCode {
				t.Errorf("code %d\n%s", code, &p.stderr)
			}
			got := read(t, record)
			if strings.Contains(got, `{"name":"b"}`) != (want.b == called) || strings.Contains(got, `{"name":"c"}`) != (want.c == called) {
				t.Errorf("the server got\n%s", got)
			}
		})
	}
}

// TestGuardWaitsForList: a call that waits for its list can be cancelled, and is answered even
// after the end of the client's input.
func TestGuardWaitsForList(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	record := filepath.Join(t.TempDir(), "record")
	p := g.start(t, nil, "silent after list_changed", record)
	p.ask(1, "tools/call", `{"name":"a"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	p.ask(3, "ping", "{}")
	if code, all := p.end(); code != 0 || strings.Contains(all, `"id":2,`) || strings.Contains(read(t, record), `{"name":"b"}`) {
		t.Errorf("cancelled: code %d\n%s\n%s", code, all, &p.stderr)
	}
	os.Remove(record)
	p = g.start(t, nil, "the same after list_changed", record)
	p.ask(1, "tools/call", `{"name":"a"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	if code, all := p.end(); code != 0 || !strings.Contains(all, "called b") {
		t.Errorf("at the end of the input: code %d\n%s\n%s", code, all, &p.stderr)
	}
}

// refusedFile is the one file with what a guard refused.
func (g *guarded) refusedFile(t *testing.T) string {
	t.Helper()
	var files []string
	filepath.WalkDir(g.cache, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	if len(files) != 1 {
		t.Fatalf("files %q", files)
	}
	return files[0]
}

// TestGuardRefusal: the error to the client, which a model may read, says what happened, where,
// and how a person reviews it. Standard error says that, too.
func TestGuardRefusal(t *testing.T) {
	t.Parallel()
	unixOnly(t) // elsewhere paths are quoted
	for _, tt := range []struct{ part, flags, what, happened string }{
		{"an entry changed", "", "the tools of server files are not the ones approved in tools.lock (1 changed). Do not use them. A person reviews it at a terminal: ",
			"blocked: server files lists tools that are not the ones approved: CHANGED a"},
		{"the second asking", "", "the tools of server files are not the ones approved in tools.lock (1 added). Do not use them. A person reviews it at a terminal: ",
			"blocked: server files changed its tools during the session: ADDED EVIL"},
		{"no verdict", "", "it could not be judged whether what server files says is what was approved in tools.lock. Do not use it. A person reviews it at a terminal: ",
			"blocked: "},
		{"nothing approved", "--on-drift=subset", "nothing is left of this list: the tools of server files are not the ones approved in tools.lock (1 added). Do not use them. A person reviews it at a terminal: ",
			"drift: server files lists tools that are not the ones approved: ADDED EVIL"},
	} {
		t.Run(tt.part, func(t *testing.T) {
			t.Parallel()
			g := newGuarded(t)
			p := g.start(t, strings.Fields(tt.flags), tt.part)
			p.ask(1, "initialize", "{}")
			p.ask(2, "tools/list", "{}")
			if tt.part == "the second asking" {
				p.ask(3, "prompts/list", "{}")
				p.ask(2, "tools/list", "{}")
			}
			answers := p.got
			if tt.flags != "" {
				if got := p.ask(4, "ping", "{}"); strings.Contains(got, blockedCode) {
					t.Errorf("the session goes on: %s", got)
				}
			}
			code, _ := p.end()
			file := g.refusedFile(t)
			command := "pinproof relock " + file + " --server files " + filepath.Join(g.folder, "tools.lock")
			isPart := tt.flags != "" || tt.part == "no verdict"
			if isPart {
				command += " --part"
			}
			told := `{"jsonrpc":"2.0","id":2,` + blockedCode + tt.what + command + `"}}` + "\n"
			if got := answers[len(answers)-1]; got != told {
				t.Errorf("the client is told\n%swant\n%s", got, told)
			}
			wayOut := ""
			if tt.flags == "" {
				wayOut = "pinproof: with --on-drift subset, the guard would leave these out and pass the approved rest\n"
			}
			person := "pinproof: " + tt.happened + "\n" + wayOut + "review:  " + command + "\n"
			if got := p.stderr.String(); !strings.HasSuffix(got, person) && tt.part != "no verdict" || !strings.Contains(got, tt.happened) || strings.Contains(got, "tools-only") {
				t.Errorf("a person is told\n%swant\n%s", got, person)
			}
			if wantCode := map[string]int{"": 2}[tt.flags]; code != wantCode {
				t.Errorf("code %d", code)
			}
			saved := read(t, file)
			if !strings.Contains(saved, "Use the") || strings.Count(saved, `"tools":[`) != 1 || strings.Contains(saved, `"prompts":[`) == isPart {
				t.Errorf("saved is\n%s", saved)
			}
		})
	}
}

// TestGuardNamesNpx: if pinproof is in node_modules, the commands that are named go through npx.
func TestGuardNamesNpx(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t) // elsewhere paths are quoted
	g := newGuarded(t)
	programs, _ := pinproofHere()
	bin := filepath.Join(t.TempDir(), "node_modules", "pinproof", "bin")
	self := install(t, bin)
	if err := os.Symlink(filepath.Join(programs, "pinproof"), filepath.Join(bin, "pinproof")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(string(self), "guard", "files", "--", string(self), "play", "the first asking")
	cmd.Env = append(g.env, "CAPTURE_AS_MAIN=1")
	p := g.run(t, cmd)
	got := p.ask(1, "tools/list", "{}")
	p.end()
	command := "npx --no -- pinproof relock " + g.refusedFile(t) + " --server files " + filepath.Join(g.folder, "tools.lock")
	if !strings.Contains(got, ": "+command+`"}}`) || !strings.HasSuffix(p.stderr.String(), "\nreview:  "+command+"\n") {
		t.Errorf("%s%s", got, &p.stderr)
	}
}

// TestGuardSavesSession: all that the server says is kept, every page of it, as pinproof reads it.
// After one relock, the next session passes.
func TestGuardSavesSession(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	p := g.start(t, nil, "pages, the third is changed")
	p.session()
	p.end()
	file := g.refusedFile(t)
	if saved := read(t, file); strings.Count(saved, "\n") != 5 || !strings.HasPrefix(saved, `{ "result":`+greets) || !strings.Contains(saved, `"nextCursor":"2"`) {
		t.Errorf("saved is\n%s", saved)
	}
	programs, _ := pinproofHere()
	verify := exec.Command(filepath.Join(programs, "pinproof"), "verify", "--server=files", file)
	verify.Dir = g.folder
	if out, _ := verify.CombinedOutput(); verify.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "1 added; 5 match") {
		t.Errorf("pinproof says\n%s", out)
	}
	g.pinproof(t, "relock", file, "--server", "files", "tools.lock", "--accept", "EVIL")
	p = g.start(t, nil, "pages, the third is changed")
	p.session()
	if code, got := p.end(); code != 0 || strings.Contains(got, blockedCode) || !strings.Contains(got, "EVIL") {
		t.Errorf("after one relock: code %d\n%s", code, &p.stderr)
	}
}

// TestGuardHalves: a text that was cut through a surrogate pair passes as it came if it is content.
// Whoever waits for a message that doesn't pass gets an error.
func TestGuardHalves(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	record := filepath.Join(t.TempDir(), "record")
	p := g.start(t, nil, "half a pair", record)
	p.ask(1, "tools/list", "{}")
	p.ask(2, "ping", "{}")
	for _, answer := range []string{
		`"id":"q1","result":{"role":"assistant","content":{"type":"text","text":"cut \ud83d"}}`,
		`"id":"q2","result":{"action":"accept","\ud83d":{}}`,
		`"id":"q5","error":{"code":1,"message":"cut \ud83d"}`,
	} {
		p.send(`{"jsonrpc":"2.0",%s}`, answer)
	}
	if got := p.ask(3, "tools/call", `{"name":"a \ud83d"}`); !strings.Contains(got, blockedCode) {
		t.Errorf("a call: %s", got)
	}
	code, all := p.end()
	if code != 0 || strings.Contains(all, "EVIL") || strings.Count(all, "cut ") != 4 || !strings.Contains(all, `"structuredContent":{"\\ud83d":["\ud83d\ude00\udead"]}`) {
		t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
	}
	got := read(t, record)
	for _, want := range []string{`"id":"q3",` + blockedCode, `"id":"q4",` + blockedCode, `"id":"q1","result":{"role":"assistant","content":{"type":"text","text":"cut \ud83d"}}`,
		`"id":"q2",` + blockedCode, `"message":"cut \ud83d"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("the server didn't get %s:\n%s", want, got)
		}
	}
	for part, wantCode := range map[string]int{"half a pair in a name": 0, "half a pair in a list": 2} {
		p := g.start(t, nil, part)
		got := p.ask(1, "ping", "{}")
		if code, all := p.end(); code != wantCode || !strings.Contains(got, blockedCode) || strings.Contains(all, "EVIL") {
			t.Errorf("%s: code %d\n%s\n%s", part, code, all, &p.stderr)
		}
	}
}

// TestGuardPassesUnjudged: what isn't pinned passes, whatever is in it, and so does a line that
// ends with CR CR LF.
func TestGuardPassesUnjudged(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for part, want := range map[string]string{"a large size": "9007199254740993", "many resources": `"uri":"a:1"`, "two carriage returns": "}\r\r\n"} {
		p := g.start(t, nil, part)
		got := p.ask(1, "ping", "{}")
		if code, _ := p.end(); code != 0 || !strings.Contains(got, want) || p.stderr.Len() > 0 {
			t.Errorf("%s: code %d\n%.300s\n%s", part, code, got, &p.stderr)
		}
	}
}

// TestGuardOtherID: a client in JavaScript takes an answer even if its id is spelled differently.
// So an entry of page 1 in such an answer is a repetition.
func TestGuardOtherID(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, spelling := range []string{`%s`, `"%s"`, `" %s.0 "`, `%s.0`, `%se0`, `"0x%s"`} {
		t.Run(spelling, func(t *testing.T) {
			t.Parallel()
			p := g.start(t, nil, "page 2 under another id: "+spelling)
			p.ask(1, "tools/list", "{}")
			p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"1"}}`)
			p.answer(3)
			if code, all := p.end(); code != 2 || strings.Count(all, `"name":"a"`) != 1 || !strings.Contains(p.stderr.String(), "DUPLICATE a") {
				t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
			}
		})
	}
}

// TestGuardTooLarge: after a message of more than 64 MiB, the client gets the error that it gets at
// any other end of a session.
func TestGuardTooLarge(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	log := filepath.Join(g.folder, "calls.log")
	p := g.start(t, []string{"--log", log}, "floods at a ping")
	p.send(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	got := p.answer(7)
	if code, _ := p.end(); code != 2 || !strings.Contains(got, blockedCode+"a message of more than 64 MiB") || !strings.Contains(p.stderr.String(), "64 MiB") {
		t.Errorf("code %d: %.300s\n%s", code, got, &p.stderr)
	}
	if got := read(t, log); !strings.Contains(got, `"event":"block"`) || !strings.Contains(got, `"reason":"a message of more than 64 MiB"`) {
		t.Errorf("log %s", got)
	}
}
