package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Characters that no reader sees, and where a text rightly has them all the same.
// Categories and scripts come from the toolchain's tables, but only for what
// hidden lets through, as in lookalike.go.

// pictographTable is Extended_Pictographic of emoji-data 15.0 (UTS #51), reserved
// code points included: emoji of later versions come from those.
var pictographTable = [...]runeRange{
	{0xa9, 0xa9}, {0xae, 0xae}, {0x203c, 0x203c}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139},
	{0x2194, 0x2199}, {0x21a9, 0x21aa}, {0x231a, 0x231b}, {0x2328, 0x2328}, {0x2388, 0x2388}, {0x23cf, 0x23cf},
	{0x23e9, 0x23f3}, {0x23f8, 0x23fa}, {0x24c2, 0x24c2}, {0x25aa, 0x25ab}, {0x25b6, 0x25b6}, {0x25c0, 0x25c0},
	{0x25fb, 0x25fe}, {0x2600, 0x2605}, {0x2607, 0x2612}, {0x2614, 0x2685}, {0x2690, 0x2705}, {0x2708, 0x2712},
	{0x2714, 0x2714}, {0x2716, 0x2716}, {0x271d, 0x271d}, {0x2721, 0x2721}, {0x2728, 0x2728}, {0x2733, 0x2734},
	{0x2744, 0x2744}, {0x2747, 0x2747}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755}, {0x2757, 0x2757},
	{0x2763, 0x2767}, {0x2795, 0x2797}, {0x27a1, 0x27a1}, {0x27b0, 0x27b0}, {0x27bf, 0x27bf}, {0x2934, 0x2935},
	{0x2b05, 0x2b07}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x3030, 0x3030}, {0x303d, 0x303d},
	{0x3297, 0x3297}, {0x3299, 0x3299}, {0x1f000, 0x1f0ff}, {0x1f10d, 0x1f10f}, {0x1f12f, 0x1f12f}, {0x1f16c, 0x1f171},
	{0x1f17e, 0x1f17f}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f1ad, 0x1f1e5}, {0x1f201, 0x1f20f}, {0x1f21a, 0x1f21a},
	{0x1f22f, 0x1f22f}, {0x1f232, 0x1f23a}, {0x1f23c, 0x1f23f}, {0x1f249, 0x1f3fa}, {0x1f400, 0x1f53d}, {0x1f546, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f774, 0x1f77f}, {0x1f7d5, 0x1f7ff}, {0x1f80c, 0x1f80f}, {0x1f848, 0x1f84f}, {0x1f85a, 0x1f85f},
	{0x1f888, 0x1f88f}, {0x1f8ae, 0x1f8ff}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1faff}, {0x1fc00, 0x1fffd},
}

func isPictograph(r rune) bool { return inTable(pictographTable[:], r) }

// Classes of letters, each one sorted table of what hidden lets through.
var (
	// isLetter is true for letters and the marks on them.
	isLetter = classOf(unicode.L, unicode.M)

	// ofJoining are the scripts whose letters join, or form conjuncts, as ZWJ and
	// ZWNJ tell them to (Unicode 15.0, section 23.2).
	ofJoining = classOf(
		unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam, unicode.Hanifi_Rohingya,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Chakma,
		unicode.Grantha, unicode.Tirhuta, unicode.Newa, unicode.Sharada, unicode.Meetei_Mayek)

	// ofUnspaced are the scripts that break lines between words at ZWSP.
	ofUnspaced = classOf(
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet)

	ofRightToLeft = classOf(
		unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya)
)

// classOf tests for a rune of any of the tables that hidden lets through. The
// tables become one when first asked: one after the other they are slow.
func classOf(tables ...*unicode.RangeTable) func(rune) bool {
	merged := sync.OnceValue(func() []runeRange {
		var list []runeRange
		add := func(lo, hi, stride rune) {
			if stride == 1 {
				list = append(list, runeRange{lo, hi})
				return
			}
			for r := lo; r <= hi; r += stride {
				list = append(list, runeRange{r, r})
			}
		}
		for _, t := range tables {
			for _, r := range t.R16 {
				add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
			}
			for _, r := range t.R32 {
				add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
			}
		}
		slices.SortFunc(list, func(a, b runeRange) int { return int(a.lo - b.lo) })
		return list
	})
	return func(r rune) bool { return inTable(merged(), r) && !hidden(r) }
}

// isJoining reports whether r is a letter, mark or digit of a joining script.
func isJoining(r rune) bool {
	vowel := r >= 0x64b && r <= 0x655 || r == 0x670 // Arabic marks that are of no script
	return vowel || ofJoining(r) && (isLetter(r) || unicode.IsDigit(r))
}

// An unseenRun is where a text first has characters of a kind, and how many it has
// in all.
type unseenRun struct{ n, from, to int }

func (s *unseenRun) add(i, size, n int) {
	switch {
	case s.n == 0:
		s.from, s.to = i, i+size
	case s.to == i:
		s.to = i + size
	}
	s.n += n
}

