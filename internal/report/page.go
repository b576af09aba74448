package report

import (
	"slices"

	"pinproof/internal/text"
)

// Steps lists the next steps for a page. more, which is ApproveCommands or ManualSteps, comes last.
func (m *Model) Steps(more []Step) (list []Step) {
	if m.Matches || m.NothingCompared {
		return nil
	}
	if m.Lockfile != "" {
		list = append(list, m.Review)
	}
	return slices.Concat(list, m.Next, more)
}

// ByRank lists the blocks of all servers in the order in which a page with little room shows them.
func (m *Model) ByRank() []*ReviewBlock {
	return slices.SortedStableFunc(slices.Values(m.Blocks), func(a, b *ReviewBlock) int { return a.Class - b.Class })
}

// Heading returns the title of a block on a page.
func (b *ReviewBlock) Heading() string {
	allowed := ""
	if !b.Blocked {
		allowed = "allowed"
	}
	return b.Kind + " " + b.Title + b.ServerSuffix + text.JoinSpaced(b.Severity, allowed)
}
