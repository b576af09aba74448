package workspace

import (
	"cmp"
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
func (w *Workspace) supplyTexts() error {
	if w.HasFolder {
		return fail.New("--against beside a lockfile takes one capture, not a folder")
	}
	p := &w.Comparisons[0]
	s, err := w.readSource(w.Against, "")
	if err != nil {
		return err
	}
	approved, err := w.pins(&s, p.Server, p.Locked.Policy)
	if err != nil {
		return err
	}
	for i := range p.Locked.Pins {
		pin := &p.Locked.Pins[i]
		s := approved.Find(pin.Key)
		if s == nil || s.Digest != pin.Digest || s.SanitizedDigest != pin.SanitizedDigest {
			return fail.NewAt(w.Against, "not what was approved: %s doesn't have the pinned digest %s, or not the sanitized one", capture.DescribeEntry(pin.Type, pin.Name), pin.Digest).
				Hint("use the capture that was locked")
		}
		pin.Definition = s.Definition
	}
	return nil
}

// A side is one of the two files or folders that diff --against compares without a lockfile argument.
type side struct {
	path     string
	pins     lockfile.Lockfile
	captures []source                   // nil if the side is a lockfile
	policy   pin.Policy                 // the captures' policy, if the other side is a lockfile
	read     map[string]capture.Capture // by server
}

func (w *Workspace) readSide(path string) (s side, err error) {
	s = side{path: path, read: map[string]capture.Capture{}}
	if IsFolder(path) {
		s.captures, err = w.readSources(path)
		return s, err
	}
	data, err := readFile(path, w.Stdin, lockfile.MaxBytes)
	switch {
	case err != nil:
	case lockfile.IsLockfile(data):
		if s.pins, err = lockfile.Read(path, data, w.Gate.HashDefinition, nil); err == nil {
			err = s.pins.CheckApprovals(path, w.Gate.ApprovalHash)
		}
	default:
		s.captures = []source{{path: path, scan: capture.Scan(path, data, w.Gate.HashDefinition)}}
		err = s.captures[0].scan.Err()
	}
	return s, err
}

// pinSides makes the pins of the captures on both sides. If both sides are captures, the pages of apps are compared as
// well, if either side has any.
func (w *Workspace) pinSides(old, new *side) error {
	sides := []*side{old, new}
	hasPages := map[string]bool{} // by server
	for _, s := range sides {
		for _, c := range s.captures {
			m, err := c.scan.Capture(s.policy)
			if err != nil {
				return err
			}
			s.read[c.server] = m
			hasPages[c.server] = hasPages[c.server] || m.HasAppPages()
		}
	}
	for _, s := range sides {
		for _, c := range s.captures {
			if old.captures != nil && new.captures != nil {
				s.policy.AppPages = hasPages[c.server]
			}
			set, err := capture.PinCapture(s.read[c.server], c.server, s.policy, w.Substitutes, w.Gate.HashDefinition)
			if err != nil {
				return err
			}
			s.pins.Servers = append(s.pins.Servers, set)
		}
	}
	return nil
}

// loadFiles reads two sides, an old one and a new one, and compares them. If one is a lockfile and
// the other a capture, the capture is pinned as the server in the lockfile that it belongs to, under
// that server's policy. Two captures are compared as those of one server without an ID. The captures of two folders are
// paired by their server IDs.
func (w *Workspace) loadFiles() error {
	w.LockPath = ""
	w.HasFolder = IsFolder(w.Capture)
	old, err := w.readSide(w.Against)
	if err != nil {
		return err
	}
	new, err := w.readSide(w.Capture)
	if err != nil {
		return err
	}
	if old.captures == nil && new.captures != nil {
		err = w.pairServer(&old, &new)
	}
	if old.captures != nil && new.captures == nil {
		err = w.pairServer(&new, &old)
	}
	if err != nil {
		return err
	}
	if err := w.pinSides(&old, &new); err != nil {
		return err
	}
	servers := slices.Concat(old.pins.ServerIDs(), new.pins.ServerIDs())
	slices.SortFunc(servers, jsontree.CompareUTF16)
	for _, server := range slices.Compact(servers) {
		if w.Server == "" || server == "" || server == w.Server {
			w.compareSides(&old, &new, server)
		}
	}
	if len(w.Comparisons) == 0 && w.Server != "" {
		return fail.New("neither file has a server %s", text.QuoteName(w.Server))
	}
	return nil
}

// pairServer removes from a lockfile all servers but the one that a capture belongs to, and gives the capture
// that server's ID and policy.
func (w *Workspace) pairServer(locked, captured *side) error {
	server, _ := serverOf(filepath.Base(captured.path))
	server, err := w.chooseServer(&locked.pins, locked.path, server)
	if err != nil {
		return err
	}
	set := locked.pins.Find(server)
	if set == nil {
		return fail.New("%s has no server %s", text.Printable(locked.path), text.QuoteName(server))
	}
	captured.captures[0].server = server
	captured.policy = set.Policy
	locked.pins.Servers = []pin.Set{*set}
	return nil
}

// compareSides adds the comparison of one server.
func (w *Workspace) compareSides(old, new *side, server string) {
	lockfiles := old.captures == nil && new.captures == nil
	before := old.pins.Find(server)
	after := new.pins.Find(server)
	p := pin.Comparison{Server: server, LockfilePath: old.path, BothLockfiles: lockfiles, State: pin.StateOf(before != nil, after != nil)}
	if before != nil && after != nil && old.captures != nil && new.captures != nil {
		w.dropUnanswered(old, new, before, after)
	}
	p.Locked = *cmp.Or(before, &pin.Set{})
	if after != nil {
		p.Captured = *after
		p.CapturePath = new.path
		unclean := lockfile.FirstUnclean(after)
		if unclean != nil && new.captures == nil {
			p.State = pin.ServerForbiddenPin
			w.ForbiddenError = forbidden(new.path, after, unclean)
		}
	}
	w.Comparisons = append(w.Comparisons, p)
}

// dropUnanswered removes from two captures of a server the lists that either capture has no response for,
// because these can't be compared.
func (w *Workspace) dropUnanswered(old, new *side, before, after *pin.Set) {
	for entryType := range pin.EntryTypeCount {
		server := before.Server
		answered := old.read[server].Lists[entryType].Answered && new.read[server].Lists[entryType].Answered
		if answered || len(before.PinsOf(entryType))+len(after.PinsOf(entryType)) == 0 {
			continue
		}
		member := pin.EntryTypeInfo[entryType].Member
		if !slices.Contains(w.Uncompared, member) {
			w.Uncompared = append(w.Uncompared, member)
		}
		before.Drop(entryType)
		after.Drop(entryType)
	}
}
