package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A diffNode is a node of the tree of differences between two values. A node that is
// compared part by part has a part for each member or element, equal or not, in the
// order of the text. A node without parts whose values differ is a leaf: one change.
type diffNode struct {
	was, now *path  // to the old value and to the new one, or where they would be
	old, new *value // nil where absent
	at       position
	spread   bool // old is put together from members that stood at was
	moved    bool // it stood elsewhere, or in another order, and that is a change of its own
	same     bool // the two values are equal
	changes  int  // at the node and inside
	crowded  bool // there are too many changes inside to tell apart
	inside   []diffNode
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
	size  int    // of the pointer in bytes, about
	known string // the pointer, once pointer has been called
}

func (p *path) to(step string) *path {
	return &path{above: p, step: step, size: p.size + 1 + len(step)}
}

func (p *path) pointer() string {
	if p.above != nil && p.known == "" {
		p.known = pointerTo(p.above.pointer(), p.step)
	}
	return p.known
}

// maxPointer is how long a pointer may be, in bytes, about, for the values there to be
// compared part by part. Real pointers have a tenth of it. Hostile member names could
// fill the memory with pointers, because each of them repeats the names above it.
const maxPointer = 1 << 10

// maxChanges is how many changes inside a value are listed. With more of them the value
// is one change, because nobody reads so many. Real definitions have a few dozen.
const maxChanges = 4_000

// maxLikeness is how many members are looked at in one tool to find out which alternatives
// are alike. Real tools need a hundredth of it; schemas can refer to each other in circles.
const maxLikeness = 1 << 18

// A differ compares two definitions.
type differ struct {
	moved   map[*value]*schemaRef   // a new definition: the old schema that moved there; a gone one: itself
	inlined map[*value][]*schemaRef // a new schema: the old definitions that are spelled out there now
	stood   map[*namedValue]bool    // by first member: schemas that a definition is compared with
	refers  map[*namedValue]bool    // by first member: schemas that refer to such a definition
	targets map[*value]*value       // by the text of a $ref: what it leads to, nil if that isn't known
	equal   map[[2]*value]bool      // pairs of objects and arrays compared so far
	room    int                     // members that likeness may still look at
}

// diffTree compares two values parsed from canonical forms. The tree has no change if and
// only if they are the same JSON value: canonical forms sort members and spell equal
// numbers alike, so comparing texts compares values.
func diffTree(list listKind, old, new *value) diffNode {
	root := &path{}
	e := diffNode{was: root, now: root, old: old, new: new}
	d := differ{moved: map[*value]*schemaRef{}, inlined: map[*value][]*schemaRef{}, stood: map[*namedValue]bool{}, refers: map[*namedValue]bool{}, targets: map[*value]*value{}, equal: map[[2]*value]bool{}, room: maxLikeness}
	if list == toolList {
		e.at = atDefinition
		for _, name := range [...]string{"inputSchema", "outputSchema"} {
			d.findMoved([2]*value{lookup(old, name), lookup(new, name)}, root.to(name))
		}
	}
	d.compare(&e)
	return e
}

func (d *differ) compare(e *diffNode) {
	apart := !e.longer(maxPointer) && !d.equal[[2]*value{e.old, e.new}]
	switch {
	case e.old == nil || e.new == nil:
		moved := func(m diffMember) bool { return d.moved[m.value] != nil }
		if e.at == atNamed && slices.ContainsFunc(append(membersIn(e.old), membersIn(e.new)...), moved) {
			d.members(e)
		}
	case apart && e.old.kind == '{' && e.new.kind == '{':
		d.members(e)
	case apart && e.old.kind == '[' && e.new.kind == '[' && !(scalars(e.old) && scalars(e.new)):
		d.items(e)
	default:
		e.same = d.equalValues(e.old, e.new)
	}
}

// longer reports whether a pointer to the node is longer than a limit.
func (e *diffNode) longer(limit int) bool { return max(e.was.size, e.now.size) > limit }

