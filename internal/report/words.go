package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// Limits on how many things one sentence names.
const (
	maxSaidNames   = 3
	maxSaidChanges = 4

	// In a line of relock, because the entries were shown above.
	maxClosingNames = 5

	// The maximum length in bytes of the text before a command on the same line. A command isn't wrapped.
	maxBesideCommand = 40
)

// shortRef names an entry in a sentence: "write_file", "prompt review",
// "instructions".
func shortRef(entryType pin.EntryType, name string) string {
	if entryType == pin.Instructions {
		return pin.EntryTypeInfo[entryType].Entry
	}
	if entryType == pin.Tools && name != pin.EntryTypeInfo[pin.Instructions].Entry {
		return text.QuoteName(name)
	}
	return pin.EntryTypeInfo[entryType].Entry + " " + text.QuoteName(name)
}

// ref names an entry in a sentence or, if the key is empty, the capture; with its server, if there are several.
func (r *Report) ref(key pin.Ref) string {
	ref := "the capture"
	if !key.IsWholeServer() {
		ref = shortRef(key.Type, key.Name)
	}
	if len(r.Comparisons) > 1 || pin.FindComparison(r.Others, key.Server) != nil {
		ref += " (server " + text.QuoteName(key.Server) + ")"
	}
	return ref
}

// short returns a digest for people: the first 12 of its hex digits.
func short(digest string) string {
	hex := jsontree.HexOf(digest)
	return hex[:min(12, len(hex))]
}

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

// counted returns a count with the words after it, or "" for none.
func counted(n int, words string) string {
	if n == 0 {
		return ""
	}
	return text.FormatNumber(n) + words
}

// joined joins the parts that aren't empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
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

// warningText names the warnings that nobody has approved: "1 WARNING hidden-text in write_file". It is empty where
// there is no such warning. A warning about a whole capture counts if the capture drifted, or if it fails the run.
func (r *Report) warningText() string {
	var said []string
	for _, f := range slices.Concat(freshIn(r.entries), r.UnpinnedWarnings, r.CaptureFindings, r.UnacceptedWarnings) {
		if f.Warning && (f.Scope == pin.ScopeDrift || f.FailsRun(r.FailsOnWarnings)) {
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

// driftNote describes facts that a list of changes can't show: an entry is denied, repeated or renamed, or its text
// isn't stored.
func driftNote(d *pin.Drift) string {
	return joined("; ", deniedText(d), driftKindNote(d))
}

// deniedText returns a note that an entry is denied, or which denied entry it resembles; or "".
func deniedText(d *pin.Drift) string {
	like := d.LikeDenied
	switch {
	case d.IsDenied() || d.LooksDenied() && like == (pin.Ref{Server: d.Server, Key: pin.Key{Type: d.Type, Name: d.RenamedFrom}}):
		return deniedSoFar
	case !d.LooksDenied():
		return ""
	case like.Server != d.Server:
		return "it looks like the denied " + text.QuoteName(like.Name) + " of server " + text.QuoteName(like.Server)
	}
	return "it looks like the denied " + text.QuoteName(like.Name)
}

// deniedSoFar is printed for a denied entry, even if it was denied under its former name.
const deniedSoFar = "denied so far: kept from agents"

func driftKindNote(d *pin.Drift) string {
	rest := ": nothing else differs"
	if d.RenamedWithChanges {
		rest = ", and differs in more"
	}
	if d.Kind == pin.DriftDuplicate {
		return text.FormatCount(len(d.Copies), pin.EntryTypeInfo[d.Type].Entry) + " of this name: an agent may get any of them; this can't be accepted"
	}
	if d.RenamedFrom != "" {
		return "renamed from " + text.QuoteName(d.RenamedFrom) + rest
	}
	if d.RenamedTo != "" {
		return "renamed to " + text.QuoteName(d.RenamedTo) + rest
	}
	if (d.Kind == pin.DriftChanged || d.Kind == pin.DriftHidden) && !d.TextsKnown() {
		return fmt.Sprintf("pinned %s, now %s: a definition was not stored (hashOnly)", short(d.Locked.Digest), short(d.Captured.Digest))
	}
	return ""
}

// mayBeText returns why an entry may be a denied one: it was added while denied entries of its list are gone, or it
// couldn't be compared with all denied entries. Otherwise it returns "".
func (r *Report) mayBeText(e *drifted) string {
	if wasDenied(&e.Drift) {
		return ""
	}
	if e.MayBeDenied {
		return "this may be a denied entry under another name: there is too much to compare, or nothing"
	}
	if e.Kind != pin.DriftAdded {
		return ""
	}
	list := pin.Ref{Server: e.Server, Key: pin.Key{Type: e.Type}}
	said, known := r.absent[list]
	if known {
		return said
	}
	if absent := text.QuoteNames(pin.FindComparison(r.Comparisons, e.Server).AbsentDenied(e.Type)); len(absent) > 0 {
		said = "this may be " + text.JoinNames(absent, maxSaidNames) + " under another name, which is denied and not listed now"
	}
	r.absent[list] = said
	return said
}

// unexplained returns what is printed for an entry that a limit left unexplained, or "".
func unexplained(e *drifted) string {
	if !e.Unexplained {
		return ""
	}
	return "too much drift to explain all of it: no label accepts this, and it may break callers"
}

// driftText describes in one line what is wrong with a drifted entry.
func driftText(e *drifted) string {
	d := &e.Drift
	said := cmp.Or(driftNote(d), map[pin.DriftKind]string{pin.DriftAdded: "no pin names it", pin.DriftRemoved: "it is gone"}[d.Kind])
	said = joined("; ", said, unexplained(e))
	for j, c := range e.Changes() {
		if j == maxSaidChanges {
			return joined("; ", said, text.FormatCount(len(e.Edits)-j, "more change"))
		}
		what := c.Label.Words()
		if d.Kind == pin.DriftHidden {
			what = unseen(c)
		}
		said = joined("; ", said, joined(" at ", what, text.QuotePointer(c.Pointer)))
	}
	return said
}

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
func (r *Report) acceptCommand(b *Block) string {
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
		digest := e.DefinitionDigest()
		// Relock would reject it or leave it out, or another server or list has an entry with the same digest.
		isDenied := wasDenied(&e.Drift) || r.mayBeText(e) != ""
		if isDenied || !r.AcceptableByName[e.Ref()] || r.digests[[2]string{scope, digest}] > 1 {
			return ""
		}
		args = append(args, "--accept "+digest)
	}
	return next.ForVerb("relock", args...)
}

// field returns the name of an entry in a line for programs, "tool=NAME", or "capture" if the key is empty; with the
// server, if there are several.
func (r *Report) field(key pin.Ref) string {
	field := "capture"
	if !key.IsWholeServer() {
		field = key.EntryRef()
	}
	if len(r.Comparisons) > 1 {
		field += " server=" + text.QuoteName(key.Server)
	}
	return field
}
