package lint

import (
	"cmp"
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

const (
	// The longest word, in bytes, that may name a tool. Clients accept names of 64 characters.
	longestName = 4_096

	// The maximum number of servers that one detail lists.
	maxOthers = 3

	// The minimum length, in bytes, of a name that the rules look for in texts.
	minMention = 3

	// The maximum number of names of entries, parameters and values that are stored for one server.
	maxVocabulary = 100_000
)

// NameIndex contains all names that a review compares with. Several reviews may use it concurrently.
type NameIndex struct {
	// For the key of a tool, the servers that list or pin it, sorted. For the key of a skill (skillKey), the servers
	// that have it now.
	holders map[pin.Key][]string

	// skeletons has the names of all tools by skeleton, and by the server and the name that clients give them
	// (clientName). now has the names of each server, by its ID.
	skeletons map[string][]string
	now       map[string]*serverNames

	// Returns the tools that a text can name, by nameKey: each by its own name, and by its server's ID and its name. It
	// is computed on first use.
	mentionable func() map[string][]mentionable

	// The servers with pins. On such a server, an entry without a pin is new.
	known map[string]bool
}

// NewNameIndex collects the names of all tools that the lockfile pins and the captures list.
func NewNameIndex(locked []pin.Set, found []pin.Set) *NameIndex {
	sets := slices.Concat(locked, found)
	slices.SortStableFunc(sets, func(a, b pin.Set) int { return jsontree.CompareUTF16(a.Server, b.Server) })
	x := &NameIndex{holders: map[pin.Key][]string{}, skeletons: map[string][]string{}, now: map[string]*serverNames{}, known: map[string]bool{}}
	x.mentionable = sync.OnceValue(x.nameKeys)
	for i := range sets {
		s := &sets[i]
		before := x.now[s.Server]
		x.now[s.Server] = newServerNames(s) // a capture replaces the pins
		if before != nil {
			x.now[s.Server].pinned = before.set
		}
		for _, p := range s.PinsOf(pin.Tools) {
			if p.Name != "" && x.addHolder(p.Key, s.Server) {
				for _, key := range skeletons(p.Name) {
					x.addName(p.Name, key)
				}
			}
		}
		if i+1 < len(sets) && sets[i+1].Server == s.Server {
			continue // the server's capture, which follows, replaces these
		}
		for _, p := range s.PinsOf(pin.Skills) {
			x.addHolder(skillKey(p.Name), s.Server)
		}
		for _, p := range s.PinsOf(pin.Tools) {
			x.addName(p.Name, clientName(s.Server, p.Name))
		}
	}
	return x
}

// addHolder records that a server has an entry, and reports whether no server was recorded for the entry before.
// Servers must be added in order.
func (x *NameIndex) addHolder(key pin.Key, server string) (isFirst bool) {
	have := x.holders[key]
	if len(have) == 0 || have[len(have)-1] != server {
		x.holders[key] = append(have, server)
	}
	return len(have) == 0
}

func (x *NameIndex) addName(name, key string) {
	// The maximum number of names per key, because each name is compared with all others that share its key.
	const most = 64
	if list := x.skeletons[key]; len(list) < most && !slices.Contains(list, name) {
		x.skeletons[key] = append(list, name)
	}
}

// naming lists all warnings about tools that an entry names and for which isSought returns true.
func (x *NameIndex) naming(own *serverNames, p *pin.Pin, isSought func(name string) bool) []Finding {
	r := x.newReview(own.set.Server, p)
	r.own = own
	r.sought = isSought
	r.whole(p)
	return slices.DeleteFunc(r.list, func(f Finding) bool { return f.NamedTool() == "" })
}

func toolKey(name string) pin.Key { return pin.Key{Type: pin.Tools, Name: name} }

// isHeld reports whether a server has an entry.
func (x *NameIndex) isHeld(server string, key pin.Key) bool {
	_, is := slices.BinarySearchFunc(x.holders[key], server, jsontree.CompareUTF16[string])
	return is
}

// others lists the first maxOthers other servers that have an entry, and counts all of them. It returns "" and 0 if
// there are no such servers.
func (x *NameIndex) others(server string, key pin.Key) (list string, count int) {
	holders := x.holders[key]
	count = len(holders) - BoolToInt(x.isHeld(server, key))
	var names []string
	for _, other := range holders[:min(len(holders), maxOthers+1)] {
		if other != server && len(names) < maxOthers {
			names = append(names, text.QuoteName(other))
		}
	}
	return text.JoinFirstNames(names, count), count
}

// lacks reports whether a name that looks like a tool's name is unknown to this server. If any server has a tool of
// that name, the name is known here only if this server lists such a tool. Otherwise, a parameter or a value of that
// name makes it known, too, and a prefix as in mcp__files__read_file is ignored.
func (r *Reviewer) lacks(name string) bool {
	if len(r.x.holders[toolKey(name)]) > 0 {
		return !r.own.lists(name)
	}
	if at := strings.LastIndex(name, "__"); at >= 0 {
		name = name[at+len("__"):]
	}
	return name != r.about.Name && !r.own.uses(name)
}

// A serverNames has the names of one server, from its capture or, without a capture, from its pins. The keys of words
// are in lower case and without separators.
type serverNames struct {
	set *pin.Set

	// The entries that the run denies, or whose pins it removes.
	gone pin.RefSet

	// The other side: the pins if set is a capture, or the capture if set is the pins. For a server without pins,
	// the entries that the run may pin; nil: all entries.
	pinned *pin.Set

	// The number of leading definitions that are read (readLimit).
	readable int

	// The fields below are computed on first use.
	once sync.Once

	// The names of entries, and the names and values in the schemas of tools (addAll).
	words map[string]bool

	// Definitions as received, by the address of their first byte.
	roots map[*byte]jsontree.Value
}

func newServerNames(s *pin.Set) *serverNames {
	return &serverNames{set: s, readable: len(s.Pins), words: map[string]bool{}, roots: map[*byte]jsontree.Value{}}
}

func (s *serverNames) read() {
	for i := range s.set.Pins {
		p := &s.set.Pins[i]
		s.add(p.Name)
		if i < s.readable && p.Type == pin.Tools && (p.Received != nil || p.Definition != nil) {
			root := p.AsReceived()
			if len(p.Received) > 0 {
				s.roots[&p.Received[0]] = root
			}
			s.addAll(root.Get("inputSchema"))
			s.addAll(root.Get("outputSchema"))
		}
	}
}

// root returns the definition of an entry as received. A tool's is parsed only once, for its names and its review.
func (s *serverNames) root(p *pin.Pin) jsontree.Value {
	if s != nil && len(p.Received) > 0 {
		s.once.Do(s.read)
		if root, known := s.roots[&p.Received[0]]; known {
			return root
		}
	}
	return p.ReviewTreeAsReceived()
}

// addAll adds the names of all members in v, and all strings in v except descriptions.
func (s *serverNames) addAll(v jsontree.Value) {
	s.add(v.Text)
	for _, p := range v.Parts {
		s.add(p.Name)
		if p.Name != "description" {
			s.addAll(p.Value)
		}
	}
}

func (s *serverNames) add(name string) {
	if len(s.words) < maxVocabulary && len(name) >= minMention && len(name) <= maxMention {
		s.words[withoutSeparators(name)] = true
	}
}

// lists reports whether the server has a tool of that name now.
func (s *serverNames) lists(name string) bool {
	return s != nil && s.set.Find(toolKey(name)) != nil
}

// pins reports whether the server has a tool of that name now and, after the run, has it pinned and not denied.
// An unpinned tool may disappear, and a denied tool reaches no agent.
func (s *serverNames) pins(name string) bool {
	if !s.lists(name) {
		return false
	}
	key := toolKey(name)
	pinned := s.set.Find(key)
	if s.pinned != nil {
		pinned = s.pinned.Find(key)
	}
	return pinned != nil && !pinned.Denied && !s.set.Find(key).Denied && !s.gone[pin.Ref{Server: s.set.Server, Key: key}]
}

// uses reports whether the server has an entry, a parameter or a value of that name.
func (s *serverNames) uses(name string) bool {
	if s == nil {
		return false
	}
	s.once.Do(s.read)
	return s.words[withoutSeparators(name)]
}

// clientName returns the server ID and, after a zero byte, the name that clients give the tool for models that allow
// only 64 characters of A-Z a-z 0-9 _ - in a name. It doesn't change a name without ASCII letters, or with other
// letters, because many such names would become equal.
func clientName(server, name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) || !strings.ContainsFunc(name, unicode.IsLetter) {
		return server + "\x00" + name
	}
	plain := strings.Map(func(r rune) rune {
		if text.IsAlnum(byte(r)) || r == '-' {
			return r
		}
		return '_'
	}, name)
	return server + "\x00" + plain[:min(len(plain), 64)]
}

