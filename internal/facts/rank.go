package facts

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// A tool is judged by what it declares and by its parameters. Hints are the server's own claims (MCP 2025-06-18,
// ToolAnnotations): they only order what is read. So a tool that takes code is read early, whatever it claims.

// Words for the hints of a tool, and for what it accepts.
const (
	TraitDestructive = "destructive"
	TraitTakesCode   = "takes code"
	TraitReadOnly    = "read-only"
	TraitWrites      = "writes"
	TraitOpenWorld   = "open world"
	TraitNoHints     = "no hints"
)

// declared lists words for what a tool declares in its hints and for what it accepts. notes are its findings.
// TraitTakesCode comes early, because a table may cut off the rest. A tool gets TraitWrites if its hints declare that
// it isn't read-only, unless they also declare that it destroys. If readOnlyHint isn't declared and destructiveHint is
// false, the tool gets TraitWrites, too, because destructiveHint is meaningless for a tool that only reads.
func declared(p *pin.Pin, definition jsontree.Value, notes []lint.Finding) (words []string) {
	if p == nil || p.Type != pin.Tools || p.Definition == nil {
		return nil
	}
	// The value of a hint, or 0 if it isn't declared as a boolean.
	hint := func(name string) byte {
		v := definition.Get("annotations").Get(name)
		if v.Kind == 't' || v.Kind == 'f' {
			return v.Kind
		}
		return 0
	}
	destroys := hint("destructiveHint")
	reads := hint("readOnlyHint")
	isOpen := hint("openWorldHint")
	add := func(word string, is bool) {
		if is {
			words = append(words, word)
		}
	}
	add(TraitDestructive, destroys == 't')
	add(TraitTakesCode, slices.ContainsFunc(notes, func(f lint.Finding) bool { return f.ID == "takes-code" }))
	add(TraitReadOnly, reads == 't')
	add(TraitWrites, reads == 'f' && destroys != 't' || reads == 0 && destroys == 'f')
	add(TraitOpenWorld, isOpen == 't')
	add(TraitNoHints, destroys|reads|isOpen == 0)
	return words
}

// writingWords are verbs in the names of tools that change something.
var writingWords = sync.OnceValue(func() []string {
	return strings.Fields(`add apply cancel clear clone close commit copy create delete deploy destroy disable drop edit enable execute
 erase exec fork grant insert install kill merge modify move patch pause post publish purge push put remove rename replace reset restart restore resume
 revoke rollback run send set start stop submit teardown terminate transfer truncate uninstall unset update upgrade upload upsert wipe write`)
})

// mostOfName is the maximum number of bytes of a name that the function writes examines.
const mostOfName = 1_000

// nameWord matches a word in a name. A word ends at a separator or before an inner capital.
var nameWord = text.LazyRegexp(`\p{Lu}*[\p{Ll}\p{Lo}\p{Lm}\p{Lt}]*`)

// writes reports whether the first mostOfName bytes of a tool's name contain a verb for changing something.
func writes(name string) bool {
	name = name[:min(len(name), mostOfName)]
	return slices.ContainsFunc(nameWord().FindAllString(name, -1), func(word string) bool { return slices.Contains(writingWords(), strings.ToLower(word)) })
}

// A Class is the rank of an entry in a review: the most suspicious entries are read first.
type Class int

const (
	ClassWarned    Class = iota // a new warning
	ClassDuplicate              // a repeated name

	// A change that no reader of the texts sees.
	ClassHidden

	// A new entry that takes code or has a script, or an approved entry that does so now; or a new skill with the name
	// of another server's skill.
	ClassCode

	// A new entry that declares itself destructive, or an approved entry that does so now.
	ClassDestructive

	// An approved entry that now accepts or returns a secret, or has a new parameter for the path of a file to write.
	ClassSecretOrFile

	// An approved entry that is restricted less now.
	ClassRestrictionRemoved

	// A new tool without hints whose name contains a verb for changing something.
	ClassWriting

	// An approved entry that now names a host that no pin of its server names.
	ClassNewHost

	ClassOther // any other new or changed entry
	ClassRemoved
)

