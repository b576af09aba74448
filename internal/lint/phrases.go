package lint

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"pinproof/internal/rank"
	"pinproof/internal/text"
)

// This file finds wording that commands the model instead of describing the tool, or that asks the model for secrets. A
// tokenizer splits a text into words in one pass. Then the phrases of phraseTable are matched on words, not letters. So
// punctuation, letter case, emphasis and line ends between the words don't matter, and the time is linear.

const (
	// The maximum length, in bytes, of a word or a tag in the rules.
	maxWord = 30

	minToken = 20 // bytes; fewer digits don't decode to prose

	// The maximum length, in bytes, of a name that the rules look for in texts.
	maxMention = 128
)

// A phraseMatcher is the compiled form of phraseTable. It is compiled when a text is first read, not at start-up,
// because a run that reads no text doesn't need it.
type phraseMatcher struct {
	words map[string]*phraseWord

	// The value for every word that isn't in words.
	other phraseWord

	steps []phraseStep // of all phrases
}

// A phraseWord holds what the rules specify about a word. The name of a class in wordClasses has a phraseWord, too.
type phraseWord struct {
	steps []uint16      // the steps that it matches
	roles uint64        // see roleWords
	all   []*phraseWord // the words of a class
}

// A phraseStep is one place in a phrase, for one word.
type phraseStep struct {
	group  *phraseGroup
	unless []*phraseWord // the words of group.unless

	// The maximum number of words between the previous step and this one; -1 for the first step.
	gap int

	last bool
}

var phrases = sync.OnceValue(func() *phraseMatcher { return compilePhrases(phraseTable) })

func compilePhrases(table []phraseGroup) *phraseMatcher {
	m := &phraseMatcher{words: make(map[string]*phraseWord, 2048), steps: make([]phraseStep, 0, 2048)}
	for _, c := range wordClasses {
		words := m.appendWords(nil, c.words)
		m.appendWords(nil, c.name)[0].all = words
	}
	for _, row := range roleWords {
		for _, word := range m.appendWords(nil, row.words) {
			word.roles |= row.role
		}
	}
	var words []*phraseWord
	for i := range table {
		group := &table[i]
		unless := m.appendWords(nil, group.unless)
		for _, phrase := range group.phrases {
			gap := -1
			for step := range strings.FieldsSeq(phrase) {
				if n, ok := strings.CutPrefix(step, ".."); ok {
					gap, _ = strconv.Atoi(n)
					continue
				}
				words = m.appendWords(words[:0], step)
				for _, word := range words {
					word.steps = append(word.steps, uint16(len(m.steps)))
				}
				m.steps = append(m.steps, phraseStep{group, unless, gap, false})
			}
			m.steps[len(m.steps)-1].last = true
		}
	}
	return m
}

// appendWords appends the words of a list such as "a|b|CLASS", and adds new ones to m.
func (m *phraseMatcher) appendWords(list []*phraseWord, words string) []*phraseWord {
	for w := ""; words != ""; {
		w, words, _ = strings.Cut(words, "|")
		word := m.words[w]
		if word == nil {
			word = &phraseWord{}
			m.words[w] = word
		}
		if word.all != nil {
			list = append(list, word.all...)
		} else {
			list = append(list, word)
		}
	}
	return list
}

// word looks up a word in any letter case.
func (m *phraseMatcher) word(w string) *phraseWord {
	if word := m.words[strings.ToLower(w)]; len(w) <= maxWord && word != nil {
		return word
	}
	return &m.other
}

// A textToken is a word of a text, or one of the kinds of text that phraseTable has in braces.
type textToken struct {
	*phraseWord
	from int
}

// A phraseProgress has the numbers of the first and the last word of the latest match of a phrase up to a step. An
// earlier match isn't needed, because the next step depends only on the distance from the last word.
type phraseProgress struct{ start, end int }