func isSeparator(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }

// withoutSeparators returns a name in lower case and without separators: readFile and read_file both give
// readfile.
func withoutSeparators(name string) string {
	if smallBytes.spells(name) {
		return name // the usual case
	}
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// wordsOf returns a function that returns the class of each word in the rows. The map is built on first use.
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

// A byteSet is a set of bytes. Its method spells reports whether a text consists of these bytes.
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

// distinct reports whether a name can't be an ordinary word: it contains _ - . : / or a digit, or an upper-case letter
// after a lower-case one.
func distinct(name string) bool {
	return len(name) >= minMention && strings.ContainsAny(name, "_-.:/0123456789") || isCamel(name)
}

// isCamel reports whether a name has an upper-case ASCII letter after a lower-case one.
func isCamel(name string) bool {
	for i := 1; i < len(name); i++ {
		if name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// name reviews the tool's name.
//
// look-alike-name: another name that any server pins or lists shares a skeleton with this one, clients make this name
// equal to another of its server (clientName), or this name mixes alphabets (mixedScripts). same-name: another server
// has a tool of the same name.
func (r *Reviewer) name(name string) {
	r.at("name")
	r.text = name
	var alike []string
	for _, key := range skeletons(name) {
		alike = append(alike, r.x.skeletons[key]...)
	}
	slices.Sort(alike)
	for _, other := range slices.Compact(alike) {
		on := func() string {
			if r.x.isHeld(r.about.Server, toolKey(other)) {
				return "this server"
			}
			others, _ := r.x.others(r.about.Server, toolKey(other))
			return "server " + others
		}
		if other != name {
			r.addFor(other, "look-alike-name", true, "looks like %s of %s", shown(other), lazy(on))
		}
	}
	for _, other := range r.x.skeletons[clientName(r.about.Server, name)] {
		if other != name && !slices.Contains(alike, other) {
			r.addFor(other, "look-alike-name", true, "clients that allow 64 of A-Z a-z 0-9 _ - in a name take it for %s", shown(other))
		}
	}
	if scripts := mixedScripts(name); scripts != "" {
		r.add("look-alike-name", "mixes letters of %s", scripts)
	}
	if others, _ := r.x.others(r.about.Server, toolKey(name)); others != "" {
		r.add("same-name", "also a tool of server %s", others)
	}
	r.at()
}

// shown returns the quoted name for a detail. It is computed only if the detail is printed.
func shown(name string) lazy { return func() string { return text.QuoteName(name) } }

// namesOtherTool is the id of a finding about text that names another server's tool.
const namesOtherTool = "names-other-tool"

// A mentionable is a tool in a form in which a text can name it: by its name alone, or after the ID of its server.
type mentionable struct {
	name string

	// The server ID before the name; "" for the name alone. In a result of foreignOf: the list of servers that have the
	// tool, for a detail.
	server string
}

// nameKeys returns the tools that texts can name, by key. A name that may be an ordinary word counts only after the ID
// of its server, as in mail.forward, mail_forward and mcp__mail__forward.
func (x *NameIndex) nameKeys() map[string][]mentionable {
	keys := map[string][]mentionable{}
	add := func(key, name, server string) { keys[key] = append(keys[key], mentionable{name, server}) }
	for key, servers := range x.holders {
		if key.Type != pin.Tools {
			continue
		}
		if distinct(key.Name) {
			add(nameKey(key.Name), key.Name, "")
		}
		for _, server := range servers {
			for _, before := range [...]string{"", "mcp "} {
				add(nameParts(nameKey(before+server+" "+key.Name)), key.Name, server)
			}
		}
	}
	// The maximum number of tools per key, because each word of a text with this key is compared with all of them. The
	// shortest names are kept: they have the fewest characters that the key ignores.
	const most = 64
	for key, list := range keys {
		slices.SortFunc(list, func(a, b mentionable) int {
			return cmp.Or(len(a.name)-len(b.name), strings.Compare(a.name, b.name), strings.Compare(a.server, b.server))
		})
		keys[key] = list[:min(len(list), most)]
	}
	return keys
}

// nameKey returns the same key for names that differ only in letter case, marks on letters, look-alike letters,
// compatibility forms, and the characters around them (aroundNames).
func nameKey(name string) string {
	if smallBytes.spells(name) {
		return name // the usual case
	}
	if !isPlain(name) {
		name = text.WithoutMarks(plainText(name))
	}
	return strings.Trim(strings.ToLower(name), aroundNames)
}

// aroundNames are characters that may surround a name in a text and aren't part of the name.
const aroundNames = "*_-.:!?~@/"

// nameParts returns the words of a key, joined by single spaces.
func nameParts(key string) string {
	isBetween := func(c rune) bool { return c < 0x80 && (c == '_' || !text.IsAlnum(byte(c))) }
	return strings.Join(strings.FieldsFunc(key, isBetween), " ")
}

// mentions reports the tools of other servers that a text names (names-other-tool). This server must lack the tool, or
// the text must name the other server, too. A tool that more than maxOthers servers have counts only after a server's
// ID. The name must be a separate word. Non-ASCII letters separate words, too, because some scripts have no spaces.
// Every spelling with the same nameKey counts. Each tool is reported at most once per text, regardless of the context:
// no list of words distinguishes an order from a description in every language.
func (r *Reviewer) mentions() {
	if len(r.x.now) < 2 {
		return // the usual case: there is only one server
	}
	r.mentioned = map[string]bool{} // each text is accepted separately
	r.wordsRead = map[string]bool{}
	folded, origin := r.folded, r.origin
	r.eachWord()
	if r.origin != nil {
		// A model may read a hidden character as a space.
		r.folded, r.origin = fold(r.text, " ")
		r.eachWord()
	}
	if strings.ContainsAny(folded, "*~`<>%\\&") {
		r.folded, r.origin = withoutMarkup(folded, origin)
		r.eachWord()
	}
	r.folded, r.origin = folded, origin
}

// markup matches what can interrupt a word without being displayed: marks of Markdown, tags, the beginnings of comments,
// and escapes of characters.
var markup = pattern(`\\+(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2})|<!--|%[0-9A-Fa-f]{2}|&#?[0-9A-Za-z]{1,9};|</?[A-Za-z][^<>]{0,99}>|[*~` + "`" + `\\]+`)

// maxComment is the maximum size, in bytes, of a comment that may interrupt a word, without its first mark.
const maxComment = 100

// withoutMarkup removes markup from a text and decodes escapes. It also returns, for each byte of the result and for
// its end, the offset in the text as the server wrote it.
func withoutMarkup(s string, origin []int32) (string, []int32) {
	var b strings.Builder
	var places []int32
	add := func(plain string, from, step int) {
		b.WriteString(plain)
		for i := range len(plain) {
			place := int32(from + i*step)
			if origin != nil {
				place = origin[place]
			}
			places = append(places, place)
		}
	}
	last := 0
	for _, found := range markup().FindAllStringIndex(s, -1) {
		from, to := found[0], found[1]
		if from < last {
			continue // it is in a comment
		}
		if s[from:to] == "<!--" {
			inside, _, ends := strings.Cut(s[to:min(len(s), to+maxComment)], "-->")
			if !ends || strings.Contains(inside, "\n") {
				continue
			}
			to += len(inside) + len("-->")
		}
		add(s[last:from], last, 1)
		add(unescaped(s[from:to]), from, 0)
		last = to
	}
	add(s[last:], last, 1)
	return b.String(), append(places, int32(len(s)))
}

// unescaped returns the character that an escape means, or "" for other markup.
func unescaped(markup string) string {
	if strings.HasPrefix(markup, "&") {
		return html.UnescapeString(markup)
	}
	code, err := strconv.ParseUint(strings.Trim(markup, `%\ux{}`), 16, 21)
	if err != nil {
		return ""
	}
	return string(rune(code))
}

func (r *Reviewer) eachWord() {
	for at, word := range runs(r.folded, func(c rune) bool { return !betweenNames.has(c) }) {
		r.named(word, at)
	}
}

// runs returns the longest parts of a text whose characters are all in class, each with its offset.
func runs(s string, class func(rune) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; ; {
			next := strings.IndexFunc(s[at:], class)
			if next < 0 {
				return
			}
			from := at + next
			if at = from + text.RunSize(s[from:], class); !yield(from, s[from:at]) {
				return
			}
		}
	}
}

// named looks for a name in one word of a text, and in its parts.
func (r *Reviewer) named(word string, at int) {
	if r.mention(word, at) || nameBytes.spells(word) && !hasDouble(word) {
		return
	}
	isASCII := func(c rune) bool { return c < 0x80 }
	isBeyond := func(c rune) bool { return c >= 0x80 || nameBytes.has(c) }
	for _, class := range [...]func(rune) bool{isASCII, isBeyond, nameBytes.has} {
		for from, name := range runs(word, class) {
			if r.mention(name, at+from) || !hasDouble(name) {
				continue
			}
			for between, part := range runs(insideNames.Replace(name), class) {
				r.mention(part, at+from+between)
			}
		}
	}
}

// hasDouble reports whether insideNames would replace something in a word. It costs less than the replacement.
func hasDouble(word string) bool {
	return strings.Contains(word, "__") || strings.Contains(word, "--")
}

// mention reports the tools that a word names. It returns true if another server has such a tool, and either this
// server lacks the tool or the word also names the other server.
func (r *Reviewer) mention(word string, at int) (found bool) {
	if len(word) > longestName {
		return false
	}
	// The key of a word of lower-case ASCII letters costs less than this lookup.
	if !smallBytes.spells(word) {
		if found, isRead := r.wordsRead[word]; isRead {
			return found
		}
	}
	key := nameKey(word)
	known := r.x.mentionable()[key]
	if known == nil && !smallBytes.spells(key) {
		known = r.x.mentionable()[nameParts(key)]
	}
	if len(known) == 0 {
		if !isPlain(word) && len(word) <= maxMention {
			r.wordsRead[word] = false // the key of a word that isn't plain is expensive
		}
		return false
	}
	if found, isRead := r.wordsRead[word]; isRead {
		return found
	}
	tools, isKnown := r.foreign[&known[0]]
	if !isKnown {
		tools = r.foreignOf(known)
		r.foreign[&known[0]] = tools
	}
	found = len(tools) > 0 && !r.own.pins(strings.Trim(word, aroundNames))
	r.wordsRead[word] = found
	for _, m := range tools {
		if !found || r.mentioned[m.name] || r.sought != nil && !r.sought(m.name) {
			continue
		}
		r.mentioned[m.name] = true
		said := func() string { return r.excerpt(textRange{at, at + len(word)}, beside, beside) }
		r.addFor(m.name, namesOtherTool, true, "%s of server %s: %s", shown(m.name), m.server, lazy(said))
	}
	return found
}

// foreignOf returns the tools in known that other servers have, each with a list of these servers. It omits a name
// without a server ID if this server pins a tool of exactly that name, or if more than maxOthers servers have it.
func (r *Reviewer) foreignOf(known []mentionable) (tools []mentionable) {
	for _, m := range known {
		if m.server == "" && r.own.pins(m.name) {
			continue
		}
		others, count := r.x.others(r.about.Server, toolKey(m.name))
		if count > 0 && m.server != r.about.Server && (m.server != "" || count <= maxOthers) {
			tools = append(tools, mentionable{m.name, others})
		}
	}
	return tools
}

// fold returns s as the detectors read it and, for each byte of the result and for its end, the offset in s. It decodes
// character references (characterReference), replaces each hidden or control character by the string hidden, removes
// marks on letters, replaces look-alikes by ASCII and unusual spaces by plain ones, and keeps all other characters.
func fold(s, hidden string) (string, []int32) {
	var b strings.Builder
	origin := make([]int32, 0, len(s)+1)
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		plain := s[i : i+size]
		if meant, all := characterReference(s[i:]); all > 0 {
			plain = meant
			size = all
			r, _ = utf8.DecodeRuneInString(meant)
		}
		switch {
		case r >= ' ' && r < 0x7f || r == '\t' || r == '\n' || r == '\r':
		case r < 0x80 || text.IsHidden(r):
			plain = hidden
		case text.IsCombiningMark(r):
			plain = ""
		case text.UnusualSpace(r):
			plain = " "
		default:
			plain = cmp.Or(text.ASCIILookalike(r), plain)
		}
		b.WriteString(plain)
		for range len(plain) {
			origin = append(origin, int32(i))
		}
	}
	return b.String(), append(origin, int32(len(s)))
}

// characterReference returns the character that an HTML character reference at the start of s means, such as _ for
// &lowbar; or &#95, and the length of the reference in bytes: 0 if there is none. A number needs no semicolon.
// https://html.spec.whatwg.org/multipage/named-characters.html
func characterReference(s string) (meant string, size int) {
	if s[0] != '&' {
		return "", 0
	}
	size = 1 + text.RunSize(s[1:], func(c rune) bool { return c == '#' || c < 0x80 && text.IsAlnum(byte(c)) })
	if strings.HasPrefix(s[size:], ";") {
		size++
	}
	meant = html.UnescapeString(s[:size])
	_, first := utf8.DecodeRuneInString(meant)
	rest := meant[first:]
	if meant == s[:size] || !strings.HasSuffix(s[:size], rest) {
		return "", 0 // no reference, or one to several characters
	}
	return meant[:first], size - len(rest)
}

// plainText returns s as the detectors read it, without hidden characters (fold).
func plainText(s string) string {
	plain, _ := fold(s, "")
	return plain
}

// skeletons returns two keys of a tool's name. Names that share a key differ only by letter case, compatibility
// forms, hidden characters or look-alike letters. The second key also merges ASCII look-alikes such as 1 and l,
// so it replaces I by l before it folds letter case.
func skeletons(name string) [2]string {
	if !isPlain(name) {
		var plain strings.Builder
		for _, r := range text.Sanitize(name) {
			plain.WriteString(cmp.Or(text.ASCIILookalike(r), string(unicode.ToLower(r))))
		}
		name = plain.String()
	}
	return [2]string{strings.ToLower(name), asciiLookAlikes.Replace(strings.ToLower(strings.ReplaceAll(name, "I", "l")))}
}

// mixedScripts returns the names of the alphabets that a name mixes, or "".
func mixedScripts(name string) string {
	var found []string
	for alphabet := range strings.FieldsSeq(alphabets) {
		letters := unicode.Scripts[alphabet]
		if !isPlain(name) && strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(letters, r) }) {
			found = append(found, alphabet)
		}
	}
	if len(found) < 2 {
		return ""
	}
	return strings.Join(found, " and ")
}
