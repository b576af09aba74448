package workspace

import (
	"bufio"
	"os"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
)

// lockfileOf returns the lockfile without parsing it, if its bytes are exactly those that
// lock writes for these captures by default, with what it records of their approval. That
// is the usual case of verify.
func lockfileOf(formOf pin.FormFunc, path string, sources []source) (l lockfile.Lockfile, ok bool) {
	if size := fileSize(path); size < 0 || size > jsontree.MaxLockfileBytes || len(sources) > jsontree.MaxEntries {
		return l, false // and a pipe could not be read again
	}
	f, err := os.Open(path)
	if err != nil {
		return l, false
	}
	defer f.Close()
	file := bufio.NewReaderSize(f, 64<<10)
	for _, s := range sources { // sorted by label, none twice
		label := s.label
		if len(sources) == 1 {
			label = lockfile.FirstServer(file)
		}
		m, err := s.scan.Capture(pin.Policy{})
		if err != nil {
			return lockfile.Lockfile{}, false
		}
		set, err := capture.Pins(m, label, pin.Policy{}, nil, formOf)
		if err != nil || label == "" || len(label) > jsontree.MaxLabelBytes || set.Repeated() {
			return lockfile.Lockfile{}, false
		}
		for i := range set.Pins {
			set.Pins[i].Received, set.Pins[i].Column = nil, 0
		}
		l.Servers = append(l.Servers, set)
	}
	if len(sources) == 0 || !l.IsExactly(file) {
		return lockfile.Lockfile{}, false
	}
	return l, true
}
