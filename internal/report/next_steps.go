package report

import (
	"cmp"
	"path/filepath"
	"slices"

	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// steps sets the model's Next: the commands that show and approve the drift. Without a lockfile there are no steps. No
// step approves a new warning by itself.
func (r *Report) steps(m *Model) {
	// If nothing is pinned yet, the next step is lock, which accepts only whole captures.
	isNew := r.nothingPinned()
	if r.Lockfile == "" || r.IsPartial && isNew {
		return
	}
	// isRelocked means that relock can be a next step. It can't if a warning is in text that no pin covers, because
	// relock would only print how to get that text pinned.
	isRelocked := !r.Matches && r.asAnother() == "" && len(r.BlockingWarnings) == 0 && !isNew
	next := func(text, command string) { m.Next = append(m.Next, Step{Text: text, Command: command}) }
	if r.FolderStep.Command != "" && !isNew {
		m.Next = append(m.Next, r.FolderStep)
	}
	if at := slices.IndexFunc(r.entries, func(d *drifted) bool { return !d.TextsKnown() }); at >= 0 {
		command := r.CommandLine
		// Without a lockfile, --against would compare two files.
		command.Lockfile = cmp.Or(command.Lockfile, r.Lockfile)
		// With a lockfile, diff --against accepts a file, but no folder.
		of := pin.FindComparison(r.Comparisons, r.entries[at].Server).CapturePath
		if file := filepath.Join(r.CommandLine.Capture, filepath.Base(of)); len(r.Comparisons) > 1 || file == of {
			command.Capture = file
		}
		next("to see what changed, give the approved list, too", command.ForVerb("diff", "--against APPROVED.json"))
	}
	var anew []string
	for _, e := range r.entries {
		if e.OnlyVolatile {
			anew = append(anew, r.ref(e.Ref()))
		}
	}
	if anew != nil && isRelocked {
		next("only numbers, times or ids differ in "+text.JoinNames(anew, maxClosingNames)+": does the server write these anew at each start?", "")
		next("if so, for a value that the command knows", r.CommandLine.ForVerb("relock", "--substitute", shell.Placeholder("name=value")))
		next("for any other, leave out the descriptions", r.CommandLine.ForVerb("relock", "--descriptions strip"))
	}
	if isRelocked && r.PolicyChanged() {
		next("step by step", r.CommandLine.ForVerb("relock"))
	} else if isRelocked && len(r.entries) > 0 {
		next("step by step", r.CommandLine.ForVerb("relock", r.OnlyFlags...))
	}
	if len(r.UnacceptedWarnings) > 0 {
		next("after reading it, accept it", r.CommandLine.ForVerb([]string{"relock", "lock"}[lint.BoolToInt(isNew)]))
	}
	r.pages(next)
	r.approvals(m, isRelocked, isNew)
}

// pages names the commands that pin the pages of apps, for servers whose recorded policy pins no pages.
func (r *Report) pages(next func(text, command string)) {
	for _, p := range r.Comparisons {
		if !p.PagesUnpinned || p.IsPartial {
			continue
		}
		command := r.CommandLine
		whose := "the server's"
		if len(r.Comparisons) > 1 {
			command.Server = p.Server
			whose = text.QuoteName(p.Server) + "'s"
		}
		next("to pin the entries of "+whose+" pages of apps (ui://), too", command.ForVerb("relock", "--pages"))
	}
}

// approvals sets the model's ApproveCommands to the commands that approve what is shown, and ManualSteps, for all other
// readers, to the digests of the sets that are shown. A set with a repeated name has no digest.
func (r *Report) approvals(m *Model, isRelocked, isNew bool) {
	ready := func(text, command string) {
		m.ApproveCommands = append(m.ApproveCommands, Step{Text: text, Command: command})
	}
	if r.FolderStep.Command != "" && isNew {
		m.ApproveCommands = append(m.ApproveCommands, r.FolderStep)
	}
	if another := r.asAnother(); r.Matches {
	} else if another != "" {
		ready("to approve it as another server", another)
	} else if isRelocked {
		r.rest(ready)
	} else if r.CanWrite && len(r.ExpectFlags) > 0 {
		ready("to approve what is shown", r.CommandLine.ForVerb("lock", r.ExpectFlags...))
	}
	for _, p := range r.Comparisons {
		if m.ApproveCommands == nil || !p.HasCapture() || p.Captured.Digest == "" {
			continue
		}
		of := ""
		if len(r.Comparisons) > 1 {
			of = " of server " + text.QuoteName(p.Server)
		}
		m.ManualSteps = append(m.ManualSteps, Step{Text: "set digest" + of, Digest: p.Captured.Digest})
	}
}

// asAnother returns the command that approves a capture as that of another server, if the capture looks like it; or "".
func (r *Report) asAnother() string {
	for _, p := range r.problems() {
		if p.Command != "" {
			return p.Command
		}
	}
	return ""
}

// nothingPinned reports whether the lockfile has no pins of the servers. Then lock approves them, and not relock.
func (r *Report) nothingPinned() bool {
	return !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.IsLocked() })
}

// rest suggests the --accept-all command, unless the command isn't possible or an entry isn't shown in full.
func (r *Report) rest(ready func(text, command string)) {
	var left []string
	for _, e := range r.entries {
		if e.Unexplained { // it wasn't shown in full
			return
		}
		if e.Kind == pin.DriftDuplicate || e.HasNewWarning() {
			left = append(left, r.ref(e.Ref()))
		}
	}
	if !r.CanWrite || r.DeselectedCount > 0 || len(r.ExpectFlags) == 0 {
		return
	}
	said := "approve exactly this"
	if len(left) > 0 {
		said = "all but " + text.JoinNames(left, maxSaidNames)
		// A line with a command isn't wrapped, so no long name may precede the command.
		if len(said) > maxBesideCommand {
			said = "all but " + text.FormatCount(len(left), "entry")
		}
	}
	ready(said, r.CommandLine.ForVerb("relock", append([]string{"--accept-all"}, r.ExpectFlags...)...))
}

// acceptCommand returns the command that accepts a block and nothing else: each entry by the digest of its definition.
// It returns "" if no flag can do that, and for a new warning, which nobody should approve by pasting.
func (r *Report) acceptCommand(b *ReviewBlock) string {
	e := b.of[0]
	if !r.oneByOne || e.Unexplained || e.HasNewWarning() || e.Kind == pin.DriftDuplicate {
		return ""
	}
	var args []string
	next := r.CommandLine
	scope := ""
	p := pin.FindComparison(r.Comparisons, e.Server)
	if len(r.Comparisons) > 1 && shell.IsPasteableID(p.Server) && p.IsLocked() {
		next.Server = p.Server
		scope = p.Server
	}
	for _, e := range b.of {
		digest := e.DigestToAccept()
		// Relock would reject it or leave it out, or another server or list has an entry with the same digest.
		isDenied := wasDenied(&e.Drift) || r.mayBeText(e) != ""
		if isDenied || !r.AcceptableByName[e.Ref()] || r.digests[[2]string{scope, digest}] > 1 {
			return ""
		}
		args = append(args, "--accept "+digest)
	}
	return next.ForVerb("relock", args...)
}

// StepsAfterLock returns what to do with a lockfile that lock has written.
func (r *Report) StepsAfterLock() []Step {
	return []Step{{Text: "read " + text.Printable(r.Lockfile) + " as you would code, then commit it"}, {Text: "in CI", Command: r.CommandLine.CICommand()}, r.FolderStep}
}
