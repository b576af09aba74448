// Package rank scores how much a sentence reads like a text that poisons a tool. The score orders what a
// person reads, and package lint warns of a sentence that names a file with secrets if its score is high. It is
// a weak hint, which the author of a text can evade. No code that decides may use it.
//
// The score is that of a linear model over words. Learned weights are summed over a window of
// forty words, and the window with the highest sum counts, so that padding dilutes it little. The
// weights are bytes and the sums whole numbers, so the same text has the same score everywhere.
package rank

import (
	_ "embed"
	"slices"
	"sync"
)

// weightFile has the weights, a signed byte for each slot. internal/rank/train writes it.
//
//go:embed weights.bin
var weightFile string

// Marked is the score from which on a sentence is marked in any review. Of texts by authors that
// the model hadn't seen, 26 % of poison and 1.4 % of honest look-alikes have it, and so has one in a
// hundred and twenty sentences of ordinary servers: few enough for a mark, far too many for a warning.
const Marked = 40

// A Model is a table of weights, by slot.
type Model []int8

// Learned is the model that the program comes with.
var Learned = sync.OnceValue(func() Model { return FromBytes(weightFile) })

// FromBytes makes a model from the bytes of its file.
func FromBytes(file string) Model {
	m := make(Model, len(file))
	for i := range m {
		m[i] = int8(file[i])
	}
	return m
}

// readers keeps the memory of readers for reuse, because there are thousands of sentences.
var readers = sync.Pool{New: func() any { return new(Reader) }}

// Score returns how much a text reads like poison, in 32nds of a logit. Only the order of scores has a
// meaning.
func (m Model) Score(s string) int {
	r := readers.Get().(*Reader)
	defer readers.Put(r)
	score, _ := Best(m, r, s)
	return int(score)
}

// Words returns the words that weigh most in the score of a text, as many as most, in the order of
// the text.
func (m Model) Words(s string, most int) (words []string) {
	r := readers.Get().(*Reader)
	defer readers.Put(r)
	_, w := Best(m, r, s)
	piece, _ := r.Piece(s, w.piece)
	type weighed struct {
		from, to int
		weight   int
	}
	var list []weighed
	for i := w.first; i < w.end; i++ {
		one := weighed{from: piece[i].From, to: piece[i].To}
		one.weight = 2 * int(own(m, &piece[i]))
		// Half of what a pair of words weighs belongs to each.
		for k := range distances {
			if i+distances[k] < w.end {
				one.weight += int(m[piece[i].Joint[k]])
			}
			if before := i - distances[k]; before >= w.first {
				one.weight += int(m[piece[before].Joint[k]])
			}
		}
		for class := range bitsOf(piece[i].classes) {
			one.weight += 2 * int(m[classSlots+class])
			for other := range bitsOf(w.classes &^ (1 << class)) {
				one.weight += int(m[pairSlot(class, other)])
			}
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b weighed) int { return b.weight - a.weight })
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(one weighed) bool {
		word := s[one.from:one.to]
		again := seen[word]
		seen[word] = true
		return again || one.weight <= 0
	})
	list = list[:min(len(list), most)]
	slices.SortFunc(list, func(a, b weighed) int { return a.from - b.from })
	for _, one := range list {
		words = append(words, s[one.from:one.to])
	}
	return words
}
