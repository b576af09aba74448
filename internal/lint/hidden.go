package lint

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/rangetable"

	"pinproof/internal/text"
)

// This file finds invisible characters, except where a text needs them. Package text has a frozen table of them. The
// toolchain's categories and scripts are used only for visible characters, as for the letters in names.go.

func isPictograph(r rune) bool { return unicode.Is(pictographTable(), r) }

// classOf returns a function that reports whether a rune is visible and in one of the named scripts or categories. The
// function merges their tables on first use, because searching them one after the other is slow.
func classOf(names string) func(rune) bool {
	merged := sync.OnceValue(func() *unicode.RangeTable {
		var tables []*unicode.RangeTable
		for name := range strings.FieldsSeq(names) {
			tables = append(tables, cmp.Or(unicode.Scripts[name], unicode.Categories[name]))
		}
		return rangetable.Merge(tables...)
	})
	return func(r rune) bool { return unicode.Is(merged(), r) && !text.IsHidden(r) }
}

// isJoining reports whether r is a letter, mark or digit of a joining script.
func isJoining(r rune) bool {
	vowel := r >= 0x64b && r <= 0x655 || r == 0x670 // Arabic marks whose script is "Inherited"
	return vowel || ofJoining(r) && (isLetter(r) || unicode.IsDigit(r))
}

// runes is a text as a list of characters. Its method at returns -1 for an index out of range.
type runes []rune

func (t runes) at(i int) rune {
	if i < 0 || i >= len(t) {
		return -1
	}
	return t[i]
}

// hiddenKinds lists the kinds of characters to report, each with the ID of its finding and the words after "characters"
// in the detail.
var hiddenKinds = [...]struct{ id, what string }{
	{"hidden-text", "no reader sees"}, {"hidden-text", "that strike out letters or show as blanks"},
	{"terminal-escape", "a terminal obeys"}, {"bidi-control", "of text direction"},
}

// kind returns the index of a character's kind in hiddenKinds, or -1. The first match counts: a control that a
// terminal obeys, a control of text direction, a hidden character that isn't legitimate, or one that strikes
// out a letter or looks like a space.
//
// A carriage return before a line feed is layout. Alone, it lets a terminal overwrite the line.
func (t runes) kind(i int) int {
	switch r := t[i]; {
	case r >= 0x20 && r < 0x7f || r == '\t' || r == '\n' || r == '\r' && t.at(i+1) == '\n':
	case r < 0xa0:
		return 2
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return 3
	case text.IsHidden(r) && !t.legitimate(i):
		return 0
	case text.Obscures(r) && !t.isNegation(i):
		return 1
	}
	return -1
}

// isNegation reports whether the character at i is a stroke that negates the sign before it, as in ≠. Unicode has a
// single character for such a pair.
func (t runes) isNegation(i int) bool {
	prev := t.at(i - 1)
	return text.StrikesThrough(t[i]) && prev > ' ' && text.Composes(prev, t[i])
}

// legitimate reports whether the text around a hidden character needs it. It returns false if another hidden character
// follows, with two exceptions: a ZWJ after U+FE0F (emoji presentation), and a code point reserved for emoji. So a run of
// legitimate characters can't encode data.
func (t runes) legitimate(i int) bool {
	r, prev, next := t[i], t.at(i-1), t.at(i+1)
	if isPictograph(r) && r < 0x1fb00 {
		// An emoji of a version after 15.0: a reader sees it, or a box instead.
		return true
	}
	if text.IsHidden(next) && !isPictograph(next) && (r != 0xfe0f || next != 0x200d) {
		return false
	}
	switch r {
	case 0xfe0e, 0xfe0f:
		// The style of an emoji or of a keycap (UTS #51, section 1.4).
		return isPictograph(prev) || next == 0x20e3 && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
	case 0x200c, 0x200d:
		return t.joins(i)
	case 0x200e, 0x200f, 0x61c:
		return !text.IsHidden(prev) && t.directs(i)
	case 0x200b, 0x2060:
		// ZWSP separates words in a script without spaces, and the word joiner keeps a word together.
		return ofUnspaced(t.at(i-2)) && ofUnspaced(prev) && ofUnspaced(next) && ofUnspaced(t.at(i+2))
	case 0x2800:
		return isBrailleCell(prev) || isBrailleCell(next)
	}
	// ARABIC NUMBER SIGN and its like are drawn around the digits that follow.
	return isVariant(prev, r) || unicode.Is(unicode.Prepended_Concatenation_Mark, r) && (isJoining(next) || unicode.IsDigit(next))
}

