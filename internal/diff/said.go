package diff

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// This file finds what a definition says, and what of that was added, removed or moved. A person who
// approves has to have seen every sentence, name and value of it, wherever in the definition it is: a
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
		list = append(list, s[from:next])
		from = next
	}
	if from < len(s) {
		list = append(list, s[from:])
	}
	return list
}

// A SentenceEdit is whole sentences that were removed, those that came in their place, and what differs
// between the two.
type SentenceEdit struct {
	Old, New string

	// Word by word; nil: the two have too little in common, or one of them is empty.
	Pieces []Piece

	// Where in the text the edit is. If Old is empty, Before and After are the ends of the sentences beside the edit.
	// If the old text has Old or these ends more than once, Number is how many sentences come before the edit. An edit
	// that only adds something, and has none of these fields, adds it at the end.
	Before, After string
	First         bool // it adds something at the beginning
	Number        int
}

// Sentences compares two texts sentence by sentence, and word by word within. All that isn't in the
// edits is in both texts, in the same order. If only blanks between sentences differ, there are no
// edits. It returns false if the work would exceed the bounds.
func (budget *WordBudget) Sentences(old, new string) (edits []SentenceEdit, ok bool) {
	a := Sentences(old)
	b := Sentences(new)
	trimmed := trimAll(a)
	steps, ok := budget.align(trimmed, trimAll(b))
	if !ok {
		return nil, false
	}
	r := rewording{budget: budget, old: trimmed}
	for _, op := range steps {
		switch op {
		case OpKept:
			r.settle()
			r.passed++
			a = a[1:]
			b = b[1:]
		case OpRemoved:
			r.went = append(r.went, a[0])
			a = a[1:]
		default:
			r.came = append(r.came, b[0])
			b = b[1:]
		}
	}
	r.settle()
	return r.edits, true
}

// trimAll are texts without the blanks around them.
func trimAll(list []string) (trimmed []string) {
	for _, s := range list {
		trimmed = append(trimmed, strings.TrimSpace(s))
	}
	return trimmed
}

// A rewording collects the edits of a text, in its order.
type rewording struct {
	budget     *WordBudget
	old        []string // the sentences of the old text, trimmed
	passed     int      // how many of them come before went
	went, came []string // since the last sentence that was kept
	edits      []SentenceEdit

	// How often the old text has each sentence; nil: not counted yet.
	times map[string]int

	// How often it has neighbouring sentences with these ends: the last words of one and the first of the next.
	gaps map[[2]string]int
}

// settle makes edits of what was removed and what was added since the last sentence that was kept.
func (r *rewording) settle() {
	if len(r.went) == len(r.came) {
		for i := range r.went {
			r.add(r.went[i], r.came[i], r.passed+i, r.passed+i+1)
		}
	} else {
		r.add(strings.Join(r.went, ""), strings.Join(r.came, ""), r.passed, r.passed+len(r.went))
	}
	r.passed += len(r.went)
	r.went = nil
	r.came = nil
}

// add adds the edit of the old text's sentences between two indexes.
func (r *rewording) add(old, new string, from, to int) {
	e := SentenceEdit{Old: strings.TrimRight(old, " \t\r\n"), New: strings.TrimRight(new, " \t\r\n")}
	if e.Old == e.New {
		return // a blank line more or less
	}
	// A diff by words across lines would scatter the sentences of both.
	if e.Old != "" && e.New != "" && !strings.Contains(e.Old+e.New, "\n") {
		e.Pieces = r.budget.Words(e.Old, e.New)
		if e.Pieces != nil && Rewritten(e.Pieces) {
			e.Pieces = nil
		}
	}
	r.locate(&e, from, to)
	r.edits = append(r.edits, e)
}

// locate notes where in the text an edit is, if what was removed doesn't tell.
func (r *rewording) locate(e *SentenceEdit, from, to int) {
	if from == len(r.old) {
		return // at its end
	}
	if r.times == nil {
		r.times = map[string]int{}
		r.gaps = map[[2]string]int{}
		for i, s := range r.old {
			r.times[s]++
			r.gaps[r.ends(i, i)]++
		}
	}
	if to > from {
		if r.times[r.old[from]] > 1 {
			e.Number = from
		}
		return
	}
	if from == 0 {
		e.First = true
		return
	}
	ends := r.ends(from, from)
	e.Before = ends[0]
	e.After = ends[1]
	if r.gaps[ends] > 1 {
		e.Number = from
	}
}

