package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// What is new in an upgrade and deserves to be read first, although no rule knows it as
// poison: sentences that order, and addresses. Both are notes. They need no yes, and
// they are only made for drifted entries.

const (
	maxNoted  = 3 // sentences or addresses that one note quotes; the rest is counted
	nearOrder = 4 // words between a verb and a tool, or between "any" and "tool"
)

// isOwnURI reports whether a path leads to the URI of a skill or of one of its files, which stand in its own
// folder, of the scheme that the server gives them: no place that anything is sent to.
func isOwnURI(path []jsontree.Step) bool {
	last := path[len(path)-1].Name
	return last == "uri" && (len(path) == 1 || len(path) == 3 && path[0].Name == "resources")
}

// joined reports the orders and addresses that a definition has and the approved one
// (before) lacks. A sentence or an address that only moved to another place didn't join.
func (r *Reviewer) joined(before *jsontree.Value) {
	said := map[string]bool{} // texts, and their sentences and addresses
	isNew := func(part string) bool {
		known := said[part]
		said[part] = true
		return !known
	}
	eachRead(before, func(text string, _ []jsontree.Step) {
		said[text] = true
		for _, sentence := range sentences(text) {
			said[plainSentence(sentence)] = true
		}
		for _, address := range addresses(text) {
			said[address] = true
		}
	})
	var orders, found []quote
	eachRead(&r.root, func(text string, path []jsontree.Step) {
		if said[text] {
			return
		}
		for _, sentence := range sentences(text) {
			plain := plainSentence(sentence)
			if weight, strong := r.order(plain, isParameter(path)); weight > 0 && isNew(plain) {
				orders = append(orders, quote{sentence, slices.Clone(path), weight, strong})
			}
		}
		if r.about.List == pin.Skills && isOwnURI(path) {
			return
		}
		for _, address := range addresses(text) {
			if !exampleHost().MatchString(address) && isNew(address) {
				found = append(found, quote{text: address, path: slices.Clone(path)})
			}
		}
	})
	r.quote("order", "a new sentence that orders", "new sentences that order", orders)
	r.quote("new-address", "a new address", "new addresses", found)
}

// A quote is a part of a text for a detail.
type quote struct {
	text   string
	path   []jsontree.Step
	weight int
	strong bool
}

// quote makes one note of a list, which quotes those that weigh most.
func (r *Reviewer) quote(id, what, several string, list []quote) {
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b quote) int { return b.weight - a.weight })
	var texts []string
	for _, one := range list[:min(len(list), maxNoted)] {
		texts = append(texts, whole(one.text))
	}
	said := strings.Join(texts, ", ")
	if left := len(list) - len(texts); left > 0 {
		said += fmt.Sprintf(" and %s more", text.Number(left))
	}
	if len(list) > 1 {
		what = text.Number(len(list)) + " " + several
	}
	r.path = list[0].path
	r.add(id, "%s: %s", what, said)
	f := &r.list[len(r.list)-1]
	f.Weight, f.Strong = list[0].weight, slices.ContainsFunc(list, func(q quote) bool { return q.strong })
}

// A Sentence is one of a definition's texts.
type Sentence struct {
	Text    string // as the server wrote it
	Pointer string // where the text stands, a JSON Pointer
}

