package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// A library is a server with all that a model reads, before an upgrade and after it.
var (
	libraryBefore = map[string]string{
		"initialize":               `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Be kind."}`,
		"tools/list":               `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`,
		"tools/list 2":             `{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}`,
		"prompts/list":             `{"prompts":[{"name":"p"}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"x:{y}","name":"t"}]}`,
		"resources/list":           `{"resources":[]}`,
	}
	libraryAfter = map[string]string{
		"initialize":               strings.Replace(libraryBefore["initialize"], "Be kind", "Be kinder", 1),
		"tools/list":               `{"tools":[{"name":"a","description":"New.","inputSchema":{"type":"object"}}],"nextCursor":"2"}`,
		"tools/list 2":             libraryBefore["tools/list 2"],
		"prompts/list":             `{"prompts":[{"name":"p","description":"New."}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"x:{y}","name":"t","description":"New."}]}`,
		"resources/list":           `{"resources":[]}`,
	}
)

// serves answers the client until its end, and returns the methods that it heard. answer may return "" for no answer.
func (s *puppet) serves(answer func(method string, n int) string) (heard chan []string) {
	heard = make(chan []string, 1)
	go func() {
		var methods []string
		times := map[string]int{}
		for {
			line, id := s.hears()
			if line == "" {
				break
			}
			var m struct {
				Method string
				Params struct{ Cursor string }
			}
			json.Unmarshal([]byte(line), &m)
			method := strings.TrimSpace(m.Method + " " + m.Params.Cursor)
			methods = append(methods, method)
			times[method]++
			if said := answer(method, times[method]); id != "" && said != "" {
				s.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, said))
			}
		}
		heard <- methods
	}()
	return heard
}

// of returns a function that answers as a library does, and refuses all else.
func of(library map[string]string) func(method string, n int) string {
	return func(method string, _ int) string {
		if result := library[method]; result != "" {
			return `"result":` + result
		}
		return `"error":{"code":-32601,"message":"no"}`
	}
}

// newLibrary is a project in which the library is approved.
func newLibrary(t *testing.T) *guarded {
	t.Helper()
	g := newGuarded(t)
	var results []string
	for _, method := range []string{"initialize", "tools/list", "prompts/list", "resources/templates/list"} {
		results = append(results, libraryBefore[method])
	}
	write(t, filepath.Join(g.folder, "library.jsonl"), evilCapture(results...))
	g.pinproof(t, "lock", "library.jsonl", "--yes")
	return g
}

