package main

import (
	"slices"
	"strconv"
)

// The meaningForms of schemas are what different forms of one schema have in common. SDKs
// write a schema inline or as a $ref, and null as a type, as an alternative or as nullable:
// with the next release of an SDK the form changes, and the meaning stays. In the meaning form
//
//   - a $ref is replaced by the schema that it leads to,
//   - a combinator with one schema is replaced by that schema,
//   - nullable and alternatives that are nothing but types are written as a list of types,
//   - and the types are sorted.
//
// No text is lost on the way: where a member would be said twice in different words, the
// schema has no form. It has none, either, if a reference in it leads back to itself or
// to where we can't follow. Two schemas without a form are never taken for equal.
type meaningForms struct {
	roots   [2]*value      // the whole schemas, old and new, in which references are resolved
	numbers map[*value]int // of the forms of schemas; 0 where there is none, or not yet
	byText  map[string]int // the number of a form by its JSON text
	forms   []value        // by number, from 1; each has the numbers of the forms inside it
	room    int            // bytes that may still be written
}

const (
	// maxMeaningBytes is how many bytes of meaning forms are written for one tool. Real tools
	// need a hundredth of it, but each reference can repeat a long definition.
	maxMeaningBytes = 8 << 20

	// maxReferences is how many references may follow each other to a schema. Real tools
	// have three; a chain of thousands would fill the stack.
	maxReferences = 100
)

var combinators = [...]string{"anyOf", "oneOf", "allOf"}

// unfollowed are the keywords that give references another meaning (JSON Schema 2020-12
// Core, 8.2).
var unfollowed = [...]string{"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef"}

func newMeaningForms() meaningForms {
	return meaningForms{numbers: map[*value]int{}, byText: map[string]int{}, forms: []value{{}}, room: maxMeaningBytes}
}

// equal reports whether an old and a new schema have the same meaning form.
func (m *meaningForms) equal(old, new *value) bool {
	n := m.number(m.roots[0], old, 0)
	return n > 0 && n == m.number(m.roots[1], new, 0)
}

// number returns the number of a schema's form. depth counts the references on the way to
// the schema. Equal forms have equal numbers, so that no form is ever written out whole.
func (m *meaningForms) number(root, schema *value, depth int) int {
	if n, ok := m.numbers[schema]; ok || depth > maxReferences || m.room <= 0 {
		return n
	}
	m.numbers[schema] = 0 // so a reference that leads back here finds no form
	form, ok := *schema, true
	if schema.kind == '{' {
		form, ok = m.form(root, schema, depth)
	}
	if !ok {
		return 0
	}
	text := string(appendJSON(nil, form))
	m.room -= len(text)
	n, ok := m.byText[text]
	if !ok {
		n = len(m.forms)
		m.byText[text], m.forms = n, append(m.forms, form)
	}
	m.numbers[schema] = n
	return n
}

// form returns the form of an object, and false if it has none. The definitions of the
// root are left out, because they bear on the input only where a reference leads to them.
func (m *meaningForms) form(root, schema *value, depth int) (value, bool) {
	form := value{kind: '{'}
	for i := range schema.parts {
		p := &schema.parts[i]
		switch {
		case schema == root && isDefinitions(p.name):
			continue
		case slices.Contains(unfollowed[:], p.name) && !(schema == root && p.name == "$id"):
			return form, false
		}
		v, ok := m.numbered(root, &p.value, atSchema.below(p.name, &p.value), depth)
		if !ok {
			return form, false
		}
		form.parts = append(form.parts, namedValue{p.name, v})
	}
	form = m.withTypes(form)
	if reference := lookup(&form, "$ref"); reference != nil {
		target, _, _ := resolveReference(root, textOf(reference))
		if target == nil {
			return form, false
		}
		return m.merged(form, "$ref", m.number(root, target, depth+1))
	}
	for _, combinator := range combinators {
		if list := lookup(&form, combinator); list != nil && len(list.items()) == 1 {
			if whole, ok := m.merged(form, combinator, numberIn(list.parts[0].value)); ok {
				return whole, true
			}
		}
	}
	return form, true
}

