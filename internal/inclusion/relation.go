package inclusion

import (
	"slices"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/normal"
)

// A Relation compares the values that a new schema accepts with those that the old one accepted.
type Relation int

// The relations of a new schema to an old one. Unknown means that no relation could be proven.
const (
	Unknown Relation = iota
	Same
	Wider
	Narrower
)

// Compare proves how a new schema compares with an old one. Both are depth levels deep in whole schemas, within which
// references are resolved. At depth 0, they are whole schemas themselves, which accept only objects. Compare returns
// Unknown if the budget is too small.
func Compare(budget *effort.Budget, oldRoot, newRoot, old, new *jsontree.Value, depth int) Relation {
	if !normal.IsUnderstood(oldRoot) || !normal.IsUnderstood(newRoot) {
		return Unknown
	}
	keeps := newProver(budget, oldRoot, newRoot).takes(old, new, depth)
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

// IsApart reports whether provably no value fits both a schema and another one in a list. All are in the whole schema
// root.
func IsApart(budget *effort.Budget, root, one *jsontree.Value, list jsontree.Value) bool {
	p := newProver(budget, root, root)
	return !slices.ContainsFunc(below(&list), func(other *jsontree.Value) bool { return other != one && !p.apart(one, other) })
}