// maxJoiners is how many joiners one word, or one emoji, may rightly have: a
// family of four has three, and no word of living text more than four.
const maxJoiners = 4

// findUnseen finds what no reader of s sees. One character counts once: as a control
// that a terminal obeys, else as one that turns the direction of text, else as
// hidden where legitimate doesn't know a reason for it.
//
// A carriage return is layout before a line feed; alone it lets a terminal write
// over the line. Blanks of several unusual kinds in a row can spell a message.
func findUnseen(s string) (escapes, bidi, invisible unseenRun) {
	joiners := 0 // in the word so far
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7f || c == '\t' || c == '\n' || c == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			if joiners > 0 && !isAlnum(c) {
				joiners = 0
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r < 0xa0:
			escapes.add(i, size, 1)
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			bidi.add(i, size, 1)
		case r == 0x1f3f4:
			size, joiners = flagSize(s[i:]), 0
		case unusualSpace(r):
			size = runSize(s[i:], func(r rune) bool { return r == ' ' || unusualSpace(r) })
			if n, kinds := unusualRun(s[i : i+size]); n > 3 && kinds > 1 {
				invisible.add(i, size, n)
			}
			joiners = 0
		case r == 0x200c || r == 0x200d:
			if joiners++; joiners > maxJoiners || !legitimate(s, i, size, r) {
				invisible.add(i, size, 1)
			}
		case hidden(r):
			if !legitimate(s, i, size, r) {
				invisible.add(i, size, 1)
			}
		case joiners == 0:
		case isPictograph(r):
			if !strings.HasSuffix(s[:i], "\u200d") {
				joiners = 0
			}
		case !isLetter(r) && (r < 0x1f3fb || r > 0x1f3ff): // nor a skin tone
			joiners = 0
		}
		i += size
	}
	return escapes, bidi, invisible
}

// unusualRun counts the unusual spaces of a run, and how many kinds they are of.
func unusualRun(run string) (n, kinds int) {
	seen := map[rune]bool{}
	for _, r := range run {
		if r != ' ' {
			n++
			seen[r] = true
		}
	}
	return n, len(seen)
}

// flagSize is the size of the black flag at the start of s with the tags that
// make it the flag of England, Scotland or Wales. UTS #51 recommends no others:
// any other tags are drawn by nobody, and so are text that no reader sees.
func flagSize(s string) int {
	flag, rest := "\U0001F3F4", s[len("\U0001F3F4"):]
	for _, region := range []string{"gbeng", "gbsct", "gbwls"} {
		tags := ""
		for _, c := range region {
			tags += string(c + 0xe0000)
		}
		if strings.HasPrefix(rest, tags+"\U000E007F") {
			return len(flag + tags + "\U000E007F")
		}
	}
	return len(flag)
}

// legitimate reports whether the hidden character r, of that size at s[i:], is one
// that the text around it needs. No two of them stand side by side (but for an
// emoji style before a joiner), so that none of these uses carries a run of data.
func legitimate(s string, i, size int, r rune) bool {
	before, after := s[:i], s[i+size:]
	prev, prevSize := utf8.DecodeLastRuneInString(before)
	next, nextSize := utf8.DecodeRuneInString(after)
	if isPictograph(r) && r < 0x1fb00 {
		return true // of a version after 15.0: a picture, or the box for a missing one
	}
	if nextSize > 0 && hidden(next) && !isPictograph(next) && !(r == 0xfe0f && next == 0x200d) {
		return false
	}
	switch {
	case r == 0xfe0e || r == 0xfe0f: // text or emoji style (UTS #51, section 1.4)
		keycap := next == 0x20e3 && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
		return isPictograph(prev) || keycap
	case r >= 0xfe00 && r <= 0xfe02, r >= 0xe0100 && r <= 0xe0120:
		// Variants of one ideograph (UTS #37); the registry has no more than
		// these few for any, and those that spell ASCII begin beyond.
		return unicode.Is(unicode.Han, prev) && !hidden(prev)
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, prev) && isLetter(prev)
	case r == 0x200d && isPictograph(next):
		for _, style := range []string{"\ufe0f", "\U0001f3fb", "\U0001f3fc", "\U0001f3fd", "\U0001f3fe", "\U0001f3ff"} {
			if b, ok := strings.CutSuffix(before, style); ok {
				before = b
				break
			}
		}
		base, _ := utf8.DecodeLastRuneInString(before)
		return isPictograph(base)
	case r == 0x200c || r == 0x200d:
		if prevSize == 0 || hidden(prev) || prev == ' ' || prev == '\n' {
			return false
		}
		wordEnd := isJoining(prev) && (r == 0x200d || unicode.Is(unicode.M, prev)) // a lone letter's joined form, a bare consonant
		return isJoining(prev) && isLetter(next) || isJoining(next) || wordEnd
	case r == 0x200b:
		prev2, _ := utf8.DecodeLastRuneInString(before[:len(before)-prevSize])
		next2, _ := utf8.DecodeRuneInString(after[nextSize:])
		for _, letter := range []rune{prev2, prev, next, next2} {
			if !ofUnspaced(letter) {
				return false
			}
		}
		return true
	case r == 0x200e || r == 0x200f || r == 0x61c:
		return (prevSize == 0 || !hidden(prev)) && directs(before, after)
	case r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0x110bd, r == 0x110cd:
		return isJoining(next) || unicode.IsDigit(next) // a sign drawn around the digits or letters after it
	case r == 0x2800:
		return prev > 0x2800 && prev <= 0x28ff || next > 0x2800 && next <= 0x28ff // Braille between its cells
	}
	return false
}

