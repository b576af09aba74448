// Package inclusion proves that one JSON Schema accepts every value that another accepts.
//
// It recognizes a short list of safe changes, and treats everything else as unproven. So a proof is valid for any other
// keywords of the two schemas, and a missing proof means nothing.
//
// One assumption goes beyond JSON Schema: if a schema names properties and leaves others unrestricted, callers send
// only the named ones. Nearly every schema leaves others unrestricted, but callers send only what the tool names.
package inclusion

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/normal"
	"pinproof/internal/schema"
)

// maxDepth is the maximum depth to which a proof follows two schemas.
const maxDepth = 100

// A pair is the question whether outer accepts every value that inner accepts.
type pair struct {
	inner, outer *jsontree.Value

	// Both schemas are whole ones, of an input or a result: every value that they accept is an object.
	whole bool
}

type prover struct {
	roots  pair
	budget *effort.Budget

	// Reports whether both roots have the same definitions.
	sameDefinitions func() bool

	// For tests: apply JSON Schema alone, without the assumptions that arguments are an object and that callers send
	// only the properties that the schema names.
	literal bool

	// The pairs that are being compared, each with its depth in the value.
	open map[pair]int

	// From this depth on, inner is only one of several schemas that apply to a value, so the value may have properties
	// that the other schemas name.
	free int
}

// ProvesSubset reports whether outer provably accepts every value that inner accepts. Both are whole schemas of
// objects, within which references are resolved. It returns false if the budget is too small.
func ProvesSubset(budget *effort.Budget, inner, outer *jsontree.Value) bool {
	return newProver(budget, inner, outer).proves(inner, outer)
}

func (p *prover) proves(inner, outer *jsontree.Value) bool {
	if jsontree.Equal(*inner, *outer) {
		return true
	}
	// In JSON Schema alone, a type next to a $ref may have an effect.
	isLiteral := p.literal && (inner.Has("$ref") || outer.Has("$ref"))
	return !isLiteral && normal.IsUnderstood(inner) && normal.IsUnderstood(outer) && p.takes(inner, outer, 0)
}

func newProver(budget *effort.Budget, innerRoot, outerRoot *jsontree.Value) *prover {
	return &prover{
		roots:  pair{inner: innerRoot, outer: outerRoot},
		budget: budget,
		open:   map[pair]int{},
		free:   maxDepth + 1,
		sameDefinitions: sync.OnceValue(func() bool {
			return jsontree.Equal(innerRoot.Get("$defs"), outerRoot.Get("$defs")) && jsontree.Equal(innerRoot.Get("definitions"), outerRoot.Get("definitions"))
		}),
	}
}

// get returns the value of a keyword, or nil. A null has no effect except as a constant.
func get(s *jsontree.Value, keyword string) *jsontree.Value {
	v := jsontree.Lookup(s, keyword)
	if v != nil && v.Kind == 'n' && keyword != "const" {
		return nil
	}
	return v
}

// restricts reports whether a keyword of a schema may reject values.
func restricts(m jsontree.Member) bool {
	return !normal.RejectsNothing(m.Name) && (m.Kind != 'n' || m.Name == "const")
}

// resolved follows the references of a schema. It returns nil if one leads nowhere, or there are too many.
func (p *prover) resolved(root, s *jsontree.Value) *jsontree.Value {
	for range maxDepth {
		reference := get(s, "$ref")
		if reference == nil {
			return s
		}
		if !p.budget.Spend(lookup + len(reference.Text)) {
			return nil
		}
		s, _ = schema.ResolveSchema(root, reference)
	}
	return nil
}

