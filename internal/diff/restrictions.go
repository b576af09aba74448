package diff

import (
	"strings"
	"sync"

	"pinproof/internal/text"
)

// CountRestrictions counts the phrases in a text that restrict a tool ("asks the user", "only within", "never"). An
// approved text that loses one is read first. "If not specified" and "must be provided" don't count, because they are
// about what a caller provides.
func CountRestrictions(s string) int {
	s = condition().ReplaceAllString(s, "$1")
	n := 0
	end := 0 // of the last phrase
	for _, word := range asciiWord().FindAllStringIndex(s, -1) {
		start := word[0]
		if start < end || !guardStarts()[strings.ToLower(s[start:word[1]])] {
			continue
		}
		if place := guard().FindStringIndex(s[start:min(len(s), start+guardBytes)]); place != nil {
			n++
			end = start + place[1]
		}
	}
	return n
}

var asciiWord = text.LazyRegexp(`\w+`)

// guardStarts are the words that a match of guard begins with. guard is tried only at these, because a regular expression
// of its size takes a microsecond a byte.
var guardStarts = sync.OnceValue(func() set {
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
var guard = text.LazyRegexp(`^(?i:` + guardWords + `)\b`)

// guardBytes is the maximum number of bytes that guard examines; the longest of its phrases has four words.
const guardBytes = 96

// condition matches an "if", "when" or "whether" and what follows, up to the next comma, full stop or semicolon. Such
// a clause is about what a caller may leave out, not about what the tool may do.
var condition = text.LazyRegexp(`(?i)\b(if|when|whether)\b[^,.;]*`)
