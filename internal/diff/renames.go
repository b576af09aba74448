package diff

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/normal"
	"pinproof/internal/pin"
)

// minRenameWords is the minimum number of words in a description that identifies an entry.
const minRenameWords = 6

// FindRenames pairs REMOVED with ADDED entries of one server and list that seem to be one entry under two names. Their
// definitions are equal apart from the name; or their names differ only in separators and letter case; or their
// descriptions are equal; or their names, parameters and descriptions are similar, if the budget allows this
// comparison. Both drifts of a pair remain. Then FindRenames marks the entries that resemble a denied one.
func FindRenames(budget *effort.Budget, sides []pin.Comparison, drifts []pin.Drift) {
	type list struct {
		server    string
		entryType pin.EntryType
		kind      pin.DriftKind
	}
	lists := map[list][]*pin.Drift{}
	for i := range drifts {
		d := &drifts[i]
		if d.RenamedTo+d.RenamedFrom == "" {
			of := list{d.Server, d.Type, d.Kind}
			lists[of] = append(lists[of], d)
		}
	}
	for i := range drifts {
		d := &drifts[i]
		removed := lists[list{d.Server, d.Type, pin.DriftRemoved}]
		added := lists[list{d.Server, d.Type, pin.DriftAdded}]
		if len(removed) > 0 && removed[0] == d {
			pair(budget, candidatesOf(removed), candidatesOf(added))
		}
	}
	noteDenied(budget, sides, drifts)
}

// nameless returns a definition without the member that names it.
func nameless(entryType pin.EntryType, definition jsontree.Value) jsontree.Value {
	return normal.WithoutMembers(definition, pin.EntryTypeInfo[entryType].Identity)
}

// A set is a set of strings, such as the words of a text.
type set map[string]bool

// keyCount is how many keys a candidate has.
const keyCount = 3

// A candidate is an entry that may have another name on the other side.
type candidate struct {
	*pin.Drift

	// The keys that stay equal when an entry is renamed, the most reliable one first: the definition without its name,
	// the name in lower case and without punctuation, the description. Long texts are hashed, so that a comparison costs
	// little. An empty key isn't compared.
	keys [keyCount]string

	// The words of the name and the description, the names of the parameters, and the words of all texts.
	name, parameters, description, texts set

	// The words of all strings; only for a comparison with a denied entry.
	said set

	// The contents of a skill's files that may be run, and of its SKILL.md without the frontmatter, which has the name.
	files set
}

func candidatesOf(drifts []*pin.Drift) (list []*candidate) {
	for _, d := range drifts {
		if !d.TextsKnown() {
			continue
		}
		c := describe(d.Key, cmp.Or(d.Locked, d.Captured).Tree())
		c.Drift = d
		list = append(list, c)
	}
	return list
}

// describe returns the candidate for an entry, without its drift.
func describe(key pin.Key, definition jsontree.Value) *candidate {
	definition = nameless(key.Type, definition)
	described := definition.Get("description").Text
	texts, parameters := pin.TextsAndParameters(key.Type, definition)
	c := &candidate{name: wordSet(normal.SplitName(key.Name)), parameters: set{}, description: wordSet(described), texts: wordSet(strings.Join(texts, " "))}
	c.keys = [keyCount]string{hashed(jsontree.Append(nil, definition)), comparableName(key.Name)}
	if words := strings.Fields(described); len(words) >= minRenameWords {
		c.keys[2] = hashed([]byte(strings.Join(words, " ")))
	}
	for _, name := range parameters {
		c.parameters[name] = true
	}
	return c
}

func hashed(s []byte) string {
	sum := sha256.Sum256(s)
	return string(sum[:])
}

func (c *candidate) isPaired() bool { return c.RenamedTo+c.RenamedFrom != "" }