// match reports the phrases in the text.
func (t *tokenizer) match() {
	m := t.m
	// Word numbers continue from text to text, so that the progress in an earlier text never counts. No word has
	// the number 0 or 1.
	base := t.next + 2
	t.next += len(t.words) + 1
	stop := base - 1
	negation := 0
	for i, w := range t.words {
		at := base + i
		// Try later steps first, so that one word can't match two steps of a phrase.
		for _, n := range slices.Backward(w.steps) {
			step := &m.steps[n]
			p := phraseProgress{at, at}
			if step.gap >= 0 {
				before := t.progress[n-1]
				if before.end < stop || at-before.end-1 > step.gap {
					continue
				}
				p.start = before.start
			}
			group := step.group
			isOrdinary := func(w textToken) bool { return slices.Contains(step.unless, w.phraseWord) }
			switch {
			case step.gap < 0 && group.unlessNegated && negation > stop && at-negation <= 10:
				// A negated first word also discards an earlier match of the first word, as in "send it here, never
				// send it there".
				t.progress[n] = phraseProgress{}
			case !step.last:
				t.progress[n] = p
			case slices.ContainsFunc(t.words[p.start-base:min(i+2, len(t.words))], isOrdinary), t.quoted(p.start - base):
			default:
				last := len(strings.TrimRight(t.s[w.from:w.from+text.RunSize(t.s[w.from:], wordBytes.has)], ".-"))
				found := textRange{t.words[p.start-base].from, w.from + last}
				t.r.hit("instruction-like", group.what, w.from+1, found, beside, afterOrder-last)
			}
		}
		if w.roles&isNegation != 0 {
			negation = at
		}
		if w.roles&isStop != 0 {
			stop = at
		}
	}
}

type textRange struct{ from, to int }

// A tokenizer splits texts into words, one text after another.
type tokenizer struct {
	r     *Reviewer
	m     *phraseMatcher
	s     string
	words []textToken

	progress   []phraseProgress // by step number
	next       int              // word numbers used by earlier texts
	commentEnd int
	scored     int // bytes of text in tags that were scored so far
	// The end of the last word for a download; 0 without such a word, or after the download's pipe into a shell.
	download int
	inside   []bool // the result of quotations, computed on first use
}

// read splits a text into words in one pass. A run of [A-Za-z0-9_.-] that doesn't end in a dot may be a name. Phrases
// match the runs of letters and digits in it.
func (t *tokenizer) read(r *Reviewer) {
	s := r.folded
	*t = tokenizer{r: r, m: t.m, s: s, words: t.words[:0], progress: t.progress, next: t.next}
	for i := 0; i < len(s); {
		from := i
		joint := false
		for ; i < len(s) && (nameBytes[s[i]] || s[i] == '.' && i+1 < len(s) && nameBytes[s[i+1]]); i++ {
			joint = joint || !text.IsAlnum(s[i])
		}
		if i == from {
			if s[i] < 0x80 && s[i] != ' ' {
				t.mark(i)
			}
			i++
			continue
		}
		if i-from >= minToken {
			t.encoded(from, i)
		}
		formed := distinct(s[from:i])
		if joint {
			i = t.joined(from, i)
			continue
		}
		t.add(s[from:i], from)
		t.toolName(from, i, formed)
		if strings.HasPrefix(s[i:], "://") {
			t.add("{address}", i)
		}
	}
}

// add adds a token and returns its roles.
func (t *tokenizer) add(word string, from int) uint64 {
	w := t.m.word(word)
	t.words = append(t.words, textToken{w, from})
	if w.roles&isDownload != 0 {
		t.download = from + len(word)
	}
	return w.roles
}

// beside returns the bytes before and after a range, or a space at an end of the text.
func (t *tokenizer) beside(from, to int) (before, after byte) {
	before = ' '
	after = ' '
	if from > 0 {
		before = t.s[from-1]
	}
	if to < len(t.s) {
		after = t.s[to]
	}
	return before, after
}

