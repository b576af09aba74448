// Package signature lays a definition out as a person would describe it: what a tool declares, its own
// description, and a line for each parameter and each part of its result.
package signature

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/normal"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// A Line describes one part of a definition. Together, the lines contain the whole definition, except parts without
// information for a reader: a title that repeats the name, the dialect of a schema, an empty list.
type Line struct {
	Depth int // the number of schemas around it

	// Printable: "fields", "[]" for elements, "anyOf[0]", "oneOf(name find)", "returns"; or "".
	Name string

	Phrase string // "integer 1..600, required = 30"

	Parts []string // the parts of Phrase, in the order of the members described

	// The enclosing schema requires it. Phrase then contains "required".
	Required bool

	IsHint bool // a hint of a tool, which can share a line with others

	// A description, or another value; kind 0: no value.
	Text jsontree.Value

	// The keywords of a schema that neither this line nor the lines below it show; kind 0 if there are none.
	UnshownKeywords jsontree.Value

	Pointer string // where it is

	// Pointer for people: "arguments.sort[].by", "returns.links[]", "/_meta". It is unique in a definition.
	Place string
}

// hints are the hints of a tool, with the words for true and for false. All words are different, so a word can
// replace its hint where a tool is shown.
var hints = [...]struct{ name, yes, no string }{
	{"destructiveHint", "destructive", "not destructive"},
	{"readOnlyHint", "read-only", "writes"},
	{"openWorldHint", "open world", "closed world"},
	{"idempotentHint", "idempotent", "not idempotent"},
}

const (
	// The depth to which nested schemas get lines. Deeper ones are shown as JSON.
	maxDepth = 14

	maxRequired = 500 // the maximum length of a list of required names

	// The maximum size of a constraint's value, in bytes of JSON.
	maxLimit = 160
)

// A signer collects the lines of a signature.
type signer struct {
	entryType pin.EntryType
	files     jsontree.Value // the known texts of a skill's files
	lines     []Line

	// How many bytes the pointers and places of further lines may have in total.
	room *int
}

// MaxPointers is the maximum total size, in bytes, of the pointers and places of all lines of a run. Schemas beyond it
// get no lines: a long name with many parameters in it would take a gigabyte. Real definitions have less than 100 kB.
const MaxPointers = 8 << 20

func (s *signer) value(name, pointer string, v jsontree.Value) {
	s.lines = append(s.lines, Line{Name: name, Text: v, Pointer: pointer, Place: text.QuoteWholePointer(pointer)})
}

// Describe returns the lines that describe an entry's definition. It takes the size of their pointers and places from
// room, which is MaxPointers at first.
func Describe(entryType pin.EntryType, definition jsontree.Value, room *int) []Line {
	if definition.Kind == '"' { // instructions are one text
		return []Line{{Text: definition}}
	}
	s := &signer{entryType: entryType, files: definition.Get(pin.FilesMember), room: room}
	identity := pin.EntryTypeInfo[entryType].Identity
	// The order in which a reviewer reads, reversed. All other members follow.
	last := []string{pin.FilesMember, "frontmatter", "outputSchema", "inputSchema", "description", "title", "annotations", "name"}
	members := slices.Clone(definition.Members())
	slices.SortStableFunc(members, func(a, b jsontree.Member) int { return slices.Index(last, b.Name) - slices.Index(last, a.Name) })
	for _, m := range members {
		if m.Name != identity || len(m.Text) > text.MaxName { // a shorter name is in the heading
			s.member(m, definition.Get(identity).Text)
		}
	}
	return s.lines
}

// member adds the lines for a member of an entry; name is the entry's name.
func (s *signer) member(m jsontree.Member, name string) {
	if isNameInWords(m, name) {
		return
	}
	at := jsontree.ExtendPointer("", m.Name)
	m.Value = layout.SummarizeIcons(at, m.Value)
	object := m.Kind == '{' && len(m.Parts) > 0
	label := m.Name
	isSpecified := pin.IsSpecifiedMember(s.entryType, m.Name)
	isFiles := s.entryType == pin.Skills && m.Name == pin.FilesMember
	switch {
	case m.Name == "description" && m.Kind == '"':
		label = ""
	case m.Name == "annotations" && object:
		s.annotations(at, m.Value, name)
		return
	case (isSpecified || isFiles) && s.special(m, at, name, object):
		return
	case !isSpecified:
		label = text.QuoteWholePointer(at)
	}
	s.value(label, at, m.Value)
}

