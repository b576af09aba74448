package workspace

import (
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// CheckServerIdentity returns an error if lock or relock would approve a capture that may belong to a different server.
func (w *Workspace) CheckServerIdentity() error {
	if w.Server != "" {
		return nil
	}
	// If the server was guessed and its pins have no entry in common with the capture, a second
	// server would replace the first.
	if p := &w.Comparisons[0]; !w.HasFolder && p.HasNoCommonEntry() {
		f := fail.New("%s looks like another server: none of its tools is among the pins of %s", text.Printable(w.Capture), text.QuoteName(p.Server))
		if !p.IsPartial { // lock has no flag --part
			f.Hint("if it is: %s", w.ForVerb("lock", "--server "+shell.PasteableServerID(p.FileServer, p.Server)))
		}
		return f.Hint("if it is not, name the server: %s --server %s", w.ForVerb("relock"), shell.PasteableServerID(p.Server, ""))
	}
	// A capture with a new server ID may belong to a server that is pinned under another ID. Then lock would approve
	// the server's changes although nobody has reviewed them.
	if !w.PinsNewServers {
		return nil
	}
	similar := w.similar()
	for _, p := range w.Comparisons {
		like, common := similar(&p)
		if like == "" {
			continue
		}
		next := w.Command
		next.Capture = p.CapturePath
		return fail.New("which server? %s has the names of server %s: %d of its %d entries", text.Printable(p.CapturePath), text.QuoteName(like), common, len(p.Captured.Pins)).
			Hint("if it is that server: %s --server %s", next.ForVerb("relock"), shell.PasteableServerID(like, "")).
			Hint("if it is another one: %s --server %s", next.ForVerb("lock"), shell.PasteableServerID(p.FileServer, like))
	}
	return nil
}

// isOnlyServer reports whether a capture looks like the lockfile's only server, although its file has another name.
// lock then treats it as a capture of that server.
func (w *Workspace) isOnlyServer(p *pin.Comparison) bool {
	if w.Server != "" || w.HasFolder || len(w.Lock.Servers) != 1 {
		return false
	}
	like, _ := w.similar()(p)
	return like != ""
}

// maxHolders is the maximum number of servers that may have an entry of the same name. A name that more servers have
// doesn't identify a server.
const maxHolders = 64

// similar returns a function that guesses which pinned server a capture under a new server ID belongs to, and counts
// their common entries. A candidate has no capture here. A candidate with the same set digest wins, or else the one
// with the most entries of the same names, which must be more than half of the entries on at least one side.
func (w *Workspace) similar() func(p *pin.Comparison) (server string, common int) {
	byDigest := map[string]*pin.Set{} // by set digest
	byKey := map[pin.Key][]*pin.Set{}
	for i := range w.Lock.Servers {
		set := &w.Lock.Servers[i]
		if with := pin.FindComparison(w.Comparisons, set.Server); with != nil && with.HasCapture() {
			continue
		}
		if digest := w.Gate.SetDigest(set); digest != "" && byDigest[digest] == nil {
			byDigest[digest] = set
		}
		for _, p := range set.Pins {
			if p.Type != pin.Instructions { // instructions have no name
				byKey[p.Key] = append(byKey[p.Key], set)
			}
		}
	}
	return func(p *pin.Comparison) (server string, common int) {
		if p.IsLocked() || len(p.Captured.Pins) == 0 {
			return "", 0
		}
		if set := byDigest[w.Gate.SetDigest(&p.Captured)]; set != nil {
			return set.Server, len(set.Pins)
		}
		count := map[*pin.Set]int{}
		for _, found := range p.Captured.Pins {
			holders := byKey[found.Key]
			if len(holders) > maxHolders {
				continue
			}
			for _, set := range holders {
				count[set]++
			}
		}
		for set, n := range count {
			isBest := n > common || n == common && jsontree.CompareUTF16(set.Server, server) < 0
			if isBest && (2*n > len(p.Captured.Pins) || 2*n > len(set.Pins)) {
				server = set.Server
				common = n
			}
		}
		return server, common
	}
}