// equalValues is the function of that name, with a memory: items pairs equal elements at
// every depth before they are compared part by part, so most pairs are asked for again.
func (d *differ) equalValues(a, b *value) bool {
	if a.kind != '{' && a.kind != '[' || a.kind != b.kind {
		return a.kind == b.kind && a.text == b.text
	}
	pair := [2]*value{a, b}
	if equal, ok := d.equal[pair]; ok {
		return equal
	}
	equal := len(a.parts) == len(b.parts)
	for i := 0; equal && i < len(a.parts); i++ {
		equal = a.parts[i].name == b.parts[i].name && d.equalValues(&a.parts[i].value, &b.parts[i].value)
	}
	d.equal[pair] = equal
	return equal
}

// part compares one part of e, the one that step leads to, and adds it to e. A part that
// doesn't say where its old value stood had it in that of e, under the same step.
func (d *differ) part(e *diffNode, step string, part diffNode) *diffNode {
	part.at = e.at.below(step, cmp.Or(part.new, part.old))
	part.now = e.now.to(step)
	if part.was == nil {
		part.was = e.was.to(step)
	}
	d.compare(&part)
	if part.leaf() || part.moved {
		part.changes++
	}
	e.inside = append(e.inside, part)
	return &e.inside[len(e.inside)-1]
}

// A diffMember is a member of an object, or one from elsewhere that is compared as such.
type diffMember struct {
	name  string
	value *value
	at    *path // where an old member stood, if elsewhere
	moved bool
}

func membersIn(v *value) []diffMember {
	if v == nil {
		return nil
	}
	members := v.members()
	list := make([]diffMember, len(members))
	for i := range members {
		list[i] = diffMember{name: members[i].name, value: &members[i].value}
	}
	return list
}

// members compares two objects; an absent one has no members.
func (d *differ) members(e *diffNode) {
	a, b := membersIn(e.old), membersIn(e.new)
	if e.at == atSchema {
		a, b = d.refactored(e, a, b)
	}
	d.merge(e, a, b)
	if e.at == atSchema { // refactored has put a combinator first
		slices.SortStableFunc(e.inside, func(x, y diffNode) int { return compareUTF16(x.now.step, y.now.step) })
	}
}

// merge compares old members with new ones.
func (d *differ) merge(e *diffNode, a, b []diffMember) {
	e.inside = slices.Grow(e.inside, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		order := mergeOrder(len(a), len(b), func() int { return compareUTF16(a[0].name, b[0].name) })
		var part diffNode
		var step string
		if order <= 0 {
			step, part = a[0].name, diffNode{old: a[0].value, was: a[0].at, moved: a[0].moved}
			a = a[1:]
		}
		if order >= 0 {
			step, part.new, b = b[0].name, b[0].value, b[1:]
		}
		switch origin := d.moved[part.new]; {
		case e.at == atNamed && part.new == nil && d.moved[part.old] != nil:
			part.same, part.moved = true, true // compared where it stands now
		case e.at == atNamed && part.old == nil && origin != nil:
			part.old, part.was, part.spread, part.moved = origin.schema, origin.at, true, true
		case e.at == atSchema && step == "$ref" && part.was == nil:
			part.moved = part.old == nil && d.refers[firstMember(e.new)] || part.new == nil && d.refers[firstMember(e.old)]
		}
		d.part(e, step, part)
	}
	e.close()
}

// close ends a node that has all its parts. With too many changes inside it becomes a leaf.
// If its sides aren't two values of their own, the node that holds it becomes the leaf.
func (e *diffNode) close() {
	e.changes = 0
	for i := range e.inside {
		e.changes += e.inside[i].changes
	}
	switch {
	case e.changes == 0:
		e.same, e.inside = true, nil
	case e.changes > maxChanges && e.old != nil && e.new != nil && !e.spread:
		e.changes, e.crowded, e.inside = 0, true, nil
	}
}

