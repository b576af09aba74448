package layout

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// Icons returns a value below the member icons of an entry, at a JSON Pointer, as it is shown: in place of each image of
// pixels its size, its type and the digest of its address, and SVG, which is text, decoded. A client shows these images
// and doesn't give them to a model. A data URI at any other place is a text, which may say something, and is shown whole.
func Icons(pointer string, v jsontree.Value) jsontree.Value {
	path := strings.Split(pointer, "/")
	if len(path) < 2 || path[1] != "icons" {
		return v
	}
	return icon(path[2:], v)
}

// icon replaces the images in a value, which is at a path below icons: the path of an image is a number and src.
func icon(path []string, v jsontree.Value) jsontree.Value {
	if len(path) == 2 && path[1] == "src" && v.Kind == '"' {
		return image(v)
	}
	if len(path) == 0 && v.Kind == '[' || len(path) == 1 && v.Kind == '{' {
		return jsontree.MapParts(v, func(name string, part jsontree.Value) (jsontree.Value, bool) {
			return icon(append(slices.Clone(path), name), part), true
		})
	}
	return v
}

// image returns what is shown in place of an image. Its words are not in quotes, so no text of a server passes for them.
func image(v jsontree.Value) jsontree.Value {
	kind, data, ok := text.Image(v.Text)
	if !ok {
		return v
	}
	shown := fmt.Sprintf("<%d bytes of %s; sha256 of the address %x>", len(data), kind, sha256.Sum256([]byte(v.Text)))
	if strings.HasPrefix(kind, "image/svg") {
		shown += ` "` + escaped(string(data), false) + `"`
	}
	v.Kind = jsontree.Raw
	v.Text = shown
	return v
}
