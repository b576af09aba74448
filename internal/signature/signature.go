// Package signature lays a definition out as a person describes it: what a tool declares, what it
// says of itself, and a line for each parameter and each part of its result.
package signature

import (
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// A Line says one thing of a definition. All of a definition stands in its lines, but for what
// says nothing: a title that is the name in words, the dialect of a schema, an empty list.
type Line struct {
	Depth   int            // in how many other schemas it stands
	Name    string         // printable: "fields", "[]" for elements, "anyOf[0]", "returns"; or ""
	Phrase  string         // "integer 1..600, required = 30"
	Text    jsontree.Value // a description, or another value; kind 0: none
	Pointer string         // where it stands; of an argument of a prompt by its name
	Whole   jsontree.Value // the schema with all that stands in it; kind 0: no schema
}

// Hints are the hints of a tool with the words for true and for false. No two
// have the same words, so that they can stand for the hint where a tool is shown.
var Hints = [4]struct{ Name, Yes, No string }{
	{"destructiveHint", "destructive", "not destructive"},
	{"readOnlyHint", "read-only", "writes"},
	{"openWorldHint", "open world", "closed world"},
	{"idempotentHint", "idempotent", "not idempotent"},
}

// HintsOf are the values of the hints: 't', 'f', or 0 where one isn't declared as a boolean.
func HintsOf(annotations jsontree.Value) (values [4]byte) {
	for i, hint := range Hints {
		if v := annotations.Get(hint.Name); v.Kind == 't' || v.Kind == 'f' {
			values[i] = v.Kind
		}
	}
	return values
}

const (
	maxDepth    = 8   // of a schema; what is in a deeper one is shown as JSON
	maxRequired = 500 // names in a list of required parameters
	maxLimit    = 160 // bytes of JSON of a value among the constraints
)

// A signer collects the lines of a signature.
type signer struct{ lines []Line }

func (s *signer) value(depth int, name, pointer string, v jsontree.Value) {
	s.lines = append(s.lines, Line{Depth: depth, Name: name, Text: v, Pointer: pointer})
}

// Of makes the signature of an entry.
func Of(list pin.EntryType, definition jsontree.Value) []Line {
	if definition.Kind == '"' { // instructions are one text
		return []Line{{Text: definition}}
	}
	s := &signer{}
	identity := pin.EntryTypeInfo[list].Identity
	last := []string{"outputSchema", "inputSchema", "description", "title", "annotations", "name"} // in the order in which a reviewer reads, the other way round
	members := slices.Clone(definition.Members())
	slices.SortStableFunc(members, func(a, b jsontree.Member) int { return slices.Index(last, b.Name) - slices.Index(last, a.Name) })
	for _, m := range members {
		if m.Name != identity || len(m.Value.Text) > text.MaxName { // else the heading has it
			s.member(list, m, definition.Get(identity).Text)
		}
	}
	return s.lines
}

// Member makes the lines of a member of an entry of that name.
func Member(list pin.EntryType, m jsontree.Member, name string) []Line {
	s := &signer{}
	s.member(list, m, name)
	return s.lines
}

func (s *signer) member(list pin.EntryType, m jsontree.Member, name string) {
	at := jsontree.Pointer("", m.Name)
	object := m.Value.Kind == '{' && len(m.Value.Parts) > 0
	switch {
	case isNameInWords(m, name):
	case m.Name == "execution" && list == pin.Tools && len(m.Value.Parts) == 1 && m.Value.Get("taskSupport").Text == "forbidden": // the default (MCP 2025-11-25)
	case m.Name == "description" && m.Value.Kind == '"':
		s.value(0, "", at, m.Value)
	case m.Name == "annotations" && object:
		s.annotations(list, at, m.Value, name)
	case m.Name == "inputSchema" && list == pin.Tools && object:
		s.root("(input)", at, m.Value)
	case m.Name == "outputSchema" && list == pin.Tools && object:
		s.root("returns", at, m.Value)
	case m.Name == "arguments" && list == pin.Prompts && s.arguments(at, m.Value):
	case pin.IsSpecified(list, m.Name):
		s.value(0, m.Name, at, m.Value)
	default:
		s.value(0, text.Pointer(at), at, m.Value)
	}
}

// isNameInWords reports whether a member is a title that says no more than the name beside it.
func isNameInWords(m jsontree.Member, name string) bool {
	return m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name)
}

// isDescription reports whether a member is a description. One without a character would be no line
// at all, so it is shown like any other member.
func isDescription(m jsontree.Member) bool {
	return m.Name == "description" && m.Value.Kind == '"' && m.Value.Text != ""
}

