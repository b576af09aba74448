package jsontree

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A Value is a JSON value: a node of the tree that a text is read into.
type Value struct {
	// 'n', 'f', 't', '0', '"', '[', '{'; 0: absent.
	Kind byte

	// Offsets in the text: of its first byte, and of the byte after its last.
	Start, End int32

	// The number of a definition, counted from 1 in the order of reading; 0 for any other value.
	DefinitionNumber int32

	// A string, unescaped; or a number, as RFC 8785 writes it.
	Text string

	// The elements of an array, or the members of an object in the order of RFC 8785: see Object.
	Parts []Member
}

// A Member is a member of an object or, without a name, an element of an array.
type Member struct {
	Name string
	Value
}

// Get returns the named member of an object, or the zero value (absent).
func (v Value) Get(name string) Value {
	if m := Lookup(&v, name); m != nil && v.Kind == '{' {
		return *m
	}
	return Value{}
}

// Members returns the members of an object, and nil for any other kind.
func (v Value) Members() []Member {
	if v.Kind != '{' {
		return nil
	}
	return v.Parts
}

// Items returns the elements of an array, and nil for any other kind.
func (v Value) Items() []Member {
	if v.Kind != '[' {
		return nil
	}
	return v.Parts
}

// Has reports whether v is an object with that member.
func (v Value) Has(name string) bool { return v.Get(name).Kind != 0 }

// Equal reports whether two values are equal, regardless of their offsets.
func Equal(a, b Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text &&
		slices.EqualFunc(a.Parts, b.Parts, func(x, y Member) bool {
			return x.Name == y.Name && Equal(x.Value, y.Value)
		})
}

// Object makes an object of members, which it sorts as RFC 8785 does (section 3.2.3). All objects that are
// hashed come from the reader or from this function, so their members are always in that order: house_test.go
// checks that no other package on the verdict's path sets Parts.
func Object(members ...Member) Value {
	sortMembers(members)
	return Value{Kind: '{', Parts: members}
}

// ObjectFromMap makes an object of members by their names.
func ObjectFromMap(members map[string]Value) Value {
	var list []Member
	for name, v := range members {
		list = append(list, Member{name, v})
	}
	return Object(list...)
}

// OrderedObject makes an object whose members keep their order: for a file that people read, never for what is hashed.
func OrderedObject(members []Member) Value { return Value{Kind: '{', Parts: members} }

// Raw is the kind of a value whose Text is written unchanged. The reader never returns a value of this kind.
const Raw = 'r'

// sortMembers sorts members, and returns false if two have the same name. It doesn't use the library for up to 20,
// because the library copies both members, which are large, for each comparison.
func sortMembers(members []Member) bool {
	if len(members) > 20 {
		slices.SortFunc(members, func(a, b Member) int { return CompareUTF16(a.Name, b.Name) })
	}
	for i := range members {
		for j := i; j > 0; j-- {
			order := CompareUTF16(members[j].Name, members[j-1].Name)
			if order == 0 {
				return false
			}
			if order > 0 {
				break
			}
			members[j], members[j-1] = members[j-1], members[j]
		}
	}
	return true
}

// String returns a string value.
func String(s string) Value { return Value{Kind: '"', Text: s} }

// Strings returns an array of strings.
func Strings(list []string) Value {
	v := Value{Kind: '['}
	for _, s := range list {
		v.Parts = append(v.Parts, Member{Value: String(s)})
	}
	return v
}

// FilterParts returns a copy of a value with the parts for which f returns true. f may change the value of a part.
func FilterParts(v Value, f func(part *Member) bool) Value {
	parts := slices.Clone(v.Parts)
	v.Parts = nil
	for i := range parts {
		if f(&parts[i]) {
			v.Parts = append(v.Parts, parts[i])
		}
	}
	return v
}

// MapStrings returns a copy of a value in which f has changed every string, but no member name.
func MapStrings(v Value, f func(string) string) Value {
	if v.Kind == '"' {
		v.Text = f(v.Text)
		return v
	}
	return FilterParts(v, func(part *Member) bool {
		part.Value = MapStrings(part.Value, f)
		return true
	})
}

// Lookup returns the member or element of v that one token of a JSON Pointer names, or
// nil.
func Lookup(v *Value, step string) *Value {
	switch {
	case v == nil:
	case v.Kind == '{':
		i, ok := slices.BinarySearchFunc(v.Parts, step, func(m Member, name string) int { return CompareUTF16(m.Name, name) })
		if ok {
			return &v.Parts[i].Value
		}
	case v.Kind == '[':
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v.Parts) && strconv.Itoa(i) == step {
			return &v.Parts[i].Value
		}
	}
	return nil
}

// StringOf returns the text of a string, and "" for anything else.
func StringOf(v *Value) string {
	if v == nil || v.Kind != '"' {
		return ""
	}
	return v.Text
}

// StringIn returns the text of the named member, and "" if it isn't a string.
func (v Value) StringIn(name string) string {
	m := v.Get(name)
	return StringOf(&m)
}

// SplitPointer splits a JSON Pointer (RFC 6901) and reports whether it is one.
func SplitPointer(pointer string) ([]string, bool) {
	p := jsontext.Pointer(pointer)
	return slices.Collect(p.Tokens()), p.IsValid()
}

// ExtendPointer extends a JSON Pointer by one member name or index (RFC 6901).
func ExtendPointer(pointer, token string) string {
	return string(jsontext.Pointer(pointer).AppendToken(token))
}
