package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	wordsBlocked    = modeltext.Say("pinproof: blocked: ")
	wordsUnreadable = modeltext.Say("pinproof: blocked: the message can be read in more than one way, and was not passed on.")
	wordsNoRecord   = modeltext.Say("pinproof: blocked: the record of calls can't be written, and this was not called.")
)

// tell shows a person what drifted on a list and how to go on, logs it, and saves what was refused.
// It returns what the client is told.
func (r *relay) tell(event string, entryType pin.EntryType, v *verdict, what refused) (words modeltext.Text) {
	state := &r.catalog.lists[entryType]
	file := r.judge.keep(what.data)
	kinds := map[pin.DriftKind]int{}
	var lines []string
	for _, key := range slices.SortedFunc(maps.Keys(v.drifted), pin.CompareKeys) {
		entry := pin.EntryRef(key.Type, key.Name)
		kind := v.drifted[key]
		r.log.Info(event, "entry", entry, "kind", kind, "file", file)
		kinds[pin.DriftKind(kind)]++
		lines = append(lines, kind+" "+strings.TrimPrefix(entry, "tool=")+v.warned[key])
	}
	how := modeltext.Say("").Drift(kinds)
	// No entry drifted: a policy differs, or nobody has approved a warning.
	if lines == nil {
		lines = []string{v.summary}
		how = modeltext.Say("none of them by itself")
		r.log.Info(event, "reason", v.summary, "file", file)
	}
	entries := strings.TrimSuffix(pin.EntryTypeInfo[entryType].Entry, "s") + "s"
	happened := "lists " + entries + " that are not the ones approved"
	if state.matched {
		happened = "changed its " + entries + " during the session"
	}
	r.say("%s: server %s %s: %s", strings.Replace(event, "block", "blocked", 1), r.judge.server(), happened, text.List(lines, 20))
	if r.onDrift == Ends && lines[0] != v.summary {
		r.say("with --on-drift subset, the guard would leave these out and pass the approved rest")
	}
	words = modeltext.Say("the ").Entries(entryType).Say(" of server ").Argument(r.judge.ServerID).
		Say(" are not the ones approved in tools.lock (").With(how).Say("). Do not use them. ")
	state.words = words.With(r.told(file, what))
	return state.words
}

// unjudged tells a person why there is no verdict on an answer, or on a line that can't be read, and
// what becomes of it. It returns what the client is told.
func (r *relay) unjudged(event, what string, line []byte, err error) (words modeltext.Text) {
	why := fail.From(err).Text
	r.say("%s: %s", what, why)
	file := r.judge.keep(append(r.said.text(), line...))
	r.log.Info(event, "reason", why, "file", file)
	words = modeltext.Say("it could not be judged whether what server ").Argument(r.judge.ServerID).
		Say(" says is what was approved in tools.lock. Do not use it. ")
	return wordsBlocked.With(words).With(r.told(file, refused{isPart: true}))
}

// told tells a person, and the client, the command to review what was kept in a file.
func (r *relay) told(file string, what refused) modeltext.Text {
	if file == "" {
		r.say("what it said could not be saved")
		return modeltext.Say("A person has to review it.")
	}
	pruneKept(file)
	if what.isOtherwise { // any command would refuse the file
		r.say("the server has said something else since, so this can't be approved: start a new session")
		fmt.Fprintf(r.stderr, "kept:    %s\n", shell.Path(file))
		return modeltext.Say("The server has said something else since, so this can't be approved. A person starts a new session.")
	}
	c := r.judge.command(file, what.isPart)
	fmt.Fprintf(r.stderr, "review:  %s\n", c.Review())
	return modeltext.Say("").Review("A person reviews it at a terminal", c)
}

// refuseCall tells a person of a call that doesn't reach the server. It returns what the
// client is told.
func (r *relay) refuseCall(key pin.Key, why string) (words modeltext.Text) {
	ref := pin.EntryRef(key.Type, key.Name)
	r.say("blocked: a call of %s: %s", ref, why)
	r.log.Info("block", "entry", ref, "reason", why)
	_, approved := r.catalog.entries[key]
	words = modeltext.Say("pinproof: blocked: this was not called: ")
	switch {
	case !approved:
		words = words.Say("no such ").Entry(key.Type).Say(" of server ").Argument(r.judge.ServerID).
			Say(" is approved in tools.lock. A person has to approve it first.")
	case why == denied:
		words = words.Say("a person has denied this ").Entry(key.Type).Say(" of server ").Argument(r.judge.ServerID).Say(" to agents. Go on without it.")
	case why == gone:
		words = words.Say("server ").Argument(r.judge.ServerID).Say(" no longer lists this ").Entry(key.Type).Say(".")
	case why == notListed:
		words = words.Say("server ").Argument(r.judge.ServerID).Say(" has changed the list with this ").Entry(key.Type).
			Say(" and did not give the new one. Try again later.")
	default:
		words = words.Say("this ").Entry(key.Type).Say(" of server ").Argument(r.judge.ServerID).
			Say(" is not what was approved in tools.lock. A person has to review it first.")
	}
	return words
}

