package diff

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// A comparison says how the values that a new schema takes compare with those that the old
// one took, judged by the alternatives of both.
type comparison struct {
	breadth label.Breadth // Unknown where it can't be told

	// Every alternative of the narrower schema is also in the wider schema, word for word.
	kept bool
}

// compare compares an old and a new schema.
func (m *meaningForms) compare(old, new *jsontree.Value) (c comparison) {
	a, ok := m.alternatives(m.number(m.roots[0], old, 0))
	b, ok2 := m.alternatives(m.number(m.roots[1], new, 0))
	if !ok || !ok2 {
		return c
	}
	c.breadth = compareSets(a, b)
	c.kept = c.breadth == label.Wider && includes(b, a) || c.breadth == label.Narrower && includes(a, b)
	return c
}

func includes(a, b map[string]bool) bool {
	for entry := range b {
		if !a[entry] {
			return false
		}
	}
	return true
}

// alternatives returns what a schema takes, given the number of its form, as a set of
// entries for compareSets: a type, a type with a value behind "=", or a type with the
// keywords that the value must satisfy. It returns false for a schema without a form, and for
// keywords that clients read differently or that depend on what other keywords left over.
func (m *meaningForms) alternatives(number int) (map[string]bool, bool) {
	if set, known := m.sets[number]; known {
		return set, set != nil
	}
	m.sets[number] = nil
	set, ok := m.listed(m.forms[number])
	if ok && m.room > 0 {
		m.sets[number] = set
	}
	return m.sets[number], m.sets[number] != nil
}

// listed makes the entries of a form.
func (m *meaningForms) listed(form jsontree.Value) (map[string]bool, bool) {
	if form.Kind == 'f' {
		return map[string]bool{}, true
	}
	if form.Kind != 't' && form.Kind != '{' {
		return nil, false
	}
	keywords := slices.DeleteFunc(slices.Clone(form.Members()), func(p jsontree.Member) bool {
		return isAnnotation(p.Name) || p.Name == "type" || m.empty(p)
	})
	types, ok := typeSet(jsontree.Lookup(&form, "type"))
	if !ok || slices.ContainsFunc(keywords, dependsOnReader) {
		return nil, false
	}
	if len(keywords) != 1 {
		return m.typed(types, keywords), true
	}
	list := keywords[0].Value
	name := keywords[0].Name
	chooses := name == "anyOf" || name == "oneOf" && disjoint(m.written(list))
	if chooses && jsontree.Lookup(&form, "type") == nil {
		return m.chosen(list)
	}
	if name == "const" {
		return m.values(types, []jsontree.Member{{Value: list}}), true
	}
	if name == "enum" && list.Kind == '[' {
		return m.values(types, list.Items()), true
	}
	return m.typed(types, keywords), true
}

// dependsOnReader reports whether clients read a keyword differently, or it depends on what other
// keywords left over.
func dependsOnReader(p jsontree.Member) bool {
	return p.Name == "nullable" || strings.HasPrefix(p.Name, "unevaluated")
}

// chosen makes the entries of a list of alternatives: the entries of all alternatives together.
func (m *meaningForms) chosen(list jsontree.Value) (map[string]bool, bool) {
	set := map[string]bool{}
	for _, item := range list.Items() {
		branch, ok := m.alternatives(numberIn(item.Value))
		if !ok || m.room <= 0 {
			return nil, false
		}
		for entry := range branch {
			m.add(set, entry)
		}
	}
	return set, true
}

// values makes the entries of those listed values that have one of the types.
func (m *meaningForms) values(types map[string]bool, values []jsontree.Member) map[string]bool {
	set := map[string]bool{}
	for _, item := range values {
		name := typeOf(item.Value)
		if !types[name] {
			continue
		}
		if name != "null" {
			name += " =" + string(jsontree.Append(nil, item.Value))
		}
		m.add(set, name)
	}
	return set
}

// typed makes an entry of each type, with the keywords that a value of it must satisfy.
func (m *meaningForms) typed(types map[string]bool, keywords []jsontree.Member) map[string]bool {
	set := map[string]bool{}
	for name := range types {
		if name != "null" {
			m.add(set, name+keywordsEntry(keywords))
		}
	}
	if types["null"] {
		keywords = slices.DeleteFunc(keywords, func(p jsontree.Member) bool { return slices.Contains(notForNull[:], p.Name) })
		m.add(set, "null"+keywordsEntry(keywords))
	}
	return set
}

// keywordsEntry is the part of an entry behind its type.
func keywordsEntry(keywords []jsontree.Member) string {
	if len(keywords) == 0 {
		return ""
	}
	return " " + string(jsontree.Append(nil, jsontree.Value{Kind: '{', Parts: keywords}))
}

// add puts an entry into a set, and takes its length from the room.
func (m *meaningForms) add(set map[string]bool, entry string) {
	set[entry] = true
	m.room -= len(entry)
}

// empty reports whether a keyword of a form takes no value away.
func (m *meaningForms) empty(p jsontree.Member) bool {
	switch p.Name {
	case "additionalProperties", "items":
		return p.Kind == '0' && takesAll(m.forms[numberIn(p.Value)])
	case "properties", "required":
		return (p.Kind == '{' || p.Kind == '[') && len(p.Parts) == 0
	}
	return false
}

// notForNull are keywords that null always satisfies (Validation, 6, and Core, 10.3).
var notForNull = [...]string{
	"additionalProperties", "contains", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maximum", "maxItems", "maxLength", "maxProperties",
	"minimum", "minItems", "minLength", "minProperties", "multipleOf", "pattern", "patternProperties", "prefixItems", "properties",
	"propertyNames", "required", "uniqueItems",
}

// written returns a list of schemas with their forms in place of the numbers.
func (m *meaningForms) written(numbers jsontree.Value) *jsontree.Value {
	list := jsontree.Value{Kind: '['}
	for _, item := range numbers.Items() {
		list.Parts = append(list.Parts, jsontree.Member{Value: m.forms[numberIn(item.Value)]})
	}
	return &list
}

// typeOf is the type of a value. A number without a fraction is an integer (Validation, 6.1.1).
func typeOf(v jsontree.Value) string {
	switch v.Kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		if n, err := strconv.ParseFloat(v.Text, 64); err != nil || n != math.Trunc(n) {
			return "number"
		}
		return "integer"
	case 'n':
		return "null"
	}
	return "boolean"
}

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
	if k.Minor() {
		return k
	}
	if lists && namesNew(s) {
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
