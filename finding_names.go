package main

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	maxOthers     = 3       // tools or servers named in one detail
	minMention    = 3       // bytes of a name that a text can mention
	maxVocabulary = 100_000 // names of parameters and values kept of one server
	minFamily     = 3       // tools of one server whose names begin alike
)

// A nameIndex holds every name that a review compares with. Reviews may use it side
// by side.
type nameIndex struct {
	names     map[string][]string // tool name: the servers that list or pin it, in order
	skeletons map[string][]string // skeleton: the names that have it
	now       map[string]*serverNames
	odd       bool // some name is no word (isWord)
}

// newNameIndex takes the names of all tools pinned in the lockfile and listed in
// the manifests at hand.
func newNameIndex(lock lockfile, found []pinset) *nameIndex {
	sets := slices.Concat(lock.servers, found)
	slices.SortStableFunc(sets, func(a, b pinset) int { return compareUTF16(a.server, b.server) })
	total := 0
	for _, s := range sets {
		total += len(s.pins)
	}
	x := &nameIndex{names: make(map[string][]string, total), skeletons: make(map[string][]string, total), now: map[string]*serverNames{}}
	for i := range sets {
		s := &sets[i]
		x.now[s.server] = &serverNames{set: s, pins: pinsRead(s), lacks: map[string]bool{}} // of the pins, then of the manifest
		for _, p := range s.of(toolList) {
			x.addName(p.name, s.server)
		}
	}
	return x
}

func (x *nameIndex) addName(name, server string) {
	have := x.names[name]
	if name == "" || len(have) > 0 && have[len(have)-1] == server {
		return
	}
	if x.names[name] = append(have, server); len(have) > 0 {
		return
	}
	const most = 64 // of one skeleton: enough to tell of, and each name is held against them
	for _, key := range skeletons(name) {
		if list := x.skeletons[key]; len(list) < most && !slices.Contains(list, name) {
			x.skeletons[key] = append(list, name)
		}
	}
	x.odd = x.odd || !isWord(name)
}

// isLabel reports whether a word is the label of a server that a text can mention.
func (x *nameIndex) isLabel(word string) bool {
	return len(word) >= minMention && x.now[word] != nil && word != "default" && isWord(word)
}

// others names the other servers that list or pin a tool of that name, or is "".
func (x *nameIndex) others(server, name string) string {
	others := slices.DeleteFunc(slices.Clone(x.names[name]), func(other string) bool { return other == server })
	return named(quotedNames(others), maxOthers)
}

// has reports whether the server has a tool of that name now.
func (s *serverNames) has(name string) bool {
	return s != nil && s.set.find(entryKey{toolList, name}) != nil
}

// lacks reports whether a word that has the form of a tool's name is none of the
// server's own names: of its tools, also with another separator or without their
// common prefix, its parameters and their values. What another server is known
// to have is never its own.
func (r *review) lacks(name string) bool {
	s := r.own
	switch {
	case r.namesOnly || name == r.about.entry:
		return false
	case len(r.x.names[name]) > 0:
		return !s.has(name)
	case s == nil:
		return !commonTerm(name)
	}
	s.asked.Lock()
	defer s.asked.Unlock()
	lacks, known := s.lacks[name]
	if !known {
		lacks = !commonTerm(name) && !s.uses(name)
		if len(s.lacks) < maxVocabulary {
			s.lacks[name] = lacks
		}
	}
	return lacks
}

// A serverNames is what one server has: its manifest at hand, else its pins. The
// words are what it uses as names, in small letters and without separators.
type serverNames struct {
	set  *pinset
	pins int // those whose definitions are read

	asked    sync.Mutex
	words    map[string]bool // nil: not read yet
	families map[string]int  // how many names begin with that part
	lacks    map[string]bool // what was asked before: texts say the same names over and over
}

