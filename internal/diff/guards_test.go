package diff

import "testing"

// TestGuards: what holds a tool back, and what only says what a caller may leave out.
func TestGuards(t *testing.T) {
	for _, holds := range []string{"Asks the user before it deletes.", "Only works within the folder.", "Never sends a mail.", "A confirmation is not optional.",
		"Prefer a relative name to stay within the folder.", "Deletes only when the user agrees.", "Use with the user's approval alone.", "Don't use it on a page of others."} {
		if Guards(holds) == 0 {
			t.Errorf("%q holds nothing back", holds)
		}
	}
	for _, says := range []string{"If not specified, the first page.", "A path must be provided.", "Fails if the file cannot be read.", "Returns only the first lines.", "Reads a file."} {
		if Guards(says) > 0 {
			t.Errorf("%q holds something back", says)
		}
	}
}
