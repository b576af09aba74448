package diff

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// schemaLabel is what a change means for the schema around it.
func (l *labeller) schemaLabel(c Change, s location) label.Label {
	name := s.name()
	if !s.held() && s.holds() != schema.AtOther && isEmpty(c.Old) && isEmpty(c.New) {
		return label.OtherForm
	}
	if s.holds() != schema.AtOther && name == "properties" {
		return l.parameterLabel(c, s)
	}
	if name == "patternProperties" && s.closed(c) {
		return closedRule.label(c, s)
	}
	if s.held() && s.defines() {
		return c.choose(label.DefinitionAdded, label.DefinitionRemoved, heldRule(name).label(c, s))
	}
	names := name == "additionalProperties" || name == "unevaluatedProperties"
	if names && c.Old.Kind == 'f' && takesAll(c.New) {
		return label.NamesOpened
	}
	if s.held() {
		return heldRule(name).label(c, s)
	}
	if len(s.inside()) > 0 {
		return innerLabel(c, s)
	}
	return keywordLabel(c, s)
}

// isEmpty reports whether a value is absent or an object without members.
func isEmpty(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == '{' && len(v.Members()) == 0 }

// heldRule is the rule for a schema that is under a keyword.
func heldRule(keyword string) keywordRule {
	if rule, known := schemaRules()[keyword]; known {
		return rule
	}
	return anySchemaRule
}

// innerLabel is for something within the value of a keyword that holds no schema.
func innerLabel(c Change, s location) label.Label {
	if s.name() == "enum" && len(s.inside()) == 1 {
		return c.choose(label.EnumAdded, label.EnumRemoved, label.EnumSwapped)
	}
	if rule, known := keywordRules()[s.name()]; known {
		return rule.other
	}
	return label.Changed
}

// keywordLabel is for the whole value of a keyword.
func keywordLabel(c Change, s location) label.Label {
	name := s.name()
	rule, known := keywordRules()[name]
	switch name {
	case "title", "description":
		return proseLabel(c, nil)
	case "required":
		return requiredLabel(c, s)
	case "$schema":
		return dialectLabel(c, s)
	case "enum", "const":
		both := fixedValues(s.around[0]) != nil && fixedValues(s.around[1]) != nil
		if both && (name == "enum" || c.Old.Kind == 0 || c.New.Kind == 0) {
			rule = listedRule
		}
	}
	if !known {
		return label.Changed
	}
	return rule.label(c, s)
}

// dialectLabel is for $schema. Any dialect that we read is as good as another.
func dialectLabel(c Change, s location) label.Label {
	for _, v := range []jsontree.Value{c.Old, c.New} {
		if v.Kind != 0 && !IsDialect(v.Text) {
			return label.Other
		}
	}
	if !s.root() {
		return label.Other
	}
	return label.Churn
}

// label returns the label that a rule gives to a change.
func (rule keywordRule) label(c Change, s location) label.Label {
	switch rule.compare(c, &s) {
	case label.Wider:
		return rule.wider
	case label.Narrower:
		return rule.narrower
	case label.Unknown:
		return rule.other
	}
	return c.sameLabel()
}

// sameLabel is for a change that says the same in another form.
func (c Change) sameLabel() label.Label {
	if isLargest(c.Old) || isLargest(c.New) {
		return label.Churn
	}
	if len(c.Old.Items()) == len(c.New.Items()) && len(c.New.Items()) > 1 {
		return label.OtherOrder
	}
	return label.OtherForm
}

// parameterLabel is for a parameter of the schema around it, or for all of them.
func (l *labeller) parameterLabel(c Change, s location) label.Label {
	if s.outside(0) || !s.root() && !s.held() && c.Old.Kind == 0 {
		// An alternative or a schema referred to may have named the parameter, or any name was taken.
		l.atLeast(label.Tightened, s)
	}
	if s.held() && c.Old.Kind == 0 && c.New.Kind != 'f' {
		return l.newParameter(s.around[1], s.inside()[0])
	}
	if s.held() && c.New.Kind == 0 && c.Old.Kind != 'f' {
		return label.ParameterRemoved
	}
	if s.held() {
		return heldRule("properties").label(c, s)
	}
	kind := label.Other
	if len(c.Old.Members()) > 0 {
		kind = label.ParameterRemoved
	}
	for _, p := range c.New.Members() {
		kind = min(kind, l.newParameter(s.around[1], p.Name))
	}
	return kind
}

// newParameter is for a property that is added to a schema.
func (l *labeller) newParameter(schema *jsontree.Value, name string) label.Label {
	names, ok := l.required[schema]
	if !ok {
		names, _ = stringSet(jsontree.Lookup(schema, "required"))
		l.required[schema] = names
	}
	if names[name] {
		return label.NewRequired
	}
	return label.NewOptional
}

// closed reports whether the object takes no members other than those it names. It asks
// the new schema, or the old one if the change removes something.
func (s *location) closed(c Change) bool {
	side := 1
	if c.New.Kind == 0 {
		side = 0
	}
	return slices.ContainsFunc([]string{"additionalProperties", "unevaluatedProperties"}, func(name string) bool {
		v := s.member(side, name)
		return v != nil && v.Kind == 'f'
	})
}

