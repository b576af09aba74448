// Package atomicfile writes a file whole or not at all.
package atomicfile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// TempSuffix is the suffix of a lock, and of a file that is being written.
const TempSuffix = ".new"

// LockTimeout is how long a writer waits for another one, unless a test asks for less.
const LockTimeout = 10 * time.Second

// Replace replaces a file under a lock: PATH.new, which it creates exclusively next to the file. It waits up to
// patience for another writer. update reads the current file and returns the new bytes, or nil to leave the
// file unchanged. announce is called when the bytes are safely on disk, before the rename; if announce fails,
// nothing is replaced.
//
// The lock isn't the file with the new bytes. If it were and somebody deleted it, the rename could move the
// next writer's unfinished lock into place.
func Replace(path string, patience time.Duration, update func() ([]byte, error), announce func() error) error {
	w, err := open(path)
	if err != nil {
		return err
	}
	lock, err := acquire(w.target+TempSuffix, patience)
	if err != nil {
		return err
	}
	defer lock.end()
	data, err := update()
	if err != nil {
		return err
	}
	if data == nil {
		return announce()
	}
	err = w.write(data, func() error {
		if err := announce(); err != nil || lock.held() {
			return err
		}
		return lock.lost("nothing was written")
	})
	// If the lock is still in place, no other writer held it before the rename.
	if err != nil || lock.held() {
		return err
	}
	return lock.lost("what another pinproof wrote meanwhile may be lost")
}

// Write replaces a file, regardless of its old content and without a lock.
func Write(path string, data []byte) error {
	w, err := open(path)
	if err != nil {
		return err
	}
	return w.write(data, func() error { return nil })
}

// A writer is one write of a file.
type writer struct {
	path string // as the user gave it

	// The file that is replaced, after following symbolic links.
	target string

	// Information about the target; nil if the target doesn't exist yet.
	old fs.FileInfo
}

// open returns a writer for a path. It follows links to the regular file that the writer would replace.
func open(path string) (w writer, err error) {
	w.path = path
	w.target = path
	if _, err := os.Lstat(path); err != nil {
		return w, nil
	}
	if w.target, err = filepath.EvalSymlinks(path); err == nil {
		w.old, err = os.Stat(w.target)
	}
	if err != nil {
		return w, fail.PathError(path, err)
	}
	if !w.old.Mode().IsRegular() {
		return w, fail.NewAt(path, "not a regular file")
	}
	return w, nil
}

// write writes data to a temporary file, with the mode of the old one, and syncs it. If ready
// returns no error, the temporary file takes the target's place. That change is on disk once
// the folder is synced. Some systems can't sync a folder; the file is whole either way.
func (w *writer) write(data []byte, ready func() error) error {
	mode := fs.FileMode(newMode)
	if w.old != nil {
		mode = w.old.Mode().Perm()
	}
	// os.CreateTemp would make a file that only its owner can read, regardless of the umask.
	temp, err := create(filepath.Join(filepath.Dir(w.target), ".pinproof-"+rand.Text()+TempSuffix), mode)
	if err != nil {
		return fail.PathError(w.path, err)
	}
	defer temp.end()
	if w.old != nil {
		if err = temp.file.Chmod(mode); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if err == nil {
		_, err = temp.file.Write(data)
		err = cmp.Or(err, temp.file.Sync(), temp.file.Close())
	}
	if err != nil {
		return fail.PathError(w.path, err)
	}
	// Before anything is announced, find out whether a reader keeps the file from being replaced.
	if err := retry(busyPatience, isBusy, func() error { return replaceable(w.target) }); err != nil {
		return w.notWritten(err)
	}
	if err := ready(); err != nil {
		return err
	}
	if err := retry(busyPatience, isBusy, func() error { return os.Rename(temp.path, w.target) }); err != nil {
		return w.notWritten(err)
	}
	if dir, err := os.Open(filepath.Dir(w.target)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// notWritten returns the error of a write that left the old file as it was.
func (w *writer) notWritten(err error) error {
	told := fail.PathError(w.path, err)
	told.Text += "; nothing was written"
	return told
}

// busyPatience is how long a write keeps trying while another program has the file open: Windows doesn't let
// such a file be replaced. It is longer than a reader takes, and usually longer than a virus scanner takes.
const busyPatience = 2 * time.Second

// retry calls do until it succeeds, fails for a reason other than a file in use, or patience has passed.
func retry(patience time.Duration, isBusy func(error) bool, do func() error) error {
	begin := time.Now()
	for {
		err := do()
		if err == nil || !isBusy(err) || time.Since(begin) > patience {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A scratch is a temporary file: a lock, or new content before the rename.
type scratch struct {
	path    string
	file    *os.File
	created fs.FileInfo
	signals chan os.Signal
}

// newMode is the mode of a new file, less the umask.
const newMode = 0o644

// errInterrupted means that a signal came while no scratch existed.
var errInterrupted = errors.New("interrupted")

// create creates a scratch exclusively. While the scratch exists, signals are ignored, because a signal would
// leave it behind. That time is short.
func create(path string, mode fs.FileMode) (*scratch, error) {
	s := &scratch{path: path, signals: make(chan os.Signal, 4)}
	signal.Notify(s.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var err error
	if s.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
		s.created, err = s.file.Stat()
		return s, err
	}
	if signal.Stop(s.signals); len(s.signals) > 0 {
		return nil, errInterrupted
	}
	return nil, err
}

// acquire creates a lock. If another writer has it, acquire waits up to patience.
func acquire(path string, patience time.Duration) (*scratch, error) {
	var lock *scratch
	isLocked := func(err error) bool { return errors.Is(err, fs.ErrExist) }
	err := retry(patience, isLocked, func() (err error) {
		lock, err = create(path, newMode)
		return err
	})
	switch {
	case err == nil:
		return lock, nil
	case errors.Is(err, errInterrupted):
		return nil, fail.New("interrupted while waiting for %s; nothing was written", text.Printable(path))
	case isLocked(err):
		return nil, fail.New("%s is there: another pinproof is writing, or one was killed", text.Printable(path)).
			Hint("look first: is another pinproof still running?").
			Hint("only if none is, delete it: %s", shell.DeleteCommand(path))
	}
	return nil, fail.PathError(path, err)
}

// held reports whether the file that we created is still in its place. While it is open, no
// other file can have its identity.
func (s *scratch) held() bool {
	there, err := os.Lstat(s.path)
	return err == nil && os.SameFile(s.created, there)
}

// lost returns the error for a lock that was lost.
func (s *scratch) lost(outcome string) error {
	return fail.NewAt(s.path, "somebody deleted it while it was in use; %s", outcome).
		Hint("look first: is another pinproof still running? If none is, do this again")
}

// end removes the scratch if it is still in place, also after a panic, because a stale lock would block other
// writers. A file that took the place of a deleted lock belongs to another writer, and stays.
func (s *scratch) end() {
	held := s.held()
	s.file.Close()
	if held {
		os.Remove(s.path)
	}
	signal.Stop(s.signals)
}
