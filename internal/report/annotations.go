package report

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
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
	add := func(level string, findings ...Finding) {
		for _, f := range findings {
			of := level
			if of == "" || f.Blocks {
				of = f.gravity()
			}
			rule := "finding/" + f.ID
			list = append(list, Annotation{rule, of, f.Line, f.Word() + " in " + f.Names, joined(" at ", f.Detail, f.Pointer), fingerprint(rule, f.Identity...)})
		}
	}
	drift := func(warned bool) {
		for _, g := range r.groups {
			switch {
			case g.first().warned() != warned:
			case folded:
				add("", g.findings...)
				list = append(list, r.annotateDrift(g.entries))
			default: // in SARIF, an alert is about one entry
				for i := range g.entries {
					add("", r.findingsIn(g.entries[i:i+1])...)
					list = append(list, r.annotateDrift(g.entries[i:i+1]))
				}
			}
		}
	}
	drift(true)
	add("", r.each(slices.Concat(r.unpinned, r.General))...)
	for _, p := range m.Problems {
		level := "error"
		if p.Allowed {
			level = "warning"
		}
		list = append(list, Annotation{"drift/" + p.ID, level, p.Line, p.Title, p.Text, fingerprint("drift/"+p.ID, p.Server, p.Text)})
	}
	drift(false)
	add("warning", r.each(r.Unrecorded)...)
	if !folded { // GitHub shows few: none for what is approved
		add("note", r.each(r.standing)...)
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

// gravity is the level of a finding that nobody has approved.
func (f *Finding) gravity() string {
	if f.Warning {
		return "error"
	}
	return "note"
}

// annotateDrift makes one annotation of entries of a group. Its identity has the digests, so that
// dismissing the alert for one definition doesn't dismiss the next.
func (r *Report) annotateDrift(entries []*drifted) Annotation {
	e := entries[0]
	_, brief := r.titles(entries)
	a := Annotation{"drift/" + strings.ToLower(string(e.Kind)), "error", r.pinLine(e.Ref()), string(e.Kind) + " " + brief, driftText(e), nil}
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
