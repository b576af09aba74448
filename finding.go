package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A finding is something a reviewer should see before approving. It never
// changes a digest.
type finding struct {
	server      string
	list        listKind
	entry       string // name of the entry; "" for instructions and for the whole server
	id          string // stable: "hidden-text"
	warning     bool   // else a note
	pointer     string // where in the definition, a JSON Pointer
	detail      string // printable
	approved    bool   // it was accepted with the pinned definition: it is on record
	more        bool   // it stands for all further ones of its id and level
	wholeServer bool   // it is about the whole manifest
	scope       findingScope
}

// A review is the reading of one definition. It keeps the path to the value that it reads,
// so that only a finding costs a pointer.
type review struct {
	x         *nameIndex
	own       *serverNames // of the server; nil: not known
	about     finding      // what its findings have in common
	root      value
	path      []pathStep
	namesOnly bool // only the tools of other servers that it names count

	list      []finding
	counts    [len(findingTable)][2]int // findings by id and level: 0 notes, 1 warnings
	mentioned map[string]bool           // other tools and labels, each reported once

	// about the text that is read
	text   string   // as the server wrote it
	folded string   // as the detectors read it
	where  string   // what it is, for a detail
	pinned int      // bytes at its beginning that the pinned definition has, too
	said   []string // the kinds of hits in it so far

	// about the schema that holds a reference, once needed
	idsOf string
	ids   map[string]bool // every $id in it
	base  *url.URL        // the $id of its root
}

func (x *nameIndex) newReview(server string, p *pin) *review {
	return &review{x: x, own: x.now[server], about: finding{server: server, list: p.list, entry: p.name}, mentioned: map[string]bool{}}
}

// at sets the place of the findings that follow.
func (r *review) at(members ...string) {
	r.path = nil
	for _, name := range members {
		r.path = append(r.path, pathStep{name, -1})
	}
}

// review lists the findings of one entry as received. A finding is approved if the approved
// definition has one with the same id, pointer and detail. The order is total: by
// findingTable, warnings before notes, pointer, detail. At most maxAlike of one id and level
// are listed, which are the first in the text, and one more finding counts the rest.
func (x *nameIndex) review(server string, p pin, before *pin) []finding {
	if p.received == nil && p.definition == nil {
		return nil // pinned without its definition: nothing to read
	}
	r := x.newReview(server, &p)
	r.whole(&p)
	if before == nil || before.definition == nil {
		return r.finish()
	}
	same := before.digest == p.digest
	old, new := sync.OnceValue(before.tree), sync.OnceValue(p.tree)
	if !same {
		r.growth(old, new)
	}
	list := r.finish()
	if len(list) > 0 {
		then := x.newReview(server, before)
		then.whole(before)
		approve(list, then.finish(), func(f finding) bool {
			return same || !f.more && (!f.warning || sameText(f, old(), new()))
		})
	}
	return list
}

// approve marks the findings in list that the approved definition has, too (then), if
// still says that what they are about is what was approved.
func approve(list, then []finding, still func(finding) bool) {
	for i, f := range list {
		list[i].approved = slices.Contains(then, f) && still(f)
	}
}

// sameText reports whether a warning is about the very text that was approved, or about no
// text at all. A text gets one warning for each kind, so an approved warning would hide
// an order that was added to the text.
func sameText(f finding, old, new value) bool {
	a, b := &old, &new
	tokens, _ := pointerTokens(f.pointer)
	for _, token := range tokens {
		a, b = lookup(a, token), lookup(b, token)
	}
	if a == nil || b == nil {
		return false
	}
	whole := a.kind == '"' || b.kind == '"' || strings.HasSuffix(f.detail, deeper)
	return !whole || equalValues(*a, *b)
}

// deeper ends the detail of a finding that is about a place below its pointer.
const deeper = " (deeper than this place)"

