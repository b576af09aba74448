package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A workspace is what a command works on: the lockfile and, server by server, what
// it pins and what the manifests list.
type workspace struct {
	lock     lockfile
	lockPath string
	exists   bool // the lockfile exists
	pairs    []pair
	drifts   []drift
	folder   bool
}

// load reads both sides of a comparison and compares them. If the lockfile is missing and
// the command needs none, the workspace has nothing pinned.
func (a *app) load(req *request) (*workspace, error) {
	sources, err := readSources(req.manifest, req.lockPath, a.stdin)
	w := &workspace{lockPath: req.lockPath}
	var lockErr error // reported before err
	if w.lock, w.exists = lockfileOf(req.lockPath, sources); !w.exists {
		var text []byte
		w.lock, text, lockErr = readLockfile(req.lockPath)
		w.exists = text != nil
	}
	switch {
	case lockErr != nil:
		return nil, req.swapped(lockErr)
	case err != nil:
		return nil, err
	}
	if w.folder = sources[0].path != req.manifest; !w.folder {
		if err := sources[0].scan.faulty(); err != nil { // reported before a doubt about the server
			return nil, req.swapped(err)
		}
	}
	switch {
	case w.exists && req.needsPins && req.server != "" && w.lock.find(req.server) == nil:
		return nil, req.unknownServer(&w.lock)
	case !w.folder:
		if sources[0].label, err = req.chooseServer(&w.lock, req.lockPath, sources[0].label); err != nil {
			return nil, err
		}
	}
	if err := w.pair(req, sources); err != nil {
		return nil, err
	}
	if !w.exists && req.needsPins {
		return nil, req.noLockfile()
	}
	w.drifts = compareAll(w.pairs)
	return w, nil
}

// pair puts what the manifests list beside what is pinned.
func (w *workspace) pair(req *request, sources []source) error {
	wanted := func(server string) bool { return !w.folder || req.server == "" || server == req.server }
	for i, s := range sources {
		if wanted(s.label) {
			p, err := w.pairOf(req, s)
			if err != nil {
				return err
			}
			sources[i].scan = nil // its memory is free as soon as its pins are made
			w.pairs = append(w.pairs, p)
		}
	}
	for _, set := range w.lock.servers {
		if w.folder && wanted(set.server) && !slices.ContainsFunc(sources, func(s source) bool { return s.label == set.server }) {
			w.pairs = append(w.pairs, pair{server: set.server, pinned: set, known: true})
		}
	}
	slices.SortFunc(w.pairs, func(x, y pair) int { return compareUTF16(x.server, y.server) })
	if len(w.pairs) == 0 {
		return fail("--server %s: neither %s nor %s has it", quotedName(req.server), printable(req.manifest), printable(req.lockPath))
	}
	for _, s := range req.substitutes {
		if !slices.ContainsFunc(w.pairs, func(p pair) bool { return slices.Contains(p.found.policy.substitute, s.name) }) {
			f := fail("--substitute %s: the pins were made without it", s.name)
			if w.folder {
				return f.hint("to make the pins of a server anew with it, name its file: pinproof relock MANIFEST --server ID --substitute %s=VALUE", s.name)
			}
			return f.hint("to make them anew with it: %s", req.to("relock"))
		}
	}
	describe(w.pairs)
	return nil
}

// describe fills in what can be said of both sides together.
func describe(pairs []pair) {
	for i := range pairs {
		p := &pairs[i]
		p.pinned.digest, p.found.digest = setDigest(&p.pinned), setDigest(&p.found)
		p.unrelated = looksLikeAnother(p)
	}
}

// pairOf pins a manifest under its server's policy and puts it beside the recorded pins.
func (w *workspace) pairOf(req *request, s source) (pair, error) {
	p := pair{server: s.label, manifest: s.path, present: true}
	if set := w.lock.find(s.label); set != nil {
		p.pinned, p.known = *set, true
	}
	pol := req.policy(p.pinned.policy, w.folder, p.known)
	m, err := s.scan.manifest(pol)
	if err == nil {
		p.found, err = pinManifest(m, s.label, pol, req.substitutes, formOf)
	}
	if err == nil {
		err = req.missingList(&m, &p.pinned, pol, w.folder)
	}
	if err != nil {
		return p, req.swapped(err)
	}
	p.about, p.noise = m.about, m.noise
	if label, ok := serverLabel(filepath.Base(s.path)); ok {
		p.fileLabel = label
	}
	if bad := falseSanitized(p.pinned, p.found); bad != nil {
		return p, failIn(printable(w.lockPath)+":"+strconv.Itoa(bad.line), "server %s: pin %s: its sanitizedDigest is not that of its definition",
			quotedName(p.server), quotedName(bad.name))
	}
	return p, nil
}

// lockfileOf returns the lockfile without parsing it, if its bytes are exactly those that
// lock writes for these manifests by default. That is the usual case of verify.
func lockfileOf(path string, sources []source) (l lockfile, ok bool) {
	if size := fileSize(path); size < 0 || size > maxLockfileBytes || len(sources) > maxEntries {
		return l, false // and a pipe could not be read again
	}
	f, err := os.Open(path)
	if err != nil {
		return l, false
	}
	defer f.Close()
	file, pins := bufio.NewReaderSize(f, 64<<10), 0
	for _, s := range sources { // sorted by label, none twice
		label := s.label
		if len(sources) == 1 {
			label = firstServer(file)
		}
		m, err := s.scan.manifest(policy{})
		if err != nil {
			return lockfile{}, false
		}
		set, err := pinManifest(m, label, policy{}, nil, formOf)
		// A pin takes two or three of the values that a lockfile may have: above this the
		// parser decides about its limit.
		pins += len(set.pins)
		if err != nil || label == "" || len(label) > maxLabelBytes || set.repeated() || pins > maxKept/4 {
			return lockfile{}, false
		}
		for i := range set.pins {
			set.pins[i].received, set.pins[i].parsed, set.pins[i].column = nil, nil, 0
		}
		l.servers = append(l.servers, set)
	}
	if len(sources) == 0 || !l.isWritten(file) {
		return lockfile{}, false
	}
	return l, true
}

