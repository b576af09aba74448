// Package inclusion reports whether one JSON Schema certainly takes every value that another takes.
//
// It knows a short list of changes that are certainly safe, and calls everything else unproven. So a
// proof holds whatever else the two schemas say, and a missing proof says nothing.
//
// One convention isn't part of JSON Schema: where a schema names properties and doesn't say what others
// may be, nobody sends others. Nearly every schema leaves them open, but a caller sends what the tool names.
package inclusion

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// maxSteps bounds a proof: a step is a pair of schemas. maxDepth bounds how deep it follows them.
const (
	maxSteps  = 20_000
	maxDepth  = 100
	mostCases = 100 // how many listed values are compared one by one
)

// A pair is the question whether outer takes all that inner takes.
type pair struct{ inner, outer *jsontree.Value }

type prover struct {
	roots pair
	steps int
	open  map[pair]int // the depth in a value at which a pair is being compared

	// Properties that another alternative of the inner schema names, by depth: they may be there, too.
	others map[int]map[string]bool
}

// Proven reports whether every value that the schema inner takes is certainly taken by outer. Both are whole
// schemas of objects, in which references are resolved.
func Proven(inner, outer *jsontree.Value) bool {
	if jsontree.Equal(*inner, *outer) {
		return true
	}
	if !plain(inner) || !plain(outer) {
		return false
	}
	p := prover{roots: pair{inner, outer}, open: map[pair]int{}, others: map[int]map[string]bool{}}
	return p.takes(inner, outer, 0)
}

// plain reports whether a whole schema has no keyword by which a part of it means something else than it says
// by itself.
func plain(root *jsontree.Value) bool {
	odd := false
	schema.Each(root, schema.AtSchema, func(s *jsontree.Value) {
		for _, m := range s.Members() {
			switch m.Name {
			case "properties":
				odd = odd || m.Value.Kind != '{' && m.Value.Kind != 'n'
			case "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties":
				odd = true
			case "$schema":
				odd = odd || s != root || !known(m.Value.Text)
			case "$ref":
				odd = odd || len(s.Parts) > 1 && slices.ContainsFunc(s.Members(), func(m jsontree.Member) bool { return m.Name != "$ref" && !saysNothing(m.Name) && s != root })
			}
		}
	})
	return !odd
}

// known reports whether a dialect is one whose keywords mean what they mean here.
func known(dialect string) bool {
	switch strings.TrimSuffix(dialect, "#") {
	case "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-04/schema", "http://json-schema.org/schema":
		return true
	}
	return false
}

// saysNothing reports whether a keyword takes no values away by itself.
func saysNothing(keyword string) bool {
	switch keyword {
	case "title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$defs", "definitions", schema.HeaderKeyword:
		return true
	}
	return false
}

func get(s *jsontree.Value, keyword string) *jsontree.Value { return jsontree.Lookup(s, keyword) }

// resolved follows the references of a schema. It returns nil if one leads nowhere.
func resolved(root, s *jsontree.Value) *jsontree.Value {
	for range maxDepth {
		reference := get(s, "$ref")
		if reference == nil {
			return s
		}
		target, _, ok := schema.ResolveReference(root, jsontree.TextOf(reference))
		if !ok || target == nil {
			return nil
		}
		s = target
	}
	return nil
}

// takes reports whether outer takes all that inner takes. depth is how deep in the whole value both are.
func (p *prover) takes(inner, outer *jsontree.Value, depth int) bool {
	if p.steps++; p.steps > maxSteps || depth > maxDepth {
		return false
	}
	inner = resolved(p.roots.inner, inner)
	outer = resolved(p.roots.outer, outer)
	switch {
	case inner == nil || outer == nil:
		return false
	case takesAll(outer) || inner.Kind == 'f' || p.same(inner, outer):
		return true
	case outer.Kind != '{':
		return false
	}
	question := pair{inner, outer}
	if before, asked := p.open[question]; asked {
		return before < depth // an induction: the value is smaller than that of the same question
	}
	p.open[question] = depth
	defer delete(p.open, question)
	if cases := alternatives(inner); cases != nil {
		before := p.others[depth]
		p.others[depth] = p.namesOf(cases, before)
		defer func() { p.others[depth] = before }()
		for i := range cases {
			if !p.takes(&cases[i], outer, depth) {
				return false
			}
		}
		return true
	}
	for i, m := range outer.Members() {
		if !saysNothing(m.Name) && !p.keyword(inner, outer, m.Name, &outer.Parts[i].Value, depth) {
			return false
		}
	}
	for _, name := range [...]string{"contentEncoding", "contentMediaType", "nullable"} {
		if get(inner, name) != nil && get(outer, name) == nil {
			return false // a text would be read in another way
		}
	}
	return true
}