// whole reads all of a definition.
func (r *review) whole(p *pin) {
	if size := definitionSize(p); size > maxDefinition {
		r.add("oversize", "a definition of %s bytes, over %s", grouped(size), grouped(maxDefinition))
	}
	if p.list == toolList {
		r.name(p.name)
	}
	if r.reportUnread(p) {
		return
	}
	r.root = p.asReceived()
	r.definition(&r.root)
	r.hints(r.root.get("annotations"))
}

// reviewServer lists the findings of a manifest as a whole.
func (x *nameIndex) reviewServer(found pinset, before *pinset) []finding {
	r := x.newReview(found.server, &pin{})
	r.about.wholeServer = true
	r.oversizeList(&found)
	r.catchAlls(&found, before)
	return r.finish()
}

// reviewOthers reads the pinned definitions of servers that have no manifest at hand, and
// lists the tools of other servers that they name: a new tool may be one that an older pin
// names. A finding is approved if the names in the lockfile alone give it already.
func (x *nameIndex) reviewOthers(locked, found []pinset) (list []finding) {
	old := sync.OnceValue(func() *nameIndex { return newNameIndex(locked, nil) })
	for i := range locked {
		s := &locked[i]
		if slices.ContainsFunc(found, func(f pinset) bool { return f.server == s.server }) {
			continue
		}
		for n := range s.pins {
			if named := x.namedIn(s.server, &s.pins[n]); len(named) > 0 {
				approve(named, old().namedIn(s.server, &s.pins[n]), func(finding) bool { return true })
				list = append(list, named...)
			}
		}
	}
	return list
}

// namedIn lists the tools of other servers that a pinned definition names.
func (x *nameIndex) namedIn(server string, p *pin) []finding {
	if p.definition == nil {
		return nil
	}
	r := x.newReview(server, p)
	r.namesOnly = true
	r.whole(p)
	return slices.DeleteFunc(r.finish(), func(f finding) bool { return f.id != "names-other-tool" || !f.warning })
}

// reviewUnpinned lists the warnings in what a policy leaves out of the pinned definition:
// whole descriptions, or the ends of them.
func (x *nameIndex) reviewUnpinned(server string, p pin) []finding {
	if p.received == nil || p.definition == nil {
		return nil
	}
	r := x.newReview(server, &p)
	if !r.reportUnread(&p) {
		received, pinned := p.asReceived(), p.tree()
		visitSchema(&received, atOther, func(v *value, _, _ position, path []pathStep) {
			if v.kind == '"' && len(path) > 0 && path[len(path)-1].name == "description" {
				r.unpinned(v.text, &pinned, path)
			}
		})
	}
	return slices.DeleteFunc(r.finish(), func(f finding) bool { return !f.warning })
}

// unpinned reads a description if the pinned definition lacks it or the end of it. It
// doesn't read one inside a member that was left out whole: that was ignored on purpose.
func (r *review) unpinned(text string, pinned *value, path []pathStep) {
	for _, step := range path[:len(path)-1] {
		pinned = lookup(pinned, tokenOf(step))
	}
	if pinned == nil || pinned.kind != '{' {
		return
	}
	kept := textOf(lookup(pinned, "description"))
	if text == kept {
		return
	}
	r.pinned = 0
	for r.pinned < min(len(text), len(kept)) && text[r.pinned] == kept[r.pinned] {
		r.pinned++ // a text with a placeholder counts as pinned up to that
	}
	r.path = path
	r.read(text, "", true)
}

// add reports a finding at the level of its id.
func (r *review) add(id, format string, args ...any) {
	r.addAs(id, findingTable[findingRow(id)].warning, format, args...)
}

func (r *review) addAs(id string, warning bool, format string, args ...any) {
	f, count := r.about, &r.counts[findingRow(id)][rankOf(warning)]
	if *count++; *count > maxAlike+1 {
		return
	}
	f.id, f.warning, f.more = id, warning, *count > maxAlike
	if !f.more {
		f.detail = fmt.Sprintf(format, args...)
		for _, step := range r.path {
			token := tokenOf(step)
			if len(f.pointer)+len(token) > maxFindingPointer {
				f.detail += deeper
				break
			}
			f.pointer = pointerTo(f.pointer, token)
		}
	}
	r.list = append(r.list, f)
}

