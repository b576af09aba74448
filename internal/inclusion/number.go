package inclusion

import (
	"math/big"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// largestInteger is JavaScript's Number.MAX_SAFE_INTEGER. JavaScript libraries write it as the bound of an
// integer, and callers send no larger numbers.
var largestInteger = big.NewRat(1<<53-1, 1)

// isInteger reports whether all numbers that a schema accepts are integers.
func isInteger(s *jsontree.Value) bool {
	return slices.Equal(stringsOf(s.Get("type")), []string{"integer"})
}

// withinBound reports whether all numbers that a schema accepts are within a bound, which is the value of a
// keyword.
func (p *prover) withinBound(s *jsontree.Value, keyword string, bound *jsontree.Value) bool {
	own := get(s, keyword)
	limit := number(bound)
	isOpen := limit != nil && !p.literal && isInteger(s) && new(big.Rat).Abs(limit).Cmp(largestInteger) >= 0
	if strings.HasSuffix(keyword, "inimum") {
		return atMost(bound, own) || isOpen && keyword == "minimum" && limit.Sign() < 0
	}
	return atMost(own, bound) || isOpen && keyword == "maximum" && limit.Sign() > 0
}

// atMost reports whether a and b are numbers, and a is at most b.
func atMost(a, b *jsontree.Value) bool {
	x := number(a)
	y := number(b)
	return x != nil && y != nil && x.Cmp(y) <= 0
}

func number(v *jsontree.Value) *big.Rat {
	if v == nil || v.Kind != '0' || len(v.Text) > 400 {
		return nil
	}
	n, _ := new(big.Rat).SetString(v.Text)
	return n
}
