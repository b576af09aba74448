package diff

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/effort"
	"pinproof/internal/inclusion"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/normal"
	"pinproof/internal/schema"
)

// This file labels changes inside the input and output schemas of tools. Package inclusion proves, in both
// directions, what a change does to the values that a schema accepts. A change without a proof counts as breaking.

// A side is the old (0) and the new (1) input or output schema of a tool, with data that is computed once for all
// changes in it.
type side struct {
	roots [2]*jsontree.Value

	// The normal forms of both and, in place 1, those without titles, descriptions and comments. They are made on first use.
	forms [2]func() [2]*normal.Forms

	// Results of proven.
	relations map[question]inclusion.Relation

	budget *effort.Budget

	// The parameters that schemas name, in any of their alternatives.
	names map[*jsontree.Value]map[string]bool

	// Clients may refuse the new one as a whole, other than the old one: it has more keywords that are null, or MCP doesn't allow it.
	isRefused bool

	// What the old one calls its parameters, definitions and titles.
	known map[string]bool

	// The texts in the old one, once they are needed.
	texts map[string]bool

	// A parameter of the new one is sent as a header.
	hasHeader bool

	// The names that schemas require.
	required map[*jsontree.Value]map[string]bool

	// The definitions that are referenced, by name; nil if a reference can't be followed, so that any definition may
	// be used.
	used map[string]bool

	// Pointers to values that references lead to although no schema is there, and to all that is around them: whether the value itself is meant.
	opaque map[string]bool

	// A definition is referenced where a schema only tests values, as under not.
	isTested bool
}

// newSide works out what is used in two schemas of a tool.
func newSide(budget *effort.Budget, tool string, old, new *jsontree.Value) *side {
	s := &side{
		budget:    budget,
		names:     map[*jsontree.Value]map[string]bool{},
		required:  map[*jsontree.Value]map[string]bool{},
		roots:     [2]*jsontree.Value{old, new},
		relations: map[question]inclusion.Relation{},
		used:      map[string]bool{},
		opaque:    map[string]bool{},
	}
	for _, root := range s.roots {
		if root != nil {
			s.follow(root, root, false, map[*jsontree.Value]bool{})
		}
	}
	schema.Each(cmp.Or(new, old), schema.AtSchema, func(v *jsontree.Value) { s.hasHeader = s.hasHeader || v.Kind == '{' && v.Has(schema.HeaderKeyword) })
	if old == nil || new == nil {
		return s
	}
	s.isRefused = nulls(new) > nulls(old) || isSpecified(old) && !isSpecified(new)
	s.known = namesAndTitles(old)
	for i := range s.forms {
		s.forms[i] = sync.OnceValue(func() [2]*normal.Forms {
			return [2]*normal.Forms{normal.New(budget, old, tool, i == 1), normal.New(budget, new, tool, i == 1)}
		})
	}
	return s
}

// isSpecified reports whether MCP allows a whole schema (2025-11-25, Tool): its type is object, and so are the schemas of its parameters. The
// SDKs' clients refuse the whole list otherwise.
func isSpecified(root *jsontree.Value) bool {
	isOther := func(m jsontree.Member) bool { return m.Value.Kind != '{' }
	return jsontree.TextOf(jsontree.Lookup(root, "type")) == "object" && !slices.ContainsFunc(root.Get("properties").Members(), isOther)
}

// nulls counts the keywords of a whole schema that are null, other than values.
func nulls(root *jsontree.Value) (count int) {
	schema.Each(root, schema.AtSchema, func(v *jsontree.Value) {
		for _, m := range v.Members() {
			if m.Value.Kind == 'n' && m.Name != "const" && m.Name != "default" && schema.IsWord(m.Name) {
				count++
			}
		}
	})
	return count
}

// namesAndTitles collects what a whole schema calls its parameters, definitions and other parts.
func namesAndTitles(root *jsontree.Value) map[string]bool {
	names := map[string]bool{}
	schema.Visit(root, schema.AtSchema, func(v *jsontree.Value, of, at schema.Position, path []jsontree.Step) {
		if of == schema.AtNamed || of == schema.AtProperties {
			names[path[len(path)-1].Name] = true
		}
		if at == schema.AtSchema {
			names[v.Get("title").Text] = true
		}
	})
	return names
}

// uses reports whether a definition is referenced, or may be.
func (s *side) uses(name string) bool { return s.used == nil || s.used[name] }