// special adds a member that has its own layout for the entry's type. It returns false for any other member.
func (s *signer) special(m jsontree.Member, at, name string, object bool) bool {
	switch m.Name {
	case "execution":
		// Forbidden is the default (MCP 2025-11-25).
		return len(m.Parts) == 1 && m.Get("taskSupport").Text == "forbidden"
	case "inputSchema":
		if object {
			s.root("(input)", "arguments", at, m.Value)
		}
		return object
	case "outputSchema":
		if object {
			s.root("returns", "returns", at, m.Value)
		}
		return object
	case "arguments":
		list := child{}.children(m, nil)
		for _, c := range list {
			s.schema(c, 0)
		}
		return list != nil
	case "resources":
		return s.unshown(m.Value, name)
	case pin.FilesMember:
		s.values("", at, m.Value)
		return object
	case "frontmatter":
		s.values("frontmatter.", at, m.Value)
		return object
	}
	return false
}

// values adds a line for each member of an object.
func (s *signer) values(prefix, at string, v jsontree.Value) {
	for _, part := range v.Members() {
		s.value(prefix+nameOf(part.Name), jsontree.ExtendPointer(at, part.Name), part.Value)
	}
}

// root adds an input or output schema. The schema must describe an object (MCP 2025-11-25, Tool), so its line omits
// "object" before other words, except next to listed values, which imply other types, and says "no type" if the type is
// missing. The places inside the schema begin with place.
func (s *signer) root(name, place, pointer string, v jsontree.Value) {
	from := len(s.lines)
	s.schema(child{name: name, place: place, pointer: pointer, value: v}, 0)
	l := &s.lines[from]
	l.Place = pointer
	if !v.Has("type") {
		l.Parts = append([]string{"no type"}, l.Parts...)
	} else if len(l.Parts) > 0 && l.Parts[0] == "object" && !v.Has("enum") && !v.Has("const") {
		l.Parts = l.Parts[1:]
	}
	l.Phrase = cmp.Or(phraseOf(l.Parts), l.Phrase)
}

// unshown adds a line for each file of a skill whose text isn't known; the other files are shown. It returns false
// unless each file is listed with only its URI, digest and size.
func (s *signer) unshown(v jsontree.Value, uri string) bool {
	isOdd := func(item jsontree.Member) bool {
		return len(item.Members()) != 3 || item.Get("uri").Kind != '"' || item.Get("digest").Kind != '"' || item.Get("size").Kind != '0'
	}
	if v.Kind != '[' || slices.ContainsFunc(v.Items(), isOdd) {
		return false
	}
	folder := uri[:strings.LastIndex(uri, "/")+1]
	for i, item := range v.Items() {
		name := strings.TrimPrefix(item.Get("uri").Text, folder)
		if s.files.Has(name) {
			continue
		}
		pointer := jsontree.ExtendPointer("/resources", strconv.Itoa(i))
		place := pointer + "(" + nameOf(name) + ")"
		s.lines = append(s.lines, Line{Name: nameOf(name), Phrase: item.Get("size").Text + " bytes, not shown", Pointer: pointer, Place: place})
	}
	return true
}

// isNameInWords reports whether a member is a title that repeats the name of its object.
func isNameInWords(m jsontree.Member, name string) bool {
	return m.Name == "title" && m.Kind == '"' && normal.RepeatsName(m.Text, name)
}

// annotations adds the hints of a tool as words, and every other annotation under its name.
func (s *signer) annotations(pointer string, v jsontree.Value, name string) {
	var said []string
	for _, hint := range hints {
		word := map[byte]string{'t': hint.yes, 'f': hint.no}[v.Get(hint.name).Kind]
		if word != "" && s.entryType == pin.Tools {
			said = append(said, hint.name)
			at := jsontree.ExtendPointer(pointer, hint.name)
			s.lines = append(s.lines, Line{Phrase: word, Pointer: at, Place: at, IsHint: true})
		}
	}
	for _, m := range v.Members() {
		if !slices.Contains(said, m.Name) && !(s.entryType == pin.Tools && isNameInWords(m, name)) {
			s.value("annotations."+nameOf(m.Name), jsontree.ExtendPointer(pointer, m.Name), m.Value)
		}
	}
}