// annotations adds those of a tool, the hints as words; or of a resource, each with its name.
func (s *signer) annotations(list pin.EntryType, pointer string, v jsontree.Value, name string) {
	var said, words []string
	hints := HintsOf(v)
	for i, hint := range Hints {
		if word := map[byte]string{'t': hint.Yes, 'f': hint.No}[hints[i]]; word != "" && list == pin.Tools {
			said, words = append(said, hint.Name), append(words, word)
		}
	}
	if words != nil {
		s.lines = append(s.lines, Line{Phrase: strings.Join(words, ", "), Pointer: pointer})
	}
	for _, m := range v.Members() {
		if !slices.Contains(said, m.Name) && !(list == pin.Tools && isNameInWords(m, name)) {
			s.value(0, "annotations."+Name(m.Name), jsontree.Pointer(pointer, m.Name), m.Value)
		}
	}
}

// arguments adds the arguments of a prompt. It returns false if one of them has no name that
// fits into a line.
func (s *signer) arguments(pointer string, list jsontree.Value) bool {
	var lines []Line
	for _, item := range list.Items() {
		name := item.Value.Get("name")
		if name.Kind != '"' || !fitsLine(name.Text) {
			return false
		}
		lines = append(lines, Argument(jsontree.Pointer(pointer, name.Text), item.Value)...)
	}
	s.lines = append(s.lines, lines...)
	return len(lines) > 0
}

func fitsLine(name string) bool { return name != "" && len(name) <= text.MaxName }

// Argument makes the lines of an argument of a prompt, which has a name.
func Argument(pointer string, v jsontree.Value) []Line {
	name, rest := v.Get("name").Text, jsontree.Value{Kind: '{'}
	lines := []Line{{Name: Name(name), Pointer: pointer, Whole: v}}
	for _, m := range v.Members() {
		switch {
		case m.Name == "name", isNameInWords(m, name):
		case isDescription(m):
			lines[0].Text = m.Value
		case m.Name == "required" && (m.Value.Kind == 't' || m.Value.Kind == 'f'):
			lines[0].Phrase = map[byte]string{'t': "required", 'f': "optional"}[m.Value.Kind]
		default:
			rest.Parts = append(rest.Parts, m)
		}
	}
	if len(rest.Parts) > 0 {
		lines = append(lines, Line{Depth: 1, Text: rest, Pointer: pointer})
	}
	return lines
}

// root adds a whole schema. Plain inputs need no line of their own.
func (s *signer) root(name, pointer string, v jsontree.Value) {
	lines := Schema(name, pointer, v, false)
	lines[0].Phrase = strings.TrimPrefix(lines[0].Phrase, "object, ") // as all of them are
	if name == "(input)" && lines[0].Phrase == "object" && lines[0].Text.Kind == 0 && len(lines) > 1 && lines[1].Name != "" {
		lines = lines[1:]
		for i := range lines {
			lines[i].Depth--
		}
	}
	s.lines = append(s.lines, lines...)
}

// Schema makes the lines of a schema and of all that stands in it.
func Schema(name, pointer string, v jsontree.Value, required bool) []Line {
	s := &signer{}
	s.schema(child{name, pointer, v, required}, 0)
	return s.lines
}

// Inside makes the lines of the schemas that a keyword holds. It returns nil if it holds none.
func Inside(pointer string, m jsontree.Member, required []string) []Line {
	s := &signer{}
	for _, c := range children(pointer, m, required) {
		s.schema(c, 0)
	}
	return s.lines
}

// A child is a schema that has lines of its own.
type child struct {
	name, pointer string
	value         jsontree.Value
	required      bool
}

// children lists the schemas that a keyword holds, those of required parameters first. There are
// none if one of them has no name that fits into a line.
func children(pointer string, m jsontree.Member, required []string) (list []child) {
	add := func(name, step string, v jsontree.Value) {
		list = append(list, child{name, jsontree.Pointer(pointer, step), v, m.Name == "properties" && slices.Contains(required, step)})
	}
	switch m.Name {
	case "properties", "$defs", "definitions", "patternProperties":
		if slices.ContainsFunc(m.Value.Members(), func(part jsontree.Member) bool { return !fitsLine(part.Name) }) {
			return nil
		}
		before := m.Name + "."
		if m.Name == "properties" {
			before = ""
			for _, name := range required {
				add(Name(name), name, m.Value.Get(name))
			}
		}
		for _, part := range m.Value.Members() {
			if before != "" || !slices.Contains(required, part.Name) {
				add(before+Name(part.Name), part.Name, part.Value)
			}
		}
	case "anyOf", "oneOf", "allOf":
		for i, part := range m.Value.Items() {
			add(m.Name+"["+strconv.Itoa(i)+"]", strconv.Itoa(i), part.Value)
		}
	case "items", "additionalProperties":
		if m.Value.Kind == '{' {
			list = []child{{map[string]string{"items": "[]", "additionalProperties": "*"}[m.Name], pointer, m.Value, false}}
		}
	}
	return list
}