// read reads the names, once they are needed.
func (s *serverNames) read() {
	if s.words != nil {
		return
	}
	s.words, s.families = map[string]bool{}, map[string]int{}
	for i := range s.set.pins {
		p := &s.set.pins[i]
		s.add(p.name)
		if first, _ := cutName(p.name); len(first) >= minMention {
			s.families[first]++
		}
		if i < s.pins && p.list == toolList {
			root := p.whole()
			s.addAll(root.get("inputSchema"))
			s.addAll(root.get("outputSchema"))
		}
	}
	for i := range s.set.pins {
		if first, rest := cutName(s.set.pins[i].name); s.families[first] >= minFamily {
			s.add(rest)
		}
	}
}

// addAll adds the names of members and the strings below v that are no prose.
func (s *serverNames) addAll(v value) {
	if v.kind == '"' && strings.IndexByte(v.text, ' ') < 0 {
		s.add(v.text)
	}
	for _, p := range v.parts {
		s.add(p.name)
		if p.name != "description" || p.kind != '"' {
			s.addAll(p.value)
		}
	}
}

func (s *serverNames) add(name string) {
	if !s.words[name] && len(s.words) < maxVocabulary && len(name) >= minMention && len(name) <= maxMention {
		s.words[withoutSeparators(name)] = true
	}
}

// uses also knows a name in singular or plural, or behind one or more of its parts,
// as in mcp__files__read_file.
func (s *serverNames) uses(name string) bool {
	s.read()
	if first, _ := cutName(name); s.families[first] >= minFamily {
		return true
	}
	for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "__") {
		if s.words[withoutSeparators(rest)] {
			return true
		}
	}
	key := withoutSeparators(name)
	return s.words[strings.TrimSuffix(key, "s")] || s.words[key+"s"]
}

// cutName returns the first part of a name, in small letters, and the rest.
func cutName(name string) (first, rest string) {
	if i := strings.IndexAny(name, "_-."); i > 0 {
		return strings.ToLower(name[:i]), name[i+1:]
	}
	return strings.ToLower(name), ""
}

func isSeparator(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }

func withoutSeparators(name string) string {
	if smallBytes.spells(name) {
		return name // most are
	}
	return strings.Map(func(r rune) rune {
		switch {
		case isSeparator(r):
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// commonTerm reports whether a distinct name is a common term all the same.
func commonTerm(name string) bool { return commonTerms()[strings.ToLower(name)] != "" }

// wordsOf returns the words of a table with what they are, made once they are needed.
func wordsOf(rows ...wordRow) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		words := map[string]string{}
		for _, row := range rows {
			for w := range strings.FieldsSeq(row.words) {
				words[w] = row.is
			}
		}
		return words
	})
}

// A byteSet has the bytes that a text may be made of.
type byteSet [256]bool

func newByteSet(members string) *byteSet {
	set := &byteSet{}
	for _, c := range []byte(members) {
		set[c] = true
	}
	return set
}

func (set *byteSet) has(r rune) bool { return r < 0x80 && set[r] }

func (set *byteSet) spells(s string) bool {
	for i := range len(s) {
		if !set[s[i]] {
			return false
		}
	}
	return true
}

// isPlain reports whether s has only printable ASCII, tabs and line feeds.
func isPlain(s string) bool { return plainBytes.spells(s) }

// isWord reports whether s has only the characters [A-Za-z0-9_.-], which the
// specification advises for names.
func isWord(s string) bool { return s != "" && wordBytes.spells(s) }

// distinct reports whether a name can't be an ordinary word: it has _, -, ., a
// digit, or a capital after a small letter.
func distinct(name string) bool {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9':
			return len(name) >= minMention
		case c >= 'A' && c <= 'Z' && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z':
			return true
		}
	}
	return false
}