func countOf(words []string, word string) (n int) {
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

// command is what a person is told to type, from the program's name on.
func (p *peer) command() []string {
	_, command, _ := strings.Cut(p.stderr.String(), "review:  ")
	command, _, _ = strings.Cut(command, "\n")
	return strings.Fields(command)
}

// TestOneReview: if a server's instructions, tools, prompts and templates all change with an upgrade, they are
// refused once and reviewed once, wherever the refusal comes. The command that is named works from another folder.
func TestOneReview(t *testing.T) {
	t.Parallel()
	unixOnly(t) // elsewhere paths are quoted
	asked := []string{"initialize", "tools/list", "prompts/list"}
	for at, refused := range asked {
		t.Run(refused, func(t *testing.T) {
			t.Parallel()
			g := newLibrary(t)
			library := maps.Clone(libraryAfter)
			for _, method := range asked[:at] { // these pass before the refusal
				library[method] = libraryBefore[method]
			}
			p, s := g.puppetAs(t, "library")
			heard := s.serves(of(library))
			var got string
			for i, method := range asked[:at+1] {
				got = p.ask(i+1, method, "{}")
				if i == 0 && at > 0 {
					p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				}
			}
			again := p.ask(9, "tools/list", "{}")
			// Nothing answers once the guard has ended.
			isRefused := again == "" || strings.Contains(again, blockedCode)
			code, _ := p.end()
			command := p.command()
			if code != 2 || !strings.Contains(got, blockedCode) || !isRefused || len(command) != 6 || command[1] != "relock" {
				t.Fatalf("code %d\n%s%s%s", code, got, again, &p.stderr)
			}
			methods := <-heard
			for _, method := range []string{"notifications/initialized", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
				wanted := 1
				if i := slices.Index(asked, method); i >= 0 && i <= at {
					wanted = 2 // the client asked, too
				}
				if n := countOf(methods, method); n < wanted || method == "notifications/initialized" && n != 1 {
					t.Errorf("the server heard %s %d times: %q", method, n, methods)
				}
			}
			programs, _ := pinproofHere()
			relock := exec.Command(filepath.Join(programs, "pinproof"), append(command[1:], "--accept-all")...)
			relock.Dir = t.TempDir()
			if out, err := relock.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p, s = g.puppetAs(t, "library")
			s.serves(of(library))
			p.ask(1, "initialize", "{}")
			for i, method := range []string{"tools/list", "prompts/list", "resources/templates/list"} {
				if got := p.ask(2+i, method, "{}"); !strings.Contains(got, `"result"`) {
					t.Errorf("%s: %s", method, got)
				}
			}
			if code, _ := p.end(); code != 0 {
				t.Errorf("the new session: code %d\n%s", code, &p.stderr)
			}
		})
	}
}

// TestRefusedAtOnce: a server that doesn't answer the guard doesn't keep the client waiting. The part
// that has come is kept, with the lists that came to their end, and what comes later is kept as well.
func TestRefusedAtOnce(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t)
	for what, isSilent := range map[string]bool{"silent": true, "late": false} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := newLibrary(t)
			p, s := g.puppetAs(t, "library")
			s.serves(func(method string, n int) string {
				if method == "prompts/list" && isSilent {
					return ""
				}
				if method == "prompts/list" {
					time.Sleep(2 * time.Second)
				}
				return of(libraryAfter)(method, n)
			})
			begin := time.Now()
			got := p.ask(1, "initialize", "{}")
			if took := time.Since(begin); took > 5*time.Second || !strings.Contains(got, " --part") {
				t.Errorf("after %v: %s", took, got)
			}
			again := p.ask(2, "tools/list", "{}")
			if strings.Replace(again, `"id":2`, `"id":1`, 1) != got {
				t.Errorf("then it is told\n%s", again)
			}
			early := p.command()
			if saved := read(t, early[2]); !strings.Contains(saved, "Be kinder") || !strings.Contains(saved, `"name":"b"`) || strings.Contains(saved, "prompts") && !strings.Contains(saved, "capabilities") {
				t.Errorf("saved is\n%s", saved)
			}
			g.pinproof(t, append(early[1:], "--accept-all")...)
			if !isSilent {
				time.Sleep(2 * time.Second)
			}
			begin = time.Now()
			code, _ := p.end()
			if took := time.Since(begin); took > 8*time.Second || code != 2 {
				t.Errorf("the end after %v: code %d", took, code)
			}
			commands := strings.Split(p.stderr.String(), "review:  ")
			if isSilent != (len(commands) == 2) {
				t.Fatalf("a person is told\n%s", &p.stderr)
			}
			if isSilent {
				return
			}
			last := strings.Fields(commands[2])
			if slices.Contains(last, "--part") {
				t.Errorf("all of it is a part: %q", last)
			}
			g.pinproof(t, append(last[1:], "--accept-all")...)
		})
	}
}

// TestPartKept: if the client is gone before the server has told everything, what has come to its
// end by then is kept.
func TestPartKept(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newLibrary(t)
	p, s := g.puppetAs(t, "library")
	s.serves(func(method string, n int) string {
		if method == "tools/list 2" {
			return ""
		}
		return of(libraryAfter)(method, n)
	})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	code, got := p.end()
	saved := read(t, g.refusedFile(t))
	if code != 2 || !strings.Contains(got, " --part") || !strings.Contains(saved, "Be kinder") || strings.Contains(saved, "nextCursor") {
		t.Errorf("code %d\n%s\nsaved is\n%s", code, got, saved)
	}
}

