package cli

import (
	"slices"

	"pinproof/internal/approval"
	"pinproof/internal/facts"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/workspace"
)

// suggest adds to a report's input the flags for suggested commands, and what dryRun finds out.
func (req *request) suggest(in *report.Input, all *facts.Explanation) {
	in.FolderStep = req.folderHint()
	isWhole := true
	for _, p := range req.Comparisons {
		if p.HasCapture() {
			expected := p.Captured.Digest
			// Bind --expect to the pins, too, and in a folder to the server ID, which is only a file name that anybody
			// can choose.
			if p.IsLocked() || req.HasFolder {
				expected += "@" + workspace.StateDigest(&p)
			}
			in.ExpectFlags = append(in.ExpectFlags, "--expect "+expected)
			isWhole = isWhole && p.Captured.Digest != "" // the digest is "" if a name is repeated
		}
	}
	if !isWhole {
		in.ExpectFlags = nil
	}
	for _, s := range req.only {
		in.OnlyFlags = append(in.OnlyFlags, "--only "+shell.Quote(s.Arg)) // as it has to be typed again
	}
	dryRun(in, all)
}

// dryRun finds out which flags would write the lockfile if they were given now, because a report suggests only these.
func dryRun(in *report.Input, all *facts.Explanation) {
	if in.Lockfile == "" || in.NoExplanations {
		return // nothing is suggested
	}
	c := caseOf(in, all)
	isNew := !slices.ContainsFunc(in.Comparisons, func(p pin.Comparison) bool { return p.IsLocked() })
	in.CanWrite = approval.WouldWrite(c, approval.Choices{AcceptAll: !isNew, NewServersOnly: isNew})
	in.AcceptableByName = approval.AcceptableByName(c)
}