// takes reports whether outer provably accepts every value that inner accepts. depth is the nesting depth of
// that value.
func (p *prover) takes(inner, outer *jsontree.Value, depth int) bool {
	if depth > maxDepth || !p.budget.Spend(sizeOf(inner)+sizeOf(outer)) {
		return false
	}
	inner = p.resolved(p.roots.inner, inner)
	outer = p.resolved(p.roots.outer, outer)
	switch {
	case outer == nil:
		return false
	case takesAll(outer):
		return true
	case inner == nil:
		return false
	case inner.Kind == 'f' || p.same(inner, outer):
		return true
	case outer.Kind != '{':
		return false
	}
	for _, name := range [...]string{"contentEncoding", "contentMediaType", "nullable"} {
		if get(inner, name) != nil && get(outer, name) == nil {
			// Some clients may interpret the value differently.
			return false
		}
	}
	question := pair{inner, outer, depth == 0}
	if before, asked := p.open[question]; asked {
		// If the same question is open at a smaller depth, it is about a value that contains this one, so the answer is
		// yes, by induction.
		return before < depth
	}
	p.open[question] = depth
	defer delete(p.open, question)
	if combines(inner) {
		defer p.freeFrom(depth + 1)()
	}
	return p.takesKeywords(inner, outer, depth) || p.takesCases(inner, outer, depth)
}

// lookup is the cost of looking up a keyword, in bytes of the budget.
const lookup = 64

// sizeOf returns the cost of comparing a schema, in bytes of the budget: its size and a lookup for each
// keyword.
func sizeOf(s *jsontree.Value) int {
	if s == nil {
		return 1
	}
	return int(s.End-s.Start) + lookup*(1+len(s.Parts))
}

// takesKeywords reports whether each keyword of outer accepts every value that inner accepts.
func (p *prover) takesKeywords(inner, outer *jsontree.Value, depth int) bool {
	for i := range outer.Members() {
		m := &outer.Parts[i]
		if restricts(*m) && !normal.IsLibraryBound(outer, m) && !p.keyword(inner, outer, m.Name, &m.Value, depth) {
			return false
		}
	}
	return true
}

// takesCases reports whether outer accepts every value that each alternative of inner, or one schema under its allOf,
// accepts by itself, without the keywords next to it.
func (p *prover) takesCases(inner, outer *jsontree.Value, depth int) bool {
	// The keywords next to such a schema may name further properties.
	defer p.freeFrom(depth)()
	isTaken := func(one *jsontree.Value) bool { return p.takes(one, outer, depth) }
	isRefused := func(one *jsontree.Value) bool { return !isTaken(one) }
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		list := inner.Get(keyword)
		if cases := below(&list); len(cases) > 0 && !slices.ContainsFunc(cases, isRefused) {
			return true
		}
	}
	all := inner.Get("allOf")
	return slices.ContainsFunc(below(&all), isTaken)
}

// freeFrom lowers p.free to depth, and returns a function that restores it.
func (p *prover) freeFrom(depth int) (undo func()) {
	before := p.free
	p.free = min(before, depth)
	return func() { p.free = before }
}

// takesAll reports whether a schema accepts every value.
func takesAll(s *jsontree.Value) bool {
	return s == nil || s.Kind == 't' || s.Kind == '{' && !slices.ContainsFunc(s.Parts, restricts)
}

// same reports whether two values of a keyword, or two schemas, are equal, including everything that they refer to.
func (p *prover) same(a, b *jsontree.Value) bool {
	if !jsontree.Equal(*a, *b) {
		return false
	}
	anywhere := func(string) bool { return true }
	elsewhere := func(to string) bool {
		return !strings.HasPrefix(to, "#/$defs/") && !strings.HasPrefix(to, "#/definitions/")
	}
	return !refers(a, anywhere) || !refers(a, elsewhere) && p.sameDefinitions()
}

// refers reports whether a value contains a $ref that f accepts. The value is a schema, a list of schemas, or an object
// of schemas.
func refers(v *jsontree.Value, f func(to string) bool) bool {
	for i := range v.Parts {
		m := &v.Parts[i]
		if m.Name == "$ref" && f(m.Value.Text) || refers(&m.Value, f) {
			return true
		}
	}
	return false
}