// IsReadFirst reports whether entries of the class are read first, each for a reason.
func (c Class) IsReadFirst() bool { return c <= ClassNewHost }

var classOfKind = map[pin.DriftKind]Class{pin.DriftDuplicate: ClassDuplicate, pin.DriftHidden: ClassHidden, pin.DriftAdded: ClassOther, pin.DriftChanged: ClassOther, pin.DriftRemoved: ClassRemoved}

// A ReasonKind is the kind of a Reason.
type ReasonKind string

const (
	ReasonWarning   ReasonKind = "warning"  // it has a new warning
	ReasonDuplicate ReasonKind = "repeated" // its name is repeated
	ReasonHidden    ReasonKind = "hidden"   // a reader can't see what changed
	ReasonCode      ReasonKind = "code"     // it has a parameter for code
	ReasonScript    ReasonKind = "script"   // it has a script

	// A new skill has the name of another server's skill.
	ReasonSameName ReasonKind = "same-name"

	ReasonDestructive        ReasonKind = "destroys"  // it declares itself destructive
	ReasonSecret             ReasonKind = "secret"    // it has a new place for a secret
	ReasonWritesFile         ReasonKind = "file"      // it has a new parameter for the path of a file to write
	ReasonRestrictionRemoved ReasonKind = "unguarded" // a sentence that restricted it is gone
	ReasonHintLoosened       ReasonKind = "hint"      // its hints changed so that clients ask less
	ReasonOpenWorld          ReasonKind = "opened"    // it now declares an open world
	ReasonWritingName        ReasonKind = "writes"    // its name says that it writes, and it has no hints

	// It names a host that no pin of its server names.
	ReasonNewHost ReasonKind = "host"
)

// A Reason is why an entry is read first.
type Reason struct {
	Kind    ReasonKind
	Pointer string // where in the entry the cause is; or ""
	Host    string // the new host; or ""
}

// rank sets the class of an entry, which determines how early it is read, and the reason.
func (r *reader) rank(e *Entry, old, new jsontree.Value) {
	e.Class = classOfKind[e.Kind]
	earlier := func(class Class, why Reason) {
		if class < e.Class || class == e.Class && e.Reason.Kind == "" {
			e.Class = class
			e.Reason = why
		}
	}
	for _, f := range e.NewFindings {
		if f.Warning {
			earlier(ClassWarned, Reason{Kind: ReasonWarning, Pointer: f.Pointer})
		}
	}
	if e.Kind == pin.DriftDuplicate {
		earlier(ClassDuplicate, Reason{Kind: ReasonDuplicate})
	}
	if e.Kind == pin.DriftHidden {
		earlier(ClassHidden, Reason{Kind: ReasonHidden})
	}
	for _, note := range codeNotes {
		for _, f := range e.NewFindings {
			if f.ID == note.id && (e.Kind == pin.DriftAdded || e.Kind == pin.DriftChanged) {
				earlier(ClassCode, Reason{Kind: note.cause, Pointer: f.Pointer})
			}
		}
	}
	if e.Kind == pin.DriftAdded {
		e.rankNew(earlier)
	}
	says := false
	for _, edit := range e.Edits {
		says = says || !edit.Minor()
		// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
		if edit.IsInvisible || edit.HiddenCounts[1] > edit.HiddenCounts[0] {
			earlier(ClassHidden, Reason{Kind: ReasonHidden, Pointer: edit.Pointer})
		}
	}
	if e.Kind == pin.DriftChanged {
		r.rankChanged(e, old, new, earlier)
	}
	e.Minor = e.Kind == pin.DriftChanged && !e.Unexplained && !says && len(e.Edits) > 0 && e.Class == ClassOther && !e.HasNewFinding("new-address")
	if e.Minor {
		e.Score = math.MinInt
	}
}

// codeNotes lists the notes about code. If an entry has both, the first one becomes its Reason.
var codeNotes = [...]struct {
	id    string
	cause ReasonKind
}{{"skill-script", ReasonScript}, {"takes-code", ReasonCode}}

