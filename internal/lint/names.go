package lint

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

const (
	maxOthers     = 3       // tools or servers named in one detail
	minMention    = 3       // bytes of a name that a text can mention
	maxVocabulary = 100_000 // names of parameters and values kept of one server
	minFamily     = 3       // entries of one server whose names begin with the same part
)

// A Names holds every name that a review compares with. Several reviews may use it at
// the same time.
type Names struct {
	names     map[string][]string // tool name: the servers that list or pin it, in order
	skeletons map[string][]string // skeleton: the names that have it
	now       map[string]*serverNames
	known     map[string]bool // servers that were approved before: what joined them is new
	odd       bool            // at least one name isn't a word (isWord)
}

// NewNames takes the names of all tools pinned in the lockfile and listed in
// the captures at hand.
func NewNames(locked []pin.Set, found []pin.Set) *Names {
	sets := slices.Concat(locked, found)
	slices.SortStableFunc(sets, func(a, b pin.Set) int { return jsontree.CompareUTF16(a.Server, b.Server) })
	x := &Names{names: map[string][]string{}, skeletons: map[string][]string{}, now: map[string]*serverNames{}, known: map[string]bool{}}
	for i := range sets {
		s := &sets[i]
		x.now[s.Server] = newServerNames(s) // a capture replaces the pins
		for _, p := range s.Of(pin.Tools) {
			x.addName(p.Name, s.Server)
		}
	}
	return x
}

func (x *Names) addName(name, server string) {
	have := x.names[name]
	if name == "" || len(have) > 0 && have[len(have)-1] == server {
		return
	}
	if x.names[name] = append(have, server); len(have) > 0 {
		return
	}
	const most = 64 // names of one skeleton: each of them is compared with every name that shares it
	for _, key := range skeletons(name) {
		if list := x.skeletons[key]; len(list) < most && !slices.Contains(list, name) {
			x.skeletons[key] = append(list, name)
		}
	}
	x.odd = x.odd || !isWord(name)
}

// isLabel reports whether a word is the label of a server that a text can mention.
func (x *Names) isLabel(word string) bool {
	return len(word) >= minMention && x.now[word] != nil && word != "default" && isWord(word)
}

// others lists the other servers that list or pin a tool of that name, or is "".
func (x *Names) others(server, name string) string {
	others := slices.DeleteFunc(slices.Clone(x.names[name]), func(other string) bool { return other == server })
	return text.List(text.Names(others), maxOthers)
}

// lacks reports whether a word that looks like a tool's name is none of the names that the
// server itself uses (uses). A tool that another server is known to have is lacking unless
// this server lists it, too.
func (r *Reviewer) lacks(name string) bool {
	switch {
	case name == r.about.Entry:
		return false
	case len(r.x.names[name]) > 0:
		return !r.own.has(name)
	}
	return !commonTerm(name) && !r.own.uses(name)
}

// A serverNames holds the names of one server, from its capture if that is at hand, else
// from its pins. Its words are in small letters and without separators.
type serverNames struct {
	set  *pin.Set
	pins int // how many of its definitions are read (pinsRead)

	once     sync.Once // the rest is made when it is first needed
	roots    map[*pin.Pin]jsontree.Value
	words    map[string]bool // names of entries, of parameters, and of their values
	families map[string]int  // the number of names that begin with a part
	parts    map[string]bool // the parts of the names of tools, if there are at least minFamily
}

func newServerNames(s *pin.Set) *serverNames {
	return &serverNames{set: s, pins: pinsRead(s), roots: map[*pin.Pin]jsontree.Value{}, words: map[string]bool{}, families: map[string]int{}, parts: map[string]bool{}}
}

