package text

import (
	"slices"
	"strings"
)

// Nearest returns the word of a list that was probably meant by word, or "".
func Nearest(word string, list []string) string {
	for n := range 1 + min(3, len(word)/3) { // the likeliest slips first
		at := slices.IndexFunc(list, func(w string) bool {
			if n == 0 {
				return strings.EqualFold(word, w) || len(word) > 2 && strings.HasPrefix(w, word)
			}
			return max(len(word), len(w)) <= 64 && within(n, word, w)
		})
		if at >= 0 {
			return list[at]
		}
	}
	return ""
}

// within reports whether at most n steps turn a into b. A step adds, removes or replaces
// a byte, or swaps two neighbours.
func within(n int, a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if n == 0 || a == "" || b == "" {
		return len(a)+len(b) <= n
	}
	swapped := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
	return swapped && within(n-1, a[2:], b[2:]) || within(n-1, a[1:], b) || within(n-1, a, b[1:]) || within(n-1, a[1:], b[1:])
}
