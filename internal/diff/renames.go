package diff

import (
	"cmp"
	"strings"
	"unicode"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

const minRenameWords = 6 // a tool can't be known by a description with fewer

// Renames pairs REMOVED with ADDED entries of one server and list that seem to be the
// same under another name. Their definitions are equal apart from the name; or their names
// differ only in separators and letter case; or their descriptions are equal. A pair stays
// two drifts.
func Renames(drifts []pin.Drift) {
	for _, alike := range []func(*pin.Drift, jsontree.Value) string{
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
				place := pin.Ref{Server: d.Server, Key: pin.Key{Type: d.Type, Name: alike(d, definition)}}
				switch list := gone[place]; {
				case place.Name == "":
				case kind == pin.Removed:
					gone[place] = append(list, d)
				case len(list) > 0:
					old := list[0]
					gone[place] = list[1:]
					old.RenamedTo, d.RenamedFrom = d.Name, old.Name
					old.RenamedSimilar = nameless(old, old.Locked.Tree()) != nameless(d, d.Captured.Tree())
					d.RenamedSimilar = old.RenamedSimilar
				}
			}
		}
	}
}

// nameless is the definition without the member that names the entry.
func nameless(d *pin.Drift, definition jsontree.Value) string {
	name := pin.EntryTypeInfo[d.Type].Identity
	rest := jsontree.MapParts(definition, func(member string, v jsontree.Value) (jsontree.Value, bool) { return v, member != name })
	return string(jsontree.Append(nil, rest))
}

// comparableName is a name in small letters and without ASCII punctuation.
func comparableName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
