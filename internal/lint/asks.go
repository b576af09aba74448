package lint

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/text"
)

// Sentences that ask the model for what a tool can't have unless the model hands it over: the
// content of files with secrets, the environment, the conversation. Naming such a thing isn't
// an order: honest tools say that they never read it, leave it out or rotate it. So the rules
// look at the words around a thing: whether it is handed over, whose it is, where it goes, and
// whether its clause is negated.

const (
	// How many words of a sentence are looked at on either side of a thing.
	aroundThing = 16

	// How many bytes on either side of a thing are searched for foreignNegations.
	foreignNear = 60
)

// A thing is a word that names something to ask for, with the words around it.
type thing struct {
	*tokenizer
	words []textToken
	at    int
	first int // index of words[0] among the words of the text
}

// asks reports what the sentences of the text ask for.
func (t *tokenizer) asks() {
	from := 0
	for at, w := range t.words {
		if w.roles&isStop != 0 {
			from = at + 1
		}
		if w.roles&roleThing == 0 {
			continue
		}
		first := max(from, at-aroundThing)
		to := at
		for to < min(len(t.words), at+aroundThing) && t.words[to].roles&isStop == 0 {
			to++
		}
		thing{t, t.words[first:to], at - first, first}.ask()
	}
}

// near reports whether a word with one of the roles is within so many words.
func (n thing) near(roles uint64, before, after int) bool {
	for i := max(0, n.at-before); i < min(len(n.words), n.at+after+1); i++ {
		if i != n.at && n.words[i].roles&roles != 0 {
			return true
		}
	}
	return false
}

// ask reports the thing if the sentence asks for it.
func (n thing) ask() {
	w := n.words[n.at]
	if w.roles&roleCredentials != 0 {
		// The kind isn't known if the path has a backslash: .aws\credentials.
		kind := secretFiles()[strings.ToLower(n.word(w.from))]
		n.report("secret-path", "names "+cmp.Or(kind, "a file that holds secrets"))
		return
	}
	for _, rule := range askings {
		if !rule.is(n, w.roles) {
			continue
		}
		if rule.asked(n, n.surroundings()) {
			n.report(rule.id, rule.what)
		}
		return
	}
}

// report adds a finding, unless the clause says that the thing is left alone, or the text quotes it as an attack.
func (n thing) report(id, what string) {
	from := n.words[n.at].from
	to := from + len(n.word(from))
	if n.handled() || n.quoted(n.first+n.at) {
		return
	}
	n.r.hit(id, what, to, textRange{from, to}, beside, afterOrder+from-to)
}

// surroundings is what the words around a thing say about it.
type surroundings struct {
	// carried: the thing is handed over. slot: an argument or an answer is named. content: the content of the
	// thing is meant.
	carried, slot, content bool

	// The thing is to go into an argument or an answer.
	into bool

	// The parameter whose description, title, default or example is read; "" if there is none.
	parameter string
}

func (n thing) surroundings() (s surroundings) {
	const far = aroundThing
	if path := n.r.path; len(path) > 2 && path[len(path)-3].Name == "properties" {
		s.parameter = path[len(path)-2].Name
	}
	s.carried = n.near(roleCarry, far, far)
	s.slot = n.near(roleSlot, far, far)
	s.content = n.near(roleContent, 6, 5)
	s.into = s.slot && (s.carried || n.near(roleMust, far, far))
	if s.parameter != "" && (s.carried || n.at < 8) {
		s.into = true
	}
	return s
}

// ownsSecret reports whether the parameter is for a secret that the tool itself needs, such as a key to log in.
func (n thing) ownsSecret(s surroundings, before int) bool {
	return n.near(roleOwnSlot, before, aroundThing) || ownSlot(s.parameter)
}

// askings are the kinds of things. The first kind that fits a word (is) decides whether the sentence asks for the
// thing (asked).
var askings = []struct {
	is    func(n thing, roles uint64) bool
	asked func(n thing, s surroundings) bool
	id    string
	what  string
}{
	{isRole(roleFile), thing.asksFile, "secret-path", mayHold},
	{isRole(roleVariable), thing.asksVariable, "secret-path", "asks for a secret in the environment"},
	{isRole(roleEnvironment), thing.asksEnvironment, "secret-path", "asks for the environment"},
	{thing.isSecret, thing.asksSecret, "secret-path", "asks for secrets"},
	{thing.isSystemPrompt, thing.asksPrompt, "instruction-like", askPrompt},
	{isRole(rolePiped), thing.runsDownload, "instruction-like", "runs a download in a shell"},
	{isRole(roleAccount), thing.namesAccount, "instruction-like", ownAccount},
	{isRole(roleWallet), thing.paysWallet, "instruction-like", ownAccount},
	{isRole(roleTalk), thing.asksTalk, "instruction-like", askTalk},
}

