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
	score, _ := BestWindow(m, r, s)
	return int(score)
}
