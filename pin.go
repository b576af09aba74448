package main

import (
	"cmp"
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

// parseEntry reads how a flag names an entry: NAME of a tool, prompt=NAME,
// template=URI, resource=URI, tool=NAME, or instructions.
func parseEntry(arg string) entryKey {
	if arg == listInfo[instructionsList].entry {
		return entryKey{list: instructionsList}
	}
	for list := range instructionsList {
		if name, ok := strings.CutPrefix(arg, listInfo[list].entry+"="); ok && name != "" {
			return entryKey{list, name}
		}
	}
	return entryKey{toolList, arg}
}

// A pin is an entry's record in the lockfile. The entries of a manifest become pins, too,
// so that the two can be compared.
type pin struct {
	entryKey
	form
	received []byte    // the definition as received; nil for a pin of a lockfile
	parsed   *value    // the tree of received; nil if it wasn't kept
	accepted []string  // ids of the warnings that were accepted with the definition, sorted
	approval *approval // nil if not recorded
	line     int       // where the entry begins in its file, from 1
	column   int
}

// A form is a definition as it is pinned, with its digests.
type form struct {
	definition []byte // its canonical form; nil if it isn't stored
	digest     string
	sanitized  string // the sanitized digest; equal to digest where the text is clean
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

// A pinset is one server's pins with their policy: from its manifest, or from the lockfile.
type pinset struct {
	server   string
	policy   policy
	pins     []pin    // sorted by list, by name in UTF-16 code units, then by digest
	accepted []string // ids of the accepted warnings about the list as a whole, sorted
	digest   string   // the set digest, "" if a name is repeated
	line     int      // in the lockfile
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

const digestPrefix = "sha256:"

// isDigest reports whether s is spelled like a digest.
func isDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, digestPrefix)
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// hexOf returns the hex digits of a digest.
func hexOf(digest string) string { return strings.TrimPrefix(digest, digestPrefix) }

func compareKeys(a, b entryKey) int {
	return cmp.Or(int(a.list-b.list), compareUTF16(a.name, b.name))
}

func comparePins(a, b pin) int {
	return cmp.Or(compareKeys(a.entryKey, b.entryKey), strings.Compare(a.digest, b.digest))
}
