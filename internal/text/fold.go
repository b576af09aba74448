package text

import "strings"

// FoldASCII replaces each character of s whose case folding is ASCII: A to Z, and the few in foldTable. A client whose
// decoder folds case, simply or fully (CaseFolding.txt), mistakes a member with such a name for the member that it
// folds to.
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
