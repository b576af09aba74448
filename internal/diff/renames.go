package diff

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// A description with fewer words isn't enough to know a tool by.
const minRenameWords = 6

// Renames pairs REMOVED with ADDED entries of one server and list that seem to be the
// same under another name. Their definitions are equal apart from the name; or their names
// differ only in separators and letter case; or their descriptions are equal; or names, parameters
// and descriptions are much alike, as far as the budget lets it compare them. A pair stays two drifts.
func Renames(budget *effort.Budget, drifts []pin.Drift) {
	for _, key := range []func(*pin.Drift, jsontree.Value) string{
		nameless,
		func(d *pin.Drift, _ jsontree.Value) string { return comparableName(d.Name) },
		func(_ *pin.Drift, definition jsontree.Value) string {
			words := strings.Fields(definition.Get("description").Text)
			if len(words) < minRenameWords {
				return ""
			}
			return strings.Join(words, " ")
		},
	} {
		gone := map[pin.Ref][]*pin.Drift{}
		for _, kind := range [...]pin.DriftKind{pin.Removed, pin.Added} {
			for i := range drifts {
				d := &drifts[i]
				if d.Kind != kind || !d.TextsKnown() || d.RenamedTo+d.RenamedFrom != "" || kind == pin.Added && len(gone) == 0 {
					continue
				}
				definition := cmp.Or(d.Locked, d.Captured).Tree()
				place := pin.Ref{Server: d.Server, Key: pin.Key{Type: d.Type, Name: key(d, definition)}}
				switch list := gone[place]; {
				case place.Name == "":
				case kind == pin.Removed:
					gone[place] = append(list, d)
				case len(list) > 0:
					old := list[0]
					gone[place] = list[1:]
					rename(old, d)
				}
			}
		}
	}
	pairAlike(budget, drifts)
}

// Likeness of two entries is at most 3: of their names, of their parameters and of their descriptions, at most 1 each.
const (
	leastLikeness = 1.5  // of a rename
	noParameters  = 0.25 // what it counts if neither has parameters
)

// A traits value has what an entry is compared by.
type traits struct {
	drift                         *pin.Drift
	name, parameters, description map[string]bool // words, and names of parameters
}

// traitsOf reads the traits of an entry.
func traitsOf(d *pin.Drift, definition jsontree.Value) traits {
	t := traits{drift: d, name: wordSet(apart(d.Name)), parameters: map[string]bool{}, description: wordSet(definition.Get("description").Text)}
	for _, m := range definition.Get("inputSchema").Get("properties").Members() {
		t.parameters[m.Name] = true
	}
	for _, item := range definition.Get("arguments").Items() {
		t.parameters[item.Value.Get("name").Text] = true
	}
	return t
}

// apart is a name with a blank between a small letter and the capital behind it.
func apart(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		small = unicode.IsLower(r)
	}
	return b.String()
}

// wordSet returns the words of a text in lower case.
func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[word] = true
	}
	return set
}

// alike returns how much two sets have in common, from 0 to 1.
func alike(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := 0
	for word := range a {
		if b[word] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// likeness returns how alike a REMOVED and an ADDED entry are.
func likeness(old, new traits) float64 {
	parameters := alike(old.parameters, new.parameters)
	if len(old.parameters)+len(new.parameters) == 0 {
		parameters = noParameters
	}
	return alike(old.name, new.name) + parameters + alike(old.description, new.description)
}

// pairAlike pairs entries that have no partner yet and are much alike, the most alike first.
func pairAlike(budget *effort.Budget, drifts []pin.Drift) {
	type place struct {
		server    string
		entryType pin.EntryType
	}
	gone := map[place][]traits{}
	came := map[place][]traits{}
	var places []place
	for i := range drifts {
		d := &drifts[i]
		if d.Kind != pin.Removed && d.Kind != pin.Added || !d.TextsKnown() || d.RenamedTo+d.RenamedFrom != "" {
			continue
		}
		at := place{d.Server, d.Type}
		if gone[at] == nil && came[at] == nil {
			places = append(places, at)
		}
		if d.Kind == pin.Removed {
			gone[at] = append(gone[at], traitsOf(d, d.Locked.Tree()))
		} else {
			came[at] = append(came[at], traitsOf(d, d.Captured.Tree()))
		}
	}
	type pair struct {
		old, new *pin.Drift
		likeness float64
	}
	var pairs []pair
	for _, at := range places {
		// A denied entry must keep its mark under another name, whatever the budget is too small for.
		slices.SortStableFunc(gone[at], func(a, b traits) int {
			if a.drift.Locked.Denied == b.drift.Locked.Denied {
				return 0
			}
			if a.drift.Locked.Denied {
				return -1
			}
			return 1
		})
		for _, old := range gone[at] {
			const lookup = 8 // bytes that could be compared instead: each word is looked up in each of the others
			words := 1 + len(old.name) + len(old.parameters) + len(old.description)
			if !budget.Spend(lookup * words * len(came[at])) {
				continue
			}
			for _, new := range came[at] {
				if n := likeness(old, new); n >= leastLikeness {
					pairs = append(pairs, pair{old.drift, new.drift, n})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.likeness, a.likeness) })
	for _, p := range pairs {
		if p.old.RenamedTo+p.new.RenamedFrom == "" {
			rename(p.old, p.new)
		}
	}
}

// rename notes that two drifts are one entry under two names.
func rename(old, new *pin.Drift) {
	old.RenamedTo = new.Name
	new.RenamedFrom = old.Name
	old.RenamedSimilar = nameless(old, old.Locked.Tree()) != nameless(new, new.Captured.Tree())
	new.RenamedSimilar = old.RenamedSimilar
}

// nameless is the definition without the member that names the entry.
func nameless(d *pin.Drift, definition jsontree.Value) string {
	name := pin.EntryTypeInfo[d.Type].Identity
	rest := jsontree.MapParts(definition, func(member string, v jsontree.Value) (jsontree.Value, bool) { return v, member != name })
	return string(jsontree.Append(nil, rest))
}

// comparableName is a name in lower case and without ASCII punctuation.
func comparableName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
