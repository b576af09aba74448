package lockfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pinproof/internal/shell"
)

// Nearest is the lockfile where none is named: tools.lock in a folder or, inside a repository, in
// the nearest folder above that has one, up to the repository's root. It looks no higher, nor
// above a folder in no repository: what lies there anyone may have put there. Whatever has that
// name counts, be it a folder or a broken link, for the lockfile that it hides must not be
// taken in its place. If nothing has it, the path is that in the folder itself.
func Nearest(folder string) string {
	first, path := filepath.Join(folder, shell.DefaultLockfile), ""
	for {
		at := filepath.Join(folder, shell.DefaultLockfile)
		if _, err := os.Lstat(at); path == "" && !errors.Is(err, fs.ErrNotExist) {
			path = at
		}
		_, notRoot := os.Lstat(filepath.Join(folder, ".git"))
		if notRoot == nil || path == first {
			return cmp.Or(path, first)
		}
		above := filepath.Join(folder, "..")
		here, _ := os.Stat(folder)
		next, err := os.Stat(above)
		if err != nil || os.SameFile(here, next) {
			return first
		}
		folder = above
	}
}