// NewSentences lists the sentences that a definition has and the approved one (before) lacks, in
// their order, each once. One that is only wrapped anew, moved or got a full stop isn't new.
// Names of entries and symbols such as a format are no sentences.
func NewSentences(before, now *jsontree.Value) (list []Sentence) {
	known := map[string]bool{}
	eachRead(before, func(text string, _ []jsontree.Step) {
		known[text] = true
		for _, sentence := range sentences(text) {
			known[plainSentence(sentence)] = true
		}
	})
	eachRead(now, func(text string, path []jsontree.Step) {
		if known[text] || len(path) == 1 && isIdentity(path[0].Name) {
			return
		}
		for _, sentence := range sentences(text) {
			plain := plainSentence(sentence)
			if known[plain] {
				continue
			}
			known[plain] = true
			pointer := ""
			for _, step := range path {
				pointer = jsontree.Pointer(pointer, schema.Token(step))
			}
			list = append(list, Sentence{sentence, pointer})
		}
	})
	return list
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

// isParameter reports whether a path leads into a schema, where texts say what a value is.
func isParameter(path []jsontree.Step) bool {
	return len(path) > 1 && slices.ContainsFunc(path[:len(path)-1], func(s jsontree.Step) bool { return s.Name == "properties" })
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
			if (next == len(s) || s[next] <= ' ') && !strings.HasSuffix(s[:i], "e.g") && !strings.HasSuffix(s[:i], "i.e") {
				end(next)
			}
		case '。', '！', '？', '।', '؟':
			end(next)
		case '\n':
			rest := strings.TrimLeft(s[next:min(len(s), next+maxWord)], " \t")
			if rest == "" || strings.IndexByte("\n-*#|>", rest[0]) >= 0 || rest[0] >= '0' && rest[0] <= '9' {
				end(next)
			}
		}
	}
	end(len(s))
	return list
}

// plainSentence is a sentence as the detectors read it, in small letters, with single blanks and
// without its full stop, so that a text that is only wrapped anew has no new sentences, nor has
// one that gets a full stop.
func plainSentence(s string) string {
	if !isPlain(s) {
		s = plainText(s)
	}
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(s), " ")), ".。")
}

