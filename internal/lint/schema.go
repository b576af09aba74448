package lint

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// definition reads all strings and names of members in a definition, and reviews its
// schemas.
//
// header-export: a schema has x-mcp-header, which makes HTTP clients of revision 2026-07-28
// copy the argument into a header. oversize: a description has more than maxDescription
// bytes. case-variant: a member of a schema or an icon is a specified one in another letter
// case, so that one client takes "Properties" for the parameters and another one doesn't.
func (r *Reviewer) definition(root *jsontree.Value) {
	kind, depth := prose, 0 // the kind of text, and the depth from which it holds
	schema.Visit(root, schema.AtDefinition, func(v *jsontree.Value, of, _ schema.Position, path []jsontree.Step) {
		r.path = path
		keyword := jsontree.Step{Name: "", Index: 0}
		if len(path) > 0 {
			keyword = path[len(path)-1]
		}
		if kind == prose || len(path) <= depth {
			kind, depth = textKindOf(of, keyword.Name), len(path)
		}
		if keyword.Index < 0 && (len(keyword.Name) >= shortName || !isWord(keyword.Name)) {
			r.read(keyword.Name, " in the name of a member", false)
		}
		if v.Kind == '"' {
			r.read(v.Text, "", kind == prose || kind == values && !isWord(v.Text))
		}
		if n := len(v.Text); keyword.Name == "description" && n > maxDescription {
			r.add("oversize", "a description of %s bytes, over %s", text.Number(n), text.Number(maxDescription))
		}
		switch r.text = keyword.Name; { // from here on it is the name that is reviewed
		case of == schema.AtProperties && path[0].Name == "inputSchema":
			r.parameter(keyword.Name)
			r.code(keyword.Name, *v)
		case of == schema.AtSchema && caseVariant(keyword.Name) != "", isIconMember(path) && iconVariant(keyword.Name) != "":
			r.add("case-variant", "a client that folds letter case reads it as %s", text.Name(cmp.Or(caseVariant(keyword.Name), iconVariant(keyword.Name))))
		case of == schema.AtSchema && (keyword.Name == "$ref" || keyword.Name == "$dynamicRef"):
			r.reference(*v)
		case of == schema.AtSchema && keyword.Name == schema.HeaderKeyword:
			r.add("header-export", "clients copy this argument into the request header %s", text.Name(v.Text))
		}
	})
}

// Kinds of text that stand in a value.
const (
	prose   = iota
	values  // of an enum or a const; a bare word there names no tool
	symbols // names, patterns, addresses
)

// textKindOf returns the kind of text in a member of a value at a position.
func textKindOf(of schema.Position, name string) int {
	switch {
	case of == schema.AtSchema && slices.Contains(valueKeywords, name):
		return values
	case of == schema.AtSchema && slices.Contains(symbolKeywords, name), of == schema.AtDefinition && slices.Contains(symbolMembers, name):
		return symbols
	}
	return prose
}

// parameter reviews a parameter by its name, at any depth of the input.
//
// name-rule: a name outside ASCII. secret-path: a name that asks for the content of a
// secret. catch-all-input, as a warning: a name that asks for what the model was told,
// which no tool needs.
func (r *Reviewer) parameter(name string) {
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) >= 0 {
		r.add("name-rule", "a parameter name outside ASCII: %s", text.Name(name))
	}
	if asksForSecret(name) {
		r.add("secret-path", "a parameter named after the content of a secret: %s", text.Name(name))
	}
	if asksForPrompt(name) {
		r.addAs("catch-all-input", true, "a parameter for what the model was told: %s", text.Name(name))
	}
}

// code reports a parameter that takes code, a command or a query in a language
// (takes-code): a free string that is named so, or that is described as what is run. Search
// texts are named query, too, so that name counts only where a language is named.
func (r *Reviewer) code(name string, schema jsontree.Value) {
	const enough = 1024 // bytes of a description
	start := func(v jsontree.Value) string { return v.Text[:min(len(v.Text), enough)] }
	said, kind := start(schema.Get("description")), codeNames()[withoutSeparators(name)]
	if kind == "" && !slices.ContainsFunc(codeVerbs, func(part string) bool { return strings.Contains(said, part) }) || !takesText(schema) {
		return // most
	}
	if kind == "query" {
		said += " " + r.about.Entry + " " + start(r.root.Get("description"))
	}
	noun, verb, language := -maxApart, -maxApart, false
	runs, at := false, 0
	for w := range strings.FieldsFuncSeq(said, func(c rune) bool { return c >= 0x80 || !text.IsAlnum(byte(c)) }) {
		switch at++; codeWords()[strings.ToLower(w)] {
		case "language":
			noun, language = at, true
		case "noun":
			noun = at
		case "verb":
			verb = at
		default:
			continue
		}
		runs = runs || max(noun, verb)-min(noun, verb) <= maxApart
	}
	if kind == "code" || kind == "query" && language || kind != "query" && runs {
		r.add("takes-code", "takes code, a command or a query that is run: %s", text.Name(name))
	}
}

