package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// pathError says what went wrong with a path. It drops the library's text, which has the
// path raw: a path may come from an archive and be hostile to a terminal.
func pathError(path string, err error) *userError {
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

// sameFile reports whether two paths lead to one file, be it there or still to be written.
func sameFile(a, b string) bool {
	if a == "-" || b == "-" {
		return false
	}
	x, _ := os.Stat(a)
	y, _ := os.Stat(b)
	if x == nil && y == nil && filepath.Base(a) == filepath.Base(b) {
		x, _ = os.Stat(filepath.Dir(a))
		y, _ = os.Stat(filepath.Dir(b))
	}
	return os.SameFile(x, y)
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
