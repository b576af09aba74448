package diff

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

// TestGuards has texts that restrict a tool, and texts that only describe what a caller gives or what the tool does.
func TestGuards(t *testing.T) {
	for _, holds := range []string{"Asks the user before it deletes.", "Only works within the folder.", "Never sends a mail.", "A confirmation is not optional.",
		"Prefer a relative name to stay within the folder.", "Deletes only when the user agrees.", "Use with the user's approval alone.", "Don't use it on a page of others."} {
		if CountRestrictions(holds) == 0 {
			t.Errorf("%q holds nothing back", holds)
		}
	}
	for _, says := range []string{"If not specified, the first page.", "A path must be provided.", "Fails if the file cannot be read.", "Returns only the first lines.", "Reads a file."} {
		if CountRestrictions(says) > 0 {
			t.Errorf("%q holds something back", says)
		}
	}
}

// TestGuardsAreThoseOfTheExpression checks on random texts that guard, which is tried only at some words, finds as much
// as the same expression tried everywhere.
func TestGuardsAreThoseOfTheExpression(t *testing.T) {
	everywhere := regexp.MustCompile(`\b(?i:` + guardWords + `)\b`)
	pieces := strings.Fields(guardWordsAlone() + " if when whether the file deletes ifs notes x_1 Ünder don't can’t , . ; - ( \n")
	random := rand.New(rand.NewPCG(1, 2))
	guards := 0
	rounds := jsontest.RoundCount(5_000, 20_000)
	for range rounds {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
			b.WriteString([]string{" ", " ", " ", " ", "", "  "}[random.IntN(6)])
		}
		s := b.String()
		if random.IntN(4) == 0 {
			s = strings.ToUpper(s)
		}
		want := len(everywhere.FindAllString(condition().ReplaceAllString(s, "$1"), -1))
		if got := CountRestrictions(s); got != want {
			t.Fatalf("%q: %d guards, the expression finds %d", s, got, want)
		}
		guards += want
	}
	if guards < rounds/2 {
		t.Errorf("only %d guards in all texts", guards)
	}
}

// guardWordsAlone returns the words of the expression, without its signs.
func guardWordsAlone() string {
	return regexp.MustCompile(`[^A-Za-z' -]+`).ReplaceAllString(guardWords, " ")
}
