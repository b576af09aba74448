package guard

import (
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// keyOf returns the id of a message in the form in which answers are looked for.
func keyOf(m jsontree.Value) string { return strings.TrimSpace(m.Get("id").Text) }

func (c *core) claims(entryType pin.EntryType) bool { return mcp.Claims(c.capabilities, entryType) }

// answer returns an answer to a request, with its last member.
func answer(id, outcome []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, outcome)
}

// reply answers a request of the server's when no client can.
func reply(id []byte, method string) []byte {
	if method == "ping" {
		return answer(id, []byte(`"result":{}`))
	}
	return answer(id, []byte(`"error":{"code":-32601,"message":"Method not found"}`))
}

// gives reports whether a client gets an entry of a list: never a denied one; with warn, all others; otherwise those that equal their
// pins, and those of a type that isn't pinned.
func (c *core) gives(entryType pin.EntryType, l *list, item jsontree.Value) bool {
	named := nameOf(entryType, item)
	key := c.pins.key(entryType, named.Name)
	if c.pins.isDenied(key) {
		return false
	}
	as, isEqual := l.entries[key.Name]
	return c.onDrift == Warns || !c.pins.policy.PinsEntry(named) || isEqual && as.Digest == c.pins.entries[key].Digest
}

// result returns the result that the client gets for a list, on one page. Each entry is as it is pinned: what the policy leaves out of a
// pin is left out here, too. Entries and members are in the server's order, because models and forms show parameters in that order.
func (c *core) result(entryType pin.EntryType, l *list) []byte {
	list := fmt.Appendf(nil, `{%q:[`, pin.EntryTypeInfo[entryType].Member)
	separator := ""
	for _, result := range l.pages {
		for _, item := range result.Get(pin.EntryTypeInfo[entryType].Member).Items() {
			if !c.gives(entryType, l, item.Value) {
				continue
			}
			v := item.Value
			if c.onDrift != Warns {
				v = c.pins.policy.Apply(entryType, v)
			}
			list = appendInOrder(append(list, separator...), v)
			separator = ","
		}
	}
	list = append(list, ']')
	first := l.pages[0]
	if first.Has("resultType") {
		list = append(list, `,"resultType":"complete"`...)
	}
	if ttl := first.Get("ttlMs"); ttl.Kind == '0' {
		list = append(append(list, `,"ttlMs":`...), ttl.Text...)
	}
	if scope := first.Get("cacheScope").Text; scope == "public" || scope == "private" {
		list = append(list, `,"cacheScope":"`+scope+`"`...)
	}
	const serverInfo = "io.modelcontextprotocol/serverInfo" // in each result since 2026-07-28
	if info := first.Get("_meta").Get(serverInfo); info.Kind == '{' {
		list = append(appendInOrder(append(list, `,"_meta":{"`+serverInfo+`":`...), info), '}')
	}
	return append(list, '}')
}

// nameOf returns the key of an entry as the server names it.
func nameOf(entryType pin.EntryType, item jsontree.Value) pin.Key {
	return pin.Key{Type: entryType, Name: item.Get(pin.EntryTypeInfo[entryType].Identity).Text}
}

// hasOthers reports whether a list has entries that the policy doesn't pin.
func (c *core) hasOthers(entryType pin.EntryType, l *list) bool {
	return slices.ContainsFunc(l.pages, func(result mcp.Page) bool {
		return slices.ContainsFunc(result.Get(pin.EntryTypeInfo[entryType].Member).Items(), func(item jsontree.Member) bool {
			return !c.pins.policy.PinsEntry(nameOf(entryType, item.Value))
		})
	})
}

// appendInOrder writes a value with its members in the order in which they were read.
func appendInOrder(dst []byte, v jsontree.Value) []byte {
	switch v.Kind {
	case '[':
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendInOrder(dst, item.Value)
		}
		return append(dst, ']')
	case '{':
		dst = append(dst, '{')
		for i, m := range slices.SortedFunc(slices.Values(v.Members()), func(a, b jsontree.Member) int { return int(a.At - b.At) }) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendInOrder(append(jsontree.AppendString(dst, m.Name), ':'), m.Value)
		}
		return append(dst, '}')
	}
	return jsontree.Append(dst, v)
}
