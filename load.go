package main

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// A workspace is what a command works on: the lockfile and, server by server, what
// it pins and what the captures list.
type workspace struct {
	lock        lockfile.Lockfile
	lockPath    string
	exists      bool // the lockfile exists
	comparisons []pin.Comparison
	drifts      []pin.Drift
	folder      bool
}

// load reads both sides of a comparison and compares them. If the lockfile is missing and
// the command needs none, the workspace has nothing pinned.
func (a *app) load(req *request) (*workspace, error) {
	sources, err := readSources(req.Capture, req.lockPath, a.stdin)
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
	if w.folder = sources[0].path != req.Capture; !w.folder {
		sources[0].scan.Part = req.part
		if err := sources[0].scan.Faulty(); err != nil { // reported before a doubt about the server
			return nil, req.swapped(err)
		}
	}
	switch {
	case w.exists && req.needsPins && req.Server != "" && w.lock.Find(req.Server) == nil:
		return nil, req.unknownServer(&w.lock)
	case !w.folder:
		label, err := req.chooseServer(&w.lock, req.lockPath, sources[0].label)
		if err != nil {
			return nil, w.sayTwin(req, sources[0], err)
		}
		sources[0].label = label
	}
	if err := w.pair(req, sources); err != nil {
		return nil, err
	}
	if only := w.onlyServer(req); only != "" {
		sources[0].label, w.comparisons = only, nil
		if err := w.pair(req, sources); err != nil {
			return nil, err
		}
	}
	if !w.exists && req.needsPins {
		return nil, req.noLockfile()
	}
	if w.drifts = compareAll(w.comparisons); req.part {
		w.drifts = comparePart(w.comparisons)
	}
	return w, nil
}

// pair puts what the captures list beside what is pinned.
func (w *workspace) pair(req *request, sources []source) error {
	wanted := func(server string) bool { return !w.folder || req.Server == "" || server == req.Server }
	for i, s := range sources {
		if wanted(s.label) {
			p, err := w.pairOf(req, s)
			if err != nil {
				return err
			}
			if w.folder {
				sources[i].scan = nil // its memory is free as soon as its pins are made
			}
			w.comparisons = append(w.comparisons, p)
		}
	}
	for _, set := range w.lock.Servers {
		if w.folder && wanted(set.Server) && !slices.ContainsFunc(sources, func(s source) bool { return s.label == set.Server }) {
			w.comparisons = append(w.comparisons, pin.Comparison{Server: set.Server, Locked: set, Known: true, Missing: true})
		}
	}
	slices.SortFunc(w.comparisons, func(x, y pin.Comparison) int { return jsontree.CompareUTF16(x.Server, y.Server) })
	if len(w.comparisons) == 0 {
		return fail.New("--server %s: neither %s nor %s has it", text.Name(req.Server), text.Printable(req.Capture), text.Printable(req.lockPath))
	}
	for _, s := range req.substitutes {
		if !slices.ContainsFunc(w.comparisons, func(p pin.Comparison) bool { return slices.Contains(p.Captured.Policy.Substitute, s.Name) }) {
			f := fail.New("--substitute %s: the pins were made without it", s.Name)
			if w.folder {
				return f.Hint("to make the pins of a server anew with it, name its file: pinproof relock CAPTURE --server ID --substitute %s=VALUE", s.Name)
			}
			return f.Hint("to make them anew with it: %s", req.To("relock"))
		}
	}
	w.describe()
	if req.part && !w.folder {
		w.comparisons[0].Unrelated = false // a part may have no entry of the others
	}
	return nil
}

// describe fills in what can be said of both sides together.
func (w *workspace) describe() {
	for i := range w.comparisons {
		p := &w.comparisons[i]
		p.Locked.Digest, p.Captured.Digest = setDigest(&p.Locked), setDigest(&p.Captured)
		p.Unrelated = looksLikeAnother(p)
	}
	for i := range w.comparisons {
		p := &w.comparisons[i]
		if like, same, _ := w.like(p); same {
			p.Twin = like
		}
	}
}

// pairOf pins a capture under its server's policy and puts it beside the recorded pins.
func (w *workspace) pairOf(req *request, s source) (pin.Comparison, error) {
	p := pin.Comparison{Server: s.label, Capture: s.path, Present: true}
	if set := w.lock.Find(s.label); set != nil {
		p.Locked, p.Known = *set, true
	}
	pol := req.policy(p.Locked.Policy, w.folder, p.Known)
	m, err := s.scan.Capture(pol)
	if err == nil {
		p.Captured, err = capture.Pins(m, s.label, pol, req.substitutes, formOf)
	}
	if err == nil && !req.part {
		err = req.missingList(&m, &p.Locked, pol, w.folder)
	}
	if err != nil {
		return p, req.swapped(err)
	}
	p.About, p.Noise = m.About, m.Noise
	if label, ok := serverLabel(filepath.Base(s.path)); ok {
		p.FileLabel = label
	}
	if bad := falseSanitized(p.Locked, p.Captured); bad != nil {
		return p, fail.In(text.Printable(w.lockPath)+":"+strconv.Itoa(bad.Line), "server %s: pin %s: its sanitizedDigest is not that of its definition",
			text.Name(p.Server), text.Name(bad.Name))
	}
	return p, nil
}

