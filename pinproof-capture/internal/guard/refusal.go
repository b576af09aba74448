package guard

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// An error code within the range that JSON-RPC leaves to servers.
const codeBlocked = -32090

// What the client is told in place of an answer, the same for every server.
var (
	wordsBlocked    = say("pinproof: blocked: ")
	wordsUnreadable = say("pinproof: blocked: the message can be read in more than one way, and was not passed on.")
	wordsNoList     = say("pinproof: blocked: the server did not give this list. Try again later.")
	wordsNoCursor   = say("pinproof: this list has one page. Ask for it without a cursor.")
	wordsNoPins     = say("pinproof: blocked: tools.lock can't be read. A person has to put it right.")
	wordsNotBegun   = say("pinproof: blocked: this session has not begun. Send initialize first.")
	wordsEnded      = say("pinproof: the server has ended, or didn't start. A person finds the reason in the log of this server.")
	wordsUsed       = say("pinproof: blocked: the id of this request is in use.")
	wordsNoRecord   = say("pinproof: blocked: the record of calls can't be written, and this was not called.")
)

// reviewPatience is how long a server has for what is requested after a refusal, and how long the client waits for its error: that names
// the file with all of it.
const reviewPatience = 5 * time.Second

// A reviewing is how a person reviews what was refused.
type reviewing struct {
	// The beginning of the paths of files with what was refused; "" if none can be written.
	place string

	command shell.Command // without the path of such a file
}

// A kept is a file with what was refused.
type kept struct {
	path string
	data []byte
}

// A refused is why a session is over, and what the client is told of it.
type refused struct {
	entryType pin.EntryType
	verdict   *verdict
	at        time.Time
	waiting   [][]byte // the ids of the client's requests that get the error
	words     modeltext.Text
	isTold    bool
}

// answerRefused answers a request that comes after the refusal, or has it wait.
func (c *core) answerRefused(h held) {
	r := c.refused
	if !h.m.Has("method") {
		return
	}
	if r.isTold {
		c.refuseRequest(h, r.words)
	} else if id := h.id(); len(id) > 0 {
		r.waiting = append(r.waiting, id)
	}
}

// refuse ends the session because a list or the instructions drifted. The rest of the lists is requested first, so that a person has to
// review only once.
func (c *core) refuse(entryType pin.EntryType, v *verdict) {
	c.refused = &refused{entryType: entryType, verdict: v, at: c.now, waiting: c.unanswered()}
	if !c.isReady && c.meta == nil {
		c.toServer([]byte(mcp.Initialized))
	}
	for _, entryType := range pin.AskOrder {
		l := &c.lists[entryType]
		isKnown := l.pages != nil || l.running != nil || l.hasFailed()
		if isKnown && entryType != pin.Skills || !c.claims(entryType) {
			continue
		}
		if l.running == nil || l.running.key == "" {
			l.running = nil
			c.begin(entryType)
		}
		l.running.WithFiles = true
	}
	c.conclude()
}

// reviewed takes a listing that has come to its end after a refusal.
func (c *core) reviewed(l *listing, isFailed bool) {
	state := &c.lists[l.EntryType]
	if l == state.running {
		state.running = nil
	}
	if !isFailed {
		state.pages = l.Pages
		state.files = l.Read
	}
	c.conclude()
}

// conclude tells the client and a person of a refusal, once all that was requested has come or the time for that is over.
func (c *core) conclude() {
	r := c.refused
	isWaiting := slices.ContainsFunc(c.lists[:], func(l list) bool { return l.running != nil })
	if r == nil || r.isTold || isWaiting && c.now.Sub(r.at) < reviewPatience {
		return
	}
	r.words = wordsBlocked.With(c.drift("block", r.entryType, r.verdict))
	r.isTold = true
	c.refuseAll(r.waiting, r.words)
	for entryType := range c.lists {
		c.lists[entryType].running = nil
	}
	c.out.err = errBlocked
}

// captured returns results as the lines of a capture.
func captured(results ...[]byte) (lines []byte) {
	for i, result := range results {
		lines = append(lines, mcp.Answer([]byte(strconv.Itoa(i+1)), `"result":`+string(result))...)
	}
	return lines
}

// textsOf returns the results of pages as they came.
func textsOf(pages []mcp.Page) (results [][]byte) {
	for _, page := range pages {
		results = append(results, page.Text)
	}
	return results
}

// said returns a capture of all that the server has said of itself, each list as it was last listed to its end, and whether a list is
// missing that the server claims to have.
func (c *core) said() (data []byte, isPart bool) {
	var results [][]byte
	if c.greeting != nil {
		results = append(results, c.greeting)
	}
	isPart = c.refused == nil
	for _, entryType := range pin.AskOrder {
		l := &c.lists[entryType]
		results = slices.Concat(results, textsOf(l.pages), textsOf(l.files))
		isPart = isPart || l.pages == nil && !l.hasFailed() && c.claims(entryType)
	}
	return captured(results...), isPart
}

