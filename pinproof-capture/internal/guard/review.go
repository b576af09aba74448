package guard

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// What the guard refuses is reviewed once: it asks the server, in the same session, for all that a
// capture asks for, and keeps that. No client sees any of it.
const (
	// The client's error waits so long for the name of the file with all of it; then it names the part that
	// there is, and the guard goes on asking.
	errorPatience = 500 * time.Millisecond
	// A client that has closed its end waits for the guard's end, and then kills it.
	gonePatience = time.Second
)

// A review is what becomes of a session that was refused.
type review struct {
	rest    *mcp.Rest
	list    pin.EntryType
	page    *saidPage // that was refused
	waiting [][]byte  // the ids of the client's requests that get the error
	words   modeltext.Text
	isTold  bool // and these are the words
}

// replier writes to the server behind all that waits to be written to it.
type replier struct{ relay *relay }

func (w replier) Write(b []byte) (int, error) {
	if !w.relay.reply(bytes.Clone(b)) {
		return 0, errBlocked
	}
	return len(b), nil
}

// refuse ends the session for the client, whose requests are answered once the name of a file with what was refused is
// known.
func (r *relay) refuse(list pin.EntryType, p *saidPage) {
	r.over = true
	v := &review{list: list, page: p}
	for _, key := range slices.Sorted(maps.Keys(r.open)) {
		if id := r.open[key].id; len(id) > 0 {
			v.waiting = append(v.waiting, id)
		}
	}
	clear(r.open)
	greeting, _ := jsontree.NewReader(r.greeting).Only()
	var meta map[string]any
	for _, m := range r.meta.Members() {
		if meta == nil {
			meta = map[string]any{}
		}
		if strings.HasPrefix(m.Name, "io.modelcontextprotocol/") {
			meta[m.Name] = m.Value
		}
	}
	v.rest = mcp.NewRest(replier{r}, greeting.Get("result"), meta, r.isInitialized)
	r.review.Store(v)
	go r.finish(v)
}

// meanwhile takes a request of the client's that comes after the refusal.
func (v *review) meanwhile(m jsontree.Value, line []byte) (reply []byte) {
	id := m.Get("id")
	switch {
	case id.Kind == 0 || m.Get("method").Kind == 0:
		return nil
	case v.isTold:
		return refusal(line[id.At:id.End], v.words)
	}
	v.waiting = append(v.waiting, bytes.Clone(line[id.At:id.End]))
	return nil
}

// finish asks, keeps what was said, answers the client, and ends the session.
func (r *relay) finish(v *review) {
	type answer struct {
		said    []byte
		isWhole bool
	}
	answers := make(chan answer, 1)
	go func() {
		said, isWhole := v.rest.Ask()
		answers <- answer{said, isWhole}
	}()
	var got answer
	isLate := false
	select {
	case got = <-answers:
	case <-time.After(errorPatience):
		isLate = true
	}
	r.conclude(v, got.said, got.isWhole)
	if isLate {
		if got = <-answers; got.isWhole {
			r.mu.Lock()
			whole, _ := r.whole(v, got.said)
			file := r.judge.keep(whole)
			r.say("the server has told the rest meanwhile: this has all of it")
			r.told(file, false)
			r.mu.Unlock()
		}
	}
	r.ends <- errBlocked
}

// conclude keeps what was said and answers the client.
func (r *relay) conclude(v *review, said []byte, isWhole bool) {
	r.mu.Lock()
	isOtherwise := false
	data := r.said.text()
	if isWhole {
		data, isOtherwise = r.whole(v, said)
	}
	words := wordsBlocked.With(r.tell("block", v.list, &v.page.verdict, data, !isWhole))
	if isOtherwise {
		r.say("the server has said something else since. The file has both, and can't be approved: start a new session")
		words = words.Say(". The server has said something else since, so this can't be approved.")
	}
	v.words = words
	v.isTold = true
	var out []byte
	for _, id := range v.waiting {
		out = append(out, refusal(id, words)...)
	}
	r.mu.Unlock()
	r.client.write(out)
}

// whole is a capture of all that the server said, and whether it said something else than what was refused. That
// stays in it then, behind the rest, and pinproof can't read it.
func (r *relay) whole(v *review, said []byte) (data []byte, isOtherwise bool) {
	data = append(bytes.Clone(r.greeting), said...)
	if v.page.isAmong(v.list, bytes.Split(data, []byte("\n"))) {
		return data, false
	}
	var refused [][]byte
	for p := v.page; p != nil; p = p.before {
		refused = append(refused, p.line)
	}
	slices.Reverse(refused)
	return slices.Concat(data, bytes.Join(refused, nil), []byte(otherwise)), true
}

// otherwise is a line that no reader takes, for a file that may not be approved, and says why.
const otherwise = `{"what was refused is not what the server said since":1,"what was refused is not what the server said since":2}` + "\n"

// isAmong reports whether the server said all of a listing, as far as that page, among what it said later, and no
// more than that if the page was the last.
func (p *saidPage) isAmong(list pin.EntryType, lines [][]byte) bool {
	member := pin.EntryTypeInfo[list].Member
	var now []jsontree.Value
	for _, line := range lines {
		m, _ := jsontree.NewReader(line).Only()
		if value := m.Get("result").Get(member); list == pin.Instructions && value.Kind != 0 {
			now = append(now, value)
		} else {
			for _, item := range value.Items() {
				now = append(now, item.Value)
			}
		}
	}
	var then []jsontree.Value
	isLast := false
	for page := p; page != nil; page = page.before {
		m, _ := jsontree.NewReader(page.line).Only()
		result := m.Get("result")
		if page == p {
			isLast = result.Get("nextCursor").Kind != '"'
		}
		if value := result.Get(member); list == pin.Instructions {
			then = append(then, value)
			break
		} else if value.Kind != '[' {
			return false
		} else {
			for _, item := range value.Items() {
				then = append(then, item.Value)
			}
		}
	}
	for _, was := range then {
		if !slices.ContainsFunc(now, func(is jsontree.Value) bool { return jsontree.Equal(is, was) }) {
			return false
		}
	}
	return !isLast || list == pin.Instructions || len(now) == len(then)
}
