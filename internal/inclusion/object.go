package inclusion

import (
	"math/big"
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// All schemas of an object say what a property of it may be: under the property's name, under each
// pattern that the name matches and, where there is neither, in additionalProperties (Core, 10.3.2).

// property returns the constraints of a property, and whether it may be there at all.
func (p *prover) property(f *facts, name string) (constraints, bool) {
	set := constraints{}
	for _, base := range f.set.bases {
		for _, n := range propertyOf(base, name) {
			fits := true
			set, fits = p.with(set, n, 0)
			if !fits {
				return set, false
			}
		}
	}
	return set, f.named[name] || f.rest() != restNone
}

// propertyOf lists the schemas that one object schema has for a property.
func propertyOf(base node, name string) (list []node) {
	known := false
	if v := jsontree.Lookup(base.get("properties"), name); v != nil {
		list = append(list, base.below(v))
		known = true
	}
	patterns := base.get("patternProperties")
	for i, m := range membersOf(patterns) {
		pattern := jsontree.Text(m.Name)
		switch matches(&pattern, name) {
		case yes:
			list = append(list, base.below(&patterns.Parts[i].Value))
			known = true
		case unknown:
			// The pattern may or may not match. If it does, additionalProperties doesn't count.
			known = true
		}
	}
	if others := base.get("additionalProperties"); others != nil && !known {
		list = append(list, base.below(others))
	}
	return list
}

// rest says what may be there besides the properties that are named.
type rest int

const (
	restNone rest = iota // nothing, or nothing that anyone sends
	restSome             // what a schema describes
	restAny              // anything
)

// rest works out, from all schemas of an object, what may be there besides the named properties.
func (f *facts) rest() rest {
	if f.closed {
		return restNone
	}
	names := false
	described := false
	for _, base := range f.set.bases {
		others := base.get("additionalProperties")
		patterns := len(membersOf(base.get("patternProperties"))) > 0
		if others != nil && others.Kind == 'f' && !patterns {
			return restNone
		}
		if patterns || others != nil && others.Kind == '{' && len(others.Parts) > 0 {
			described = true
		}
		if base.get("properties") != nil && base.side == innerSide {
			names = true
		}
	}
	if described {
		return restSome
	}
	if names && !f.strict {
		return restNone
	}
	return restAny
}

// isClosed reports whether a schema allows, by unevaluatedProperties, only properties that it or a part
// of it names. If a part describes other properties without naming them, those may be there, too.
func (p *prover) isClosed(base node) bool {
	others := base.get("unevaluatedProperties")
	return others != nil && others.Kind == 'f' && p.knows(base, "unevaluatedProperties") && p.namesAll(base, 0)
}

// namesAll reports whether a schema and all its parts evaluate only properties that they name.
func (p *prover) namesAll(n node, depth int) bool {
	p.steps--
	if depth > 20 || p.steps < 0 {
		return false
	}
	others := n.get("additionalProperties")
	if n.get("patternProperties") != nil || others != nil && others.Kind != 'f' || depth > 0 && n.get("unevaluatedProperties") != nil {
		return false
	}
	parts := []*jsontree.Value{}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		parts = append(parts, itemsOf(n.get(keyword))...)
	}
	for _, keyword := range [...]string{"if", "then", "else"} {
		if part := n.get(keyword); part != nil {
			parts = append(parts, part)
		}
	}
	for _, keyword := range [...]string{"dependentSchemas", "dependencies"} {
		list := n.get(keyword)
		for i := range membersOf(list) {
			parts = append(parts, &list.Parts[i].Value)
		}
	}
	for _, part := range parts {
		if !p.namesAll(n.below(part), depth+1) {
			return false
		}
	}
	reference := n.get("$ref")
	if reference == nil {
		return true
	}
	target := p.target(n, reference)
	return target.value != nil && p.namesAll(target, depth+1)
}

// objectImpossible reports whether an object would need a property that can't be there.
func (p *prover) objectImpossible(f *facts, depth, splits int) bool {
	if f.types != typeObject || depth > 40 {
		return false
	}
	for name := range f.required {
		set, possible := p.property(f, name)
		if !possible || len(set.bases) > 0 && p.impossible(set, depth+1, splits+1) {
			return true
		}
	}
	return false
}

