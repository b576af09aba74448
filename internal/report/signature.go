package report

import (
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A signature is how a person describes an entry: what it declares, what it says of itself and
// a line for each parameter. Its vocabulary covers most of JSON Schema as servers use it.
// What isn't in the vocabulary is shown as JSON where a model reads it, and else named with
// its pointer: nothing is approved that is neither shown nor named.
type signature struct {
	hints  []string       // what a tool declares
	text   jsontree.Value // its description
	facts  []signedValue  // short values: a title, the size of a resource
	params []param        // in the order of the list of required ones, then by name; of a prompt in its order
	others []signedValue  // shown as JSON
	also   []string       // named: printable pointers, with a size or a short value
}

// A signedValue is a value with what it is called: a word of ours, or a printable pointer.
type signedValue struct {
	name  string
	value jsontree.Value
}

// A param is a schema with its place in the input: a parameter, an element, an alternative.
// An argument of a prompt is one, too.
type param struct {
	name    string         // printable: "fields", "[]" for elements, "anyOf[0]"
	depth   int            // in how many other schemas it stands
	pointer string         // says where it stands; of an argument by its name
	kind    string         // its type in words: "array of string or null"
	limits  []string       // its constraints: "1..600", "required", "= 30"
	text    string         // its description
	rest    jsontree.Value // an object of its members that aren't in the vocabulary; kind 0: none
	also    []string       // like that of the signature
	value   jsontree.Value // the whole schema
}

// phrase is what stands beside the name: "integer 1..600, required = 30".
func (p *param) phrase() string {
	said := p.kind
	for i, limit := range p.limits {
		switch {
		case i == 0 && limit[0] >= '0' && limit[0] <= '9', strings.HasPrefix(limit, "= "), said == "":
			said = joined(" ", said, limit)
		default:
			said += ", " + limit
		}
	}
	return said
}

// Limits of what is laid out as a signature. The largest definition of real servers has
// 13 kB, and a few dozen parameters.
const (
	maxSigned   = 64 << 10 // bytes of a definition; a larger one is shown as JSON
	maxDepth    = 8        // of a schema; what is in a deeper one is shown as JSON
	maxRequired = 500      // names in a list of required parameters
)

// Lengths in bytes of JSON.
const (
	maxSaidValue = 20  // of a value beside a pointer
	maxLimit     = 160 // of a value among the constraints
)

// factNames are the members of an entry that are said in a line, with the kind of value they
// have. A tool has but the title.
var factNames = map[string]byte{"title": '"', "name": '"', "mimeType": '"', "size": '0'}

// sign makes the signature of an entry.
func sign(list pin.EntryType, definition jsontree.Value) (s signature) {
	name := definition.Get("name").Text
	for _, m := range inReadingOrder(definition) {
		at, size := jsontree.Pointer("", m.Name), len(m.Value.Parts)
		switch {
		case m.Name == pin.EntryTypeInfo[list].Identity:
			if len(m.Value.Text) > text.MaxName {
				s.also = append(s.also, sized(at, m.Value)) // the heading has but the beginning
			}
		case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name):
			s.also = append(s.also, text.Pointer(at))
		case m.Name == "description" && m.Value.Kind == '"':
			s.text = m.Value
		case factNames[m.Name] == m.Value.Kind && (m.Name == "title" || list != pin.Tools):
			s.facts = append(s.facts, signedValue{m.Name, m.Value})
		case m.Name == "annotations" && list == pin.Tools && m.Value.Kind == '{' && size > 0:
			s.annotations(at, m.Value, name)
		case m.Name == "annotations" && m.Value.Kind == '{' && size > 0:
			s.audience(at, m.Value)
		case m.Name == "inputSchema" && list == pin.Tools && m.Value.Kind == '{' && size > 0:
			s.input(at, m.Value)
		case m.Name == "arguments" && list == pin.Prompts && s.arguments(at, m.Value):
		case slices.Contains(unread, m.Name):
			s.also = append(s.also, sized(at, m.Value))
		default:
			s.others = append(s.others, signedValue{text.Pointer(at), m.Value})
		}
	}
	return s
}

