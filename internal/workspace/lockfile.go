package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pinproof/internal/atomicfile"
	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// NearestLockfile returns the lockfile to use by default: tools.lock in a folder, else in the nearest folder above it
// in its repository. Anything of that name counts, even a folder or a broken link, so that a lockfile further up isn't
// used by mistake.
func NearestLockfile(folder string) (path string) {
	for _, at := range FoldersUpToRoot(folder) {
		path := filepath.Join(at, shell.DefaultLockfile)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return filepath.Join(folder, shell.DefaultLockfile)
}

// FoldersUpToRoot returns a folder and those above it, up to the root of its repository. For a folder in no
// repository it returns that folder alone: anyone may have put things into the folders above it.
func FoldersUpToRoot(folder string) []string {
	folders := []string{folder}
	root := RepositoryRoot(folder)
	for root != "" && folder != root {
		folder = filepath.Join(folder, "..")
		folders = append(folders, folder)
	}
	return folders
}

// RepositoryRoot returns the root of the repository that a folder is in, or "".
func RepositoryRoot(folder string) string {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folder
		}
		above := filepath.Join(folder, "..")
		if !IsFolder(above) || SameFile(folder, above) {
			return ""
		}
		folder = above
	}
}

// ReadLockfile reads a lockfile. data is its bytes, or nil if there is no such file. listed may be nil.
func ReadLockfile(gate pin.Gate, path string, listed lockfile.CapturedFunc) (l lockfile.Lockfile, data []byte, err error) {
	data, err = readFile(path, nil, lockfile.MaxBytes)
	switch {
	case err == nil:
	case fail.AsError(err).IsMissing && IsFolder(filepath.Dir(path)):
		return l, nil, nil
	case IsFolder(path):
		return l, nil, fail.NewAt(path, "a folder, where the lockfile belongs").
			Hint("the capture or folder comes first, the lockfile second: pinproof COMMAND CAPTURE LOCKFILE")
	default:
		return l, nil, err
	}
	l, err = lockfile.Read(path, data, gate.HashDefinition, listed)
	if err != nil && !lockfile.IsLockfile(data) {
		if _, notCapture := capture.Read(path, data, gate.HashDefinition, pin.Policy{}); notCapture == nil {
			err = fail.NewAt(path, "a capture, where the lockfile belongs").
				Hint("several captures? put them in one folder, or lock them one by one: pinproof lock CAPTURE LOCKFILE --server %s", shell.Placeholder("server ID")).
				Hint("to compare two captures: pinproof diff NEW --against OLD")
		}
	}
	if err == nil {
		err = l.CheckApprovals(path, gate.ApprovalHash)
	}
	return l, data, err
}

// pinsOf returns a function that makes the pins of a server's capture. A single capture may belong to any server. The
// function uses each capture only for the first server that needs it, because a lockfile may have many servers.
func (w *Workspace) pinsOf(sources []source) lockfile.CapturedFunc {
	unused := map[string]*source{}
	for i := range sources {
		unused[sources[i].server] = &sources[i]
	}
	return func(server string, pol pin.Policy) *pin.Set {
		s := unused[server]
		if len(sources) == 1 && cmp.Or(w.Server, server) == server {
			s = unused[sources[0].server]
		}
		if s == nil {
			return &pin.Set{}
		}
		delete(unused, s.server)
		set, _ := w.pins(s, server, pol) // without pins if there is an error
		return &set
	}
}

// unpinned returns an error if there is no lockfile, or if it lacks the server that --server names; otherwise
// nil.
func (w *Workspace) unpinned() error {
	if w.exists && (w.Server == "" || w.Lock.Find(w.Server) != nil) {
		return nil
	}
	if w.exists {
		has := cmp.Or(strings.Join(text.QuoteNames(w.Lock.ServerIDs()), ", "), "none")
		return fail.New("%s has no server %s; it has %s", text.Printable(w.LockPath), text.QuoteName(w.Server), has).
			Hint("to approve a new server: %s", w.ForVerb("lock"))
	}
	f := fail.NewAt(w.LockPath, "no such lockfile")
	if RepositoryRoot(filepath.Dir(w.LockPath)) != "" {
		f.Hint("if it was committed, restore it: git restore %s", shell.QuotePath(w.LockPath))
	}
	// With ShowsWithoutPins, the report itself shows the entries, and how to approve them.
	if w.ShowsWithoutPins {
		return f
	}
	f.Hint("read what is to be pinned: %s", w.ForVerb("diff"))
	if slices.ContainsFunc(w.Comparisons, func(p pin.Comparison) bool { return p.Captured.HasRepeatedName() }) {
		return f // lock would refuse
	}
	return f.Hint("then approve it: %s", w.ForVerb("lock"))
}

// IsLockfile reports whether a path is that of a pinproof lockfile, even a faulty one.
func IsLockfile(path string) bool { return lockfile.IsLockfile(readRegular(path, lockfile.MaxBytes)) }

