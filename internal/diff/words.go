package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"pinproof/internal/text"
)

// What became of a piece of text.
const (
	OpKept    = '='
	OpRemoved = '-'
	opAdded   = '+'
)

// A Piece is a run of a word diff.
type Piece struct {
	Op   byte // OpKept, OpRemoved or opAdded
	Text string
}

// Replaces reports whether of two pieces one was removed and the other was added.
func (p Piece) Replaces(other Piece) bool {
	return p.Op != other.Op && p.Op != OpKept && other.Op != OpKept
}

// A WordBudget bounds the work of all word diffs of one run. It counts pairs of tokens,
// not time, so that the answer is the same on every machine.
type WordBudget int

const (
	maxDiffTokens  = 4_000                  // on each side: the library's cost grows with their product
	maxDiffBytes   = 256 << 10              // on each side: more is never compared word by word
	FullWordBudget = WordBudget(48_000_000) // pairs of tokens in all diffs of one run
)

// Words compares two texts word by word. It returns nil if the work would exceed the
// bounds; both texts are then shown whole. What the texts have in common at their
// beginning and at their end costs nothing.
func (budget *WordBudget) Words(old, new string) []Piece {
	head, tail := commonEnds(old, new)
	if max(len(old), len(new))-head-tail > maxDiffBytes {
		return nil
	}
	a := tokens(old[head:len(old)-tail], maxDiffTokens+1)
	b := tokens(new[head:len(new)-tail], maxDiffTokens+1)
	return budget.diff(old[:head], a, b, old[len(old)-tail:])
}

// diff compares two lists of tokens that stand between first and last. It returns nil if
// the work would exceed the bounds.
func (budget *WordBudget) diff(first string, a, b []string, last string) []Piece {
	cost := WordBudget((len(a) + 1) * (len(b) + 1))
	if max(len(a), len(b)) > maxDiffTokens || cost > *budget {
		return nil
	}
	*budget -= cost

	list := &symbolList{index: map[string]rune{}}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // by default it gives up after a second, so machines would differ
	diffs := dmp.DiffMainRunes(list.encode(a), list.encode(b), false)
	diffs = dmp.DiffCleanupSemantic(diffs)

	var pieces []Piece
	add := func(op byte, text string) {
		if n := len(pieces); n > 0 && pieces[n-1].Op == op {
			pieces[n-1].Text += text
		} else if text != "" {
			pieces = append(pieces, Piece{op, text})
		}
	}
	add(OpKept, first)
	for _, d := range diffs {
		var text strings.Builder
		for _, r := range d.Text {
			text.WriteString(list.tokens[r-firstSymbol])
		}
		add(operations[d.Type], text.String())
	}
	add(OpKept, last)
	return pieces
}

// align says how one list becomes the other, step by step. It returns false if the work would
// exceed the bounds.
func (budget *WordBudget) align(a, b []string) (steps []byte, ok bool) {
	cost := WordBudget((len(a) + 1) * (len(b) + 1))
	if max(len(a), len(b)) > maxDiffTokens || cost > *budget {
		return nil, false
	}
	*budget -= cost
	list := &symbolList{index: map[string]rune{}}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	for _, d := range dmp.DiffMainRunes(list.encode(a), list.encode(b), false) {
		for range d.Text {
			steps = append(steps, operations[d.Type])
		}
	}
	return steps, true
}

// A symbolList has the tokens of two texts. The library compares runes: one private-use rune from
// U+F0000 up stands for each distinct token; there are more of those than both sides can have tokens.
type symbolList struct {
	tokens []string
	index  map[string]rune
}

const firstSymbol = 0xf0000

func (l *symbolList) encode(tokens []string) []rune {
	runes := make([]rune, len(tokens))
	for i, t := range tokens {
		if _, ok := l.index[t]; !ok {
			l.index[t] = rune(firstSymbol + len(l.tokens))
			l.tokens = append(l.tokens, t)
		}
		runes[i] = l.index[t]
	}
	return runes
}

// operations translates those of the library.
var operations = map[diffmatchpatch.Operation]byte{
	diffmatchpatch.DiffEqual: OpKept, diffmatchpatch.DiffDelete: OpRemoved, diffmatchpatch.DiffInsert: opAdded,
}

// commonEnds returns how many bytes two texts have in common at their beginning, and how
// many of the rest at their end. Both are whole tokens in both texts.
func commonEnds(old, new string) (head, tail int) {
	for head < min(len(old), len(new)) && old[head] == new[head] {
		head++
	}
	for head > 0 && !(betweenTokens(old, head) && betweenTokens(new, head)) {
		head--
	}
	for tail < min(len(old), len(new))-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	for tail > 0 && !(betweenTokens(old, len(old)-tail) && betweenTokens(new, len(new)-tail)) {
		tail--
	}
	return head, tail
}

// betweenTokens reports whether a token ends and another begins at s[at].
func betweenTokens(s string, at int) bool {
	if at == 0 || at == len(s) {
		return true
	}
	if !utf8.RuneStart(s[at]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	class := tokenClass(before)
	return class == singleToken || class != tokenClass(after)
}

// Classes of characters: a run of blanks is one token, and so is a run of word characters.
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
	case unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !text.Hidden(r):
		return wordToken
	}
	return singleToken
}

// tokens splits a text into runs of letters, marks and digits, runs of blanks, and
// single other characters. It stops after limit tokens.
func tokens(s string, limit int) (list []string) {
	for s != "" && len(list) < limit {
		r, end := utf8.DecodeRuneInString(s)
		if class := tokenClass(r); class != singleToken {
			end = len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool { return tokenClass(r) == class }))
		}
		list, s = append(list, s[:end]), s[end:]
	}
	return list
}

// Rewritten reports whether the old and the new text read better one after the other than
// word by word: words went, words came, and under half of the words of both texts stayed.
func Rewritten(pieces []Piece) bool {
	words := map[byte]int{}
	for _, p := range pieces {
		words[p.Op] += len(strings.FieldsFunc(p.Text, func(r rune) bool { return tokenClass(r) != wordToken }))
	}
	stay, went, came := 2*words[OpKept], words[OpRemoved], words[opAdded]
	return went > 0 && came > 0 && 2*stay < stay+went+came
}
