package diff

import (
	"slices"
	"strconv"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
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
// schema has no form. It has no form, either, if a reference in it leads back to itself or
// to where we can't follow. Two schemas without a form are never taken for equal.
type meaningForms struct {
	// The whole schemas, old and new, in which references are resolved.
	roots [2]*jsontree.Value

	// The number of each schema's form; 0 if the schema has no form, or none yet.
	numbers map[*jsontree.Value]int

	byText map[string]int // the number of a form by its JSON text

	// The forms by number, from 1. A form has numbers in place of the schemas inside it.
	forms []jsontree.Value

	// The alternatives of forms by number; nil where they can't be told.
	sets map[int]map[string]bool

	room int // bytes that may still be written
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
	return meaningForms{numbers: map[*jsontree.Value]int{}, byText: map[string]int{}, forms: []jsontree.Value{{}}, sets: map[int]map[string]bool{0: nil}, room: maxMeaningBytes}
}

// equal reports whether an old and a new schema have the same meaning form.
func (m *meaningForms) equal(old, new *jsontree.Value) bool {
	n := m.number(m.roots[0], old, 0)
	return n > 0 && n == m.number(m.roots[1], new, 0)
}

// number returns the number of a schema's form. depth counts the references on the way to
// the schema. Equal forms have equal numbers, so that no form is ever written out whole.
func (m *meaningForms) number(root, schema *jsontree.Value, depth int) int {
	if n, ok := m.numbers[schema]; ok || depth > maxReferences || m.room <= 0 {
		return n
	}
	// So a reference that leads back here finds no form.
	m.numbers[schema] = 0
	form := *schema
	ok := true
	if schema.Kind == '{' {
		form, ok = m.form(root, schema, depth)
	}
	if !ok {
		return 0
	}
	text := string(jsontree.Append(nil, form))
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
func (m *meaningForms) form(root, s *jsontree.Value, depth int) (jsontree.Value, bool) {
	form := jsontree.Value{Kind: '{'}
	for i := range s.Parts {
		p := &s.Parts[i]
		if s == root && schema.IsDefinitions(p.Name) {
			continue
		}
		if slices.Contains(unfollowed[:], p.Name) && !(s == root && p.Name == "$id") {
			return form, false
		}
		v, ok := m.numbered(root, &p.Value, schema.AtSchema.Below(p.Name, &p.Value), depth)
		if !ok {
			return form, false
		}
		form.Parts = append(form.Parts, jsontree.Member{Name: p.Name, Value: v})
	}
	form = m.withTypes(form)
	if reference := jsontree.Lookup(&form, "$ref"); reference != nil {
		target, _, _ := schema.ResolveReference(root, jsontree.TextOf(reference))
		if target == nil {
			return form, false
		}
		return m.merged(form, "$ref", m.number(root, target, depth+1))
	}
	for _, combinator := range combinators {
		if list := jsontree.Lookup(&form, combinator); list != nil && len(list.Items()) == 1 {
			if whole, ok := m.merged(form, combinator, numberIn(list.Parts[0].Value)); ok {
				return whole, true
			}
		}
	}
	return form, true
}

// numbered returns a copy of a keyword's value with the numbers of their forms in place of
// schemas. It returns false if a schema in it has no form.
func (m *meaningForms) numbered(root, v *jsontree.Value, at schema.Position, depth int) (jsontree.Value, bool) {
	switch at {
	case schema.AtOther:
		return *v, true
	case schema.AtSchema:
		n := m.number(root, v, depth)
		return jsontree.Value{Kind: '0', Text: strconv.Itoa(n)}, n > 0
	}
	out := jsontree.Value{Kind: v.Kind}
	for i := range v.Parts {
		n, ok := m.numbered(root, &v.Parts[i].Value, schema.AtSchema, depth)
		if !ok {
			return out, false
		}
		out.Parts = append(out.Parts, jsontree.Member{Name: v.Parts[i].Name, Value: n})
	}
	return out, true
}

func numberIn(v jsontree.Value) int {
	n, _ := strconv.Atoi(v.Text)
	return n
}

// merged replaces a keyword of a form by the members of another form, which the keyword
// leads to. Only annotations may be beside the keyword: before 2019-09 a $ref hides
// what is beside it, and additionalProperties sees only the properties beside it.
func (m *meaningForms) merged(form jsontree.Value, keyword string, number int) (jsontree.Value, bool) {
	inner := m.forms[number]
	parts := slices.Clone(inner.Parts)
	for _, p := range form.Parts {
		said := jsontree.Lookup(&inner, p.Name)
		switch {
		case p.Name == keyword:
		case said == nil && inner.Kind == '{' && isAnnotation(p.Name):
			parts = append(parts, p)
		case said == nil || !isAnnotation(p.Name) && p.Name != "type" || !jsontree.Equal(*said, p.Value):
			return form, false
		}
	}
	inner.Parts = sortedMembers(parts)
	return inner, number > 0
}

// withTypes rewrites nullable, and alternatives that are nothing but types, as a list of
// types. nullable counts only beside type (OpenAPI 3.0.3, Schema Object).
func (m *meaningForms) withTypes(form jsontree.Value) jsontree.Value {
	has := func(name string) bool { return jsontree.Lookup(&form, name) != nil }
	types, ok := typeNames(jsontree.Lookup(&form, "type"))
	written := "" // the keyword that the list of types replaces
	switch nullable := jsontree.Lookup(&form, "nullable"); {
	case ok && nullable != nil && nullable.Kind == 'f':
		written = "nullable"
	case ok && nullable != nil && nullable.Kind == 't' && !has("enum") && !has("const"):
		types = append(types, "null")
		written = "nullable"
	case !has("type"):
		for _, combinator := range combinators[:2] {
			if list := jsontree.Lookup(&form, combinator); list != nil && !ok {
				types, ok = m.alternativeTypes(list, combinator)
				written = combinator
			}
		}
	}
	if !ok {
		return form
	}
	slices.Sort(types)
	list := jsontree.Texts(slices.Compact(types))
	if len(list.Parts) == 1 {
		list = list.Parts[0].Value
	}
	without := func(p jsontree.Member) bool { return p.Name == "type" || p.Name == written }
	form.Parts = sortedMembers(append(slices.DeleteFunc(form.Parts, without), jsontree.Member{Name: "type", Value: list}))
	return form
}

// alternativeTypes returns the types of all alternatives, if these are nothing but types. Under oneOf,
// no two alternatives may have a value in common.
func (m *meaningForms) alternativeTypes(alternatives *jsontree.Value, combinator string) (types []string, ok bool) {
	forms := jsontree.Value{Kind: '['}
	for _, item := range alternatives.Items() {
		form := m.forms[numberIn(item.Value)]
		names, ok := typeNames(jsontree.Lookup(&form, "type"))
		if !ok || len(form.Parts) != 1 {
			return nil, false
		}
		types = append(types, names...)
		forms.Parts = append(forms.Parts, jsontree.Member{Value: form})
	}
	return types, len(types) > 0 && (combinator == "anyOf" || disjoint(&forms))
}

// typeNames returns the types that a type keyword names, and false if it names none.
func typeNames(types *jsontree.Value) (names []string, ok bool) {
	if types == nil {
		return nil, false
	}
	list := types.Items()
	if types.Kind == '"' {
		list = []jsontree.Member{{Value: *types}}
	}
	for _, item := range list {
		if item.Kind != '"' {
			return nil, false
		}
		names = append(names, item.Text)
	}
	return names, len(names) > 0
}

func sortedMembers(members []jsontree.Member) []jsontree.Member {
	slices.SortFunc(members, func(a, b jsontree.Member) int { return jsontree.CompareUTF16(a.Name, b.Name) })
	return members
}
