package guard

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// The modes of a guard: what it does about entries that differ from their pins.
const (
	ModeEnd    = "end"    // it ends the session
	ModeSubset = "subset" // it leaves them out
	ModeWarn   = "warn"   // it passes them, and reports them to a person
)

// A core decides what passes between a client and its server. Each method handles one event, such as a line from the
// client, and adds the resulting actions to out, which flush returns. A core reads no clock and no file, and starts
// no goroutine: the caller sets now, and calls one method at a time. The core owns the lines that it gets.
//
// A client gets the pinned entries that the server still lists unchanged. So no pinned list of the server's passes:
// the core requests each list itself, has pinproof judge it, and responds to the client with the entries that equal
// their pins (in mode warn, with all that aren't denied). A request that acts on an entry waits until the entry's
// list is judged; for a denied entry, it's refused in every mode. Any other message from the server passes only if
// it's a response that the client waits for and has no member named like a pinned list (holdsPinned), or a request or
// notification with a known method.
type core struct {
	Options
	review reviewSetup

	now time.Time
	out out

	pins serverPins
	// The lockfile can't be read: nothing that depends on it passes.
	unread bool

	lists [pin.EntryTypeCount]list
	// The client's requests that the server hasn't answered yet, by id.
	open map[string]request
	// The number of ids that the core has used.
	used int64
	// The client's messages that wait, in order of arrival.
	waiting []held
	// The list_changed notifications for the client by their methods, until their lists are judged.
	news map[string][]byte

	// The result of the server's last answer to initialize or server/discover, approved or not, and the capabilities in
	// it.
	greeting     []byte
	capabilities jsontree.Value
	// The client's last initialize with helloID as its id, for the next session.
	hello []byte
	// The id of the last initialize or server/discover.
	greets string
	state  sessionState
	// The server has got notifications/initialized.
	isReady bool

	// The _meta members that identify the client in its requests, from revision 2026-07-28 on.
	meta []jsontree.Member

	// Why the session is over; nil while it isn't.
	refused *refusalState
}

// A sessionState is a stage of a session.
type sessionState int

const (
	notBegun sessionState = iota
	// The server's response to initialize or server/discover, or the verdict on it, hasn't arrived yet.
	awaited
	// The response is approved, or the client uses 2026-07-28 without a handshake. The server may not have got
	// notifications/initialized yet.
	begun
	// Every pinned list that the server declares was requested.
	started
)

// A list is the state of one of the server's lists in this session.
type list struct {
	// A message that needs the list records the value of changes, and waits until done has reached that value. Every
	// event that outdates the last listing, such as list_changed, increments changes.
	changes int
	// The value of changes when the last complete listing began; 0 before the first.
	done int
	// The listing in progress, or nil.
	running *listing
	// The client has got the listing that began last, or waits for it. So its next request for the list begins another
	// one.
	isAsked bool
	// When the last listing began.
	at time.Time

	// The client's response from the last listing: a "result" or "error" member.
	outcome string
	// The server's pages as received; nil if there is no list, or it must be judged again.
	pages []mcp.Page
	// Returns the entries of the pages as texts for the client.
	written func() []entry
	// The results with skill files, requested after a refusal.
	files []mcp.Page
	// The entries that the client may use and the pins that they equal, by pinned name.
	entries map[string]entryPin
	// The entries that drifted.
	drifted map[pin.Key]drift
}

// hasFailed reports whether the server responded to the last listing with an error.
func (l *list) hasFailed() bool { return l.pages == nil && l.done > 0 && l.done == l.changes }

// A listing is a list that is being requested, page by page.
type listing struct {
	mcp.Listing
	began   int // the value of list.changes when it began
	written func() []entry
	key     string    // the id of the unanswered request; "" if there is none
	sent    time.Time // when that request was sent
}

// listingOf returns the listing that waits for the answer to a request, or nil.
func (c *core) listingOf(key string) *listing {
	for _, l := range c.lists {
		if l.running != nil && l.running.key == key && key != "" {
			return l.running
		}
	}
	return nil
}

