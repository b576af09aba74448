// Package lint reads definitions and lists what a person should see before approving
// them. Its findings never change a digest.
package lint

import (
	"cmp"
	"fmt"
	"hash"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// A Finding is something a reviewer should see before approving. It never
// changes a digest.
type Finding struct {
	// The entry that the finding is about. For a finding about a whole capture, its key is empty.
	pin.Ref

	// A stable id, such as "hidden-text".
	ID string

	// If false, it is a note.
	Warning bool

	// Where it is in the definition, a JSON Pointer.
	Pointer string

	// The text of the finding, safe to print.
	Detail string

	// For a warning: the lockfile records that a person accepted it. For a note: the pinned definition gives the same
	// note.
	Approved bool

	// The finding stands for further findings with its ID and level that aren't listed, and states their number.
	more bool

	// For a warning: the Pointer without array indices, because items move. For the argument of a prompt, its name
	// replaces the index.
	Place string

	// For a warning: the pin.FinishTextDigest of the text that it is about. For a warning about no single string: the
	// digest of the definition or, for a whole capture, the set digest.
	TextDigest string

	Scope pin.FindingScope

	// The name that the finding is about, as received: of another tool, a look-alike, a parameter or a file. It
	// identifies the finding in place of the Detail, which may name servers that are added or removed later.
	Subject string
}

// AcceptedWarning returns what the lockfile records when a person accepts the warning.
func (f Finding) AcceptedWarning() pin.AcceptedWarning {
	return pin.AcceptedWarning{ID: f.ID, Place: f.Place, Digest: f.TextDigest}
}

// EntryWarning returns the AcceptedWarning together with the entry that the finding is in.
func (f Finding) EntryWarning() pin.EntryWarning {
	return pin.EntryWarning{Entry: f.Ref, AcceptedWarning: f.AcceptedWarning()}
}

// FailsRequireClean reports whether lock and relock refuse an entry with this finding under the policy requireClean. It
// considers only the rules whose tables are frozen in the source.
func (f Finding) FailsRequireClean() bool {
	return f.Warning && (f.ID == "hidden-text" || f.ID == "terminal-escape" || f.ID == "bidi-control")
}

// FailsRun reports whether a warning fails a run in which every entry matches: it is about text that no pin
// covers or, in a review, nobody accepted it.
func (f *Finding) FailsRun(review bool) bool {
	return f.Warning && (f.Scope == pin.FindingUnpinned || review && f.Scope == pin.FindingInMatch && !f.Approved)
}

// NamedTool returns the name of another server's tool that a warning is about, or "".
func (f *Finding) NamedTool() string {
	if f.Warning && f.ID == namesOtherTool {
		return f.Subject
	}
	return ""
}

// key returns a value that is equal for the same finding in two versions of a definition.
func (f Finding) key() Finding {
	f.Approved = false
	f.TextDigest = ""
	if f.Subject != "" {
		f.Detail = ""
	}
	return f
}

// A Reviewer reads one definition. It keeps the path to the value that it reads, and makes a
// JSON Pointer of the path only for a finding.
type Reviewer struct {
	x     *NameIndex
	own   *serverNames // the names of the server; nil if it isn't known
	about Finding      // the fields that all its findings share
	root  jsontree.Value
	path  []jsontree.Step

	list []Finding

	// The number of findings by rule and level: 0 for notes, 1 for warnings.
	counts [len(Rules)][2]int

	// Reports whether to look in texts for a tool of this name; nil means every tool.
	sought func(name string) bool

	// The tools of other servers that were reported for the current text.
	mentioned map[string]bool

	// The results of foreignOf, by the address of the argument's first element.
	foreign map[*mentionable][]mentionable

	// For each word that was looked up, whether it names a tool of another server.
	wordsRead map[string]bool

	// Whether the name (hasQueryName) and the description (saysQuery) of the tool name a query language; set on first
	// use (isQueryKnown).
	isQueryKnown, hasQueryName, saysQuery bool

	// The digest of the definition or, for a whole capture, the set digest.
	digest string

	// The fields about the text that is being read:

	// The text as the server wrote it; "" for a finding about no single string.
	text string

	// The text as the detectors read it (fold).
	folded string

	// For each byte of folded, its offset in text; nil if the offsets are equal.
	origin []int32

	// The text that hash was started with (pin.StartTextDigest).
	hashed string
	hash   hash.Hash

	// Where the text is, for a detail, such as " in an image".
	where string

	// The number of leading bytes that the pinned definition has, too.
	pinned int

	// The kinds of hits that were reported in the text so far.
	said map[string]bool

	// It is created when the first text is read.
	tokens *tokenizer

	// The member of the definition, such as inputSchema, that ids is for; both are set on first use.
	idsOf string

	// Every $id in that member.
	ids map[string]bool
}

func (x *NameIndex) newReview(server string, p *pin.Pin) *Reviewer {
	about := Finding{Ref: pin.Ref{Server: server, Key: p.Key}}
	return &Reviewer{x: x, own: x.now[server], about: about, digest: p.Digest, foreign: map[*mentionable][]mentionable{}}
}

// at sets the path for the findings that follow, and clears the text.
func (r *Reviewer) at(members ...string) {
	r.path = nil
	r.text = ""
	for _, name := range members {
		r.path = append(r.path, jsontree.Step{Name: name, Index: -1})
	}
}

// CheckEntry returns the findings about one entry as received. before is its pin, or nil. A warning is approved if the
// pin records it, a note if the pinned definition gives the same note. The findings are sorted by rule, warnings before
// notes, then by pointer and detail. For each ID and level, CheckEntry lists the first mostOf(ID) findings, and one
// more that states the number of the others.
func (x *NameIndex) CheckEntry(server string, p pin.Pin, before *pin.Pin) []Finding {
	r := x.newReview(server, &p)
	r.whole(&p)
	if before == nil {
		if x.known[server] {
			r.joined(&jsontree.Value{})
		}
		return r.finish()
	}
	same := before.Digest == p.Digest
	isRead := r.root.Kind != 0 || p.Type == pin.Skills
	if isRead && !same && before.Definition != nil {
		was := before.ReviewTree()
		r.invocation(was)
		r.joined(&was)
	}
	list := r.finish()
	accepted := recordSet(before.AcceptedWarnings)
	// A note about a new address needs no review of the pinned definition, which can't give such a note.
	isOpen := func(f Finding) bool {
		return f.Warning && accepted[f.AcceptedWarning()] || !f.Warning && f.ID != "new-address"
	}
	if !same && slices.ContainsFunc(list, isOpen) {
		then := x.newReview(server, before)
		then.whole(before)
		approve(list, then.finish())
		// If the pinned definition is stored, a record approves only a warning that the pinned definition gives, too.
		if before.Definition != nil {
			had := map[pin.AcceptedWarning]bool{}
			for _, f := range then.list {
				had[f.AcceptedWarning()] = accepted[f.AcceptedWarning()]
			}
			accepted = had
		}
	}
	for i := range list {
		if f := &list[i]; f.Warning {
			f.Approved = accepted[f.AcceptedWarning()]
		} else {
			f.Approved = same || f.Approved && !f.more
		}
	}
	return list
}

func recordSet(records []pin.AcceptedWarning) map[pin.AcceptedWarning]bool {
	set := map[pin.AcceptedWarning]bool{}
	for _, record := range records {
		set[record] = true
	}
	return set
}

// approve marks each finding in list as approved if then contains it, too. then has the findings about the approved
// definition.
func approve(list, then []Finding) {
	approved := map[Finding]bool{}
	for _, f := range then {
		approved[f.key()] = true
	}
	for i, f := range list {
		list[i].Approved = approved[f.key()]
	}
}

// unreadText is the detail of a finding about a definition that isn't read.
const unreadText = "not read: with the definitions before it there are more than %s bytes"

// deeper is the end of a finding's Detail if the finding is about a value nested below its Pointer.
const deeper = " (deeper than this place)"

// whole reviews a whole definition. It does nothing if only the digest is known.
func (r *Reviewer) whole(p *pin.Pin) {
	if p.Received == nil && p.Definition == nil {
		return
	}
	r.oversize("a definition of %s bytes, over %s", definitionSize(p), maxDefinition)
	if p.Type == pin.Tools {
		r.name(p.Name)
	}
	if r.isUnread(p) {
		r.add("oversize", unreadText, text.FormatNumber(maxRead))
		return
	}
	r.root = r.own.root(p)
	r.definition(&r.root)
	if p.Type == pin.Skills {
		r.skill(p)
	}
	r.hints(r.root.Get("annotations"))
}

// CheckListSize returns the findings about the size of a whole capture.
func (x *NameIndex) CheckListSize(found pin.Set) []Finding {
	r := x.newReview(found.Server, &pin.Pin{})
	r.digest = found.Digest
	r.oversizeList(&found)
	return r.finish()
}

// CheckUnpinned returns the warnings about text that a policy leaves out of the pinned definition: whole descriptions,
// or the ends of them.
func (x *NameIndex) CheckUnpinned(server string, p pin.Pin) []Finding {
	if p.Received == nil || p.Definition == nil {
		return nil
	}
	r := x.newReview(server, &p)
	// No digest covers this text, so nothing else would report it.
	if r.isUnread(&p) {
		r.add("oversize", unreadText, text.FormatNumber(maxRead))
	} else {
		received := p.AsReceived()
		pinned := p.Tree()
		schema.Visit(&received, schema.AtOther, func(v *jsontree.Value, _, _ schema.Position, path []jsontree.Step) {
			if v.Kind == '"' && len(path) > 0 && path[len(path)-1].Name == "description" {
				r.unpinned(v.Text, &pinned, path)
			}
		})
	}
	return WarningsIn(r.finish())
}

// unpinned reviews a description if the pinned definition lacks it, or lacks the end of it. It skips a description
// inside a member that was left out whole, because the policy ignores that on purpose.
func (r *Reviewer) unpinned(text string, pinned *jsontree.Value, path []jsontree.Step) {
	for _, step := range path[:len(path)-1] {
		pinned = jsontree.Lookup(pinned, schema.PointerToken(step))
	}
	if pinned == nil || pinned.Kind != '{' {
		return
	}
	kept := jsontree.StringOf(jsontree.Lookup(pinned, "description"))
	if text == kept {
		return
	}
	r.pinned = 0
	for r.pinned < min(len(text), len(kept)) && text[r.pinned] == kept[r.pinned] {
		// A text with a placeholder counts as pinned only up to the placeholder.
		r.pinned++
	}
	r.path = path
	r.read(text, "", true)
}

// add adds a finding at the default level of its rule.
func (r *Reviewer) add(id, format string, args ...any) {
	r.addFor("", id, Rules[findingRow(id)].Warning, format, args...)
}

// addFor adds a finding about the name in subject, or about no name if subject is "". A costly argument is passed as a
// lazy one, which is computed only if the finding is listed.
func (r *Reviewer) addFor(subject, id string, warning bool, format string, args ...any) {
	count := &r.counts[findingRow(id)][BoolToInt(warning)]
	if *count++; *count > mostOf(id)+1 && r.sought == nil {
		return
	}
	f := r.about
	f.ID = id
	f.Warning = warning
	f.more = *count > mostOf(id) && r.sought == nil
	if warning {
		f.TextDigest = r.digest // for a warning that is in no single string
	}
	if !f.more {
		f.Subject = subject
		f.Detail = fmt.Sprintf(format, args...)
		for i, step := range r.path {
			token := schema.PointerToken(step)
			if len(f.Pointer)+len(token) > maxPointer {
				f.Detail += deeper
				break
			}
			f.Pointer = jsontree.ExtendPointer(f.Pointer, token)
			switch {
			case warning && step.Index < 0:
				f.Place = jsontree.ExtendPointer(f.Place, token)
			case warning && i == 1 && f.Type == pin.Prompts && r.path[0].Name == "arguments": // a prompt's argument is identified by its name
				// CheckUnpinned sets no root, so the list is empty.
				if list := r.root.Get("arguments").Items(); step.Index < len(list) {
					f.Place = jsontree.ExtendPointer(f.Place, list[step.Index].Get("name").Text)
				}
			}
		}
		if warning && r.text != "" {
			if r.hash == nil || r.hashed != r.text {
				r.hash, r.hashed = pin.StartTextDigest(r.pinnedText()), r.text
			}
			f.TextDigest = pin.FinishTextDigest(r.hash, subject)
		}
	}
	r.list = append(r.list, f)
}

// pinnedText returns the text with the policy's placeholders in place of local values, so that its digest is
// the same in another folder.
func (r *Reviewer) pinnedText() string {
	if r.own == nil {
		return r.text
	}
	v, _ := pin.InsertPlaceholders(jsontree.String(r.text), r.own.set.Substitutes)
	return v.Text
}

// A lazy is an argument of addFor that is computed only if the finding is listed.
type lazy func() string

func (s lazy) String() string { return s() }

// finish sorts the findings and sets the details of those that count unlisted findings (more).
func (r *Reviewer) finish() []Finding {
	slices.SortFunc(r.list, func(a, b Finding) int {
		return cmp.Or(findingRow(a.ID)-findingRow(b.ID), BoolToInt(b.Warning)-BoolToInt(a.Warning), BoolToInt(a.more)-BoolToInt(b.more),
			jsontree.CompareUTF16(a.Pointer, b.Pointer), strings.Compare(a.Detail, b.Detail))
	})
	for i := range r.list {
		if f := &r.list[i]; f.more {
			f.Detail = fmt.Sprintf("and %s more of this kind", text.FormatNumber(r.counts[findingRow(f.ID)][BoolToInt(f.Warning)]-mostOf(f.ID)))
		}
	}
	return r.list
}

// mostOf returns the maximum number of listed findings of an ID and level. The limit is higher for names of other
// servers' tools, because a person accepts each of them separately.
func mostOf(id string) int {
	if id == namesOtherTool {
		return maxNaming
	}
	return maxAlike
}

func findingRow(id string) int {
	return slices.IndexFunc(Rules[:], func(rule findingRule) bool { return rule.ID == id })
}

// BoolToInt returns 1 for true and 0 for false.
func BoolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read reviews a string, or the name of a member, with all rules for texts. Only in prose does it look for the names of
// other servers' tools.
//
// Before the words are read, hidden characters are left out, and look-alike letters and HTML's character
// references are replaced by what they pass for, so that none of them can break up an order or a name.
func (r *Reviewer) read(s, where string, prose bool) {
	if r.text = s; smallBytes.spells(s) {
		// A single lower-case word can't give an order. Most strings of a schema are such words.
		return
	}
	r.folded = s
	r.origin = nil
	r.where = where
	r.said = nil
	r.paddings()
	plain := isPlain(s)
	if !plain {
		r.characters(prose)
		r.otherScripts()
	}
	if !plain || strings.Contains(s, "&") {
		r.folded, r.origin = fold(s, "")
		r.pinned = len(plainText(s[:r.pinned]))
	}
	if r.tokens == nil {
		r.tokens = newTokenizer(phrases())
	}
	r.tokens.read(r)
	r.tokens.match()
	r.tokens.asks()
	if prose {
		r.mentions()
	}
}

func newTokenizer(m *phraseMatcher) *tokenizer {
	return &tokenizer{m: m, progress: make([]phraseProgress, len(m.steps))}
}

// hit adds a finding about a part of the text, at most one of each kind (what). It ignores a part that ends within the
// pinned beginning of the text.
func (r *Reviewer) hit(id, what string, end int, found textRange, before, after int) {
	if end > r.pinned && !r.said[what] {
		if r.said == nil {
			r.said = map[string]bool{}
		}
		r.said[what] = true
		r.add(id, "%s%s: %s", what, r.where, r.excerpt(found, before, after))
	}
}

// maxExcerpt is the maximum number of code points of the server's text that one detail quotes.
const maxExcerpt = 160

// excerpt quotes a part of the folded text as the server wrote it, with this many bytes before and after it.
func (r *Reviewer) excerpt(found textRange, before, after int) string {
	place := func(at int) int {
		if r.origin == nil {
			return at
		}
		return int(r.origin[at])
	}
	from := max(found.from-before, 0)
	to := min(found.to+max(after, 0), len(r.folded))
	return excerpt(r.text, textRange{place(from), place(to)}, textRange{place(found.from), place(found.to)})
}

// around quotes a part of the text as the server wrote it, with some code points on both sides.
func (r *Reviewer) around(from, to int) string {
	for range beside {
		_, before := utf8.DecodeLastRuneInString(r.text[:from])
		_, after := utf8.DecodeRuneInString(r.text[to:])
		from = from - before
		to = to + after
	}
	return excerpt(r.text, textRange{from, to}, textRange{})
}

// whole quotes all of a text.
func whole(s string) string { return excerpt(s, textRange{0, len(s)}, textRange{}) }

// excerptEscapes escapes a text in quotes: a character that would end the quotation or mark a
// part of it gets a backslash, and a line feed is shown as ⏎.
var excerptEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "»", `\»`, "«", `\«`, "⏎", `\⏎`, "\n", "⏎")

// excerpt returns a part of s, printable and in quotes. The matched text is »marked«, unless it is the whole part. An …
// outside the quotes means that the text continues on that side.
func excerpt(s string, part, found textRange) string {
	from := part.from
	to := part.to
	cut := ""
	if runes := []rune(s[from:to]); len(runes) > maxExcerpt+len("<and 99 more characters>") { // only if the cut makes it shorter
		to = from + len(string(runes[:maxExcerpt]))
		cut = fmt.Sprintf("<and %s more characters>", text.FormatNumber(len(runes)-maxExcerpt))
	}
	printed := func(from, to int) string { return text.Printable(excerptEscapes.Replace(s[from:to])) }
	shown := printed(from, to)
	if a, b := found.from, min(to, found.to); a < b && (a > from || b < part.to) {
		shown = printed(from, a) + "»" + printed(a, b) + "«" + printed(b, to)
	}
	shown = `"` + shown + cut + `"`
	if from > 0 {
		shown = "…" + shown
	}
	if part.to < len(s) {
		shown += "…"
	}
	return shown
}

// WarningsIn returns the warnings of a list, without its notes.
func WarningsIn(list []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return !f.Warning })
}
