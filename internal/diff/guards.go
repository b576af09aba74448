package diff

import (
	"regexp"
	"strings"
	"sync"
)

// CountRestrictions counts the phrases in a text that restrict a tool ("asks the user", "only within", "never"). An
// approved text that loses one is read first. "If not specified" and "must be provided" don't count, because they are
// about what a caller provides.
func CountRestrictions(s string) int {
	s = condition().ReplaceAllString(s, "$1")
	n := 0
	for {
		start, end := nextWord(s)
		if start == end {
			return n
		}
		if guardStarts()[strings.ToLower(s[start:end])] {
			if to := guardAt(s[start:]); to > 0 {
				n++
				end = start + to
			}
		}
		s = s[end:]
	}
}

// guardStarts are the words that a match of guard begins with. guard is tried only at these, because a regular expression
// of its size takes a microsecond a byte.
var guardStarts = sync.OnceValue(func() map[string]bool {
	return wordSet(`never cannot not only read nothing with without approval consent permission
	do does must may should will would can shall is are don doesn mustn shouldn wouldn isn aren won
	refuse refuses reject rejects forbid forbids forbidden prohibit prohibits prohibited
	stay stays remain remains limited restricted confined kept ask asks confirm confirms confirmed confirmation`)
})

const guardWords = `never|(?:do|does|must|may|should|will|would|can|shall|is|are) not|(?:do|does|must|should|would|is|are|wo|ca)n['’]t|cannot` +
	`|not (?:optional|allowed|permitted)|refuses?|rejects?|forbid(?:s|den)?|prohibit(?:s|ed)?` +
	`|only(?: \w+){0,2} (?:within|inside|with|if|after|when|once)|only (?:reads?|in|from|on|for)|read-only|nothing but` +
	`|(?:stays?|remains?|limited|restricted|confined|kept) (?:within|inside|to)` +
	`|asks? (?:the|a|you|before|first|for|whether|permission)|must (?:ask|confirm|approve|agree|first)|confirms?|confirmed|confirmation|approval|consent` +
	`|with(?:out)? (?:asking|permission|approval)|permission (?:from|of)`

// guard matches a restriction at the beginning of a text.
var guard = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:` + guardWords + `)\b`) })

// guardBytes is how much of a text guard is tried on: the longest of its phrases has four words.
const guardBytes = 96

// guardAt returns where the guard at the beginning of a text ends, or 0 if no guard is there.
func guardAt(s string) int {
	place := guard().FindStringIndex(s[:min(len(s), guardBytes)])
	if place == nil {
		return 0
	}
	return place[1]
}

// condition matches an "if", "when" or "whether" and what follows, up to the next comma, full stop or semicolon. Such
// a clause is about what a caller may leave out, not about what the tool may do.
var condition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(if|when|whether)\b[^,.;]*`) })

// nextWord returns where the first word of a text begins and ends. A word has ASCII letters, digits and underscores, as
// for \b and \w. If there is no word, start and end are the same.
func nextWord(s string) (start, end int) {
	for start < len(s) && !isWordByte(s[start]) {
		start++
	}
	end = start
	for end < len(s) && isWordByte(s[end]) {
		end++
	}
	return start, end
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
