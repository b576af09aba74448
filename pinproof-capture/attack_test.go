package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// A puppet is a stdio server that does what a test says, line by line.
type puppet struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// playPuppet lets a test speak as the server, until a moment after the end of its input.
func playPuppet(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(9)
	}
	go func() {
		io.Copy(conn, os.Stdin)
		time.Sleep(500 * time.Millisecond)
		os.Exit(0)
	}()
	io.Copy(os.Stdout, conn)
}

// puppet starts the guard before a puppet.
func (g *guarded) puppet(t *testing.T, flags ...string) (*peer, *puppet) {
	t.Helper()
	return g.puppetAs(t, "files", flags...)
}

// puppetAs does the same under a given server ID.
func (g *guarded) puppetAs(t *testing.T, id string, flags ...string) (*peer, *puppet) {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	p := g.startAs(t, id, flags, "puppet", at.Addr().String())
	at.(*net.TCPListener).SetDeadline(time.Now().Add(generous))
	conn, err := at.Accept()
	if err != nil {
		t.Fatalf("%v\n%s", err, &p.stderr)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(generous))
	return p, &puppet{t, conn, bufio.NewReader(conn)}
}

// says writes lines of the server's.
func (s *puppet) says(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(s.conn, line)
	}
}

// answers answers the request with that id. Both the id and the result are sent as they are spelled.
func (s *puppet) answers(id any, result string) {
	s.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, id, result))
}

// refuses answers the request with that id with an error.
func (s *puppet) refuses(id string) {
	s.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id))
}

// hears returns the next line of the client's, or of the guard's, and its id; "" at the end.
func (s *puppet) hears() (line, id string) {
	line, _ = s.in.ReadString('\n')
	var m struct{ ID json.RawMessage }
	json.Unmarshal([]byte(line), &m)
	return line, string(m.ID)
}

func page(next string, entries ...string) string {
	result := `{"tools":[` + strings.Join(entries, ",") + `]`
	if next != "" {
		result += `,"nextCursor":"` + next + `"`
	}
	return result + "}"
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func (p *peer) lists(id int, cursor string) {
	params := "{}"
	if cursor != "" {
		params = `{"cursor":"` + cursor + `"}`
	}
	p.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":%s}`, id, params)
}

// TestGuardTwoListings: two listings of one list, whose pages come by turns, with different cursors
// or with the same ones. Each page is judged together with the earlier pages of its own listing.
func TestGuardTwoListings(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	p, s := g.puppet(t)
	step := func(id int, cursor, result string) string {
		p.lists(id, cursor)
		_, asked := s.hears()
		s.answers(asked, result)
		return p.answer(id)
	}
	for i, turn := range []struct{ cursor, result string }{
		{"", page("x2", toolA)},
		{"", page("y2", toolA)},
		{"x2", page("x3", toolB)},
		{"y2", page("y3", toolB)},
		{"y3", page("", toolC)},
		{"x3", page("", toolC)},
		{"x3", page("", toolC)}, // asked once more
		{"", page("z", toolB)},
		{"x2", page("x3", toolB)},
	} {
		if got := step(i, turn.cursor, turn.result); !strings.Contains(got, turn.result) {
			t.Fatalf("turn %d: %s\n%s", i, got, &p.stderr)
		}
	}
	if got := step(100, "x3", page("", toolA)); !strings.Contains(got, blockedCode) {
		t.Errorf("an entry of page 1 on page 3, with another listing between: %s", got)
	}
	if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "DUPLICATE a") {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
}

// TestGuardListingOfOurs: the guard's own listing comes between the pages of the client's.
func TestGuardListingOfOurs(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	p, s := newGuarded(t).puppet(t)
	p.lists(1, "")
	s.hears()
	s.answers(1, page("x2", toolA))
	p.answer(1)
	s.says(listChanged)
	if line := <-p.lines; !strings.Contains(line, "list_changed") {
		t.Fatal(line)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	_, ours := s.hears()
	s.answers(ours, page("y2", toolA))
	_, ours = s.hears()
	p.lists(3, "x2")
	s.hears()
	s.answers(3, page("", toolB, toolC))
	if got := p.answer(3); !strings.Contains(got, toolB) {
		t.Fatalf("page 2 of the client's: %s\n%s", got, &p.stderr)
	}
	s.answers(ours, page("", toolB, toolC))
	line, id := s.hears()
	if !strings.Contains(line, "tools/call") {
		t.Fatalf("%s\n%s", line, &p.stderr)
	}
	s.answers(id, `{"content":[]}`)
	if got := p.answer(2); !strings.Contains(got, "content") {
		t.Errorf("the call: %s", got)
	}
	if code, all := p.end(); code != 0 || strings.Contains(all, "pinproof-") || p.stderr.Len() > 0 {
		t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
	}
}

const evilPage = `{"tools":[` + toolA + `,` + evilTool + `]}`

// smuggled are answers in the place of a list that was asked for under the id 1.
var smuggled = map[string][]string{
	"another id":             {`{"jsonrpc":"2.0","id":99,"result":` + evilPage + `}`},
	"another id, then good":  {`{"jsonrpc":"2.0","id":"x","result":` + evilPage + `}`, `{"jsonrpc":"2.0","id":1,"result":` + allTools + `}`},
	"a used id":              {`{"jsonrpc":"2.0","id":1,"result":` + allTools + `}`, `{"jsonrpc":"2.0","id":1,"result":` + evilPage + `}`},
	"a result and an error":  {`{"jsonrpc":"2.0","id":1,"result":` + evilPage + `,"error":{"code":1,"message":"EVIL"}}`},
	"a method and a result":  {`{"jsonrpc":"2.0","id":1,"method":"ping","result":` + evilPage + `}`},
	"no method and a result": {`{"jsonrpc":"2.0","id":1,"method":null,"result":` + evilPage + `}`},
	"no id":                  {`{"jsonrpc":"2.0","result":` + evilPage + `}`},
	"a null id":              {`{"jsonrpc":"2.0","id":null,"result":` + evilPage + `}`},
	"beside prompts":         {`{"jsonrpc":"2.0","id":1,"result":{"prompts":[` + promptP + `],"tools":[` + evilTool + `]}}`},
	"beside resources":       {`{"jsonrpc":"2.0","id":1,"result":{"resources":[],"tools":[` + evilTool + `]}}`},
	"prompts beside tools":   {`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `],"prompts":[{"name":"EVIL"}]}}`},
	"instructions beside":    {`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `],"instructions":"EVIL"}}`},
	"no array":               {`{"jsonrpc":"2.0","id":1,"result":{"tools":{"0":` + evilTool + `,"length":1}}}`},
	"an array in it":         {`{"jsonrpc":"2.0","id":1,"result":{"tools":[[` + evilTool + `]]}}`},
	"a name twice":           {`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `,` + evilA + `]}}`},
	"a name in escapes":      {`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.Replace(evilA, `"a"`, `"\u0061"`, 1) + `]}}`},
	"two values":             {`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":1,"result":` + evilPage + `}`},
	"a separator": {`{"jsonrpc":"2.0","id":1,"result":{"x":"` + "\u2028" + `{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}"}}`,
		`{"jsonrpc":"2.0","id":1,"result":` + evilPage + `}`},
	"after list_changed": {listChanged, `{"jsonrpc":"2.0","id":1,"result":` + evilPage + `}`},
	"cut off":            {strings.TrimSuffix(`{"jsonrpc":"2.0","id":1,"result":`+evilPage+`}`, "]}}")},
}

