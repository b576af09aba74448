package lockfile

import (
	"strconv"
)

// misplaced returns the offset of the first byte of a lockfile that isn't laid out as Marshal writes it, or -1: each member and
// each element has a line of its own, and no escape stands for a printable character of ASCII. Otherwise a member could
// hide in a terminal or in a git diff, behind a carriage return or many blanks. Lines may end in CRLF, and the last one without
// a line end. data is JSON.
func misplaced(data []byte) int {
	depth := 0
	for i := 0; i < len(data); {
		next := i + 1
		switch c := data[i]; c {
		case '"':
			end, isPlain := stringEnd(data, i)
			if !isPlain {
				return i
			}
			next = end
		case '{', '[':
			if i+1 < len(data) && data[i+1] == c+2 { // the bracket that closes it
				next = i + 2
				break
			}
			depth++
			next = afterLineEnd(data, i+1, depth)
		case ',':
			next = afterLineEnd(data, i+1, depth)
		case ':':
			if next = i + 2; data[i+1] != ' ' || isBlank(data[i+2]) {
				return i + 1
			}
		case ' ', '\t', '\r', '\n', '}', ']':
			depth--
			next = afterLineEnd(data, i, max(depth, 0))
			isEnd := next == len(data) && depth < 0
			isClosed := next >= 0 && next < len(data) && (data[next] == '}' || data[next] == ']')
			if !isEnd && !isClosed {
				return i
			}
			next++
		}
		if next < 0 {
			return i + 1
		}
		i = next
	}
	return -1
}

// afterLineEnd returns the offset after a line end at an offset and the indentation of the next line, or -1 if they aren't there.
func afterLineEnd(data []byte, at, depth int) int {
	if at < len(data) && data[at] == '\r' {
		at++
	}
	if at >= len(data) || data[at] != '\n' {
		return -1
	}
	end := at + 1 + 2*depth
	for at++; at < end; at++ {
		if at >= len(data) || data[at] != ' ' {
			return -1
		}
	}
	if end < len(data) && isBlank(data[end]) {
		return -1
	}
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// stringEnd returns the offset after a string, and whether the string has no escape for a printable character of ASCII other than
// the quote and the backslash.
func stringEnd(data []byte, at int) (end int, isPlain bool) {
	isPlain = true
	for i := at + 1; ; i++ {
		switch data[i] {
		case '"':
			return i + 1, isPlain
		case '\\':
			if i++; data[i] == '/' {
				isPlain = false
			} else if data[i] == 'u' {
				code, _ := strconv.ParseUint(string(data[i+1:i+5]), 16, 16)
				isPlain = isPlain && (code < ' ' || code > '~')
			}
		}
	}
}