// annotations adds those of a tool.
func (s *signature) annotations(pointer string, v jsontree.Value, name string) {
	hints := hintsOf(v)
	for i, hint := range hintNames {
		switch hints[i] {
		case 't':
			s.hints = append(s.hints, hint.yes)
		case 'f':
			s.hints = append(s.hints, hint.no)
		}
	}
	for _, m := range v.Members() {
		at := text.Pointer(jsontree.Pointer(pointer, m.Name))
		known := slices.IndexFunc(hintNames[:], func(hint struct{ name, yes, no string }) bool { return hint.name == m.Name })
		switch {
		case known >= 0 && hints[known] != 0:
		case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name):
			s.also = append(s.also, at)
		case m.Name == "title" && m.Value.Kind == '"':
			s.facts = append(s.facts, signedValue{"title of the annotations", m.Value})
		default:
			s.others = append(s.others, signedValue{at, m.Value})
		}
	}
}

// audience adds the annotations of a resource or a template: for whom it is, and how
// important it is to them.
func (s *signature) audience(pointer string, v jsontree.Value) {
	for _, m := range v.Members() {
		known := slices.Contains([]string{"audience", "priority", "lastModified"}, m.Name)
		if known && len(jsontree.Append(nil, m.Value)) <= maxLimit {
			s.facts = append(s.facts, signedValue{m.Name, m.Value})
		} else {
			s.others = append(s.others, signedValue{text.Pointer(jsontree.Pointer(pointer, m.Name)), m.Value})
		}
	}
}

// arguments adds the arguments of a prompt. It returns false if one of them has no name that
// fits into a line.
func (s *signature) arguments(pointer string, list jsontree.Value) bool {
	var params []param
	for i, item := range list.Items() {
		name := item.Value.Get("name").Text
		if item.Value.Get("name").Kind != '"' || name == "" || len(name) > text.MaxName {
			return false
		}
		p := param{name: paramName(name), pointer: jsontree.Pointer(pointer, name), value: item.Value, rest: jsontree.Value{Kind: '{'}}
		for _, m := range item.Value.Members() {
			switch {
			case m.Name == "name":
			case m.Name == "description" && m.Value.Kind == '"' && m.Value.Text != "":
				p.text = m.Value.Text
			case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name):
				p.also = append(p.also, text.Pointer(jsontree.Pointer(jsontree.Pointer(pointer, strconv.Itoa(i)), m.Name)))
			case m.Name == "required" && m.Value.Kind == 't':
				p.limits = append(p.limits, "required")
			case m.Name == "required" && m.Value.Kind == 'f':
				p.limits = append(p.limits, "optional")
			default:
				p.rest.Parts = append(p.rest.Parts, m)
			}
		}
		if len(p.rest.Parts) == 0 {
			p.rest = jsontree.Value{}
		}
		params = append(params, p)
	}
	s.params = params
	return len(params) > 0
}

// input adds the parameters of an input schema.
func (s *signature) input(pointer string, v jsontree.Value) {
	root := param{pointer: pointer, depth: -1}
	s.members(&root, v, true)
	if len(s.params) == 0 || root.kind != "object" || root.text != "" || len(root.limits) > 0 || root.rest.Kind != 0 {
		root.name, root.depth = "(input)", 0
		if root.kind == "" {
			root.kind = "of any type"
		}
		s.params = slices.Insert(s.params, 0, root)
		return
	}
	s.also = append(s.also, root.also...)
}

// schema adds a schema and all that stands in it.
func (s *signature) schema(in *param, name, pointer string, v jsontree.Value, required bool) {
	p := param{name: name, depth: in.depth + 1, pointer: pointer, value: v}
	at := len(s.params)
	s.params = append(s.params, p) // before those in it
	switch v.Kind {
	case '{':
		if s.members(&p, v, false); len(v.Parts) == 0 {
			p.kind = "any value"
		}
	case 't':
		p.kind = "anything"
	case 'f':
		p.kind = "nothing"
	default:
		p.rest = v
	}
	if required {
		p.limits = slices.Insert(p.limits, p.bounds(), "required")
	}
	s.params[at] = p
}

// bounds is where "required" stands among the limits: after the constraint that belongs to
// the type, if there is one.
func (p *param) bounds() int {
	if len(p.limits) > 0 && p.limits[0][0] >= '0' && p.limits[0][0] <= '9' {
		return 1
	}
	return 0
}

