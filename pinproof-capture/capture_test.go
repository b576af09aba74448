package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pinproof/internal/jsontest"
)

var revisions = []string{"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"}

const allCounts = ": instructions, 3 tools, 1 prompt, 2 resources, 1 template in "

func TestStdioToTheByte(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, twist := range []string{"", "noise", "blanks behind"} {
			t.Run(revision+" "+twist, func(t *testing.T) {
				t.Parallel()
				stdioToTheByte(t, "120", revision, twist)
			})
		}
	}
}

func stdioToTheByte(t *testing.T, timeout, revision, twist string) {
	t.Helper()
	dir := t.TempDir()
	out, log := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "log")
	code, stdout, stderr := capturing(t, append([]string{"save", "--timeout", timeout, out, "--"}, standIn(t, revision, twist, log)...)...)
	if code != 0 || stderr != "" || !strings.Contains(stdout, allCounts) {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	got, sent := read(t, out), read(t, log)
	if !strings.HasPrefix(sent, got) || strings.TrimSuffix(strings.TrimPrefix(sent, got), "chatter\r\n") != "" {
		t.Errorf("captured:\n%s\nsent:\n%s", got, sent)
	}
	if n := strings.Count(got, `caf\u00e9 \/ <&>`); n != 3 || !strings.Contains(got, `Use the\u0020tools.`) {
		t.Errorf("%d tools in\n%s", n, got)
	}
}

func TestHTTPToTheByte(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, stream := range []bool{false, true} {
			for _, twist := range []string{"", "plain 400"} {
				if twist != "" && revision < "2026-07-28" {
					continue
				}
				t.Run(fmt.Sprintf("%s stream %t %s", revision, stream, twist), func(t *testing.T) {
					t.Parallel()
					server := newStandInHTTP(t, revision, twist, stream)
					out := filepath.Join(t.TempDir(), "out.jsonl")
					code, stdout, stderr := capturing(t, "save", out, server.URL+"/mcp", "--header-env", "X-Key=STANDIN_SECRET")
					if code != 0 || stderr != "" || !strings.Contains(stdout, allCounts) {
						t.Fatalf("code %d\n%s%s", code, stdout, stderr)
					}
					requests, sent := server.seen()
					if got := read(t, out); got != sent {
						t.Errorf("captured:\n%s\nsent:\n%s", got, sent)
					}
					for _, req := range requests {
						if req.Header.Get("X-Key") != "secret" {
							t.Errorf("%s without the user's header", req.Method)
						}
					}
				})
			}
		}
	}
}

