package guard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// What becomes of an answer with entries that no pin approves.
const (
	Ends = "end" // it is blocked, and the session ends

	// The client gets the entries that match, and nothing of the others.
	Subset = "subset"

	Warns = "warn" // it passes, and a person is told
)

// A relay runs between a client and its server. It passes their lines on as they come, except for
// what no pin approves, which reaches nobody.
type relay struct {
	judge   *judge
	onDrift string
	log     *callLog
	stderr  io.Writer

	client, server end

	// Messages to the server, in answer to what it said; nil says that no more follow.
	replies chan []byte

	mu      sync.Mutex // both directions use what follows
	over    bool       // nothing passes any more
	open    map[string]request
	catalog *catalog
	said    transcript
	asking  [pin.EntryTypes]*asking

	// How many requests of our own have been sent.
	asked int

	waiting []call // the calls that wait for a list

	// The answer to the client's last initialize or server/discover, a line.
	greeting []byte

	isInitialized bool // the client has said so

	// What the client's requests say of the client, from 2026-07-28 on.
	meta jsontree.Value

	// Set once something was refused. It is read without mu, too, by code that must not wait.
	review atomic.Pointer[review]

	ends chan error // why the session ends
}

// An end is one side of the session. One line at a time goes to it.
type end struct {
	mu sync.Mutex
	w  io.Writer
}

func (e *end) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := e.w.Write(b)
	return err
}

// A request is one of the client's, or one of our own, that waits for its answer.
type request struct {
	id           []byte // as it was spelled; nil for ours
	page         string
	call         []any // what its answer is recorded with
	asksGreeting bool
	asks         *asking // for ours: the list that it asks for

	method, uri string // of a request for a resource or a skill
}

// maxReplies is how many replies wait for a server that doesn't read.
const maxReplies = 1000

func newRelay(j *judge, onDrift string, log *callLog, client, stderr io.Writer) *relay {
	r := &relay{judge: j, onDrift: onDrift, log: log, client: end{w: client}, stderr: stderr,
		replies: make(chan []byte, maxReplies), open: map[string]request{},
		ends: make(chan error, 3), catalog: &catalog{approved: &j.approved, shown: map[pin.Key]entry{}}}
	for t := range r.catalog.lists {
		r.catalog.lists[t].unseen = notListed // nothing was judged yet
	}
	return r
}

// say tells a person something, in one line.
func (r *relay) say(format string, args ...any) {
	fmt.Fprintf(r.stderr, "pinproof: "+format+"\n", args...)
}

// Options are how a guard runs.
type Options struct {
	Pins
	OnDrift string // one of Ends, Subset, Warns

	// The file of the record of calls; "" is for none.
	Log string

	LogDigests bool // log digests in place of arguments
}

// Run starts the server once and passes messages between it and the client until one of them
// ends. It returns the server's exit code, or 2 if the session was ended here.
func Run(ctx context.Context, o Options, src mcp.Server, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	j, err := newJudge(o.Pins)
	if err != nil {
		return 2, err
	}
	if workspace.SameFile(j.lock, o.Log) {
		return 2, fail.New("--log %s: this is the lockfile", text.Printable(o.Log))
	}
	log, err := openLog(o)
	if err != nil {
		return 2, err
	}
	defer log.f.Close()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, mcp.EndSignals...)
	defer signal.Stop(signals)
	r := newRelay(j, o.OnDrift, log, stdout, stderr)
	s, err := src.Open(stderr)
	if err != nil {
		return 2, err
	}
	defer s.Stop()
	return r.run(stdin, s, signals)
}

// After a signal, a server has signalPatience to end before it is stopped, which takes the rest of ten
// seconds. Once a client has closed its end, the guard checks every lookAfter whether it still reads.
const (
	signalPatience = 10*time.Second - 2*mcp.Grace
	lookAfter      = time.Second
)

var errBlocked = errors.New("blocked") // a person has been told

