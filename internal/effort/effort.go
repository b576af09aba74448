// Package effort bounds what a run spends on explanations: on proofs, word diffs, pairs of renamed entries and scores.
// What isn't explained is shown whole, and counts as breaking: so diff --fail-on fails on it. No other verdict depends on it.
package effort

// A Budget is how much the explanations of a run may still compare: bytes, or pairs of words. It counts work, not time,
// so that the answer is the same on every machine. A nil budget has nothing left.
type Budget struct {
	left    int
	refused int
}

// full is a few seconds of comparing. A real upgrade takes some hundredths of it.
const full = 48_000_000

// New returns the budget of a run.
func New() *Budget { return &Budget{left: full} }

// Of returns a budget of so many bytes.
func Of(bytes int) *Budget { return &Budget{left: bytes} }

// Spend takes bytes from the budget. It reports false, and takes nothing, if fewer are left.
func (b *Budget) Spend(bytes int) bool {
	if b == nil {
		return false
	}
	if bytes < 0 || bytes > b.left {
		b.refused++
		return false
	}
	b.left -= bytes
	return true
}

// Refusals returns how often something was too much for the budget.
func (b *Budget) Refusals() int { return b.refused }
