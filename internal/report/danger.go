package report

import (
	"cmp"
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

// onlyWrites reports whether the hints say that the tool does more than read, and don't say
// that it destroys. "Not destructive" says so, too: it means nothing for a tool that only
// reads (MCP 2025-06-18, ToolAnnotations).
func (d *danger) onlyWrites() bool {
	return d.hints[readOnly] == 'f' && d.hints[destructive] != 't' || d.hints[readOnly] == 0 && d.hints[destructive] == 'f'
}

// said are the words for what a tool declares and takes. It takes code comes early, for a table may
// cut the rest.
func (d *danger) said() (said []string) {
	add := func(word string, is bool) {
		if is {
			said = append(said, word)
		}
	}
	add("destructive", d.hints[destructive] == 't')
	add("takes code", d.code)
	add("read-only", d.hints[readOnly] == 't')
	add("writes", d.onlyWrites())
	add("open world", d.hints[openWorld] == 't')
	add("no hints", d.tool && !d.declares())
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

// rank works out how early an entry is read. hosts are those in the pins of its server.
func (e *drifted) rank(hosts func() map[string]bool) {
	e.class = kindRank[e.Kind]
	earlier := func(class int, is bool) {
		if is {
			e.class = min(e.class, class)
		}
	}
	grave := false
	for _, f := range e.fresh {
		if f.ID == "order" {
			e.weight = max(e.weight, f.Weight)
			earlier(rankStrong, f.Strong)
		}
	}
	if e.Kind == pin.Added {
		earlier(rankCode, e.is.code)
		earlier(rankDestructive, e.is.hints[destructive] == 't')
		earlier(rankWriting, e.is.tool && e.is.writes && !e.is.declares())
	}
	if e.Kind == pin.Changed {
		gained := func(hint int) bool { return e.is.hints[hint] == 't' && e.was.hints[hint] == 'f' } // true is the default of both
		grave = e.is.code && slices.ContainsFunc(e.fresh, func(f lint.Finding) bool { return f.ID == "takes-code" }) || gained(destructive) || gained(openWorld)
	}
	says := false
	for i := range e.edits {
		ed := &e.edits[i]
		says = says || !ed.minor()
		// A hidden character makes a CHANGED entry as suspicious as a HIDDEN one.
		earlier(rankHidden, ed.unseen != "" || ed.Hidden[1] > ed.Hidden[0])
		grave = grave || e.Kind == pin.Changed && (ed.Label.AsksLess() || ed.losesGuard())
	}
	if e.Kind == pin.Changed && !grave && slices.ContainsFunc(e.fresh, func(f lint.Finding) bool { return f.ID == "new-address" }) {
		known := hosts()
		for host := range hostsOf(pinsOf(e.Captured)) {
			grave = grave || !known[host]
		}
	}
	earlier(rankStrong, grave)
	earlier(rankWarned, e.warned())
	e.minor = !says && len(e.edits) > 0 && e.Kind == pin.Changed && e.class == rankChanged && !slices.ContainsFunc(e.fresh, func(f lint.Finding) bool { return slices.Contains(joinedNotes, f.ID) })
}

// grave is why an entry is named before it is accepted with many others, or "".
func (e *drifted) grave() string {
	var why []string
	for _, word := range e.is.said() {
		if slices.Contains([]string{"destructive", "takes code", "open world"}, word) {
			why = append(why, word)
		}
	}
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
	return cmp.Or(e.class-other.class, kind, lint.RankOf(e.minor)-lint.RankOf(other.minor), e.claim()-other.claim(), cmp.Compare(e.gravest(), other.gravest()),
		other.weight-e.weight, lint.RankOf(e.Type != pin.Instructions)-lint.RankOf(other.Type != pin.Instructions), pin.CompareDrifts(e.Drift, other.Drift))
}

// claim orders new tools by what they declare: what reaches out or declares nothing before what
// writes, and that before what only reads.
func (e *drifted) claim() int {
	switch d := &e.is; {
	case e.Kind != pin.Added || !d.tool:
		return 0
	case d.code || d.hints[openWorld] == 't' || !d.declares() || d.hints[destructive] == 't':
		return 0
	case d.hints[readOnly] != 't':
		return 1
	}
	return 2
}

// gravest is the first of the labels of an entry.
func (e *drifted) gravest() diff.Label {
	if len(e.edits) == 0 {
		return 0
	}
	first := e.edits[0].Label
	for i := range e.edits {
		first = min(first, e.edits[i].Label)
	}
	return first
}

var hostPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>()\[\]{}` + "`" + `]+`)
})

// hostsOf are the hosts in the texts of definitions, but for those of schemas and of examples
// (RFC 2606).
func hostsOf(pins []pin.Pin) map[string]bool {
	hosts := map[string]bool{}
	var read func(v jsontree.Value)
	read = func(v jsontree.Value) {
		for _, address := range hostPattern().FindAllString(v.Text, -1) {
			u, err := url.Parse(strings.TrimRight(address, ".,;:!?*"))
			if err != nil || u.Hostname() == "" {
				continue
			}
			host := strings.ToLower(u.Hostname())
			parts := strings.Split(host, ".")
			example := slices.Contains([]string{"example", "test", "invalid", "localhost"}, parts[len(parts)-1]) || len(parts) > 1 && parts[len(parts)-2] == "example"
			if !example {
				hosts[host] = true
			}
		}
		for _, part := range v.Parts {
			if v.Kind != '{' || part.Name != "$schema" && part.Name != "$id" {
				read(part.Value)
			}
		}
	}
	for i := range pins {
		read(pins[i].Tree())
	}
	return hosts
}
