package guard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/edit"
	"pinproof/pinproof-capture/internal/mcp"
)

// What becomes of an answer with entries that no pin approves.
const (
	Ends   = "end"    // it is blocked, and the session ends
	Subset = "subset" // the client gets the entries that match, and nothing of the others
	Warns  = "warn"   // it passes, and a person is told
)

// A relay stands between a client and its server. It passes their lines on as they come,
// but for what no pin approves: that reaches nobody.
type relay struct {
	judge   *judge
	onDrift string
	log     *callLog
	stderr  io.Writer

	out    sync.Mutex // one line at a time goes to the client
	client io.Writer

	mu      sync.Mutex // both directions use what follows
	over    bool       // nothing passes any more
	open    map[string]request
	catalog *catalog
	lacking [pin.EntryTypes]bool // a person was told what the list lacks
}

// A request is one of the client's that waits for its answer.
type request struct {
	id             []byte // as it was spelled
	method, cursor string
	paged          bool     // it has a cursor
	logged         *logLine // of a call
}

// What the client is told in place of an answer. It may reach a model, so the words are
// ours alone.
const (
	codeBlocked = -32090 // within the range that JSON-RPC leaves to servers

	wordsDrift      = "pinproof: blocked: what this server says of itself is not what was approved in tools.lock. The session is over. Do not use this server: a person has to review the change."
	wordsUnreadable = "pinproof: blocked: the server's answer can be read in more than one way."
	wordsNotJudged  = "pinproof: blocked: there is no answer whether this is what was approved in tools.lock. The session is over. Do not use this server: a person has to look at its log."
	wordsNoCall     = "pinproof: blocked: this is not approved in tools.lock, and was not called. A person has to approve it first."
	wordsStale      = "pinproof: blocked: the server's list has changed and was not asked for since. Ask for the list, then call again."
	wordsRequest    = "pinproof: blocked: the request can be read in more than one way, and was not sent."
	wordsNoRecord   = "pinproof: blocked: the record of calls can't be written, and this was not called."
)

func newRelay(j *judge, onDrift string, log *callLog, client, stderr io.Writer) *relay {
	return &relay{judge: j, onDrift: onDrift, log: log, client: client, stderr: stderr,
		open: map[string]request{}, catalog: newCatalog(&j.approved)}
}

// say tells a person something, in one line.
func (r *relay) say(format string, args ...any) {
	fmt.Fprintf(r.stderr, "pinproof: "+format+"\n", args...)
}

// Options say how a guard stands.
type Options struct {
	Pins
	OnDrift    string // one of Ends, Subset, Warns
	Log        string // the file of the record of calls; "" is for none
	LogDigests bool   // of arguments, in place of these
}

// Run starts the server once and stands between it and the client until one of them
// ends. It returns the server's exit code, or 2 if the session was ended here.
func Run(ctx context.Context, o Options, src mcp.Server, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	j, err := newJudge(o.Pins)
	if err != nil {
		return 2, err
	}
	if pins, err := os.Stat(j.lock); err == nil && o.Log != "" {
		if file, err := os.Stat(o.Log); err == nil && os.SameFile(pins, file) {
			return 2, fail.New("--log %s: this is the lockfile", text.Printable(o.Log))
		}
	}
	log, err := openLog(o)
	if err != nil {
		return 2, err
	}
	defer log.close()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, mcp.EndSignals...)
	defer signal.Stop(signals)
	r := newRelay(j, o.OnDrift, log, stdout, stderr)
	var s server
	if src.URL != "" {
		s, err = mcp.Connect(ctx, src, r.say, r.again)
	} else {
		s, err = mcp.Launch(src, stderr)
	}
	if err != nil {
		return 2, err
	}
	defer s.Stop()
	return r.run(stdin, s, signals)
}

// A server is a process or a place at an address. It says and takes a message a line; Close
// says that none follows.
type server interface {
	io.ReadWriteCloser
	Signal(os.Signal)
	Stop()
	ExitCode() int
}

// again judges an answer that the client doesn't get, for it has had one like it.
func (r *relay) again(answer []byte) error {
	last, _, err := r.fromServer(answer)
	if err != nil {
		r.write(r.client, last)
	}
	return err
}

// How long a server has to end once it was told to by a signal, before it is killed; and how
// often a client that closed its end is looked after.
const (
	signalPatience = 10 * time.Second
	lookAfter      = time.Second
)

// An ending says why one direction of the session is over. Without an error its reader
// has come to the end.
type ending struct {
	server bool
	err    error
}

var errBlocked = errors.New("blocked") // a person has been told

