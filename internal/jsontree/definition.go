package jsontree

import (
	"bytes"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A tree is what was read of a text, as nodes that point into the text. A plain verify reads
// thousands of definitions and keeps of each but its canonical form, so nodes are small, have
// no pointers, and are used again for the next definition.
type tree struct {
	data  []byte
	text  string  // a copy of the root's text, which its strings are parts of; "": each is a copy
	nodes []node  // a container stands before its parts
	parts []int32 // the nodes of every container's parts
	names []byte  // the member names that are spelled with escapes, unescaped
	form  []byte  // the canonical form written last
}

// A node is a JSON value: offsets in the text.
type node struct {
	kind          byte  // as in Value
	spelled       bool  // a scalar that is spelled as RFC 8785 spells it
	escaped       bool  // the name is in names, not in data
	at, end       int32 // of its first byte, and of the byte after its last
	name, nameEnd int32 // of its name as a member, without the quotes
	parts, n      int32 // its parts are parts[parts:parts+n]
}

// A size is how much of a tree was there at some time.
type size struct{ nodes, parts, names int32 }

func (t *tree) size() size {
	return size{int32(len(t.nodes)), int32(len(t.parts)), int32(len(t.names))}
}

// cut takes away what came since the tree had a size.
func (t *tree) cut(to size) {
	t.nodes, t.parts, t.names = t.nodes[:to.nodes], t.parts[:to.parts], t.names[:to.names]
}

// setName gives a node the name whose token is data[start:end].
func (t *tree) setName(n *node, start, end int) {
	n.name, n.nameEnd = int32(start+1), int32(end-1)
	if bytes.IndexByte(t.data[start:end], '\\') >= 0 {
		n.escaped, n.name = true, int32(len(t.names))
		t.names, _ = jsontext.AppendUnquote(t.names, t.data[start:end])
		n.nameEnd = int32(len(t.names))
	}
}

func (t *tree) name(n *node) []byte {
	if n.escaped {
		return t.names[n.name:n.nameEnd]
	}
	return t.data[n.name:n.nameEnd]
}

// string returns the text of node i if it is a string, and "" if not.
func (t *tree) string(i int32) string {
	n := &t.nodes[i]
	switch token := t.data[n.at:n.end]; {
	case n.kind != '"':
		return ""
	case bytes.IndexByte(token, '\\') >= 0:
		text, _ := jsontext.AppendUnquote(nil, token)
		return string(text)
	}
	return t.slice(n.at+1, n.end-1)
}

// slice returns data[from:to] as a string.
func (t *tree) slice(from, to int32) string {
	if t.text == "" {
		return string(t.data[from:to])
	}
	return t.text[from-t.nodes[0].at : to-t.nodes[0].at]
}

// isSpelled reports whether a string is spelled as RFC 8785 spells it. It may say no for one
// that has \u00XX.
func isSpelled(token []byte) bool {
	for {
		at := bytes.IndexByte(token, '\\')
		if at < 0 {
			return true
		}
		if e := token[at+1]; e == 'u' || e == '/' {
			return false
		}
		token = token[at+2:]
	}
}

// value returns the tree as a Value, with its members sorted as RFC 8785 does or in the order
// of the text.
func (t *tree) value(sorted bool) Value {
	room := make([]Member, 0, len(t.parts)) // for the parts of all its containers
	var value func(n *node, i int32) Value
	value = func(n *node, i int32) Value {
		v := Value{Kind: n.kind, At: n.at, End: n.end}
		switch n.kind {
		case '"':
			v.Text = t.string(i)
		case '0':
			text, _, _ := readNumber(t.data[n.at:n.end])
			if v.Text = string(text); n.spelled {
				v.Text = t.slice(n.at, n.end)
			}
		}
		if n.n == 0 {
			return v
		}
		if sorted && n.kind == '{' {
			t.sort(t.parts[n.parts : n.parts+n.n])
		}
		from := len(room)
		room = room[:from+int(n.n)]
		v.Parts = room[from : from+int(n.n) : from+int(n.n)]
		for k, i := range t.parts[n.parts : n.parts+n.n] {
			part := &t.nodes[i]
			if n.kind == '{' {
				if v.Parts[k].Name = t.slice(part.name, part.nameEnd); part.escaped {
					v.Parts[k].Name = string(t.name(part))
				}
			}
			v.Parts[k].Value = value(part, i)
		}
		return v
	}
	return value(&t.nodes[0], 0)
}

// A Definition is a value in the tree of a definition: the definition itself, or a part of it.
// The zero Definition is absent.
type Definition struct {
	tree *tree
	i    int32
}

// Kind returns the kind of the value, as in Value.
func (d Definition) Kind() byte {
	if d.tree == nil {
		return 0
	}
	return d.tree.nodes[d.i].kind
}

// At returns the offset of its first byte in the text.
func (d Definition) At() int32 { return d.tree.nodes[d.i].at }

// Text returns the text of a string, and "" for anything else.
func (d Definition) Text() string {
	if d.Kind() != '"' {
		return ""
	}
	return d.tree.string(d.i)
}

// parts yields the nodes of what is in an object or an array, in the order of the text.
func (d Definition) parts(kind byte) iter.Seq[Definition] {
	return func(yield func(Definition) bool) {
		if d.Kind() != kind {
			return
		}
		n := &d.tree.nodes[d.i]
		for _, i := range d.tree.parts[n.parts : n.parts+n.n] {
			if !yield(Definition{d.tree, i}) {
				return
			}
		}
	}
}

// Items yields the elements of an array, and none for any other kind.
func (d Definition) Items() iter.Seq[Definition] { return d.parts('[') }

// Names yields the names of an object's members, with the offsets of their values, and none
// for any other kind.
func (d Definition) Names() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for part := range d.parts('{') {
			n := &d.tree.nodes[part.i]
			if !yield(string(d.tree.name(n)), int(n.at)) {
				return
			}
		}
	}
}

