package jsontree_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
)

// TestAppendIndented: canonical text is indented as another implementation does it.
func TestAppendIndented(t *testing.T) {
	random := jsontest.NewMaker(11)
	texts := []string{`{}`, `[]`, `""`, `0`, `{"a":{},"b":[],"":[{}]}`, `"\\"`, `["\\\"",":,{}[]","\\\\"]`, strings.Repeat("[", 100) + strings.Repeat("]", 100)}
	for range jsontest.RoundCount(200, 2000) {
		texts = append(texts, jsontest.CanonicalForm(t, []byte(random.JSON(4))))
	}
	for _, text := range texts {
		for _, depth := range []int{0, 5} {
			want, err := jsontext.AppendFormat(nil, text, jsontext.WithIndent("  "), jsontext.WithIndentPrefix(strings.Repeat("  ", depth)))
			if got := string(jsontree.AppendIndented(nil, []byte(text), depth)); got != string(want) || err != nil {
				t.Errorf("%s, %d deep: got\n%s\nwant\n%s, %v", text, depth, got, want, err)
			}
		}
	}
}
