package guard

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// Few clients ask for a list again once the server says that it has changed. The guard does, before
// the next call of that type: the call waits for the answer, which no client sees.

// How long calls wait for a list, which is less than clients wait for an answer, and how many do.
const (
	listPatience = 30 * time.Second
	maxWaiting   = 1000
)

// An asking is a list that the guard asks for, page by page.
type asking struct {
	request        // the one that is under way
	meta    string // what each request says of the client, from 2026-07-28 on
	pages   int    // that came
	again   bool   // the list has changed since the first of them
	failed  bool
	late    *time.Timer
}

// notified takes note of a list that has changed.
func (r *relay) notified(method string) {
	if list, changed := r.catalog.notified(method); changed && r.asking[list] != nil {
		r.asking[list].again = r.asking[list].pages > 0
	}
}

// canAsk reports whether a call can wait for a list.
func (r *relay) canAsk(list pin.EntryType) bool {
	a := r.asking[list]
	return (a == nil || !a.failed) && len(r.waiting) < maxWaiting
}

// ask returns the request for a list that a call waits for, or nil if it was sent.
func (r *relay) ask(list pin.EntryType, line []byte, call jsontree.Value) []byte {
	if r.asking[list] != nil || !r.catalog.stale[list] {
		return nil
	}
	a := &asking{}
	var meta [][]byte
	for _, m := range call.Get("params").Get("_meta").Members() {
		if strings.HasPrefix(m.Name, "io.modelcontextprotocol/") {
			meta = append(meta, slices.Concat(jsontree.AppendString(nil, m.Name), []byte(":"), line[m.At:m.End]))
		}
	}
	if meta != nil {
		a.meta = `"_meta":{` + string(bytes.Join(meta, []byte(","))) + "}"
	}
	a.late = time.AfterFunc(listPatience, func() { r.giveUp(list, a) })
	r.asking[list] = a
	return r.askFor(list, jsontree.Value{}, nil)
}

// askFor returns the request for a page.
func (r *relay) askFor(list pin.EntryType, cursor jsontree.Value, line []byte) []byte {
	a := r.asking[list]
	r.asked++
	a.request = request{key: fmt.Sprint(r.ours, r.asked), method: pin.EntryTypeInfo[list].Method, cursor: cursor.Text, paged: cursor.Kind != 0}
	params := a.meta
	if a.paged {
		params = strings.TrimPrefix(params+`,"cursor":`+string(line[cursor.At:cursor.End]), ",")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s","method":"%s","params":{%s}}`+"\n", a.key, a.method, params)
}

// listed takes an answer to a request of ours, which was judged. It returns what goes to the
// client and to the server: the next request, or what has waited for the list.
func (r *relay) listed(line []byte, m jsontree.Value) (toClient, toServer []byte, err error) {
	at := slices.IndexFunc(r.asking[:], func(a *asking) bool { return a != nil && a.key == m.Get("id").Text })
	if at < 0 {
		return nil, nil, nil // it is late, or was answered before
	}
	list, a, result := pin.EntryType(at), r.asking[at], m.Get("result")
	a.pages++
	next := result.Get("nextCursor")
	// Before 2026-07-28 many servers mean the end by an empty cursor, and have an error behind it.
	behindEmpty := a.paged && a.cursor == ""
	switch {
	case result.Get(pin.EntryTypeInfo[list].Member).Kind != '[' && !behindEmpty, a.pages > mcp.MaxPages:
		a.failed = true
	case next.Kind == '"' && (next.Text != "" || !behindEmpty && !r.catalog.policy["emptyCursorEnds"]):
		return nil, r.askFor(list, next, line), nil
	case a.again:
		a.again, a.pages = false, 0
		return nil, r.askFor(list, jsontree.Value{}, nil), nil
	}
	return r.release(list)
}

// giveUp refuses the calls that have waited too long. An answer that comes later is judged all
// the same, and kept from the client.
func (r *relay) giveUp(list pin.EntryType, a *asking) {
	r.mu.Lock()
	if r.over || r.asking[list] != a {
		r.mu.Unlock()
		return
	}
	a.failed = true
	toClient, toServer, _ := r.release(list) // a record that can't be kept is found out at the next line
	r.mu.Unlock()
	r.client.write(toClient)
	r.server.write(toServer)
}

// release lets the calls go on that waited for a list: to the server, or back to the client.
func (r *relay) release(list pin.EntryType) (toClient, toServer []byte, err error) {
	a := r.asking[list]
	if a.late.Stop(); !a.failed {
		r.catalog.listed(list)
	}
	waiting := r.waiting
	r.waiting = nil
	for _, line := range waiting {
		m, _ := message(line) // it was read before
		pass, reply, err := r.request(line, m)
		toServer, toClient = append(toServer, pass...), append(toClient, reply...)
		if err != nil {
			return append(toClient, r.refuseOpen(wordsNoRecord)...), nil, err
		}
	}
	r.asking[list] = nil
	return toClient, toServer, nil
}

// cancelled forgets a call that waits, and that the client no longer wants.
func (r *relay) cancelled(id jsontree.Value) {
	r.waiting = slices.DeleteFunc(r.waiting, func(line []byte) bool {
		m, _ := message(line)
		if !jsontree.Equal(m.Get("id"), id) {
			return false
		}
		delete(r.open, keyOf(id))
		return true
	})
}

// waits reports whether calls wait.
func (r *relay) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting) > 0
}
