package inclusion

import "pinproof/internal/jsontree"

// A Pair compares schemas of an old and a new document, by JSON Schema alone: without the two conventions.
type Pair struct{ forth, back *prover }

// Between returns the pair of two whole schemas. All comparisons of a pair share the steps of one proof.
func Between(old, new *jsontree.Value) *Pair {
	p := &Pair{&prover{strict: true, steps: maxSteps}, &prover{strict: true, steps: maxSteps}}
	for i, root := range []*jsontree.Value{old, new} {
		d := newDocument(root)
		p.forth.documents[i] = d
		p.back.documents[1-i] = d
	}
	same := p.forth.documents[0].dialect == p.forth.documents[1].dialect
	p.forth.sameDialect = same
	p.back.sameDialect = same
	return p
}

// Compare reports whether a schema of the new document is proven to take all that one of the old document takes, and
// the other way round.
func (p *Pair) Compare(old, new *jsontree.Value) (takesOld, takenByOld bool) {
	if p.forth.documents[0].odd || p.forth.documents[1].odd {
		return false, false
	}
	return p.forth.includes(old, new), p.back.includes(new, old)
}

// includes reports whether every value that inner takes is proven to be taken by outer.
func (p *prover) includes(inner, outer *jsontree.Value) bool {
	set, fits := p.with(constraints{}, node{value: inner, side: innerSide}, 0)
	return !fits || p.takes(set, node{value: outer, side: outerSide}, 0)
}
