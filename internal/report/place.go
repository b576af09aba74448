package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// place returns the place of a pointer in a captured entry, for people. It caches the description of one entry, because
// the findings of an entry are adjacent.
func (r *Report) place(of pin.Ref, pointer string) string {
	if pointer == "" {
		return "" // the whole entry needs no place, and so no description
	}
	if r.described == nil || r.describedEntry != of {
		r.described = &description{}
		r.describedEntry = of
		if p := pin.FindComparison(r.Comparisons, of.Server); p != nil {
			if found := p.Captured.Find(of.Key); found != nil {
				r.described = describe(&r.room, of.Type, jsontree.Value{}, found.ReviewTree(), nil)
			}
		}
	}
	return r.described.place(1, pointer)
}