// A held is a message from the client that may wait for lists, or for the server's response to the handshake.
type held struct {
	line []byte
	m    jsontree.Value
	// For each list, the value that list.done must reach.
	needs [pin.EntryTypeCount]int
	// It has waited for a list.
	hasWaited bool
}

// id returns the bytes of the id as received, or nothing.
func (h held) id() []byte {
	id := h.m.Get("id")
	return h.line[id.Start:id.End]
}

// refuseRequest answers a request of the client's with a refusal.
func (c *core) refuseRequest(h held, words modeltext.Text) { c.toClient(refusal(h.id(), words)) }

// A request is a client's request that the server hasn't answered yet.
type request struct {
	held
	// The log members for the response; nil if it isn't logged.
	call        []any
	method, uri string
}

// out holds the pending actions. The caller performs them in the order of the fields.
type out struct {
	records []record
	keep    []keptFile
	// Lines for a person.
	say      []string
	toClient []byte
	toServer []byte
	judge    []judgement
	// A list will soon have to be judged: pinproof can be started.
	prepares bool
	// If not nil, the session ends.
	err error
}

// A judgement is a part of a capture that pinproof must judge. While pinproof runs, the caller calls the function
// meanwhile. Afterwards, it passes the verdict or an error to the function then.
type judgement struct {
	said      []byte
	meanwhile func()
	then      func(v *verdict, err error)
}

// flush returns the pending actions, and clears them.
func (c *core) flush() (o out) {
	o = c.out
	c.out = out{}
	return o
}

func (c *core) toClient(lines []byte) { c.out.toClient = append(c.out.toClient, lines...) }
func (c *core) toServer(lines []byte) { c.out.toServer = append(c.out.toServer, lines...) }

func (c *core) judge(said []byte, meanwhile func(), then func(v *verdict, err error)) {
	c.out.judge = append(c.out.judge, judgement{said, meanwhile, then})
}

func (c *core) tell(format string, args ...any) {
	c.out.say = append(c.out.say, fmt.Sprintf("pinproof: "+format, args...))
}

func (c *core) log(event string, args ...any) {
	c.out.records = append(c.out.records, record{event: event, args: args})
}

// fromClient handles a line from the client.
func (c *core) fromClient(line []byte) {
	m, bad := message(line)
	h := held{line: append(bytes.TrimRight(line, "\r\n"), '\n'), m: m}
	if c.refused != nil {
		c.answerRefused(h)
	} else if bad != nil {
		c.tell("the client's message is refused: %s", bad)
		c.drop(line, false, bad)
	} else if m.Kind != 0 { // other lines are dropped
		c.take(h)
	}
}

// take handles a message from the client: when it arrives, and again when the lists that it waits for are judged.
func (c *core) take(h held) {
	method := h.m.Get("method").Text
	params := h.m.Get("params")
	hasID := h.m.Has("id")
	if meta := params.Get("_meta"); meta.Has(protocolVersion) && !c.unread {
		c.meta = slices.DeleteFunc(slices.Clone(meta.Members()), func(m jsontree.Member) bool { return !strings.HasPrefix(m.Name, "io.modelcontextprotocol/") })
		if c.state == notBegun && !isGreeting(method) {
			c.state = begun
		}
	}
	switch {
	case method != "" && hasID && c.isUsed(keyOf(h.m)):
		c.refuseRequest(h, wordsUsed) // the answers to two requests with one id couldn't be told apart
	case method == "notifications/cancelled":
		c.cancel(h)
	case method == "" || method == "ping":
		c.forward(h, nil)
	case c.unread && !isGreeting(method) && hasID:
		c.refuseRequest(h, wordsNoPins)
	case isGreeting(method):
		c.greet(h, method)
	case c.mustWait(&h):
		c.wait(h)
	case c.state == notBegun:
		c.refuseRequest(h, wordsNotBegun)
	case method == "notifications/initialized":
		c.isReady = true
		c.forward(h, nil)
		c.start()
	default:
		c.start()
		if entryType, lists := typeOf(method, methodOf); lists {
			c.listFor(entryType, h)
		} else {
			c.act(h, method, params)
		}
	}
}

const protocolVersion = "io.modelcontextprotocol/protocolVersion"

