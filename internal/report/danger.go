package report

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/signature"
)

// What a tool could do is judged by what it declares and by what it takes. Hints are the
// server's own claims (MCP 2025-06-18, ToolAnnotations): they sort what is read, and decide
// nothing. So a tool that takes code is read early whatever it claims.

// A danger is what a tool declares and takes, as far as it is read early for that.
type danger struct {
	hints  [4]byte // of signature.Hints: 't', 'f', or 0 where it isn't declared as a boolean
	code   bool    // it takes code
	writes bool    // its name says that it writes
	tool   bool
}

// Indexes of signature.Hints.
const (
	destructive = iota
	readOnly
	openWorld
)

// dangerOf reads a definition. notes are the findings in it.
func dangerOf(p *pin.Pin, notes []lint.Finding) (d danger) {
	if p == nil || p.Type != pin.Tools || p.Definition == nil {
		return d
	}
	d.tool = true
	d.code = slices.ContainsFunc(notes, func(f lint.Finding) bool { return f.ID == "takes-code" })
	d.hints = signature.HintsOf(p.Tree().Get("annotations"))
	for _, word := range nameWords(p.Name) {
		d.writes = d.writes || slices.Contains(writingWords, word)
	}
	return d
}

// writingWords are verbs in the names of tools that change something.
var writingWords = strings.Fields(`add apply cancel clear clone close commit copy create delete deploy destroy disable drop edit enable execute
 erase exec fork grant insert install kill merge modify move patch pause post publish purge push put remove rename replace reset restart restore resume
 revoke rollback run send set start stop submit teardown terminate transfer truncate uninstall unset update upgrade upload upsert wipe write`)

// nameWords splits a name at separators and inner capitals, in small letters.
func nameWords(name string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		if !unicode.IsLetter(r) {
			r = ' '
		}
		spaced.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.Fields(spaced.String())
}

// declares reports whether a hint says what the tool may do.
func (d *danger) declares() bool {
	return d.hints[destructive]|d.hints[readOnly]|d.hints[openWorld] != 0
}

// said are the words for what a tool declares and takes. It takes code comes early, for a table may
// cut the rest. A tool writes if its hints say that it does more than read, and don't say that it
// destroys. "Not destructive" says so, too: it means nothing for a tool that only reads (MCP
// 2025-06-18, ToolAnnotations).
func (d *danger) said() (said []string) {
	h := &d.hints
	for _, one := range []struct {
		word string
		is   bool
	}{
		{"destructive", h[destructive] == 't'}, {"takes code", d.code}, {"read-only", h[readOnly] == 't'},
		{"writes", h[readOnly] == 'f' && h[destructive] != 't' || h[readOnly] == 0 && h[destructive] == 'f'},
		{"open world", h[openWorld] == 't'}, {"no hints", d.tool && !d.declares()},
	} {
		if one.is {
			said = append(said, one.word)
		}
	}
	return said
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
		if f.ID == "order" {
			e.weight = max(e.weight, f.Weight)
		}
	}
	changed, new := e.Kind == pin.Changed, e.Kind == pin.Added
	earlier(rankCode, new && e.is.code)
	earlier(rankDestructive, new && e.is.hints[destructive] == 't')
	earlier(rankWriting, new && e.is.tool && e.is.writes && !e.is.declares())
	gained := func(hint int) bool { return e.is.hints[hint] == 't' && e.was.hints[hint] == 'f' } // true is the default of both
	grave := changed && (e.noted("takes-code") || gained(destructive) || gained(openWorld))
	says := false
	for _, ed := range e.edits {
		says = says || !ed.minor()
		// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
		earlier(rankHidden, ed.unseen != "" || ed.Hidden[1] > ed.Hidden[0])
		grave = grave || changed && (ed.Label.AsksLess() || ed.losesGuard())
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
	why := slices.DeleteFunc(e.is.said(), func(word string) bool { return word != "destructive" && word != "takes code" && word != "open world" })
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
	for i, ed := range e.edits {
		if i == 0 || ed.Label < first {
			first = ed.Label
		}
	}
	return first
}

var hostPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>()\[\]{}` + "`" + `]+`)
})

// exampleHost matches hosts that nobody can have (RFC 2606).
var exampleHost = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|\.)(example(\.[^.]*)?|test|invalid|localhost)$`)
})

// addHosts adds the hosts in the texts of a definition, but for those of its schemas' dialects.
func addHosts(hosts map[string]bool, v jsontree.Value) {
	for _, address := range hostPattern().FindAllString(v.Text, -1) {
		u, err := url.Parse(strings.TrimRight(address, ".,;:!?*"))
		if err != nil || u.Hostname() == "" {
			continue
		}
		if host := strings.ToLower(u.Hostname()); !exampleHost().MatchString(host) {
			hosts[host] = true
		}
	}
	for _, part := range v.Parts {
		if v.Kind != '{' || part.Name != "$schema" && part.Name != "$id" {
			addHosts(hosts, part.Value)
		}
	}
}
