package guard

import (
	"maps"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
)

// An approved list is what the lockfile has of one server. pinproof has checked it, or will,
// before any entry of it counts.
type approved struct {
	entries map[pin.Key]pinned
	policy  pin.Policy
	values  []pin.Substitute // what the names in the pins stand for
	skills  skills
}

// A pinned entry is what the lockfile has of it.
type pinned struct {
	Digest   string
	Approval string
	Denied   bool // a person keeps it from agents
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

// key is the key of an entry in the pins, where names may stand for values. A name that
// spells a placeholder itself is none that a pin has.
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
	shown map[pin.Key]entry // since their list has changed
	lists [pin.EntryTypes]listing
}

// An entry is what is known of one that is approved: what it matched when it was seen last, or why
// it may not be called.
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

	// Of its last drift, without what begins it.
	words modeltext.Text
}

// changed takes note of a list that has changed: what is on it is callable again once it
// was seen again.
func (c *catalog) changed(entryType pin.EntryType) {
	maps.DeleteFunc(c.shown, func(k pin.Key, _ entry) bool { return k.Type == entryType })
	c.lists[entryType].unseen = notListed
}

// show takes note of what was judged and passed on, and of what was held back of it.
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

// called returns the entry that a request calls, the definition that it is called under, which is
// the one that was listed or, before that, the one that is pinned, or why it may not.
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
	// A server that folds letter case would call another.
	case !approved || name.Kind != '"' || slices.ContainsFunc(params.Members(), folds):
		why = notApproved
	case !shown:
		why = c.lists[entryType].unseen
	default:
		why = as.why
	}
	if why != "" {
		under = pinned{} // it isn't called under that
	} else if shown {
		under = as.pinned
	}
	return key, under, why
}
