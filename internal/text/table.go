package text

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// The set of hidden characters is frozen at Unicode 15.0. The sanitized digest (a pinned value) and the escapes
// on a terminal depend on it, so it must not follow the toolchain: the same definition has the same digests on
// every build. TestTables checks a digest of all tables.

// assigned are the code points that Unicode 15.0 assigns.
var assigned = rangetable.Assigned("15.0.0")

//go:embed hidden.txt
var hiddenRanges string

// hiddenTable has the assigned code points that no reader sees.
var hiddenTable = sync.OnceValue(func() *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for line := range strings.Lines(hiddenRanges) {
		first, last, isRange := strings.Cut(strings.TrimSpace(line), "..")
		if !isRange {
			continue // a comment
		}
		from, _ := strconv.ParseUint(first, 16, 32)
		to, _ := strconv.ParseUint(last, 16, 32)
		if to <= 0xffff {
			t.R16 = append(t.R16, unicode.Range16{Lo: uint16(from), Hi: uint16(to), Stride: 1})
		} else {
			t.R32 = append(t.R32, unicode.Range32{Lo: uint32(from), Hi: uint32(to), Stride: 1})
		}
	}
	return t
})

// overlays are the marks of combining class 1, which is that of overlays, and never changes.
var overlays = &unicode.RangeTable{
	R16: []unicode.Range16{{0x334, 0x338, 1}, {0x1cd4, 0x1cd4, 1}, {0x1ce2, 0x1ce8, 1}, {0x20d2, 0x20d3, 1}, {0x20d8, 0x20da, 1}, {0x20e5, 0x20e6, 1}, {0x20ea, 0x20eb, 1}},
	R32: []unicode.Range32{{0x10a39, 0x10a39, 1}, {0x16af0, 0x16af4, 1}, {0x1bc9e, 0x1bc9e, 1}, {0x1d167, 0x1d169, 1}},
}

// IsCombiningMark reports whether a character is drawn onto the one before it: general categories Mn and Me, less
// what is hidden. No digest depends on it.
func IsCombiningMark(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Mn, unicode.Me) && !IsHidden(r)
}