// server returns the server ID, printable.
func (j *judge) server() string { return text.Name(j.ServerID) }

// dropped refuses what is in a line that can't be read strictly, by the best guess at its ids. on
// takes the place of the line: it refuses the answers in the line, for the side that waits for
// them. back refuses the requests in the line, for their sender. An id that the server made up
// never goes to the client, because it could say something to a model, too.
func (r *relay) dropped(line []byte, fromServer bool) (on, back []byte) {
	for _, m := range mcp.Loosely(line) {
		id, err := jsontree.NewReader(m["id"]).Only()
		spelled := bytes.TrimSpace(m["id"])
		key := keyOf(id)
		switch {
		case err != nil || id.Kind != '"' && id.Kind != '0':
		case m["method"] != nil:
			back = append(back, refusal(spelled, wordsUnreadable)...)
		case fromServer:
			spelled = r.open[key].id
			delete(r.open, key)
			fallthrough
		default:
			on = append(on, refusal(spelled, wordsUnreadable)...)
		}
	}
	return on, back
}

// refuseOpen ends the session and answers all that the client still waits for.
func (r *relay) refuseOpen(words modeltext.Text) (out []byte) {
	r.over = true
	for _, key := range slices.Sorted(maps.Keys(r.open)) {
		out = append(out, refusal(r.open[key].id, words)...)
	}
	clear(r.open)
	return out
}

// refusal returns our error in answer to one request, or nothing if the request has no id.
func refusal(id []byte, words modeltext.Text) []byte {
	if len(id) == 0 {
		return nil
	}
	message, _ := json.Marshal(words.String())
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, codeBlocked, message)
}

// A transcript is what a server has said of itself in a session, as it would be captured: its
// instructions, and for each list the pages that were asked for last.
type transcript [pin.EntryTypes]struct {
	last *saidPage

	// The pages that have a nextCursor, by the page that it leads to.
	behind map[string]*saidPage

	size int // bytes in these
}

// A saidPage is an answer with a page of a list, as one line, with the verdict on it and the page
// before it in the same listing. Other listings may be under way, with cursors of their own.
type saidPage struct {
	verdict
	page string
	line []byte

	// The page has entries that the policy doesn't pin. They pass.
	others bool

	before *saidPage
}

// add takes an answer. A page that comes again replaces the earlier one, and all that followed it.
func (t *transcript) add(entryType pin.EntryType, page, next string, message []byte) *saidPage {
	said := &t[entryType]
	if said.size += len(message); said.behind == nil || said.size > mcp.MaxBytes || len(said.behind) > mcp.MaxPages {
		said.behind, said.size = map[string]*saidPage{}, len(message) // pinproof would not read more
	}
	p := &saidPage{page: page, line: slices.Concat(message, []byte("\n")), before: said.behind[page]}
	if again := p.before.find(page); again != nil {
		p.before = again.before
	}
	if said.last = p; next != "" {
		said.behind[next] = p
	} else {
		said.size -= len(message)
	}
	return p
}

// find returns a page of a listing: it looks at this page and those before it. It returns nil if there is none.
func (p *saidPage) find(page string) *saidPage {
	for p != nil && p.page != page {
		p = p.before
	}
	return p
}

// has reports whether an entry is on this page, or on one before it.
func (p *saidPage) has(key pin.Key) bool {
	for ; p != nil; p = p.before {
		if _, matched := p.matched[key]; matched || p.drifted[key] != "" {
			return true
		}
	}
	return false
}

// nothingLeft reports whether all entries of a listing drifted, up to this page.
func (p *saidPage) nothingLeft() bool {
	drifted := false
	for ; p != nil; p = p.before {
		if len(p.matched) > 0 || p.others {
			return false
		}
		drifted = drifted || !p.matches
	}
	return drifted
}

// text returns a capture of all that was said.
func (t *transcript) text() []byte {
	var lines [][]byte
	for _, entryType := range slices.Backward(pin.LockOrder[:]) {
		for p := t[entryType].last; p != nil; p = p.before {
			lines = append(lines, p.line)
		}
	}
	slices.Reverse(lines)
	return bytes.Join(lines, nil)
}

// pageOf returns a name for the page that a cursor leads to: "" is the first page.
func pageOf(cursor jsontree.Value) string {
	if cursor.Kind != '"' {
		return ""
	}
	return "behind " + cursor.Text
}
