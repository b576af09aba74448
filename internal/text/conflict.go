package text

import "bytes"

// ConflictMarker returns the offset of the first line that git leaves in a file it could
// not merge, or -1. No line of valid JSON begins like that.
func ConflictMarker(data []byte) int {
	for _, marker := range []string{"<<<<<<< ", ">>>>>>> "} {
		for from := 0; ; {
			next := bytes.Index(data[from:], []byte(marker))
			if next < 0 {
				break
			}
			at := from + next
			if at == 0 || data[at-1] == '\n' || data[at-1] == '\r' {
				return at
			}
			from = at + len(marker)
		}
	}
	return -1
}
