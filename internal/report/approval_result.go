package report

import (
	"fmt"
	"slices"

	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// An ApprovalResult describes what lock or relock has written, for its output.
type ApprovalResult struct {
	Accepted pin.RefSet // the drift that was accepted

	// Warnings of matching entries that the command accepted.
	Recorded map[pin.EntryWarning]bool

	// Lines about what was only approved anew, and about flags that had nothing to accept.
	UnusedLines []string

	EmptyServers []string // new servers without entries that were accepted
	AlreadyShown bool     // the prompt, or the lines of lock, show what is accepted

	// What no prompt has shown: what is wrong with whole servers, the accepted drift, and findings about whole servers.
	Problems        []Problem
	Entries         []AcceptedEntry
	CaptureFindings []Finding

	Unrecorded []Finding // warnings that are still not accepted

	// "PINNED 12 tools: a, b; DROPPED 1 pin: c"; or "".
	Written string

	// "RECORDED names-other-tool of a", which Written also contains; or "".
	Records string

	// The drift that is left, and the new servers without entries that weren't accepted; or "".
	Leftover string
}

// An AcceptedEntry is an entry that relock accepted, with its new findings.
type AcceptedEntry struct {
	Kind, Ref, Digest string
	Findings          []Finding
}

// A LockedServer is a server that lock has pinned.
type LockedServer struct {
	Name    string
	Listed  string     // "14 tools"
	Policy  string     // "; resources pinned", or ""
	Digests [][]string // pairs of a name and a digest: one for each entry, then one for the set
}

// DescribeApproval describes what was accepted and what drift is left.
func (r *Report) DescribeApproval(did ApprovalResult) ApprovalResult {
	var pins pin.Counts
	var pinned, dropped, left, recorded, written, bare []string
	for _, e := range r.entries {
		ref := r.ref(e.Ref())
		switch {
		case !did.Accepted[e.Ref()]:
			left = append(left, ref)
			continue
		case e.Kind == pin.DriftRemoved:
			dropped = append(dropped, ref)
		case !pin.FindComparison(r.Comparisons, e.Server).PolicyDiffers():
			pins[e.Type]++
			pinned = append(pinned, ref)
		}
		did.Entries = append(did.Entries, AcceptedEntry{string(e.Kind), r.field(e.Ref()), short(e.DigestToAccept()), r.DescribeFindings(e.NewFindings)})
	}
	for _, f := range r.DescribeFindings(r.UnacceptedWarnings) {
		if did.Recorded[f.EntryWarning] {
			recorded = append(recorded, f.ID+" of "+f.EntryName)
		} else {
			did.Unrecorded = append(did.Unrecorded, f)
		}
	}
	named := func(what string, of []string) string {
		if of == nil {
			return ""
		}
		return what + text.JoinNames(of, maxClosingNames)
	}
	accepted := func(what string, of []string) {
		if did.AlreadyShown {
			what = named(what+": ", of)
		} else if of == nil { // otherwise, a line about each entry has already been printed
			what = ""
		}
		written = append(written, what)
	}
	accepted("PINNED "+pins.Summary(), pinned)
	accepted("DROPPED "+text.FormatCount(len(dropped), "pin"), dropped)
	for _, p := range r.Comparisons {
		switch {
		case p.PolicyDiffers():
			written = append(written, fmt.Sprintf("PINNED %s of server %s anew, policy %s",
				pin.CountPins(p.Captured.Pins).Summary(), text.QuoteName(p.Server), pin.DescribePolicy(p.Captured.Policy)))
		case slices.Contains(did.EmptyServers, p.Server):
			written = append(written, "PINNED server "+text.QuoteName(p.Server)+" without tools")
		case p.IsNewAndEmpty():
			bare = append(bare, text.QuoteName(p.Server))
		}
	}
	did.Records = named("RECORDED ", slices.Compact(recorded))
	if said := joined("; ", append(written, did.Records)...); said != "" {
		did.Written = said + " -> " + text.Printable(r.Lockfile) + r.policyText()
	}
	notAsked := ""
	if r.DeselectedCount > 0 {
		notAsked = text.FormatNumber(r.DeselectedCount) + " not asked about (--only)"
	}
	if said := joined("; ", named(text.FormatNumber(len(left))+" left: ", left), notAsked, named("no pins of server ", bare)); said != "" {
		did.Leftover = "DRIFT: " + said + r.policyText()
	}
	did.Problems = r.problems()
	did.CaptureFindings = r.DescribeFindings(slices.Concat(r.CaptureFindings, r.UnpinnedWarnings))
	return did
}

// LockedServers returns which servers lock has pinned, each entry with its digest, and what was found in them.
func (r *Report) LockedServers() (servers []LockedServer, found []Finding) {
	for _, p := range r.Comparisons {
		s := LockedServer{Name: text.QuoteName(p.Server), Listed: pin.CountPins(p.Captured.Pins).String(), Policy: p.Captured.Policy.Summary()}
		for _, one := range p.Captured.Pins {
			s.Digests = append(s.Digests, []string{shortRef(one.Type, one.Name), short(one.Digest)})
		}
		s.Digests = append(s.Digests, []string{"set", short(p.Captured.Digest)})
		servers = append(servers, s)
	}
	return servers, r.DescribeFindings(slices.Concat(r.CaptureFindings, r.UnpinnedWarnings, freshIn(r.entries)))
}
