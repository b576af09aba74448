package guard

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/pinproof-capture/internal/mcp"
)

// gateFolder has pinproof, built once for all tests.
var gateFolder string

func TestMain(m *testing.M) {
	flag.Parse()
	folder, err := os.MkdirTemp("", "guard-")
	if err != nil {
		panic(err)
	}
	gateFolder = folder
	build := exec.Command("go", "run", "-buildvcs=false", "-exec", "cp", ".", folder)
	build.Dir = filepath.Join("..", "..", "..")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	os.Setenv("XDG_CACHE_HOME", filepath.Join(folder, "cache"))
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// texts are what the words in a session mean. Nothing with EVIL in it is pinned.
var texts = map[string]string{
	"$A":     `{"name":"a","description":"caf\u00e9","inputSchema":{"type":"object","properties":{"z":{},"b":{}}}}`,
	"$B":     `{"name":"b","inputSchema":{"type":"object"}}`,
	"$EVIL":  `{"name":"EVIL","inputSchema":{"type":"object"}}`,
	"$EVILA": `{"name":"a","description":"EVIL","inputSchema":{"type":"object"}}`,
	"$P":     `{"name":"p"}`,
	"$T":     `{"uriTemplate":"f:{n}","name":"t"}`,
	"$R":     `{"uri":"r:1","name":"r"}`,
	"$PAGE":  `{"uri":"ui://acme/map.html","name":"map"}`,
	"$GREET": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Use the tools."}`,
	"$NEW":   `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"instructions":"Use the tools."}`,
	"$META":  `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
}

// good are the lists that are pinned.
var good = map[string]string{"tools/list": `{"tools":[$A,$B]}`, "prompts/list": `{"prompts":[$P]}`, "resources/list": `{"resources":[$R,$PAGE]}`,
	"resources/templates/list": `{"resourceTemplates":[$T]}`}

func fill(text string) string {
	for _, word := range []string{"$EVILA", "$EVIL", "$A", "$B", "$PAGE", "$P", "$T", "$R", "$GREET", "$NEW", "$META"} {
		text = strings.ReplaceAll(text, word, texts[word])
	}
	return text
}

// shorten replaces what is longer, or differs from run to run, by a word.
func (s *stage) shorten(text string) string {
	for word, long := range texts {
		v, _ := jsontree.NewReader([]byte(long)).ReadSingle()
		text = strings.NewReplacer(long, word, string(appendInOrder(nil, v)), word).Replace(text)
	}
	text = ownID.ReplaceAllStringFunc(text, func(id string) string { n, _ := strconv.Atoi(id); return fmt.Sprint("#", n-firstOwn) })
	return strings.NewReplacer(helloID, "$OURS", s.core.review.place, "PLACE-", s.judge.lock, "LOCK", `"jsonrpc":"2.0",`, "", `"error":{"code":-32090,"message":"pinproof: `, `refused:{"`).Replace(text)
}

// ownID matches the ids of the core's requests, in a session with less than 10,000.
var ownID = regexp.MustCompile(`\b107374\d{4}\b`)

// locked has the lockfiles that were made, by the flags of pinproof lock and the results.
var locked = map[string][]byte{}

// lockfileWith returns a lockfile with the good lists, made by pinproof lock with some flags.
func lockfileWith(t *testing.T, flags string) string {
	t.Helper()
	return lockfileOf(t, flags, "$GREET", good["tools/list"], good["prompts/list"], good["resources/list"], good["resources/templates/list"])
}

// lockfileOf does the same for a server that gave some results.
func lockfileOf(t *testing.T, flags string, results ...string) string {
	t.Helper()
	key := flags + strings.Join(results, "")
	folder := t.TempDir()
	lock := filepath.Join(folder, "tools.lock")
	if locked[key] != nil {
		if err := os.WriteFile(lock, locked[key], 0o600); err != nil {
			t.Fatal(err)
		}
		return lock
	}
	capture := filepath.Join(folder, "s.jsonl")
	var said []mcp.Page
	for _, result := range results {
		said = append(said, mcp.Page{Text: []byte(fill(result))})
	}
	if err := os.WriteFile(capture, captured(said...), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("pinproof", append([]string{"lock", capture, lock, "--yes", "--accept-warnings"}, strings.Fields(flags)...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", err, out)
	}
	locked[key], _ = os.ReadFile(lock)
	return lock
}

// A stage plays a session against a core, without a process or a clock: what the client and the server send, and what
// reaches each.
type stage struct {
	t     *testing.T
	core  *core
	judge *judge
	now   time.Time

	asked   map[string][]string // the ids of requests that reached the server, by method
	slow    bool                // verdicts wait for a step of their own
	pending []judgement
	came    []string // what reached either side since the last step, and what a person was told
	client  strings.Builder
	server  strings.Builder
	err     error
}

func newStage(t *testing.T, lock, mode string) *stage {
	t.Helper()
	s := &stage{t: t, now: time.Unix(1e9, 0), asked: map[string][]string{}}
	o := Options{PinSource: PinSource{ServerID: "s", Lockfile: lock}, OnDrift: mode, MaxListAge: time.Minute}
	j, err := newJudge(o)
	if err != nil {
		t.Fatal(err)
	}
	s.judge = j
	j.part = func(said []byte) (*verdict, error) {
		lock, _ := os.ReadFile(j.lock)
		key := string(lock) + string(said)
		if verdicts[key] == nil {
			v, err := j.runPart(said)
			verdicts[key] = func() (*verdict, error) { return v, err }
		}
		return verdicts[key]()
	}
	pins, _, err := j.readPins()
	if err != nil {
		t.Fatal(err)
	}
	s.core = newCore(o, pins, j.reviewing())
	return s
}

// verdicts are those that pinproof gave before, by lockfile and capture.
var verdicts = map[string]func() (*verdict, error){}

// happens has the core decide, and notes what comes of it.
func (s *stage) happens(decide func()) {
	s.core.now = s.now
	decide()
	o := s.core.flush()
	for _, line := range o.say {
		s.came = append(s.came, "person: "+line)
	}
	for _, r := range o.records {
		s.came = append(s.came, "log: "+r.event)
	}
	for line := range bytes.Lines(o.toClient) {
		s.client.Write(line)
		s.came = append(s.came, "client: "+string(bytes.TrimSpace(line)))
	}
	for line := range bytes.Lines(o.toServer) {
		s.server.Write(line)
		m, _ := jsontree.NewReader(line).ReadSingle()
		id := m.Get("id")
		if method := m.Get("method").Text; method != "" && id.Kind != 0 {
			s.asked[method] = append(s.asked[method], string(line[id.Start:id.End]))
		}
		s.came = append(s.came, "server: "+string(bytes.TrimSpace(line)))
	}
	if o.err != nil && s.err == nil {
		s.err = o.err
	}
	for range o.judge {
		s.came = append(s.came, "gate")
	}
	s.pending = append(s.pending, o.judge...)
	for !s.slow && len(s.pending) > 0 {
		s.judged()
	}
}

// judged gives the core the next verdict.
func (s *stage) judged() {
	j := s.pending[0]
	s.pending = s.pending[1:]
	v, err := s.judge.part(j.said)
	s.happens(func() { j.then(v, err) })
}

func (s *stage) clientSays(line string) {
	s.happens(func() {
		if pins, isChanged, err := s.judge.readPins(); isChanged {
			s.core.reread(pins, err)
		}
		s.core.fromClient([]byte(fill(line)))
	})
}

func (s *stage) serverSays(line string) {
	s.happens(func() { s.core.fromServer([]byte(fill(line) + "\n")) })
}

// asks has the client send a request or, without an id, a notification.
func (s *stage) asks(id, method, params string) {
	if params != "" {
		params = `,"params":` + params
	}
	if id != "" {
		id = `,"id":` + id
	}
	s.clientSays(fmt.Sprintf(`{"jsonrpc":"2.0"%s,"method":%q%s}`, id, method, params))
}

// answers has the server answer the oldest request with a method.
func (s *stage) answers(method, result string) bool {
	if len(s.asked[method]) == 0 {
		return false
	}
	id := s.asked[method][0]
	s.asked[method] = s.asked[method][1:]
	s.serverSays(`{"jsonrpc":"2.0","id":` + id + `,` + result + `}`)
	return true
}

// answersAll has the server answer every open request for a list with the good one, and the greeting.
func (s *stage) answersAll() {
	for isMore := true; isMore; {
		isMore = s.answers("initialize", `"result":$GREET`) || s.answers("server/discover", `"result":$NEW`)
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			isMore = s.answers(method, `"result":`+good[method]) || isMore
		}
	}
}

// begin does the handshake, and the server gives all lists as they are pinned.
func (s *stage) begin() {
	s.asks("0", "initialize", "{}")
	s.answersAll()
	s.asks("", "notifications/initialized", "")
	s.answersAll()
	s.came = nil
}

// step plays one line of a session.
func (s *stage) step(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "begin":
		s.begin()
	case "client":
		if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") {
			s.clientSays(rest)
			return
		}
		first, more, _ := strings.Cut(rest, " ")
		if strings.Contains(first, "/") {
			s.asks("", first, more)
			return
		}
		method, params, _ := strings.Cut(more, " ")
		s.asks(first, method, params)
	case "server":
		if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") {
			s.serverSays(rest)
			return
		}
		method, result, _ := strings.Cut(rest, " ")
		if result == "good" {
			result = good[method]
		}
		if !strings.HasPrefix(result, `"`) {
			result = `"result":` + result
		}
		if !s.answers(method, result) {
			s.t.Errorf("nobody waits for %s: %s", method, line)
		}
	case "noise":
		s.serverSays(rest)
	case "good":
		s.answersAll()
	case "after":
		d, err := time.ParseDuration(rest)
		if err != nil {
			s.t.Fatal(err)
		}
		s.now = s.now.Add(d)
		s.happens(s.core.tick)
	case "renew":
		s.happens(s.core.renews)
	case "slow":
		s.slow = true
	case "verdict":
		s.judged()
	case "lock":
		if rest == "gone" {
			os.Remove(s.judge.lock)
			return
		}
		data, err := os.ReadFile(lockfileWith(s.t, rest))
		if err == nil {
			err = os.WriteFile(s.judge.lock, data, 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		os.Chtimes(s.judge.lock, s.now, s.now.Add(time.Duration(len(data))))
	default:
		s.t.Fatalf("what is %q?", line)
	}
}

// TestSessions plays the sessions in testdata/sessions. Lines with "<" are what has to come of the line above. A
// session begins with "== NAME | MODE | FLAGS of pinproof lock". PINPROOF_UPDATE writes what came of it: read the
// difference.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		var s *stage
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\r\n")
			if strings.HasPrefix(line, "  < ") {
				continue
			}
			fmt.Fprintln(&out, line)
			if title, ok := strings.CutPrefix(line, "== "); ok {
				parts := append(strings.SplitN(title, " | ", 3), "", "")
				s = newStage(t, lockfileWith(t, parts[2]), parts[1])
			} else if line != "" && line[0] != '#' {
				s.step(line)
				for _, came := range s.came {
					if strings.Contains(came, `"code":-32090`) && strings.Contains(came, "EVIL") {
						t.Errorf("%s: a model reads %s", line, came)
					}
					fmt.Fprintln(&out, "  < "+s.shorten(came))
				}
				if s.came = nil; s.err != nil {
					fmt.Fprintln(&out, "  < the session ends:", s.err)
					s.err = nil
				}
			}
		}
		if got := out.String(); got != string(data) {
			if os.Getenv("PINPROOF_UPDATE") != "" {
				os.WriteFile(file, []byte(got), 0o644)
			}
			t.Errorf("%s: PINPROOF_UPDATE=1 shows what differs\n%s", file, difference(string(data), got))
		}
	}
}

