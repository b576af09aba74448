package main

import (
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

func newDiff(a *app) *cobra.Command {
	f, out := &diffFlags{}, &output{}
	cmd := &cobra.Command{
		Use:   "diff MANIFEST [LOCKFILE]",
		Short: "The review: what exactly changed, tool by tool, word by word",
		Long: `Diff shows everything in which a saved answer of a server differs from its pins,
word by word, the dangerous changes first. What changed alike is shown once, and
what is minor in one line. Where nothing is pinned yet it shows every entry whole.
With --against it compares two files without a lockfile, or takes the approved texts
for a lockfile that doesn't store them.
Exit codes: 0 no difference, 1 there are some, 2 no answer.`,
		Example: `  pinproof diff files.jsonl
  pinproof diff new.json --against old.json
  git show main:tools.lock | pinproof diff tools.lock --against -`,
	}
	f.registerReview(cmd)
	out.register(cmd)
	cmd.Flags().StringVar(&f.against, "against", "", "compare with this `FILE`, a manifest or a lockfile, - for standard input")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := f.request(a, cmd, args)
		if err != nil {
			return err
		}
		req.against = f.against
		switch {
		case !cmd.Flags().Changed("against"):
		case f.against == "":
			return fail("--against needs a file")
		case f.against == "-" && req.manifest == "-":
			return fail("only one of MANIFEST and --against can be standard input")
		}
		out.text = func(w io.Writer, r *report, style textStyle) error {
			style.full = f.full // also in a file
			return writeDiff(w, r, style)
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
}

// diff reads what diff is given and compares it. If there is no lockfile, or the server
// isn't in it, the exit code says that there is no answer. Everything is shown whole all
// the same, so that the first approval isn't blind.
func (a *app) diff(req *request) (*report, error) {
	if req.against != "" && req.lockfile == "" {
		return a.diffFiles(req)
	}
	w, err := a.load(req)
	if err == nil && w.exists && req.against != "" {
		err = a.supplyTexts(req, w)
	}
	if err != nil {
		return nil, err
	}
	in := w.input(req)
	in.findings = w.read(true)
	switch {
	case !w.exists:
		f := req.noLockfile()
		if len(in.expect) == 0 { // a name is repeated: lock would refuse
			f.hints = nil
		}
		in.noAnswer = f
	case req.server != "" && !w.pairs[0].known:
		in.noAnswer = req.unknownServer(&w.lock)
	}
	return w.judged(in, leniency{}), nil
}

// supplyTexts puts the definitions of an approved manifest into hash-only pins,
// after checking each against its digest.
func (a *app) supplyTexts(req *request, w *workspace) error {
	if w.folder {
		return fail("--against beside a lockfile goes with one manifest, not with a folder")
	}
	p := &w.pairs[0]
	data, err := readFile(req.against, a.stdin, maxManifestBytes)
	if err != nil {
		return err
	}
	m, err := scanManifest(req.against, data, formOf).manifest(p.pinned.policy)
	if err != nil {
		return err
	}
	approved, err := pinManifest(m, p.server, p.pinned.policy, req.substitutes, formOf)
	if err != nil {
		return err
	}
	p.pinned.pins = slices.Clone(p.pinned.pins)
	for i := range p.pinned.pins {
		pin := &p.pinned.pins[i]
		text := approved.find(pin.entryKey)
		if text == nil || text.digest != pin.digest {
			return failIn(printable(req.against), "not what was approved: %s doesn't have the pinned digest %s", entryNamed(pin.list, pin.name), pin.digest).
				hint("use the capture that was locked")
		}
		pin.definition = text.definition
	}
	w.drifts = compareAll(w.pairs)
	return nil
}

// side is one file of a comparison without a lockfile: a manifest or a lockfile.
type side struct {
	path string
	lock lockfile // of a manifest: one server without a label
	scan *scanned // of a manifest; nil for a lockfile
	m    manifest
}

func (a *app) readSide(req *request, path string) (s side, err error) {
	s.path = path
	data, err := readFile(path, a.stdin, maxLockfileBytes)
	if err != nil {
		return s, err
	}
	if isLockfile(data) {
		s.lock, err = parseLockfile(path, data, formOf)
		return s, err
	}
	s.scan = scanManifest(path, data, formOf)
	return s, s.pin(req, "", policy{})
}

// pin pins the manifest of s under a server's label and policy.
func (s *side) pin(req *request, server string, pol policy) (err error) {
	if s.m, err = s.scan.manifest(pol); err != nil {
		return err
	}
	set, err := pinManifest(s.m, server, pol, req.substitutes, formOf)
	s.lock = lockfile{servers: []pinset{set}}
	return err
}

// diffFiles compares two files side by side.
func (a *app) diffFiles(req *request) (*report, error) {
	old, err := a.readSide(req, req.against)
	if err != nil {
		return nil, err
	}
	now, err := a.readSide(req, req.manifest)
	var uncompared []string
	switch {
	case err != nil:
	case old.scan != nil && now.scan != nil:
		for list := range listKinds { // a list that only one of them asked for can't be compared
			x, y := &old.lock.servers[0], &now.lock.servers[0]
			answered := old.m.lists[list].answered && now.m.lists[list].answered
			if !answered && len(x.of(list))+len(y.of(list)) > 0 {
				uncompared = append(uncompared, listInfo[list].member)
				x.drop(list)
				y.drop(list)
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
	labels := slices.Concat(old.lock.labels(), now.lock.labels())
	slices.SortFunc(labels, compareUTF16)
	var pairs []pair
	for _, server := range slices.Compact(labels) {
		if req.server != "" && server != "" && server != req.server {
			continue
		}
		p := pair{server: server}
		if set := old.lock.find(server); set != nil {
			p.pinned, p.known = *set, true
		}
		if set := now.lock.find(server); set != nil {
			p.found, p.present, p.manifest, p.about = *set, true, now.path, now.m.about
		}
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 && req.server != "" {
		return nil, fail("neither file has a server %s", quotedName(req.server))
	}
	describe(pairs)
	w := &workspace{pairs: pairs, drifts: compareAll(pairs)}
	in := w.input(req)
	in.uncompared, in.guessed = uncompared, false
	in.findings = w.read(true)
	return w.judged(in, leniency{}), nil
}

// fit narrows a lockfile down to the server that a manifest belongs to, and pins the
// manifest under the policy of that server.
func (locked *side) fit(req *request, listed *side) error {
	label, _ := serverLabel(filepath.Base(listed.path))
	server, err := req.chooseServer(&locked.lock, locked.path, label)
	if err != nil {
		return err
	}
	set := locked.lock.find(server)
	if set == nil {
		return fail("%s has no server %s", printable(locked.path), quotedName(server))
	}
	locked.lock = lockfile{servers: []pinset{*set}}
	return listed.pin(req, server, set.policy)
}