// ends returns the last words of the sentence before one index, and the first words of the sentence at
// another index.
func (r *rewording) ends(before, after int) (ends [2]string) {
	if before > 0 {
		ends[0] = lastWords(r.old[before-1])
	}
	if after < len(r.old) {
		ends[1] = firstWords(r.old[after])
	}
	return ends
}

const (
	endWords = 3 // of a sentence beside an edit

	// The most characters of them, where words are long or have no blanks.
	endRunes = 32
)

// lastWords are the last few words of a sentence.
func lastWords(s string) string {
	words := strings.Fields(s)
	said := []rune(strings.Join(words[max(0, len(words)-endWords):], " "))
	return string(said[max(0, len(said)-endRunes):])
}

// firstWords are the first few words of a sentence.
func firstWords(s string) string {
	words := strings.Fields(s)
	said := []rune(strings.Join(words[:min(len(words), endWords)], " "))
	return string(said[:min(len(said), endRunes)])
}

// IsDialect reports whether a text is the address of a dialect of JSON Schema.
func IsDialect(s string) bool { return slices.Contains(schemaDialects[:], strings.TrimSuffix(s, "#")) }

// symbols are the values that some keywords and members have by their specification: types and
// formats (JSON Schema 2020-12 Validation, 6.1.1 and 7.3), task support (MCP 2025-11-25).
var symbols = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"type": jsonTypes[:],
		"format": strings.Fields(`date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference
 iri iri-reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double binary byte password`),
		"taskSupport": {"forbidden", "optional", "required"},
	}
})

// keywords are the member names that JSON Schema and MCP give a meaning, where they are used as such.
var keywords = sync.OnceValue(func() []string {
	return strings.Fields(`name title description inputSchema outputSchema annotations readOnlyHint destructiveHint idempotentHint openWorldHint _meta icons execution
 taskSupport $schema $id $ref $defs $anchor $comment $dynamicRef $dynamicAnchor definitions type properties required items additionalProperties patternProperties
 propertyNames enum const default examples anyOf oneOf allOf not if then else format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength
 maxLength minItems maxItems uniqueItems minProperties maxProperties prefixItems contains minContains maxContains dependentRequired dependentSchemas
 unevaluatedProperties unevaluatedItems contentMediaType contentEncoding contentSchema deprecated readOnly writeOnly nullable`)
})

// Says reports whether there is something to read in what a change added or removed: a text or the name
// of a member, except for the closed lists of names and values that say nothing.
func (c *Change) Says() bool {
	switch {
	// A title that is the name in words, or required names, which are shown with their parameters.
	case c.Label == label.Title, c.Label == label.RequiredFollows:
		return false
	case c.Label == label.TooMany || c.Hidden != [2]int{}:
		return true
	}
	steps, _ := jsontree.Tokens(c.Pointer)
	name := ""
	// Whether the last step to the change is a name, not an index, and that name says something.
	named := false
	if n := len(steps); n > 0 {
		name = steps[n-1]
		named = (n == 1 || strings.Trim(name, "0123456789") != "") && !slices.Contains(keywords(), name)
	}
	return named && (c.Old.Kind == 0) != (c.New.Kind == 0) || says(&c.Old, &c.New, name) || says(&c.New, &c.Old, name)
}

// says reports whether a value has a member name or a text that says something. Texts that the other value has as items
// don't count.
func says(v, other *jsontree.Value, name string) (found bool) {
	// The texts of the other value, once one has to be looked up there.
	var listed map[string]bool
	schema.Visit(v, schema.Keyword(name), func(part *jsontree.Value, of, _ schema.Position, path []jsontree.Step) {
		keyword := name
		for i := range path {
			if path[i].Index < 0 {
				keyword = path[i].Name
			}
		}
		if n := len(path); n > 0 && path[n-1].Index < 0 {
			found = found || of == schema.AtNamed || of == schema.AtProperties || !slices.Contains(keywords(), keyword)
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
	return s == "" || slices.Contains(symbols()[name], s) || name == "$schema" && IsDialect(s)
}