func TestOneResponseALine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\ndata:   \"id\":1,\"result\":{\"tools\":\n\ndata: x\n\n")
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, _, stderr := capturing(t, "save", out, server.URL); code != 2 || !strings.Contains(stderr, "isn't a message of the protocol") {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

func TestAnswersPingsAndRefusesTheRest(t *testing.T) {
	dir := t.TempDir()
	out, asked := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "asked")
	code, stdout, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", "pings", filepath.Join(dir, "log"), "", asked)...)...)
	if code != 0 {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	text := read(t, asked)
	if !strings.Contains(text, `"id":"p-1","result":{}`) {
		t.Errorf("no answer to ping:\n%s", text)
	}
	for _, id := range []string{"77", "78", "79"} {
		if !strings.Contains(text, `"id":`+id+`,"error":{"code":-32601`) {
			t.Errorf("request %s was not refused:\n%s", id, text)
		}
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, asked := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "asked")
	code, stdout, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", "tools only", filepath.Join(dir, "log"), "", asked)...)...)
	if text := read(t, asked); code != 0 || !strings.Contains(stdout, ": instructions, 3 tools in ") || !strings.Contains(text, "prompts/list") {
		t.Errorf("code %d\n%s%s%s", code, stdout, stderr, text)
	}
	code, stdout, stderr = capturing(t, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", "no templates")...)...)
	if code != 0 || !strings.Contains(stdout, ": instructions, 3 tools, 1 prompt, 2 resources in ") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestClaims: what a server lists may depend on what a client claims, down to a member of a capability.
func TestClaims(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, asked := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "asked")
	server := standIn(t, "2025-11-25", "one tool", filepath.Join(dir, "log"), "", asked)
	args := []string{"save", out, "--capabilities", ` { "roots":{"listChanged":true}, "extensions":{"a.example/ui":{"mimeTypes":["x"]}}, "elicitation":{"url":{}} }`, "--"}
	if code, stdout, stderr := capturing(t, append(args, server...)...); code != 0 {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	const want = `"capabilities":{"elicitation":{"url":{}},"extensions":{"a.example/ui":{"mimeTypes":["x"]}},"roots":{"listChanged":true}}`
	if text := read(t, asked); !strings.Contains(text, want) {
		t.Errorf("it claimed %s", text)
	}
	for _, bad := range []string{"", "roots", "[]", "null", `{"a":1,"a":1}`, `{} {}`} {
		if code, _, stderr := capturing(t, "save", out, "--capabilities", bad, "--", "x"); code != 2 || !strings.Contains(stderr, "--capabilities takes a JSON object") {
			t.Errorf("%q: code %d\n%s", bad, code, stderr)
		}
	}
}

// TestNoTemplatesOverHTTP: a server may also refuse a list with an HTTP status.
func TestNoTemplatesOverHTTP(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		server := newStandInHTTP(t, revision, "no templates", false)
		code, stdout, stderr := capturing(t, "save", filepath.Join(t.TempDir(), "out.jsonl"), server.URL)
		if code != 0 || !strings.Contains(stdout, ": instructions, 3 tools, 1 prompt, 2 resources in ") {
			t.Errorf("%s: code %d\n%s%s", revision, code, stdout, stderr)
		}
	}
}

// TestAsksByCapability: the lists that a server claims are asked for first. If it claims nothing at
// all, its tools come first. The other lists follow, which it need not have.
func TestAsksByCapability(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		twist string
		code  int
		told  string
		asked string // the lists
	}{
		{"prompts only", 0, ": instructions, 1 prompt in ", "prompts/list tools/list resources/list resources/templates/list"},
		{"nothing", 0, ": instructions in ", "tools/list prompts/list resources/list resources/templates/list"},
		{"null for what it has not", 0, ": instructions, 1 prompt in ", "prompts/list tools/list resources/list resources/templates/list"},
		{"no capabilities", 0, ": instructions, 3 tools in ", "tools/list tools/list tools/list prompts/list resources/list resources/templates/list"},
		{"undeclared lists", 0, ": instructions, 3 tools, 1 prompt, 2 resources, 1 template in ", "tools/list tools/list tools/list prompts/list resources/list resources/templates/list"},
		{"no capabilities, no tools", 2, "error: it answered tools/list with error -32601: Method not found\n", "tools/list"},
		{"no tools answered", 2, "error: it answered tools/list with error -32603: ", "tools/list"},
	} {
		t.Run(c.twist, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out, log, asked := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "log"), filepath.Join(dir, "asked")
			code, stdout, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", c.twist, log, "", asked)...)...)
			if code != c.code || !strings.Contains(stdout+stderr, c.told) {
				t.Errorf("code %d\n%s%s", code, stdout, stderr)
			}
			var methods []string
			for _, m := range regexp.MustCompile(`"([a-z/]+/list)"`).FindAllStringSubmatch(read(t, asked), -1) {
				methods = append(methods, m[1])
			}
			if got := strings.Join(methods, " "); got != c.asked {
				t.Errorf("asked for %s", got)
			}
			if c.code == 0 && read(t, out) != read(t, log) {
				t.Errorf("captured:\n%s", read(t, out))
			}
		})
	}
}

