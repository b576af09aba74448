package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinproof/pinproof-capture/internal/mcp"
)

// maxKept is how many files with what was refused are kept: a server that is refused at
// every start fills no disk.
const maxKept = 10

// cacheFolder is a folder of the user's alone, for what is kept from run to run.
func cacheFolder(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "pinproof", name)
	return folder, os.MkdirAll(folder, 0o700)
}

// newKept names a new file for what a server says. The names begin with the time.
func newKept(label string) (path string, err error) {
	folder, err := cacheFolder("refused")
	now := strings.Replace(time.Now().UTC().Format("20060102T150405.000000000"), ".", "", 1)
	return filepath.Join(folder, now+"-"+mcp.FileName(label)), err
}

// pruneKept deletes all of these files but the newest.
func pruneKept() {
	folder, err := cacheFolder("refused")
	if err != nil {
		return
	}
	files, _ := filepath.Glob(filepath.Join(folder, "2*-*.jsonl")) // no error: the pattern is right
	slices.Sort(files)
	for ; len(files) > maxKept; files = files[1:] {
		os.Remove(files[0]) // another guard may have done so
	}
}

// keep saves what a server said and returns the file, or "" if it can't be saved:
// it is refused all the same.
func keep(label string, data []byte) string {
	path, err := newKept(label)
	if err == nil {
		if err = os.WriteFile(path, data, 0o600); err != nil {
			os.Remove(path) // half of it shows nobody what was refused
		}
	}
	if err != nil {
		return ""
	}
	pruneKept()
	return path
}
