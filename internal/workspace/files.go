package workspace

import (
	"io"
	"path/filepath"
	"slices"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// supplyTexts puts the definitions of an approved capture into hash-only pins,
// after checking each against its digest.
func (w *Workspace) supplyTexts(req *Request, stdin io.Reader) error {
	if w.Folder {
		return fail.New("--against beside a lockfile goes with one capture, not with a folder")
	}
	p := &w.Comparisons[0]
	data, err := readFile(req.Against, stdin, jsontree.MaxCaptureBytes)
	if err != nil {
		return err
	}
	approved, _, err := w.pinsOf(req, capture.Scan(req.Against, data, w.Gate.Form), p.Server, p.Locked.Policy)
	if err != nil {
		return err
	}
	p.Locked.Put(slices.Clone(p.Locked.Pins))
	for i := range p.Locked.Pins {
		pin := &p.Locked.Pins[i]
		s := approved.Find(pin.Key)
		if s == nil || s.Digest != pin.Digest {
			return fail.In(text.Printable(req.Against), "not what was approved: %s doesn't have the pinned digest %s", capture.EntryNamed(pin.Type, pin.Name), pin.Digest).
				Hint("use the capture that was locked")
		}
		pin.Definition = s.Definition
	}
	return nil
}

// pinsOf pins a capture under a server's label and policy.
func (w *Workspace) pinsOf(req *Request, scan *capture.Scanned, server string, pol pin.Policy) (set pin.Set, m capture.Capture, err error) {
	if m, err = scan.Capture(pol); err == nil {
		set, err = capture.Pins(m, server, pol, req.Substitutes, w.Gate.Form)
	}
	return set, m, err
}

// A side is one file of a comparison without a lockfile: a capture or a lockfile.
type side struct {
	path string
	pins lockfile.Lockfile // of a capture: one server without a label
	scan *capture.Scanned  // of a capture; nil for a lockfile
	m    capture.Capture
}

func (w *Workspace) readSide(req *Request, path string, stdin io.Reader) (s side, err error) {
	s.path = path
	data, err := readFile(path, stdin, jsontree.MaxLockfileBytes)
	if err != nil {
		return s, err
	}
	if lockfile.Recognize(data) {
		s.pins, err = lockfile.Read(path, data, w.Gate.Form)
		return s, err
	}
	s.scan = capture.Scan(path, data, w.Gate.Form)
	return s, w.pinSide(req, &s, "", pin.Policy{})
}

// pinSide pins the capture of a side under a server's label and policy.
func (w *Workspace) pinSide(req *Request, s *side, server string, pol pin.Policy) error {
	set, m, err := w.pinsOf(req, s.scan, server, pol)
	s.pins, s.m = lockfile.Lockfile{Servers: []pin.Set{set}}, m
	return err
}

// loadFiles reads two files side by side, an old one and a new one, and compares them.
func (w *Workspace) loadFiles(req *Request, stdin io.Reader) error {
	w.LockPath = ""
	old, err := w.readSide(req, req.Against, stdin)
	if err != nil {
		return err
	}
	new, err := w.readSide(req, req.Capture, stdin)
	switch {
	case err != nil:
	case old.scan != nil && new.scan != nil:
		for list := range pin.EntryTypes { // a list that only one of them asked for can't be compared
			x, y := &old.pins.Servers[0], &new.pins.Servers[0]
			answered := old.m.Lists[list].Answered && new.m.Lists[list].Answered
			if !answered && len(x.Of(list))+len(y.Of(list)) > 0 {
				w.Uncompared = append(w.Uncompared, pin.EntryTypeInfo[list].Member)
				x.Drop(list)
				y.Drop(list)
			}
		}
	case old.scan != nil:
		err = w.fit(req, &new, &old)
	case new.scan != nil:
		err = w.fit(req, &old, &new)
	}
	if err != nil {
		return err
	}
	labels := slices.Concat(old.pins.Labels(), new.pins.Labels())
	slices.SortFunc(labels, jsontree.CompareUTF16)
	for _, server := range slices.Compact(labels) {
		if req.Server != "" && server != "" && server != req.Server {
			continue
		}
		p := pin.Comparison{Server: server, Lockfile: old.path}
		if set := old.pins.Find(server); set != nil {
			p.Locked, p.Known = *set, true
		}
		if set := new.pins.Find(server); set != nil {
			p.Captured, p.Present, p.Capture, p.About = *set, true, new.path, new.m.About.String()
		}
		w.Comparisons = append(w.Comparisons, p)
	}
	if len(w.Comparisons) == 0 && req.Server != "" {
		return fail.New("neither file has a server %s", text.Name(req.Server))
	}
	w.describe()
	return w.compare()
}

// fit narrows a lockfile down to the server that a capture belongs to, and pins the
// capture under the policy of that server.
func (w *Workspace) fit(req *Request, locked, captured *side) error {
	label, _ := serverLabel(filepath.Base(captured.path))
	server, question := req.chooseServer(&locked.pins, locked.path, label)
	if question != nil {
		return question
	}
	set := locked.pins.Find(server)
	if set == nil {
		return fail.New("%s has no server %s", text.Printable(locked.path), text.Name(server))
	}
	locked.pins = lockfile.Lockfile{Servers: []pin.Set{*set}}
	return w.pinSide(req, captured, server, set.Policy)
}