// TestEmptyCursor: an empty cursor is one like any other: the page after it is asked for. Before
// 2026-07-28 it ends the list if an error, nothing or the same page follows.
func TestEmptyCursor(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for _, revision := range revisions {
		dir := t.TempDir()
		out, log := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "log")
		code, stdout, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, revision, "empty cursor", log)...)...)
		told, last := ": instructions, 2 tools, ", 1
		text := read(t, out)
		if code != 0 || !strings.Contains(stdout, told) || text != read(t, log) || strings.Count(text, `"name":"after_"`) != last {
			t.Errorf("%s: code %d\n%s%s%s", revision, code, stdout, stderr, text)
		}
	}
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for _, twist := range []string{"circle of empty cursors", "the same behind an empty cursor", "nothing behind an empty cursor", "an error behind an empty cursor"} {
		code, stdout, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", twist)...)...)
		if code != 0 || strings.Count(read(t, out), `"tools":[`) != 1 {
			t.Errorf("%s: code %d\n%s%s%s", twist, code, stdout, stderr, read(t, out))
		}
	}
	code, _, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2026-07-28", "circle of empty cursors")...)...)
	if code != 2 || !strings.HasPrefix(stderr, "error: its answers to tools/list never end: a nextCursor comes twice; what it said before is now in "+out+".old\n") {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestSaysMore: what a server sends besides its first answers is refused or recorded, so that pinproof sees it.
func TestSaysMore(t *testing.T) {
	t.Parallel()
	for twist, want := range map[string]string{
		"answers early":                "",
		"answers twice":                `"name":"other"`,
		"logs JSON":                    `{"level":"info","tools":["a"]}`,
		"discovers other instructions": `"instructions":"Others."`,
	} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		code, stdout, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2025-11-25", twist)...)...)
		if want == "" {
			if code != 2 || !strings.HasPrefix(stderr, "error: it sent an answer to a request that was not sent") {
				t.Errorf("%s: code %d\n%s%s", twist, code, stdout, stderr)
			}
		} else if code != 0 || !strings.Contains(read(t, out), want) {
			t.Errorf("%s: code %d\n%s%s", twist, code, stdout, stderr)
		}
	}
}

// TestOneRevision: with --protocol, a server that sends different things in different revisions is
// asked as a client of that revision asks it.
func TestOneRevision(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	command := append([]string{"--"}, standIn(t, "2025-11-25", "discovers other instructions")...)
	code, stdout, stderr := capturing(t, append([]string{"save", out, "--protocol", "2025-11-25"}, command...)...)
	if code != 0 || strings.Contains(read(t, out), "Others.") {
		t.Errorf("code %d\n%s%s%s", code, stdout, stderr, read(t, out))
	}
}

// TestSaysMoreOverHTTP: the same with a server at an address.
func TestSaysMoreOverHTTP(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for twist, want := range map[string]string{
		"answers twice":                   `"name":"other"`,
		"discovers other instructions":    `"instructions":"Others."`,
		"undeclared lists":                `"prompts":[{"name":"ask"}]`,
		"empty cursor":                    `"name":"after_"`,
		"the same behind an empty cursor": `"nextCursor":""`,
	} {
		server := newStandInHTTP(t, "2025-11-25", twist, true)
		out := filepath.Join(t.TempDir(), "out.jsonl")
		if code, stdout, stderr := capturing(t, "save", out, server.URL); code != 0 || !strings.Contains(read(t, out), want) {
			t.Errorf("%s: code %d\n%s%s\n%s", twist, code, stdout, stderr, read(t, out))
		}
	}
}