// members describes a schema by its members and adds the schemas in it.
func (s *signature) members(p *param, v jsontree.Value, root bool) {
	words := wordsOf(v)
	p.kind, p.limits = words.kind, words.limits
	rest := jsontree.Value{Kind: '{'}
	required := requiredIn(v)
	deep := p.depth > maxDepth
	for _, m := range v.Members() {
		at := jsontree.Pointer(p.pointer, m.Name)
		switch {
		case slices.Contains(words.said, m.Name), m.Name == "required" && required != nil:
		case m.Name == "description" && m.Value.Kind == '"' && m.Value.Text != "": // "" would be no line at all
			p.text = m.Value.Text
		case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, lastStep(p.pointer)):
			p.also = append(p.also, text.Pointer(at))
		case root && m.Name == "$schema", m.Name == "additionalProperties" && len(m.Value.Members()) == 0,
			(m.Name == "properties" || m.Name == "required") && len(m.Value.Parts) == 0:
			p.also = append(p.also, named(at, m.Value))
		case deep || !s.inside(p, at, m, required):
			rest.Parts = append(rest.Parts, m)
		}
	}
	if len(rest.Parts) > 0 {
		p.rest = rest
	}
}

// inside adds the schemas that a keyword holds, each with a line of its own. It returns
// false if there are none, or if a name in it is too long for a line.
func (s *signature) inside(p *param, at string, m jsontree.Member, required []string) bool {
	long := func(part jsontree.Member) bool { return len(part.Name) > text.MaxName || part.Name == "" }
	named := len(m.Value.Members()) > 0 && !slices.ContainsFunc(m.Value.Parts, long)
	switch {
	case m.Name == "properties" && named:
		for _, name := range required {
			s.schema(p, paramName(name), jsontree.Pointer(at, name), m.Value.Get(name), true)
		}
		for _, part := range m.Value.Parts {
			if !slices.Contains(required, part.Name) {
				s.schema(p, paramName(part.Name), jsontree.Pointer(at, part.Name), part.Value, false)
			}
		}
	case (m.Name == "$defs" || m.Name == "definitions") && named:
		for _, part := range m.Value.Parts {
			s.schema(p, m.Name+"."+paramName(part.Name), jsontree.Pointer(at, part.Name), part.Value, false)
		}
	case (m.Name == "anyOf" || m.Name == "oneOf" || m.Name == "allOf") && len(m.Value.Items()) > 0:
		for i, part := range m.Value.Parts {
			step := strconv.Itoa(i)
			s.schema(p, m.Name+"["+step+"]", jsontree.Pointer(at, step), part.Value, false)
		}
	case m.Name == "items" && m.Value.Kind == '{':
		s.schema(p, "[]", at, m.Value, false)
	case m.Name == "additionalProperties" && m.Value.Kind == '{':
		s.schema(p, "*", at, m.Value, false)
	default:
		return false
	}
	return true
}

// named names what isn't shown, beside a value that is as long as a word.
func named(pointer string, v jsontree.Value) string {
	if value := string(jsontree.Append(nil, v)); v.Kind != '"' && len(value) <= maxSaidValue {
		return text.Pointer(pointer) + " " + jsonLines(v, false, anyWidth)[0]
	}
	return sized(pointer, v)
}

func sized(pointer string, v jsontree.Value) string {
	return text.Pointer(pointer) + " " + text.Count(len(jsontree.Append(nil, v)), "byte")
}

// paramName is the printable name of a parameter. One that has a character which stands
// between names here is quoted.
func paramName(name string) string {
	if printed := text.Name(strings.ReplaceAll(name, "$", "_")); printed[0] != '"' && !strings.ContainsAny(name, ".~/@") {
		return name
	}
	quoted := text.Name(name)
	if quoted[0] != '"' {
		quoted = `"` + quoted + `"`
	}
	return quoted
}

func lastStep(pointer string) string {
	if steps, _ := jsontree.Tokens(pointer); len(steps) > 0 {
		return steps[len(steps)-1]
	}
	return ""
}

// requiredIn lists the names that a schema requires, in the order of its list. It is nil if
// that isn't a list of different parameters that the schema has.
func requiredIn(v jsontree.Value) (names []string) {
	list, properties := v.Get("required"), v.Get("properties")
	if len(list.Items()) > maxRequired {
		return nil
	}
	for _, item := range list.Items() {
		if item.Value.Kind != '"' || !properties.Has(item.Value.Text) || slices.Contains(names, item.Value.Text) {
			return nil
		}
		names = append(names, item.Value.Text)
	}
	return names
}

// unread are the members of a definition that no model reads and no client decides by.
var unread = []string{"outputSchema", "_meta", "icons", "execution"}

// A wording is what the vocabulary says of a schema, and the members that it covers.
type wording struct {
	kind   string
	limits []string
	said   []string
}