func isRole(role uint64) func(thing, uint64) bool {
	return func(_ thing, roles uint64) bool { return roles&role != 0 }
}

func (n thing) isSecret(roles uint64) bool {
	return roles&roleSecret != 0 || roles&roleKey != 0 && n.near(rolePrivate, 1, 0)
}

func (n thing) isSystemPrompt(roles uint64) bool {
	return roles&rolePrompt != 0 && n.near(roleSystem, 1, 0)
}

func (n thing) asksFile(s surroundings) bool {
	const far = aroundThing
	if s.content && (s.into || s.carried || n.near(roleRead, far, far)) {
		return true
	}
	if s.carried && (s.slot || n.near(roleRead, 4, 0)) {
		return true
	}
	return n.near(roleSend, 8, 0) || n.near(roleMust, far, 0) && n.near(roleRead, 6, 0)
}

func (n thing) asksVariable(s surroundings) bool {
	return s.into && (s.content || s.carried) && !n.ownsSecret(s, aroundThing)
}

func (n thing) asksEnvironment(s surroundings) bool {
	if s.into && n.near(roleWhole|roleContent, 5, 4) && n.near(roleLive|roleRead|roleContent, 6, 5) {
		return true
	}
	handedOn := n.near(roleRead, 4, 0) && n.near(roleCarry, 0, aroundThing)
	return handedOn && (n.near(roleLive, 4, 4) || n.near(roleMany, 0, 1))
}

func (n thing) asksSecret(s surroundings) bool {
	if n.near(roleSend, 6, 0) && n.near(roleWhole|roleOwner, 4, 0) {
		return true
	}
	handedOver := s.content || s.carried && n.words[n.at].roles&roleSecret != 0
	return s.into && handedOver && n.near(roleOwner|roleWhole, 5, 4) && !n.ownsSecret(s, 0)
}

func (n thing) asksPrompt(s surroundings) bool {
	return (s.into || n.near(roleTell, 6, 0)) && n.near(roleOwner|roleWhole, 4, 4)
}

// runsDownload reports whether a download in a shell is neither an example nor a hint on how to install
// something, which isn't an order.
func (n thing) runsDownload(surroundings) bool {
	if n.near(roleInstall, aroundThing, 4) && !n.near(roleMust|roleFirst, aroundThing, aroundThing) {
		return false
	}
	return !n.isExampleHere()
}

// isExampleHere reports whether a word before the thing makes it an example. The word in example.com doesn't.
func (n thing) isExampleHere() bool {
	return slices.ContainsFunc(n.words[:n.at], func(w textToken) bool {
		before, _ := n.beside(w.from, w.from)
		return w.roles&isExample != 0 && strings.IndexByte("./@", before) < 0
	})
}

func (n thing) asksTalk(s surroundings) bool {
	return s.into && n.near(roleWhole, 4, 2) && n.near(roleLive|roleSlot, aroundThing, 6)
}

// handled reports whether the clause of the thing says that the thing isn't read, is left out, or
// is written. A word that negates the clause says so, unless another word undoes the negation
// ("never forget", "calls without it are rejected").
func (n thing) handled() bool {
	around := n.s[max(0, n.words[n.at].from-foreignNear):min(len(n.s), n.words[n.at].from+foreignNear)]
	if has(around, foreignNegations) {
		return true
	}
	turned := false
	turner := uint64(0)
	for i, w := range n.words[:n.at+1] {
		switch {
		case n.begins(i):
			turned = false
		case i == n.at:
		case w.roles&(roleNegation|roleExclude|roleWithout) != 0:
			turned = !turned || w.roles&(roleExclude|roleWithout) == 0
			turner = w.roles
		case w.roles&roleUndo != 0:
			turned = false
		case w.roles&roleWrite != 0 && n.at-i <= 8:
			turned = true
			turner = roleWrite
		}
	}
	// "uses the content of it: put it into note" isn't handling.
	if turned && turner == roleWrite {
		return !n.near(roleContent, 6, 0) && !(n.near(roleCarry, 0, aroundThing) && n.near(roleSlot, 0, aroundThing))
	}
	if turned {
		return turner&roleNegation == 0 || !n.near(roleReject, 0, aroundThing)
	}
	for i := n.at + 1; i < len(n.words) && !n.begins(i); i++ {
		switch roles := n.words[i].roles; {
		case roles&roleUndo != 0:
			return false
		case roles&roleNegation != 0 && (roles|n.words[i-1].roles)&roleIs != 0:
			turned = true
		}
	}
	return turned
}