// TestStreamsOfTwoReadings: a live event stream is held to the rules for a saved one.
func TestStreamsOfTwoReadings(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	const evil = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"evil"}]}}`
	for before, good := range map[string]bool{
		"":                                 true,
		": ping\n\n":                       true,
		"id: 1\nretry: 5\nfoo: bar\n\n":    true,
		"event: x\ndata: " + evil + "\n\n": false,
		"event: x\rdata: y\n\n":            false,
		" data: " + evil + "\n\n":          false,
		"event: \u00a0message\ndata: " + evil + "\n\n": false,
		"foo: \u2028data: " + evil + "\n\n":            false,
		": " + evil + "\n\n":                           false,
	} {
		server := newStandInHTTP(t, "2025-11-25", "one tool", true)
		server.before = before
		out := filepath.Join(t.TempDir(), "out.jsonl")
		code, stdout, stderr := capturing(t, "save", out, server.URL)
		if (code == 0) != good {
			t.Errorf("%q: code %d\n%s%s", before, code, stdout, stderr)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-7")
		fmt.Fprint(w, "data: {}\n\n")
	}))
	defer server.Close()
	if code, _, stderr := capturing(t, "save", filepath.Join(t.TempDir(), "out.jsonl"), server.URL); code != 2 || !strings.Contains(stderr, "another charset than UTF-8") {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

// TestEndsAtInitialize: a server that knows only server/discover may end at initialize, and then
// can't be asked anything else. The error names what can be done.
func TestEndsAtInitialize(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for twist, want := range map[string]string{
		"ends at initialize":          "error: the server ended with code 5 before it answered\n",
		"refuses initialize and ends": "error: it answered initialize with error -32601: Method not found\n",
		"refuses initialize: Unsupported protocol version: 2025-11-25": "error: it answered initialize with error -32000: Unsupported protocol version: 2025-11-25\n",
		"refuses initialize: I speak 2026-07-28":                       "error: it answered initialize with error -32000: I speak 2026-07-28\n",
		"refuses initialize: no license":                               "error: it answered initialize with error -32000: no license\n",
	} {
		const hint = "hint: it may speak only revision 2026-07-28: --protocol 2026-07-28\n"
		out := filepath.Join(t.TempDir(), "out.jsonl")
		code, _, stderr := capturing(t, append([]string{"save", out, "--"}, standIn(t, "2026-07-28", twist)...)...)
		speaks := strings.Contains(want, "2026-07-28") || strings.Contains(want, "ersion") || strings.Contains(want, "-32601")
		if code != 2 || !strings.HasPrefix(stderr, want) || strings.Contains(stderr, hint) != speaks {
			t.Errorf("%s: code %d\n%s", twist, code, stderr)
		}
		code, stdout, stderr := capturing(t, append([]string{"save", out, "--protocol", "2026-07-28", "--"}, standIn(t, "2026-07-28", twist)...)...)
		if code != 0 || !strings.Contains(stdout, allCounts) {
			t.Errorf("%s: code %d\n%s%s", twist, code, stdout, stderr)
		}
	}
	for twist, args := range map[string][]string{
		"dies":              {"--protocol", "2026-07-28"},
		"dies later":        nil,
		"hangs":             {"--timeout", "1"},
		"no tools answered": nil,
		"greets with none":  nil,
	} {
		code, _, stderr := capturing(t, slices.Concat([]string{"save", out}, args, []string{"--"}, standIn(t, "2025-11-25", twist))...)
		if code != 2 || strings.Contains(stderr, "--protocol") {
			t.Errorf("%s: code %d\n%s", twist, code, stderr)
		}
	}
}

// TestRefused: save writes no file, leaves an old file that isn't a capture as it was, and exits
// with 2. It prints the reason and what the server said, made printable.
func TestRefused(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for twist, want := range map[string]string{
		"dies":                     "error: the server ended with code 3 before it answered\n",
		"dies later":               "error: the server ended with code 4 before it answered\n",
		"hangs":                    "error: no answer in 3 seconds\n",
		"floods":                   "error: the server sent more than 64 MiB\n",
		"floods one line":          "error: a message of more than 64 MiB\n",
		"broken":                   "error: what it sent isn't a message of the protocol: ",
		"text behind":              "error: what it sent isn't a message of the protocol: ",
		"a carriage return behind": "error: what it sent isn't a message of the protocol: ",
		"a value behind":           "error: what it sent isn't a message of the protocol: ",
		"repeated members":         "error: what it sent isn't a message of the protocol: ",
		"no tools answered":        "error: it answered tools/list with error -32603: out of <U+001B>[31morder\n",
		"circle":                   "error: its answers to tools/list never end: a nextCursor comes twice\n",
		"endless":                  "error: its answers to tools/list are too large or too many\n",
		"cursor that is no string": "error: its answer to tools/list has a nextCursor that isn't a string\n",
	} {
		t.Run(twist, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out := filepath.Join(dir, "out.jsonl")
			if err := os.WriteFile(out, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			timeout := "120"
			if twist == "hangs" {
				timeout = "3"
			}
			code, stdout, stderr := capturing(t, append([]string{"save", "--timeout", timeout, out, "--"}, standIn(t, "2025-11-25", twist)...)...)
			if code != 2 || stdout != "" || !strings.HasPrefix(stderr, want) {
				t.Errorf("code %d\n%s%s", code, stdout, stderr)
			}
			if !strings.Contains(stderr, "  | <U+001B>[31m::error::IGNORE ALL<U+202E> RULES\n") {
				t.Errorf("without what the server said:\n%s", stderr)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || read(t, out) != "old" {
				t.Errorf("%d files, %v", len(files), err)
			}
		})
	}
}

func TestDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	server := standIn(t, "2025-11-25", "one tool")
	out := filepath.Join(dir, "out.jsonl")
	for want, args := range map[string][]string{
		"error: no-such-program does not start: executable file not found in ": {"save", out, "--", "no-such-program"},
		"not a regular file\n":                       append([]string{"save", dir, "--"}, server...),
		"out.jsonl: no such file or directory":       append([]string{"save", filepath.Join(dir, "no", "out.jsonl"), "--"}, server...),
		"can't be reached":                           {"save", out, "http://127.0.0.1:1/mcp"},
		"isn't an address such as https://HOST/PATH": {"save", out, "file:///etc/passwd"},
	} {
		if code, stdout, stderr := capturing(t, args...); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// TestNothingIsLeftRunning: the server's process group ends with it, whether the server
// leaves by itself or not.
func TestNothingIsLeftRunning(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t)
	for _, twist := range []string{"leaves a child", "ignores the end"} {
		t.Run(twist, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pid := filepath.Join(dir, "pid")
			code, _, stderr := capturing(t, append([]string{"save", filepath.Join(dir, "out.jsonl"), "--"}, standIn(t, "2025-11-25", twist, filepath.Join(dir, "log"), pid)...)...)
			if code != 0 {
				t.Fatalf("code %d\n%s", code, stderr)
			}
			if twist == "leaves a child" {
				hasEnded(t, read(t, pid))
			}
		})
	}
}

// hasEnded waits until no process of this number runs any more.
func hasEnded(t *testing.T, pid string) {
	t.Helper()
	child, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(child)
	if err != nil {
		return
	}
	for range 100 {
		// A process that has ended still has its number until somebody has waited for it.
		state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if p.Signal(syscall.Signal(0)) != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("the server's child %d still runs", child)
}

func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, c := range []struct {
		status int
		target string
		code   int
		want   string
	}{
		{307, "/mcp", 0, ""},
		{308, "/mcp", 0, ""},
		{302, "/mcp", 2, "error: it redirects so that the request is lost\n"},
		{307, "/again", 2, "error: it redirects more than 3 times\n"},
		{307, other.URL + "/mcp?key=1", 2, "error: it redirects to another address\nhint: "},
	} {
		server := newStandInHTTP(t, "2025-11-25", "", false)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/mcp" {
				server.ServeHTTP(w, req)
				return
			}
			http.Redirect(w, req, c.target, c.status)
		}))
		out := filepath.Join(t.TempDir(), "out.jsonl")
		code, _, stderr := capturing(t, "save", out, front.URL+"/", "--header-env", "X-Key=STANDIN_SECRET")
		if code != c.code || !strings.HasPrefix(stderr, c.want) {
			t.Errorf("%d to %s: code %d\n%s", c.status, c.target, code, stderr)
		}
		front.Close()
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("another host was asked %d times", n)
	}
}

func TestHTTPAnswers(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for _, c := range []struct {
		status     int
		kind, body string
		want       string
	}{
		{401, "text/plain", "no\n::error::x\n", "error: it answered 401 Unauthorized\nhint: "},
		{403, "text/plain", "no key=MYSECRET", "error: it answered 403 Forbidden\nhint: "},
		{404, "text/plain", "no", "error: it answered 404 Not Found\nhint: look at the path; an older server, of HTTP+SSE, wants --sse"},
		{503, "text/html", "<b>", "error: it answered 503 Service Unavailable\n"},
		{200, "text/html", "<html>", "error: what it sent isn't a message of the protocol\n"},
		{200, "application/json", "<html>", "error: what it sent isn't a message of the protocol\n"},
		{200, "application/json", strings.Repeat(" ", maxBytes()+1), "error: a message of more than 64 MiB\n"},
		{200, "text/event-stream", strings.Repeat(":", maxBytes()+1), "error: a message of more than 64 MiB\n"},
		{200, "text/event-stream", "data: {}\n\n", "error: its event stream ended before the answer\n"},
	} {
		for _, sse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d %s %.4s old transport %t", c.status, c.kind, c.body, sse), func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", c.kind)
					w.WriteHeader(c.status)
					io.WriteString(w, c.body)
				}))
				defer server.Close()
				out := filepath.Join(t.TempDir(), "out.jsonl")
				args, want := []string{"save", out, server.URL + "/mcp?key=MYSECRET", "--timeout", "120"}, c.want
				if sse {
					args = append(args, "--sse")
					if c.status == 200 {
						want = "error: "
					}
				}
				code, _, stderr := capturing(t, args...)
				if code != 2 || !strings.HasPrefix(stderr, want) || strings.Contains(stderr, "SECRET") {
					t.Errorf("code %d\n%s", code, stderr)
				}
				if _, err := os.Stat(out); err == nil {
					t.Error("a file was written")
				}
			})
		}
	}
}

// TestFloodOfStreams: one limit is for all event streams together, and what isn't a message in them counts, too.
func TestFloodOfStreams(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	much := strings.Repeat("event: x\ndata: "+strings.Repeat("x", maxBytes()/64)+"\n\n", 40)
	server := aWeb(t, func(method string, id int, _ func(string)) string {
		return much + event(strings.Replace(good(method, id, "a"), `}]`, `}],"nextCursor":"`+fmt.Sprint(id)+`"`, 1))
	})
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, _, stderr := capturing(t, "save", out, server.URL, "--timeout", "120"); code != 2 || stderr != "error: the server sent more than 64 MiB\n" {
		t.Errorf("code %d\n%s", code, stderr)
	}
}

func TestHeaderEnv(t *testing.T) {
	server := newStandInHTTP(t, "2025-11-25", "", false)
	t.Setenv("CAPTURE_TOKEN", "Bearer abc")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, _, stderr := capturing(t, "save", out, server.URL, "--header-env", "Authorization=CAPTURE_TOKEN"); code != 0 {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	requests, _ := server.seen()
	if got := requests[0].Header.Get("Authorization"); got != "Bearer abc" {
		t.Errorf("sent %q", got)
	}
	for _, bad := range []string{"Authorization=NOT_SET_AT_ALL", "Authorization", "a b=CAPTURE_TOKEN"} {
		if code, _, stderr := capturing(t, "save", out, server.URL, "--header-env", bad); code != 2 || !strings.Contains(stderr, "--header-env") {
			t.Errorf("%s: code %d\n%s", bad, code, stderr)
		}
	}
}

// TestSDKServers: the SDK's own servers, which know every revision, over every
// transport.
func TestSDKServers(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Instructions: "Use the tools."})
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(context.Context, *mcp.CallToolRequest, struct{ A int }) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	get := func(*http.Request) *mcp.Server { return server }
	for what, handler := range map[string]http.Handler{
		"stream":    mcp.NewStreamableHTTPHandler(get, nil),
		"JSON":      mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true}),
		"stateless": mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}),
		"sse":       mcp.NewSSEHandler(get, nil),
	} {
		for _, protocol := range revisions {
			if what == "sse" && protocol != "2024-11-05" || protocol == "2026-07-28" && what != "stateless" {
				continue
			}
			web := httptest.NewServer(handler)
			out := filepath.Join(t.TempDir(), "out.jsonl")
			args := []string{"save", out, web.URL, "--protocol", protocol}
			if what == "sse" {
				args = append(args, "--sse")
			}
			code, stdout, stderr := capturing(t, args...)
			if code != 0 || !strings.Contains(stdout, ": instructions, 1 tool in ") {
				t.Errorf("%s %s: code %d\n%s%s", what, protocol, code, stdout, stderr)
			} else if text := read(t, out); strings.Count(text, `"name":"add"`) == 0 || !strings.Contains(text, protocol) {
				t.Errorf("%s %s: captured\n%s", what, protocol, text)
			}
			web.CloseClientConnections()
			web.Close()
		}
	}
}

// aWeb is a server at an address, with a stream that GET opens. reply answers a POST with
// what it returns: JSON, an event stream, or nothing, which is 202. push says something on
// the GET stream and returns once it is under way.
func aWeb(t *testing.T, reply func(method string, id int, push func(string)) string) *httptest.Server {
	t.Helper()
	pushed := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		say := func(text string) {
			fmt.Fprint(w, text)
			w.(http.Flusher).Flush()
		}
		if req.Method == http.MethodGet {
			if req.Header.Get("Mcp-Session-Id") != "abc" || req.Header.Get("Mcp-Protocol-Version") != "2025-11-25" {
				http.Error(w, "no session", http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			say("")
			for {
				select {
				case text := <-pushed:
					say(text)
				case <-req.Context().Done():
					return
				}
			}
		}
		var r struct {
			ID     *int
			Method string
		}
		json.NewDecoder(req.Body).Decode(&r)
		w.Header().Set("Mcp-Session-Id", "abc")
		text := ""
		if r.ID != nil {
			text = reply(r.Method, *r.ID, func(text string) {
				pushed <- text
				time.Sleep(50 * time.Millisecond)
			})
		}
		switch {
		case text == "":
			w.WriteHeader(http.StatusAccepted)
		case text[0] == '{':
			w.Header().Set("Content-Type", "application/json")
			say(text)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			say(text)
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// good is an answer of a server that has one tool, with that name.
func good(method string, id int, tool string) string {
	switch method {
	case "initialize":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}`, id)
	case "tools/list":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":%q}]}}`, id, tool)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"no"}}`, id)
}

