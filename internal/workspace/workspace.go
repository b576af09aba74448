// Package workspace makes both sides of a comparison from files. It finds, reads and writes the lockfile, reads the
// captures, and assigns a server ID to each capture. The caller's pin.Gate decides what drift is, and whether it fails
// a run.
package workspace

import (
	"cmp"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// A Workspace is what a command works on: the lockfile and, server by server, what
// it pins and what the captures list.
type Workspace struct {
	Gate  pin.Gate
	Stdin io.Reader

	// The paths and flags of the command, as far as they concern files.

	// The command line of this run, from which suggested commands are made.
	shell.Command

	Verb        string // the command's name
	LockPath    string // path of the lockfile, given or found; "" once two files are compared
	Substitutes []pin.Substitution
	IsPartial   bool // the capture is part of a session

	// The IDs of servers that could not be captured.
	Uncaptured []string

	// The IDs of the servers of a folder that aren't judged.
	ExcludedServers []string

	// Returns the recorded policy with the changes that flags make; nil if the command has no such flags.
	PolicyFunc func(pin.Policy) pin.Policy

	// The command accepts a lockfile with a pin that its policy forbids, because it can mend that.
	AcceptsForbiddenPins bool

	// The command needs pins: if the lockfile or the server in it is missing, there is no verdict.
	NeedsPins bool

	// The command pins new servers, each under the server ID that its file's name gives.
	PinsNewServers bool

	// The command shows all that it finds, even without pins or a lockfile.
	ShowsWithoutPins bool

	// What Load reads.

	Lock        lockfile.Lockfile
	exists      bool // the lockfile exists
	Comparisons []pin.Comparison
	Drifts      []pin.Drift
	HasFolder   bool // the captures are those of a folder

	// The error for a pin that has what its own policy forbids; nil if there is no such pin.
	ForbiddenError error

	// The lists that at least one of two captures has no response for.
	Uncompared []string
}

// Load reads both sides of the comparison that was asked for, and compares them. If the lockfile is missing and
// the command needs no lockfile, the workspace has no pins.
func (w *Workspace) Load() (err error) {
	load := w.loadPinned
	if w.Against != "" && w.Lockfile == "" {
		load = w.loadFiles
	}
	if err := load(); err != nil {
		return err
	}
	for i := range w.Comparisons {
		p := &w.Comparisons[i]
		p.LockfileServers = w.Lock.Servers
		p.Locked.Digest = w.Gate.SetDigest(&p.Locked)
		p.Captured.Digest = w.Gate.SetDigest(&p.Captured)
	}
	if err := w.checkClean(); err != nil {
		return err
	}
	w.Drifts, err = w.Gate.Compare(w.Comparisons)
	if err == nil && driftSize(w.Drifts) > maxDrift {
		tooMuch := fail.NewAt(w.Capture, "%s entries drifted: they are too many, or their names too long, for a review", text.FormatNumber(len(w.Drifts)))
		if len(w.Comparisons) == 1 {
			return tooMuch.Hint("don't use this server: no agent needs so many entries, or such names")
		}
		return tooMuch.Hint("one server at a time: %s", w.ForVerb(w.Verb, "--server "+shell.Placeholder("server ID")))
	}
	return err
}

// maxDrift is the maximum of driftSize: more than 35,000 entries of all servers together, or fewer with long names.
const maxDrift = 4_500_000

// driftSize returns what drifted entries cost: each takes some kilobytes in a report, which has its name many times.
func driftSize(drifts []pin.Drift) (size int) {
	const entrySize = 120
	for i := range drifts {
		size += entrySize + len(drifts[i].Name)
	}
	return size
}

// loadPinned reads the lockfile, and pairs its pins with what the captures list.
func (w *Workspace) loadPinned() error {
	sources, err := w.readSources(w.Capture)
	if err != nil {
		return err
	}
	first := &sources[0]
	w.HasFolder = first.path != w.Capture
	first.scan.IsPartial = w.IsPartial
	// If a single capture is given and is faulty, that error comes first: capture and lockfile may be swapped.
	if !w.HasFolder {
		if err := first.scan.Err(); err != nil {
			return err
		}
	}
	var data []byte
	if w.Lock, data, err = ReadLockfile(w.Gate, w.LockPath, w.pinsOf(sources)); err != nil {
		return err
	}
	w.exists = data != nil
	if w.exists && w.NeedsPins {
		if err := w.unpinned(); err != nil {
			return err
		}
	}
	if !w.HasFolder {
		if first.server, err = w.chooseServer(&w.Lock, w.LockPath, first.server); err != nil {
			return err
		}
	}
	if err := w.compile(sources); err != nil {
		return err
	}
	if !w.exists && w.NeedsPins {
		return w.unpinned()
	}
	if w.exists && w.Against != "" {
		return w.supplyTexts()
	}
	return nil
}

// checkClean refuses a lockfile with a pin that the policy (requireClean) forbids: a merge may have combined
// the pin and the policy. A command that can mend the pin goes on, if it is about that server.
func (w *Workspace) checkClean() error {
	for _, s := range w.Lock.Servers {
		p := lockfile.FirstUnclean(&s)
		if p == nil {
			continue
		}
		err := forbidden(w.LockPath, &s, p)
		about := pin.FindComparison(w.Comparisons, s.Server)
		if !w.AcceptsForbiddenPins || about == nil {
			return err
		}
		w.ForbiddenError = err
		// Only a command that shows drift needs this state, because relock checks the pins that it would write.
		if w.ShowsWithoutPins && about.State == pin.ServerPaired {
			about.State = pin.ServerForbiddenPin
		}
	}
	return nil
}

// forbidden returns the error for a pin that has what its own policy forbids.
func forbidden(path string, s *pin.Set, p *pin.Pin) error {
	return fail.NewAt(path+":"+strconv.Itoa(p.Line), "server %s: %s: it has hidden text, which its policy (requireClean) forbids", text.QuoteName(s.Server), p.EntryRef()).
		Hint("someone edited it, or a merge joined the two: read it with pinproof diff").
		Hint("if the server is clean by now, approve what it lists: pinproof relock CAPTURE").
		Hint("if it may stay: pinproof relock CAPTURE --require-clean=false")
}

// SelectLocked returns the workspace with only the servers that the lockfile has or, if isLocked is false, with only
// the others.
func (w Workspace) SelectLocked(isLocked bool) Workspace {
	w.Comparisons = slices.DeleteFunc(slices.Clone(w.Comparisons), func(p pin.Comparison) bool { return p.IsLocked() != isLocked })
	w.Drifts = slices.DeleteFunc(slices.Clone(w.Drifts), func(d pin.Drift) bool { return pin.FindComparison(w.Comparisons, d.Server) == nil })
	return w
}

// compile makes the comparison of each server from the captures and the lockfile.
func (w *Workspace) compile(sources []source) error {
	wanted := func(server string) bool {
		return !w.HasFolder || (w.Server == "" || server == w.Server) && !slices.Contains(w.ExcludedServers, server)
	}
	for i := range sources {
		s := &sources[i]
		if !wanted(s.server) {
			continue
		}
		p, err := w.comparisonOf(s)
		if err == nil && w.PinsNewServers && w.isOnlyServer(&p) {
			s.server = w.Lock.Servers[0].Server
			p, err = w.comparisonOf(s)
		}
		if err != nil {
			return err
		}
		if w.HasFolder {
			// Free the memory of the scan, because its pins are made.
			s.scan = nil
		}
		w.Comparisons = append(w.Comparisons, p)
	}
	if !w.HasFolder && len(w.Uncaptured) > 0 {
		return fail.New("--uncaptured is for a folder of captures")
	}
	if w.HasFolder {
		if err := w.addAbsent(wanted, sources); err != nil {
			return err
		}
	}
	slices.SortFunc(w.Comparisons, func(x, y pin.Comparison) int { return jsontree.CompareUTF16(x.Server, y.Server) })
	if len(w.Comparisons) == 0 {
		return fail.New("--server %s: neither %s nor %s has it", text.QuoteName(w.Server), text.Printable(w.Capture), text.Printable(w.LockPath))
	}
	for _, s := range w.Substitutes {
		if !slices.ContainsFunc(w.Comparisons, func(p pin.Comparison) bool { return slices.Contains(p.Captured.Policy.Substitute, s.Name) }) {
			return fail.New("--substitute %s: the pins were made without it", s.Name).
				Hint("to make the pins of a server anew with it: relock that server alone, with --substitute %s=", s.Name)
		}
	}
	if w.IsPartial && w.Comparisons[0].PolicyDiffers() {
		return fail.New("--part keeps the policy of server %s: a changed policy changes every pin, which takes a whole capture", text.QuoteName(w.Comparisons[0].Server))
	}
	return nil
}

// chooseServer decides which server a capture belongs to: the one that --server names,
// else the pinned one that is named like the capture's file, else the lockfile's only
// one. If nothing is pinned yet, and for lock, the server is named like the file.
func (w *Workspace) chooseServer(l *lockfile.Lockfile, path, fromFile string) (string, error) {
	if w.Server != "" {
		return w.Server, nil
	}
	if fromFile != "" && l.Find(fromFile) != nil {
		return fromFile, nil
	}
	if len(l.Servers) == 0 || w.PinsNewServers {
		return cmp.Or(fromFile, "default"), nil
	}
	if len(l.Servers) == 1 {
		return l.Servers[0].Server, nil
	}
	return "", fail.New("which server? %s has %s", text.Printable(path), strings.Join(text.QuoteNames(l.ServerIDs()), ", ")).
		Hint("say which: %s", w.ForVerb(w.Verb, "--server "+shell.Placeholder("server ID")))
}

// comparisonOf pins a capture under its server's policy and pairs it with the recorded pins.
func (w *Workspace) comparisonOf(s *source) (pin.Comparison, error) {
	p := pin.Comparison{Server: s.server, CapturePath: s.path, LockfilePath: w.LockPath, State: pin.ServerNew, IsPartial: w.IsPartial}
	if set := w.Lock.Find(s.server); set != nil {
		p.Locked = *set
		p.State = pin.ServerPaired
	} else if !w.PinsNewServers && (!w.exists || w.Server != "") {
		p.State = pin.ServerUnpinned
	}
	pol := w.policy(p.Locked.Policy, p.IsLocked())
	m, err := s.scan.Capture(pol)
	if err != nil {
		return p, err
	}
	if !p.IsLocked() && m.HasAppPages() {
		pol = w.policy(pin.Policy{AppPages: true}, false)
	}
	p.Captured, err = w.pins(s, s.server, pol)
	if err != nil && !p.IsLocked() && pol.AppPages && m.Lists[pin.Resources].Problem != nil && w.PinsNewServers {
		err = fail.AsError(err).Hint("it is read because a tool names the page of an app; to pin no pages: %s", w.ForVerb("lock", "--pages=false"))
	}
	if err == nil && !w.IsPartial {
		err = w.missingList(&m, &p.Locked, pol)
	}
	if err != nil {
		return p, err
	}
	// Only for commands whose output people read: verify doesn't look for unpinned pages.
	if w.PinsNewServers || w.AcceptsForbiddenPins {
		p.PagesUnpinned = p.IsLocked() && !pol.CoversType(pin.Resources) && !pol.ToolsOnly && m.HasAppPages()
	}
	p.SkippedLines = m.SkippedLines
	pin.CopyFileTexts(&p.Captured, &p.Locked)
	skills := m.Lists[pin.Skills]
	p.SkillsUnlisted = pol.CoversType(pin.Skills) && skills.Declared && !skills.Answered && skills.Problem == nil
	if server, ok := serverOf(filepath.Base(s.path)); ok {
		p.FileServer = server
	}
	return p, nil
}

// policy returns the policy under which a capture is pinned, given the recorded one. --substitute applies to a
// single capture and, in a folder, to the servers that have its name recorded or have no pins yet.
func (w *Workspace) policy(recorded pin.Policy, known bool) pin.Policy {
	p := recorded
	if w.PolicyFunc != nil {
		p = w.PolicyFunc(p)
	}
	names := pin.SubstitutionNames(w.Substitutes)
	switch {
	case !known:
		p.Substitute = names
	case w.HasFolder:
		p.Substitute = recorded.Substitute
	// A command that only shows drift applies a new name, too, because relock would record it.
	case w.ShowsWithoutPins:
		p.Substitute = slices.Compact(slices.Sorted(slices.Values(slices.Concat(recorded.Substitute, names))))
	}
	return p
}

// missingList refuses a capture without a response for a list that the lockfile pins, because the server can't
// be judged.
func (w *Workspace) missingList(m *capture.Capture, locked *pin.Set, pol pin.Policy) error {
	for entryType := range pin.EntryTypeCount {
		pins := locked.PinsOf(entryType)
		if len(pins) == 0 || !pol.CoversType(entryType) || m.Lists[entryType].Answered || m.Lists[entryType].Problem != nil {
			continue
		}
		f := fail.NewAt(m.Path, "no answer to %s in it; %s pins %s", pin.EntryTypeInfo[entryType].Method, text.Printable(w.LockPath), pin.CountPins(pins)).
			Hint("capture it whole: pinproof-capture save %s -- COMMAND", shell.QuotePath(m.Path))
		if !w.HasFolder {
			f.Hint("if it is part of a session, review what is there: %s", w.ForVerb("diff", "--part"))
		}
		return f
	}
	return nil
}

// addAbsent adds the comparisons of servers without a capture in the folder: those that are pinned, and those that
// could not be captured.
func (w *Workspace) addAbsent(wanted func(server string) bool, sources []source) error {
	isCaptured := map[string]bool{}
	for _, s := range sources {
		isCaptured[s.server] = true
	}
	servers := slices.Concat(w.Lock.ServerIDs(), w.Uncaptured)
	slices.Sort(servers)
	for _, server := range slices.Compact(servers) {
		isUncaptured := slices.Contains(w.Uncaptured, server)
		if isUncaptured && isCaptured[server] {
			return fail.New("--uncaptured %s: %s has a capture of it", text.QuoteName(server), text.Printable(w.Capture))
		}
		if isCaptured[server] || !isUncaptured && !wanted(server) {
			continue
		}
		p := pin.Comparison{Server: server, LockfilePath: w.LockPath, State: pin.ServerWithoutCapture}
		if isUncaptured {
			p.State = pin.ServerCaptureFailed
		}
		if set := w.Lock.Find(server); set != nil {
			p.Locked = *set
		}
		w.Comparisons = append(w.Comparisons, p)
	}
	return nil
}

// NoVerdictError returns the error about the servers that can't be judged. There must be at least one.
func (w *Workspace) NoVerdictError(servers []string) error {
	if w.ForbiddenError != nil {
		return w.ForbiddenError
	}
	if err := w.unpinned(); err != nil {
		return err
	}
	var uncaptured []string
	asked := 0
	for _, p := range w.Comparisons {
		if p.HasCapture() {
			asked++
		}
		if p.State == pin.ServerCaptureFailed {
			uncaptured = append(uncaptured, p.Server)
		}
	}
	if failed := len(uncaptured); failed > 0 {
		return fail.New("%d of %s could not be captured: %s", failed, text.FormatCount(asked+failed, "server"), text.JoinNames(text.QuoteNames(uncaptured), 6))
	}
	first := servers[0]
	f := fail.NewAt(w.Capture, "no capture of %s that %s pins: %s", text.FormatCount(len(servers), "server"), text.Printable(w.LockPath), text.JoinNames(text.QuoteNames(servers), 6))
	if file := filepath.Join(w.Capture, url.PathEscape(first)+".jsonl"); shell.IsPasteableID(first) {
		f.Hint("capture it: pinproof-capture save %s -- COMMAND", shell.QuotePath(file))
	}
	words := "to retire it"
	if set := w.Lock.Find(first); set != nil && slices.ContainsFunc(set.Pins, func(p pin.Pin) bool { return p.Denied }) {
		words += ", and no longer know what is denied of it"
	}
	return f.Hint("%s: %s", words, w.DropServerCommand(first)).
		Hint("in a job that captures a part: %s", w.ForVerb("verify", "--allow missing"))
}
