package report

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

// dangerOf are words for what a tool declares and takes. notes are the findings in it. It takes code comes
// early, for a table may cut the rest. A tool writes if its hints say that it does more than read, and
// don't say that it destroys. "Not destructive" says so, too: it means nothing for a tool that only reads.
func dangerOf(p *pin.Pin, notes []lint.Finding) (words []string) {
	if p == nil || p.Type != pin.Tools || p.Definition == nil {
		return nil
	}
	h := signature.HintsOf(p.Tree().Get("annotations"))
	for _, one := range []struct {
		word string
		is   bool
	}{
		{"destructive", h[destructive] == 't'}, {"takes code", slices.ContainsFunc(notes, func(f lint.Finding) bool { return f.ID == "takes-code" })},
		{"read-only", h[readOnly] == 't'},
		{"writes", h[readOnly] == 'f' && h[destructive] != 't' || h[readOnly] == 0 && h[destructive] == 'f'},
		{"open world", h[openWorld] == 't'}, {"no hints", h[destructive]|h[readOnly]|h[openWorld] == 0},
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

// What is most suspicious comes first for a reader.
const (
	rankWarned = iota
	rankDuplicate
	rankHidden
	rankStrong      // a strong order; an approved entry that gained danger, a host, or lost a guard
	rankCode        // a new tool that takes code,
	rankDestructive // declares destruction,
	rankWriting     // or writes by its name and declares nothing
	rankAdded
	rankChanged
	rankRemoved
)

var kindRank = map[pin.DriftKind]int{pin.Duplicate: rankDuplicate, pin.Hidden: rankHidden, pin.Added: rankAdded, pin.Changed: rankChanged, pin.Removed: rankRemoved}

// rank works out how early an entry is read.
func (r *Report) rank(e *drifted) {
	e.class = kindRank[e.Kind]
	earlier := func(class int, is bool) {
		if is {
			e.class = min(e.class, class)
		}
	}
	for _, f := range e.fresh {
		e.weight = max(e.weight, f.Weight)
	}
	changed, new := e.Kind == pin.Changed, e.Kind == pin.Added
	earlier(rankCode, new && slices.Contains(e.is, "takes code"))
	earlier(rankDestructive, new && slices.Contains(e.is, "destructive"))
	earlier(rankWriting, new && slices.Contains(e.is, "no hints") && writes(e.Name))
	grave, says := changed && e.noted("takes-code"), false
	for _, ed := range e.edits {
		says = says || !ed.minor()
		// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
		earlier(rankHidden, ed.unseen != "" || ed.Hidden[1] > ed.Hidden[0])
		gained := ed.Old.Kind == 'f' && ed.New.Kind == 't' && // true is the default of both
			(ed.Pointer == "/annotations/destructiveHint" || ed.Pointer == "/annotations/openWorldHint")
		grave = grave || changed && (gained || ed.Label.AsksLess() || ed.losesGuard())
	}
	earlier(rankStrong, e.strong() || grave || changed && e.noted("new-address") && r.newHost(e))
	earlier(rankWarned, e.warned())
	e.minor = changed && !says && len(e.edits) > 0 && e.class == rankChanged && !e.noted(joinedNotes...)
}

// newHost reports whether a definition names a host that its server's pins don't have.
func (r *Report) newHost(e *drifted) bool {
	known := r.hosts[e.Server]
	if known == nil {
		known = map[string]bool{}
		for _, p := range pin.ComparisonOf(r.Comparisons, e.Server).Locked.Pins {
			addHosts(known, p.Tree())
		}
		r.hosts[e.Server] = known
	}
	before := len(known)
	hosts := maps.Clone(known)
	addHosts(hosts, e.Captured.Tree())
	return len(hosts) > before
}

// grave is why an entry is named before it is accepted with many others, or "".
func (e *drifted) grave() string {
	why := slices.DeleteFunc(slices.Clone(e.is), func(word string) bool { return word != "destructive" && word != "takes code" && word != "open world" })
	if e.strong() {
		why = append(why, "a strong order")
	}
	return strings.Join(why, ", ")
}

// strong reports whether an entry has a strong order.
func (e *drifted) strong() bool {
	return slices.ContainsFunc(e.fresh, func(f lint.Finding) bool { return f.Strong })
}

// before orders two entries, the more dangerous first.
func (e *drifted) before(other *drifted) int {
	kind := kindRank[e.Kind] - kindRank[other.Kind]
	if e.class == rankStrong { // an approved entry that orders now comes before a new one
		kind = cmp.Or(other.weight-e.weight, kindRank[other.Kind]-kindRank[e.Kind])
	}
	return cmp.Or(e.class-other.class, kind, cmp.Compare(e.gravest(), other.gravest()),
		other.weight-e.weight, lint.RankOf(e.Type != pin.Instructions)-lint.RankOf(other.Type != pin.Instructions), pin.CompareDrifts(e.Drift, other.Drift))
}

// gravest is the first of the labels of an entry.
func (e *drifted) gravest() (first diff.Label) {
	if len(e.edits) > 0 {
		first = e.edits[0].Label
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
