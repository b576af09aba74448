package text

import "strings"

// FoldASCII folds the characters of s that fold to ASCII: the capital letters, and the
// few others that foldTable has. Clients whose decoders fold case, simple or full (CaseFolding.txt), take
// a member with such a name for the real one.
func FoldASCII(s string) string {
	return foldTable.Replace(strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s))
}

var foldTable = strings.NewReplacer("\u017f", "s", "\u212a", "k", "\u00df", "ss", "\u1e9e", "ss", "\ufb00", "ff", "\ufb01", "fi",
	"\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")