// numbered returns a copy of a keyword's value with the numbers of their forms in place of
// schemas. It returns false if a schema in it has no form.
func (m *meaningForms) numbered(root, v *value, at position, depth int) (value, bool) {
	switch at {
	case atOther:
		return *v, true
	case atSchema:
		n := m.number(root, v, depth)
		return value{kind: '0', text: strconv.Itoa(n)}, n > 0
	}
	out := value{kind: v.kind}
	for i := range v.parts {
		n, ok := m.numbered(root, &v.parts[i].value, atSchema, depth)
		if !ok {
			return out, false
		}
		out.parts = append(out.parts, namedValue{v.parts[i].name, n})
	}
	return out, true
}

func numberIn(v value) int {
	n, _ := strconv.Atoi(v.text)
	return n
}

// merged replaces a keyword of a form by the members of another form, which the keyword
// leads to. Beside the keyword only annotations may stand: before 2019-09 a $ref hides
// what stands beside it, and additionalProperties sees only the properties beside it.
func (m *meaningForms) merged(form value, keyword string, number int) (value, bool) {
	inner := m.forms[number]
	parts := slices.Clone(inner.parts)
	for _, p := range form.parts {
		said := lookup(&inner, p.name)
		switch {
		case p.name == keyword:
		case said == nil && inner.kind == '{' && isAnnotation(p.name):
			parts = append(parts, p)
		case said == nil || !isAnnotation(p.name) && p.name != "type" || !equalValues(*said, p.value):
			return form, false
		}
	}
	inner.parts = sortedMembers(parts)
	return inner, number > 0
}

// withTypes writes nullable, and alternatives that are nothing but types, into a list of
// types. nullable counts only beside type (OpenAPI 3.0.3, Schema Object).
func (m *meaningForms) withTypes(form value) value {
	has := func(name string) bool { return lookup(&form, name) != nil }
	types, ok := typeNames(lookup(&form, "type"))
	written := "" // the keyword that goes into the list
	switch nullable := lookup(&form, "nullable"); {
	case ok && nullable != nil && nullable.kind == 'f':
		written = "nullable"
	case ok && nullable != nil && nullable.kind == 't' && !has("enum") && !has("const"):
		types, written = append(types, "null"), "nullable"
	case !has("type"):
		for _, combinator := range combinators[:2] {
			if list := lookup(&form, combinator); list != nil && !ok {
				types, ok = m.alternativeTypes(list, combinator)
				written = combinator
			}
		}
	}
	if !ok {
		return form
	}
	slices.Sort(types)
	list := textList(slices.Compact(types))
	if len(list.parts) == 1 {
		list = list.parts[0].value
	}
	without := func(p namedValue) bool { return p.name == "type" || p.name == written }
	form.parts = sortedMembers(append(slices.DeleteFunc(form.parts, without), namedValue{"type", list}))
	return form
}

// alternativeTypes returns the types of all alternatives, if they are nothing but types. Of
// the types under oneOf no two may have a value in common.
func (m *meaningForms) alternativeTypes(alternatives *value, combinator string) (types []string, ok bool) {
	forms := value{kind: '['}
	for _, item := range alternatives.items() {
		form := m.forms[numberIn(item.value)]
		names, ok := typeNames(lookup(&form, "type"))
		if !ok || len(form.parts) != 1 {
			return nil, false
		}
		types, forms.parts = append(types, names...), append(forms.parts, namedValue{value: form})
	}
	return types, len(types) > 0 && (combinator == "anyOf" || disjoint(&forms))
}

// typeNames returns the types that a type keyword names, and false if it names none.
func typeNames(types *value) (names []string, ok bool) {
	if types == nil {
		return nil, false
	}
	list := types.items()
	if types.kind == '"' {
		list = []namedValue{{value: *types}}
	}
	for _, item := range list {
		if item.kind != '"' {
			return nil, false
		}
		names = append(names, item.text)
	}
	return names, len(names) > 0
}

func sortedMembers(members []namedValue) []namedValue {
	slices.SortFunc(members, func(a, b namedValue) int { return compareUTF16(a.name, b.name) })
	return members
}
