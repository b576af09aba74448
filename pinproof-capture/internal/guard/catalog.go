package guard

import (
	"maps"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// An approved list is what the lockfile has of one server. pinproof has checked it, or will,
// before any entry of it counts.
type approved struct {
	entries map[pin.Key]pinned
	policy  map[string]bool  // its members that are true
	values  []pin.Substitute // what the names in the pins stand for
}

// A pinned entry is what the lockfile has of it.
type pinned struct{ Digest, Approval string }

// read reads a server's entry in a lockfile.
func (a *approved) read(server jsontree.Value) {
	a.entries, a.policy = map[pin.Key]pinned{}, map[string]bool{}
	for _, m := range server.Get("policy").Members() {
		a.policy[m.Name] = m.Kind == 't'
	}
	for list := range pin.EntryTypes {
		entries := server.Get(pin.EntryTypeInfo[list].Member)
		if list == pin.Instructions && entries.Kind != 0 {
			a.entries[pin.Key{Type: list}] = pinned{entries.Get("digest").Text, entries.Get("approval").Get("hash").Text}
			continue
		}
		for _, m := range entries.Members() {
			a.entries[pin.Key{Type: list, Name: m.Name}] = pinned{m.Get("digest").Text, m.Get("approval").Get("hash").Text}
		}
	}
}

// key is the key of an entry in the pins, where names may stand for values. A name that
// spells a placeholder itself is none that a pin has.
func (a *approved) key(list pin.EntryType, name string) pin.Key {
	v, err := pin.PutPlaceholders(jsontree.Text(name), a.values)
	if err != nil {
		return pin.Key{Type: list}
	}
	return pin.Key{Type: list, Name: v.Text}
}

// pins reports whether the policy pins a list at all.
func (a *approved) pins(list pin.EntryType) bool {
	return pin.Policy{ToolsOnly: a.policy["toolsOnly"], Resources: a.policy["resources"]}.Pins(list)
}

// A catalog is what a client was shown of a server in one session: which entries it has seen,
// under which approval, and so which of them it may call.
type catalog struct {
	*approved
	before  [pin.EntryTypes]map[string]map[pin.Key]bool // the approved entries on the pages before a cursor
	stale   [pin.EntryTypes]bool                        // the list has changed since it was seen
	fresh   map[pin.Key]bool                            // entries seen since then
	blocked map[pin.Key]string                          // why entries may not be called: they differed when they were seen last, or are gone
	active  map[pin.Key]pinned                          // entries that matched, with their approval
}

// maxCursors bounds the pages that are remembered of one list: more than a listing has.
// Listings that run at the same time share them.
const maxCursors = mcp.MaxPages

func newCatalog(a *approved) *catalog {
	c := &catalog{approved: a, fresh: map[pin.Key]bool{}, blocked: map[pin.Key]string{}, active: map[pin.Key]pinned{}}
	for list := range c.before {
		c.before[list] = map[string]map[pin.Key]bool{}
	}
	return c
}

// notified takes note of a list that has changed: what is on it is callable again once it
// was seen again.
func (c *catalog) notified(method string) (list pin.EntryType, changed bool) {
	for list := range callable {
		if method == "notifications/"+pin.EntryTypeInfo[list].Member+"/list_changed" {
			c.stale[list] = true
			maps.DeleteFunc(c.fresh, func(k pin.Key, _ bool) bool { return k.Type == list })
			return list, true
		}
	}
	return 0, false
}

// listed takes note of the end of a list: what is on none of its pages is gone.
func (c *catalog) listed(list pin.EntryType) {
	c.stale[list] = false
	for key := range c.entries {
		if key.Type == list && !c.fresh[key] && c.blocked[key] == "" {
			c.blocked[key] = gone
		}
	}
}

// listedBefore reports whether an entry of a list has matched in this session.
func (c *catalog) listedBefore(list pin.EntryType) bool {
	for key := range c.active {
		if key.Type == list {
			return true
		}
	}
	return false
}

// page takes note of a page of a list. It returns the approved entries on it and on the pages
// before, and those of them that stood on an earlier one, too.
func (c *catalog) page(list pin.EntryType, result jsontree.Value, asked request) (seen, twice map[pin.Key]bool) {
	seen, twice = map[pin.Key]bool{}, map[pin.Key]bool{}
	if asked.method == pin.EntryTypeInfo[list].Method && asked.paged {
		maps.Copy(seen, c.before[list][asked.cursor])
	}
	earlier := maps.Clone(seen)
	for _, item := range result.Get(pin.EntryTypeInfo[list].Member).Items() {
		key := c.key(list, item.Get(pin.EntryTypeInfo[list].Identity).Text)
		if _, approved := c.entries[key]; !approved {
			continue // it drifts anyhow, and a server could make up any number of names
		}
		seen[key] = true
		if earlier[key] {
			twice[key] = true
		}
	}
	if next := result.Get("nextCursor"); next.Kind == '"' {
		if len(c.before[list]) >= maxCursors {
			clear(c.before[list])
		}
		c.before[list][next.Text] = seen
	}
	return seen, twice
}

// missing counts the entries of a list that are pinned and were not seen.
func (c *catalog) missing(list pin.EntryType, seen map[pin.Key]bool) (n int) {
	for key := range c.entries {
		if key.Type == list && !seen[key] {
			n++
		}
	}
	return n
}

// anyLeft reports whether any of these entries may be called.
func (c *catalog) anyLeft(seen map[pin.Key]bool) bool {
	for key := range seen {
		if c.blocked[key] == "" {
			return true
		}
	}
	return false
}

// shown takes note of what was judged and passed on, and of what was held back of it.
func (c *catalog) shown(matched map[pin.Key]pinned, drifted map[pin.Key]string) {
	for key, entry := range matched {
		if drifted[key] == "" {
			c.active[key], c.fresh[key] = entry, true
			delete(c.blocked, key)
		}
	}
	for key := range drifted {
		if _, approved := c.entries[key]; approved {
			c.blocked[key] = notApproved
			delete(c.active, key)
		}
	}
}

// callable has the lists whose entries can be called, with the request that does it.
var callable = map[pin.EntryType]string{pin.Tools: "tools/call", pin.Prompts: "prompts/get"}

// calledBy is the list whose entries a request calls.
func calledBy(method string) (pin.EntryType, bool) {
	for list, by := range callable {
		if method == by {
			return list, true
		}
	}
	return 0, false
}

// Why a call doesn't reach the server.
const (
	notApproved = "not approved"
	notListed   = "not listed since the list changed"
	gone        = "no longer listed"
)

// called returns the entry that a request calls, and why it may not, or "".
func (c *catalog) called(list pin.EntryType, params jsontree.Value) (key pin.Key, why string) {
	name := params.Get("name")
	key = c.key(list, name.Text)
	_, approved := c.entries[key]
	for _, member := range params.Members() { // a server that folds letter case would call another
		approved = approved && (member.Name == "name" || !strings.EqualFold(member.Name, "name"))
	}
	switch {
	case !c.pins(list):
	case !approved || name.Kind != '"':
		why = notApproved
	case c.stale[list] && !c.fresh[key]:
		why = notListed
	default:
		why = c.blocked[key]
	}
	return key, why
}

// underWhich is the definition that a call is made under: the one that was listed or, before
// that, the one that is pinned.
func (c *catalog) underWhich(key pin.Key) pinned {
	if entry, ok := c.active[key]; ok {
		return entry
	}
	return c.entries[key]
}
