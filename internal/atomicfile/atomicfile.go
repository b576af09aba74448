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

// NewSuffix ends the name of a file that is being written.
const NewSuffix = ".new"

// Patience is how long a writer waits for another one, unless a test asks for less.
const Patience = 10 * time.Second

// Replace changes a file. PATH.new, created exclusively beside it, is lock and temporary
// file in one. While it exists, update reads the file as it is now and returns the new
// bytes, or nil to leave the file alone. Another writer is waited for as long as patience.
// announce is called when the bytes are safe on disk and only the rename is left; if it
// fails, nothing is replaced.
func Replace(path string, patience time.Duration, update func() ([]byte, error), announce func() error) error {
	w, err := open(path)
	if err != nil {
		return err
	}
	w.temp = w.target + NewSuffix
	begin := time.Now()
	for err = w.create(); errors.Is(err, fs.ErrExist); err = w.create() {
		if time.Since(begin) > patience {
			return fail.New("%s is there: another pinproof is writing, or one was killed", text.Printable(w.temp)).
				Hint("if no other pinproof runs, delete it: rm %s", shell.Path(w.temp))
		}
		time.Sleep(20 * time.Millisecond)
	}
	switch {
	case errors.Is(err, errInterrupted):
		return fail.New("interrupted while waiting for %s; nothing was written", text.Printable(w.temp))
	case err != nil:
		return fail.Path(w.temp, err)
	}
	defer w.end()
	data, err := update()
	if err != nil {
		return err
	}
	if data != nil {
		if err := w.fill(data); err != nil {
			return fail.Path(w.temp, err)
		}
	}
	if err := announce(); err != nil || data == nil {
		return err
	}
	return w.rename()
}

// Write writes a file that keeps nothing of the old one. It takes no lock, so its
// temporary file has a name that no other writer has.
func Write(path string, data []byte) error {
	w, err := open(path)
	if err != nil {
		return err
	}
	// os.CreateTemp makes files that only their owner can read, whatever the umask.
	w.temp = filepath.Join(filepath.Dir(w.target), ".pinproof-"+rand.Text()+NewSuffix)
	if err := w.create(); err != nil {
		return fail.Path(path, err)
	}
	defer w.end()
	if err := w.fill(data); err != nil {
		return fail.Path(path, err)
	}
	return w.rename()
}

// A writer is one write of a file.
type writer struct {
	path    string      // as the user gave it
	target  string      // the file that is replaced, links followed
	old     fs.FileInfo // of the target; nil if there is none yet
	temp    string
	file    *os.File // the temporary file
	signals chan os.Signal
}

// open follows links to the regular file that a write would replace.
func open(path string) (*writer, error) {
	w := &writer{path: path, target: path, signals: make(chan os.Signal, 4)}
	if _, err := os.Lstat(path); err != nil {
		return w, nil
	}
	var err error
	if w.target, err = filepath.EvalSymlinks(path); err == nil {
		w.old, err = os.Stat(w.target)
	}
	switch {
	case err != nil:
		return nil, fail.Path(path, err)
	case !w.old.Mode().IsRegular():
		return nil, fail.In(text.Printable(path), "not a regular file")
	}
	return w, nil
}

// errInterrupted says that a signal came while no temporary file existed.
var errInterrupted = errors.New("interrupted")

// create makes the temporary file. A signal between here and the rename would leave it
// behind, so once it exists, signals are ignored: the critical section is short.
func (w *writer) create() (err error) {
	mode := fs.FileMode(0o644) // less the umask
	if w.old != nil {
		mode = w.old.Mode().Perm()
	}
	signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	w.file, err = os.OpenFile(w.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		return nil
	}
	if signal.Stop(w.signals); len(w.signals) > 0 {
		return errInterrupted
	}
	return err
}

// fill writes data to the temporary file with the mode of the old file, syncs and closes it.
func (w *writer) fill(data []byte) error {
	if w.old != nil {
		if err := w.file.Chmod(w.old.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	_, err := w.file.Write(data)
	return cmp.Or(err, w.file.Sync(), w.file.Close())
}

// rename puts the temporary file in the target's place. That is on disk once the folder is
// synced. Some systems can't sync a folder; the file is whole either way.
func (w *writer) rename() error {
	if err := os.Rename(w.temp, w.target); err != nil {
		return fail.Path(w.path, err)
	}
	w.temp = ""
	if dir, err := os.Open(filepath.Dir(w.target)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// end removes what is left of a write, also after a panic: nothing stale may lock others out.
func (w *writer) end() {
	w.file.Close()
	if w.temp != "" {
		os.Remove(w.temp)
	}
	signal.Stop(w.signals)
}
