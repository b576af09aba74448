package text

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/jsontest"
)

// TestPrintable prints the texts in testdata/printable.txt.
func TestPrintable(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/printable.txt", 3) {
		t.Run(row[0], func(t *testing.T) {
			if got := Printable(row[1]); got != row[2] {
				t.Errorf("printable(%+q)\ngot  %+q\nwant %+q", row[1], got, row[2])
			}
		})
	}
}

func TestPrintableLines(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one", []string{"one"}},
		{"one\ntwo\n", []string{"one", "two", ""}},
		{"a\n\n\nb", []string{"a", "", "", "b"}},
		{"a\n\n\n\nb", []string{"a", "<4 line feeds>", "b"}},
		{strings.Repeat("\n", 500), []string{"", "<500 line feeds>", ""}},
		{"a\r\nb\x1b", []string{"a<U+000D>", "b<U+001B>"}},
		{"a\n<4 line feeds>\n::error::b", []string{"a", "<U+003C>4 line feeds>", "::error::b"}},
		{"a\n\u0301b", []string{"a", "<U+0301>b"}},
		{"a \nb", []string{"a<1 space>", "b"}},
		{"a<1 space>\nb  ", []string{"a<U+003C>1 space>", "b<2 spaces>"}},
	} {
		if got := PrintableLines(tt.text, false); !slices.Equal(got, tt.want) {
			t.Errorf("printableLines(%q, false)\ngot  %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// FuzzPrintable: printable text hides nothing, and can be read back.
func FuzzPrintable(f *testing.F) {
	for _, s := range jsontest.HostileTexts {
		f.Add(s)
	}
	f.Add(" ") // one space has its own word: "<1 space>"
	f.Add("a<1 space>\nb<2 spaces> ")
	f.Fuzz(func(t *testing.T, s string) {
		shown := Printable(s)
		jsontest.CheckVisible(t, shown)
		if back := jsontest.ParsePrintable(t, shown); back != s {
			t.Fatalf("%+q is shown as %+q, which reads as %+q", s, shown, back)
		}
		ascii := string(AppendPrintable(nil, s, true))
		if strings.ContainsFunc(ascii, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			t.Fatalf("%+q is shown in ASCII as %+q", s, ascii)
		}
		if back := jsontest.ParsePrintable(t, ascii); back != s {
			t.Fatalf("%+q is shown in ASCII as %+q, which reads as %+q", s, ascii, back)
		}
		var back strings.Builder
		wasText := false // the line before was one of text, not a count
		for _, line := range PrintableLines(s, false) {
			jsontest.CheckVisible(t, line)
			if m := jsontest.LineFeeds.FindStringSubmatch(line); m != nil {
				n, _ := strconv.Atoi(m[1])
				back.WriteString(strings.Repeat("\n", n))
				wasText = false
				continue
			}
			if wasText {
				back.WriteByte('\n')
			}
			back.WriteString(jsontest.ParsePrintable(t, line))
			wasText = true
		}
		if back.String() != s {
			t.Fatalf("%+q is shown in lines as %+q, which read as %+q", s, PrintableLines(s, false), back.String())
		}
	})
}

// TestNoTwoTextsLookAlike renders every short text that is made of the parts that
// are most likely to collide.
func TestNoTwoTextsLookAlike(t *testing.T) {
	t.Parallel()
	alphabet := []string{"<", "U+", ">", "2", " of ", "##", "[", "-", `"`, "\u0301", "\u200b", "\U000e0022", "\U000e0151", "\xff", "\n"}
	seen := map[string]string{}
	var try func(s string, left int)
	try = func(s string, left int) {
		for _, shown := range []string{Printable(s), strings.Join(PrintableLines(s, false), "\n") + "\x00lines"} {
			if other, ok := seen[shown]; ok && other != s {
				t.Fatalf("%+q and %+q are both shown as %+q", s, other, shown)
			}
			seen[shown] = s
		}
		if left > 0 {
			for _, part := range alphabet {
				try(s+part, left-1)
			}
		}
	}
	try("", 4)
}

// TestQuotedPointer: a long pointer keeps its end, which tells it from its neighbours.
func TestQuotedPointer(t *testing.T) {
	long := strings.Repeat("/a b", 80) // 320 characters
	for pointer, want := range map[string]string{
		"":                                 "",
		"/$defs/x":                         "/$defs/x",
		"/a b":                             `"/a b"`,
		long[:256]:                         `"` + long[:256] + `"`,
		long[:248] + "/" + long:            `"` + long[:64] + `<and 313 more characters, sha256 29820b46ce86b9457951d0b4>` + long[128:] + `"`,
		long + "/\u200b<U+":                `"` + long[:64] + "<and 69 more characters, sha256 7260a68f9a749328a6265b5d>" + long[133:] + `/<U+200B><U+003C>U+"`,
		strings.Repeat("/a/$b", 51):        strings.Repeat("/a/$b", 51),
		strings.Repeat("/a/$b", 51) + "/a": `"` + strings.Repeat("/a/$b", 51)[:64] + "<and 1 more character, sha256 b3de029f66c43894784e50c8>" + strings.Repeat("/a/$b", 51)[65:] + `/a"`,
	} {
		if got := QuotePointer(pointer); got != want {
			t.Errorf("%q is %s, want %s", pointer, got, want)
		}
	}
}

func TestQuotedName(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/names.txt", 2) {
		if got := QuoteName(row[0]); got != row[1] {
			t.Errorf("quotedName(%+q)\ngot  %s\nwant %s", row[0], got, row[1])
		}
	}
}

// FuzzQuotedName: a name in a line of ours is ASCII, closed, and read back whole.
func FuzzQuotedName(f *testing.F) {
	for _, s := range jsontest.HostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown := QuoteName(s)
		if strings.ContainsFunc(shown, func(r rune) bool { return r < 0x20 || r > 0x7e }) || strings.Contains(shown, "##[") {
			t.Fatalf("%+q is named %+q", s, shown)
		}
		if utf8.RuneCountInString(s) > MaxName {
			return
		}
		back := shown
		if strings.HasPrefix(shown, `"`) {
			if len(shown) < 2 || !strings.HasSuffix(shown, `"`) {
				t.Fatalf("%+q is named %s", s, shown)
			}
			back = regexp.MustCompile(`\\(.)`).ReplaceAllString(jsontest.ParsePrintable(t, shown[1:len(shown)-1]), "$1")
		} else if strings.ContainsAny(shown, " =\"\\,:;|<>") {
			t.Fatalf("%+q is named %s, without quotes", s, shown)
		}
		if back != s {
			t.Fatalf("%+q is named %s, which reads as %+q", s, shown, back)
		}
	})
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0 tools", 1: "1 tool", 2: "2 tools", 999: "999 tools", 1000: "1,000 tools", 1234567: "1,234,567 tools"} {
		if got := FormatCount(n, "tool"); got != want {
			t.Errorf("plural(%d) = %s", n, got)
		}
	}
	for n, want := range map[int]string{-1: "-1", -999: "-999", -1000: "-1,000", 100_000: "100,000"} {
		if got := FormatNumber(n); got != want {
			t.Errorf("grouped(%d) = %s", n, got)
		}
	}
}

