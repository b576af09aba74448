package report

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// model computes the report's Model.
func (r *Report) model() *Model {
	m := &Model{
		Version: r.Version, Home: r.Home,
		Matches: r.Matches, Failed: r.Failed, ExitCode: r.ExitCode, NoVerdict: whyNot(r.NoVerdict),
		Word: r.verdictWord(), Text: r.verdictText(), Warning: r.warningText(),
		HasSeveralServers: len(r.Comparisons) > 1, DeselectedCount: r.DeselectedCount, Release: r.release,
		Problems:        r.problems(),
		CaptureFindings: r.DescribeFindings(r.CaptureFindings), UnacceptedWarnings: r.DescribeFindings(r.UnacceptedWarnings),
		PolicyChanged: r.PolicyChanged(), DeniedCount: len(r.Denied), RefusesDenied: r.RefusesDenied,
		Review: Step{Text: "review", Command: r.CommandLine.ForVerb("diff")}, FolderStep: r.FolderStep,
		Data: Data{Lockfile: r.Lockfile, Bump: r.bump, Unpinned: r.DescribeFindings(r.UnpinnedWarnings), Approved: r.DescribeFindings(r.ApprovedWarnings), Records: r.records()},
	}
	r.steps(m)
	annotated := cmp.Or(r.Lockfile, r.CommandLine.Against)
	if r.lockfiles() {
		annotated = r.CommandLine.Capture // the new one
	}
	if annotated != "-" && annotated != "" {
		m.AnnotatedFile = filepath.ToSlash(filepath.Clean(annotated))
	}
	if r.Lockfile == "" {
		m.Against = r.CommandLine.Against
	}
	r.counts(m)
	r.servers(m)
	r.captured(m)
	for _, e := range r.entries {
		if r.NoExplanations {
			m.Entries = append(m.Entries, r.entry(e))
		}
		m.UnexplainedCount += lint.BoolToInt(e.ChangesUnknown())
	}
	for _, b := range r.blocks {
		m.Entries = append(m.Entries, b.Entries...)
	}
	if !r.NoExplanations {
		m.Minor = minorText(r.entries)
		m.WarnedBlockCount = r.warned
		m.Blocks = r.blocks
		m.Shared = r.shared
		m.Breaks = r.breaks()
		r.worst(m, r.explainNumbers(m))
		r.readFirst(m)
	}
	return m
}

// said describes a finding in words.
func (r *Report) said(f lint.Finding) Finding {
	s := Finding{EntryWarning: f.EntryWarning(), ID: f.ID, Level: "note", Warning: f.Warning, Approved: f.Approved, FailsRun: f.FailsRun(r.FailsOnWarnings),
		Place: r.place(f.Ref, f.Pointer), Pointer: text.QuotePointer(f.Pointer), RawPointer: f.Pointer,
		Detail: f.Detail, EntryName: r.ref(f.Ref), Line: r.pinLine(f.Ref), Server: f.Server, Ref: r.field(f.Ref)}
	if f.Warning {
		s.Level = "warning"
	}
	if !f.IsWholeServer() {
		s.List = pin.EntryTypeInfo[f.Type].Member
		s.Name = f.Name
	}
	return s
}

// DescribeFindings describes findings in words, one by one: warnings first.
func (r *Report) DescribeFindings(list []lint.Finding) []Finding {
	said := []Finding{}
	for _, f := range list {
		said = append(said, r.said(f))
	}
	slices.SortStableFunc(said, func(a, b Finding) int { return strings.Compare(b.Level, a.Level) })
	return said
}

// freshIn lists the unapproved findings in entries.
func freshIn(entries []*drifted) (list []lint.Finding) {
	for _, e := range entries {
		list = append(list, e.NewFindings...)
	}
	return list
}

// pinLine returns the line of an entry's pin in the lockfile, else its server's, else 1.
func (r *Report) pinLine(key pin.Ref) int {
	p := cmp.Or(pin.FindComparison(r.Comparisons, key.Server), pin.FindComparison(r.Others, key.Server))
	if p == nil {
		return 1
	}
	side := &p.Locked
	if r.lockfiles() {
		side = &p.Captured // the file that is under review
	}
	if pin := side.Find(key.Key); pin != nil {
		return max(1, pin.Line)
	}
	return max(1, side.Line)
}

// counts sets the counts for programs, except those that servers adds up.
func (r *Report) counts(m *Model) {
	m.Counts = map[string]int{"entries": 0, "pins": 0, "matched": r.MatchedCounts.Total(), "drift": len(r.entries),
		"blocked": 0, "denied": len(r.Denied), "warnings": 0, "notes": 0, "standing": len(m.Approved)}
	for _, e := range r.entries {
		m.Counts["blocked"] += lint.BoolToInt(r.FailingDrift[e.Ref()])
	}
	counts := kindsOf(r.entries)
	for _, k := range pin.DriftKinds {
		m.Counts[k.Word()] = counts[k]
	}
	m.Counts["allowed"] = len(r.entries) - m.Counts["blocked"]
	for _, f := range slices.Concat(r.CaptureFindings, r.UnacceptedWarnings, r.UnpinnedWarnings, freshIn(r.entries)) {
		m.Counts["warnings"] += lint.BoolToInt(f.Warning)
		m.Counts["notes"] += lint.BoolToInt(!f.Warning)
	}
}

// captured lists every entry of every capture.
func (r *Report) captured(m *Model) {
	m.Captured = []CapturedEntry{}
	if r.OmitsData {
		return
	}
	status := map[pin.Ref]string{}
	for _, e := range r.entries {
		status[e.Ref()] = string(e.Kind)
	}
	denied := pin.RefSet{}
	for _, ref := range r.Denied {
		denied[ref] = true
		if r.RefusesDenied {
			status[ref] = "DENIED"
		}
	}
	for _, p := range r.Comparisons {
		for _, one := range p.Captured.Pins {
			ref := p.Ref(one.Key)
			c := CapturedEntry{Server: p.Server, List: pin.EntryTypeInfo[one.Type].Member, Name: one.Name, Short: shortRef(one.Type, one.Name),
				Status: cmp.Or(status[ref], "MATCH"), Digest: one.Digest, Sanitized: one.SanitizedDigest, Denied: denied[ref]}
			if r.NoExplanations && c.Status != "MATCH" {
				continue // it is listed with the drift
			}
			// The hash covers the tool as received, which a lockfile in place of the capture may not contain.
			asReceived := one.Received != nil || one.Definition != nil && !p.Captured.Policy.ChangesDefinitions()
			if one.Type == pin.Tools && asReceived && !r.NoExplanations && r.ApprovalHash != nil {
				c.ApprovalHash = r.ApprovalHash(p.Server, &one)
			}
			m.Captured = append(m.Captured, c)
		}
	}
}
