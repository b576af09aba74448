package guard

import (
	"bytes"
	"encoding/json"
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

// How long a call waits for a list, which is less than clients wait for an answer, and how many calls may wait.
const (
	listPatience = 30 * time.Second
	maxWaiting   = 1000
)

// A call is a message of the client's that calls an entry.
type call struct {
	line []byte
	m    jsontree.Value
}

// An asking is a list that the guard asks for, page by page.
type asking struct {
	entryType pin.EntryType
	key       string // of the request that is under way

	// What each request says of the client, from 2026-07-28 on.
	meta jsontree.Value

	pages int // received so far

	// The list has changed since the first page.
	again bool

	failed bool
	late   *time.Timer
}

// wait makes a call wait for its list. It returns the request for the list, or nil if that has been sent already.
func (r *relay) wait(entryType pin.EntryType, line []byte, m jsontree.Value) []byte {
	r.waiting = append(r.waiting, call{slices.Concat(bytes.TrimRight(line, "\r\n"), []byte("\n")), m})
	if r.asking[entryType] != nil {
		return nil
	}
	a := &asking{entryType: entryType, meta: m.Get("params").Get("_meta")}
	a.meta.Parts = slices.DeleteFunc(slices.Clone(a.meta.Members()), func(m jsontree.Member) bool {
		return !strings.HasPrefix(m.Name, "io.modelcontextprotocol/")
	})
	a.late = time.AfterFunc(listPatience, func() { r.giveUp(a) })
	r.asking[entryType] = a
	return r.askFor(a, jsontree.Value{})
}

// askFor returns the request for a page.
func (r *relay) askFor(a *asking, cursor jsontree.Value) []byte {
	r.asked++
	id := fmt.Sprint(mcp.OwnID, r.asked)
	method := pin.EntryTypeInfo[a.entryType].Method
	params := map[string]any{}
	if len(a.meta.Parts) > 0 {
		params["_meta"] = a.meta
	}
	if cursor.Kind == '"' {
		params["cursor"] = cursor.Text
	}
	text, _ := json.Marshal(params)
	a.key = keyOf(jsontree.Text(id))
	r.open[a.key] = request{page: pageOf(cursor), asks: a}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s","method":"%s","params":%s}`+"\n", id, method, text)
}

// listed takes the answer to a request of ours, after it was judged. It returns what goes to the
// client and to the server: the next request, or the calls that have waited for the list.
func (r *relay) listed(m jsontree.Value, asked request) (toClient, toServer []byte, err error) {
	a := asked.asks
	if a == nil {
		return nil, nil, nil // the answer is late, or a second one
	}
	a.pages++
	a.again = a.again && asked.page != ""
	next := m.Get("result").Get("nextCursor")
	// Before 2026-07-28, many servers end a list with an empty cursor, and answer that cursor with an error.
	empty := pageOf(jsontree.Text(""))
	switch {
	case m.Get("result").Get(pin.EntryTypeInfo[a.entryType].Member).Kind != '[' && asked.page != empty, a.pages > mcp.MaxPages,
		pageOf(next) != empty && next.Kind == '"' && r.said[a.entryType].last.find(pageOf(next)) != nil: // it runs in a circle
		a.failed = true
	case next.Kind == '"' && (next.Text != "" || asked.page != empty && !r.catalog.policy.EmptyCursorEnds):
		return nil, r.askFor(a, next), nil
	case a.again:
		return nil, r.askFor(a, jsontree.Value{}), nil
	default:
		r.catalog.lists[a.entryType].unseen = gone
	}
	return r.release(a)
}

// giveUp refuses the calls that have waited too long. An answer that comes later is judged all
// the same, and kept from the client.
func (r *relay) giveUp(a *asking) {
	r.mu.Lock()
	var toClient, toServer []byte
	if !r.over && r.asking[a.entryType] == a {
		a.failed = true
		// If the log can't be written, the next line shows it.
		toClient, toServer, _ = r.release(a)
	}
	if len(toServer) > 0 {
		r.reply(toServer)
	}
	r.mu.Unlock()
	r.client.write(toClient)
}

// release lets the calls that waited for a list go on to the server, or refuses them to the client.
func (r *relay) release(a *asking) (toClient, toServer []byte, err error) {
	a.late.Stop()
	delete(r.open, a.key)
	waiting := r.waiting
	r.waiting = nil
	for _, c := range waiting {
		pass, reply, err := r.request(c.line, c.m)
		toServer = append(toServer, pass...)
		toClient = append(toClient, reply...)
		if err != nil {
			return append(toClient, r.refuseOpen(wordsNoRecord)...), nil, err
		}
	}
	r.asking[a.entryType] = nil
	return toClient, toServer, nil
}
