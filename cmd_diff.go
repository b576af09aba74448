package main

import (
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

func newDiff(a *app) *cobra.Command {
	f, out := &diffFlags{}, &output{shows: true}
	cmd := &cobra.Command{
		Use:   "diff CAPTURE [LOCKFILE]",
		Short: "The review: what exactly changed, tool by tool, word by word",
		Long: `Diff shows everything in which a saved answer of a server differs from its pins,
word by word, the dangerous changes first. What changed alike is shown once, and
what is minor in one line. Where nothing is pinned yet it shows every entry whole.
With --against it compares two files without a lockfile, or takes the approved texts
for a lockfile that doesn't store them.
Exit codes: 0 no difference, 1 there are some, 2 no answer.`,
		Example: `  pinproof diff files.jsonl
  pinproof diff captures/ --stat                  the shape of it first
  pinproof diff captures/ --only added            then a part
  pinproof diff new.json --against old.json
  git show main:tools.lock | pinproof diff tools.lock --against -`,
	}
	f.registerReview(cmd)
	f.registerOnly(cmd)
	out.register(cmd)
	cmd.Flags().StringVar(&f.against, "against", "", "compare with this `FILE`, a capture or a lockfile, - for standard input")
	cmd.Flags().BoolVar(&f.stat, "stat", false, "show the shape of it: a line for each entry, the dangerous first")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := f.request(a, cmd, args)
		if err != nil {
			return err
		}
		req.Against = f.against
		switch {
		case !cmd.Flags().Changed("against"):
		case f.against == "":
			return fail.New("--against needs a file")
		case f.against == "-" && req.Capture == "-":
			return fail.New("only one of CAPTURE and --against can be standard input")
		case isFolder(f.against):
			return fail.In(text.Printable(f.against), "a folder: --against takes one capture or lockfile").
				Hint("pin the old folder: pinproof lock %s old.lock --yes", shell.Path(f.against)).Hint("then: pinproof diff %s old.lock", shell.Path(req.Capture))
		}
		out.text = func(w io.Writer, m *report.Model, style plain.Style) error {
			style.Full = f.full // also in a file
			if f.stat {
				return plain.WriteStat(w, m, style)
			}
			return plain.WriteDiff(w, m, style)
		}
		if err := out.check(a, req, f.against); err != nil {
			return err
		}
		r, err := a.diff(req)
		if err != nil {
			return out.explain(a, err)
		}
		return out.emit(a, r, a.style(f.full), nil)
	}
	return cmd
}

// diffFlags holds the flags of diff.
type diffFlags struct {
	sharedFlags
	against string
	stat    bool
}

// diff reads what diff is given and compares it. If there is no lockfile, or the server
// isn't in it, the exit code says that there is no answer. Everything is shown whole all
// the same, so that the first approval isn't blind.
func (a *app) diff(req *request) (*report.Report, error) {
	if req.Against != "" && req.Lockfile == "" {
		return a.diffFiles(req)
	}
	w, err := a.load(req)
	if err == nil && w.exists && req.Against != "" {
		err = a.supplyTexts(req, w)
	}
	if err == nil {
		err = approval.CheckSelectors("--only", req.only, w.comparisons)
	}
	if err != nil {
		return nil, err
	}
	in := w.input(req)
	in.Findings = w.read(true)
	switch {
	case !w.exists:
		f := req.noLockfile()
		if len(in.Expect) == 0 { // a name is repeated: lock would refuse
			f.Hints = nil
		}
		in.NoAnswer = f
	case req.Server != "" && !w.comparisons[0].Known:
		in.NoAnswer = req.unknownServer(&w.lock)
	}
	return w.judged(in, leniency{}), nil
}

// supplyTexts puts the definitions of an approved capture into hash-only pins,
// after checking each against its digest.
func (a *app) supplyTexts(req *request, w *workspace) error {
	if w.folder {
		return fail.New("--against beside a lockfile goes with one capture, not with a folder")
	}
	p := &w.comparisons[0]
	data, err := readFile(req.Against, a.stdin, jsontree.MaxCaptureBytes)
	if err != nil {
		return err
	}
	m, err := capture.Scan(req.Against, data, formOf).Capture(p.Locked.Policy)
	if err != nil {
		return err
	}
	approved, err := capture.Pins(m, p.Server, p.Locked.Policy, req.substitutes, formOf)
	if err != nil {
		return err
	}
	p.Locked.Pins = slices.Clone(p.Locked.Pins)
	for i := range p.Locked.Pins {
		pin := &p.Locked.Pins[i]
		s := approved.Find(pin.Key)
		if s == nil || s.Digest != pin.Digest {
			return fail.In(text.Printable(req.Against), "not what was approved: %s doesn't have the pinned digest %s", capture.EntryNamed(pin.Type, pin.Name), pin.Digest).
				Hint("use the capture that was locked")
		}
		pin.Definition = s.Definition
	}
	w.drifts = compareAll(w.comparisons)
	return nil
}

