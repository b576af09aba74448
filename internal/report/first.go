package report

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/facts"
	"pinproof/internal/pin"
	"pinproof/internal/rank"
	"pinproof/internal/text"
)

// What to read first in a review: the new sentences that read most like poison to a model that has
// learned from texts. This is a weak hint, which can be evaded. It only ranks: it decides nothing and makes
// no warning.

const (
	maxReadFirst = 5
	maxQuoted    = 160 // code points of a sentence

	// muchToRead is how many new sentences a review for people must have to name those to read first, unless one of them would
	// be conspicuous in any review. Five of fewer would be a third or more, and the order of the blocks is enough.
	muchToRead = 3 * maxReadFirst
)

// A scored is a new sentence of an entry.
type scored struct {
	facts.Sentence
	of *drifted
}

// readFirst lists the new sentences with the highest scores, each once, with the first block that
// has it. Only one sentence of each entry is listed: whoever opens an entry at its worst sentence
// reads on there, so the rest of the list can name other entries.
func (r *Report) readFirst(m *Model) {
	var all []scored
	seen := map[string]bool{}
	for _, e := range r.entries {
		for _, sentence := range e.NewSentences {
			if !seen[sentence.Text] {
				all = append(all, scored{sentence, e})
			}
			seen[sentence.Text] = true
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.Score, a.Score) })
	for _, one := range all {
		e := one.of
		isNamed := func(first ReadFirst) bool { return first.of == e }
		if len(m.ReadFirst) == maxReadFirst || slices.ContainsFunc(m.ReadFirst, isNamed) {
			continue
		}
		first := ReadFirst{
			of: e, Block: e.block.Number, Server: e.Server, List: pin.EntryTypeInfo[e.Type].Member, Name: e.Name, Entry: r.ref(e.Ref()),
			At: one.Pointer, Text: quoted(one.Text), Marked: one.Score >= rank.Marked,
		}
		// If one row about its place is in the block, the sentence may be in that.
		about := e.about(one.Pointer)
		isOwn := slices.ContainsFunc(about, func(c *change) bool { return c.shared == nil })
		if len(about) > 0 && !isOwn {
			first.Block = about[len(about)-1].shared.Number
		}
		m.ReadFirst = append(m.ReadFirst, first)
	}
	m.MuchToRead = len(all) >= muchToRead || len(m.ReadFirst) > 0 && m.ReadFirst[0].Marked
}

// quoted returns a sentence on one line, printable, and cut if it is long.
func quoted(s string) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	left := len(runes) - maxQuoted
	if left <= 0 {
		return text.Printable(string(runes))
	}
	return text.Printable(string(runes[:maxQuoted])) + "<and " + text.Count(left, "more character") + ">"
}
