package guard

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// keyOf returns the id of a message in the form of the keys of core.open and of listing.key.
func keyOf(m jsontree.Value) string { return strings.TrimSpace(m.Get("id").Text) }

func (c *core) claims(entryType pin.EntryType) bool {
	return mcp.MayDeclareList(c.capabilities, entryType)
}

// gives reports whether the client gets an entry of a list. The client never gets a denied entry. In mode warn, it gets
// all others; in other modes, those that equal their pins and those that the policy doesn't pin.
func (c *core) gives(entryType pin.EntryType, name string) bool {
	key := c.pins.key(entryType, name)
	as, isEqual := c.lists[entryType].entries[key.Name]
	isPinned := c.pins.CoversEntry(pin.Key{Type: entryType, Name: name})
	return !c.pins.isDenied(key) && (c.OnDrift == ModeWarn || !isPinned || isEqual && as.Digest == c.pins.entries[key].Digest)
}

// An entry is one entry of a list, as JSON text for the client.
type entry struct{ name, text string }

// write returns a function that returns all entries of a listing as texts. Except in mode warn, the texts lack the
// members that the policy leaves out of pins. The function creates the texts only once, and may run while pinproof
// judges the listing.
func (c *core) write(l *listing) func() []entry {
	policy := c.pins.Policy
	return sync.OnceValue(func() (list []entry) {
		for _, page := range l.Pages {
			for _, item := range page.Get(memberOf(l.EntryType)).Items() {
				v := item.Value
				if c.OnDrift != ModeWarn {
					v = policy.Apply(l.EntryType, v)
				}
				list = append(list, entry{item.StringIn(pin.EntryTypeInfo[l.EntryType].Identity), string(appendInOrder(nil, v))})
			}
		}
		return list
	})
}

// entries returns the JSON texts of a list's entries that the client gets: those with the given name or, if name is "",
// all.
func (c *core) entries(entryType pin.EntryType, name string) (texts []string) {
	l := &c.lists[entryType]
	if l.pages == nil {
		return nil
	}
	for _, e := range l.written() {
		if (name == "" || e.name == name) && c.gives(entryType, e.name) {
			texts = append(texts, e.text)
		}
	}
	return texts
}

// result returns the client's result for a list, as one page, and its number of entries.
func (c *core) result(entryType pin.EntryType) (outcome string, count int) {
	first := c.lists[entryType].pages[0]
	list := c.entries(entryType, "")
	others := ""
	add := func(name string, v jsontree.Value, isKept bool) {
		if isKept {
			others += fmt.Sprintf(",%q:%s", name, appendInOrder(nil, v))
		}
	}
	const serverInfo = "io.modelcontextprotocol/serverInfo" // in each result since revision 2026-07-28
	info := first.Get("_meta").Get(serverInfo)
	scope := first.Get("cacheScope")
	add("resultType", jsontree.String("complete"), first.Has("resultType"))
	add("ttlMs", first.Get("ttlMs"), first.Get("ttlMs").Kind == '0')
	add("cacheScope", scope, scope.Text == "public" || scope.Text == "private")
	add("_meta", jsontree.Object(jsontree.Member{Name: serverInfo, Value: info}), info.Kind == '{')
	return `"result":{"` + memberOf(entryType) + `":[` + strings.Join(list, ",") + "]" + others + "}", len(list)
}

// appendInOrder writes a value with its members in the order in which they were read, because models and forms show
// parameters in that order.
func appendInOrder(dst []byte, v jsontree.Value) []byte {
	parts := v.Parts
	if v.Kind == '{' {
		parts = slices.Clone(parts)
		slices.SortFunc(parts, func(a, b jsontree.Member) int { return int(a.Start - b.Start) })
	} else if v.Kind != '[' {
		return jsontree.Append(dst, v)
	}
	dst = append(dst, v.Kind)
	for i, part := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Kind == '{' {
			dst = append(jsontree.AppendString(dst, part.Name), ':')
		}
		dst = appendInOrder(dst, part.Value)
	}
	return append(dst, v.Kind+2) // the bracket that closes it
}

// inputOf returns the input schema of a tool that the client gets.
func (c *core) inputOf(tool string) (input jsontree.Value) {
	for _, text := range c.entries(pin.Tools, tool) {
		tool, _ := jsontree.NewReader([]byte(text)).ReadSingle()
		input = tool.Get("inputSchema")
	}
	return input
}
