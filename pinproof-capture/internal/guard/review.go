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

// A person should have to review only once. So when the guard refuses something, it asks the server,
// in the same session, for all that a capture asks for, and keeps that. No client sees any of it.
const (
	// How long the client's error waits for the name of the file with all of it: as long as six answers of a server
	// that is far away. After that, the error names a file with the part that has come, and the guard goes on asking.
	errorPatience = time.Second
	// How long a review goes on after the client has closed its end. The client waits for the
	// guard's end, and then kills it.
	gonePatience = time.Second
)

// A review is what follows in a session after something was refused.
type review struct {
	rest      *mcp.Rest
	entryType pin.EntryType
	page      *saidPage // that was refused

	// The ids of the client's requests that get the error.
	waiting [][]byte

	words  modeltext.Text
	isTold bool // the client has been told the words
}

// A replier writes to the server, after all that already waits to be written.
type replier struct{ relay *relay }

func (w replier) Write(b []byte) (int, error) {
	if !w.relay.reply(bytes.Clone(b)) {
		return 0, errBlocked
	}
	return len(b), nil
}

// refuse ends the session for the client. The client's open requests are answered once the name of
// a file with what was refused is known.
func (r *relay) refuse(entryType pin.EntryType, p *saidPage) {
	r.over = true
	v := &review{entryType: entryType, page: p}
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
	if id.Kind == 0 || m.Get("method").Kind == 0 {
		return nil
	}
	if v.isTold {
		return refusal(line[id.At:id.End], v.words)
	}
	v.waiting = append(v.waiting, bytes.Clone(line[id.At:id.End]))
	return nil
}

// finish asks, keeps what was said, answers the client, and ends the session.
func (r *relay) finish(v *review) {
	whole := make(chan refused, 1)
	go func() {
		said, isWhole := v.rest.Ask()
		whole <- r.refused(v, said, isWhole)
	}()
	select {
	case kept := <-whole:
		r.conclude(v, kept)
	case <-time.After(errorPatience):
		early := r.refused(v, v.rest.SoFar(), false)
		r.conclude(v, early)
		if kept := <-whole; !bytes.Equal(kept.data, early.data) {
			r.mu.Lock()
			r.say("the server has listed more meanwhile, which is kept, too")
			r.told(r.judge.keep(kept.data), kept)
			r.mu.Unlock()
		}
	}
	r.ends <- errBlocked
}

// conclude keeps what was said and answers the client.
func (r *relay) conclude(v *review, kept refused) {
	r.mu.Lock()
	v.words = wordsBlocked.With(r.tell("block", v.entryType, &v.page.verdict, kept))
	v.isTold = true
	var out []byte
	for _, id := range v.waiting {
		out = append(out, refusal(id, v.words)...)
	}
	r.mu.Unlock()
	r.client.write(out)
}

// refused is what is kept of a session that was refused.
type refused struct {
	data   []byte
	isPart bool // lists are missing or unfinished

	// The server has said something else since, and the data can't be approved.
	isOtherwise bool
}

// refused returns a capture of what the server said. If the server hasn't answered all of it, only lists that came
// to their end count; the pages that the session had before take the place of any other list. The capture always has
// what was refused: if the server has said something else since, that comes first, and pinproof can't read the file.
func (r *relay) refused(v *review, said []byte, isWhole bool) refused {
	pages := pagesOf(said)
	if !isWhole {
		pages = r.withFinished(pages)
	}
	pages = slices.Concat(pagesOf(r.greeting), pages)
	then := v.page.listing()
	isOtherwise := !isAmong(v.entryType, then, pages)
	if isOtherwise {
		pages = slices.Concat(pages, then, pagesOf([]byte(otherwise)))
	}
	var lines [][]byte
	for _, p := range pages {
		lines = append(lines, p.line)
	}
	return refused{data: bytes.Join(lines, nil), isPart: !isWhole, isOtherwise: isOtherwise}
}

// withFinished returns the pages without the lists that the server hasn't told to their end, and
// instead with the pages of those lists that the session had before.
func (r *relay) withFinished(pages []toldPage) []toldPage {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, entryType := range pin.AskOrder {
		isFinished := slices.ContainsFunc(pages, func(p toldPage) bool { return p.lists(entryType) && p.isLast })
		if isFinished {
			continue
		}
		pages = slices.DeleteFunc(pages, func(p toldPage) bool { return p.lists(entryType) })
		pages = append(pages, r.said[entryType].last.listing()...)
	}
	return pages
}

// otherwise is a line that no reader accepts, because its member comes twice. It is for a file that
// may not be approved, and says why.
const otherwise = `{"what was refused is not what the server said since":1,"what was refused is not what the server said since":2}` + "\n"

// A toldPage is a line of the server's, with its result.
type toldPage struct {
	line   []byte
	result jsontree.Value
	isLast bool // no page follows
}

// pagesOf returns the lines of what the server said.
func pagesOf(said []byte) (pages []toldPage) {
	for line := range bytes.Lines(said) {
		m, _ := jsontree.NewReader(line).Only()
		result := m.Get("result")
		pages = append(pages, toldPage{line, result, result.Get("nextCursor").Kind != '"'})
	}
	return pages
}

// listing returns the pages of a listing, up to this one.
func (p *saidPage) listing() (pages []toldPage) {
	for ; p != nil; p = p.before {
		pages = append(pages, pagesOf(p.line)...)
	}
	slices.Reverse(pages)
	return pages
}

// lists reports whether a page is one of a list.
func (p toldPage) lists(entryType pin.EntryType) bool {
	return p.result.Has(pin.EntryTypeInfo[entryType].Member)
}

// isAmong reports whether what was refused is in every list that the server has told since. What was refused
// is a listing up to its last page; if no page followed that, each of the lists must also have nothing else.
func isAmong(entryType pin.EntryType, then, since []toldPage) bool {
	refused := count(entryType, then)
	isWhole := then[len(then)-1].isLast
	told := 0
	var listing []toldPage
	for _, p := range since {
		if !p.lists(entryType) {
			continue
		}
		listing = append(listing, p)
		if p.isLast {
			now := count(entryType, listing)
			if !refused.isIn(now) || isWhole && !now.isIn(refused) {
				return false
			}
			told++
			listing = nil
		}
	}
	return told > 0 || listing != nil && refused.isIn(count(entryType, listing))
}

// An itemCount says how often a listing has each item, by the item's canonical form.
type itemCount map[string]int

func count(entryType pin.EntryType, listing []toldPage) itemCount {
	items := itemCount{}
	for _, p := range listing {
		value := p.result.Get(pin.EntryTypeInfo[entryType].Member)
		if entryType == pin.Instructions {
			items[string(jsontree.Append(nil, value))]++
		}
		for _, item := range value.Items() {
			items[string(jsontree.Append(nil, item.Value))]++
		}
	}
	return items
}

// isIn reports whether another count has each of these items at least as often.
func (items itemCount) isIn(other itemCount) bool {
	for item, n := range items {
		if other[item] < n {
			return false
		}
	}
	return true
}
