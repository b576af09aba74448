package inclusion

import (
	"math/big"
	"slices"

	"pinproof/internal/jsontree"
)

// A rule proves one keyword of an outer schema from what is known about a value. depth is that of the
// value.
type rule func(p *prover, f *facts, outer node, depth int) bool

// ruleOf returns the rule of a keyword that takes values away (JSON Schema 2020-12 Core, 10 and 11,
// and Validation, 6). A keyword without a rule takes no values away, or the rule of another keyword
// covers it.
func ruleOf(keyword string) (rule, bool) {
	switch keyword {
	case "$ref":
		return takesReference, true
	case "allOf":
		return takesAllOf, true
	case "anyOf":
		return takesAnyOf, true
	case "oneOf":
		return takesOneOf, true
	case "not":
		return takesNot, true
	case "if":
		return takesIf, true
	case "type":
		return takesType, true
	case "enum", "const":
		return takesListed, true
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return takesRange, true
	case "multipleOf":
		return takesMultiples, true
	case "minLength", "maxLength", "minItems", "maxItems":
		return size(keyword), true
	case "minProperties":
		return takesMinProperties, true
	case "maxProperties":
		return takesMaxProperties, true
	case "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema":
		return sameOf(keyword), true
	case "uniqueItems":
		return takesUnique, true
	case "contains":
		return takesContains, true
	case "maxContains":
		return takesMaxContains, true
	case "items", "prefixItems", "additionalItems":
		return takesItems, true
	case "unevaluatedItems":
		return takesUnevaluatedItems, true
	case "required":
		return takesRequired, true
	case "properties":
		return takesProperties, true
	case "patternProperties":
		return takesPatterns, true
	case "additionalProperties":
		return takesOthers, true
	case "propertyNames":
		return takesNames, true
	case "dependentRequired", "dependentSchemas", "dependencies":
		return takesDependencies, true
	case "unevaluatedProperties":
		return takesUnevaluated, true
	}
	return nil, false
}

// takesReference is for $ref. It follows the reference.
func takesReference(p *prover, f *facts, outer node, depth int) bool {
	target := p.target(outer, outer.get("$ref"))
	return target.value != nil && p.takes(f.set, target, depth)
}

func takesAllOf(p *prover, f *facts, outer node, depth int) bool {
	list := outer.get("allOf")
	for _, item := range itemsOf(list) {
		if !p.takes(f.set, outer.below(item), depth) {
			return false
		}
	}
	return list.Kind == '['
}

func takesAnyOf(p *prover, f *facts, outer node, depth int) bool {
	for _, item := range itemsOf(outer.get("anyOf")) {
		if p.takes(f.set, outer.below(item), depth) {
			return true
		}
	}
	return false
}

// takesOneOf is for oneOf: one of the schemas takes the values, and no other takes any of them.
func takesOneOf(p *prover, f *facts, outer node, depth int) bool {
	items := itemsOf(outer.get("oneOf"))
	for i, item := range items {
		if !p.takes(f.set, outer.below(item), depth) {
			continue
		}
		alone := true
		for j, other := range items {
			if i != j && alone {
				alone = p.apart(f.set, outer.below(other), depth)
			}
		}
		return alone
	}
	return false
}

func takesNot(p *prover, f *facts, outer node, depth int) bool {
	return p.apart(f.set, outer.below(outer.get("not")), depth)
}

// apart reports whether no value can satisfy both the constraints and a schema.
func (p *prover) apart(set constraints, other node, depth int) bool {
	for _, not := range set.nots {
		inside := constraints{}
		inside, fits := p.with(inside, other, 0)
		if !fits || p.same(not, other) || p.takes(inside, not, depth) {
			return true
		}
	}
	both, fits := p.with(set, other, 0)
	return !fits || p.impossible(both, depth, 0)
}

// takesIf is for if with then and else: values that fit if have to fit then, and all others else.
func takesIf(p *prover, f *facts, outer node, depth int) bool {
	test := outer.below(outer.get("if"))
	if then := outer.get("then"); then != nil {
		holds, fits := p.with(f.set, test, 0)
		if fits && !p.impossible(holds, depth, 0) && !p.takes(holds, outer.below(then), depth) {
			return false
		}
	}
	if otherwise := outer.get("else"); otherwise != nil {
		fails := f.set.clone()
		fails.nots = append(fails.nots, test)
		if !p.impossible(fails, depth, 0) && !p.takes(fails, outer.below(otherwise), depth) {
			return false
		}
	}
	return true
}

// takesType is for type. "nullable" makes an outer schema take null only if an inner schema is nullable,
// too: not every client knows that keyword.
func takesType(_ *prover, f *facts, outer node, _ int) bool {
	allowed, ok := typesOf(outer.get("type"))
	if ok && isTrue(outer.get("nullable")) && slices.ContainsFunc(f.set.bases, func(n node) bool { return isTrue(n.get("nullable")) }) {
		allowed |= typeNull
	}
	return ok && f.types&^allowed == 0
}

// takesListed is for enum and const. They take only what they list, and takesValues has already
// compared the values that there can be.
func takesListed(*prover, *facts, node, int) bool { return false }

// takesValues reports whether the values that there can be are listed, and each of them fits a keyword.
func (p *prover) takesValues(f *facts, outer node, keyword string, depth int) bool {
	if !f.listed {
		return false
	}
	for _, v := range f.values {
		if p.fitsKeyword(v, outer, keyword, depth) != yes {
			return false
		}
	}
	return true
}