// items compares two arrays that hold more than scalars. It pairs the elements that are
// equal at both ends, then those with the same key (itemKey), wherever they stand, and
// the rest in their order. A pointer to a removed element has its index in the old
// array, any other the index in the new one.
func (d *differ) items(e *diffNode) {
	a, b := e.old.parts, e.new.parts
	taken, partner := d.pairItems(a, b)
	e.inside = make([]diffNode, 0, max(len(a), len(b)))
	next := 0 // the first element of a that no part has yet
	removed := func(end int) {
		for ; next < end; next++ {
			if taken[next] < 0 {
				d.part(e, strconv.Itoa(next), diffNode{old: &a[next].value})
			}
		}
	}
	for j, i := range partner {
		part := diffNode{new: &b[j].value}
		if i >= 0 {
			part.old, part.moved = &a[i].value, i < next
			removed(i)
			part.was = e.was.to(strconv.Itoa(i))
		}
		d.part(e, strconv.Itoa(j), part)
	}
	removed(len(a))
	e.close()
}

// pairItems returns for each element of either array the index of its partner, or -1.
func (d *differ) pairItems(a, b []namedValue) (inB, inA []int) {
	inB, inA = slices.Repeat([]int{-1}, len(a)), slices.Repeat([]int{-1}, len(b))
	pair := func(i, j int) { inB[i], inA[j] = j, i }
	head := 0
	for head < min(len(a), len(b)) && d.equalValues(&a[head].value, &b[head].value) {
		pair(head, head)
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && d.equalValues(&a[len(a)-1-tail].value, &b[len(b)-1-tail].value) {
		tail++
		pair(len(a)-tail, len(b)-tail)
	}
	byKey := map[string][]int{}
	for i := head; i < len(a)-tail; i++ {
		key := itemKey(&a[i].value)
		byKey[key] = append(byKey[key], i)
	}
	for j := head; j < len(b)-tail; j++ {
		if key := itemKey(&b[j].value); key != "" && len(byKey[key]) > 0 {
			pair(byKey[key][0], j)
			byKey[key] = byKey[key][1:]
		}
	}
	i := head
	for j := head; j < len(b)-tail; j++ {
		for i < len(a)-tail && inB[i] >= 0 {
			i++
		}
		if inA[j] < 0 && i < len(a)-tail && !(isNamed(&a[i].value) && isNamed(&b[j].value)) {
			pair(i, j)
		}
	}
	return inB, inA
}

func isNamed(v *value) bool { return textOf(lookup(v, "name")) != "" }

// itemKey is what two forms of one element have in common. For an object it is the name,
// or else what tells alternatives apart: the type, the reference, the constant, and the
// parameters that are constants. Without parameters, the names of the keywords count.
func itemKey(v *value) string {
	switch {
	case v.kind == '[':
		return "" // arrays are paired by their order
	case v.kind != '{':
		return string(appendJSON(nil, *v))
	case isNamed(v):
		return "name " + textOf(lookup(v, "name"))
	}
	var b strings.Builder
	for _, keyword := range []string{"type", "$ref", "const"} {
		if m := lookup(v, keyword); m != nil && m.kind != '{' && scalars(m) {
			b.Write(appendJSON([]byte(keyword), *m))
		}
	}
	properties := lookup(v, "properties")
	if properties == nil {
		for _, m := range v.members() {
			if b.Len() < 4_000 && !slices.Contains(annotationKeywords[:], m.name) {
				b.WriteString("\x00" + m.name)
			}
		}
		return b.String()
	}
	for _, p := range properties.members() {
		if fixed := lookup(&p.value, "const"); fixed != nil && fixed.kind == '"' {
			b.Write(appendJSON([]byte("\x00"+p.name), *fixed))
		}
	}
	return b.String()
}

// scalars reports whether an array holds nothing but scalars.
func scalars(v *value) bool {
	return !slices.ContainsFunc(v.items(), func(item namedValue) bool { return item.kind == '[' || item.kind == '{' })
}
