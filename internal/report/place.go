package report

import (
	"regexp"
	"strings"
	"sync"

	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// placePattern matches what leads to a parameter or a part of a result by names that can't be mistaken, and the rest.
var placePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/(in|out)putSchema(/properties/[\w-]+(?:/properties/[\w-]+|/items|/additionalProperties)*)(/.*|)$`)
})

// placeOf says for people where in an entry something is: a parameter of a tool as the way to
// it, "arguments.sort[].by", a part of its result likewise, "returns.links[]", and what is in its
// schema behind that, "arguments.sort/enum/2".
// "[]" is every element and "*" every parameter without a name. Anything else is shown as its JSON Pointer.
func placeOf(list pin.EntryType, pointer string) string {
	parts := placePattern().FindStringSubmatch(pointer)
	if parts == nil || list != pin.Tools || text.Pointer(pointer) != pointer {
		return text.Pointer(pointer)
	}
	said := map[string]string{"in": "arguments", "out": "returns"}[parts[1]]
	return said + strings.NewReplacer("/properties/", ".", "/items", "[]", "/additionalProperties", ".*").Replace(parts[2]) + parts[3]
}
