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

// IsCombiningMark reports whether a character is drawn onto the one before it: general categories Mn and Me, except
// hidden characters. No digest depends on it.
func IsCombiningMark(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Mn, unicode.Me) && !IsHidden(r)
}
