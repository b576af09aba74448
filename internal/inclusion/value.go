package inclusion

import (
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
)

// An answer says whether a value fits a schema.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// and is the answer to whether two things are true at once.
func (a answer) and(b answer) answer {
	if a == no || b == no {
		return no
	}
	if a == yes && b == yes {
		return yes
	}
	return unknown
}

// not is the answer to the opposite question.
func (a answer) not() answer {
	switch a {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}

// is turns what is known for certain into an answer.
func is(known bool) answer {
	if known {
		return yes
	}
	return no
}

// typeOf is the type of a value.
func typeOf(v *jsontree.Value) types {
	switch v.Kind {
	case '[':
		return typeArray
	case '{':
		return typeObject
	case '"':
		return typeString
	case 'n':
		return typeNull
	case '0':
		n := numberOf(v)
		if n != nil && n.IsInt() {
			return typeInteger
		}
		return typeFraction
	}
	return typeBoolean
}

// fits tells whether a value fits a schema. Where fitsKeyword can't decide a keyword, the answer is
// unknown, unless another keyword refuses the value.
func (p *prover) fits(v *jsontree.Value, n node, depth int) answer {
	p.steps--
	if p.steps < 0 || depth > maxDepth {
		return unknown
	}
	switch n.value.Kind {
	case 'f':
		return no
	case '{':
	default:
		return yes
	}
	all := yes
	hides := n.get("$ref") != nil && p.documents[n.side].dialect == dialectDraft
	for _, m := range n.value.Members() {
		one := p.fitsKeyword(v, n, m.Name, depth)
		if hides && m.Name != "$ref" && one == no {
			one = unknown // a reader may ignore the keyword
		}
		all = all.and(one)
		if all == no {
			return no
		}
	}
	return all
}

// fitsKeyword tells whether a value fits one keyword of a schema.
func (p *prover) fitsKeyword(v *jsontree.Value, n node, name string, depth int) answer {
	value := n.get(name)
	switch name {
	case "$ref":
		target := p.target(n, value)
		if target.value == nil {
			return unknown
		}
		return p.fits(v, target, depth+1)
	case "type":
		allowed, ok := typesOf(value)
		if !ok || typeOf(v) == typeNull && isTrue(n.get("nullable")) {
			return unknown
		}
		return is(allowed&typeOf(v) != 0)
	case "const":
		return is(jsontree.Equal(*v, *value))
	case "enum":
		for _, item := range itemsOf(value) {
			if jsontree.Equal(*v, *item) {
				return yes
			}
		}
		return no
	case "allOf", "anyOf", "oneOf":
		return p.fitsSeveral(v, n, name, depth)
	case "not":
		return p.fits(v, n.below(value), depth+1).not()
	}
	_, known := ruleOf(name)
	if !known {
		return yes
	}
	if about(name)&typeOf(v) == 0 {
		return yes
	}
	return p.fitsBound(v, n, name, depth)
}

// about returns the types that a keyword says something about (Validation, 6; Core, 10.3).
func about(keyword string) types {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return typeNumber
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema":
		return typeString
	case "minItems", "maxItems", "uniqueItems", "items", "prefixItems", "additionalItems", "contains", "minContains", "maxContains", "unevaluatedItems":
		return typeArray
	case "minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties", "propertyNames",
		"dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties":
		return typeObject
	}
	return allTypes
}

// fitsSeveral tells whether a value fits a list of schemas.
func (p *prover) fitsSeveral(v *jsontree.Value, n node, name string, depth int) answer {
	counts := map[answer]int{}
	items := itemsOf(n.get(name))
	for _, item := range items {
		counts[p.fits(v, n.below(item), depth+1)]++
	}
	switch name {
	case "allOf":
		if counts[no] > 0 {
			return no
		}
		if counts[unknown] > 0 {
			return unknown
		}
		return yes
	case "anyOf":
		if counts[yes] > 0 {
			return yes
		}
		if counts[unknown] > 0 {
			return unknown
		}
		return no
	}
	if counts[yes] > 1 {
		return no
	}
	if counts[unknown] > 0 {
		return unknown
	}
	return is(counts[yes] == 1)
}

