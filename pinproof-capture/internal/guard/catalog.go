package guard

import (
	"maps"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
)

// approved is what the lockfile says of one server. pinproof has checked it, or will, before any entry of it counts.
type approved struct {
	entries map[pin.Key]pinned
	policy  pin.Policy
	values  []pin.Substitute // what the names in the pins stand for
	skills  skills
}

// pinned is what the lockfile says of one entry.
type pinned struct {
	Digest   string
	Approval string
	Denied   bool // a person has denied it to agents
}

// read reads a server's entry in a lockfile.
func (a *approved) read(server jsontree.Value) {
	a.policy = pin.Policy{}
	for _, s := range pin.Switches {
		*s.Of(&a.policy) = server.Get("policy").Get(s.Member).Kind == 't'
	}
	a.entries = map[pin.Key]pinned{}
	refused := a.skills.refused // what was seen stays seen
	a.skills = readSkills(server, a.values)
	maps.Copy(a.skills.refused, refused)
	for entryType := range pin.EntryTypes {
		pins := server.Get(pin.EntryTypeInfo[entryType].Member)
		members := pins.Members()
		if entryType == pin.Instructions {
			members = []jsontree.Member{{Value: pins}}
		}
		for _, m := range members {
			a.entries[pin.Key{Type: entryType, Name: m.Name}] = pinned{m.Get("digest").Text, m.Get("approval").Get("hash").Text, m.Get("denied").Kind == 't'}
		}
	}
}

// key returns the key of an entry in the pins, where placeholders may stand for values. No pin has
// a name that spells a placeholder itself.
func (a *approved) key(entryType pin.EntryType, name string) pin.Key {
	v, err := pin.PutPlaceholders(jsontree.Text(name), a.values)
	if err != nil {
		return pin.Key{Type: entryType}
	}
	return pin.Key{Type: entryType, Name: v.Text}
}

// A catalog is what a client was shown of a server in one session: which entries it has seen,
// under which approval, and so which of them it may call.
type catalog struct {
	*approved
	shown map[pin.Key]entry // since their list last changed
	lists [pin.EntryTypes]listing
}

// An entry is what is known of an approved entry: the pin that it matched when it was last seen, or
// why it may not be called.
type entry struct {
	pinned
	why string
}

// A listing is what is known of a list.
type listing struct {
	// Why entries that weren't shown may not be called.
	unseen string

	// An entry of it has matched in this session.
	matched bool

	// What the client was told of its last drift, without the words that it begins with.
	words modeltext.Text
}

// changed notes that a list has changed. Its entries may be called again once they have been seen again.
func (c *catalog) changed(entryType pin.EntryType) {
	maps.DeleteFunc(c.shown, func(k pin.Key, _ entry) bool { return k.Type == entryType })
	c.lists[entryType].unseen = notListed
}

// show notes which entries of an answer matched their pins, and which drifted.
func (c *catalog) show(matched map[pin.Key]pinned, drifted map[pin.Key]string) {
	for key, as := range matched {
		c.shown[key] = entry{pinned: as}
		c.lists[key.Type].matched = true
	}
	for key := range drifted {
		if _, approved := c.entries[key]; approved {
			c.shown[key] = entry{why: notApproved}
		}
	}
}

// calledBy returns the list whose entries a request calls by name.
func calledBy(method string) (entryType pin.EntryType, calls bool) {
	for entryType := range pin.EntryTypes {
		if method != "" && pin.EntryTypeInfo[entryType].Uses == method {
			return entryType, true
		}
	}
	return 0, false
}

// changedBy returns the list that has changed, as a notification says.
func changedBy(method string) (entryType pin.EntryType, changed bool) {
	for entryType := range pin.EntryTypes {
		if method != "" && pin.EntryTypeInfo[entryType].Changed == method {
			return entryType, true
		}
	}
	return 0, false
}

// Why a call doesn't reach the server.
const (
	notApproved = "not approved"
	notListed   = "not listed since the list changed"
	gone        = "no longer listed"
	denied      = "denied"
)

// called returns the entry that a request calls and the pin under which it is called, or why it may not
// be called. That is the pin that it matched when it was listed or, before that, the one in the lockfile.
func (c *catalog) called(entryType pin.EntryType, params jsontree.Value) (key pin.Key, under pinned, why string) {
	name := params.Get("name")
	key = c.key(entryType, name.Text)
	under, approved := c.entries[key]
	folds := func(m jsontree.Member) bool { return m.Name != "name" && strings.EqualFold(m.Name, "name") }
	as, shown := c.shown[key]
	switch {
	case under.Denied:
		why = denied
	case !c.policy.Pins(entryType):
	// A server that folds letter case would call another entry.
	case !approved || name.Kind != '"' || slices.ContainsFunc(params.Members(), folds):
		why = notApproved
	case !shown:
		why = c.lists[entryType].unseen
	default:
		why = as.why
	}
	if why != "" {
		under = pinned{} // a refused call has no pin
	} else if shown {
		under = as.pinned
	}
	return key, under, why
}