// TestSaysOtherwise: what was refused stays in the file even if the server then says what was
// approved, or something else. Such a file can't be approved.
func TestSaysOtherwise(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	a, b := `{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`
	both := map[string]string{"tools/list": `{"tools":[` + a + `,` + b + `]}`}
	same := func(method string, n int) string { return of(both)(method, n) }
	for what, first := range map[string]string{
		"paged":        `{"tools":[{"name":"EVIL"}],"nextCursor":"2"}`,
		"whole":        `{"tools":[{"name":"EVIL"}]}`,
		"with another": `{"tools":[` + a + `,{"name":"EVIL"}]}`,
		"repeated":     `{"tools":[` + a + `,` + b + `,` + a + `]}`,
	} {
		for _, isLate := range []bool{false, true} {
			t.Run(fmt.Sprint(what, isLate), func(t *testing.T) {
				t.Parallel()
				g := newLibrary(t)
				p, s := g.puppetAs(t, "library")
				s.serves(func(method string, n int) string {
					switch {
					case method == "tools/list" && n == 1:
						return `"result":` + first
					case isLate && method == "resources/list":
						time.Sleep(2 * time.Second)
					}
					if method == "tools/list" {
						return same(method, n)
					}
					return of(libraryBefore)(method, n)
				})
				p.ask(1, "initialize", "{}")
				p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				got := p.ask(2, "tools/list", "{}")
				code, _ := p.end()
				if code != 2 || strings.Contains(got, "relock") || !strings.Contains(got, "something else since") || !strings.Contains(p.stderr.String(), "can't be approved") {
					t.Errorf("code %d\n%s%s", code, got, &p.stderr)
				}
				before := read(t, filepath.Join(g.folder, "tools.lock"))
				files, _ := filepath.Glob(filepath.Join(g.cache, "pinproof", "refused", "*", "*.jsonl"))
				for _, file := range files {
					if saved := read(t, file); !strings.Contains(saved, strings.Trim(first, "{}")) {
						t.Errorf("saved is\n%s", saved)
					}
					for _, flags := range [][]string{nil, {"--part"}} {
						programs, _ := pinproofHere()
						relock := exec.Command(filepath.Join(programs, "pinproof"), slices.Concat([]string{"relock", file, "--accept-all"}, flags)...)
						relock.Dir = g.folder
						out, _ := relock.CombinedOutput()
						if relock.ProcessState.ExitCode() != 2 || read(t, filepath.Join(g.folder, "tools.lock")) != before {
							t.Errorf("%q: it was approved\n%s", flags, out)
						}
					}
				}
			})
		}
	}
}

// TestSaysTheSame: a server that lists the same after server/discover has said nothing else.
func TestSaysTheSame(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t)
	g := newLibrary(t)
	p, s := g.puppetAs(t, "library")
	library := maps.Clone(libraryAfter)
	library["server/discover"] = libraryAfter["initialize"]
	library["tools/list"] = `{"tools":[{"name":"a","description":"New.","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]}`
	s.serves(of(library))
	got := p.ask(1, "initialize", "{}")
	if code, _ := p.end(); code != 2 || strings.Contains(got, "something else") {
		t.Errorf("code %d\n%s", code, got)
	}
	p, s = g.puppetAs(t, "library")
	library["initialize"] = libraryBefore["initialize"]
	library["server/discover"] = libraryBefore["initialize"]
	s.serves(of(library))
	p.ask(1, "initialize", "{}")
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	got = p.ask(2, "tools/list", "{}")
	if code, _ := p.end(); code != 2 || strings.Contains(got, "something else") {
		t.Errorf("code %d\n%s", code, got)
	}
	g.pinproof(t, append(p.command()[1:], "--accept-all")...)
}
