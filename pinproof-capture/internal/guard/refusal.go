package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// What the client is told in place of an answer. It may reach a model, which may have a shell:
// the words are ours, the user's label and paths, and names that were approved, and no command
// that approves stands in them.
const (
	codeBlocked = -32090 // within the range that JSON-RPC leaves to servers

	wordsUnreadable = "pinproof: blocked: the message can be read in more than one way, and was not passed on."
	wordsNoRecord   = "pinproof: blocked: the record of calls can't be written, and this was not called."
)

// tell shows a person what drifted on a list and how to go on, and puts it on record. It returns what
// the client is told. What the session has said so far is saved.
func (r *relay) tell(event string, list pin.EntryType, v *verdict) (words string) {
	state := &r.catalog.lists[list]
	file := keep(r.judge.Label, r.said.text())
	kinds := map[string]int{}
	var lines, counts []string
	for _, key := range slices.SortedFunc(maps.Keys(v.drifted), pin.CompareKeys) {
		entry, kind := pin.EntryRef(key.Type, key.Name), v.drifted[key]
		r.log.Info(event, "entry", entry, "kind", kind, "file", file)
		kinds[strings.ToLower(kind)]++
		lines = append(lines, kind+" "+strings.TrimPrefix(entry, "tool=")+v.warned[key])
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		counts = append(counts, fmt.Sprint(kinds[kind], " ", kind))
	}
	if lines == nil { // a policy that differs, or a warning that nobody approved
		lines, counts = []string{v.summary}, []string{"none of them by itself"}
		r.log.Info(event, "reason", v.summary, "file", file)
	}
	what := strings.TrimSuffix(pin.EntryTypeInfo[list].Entry, "s") + "s"
	happened := "lists " + what + " that are not the ones approved"
	if state.matched {
		happened = "changed its " + what + " during the session"
	}
	r.say("%s: server %s %s: %s", strings.Replace(event, "block", "blocked", 1), r.judge.label(), happened, text.List(lines, 20))
	words = fmt.Sprintf("pinproof: blocked: the %s of server %s are not the ones approved in %s (%s). Do not use them.",
		what, r.judge.label(), r.judge.lockfile(), strings.Join(counts, ", "))
	state.words = r.review(words, file, "diff  ", "relock")
	return state.words
}

// unjudged tells a person why there is no verdict on an answer, or on a line that can't be read, and
// what becomes of it. It returns what the client is told.
func (r *relay) unjudged(event, what string, line []byte, err error) (words string) {
	why := fail.From(err).Text
	r.say("%s: %s", what, why)
	file := keep(r.judge.Label, append(r.said.text(), line...))
	r.log.Info(event, "reason", why, "file", file)
	words = fmt.Sprintf("pinproof: blocked: it could not be judged whether what server %s says is what was approved in %s. Do not use it.",
		r.judge.label(), r.judge.lockfile())
	return r.review(words, file, "diff")
}

// review names to a person the commands about what was kept, and to the client the first of them.
func (r *relay) review(words, file string, verbs ...string) string {
	words += " A person has to review the change"
	if file == "" {
		r.say("what it said could not be saved")
		return words + "."
	}
	pruneKept(file)
	for i, verb := range verbs {
		fmt.Fprintf(r.stderr, "%s%s\n", []string{"review:  ", "approve: "}[i], r.judge.command(verb, file))
	}
	return words + ": " + r.judge.command("diff", file)
}

// refuseCall tells a person of a call that doesn't reach the server. It returns what the
// client is told.
func (r *relay) refuseCall(key pin.Key, why string) (words string) {
	ref, entry, server := pin.EntryRef(key.Type, key.Name), capture.EntryNamed(key.Type, key.Name), "server "+r.judge.label()
	r.say("blocked: a call of %s: %s", ref, why)
	r.log.Info("block", "entry", ref, "reason", why)
	_, approved := r.catalog.entries[key]
	switch {
	case !approved: // its name is the client's, or the server's
		words = fmt.Sprintf("no such %s of %s is approved in %s. A person has to approve it first.", pin.EntryTypeInfo[key.Type].Entry, server, r.judge.lockfile())
	case why == gone:
		words = fmt.Sprintf("%s no longer lists %s.", server, entry)
	case why == notListed:
		words = fmt.Sprintf("%s has changed the list with %s and did not give the new one. Try again later.", server, entry)
	default:
		words = fmt.Sprintf("%s of %s is not what was approved in %s. A person has to review it first.", entry, server, r.judge.lockfile())
	}
	return "pinproof: blocked: this was not called: " + words
}