// lockfileOf returns the lockfile without parsing it, if its bytes are exactly those that
// lock writes for these captures by default, with what it records of their approval. That
// is the usual case of verify.
func lockfileOf(path string, sources []source) (l lockfile.Lockfile, ok bool) {
	if size := fileSize(path); size < 0 || size > jsontree.MaxLockfileBytes || len(sources) > jsontree.MaxEntries {
		return l, false // and a pipe could not be read again
	}
	f, err := os.Open(path)
	if err != nil {
		return l, false
	}
	defer f.Close()
	file := bufio.NewReaderSize(f, 64<<10)
	for _, s := range sources { // sorted by label, none twice
		label := s.label
		if len(sources) == 1 {
			label = lockfile.FirstServer(file)
		}
		m, err := s.scan.Capture(pin.Policy{})
		if err != nil {
			return lockfile.Lockfile{}, false
		}
		set, err := capture.Pins(m, label, pin.Policy{}, nil, formOf)
		if err != nil || label == "" || len(label) > jsontree.MaxLabelBytes || set.Repeated() {
			return lockfile.Lockfile{}, false
		}
		for i := range set.Pins {
			set.Pins[i].Received, set.Pins[i].Column = nil, 0
		}
		l.Servers = append(l.Servers, set)
	}
	if len(sources) == 0 || !l.IsExactly(file) {
		return lockfile.Lockfile{}, false
	}
	return l, true
}

// nearestLockfile is the lockfile of a command that is given none: tools.lock in this
// folder, else in the nearest folder above it in its repository. It looks no higher, nor
// above a folder in no repository: what lies there anyone may have put there.
func nearestLockfile() (path string) {
	for folder := "."; ; {
		at := filepath.Join(folder, shell.DefaultLockfile)
		if _, err := os.Lstat(at); path == "" && !errors.Is(err, fs.ErrNotExist) {
			path = at
		}
		_, notRoot := os.Lstat(filepath.Join(folder, ".git"))
		if notRoot == nil || path == shell.DefaultLockfile {
			return cmp.Or(path, shell.DefaultLockfile)
		}
		above := filepath.Join(folder, "..")
		if !isFolder(above) || sameFile(folder, above) {
			return shell.DefaultLockfile
		}
		folder = above
	}
}

// readLockfile reads a lockfile. text is its bytes, or nil if there is no such file.
func readLockfile(path string) (l lockfile.Lockfile, s []byte, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if dir := filepath.Dir(path); !isFolder(dir) {
			return l, nil, fail.In(text.Printable(dir), "no such folder, for the lockfile %s", text.Printable(filepath.Base(path)))
		}
		return l, nil, nil
	}
	if isFolder(path) {
		return l, nil, fail.In(text.Printable(path), "a folder, where the lockfile belongs").
			Hint("the capture or folder comes first, the lockfile second: pinproof COMMAND CAPTURE LOCKFILE")
	}
	if s, err = readFile(path, nil, jsontree.MaxLockfileBytes); err != nil {
		return l, nil, err
	}
	if l, err = lockfile.Read(path, s, formOf); err != nil && !lockfile.Recognize(s) {
		if _, isCapture := capture.Read(path, s, formOf, pin.Policy{}); isCapture == nil {
			err = captureAsLockfile(path)
		}
	}
	return l, s, err
}

// captureAsLockfile is the error for a capture that was given for the lockfile.
func captureAsLockfile(path string) *fail.Error {
	f := fail.In(text.Printable(path), "a capture, where the lockfile belongs").
		Hint("several captures? put them in one folder, or lock them one by one: pinproof lock CAPTURE LOCKFILE --server ID")
	f.IsCapture = true
	return f
}

// missingList refuses a capture that never asked for a list that the lockfile pins: there
// is neither a match nor drift.
func (req *request) missingList(m *capture.Capture, pinned *pin.Set, pol pin.Policy, folder bool) error {
	for list := range pin.EntryTypes {
		pins := pinned.Of(list)
		if len(pins) == 0 || !pol.Pins(list) || m.Lists[list].Answered || m.Lists[list].Problem != nil {
			continue
		}
		next := req.Command
		if folder {
			next.Server = pinned.Server
		}
		return fail.In(text.Printable(m.Path), "no answer to %s in it; %s pins %s", pin.EntryTypeInfo[list].Method, text.Printable(req.lockPath), pin.CountPins(pins)).
			Hint("capture it whole: pinproof-capture %s -- COMMAND", shell.Path(m.Path)).
			Hint("or pin nothing but the tools of this server from now on: %s", next.Instead("relock", "--resources", "--tools-only"))
	}
	return nil
}