func (r *relay) run(stdin io.Reader, p server, signals <-chan os.Signal) (int, error) {
	ends := make(chan ending, 2)
	go func() { ends <- ending{true, r.passOn(p, r.fromServer, r.client)} }()
	go func() { ends <- ending{false, r.passOn(stdin, r.fromClient, p)} }()
	var killed, look <-chan time.Time
	for {
		select {
		case s := <-signals:
			p.Signal(s)
			if killed == nil {
				killed = time.After(signalPatience)
			}
		case <-killed:
			p.Stop()
			killed = nil
		case <-look:
			if hungUp(r.client) {
				p.Stop() // nobody will ever read what it says
			}
		case e := <-ends:
			switch {
			case e.err == errBlocked:
				p.Stop()
				return 2, nil
			case e.err != nil && !errors.Is(e.err, syscall.EPIPE):
				p.Stop()
				return 2, e.err
			case e.server, e.err != nil:
				p.Stop()
				return p.ExitCode(), nil
			}
			p.Close()
			ticker := time.NewTicker(lookAfter)
			defer ticker.Stop()
			look = ticker.C
		}
	}
}

// passOn reads lines and passes on what filter makes of each, until the reader's end. What
// a server no longer takes is lost, as without a relay.
func (r *relay) passOn(from io.Reader, filter func(line []byte) (pass, reply []byte, err error), to io.Writer) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var line []byte
	for {
		var end error
		if line, end = readLine(in, line[:0]); end != nil && end != io.EOF {
			return end
		}
		pass, reply, err := filter(line)
		if failed := r.write(to, pass); failed != nil && to == r.client {
			return failed
		}
		if failed := r.write(r.client, reply); failed != nil {
			return failed
		}
		if err != nil || end != nil {
			if end == io.EOF && err == nil {
				return nil
			}
			return err
		}
		if cap(line) > 1<<20 {
			line = nil // a large message is rare, and its memory is not kept
		}
	}
}

func (r *relay) write(to io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if to == r.client {
		r.out.Lock()
		defer r.out.Unlock()
	}
	_, err := to.Write(b)
	return err
}