// namesOf adds the properties that some alternatives name to others. "" stands for any name.
func (p *prover) namesOf(cases []jsontree.Value, others map[string]bool) map[string]bool {
	names := maps.Clone(others)
	if names == nil {
		names = map[string]bool{}
	}
	for i := range cases {
		one := resolved(p.roots.inner, &cases[i])
		if one == nil || combines(one) {
			names[""] = true
			continue
		}
		for _, m := range members(get(one, "properties")) {
			names[m.Name] = true
		}
	}
	return names
}

// takesAll reports whether a schema takes every value.
func takesAll(s *jsontree.Value) bool {
	return s == nil || s.Kind != 'f' && !slices.ContainsFunc(s.Members(), func(m jsontree.Member) bool { return !saysNothing(m.Name) })
}

// same reports whether two schemas are equal, with all that they refer to.
func (p *prover) same(a, b *jsontree.Value) bool {
	if !jsontree.Equal(*a, *b) {
		return false
	}
	refers := false
	schema.Each(a, schema.AtSchema, func(s *jsontree.Value) { refers = refers || get(s, "$ref") != nil })
	return !refers || equal(get(p.roots.inner, "$defs"), get(p.roots.outer, "$defs")) && equal(get(p.roots.inner, "definitions"), get(p.roots.outer, "definitions"))
}

// members are the members of an object, and none of anything else.
func members(v *jsontree.Value) []jsontree.Member {
	if v == nil {
		return nil
	}
	return v.Members()
}

func equal(a, b *jsontree.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return jsontree.Equal(*a, *b)
}

// alternatives splits a schema into cases: every value that it takes is taken by one of them. It returns nil for
// a schema without alternatives.
func alternatives(s *jsontree.Value) (cases []jsontree.Value) {
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		list := get(s, keyword)
		if list == nil || list.Kind != '[' {
			continue
		}
		// The keywords beside the alternatives are left out: a case may take more than the schema does.
		for _, item := range list.Items() {
			cases = append(cases, item.Value)
		}
		return cases
	}
	// Each listed value is a case.
	if list := get(s, "enum"); list != nil && len(list.Items()) > 1 && len(list.Items()) <= mostCases && get(s, "const") == nil {
		for _, one := range list.Items() {
			only := jsontree.Value{Kind: '[', Parts: []jsontree.Member{{Value: one.Value}}}
			cases = append(cases, jsontree.MapParts(*s, func(name string, v jsontree.Value) (jsontree.Value, bool) {
				if name == "enum" {
					return only, true
				}
				return v, true
			}))
		}
		return cases
	}
	types := get(s, "type")
	if types == nil || len(types.Items()) < 2 || get(s, "nullable") != nil {
		return nil
	}
	for _, one := range types.Items() {
		cases = append(cases, jsontree.MapParts(*s, func(name string, v jsontree.Value) (jsontree.Value, bool) {
			if name == "type" {
				return one.Value, true
			}
			return v, true
		}))
	}
	return cases
}

// keyword reports whether one keyword of outer takes all that inner takes.
func (p *prover) keyword(inner, outer *jsontree.Value, name string, v *jsontree.Value, depth int) bool {
	own := get(inner, name)
	if of := typeOf(name); of != "" && !mayBe(inner, of, depth == 0) {
		return true
	}
	switch name {
	case "type":
		return takesTypes(inner, v, depth == 0)
	case "enum", "const":
		return listed(inner) != nil && !slices.ContainsFunc(listed(inner), func(v jsontree.Value) bool {
			return !slices.ContainsFunc(listed(outer), func(w jsontree.Value) bool { return jsontree.Equal(v, w) })
		})
	case "minimum", "minLength", "minItems", "minProperties":
		return atMost(v, own)
	case "maximum", "maxLength", "maxItems", "maxProperties":
		return atMost(own, v)
	case "required":
		return subset(v, own)
	case "properties":
		return p.takesProperties(inner, outer, depth)
	case "additionalProperties":
		return p.takesOthers(inner, outer, depth)
	case "items":
		if v.Kind != '[' && get(outer, "prefixItems") == nil && get(inner, "prefixItems") == nil && own != nil && own.Kind != '[' {
			return p.takes(own, v, depth+1)
		}
	case "allOf":
		return v.Kind == '[' && !slices.ContainsFunc(below(v), func(s *jsontree.Value) bool { return !p.takes(inner, s, depth) })
	case "anyOf":
		return slices.ContainsFunc(below(v), func(s *jsontree.Value) bool { return p.takes(inner, s, depth) })
	case "oneOf":
		return p.takesOne(inner, below(v), depth)
	case "then", "else":
		return get(outer, "if") == nil || p.alike(inner, outer, "if", "then", "else")
	case "if":
		return get(outer, "then") == nil && get(outer, "else") == nil || p.alike(inner, outer, "if", "then", "else")
	case "patternProperties":
		return p.alike(inner, outer, "patternProperties", "properties")
	case "propertyNames":
		return len(v.Parts) == 1 && jsontree.TextOf(get(v, "type")) == "string" || p.alike(inner, outer, name)
	case "contains", "minContains", "maxContains":
		return p.alike(inner, outer, "contains", "minContains", "maxContains")
	case "prefixItems", "additionalItems":
		return p.alike(inner, outer, "prefixItems", "items", "additionalItems")
	}
	if name == "items" {
		return p.alike(inner, outer, "prefixItems", "items", "additionalItems")
	}
	return p.alike(inner, outer, name)
}