// fitsBound tells whether a value of the keyword's own type fits it.
func (p *prover) fitsBound(v *jsontree.Value, n node, name string, depth int) answer {
	bound := n.get(name)
	switch name {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return fitsLimit(numberOf(v), n, name)
	case "multipleOf":
		factor := numberOf(bound)
		own := numberOf(v)
		if factor == nil || own == nil || factor.Sign() <= 0 {
			return unknown
		}
		return is(new(big.Rat).Quo(own, factor).IsInt())
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return fitsSize(v, numberOf(bound), name)
	case "pattern":
		return matches(bound, v.Text)
	case "required":
		for _, required := range namesIn(bound) {
			if jsontree.Lookup(v, required) == nil {
				return no
			}
		}
		return yes
	case "properties", "additionalProperties":
		return p.fitsProperties(v, n, name, depth)
	case "items":
		if bound.Kind == '[' || n.get("prefixItems") != nil {
			return unknown
		}
		all := yes
		for _, item := range itemsOf(v) {
			all = all.and(p.fits(item, n.below(bound), depth+1))
		}
		return all
	}
	return unknown
}

// fitsLimit tells whether a number fits a limit. It isn't decided for a number right at the limit if
// exclusiveMinimum or exclusiveMaximum is true, as in draft-04.
func fitsLimit(own *big.Rat, n node, name string) answer {
	limit := numberOf(n.get(name))
	if limit == nil || own == nil {
		return unknown
	}
	order := own.Cmp(limit)
	if strings.HasSuffix(strings.ToLower(name), "maximum") {
		order = -order
	}
	if order == 0 && (isTrue(n.get("exclusiveMinimum")) || isTrue(n.get("exclusiveMaximum"))) {
		return unknown
	}
	return is(order > 0 || order == 0 && !strings.HasPrefix(name, "exclusive"))
}

// fitsSize tells whether a text has as many characters, or an array or object as many parts, as a
// keyword asks for.
func fitsSize(v *jsontree.Value, limit *big.Rat, name string) answer {
	if limit == nil {
		return unknown
	}
	size := len(v.Parts)
	if v.Kind == '"' {
		size = utf8.RuneCountInString(v.Text)
	}
	order := new(big.Rat).SetInt64(int64(size)).Cmp(limit)
	if strings.HasPrefix(name, "max") {
		order = -order
	}
	return is(order >= 0)
}

// fitsProperties tells whether the members of an object fit what properties says of their names or,
// for additionalProperties, whether those that properties doesn't name fit that.
func (p *prover) fitsProperties(v *jsontree.Value, n node, name string, depth int) answer {
	if name == "additionalProperties" && n.get("patternProperties") != nil {
		return unknown
	}
	all := yes
	for i := range v.Members() {
		m := &v.Parts[i]
		schema := jsontree.Lookup(n.get("properties"), m.Name)
		if name == "additionalProperties" {
			if schema != nil {
				continue
			}
			schema = n.get(name)
		}
		if schema != nil {
			all = all.and(p.fits(&m.Value, n.below(schema), depth+1))
		}
	}
	return all
}

// plainPattern matches the regular expressions that mean the same in JSON Schema's dialect
// (ECMA-262) and in Go's: they have no escapes except of punctuation and \d, \D, \w and \W, and no
// groups that begin with a question mark.
var plainPattern = regexp.MustCompile(`^(?:[^\\(]|\\[dDwW.+*?^$()\[\]{}|/\\-]|\((?:[^?]|$))*$`)

// matches tells whether a text matches the regular expression of a keyword.
func matches(pattern *jsontree.Value, s string) answer {
	if pattern == nil || pattern.Kind != '"' || len(pattern.Text) > 500 || !plainPattern.MatchString(pattern.Text) || strings.ContainsAny(s, "\n\r\u2028\u2029") {
		return unknown
	}
	compiled, err := regexp.Compile(pattern.Text)
	if err != nil {
		return unknown
	}
	return is(compiled.MatchString(s))
}
