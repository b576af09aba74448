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

const (
	NewSuffix = ".new"           // LOCKFILE.new
	Patience  = 10 * time.Second // how long a writer waits for another one
)

// Replace writes a file whole or not at all. LOCKFILE.new, created exclusively beside
// it, is lock and temporary file in one. While it exists, update reads the file as it is
// now and returns the new bytes, or nil to leave it alone. Another writer is waited for as
// long as patience. A patience of 0 is for a file that keeps nothing of the old one: there
// is no lock, and the temporary file has a random name. announce is called when the bytes
// are safe on disk and only the rename is left; if it fails, nothing is replaced.
func Replace(path string, patience time.Duration, update func() ([]byte, error), announce func() error) error {
	target, old, err := replaceable(path)
	if err != nil {
		return err
	}
	temp := target + NewSuffix
	said := temp
	if patience == 0 {
		// os.CreateTemp makes files that only their owner can read, whatever the umask.
		temp, said = filepath.Join(filepath.Dir(target), ".pinproof-"+rand.Text()+NewSuffix), path
	}
	mode := fs.FileMode(0o644) // less the umask
	if old != nil {
		mode = old.Mode().Perm()
	}

	// A signal between here and the rename would leave the temporary file behind. Once
	// that exists, signals are ignored: the critical section is short.
	signals := make(chan os.Signal, 4)
	var f *os.File
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		if f, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
			break
		}
		signal.Stop(signals)
		switch {
		case len(signals) > 0:
			return fail.New("interrupted while waiting for %s; nothing was written", text.Printable(temp))
		case !errors.Is(err, fs.ErrExist):
			return fail.Path(said, err)
		case time.Since(begin) > patience:
			return fail.New("%s is there: another pinproof is writing, or one was killed", text.Printable(temp)).
				Hint("if no other pinproof runs, delete it: rm %s", shell.Path(temp))
		}
	}
	defer signal.Stop(signals)
	renamed := false
	defer func() { // also when update panics: nothing stale may lock others out
		f.Close()
		if !renamed {
			os.Remove(temp)
		}
	}()

	data, err := update()
	if err != nil {
		return err
	}
	if data != nil {
		if err := fill(f, data, old); err != nil {
			return fail.Path(said, err)
		}
	}
	if err := announce(); err != nil || data == nil {
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		return fail.Path(path, err)
	}
	renamed = true
	// The rename is on disk once the folder is synced. Some systems can't sync a folder;
	// the file is whole either way.
	if dir, err := os.Open(filepath.Dir(target)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// Write writes a file whole or not at all. It takes no lock.
func Write(path string, data []byte) error {
	return Replace(path, 0, func() ([]byte, error) { return append([]byte{}, data...), nil }, func() error { return nil })
}

// replaceable follows links to the regular file that a write would replace. old is nil if
// there is none yet.
func replaceable(path string) (target string, old fs.FileInfo, err error) {
	if _, err := os.Lstat(path); err != nil {
		return path, nil, nil
	}
	if target, err = filepath.EvalSymlinks(path); err == nil {
		old, err = os.Stat(target)
	}
	switch {
	case err != nil:
		return "", nil, fail.Path(path, err)
	case !old.Mode().IsRegular():
		return "", nil, fail.In(text.Printable(path), "not a regular file")
	}
	return target, old, nil
}

// fill writes data to a new file with the mode of the old one, syncs and closes it.
func fill(f *os.File, data []byte, old fs.FileInfo) error {
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	_, err := f.Write(data)
	return cmp.Or(err, f.Sync(), f.Close())
}
