package main

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A refactored schema says the same things in another place: in a branch of anyOf, oneOf
// or allOf, in one of them instead of another, or in a definition. The old part is
// compared with the new one in its new place. Otherwise a changed description would be
// lost between a text that goes and a text that comes.

var combinators = [...]string{"anyOf", "oneOf", "allOf"}

// A schemaRef is an old schema and the place where it stood.
type schemaRef struct {
	schema *value
	at     *path
}

// firstMember identifies an object: copies of a value share their members.
func firstMember(v *value) *namedValue {
	if v == nil || len(v.members()) == 0 {
		return nil
	}
	return &v.parts[0]
}

// refactored returns the members of two schemas that are to be compared with each other.
// A combinator that came or went is compared here, and left out of them.
func (d *differ) refactored(e *diffNode, a, b []diffMember) (_, _ []diffMember) {
	old := e.old
	if d.stood[firstMember(e.old)] {
		a, _ = divide(a, e.new)
		old = nil // the rest of it is compared with a definition
	}
	said := e.old
	for _, def := range d.inlined[e.new] {
		again, more := divide(membersIn(def.schema), said)
		again = slices.DeleteFunc(again, func(m diffMember) bool { return d.equalValues(m.value, lookup(said, m.name)) })
		said = object(sorted(append(membersIn(said), more...)))
		gone := append(more, again...) // again: what was said first is compared
		for i, m := range gone {
			gone[i].moved = m.name == "$ref" && d.refers[firstMember(def.schema)]
		}
		a = withMembers(a, gone, def.at)
	}
	if e.longer(maxPointer / 2) {
		return a, b
	}
	for _, name := range combinators[:2] {
		if to := swapped(old, e.new, name); to != "" {
			at := slices.IndexFunc(a, func(m diffMember) bool { return m.name == name })
			a[at] = diffMember{to, a[at].value, e.was.to(name), true}
			return sorted(a), b
		}
	}
	for _, name := range combinators {
		named := func(m diffMember) bool { return m.name == name && m.at == nil }
		if array := alone(e.new, e.old, name); array != nil {
			shared, more := divide(a, e.new)
			if rest, branch := d.likestBranch(more, array); branch >= 0 {
				d.branches(e, diffNode{was: e.was, now: e.now.to(name), new: array}, rest, branch)
				// What an inlined definition said wasn't compared with the branch.
				compared := func(m diffMember) bool { return m.at == nil && lookup(&array.parts[branch].value, m.name) != nil }
				return sorted(append(shared, slices.DeleteFunc(more, compared)...)), slices.DeleteFunc(b, named)
			}
		}
		if array := alone(old, e.new, name); array != nil {
			_, more := divide(b, e.old)
			if rest, branch := d.likestBranch(more, array); branch >= 0 {
				went := diffNode{was: e.was.to(name), now: e.now.to(name), old: array}
				d.branches(e, went, rest, branch)
				taken, _ := divide(membersIn(&array.parts[branch].value), rest)
				return withMembers(slices.DeleteFunc(a, named), taken, went.was.to(strconv.Itoa(branch))), b
			}
		}
	}
	return a, b
}

// alone is the array that one schema has under a name, if the other has nothing there.
func alone(one, other *value, name string) *value {
	if v := lookup(one, name); v != nil && v.kind == '[' && lookup(other, name) == nil {
		return v
	}
	return nil
}

// swapped returns oneOf for anyOf, and the other way round, if one schema has the one alone
// and the other schema has the other alone.
func swapped(one, other *value, name string) string {
	for i, to := range combinators[:2] {
		if x, y := alone(one, other, name), alone(other, one, to); name == combinators[1-i] && x != nil && y != nil && !(scalars(x) && scalars(y)) {
			return to
		}
	}
	return ""
}

// divide splits members into those whose names another object has, too, and the rest.
func divide(list []diffMember, other *value) (shared, own []diffMember) {
	for _, m := range list {
		if lookup(other, m.name) != nil {
			shared = append(shared, m)
		} else {
			own = append(own, m)
		}
	}
	return shared, own
}