func isGreeting(method string) bool { return method == "initialize" || method == "server/discover" }

// maxWaiting is the maximum number of the client's messages that wait.
const maxWaiting = 1000

// helloID is the id of the initialize that begins another session. Its response isn't for the client.
var helloID = "pinproof-" + rand.Text()

// greet forwards initialize or server/discover, which begins a session.
func (c *core) greet(h held, method string) {
	if method == "initialize" {
		c.meta = nil // an earlier server/discover may have set it
		c.isReady = false
		id := h.m.Get("id")
		c.hello = slices.Concat(h.line[:id.Start], []byte(`"`+helloID+`"`), h.line[id.End:])
	}
	c.greets = keyOf(h.m)
	c.state = awaited
	c.forward(h, nil)
}

// forward sends a message of the client's to the server.
func (c *core) forward(h held, call []any) {
	if method := h.m.Get("method"); h.m.Has("id") && method.Kind != 0 {
		c.open[keyOf(h.m)] = request{h, call, method.Text, h.m.Get("params").StringIn("uri")}
	}
	c.toServer(h.line)
}

// cancel handles notifications/cancelled. The server doesn't get it for a request that still waits here.
func (c *core) cancel(h held) {
	n := len(c.waiting)
	id := h.m.Get("params").Get("requestId")
	c.waiting = slices.DeleteFunc(c.waiting, func(h held) bool { return jsontree.Equal(h.m.Get("id"), id) })
	if n == len(c.waiting) {
		delete(c.open, strings.TrimSpace(id.Text))
		c.toServer(h.line)
	}
}

// listFor answers a request for a list, or makes it wait until the list is judged.
func (c *core) listFor(entryType pin.EntryType, h held) {
	cursor := h.m.Get("params").Get("cursor")
	l := &c.lists[entryType]
	isPinned := c.pins.CoversType(entryType)
	isFirst := cursor.Kind == 0 || cursor.Kind == 'n' || cursor.Kind == '"' && cursor.Text == ""
	if isPinned && isFirst && h.needs[entryType] == 0 {
		c.need(&h, entryType, l.isAsked || c.isOld(entryType))
		l.isAsked = true
	}
	switch {
	case !isPinned && entryType == pin.Resources:
		c.forward(h, nil)
	case !isPinned:
		c.toClient(mcp.ResponseLine(h.id(), fmt.Sprintf(`"result":{%q:[]%s}`, memberOf(entryType), c.modernMembers())))
	case !isFirst:
		c.refuseRequest(h, wordsNoCursor)
	case c.mustWait(&h):
		c.wait(h)
	default:
		c.toClient(mcp.ResponseLine(h.id(), l.outcome))
	}
}

// modernMembers returns the members that every result requires from revision 2026-07-28 on.
func (c *core) modernMembers() string {
	if c.meta == nil {
		return ""
	}
	return `,"resultType":"complete","ttlMs":0,"cacheScope":"private"`
}

// need makes a message wait for the latest listing of a list or, with isNew, for another one.
func (c *core) need(h *held, entryType pin.EntryType, isNew bool) {
	l := &c.lists[entryType]
	if isNew || l.changes == 0 {
		l.changes++
	}
	h.needs[entryType] = l.changes
}

// isOld reports whether the last listing of a list is too old for a call.
func (c *core) isOld(entryType pin.EntryType) bool {
	l := &c.lists[entryType]
	return c.MaxListAge > 0 && l.running == nil && l.done == l.changes && c.now.Sub(l.at) > c.MaxListAge
}

