package text

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"pinproof/internal/jsontest"
)

// TestSanitizeText sanitizes the texts in testdata/sanitized.txt.
func TestSanitizeText(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/sanitized.txt", 3) {
		t.Run(row[0], func(t *testing.T) {
			if got := Sanitize(row[1]); got != row[2] {
				t.Errorf("sanitizeText(%+q)\ngot  %+q\nwant %+q", row[1], got, row[2])
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