func (s *serverNames) read() {
	if tools := s.set.Of(pin.Tools); len(tools) >= minFamily {
		for i := range tools {
			for _, part := range nameWords(tools[i].Name) {
				s.parts[part] = true
			}
		}
	}
	for i := range s.set.Pins {
		p := &s.set.Pins[i]
		s.add(p.Name)
		if first, _ := cutName(p.Name); len(first) >= minMention {
			s.families[first]++
		}
		if i < s.pins && p.Type == pin.Tools && (p.Received != nil || p.Definition != nil) {
			root := p.AsReceived()
			s.roots[p] = root
			s.addAll(root.Get("inputSchema"))
			s.addAll(root.Get("outputSchema"))
		}
	}
	for i := range s.set.Pins {
		if first, rest := cutName(s.set.Pins[i].Name); s.families[first] >= minFamily {
			s.add(rest)
		}
	}
}

// root is the definition of a tool as received, which is parsed once for its names and its review.
func (s *serverNames) root(p *pin.Pin) jsontree.Value {
	if s != nil {
		s.once.Do(s.read)
		if own := s.set.Find(p.Key); own != nil && bytes.Equal(own.Received, p.Received) && bytes.Equal(own.Definition, p.Definition) && s.roots[own].Kind != 0 {
			return s.roots[own]
		}
	}
	return p.AsReceived()
}

// addAll adds the names of members in v, and the strings in it that aren't prose.
func (s *serverNames) addAll(v jsontree.Value) {
	if v.Kind == '"' && strings.IndexByte(v.Text, ' ') < 0 {
		s.add(v.Text)
	}
	for _, p := range v.Parts {
		s.add(p.Name)
		if p.Name != "description" || p.Kind != '"' {
			s.addAll(p.Value)
		}
	}
}

func (s *serverNames) add(name string) {
	if !s.words[name] && len(s.words) < maxVocabulary && len(name) >= minMention && len(name) <= maxMention {
		s.words[withoutSeparators(name)] = true
	}
}

// has reports whether the server has a tool of that name now.
func (s *serverNames) has(name string) bool {
	return s != nil && s.set.Find(pin.Key{Type: pin.Tools, Name: name}) != nil
}

// says reports whether the server has a name as that of an entry or a parameter, or as a value.
func (s *serverNames) says(name string) bool {
	if s == nil {
		return false
	}
	s.once.Do(s.read)
	return s.words[withoutSeparators(name)]
}

// uses reports whether the server uses a name: also in singular or plural, after further parts
// as in mcp__files__read_file, one that begins as minFamily of its own names do, or one of
// parts that all stand in names of its tools: with another configuration many servers list
// further tools.
func (s *serverNames) uses(name string) bool {
	if s == nil || s.says(name) {
		return s != nil
	}
	if _, rest, more := strings.Cut(name, "__"); more && s.uses(rest) {
		return true
	}
	first, _ := cutName(name)
	key := withoutSeparators(name)
	return s.families[first] >= minFamily || s.words[strings.TrimSuffix(key, "s")] || s.words[key+"s"] ||
		len(s.parts) > 0 && !slices.ContainsFunc(nameWords(name), func(part string) bool { return !s.parts[part] })
}

// cutName returns the first part of a name, in small letters, and the rest.
func cutName(name string) (first, rest string) {
	if i := strings.IndexAny(name, "_-."); i > 0 {
		return strings.ToLower(name[:i]), name[i+1:]
	}
	return strings.ToLower(name), ""
}

func isSeparator(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }

