package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// generous is how long a test waits for what has to come: far longer than it takes on a
// loaded machine.
const generous = 2 * time.Minute

// The lists that were approved, as a stand-in gives them. EVIL is what no client may ever
// read.
const (
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}},"instructions":"Use the\u0020tools."}`
	greets     = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Use the\u0020tools."}`
	toolA      = `{ "name":"a","description":"caf\u00e9","inputSchema":{"type":"object","properties":{"n":{"maximum":1.0e2}}}}`
	toolB      = `{"name":"b","inputSchema":{"type":"object"}}`
	toolC      = `{"name":"c","inputSchema":{"type":"object"}}`
	promptP    = `{"name":"p"}`
	evilTool   = `{"name":"EVIL","inputSchema":{"type":"object"}}`
	evilA      = `{ "name":"a","description":"EVIL","inputSchema":{"type":"object","properties":{"n":{"maximum":1.0e2}}}}`
	allTools   = `{"tools":[` + toolA + `,` + toolB + `,` + toolC + `]}`
	// An integer that clients read differently: there is no verdict.
	noVerdict = `{"tools":[` + toolA + `,{"name":"n","inputSchema":{"maximum":123456789012345678901}}]}`
	withEvil  = `{"tools":[` + toolA + `,` + evilTool + `,` + toolB + `,` + toolC + `]}`
)

// testedGuard says that pinproofHere was called.
var testedGuard bool

// pinproofHere builds pinproof once, and returns its folder.
var pinproofHere = sync.OnceValues(func() (string, error) {
	testedGuard = true
	folder, err := os.MkdirTemp("", "pinproof-test-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", folder+string(filepath.Separator), ".")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return folder, nil
})

// A guarded project has a lockfile with what the stand-in gives, and a cache folder of its
// own.
type guarded struct {
	folder, cache string
	env           []string
}

func newGuarded(t testing.TB) *guarded {
	t.Helper()
	programs, err := pinproofHere()
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{folder: t.TempDir(), cache: t.TempDir()}
	capture := `{"jsonrpc":"2.0","id":1,"result":` + greets + "}\n" + `{"jsonrpc":"2.0","id":2,"result":` + allTools + "}\n" +
		`{"jsonrpc":"2.0","id":3,"result":{"prompts":[` + promptP + "]}}\n"
	if err := os.WriteFile(filepath.Join(g.folder, "files.jsonl"), []byte(capture), 0o644); err != nil {
		t.Fatal(err)
	}
	g.env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+g.cache,
		"LocalAppData="+g.cache, "HOME="+g.cache, "CLAUDE_PROJECT_DIR=", "GEMINI_PROJECT_DIR=", "GORACE=atexit_sleep_ms=0")
	lock := exec.Command(filepath.Join(programs, "pinproof"), "lock", "files.jsonl")
	lock.Dir = g.folder
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return g
}

// A peer is a client that talks to a guard, or to a server without one.
type peer struct {
	t       testing.TB
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string
	got     []string // every line that came
	stderr  heard
	timeout *time.Timer
}

// start starts the guard with flags before a stand-in that plays a part.
func (g *guarded) start(t testing.TB, flags []string, part ...string) *peer {
	t.Helper()
	return g.startAs(t, "files", flags, part...)
}

// startAs does the same under a given server ID.
func (g *guarded) startAs(t testing.TB, id string, flags []string, part ...string) *peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{"guard", id}, flags...), "--", self, "play")
	cmd := exec.Command(self, append(args, part...)...)
	cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
	return g.run(t, cmd)
}

// heard is what a program writes, to be read while it runs.
type heard struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.bytes.Write(p)
}

func (h *heard) String() string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.bytes.String()
}

func (h *heard) Len() int { return len(h.String()) }

func (g *guarded) run(t testing.TB, cmd *exec.Cmd) *peer {
	t.Helper()
	p := &peer{t: t, cmd: cmd, lines: make(chan string, 100_000)}
	cmd.Dir = g.folder
	cmd.Stderr = &p.stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		p.in, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.timeout = time.AfterFunc(generous, func() { cmd.Process.Kill() })
	go func() {
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				p.lines <- line
			}
			if err != nil {
				close(p.lines)
				return
			}
		}
	}()
	return p
}

func (p *peer) send(format string, args ...any) {
	fmt.Fprintf(p.in, format+"\n", args...) // a guard that has ended takes no more
}

// answer returns the first answer with that id, or "" at the end.
func (p *peer) answer(id int) string {
	for line := range p.lines {
		p.got = append(p.got, line)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal([]byte(line), &m) != nil {
			var batch []json.RawMessage
			if json.Unmarshal([]byte(line), &batch) == nil {
				return line
			}
			continue
		}
		if string(m.ID) == fmt.Sprint(id) && m.Method == "" {
			return line
		}
	}
	return ""
}

