package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A Tokens has estimates of how much of a model's context the tools of a server take, as pinned and as captured.
type Tokens struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// ChangeText returns what the change costs, or "" if nothing changed or that isn't known.
func (t *Tokens) ChangeText() string {
	grown := t.Grown()
	if grown == "" {
		return ""
	}
	return "about " + grown + " tokens for the model (of " + text.Number(rounded(t.After)) + ")"
}

// Grown returns how much it changed, "+1,480", or "" if nothing changed or that isn't known.
func (t *Tokens) Grown() string {
	if t == nil || t.Before == t.After {
		return ""
	}
	return text.Signed(rounded(t.After - t.Before))
}

// rounded rounds an estimate to three digits: more would claim to be exact.
func rounded(n int) int {
	unit := 1
	for n/unit >= 1000 || n/unit <= -1000 {
		unit *= 10
	}
	if n < 0 {
		return (n - unit/2) / unit * unit
	}
	return (n + unit/2) / unit * unit
}

// plus adds the tokens of another server. If they aren't known, the sum isn't known either.
func (t *Tokens) plus(other *Tokens) *Tokens {
	if other == nil {
		return nil
	}
	return &Tokens{t.Before + other.Before, t.After + other.After}
}

// TokensOf estimates how many tokens the tools among some pins take: their names, descriptions and
// input schemas, which clients hand to the model. Over real lists and the encoding o200k that is 4.2
// to 4.8 bytes a token, so 4.5 is within 8 %. A client that searches for tools hands over fewer.
// The number isn't known if a definition wasn't stored.
func TokensOf(pins []pin.Pin) (tokens int, known bool) {
	size := 0
	var written []byte
	for i := range pins {
		p := &pins[i]
		if p.Type != pin.Tools {
			continue
		}
		if p.Received == nil && p.Definition == nil {
			return 0, false
		}
		tool := p.AsReceived()
		size += len(p.Name) + len(tool.Get("description").Text)
		if schema := tool.Get("inputSchema"); schema.Kind != 0 {
			written = jsontree.Append(written[:0], schema)
			size += len(written)
		}
	}
	return (2*size + 4) / 9, true
}

// OverBudgetText describes that the tools of all captures together take more than most tokens, or returns "". known is false
// if that can't be told.
func OverBudgetText(sides []pin.Comparison, most int) (said string, known bool) {
	all := 0
	for i := range sides {
		n, known := TokensOf(sides[i].Captured.Pins)
		if !known {
			return "", false
		}
		all += n
	}
	if all <= most {
		return "", true
	}
	return "about " + text.Number(all) + " tokens for the model, over " + text.Number(most) + " (--max-tokens)", true
}

// tokens returns the tokens of a server's two sides, or nil. Nobody knows all the text of a part, and what a
// policy leaves out of pins can't be compared. The gate's bound leaves no room to count them.
func (r *Report) tokens(p *pin.Comparison) *Tokens {
	if r.Bounded || r.Terse || r.Narrowed || r.Part || p.Locked.Policy.Shapes() || p.Captured.Policy.Shapes() {
		return nil
	}
	before, known := TokensOf(p.Locked.Pins)
	if !known {
		return nil
	}
	after, known := TokensOf(p.Captured.Pins)
	if !known {
		return nil
	}
	return &Tokens{before, after}
}
