package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A breadth says how the values that a schema takes compare with those that it took.
type breadth int

const (
	breadthUnknown breadth = iota // can't be told
	breadthSame
	breadthWider
	breadthNarrower
)

// maxBreadthBytes is how many bytes may be written in one tool to compare the breadths of
// its schemas. Real tools need a thousandth of it.
const maxBreadthBytes = 8 << 20

// refactoredLabel corrects k, the label of a change, where a schema may say the same in
// another form: by nullable, or by a combinator that came, went or replaced another. Such a
// change is labelled by all that the schema took and takes: that a keyword moved is nothing.
func (l *labeller) refactoredLabel(c change, s location, k labelKind) labelKind {
	name, effect := s.name(), labelTable[k].effect
	whole, unknown := cmp.Or(s.whole, s.around), k // the schemas, and the label where they can't be compared
	said := func(keyword string) bool { return lookup(whole[0], keyword) != nil || lookup(whole[1], keyword) != nil }
	branch := s.held() && len(s.inside()) == 1 && slices.Contains(combinators[:], name)
	switch {
	case name == "$ref" && s.moved:
		return labelOtherForm // its definition is compared with what stood here
	case whole != s.whole && !said("anyOf") && !said("oneOf"): // no combinator changed
		if !said("nullable") || name != "type" && name != "nullable" {
			return k
		}
	case c.old.kind != 0 && c.new.kind != 0 && name != "type":
		return k // it changed where it was
	case effect == breadthSame, effect == breadthUnknown && name != "type", len(s.inside()) > 0 && !branch:
		return k
	case !branch:
		unknown = labelConstraintChanged
	}
	switch b := l.compareBreadth(whole); {
	case b == breadthSame:
		return labelOtherForm
	case b == effect:
		return k
	case b == breadthUnknown:
		return unknown
	case b == breadthNarrower:
		return labelTypeNarrowed
	}
	return labelOtherForm
}

// withNull replaces nullable by the type "null". nullable counts only beside type (OpenAPI
// 3.0.3, Schema Object). It returns false if the schema can't be written that way.
func withNull(schema *value) (*value, bool) {
	nullable := lookup(schema, "nullable")
	if nullable == nil {
		return schema, true
	}
	out := mapParts(*schema, func(name string, v value) (value, bool) {
		if name == "type" && nullable.kind == 't' {
			types := v.items()
			if v.kind != '[' {
				types = []namedValue{{value: v}}
			}
			v = value{kind: '[', parts: append(slices.Clone(types), namedValue{value: textValue("null")})}
		}
		return v, name != "nullable"
	})
	has := func(name string) bool { return lookup(schema, name) != nil }
	return &out, nullable.kind == 'f' || nullable.kind == 't' && has("type") && !has("enum") && !has("const")
}

// combinatorLabel is for an array of alternatives that came, went or replaced another. The
// alternatives have labels of their own.
func combinatorLabel(s location) labelKind {
	for side := range s.here {
		for _, keyword := range []string{"additionalProperties", "additionalItems", "items"} {
			if s.here[1-side] == nil && s.member(side, keyword) != nil {
				return labelConstraintChanged // these apply beside their own properties or items alone (Core, 10.3)
			}
		}
	}
	was, is := disjoint(s.member(0, "oneOf")), disjoint(s.member(1, "oneOf"))
	switch {
	case was && is:
		return labelOtherForm
	case s.here[0] == nil || s.here[1] == nil:
		return labelConstraintChanged
	case is:
		return labelLoosened
	}
	return labelTightened
}

// disjoint reports whether no value fits two alternatives, so that oneOf means the same as
// anyOf. That is so if each has types of its own, or if all require one parameter and each
// has a constant of its own for it.
func disjoint(alternatives *value) bool {
	if alternatives == nil || len(alternatives.items()) < 2 {
		return true
	}
	said, told := map[string]bool{}, map[string]int{}
	for i := range alternatives.items() {
		branch := &alternatives.parts[i].value
		own := map[string]map[string]bool{} // by matter: the type, or the constant of a parameter
		own["type"], _ = typeSet(lookup(branch, "type"))
		if fixed := fixedValues(branch); fixed != nil && lookup(branch, "type") == nil {
			own["type"] = typesOf(fixed)
		}
		required, _ := stringSet(lookup(branch, "required"))
		for name := range required {
			if constant := textOf(lookup(lookup(lookup(branch, "properties"), name), "const")); constant != "" {
				own["const "+name] = map[string]bool{constant: true}
			}
		}
		for matter, values := range own {
			repeated := len(values) == 0
			for v := range values {
				repeated = repeated || said[matter+"\x00"+v]
				said[matter+"\x00"+v] = true
			}
			if !repeated {
				told[matter]++
			}
		}
	}
	return slices.Contains(slices.Collect(maps.Values(told)), len(alternatives.items()))
}

