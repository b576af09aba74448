package workspace

import (
	"os"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
)

// lockfileOf returns the lockfile without parsing it, if it pins exactly these captures; see
// lockfile.Unparsed.
func lockfileOf(gate pin.Gate, path string, sources []source) (l lockfile.Lockfile, ok bool) {
	if size := fileSize(path); size < 0 || size > jsontree.MaxLockfileBytes {
		return l, false // a pipe, for one, could not be read again
	}
	f, err := os.Open(path)
	if err != nil {
		return l, false
	}
	defer f.Close()
	var servers []string
	for _, s := range sources { // sorted by server, none twice
		servers = append(servers, s.server)
	}
	l, ok = lockfile.Unparsed(f, servers, func(i int, server string) (pin.Set, error) {
		m, err := sources[i].scan.Capture(pin.Policy{})
		if err != nil {
			return pin.Set{}, err
		}
		return capture.Pins(m, server, pin.Policy{}, nil, gate.Form)
	})
	return l, ok && l.CheckApprovals(path, gate.ApprovalHash) == nil // else the parser says what is wrong
}
