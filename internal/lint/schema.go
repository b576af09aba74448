package lint

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// definition reads all strings and names of members in a definition, and reviews its
// schemas.
//
// oversize: a text has more bytes than its kind may have
// (maxDescription, maxTitle). case-variant: a member of a schema is a keyword in another letter
// case, so that one client takes "Properties" for the parameters and another one doesn't.
func (r *Reviewer) definition(root *jsontree.Value) {
	eachValue(root, func(v *jsontree.Value, of schema.Position, kind int, path []jsontree.Step) {
		r.path = path
		keyword := jsontree.Step{}
		if len(path) > 0 {
			keyword = path[len(path)-1]
		}
		if keyword.Index < 0 && (len(keyword.Name) >= shortName || !isWord(keyword.Name)) {
			r.read(keyword.Name, " in the name of a member", strings.Contains(keyword.Name, " "))
		}
		if v.Kind == '"' {
			r.read(v.Text, "", kind == prose || kind == values && !isWord(v.Text) || strings.Contains(v.Text, " "))
			r.image(v.Text)
		}
		most := maxDescription
		if keyword.Name == "title" {
			most = maxTitle
		}
		if v.Kind == '"' && kind != symbols {
			r.oversize("a text of %s bytes, over %s", len(v.Text), most)
		}
		r.oversize("a name of %s bytes, over %s", len(keyword.Name), maxTitle)
		// From here on the name of the member is reviewed.
		variant := caseVariant(of, keyword.Name)
		switch r.text = keyword.Name; {
		case of == schema.AtProperties && path[0].Name == "inputSchema":
			r.parameter(keyword.Name, *v)
			r.code(keyword.Name, *v)
		case variant != "":
			r.text = "" // the value may be a schema, so accepting this warning covers the whole definition
			r.add("case-variant", "a client that folds letter case reads it as %s", text.QuoteName(variant))
		case of == schema.AtSchema && (keyword.Name == "$ref" || keyword.Name == "$dynamicRef"):
			r.reference(*v)
		}
	})
}

// image reads the text of an SVG image.
func (r *Reviewer) image(s string) {
	if kind, data, ok := text.DecodeImage(s); ok && strings.HasPrefix(kind, "image/svg") {
		r.read(string(data), " in an image", true)
	}
}

// Kinds of text that are in a value.
const (
	prose = iota

	// Text of an enum or a const. A single word there isn't taken for the name of a tool.
	values

	symbols // names, patterns, addresses
)

// eachValue calls f for each value in a definition, with the kind of its text.
func eachValue(root *jsontree.Value, f func(v *jsontree.Value, of schema.Position, kind int, path []jsontree.Step)) {
	kind := prose
	depth := 0 // the length of the path at which kind was set
	schema.Visit(root, schema.AtDefinition, func(v *jsontree.Value, of, _ schema.Position, path []jsontree.Step) {
		if n := len(path); n > 0 && (kind == prose || n <= depth) {
			kind = textKindOf(of, path[n-1].Name)
			depth = n
		}
		f(v, of, kind, path)
	})
}

// textKindOf returns the kind of text in a member of a value at a position.
func textKindOf(of schema.Position, name string) int {
	if of == schema.AtSchema && slices.Contains(valueKeywords, name) {
		return values
	}
	if of == schema.AtSchema && slices.Contains(symbolKeywords, name) || of == schema.AtDefinition && slices.Contains(symbolMembers, name) {
		return symbols
	}
	return prose
}

// parameter reviews the name, title and description of a parameter at any depth of the input.
//
// secret-path: the name asks for a secret's content or, as a warning, the description asks for the whole conversation
// or prompt. catch-all-input: the parameter accepts any value or, as a warning, its name asks for the conversation or
// the prompt.
func (r *Reviewer) parameter(name string, schema jsontree.Value) {
	if asksForSecret(name) {
		r.add("secret-path", "a parameter named after the content of a secret: %s", text.QuoteName(name))
	}
	plain := withoutSeparators(name)
	if strings.HasPrefix(name, "_") {
		plain = "_" + plain
	}
	whole := ""
	for _, member := range []string{"title", "description"} {
		if said := schema.Get(member).Text; isWhole(said) {
			whole = said
		}
	}
	switch {
	case promptNames()[plain] != "":
		r.addFor("", "catch-all-input", true, "a parameter for what the model was told: %s", text.QuoteName(name))
	case whole != "":
		r.text = whole // a person accepts this text, not the name
		r.addFor("", "secret-path", true, "a parameter for what no tool has to be told: %s", text.QuoteName(name))
		r.text = name
	case isUntyped(schema):
		r.add("catch-all-input", "takes anything: %s has no type", text.QuoteName(name))
	}
}