// drift tells a person what drifted in a list and how to go on, logs it, and keeps what was refused. It returns what the client is told.
func (c *core) drift(event string, entryType pin.EntryType, v *verdict) modeltext.Text {
	kinds := map[pin.DriftKind]int{}
	var lines []string
	for _, key := range slices.SortedFunc(maps.Keys(v.drifted), pin.CompareKeys) {
		entry := pin.EntryRef(key.Type, key.Name)
		d := v.drifted[key]
		c.log(event, "entry", entry, "kind", d.kind, "digest", d.digest)
		kinds[pin.DriftKind(d.kind)]++
		lines = append(lines, d.kind+" "+strings.TrimPrefix(entry, "tool=")+d.warning)
	}
	how := say("").Drift(kinds)
	if lines == nil { // no entry by itself: a policy differs, or nobody has approved a warning
		lines = []string{v.summary}
		how = say("none of them by itself")
		c.log(event, "reason", v.summary)
	}
	c.tell("%s: server %s lists %s that are not the ones approved: %s", strings.Replace(event, "block", "blocked", 1), text.Name(c.ServerID),
		say("").Entries(entryType), text.List(lines, 20))
	if c.OnDrift == Ends && lines[0] != v.summary && entryType != pin.Instructions {
		c.tell("with --on-drift subset, the guard would leave these out and pass the approved rest")
	}
	words := say("the ").Entries(entryType).Say(" of server ").Argument(c.ServerID).
		Say(" are not the ones approved in tools.lock (").With(how).Say("). Do not use them. ")
	data, isPart := c.said()
	return words.With(c.toReview(data, isPart))
}

// unjudged tells a person why there is no verdict on an answer, or on a line that can't be read, and
// what becomes of it. It returns what the client is told.
func (c *core) unjudged(event, what string, line []byte, err error) modeltext.Text {
	why := fail.From(err).Text
	data, _ := c.said()
	c.tell("%s: %s", what, why)
	c.log(event, "reason", why)
	words := say("it could not be judged whether what server ").Argument(c.ServerID).
		Say(" says is what was approved in tools.lock. Do not use it. ")
	return wordsBlocked.With(words).With(c.toReview(append(data, line...), true))
}

// toReview keeps what was refused. It tells a person, and the client, the command to review it.
func (c *core) toReview(data []byte, isPart bool) modeltext.Text {
	if c.review.place == "" {
		c.tell("what it said could not be saved")
		return say("A person has to review it.")
	}
	path := c.review.place + shortDigest(data) + keptEnding
	c.out.keep = append(c.out.keep, kept{path, data})
	command := c.review.command
	command.Capture = path
	if isPart {
		command.Flags = map[string][]string{"relock": append([]string{"--part"}, command.Flags["relock"]...)}
	}
	c.out.say = append(c.out.say, "review:  "+command.Review())
	return say("").Review("A person reviews it at a terminal", command)
}

// refuseUse refuses a request that acts on an entry.
func (c *core) refuseUse(h held, key pin.Key, method string, why *reason) {
	c.refuseRequest(h, c.refuseEntry(method, key, why))
}

// refuseEntry tells a person why a client doesn't get an entry. It returns what the client is told.
func (c *core) refuseEntry(method string, key pin.Key, why *reason) modeltext.Text {
	ref := pin.EntryRef(key.Type, key.Name)
	c.tell("blocked: %s of %s: %s", method, ref, why.said)
	c.log("block", "entry", ref, "reason", why.said)
	return wordsBlocked.With(why.before).Entry(key.Type).Say(" of server ").Argument(c.ServerID).With(why.after)
}

// drop refuses what is in a line that can't be read strictly, by the best guess at its ids: its requests toward its sender, and its answers
// toward the side that waits for them. An id that the server made up never goes to the client, because it could say something to a model,
// too.
func (c *core) drop(line []byte, isServers bool, bad error) {
	on, back := c.toServer, c.toClient
	if isServers {
		on, back = back, on
	}
	for _, m := range mcp.ReadLeniently(line) {
		id, err := jsontree.NewReader(m["id"]).Only()
		spelled := bytes.TrimSpace(m["id"])
		key := strings.TrimSpace(id.Text)
		l := c.listingOf(key)
		if err != nil || id.Kind != '"' && id.Kind != '0' {
			continue
		}
		if m["method"] != nil {
			back(refusal(spelled, wordsUnreadable))
		} else if !isServers {
			on(refusal(spelled, wordsUnreadable))
		} else if l == nil {
			on(refusal(c.open[key].id(), wordsUnreadable))
			delete(c.open, key)
		} else { // a listing doesn't wait for an answer that can't be read
			l.key = ""
			c.listed(l, "", bad)
		}
	}
}

// refusal returns our error in answer to one request, or nothing if the request has no id.
func refusal(id []byte, words modeltext.Text) []byte {
	if len(id) == 0 {
		return nil
	}
	return mcp.Answer(id, errorOf(words))
}

func errorOf(words modeltext.Text) string {
	return fmt.Sprintf(`"error":{"code":%d,"message":%s}`, codeBlocked, jsontree.AppendString(nil, words.String()))
}