// RecordApprovals records the approver and the time (RFC 3339, UTC) with each pin of next whose digest or denied mark
// differs from the lockfile, or that has lost its approval. Accepting a warning about a pinned text approves no
// definition. RecordApprovals removes the approval of an entry whose denied mark has changed, and an approval whose
// hash isn't that of the definition because it was given under another policy. SOURCE_DATE_EPOCH
// (reproducible-builds.org), if set, replaces the current time.
func (w *Workspace) RecordApprovals(next *pin.Set, approver string) error {
	for _, p := range lockfile.MismatchedApprovals(next, w.Gate.ApprovalHash) {
		p.Approval = nil
	}
	at := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" && approver != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 || seconds > 253402300799 {
			return fail.New("SOURCE_DATE_EPOCH %s: not a number of seconds", text.QuoteName(epoch))
		}
		at = time.Unix(seconds, 0)
	}
	old := cmp.Or(w.Lock.Find(next.Server), &pin.Set{})
	for i := range next.Pins {
		p := &next.Pins[i]
		before := cmp.Or(old.Find(p.Key), &pin.Pin{})
		if before.Denied != p.Denied {
			p.Approval = nil
		}
		isWritten := before.Digest != p.Digest || before.Denied != p.Denied || before.Approval != nil && p.Approval == nil
		if approver != "" && isWritten {
			p.Approval = &pin.Approval{By: approver, At: pin.ApprovalTime(at), Hash: w.Gate.ApprovalHash(next.Server, p), Digest: p.Digest}
		}
	}
	return nil
}

// denied lists the denied definitions of all servers.
func denied(servers []pin.Set) (list []string) {
	for _, s := range servers {
		for _, p := range s.Pins {
			if p.Denied {
				list = append(list, s.Server+" "+p.EntryRef()+" "+p.Digest)
			}
		}
	}
	return list
}

// Write replaces the pins of the servers in next in the lockfile; a nil set drops a server. It waits up to patience for
// the lockfile's lock, and reads the lockfile again. It writes nothing if the pins of these servers have changed since
// the review, or the denied entries of any server, because an accepted entry may resemble one of them. It keeps other
// servers' changed pins, provided that isSound, which may be nil, returns true. Before it replaces the lockfile, it
// calls announce, which prints what was done. If announce fails, it replaces nothing.
func (w *Workspace) Write(patience time.Duration, next map[string]*pin.Set, isSound func(locked []pin.Set) bool, announce func() error) error {
	if len(next) == 0 {
		return announce()
	}
	for _, set := range next {
		if set == nil {
			continue
		}
		if p := lockfile.FirstUnclean(set); p != nil {
			return fail.New("%s of server %s is refused by the policy (requireClean): it has hidden text: nothing was written", p.EntryRef(), text.QuoteName(set.Server)).
				Hint("if it may stay: %s", w.ForVerb("relock", "--require-clean=false")).AsDrift()
		}
	}
	same := func(x, y pin.Set) bool { return lockfile.StateText(&x) == lockfile.StateText(&y) }
	return atomicfile.Replace(w.LockPath, patience, func() ([]byte, error) {
		l, data, err := ReadLockfile(w.Gate, w.LockPath, nil)
		if err != nil {
			return nil, err
		}
		isReviewed := slices.EqualFunc(w.Lock.Servers, l.Servers, same) || slices.Equal(denied(w.Lock.Servers), denied(l.Servers)) && (isSound == nil || isSound(l.Servers))
		for server := range next {
			isReviewed = isReviewed && lockfile.StateText(w.Lock.Find(server)) == lockfile.StateText(l.Find(server))
		}
		if !isReviewed {
			return nil, fail.New("%s changed while it was reviewed: nothing was written", text.Printable(w.LockPath)).
				Hint("review again: %s", w.ForVerb("diff"))
		}
		w.Lock.Servers = slices.Clone(l.Servers)
		// Insert the servers in their order, so that most are appended.
		for _, server := range slices.Sorted(maps.Keys(next)) {
			if set := next[server]; set == nil {
				l.Drop(server)
			} else {
				l.Put(*set)
			}
		}
		written, err := lockfile.Marshal(l)
		if err != nil || bytes.Equal(written, data) {
			return nil, err
		}
		// A later run must read exactly the pins that were meant.
		again, err := lockfile.Read(w.LockPath, written, w.Gate.HashDefinition, nil)
		if err != nil {
			return nil, fail.New("the new lockfile can't be read back; nothing was written: %s", fail.AsError(err).Text)
		}
		if !slices.EqualFunc(again.Servers, l.Servers, same) {
			return nil, fail.New("the new lockfile doesn't say what was meant; nothing was written")
		}
		return written, nil
	}, announce)
}

// StateDigest returns the digest of a server's ID and of its entry in the lockfile.
func StateDigest(p *pin.Comparison) string {
	locked := p.Locked
	locked.Server = p.Server // set it even if the server has no pins
	return jsontree.Digest([]byte(lockfile.StateText(&locked)))
}
