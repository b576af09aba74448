package main

import (
	"math"

	"pinproof/internal/rank"
)

// The trainer does logistic regression over the features of one window of each text: the window with the highest score
// under the current weights, as when a text is ranked. Each weight has its own learning rate, which decreases with the
// sum of its squared gradients (AdaGrad: Duchi, Hazan and Singer, 2011).
//
// Each product is rounded by a conversion to float64 before it is added, so that no processor fuses the two operations
// (Go specification, "Floating-point operators"). No function is used whose last bit depends on the processor.

const (
	epochs = 12

	// A feature that occurs in fewer texts gets no weight, because it characterizes one author, not poison.
	rareBelow = 2

	wordRate = 0.16 // the learning rate of words and pairs of words

	classRate = 0.2 // the learning rate of classes and pairs of classes

	// The fraction by which each weight except the bias shrinks in each epoch, so that features of few texts keep small
	// weights.
	shrink = 0.2

	scale = 32 // the number of steps of a stored weight per logit
)

// learn returns a weight for each slot.
func learn(texts []Text) []float64 {
	weights := make([]float64, rank.SlotCount)
	learned := make([]float64, rank.SlotCount)
	usable := frequent(texts)
	reader := new(rank.Reader)
	var slots []uint32
	state := uint32(1)
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	for range epochs {
		for i := len(order) - 1; i > 0; i-- {
			// Numerical Recipes, "quick and dirty" generator.
			state = state*1664525 + 1013904223
			j := int(uint64(state) * uint64(i+1) >> 32)
			order[i], order[j] = order[j], order[i]
		}
		for _, i := range order {
			text := &texts[i]
			_, window := rank.BestWindow(weights, reader, text.Text)
			slots = reader.AppendFeatures(slots[:0], text.Text, window)
			score := 0.0
			for _, slot := range slots {
				score += weights[slot]
			}
			gradient := logistic(score)
			if text.Poison {
				gradient--
			}
			square := float64(gradient * gradient)
			for _, slot := range slots {
				if !usable[slot] {
					continue
				}
				learned[slot] += square
				rate := classRate
				if rank.IsWordSlot(slot) {
					rate = wordRate
				}
				step := float64(rate * gradient)
				weights[slot] -= step / math.Sqrt(learned[slot]+0.1)
			}
		}
		for slot := range weights {
			if slot != rank.BiasSlot {
				weights[slot] -= float64(weights[slot] * shrink)
			}
		}
	}
	return weights
}

// frequent reports, for each slot, whether at least rareBelow texts have it or it is a slot of classes.
func frequent(texts []Text) []bool {
	count := make([]int, rank.SlotCount)
	last := make([]int, rank.SlotCount)
	reader := new(rank.Reader)
	for i, text := range texts {
		reader.EachWordSlot(text.Text, func(slot uint32) {
			if last[slot] != i+1 {
				last[slot] = i + 1
				count[slot]++
			}
		})
	}
	usable := make([]bool, rank.SlotCount)
	for slot, n := range count {
		usable[slot] = n >= rareBelow || !rank.IsWordSlot(uint32(slot))
	}
	return usable
}

// logistic returns 1/(1+e^-x). It approximates the power of e by ten squarings of (1+x/1024), which is accurate enough
// and the same on every processor.
func logistic(x float64) float64 {
	part := float64(min(max(x, -30), 30) / 1024)
	power := 1 + part
	for range 10 {
		power *= power
	}
	return power / (1 + power)
}

// quantized rounds weights to signed bytes, one for each slot.
func quantized(weights []float64) []byte {
	file := make([]byte, len(weights))
	for slot, weight := range weights {
		step := math.RoundToEven(float64(weight * scale))
		file[slot] = byte(int8(min(max(step, -127), 127)))
	}
	return file
}