// follow records the definitions that a schema references, directly or through other definitions.
func (s *side) follow(root, v *jsontree.Value, isTested bool, seen map[*jsontree.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	if v.Has("$dynamicRef") || v.Has("$recursiveRef") || v != root && (v.Has("$id") || v.Has("id")) {
		s.used = nil
	}
	if reference := jsontree.Lookup(v, "$ref"); reference != nil {
		s.isTested = s.isTested || isTested
		to, steps, _ := schema.ResolveReference(root, jsontree.TextOf(reference))
		whole := len(steps) == 0 && to != nil
		if s.used != nil && len(steps) > 1 && schema.IsDefinitions(steps[0]) {
			s.used[steps[1]] = true
		} else if !whole {
			s.used = nil
		}
		if schema, _ := schema.FindSchema(root, reference); schema == nil && to != nil {
			s.noteOpaque(steps)
		}
		if to != nil {
			s.follow(root, to, isTested, seen)
		}
	}
	schema.EachBelow(v, func(part *jsontree.Value, steps ...string) {
		if !schema.IsDefinitions(steps[0]) {
			s.follow(root, part, isTested || tests(steps[0]), seen)
		}
	})
}

// tests reports whether the schema in a keyword only tests values, so that the whole schema may accept others.
func tests(keyword string) bool {
	switch keyword {
	case "not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems":
		return true
	}
	return false
}

// bearsOnValues reports whether a keyword of a schema restricts its values by itself. Changes of parameters have
// labels of their own.
func bearsOnValues(keyword string) bool {
	switch keyword {
	case "properties", "required", "additionalProperties", "patternProperties", "items", schema.HeaderKeyword:
		return false
	}
	return !schema.IsAnnotation(keyword) && !schema.IsDefinitions(keyword)
}

// A question is a comparison of two schemas, old and new: as wholes, or only by their keywords that restrict values.
type question struct {
	schemas  [2]*jsontree.Value
	ofValues bool
}

// proven returns how two schemas compare. It computes each result once.
func (s *side) proven(q question) inclusion.Relation {
	if q.schemas[0] == nil || q.schemas[1] == nil {
		return inclusion.Unknown
	}
	known, asked := s.relations[q]
	if asked {
		return known
	}
	depth := 1
	if q.schemas == s.roots {
		depth = 0
	}
	old, new := q.schemas[0], q.schemas[1]
	if q.ofValues {
		a, b := only(old, bearsOnValues), only(new, bearsOnValues)
		old, new = &a, &b
	}
	s.relations[q] = s.compare(old, new, depth)
	return s.relations[q]
}

// relation compares two schemas as wholes or, where that proves nothing, by their keywords for values.
func (s *side) relation(schemas [2]*jsontree.Value) inclusion.Relation {
	if whole := s.proven(question{schemas, false}); whole != inclusion.Unknown {
		return whole
	}
	return s.proven(question{schemas, true})
}

// compare proves the relation of two schemas at a nesting depth, if the budget allows. Its cost includes both roots,
// because a proof follows references into them.
func (s *side) compare(old, new *jsontree.Value, depth int) inclusion.Relation {
	if s.roots[0] == nil || s.roots[1] == nil || s.isRefused || !s.budget.Spend(sizeOf(s.roots[0])+sizeOf(s.roots[1])) {
		return inclusion.Unknown
	}
	return inclusion.Compare(s.budget, s.roots[0], s.roots[1], old, new, depth)
}

func sizeOf(v *jsontree.Value) int { return int(v.End - v.At) }

// one compares a keyword of two schemas as if there were no other.
func (s *side) one(old, new *jsontree.Value, keyword string) inclusion.Relation {
	alone := func(v *jsontree.Value) *jsontree.Value {
		schema := jsontree.Object()
		if found := jsontree.Lookup(v, keyword); found != nil && (found.Kind != 'n' || keyword == "const") {
			schema = jsontree.Object(jsontree.Member{Name: keyword, Value: *found})
		}
		return &schema
	}
	return s.compare(alone(old), alone(new), 1)
}

// only returns a schema with the keywords that f selects. It drops a null, which has no effect except as a constant.
func only(v *jsontree.Value, f func(keyword string) bool) jsontree.Value {
	if v == nil {
		return jsontree.Value{Kind: '{'}
	}
	return jsontree.MapParts(*v, func(m *jsontree.Member) bool {
		return f(m.Name) && (m.Kind != 'n' || m.Name == "const")
	})
}

// noteOpaque notes the steps to a value that a reference leads to.
func (s *side) noteOpaque(steps []string) {
	pointer := pointerTo(steps...)
	for around := pointer; around != ""; {
		around = around[:strings.LastIndexByte(around, '/')]
		if !s.opaque[around] {
			s.opaque[around] = false
		}
	}
	s.opaque[pointer] = true
}

// isOpaque reports whether a reference leads to a change, into it or to something around it, although no schema is there.
func (s *side) isOpaque(c Change, at location) bool {
	if len(s.opaque) == 0 {
		return false
	}
	for _, pointer := range []string{c.Pointer, cmp.Or(c.From, c.Pointer)} {
		pointer = strings.TrimPrefix(pointer, pointerTo(at.steps[0]))
		if _, isAround := s.opaque[pointer]; isAround {
			return true
		}
		for pointer != "" && !s.opaque[pointer] {
			pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
		}
		if s.opaque[pointer] {
			return true
		}
	}
	return false
}

func pointerTo(steps ...string) (pointer string) {
	for _, step := range steps {
		pointer = jsontree.Pointer(pointer, step)
	}
	return pointer
}

// isForm reports whether a change in a schema is nothing but another form: the keyword that it is in has the same normal form as
// before, or one of the schemas around it has. kind is the index of the normal forms.
func (s *side) isForm(kind int, c Change, at location) bool {
	if s.forms[kind] == nil || s.isRefused && at.name() != "$schema" {
		return false
	}
	forms := s.forms[kind]()
	old, new := forms[0], forms[1]
	if !old.Uses(at.around[0]) || !new.Uses(at.around[1]) {
		return false // the definition that it is in isn't used
	}
	if schema.IsDefinitions(at.name()) && !(s.isUsed(kind, c, at) && (kind == 1 || s.isCalled(c, at))) {
		return false
	}
	if normal.EqualKeyword(old, new, at.around[0], at.around[1], at.name()) {
		return true
	}
	schemas := at.schemas
	if at.inDefinitions && !schema.IsDefinitions(at.name()) {
		schemas = schemas[1:] // a reader finds something else under the name of the definition
	}
	return slices.ContainsFunc(schemas, func(pair [2]*jsontree.Value) bool { return normal.Equal(old, new, pair[0], pair[1]) })
}

// isNewProse reports whether a change adds a description or a comment that is nowhere in the old schema. The normal forms have
// all of them, so none is the same.
func (s *side) isNewProse(c Change, at location) bool {
	isProse := (at.name() == "description" || at.name() == "$comment") && len(at.inside()) == 0
	if isProse && s.texts == nil {
		s.texts = map[string]bool{}
		addTexts(s.texts, s.roots[0])
	}
	return isProse && c.New.Kind == '"' && !s.texts[c.New.Text]
}

// addTexts adds the strings in a value.
func addTexts(to map[string]bool, v *jsontree.Value) {
	if v != nil && v.Kind == '"' {
		to[v.Text] = true
	}
	for i := 0; v != nil && i < len(v.Parts); i++ {
		addTexts(to, &v.Parts[i].Value)
	}
}

// isCalled reports whether the old schema has the names of all definitions that a change adds.
func (s *side) isCalled(c Change, at location) bool {
	added := func(name string) bool { return c.New.Kind != 0 && !s.known[name] }
	return !slices.ContainsFunc(at.names(c), added)
}

// isUsed reports whether all definitions that a change adds or removes are part of the normal forms.
func (s *side) isUsed(kind int, c Change, at location) bool {
	for side, around := range at.around {
		if list := jsontree.Lookup(around, at.name()); around != s.roots[side] || list != nil && list.Kind != '{' {
			return false
		}
		for _, name := range at.names(c) {
			definition := jsontree.Lookup(jsontree.Lookup(around, at.name()), name)
			if definition != nil && !s.forms[kind]()[side].Uses(definition) {
				return false
			}
		}
	}
	return true
}

// schemaLabel returns the label of a change that is in a schema, as it would be in an input.
func (l *labeller) schemaLabel(c Change, at location) label.Label {
	if l.side.isOpaque(c, at) {
		return label.Other
	}
	if !l.side.isNewProse(c, at) && l.side.isForm(0, c, at) {
		return label.OtherForm
	}
	k := l.keywordLabel(c, at)
	isTuple := c.Old.Kind == 0 && c.New.Kind == 0 && at.at == schema.AtSchema && !isCombination(at.name())
	isTested := at.isTested || at.inDefinitions && l.side.isTested
	switch {
	case isTuple:
		return label.ValuesChanged // another place in it
	case at.inDefinitions && len(at.steps) > 2 && k != label.Wording && k != label.Exported && !l.side.uses(at.steps[2]):
		return label.UnusedDefinition
	case schema.IsAnnotation(at.name()) || at.name() == schema.HeaderKeyword || k == label.Exported:
		return k
	case at.name() != "required" && l.side.isForm(1, c, at):
		return label.Wording // the values are the same, so the texts differ, or what they are about
	case k == label.Changed:
		return k
	case isTested && (k.IsOfValues() || !tests(at.name())):
		return label.Other // the effect depends on the schema around it
	}
	return k
}

// keywordLabel returns the label of a change by the keyword that it is in.
func (l *labeller) keywordLabel(c Change, at location) label.Label {
	name := at.name()
	inside := at.inside()
	moved := c.Old.Kind == 0 && c.New.Kind == 0
	switch name {
	case "$schema":
		return label.Other
	case "required":
		return l.requiredLabel(c, at)
	}
	if schema.IsAnnotation(name) || name == schema.HeaderKeyword {
		return remarkLabel(c, name, inside)
	}
	switch {
	case l.exports(&c.New, at.position()) || name == "$ref" && l.exports(&jsontree.Value{Kind: '{', Parts: []jsontree.Member{{Name: name, Value: c.New}}}, schema.AtSchema):
		return label.Exported
	case schema.IsDefinitions(name) && len(inside) < 2:
		return l.definitionLabel(c, at)
	case name == "properties" && len(inside) < 2 && !moved:
		return l.parameterLabel(c, at)
	case at.at == schema.AtSchema && (name == "additionalProperties" || name == "properties"), name == "patternProperties":
		return l.othersLabel(c, at)
	case moved && at.at == schema.AtSchema:
		return label.Changed // the order of schemas that are combined means nothing
	}
	return l.valuesLabel(c, at)
}

// remarkLabel is for a keyword that restricts no value.
func remarkLabel(c Change, keyword string, inside []string) label.Label {
	switch keyword {
	case "default", "examples", "example":
		return label.DefaultChanged
	case "title", "description", "$comment":
		if k := proseLabel(c, inside); k != label.Other {
			return k
		}
	case schema.HeaderKeyword:
		if c.New.Kind != 0 {
			return label.Exported
		}
	}
	return label.Changed
}

// isCombination reports whether a keyword combines the schemas in its list, in any order.
func isCombination(keyword string) bool {
	return keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf"
}

// combines reports whether a keyword has schemas about the same value.
func combines(keyword string) bool {
	return isCombination(keyword) || slices.Contains([]string{"if", "then", "else", "dependentSchemas", "dependencies"}, keyword)
}

// isEmpty reports whether a value has no content: it is absent, null, or without parts.
func isEmpty(v jsontree.Value) bool {
	return v.Kind == 0 || v.Kind == 'n' || (v.Kind == '{' || v.Kind == '[') && len(v.Parts) == 0
}

// exports reports whether a value at a position of the new schema makes clients send an argument as a header.
func (l *labeller) exports(v *jsontree.Value, at schema.Position) bool {
	seen := map[*jsontree.Value]bool{}
	var find func(v *jsontree.Value, at schema.Position) bool
	find = func(v *jsontree.Value, at schema.Position) (found bool) {
		schema.Each(v, at, func(s *jsontree.Value) {
			found = found || s.Kind == '{' && s.Has(schema.HeaderKeyword)
			reference := jsontree.Lookup(s, "$ref")
			if found || reference == nil {
				return
			}
			to, _ := schema.FindSchema(l.side.roots[1], reference)
			if to != nil && !seen[to] && l.budget.Spend(sizeOf(to)) {
				seen[to] = true
				found = find(to, schema.AtSchema)
			}
		})
		return found
	}
	return l.side.hasHeader && find(v, at)
}

// definitionLabel labels the addition or removal of definitions, to which other schemas refer.
func (l *labeller) definitionLabel(c Change, at location) label.Label {
	if c.Old.Kind != 0 && c.New.Kind != 0 {
		return label.Other
	}
	if slices.ContainsFunc(at.names(c), l.side.uses) {
		return label.Changed
	}
	return label.UnusedDefinition
}

// requiredLabel labels a change of required. It ignores a name that was added or removed together with its parameter,
// which has a label of its own.
func (l *labeller) requiredLabel(c Change, at location) label.Label {
	before, plain := stringSet(c.Old)
	after, isPlain := stringSet(c.New)
	if !plain || !isPlain || len(at.inside()) > 0 {
		return label.Other
	}
	was := at.around[0]
	is := at.around[1]
	named := func(v *jsontree.Value, name string) bool {
		return jsontree.Lookup(jsontree.Lookup(v, "properties"), name) != nil
	}
	k := label.OtherForm
	for name := range before {
		if !after[name] && (named(is, name) || !named(was, name)) {
			k = label.NoLongerRequired
		}
	}
	for name := range after {
		if !before[name] && (named(was, name) || !named(is, name)) {
			return label.NowRequired
		}
	}
	return k
}

// stringSet returns the texts of a list. It returns false if there is anything else in it.
func stringSet(v jsontree.Value) (set map[string]bool, ok bool) {
	set = map[string]bool{}
	if v.Kind != 0 && v.Kind != 'n' && v.Kind != '[' {
		return nil, false
	}
	for _, item := range v.Items() {
		if item.Value.Kind != '"' {
			return nil, false
		}
		set[item.Value.Text] = true
	}
	return set, true
}

// parameterLabel labels the addition or removal of one or all parameters of a schema. A parameter whose schema is
// false is never accepted.
func (l *labeller) parameterLabel(c Change, at location) label.Label {
	inside := at.inside()
	isTaken := c.Old.Kind == 'f' && c.New.Kind != 0
	if len(inside) > 0 && !isTaken && (c.Old.Kind != 0 && c.New.Kind != 0 || c.Old.Kind == 'f' || c.New.Kind == 'f') {
		return l.othersLabel(c, at)
	}
	other := 0 // the side that a parameter was added to or removed from
	if c.New.Kind == 0 {
		other = 1
	}
	isElsewhere := func(name string) bool { return l.side.namesIn(other, at.around[other])[name] }
	if names := at.names(c); len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !isElsewhere(name) }) {
		switch l.side.relation(at.around) {
		case inclusion.Wider:
			return label.Loosened // they are in one of several alternatives now
		case inclusion.Narrower:
			return label.Tightened
		case inclusion.Same:
			return label.Changed
		}
	}
	if c.New.Kind == 0 {
		return label.ParameterRemoved
	}
	required, known := l.side.required[at.around[1]]
	if !known {
		required, _ = stringSet(at.around[1].Get("required"))
		l.side.required[at.around[1]] = required
	}
	if slices.ContainsFunc(at.names(c), func(name string) bool { return required[name] }) {
		return label.NewRequired
	}
	return label.NewOptional
}

