package lint

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encoded reports a word of a text that decodes to prose. The digits + and / of base64 end a
// word, but in ASCII they end a group of four digits, too, so what follows decodes by itself.
func (t *tokenizer) encoded(from, to int) {
	const most = 768 // digits that are decoded
	word := t.s[from:min(to, from+most)]
	base, _ := base64.RawURLEncoding.DecodeString(word)
	digits, _ := hex.DecodeString(word)
	for _, decoded := range []string{string(base), string(digits)} {
		if isProse(decoded) {
			t.r.hit("encoded-text", "text that decodes to "+whole(decoded), to, textRange{from, min(to, from+afterOrder)}, beside, 0)
		}
	}
}

// encodedData begins what isn't prose: data URIs hold pictures, cursors and signed tokens JSON.
var encodedData = pattern(`^\s*(?:<(?:svg|html|[?!])|\{"|\[["{\d])`)

// isProse reports whether decoded bytes are three words or more.
func isProse(s string) bool {
	const least = 18 // bytes; less isn't an order
	isBinary := func(c rune) bool { return unicode.IsControl(c) && !unicode.IsSpace(c) }
	return len(s) >= least && utf8.ValidString(s) && len(strings.Fields(s)) > 2 && !strings.ContainsFunc(s, isBinary) && !encodedData().MatchString(s)
}
