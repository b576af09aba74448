package lint

import (
	"strings"
	"sync"
	"unicode"

	"pinproof/internal/text"
)

// pictographTable is the property Extended_Pictographic of emoji-data 15.0 (UTS #51). It
// includes reserved code points, which emoji of later versions come from.
var pictographTable = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00a9, 0x00a9, 1}, {0x00ae, 0x00ae, 1}, {0x203c, 0x203c, 1}, {0x2049, 0x2049, 1}, {0x2122, 0x2122, 1},
		{0x2139, 0x2139, 1}, {0x2194, 0x2199, 1}, {0x21a9, 0x21aa, 1}, {0x231a, 0x231b, 1}, {0x2328, 0x2328, 1},
		{0x2388, 0x2388, 1}, {0x23cf, 0x23cf, 1}, {0x23e9, 0x23f3, 1}, {0x23f8, 0x23fa, 1}, {0x24c2, 0x24c2, 1},
		{0x25aa, 0x25ab, 1}, {0x25b6, 0x25b6, 1}, {0x25c0, 0x25c0, 1}, {0x25fb, 0x25fe, 1}, {0x2600, 0x2605, 1},
		{0x2607, 0x2612, 1}, {0x2614, 0x2685, 1}, {0x2690, 0x2705, 1}, {0x2708, 0x2712, 1}, {0x2714, 0x2714, 1},
		{0x2716, 0x2716, 1}, {0x271d, 0x271d, 1}, {0x2721, 0x2721, 1}, {0x2728, 0x2728, 1}, {0x2733, 0x2734, 1},
		{0x2744, 0x2744, 1}, {0x2747, 0x2747, 1}, {0x274c, 0x274c, 1}, {0x274e, 0x274e, 1}, {0x2753, 0x2755, 1},
		{0x2757, 0x2757, 1}, {0x2763, 0x2767, 1}, {0x2795, 0x2797, 1}, {0x27a1, 0x27a1, 1}, {0x27b0, 0x27b0, 1},
		{0x27bf, 0x27bf, 1}, {0x2934, 0x2935, 1}, {0x2b05, 0x2b07, 1}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b50, 1},
		{0x2b55, 0x2b55, 1}, {0x3030, 0x3030, 1}, {0x303d, 0x303d, 1}, {0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1f000, 0x1f0ff, 1}, {0x1f10d, 0x1f10f, 1}, {0x1f12f, 0x1f12f, 1}, {0x1f16c, 0x1f171, 1}, {0x1f17e, 0x1f17f, 1},
		{0x1f18e, 0x1f18e, 1}, {0x1f191, 0x1f19a, 1}, {0x1f1ad, 0x1f1e5, 1}, {0x1f201, 0x1f20f, 1}, {0x1f21a, 0x1f21a, 1},
		{0x1f22f, 0x1f22f, 1}, {0x1f232, 0x1f23a, 1}, {0x1f23c, 0x1f23f, 1}, {0x1f249, 0x1f3fa, 1}, {0x1f400, 0x1f53d, 1},
		{0x1f546, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f774, 0x1f77f, 1}, {0x1f7d5, 0x1f7ff, 1}, {0x1f80c, 0x1f80f, 1},
		{0x1f848, 0x1f84f, 1}, {0x1f85a, 0x1f85f, 1}, {0x1f888, 0x1f88f, 1}, {0x1f8ae, 0x1f8ff, 1}, {0x1f90c, 0x1f93a, 1},
		{0x1f93c, 0x1f945, 1}, {0x1f947, 0x1faff, 1}, {0x1fc00, 0x1fffd, 1},
	},
}

// Classes of letters, without the hidden ones. Each is one merged table.
var (
	// isLetter is true for letters and the marks on them.
	isLetter = classOf(unicode.L, unicode.M)

	// ofJoining is true for scripts whose letters join or form conjuncts, which ZWJ and
	// ZWNJ control (Unicode 15.0, section 23.2).
	ofJoining = classOf(
		unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam, unicode.Hanifi_Rohingya,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Chakma,
		unicode.Grantha, unicode.Tirhuta, unicode.Newa, unicode.Sharada, unicode.Meetei_Mayek)

	// ofUnspaced is true for scripts without blanks between words, which break lines at ZWSP
	// (U+200B) and not at a word joiner (U+2060).
	ofUnspaced = classOf(unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)

	isIdeograph = classOf(unicode.Han)
	ofMongolian = classOf(unicode.Mongolian)

	ofRightToLeft = classOf(
		unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya)
)

// regionFlags replaces each character of the flags of England, Scotland and Wales by a plain flag.
// Nobody draws other flags that are spelled in tags, so all other tags are text that no reader sees.
var regionFlags = sync.OnceValue(func() *strings.Replacer {
	flags := strings.Repeat("\U0001F3F4", 7)
	var pairs []string
	for _, flag := range text.RegionFlags {
		pairs = append(pairs, flag, flags)
	}
	return strings.NewReplacer(pairs...)
})
