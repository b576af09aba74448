// Package inclusion proves that one JSON Schema takes every value that another takes.
//
// It answers "proven" or "not proven", and never guesses. What it can't judge in the inner schema,
// the one to be included, it leaves out, so that schema takes more. What it can't judge in the outer
// schema counts as not proven, so that schema takes less. So a proof holds whatever else the two
// schemas say, and a missing proof says nothing.
//
// Two conventions are not part of JSON Schema. First, the value at the top is an object, because the
// arguments and the structured results of tools are objects (MCP 2025-06-18, Tool). Second, where a
// schema names properties and doesn't say what others may be, nobody sends others: nearly every schema
// leaves them open, but a caller sends what the tool names.
package inclusion

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// maxSteps bounds a proof: a step is a schema, a name or a value that is looked at. Real tools need a
// few thousand steps. A schema that was made to branch at every level needs more than anyone would wait
// for, and stays unproven.
const maxSteps = 200_000

// maxValuesIn bounds the values in a schema, for the same reason. The largest of 3,249 real tools
// has a hundredth of it.
const maxValuesIn = 10_000

// maxDepth bounds how deep a proof follows references, alternatives and values into each other.
const maxDepth = 200

// Proven reports whether every value that the schema inner takes is proven to be taken by outer.
// Both are whole schemas, in which references are resolved. A nil schema takes every object.
func Proven(inner, outer *jsontree.Value) bool {
	if inner != nil && outer != nil && jsontree.Equal(*inner, *outer) {
		return true
	}
	p := &prover{}
	return p.proven(inner, outer)
}

// proven does what Proven does, without its shortcut for equal schemas.
func (p *prover) proven(inner, outer *jsontree.Value) bool {
	p.steps = maxSteps
	p.documents[innerSide] = newDocument(inner)
	p.documents[outerSide] = newDocument(outer)
	if p.documents[innerSide].odd || p.documents[outerSide].odd {
		return false
	}
	p.sameDialect = p.documents[innerSide].dialect == p.documents[outerSide].dialect
	set := constraints{}
	if !p.strict {
		set.bases = append(set.bases, node{value: &anObject, side: innerSide})
	}
	set, ok := p.with(set, node{value: p.documents[innerSide].root, side: innerSide}, 0)
	if !ok {
		return true // nothing fits the inner schema
	}
	return p.takes(set, node{value: p.documents[outerSide].root, side: outerSide}, 0)
}

// anObject is the schema of every object.
var anObject = jsontree.Object(jsontree.Member{Name: "type", Value: jsontree.Text("object")})

// anything is the schema of every value.
var anything = jsontree.Value{Kind: 't'}

// A side says which of the two documents a schema is in: its references lead into the same document.
type side int

const (
	innerSide side = iota
	outerSide
)

// A dialect is the version of JSON Schema that a document is written in, as far as it matters here.
type dialect int

const (
	// 2020-12, which MCP means where $schema is missing (2025-11-25).
	dialectNew dialect = iota

	// 2019-09: items may be a list, and keywords beside $ref count.
	dialect2019

	// draft-07 and older: keywords beside $ref are ignored.
	dialectDraft
)

// A document is a whole schema.
type document struct {
	root    *jsontree.Value
	dialect dialect

	// Nothing is proven about it: it's too large, we don't know its dialect, or references may lead
	// elsewhere than their pointers say.
	odd bool
}

// newDocument reads what a proof has to know about a whole schema.
func newDocument(root *jsontree.Value) document {
	if root == nil || root.Kind == 0 {
		root = &anything
	}
	d := document{root: root}
	switch dialectName(jsontree.TextOf(jsontree.Lookup(root, "$schema"))) {
	case "", "https://json-schema.org/draft/2020-12/schema":
	case "https://json-schema.org/draft/2019-09/schema":
		d.dialect = dialect2019
	case "http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-04/schema", "http://json-schema.org/schema":
		d.dialect = dialectDraft
	default:
		d.odd = true // its keywords may mean anything
	}
	values := 0
	schema.Visit(root, schema.AtSchema, func(v *jsontree.Value, _, at schema.Position, _ []jsontree.Step) {
		values++
		if at != schema.AtSchema {
			return
		}
		for _, m := range v.Members() {
			if redirects(m.Name) && v != root {
				d.odd = true
			}
			if m.Name == "$schema" && v != root {
				d.odd = true
			}
			if dynamic(m.Name) {
				d.odd = true
			}
		}
	})
	d.odd = d.odd || values > maxValuesIn
	return d
}

// dialectName is the value of $schema without an empty fragment.
func dialectName(s string) string {
	if len(s) > 0 && s[len(s)-1] == '#' {
		return s[:len(s)-1]
	}
	return s
}

