package report

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// An Annotation is a message that GitHub Actions or code scanning (SARIF) shows at a line of the lockfile. Its texts
// are printable.
type Annotation struct {
	// A stable id, such as "drift/added" or "finding/hidden-text".
	Rule string

	// By rank: "error", "warning" or "note".
	Level string

	// The line of the entry's pin or, if the entry has no pin, of its server; else 1. It is 0 if the annotation has no
	// place.
	Line int

	Title    string
	Text     string
	Identity []byte // identifies the annotation in every run, unlike the line
}

// Annotations lists everything to report: errors, then warnings, then notes, each level
// with the most dangerous first. A finding comes before the drift it is about. Approved warnings
// in drifted entries are always left out. The others, in matching entries and about captures without drift,
// are listed as notes if approved is set.
func (m *Model) Annotations(approved bool) (list []Annotation) {
	add := func(rule, level string, line int, title, text string, identity ...string) {
		if level == "error" && !m.Failed && m.NoVerdict == nil { // a run that passes shows no errors
			level = "warning"
		}
		id := jsontree.Append(nil, jsontree.Strings(append([]string{rule}, identity...)))
		list = append(list, Annotation{rule, level, line, title, text, id})
	}
	findings := func(level string, findings []Finding) {
		for _, f := range findings {
			level := level
			if !f.Warning || f.Approved {
				level = "note"
			} else if f.FailsRun || f.List == "" {
				level = "error"
			}
			add("finding/"+f.ID, level, f.Line, f.Heading()+" in "+f.EntryName, joined(" at ", f.Detail, f.Pointer), f.Server, f.List, f.Name, f.RawPointer, f.Detail)
		}
	}
	for _, warned := range []bool{true, false} {
		for _, e := range m.Entries {
			if e.Warned == warned {
				findings("error", slices.DeleteFunc(slices.Clone(e.Findings), func(f Finding) bool { return f.Approved }))
				level := "error"
				if !e.Blocked || e.Minor {
					level = "warning"
				}
				// The identity includes digests, so that dismissing the alert for one definition doesn't dismiss the
				// alert for the next.
				identity := []string{e.Server, e.List, e.Name}
				for _, d := range append([]*Definition{e.Pinned, e.Captured}, e.Copies...) {
					if d != nil {
						identity = append(identity, d.Digest)
					}
				}
				add("drift/"+strings.ToLower(e.Kind), level, e.Line, e.Kind+" "+e.DisplayName, e.Text, identity...)
			}
		}
		if warned {
			findings("warning", slices.Concat(m.Unpinned, m.CaptureFindings, m.UnacceptedWarnings))
			for _, s := range m.Records {
				if !s.FailsRun {
					continue
				}
				add("record/"+s.What, "error", s.Line, s.What+" of "+s.EntryName, s.Detail, s.Server, s.List, s.Name, s.Detail)
			}
			for _, p := range m.Problems {
				level := "error"
				if p.Allowed {
					level = "warning"
				}
				add("drift/"+p.ID, level, p.Line, p.Title, p.Text, p.Server, p.Text)
			}
		}
	}
	if approved {
		findings("note", m.Approved)
	}
	levels := []string{"error", "warning", "note"}
	slices.SortStableFunc(list, func(a, b Annotation) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
	return list
}
