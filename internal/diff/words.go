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
	diffs, tokens, ok := budget.compare(a, b)
	if !ok {
		return nil
	}
	var pieces []Piece
	add := func(op byte, text string) {
		if n := len(pieces); n > 0 && pieces[n-1].Op == op {
			pieces[n-1].Text += text
		} else if text != "" {
			pieces = append(pieces, Piece{op, text})
		}
	}
	add(OpKept, first)
	for _, d := range diffmatchpatch.New().DiffCleanupSemantic(diffs) {
		var text strings.Builder
		for _, r := range d.Text {
			text.WriteString(tokens[r-firstSymbol])
		}
		add(operations[d.Type], text.String())
	}
	add(OpKept, last)
	return pieces
}

// align says how one list becomes the other, step by step. It returns false if the work would
// exceed the bounds.
func (budget *WordBudget) align(a, b []string) (steps []byte, ok bool) {
	diffs, _, ok := budget.compare(a, b)
	for _, d := range diffs {
		for range d.Text {
			steps = append(steps, operations[d.Type])
		}
	}
	return steps, ok
}

// firstSymbol is the first of the private-use runes that stand for tokens, for the library compares
// runes. There are more of them than both sides can have tokens.
const firstSymbol = 0xf0000

// compare compares two lists of tokens, of which it returns the different ones in the order of
// their symbols.
func (budget *WordBudget) compare(a, b []string) (diffs []diffmatchpatch.Diff, distinct []string, ok bool) {
	cost := WordBudget((len(a) + 1) * (len(b) + 1))
	if max(len(a), len(b)) > maxDiffTokens || cost > *budget {
		return nil, nil, false
	}
	*budget -= cost
	symbols := map[string]rune{}
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
	old, new := encode(a), encode(b)
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // by default it gives up after a second, so machines would differ
	return dmp.DiffMainRunes(old, new, false), distinct, true
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
