package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/text"
)

// This file splits a text into words, and maps words to slots of the table of weights. The trainer and the scorer share
// the code, so they can't disagree.

const (
	// window is the length of the text that is scored at once, in half words. It is limited so that a poisoned sentence
	// has the same score between honest ones as alone. A character of a script without spaces is half a word.
	window = 2 * 40

	// pieceWords bounds the words that are kept at once, for any length of the text: a piece ends with the chunk in
	// which it reaches this number.
	pieceWords = 512

	// longestChunk limits, in bytes, how much of a text without spaces is read at once.
	longestChunk = 4096

	// longestWord is the maximum length, in bytes, of a word with a slot of its own. All longer words share one slot:
	// no word of a language is longer, but keys and encoded texts are.
	longestWord = 64
)

// The table of weights: slots for words and pairs of words, for the classes of words, and for pairs of classes.
const (
	wordSlots  = 1 << 16
	classSlots = wordSlots
	pairSlots  = classSlots + classCount
	BiasSlot   = pairSlots + classCount*(classCount-1)/2 // the slot of the bias, the constant term of every sum
	SlotCount  = BiasSlot + 1                            // the size of the table
)

// A Word is a word of a text, with the slots of its features.
type Word struct {
	From int // its offset in the text, in bytes

	width int8 // in half words

	// A bit for each class that it belongs to.
	classes uint64

	hash uint32 // of the word in lower case

	// Slots of the word itself.
	WordSlots []uint32

	// The slot of the word and the next one together, and that of the word and the one after the next.
	PairSlots [len(distances)]uint32
}

// A Reader splits one text after another into words. It reuses its memory, so the words of one piece are valid only
// until the next piece is read.
type Reader struct {
	words []Word
	slots []uint32
	lower []byte
}

// ReadPiece reads about pieceWords words, starting at an offset. next is the offset of the next piece, or -1 at the end
// of the text. Pieces overlap, so that every window lies within one piece.
func (r *Reader) ReadPiece(s string, from int) (words []Word, next int) {
	r.words = r.words[:0]
	r.slots = r.slots[:0]
	for from < len(s) && len(r.words) < pieceWords {
		start := from + text.RunSize(s[from:], isBlank)
		from = start + text.RunSize(s[start:cut(s, start+longestChunk)], isInk)
		r.chunk(s, start, from)
	}
	r.join()
	if from >= len(s) {
		return r.words, -1
	}
	return r.words, r.words[len(r.words)-window].From
}

// cut returns the offset of the last character that begins at or before an offset, or the size of the text if the
// offset is beyond it.
func cut(s string, at int) int {
	if at >= len(s) {
		return len(s)
	}
	for !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

func isBlank(r rune) bool { return !isInk(r) }

func isInk(r rune) bool {
	return r > ' ' && r < utf8.RuneSelf || !unicode.IsSpace(r) && !text.UnusualSpace(r)
}

// chunk reads the words between two spaces, without quotes, brackets and punctuation around them.
func (r *Reader) chunk(s string, from, to int) {
	tag := uint64(0)
	if from < to && strings.IndexByte("<[#", s[from]) >= 0 {
		tag = 1 << classTag
	}
	from = to - len(strings.TrimLeftFunc(s[from:to], isAround))
	to = from + len(strings.TrimRightFunc(s[from:to], func(c rune) bool { return c == '.' || isAround(c) }))
	for at := from; at < to; {
		c, size := utf8.DecodeRuneInString(s[at:to])
		if isDense(c) {
			at += r.denseWord(s, at, to)
			continue
		}
		if !isLetter(c) {
			at += size
			continue
		}
		n := text.RunSize(s[at:to], isWordRune)
		r.word(s, at, at+n, tag)
		at += n
	}
}

// isAround reports whether a character is punctuation that delimits words, such as a quote or a bracket.
func isAround(c rune) bool {
	return strings.ContainsRune("\"'`()[]{}<>,;:!?*|#=“”‘’«»„。，、！？：；（）「」《》", c)
}

func isLetter(c rune) bool { return c >= '0' && c <= '9' || unicode.IsLetter(c) }

// isWordRune reports whether a character belongs to a word of a script with spaces. Hidden characters belong to
// the word that they are in.
func isWordRune(c rune) bool {
	if c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '\''
	}
	return c == '’' || (unicode.IsLetter(c) || unicode.IsMark(c) || text.IsHidden(c)) && !isDense(c)
}