// namesMore reports whether a new schema names a parameter that the old one doesn't name.
func (s *side) namesMore(at location) bool {
	old := s.namesIn(0, at.around[0])
	for name := range s.namesIn(1, at.around[1]) {
		if !old[name] {
			return true
		}
	}
	return false
}

// namesElsewhere reports whether a parameter that isn't in the properties of an old schema is named in a schema that it combines, or in
// one that combines it.
func (s *side) namesElsewhere(at location) bool {
	v := at.around[0]
	own := jsontree.Lookup(v, "properties")
	for i := len(at.schemas) - 1; i >= 0; i-- {
		schema.EachBelow(at.schemas[i][0], func(part *jsontree.Value, steps ...string) {
			if part == v && combines(steps[0]) {
				v = at.schemas[i][0]
			}
		})
	}
	for name, isTaken := range s.namesIn(0, v) {
		if isTaken && jsontree.Lookup(own, name) == nil {
			return true
		}
	}
	return false
}

// namesIn collects the parameters that a schema names, in the schemas that it combines and that it refers to, too.
func (s *side) namesIn(side int, v *jsontree.Value) map[string]bool {
	if names, known := s.names[v]; known {
		return names
	}
	names := map[string]bool{}
	s.names[v] = names
	seen := map[*jsontree.Value]bool{}
	var collect func(v *jsontree.Value)
	collect = func(v *jsontree.Value) {
		if v == nil || seen[v] || !s.budget.Spend(sizeOf(v)) {
			return
		}
		seen[v] = true
		for _, p := range v.Get("properties").Members() {
			names[p.Name] = names[p.Name] || p.Value.Kind != 'f'
		}
		to, _ := schema.FindSchema(s.roots[side], jsontree.Lookup(v, "$ref"))
		collect(to)
		schema.EachBelow(v, func(part *jsontree.Value, steps ...string) {
			if combines(steps[0]) {
				collect(part)
			}
		})
	}
	collect(v)
	return names
}

