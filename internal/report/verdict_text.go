package report

import (
	"fmt"
	"strings"

	"pinproof/internal/facts"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// verdictWord returns the verdict in one to three words.
func (r *Report) verdictWord() string {
	switch {
	case r.Matches:
		return "OK"
	case r.NoVerdict != nil && len(r.entries) == 0:
		return "NO ANSWER"
	case !r.Failed:
		return "PASS WITH DRIFT"
	case len(r.Drifts) > 0:
		return "DRIFT"
	case r.RefusesDenied && len(r.Denied) > 0:
		return "DENIED"
	case r.OverBudget != "":
		return "OVER BUDGET"
	}
	return "DRIFT"
}

// verdictText returns the verdict after its word (DRIFT): the warnings first, then the drift by kind, what is wrong
// with whole servers, and what matches.
func (r *Report) verdictText() string {
	matched := r.MatchedCounts
	verb := " match "
	if matched.Total() == 1 {
		verb = " matches "
	}
	denied := counted(len(r.Denied), " denied")
	if r.Matches {
		s := "0 drift (" + joined("; ", matched.String()+verb+r.against(), denied) + ")" + r.policyText()
		if n := len(r.ApprovedWarnings); n > 0 {
			s += "; " + text.FormatCount(n, "approved warning")
		}
		return s
	}
	left := counted(r.DeselectedCount, " left out (--only)")
	var problems []string // of whole servers
	for _, p := range r.problems() {
		if p.ID != "other-server" {
			problems = append(problems, p.Title)
		}
	}
	return joined("; ", r.warningText(), r.recordText(), r.OverBudget, kindText(r.entries), left, text.JoinNames(problems, maxSaidNames), text.FormatNumber(matched.Total())+verb+r.against(), denied) + r.policyText()
}

// against returns the printable path of the lockfile, or of the file in its place.
func (r *Report) against() string {
	if r.Lockfile != "" {
		return text.Printable(r.Lockfile)
	}
	if r.CommandLine.Against == "-" {
		return "standard input"
	}
	return text.Printable(r.CommandLine.Against)
}

// policyText names every policy that reduces what is compared, and the lists that can't be compared.
func (r *Report) policyText() (said string) {
	if r.IsPartial {
		said = "; a part of a session"
	}
	if len(r.Uncompared) > 0 {
		said += "; not compared, for one file has no answer to it: " + strings.Join(r.Uncompared, ", ")
	}
	var all []string
	for _, p := range r.Comparisons {
		side := p.Captured
		if !p.HasCapture() {
			side = p.Locked
		}
		all = append(all, side.Policy.Summary())
	}
	return said + strings.Join(distinct(all), "")
}

// problems lists what is wrong with whole servers, in the order of the servers.
func (r *Report) problems() (list []Problem) {
	for _, p := range r.Comparisons {
		server := "server " + text.QuoteName(p.Server)
		add := func(id, title, text, command string) {
			list = append(list, Problem{id, p.Server, title, text, command, p.LacksCapture() && r.NoVerdict == nil, r.pinLine(pin.Ref{Server: p.Server})})
		}
		if !p.IsPartial && p.HasNoCommonEntry() { // a part of a session may lack the pinned entries
			of := server
			command := ""
			if p.Server == "" { // two captures
				of = r.against()
			}
			if r.ServerGuessed {
				command = r.CommandLine.ForVerb("lock", "--server "+shell.PasteableServerID(p.FileServer, p.Server))
			}
			locked, captured := p.IdentifyingEntries()
			add("other-server", "looks like another server", fmt.Sprintf("%s looks like another server: none of its %s is among the %s of %s",
				text.Printable(p.CapturePath), pin.CountPins(captured).Summary(), pin.CountPins(locked).Summary(), of), command)
		}
		isNew := "no pins of " + server
		isGone := "no capture of " + server
		said := isGone
		if p.BothLockfiles {
			isNew = server + " is new"
			isGone = server + " is gone"
			said = text.Printable(r.CommandLine.Capture) + " has no " + server
		}
		if !p.IsLocked() {
			add("no-pins", isNew, r.against()+" has no "+server, "")
		}
		if !p.HasCapture() {
			add("no-capture", isGone, said+" ("+pin.CountPins(p.Locked.Pins).String()+" in "+r.against()+")", "")
		}
		if p.PolicyDiffers() {
			add("policy", "another policy for "+server, "policy of "+server+": "+policies(&p), "")
		}
	}
	return list
}

// policies describes the recorded policy and the new one.
func policies(p *pin.Comparison) string {
	return pin.DescribePolicy(p.Locked.Policy) + " -> " + pin.DescribePolicy(p.Captured.Policy)
}

// kindsOf counts drift by kind.
func kindsOf(entries []*drifted) map[pin.DriftKind]int {
	counts := map[pin.DriftKind]int{}
	for _, e := range entries {
		counts[e.Kind]++
	}
	return counts
}

// kindText counts drift by kind in words: "1 added, 13 changed".
func kindText(entries []*drifted) string {
	counts := kindsOf(entries)
	var parts []string
	for _, k := range pin.DriftKinds {
		parts = append(parts, counted(counts[k], " "+k.Word()))
	}
	return joined(", ", parts...)
}

// MatchLine returns the line that verify prints if all entries match. ok is false if there is more to print, for which
// New makes the report.
func MatchLine(in *Input) (line string, ok bool) {
	if !in.Matches || !in.Bounded || in.FailsOnWarnings || len(in.Findings) > 0 {
		return "", false
	}
	known := &facts.Explanation{}
	for _, p := range in.Comparisons {
		known.MatchedCounts.Add(pin.CountPins(p.Captured.Pins))
	}
	r := &Report{Input: *in, Explanation: known}
	return r.verdictWord() + ": " + r.verdictText(), true
}
