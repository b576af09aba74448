package facts

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/signature"
)

// What a tool could do is judged by what it declares and by what it takes. Hints are the
// server's own claims (MCP 2025-06-18, ToolAnnotations): they sort what is read, and decide
// nothing. So a tool that takes code is read early whatever it claims.

// Indexes of signature.Hints.
const (
	destructive = iota
	readOnly
	openWorld
)

// Words for what a tool declares and takes.
const (
	Destructive = "destructive"
	TakesCode   = "takes code"
	ReadOnly    = "read-only"
	Writes      = "writes"
	OpenWorld   = "open world"
	NoHints     = "no hints"
)

// declared are words for what a tool declares and takes. notes are the findings in it. It takes code comes
// early, for a table may cut the rest. A tool writes if its hints say that it does more than read, and
// don't say that it destroys. "Not destructive" says so, too: it means nothing for a tool that only reads.
func declared(p *pin.Pin, notes []lint.Finding) (words []string) {
	if p == nil || p.Type != pin.Tools || p.Definition == nil {
		return nil
	}
	h := signature.HintsOf(p.Tree().Get("annotations"))
	for _, one := range []struct {
		word string
		is   bool
	}{
		{Destructive, h[destructive] == 't'},
		{TakesCode, slices.ContainsFunc(notes, func(f lint.Finding) bool { return f.ID == "takes-code" })},
		{ReadOnly, h[readOnly] == 't'},
		{Writes, h[readOnly] == 'f' && h[destructive] != 't' || h[readOnly] == 0 && h[destructive] == 'f'},
		{OpenWorld, h[openWorld] == 't'},
		{NoHints, h[destructive]|h[readOnly]|h[openWorld] == 0},
	} {
		if one.is {
			words = append(words, one.word)
		}
	}
	return words
}

// writingWords are verbs in the names of tools that change something.
var writingWords = strings.Fields(`add apply cancel clear clone close commit copy create delete deploy destroy disable drop edit enable execute
 erase exec fork grant insert install kill merge modify move patch pause post publish purge push put remove rename replace reset restart restore resume
 revoke rollback run send set start stop submit teardown terminate transfer truncate uninstall unset update upgrade upload upsert wipe write`)

// nameWord is a word in a name, which ends at a separator or before an inner capital.
var nameWord = pattern(`\p{Lu}*[\p{Ll}\p{Lo}\p{Lm}\p{Lt}]*`)

// pattern compiles a regular expression when it is first needed.
func pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

// writes reports whether a name says that the tool changes something.
func writes(name string) bool {
	return slices.ContainsFunc(nameWord().FindAllString(name, -1), func(word string) bool { return slices.Contains(writingWords, strings.ToLower(word)) })
}

// A Class says how early an entry is read: what is most suspicious comes first.
type Class int

const (
	ClassWarned Class = iota
	ClassDuplicate
	ClassHidden
	ClassStrong      // a strong order; an approved entry that gained danger, a host, or lost a guard
	ClassCode        // a new tool that takes code,
	ClassDestructive // declares destruction,
	ClassWriting     // or writes by its name and declares nothing
	ClassAdded
	ClassChanged
	ClassRemoved
)

var classOfKind = map[pin.DriftKind]Class{pin.Duplicate: ClassDuplicate, pin.Hidden: ClassHidden, pin.Added: ClassAdded, pin.Changed: ClassChanged, pin.Removed: ClassRemoved}

