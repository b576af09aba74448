package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newVerify(a *app) *cobra.Command {
	var quiet, warn, hook bool
	var allow []string
	var subset string
	cmd := &cobra.Command{
		Use:   "verify MANIFEST [LOCKFILE]",
		Short: "The gate: does the manifest match its pins?",
		Long: `Verify compares a saved tools/list with its pins in LOCKFILE (tools.lock).
It prints one line when all is well; otherwise a BLOCK line for every tool that
is not what was approved. MANIFEST is a file, a folder of them, or - for standard
input. Exit codes: 0 match, 1 drift, 2 no answer.`,
		Example: `  pinproof verify live.jsonl
  pinproof verify live.jsonl --server github
  pinproof verify manifests/                    every server of a folder
  pinproof verify live.jsonl --allow added      new tools don't fail the run
  pinproof verify live.jsonl --subset safe.json what still matches, for a gateway
  pinproof verify live.jsonl --format github --report html=review.html`,
		Args: cobra.ArbitraryArgs,
	}
	serverFlag(cmd, a)
	flags := cmd.Flags()
	flags.BoolVarP(&quiet, "quiet", "q", false, "don't print the OK line")
	flags.StringArrayVar(&allow, "allow", nil, "report drift of this `KIND`, added or removed, without failing (repeatable)")
	flags.BoolVar(&warn, "warn", false, "report drift of every kind without failing")
	flags.StringVar(&subset, "subset", "", "write the tools that match their pins to `FILE`, as a tools/list result")
	out := &output{}
	out.register(cmd)
	flags.BoolVar(&hook, "hook", false, "answer as an agent's hook: drift and errors exit 2, with words that are safe for a model")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.take(cmd, args); err != nil {
			return err
		}
		if hook {
			return a.hook(cmd)
		}
		allowed := map[kind]bool{}
		for _, k := range allow {
			switch k {
			case "added", "removed":
				allowed[kind(strings.ToUpper(k))] = true
			default:
				return fail("--allow %s: only added or removed can be allowed", quotedName(k))
			}
		}
		if warn {
			allowed = map[kind]bool{added: true, removed: true, changed: true, concealed: true, duplicate: true}
		}
		if cmd.Flags().Changed("subset") {
			if err := a.checkOutput("--subset", subset); err != nil {
				return err
			}
		}
		out.text = func(w io.Writer, r *report) error { return writeVerify(w, r, a.colored(), quiet) }
		out.plain = func(w io.Writer, r *report) error { return writeVerify(w, r, false, false) }
		if err := out.check(a, subset); err != nil {
			return err
		}
		r, err := a.gate(subset, out.laidOut())
		if err != nil {
			return out.explain(a, err)
		}
		r.allowed = allowed
		if err := out.emit(a, r); err != nil {
			return err
		}
		if subset != "" {
			if err := writeSubset(subset, &r.pairs[0], r.drifts); err != nil {
				return err
			}
		}
		if r.failed() {
			return errDrift
		}
		return nil
	}
	return cmd
}

// gate reads both sides and compares them.
func (a *app) gate(subset string, full bool) (*report, error) {
	w, err := a.load(nil)
	switch {
	case err != nil:
		return nil, err
	case !w.exists:
		return nil, a.noLockfile()
	case w.folder && subset != "":
		return nil, fail("--subset goes with one manifest, not with a folder")
	}
	return a.report(w, full), nil
}

// hook is verify for an agent: exit 0 or 2, nothing on standard output, and on
// standard error only what may reach a model.
func (a *app) hook(cmd *cobra.Command) error {
	for _, flag := range []string{"warn", "allow", "subset", "format", "report"} {
		if cmd.Flags().Changed(flag) {
			return fail("--hook and --%s don't go together: a hook blocks or it doesn't", flag)
		}
	}
	if a.manifest == "-" {
		return fail("--hook doesn't read standard input: that is the agent's")
	}
	w, err := a.load(nil)
	if err == nil && !w.exists {
		err = a.noLockfile()
	}
	if err != nil {
		writeHookError(a.stderr, err, a.next()) // exit 2 says it too
		return errTold
	}
	r := a.report(w, false)
	if !r.failed() {
		return nil
	}
	writeHook(a.stderr, r)
	return errTold
}

