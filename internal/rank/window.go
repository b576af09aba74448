package rank

import (
	"math"
	"math/bits"
)

// A Window is a run of words that is scored.
type Window struct {
	// The offset in bytes of the piece that its words are in.
	piece int

	first, end int    // the range of its words in that piece
	classes    uint64 // a bit for each class that a word of the window belongs to
}

// BestWindow finds the window of a text that has the highest score, which is the sum of the weights of its features.
// The trainer's weights are fractions, so BestWindow always adds them in the same order; otherwise rounding could differ.
func BestWindow(weights []float64, r *Reader, s string) (score float64, best Window) {
	score = math.Inf(-1)
	for from := 0; from >= 0; {
		words, next := r.ReadPiece(s, from)
		slide := sliding{weights: weights, words: words, sum: weights[BiasSlot]}
		slide.piece = from
		for i := range words {
			// A window without room for the next word is full.
			if slide.width+int(words[i].width) > window {
				if slide.sum > score {
					score = slide.sum
					best = slide.Window
				}
				for slide.width+int(words[i].width) > window {
					slide.first++
					slide.count(slide.first-1, -1)
				}
			}
			slide.count(slide.end, 1)
			slide.end++
		}
		// The last window of a text counts although it isn't full.
		if next < 0 && slide.sum > score {
			score = slide.sum
			best = slide.Window
		}
		from = next
	}
	return score, best
}

// A sliding window updates its sum while words are added and removed.
type sliding struct {
	Window
	weights []float64
	words   []Word
	width   int // in half words
	sum     float64
	ofEach  [classCount]int32 // the number of words of each class
}

// count adds a word at an end of the window to the sum (sign 1), or removes it (sign -1). The conversions to
// float64 prevent fused multiplication and addition, so that sums are the same on any processor.
func (w *sliding) count(at int, sign float64) {
	word := &w.words[at]
	own := 0.0
	for _, slot := range word.WordSlots {
		own += w.weights[slot]
	}
	w.sum += float64(sign * own)
	for k, distance := range distances {
		if at-distance >= w.first {
			w.sum += float64(sign * w.weights[w.words[at-distance].PairSlots[k]])
		}
		if at+distance < w.end {
			w.sum += float64(sign * w.weights[word.PairSlots[k]])
		}
	}
	for left := word.classes; left != 0; left &= left - 1 {
		class := bits.TrailingZeros64(left)
		before := w.ofEach[class]
		w.ofEach[class] += int32(sign)
		if before+w.ofEach[class] == 1 { // the first word of a class is added, or the last one removed
			w.sum += float64(sign * w.ofClass(class))
			w.classes ^= 1 << class
		}
	}
	w.width += int(sign) * int(word.width)
}

// ofClass returns the weight of a class plus the weights of its pairs with the other classes of the window.
func (w *sliding) ofClass(class int) float64 {
	sum := w.weights[classSlots+class]
	for left := w.classes &^ (1 << class); left != 0; left &= left - 1 {
		sum += w.weights[pairSlot(class, bits.TrailingZeros64(left))]
	}
	return sum
}

// AppendFeatures appends the slots of all features of a window to a list.
func (r *Reader) AppendFeatures(slots []uint32, s string, w Window) []uint32 {
	words, _ := r.ReadPiece(s, w.piece)
	for i := w.first; i < w.end; i++ {
		slots = append(slots, words[i].WordSlots...)
		for k := range distances {
			if i+distances[k] < w.end {
				slots = append(slots, words[i].PairSlots[k])
			}
		}
	}
	for class := range classCount {
		if w.classes>>class&1 == 0 {
			continue
		}
		slots = append(slots, uint32(classSlots+class))
		for other := range class {
			if w.classes>>other&1 == 1 {
				slots = append(slots, pairSlot(other, class))
			}
		}
	}
	return append(slots, BiasSlot)
}

// EachWordSlot calls f for the slots of all words of a text, of their pairs, and of the bias. It may call f more than
// once for a slot.
func (r *Reader) EachWordSlot(s string, f func(slot uint32)) {
	for from := 0; from >= 0; {
		words, next := r.ReadPiece(s, from)
		for _, slot := range r.AppendFeatures(nil, s, Window{piece: from, end: len(words)}) {
			f(slot)
		}
		from = next
	}
}