// othersLabel labels a change of additionalProperties, patternProperties or a parameter's schema from or to true,
// false or absent.
func (l *labeller) othersLabel(c Change, at location) label.Label {
	isPattern := at.name() == "patternProperties"
	// additionalProperties applies to names that match no pattern.
	closed := func(side int, v jsontree.Value) bool {
		return v.Kind == 'f' || v.Kind == 0 && isPattern && at.around[side].Get("additionalProperties").Kind == 'f'
	}
	wasClosed := closed(0, c.Old)
	isClosed := closed(1, c.New)
	wasOpen := c.Old.Kind == 't' || isEmpty(c.Old) && !wasClosed
	isOpen := c.New.Kind == 't' || isEmpty(c.New) && !isClosed
	switch {
	case wasClosed && isOpen && (isPattern || l.side.namesElsewhere(at)):
		return label.Loosened
	case wasClosed && isOpen:
		return label.NamesOpened
	case isClosed && !wasClosed:
		return label.InputClosed
	case isOpen && !wasOpen:
		return label.InputOpened
	case wasClosed:
		return label.Loosened
	case wasOpen && !isOpen:
		return label.Tightened
	}
	return label.Other
}

// valuesLabel labels a change in a keyword that restricts values, by its effect together with the other keywords of
// the schema.
func (l *labeller) valuesLabel(c Change, at location) label.Label {
	name := at.name()
	if !schema.IsKeyword(name) || name == "nullable" {
		return label.Changed // JSON Schema doesn't say what it means
	}
	r := l.side.relation(at.around)
	if alone := l.side.one(at.around[0], at.around[1], name); !bearsOnValues(name) || r == inclusion.Unknown || name == "propertyNames" && alone == inclusion.Same {
		r = alone
	}
	listed := (name == "enum" || name == "const") && isListed(at.around[0]) && isListed(at.around[1])
	switch r {
	case inclusion.Same:
		if isCombination(name) && l.side.proven(question{at.around, false}) != inclusion.Same {
			return label.ValuesChanged // its meaning depends on the keywords next to it, such as properties
		}
		if (isCombination(name) || name == "$ref") && c.New.Kind != 0 && l.side.namesMore(at) {
			return label.NewOptional
		}
		return label.Changed
	case inclusion.Wider:
		if listed {
			return label.EnumAdded
		}
		return label.Loosened
	case inclusion.Narrower:
		if listed {
			return label.EnumRemoved
		}
		return label.Tightened
	}
	return label.ValuesChanged
}

