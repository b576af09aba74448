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

// Compare proves how two schemas compare that are depth values deep in whole schemas, in which references are resolved. The
// whole schemas, and they alone, take nothing but objects. What the budget is too small for is not proven.
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
