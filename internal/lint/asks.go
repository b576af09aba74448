package lint

import (
	"slices"
	"strings"

	"pinproof/internal/rank"
	"pinproof/internal/text"
)

// suspect is the learned score from which on a sentence that names a file with secrets asks for it, and one that
// pipes a download into a shell has it run. A sentence about a file that is left out, written or rotated has a
// lower score.
const suspect = 32

// asks reports sentences that name a file with secrets, or pipe a download into a shell, and read like poison.
func (t *tokenizer) asks() {
	const things = roleFile | rolePiped
	isThing := func(w textToken) bool { return w.roles&things != 0 }
	if !slices.ContainsFunc(t.words, isThing) {
		return // most texts
	}
	end := 0
	next := 0 // the first word that is in no sentence yet
	for _, sentence := range sentences(t.s) {
		end += strings.Index(t.s[end:], sentence) + len(sentence)
		first := next
		for next < len(t.words) && t.words[next].from < end {
			next++
		}
		if words := t.words[first:next]; slices.ContainsFunc(words, isThing) {
			t.asked(first, words, rank.Learned().Score(sentence))
		}
	}
}

// asked reports what a sentence with a score asks for. first is the number of its first word.
func (t *tokenizer) asked(first int, words []textToken, score int) {
	for i, w := range words {
		found := textRange{w.from, w.from + len(t.word(w.from))}
		switch {
		case score < suspect || t.quoted(first+i):
		case w.roles&roleFile != 0:
			t.r.hit("secret-path", mayHold, found.to, found, beside, afterOrder)
		case w.roles&rolePiped != 0:
			t.r.hit("instruction-like", "runs a download in a shell", found.to, found, beside, afterOrder)
		}
	}
}

// quoted reports whether what was found is a quotation in a text about finding such texts: "Flags phrases like
// 'ignore previous instructions'." The sentence has to state that the tool looks for texts, or that sentence or one
// shortly before it has to speak of attacks. A quotation that the sentence tells the model to follow doesn't count.
func (t *tokenizer) quoted(first int) bool {
	if t.inside == nil {
		t.inside = quotations(t.s)
	}
	if !t.inside[t.words[first].from] {
		return false
	}
	isQuoted := false
	inSentence := true
	for i := first; i > max(0, first-nearQuotation); i-- {
		w := t.words[i-1]
		if t.inside[w.from] {
			continue
		}
		inSentence = inSentence && w.roles&isStop == 0
		if inSentence && w.roles&roleObey != 0 {
			return false
		}
		isQuoted = isQuoted || w.roles&roleAttack != 0 || inSentence && w.roles&roleWatch != 0
	}
	// The rest of the sentence: "…" is what you do next; "…" is an attack.
	for _, w := range t.words[first:min(len(t.words), first+nearQuotation)] {
		if t.inside[w.from] {
			continue
		}
		if w.roles&roleObey != 0 {
			return false
		}
		if w.roles&isStop != 0 {
			break
		}
		isQuoted = isQuoted || w.roles&roleAttack != 0
	}
	return isQuoted
}

// nearQuotation is how many words on either side of a quoted order are looked at.
const nearQuotation = 60

// quoteMarks are the marks before and behind a quotation.
var quoteMarks = [...][2]string{{"\"", "\""}, {"\u201c", "\u201d"}, {"\u201e", "\u201c"}, {"\u00ab", "\u00bb"}, {"\u300c", "\u300d"}, {" '", "'"}, {"\u2018", "\u2019"}, {"`", "`"}}

// quotations returns for each byte of a text whether it is inside a quotation. A quotation is within one line.
// An apostrophe in a word doesn't end it.
func quotations(s string) []bool {
	inside := make([]bool, len(s)+1)
	for _, mark := range quoteMarks {
		for at := 0; ; {
			n := strings.Index(s[at:], mark[0])
			if n < 0 {
				break
			}
			from := at + n + len(mark[0])
			line, _, _ := strings.Cut(s[from:min(len(s), from+maxQuotation)], "\n")
			size := closing(line, mark[1])
			if size < 0 {
				at = from
				continue
			}
			for i := from; i < from+size; i++ {
				inside[i] = true
			}
			at = from + size + len(mark[1])
		}
	}
	return inside
}

// maxQuotation is how many bytes a quotation has at most.
const maxQuotation = 400

// closing returns where the mark is that ends a quotation, or -1.
func closing(s, mark string) int {
	for at := 0; ; {
		n := strings.Index(s[at:], mark)
		if n < 0 {
			return -1
		}
		end := at + n + len(mark)
		if mark != "'" || end == len(s) || !text.IsAlnum(s[end]) {
			return at + n
		}
		at = end
	}
}
