package jsontree

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// maxConfirmed is the most values of a definition that jcs is asked about: it takes 90 times
// its input in memory, for any shape 100 MB at most.
const maxConfirmed = 20_000

// Confirm returns an error unless two other implementations of RFC 8785 make the same
// canonical form of a text. A mistake in ours would pin what no other tool could recompute,
// or one digest for two definitions.
func Confirm(text, canonical []byte) error {
	text = slices.Concat([]byte("["), text, []byte("]")) // jcs takes no string alone
	commas, containers := bytes.Count(text, []byte(",")), bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{"))
	if commas+containers <= maxConfirmed { // at least as many as there are values
		form, err := jcs.Transform(text)
		if err != nil || !isOnlyItem(form, canonical) {
			return errors.New("github.com/gowebpki/jcs makes another canonical form of it")
		}
	}
	form := jsontext.Value(text)
	if err := form.Canonicalize(); err != nil || !isOnlyItem(form, canonical) {
		return errors.New("github.com/go-json-experiment/json makes another canonical form of it")
	}
	return nil
}

// isOnlyItem reports whether an array is that of one item.
func isOnlyItem(array, item []byte) bool {
	return len(array) == len(item)+2 && bytes.Equal(array[1:len(array)-1], item)
}