// takesRange is for the bounds of numbers.
func takesRange(_ *prover, f *facts, outer node, _ int) bool {
	if f.types&typeNumber == 0 {
		return true
	}
	for _, keyword := range [...]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		v := outer.get(keyword)
		if v != nil && numberOf(v) == nil && v.Kind != 't' && v.Kind != 'f' {
			return false // it may mean anything
		}
	}
	wanted := facts{types: f.types & typeNumber, sizes: map[string]*big.Rat{}}
	wanted.readBounds(outer, true)
	wanted.tighten()
	if f.low.implies(wanted.low, 1) && f.high.implies(wanted.high, -1) {
		return true
	}
	return slices.ContainsFunc(f.set.bases, func(base node) bool {
		return alike(base, outer, "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
	})
}

// alike reports whether each of some keywords has the same value in two schemas, or is missing in both.
func alike(a, b node, keywords ...string) bool {
	for _, keyword := range keywords {
		if (a.get(keyword) != nil || b.get(keyword) != nil) && !sameKeyword(a, b, keyword) {
			return false
		}
	}
	return true
}

// takesMultiples is for multipleOf: a multiple of a multiple is itself a multiple.
func takesMultiples(_ *prover, f *facts, outer node, _ int) bool {
	wanted := numberOf(outer.get("multipleOf"))
	if f.types&typeNumber == 0 {
		return true
	}
	if wanted == nil || wanted.Sign() <= 0 {
		return false
	}
	if f.types&typeNumber == typeInteger && new(big.Rat).Inv(wanted).IsInt() {
		return true
	}
	return slices.ContainsFunc(f.set.bases, func(base node) bool {
		own := numberOf(base.get("multipleOf"))
		return own != nil && own.Sign() > 0 && new(big.Rat).Quo(own, wanted).IsInt()
	})
}

// size is the rule of a keyword that bounds a size.
func size(keyword string) rule {
	return func(_ *prover, f *facts, outer node, _ int) bool {
		if f.types&about(keyword) == 0 {
			return true
		}
		wanted := numberOf(outer.get(keyword))
		if wanted == nil {
			return false
		}
		known := f.sizes[keyword]
		if slices.Contains(lowest[:], keyword) {
			return wanted.Sign() <= 0 || known != nil && known.Cmp(wanted) >= 0
		}
		return known != nil && known.Cmp(wanted) <= 0
	}
}

// sameOf returns the rule of a keyword for texts that is only compared as it is written. If the inner
// schemas lack it, or give it another value, a text is read in another way.
func sameOf(keyword string) rule {
	return func(_ *prover, f *facts, outer node, _ int) bool {
		if f.types&typeString == 0 {
			return true
		}
		wanted := outer.get(keyword)
		for _, base := range f.set.bases {
			if own := base.get(keyword); own != nil && jsontree.Equal(*own, *wanted) {
				return true
			}
		}
		return false
	}
}

// takesUnevaluatedItems is for unevaluatedItems, which depends on all other keywords. Unless it takes
// everything, only a schema that is the same as a whole is proven: see hasSame.
func takesUnevaluatedItems(_ *prover, f *facts, outer node, _ int) bool {
	return f.types&typeArray == 0 || takesAll(outer.get("unevaluatedItems"))
}

// takesUnevaluated is for unevaluatedProperties. Each property that may be there has to be named by
// the outer schema, whatever alternative is chosen, or has to fit unevaluatedProperties.
func takesUnevaluated(p *prover, f *facts, outer node, depth int) bool {
	others := outer.below(outer.get("unevaluatedProperties"))
	if f.types&typeObject == 0 || takesAll(others.value) {
		return true
	}
	if f.rest() != restNone {
		return false
	}
	evaluated := map[string]bool{}
	p.addEvaluated(evaluated, outer, 0)
	for name := range f.named {
		if evaluated[name] {
			continue
		}
		set, possible := p.property(f, name)
		if possible && !p.takes(set, others, depth+1) {
			return false
		}
	}
	return true
}

// addEvaluated adds the properties that a schema names in any case (Core, 11.3).
func (p *prover) addEvaluated(names map[string]bool, n node, depth int) {
	properties := membersOf(n.get("properties"))
	p.steps -= 1 + len(properties)
	if depth > 20 || p.steps < 0 {
		return
	}
	for _, m := range properties {
		names[m.Name] = true
	}
	for _, item := range itemsOf(n.get("allOf")) {
		p.addEvaluated(names, n.below(item), depth+1)
	}
	if reference := n.get("$ref"); reference != nil {
		if target := p.target(n, reference); target.value != nil {
			p.addEvaluated(names, target, depth+1)
		}
	}
}

// takesAll reports whether a schema takes every value because it says nothing.
func takesAll(v *jsontree.Value) bool { return v.Kind != 'f' && len(v.Members()) == 0 }

// same reports whether two schemas are the same, with all that they refer to.
func (p *prover) same(a, b node) bool {
	if a.value == b.value && a.side == b.side {
		return true
	}
	if !jsontree.Equal(*a.value, *b.value) {
		return false
	}
	if a.side == b.side {
		return true
	}
	return p.sameMeaning(a, b, 0)
}

// sameMeaning reports whether two equal schemas of both documents mean the same: the same dialect,
// and references that lead to equal schemas.
func (p *prover) sameMeaning(a, b node, depth int) bool {
	p.steps--
	if p.steps < 0 || depth > 20 {
		return false
	}
	if !p.sameDialect && dependsOnDialect(a.value) {
		return false
	}
	meanSame := true
	eachReference(a.value, func(reference *jsontree.Value) {
		left := p.target(a, reference)
		right := p.target(b, reference)
		if left.value == nil || right.value == nil || !jsontree.Equal(*left.value, *right.value) {
			meanSame = false
			return
		}
		if slices.Contains(p.followed, left.value) {
			return
		}
		p.followed = append(p.followed, left.value)
		meanSame = meanSame && p.sameMeaning(left, right, depth+1)
		p.followed = p.followed[:len(p.followed)-1]
	})
	return meanSame
}
