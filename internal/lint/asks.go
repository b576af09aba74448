package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/rank"
	"pinproof/internal/text"
)

// suspect is the lowest learned score at which a sentence is reported for naming a file with secrets, or for
// piping a download into a shell. A sentence about excluding, writing or rotating such a file has a lower
// score.
const suspect = 32

// asks reports sentences that name a file with secrets, or pipe a download into a shell, and have a score of at
// least suspect.
func (t *tokenizer) asks() {
	isThing := func(w textToken) bool { return w.roles&(roleFile|rolePiped) != 0 }
	if !slices.ContainsFunc(t.words, isThing) {
		return // the usual case
	}
	end := 0
	next := 0 // the first word that is in no sentence yet
	for _, sentence := range sentences(t.s) {
		end += strings.Index(t.s[end:], sentence) + len(sentence)
		first := next
		for next < len(t.words) && t.words[next].from < end {
			next++
		}
		if !slices.ContainsFunc(t.words[first:next], isThing) || rank.LearnedModel().Score(sentence) < suspect {
			continue
		}
		for i := first; i < next; i++ {
			w := t.words[i]
			if !isThing(w) || t.quoted(i) {
				continue
			}
			found := textRange{w.from, w.from + len(t.word(w.from))}
			if w.roles&roleFile != 0 {
				t.r.hit("secret-path", mayHold, found.to, found, beside, afterOrder)
			} else {
				t.r.hit("instruction-like", "runs a download in a shell", found.to, found, beside, afterOrder)
			}
		}
	}
}

// quoted reports whether a match is a quotation in the description of a detector: "Flags phrases like 'ignore
// previous instructions'." The sentence has to say that the tool looks for texts, or this sentence or one
// shortly before it has to mention attacks. It returns false if the sentence tells the model to follow the
// quotation.
func (t *tokenizer) quoted(first int) bool {
	if t.inside == nil {
		t.inside = quotations(t.s)
	}
	if !t.inside[t.words[first].from] {
		return false
	}
	isEnd := func(i int) bool { return t.words[i].roles&isStop != 0 && !t.inside[t.words[i].from] }
	from, to := first, first
	for from > 0 && !isEnd(from-1) && first-from < nearQuotation {
		from--
	}
	for to < len(t.words) && !isEnd(to) && to-first < nearQuotation {
		to++
	}
	rolesIn := func(words []textToken) (roles uint64) {
		for _, w := range words {
			if !t.inside[w.from] {
				roles |= w.roles
			}
		}
		return roles
	}
	sentence := rolesIn(t.words[from:to])
	before := rolesIn(t.words[max(0, first-nearQuotation):first])
	return sentence&roleObey == 0 && (sentence&roleWatch != 0 || (before|sentence)&roleAttack != 0)
}

// nearQuotation is how many words on either side of a quoted order are looked at.
const nearQuotation = 60

// maxQuotation is the greatest length of a quotation, in bytes.
const maxQuotation = 400

// quotes maps the opening mark of a quotation to its closing mark.
var quotes = map[rune]string{'"': "\"", '“': "”", '„': "“", '«': "»", '「': "」", '\'': "'", '‘': "’", '`': "`"}

// quotations reports, for each byte of a text, whether it is inside a quotation. No quotation spans several lines. An
// apostrophe opens a quotation only after a space, and an apostrophe inside a word doesn't close one.
func quotations(s string) []bool {
	inside := make([]bool, len(s)+1)
	ends := map[string]int{} // where the next end of each kind is
	for from := 0; from < len(s); {
		r, size := utf8.DecodeRuneInString(s[from:])
		begin := from + size
		from = begin
		closing := quotes[r]
		if closing == "" || r == '\'' && (begin == 1 || s[begin-2] != ' ') {
			continue
		}
		end, known := ends[closing]
		if !known || end < begin {
			end = quotationEnd(s, begin, closing)
			ends[closing] = end
		}
		if end-begin <= maxQuotation && strings.HasPrefix(s[end:], closing) {
			from = end + len(closing)
			for i := begin; i < from; i++ {
				inside[i] = true
			}
		}
	}
	return inside
}

// quotationEnd returns where a quotation or, before that, its line ends.
func quotationEnd(s string, at int, closing string) int {
	for {
		next := strings.IndexAny(s[at:], closing+"\n")
		if next < 0 {
			return len(s)
		}
		at += next
		if s[at] == '\n' || closing != "'" || at+1 >= len(s) || !text.IsAlnum(s[at+1]) {
			return at
		}
		at++
	}
}