// TestTables compares the frozen tables with what another implementation of
// Unicode 15.0 came to. If the toolchain has the tables of that version, it also
// derives them again.
func TestTables(t *testing.T) {
	jsontest.SkipShort(t, "it goes through all of Unicode")
	for _, tt := range []struct {
		name  string
		has   func(rune) bool
		runes int
		sum   string // SHA-256 of the lines LO-HI in hex, at least four digits
	}{
		{"hidden", IsHidden, 965_363, "9cd7dea83caf9c05f93cbaefa77e1275a6588d19a90b5291a41aa2c29cc20d0a"},
		{"mark", IsCombiningMark, 1_735, "4a223e91c9bc0e3e4cada6f5127e83df81fadaa6a3676f9cecba3431c088b4c8"},
	} {
		sum, runes := sha256.New(), 0
		for r := rune(0); r <= unicode.MaxRune; r++ {
			lo := r
			for r <= unicode.MaxRune && tt.has(r) {
				r++
			}
			if r > lo {
				fmt.Fprintf(sum, "%04X-%04X\n", lo, r-1)
				runes += int(r - lo)
			}
		}
		if got := hex.EncodeToString(sum.Sum(nil)); runes != tt.runes || got != tt.sum {
			t.Errorf("%s table: %d code points, %s; want %d, %s", tt.name, runes, got, tt.runes, tt.sum)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if got := unicode.Is(unicode.Zs, r) && r != ' '; UnusualSpace(r) != got { // Zs hasn't changed since Unicode 6.3
			t.Fatalf("unusualSpace(U+%04X) = %v", r, UnusualSpace(r))
		}
	}
	if unicode.Version != "15.0.0" {
		t.Skipf("the toolchain has Unicode %s, the tables 15.0.0", unicode.Version)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		unseen := unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
			!unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z) // unassigned, noncharacters
		switch r {
		case '\t', '\n', '\r':
			unseen = false
		case 0x2800, 0x115f, 0x1160, 0x3164, 0xffa0:
			unseen = true
		}
		if IsHidden(r) != unseen {
			t.Errorf("hidden(U+%04X) = %v", r, IsHidden(r))
		}
		if mark := unicode.In(r, unicode.Mn, unicode.Me) && !unseen; IsCombiningMark(r) != mark {
			t.Errorf("U+%04X is in the mark table: %v", r, !mark)
		}
	}
}
