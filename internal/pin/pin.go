// Package pin defines the plain data of a comparison: entries and their lists, pins, policies, drift, and the
// two sides of a server.
package pin

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// A HashFunc computes the digests of the hashed bytes: the text of instructions, or the canonical form of any other
// definition. The result may share memory with hashed, so the caller must not change hashed afterwards.
type HashFunc func(entryType EntryType, hashed []byte) HashedDefinition

// A Key names one entry of a server.
type Key struct {
	Type EntryType

	// Its identity in the list: the name, the URI; "" for instructions.
	Name string
}

// EntryRef names an entry in a line that we print: tool=NAME, prompt=NAME, resource=URI,
// template=URI, instructions.
func (k Key) EntryRef() string {
	if k.Type == Instructions {
		return "instructions"
	}
	return EntryTypeInfo[k.Type].Entry + "=" + text.QuoteName(k.Name)
}

// IsWholeServer reports whether the key is empty, which stands for a server as a whole: no entry has such a key.
func (k Key) IsWholeServer() bool { return k == Key{} }

// ParseEntry parses the name of an entry as a flag spells it: NAME or tool=NAME for a tool, prompt=NAME, template=URI,
// resource=URI, skill=URI, or instructions.
func ParseEntry(arg string) Key {
	if arg == EntryTypeInfo[Instructions].Entry {
		return Key{Type: Instructions}
	}
	for entryType := range Instructions {
		if name, ok := strings.CutPrefix(arg, EntryTypeInfo[entryType].Entry+"="); ok && name != "" {
			return Key{entryType, name}
		}
	}
	return Key{Tools, arg}
}

// A Pin is an entry's record in the lockfile. The entries of a capture become pins, too,
// so that the two can be compared.
type Pin struct {
	Key
	HashedDefinition

	// For a skill: an object with the texts of the files that a person can read, keyed by URI. The skill's definition
	// has the digest of each file.
	Files jsontree.Value

	// Only in a lockfile: a person has read the entry, but it is kept from agents. No digest covers this.
	Denied bool

	// The definition as received; nil for a pin of a lockfile.
	Received []byte

	// The warnings that were accepted with the definition, sorted as strings.
	AcceptedWarnings []AcceptedWarning

	Approval *Approval // nil if not recorded

	// Where the entry begins in its file, from 1.
	Line int

	Column int
}

// FilesMember is the member that ReviewTree adds to a skill. skill.Parse refuses a skill that has such a member
// already.
const FilesMember = "files"

// ReviewTree returns what a person reads before approving: the pinned definition and, for a skill, the texts of its
// files by name. The tree is absent if the definition isn't stored.
func (p *Pin) ReviewTree() jsontree.Value { return p.AddFileTexts(p.Tree()) }

// ReviewTreeAsReceived is like ReviewTree, with the definition as received or, if that isn't known, as pinned.
func (p *Pin) ReviewTreeAsReceived() jsontree.Value { return p.AddFileTexts(p.AsReceived()) }

// AddFileTexts returns a definition of a skill with the texts of its files in FilesMember, and any other definition as
// it is.
func (p *Pin) AddFileTexts(v jsontree.Value) jsontree.Value {
	if len(p.Files.Parts) == 0 || v.Kind != '{' {
		return v
	}
	folder := strings.TrimSuffix(p.Name, skill.MainFile)
	files := map[string]jsontree.Value{}
	for _, f := range p.Files.Parts {
		files[strings.TrimPrefix(f.Name, folder)] = f.Value
	}
	shown := jsontree.Member{Name: FilesMember, Value: jsontree.ObjectFromMap(files)}
	return jsontree.Object(append(slices.Clone(v.Members()), shown)...)
}

// A HashedDefinition is a definition as it is pinned, with its digests.
type HashedDefinition struct {
	// Its canonical form; nil if it isn't stored.
	Definition []byte

	Digest string

	// The sanitized digest. It equals Digest if the text has nothing to sanitize.
	SanitizedDigest string
}

// Tree returns the pinned definition as a canonical tree, absent if it isn't stored.
func (p *Pin) Tree() jsontree.Value {
	return jsontree.ParseTrusted(p.Definition)
}

// TextsAndParameters returns the texts of a definition, except the name that identifies the entry, and the names of its
// parameters.
func TextsAndParameters(entryType EntryType, v jsontree.Value) (texts, parameters []string) {
	add := func(v jsontree.Value, members ...string) {
		for _, member := range members {
			if s := v.StringIn(member); s != "" && member != EntryTypeInfo[entryType].Identity {
				texts = append(texts, s)
			}
		}
	}
	add(v, "name", "title", "description")
	add(v.Get("frontmatter"), "name", "description")
	for _, m := range v.Get("inputSchema").Get("properties").Members() {
		parameters = append(parameters, m.Name)
		add(m.Value, "title", "description")
	}
	for _, item := range v.Get("arguments").Items() {
		parameters = append(parameters, item.Value.StringIn("name"))
		add(item.Value, "title", "description")
	}
	return texts, parameters
}

// WithName returns the tree of a definition in which name replaces the identity, if the definition has one.
func WithName(entryType EntryType, definition jsontree.Value, name string) jsontree.Value {
	identity := EntryTypeInfo[entryType].Identity
	return jsontree.FilterParts(definition, func(m *jsontree.Member) bool {
		if m.Name == identity {
			m.Value = jsontree.String(name)
		}
		return true
	})
}

