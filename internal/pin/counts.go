package pin

import (
	"strings"

	"pinproof/internal/text"
)

// Counts holds the number of entries of each list.
type Counts [EntryTypeCount]int

// CountPins counts pins by their lists.
func CountPins(pins []Pin) (c Counts) {
	for i := range pins {
		c[pins[i].Type]++
	}
	return c
}

// Add adds other counts to c.
func (c *Counts) Add(other Counts) {
	for list, n := range other {
		c[list] += n
	}
}

// Total returns the number of entries of all lists.
func (c Counts) Total() (n int) {
	for _, of := range c {
		n += of
	}
	return n
}

// parts lists the counts in words: "14 tools", "3 prompts", "instructions". If there are no entries, it returns "0
// tools".
func (c Counts) parts() (parts []string) {
	for list, n := range c {
		if word := EntryTypeInfo[list].Entry; n > 0 && EntryType(list) == Instructions {
			parts = append(parts, word)
		} else if n > 0 || c == (Counts{}) && EntryType(list) == Tools {
			parts = append(parts, text.FormatCount(n, word))
		}
	}
	return parts
}

// String returns "14 tools, 3 prompts, instructions".
func (c Counts) String() string { return strings.Join(c.parts(), ", ") }

// Summary returns "14 tools", or "17 entries" if they are of several lists.
func (c Counts) Summary() string {
	if parts := c.parts(); len(parts) == 1 {
		return parts[0]
	}
	return text.FormatNumber(c.Total()) + " entries"
}