// redirects reports whether a keyword gives the schemas below it another base for references.
func redirects(keyword string) bool { return keyword == "$id" || keyword == "id" }

// dynamic reports whether a keyword lets references depend on more than a pointer
// (JSON Schema 2020-12 Core, 8.2).
func dynamic(keyword string) bool {
	switch keyword {
	case "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef":
		return true
	}
	return false
}

// A node is a schema and the document that it is in.
type node struct {
	value *jsontree.Value
	side  side
}

// below is a schema in the same document.
func (n node) below(v *jsontree.Value) node { return node{value: v, side: n.side} }

// get is the value of a keyword, or nil.
func (n node) get(keyword string) *jsontree.Value { return jsontree.Lookup(n.value, keyword) }

// constraints are schemas: a value fits all of the bases and none of the nots.
type constraints struct {
	// Schemas that are objects, and beside them the schemas that their allOf and $ref lead to.
	bases []node

	nots []node

	// Keywords for which one alternative has been chosen already.
	split []*jsontree.Value
}

// clone returns a copy that can be added to.
func (c constraints) clone() constraints {
	return constraints{bases: slices.Clone(c.bases), nots: slices.Clone(c.nots), split: slices.Clone(c.split)}
}

// A prover has two documents and the steps that are left. It's used for one proof.
type prover struct {
	documents   [2]document
	sameDialect bool

	// JSON Schema alone, without the two conventions.
	strict bool

	steps    int
	open     []goal            // the goals that are being proven
	followed []*jsontree.Value // references that are being compared
}

// A goal is what is being proven: that these constraints imply an outer schema.
type goal struct {
	set   constraints
	outer node
	depth int // of the value that it is about
}

// with returns constraints with a schema added, and with all that its $ref and allOf lead to. It
// returns false if no value fits them.
func (p *prover) with(c constraints, n node, depth int) (constraints, bool) {
	p.steps--
	if p.steps < 0 || depth > maxDepth {
		return c, true // the schema is left out: more values fit
	}
	switch n.value.Kind {
	case 'f':
		return c, false
	case '{':
	default:
		return c, true
	}
	if slices.Contains(c.bases, n) {
		return c, true
	}
	c = c.clone()
	if reference := n.get("$ref"); reference != nil {
		target := p.target(n, reference)
		fits := true
		if target.value != nil {
			c, fits = p.with(c, target, depth+1)
		}
		if !fits {
			return c, false
		}
		if p.documents[n.side].dialect == dialectDraft {
			return c, true
		}
	}
	c.bases = append(c.bases, n)
	for _, part := range itemsOf(n.get("allOf")) {
		fits := true
		c, fits = p.with(c, n.below(part), depth+1)
		if !fits {
			return c, false
		}
	}
	return c, true
}

// target is the schema that a reference leads to, with a nil value if that isn't known.
func (p *prover) target(n node, reference *jsontree.Value) node {
	found, _, ok := schema.ResolveReference(p.documents[n.side].root, jsontree.TextOf(reference))
	if !ok || reference.Kind != '"' {
		return node{}
	}
	return n.below(found)
}

// itemsOf are the elements of an array. There are none in anything else.
func itemsOf(list *jsontree.Value) (items []*jsontree.Value) {
	if list == nil || list.Kind != '[' {
		return nil
	}
	for i := range list.Parts {
		items = append(items, &list.Parts[i].Value)
	}
	return items
}

// takes reports whether an outer schema is proven to take all values that fit the constraints. depth is
// how deep in the whole value such a value is.
func (p *prover) takes(set constraints, outer node, depth int) bool {
	p.steps--
	if p.steps < 0 || depth > maxDepth || len(p.open) > maxDepth {
		return false
	}
	switch outer.value.Kind {
	case 'f':
		return p.impossible(set, depth, 0)
	case '{':
	default:
		return true
	}
	p.steps -= len(p.open)
	for _, g := range p.open {
		if g.outer == outer && slices.Equal(g.set.bases, set.bases) && slices.Equal(g.set.nots, set.nots) {
			// The same question is being proven already. If that is for a value further out, this is an
			// induction: this value is smaller, and values are finite. If it's for the same value, the
			// goal would prove itself.
			return g.depth < depth
		}
	}
	if p.hasSame(set, outer) {
		return true
	}
	p.open = append(p.open, goal{set, outer, depth})
	proven := p.takesByKeywords(set, outer, depth)
	p.open = p.open[:len(p.open)-1]
	return proven
}

// hasSame reports whether one of the constraints is the same as the outer schema.
func (p *prover) hasSame(set constraints, outer node) bool {
	for _, base := range set.bases {
		p.steps--
		if p.same(base, outer) {
			return true
		}
	}
	return false
}

