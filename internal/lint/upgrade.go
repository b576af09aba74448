package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// This file finds new text in an upgrade that deserves to be read, although no rule warns about it: sentences, which
// internal/rank orders, and addresses. A new address is a note, which nobody needs to accept, and is reported only for
// drifted entries.

// maxNoted is the maximum number of addresses that one note quotes; the others are counted.
const maxNoted = 3

// isOwnURI reports whether a path leads to the URI of a skill or of one of its files. Such a URI isn't a new address:
// it is in the skill's own folder, and no data is sent to it.
func isOwnURI(path []jsontree.Step) bool {
	last := path[len(path)-1].Name
	return last == "uri" && (len(path) == 1 || len(path) == 3 && path[0].Name == "resources")
}

// joined reports the addresses that a definition has and the approved one (before) lacks. An
// address that only moved to another place isn't new.
func (r *Reviewer) joined(before *jsontree.Value) {
	known := map[string]bool{} // texts, and their addresses
	eachRead(before, func(text string, _ []jsontree.Step) {
		known[text] = true
		for _, address := range addresses(text) {
			known[address] = true
		}
	})
	var found []string // in quotes
	eachRead(&r.root, func(text string, path []jsontree.Step) {
		if known[text] || r.about.Type == pin.Skills && isOwnURI(path) {
			return
		}
		for _, address := range addresses(text) {
			if known[address] || exampleHost().MatchString(address) {
				continue
			}
			known[address] = true
			if len(found) == 0 {
				r.path = slices.Clone(path)
			}
			found = append(found, whole(address))
		}
	})
	if len(found) == 0 {
		return
	}
	what := "a new address"
	if len(found) > 1 {
		what = text.FormatNumber(len(found)) + " new addresses"
	}
	r.add("new-address", "%s: %s", what, text.JoinNames(found, maxNoted))
}

// A Sentence is a sentence from a text of a definition.
type Sentence struct {
	Text    string // as the server wrote it
	Pointer string // where the text is, a JSON Pointer
}

// AddedSentences lists the sentences that a definition has and the approved one (before) lacks, in their order,
// each once, as far as the budget allows. A sentence that was only rewrapped, moved or given a full stop isn't
// new. Names of entries, symbols such as a format, and single words aren't sentences.
func AddedSentences(budget *effort.Budget, before, now *jsontree.Value) (list []Sentence) {
	known := map[string]bool{}
	eachRead(before, func(text string, _ []jsontree.Step) {
		known[text] = true
		for _, sentence := range sentences(text) {
			known[plainSentence(sentence)] = true
		}
	})
	eachRead(now, func(text string, path []jsontree.Step) {
		if known[text] || len(path) == 1 && isIdentity(path[0].Name) || !budget.Spend(len(text)) {
			return
		}
		pointer := pointerOf(path)
		for _, sentence := range sentences(text) {
			plain := plainSentence(sentence)
			if known[plain] || isSingleWord(plain) {
				continue
			}
			known[plain] = true
			if budget.Spend(len(pointer)) {
				list = append(list, Sentence{sentence, pointer})
			}
		}
	})
	return list
}

// pointerOf returns a JSON Pointer to a place or, if that has more than maxPointer bytes, to a value that
// contains the place.
func pointerOf(path []jsontree.Step) string {
	var long strings.Builder
	for _, step := range path {
		token := schema.PointerToken(step)
		if long.Len()+len(token) > maxPointer {
			break
		}
		long.WriteString(jsontree.ExtendPointer("", token))
	}
	return long.String()
}

// isSingleWord reports whether a text is one word in ASCII. In a script without spaces, a text without a space
// may be a whole sentence.
func isSingleWord(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= utf8.RuneSelf })
}

// isIdentity reports whether a member of a definition names its entry.
func isIdentity(member string) bool {
	for _, info := range pin.EntryTypeInfo {
		if info.Identity == member {
			return true
		}
	}
	return false
}

// eachRead calls f for each string in a definition that isn't a symbol such as a format.
func eachRead(root *jsontree.Value, f func(text string, path []jsontree.Step)) {
	eachValue(root, func(v *jsontree.Value, _ schema.Position, kind int, path []jsontree.Step) {
		if v.Kind == '"' && kind != symbols {
			f(v.Text, path)
		}
	})
}

// sentences splits a text at the ends of sentences, at empty lines and at items of lists.
func sentences(s string) (list []string) {
	from := 0
	end := func(to int) {
		if part := strings.TrimSpace(s[from:to]); part != "" {
			list = append(list, part)
		}
		from = to
	}
	for i, c := range s {
		next := i + utf8.RuneLen(c)
		switch c {
		case '.', '!', '?':
			if endsSentence(s, i) {
				end(next)
			}
		case '。', '！', '？', '।', '؟':
			end(next)
		case '\n':
			rest := strings.TrimLeft(s[next:min(len(s), next+maxWord)], " \t")
			isContinued := strings.HasSuffix(s[:i], "\\") // a shell command continues on the next line
			if rest == "" || !isContinued && strings.IndexByte("\n-*#|>", rest[0]) >= 0 || rest[0] >= '0' && rest[0] <= '9' {
				end(next)
			}
		}
	}
	end(len(s))
	return list
}