func (s *signer) schema(c child, depth int) {
	at, v := len(s.lines), c.value
	s.lines = append(s.lines, Line{Depth: depth, Name: c.name, Pointer: c.pointer, Whole: v}) // before those in it
	w := wording{}
	switch v.Kind {
	case '{':
		w = wordsOf(v)
		s.lines[at].Text = s.members(depth, c.pointer, v, w.said)
		if w.kind == "" && len(w.limits) == 0 && !slices.ContainsFunc(v.Parts, func(m jsontree.Member) bool { return m.Name != "description" && m.Name != "title" }) {
			w.kind = "any value"
		}
	case 't':
		w.kind = "anything"
	case 'f':
		w.kind = "nothing"
	default:
		s.lines[at].Text = v
	}
	s.lines[at].Phrase = w.phrase(c.required)
}

// members adds what stands in a schema, definitions last, and returns its description.
func (s *signer) members(depth int, pointer string, v jsontree.Value, said []string) (description jsontree.Value) {
	rest, required := jsontree.Value{Kind: '{'}, RequiredIn(v)
	steps, _ := jsontree.Tokens(pointer)
	var below, definitions []child
	for _, m := range v.Members() {
		var held []child
		if depth < maxDepth {
			held = children(jsontree.Pointer(pointer, m.Name), m, required)
		}
		switch {
		case slices.Contains(said, m.Name), m.Name == "required" && required != nil:
		case isDescription(m):
			description = m.Value
		case len(steps) > 0 && isNameInWords(m, steps[len(steps)-1]):
		case m.Name == "$schema" && diff.IsDialect(m.Value.Text), (m.Name == "properties" || m.Name == "required") && len(m.Value.Parts) == 0 && m.Value.Kind != '"':
		case schema.IsDefinitions(m.Name) && held != nil:
			definitions = append(definitions, held...)
		case held != nil:
			below = append(below, held...)
		default:
			rest.Parts = append(rest.Parts, m)
		}
	}
	if len(rest.Parts) > 0 {
		s.value(depth+1, "", pointer, rest)
	}
	for _, c := range append(below, definitions...) {
		s.schema(c, depth+1)
	}
	return description
}

// Name is the printable name of a parameter. One that has a character which stands
// between names here is quoted.
func Name(name string) string {
	switch quoted := text.Name(name); {
	case text.Name(strings.ReplaceAll(name, "$", "_"))[0] != '"' && !strings.ContainsAny(name, ".~/@"):
		return name
	case quoted[0] != '"':
		return `"` + quoted + `"`
	default:
		return quoted
	}
}

