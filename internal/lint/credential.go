package lint

import (
	"strings"

	"pinproof/internal/text"
)

// credential reports a word of a text that begins a private key, or is an access token as its
// service writes them (credentials). A key or token with few different characters, or with the
// word "example", is an example.
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

// varied reports whether a string has as many different characters as a random one, and doesn't say "example".
func varied(s string) bool {
	different := map[rune]bool{}
	for _, c := range s {
		different[c] = true
	}
	return len(different) >= min(9, len(s)/2) && !strings.Contains(strings.ToLower(s), "example")
}
