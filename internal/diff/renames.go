package diff

import (
	"slices"
	"strings"
	"unicode"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

const (
	maxRenamePairs = 10_000   // of descriptions, in one run; with more, none is compared word by word
	maxRenameWords = 400      // different words of a description that are compared
	maxRenameText  = 16 << 10 // bytes; longer descriptions count only as a part of the whole definition
	minRenameWords = 6        // words; a tool can't be known by fewer
)

// Renames pairs REMOVED with ADDED entries of one server and list that seem to be the
// same under another name. Their definitions are equal apart from the name; or their names
// differ only in separators and letter case; or their descriptions are equal, or have
// four of five words in common. A pair stays two drifts.
func Renames(drifts []pin.Drift) {
	has := func(k pin.DriftKind) bool {
		return slices.ContainsFunc(drifts, func(d pin.Drift) bool { return d.Kind == k })
	}
	if !has(pin.Removed) || !has(pin.Added) {
		return
	}
	var gone, came []*renamed
	for i := range drifts {
		switch d := &drifts[i]; {
		case d.Kind == pin.Removed && d.Locked.Definition != nil:
			gone = append(gone, &renamed{Drift: d, value: d.Locked.Tree()})
		case d.Kind == pin.Added && d.Captured.Definition != nil:
			came = append(came, &renamed{Drift: d, value: d.Captured.Tree()})
		}
	}
	for _, key := range []func(*renamed) string{
		(*renamed).nameless,
		func(c *renamed) string { return comparableName(c.Name) },
		func(c *renamed) string { return strings.Join(c.describing(), " ") },
	} {
		at := map[pin.Ref][]*renamed{}
		place := func(c *renamed) pin.Ref { return pin.Ref{Server: c.Server, Key: pin.Key{Type: c.Type, Name: key(c)}} }
		for _, c := range gone {
			at[place(c)] = append(at[place(c)], c)
		}
		for _, c := range came {
			p := place(c)
			if list := at[p]; len(list) > 0 && p.Name != "" {
				list[0].join(c)
				at[p] = list[1:]
			}
		}
		paired := func(c *renamed) bool { return c.RenamedTo != "" || c.RenamedFrom != "" }
		gone, came = slices.DeleteFunc(gone, paired), slices.DeleteFunc(came, paired)
	}
	if len(gone)*len(came) > maxRenamePairs {
		return
	}
	for _, c := range slices.Concat(gone, came) {
		c.words = map[string]bool{}
		for _, w := range c.describing() {
			if c.words[w] = true; len(c.words) == maxRenameWords {
				break
			}
		}
	}
	for _, c := range came {
		var closest *renamed
		most, of := 0, 1 // of the closest: words that both have, words that either has
		for _, g := range gone {
			if g.RenamedTo != "" || g.Server != c.Server || g.Type != c.Type {
				continue
			}
			both := 0
			for w := range c.words {
				if g.words[w] {
					both++
				}
			}
			all := len(c.words) + len(g.words) - both
			if both >= minRenameWords && both*5 >= all*4 && both*of > most*all {
				closest, most, of = g, both, all
			}
		}
		if closest != nil {
			closest.join(c)
		}
	}
}

// A renamed is an entry that is perhaps another one under a new name.
type renamed struct {
	*pin.Drift
	value jsontree.Value
	words map[string]bool // of its description
}

func (old *renamed) join(new *renamed) {
	old.RenamedTo, new.RenamedFrom = new.Name, old.Name
	old.RenamedSimilar = old.nameless() != new.nameless()
	new.RenamedSimilar = old.RenamedSimilar
}

// describing returns the words of the description, or nil if they are too few or too long.
func (c *renamed) describing() []string {
	text := jsontree.TextOf(jsontree.Lookup(&c.value, "description"))
	words := strings.Fields(text)
	if len(text) > maxRenameText || len(words) < minRenameWords {
		return nil
	}
	return words
}

// nameless is the definition without the member that names the entry.
func (c *renamed) nameless() string {
	name := pin.EntryTypeInfo[c.Type].Identity
	rest := jsontree.MapParts(c.value, func(member string, v jsontree.Value) (jsontree.Value, bool) { return v, member != name })
	return string(jsontree.Append(nil, rest))
}

// comparableName is a name in small letters and without ASCII punctuation.
func comparableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		if r < 0x80 {
			return -1
		}
		return r
	}, name)
}