// difference returns the first line that differs, with its place.
func difference(want, got string) string {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i, line := range gots {
		if i == len(wants) || line != wants[i] {
			return fmt.Sprintf("line %d: %s\nwant: %s", i+1, line, strings.Join(wants[min(i, len(wants)):min(i+1, len(wants))], ""))
		}
	}
	return "lines are missing"
}

// TestSmuggles: whatever a server says in place of a list, or beside it, in answer to whichever request, in whichever
// state of a session, mode and revision, no byte that no pin approves reaches the client, and no call of it reaches the
// server. With warn, the client gets the server's lists, and nothing that it didn't ask for.
func TestSmuggles(t *testing.T) {
	lock := lockfileWith(t, "")
	states := []string{"tools/list", "prompts/list", "ping", "again", "changed"}
	isList := regexp.MustCompile(`"result":\{"(tools|prompts)":\[`)
	for _, line := range jsontest.ReadLines(t, "testdata/smuggled.txt") {
		name, said, _ := strings.Cut(line, ": ")
		for i := range 3 * 2 * len(states) {
			mode := []string{ModeEnd, ModeSubset, ModeWarn}[i%3]
			meta := []string{"", `"_meta":$META`}[i/3%2]
			more := []string{"", ","}[i/3%2] + meta
			state := states[i/6]
			s := newStage(t, lock, mode)
			if meta == "" {
				s.asks("0", "initialize", "")
				s.answersAll()
				s.asks("", "notifications/initialized", "")
			}
			s.asks("100", "ping", "{"+meta+"}")
			s.asks("101", "tools/list", "{"+meta+"}")
			s.asks("98", "prompts/list", "{"+meta+"}")
			instead := state
			if state == "again" || state == "changed" { // after all lists have come
				s.answersAll()
				instead = "tools/list"
			}
			if state == "changed" {
				s.now = s.now.Add(time.Second)
				s.serverSays(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			} else if state == "again" {
				s.asks("99", "tools/list", "{"+meta+"}")
			}
			id := s.asked[instead][0]
			delete(s.asked, instead)
			for said := range strings.SplitSeq(said, `\n`) {
				s.serverSays(strings.NewReplacer("ID", id, "PAGE", `{"tools":[$A,$EVIL]}`, "GOOD", good["tools/list"]).Replace(said))
			}
			for i := range 3 {
				s.answersAll()
				s.now = s.now.Add(20 * time.Second)
				s.happens(s.core.tick)
				if mode != ModeWarn {
					s.asks(strconv.Itoa(102+3*i), "tools/call", `{"name":"EVIL"`+more+"}")
				}
				s.asks(strconv.Itoa(103+3*i), "tools/call", `{"name":"a"`+more+"}")
				s.asks(strconv.Itoa(104+3*i), "tools/list", "{"+meta+"}")
			}
			s.answersAll()
			got := s.client.String()
			for line := range strings.Lines(got) {
				if strings.Contains(line, "EVIL") && (mode != ModeWarn || !isList.MatchString(line)) {
					t.Errorf("%s, %s, %s: the client got %s", name, mode, state, line)
				}
			}
			if heard := s.server.String(); strings.Contains(heard, "EVIL") || strings.Count(got, `"id":101,`) != 1 || strings.Count(got, `"id":104,`) != 1 {
				t.Errorf("%s, %s, %s: the client got\n%s\nthe server heard\n%s", name, mode, state, got, heard)
			}
		}
	}
}

// TestCallsUnapproved: a call of what isn't approved, in every spelling that some server may read as one, reaches no
// server.
func TestCallsUnapproved(t *testing.T) {
	lock := lockfileWith(t, "")
	for _, line := range jsontest.ReadLines(t, "testdata/calls.txt") {
		s := newStage(t, lock, ModeEnd)
		s.begin()
		before := s.server.Len()
		s.clientSays(line)
		s.answersAll()
		if heard := s.server.String()[before:]; strings.Contains(heard, "call") || strings.Contains(heard, "get") || strings.Contains(heard, "complet") {
			t.Errorf("%s: the server heard %s", line, heard)
		}
		if hasID := strings.Contains(line, `"id":1,`); strings.Contains(s.client.String(), `"id":1,"error":{"code":-32090,`) != hasID {
			t.Errorf("%s: the client got %s", line, s.client.String())
		}
	}
}
