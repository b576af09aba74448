// Package effort limits the work that a run spends on explanations: proofs, word diffs, pairs of renamed
// entries, and scores. A change that isn't explained is shown whole and is breaking, so diff --fail-on fails.
// No other verdict depends on the limit.
package effort

// A Budget is the number of bytes, or pairs of words, that the explanations of a run may still compare. It
// counts work, not time, so that the result is the same on every machine. A nil budget is empty.
type Budget struct {
	left    int
	refused int
}

// full is the budget of a run, enough for a few seconds of comparisons. A real upgrade spends a few percent of it.
const full = 48_000_000

// NewBudget returns the budget of a run.
func NewBudget() *Budget { return &Budget{left: full} }

// BudgetOf returns a budget of that many bytes.
func BudgetOf(bytes int) *Budget { return &Budget{left: bytes} }

// Spend subtracts bytes from the budget. If fewer are left, it subtracts nothing and returns false.
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

// RefusalCount returns how often the budget was too small for a call of Spend.
func (b *Budget) RefusalCount() int { return b.refused }