// finish sorts the findings and adds the counts of what was left out.
func (r *review) finish() []finding {
	slices.SortFunc(r.list, func(a, b finding) int {
		return cmp.Or(findingRow(a.id)-findingRow(b.id), rankOf(b.warning)-rankOf(a.warning), rankOf(a.more)-rankOf(b.more),
			compareUTF16(a.pointer, b.pointer), strings.Compare(a.detail, b.detail))
	})
	for i := range r.list {
		if f := &r.list[i]; f.more {
			f.detail = fmt.Sprintf("and %s more of this kind", grouped(r.counts[findingRow(f.id)][rankOf(f.warning)]-maxAlike))
		}
	}
	return r.list
}

func findingRow(id string) int {
	return slices.IndexFunc(findingTable[:], func(rule findingRule) bool { return rule.id == id })
}

func rankOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read reviews one string, or the name of a member, for everything that may be in it. It
// looks for names of tools and servers only in prose.
//
// Before the words are read, hidden characters are left out and look-alike letters are
// replaced by what they pass for, so that neither can break up an order or a name.
func (r *review) read(s, where string, prose bool) {
	if smallBytes.spells(s) {
		return // one word in small letters can't say anything: most strings of a schema
	}
	r.text, r.folded, r.where, r.said = s, s, where, r.said[:0]
	r.paddings()
	if !isPlain(s) {
		r.characters(prose)
		r.otherScripts()
		r.folded, r.pinned = foldText(s), len(foldText(s[:r.pinned]))
	}
	r.encoded()
	t := tokenizers.Get().(*tokenizer)
	t.read(r)
	t.match()
	if prose {
		r.mentions(t)
		r.unknown(t)
	}
	t.r, t.s, t.opened = nil, "", nil // a pool must not keep what was read
	tokenizers.Put(t)
}

// tokenizers keeps tokenizers for reuse, because there are thousands of texts.
var tokenizers = sync.Pool{New: func() any { return &tokenizer{progress: make([]phraseProgress, len(phrases().steps))} }}

// hit reports what the words of the text say, once for each kind. A text that is pinned
// up to end or beyond isn't reported.
func (r *review) hit(id, kind, what string, end, from, to int) {
	if end > r.pinned && !slices.Contains(r.said, kind) && !slices.Contains(r.said, id) {
		r.said = append(r.said, kind)
		r.add(id, "%s%s: %s", what, r.where, r.excerpt(from, to))
	}
}

const maxExcerpt = 160 // code points of the server's text in one detail

// An excerpt is s[from:to] for a detail. Printed, it shows whether there is more text on
// either side. Most are never printed (maxAlike), so its text is only made then.
type excerpt struct {
	s        string
	from, to int
	folded   bool // from and to count bytes in foldText(s)
}

// excerpt shows a part of the folded text as the server wrote it.
func (r *review) excerpt(from, to int) excerpt {
	return excerpt{r.text, max(from, 0), min(to, len(r.folded)), len(r.text) != len(r.folded)}
}

// around shows a part of the text with some code points on both sides.
func (r *review) around(from, to int) excerpt {
	for range beside {
		_, before := utf8.DecodeLastRuneInString(r.text[:from])
		_, after := utf8.DecodeRuneInString(r.text[to:])
		from, to = from-before, to+after
	}
	return excerpt{r.text, from, to, false}
}

func (e excerpt) String() string {
	s, from, to := e.s, e.from, e.to
	if e.folded {
		from, to = unfold(s, from), unfold(s, to)
	}
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	text, cut := s[from:to], ""
	if runes := []rune(text); len(runes) > maxExcerpt {
		text, cut = string(runes[:maxExcerpt]), fmt.Sprintf("<and %s more characters>", grouped(len(runes)-maxExcerpt))
	}
	text = `"` + printable(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)) + cut + `"`
	if from > 0 {
		text = "…" + text
	}
	if to < len(s) {
		text += "…"
	}
	return text
}