// swapped returns a better error than err if the capture and the lockfile are mixed up.
func (req *request) swapped(err error) error {
	if fileSize(req.Capture) < 0 {
		return err // only a regular file can be read again: on a pipe, reading would never end
	}
	data, readErr := readFile(req.Capture, nil, jsontree.MaxLockfileBytes)
	if readErr != nil {
		return err
	}
	if !lockfile.Recognize(data) {
		if f, ok := errors.AsType[*fail.Error](err); ok && f.IsCapture && req.verb == "diff" {
			f.Hints = nil
			return f.Hint("to compare two captures: pinproof diff %s --against %s", shell.Path(req.lockPath), shell.Path(req.Capture))
		}
		return err
	}
	capture := "CAPTURE"
	if req.Lockfile != "" {
		capture = shell.Path(req.Lockfile)
	}
	return fail.In(text.Printable(req.Capture), "a lockfile, where a saved tools/list belongs").
		Hint("the capture comes first: pinproof %s %s %s", req.verb, capture, shell.Path(req.Capture))
}

// noLockfile is the error for a command that needs pins, where there are none.
func (req *request) noLockfile() *fail.Error {
	f := fail.In(text.Printable(req.lockPath), "no such lockfile")
	if req.verb == "diff" { // its report shows the entries as well
		return f.Hint("to approve what is shown: %s", req.To("lock"))
	}
	return f.Hint("read what is to be pinned: %s", req.To("diff")).Hint("then approve it: %s", req.To("lock"))
}

// input is what the report is made of, but for the findings and the verdict.
func (w *workspace) input(req *request) report.Input {
	in := report.Input{
		Lockfile: w.lockPath, Comparisons: w.comparisons, Drifts: w.drifts, Next: req.Command, Others: w.lock.Labels(),
		Part: req.part, Guessed: !w.folder && req.Server == "", Expect: expectations(w.comparisons), ApprovalHash: approvalHash,
		Only: req.narrow(),
	}
	in.OnlyFlags, in.OnlyNames = req.onlyAgain()
	return in
}

// read lists the findings of the comparison; see lint.Read.
func (w *workspace) read(all bool) []lint.Finding {
	return lint.Read(w.comparisons, w.drifts, w.lock.Servers, all)
}

// report makes the report of a command that shows all of the drift.
func (w *workspace) report(req *request) *report.Report {
	in := w.input(req)
	in.Findings = w.read(true)
	return w.judged(in, leniency{})
}

// judged is the report of a comparison, which is judged here.
func (w *workspace) judged(in report.Input, allow leniency) *report.Report {
	return report.New(w.decided(in, allow))
}

// decided is the input of a report with its verdict.
func (w *workspace) decided(in report.Input, allow leniency) report.Input {
	if missing := unanswered(in.Comparisons, allow); len(missing) > 0 && in.NoAnswer == nil {
		in.NoAnswer = missingCapture(missing, w.lockPath, in.Next)
	}
	in.Matches, in.Failed = judge(w.comparisons, w.drifts, countBlocking(in.Findings, in.Review), allow)
	in.ExitCode = codeOf(answerOf(in.NoAnswer, in.Failed))
	return in
}

// missingCapture is the error for pinned servers that a folder has no capture of.
func missingCapture(missing []pin.Comparison, lockPath string, next shell.Command) *fail.Error {
	folder, names := text.Printable(next.Capture), []string{}
	for _, p := range missing {
		names = append(names, text.Name(p.Server))
	}
	const most = 6
	first := missing[0].Server
	f := fail.In(folder, "no capture of server %s, which %s pins", names[0], text.Printable(lockPath))
	if len(missing) > 1 {
		f = fail.In(folder, "no capture of %s that %s pins: %s", text.Count(len(missing), "server"), text.Printable(lockPath), text.List(names, most))
	}
	if file := filepath.Join(next.Capture, url.PathEscape(first)+".jsonl"); shell.PasteableLabel(first) {
		f.Hint("capture it: pinproof-capture %s -- COMMAND", shell.Path(file))
	}
	return f.Hint("to retire it: %s", next.Retire(first)).
		Hint("in a job that captures a part: %s", next.To("verify", "--allow missing"))
}

// outranks returns the error of a run that has no answer about some servers, and ended with
// err about the others. A refusal is said all the same.
func outranks(noAnswer, err error) error {
	refused, ok := errors.AsType[*fail.Error](err)
	switch {
	case noAnswer == nil, err != nil && !errors.Is(err, fail.ErrDrift):
		return err
	case !ok:
		return noAnswer
	}
	both := *fail.From(noAnswer)
	both.Hints = slices.Concat([]string{refused.Text}, refused.Hints, both.Hints)
	return &both
}

// countBlocking counts the warnings that fail a run although every entry matches: those in
// text that no pin covers and, where a review is asked for, those that aren't on record.
func countBlocking(findings []lint.Finding, review bool) (n int) {
	for i := range findings {
		if findings[i].Blocks(review) {
			n++
		}
	}
	return n
}