// Get returns the named member of an object, absent if there is none.
func (d Definition) Get(name string) Definition {
	for part := range d.parts('{') {
		if string(d.tree.name(&d.tree.nodes[part.i])) == name {
			return part
		}
	}
	return Definition{}
}

// Canonical returns the RFC 8785 bytes of the value. It sorts its members.
func (d Definition) Canonical() []byte {
	d.tree.form = d.tree.append(d.tree.form[:0], d.i)
	return slices.Clone(d.tree.form)
}

// append writes node i in its canonical form.
func (t *tree) append(dst []byte, i int32) []byte {
	n := &t.nodes[i]
	token := t.data[n.at:n.end]
	switch {
	case n.spelled:
		return append(dst, token...)
	case n.kind == '"':
		return AppendString(dst, t.string(i))
	case n.kind == '0':
		text, _, _ := readNumber(token)
		return append(dst, text...)
	}
	dst = append(dst, n.kind)
	parts := t.parts[n.parts : n.parts+n.n]
	if n.kind == '{' {
		t.sort(parts)
	}
	for k, i := range parts {
		if k > 0 {
			dst = append(dst, ',')
		}
		if n.kind == '{' {
			if part := &t.nodes[i]; part.escaped {
				dst = append(AppendString(dst, t.name(part)), ':')
			} else {
				dst = append(append(dst, t.data[part.name-1:part.nameEnd+1]...), ':')
			}
		}
		dst = t.append(dst, i)
	}
	return append(dst, closing(n.kind))
}

// sort brings members into the order of RFC 8785, section 3.2.3.
func (t *tree) sort(members []int32) {
	byName := func(a, b int32) int { return CompareUTF16(t.name(&t.nodes[a]), t.name(&t.nodes[b])) }
	if !slices.IsSortedFunc(members, byName) {
		slices.SortFunc(members, byName)
	}
}