// withoutSeparators is a name in small letters: readFile and read_file are readfile.
func withoutSeparators(name string) string {
	if smallBytes.spells(name) {
		return name // most are
	}
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// commonTerm reports whether a name is a common term, although it is distinct.
func commonTerm(name string) bool { return commonTerms()[strings.ToLower(name)] != "" }

// wordsOf returns the words of some rows, each with its class. They are made on first use.
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

// A byteSet is a set of bytes, such as those that a text may be made of.
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
// look-alike-name: another name, pinned or listed on any server, shares a skeleton with
// this one, or this one mixes alphabets (mixedScripts). same-name: another server has a
// tool of the same name. name-rule: the name isn't as the specification advises.
func (r *Reviewer) name(name string) {
	r.at("name")
	r.text = name
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
		r.add("look-alike-name", "looks like more than %d other names", maxOthers)
	}
	for _, other := range alike {
		how, on := "look-alike letters", "this server"
		if text.Sanitize(name) == text.Sanitize(other) {
			how = "what no reader sees"
		} else if strings.EqualFold(name, other) {
			how = "letter case"
		}
		if !slices.Contains(r.x.names[other], r.about.Server) {
			on = "server " + r.x.others(r.about.Server, other)
		}
		r.addFor(other, "look-alike-name", true, "differs from %s of %s only by %s", text.Name(other), on, how)
	}
	if scripts := mixedScripts(name); scripts != "" {
		r.add("look-alike-name", "mixes letters of %s", scripts)
	}
	if others := r.x.others(r.about.Server, name); others != "" {
		r.add("same-name", "also a tool of server %s", others)
	}
	if n := utf8.RuneCountInString(name); n > 128 {
		r.add("name-rule", "%s long; the specification advises 128 at most", text.Count(n, "character"))
	} else if !isWord(name) {
		r.add("name-rule", "has other characters than A-Z a-z 0-9 _ . -")
	}
	r.path, r.text = nil, ""
}

