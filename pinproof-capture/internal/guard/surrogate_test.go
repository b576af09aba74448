package guard

import (
	"fmt"
	"testing"

	"pinproof/internal/jsontest"
)

// TestHalves: where half a surrogate pair passes, in the bytes that come from a server or a client.
func TestHalves(t *testing.T) {
	t.Parallel()
	for _, row := range jsontest.ReadRows(t, "testdata/halves.txt", 2) {
		if m, err := message([]byte(row[0])); fmt.Sprint(err == nil) != row[1] || fmt.Sprint(m.Kind != 0) != row[1] {
			t.Errorf("%s: %v", row[0], err)
		}
	}
}
