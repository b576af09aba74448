package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"pinproof/internal/inclusion"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

var combinators = [...]string{"anyOf", "oneOf", "allOf"}

// A comparison says how the values that a new schema takes compare with those that the old
// one took.
type comparison struct {
	breadth label.Breadth // Unknown where it can't be told

	// The narrower schema takes the same as one of the alternatives of the wider one.
	kept bool
}

// A comparer compares the schemas of an input or an output.
type comparer struct {
	pair  *inclusion.Pair
	roots [2]*jsontree.Value
}

func comparerOf(old, new *jsontree.Value) comparer {
	return comparer{inclusion.Between(old, new), [2]*jsontree.Value{old, new}}
}

// compare compares an old and a new schema.
func (m *comparer) compare(old, new *jsontree.Value) (c comparison) {
	switch takesOld, takenByOld := m.pair.Compare(old, new); {
	case takesOld && takenByOld:
		c.breadth = label.Same
	case takesOld:
		c.breadth = label.Wider
		c.kept = slices.ContainsFunc(alternativesOf(new), func(one *jsontree.Value) bool { return m.sameTaken(old, one) })
	case takenByOld:
		c.breadth = label.Narrower
		c.kept = slices.ContainsFunc(alternativesOf(old), func(one *jsontree.Value) bool { return m.sameTaken(one, new) })
	}
	return c
}

func (m *comparer) sameTaken(old, new *jsontree.Value) bool {
	takesOld, takenByOld := m.pair.Compare(old, new)
	return takesOld && takenByOld
}

// alternativesOf lists the schemas under anyOf and oneOf.
func alternativesOf(v *jsontree.Value) (list []*jsontree.Value) {
	for _, combinator := range combinators[:2] {
		if of := jsontree.Lookup(v, combinator); of != nil {
			for i := range of.Items() {
				list = append(list, &of.Parts[i].Value)
			}
		}
	}
	return list
}

// equal reports whether two schemas that take the same also say the same, wherever their references lead.
func (m *comparer) equal(old, new *jsontree.Value) bool {
	var said [2]map[string]bool
	for side, v := range []*jsontree.Value{old, new} {
		said[side] = map[string]bool{}
		addSaid(said[side], m.roots[side], v, 0)
	}
	return maps.Equal(said[0], said[1])
}

// addSaid adds the texts, numbers and names of parameters in a schema, with the keywords that they belong to, and those
// in the schemas that it refers to.
func addSaid(said map[string]bool, root, v *jsontree.Value, depth int) {
	whole := v == root
	schema.Visit(v, schema.AtSchema, func(v *jsontree.Value, _, at schema.Position, path []jsontree.Step) {
		if at == schema.AtProperties {
			for _, p := range v.Members() {
				said["."+p.Name] = true
			}
		}
		if whole && len(path) > 0 && schema.IsDefinitions(path[0].Name) {
			return // a definition says something only where a reference leads to it
		}
		keyword := ""
		if n := len(path); n > 0 {
			keyword = path[n-1].Name
		}
		if keyword == "$ref" && depth < maxReferences {
			if target, _, _ := schema.ResolveReference(root, v.Text); target != nil {
				addSaid(said, root, target, depth+1)
			}
			return
		}
		if (v.Kind == 't' || v.Kind == 'f') && at == schema.AtOther && !slices.Contains(flags[:], keyword) || v.Kind == '0' || v.Kind == '"' && !slices.Contains(jsonTypes[:], v.Text) {
			if !isAnnotation(keyword) {
				keyword = ""
			}
			said[keyword+" "+v.Text] = true
		}
	})
}

// flags are keywords whose true or false only says what a schema takes.
var flags = [...]string{"nullable", "uniqueItems", "const", "enum"}

// maxReferences is how many references may follow each other to a schema. Real tools have three.
const maxReferences = 8

// listing are the keywords that list what a schema takes.
var listing = [...]string{"type", "nullable", "enum", "const", "anyOf", "oneOf", "allOf"}

// label corrects k, the label of a keyword that was added, removed or changed, where the comparison
// of the schema around it says more. Schemas are often restated: a parameter becomes one of
// several alternatives, or the other way round, and each keyword alone says little.
func (c comparison) label(change Change, s location, k label.Label) (label.Label, bool) {
	name := s.name()
	if len(s.inside()) > 0 || isAnnotation(name) || strings.HasPrefix(name, "$") {
		return k, false
	}
	rule := keywordRules()[name]
	if name == "nullable" {
		rule = keywordRules()["type"]
	}
	lists := slices.Contains(listing[:], name)
	if c.breadth == label.Same {
		return sameTaken(change, s, k, lists), true
	}
	if c.breadth != label.Unknown && lists && k.Effect() == c.breadth {
		return k, true
	}
	if c.breadth == label.Wider && lists {
		return rule.wider, true
	}
	if c.breadth == label.Narrower && lists {
		return rule.narrower, true
	}
	if c.kept {
		// The keyword is in an alternative now, or was in one before.
		return label.OtherForm, true
	}
	if c.breadth == label.Wider && k.Severity() == label.Breaking && !s.output() {
		return label.Loosened, true
	}
	if c.breadth == label.Narrower && k.OfOutput().Severity() == label.Breaking && s.output() {
		return label.Tightened, true
	}
	return k, false
}

// sameTaken is the label of a change in a schema that takes the same values as before.
func sameTaken(change Change, s location, k label.Label, lists bool) label.Label {
	if k.Minor() || k.Effect() == label.Same {
		return k
	}
	if namesNew(s) {
		return label.NewOptional
	}
	if lists && saysOther(change, s) {
		return label.Wording
	}
	return label.OtherForm
}

// namesNew reports whether a new value names a parameter that the schema around it didn't name.
func namesNew(s location) bool {
	known := map[string]bool{}
	found := false
	each := func(v *jsontree.Value, at schema.Position, f func(name string)) {
		schema.Each(cmp.Or(v, &jsontree.Value{}), at, func(v *jsontree.Value) {
			for _, p := range v.Get("properties").Members() {
				f(p.Name)
			}
		})
	}
	each(s.around[0], schema.AtSchema, func(name string) { known[name] = true })
	each(s.here[1], s.holds(), func(name string) { found = found || !known[name] })
	return found
}

// saysOther reports whether an old or a new value has a text or a number that the schema around it
// doesn't have on the other side: the model reads it, though it takes no values away.
func saysOther(change Change, s location) bool {
	for side, v := range [...]*jsontree.Value{&change.Old, &change.New} {
		known := map[string]bool{}
		eachSaid(s.around[1-side], func(said string) { known[said] = true })
		other := false
		eachSaid(v, func(said string) { other = other || !known[said] })
		if other {
			return true
		}
	}
	return false
}

// eachSaid calls f for the texts and numbers in a value, except the names of types.
func eachSaid(v *jsontree.Value, f func(said string)) {
	schema.Visit(v, schema.AtOther, func(v *jsontree.Value, _, _ schema.Position, _ []jsontree.Step) {
		if v.Kind == '0' || v.Kind == '"' && !slices.Contains(jsonTypes[:], v.Text) {
			f(v.Text)
		}
	})
}