// name reviews the tool's name.
//
// look-alike-name: another name, pinned or listed on any server, shares a skeleton
// with this one, or mixedScripts. same-name: another server has the very name.
// name-rule: the name is not what the specification advises.
func (r *review) name(name string) {
	r.at("name")
	var alike []string
	for _, key := range skeletons(name) {
		for _, other := range r.x.skeletons[key] {
			if other != name && len(alike) <= maxOthers && !slices.Contains(alike, other) {
				alike = append(alike, other)
			}
		}
	}
	if len(alike) > maxOthers {
		alike = alike[:maxOthers]
		r.add("look-alike-name", "passes for more than %d other names", maxOthers)
	}
	for _, other := range alike {
		how, on := "look-alike letters", "this server"
		if sanitizeText(name) == sanitizeText(other) {
			how = "what no reader sees"
		} else if strings.EqualFold(name, other) {
			how = "letter case"
		}
		if !slices.Contains(r.x.names[other], r.about.server) {
			on = "server " + r.x.others(r.about.server, other)
		}
		r.add("look-alike-name", "differs from %s of %s only by %s", quotedName(other), on, how)
	}
	if scripts := mixedScripts(name); scripts != "" {
		r.add("look-alike-name", "mixes letters of %s", scripts)
	}
	if others := r.x.others(r.about.server, name); others != "" {
		r.add("same-name", "also a tool of server %s", others)
	}
	if n := utf8.RuneCountInString(name); n > 128 {
		r.add("name-rule", "%s long; the specification advises 128 at most", plural(n, "character"))
	} else if !isWord(name) {
		r.add("name-rule", "has other characters than A-Z a-z 0-9 _ . -")
	}
	r.path = nil
}

// mentions fires where a text names what other servers have (names-other-tool):
// as a word of its own, letter case included, a tool that another server has and
// this one lacks, if the name can't be mistaken for an ordinary word (distinct),
// also after the label as in mcp__files__read_file and files.read_file; and the
// label of another server, a note: one that is no ordinary word anywhere, any
// other beside "server", "tool" or "MCP". Names of members are no prose: parameters
// share their names with tools by chance. Each is reported once a tool.
func (r *review) mentions(t *tokenizer) {
	s := r.folded
	for _, w := range t.names {
		name := strings.Trim(s[w.from:w.to], ".-")
		if len(name) > maxMention || !distinct(name) || r.mention(name, w.from) {
			continue
		}
		for part := range strings.SplitSeq(strings.ReplaceAll(name, "__", "."), ".") {
			if part != name && (distinct(part) || r.x.isLabel(part) && strings.HasPrefix(name, "mcp__")) {
				r.mention(part, w.from)
			}
		}
	}
	for _, w := range t.labels {
		r.label(s[w.from:w.to], w.from)
	}
	// Names with other characters, such as files/read, stand between blanks,
	// quotes and brackets. Those with a blank in them are not looked for.
	for from := 0; r.x.odd && from < len(s); from++ {
		to := len(s)
		if n := strings.IndexAny(s[from:], " \t\n\r\"'`()[]{}<>,;"); n >= 0 {
			to = from + n
		}
		if name := strings.Trim(s[from:to], ".:!?"); len(name) <= 512 && !isWord(name) && distinct(name) {
			r.mention(name, from)
		}
		from = to
	}
}

// mention reports a name that a text has if it is another server's, and whether it is.
func (r *review) mention(name string, at int) bool {
	if commonTerm(name) {
		return false
	}
	r.label(name, at)
	others := r.x.others(r.about.server, name)
	if others == "" || r.own.has(name) {
		return false
	}
	if r.first(name) {
		r.add("names-other-tool", "%s of server %s: %s", quotedName(name), others, r.excerpt(at-beside, at+len(name)+beside))
	}
	return true
}

func (r *review) label(label string, at int) {
	if r.x.isLabel(label) && label != r.about.server && r.first("server "+label) {
		r.addAs("names-other-tool", false, "server %s: %s", quotedName(label), r.excerpt(at-beside, at+len(label)+beside))
	}
}