// keyword reports whether one keyword of outer accepts every value that inner accepts.
func (p *prover) keyword(inner, outer *jsontree.Value, name string, v *jsontree.Value, depth int) bool {
	own := get(inner, name)
	isTop := depth == 0 && !p.literal
	if of := typeOf(name); of != "" && !mayBe(inner, of, isTop) {
		return true
	}
	switch name {
	case "type":
		return takesTypes(inner, v, isTop)
	case "enum":
		return isAmong(listed(inner), v.Items())
	case "const":
		return isAmong(listed(inner), []jsontree.Member{{Value: *v}})
	case "minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum":
		return atMost(v, own)
	case "maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum":
		return atMost(own, v)
	case "required":
		return subset(v, own)
	}
	return p.applicator(inner, outer, name, v, depth)
}

// applicator does what keyword does, for keywords that contain schemas and for unknown ones.
func (p *prover) applicator(inner, outer *jsontree.Value, name string, v *jsontree.Value, depth int) bool {
	switch name {
	case "properties":
		return p.takesProperties(inner, outer, depth)
	case "items":
		own := get(inner, name)
		isTuple := v.Kind == '[' || inner.Has("prefixItems") || outer.Has("prefixItems") || own != nil && own.Kind == '['
		if !isTuple && p.takes(cmp.Or(own, &jsontree.Value{Kind: 't'}), v, depth+1) {
			return true
		}
	case "allOf":
		return v.Kind == '[' && !slices.ContainsFunc(below(v), func(s *jsontree.Value) bool { return !p.takes(inner, s, depth) })
	case "anyOf":
		return p.alike(inner, outer, name) || slices.ContainsFunc(below(v), func(s *jsontree.Value) bool { return p.takes(inner, s, depth) })
	case "oneOf":
		return p.alike(inner, outer, name) || p.takesOne(inner, below(v), depth)
	case "propertyNames":
		return len(v.Parts) == 1 && jsontree.StringOf(get(v, "type")) == "string" || p.alike(inner, outer, name)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		return takesAll(v) || v == unnamed(outer) && p.takesOthers(inner, outer, depth)
	}
	return p.alike(inner, outer, append(normal.Dependencies(name), name)...)
}

// alike reports whether the given keywords are the same in both schemas. If there are several, the dialects must be the
// same, too, unless the root of inner declares no dialect.
func (p *prover) alike(inner, outer *jsontree.Value, keywords ...string) bool {
	for _, keyword := range keywords {
		a := get(inner, keyword)
		b := get(outer, keyword)
		if (a != nil || b != nil) && (a == nil || b == nil || !p.same(a, b)) {
			return false
		}
	}
	return get(p.roots.inner, "$schema") == nil || jsontree.Equal(p.roots.inner.Get("$schema"), p.roots.outer.Get("$schema")) || len(keywords) == 1
}

// below returns the schemas in a list.
func below(list *jsontree.Value) (schemas []*jsontree.Value) {
	if list.Kind == '[' {
		for i := range list.Parts {
			schemas = append(schemas, &list.Parts[i].Value)
		}
	}
	return schemas
}

// takesOne handles oneOf: one alternative accepts every value that inner accepts, and no other alternative
// accepts any of them.
func (p *prover) takesOne(inner *jsontree.Value, list []*jsontree.Value, depth int) bool {
	at := slices.IndexFunc(list, func(s *jsontree.Value) bool { return p.takes(inner, s, depth) })
	for i, other := range list {
		if at < 0 || i != at && !p.apart(inner, other) {
			return false
		}
	}
	return at >= 0
}

