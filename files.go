package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// A source is one manifest as it was read.
type source struct {
	path  string // for messages and commands
	label string // the server it would be named after; "" for standard input
	scan  *scanned
}

// pathError says what went wrong with a path. It drops the library's text, which has the
// path raw: a path may come from an archive and be hostile to a terminal.
func pathError(path string, err error) *failure {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return failIn(printable(path), "%s", err)
}

// readFile reads a file or, for "-", standard input. More than limit bytes are an error:
// they are never cut.
func readFile(path string, stdin io.Reader, limit int) ([]byte, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, pathError(path, err)
		}
		defer f.Close()
		in = f
	}
	var data bytes.Buffer
	data.Grow(min(int(max(fileSize(path), 0)), limit) + bytes.MinRead)
	_, err := data.ReadFrom(io.LimitReader(in, int64(limit)+1))
	switch {
	case data.Len() > limit:
		return nil, failIn(printable(path), "more than %d MiB", limit>>20)
	case err != nil:
		return nil, pathError(path, err)
	}
	return data.Bytes(), nil
}

// fileSize is the size of a regular file in bytes, and -1 for anything else.
func fileSize(path string) int64 {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && path != "-" {
		return info.Size()
	}
	return -1
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "-" && err == nil && info.IsDir()
}

// readSources reads a manifest, or every manifest of a folder: each *.json or *.jsonl
// belongs to one server. Names that begin with a dot are skipped, and so are the lockfile
// and LOCKFILE.new. Anything else is an error, because a gate must not skip.
func readSources(path, lockPath string, stdin io.Reader) ([]source, error) {
	if !isFolder(path) {
		data, err := readFile(path, stdin, maxManifestBytes)
		if err != nil {
			return nil, err
		}
		label, _ := serverLabel(filepath.Base(path))
		if path == "-" {
			label = ""
		}
		return []source{{path, label, scanManifest(path, data)}}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	lockInfo, _ := os.Stat(lockPath)
	var list []source
	labels := map[string]string{}
	total := 0
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			return nil, pathError(file, err)
		}
		if os.SameFile(info, lockInfo) || strings.TrimSuffix(filepath.Clean(file), newSuffix) == filepath.Clean(lockPath) {
			continue
		}
		label, ok := serverLabel(e.Name())
		switch {
		case !ok || !info.Mode().IsRegular():
			return nil, failIn(printable(file), "not a manifest: a folder holds *.json and *.jsonl, one a server").
				hint("keep captures in a folder of their own")
		case labels[label] != "":
			return nil, failIn(printable(file), "the same server as %s", printable(labels[label]))
		}
		labels[label] = file
		data, err := readFile(file, stdin, maxManifestBytes)
		if err != nil {
			return nil, err
		}
		if total += len(data); total > maxLockfileBytes {
			return nil, failIn(printable(path), "more than 256 MiB of manifests")
		}
		list = append(list, source{file, label, scanManifest(file, data)})
	}
	if len(list) == 0 {
		return nil, failIn(printable(path), "no *.json or *.jsonl in this folder").hint("%s", captureHint)
	}
	slices.SortFunc(list, func(a, b source) int { return compareUTF16(a.label, b.label) })
	return list, nil
}

// serverLabel returns a file's name without its ending, percent-decoded:
// "@org%2Fpkg.json" is the server "@org/pkg". ok is false if that can't be a manifest.
func serverLabel(file string) (label string, ok bool) {
	ext := strings.ToLower(filepath.Ext(file))
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	if decoded, err := url.PathUnescape(stem); err == nil {
		stem = decoded
	}
	return stem, (ext == ".json" || ext == ".jsonl") && stem != "" && utf8.ValidString(stem)
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
	if text, err = readFile(path, nil, maxLockfileBytes); err == nil {
		l, err = parseLockfile(path, text)
	}
	return l, text, err
}

const (
	newSuffix    = ".new"           // LOCKFILE.new
	lockPatience = 10 * time.Second // how long a writer waits for another one
)

// replaceFile writes a file whole or not at all. LOCKFILE.new, created exclusively beside
// it, is lock and temporary file in one. While it exists, update reads the file as it is
// now and returns the new bytes, or nil to leave it alone. Another writer is waited for as
// long as patience. A patience of 0 is for a file that keeps nothing of the old one: there
// is no lock, and the temporary file has a random name. announce is called when the bytes
// are safe on disk and only the rename is left; if it fails, nothing is replaced.
func replaceFile(path string, patience time.Duration, update func() ([]byte, error), announce func() error) error {
	target, old, err := replaceable(path)
	if err != nil {
		return err
	}
	temp := target + newSuffix
	said := temp
	if patience == 0 {
		// os.CreateTemp makes files that only their owner can read, whatever the umask.
		temp, said = filepath.Join(filepath.Dir(target), ".pinproof-"+rand.Text()+newSuffix), path
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
			return fail("interrupted while waiting for %s; nothing was written", printable(temp))
		case !errors.Is(err, fs.ErrExist):
			return pathError(said, err)
		case time.Since(begin) > patience:
			return fail("%s is there: another pinproof is writing, or one was killed", printable(temp)).
				hint("if no other pinproof runs, delete it: rm %s", shellPath(temp))
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
			return pathError(said, err)
		}
	}
	if err := announce(); err != nil || data == nil {
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		return pathError(path, err)
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

// writeFile writes a file whole or not at all. It takes no lock.
func writeFile(path string, data []byte) error {
	return replaceFile(path, 0, func() ([]byte, error) { return append([]byte{}, data...), nil }, func() error { return nil })
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
		return "", nil, pathError(path, err)
	case !old.Mode().IsRegular():
		return "", nil, failIn(printable(path), "not a regular file")
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

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	if a == "-" || b == "-" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

// openTerminal opens the terminal itself, for answers when standard input is the
// manifest. It returns nil if there is none.
func openTerminal() *os.File {
	for _, path := range []string{"/dev/tty", "CONIN$"} {
		if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			return f
		}
	}
	return nil
}
