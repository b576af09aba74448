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

// isJoining reports whether r is a letter, mark or digit of a joining script.
func isJoining(r rune) bool {
	vowel := r >= 0x64b && r <= 0x655 || r == 0x670 // Arabic marks without a script
	return vowel || ofJoining(r) && (isLetter(r) || unicode.IsDigit(r))
}

// runes is a text as a list of characters; at returns none before and after it.
type runes []rune

const none = rune(-1)

func (t runes) at(i int) rune {
	if i < 0 || i >= len(t) {
		return none
	}
	return t[i]
}

// A hiddenRun describes the characters of a kind in a text: there are n of them, the first
// run is t[from:to], and the last one, or its run of blanks, begins at last.
type hiddenRun struct{ n, from, to, last int }

func (s *hiddenRun) add(i, size, n int) {
	switch {
	case s.n == 0:
		s.from, s.to = i, i+size
	case s.to == i:
		s.to = i + size
	}
	s.n += n
	s.last = i
}

// maxJoiners is how many joiners (ZWJ and ZWNJ) one word or one emoji may need: a family of
// four has three, and no word of a living language has more than four.
const maxJoiners = 4

// findHidden finds what no reader of a text sees. A character counts only once: as a
// control that a terminal obeys, as one that turns the direction of text, or as a hidden
// one for which legitimate knows no reason.
//
// A carriage return before a line feed is layout; alone it lets a terminal write over the
// line. A row of unusual blanks of several kinds can spell a message.
func (t runes) findHidden() (escapes, bidi, invisible hiddenRun) {
	joiners := 0 // in the word so far
	for i, size := 0, 1; i < len(t); i += size {
		r := t[i]
		size = 1
		switch {
		case r >= 0x20 && r < 0x7f || r == '\t' || r == '\n' || r == '\r' && t.at(i+1) == '\n':
			if !text.IsAlnum(byte(r)) {
				joiners = 0
			}
		case r < 0xa0:
			escapes.add(i, size, 1)
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			bidi.add(i, size, 1)
		case r == 0x1f3f4:
			// The black flag, with tags that make it the flag of England, Scotland or
			// Wales. UTS #51 recommends no other tags and nobody draws them, so all
			// others are text that no reader sees.
			const flag = 7 // characters
			if slices.Contains(regionFlags[:], string(t[i:min(len(t), i+flag)])) {
				size = flag
			}
			joiners = 0
		case text.UnusualSpace(r):
			n, several := 0, false
			for size = 0; t.at(i+size) == ' ' || text.UnusualSpace(t.at(i+size)); size++ {
				if o := t[i+size]; o != ' ' {
					n++
					several = several || o != r
				}
			}
			if n > 3 && several {
				invisible.add(i, size, n)
			}
			joiners = 0
		case r == 0x200c || r == 0x200d:
			if joiners++; joiners > maxJoiners || !t.legitimate(i) {
				invisible.add(i, size, 1)
			}
		case text.Hidden(r):
			if !t.legitimate(i) {
				invisible.add(i, size, 1)
			}
		case joiners == 0:
		case isPictograph(r):
			if t.at(i-1) != 0x200d {
				joiners = 0
			}
		case !isLetter(r) && (r < 0x1f3fb || r > 0x1f3ff): // nor a skin tone
			joiners = 0
		}
	}
	return escapes, bidi, invisible
}

// strayZeroWidth reports whether t[i] is a zero-width character such as editors leave behind,
// with no hidden character and no unusual blank beside it.
func (t runes) strayZeroWidth(i int) bool {
	r, prev, next := t[i], t.at(i-1), t.at(i+1)
	return (r == 0x200b || r == 0x2060 || r == 0xfeff) && !text.Hidden(prev) && !text.UnusualSpace(prev) && !text.Hidden(next) && !text.UnusualSpace(next)
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
	case r >= 0xfe00 && r <= 0xfe02, r >= 0xe0100 && r <= 0xe0120:
		// Variants of an ideograph (UTS #37). The registry has no more than these few
		// for any of them, and the selectors that can spell ASCII come after these.
		return unicode.Is(unicode.Han, prev) && !text.Hidden(prev)
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, prev) && isLetter(prev)
	case r == 0x200d && isPictograph(next):
		if prev == 0xfe0f || prev >= 0x1f3fb && prev <= 0x1f3ff {
			prev = t.at(i - 2)
		}
		return isPictograph(prev)
	case r == 0x200c || r == 0x200d:
		if prev == none || text.Hidden(prev) || prev == ' ' || prev == '\n' {
			return false
		}
		wordEnd := isJoining(prev) && (r == 0x200d || unicode.Is(unicode.M, prev)) // a lone letter's joined form, or a bare consonant
		return isJoining(prev) && isLetter(next) || isJoining(next) || wordEnd
	case r == 0x200b:
		return ofUnspaced(t.at(i-2)) && ofUnspaced(prev) && ofUnspaced(next) && ofUnspaced(t.at(i+2))
	case r == 0x200e || r == 0x200f || r == 0x61c:
		return !text.Hidden(prev) && t.directs(i)
	case r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0x110bd, r == 0x110cd:
		return isJoining(next) || unicode.IsDigit(next) // a sign around what follows it
	case r == 0x2800:
		return prev > 0x2800 && prev <= 0x28ff || next > 0x2800 && next <= 0x28ff // beside a Braille cell
	}
	return false
}

// directs reports whether a direction mark can have an effect: a letter that runs from
// right to left is near, and the mark isn't inside a word of one direction.
func (t runes) directs(i int) bool {
	const near = 16
	if prev, next := t.at(i-1), t.at(i+1); isLetter(prev) && isLetter(next) {
		return ofRightToLeft(prev) != ofRightToLeft(next)
	}
	for _, step := range []int{-1, 1} {
		at := i + step
		for at != i+step*near && !isLetter(t.at(at)) {
			at += step
		}
		if ofRightToLeft(t.at(at)) && isLetter(t.at(at)) {
			return true
		}
	}
	return false
}

// characters reports the characters that no reader sees, that a terminal obeys and that
// change the direction of text. One or two stray zero-width characters in prose can't spell
// anything, so they are only a note.
func (r *Reviewer) characters(prose bool) {
	t := runes(r.text)
	escapes, bidi, invisible := t.findHidden()
	for _, f := range []struct {
		id, what string
		hiddenRun
	}{{"hidden-text", "no reader sees", invisible}, {"terminal-escape", "a terminal obeys", escapes}, {"bidi-control", "of text direction", bidi}} {
		place := func(i int) int { return len(string(t[:i])) }
		if f.n > 0 && place(f.last) >= r.pinned {
			stray := prose && f.n <= 2 && t.strayZeroWidth(f.from) && t.strayZeroWidth(f.last)
			r.addAs(f.id, !stray, "%s %s%s: %s", text.Count(f.n, "character"), f.what, r.where, r.around(place(f.from), place(f.to)))
		}
	}
}