// endsSentence reports whether a full stop, or a mark like it, ends a sentence.
func endsSentence(s string, at int) bool {
	return (at+1 == len(s) || s[at+1] <= ' ') && !strings.HasSuffix(s[:at], "e.g") && !strings.HasSuffix(s[:at], "i.e")
}

// plainSentence returns a sentence as the detectors read it, in lower case, with single spaces and without its
// full stop. So rewrapping a text, or adding a full stop, makes no new sentences.
func plainSentence(s string) string {
	if !isPlain(s) {
		s = plainText(s)
	}
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(s), " ")), ".。")
}

// addresses finds URLs, mail addresses, hosts, IP addresses and paths. No address contains a space, so each
// word is searched by itself, and only if it could contain an address.
func addresses(s string) (list []string) {
	for word := range strings.FieldsFuncSeq(s, func(c rune) bool { return strings.ContainsRune(" \t\n\f\r", c) }) {
		if !strings.ContainsFunc(strings.TrimRightFunc(word, addressEnds.has), addressMarks.has) {
			continue // each address has one of these marks
		}
		end := 0 // of the last address
		for _, m := range addressPattern().FindAllStringSubmatchIndex(word, -1) {
			list = append(list, mailAddresses(word, end, m[2])...)
			list = append(list, strings.TrimRight(word[m[2]:m[3]], ".,;:!?*"))
			end = m[3]
		}
		list = append(list, mailAddresses(word, end, len(word))...)
	}
	return list
}

// mailAddresses finds the mail addresses with an "@" in a part of a word. It reads back at most the length of a local part,
// because a pattern would try each character of a word as the first one of a local part.
func mailAddresses(s string, from, to int) (list []string) {
	const maxLocal = 64 // RFC 5321, section 4.5.3.1.1
	for at := from; at < to; at++ {
		if s[at] != '@' {
			continue
		}
		before := s[max(0, at-maxLocal-1):at]
		rest := strings.TrimRightFunc(before, isLocalPart)
		isWhole := !strings.HasSuffix(rest, "@") && !strings.HasSuffix(rest, "/")
		if domain := mailDomain().FindString(s[at+1 : min(len(s), at+maxDomain)]); domain != "" && isWhole && len(rest) < len(before) {
			list = append(list, before[len(rest):]+"@"+domain)
		}
	}
	return list
}

// Each address contains one of addressMarks. An address never ends with one of addressEnds, but these may follow it.
var addressMarks, addressEnds = newByteSet(".:/\\~@"), newByteSet("\"'`)]}>,;.:!?*")

// mailDomain matches the domain of a mail address.
var mailDomain = pattern(`(?i)^[a-z0-9-]+(?:\.[a-z0-9-]+)+`)

// maxDomain is the maximum length of a domain, in bytes (RFC 5321, section 4.5.3.1.2).
const maxDomain = 255

// isLocalPart reports whether a character may be in the local part of a mail address. The last two are a K and an S if
// case is ignored.
func isLocalPart(c rune) bool {
	return c < utf8.RuneSelf && text.IsAlnum(byte(c)) || strings.ContainsRune("._%+-\u212a\u017f", c)
}

// exampleHost matches an address at a host that is reserved for examples (RFC 2606, section 3).
var exampleHost = pattern(`(?i)^(?:[a-z0-9+.-]+://)?(?:[^/?#]*[@.])?example\.(?:com|net|org)(?:[:/?#]|$)`)

var addressPattern = pattern("(?i)(?:^|[^a-z0-9_.@/-])(" +
	"[a-z][a-z0-9+.-]{1,20}://[^\\s\"'`<>()\\[\\]{}]+" + // a URL
	"|(?:[a-z0-9-]+\\.)+(?:" + hostEnds + ")(?:[:/][^\\s\"'`<>()\\[\\]{}]*)?\\b" + // a host
	"|[0-9]{1,3}(?:\\.[0-9]{1,3}){3}(?::[0-9]+)?|localhost:[0-9]+" +
	"|(?:~|\\$\\{?home\\}?|[a-z]:)[/\\\\][^\\s\"'`<>()\\[\\]{},;]+" + // a path
	"|/(?:home|root|users|etc|var|tmp|opt|usr|mnt|proc|private|library|dev|srv)/[^\\s\"'`<>()\\[\\]{},;]*" +
	")")

// pattern compiles a regular expression when it is first needed.
var pattern = text.LazyRegexp
