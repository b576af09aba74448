// Package diff turns two definitions into labelled changes. It explains drift and never
// decides about it.
package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
)

// A diffNode is a node of the tree of differences between two values. A node that is
// compared part by part has a part for each member or element, equal or not, in the
// order of the text. A node without parts whose values differ is a leaf: one change.
type diffNode struct {
	// The paths to the old value and to the new one, or to where they would be.
	was, now *path

	old, new *jsontree.Value // nil where absent
	at       schema.Position

	// The value was elsewhere in its array, or under another combinator: a change of its own.
	moved bool

	same bool // the two values are equal

	// There are too many changes inside to tell apart.
	tooMany bool

	changes int // at the node and inside

	inside []diffNode
}

// unchanged reports whether there is no change at the node or inside.
func (e *diffNode) unchanged() bool { return e.same && !e.moved }

// leaf reports whether the two values differ and are shown as one change.
func (e *diffNode) leaf() bool { return !e.same && len(e.inside) == 0 }

// A path leads to a value. It has the last step, which is the name of a member or an index,
// and the path above that. It becomes a pointer only where something differs.
type path struct {
	above *path
	step  string
	size  int // about how many bytes the pointer has

	// The pointer, once pointer has been called.
	known string
}

func (p *path) to(step string) *path {
	return &path{above: p, step: step, size: p.size + 1 + len(step)}
}

func (p *path) pointer() string {
	if p.above != nil && p.known == "" {
		p.known = jsontree.Pointer(p.above.pointer(), p.step)
	}
	return p.known
}

// maxPointer is about how many bytes a pointer may have for the values there to be compared
// part by part. Real pointers have a tenth of it. Hostile member names could fill the memory
// with pointers, because each pointer repeats the names above it.
const maxPointer = 1 << 10

// MaxChanges is how many changes inside a value are listed. With more of them the value
// is one change, because nobody reads so many. Real definitions have a few dozen.
const MaxChanges = 4_000

// A differ compares two definitions.
type differ struct {
	// Pairs of objects and arrays compared so far.
	equal map[[2]*jsontree.Value]bool
}

// diffTree compares two values parsed from canonical forms. The tree has no change if and
// only if they are the same JSON value: canonical forms sort members and spell equal
// numbers alike, so comparing texts compares values.
func diffTree(entryType pin.EntryType, old, new *jsontree.Value) diffNode {
	root := &path{}
	e := diffNode{was: root, now: root, old: old, new: new}
	if entryType == pin.Tools {
		e.at = schema.AtDefinition
	}
	d := differ{equal: map[[2]*jsontree.Value]bool{}}
	d.compare(&e)
	return e
}

func (d *differ) compare(e *diffNode) {
	apart := !e.longer(maxPointer) && !d.equal[[2]*jsontree.Value{e.old, e.new}]
	switch {
	case e.old == nil || e.new == nil:
	case apart && e.old.Kind == '{' && e.new.Kind == '{':
		d.members(e)
	case apart && e.old.Kind == '[' && e.new.Kind == '[' && !(scalars(e.old) && scalars(e.new)):
		d.items(e)
	default:
		e.same = d.equalValues(e.old, e.new)
	}
}

// longer reports whether a pointer to the node is longer than a limit.
func (e *diffNode) longer(limit int) bool { return max(e.was.size, e.now.size) > limit }

