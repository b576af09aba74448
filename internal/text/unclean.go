package text

import "strings"

// RegionFlags are the flags of England, Scotland and Wales: a black flag with tags, which UTS #51
// recommends for these alone. All other tags are text that no reader sees.
var RegionFlags = [...]string{
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
}

// maxHiddenRun is a number of hidden characters that no script needs in a row.
const maxHiddenRun = 5

// Unclean reports whether a text has characters that no text needs anywhere: controls that a
// terminal obeys, characters that turn the direction of text, and hidden ones, except a few in a row
// that some script or emoji may need. It uses only the frozen tables, so a lockfile is clean in every
// build or in no build. Package lint finds all that Unclean finds, and also knows where in a text such a
// character has no use.
func Unclean(s string) bool {
	if strings.Contains(s, "\U000E0067") {
		for _, flag := range RegionFlags {
			s = strings.ReplaceAll(s, flag, "\U0001F3F4")
		}
	}
	inRow := 0 // hidden characters right before
	for i, r := range s {
		isControl := r < 0x20 && r != '\t' && r != '\n' && !(r == '\r' && strings.HasPrefix(s[i+1:], "\n")) || r >= 0x7f && r < 0xa0
		turnsText := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		switch {
		case isControl, turnsText:
			return true
		case r < 0x80 || !Hidden(r):
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

// isNewEmoji reports whether a code point may be an emoji of a later version of Unicode than the tables are of.
func isNewEmoji(r rune) bool { return r >= 0x1f000 && r < 0x1fb00 }

// mayBeNeeded reports whether some text needs a hidden character: joiners, marks of direction, spaces
// without a width, selectors of variants, signs around a number, the blank of Braille,
// and emoji that are newer than the tables.
func mayBeNeeded(r rune) bool {
	if r >= 0x200b && r <= 0x200f || r == 0x061c || r == 0x2060 || r == 0xfeff {
		return true
	}
	if r >= 0xfe00 && r <= 0xfe02 || r == 0xfe0e || r == 0xfe0f || r >= 0xe0100 && r <= 0xe0120 || r >= 0x180b && r <= 0x180f {
		return true
	}
	if r >= 0x0600 && r <= 0x0605 || r == 0x06dd || r == 0x070f || r == 0x0890 || r == 0x0891 || r == 0x08e2 || r == 0x110bd || r == 0x110cd {
		return true
	}
	return r == 0x2800 || isNewEmoji(r)
}