// act handles a request that may act on an entry.
func (c *core) act(h held, method string, params jsontree.Value) {
	target := c.targetOf(method, params)
	// Don't wait for a list that makes no difference: for a denied entry or, except in mode warn, for a name without a
	// pin.
	if why := c.forbids(target); why != nil {
		c.refuseUse(h, target, method, why)
		return
	}
	for _, entryType := range target.lists {
		if h.needs[entryType] == 0 {
			c.need(&h, entryType, c.isOld(entryType))
		}
	}
	if c.mustWait(&h) {
		c.wait(h)
		return
	}
	under, why := c.allows(target, method, params)
	switch {
	// If the list lacks a pinned entry, request the list once more: the server may list the entry only now, for example
	// after a login. Don't request it again for a drifted entry.
	case (why == gone || why == notListed || why == skillNotSeen) && !h.hasWaited:
		for _, entryType := range target.lists {
			c.need(&h, entryType, true)
		}
		c.wait(h)
	case why != nil && (c.OnDrift != ModeWarn || why == skillDenied || why == folderNotRead || why == unclear):
		c.refuseUse(h, target, method, why)
	case method == getSkill && c.guardsSkills() && c.OnDrift != ModeWarn:
		entries := c.entries(pin.Skills, params.StringIn("uri"))
		if len(entries) != 1 { // a response contains exactly one skill
			c.refuseUse(h, target, method, gone)
			return
		}
		c.toClient(mcp.ResponseLine(h.id(), fmt.Sprintf(`"result":{"skill":%s%s}`, entries[0], c.modernMembers())))
	default:
		c.call(h, method, params, under)
	}
}

// call forwards a request, and records it if it acts on an entry by its name.
func (c *core) call(h held, method string, params jsontree.Value, under entryPin) {
	entryType, calls := typeOf(method, useOf)
	if !calls {
		c.forward(h, nil)
		return
	}
	said := []any{pin.EntryTypeInfo[entryType].Entry, params.Get("name").Text}
	if id := h.id(); len(id) > 0 {
		said = append(said, "id", json.RawMessage(id))
	}
	c.forward(h, said)
	arguments := params.Get("arguments")
	args := slices.Concat(said, []any{"digest", under.Digest, "approval", under.Approval})
	c.out.records = append(c.out.records, record{"call", args, h.line[arguments.Start:arguments.End]})
}

// mustWait reports whether the response to the handshake is awaited, or a list that a message needs isn't judged yet.
func (c *core) mustWait(h *held) bool {
	if c.state == awaited {
		return true
	}
	for entryType, need := range h.needs {
		if c.lists[entryType].done < need {
			return true
		}
	}
	return false
}

// wait makes a message wait for its lists, and requests them.
func (c *core) wait(h held) {
	if len(c.waiting) >= maxWaiting {
		c.refuseRequest(h, wordsNoList)
		return
	}
	h.hasWaited = h.hasWaited || c.state >= begun
	c.waiting = append(c.waiting, h)
	c.request()
}

// request begins the listings that messages wait for, and those of changed lists after changePause.
func (c *core) request() {
	for entryType := range pin.Instructions {
		l := &c.lists[entryType]
		isDue := c.now.Sub(l.at) >= changePause && c.lags(entryType)
		isNeeded := slices.ContainsFunc(c.waiting, func(h held) bool { return h.needs[entryType] > l.done })
		// Before the handshake is approved, nothing is requested. After a refusal, refuse has already requested the
		// remaining lists.
		if c.refused == nil && c.state >= begun && (isDue || isNeeded) {
			c.begin(entryType)
		}
	}
}

// start requests every pinned list that the server declares, once per session.
func (c *core) start() {
	if c.state == started {
		return
	}
	c.state = started
	for _, entryType := range pin.RequestOrder {
		if c.pins.CoversType(entryType) && c.claims(entryType) {
			c.lists[entryType].changes++
			c.begin(entryType)
		}
	}
}

// begin begins a listing, unless one is in progress. The listing uses the _meta of a client's request for the list,
// because the client may expect progress notifications.
func (c *core) begin(entryType pin.EntryType) {
	l := &c.lists[entryType]
	if l.running != nil {
		return
	}
	l.at = c.now
	l.isAsked = false
	l.running = &listing{began: l.changes, Listing: mcp.Listing{EntryType: entryType, Meta: c.meta,
		Files: &mcp.SkillFiles{}, WithFiles: c.refused != nil, EmptyEnds: c.pins.EmptyCursorEnds}}
	for _, h := range c.waiting {
		if h.m.Get("method").Text == methodOf(entryType) {
			l.isAsked = true
			if meta := h.m.Get("params").Get("_meta"); len(meta.Members()) > 0 {
				l.running.Meta = meta.Members()
			}
		}
	}
	c.out.prepares = c.out.prepares || l.pages == nil && c.refused == nil
	c.send(l.running)
}

