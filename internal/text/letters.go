package text

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// This file has the letters that look like others. Scripts and letter case come from the toolchain's tables, but only
// for visible characters. These are all assigned in Unicode 15.0, so the results don't change with a newer toolchain.

// ASCIILookalike returns the ASCII text that a character passes for, or "".
func ASCIILookalike(r rune) string { return plainLetters()[r] }

// FoldLookalikes returns a text in lower case, without hidden characters and marks on letters, and with ASCII letters
// in place of their look-alikes. For most texts that a reader can't tell apart, the results are equal.
func FoldLookalikes(s string) string {
	var plain strings.Builder
	for _, r := range Sanitize(s) {
		plain.WriteString(cmp.Or(ASCIILookalike(r), string(r)))
	}
	return strings.ToLower(WithoutMarks(plain.String()))
}

// plainLetters maps a letter to the ASCII text that it passes for.
var plainLetters = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for row := range slices.Chunk(strings.Fields(confusables), 2) {
		for _, r := range row[1] {
			m[r] = row[0]
		}
	}
	for row := range slices.Chunk(strings.Fields(letterRuns), 2) {
		for _, first := range row[1] {
			for n, r := range row[0] {
				m[first+rune(n)] = string(r)
			}
		}
	}
	return m
})

// confusables are ASCII texts, each followed by the characters that pass for it in common fonts: a small selection in
// the sense of UTS #39, section 4 (confusable detection), and compatibility forms of letters (NFKC) that aren't in
// letterRuns.
const confusables = "a \u0430\u03b1\u0251\u1d00\u00aa\u1d43 b \u0299\u1d47 c \u0441\u03f2\u1d04\u1d9c\u217d d \u0501\u1d05\u1d48\u217e\u2146 " +
	"e \u0435\u1d07\u1d49\u212f\u2147 f \ua730\u1da0\u017f g \u0261\u0262\u0581\u1d4d\u210a h \u04bb\u0570\u029c\u02b0\u210e " +
	"i \u0456\u0131\u03b9\u0269\u026a\u2071\u2139\u2170\u2148 j \u0458\u0575\u0237\u1d0a\u02b2\u2149 k \u043a\u03ba\u1d0b\u1d4f " +
	"l \u04cf\u029f\u02e1\u2113\u217c m \u1d0d\u1d50\u217f n \u0578\u03b7\u0274\u207f " +
	"o \u043e\u03bf\u0585\u1d0f\u00ba\u1d52\u2134 p \u0440\u03c1\u1d18\u1d56 q \u051b\u0566 r \u0280\u02b3 s \u0455\ua731\u02e2 " +
	"t \u03c4\u1d1b\u1d57 u \u03c5\u057d\u1d1c\u1d58 v \u03bd\u0475\u1d20\u1d5b\u2174 w \u051d\u03c9\u0461\u1d21\u02b7 " +
	"x \u0445\u03c7\u02e3\u2179\u00d7 y \u0443\u03b3\u04af\u028f\u02b8 z \u1d22\u1dbb A \u0410\u0391\u13aa\u1d2c " +
	"B \u0412\u0392\u13f4\u212c\u1d2e C \u0421\u03f9\u13df\u2102\u212d\u216d D \u13a0\u216e\u2145\u1d30 " +
	"E \u0415\u0395\u13ac\u2130\u1d31 F \u03dc\u2131 G \u13c0\u050c\u1d33 H \u041d\u0397\u13bb\u210b\u210c\u210d\u1d34 " +
	"I \u0406\u0399\u04c0\u2110\u2111\u2160\u1d35 J \u0408\u13ab\u1d36 K \u041a\u039a\u13e6\u212a\u1d37 " +
	"L \u13de\u2112\u216c\u1d38 M \u041c\u039c\u13b7\u2133\u216f\u1d39 N \u039d\u2115\u1d3a O \u041e\u039f\u0555\u1d3c " +
	"P \u0420\u03a1\u13e2\u2119\u1d3e Q \u051a\u211a R \u13a1\u211b\u211c\u211d\u1d3f S \u0405\u054f\u13da " +
	"T \u0422\u03a4\u13a2\u1d40 U \u054d\u1d41 V \u13d9\u2164\u0474 W \u051c\u13b3\u1d42 X \u0425\u03a7\u2169 " +
	"Y \u04ae\u03a5\u0423 Z \u0396\u13c3\u2124\u2128 0 \u2070\u2080\u24ea 1 \u00b9\u2081\u2460 2 \u00b2\u2082\u2461 " +
	"3 \u00b3\u2083\u2462 - \u2010\u2011\u2012\u2013\u2212\ufe63 _ \u02cd\ufe4d\ufe4e\ufe4f . \u2024\uff61 / \u2044\u2215 " +
	"< \u2039\u02c2\u2329 > \u203a\u02c3\u232a ff \ufb00 fi \ufb01 fl \ufb02 ffi \ufb03 ffl \ufb04 st \ufb05\ufb06 ij \u0133 " +
	"IJ \u0132 lj \u01c9 nj \u01cc dz \u01f3"

// letterRuns are runs of ASCII characters, each followed by code points that NFKC or a reader takes for the first
// character of the run. The code points after each of these pass for the rest of the run.
const letterRuns = "abcdefghijklmnopqrstuvwxyz \u249c ABCDEFGHIJKLMNOPQRSTUVWXYZ \U0001f110\U0001f130\U0001f150\U0001f170\U0001f1e6 " +
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz \u24b6\U0001d400\U0001d434\U0001d468\U0001d49c" +
	"\U0001d4d0\U0001d504\U0001d538\U0001d56c\U0001d5a0\U0001d5d4\U0001d608\U0001d63c\U0001d670 " +
	"0123456789 \U0001d7ce\U0001d7d8\U0001d7e2\U0001d7ec\U0001d7f6 " +
	"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~ \uff01"
