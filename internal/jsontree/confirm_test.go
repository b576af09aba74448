package jsontree

import (
	"fmt"
	"testing"

	"pinproof/internal/jsontest"
)

// TestConfirm checks that both other implementations are asked, but jcs only about definitions that
// aren't large. The two disagree about a number that overflows a double, which the reader refuses.
func TestConfirm(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/confirmed.txt", 3) {
		if err := CheckCanonicalForm([]byte(row[0]), []byte(row[1])); fmt.Sprint(err == nil) != row[2] {
			t.Errorf("%.40s as %.40s: %v", row[0], row[1], err)
		}
	}
}
