package inclusion

import (
	"math/big"
	"slices"

	"pinproof/internal/jsontree"
)

// Types of values. An integer is a number without a fraction (JSON Schema 2020-12 Validation,
// 6.1.1), so that each value has exactly one of these.
type types uint8

const (
	typeArray types = 1 << iota
	typeBoolean
	typeFraction
	typeInteger
	typeNull
	typeObject
	typeString

	typeNumber = typeInteger | typeFraction
	allTypes   = 1<<iota - 1
)

// typeNamed returns the type that a name means, or the two types of "number". It returns 0 for any other text.
func typeNamed(name string) types {
	switch name {
	case "array":
		return typeArray
	case "boolean":
		return typeBoolean
	case "integer":
		return typeInteger
	case "null":
		return typeNull
	case "number":
		return typeNumber
	case "object":
		return typeObject
	case "string":
		return typeString
	}
	return 0
}

// typesOf reads the keyword type. It returns false if that is neither a type nor a list of
// types.
func typesOf(v *jsontree.Value) (types, bool) {
	if v == nil {
		return allTypes, true
	}
	if v.Kind == '"' {
		t := typeNamed(v.Text)
		return t, t != 0
	}
	var all types
	for _, item := range itemsOf(v) {
		t := typeNamed(jsontree.TextOf(item))
		if t == 0 {
			return 0, false
		}
		all |= t
	}
	return all, all != 0
}

// A limit is the bound that a keyword sets. Without a number it bounds nothing.
type limit struct {
	number *big.Rat
	open   bool // the bound itself is outside
}

// numberOf reads a number. It returns nil if the value isn't a number, or has more than 400 characters.
func numberOf(v *jsontree.Value) *big.Rat {
	if v == nil || v.Kind != '0' || len(v.Text) > 400 {
		return nil
	}
	n, ok := new(big.Rat).SetString(v.Text)
	if !ok {
		return nil
	}
	return n
}

// facts are what is known about every value that fits some constraints.
type facts struct {
	set  constraints
	none bool // no value fits them

	// An object has only properties that are named.
	closed bool

	// JSON Schema alone, without the conventions of tools.
	strict bool

	types types

	// All values that may fit, if enum or const lists them; otherwise nil.
	values []*jsontree.Value

	listed bool

	low, high limit // of numbers

	// The strictest bound of each keyword that bounds a size, such as minLength.
	sizes map[string]*big.Rat

	required map[string]bool

	// Properties that some schema names, including those in alternatives.
	named map[string]bool
}

// lowest are the keywords that bound a size from below, highest those from above.
var (
	lowest  = [...]string{"minLength", "minItems", "minProperties"}
	highest = [...]string{"maxLength", "maxItems", "maxProperties"}
)

// factsOf works out what is known about the values that fit the constraints.
func (p *prover) factsOf(set constraints) facts {
	f := facts{set: set, strict: p.strict, types: allTypes, sizes: map[string]*big.Rat{}, required: map[string]bool{}, named: map[string]bool{}}
	for _, base := range set.bases {
		f.readType(base)
		f.readBounds(base, false)
		for _, name := range namesIn(base.get("required")) {
			p.steps--
			f.required[name] = true
			f.named[name] = true
		}
		p.addNames(f.named, base, 0)
		f.closed = f.closed || p.isClosed(base)
	}
	f.tighten()
	for _, base := range set.bases {
		p.readValues(&f, base)
	}
	if f.types == 0 || f.listed && len(f.values) == 0 {
		f.none = true
	}
	return f
}

// readType reads the types that a schema allows. A client that knows nullable allows null, too
// (OpenAPI 3.0.3, Schema Object).
func (f *facts) readType(base node) {
	allowed, ok := typesOf(base.get("type"))
	if !ok {
		return
	}
	if isTrue(base.get("nullable")) {
		allowed |= typeNull
	}
	f.types &= allowed
}

// isTrue reports whether a keyword is there and true.
func isTrue(v *jsontree.Value) bool { return v != nil && v.Kind == 't' }

// readBounds reads the bounds of numbers and sizes. Only in draft-04 can exclusiveMinimum and
// exclusiveMaximum be true. That counts only for an outer schema (strictly), where it leaves more to prove.
func (f *facts) readBounds(base node, strictly bool) {
	f.low = stricter(f.low, limit{numberOf(base.get("minimum")), strictly && isTrue(base.get("exclusiveMinimum"))}, 1)
	f.low = stricter(f.low, limit{numberOf(base.get("exclusiveMinimum")), true}, 1)
	f.high = stricter(f.high, limit{numberOf(base.get("maximum")), strictly && isTrue(base.get("exclusiveMaximum"))}, -1)
	f.high = stricter(f.high, limit{numberOf(base.get("exclusiveMaximum")), true}, -1)
	for _, keyword := range lowest {
		n := numberOf(base.get(keyword))
		if n != nil && (f.sizes[keyword] == nil || n.Cmp(f.sizes[keyword]) > 0) {
			f.sizes[keyword] = n
		}
	}
	for _, keyword := range highest {
		n := numberOf(base.get(keyword))
		if n != nil && (f.sizes[keyword] == nil || n.Cmp(f.sizes[keyword]) < 0) {
			f.sizes[keyword] = n
		}
	}
}

