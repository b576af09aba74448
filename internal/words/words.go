// Package words compares texts unit by unit (a unit is a sentence or a line of code), and word by word within a unit.
// The comparison is exact: the old text and the edits determine the new text.
package words

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"pinproof/internal/effort"
	"pinproof/internal/text"
)

// The operations of a Piece: its text was kept, removed or added.
const (
	OpKept    = '='
	OpRemoved = '-'
	opAdded   = '+'
)

// A Piece is a part of a text that a word diff keeps, removes or adds.
type Piece struct {
	Op   byte // OpKept, OpRemoved or opAdded
	Text string
}

// DiffWords compares two texts word by word. It returns nil if the work would exceed the budget; both texts are then
// shown whole.
func DiffWords(budget *effort.Budget, old, new string) []Piece {
	return pieces(budget, tokens(old), tokens(new))
}

// phraseToken matches a JSON string, a word, whitespace, or any other character.
var phraseToken = text.LazyRegexp(`"(?:[^"\\]|\\.)*"|[^\s",()]+|\s+|.`)

// DiffPhrases compares two phrases word by word. A JSON string counts as one word.
func DiffPhrases(budget *effort.Budget, old, new string) []Piece {
	return pieces(budget, phraseToken().FindAllString(old, -1), phraseToken().FindAllString(new, -1))
}

func pieces(budget *effort.Budget, old, new []string) (pieces []Piece) {
	compare(budget, old, new, true, func(op byte, tokens []string) {
		text := strings.Join(tokens, "")
		if n := len(pieces); n > 0 && pieces[n-1].Op == op { // the library can return two neighbours with the same operation
			pieces[n-1].Text += text
			return
		}
		pieces = append(pieces, Piece{op, text})
	})
	return pieces
}

// firstSymbol is the first of the private-use runes that represent tokens, because the library compares runes. Texts with
// more tokens than there are such runes aren't compared.
const firstSymbol = 0xf0000

// maxTokens is the number of such runes.
const maxTokens = utf8.MaxRune - firstSymbol

// compare calls f for each run of tokens that is in both lists, or in only one. It spends about one unit of the budget
// on each pair of tokens between the common ends, and returns false if the budget is too small. With tidy, common words
// between two edits may become part of the edits.
func compare(budget *effort.Budget, a, b []string, tidy bool, f func(op byte, tokens []string)) bool {
	head := 0
	tail := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	first := a[:head]
	last := a[len(a)-tail:]
	a = a[head : len(a)-tail]
	b = b[head : len(b)-tail]
	pairs := (len(a) + 1) * (len(b) + 1)
	if len(a)+len(b) > maxTokens {
		pairs = math.MaxInt
	}
	if !budget.Spend(pairs) {
		return false
	}
	symbols := map[string]rune{}
	distinct := []string(nil)
	encode := func(tokens []string) (runes []rune) {
		for _, t := range tokens {
			if _, ok := symbols[t]; !ok {
				symbols[t] = rune(firstSymbol + len(distinct))
				distinct = append(distinct, t)
			}
			runes = append(runes, symbols[t])
		}
		return runes
	}
	dmp := diffmatchpatch.New()
	// By default the library gives up after a second, so results would differ between machines.
	dmp.DiffTimeout = 0
	diffs := dmp.DiffMainRunes(encode(a), encode(b), false)
	if tidy {
		diffs = dmp.DiffCleanupSemantic(diffs)
	}
	run := func(op byte, tokens []string) {
		if len(tokens) > 0 {
			f(op, tokens)
		}
	}
	run(OpKept, first)
	for _, d := range diffs {
		var list []string
		for _, r := range d.Text {
			list = append(list, distinct[r-firstSymbol])
		}
		run(operations[d.Type], list)
	}
	run(OpKept, last)
	return true
}

// operations maps the library's operations to those of a Piece.
var operations = map[diffmatchpatch.Operation]byte{
	diffmatchpatch.DiffEqual: OpKept, diffmatchpatch.DiffDelete: OpRemoved, diffmatchpatch.DiffInsert: opAdded,
}

// Classes of characters: a run of spaces and tabs is one token, and so is a run of word characters.
const (
	singleToken = iota
	blankToken
	wordToken
)

func tokenClass(r rune) int {
	switch {
	case r == ' ' || r == '\t':
		return blankToken
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return wordToken
		}
	case unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !text.IsHidden(r):
		return wordToken
	}
	return singleToken
}

// tokens splits a text into runs of letters, marks and digits, runs of spaces and tabs, and single other characters.
func tokens(s string) (list []string) {
	for s != "" {
		r, end := utf8.DecodeRuneInString(s)
		if class := tokenClass(r); class != singleToken {
			end = len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool { return tokenClass(r) == class }))
		}
		list = append(list, s[:end])
		s = s[end:]
	}
	return list
}

// IsTooDifferent reports whether two texts differ too much for a word diff: words were removed and added, and fewer than
// half of the words of both texts stayed.
func IsTooDifferent(pieces []Piece) bool {
	words := map[byte]int{}
	for _, p := range pieces {
		words[p.Op] += len(strings.FieldsFunc(p.Text, func(r rune) bool { return tokenClass(r) != wordToken }))
	}
	stay := 2 * words[OpKept]
	went := words[OpRemoved]
	came := words[opAdded]
	return went > 0 && came > 0 && 2*stay < stay+went+came
}