// caseVariant returns the keyword that a name is in another letter case, or "".
func caseVariant(name string) string { return otherCase(schemaKeywords(), name) }

func iconVariant(name string) string { return otherCase(iconMembers(), name) }

func otherCase(names map[string]string, name string) string {
	if names[name] == name {
		return "" // most, and folding costs
	}
	return names[text.FoldASCII(name)]
}

// isIconMember reports whether a path leads to a member of an entry of icons.
func isIconMember(path []jsontree.Step) bool {
	return len(path) == 3 && path[0].Name == "icons" && path[1].Index >= 0
}

// asksForPrompt reports whether a parameter is named after what the model was told.
func asksForPrompt(name string) bool {
	plain := withoutSeparators(name)
	return parameterNames()[plain] == "side" || strings.HasPrefix(name, "_") && parameterNames()["_"+plain] != ""
}

// asksForSecret reports whether a parameter's name asks for the content of a secret: it has a
// word for content, and either words for a source and for a secret or key, or two for keys.
func asksForSecret(name string) bool {
	if len(name) < shortName || len(name) > maxMention {
		return false
	}
	kinds := map[string]int{}
	for w := range strings.FieldsFuncSeq(snakeCase(name), isSeparator) {
		kinds[parameterWords()[w]]++
	}
	return kinds["content"] > 0 && (kinds["source"] > 0 && kinds["secret"]+kinds["key"] > 0 || kinds["key"] > 1)
}

// snakeCase separates the words of camelCase: contentOfSSHKey is content_of_ssh_key.
func snakeCase(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		upper := func(n int) bool { return n < len(name) && name[n] >= 'A' && name[n] <= 'Z' }
		if i > 0 && upper(i) && (!upper(i-1) || i+1 < len(name) && text.IsAlnum(name[i+1]) && !upper(i+1)) {
			b.WriteByte('_')
		}
		b.WriteByte(c)
	}
	return strings.ToLower(b.String())
}

// explains reports whether a description says what a context is for: it has three words or
// more, and none of conversationWords.
func explains(description string) bool {
	if strings.Count(description, " ") < 2 {
		return false
	}
	lower := strings.ToLower(description[:min(len(description), 4096)])
	return !slices.ContainsFunc(conversationWords, func(w string) bool { return strings.Contains(lower, w) })
}

// takesText reports whether a schema takes any string, or is an array whose items do.
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