// isVariant reports whether r is a variation selector that can select a form of prev. After an ideograph, it accepts
// only the few selectors that the registry (UTS #37) uses. Selectors that could spell ASCII letters have higher
// numbers.
func isVariant(prev, r rune) bool {
	if r >= 0x180b && r <= 0x180f {
		return ofMongolian(prev)
	}
	return (r >= 0xfe00 && r <= 0xfe02 || r >= 0xe0100 && r <= 0xe0120) && isIdeograph(prev)
}

// joins reports whether the character at i is a joiner that makes one emoji of two, or a joiner or non-joiner that
// shapes letters of a joining script.
func (t runes) joins(i int) bool {
	r, prev, next := t[i], t.at(i-1), t.at(i+1)
	if t.joiners(i) >= maxJoiners {
		return false
	}
	if r == 0x200d && isPictograph(next) {
		if isTone := prev >= 0x1f3fb && prev <= 0x1f3ff; prev == 0xfe0f || isTone {
			prev = t.at(i - 2)
		}
		return isPictograph(prev)
	}
	// At the end of a word, ZWJ shows a letter's joined form, and a joiner after a mark shows a consonant without a
	// vowel.
	endsWord := isJoining(prev) && (r == 0x200d || unicode.Is(unicode.M, prev))
	return endsWord || isJoining(prev) && isLetter(next) || isLetter(prev) && isJoining(next)
}

// maxJoiners is the maximum number of joiners (ZWJ and ZWNJ) that a word or an emoji needs: the emoji of a family of
// four has three, and no word of a living language has more than four.
const maxJoiners = 4

// joiners counts the joiners among the few characters before t[i].
func (t runes) joiners(i int) (n int) {
	const near = 8
	for _, r := range t[max(0, i-near):i] {
		if r == 0x200c || r == 0x200d {
			n++
		}
	}
	return n
}

// directs reports whether the direction mark at i can have an effect: a right-to-left letter is near it, and it isn't
// inside a word of a single direction.
func (t runes) directs(i int) bool {
	const near = 16
	if prev, next := t.at(i-1), t.at(i+1); isLetter(prev) && isLetter(next) {
		return ofRightToLeft(prev) != ofRightToLeft(next)
	}
	return slices.ContainsFunc(t[max(0, i-near):min(len(t), i+near)], ofRightToLeft)
}

// isStray reports whether a character has no width and isn't between letters or digits of a script with spaces.
func (t runes) isStray(i int) bool {
	isInWord := func(r rune) bool { return (isLetter(r) || unicode.IsDigit(r) || r == '_') && !ofUnspaced(r) }
	return (t[i] == 0x200b || t[i] == 0x2060 || t[i] == 0xfeff) && !(isInWord(t.at(i-1)) && isInWord(t.at(i+1)))
}

// characters reports invisible characters, controls that a terminal obeys, and controls of text direction. One
// or two lone zero-width characters in prose, which editors leave behind, are only a note, because they can't
// spell anything. Inside a word, they are a warning: a model may read one as a space, and most rules ignore it.
func (r *Reviewer) characters(prose bool) {
	plain := r.text
	// Fonts draw no other flags that are spelled in tags, so all other tags are invisible text.
	for _, flag := range text.SubdivisionFlags {
		// Replace the flag by seven visible characters, so that offsets stay valid. None of them can begin a tag
		// sequence.
		plain = strings.ReplaceAll(plain, flag, strings.Repeat("\U0001F3F3", 7))
	}
	t := runes(plain)
	var found [len(hiddenKinds)][]int // places in t
	for i := range t {
		if kind := t.kind(i); kind >= 0 {
			found[kind] = append(found[kind], i)
		}
	}
	place := func(i int) int { return len(string(t[:i])) }
	for kind, at := range found {
		n := len(at)
		if n == 0 || place(at[n-1]) < r.pinned {
			continue
		}
		inRow := 1
		for inRow < n && at[inRow] == at[0]+inRow {
			inRow++
		}
		stray := prose && n <= 2 && inRow == 1 && t.isStray(at[0]) && t.isStray(at[n-1])
		r.addFor("", hiddenKinds[kind].id, !stray, "%s %s%s: %s", text.FormatCount(n, "character"), hiddenKinds[kind].what, r.where, r.around(place(at[0]), place(at[0]+inRow)))
	}
}