// TestGuardSmuggles: each of these answers comes in the place of the list that was asked for. What
// no pin approves reaches nobody, whichever id it comes under, and whatever comes beside it.
func TestGuardSmuggles(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for name, lines := range smuggled {
		for _, onDrift := range []string{"end", "subset"} {
			t.Run(name+", "+onDrift, func(t *testing.T) {
				t.Parallel()
				p, s := g.puppet(t, "--on-drift="+onDrift)
				p.lists(1, "")
				s.hears()
				s.says(lines...)
				p.send(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
				s.hears()
				s.answers(7, "{}")
				p.answer(7)
				p.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"EVIL"}}`)
				p.send(`{"jsonrpc":"2.0","id":9,"method":"notifications/x"}`)
				for line, id := s.hears(); line != "" && !strings.Contains(line, `"id":9`); line, id = s.hears() {
					if strings.Contains(line, "EVIL") {
						t.Errorf("the server got %s", line)
					}
					// The guard would wait for the rest, which it asks for to have it reviewed.
					if id != "" {
						s.refuses(id)
					}
				}
				if _, all := p.end(); strings.Contains(all, "EVIL") || p.stderr.Len() == 0 {
					t.Errorf("%s\n%s", all, &p.stderr)
				}
			})
		}
	}
}

// TestWebSmuggles: the same with a server at an address.
func TestWebSmuggles(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for name, lines := range smuggled {
		for _, kind := range jsontest.Some([]string{"application/json", "text/event-stream"}, name) {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					body, _ := io.ReadAll(req.Body)
					w.Header().Set("Content-Type", kind)
					switch said := strings.Join(lines, "\n"); {
					case !bytes.Contains(body, []byte("tools/list")):
						w.WriteHeader(http.StatusAccepted)
					case kind == "application/json":
						fmt.Fprint(w, said)
					default:
						fmt.Fprint(w, "data: "+strings.ReplaceAll(said, "\n", "\n\ndata: ")+"\n\n")
					}
				}))
				t.Cleanup(server.Close)
				p := g.startWeb(t, server.URL)
				p.lists(1, "")
				p.answer(1)
				// With two lines, the session may end before the second.
				if _, all := p.end(); strings.Contains(all, "EVIL") || p.stderr.Len() == 0 && len(lines) == 1 {
					t.Errorf("%s\n%s", all, &p.stderr)
				}
			})
		}
	}
}

// TestGuardPagesLeaveNothing: the client is told that nothing is left of a list even if no page by
// itself shows that, and even if the last page also comes under an id that nobody asked with.
func TestGuardPagesLeaveNothing(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, last := range []string{page(""), page("", evilTool)} {
		p, s := g.puppet(t, "--on-drift=subset")
		p.lists(1, "")
		s.hears()
		s.answers(1, page("2", evilA))
		if got := p.answer(1); !strings.Contains(got, `"tools":[]`) {
			t.Errorf("page 1: %s", got)
		}
		p.lists(2, "2")
		s.hears()
		s.answers(`"other"`, last)
		s.answers(`"2"`, last)
		p.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		s.hears()
		s.answers(3, "{}")
		p.answer(3)
		if code, all := p.end(); code != 0 || !strings.Contains(all, `"id":2,`+blockedCode+`nothing is left of this list: `) || strings.Contains(all, "EVIL") {
			t.Errorf("%s: code %d\n%s\n%s", last, code, all, &p.stderr)
		}
	}
}

// TestGuardLastLine: a call that waits for its list, and has no line feed at its end, reaches the
// server as a line by itself, whatever is sent after it.
func TestGuardLastLine(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	p, s := newGuarded(t).puppet(t)
	s.says(listChanged, strings.Replace(listChanged, "tools", "prompts", 1))
	<-p.lines
	<-p.lines
	p.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`)
	_, prompts := s.hears()
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)
	_, tools := s.hears()
	io.WriteString(p.in, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}`)
	p.in.Close()
	time.Sleep(100 * time.Millisecond)
	s.answers(tools, allTools)
	for range 2 {
		_, id := s.hears()
		s.answers(id, `{"content":[]}`)
	}
	s.answers(prompts, `{"prompts":[`+promptP+`]}`)
	line, id := s.hears()
	s.answers(id, `{"messages":[]}`)
	code, all := p.end()
	if code != 0 || !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,`) || strings.Count(all, "content") != 2 || !strings.Contains(all, "messages") {
		t.Errorf("code %d, %s\n%s\n%s", code, line, all, &p.stderr)
	}
}