// alike reports whether some keywords are the same in both schemas.
func (p *prover) alike(inner, outer *jsontree.Value, keywords ...string) bool {
	for _, keyword := range keywords {
		a := get(inner, keyword)
		b := get(outer, keyword)
		if a == nil && b == nil {
			continue
		}
		if a == nil || b == nil || !p.same(a, b) {
			return false
		}
	}
	return get(p.roots.inner, "$schema") == nil || equal(get(p.roots.inner, "$schema"), get(p.roots.outer, "$schema")) || len(keywords) == 1
}

// below are the schemas in a list.
func below(list *jsontree.Value) (schemas []*jsontree.Value) {
	if list.Kind == '[' {
		for i := range list.Parts {
			schemas = append(schemas, &list.Parts[i].Value)
		}
	}
	return schemas
}

// takesOne is for oneOf: one alternative takes all that inner takes, and no other has a type of it.
func (p *prover) takesOne(inner *jsontree.Value, list []*jsontree.Value, depth int) bool {
	at := slices.IndexFunc(list, func(s *jsontree.Value) bool { return p.takes(inner, s, depth) })
	for i, other := range list {
		if at < 0 || i != at && !p.apart(inner, other) {
			return false
		}
	}
	return at >= 0
}

// apart reports whether no value fits two schemas: they have no type or no listed value in common, or a property
// that the second one requires has no listed value in common.
func (p *prover) apart(a, b *jsontree.Value) bool {
	a = resolved(p.roots.inner, a)
	b = resolved(p.roots.outer, b)
	if a == nil || b == nil {
		return false
	}
	if disjoint(typesOf(a), typesOf(b)) || disjoint(texts(listed(a)), texts(listed(b))) {
		return true
	}
	return slices.ContainsFunc(members(get(b, "properties")), func(m jsontree.Member) bool {
		mine := get(get(a, "properties"), m.Name)
		return mine != nil && subset(array(m.Name), get(b, "required")) && subset(array(m.Name), get(a, "required")) && disjoint(texts(listed(mine)), texts(listed(&m.Value)))
	})
}

func array(s string) *jsontree.Value {
	return &jsontree.Value{Kind: '[', Parts: []jsontree.Member{{Value: jsontree.Text(s)}}}
}

func texts(list []jsontree.Value) (all []string) {
	for _, v := range list {
		all = append(all, string(jsontree.Append(nil, v)))
	}
	return all
}

// disjoint reports whether two lists are there and have nothing in common.
func disjoint(a, b []string) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// typeOf returns the type that a keyword is about, or "" for a keyword about any value.
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

// typesOf lists the types of a schema's values, or nil if they may have any. An integer is a number, too.
func typesOf(s *jsontree.Value) (list []string) {
	if values := listed(s); values != nil {
		for _, v := range values {
			list = append(list, map[byte]string{'n': "null", 't': "boolean", 'f': "boolean", '"': "string", '[': "array", '{': "object", '0': "number"}[byte(v.Kind)])
		}
		return list
	}
	types := get(s, "type")
	if types == nil || get(s, "nullable") != nil {
		return nil
	}
	list = []string{jsontree.TextOf(types)}
	if types.Kind == '[' {
		list = nil
		for _, one := range types.Items() {
			list = append(list, one.Value.Text)
		}
	}
	for i, name := range list {
		if name == "integer" {
			list[i] = "number"
		}
	}
	return list
}