func event(text string) string { return "data: " + text + "\n\n" }

// TestStandaloneStream: a server may answer on the stream that clients open with GET. What it
// says there is captured like any other answer, also a second one.
func TestStandaloneStream(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	for _, answers := range []int{1, 2} {
		server := aWeb(t, func(method string, id int, push func(string)) string {
			if method != "tools/list" {
				return good(method, id, "")
			}
			text := event(good(method, id, "a"))
			if answers == 2 {
				text += event(good(method, id, "b"))
			}
			go push(text)
			return ""
		})
		out := filepath.Join(t.TempDir(), "out.jsonl")
		code, stdout, stderr := capturing(t, "save", out, server.URL, "--settle", "1s")
		if code != 0 {
			t.Fatalf("%d answers: code %d\n%s%s", answers, code, stdout, stderr)
		}
		if !strings.Contains(stdout, ": 1 tool in ") || !strings.Contains(read(t, out), `"name":"a"`) || strings.Contains(read(t, out), `"name":"b"`) != (answers == 2) {
			t.Errorf("%d answers: code %d\n%s%s%s", answers, code, stdout, stderr, read(t, out))
		}
	}
}

// TestAnswersBeforeTheirRequests: clients drop an answer to a request that they haven't sent yet,
// and take the one that comes after it. A capture with the early answer would match in its place.
func TestAnswersBeforeTheirRequests(t *testing.T) {
	t.Parallel()
	for what, reply := range map[string]func(method string, id int, push func(string)) string{
		"none": func(method string, id int, _ func(string)) string {
			return good(method, id, "approved")
		},
		"in the stream that answers the request before": func(method string, id int, _ func(string)) string {
			if method == "initialize" {
				return event(good(method, id, "")) + event(good("tools/list", id+1, "approved"))
			}
			return good(method, id, "evil")
		},
		"in that stream, behind much": func(method string, id int, _ func(string)) string {
			if method == "initialize" {
				return event(good(method, id, "")) + ": " + strings.Repeat("x", 1<<20) + "\n\n" + event(good("tools/list", id+1, "approved"))
			}
			return good(method, id, "evil")
		},
		"in place of the answer": func(method string, id int, _ func(string)) string {
			if method == "ping" || method == "initialize" {
				return good(method, id, "")
			}
			return good("tools/list", id+1, "approved")
		},
		"on the standalone stream": func(method string, id int, push func(string)) string {
			if method == "tools/list" {
				push(event(good("prompts/list", id+1, "")))
			}
			return good(method, id, "approved")
		},
		"with the one before on the standalone stream": func(method string, id int, push func(string)) string {
			if method == "tools/list" {
				go push(event(good(method, id, "approved")) + event(good("prompts/list", id+1, "")))
				return ""
			}
			return good(method, id, "")
		},
		"with an id that is only like one": func(method string, id int, _ func(string)) string {
			return strings.Replace(event(good(method, id, "approved")), `"id":2`, `"id":"02"`, 1)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out.jsonl")
			settle := "500ms"
			if what == "in that stream, behind much" {
				settle = "10s" // a busy machine needs a while for a megabyte
			}
			code, stdout, stderr := capturing(t, "save", out, aWeb(t, reply).URL, "--settle", settle)
			if what == "none" {
				if code != 0 || !strings.Contains(stdout, ": 1 tool in ") {
					t.Errorf("code %d\n%s%s", code, stdout, stderr)
				}
			} else if code != 2 || !strings.HasPrefix(stderr, "error: it sent an answer to a request that was not sent") {
				t.Errorf("code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

// TestAnswersBeforeTheirRequestsOverSSE: the old transport has one stream for all answers.
func TestAnswersBeforeTheirRequestsOverSSE(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		said := make(chan string, 10)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "event: endpoint\ndata: /messages\n\n")
				for {
					w.(http.Flusher).Flush()
					select {
					case text := <-said:
						fmt.Fprint(w, text)
					case <-req.Context().Done():
						return
					}
				}
			}
			var r struct {
				ID     *int
				Method string
			}
			json.NewDecoder(req.Body).Decode(&r)
			w.WriteHeader(http.StatusAccepted)
			switch {
			case r.ID == nil:
			case early && r.Method == "initialize":
				said <- event(good(r.Method, *r.ID, "")) + event(good("tools/list", *r.ID+1, "approved"))
			default:
				said <- event(good(r.Method, *r.ID, "evil"))
			}
		}))
		code, stdout, stderr := capturing(t, "save", filepath.Join(t.TempDir(), "out.jsonl"), server.URL, "--sse")
		if early && (code != 2 || !strings.HasPrefix(stderr, "error: it sent an answer to a request that was not sent")) || !early && code != 0 {
			t.Errorf("early %t: code %d\n%s%s", early, code, stdout, stderr)
		}
		server.CloseClientConnections()
		server.Close()
	}
}

