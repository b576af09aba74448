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
	withEvil   = `{"tools":[` + toolA + `,` + evilTool + `,` + toolB + `,` + toolC + `]}`
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// testedGuard says that pinproofHere was called.
var testedGuard bool

// pinproofHere builds pinproof once, and returns its folder.
var pinproofHere = sync.OnceValues(func() (string, error) {
	testedGuard = true
	folder, err := os.MkdirTemp("", "pinproof-test-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "run", "-buildvcs=false", "-exec", "cp", ".", folder)
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

// begin does the handshake.
func (p *peer) begin() {
	p.ask(0, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const blockedCode = `"error":{"code":-32090,"message":"pinproof: blocked: `

// session is what a client does in a revision of the protocol: it lists everything, page by page, calls, and lists
// again. It returns the answers, with each list on one page and without what isn't part of the session.
func (p *peer) session(revision string) string {
	meta := ""
	if revision >= "2026-07-28" {
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	id := 0
	ask := func(method, params string) (result map[string]any, text string) {
		id++
		if params != "" && meta != "" {
			params += ","
		}
		var m struct{ Result, Error any }
		if err := json.Unmarshal([]byte(p.ask(id, method, "{"+params+meta+"}")), &m); err != nil {
			return nil, err.Error()
		}
		said, _ := json.Marshal([]any{method, m.Result, m.Error})
		result, _ = m.Result.(map[string]any)
		return result, string(said) + "\n"
	}
	var all strings.Builder
	say := func(method, params string) {
		_, text := ask(method, params)
		all.WriteString(text)
	}
	list := func() {
		var tools []any
		for params := ""; ; {
			page, _ := ask("tools/list", params)
			entries, _ := page["tools"].([]any)
			tools = append(tools, entries...)
			next, isMore := page["nextCursor"].(string)
			if !isMore {
				break
			}
			params = fmt.Sprintf(`"cursor":%q`, next)
		}
		text, _ := json.Marshal(tools)
		fmt.Fprintf(&all, "tools: %s\n", text)
	}
	if meta != "" {
		say("server/discover", "")
	} else {
		say("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	list()
	say("prompts/list", "")
	say("ping", "")
	say("tools/call", `"name":"a","arguments":{}`)
	list()
	say("tools/call", `"name":"b","arguments":{}`)
	return all.String()
}

// play is a stand-in server: PART [FILE]. It appends every line it gets to FILE.
func play(args []string) { playOn(args, os.Stdin, os.Stdout) }

// playOn writes once for each line that it reads.
func playOn(args []string, stdin io.Reader, stdout io.Writer) {
	part := args[0]
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
				greets = strings.Replace(greets, "Use the", "EVIL", 1)
			}
			answer(greets)
		case "ping":
			if part == "floods at a ping" {
				put(`{"jsonrpc":"2.0","id":%s,"result":{"x":"%s"}}`, r.ID, strings.Repeat("y", maxBytes()))
			} else {
				answer(`{}`)
			}
		case "prompts/list":
			answer(`{"prompts":[` + promptP + `]}`)
		case "tools/call":
			if part == "after list_changed" && n == 1 {
				put("%s", listChanged)
			}
			answer(`{"content":[{"type":"text","text":"called ` + r.Params.Name + `"}],"structuredContent":{"big":12345678901234567890}}`)
		case "tools/list":
			switch {
			case part == "pages":
				at := 0
				if r.Params.Cursor != nil {
					fmt.Sscan(*r.Params.Cursor, &at)
				}
				if tools = `{"tools":[` + []string{toolA, toolB, toolC}[at] + `]`; at < 2 {
					tools += fmt.Sprintf(`,"nextCursor":"%d"`, at+1)
				}
				tools += "}"
			case part == "after list_changed" && asked["tools/call"] > 0, part == "the first asking":
				tools = withEvil
			case part == "an entry changed":
				tools = strings.Replace(allTools, toolA, evilA, 1)
			case part == "a long list":
				tools = strings.Replace(withEvil, "EVIL", strings.Repeat("EVIL", 5000), 1)
			case part == "noise":
				put("%s", strings.Repeat("noise\n", 10_000))
			case part == "no end of the line":
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

// TestGuardLog: calls, and what was left out, are logged, one line each. If the disk is full, the session ends.
func TestGuardLog(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	log := filepath.Join(g.folder, "calls.log")
	p := g.start(t, []string{"--log", log}, "good")
	p.begin()
	p.ask(2, "tools/call", `{"name":"a","arguments":{ "text":"`+"\u202e"+`x" }}`)
	p.ask(3, "tools/call", `{"name":"EVIL"}`)
	p.end()
	p = g.start(t, []string{"--log", log, "--log-digests"}, "good")
	p.begin()
	p.ask(1, "tools/call", `{"name":"b","arguments":{ "secret":1 }}`)
	p.end()
	p = g.start(t, []string{"--log", log, "--log-digests"}, "the first asking")
	p.begin()
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
	p.begin()
	if got := p.ask(1, "tools/call", `{"name":"a"}`); !strings.Contains(got, blockedCode) {
		t.Errorf("full: %s", got)
	}
	if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "/dev/full") || strings.Contains(read(t, record), "tools/call") {
		t.Errorf("full: code %d\n%s", code, &p.stderr)
	}
}

// TestGuardThroughput: many messages come through whole and in their order, in both directions. It
// logs what the guard adds to one.
func TestGuardThroughput(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	messages := jsontest.RoundCount(5_000, 100_000)
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
	p.begin()
	got := p.ask(1, "tools/list", "{}")
	p.end()
	command := "npx --no -- pinproof relock " + g.refusedFile(t) + " --server files " + filepath.Join(g.folder, "tools.lock")
	if !strings.Contains(got, ": "+command+`"}}`) || !strings.HasSuffix(p.stderr.String(), "\nreview:  "+command+"\n") {
		t.Errorf("%s%s", got, &p.stderr)
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

// pinproof runs pinproof in the project.
func (g *guarded) pinproof(t *testing.T, args ...string) {
	t.Helper()
	programs, _ := pinproofHere()
	cmd := exec.Command(programs+"/pinproof", args...)
	cmd.Dir = g.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestGuardPasses: a session with what was approved is the same with the guard as without, except for pages.
func TestGuardPasses(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, part := range []string{"good", "pages"} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			want := g.bare(t, part, revision)
			p := g.start(t, nil, part)
			got := p.session(revision)
			if code, _ := p.end(); code != 0 || got != want || p.stderr.Len() > 0 {
				t.Errorf("%s, %s: code %d\n%s\nwant\n%s\n%s", part, revision, code, got, want, &p.stderr)
			}
		}
	}
}

// bare plays a session without the guard.
func (g *guarded) bare(t *testing.T, part, revision string) string {
	t.Helper()
	self, _ := os.Executable()
	cmd := exec.Command(self, "play", part)
	cmd.Env = g.env
	p := g.run(t, cmd)
	said := p.session(revision)
	p.end()
	return said
}

// TestGuardUpgrade: a call of an entry that drifted reaches no server, though nobody asked for a list before. What
// drifted is refused and reviewed once, from any folder. After that, the next session passes.
func TestGuardUpgrade(t *testing.T) {
	t.Parallel()
	unixOnly(t) // elsewhere paths are quoted
	g := newGuarded(t)
	record := filepath.Join(t.TempDir(), "record")
	p := g.start(t, nil, "an entry changed", record)
	p.begin()
	got := p.ask(1, "tools/call", `{"name":"a"}`)
	again := p.ask(2, "tools/call", `{"name":"b"}`)
	code, all := p.end()
	file := g.refusedFile(t)
	command := "pinproof relock " + file + " --server files " + filepath.Join(g.folder, "tools.lock")
	what := `,` + blockedCode + `the tools of server files are not the ones approved in tools.lock (1 changed). Do not use them. A person reviews it at a terminal: ` + command + `"}}` + "\n"
	if code != 2 || got != `{"jsonrpc":"2.0","id":1`+what || again != `{"jsonrpc":"2.0","id":2`+what || strings.Contains(all, "EVIL") || strings.Contains(read(t, record), "tools/call") {
		t.Errorf("code %d\n%s%s%s", code, got, again, read(t, record))
	}
	if !strings.HasSuffix(p.stderr.String(), "review:  "+command+"\n") {
		t.Errorf("a person is told\n%s", &p.stderr)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, file)))); filepath.Base(file) != "files-"+sum[:16]+".jsonl" {
		t.Errorf("%s has the digest %s", file, sum)
	}
	programs, _ := pinproofHere()
	relock := exec.Command(filepath.Join(programs, "pinproof"), append(strings.Fields(command)[1:], "--accept-all")...)
	relock.Dir = t.TempDir()
	if out, err := relock.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p = g.start(t, nil, "an entry changed")
	p.begin()
	if got := p.ask(1, "tools/call", `{"name":"a"}`); !strings.Contains(got, "called a") {
		t.Errorf("the next session: %s", got)
	}
	p.end()
}

// TestGuardServerEnds: a server that ends has its last line judged, and whoever waits for an answer gets one.
func TestGuardServerEnds(t *testing.T) {
	t.Parallel()
	p := newGuarded(t).start(t, nil, "no end of the line")
	p.begin()
	got := p.ask(1, "tools/list", "{}")
	if code, _ := p.end(); code != 2 || !strings.Contains(got, blockedCode) || !strings.Contains(p.stderr.String(), "ADDED EVIL") {
		t.Errorf("code %d: %s\n%s", code, got, &p.stderr)
	}
}
