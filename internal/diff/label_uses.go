package diff

import (
	"maps"
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// A schemaUse says how a schema bears on the input or the output, as a set of these bits.
type schemaUse int

const (
	// The input or output takes what the schema takes.
	usePlain schemaUse = 1 << iota

	// It is under not or if, or it's an alternative under a oneOf whose alternatives overlap: what it
	// takes, no other may take.
	useTested

	// It is in a schema whose old and new versions differ only in form (see meaningForms).
	useSame
)

// use works out how a schema, and each schema in it, bears on the input or output. Schemas under
// $defs do so only through references (JSON Schema 2020-12 Core, 8.2). Each schema is
// visited once for each of its uses. It has no consequence that a definition was added or removed if
// all schemas that refer to it mean the same as before.
func (l *labeller) use(root, s *jsontree.Value, u schemaUse) {
	if l.sameMeaning[s] {
		u = useSame
	}
	if s == nil || l.uses[s]&u != 0 {
		return
	}
	l.uses[s] |= u
	if reference := jsontree.Lookup(s, "$ref"); reference != nil {
		v, steps, _ := schema.ResolveReference(root, jsontree.TextOf(reference))
		// The reference leads to an anchor, to another document or to nothing. We don't look for those.
		l.lost = l.lost || v == nil
		for i, step := range steps {
			// The reference leads into a definition, or to all of them: only $defs/NAME is one definition.
			l.lost = l.lost || schema.IsDefinitions(step) && len(steps) != i+2
		}
		l.shared = l.shared || len(steps) > 0 && !(len(steps) == 2 && schema.IsDefinitions(steps[0]))
		l.use(root, v, u)
	}
	if jsontree.Lookup(s, "unevaluatedProperties") != nil || jsontree.Lookup(s, "unevaluatedItems") != nil {
		l.unevaluated = true
	}
	if jsontree.Lookup(s, "$dynamicRef") != nil || jsontree.Lookup(s, "$recursiveRef") != nil {
		l.lost = true
	}
	if s != root && jsontree.Lookup(s, "$id") != nil {
		// References in this schema are resolved against its $id.
		l.lost = true
	}
	overlapping := u == usePlain && !disjoint(jsontree.Lookup(s, "oneOf"))
	schema.EachBelow(s, func(v *jsontree.Value, steps ...string) {
		switch keyword := steps[0]; {
		case schema.IsDefinitions(keyword):
		case u == usePlain && (keyword == "not" || keyword == "if" || keyword == "oneOf" && overlapping):
			l.use(root, v, useTested)
		default:
			l.use(root, v, u)
		}
	})
}

// useOf returns the uses of schemas, old and new, taken together: 0 only if no reference can lead to
// them, and useSame only if it is the use of all of them.
func (l *labeller) useOf(schemas ...*jsontree.Value) (u schemaUse) {
	unused := false
	for _, v := range schemas {
		u |= l.uses[v]
		unused = unused || v != nil && l.uses[v] == 0
	}
	if u != useSame || unused || l.lost {
		u &^= useSame
	}
	if u == 0 && l.lost {
		return usePlain
	}
	return u
}

// useAt returns the use that counts for a change: for definitions and for alternatives under oneOf their
// own use, for anything else that of the schema around it.
func (l *labeller) useAt(s location) schemaUse {
	of := s.around[:]
	switch {
	case s.held() && (s.defines() || s.name() == "oneOf"):
		of = s.here[:]
	case !s.defines():
	default:
		of = nil
		for side := range s.around {
			if v := s.member(side, s.name()); v != nil {
				for i := range v.Members() {
					of = append(of, &v.Parts[i].Value)
				}
			}
		}
	}
	return l.useOf(of...)
}

// defines reports whether the change is at one or more schemas that bear on the input only
// through references.
func (s *location) defines() bool {
	return schema.IsDefinitions(s.name()) && len(s.inside()) < 2 || s.held() && schema.Keyword(s.name()) == schema.AtOther
}

// forUse translates a label of a schema into what it means for the input, given how the
// schema is used. If the schema is only tested (useTested), nobody can tell.
func forUse(k label.Label, u schemaUse) label.Label {
	switch e := k.Effect(); {
	case e == label.Same:
		return k
	case u == 0:
		return label.UnusedDefinition
	case u == useSame:
		return label.OtherForm
	case u == usePlain, k == label.DefinitionAdded:
		return k
	}
	return label.Other
}

// disjoint reports whether no value fits two alternatives, so that oneOf means the same as
// anyOf. That is so if no two alternatives share a type, or if all require one parameter and no
// two have the same constant for it.
func disjoint(alternatives *jsontree.Value) bool {
	if alternatives == nil || len(alternatives.Items()) < 2 {
		return true
	}
	seen := map[string]bool{}
	// For each matter: how many alternatives differ in it from all before them.
	told := map[string]int{}
	for i := range alternatives.Items() {
		branch := &alternatives.Parts[i].Value
		// The values of the alternative by matter, which is the type or the constant of a parameter.
		own := map[string]map[string]bool{}
		if types := jsontree.Lookup(branch, "type"); types != nil {
			own["type"], _ = typeSet(types)
		}
		required, _ := stringSet(jsontree.Lookup(branch, "required"))
		for name := range required {
			if constant := jsontree.TextOf(jsontree.Lookup(jsontree.Lookup(jsontree.Lookup(branch, "properties"), name), "const")); constant != "" {
				own["const "+name] = map[string]bool{constant: true}
			}
		}
		for matter, values := range own {
			repeated := len(values) == 0
			for v := range values {
				repeated = repeated || seen[matter+"\x00"+v]
				seen[matter+"\x00"+v] = true
			}
			if !repeated {
				told[matter]++
			}
		}
	}
	return slices.Contains(slices.Collect(maps.Values(told)), len(alternatives.Items()))
}
