package diff

import (
	"crypto/sha256"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// This file lists what is read in a schema, by what it is about. Two schemas that take the same values are two forms of
// one schema only if a reader finds the same about the same values in both.

// contents are what a schema has by itself, in its alternatives, and where it refers to. The path of a schema is that of
// its values in those of the whole schema.
type contents struct {
	// Of parameters, below their paths: the names alone.
	names map[digest]digest

	// It takes no other names.
	isClosed bool

	// Except the names of types.
	texts map[string]bool

	// Remarks are keywords that restrict no value but are read, such as descriptions and defaults, and those that nobody
	// knows. The key is a digest of what a remark is about and of what it is.
	remarks map[digest]remark
}

// A remark is one keyword that is read.
type remark struct {
	// What it is, without what it is about.
	said digest

	// Of a change that adds it.
	label label.Label

	// It is a title that is a name in words, or that of the whole schema.
	isName bool
}

type digest [sha256.Size]byte

// below returns the path of what is below a path.
func below(path digest, step string) digest { return sha256.Sum256(append(path[:], step...)) }

// A contentsReader collects the contents of one schema.
type contentsReader struct {
	contents
	side *side
	root *jsontree.Value

	// Definitions that are being read.
	open map[*jsontree.Value]bool

	// Definitions whose texts are collected.
	seen map[*jsontree.Value]bool

	// The budget was too small.
	failed bool
}

// contentsIn collects the contents of a schema of a side. It returns false if the budget is too small.
func (s *side) contentsIn(side int, v *jsontree.Value) (contents, bool) {
	r := contentsReader{side: s, root: s.roots[side], open: map[*jsontree.Value]bool{}, seen: map[*jsontree.Value]bool{}}
	r.contents = contents{names: map[digest]digest{}, texts: map[string]bool{}, remarks: map[digest]remark{}}
	r.collectTexts(v)
	r.read(v, "", digest{}, digest{})
	return r.contents, !r.failed
}

// contentsOf is contentsIn for a schema that is part of a side: it is read once.
func (s *side) contentsOf(side int, v *jsontree.Value) (c contents, ok bool) {
	c, known := s.contents[side][v]
	if known {
		return c, true
	}
	c, ok = s.contentsIn(side, v)
	if ok {
		s.contents[side][v] = c
	}
	return c, ok
}

// read reads a schema of a name at a path. about is the path with the alternatives that the schema is in. What a reference leads to and
// the parts of allOf are at the path of the schema around them.
func (r *contentsReader) read(v *jsontree.Value, name string, path, about digest) {
	if r.failed || v == nil || !r.side.budget.Spend(sizeOf(v)+1) {
		r.failed = r.failed || v != nil
		return
	}
	for _, m := range v.Members() {
		if remark, is := remarkOf(m); is {
			remark.isName = m.Name == "title" && (about == digest{} || RepeatsName(m.Value.Text, name))
			value := string(jsontree.Append(nil, m.Value))
			remark.said = below(below(digest{}, m.Name), value)
			r.remarks[below(below(about, m.Name), value)] = remark
		}
	}
	for _, p := range v.Get("properties").Members() {
		if p.Value.Kind != 'f' {
			r.names[below(below(path, "properties"), p.Name)] = below(digest{}, p.Name)
		}
	}
	isClosed := v.Get("additionalProperties").Kind == 'f'
	r.isClosed = r.isClosed || isClosed && path == digest{}
	if to, steps, _ := schema.ResolveReference(r.root, v.Get("$ref").Text); v.Has("$ref") && to != nil && !r.open[to] {
		r.open[to] = true
		r.collectTexts(to)
		r.read(to, strings.Join(steps[max(0, len(steps)-1):], ""), path, about)
		delete(r.open, to)
	}
	names := map[string][]string{"anyOf": r.alternatives(v.Get("anyOf")), "oneOf": r.alternatives(v.Get("oneOf"))}
	schema.EachBelow(v, func(part *jsontree.Value, steps ...string) {
		keyword := steps[0]
		switch {
		case schema.IsDefinitions(keyword):
			// What is there counts where a reference leads to it.
		case keyword == "allOf" || isCombination(keyword) && len(steps) == 1:
			r.read(part, name, path, about)
		case isCombination(keyword):
			r.read(part, name, path, below(about, names[keyword][0]))
			names[keyword] = names[keyword][1:]
		default:
			if keyword == "prefixItems" {
				steps[0] = "items" // the older name
			}
			at, about := path, about
			for _, step := range steps {
				at, about = below(at, step), below(about, step)
			}
			r.read(part, steps[len(steps)-1], at, about)
		}
	})
}

// collectTexts collects the texts in a schema, once.
func (r *contentsReader) collectTexts(v *jsontree.Value) {
	if v == nil || r.seen[v] || r.failed {
		return
	}
	r.seen[v] = true
	if !r.side.budget.Spend(sizeOf(v)) {
		r.failed = true
		return
	}
	eachText(v, func(text string) { r.texts[text] = true })
}

// eachText calls f for the texts in a value, except the names of types.
func eachText(v *jsontree.Value, f func(text string)) {
	schema.Visit(v, schema.AtOther, func(v *jsontree.Value, _, _ schema.Position, _ []jsontree.Step) {
		if v.Kind == '"' && !schema.IsType(v.Text) {
			f(v.Text)
		}
	})
}

// remarkOf reports whether a keyword of a schema is a remark.
func remarkOf(m jsontree.Member) (remark, bool) {
	switch m.Name {
	case "default", "examples", "example":
		return remark{label: label.DefaultChanged}, true
	case schema.HeaderKeyword:
		return remark{label: label.Exported}, true
	case "title", "description", "$comment":
		return remark{label: label.Wording}, m.Value.Kind != 'n'
	}
	return remark{label: label.Changed}, m.Value.Kind != 'n' && (schema.IsAnnotation(m.Name) || !isKeyword(m.Name))
}

// alternatives names each of a list of alternatives by what tells it from the others: its key or, where two have one key, all its
// values.
func (r *contentsReader) alternatives(list jsontree.Value) (names []string) {
	count := map[string]int{}
	if list.Kind != '[' {
		return nil
	}
	for i := range list.Parts {
		values := r.values(&list.Parts[i].Value)
		key := itemKey(&values)
		count[key]++
		names = append(names, key)
	}
	for i, key := range names {
		if count[key] > 1 {
			names[i] = string(jsontree.Append(nil, r.values(&list.Parts[i].Value)))
		}
	}
	return names
}

// values returns an alternative without its remarks, with what references lead to in their place: what tells it from others.
func (r *contentsReader) values(v *jsontree.Value) jsontree.Value {
	values := schema.Map(*v, schema.AtSchema, func(name string, v jsontree.Value) (jsontree.Value, bool) {
		_, is := remarkOf(jsontree.Member{Name: name, Value: v})
		to, _, _ := schema.ResolveReference(r.root, v.Text)
		if name == "$ref" && to != nil && !r.open[to] && !r.failed {
			r.failed = !r.side.budget.Spend(sizeOf(to) + 1)
			r.open[to] = true
			defer delete(r.open, to)
			v = r.values(to)
		}
		return v, !is
	})
	if len(values.Parts) == 1 && values.Parts[0].Name == "$ref" && values.Parts[0].Kind == '{' {
		return values.Parts[0].Value // a reference alone is what it leads to
	}
	return values
}

// readsAlike reports whether both schemas have the same parameters and the same remarks about the same values, apart from
// what changes show and from titles that are names in words.
func (s *side) readsAlike() bool {
	var whole [2]contents
	for side, root := range s.roots {
		contents, ok := s.contentsOf(side, root)
		if !ok {
			return true // the entry counts as unexplained
		}
		whole[side] = contents
	}
	said := s.said()
	for side, c := range whole {
		for key, remark := range c.remarks {
			if _, known := whole[1-side].remarks[key]; !known && !remark.isName && !said[side][remark.said] {
				return false
			}
		}
		for key, name := range c.names {
			if _, known := whole[1-side].names[key]; !known && !said[side][name] {
				return false
			}
		}
	}
	return true
}

// said collects what the changes that are shown added or removed on each side, wherever it is.
func (s *side) said() (said [2]map[digest]bool) {
	said = [2]map[digest]bool{{}, {}}
	for _, c := range s.shown {
		for side, v := range [...]jsontree.Value{c.Old, c.New} {
			contents, _ := s.changedContents(side, v, c.location)
			for _, name := range contents.names {
				said[side][name] = true
			}
			for _, remark := range contents.remarks {
				said[side][remark.said] = true
			}
		}
	}
	return said
}

// changedContents collects the contents of what a change in a schema added or removed, as a part of the schema around it.
func (s *side) changedContents(side int, v jsontree.Value, at location) (contents, bool) {
	inside := at.inside()
	switch {
	case v.Kind == 0 || len(inside) > 1:
		return contents{}, true
	case len(inside) == 1 && schema.Keyword(at.name()) == schema.AtSchemas:
		v = jsontree.Value{Kind: '[', Parts: []jsontree.Member{{Value: v}}}
	case len(inside) == 1:
		v = jsontree.Object(jsontree.Member{Name: inside[0], Value: v})
	}
	changed := jsontree.Object(jsontree.Member{Name: at.name(), Value: v})
	return s.contentsIn(side, &changed)
}