// TestGuardEndsInItsListing: the server ends while calls wait for the guard's own listing.
func TestGuardEndsInItsListing(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, last := range []string{"", `{"jsonrpc":"2.0","id":%s,"result":{"tools":[` + toolA,
		`{"jsonrpc":"2.0","id":%s,"result":{"tools":[` + evilTool + `],"nextCursor":"2"}}` + "\n"} {
		p, s := g.puppet(t)
		s.says(listChanged)
		<-p.lines
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
		_, ours := s.hears()
		fmt.Fprint(s.conn, strings.Replace(last, "%s", ours, 1))
		s.conn.Close()
		for line := range p.lines {
			if strings.Contains(line, "pinproof-") || strings.Contains(line, "EVIL") {
				t.Errorf("%s: %s", last, line)
			}
		}
		if code, _ := p.end(); code != map[bool]int{true: 2}[last != ""] {
			t.Errorf("%s: code %d\n%s", last, code, &p.stderr)
		}
	}
}

// TestGuardApprovedMeanwhile: what a person approves, or takes back, during a session counts from the next list on.
func TestGuardApprovedMeanwhile(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	p, s := g.puppet(t, "--on-drift=subset")
	list := func(id int, result string) string {
		p.lists(id, "")
		s.hears()
		s.answers(id, result)
		return p.answer(id)
	}
	call := func(id int, name string) string {
		p.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s"}}`, id, name)
		p.send(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id+1)
		_, heard := s.hears()
		s.answers(heard, `{"content":[]}`)
		if heard == fmt.Sprint(id) {
			s.hears()
			s.answers(id+1, `{}`)
		}
		got := p.answer(id)
		p.answer(id + 1)
		return got
	}
	toolD := `{"name":"d"}`
	more := page("", toolA, toolB, toolC, toolD)
	if got := list(1, more); !strings.Contains(got, toolA) || strings.Contains(got, toolD) {
		t.Errorf("before: %s", got)
	}
	if got := call(10, "d"); !strings.Contains(got, blockedCode) {
		t.Errorf("before: %s", got)
	}
	before := read(t, g.folder+"/tools.lock")
	g.pinproof(t, "relock", "--accept-all", g.refusedFile(t), "--server", "files", "--part")
	if got := list(2, more); !strings.Contains(got, toolD) {
		t.Errorf("after: %s", got)
	}
	if got := call(20, "d"); !strings.Contains(got, "content") {
		t.Errorf("after: %s", got)
	}
	write(t, g.folder+"/tools.lock", before)
	if got := list(3, more); strings.Contains(got, toolD) {
		t.Errorf("taken back: %s", got)
	}
	if got := call(30, "d"); !strings.Contains(got, blockedCode) {
		t.Errorf("taken back: %s", got)
	}
	write(t, g.folder+"/tools.lock", strings.Replace(before, "sha256:", "sha256:0", 1))
	if got := list(4, allTools); !strings.Contains(got, blockedCode) {
		t.Errorf("a lockfile that pinproof refuses: %s", got)
	}
	if code, _ := p.end(); code != 2 {
		t.Errorf("code %d\n%s", code, &p.stderr)
	}
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

// TestWebRenewalInItsListing: the session ends when the guard asks for a list that has changed, and
// then, in other sessions, between two pages of the client's listing.
func TestWebRenewalInItsListing(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	s := newPlaying(t, "the same after list_changed", asEvents)
	p := g.web(t, s)
	p.ask(3, "tools/call", `{"name":"a"}`)
	s.end()
	if got := p.ask(4, "tools/call", `{"name":"b"}`); !strings.Contains(got, "called b") {
		t.Errorf("%s\n%s", got, &p.stderr)
	}
	if code, all := p.end(); code != 0 || strings.Contains(all, "pinproof-") || strings.Count(all, "serverInfo") != 1 {
		t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
	}

	s = newPlaying(t, "pages", asEvents)
	p = g.web(t, s)
	s.end()
	p.lists(3, "1")
	if got := p.answer(3); !strings.Contains(got, toolB) {
		t.Errorf("page 2: %s\n%s", got, &p.stderr)
	}
	p.lists(4, "2")
	p.answer(4)
	if code, all := p.end(); code != 0 || strings.Contains(p.stderr.String(), "doesn't list") {
		t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
	}

	s = newPlaying(t, "pages", asEvents)
	p = g.web(t, s)
	s.mu.Lock()
	s.part = "pages, the third is changed"
	clear(s.sessions)
	s.mu.Unlock()
	p.lists(3, "2")
	if got := p.answer(3); !strings.Contains(got, blockedCode) {
		t.Errorf("page 3 of another server: %s\n%s", got, &p.stderr)
	}
	if code, all := p.end(); code != 2 || strings.Contains(all, "EVIL") {
		t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
	}
}

// TestGuardChangesBetweenPages: a list changes between two pages of a listing. An entry of page 1
// may not be called before it is listed again.
func TestGuardChangesBetweenPages(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for page2, passes := range map[string]bool{
		page("", toolB, toolC): true, page("", evilA): false, page("", toolB, evilTool): false, page("", toolB, toolB): false,
	} {
		t.Run(page2, func(t *testing.T) {
			t.Parallel()
			p, s := g.puppet(t)
			p.lists(1, "")
			s.hears()
			s.answers(1, page("2", toolA))
			p.answer(1)
			s.says(listChanged)
			p.lists(2, "2")
			s.hears()
			s.answers(2, page2)
			if got := p.answer(2); strings.Contains(got, blockedCode) == passes {
				t.Errorf("%s: %s", page2, got)
			}
			if !passes {
				p.end()
				return
			}
			p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}}`)
			line, ours := s.hears()
			if !strings.Contains(line, "tools/list") {
				t.Errorf("a call of what wasn't listed since: %s", line)
			}
			s.answers(ours, page("", toolB, toolC))
			if got := p.answer(3); !strings.Contains(got, "no longer lists") {
				t.Errorf("a call of what is gone: %s", got)
			}
			if code, all := p.end(); code != 0 || strings.Contains(all, "EVIL") {
				t.Errorf("code %d\n%s\n%s", code, all, &p.stderr)
			}
		})
	}
}

// TestGuardLargeIDs: two ids that are strings of digits, and differ only beyond a float's
// precision, aren't taken for each other.
func TestGuardLargeIDs(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	log := g.folder + "/calls.log"
	p, s := g.puppet(t, "--log", log)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.hears()
	s.answers(1, page("", toolA, toolB))
	<-p.lines
	calls := map[string]string{"a": `"1763870400000000001"`, "b": `"1763870400000000002"`}
	for name, id := range calls {
		p.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s"}}`, id, name)
		s.hears()
	}
	for _, id := range calls {
		s.answers(id, `{"content":[]}`)
		<-p.lines
	}
	p.end()
	for name, id := range calls {
		if got := read(t, log); !strings.Contains(got, `"tool":"`+name+`","id":`+id+`,"bytes"`) {
			t.Errorf("no answer to the call of %s in\n%s", name, got)
		}
	}
}