// firstOwn is the lowest id of the core's requests. These ids are high, because clients count from 0, but below 2^31,
// because some servers read them as 32-bit integers.
const firstOwn = 1 << 30

// send sends the next request of a listing.
func (c *core) send(l *listing) {
	id := firstOwn + c.used
	for c.isUsed(strconv.FormatInt(id, 10)) {
		id++
	}
	c.used = id - firstOwn + 1
	l.key = strconv.FormatInt(id, 10)
	l.sent = c.now
	method, params := l.NextRequest()
	c.toServer(mcp.RequestLine(id, method, params))
}

// isUsed reports whether an id is that of a request that the server has got and not answered yet.
func (c *core) isUsed(key string) bool {
	_, isClients := c.open[key]
	return isClients || c.listingOf(key) != nil
}

// fromServer handles a line from the server.
func (c *core) fromServer(line []byte) {
	m, bad := message(line)
	key := keyOf(m)
	method := m.Get("method")
	l := c.listingOf(key)
	switch {
	case bad != nil:
		c.unreadable(line, bad)
	case m.Kind == 0:
		if noise := bytes.TrimSpace(line); len(noise) > 0 {
			c.tell("the server printed a line that isn't a message: %s", mcp.Excerpt(string(noise)))
		}
	case c.refused == nil && (c.holdsPinned(m, "") || c.holdsPinned(m.Get("error").Get("data"), c.open[key].method)):
		c.block(line, errUnasked)
	case method.Kind != 0:
		c.unasked(line, m, method.Text)
	case l != nil && m.Get("id").Kind == '0':
		l.key = ""
		c.came(l, line, m)
	case c.refused == nil:
		c.answered(line, m, key)
	}
}

// unreadable handles a line from the server that clients could parse in different ways.
func (c *core) unreadable(line []byte, bad error) {
	if c.refused == nil && capture.MayHideResponse(line) {
		// it may hide a list or instructions
		c.block(line, fail.New("the server's answer is refused: %s", bad))
		return
	}
	c.tell("the server's message is refused: %s: %s", bad, mcp.Excerpt(string(bytes.TrimSpace(line))))
	c.drop(line, true, bad)
}

// knownMethods has the server's requests and notifications up to revision 2026-07-28, except list_changed.
var knownMethods = strings.Fields("ping roots/list sampling/createMessage elicitation/create tasks/get tasks/result tasks/list tasks/cancel tasks/update " +
	"notifications/message notifications/progress notifications/cancelled notifications/resources/updated notifications/elicitation/complete " +
	"notifications/tasks/status notifications/tasks notifications/subscriptions/acknowledged")

// unasked handles a request or notification from the server.
func (c *core) unasked(line []byte, m jsontree.Value, method string) {
	id := m.Get("id")
	_, isChange := typeOf(method, changedOf)
	switch {
	case c.refused == nil && isChange:
		c.changed(method, line)
		return
	case c.refused == nil && slices.Contains(knownMethods, method):
		c.toClient(line)
		return
	case c.refused == nil:
		c.tell("the server's message is not passed on, because no specification has its method: %s", mcp.Excerpt(method))
	}
	if id.Kind != 0 { // also after a refusal, because a server may wait for a response before it lists
		c.toServer(mcp.LocalResponse(line[id.Start:id.End], method))
	}
}

// changed handles a list_changed notification. The client gets it once the new list is judged or, if there is none,
// once the listing has failed.
func (c *core) changed(method string, line []byte) {
	for entryType := range pin.Instructions {
		if changedOf(entryType) == method {
			c.lists[entryType].changes++
			c.news[method] = line
		}
	}
	c.release()
}

// lags reports whether a notification must wait because it's about this list and the list isn't judged yet. No
// notification waits for a list that isn't pinned or was never requested.
func (c *core) lags(entryType pin.EntryType) bool {
	l := &c.lists[entryType]
	return c.news[changedOf(entryType)] != nil && l.done < l.changes && (c.state == awaited || c.state == started) && c.pins.CoversType(entryType) && c.claims(entryType)
}

