// Package diff turns two definitions into labelled changes. It explains drift and never
// decides about it.
package diff

import (
	"cmp"
	"slices"
	"strconv"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// versions holds the old (0) and the new (1) version of a value; nil if the value is absent.
type versions [2]*jsontree.Value

// A node is a place in two definitions, with the old and the new value there. Members and elements that are compared
// are nodes below it.
type node struct {
	above *node

	// The last steps of the pointers to the old and the new value: a member name or an index. An absent value has the
	// step that it would have.
	was, now string

	// The approximate length of the longer of its two pointers, in bytes.
	size int

	// The pointers to the old value and to the new one, once they are needed.
	places [2]string

	old, new *jsontree.Value // nil where absent
	at       schema.Position

	// The value moved to another index of its array, or from anyOf to oneOf or back. Such a move counts as a change.
	moved bool

	// The two values differ and are shown as one change.
	isWhole bool

	// The value contains more than MaxChanges changes, so they aren't listed individually.
	tooMany bool
}

// pointers returns the pointers to the old and to the new value.
func (n *node) pointers() (was, now string) {
	if n.above == nil {
		return "", ""
	}
	if n.places[1] == "" {
		was, now = n.above.pointers()
		n.places = [2]string{jsontree.ExtendPointer(was, n.was), jsontree.ExtendPointer(now, n.now)}
	}
	return n.places[0], n.places[1]
}

// MaxChanges is the maximum number of changes listed inside a value. A value with more counts as one change, because
// nobody reads so many. Real definitions have a few dozen.
const MaxChanges = 4_000

// A differ compares two values parsed from canonical forms, and lists the changes in the order of the text. The
// list is empty if and only if both are the same JSON value: canonical forms sort members and spell equal numbers alike,
// so comparing texts compares values.
type differ struct {
	// The nodes that are changes, each before those below it.
	changes []*node

	// The old pointers of elements and members whose last step has changed, by their new pointers.
	was map[string]string

	// The results for pairs of objects and arrays compared so far.
	equal map[versions]bool
}

// compare lists the changes at a node and below it.
func (d *differ) compare(n *node) {
	if n.moved {
		d.changes = append(d.changes, n)
	}
	first := len(d.changes)
	apart := n.size <= schema.MaxPointer && !d.equal[versions{n.old, n.new}]
	switch {
	case n.old == nil || n.new == nil:
		n.isWhole = true
	case apart && n.old.Kind == '{' && n.new.Kind == '{':
		d.members(n)
	case apart && n.old.Kind == '[' && n.new.Kind == '[' && !(scalars(*n.old) && scalars(*n.new)):
		d.items(n)
	default:
		n.isWhole = !d.equalValues(n.old, n.new)
	}
	if len(d.changes)-first > MaxChanges {
		n.isWhole = true
		n.tooMany = true
		d.changes = d.changes[:first]
	}
	if n.isWhole && !n.moved {
		d.changes = append(d.changes, n)
	}
}

// equalValues is jsontree.Equal with a cache: items pairs equal elements at every depth before they are compared part
// by part, so most pairs are compared again.
func (d *differ) equalValues(a, b *jsontree.Value) bool {
	if a.Kind != '{' && a.Kind != '[' || a.Kind != b.Kind {
		return a.Kind == b.Kind && a.Text == b.Text
	}
	pair := versions{a, b}
	if equal, ok := d.equal[pair]; ok {
		return equal
	}
	equal := len(a.Parts) == len(b.Parts)
	for i := 0; equal && i < len(a.Parts); i++ {
		equal = a.Parts[i].Name == b.Parts[i].Name && d.equalValues(&a.Parts[i].Value, &b.Parts[i].Value)
	}
	d.equal[pair] = equal
	return equal
}

// below compares a part of the values at a node.
func (d *differ) below(n *node, part node) {
	part.above = n
	part.size = n.size + 1 + max(len(part.was), len(part.now))
	v := cmp.Or(part.new, part.old)
	if part.old != nil && part.old.Kind == '[' {
		v = part.old
	}
	part.at = n.at.Child(part.now, v)
	if part.was != part.now && part.old != nil && part.new != nil && len(d.was) < MaxChanges {
		was, now := part.pointers()
		d.was[now] = was
	}
	d.compare(&part)
}

// members compares two objects. If oneOf replaced anyOf, or anyOf oneOf, it compares the alternatives under both
// keywords.
func (d *differ) members(n *node) {
	a := n.old.Parts
	b := n.new.Parts
	for len(a) > 0 || len(b) > 0 {
		order := jsontree.MergeOrder(len(a), len(b), func() int { return jsontree.CompareUTF16(a[0].Name, b[0].Name) })
		var part node
		if order <= 0 {
			part.now = a[0].Name
			part.old = &a[0].Value
			a = a[1:]
		}
		if order >= 0 {
			part.now = b[0].Name
			part.new = &b[0].Value
			b = b[1:]
		}
		part.was = part.now
		if n.at == schema.AtDefinition && part.now == "annotations" && len(cmp.Or(part.old, part.new).Members()) > 0 {
			// Treat absent annotations as an empty object, so that each annotation is a change of its own.
			none := &jsontree.Value{Kind: '{'}
			part.old, part.new = cmp.Or(part.old, none), cmp.Or(part.new, none)
			part.old = withoutMeaningless(part.old, part.new)
		}
		if n.at == schema.AtSchema && isExchanged(n.old, n.new, part.now) {
			continue // it is compared with the other keyword
		} else if n.at == schema.AtSchema && isExchanged(n.new, n.old, part.now) {
			part.was = exchangeable[part.now]
			part.old = jsontree.Lookup(n.old, part.was)
			part.moved = true
		}
		d.below(n, part)
	}
}

// withoutMeaningless returns the old annotations without the unchanged hints about writing, if these meant nothing
// because the tool was read-only, and mean something now. So the comparison reports a hint that was approved as minor
// once clients use it.
func withoutMeaningless(old, new *jsontree.Value) *jsontree.Value {
	if old.Get("readOnlyHint").Kind != 't' || new.Get("readOnlyHint").Kind == 't' {
		return old
	}
	meaningful := jsontree.FilterParts(*old, func(m *jsontree.Member) bool {
		return !toolHints[m.Name].writes || !jsontree.Equal(m.Value, new.Get(m.Name))
	})
	return &meaningful
}

// exchangeable are the keywords that SDKs exchange for each other.
var exchangeable = map[string]string{"anyOf": "oneOf", "oneOf": "anyOf"}

// isExchanged reports whether here has a list of alternatives under a keyword (anyOf or oneOf), and there has one under
// the other.
func isExchanged(here, there *jsontree.Value, keyword string) bool {
	other := exchangeable[keyword]
	return other != "" && here.Get(keyword).Kind == '[' && there.Get(other).Kind == '[' && !here.Has(other) && !there.Has(keyword)
}

// items compares two arrays that contain more than scalars. It pairs the elements that are
// equal at both ends, then those with the same key (itemKey), wherever they are, and
// the rest in their order. A pointer to a removed element has its index in the old
// array, any other the index in the new one.
func (d *differ) items(n *node) {
	a := n.old.Parts
	b := n.new.Parts
	taken, partner := d.pairItems(a, b)
	// All removed elements of a before this index have been compared.
	next := 0
	removed := func(end int) {
		for ; next < end; next++ {
			if taken[next] < 0 {
				at := strconv.Itoa(next)
				d.below(n, node{was: at, now: at, old: &a[next].Value})
			}
		}
	}
	for j, i := range partner {
		part := node{now: strconv.Itoa(j), new: &b[j].Value}
		part.was = part.now
		if i >= 0 {
			part.old = &a[i].Value
			part.moved = i < next
			removed(i)
			part.was = strconv.Itoa(i)
		}
		d.below(n, part)
	}
	removed(len(a))
}

// pairItems returns for each element of either array the index of its partner, or -1.
func (d *differ) pairItems(a, b []jsontree.Member) (inB, inA []int) {
	inB = slices.Repeat([]int{-1}, len(a))
	inA = slices.Repeat([]int{-1}, len(b))
	pair := func(i, j int) {
		inB[i] = j
		inA[j] = i
	}
	head := 0
	for head < min(len(a), len(b)) && d.equalValues(&a[head].Value, &b[head].Value) {
		pair(head, head)
		head++
	}
	endA := len(a)
	endB := len(b)
	for min(endA, endB) > head && d.equalValues(&a[endA-1].Value, &b[endB-1].Value) {
		endA--
		endB--
		pair(endA, endB)
	}
	byKey := map[string][]int{}
	for i := head; i < endA; i++ {
		key := itemKey(&a[i].Value)
		byKey[key] = append(byKey[key], i)
	}
	for j := head; j < endB; j++ {
		if key := itemKey(&b[j].Value); key != "" && len(byKey[key]) > 0 {
			pair(byKey[key][0], j)
			byKey[key] = byKey[key][1:]
		}
	}
	i := head
	for j := head; j < endB; j++ {
		for i < endA && inB[i] >= 0 {
			i++
		}
		if inA[j] < 0 && i < endA && !(isNamed(&a[i].Value) && isNamed(&b[j].Value)) && !(isFile(&a[i].Value) && isFile(&b[j].Value)) {
			pair(i, j)
		}
	}
	return inB, inA
}

func isNamed(v *jsontree.Value) bool { return v.StringIn("name") != "" }

// isFile reports whether an element is a file of a skill, which is named by its URI.
func isFile(v *jsontree.Value) bool { return v.StringIn("uri") != "" && v.Has("digest") }

// itemKey returns a key that two versions of an element share: for an object, its name or the URI of a file. Without
// these, the key is what distinguishes alternatives: the type, the reference, the constant, and constant parameters or,
// without parameters, the names of the keywords.
func itemKey(v *jsontree.Value) string {
	if v.Kind == '[' {
		return "" // arrays are paired by their order
	}
	if v.Kind != '{' {
		return string(jsontree.Append(nil, *v))
	}
	if isFile(v) {
		return "uri " + v.StringIn("uri")
	}
	if isNamed(v) {
		return "name " + v.StringIn("name")
	}
	var key []byte
	add := func(name string, v jsontree.Value) {
		if v.Kind != 0 && v.Kind != '{' && scalars(v) {
			key = jsontree.Append(append(key, name...), v)
		}
	}
	for _, keyword := range []string{"type", "$ref", "const"} {
		add(keyword, v.Get(keyword))
	}
	if !v.Has("properties") {
		for _, m := range v.Members() {
			if len(key) < 4_000 && !schema.IsAnnotation(m.Name) {
				key = append(key, "\x00"+m.Name...)
			}
		}
	}
	for _, p := range v.Get("properties").Members() {
		fixed := p.Get("const")
		if listed := p.Get("enum").Items(); fixed.Kind == 0 && len(listed) == 1 {
			fixed = listed[0].Value
		}
		add("\x00"+p.Name, fixed)
	}
	return string(key)
}

// scalars reports whether an array contains only scalars.
func scalars(v jsontree.Value) bool {
	return !slices.ContainsFunc(v.Items(), func(item jsontree.Member) bool { return item.Kind == '[' || item.Kind == '{' })
}
