package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	{"removed", "A pin whose entry is gone from the manifest."},
	{"no-pins", "A server that the lockfile doesn't have: nobody approved what it lists."},
	{"no-manifest", "A server of the lockfile that no manifest was given for."},
	{"policy", "A server that was pinned under another policy."},
	{"other-server", "A manifest that shares nothing with the pins it was compared with."},
}

// annotationRules lists every rule with its usual level and its meaning.
func annotationRules() (rules []annotation) {
	for _, d := range driftRules {
		rules = append(rules, annotation{rule: "drift/" + d[0], level: "error", text: d[1]})
	}
	for _, f := range findingTable {
		rules = append(rules, annotation{rule: "finding/" + f.id, level: newLevel(f.warning), text: strings.ToUpper(f.text[:1]) + f.text[1:] + "."})
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
func annotations(r *report, folded bool) []annotation {
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
					list = append(list, r.annotateFinding(f, newLevel(f.warning)))
				}
				list = append(list, r.annotateDrift(&g))
			}
		}
	}
	other := func(f finding, level string) {
		list = append(list, r.annotateFinding(foldFindings([]finding{f}, r.ref)[0], level))
	}
	drift(true)
	for _, f := range slices.Concat(r.unpinned(), r.general()) {
		other(f, newLevel(f.warning))
	}
	for _, p := range r.problems() {
		list = append(list, annotation{rule: "drift/" + p.id, level: "error", line: r.pinLine(driftKey{server: p.server}),
			title: p.title, text: p.Text, identity: []string{p.server, p.Text}})
	}
	drift(false)
	for _, f := range r.elsewhere() {
		level := "warning"
		if f.blocks(r.review) {
			level = "error"
		}
		other(f, level)
	}
	if !folded { // GitHub shows few: none for what is approved
		for _, f := range r.standing() {
			other(f, "note")
		}
	}
	if !r.failed { // a run that passes shows no errors
		for i := range list {
			list[i].level = strings.Replace(list[i].level, "error", "warning", 1)
		}
	}
	levels := []string{"error", "warning", "note"}
	slices.SortStableFunc(list, func(a, b annotation) int { return slices.Index(levels, a.level) - slices.Index(levels, b.level) })
	return list
}

// annotateFinding makes one annotation of a finding, for all entries that have it.
func (r *report) annotateFinding(f foldedFinding, level string) annotation {
	row := f.row(0, maxSaidNames)
	return annotation{
		rule: "finding/" + f.id, level: level, line: r.pinLine(f.key()),
		title:    row.Word + " in " + row.Names,
		text:     joined(" at ", row.Detail, row.Pointer),
		identity: []string{f.server, entryRef(f.list, f.entry), f.pointer, f.detail},
	}
}

// annotateDrift makes one annotation of a group. Its identity has the digests, so that
// dismissing the alert for one definition doesn't dismiss the next.
func (r *report) annotateDrift(g *group) annotation {
	d := &r.drifts[g.drifts[0]]
	a := annotation{
		rule: "drift/" + strings.ToLower(string(d.kind)), level: "error", line: r.pinLine(d.key()),
		title: r.groupTitle(g, maxSaidNames), text: r.driftText(g.drifts[0]),
		identity: []string{d.server, entryRef(d.list, d.name)},
	}
	if g.minor || !d.blocked {
		a.level = "warning"
	}
	if d.pinned != nil {
		a.identity = append(a.identity, d.pinned.digest)
	}
	for _, p := range d.definitions() {
		a.identity = append(a.identity, p.digest)
	}
	return a
}

// fingerprint is 64 hex digits, the same in every run wherever the pin stands.
func (a *annotation) fingerprint() string {
	return fmt.Sprintf("%x", sha256.Sum256(appendJSON(nil, textList(append([]string{a.rule}, a.identity...)))))
}

// pinLine is the line of an entry's pin in the lockfile, else its server's, else 1.
func (r *report) pinLine(key driftKey) int {
	p := pairOf(r.pairs, key.server)
	if p == nil || !p.known {
		return 1
	}
	if pin := p.pinned.find(key.entryKey); pin != nil {
		return max(1, pin.line)
	}
	return max(1, p.pinned.line)
}

// annotated is the file that annotations point into, "" if that is standard input.
func (r *report) annotated() string {
	path := cmp.Or(r.lockfile, r.next.against)
	if path == "-" || path == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(path))
}
