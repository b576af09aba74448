package inclusion

import (
	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
)

// A Relation compares the values that a new schema accepts with those that the old one accepted.
type Relation int

// The relations of a new schema to an old one. Unknown is what can't be proven.
const (
	Unknown Relation = iota
	Same
	Wider
	Narrower
)

// Compare proves how a new schema compares with an old one. Both are depth levels deep in whole schemas, within
// which references are resolved. Only whole schemas accept nothing but objects. Compare returns Unknown if the
// budget is too small.
func Compare(budget *effort.Budget, oldRoot, newRoot, old, new *jsontree.Value, depth int) Relation {
	forth := newProver(budget, oldRoot, newRoot)
	if !forth.isPlain(oldRoot) || !forth.isPlain(newRoot) {
		return Unknown
	}
	keeps := forth.takes(old, new, depth)
	kept := newProver(budget, newRoot, oldRoot).takes(new, old, depth)
	switch {
	case keeps && kept:
		return Same
	case keeps:
		return Wider
	case kept:
		return Narrower
	}
	return Unknown
}
