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

	"golang.org/x/text/unicode/norm"

	"pinproof/internal/jsontest"
)

// TestStrikes: the overlays are the characters of combining class 1 that golang.org/x/text knows.
func TestStrikes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if want := norm.NFC.PropertiesString(string(r)).CCC() == 1; StrikesThrough(r) != want {
			t.Errorf("%U: %t", r, StrikesThrough(r))
		}
	}
}

func TestPrintable(t *testing.T) {
	tags := func(s string) string {
		return strings.Map(func(r rune) rune { return r + 0xe0000 }, s)
	}
	selectors := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(0xe0100 + rune(s[i]) - 16)
		}
		return b.String()
	}
	tests := []struct{ class, text, want string }{
		{"nothing", "", ""},
		{"plain text", "Lists a folder. (See RFC 6901: `~1`.)", "Lists a folder. (See RFC 6901: `~1`.)"},
		{"letters of many scripts", "größe имя 名前 שם اسم नाम 한글", "größe имя 名前 שם اسم नाम 한글"},
		{"a decomposed letter", "cafe\u0301", "cafe\u0301"},
		{"emoji, symbols, U+FFFD itself", "👍🏽 → ∑ \ufffd", "👍🏽 → ∑ \ufffd"},

		{"C0: NUL", "a\x00b", "a<U+0000>b"},
		{"C0: tab, line feed, carriage return", "a\tb\nc\rd", "a<U+0009>b<U+000A>c<U+000D>d"},
		{"C0: backspace", "safe\b\b", "safe<U+0008><U+0008>"},
		{"ESC", "\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"},
		{"DEL", "a\x7f", "a<U+007F>"},
		{"C1: CSI and NEL", "\u009b2J\u0085", "<U+009B>2J<U+0085>"},
		{"not UTF-8", "a\xff\xc3(", "a<byte FF><byte C3>("},
		{"a surrogate in UTF-8", "\xed\xa0\x80", "<byte ED><byte A0><byte 80>"},

		{"strokes", "s\u0336k\u0335ip\u20e5", "s<U+0336>k<U+0335>ip<U+20E5>"},
		{"symbols that show as blanks", "a\U0001d159b\U00016fe4\U0001d173", "a<U+1D159>b<U+16FE4><U+1D173>"},
		{"zero width space, joiner, no-break", "a\u200bb\u200dc\ufeff", "a<U+200B>b<U+200D>c<U+FEFF>"},
		{"soft hyphen, word joiner, invisible times", "a\u00ad\u2060\u2062", "a<U+00AD><U+2060><U+2062>"},
		{"Arabic number sign, a format character that is seen", "\u0600", "<U+0600>"},
		{"bidi overrides", "a\u202eb\u202cc", "a<U+202E>b<U+202C>c"},
		{"bidi isolates", "\u2066a\u2069", "<U+2066>a<U+2069>"},
		{"bidi marks", "\u200e\u200f\u061c", "<U+200E><U+200F><U+061C>"},
		{"line and paragraph separator", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"},
		{"Hangul fillers", "\u115f\u1160\u3164\uffa0", "<U+115F><U+1160><U+3164><U+FFA0>"},
		{"the blank Braille pattern", "\u2800", "<U+2800>"},
		{"a Braille pattern that is seen", "\u2801", "\u2801"},
		{"combining grapheme joiner", "a\u034fb", "a<U+034F>b"},
		{"Khmer inherent vowels", "\u17b4\u17b5", "<U+17B4><U+17B5>"},
		{"Mongolian vowel separator", "\u180e", "<U+180E>"},
		{"private use", "\ue000\U000f0000\U0010fffd", "<U+E000><U+F0000><U+10FFFD>"},
		{"unassigned", "\u0378\U000323b0", "<U+0378><U+323B0>"},
		{"noncharacters", "\ufdd0\ufffe\U0001ffff", "<U+FDD0><U+FFFE><U+1FFFF>"},
		{"assigned only after Unicode 15.0", "\u2ffc\U000105c0", "<U+2FFC><U+105C0>"},

		{"no-break space", "a\u00a0b", "a<U+00A0>b"},
		{"other spaces", "\u1680\u2000\u2007\u200a\u202f\u205f\u3000", "<U+1680><U+2000><U+2007><U+200A><U+202F><U+205F><U+3000>"},
		{"16 spaces", "a" + strings.Repeat(" ", 16) + "b", "a                b"},
		{"17 spaces", "a" + strings.Repeat(" ", 17) + "b", "a<17 spaces>b"},
		{"2,000 spaces", strings.Repeat(" ", 2_000), "<2000 spaces>"},
		{"8 of one character", strings.Repeat("\u200b", 8), strings.Repeat("<U+200B>", 8)},
		{"9 of one character", strings.Repeat("\u200b", 9) + "x", "<9 of U+200B>x"},
		{"2,000 line feeds", "a" + strings.Repeat("\n", 2_000) + "b", "a<2000 of U+000A>b"},
		{"two long runs", strings.Repeat("\u200b", 9) + strings.Repeat("\u200c", 10), "<9 of U+200B><10 of U+200C>"},

		{"one tag character", "a" + tags("x") + "b", `a<1 tag character: "x">b`},
		{"tags that spell text", "a" + tags("ignore all") + "b", `a<10 tag characters: "ignore all">b`},
		{"tags that spell quotes", tags(`say "hi" \`), `<10 tag characters: "say \"hi\" \\">`},
		{"tags that spell our marks", tags(`<U+200B>[-x-]">`), `<15 tag characters: "<U+003C>U+200B><U+005B>-x-]\">">`},
		{"tags that spell many spaces", tags(strings.Repeat(" ", 20)), `<20 tag characters: "<20 spaces>">`},
		{"language tag and cancel tag", "\U000e0001\U000e007f", "<U+E0001><U+E007F>"},
		{"the flag of Wales", "🏴" + tags("gbwls") + "\U000e007f", `🏴<5 tag characters: "gbwls"><U+E007F>`},
		{"an emoji and its selector", "❤\ufe0f", "❤<U+FE0F>"},
		{"selectors that spell text", "😀" + selectors("do it"), `😀<5 variation selectors: "do it">`},
		{"selectors that spell UTF-8", selectors("né"), `<3 variation selectors: "né">`},
		{"selectors that spell what is hidden", selectors("a\u200b"), "<U+E0151><U+E01D2><U+E0170><U+E017B>"},
		{"selectors that spell nothing", "\ufe00\ufe01", "<U+FE00><U+FE01>"},
		{"one selector beyond VS16", "\U000e0151", "<U+E0151>"},
		{"many selectors that spell nothing", strings.Repeat("\ufe0f", 20), "<20 of U+FE0F>"},

		{"a stray mark", "\u0301x", "<U+0301>x"},
		{"a mark behind a mark of ours", "\u200b\u0301", "<U+200B><U+0301>"},
		{"a mark on a space", " \u0301", " \u0301"},
		{"four marks", "a\u0300\u0301\u0302\u0303b", "a\u0300\u0301\u0302\u0303b"},
		{"five marks", "a\u0300\u0301\u0302\u0303\u0304b", "a\u0300\u0301\u0302\u0303<U+0304>b"},
		{"enclosing marks", "1\u20e3a\u20dd\u0488x", "1<U+20E3>a<U+20DD><U+0488>x"},
		{"overlays", "a\u0334b\u20d8\u20e6\u20ea", "a<U+0334>b<U+20D8><U+20E6><U+20EA>"},
		{"marks of another script, which may join letters", "ab\u1039c\u2d7fd\u17d2\u094d", "ab<U+1039>c<U+2D7F>d<U+17D2><U+094D>"},
		{"marks of their own script", "\u1000\u1039\u1001 \u0915\u094d\u0937 \u05d0\u05b8 \u0e01\u0e34\u0e48", "\u1000\u1039\u1001 \u0915\u094d\u0937 \u05d0\u05b8 \u0e01\u0e34\u0e48"},
		{"what joins and replaces hieroglyphs", "\U00013000\U00013431\U00013441\U00013442\U00013447", "\U00013000<U+13431><U+13441><U+13442><U+13447>"},
		{"the replacement of an object", "a\ufffcb", "a<U+FFFC>b"},

		{"our escape", "<U+200B>", "<U+003C>U+200B>"},
		{"our byte", "<byte FF>", "<U+003C>byte FF>"},
		{"our counts", "<12 of U+200B> <40 spaces> <4 line feeds>", "<U+003C>12 of U+200B> <U+003C>40 spaces> <U+003C>4 line feeds>"},
		{"our decoded run", `<5 tag characters: "hello">`, `<U+003C>5 tag characters: "hello">`},
		{"our cut", "<and 3 more characters>", "<U+003C>and 3 more characters>"},
		{"our removed text", "[-x-]", "<U+005B>-x-]"},
		{"our added text", "{+x+}", "<U+007B>+x+}"},
		{"a CI command", "x ##[error]y", "x ##<U+005B>error]y"},
		{"a mark behind an escaped character of ours", "<\u0301U+", "<\u0301U+"},
		{"what only resembles our marks", "<b> <5> <U> a[0] [x] {a} #[ # #[ < 5 of", "<b> <5> <U> a[0] [x] {a} #[ # #[ < 5 of"},
	}
	for _, tt := range tests {
		t.Run(tt.class, func(t *testing.T) {
			if got := Printable(tt.text); got != tt.want {
				t.Errorf("printable(%+q)\ngot  %+q\nwant %+q", tt.text, got, tt.want)
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
		if got := Lines(tt.text, false); !slices.Equal(got, tt.want) {
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
		if back := jsontest.Unprintable(t, shown); back != s {
			t.Fatalf("%+q is shown as %+q, which reads as %+q", s, shown, back)
		}
		ascii := string(Append(nil, s, true))
		if strings.ContainsFunc(ascii, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			t.Fatalf("%+q is shown in ASCII as %+q", s, ascii)
		}
		if back := jsontest.Unprintable(t, ascii); back != s {
			t.Fatalf("%+q is shown in ASCII as %+q, which reads as %+q", s, ascii, back)
		}
		var back strings.Builder
		wasText := false // the line before was one of text, not a count
		for _, line := range Lines(s, false) {
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
			back.WriteString(jsontest.Unprintable(t, line))
			wasText = true
		}
		if back.String() != s {
			t.Fatalf("%+q is shown in lines as %+q, which read as %+q", s, Lines(s, false), back.String())
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
		for _, shown := range []string{Printable(s), strings.Join(Lines(s, false), "\n") + "\x00lines"} {
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
		if got := Pointer(pointer); got != want {
			t.Errorf("%q is %s, want %s", pointer, got, want)
		}
	}
}

func TestQuotedName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"read_file", "read_file"},
		{"github.com/x/~y@1-2", "github.com/x/~y@1-2"},
		{"", `""`},
		{"two words", `"two words"`},
		{"a,b", `"a,b"`},
		{"x tool=y", `"x tool=y"`},
		{`say "hi" \`, `"say \"hi\" \\"`},
		{"re\u0430d", `"re<U+0430>d"`}, // a Cyrillic letter
		{"größe", `"gr<U+00F6><U+00DF>e"`},
		{"名前", `"<U+540D><U+524D>"`},
		{"\x1b[2J\n", `"<U+001B>[2J<U+000A>"`},
		{"\xff", `"<byte FF>"`},
		{"\ufffd\xff\xffa", `"<U+FFFD><byte FF><byte FF>a"`}, // bytes that decode as the character before them
		{"a\u200b", `"a<U+200B>"`},
		{"##[error]", `"##<U+005B>error]"`},
		{"<U+0430>", `"<U+003C>U+0430>"`},
		{strings.Repeat("a", 128), strings.Repeat("a", 128)},
		{strings.Repeat("a", 129), `"` + strings.Repeat("a", 128) + `<and 1 more character, sha256 c12cb024a2e5551cca0e08fc>"`},
		{strings.Repeat("é", 130), `"<128 of U+00E9><and 2 more characters, sha256 0e4534362fc1bd4acf7b4e5c>"`},
	} {
		if got := Name(tt.name); got != tt.want {
			t.Errorf("quotedName(%+q)\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// FuzzQuotedName: a name in a line of ours is ASCII, closed, and read back whole.
func FuzzQuotedName(f *testing.F) {
	for _, s := range jsontest.HostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown := Name(s)
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
			back = regexp.MustCompile(`\\(.)`).ReplaceAllString(jsontest.Unprintable(t, shown[1:len(shown)-1]), "$1")
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
		if got := Count(n, "tool"); got != want {
			t.Errorf("plural(%d) = %s", n, got)
		}
	}
	for n, want := range map[int]string{-1: "-1", -999: "-999", -1000: "-1,000", 100_000: "100,000"} {
		if got := Number(n); got != want {
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
