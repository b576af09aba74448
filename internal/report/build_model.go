package report

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/facts"
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

// servers lists for each server the two sides that are compared, and its drift.
func (r *Report) servers(m *Model) {
	others := 0
	byServer := map[string][]*drifted{}
	for _, e := range r.entries {
		byServer[e.Server] = append(byServer[e.Server], e)
	}
	for _, p := range r.Comparisons {
		entries := byServer[p.Server]
		old := r.against() + " nothing"
		now := "no capture"
		s := Server{ID: p.Server, Differs: r.DifferingServers[p.Server],
			Missing: p.LacksCapture(), PinnedCounts: pin.CountPins(p.Locked.Pins).String(), Drift: kindText(entries), DriftAndRisks: briefText(entries),
			Fails: slices.ContainsFunc(entries, func(e *drifted) bool { return r.FailingDrift[e.Ref()] })}
		if p.Server != "" {
			s.Name = text.QuoteName(p.Server)
		}
		if p.IsLocked() {
			old = r.against() + " " + s.PinnedCounts
			m.Counts["pins"] += len(p.Locked.Pins)
			s.PinnedSide = &Side{Entries: len(p.Locked.Pins), SetDigest: p.Locked.Digest, Policy: p.Locked.Policy.Tree()}
		}
		if p.BothLockfiles {
			now = text.Printable(r.CommandLine.Capture) + " nothing"
		}
		if p.HasCapture() {
			m.Counts["entries"] += len(p.Captured.Pins)
			now = text.Printable(p.CapturePath) + " " + pin.CountPins(p.Captured.Pins).String()
			s.CapturedSide = &Side{len(p.Captured.Pins), p.Captured.Digest, p.Captured.Policy.Tree(), p.CapturePath, p.Captured.ServerInfo.String(), &p.SkippedLines}
		}
		s.Title = strings.TrimLeft(s.Name+"   "+old, " ") + "   ->   " + now
		r.about(m, &p, &s)
		if p.PolicyDiffers() {
			s.Notes = append(s.Notes, "policy: "+policies(&p))
		}
		others += lint.BoolToInt(!s.Differs)
		m.Servers = append(m.Servers, s)
	}
	if others > 0 && others < len(m.Servers) {
		m.OtherServersText = text.FormatCount(others, "other server") + ": no drift"
	}
	r.sizes(m)
}

// about adds a note with the name and version that a server reports, and those that it reported when it was pinned.
func (r *Report) about(m *Model, p *pin.Comparison, s *Server) {
	is := p.Captured.ServerInfo.String()
	was := p.Locked.ServerInfo.String()
	if is == "" {
		return
	}
	said := is
	if was != "" && was != is {
		said = was + " -> " + is
		if r.FailsOnWarnings || !r.Bounded {
			m.ServerInfoChanges = append(m.ServerInfoChanges, "server "+text.QuoteName(p.Server)+" calls itself "+is+"; it was pinned as "+was)
		}
	} else if p.Captured.ServerInfo.Version != "" && was == is && !p.PolicyDiffers() && strings.Contains(s.Drift, " changed") {
		said += ", as before" // many servers never change the version they state
	}
	s.Notes = append(s.Notes, "the server calls itself "+said)
}

// mostToCount is the maximum total size, in bytes, of the pinned and captured definitions whose tokens a review
// estimates. Every real server has less than a tenth of that.
const mostToCount = 16 << 20

// sizes sets TextBytes, Tokens and Cost: how much text a language model reads, before and after. It sets nothing if the
// report covers only a part of the entries.
func (r *Report) sizes(m *Model) {
	if r.IsSelection || r.IsPartial || len(r.entries) == 0 {
		return
	}
	// What a policy leaves out of pins can't be compared. A bounded report doesn't estimate tokens, because its time is
	// limited.
	shapes := func(p pin.Comparison) bool {
		return p.Locked.Policy.ChangesDefinitions() || p.Captured.Policy.ChangesDefinitions()
	}
	m.TextBytes = sizeOf(r.Comparisons, bytesOf)
	isSmall := m.TextBytes == nil || m.TextBytes.Before+m.TextBytes.After <= mostToCount
	if isSmall && !r.Bounded && !r.NoExplanations && !slices.ContainsFunc(r.Comparisons, shapes) {
		m.Tokens = sizeOf(r.Comparisons, EstimateTokens)
	}
	m.Cost = m.Tokens.TokensText()
	if m.Cost == "" && m.TextBytes != nil && m.TextBytes.Before != m.TextBytes.After {
		m.Cost = "text " + text.FormatNumber(m.TextBytes.Before) + " -> " + text.FormatNumber(m.TextBytes.After) + " bytes"
	}
}

// briefText counts drift by kind, and the dangerous entries among the added ones: "1 added, 1 destructive".
func briefText(entries []*drifted) string {
	isNew := map[string]int{}
	for _, e := range entries {
		for _, risk := range e.CapturedTraits {
			isNew[risk] += lint.BoolToInt(e.Kind == pin.DriftAdded)
		}
	}
	return joined(", ", kindText(entries), counted(isNew[facts.TraitTakesCode], " with code"), counted(isNew[facts.TraitDestructive], " destructive"))
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
