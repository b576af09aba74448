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
	if event == "drift" && len(state.told) > 0 && maps.Equal(state.told, v.drifted) {
		return state.words // it stood on an earlier page
	}
	file := keep(r.judge.Label, r.said.text(pin.LockOrder[:]...))
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
	state.told, state.words = v.drifted, r.review(words, file, "diff  ", "relock")
	return state.words
}

// unjudged tells a person why there is no verdict on an answer, or on a line that can't be read, and
// what becomes of it. It returns what the client is told.
func (r *relay) unjudged(event, what string, line []byte, err error) (words string) {
	why := fail.From(err).Text
	r.say("%s: %s", what, why)
	file := keep(r.judge.Label, append(r.said.text(pin.LockOrder[:]...), line...))
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
	var found []map[string]json.RawMessage
	if json.Unmarshal(line, &found) != nil {
		found = make([]map[string]json.RawMessage, 1)
		json.Unmarshal(line, &found[0])
	}
	for _, m := range found {
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
type transcript [pin.EntryTypes][]saidPage

// A saidPage is an answer with a page of a list, in a line.
type saidPage struct {
	page string
	line []byte
}

// add takes an answer and returns the listing as far as it goes. One that begins anew takes the place
// of the earlier one, and so does a page that comes again, with what followed it.
func (t *transcript) add(list pin.EntryType, page string, message []byte) []byte {
	pages := t[list]
	if i := slices.IndexFunc(pages, func(p saidPage) bool { return p.page == page }); i >= 0 || page == "" {
		pages = pages[:max(i, 0)]
	}
	if len(t.text(pin.LockOrder[:]...))+len(message) > mcp.MaxBytes { // pinproof would not read it
		*t, pages = transcript{}, nil
	}
	t[list] = append(pages, saidPage{page, slices.Concat(message, []byte("\n"))})
	return t.text(list)
}

// text is a capture of some lists.
func (t *transcript) text(lists ...pin.EntryType) (data []byte) {
	for _, list := range lists {
		for _, p := range t[list] {
			data = append(data, p.line...)
		}
	}
	return data
}

// pageOf names the page behind a cursor: "" is the first.
func pageOf(cursor jsontree.Value) string {
	if cursor.Kind != '"' {
		return ""
	}
	return "behind " + cursor.Text
}
