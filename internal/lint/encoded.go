package lint

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encoded reports the word between from and to if it decodes to prose. The base64 digits + and / end a word. In base64
// of ASCII text they occur only as the last of four digits, so the digits after them decode separately.
func (t *tokenizer) encoded(from, to int) {
	const most = 768 // the maximum number of digits to decode
	word := t.s[from:min(to, from+most)]
	base, _ := base64.RawURLEncoding.DecodeString(word)
	digits, _ := hex.DecodeString(word)
	for _, decoded := range []string{string(base), string(digits)} {
		if isProse(decoded) {
			t.r.hit("encoded-text", "text that decodes to "+whole(decoded), to, textRange{from, min(to, from+afterOrder)}, beside, 0)
		}
	}
}

// encodedData matches the beginning of decoded data that isn't prose: SVG or HTML, as in data URIs, or JSON, as in
// cursors and signed tokens.
var encodedData = pattern(`^\s*(?:<(?:svg|html|[?!])|\{"|\[["{\d])`)

// isProse reports whether decoded bytes are UTF-8 text of at least three words that doesn't match encodedData.
func isProse(s string) bool {
	const least = 18 // in bytes; an instruction to a model is longer
	isBinary := func(c rune) bool { return unicode.IsControl(c) && !unicode.IsSpace(c) }
	return len(s) >= least && utf8.ValidString(s) && len(strings.Fields(s)) > 2 && !strings.ContainsFunc(s, isBinary) && !encodedData().MatchString(s)
}