// A child is a schema, or an argument of a prompt, that has lines of its own.
type child struct {
	name string // as it is printed

	// The declared name. A title that only repeats it isn't shown.
	key string

	pointer string // JSON Pointer
	place   string // where it is, in words for people

	value              jsontree.Value
	required, argument bool
}

// children lists the schemas in a keyword of a schema, those of required parameters first, or the arguments of a prompt.
// It returns nil if an argument has no name.
func (c child) children(m jsontree.Member, required []string) (list []child) {
	at := schema.KeywordPosition(m.Name)
	isOfPrompt := m.Name == "arguments" && c.pointer == ""
	pointer := jsontree.ExtendPointer(c.pointer, m.Name)
	place := c.place + "/" + m.Name
	add := func(name, before, step, place string, v jsontree.Value, required bool) {
		printed := before + nameOf(name)
		// A line about the prompt itself may have the same name, such as title, so quote the argument's name.
		isLabel := isOfPrompt && pin.IsSpecifiedMember(pin.Prompts, name)
		if before == "" && (isLabel || standsForItself(name)) {
			printed = `"` + name + `"`
		}
		list = append(list, child{printed, name, jsontree.ExtendPointer(pointer, step), place, v, required, isOfPrompt})
	}
	switch {
	case isOfPrompt:
		for i, item := range m.Items() {
			name := item.Get("name")
			if name.Kind != '"' {
				return nil
			}
			add(name.Text, "", strconv.Itoa(i), place+"/"+strconv.Itoa(i), item.Value, false)
		}
	case m.Kind == '{' && (at == schema.AtSchema || at == schema.AtSchemaArray):
		printed := map[string]string{"items": "[]", "additionalProperties": "*"}[m.Name]
		said := map[string]string{"items": c.place + "[]", "additionalProperties": c.place + ".*"}[m.Name]
		return []child{{name: cmp.Or(printed, m.Name), pointer: pointer, place: cmp.Or(said, place), value: m.Value}}
	case at == schema.AtSchemaArray:
		names := constants(c.value, m)
		for i, item := range m.Items() {
			name := "[" + strconv.Itoa(i) + "]"
			of := place + "/" + strconv.Itoa(i)
			if names[i] != "" {
				name = "(" + names[i] + ")"
				of = c.place + name
			}
			list = append(list, child{name: m.Name + name, pointer: jsontree.ExtendPointer(pointer, strconv.Itoa(i)), place: of, value: item.Value})
		}
	case at == schema.AtProperties:
		isRequired := map[string]bool{}
		for _, name := range required {
			add(name, "", name, c.place+"."+nameOf(name), m.Get(name), true)
			isRequired[name] = true
		}
		for _, part := range m.Members() {
			if !isRequired[part.Name] {
				add(part.Name, "", part.Name, c.place+"."+nameOf(part.Name), part.Value, false)
			}
		}
	case at == schema.AtSchemaMap:
		for _, part := range m.Members() {
			add(part.Name, m.Name+".", part.Name, place+"/"+nameOf(part.Name), part.Value, false)
		}
	}
	return list
}

// schema adds the lines of a schema and of the schemas in it. The description is on the schema's own line, and
// definitions come last.
func (s *signer) schema(c child, depth int) {
	own := Line{Depth: depth, Name: c.name, Pointer: c.pointer, Place: c.place, Required: c.required}
	if c.value.Kind != '{' {
		w := wording{kind: map[byte]string{'t': "anything", 'f': "nothing"}[c.value.Kind]}
		if w.kind == "" {
			w.kind = "no schema"
			own.Text = c.value
		}
		own.Parts = w.parts(c.required)
		own.Phrase = phraseOf(own.Parts)
		s.lines = append(s.lines, own)
		return
	}
	w := wordsOf(c.value)
	if c.argument {
		w.argument(c.value)
	}
	below := s.divide(c, &own, w.said)
	own.Parts = w.parts(c.required)
	own.Phrase = phraseOf(own.Parts)
	if own.Phrase == "" && !c.argument && below == nil && own.UnshownKeywords.Kind == 0 {
		own.Phrase = "any value"
	}
	s.lines = append(s.lines, own)
	for _, c := range below {
		s.schema(c, depth+1)
	}
}