// equalValues does what jsontree.Equal does, with a memory: items pairs equal elements at every
// depth before they are compared part by part, so it is asked about most pairs again.
func (d *differ) equalValues(a, b *jsontree.Value) bool {
	if a.Kind != '{' && a.Kind != '[' || a.Kind != b.Kind {
		return a.Kind == b.Kind && a.Text == b.Text
	}
	pair := [2]*jsontree.Value{a, b}
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

// part compares one part of e, the one that step leads to, and adds it to e. If the part doesn't
// tell where its old value was, that was in e's old value, under the same step.
func (d *differ) part(e *diffNode, step string, part diffNode) {
	part.at = e.at.Below(step, cmp.Or(part.new, part.old))
	part.now = e.now.to(step)
	if part.was == nil {
		part.was = e.was.to(step)
	}
	d.compare(&part)
	if part.leaf() || part.moved {
		part.changes++
	}
	e.inside = append(e.inside, part)
}

// members compares two objects. Alternatives under anyOf are compared with those under the
// oneOf that took its place, and the other way round.
func (d *differ) members(e *diffNode) {
	a := e.old.Parts
	b := e.new.Parts
	e.inside = make([]diffNode, 0, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		order := jsontree.MergeOrder(len(a), len(b), func() int { return jsontree.CompareUTF16(a[0].Name, b[0].Name) })
		var part diffNode
		var step string
		if order <= 0 {
			step = a[0].Name
			part.old = &a[0].Value
			a = a[1:]
		}
		if order >= 0 {
			step = b[0].Name
			part.new = &b[0].Value
			b = b[1:]
		}
		other := exchangeable[step]
		exchanged := other != "" && e.at == schema.AtSchema && (part.old == nil || part.new == nil) && cmp.Or(part.old, part.new).Kind == '[' &&
			e.old.Has(other) == (part.old == nil) && e.new.Has(other) == (part.new == nil)
		if exchanged && part.new == nil {
			continue
		} else if exchanged {
			part.old, part.was, part.moved = jsontree.Lookup(e.old, other), e.was.to(other), true
		}
		d.part(e, step, part)
	}
	e.close()
}

// exchangeable are the keywords that SDKs exchange for each other.
var exchangeable = map[string]string{"anyOf": "oneOf", "oneOf": "anyOf"}

// close ends a node that has all its parts. With too many changes inside it becomes a leaf.
func (e *diffNode) close() {
	for i := range e.inside {
		e.changes += e.inside[i].changes
	}
	if e.changes == 0 {
		e.same = true
		e.inside = nil
	} else if e.changes > MaxChanges {
		e.changes = 0
		e.tooMany = true
		e.inside = nil
	}
}

// items compares two arrays that contain more than scalars. It pairs the elements that are
// equal at both ends, then those with the same key (itemKey), wherever they are, and
// the rest in their order. A pointer to a removed element has its index in the old
// array, any other the index in the new one.
func (d *differ) items(e *diffNode) {
	a := e.old.Parts
	b := e.new.Parts
	taken, partner := d.pairItems(a, b)
	e.inside = make([]diffNode, 0, max(len(a), len(b)))
	// All removed elements of a before this index have their parts.
	next := 0
	removed := func(end int) {
		for ; next < end; next++ {
			if taken[next] < 0 {
				d.part(e, strconv.Itoa(next), diffNode{old: &a[next].Value})
			}
		}
	}
	for j, i := range partner {
		part := diffNode{new: &b[j].Value}
		if i >= 0 {
			part.old = &a[i].Value
			part.moved = i < next
			removed(i)
			part.was = e.was.to(strconv.Itoa(i))
		}
		d.part(e, strconv.Itoa(j), part)
	}
	removed(len(a))
	e.close()
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
	tail := 0
	for tail < min(len(a), len(b))-head && d.equalValues(&a[len(a)-1-tail].Value, &b[len(b)-1-tail].Value) {
		tail++
		pair(len(a)-tail, len(b)-tail)
	}
	byKey := map[string][]int{}
	for i := head; i < len(a)-tail; i++ {
		key := itemKey(&a[i].Value)
		byKey[key] = append(byKey[key], i)
	}
	for j := head; j < len(b)-tail; j++ {
		if key := itemKey(&b[j].Value); key != "" && len(byKey[key]) > 0 {
			pair(byKey[key][0], j)
			byKey[key] = byKey[key][1:]
		}
	}
	i := head
	for j := head; j < len(b)-tail; j++ {
		for i < len(a)-tail && inB[i] >= 0 {
			i++
		}
		if inA[j] < 0 && i < len(a)-tail && !(isNamed(&a[i].Value) && isNamed(&b[j].Value)) && !(isFile(&a[i].Value) && isFile(&b[j].Value)) {
			pair(i, j)
		}
	}
	return inB, inA
}

func isNamed(v *jsontree.Value) bool { return jsontree.TextOf(jsontree.Lookup(v, "name")) != "" }

// isFile reports whether an element is a file of a skill, which is named by its URI.
func isFile(v *jsontree.Value) bool {
	return jsontree.TextOf(jsontree.Lookup(v, "uri")) != "" && jsontree.Lookup(v, "digest") != nil
}

// itemKey is what two forms of one element have in common. For an object it is the name, or the URI
// of a file. Without these, it is what tells alternatives apart: the type, the reference, the
// constant, and the parameters that are constants. Without parameters, the names of the keywords count.
func itemKey(v *jsontree.Value) string {
	if v.Kind == '[' {
		return "" // arrays are paired by their order
	}
	if v.Kind != '{' {
		return string(jsontree.Append(nil, *v))
	}
	if isFile(v) {
		return "uri " + jsontree.TextOf(jsontree.Lookup(v, "uri"))
	}
	if isNamed(v) {
		return "name " + jsontree.TextOf(jsontree.Lookup(v, "name"))
	}
	var b strings.Builder
	for _, keyword := range []string{"type", "$ref", "const"} {
		if m := jsontree.Lookup(v, keyword); m != nil && m.Kind != '{' && scalars(m) {
			b.Write(jsontree.Append([]byte(keyword), *m))
		}
	}
	properties := jsontree.Lookup(v, "properties")
	if properties == nil {
		for _, m := range v.Members() {
			if b.Len() < 4_000 && !isAnnotation(m.Name) {
				b.WriteString("\x00" + m.Name)
			}
		}
		return b.String()
	}
	for _, p := range properties.Members() {
		if fixed := jsontree.Lookup(&p.Value, "const"); fixed != nil && fixed.Kind == '"' {
			b.Write(jsontree.Append([]byte("\x00"+p.Name), *fixed))
		}
	}
	return b.String()
}

// scalars reports whether an array contains only scalars.
func scalars(v *jsontree.Value) bool {
	return !slices.ContainsFunc(v.Items(), func(item jsontree.Member) bool { return item.Kind == '[' || item.Kind == '{' })
}
