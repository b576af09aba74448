package text

import "strings"

// SubdivisionFlags are the flags of England, Scotland and Wales: a black flag with tags. UTS #51 recommends only these
// three sequences. All other tags are text that no reader sees.
var SubdivisionFlags = [...]string{
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
}

// maxHiddenRun is the length of a run of hidden characters that no script needs.
const maxHiddenRun = 5

// HasHiddenOrControl reports whether a text has characters that no text needs: controls that a terminal obeys, controls
// of text direction, and hidden characters, except a few in a row that some script or emoji may need. It uses only the
// frozen tables, so the result is the same in every build. Package lint finds all that HasHiddenOrControl finds, and
// also considers the context.
func HasHiddenOrControl(s string) bool {
	if strings.Contains(s, "\U000E0067") {
		for _, flag := range SubdivisionFlags {
			// Replace the flag by a letter. With a flag in its place, the tags after it could form another flag.
			s = strings.ReplaceAll(s, flag, "x")
		}
	}
	inRow := 0 // hidden characters right before
	for i, r := range s {
		isControl := r < 0x20 && r != '\t' && r != '\n' && !(r == '\r' && strings.HasPrefix(s[i+1:], "\n")) || r >= 0x7f && r < 0xa0
		turnsText := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		switch {
		case isControl, turnsText:
			return true
		case r < 0x80 || !IsHidden(r):
			inRow = 0
		case !mayBeNeeded(r):
			return true
		case isNewEmoji(r):
			inRow = 0
		default:
			inRow++
			if inRow == maxHiddenRun {
				return true
			}
		}
	}
	return false
}

// isNewEmoji reports whether a code point may be an emoji that is newer than the tables.
func isNewEmoji(r rune) bool { return r >= 0x1f000 && r < 0x1fb00 }

// needed are the hidden characters that some text needs.
const needed = "\u200b\u200c\u2060\ufeff" + // zero-width spaces
	"\u200d\u200e\u200f\u061c" + // a joiner and marks of direction
	"\ufe00\ufe01\ufe02\ufe0e\ufe0f\u180b\u180c\u180d\u180e\u180f" + // variation selectors
	"\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd" + // signs around a number
	"\u2800" // the Braille blank

// mayBeNeeded reports whether some text needs a hidden character: one in needed, a variation selector for ideographs,
// or an emoji that is newer than the tables.
func mayBeNeeded(r rune) bool {
	return strings.ContainsRune(needed, r) || r >= 0xe0100 && r <= 0xe0120 || isNewEmoji(r)
}