// isListed reports whether a schema lists its values.
func isListed(v *jsontree.Value) bool { return v != nil && (v.Has("enum") || v.Has("const")) }

// judge sets the severity of the changes in a side to that of their combined effect. An effect that isn't proven to
// be safe is breaking.
func (l *labeller) judge(member string) {
	narrow := l.side.roots[0]
	wide := l.side.roots[1]
	if narrow == nil || wide == nil {
		return
	}
	if member == "outputSchema" {
		narrow, wide = wide, narrow
	}
	isBreaking := false
	var values []*Change
	var others []*Change
	for i := range l.changes {
		c := &l.changes[i]
		if c.Pointer != "/"+member && !strings.HasPrefix(c.Pointer, "/"+member+"/") {
			continue
		}
		isBreaking = isBreaking || c.Severity == label.Breaking
		if c.Label.IsOfValues() || c.Severity == label.Breaking {
			values = append(values, c)
		} else if c.Label == label.Changed || c.Label == label.Exported {
			others = append(others, c)
		}
	}
	if len(values)+len(others) == 0 {
		return // no change affects values
	}
	if !l.side.isRefused && l.budget.Spend(sizeOf(narrow)+sizeOf(wide)) && inclusion.Proven(l.budget, narrow, wide) {
		for _, c := range values {
			if c.breaksByValues(member) {
				c.Severity = label.Behaviour
			}
		}
		return
	}
	if isBreaking {
		return
	}
	if values == nil {
		values = others
	}
	for _, c := range values {
		c.breaks()
	}
}

// breaksByValues reports whether a change breaks callers only if the schema rejects values that it accepted before. A
// change of $schema is different, because the proof doesn't know what a dialect ignores.
func (c *Change) breaksByValues(member string) bool {
	return c.Severity == label.Breaking && c.Label.BreaksOnlyByValues() && c.Pointer != "/"+member+"/$schema"
}

// breaks marks a change as breaking. A minor label becomes Other, so that the change is shown.
func (c *Change) breaks() {
	c.Severity = label.Breaking
	if c.Label.Minor() {
		c.Label = label.Other
	}
}
