package report_test

import (
	"testing"

	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	. "pinproof/internal/report"
)

// TestTokens: the bytes are counted by hand. They are those of what clients hand to the model, and no others.
func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		list string
		want int
	}{
		{`[]`, 0},
		{`[{"name":"list"}]`, 1}, // 4
		{`[{"name":"list","description":"Lists."}]`, 2},                                         // 10
		{`[{"name":"list","inputSchema": {"type" : "object"}}]`, 5},                             // 4 + 17 in canonical form: 4.67
		{`[{"name":"list","title":"A long title","outputSchema":{"type":"object"}}]`, 1},        // 4
		{`[{"name":"list","description":["Not a text."]},{"name":"read","description":""}]`, 2}, // 8
	} {
		set := pintest.PinsOf(t, tt.list, pin.Policy{})
		if got, known := EstimateTokens(&set); got != tt.want || !known {
			t.Errorf("%s: about %d, known %v; want %d", tt.list, got, known, tt.want)
		}
	}
	if n, known := EstimateTokens(&pin.Set{Pins: []pin.Pin{{Key: pin.Key{Name: "a"}}}}); known {
		t.Errorf("a tool of which only the digest is stored has %d", n)
	}
}

func TestTokensSaid(t *testing.T) {
	for _, tt := range []struct {
		tokens *SizeChange
		want   string
	}{
		{nil, ""},
		{&SizeChange{12, 12}, ""},
		{&SizeChange{0, 42}, "context: about +42 tokens (42 now)"},
		{&SizeChange{2187, 3664}, "context: about +1,480 tokens (3,660 now)"}, // +1,477
		{&SizeChange{22887, 5644}, "context: about -17,200 tokens (5,640 now)"},
		{&SizeChange{0, 999_500}, "context: about +1,000,000 tokens (1,000,000 now)"},
	} {
		if got := tt.tokens.TokenChangeText(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.tokens, got, tt.want)
		}
	}
}
