package layout

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// SummarizeIcons returns the value at a JSON Pointer of an entry, for display. In the member icons, it replaces each
// image by its size, its type and the digest of its data URI, and decodes SVG, which is text. Clients show these images
// and don't pass them to a model. A data URI elsewhere is a text that may contain instructions, so it is shown whole.
func SummarizeIcons(pointer string, v jsontree.Value) jsontree.Value {
	path := strings.Split(pointer, "/")
	if len(path) < 2 || path[1] != "icons" {
		return v
	}
	return icon(len(path)-2, path[len(path)-1], v)
}

// icon replaces the images in a value that is depth steps below the member icons; name is the last of these steps. The
// pointer of an image is /icons/INDEX/src.
func icon(depth int, name string, v jsontree.Value) jsontree.Value {
	if depth == 2 && name == "src" && v.Kind == '"' {
		return image(v)
	}
	if depth == 0 && v.Kind == '[' || depth == 1 && v.Kind == '{' {
		return jsontree.FilterParts(v, func(m *jsontree.Member) bool {
			m.Value = icon(depth+1, m.Name, m.Value)
			return true
		})
	}
	return v
}

// image replaces an image by a text to show. This text isn't quoted, but every string of a server is, so no server text
// can look like it.
func image(v jsontree.Value) jsontree.Value {
	kind, data, ok := text.DecodeImage(v.Text)
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
