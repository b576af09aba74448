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
	next := 0 // index of the first word after the sentences so far
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
			found := textRange{w.from, w.from + len(t.word(w.from, maxMention))}
			if w.roles&roleFile != 0 {
				t.r.hit("secret-path", mayHold, found.to, found, beside, afterOrder)
			} else {
				t.r.hit("instruction-like", "runs a download in a shell", found.to, found, beside, afterOrder)
			}
		}
	}
}

// quoted reports whether the match that begins at word first is a quotation in the description of a detector, as in:
// "Flags phrases like 'ignore previous instructions'." Outside the quotation, the sentence must have a word for
// detection, or the sentence or the words before it a word for attacks. quoted returns false if the sentence has a word
// for obeying.
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

// nearQuotation is the maximum number of words that quoted examines on either side of a match.
const nearQuotation = 60

// maxQuotation is the greatest length of a quotation, in bytes.
const maxQuotation = 400

// quotes maps the opening mark of a quotation to its closing mark.
var quotes = map[rune]string{'"': "\"", '“': "”", '„': "“", '«': "»", '「': "」", '\'': "'", '‘': "’", '`': "`"}

// quotations reports, for each byte of a text, whether it is inside a quotation. No quotation spans several lines. An
// apostrophe opens a quotation only after a space, and an apostrophe inside a word doesn't close one.
func quotations(s string) []bool {
	inside := make([]bool, len(s)+1)
	ends := map[string]int{} // offset of the next closing mark of each kind
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

// quotationEnd returns the offset of the closing mark or of the end of the line, whichever comes first.
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