func takesRequired(_ *prover, f *facts, outer node, _ int) bool {
	if f.types&typeObject == 0 {
		return true
	}
	for _, name := range namesIn(outer.get("required")) {
		if !f.required[name] {
			return false
		}
	}
	return true
}

func takesProperties(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeObject == 0 {
		return true
	}
	properties := outer.get("properties")
	for i, m := range membersOf(properties) {
		set, possible := p.property(f, m.Name)
		if possible && !p.takes(set, outer.below(&properties.Parts[i].Value), depth+1) {
			return false
		}
	}
	return true
}

// takesPatterns is for patternProperties: each property whose name may match.
func takesPatterns(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeObject == 0 {
		return true
	}
	patterns := outer.get("patternProperties")
	for i, m := range membersOf(patterns) {
		pattern := jsontree.Text(m.Name)
		schema := outer.below(&patterns.Parts[i].Value)
		for name := range f.named {
			if matches(&pattern, name) == no {
				continue
			}
			set, possible := p.property(f, name)
			if possible && !p.takes(set, schema, depth+1) {
				return false
			}
		}
		if !p.takesUnnamed(f, schema, m.Name, depth) {
			return false
		}
	}
	return true
}

// takesOthers is for additionalProperties: each property that properties and patternProperties
// say nothing about.
func takesOthers(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeObject == 0 {
		return true
	}
	others := outer.below(outer.get("additionalProperties"))
	for name := range f.named {
		told := propertyOf(outer, name)
		if !slices.Contains(told, others) && !p.maybeOther(outer, name) {
			continue
		}
		set, possible := p.property(f, name)
		if possible && !p.takes(set, others, depth+1) {
			return false
		}
	}
	if outer.get("patternProperties") != nil && f.rest() != restNone {
		return slices.ContainsFunc(f.set.bases, func(base node) bool { return p.sameObject(base, outer) })
	}
	return p.takesUnnamed(f, others, "", depth)
}

// maybeOther reports whether it isn't known if a name falls under additionalProperties: properties
// doesn't have the name, no pattern certainly matches it, and for some pattern that can't be told.
func (p *prover) maybeOther(outer node, name string) bool {
	if jsontree.Lookup(outer.get("properties"), name) != nil {
		return false
	}
	maybe := false
	for _, m := range membersOf(outer.get("patternProperties")) {
		pattern := jsontree.Text(m.Name)
		switch matches(&pattern, name) {
		case yes:
			return false
		case unknown:
			maybe = true
		}
	}
	return maybe
}

// sameObject reports whether two schemas have the same properties, patternProperties and
// additionalProperties.
func (p *prover) sameObject(a, b node) bool {
	for _, keyword := range [...]string{"properties", "patternProperties", "additionalProperties"} {
		left := a.get(keyword)
		right := b.get(keyword)
		if left == nil && right == nil {
			continue
		}
		if left == nil || right == nil || !jsontree.Equal(*left, *right) || !p.sameMeaning(a.below(left), b.below(right), 0) {
			return false
		}
	}
	return true
}

// takesUnnamed reports whether a schema takes every property that may be there and that the constraints
// don't name. With a pattern, it asks only about properties whose names match.
func (p *prover) takesUnnamed(f *facts, outer node, pattern string, depth int) bool {
	if f.rest() == restNone {
		return true
	}
	if takesAll(outer.value) {
		return true
	}
	return slices.ContainsFunc(f.set.bases, func(base node) bool { return p.unnamedIn(base, outer, pattern, depth) })
}

// unnamedIn reports the same, judged by what one object schema says about such properties.
func (p *prover) unnamedIn(base, outer node, pattern string, depth int) bool {
	takes := func(v *jsontree.Value) bool {
		set, fits := p.with(constraints{}, base.below(v), 0)
		return !fits || p.takes(set, outer, depth+1)
	}
	patterns := base.get("patternProperties")
	if same := jsontree.Lookup(patterns, pattern); pattern != "" && same != nil {
		return takes(same)
	}
	others := base.get("additionalProperties")
	if others == nil || !takes(others) {
		return false
	}
	for i := range membersOf(patterns) {
		if !takes(&patterns.Parts[i].Value) {
			return false
		}
	}
	return true
}

