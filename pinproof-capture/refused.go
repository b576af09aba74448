package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxRefused is how many files with what was refused are kept: a server that is refused at
// every start fills no disk.
const maxRefused = 10

// refusedFolder is the folder of what was refused. It is the user's alone.
func refusedFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "pinproof", "refused")
	return folder, os.MkdirAll(folder, 0o700)
}

// newRefused names a new file for what a server says. The names begin with the time.
func newRefused(label string) (path string, err error) {
	folder, err := refusedFolder()
	now := strings.Replace(time.Now().UTC().Format("20060102T150405.000000000"), ".", "", 1)
	return filepath.Join(folder, now+"-"+fileName(label)), err
}

// pruneRefused deletes all of these files but the newest.
func pruneRefused() {
	folder, err := refusedFolder()
	if err != nil {
		return
	}
	files, _ := filepath.Glob(filepath.Join(folder, "2*-*.jsonl")) // no error: the pattern is right
	slices.Sort(files)
	for ; len(files) > maxRefused; files = files[1:] {
		os.Remove(files[0]) // another guard may have done so
	}
}

// keepRefused saves what a server said and returns the file, or "" if it can't be saved:
// it is refused all the same.
func keepRefused(label string, data []byte) string {
	path, err := newRefused(label)
	if err == nil {
		if err = os.WriteFile(path, data, 0o600); err != nil {
			os.Remove(path) // half of it shows nobody what was refused
		}
	}
	if err != nil {
		return ""
	}
	pruneRefused()
	return path
}