// readLockfile reads a lockfile. text is its bytes, or nil if there is no such file.
func readLockfile(path string) (l lockfile, text []byte, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if dir := filepath.Dir(path); !isFolder(dir) {
			return l, nil, failIn(printable(dir), "no such folder, for the lockfile %s", printable(filepath.Base(path)))
		}
		return l, nil, nil
	}
	if isFolder(path) {
		return l, nil, failIn(printable(path), "a folder, where the lockfile belongs").
			hint("the manifest or folder comes first, the lockfile second: pinproof COMMAND MANIFEST LOCKFILE")
	}
	if text, err = readFile(path, nil, maxLockfileBytes); err != nil {
		return l, nil, err
	}
	if l, err = parseLockfile(path, text, formOf); err != nil && !isLockfile(text) {
		if _, isManifest := parseManifest(path, text, formOf, policy{}); isManifest == nil {
			err = manifestAsLockfile(path)
		}
	}
	return l, text, err
}

// manifestAsLockfile is the error for a manifest that was given for the lockfile.
func manifestAsLockfile(path string) *userError {
	f := failIn(printable(path), "a manifest, where the lockfile belongs").
		hint("several manifests? put them in one folder, or lock them one by one: pinproof lock MANIFEST LOCKFILE --server ID")
	f.isManifest = true
	return f
}

// missingList refuses a capture that never asked for a list that the lockfile pins: there
// is neither a match nor drift.
func (req *request) missingList(m *manifest, pinned *pinset, pol policy, folder bool) error {
	for list := range listKinds {
		pins := pinned.of(list)
		if len(pins) == 0 || !pol.pins(list) || m.lists[list].answered || m.lists[list].problem != nil {
			continue
		}
		next := req.command
		if folder {
			next.server = pinned.server
		}
		return failIn(printable(m.path), "no answer to %s in it; %s pins %s", listInfo[list].method, printable(req.lockPath), countPins(pins)).
			hint("capture it whole: pinproof-capture %s -- COMMAND", shellPath(m.path)).
			hint("or pin nothing but the tools of this server from now on: %s", next.instead("relock", "--resources", "--tools-only"))
	}
	return nil
}

// swapped returns a better error than err if the manifest and the lockfile are mixed up.
func (req *request) swapped(err error) error {
	if fileSize(req.manifest) < 0 {
		return err // only a regular file can be read again: on a pipe, reading would never end
	}
	data, readErr := readFile(req.manifest, nil, maxLockfileBytes)
	if readErr != nil {
		return err
	}
	if !isLockfile(data) {
		if f, ok := errors.AsType[*userError](err); ok && f.isManifest && req.verb == "diff" {
			f.hints = nil
			return f.hint("to compare two captures: pinproof diff %s --against %s", shellPath(req.lockPath), shellPath(req.manifest))
		}
		return err
	}
	manifest := "MANIFEST"
	if req.lockfile != "" {
		manifest = shellPath(req.lockfile)
	}
	return failIn(printable(req.manifest), "a lockfile, where a saved tools/list belongs").
		hint("the manifest comes first: pinproof %s %s %s", req.verb, manifest, shellPath(req.manifest))
}

// noLockfile is the error for a command that needs pins, where there are none.
func (req *request) noLockfile() *userError {
	f := failIn(printable(req.lockPath), "no such lockfile")
	if req.verb == "diff" { // its report shows the entries as well
		return f.hint("to approve what is shown: %s", req.to("lock"))
	}
	return f.hint("read what is to be pinned: %s", req.to("diff")).hint("then approve it: %s", req.to("lock"))
}

// input is what the report is made of, but for the findings and the verdict.
func (w *workspace) input(req *request) reportInput {
	return reportInput{
		lockfile: w.lockPath, pairs: w.pairs, drifts: w.drifts, next: req.command, others: w.lock.labels(),
		guessed: !w.folder && req.server == "", expect: expectations(w.pairs), approvalHash: approvalHash,
	}
}

// read lists the findings of the comparison; see readFindings.
func (w *workspace) read(all bool) []finding {
	return readFindings(w.pairs, w.drifts, w.lock.servers, all)
}

// report makes the report of a command that shows all of the drift.
func (w *workspace) report(req *request) *report {
	in := w.input(req)
	in.findings = w.read(true)
	return w.judged(in, leniency{})
}

// judged is the report of a comparison, which is judged here.
func (w *workspace) judged(in reportInput, allow leniency) *report {
	in.matches, in.failed = judge(w.pairs, w.drifts, countBlocking(in.findings, in.review), allow)
	in.exitCode = exitCodeOf(in.noAnswer, in.failed)
	return newReport(in)
}

// countBlocking counts the warnings that fail a run although every entry matches: those in
// text that no pin covers and, where a review is asked for, those that aren't on record.
func countBlocking(findings []finding, review bool) (n int) {
	for i := range findings {
		if findings[i].blocks(review) {
			n++
		}
	}
	return n
}
