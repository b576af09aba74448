package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A Tokens is about how much of a model's context the tools of a server take.
type Tokens struct{ Before, After int }

// Said is what a change of it costs, or "" where it is too little to tell.
func (t *Tokens) Said() string {
	grown := t.Grown()
	if grown == "" {
		return ""
	}
	return "about " + grown + " tokens for the model (of " + text.Number(rounded(t.After)) + ")"
}

// Grown is by how much it changed, "+1,480", or "" where that is too little to tell.
func (t *Tokens) Grown() string {
	if t == nil || t.Before == t.After {
		return ""
	}
	return text.Signed(rounded(t.After - t.Before))
}

// rounded is an estimate to three digits: more would claim to be exact.
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

// plus adds those of another server. What isn't known of one isn't known of all.
func (t *Tokens) plus(other *Tokens) *Tokens {
	if other == nil {
		return nil
	}
	return &Tokens{t.Before + other.Before, t.After + other.After}
}

// TokensOf estimates how many tokens the tools among some pins take: their names, descriptions and
// input schemas, which clients hand to the model. Over real lists and the encoding o200k that is 4.2
// to 4.8 bytes a token, so 4.5 is within 8 %. A client that searches for tools hands over fewer.
// It isn't known where a definition wasn't stored.
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

// OverBudget says that the tools of all captures take more tokens than an author holds, or "". It fails
// where that can't be told.
func OverBudget(sides []pin.Comparison, most int) (said string, known bool) {
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

// tokens are those of a server's two sides, or nil: nobody knows all the text of a part, and what a
// policy leaves out of pins can't be compared. The gate's bound leaves no room for it.
func (r *Report) tokens(p *pin.Comparison) *Tokens {
	if r.Bounded || r.Terse || r.Narrowed || r.Part || r.IgnoreProse || p.Locked.Policy.Shapes() || p.Captured.Policy.Shapes() {
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
