package inclusion

import (
	"math/big"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// largestInteger is the largest integer that JavaScript's numbers count up to. Libraries of that language write it as
// the bound of an integer, and nobody sends larger ones.
var largestInteger = big.NewRat(1<<53-1, 1)

// isInteger reports whether all numbers that a schema takes are integers.
func isInteger(s *jsontree.Value) bool {
	return slices.Equal(stringsOf(s.Get("type")), []string{"integer"})
}

// withinBound reports whether the numbers that a schema takes keep a bound, which is the value of a keyword.
func (p *prover) withinBound(s *jsontree.Value, keyword string, bound *big.Rat) bool {
	if bound == nil {
		return false
	}
	// A lower bound is the upper bound of the negative numbers.
	sign := big.NewRat(1, 1)
	inclusive := "maximum"
	exclusive := "exclusiveMaximum"
	if strings.HasSuffix(keyword, "inimum") {
		sign = big.NewRat(-1, 1)
		inclusive = "minimum"
		exclusive = "exclusiveMinimum"
	}
	limit := new(big.Rat).Mul(bound, sign)
	isBelow := func(n *big.Rat, excludesLimit bool) bool {
		order := new(big.Rat).Mul(n, sign).Cmp(limit)
		return order < 0 || order == 0 && excludesLimit
	}
	asksInclusive := keyword == inclusive
	if !p.literal && isInteger(s) && limit.Cmp(largestInteger) >= 0 && asksInclusive {
		return true
	}
	if n := number(get(s, inclusive)); n != nil && isBelow(n, asksInclusive) {
		return true
	}
	n := number(get(s, exclusive))
	if n == nil {
		return false
	}
	if isInteger(s) && n.IsInt() {
		// The next integer is the bound.
		return isBelow(n.Sub(n, sign), asksInclusive)
	}
	return isBelow(n, true)
}

// atMost reports whether two numbers are there, and the first is at most the second.
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
