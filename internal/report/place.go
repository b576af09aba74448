package report

import (
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// placeOf says for people where in an entry something is: a parameter of a tool as the way to
// it, "arguments.sort[].by", a part of its result likewise, "returns.links[]", and what is in its
// schema behind that, "arguments.sort/enum/2".
// "[]" is every element and "*" every parameter without a name. Anything else, and a
// parameter with a name that could be mistaken, is shown as its JSON Pointer.
func placeOf(list pin.EntryType, pointer string) string {
	schema, said := "/inputSchema", "arguments"
	if strings.HasPrefix(pointer, "/outputSchema/") {
		schema, said = "/outputSchema", "returns"
	}
	inside, found := strings.CutPrefix(pointer, schema)
	if list != pin.Tools || !found || !strings.HasPrefix(inside, "/properties/") || len(pointer) > text.MaxPointer {
		return text.Pointer(pointer)
	}
	steps, _ := jsontree.Tokens(inside)
	n := 0
	for n < len(steps) {
		switch {
		case steps[n] == "properties" && n+1 < len(steps):
			if !isPlainName(steps[n+1]) {
				return text.Pointer(pointer)
			}
			said += "." + steps[n+1]
			n += 2
			continue
		case steps[n] == "items" && (n+1 == len(steps) || strings.Trim(steps[n+1], "0123456789") != ""): // not one of a list
			said += "[]"
		case steps[n] == "additionalProperties":
			said += ".*"
		default:
			rest := ""
			for _, step := range steps[n:] {
				rest = jsontree.Pointer(rest, step)
			}
			if text.Pointer(rest) != rest {
				return text.Pointer(pointer)
			}
			return said + rest
		}
		n++
	}
	return said
}

// isPlainName reports whether a name has none of the signs that placeOf puts between names.
func isPlainName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r >= 0x80 || !text.IsAlnum(byte(r)) && r != '_' && r != '-'
	}) < 0
}