// takesByKeywords proves each keyword of an outer schema by itself.
func (p *prover) takesByKeywords(set constraints, outer node, depth int) bool {
	for _, keyword := range [...]string{"contentEncoding", "contentMediaType"} {
		rereads := func(base node) bool { return base.get(keyword) != nil && outer.get(keyword) == nil }
		if slices.ContainsFunc(set.bases, rereads) && outer.get("$ref") == nil {
			return false // texts would be read in another way
		}
	}
	for _, m := range outer.value.Members() {
		if !p.keyword(set, outer, m.Name, depth) {
			return false
		}
	}
	return true
}

// keyword proves one keyword of an outer schema: from the constraints as a whole or, failing that, for
// each of their alternatives.
func (p *prover) keyword(set constraints, outer node, name string, depth int) bool {
	rule, known := ruleOf(name)
	if !known {
		// The keyword takes no values away (Core, 4.3.1), or the rule of another keyword covers it.
		return true
	}
	f := p.factsOf(set)
	if f.none || p.takesValues(&f, outer, name, depth) || rule(p, &f, outer, depth) {
		return true
	}
	return p.eachAlternative(set, depth, func(one constraints) bool { return p.keyword(one, outer, name, depth) })
}

// eachAlternative reports whether a proof succeeds for each alternative of the first keyword that has
// alternatives. If no keyword has any, it returns false.
func (p *prover) eachAlternative(set constraints, depth int, prove func(constraints) bool) bool {
	keyword, alternatives := p.alternatives(set)
	if keyword == nil || p.steps < 0 {
		return false
	}
	for _, a := range alternatives {
		one := set.clone()
		one.split = append(one.split, keyword)
		fits := true
		for _, n := range a.fits {
			if fits {
				one, fits = p.with(one, n, 0)
			}
		}
		one.nots = append(one.nots, a.fails...)
		if fits && !p.impossible(one, depth, 0) && !prove(one) {
			return false
		}
	}
	return true
}

// An alternative is one of several cases: a value in it fits all schemas of fits and none of fails.
type alternative struct{ fits, fails []node }

// alternatives finds a keyword of the constraints that has alternatives, and lists these. Every value
// that fits the constraints is in one of the alternatives.
func (p *prover) alternatives(set constraints) (*jsontree.Value, []alternative) {
	for _, base := range set.bases {
		for _, name := range [...]string{"oneOf", "anyOf"} {
			list := base.get(name)
			if list == nil || list.Kind != '[' || slices.Contains(set.split, list) {
				continue
			}
			var cases []alternative
			items := itemsOf(list)
			for i, item := range items {
				one := alternative{fits: []node{base.below(item)}}
				for j, other := range items {
					if name == "oneOf" && i != j {
						one.fails = append(one.fails, base.below(other))
					}
				}
				cases = append(cases, one)
			}
			return list, cases
		}
		if test := base.get("if"); test != nil && !slices.Contains(set.split, test) && p.knows(base, "if") {
			holds := alternative{fits: []node{base.below(test)}}
			if then := base.get("then"); then != nil {
				holds.fits = append(holds.fits, base.below(then))
			}
			fails := alternative{fails: []node{base.below(test)}}
			if otherwise := base.get("else"); otherwise != nil {
				fails.fits = append(fails.fits, base.below(otherwise))
			}
			return test, []alternative{holds, fails}
		}
		if types := base.get("type"); len(itemsOf(types)) > 1 && !isTrue(base.get("nullable")) && !slices.Contains(set.split, types) {
			var cases []alternative
			for _, one := range itemsOf(types) {
				single := jsontree.Object(jsontree.Member{Name: "type", Value: *one})
				cases = append(cases, alternative{fits: []node{base.below(&single)}})
			}
			return types, cases
		}
	}
	return nil, nil
}

// impossible reports whether it's certain that no value fits the constraints. depth is how deep in the
// whole value such a value would be. splits counts the alternatives and properties on the way here.
func (p *prover) impossible(set constraints, depth, splits int) bool {
	p.steps--
	if p.steps < 0 || splits > 3 {
		return false
	}
	f := p.factsOf(set)
	if f.none || p.objectImpossible(&f, depth, splits) {
		return true
	}
	for _, not := range set.nots {
		if p.takes(set, not, depth) {
			return true
		}
	}
	keyword, alternatives := p.alternatives(set)
	if keyword == nil || len(alternatives) > 16 {
		return false
	}
	for _, a := range alternatives {
		one := set.clone()
		one.split = append(one.split, keyword)
		fits := true
		for _, n := range a.fits {
			if fits {
				one, fits = p.with(one, n, 0)
			}
		}
		if fits && !p.impossible(one, depth, splits+1) {
			return false
		}
	}
	return true
}
