// Package text makes hostile text safe to print, knows which characters no reader sees, and formats counts and
// lists. Text from a capture or a lockfile is printed only through this package.
package text

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsHidden reports whether no reader sees r: hiddenTable contains it, or Unicode 15.0 doesn't assign it. Tab, line feed
// and carriage return are layout and not hidden.
func IsHidden(r rune) bool {
	return (r < 0x20 || r >= 0x7f) && (unicode.Is(hiddenTable(), r) || r >= 0 && !unicode.Is(assigned, r))
}

// UnusualSpace reports whether r is a space character that looks like a plain space.
func UnusualSpace(r rune) bool {
	switch r {
	case 0xa0, 0x1680, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// Obscures reports whether r strikes out the letter before it, or is a symbol that looks like a space: a reader
// misses something either way. These characters aren't in the frozen set of hidden ones, so no digest and no
// policy depends on them.
func Obscures(r rune) bool { return StrikesThrough(r) || isBlank(r) }

// isBlank reports whether r is a symbol that is shown as a space.
func isBlank(r rune) bool { return r == 0x1d159 || r == 0x16fe4 }

// StrikesThrough reports whether r is drawn through the letter before it: its combining class, which never changes, is
// 1 (overlay).
func StrikesThrough(r rune) bool {
	return r >= 0x334 && norm.NFC.PropertiesString(string(r)).CCC() == 1
}

// isConfusing reports whether a reader can overlook r or take it for an ordinary space. This includes characters that a
// terminal may draw as a space or over their neighbours: the object replacement character, and the controls that join
// or replace hieroglyphs.
func isConfusing(r rune) bool {
	return r < 0x20 || IsHidden(r) || UnusualSpace(r) || isBlank(r) || r == 0xfffc || r >= 0x13430 && r <= 0x1345f
}

// fitsOn reports whether a mark is drawn only above, below or next to base, neither through it nor around it. After a
// Latin or a common character, it accepts no mark of a specific script, because such a mark may join letters and be
// drawn over others.
func fitsOn(base, mark rune) bool {
	isOwn := unicode.Is(unicode.Inherited, mark) || !unicode.In(base, unicode.Latin, unicode.Common)
	return isOwn && !unicode.Is(unicode.Me, mark) && !StrikesThrough(mark)
}

func isTag(r rune) bool { return r >= 0xe0020 && r <= 0xe007e }

func isSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// Printable shows a longer run than these as a count, and further combining marks as escapes, so that nothing is pushed
// out of sight. Code examples are indented by less than 16 columns, and no living orthography stacks four marks on one
// letter.
const (
	maxSpaces    = 16
	maxLineFeeds = 3
	maxSame      = 8
	maxMarks     = 4

	// The maximum number of code points of a name that are printed. The others are counted.
	MaxName = 128

	// The same limit for a JSON Pointer, which is cut in the middle. Published servers have pointers of up to 183.
	maxPointer = 256
)

// Printable returns s on one line. Everything that a reader could miss, misread or be fooled by
// becomes a visible escape:
//
//	<U+200B>                        a character no reader sees, an unusual space, a stray mark, one of another script, what is drawn
//	                                through a letter or around it
//	<byte FF>                       a byte that is not UTF-8
//	<12 of U+200B>                  a long run of one such character
//	<40 spaces>                     a long run of spaces
//	<5 tag characters: "hello">     a run of tag characters, decoded
//	<5 variation selectors: "…">    a run of selectors that spells text, decoded
//
// If the text contains the beginning of such an escape, or of the marks [- and {+ of a word diff, its first character
// is escaped. So is the bracket of "##[", which begins a command in CI logs. Two texts give the same result only if
// they are equal.
func Printable(s string) string { return string(AppendPrintable(nil, s, false)) }

// AppendPrintable appends s as Printable returns it. With asciiOnly it also escapes all that is
// not ASCII.
func AppendPrintable(dst []byte, s string, asciiOnly bool) []byte {
	// A combining mark at the start would be drawn onto our own text.
	marks := maxMarks
	base := rune(0) // the last character that isn't a mark
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		// A combining mark after an escape would be drawn onto our own text, too.
		next := maxMarks
		switch {
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, "<byte %02X>", s[i])
		case r == ' ':
			n := runLength(s[i:], r)
			if n > maxSpaces {
				dst = fmt.Appendf(dst, "<%d spaces>", n)
			} else {
				dst = append(dst, s[i:i+n]...)
			}
			size = n
			next = 0
		case isTag(r):
			size = RunSize(s[i:], isTag)
			text := strings.Map(func(r rune) rune { return r - 0xe0000 }, s[i:i+size])
			dst = appendDecoded(dst, "tag character", text, asciiOnly)
		case isSelector(r):
			size = RunSize(s[i:], isSelector)
			if text := spelled(s[i : i+size]); text != "" {
				dst = appendDecoded(dst, "variation selector", text, asciiOnly)
			} else {
				dst = appendSame(dst, s[i:i+size])
			}
		case isConfusing(r) || asciiOnly && r > 0x7e:
			size *= runLength(s[i:], r)
			dst = appendSame(dst, s[i:i+size])
		case r > 0x7e && IsCombiningMark(r):
			if marks >= maxMarks || !fitsOn(base, r) {
				size *= runLength(s[i:], r)
				dst = appendSame(dst, s[i:i+size])
			} else {
				dst = append(dst, s[i:i+size]...)
				next = marks + 1
			}
		case r == '<' && SpellsMark(rest),
			r == '[' && (strings.HasPrefix(rest, "-") || BracketStartsCICommand(s[:i])),
			r == '{' && strings.HasPrefix(rest, "+"):
			dst = appendEscape(dst, r)
		default:
			dst = append(dst, s[i:i+size]...)
			base = r
			next = 0
		}
		i = i + size
		marks = next
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte { return fmt.Appendf(dst, "<U+%04X>", r) }

// appendSame escapes every character of s, and a long run of the same one as a count.
func appendSame(dst []byte, s string) []byte {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		n := runLength(s, r)
		if n > maxSame {
			dst = fmt.Appendf(dst, "<%d of U+%04X>", n, r)
		} else {
			for range n {
				dst = appendEscape(dst, r)
			}
		}
		s = s[n*size:]
	}
	return dst
}

// appendDecoded writes a text that was smuggled as invisible characters of one kind, one for each byte.
func appendDecoded(dst []byte, kind, text string, asciiOnly bool) []byte {
	if len(text) > 1 {
		kind += "s"
	}
	dst = fmt.Appendf(dst, "<%d %s: \"", len(text), kind)
	dst = AppendPrintable(dst, quoteEscapes.Replace(text), asciiOnly)
	return append(dst, `">`...)
}

// quoteEscapes escapes what would end a text in quotes.
var quoteEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// spelled returns the text that a run of variation selectors spells, or "". Smuggled text has
// one selector for each byte: VS1 to VS16 are 0 to 15, VS17 to VS256 the rest. A text is at
// least two bytes of UTF-8, with every character visible.
func spelled(run string) string {
	var text []byte
	for _, r := range run {
		if r >= 0xe0100 {
			r += 0xfe10 - 0xe0100 // so that VS17 follows VS16
		}
		text = append(text, byte(r-0xfe00))
	}
	unseen := func(r rune) bool { return r < 0x20 || IsHidden(r) }
	if len(text) < 2 || !utf8.Valid(text) || bytes.ContainsFunc(text, unseen) {
		return ""
	}
	return string(text)
}

// BracketStartsCICommand reports whether a bracket after s would begin a command of a CI log:
// "##[group]" (GitHub, Azure Pipelines), "##vso[task…]" (Azure Pipelines).
func BracketStartsCICommand(s string) bool {
	return strings.HasSuffix(strings.TrimRight(s, letters), "##")
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// SpellsMark reports whether "<" before rest would look like a mark that we print, such as <U+200B>.
func SpellsMark(rest string) bool {
	if strings.HasPrefix(rest, "U+") || strings.HasPrefix(rest, "byte ") || strings.HasPrefix(rest, "and ") {
		return true
	}
	digits := strings.TrimLeft(rest, "0123456789")
	return len(digits) < len(rest) && strings.HasPrefix(digits, " ")
}

// RunSize returns the size in bytes of the longest prefix of s whose characters are all in class.
func RunSize(s string, class func(rune) bool) int {
	return len(s) - len(strings.TrimLeftFunc(s, class))
}

// runLength counts how often s repeats r at its start. Bytes that are not UTF-8 decode as U+FFFD, but don't count as a
// U+FFFD.
func runLength(s string, r rune) int {
	n := 0
	c := string(r)
	for strings.HasPrefix(s[n*len(c):], c) {
		n++
	}
	return n
}

// PrintableLines is Printable for text that is shown on several lines. It breaks the text at each line feed, spells out
// the spaces at the end of a line, and shows a long run of line feeds as a line with their count.
func PrintableLines(s string, asciiOnly bool) (lines []string) {
	for {
		before, after, long := strings.Cut(s, strings.Repeat("\n", maxLineFeeds+1))
		for line := range strings.SplitSeq(before, "\n") {
			kept := strings.TrimRight(line, " ")
			lines = append(lines, string(AppendPrintable(nil, kept, asciiOnly))+SpellWhitespace(line[len(kept):]))
		}
		if !long {
			return lines
		}
		more := runLength(after, '\n')
		lines = append(lines, fmt.Sprintf("<%d line feeds>", maxLineFeeds+1+more))
		s = after[more:]
	}
}

// SpellWhitespace spells out whitespace: each run of spaces, tabs or line feeds becomes "<2 spaces>" or the like. It
// escapes other characters.
func SpellWhitespace(s string) string {
	var spelled []byte
	for s != "" {
		noun := map[byte]string{' ': "space", '\t': "tab", '\n': "line feed"}[s[0]]
		n := 1
		if noun != "" {
			n = runLength(s, rune(s[0]))
			spelled = fmt.Appendf(spelled, "<%s>", FormatCount(n, noun))
		} else {
			spelled = AppendPrintable(spelled, s[:n], true)
		}
		s = s[n:]
	}
	return string(spelled)
}

// QuoteName returns the name of a tool, a server or a member for a line that we print. A name with other characters
// than [A-Za-z0-9_./~@-] gets double quotes, and its non-ASCII characters are escaped, so that look-alike letters are
// visible and no field can be forged.
func QuoteName(s string) string {
	if s != "" && len(s) <= MaxName && IsAlnumOr(s, "_./~@-") {
		return s
	}
	return quotedEnds(s, MaxName, 0)
}

// IsAlnumOr reports whether s has nothing but ASCII letters, digits and these signs.
func IsAlnumOr(s, signs string) bool {
	return strings.TrimLeft(s, letters+"0123456789"+signs) == ""
}

// quotedEnds quotes s. If s has more than head+tail code points, it replaces the middle by a count and the first 12
// bytes of the digest of s, which distinguish s from other texts with the same ends.
func quotedEnds(s string, head, tail int) string {
	// A reader can't see how many spaces there are where a line is wrapped.
	printed := func(s string) string {
		return strings.ReplaceAll(string(AppendPrintable(nil, quoteEscapes.Replace(s), true)), "  ", " <U+0020>")
	}
	var starts []int // the offsets of the code points
	for at := range s {
		starts = append(starts, at)
	}
	left := len(starts) - head - tail
	if left <= 0 {
		return `"` + printed(s) + `"`
	}
	starts = append(starts, len(s))
	digest := sha256.Sum256([]byte(s))
	cut := fmt.Sprintf("<and %s, sha256 %x>", FormatCount(left, "more character"), digest[:12])
	return `"` + printed(s[:starts[head]]) + cut + printed(s[starts[head+left]:]) + `"`
}

// QuoteNames quotes each name in a list, as QuoteName does.
func QuoteNames(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = QuoteName(n)
	}
	return quoted
}

// QuotePointer is like QuoteName, for a JSON Pointer: "$" is common there and needs no quotes, and a long pointer is
// cut in the middle, because its end is more important. The empty pointer, to the whole value, stays empty.
func QuotePointer(pointer string) string {
	if len(pointer) <= maxPointer && IsAlnumOr(pointer, "_./~@-$") {
		return pointer
	}
	return quotedEnds(pointer, maxPointer/4, maxPointer*3/4)
}

// QuoteWholePointer is like QuotePointer, but doesn't shorten a long one.
func QuoteWholePointer(pointer string) string {
	if len(pointer) <= maxPointer {
		return QuotePointer(pointer)
	}
	return quotedEnds(pointer, len(pointer), 0)
}

// IsAlnum reports whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// FormatNumber writes n with a comma between groups of three digits.
func FormatNumber(n int) string {
	if -1000 < n && n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", FormatNumber(n/1000), max(n%1000, -(n%1000)))
}

// FormatSigned writes n like FormatNumber, with its sign.
func FormatSigned(n int) string { return strings.Replace("+"+FormatNumber(n), "+-", "-", 1) }

// JoinSpaced puts two spaces before each part that isn't empty.
func JoinSpaced(parts ...string) (text string) {
	for _, part := range parts {
		if part != "" {
			text += "  " + part
		}
	}
	return text
}

// FormatCount writes a count with its noun: "1 tool", "1,200 tools".
func FormatCount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ry") {
		return FormatNumber(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return FormatNumber(n) + " " + noun + "s"
}

// JoinNames lists the first few names and counts the rest.
func JoinNames(names []string, most int) string {
	return JoinFirstNames(names[:min(len(names), most)], len(names))
}

// JoinFirstNames lists the names, which are the first of count names, and counts the rest.
func JoinFirstNames(names []string, count int) string {
	list := strings.Join(names, ", ")
	if left := count - len(names); left > 0 {
		list += " and " + FormatNumber(left) + " more"
	}
	return list
}
