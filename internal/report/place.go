package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// place returns the place of a pointer in a captured entry, for people.
func (r *Report) place(of pin.Ref, pointer string) string {
	s := r.described[of]
	if s == nil {
		s = &description{}
		if p := pin.ComparisonOf(r.Comparisons, of.Server); p != nil {
			if found := p.Captured.Find(of.Key); found != nil {
				s = describe(of.Type, jsontree.Value{}, found.Shown(), nil)
			}
		}
		r.described[of] = s
	}
	return s.place(1, pointer)
}