func (p *peer) ask(id int, method, params string) string {
	p.send(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params)
	return p.answer(id)
}

// end closes the client's side and returns the exit code and all that came.
func (p *peer) end() (code int, all string) {
	p.t.Helper()
	p.in.Close()
	for line := range p.lines {
		p.got = append(p.got, line)
	}
	err := p.cmd.Wait()
	if !p.timeout.Stop() {
		p.t.Fatalf("it did not end\n%s", &p.stderr)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), strings.Join(p.got, "")
	} else if err != nil {
		p.t.Fatal(err)
	}
	return 0, strings.Join(p.got, "")
}

const blockedCode = `"error":{"code":-32090,"message":"pinproof: blocked: `

// session is what a client does: it lists everything, page by page, calls, lists again,
// and initializes again. It goes on whatever it is told.
func (p *peer) session() {
	id := 0
	ask := func(method, params string) string {
		id++
		return p.ask(id, method, params)
	}
	list := func() {
		for params := `{}`; ; {
			var m struct {
				Result struct{ NextCursor *string }
			}
			line := ask("tools/list", params)
			if json.Unmarshal([]byte(line), &m) != nil || m.Result.NextCursor == nil {
				return
			}
			cursor, _ := json.Marshal(*m.Result.NextCursor)
			params = `{"cursor":` + string(cursor) + `}`
		}
	}
	initialize := `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`
	ask("initialize", initialize)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list()
	ask("prompts/list", `{}`)
	ask("ping", `{}`)
	ask("tools/call", `{"name":"a","arguments":{}}`)
	list()
	ask("tools/call", `{"name":"b","arguments":{}}`)
	ask("initialize", initialize)
	ask("ping", `{}`)
}

// modernSession is what a client of revision 2026-07-28 does: it asks server/discover in place of
// initialize, and says with every request who it is.
func (p *peer) modernSession() {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	id := 0
	ask := func(method, params string) {
		id++
		if params != "" {
			params += ","
		}
		p.ask(id, method, "{"+params+meta+"}")
	}
	for range 2 {
		ask("server/discover", "")
		ask("tools/list", "")
		ask("tools/list", `"cursor":"1"`)
		ask("tools/list", `"cursor":"2"`)
		ask("prompts/list", "")
		ask("ping", "")
		ask("tools/call", `"name":"a","arguments":{}`)
		ask("tools/list", "")
		ask("tools/call", `"name":"b","arguments":{}`)
	}
}

// play is a stand-in server: PART [FILE]. It appends every line it gets to FILE.
func play(args []string) { playOn(args, os.Stdin, os.Stdout) }

