package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A listKind says which of the lists that a model reads an entry stands in. A
// server's instructions are one text, here a list of one entry without a name.
type listKind int

const (
	toolList listKind = iota
	promptList
	templateList
	resourceList
	instructionsList
	listKinds // how many there are
)

// listInfo has for each list: the word for an entry; the member that holds the list in a
// result and in the lockfile; the method that asks for it; the member of an entry that is
// its identity; and the capability that a server declares if it has the list.
var listInfo = [listKinds]struct{ entry, member, method, identity, capability string }{
	toolList:         {"tool", "tools", "tools/list", "name", "tools"},
	promptList:       {"prompt", "prompts", "prompts/list", "name", "prompts"},
	templateList:     {"template", "resourceTemplates", "resources/templates/list", "uriTemplate", "resources"},
	resourceList:     {"resource", "resources", "resources/list", "uri", "resources"},
	instructionsList: {"instructions", "instructions", "initialize", "", ""},
}

// lockOrder is the order of the lists in a server's entry of the lockfile, and of
// the lines of a combined set digest.
var lockOrder = [listKinds]listKind{instructionsList, toolList, promptList, templateList, resourceList}

// An entryKey names one entry of a server.
type entryKey struct {
	list listKind
	name string // its identity in the list: the name, the URI; "" for instructions
}

// entryRef names an entry in a line that we print: tool=NAME, prompt=NAME, resource=URI,
// template=URI, instructions.
func entryRef(list listKind, name string) string {
	if list == instructionsList {
		return "instructions"
	}
	return listInfo[list].entry + "=" + quotedName(name)
}

// A pin is an entry's record in the lockfile. The entries of a manifest become pins, too,
// so that the two can be compared.
type pin struct {
	entryKey
	digest     string
	sanitized  string    // the sanitized digest; equal to digest where the text is clean
	definition []byte    // canonical form of the pinned definition; nil if it isn't stored
	received   []byte    // the definition as received; nil for a pin of a lockfile
	parsed     *value    // the tree of received; nil if it wasn't kept
	approval   *approval // nil if not recorded
	line       int       // where the entry begins in its file, from 1
	column     int
}

// tree returns the pinned definition as a canonical tree, absent if it isn't stored.
func (p *pin) tree() value {
	if p.definition == nil {
		return value{}
	}
	return readCanonical(p.definition)
}

// asReceived returns the tree of the definition as received or, if that isn't known, as pinned.
func (p *pin) asReceived() value {
	switch {
	case p.parsed != nil:
		return *p.parsed
	case p.received != nil:
		return readCanonical(p.received)
	}
	return p.tree()
}

// An approval records who accepted a definition. It is a record, not evidence.
type approval struct{ by, at, hash string }

// approvalHash returns the digest of a definition as received, in the form that audit
// logs use: an object of the members server_id, tool_name, description and input_schema,
// without absent ones. For a prompt, template or resource, tool_name is its identity. For
// instructions it is empty, and description is their text.
func approvalHash(server string, p *pin) string {
	received := p.asReceived()
	if received.kind == '"' {
		received = value{kind: '{', parts: []namedValue{{"description", received}}}
	}
	v := value{kind: '{', parts: []namedValue{{"server_id", textValue(server)}, {"tool_name", textValue(p.name)}}}
	for _, m := range [][2]string{{"description", "description"}, {"input_schema", "inputSchema"}} {
		if got := received.get(m[1]); got.kind != 0 {
			v.parts = append(v.parts, namedValue{m[0], got})
		}
	}
	return digest(canonical(&v))
}

// A pinset is one server's pins with their policy: from its manifest, or from the lockfile.
type pinset struct {
	server string
	policy policy
	pins   []pin // sorted by list, by name in UTF-16 code units, then by digest
	line   int   // in the lockfile
}

