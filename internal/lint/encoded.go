package lint

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"pinproof/internal/text"
)

// Limits of a run of digits that may decode to prose.
const (
	minEncoded = 24  // characters; fewer hold no order
	maxDecoded = 768 // characters of a run that are decoded
)

// encoded reports the first run of base64 or hexadecimal digits that decodes to prose. SVG
// and other markup doesn't count, because data URIs hold pictures. JSON doesn't either,
// because cursors and signed tokens hold it.
func (r *Reviewer) encoded() {
	s := r.folded
	eachRun(s, minEncoded, isEncoded, func(from, to int) bool {
		run := s[from:min(to, from+maxDecoded)]
		decoded, _ := hex.DecodeString(run[:len(run)&^1])
		if !isEncodedProse(decoded) {
			decoded, _ = base64.RawStdEncoding.DecodeString(urlAlphabet.Replace(run))
		}
		if !isEncodedProse(decoded) || to <= r.pinned {
			return true
		}
		r.add("encoded-text", "encoded text%s: %s is %s", r.where, r.excerpt(textRange{from, from}, 0, min(to-from, afterOrder)), whole(string(decoded)))
		return false
	})
}

func isEncoded(r rune) bool { return nameBytes.has(r) || r == '+' || r == '/' }

func isEncodedProse(b []byte) bool {
	letters, blanks := 0, 0
	for _, c := range b {
		switch {
		case c >= 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r':
			return false
		case c == ' ':
			blanks++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		}
	}
	return len(b) >= minEncoded/2 && blanks >= 2 && letters*2 > len(b) && b[0] != '<' && b[0] != '{' && b[0] != '['
}

// credential reports a word of a text that is a private key or an access token (credential),
// as its service writes them. One with few different characters, or that says so, is an example.
func (t *tokenizer) credential(from, to int) {
	const most, shown = 512, 8
	word := t.s[from:to]
	if strings.HasPrefix(word, keyBlock) {
		head, body, ok := strings.Cut(t.s[from:min(len(t.s), from+most)], " PRIVATE KEY-----")
		if ok && len(head) < 2*maxWord && len(strings.Join(strings.Fields(body), "")) > 2*maxWord && varied(body) {
			t.r.add("credential", "a private key%s: \"%s …\"", t.r.where, text.Printable(head))
		}
		return
	}
	for _, c := range credentials {
		if n := to - from - len(c.prefix); n >= c.least && n <= c.most && strings.HasPrefix(word, c.prefix) && varied(word[len(c.prefix):]) {
			t.r.add("credential", "a token of %s%s: \"%s…\" (%s)", c.of, t.r.where, word[:max(shown, len(c.prefix))], text.Count(to-from, "character"))
			return
		}
	}
}

// varied reports whether a string has as many different characters as one drawn at random.
func varied(s string) bool {
	different := map[rune]bool{}
	for _, c := range s {
		different[c] = true
	}
	return len(different) >= min(9, len(s)/2) && !strings.Contains(strings.ToLower(s), "example")
}