// checkOutput refuses to write over an input.
func (a *app) checkOutput(flag, path string, others ...string) error {
	if path == "" || path == "-" {
		return fail("%s needs a file", flag)
	}
	for _, other := range others {
		if other != "" && sameFile(path, other) {
			return fail("%s %s: two outputs, or an input, with one name", flag, printable(path))
		}
	}
	if in, ok := a.stdin.(*os.File); ok && a.manifest == "-" {
		x, errX := in.Stat()
		y, errY := os.Stat(path)
		if errX == nil && errY == nil && os.SameFile(x, y) {
			return fail("%s %s: that is an input; it is never written", flag, printable(path))
		}
	}
	for _, input := range []string{a.manifest, a.lockPath} {
		if sameFile(path, input) || isFolder(a.manifest) && sameFile(parentOf(path), a.manifest) {
			return fail("%s %s: that is an input; it is never written", flag, printable(path))
		}
	}
	return nil
}

func parentOf(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i > 0 {
		return path[:i]
	}
	return "."
}

// writeSubset writes the definitions that match their pins, in the order of the
// manifest, as a list that a gateway or an agent can be served instead.
func writeSubset(path string, p *pair, drifts []drift) error {
	drifted := map[string]bool{}
	for i := range drifts {
		drifted[drifts[i].tool] = true
	}
	var pins []pin
	for _, found := range p.found.pins {
		if p.known && !drifted[found.name] {
			pins = append(pins, found)
		}
	}
	slices.SortFunc(pins, func(x, y pin) int {
		if x.line != y.line {
			return x.line - y.line
		}
		return x.column - y.column
	})
	list := make([][]byte, len(pins))
	for i, found := range pins {
		if list[i] = found.received; p.found.policy.shapes() {
			list[i] = found.definition
		}
	}
	data := bytes.Join([][]byte{[]byte(`{"tools":[`), bytes.Join(list, []byte(",")), []byte("]}\n")}, nil)
	return replaceFile(path, func() ([]byte, error) { return data, nil }, func() error { return nil })
}

func newDiff(a *app) *cobra.Command {
	var against string
	cmd := &cobra.Command{
		Use:   "diff MANIFEST [LOCKFILE]",
		Short: "The review: what exactly changed, tool by tool, word by word",
		Long: `Diff shows everything in which a saved tools/list differs from its pins, tool by
tool and word by word, the dangerous changes first. Where nothing is pinned yet it
shows every tool whole. With --against it compares two files without a lockfile,
or takes the approved texts for a lockfile that doesn't store them.
Exit codes: 0 no difference, 1 there are some, 2 no answer.`,
		Example: `  pinproof diff live.jsonl
  pinproof diff new.json --against old.json
  git show main:tools.lock | pinproof diff tools.lock --against -`,
		Args: cobra.ArbitraryArgs,
	}
	serverFlag(cmd, a)
	fromFlag(cmd, a)
	out := &output{}
	out.register(cmd)
	cmd.Flags().StringVar(&against, "against", "", "compare with this `FILE`, a manifest or a lockfile, - for standard input")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.take(cmd, args); err != nil {
			return err
		}
		if cmd.Flags().Changed("against") {
			if against == "" {
				return fail("--against needs a file")
			}
			if against == "-" && a.manifest == "-" {
				return fail("only one of MANIFEST and --against can be standard input")
			}
			if a.from != "" {
				return fail("--against and --from don't go together")
			}
		}
		out.plain = func(w io.Writer, r *report) error { return writeDiff(w, r, false) }
		out.text = func(w io.Writer, r *report) error { return writeDiff(w, r, a.colored()) }
		if err := out.check(a, against); err != nil {
			return err
		}
		r, exists, err := a.compare(against)
		if err != nil {
			return out.explain(a, err)
		}
		if err := out.emit(a, r); err != nil {
			return err
		}
		switch {
		case !exists:
			return a.noLockfile()
		case r.failed():
			return errDrift
		}
		return nil
	}
	return cmd
}

// compare reads what diff is given and compares it. exists is false if there is no
// lockfile: then every tool is shown whole, so that the first approval isn't blind.
func (a *app) compare(against string) (r *report, exists bool, err error) {
	if against != "" && !a.lockGiven {
		a.against = against
		r, err = a.diffFiles(against)
		return r, true, err
	}
	w, err := a.load(nil)
	if err != nil {
		return nil, false, err
	}
	if w.exists && against != "" {
		if err := a.supplyTexts(w, against); err != nil {
			return nil, false, err
		}
	}
	return a.report(w, true), w.exists, nil
}

