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
	for {
		// A word consists of ASCII letters, digits and _, as for \w in a regular expression.
		isOfWord := func(r rune) bool { return r == '_' || r < 0x80 && text.IsAlnum(byte(r)) }
		start := strings.IndexFunc(s, isOfWord)
		if start < 0 {
			return n
		}
		s = s[start:]
		end := text.RunSize(s, isOfWord)
		if guardStarts()[strings.ToLower(s[:end])] {
			if place := guard().FindStringIndex(s[:min(len(s), guardBytes)]); place != nil {
				n++
				end = place[1]
			}
		}
		s = s[end:]
	}
}

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
