package rank

import (
	"strings"
	"sync"
)

// A placeholder stands for all words of one kind, such as addresses: a name that a text makes up
// says nothing about the text.
type placeholder uint8

const (
	noPlaceholder placeholder = iota
	address                   // a URL, a host, a mail address
	filePath                  // a path, a file's name
	identifier                // a name in code, a flag
	number
	blob // encoded bytes, digests, keys
)

// counts has how many bytes of each kind a chunk has.
type counts struct {
	// ASCII letters; inner counts the capitals behind a small letter.
	letters, inner int

	digits      int
	dots        int
	slashes     int // of both kinds
	underscores int
	other       int
}

// countsOf counts the bytes of a chunk.
func countsOf(s string) (n counts) {
	before := byte(0)
	for i := range len(s) {
		c := s[i]
		if isSmall(c) {
			n.letters++
		} else if isCapital(c) {
			n.letters++
			if isSmall(before) {
				n.inner++
			}
		} else if c >= '0' && c <= '9' {
			n.digits++
		} else {
			n.mark(c)
		}
		before = c
	}
	return n
}

// mark counts a byte that is neither a letter nor a digit.
func (n *counts) mark(c byte) {
	switch c {
	case '.':
		n.dots++
	case '/', '\\':
		n.slashes++
	case '_':
		n.underscores++
	default:
		n.other++
	}
}

func isSmall(c byte) bool   { return c >= 'a' && c <= 'z' }
func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// kindOf tells what kind of word a chunk is, given without blanks and without marks around it.
func kindOf(s string) placeholder {
	n := countsOf(s)
	if n.letters == len(s) && n.inner == 0 && n.letters <= longestWord {
		return noPlaceholder // like most chunks
	}
	if n.letters == 0 {
		if n.digits > 0 && n.underscores == 0 {
			return number
		}
		return noPlaceholder
	}
	for _, kind := range kinds {
		if kind.is(s, n) {
			return kind.placeholder
		}
	}
	return noPlaceholder
}

// kinds has the kinds of chunks with letters. The first one that fits counts.
var kinds = []struct {
	placeholder
	is func(string, counts) bool
}{
	{address, isAddress},
	{filePath, isFilePath},
	{blob, isBlob},
	{identifier, isIdentifier},
}

func isAddress(s string, n counts) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || isMail(s) {
		return true
	}
	if n.dots == 0 || s[0] == '.' {
		return false
	}
	host, _, _ := strings.Cut(s, "/")
	return hostEnds()[afterLastDot(host)]
}

func isFilePath(s string, n counts) bool {
	if n.dots > 0 && fileEnds()[afterLastDot(s)] {
		return true
	}
	if strings.IndexByte(`/~.\$`, s[0]) >= 0 {
		return len(s) > 1
	}
	return n.slashes > 1 || n.slashes > 0 && n.dots > 0
}

func isBlob(s string, n counts) bool {
	return n.digits > 0 && len(s) >= 20 && n.dots+n.slashes+n.underscores == 0
}

// isIdentifier reports whether a chunk is a name in code. Such a name has few parts: with more, it's a
// sentence without blanks.
func isIdentifier(s string, n counts) bool {
	if n.underscores+n.inner >= identifierParts || len(s) > longestWord {
		return false
	}
	if n.underscores > 0 || n.inner > 0 || strings.HasPrefix(s, "--") || strings.HasSuffix(s, "()") {
		return true
	}
	return n.dots > 0 && len(s) > 5 && !strings.Contains(s, "..")
}

func isMail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.IndexByte(s[at:], '.') > 1
}

func afterLastDot(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// hostEnds are the last parts of hosts' names, without those that are endings of files' names, too.
var hostEnds = setOf(`com net org io dev app ai co cloud info biz xyz site online top ru cn de uk eu fr nl jp kr br
 onion internal invalid test example local link`)

// fileEnds are endings of files' names.
var fileEnds = setOf(`txt md json jsonl yaml yml toml csv tsv xml html css js ts py go rs rb sh bash ps1 sql log env ini cfg conf
 pem key crt pdf png jpg jpeg gif svg zip gz tar db sqlite doc docx xls xlsx lock bak tmp exe dll so bin`)

// setOf makes a set when it is first needed.
func setOf(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, word := range strings.Fields(words) {
			set[word] = true
		}
		return set
	})
}
