// Package rank scores how much a sentence reads like the poisoning of a tool. Reviews are ordered by the score,
// and package lint warns of a sentence that names a file with secrets and has a high score. The score is a weak
// hint, which the author of a text can evade, so no code that decides may use it.
//
// The score is that of a linear model over words. Learned weights are summed over a window of forty words, and
// the window with the highest sum counts, so that padding hardly lowers the score. The weights are bytes and
// the sums whole numbers, so the same text has the same score everywhere.
package rank

import (
	_ "embed"
	"sync"
)

// weightFile has the weights, a signed byte for each slot. internal/rank/train writes it.
//
//go:embed weights.bin
var weightFile string

// MarkThreshold is the lowest score at which a review marks a sentence. Among texts by authors that the model hadn't
// seen, 26 % of poison and 1.4 % of honest look-alikes reach it, and so does one in 120 sentences of ordinary servers:
// few enough for a mark, far too many for a warning.
const MarkThreshold = 40

// A Model is a table of weights, by slot.
type Model []float64

// LearnedModel returns the model that is embedded in the program.
var LearnedModel = sync.OnceValue(func() Model { return ParseModel(weightFile) })

// ParseModel makes a model from the bytes of its file.
func ParseModel(file string) Model {
	m := make(Model, len(file))
	for i := range m {
		m[i] = float64(int8(file[i]))
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