// supplyTexts puts the definitions of an approved manifest into hash-only pins,
// after holding each against its digest.
func (a *app) supplyTexts(w *workspace, path string) error {
	if w.folder {
		return fail("--against beside a lockfile goes with one manifest, not with a folder")
	}
	p := &w.pairs[0]
	data, err := readFile(path, a.stdin, maxManifestBytes)
	if err != nil {
		return err
	}
	m, err := parseManifest(path, data, p.pinned.policy.emptyCursorEnds)
	if err != nil {
		return err
	}
	approved, err := pinManifest(m, p.server, p.pinned.policy)
	if err != nil {
		return err
	}
	pins := slices.Clone(p.pinned.pins)
	for i := range pins {
		text := approved.find(pins[i].name)
		if text == nil || text.digest != pins[i].digest {
			return failIn(printable(path), "not what was approved: tool %s doesn't have the pinned digest %s", quotedName(pins[i].name), pins[i].digest).
				hint("use the capture that was locked")
		}
		pins[i].definition = text.definition
	}
	p.pinned.pins = pins
	return nil
}

// side is one file of a comparison without a lockfile: a manifest or a lockfile.
type side struct {
	path  string
	sets  []pinset // one without a label for a manifest
	about string
	bare  bool // a manifest
}

func (a *app) readSide(path string, pol *policy) (side, error) {
	s := side{path: path}
	data, err := readFile(path, a.stdin, maxLockfileBytes)
	if err != nil {
		return s, err
	}
	l, lockErr := parseLockfile(path, data)
	if lockErr == nil {
		s.sets = l.servers
		return s, nil
	}
	if isLockfile(data) {
		return s, lockErr
	}
	under := policy{}
	if pol != nil {
		under = *pol
	}
	m, err := parseManifest(path, data, under.emptyCursorEnds)
	if err != nil {
		return s, err
	}
	s.about, s.bare = m.about, true
	set, err := pinManifest(m, "", under)
	s.sets = []pinset{set}
	return s, err
}

// diffFiles compares two files side by side.
func (a *app) diffFiles(against string) (*report, error) {
	old, err := a.readSide(against, nil)
	if err != nil {
		return nil, err
	}
	now, err := a.readSide(a.manifest, nil)
	if err != nil {
		return nil, err
	}
	if old.bare != now.bare {
		locked, listed := &old, &now
		if !now.bare {
			locked, listed = &now, &old
		}
		l := lockfile{servers: locked.sets}
		label, _ := serverLabel(baseName(listed.path))
		server, err := a.chooseServer(&l, locked.path, label)
		if err != nil {
			return nil, err
		}
		set := l.find(server)
		if set == nil {
			return nil, fail("%s has no server %s", printable(locked.path), quotedName(server))
		}
		locked.sets = []pinset{*set}
		if !set.policy.isDefault() {
			if *listed, err = a.readSide(listed.path, &set.policy); err != nil {
				return nil, err
			}
		}
		listed.sets[0].server = server
	}
	w := &workspace{}
	labels := map[string]*pair{}
	for _, s := range old.sets {
		labels[s.server] = &pair{server: s.server, pinned: s, known: true}
	}
	for _, s := range now.sets {
		p := labels[s.server]
		if p == nil {
			p = &pair{server: s.server}
			labels[s.server] = p
		}
		p.found, p.present, p.manifest, p.about = s, true, now.path, now.about
	}
	for _, p := range labels {
		if a.serverGiven && p.server != "" && p.server != a.server {
			continue
		}
		p.pinned.server, p.found.server = p.server, p.server
		w.pairs = append(w.pairs, *p)
	}
	slices.SortFunc(w.pairs, func(x, y pair) int { return compareUTF16(x.server, y.server) })
	if len(w.pairs) == 0 && a.serverGiven {
		return nil, fail("neither file has a server %s", quotedName(a.server))
	}
	r := newReport(w.pairs, lockfile{}, true)
	r.oldPath = against
	r.next = a.next()
	return r, nil
}
