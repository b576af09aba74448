package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pinproof/pinproof-capture/internal/mcp"
)

// What was refused is kept in the user's cache, in a folder for each project. The name of a file has the server
// ID and the digest of what the file holds, so that no file is replaced by another one while a person reads it.
const (
	// How many files are kept for each server, so that a server that is refused at every start doesn't fill the disk.
	maxKept = 3

	// How long a file is kept, so that a project that is left behind doesn't fill the disk, either.
	keptFor = 30 * 24 * time.Hour

	// How many digits of a digest are in a name. A person may compare them.
	idHex = 16
)

// keptName matches what follows the server ID in the name of a kept file.
var keptName = regexp.MustCompile(`^-[0-9a-f]{16}[.]jsonl$`)

// cacheFolder makes a folder for what is kept from run to run, which only the user can open.
func cacheFolder(names ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(append([]string{cache, "pinproof"}, names...)...)
	return folder, os.MkdirAll(folder, 0o700)
}

func shortDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:idHex]
}

// keep saves what a server of a lockfile said, and returns the file's path, or "" if it can't be
// saved. What the server said is refused all the same.
func keep(lock, id string, data []byte) (path string) {
	folder, err := cacheFolder("refused", shortDigest([]byte(lock)))
	if err != nil {
		return ""
	}
	name := strings.TrimSuffix(mcp.FileName(id), ".jsonl")
	path = filepath.Join(folder, name+"-"+shortDigest(data)+".jsonl")
	now := time.Now()
	if os.Chtimes(path, now, now) == nil {
		return path // the server said the same before
	}
	// Written whole or not at all: half of it wouldn't show what was refused.
	f, err := os.CreateTemp(folder, "new-")
	if err != nil {
		return ""
	}
	_, err = f.Write(data)
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return ""
	}
	return path
}

// pruneKept deletes the files of a kept file's server, except the newest ones, and the files of all
// projects that are too old. Another guard may do so at the same time.
func pruneKept(path string) {
	folder, name := filepath.Split(path)
	id := name[:len(name)-len("-.jsonl")-idHex]
	var files []os.FileInfo
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		rest, isOf := strings.CutPrefix(e.Name(), id)
		if info, err := e.Info(); err == nil && isOf && keptName.MatchString(rest) && e.Name() != name {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, f := range files[min(maxKept-1, len(files)):] {
		os.Remove(filepath.Join(folder, f.Name()))
	}
	removeOld(filepath.Dir(filepath.Clean(folder)))
}

// removeOld deletes what has been kept for too long in a folder, and the folders that are empty after that.
func removeOld(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if e.IsDir() {
			removeOld(path)
			os.Remove(path) // fails for a folder that isn't empty
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			os.Remove(path)
		}
	}
}