// find returns the pin of an entry, or nil.
func (s *pinset) find(key entryKey) *pin {
	i, ok := slices.BinarySearchFunc(s.pins, key, func(p pin, key entryKey) int { return compareKeys(p.entryKey, key) })
	if !ok {
		return nil
	}
	return &s.pins[i]
}

// of returns the pins of one list.
func (s *pinset) of(list listKind) []pin {
	from, _ := slices.BinarySearchFunc(s.pins, list, func(p pin, l listKind) int { return int(p.list - l) })
	to, _ := slices.BinarySearchFunc(s.pins, list+1, func(p pin, l listKind) int { return int(p.list - l) })
	return s.pins[from:to]
}

// drop removes the pins of one list.
func (s *pinset) drop(list listKind) {
	s.pins = slices.DeleteFunc(slices.Clone(s.pins), func(p pin) bool { return p.list == list })
}

// repeated reports whether two pins have the same identity. Then there is no set digest.
func (s *pinset) repeated() bool {
	for i := 1; i < len(s.pins); i++ {
		if s.pins[i-1].entryKey == s.pins[i].entryKey {
			return true
		}
	}
	return false
}

// setDigest returns the digest of the whole set, or "" if a name is repeated. If there are
// more than tools, it is over the lines LIST:HEX in lockOrder: tools always has its line,
// another list only if it has entries.
func (s *pinset) setDigest() string {
	if s.repeated() {
		return ""
	}
	if len(s.of(toolList)) == len(s.pins) {
		return s.listDigest(toolList)
	}
	var lines []string
	for _, list := range lockOrder {
		if list == toolList || len(s.of(list)) > 0 {
			lines = append(lines, listInfo[list].member+":"+hexOf(s.listDigest(list)))
		}
	}
	return digest([]byte(strings.Join(lines, "\n")))
}

// listDigest returns the set digest of one list, and for instructions the digest of the
// text. The policy is part of the digest of tools.
func (s *pinset) listDigest(list listKind) string {
	pins := s.of(list)
	if list == instructionsList && len(pins) == 1 {
		return pins[0].digest
	}
	var lines []string
	if v := s.policy.value(); list == toolList && len(v.members()) > 0 {
		lines = append(lines, "policy:"+hexOf(digest(canonical(&v))))
	}
	for _, p := range pins {
		lines = append(lines, p.name+":"+hexOf(p.digest))
	}
	return digest([]byte(strings.Join(lines, "\n")))
}

func hexOf(digest string) string { return strings.TrimPrefix(digest, digestPrefix) }

func compareKeys(a, b entryKey) int {
	return cmp.Or(int(a.list-b.list), compareUTF16(a.name, b.name))
}

func comparePins(a, b pin) int {
	return cmp.Or(compareKeys(a.entryKey, b.entryKey), strings.Compare(a.digest, b.digest))
}

// pinManifest makes the pins of a manifest under a policy.
func pinManifest(m manifest, server string, pol policy, substitutes []substitute) (pinset, error) {
	s := pinset{server: server, policy: pol}
	for list := range listKinds {
		if !pol.pins(list) {
			continue
		}
		if err := m.lists[list].problem; err != nil {
			return s, err
		}
		for _, p := range m.lists[list].entries {
			if pol.shapes() || len(substitutes) > 0 {
				v, err := putPlaceholders(p.tree(), substitutes)
				v = pol.apply(list, v) // after that: a text is cut at the same place whatever the values
				switch {
				case err != nil:
					where := fmt.Sprintf("%s:%d:%d", printable(m.path), p.line, p.column)
					return s, failIn(where, "%s: %s", entryNamed(list, p.name), err)
				case list == instructionsList:
					p.defineText(v.text)
				default:
					p.define(&v)
				}
			}
			if name, err := putPlaceholders(textValue(p.name), substitutes); err == nil {
				p.name = name.text
			}
			s.pins = append(s.pins, p)
		}
	}
	slices.SortStableFunc(s.pins, comparePins)
	return s, nil
}