// isDense reports whether a character is of a script without spaces between words.
func isDense(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// add appends a word and sets its WordSlots.
func (r *Reader) add(w Word, slots ...uint32) {
	r.slots = append(r.slots, slots...)
	w.WordSlots = r.slots[len(r.slots)-len(slots):]
	r.words = append(r.words, w)
}

// word reads a word of a script with spaces.
func (r *Reader) word(s string, from, to int, classes uint64) {
	r.lower = r.lower[:0]
	capitals := true
	for _, c := range s[from:to] {
		if text.IsHidden(c) {
			continue
		}
		if c == '’' {
			c = '\''
		}
		capitals = capitals && (unicode.IsUpper(c) || c < 'A')
		r.lower = utf8.AppendRune(r.lower, unicode.ToLower(c))
	}
	if capitals && to-from > 3 {
		classes |= 1 << classCapitals
	}
	hash := uint32(hashStart)
	if to-from <= longestWord {
		classes |= known().classes(r.lower)
		for _, c := range r.lower {
			hash = (hash ^ uint32(c)) * hashPrime
		}
	}
	r.add(Word{From: from, width: 2, classes: classes, hash: hash}, wordSlot(hash, 1))
}

// denseWord reads two adjacent characters as one word, for scripts written without spaces. It returns the size
// of the first, so successive words overlap.
func (r *Reader) denseWord(s string, at, to int) int {
	first, size := utf8.DecodeRuneInString(s[at:to])
	next, nextSize := utf8.DecodeRuneInString(s[at+size : to])
	end := at + size
	if nextSize > 0 && isDense(next) {
		end += nextSize
	} else {
		next = 0
	}
	own := (hashStart ^ uint32(first)) * hashPrime
	hash := (own ^ uint32(next)) * hashPrime
	r.add(Word{From: at, width: 1, classes: known().words[s[at:end]], hash: hash}, wordSlot(hash, 1), wordSlot(own, 1))
	return size
}

// distances lists how far apart two words are that form a feature together: adjacent, or with one word between.
var distances = [...]int{1, 2}

// join sets the slots of the pairs that each word forms with the words after it.
func (r *Reader) join() {
	for i := range r.words {
		w := &r.words[i]
		for k, distance := range distances {
			if i+distance < len(r.words) {
				pair := (w.hash*hashPrime ^ r.words[i+distance].hash) * hashPrime
				w.PairSlots[k] = wordSlot(pair, uint32(2+k))
			}
		}
	}
}

// FNV-1a with 32 bits, by D. Eastlake and others (RFC 9923).
const (
	hashStart = 2166136261
	hashPrime = 16777619
)

// wordSlot returns the slot of a word or a pair of words. kind distinguishes single words and the distances of pairs.
func wordSlot(hash, kind uint32) uint32 {
	return mixed(hash^kind*0x85ebca6b) % wordSlots
}

// mixed spreads the bits of a hash, whose lowest bits depend on the lowest bits of the letters alone.
func mixed(hash uint32) uint32 {
	hash ^= hash >> 16
	hash *= 0x7feb352d
	hash ^= hash >> 15
	hash *= 0x846ca68b
	return hash ^ hash>>16
}

// pairSlot returns the slot of a pair of classes.
func pairSlot(a, b int) uint32 {
	if a > b {
		return pairSlot(b, a)
	}
	return uint32(pairSlots + b*(b-1)/2 + a)
}

// IsWordSlot reports whether a slot is that of a word or of a pair of words, and not of classes.
func IsWordSlot(slot uint32) bool { return slot < wordSlots }
