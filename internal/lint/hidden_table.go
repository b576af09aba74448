package lint

import (
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// pictographTable is the property Extended_Pictographic of emoji-data 15.0 (UTS #51). It includes the code points that
// are reserved for emoji of later versions.
var pictographTable = sync.OnceValue(func() *unicode.RangeTable { return tableOf(pictographs) })

const pictographs = `a9 ae 203c 2049 2122 2139 2194-2199 21a9-21aa 231a-231b 2328 2388 23cf 23e9-23f3 23f8-23fa 24c2 25aa-25ab 25b6 25c0 25fb-25fe
	2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271d 2721 2728 2733-2734 2744 2747 274c 274e 2753-2755 2757
	2763-2767 2795-2797 27a1 27b0 27bf 2934-2935 2b05-2b07 2b1b-2b1c 2b50 2b55 3030 303d 3297 3299 1f000-1f0ff 1f10d-1f10f 1f12f
	1f16c-1f171 1f17e-1f17f 1f18e 1f191-1f19a 1f1ad-1f1e5 1f201-1f20f 1f21a 1f22f 1f232-1f23a 1f23c-1f23f 1f249-1f3fa 1f400-1f53d
	1f546-1f64f 1f680-1f6ff 1f774-1f77f 1f7d5-1f7ff 1f80c-1f80f 1f848-1f84f 1f85a-1f85f 1f888-1f88f 1f8ae-1f8ff 1f90c-1f93a
	1f93c-1f945 1f947-1faff 1fc00-1fffd`

// tableOf returns a table of the code points and ranges in a list of hexadecimal numbers.
func tableOf(ranges string) *unicode.RangeTable {
	var runes []rune
	for one := range strings.FieldsSeq(ranges) {
		first, last, isRange := strings.Cut(one, "-")
		if !isRange {
			last = first
		}
		lo, _ := strconv.ParseInt(first, 16, 32)
		hi, _ := strconv.ParseInt(last, 16, 32)
		for r := lo; r <= hi; r++ {
			runes = append(runes, rune(r))
		}
	}
	return rangetable.New(runes...)
}

// Classes of letters, without the hidden ones.
var (
	// isLetter is true for letters and the marks on them.
	isLetter = classOf("L M")

	// ofJoining is true for scripts whose letters join or form conjuncts, which ZWJ and
	// ZWNJ control (Unicode 15.0, section 23.2).
	ofJoining = classOf(`Arabic Syriac Mandaic Nko Mongolian Phags_Pa Adlam Hanifi_Rohingya Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu
	Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese Chakma Grantha Tirhuta Newa Sharada Meetei_Mayek`)

	// ofUnspaced is true for scripts written without spaces between words, which break lines at ZWSP (U+200B) and
	// not at a word joiner (U+2060).
	ofUnspaced = classOf("Thai Lao Khmer Myanmar")

	isIdeograph = classOf("Han")
	ofMongolian = classOf("Mongolian")

	// isBrailleCell is false for the Braille blank (U+2800), which is hidden.
	isBrailleCell = classOf("Braille")

	ofRightToLeft = classOf("Hebrew Arabic Syriac Thaana Nko Samaritan Mandaic Adlam Hanifi_Rohingya")
)
