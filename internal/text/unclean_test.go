package text

import "testing"

func TestUnclean(t *testing.T) {
	for _, s := range []string{"", "plain", "two\nlines\r\n\tand more", "é", "❤\ufe0f", "👩\u200d💻", "می\u200cخواهم", "क्\u200dष", "\u200f(a)", "葛\U000E0100", "⠀⠁", "1\ufe0f⃣", "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
		"a\u200bb", "\U0001FAEF"} {
		if HasHiddenOrControl(s) {
			t.Errorf("%q is unclean", s)
		}
	}
	for _, s := range []string{"\x1b[8m", "a\rb", "a\u0085", "\x7f", "\u202eb", "\u2066", "soft\u00adhyphen", "\u3164", "\u2028", "\ue000", "\u0378",
		"\U000E0068\U000E0069", "\U0001F3F4\U000E0067\U000E007F", "\U000E01EF", SubdivisionFlags[0] + SubdivisionFlags[1][4:], "\u200b\u200c\u200d\u200b\u200c"} {
		if !HasHiddenOrControl(s) {
			t.Errorf("%q is clean", s)
		}
	}
}