// isUntyped reports whether the schema of a parameter accepts any value.
func isUntyped(schema jsontree.Value) bool {
	return schema.Kind == 't' || schema.Kind == '{' && !says(schema, "type", "enum", "const", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not", "properties", "items", "pattern", "format")
}

// code reports a parameter for code, a command or a query in a language (takes-code): an unrestricted string with such
// a name. A parameter for a search text may be named query, too, so that name counts only if the tool's name or a
// description names a query language.
func (r *Reviewer) code(name string, schema jsontree.Value) {
	kind := codeNames()[withoutSeparators(name)]
	if kind == "" || !takesText(schema) {
		return
	}
	isQuery := func(said string) bool {
		const enough = 1024 // bytes
		return queryLanguages().MatchString(said[:min(len(said), enough)])
	}
	if !r.isQueryKnown {
		r.isQueryKnown = true
		r.hasQueryName = isQuery(r.about.Name)
		r.saysQuery = isQuery(r.root.Get("description").Text)
	}
	said := schema.Get("description").Text
	if kind == "code" || r.hasQueryName || said == "" && r.saysQuery || isQuery(said) {
		r.addFor(name, "takes-code", false, "takes code, a command or a query that is run: %s", text.QuoteName(name))
	}
}

// caseVariant returns the keyword that equals the name of a member except for letter case, or "".
func caseVariant(of schema.Position, name string) string {
	names := schemaKeywords()
	if of != schema.AtSchema || names[name] == name {
		return "" // the usual case; folding is costly
	}
	return names[text.FoldASCII(name)]
}

// asksForSecret reports whether a parameter's name asks for the content of a secret: it has a word for content, and
// either a word for a source and one for a secret or key, or two words for keys.
func asksForSecret(name string) bool {
	if len(name) < shortName || len(name) > maxMention {
		return false
	}
	kinds := kindsOf(nameWords(name), parameterWords())
	return kinds["content"] > 0 && (kinds["source"] > 0 && kinds["secret"]+kinds["key"] > 0 || kinds["key"] > 1)
}

// nameWords splits a name into lower-case words: contentOfSSHKey gives content, of, ssh, key.
func nameWords(name string) []string {
	small := strings.ToLower(name)
	if small != name {
		name = innerCapital().ReplaceAllString(name, "${1}_$2")
		small = strings.ToLower(lastCapital().ReplaceAllString(name, "${1}_$2"))
	}
	return strings.FieldsFunc(small, isSeparator)
}

// innerCapital and lastCapital match the ends of words in a name: before an upper-case letter, and before the last of
// several.
var innerCapital, lastCapital = pattern(`([^A-Z])([A-Z])`), pattern(`([A-Z])([A-Z][0-9a-z])`)

// takesText reports whether a schema accepts any string, or is an array whose items do.
func takesText(schema jsontree.Value) bool {
	if items := schema.Get("items"); items.Kind == '{' && schema.Get("type").Text == "array" {
		schema = items
	}
	if says(schema, "enum", "const", "format", "pattern", "$ref", "allOf", "anyOf", "oneOf", "properties") {
		return false
	}
	t := schema.Get("type")
	return t.Kind == 0 && schema.Kind != 'f' || t.Text == "string" ||
		slices.ContainsFunc(t.Items(), func(v jsontree.Member) bool { return v.Text == "string" })
}

func says(schema jsontree.Value, keywords ...string) bool {
	return slices.ContainsFunc(keywords, schema.Has)
}

// hints reports hints that are neither true nor false (hint-contradiction).
func (r *Reviewer) hints(annotations jsontree.Value) {
	for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if hint := annotations.Get(name); strings.IndexByte("\x00tfn", hint.Kind) < 0 {
			r.at("annotations", name)
			// An object has no text, so accepting this warning covers the whole definition.
			r.text = hint.Text
			r.add("hint-contradiction", "neither true nor false: some clients take it for true, others refuse the list")
		}
	}
}

// reference reports a $ref or $dynamicRef that leaves the document (remote-ref): a client
// that follows it loads what nobody pinned. A reference that doesn't begin with "#" stays inside
// only if it is, without its fragment, the $id of a schema in the same input or output schema.
func (r *Reviewer) reference(v jsontree.Value) {
	if r.text = v.Text; v.Kind != '"' || v.Text == "" || v.Text[0] == '#' {
		return
	}
	if top := r.path[0].Name; r.idsOf != top {
		root := r.root.Get(top)
		r.idsOf = top
		r.ids = map[string]bool{}
		schema.EachSchema(&root, schema.AtSchema, func(s *jsontree.Value) { r.ids[s.Get("$id").Text] = true })
	}
	if ref, _, _ := strings.Cut(v.Text, "#"); !r.ids[ref] {
		r.add("remote-ref", "leaves the document: %s", whole(v.Text))
	}
}