// RequiredIn lists the names that a schema requires, in the order of its list. It is nil if
// that isn't a list of different parameters that the schema has.
func RequiredIn(v jsontree.Value) (names []string) {
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

// A wording is what the vocabulary says of a schema, and the members that it covers.
type wording struct {
	kind   string   // its type in words: "array of string or null"
	limits []string // its constraints: "1..600", "required", "= 30"
	said   []string
}

// phrase is what stands beside the name: "integer 1..600, required = 30". The first limit may belong
// to the type, and "required" stands behind that.
func (w *wording) phrase(required bool) string {
	said, limits := w.kind, w.limits
	if len(limits) > 0 && limits[0][0] >= '0' && limits[0][0] <= '9' {
		said, limits = strings.TrimLeft(said+" "+limits[0], " "), limits[1:]
	}
	if required {
		limits = slices.Insert(slices.Clone(limits), 0, "required")
	}
	for _, limit := range limits {
		switch {
		case said == "":
			said = limit
		case strings.HasPrefix(limit, "= "):
			said += " " + limit
		default:
			said += ", " + limit
		}
	}
	return said
}

var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// besides are members of a schema that don't say which single values it takes.
var besides = []string{"title", "description", "examples", "properties", "required", "items", "$schema"}

// Phrase describes a schema without what stands in lines of its own, and gives the type with which that begins. It
// returns false if keyword, or a member that says which values it takes, isn't among the words.
func Phrase(v jsontree.Value, keyword string, required bool) (phrase, kind string, ok bool) {
	w := wordsOf(v)
	for _, m := range v.Members() {
		if !slices.Contains(w.said, m.Name) && (m.Name == keyword || !slices.Contains(besides, m.Name)) {
			return "", "", false
		}
	}
	return w.phrase(required), w.kind, v.Kind == '{'
}

// wordsOf describes a schema without what stands in lines of its own.
func wordsOf(v jsontree.Value) (w wording) {
	w.types(v)
	if w.kind == "array" {
		if items := plain(v.Get("items")); items != "" {
			w.kind, w.said = "array of "+items, append(w.said, "items")
		}
	}
	for _, keyword := range [][2]string{{"anyOf", "any of "}, {"oneOf", "one of "}} {
		var kinds []string
		for _, item := range v.Get(keyword[0]).Items() {
			kinds = append(kinds, plain(item.Value))
		}
		if w.kind == "" && kinds != nil && !slices.Contains(kinds, "") {
			w.kind, w.said = keyword[1]+strings.Join(kinds, ", "), append(w.said, keyword[0])
		}
	}
	w.between(v, "minimum", "maximum", "")
	w.between(v, "exclusiveMinimum", "exclusiveMaximum", " exclusive")
	w.between(v, "minLength", "maxLength", " characters")
	w.between(v, "minItems", "maxItems", " items")
	for _, m := range v.Members() {
		w.keyword(m)
	}
	if d := v.Get("default"); d.Kind != 0 && len(jsontree.Append(nil, d)) <= maxLimit {
		w.say("default", "= "+inLine(d))
	}
	return w
}

// inLine is a value as JSON that stands in a line.
func inLine(v jsontree.Value) string { return layout.JSON(v, false, layout.AnyWidth)[0] }

// constraints are the words for a keyword with a value of that kind. The value stands behind those that end in a blank.
var constraints = map[string]map[byte]string{
	"pattern": {'"': "pattern "}, "format": {'"': "format "}, "$ref": {'"': "as "}, "multipleOf": {'0': "multiple of "},
	"uniqueItems": {'t': "no repeats"}, "deprecated": {'t': "deprecated"}, "nullable": {'t': "nullable"},
	"additionalProperties": {'f': "closed", 't': "open"},
}

// keyword says what a constraint is, if it is one of the vocabulary.
func (w *wording) keyword(m jsontree.Member) {
	words := constraints[m.Name][m.Value.Kind]
	switch {
	case m.Name == "enum" && len(m.Value.Items()) > 0:
		var values []string
		for _, item := range m.Value.Items() {
			values = append(values, inLine(item.Value))
		}
		w.say(m.Name, strings.Join(values, " | "))
	case m.Name == "const":
		w.say(m.Name, "always "+inLine(m.Value))
	case m.Name == "additionalProperties" && m.Value.Kind == '{' && len(m.Value.Parts) == 0:
		w.say(m.Name, "open")
	case words == "", m.Value.Kind == '"' && len(jsontree.Append(nil, m.Value)) > maxLimit:
	case strings.HasSuffix(words, " "):
		w.say(m.Name, words+inLine(m.Value))
	default:
		w.say(m.Name, words)
	}
}

func (w *wording) say(keyword, limit string) {
	w.said, w.limits = append(w.said, keyword), append(w.limits, limit)
}

// types says which types a schema takes, if all of them are those of JSON Schema. A list of one type is
// another definition than that type, so it isn't said in the same words.
func (w *wording) types(v jsontree.Value) {
	t := v.Get("type")
	names := []string{t.Text}
	if t.Kind != '"' {
		names = nil
		for _, item := range t.Items() {
			names = append(names, item.Value.Text)
		}
		if len(names) < 2 {
			return
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(typeNames, name) }) {
		w.kind, w.said = strings.Join(names, " or "), append(w.said, "type")
	}
}

// between says between what a number or a size lies.
func (w *wording) between(v jsontree.Value, least, most, of string) {
	low, high := v.Get(least), v.Get(most)
	switch {
	case low.Kind == '0' && high.Kind == '0':
		w.said = append(w.said, least, most)
		size := low.Text + ".." + high.Text
		if low.Text == high.Text {
			size = low.Text
		}
		w.limits = append(w.limits, size+of)
	case low.Kind == '0':
		w.say(least, "at least "+low.Text+of)
	case high.Kind == '0':
		w.say(most, "at most "+high.Text+of)
	}
}

// plain describes a schema that is nothing but a type and its constraints; "" if there is more to it.
func plain(v jsontree.Value) string {
	if v.Kind != '{' {
		return ""
	}
	w := wordsOf(v)
	switch {
	case len(w.said) != len(v.Parts) || w.kind == "" || strings.Contains(w.kind, " ") || slices.Contains(w.said, "default"):
		return ""
	case len(w.limits) > 0:
		return "(" + w.phrase(false) + ")"
	}
	return w.kind
}