var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// wordsOf describes a schema without what stands in lines of its own.
func wordsOf(v jsontree.Value) (w wording) {
	w.types(v)
	if w.kind == "array" {
		if items, ok := plain(v.Get("items")); ok {
			w.kind, w.said = "array of "+items, append(w.said, "items")
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list := v.Get(keyword)
		if w.kind != "" || len(list.Items()) == 0 {
			continue
		}
		var kinds []string
		for _, item := range list.Items() {
			kind, ok := plain(item.Value)
			if !ok {
				kinds = nil
				break
			}
			kinds = append(kinds, kind)
		}
		if kinds != nil {
			w.kind, w.said = map[string]string{"anyOf": "any of ", "oneOf": "one of "}[keyword]+strings.Join(kinds, ", "), append(w.said, keyword)
		}
	}
	w.bounds(v, "minimum", "maximum", "")
	w.bounds(v, "exclusiveMinimum", "exclusiveMaximum", "exclusive")
	w.bounds(v, "minLength", "maxLength", "characters")
	w.bounds(v, "minItems", "maxItems", "items")
	for _, m := range v.Members() {
		value := func() string { return jsonLines(m.Value, false, anyWidth)[0] }
		short := len(jsontree.Append(nil, m.Value)) <= maxLimit
		text := m.Value.Kind == '"'
		switch {
		case m.Name == "enum" && len(m.Value.Items()) > 0:
			var values []string
			for _, item := range m.Value.Items() {
				values = append(values, jsonLines(item.Value, false, anyWidth)[0])
			}
			w.say(m.Name, strings.Join(values, " | "))
		case m.Name == "const":
			w.say(m.Name, "always "+value())
		case m.Name == "pattern" && text && short:
			w.say(m.Name, "pattern "+value())
		case m.Name == "format" && text && short:
			w.say(m.Name, "format "+value())
		case m.Name == "multipleOf" && m.Value.Kind == '0':
			w.say(m.Name, "multiple of "+value())
		case m.Name == "uniqueItems" && m.Value.Kind == 't':
			w.say(m.Name, "no repeats")
		case m.Name == "deprecated" && m.Value.Kind == 't':
			w.say(m.Name, "deprecated")
		case m.Name == "$ref" && text && short:
			w.say(m.Name, "as "+value())
		}
	}
	if d := v.Get("default"); d.Kind != 0 && len(jsontree.Append(nil, d)) <= maxLimit {
		w.say("default", "= "+jsonLines(d, false, anyWidth)[0])
	}
	return w
}

func (w *wording) say(keyword, limit string) {
	w.said, w.limits = append(w.said, keyword), append(w.limits, limit)
}

// types says which types a schema takes, if all of them are those of JSON Schema.
func (w *wording) types(v jsontree.Value) {
	t := v.Get("type")
	var names []string
	for _, item := range t.Items() {
		names = append(names, item.Value.Text)
	}
	if t.Kind == '"' {
		names = []string{t.Text}
	}
	alone := t.Kind == '[' && len(names) == 1 // ["string"] isn't "string"
	if len(names) == 0 || alone || slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(typeNames, name) }) {
		return
	}
	w.kind, w.said = strings.Join(names, " or "), append(w.said, "type")
}

// bounds says between what a number or a size lies.
func (w *wording) bounds(v jsontree.Value, least, most, of string) {
	low, high := v.Get(least), v.Get(most)
	is := func(v jsontree.Value) bool { return v.Kind == '0' }
	number := func(v jsontree.Value) string { return string(jsontree.Append(nil, v)) }
	switch {
	case is(low) && is(high):
		w.said = append(w.said, least, most)
		size := number(low) + ".." + number(high)
		if low.Text == high.Text {
			size = number(low)
		}
		w.limits = append(w.limits, joined(" ", size, of))
	case is(low):
		w.say(least, joined(" ", "at least", number(low), of))
	case is(high):
		w.say(most, joined(" ", "at most", number(high), of))
	}
}

// plain describes a schema that is nothing but a type and its constraints.
func plain(v jsontree.Value) (string, bool) {
	if v.Kind != '{' || len(v.Parts) == 0 {
		return "", false
	}
	w := wordsOf(v)
	if len(w.said) != len(v.Parts) || w.kind == "" || strings.Contains(w.kind, " ") || slices.Contains(w.said, "default") {
		return "", false
	}
	p := param{kind: w.kind, limits: w.limits}
	if said := p.phrase(); len(w.limits) > 0 {
		return "(" + said + ")", true
	}
	return w.kind, true
}

