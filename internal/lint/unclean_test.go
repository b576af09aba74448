package lint

import (
	"encoding/json"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

// TestUncleanIsFound: a text that the frozen tables alone call unclean gets a warning of one of the three
// rules of Finding.FailsRequireClean. So lock writes no lockfile that verify refuses.
func TestUncleanIsFound(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", " ", "é", "م", "ک", "क", "्", "漢", "ก", "1", "❤", "👩", "💻", "🏴", "\r\n", "\r", "\t", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f",
		"\u061c", "\u2060", "\ufeff", "\ufe0f", "\ufe0e", "\ufe00", "\ufe03", "\u180b", "\u0600", "\u06dd", "\u2800", "\u00ad", "\u034f", "\u115f", "\u3164", "\u2028", "\ue000",
		"\u0378", "\U0001FAFF", "\U0001F8FF", "\U000E0067", "\U000E0100", "\U000E01EF", "\u202e", "\u2066", "\x1b", "\u0085", "\x00",
		"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "\U0001F3F4\U000E0067\U000E0062\U000E007F"}
	m := jsontest.NewMaker(11)
	unclean, clean := 0, 0
	for range jsontest.RoundCount(3_000, 200_000) {
		said := ""
		for range 1 + m.IntN(7) {
			said += m.Pick(pieces...)
		}
		if !text.HasHiddenOrControl(said) {
			clean++
			continue
		}
		unclean++
		for _, of := range []map[string]any{{"name": "t", "description": said}, {"name": "t", "inputSchema": map[string]any{"properties": map[string]any{said: map[string]any{}}}}} {
			definition, err := json.Marshal([]any{of})
			if err != nil {
				t.Fatal(err)
			}
			set := pintest.PinsOf(t, string(definition), pin.Policy{})
			sides := []pin.Comparison{{Server: "s", State: pin.ServerNew, Captured: set}}
			found := false
			for _, f := range Findings(sides, pintest.CompareByDigest(sides), nil, true) {
				found = found || f.Warning && (f.ID == "hidden-text" || f.ID == "terminal-escape" || f.ID == "bidi-control")
			}
			if !found {
				t.Errorf("%q is unclean, and nothing was found in %s", said, definition)
			}
		}
	}
	if unclean < 90 || clean < 90 {
		t.Errorf("%d unclean, %d clean", unclean, clean)
	}
}
