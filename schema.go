package main

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A schemaUse is how a schema bears on the input.
type schemaUse int

const (
	usePlain   schemaUse = 1 << iota // what it takes, the input takes
	useNegated                       // it stands under not
	useTested                        // it stands under if
)

// Schemas hold what is worked out once for all changes of a tool, so that
// each of them costs no more than its own size and the way to it.
type schemas struct {
	tools    [2]*value                  // old and new
	uses     map[*value]schemaUse       // of the schemas in both inputs; nil: not yet worked out
	lost     bool                       // a reference leads where we can't follow: any definition may be used
	required map[*value]map[string]bool // the names that a schema requires
}

// A spot is where in a schema a change is.
type spot struct {
	around  [2]*value // the innermost schema around it, old and new
	root    bool      // which is the whole input or output schema
	keyword string    // the member of that schema that the change is at or in
	inside  []string  // the way on from there
	held    bool      // the change is at a whole schema that the keyword holds:
	schema  [2]*value // this one, nil where absent
}

// locate follows a path from a root schema. It tells schemas from data and names
// from keywords by their position (JSON Schema 2020-12 Core, 10 and 11), and takes
// for a schema what a reference uses as one, wherever it stands.
func (l *schemas) locate(root string, path []string) (s spot) {
	at := [2]*value{stepTo(l.tools[0], root), stepTo(l.tools[1], root)}
	is := func(kind byte) bool {
		return at[0] != nil && byte(at[0].kind) == kind || at[1] != nil && byte(at[1].kind) == kind
	}
	holds := holdsSchema // what at is: a schema, several, or something else
	for i, token := range path {
		switch holds {
		case holdsSchema:
			s = spot{around: at, root: i == 0, keyword: token, inside: path[i+1:]}
			holds = schemaKeyword(token)
		case holdsSchemas, holdsNamedSchemas:
			holds = holdsSchema
		}
		at = [2]*value{stepTo(at[0], token), stepTo(at[1], token)}
		switch {
		case holds == holdsSchemas && !is('['):
			holds = holdsSchema // draft-07 has one schema in items, too
		case holds == holdsNamedSchemas && is('['):
			holds = holdsOther
		}
		if holds == holdsOther && l.uses[at[0]]|l.uses[at[1]] != 0 {
			holds = holdsSchema
		}
	}
	s.held, s.schema = holds == holdsSchema, at
	return s
}

// holds says what schemas stand in the values of a change.
func (s *spot) holds() int {
	switch {
	case s.held:
		return holdsSchema
	case len(s.inside) == 0:
		return schemaKeyword(s.keyword)
	}
	return holdsOther
}

// member is a member of the schema around, old (0) or new (1), or nil.
func (s *spot) member(side int, name string) *value { return stepTo(s.around[side], name) }

// defines reports whether the change is at a schema, or at several, that bear on
// the input only through references.
func (s *spot) defines() bool {
	return isDefinitions(s.keyword) && len(s.inside) < 2 || s.held && schemaKeyword(s.keyword) == holdsOther
}

func isDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// stepTo returns the member or element of v that a token of a JSON Pointer names
// (RFC 6901, section 4), or nil. Members are sorted, as in canonical forms.
func stepTo(v *value, token string) *value {
	switch {
	case v == nil:
	case v.kind == '{':
		i, ok := slices.BinarySearchFunc(v.members, token, func(m namedValue, name string) int { return compareUTF16(m.name, name) })
		if ok {
			return &v.members[i].value
		}
	case v.kind == '[':
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.items) && strconv.Itoa(i) == token {
			return &v.items[i]
		}
	}
	return nil
}

// textOf is the text of a string, of anything else none.
func textOf(v *value) string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// eachSchema calls f for each schema that stands directly in the value of a keyword.
func eachSchema(v *value, holds int, f func(*value)) {
	switch {
	case holds == holdsSchema, holds == holdsSchemas && v.kind != '[':
		f(v)
	case holds == holdsSchemas:
		for i := range v.items {
			f(&v.items[i])
		}
	case holds == holdsNamedSchemas:
		for i := range v.members {
			f(&v.members[i].value)
		}
	}
}

// eachInner is eachSchema at every depth.
func eachInner(v *value, holds int, f func(*value)) {
	eachSchema(v, holds, func(s *value) {
		f(s)
		for i := range s.members {
			eachInner(&s.members[i].value, schemaKeyword(s.members[i].name), f)
		}
	})
}

// headerKeyword makes an HTTP client copy an argument into a request header
// (MCP 2026-07-28).
const headerKeyword = "x-mcp-header"

func exportsArgument(v *value, holds int) bool {
	found := false
	eachInner(v, holds, func(s *value) { found = found || s.kind == '{' && stepTo(s, headerKeyword) != nil })
	return found
}

// findUses works out how each schema of both inputs bears on the input. Those under
// $defs do so only through references (JSON Schema 2020-12 Core, 8.2). Each
// schema is visited once for each use of it.
func (l *schemas) findUses() {
	l.uses = map[*value]schemaUse{}
	type visit struct {
		schema *value
		use    schemaUse
	}
	var queue []visit
	enter := func(s *value, u schemaUse) {
		if s != nil && l.uses[s]&u == 0 {
			l.uses[s] |= u
			queue = append(queue, visit{s, u})
		}
	}
	for _, tool := range l.tools {
		root := stepTo(tool, "inputSchema")
		enter(root, usePlain)
		for len(queue) > 0 {
			v := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for i := range v.schema.members {
				m, u := &v.schema.members[i], v.use
				switch m.name {
				case "$defs", "definitions":
					continue
				case "$ref":
					enter(l.resolve(root, textOf(&m.value)), u)
				case "$dynamicRef", "$recursiveRef":
					l.lost = true
				case "$id":
					l.lost = l.lost || v.schema != root // references in there count from it
				case "not":
					if u != useTested {
						u = usePlain + useNegated - u
					}
				case "if":
					u = useTested
				}
				eachSchema(&m.value, schemaKeyword(m.name), func(s *value) { enter(s, u) })
			}
		}
	}
}

// resolve returns what a reference inside the document names: its fragment is a
// percent-encoded JSON Pointer (RFC 6901, section 6). Anchors and other documents
// are not looked for; there, and below a definition, any definition may be used.
func (l *schemas) resolve(root *value, ref string) *value {
	fragment, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	path, ok := pointerTokens(pointer)
	if !local || err != nil || !ok {
		l.lost = true
		return nil
	}
	at := root
	for i, token := range path {
		at = stepTo(at, token)
		l.lost = l.lost || isDefinitions(token) && len(path) != i+2
	}
	return at
}

// useOf is the use of a schema, old or new; 0 if no reference leads to it.
func (l *schemas) useOf(schema [2]*value) schemaUse {
	u := l.uses[schema[0]] | l.uses[schema[1]]
	if u == 0 && l.lost {
		return usePlain
	}
	return u
}

// useAt is the use of what a change is said of: of definitions their own, of
// anything else that of the schema around it.
func (l *schemas) useAt(c change, s spot) (u schemaUse) {
	switch {
	case !s.defines():
		return l.useOf(s.around)
	case s.held:
		return l.useOf(s.schema)
	}
	for _, v := range [2]value{c.old, c.new} {
		eachSchema(&v, holdsNamedSchemas, func(d *value) { u |= l.useOf([2]*value{d}) })
	}
	return u
}