// catchAll says why an input schema takes anything, or returns "": there is no schema; it
// doesn't restrict the value; it names no parameters; or a parameter takes free text, or a
// list of it, for the context or the history that the model has and no tool needs. An object
// with empty properties is left alone: many servers write that for a tool without parameters.
// additionalProperties that takes anything says the same as none.
func catchAll(sub jsontree.Value) string {
	switch more := sub.Get("additionalProperties"); {
	case sub.Kind == 0:
		return "no input schema"
	case sub.Kind != '{':
		return "an input schema that is no object"
	case says(sub, "properties", "patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "enum", "const", "if") || more.Kind == 'f' || len(more.Members()) > 0:
		why := ""
		schema.Each(&sub, schema.AtSchema, func(s *jsontree.Value) {
			for _, p := range s.Get("properties").Members() {
				if why == "" && !asksForPrompt(p.Name) && parameterNames()[withoutSeparators(p.Name)] == "context" && !explains(p.Value.Get("description").Text) && takesText(p.Value) {
					why = "takes a free text for what the model knows (" + text.Name(p.Name) + ")"
				}
			}
		})
		return why
	case says(sub, "type"):
		return "takes parameters without a name"
	}
	return "takes anything, with neither a type nor parameters"
}

// catchAlls reports in one finding the tools of a capture whose input takes anything. The
// finding is approved if each of them did so before for the same reason. Otherwise it
// names those that didn't.
func (r *Reviewer) catchAlls(before *pin.Set) {
	tools, then, fresh := openInputs(r.own), map[string][]string{}, map[string][]string{}
	if len(tools) == 0 {
		return
	}
	if before != nil {
		then = openInputs(&serverNames{set: before, pins: pinsRead(before)})
	}
	for why, names := range tools {
		for _, name := range names {
			if _, known := slices.BinarySearch(then[why], name); !known {
				fresh[why] = append(fresh[why], name)
			}
		}
	}
	approved := len(fresh) == 0
	if !approved {
		tools = fresh
	}
	var reasons []string
	left := 0
	for i, why := range slices.Sorted(maps.Keys(tools)) {
		shown := 0
		if i < maxReasons {
			shown = min(len(tools[why]), maxListed)
			reasons = append(reasons, why+": "+strings.Join(text.Names(tools[why][:shown]), ", "))
		}
		left += len(tools[why]) - shown
	}
	s := strings.Join(reasons, "; ")
	if left > 0 {
		s += " and " + text.Number(left) + " more"
	}
	r.add("catch-all-input", "%s", s)
	r.list[len(r.list)-1].Approved = approved
}

// openInputs returns the names of the tools whose input takes anything, sorted, by reason.
func openInputs(s *serverNames) map[string][]string {
	if s == nil {
		return nil
	}
	s.asked.Lock()
	defer s.asked.Unlock()
	s.read()
	for _, names := range s.open {
		slices.Sort(names)
	}
	return s.open
}

// hints reports annotations that no client can follow (hint-contradiction): a read-only tool
// that is destructive, a read-only tool whose name says that it writes, and a hint that is
// neither true nor false.
func (r *Reviewer) hints(annotations jsontree.Value) {
	for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if k := annotations.Get(name).Kind; k != 0 && k != 't' && k != 'f' && k != 'n' {
			r.at("annotations", name)
			r.text = annotations.Get(name).Text // "" for an object: the whole definition is what is accepted
			r.addAs("hint-contradiction", true, "neither true nor false: some clients take it for true, others refuse the list")
		}
	}
	if annotations.Get("readOnlyHint").Kind != 't' {
		return
	}
	r.at("annotations")
	if annotations.Get("destructiveHint").Kind == 't' {
		r.add("hint-contradiction", "readOnlyHint and destructiveHint are both true")
	}
	name := r.about.Entry
	_, size := utf8.DecodeRuneInString(name) // create_file and createFile begin with create
	if verb := strings.ToLower(name[:size+text.RunSize(name[size:], smallBytes.has)]); slices.Contains(writingVerbs, verb) {
		r.add("hint-contradiction", "readOnlyHint is true, and the name says %s", text.Name(verb))
	}
}

// dispatches reports a tool that brings in others, which no pin covers: it looks for tools, or its
// inputs are the name of a tool and the arguments for it.
func (r *Reviewer) dispatches() {
	has := "" // the classes of its parameters and of the words of its name
	for _, p := range r.root.Get("inputSchema").Get("properties").Members() {
		has += dispatchInputs()[withoutSeparators(p.Name)]
	}
	if strings.Contains(text.FoldASCII(r.about.Entry), "tool") {
		for word := range strings.FieldsFuncSeq(snakeCase(r.about.Entry), isSeparator) {
			has += dispatchWords()[word]
		}
	}
	says := func(classes ...string) bool {
		return !slices.ContainsFunc(classes, func(class string) bool { return !strings.Contains(has, class) })
	}
	if says("<arguments>", "<tool name>") || says("<arguments>", "<name>", "<call>", "<tool>") || says("<find>", "<tools>") {
		r.at("inputSchema")
		r.add("dispatches", "brings in other tools, which no pin covers")
	}
}

// reference reports a $ref or $dynamicRef that leaves the document (remote-ref): a client
// that follows it loads what nobody pinned. One that doesn't begin with "#" stays inside
// only if it is the $id of a schema in the same input or output schema. Both are resolved
// against the $id of that schema's root (JSON Schema 2020-12 Core, section 8.2).
func (r *Reviewer) reference(v jsontree.Value) {
	if r.text = v.Text; v.Kind != '"' || v.Text == "" || v.Text[0] == '#' {
		return
	}
	if top := r.path[0].Name; r.idsOf != top {
		root := r.root.Get(top)
		r.idsOf, r.ids, r.base = top, map[string]bool{}, nil
		if id := root.Get("$id").Text; len(id) <= maxBase {
			r.base, _ = url.Parse(id)
		}
		schema.Each(&root, schema.AtSchema, func(s *jsontree.Value) {
			if id := s.Get("$id"); id.Kind == '"' && id.Text != "" {
				r.ids[r.resolve(id.Text)] = true
			}
		})
	}
	if !r.ids[r.resolve(v.Text)] {
		r.add("remote-ref", "leaves the document: %s", wholeExcerpt(v.Text))
	}
}

// resolve returns a reference without its fragment, resolved against the root's $id.
func (r *Reviewer) resolve(ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if r.base != nil {
		if u, err := r.base.Parse(ref); err == nil {
			return u.String()
		}
	}
	return ref
}