// rankNew ranks a new entry.
func (e *Entry) rankNew(earlier func(Class, Reason)) {
	if e.Type == pin.Skills && e.HasNewFinding("same-name") {
		earlier(ClassCode, Reason{Kind: ReasonSameName})
	}
	if slices.Contains(e.CapturedTraits, TraitDestructive) {
		earlier(ClassDestructive, Reason{Kind: ReasonDestructive, Pointer: "/annotations/destructiveHint"})
	}
	if slices.Contains(e.CapturedTraits, TraitNoHints) && writes(e.Name) {
		earlier(ClassWriting, Reason{Kind: ReasonWritingName})
	}
}

// rankChanged ranks an approved entry that changed.
func (r *reader) rankChanged(e *Entry, old, new jsontree.Value, earlier func(Class, Reason)) {
	for _, edit := range e.Edits {
		// A hint that was absent and is true now doesn't count, because true is the default of both hints. Nor does a
		// hint that means nothing because the tool is read-only.
		isTrueNow := edit.Old.Kind == 'f' && edit.New.Kind == 't' && !edit.Minor()
		if isTrueNow && edit.Pointer == "/annotations/destructiveHint" {
			earlier(ClassDestructive, Reason{Kind: ReasonDestructive, Pointer: edit.Pointer})
		}
		if isTrueNow && edit.Pointer == "/annotations/openWorldHint" {
			earlier(ClassRestrictionRemoved, Reason{Kind: ReasonOpenWorld, Pointer: edit.Pointer})
		}
	}
	if place, pointer, is := lint.AddedSensitiveProperty(&old, &new); is {
		cause := ReasonWritesFile
		if place.IsSecret {
			cause = ReasonSecret
		}
		earlier(ClassSecretOrFile, Reason{Kind: cause, Pointer: pointer})
	}
	if pointer, is := e.lostGuard(new); is {
		earlier(ClassRestrictionRemoved, Reason{Kind: ReasonRestrictionRemoved, Pointer: pointer})
	}
	isContradicted := writes(e.Name) && slices.Contains(e.CapturedTraits, TraitReadOnly) // its name says that it writes
	for _, edit := range e.Edits {
		if edit.Label.AsksLess() && (isContradicted || !r.hintsAtOnce(e.Server)) {
			earlier(ClassRestrictionRemoved, Reason{Kind: ReasonHintLoosened, Pointer: edit.Pointer})
		}
	}
	for _, f := range e.NewFindings {
		if f.ID != "new-address" {
			continue
		}
		if host := r.newHost(e.Server, new); host != "" {
			earlier(ClassNewHost, Reason{ReasonNewHost, f.Pointer, host})
		}
	}
}

// hintsAtOnce reports whether all tools that a server keeps got their hints at once: their pinned definitions have no
// hints, and all captured ones do. Such a change comes from the server's SDK rather than from its tools.
func (r *reader) hintsAtOnce(server string) bool {
	is, known := r.hinted[server]
	if known {
		return is
	}
	hasHints := func(p *pin.Pin) bool { return !slices.Contains(declared(p, p.Tree(), nil), TraitNoHints) }
	p := pin.FindComparison(r.sides, server)
	is = true
	tools := 0
	for _, was := range p.Locked.PinsOf(pin.Tools) {
		now := p.Captured.Find(was.Key)
		if now == nil || was.Definition == nil || now.Definition == nil {
			continue
		}
		tools++
		is = is && !hasHints(&was) && hasHints(now)
	}
	is = is && tools > 0
	r.hinted[server] = is
	return is
}

