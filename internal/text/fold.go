package text

import "strings"

// EqualFold reports whether s equals the ASCII name under Unicode case folding,
// simple or full (CaseFolding.txt). Clients whose decoders fold case take such a
// member for the real one.
func EqualFold(s, name string) bool { return strings.EqualFold(FoldASCII(s), name) }

// FoldASCII folds the characters of s that fold to ASCII: the capital letters, and the
// few others that foldTable has.
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
