package pin

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// A Substitution is a value that differs from place to place, such as a folder, and
// the name that replaces it in the pins.
type Substitution struct{ Name, value string }

// minSubstitute is the minimum length of a value, in characters. A shorter value could occur in a text by chance.
const minSubstitute = 8

// ParseSubstitutions reads the values of --substitute NAME=VALUE. Longer values come
// first: replacing a shorter one inside them would hide them.
func ParseSubstitutions(args []string) ([]Substitution, error) {
	var list []Substitution
	for _, arg := range args {
		name, s, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fail.New("%s: NAME=VALUE", text.QuoteName(arg))
		}
		if utf8.RuneCountInString(s) < minSubstitute || !utf8.ValidString(s) {
			return nil, fail.New("%s: its value has fewer than 8 characters, so any text might have it", text.QuoteName(name))
		}
		list = append(list, Substitution{name, s})
	}
	unique, err := ParseSubstitutionNames(SubstitutionNames(list))
	if err != nil {
		return nil, err
	}
	if len(unique) < len(list) {
		return nil, fail.New("a name is given twice")
	}
	slices.SortFunc(list, func(a, b Substitution) int {
		return cmp.Or(len(b.value)-len(a.value), strings.Compare(a.Name, b.Name))
	})
	return list, nil
}

// SubstitutionNames lists the names, sorted.
func SubstitutionNames(list []Substitution) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// ParseSubstitutionNames checks names, from --substitute or from the policy in a lockfile, and returns them sorted,
// without repeats.
func ParseSubstitutionNames(names []string) ([]string, error) {
	for _, n := range names {
		if n == "" || len(n) > 64 || strings.Trim(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return nil, fail.New("%s: a name has only A to Z, 0 to 9 and _", text.QuoteName(n))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names))), nil
}

// InsertPlaceholders returns v with <NAME> in place of each value in its strings. It refuses a string that already
// contains a placeholder, because that could pass for a replaced value.
func InsertPlaceholders(v jsontree.Value, list []Substitution) (jsontree.Value, error) {
	var err error
	v = jsontree.MapStrings(v, func(text string) string {
		out := text
		for _, s := range list {
			if strings.Contains(text, "<"+s.Name+">") && err == nil {
				err = fail.New("it contains the placeholder <%s> itself", s.Name)
			}
			out = strings.ReplaceAll(out, s.value, "<"+s.Name+">")
		}
		return out
	})
	return v, err
}

// InsertPlaceholdersInNames puts <NAME> in place of each value in the name of a pin and in the URIs of its files.
func (p *Pin) InsertPlaceholdersInNames(list []Substitution) {
	put := func(s *string) {
		if v, err := InsertPlaceholders(jsontree.String(*s), list); err == nil {
			*s = v.Text
		}
	}
	put(&p.Name)
	if p.Type != Skills {
		return
	}
	files := slices.Clone(p.Files.Parts)
	for i := range files {
		put(&files[i].Name)
	}
	p.Files = jsontree.Object(files...)
}

// FillPlaceholders returns a text with each value in place of its <NAME>.
func FillPlaceholders(text string, list []Substitution) string {
	for _, s := range list {
		text = strings.ReplaceAll(text, "<"+s.Name+">", s.value)
	}
	return text
}
