package manifest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
)

// TestFolds holds folding against two full implementations of it, for every
// character in every place of every specified name.
func TestFolds(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	lists := append(slices.Collect(maps.Values(pin.InnerMembers)), pin.MessageMembers, pin.ResultMembers)
	for _, list := range append(lists, pin.EntryMembers[:]...) {
		for _, name := range list {
			names[name] = true
		}
	}
	candidates := map[rune]bool{} // all that could fold to ASCII
	for r := rune(0); r <= 0x10ffff; r++ {
		if jsontest.FoldFully(string(r)) != string(r) || r < 0x80 {
			candidates[r] = true
		}
	}
	foldedNames := map[string]string{}
	check := func(s, name string) {
		if foldedNames[name] == "" {
			foldedNames[name] = jsontest.FoldFully(name)
		}
		want := jsontest.FoldFully(s) == foldedNames[name] || strings.EqualFold(s, name)
		if got := folds(s, name); got != want {
			t.Errorf("folds(%+q, %q) = %v", s, name, got)
		}
	}
	for name := range names {
		check(name, name)
		check(strings.ToUpper(name), name)
		check(name+"s", name)
		check(name[1:], name)
		check("", name)
		for r := range candidates {
			for i := range name {
				for width := 1; width <= 3 && i+width <= len(name); width++ {
					check(name[:i]+string(r)+name[i+width:], name)
				}
			}
		}
	}
	for _, name := range []string{"ss", "ff", "fi", "fl", "ffi", "ffl", "st", "k", "affix", "class"} { // not among them so far
		for r := range candidates {
			for i := range name {
				for width := 1; width <= 3 && i+width <= len(name); width++ {
					check(name[:i]+string(r)+name[i+width:], name)
				}
			}
		}
	}
}