// rename notes that two drifts are one entry under two names.
func rename(old, new *candidate) {
	old.RenamedTo = new.Name
	new.RenamedFrom = old.Name
	old.RenamedWithChanges = old.keys[0] != new.keys[0]
	new.RenamedWithChanges = old.RenamedWithChanges
}

// pair pairs entries that seem to be the same under two names.
func pair(budget *effort.Budget, removed, added []*candidate) {
	// Pair denied entries first, so that they stay denied under a new name even if the budget is too small for all.
	slices.SortStableFunc(removed, func(a, b *candidate) int { return rankOf(!a.Locked.Denied) - rankOf(!b.Locked.Denied) })
	for key := range keyCount {
		pairEqual(removed, added, key)
		removed = slices.DeleteFunc(removed, (*candidate).isPaired)
		added = slices.DeleteFunc(added, (*candidate).isPaired)
	}
	pairAlike(budget, removed, added)
}

// pairEqual pairs entries that have a key in common.
func pairEqual(removed, added []*candidate, key int) {
	byKey := map[string][]*candidate{}
	for _, c := range removed {
		of := c.keys[key]
		byKey[of] = append(byKey[of], c)
	}
	for _, c := range added {
		of := c.keys[key]
		if list := byKey[of]; of != "" && len(list) > 0 {
			byKey[of] = list[1:]
			rename(list[0], c)
		}
	}
}

// The likeness of two entries is at most 3: at most 1 each for their names, parameters and descriptions.
const (
	maxLikeness   = 3
	leastLikeness = 1.5  // the minimum for a rename
	noParameters  = 0.25 // the likeness if neither has parameters
)

// likeness returns how alike two entries are.
func likeness(old, new *candidate) float64 {
	return alike(old.name, new.name) + closeness(old, new)
}

// closeness returns how similar two entries are, apart from their names. If one has no description, all texts are
// compared; if neither has a text, the parameters count twice.
func closeness(old, new *candidate) float64 {
	parameters := alike(old.parameters, new.parameters)
	texts := alike(old.description, new.description)
	if len(old.description) == 0 || len(new.description) == 0 {
		texts = alike(old.texts, new.texts)
	}
	if len(old.texts)+len(new.texts) == 0 {
		texts = parameters
	}
	if len(old.parameters)+len(new.parameters) == 0 {
		parameters = noParameters
	}
	return parameters + texts
}

// lookup is the cost of looking up one word in another entry, in bytes of the budget.
const lookup = 8

// work returns the cost of comparing an entry with another one, in bytes of the budget.
func (c *candidate) work() int {
	work := 0
	for _, words := range []set{c.name, c.parameters, c.description, c.texts, c.said, c.files} {
		for word := range words {
			work += lookup + len(word)
		}
	}
	return lookup + work
}

// pairAlike pairs entries that are much alike, the most alike first.
func pairAlike(budget *effort.Budget, removed, added []*candidate) {
	type pair struct {
		old, new *candidate
		likeness float64
	}
	var pairs []pair
	for _, old := range removed {
		if !budget.Spend(old.work() * len(added)) {
			continue
		}
		for _, new := range added {
			if n := likeness(old, new); n >= leastLikeness {
				pairs = append(pairs, pair{old, new, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.likeness, a.likeness) })
	for _, p := range pairs {
		if !p.old.isPaired() && !p.new.isPaired() {
			rename(p.old, p.new)
		}
	}
}

// rankOf returns 1 for true and 0 for false.
func rankOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wordSet returns the words of a text in lower case.
func wordSet(s string) set {
	words := set{}
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = true
	}
	return words
}

// alike returns how much two sets have in common, from 0 to 1.
func alike(a, b set) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * float64(common(a, b)) / float64(len(a)+len(b))
}

// common returns how many members two sets have in common.
func common(a, b set) (count int) {
	for word := range a {
		if b[word] {
			count++
		}
	}
	return count
}

// comparableName returns a name in lower case and without ASCII punctuation.
func comparableName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