// takesNames is for propertyNames, which each name has to fit.
func takesNames(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeObject == 0 {
		return true
	}
	names := outer.below(outer.get("propertyNames"))
	if p.takesText(names, depth) {
		return true
	}
	for _, base := range f.set.bases {
		if own := base.get("propertyNames"); own != nil {
			set, fits := p.with(constraints{bases: []node{{value: &aText, side: innerSide}}}, base.below(own), 0)
			if !fits || p.takes(set, names, depth) {
				return true
			}
		}
	}
	if f.rest() != restNone {
		return false
	}
	for name := range f.named {
		v := jsontree.Text(name)
		if p.fits(&v, names, depth) != yes {
			return false
		}
	}
	return true
}

// aText is the schema of every text.
var aText = jsontree.Object(jsontree.Member{Name: "type", Value: jsontree.Text("string")})

// takesText reports whether a schema takes every text.
func (p *prover) takesText(n node, depth int) bool {
	return p.takes(constraints{bases: []node{{value: &aText, side: innerSide}}}, n, depth)
}

func takesMinProperties(_ *prover, f *facts, outer node, _ int) bool {
	wanted := numberOf(outer.get("minProperties"))
	if f.types&typeObject == 0 || wanted != nil && wanted.Sign() <= 0 {
		return true
	}
	if wanted == nil {
		return false
	}
	known := f.sizes["minProperties"]
	return known != nil && known.Cmp(wanted) >= 0 || new(big.Rat).SetInt64(int64(len(f.required))).Cmp(wanted) >= 0
}

func takesMaxProperties(_ *prover, f *facts, outer node, _ int) bool {
	wanted := numberOf(outer.get("maxProperties"))
	if f.types&typeObject == 0 {
		return true
	}
	if wanted == nil {
		return false
	}
	known := f.sizes["maxProperties"]
	return known != nil && known.Cmp(wanted) <= 0 || f.rest() == restNone && new(big.Rat).SetInt64(int64(len(f.named))).Cmp(wanted) <= 0
}

// takesDependencies is for the keywords that ask for something if a property is there.
func takesDependencies(p *prover, f *facts, outer node, depth int) bool {
	if f.types&typeObject == 0 {
		return true
	}
	for _, keyword := range [...]string{"dependentRequired", "dependentSchemas", "dependencies"} {
		list := outer.get(keyword)
		for i, m := range membersOf(list) {
			_, possible := p.property(f, m.Name)
			if possible && !p.takesDependency(f, outer, keyword, &list.Parts[i].Value, m.Name, depth) {
				return false
			}
		}
	}
	return true
}

// takesDependency is for what one property asks for: follows is a list of names or a schema.
func (p *prover) takesDependency(f *facts, outer node, keyword string, follows *jsontree.Value, name string, depth int) bool {
	for _, base := range f.set.bases {
		own := jsontree.Lookup(base.get(keyword), name)
		if own != nil && p.knows(base, keyword) && jsontree.Equal(*own, *follows) && p.sameMeaning(base.below(own), outer.below(follows), 0) {
			return true
		}
	}
	if follows.Kind == '[' {
		for _, required := range namesIn(follows) {
			if !f.required[required] {
				return false
			}
		}
		return true
	}
	return p.takes(f.set, outer.below(follows), depth)
}

// knows reports whether the dialect of a schema has a keyword.
func (p *prover) knows(n node, keyword string) bool {
	old := p.documents[n.side].dialect == dialectDraft
	switch keyword {
	case "dependentRequired", "dependentSchemas", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties":
		return !old
	case "dependencies":
		return old
	case "prefixItems":
		return p.documents[n.side].dialect == dialectNew
	}
	return true
}

// dependsOnDialect reports whether a schema has a keyword that dialects read differently.
func dependsOnDialect(v *jsontree.Value) bool {
	depends := false
	schema.Each(v, schema.AtSchema, func(v *jsontree.Value) {
		for _, m := range v.Members() {
			switch m.Name {
			case "dependencies", "dependentRequired", "dependentSchemas", "prefixItems", "additionalItems", "minContains", "maxContains",
				"unevaluatedItems", "unevaluatedProperties":
				depends = true
			case "items":
				depends = depends || m.Kind == '['
			case "$ref":
				depends = depends || len(v.Parts) > 1
			}
		}
	})
	return depends
}

// eachReference calls f for each reference in a schema.
func eachReference(v *jsontree.Value, f func(*jsontree.Value)) {
	schema.Each(v, schema.AtSchema, func(v *jsontree.Value) {
		if reference := jsontree.Lookup(v, "$ref"); reference != nil {
			f(reference)
		}
	})
}