// lockfile is the name of the lockfile, printable.
func (j *judge) lockfile() string { return text.Printable(filepath.Base(j.lock)) }

// label is the server's label, printable.
func (j *judge) label() string { return text.Name(j.Label) }

// dropped answers whoever waits for what is in a line that can't be read strictly, by the best guess
// at its ids: on the answers in it, and back the requests. To the client goes no id that the server
// made up: it could say something to a model, too.
func (r *relay) dropped(line []byte, fromServer bool) (on, back []byte) {
	for _, m := range mcp.Loosely(line) {
		id, err := jsontree.NewReader(m["id"]).Only()
		spelled, key := bytes.TrimSpace(m["id"]), keyOf(id)
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
func (r *relay) refuseOpen(words string) (out []byte) {
	r.over = true
	for _, key := range slices.Sorted(maps.Keys(r.open)) {
		out = append(out, refusal(r.open[key].id, words)...)
	}
	clear(r.open)
	return out
}

// refusal is our answer to one request, or nothing if it has no id.
func refusal(id []byte, words string) []byte {
	if len(id) == 0 {
		return nil
	}
	message, _ := json.Marshal(words)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, codeBlocked, message)
}

// maxKept is how many files with what was refused are kept: a server that is refused at
// every start fills no disk.
const maxKept = 10

// cacheFolder is a folder of the user's alone, for what is kept from run to run.
func cacheFolder(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "pinproof", name)
	return folder, os.MkdirAll(folder, 0o700)
}

// keep saves what a server said in a file whose name begins with the time, and returns that, or "" if
// it can't be saved: it is refused all the same.
func keep(label string, data []byte) (path string) {
	folder, err := cacheFolder("refused")
	now := strings.Replace(time.Now().UTC().Format("20060102T150405.000000000"), ".", "", 1)
	if err != nil {
		return ""
	}
	path = filepath.Join(folder, now+"-"+mcp.FileName(label))
	if os.WriteFile(path, data, 0o600) != nil {
		os.Remove(path) // half of it shows nobody what was refused
		return ""
	}
	return path
}

// pruneKept deletes all files but the newest of the folder with what was refused.
func pruneKept(path string) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "2*-*.jsonl")) // sorted
	for ; len(files) > maxKept; files = files[1:] {
		os.Remove(files[0]) // another guard may have done so
	}
}

// A transcript is what a server has said of itself in a session, as it would be captured: its
// instructions, and the pages of each list as they were asked for last.
type transcript [pin.EntryTypes]struct {
	last   *saidPage
	behind map[string]*saidPage // the pages with a cursor, by the page that it leads to
	size   int                  // of these
}

// A saidPage is an answer with a page of a list, in a line, what was said of it, and the page before it
// of the same listing: others may be under way, with cursors of their own.
type saidPage struct {
	verdict
	page   string
	line   []byte
	before *saidPage
}

// add takes an answer. A page that comes again takes the place of the earlier one, with what followed.
func (t *transcript) add(list pin.EntryType, page, next string, message []byte) *saidPage {
	said := &t[list]
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

// find returns a page of a listing, of that page and those before it, or nil.
func (p *saidPage) find(page string) *saidPage {
	for p != nil && p.page != page {
		p = p.before
	}
	return p
}

// has reports whether an entry stands on a page, or on one before it.
func (p *saidPage) has(key pin.Key) bool {
	for ; p != nil; p = p.before {
		if _, matched := p.matched[key]; matched || p.drifted[key] != "" {
			return true
		}
	}
	return false
}

// nothingLeft reports whether all of a listing, as far as that page, drifted.
func (p *saidPage) nothingLeft() bool {
	drifted := false
	for ; p != nil; p = p.before {
		if len(p.matched) > 0 {
			return false
		}
		drifted = drifted || !p.matches
	}
	return drifted
}

// text is a capture of all that was said.
func (t *transcript) text() []byte {
	var lines [][]byte
	for _, list := range slices.Backward(pin.LockOrder[:]) {
		for p := t[list].last; p != nil; p = p.before {
			lines = append(lines, p.line)
		}
	}
	slices.Reverse(lines)
	return bytes.Join(lines, nil)
}

// pageOf names the page behind a cursor: "" is the first.
func pageOf(cursor jsontree.Value) string {
	if cursor.Kind != '"' {
		return ""
	}
	return "behind " + cursor.Text
}