// mark reads one byte that isn't part of a word.
func (t *tokenizer) mark(i int) {
	s := t.s
	before, next := t.beside(i, i+1)
	switch s[i] {
	case '.', '!', '?':
		if endsSentence(s, i) {
			t.add(".", i)
		}
	case ',':
		// The comma keeps "t" and "tell" apart in "If you can't, tell the user."
		if n := len(t.words); n > 0 && t.words[n-1].roles&isNegation != 0 && text.IsAlnum(before) {
			t.add("{comma}", i)
		}
	case ':':
		if next <= ' ' {
			t.add("{colon}", i)
		}
	case '<', '[':
		t.tag(i)
	case '|':
		isNear := t.download > 0 && i < t.download+8*maxWord && !strings.Contains(strings.ReplaceAll(s[t.download:i], "\\\n", ""), "\n")
		if isNear && pipedInto().MatchString(s[i+1:min(len(s), i+2*maxWord)]) {
			t.add("{piped}", i)
			t.download = 0
		}
	case '@':
		if i > 0 && text.IsAlnum(before) && text.IsAlnum(next) {
			t.add("{address}", i)
		}
	case '/':
		if next != '/' && t.fileAt(i) > 0 {
			t.add("{secret}", i)
		}
	}
}

// toolName adds a token if a word looks like a tool's name and the server has no tool, parameter or value of that name.
// It reports whether it added one. formed is the result of distinct for the word.
func (t *tokenizer) toolName(from, to int, formed bool) bool {
	s, name := t.s, t.s[from:to]
	before, after := t.beside(from, to)
	quoted := strings.IndexByte("'\"`", before) >= 0 && before == after
	ofTool := after == ',' && strings.HasSuffix(strings.ToLower(s[max(0, from-5):from]), "tool ")
	if !formed && !quoted && !ofTool || len(name) < minMention || len(name) > maxMention || name == strings.ToUpper(name) {
		return false // most words
	}
	inside := name[1 : len(name)-1]
	token := "{tool}"
	hyphens := strings.Count(inside, "-")
	switch {
	case strings.Contains(inside, "_"), isCamel(name) && (quoted || name[0] >= 'a'):
	case quoted && hyphens > 0, hyphens > 1 && !strings.ContainsAny(name, "0123456789"):
	case !formed:
		token = "{quoted}"
	default:
		return false
	}
	if !t.r.lacks(name) {
		return false
	}
	t.add(token, from)
	return true
}

// joined reads a word with _ - or . in it and returns the offset to continue at: after the word, or after the file if
// the word is a folder of secretFiles.
func (t *tokenizer) joined(from, to int) int {
	if end := t.fileAt(from); end > 0 {
		t.add("{secret}", from)
		return end
	}
	count := len(t.words)
	orders := false
	for at := from; at < to; at++ {
		start := at
		for at < to && text.IsAlnum(t.s[at]) {
			at++
		}
		if at > start {
			orders = t.add(t.s[start:at], start)&(isNegation|isOrder) != 0 || orders
		}
	}
	if end := len(t.words); !orders && t.toolName(from, to, true) { // do_not_tell_anyone remains a sequence of words
		t.words = append(t.words[:count], t.words[end])
	}
	return to
}

