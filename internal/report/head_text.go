package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/facts"
	"pinproof/internal/label"
	"pinproof/internal/layout"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// reasons has the reasons why entries are read first, in the order of their classes, as a review's head words them.
// New warnings have a line of their own there.
var reasons = []struct {
	kind facts.ReasonKind
	said string
}{
	{facts.ReasonDuplicate, "a repeated name"},
	{facts.ReasonHidden, "a change that no reader sees"},
	{facts.ReasonCode, "runs code that it is given"},
	{facts.ReasonScript, "has a script"},
	{facts.ReasonSameName, "named like a skill of another server"},
	{facts.ReasonDestructive, "declared destructive"},
	{facts.ReasonSecret, "has a new place for a secret"},
	{facts.ReasonWritesFile, "writes where the caller says"},
	{facts.ReasonRestrictionRemoved, "a restriction is gone from its text"},
	{facts.ReasonHintLoosened, "clients ask less"},
	{facts.ReasonOpenWorld, "says that its world is open"},
	{facts.ReasonWritingName, "writes by its name, without hints"},
	{facts.ReasonNewHost, "names a new host"},
}

// shortReview is the maximum number of blocks for which a review's head neither explains its numbers nor counts
// breaking changes.
const shortReview = 8

// maxWorst is how many entries the head of a review names for each reason.
const maxWorst = 5

// explainNumbers completes the model's Release. It reports whether the head still has to explain the numbers of blocks.
func (r *Report) explainNumbers(m *Model) bool {
	if len(m.Blocks) <= shortReview {
		return false
	}
	if m.Release == "" && r.HighestSeverity == label.Breaking && !r.IsSelection && !r.isUnexplained() {
		m.Release = r.worstText()
	}
	if m.Release == "" && m.Breaks == "" {
		return true
	}
	m.Release = joined("; ", m.Release, "(n) is the number of a block")
	return false
}

// worst sets the model's Worst: the entries to read first, grouped by reason. With explains, it explains the first
// block number.
func (r *Report) worst(m *Model, explains bool) {
	for _, one := range reasons {
		var named []layout.Run
		var details []string
		more := -maxWorst
		for _, e := range r.entries {
			if !e.Class.IsReadFirst() || e.Reason.Kind != one.kind {
				continue
			}
			if more++; more > 0 {
				continue
			}
			details = append(details, r.detail(e))
			block := e.number()
			number := "%s (%d)"
			if named != nil {
				named = append(named, layout.Run{Op: '*', Text: ", "})
			} else if explains && m.Worst == nil {
				number = "%s (%d is the number of a block)"
			}
			named = append(named, layout.Run{Op: '*', Text: fmt.Sprintf(number, shortRef(e.Type, e.Name), block), Block: block})
		}
		if more > 0 {
			named = append(named, layout.Run{Op: '*', Text: " "}, layout.Run{Op: '*', Text: "and " + text.FormatNumber(more) + " more"})
		}
		if named != nil {
			said := joined(", ", one.said, text.JoinNames(distinct(details), 1))
			m.Worst = append(m.Worst, append([]layout.Run{{Op: '=', Text: said + ": "}}, named...))
		}
	}
}

// detail returns what the head adds to the reason why an entry is read first: its new host, or its place for a secret
// or a file; or "".
func (r *Report) detail(e *drifted) string {
	switch e.Reason.Kind {
	case facts.ReasonSecret, facts.ReasonWritesFile:
		return r.place(e.Ref(), e.Reason.Pointer)
	case facts.ReasonNewHost:
		return text.QuoteName(e.Reason.Host)
	}
	return ""
}

// breaks describes what breaks callers, by what changed: "new, required: connectionId in 21 tools (1), run (46); removed:
// stat (50)". In a short review only what several entries share is named, because a reader soon finds the rest.
func (r *Report) breaks() string {
	var order []string
	named := map[string][]string{}
	add := func(what, who string, number int) {
		if named[what] == nil {
			order = append(order, what)
		}
		named[what] = append(named[what], who+" ("+strconv.Itoa(number)+")")
	}
	for _, s := range r.shared {
		for _, c := range s.breaks {
			add(c.row.Word, strings.TrimPrefix(c.row.Place, "arguments.")+" in "+s.Count, s.Number)
		}
	}
	isShared := func(c *change) bool { return c.shared != nil && c.shared.breaks != nil }
	for _, b := range r.blocks {
		for _, e := range b.of {
			if e.Severity == label.Breaking && !slices.ContainsFunc(e.changes, isShared) && len(r.blocks) > shortReview {
				add(e.breaks(), text.QuoteName(e.Name), b.Number)
			}
		}
	}
	var said []string
	for _, what := range order {
		said = append(said, what+": "+text.JoinNames(named[what], maxNamed))
	}
	if more := len(said) - maxBreaks; more > 0 {
		said = append(said[:maxBreaks], text.FormatCount(more, "more kind"))
	}
	return strings.Join(said, "; ")
}

// The head of a review names at most maxBreaks kinds of changes that break callers, and for each kind at most maxNamed
// entries or shared changes.
const (
	maxBreaks = 4
	maxNamed  = 3
)

// breaks returns a few words about the first change of an entry that breaks callers.
func (e *drifted) breaks() string {
	for _, c := range e.changes {
		if c.breaks {
			return c.row.Word
		}
	}
	if e.RenamedFrom+e.RenamedTo != "" {
		return "renamed"
	}
	if e.Kind == pin.DriftRemoved {
		return "removed"
	}
	return "not explained"
}

// worstText counts the entries with the highest severity: "breaking: 26 tools".
func (r *Report) worstText() string {
	return r.HighestSeverity.String() + ": " + r.HighestSeverityCount.String()
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
	m.Cost = m.Tokens.TokenChangeText()
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

// warningText names the warnings that nobody has approved: "1 WARNING hidden-text in write_file". It is empty where
// there is no such warning. A warning about a whole capture counts if the capture drifted, or if it fails the run.
func (r *Report) warningText() string {
	var said []string
	for _, f := range slices.Concat(freshIn(r.entries), r.UnpinnedWarnings, r.CaptureFindings, r.UnacceptedWarnings) {
		if f.Warning && (f.Scope == pin.FindingInDrift || f.FailsRun(r.FailsOnWarnings)) {
			said = append(said, f.ID+" in "+r.ref(f.Ref))
		}
	}
	switch said = distinct(said); len(said) {
	case 0:
		return ""
	case 1:
		return "1 WARNING " + said[0]
	}
	return text.FormatNumber(len(said)) + " WARNINGS: " + text.JoinNames(said, maxSaidNames)
}
