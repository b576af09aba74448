package report

import (
	"slices"
	"strings"
	"unicode"

	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// What a new tool could do is judged by what it declares and by what it takes. Hints are the
// server's own claims (MCP 2025-06-18, ToolAnnotations): they sort what is read, and decide
// nothing. So a tool that takes code is read early whatever it claims.

// A danger is what a tool declares and takes, as far as it is read early for that.
type danger struct {
	hints       [4]byte // of hintNames: 't', 'f', or 0 where it isn't declared as a boolean
	code, place bool    // it takes code; it takes a path, an address or a query as free text
}

// hintNames are the hints of a tool, each with the words for true and for false. No two
// have the same words, so that they can stand for the hint where a tool is shown.
var hintNames = [4]struct{ name, yes, no string }{
	{"destructiveHint", "destructive", "not destructive"},
	{"readOnlyHint", "read-only", "writes"},
	{"openWorldHint", "open world", "closed world"},
	{"idempotentHint", "idempotent", "not idempotent"},
}

// Indexes of hintNames.
const (
	destructive = iota
	readOnly
	openWorld
)

// dangerOf reads a definition. notes are the findings in it.
func dangerOf(p *pin.Pin, notes []lint.Finding) (d danger) {
	d.code = slices.ContainsFunc(notes, func(f lint.Finding) bool { return f.ID == "takes-code" })
	if p == nil || p.Type != pin.Tools || p.Definition == nil {
		return d
	}
	tree := p.Tree()
	d.hints = hintsOf(tree.Get("annotations"))
	input := tree.Get("inputSchema")
	schema.Visit(&input, schema.AtSchema, func(v *jsontree.Value, of, _ schema.Position, path []jsontree.Step) {
		d.place = d.place || of == schema.AtProperties && namesPlace(path[len(path)-1].Name) && isFreeText(v)
	})
	return d
}

func hintsOf(annotations jsontree.Value) (hints [4]byte) {
	for i, hint := range hintNames {
		if v := annotations.Get(hint.name); v.Kind == 't' || v.Kind == 'f' {
			hints[i] = v.Kind
		}
	}
	return hints
}

// namesPlace reports whether the last word of a parameter's name says that it takes a
// path, an address or a query.
func namesPlace(name string) bool {
	isUpper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	word := name[strings.LastIndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	at := len(word) // of the last word of pageURL, filePath
	for at > 0 && isUpper(word[at-1]) {
		at--
	}
	if at == len(word) {
		at = max(0, strings.LastIndexFunc(word, unicode.IsUpper))
	}
	word = word[at:]
	return slices.Contains([]string{"path", "paths", "file", "files", "filename", "folder", "directory", "dir", "url", "urls", "uri", "uris", "href",
		"host", "address", "query", "filter", "selector"}, strings.ToLower(word))
}

// isFreeText reports whether a schema takes a text that isn't one of a few.
func isFreeText(v *jsontree.Value) bool {
	if v.Has("enum") || v.Has("const") {
		return false
	}
	for _, items := range []jsontree.Value{*v, v.Get("items")} {
		t := items.Get("type")
		if t.Text == "string" || slices.ContainsFunc(t.Items(), func(m jsontree.Member) bool { return m.Value.Text == "string" }) {
			return true
		}
	}
	return false
}

// rank orders tools, the most dangerous first: what destroys, reaches out, declares nothing
// or takes code before what writes, and that before what only reads; in each of these, what
// takes code first, then what takes a path, an address or a query.
func (d *danger) rank() int {
	claim := 2
	switch {
	case d.hints[destructive] == 't' || d.hints[openWorld] == 't' || !d.declares() || d.code:
		claim = 0
	case d.hints[readOnly] != 't':
		claim = 1
	}
	takes := 3
	switch {
	case d.code:
		takes = 0
	case d.hints[destructive] == 't':
		takes = 1
	case d.place:
		takes = 2
	}
	return 4*claim + takes
}

// declares reports whether a hint says what the tool may do.
func (d *danger) declares() bool {
	return d.hints[destructive]|d.hints[readOnly]|d.hints[openWorld] != 0
}

// onlyWrites reports whether the hints say that the tool does more than read, and don't say
// that it destroys. "Not destructive" says so, too: it means nothing for a tool that only
// reads (MCP 2025-06-18, ToolAnnotations).
func (d *danger) onlyWrites() bool {
	return d.hints[readOnly] == 'f' && d.hints[destructive] != 't' || d.hints[readOnly] == 0 && d.hints[destructive] == 'f'
}

// dangers are those of several tools.
type dangers []danger

// words says in a few words what the tools declare and take: each word that is true of one.
func (list dangers) words() []string {
	var said []string
	add := func(word string, is func(d danger) bool) {
		if slices.ContainsFunc(list, is) {
			said = append(said, word)
		}
	}
	add("destructive", func(d danger) bool { return d.hints[destructive] == 't' })
	add("takes code", func(d danger) bool { return d.code }) // early, for a table may cut the rest
	add("read-only", func(d danger) bool { return d.hints[readOnly] == 't' })
	add("writes", func(d danger) bool { return d.onlyWrites() })
	add("open world", func(d danger) bool { return d.hints[openWorld] == 't' })
	add("no hints", func(d danger) bool { return !d.declares() })
	return said
}

// dangerText counts what the new tools among some groups declare and take: "2 destructive, 1
// takes code". With names it names those: "2 destructive: drop, wipe; 1 takes code: run".
func (r *Report) dangerText(groups []*group, names bool) string {
	var parts []string
	count := func(one, many string, named bool, is func(d *danger) bool) {
		var refs []string
		for _, g := range groups {
			for _, i := range g.drifts {
				if d := &r.Drifts[i]; d.Kind == pin.Added && d.Type == pin.Tools && is(&r.dangers[i]) {
					refs = append(refs, shortRef(d.Type, d.Name))
				}
			}
		}
		if len(refs) == 0 {
			return
		}
		said := text.Number(len(refs)) + " " + many
		if len(refs) == 1 {
			said = "1 " + one
		}
		if named && names {
			said += ": " + text.List(refs, maxTitleNames)
		}
		parts = append(parts, said)
	}
	count("destructive", "destructive", true, func(d *danger) bool { return d.hints[destructive] == 't' })
	count("takes code", "take code", true, func(d *danger) bool { return d.code })
	count("writes", "write", false, (*danger).onlyWrites)
	count("open world", "open world", false, func(d *danger) bool { return d.hints[openWorld] == 't' })
	count("without hints", "without hints", false, func(d *danger) bool { return !d.declares() })
	if names {
		return strings.Join(parts, "; ")
	}
	return strings.Join(parts, ", ")
}