// readLine appends the next line with its end, or what is left at the end of the reader.
func readLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		if line = append(line, piece...); len(line) > mcp.MaxBytes {
			return nil, fail.New("a message of more than 64 MiB")
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// fromServer returns what of a line of the server's passes to the client. An error ends
// the session; the line then holds what the client is told last.
func (r *relay) fromServer(line []byte) (pass, _ []byte, err error) {
	messages, bad := capture.Messages(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return nil, nil, nil
	}
	if bad != nil {
		return r.unreadable(line, bad)
	}
	if len(messages) == 0 {
		if noise := bytes.TrimSpace(line); len(noise) > 0 {
			r.say("the server printed what is no message: %s", mcp.Excerpt(string(noise)))
		}
		return nil, nil, nil
	}
	var edits []edit.Edit
	for _, m := range messages {
		if method := m.Get("method"); method.Kind != 0 {
			r.catalog.notified(method.Text)
			continue
		}
		asked := r.open[capture.MessageID(m)]
		result := m.Get("result")
		if capture.HoldsEntries(result) {
			kept, words := r.held(line, result, asked)
			if words != "" {
				return r.refuseOpen(words), nil, errBlocked
			}
			if kept != nil {
				edits = append(edits, edit.Edit{At: int(result.At), End: int(result.End), Text: kept})
			}
		}
		if asked.logged != nil {
			l := asked.logged
			r.log.add(logLine{Event: "answer", ID: l.ID, Tool: l.Tool, Prompt: l.Prompt, Bytes: int(m.End - m.At), Outcome: outcomeOf(m)})
		}
	}
	if err := r.log.broken(); err != nil {
		return r.refuseOpen(wordsNoRecord), nil, err
	}
	for _, m := range answers(messages) {
		delete(r.open, capture.MessageID(m))
	}
	return edit.Apply(line, edits), nil, nil
}

// unreadable keeps a line back that begins like a message and that clients could read in
// more than one way. The session goes on if no list and no instructions can be in it.
func (r *relay) unreadable(line []byte, bad error) ([]byte, []byte, error) {
	if capture.HidesAnswer(line) {
		r.unjudged("block", "blocked", line, fail.New("the server's answer is refused: %s", bad))
		return r.refuseOpen(wordsUnreadable), nil, errBlocked
	}
	r.say("the server's message is refused: %s: %s", bad, mcp.Excerpt(string(bytes.TrimSpace(line))))
	id, reply := looseID(line, false), []byte(nil)
	maps.DeleteFunc(r.open, func(_ string, asked request) bool {
		if !bytes.Equal(asked.id, id) {
			return false
		}
		reply = refusal(id, wordsUnreadable)
		return true
	})
	return reply, nil, nil
}

// refuseOpen ends the session and answers all that the client still waits for. An id that
// the server made up could say something to a model, too.
func (r *relay) refuseOpen(words string) (out []byte) {
	r.over = true
	for _, key := range slices.Sorted(maps.Keys(r.open)) {
		out = append(out, refusal(r.open[key].id, words)...)
	}
	return out
}

// held holds a result against the pins. It returns what the client gets in its place, nil
// for the result as it came, or the words that the session ends with.
func (r *relay) held(line []byte, result jsontree.Value, asked request) (kept []byte, words string) {
	v, err := r.judge.part(line[result.At:result.End])
	if err == nil && v.code == 2 {
		err = fail.New("%s", v.reason)
	}
	if err != nil && r.onDrift == Warns {
		r.unjudged("drift", "not judged, and passed on", line, err)
		return nil, ""
	} else if err != nil {
		r.unjudged("block", "blocked", line, err)
		return nil, wordsNotJudged
	}
	drifted := maps.Clone(v.drifted)
	for key := range r.repeated(result, asked) {
		drifted[key] = string(pin.Duplicate)
	}
	switch {
	case v.code == 0 && len(drifted) == 0:
	case r.onDrift == Warns:
		r.tell("drift", line, drifted)
	case r.onDrift == Subset:
		kept = r.without(line, result, drifted)
		if again, err := r.judge.part(kept); err != nil || again.code != 0 {
			r.tell("block", line, drifted)
			return nil, wordsDrift
		}
		r.tell("drift", line, drifted)
	default:
		r.tell("block", line, drifted)
		return nil, wordsDrift
	}
	r.catalog.shown(v.matched, drifted)
	return kept, ""
}

// repeated returns the entries of a page that stood on an earlier page of its list. At the
// end of a list it tells what is pinned and not on it.
func (r *relay) repeated(result jsontree.Value, asked request) map[pin.Key]bool {
	list, listed := pin.EntryTypeIn(result.Has)
	if !listed || !r.catalog.pins(list) {
		_, pinned := r.catalog.entries[pin.Key{Type: pin.Instructions}]
		if pinned && (asked.method == "initialize" || asked.method == "server/discover") && !result.Has("instructions") {
			r.lacks(pin.Instructions, "the approved instructions")
		}
		return nil
	}
	twice, missing := r.catalog.page(list, result, asked)
	if missing > 0 {
		r.lacks(list, text.Count(missing, "approved "+pin.EntryTypeInfo[list].Entry))
	}
	return twice
}

func (r *relay) lacks(list pin.EntryType, what string) {
	if !r.lacking[list] {
		r.lacking[list] = true
		r.say("server %s doesn't list %s", text.Name(r.judge.Label), what)
	}
}

// tell shows a person what drifted and puts it on record. What differs is saved.
func (r *relay) tell(event string, line []byte, drifted map[pin.Key]string) {
	file := keep(r.judge.Label, line)
	what := "blocked: what server " + text.Name(r.judge.Label) + " says of itself is not what was approved"
	if event == "drift" {
		what = "drift of server " + text.Name(r.judge.Label)
	}
	r.say("%s", what)
	keys := slices.SortedFunc(maps.Keys(drifted), pin.CompareKeys)
	if file != "" {
		r.judge.show(file, r.stderr)
	} else {
		for _, key := range keys {
			r.say("%s %s", drifted[key], pin.EntryRef(key.Type, key.Name))
		}
		r.say(notSaved)
	}
	for _, key := range keys {
		r.log.add(logLine{Event: event, Entry: pin.EntryRef(key.Type, key.Name), Kind: drifted[key], File: file})
	}
	if len(keys) == 0 {
		r.log.add(logLine{Event: event, File: file})
	}
}

const notSaved = "what it said could not be saved"

// unjudged tells a person why there is no verdict on an answer, and what becomes of it.
func (r *relay) unjudged(event, what string, line []byte, err error) {
	why := fail.From(err).Text
	r.say("%s: %s", what, why)
	file := keep(r.judge.Label, line)
	if file != "" {
		r.say("what it said is in %s", text.Printable(file))
	} else {
		r.say(notSaved)
	}
	r.log.add(logLine{Event: event, Reason: why, File: file})
}

// without returns a result without the entries that drifted; the others are the bytes that
// came.
func (r *relay) without(line []byte, result jsontree.Value, drifted map[pin.Key]string) []byte {
	var members [][]byte
	for _, m := range result.Members() {
		value := line[m.At:m.End]
		if list, ok := pin.EntryTypeNamed(m.Name); ok {
			var entries [][]byte
			for _, item := range m.Items() {
				if key := r.catalog.key(list, item.Get(pin.EntryTypeInfo[list].Identity).Text); drifted[key] == "" {
					entries = append(entries, line[item.At:item.End])
				}
			}
			value = slices.Concat([]byte("["), bytes.Join(entries, []byte(",")), []byte("]"))
		} else if m.Name == pin.EntryTypeInfo[pin.Instructions].Member && drifted[pin.Key{Type: pin.Instructions}] != "" {
			continue
		}
		members = append(members, slices.Concat(jsontree.AppendString(nil, m.Name), []byte(":"), value))
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

// fromClient returns what of a line of the client's passes to the server, or what is
// answered in the server's place.
func (r *relay) fromClient(line []byte) (pass, reply []byte, err error) {
	messages, bad := capture.Messages(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
		return nil, nil, nil
	case bad != nil:
		r.say("the client's request is refused: %s", bad)
		return nil, refusal(looseID(line, true), wordsRequest), nil
	case len(messages) == 0:
		return nil, nil, nil // a client has nothing to say to a server but messages
	}
	words := ""
	for _, m := range messages {
		if list, ok := calledBy(m.Get("method").Text); ok && words == "" {
			words = r.unapproved(list, m)
		}
	}
	if words != "" {
		return nil, refusals(line, requests(messages), words), nil
	}
	for _, m := range messages {
		method := m.Get("method")
		if method.Kind == 0 {
			continue
		}
		cursor := m.Get("params").Get("cursor")
		id := m.Get("id")
		asked := request{id: bytes.Clone(line[id.At:id.End]), method: method.Text, cursor: cursor.Text, paged: cursor.Kind == '"'}
		if list, ok := calledBy(method.Text); ok {
			asked.logged = r.call(list, line, m)
			r.log.add(*asked.logged)
			asked.logged.Arguments = nil // they are written, and can be large
			if err := r.log.broken(); err != nil {
				r.over = true
				return nil, refusals(line, requests(messages), wordsNoRecord), err
			}
		}
		if id.Kind != 0 {
			r.open[capture.MessageID(m)] = asked
		}
	}
	return line, nil, nil
}

// unapproved returns what the client is told of a call that doesn't reach the server, or "".
func (r *relay) unapproved(list pin.EntryType, m jsontree.Value) string {
	key, why := r.catalog.called(list, m.Get("params"))
	if why == "" || r.onDrift == Warns {
		return ""
	}
	what := pin.EntryRef(key.Type, key.Name)
	r.say("blocked: a call of %s: %s", what, why)
	r.log.add(logLine{Event: "block", Entry: what, Reason: why})
	if why == notListed {
		return wordsStale
	}
	return wordsNoCall
}

// call is the record of a call that goes to the server.
func (r *relay) call(list pin.EntryType, line []byte, m jsontree.Value) *logLine {
	params := m.Get("params")
	entry := r.catalog.underWhich(r.catalog.key(list, params.Get("name").Text))
	l := &logLine{Event: "call", Digest: entry.Digest, Approval: entry.Approval}
	if id := m.Get("id"); id.Kind != 0 {
		l.ID = bytes.Clone(line[id.At:id.End])
	}
	if list == pin.Tools {
		l.Tool = params.Get("name").Text
	} else {
		l.Prompt = params.Get("name").Text
	}
	if arguments := params.Get("arguments"); arguments.Kind != 0 {
		l.setArguments(line[arguments.At:arguments.End], r.log)
	}
	return l
}

// outcomeOf is what an answer to a call came to.
func outcomeOf(m jsontree.Value) string {
	switch {
	case m.Has("error"):
		return "error"
	case m.Get("result").Get("isError").Kind == 't':
		return "tool error"
	}
	return "result"
}

func requests(messages []jsontree.Value) []jsontree.Value {
	return slices.DeleteFunc(slices.Clone(messages), func(m jsontree.Value) bool { return !m.Has("method") })
}

func answers(messages []jsontree.Value) []jsontree.Value {
	return slices.DeleteFunc(slices.Clone(messages), func(m jsontree.Value) bool { return m.Has("method") })
}

// refusals are our answers in the place of answers, or to requests.
func refusals(line []byte, messages []jsontree.Value, words string) (out []byte) {
	for _, m := range messages {
		if id := m.Get("id"); id.Kind == '"' || id.Kind == '0' {
			out = append(out, refusal(line[id.At:id.End], words)...)
		}
	}
	return out
}

// refusal is our answer to one request, or nothing if it has no id.
func refusal(id []byte, words string) []byte {
	if id == nil {
		return nil
	}
	message, _ := json.Marshal(words)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, codeBlocked, message)
}

// looseID is the id of a request or of an answer that can't be read strictly, or nil: it is
// the best guess, and only an error is sent with it.
func looseID(line []byte, isRequest bool) []byte {
	var m map[string]json.RawMessage
	var number float64
	var word string
	if json.Unmarshal(line, &m) != nil || isRequest != (m["method"] != nil) || m["id"] == nil {
		return nil
	}
	id := m["id"]
	if json.Unmarshal(id, &word) == nil && string(id) != "null" {
		quoted, _ := json.Marshal(word)
		return quoted
	}
	if json.Unmarshal(id, &number) == nil && string(id) != "null" {
		return id
	}
	return nil
}