// word returns the word or the file name that begins at from, up to a number of bytes.
func (t *tokenizer) word(from, most int) string {
	s := t.s[from:min(len(t.s), from+most)]
	return strings.TrimRight(s[:text.RunSize(s, func(c rune) bool { return wordBytes.has(c) || strings.ContainsRune(`/\~$`, c) })], `.-\`)
}

// maxFile is the greatest length of a path in secretFiles, in bytes.
const maxFile = 40

// fileAt looks up the path at from in secretFiles: the whole path, then its first two parts, then its first part. It
// returns the offset after what it found, or 0.
func (t *tokenizer) fileAt(from int) int {
	path := strings.ToLower(strings.ReplaceAll(t.word(from, maxFile+1), `\`, "/"))
	folder, rest, _ := strings.Cut(path, "/")
	inside, _, _ := strings.Cut(rest, "/")
	for _, name := range []string{path, folder + "/" + inside, folder} {
		if secretFiles()[name] != "" {
			return from + len(name)
		}
	}
	return 0
}

// tag reports a prompt marker, a pseudo-tag or an HTML comment at i.
func (t *tokenizer) tag(i int) {
	rest := t.s[i:min(len(t.s), i+maxWord+100)] // with the attributes of a tag
	if strings.HasPrefix(rest, "<!--") {
		t.comment(i)
		return
	}
	size := 0
	var m []string
	if rest[0] == '<' {
		m = angleTag().FindStringSubmatch(rest)
	}
	if m != nil && t.pretends(m[2], i, m[1] != "") && !t.isMarkup(i, m[0]) {
		size = len(m[0])
	} else if m == nil {
		size = len(promptMark().FindString(rest))
	}
	if size > 0 {
		t.r.hit("instruction-like", asTag, i+size, textRange{i, i + size}, 0, afterOrder)
	}
}

// pretends reports whether a tag in angle brackets, opening or closing, is a pseudo-tag.
func (t *tokenizer) pretends(spelled string, at int, end bool) bool {
	// The number of bytes before an end tag in which to search for its start tag.
	const near = 500
	name := strings.ToLower(spelled)
	upper := spelled == strings.ToUpper(name)
	switch pseudoTags()[name] {
	case tagAlways:
		return true
	case tagUpper:
		return upper || end
	case tagPair:
		return end
	case tagBreak:
		return end && !strings.Contains(strings.ToLower(t.s[max(0, at-near):at]), "<"+name)
	case tagPlain:
		return false
	}
	return upper && end
}

// isMarkup reports whether a tag at i is markup from source documentation that SDKs leave in a text: the tag surrounds
// paragraphs that don't read like orders. To bound the work, isMarkup returns false after scoring twice the length of
// the text.
func (t *tokenizer) isMarkup(i int, tag string) bool {
	if strings.HasPrefix(tag, "</") {
		before := strings.TrimRight(t.s[max(0, i-maxWord):i], " \t\r\n")
		return strings.HasSuffix(before, "</p>") || strings.HasSuffix(before, "</para>")
	}
	inside, _, isClosed := strings.Cut(t.s[i+len(tag):min(len(t.s), i+maxMarkup)], "</"+tag[1:])
	inside = strings.TrimSpace(inside)
	if !isClosed || strings.Contains(inside, tag) || !strings.HasPrefix(inside, "<p>") && !strings.HasPrefix(inside, "<para>") {
		return false
	}
	t.scored += len(inside)
	return t.scored <= 2*len(t.s) && rank.LearnedModel().Score(inside) < suspect
}

// maxMarkup is the maximum number of bytes after a tag that isMarkup examines.
const maxMarkup = 2000

// comment reports an HTML comment at i that contains prose: more than four words, or two to four words that don't begin
// with one of commentWords (placeholders, markers and licences).
func (t *tokenizer) comment(i int) {
	if i < t.commentEnd {
		return // inside another one
	}
	inside, _, _ := strings.Cut(t.s[i+len("<!--"):], "-->")
	t.commentEnd = i + len("<!--"+"-->") + len(inside)
	words := strings.FieldsFunc(strings.ToLower(inside), func(c rune) bool { return c != '-' && !unicode.IsLetter(c) })
	if n := len(words); n > 4 || n > 1 && commentWords()[words[0]] == "" {
		t.r.hit("instruction-like", asComment, t.commentEnd, textRange{i, i}, 0, min(t.commentEnd-i, 2*afterOrder))
	}
}

// otherScripts reports the first order of each kind in scripts that the tokenizer can't split into words. It skips
// quoted orders in a text about detecting such orders.
func (r *Reviewer) otherScripts() {
	var quoted []bool
	if slices.ContainsFunc(foreignWatch, func(part string) bool { return strings.Contains(r.text, part) }) {
		quoted = quotations(r.text)
	}
	told := map[string]bool{}
	for _, order := range foreignOrders {
		if from, to := order.find(r.text, r.pinned, quoted); to > 0 && !told[order.what] {
			told[order.what] = true
			r.add("instruction-like", "%s%s: %s", order.what, r.where, r.around(from, to))
		}
	}
}

// find returns the start and end of the first order that ends after the pinned bytes and isn't quoted, or 0, 0.
func (o *foreignOrder) find(s string, pinned int, quoted []bool) (from, to int) {
	const most = 200 // maximum number of bytes to search after the first word
	for first := range strings.FieldsSeq(o.first) {
		next := 0
		for {
			n := strings.Index(s[next:], first)
			if n < 0 {
				break
			}
			from := next + n
			next = from + len(first)
			rest := o.rest().FindStringIndex(s[next:min(len(s), next+most)])
			if rest != nil && next+rest[1] > pinned && (quoted == nil || !quoted[from]) {
				return from, next + rest[1]
			}
		}
	}
	return 0, 0
}
