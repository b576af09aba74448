package jsontree

// MergeOrder returns which of two sorted lists to take the next element from: the old one (negative), the new one
// (positive) or both (zero). old and new are the numbers of elements left; order compares the first elements, and is
// called only if both lists have one.
func MergeOrder(old, new int, order func() int) int {
	if old == 0 {
		return 1
	}
	if new == 0 {
		return -1
	}
	return order()
}

// CompareUTF16 orders strings by UTF-16 code units, the order of RFC 8785
// (section 3.2.3): code points from U+10000 up sort before U+E000 to U+FFFF.
func CompareUTF16[S ~string | ~[]byte](a, b S) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		// The first unequal byte decides, as in UTF-8, with one exception: F0 to F4 begin
		// characters that UTF-16 writes as surrogates, so they come before EE and EF (from U+E000).
		astral := a[i] >= 0xf0
		if astral != (b[i] >= 0xf0) && max(a[i], b[i]) >= 0xf0 && min(a[i], b[i]) >= 0xee {
			if astral {
				return -1
			}
			return 1
		}
		return int(a[i]) - int(b[i])
	}
	return len(a) - len(b)
}
