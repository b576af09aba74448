package guard

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
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