// lostGuard returns the pointer of a sentence that restricted an approved entry and is missing now.
func (e *Entry) lostGuard(new jsontree.Value) (pointer string, is bool) {
	var now map[string]bool // the sentences of new; computed on first use
	for _, edit := range e.Edits {
		lost := edit.TextEdits
		gone := edit.New.Kind == 0 && strings.HasSuffix(edit.Pointer, "/description")
		if edit.Old.Kind == '"' && !edit.ComparedBySentence && (gone || edit.New.Kind == '"') {
			lost = []words.Edit{{Old: edit.Old.Text, New: edit.New.Text}}
		}
		for _, s := range lost {
			if diff.CountRestrictions(s.Old) <= diff.CountRestrictions(s.New) {
				continue
			}
			if now == nil {
				now = sentencesIn(new)
			}
			for _, one := range words.Sentences(s.Old) {
				one = strings.TrimSpace(one)
				if diff.CountRestrictions(one) > 0 && !now[one] {
					return edit.Pointer, true
				}
			}
		}
	}
	return "", false
}

// sentencesIn returns the sentences of all texts in a value.
func sentencesIn(v jsontree.Value) map[string]bool {
	sentences := map[string]bool{}
	jsontree.MapStrings(v, func(text string) string {
		for _, s := range words.Sentences(text) {
			sentences[strings.TrimSpace(s)] = true
		}
		return text
	})
	return sentences
}

// newHost returns the alphabetically first host in a definition that no pin of its server names, or "".
func (r *reader) newHost(server string, definition jsontree.Value) string {
	known := r.hosts[server]
	if known == nil {
		known = map[string]bool{}
		for _, p := range pin.FindComparison(r.sides, server).Locked.Pins {
			addHosts(known, p.ReviewTree())
		}
		r.hosts[server] = known
	}
	hosts := map[string]bool{}
	addHosts(hosts, definition)
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		if !known[host] {
			return host
		}
	}
	return ""
}

// BulkWarning returns the dangerous traits for which the prompt names an entry before it accepts many entries at once,
// or "".
func (e *Entry) BulkWarning() string {
	why := slices.DeleteFunc(slices.Clone(e.CapturedTraits), func(word string) bool {
		return word != TraitDestructive && word != TraitTakesCode && word != TraitOpenWorld
	})
	return strings.Join(why, ", ")
}

// CompareRank orders two entries: by class, then by score. It is negative if e comes first.
func (e *Entry) CompareRank(other *Entry) int {
	kinds := slices.Index(pin.DriftKinds, e.Kind) - slices.Index(pin.DriftKinds, other.Kind) // breaks a tie of class and score
	instructions := lint.BoolToInt(e.Type != pin.Instructions) - lint.BoolToInt(other.Type != pin.Instructions)
	return cmp.Or(int(e.Class-other.Class), cmp.Compare(other.Score, e.Score), kinds, cmp.Compare(e.FirstLabel(), other.FirstLabel()), instructions,
		pin.CompareDrifts(e.Drift, other.Drift))
}

// FirstLabel returns the label of an entry's first edit.
func (e *Entry) FirstLabel() (first label.Label) {
	if len(e.Edits) > 0 {
		first = e.Edits[0].Label
	}
	return first
}

// hostPattern finds the host of an address, after the last @ of its authority. A client may read a backslash as a
// slash.
var hostPattern = text.LazyRegexp("[A-Za-z][A-Za-z0-9+.-]*://(?:[^\\s/?#\\\\\"'<>`]*@)?([^\\s/?#:@\\\\\"'<>()\\[\\]{}`]+)")

// exampleHost matches reserved host names, which nobody can register (RFC 2606).
var exampleHost = text.LazyRegexp(`(^|\.)(example(\.[^.]*)?|test|invalid|localhost)$`)

// addHosts adds the hosts in the texts of a definition, except those in the dialects and ids of its schemas.
func addHosts(hosts map[string]bool, v jsontree.Value) {
	for _, address := range hostPattern().FindAllStringSubmatch(v.Text, -1) {
		if host := strings.ToLower(strings.TrimRight(address[1], ".,;!*")); host != "" && !exampleHost().MatchString(host) {
			hosts[host] = true
		}
	}
	for _, part := range v.Parts {
		if v.Kind != '{' || part.Name != "$schema" && part.Name != "$id" {
			addHosts(hosts, part.Value)
		}
	}
}