func (r *relay) run(stdin io.Reader, p mcp.Connection, signals <-chan os.Signal) (int, error) {
	r.server.w = p
	clientEnds := make(chan struct{})
	go func() { r.ends <- cmp.Or(p.Lines(r.serverSays), io.EOF) }()
	go func() {
		if err := mcp.ReadLines(stdin, r.clientSays); err != nil {
			r.ends <- err
		}
		close(clientEnds)
	}()
	go func() {
		// In a goroutine of its own: a server that doesn't read must keep nobody from reading what it says.
		for b := range r.replies {
			if b == nil {
				p.Close()
			}
			r.server.write(b)
		}
	}()
	var killed, look <-chan time.Time
	for {
		select {
		case s := <-signals:
			p.Signal(s)
			if killed == nil {
				killed = time.After(signalPatience)
			}
			r.endReview(0)
			continue
		// This also ends the session if the server has ended, but the client doesn't read what it said.
		case <-killed:
			return r.ended(p, io.EOF)
		case err := <-r.ends:
			if err == errBlocked || !r.endReview(0) {
				return r.ended(p, err)
			}
		case <-clientEnds:
			clientEnds = nil
			look = time.Tick(lookAfter)
			r.endReview(gonePatience)
		case <-look:
			if hungUp(r.client.w) {
				p.Stop() // nobody will ever read what it says
			}
		}
		// In a goroutine: close may be held up by a side that reads nothing, and must not hold up a signal.
		go r.close()
	}
}

// ended returns the exit code. If a message was too large to be judged, it refuses all that the client waits for.
func (r *relay) ended(p mcp.Connection, err error) (int, error) {
	switch {
	case err == io.EOF, errors.Is(err, syscall.EPIPE):
		p.Stop()
		return p.ExitCode(), nil
	case err == errBlocked:
		return 2, nil
	case err == mcp.ErrTooLarge:
		r.mu.Lock()
		r.log.Info("block", "reason", mcp.ErrTooLarge.Text)
		last := r.refuseOpen(modeltext.Say("pinproof: blocked: a message of more than 64 MiB. The session with server ").
			Argument(r.judge.ServerID).Say(" is over."))
		r.mu.Unlock()
		r.client.write(last)
	}
	return 2, err
}

// endReview ends a review that is under way, after a while, and reports whether there was one.
func (r *relay) endReview(after time.Duration) bool {
	v := r.review.Load()
	if v != nil {
		time.AfterFunc(after, v.rest.End)
	}
	return v != nil
}

// close tells the server that the client sends no more, unless calls wait for a list or the guard itself still asks.
func (r *relay) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 && r.review.Load() == nil {
		r.reply(nil)
	}
}

// reply queues something for the server, and reports whether there was room for it.
func (r *relay) reply(b []byte) bool {
	select {
	case r.replies <- b:
		return true
	default:
		return false
	}
}

// serverSays passes on a line of the server's, as far as it may pass.
func (r *relay) serverSays(said mcp.Said) error {
	if v := r.review.Load(); v != nil && !said.Unsent {
		v.rest.Take(said)
		return nil
	}
	if said.Err != nil {
		r.say("the server: %s", strings.Join(fail.Lines(said.Err), "\n"))
		return nil
	}
	if said.Unsent {
		return r.clientSays(said.Line)
	}
	r.mu.Lock()
	pass, reply, err := r.fromServer(said.Line)
	// Queued under the lock, so that no call that has waited can come after the end of the input.
	if len(reply) > 0 && !r.reply(reply) {
		err = cmp.Or(err, error(fail.New("the server keeps sending, but reads none of %d replies", maxReplies)))
	}
	r.mu.Unlock()
	return cmp.Or(r.client.write(pass), err)
}

// clientSays passes on a line of the client's, as far as it may pass. What the server no longer
// takes is lost, as without a relay.
func (r *relay) clientSays(line []byte) error {
	r.mu.Lock()
	pass, reply, err := r.fromClient(line)
	r.mu.Unlock()
	r.server.write(pass)
	return cmp.Or(r.client.write(reply), err)
}

