package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
)

// Annotations for the formats that point into the lockfile: GitHub Actions and SARIF.
// All their text is printable: names are quoted, and server text is escaped.

// An annotation is one thing that a pipeline shows at a line of the lockfile.
type annotation struct {
	rule     string // stable: "drift/added", "finding/hidden-text"
	level    string // by danger: "error", "warning" or "note"
	line     int    // of the pin, or of the server if the entry has no pin, else 1; 0: no place
	title    string
	text     string
	identity []string // the same in every run, unlike the line
}

// driftRules explains each rule to the reader of an alert.
var driftRules = [...][2]string{
	{"duplicate", "Two entries of one name: an agent may get either. This can't be accepted."},
	{"hidden", "An entry that changed only in what no reader sees: the most suspicious drift."},
	{"added", "An entry that no pin names: nobody approved it."},
	{"changed", "An entry whose definition is not the one that was approved."},
	{"removed", "A pin whose entry is gone from the capture."},
	{"no-pins", "A server that the lockfile doesn't have: nobody approved what it lists."},
	{"no-capture", "A server of the lockfile that there is no capture of."},
	{"policy", "A server that was pinned under another policy."},
	{"other-server", "A capture that shares nothing with the pins it was compared with."},
}

// annotationRules lists every rule with its usual level and its meaning.
func annotationRules() (rules []annotation) {
	for _, d := range driftRules {
		rules = append(rules, annotation{rule: "drift/" + d[0], level: "error", text: d[1]})
	}
	for _, f := range lint.Table {
		rules = append(rules, annotation{rule: "finding/" + f.ID, level: newLevel(f.Warning), text: strings.ToUpper(f.Text[:1]) + f.Text[1:] + "."})
	}
	return rules
}

// newLevel is the level of a finding that nobody has approved.
func newLevel(warning bool) string {
	if warning {
		return "error"
	}
	return "note"
}

// annotations lists everything to report: errors, then warnings, then notes, each level
// with the most dangerous first. A finding comes before the drift it is about. With
// folded, a group makes one annotation; otherwise every entry makes its own.
func annotations(r *Report, folded bool) []annotation {
	var list []annotation
	drift := func(warned bool) {
		for _, whole := range r.groups {
			g := *whole
			size := 1 // in SARIF, an alert is about one entry
			if folded {
				size = len(g.drifts)
			}
			for g.drifts = range slices.Chunk(g.drifts, size) {
				if g.warned != warned {
					continue
				}
				for _, f := range r.groupFindings(&g) {
					list = append(list, r.annotateFinding(f, newLevel(f.Warning)))
				}
				list = append(list, r.annotateDrift(&g))
			}
		}
	}
	other := func(f lint.Finding, level string) {
		list = append(list, r.annotateFinding(collapseFindings([]lint.Finding{f}, r.subjectOf)[0], level))
	}
	drift(true)
	for _, f := range slices.Concat(r.unpinned(), r.General()) {
		other(f, newLevel(f.Warning))
	}
	for _, p := range r.problems() {
		level := "error"
		if p.allowed {
			level = "warning"
		}
		list = append(list, annotation{rule: "drift/" + p.id, level: level, line: r.pinLine(pin.Ref{Server: p.server}),
			title: p.title, text: p.Text, identity: []string{p.server, p.Text}})
	}
	drift(false)
	for _, f := range r.inOtherServers() {
		level := "warning"
		if f.Blocks(r.Review) {
			level = "error"
		}
		other(f, level)
	}
	if !folded { // GitHub shows few: none for what is approved
		for _, f := range r.approvedBefore() {
			other(f, "note")
		}
	}
	if !r.Failed && r.NoAnswer == nil { // a run that passes shows no errors
		for i := range list {
			list[i].level = strings.Replace(list[i].level, "error", "warning", 1)
		}
	}
	levels := []string{"error", "warning", "note"}
	slices.SortStableFunc(list, func(a, b annotation) int { return slices.Index(levels, a.level) - slices.Index(levels, b.level) })
	return list
}

// annotateFinding makes one annotation of a finding, for all entries that have it.
func (r *Report) annotateFinding(f collapsedFinding, level string) annotation {
	row := f.row(0, maxSaidNames)
	return annotation{
		rule: "finding/" + f.ID, level: level, line: r.pinLine(f.Ref()),
		title:    row.Word + " in " + row.Names,
		text:     joined(" at ", row.Detail, row.Pointer),
		identity: []string{f.Server, pin.EntryRef(f.List, f.Entry), f.Pointer, f.Detail},
	}
}

// annotateDrift makes one annotation of a group. Its identity has the digests, so that
// dismissing the alert for one definition doesn't dismiss the next.
func (r *Report) annotateDrift(g *group) annotation {
	d := &r.Drifts[g.drifts[0]]
	a := annotation{
		rule: "drift/" + strings.ToLower(string(d.Kind)), level: "error", line: r.pinLine(d.Ref()),
		title: r.groupTitle(g, maxSaidNames), text: r.driftText(g.drifts[0]),
		identity: []string{d.Server, pin.EntryRef(d.Type, d.Name)},
	}
	if g.minor || !r.Blocked[d.Ref()] {
		a.level = "warning"
	}
	if d.Locked != nil {
		a.identity = append(a.identity, d.Locked.Digest)
	}
	for _, p := range d.Definitions() {
		a.identity = append(a.identity, p.Digest)
	}
	return a
}

// fingerprint is 64 hex digits, the same in every run wherever the pin stands.
func (a *annotation) fingerprint() string {
	return fmt.Sprintf("%x", sha256.Sum256(jsontree.Append(nil, jsontree.Texts(append([]string{a.rule}, a.identity...)))))
}

// pinLine is the line of an entry's pin in the lockfile, else its server's, else 1.
func (r *Report) pinLine(key pin.Ref) int {
	p := pin.ComparisonOf(r.Comparisons, key.Server)
	if p == nil || !p.Known {
		return 1
	}
	if pin := p.Locked.Find(key.Key); pin != nil {
		return max(1, pin.Line)
	}
	return max(1, p.Locked.Line)
}

// annotated is the file that annotations point into, "" if that is standard input.
func (r *Report) annotated() string {
	path := cmp.Or(r.Lockfile, r.Next.Against)
	if path == "-" || path == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(path))
}