// stricter returns the bound that fewer numbers are within. sign is 1 for bounds from below.
func stricter(a, b limit, sign int) limit {
	if b.number == nil {
		return a
	}
	if a.number == nil {
		return b
	}
	order := a.number.Cmp(b.number) * sign
	if order < 0 || order == 0 && b.open {
		return b
	}
	return a
}

// implies reports whether every number within l is within the other bound, too.
func (l limit) implies(other limit, sign int) bool {
	if other.number == nil {
		return true
	}
	if l.number == nil {
		return false
	}
	order := l.number.Cmp(other.number) * sign
	return order > 0 || order == 0 && (l.open || !other.open)
}

// tighten removes the types of which the bounds leave no value, and turns the bounds of integers
// into integers.
func (f *facts) tighten() {
	if f.types&typeNumber == typeInteger {
		f.low = f.low.toInteger(1)
		f.high = f.high.toInteger(-1)
	}
	if f.low.number != nil && f.high.number != nil {
		order := f.low.number.Cmp(f.high.number)
		if order > 0 || order == 0 && (f.low.open || f.high.open) {
			f.types &^= typeNumber
		}
	}
	for i, of := range [...]types{typeString, typeArray, typeObject} {
		least := f.sizes[lowest[i]]
		most := f.sizes[highest[i]]
		if least != nil && most != nil && least.Cmp(most) > 0 || most != nil && most.Sign() < 0 {
			f.types &^= of
		}
	}
}

// toInteger returns the bound that means the same for integers: the outermost integer within l.
func (l limit) toInteger(sign int) limit {
	if l.number == nil {
		return l
	}
	quotient := new(big.Int)
	// Div rounds down, because the denominator is positive.
	quotient.Div(l.number.Num(), l.number.Denom())
	whole := new(big.Rat).SetInt(quotient)
	if whole.Cmp(l.number) != 0 { // between two integers
		if sign > 0 {
			quotient.Add(quotient, big.NewInt(1))
		}
	} else if l.open {
		quotient.Add(quotient, big.NewInt(int64(sign)))
	}
	return limit{number: new(big.Rat).SetInt(quotient)}
}

// maxValues bounds the values that are looked at one by one.
const maxValues = 1000

// readValues keeps the values that a schema lists with enum or const, if they fit the rest.
func (p *prover) readValues(f *facts, base node) {
	var listed []*jsontree.Value
	if one := base.get("const"); one != nil {
		listed = []*jsontree.Value{one}
	} else if list := base.get("enum"); list != nil && list.Kind == '[' && len(list.Parts) <= maxValues {
		listed = itemsOf(list)
	} else {
		return
	}
	p.steps -= len(listed)
	candidates := listed
	if f.listed {
		p.steps -= len(f.values) * len(listed)
		candidates = nil
		for _, v := range f.values {
			if slices.ContainsFunc(listed, func(other *jsontree.Value) bool { return jsontree.Equal(*v, *other) }) {
				candidates = append(candidates, v)
			}
		}
	}
	f.listed = true
	f.values = slices.DeleteFunc(slices.Clone(candidates), func(v *jsontree.Value) bool {
		return slices.ContainsFunc(f.set.bases, func(n node) bool { return p.fits(v, n, 0) == no }) ||
			slices.ContainsFunc(f.set.nots, func(n node) bool { return p.fits(v, n, 0) == yes })
	})
}

// namesIn are the strings of an array.
func namesIn(list *jsontree.Value) (names []string) {
	for _, item := range itemsOf(list) {
		if item.Kind == '"' {
			names = append(names, item.Text)
		}
	}
	return names
}

// addNames adds the properties that a schema names, including those in its alternatives and in what
// it refers to: a value may have any of them.
func (p *prover) addNames(names map[string]bool, n node, depth int) {
	properties := membersOf(n.get("properties"))
	p.steps -= 1 + len(properties)
	if depth > 20 || p.steps < 0 {
		return
	}
	for _, m := range properties {
		names[m.Name] = true
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		for _, item := range itemsOf(n.get(keyword)) {
			p.addNames(names, n.below(item), depth+1)
		}
	}
	for _, keyword := range [...]string{"if", "then", "else"} {
		if part := n.get(keyword); part != nil {
			p.addNames(names, n.below(part), depth+1)
		}
	}
	for _, keyword := range [...]string{"dependentSchemas", "dependencies"} {
		for i := range membersOf(n.get(keyword)) {
			p.addNames(names, n.below(&n.get(keyword).Parts[i].Value), depth+1)
		}
	}
	if reference := n.get("$ref"); reference != nil {
		if target := p.target(n, reference); target.value != nil {
			p.addNames(names, target, depth+1)
		}
	}
}

// membersOf are the members of an object, and none of anything else.
func membersOf(v *jsontree.Value) []jsontree.Member {
	if v == nil {
		return nil
	}
	return v.Members()
}