// fromServer returns what passes to the client of a line of the server's, and what is replied to
// the server. An error ends the session; pass is then the last thing that the client is told.
func (r *relay) fromServer(line []byte) (pass, reply []byte, err error) {
	m, bad := message(line)
	switch method := m.Get("method"); {
	case r.over:
		return nil, nil, r.log.err
	// The line may hide a list or instructions.
	case bad != nil && capture.HidesAnswer(line):
		words := r.unjudged("block", "blocked", line, fail.New("the server's answer is refused: %s", bad))
		return r.refuseOpen(words), nil, errBlocked
	case bad != nil:
		r.say("the server's message is refused: %s: %s", bad, mcp.Excerpt(string(bytes.TrimSpace(line))))
		pass, reply = r.dropped(line, true)
		return pass, reply, nil
	case m.Kind == 0:
		if noise := bytes.TrimSpace(line); len(noise) > 0 {
			r.say("the server printed a line that isn't a message: %s", mcp.Excerpt(string(noise)))
		}
		return nil, nil, nil
	case method.Kind != 0:
		if entryType, changed := changedBy(method.Text); changed {
			r.catalog.changed(entryType)
			r.said[entryType].last = nil
			r.said[entryType].behind = nil
			if a := r.asking[entryType]; a != nil {
				a.again = true
			}
		}
		return line, nil, nil
	}
	return r.answered(line, m)
}

// answered does the same as fromServer, for an answer.
func (r *relay) answered(line []byte, m jsontree.Value) (pass, reply []byte, err error) {
	key := keyOf(m.Get("id"))
	asked := r.open[key]
	if asked.asksGreeting && m.Has("result") {
		r.greeting = append(bytes.Clone(line[m.At:m.End]), '\n')
	}
	pass = line
	if r.pinned(m.Get("result"), asked) {
		var words modeltext.Text
		pass, words, err = r.held(line, m, asked)
		if r.review.Load() != nil {
			return nil, nil, nil
		}
		if err != nil {
			return r.refuseOpen(words), nil, err
		}
	}
	if why, part := r.answerSkill(line, m, asked); why != "" {
		words := r.refuseSkill("the answer to "+cmp.Or(asked.method, "a request"), asked.uri, why, part)
		if r.onDrift != Warns || why == skillDenied {
			pass = refusal(asked.id, words)
		}
	}
	if strings.HasPrefix(m.Get("id").Text, mcp.OwnID) {
		delete(r.open, key)
		return r.listed(m, asked)
	}
	if asked.call != nil {
		r.log.answer(asked.call, m)
	}
	if r.log.err != nil {
		return r.refuseOpen(wordsNoRecord), nil, r.log.err
	}
	delete(r.open, key)
	return pass, nil, nil
}

