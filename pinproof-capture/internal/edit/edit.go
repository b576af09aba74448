// Package edit changes parts of a text and leaves the rest as it is, byte for byte.
package edit

// An Edit puts Text in the place of what stands from At to End.
type Edit struct {
	At, End int
	Text    []byte
}

// Apply returns a text with its edits, which are in its order.
func Apply(text []byte, edits []Edit) []byte {
	if edits == nil {
		return text
	}
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.At]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...)
}