// argument adds the words for an argument of a prompt.
func (w *wording) argument(v jsontree.Value) {
	w.covers("name")
	if word := map[byte]string{'t': "required", 'f': "optional"}[v.Get("required").Kind]; word != "" {
		w.limits = append([]string{word}, w.limits...)
		w.covers("required")
	}
}

// divide puts the members of a schema into the schema's own line, except members that the phrase covers or that add
// nothing. It returns the schemas that get lines of their own, definitions last.
func (s *signer) divide(c child, own *Line, said []string) (below []child) {
	required := requiredIn(c.value)
	for _, m := range c.value.Members() {
		*s.room -= len(m.Parts) * (len(c.pointer) + len(c.place))
	}
	isDeep := own.Depth == maxDepth || len(c.pointer) > schema.MaxPointer || *s.room < 0
	if isDeep {
		// The parameters get no lines, so nothing else would show that they are required.
		required = nil
	}
	var definitions []child
	for _, m := range c.value.Members() {
		if slices.Contains(said, m.Name) || c.isUnsaid(m, required) {
			continue
		}
		// An empty description would get no line, so it stays among the other members.
		if m.Name == "description" && m.Kind == '"' && m.Text != "" {
			own.Text = m.Value
			continue
		}
		var held []child
		if !isDeep {
			held = c.children(m, required)
		}
		if held == nil {
			own.UnshownKeywords.Kind = '{'
			own.UnshownKeywords.Parts = append(own.UnshownKeywords.Parts, m)
		} else if schema.IsDefinitions(m.Name) {
			definitions = append(definitions, held...)
		} else {
			below = append(below, held...)
		}
	}
	return append(below, definitions...)
}

// isUnsaid reports whether a member of a schema isn't shown, because it is empty or follows from the schema's lines.
func (c child) isUnsaid(m jsontree.Member, required []string) bool {
	switch m.Name {
	case "required":
		return required != nil || m.Kind == '[' && len(m.Parts) == 0 && !c.argument
	case "properties":
		return m.Kind == '{' && len(m.Parts) == 0
	case "$schema":
		return schema.IsDialect(m.Text)
	case "propertyNames":
		return len(m.Parts) == 1 && m.Get("type").Text == "string" // member names are always strings
	}
	return isNameInWords(m, c.key)
}

// mostAlternatives is the maximum length of a list whose alternatives constants names, and the maximum number of
// parameters that it tries for each alternative.
const mostAlternatives = 50

// constants names each alternative of a list by a parameter with a constant value, such as "name find". Every
// alternative with parameters must have a constant value for that parameter, and no other the same one. An alternative
// that is itself a constant is named by that constant. A name is "" if there is no such constant, if the constant or
// the parameter can't be printed without quotes, if the schema has several lists of schemas, or in a tuple, whose
// schemas are identified by their positions.
func constants(around jsontree.Value, of jsontree.Member) []string {
	list := of.Items()
	isTuple := of.Name == "items" || of.Name == "prefixItems"
	names := make([]string, len(list))
	isOther := func(m jsontree.Member) bool {
		return m.Kind != '[' || schema.KeywordPosition(m.Name) != schema.AtSchemaArray
	}
	lists := slices.DeleteFunc(slices.Clone(around.Members()), isOther)
	if isTuple || len(list) < 2 || len(list) > mostAlternatives || len(lists) > 1 {
		return names
	}
	type constant struct{ name, value string }
	// How many alternatives have each constant. With the name "", the alternative itself is the constant; with the
	// value "", any constant of the parameter counts.
	holders := map[constant]int{}
	objects := 0
	for _, one := range list {
		holders[constant{"", alwaysIs(one.Value)}]++
		properties := one.Get("properties").Members()
		objects += min(len(properties), 1)
		for _, p := range properties {
			if value := alwaysIs(p.Value); value != "" && p.Name != "" {
				holders[constant{p.Name, value}]++
				holders[constant{p.Name, ""}]++
			}
		}
	}
	for i, one := range list {
		if value := alwaysIs(one.Value); value != "" && nameOf(value) == value && holders[constant{"", value}] == 1 {
			names[i] = value
			continue
		}
		properties := one.Get("properties").Members()
		for _, p := range properties[:min(len(properties), mostAlternatives)] {
			value := alwaysIs(p.Value)
			if value != "" && holders[constant{p.Name, value}] == 1 && holders[constant{p.Name, ""}] == objects && nameOf(p.Name) == p.Name && nameOf(value) == value {
				names[i] = p.Name + " " + value
				break
			}
		}
	}
	return names
}

