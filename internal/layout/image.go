package layout

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"pinproof/internal/text"
)

// image returns an image in a data URI as the printable inside of a JSON string: SVG, which is text, decoded, and an image of
// pixels by its type, size and digest.
func image(s string, asciiOnly bool) string {
	head, kind, data, ok := text.Image(s)
	if !ok {
		return escaped(s, asciiOnly)
	}
	if strings.HasPrefix(kind, "image/svg") {
		return fmt.Sprintf("<%d bytes, decoded> %s %s", len(data), escaped(head, asciiOnly), escaped(string(data), asciiOnly))
	}
	return fmt.Sprintf("<%d bytes of %s, sha256 %x>", len(data), kind, sha256.Sum256(data))
}