// rank works out how early an entry is read.
func (r *reader) rank(e *Entry) {
	e.Class = classOfKind[e.Kind]
	earlier := func(class Class, is bool) {
		if is {
			e.Class = min(e.Class, class)
		}
	}
	for _, f := range e.Fresh {
		e.Weight = max(e.Weight, f.Weight)
	}
	isChanged := e.Kind == pin.Changed
	isNew := e.Kind == pin.Added
	earlier(ClassCode, isNew && slices.Contains(e.Is, TakesCode))
	earlier(ClassCode, isNew && e.Noted("skill-script"))
	earlier(ClassStrong, isNew && e.Type == pin.Skills && e.Noted("same-name"))
	earlier(ClassDestructive, isNew && slices.Contains(e.Is, Destructive))
	earlier(ClassWriting, isNew && slices.Contains(e.Is, NoHints) && writes(e.Name))
	says := false
	isGrave := isChanged && e.Noted("takes-code", "skill-script")
	for _, edit := range e.Edits {
		says = says || !edit.Minor()
		// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
		earlier(ClassHidden, edit.Unseen || edit.Hidden[1] > edit.Hidden[0])
		isGrave = isGrave || isChanged && (edit.gainsDanger() || edit.Label.AsksLess() || edit.LosesGuard())
	}
	earlier(ClassStrong, e.Strong() || isGrave || isChanged && e.Noted("new-address") && r.newHost(e))
	earlier(ClassWarned, e.Warned())
	e.Minor = isChanged && !says && len(e.Edits) > 0 && e.Class == ClassChanged && !e.Noted(JoinedNotes...)
}

// gainsDanger reports whether a hint that said no says now that the tool destroys, or that its
// world is open. True is the default of both.
func (e *Edit) gainsDanger() bool {
	return e.Old.Kind == 'f' && e.New.Kind == 't' && (e.Pointer == "/annotations/destructiveHint" || e.Pointer == "/annotations/openWorldHint")
}

// LosesGuard reports whether a sentence that holds the tool back went, or no longer does.
func (e *Edit) LosesGuard() bool {
	return slices.ContainsFunc(e.Sentences, func(s diff.SentenceEdit) bool { return diff.Guards(s.Old) > diff.Guards(s.New) })
}

// newHost reports whether a definition names a host that its server's pins don't have.
func (r *reader) newHost(e *Entry) bool {
	known := r.hosts[e.Server]
	if known == nil {
		known = map[string]bool{}
		for _, p := range pin.ComparisonOf(r.sides, e.Server).Locked.Pins {
			addHosts(known, p.Shown())
		}
		r.hosts[e.Server] = known
	}
	before := len(known)
	hosts := maps.Clone(known)
	addHosts(hosts, e.Captured.Shown())
	return len(hosts) > before
}

// Grave is why an entry is named before it is accepted with many others, or "".
func (e *Entry) Grave() string {
	why := slices.DeleteFunc(slices.Clone(e.Is), func(word string) bool { return word != Destructive && word != TakesCode && word != OpenWorld })
	if e.Strong() {
		why = append(why, "a strong order")
	}
	return strings.Join(why, ", ")
}

// Strong reports whether an entry has a strong order.
func (e *Entry) Strong() bool {
	return slices.ContainsFunc(e.Fresh, func(f lint.Finding) bool { return f.Strong })
}

// Before orders two entries, the more dangerous first. It is negative if e comes first.
func (e *Entry) Before(other *Entry) int {
	kind := int(classOfKind[e.Kind] - classOfKind[other.Kind])
	if e.Class == ClassStrong { // an approved entry that orders now comes before a new one
		kind = cmp.Or(other.Weight-e.Weight, -kind)
	}
	return cmp.Or(int(e.Class-other.Class), kind, cmp.Compare(e.Gravest(), other.Gravest()), other.Weight-e.Weight,
		lint.RankOf(e.Type != pin.Instructions)-lint.RankOf(other.Type != pin.Instructions), pin.CompareDrifts(e.Drift, other.Drift))
}

// Gravest is the first of the labels of an entry.
func (e *Entry) Gravest() (first diff.Label) {
	if len(e.Edits) > 0 {
		first = e.Edits[0].Label
	}
	return first
}

// hostPattern finds the host of an address, behind the last @ of its authority. A client may read a backslash as a slash.
var hostPattern = pattern("[A-Za-z][A-Za-z0-9+.-]*://(?:[^\\s/?#\\\\\"'<>`]*@)?([^\\s/?#:@\\\\\"'<>()\\[\\]{}`]+)")

// exampleHost matches hosts that nobody can have (RFC 2606).
var exampleHost = pattern(`(^|\.)(example(\.[^.]*)?|test|invalid|localhost)$`)

// addHosts adds the hosts in the texts of a definition, but for those of its schemas' dialects.
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