// withMembers adds members of an old schema that stood at another place.
func withMembers(list, more []diffMember, at *path) []diffMember {
	for _, m := range more {
		m.at = at.to(m.name)
		list = append(list, m)
	}
	return sorted(list)
}

func sorted(list []diffMember) []diffMember {
	slices.SortStableFunc(list, func(x, y diffMember) int { return compareUTF16(x.name, y.name) })
	return list
}

// object makes a schema of those members that didn't come from elsewhere.
func object(list []diffMember) *value {
	v := &value{kind: '{'}
	for _, m := range list {
		if m.at == nil {
			v.parts = append(v.parts, namedValue{m.name, *m.value})
		}
	}
	return v
}

// likestBranch makes a schema of members. It returns that, and the index of the branch that
// has most in common with it, or -1.
func (d *differ) likestBranch(members []diffMember, branches *value) (schema *value, best int) {
	schema, best = object(members), -1
	most := 0
	for i, branch := range branches.items() {
		if n := d.likeness(schema, &branch.value); n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		best = slices.IndexFunc(branches.items(), func(v namedValue) bool { return d.refers[firstMember(&v.value)] })
	}
	return schema, best
}

// likeness is how much a schema has in common with another, or with the likest of those that
// the other refers to or has as alternatives.
func (d *differ) likeness(schema, other *value) (most int) {
	if d.room -= 1 + len(other.members()); d.room < 0 {
		return 0
	}
	for _, m := range other.members() {
		switch own := lookup(schema, m.name); {
		case own == nil:
		case d.equalValues(own, &m.value):
			most += 3
		case m.name != "type":
			most++
		}
	}
	if def := d.targets[lookup(other, "$ref")]; def != nil {
		most = max(most, d.likeness(schema, def))
	}
	for _, name := range combinators {
		if array := lookup(other, name); array != nil {
			for i := range array.items() {
				most = max(most, d.likeness(schema, &array.parts[i].value))
			}
		}
	}
	return most
}

// branches adds to e the array of a combinator that came or went. If it came, the rest of
// the old schema is compared with the branch most like it. If it went, refactored compares
// that branch with the rest of the new one; only what the new one lacks is removed here.
func (d *differ) branches(e *diffNode, array diffNode, rest *value, like int) {
	array.at, array.moved = atSchemas, true
	for i := range cmp.Or(array.new, array.old).items() {
		step := strconv.Itoa(i)
		part := diffNode{old: lookup(array.old, step), new: lookup(array.new, step)}
		if i == like && part.new != nil {
			taken, _ := divide(membersIn(rest), part.new)
			part.old, part.was, part.spread = object(taken), e.was, true
		}
		if branch := d.part(&array, step, part); i == like && part.new == nil {
			_, left := divide(membersIn(part.old), rest)
			d.merge(branch, left, nil)
		}
	}
	array.close()
	array.changes++
	e.inside = append(e.inside, array)
}

// findMoved records each definition that one side refers to where the other side spells it
// out. A new definition is compared with the schema that moved there, an old one with the
// schema that spells it out.
func (d *differ) findMoved(roots [2]*value, root *path) {
	for _, v := range roots {
		if v != nil {
			eachSchema(v, atSchema, func(s *value) {
				if ref := lookup(s, "$ref"); ref != nil {
					d.targets[ref], _, _ = resolveReference(v, textOf(ref))
				}
			})
		}
	}
	for _, side := range [...]int{1, 0} {
		m := movedSearch{d, roots, root, side}
		m.schemas(roots[1-side], roots[side], roots[side], root)
	}
}

// A movedSearch walks an old and a new schema side by side.
type movedSearch struct {
	*differ
	roots [2]*value
	root  *path
	side  int // the side that refers: 0 the old one, 1 the new one
}