// begins reports whether a word begins another clause: it is an order after a punctuation mark or an "and".
func (n thing) begins(i int) bool {
	w := n.words[i]
	if i == 0 {
		return false
	}
	before := n.words[i-1]
	gap := n.s[before.from:w.from]
	orders := w.roles&(roleCarry|roleRead|roleMust|roleThen) != 0 && before.roles&(roleCarry|roleRead) == 0
	return strings.Contains(gap, ";") || orders && (before.roles&roleThen != 0 || strings.ContainsAny(gap, ",:(\n"))
}

// ownSlot reports whether a parameter is named after a secret: asking for a secret there is ordinary.
func ownSlot(name string) bool {
	return slices.ContainsFunc(nameWords(name), func(word string) bool { return phrases().word(word).roles&roleOwnSlot != 0 })
}

// quoted reports whether what was found is a quotation in a text about finding such texts: "Flags phrases like
// 'ignore previous instructions'." The sentence has to say that the tool looks for texts, or that sentence or one
// shortly before it has to speak of attacks. A quotation that the sentence says to follow doesn't count.
func (t *tokenizer) quoted(first int) bool {
	if t.inside == nil {
		t.inside = quotations(t.s)
	}
	if !t.inside[t.words[first].from] {
		return false
	}
	isQuoted := false
	inSentence := true
	for i := first; i > max(0, first-nearQuotation); i-- {
		w := t.words[i-1]
		if t.inside[w.from] {
			continue
		}
		inSentence = inSentence && w.roles&isStop == 0
		if inSentence && w.roles&roleObey != 0 {
			return false
		}
		isQuoted = isQuoted || w.roles&roleAttack != 0 || inSentence && w.roles&roleWatch != 0
	}
	// The rest of the sentence: "…" is what you do next; "…" is an attack.
	for _, w := range t.words[first:min(len(t.words), first+nearQuotation)] {
		if t.inside[w.from] {
			continue
		}
		if w.roles&roleObey != 0 {
			return false
		}
		if w.roles&isStop != 0 {
			break
		}
		isQuoted = isQuoted || w.roles&roleAttack != 0
	}
	return isQuoted
}

// nearQuotation is how many words on either side of a quoted order are looked at.
const nearQuotation = 60

// quoteMarks are the marks before and behind a quotation.
var quoteMarks = [...][2]string{{"\"", "\""}, {"\u201c", "\u201d"}, {"\u201e", "\u201c"}, {"\u00ab", "\u00bb"}, {"\u300c", "\u300d"}, {" '", "'"}, {"\u2018", "\u2019"}, {"`", "`"}}

// quotations returns for each byte of a text whether it is inside a quotation. A quotation is within one line.
// An apostrophe in a word doesn't end it.
func quotations(s string) []bool {
	inside := make([]bool, len(s)+1)
	for _, mark := range quoteMarks {
		for at := 0; ; {
			n := strings.Index(s[at:], mark[0])
			if n < 0 {
				break
			}
			from := at + n + len(mark[0])
			line, _, _ := strings.Cut(s[from:min(len(s), from+maxQuotation)], "\n")
			size := closing(line, mark[1])
			if size < 0 {
				at = from
				continue
			}
			for i := from; i < from+size; i++ {
				inside[i] = true
			}
			at = from + size + len(mark[1])
		}
	}
	return inside
}

// maxQuotation is how many bytes a quotation has at most.
const maxQuotation = 400

// closing returns where the mark is that ends a quotation, or -1.
func closing(s, mark string) int {
	for at := 0; ; {
		n := strings.Index(s[at:], mark)
		if n < 0 {
			return -1
		}
		end := at + n + len(mark)
		if mark != "'" || end == len(s) || !text.IsAlnum(s[end]) {
			return at + n
		}
		at = end
	}
}
