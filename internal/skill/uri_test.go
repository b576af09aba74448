package skill

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestURIPattern: a pattern matches what a regular expression matches in which any text replaces each expression.
func TestURIPattern(t *testing.T) {
	const mark = "0mark0"
	random := rand.New(rand.NewPCG(1, 2))
	made := func(pieces ...string) string {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	matched := 0
	for range 20_000 {
		template, key := made("a", "b", "/", "ab", mark, mark), made("a", "b", "/", "ab")
		want := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(template), mark, ".*") + "/?$").MatchString(key)
		if NewURIPattern(template, mark).Matches(key) != want {
			t.Fatalf("%q and %q: want %t", template, key, want)
		}
		if want {
			matched++
		}
	}
	if matched < 1_000 {
		t.Errorf("only %d keys match: a poor sample", matched)
	}
}