// playOn writes once for each line that it reads.
func playOn(args []string, stdin io.Reader, stdout io.Writer) {
	part := args[0]
	if part == "puppet" {
		playPuppet(args[1])
		return
	}
	asked := map[string]int{}
	var record *os.File
	if len(args) > 1 {
		record, _ = os.OpenFile(args[1], os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	}
	if len(args) > 2 {
		os.WriteFile(args[2], fmt.Appendln(nil, os.Getpid()), 0o644)
	}
	if part == "ignores all ends" {
		ignoreSignals()
	}
	out := bufio.NewWriterSize(stdout, 1<<20)
	put := func(format string, a ...any) { fmt.Fprintf(out, format+"\n", a...) }
	in := bufio.NewReader(stdin)
	switch part {
	case "closes its output":
		os.Stdout.Close()
	case "exits with 7":
		os.Exit(7)
	case "floods one line":
		for {
			if _, err := os.Stdout.WriteString(`{"jsonrpc":"2.0","x":"` + strings.Repeat("y", 1<<20)); err != nil {
				os.Exit(0)
			}
		}
	}
	for {
		out.Flush()
		text, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		if record != nil {
			record.Write(text)
		}
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Cursor *string
				Name   string
			}
		}
		json.Unmarshal(text, &r)
		if r.ID == nil || r.Method == "" {
			continue
		}
		asked[r.Method]++
		n := asked[r.Method]
		answer := func(result string) { put(`{ "result":%s ,"id":%s,"jsonrpc" : "2.0"}`, result, r.ID) }
		tools := allTools
		switch r.Method {
		case "initialize", "server/discover":
			greets := greets
			if r.Method == "server/discover" {
				greets = discovered
			}
			if part == "instructions at the second initialize" && n > 1 {
				answer(strings.Replace(greets, "Use the", "EVIL", 1))
			} else {
				answer(greets)
			}
		case "ping":
			switch part {
			case "half a pair":
				put(`{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"cut \ud83d"}}]}}`)
				put(`{"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"message":"cut \uDE00"}}`)
				put(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":["cut \ud83d\ud83d\ude00"]}}`)
				put(`{"jsonrpc":"2.0","id":"q3","method":"sampling/createMessage","params":{"\ud83d":"EVIL"}}`)
				put(`{"jsonrpc":"2.0","id":"q4","method":"roots/list","params":{"x":"EVIL \ud83d"}}`)
				answer(`{"content":[{"type":"text","text":"cut \ud83d"}],"structuredContent":{"\\ud83d":["\ud83d\ude00\udead"]}}`)
			case "half a pair in a name":
				answer(`{"content":[],"structuredContent":{"EVIL \ud83d":1}}`)
			case "half a pair in a list":
				answer(`{"tools":[` + strings.Replace(evilTool, "EVIL", `EVIL \ud83d`, 1) + `]}`)
			case "floods at a ping":
				put(`{"jsonrpc":"2.0","id":%s,"result":{"x":"%s"}}`, r.ID, strings.Repeat("y", 65<<20))
			case "a large size":
				answer(`{"resources":[{"uri":"a:1","name":"x","size":9007199254740993}]}`)
			case "many resources":
				answer(`{"resources":[` + strings.Repeat(`{"uri":"a:1","name":"x"},`, 50_000) + `{"uri":"a:1","name":"x"}]}`)
			case "two carriage returns":
				put(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\r\r", r.ID)
			case "an answer to another method":
				answer(withEvil)
			case "instructions in another answer":
				answer(`{"instructions":"EVIL"}`)
			case "before the question":
				put(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 1000)
				put(`{"jsonrpc":"2.0","id":1001,"result":%s}`, withEvil)
				answer(`{}`)
			case "names with underscores":
				answer(`{"resource_templates":[{"uriTemplate":"EVIL:{n}","name":"x"}]}`)
			case "an array for a result":
				answer(`["2025-11-25",{"tools":{}},{"name":"s","version":"1"},"EVIL",null]`)
			case "another list's entry":
				answer(`{"resourceTemplates":[{"uriTemplate":"EVIL:{n}","name":"x"}]}`)
			default:
				answer(`{}`)
			}
		case "prompts/list":
			if part == "a prompt" {
				answer(`{"prompts":[` + promptP + `,{"name":"EVIL"}]}`)
			} else {
				answer(`{"prompts":[` + promptP + `]}`)
			}
		case "tools/call":
			if strings.HasSuffix(part, "after list_changed") && n == 1 {
				put(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			answer(`{"content":[{"type":"text","text":"called ` + r.Params.Name + `"}],"structuredContent":{"big":12345678901234567890}}`)
		case "tools/list":
			if asked["tools/call"] > 0 {
				switch part {
				case "silent after list_changed":
					continue
				case "an error after list_changed":
					put(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"EVIL"}}`, r.ID)
					continue
				case "no list after list_changed":
					answer(`{}`)
					continue
				case "a circle after list_changed":
					answer(`{"tools":[],"nextCursor":"again"}`)
					continue
				case "asks back after list_changed":
					put(`{"jsonrpc":"2.0","id":%s,"method":"roots/list"}`, r.ID)
					out.Flush()
					in.ReadBytes('\n')
				case "twice after list_changed":
					answer(tools)
				case "in a batch after list_changed":
					put(`[{"jsonrpc":"2.0","id":%s,"result":%s},{"jsonrpc":"2.0","id":1,"result":{}}]`, r.ID, tools)
					continue
				}
			}
			switch {
			case part == "nothing approved":
				tools = `{"tools":[` + evilTool + `]}`
			case part == "less after list_changed" && asked["tools/call"] > 0:
				tools = `{"tools":[` + toolA + `,` + toolB + `]}`
			case strings.HasPrefix(part, "page"):
				pages := []string{toolA, toolB, toolC}
				at := 0
				if r.Params.Cursor != nil {
					fmt.Sscan(*r.Params.Cursor, &at)
				}
				page := pages[at]
				switch {
				case part == "pages, the third is changed" && at == 2:
					page += "," + evilTool
				case part == "pages, one comes again" && at == 2:
					page += "," + toolA
				}
				if tools = `{"tools":[` + page + `]`; at < 2 {
					tools += fmt.Sprintf(`,"nextCursor":"%d"`, at+1)
				}
				tools += "}"
				if spelling, ok := strings.CutPrefix(part, "page 2 under another id: "); ok && at == 1 {
					put(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, fmt.Sprintf(spelling, r.ID), toolA)
					continue
				}
			case part == "the second asking" && n > 1, part == "after list_changed" && asked["tools/call"] > 0, part == "the first asking":
				tools = withEvil
			case part == "an entry changed":
				tools = strings.Replace(allTools, toolA, evilA, 1)
			case part == "an entry twice":
				tools = `{"tools":[` + toolA + `,` + toolB + `,` + toolC + `,` + strings.Replace(toolB, `{`, `{ `, 1) + `]}`
			case part == "a hidden change":
				tools = strings.Replace(allTools, "caf", "caf\U000e0045\U000e0056", 1)
			case part == "letter case":
				tools = strings.Replace(withEvil, `"tools"`, `"Tools"`, 1)
			case part == "an escaped name":
				tools = strings.Replace(withEvil, `"tools"`, `"t\u006fols"`, 1)
			case part == "a member twice":
				tools = strings.Replace(withEvil, `{"tools"`, `{"tools":[`+toolA+`],"tools"`, 1)
			case part == "no verdict":
				tools = noVerdict
			case part == "a long list":
				tools = strings.Replace(withEvil, "EVIL", strings.Repeat("EVIL", 5000), 1)
			case part == "lacks entries":
				tools = `{"tools":[` + toolB + `]}`
			}
			switch part {
			case "a batch":
				put(`[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":%s,"result":%s}]`, r.ID, withEvil)
				continue
			case "noise":
				put("%s", strings.Repeat("noise\n", 10_000))
			case "behind noise":
				put(`listening {"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, withEvil)
				put("\ufeff"+`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, withEvil)
				put(`{"level":"info","tools":[%s]}`, evilTool)
				put(`{"id":%s,"result":%s}`, r.ID, withEvil)
			case "two lines at once":
				answer(tools)
				tools = withEvil
			case "behind a carriage return":
				put(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\r"+`{"jsonrpc":"2.0","id":%[1]s,"result":%[3]s}`, r.ID, tools, withEvil)
				continue
			case "behind a value":
				put(`{"jsonrpc":"2.0","id":%s,"result":%s} {"jsonrpc":"2.0","id":%[1]s,"result":%[3]s}`, r.ID, tools, withEvil)
				continue
			case "over two lines":
				put(`{"jsonrpc":"2.0","id":%s,"result":`, r.ID)
				tools = withEvil
			case "an id of its own":
				put(`{"jsonrpc":"2.0","id":"EVIL","result":%s}`, withEvil)
				continue
			case "an id of its own, unreadable":
				put(`{"jsonrpc":"2.0","id":"EVIL","result":%s,"result":{}}`, withEvil)
				continue
			case "two ids of its own":
				put(`[{"jsonrpc":"2.0","id":%s,"result":%s},{"jsonrpc":"2.0","id":"EVIL","result":%s}]`, r.ID, tools, withEvil)
				continue
			case "RESULT":
				put(`{"jsonrpc":"2.0","id":%s,"RESULT":%s,"result":%s}`, r.ID, withEvil, tools)
				continue
			case "no end of the line":
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, withEvil)
				out.Flush()
				os.Exit(0)
			}
			answer(tools)
		}
	}
	if part == "ignores all ends" {
		time.Sleep(time.Hour)
	}
}

// TestGuardPasses: a session with what was approved is the same with and without the guard.
func TestGuardPasses(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, part := range []string{"good", "pages"} {
		self, _ := os.Executable()
		record := filepath.Join(t.TempDir(), "record")
		bare := exec.Command(self, "play", part, record+"-bare")
		bare.Env = g.env
		without := g.run(t, bare)
		without.session()
		_, want := without.end()
		with := g.start(t, nil, part, record)
		with.session()
		code, got := with.end()
		if code != 0 || got != want || with.stderr.Len() > 0 {
			t.Errorf("%s: code %d\n%s\nwant\n%s\n%s", part, code, got, want, &with.stderr)
		}
		if read(t, record) != read(t, record+"-bare") {
			t.Errorf("%s: the server got\n%s", part, read(t, record))
		}
	}
}

// TestGuardBlocks: whatever a server does, the client gets no byte of what no pin approves.
func TestGuardBlocks(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for part, wantCode := range map[string]int{
		"the first asking": 2, "the second asking": 2, "after list_changed": 2, "pages, the third is changed": 2, "pages, one comes again": 2,
		"a batch": 2, "an answer to another method": 2, "instructions in another answer": 2, "behind noise": 0, "two lines at once": 2,
		"before the question": 2, "instructions at the second initialize": 2, "an entry changed": 2, "an entry twice": 2, "a hidden change": 2,
		"letter case": 2, "an escaped name": 2, "a member twice": 2, "behind a carriage return": 2, "behind a value": 2, "over two lines": 2,
		"RESULT": 2, "no end of the line": 2, "a prompt": 2, "another list's entry": 2,
		"names with underscores": 0, "an array for a result": 2,
	} {
		for _, flags := range jsontest.Some([][]string{nil, {"--on-drift=subset"}}, part) {
			t.Run(part+", 2026-07-28 "+strings.Join(flags, " "), func(t *testing.T) {
				t.Parallel()
				p := g.start(t, flags, part)
				p.modernSession()
				code, got := p.end()
				if flags == nil && code != wantCode || strings.Contains(got, "EVIL") || strings.Contains(got, "\U000e0045") {
					t.Errorf("code %d, want %d\n%s\n%s", code, wantCode, got, &p.stderr)
				}
			})
		}
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			p := g.start(t, nil, part)
			p.session()
			code, got := p.end()
			if code != wantCode || strings.Contains(got, "EVIL") || strings.Contains(got, "\U000e0045") {
				t.Errorf("code %d, want %d\n%s\n%s", code, wantCode, got, &p.stderr)
			}
			if code == 2 && !strings.Contains(p.stderr.String(), "pinproof: blocked: ") {
				t.Errorf("a person is told:\n%s", &p.stderr)
			}
			for _, line := range p.got {
				if !json.Valid([]byte(line)) {
					t.Errorf("no message: %s", line)
				}
			}
			if strings.Contains(part, "one comes again") || part == "an entry twice" {
				if strings.Count(got, `"name":"a"`) > 1 || strings.Count(got, `"name":"b"`) > 1 {
					t.Errorf("an entry comes twice:\n%s", got)
				}
			}
		})
	}
}

// TestGuardSubset: the client gets the entries that match, as the server spelled them, and a call
// of any other entry reaches nobody.
func TestGuardSubset(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	record := filepath.Join(t.TempDir(), "record")
	for part, want := range map[string]string{
		"the first asking": `{ "result":` + allTools + ` ,"id":1,"jsonrpc" : "2.0"}` + "\n",
		"an entry changed": `{ "result":{"tools":[` + toolB + `,` + toolC + `]} ,"id":1,"jsonrpc" : "2.0"}` + "\n",
		"an entry twice":   `{ "result":{"tools":[` + toolA + `,` + toolC + `]} ,"id":1,"jsonrpc" : "2.0"}` + "\n",
		"good":             `{ "result":` + allTools + ` ,"id":1,"jsonrpc" : "2.0"}` + "\n",
	} {
		os.Remove(record)
		p := g.start(t, []string{"--on-drift", "subset"}, part, record)
		if got := p.ask(1, "tools/list", "{}"); got != want {
			t.Errorf("%s: %s\nwant %s", part, got, want)
		}
		for id, name := range []string{"EVIL", "a", "b", "c"} {
			got := p.ask(10+id, "tools/call", `{"name":"`+name+`"}`)
			passes := strings.Contains(want, `"name":"`+name+`"`)
			if passes != strings.Contains(got, "called "+name) || passes == strings.Contains(got, blockedCode) {
				t.Errorf("%s: a call of %s: %s", part, name, got)
			}
		}
		code, got := p.end()
		if code != 0 || strings.Contains(got, "EVIL") || strings.Contains(read(t, record), "EVIL") {
			t.Errorf("%s: code %d\n%s\n%s", part, code, got, &p.stderr)
		}
	}
	p := g.start(t, []string{"--on-drift=subset"}, "instructions at the second initialize")
	p.ask(1, "initialize", "{}")
	if got := p.ask(2, "initialize", "{}"); strings.Contains(got, "nstructions") || !strings.Contains(got, `"serverInfo":{"name":"s","version":"1"}`) {
		t.Errorf("instructions: %s", got)
	}
	p.end()
}

// TestGuardWarns: all passes as it came, and a person is told. What clients could read in two ways
// still doesn't pass.
func TestGuardWarns(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	log := filepath.Join(g.folder, "calls.log")
	p := g.start(t, []string{"--on-drift", "warn", "--log", log}, "no verdict")
	if got := p.ask(1, "tools/list", "{}"); got != `{ "result":`+noVerdict+` ,"id":1,"jsonrpc" : "2.0"}`+"\n" {
		t.Errorf("got %s", got)
	}
	if got := p.ask(2, "tools/call", `{"name":"a"}`); !strings.Contains(got, "called a") {
		t.Errorf("got %s", got)
	}
	os.Rename(filepath.Join(g.folder, "tools.lock"), filepath.Join(g.folder, "away.lock"))
	if got := p.ask(3, "prompts/list", "{}"); !strings.Contains(got, promptP) {
		t.Errorf("without a lockfile: %s", got)
	}
	os.Rename(filepath.Join(g.folder, "away.lock"), filepath.Join(g.folder, "tools.lock"))
	code, _ := p.end()
	if text := p.stderr.String(); code != 0 || strings.Count(text, "pinproof: not judged, and passed on: ") != 2 || strings.Count(read(t, log), `"event":"drift"`) != 2 {
		t.Errorf("code %d\n%s%s", code, text, read(t, log))
	}
	p = g.start(t, []string{"--on-drift", "warn"}, "a member twice")
	p.session()
	if code, got := p.end(); code != 2 || strings.Contains(got, "EVIL") {
		t.Errorf("of two readings: code %d\n%s", code, got)
	}
	p = g.start(t, []string{"--on-drift", "warn"}, "the first asking")
	if got := p.ask(1, "tools/list", "{}"); got != `{ "result":`+withEvil+` ,"id":1,"jsonrpc" : "2.0"}`+"\n" {
		t.Errorf("got %s", got)
	}
	if got := p.ask(2, "tools/call", `{"name":"EVIL"}`); !strings.Contains(got, "called EVIL") {
		t.Errorf("got %s", got)
	}
	if code, _ := p.end(); code != 0 || !strings.Contains(p.stderr.String(), "ADDED EVIL\n") {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
}

// callsUnapproved calls what isn't approved, in every spelling that some servers would read as a call.
func (p *peer) callsUnapproved(t *testing.T) {
	t.Helper()
	for id, call := range []string{
		`"method":"tools/call","params":{"name":"d"}`,
		`"method":"tools/call","params":{"name":"A"}`,
		`"method":"tools/call","params":{}`,
		`"method":"tools/call"`,
		`"method":"tools/call","params":{"name":["a"]}`,
		`"method":"tools/call","params":{"name":{"a":"a"}}`,
		`"method":"tools/call","params":{"name":null}`,
		`"method":"tools/call","params":{"name":""}`,
		`"method":"tools/call","params":{"name":"a "}`,
		`"method":"tools/call","params":{"name":"a\u200b"}`,
		`"method":"tools/call","params":{"name":"a\u0000"}`,
		`"method":"tools/call","params":{"name":"\uff41"}`,
		`"method":"tools/call","params":["a"]`,
		`"method":"prompts/get","params":{"name":"P"}`,
		`"method":"prompts/get","params":{"name":"a"}`,
		`"method":"tools/call","params":{"name":"a","Name":"d"}`,
		`"method":"tools/call","params":{"name":"a","name":"d"}`,
		`"method":"ping","Method":"tools/call","params":{"name":"d"}`,
		`"method":"t\u006fols/call","params":{"name":"d"}`,
		`"method":"tools/call","params":{"name":"a","arguments":{"x":"\ud800"}}`,
	} {
		p.send(`{"jsonrpc":"2.0","id":%d,%s}`, 100+id, call)
		if got := p.answer(100 + id); !strings.Contains(got, blockedCode) {
			t.Errorf("%s: %s", call, got)
		}
	}
	p.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"d"}}`)
	p.send(`[{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":51,"method":"tools/call","params":{"name":"d"}}]`)
	if p.answer(50) == "" || p.answer(51) == "" {
		t.Error("a batch was not answered")
	}
	p.send(`noise`)
}

// TestGuardCallsFirst: a call of an entry that drifted reaches no server, though nobody asked for a list before.
func TestGuardCallsFirst(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, mode := range []string{"end", "subset"} {
		record := filepath.Join(t.TempDir(), "record")
		p := g.start(t, []string{"--on-drift=" + mode}, "an entry changed", record)
		if got := p.ask(1, "tools/call", `{"name":"a"}`); !strings.Contains(got, blockedCode) {
			t.Errorf("%s: %s", mode, got)
		}
		p.end()
		if strings.Contains(read(t, record), "tools/call") {
			t.Errorf("%s: the server got\n%s", mode, read(t, record))
		}
	}
}

// TestGuardCalls: a call of what isn't approved, or whose list has changed since, reaches nobody.
// Neither does a call that some servers would read as a call of another entry.
func TestGuardCalls(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	record := filepath.Join(t.TempDir(), "record")
	p := g.start(t, nil, "good", record)
	p.callsUnapproved(t)
	if got := p.ask(60, "tools/call", `{"name":"a"}`); !strings.Contains(got, "called a") {
		t.Errorf("an approved call: %s", got)
	}
	if code, _ := p.end(); code != 0 {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
	if got := strings.Count(read(t, record), "\n"); got != 2 { // the guard's own request for the list, and the call
		t.Errorf("the server got %d lines:\n%s", got, read(t, record))
	}

	p = g.start(t, nil, "after list_changed", record)
	p.ask(1, "tools/list", "{}")
	p.ask(2, "tools/call", `{"name":"a"}`) // the notification comes before its answer
	if got := p.ask(3, "tools/call", `{"name":"b"}`); !strings.Contains(got, blockedCode) || strings.Contains(got, "EVIL") {
		t.Errorf("a call after list_changed: %s", got)
	}
	if code, _ := p.end(); code != 2 {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}

	p = g.start(t, []string{"--on-drift=subset"}, "after list_changed", record)
	p.ask(1, "tools/call", `{"name":"a"}`)
	p.ask(2, "tools/list", "{}")
	if got := p.ask(3, "tools/call", `{"name":"b"}`); !strings.Contains(got, "called b") {
		t.Errorf("a call of what was seen again: %s", got)
	}
	p.end()
}

// TestGuardAnswers: the error in the place of what was blocked has the id of the client's request,
// and no id that the server made up.
func TestGuardAnswers(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, part := range []string{"an id of its own", "an id of its own, unreadable", "two ids of its own"} {
		p := g.start(t, nil, part)
		p.send(`{"jsonrpc":"2.0","id":"x","method":"resources/list"}`)
		got := p.ask(7, "tools/list", "{}")
		if code, all := p.end(); code != 2 || !strings.Contains(got, blockedCode) || strings.Contains(all, "EVIL") || strings.Count(all, `"id":"x",`+blockedCode) != 1 {
			t.Errorf("%s: code %d: %s\n%s", part, code, all, &p.stderr)
		}
	}
}

// TestGuardMissing: in a session, it isn't drift if something pinned isn't listed.
func TestGuardMissing(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	p := newGuarded(t).start(t, nil, "lacks entries")
	p.ask(1, "tools/list", "{}")
	p.ask(2, "tools/list", "{}")
	if code, _ := p.end(); code != 0 || p.stderr.String() != "" {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
}

// TestGuardEnds: the guard exits with the server's code, or with 2 if it ended the session or couldn't begin one.
func TestGuardEnds(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for part, want := range map[string]int{"exits with 7": 7, "floods one line": 2} {
		p := g.start(t, nil, part)
		if code, got := p.end(); code != want || got != "" {
			t.Errorf("%s: code %d, %d bytes\n%s", part, code, len(got), &p.stderr)
		}
	}
	self, _ := os.Executable()
	for what, args := range map[string][]string{
		"no such server":  {"guard", "other", "--", self, "play", "good"},
		"no lockfile":     {"guard", "files", "--lock", "none.lock", "--", self, "play", "good"},
		"no such program": {"guard", "files", "--", "no-such-program"},
		"the lockfile":    {"guard", "files", "--log", "tools.lock", "--", self, "play", "good"},
		"no such folder":  {"guard", "files", "--log", "none/log", "--", self, "play", "good"},
	} {
		cmd := exec.Command(self, args...)
		cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
		p := g.run(t, cmd)
		if code, got := p.end(); code != 2 || got != "" || !strings.HasPrefix(p.stderr.String(), "error: ") {
			t.Errorf("%s: code %d, %s\n%s", what, code, got, &p.stderr)
		}
	}
	elsewhere := exec.Command(self, "guard", "files", "--", self, "play", "good")
	elsewhere.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1", "CLAUDE_PROJECT_DIR="+t.TempDir())
	p := g.run(t, elsewhere)
	if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "\nhint: approve the server first: pinproof-capture save files.jsonl -- COMMAND") {
		t.Errorf("nothing approved: code %d\n%s", code, &p.stderr)
	}
	if lock := read(t, filepath.Join(g.folder, "tools.lock")); !strings.HasSuffix(lock, "}\n") {
		t.Errorf("the lockfile is\n%s", lock)
	}
}

// TestGuardSaves: the newest three files with what was refused are kept for each project and server.
// The digest of a file is in its name, the same text is kept once, and what is too old is deleted.
func TestGuardSaves(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	other := filepath.Join(g.cache, "pinproof", "refused", "another")
	if runtime.GOOS == "darwin" {
		other = filepath.Join(g.cache, "Library", "Caches", "pinproof", "refused", "another")
	}
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(other, "files-0123456789abcdef.jsonl")
	old := filepath.Join(other, "files-fedcba9876543210.jsonl")
	write(t, kept, "another project's")
	write(t, old, "too old")
	before := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, part := range []string{"the first asking", "an entry changed", "the first asking", "an entry twice", "a long list"} {
		p := g.start(t, nil, part)
		p.ask(1, "tools/list", "{}")
		if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "\nreview:  ") {
			t.Fatalf("%s: code %d\n%s", part, code, &p.stderr)
		}
		said = append(said, strings.Fields(p.stderr.String()[strings.Index(p.stderr.String(), "review: "):])[3])
	}
	if said[0] != said[2] {
		t.Errorf("the same refusal has two names: %q", said)
	}
	var files []string
	filepath.WalkDir(g.cache, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	want := []string{kept, said[2], said[3], said[4]}
	slices.Sort(files)
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("kept are %q\nwant %q", files, want)
	}
	for _, path := range said[2:] {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, path)))); filepath.Base(path) != "files-"+sum[:16]+".jsonl" {
			t.Errorf("%s has the digest %s", path, sum)
		}
	}
}

// TestGuardLog: calls, and what was held back, are logged, one line each. If the disk is full, the session ends.
func TestGuardLog(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	log := filepath.Join(g.folder, "calls.log")
	p := g.start(t, []string{"--log", log}, "good")
	p.ask(1, "tools/list", "{}")
	p.ask(2, "tools/call", `{"name":"a","arguments":{ "text":"`+"\u202e"+`x" }}`)
	p.ask(3, "tools/call", `{"name":"EVIL"}`)
	p.end()
	p = g.start(t, []string{"--log", log, "--log-digests"}, "good")
	p.ask(1, "tools/call", `{"name":"b","arguments":{ "secret":1 }}`)
	p.end()
	p = g.start(t, []string{"--log", log, "--log-digests"}, "the first asking")
	p.ask(2, "tools/list", "{}")
	p.end()
	var events []string
	for line := range strings.Lines(read(t, log)) {
		var l struct {
			Session, Server, Event, Tool, Digest, Approval, ArgumentsDigest, Outcome, Entry, Kind string
			ID, Arguments                                                                         json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Server != "files" || l.Session == "" || strings.ContainsFunc(line, func(r rune) bool { return r > 0x7e }) {
			t.Errorf("%v: %s", err, line)
		}
		events = append(events, l.Event+" "+l.Tool+l.Entry+" "+string(l.ID)+" "+l.Kind+l.Outcome)
		if l.Event == "call" && (!strings.HasPrefix(l.Digest, "sha256:") || l.Tool == "a" && !strings.HasPrefix(l.Approval, "sha256:")) {
			t.Errorf("no digest: %s", line)
		}
		// The digest of {"secret":1}: printf '{"secret":1}' | sha256sum
		if l.Tool == "b" && l.Event == "call" && (l.Arguments != nil || l.ArgumentsDigest != "sha256:303c81734ca9f66015accf5ba61d1d8f434c4bd5c4f31d3226b44cca229e765b") {
			t.Errorf("digest of arguments: %s", line)
		}
	}
	want := []string{"call a 2 ", "answer a 2 result", "block tool=EVIL  ", "call b 1 ", "answer b 1 result", "block tool=EVIL  ADDED"}
	if !slices.Equal(events, want) {
		t.Errorf("events %q", events)
	}
	if info, err := os.Stat(log); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		return
	}
	record := filepath.Join(t.TempDir(), "record")
	p = g.start(t, []string{"--log", "/dev/full"}, "good", record)
	if got := p.ask(1, "tools/call", `{"name":"a"}`); !strings.Contains(got, blockedCode) {
		t.Errorf("full: %s", got)
	}
	if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "/dev/full") || strings.Contains(read(t, record), "tools/call") {
		t.Errorf("full: code %d\n%s", code, &p.stderr)
	}
}

// BenchmarkGuard calls a tool 50,000 times, one call after the other, without the guard and with
// it: 100,000 messages. It reports what the guard adds to each message, and the guard's memory.
func BenchmarkGuard(b *testing.B) {
	const calls = 50_000
	g := newGuarded(b)
	self, _ := os.Executable()
	memory := func(p *peer) float64 { // of the process, in KiB, where the system tells it
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		var kib float64
		fmt.Sscan(rest, &kib)
		return kib
	}
	took := func(p *peer) (times []time.Duration, before, after float64) {
		for id := range calls + calls/10 {
			if id == calls/10 { // the first ones warm it up
				before, times = memory(p), times[:0]
			}
			begin := time.Now()
			p.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","arguments":{"text":"%0500d"}}}`, id, id)
			if line := <-p.lines; !strings.Contains(line, "called a") {
				b.Fatalf("%s\n%s", line, &p.stderr)
			}
			times = append(times, time.Since(begin))
		}
		after = memory(p)
		p.end()
		slices.Sort(times)
		return times, before, after
	}
	for b.Loop() {
		bare := exec.Command(self, "play", "good")
		bare.Env = g.env
		without, _, _ := took(g.run(b, bare))
		with, before, after := took(g.start(b, nil, "good"))
		for name, at := range map[string]int{"median": calls / 2, "99th": calls * 99 / 100} {
			b.ReportMetric(float64((with[at]-without[at]).Nanoseconds())/2000, name+"-µs/message")
			b.ReportMetric(float64(without[at].Nanoseconds())/2000, name+"-bare-µs/message")
		}
		b.ReportMetric(before, "KiB-before")
		b.ReportMetric(after, "KiB-after")
	}
}

// TestGuardThroughput: many messages come through whole and in their order, in both directions. It
// logs what the guard adds to one.
func TestGuardThroughput(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	messages := jsontest.Rounds(20_000, 100_000)
	took := func(p *peer) time.Duration {
		begin := time.Now()
		go func() {
			for id := range messages {
				p.send(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{}}`, id)
			}
			p.in.Close()
		}()
		next := 0
		for line := range p.lines {
			if want := fmt.Sprintf(`{ "result":{} ,"id":%d,"jsonrpc" : "2.0"}`+"\n", next); line != want {
				t.Fatalf("message %d: %s", next, line)
			}
			next++
		}
		if next != messages {
			t.Fatalf("%d messages\n%s", next, &p.stderr)
		}
		elapsed := time.Since(begin)
		p.end()
		return elapsed
	}
	self, _ := os.Executable()
	bare := exec.Command(self, "play", "good")
	bare.Env = g.env
	without := took(g.run(t, bare))
	with := took(g.start(t, nil, "good"))
	t.Logf("%v more for a message", (with-without)/time.Duration(messages))
}
