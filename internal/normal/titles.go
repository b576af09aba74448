package normal

import (
	"strings"
	"unicode"

	"pinproof/internal/text"
)

// RepeatsName reports whether a title only repeats a name as words: "Read file" for read_file and readFile. SDKs
// generate such titles. A title that splits the name elsewhere may mean something else.
func RepeatsName(title, name string) bool {
	if title == name {
		return text.QuoteName(name) == name
	}
	if title == "" || !text.IsAlnumOr(title, " ") || !text.IsAlnumOr(name, "_-.") {
		return false
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-.", r) })
	said := strings.Join(words, " ")
	return strings.EqualFold(title, said) || strings.EqualFold(title, SplitName(said))
}

// SplitName returns a name with a space between a lower-case letter and an upper-case letter after it.
func SplitName(name string) string {
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
