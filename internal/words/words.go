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

// Replaces reports whether one of two pieces was removed and the other was added.
func (p Piece) Replaces(other Piece) bool {
	return p.Op != other.Op && p.Op != OpKept && other.Op != OpKept
}

// DiffWords compares two texts word by word. It returns nil if the work would exceed the budget; both texts are then
// shown whole. A common beginning or end of the texts costs nothing.
func DiffWords(budget *effort.Budget, old, new string) []Piece {
	// The ends are cut off before the texts are split, because a list of tokens is many times as large as a text.
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	ends := [2]string{old[:head], old[len(old)-tail:]}
	a := tokens(old[head : len(old)-tail])
	b := tokens(new[head : len(new)-tail])
	if len(a)+len(b) > maxTokens {
		budget.Spend(math.MaxInt)
		return nil
	}
	if ends[0] != "" {
		a = append([]string{ends[0]}, a...)
		b = append([]string{ends[0]}, b...)
	}
	if ends[1] != "" {
		a = append(a, ends[1])
		b = append(b, ends[1])
	}
	return pieces(budget, a, b)
}

// commonHead returns the size of a common beginning of two texts that ends between two tokens in both.
func commonHead(a, b string) int {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	for at := same; at > 0; at-- {
		if isSingle(a[at-1]) || at < same && isBetween(a[at-1], a[at]) {
			return at
		}
	}
	return 0
}

// commonTail returns the size of a common end of two texts that begins between two tokens in both.
func commonTail(a, b string) int {
	same := 0
	for same < min(len(a), len(b)) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	for size := same; size > 0; size-- {
		at := len(a) - size
		if isSingle(a[at]) || size < same && isBetween(a[at-1], a[at]) {
			return size
		}
	}
	return 0
}

// isSingle reports whether a byte is a token by itself, in any text.
func isSingle(c byte) bool { return c < utf8.RuneSelf && tokenClass(rune(c)) == singleToken }

// isBetween reports whether a token ends between two adjacent ASCII bytes, because their classes differ.
func isBetween(a, b byte) bool {
	return a < utf8.RuneSelf && b < utf8.RuneSelf && tokenClass(rune(a)) != tokenClass(rune(b))
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

// tokens splits a text into runs of letters, marks and digits, runs of spaces and tabs, and single other characters. It
// stops once the list has more than maxTokens tokens.
func tokens(s string) (list []string) {
	for s != "" && len(list) <= maxTokens {
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
