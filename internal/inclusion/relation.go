package inclusion

import "pinproof/internal/jsontree"

// A Relation says how the values that a new schema takes compare with those that the old one took.
type Relation int

// The relations of a new schema to an old one. Unknown is what can't be proven.
const (
	Unknown Relation = iota
	Same
	Wider
	Narrower
)

// Compare proves how two schemas compare that are depth values deep in whole schemas, in which references are resolved. The
// whole schemas, and they alone, take nothing but objects.
func Compare(oldRoot, newRoot, old, new *jsontree.Value, depth int) Relation {
	if !plain(oldRoot) || !plain(newRoot) {
		return Unknown
	}
	takes := func(roots pair, question pair) bool {
		p := prover{roots: roots, open: map[pair]int{}, others: map[int]map[string]bool{}}
		return p.takes(question.inner, question.outer, depth)
	}
	keeps := takes(pair{oldRoot, newRoot}, pair{old, new})
	kept := takes(pair{newRoot, oldRoot}, pair{new, old})
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