// compareBreadth compares two forms of a schema by the values that they take, if that is
// simple enough to tell. Each form is written as a union of types, each with the keywords
// that bear on it. An alternative is merged with the keywords around it.
func (l *labeller) compareBreadth(schemas [2]*value) breadth {
	if result, ok := l.breadths[schemas]; ok || schemas[0] == nil || schemas[1] == nil {
		return result
	}
	l.breadths[schemas] = breadthUnknown
	var unions [2]map[string]bool
	for i, schema := range schemas {
		bare := mapSchema(*schema, atSchema, func(name string, v value) (value, bool) {
			return v, !slices.Contains(annotationKeywords[:], name)
		})
		unions[i] = map[string]bool{}
		if !l.addUnion(&bare, unions[i]) {
			return breadthUnknown
		}
	}
	l.breadths[schemas] = compareSets(unions[0], unions[1])
	return l.breadths[schemas]
}

// compareSets compares two sets. An entry covers all entries that begin with it and a
// blank: a type without keywords covers the same type with any keywords.
func compareSets(old, new map[string]bool) breadth {
	covers := func(a, b map[string]bool) bool {
		for entry := range b {
			all, _, _ := strings.Cut(entry, " ")
			if !a[entry] && !a[all] {
				return false
			}
		}
		return true
	}
	switch fewer, more := !covers(new, old), !covers(old, new); {
	case fewer && more:
		return breadthUnknown
	case more:
		return breadthWider
	case fewer:
		return breadthNarrower
	}
	return breadthSame
}

// addUnion adds what a schema takes to set: each type with the keywords that bear on it, or
// each value if the schema lists its values. It returns false if that can't be told.
func (l *labeller) addUnion(schema *value, set map[string]bool) bool {
	schema, ok := withNull(schema)
	list := cmp.Or(lookup(schema, "anyOf"), lookup(schema, "oneOf"))
	switch {
	case !ok || schema.kind != '{' || l.room <= 0:
		return false
	case list == nil:
		return l.addTypes(schema, set)
	case lookup(schema, "oneOf") != nil && (lookup(schema, "anyOf") != nil || !disjoint(list)):
		return false
	}
	for i := range list.items() {
		branch, ok := withNull(&list.parts[i].value)
		whole, ok2 := merged(schema, branch, list)
		if !ok || !ok2 {
			return false
		}
		if l.room -= 16 * (1 + len(whole.members())); !l.addUnion(whole, set) {
			return false
		}
	}
	return list.kind == '['
}

// merged is an alternative with the keywords around it, less the alternatives themselves.
// It returns false if both have one keyword with different values, or both have keywords
// on objects, arrays or conditions: the meaning of those depends on the ones beside them.
func merged(around, branch, alternatives *value) (*value, bool) {
	structured := func(v *value) bool {
		return slices.ContainsFunc(v.members(), func(m namedValue) bool {
			on := keywordTypes[m.name]
			return on == "object" || on == "array" || m.name == "if" || m.name == "then" || m.name == "else"
		})
	}
	shared, rest := divide(membersIn(around), branch)
	differs := func(m diffMember) bool { return !equalValues(*m.value, *lookup(branch, m.name)) }
	if branch.kind != '{' && branch.kind != 't' || structured(around) && structured(branch) || slices.ContainsFunc(shared, differs) {
		return nil, false
	}
	rest = slices.DeleteFunc(rest, func(m diffMember) bool { return m.value == alternatives })
	return object(sorted(append(rest, membersIn(branch)...))), true
}

// addTypes adds what a schema without alternatives takes.
func (l *labeller) addTypes(schema *value, set map[string]bool) bool {
	types, ok := typeSet(lookup(schema, "type"))
	fixed := fixedValues(schema)
	if !ok || fixed == nil && (lookup(schema, "enum") != nil || lookup(schema, "const") != nil) {
		return false
	}
	for t := range types {
		body := value{kind: '{'}
		for _, m := range schema.members() {
			on := keywordTypes[m.name]
			switch {
			case m.name == "type" || m.name == "enum" || m.name == "const":
			case on != "" && on != t && !(on == "number" && t == "integer"):
			case t == "integer" && isLargest(m.value) && (m.name == "minimum" || m.name == "maximum"):
			case (t == "null" || t == "boolean") && m.name == "format":
			default:
				body.parts = append(body.parts, m)
			}
		}
		text := ""
		if len(body.members()) > 0 {
			text = " " + string(appendJSON(nil, body))
		}
		values := fixed
		if fixed == nil {
			values = map[string]bool{"": true}
		}
		for v := range values {
			entry := t
			switch {
			case fixed == nil:
			case t == "null" && v == t: // it has no other value
			case typeOf(v) == t || t == "integer" && typeOf(v) == "number":
				entry += " =" + v
			default:
				continue
			}
			if l.room -= len(entry) + len(text); l.room <= 0 {
				return false
			}
			set[entry+text] = true
		}
	}
	return true
}

// typesOf returns the types of values, which are given as JSON texts.
func typesOf(texts map[string]bool) map[string]bool {
	var names []string
	for text := range texts {
		names = append(names, typeOf(text))
	}
	list := textList(names)
	types, _ := typeSet(&list)
	return types
}

// typeOf is the type of a value given as a JSON text. It is "number" for integers, too.
func typeOf(text string) string {
	if name, ok := typeByFirst[text[0]]; ok {
		return name
	}
	return "number"
}