// mayBe reports whether a schema may take values of a type. At the top, everything is an object.
func mayBe(s *jsontree.Value, of string, top bool) bool {
	if top {
		return of == "object"
	}
	types := typesOf(s)
	return types == nil || slices.Contains(types, of)
}

// takesTypes is for the keyword type.
func takesTypes(inner, wanted *jsontree.Value, top bool) bool {
	allowed := []string{jsontree.TextOf(wanted)}
	if wanted.Kind == '[' {
		allowed = nil
		for _, one := range wanted.Items() {
			allowed = append(allowed, one.Value.Text)
		}
	}
	if top {
		return slices.Contains(allowed, "object")
	}
	if slices.Contains(allowed, "number") || jsontree.TextOf(get(inner, "type")) == "integer" && slices.Contains(allowed, "integer") {
		allowed = append(allowed, "number")
	} else if slices.Contains(allowed, "integer") {
		allowed = slices.DeleteFunc(allowed, func(s string) bool { return s == "integer" })
		if listed(inner) == nil && jsontree.TextOf(get(inner, "type")) != "integer" && mayBe(inner, "number", false) {
			return false
		}
	}
	own := typesOf(inner)
	return own != nil && !slices.ContainsFunc(own, func(name string) bool { return !slices.Contains(allowed, name) })
}

// listed returns the values that a schema lists with enum or const, or nil.
func listed(s *jsontree.Value) (values []jsontree.Value) {
	if one := get(s, "const"); one != nil {
		return []jsontree.Value{*one}
	}
	list := get(s, "enum")
	if list == nil || list.Kind != '[' {
		return nil
	}
	for _, v := range list.Items() {
		values = append(values, v.Value)
	}
	return values
}

// atMost reports whether two numbers are there, and the first is at most the second.
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

// subset reports whether a list has all strings of another one.
func subset(some, all *jsontree.Value) bool {
	return some.Kind == '[' && !slices.ContainsFunc(below(some), func(v *jsontree.Value) bool {
		return all == nil || !slices.ContainsFunc(below(all), func(w *jsontree.Value) bool { return jsontree.Equal(*v, *w) })
	})
}

// combines reports whether a schema has parts beside its properties that may name further ones.
func combines(s *jsontree.Value) bool {
	return slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "patternProperties"}, s.Has)
}

// isMap reports whether an object names no properties, and says that it takes any.
func isMap(s *jsontree.Value) bool {
	others := get(s, "additionalProperties")
	return len(members(get(s, "properties"))) == 0 && others != nil && takesAll(others)
}

// takesProperties is for properties: each property that inner may have.
func (p *prover) takesProperties(inner, outer *jsontree.Value, depth int) bool {
	wanted := get(outer, "properties")
	for i, m := range members(wanted) {
		own := get(get(inner, "properties"), m.Name)
		others := get(inner, "additionalProperties")
		described := others != nil && others.Kind == '{' && len(others.Parts) > 0
		switch {
		case own != nil:
		case p.others[depth][m.Name] || p.others[depth][""] || combines(inner) || get(inner, "properties") == nil && (others == nil || others.Kind != 'f') || isMap(inner):
			own = &jsontree.Value{Kind: 't'}
		case described:
			own = others
		default:
			continue // nobody sends it
		}
		if !p.takes(own, &wanted.Parts[i].Value, depth+1) {
			return false
		}
	}
	return true
}

// takesOthers is for additionalProperties: what inner names and outer doesn't, and what neither names.
func (p *prover) takesOthers(inner, outer *jsontree.Value, depth int) bool {
	wanted := get(outer, "additionalProperties")
	if takesAll(wanted) {
		return true
	}
	if get(outer, "patternProperties") != nil || combines(inner) {
		return p.alike(inner, outer, "properties", "patternProperties", "additionalProperties") && !combines(inner)
	}
	named := get(inner, "properties")
	for i, m := range members(named) {
		if get(get(outer, "properties"), m.Name) == nil && !p.takes(&named.Parts[i].Value, wanted, depth+1) {
			return false
		}
	}
	others := get(inner, "additionalProperties")
	open := others == nil || others.Kind != 'f' && (others.Kind != '{' || len(others.Parts) == 0)
	if open {
		return named != nil && !isMap(inner) && len(p.others[depth]) == 0
	}
	return p.takes(others, wanted, depth+1)
}