// schemas searches a schema and one that may refer to what it spells out, at a place of the
// first. outer is the schema around the reference, whose members didn't move.
func (m movedSearch) schemas(plain, referring, outer *value, at *path) {
	if plain == nil || referring == nil || plain.kind != '{' || referring.kind != '{' || at.size > maxPointer/2 {
		return
	}
	m.definition(plain, referring, outer, at)
	eachPart(referring, atSchema, func(here *value, p position, keyword pathStep) {
		name := cmp.Or(swapped(referring, plain, keyword.name), keyword.name)
		other, to := lookup(plain, name), at.to(name)
		switch {
		case p == atSchema:
			m.schemas(other, here, here, to)
		case p == atNamed || p == atProperties:
			for i, part := range here.parts {
				m.schemas(lookup(other, part.name), &here.parts[i].value, &here.parts[i].value, to.to(part.name))
			}
		case p == atSchemas && other == nil && slices.Contains(combinators[:], name):
			_, rest := divide(membersIn(plain), referring)
			if _, branch := m.likestBranch(rest, here); branch >= 0 {
				m.schemas(plain, &here.parts[branch].value, referring, at)
			}
		case p == atSchemas && other != nil && other.kind == '[':
			for i, partner := range m.partners(other, here) { // those that will be compared
				if partner >= 0 {
					m.schemas(&other.parts[partner].value, &here.parts[i].value, &here.parts[i].value, to.to(strconv.Itoa(partner)))
				}
			}
		}
	})
}

// definition records the definition that a schema refers to and another spells out. Where the
// same schema stands at several places, only the first is compared with the definition.
func (m movedSearch) definition(plain, referring, outer *value, at *path) {
	def, steps := definitionOf(m.roots[m.side], m.roots[1-m.side], referring)
	if def == nil || m.stood[firstMember(plain)] || lookup(plain, "$ref") != nil {
		return
	}
	_, own := divide(membersIn(plain), outer)
	spelled, first := object(own), m.moved[def] == nil
	switch {
	case first && m.side == 0:
		spelled, m.moved[def] = plain, &schemaRef{def, m.root.to(steps[0]).to(steps[1])}
	case first:
		m.moved[def] = &schemaRef{spelled, at}
	}
	if first || m.moved[def].at != at && m.equalValues(m.moved[def].schema, spelled) {
		m.refers[firstMember(referring)] = true
		if m.side == 0 {
			m.inlined[plain] = append(m.inlined[plain], m.moved[def])
		} else {
			m.stood[firstMember(plain)] = true
		}
	}
	if first {
		m.schemas(spelled, def, outer, at)
	}
}

// partners returns for each element of the referring array the index of its partner.
func (m movedSearch) partners(plain, referring *value) []int {
	if m.side == 0 {
		partners, _ := m.pairItems(referring.parts, plain.parts)
		return partners
	}
	_, partners := m.pairItems(plain.parts, referring.parts)
	return partners
}

// definitionOf returns the definition that a $ref names, or nil if the other root has it.
func definitionOf(root, other, schema *value) (*value, []string) {
	def, steps, ok := resolveReference(root, textOf(lookup(schema, "$ref")))
	if !ok || def == nil || def.kind != '{' || len(steps) != 2 || !isDefinitions(steps[0]) || len(steps[1]) > maxPointer/2 {
		return nil, nil
	}
	if others := lookup(other, steps[0]); others != nil && (others.kind != '{' || lookup(others, steps[1]) != nil) {
		return nil, nil
	}
	return def, steps
}

// resolveReference returns the value that a reference inside the document names, nil if
// there is none, and the steps to it. The fragment is a percent-encoded JSON Pointer
// (RFC 6901, section 6). It returns false for anchors and other documents.
func resolveReference(root *value, reference string) (*value, []string, bool) {
	fragment, local := strings.CutPrefix(reference, "#")
	pointer, err := url.PathUnescape(fragment)
	steps, ok := pointerTokens(pointer)
	if !local || err != nil || !ok {
		return nil, nil, false
	}
	for _, step := range steps {
		root = lookup(root, step)
	}
	return root, steps, true
}