// changePause is the minimum time between two listings of a changed list, because some servers send many list_changed
// notifications.
const changePause = time.Second

// came handles the response to a listing's request.
func (c *core) came(l *listing, line []byte, m jsontree.Value) {
	info := pin.EntryTypeInfo[l.EntryType]
	isPage := !l.HasEmptyCursor && !l.RequestsFiles
	e := m.Get("error")
	if isPage && e.Kind != 0 {
		c.listed(l, string(line[e.Start:e.End]), nil)
	} else if isPage && m.Get("result").Get(info.Member).Kind != '[' {
		c.listed(l, "", fail.New("its answer to %s has no array %s", info.Method, info.Member))
	} else if more, err := l.Add(line, m); more {
		c.send(l)
	} else {
		c.listed(l, "", err)
	}
}

// listed handles the end of a listing: complete, with an error response from the server, or failed with err.
func (c *core) listed(l *listing, serverError string, err error) {
	state := &c.lists[l.EntryType]
	isFailed := serverError != "" || err != nil
	if c.refused != nil {
		c.reviewed(l, isFailed)
		return
	} else if isFailed {
		state.outcome = `"error":` + serverError
		state.pages, state.entries, state.drifted = nil, nil, nil
	} else if state.pages == nil || !slices.EqualFunc(l.Pages, state.pages, func(a, b mcp.Page) bool { return bytes.Equal(a.Text, b.Text) }) { // unchanged pages keep the last verdict
		written := c.write(l)
		l.written = written
		c.judge(captured(l.Pages...), func() { written() }, func(v *verdict, err error) { c.judged(l, v, err) })
		return
	}
	if err != nil {
		c.tell("the server gave no list of %s: %s", memberOf(l.EntryType), err)
		state.outcome = errorOf(wordsNoList)
	}
	c.settle(l)
}

// judged handles the verdict on a list.
func (c *core) judged(l *listing, v *verdict, err error) {
	state := &c.lists[l.EntryType]
	if c.refused != nil {
		c.reviewed(l, false)
		return
	}
	if state.running != l { // it belongs to a session that has ended
		return
	}
	state.pages = l.Pages
	state.written = l.written
	words, isOver := c.decide(l.EntryType, v, err)
	if isOver {
		c.settle(l)
		return
	}
	state.entries = map[string]entryPin{}
	state.drifted = nil
	if v != nil {
		state.drifted = v.drifted
		for key, as := range v.matched {
			if key.Type == l.EntryType {
				state.entries[key.Name] = as
			}
		}
	}
	var count int
	state.outcome, count = c.result(l.EntryType)
	if c.OnDrift == ModeSubset && len(state.drifted) > 0 && count == 0 {
		state.outcome = errorOf(wordsBlocked.AddWords("nothing is left of this list: ").AddText(words))
	}
	if l.EntryType == pin.Skills {
		c.learnSkills(state)
	}
	c.settle(l)
}

// settle ends a listing, and handles the messages that waited for it.
func (c *core) settle(l *listing) {
	state := &c.lists[l.EntryType]
	state.running = nil
	state.done = l.began
	c.release()
}

// release sends the client the list_changed notifications whose lists are judged, and handles the messages that no
// longer wait.
func (c *core) release() {
	if c.refused != nil {
		return
	}
	for _, method := range slices.Sorted(maps.Keys(c.news)) {
		if !slices.ContainsFunc(pin.RequestOrder[:], func(entryType pin.EntryType) bool { return changedOf(entryType) == method && c.lags(entryType) }) {
			c.toClient(c.news[method])
			delete(c.news, method)
		}
	}
	waiting := c.waiting
	c.waiting = nil
	for _, h := range waiting {
		if c.refused != nil || c.mustWait(&h) {
			c.waiting = append(c.waiting, h)
		} else {
			c.take(h)
		}
	}
	c.request()
}

