package text

import (
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// What is hidden is frozen at Unicode 15.0. It shapes the sanitized digest (a pinned value) and
// what is escaped on a terminal, so it must not follow the toolchain: the same definition has the
// same digests on every build. TestTables has the digest of the whole.

// assigned are the code points that Unicode 15.0 assigns.
var assigned = rangetable.Assigned("15.0.0")

// hiddenTable has the assigned ones that no reader sees: general categories Cf, Cc (but tab,
// line feed and carriage return), Co, Cs, Zl and Zp; the default-ignorable code points with the
// variation selectors and the tag block; the fillers U+115F, U+1160, U+3164 and U+FFA0; and the
// blank U+2800.
var hiddenTable = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0000, 0x0008, 1}, {0x000B, 0x000C, 1}, {0x000E, 0x001F, 1}, {0x007F, 0x009F, 1}, {0x00AD, 0x00AD, 1},
		{0x034F, 0x034F, 1}, {0x0600, 0x0605, 1}, {0x061C, 0x061C, 1}, {0x06DD, 0x06DD, 1}, {0x070F, 0x070F, 1},
		{0x0890, 0x0891, 1}, {0x08E2, 0x08E2, 1}, {0x115F, 0x1160, 1}, {0x17B4, 0x17B5, 1}, {0x180B, 0x180F, 1},
		{0x200B, 0x200F, 1}, {0x2028, 0x202E, 1}, {0x2060, 0x2064, 1}, {0x2066, 0x206F, 1}, {0x2800, 0x2800, 1},
		{0x3164, 0x3164, 1}, {0xD800, 0xF8FF, 1}, {0xFE00, 0xFE0F, 1}, {0xFEFF, 0xFEFF, 1}, {0xFFA0, 0xFFA0, 1},
		{0xFFF9, 0xFFFB, 1},
	},
	R32: []unicode.Range32{
		{0x110BD, 0x110BD, 1}, {0x110CD, 0x110CD, 1}, {0x13430, 0x1343F, 1}, {0x1BCA0, 0x1BCA3, 1}, {0x1D173, 0x1D17A, 1},
		{0xE0001, 0xE0001, 1}, {0xE0020, 0xE007F, 1}, {0xE0100, 0xE01EF, 1}, {0xF0000, 0xFFFFD, 1}, {0x100000, 0x10FFFD, 1},
	},
	LatinOffset: 5,
}

// IsMark reports whether a character is drawn onto the one before it: general categories Mn and Me, less
// what is hidden. No digest depends on it.
func IsMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) && !Hidden(r) }
