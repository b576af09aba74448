package jsontree

import (
	"slices"
	"strconv"
)

// MapParts returns a copy of a value in which f has changed or left out each part.
// The name is empty for an element.
func MapParts(v Value, f func(name string, part Value) (Value, bool)) Value {
	out := v
	out.Parts = nil
	for _, p := range v.Parts {
		if part, keep := f(p.Name, p.Value); keep {
			out.Parts = append(out.Parts, Member{p.Name, part})
		}
	}
	return out
}

// MapTexts returns a copy of a value in which f has changed every string, but no member name.
func MapTexts(v Value, f func(string) string) Value {
	if v.Kind == '"' {
		v.Text = f(v.Text)
		return v
	}
	return MapParts(v, func(_ string, part Value) (Value, bool) { return MapTexts(part, f), true })
}

// Lookup returns the member or element of v that one token of a JSON Pointer names, or
// nil. Members must be sorted, as in canonical forms.
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

// TextOf returns the text of a string, and "" for anything else.
func TextOf(v *Value) string {
	if v == nil || v.Kind != '"' {
		return ""
	}
	return v.Text
}
