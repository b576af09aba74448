package jsontree

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// maxConfirmed is the largest number of values in a definition that jcs confirms. jcs uses 90 times its input
// in memory; this limit keeps that below 100 MB.
const maxConfirmed = 20_000

// CheckCanonicalForm returns an error unless two other implementations of RFC 8785 make the same canonical form of a
// text. A mistake in our implementation would pin a digest that no other tool could recompute, or the same digest for
// two definitions.
func CheckCanonicalForm(text, canonical []byte) error {
	values := 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")) // an upper bound
	if values <= maxConfirmed {
		form, err := jcs.Transform(slices.Concat([]byte("["), text, []byte("]"))) // jcs rejects a bare string
		if err != nil || string(form) != "["+string(canonical)+"]" {
			return errors.New("github.com/gowebpki/jcs makes another canonical form of it")
		}
	}
	form := jsontext.Value(bytes.Clone(text))
	if err := form.Canonicalize(); err != nil || !bytes.Equal(form, canonical) {
		return errors.New("github.com/go-json-experiment/json makes another canonical form of it")
	}
	return nil
}