// directs reports whether a direction mark between the two texts can do anything:
// a letter that runs from right to left is near, and it is not inside a word.
func directs(before, after string) bool {
	const near = 16
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if isLetter(prev) && isLetter(next) {
		return ofRightToLeft(prev) != ofRightToLeft(next)
	}
	for range near {
		r, size := utf8.DecodeLastRuneInString(before)
		before = before[:len(before)-size]
		if isLetter(r) {
			if ofRightToLeft(r) {
				return true
			}
			break
		}
	}
	for range near {
		r, size := utf8.DecodeRuneInString(after)
		after = after[size:]
		if isLetter(r) {
			return ofRightToLeft(r)
		}
	}
	return false
}

// A padding is a run of blanks that pushes what follows out of sight.
type padding struct{ from, to, lines, blanks int } // blanks: the most in one line

const (
	padBlanks    = 40 // in one line; real texts have 8
	padLineFeeds = 12 // real texts have 2
)

// findPaddings finds the runs of blanks in s, unusual ones and what is hidden among
// them, that have text behind them and padBlanks in one line or padLineFeeds.
func findPaddings(s string) []padding {
	var list []padding
	for i := padLineFeeds - 1; i < len(s); i += padLineFeeds { // no such run lies between two of these
		if s[i] > ' ' && s[i] < 0x7f {
			continue
		}
		p := padding{from: i}
		for !utf8.RuneStart(s[p.from]) {
			p.from--
		}
		for p.from > 0 {
			r, size := utf8.DecodeLastRuneInString(s[:p.from])
			if !isPadding(r) {
				break
			}
			p.from -= size
		}
		p.to = p.from + runSize(s[p.from:], isPadding)
		if p.to <= i {
			continue
		}
		i = p.to
		blanks := 0
		for _, r := range s[p.from:p.to] {
			switch r {
			case '\n', '\v', '\f', 0x85, 0x2028, 0x2029:
				p.lines++
				blanks = 0
			case ' ', '\t', 0x115f, 0x1160, 0x2800, 0x3164, 0xffa0:
				blanks++
			default:
				if unusualSpace(r) {
					blanks++
				}
			}
			p.blanks = max(p.blanks, blanks)
		}
		if p.to < len(s) && (p.lines >= padLineFeeds || p.blanks >= padBlanks) {
			list = append(list, p)
		}
	}
	return list
}

func isPadding(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || unusualSpace(r) || hidden(r) && !isPictograph(r)
}

const maxExcerpt = 160 // code points of the server's text in one detail

// An excerpt is s[from:to] for a detail. It says whether there is more on either
// side, and is made printable only where it is shown.
type excerpt struct {
	s        string
	from, to int
}

func (e excerpt) String() string {
	s, from, to := e.s, max(e.from, 0), min(e.to, len(e.s))
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	before, after, cut := "", "", ""
	if from > 0 {
		before = "…"
	}
	if to < len(s) {
		after = "…"
	}
	text := s[from:to]
	if n := utf8.RuneCountInString(text); n > maxExcerpt {
		end := 0
		for range maxExcerpt {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		text, cut = text[:end], fmt.Sprintf("<and %s more characters>", grouped(n-maxExcerpt))
	}
	text = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	return before + `"` + printable(text) + cut + `"` + after
}

// around is s[from:to] and n code points on both sides.
func around(s string, from, to, n int) excerpt {
	for range n {
		_, before := utf8.DecodeLastRuneInString(s[:from])
		_, after := utf8.DecodeRuneInString(s[to:])
		from, to = from-before, to+after
	}
	return excerpt{s, from, to}
}

// A textSource is a text as the detectors read it and as the server wrote it.
type textSource struct {
	text     string
	original string
	at       []int32 // where each byte of text is in original (foldText); nil: they are equal
}

func (s *textSource) excerpt(from, to int) excerpt {
	from, to = max(from, 0), min(to, len(s.text))
	if s.at != nil {
		from, to = int(s.at[from]), int(s.at[to])
	}
	return excerpt{s.original, from, to}
}

// isSmall reports whether s is a word of small letters, in which nothing can be.
func isSmall(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