// keyOf returns an id in the form in which clients compare it. In JavaScript, "3" equals 3, and so
// does "0x3". Digits for a number above 2^53 are compared as text: no client's id is such a number.
func keyOf(id jsontree.Value) string {
	word := strings.TrimSpace(id.Text)
	n, err := strconv.ParseFloat(word, 64)
	if whole, failed := strconv.ParseUint(word, 0, 64); failed == nil && strings.ContainsAny(word, "xXbBoO") {
		n = float64(whole)
		err = nil
	}
	if err != nil || math.Abs(n) > 1<<53 {
		return string(id.Kind) + id.Text
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// pinned reports whether a result has something that is pinned. A list that isn't pinned passes
// unjudged, whatever is in it.
func (r *relay) pinned(result jsontree.Value, asked request) bool {
	// The policy of a lockfile that pinproof refuses doesn't count.
	for entryType := range pin.EntryTypes {
		if asked.method == readDirectory && entryType == pin.Resources {
			// What a folder lists isn't a list of the server's.
			continue
		}
		if result.Has(pin.EntryTypeInfo[entryType].Member) && (r.judge.readPins() != nil || r.catalog.policy.Pins(entryType)) {
			return true
		}
	}
	return false
}

// held compares an answer with the pins, together with the pages before it. It returns what the
// client gets. An error ends the session; words are then what the client is told.
func (r *relay) held(line []byte, m jsontree.Value, asked request) (pass []byte, words modeltext.Text, err error) {
	result := m.Get("result")
	entryType, listed := pin.EntryTypeIn(result.Has)
	if !listed {
		entryType = pin.Instructions
	}
	next := pageOf(result.Get("nextCursor"))
	p := r.said.add(entryType, asked.page, next, line[m.At:m.End])
	// What a person has denied reaches no agent, whatever else becomes of the answer.
	dropped := r.deniedIn(result)
	v, err := r.judge.part(p.line)
	if err == nil {
		maps.Copy(dropped, v.denied)
	}
	pass = r.without(dropped, line, result)
	if err != nil && r.onDrift == Warns {
		r.unjudged("drift", "not judged, and passed on", nil, err)
		return pass, words, nil
	}
	if err != nil {
		return nil, r.unjudged("block", "blocked", nil, err), errBlocked
	}
	v.findRepeated(entryType, p.before)
	p.verdict = *v
	p.others = r.hasOthers(entryType, result)
	if !v.matches {
		switch r.onDrift {
		case Warns:
			r.tell("drift", entryType, v, refused{data: r.said.text(), isPart: true})
		case Subset:
			pass, words, err = r.subset(dropped, line, result, entryType, v)
		default:
			r.refuse(entryType, p)
			return nil, words, nil
		}
	}
	if err != nil {
		return nil, words, err
	}
	if r.onDrift == Subset && listed && next == "" && p.nothingLeft() {
		pass = refusal(asked.id, wordsBlocked.Say("nothing is left of this list: ").With(r.catalog.lists[entryType].words))
	}
	r.catalog.show(v.matched, v.drifted)
	for _, item := range result.Get(pin.EntryTypeInfo[pin.Skills].Member).Items() {
		key := r.catalog.key(pin.Skills, item.Get("uri").Text)
		r.catalog.skills.learn(item.Value, v.drifted[key] == "" && v.matched[key].Digest != "")
	}
	return pass, words, nil
}

// findRepeated counts an entry that matched as drift if it is on an earlier page of the list, too.
func (v *verdict) findRepeated(entryType pin.EntryType, before *saidPage) {
	for key := range v.matched {
		if key.Type == entryType && before.has(key) {
			v.drifted[key] = string(pin.Duplicate)
			v.matches = false
			delete(v.matched, key)
		}
	}
}

// hasOthers reports whether a list has entries that the policy doesn't pin.
func (r *relay) hasOthers(entryType pin.EntryType, result jsontree.Value) bool {
	for _, item := range result.Get(pin.EntryTypeInfo[entryType].Member).Items() {
		key := pin.Key{Type: entryType, Name: item.Get(pin.EntryTypeInfo[entryType].Identity).Text}
		if !r.catalog.policy.PinsEntry(key) {
			return true
		}
	}
	return false
}

// subset leaves out what drifted, and tells a person. If the rest doesn't match by itself, the session ends.
func (r *relay) subset(dropped map[pin.Key]bool, line []byte, result jsontree.Value, entryType pin.EntryType, v *verdict) (pass []byte, words modeltext.Text, err error) {
	for key := range v.drifted {
		dropped[key] = true
	}
	pass = r.without(dropped, line, result)
	kept := refused{data: r.said.text(), isPart: true}
	rest, err := r.judge.part(pass)
	if err != nil || !rest.matches {
		return nil, wordsBlocked.With(r.tell("block", entryType, v, kept)), errBlocked
	}
	r.tell("drift", entryType, v, kept)
	return pass, words, nil
}

// deniedIn returns the entries of a result that the lockfile marks as denied.
func (r *relay) deniedIn(result jsontree.Value) map[pin.Key]bool {
	found := map[pin.Key]bool{}
	for _, m := range result.Members() {
		entryType, ok := pin.EntryTypeNamed(m.Name)
		if !ok {
			continue
		}
		for _, item := range m.Items() {
			key := r.catalog.key(entryType, item.Get(pin.EntryTypeInfo[entryType].Identity).Text)
			if r.catalog.entries[key].Denied {
				found[key] = true
			}
		}
	}
	return found
}

// without returns a line without some entries of its result. The values that stay are the bytes that came.
func (r *relay) without(dropped map[pin.Key]bool, line []byte, result jsontree.Value) []byte {
	if len(dropped) == 0 {
		return line
	}
	var members [][]byte
	for _, m := range result.Members() {
		if m.Name == pin.EntryTypeInfo[pin.Instructions].Member && dropped[pin.Key{Type: pin.Instructions}] {
			continue
		}
		value := line[m.At:m.End]
		if entryType, ok := pin.EntryTypeNamed(m.Name); ok {
			value = r.listWithout(dropped, line, entryType, m.Value)
		}
		members = append(members, slices.Concat(jsontree.AppendString(nil, m.Name), []byte(":"), value))
	}
	return slices.Concat(line[:result.At], []byte("{"), bytes.Join(members, []byte(",")), []byte("}"), line[result.End:])
}

// listWithout returns a list of a line without some of its entries.
func (r *relay) listWithout(dropped map[pin.Key]bool, line []byte, of pin.EntryType, list jsontree.Value) []byte {
	var entries [][]byte
	for _, item := range list.Items() {
		key := r.catalog.key(of, item.Get(pin.EntryTypeInfo[of].Identity).Text)
		if !dropped[key] {
			entries = append(entries, line[item.At:item.End])
		}
	}
	return slices.Concat([]byte("["), bytes.Join(entries, []byte(",")), []byte("]"))
}

// fromClient returns what passes to the server of a line of the client's, or what the client is
// answered in the server's place.
func (r *relay) fromClient(line []byte) (pass, reply []byte, err error) {
	m, bad := message(line)
	if review := r.review.Load(); review != nil && bad == nil {
		return nil, review.meanwhile(m, line), nil
	}
	if r.over {
		return nil, nil, r.log.err
	}
	if bad != nil {
		r.say("the client's message is refused: %s", bad)
		pass, reply = r.dropped(line, false)
		return pass, reply, nil
	}
	// A client has nothing to say to a server but messages.
	if m.Kind == 0 {
		return nil, nil, nil
	}
	return r.request(line, m)
}

// refuseRead returns what a client is told if its read of a resource, or its request for a skill, is refused.
func (r *relay) refuseRead(method string, uri, params jsontree.Value) (refused modeltext.Text) {
	why := r.askSkill(method, params)
	if why != "" {
		refused = r.refuseSkill(method, uri.Text, why, nil)
		if r.onDrift == Warns && why != skillDenied {
			refused = modeltext.Text{}
		}
	}
	key := r.catalog.key(pin.Resources, jsontree.TextOf(&uri))
	if method == readResource && r.catalog.entries[key].Denied {
		refused = r.refuseCall(key, denied)
	}
	return refused
}

// request takes a message of the client's. If the list of a called entry has changed, the call
// waits until the list has been seen again.
func (r *relay) request(line []byte, m jsontree.Value) (pass, reply []byte, err error) {
	method := m.Get("method")
	id := m.Get("id")
	params := m.Get("params")
	if method.Text == "notifications/cancelled" {
		r.waiting = slices.DeleteFunc(r.waiting, func(c call) bool { return jsontree.Equal(c.m.Get("id"), params.Get("requestId")) })
	}
	isGreeting := false
	switch method.Text {
	case "notifications/initialized":
		r.isInitialized = true
	case "initialize", "server/discover":
		isGreeting = true
	}
	if meta := params.Get("_meta"); meta.Has("io.modelcontextprotocol/protocolVersion") {
		r.meta = meta
	}
	asked := request{asksGreeting: isGreeting, id: bytes.Clone(line[id.At:id.End]), page: pageOf(params.Get("cursor"))}
	if pass = line; len(r.waiting) > 0 && !bytes.HasSuffix(line, []byte("\n")) {
		pass = slices.Concat(line, []byte("\n")) // something of ours follows
	}
	uri := params.Get("uri")
	refused := r.refuseRead(method.Text, uri, params)
	switch method.Text {
	case readResource, readDirectory, getSkill:
		asked.method = method.Text
		asked.uri = strings.Clone(jsontree.TextOf(&uri))
	}
	if entryType, calls := calledBy(method.Text); calls {
		key, under, why := r.catalog.called(entryType, params)
		switch a := r.asking[entryType]; {
		case why == "" || r.onDrift == Warns && why != denied:
			if asked.call = r.log.call(entryType, under, line, m); r.log.err != nil {
				r.over = true
				refused = wordsNoRecord
				err = r.log.err
			}
		case why == notListed && (a == nil || !a.failed) && len(r.waiting) < maxWaiting:
			pass = r.wait(entryType, line, m)
		default:
			refused = r.refuseCall(key, why)
		}
	}
	if (refused != modeltext.Text{}) {
		delete(r.open, keyOf(id)) // it may have waited
		pass = nil
		reply = refusal(asked.id, refused)
	} else if id.Kind != 0 && method.Kind != 0 {
		r.open[keyOf(id)] = asked
	}
	return pass, reply, err
}