// apart reports whether provably no value fits both schemas: they have no type or no listed value in common, or
// both require a property for which they list no common value.
func (p *prover) apart(a, b *jsontree.Value) bool {
	a = p.resolved(p.roots.inner, a)
	b = p.resolved(p.roots.outer, b)
	if a == nil || b == nil || !p.budget.Spend(sizeOf(a)+sizeOf(b)) {
		return false
	}
	if disjoint(typesOf(a), typesOf(b)) || disjoint(texts(listed(a)), texts(listed(b))) {
		return true
	}
	if !slices.Equal(typesOf(a), []string{"object"}) && !slices.Equal(typesOf(b), []string{"object"}) {
		// A value that isn't an object may fit both schemas, because it has no properties.
		return false
	}
	ofA, ofB := setOf(stringsOf(a.Get("required"))), setOf(stringsOf(b.Get("required")))
	return slices.ContainsFunc(b.Get("properties").Members(), func(m jsontree.Member) bool {
		mine := jsontree.Lookup(get(a, "properties"), m.Name)
		return mine != nil && ofA[m.Name] && ofB[m.Name] && disjoint(texts(listed(mine)), texts(listed(&m.Value)))
	})
}

// stringsOf returns a single string as a list, or the strings of an array.
func stringsOf(v jsontree.Value) (list []string) {
	if v.Kind == '"' {
		return []string{v.Text}
	}
	for _, m := range v.Items() {
		list = append(list, jsontree.StringOf(&m.Value))
	}
	return list
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}

func texts(list []jsontree.Member) (all []string) {
	for _, m := range list {
		all = append(all, string(jsontree.Append(nil, m.Value)))
	}
	return all
}

// disjoint reports whether two lists exist and have no element in common.
func disjoint(a, b []string) bool {
	in := setOf(a)
	return a != nil && b != nil && !slices.ContainsFunc(b, func(s string) bool { return in[s] })
}

// typeOf returns the type to which a keyword applies, or "" for a keyword that applies to any value.
func typeOf(keyword string) string {
	switch keyword {
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema":
		return "string"
	case "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains":
		return "array"
	case "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies":
		return "object"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return "number"
	}
	return ""
}

// typesOf returns the types of the values that a schema accepts, or nil for any type. It returns "number" for an
// integer.
func typesOf(s *jsontree.Value) (list []string) {
	list = stringsOf(s.Get("type"))
	if values := listed(s); values != nil {
		list = nil
		for _, v := range values {
			list = append(list, normal.TypeOf(v.Value))
		}
	}
	for i, name := range list {
		if name == "integer" {
			list[i] = "number"
		}
	}
	return list
}

// mayBe reports whether a schema may accept values of a type. At the top, every value is an object.
func mayBe(s *jsontree.Value, of string, top bool) bool {
	if top {
		return of == "object"
	}
	types := typesOf(s)
	return types == nil || slices.Contains(types, of)
}

// takesTypes handles type: inner has to accept only values of the wanted types.
func takesTypes(inner, wanted *jsontree.Value, top bool) bool {
	allowed := setOf(stringsOf(*wanted))
	if top {
		return allowed["object"]
	}
	allowed["number"] = allowed["number"] || isInteger(inner) && allowed["integer"]
	own := typesOf(inner)
	return own != nil && !slices.ContainsFunc(own, func(name string) bool { return !allowed[name] })
}

// listed returns the values that a schema lists with enum or const, or nil.
func listed(s *jsontree.Value) []jsontree.Member {
	if one := get(s, "const"); one != nil {
		return []jsontree.Member{{Value: *one}}
	}
	return s.Get("enum").Items()
}

// isAmong reports whether values isn't nil and all its elements are in list.
func isAmong(values, list []jsontree.Member) bool {
	in := setOf(texts(list))
	return values != nil && !slices.ContainsFunc(texts(values), func(s string) bool { return !in[s] })
}

// subset reports whether the first value is an array whose elements are all in the second one.
func subset(some, all *jsontree.Value) bool {
	return some.Kind == '[' && (len(some.Parts) == 0 || all != nil && isAmong(some.Parts, all.Items()))
}

