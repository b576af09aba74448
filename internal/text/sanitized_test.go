package text

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"pinproof/internal/jsontest"
)

func TestSanitizeText(t *testing.T) {
	marks := strings.Repeat("\u0301", 31)
	for _, tt := range []struct{ what, text, want string }{
		{"nothing", "", ""},
		{"plain text", "Lists a folder.\n\tSee `x`.\r\n", "Lists a folder.\n\tSee `x`.\r\n"},
		{"zero width", "a\u200bb\u200c\u200d\ufeffc", "abc"},
		{"bidi controls", "\u202ea\u202c\u2066b\u2069\u200e", "ab"},
		{"C0 but layout, DEL, C1", "a\x00\x08\x0b\x0c\x1b[31m\x7f\u0085\u009bb", "a[31mb"},
		{"tags", "a\U000e0068\U000e0069\U000e007fb", "ab"},
		{"selectors", "❤\ufe0f\U000e0151x", "❤x"},
		{"fillers and blanks", "\u115f\u1160\u3164\uffa0\u2800x", "x"},
		{"line and paragraph separators", "a\u2028\u2029b", "ab"},
		{"private use, unassigned, noncharacters", "\ue000\U0010fffd\u0378\ufffe\ufdd0x", "x"},
		{"spaces stay", "\u00a0\u3000\u2003 ", "\u00a0\u3000\u2003 "},
		{"composed", "cafe\u0301 한", "café 한"},
		{"Hangul jamo", "\u1112\u1161\u11ab", "한"},
		{"composition exclusions and singletons", "\u0958 \u212b \u2126", "\u0915\u093c \u00c5 \u03a9"},
		{"marks in another order", "a\u0301\u0323", "\u1ea1\u0301"},
		{"composed only when nothing stands between", "e\u034f\u0301\u200b", "é"},
		{"beyond the first plane", "\U00011099\u200b\U000110ba", "\U0001109a"},
		{"not a compatibility form", "ﬁ x² 𝐱", "ﬁ x² 𝐱"},
		{"30 marks", "q" + marks[:60], "q" + marks[:60]},
		{"31 marks", "q" + marks, "q" + marks},
		{"a run that the library would break up stays as it is", "e" + marks, "e" + marks},
		{"the text around such a run", "cafe\u0301 q" + marks + " cafe\u0301", "café q" + marks + " café"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if got := Sanitize(tt.text); got != tt.want {
				t.Errorf("sanitizeText(%+q)\ngot  %+q\nwant %+q", tt.text, got, tt.want)
			}
		})
	}
}

// FuzzSanitize: sanitizing is idempotent and leaves nothing hidden; the result is
// NFC and has the same letters as before.
func FuzzSanitize(f *testing.F) {
	for _, s := range append(jsontest.HostileTexts, "cafe\u0301", "\u1112\u1161\u11ab", "a\u0301\u0323\u200b\u0300", "\U00010041\u0301", "\u0344\u0958", "q"+strings.Repeat("\u0323\u0301", 20), "\u1100\u034f\u1161") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		clean := Sanitize(s)
		if again := Sanitize(clean); again != clean {
			t.Fatalf("%+q\nonce  %+q\ntwice %+q", s, clean, again)
		}
		visible := strings.Map(func(r rune) rune {
			if IsHidden(r) {
				return -1
			}
			return r
		}, s)
		if i := strings.IndexFunc(clean, IsHidden); i >= 0 {
			t.Fatalf("%+q: left at %d of %+q", s, i, clean)
		}
		// The library's NFC breaks up runs of more than 30 marks, which isn't NFC.
		if want := norm.NFC.String(visible); !strings.Contains(want, "\u034f") && clean != want {
			t.Fatalf("%+q\ngot  %+q\nwant %+q", s, clean, want)
		}
		if decompose(clean) != decompose(visible) {
			t.Fatalf("%+q\nis not canonically equivalent to\n%+q", clean, visible)
		}
	})
}

// decompose is NFD as Unicode defines it, at any number of marks: each character
// decomposed, then the marks of each run put in the order of their classes.
func decompose(s string) string {
	type part struct {
		r     rune
		class uint8
	}
	var parts []part
	for _, r := range s {
		for _, d := range norm.NFD.String(string(r)) {
			parts = append(parts, part{d, norm.NFD.PropertiesString(string(d)).CCC()})
		}
	}
	for i := range parts { // insertion sort, stable, never across a class of 0
		for j := i; j > 0 && parts[j].class != 0 && parts[j-1].class > parts[j].class; j-- {
			parts[j], parts[j-1] = parts[j-1], parts[j]
		}
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteRune(p.r)
	}
	return b.String()
}

// TestSkipASCII: eight bytes at a time find the same as one byte at a time would.
func TestSkipASCII(t *testing.T) {
	for n := range 40 {
		for at := range n {
			for _, odd := range []byte{0x7f, 0x80, 0xc3, 0xff} {
				data := bytes.Repeat([]byte("~"), n)
				data[at] = odd
				for from := range n {
					want := n
					if from <= at {
						want = at
					}
					if got := skipASCII(data, from); got != want {
						t.Fatalf("%q from %d: %d, want %d", data, from, got, want)
					}
				}
			}
		}
	}
}
