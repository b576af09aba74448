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

// What to read first in a review: the new sentences that a trained model scores as most like prompt injection. The
// score is a weak hint, which can be evaded. It only ranks sentences: it decides nothing and causes no warning.

const (
	maxReadFirst = 5
	maxQuoted    = 160 // code points of a sentence

	// muchToRead is the minimum number of new sentences for a review to name the ones to read first. A conspicuous
	// sentence is named in any review. With fewer sentences, maxReadFirst would be over a third of them, and the order
	// of the blocks suffices.
	muchToRead = 3 * maxReadFirst
)

// A scored is a new sentence of an entry.
type scored struct {
	facts.Sentence
	of *drifted
}

// readFirst sets the model's ReadFirst to the new sentences with the highest scores, each with the number of its block.
// It lists only one sentence of each entry, because a person who opens an entry at its worst sentence reads on there;
// so the list can name more entries.
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
	isNamed := map[*drifted]bool{}
	for _, one := range all {
		e := one.of
		if len(m.ReadFirst) == maxReadFirst || isNamed[e] {
			continue
		}
		isNamed[e] = true
		m.ReadFirst = append(m.ReadFirst, ReadFirst{
			Block: e.number(), Server: e.Server, List: pin.EntryTypeInfo[e.Type].Member, Name: e.Name, Entry: r.ref(e.Ref()),
			RawPointer: one.Pointer, Text: quoted(one.Text), Marked: one.Score >= rank.MarkThreshold,
		})
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
	return text.Printable(string(runes[:maxQuoted])) + "<and " + text.FormatCount(left, "more character") + ">"
}
