// Package normal rewrites schemas into a normal form. Two schemas have the same form only if they accept the same
// values, and a reader finds the same texts, names and values in both, for the same parts of an accepted value.
//
// Each rewriting preserves both. Schemas that no rewriting covers stay as they are, so two schemas that mean the same
// may have different forms. In a form, each subschema is replaced by the digest of its own form, so a schema that is
// referenced a thousand times is rewritten once.
package normal

import (
	"crypto/sha256"
	"encoding/hex"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// NormalForms has the normal forms of a whole schema and of the subschemas that it uses. A definition is used only if a
// reference leads to it.
type NormalForms struct {
	root   *jsontree.Value
	budget *effort.Budget

	// Titles, descriptions and comments are left out.
	noProse bool

	of       map[*jsontree.Value]form
	byDigest map[string]jsontree.Value

	// Schemas whose form is being made.
	open map[*jsontree.Value]bool

	// A reference leads to a schema that is neither a definition nor the whole schema. If that is rewritten, the
	// reference leads elsewhere, so only the whole schema is compared.
	refersInside bool

	// Dialects of JSON Schema read the whole schema in different ways.
	dialectMatters bool

	// There is no form: it isn't clear what a keyword means, a reference leads to no schema or to one that it is in, or
	// the budget is too small.
	failed bool

	// A digest of what every comparison includes: the places of arguments that are sent as headers, because clients look
	// for these only at certain places.
	context string
}

// A form is the result of rewriting a schema.
type form struct {
	// The schema with each keyword rewritten separately.
	keywords jsontree.Value

	digest string

	// The digests that keywordDigest has computed.
	ofKeyword map[string]string
}

// maxDepth is the maximum nesting depth of schemas, directly or through references. Real schemas have a dozen levels.
const maxDepth = 200

// NewForms computes the forms of a whole schema of the tool called name. With noProse, they have no titles,
// descriptions and comments.
func NewForms(budget *effort.Budget, root *jsontree.Value, name string, noProse bool) *NormalForms {
	f := &NormalForms{
		root:     root,
		budget:   budget,
		noProse:  noProse,
		of:       map[*jsontree.Value]form{},
		byDigest: map[string]jsontree.Value{},
		open:     map[*jsontree.Value]bool{},
	}
	f.failed = !IsUnderstood(root)
	f.dialectMatters = dialectMatters(root)
	f.digest(root, name)
	context := map[string]jsontree.Value{}
	schema.Visit(root, schema.AtSchema, func(v *jsontree.Value, _, at schema.Position, path []jsontree.Step) {
		if !f.failed && at == schema.AtSchema && v.Has(schema.HeaderKeyword) {
			pointer := ""
			for _, step := range path {
				pointer = jsontree.ExtendPointer(pointer, schema.PointerToken(step))
			}
			f.failed = !f.budget.Spend(len(pointer))
			context[pointer] = v.Get(schema.HeaderKeyword)
		}
	})
	f.context = f.sum(jsontree.ObjectFromMap(context))
	return f
}

// Uses reports whether the whole schema uses v, a subschema of it, and the forms could be computed.
func (f *NormalForms) Uses(v *jsontree.Value) bool {
	_, known := f.of[v]
	return known && !f.failed
}

// Equal reports whether an old and a new schema have the same form, and so have all schemas that they refer to.
func Equal(before, after *NormalForms, old, new *jsontree.Value) bool {
	return before.comparable(after, old, new) && before.of[old].digest == after.of[new].digest &&
		(old == before.root && new == after.root || !before.refersInside && !after.refersInside)
}

// EqualKeyword reports whether a keyword of an old and of a new schema has the same form in both, regardless of the
// other keywords.
func EqualKeyword(before, after *NormalForms, old, new *jsontree.Value, keyword string) bool {
	isEqual := before.keywordDigest(old, keyword) == after.keywordDigest(new, keyword)
	isSchema := before.of[old].keywords.Kind == '{' && after.of[new].keywords.Kind == '{' // else there are no keywords
	return isSchema && isEqual && before.comparable(after, old, new) && !schema.IsDefinitions(keyword) && !before.refersInside && !after.refersInside
}

// keywordDigest returns the digest of the form of a keyword of a schema. It computes the digest once, because every
// change in the keyword asks for it.
func (f *NormalForms) keywordDigest(v *jsontree.Value, keyword string) string {
	of := f.of[v]
	digest, known := of.ofKeyword[keyword]
	if form := of.keywords.Get(keyword); !known && form.Kind != 0 {
		digest = f.sum(form)
		of.ofKeyword[keyword] = digest
	}
	return digest
}

func (f *NormalForms) comparable(after *NormalForms, old, new *jsontree.Value) bool {
	isSameDialect := jsontree.Equal(f.root.Get("$schema"), after.root.Get("$schema"))
	return f.Uses(old) && after.Uses(new) && f.context == after.context && (isSameDialect || !f.dialectMatters && !after.dialectMatters)
}

// refersToRoot reports whether a reference leads to the whole schema.
func refersToRoot(root *jsontree.Value) bool {
	found := false
	schema.EachSchema(root, schema.AtSchema, func(s *jsontree.Value) {
		to, _ := schema.ResolveSchema(root, jsontree.Lookup(s, "$ref"))
		found = found || to == root
	})
	return found
}

// sum returns the digest of a form, and adds the form to byDigest.
func (f *NormalForms) sum(form jsontree.Value) string {
	text := jsontree.Append(nil, form)
	if f.failed || !f.budget.Spend(len(text)) {
		f.failed = true
		return ""
	}
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	f.byDigest[digest] = form
	return digest
}

// digest returns the digest of the form of a schema. name is the name of the parameter, definition or tool that the
// schema is for.
func (f *NormalForms) digest(v *jsontree.Value, name string) string {
	if form, known := f.of[v]; known {
		return form.digest
	}
	if f.failed || len(f.open) > maxDepth {
		f.failed = true
		return ""
	}
	f.open[v] = true
	defer delete(f.open, v)
	made := form{keywords: *v, ofKeyword: map[string]string{}}
	whole := *v
	switch v.Kind {
	case 't':
		whole = jsontree.Object()
	case '{':
		made.keywords = f.keywords(v, name)
		whole = f.rewritten(made.keywords)
		if v == f.root && isType(whole, "object") {
			whole = WithoutMembers(whole, "type")
		}
	}
	made.digest = f.sum(whole)
	f.of[v] = made
	return made.digest
}