// side is one file of a comparison without a lockfile: a capture or a lockfile.
type side struct {
	path string
	lock lockfile.Lockfile // of a capture: one server without a label
	scan *capture.Scanned  // of a capture; nil for a lockfile
	m    capture.Capture
}

func (a *app) readSide(req *request, path string) (s side, err error) {
	s.path = path
	data, err := readFile(path, a.stdin, jsontree.MaxLockfileBytes)
	if err != nil {
		return s, err
	}
	if lockfile.Recognize(data) {
		s.lock, err = lockfile.Read(path, data, formOf)
		return s, err
	}
	s.scan = capture.Scan(path, data, formOf)
	return s, s.pin(req, "", pin.Policy{})
}

// pin pins the capture of s under a server's label and policy.
func (s *side) pin(req *request, server string, pol pin.Policy) (err error) {
	if s.m, err = s.scan.Capture(pol); err != nil {
		return err
	}
	set, err := capture.Pins(s.m, server, pol, req.substitutes, formOf)
	s.lock = lockfile.Lockfile{Servers: []pin.Set{set}}
	return err
}

// diffFiles compares two files side by side.
func (a *app) diffFiles(req *request) (*report.Report, error) {
	old, err := a.readSide(req, req.Against)
	if err != nil {
		return nil, err
	}
	now, err := a.readSide(req, req.Capture)
	var uncompared []string
	switch {
	case err != nil:
	case old.scan != nil && now.scan != nil:
		for list := range pin.EntryTypes { // a list that only one of them asked for can't be compared
			x, y := &old.lock.Servers[0], &now.lock.Servers[0]
			answered := old.m.Lists[list].Answered && now.m.Lists[list].Answered
			if !answered && len(x.Of(list))+len(y.Of(list)) > 0 {
				uncompared = append(uncompared, pin.EntryTypeInfo[list].Member)
				x.Drop(list)
				y.Drop(list)
			}
		}
	case old.scan != nil:
		err = now.fit(req, &old)
	case now.scan != nil:
		err = old.fit(req, &now)
	}
	if err != nil {
		return nil, err
	}
	labels := slices.Concat(old.lock.Labels(), now.lock.Labels())
	slices.SortFunc(labels, jsontree.CompareUTF16)
	var pairs []pin.Comparison
	for _, server := range slices.Compact(labels) {
		if req.Server != "" && server != "" && server != req.Server {
			continue
		}
		p := pin.Comparison{Server: server}
		if set := old.lock.Find(server); set != nil {
			p.Locked, p.Known, p.LockedAbout = *set, true, old.m.About
		}
		if set := now.lock.Find(server); set != nil {
			p.Captured, p.Present, p.Capture, p.About = *set, true, now.path, now.m.About
		}
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 && req.Server != "" {
		return nil, fail.New("neither file has a server %s", text.Name(req.Server))
	}
	if err := approval.CheckSelectors("--only", req.only, pairs); err != nil {
		return nil, err
	}
	w := &workspace{comparisons: pairs, drifts: compareAll(pairs)}
	w.describe()
	in := w.input(req)
	in.Uncompared, in.Guessed = uncompared, false
	in.Findings = w.read(true)
	return w.judged(in, leniency{}), nil
}

// fit narrows a lockfile down to the server that a capture belongs to, and pins the
// capture under the policy of that server.
func (locked *side) fit(req *request, listed *side) error {
	label, _ := serverLabel(filepath.Base(listed.path))
	server, err := req.chooseServer(&locked.lock, locked.path, label)
	if err != nil {
		return err
	}
	set := locked.lock.Find(server)
	if set == nil {
		return fail.New("%s has no server %s", text.Printable(locked.path), text.Name(server))
	}
	locked.lock = lockfile.Lockfile{Servers: []pin.Set{*set}}
	return listed.pin(req, server, set.Policy)
}