// decide acts on a verdict as the mode requires. If v is nil, err is the reason. Drift without drifted entries is a
// changed policy or an unaccepted warning: then only mode warn continues. decide returns the text about drift for the
// client, and whether the session is over.
func (c *core) decide(entryType pin.EntryType, v *verdict, err error) (words modeltext.Text, isOver bool) {
	if err != nil && c.OnDrift == ModeWarn {
		c.unjudged("drift", "not judged, and passed on", nil, err)
	} else if err != nil {
		c.block(nil, err)
	} else if v.matches {
	} else if c.OnDrift == ModeWarn || c.OnDrift == ModeSubset && len(v.drifted) > 0 && entryType != pin.Instructions {
		words = c.drift("drift", entryType, v)
	} else {
		c.refuse(entryType, v)
	}
	return words, c.refused != nil
}

// answered handles a response to a client's request, or to no request at all.
func (c *core) answered(line []byte, m jsontree.Value, key string) {
	result := m.Get("result")
	asked, isOpen := c.open[key]
	switch {
	case result.Kind != 0 && (key == helloID || isGreeting(asked.method)):
		c.greeted(line, m, key)
		return
	case !isOpen && c.isOwn(key):
	case c.holdsPinned(result, asked.method):
		c.block(line, errUnasked)
	case isOpen:
		delete(c.open, key)
		c.toClient(c.judgeAnswer(line, result, asked))
		c.logAnswer(m, asked)
	}
	if key == c.greets && c.state == awaited { // the server answered the handshake with an error
		c.state = notBegun
		c.release()
	}
}

// logAnswer records the answer to a call.
func (c *core) logAnswer(m jsontree.Value, asked request) {
	outcome := "result"
	if m.Has("error") {
		outcome = "error"
	} else if m.Get("result").Get("isError").Kind == 't' {
		outcome = "tool error"
	}
	if asked.call != nil {
		c.log("answer", append(asked.call, "bytes", m.End-m.Start, "outcome", outcome)...)
	}
}

// isOwn reports whether the core has used an id. A response may still arrive after its listing was abandoned.
func (c *core) isOwn(key string) bool {
	n, err := strconv.ParseInt(key, 10, 64)
	return err == nil && n >= firstOwn && n < firstOwn+c.used || key == helloID
}

// holdsPinned reports whether a result, the message around it, or the data of an error has a member named like a pinned
// list. The result of tools/call may have such members, because it is only content.
func (c *core) holdsPinned(result jsontree.Value, method string) bool {
	for entryType := range pin.EntryTypeCount {
		isFolder := method == readDirectory && entryType == pin.Resources // a folder's listing isn't the list of resources
		isPinned := c.unread || c.pins.CoversType(entryType)
		if isPinned && !isFolder && method != "tools/call" && result.Has(memberOf(entryType)) {
			return true
		}
	}
	return false
}

var errUnasked error = fail.New("the server answers with a list that nobody asked for")

// greeted handles the response to initialize or server/discover. Its instructions are judged like a list of one
// entry.
func (c *core) greeted(line []byte, m jsontree.Value, key string) {
	result := m.Get("result")
	greeting := line[result.Start:result.End]
	c.greeting = greeting
	c.capabilities = result.Get("capabilities")
	c.greets = key
	c.state = awaited
	c.forget()
	pass := func(v *verdict, err error) {
		if c.refused != nil {
			return
		}
		if _, isOver := c.decide(pin.Instructions, v, err); isOver {
			return
		}
		delete(c.open, key)
		if key == helloID {
			c.isReady = true
			c.toServer([]byte(mcp.InitializedLine))
		} else {
			c.toClient(append(bytes.TrimSpace(line), '\n'))
		}
		if &greeting[0] != &c.greeting[0] { // these aren't the bytes of the last greeting: another handshake has begun since
			return
		}
		c.state = begun
		// Otherwise, the client still sends notifications/initialized or, after server/discover, initialize.
		if key == helloID {
			c.start()
		}
		c.release()
	}
	_, holdsList := pin.EntryTypeIn(result.Has)
	isPinned := c.unread || c.pins.CoversType(pin.Instructions)
	if holdsList {
		c.block(nil, errUnasked)
	} else if isPinned && result.Has(memberOf(pin.Instructions)) {
		c.judge(captured(mcp.Page{Text: greeting}), func() {}, pass)
	} else {
		pass(&verdict{matches: true}, nil)
	}
}

