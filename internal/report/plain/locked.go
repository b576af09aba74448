package plain

import (
	"io"
	"unicode/utf8"

	"pinproof/internal/report"
	"pinproof/internal/text"
)

// WriteLocked prints the findings in what was pinned, and each entry with its digest.
func WriteLocked(w io.Writer, r *report.Report, c report.ApprovalResult, style Style) error {
	t := New(w, style)
	t.WriteFindings("", unrecordedTitle, c.Unrecorded)
	servers, found := r.LockedServers()
	t.WriteFindings("", "", found)
	for _, s := range servers {
		t.WriteText("", run('+', "PINNED "+s.Listed+" -> "+text.Printable(r.Lockfile)), run('=', "  server "+s.Name+s.Policy))
		names := 0
		for _, d := range s.Digests {
			names = max(names, utf8.RuneCountInString(d[0]))
		}
		for _, d := range s.Digests {
			t.printf("  %-*s  %s\n", names, d[0], d[1])
		}
	}
	t.WriteText("", run('+', c.Records))
	t.WriteSteps(r.StepsAfterLock()...)
	return t.Err
}

// WriteDenialChanges prints the entries that a lockfile now denies to agents, and those that it no longer denies.
func (t *Writer) WriteDenialChanges(denied, allowed []string, lockfile string) {
	if len(denied) > 0 {
		t.WriteText("", run('+', "DENIED "+text.JoinNames(denied, maxMarked)+", kept from agents -> "+lockfile))
	}
	if len(allowed) > 0 {
		t.WriteText("", run('+', "NO LONGER DENIED: "+text.JoinNames(allowed, maxMarked)+" -> "+lockfile))
	}
}

// WriteRelocked prints what was accepted and what drift is left. Each accepted entry gets
// a line, unless a prompt has already shown it.
func WriteRelocked(w io.Writer, c report.ApprovalResult, style Style) error {
	t := New(w, style)
	t.WriteNotes("", c.UnusedLines...)
	if !c.AlreadyShown {
		if len(c.Problems) > 0 {
			t.problems("", "other-server", c.Problems)
		}
		for _, e := range c.Entries {
			t.printf("accepted [%s] %s  %s\n", e.Kind, e.Ref, e.Digest)
			for _, f := range e.Findings {
				t.finding("  ", &f, text.JoinSpaced(f.Place, f.Detail))
			}
		}
		t.WriteFindings("  ", "", c.CaptureFindings)
		t.WriteFindings("  ", unrecordedTitle, c.Unrecorded)
	}
	t.WriteText("", run('+', c.Written))
	t.WriteText("", run('-', c.Leftover))
	return t.Err
}
