package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
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

// keep saves what a server said in a file whose name begins with the time, and returns that, or "" if
// it can't be saved: it is refused all the same.
func keep(label string, data []byte) (path string) {
	folder, err := cacheFolder("refused")
	now := strings.Replace(time.Now().UTC().Format("20060102T150405.000000000"), ".", "", 1)
	if err != nil {
		return ""
	}
	path = filepath.Join(folder, now+"-"+mcp.FileName(label))
	if os.WriteFile(path, data, 0o600) != nil {
		os.Remove(path) // half of it shows nobody what was refused
		return ""
	}
	return path
}

// pruneKept deletes all files but the newest of the folder with what was refused.
func pruneKept(path string) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "2*-*.jsonl")) // sorted
	for ; len(files) > maxKept; files = files[1:] {
		os.Remove(files[0]) // another guard may have done so
	}
}

// A transcript is what a server has said of itself in a session, as it would be captured: its
// instructions, and the pages of each list as they were asked for last.
type transcript [pin.EntryTypes][]saidPage

// A saidPage is an answer with a page of a list, in a line.
type saidPage struct {
	page string
	line []byte
}

// add takes an answer and returns the listing as far as it goes. One that begins anew takes the place
// of the earlier one, and so does a page that comes again, with what followed it.
func (t *transcript) add(list pin.EntryType, page string, message []byte) []byte {
	pages := t[list]
	if i := slices.IndexFunc(pages, func(p saidPage) bool { return p.page == page }); i >= 0 || page == "" {
		pages = pages[:max(i, 0)]
	}
	if len(t.text(pin.LockOrder[:]...))+len(message) > mcp.MaxBytes { // pinproof would not read it
		*t, pages = transcript{}, nil
	}
	t[list] = append(pages, saidPage{page, slices.Concat(message, []byte("\n"))})
	return t.text(list)
}

// text is a capture of some lists.
func (t *transcript) text(lists ...pin.EntryType) (data []byte) {
	for _, list := range lists {
		for _, p := range t[list] {
			data = append(data, p.line...)
		}
	}
	return data
}

// pageOf names the page behind a cursor: "" is the first.
func pageOf(cursor jsontree.Value) string {
	if cursor.Kind != '"' {
		return ""
	}
	return "behind " + cursor.Text
}
