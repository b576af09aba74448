package report

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
)

// An Annotation is one thing that a pipeline shows at a line of the lockfile: in GitHub Actions and
// in SARIF. Its texts are printable.
type Annotation struct {
	Rule     string // stable: "drift/added", "finding/hidden-text"
	Level    string // by danger: "error", "warning" or "note"
	Line     int    // of the pin, or of the server if the entry has no pin, else 1; 0: no place
	Title    string
	Text     string
	Identity []byte // the same in every run, unlike the line
}

// annotations lists everything to report: errors, then warnings, then notes, each level
// with the most dangerous first. A finding comes before the drift it is about. With
// folded, a block makes one annotation; otherwise every entry makes its own.
func (r *Report) annotations(m *Model, folded bool) (list []Annotation) {
	drift := func(warned bool) {
		for _, g := range r.groups {
			size := 1 // in SARIF, an alert is about one entry
			if folded {
				size = len(g.entries)
			}
			for part := range slices.Chunk(g.entries, size) {
				if g.first().warned() != warned {
					continue
				}
				one := &group{number: g.number, entries: part, findings: r.findingsIn(part)}
				for _, f := range one.findings {
					list = append(list, annotateFinding(f, newLevel(f.Warning)))
				}
				list = append(list, r.annotateDrift(one))
			}
		}
	}
	other := func(findings []lint.Finding, level func(f *Finding) string) {
		for _, f := range findings {
			said := r.said(f, r.subjectOf)
			list = append(list, annotateFinding(said, level(&said)))
		}
	}
	drift(true)
	other(slices.Concat(r.unpinned, r.General), func(f *Finding) string { return newLevel(f.Warning) })
	for _, p := range m.Problems {
		level := "error"
		if p.Allowed {
			level = "warning"
		}
		list = append(list, Annotation{"drift/" + p.ID, level, p.Line, p.Title, p.Text, fingerprint("drift/"+p.ID, p.Server, p.Text)})
	}
	drift(false)
	other(r.elsewhere, func(f *Finding) string {
		if f.Blocks {
			return "error"
		}
		return "warning"
	})
	if !folded { // GitHub shows few: none for what is approved
		other(r.standing, func(*Finding) string { return "note" })
	}
	if !r.Failed && r.NoAnswer == nil { // a run that passes shows no errors
		for i := range list {
			list[i].Level = strings.Replace(list[i].Level, "error", "warning", 1)
		}
	}
	levels := []string{"error", "warning", "note"}
	slices.SortStableFunc(list, func(a, b Annotation) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
	return list
}

// newLevel is the level of a finding that nobody has approved.
func newLevel(warning bool) string {
	if warning {
		return "error"
	}
	return "note"
}

// annotateFinding makes one annotation of a finding, for all entries that have it.
func annotateFinding(f Finding, level string) Annotation {
	rule := "finding/" + f.ID
	return Annotation{rule, level, f.Line, f.Word() + " in " + f.Names, joined(" at ", f.Detail, f.Pointer), fingerprint(rule, f.Identity...)}
}

// annotateDrift makes one annotation of a group. Its identity has the digests, so that
// dismissing the alert for one definition doesn't dismiss the next.
func (r *Report) annotateDrift(g *group) Annotation {
	e := g.first()
	b := Block{}
	r.title(&b, g)
	a := Annotation{"drift/" + strings.ToLower(string(e.Kind)), "error", r.pinLine(e.Ref()), string(e.Kind) + " " + b.Brief, driftText(e), nil}
	if e.minor || !r.Blocked[e.Ref()] || e.Kind == pin.Removed || e.RenamedFrom != "" && !e.RenamedSimilar {
		a.Level = "warning"
	}
	identity := []string{e.Server, pin.EntryRef(e.Type, e.Name)}
	if e.Locked != nil {
		identity = append(identity, e.Locked.Digest)
	}
	for _, p := range e.Definitions() {
		identity = append(identity, p.Digest)
	}
	a.Identity = fingerprint(a.Rule, identity...)
	return a
}

// fingerprint is the same in every run, wherever the pin stands.
func fingerprint(rule string, identity ...string) []byte {
	return jsontree.Append(nil, jsontree.Texts(append([]string{rule}, identity...)))
}