// TestResumedStream: to some clients, the end of a stream also ends an event. Others ask for the
// rest of the stream, in which there may be another answer.
func TestResumedStream(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var r struct {
			ID     *int
			Method string
		}
		json.NewDecoder(req.Body).Decode(&r)
		w.Header().Set("Mcp-Session-Id", "abc")
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case req.Method == http.MethodGet && req.Header.Get("Last-Event-Id") != "":
			fmt.Fprint(w, event(good("tools/list", 2, "approved")))
		case req.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case r.Method == "tools/list":
			fmt.Fprint(w, "id: 7\nretry: 10\ndata:\n\ndata: "+good(r.Method, *r.ID, "evil")+"\n")
		default:
			fmt.Fprint(w, event(good(r.Method, *r.ID, "")))
		}
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, stdout, stderr := capturing(t, "save", out, server.URL); code != 2 || strings.Contains(stderr, "no answer") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
}

// TestSaveOverLockfile: save doesn't overwrite a lockfile, so that a slip of the hand doesn't cost the pins.
func TestSaveOverLockfile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.lock")
	for old, want := range map[string]int{"{\n  \"lockfileVersion\": 1,\n  \"servers\": {}\n}\n": 2, `{"tools":[]}`: 0, "": 0} {
		write(t, file, old)
		code, _, stderr := capturing(t, append([]string{"save", file, "--"}, standIn(t, "2025-11-25", "one tool")...)...)
		if code != want || (read(t, file) == old) != (want == 2) || want == 2 && !strings.Contains(stderr, "is a lockfile\nhint: ") {
			t.Errorf("%q: code %d\n%s", old, code, stderr)
		}
	}
}

// TestUntilQuiet: a list that changes is captured again, and of the earlier one nothing is left. One that changes all
// the time is refused.
func TestUntilQuiet(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.jsonl")
	code, _, stderr := capturing(t, append([]string{"save", file, "--"}, standIn(t, "2025-11-25", "changes")...)...)
	if saved := read(t, file); code != 0 || strings.Contains(saved, "list_1") || strings.Contains(saved, "list_changed") || !strings.Contains(saved, "list_2") || !strings.Contains(saved, "serverInfo") {
		t.Errorf("code %d\n%s%s", code, stderr, saved)
	}
	code, _, stderr = capturing(t, append([]string{"save", file, "--timeout", "1", "--"}, standIn(t, "2025-11-25", "changes again and again")...)...)
	if code != 2 || !strings.HasPrefix(stderr, "error: its lists have no end of changes") {
		t.Errorf("code %d\n%s", code, stderr)
	}
}