// order says how much a sentence, in small letters, sounds like an order to the model, 0 for not at
// all, and whether it is a strong one. A sentence orders if it has a word of orders; a verb for a
// call and either a word for the order of steps or the name of a tool that the server lacks;
// if it says what the model should do; or if it begins with such a verb and names a person, a
// system or an address. That of a parameter must have more than a word of orders or of
// steps: "must match exactly" only says what the value is.
//
// It weighs more the more it is about other tools and steps, about the model, a tool that
// the server lacks or an address, about what guards the user, or about secrets. A strong
// one tells the model to use a tool that the server lacks, what to do at any step or with other
// tools, to set aside what guards the user or to keep something from them, or to hand over
// secrets, and says so without "if the user asks".
func (r *Reviewer) order(s string, ofParameter bool) (weight int, strong bool) {
	sign := has(s, orderSigns) || has(s, foreignSigns)
	if !sign && isPlain(s) && strings.Count(s, " ") < 2 {
		return 0, false // a value, or a heading
	}
	kinds := make([]string, 0, 32) // of its words, and what these say together
	has := func(kind string) bool { return slices.Contains(kinds, kind) }
	note := func(kind string, is bool) {
		if is && !has(kind) {
			kinds = append(kinds, kind)
		}
	}
	first, negated := "", false // the kind of the first word that isn't polite; at this word of the clause
	at, anyAt, verbAt := 0, -nearOrder, -nearOrder
	for from := 0; from < len(s); {
		n := text.RunSize(s[from:], func(c rune) bool { return c == '\'' || wordBytes.has(c) || c >= 0x80 })
		if n == 0 {
			negated = negated && strings.IndexByte(",;:(", s[from]) < 0
			from++
			continue
		}
		word := strings.TrimFunc(s[from:from+n], func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		kind, strength := cmp.Or(orderKinds()[word], "none"), strongKinds()[word]
		if first == "" && kind != "polite" {
			first = kind
		}
		note(kind, true)
		if strings.IndexByte(word, '_') > 0 && r.lacks(word) {
			note("tool", true)
			note("call", at-verbAt <= nearOrder || strings.HasPrefix(strings.TrimLeft(s[from+n:], " '\"`"), "tool"))
		}
		switch strength {
		case "negation":
			note("undone", !negated && has("guarded")) // "never without" is a guard
			negated = !negated
		case "undo", "carry":
			note(strength, !negated)
		case "consult":
			note("kept", negated)
		}
		switch kind {
		case "guard":
			note("guarded", strength == "") // "disable" is no guard itself
			note("undone", negated)
		case "verb":
			if strength != "carry" {
				verbAt = at
			}
		case "any", "another":
			anyAt = at
		case "work":
			note("every", at-anyAt <= nearOrder)
		}
		if from += n; from < len(s) && s[from] == ':' {
			first = "" // "Note to all: send …"
		}
		at++
	}
	tool, address, order := has("tool"), len(addresses(s)) > 0, sign || has("order")
	step := has("step")
	if ofParameter {
		order = order && (has("verb") || has("you") || has("model"))
		step = step && (order || tool)
	}
	if !(order || has("verb") && (step || tool) || has("model") && has("modal") ||
		first == "verb" && (has("party") || has("another") || tool || has("model") || address || has("undo") && has("guarded"))) {
		return 0, false
	}
	strong = !strings.HasPrefix(s, "if the user ") && (has("call") || has("every") && (order || step) ||
		has("undone") || has("undo") && has("guarded") || has("kept") && has("party") || has("carry") && has("secret"))
	weight = 1 + 3*RankOf(strong) + 2*RankOf(tool) + 2*RankOf(order && has("verb")) + RankOf(address) + RankOf(step)
	for _, kind := range []string{"model", "this", "guard", "every", "party"} {
		weight += RankOf(has(kind))
	}
	return weight, strong
}

// addresses finds URLs, mail addresses, hosts, IP addresses and paths. None has a blank in
// it, so each word is searched by itself, and only one that could hold an address.
func addresses(s string) (list []string) {
	for word := range strings.FieldsFuncSeq(s, func(c rune) bool { return strings.ContainsRune(" \t\n\f\r", c) }) {
		if !couldHoldAddress(word) {
			continue
		}
		for _, m := range addressPattern().FindAllStringSubmatch(word, -1) {
			list = append(list, strings.TrimRight(m[1], ".,;:!?*"))
		}
	}
	return list
}

// couldHoldAddress reports whether one of the marks that every address has stands before
// the end of a word, and not before its closing quote, bracket or full stop.
func couldHoldAddress(word string) bool {
	for i := 0; i+1 < len(word); i++ {
		if addressMarks[word[i]] && !addressEnds[word[i+1]] {
			return true
		}
	}
	return false
}

var addressMarks, addressEnds = newByteSet(".:/\\~@"), newByteSet(" \t\n\f\r\"'`)]}>,;")

// exampleHost matches an address at a host that nobody can have (RFC 2606, section 3).
var exampleHost = pattern(`(?i)^(?:[a-z0-9+.-]+://)?(?:[^/?#]*[@.])?example\.(?:com|net|org)(?:[:/?#]|$)`)

var addressPattern = pattern("(?i)(?:^|[^a-z0-9_.@/-])(" +
	"[a-z][a-z0-9+.-]{1,20}://[^\\s\"'`<>()\\[\\]{}]+" + // a URL
	"|[a-z0-9._%+-]+@[a-z0-9-]+(?:\\.[a-z0-9-]+)+" + // a mail address
	"|(?:[a-z0-9-]+\\.)+(?:" + hostEnds + ")(?:[:/][^\\s\"'`<>()\\[\\]{}]*)?\\b" + // a host
	"|[0-9]{1,3}(?:\\.[0-9]{1,3}){3}(?::[0-9]+)?|localhost:[0-9]+" +
	"|(?:~|\\$\\{?home\\}?|[a-z]:)[/\\\\][^\\s\"'`<>()\\[\\]{},;]+" + // a path
	"|/(?:home|root|users|etc|var|tmp|opt|usr|mnt|proc|private|library|dev|srv)/[^\\s\"'`<>()\\[\\]{},;]*" +
	")")

// pattern compiles a regular expression when it is first needed.
func pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