// unknown reports a tool that the server lacks, and no one is known to have, where
// the text doesn't give an order about one.
func (r *review) unknown(t *tokenizer) {
	from, to := t.lacking.from, t.lacking.to
	name := r.folded[from:to]
	if to > 0 && !slices.Contains(r.said, callFirst) && !slices.Contains(r.said, changeCall) && len(r.x.names[name]) == 0 && r.first("unknown "+name) {
		r.add("unknown-tool", "no tool of this server: %s", r.excerpt(from-beside, to+beside))
	}
}

// first reports whether this is the first mention of a name.
func (r *review) first(name string) bool {
	before := r.mentioned[name]
	r.mentioned[name] = true
	return !before
}

// Letters that pass for others. Scripts and letter case come from the toolchain's
// tables, but only for what hidden lets through: that was assigned in Unicode
// 15.0, so the answers don't change with a newer toolchain.

// plainLetters has the ASCII text that a letter passes for.
var plainLetters = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for _, l := range confusables {
		for _, r := range l.from {
			m[r] = l.to
		}
	}
	for _, run := range letterRuns {
		for r := run.lo; r <= run.hi; r++ {
			n := int(r-run.lo) % len(run.letters)
			m[r] = run.letters[n : n+1]
		}
	}
	return m
})

// folded yields what a detector reads in place of each character of s, and where
// that stands: of what is hidden and of marks on letters nothing, of look-alikes
// ASCII, of unusual spaces a space.
func folded(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, size := 0, 0; i < len(s); i += size {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			plain := s[i : i+size]
			switch {
			case r >= ' ' && r < 0x7f || r == '\t' || r == '\n' || r == '\r':
			case r < 0x80 || hidden(r) || inTable(markTable[:], r):
				plain = ""
			case unusualSpace(r):
				plain = " "
			default:
				plain = cmp.Or(plainLetters()[r], plain)
			}
			if !yield(i, plain) {
				return
			}
		}
	}
}

// foldText is s as a detector reads it.
func foldText(s string) string {
	var b strings.Builder
	for _, plain := range folded(s) {
		b.WriteString(plain)
	}
	return b.String()
}

// unfold is the place in s of a place in foldText(s).
func unfold(s string, at int) int {
	for i, plain := range folded(s) {
		if at -= len(plain); at < 0 {
			return i
		}
	}
	return len(s)
}

// skeletons returns two keys of a tool's name. Names that share a key differ only
// by letter case, compatibility forms, what is hidden, or look-alike letters. The
// first takes letter case away, the second also the ASCII look-alikes, for which I
// must not become i.
func skeletons(name string) [2]string {
	if !isPlain(name) {
		name = strings.Map(func(r rune) rune {
			if plain := plainLetters()[r]; len(plain) == 1 {
				return rune(plain[0])
			}
			return unicode.ToLower(r)
		}, sanitizeText(name))
	}
	return [2]string{strings.ToLower(name), asciiLookAlikes.Replace(strings.ToLower(strings.ReplaceAll(name, "I", "l")))}
}

// mixedScripts says which alphabets are mixed in a name, or returns "": two of
// them inside one word, or a Latin name with a word of nothing but look-alikes
// of another alphabet. A name of two languages, one a word, is fine.
func mixedScripts(name string) string {
	if isPlain(name) {
		return ""
	}
	found := [len(alphabets)]bool{}
	mixed, passing := false, false // passing: a word of look-alikes alone
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }) {
		in, alike := -1, true
		for _, r := range word {
			i := slices.IndexFunc(alphabets[:], func(a alphabet) bool { return unicode.Is(a.table, r) })
			if i < 0 {
				continue
			}
			mixed = mixed || in >= 0 && in != i
			alike = alike && plainLetters()[r] != ""
			found[i], in = true, i
		}
		passing = passing || in > 0 && alike
	}
	var names []string
	for i, a := range alphabets {
		if found[i] && (mixed || passing && found[0]) {
			names = append(names, a.name)
		}
	}
	return strings.Join(names, " and ")
}