// combines reports whether a schema has keywords, such as allOf, whose schemas may name further properties.
func combines(s *jsontree.Value) bool {
	return slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "patternProperties"}, s.Has)
}

// unnamed returns the schema of the properties that a schema doesn't name, or nil. unevaluatedProperties means the same
// as additionalProperties where no other keyword can have evaluated a property.
func unnamed(s *jsontree.Value) *jsontree.Value {
	if others := get(s, "additionalProperties"); others != nil || combines(s) || s.Has("not") {
		return others
	}
	return get(s, "unevaluatedProperties")
}

// isMap reports whether a schema names no properties and explicitly accepts any.
func isMap(s *jsontree.Value) bool {
	others := unnamed(s)
	return len(s.Get("properties").Members()) == 0 && others != nil && takesAll(others)
}

// sendsOthers reports whether a caller may send properties that aren't among a schema's properties.
func (p *prover) sendsOthers(s *jsontree.Value, depth int) bool {
	return depth >= p.free || combines(s) || get(s, "properties") == nil || isMap(s) || p.literal || namesElsewhere(s)
}

// namesElsewhere reports whether a schema may name a property outside of its properties, as in required.
func namesElsewhere(s *jsontree.Value) bool {
	isElsewhere := func(name string) bool { return jsontree.Lookup(get(s, "properties"), name) == nil }
	return slices.ContainsFunc(stringsOf(s.Get("required")), isElsewhere) ||
		slices.ContainsFunc([]string{"const", "dependentRequired", "enum", "minProperties", "propertyNames"}, s.Has)
}

// takesProperties handles properties: outer has to accept each named property that inner accepts.
func (p *prover) takesProperties(inner, outer *jsontree.Value, depth int) bool {
	wanted := get(outer, "properties")
	others := unnamed(inner)
	described := !isOpen(others) && !inner.Has("patternProperties")
	sent := p.sendsOthers(inner, depth)
	for i, m := range wanted.Members() {
		own := jsontree.Lookup(get(inner, "properties"), m.Name)
		switch {
		case own != nil:
		case described:
			own = others
		case sent:
			own = &jsontree.Value{Kind: 't'}
		default:
			continue // callers don't send this property
		}
		if !p.takes(own, &wanted.Parts[i].Value, depth+1) {
			return false
		}
	}
	return true
}

// isOpen reports whether additionalProperties is absent, true or {}, so that it restricts no property.
func isOpen(others *jsontree.Value) bool {
	return others == nil || others.Kind != 'f' && (others.Kind != '{' || len(others.Parts) == 0)
}

// takesOthers handles additionalProperties: outer has to accept the properties that only inner names, and those
// that neither schema names.
func (p *prover) takesOthers(inner, outer *jsontree.Value, depth int) bool {
	wanted := unnamed(outer)
	if get(outer, "patternProperties") != nil || combines(inner) {
		return false
	}
	named := inner.Get("properties").Members()
	for i, m := range named {
		if jsontree.Lookup(get(outer, "properties"), m.Name) == nil && !p.takes(&named[i].Value, wanted, depth+1) {
			return false
		}
	}
	others := unnamed(inner)
	if isOpen(others) {
		return !p.sendsOthers(inner, depth)
	}
	return p.takes(others, wanted, depth+1)
}

// isInteger reports whether all numbers that a schema accepts are integers.
func isInteger(s *jsontree.Value) bool {
	return slices.Equal(stringsOf(s.Get("type")), []string{"integer"})
}

// atMost reports whether a and b are numbers, and a is at most b.
func atMost(a, b *jsontree.Value) bool {
	x := number(a)
	y := number(b)
	return x != nil && y != nil && x.Cmp(y) <= 0
}

func number(v *jsontree.Value) *big.Rat {
	if v == nil || v.Kind != '0' || len(v.Text) > 400 {
		return nil
	}
	n, _ := new(big.Rat).SetString(v.Text)
	return n
}
