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
	s := &signer{}
	if definition.Kind == '"' { // instructions are one text
		s.value(0, "", "", definition)
		return s.lines
	}
	identity := pin.EntryTypeInfo[list].Identity
	name := definition.Get(identity).Text
	for _, m := range inReadingOrder(definition) {
		if m.Name != identity || len(m.Value.Text) > text.MaxName { // else the heading has it
			s.member(list, m, name)
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
	case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name):
	case m.Name == "execution" && list == pin.Tools && len(m.Value.Parts) == 1 && m.Value.Get("taskSupport").Text == "forbidden": // the default (MCP 2025-11-25)
	case m.Name == "description" && m.Value.Kind == '"':
		s.value(0, "", at, m.Value)
	case m.Name == "annotations" && object:
		s.annotations(list, at, m.Value, name)
	case m.Name == "inputSchema" && list == pin.Tools && object:
		s.root("(input)", -1, at, m.Value)
	case m.Name == "outputSchema" && list == pin.Tools && object:
		s.root("returns", 0, at, m.Value)
	case m.Name == "arguments" && list == pin.Prompts && s.arguments(at, m.Value):
	case pin.IsSpecified(list, m.Name):
		s.value(0, m.Name, at, m.Value)
	default:
		s.value(0, text.Pointer(at), at, m.Value)
	}
}

// inReadingOrder lists the members of a definition in the order a reviewer reads them.
func inReadingOrder(definition jsontree.Value) []jsontree.Member {
	first := []string{"name", "annotations", "title", "description", "inputSchema", "outputSchema"}
	place := func(m jsontree.Member) int {
		if at := slices.Index(first, m.Name); at >= 0 {
			return at
		}
		return len(first)
	}
	list := slices.Clone(definition.Members())
	slices.SortStableFunc(list, func(a, b jsontree.Member) int { return place(a) - place(b) })
	return list
}

// annotations adds those of a tool, the hints as words; or of a resource, each with its name.
func (s *signer) annotations(list pin.EntryType, pointer string, v jsontree.Value, name string) {
	said := map[string]bool{}
	if hints := HintsOf(v); list == pin.Tools {
		var words []string
		for i, hint := range Hints {
			if said[hint.Name] = hints[i] != 0; hints[i] == 't' {
				words = append(words, hint.Yes)
			} else if hints[i] == 'f' {
				words = append(words, hint.No)
			}
		}
		if words != nil {
			s.lines = append(s.lines, Line{Phrase: strings.Join(words, ", "), Pointer: pointer})
		}
	}
	for _, m := range v.Members() {
		inWords := list == pin.Tools && m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name)
		if at := jsontree.Pointer(pointer, m.Name); !said[m.Name] && !inWords {
			s.value(0, "annotations."+Name(m.Name), at, m.Value)
		}
	}
}

// arguments adds the arguments of a prompt. It returns false if one of them has no name that
// fits into a line.
func (s *signer) arguments(pointer string, list jsontree.Value) bool {
	var lines []Line
	for _, item := range list.Items() {
		name := item.Value.Get("name").Text
		if item.Value.Get("name").Kind != '"' || name == "" || len(name) > text.MaxName {
			return false
		}
		lines = append(lines, Argument(jsontree.Pointer(pointer, name), item.Value)...)
	}
	s.lines = append(s.lines, lines...)
	return len(lines) > 0
}

// Argument makes the lines of an argument of a prompt, which has a name.
func Argument(pointer string, v jsontree.Value) []Line {
	name := v.Get("name").Text
	l, rest := Line{Name: Name(name), Pointer: pointer, Whole: v}, jsontree.Value{Kind: '{'}
	for _, m := range v.Members() {
		switch {
		case m.Name == "name":
		case m.Name == "description" && m.Value.Kind == '"' && m.Value.Text != "":
			l.Text = m.Value
		case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, name):
		case m.Name == "required" && m.Value.Kind == 't':
			l.Phrase = "required"
		case m.Name == "required" && m.Value.Kind == 'f':
			l.Phrase = "optional"
		default:
			rest.Parts = append(rest.Parts, m)
		}
	}
	if len(rest.Parts) == 0 {
		return []Line{l}
	}
	return []Line{l, {Depth: 1, Text: rest, Pointer: pointer}}
}

