package lint

import (
	"slices"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/rangetable"

	"pinproof/internal/text"
)

// Characters that no reader sees, and the places where a text needs them all the same.
// Categories and scripts come from the toolchain's tables, but only for characters that
// aren't hidden, as for the letters in names.go.

func isPictograph(r rune) bool { return unicode.Is(pictographTable, r) }

// classOf tests whether a rune is in one of the tables and not hidden. It merges the tables
// when it is first asked, because to look in one after the other is slow.
func classOf(tables ...*unicode.RangeTable) func(rune) bool {
	merged := sync.OnceValue(func() *unicode.RangeTable { return rangetable.Merge(tables...) })
	return func(r rune) bool { return unicode.Is(merged(), r) && !text.Hidden(r) }
}

func isBrailleCell(r rune) bool { return r > 0x2800 && r <= 0x28ff }

func isZeroWidth(r rune) bool { return r == 0x200b || r == 0x2060 || r == 0xfeff }

// isJoining reports whether r is a letter, mark or digit of a joining script.
func isJoining(r rune) bool {
	vowel := r >= 0x64b && r <= 0x655 || r == 0x670 // Arabic marks without a script
	return vowel || ofJoining(r) && (isLetter(r) || unicode.IsDigit(r))
}

// runes is a text as a list of characters; at returns -1 before and after it.
type runes []rune

func (t runes) at(i int) rune {
	if i < 0 || i >= len(t) {
		return -1
	}
	return t[i]
}

// A hiddenRun describes the characters of a kind in a text: there are n of them, the first
// run is t[from:to], and the last one is t[last].
type hiddenRun struct{ n, from, to, last int }

func (s *hiddenRun) add(i int) {
	if s.n == 0 {
		s.from, s.to = i, i
	}
	if s.to == i {
		s.to++
	}
	s.n++
	s.last = i
}

// findHidden finds what no reader of a text sees. A character counts only once: as a
// control that a terminal obeys, as one that turns the direction of text, or as a hidden
// one for which legitimate knows no reason.
//
// A carriage return before a line feed is layout; alone it lets a terminal write over the
// line.
func (t runes) findHidden() (escapes, bidi, invisible hiddenRun) {
	for i, r := range t {
		switch {
		case r >= 0x20 && r < 0x7f || r == '\t' || r == '\n' || r == '\r' && t.at(i+1) == '\n':
		case r < 0xa0:
			escapes.add(i)
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			bidi.add(i)
		case text.Hidden(r) && !t.legitimate(i):
			invisible.add(i)
		}
	}
	return escapes, bidi, invisible
}

// legitimate reports whether the text around a hidden character needs it. Two hidden
// characters in a row are never needed, except an emoji style before a joiner, so that no
// such use can carry a run of data.
func (t runes) legitimate(i int) bool {
	r, prev, next := t[i], t.at(i-1), t.at(i+1)
	if isPictograph(r) && r < 0x1fb00 {
		return true // an emoji of a version after 15.0: a reader sees it, or a box instead
	}
	if text.Hidden(next) && !isPictograph(next) && !(r == 0xfe0f && next == 0x200d) {
		return false
	}
	switch {
	case r == 0xfe0e || r == 0xfe0f: // text or emoji style (UTS #51, section 1.4)
		keycap := next == 0x20e3 && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
		return isPictograph(prev) || keycap
	case (r == 0x200c || r == 0x200d) && t.joiners(i) >= maxJoiners:
	case r == 0x200d && isPictograph(next):
		if prev == 0xfe0f || prev >= 0x1f3fb && prev <= 0x1f3ff {
			prev = t.at(i - 2)
		}
		return isPictograph(prev)
	case r == 0x200c || r == 0x200d:
		wordEnd := isJoining(prev) && (r == 0x200d || unicode.Is(unicode.M, prev)) // a lone letter's joined form, or a bare consonant
		return isJoining(prev) && isLetter(next) || isLetter(prev) && isJoining(next) || wordEnd
	case r == 0x200e || r == 0x200f || r == 0x61c:
		return !text.Hidden(prev) && t.directs(i)
	case r == 0x200b || r == 0x2060: // between words, or to keep one together
		return ofUnspaced(t.at(i-2)) && ofUnspaced(prev) && ofUnspaced(next) && ofUnspaced(t.at(i+2))
	case r >= 0xfe00 && r <= 0xfe02, r >= 0xe0100 && r <= 0xe0120:
		// Variants of an ideograph (UTS #37). The registry has no more than these few
		// for any of them, and the selectors that can spell letters come after these.
		return isIdeograph(prev)
	case r >= 0x180b && r <= 0x180f:
		return ofMongolian(prev)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // a sign around what follows it: ARABIC NUMBER SIGN
		return isJoining(next) || unicode.IsDigit(next)
	case r == 0x2800:
		return isBrailleCell(prev) || isBrailleCell(next)
	}
	return false
}

// maxJoiners is how many joiners (ZWJ and ZWNJ) one word or one emoji may need: a family of
// four has three, and no word of a living language has more than four.
const maxJoiners = 4

// joiners counts those right before t[i].
func (t runes) joiners(i int) (n int) {
	const near = 8
	for _, r := range t[max(0, i-near):i] {
		if r == 0x200c || r == 0x200d {
			n++
		}
	}
	return n
}

// directs reports whether a direction mark can have an effect: a letter that runs from
// right to left is near, and the mark isn't inside a word of one direction.
func (t runes) directs(i int) bool {
	const near = 16
	if prev, next := t.at(i-1), t.at(i+1); isLetter(prev) && isLetter(next) {
		return ofRightToLeft(prev) != ofRightToLeft(next)
	}
	return slices.ContainsFunc(t[max(0, i-near):min(len(t), i+near)], ofRightToLeft)
}

// characters reports the characters that no reader sees, that a terminal obeys and that
// change the direction of text. One or two lone zero-width characters in prose, such as editors
// leave behind, can't spell anything, so they are only a note.
func (r *Reviewer) characters(prose bool) {
	t := runes(regionFlags().Replace(r.text))
	escapes, bidi, invisible := t.findHidden()
	for _, f := range []struct {
		id, what string
		hiddenRun
	}{{"hidden-text", "no reader sees", invisible}, {"terminal-escape", "a terminal obeys", escapes}, {"bidi-control", "of text direction", bidi}} {
		place := func(i int) int { return len(string(t[:i])) }
		if f.n > 0 && place(f.last) >= r.pinned {
			stray := prose && f.n <= 2 && f.to-f.from == 1 && isZeroWidth(t[f.from]) && isZeroWidth(t[f.last])
			r.addAs(f.id, !stray, "%s %s%s: %s", text.Count(f.n, "character"), f.what, r.where, r.around(place(f.from), place(f.to)))
		}
	}
}