// signDefinition makes the signature of an entry. Instructions, which are one text, and what
// is far larger than any tool have none.
func signDefinition(p *pin.Pin) (s signature, ok bool) {
	if p.Type == pin.Instructions || len(p.Definition) > maxSigned {
		return s, false
	}
	tree := p.Tree()
	return sign(p.Type, tree), tree.Kind == '{'
}

// exact reports whether an edit is to be shown character by character, or can't be shown
// whole.
func (e *edit) exact() bool { return lookAlike(e) || e.unseen != "" || e.CutFrom != [2]int{} }

// signJoined makes the signature of a parameter or of definitions that joined an input schema.
func signJoined(d *pin.Drift, e *edit) (s signature, ok bool) {
	steps, _ := jsontree.Tokens(e.Pointer)
	n := len(steps)
	if e.exact() || e.Old.Kind != 0 || e.New.Kind != '{' && e.New.Kind != '[' || n < 2 || steps[0] != "inputSchema" || len(jsontree.Append(nil, e.New)) > maxSigned {
		return s, false
	}
	top, required := param{depth: -1}, []string(nil)
	if around := lookUp(d.Captured, steps[:n-1]); around != nil && steps[n-1] == "properties" {
		required = requiredIn(*around)
	} else if around := lookUp(d.Captured, steps[:n-2]); around != nil && steps[n-2] == "properties" {
		required = requiredIn(*around)
	}
	switch {
	case len(steps[n-1]) > text.MaxName || steps[n-1] == "":
		return s, false
	case n > 2 && e.New.Kind == '{' && slices.Contains([]string{"properties", "$defs", "definitions", "anyOf", "oneOf", "allOf"}, steps[n-2]):
		s.schema(&top, paramName(steps[n-1]), e.Pointer, e.New, steps[n-2] == "properties" && slices.Contains(required, steps[n-1]))
		return s, true
	}
	return s, s.inside(&top, e.Pointer, jsontree.Member{Name: steps[n-1], Value: e.New}, required)
}

// maxShape is how long the two phrases of a change may be, in bytes, to stand in one line.
const maxShape = 160

// besides are members of a schema that don't say which single values it takes.
var besides = []string{"title", "description", "examples", "properties", "required", "additionalProperties", "items", "$schema"}

// A shape is what a schema takes, before and now: "limit", "integer 1..1000", "integer 1..100000".
type shape struct {
	name, was, is string
	kind          string // the type with which both begin, and a space; or ""
}

// line is "limit  integer 1..1000 -> 1..100000".
func (s shape) line() string {
	return s.name + "  " + s.was + " -> " + strings.TrimPrefix(s.is, s.kind)
}

// shapeOf says how a keyword changed what a schema takes. It returns false for anything else.
func shapeOf(d *pin.Drift, e *edit) (shape, bool) {
	steps, _ := jsontree.Tokens(e.Pointer)
	n := len(steps)
	if n < 3 || steps[0] != "inputSchema" || e.From != "" || e.exact() || !d.TextsKnown() || d.Locked == nil || d.Captured == nil {
		return shape{}, false
	}
	var sides [2]param
	for i, whole := range []*pin.Pin{d.Locked, d.Captured} {
		v := lookUp(whole, steps[:n-1])
		if v == nil || v.Kind != '{' {
			return shape{}, false
		}
		words := wordsOf(*v)
		if v.Has(steps[n-1]) && !slices.Contains(words.said, steps[n-1]) {
			return shape{}, false
		}
		if slices.ContainsFunc(v.Parts, func(m jsontree.Member) bool {
			return !slices.Contains(words.said, m.Name) && !slices.Contains(besides, m.Name)
		}) {
			return shape{}, false
		}
		sides[i] = param{kind: words.kind, limits: words.limits}
	}
	name := paramName(steps[n-2])
	if steps[n-2] == "items" {
		name = paramName(steps[n-3]) + "[]"
	}
	s := shape{name: name, was: sides[0].phrase(), is: sides[1].phrase()}
	if kind := sides[0].kind + " "; kind != " " && kind == sides[1].kind+" " && strings.HasPrefix(s.was, kind) && strings.HasPrefix(s.is, kind) {
		s.kind = kind
	}
	return s, s.was != s.is && s.was != "" && s.is != "" && len(s.was)+len(s.is) <= maxShape
}

// lookUp returns what steps lead to in a definition, or nil.
func lookUp(p *pin.Pin, steps []string) *jsontree.Value {
	if p == nil || p.Definition == nil {
		return nil
	}
	tree := p.Tree()
	v := &tree
	for _, step := range steps {
		v = jsontree.Lookup(v, step)
	}
	return v
}
