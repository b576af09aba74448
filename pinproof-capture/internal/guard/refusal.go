package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// What the client is told in place of an answer. It may reach a model, which may have a shell:
// the words are ours, the user's label and paths, and names that were approved, and no command
// that approves stands in them.
const (
	codeBlocked = -32090 // within the range that JSON-RPC leaves to servers

	wordsUnreadable = "pinproof: blocked: the answer can be read in more than one way."
	wordsRequest    = "pinproof: blocked: the request can be read in more than one way, and was not sent."
	wordsNoRecord   = "pinproof: blocked: the record of calls can't be written, and this was not called."
)

// tell shows a person what drifted and how to go on, and puts it on record. It returns what the
// client is told. What the session has said so far is saved.
func (r *relay) tell(event string, v *verdict, drifted map[pin.Key]string) (words string) {
	file := r.keep(nil)
	what, during := "", false
	kinds := map[string]int{}
	var lines []string
	for _, key := range slices.SortedFunc(maps.Keys(drifted), pin.CompareKeys) {
		entry, kind := pin.EntryRef(key.Type, key.Name), drifted[key]
		r.log.add(logLine{Event: event, Entry: entry, Kind: kind, File: file})
		kinds[strings.ToLower(kind)]++
		lines = append(lines, kind+" "+strings.TrimPrefix(entry, "tool=")+v.warned[key])
		if list := strings.TrimSuffix(pin.EntryTypeInfo[key.Type].Entry, "s") + "s"; what != "" && what != list {
			what = "definitions"
		} else {
			what = list
		}
		during = during || r.catalog.listedBefore(key.Type)
	}
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		counts = append(counts, fmt.Sprint(kinds[kind], " ", kind))
	}
	if lines == nil { // a policy that differs, or a warning that nobody approved
		what, lines, counts = "definitions", []string{v.summary}, []string{"none of them by itself"}
		r.log.add(logLine{Event: event, Reason: v.summary, File: file})
	}
	happened := "lists " + what + " that are not the ones approved"
	if during {
		happened = "changed its " + what + " during the session"
	}
	if event == "block" {
		event = "blocked"
	}
	r.say("%s: server %s %s: %s", event, r.judge.label(), happened, text.List(lines, 20))
	words = fmt.Sprintf("pinproof: blocked: the %s of server %s are not the ones approved in %s (%s). Do not use them.", what, r.judge.label(), r.judge.lockfile(), strings.Join(counts, ", "))
	if file == "" {
		return words + " A person has to review the change."
	}
	fmt.Fprintf(r.stderr, "review:  %s\napprove: %s\n", r.judge.command("diff  ", file), r.judge.command("relock", file))
	return words + " A person has to review the change: " + r.judge.command("diff", file)
}

// unjudged tells a person why there is no verdict on an answer, and what becomes of it. It
// returns what the client is told.
func (r *relay) unjudged(event, what string, line []byte, err error) (words string) {
	why := fail.From(err).Text
	r.say("%s: %s", what, why)
	file := r.keep(line)
	r.log.add(logLine{Event: event, Reason: why, File: file})
	words = fmt.Sprintf("pinproof: blocked: it could not be judged whether what server %s says is what was approved in %s. Do not use it.", r.judge.label(), r.judge.lockfile())
	if file == "" {
		return words + " A person has to look at it."
	}
	fmt.Fprintf(r.stderr, "review:  %s\n", r.judge.command("diff", file))
	return words + " A person has to look at it: " + r.judge.command("diff", file)
}

// keep saves what the session has said so far, and a line of it that could not be read. It
// returns the file, or "".
func (r *relay) keep(line []byte) string {
	file := keep(r.judge.Label, append(r.said.text(), line...))
	if file == "" {
		r.say("what it said could not be saved")
	}
	return file
}

// refuseCall tells a person of a call that doesn't reach the server. It returns what the
// client is told.
func (r *relay) refuseCall(key pin.Key, why string) (words string) {
	what := pin.EntryRef(key.Type, key.Name)
	r.say("blocked: a call of %s: %s", what, why)
	r.log.add(logLine{Event: "block", Entry: what, Reason: why})
	entry, label := capture.EntryNamed(key.Type, key.Name), r.judge.label()
	_, approved := r.catalog.entries[key]
	switch {
	case !approved: // its name is the client's, or the server's
		return fmt.Sprintf("pinproof: blocked: no such %s of server %s is approved in %s, and it was not called. A person has to approve it first.",
			pin.EntryTypeInfo[key.Type].Entry, label, r.judge.lockfile())
	case why == gone:
		return fmt.Sprintf("pinproof: blocked: server %s no longer lists %s, and it was not called.", label, entry)
	case why == notListed:
		return fmt.Sprintf("pinproof: blocked: server %s has changed its list and did not give the new one, so %s was not called. Try again later.", label, entry)
	}
	return fmt.Sprintf("pinproof: blocked: %s of server %s is not what was approved in %s, and was not called. A person has to review it first.", entry, label, r.judge.lockfile())
}

// lockfile is the name of the lockfile, printable.
func (j *judge) lockfile() string { return text.Printable(filepath.Base(j.lock)) }

// label is the server's label, printable.
func (j *judge) label() string { return text.Name(j.Label) }

// looseIDs are the ids of the requests and of the answers in a line that can't be read strictly:
// the best guess, and only an error is sent with them.
func looseIDs(line []byte) (requests, answers []request) {
	var found []map[string]json.RawMessage
	if json.Unmarshal(line, &found) != nil {
		found = make([]map[string]json.RawMessage, 1)
		json.Unmarshal(line, &found[0])
	}
	for _, m := range found {
		id, err := jsontree.NewReader(m["id"]).Only()
		asked := request{id: bytes.TrimSpace(m["id"]), key: keyOf(id)}
		switch {
		case err != nil || id.Kind != '"' && id.Kind != '0':
		case m["method"] != nil:
			requests = append(requests, asked)
		default:
			answers = append(answers, asked)
		}
	}
	return requests, answers
}

// refusal is our answer to one request, or nothing if it has no id.
func refusal(id []byte, words string) []byte {
	if id == nil {
		return nil
	}
	message, _ := json.Marshal(words)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, codeBlocked, message)
}