// requiredLabel is for the list of required names (Validation, 6.5.3). A name
// that comes or goes with its own parameter says nothing new.
func requiredLabel(c Change, s location) label.Label {
	old, ok := stringSet(&c.Old)
	new, ok2 := stringSet(&c.New)
	if !ok || !ok2 {
		return label.Other
	}
	m := label.RequiredFollows
	if maps.Equal(old, new) {
		m = c.sameLabel()
	}
	for side, names := range [...]map[string]bool{old, new} {
		for name := range names {
			with := jsontree.Lookup(s.member(side, "properties"), name) != nil
			without := jsontree.Lookup(s.member(1-side, "properties"), name) != nil
			switch {
			case old[name] && new[name] || with && !without && !s.outside(1-side):
			case side == 0:
				m = min(m, label.NoLongerRequired)
			default:
				m = min(m, label.NowRequired)
			}
		}
	}
	return m
}

// freesOthers reports whether another keyword no longer applies to what the keyword holds, so that more
// values may pass than before: items is for what prefixItems leaves over, and unevaluatedProperties for
// what no other keyword names (Core, 10.3 and 11).
func (l *labeller) freesOthers(s location) bool {
	switch s.name() {
	case "prefixItems":
		return l.unevaluated || s.member(1, "items") != nil
	case "items":
		return l.unevaluated || s.member(1, "additionalItems") != nil
	}
	return l.unevaluated && s.holds() != schema.AtOther && !strings.HasPrefix(s.name(), "unevaluated")
}

// outside reports whether the schema around the node, on one side (old or new), is missing or has a
// reference or alternatives that the other side doesn't have: parameters may be in those.
func (s *location) outside(side int) bool {
	return s.around[side] == nil || slices.ContainsFunc(append(combinators[:], "$ref"), func(name string) bool {
		return s.member(side, name) != nil && s.member(1-side, name) == nil
	})
}

// choose picks a label by whether the change adds, removes or replaces a value.
func (c Change) choose(onAdd, onRemove, onReplace label.Label) label.Label {
	if c.Old.Kind == 0 {
		return onAdd
	}
	if c.New.Kind == 0 {
		return onRemove
	}
	return onReplace
}

// byMeasure compares two values of a keyword by how much they let through, as a number n.
// Equal numbers mean label.Same only if n says it all (full). NaN can't be compared.
func byMeasure(measure func(v jsontree.Value, s *location, side int) (n float64, full bool)) func(Change, *location) label.Breadth {
	return func(c Change, s *location) label.Breadth {
		old, full := measure(c.Old, s, 0)
		new, full2 := measure(c.New, s, 1)
		if new > old {
			return label.Wider
		}
		if new < old {
			return label.Narrower
		}
		if new == old && full && full2 {
			return label.Same
		}
		return label.Unknown
	}
}

// byPresence is for keywords that take values away. It doesn't compare what they say.
var byPresence = byMeasure(func(v jsontree.Value, _ *location, _ int) (float64, bool) {
	if v.Kind == 0 {
		return 1, true
	}
	return 0, false
})

// byFlag is for a keyword that takes values away where it is true.
var byFlag = byMeasure(func(v jsontree.Value, _ *location, _ int) (float64, bool) {
	switch v.Kind {
	case 0, 'f':
		return 1, true
	case 't':
		return 0, true
	}
	return math.NaN(), false
})

// byOpenness compares two whole schemas. absent is the openness of a missing one.
func byOpenness(absent int) func(Change, *location) label.Breadth {
	return byMeasure(func(v jsontree.Value, s *location, _ int) (float64, bool) {
		if s.name() == "propertyNames" && len(v.Members()) == 1 && jsontree.TextOf(jsontree.Lookup(&v, "type")) == "string" {
			return 2, true // all names are strings
		}
		n := openness(v, absent)
		return float64(n), n != 1 && strings.IndexByte(`n0"[`, v.Kind) < 0
	})
}

// openness is 0 for a schema that takes nothing, 1 for one that takes some values, and 2
// for one that takes all. Anything that isn't a schema takes all. absent is the openness of
// a missing schema, which depends on the keyword.
func openness(v jsontree.Value, absent int) int {
	if v.Kind == 0 {
		return absent
	}
	if v.Kind == 'f' {
		return 0
	}
	if v.Kind == '{' && len(v.Members()) > 0 {
		return 1
	}
	return 2
}

// takesAll reports whether a schema is absent or one that takes any value.
func takesAll(v jsontree.Value) bool {
	return v.Kind == 0 || v.Kind == 't' || v.Kind == '{' && len(v.Members()) == 0
}