// root adds a whole schema. A plain object has no line of its own, if name needs none.
func (s *signer) root(name string, depth int, pointer string, v jsontree.Value) {
	at := len(s.lines)
	s.schema(depth, name, pointer, v, false)
	if head := &s.lines[at]; head.Depth < 0 {
		if head.Phrase == "object" && head.Text.Kind == 0 && len(s.lines) > at+1 && s.lines[at+1].Name != "" {
			s.lines = slices.Delete(s.lines, at, at+1)
			return
		}
		for i := at; i < len(s.lines); i++ {
			s.lines[i].Depth++
		}
	}
}

// Schema makes the lines of a schema and of all that stands in it.
func Schema(name, pointer string, v jsontree.Value, required bool) []Line {
	s := &signer{}
	s.schema(0, name, pointer, v, required)
	return s.lines
}

// Inside makes the lines of the schemas that a keyword holds. It returns nil if it holds none.
func Inside(pointer string, m jsontree.Member, required []string) []Line {
	s := &signer{}
	s.inside(-1, pointer, m, required)
	return s.lines
}

func (s *signer) schema(depth int, name, pointer string, v jsontree.Value, required bool) {
	at := len(s.lines)
	s.lines = append(s.lines, Line{Depth: depth, Name: name, Pointer: pointer, Whole: v}) // before those in it
	w := wording{}
	switch v.Kind {
	case '{':
		w = wordsOf(v)
		s.lines[at].Text = s.members(depth, pointer, v, w.said)
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
	if required {
		w.limits = slices.Insert(w.limits, w.bounds(), "required")
	}
	s.lines[at].Phrase = w.phrase()
	if isRoot := name == "returns" || name == "(input)"; isRoot && w.kind == "object" && len(w.limits) > 0 {
		s.lines[at].Phrase = strings.TrimPrefix(strings.TrimPrefix(s.lines[at].Phrase, "object"), ", ") // as all inputs are
	}
}

// members adds what stands in a schema, and returns its description.
func (s *signer) members(depth int, pointer string, v jsontree.Value, said []string) (description jsontree.Value) {
	rest := jsontree.Value{Kind: '{'}
	required := RequiredIn(v)
	parts := slices.Clone(v.Members())
	slices.SortStableFunc(parts, func(a, b jsontree.Member) int { return definitionsLast(a.Name) - definitionsLast(b.Name) })
	var keywords []jsontree.Member
	for _, m := range parts {
		switch {
		case slices.Contains(said, m.Name), m.Name == "required" && required != nil:
		case m.Name == "description" && m.Value.Kind == '"' && m.Value.Text != "": // "" would be no line at all
			description = m.Value
		case m.Name == "title" && m.Value.Kind == '"' && diff.InWords(m.Value.Text, lastStep(pointer)):
		case m.Name == "$schema" && diff.IsDialect(m.Value.Text), (m.Name == "properties" || m.Name == "required") && len(m.Value.Parts) == 0 && m.Value.Kind != '"':
		case depth < maxDepth && holdsSchemas(m):
			keywords = append(keywords, m)
		default:
			rest.Parts = append(rest.Parts, m)
		}
	}
	if len(rest.Parts) > 0 {
		s.value(depth+1, "", pointer, rest)
	}
	for _, m := range keywords {
		s.inside(depth, jsontree.Pointer(pointer, m.Name), m, required)
	}
	return description
}

func definitionsLast(keyword string) int {
	if keyword == "$defs" || keyword == "definitions" {
		return 1
	}
	return 0
}

// holdsSchemas reports whether a keyword holds schemas that can have lines of their own.
func holdsSchemas(m jsontree.Member) bool {
	long := func(part jsontree.Member) bool { return len(part.Name) > text.MaxName || part.Name == "" }
	switch m.Name {
	case "properties", "$defs", "definitions", "patternProperties":
		return len(m.Value.Members()) > 0 && !slices.ContainsFunc(m.Value.Parts, long)
	case "anyOf", "oneOf", "allOf":
		return len(m.Value.Items()) > 0
	case "items", "additionalProperties":
		return m.Value.Kind == '{'
	}
	return false
}

// inside adds the schemas that a keyword holds, each with a line of its own.
func (s *signer) inside(depth int, at string, m jsontree.Member, required []string) {
	if !holdsSchemas(m) {
		return
	}
	depth++
	switch m.Name {
	case "properties":
		for _, name := range required {
			s.schema(depth, Name(name), jsontree.Pointer(at, name), m.Value.Get(name), true)
		}
		for _, part := range m.Value.Parts {
			if !slices.Contains(required, part.Name) {
				s.schema(depth, Name(part.Name), jsontree.Pointer(at, part.Name), part.Value, false)
			}
		}
	case "$defs", "definitions", "patternProperties":
		for _, part := range m.Value.Parts {
			s.schema(depth, m.Name+"."+Name(part.Name), jsontree.Pointer(at, part.Name), part.Value, false)
		}
	case "anyOf", "oneOf", "allOf":
		for i, part := range m.Value.Parts {
			step := strconv.Itoa(i)
			s.schema(depth, m.Name+"["+step+"]", jsontree.Pointer(at, step), part.Value, false)
		}
	case "items":
		s.schema(depth, "[]", at, m.Value, false)
	case "additionalProperties":
		s.schema(depth, "*", at, m.Value, false)
	}
}

// Name is the printable name of a parameter. One that has a character which stands
// between names here is quoted.
func Name(name string) string {
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

// phrase is what stands beside the name: "integer 1..600, required = 30".
func (w *wording) phrase() string {
	said := w.kind
	for i, limit := range w.limits {
		switch {
		case i == 0 && limit[0] >= '0' && limit[0] <= '9', strings.HasPrefix(limit, "= "), said == "":
			if said != "" {
				said += " "
			}
			said += limit
		default:
			said += ", " + limit
		}
	}
	return said
}

// bounds is where "required" stands among the limits: after the constraint that belongs to
// the type, if there is one.
func (w *wording) bounds() int {
	if len(w.limits) > 0 && w.limits[0][0] >= '0' && w.limits[0][0] <= '9' {
		return 1
	}
	return 0
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
	if required {
		w.limits = slices.Insert(w.limits, w.bounds(), "required")
	}
	return w.phrase(), w.kind, v.Kind == '{'
}

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
	w.between(v, "minimum", "maximum", "")
	w.between(v, "exclusiveMinimum", "exclusiveMaximum", " exclusive")
	w.between(v, "minLength", "maxLength", " characters")
	w.between(v, "minItems", "maxItems", " items")
	for _, m := range v.Members() {
		w.keyword(m)
	}
	if d := v.Get("default"); d.Kind != 0 && len(jsontree.Append(nil, d)) <= maxLimit {
		w.say("default", "= "+layout.JSON(d, false, layout.AnyWidth)[0])
	}
	return w
}

// keyword says what a constraint is, if it is one of the vocabulary.
func (w *wording) keyword(m jsontree.Member) {
	value := func() string { return layout.JSON(m.Value, false, layout.AnyWidth)[0] }
	isText := m.Value.Kind == '"' && len(jsontree.Append(nil, m.Value)) <= maxLimit
	yes, no := m.Value.Kind == 't', m.Value.Kind == 'f'
	switch {
	case m.Name == "enum" && len(m.Value.Items()) > 0:
		var values []string
		for _, item := range m.Value.Items() {
			values = append(values, layout.JSON(item.Value, false, layout.AnyWidth)[0])
		}
		w.say(m.Name, strings.Join(values, " | "))
	case m.Name == "const":
		w.say(m.Name, "always "+value())
	case m.Name == "pattern" && isText, m.Name == "format" && isText:
		w.say(m.Name, m.Name+" "+value())
	case m.Name == "multipleOf" && m.Value.Kind == '0':
		w.say(m.Name, "multiple of "+value())
	case m.Name == "$ref" && isText:
		w.say(m.Name, "as "+value())
	case m.Name == "uniqueItems" && yes:
		w.say(m.Name, "no repeats")
	case (m.Name == "deprecated" || m.Name == "nullable") && yes:
		w.say(m.Name, m.Name)
	case m.Name == "additionalProperties" && no:
		w.say(m.Name, "closed")
	case m.Name == "additionalProperties" && (yes || m.Value.Kind == '{' && len(m.Value.Parts) == 0):
		w.say(m.Name, "open")
	}
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

// between says between what a number or a size lies.
func (w *wording) between(v jsontree.Value, least, most, of string) {
	low, high := v.Get(least), v.Get(most)
	number := func(v jsontree.Value) string { return string(jsontree.Append(nil, v)) }
	switch {
	case low.Kind == '0' && high.Kind == '0':
		w.said = append(w.said, least, most)
		size := number(low) + ".." + number(high)
		if low.Text == high.Text {
			size = number(low)
		}
		w.limits = append(w.limits, size+of)
	case low.Kind == '0':
		w.say(least, "at least "+number(low)+of)
	case high.Kind == '0':
		w.say(most, "at most "+number(high)+of)
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
	if len(w.limits) > 0 {
		return "(" + w.phrase() + ")", true
	}
	return w.kind, true
}
