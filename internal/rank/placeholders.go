package rank

import (
	"strings"
	"sync"
)

// A placeholder stands for a kind of words that are told apart by nothing else: a name that a
// text makes up says nothing about it.
type placeholder uint8

const (
	noPlaceholder placeholder = iota
	address                   // a URL, a host, a mail address
	filePath                  // a path, a file's name
	identifier                // a name in code, a flag
	number
	blob // encoded bytes, digests, keys
)

// kindOf tells what a chunk without blanks and without marks around it is.
func kindOf(s string) placeholder {
	letters, digits, dots, slashes, underscores, inner, other := 0, 0, 0, 0, 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			letters++
		case c >= 'A' && c <= 'Z':
			letters++
			if i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
				inner++
			}
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			dots++
		case c == '/' || c == '\\':
			slashes++
		case c == '_':
			underscores++
		default:
			other++
		}
	}
	if letters == len(s) && inner == 0 && letters <= longestWord {
		return noPlaceholder // as most are
	}
	if letters == 0 {
		if digits > 0 && digits+dots+slashes+other == len(s) {
			return number
		}
		return noPlaceholder
	}
	if strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || isMail(s) {
		return address
	}
	host, _, _ := strings.Cut(s, "/")
	if dots > 0 && hostEnds()[afterLastDot(host)] && strings.IndexByte(s, '.') > 0 {
		return address
	}
	rooted := s[0] == '/' || s[0] == '~' || s[0] == '.' || s[0] == '\\' || s[0] == '$'
	if slashes > 0 && (rooted || slashes > 1 || dots > 0) || rooted && len(s) > 1 || dots > 0 && fileEnds()[afterLastDot(s)] {
		return filePath
	}
	if digits > 0 && letters > 0 && len(s) >= 20 && dots+slashes+underscores == 0 {
		return blob
	}
	// Names have few words. What has more is a sentence without blanks.
	if underscores+inner >= identifierParts || len(s) > longestWord {
		return noPlaceholder
	}
	if underscores > 0 || inner > 0 || strings.HasPrefix(s, "--") || strings.HasSuffix(s, "()") || dots > 0 && !strings.Contains(s, "..") && len(s) > 5 {
		return identifier
	}
	return noPlaceholder
}

func isMail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.IndexByte(s[at:], '.') > 1
}

func afterLastDot(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// hostEnds are last parts of the names of hosts that don't end a file's name.
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
