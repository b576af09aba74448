package layout

import (
	"crypto/sha256"
	"fmt"

	"pinproof/internal/picture"
	"pinproof/internal/text"
)

// image returns an image in a data URI as the printable inside of a JSON string. An image of pixels is shown by
// its type, size and digest. If it has words that no viewer shows, they follow, with how many of its bytes
// aren't pixels. SVG is text, and is shown decoded.
func image(s string, asciiOnly bool) string {
	p, ok := picture.Read(s)
	if !ok {
		return escaped(s, asciiOnly)
	}
	if p.IsSVG() {
		return fmt.Sprintf("<%d bytes, decoded> %s %s", len(p.Data), escaped(p.Head, asciiOnly), escaped(p.Text(), asciiOnly))
	}
	shown := fmt.Sprintf("<%d bytes of %s, sha256 %x>", len(p.Data), p.Type, sha256.Sum256(p.Data))
	words := p.Text()
	if words == "" {
		return shown
	}
	return shown + " <" + text.Count(len(p.Beside), "byte") + " that aren't pixels:> " + escaped(words, asciiOnly)
}
