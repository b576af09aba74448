package text

import "bytes"

// ConflictMarker returns the offset of the first conflict marker at the beginning of a line, as git leaves it in a file
// that it couldn't merge, or -1. No line of valid JSON begins like that.
func ConflictMarker(data []byte) int {
	for at := 0; ; at++ {
		if rest := data[at:]; bytes.HasPrefix(rest, []byte("<<<<<<< ")) || bytes.HasPrefix(rest, []byte(">>>>>>> ")) {
			return at
		}
		end := bytes.IndexAny(data[at:], "\n\r")
		if end < 0 {
			return -1
		}
		at += end
	}
}
