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

// codeBlocked is the error code of a refusal, in the range that JSON-RPC reserves for server errors.
const codeBlocked = -32090

// Error messages for the client, the same for every server.
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

// reviewPatience is how long, after a refusal, the guard waits for the remaining lists. The client gets its error
// afterwards, because the error names the file with all lists.
const reviewPatience = 5 * time.Second

// A reviewSetup is what a person needs to review a refused capture.
type reviewSetup struct {
	// The prefix of the paths of kept files; "" if none can be written.
	place string

	command shell.Command // without the path of the capture
}

// A keptFile is a file with a refused capture.
type keptFile struct {
	path string
	data []byte
}

// A refusalState is the reason why a session has ended, and the text about it for the client.
type refusalState struct {
	entryType pin.EntryType
	verdict   *verdict
	at        time.Time
	words     modeltext.Text
	isTold    bool
}

// answerRefused answers a request after the refusal, or makes it wait until the client's text is known.
func (c *core) answerRefused(h held) {
	switch {
	case !h.m.Has("method"):
	case c.refused.isTold:
		c.refuseRequest(h, c.refused.words)
	default:
		c.waiting = append(c.waiting, h)
	}
}

// refuse ends the session because a list or the instructions drifted. It requests the remaining lists first, so that
// a person has to review only once. What can't be judged ends the session at once (block).
func (c *core) refuse(entryType pin.EntryType, v *verdict) {
	c.refused = &refusalState{entryType: entryType, verdict: v, at: c.now}
	if !c.isReady && c.meta == nil {
		c.toServer([]byte(mcp.InitializedLine))
	}
	for _, entryType := range pin.RequestOrder {
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

// reviewed handles the end of a listing after a refusal.
func (c *core) reviewed(l *listing, isFailed bool) {
	state := &c.lists[l.EntryType]
	if l == state.running {
		state.running = nil
	}
	if !isFailed {
		state.pages = l.Pages
		state.files = l.FileResults
	}
	c.conclude()
}

// conclude reports a refusal to the client and to a person, once all remaining lists have arrived or reviewPatience
// is over.
func (c *core) conclude() {
	r := c.refused
	isWaiting := slices.ContainsFunc(c.lists[:], func(l list) bool { return l.running != nil })
	if r == nil || r.isTold || isWaiting && c.now.Sub(r.at) < reviewPatience {
		return
	}
	c.end(wordsBlocked.AddText(c.drift("block", r.entryType, r.verdict)), errBlocked)
	for entryType := range c.lists {
		c.lists[entryType].running = nil
	}
}

// captured returns results as the lines of a capture.
func captured(results ...mcp.Page) (lines []byte) {
	for i, result := range results {
		lines = append(lines, mcp.ResponseLine([]byte(strconv.Itoa(i+1)), `"result":`+string(result.Text))...)
	}
	return lines
}

// said returns a capture of this session: the handshake response, and the last complete listing of each list. isPart is
// true if a list that the server declares may be missing.
func (c *core) said() (data []byte, isPart bool) {
	var results []mcp.Page
	if c.greeting != nil {
		results = append(results, mcp.Page{Text: c.greeting})
	}
	isPart = c.refused == nil
	for _, entryType := range pin.RequestOrder {
		l := &c.lists[entryType]
		results = slices.Concat(results, l.pages, l.files)
		isPart = isPart || l.pages == nil && !l.hasFailed() && c.claims(entryType)
	}
	return captured(results...), isPart
}

// drift reports drift in a list to a person, with the next step, logs it, and keeps the capture. It returns the
// client's text.
func (c *core) drift(event string, entryType pin.EntryType, v *verdict) modeltext.Text {
	kinds := map[pin.DriftKind]int{}
	var lines []string
	for _, key := range slices.SortedFunc(maps.Keys(v.drifted), pin.CompareKeys) {
		entry := key.EntryRef()
		d := v.drifted[key]
		c.log(event, "entry", entry, "kind", d.kind, "digest", d.digest)
		kinds[pin.DriftKind(d.kind)]++
		lines = append(lines, d.kind+" "+strings.TrimPrefix(entry, "tool=")+d.warning)
	}
	how := say("").AddDrift(kinds)
	if lines == nil { // no single entry drifted: a policy differs, or a warning isn't approved
		lines = []string{v.summary}
		how = say("none of them by itself")
		c.log(event, "reason", v.summary)
	}
	c.tell("%s: server %s lists %s that are not the ones approved: %s", strings.Replace(event, "block", "blocked", 1), text.QuoteName(c.ServerID),
		say("").AddPluralType(entryType), text.JoinNames(lines, 20))
	if c.OnDrift == ModeEnd && lines[0] != v.summary && entryType != pin.Instructions {
		c.tell("with --on-drift subset, the guard would leave these out and pass the approved rest")
	}
	return say("the ").AddPluralType(entryType).AddWords(" of server ").AddArgument(c.ServerID).
		AddWords(" are not the ones approved in tools.lock (").AddText(how).AddWords("). Do not use them. ").AddText(c.toReview(c.said()))
}

// unjudged reports to a person why a response, or a line that can't be parsed, has no verdict, and what becomes of
// it. It returns the client's text.
func (c *core) unjudged(event, what string, line []byte, err error) modeltext.Text {
	why := fail.AsError(err).Text
	data, _ := c.said()
	c.tell("%s: %s", what, why)
	c.log(event, "reason", why)
	return wordsBlocked.AddWords("it could not be judged whether what server ").AddArgument(c.ServerID).
		AddWords(" says is what was approved in tools.lock. Do not use it. ").AddText(c.toReview(append(data, line...), true))
}

// toReview keeps a capture and prints the command to review it. It returns the client's text, which has the command,
// too.
func (c *core) toReview(data []byte, isPart bool) modeltext.Text {
	if c.review.place == "" {
		c.tell("what it said could not be saved")
		return say("A person has to review it.")
	}
	path := c.review.place + shortDigest(data) + keptEnding
	c.out.keep = append(c.out.keep, keptFile{path, data})
	command := c.review.command
	command.Capture = path
	if isPart {
		command.Flags = map[string][]string{"relock": append([]string{"--part"}, command.Flags["relock"]...)}
	}
	c.out.say = append(c.out.say, "review:  "+command.ReviewCommand())
	return say("").AddReviewCommand("A person reviews it at a terminal", command)
}

// refuseUse refuses a request that acts on an entry.
func (c *core) refuseUse(h held, t target, method string, why *reason) {
	c.refuseRequest(h, c.refuseEntry(method, t.keys[0], why))
}

// refuseEntry reports to a person why the client doesn't get an entry. It returns the client's text.
func (c *core) refuseEntry(method string, key pin.Key, why *reason) modeltext.Text {
	ref := key.EntryRef()
	c.tell("blocked: %s of %s: %s", method, ref, why.said)
	c.log("block", "entry", ref, "reason", why.said)
	return wordsBlocked.AddText(why.before).AddType(key.Type).AddWords(" of server ").AddArgument(c.ServerID).AddText(why.after)
}

// drop refuses the messages in a line that can't be parsed strictly. It finds their ids with a lenient parser: the
// sender of a request gets an error, and so does the side that waits for a response. The client never gets an id that
// the server made up, because the id could contain a text for the model.
func (c *core) drop(line []byte, isServers bool, bad error) {
	on, back := c.toServer, c.toClient
	if isServers {
		on, back = back, on
	}
	for _, m := range mcp.ParseLeniently(line) {
		id, err := jsontree.NewReader(m["id"]).ReadSingle()
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
		} else { // the listing must not wait for an unreadable response
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
	return mcp.ResponseLine(id, errorOf(words))
}

func errorOf(words modeltext.Text) string {
	return fmt.Sprintf(`"error":{"code":%d,"message":%s}`, codeBlocked, jsontree.AppendString(nil, words.String()))
}