// alwaysIs returns the only text that a schema allows, or "".
func alwaysIs(v jsontree.Value) string {
	if listed := v.Get("enum").Items(); len(listed) == 1 {
		return listed[0].Text
	}
	return v.Get("const").Text
}

// nameOf returns the printable name of a parameter. A name is quoted if it has a character
// that separates names here.
func nameOf(name string) string {
	if len(name) > text.MaxName {
		return layout.CompactJSON(jsontree.String(name))
	} else if said := text.QuoteName(name); said[0] == '"' || !strings.ContainsAny(name, ".~/@") {
		return said
	}
	return `"` + name + `"`
}

// standsForItself reports whether a parameter's name could be mistaken for a keyword or for the output.
func standsForItself(name string) bool {
	at := schema.KeywordPosition(name)
	return name == "returns" || at == schema.AtSchema || at == schema.AtSchemaArray
}

// requiredIn returns the names that a schema requires, in the order of its list, or nil if the list is too long or
// contains anything but distinct parameters of the schema.
func requiredIn(v jsontree.Value) (names []string) {
	list := v.Get("required")
	properties := v.Get("properties")
	if len(list.Items()) > maxRequired {
		return nil
	}
	for _, item := range list.Items() {
		name := item.Text
		if item.Kind != '"' || !properties.Has(name) || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// A wording holds the parts of the phrase after a schema's name, and the names of the members that the phrase covers
// (said).
type wording struct {
	// Its type in words: "array of string or null".
	kind string

	// The listed values show the type, so the line doesn't name it.
	isImplied bool

	span string // the range of its numbers: " 1..600"

	// Its constraints: "closed", "minLength 1".
	limits []string

	value string // its default: "= 30"
	said  []string
}

// covers notes that the wording covers members.
func (w *wording) covers(members ...string) { w.said = append(w.said, members...) }

// parts lists what follows the name: "integer 1..600", "required", "multipleOf 5", "= 30".
func (w *wording) parts(required bool) []string {
	kind := w.kind
	if w.isImplied {
		kind = ""
	}
	parts := []string{strings.TrimLeft(kind+w.span, " "), ""}
	if required {
		parts[1] = "required"
	}
	return slices.DeleteFunc(append(append(parts, w.limits...), w.value), func(part string) bool { return part == "" })
}

// phraseOf puts parts in one phrase: "integer 1..600, required, multipleOf 5 = 30".
func phraseOf(parts []string) string {
	last := len(parts) - 1
	if last > 0 && strings.HasPrefix(parts[last], "= ") {
		return strings.Join(parts[:last], ", ") + " " + parts[last]
	}
	return strings.Join(parts, ", ")
}

// constraints are the keywords that are printed with their value.
var constraints = sync.OnceValue(func() []string {
	return strings.Fields(`const default pattern format $ref multipleOf uniqueItems deprecated nullable
 minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems`)
})

// wordsOf describes a schema, except for what gets lines of its own.
func wordsOf(v jsontree.Value) (w wording) {
	types := v.Get("type")
	names := []string{types.Text}
	// A list with a single type would get the words of the type alone, so it is left to be shown as JSON.
	if len(types.Items()) > 1 {
		names = nil
		for _, item := range types.Items() {
			names = append(names, item.Text)
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool { return !schema.IsType(name) }) {
		w.kind = strings.Join(names, " or ")
		w.covers("type")
	}
	if w.kind == "array" {
		if items := plain(v.Get("items")); items != "" {
			w.kind = "array of " + items
			w.covers("items")
		}
	}
	for _, list := range [...]struct{ keyword, said string }{{"anyOf", "any of "}, {"oneOf", "one of "}} {
		// Next to listed values, an alternative with a constant would read like one of them.
		isAlone := !v.Has("enum") && !v.Has("const")
		if kinds := alternatives(v.Get(list.keyword)); w.kind == "" && kinds != "" && isAlone {
			w.kind = list.said + kinds
			w.covers(list.keyword)
		}
	}
	if low, high := v.Get("minimum"), v.Get("maximum"); low.Kind == '0' && high.Kind == '0' {
		w.span = " " + low.Text + ".." + high.Text
		if normal.IsLibraryBound(&v, &jsontree.Member{Name: "maximum", Value: high}) {
			w.span = " from " + low.Text // an integer can't be larger
		}
		w.covers("minimum", "maximum")
	}
	if low, high := v.Get("minLength"), v.Get("maxLength"); low.Kind == '0' && high.Kind == '0' {
		length := "length " + low.Text
		if low.Text != high.Text {
			length += ".." + high.Text
		}
		w.limits = append(w.limits, length)
		w.covers("minLength", "maxLength")
	}
	for _, m := range v.Members() {
		w.member(v, m)
	}
	w.implyType(v)
	return w
}

// implyType omits a type that is obvious from the listed values. If a schema lists values without a type, it adds "no
// type".
func (w *wording) implyType(v jsontree.Value) {
	isConst := slices.Contains(w.said, "const")
	if !isConst && !slices.Contains(w.said, "enum") {
		return
	}
	values := v.Get("enum").Items()
	if isConst {
		values = append(slices.Clone(values), jsontree.Member{Value: v.Get("const")})
	}
	shown := map[byte]string{'"': "string", '0': "number", 't': "boolean", 'f': "boolean", 'n': "null"}
	isOther := func(item jsontree.Member) bool { return shown[item.Kind] != v.Get("type").Text }
	if !v.Has("type") {
		w.limits = append(w.limits, "no type")
	} else {
		w.isImplied = w.kind == v.Get("type").Text && !slices.ContainsFunc(values, isOther)
	}
}

// member puts a member of a schema (of) into words, if a few are enough.
func (w *wording) member(of jsontree.Value, m jsontree.Member) {
	v := m.Value
	limit := ""
	short := ""
	if slices.Contains(w.said, m.Name) {
		return
	} else if normal.IsLibraryBound(&of, &m) {
		w.covers(m.Name)
		return
	} else if slices.Contains(constraints(), m.Name) {
		short = layout.CompactJSON(v)
	}
	switch {
	case m.Name == "enum" && len(v.Items()) > 0:
		var values []string
		for _, item := range v.Items() {
			values = append(values, layout.CompactJSON(item.Value))
		}
		limit = strings.Join(values, " | ")
	case m.Name == "additionalProperties" && v.Kind == 'f':
		limit = "closed"
	case m.Name == "additionalProperties" && (v.Kind == 't' || v.Kind == '{' && len(v.Parts) == 0):
		limit = "open"
	case short == "" || len(short) > maxLimit:
		return
	case m.Name == "default":
		w.value = "= " + short
	case m.Name == "const":
		limit = "always " + short
	default:
		limit = m.Name + " " + short
	}
	w.covers(m.Name)
	if limit != "" {
		w.limits = append(w.limits, limit)
	}
}

// alternatives returns the alternatives of a keyword on one line: "string, null". It returns "" if an alternative has
// more than a type and its constraints.
func alternatives(list jsontree.Value) string {
	var kinds []string
	for _, item := range list.Items() {
		kinds = append(kinds, plain(item.Value))
	}
	if slices.Contains(kinds, "") {
		return ""
	}
	return strings.Join(kinds, ", ")
}

// plain describes a schema that has only a type and its constraints. It returns "" for any other schema.
func plain(v jsontree.Value) string {
	if v.Kind != '{' {
		return ""
	}
	w := wordsOf(v)
	if len(w.said) != len(v.Parts) || w.kind == "" || strings.Contains(w.kind, " ") || w.value != "" {
		return ""
	}
	value := v.Get("const")
	if w.isImplied && len(v.Parts) == 2 && value.Kind != 0 && value.Kind != 'n' { // null would read as the type
		return layout.CompactJSON(value)
	}
	if len(w.limits) > 0 || w.span != "" {
		return "(" + phraseOf(w.parts(false)) + ")"
	}
	return w.kind
}
