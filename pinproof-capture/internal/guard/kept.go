package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pinproof/internal/atomicfile"
	"pinproof/internal/jsontree"
	"pinproof/internal/workspace"
)

// Refused captures are kept in the user's cache, in a folder per project. A file's name contains the server ID and a
// digest of the content, so that no file is overwritten while a person reads it.

// keptFor is how long a file is kept, so that abandoned projects don't fill the disk.
const keptFor = 30 * 24 * time.Hour

const keptEnding = ".jsonl"

// MakeCacheFolder creates a folder for files that are kept between runs, which only the user can open, and deletes old
// files in it. It returns "" if there can be no such folder, as in a container without a home.
func MakeCacheFolder(name string, keptFor time.Duration) (folder string) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	folder = filepath.Join(cache, "pinproof", name)
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // the folder was deleted, or isn't there yet
		}
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			os.Remove(path) // fails for a folder that isn't empty
		}
		return nil
	})
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	return folder
}

// shortDigest returns 16 hex digits of the digest of data for a file name, few enough for a person to compare.
func shortDigest(data []byte) string { return jsontree.HexOf(jsontree.Digest(data))[:16] }

// keptPlace returns the prefix of the paths of a server's kept files, or "" if none can be written.
func keptPlace(lock, id string) string {
	folder := MakeCacheFolder("refused", keptFor)
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, shortDigest([]byte(lock)), strings.TrimSuffix(workspace.CaptureFileName(id), ".jsonl")+"-")
}

// keep writes a file atomically, because a partial file wouldn't show what was refused.
func keep(k keptFile) error {
	now := time.Now()
	if os.Chtimes(k.path, now, now) == nil {
		// The file exists: its name contains the content's digest, so it needs no rewrite.
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(k.path, k.data)
}
