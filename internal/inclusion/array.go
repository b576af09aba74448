package inclusion

import (
	"math/big"
	"slices"

	"pinproof/internal/jsontree"
)

// A sequence is what a schema says about an array's elements: about the first ones by their places, and
// about the others.
type sequence struct {
	first []node
	rest  node // its value is nil where nothing is said
}

// sequenceOf reads a schema's sequence from prefixItems and items or, before 2020-12, from items and
// additionalItems (Core, 10.3.1). It returns false if the schema's dialect doesn't have the form used.
func (p *prover) sequenceOf(n node) (sequence, bool) {
	s := sequence{}
	items := n.get("items")
	if p.documents[n.side].dialect == dialectNew {
		if items != nil && items.Kind == '[' || n.get("additionalItems") != nil && items == nil {
			return s, false
		}
		for _, item := range itemsOf(n.get("prefixItems")) {
			s.first = append(s.first, n.below(item))
		}
		s.rest = n.below(items)
		return s, true
	}
	if n.get("prefixItems") != nil {
		return s, false
	}
	if items == nil || items.Kind != '[' {
		s.rest = n.below(items)
		return s, true
	}
	for _, item := range itemsOf(items) {
		s.first = append(s.first, n.below(item))
	}
	s.rest = n.below(n.get("additionalItems"))
	return s, true
}

// at returns the schema of the element at a place, with a nil value if nothing is said about it.
func (s sequence) at(i int) node {
	if i < len(s.first) {
		return s.first[i]
	}
	return s.rest
}

// element returns the constraints of the element at a place, and whether there may be one.
func (p *prover) element(f *facts, i int) (constraints, bool) {
	set := constraints{}
	for _, base := range f.set.bases {
		s, ok := p.sequenceOf(base)
		if !ok || s.at(i).value == nil {
			continue
		}
		fits := true
		set, fits = p.with(set, s.at(i), 0)
		if !fits {
			return set, false
		}
	}
	most := f.sizes["maxItems"]
	return set, most == nil || most.Cmp(new(big.Rat).SetInt64(int64(i))) > 0
}

// places returns how many places at the front have their own schema.
func (p *prover) places(f *facts) int {
	n := 0
	for _, base := range f.set.bases {
		s, _ := p.sequenceOf(base)
		n = max(n, len(s.first))
	}
	return n
}

// maxPlaces bounds the places that are compared one by one.
const maxPlaces = 100

// takesItems is for the elements of arrays, place by place. The first place without its own schema
// stands for all the rest.
func takesItems(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeArray == 0 {
		return true
	}
	wanted, ok := p.sequenceOf(outer)
	if !ok {
		return false
	}
	last := max(len(wanted.first), p.places(f))
	if last > maxPlaces {
		return false
	}
	for i := range last + 1 {
		if wanted.at(i).value == nil {
			continue
		}
		set, possible := p.element(f, i)
		if possible && !p.takes(set, wanted.at(i), depth+1) {
			return false
		}
	}
	return true
}

func takesUnique(_ *prover, f *facts, outer node, _ int) bool {
	if f.types&typeArray == 0 || !isTrue(outer.get("uniqueItems")) {
		return true
	}
	most := f.sizes["maxItems"]
	if most != nil && most.Cmp(big.NewRat(1, 1)) <= 0 {
		return true
	}
	return slices.ContainsFunc(f.set.bases, func(base node) bool { return isTrue(base.get("uniqueItems")) })
}

// takesContains is for contains, with minContains. Either there are enough elements and all of them
// fit, or an inner schema's contains implies the outer one.
func takesContains(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeArray == 0 {
		return true
	}
	contains := outer.below(outer.get("contains"))
	wanted := big.NewRat(1, 1)
	if least := outer.get("minContains"); least != nil {
		wanted = numberOf(least)
	}
	if wanted == nil || outer.get("maxContains") != nil {
		return false
	}
	if wanted.Sign() <= 0 && p.knows(outer, "minContains") {
		return true
	}
	for _, base := range f.set.bases {
		own := base.get("contains")
		if own == nil || base.get("minContains") != nil && !sameKeyword(base, outer, "minContains") || outer.get("minContains") != nil && !sameKeyword(base, outer, "minContains") {
			continue
		}
		set, fits := p.with(constraints{}, base.below(own), 0)
		if !fits || p.takes(set, contains, depth+1) {
			return true
		}
	}
	least := f.sizes["minItems"]
	if least == nil || least.Cmp(wanted) < 0 {
		return false
	}
	for i := range min(p.places(f), maxPlaces) + 1 {
		set, possible := p.element(f, i)
		if possible && !p.takes(set, contains, depth+1) {
			return false
		}
	}
	return p.places(f) <= maxPlaces
}

// sameKeyword reports whether two schemas have a keyword with the same value.
func sameKeyword(a, b node, keyword string) bool {
	left := a.get(keyword)
	right := b.get(keyword)
	return left != nil && right != nil && jsontree.Equal(*left, *right)
}

// takesMaxContains is for maxContains: it takes arrays that have no more elements than that in all.
func takesMaxContains(_ *prover, f *facts, outer node, _ int) bool {
	wanted := numberOf(outer.get("maxContains"))
	most := f.sizes["maxItems"]
	return f.types&typeArray == 0 || outer.get("contains") == nil || wanted != nil && most != nil && most.Cmp(wanted) <= 0
}