// byBound compares two bounds (Validation, 6.2 to 6.5). absent is the bound that a missing
// keyword means. direction is 1 if a higher bound takes more values, -1 if it takes fewer.
func byBound(absent, direction float64) func(Change, *location) label.Breadth {
	return byMeasure(func(v jsontree.Value, s *location, side int) (float64, bool) {
		bound := absent
		name := s.name()
		if twin, ok := boundTwins[name]; ok && v.Kind == 0 && s.member(side, twin) != nil {
			v = *s.member(side, twin)
			name = twin
		}
		if v.Kind == '0' {
			bound, _ = strconv.ParseFloat(v.Text, 64)
			integers := jsontree.TextOf(s.member(0, "type")) == "integer" || jsontree.TextOf(s.member(1, "type")) == "integer"
			if integers && isLargest(v) && bound*direction > 0 && math.IsInf(absent, 0) {
				bound = absent
			}
			if strings.HasPrefix(name, "exclusive") {
				bound = math.Nextafter(bound, -direction*math.Inf(1))
			}
		} else if v.Kind != 0 {
			bound = math.NaN()
		}
		return bound * direction, true
	})
}

// boundTwins pairs the keywords that bound a number from the same side.
var boundTwins = map[string]string{"minimum": "exclusiveMinimum", "exclusiveMinimum": "minimum", "maximum": "exclusiveMaximum", "exclusiveMaximum": "maximum"}

// byTypes compares the types that a schema names. An input is always an object,
// whether its schema says so or not.
func byTypes(c Change, s *location) label.Breadth {
	var sets [2]map[string]bool
	for i, v := range [...]jsontree.Value{c.Old, c.New} {
		if v.Kind == 0 && s.root() && s.steps[0] == "inputSchema" {
			v = jsontree.Text("object")
		}
		ok := false
		if sets[i], ok = typeSet(&v); !ok {
			return label.Unknown
		}
	}
	return compareSets(sets[0], sets[1])
}

// typeSet returns the types that a schema names, or all types if it names none (Validation,
// 6.1.1). It returns false if the value isn't a type or a list of types.
func typeSet(t *jsontree.Value) (map[string]bool, bool) {
	names := jsonTypes[:]
	if t != nil && t.Kind == '[' {
		names = nil
		for _, item := range t.Items() {
			names = append(names, jsontree.TextOf(&item.Value))
		}
	} else if t != nil && t.Kind != 0 {
		names = []string{jsontree.TextOf(t)}
	}
	set := map[string]bool{}
	for _, name := range names {
		if !slices.Contains(jsonTypes[:], name) {
			return nil, false
		}
		set[name] = true
		if name == "number" {
			set["integer"] = true
		}
	}
	return set, len(names) > 0
}

// compareSets compares two sets. An entry covers all entries that begin with it and a
// blank: a type without keywords covers the same type with any keywords.
func compareSets(old, new map[string]bool) label.Breadth {
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
		return label.Unknown
	case more:
		return label.Wider
	case fewer:
		return label.Narrower
	}
	return label.Same
}

// byListed compares the values that two schemas list.
func byListed(_ Change, s *location) label.Breadth {
	return compareSets(fixedValues(s.around[0]), fixedValues(s.around[1]))
}

// fixedValues returns the values that a schema lists with enum, or the one of its const, as
// JSON texts (Validation, 6.1.2 and 6.1.3). It returns nil if it has neither or both.
func fixedValues(schema *jsontree.Value) map[string]bool {
	list := jsontree.Lookup(schema, "enum")
	one := jsontree.Lookup(schema, "const")
	if (list == nil) == (one == nil) || list != nil && list.Kind != '[' {
		return nil
	}
	if one != nil {
		return map[string]bool{string(jsontree.Append(nil, *one)): true}
	}
	set := map[string]bool{}
	for _, v := range list.Items() {
		set[string(jsontree.Append(nil, v.Value))] = true
	}
	return set
}

// isLargest reports whether v is JavaScript's largest safe integer, 2^53 - 1, or the
// smallest. SDKs write them as the bounds of any integer.
func isLargest(v jsontree.Value) bool {
	return v.Kind == '0' && strings.TrimPrefix(v.Text, "-") == "9007199254740991"
}

// byFactor compares values of multipleOf (Validation, 6.2.1): a multiple of a number has
// fewer multiples than the number. Fractions are compared exactly, not as doubles.
func byFactor(c Change, s *location) label.Breadth {
	var factors [2]big.Rat
	for i, v := range [...]jsontree.Value{c.Old, c.New} {
		if v.Kind == 0 {
			continue
		}
		if _, ok := factors[i].SetString(v.Text); v.Kind != '0' || !ok || factors[i].Sign() <= 0 {
			return label.Unknown
		}
	}
	if c.Old.Kind == 0 || c.New.Kind == 0 {
		return byPresence(c, s)
	}
	switch ratio := new(big.Rat).Quo(&factors[1], &factors[0]); {
	case ratio.IsInt():
		return label.Narrower
	case ratio.Inv(ratio).IsInt():
		return label.Wider
	}
	return label.Unknown
}

// stringSet returns the strings of an array, or an empty set if v is absent. It returns
// false if v is anything but an array of strings.
func stringSet(v *jsontree.Value) (map[string]bool, bool) {
	set := map[string]bool{}
	if v == nil || v.Kind == 0 {
		return set, true
	}
	for _, item := range v.Items() {
		if item.Kind != '"' {
			return set, false
		}
		set[item.Text] = true
	}
	return set, v.Kind == '['
}