// DefinitionWithoutName returns the definition as received with an empty name, or "" if it has no other text and no
// parameter.
func (p *Pin) DefinitionWithoutName() string {
	v := p.AsReceived()
	if texts, parameters := TextsAndParameters(p.Type, v); len(texts)+len(parameters) == 0 {
		return ""
	}
	return string(jsontree.Append(nil, WithName(p.Type, v, "")))
}

// AsReceived returns the tree of the definition as received or, if that isn't known, as pinned.
func (p *Pin) AsReceived() jsontree.Value {
	if p.Received != nil {
		return jsontree.ParseTrusted(p.Received)
	}
	return p.Tree()
}

// An Approval records who accepted a definition, and when (ApprovalTime). It is a record, not
// evidence.
type Approval struct {
	By, At string

	// The hash that audit logs use: it covers the server ID, the name, the description and the input schema.
	Hash string

	// The pin's digest, which covers the whole definition.
	Digest string
}

// ApprovalTime formats a time as an approval records it: in RFC 3339, in UTC and in whole seconds.
func ApprovalTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// IsApproverName reports whether an approval can record a name: it is valid UTF-8 and has at least one visible
// character.
func IsApproverName(name string) bool {
	isSeen := func(r rune) bool { return !unicode.IsSpace(r) && !text.IsHidden(r) && !text.UnusualSpace(r) }
	return utf8.ValidString(name) && strings.ContainsFunc(name, isSeen)
}

// A ServerInfo is the name and version that a server reports. It is only shown: no digest covers it, and no verdict
// depends on it.
type ServerInfo struct{ Name, Version string }

// ReadServerInfo reads the name and the version in an object.
func ReadServerInfo(v jsontree.Value) ServerInfo {
	return ServerInfo{v.StringIn("name"), v.StringIn("version")}
}

// AsRecorded returns a without the texts that the lockfile doesn't keep: those of more than 128 bytes, or not
// printable.
func (a ServerInfo) AsRecorded() ServerInfo {
	kept := func(s string) string {
		if len(s) > 128 || text.Printable(s) != s {
			return ""
		}
		return strings.Clone(s)
	}
	return ServerInfo{kept(a.Name), kept(a.Version)}
}

// String returns the name and the version, printable.
func (a ServerInfo) String() string {
	given := slices.DeleteFunc([]string{a.Name, a.Version}, func(s string) bool { return s == "" })
	return strings.Join(text.QuoteNames(given), " ")
}

// MaxServerIDBytes is the maximum length of a server ID. It is limited because a line about each drifted entry contains
// the ID. IDs from file names are shorter.
const MaxServerIDBytes = 1_024

// A Set is one server's pins with their policy: from its capture, or from the lockfile.
type Set struct {
	Server     string
	ServerInfo ServerInfo // as recorded
	Policy     Policy

	// Sorted by list, by name in UTF-16 code units, then by digest.
	Pins []Pin

	// The accepted warnings about the list as a whole, sorted as strings.
	AcceptedWarnings []AcceptedWarning

	// For a capture: the values that the policy's placeholders replace.
	Substitutes []Substitution

	// The set digest, "" if a name is repeated.
	Digest string

	Line int // in the lockfile
}

// SetPins sorts pins and stores them in the set. No other package may set Pins: house_test.go checks that.
func (s *Set) SetPins(pins []Pin) {
	order := make([]*Pin, len(pins)) // a pin is large: each is moved once
	for i := range pins {
		order[i] = &pins[i]
	}
	slices.SortStableFunc(order, ComparePins)
	s.Pins = make([]Pin, 0, len(pins))
	for _, p := range order {
		s.Pins = append(s.Pins, *p)
	}
}

// Find returns the pin of an entry, or nil.
func (s *Set) Find(key Key) *Pin {
	// A pin is large, so search by index: no pin is copied.
	i := sort.Search(len(s.Pins), func(i int) bool { return CompareKeys(s.Pins[i].Key, key) >= 0 })
	if i == len(s.Pins) || s.Pins[i].Key != key {
		return nil
	}
	return &s.Pins[i]
}

// PinsOf returns the pins of one list.
func (s *Set) PinsOf(entryType EntryType) []Pin {
	first := func(entryType EntryType) int {
		at, _ := slices.BinarySearchFunc(s.Pins, entryType, func(p Pin, of EntryType) int { return int(p.Type - of) })
		return at
	}
	return s.Pins[first(entryType):first(entryType+1)]
}

// Drop removes the pins of one list.
func (s *Set) Drop(entryType EntryType) {
	s.Pins = slices.DeleteFunc(slices.Clone(s.Pins), func(p Pin) bool { return p.Type == entryType })
}

// HasRepeatedName reports whether two pins have the same identity. Then there is no set digest.
func (s *Set) HasRepeatedName() bool {
	for i := 1; i < len(s.Pins); i++ {
		if s.Pins[i-1].Key == s.Pins[i].Key {
			return true
		}
	}
	return false
}

// CompareKeys orders keys by entry type, then by name, in UTF-16 code units.
func CompareKeys(a, b Key) int {
	return cmp.Or(int(a.Type-b.Type), jsontree.CompareUTF16(a.Name, b.Name))
}

// ComparePins orders pins by key, then by digest.
func ComparePins(a, b *Pin) int {
	return cmp.Or(CompareKeys(a.Key, b.Key), strings.Compare(a.Digest, b.Digest))
}
