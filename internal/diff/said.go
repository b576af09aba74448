package diff

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// What is said in a definition, and what of it joined, went or moved. A person who approves has
// to have seen every sentence, name and value of that, wherever in the definition it stands: a
// client passes the whole definition on, and nobody can say what its model reads.

// Sentences splits a text into sentences, each with the blanks behind it. A sentence ends at the
// end of a line, at a full stop of a script that puts no blank behind it, and at ". ! ? ;" before
// a blank, but not after "e.g." and "i.e.".
func Sentences(s string) (list []string) {
	from := 0
	for at, r := range s {
		next := at + utf8.RuneLen(r)
		ends := strings.ContainsRune("\n。！？।؟", r)
		if strings.ContainsRune(".!?;", r) && (next == len(s) || strings.IndexByte(" \t\r\n", s[next]) >= 0) {
			ends = !strings.HasSuffix(s[:next], "e.g.") && !strings.HasSuffix(s[:next], "i.e.")
		}
		if !ends || at < from {
			continue
		}
		for next < len(s) && strings.IndexByte(" \t\r\n", s[next]) >= 0 {
			next++
		}
		list, from = append(list, s[from:next]), next
	}
	if from < len(s) {
		list = append(list, s[from:])
	}
	return list
}

// A SentenceEdit is whole sentences that went, those that came in their place, and what differs
// between the two.
type SentenceEdit struct {
	Old, New string
	Pieces   []Piece // word by word; nil: the two have too little in common, or one of them is empty
}

// Sentences compares two texts sentence by sentence, and word by word within. All that isn't in the
// edits stands in both texts, in the same order; there are none if only blanks between sentences
// differ. It returns false if the work would exceed the bounds.
func (budget *WordBudget) Sentences(old, new string) (edits []SentenceEdit, ok bool) {
	a, b := Sentences(old), Sentences(new)
	said := func(list []string) (said []string) {
		for _, s := range list {
			said = append(said, strings.TrimSpace(s))
		}
		return said
	}
	steps, ok := budget.align(said(a), said(b))
	if !ok {
		return nil, false
	}
	var went, came []string
	add := func(old, new string) {
		e := SentenceEdit{Old: strings.TrimRight(old, " \t\r\n"), New: strings.TrimRight(new, " \t\r\n")}
		if e.Old == e.New {
			return // a blank line more or less
		}
		// A diff by words across lines would scatter the sentences of both.
		if e.Old != "" && e.New != "" && !strings.Contains(e.Old+e.New, "\n") {
			if e.Pieces = budget.Words(e.Old, e.New); e.Pieces != nil && Rewritten(e.Pieces) {
				e.Pieces = nil
			}
		}
		edits = append(edits, e)
	}
	settle := func() {
		if len(went) == len(came) {
			for i := range went {
				add(went[i], came[i])
			}
		} else {
			add(strings.Join(went, ""), strings.Join(came, ""))
		}
		went, came = nil, nil
	}
	for _, op := range steps {
		switch op {
		case OpKept:
			settle()
			a, b = a[1:], b[1:]
		case OpRemoved:
			went, a = append(went, a[0]), a[1:]
		default:
			came, b = append(came, b[0]), b[1:]
		}
	}
	settle()
	return edits, true
}

// IsDialect reports whether a text is the address of a dialect of JSON Schema.
func IsDialect(s string) bool { return slices.Contains(schemaDialects[:], strings.TrimSuffix(s, "#")) }

// symbols are the values that some keywords and members have by their specification: types and
// formats (JSON Schema 2020-12 Validation, 6.1.1 and 7.3), task support (MCP 2025-11-25).
var symbols = map[string][]string{
	"type": jsonTypes[:],
	"format": strings.Fields(`date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference
 iri iri-reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double binary byte password`),
	"taskSupport": {"forbidden", "optional", "required"},
}

// keywords are the member names that JSON Schema and MCP give a meaning, where they are used as such.
var keywords = strings.Fields(`name title description inputSchema outputSchema annotations readOnlyHint destructiveHint idempotentHint openWorldHint _meta icons execution
 taskSupport $schema $id $ref $defs $anchor $comment $dynamicRef $dynamicAnchor definitions type properties required items additionalProperties patternProperties
 propertyNames enum const default examples anyOf oneOf allOf not if then else format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength
 maxLength minItems maxItems uniqueItems minProperties maxProperties prefixItems contains minContains maxContains dependentRequired dependentSchemas
 unevaluatedProperties unevaluatedItems contentMediaType contentEncoding contentSchema deprecated readOnly writeOnly nullable`)

// Says reports whether there is something to read in what joined or went with a change: a text or
// the name of a member, but for the closed list of what says nothing.
func (c *Change) Says() bool {
	switch {
	case c.Label == labelTitle, c.Label == labelRequiredFollows: // the name in words; names that are shown with their parameters
		return false
	case c.Label == labelTooMany || c.Hidden != [2]int{}:
		return true
	}
	steps, _ := jsontree.Tokens(c.Pointer)
	name, named := "", false // whether a name leads to it, and no index, and that name says something
	if n := len(steps); n > 0 {
		name = steps[n-1]
		named = (n == 1 || strings.Trim(name, "0123456789") != "") && !slices.Contains(keywords, name)
	}
	return named && (c.Old.Kind == 0) != (c.New.Kind == 0) || says(&c.Old, &c.New, name) || says(&c.New, &c.Old, name)
}

// says reports whether a value has a text or a member name that says something, and that the other one doesn't list.
func says(v, other *jsontree.Value, name string) (found bool) {
	var listed map[string]bool // of the other one, once a text has to be looked up in it
	schema.Visit(v, schema.Keyword(name), func(part *jsontree.Value, of, _ schema.Position, path []jsontree.Step) {
		keyword := name
		for i := range path {
			if path[i].Index < 0 {
				keyword = path[i].Name
			}
		}
		if n := len(path); n > 0 && path[n-1].Index < 0 {
			found = found || of == schema.AtNamed || of == schema.AtProperties || !slices.Contains(keywords, keyword)
		}
		if found || part.Kind != '"' || isSymbol(part.Text, keyword) {
			return
		}
		if listed == nil {
			listed = textsIn(other)
		}
		found = !listed[part.Text]
	})
	return found
}

// textsIn is the set of the texts that a list has as items.
func textsIn(list *jsontree.Value) map[string]bool {
	set := make(map[string]bool, len(list.Items()))
	for _, item := range list.Items() {
		if item.Value.Kind == '"' {
			set[item.Value.Text] = true
		}
	}
	return set
}

func isSymbol(s, name string) bool {
	return s == "" || slices.Contains(symbols[name], s) || name == "$schema" && IsDialect(s)
}

// Guards counts the words of a text that hold a tool back: what an approved text must not lose
// unseen, and is worth reading first where it does.
func Guards(s string) (n int) {
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') }) {
		if slices.Contains([]string{"not", "never", "only", "must", "ask", "asks", "confirm", "confirms", "don't", "doesn't", "won't", "cannot", "can't", "without"}, word) {
			n++
		}
	}
	return n
}

// AsksLess reports whether clients ask less because of a change with the label.
func (l Label) AsksLess() bool { return l == labelTowardsSafe || l == labelLessCare }
