package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// A placed is a pointer into a captured entry.
type placed struct {
	of      pin.Ref
	pointer string
}

// place returns the place of a pointer in a captured entry, for people.
func (r *Report) place(of pin.Ref, pointer string) string {
	if pointer == "" {
		return "" // the whole entry has no place in it, so that the entry needn't be described
	}
	if said, known := r.placed[placed{of, pointer}]; known {
		return said
	}
	s := &description{}
	if p := pin.ComparisonOf(r.Comparisons, of.Server); p != nil {
		if found := p.Captured.Find(of.Key); found != nil {
			s = describe(of.Type, jsontree.Value{}, found.Shown(), nil)
		}
	}
	r.notePlaces(of, s, pointer)
	return r.placed[placed{of, pointer}]
}

// notePlaces notes the places of an entry's findings and of other pointers into it, so that its description needn't be kept.
func (r *Report) notePlaces(of pin.Ref, s *description, others ...string) {
	for _, pointer := range append(others, r.pointers[of]...) {
		r.placed[placed{of, pointer}] = s.place(1, pointer)
	}
}
