package guard

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// keyOf returns the id of a message as a key of core.open and core.own.
func keyOf(m jsontree.Value) string { return strings.TrimSpace(m.Get("id").Text) }

func (c *core) claims(entryType pin.EntryType) bool {
	return mcp.DeclaresList(c.capabilities, entryType)
}

// gives reports whether the client gets an entry of a list: never a denied one; in mode warn, all others; in other
// modes, those that equal their pins or whose type isn't pinned.
func (c *core) gives(entryType pin.EntryType, name string) bool {
	key := c.pins.key(entryType, name)
	as, isEqual := c.lists[entryType].entries[key.Name]
	isPinned := c.pins.PinsEntry(pin.Key{Type: entryType, Name: name})
	return !c.pins.isDenied(key) && (c.OnDrift == ModeWarn || !isPinned || isEqual && as.Digest == c.pins.entries[key].Digest)
}

// entries returns the entries of a list that the client gets and whose name satisfies isMeant. Except in mode warn,
// it leaves out the parts of an entry that the policy leaves out of pins.
func (c *core) entries(entryType pin.EntryType, isMeant func(name string) bool) (list []jsontree.Member) {
	for _, page := range c.lists[entryType].pages {
		for _, item := range page.Get(memberOf(entryType)).Items() {
			name := item.TextIn(pin.EntryTypeInfo[entryType].Identity)
			if !isMeant(name) || !c.gives(entryType, name) {
				continue
			}
			if c.OnDrift != ModeWarn {
				item.Value = c.pins.Apply(entryType, item.Value)
			}
			list = append(list, jsontree.Member{Value: item.Value})
		}
	}
	return list
}

// result returns the client's result for a list, as one page, and its number of entries.
func (c *core) result(entryType pin.EntryType) (outcome string, count int) {
	first := c.lists[entryType].pages[0]
	list := c.entries(entryType, func(string) bool { return true })
	members := []jsontree.Member{{Name: memberOf(entryType), Value: inOrder(jsontree.Value{Kind: '[', Parts: list})}}
	add := func(name string, v jsontree.Value, isKept bool) {
		if isKept {
			members = append(members, jsontree.Member{Name: name, Value: inOrder(v)})
		}
	}
	const serverInfo = "io.modelcontextprotocol/serverInfo" // in each result since 2026-07-28
	info := first.Get("_meta").Get(serverInfo)
	scope := first.Get("cacheScope")
	add("resultType", jsontree.Text("complete"), first.Has("resultType"))
	add("ttlMs", first.Get("ttlMs"), first.Get("ttlMs").Kind == '0')
	add("cacheScope", scope, scope.Text == "public" || scope.Text == "private")
	add("_meta", jsontree.Object(jsontree.Member{Name: serverInfo, Value: info}), info.Kind == '{')
	return `"result":` + string(jsontree.Append(nil, jsontree.ObjectInOrder(members))), len(list)
}

// inOrder returns a value to write, with its members in the order in which they were read, because models and forms show parameters in that
// order. Get finds no member in it.
func inOrder(v jsontree.Value) jsontree.Value {
	v.Parts = slices.Clone(v.Parts)
	for i := range v.Parts {
		v.Parts[i].Value = inOrder(v.Parts[i].Value)
	}
	if v.Kind == '{' {
		slices.SortFunc(v.Parts, func(a, b jsontree.Member) int { return int(a.At - b.At) })
	}
	return v
}

// inputOf returns the input schema of a tool that the client gets.
func (c *core) inputOf(tool string) (input jsontree.Value) {
	for _, entry := range c.entries(pin.Tools, func(name string) bool { return name == tool }) {
		input = entry.Get("inputSchema")
	}
	return input
}