// forget abandons all listings because another session has begun. Messages that waited for them wait for new ones.
func (c *core) forget() {
	for entryType := range pin.Instructions {
		l := &c.lists[entryType]
		l.changes++
		l.pages = nil
		l.at = time.Time{}
		for i := range c.waiting {
			if need := &c.waiting[i].needs[entryType]; *need > 0 {
				*need = l.changes
			}
		}
		l.running = nil
	}
}

// renews begins a new session after the server ended one, by repeating the client's initialize. The client's messages
// wait for the response, and the client gets list_changed for every list once it is judged.
func (c *core) renews() {
	if c.state == awaited && c.greets != helloID || c.hello == nil {
		return // the client's own handshake is in progress
	}
	c.forget()
	c.greets = helloID
	c.state = awaited
	c.isReady = false
	for entryType := range pin.Instructions {
		method := changedOf(entryType)
		c.news[method] = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`+"\n", method)
	}
	c.toServer(c.hello)
}

// reread replaces the pins after the lockfile has changed. err is why it can't be read.
func (c *core) reread(pins serverPins, err error) {
	was := c.unread
	c.unread = err != nil
	if c.unread && !was {
		c.tell("nothing passes until the lockfile can be read: %s", fail.AsError(err).Text)
	}
	if c.unread {
		return
	}
	for folder, k := range c.pins.skills { // keep skills that were seen without approval
		if _, isPinned := pins.skills[folder]; k.why == skillNotApproved && !isPinned {
			pins.skills[folder] = k
		}
	}
	c.pins = pins
	for entryType := range pin.Instructions {
		l := &c.lists[entryType]
		l.pages = nil
		if l.running != nil {
			l.running.written = c.write(l.running) // the new policy may leave out other members
		}
		if l.changes > 0 {
			l.changes++
		}
	}
}

// tick abandons listings whose response is overdue, begins listings that are due, and concludes a refusal.
func (c *core) tick() {
	for entryType := range c.lists {
		l := c.lists[entryType].running
		if l == nil || l.key == "" || c.now.Before(l.sent.Add(l.Timeout())) {
			continue
		}
		l.key = ""
		err := fmt.Errorf("no answer in %d seconds", int(l.Timeout().Seconds()))
		if l.HasEmptyCursor {
			l.Finish()
			err = nil
		}
		c.listed(l, "", err)
	}
	c.request()
	c.conclude()
}

// serverEnds handles the end of the server. Every request that waits for a response gets an error.
func (c *core) serverEnds() {
	if c.refused != nil {
		c.now = c.refused.at.Add(reviewPatience)
		c.conclude()
		return
	}
	maps.DeleteFunc(c.open, func(_ string, r request) bool { return r.method == listen }) // listen has no response
	c.refuseAll(wordsEnded)
}

// unsent handles a line that the server didn't receive because its session had ended. A client's message is handled
// again; a listing isn't, because listings begin again in the next session.
func (c *core) unsent(line []byte) {
	m, _ := message(line)
	if key := keyOf(m); !c.isOwn(key) {
		delete(c.open, key)
		c.fromClient(line)
	}
}

// refuseAll answers all requests that the client waits for with a refusal.
func (c *core) refuseAll(words modeltext.Text) {
	for _, key := range slices.Sorted(maps.Keys(c.open)) {
		c.refuseRequest(c.open[key].held, words)
	}
	for _, h := range c.waiting {
		c.refuseRequest(h, words)
	}
	clear(c.open)
	c.waiting = nil
}

// end ends the session, and answers all requests that the client waits for with an error.
func (c *core) end(words modeltext.Text, err error) {
	c.refuseAll(words)
	c.refused = &refusalState{words: words, isTold: true}
	c.out.err = err
}

// block ends the session because of something that can't be judged.
func (c *core) block(line []byte, err error) {
	c.end(c.unjudged("block", "blocked", line, err), errBlocked)
}