// mentions reports the tools and labels of other servers that a text names, each of them
// once per entry (names-other-tool). A tool is one that another server has and this one
// lacks. Its name stands as a word of its own in the same letter case, also after the
// label as in mcp__files__read_file or files.read_file, and is distinct, so that it can't
// be an ordinary word. It is a note unless the text has it as a tool's (called), if the server
// itself has it as a value or a parameter, or if more than maxOthers servers have such a tool. A label gives a note. It counts anywhere if it is distinct, else
// only beside "server", "tool" or "MCP". Names of members aren't read: parameters share
// their names with tools by chance.
func (r *Reviewer) mentions(t *tokenizer) {
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
	for i, w := range t.words {
		if w.class&isLabelled != 0 && i > 0 {
			r.label(t.word(t.words[i-1].from), t.words[i-1].from)
		}
		if i > 0 && t.words[i-1].class&isLabelled != 0 && strings.EqualFold(t.word(t.words[i-1].from), "MCP") {
			r.label(t.word(w.from), w.from)
		}
	}
	// A name with other characters, such as files/read, stands between blanks, quotes or
	// brackets. A name with a blank in it isn't looked for.
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

// mention reports a name if it is a tool of another server, and returns whether it is.
func (r *Reviewer) mention(name string, at int) bool {
	servers := r.x.names[name]
	if !r.x.isLabel(name) && len(servers) == 0 || commonTerm(name) {
		return false
	}
	r.label(name, at)
	elsewhere := slices.ContainsFunc(servers, func(server string) bool { return server != r.about.Server })
	if !elsewhere || r.own.has(name) {
		return false
	}
	warning := !r.mentioned[name] && len(servers) <= maxOthers && !r.own.says(name) && r.called(name, at)
	if warning && r.first(name) || !warning && !r.mentioned[name] && r.first("note "+name) {
		r.addFor(name, "names-other-tool", warning, "%s of server %s: %s", text.Name(name), r.x.others(r.about.Server, name), r.excerpt(textRange{at, at + len(name)}, beside, beside))
	}
	return true
}

// called reports whether a name at a place of the text stands for a tool: near behind a word such
// as call, use or before, in front of "tool" or of arguments, or in a list behind "tools".
// It doesn't as a value (mode='list_files'), in a command line in inline code, or once it
// heads an item of a list ("- add_note: Adds …"), which makes it an action of the entry's own.
func (r *Reviewer) called(name string, at int) bool {
	const near, words = 8 * maxWord, 4 // bytes that are looked at, and words of them
	s := r.folded
	before, after := s[max(0, at-near):at], strings.TrimLeft(s[min(len(s), at+len(name)):], "'\"`*")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if before != "" && strings.Trim(before, "-*+#`'\"0123456789.)\u2022 \t") == "" && itemEnd().MatchString(after) {
		r.mentioned["action "+name] = true
	}
	bare := strings.TrimRight(before, "'\"`")
	if r.mentioned["action "+name] || strings.HasSuffix(bare, "=") || len(bare) < len(before) && strings.HasSuffix(strings.TrimRight(bare, " "), ":") ||
		strings.Count(before, "`")%2 == 1 && strings.IndexByte(before[strings.LastIndexByte(before, '`'):], ' ') >= 0 {
		return false
	}
	if strings.HasPrefix(after, "(") || strings.HasPrefix(after, " tool") || strings.HasPrefix(after, " function") {
		return true
	}
	list := strings.FieldsFunc(before, func(c rune) bool { return c < 0x80 && !nameBytes[c] })
	return slices.ContainsFunc(list[max(0, len(list)-words):], func(word string) bool { return callingWords()[strings.ToLower(word)] != "" })
}

// itemEnd matches what stands between the name of an item and its text.
var itemEnd = pattern("^(?::| [-\u2013\u2014] )")

func (r *Reviewer) label(label string, at int) {
	if r.x.isLabel(label) && label != r.about.Server && r.first("server "+label) {
		r.addAs("names-other-tool", false, "server %s: %s", text.Name(label), r.excerpt(textRange{at, at + len(label)}, beside, beside))
	}
}

// first reports whether this is the first mention of a name.
func (r *Reviewer) first(name string) bool {
	before := r.mentioned[name]
	r.mentioned[name] = true
	return !before
}

// Letters that pass for others. Scripts and letter case come from the toolchain's tables,
// but only for characters that aren't hidden. Those were assigned in Unicode 15.0, so the
// answers don't change with a newer toolchain.

// plainLetters maps a letter to the ASCII text that it passes for.
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

// folded yields the place of each character in s and what a detector reads instead of it:
// nothing for hidden characters and marks on letters, ASCII for look-alikes, a space for
// unusual spaces, and the character itself for all others.
func folded(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, size := 0, 0; i < len(s); i += size {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			plain := s[i : i+size]
			switch {
			case r >= ' ' && r < 0x7f || r == '\t' || r == '\n' || r == '\r':
			case r < 0x80 || text.Hidden(r) || unicode.Is(text.MarkTable, r):
				plain = ""
			case text.UnusualSpace(r):
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

// plainText is s as a detector reads it.
func plainText(s string) string {
	var b strings.Builder
	for _, plain := range folded(s) {
		b.WriteString(plain)
	}
	return b.String()
}

// inOriginal returns the place in s of a place in plainText(s), both in bytes.
func inOriginal(s string, at int) int {
	for i, plain := range folded(s) {
		if at -= len(plain); at < 0 {
			return i
		}
	}
	return len(s)
}

// skeletons returns two keys of a tool's name. Names that share a key differ only by letter
// case, compatibility forms, hidden characters or look-alike letters. The first key leaves
// ASCII look-alikes apart. The second folds them, too, so it turns I into l before
// letter case is folded.
func skeletons(name string) [2]string {
	if !isPlain(name) {
		name = strings.Map(func(r rune) rune {
			if plain := plainLetters()[r]; len(plain) == 1 {
				return rune(plain[0])
			}
			return unicode.ToLower(r)
		}, text.Sanitize(name))
	}
	return [2]string{strings.ToLower(name), asciiLookAlikes.Replace(strings.ToLower(strings.ReplaceAll(name, "I", "l")))}
}

// mixedScripts says which alphabets are mixed in a name, or returns "". They are mixed if
// one word has letters of two, or if a Latin name has a word of another alphabet that is
// made of look-alikes only. A name with words of two languages is fine.
func mixedScripts(name string) string {
	if isPlain(name) {
		return ""
	}
	found := [len(alphabets)]bool{}
	mixed, passing := false, false // passing: a word is made of look-alikes only
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
